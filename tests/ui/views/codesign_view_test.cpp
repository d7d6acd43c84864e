#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QJsonObject>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/codesign/search/search.h"
#include "tests/support/codesign_result.h"
#include "tests/support/pages.h"
#include "tests/support/pictures.h"
#include "tests/support/shown.h"
#include "tests/support/turns.h"
#include "ui/models/codesign_facts.h"
#include "ui/models/codesign_tables.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/drawing_view.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/plot/parallel_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/table_view.h"
#include "ui/views/workbench/parallel_pane.h"
#include "ui/views/workbench/point_list.h"
#include "ui/views/workbench/workbench.h"

namespace tessera::ui {
namespace {

using test::savePicture;
using test::visibleText;
using test::waitUntil;

FinishedRun finished(codesign::Result found = test::handMadeCodesign()) {
    return test::finishedRun(test::wholeCodesign(std::move(found)));
}

class CodesignViewTest : public testing::Test {
protected:
    void SetUp() override {
        view.resize(1180, 760);
        view.showRun(finished());
        view.show();  // two pictures have room
        test::openDrawer(*view.pages());
    }
    Workbench& bench() { return *view.findChild<Workbench*>(); }
    /// Rows of the table of architectures.
    int listed() { return bench().list()->table()->view()->model()->rowCount(); }
    void press(const char* button) {
        for (auto* each : bench().findChildren<QToolButton*>())
            if (each->text() == QLatin1String(button)) each->click();
    }
    template <typename View>
    View* shown(const char* tab) {
        view.pages()->openTab(QLatin1String(tab));
        return test::inFront<View>(*view.pages());
    }
    /// Of the chart in front: where a series stands.
    static int seriesOf(const PlotWidget& plot, const std::string& id) {
        const auto& all = plot.chart().series;
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.id == id; });
        return found == all.end() ? -1 : static_cast<int>(found - all.begin());
    }
    CodesignRun run() { return CodesignRun(view.run().result); }
    int selected(const char* what) { return view.selected(QLatin1String(what)); }
    QUndoStack undo;
    const std::unique_ptr<RunView> page{newCodesignView(&undo, nullptr)};
    RunView& view = *page;
};

TEST_F(CodesignViewTest, beginsWithTheBestAndItsHeadline) {
    EXPECT_EQ(run().architecture(selected("architecture")), QStringLiteral("2tc-64vc-256x256-16MiB"));
    test::pictureOf(view);  // lays the line out
    const QString text = visibleText(view);
    for (const char* part : {"1.41×", "over TPUv4", "proven optimal", "140 mm²", "50 % of the limit", "123,456"})
        EXPECT_TRUE(text.contains(QString::fromUtf8(part))) << part << " in\n" << text.toStdString();
    EXPECT_EQ(listed(), 12);
    EXPECT_EQ(run().row(selected("architecture")).best, true);
}

