#pragma once

#include <QVector>
#include <QWidget>
#include <filesystem>
#include <map>
#include <memory>

#include "core/store/store.h"
#include "core/study/mapping/sweep.h"
#include "ui/models/mapping_run.h"
#include "ui/views/exportable.h"

class QButtonGroup;

namespace tessera::ui {

class SolvingPages;
class Workbench;

/// A mapping run with one thing of its study varied: bandwidth, size of the group, samples, as points of a workbench.
/// Solves off the UI thread when a sweep is asked for; can be cancelled.
class SweepView : public QWidget {
    Q_OBJECT

public:
    explicit SweepView(QWidget* parent = nullptr);

    /// Shows a run; `kept` is its number in the history at `history`, where its inputs are read. 0 = not kept.
    void setRun(const MappingRun& run, const std::filesystem::path& history, store::RunId kept);
    const MappingRun& run() const { return run_; }
    void choose(study::SweepKind kind);
    study::SweepKind kind() const { return kind_; }
    void solve();
    void cancel();
    bool isWorking() const;
    /// Sweep of the chosen kind; null before it is solved.
    std::shared_ptr<const study::MappingSweep> sweep() const;
    /// The runs of the sweep that is shown.
    Workbench* bench() const { return bench_; }
    QVector<Exportable> exportables() const;

private:
    void showChosen();

    MappingRun run_;
    std::filesystem::path history_;
    store::RunId kept_ = 0;
    study::SweepKind kind_ = study::SweepKind::bandwidth;
    std::map<study::SweepKind, std::shared_ptr<const study::MappingSweep>> found_;
    study::SweepKind working_ = study::SweepKind::bandwidth;  ///< that is worked on, if any
    std::shared_ptr<const study::MappingSweep> shown_;
    QButtonGroup* kinds_;
    Workbench* bench_;
    SolvingPages* pages_;
};

}  // namespace tessera::ui
