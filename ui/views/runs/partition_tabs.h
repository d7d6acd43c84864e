#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "ui/jobs/run_state.h"
#include "ui/models/facts.h"
#include "ui/models/partition_tables.h"
#include "ui/views/exportable.h"
#include "ui/views/lazy_tabs.h"

class QVBoxLayout;

namespace tessera::ui {

/// The details of a partition run, below its picture.
class PartitionTabs : public LazyTabs {
    Q_OBJECT

public:
    /// The page of the map of types, shown where the map has no room above the tabs.
    static constexpr const char* kTypes = "types";
    static constexpr const char* kFirstDetails = "strategies";

    explicit PartitionTabs(SharedChoice choice, QWidget* parent = nullptr);
    ~PartitionTabs() override;
    QVBoxLayout* mapPage() const;

    void setCurves(std::shared_ptr<const std::vector<Curve>> curves);
    /// Where the run is kept, and its number there: its inputs are read there. 0 = not kept.
    void setHistory(const std::filesystem::path& history, store::RunId kept);
    /// What was made here beyond the run's own pictures and tables.
    QVector<Exportable> exportables() const;
    /// Marks a layer of the chosen split in table and timeline; -1 = none.
    void setLayer(int layer);

signals:
    void strategyChosen(int plan);
    void splitChosen(int split);
    void layerChosen(int layer);
    void inspected(const tessera::ui::Facts& facts);
    void explainRequested(const QString& path);

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
