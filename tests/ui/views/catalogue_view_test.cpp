#include "ui/views/runs/catalogue_view.h"

#include <gtest/gtest.h>

#include <QJsonObject>
#include <QLabel>
#include <QSettings>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QUndoStack>
#include <nlohmann/json.hpp>

#include "core/study/metric.h"
#include "tests/support/codesign_result.h"
#include "tests/support/pages.h"
#include "tests/support/partition_result.h"
#include "tests/support/pictures.h"
#include "tests/support/portfolio_result.h"
#include "tests/support/prediction_result.h"
#include "tests/support/shown.h"
#include "ui/models/report_table.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/headline_bar.h"
#include "ui/views/picture_alone.h"
#include "ui/views/plot/drawing_view.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/plot/heat_map_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/catalogue_pane.h"
#include "ui/views/runs/run_pages.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
namespace {

using test::visibleText;
using test::waitUntil;

/// What an engine that has no page of its own looks like, here with results of those that have one.
struct Page {
    explicit Page(study::Result result, QSize size = {1280, 760}) {
        view.resize(size);
        view.showRun(test::finishedRun(std::move(result)));
        view.show();
        waitUntil([] { return false; }, 50);
    }
    RunPages& pages() { return *view.pages(); }
    QStringList tabs(const LazyTabs& of) {
        QStringList titles;
        for (int i = 0; i < of.count(); ++i)
            if (of.isTabVisible(i)) titles << of.tabText(i);
        return titles;
    }
    template <typename Picture>
    Picture* picture(const char* id) {
        pages().openTab(QLatin1String(id));
        Picture* found = nullptr;
        EXPECT_TRUE(waitUntil([&] {
            QWidget* page = pages().pictures()->currentWidget();
            found = page == nullptr ? nullptr : page->findChild<Picture*>();
            return found != nullptr && found->isVisible();
        })) << id;
        return found;
    }
    TableView* table(const char* id) {
        test::openDrawer(pages());
        pages().details()->openTab(QLatin1String(id));
        TableView* found = nullptr;
        EXPECT_TRUE(waitUntil([&] {
            found = pages().details()->currentWidget()->findChild<TableView*>();
            return found != nullptr && found->view()->model()->rowCount() > 0;
        })) << id;
        return found;
    }
    QUndoStack undo;
    CatalogueView view{&undo};
};

class CatalogueViewTest : public testing::Test {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override { QSettings().clear(); }
};

TEST_F(CatalogueViewTest, everyPictureAndTableOfTheCatalogueIsATab) {
    Page page(test::wholePrediction());
    EXPECT_EQ(page.tabs(*page.pages().pictures()),
              (QStringList{"Throughput", "Per dollar", "Cost to train", "Baseline predictors",
                           "Pairwise win probability", "Pairwise win probability per dollar", "Throughput by batch",
                           "Stages of a step", "Scaling", "Speed-up", "Memory by batch", "All levels", "Roofline"}));
    const QStringList details = page.tabs(*page.pages().details());
    for (const char* each :
         {"Predictions", "Ranking", "Memory of a device", "Operators", "Metrics", "Assumptions", "Inputs"})
        EXPECT_TRUE(details.contains(QLatin1String(each))) << each;
}

TEST_F(CatalogueViewTest, everyKindOfPictureIsShownByTheViewOfItsKind) {
    Page predicted(test::wholePrediction());
    EXPECT_FALSE(predicted.picture<PlotWidget>("throughput")->chart().series.empty());
    Page designed(test::wholeCodesign());
    EXPECT_FALSE(designed.picture<GanttView>("pipeline")->timeline().events.empty());
    EXPECT_FALSE(designed.picture<DrawingView>("placement")->drawing().shapes.empty());
    Page split(test::handMadeResult());
    EXPECT_FALSE(split.picture<HeatMapView>("types")->heatMap().cells.empty());
    Page race(test::handMadePortfolio());
    EXPECT_FALSE(race.picture<GanttView>("schedule")->timeline().events.empty());
    EXPECT_NE(race.view.traceExport().json, nullptr);
}

TEST_F(CatalogueViewTest, noPictureOrTableOfAnyEngineFailsToAppear) {
    for (study::Result (*make)() :
         {+[] { return test::wholePrediction(); }, +[] { return test::wholeCodesign(); },
          +[] { return test::handMadeResult(); }, +[] { return test::handMadePortfolio(); }}) {
        Page page(make());
        QSignalSpy troubles(&page.view, &RunView::messaged);
        test::openDrawer(page.pages());
        for (LazyTabs* tabs : {page.pages().pictures(), page.pages().details()})
            for (int i = 0; i < tabs->count(); ++i) {
                if (!tabs->isTabVisible(i)) continue;
                tabs->setCurrentIndex(i);
                EXPECT_TRUE(waitUntil([&] {
                    return !tabs->currentWidget()->findChildren<QWidget*>().isEmpty() &&
                           (tabs->currentWidget()->findChild<PictureView*>() != nullptr ||
                            tabs->currentWidget()->findChild<TableView*>() != nullptr ||
                            tabs->currentWidget()->findChild<QLabel*>() != nullptr);
                })) << tabs->tabText(i).toStdString();
            }
        EXPECT_EQ(troubles.count(), 0) << (troubles.isEmpty() ? "" : troubles[0][0].toString().toStdString());
    }
}

TEST_F(CatalogueViewTest, theHeadlineSaysWhatTheCommandSaysAndExplainsItsNumbers) {
    Page page(test::handMadePortfolio(), {2400, 760});
    const QString said = visibleText(*page.view.findChild<HeadlineBar*>()).simplified();
    for (const QString& part : QString::fromStdString(study::headline(test::handMadePortfolio())).split(" · "))
        EXPECT_TRUE(said.contains(part)) << part.toStdString() << " in " << said.toStdString();
    EXPECT_FALSE(page.view.findChild<HeadlineBar*>()->findChildren<QToolButton*>().isEmpty());
    TableView* numbers = page.table("metrics");
    EXPECT_EQ(numbers->view()->model()->rowCount(),
              static_cast<int>(study::metricsOf(test::handMadePortfolio()).size()));
}

TEST_F(CatalogueViewTest, aChoiceMovesEverythingThatIsOfOne) {
    Page page(test::wholePrediction());
    QSignalSpy inspected(&page.view, &RunView::inspected);
    EXPECT_EQ(page.view.choice(), "swift@8");
    TableView* operators = page.table("operators");
    const int rows = operators->view()->model()->rowCount();
    TableView* ranking = page.table("ranking");
    page.view.choose("cheap");
    EXPECT_EQ(page.view.choice(), "cheap");
    EXPECT_EQ(page.table("ranking"), ranking) << "what is of the whole stays as it is";
    EXPECT_EQ(page.table("operators")->view()->model()->rowCount(), rows);
    EXPECT_TRUE(page.view.exportables().front().title.contains("1 device"))
        << page.view.exportables().front().title.toStdString();
    page.view.choose("small");
    page.view.choose("nobody");
    EXPECT_EQ(page.view.choice(), "small");
}

TEST_F(CatalogueViewTest, aPointOfAPictureIsInspectedAndLeadsToItsChoice) {
    Page page(test::handMadePortfolio());
    QSignalSpy inspected(&page.view, &RunView::inspected);
    auto* chart = page.picture<PlotWidget>("algorithms");
    const QString before = page.view.choice();
    const auto& series = chart->chart().series;
    const auto& names = chart->chart().x.categories;
    int found = -1;
    for (std::size_t s = 0; s < series.size(); ++s)
        if (series[s].mark == report::Mark::bars && !series[s].x.empty() &&
            (series[s].id == "random" || (static_cast<std::size_t>(series[s].x[0]) < names.size() &&
                                          names[static_cast<std::size_t>(series[s].x[0])] == "random")))
            found = static_cast<int>(s);
    ASSERT_GE(found, 0);
    emit chart->pointClicked(found, 0);
    ASSERT_EQ(inspected.count(), 1);
    EXPECT_FALSE(inspected[0][0].value<Facts>().sections.front().rows.isEmpty());
    EXPECT_EQ(page.view.choice(), "random");
    EXPECT_NE(before, "random");
    auto* schedule = page.picture<GanttView>("schedule");
    emit schedule->eventSelected(0);
    EXPECT_EQ(inspected.last()[0].value<Facts>().title,
              QString::fromStdString(schedule->timeline().events.front().name));
}

TEST_F(CatalogueViewTest, thePictureHasMostOfThePageAndIsShownAlone) {
    for (const QSize size : {QSize(960, 620), QSize(1280, 760), QSize(1600, 1000)}) {
        Page page(test::wholePrediction(), size);
        auto* plot = page.picture<PlotWidget>("throughput");
        EXPECT_GE(plot->height(), size.height() * RunPages::kPictureShare) << size.width();
        EXPECT_LE(page.view.findChild<HeadlineBar*>()->height(), 40);
        EXPECT_EQ(pictureOn(page.view), plot);
    }
}

TEST_F(CatalogueViewTest, aViewIsSavedAndRestored) {
    QJsonObject saved;
    {
        Page page(test::wholePrediction());
        page.view.choose("cheap@8");
        page.pages().openTab("roofline");
        saved = page.view.saveView();
    }
    Page page(test::wholePrediction());
    page.view.restoreView(saved);
    EXPECT_EQ(page.view.choice(), "cheap@8");
    EXPECT_EQ(page.pages().tab(), "roofline");
    const QJsonObject before = page.view.saveView();
    page.view.restoreView({{"choice", 7}, {"tab", "none"}});
    page.view.restoreView({{"choice", "nobody"}});
    EXPECT_EQ(page.view.saveView(), before);
}

TEST_F(CatalogueViewTest, numbersOfTablesAreOrderedByWhatTheySay) {
    using columns::numberIn;
    EXPECT_EQ(numberIn("36.2 ms"), 0.0362);
    EXPECT_EQ(numberIn("≤ 7.6 %"), 7.6);
    EXPECT_EQ(numberIn("1,024"), 1024);
    EXPECT_EQ(numberIn("−13"), -13);
    EXPECT_EQ(numberIn("1.19×"), 1.19);
    EXPECT_EQ(numberIn("16 GB/s"), 16e9);
    EXPECT_FALSE(numberIn("–"));
    EXPECT_FALSE(numberIn("swift"));
    EXPECT_FALSE(numberIn(""));
}

TEST_F(CatalogueViewTest, looksRightInBothThemes) {
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        theme().apply(mode);
        const QString suffix = mode == ThemeMode::light ? "light" : "dark";
        Page predicted(test::wholePrediction());
        predicted.picture<PlotWidget>("throughput");
        EXPECT_GT(test::coloursIn(test::savePicture(predicted.view, "catalogue-predict-" + suffix)), 20);
        Page designed(test::wholeCodesign());
        designed.picture<DrawingView>("placement");
        EXPECT_GT(test::coloursIn(test::savePicture(designed.view, "catalogue-codesign-" + suffix)), 20);
        Page race(test::handMadePortfolio(), {1000, 620});
        race.picture<GanttView>("schedule");
        EXPECT_GT(test::coloursIn(test::savePicture(race.view, "catalogue-race-" + suffix)), 20);
        Page split(test::handMadeResult(), {1280, 900});
        split.picture<HeatMapView>("types");
        EXPECT_GT(test::coloursIn(test::savePicture(split.view, "catalogue-partition-" + suffix)), 20);
    }
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui
