#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/base/json.h"
#include "core/report/exploration_points.h"
#include "core/study/exploration/study.h"
#include "core/study/metric.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/message_bar.h"
#include "ui/views/plot/parallel_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/result_exports.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/workbench/point_list.h"
#include "ui/views/workbench/workbench.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using study::ExplorationOutcome;

/// A finished exploration: headline, the workbench of its points, what matters to each objective, and why points are no
/// solution. What is shown of the points can be explored again.
class ExplorationView : public RunView {
public:
    ExplorationView(QUndoStack* undo, QWidget* parent) : RunView("explore", parent), undo_(undo) {
        addSelectable({.id = "point",
                       .count = [this] { return static_cast<int>(outcome().points.size()); },
                       .current = [this] { return chosen_; },
                       .choose = [this](int point) { choose(point); },
                       .facts = [this](int point) { return facts(point); },
                       .handed = [](int point) { return std::to_string(point + 1); },
                       .optional = true});
        addPages();
        addPoints();
        addOtherPages();
    }

    QJsonObject saveView() const override {
        QJsonObject view = RunView::saveView();
        if (bench_ != nullptr) view["points"_L1] = bench_->saveState();
        return view;
    }

    void restoreView(const QJsonObject& view) override {
        RunView::restoreView(view);
        const QJsonObject state = view.value("points"_L1).toObject();
        if (state.isEmpty() || run().result == nullptr) return;
        theBench();
        fillBench();
        bench_->restoreState(state);
    }

protected:
    void takeRun() override {
        chosen_ = outcome().chosen ? static_cast<int>(*outcome().chosen) : -1;
        points_ = nullptr;
        if (bench_ != nullptr) fillBench();
    }
    QVector<Headline> headlines() const override;
    void showNote() override;
    report::Selection selection() const override { return selectionOf(chosen_); }
    /// Of what the run alone does not decide: what is brushed, and how pictures are looked at.
    QVector<Exportable> ownExports() const override {
        return bench_ == nullptr ? QVector<Exportable>() : bench_->exportables();
    }

private:
    /// Of any point; the catalogue lists some of very many.
    report::Selection selectionOf(int point) const {
        report::Selection at = report::selectionOf(*run().result, {});
        if (point >= 0) at.choice = std::to_string(point + 1);
        return at;
    }
    const ExplorationOutcome& outcome() const { return run().result->outcome.get<ExplorationOutcome>(); }
    void addPoints();
    Workbench& theBench();
    QWidget* makeBench() { return &theBench(); }
    QWidget* makeList() { return theBench().list(); }
    QWidget* makeComparison() { return theBench().comparison(); }
    void fillBench();
    void choose(int point);
    Facts facts(int point);
    /// The exploration again, within what is shown.
    Workbench::StudyMaker studyOfShown() {
        const PointSelection& points = bench_->selection();
        return [result = run().result, states = points.states(), ranges = points.askedRanges()] {
            return toText(study::toJson(report::narrowedStudy(*result, states, ranges)));
        };
    }

    int chosen_ = -1;
    QUndoStack* undo_;
    Workbench* bench_ = nullptr;
    std::shared_ptr<const explore::PointTable> points_;  ///< of the run, once they were looked at
};

void ExplorationView::addPoints() {
    using Self = ExplorationView;
    pages()->addPicture("points", u"Points"_s, this, &Self::makeBench, &Self::fillBench);
    addRows("points", {.pictures = {"front", "parallel", "hypervolume", "progress"}});
    pages()->addDetails("points", u"Points"_s, this, &Self::makeList, &Self::fillBench);
    addRows("points", {.tables = {"front", "points", "point"}});
    pages()->addSentences("why", u"Why this one"_s, [this] {
        QStringList lines = bench_ == nullptr ? QStringList() : bench_->whySentences();
        if (outcome().chosen && chosen_ == static_cast<int>(*outcome().chosen) && !outcome().chosenFor.empty())
            lines.prepend(u"Chosen: %1."_s.arg(shownText(outcome().chosenFor)));
        return lines;
    });
    pages()->addDetails("comparison", u"A against B"_s, this, &Self::makeComparison, &Self::fillBench);
}

