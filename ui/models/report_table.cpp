#include "ui/models/report_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>

#include "core/base/units.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"

namespace tessera::ui::columns {
using namespace Qt::StringLiterals;

namespace {

/// Without what stands before and between the digits of a number for people.
std::string plainNumber(std::string_view cell) {
    constexpr std::string_view kMinus = "−";
    constexpr std::array<std::string_view, 3> kBefore{"≤ ", "≥ ", "+"};
    for (const std::string_view mark : kBefore)
        if (cell.starts_with(mark)) cell.remove_prefix(mark.size());
    std::string plain;
    if (cell.starts_with(kMinus)) {
        plain = "-";
        cell.remove_prefix(kMinus.size());
    }
    for (const char letter : cell)
        if (letter != ',') plain += letter;
    return plain;
}

QString cellOf(const report::Table& table, int row, std::size_t column) {
    const std::vector<std::string>& cells = table.rows.at(static_cast<std::size_t>(row));
    return column < cells.size() ? shownText(cells[column]) : QString();
}

}  // namespace

std::optional<double> numberIn(std::string_view cell) {
    constexpr std::array kMeasures{Measure::count,          Measure::seconds,      Measure::bytes,
                                   Measure::bytesPerSecond, Measure::flops,        Measure::flopsPerSecond,
                                   Measure::hertz,          Measure::watts,        Measure::joules,
                                   Measure::area,           Measure::bitsPerSecond};
    const std::string plain = plainNumber(cell);
    for (const Measure measure : kMeasures)
        if (const std::optional<double> value = parseQuantity(plain, measure)) return value;
    double number = 0;
    const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), number);
    return read.ec == std::errc() && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

QVector<TableModel::Column> ofTable(const std::shared_ptr<const report::Table>& table) {
    QVector<TableModel::Column> all;
    for (std::size_t column = 0; column < table->columns.size(); ++column) {
        TableModel::Column made = words(shownText(table->columns[column].title),
                                        [table, column](int row) { return cellOf(*table, row, column); });
        made.number = table->columns[column].number;
        if (made.number) {
            made.exact = made.text;
            made.sort = [table, column](int row) {
                const std::vector<std::string>& cells = table->rows.at(static_cast<std::size_t>(row));
                return QVariant(column < cells.size() ? numberIn(cells[column]).value_or(NAN) : NAN);
            };
        }
        all.append(std::move(made));
    }
    return all;
}

TableModel* metricTable(const std::shared_ptr<const std::vector<study::Metric>>& metrics, QObject* owner) {
    const auto at = [metrics](int row) -> const study::Metric& { return metrics->at(static_cast<std::size_t>(row)); };
    TableModel::Column value = words(u"Value"_s, [at](int row) { return toQt(study::textOf(at(row))); });
    value.number = true;
    value.sort = [at](int row) { return QVariant(at(row).value); };
    value.exact = [at](int row) { return exact(at(row).value); };
    value.decoration = [at](int row, int role) { return role == pathRole ? QVariant(toQt(at(row).name)) : QVariant(); };
    return new TableModel({words(u"Number"_s, [at](int row) { return shownText(at(row).title); }),
                           words(u"Of"_s, [at](int row) { return shownText(at(row).owner); }), value},
                          owner);
}

Facts rowFacts(const report::Table& table, int row) {
    Facts facts;
    facts.icon = u"table"_s;
    Facts::Section section;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const QString cell = cellOf(table, row, column);
        if (column == 0) facts.title = cell;
        if (column != 0 && !cell.isEmpty())
            section.rows.append({.label = shownText(table.columns[column].title), .value = cell});
    }
    facts.sections = {section};
    return facts;
}

}  // namespace tessera::ui::columns
