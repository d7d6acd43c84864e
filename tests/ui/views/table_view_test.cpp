#include "ui/views/table_view.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "tests/support/pictures.h"
#include "tests/support/turns.h"
#include "tests/support/work.h"

namespace tessera::ui {
namespace {

class TableViewTest : public testing::Test {
protected:
    TableModel model{
        {{.title = QStringLiteral("layer"), .text = [](int row) { return QStringLiteral("cv%1").arg(row); }},
         {.title = QStringLiteral("time"),
          .text = [](int row) { return QStringLiteral("%1 ms").arg(10 - row); },
          .sort = [](int row) { return QVariant((10 - row) / 3.0); },
          .number = true,
          .summed = true,
          .sumText = [](double sum) { return QStringLiteral("sum %1").arg(sum, 0, 'f', 1); }}}};
    TableView table{&model, QStringLiteral("Layers")};
    QAbstractItemModelTester tester{table.view()->model(), QAbstractItemModelTester::FailureReportingMode::Fatal};

    void SetUp() override {
        table.resize(400, 300);
        table.show();
        model.setRowCount(4);
    }
};

TEST_F(TableViewTest, copiesSelectedRowsInFullPrecisionWithTitles) {
    table.view()->selectRow(1);
    QTest::keyClick(table.view(), Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QGuiApplication::clipboard()->text(), QStringLiteral("layer\ttime\ncv1\t3\n"));
    table.view()->selectAll();
    table.copySelection();
    EXPECT_EQ(QGuiApplication::clipboard()->text().split(QLatin1Char('\n'))[1],
              QStringLiteral("cv0\t3.3333333333333335"));
}

TEST(TableView, longNamesGiveWayToNumbers) {
    const QString name = QStringLiteral("/model/features/features.1/features.1.0/block/norm%1");
    QVector<TableModel::Column> columns{
        {.title = QStringLiteral("Operator"), .text = [name](int row) { return name.arg(row); }},
        {.title = QStringLiteral("Layer"), .text = [name](int row) { return name.arg(row); }}};
    for (int i = 0; i < 4; ++i)
        columns.append({.title = QStringLiteral("Number %1").arg(i),
                        .text = [](int row) { return QString::number(row * 1'000'000); },
                        .sort = [](int row) { return QVariant(row); },
                        .number = true,
                        .summed = true});
    TableModel model(columns);
    TableView table(&model, QStringLiteral("Operators"));
    table.resize(800, 300);
    table.show();
    model.setRowCount(4);
    QCoreApplication::processEvents();
    const QTableView& view = *table.view();
    EXPECT_EQ(view.textElideMode(), Qt::ElideMiddle) << "names differ at their ends";
    int sum = 0;
    for (int column = 0; column < model.columnCount(); ++column) sum += view.columnWidth(column);
    EXPECT_LE(sum, view.viewport()->width()) << "every number is in sight";
    EXPECT_GE(view.columnWidth(0), 100);
}

TEST_F(TableViewTest, sortsByTheValueAndKeepsTheCurrentRow) {
    table.setCurrentRow(0);
    table.view()->sortByColumn(1, Qt::AscendingOrder);
    EXPECT_EQ(table.currentRow(), 0);
    EXPECT_EQ(table.view()->currentIndex().row(), 3);
    EXPECT_EQ(table.selectedRows(), QVector<int>{0});
}

TEST_F(TableViewTest, csvHoldsWhatIsVisibleInItsOrder) {
    table.view()->sortByColumn(1, Qt::AscendingOrder);
    table.setFilterText(QStringLiteral("cv"));
    EXPECT_EQ(table.exportable().csv(),
              "layer,time\r\ncv3,2.3333333333333335\r\ncv2,2.6666666666666665\r\ncv1,3\r\ncv0,3.3333333333333335\r\n");
    table.view()->setColumnHidden(1, true);
    table.setFilterText(QStringLiteral("cv2"));
    EXPECT_EQ(table.exportable().csv(), "layer\r\ncv2\r\n");
    EXPECT_EQ(table.exportable().name, QStringLiteral("Layers"));
}

TEST_F(TableViewTest, tellsWhichRowIsCurrentAndActivated) {
    QSignalSpy current(&table, &TableView::currentRowChanged);
    QSignalSpy activated(&table, &TableView::rowActivated);
    table.setCurrentRow(2);
    ASSERT_EQ(current.size(), 1);
    EXPECT_EQ(current[0][0].toInt(), 2);
    QTest::keyClick(table.view(), Qt::Key_Return);
    ASSERT_EQ(activated.size(), 1);
    EXPECT_EQ(activated[0][0].toInt(), 2);
}

TEST_F(TableViewTest, aFilteredTableGivesItsRowBackWithItsSelection) {
    table.setCurrentRow(2);
    table.setFilterText(QStringLiteral("cv3"));
    EXPECT_EQ(table.view()->model()->rowCount(), 1);
    table.setFilterText({});
    EXPECT_EQ(table.currentRow(), 2);
}

TEST_F(TableViewTest, ctrlFShowsTheFilterAndEscapeClearsIt) {
    auto* filter = table.findChild<QLineEdit*>();
    ASSERT_NE(filter, nullptr);
    EXPECT_FALSE(filter->isVisible()) << "four rows need none";
    table.activateWindow();
    table.view()->setFocus();
    QTest::keyClick(table.view(), Qt::Key_F, Qt::ControlModifier);
    EXPECT_TRUE(filter->isVisible());
    table.setFilterText(QStringLiteral("none such"));
    EXPECT_EQ(table.view()->model()->rowCount(), 0);
    QTest::keyClick(filter, Qt::Key_Escape);
    EXPECT_EQ(table.view()->model()->rowCount(), 4);
}

TEST_F(TableViewTest, footSumsTheRowsShown) {
    const auto sums = [&] {
        QCoreApplication::processEvents();
        for (const QObject* child : table.children())
            if (const auto* widget = qobject_cast<const QWidget*>(child))
                if (widget->accessibleName().startsWith(QStringLiteral("Sums"))) return widget->accessibleName();
        return QString();
    };
    EXPECT_EQ(sums(), QStringLiteral("Sums of 4 rows: time: sum 11.3"));
    model.setRowCount(2);
    EXPECT_EQ(sums(), QStringLiteral("Sums of 2 rows: time: sum 6.3"));
}

TEST_F(TableViewTest, anEmptyTableSaysWhatToDo) {
    table.setEmptyText(QStringLiteral("Run a study to fill this table."));
    const QImage full = test::pictureOf(table);
    model.setRowCount(0);
    QCoreApplication::processEvents();
    const QImage empty = test::savePicture(table, QStringLiteral("table-empty"));
    EXPECT_NE(full, empty);
    EXPECT_GT(test::coloursIn(empty), 10);
    EXPECT_EQ(table.currentRow(), -1);
}

TEST(TableView, sortsTenThousandRowsWithinATurn) {
    const auto value = [](int row, int column) { return (row * 7919 + column * 104'729) % 100'003 / 7.0; };
    QVector<TableModel::Column> columns{
        {.title = QStringLiteral("layer"), .text = [](int row) { return QStringLiteral("row-%1").arg(row); }}};
    for (int column = 1; column < 12; ++column)
        columns.append({.title = QStringLiteral("number %1").arg(column),
                        .text = [value, column](int row) { return QString::number(value(row, column)); },
                        .sort = [value, column](int row) { return QVariant(value(row, column)); },
                        .number = true,
                        .summed = true});
    TableModel model(columns);
    TableView table(&model, QStringLiteral("Layers"));
    table.resize(1200, 600);
    table.show();
    test::TurnMeter meter;
    const auto turnOf = [&](const auto& work) {
        test::waitUntil([] { return false; }, 20);
        meter.take();
        meter.run(work);
        test::waitUntil([] { return false; }, 20);
        return meter.take();
    };
    EXPECT_LT(turnOf([&] { model.setRowCount(10'000); }), 50 * test::kSlowerBuild);
    for (int column = 0; column < 12; ++column) {
        const double turn = turnOf([&] { table.view()->sortByColumn(column, Qt::DescendingOrder); });
        EXPECT_LT(turn, 50 * test::kSlowerBuild) << column;
        RecordProperty("column_" + std::to_string(column) + "_ms", static_cast<int>(turn));
        const auto* order = table.view()->model();
        if (column > 0) {
            EXPECT_GE(order->index(0, column).data(sortRole).toDouble(),
                      order->index(9'999, column).data(sortRole).toDouble());
        }
    }
    // A filter looks at the rows in slices, so it is done some turns later.
    meter.take();
    meter.run([&] { table.setFilterText(QStringLiteral("row-99")); });
    EXPECT_TRUE(test::waitUntil([&] { return table.view()->model()->rowCount() == 111; }));
    EXPECT_LT(meter.take(), 50 * test::kSlowerBuild);
}

TEST(TableView, staysFluidWithAHundredThousandRows) {
    TableModel model(
        {{.title = QStringLiteral("run"), .text = [](int row) { return QStringLiteral("run %1").arg(row); }},
         {.title = QStringLiteral("time"),
          .text = [](int row) { return QString::number(row * 7919 % 100'003); },
          .sort = [](int row) { return QVariant(row * 7919 % 100'003); },
          .number = true}});
    TableView table(&model, QStringLiteral("Runs"));
    table.resize(600, 400);
    table.show();
    const double before = test::workMilliseconds();
    model.setRowCount(100'000);
    QCoreApplication::processEvents();
    test::pictureOf(table);
    const double shown = test::workMilliseconds();
    EXPECT_LT(shown - before, 500 * test::kSlowerBuild);
    table.view()->sortByColumn(1, Qt::DescendingOrder);
    EXPECT_LT(test::workMilliseconds() - shown, 2000 * test::kSlowerBuild);
    EXPECT_EQ(table.view()->model()->index(0, 1).data(sortRole).toInt(), 100'002);
    table.setFilterText(QStringLiteral("99999"));
    ASSERT_TRUE(test::waitUntil([&] { return table.view()->model()->rowCount() < 10; }));
}

}  // namespace
}  // namespace tessera::ui
