#include "ui/views/runs/scaling_view.h"

#include <QVBoxLayout>
#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/partition/partition.h"
#include "core/report/scaling_picture.h"
#include "core/study/metric.h"
#include "core/study/study.h"
#include "ui/models/background.h"
#include "ui/models/field_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/chart_pane.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/result_exports.h"
#include "ui/views/runs/run_progress.h"
#include "ui/views/runs/solving_pages.h"
#include "ui/views/side_by_side.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr double kLongSeconds = 5;  ///< from here on it is asked before the work begins

}  // namespace

ScalingView::ScalingView(QWidget* parent)
    : QWidget(parent),
      chart_(new ChartPane({}, u"Scaling"_s)),
      model_(new TableModel(columns::ofFields(report::scaledPlanFields(),
                                              [this](int row) { return rows_.at(static_cast<std::size_t>(row)); }),
                            this)) {
    chart_->plot()->setExplainable(false);  // these are no numbers of the run's own result
    auto* table = new TableView(model_, u"Scaling"_s);
    table->setFilterVisible(false);
    pages_ = new SolvingPages({.progress = u"%1 of %2 sizes of the array are solved"_s,
                               .bar = u"Sizes of the array that are solved"_s,
                               .again = u"Try again"_s},
                              new SideBySide({chart_, u"Chart"_s}, {table, u"Table"_s}));
    auto* layout = bareLayout<QVBoxLayout>(this);
    layout->addWidget(pages_);
    connect(pages_, &SolvingPages::requested, this, &ScalingView::solve);
    connect(pages_, &SolvingPages::cancelRequested, this, &ScalingView::cancel);
}

bool ScalingView::isWorking() const {
    return pages_->isWorking();
}

/// How often the array is halved.
int ScalingView::depth() const {
    const auto& outcome = run_.result().outcome.get<study::PartitionOutcome>();
    return study::depthOf(outcome.accelerators, outcome.result.costs, run_.plan(run_.bestPlan()));
}

void ScalingView::setRun(const PartitionRun& run, const std::filesystem::path& history, store::RunId kept) {
    history_ = history;
    kept_ = kept;
    if (run.shared() == run_.shared()) return;
    cancel();
    run_ = run;
    model_->setRowCount(0);
    rows_.clear();
    scaling_.reset();
    if (depth() < 2) {
        pages_->say(u"Scaling needs an array with at least two levels of splits."_s, {});
        return;
    }
    pages_->say({}, {});
    inBackground(
        this, [study = run.result().study] { return study::estimate(study).seconds; },
        [this, of = run.shared()](double seconds) {
            if (of != run_.shared() || isWorking() || scaling_) return;
            if (seconds * depth() < kLongSeconds)
                solve();
            else
                invite(seconds * depth());
        },
        [this](const QString& /*problem*/) { solve(); });
}

void ScalingView::invite(double seconds) {
    pages_->say(u"Solves the study again on a half, a quarter, … of the accelerators. That takes about %1."_s.arg(
                    durationText(seconds)),
                u"Solve for every size"_s);
}

void ScalingView::solve() {
    if (isWorking() || run_.isEmpty()) return;
    pages_->work(
        history_, kept_,
        [study = run_.result().study](const study::RunContext& context) { return study::scaling(study, context); },
        [this](study::Scaling found) { show(std::move(found)); });
}

void ScalingView::cancel() {
    if (pages_->giveUp()) pages_->say(u"Solving for every size was cancelled."_s, u"Solve for every size"_s);
}

void ScalingView::show(study::Scaling found) {
    scaling_ = std::make_shared<const study::Scaling>(std::move(found));
    rows_ = report::scaledPlansOf(*scaling_);
    chart_->setCharts({report::scalingChart(*scaling_)});
    model_->setRowCount(static_cast<int>(rows_.size()));
    pages_->showFound(
        u"Every point is a plan of its own: the study solved on the array with each of its groups halved "
        "as often as it takes, the batch unchanged. The last point has every group of the fleet."_s);
}

QVector<Exportable> ScalingView::exportables() const {
    if (!scaling_) return {};
    return exports::solved(
        run_.shared(), "scaling", [found = scaling_] { return report::scalingChart(*found); },
        [found = scaling_] { return report::scalingTable(*found); });
}

}  // namespace tessera::ui
