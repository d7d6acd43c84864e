#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "ui/jobs/run_state.h"
#include "ui/models/facts.h"
#include "ui/models/partition_tables.h"
#include "ui/views/exportable.h"
#include "ui/views/runs/run_pages.h"

namespace tessera::ui {

class HeatMapView;

/// The pictures and details of a partition run.
class PartitionTabs : public RunPages {
    Q_OBJECT

public:
    /// `map` shows the types of layers, and is filled by its owner.
    PartitionTabs(SharedChoice choice, HeatMapView* map, QWidget* parent = nullptr);
    ~PartitionTabs() override;

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

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
