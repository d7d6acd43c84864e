#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "tests/support/gestures.h"
#include "tests/support/pictures.h"
#include "tests/support/work.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/heat_map_view.h"

namespace tessera::ui {
namespace {

report::HeatMap mapOf(int rows, int columns) {
    report::HeatMap map;
    map.id = "types";
    map.title = "Type of every layer at every level, accpar";
    map.rowTitle = "Level";
    map.rowNoteTitle = "ratio";
    map.columnTitle = "Layers";
    for (int i = 0; i < rows; ++i) {
        map.rows.push_back(std::to_string(i) + " · v2|v3");
        map.rowNotes.push_back("0.31");
    }
    for (int i = 0; i < columns; ++i) map.columns.push_back("layer" + std::to_string(i) + ".conv");
    map.categories = {{"I: batch", "I", "#2F6FDE"},
                      {"II: input channels", "II", "#E08A1E"},
                      {"III: output channels", "III", "#1E9E77"}};
    for (int i = 0; i < rows * columns; ++i) map.cells.push_back(static_cast<std::int16_t>(i / 3 % 7 % 3));
    return map;
}

class HeatMap : public testing::Test {
protected:
    void SetUp() override { view.resize(900, 360); }
    HeatMapView view;
};

TEST_F(HeatMap, cellsShowTheirCategory) {
    view.setHeatMap(mapOf(8, 20));
    view.setSelected(2, 3);
    view.setPinned({1, 5});
    const QImage picture = test::savePicture(view, QStringLiteral("heat-map"));
    const QRect cell = view.cellRect(0, 3);
    EXPECT_EQ(picture.pixelColor(cell.left() + 4, cell.top() + 4), QColor("#E08A1E"));
}

TEST_F(HeatMap, keyboardMovesTheCellAndSaysWhatItIs) {
    view.setHeatMap(mapOf(8, 20));
    QSignalSpy selected(&view, &HeatMapView::cellSelected);
    QSignalSpy activated(&view, &HeatMapView::cellActivated);
    QTest::keyClick(&view, Qt::Key_Right);
    QTest::keyClick(&view, Qt::Key_Right);
    QTest::keyClick(&view, Qt::Key_Down);
    EXPECT_EQ(selected.last(), (QVariantList{1, 1}));
    EXPECT_EQ(view.accessibleDescription(), QStringLiteral("layer1.conv, Level 1 · v2|v3, I: batch"));
    QTest::keyClick(&view, Qt::Key_Return);
    ASSERT_EQ(activated.size(), 1);
    EXPECT_EQ(activated[0][1].toInt(), 1);
}

TEST_F(HeatMap, clickActivatesTheCellUnderTheMouse) {
    view.setHeatMap(mapOf(8, 20));
    QSignalSpy activated(&view, &HeatMapView::cellActivated);
    QSignalSpy selected(&view, &HeatMapView::cellSelected);
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.cellRect(4, 7).center());
    EXPECT_EQ(selected.last(), (QVariantList{4, 7})) << "at once";
    ASSERT_TRUE(test::waitUntil([&] { return !activated.isEmpty(); })) << "once no second click can follow";
    ASSERT_EQ(activated.size(), 1);
    EXPECT_EQ(activated[0][0].toInt(), 4);
    EXPECT_EQ(activated[0][1].toInt(), 7);
}

TEST_F(HeatMap, zoomMakesCellsLargerAndHomeShowsEverything) {
    view.setHeatMap(mapOf(8, 300));
    const QRect whole = view.cellRect(0, 0);
    view.setSelected(0, 0);
    for (int i = 0; i < 8; ++i) QTest::keyClick(&view, Qt::Key_Plus);
    EXPECT_GT(view.cellRect(0, 0).width(), 2 * whole.width());
    QTest::keyClick(&view, Qt::Key_Home);
    EXPECT_EQ(view.cellRect(0, 0), whole);
}

TEST_F(HeatMap, wheelZoomsDragPansAndTheMenuShowsEverything) {
    view.setHeatMap(mapOf(8, 300));
    const QRect whole = view.cellRect(2, 150);
    const QPointF at = QRectF(whole).center();
    for (int i = 0; i < 8; ++i) test::wheel(view, at, 1);
    const QRect zoomed = view.cellRect(2, 150);
    EXPECT_GT(zoomed.width(), 3 * whole.width());
    EXPECT_TRUE(zoomed.adjusted(-2, 0, 2, 0).contains(at.toPoint())) << "what is under the cursor stays there";
    QTest::mousePress(&view, Qt::LeftButton, {}, at.toPoint());
    for (const double to : {60.0, 120.0}) {
        QMouseEvent move(QEvent::MouseMove, at + QPointF(to, 0), view.mapToGlobal(at + QPointF(to, 0)), Qt::NoButton,
                         Qt::LeftButton, {});
        QCoreApplication::sendEvent(&view, &move);
    }
    QTest::mouseRelease(&view, Qt::LeftButton, {}, at.toPoint() + QPoint(120, 0));
    EXPECT_NEAR(view.cellRect(2, 150).left() - zoomed.left(), 120, 2);
    QMenu* menu = test::contextMenu(view, {2, 2});
    ASSERT_NE(menu, nullptr);
    const QStringList texts = test::textsOf(*menu);
    for (const char* wanted : {"Show everything", "Copy as image", "PNG/2× size…", "SVG…", "PDF…", "CSV…"})
        EXPECT_TRUE(texts.contains(QString::fromUtf8(wanted))) << wanted;
    test::actionNamed(*menu, QStringLiteral("Show everything"))->trigger();
    EXPECT_EQ(view.cellRect(2, 150), whole);
    delete menu;
}

TEST_F(HeatMap, theContextMenuOfACellIsItsOwners) {
    view.setHeatMap(mapOf(8, 20));
    QSignalSpy activated(&view, &HeatMapView::cellActivated);
    EXPECT_EQ(test::contextMenu(view, view.cellRect(3, 4).center()), nullptr);
    ASSERT_EQ(activated.size(), 1);
    EXPECT_EQ(activated[0][0].toInt(), 3);
    EXPECT_EQ(activated[0][1].toInt(), 4);
}

TEST_F(HeatMap, rowsOfGroupsStandApartAndAreStillFound) {
    report::HeatMap map = mapOf(8, 20);
    for (int i = 0; i < 8; ++i) map.rowGroups.push_back(i < 3 ? "v2" : "v3");
    view.setHeatMap(map);
    EXPECT_GE(view.cellRect(3, 0).top() - view.cellRect(2, 0).bottom(), 3);
    QSignalSpy selected(&view, &HeatMapView::cellSelected);
    for (const int row : {0, 2, 3, 7}) {
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.cellRect(row, 5).center());
        EXPECT_EQ(selected.last()[0].toInt(), row);
    }
}

TEST_F(HeatMap, veryManyCellsStayQuick) {
    view.setHeatMap(mapOf(10, 100000));
    const double before = test::workMilliseconds();
    test::savePicture(view, QStringLiteral("heat-map-many"));
    EXPECT_LT(test::workMilliseconds() - before, 2000 * test::kSlowerBuild);
    QTest::keyClick(&view, Qt::Key_Right);
    EXPECT_TRUE(view.cellRect(9, 99999).isValid());
}

TEST_F(HeatMap, emptyAndDark) {
    theme().apply(ThemeMode::dark);
    view.setHeatMap(mapOf(8, 20));
    test::savePicture(view, QStringLiteral("heat-map-dark"));
    report::HeatMap none;
    none.title = "Types";
    none.empty = "Nothing is split: there is one accelerator.";
    view.setHeatMap(none);
    EXPECT_GT(test::coloursIn(test::savePicture(view, QStringLiteral("heat-map-empty"))), 2);
    EXPECT_TRUE(view.cellRect(0, 0).isNull());
    QTest::keyClick(&view, Qt::Key_Right);
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui
