#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/report/mapping_pictures.h"
#include "core/study/mapping/outcome.h"
#include "tests/support/pages.h"
#include "tests/support/partition_result.h"
#include "tests/support/pictures.h"
#include "tests/support/portfolio_result.h"
#include "tests/support/shown.h"
#include "tests/support/turns.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/convergence_view.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/plot/heat_map_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/plot/standings_board.h"
#include "ui/views/runs/run_document.h"
#include "ui/views/runs/run_progress.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/runs/sweep_view.h"
#include "ui/views/table_view.h"
#include "ui/views/workbench/point_list.h"
#include "ui/views/workbench/workbench.h"

namespace tessera::ui {
namespace {

using test::finishedRun;
using test::savePicture;
using test::visibleText;
using test::waitUntil;

class Mapping : public testing::Test {
protected:
    void SetUp() override { view.resize(1180, 720); }
    void open(study::Result result) {
        view.showRun(finishedRun(std::move(result)));
        ASSERT_TRUE(waitUntil([&] { return !gantt()->timeline().events.empty(); }));
        test::openDrawer(*tabs());
    }
    GanttView* gantt() { return view.findChild<GanttView*>(); }
    RunPages* tabs() { return view.pages(); }
    int algorithm() { return view.selected(QStringLiteral("algorithm")); }
    int job() { return view.selected(QStringLiteral("job")); }
    /// The plot of the tab in front, once it shows something.
    PlotWidget* plot(const char* tab) {
        tabs()->openTab(QLatin1String(tab));
        PlotWidget* found = nullptr;
        waitUntil([&] {
            found = test::inFront<PlotWidget>(*tabs());
            return found != nullptr && !found->chart().series.empty();
        });
        return found;
    }
    QUndoStack undo;
    const std::unique_ptr<RunView> page{newMappingView(&undo, nullptr)};
    RunView& view = *page;
};

TEST_F(Mapping, beginsWithTheBestAlgorithmAndItsSchedule) {
    open(test::handMadePortfolio());
    test::pictureOf(view);  // lays the line out
    EXPECT_EQ(MappingRun(view.run().result).algorithm(algorithm()), QStringLiteral("tessera"));
    EXPECT_EQ(gantt()->timeline().tracks.size(), 3U);
    EXPECT_TRUE(gantt()->timeline().usage);
    const QString text = visibleText(view);
    for (const char* part : {"throughput", "makespan", "optimality gap", "samples"})
        EXPECT_TRUE(text.contains(QLatin1String(part))) << part << " in\n" << text.toStdString();
    savePicture(view, QStringLiteral("mapping-schedule-small"));
}

TEST_F(Mapping, choosingAJobTellsTheInspectorAndMarksItEverywhere) {
    open(test::handMadePortfolio());
    QSignalSpy spy(&view, &RunView::inspected);
    emit gantt()->eventSelected(0);
    ASSERT_FALSE(spy.isEmpty());
    const auto facts = spy.last().at(0).value<Facts>();
    EXPECT_EQ(facts.title, QStringLiteral("conv1<a>"));
    EXPECT_EQ(facts.sections.size(), 3);
    EXPECT_EQ(job(), 0);
    tabs()->openTab(QStringLiteral("schedule"));
    auto* table = test::inFront<TableView>(*tabs());
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->currentRow(), 0);
    table->setCurrentRow(4);
    EXPECT_EQ(job(), 4);
    EXPECT_EQ(spy.last().at(0).value<Facts>().title, QStringLiteral("mlp"));
}

TEST_F(Mapping, anotherAlgorithmChangesHeadlineScheduleAndTables) {
    open(test::handMadePortfolio());
    const double best = gantt()->timeline().length;
    for (auto* button : view.findChildren<QToolButton*>())
        if (button->text() == QStringLiteral("random")) button->click();
    EXPECT_EQ(algorithm(), 2);
    EXPECT_TRUE(waitUntil([&] { return gantt()->timeline().length > best; }));
    tabs()->openTab(QStringLiteral("algorithms"));
    auto* table = test::inFront<TableView>(*tabs());
    EXPECT_EQ(table->currentRow(), 2);
    table->setCurrentRow(1);
    EXPECT_EQ(algorithm(), 1);
}

TEST_F(Mapping, everyTabFillsAndItsTablesAreSound) {
    open(test::handMadePortfolio());
    for (const char* tab : {"convergence", "algorithms", "cores", "required-bandwidth", "search-space"}) {
        PlotWidget* const its = plot(tab);
        ASSERT_NE(its, nullptr) << tab;
        EXPECT_GT(test::coloursIn(test::pictureOf(*its)), 10) << tab;
    }
    for (const char* tab : {"schedule", "sweeps", "bounds", "job-table", "inputs", "assumptions"})
        tabs()->openTab(QLatin1String(tab));
    int rows = 0;
    for (auto* table : view.findChildren<QTableView*>()) {
        QAbstractItemModelTester tester(table->model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
        rows += table->model()->rowCount();
    }
    EXPECT_GE(rows, 3 + 6 + 3 + 2);  // algorithms, jobs, cores, inputs
    for (const LazyTabs* row : {tabs()->pictures(), tabs()->details()})
        for (int tab = 0; tab < row->count(); ++tab)
            EXPECT_FALSE(row->tabText(tab) == QStringLiteral("Pareto front") && row->isTabVisible(tab));
    EXPECT_TRUE(visibleText(view).contains(QStringLiteral("Jobs do not depend on each other.")));
}

TEST_F(Mapping, theViewIsRememberedAndWrongOnesAreIgnored) {
    open(test::handMadePortfolio());
    view.select(QStringLiteral("algorithm"), 1);
    view.select(QStringLiteral("job"), 3);
    tabs()->openTab(QStringLiteral("cores"));
    const QJsonObject saved = view.saveView();
    RunDocument document(QStringLiteral("run/3"));
    document.restoreView(saved);
    RunState state;
    state.run = 3;
    state.status = store::RunStatus::done;
    state.result = finishedRun(test::handMadePortfolio()).result;
    document.setState(state);
    auto* other = document.findChild<RunView*>();
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(other->selected(QStringLiteral("algorithm")), 1);
    EXPECT_EQ(other->selected(QStringLiteral("job")), 3);
    EXPECT_EQ(other->pages()->tab(), QStringLiteral("cores"));
    other->restoreView({{QStringLiteral("algorithm"), 7}, {QStringLiteral("job"), 1e9}});
    EXPECT_EQ(other->selected(QStringLiteral("algorithm")), 1);
    EXPECT_EQ(document.findChild<HeatMapView*>(), nullptr) << "it is of another engine";
    for (QAction* action : document.documentActions()) EXPECT_TRUE(action->isEnabled());
}

TEST_F(Mapping, oneDocumentShowsRunsOfEitherEngine) {
    RunDocument document(QStringLiteral("run/3"));
    RunState state;
    state.run = 3;
    state.status = store::RunStatus::done;
    state.result = std::make_shared<const study::Result>(test::handMadeResult());
    document.setState(state);
    const auto hasPicture = [&](const char* id) {
        return document.findChild<RunView*>()->pages()->pictures()->has(QLatin1String(id));
    };
    EXPECT_TRUE(hasPicture("types"));
    state.result = finishedRun(test::handMadePortfolio()).result;
    document.setState(state);
    EXPECT_FALSE(hasPicture("types"));
    EXPECT_TRUE(hasPicture("schedule"));
}

TEST_F(Mapping, exportsEveryPictureTableAndDocument) {
    open(test::handMadePortfolio());
    int pictures = 0;
    int documents = 0;
    for (const Exportable& what : view.exportables()) {
        if (what.svg) {
            EXPECT_NE(what.svg(report::Theme(report::ThemeKind::light)).find("<svg"), std::string::npos);
            ++pictures;
        }
        if (what.csv) {
            EXPECT_FALSE(what.csv().empty()) << what.name.toStdString();
        }
        if (what.json) {
            EXPECT_EQ(what.json().find('{'), 0U);
            ++documents;
        }
    }
    EXPECT_GE(pictures, 7);
    EXPECT_EQ(documents, 3);  // trace, mapping, result
    EXPECT_NE(view.resultExport().json().find("tessera.mapping-result/1"), std::string::npos);
    EXPECT_NE(view.traceExport().json().find("traceEvents"), std::string::npos);
}

TEST_F(Mapping, aTieIsSaid) {
    study::Result result = test::handMadePortfolio();
    auto& runs = result.outcome.get<study::MappingOutcome>().result.runs;
    runs[0].optimal = runs[1].optimal = true;
    open(std::move(result));
    EXPECT_TRUE(visibleText(view).contains(QStringLiteral("2 of 3 algorithms reach the bound (load)")));
}

TEST_F(Mapping, aSweepRunsInTheBackgroundAndCanBeCancelled) {
    SweepView sweeps;
    sweeps.resize(1000, 480);
    const MappingRun run(std::make_shared<const study::Result>(test::mappedTable()));
    sweeps.setRun(run, {}, 0);
    sweeps.choose(study::SweepKind::groupSize);
    EXPECT_TRUE(visibleText(sweeps).contains(QStringLiteral("cannot be resampled")));
    sweeps.choose(study::SweepKind::bandwidth);
    sweeps.solve();
    EXPECT_TRUE(sweeps.isWorking());
    sweeps.cancel();
    EXPECT_FALSE(sweeps.isWorking());
    EXPECT_EQ(sweeps.sweep(), nullptr);
    sweeps.solve();
    ASSERT_TRUE(waitUntil([&] { return sweeps.sweep() != nullptr; }, 60000));
    ASSERT_EQ(sweeps.sweep()->points.size(), 7U);
    for (const study::SweepPoint& point : sweeps.sweep()->points)
        for (const study::SweepRun& each : point.runs) EXPECT_GE(each.makespan, point.bound * (1 - 1e-9));
    EXPECT_EQ(sweeps.exportables().size(), 2) << "the picture and its table";
    // Points of a workbench, with a line for each algorithm.
    sweeps.show();
    const std::size_t algorithms = sweeps.sweep()->points.front().runs.size();
    const PointSelection& points = sweeps.bench()->selection();
    ASSERT_EQ(points.size(), 7 * algorithms);
    const report::Chart& chart = sweeps.bench()->plot()->chart();
    EXPECT_TRUE(chart.title.ends_with("by bandwidth")) << chart.title;
    const auto lines = std::count_if(chart.series.begin(), chart.series.end(),
                                     [](const report::Series& series) { return series.mark == report::Mark::line; });
    EXPECT_EQ(lines, static_cast<std::ptrdiff_t>(algorithms) + 1) << "and the bound";
    const std::size_t makespan = report::columnNamed(points.table(), "makespan_cycles").value();
    const double middle = sweeps.sweep()->points[3].runs[0].makespan;
    sweeps.bench()->selection().setRange(makespan, PointSelection::Range{0, middle});
    EXPECT_GT(points.shownCount(), 0U);
    EXPECT_LT(points.shownCount(), points.size());
    sweeps.resize(1240, 480);
    EXPECT_TRUE(sweeps.bench()->isVisible());
    EXPECT_TRUE(sweeps.bench()->list()->isVisible()) << "the table stands beside the pictures where there is room";
    EXPECT_FALSE(sweeps.bench()->list()->points().empty());
    savePicture(sweeps, QStringLiteral("mapping-sweep"));
}

/// Every tab of a real run, in light and dark, for a person to look at.
TEST_F(Mapping, pictures) {
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        theme().apply(mode);
        const QString suffix = theme().isDark() ? QStringLiteral("-dark") : QStringLiteral("-light");
        QUndoStack stack;
        const std::unique_ptr<RunView> owned(newMappingView(&stack, nullptr));
        RunView& its = *owned;
        its.resize(1280, 800);
        its.setProperty("ground", "surface");
        its.showRun({.result = std::make_shared<const study::Result>(test::mappedTable()),
                     .curves = nullptr,
                     .history = {},
                     .kept = 0});
        RunPages* pages = its.pages();
        auto* lanes = its.findChild<GanttView*>();
        ASSERT_TRUE(waitUntil([&] { return !lanes->timeline().events.empty(); }));
        its.show();
        for (const char* tab : {"schedule", "convergence", "algorithms", "cores", "required-bandwidth", "search-space",
                                "sweeps", "assumptions"}) {
            pages->openTab(QLatin1String(tab));
            const auto charts = pages->pictures()->currentWidget()->findChildren<PlotWidget*>();
            for (const PlotWidget* chart : charts) {
                const bool isFilled = QLatin1String(tab) != QLatin1String("sweeps");
                if (!chart->isVisible() || !isFilled) continue;
                EXPECT_TRUE(waitUntil([&] { return !chart->chart().series.empty(); })) << tab;
            }
            waitUntil([] { return false; }, 30);
            const QImage picture = savePicture(its, QStringLiteral("mapping-") + QLatin1String(tab) + suffix);
            EXPECT_GT(test::coloursIn(picture), 20) << tab;
        }
    }
    theme().apply(ThemeMode::light);
}

TEST(MappingLive, theRaceIsShownWhileItRuns) {
    RunDocument document(QStringLiteral("job/1"));
    document.resize(1100, 680);
    RunState state;
    state.job = 1;
    state.study = test::tableStudy({"tessera", "magma", "random"});
    state.status = store::RunStatus::running;
    state.task = QStringLiteral("magma");
    state.done = 4000;
    state.total = 6000;
    state.rate = 512000;
    state.best = QStringLiteral("1,902,345 cycles");
    state.left = QStringLiteral("about 1 s left");
    auto curves = std::make_shared<std::vector<Curve>>();
    curves->push_back({{.role = CurveRole::bound}, {{0, 1.89e6}}});
    const auto& outcome = test::mappedTable().outcome.get<study::MappingOutcome>();
    for (const mapping::Run& run : outcome.result.runs) {
        Curve best{{.owner = run.algorithm, .role = CurveRole::best}, {}};
        Curve mean{{.owner = run.algorithm, .role = CurveRole::mean}, {}};
        for (const mapping::ConvergencePoint& point : run.convergence) {
            best.points.emplace_back(static_cast<double>(point.samples), point.best);
            mean.points.emplace_back(static_cast<double>(point.samples), point.mean);
        }
        curves->push_back(best);
        curves->push_back(mean);
    }
    state.curves = curves;
    document.setState(state);
    auto* convergence = document.findChild<ConvergenceView*>();
    ASSERT_NE(convergence, nullptr);
    const PlotWidget* plot = convergence->plot();
    EXPECT_EQ(plot->chart().id, "optimality-gap") << "how far it still is comes first";
    EXPECT_EQ(plot->chart().series.size(), 3U);
    // Beside it the algorithms in their order.
    document.show();
    ASSERT_TRUE(waitUntil([&] { return convergence->board()->isVisible(); }));
    const QAbstractItemModel* board = convergence->board()->table()->view()->model();
    ASSERT_EQ(board->rowCount(), 3);
    EXPECT_EQ(board->index(0, 0).data().toString(), "tessera");
    for (const auto& [width, height, mode, name] :
         {std::tuple(1030, 700, ThemeMode::light, "1280"), std::tuple(1190, 800, ThemeMode::dark, "1440"),
          std::tuple(1670, 980, ThemeMode::light, "1920")}) {
        theme().apply(mode);
        document.resize(width, height);
        waitUntil([] { return false; }, 100);
        const QTableView& table = *convergence->board()->table()->view();
        EXPECT_EQ(table.horizontalScrollBar()->maximum(), 0) << "every number is in sight, " << name;
        EXPECT_EQ(table.verticalScrollBar()->maximum(), 0) << name;
        EXPECT_LT(table.height(), 6 * table.rowHeight(0)) << "no empty rows, " << name;
        savePicture(document, QStringLiteral("race-live-") + QLatin1String(name));
    }
    document.resize(800, 600);
    EXPECT_TRUE(waitUntil([&] { return !convergence->board()->isVisible(); })) << "the picture needs the room";
    theme().apply(ThemeMode::light);
    document.resize(1100, 680);
    for (auto* button : convergence->findChildren<QToolButton*>())
        if (button->text() == QStringLiteral("Value")) button->click();
    EXPECT_EQ(plot->chart().id, "convergence");
    EXPECT_EQ(plot->chart().series.size(), 4U);  // three algorithms and the bound; means are for those who ask
    EXPECT_EQ(plot->chart().y.title, "Makespan (cycles)");
    // What the user looks at stays in front.
    state.curves = std::make_shared<std::vector<Curve>>(*curves);
    document.setState(state);
    EXPECT_EQ(plot->chart().id, "convergence");
    savePicture(document, QStringLiteral("mapping-race-live"));
}

}  // namespace
}  // namespace tessera::ui
