#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QString>
#include <QVariant>
#include <QVector>
#include <functional>

namespace tessera::ui {

/// Roles beyond Qt's: the unrounded value to sort, chart and sum by, and its text at full precision.
// NOLINTNEXTLINE(readability-identifier-naming): as Qt spells roles
enum TableRole { sortRole = Qt::UserRole + 1, exactRole, pathRole };

/// A table of any rows by a column table. Holds no values itself: columns read row `i` of what the owner keeps, and the
/// owner calls `setRowCount` (or `refresh`) when that changed.
class TableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    struct Column {
        QString title;
        std::function<QString(int row)> text;
        std::function<QVariant(int row)> sort = {};  ///< empty = the text
        bool number = false;                         ///< right-aligned, tabular figures
        bool summed = false;                         ///< the table's foot shows the sum of `sort`
        QString help = {};                           ///< tooltip of the header
        std::function<QString(int row)> exact = {};  ///< for the clipboard and CSV; empty = `sort`, else the text
        std::function<QVariant(int row, int role)> decoration =
            {};  ///< Qt::DecorationRole, ForegroundRole, … or invalid
        std::function<QString(double sum)> sumText = {};
        /// Takes what a person writes into a cell, which starts from the exact text; whether it is a value. Empty = the
        /// column is only read.
        std::function<bool(int row, const QString& text)> edit = {};
    };

    explicit TableModel(QVector<Column> columns, QObject* parent = nullptr);
    void setRowCount(int rows);  ///< resets the model
    void refresh();              ///< the same rows have new contents
    const QVector<Column>& columns() const { return columns_; }

    QVariant sortValue(int row, int column) const;  ///< what rows are ordered and summed by
    QString exactText(int row, int column) const;   ///< what goes to the clipboard and into files

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

private:
    QVector<Column> columns_;
    int rows_ = 0;
};

}  // namespace tessera::ui
