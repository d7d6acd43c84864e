#include "core/report/cost_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/field_table.h"
#include "core/study/metric.h"

namespace tessera::report {

namespace {

using study::CostOutcome;
using study::LayerEstimate;
using LayerField = study::Field<LayerEstimate>;

constexpr std::size_t kMaxLying = 24;    ///< bars that lie, with their layers' names beside them
constexpr std::size_t kMaxLargest = 12;  ///< layers with a bar each; the rest is one bar
constexpr const char* kNothing = "No layer of this result could be analysed.";

const LayerField& fieldNamed(std::string_view number) {
    for (const study::LayerNumber& row : study::layerNumbers())
        if (row.field.id == number) return row.field;
    throw std::logic_error("no such number of a layer");
}

std::optional<double> valueOf(const LayerField& field, const LayerEstimate& layer) {
    const study::FieldValue value = field.get(layer);
    const auto* number = std::get_if<double>(&value);
    return number == nullptr || !std::isfinite(*number) ? std::nullopt : std::optional(*number);
}

/// "12,300", "4.2 mJ", "61.2 %": rounded, unlike in tables of single layers.
std::string shownField(const LayerField& field, double value) {
    if (field.format != nullptr) return field.format(value);
    return field.measure == Measure::count ? formatCount(value) : formatQuantity(value, field.measure);
}

/// The names of the layers, without the model where they are all of one.
std::vector<std::string> namesOf(const CostOutcome& outcome) {
    std::string model;
    if (!outcome.layers.empty())
        model = outcome.layers.front().name.substr(0, outcome.layers.front().name.find('/') + 1);
    for (const LayerEstimate& layer : outcome.layers)
        if (!layer.name.starts_with(model)) model.clear();
    std::vector<std::string> names;
    for (const LayerEstimate& layer : outcome.layers) {
        names.push_back(layer.name.substr(model.size()));
        if (names.back().empty()) names.back() = fmt::format("{}", names.size() - 1);
    }
    return names;
}

/// The layers that have the number, from the largest.
std::vector<std::size_t> bySize(const CostOutcome& outcome, const LayerField& field) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < outcome.layers.size(); ++i)
        if (valueOf(field, outcome.layers[i])) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return *valueOf(field, outcome.layers[a]) > *valueOf(field, outcome.layers[b]);
    });
    return order;
}

double sumOf(const CostOutcome& outcome, const LayerField& field) {
    double sum = 0;
    for (const LayerEstimate& layer : outcome.layers) sum += valueOf(field, layer).value_or(0);
    return sum;
}

/// What is not in a picture, and why.
void addNotes(Chart& chart, const CostOutcome& outcome) {
    const study::CostTotals totals = study::totalsOf(outcome);
    if (totals.failed > 0)
        chart.notes.push_back(fmt::format("{} cannot be analysed and {} left out.",
                                          formatCounted(totals.failed, "layer", "layers"),
                                          totals.failed == 1 ? "is" : "are"));
}

}  // namespace

Chart layerChart(const CostOutcome& outcome, std::string_view number) {
    const LayerField& field = fieldNamed(number);
    const bool share = field.format != nullptr;  // has no sum
    Chart chart{.id = fmt::format("layer-{}", number), .empty = kNothing};
    chart.horizontal = outcome.layers.size() <= kMaxLying;
    chart.x.title = "Layer";
    chart.y = {.title = std::string(field.title), .measure = field.measure, .fromZero = true};
    const std::vector<std::size_t> order = bySize(outcome, field);
    if (order.empty()) {
        chart.title = fmt::format("{} by layer", field.title);
        return chart;
    }
    const std::vector<std::string> names = namesOf(outcome);
    const double sum = sumOf(outcome, field), max = *valueOf(field, outcome.layers[order.front()]);
    chart.title =
        share ? fmt::format("{} between {} and {}", field.title,
                            shownField(field, *valueOf(field, outcome.layers[order.back()])), shownField(field, max))
        : sum > 0 && order.size() > 1
            ? fmt::format("{}: {} takes {} of {}", field.title, escaped(names[order.front()], 40),
                          study::percentText(max / sum), shownField(field, sum))
            : fmt::format("{}: {}", field.title, shownField(field, sum));
    Series bars{.id = std::string(number), .name = "", .mark = Mark::bars, .colour = "accent"};
    for (std::size_t i = 0; i < outcome.layers.size(); ++i) {
        chart.x.categories.push_back(names[i]);
        const std::optional<double> value = valueOf(field, outcome.layers[i]);
        bars.x.push_back(static_cast<double>(i));
        bars.y.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
        bars.valueTexts.push_back(value ? shownField(field, *value) : "");
    }
    chart.series.push_back(std::move(bars));
    addNotes(chart, outcome);
    return chart;
}

Chart largestLayersChart(const CostOutcome& outcome, std::string_view number) {
    const LayerField& field = fieldNamed(number);
    Chart chart{.id = fmt::format("largest-{}", number), .horizontal = true, .empty = kNothing};
    chart.x.title = "Layer";
    chart.y = {.title = std::string(field.title), .measure = field.measure, .fromZero = true};
    const std::vector<std::size_t> order = bySize(outcome, field);
    const double sum = sumOf(outcome, field);
    chart.title = fmt::format("Where the {} go", lowered(field.title));
    if (order.empty() || !(sum > 0)) return chart;
    const std::vector<std::string> names = namesOf(outcome);
    Series bars{.id = std::string(number), .name = "", .mark = Mark::bars, .colour = "accent"};
    const auto add = [&](std::string name, double value) {
        bars.x.push_back(static_cast<double>(chart.x.categories.size()));
        chart.x.categories.push_back(std::move(name));
        bars.y.push_back(value);
        bars.valueTexts.push_back(fmt::format("{} · {}", shownField(field, value), study::percentText(value / sum)));
    };
    const std::size_t shownCount = std::min(order.size(), kMaxLargest);
    double rest = sum;
    for (std::size_t i = 0; i < shownCount; ++i) {
        const double value = *valueOf(field, outcome.layers[order[i]]);
        add(names[order[i]], value);
        rest -= value;
    }
    if (shownCount < order.size()) {
        chart.title = fmt::format("{} of {} take {} of the {}", shownCount, formatCount(order.size()),
                                  study::percentText((sum - rest) / sum), lowered(field.title));
        add(fmt::format("the other {}", formatCount(order.size() - shownCount)), rest);
    }
    chart.series.push_back(std::move(bars));
    addNotes(chart, outcome);
    return chart;
}

