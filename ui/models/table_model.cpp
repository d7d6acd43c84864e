#include "ui/models/table_model.h"

#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// Names come from files of strangers: one line, no control characters, cut.
QString oneLine(const QString& text) {
    return QString::fromStdString(escaped(text.toStdString()));
}

}  // namespace

TableModel::TableModel(QVector<Column> columns, QObject* parent)
    : QAbstractTableModel(parent), columns_(std::move(columns)) {}

void TableModel::setRowCount(int rows) {
    beginResetModel();
    rows_ = std::max(rows, 0);
    endResetModel();
}

void TableModel::refresh() {
    if (rows_ > 0 && columnCount() > 0) emit dataChanged(index(0, 0), index(rows_ - 1, columnCount() - 1));
}

int TableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : rows_;
}

int TableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant TableModel::sortValue(int row, int column) const {
    const Column& of = columns_.at(column);
    return of.sort ? of.sort(row) : QVariant(of.text(row));
}

QString TableModel::exactText(int row, int column) const {
    const Column& of = columns_.at(column);
    if (of.exact) return of.exact(row);
    if (!of.sort) return of.text(row);
    const QVariant value = of.sort(row);
    if (value.userType() == QMetaType::Double || value.userType() == QMetaType::Float)
        return QString::fromStdString(exactNumber(value.toDouble()));
    return value.canConvert<QString>() && value.isValid() ? value.toString() : of.text(row);
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const Column& column = columns_.at(index.column());
    if (column.decoration && role != Qt::DisplayRole && role != sortRole && role != exactRole) {
        const QVariant own = column.decoration(index.row(), role);
        if (own.isValid()) return own;
    }
    switch (role) {
        case Qt::DisplayRole:
            return oneLine(column.text(index.row()));
        case sortRole:
            return sortValue(index.row(), index.column());
        case exactRole:
            return exactText(index.row(), index.column());
        case Qt::EditRole:
            return column.edit ? QVariant(exactText(index.row(), index.column())) : QVariant();
        case Qt::ToolTipRole: {
            // Only where it says more than the cell; as plain text, which Qt would else guess to be rich.
            const QString exact = oneLine(exactText(index.row(), index.column()));
            return exact == oneLine(column.text(index.row())) ? QVariant() : QVariant(exact.toHtmlEscaped());
        }
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::AlignVCenter | (column.number ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::FontRole:
            return column.number ? QVariant(theme().font(Theme::Text::base, false, true)) : QVariant();
        case Qt::AccessibleTextRole:
            return u"%1: %2"_s.arg(column.title, oneLine(column.text(index.row())));
        default:
            return {};
    }
}

Qt::ItemFlags TableModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() && columns_.at(index.column()).edit ? flags | Qt::ItemIsEditable : flags;
}

bool TableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::EditRole) return false;
    const Column& column = columns_.at(index.column());
    return column.edit && column.edit(index.row(), value.toString());
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column& column = columns_.at(section);
    switch (role) {
        case Qt::DisplayRole:
            return column.title;
        case Qt::ToolTipRole:
            return column.help.isEmpty() ? QVariant() : QVariant(column.help.toHtmlEscaped());
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::AlignVCenter | (column.number ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::AccessibleTextRole:
            return column.title;
        case Qt::AccessibleDescriptionRole:
            return column.help;
        default:
            return {};
    }
}

}  // namespace tessera::ui
