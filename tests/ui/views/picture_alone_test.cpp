#include "ui/views/picture_alone.h"

#include <gtest/gtest.h>

#include <QSettings>
#include <QSplitter>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "tests/support/codesign_result.h"
#include "tests/support/pages.h"
#include "tests/support/partition_result.h"
#include "tests/support/pictures.h"
#include "tests/support/portfolio_result.h"
#include "tests/support/prediction_result.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/plot/heat_map_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/run_document.h"

namespace tessera::ui {
namespace {

using test::waitUntil;

RunState aloneState(study::Result result) {
    RunState state;
    state.run = 3;
    state.status = store::RunStatus::done;
    state.result = std::make_shared<const study::Result>(std::move(result));
    return state;
}

class PictureAlone : public testing::Test {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override { QSettings().clear(); }
    static void settle(int milliseconds = 60) {
        waitUntil([] { return false; }, milliseconds);
    }
    /// Where on a picture there is nothing to choose.
    static QPoint ground(const QWidget& picture) { return {picture.width() - 3, picture.height() - 3}; }
};

/// By key and by mouse, and back each way.
void expectShownAlone(QWidget& picture, const QWidget& page, const std::string& what) {
    const QWidget* place = picture.parentWidget();
    const QSize before = picture.size();
    const auto expectBack = [&](const char* how) {
        EXPECT_FALSE(isAlone(picture)) << what << ", " << how;
        waitUntil([&] { return picture.size() == before; }, 500);
        EXPECT_EQ(picture.size(), before) << what << ", " << how;
        EXPECT_EQ(picture.parentWidget(), place) << what << ", " << how;
        EXPECT_TRUE(picture.isVisible()) << what << ", " << how;
    };
    const auto expectAlone = [&](const char* how) {
        ASSERT_TRUE(isAlone(picture)) << what << ", " << how;
        waitUntil([] { return false; }, 30);
        EXPECT_TRUE(picture.isVisible()) << what << ", " << how;
        EXPECT_GE(picture.width(), page.width() * 95 / 100) << what << ", " << how;
        EXPECT_GE(picture.height(), page.height() * 85 / 100) << what << ", " << how;
    };
    QTest::keyClick(&picture, Qt::Key_F);
    ASSERT_NO_FATAL_FAILURE(expectAlone("F"));
    QTest::keyClick(&picture, Qt::Key_F);
    expectBack("F");
    QTest::mouseDClick(&picture, Qt::LeftButton, {}, {picture.width() - 3, picture.height() - 3});
    ASSERT_NO_FATAL_FAILURE(expectAlone("double-click"));
    QTest::mouseDClick(&picture, Qt::LeftButton, {}, {picture.width() - 3, picture.height() - 3});
    expectBack("double-click");
    toggleAlone(picture);
    ASSERT_NO_FATAL_FAILURE(expectAlone("action"));
    QTest::keyClick(&picture, Qt::Key_Escape);
    expectBack("Escape");
}

TEST_F(PictureAlone, everyPictureOfEveryEngine) {
    for (study::Result result :
         {test::handMadeResult(), test::handMadePortfolio(), test::wholeCodesign(), test::wholePrediction()}) {
        const std::string engine = result.study.engine;
        RunDocument document(QStringLiteral("run/3"));
        document.resize(1000, 700);
        document.setState(aloneState(std::move(result)));
        document.show();
        document.activateWindow();
        ASSERT_TRUE(waitUntil([&] { return document.isActiveWindow(); }));
        const auto* pages = document.findChild<RunPages*>();
        int looked = 0;
        for (int tab = 0; tab < pages->pictures()->count(); ++tab) {
            if (!pages->pictures()->isTabVisible(tab)) continue;
            pages->pictures()->setCurrentIndex(tab);
            settle();
            QWidget* picture = pictureOn(document);
            if (pages->tab() == QLatin1String("sweeps") || pages->tab() == QLatin1String("scaling")) continue;
            ASSERT_NE(picture, nullptr) << engine << ", " << pages->tab().toStdString();
            if (pages->tab() == QLatin1String("placement")) {  // as tall as it needs, in a scroll area
                toggleAlone(*picture);
                EXPECT_TRUE(isAlone(*picture));
                toggleAlone(*picture);
                EXPECT_FALSE(isAlone(*picture));
            } else {
                expectShownAlone(*picture, document, engine + ", " + pages->tab().toStdString());
            }
            ++looked;
        }
        EXPECT_GE(looked, 4) << engine;
    }
}

TEST_F(PictureAlone, aClickOnACellStillChoosesAndItsMenuWaitsForNoSecondClick) {
    QWidget page;
    auto* column = new QVBoxLayout(&page);
    auto* map = new HeatMapView;
    column->addWidget(map);
    report::HeatMap cells;
    cells.rows = {"0", "1"};
    cells.columns = {"a", "b"};
    cells.categories = {{"I", "I", "#2F6FDE"}};
    cells.cells = {0, 0, 0, 0};
    map->setHeatMap(cells);
    page.resize(500, 400);
    page.show();
    settle();
    int activated = 0;
    QObject::connect(map, &HeatMapView::cellActivated, [&] { ++activated; });
    const QPoint cell = map->cellRect(1, 1).center();
    QTest::mouseClick(map, Qt::LeftButton, {}, cell);
    QTest::mouseDClick(map, Qt::LeftButton, {}, cell);
    EXPECT_TRUE(isAlone(*map));
    settle(QApplication::doubleClickInterval() + 100);
    EXPECT_EQ(activated, 0) << "the menu of the cell would cover the picture";
    toggleAlone(*map);
    QTest::mouseClick(map, Qt::LeftButton, {}, map->cellRect(1, 1).center());
    EXPECT_TRUE(waitUntil([&] { return activated == 1; }));
}

TEST_F(PictureAlone, onePictureOfSeveralIsTheOneThatIsMeant) {
    QWidget page;
    page.resize(600, 500);
    auto* column = new QVBoxLayout(&page);
    auto* parts = new QSplitter(Qt::Vertical);
    column->addWidget(parts);
    auto* small = new PlotWidget;
    auto* large = new GanttView;
    parts->addWidget(small);
    parts->addWidget(large);
    parts->setSizes({150, 330});
    EXPECT_EQ(pictureOn(page), nullptr) << "nothing is seen yet";
    page.show();
    page.activateWindow();
    ASSERT_TRUE(waitUntil([&] { return page.isActiveWindow(); }));
    page.setFocus();
    small->clearFocus();
    large->clearFocus();
    EXPECT_EQ(pictureOn(page), large);
    small->setFocus();
    EXPECT_EQ(pictureOn(page), small);
    const QList<int> sizes = parts->sizes();
    toggleAlone(*large);
    EXPECT_EQ(pictureOn(page), large) << "what is alone goes back first";
    toggleAlone(*large);
    EXPECT_EQ(parts->widget(1), large);
    EXPECT_EQ(parts->sizes(), sizes);
    PlotWidget window;
    window.show();
    toggleAlone(window);
    EXPECT_FALSE(isAlone(window)) << "it already is";
}

TEST_F(PictureAlone, whatHidesItsPlaceEndsIt) {
    RunDocument document(QStringLiteral("run/3"));
    document.resize(1000, 700);
    document.setState(aloneState(test::handMadePortfolio()));
    document.show();
    settle();
    auto* pages = document.findChild<RunPages*>();
    auto* schedule = document.findChild<GanttView*>();
    toggleAlone(*schedule);
    document.hide();
    document.show();
    settle();
    EXPECT_TRUE(isAlone(*schedule)) << "the page only was behind another one";
    pages->openTab(QStringLiteral("convergence"));
    EXPECT_TRUE(waitUntil([&] { return !isAlone(*schedule); }));
    pages->openTab(QStringLiteral("schedule"));
    settle();
    EXPECT_TRUE(schedule->isVisible());
    toggleAlone(*schedule);
    document.setState(aloneState(test::handMadeResult()));  // another view takes its place
    settle();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_EQ(document.findChild<GanttView*>(), nullptr);
    ASSERT_TRUE(waitUntil([&] { return pictureOn(document) != nullptr; }));
    toggleAlone(*pictureOn(document));  // and the document goes while a picture is alone
}

}  // namespace
}  // namespace tessera::ui