TEST_F(CodesignViewTest, tablesAreSound) {
    const auto choice = std::make_shared<CodesignChoice>();
    choice->run = CodesignRun(finished().result);
    choice->model = 1;
    QObject owner;
    for (TableModel* model : {placedModelTableModel(choice, &owner), stageTableModel(choice, &owner)}) {
        const QAbstractItemModelTester tester(model);
        model->setRowCount(2);
        model->setRowCount(1);
        for (int column = 0; column < model->columnCount(); ++column)
            EXPECT_FALSE(model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
    }
}

TEST_F(CodesignViewTest, aPointIsAskedAboutAndMarkedEverywhere) {
    QSignalSpy spy(&view, &RunView::inspected);
    PlotWidget* plot = bench().plot();
    const int knee = seriesOf(*plot, "knee");
    ASSERT_GE(knee, 0);
    emit plot->pointClicked(knee, 0);
    ASSERT_EQ(spy.count(), 1);
    const auto facts = spy.last().at(0).value<Facts>();
    EXPECT_EQ(facts.title, run().architecture(selected("architecture")));
    EXPECT_EQ(facts.subtitle, QStringLiteral("On the front"));
    ASSERT_EQ(facts.sections.size(), 3);
    const auto* table = bench().list()->table();
    EXPECT_EQ(table->currentRow(), selected("architecture"));  // nothing is brushed: the table's rows are the run's
    bench().list()->table()->setCurrentRow(0);
    EXPECT_EQ(selected("architecture"), 0);
    EXPECT_EQ(spy.last().at(0).value<Facts>().title, QStringLiteral("1tc-1vc-16x16-2MiB"));
}

TEST_F(CodesignViewTest, aPinnedArchitectureIsComparedWith) {
    view.select(QStringLiteral("architecture"), run().rowNamed(QStringLiteral("8tc-2vc-128x128-128MiB")));
    press("Pin as A");
    EXPECT_EQ(selected("pinned"), selected("architecture"));
    QSignalSpy spy(&view, &RunView::inspected);
    view.select(QStringLiteral("architecture"), run().bestRow());
    const auto facts = spy.last().at(0).value<Facts>();
    ASSERT_EQ(facts.sections.size(), 4);
    EXPECT_EQ(facts.sections[0].title, QStringLiteral("Against A, 8tc-2vc-128x128-128MiB"));
    EXPECT_EQ(facts.sections[0].rows[0].label, QStringLiteral("Area"));
    EXPECT_EQ(facts.sections[0].rows[0].value, QStringLiteral("0.502×, better"));
    EXPECT_EQ(facts.sections[0].rows[1].value, QStringLiteral("1.41×, better"));
    view.select(QStringLiteral("pinned"), -1);
    EXPECT_EQ(selected("pinned"), -1);
}

TEST_F(CodesignViewTest, anyTwoValuesAreDrawn) {
    const PlotWidget* plot = bench().plot();
    const CodesignRun its = run();
    for (const explore::PointColumn& x : its.points()->columns)
        for (const explore::PointColumn& y : its.points()->columns) {
            bench().scatter()->setAxes(QString::fromStdString(x.id), QString::fromStdString(y.id));
            EXPECT_EQ(plot->chart().id, "scatter-" + x.id + "-" + y.id);
            EXPECT_FALSE(plot->chart().series.empty());
        }
    bench().scatter()->setAxes(QStringLiteral("nothing"), QStringLiteral("mfu"));
    EXPECT_EQ(bench().scatter()->xAxis(), QString::fromStdString(its.points()->columns.back().id));
    EXPECT_EQ(bench().scatter()->yAxis(), QStringLiteral("mfu"));
}

TEST_F(CodesignViewTest, aBrushDimsTheScatterAndShortensTheTable) {
    ParallelView* parallel = bench().parallel();
    parallel->resize(700, 260);
    ASSERT_EQ(parallel->picture().axes[1].axis.title, "Throughput over TPUv4");
    parallel->setBrush(1, 1.0, 2.0);  // of at least the reference's
    EXPECT_EQ(listed(), 6);
    std::size_t filtered = 0;
    for (const report::Series& series : bench().plot()->chart().series)
        if (series.id.starts_with("filtered-")) filtered += series.x.size();
    EXPECT_EQ(filtered, 6U);
    EXPECT_TRUE(visibleText(bench()).contains(QStringLiteral("6 of 12")));
    parallel->setBrush(0, 0, 1);  // no such area
    EXPECT_EQ(listed(), 0);
    press("Show all");
    EXPECT_EQ(listed(), 12);
    EXPECT_LT(seriesOf(*bench().plot(), "filtered-others"), 0);
}

TEST_F(CodesignViewTest, whatIsExcludedComesBackByUndo) {
    bench().parallel()->setBrush(1, 1.0, 2.0);
    press("Exclude");
    EXPECT_EQ(listed(), 6);
    EXPECT_TRUE(visibleText(bench()).contains(QStringLiteral("6 of 12")));
    EXPECT_EQ(undo.undoText(), QStringLiteral("Exclude 6 points"));
    undo.undo();
    EXPECT_EQ(listed(), 6) << "brushed again";
    EXPECT_TRUE(bench().parallel()->isBrushed());
    press("Show all");
    EXPECT_EQ(listed(), 12);
}

TEST_F(CodesignViewTest, whyTheChosenOneIsSaid) {
    const QString text = bench().whySentences().join(QLatin1Char('\n'));
    EXPECT_TRUE(text.contains(QStringLiteral("2tc-64vc-256x256-16MiB is what the search chose.")))
        << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("The knee is"))) << text.toStdString();
    view.pages()->details()->openTab(QStringLiteral("why"));
    view.select(QStringLiteral("architecture"), 0);
    EXPECT_TRUE(visibleText(*view.pages()->details()->currentWidget()).contains(QStringLiteral("1tc-1vc-16x16-2MiB")))
        << "follows the choice: " << visibleText(*view.pages()->details()->currentWidget()).toStdString();
}

TEST_F(CodesignViewTest, otherFrontsAreLaidOver) {
    bench().setExtras([this](std::size_t x, std::size_t y) {
        const CodesignRun its = run();
        return report::codesignExtras(its.result(), *its.points(), x, y,
                                      {{.name = "Run 7", .points = its.result().front}});
    });
    const int other = seriesOf(*bench().plot(), "other-0");
    ASSERT_GE(other, 0);
    emit bench().plot()->pointClicked(other, 0);  // not an architecture of this run
    EXPECT_EQ(selected("architecture"), run().bestRow());
}