Workbench& ExplorationView::theBench() {
    if (bench_ != nullptr) return *bench_;
    bench_ = new Workbench(undo_, pages()->pictures());
    bench_->setInOrder(true);
    bench_->setEmptyTexts(u"No point was evaluated."_s, u"No point lies in all brushes."_s);
    bench_->plot()->setAccessibleName(u"Points in two values"_s);
    bench_->parallel()->setAccessibleName(u"Points in all values"_s);
    bench_->addToolForShown(u"Explore these"_s, u"explore"_s,
                            u"Explores again within the ranges of the shown points; metric ranges become constraints"_s,
                            [this] { emit runRequested(toQt(studyOfShown()())); });
    bench_->setStudyOfShown([this] { return studyOfShown(); });
    bench_->setPointMenu([this](QMenu& menu) { addHandovers(menu, "point"); });
    const PointSelection& points = bench_->selection();
    connect(&points, &PointSelection::chosenChanged, this, [this](int point) {
        // The study as it is stands after the points.
        const bool known = point >= 0 && point < static_cast<int>(outcome().points.size());
        if (known && point != chosen_) select(u"point"_s, point);
    });
    connect(bench_, &Workbench::whyChanged, this, [this] { pages()->details()->refresh({u"why"_s}); });
    return *bench_;
}

void ExplorationView::fillBench() {
    if (points_ != nullptr) return;
    points_ = std::make_shared<const explore::PointTable>(study::pointTableOf(outcome()));
    bench_->setPoints(points_);
    bench_->selection().choose(chosen_);
}

void ExplorationView::choose(int point) {
    if (std::exchange(chosen_, point) == point) return;
    if (bench_ != nullptr && points_ != nullptr) bench_->selection().choose(point);
    pages()->details()->refresh({u"why"_s});
}

Facts ExplorationView::facts(int point) {
    if (point < 0 || static_cast<std::size_t>(point) >= outcome().points.size()) return {};
    const study::ExploredPoint& its = outcome().points[static_cast<std::size_t>(point)];
    Facts facts{.title = u"Point %1"_s.arg(point + 1), .subtitle = shownText(outcome().base), .icon = u"explore"_s};
    Facts::Section variables{.title = u"Variables"_s, .rows = {}}, metrics{.title = u"Metrics"_s, .rows = {}};
    for (std::size_t i = 0; i < outcome().variables.size(); ++i) {
        const study::ExploredVariable& variable = outcome().variables[i];
        variables.rows.append(columns::numberFact(shownText(variable.title),
                                                  shownText(study::textOf(variable, its.values[i])), its.values[i]));
    }
    for (std::size_t i = 0; i < outcome().metrics.size() && i < its.metrics.size(); ++i) {
        const study::ExploredMetric& metric = outcome().metrics[i];
        if (its.metrics[i] != its.metrics[i]) continue;
        metrics.rows.append(columns::numberFact(shownText(metric.title),
                                                shownText(study::textOf(metric, its.metrics[i])), its.metrics[i]));
    }
    facts.sections = {metrics, variables};
    facts.note = shownText(its.reason, 1000);
    for (const Exportable& each : exports::files(run().result, selectionOf(point)))
        facts.actions.append({.title = u"%1…"_s.arg(each.fileTitle), .icon = u"export"_s, .run = [this, each] {
                                  askAndExport(*this, each, each.fileSuffix);
                              }});
    return facts;
}

QVector<Headline> ExplorationView::headlines() const {
    QVector<Headline> headlines;
    for (const study::Metric& metric : study::metricsOf(*run().result)) {
        if (!metric.owner.empty()) continue;
        const bool isCount = metric.measure == Measure::count && metric.name.ends_with("points");
        if (isCount) continue;  // said at the end
        headlines.append({.value = toQt(study::textOf(metric)),
                          .label = toQt(study::lowerFirstOf(metric.title)),
                          .help = {},
                          .explain = explanationOf(metric.name)});
    }
    const auto feasible = static_cast<std::size_t>(outcome().feasible());
    headlines.append({.value = countText(outcome().front.size()),
                      .label = outcome().objectives.size() > 1 ? u"on the front"_s : u"best"_s,
                      .detail = u"of %1"_s.arg(counted(outcome().points.size(), "point", "points")),
                      .help = u"Non-dominated (Pareto-optimal) points"_s,
                      .explain = explanationOf("front_points")});
    if (feasible < outcome().points.size())
        headlines.append({.value = countText(outcome().points.size() - feasible),
                          .label = u"no solution"_s,
                          .explain = explanationOf("feasible_points")});
    return headlines;
}

/// Why nothing is a solution.
void ExplorationView::showNote() {
    if (outcome().feasible() > 0) return;
    QString why = outcome().reasons.empty() ? QString() : shownText(outcome().reasons.front().reason, 1000);
    note()->showMessage(MessageBar::Kind::warning,
                        why.isEmpty() ? u"No point is a solution."_s : u"No point is a solution: %1."_s.arg(why));
}

}  // namespace

RunView* newExplorationView(QUndoStack* undo, QWidget* parent) {
    return new ExplorationView(undo, parent);
}

}  // namespace tessera::ui
