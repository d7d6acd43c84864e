#include "core/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/base/units.h"
#include "core/report/table.h"

namespace tessera::report {

namespace {

constexpr double kWidth = 960;
constexpr double kTitleHeight = 32;
constexpr double kLabelWidth = 168;
constexpr double kValueWidth = 136;
constexpr double kBarHeight = 22;
constexpr double kBarStep = 30;
constexpr double kRowHeight = 22;
constexpr double kLegendHeight = 28;
constexpr double kPrintedFrom = 14;
constexpr double kWidestCell = 40;
constexpr std::size_t kMostColumns = 200;
constexpr std::size_t kMostRows = 64;
constexpr double kNameHeight = 88;

/// Coordinates with at most two decimals.
std::string at(double value) {
    std::string text = fmt::format("{:.2f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}

std::string textAt(double x, double y, const std::string& text, const std::string& colour,
                   const std::string& attributes = "") {
    return fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\"{}>{}</text>\n", at(x), at(y), colour, attributes,
                       htmlEscaped(text));
}

std::string open(double height, const std::string& title, const Theme& theme) {
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
               "role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"11\" "
               "font-variant-numeric=\"tabular-nums\">\n<title>{2}</title>\n",
               at(kWidth), at(height), htmlEscaped(title)) +
           textAt(0, 18, title, theme("text"), R"( font-size="16" font-weight="600")");
}

/// A step of 1, 2 or 5 times a power of ten that gives at most five grid lines.
double gridStep(double most) {
    const double decade = std::pow(10.0, std::floor(std::log10(most / 5)));
    for (const double factor : {1.0, 2.0, 5.0, 10.0})
        if (most / (factor * decade) <= 5) return factor * decade;
    return most;
}

std::string shortened(const std::string& text, std::size_t most) {
    if (displayWidth(text) <= most) return text;
    std::size_t bytes = 0;
    for (std::size_t shown = 0; bytes < text.size(); ++bytes)
        if ((static_cast<unsigned char>(text[bytes]) & 0xC0U) != 0x80U && ++shown == most) break;
    return text.substr(0, bytes) + "…";
}

/// The most frequent type of each cell's layers; a tie goes to the lower number.
std::vector<partition::Type> cellTypes(const partition::LevelPlan& level, std::size_t perCell) {
    std::vector<partition::Type> types;
    for (std::size_t from = 0; from < level.layers.size(); from += perCell) {
        std::array<std::size_t, 3> counts{};
        const std::size_t to = std::min(level.layers.size(), from + perCell);
        for (std::size_t i = from; i < to; ++i) ++counts.at(static_cast<std::size_t>(level.layers[i].type));
        const auto* const most = std::max_element(counts.begin(), counts.end());
        types.push_back(static_cast<partition::Type>(most - counts.begin()));
    }
    return types;
}

/// Fills of the three types: plain colours on screen, the same with hatching in print.
std::string typeStyles() {
    std::string text = "<defs>\n";
    constexpr std::array<std::string_view, 3> kStrokes{"", "M0 6L6 0", "M0 0L6 6M0 6L6 0"};
    for (std::size_t i = 1; i < kStrokes.size(); ++i)
        text += fmt::format(
            "<pattern id=\"hatch{0}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" "
            "height=\"6\" fill=\"{1}\"/><path d=\"{2}\" stroke=\"#FFFFFF\" stroke-width=\"1\"/></pattern>\n",
            i + 1, kPartitionTypes.at(i), kStrokes.at(i));
    text += "<style>";
    for (std::size_t i = 0; i < kPartitionTypes.size(); ++i)
        text += fmt::format(".type{}{{fill:{}}}", i + 1, kPartitionTypes.at(i));
    return text + "@media print{.type2{fill:url(#hatch2)}.type3{fill:url(#hatch3)}}</style>\n</defs>\n";
}

std::string legend(double y, const Theme& theme) {
    constexpr std::array<std::string_view, 3> kMeanings{"I: batch split", "II: input channels split",
                                                        "III: output channels split"};
    std::string text;
    double x = kLabelWidth;
    for (std::size_t i = 0; i < kMeanings.size(); ++i) {
        text += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" rx=\"2\" class=\"type{}\"/>\n", at(x),
                            at(y - 10), i + 1);
        text += textAt(x + 18, y, std::string(kMeanings.at(i)), theme("secondary"));
        x += 176;
    }
    return text;
}

std::string rowLabel(const partition::LevelPlan& level) {
    return fmt::format("{} · {}", level.level + 1, shortened(level.group, 14)) +
           (level.occurrences > 1 ? fmt::format(" ×{}", level.occurrences) : "");
}

std::string heatRow(const partition::LevelPlan& level, const std::vector<std::string>& names, std::size_t perCell,
                    double cell, double y) {
    std::string text;
    const std::vector<partition::Type> types = cellTypes(level, perCell);
    for (std::size_t i = 0; i < types.size(); ++i) {
        const double x = kLabelWidth + static_cast<double>(i) * cell;
        const std::string& name = names.at(static_cast<std::size_t>(level.layers[i * perCell].layer));
        const std::string more = perCell > 1 ? " and the next ones" : "";
        text += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"type{}\"><title>{}{}: {}</title></rect>\n",
            at(x), at(y), at(std::max(1.0, cell - 1)), at(kRowHeight - 1), static_cast<int>(types[i]) + 1,
            htmlEscaped(name), more, partition::nameOf(types[i]));
        if (cell > kPrintedFrom)
            text += textAt(x + (cell - 1) / 2, y + 15, std::string(partition::nameOf(types[i])), "#FFFFFF",
                           R"( text-anchor="middle" font-weight="600")");
    }
    return text;
}

std::string layerNames(const partition::LevelPlan& level, const std::vector<std::string>& names, double cell, double y,
                       const Theme& theme) {
    std::string text;
    for (std::size_t i = 0; i < level.layers.size(); ++i) {
        const double x = kLabelWidth + (static_cast<double>(i) + 0.5) * cell;
        text += textAt(x, y, shortened(names.at(static_cast<std::size_t>(level.layers[i].layer)), 14),
                       theme("secondary"), fmt::format(" transform=\"rotate(90 {} {})\"", at(x - 4), at(y)));
    }
    return text;
}

}  // namespace

std::string barChart(const std::string& title, const std::vector<Bar>& bars, const Theme& theme) {
    double most = 0;
    for (const Bar& bar : bars)
        if (std::isfinite(bar.value)) most = std::max(most, bar.value);
    const double bottom = kTitleHeight + kBarStep * static_cast<double>(bars.size());
    std::string svg = open(bottom + 24, title, theme);
    const double scale = most > 0 ? (kWidth - kLabelWidth - kValueWidth) / most : 0;
    const double step = most > 0 ? gridStep(most) : 1;
    for (double tick = 0; tick <= most; tick += step) {
        const double x = kLabelWidth + tick * scale;
        svg += fmt::format("<line x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\" stroke=\"{3}\"/>\n", at(x),
                           at(kTitleHeight), at(bottom), theme("grid-line"));
        svg += textAt(x, bottom + 16, formatCount(tick), theme("secondary"), " text-anchor=\"middle\"");
        if (most <= 0) break;
    }
    double y = kTitleHeight + 4;
    for (const Bar& bar : bars) {
        const double length = std::isfinite(bar.value) ? std::max(0.0, bar.value) * scale : 0;
        svg += textAt(kLabelWidth - 8, y + 15, shortened(bar.label, 26), theme("text"), " text-anchor=\"end\"");
        svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"{}\"/>\n",
                           at(kLabelWidth), at(y), at(length), at(kBarHeight), bar.colour);
        svg += textAt(kLabelWidth + length + 8, y + 15, bar.valueText, theme("text"), " font-weight=\"600\"");
        y += kBarStep;
    }
    return svg + "</svg>\n";
}

std::string partitionHeatMap(const partition::Plan& plan, const std::vector<std::string>& names, const Theme& theme) {
    std::size_t layers = 0;
    for (const partition::LevelPlan& level : plan.levels) layers = std::max(layers, level.layers.size());
    const std::size_t perCell = std::max<std::size_t>(1, (layers + kMostColumns - 1) / kMostColumns);
    const std::size_t columns = (layers + perCell - 1) / perCell;
    const std::size_t rows = std::min(plan.levels.size(), kMostRows);
    const double cell =
        std::min(kWidestCell, (kWidth - kLabelWidth) / static_cast<double>(std::max<std::size_t>(1, columns)));
    const bool named = perCell == 1 && cell > kPrintedFrom;
    const double bottom = kTitleHeight + kRowHeight * static_cast<double>(rows);
    const std::string title = fmt::format("Type of every layer at every split, {}", plan.strategy);
    std::string svg = open(bottom + (named ? kNameHeight : 0) + kLegendHeight + 12, title, theme) + typeStyles();
    if (rows == 0 || columns == 0)
        return svg + textAt(0, kTitleHeight + 12, "Nothing is split: there is one accelerator.", theme("secondary")) +
               "</svg>\n";
    double y = kTitleHeight;
    for (std::size_t i = 0; i < rows; ++i) {
        svg += textAt(kLabelWidth - 8, y + 15, rowLabel(plan.levels[i]), theme("secondary"), " text-anchor=\"end\"");
        svg += heatRow(plan.levels[i], names, perCell, cell, y);
        y += kRowHeight;
    }
    if (named) svg += layerNames(plan.levels[0], names, cell, y + 6, theme);
    y += (named ? kNameHeight : 0) + 20;
    svg += legend(y, theme);
    std::string note;
    if (perCell > 1) note = fmt::format("A cell is {} layers. ", perCell);
    if (rows < plan.levels.size()) note += fmt::format("{} further splits are not shown.", plan.levels.size() - rows);
    if (!note.empty()) svg += textAt(kLabelWidth + 544, y, note, theme("secondary"));
    return svg + "</svg>\n";
}

}  // namespace tessera::report
