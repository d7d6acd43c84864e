#include <gtest/gtest.h>

#include <QJsonArray>
#include <QJsonObject>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/json.h"
#include "core/study/exploration/study.h"
#include "core/study/study.h"
#include "tests/support/pages.h"
#include "tests/support/partition_result.h"
#include "tests/support/pictures.h"
#include "tests/support/shown.h"
#include "tests/support/turns.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/parallel_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/table_view.h"
#include "ui/views/workbench/point_list.h"
#include "ui/views/workbench/workbench.h"

namespace tessera::ui {
namespace {

using namespace Qt::StringLiterals;
using test::visibleText;
using test::waitUntil;

/// Elements and dataflow of a small network's layers, against cycles and energy.
study::Study explorationStudy(const std::string& rest) {
    const std::string text =
        R"({"schema": "tessera.exploration/1", "name": "Small", "study": {"engine": "cost", "workloads": ["zoo:lenet5"],
            "parameters": {"pes": 256}},
            "variables": [{"parameter": "pes", "low": 64, "high": 1024, "scale": "log", "levels": 9},
                          {"parameter": "offchip_bandwidth", "low": 8, "high": 128}],
            "objectives": ["cycles", "energy_j"], )" +
        rest + "}";
    return study::readStudy(JsonDocument::parse(text, "x.json").root());
}

const study::Result& smallExploration() {
    static const study::Result kResult =
        study::run(explorationStudy(R"("method": "latin-hypercube", "points": 60, "seed": 4)"));
    return kResult;
}

class ExplorationViewTest : public testing::Test {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override { QSettings().clear(); }
    void open(const study::Result& result, QSize size = {1280, 800}) {
        view.reset(runViewOf(result)->make(&undo, nullptr));
        view->resize(size);
        view->showRun(test::finishedRun(result));
        view->show();
        waitUntil([] { return false; }, 50);
    }
    Workbench& bench() {
        view->pages()->openTab(u"points"_s);
        auto* its = view->findChild<Workbench*>();
        EXPECT_NE(its, nullptr);
        return *its;
    }
    QToolButton* button(const QString& text) {
        for (auto* each : view->findChildren<QToolButton*>())
            if (each->text() == text) return each;
        return nullptr;
    }
    QUndoStack undo;
    std::unique_ptr<RunView> view;
};

TEST_F(ExplorationViewTest, itsPointsAreOnTheWorkbenchWithTheChosenOne) {
    const study::Result& result = smallExploration();
    const auto& outcome = result.outcome.get<study::ExplorationOutcome>();
    open(result);
    PointSelection& points = bench().selection();
    EXPECT_GE(points.size(), 60U);
    ASSERT_TRUE(outcome.chosen);
    EXPECT_EQ(points.chosen(), static_cast<int>(*outcome.chosen));
    EXPECT_EQ(bench().pictures(), (QStringList{u"scatter"_s, u"parallel"_s, u"matrix"_s, u"surface"_s, u"importance"_s,
                                               u"progress"_s, u"hypervolume"_s}));
    EXPECT_TRUE(visibleText(*view).contains(u"of 60 points"_s)) << visibleText(*view).toStdString();
    QSignalSpy inspected(view.get(), &RunView::inspected);
    points.choose(3);
    EXPECT_EQ(view->selected(u"point"_s), 3);
    ASSERT_EQ(inspected.count(), 1);
    EXPECT_EQ(inspected.first().first().value<Facts>().title, u"Point 4"_s);
    view->select(u"point"_s, 7);
    EXPECT_EQ(points.chosen(), 7);
}

TEST_F(ExplorationViewTest, thePointOfTheStudyStaysChosenWhereAnotherPageIsOpened) {
    open(smallExploration());
    test::openDrawer(*view->pages());
    PointSelection& points = bench().selection();
    const auto& outcome = smallExploration().outcome.get<study::ExplorationOutcome>();
    ASSERT_GT(points.size(), outcome.points.size()) << "the study as it is stands after the points";
    points.choose(static_cast<int>(outcome.points.size()));
    view->pages()->details()->openTab(u"comparison"_s);
    EXPECT_EQ(points.chosen(), static_cast<int>(outcome.points.size()));
}

