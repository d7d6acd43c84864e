#include "ui/models/table_model.h"

namespace tessera::ui {

TableModel::TableModel(QVector<Column> columns, QObject* parent)
    : QAbstractTableModel(parent), columns_(std::move(columns)) {}

void TableModel::setRowCount(int rows) {
    beginResetModel();
    rows_ = rows;
    endResetModel();
}

void TableModel::refresh() {
    if (rows_ > 0) emit dataChanged(index(0, 0), index(rows_ - 1, columnCount() - 1));
}

int TableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : rows_;
}

int TableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Column& column = columns_.at(index.column());
    if (role == Qt::DisplayRole) return column.text(index.row());
    if (role == SortRole) return column.sort ? column.sort(index.row()) : QVariant(column.text(index.row()));
    return {};
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::DisplayRole && section >= 0 && section < columnCount())
        return columns_.at(section).title;
    return {};
}

}  // namespace tessera::ui
