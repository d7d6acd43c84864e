#include "core/explore/table_space.h"

#include <algorithm>
#include <cmath>

namespace tessera::explore {

namespace {

double valueIn(const PointColumn& column, std::size_t row) {
    return row < column.values.size() ? column.values[row] : std::nan("");
}

Variable variableOf(const PointColumn& column, const std::vector<double>& values) {
    constexpr double kMaxListedSteps = 64;
    Variable variable{.name = column.id};
    if (!column.words.empty()) {
        variable.isCategory = true;
        variable.values = values;
        std::sort(variable.values.begin(), variable.values.end());
        variable.values.erase(std::unique(variable.values.begin(), variable.values.end()), variable.values.end());
        return variable;
    }
    const auto [min, max] = std::minmax_element(values.begin(), values.end());
    variable.low = *min;
    variable.high = *max;
    if (column.log && *min > 0) variable.scale = Scale::log;
    const bool areIntegers =
        std::all_of(values.begin(), values.end(), [](double value) { return value == std::floor(value); });
    if (areIntegers && *max - *min < kMaxListedSteps && minWidth(*min, *max) <= 1) variable.step = 1;
    return variable;
}

}  // namespace

TableSpace spaceOf(const PointTable& table, std::size_t valueColumn) {
    TableSpace space;
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        if (table.columns[i].isVariable()) candidates.push_back(i);
    for (std::size_t row = 0; row < table.size(); ++row) {
        const bool hasAll = std::isfinite(valueIn(table.columns[valueColumn], row)) &&
                            std::all_of(candidates.begin(), candidates.end(), [&](std::size_t column) {
                                return std::isfinite(valueIn(table.columns[column], row));
                            });
        if (hasAll) space.rows.push_back(row);
    }
    if (space.rows.empty()) return space;
    space.points.resize(space.rows.size());
    for (const std::size_t column : candidates) {
        std::vector<double> values;
        for (const std::size_t row : space.rows) values.push_back(table.columns[column].values[row]);
        Variable variable = variableOf(table.columns[column], values);
        const bool isRounding =
            variable.values.empty() && variable.high - variable.low < minWidth(variable.low, variable.high);
        if (valueCount(variable) == 1 || isRounding) continue;
        space.columns.push_back(column);
        space.variables.push_back(std::move(variable));
        for (std::size_t i = 0; i < values.size(); ++i) space.points[i].push_back(values[i]);
    }
    if (!space.variables.empty()) checkVariables(space.variables);
    for (const std::size_t row : space.rows) space.values.push_back(table.columns[valueColumn].values[row]);
    return space;
}

}  // namespace tessera::explore
