#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/pictures.h"
#include "ui/theme/theme.h"
#include "ui/views/heat_map_view.h"

namespace tessera::ui {
namespace {

report::HeatMap mapOf(int rows, int columns) {
    report::HeatMap map;
    map.id = "types";
    map.title = "Type of every layer at every split, accpar";
    map.rowTitle = "Split";
    map.columnTitle = "Layers";
    for (int i = 0; i < rows; ++i) {
        map.rows.push_back(std::to_string(i + 1) + " · v2|v3");
        map.rowNotes.push_back("ratio 0.31");
    }
    for (int i = 0; i < columns; ++i) map.columns.push_back("layer" + std::to_string(i) + ".conv");
    map.categories = {{"I: batch split", "I", "#2F6FDE"},
                      {"II: input channels split", "II", "#E08A1E"},
                      {"III: output channels split", "III", "#1E9E77"}};
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
    EXPECT_EQ(view.accessibleDescription(), QStringLiteral("layer1.conv, Split 2 · v2|v3, I: batch split"));
    QTest::keyClick(&view, Qt::Key_Return);
    ASSERT_EQ(activated.size(), 1);
    EXPECT_EQ(activated[0][1].toInt(), 1);
}

TEST_F(HeatMap, clickActivatesTheCellUnderTheMouse) {
    view.setHeatMap(mapOf(8, 20));
    QSignalSpy activated(&view, &HeatMapView::cellActivated);
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.cellRect(4, 7).center());
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

TEST_F(HeatMap, veryManyCellsStayQuick) {
    view.setHeatMap(mapOf(10, 100000));
    QElapsedTimer clock;
    clock.start();
    test::savePicture(view, QStringLiteral("heat-map-many"));
    EXPECT_LT(clock.elapsed(), 2000);
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
