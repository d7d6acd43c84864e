#pragma once

#include <QString>
#include <functional>
#include <string_view>

#include "core/base/units.h"
#include "ui/models/facts.h"
#include "ui/models/table_model.h"

/// Columns that tables of results have in common.
namespace tessera::ui::columns {

QString quantity(double value, Measure measure);
QString exact(double value);

/// A number that can be explained: its path stands in the column's pathRole.
TableModel::Column number(const QString& title, Measure measure, std::function<double(int)> value,
                          std::function<QString(int)> path = {}, const QString& help = {});
TableModel::Column words(const QString& title, std::function<QString(int)> text, const QString& help = {});
/// A small square in a colour of data before the text.
void colourBy(TableModel::Column& column, std::function<QString(int)> colour);

/// A fact whose full precision goes to the clipboard.
inline Facts::Row numberFact(const QString& label, const QString& value, double exactly) {
    return {.label = label, .value = value, .exact = exact(exactly)};
}

inline Facts::Row quantityFact(const QString& label, double value, Measure measure) {
    return numberFact(label, quantity(value, measure), value);
}

}  // namespace tessera::ui::columns