TEST_F(ExplorationViewTest, whatIsShownIsExploredAgain) {
    open(smallExploration());
    QToolButton* again = nullptr;
    PointSelection& points = bench().selection();
    again = button(u"Explore these"_s);
    ASSERT_NE(again, nullptr);
    EXPECT_FALSE(again->isEnabled()) << "all are shown";
    points.setRange(0, PointSelection::Range{100, 400});
    ASSERT_TRUE(again->isEnabled());
    QSignalSpy requested(view.get(), &RunView::runRequested);
    again->click();
    ASSERT_EQ(requested.count(), 1);
    const std::string text = requested.first().first().toString().toStdString();
    const study::Study study = study::readStudy(JsonDocument::parse(text, "x.json").root());
    EXPECT_EQ(study.engine, "explore");
    const Json& pes = study.parameters->at("variables").at(0);
    EXPECT_GE(pes.at("low").get<double>(), 100);
    EXPECT_LE(pes.at("high").get<double>(), 400);
    // A range of a result is a constraint, also once it has done its work.
    const std::size_t cycles = report::columnNamed(points.table(), "cycles").value();
    const std::vector<double>& values = points.table().columns[cycles].values;
    const double limit =
        (*std::min_element(values.begin(), values.end()) + *std::max_element(values.begin(), values.end())) / 2;
    points.setRange(cycles, PointSelection::Range{-std::numeric_limits<double>::infinity(), limit});
    points.keep();
    ASSERT_TRUE(points.ranges().empty());
    ASSERT_TRUE(again->isEnabled());
    again->click();
    ASSERT_EQ(requested.count(), 2);
    const std::string narrowed = requested.last().first().toString().toStdString();
    const study::Study second = study::readStudy(JsonDocument::parse(narrowed, "x.json").root());
    const Json& constraints = second.parameters->at("constraints");
    ASSERT_EQ(constraints.size(), 1U);
    EXPECT_EQ(constraints[0].at("metric"), "cycles");
    EXPECT_EQ(constraints[0].at("max"), limit);
    EXPECT_FALSE(constraints[0].contains("min"));
    // The same is exported.
    const QVector<Exportable> all = bench().exportables();
    const auto its = std::find_if(all.begin(), all.end(), [](const Exportable& each) { return bool(each.json); });
    ASSERT_NE(its, all.end());
    EXPECT_EQ(its->json(), narrowed);
}

TEST_F(ExplorationViewTest, aViewIsRestored) {
    open(smallExploration());
    bench().scatter()->setAxes(u"pes"_s, u"cycles"_s);
    bench().selection().setRange(0, PointSelection::Range{100, 400});
    const std::size_t shown = bench().selection().shownCount();
    view->select(u"point"_s, 5);
    const QJsonObject saved = view->saveView();
    open(smallExploration());
    view->restoreView(saved);
    EXPECT_EQ(bench().scatter()->xAxis(), u"pes"_s);
    EXPECT_EQ(bench().selection().shownCount(), shown);
    EXPECT_EQ(view->selected(u"point"_s), 5);
    view->restoreView({{u"points"_s, 7}, {u"point"_s, 1e9}});
    EXPECT_EQ(view->selected(u"point"_s), 5);
}

TEST_F(ExplorationViewTest, effectsHaveAPageWithTheirIntervals) {
    open(study::run(explorationStudy(R"("method": "morris", "points": 60, "seed": 2)")));
    view->pages()->openTab(u"effects"_s);
    PlotWidget* plot = nullptr;
    ASSERT_TRUE(waitUntil([&] {
        plot = view->pages()->pictures()->currentWidget()->findChild<PlotWidget*>();
        return plot != nullptr && !plot->chart().series.empty();
    }));
    const report::Series& bars = plot->chart().series.front();
    ASSERT_EQ(bars.low.size(), 2U);
    EXPECT_LE(bars.low[0], bars.y[0]);
    EXPECT_GE(bars.high[0], bars.y[0]);
    EXPECT_GT(bars.y[0], 0);
}

TEST_F(ExplorationViewTest, nothingFeasibleIsSaid) {
    open(study::run(explorationStudy(R"("method": "latin-hypercube", "points": 9, "constraints": ["cycles <= 1"])")));
    EXPECT_TRUE(visibleText(*view).contains(u"No point is a solution"_s)) << visibleText(*view).toStdString();
    view->pages()->openTab(u"reasons"_s);
    PlotWidget* plot = nullptr;
    ASSERT_TRUE(waitUntil([&] {
        plot = view->pages()->pictures()->currentWidget()->findChild<PlotWidget*>();
        return plot != nullptr && !plot->chart().series.empty();
    }));
    EXPECT_EQ(plot->chart().x.categories.front(), "solutions");
    EXPECT_EQ(plot->chart().series.front().y.front(), 0);
}

/// For a person to look at.
TEST_F(ExplorationViewTest, pictures) {
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        theme().apply(mode);
        const QString suffix = theme().isDark() ? u"-dark"_s : u"-light"_s;
        for (const QSize size : {QSize(1280, 800), QSize(1440, 900), QSize(1920, 1080)}) {
            open(smallExploration(), size - QSize(270, 130));  // less the library, menus and tabs
            bench().selection().setRange(0, PointSelection::Range{100, 700});
            test::openDrawer(*view->pages());
            waitUntil([] { return false; }, 150);
            EXPECT_GT(test::coloursIn(test::savePicture(*view, u"exploration-%1%2"_s.arg(size.width()).arg(suffix))),
                      30);
        }
        for (const char* tab : {"surface", "importance", "hypervolume"}) {
            bench().showPicture(QLatin1String(tab));
            waitUntil([] { return false; }, 1500);
            test::savePicture(*view, u"exploration-%1%2"_s.arg(QLatin1String(tab), suffix));
        }
    }
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui
