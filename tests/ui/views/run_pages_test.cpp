#include "ui/views/runs/run_pages.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QJsonArray>
#include <QSettings>
#include <QTabBar>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/support/pages.h"
#include "tests/support/pictures.h"
#include "tests/support/portfolio_result.h"
#include "tests/support/shown.h"
#include "ui/views/headline_bar.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/side_by_side.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
namespace {

using test::waitUntil;

/// A run's page of a size.
struct FoldingPage {
    explicit FoldingPage(QSize size = {1000, 600}) {
        view.resize(size);
        view.showRun(test::finishedRun(test::handMadePortfolio()));
        view.show();
        waitUntil([] { return false; }, 50);
    }
    RunPages& pages() { return *view.findChild<RunPages*>(); }
    /// Whether a table of details can be read.
    bool seesTable() { return view.findChild<TableView*>() != nullptr && view.findChild<TableView*>()->isVisible(); }
    QUndoStack undo;
    const std::unique_ptr<RunView> page{newMappingView(&undo, nullptr)};
    RunView& view = *page;
};

class RunPagesTest : public testing::Test {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override { QSettings().clear(); }
};

TEST_F(RunPagesTest, theDrawerIsOpenWhereThePictureLeavesRoomAndFoldsAway) {
    FoldingPage low;
    EXPECT_FALSE(low.pages().isOpen());
    EXPECT_FALSE(low.seesTable()) << "nothing is made for a drawer that nobody sees";
    FoldingPage high(QSize(1000, 900));
    EXPECT_TRUE(high.pages().isOpen());
    EXPECT_TRUE(high.seesTable());
    EXPECT_GE(high.pages().pictures()->currentWidget()->height(), 540);
    high.pages().foldAction()->trigger();
    EXPECT_FALSE(high.pages().isOpen());
    EXPECT_EQ(high.pages().details()->height(), high.pages().details()->tabBar()->height());
    EXPECT_GE(high.pages().pictures()->height(), 700);
    QTest::mouseClick(high.pages().details()->tabBar(), Qt::LeftButton, {},
                      high.pages().details()->tabBar()->tabRect(0).center());
    EXPECT_TRUE(high.pages().isOpen()) << "a click on details opens them";
    low.pages().details()->setCurrentIndex(1);
    EXPECT_TRUE(low.pages().isOpen()) << "who chooses details wants to see them";
    EXPECT_TRUE(low.seesTable());
}

TEST_F(RunPagesTest, theDrawerStaysAsSomebodyLeftIt) {
    FoldingPage first(QSize(1000, 800));
    first.pages().setOpen(true);
    QWidget* bar = first.pages().handle(1);
    QTest::mousePress(bar, Qt::LeftButton, {}, bar->rect().center());
    QTest::mouseMove(bar, bar->rect().center() - QPoint(0, 60));
    QTest::mouseRelease(bar, Qt::LeftButton, {}, bar->rect().center() - QPoint(0, 60));
    const int height = first.pages().details()->height();
    const QJsonObject saved = first.view.saveView();
    FoldingPage next(QSize(1000, 800));
    EXPECT_EQ(next.pages().details()->height(), height) << "a new page begins so, by the settings";
    next.pages().setOpen(false);
    FoldingPage folded(QSize(1000, 1000));
    EXPECT_FALSE(folded.pages().isOpen());
    QSettings().clear();
    FoldingPage restored(QSize(1000, 800));
    restored.view.restoreView(saved);
    EXPECT_TRUE(restored.pages().isOpen());
    EXPECT_EQ(restored.pages().details()->height(), height);
    restored.view.resize(1000, 500);
    waitUntil([] { return false; }, 50);
    restored.view.resize(1000, 800);
    waitUntil([] { return false; }, 50);
    EXPECT_EQ(restored.pages().details()->height(), height) << "also after it had no room for a while";
}

TEST_F(RunPagesTest, viewsOfVersionsWithOneRowOfTabsAreRestoredAndWrongOnesIgnored) {
    FoldingPage page;
    page.view.restoreView({{"tab", "cores"}});
    EXPECT_EQ(page.pages().tab(), "cores");
    EXPECT_EQ(page.pages().details()->tab(), "cores") << "details follow their picture";
    EXPECT_FALSE(page.pages().isOpen());
    page.view.restoreView({{"tab", "bounds"}});
    EXPECT_EQ(page.pages().tab(), "cores") << "bounds have no picture";
    EXPECT_EQ(page.pages().details()->tab(), "bounds");
    EXPECT_TRUE(page.pages().isOpen());
    const QJsonObject before = page.pages().saveView();
    page.view.restoreView({{"tab", 4}, {"details", QJsonArray{1}}, {"drawer", "no"}});
    page.view.restoreView({{"tab", "nothing"}, {"drawer", QJsonObject{{"open", 3}, {"height", -1e300}}}});
    page.view.restoreView({{"drawer", QJsonObject{{"height", "tall"}}}});
    EXPECT_EQ(page.pages().saveView(), before);
}

TEST_F(RunPagesTest, headlinesStandInOneLineAndSayFirstHowSureTheyAre) {
    FoldingPage page(QSize(1000, 600));
    auto* line = page.view.findChild<HeadlineBar*>();
    EXPECT_LE(line->height(), 40);
    QWidget around;
    around.resize(2000, 100);
    HeadlineBar bar(&around);
    bar.setHeadlines({{.value = "16.9 ms", .label = "makespan", .detail = "optimality gap ≤ 3.5 %", .tone = "warning"},
                      {.value = "51.4 mJ", .label = "energy", .detail = "of the whole schedule"},
                      {.value = "10,000", .label = "samples", .detail = "best after 8,000"}});
    bar.resize(2000, 34);
    around.show();
    EXPECT_TRUE(test::visibleText(bar).contains("best after"));
    bar.resize(bar.sizeHint().width() - 100, 34);
    EXPECT_FALSE(test::visibleText(bar).contains("best after"));
    EXPECT_TRUE(test::visibleText(bar).contains("10,000"));
    bar.resize(420, 34);
    EXPECT_FALSE(test::visibleText(bar).contains("10,000"));
    EXPECT_TRUE(test::visibleText(bar).contains("optimality gap"));
    bar.resize(150, 34);
    EXPECT_TRUE(test::visibleText(bar).contains("16.9 ms"));
}

TEST_F(RunPagesTest, whatStandsSideBySideIsATabWhereItIsNarrow) {
    auto* left = new QWidget;
    auto* right = new QWidget;
    SideBySide sides({left, "Left"}, {right, "Right"});
    sides.resize(SideBySide::kRoomForTwo, 300);
    sides.show();
    EXPECT_TRUE(left->isVisible() && right->isVisible());
    EXPECT_FALSE(test::visibleText(sides).contains("Left"));
    sides.resize(SideBySide::kRoomForTwo - 1, 300);
    waitUntil([] { return false; }, 30);
    EXPECT_TRUE(left->isVisible());
    EXPECT_FALSE(right->isVisible());
    for (auto* button : sides.findChildren<QToolButton*>())
        if (button->text() == "Right") button->click();
    EXPECT_TRUE(right->isVisible());
    EXPECT_FALSE(left->isVisible());
    EXPECT_FALSE(sides.isLeftShown());
}

}  // namespace
}  // namespace tessera::ui
