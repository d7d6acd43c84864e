#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/study/explanation.h"
#include "core/study/field.h"
#include "ui/models/facts.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"

/// Tables and facts of the window by the fields of a result's rows.
namespace tessera::ui::columns {

/// The columns that the window's tables have. `row` yields a Row by its number; `prefix` is the path of a row, as
/// `study::explain` takes it.
template <typename Row, typename RowAt>
QVector<TableModel::Column> ofFields(const std::vector<study::Field<Row>>& fields, RowAt row,
                                     const std::function<QString(int)>& prefix = {}) {
    QVector<TableModel::Column> all;
    for (const study::Field<Row>& field : fields) {
        if ((field.uses & study::kTable) == 0) continue;
        TableModel::Column column = words(
            toQt(headOf(field)), [row, &field](int index) { return shownText(textOf(field, row(index))); },
            toQt(field.help));
        column.number = (field.uses & study::kWords) == 0;
        column.summed = (field.uses & study::kSummed) != 0;
        if (column.number) {
            column.sort = [row, &field](int index) {
                const study::FieldValue value = field.get(row(index));
                const auto* number = std::get_if<double>(&value);
                return QVariant(number == nullptr ? NAN : *number);
            };
            column.exact = [row, &field](int index) { return toQt(exactOf(field, row(index))); };
        }
        if (column.summed && field.measure != Measure::count)
            column.sumText = [measure = field.measure](double sum) { return quantity(sum, measure); };
        if (const std::string_view path = pathOf(field); prefix && !path.empty())
            column.decoration = [prefix, row, &field, path = toQt(path)](int index, int role) {
                const bool has = role == pathRole && !exactOf(field, row(index)).empty();
                return has ? QVariant(prefix(index) + QLatin1Char('/') + path) : QVariant();
            };
        all.append(std::move(column));
    }
    return all;
}

/// Facts of one row; fields without a value are left out.
template <typename Row>
Facts::Section factsOf(const QString& title, const std::vector<study::Field<Row>>& fields, const Row& row,
                       const std::shared_ptr<const study::Result>& result, const std::string& prefix,
                       study::FieldUse use = study::kFacts) {
    Facts::Section section{title, {}};
    for (const study::Field<Row>& field : fields) {
        const std::string exactly = exactOf(field, row);
        if ((field.uses & use) == 0 || exactly.empty()) continue;
        Facts::Row fact{.label = toQt(field.title), .value = shownText(textOf(field, row))};
        if ((field.uses & study::kWords) == 0) fact.exact = toQt(exactly);
        if (field.terms == nullptr) fact.whereFrom = toQt(field.source);
        if (const std::string_view path = pathOf(field); !path.empty())
            fact.explain = [result, path = prefix + "/" + std::string(path)] { return study::explain(*result, path); };
        section.rows.append(std::move(fact));
    }
    return section;
}

}  // namespace tessera::ui::columns
