#pragma once

#include <QVector>
#include <QWidget>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/report/scaling_picture.h"
#include "core/store/store.h"
#include "core/study/scaling.h"
#include "ui/models/partition_run.h"
#include "ui/models/table_model.h"
#include "ui/views/exportable.h"

namespace tessera::ui {

class ChartPane;
class SolvingPages;

/// Strong scaling of a run's strategies: its study solved again on a half, a quarter, … of its accelerators. Works off
/// the UI thread from when it is first asked for the run, or from a click where that takes long; can be cancelled.
class ScalingView : public QWidget {
    Q_OBJECT

public:
    explicit ScalingView(QWidget* parent = nullptr);

    /// Shows a run, at once where it was solved before; `kept` is its number in the history at `history`, where its
    /// inputs are read. 0 = not kept.
    void setRun(const PartitionRun& run, const std::filesystem::path& history, store::RunId kept);
    const PartitionRun& run() const { return run_; }
    void solve();
    void cancel();
    bool isWorking() const;
    /// Result; null before there is one.
    std::shared_ptr<const study::Scaling> scaling() const { return scaling_; }
    /// The picture and its table, once they are there.
    QVector<Exportable> exportables() const;

private:
    void invite(double seconds);
    void show(study::Scaling found);
    int depth() const;

    PartitionRun run_;
    std::filesystem::path history_;
    store::RunId kept_ = 0;
    std::shared_ptr<const study::Scaling> scaling_;
    std::vector<report::ScaledPlan> rows_;  ///< of `scaling_`
    ChartPane* chart_;
    TableModel* model_;
    SolvingPages* pages_;
};

}  // namespace tessera::ui