TEST_F(CodesignViewTest, anotherModelChangesPlacementAndSchedules) {
    auto* placement = shown<DrawingView>("placement");
    EXPECT_NE(placement->drawing().title.find("bert-large: 1 stage × 1,024 replicas"), std::string::npos);
    view.select(QStringLiteral("model"), 1);
    EXPECT_NE(placement->drawing().title.find("4 stages × 64 replicas"), std::string::npos);
    EXPECT_EQ(test::inFront<TableView>(*view.pages())->view()->model()->rowCount(), 4);
    auto* pipeline = shown<GanttView>("pipeline");
    ASSERT_TRUE(waitUntil([&] { return pipeline->timeline().tracks.size() == 4; }));
    EXPECT_EQ(pipeline->timeline().events.size(), 4U * 2 * 32 + 2);
    auto* operators = shown<GanttView>("operators");
    ASSERT_TRUE(waitUntil([&] { return !operators->timeline().events.empty(); }));
    EXPECT_TRUE(visibleText(*view.pages()->pictures()->currentWidget())
                    .contains(QStringLiteral("Branches that run side by side")));
    for (auto* button : view.pages()->pictures()->currentWidget()->findChildren<QToolButton*>())
        if (button->text() == QStringLiteral("Backward pass")) button->click();
    EXPECT_TRUE(waitUntil([&] { return operators->timeline().title.find("backward pass") != std::string::npos; }));
}

TEST_F(CodesignViewTest, theModelsTableChoosesAModel) {
    auto* table = shown<TableView>("speedup");
    ASSERT_EQ(table->view()->model()->rowCount(), 2);
    QSignalSpy spy(&view, &RunView::inspected);
    table->setCurrentRow(1);
    EXPECT_EQ(selected("model"), 1);
    EXPECT_EQ(spy.last().at(0).value<Facts>().title, QStringLiteral("megatron-gpt-8.3b"));
}

TEST_F(CodesignViewTest, stepsOfTheRunBeforeAreUndoneWhereAnotherOneIsShown) {
    bench().parallel()->setBrush(1, 1.0, 2.0);
    press("Keep");
    PointSelection& points = bench().selection();
    ASSERT_TRUE(points.isReduced());
    view.pages()->openTab(QStringLiteral("exploration"));
    view.pages()->details()->openTab(QStringLiteral("models"));
    const PointSelection::Table before = points.shared();
    view.showRun(finished());
    ASSERT_EQ(points.shared(), before) << "filled with the new one once it is looked at";
    const int best = selected("architecture");
    undo.undo();
    EXPECT_FALSE(points.isReduced());
    points.choose(0);
    EXPECT_EQ(selected("architecture"), best);
    view.pages()->openTab(QStringLiteral("architectures"));
    EXPECT_NE(points.shared(), before);
    EXPECT_EQ(points.chosen(), best);
}

TEST_F(CodesignViewTest, aViewIsSavedAndRestored) {
    bench().scatter()->setAxes(QStringLiteral("hbm"), QStringLiteral("mfu"));
    view.select(QStringLiteral("architecture"), 3);
    view.select(QStringLiteral("pinned"), 2);
    view.select(QStringLiteral("model"), 1);
    view.pages()->openTab(QStringLiteral("exploration"));
    const QJsonObject saved = view.saveView();
    const std::unique_ptr<RunView> owned(newCodesignView(&undo, nullptr));
    RunView& other = *owned;
    other.showRun(finished());
    other.restoreView(saved);
    EXPECT_EQ(other.selected(QStringLiteral("architecture")), 3);
    EXPECT_EQ(other.selected(QStringLiteral("pinned")), 2);
    EXPECT_EQ(other.selected(QStringLiteral("model")), 1);
    EXPECT_EQ(other.pages()->tab(), QStringLiteral("exploration"));
    EXPECT_EQ(other.findChild<Workbench*>()->scatter()->yAxis(), QStringLiteral("mfu"));
    other.restoreView({{QStringLiteral("architecture"), 7}, {QStringLiteral("model"), 99}});
    EXPECT_EQ(other.selected(QStringLiteral("architecture")), 3);
    // Also where its points were not looked at yet.
    const std::unique_ptr<RunView> late(newCodesignView(&undo, nullptr));
    late->pages()->restoreView({{QStringLiteral("tab"), QStringLiteral("pipeline")}});
    late->showRun(finished());
    EXPECT_EQ(late->findChild<Workbench*>(), nullptr);
    late->restoreView(saved);
    ASSERT_NE(late->findChild<Workbench*>(), nullptr);
    EXPECT_EQ(late->findChild<Workbench*>()->scatter()->yAxis(), QStringLiteral("mfu"));
}