Chart layerRoofline(const CostOutcome& outcome) {
    Chart chart{.id = "roofline", .empty = kNothing};
    chart.x = {.title = "Multiply-accumulates per off-chip byte", .logarithmic = true};
    chart.y = {.title = "Multiply-accumulates per cycle", .logarithmic = true};
    const auto peak = static_cast<double>(outcome.array.pes) * static_cast<double>(outcome.array.simdLanes);
    const auto bandwidth = static_cast<double>(outcome.array.offchipBandwidth);
    chart.title = fmt::format("Roofline: ceiling {}",
                              formatCounted(peak, "multiply-accumulate per cycle", "multiply-accumulates per cycle"));
    Series points{
        .id = "layers", .name = "layers", .mark = Mark::points, .colour = "accent", .opacity = 0.55, .shape = 0};
    double min = std::numeric_limits<double>::infinity(), max = 0, longest = 0;
    for (const LayerEstimate& layer : outcome.layers)
        longest = std::max(longest, layer.ok() ? static_cast<double>(layer.cost.cycles) : 0);
    const std::vector<std::string> names = namesOf(outcome);
    for (std::size_t i = 0; i < outcome.layers.size(); ++i) {
        const LayerEstimate& layer = outcome.layers[i];
        const std::optional<double> intensity = study::intensityOf(layer), rate = study::macsPerCycle(layer);
        if (!intensity || !rate) continue;
        min = std::min(min, *intensity);
        max = std::max(max, *intensity);
        points.x.push_back(*intensity);
        points.y.push_back(*rate);
        constexpr double kSmallest = 3, kLargest = 11;  // pixels; the area shows the cycles
        points.radii.push_back(
            std::max(kSmallest, kLargest * std::sqrt(static_cast<double>(layer.cost.cycles) / longest)));
        points.valueTexts.push_back(fmt::format("{}: {} per cycle, {} per byte, {} cycles", names[i],
                                                formatCount(*rate), formatCount(*intensity),
                                                formatCount(layer.cost.cycles)));
    }
    if (points.x.empty()) return chart;
    constexpr double kMargin = 4;
    const double from = min / kMargin, to = max * kMargin, ridge = peak / bandwidth;
    Series roof{.id = "roof",
                .name = fmt::format("the array's {}", formatCount(peak)),
                .mark = Mark::bound,
                .colour = "secondary",
                .cannotBeBelow = false};
    if (ridge > from) {
        roof.x.push_back(from);
        roof.y.push_back(from * bandwidth);
        roof.name += fmt::format(", {} off-chip bytes per cycle", formatCount(bandwidth));
    }
    roof.x.push_back(std::clamp(ridge, from, std::max(ridge, to)));
    roof.y.push_back(peak);
    roof.x.push_back(std::max(to, ridge * kMargin));
    roof.y.push_back(peak);
    chart.series.push_back(std::move(roof));
    chart.series.push_back(std::move(points));
    chart.notes.emplace_back("Larger points take more cycles.");
    addNotes(chart, outcome);
    return chart;
}

namespace {

/// The table of layers, as it is asked for row by row.
class LayerCostRows {
public:
    LayerCostRows(const CostOutcome& outcome, study::FieldUse use)
        : outcome_(outcome), columns_(study::layerFields(), outcome.layers, use), head_(columns_.head()) {
        head_.columns.insert(head_.columns.begin(), {"row", true});
    }

    const Table& head() const { return head_; }
    std::vector<std::string> operator()(std::size_t row) const {
        std::vector<std::string> cells = columns_.cells(outcome_.layers[row]);
        cells.insert(cells.begin(), fmt::format("{}", row));
        return cells;
    }

private:
    const CostOutcome& outcome_;
    FieldColumns<study::LayerEstimate> columns_;
    Table head_;
};

}  // namespace

Table layerCostTable(const CostOutcome& outcome, study::FieldUse use) {
    const LayerCostRows rows(outcome, use);
    Table table = rows.head();
    for (std::size_t i = 0; i < outcome.layers.size(); ++i) table.rows.push_back(rows(i));
    return table;
}

std::string layerCostText(const CostOutcome& outcome) {
    const LayerCostRows rows(outcome, study::kText);
    std::string text;
    writeText(rows.head(), outcome.layers.size(), rows, [&](std::string_view piece) { text += piece; });
    return text;
}

Table variantTable(const CostOutcome& outcome) {
    Table table{.columns = {{"row", true}, {"layer"}, {"why the variants differ"}}, .rows = {}};
    for (std::size_t i = 0; i < outcome.layers.size(); ++i)
        if (const LayerEstimate& layer = outcome.layers[i]; !layer.differences.empty())
            table.rows.push_back({fmt::format("{}", i), layer.name, joined(layer.differences, "; ")});
    return table;
}

std::string countSentence(const CostOutcome& outcome) {
    const study::CostTotals totals = study::totalsOf(outcome);
    return fmt::format("{} rows, {} cannot be analysed; the variants published and corrected differ on {}; this is {}",
                       outcome.layers.size(), totals.failed, totals.differing, cost::nameOf(outcome.variant));
}

}  // namespace tessera::report
