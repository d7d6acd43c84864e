#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "ui/jobs/run_state.h"
#include "ui/models/facts.h"
#include "ui/models/mapping_run.h"
#include "ui/views/exportable.h"
#include "ui/views/runs/run_pages.h"

namespace tessera::ui {

/// What a mapping run found: its schedule, the race between its algorithms, its jobs and cores.
class MappingTabs : public RunPages {
    Q_OBJECT

public:
    explicit MappingTabs(SharedMappingChoice choice, QWidget* parent = nullptr);
    ~MappingTabs() override;

    /// Another run: where it is kept, and its number there; 0 = not kept.
    void setHistory(const std::filesystem::path& history, store::RunId kept);
    /// What was made here beyond the run's own pictures and tables.
    QVector<Exportable> exportables() const;
    /// Marks a job in schedule and table; -1 = none.
    void setJob(int job);

signals:
    void algorithmChosen(int algorithm);
    void jobChosen(int job);
    void colourChosen(tessera::study::JobColour colour);
    void inspected(const tessera::ui::Facts& facts);

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
