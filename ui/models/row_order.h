#pragma once

#include <QAbstractProxyModel>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QVector>

#include "ui/models/table_model.h"

namespace tessera::ui {

/// The rows of a TableModel that contain all words of a filter, in the order of a column. Keys are read once per sort
/// and texts once per filter, in slices, so that 100,000 rows do not block the window; a filter that narrows the one
/// before looks only at the rows that are left.
class RowOrder : public QAbstractProxyModel {
    Q_OBJECT

public:
    explicit RowOrder(TableModel* table, QObject* parent = nullptr);

    /// Rows that contain every word (case-insensitive, in any column) stay. Emits `ordered` when it is done, at once
    /// for small tables.
    void setFilter(const QString& words);
    QString filter() const { return filter_; }
    /// Stable; column -1 is the table's own order. Rows without a value come last either way.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

    int sourceRow(int row) const { return rows_.value(row, -1); }
    int rowOf(int sourceRow) const;  ///< -1 where it is filtered away

    QModelIndex mapToSource(const QModelIndex& index) const override;
    QModelIndex mapFromSource(const QModelIndex& index) const override;
    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& /*index*/) const override { return {}; }
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
    void ordered();  ///< other rows, or another order

private:
    void readAll();
    void startFilter(const QVector<int>& candidates);
    void filterSlice();
    bool matches(int sourceRow) const;
    QVector<int> sorted(QVector<int> rows) const;
    void replaceRows(QVector<int> rows);

    TableModel* table_;
    QString filter_;
    QStringList words_;
    int sortColumn_ = -1;
    Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
    QVector<int> rows_;           ///< rows of the table, in the order shown
    mutable QVector<int> place_;  ///< inverse of `rows_`, made on first use
    // A filter on its way.
    QTimer slices_;
    QVector<int> candidates_;
    QVector<int> kept_;
    int next_ = 0;
    bool complete_ = true;  ///< `rows_` are all that match `filter_`
};

/// Compares as people do: "conv2" before "conv10", upper and lower case alike. Negative, 0 or positive.
int naturalOrder(const QString& one, const QString& other);

}  // namespace tessera::ui
