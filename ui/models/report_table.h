#pragma once

#include <QVector>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/draw/table.h"
#include "core/study/metric.h"
#include "ui/models/facts.h"
#include "ui/models/table_model.h"

/// Tables of texts, as reports have them, in the window.
namespace tessera::ui::columns {

/// The number that a cell says, in the base unit of what it measures: 0.0362 for "36.2 ms", 7.6 for "≤ 7.6 %", 1024 for
/// "1,024". Empty where it says none.
std::optional<double> numberIn(std::string_view cell);

/// The columns of a table; columns of numbers are ordered by them.
QVector<TableModel::Column> ofTable(const std::shared_ptr<const report::Table>& table);

/// All numbers of a result, each with its explanation. The metrics may change with the number of rows.
TableModel* metricTable(const std::shared_ptr<const std::vector<study::Metric>>& metrics, QObject* owner);

/// A row of a table as facts, under the name in its first column.
Facts rowFacts(const report::Table& table, int row);

}  // namespace tessera::ui::columns
