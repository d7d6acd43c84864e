#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/support/pages.h"
#include "tests/support/pictures.h"
#include "tests/support/plan_result.h"
#include "tests/support/shown.h"
#include "tests/support/turns.h"
#include "ui/theme/theme.h"
#include "ui/views/headline_bar.h"
#include "ui/views/message_bar.h"
#include "ui/views/plot/chart_pane.h"
#include "ui/views/plot/drawing_view.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/plot/parallel_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/plan_question.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/table_view.h"
#include "ui/views/workbench/workbench.h"

namespace tessera::ui {
namespace {

using test::visibleText;
using test::waitUntil;

struct PlanPage {
    explicit PlanPage(const study::Result& result, QSize size = {1280, 760}) {
        view->resize(size);
        view->showRun(test::finishedRun(result));
        view->show();
        waitUntil([] { return false; }, 50);
    }
    template <typename Picture>
    Picture* picture(const char* id) {
        view->pages()->openTab(QLatin1String(id));
        Picture* found = nullptr;
        EXPECT_TRUE(waitUntil([&] {
            QWidget* page = view->pages()->pictures()->currentWidget();
            found = page == nullptr ? nullptr : page->findChild<Picture*>();
            return found != nullptr;
        })) << id;
        return found;
    }
    PlotWidget* plot(const char* id) {
        auto* its = picture<PlotWidget>(id);
        // Of several, what is not looked at is not drawn.
        for (auto* each : view->pages()->pictures()->currentWidget()->findChildren<PlotWidget*>())
            if (each->isVisible() && !its->isVisible()) its = each;
        EXPECT_TRUE(waitUntil([&] { return !its->chart().id.empty(); })) << id;
        return its;
    }
    QString chosen() const { return view->saveView().value(QLatin1String("configuration")).toString(); }
    const study::PlanOutcome& outcome() const { return view->run().result->outcome.get<study::PlanOutcome>(); }
    QUndoStack undo;
    std::unique_ptr<RunView> view{newPlanView(&undo, nullptr)};
};

class PlanViewTest : public testing::Test {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override { QSettings().clear(); }
};

TEST_F(PlanViewTest, isThePageOfPlans) {
    const RunViewRow* row = runViewOf(test::smallPlan());
    ASSERT_NE(row, nullptr);
    QUndoStack undo;
    const std::unique_ptr<RunView> made(row->make(&undo, nullptr));
    EXPECT_EQ(made->metaObject()->className(), PlanPage(test::smallPlan()).view->metaObject()->className());
}

TEST_F(PlanViewTest, beginsWithTheBestAndItsProof) {
    PlanPage page(test::smallPlan(), {1900, 900});
    const QString said = visibleText(*page.view->findChild<HeadlineBar*>());
    for (const char* part : {"per step", "tokens/s", "MFU", "proven best", "to train"})
        EXPECT_TRUE(said.contains(QLatin1String(part))) << part << " in " << said.toStdString();
    EXPECT_FALSE(said.contains("samples/s"));
    EXPECT_EQ(page.chosen(), "1");
}

TEST_F(PlanViewTest, oneChoiceMovesEverything) {
    PlanPage page(test::smallPlan());
    QSignalSpy inspected(page.view.get(), &RunView::inspected);
    auto* cluster = page.picture<DrawingView>("cluster");
    const std::string before = report::toSvg(cluster->drawing(), report::Theme(report::ThemeKind::light));
    page.view->select("configuration", 4);
    EXPECT_EQ(page.chosen(), "5");
    EXPECT_NE(report::toSvg(cluster->drawing(), report::Theme(report::ThemeKind::light)), before);
    ASSERT_EQ(inspected.count(), 1);
    EXPECT_EQ(inspected[0][0].value<Facts>().subtitle, "Configuration 5 of 20");
    EXPECT_TRUE(visibleText(*page.view).contains("against the best"));
    const std::size_t stages = page.outcome().configurations[4].stages.size();
    EXPECT_EQ(page.plot("memory")->chart().x.categories.size(), stages);
    auto* pipeline = page.picture<GanttView>("pipeline");
    EXPECT_TRUE(waitUntil([&] { return pipeline->timeline().tracks.size() == stages; }));
    EXPECT_EQ(page.view->exportables().front().title.contains("5"), true);
    page.view->select("configuration", 99);
    EXPECT_EQ(page.chosen(), "5");
}

TEST_F(PlanViewTest, barsAndRowsLeadToTheirConfiguration) {
    PlanPage page(test::smallPlan());
    auto* bars = page.plot("step-time");
    emit bars->pointClicked(0, 2);
    EXPECT_EQ(page.chosen(), "3");
    test::openDrawer(*page.view->pages());
    page.view->pages()->details()->openTab("configurations");
    auto* table = page.view->pages()->details()->currentWidget()->findChild<TableView*>();
    ASSERT_NE(table, nullptr);
    ASSERT_EQ(table->view()->model()->rowCount(), 20);
    const QAbstractItemModelTester tester(table->view()->model());
    table->setCurrentRow(6);
    EXPECT_EQ(page.chosen(), "7");
}

TEST_F(PlanViewTest, anyConfigurationIsWrittenForFrameworks) {
    PlanPage page(test::smallPlan());
    QSignalSpy inspected(page.view.get(), &RunView::inspected);
    const auto degreesOf = [&](int rank) {
        page.view->select("configuration", rank);
        const plan::Configuration& its = page.outcome().configurations[static_cast<std::size_t>(rank)].configuration;
        std::string file;
        for (const Exportable& each : page.view->exportables())
            if (each.id == "megatron-lm" && each.file) file = each.file();
        EXPECT_NE(file.find("--pipeline-model-parallel-size " + std::to_string(its.pipeline)), std::string::npos)
            << rank << ": " << file;
        EXPECT_NE(file.find("--tensor-model-parallel-size " + std::to_string(its.tensor)), std::string::npos)
            << rank << ": " << file;
        const auto facts = inspected.back()[0].value<Facts>();
        EXPECT_TRUE(std::any_of(facts.actions.begin(), facts.actions.end(), [](const Facts::Action& action) {
            return action.title == QStringLiteral("Write for Megatron-LM (.sh)…");
        })) << rank;
        return file;
    };
    EXPECT_NE(degreesOf(1), degreesOf(6));
}

TEST_F(PlanViewTest, whatEachAcceleratorDoesStandsBesideWhatOthersMeasured) {
    PlanPage page(test::measuredPlan());
    const report::Chart& chart = page.plot("scaling")->chart();
    EXPECT_TRUE(std::any_of(chart.series.begin(), chart.series.end(),
                            [](const report::Series& series) { return series.id == "measured"; }));
    test::openDrawer(*page.view->pages());
    EXPECT_EQ(page.view->pages()->details()->tab(), "measured");
    TableView* table = nullptr;
    ASSERT_TRUE(waitUntil([&] {
        table = page.view->pages()->details()->currentWidget()->findChild<TableView*>();
        return table != nullptr;
    }));
    EXPECT_EQ(table->view()->model()->rowCount(), static_cast<int>(page.outcome().measured.size()) + 1);
    // The line of published runs is none of the configurations.
    emit page.plot("step-time")->pointClicked(0, static_cast<int>(page.outcome().configurations.size()));
    EXPECT_EQ(page.chosen(), "1");
    PlanPage alone(test::smallPlan());
    alone.plot("scaling");
    test::openDrawer(*alone.view->pages());
    EXPECT_EQ(alone.view->pages()->details()->tab(), "scaling");
}

TEST_F(PlanViewTest, beginsWithMoneyWhereThatIsLeast) {
    PlanPage page(test::planned("zoo:llama2-7b", "h100-h200-mixed", 256,
                                {{"objective", "price"}, {"tokens", 1e12}, {"fix", "tp=1,pp=4"}}));
    const QString said = visibleText(*page.view->findChild<HeadlineBar*>());
    EXPECT_LT(said.indexOf('$'), said.indexOf("per step")) << said.toStdString();
    EXPECT_GE(said.indexOf('$'), 0) << said.toStdString();
    EXPECT_TRUE(said.contains("to train"));
}

TEST_F(PlanViewTest, theClusterIsColouredByMemoryOrTime) {
    PlanPage page(test::smallPlan());
    auto* cluster = page.picture<DrawingView>("cluster");
    const std::string memory = report::toSvg(cluster->drawing(), report::Theme(report::ThemeKind::light));
    for (auto* button : page.view->findChildren<QToolButton*>())
        if (button->text() == "By time") button->click();
    EXPECT_NE(report::toSvg(cluster->drawing(), report::Theme(report::ThemeKind::light)), memory);
    EXPECT_EQ(page.view->saveView().value("colour").toString(), "time");
}

TEST_F(PlanViewTest, theFrontIsOfAnyTwoValuesAndIsBrushed) {
    PlanPage page(test::smallPlan(), {1500, 900});
    auto* bench = page.picture<Workbench>("front");
    ASSERT_TRUE(waitUntil([&] { return !bench->plot()->chart().series.empty(); }));
    EXPECT_EQ(bench->scatter()->xAxis(), "accelerators");
    EXPECT_EQ(bench->scatter()->yAxis(), "time");
    bench->scatter()->setAxes("energy", "memory");
    EXPECT_EQ(bench->plot()->chart().x.title, "Energy of a step");
    bench->scatter()->setAxes("nothing", "");
    EXPECT_EQ(bench->scatter()->xAxis(), "energy");
    ASSERT_GE(bench->parallel()->picture().axes.size(), 4U);
    EXPECT_EQ(bench->parallel()->picture().axes[0].axis.title, "Step time");
    bench->parallel()->setBrush(0, 0, page.outcome().best()->scores.of(plan::Objective::time) * 1.001);
    EXPECT_EQ(bench->plot()->chart().series.front().id.substr(0, 9), "filtered-");
    EXPECT_TRUE(visibleText(*bench).contains(
        QStringLiteral("%1 of %2").arg(bench->selection().shownCount()).arg(bench->selection().size())));
    emit bench->parallel()->rowClicked(3);
    EXPECT_EQ(page.chosen(), "4");
}

TEST_F(PlanViewTest, whatIsShownIsPlannedAgain) {
    PlanPage page(test::smallPlan());
    auto* bench = page.picture<Workbench>("front");
    const std::size_t tensor = report::columnNamed(bench->selection().table(), "tensor_parallel").value();
    const double best = page.outcome().best()->configuration.tensor;
    QToolButton* plan = nullptr;
    for (auto* each : bench->findChildren<QToolButton*>())
        if (each->text() == "Plan these") plan = each;
    ASSERT_NE(plan, nullptr);
    EXPECT_FALSE(plan->isEnabled()) << "all are shown";
    bench->selection().setRange(tensor, PointSelection::Range{best, best});
    ASSERT_TRUE(plan->isEnabled());
    QSignalSpy requested(page.view.get(), &RunView::runRequested);
    plan->click();
    ASSERT_EQ(requested.count(), 1);
    const QString study = requested[0][0].toString();
    EXPECT_TRUE(study.contains("tp=" + QString::number(best))) << study.toStdString();
}

TEST_F(PlanViewTest, whyNotIsAnswered) {
    PlanPage page(test::smallPlan());
    auto* question = page.picture<PlanQuestion>("question");
    const auto answerTo = [&](const QString& configuration) {
        question->findChild<QLineEdit*>()->setText(configuration);
        question->findChild<QPushButton*>()->click();
        EXPECT_TRUE(question->answer().isEmpty());
        EXPECT_TRUE(waitUntil([&] { return !question->answer().isEmpty(); }, 30'000)) << configuration.toStdString();
        return question->answer();
    };
    EXPECT_TRUE(answerTo("tp=8,pp=16,mb=1").contains("more than the best"));
    EXPECT_EQ(question->chart()->plot()->chart().x.categories.size(), 2U);
    EXPECT_TRUE(answerTo("tp=7").contains("does not divide 64 heads"));
    EXPECT_TRUE(answerTo("tp=1,pp=1,zero=0,recompute=none").contains("lacks"));
    EXPECT_FALSE(question->chart()->plot()->chart().series.empty());
    EXPECT_TRUE(answerTo("nonsense").contains("'nonsense'"));
    // The latest question counts.
    question->ask("tp=7");
    question->ask("pp=200");
    EXPECT_TRUE(waitUntil([&] { return !question->answer().isEmpty(); }, 30'000));
    EXPECT_TRUE(question->answer().contains("layers")) << question->answer().toStdString();
}

TEST_F(PlanViewTest, aPointOfTheFrontOutsideOfTheListCanBeAskedAbout) {
    PlanPage page(test::smallPlan());
    QSignalSpy inspected(page.view.get(), &RunView::inspected);
    auto* bench = page.picture<Workbench>("front");
    const auto outside = static_cast<int>(page.outcome().configurations.size());
    ASSERT_GT(bench->selection().size(), page.outcome().configurations.size());
    bench->selection().choose(outside);
    const QString configuration =
        QString::fromStdString(bench->selection().table().names[page.outcome().configurations.size()]);
    ASSERT_EQ(inspected.count(), 1);
    const auto facts = inspected[0][0].value<Facts>();
    ASSERT_EQ(facts.actions.size(), 1);
    facts.actions.front().run();
    auto* question = page.view->findChild<PlanQuestion*>();
    ASSERT_NE(question, nullptr);
    EXPECT_EQ(question->question(), configuration);
    EXPECT_TRUE(waitUntil([&] { return !question->answer().isEmpty(); }, 30'000));
}

TEST_F(PlanViewTest, whatTheStudyAsksIsThereAtOnce) {
    PlanPage page(test::planned("zoo:llama2-7b", "dgx-h100x8", 64, {{"evaluate", "tp=8,mb=1"}}));
    EXPECT_EQ(page.picture<PlanQuestion>("question")->question(), "tp=8,mb=1");
    EXPECT_FALSE(page.picture<PlanQuestion>("question")->answer().isEmpty());
}

TEST_F(PlanViewTest, whereNothingFitsItSaysWhatIsMissing) {
    PlanPage page(test::emptyPlan());
    EXPECT_TRUE(visibleText(*page.view->findChild<HeadlineBar*>()).contains("Nothing fits"));
    EXPECT_TRUE(visibleText(*page.view).contains("lacks"));
    EXPECT_EQ(page.view->pages()->tab(), "configurations");
    EXPECT_FALSE(page.plot("configurations")->chart().series.empty());
    auto* question = page.picture<PlanQuestion>("question");
    question->ask("tp=8");
    EXPECT_TRUE(waitUntil([&] { return !question->answer().isEmpty(); }, 30'000));
}

TEST_F(PlanViewTest, stepsOfTheRunBeforeAreUndoneWhereAnotherOneIsShown) {
    PlanPage page(test::smallPlan());
    auto* bench = page.picture<Workbench>("front");
    PointSelection& points = bench->selection();
    ASSERT_TRUE(waitUntil([&] { return !bench->plot()->chart().series.empty(); }));
    const std::size_t time = report::columnNamed(points.table(), "time").value();
    points.setRange(time, PointSelection::Range{0, points.table().columns[time].values[5]});
    points.keep();
    ASSERT_TRUE(points.isReduced());
    page.view->pages()->openTab("cluster");
    const PointSelection::Table before = points.shared();
    page.view->showRun(test::finishedRun(test::smallPlan()));
    page.undo.undo();
    EXPECT_FALSE(points.isReduced());
    EXPECT_EQ(points.shared(), before) << "filled with the new one once it is looked at";
    points.choose(static_cast<int>(points.size()) - 1);
    EXPECT_EQ(page.chosen(), "1") << "no configuration of the new one";
    page.picture<Workbench>("front");
    EXPECT_NE(points.shared(), before);
    EXPECT_EQ(points.chosen(), 0);
}

TEST_F(PlanViewTest, aViewIsSavedAndRestored) {
    QJsonObject saved;
    {
        PlanPage page(test::smallPlan());
        page.picture<Workbench>("front")->scatter()->setAxes("energy", "time");
        page.view->select("configuration", 2);
        page.view->select("colour", 1);
        saved = page.view->saveView();
    }
    PlanPage page(test::smallPlan());
    page.view->restoreView(saved);
    EXPECT_EQ(page.chosen(), "3");
    EXPECT_EQ(page.view->saveView().value("colour").toString(), "time");
    EXPECT_EQ(page.view->pages()->tab(), "front");
    EXPECT_EQ(page.view->findChild<Workbench*>()->scatter()->xAxis(), "energy");
    page.view->restoreView({{"configuration", "77"}, {"colour", 4}, {"question", 3}});
    EXPECT_EQ(page.chosen(), "3");
}

TEST_F(PlanViewTest, looksRightInBothThemes) {
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        theme().apply(mode);
        const QString suffix = mode == ThemeMode::light ? "light" : "dark";
        PlanPage page(test::smallPlan());
        page.picture<DrawingView>("cluster");
        EXPECT_GT(test::coloursIn(test::savePicture(*page.view, "plan-cluster-" + suffix)), 30);
        for (const char* id : {"step-time", "scaling", "memory", "front"}) {
            page.plot(id);
            waitUntil([] { return false; }, 100);
            EXPECT_GT(test::coloursIn(
                          test::savePicture(*page.view, QStringLiteral("plan-%1-%2").arg(QLatin1String(id), suffix))),
                      20);
        }
        page.picture<PlanQuestion>("question")->ask("tp=8,pp=16,mb=1");
        waitUntil([&] { return !page.picture<PlanQuestion>("question")->answer().isEmpty(); }, 30'000);
        EXPECT_GT(test::coloursIn(test::savePicture(*page.view, "plan-question-" + suffix)), 20);
    }
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui
