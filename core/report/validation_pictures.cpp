#include "core/report/validation_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/draw/theme.h"

namespace tessera::report {

namespace {

using physical::Validation;
using physical::ValidationRow;

constexpr double kBand = 0.2;
constexpr std::size_t kManyRows = 4000;   ///< so many points are all drawn
constexpr double kCells = 220;            ///< along each axis, of which each keeps one point of a set
constexpr std::size_t kColouredSets = 7;  ///< that stay apart by their colours
constexpr std::string_view kOthers = "others";
constexpr double kPointRadius = 3;
/// Colours of sets, in their order; the last also of what has none of its own.
constexpr std::array kSetColours{kCategories[0], kCategories[1], kCategories[2], kCategories[3],
                                 kCategories[4], kCategories[7], kCategories[6], kCategories[5]};
static_assert(kSetColours.size() == kColouredSets + 1);

/// What rows of a kind of table and a metric show; an empty kind or metric is any.
struct QuantityRow {
    std::string_view id, title, kind, metric;
    Measure measure = Measure::count;
    std::string_view unit = {};
    double scale = 1;
};

constexpr std::array kQuantities{
    QuantityRow{"step", "Step time", "training", "step_s", Measure::seconds},
    QuantityRow{"forward", "Forward pass", "training", "forward_s", Measure::seconds},
    QuantityRow{"throughput", "Throughput", "training", "samples_per_s", Measure::count, "samples/s"},
    QuantityRow{"tokens", "Throughput of tokens", "training", "tokens_per_s_per_accelerator", Measure::count,
                "tokens/s per accelerator"},
    QuantityRow{"memory", "Peak memory", "training", "memory_bytes", Measure::bytes},
    QuantityRow{"energy", "Energy of a step", "training", "energy_j", Measure::joules},
    QuantityRow{"collectives", "Collective time", "collectives", "", Measure::seconds},
    QuantityRow{"kernels", "Kernel time", "kernels", "", Measure::seconds},
    QuantityRow{"bubble", "Idle share of a pipeline", "", "bubble_share", Measure::count, "%", 100},
};

const QuantityRow* knownQuantity(const Validation& validation, const ValidationRow& row) {
    const std::string& kind = validation.kinds.at(row.file);
    const auto* found = std::find_if(kQuantities.begin(), kQuantities.end(), [&](const QuantityRow& each) {
        return (each.kind.empty() || each.kind == kind) && (each.metric.empty() || each.metric == row.metric);
    });
    return found == kQuantities.end() ? nullptr : found;
}

bool isDrawable(const ValidationRow& row) {
    return row.prediction.estimate && row.measured > 0 && row.prediction.estimate->value > 0;
}

/// Rows that have a place on the axes.
struct Drawn {
    std::vector<std::size_t> rows = {};
    double low = std::numeric_limits<double>::infinity(), high = 0;  ///< of both axes
};

Drawn drawnOf(const Validation& validation, const std::vector<std::size_t>& rows) {
    Drawn drawn;
    for (const std::size_t i : rows) {
        const ValidationRow& row = validation.rows[i];
        if (!isDrawable(row)) continue;
        drawn.rows.push_back(i);
        drawn.low = std::min({drawn.low, row.measured, row.prediction.estimate->value});
        drawn.high = std::max({drawn.high, row.measured, row.prediction.estimate->value});
    }
    return drawn;
}

/// Names of the sets that have a colour of their own: those of the most rows, by name where they tie.
std::vector<std::string> colouredSets(const Validation& validation, const std::vector<std::size_t>& rows) {
    std::map<std::string, std::size_t> counts;
    for (const std::size_t i : rows) ++counts[validation.rows[i].set];
    std::vector<std::pair<std::string, std::size_t>> order(counts.begin(), counts.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    // A single one that is left over may as well have the last colour.
    if (order.size() > kColouredSets + 1) order.resize(kColouredSets);
    std::vector<std::string> names;
    for (auto& [name, count] : order) names.push_back(name);
    return names;
}

/// Keeps one point of each cell of a fine grid, unless there are few.
class CellGrid {
public:
    CellGrid(const Drawn& drawn, std::optional<std::size_t> kept)
        : thins_(drawn.rows.size() > kManyRows),
          low_(std::log10(drawn.low)),
          step_(std::max(std::log10(drawn.high) - low_, 1e-9) / kCells),
          kept_(kept) {}
    bool takes(std::size_t series, std::size_t index, const ValidationRow& row) {
        if (!thins_) return true;
        const auto cell = [&](double value) { return static_cast<int>((std::log10(value) - low_) / step_); };
        const bool isNew =
            taken_.emplace(series, std::pair(cell(row.measured), cell(row.prediction.estimate->value))).second;
        return isNew || kept_ == index;
    }

private:
    bool thins_;
    double low_, step_;
    std::optional<std::size_t> kept_;
    std::set<std::pair<std::size_t, std::pair<int, int>>> taken_;
};

void addComparison(ValidationPicture& picture, const Drawn& drawn, double scale) {
    const std::vector<double> ends{drawn.low * scale, drawn.high * scale};
    Series band{.id = "band", .name = "within 20 %", .mark = Mark::band, .colour = "good", .x = ends};
    Series equal{.id = "equal",
                 .name = "predicted as measured",
                 .mark = Mark::line,
                 .colour = "secondary",
                 .x = ends,
                 .y = ends,
                 .dashed = true,
                 .reference = true};
    for (const double end : ends) {
        band.low.push_back(end * (1 - kBand));
        band.y.push_back(end * (1 + kBand));
    }
    for (Series* each : {&band, &equal}) {
        picture.chart.series.push_back(std::move(*each));
        picture.rows.emplace_back();
    }
}

std::string pointText(const ValidationRow& row) {
    return fmt::format("{}: {}", escaped(row.id, 60), deviationText(row));
}

/// "Step time: 93 % of 612 rows predicted within 20 %".
std::string titleOfRows(const Validation& validation, const ValidationQuantity& quantity,
                        const std::vector<std::size_t>& rows) {
    if (rows.empty()) return quantity.title;
    const auto near = std::count_if(rows.begin(), rows.end(), [&](std::size_t i) {
        const ValidationRow& row = validation.rows[i];
        return row.prediction.estimate &&
               std::fabs(row.prediction.estimate->value - row.measured) <= kBand * row.measured;
    });
    return fmt::format("{}: {:.0f} % of {} predicted within {:.0f} %", quantity.title,
                       std::floor(100 * static_cast<double>(near) / static_cast<double>(rows.size())),
                       formatCounted(rows.size(), "row", "rows"), 100 * kBand);
}

}  // namespace

std::string quantityOf(const Validation& validation, const ValidationRow& row) {
    const QuantityRow* known = knownQuantity(validation, row);
    return known == nullptr ? row.metric : std::string(known->id);
}

std::vector<ValidationQuantity> quantitiesOf(const Validation& validation) {
    std::set<std::string> present;
    std::vector<std::string> others;
    for (const ValidationRow& row : validation.rows) {
        const std::string id = quantityOf(validation, row);
        if (present.insert(id).second && knownQuantity(validation, row) == nullptr) others.push_back(id);
    }
    std::vector<ValidationQuantity> all;
    for (const QuantityRow& each : kQuantities)
        if (present.contains(std::string(each.id)))
            all.push_back(
                {std::string(each.id), std::string(each.title), each.measure, std::string(each.unit), each.scale});
    for (const std::string& metric : others) all.push_back({metric, escaped(metric, 40)});
    return all;
}

std::string valueText(const ValidationQuantity& quantity, double value) {
    if (quantity.measure != Measure::count) return formatQuantity(value, quantity.measure);
    const std::string number = formatCount(value * quantity.scale);
    return quantity.unit.empty() ? number : number + " " + quantity.unit;
}

std::string deviationText(const ValidationRow& row) {
    if (!row.prediction.estimate) return "";
    const double difference = row.prediction.estimate->value - row.measured;
    const double percent = 100 * (row.absolute ? difference : difference / row.measured);
    const double size = std::fabs(percent);
    const std::string number =
        size >= 1000 ? formatCount(std::round(size)) : fmt::format("{:.{}f}", size, size < 10 ? 1 : 0);
    const std::string sign = number == "0.0" ? "" : percent < 0 ? "−" : "+";
    return fmt::format("{}{} {}", sign, number, row.absolute ? "points" : "%");
}

ValidationPicture validationPicture(const Validation& validation, const ValidationQuantity& quantity,
                                    const std::vector<std::size_t>& rows, std::optional<std::size_t> kept) {
    ValidationPicture picture;
    Chart& chart = picture.chart;
    chart.id = "validation-" + quantity.id;
    chart.title = titleOfRows(validation, quantity, rows);
    const std::string unit = quantity.unit.empty() ? "" : fmt::format(" ({})", quantity.unit);
    chart.x = {.title = "Measured" + unit, .measure = quantity.measure, .logarithmic = true};
    chart.y = {.title = "Predicted" + unit, .measure = quantity.measure, .logarithmic = true};
    chart.empty = "No row is left to draw. Choose more sets, or another filter.";
    const Drawn drawn = drawnOf(validation, rows);
    picture.drawable = drawn.rows.size();
    if (drawn.rows.empty()) return picture;
    addComparison(picture, drawn, quantity.scale);
    const std::vector<std::string> sets = colouredSets(validation, drawn.rows);
    const std::size_t first = chart.series.size();
    for (std::size_t s = 0; s <= sets.size(); ++s) {
        chart.series.push_back({.id = s < sets.size() ? sets[s] : std::string(kOthers),
                                .name = s < sets.size() ? escaped(sets[s], 40) : "other sets",
                                .mark = Mark::points,
                                .colour = std::string(kSetColours.at(std::min(s, kColouredSets))),
                                .opacity = 0.85,
                                .shape = static_cast<int>(s)});
        picture.rows.emplace_back();
    }
    CellGrid grid(drawn, kept);
    for (const std::size_t i : drawn.rows) {
        const ValidationRow& row = validation.rows[i];
        const auto place = static_cast<std::size_t>(std::find(sets.begin(), sets.end(), row.set) - sets.begin());
        if (!grid.takes(place, i, row)) continue;
        Series& series = chart.series[first + place];
        series.x.push_back(row.measured * quantity.scale);
        series.y.push_back(row.prediction.estimate->value * quantity.scale);
        series.valueTexts.push_back(pointText(row));
        series.radii.push_back(kPointRadius);  // which also keeps their texts for the mouse
        picture.rows[first + place].push_back(i);
        ++picture.shown;
    }
    if (chart.series.back().x.empty()) {
        chart.series.pop_back();
        picture.rows.pop_back();
    }
    if (picture.shown < picture.drawable)
        chart.notes.push_back(fmt::format("{} of {} points shown: of points that lie next to each other, one.",
                                          formatCount(picture.shown), formatCount(picture.drawable)));
    if (picture.drawable < rows.size())
        chart.notes.push_back(fmt::format("{} without a place here: refused, or zero.",
                                          formatCounted(rows.size() - picture.drawable, "row", "rows")));
    return picture;
}

}  // namespace tessera::report