TEST_F(CodesignViewTest, everythingIsExported) {
    const QVector<Exportable> all = view.exportables();
    EXPECT_EQ(all.size(), 25);
    for (const Exportable& each : all) {
        EXPECT_FALSE(each.name.isEmpty());
        if (each.svg) {
            EXPECT_NE(each.svg(report::Theme(report::ThemeKind::light)).find("<svg"), std::string::npos)
                << each.name.toStdString();
        }
        if (each.csv) {
            EXPECT_GT(each.csv().size(), 20U) << each.name.toStdString();
        }
    }
    EXPECT_NE(view.traceExport().json().find("traceEvents"), std::string::npos);
}

TEST_F(CodesignViewTest, whatFitsNowhereIsSaid) {
    codesign::Result result = test::handMadeCodesign();
    result.best.reset();
    result.front.clear();
    result.evaluated.clear();
    result.baselines.clear();
    for (codesign::ModelResult& model : result.perModel) {
        model = {};
        model.model = "zoo:gpt3";
        model.reason = "stage 1 needs 90 GB";
    }
    view.showRun(finished(result));
    test::pictureOf(view);
    EXPECT_TRUE(visibleText(view).contains(QStringLiteral("No accelerator of the template runs every model")));
    EXPECT_EQ(selected("architecture"), -1);
    for (const char* tab : {"exploration", "speedup", "placement", "pipeline", "operators", "parts", "assumptions"})
        view.pages()->openTab(QLatin1String(tab));
    auto* placement = shown<DrawingView>("placement");
    EXPECT_NE(placement->drawing().title.find("stage 1 needs 90 GB"), std::string::npos);
    EXPECT_FALSE(view.exportables().isEmpty());
}

/// A search that kept as many architectures as it may.
TEST_F(CodesignViewTest, manyArchitecturesDoNotHoldTheWindow) {
    codesign::Result result = test::handMadeCodesign();
    const std::vector<hardware::Architecture> all = hardware::architectures(result.space);
    for (std::size_t i = 0; i < 2000; ++i) {
        codesign::Point point = result.front[i % 9];
        point.architecture = all[i * 40];
        point.area = SquareMillimetres{1 + static_cast<double>(i % 270)};
        point.objective = 0.001 * static_cast<double>(i % 977);
        result.evaluated.push_back(point);
    }
    view.show();
    waitUntil([] { return false; }, 100);
    test::TurnMeter meter;
    const auto expectShort = [&](const char* what, const std::function<void()>& work) {
        meter.take();
        meter.run(work);
        waitUntil([] { return false; }, 200);
        EXPECT_LT(meter.take(), test::kLongestTurn) << what;
    };
    const FinishedRun many = finished(result);
    expectShort("show", [&] { view.showRun(many); });
    expectShort("brush", [&] { bench().parallel()->setBrush(1, 0.2, 0.6); });
    expectShort("choose", [&] { view.select(QStringLiteral("architecture"), 100); });
    EXPECT_GT(listed(), 100);
    savePicture(view, QStringLiteral("codesign-many"));
}

/// Every tab in light and dark, for a person to look at.
TEST_F(CodesignViewTest, pictures) {
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        theme().apply(mode);
        const QString suffix = theme().isDark() ? QStringLiteral("-dark") : QStringLiteral("-light");
        const std::unique_ptr<RunView> owned(newCodesignView(&undo, nullptr));
        RunView& its = *owned;
        its.resize(1280, 800);
        its.setProperty("ground", "surface");
        its.showRun(finished());
        its.select(QStringLiteral("model"), 1);
        its.show();
        for (const char* tab : {"architectures", "exploration", "speedup", "placement", "pipeline", "operators",
                                "parts", "assumptions"}) {
            its.pages()->openTab(QLatin1String(tab));
            for (const auto* gantt : its.pages()->pictures()->currentWidget()->findChildren<GanttView*>()) {
                EXPECT_TRUE(waitUntil([&] { return !gantt->timeline().events.empty(); })) << tab;
            }
            for (const auto* plot : its.pages()->pictures()->currentWidget()->findChildren<PlotWidget*>()) {
                if (!plot->isVisible()) continue;  // what is not looked at is not drawn
                EXPECT_TRUE(waitUntil([&] { return !plot->chart().series.empty(); })) << tab;
            }
            waitUntil([] { return false; }, 50);
            const QImage picture = savePicture(its, QStringLiteral("codesign-") + QLatin1String(tab) + suffix);
            EXPECT_GT(test::coloursIn(picture), 20) << tab;
        }
    }
    theme().apply(ThemeMode::light);
    view.resize(760, 640);
    view.show();
    waitUntil([] { return false; }, 50);
    savePicture(view, QStringLiteral("codesign-narrow"));
}

}  // namespace
}  // namespace tessera::ui
