#pragma once

#include <memory>

#include "ui/models/graph_contents.h"
#include "ui/models/table_model.h"

namespace tessera::ui {

/// Source of the rows of a model's tables; the owner exchanges it and then calls `setRowCount`.
struct ModelTableSource {
    std::shared_ptr<const ModelContents> contents;
};

/// Columns of the operators, one row per operator in the model's order: sizes, work, arithmetic intensity.
QVector<TableModel::Column> operatorColumns(const std::shared_ptr<ModelTableSource>& source);
int operatorRows(const ModelContents& contents);
/// The hierarchy node of a row of operators, -1 where there is none; and back.
int nodeOfOperatorRow(const ModelContents& contents, int row);
int operatorRowOfNode(const ModelContents& contents, int node);

/// Columns of the weighted layers and joins: sizes per sample, work of the model's batch.
QVector<TableModel::Column> layerColumns(const std::shared_ptr<ModelTableSource>& source);
int layerRows(const ModelContents& contents);

/// Columns of memory by what it holds.
QVector<TableModel::Column> memoryColumns(const std::shared_ptr<ModelTableSource>& source);

}  // namespace tessera::ui
