#include "ui/models/table_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

namespace tessera::ui {
namespace {

TEST(TableModel, keepsTheRulesOfItemModels) {
    TableModel model({{.title = QStringLiteral("layer"), .text = [](int row) { return QString::number(row); }}});
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setRowCount(3);
    model.refresh();
    EXPECT_EQ(model.rowCount(), 3);
    EXPECT_EQ(model.data(model.index(2, 0), Qt::DisplayRole).toString(), QStringLiteral("2"));
}

}  // namespace
}  // namespace tessera::ui
