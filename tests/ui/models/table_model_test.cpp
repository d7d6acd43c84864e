#include "ui/models/table_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QFont>

namespace tessera::ui {
namespace {

/// Two layers with a time each.
QVector<TableModel::Column> twoLayers() {
    return {{.title = QStringLiteral("layer"), .text = [](int row) { return QStringLiteral("<b>cv\n%1").arg(row); }},
            {.title = QStringLiteral("time"),
             .text = [](int row) { return QStringLiteral("%1.04 ms").arg(row); },
             .sort = [](int row) { return QVariant(row + 0.0361234); },
             .number = true,
             .help = QStringLiteral("of one step"),
             .decoration =
                 [](int row, int role) {
                     return role == Qt::ForegroundRole && row == 1 ? QVariant(QStringLiteral("red")) : QVariant();
                 }}};
}

TEST(TableModel, keepsTheRulesOfItemModels) {
    TableModel model(twoLayers());
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setRowCount(3);
    model.refresh();
    EXPECT_EQ(model.rowCount(), 3);
    model.setRowCount(-1);
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(TableModel, showsRoundedSortsByTheValueAndCopiesItWhole) {
    TableModel model(twoLayers());
    model.setRowCount(2);
    const QModelIndex cell = model.index(1, 1);
    EXPECT_EQ(cell.data().toString(), QStringLiteral("1.04 ms"));
    EXPECT_EQ(cell.data(sortRole).toDouble(), 1.0361234);
    EXPECT_EQ(cell.data(exactRole).toString(), QStringLiteral("1.0361234"));
    EXPECT_EQ(cell.data(Qt::ToolTipRole).toString(), QStringLiteral("1.0361234"));
    EXPECT_EQ(cell.data(Qt::ForegroundRole).toString(), QStringLiteral("red"));
    EXPECT_EQ(cell.data(Qt::AccessibleTextRole).toString(), QStringLiteral("time: 1.04 ms"));
}

TEST(TableModel, alignsNumbersToTheRightInTabularFigures) {
    TableModel model(twoLayers());
    model.setRowCount(1);
    EXPECT_TRUE(model.index(0, 1).data(Qt::TextAlignmentRole).value<Qt::Alignment>().testFlag(Qt::AlignRight));
    EXPECT_TRUE(model.index(0, 0).data(Qt::TextAlignmentRole).value<Qt::Alignment>().testFlag(Qt::AlignLeft));
    EXPECT_EQ(model.headerData(1, Qt::Horizontal, Qt::ToolTipRole).toString(), QStringLiteral("of one step"));
    EXPECT_TRUE(model.index(0, 1).data(Qt::FontRole).isValid());
}

TEST(TableModel, showsNamesOfStrangersOnOneLine) {
    TableModel model(twoLayers());
    model.setRowCount(1);
    const QString shown = model.index(0, 0).data().toString();
    EXPECT_FALSE(shown.contains(QLatin1Char('\n'))) << shown.toStdString();
    EXPECT_FALSE(model.index(0, 0).data(Qt::ToolTipRole).toString().contains(QLatin1Char('<')));
}

}  // namespace
}  // namespace tessera::ui
