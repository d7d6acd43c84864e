#include "core/report/reproduction_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::report {

namespace {

using study::Reproduction;
using study::ReproductionRow;

/// Ratios with two decimals, as the papers print them; quantities that are larger or smaller with what they hold.
std::string figureNumber(double number) {
    if (number >= 1000) return formatCount(number);
    return number != 0 && number < 0.1 ? fmt::format("{:.2g}", number) : fmt::format("{:.2f}", number);
}

std::string ours(const ReproductionRow& row) {
    if (const double* number = std::get_if<double>(&row.ours)) return figureNumber(*number);
    return std::get<std::string>(row.ours);
}

/// Numbers in order of first appearance.
template <typename Key>
std::size_t indexOf(std::vector<Key>& keys, const Key& key) {
    const auto found = std::find(keys.begin(), keys.end(), key);
    if (found != keys.end()) return static_cast<std::size_t>(found - keys.begin());
    keys.push_back(key);
    return keys.size() - 1;
}

/// Lays the rows out as a grid: what varies least often becomes columns.
Table grid(const Reproduction& reproduction, const std::string& title, std::string (*rowKey)(const ReproductionRow&),
           std::string (*columnKey)(const ReproductionRow&)) {
    std::vector<std::string> rowKeys;
    std::vector<std::string> columnKeys;
    std::map<std::pair<std::size_t, std::size_t>, std::string> cells;
    for (const ReproductionRow& row : reproduction.rows) {
        const std::size_t r = indexOf(rowKeys, rowKey(row));
        const std::size_t c = indexOf(columnKeys, columnKey(row));
        cells[{r, c}] = ours(row) + (row.paper ? fmt::format(" (paper {})", figureNumber(*row.paper)) : "");
    }
    Table table;
    table.columns.push_back({title});
    for (const std::string& key : columnKeys) table.columns.push_back({key, true});
    for (std::size_t r = 0; r < rowKeys.size(); ++r) {
        table.rows.push_back({rowKeys[r]});
        for (std::size_t c = 0; c < columnKeys.size(); ++c) table.rows.back().push_back(cells[{r, c}]);
    }
    return table;
}

}  // namespace

Table reproductionTable(const Reproduction& reproduction) {
    const auto item = [](const ReproductionRow& row) { return row.item; };
    const auto metric = [](const ReproductionRow& row) { return row.metric; };
    const auto level = [](const ReproductionRow& row) { return "level " + std::to_string(row.levels.value_or(0)); };
    if (reproduction.rows.empty() || !reproduction.rows.front().levels)
        return grid(reproduction, reproduction.costModel.empty() ? "case" : "network", item, metric);
    const bool types = std::holds_alternative<std::string>(reproduction.rows.front().ours);
    return types ? grid(reproduction, "layer", item, level) : grid(reproduction, "depth", level, metric);
}

std::string toText(const Reproduction& reproduction) {
    std::string text = fmt::format("{} ({})", reproduction.title, reproduction.name);
    if (!reproduction.costModel.empty()) text += ", cost model: " + reproduction.costModel;
    text += "\n\n";
    text += toText(reproductionTable(reproduction));
    if (!reproduction.geometricMeans.empty()) {
        Table means;
        means.columns = {{"geometric mean"}, {"paper", true}, {"ours", true}, {"difference", true}};
        for (const study::ReproductionMean& mean : reproduction.geometricMeans)
            means.rows.push_back({mean.metric, mean.paper ? fmt::format("{:.2f}", *mean.paper) : "–",
                                  fmt::format("{:.2f}", mean.ours),
                                  mean.paper ? fmt::format("{:+.1f} %", 100 * (mean.ours / *mean.paper - 1)) : "–"});
        text += "\n" + toText(means);
    }
    text += "\n";
    for (const std::string& note : reproduction.notes) text += note + "\n";
    return text;
}

}  // namespace tessera::report
