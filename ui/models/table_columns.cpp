#include "ui/models/table_columns.h"

#include <QColor>
#include <QIcon>
#include <QPixmap>
#include <utility>

#include "ui/theme/theme.h"

namespace tessera::ui::columns {

namespace {

/// Of one colour also in rows that are selected, whose icons are tinted otherwise.
QIcon swatch(const QColor& colour) {
    constexpr int kSize = 16;
    QPixmap picture(kSize, kSize);
    picture.fill(colour);
    QIcon icon(picture);
    icon.addPixmap(picture, QIcon::Selected);
    return icon;
}

}  // namespace

QString quantity(double value, Measure measure) {
    return QString::fromStdString(formatQuantity(value, measure));
}

QString exact(double value) {
    return QString::fromStdString(exactNumber(value));
}

TableModel::Column number(const QString& title, Measure measure, std::function<double(int)> value,
                          std::function<QString(int)> path, const QString& help) {
    TableModel::Column column;
    column.title = title;
    column.text = [value, measure](int row) { return quantity(value(row), measure); };
    column.sort = [value](int row) { return QVariant(value(row)); };
    column.exact = [value](int row) { return exact(value(row)); };
    column.number = true;
    column.help = help;
    if (path)
        column.decoration = [path = std::move(path)](int row, int role) {
            return role == pathRole ? QVariant(path(row)) : QVariant();
        };
    return column;
}

TableModel::Column words(const QString& title, std::function<QString(int)> text, const QString& help) {
    TableModel::Column column;
    column.title = title;
    column.text = std::move(text);
    column.help = help;
    return column;
}

void colourBy(TableModel::Column& column, std::function<QString(int)> colour) {
    column.decoration = [colour = std::move(colour), before = column.decoration](int row, int role) {
        if (role == Qt::DecorationRole) {
            const QString name = colour(row);
            return name.isEmpty() ? QVariant() : QVariant(swatch(theme().dataColour(name.toStdString())));
        }
        return before ? before(row, role) : QVariant();
    };
}

}  // namespace tessera::ui::columns
