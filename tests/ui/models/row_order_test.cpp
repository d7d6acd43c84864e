#include "ui/models/row_order.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <limits>

#include "tests/support/pictures.h"
#include "tests/support/work.h"

namespace tessera::ui {
namespace {

QVector<int> rowsOf(const RowOrder& order) {
    QVector<int> rows;
    for (int i = 0; i < order.rowCount(); ++i) rows.append(order.sourceRow(i));
    return rows;
}

class RowOrderTest : public testing::Test {
protected:
    QStringList names{QStringLiteral("conv10"), QStringLiteral("conv2"), QStringLiteral("Fc1"), QStringLiteral("add")};
    QVector<double> times{3, 1, std::numeric_limits<double>::quiet_NaN(), 1};
    TableModel table{{{.title = QStringLiteral("layer"), .text = [this](int row) { return names[row]; }},
                      {.title = QStringLiteral("time"),
                       .text = [this](int row) { return QString::number(times[row]); },
                       .sort = [this](int row) { return QVariant(times[row]); },
                       .number = true}}};
    RowOrder order{&table};
    QAbstractItemModelTester tester{&order, QAbstractItemModelTester::FailureReportingMode::Fatal};

    void SetUp() override { table.setRowCount(4); }
};

TEST_F(RowOrderTest, sortsNamesAsPeopleDo) {
    order.sort(0);
    EXPECT_EQ(rowsOf(order), (QVector<int>{3, 1, 0, 2}));
    order.sort(0, Qt::DescendingOrder);
    EXPECT_EQ(rowsOf(order), (QVector<int>{2, 0, 1, 3}));
}

TEST_F(RowOrderTest, sortsNumbersByValueAndKeepsEqualOnesInTheirOrder) {
    order.sort(1);
    EXPECT_EQ(rowsOf(order), (QVector<int>{1, 3, 0, 2}));
    order.sort(1, Qt::DescendingOrder);
    EXPECT_EQ(rowsOf(order), (QVector<int>{0, 1, 3, 2})) << "what has no value is last either way";
    order.sort(-1);
    EXPECT_EQ(rowsOf(order), (QVector<int>{0, 1, 2, 3}));
}

TEST_F(RowOrderTest, rowsContainAllWordsOfTheFilter) {
    order.setFilter(QStringLiteral("CONV 1"));
    EXPECT_EQ(rowsOf(order), (QVector<int>{0, 1}));
    order.setFilter(QStringLiteral("CONV 10"));
    EXPECT_EQ(rowsOf(order), QVector<int>{0});
    EXPECT_EQ(order.rowOf(0), 0);
    EXPECT_EQ(order.rowOf(1), -1);
    order.setFilter({});
    EXPECT_EQ(order.rowCount(), 4);
}

TEST_F(RowOrderTest, keepsFilterAndOrderWhenTheTableChanges) {
    order.setFilter(QStringLiteral("conv"));
    order.sort(0);
    names.append(QStringLiteral("conv1"));
    times.append(0);
    table.setRowCount(5);
    EXPECT_EQ(rowsOf(order), (QVector<int>{4, 1, 0}));
    names[4] = QStringLiteral("pool");
    table.refresh();
    EXPECT_EQ(rowsOf(order), (QVector<int>{1, 0}));
}

TEST_F(RowOrderTest, selectedRowsStaySelectedOverASort) {
    const QPersistentModelIndex selected = order.index(0, 0);
    order.sort(0);
    EXPECT_EQ(selected.row(), 2);
    EXPECT_EQ(selected.data().toString(), QStringLiteral("conv10"));
}

TEST(NaturalOrder, comparesNumbersByValueAndLettersWithoutCase) {
    EXPECT_LT(naturalOrder(QStringLiteral("a9"), QStringLiteral("a10")), 0);
    EXPECT_EQ(naturalOrder(QStringLiteral("A007"), QStringLiteral("a7")), 0);
    EXPECT_LT(naturalOrder(QStringLiteral("conv"), QStringLiteral("conv1")), 0);
    EXPECT_GT(naturalOrder(QStringLiteral("99999999999999999999999"), QStringLiteral("1")), 0);
}

TEST(RowOrder, filtersManyRowsInSlices) {
    TableModel table(
        {{.title = QStringLiteral("layer"), .text = [](int row) { return QStringLiteral("layer %1").arg(row); }}});
    RowOrder order(&table);
    table.setRowCount(100'000);
    const double before = test::workMilliseconds();
    order.setFilter(QStringLiteral("99"));
    EXPECT_LT(test::workMilliseconds() - before, 50 * test::kSlowerBuild) << "the window waits for one slice only";
    ASSERT_TRUE(test::waitUntil([&] { return order.rowCount() < 100'000; }));
    EXPECT_EQ(order.rowCount(), 3691);
}

}  // namespace
}  // namespace tessera::ui
