#include "core/draw/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/chart_layout.h"
#include "core/draw/heat_map_layout.h"
#include "core/draw/table.h"
#include "core/draw/timeline_layout.h"

namespace tessera::report {

namespace {

constexpr double kHeatMapWidth = 960;
constexpr double kMaxHeatMapColumns = 200;
constexpr double kBarStep = 30;
constexpr double kSideStep = 24;
constexpr double kMaxBars = 40;

/// Horizontal bars are as high as they need to be.
Size naturalSize(const Chart& chart, Size size) {
    if (!chart.horizontal || chart.x.categories.empty()) return size;
    const auto bars = static_cast<double>(barsSideBySide(chart));
    const double step = bars > 1 ? kSideStep * bars : kBarStep;
    const double around = 84 + (chart.series.size() > 1 ? 20 : 0) + 16 * static_cast<double>(chart.notes.size());
    size.height = around + step * std::min(static_cast<double>(chart.x.categories.size()), kMaxBars);
    return size;
}

std::string heading(const Axis& axis, const std::string& otherwise) {
    const std::string title = axis.title.empty() ? otherwise : axis.title;
    const std::string_view unit = axis.categories.empty() ? unitName(axis.measure) : "";
    return unit.empty() ? title : fmt::format("{} ({})", title, unit);
}

std::string cellOf(double value) {
    return std::isfinite(value) ? exactNumber(value) : "";
}

std::string categoryOrNumber(double value, const Axis& axis) {
    if (!(value >= 0) || value >= static_cast<double>(axis.categories.size())) return cellOf(value);
    return axis.categories[static_cast<std::size_t>(value)];
}

/// Nanoseconds, which is what trace viewers keep; whole, so that neighbours touch and never overlap. Cycles of unknown
/// length count as one each.
double nanoseconds(const Timeline& timeline, double time) {
    const double unit = measureOf(timeline) == Measure::count ? 1 : 1e9;
    return std::isfinite(time) ? std::clamp(std::round(time * unit), -9e15, 9e15) : 0;
}

std::string quoted(const std::string& text) {
    return Json(escaped(text)).dump();
}

}  // namespace

std::string toSvg(const Chart& chart, const Theme& theme, Size size) {
    ChartLayout layout = layOut(chart, {}, naturalSize(chart, size), estimatedWidth);
    Drawing drawing = std::move(layout.back);
    std::move(layout.front.shapes.begin(), layout.front.shapes.end(), std::back_inserter(drawing.shapes));
    return toSvg(drawing, theme);
}

std::string toSvg(const HeatMap& map, const Theme& theme) {
    HeatMapView view;
    const auto columns = static_cast<double>(columnsOf(map));
    // As many columns as still can be told apart; more share a cell.
    if (columns > kMaxHeatMapColumns) {
        const Size size{kHeatMapWidth, 0};
        const double cell = layOut(map, {.tips = false, .minCell = 4}, size, estimatedWidth).cellWidth;
        view.minCell = cell * std::ceil(columns / kMaxHeatMapColumns);
    }
    return toSvg(layOut(map, view, {kHeatMapWidth, 0}, estimatedWidth).drawing, theme);
}

std::string toSvg(const Timeline& timeline, const Theme& theme, Size size) {
    return toSvg(layOut(timeline, {}, size, estimatedWidth).drawing, theme);
}

std::string toCsv(const Chart& chart) {
    Table table;
    table.columns = {{"series"}, {heading(chart.x, "x")}, {heading(chart.y, "y")}};
    const bool errors = std::any_of(chart.series.begin(), chart.series.end(),
                                    [](const Series& series) { return !series.low.empty() || !series.high.empty(); });
    if (errors) table.columns.insert(table.columns.end(), {{"low"}, {"high"}});
    for (const Series& series : chart.series)
        for (std::size_t i = 0; i < series.y.size(); ++i) {
            std::vector<std::string> row{series.name.empty() ? series.id : series.name,
                                         i < series.x.size() ? categoryOrNumber(series.x[i], chart.x) : "",
                                         cellOf(series.y[i])};
            if (errors) {
                row.push_back(i < series.low.size() ? cellOf(series.low[i]) : "");
                row.push_back(i < series.high.size() ? cellOf(series.high[i]) : "");
            }
            table.rows.push_back(std::move(row));
        }
    return toCsv(table);
}

std::string toCsv(const HeatMap& map) {
    Table table;
    table.columns = {{map.rowTitle.empty() ? "row" : map.rowTitle},
                     {map.columnTitle.empty() ? "column" : map.columnTitle},
                     {"category"}};
    for (std::size_t row = 0; row < rowsOf(map); ++row)
        for (std::size_t column = 0; column < columnsOf(map); ++column) {
            const int category = categoryAt(map, row, column);
            table.rows.push_back({row < map.rows.size() ? map.rows[row] : std::to_string(row),
                                  column < map.columns.size() ? map.columns[column] : std::to_string(column),
                                  category < 0 ? "" : map.categories[static_cast<std::size_t>(category)].name});
        }
    return toCsv(table);
}

std::string toCsv(const Timeline& timeline) {
    Table table;
    const std::string& unit = timeline.unit;
    table.columns = {{"group"}, {"track"},   {"start (" + unit + ")"}, {"duration (" + unit + ")"},
                     {"name"},  {"category"}};
    for (const Timeline::Event& event : timeline.events) {
        const bool known = event.track >= 0 && static_cast<std::size_t>(event.track) < timeline.tracks.size();
        const Timeline::Track track =
            known ? timeline.tracks[static_cast<std::size_t>(event.track)] : Timeline::Track{};
        table.rows.push_back(
            {track.group, track.name, cellOf(event.start), cellOf(event.duration), event.name, event.category});
    }
    return toCsv(table);
}

std::string toChromeTrace(const Timeline& timeline) {
    std::string text = R"({"displayTimeUnit":"ms","traceEvents":[)";
    std::map<std::string, std::size_t> processes;
    std::vector<std::size_t> process;
    const auto add = [&](const std::string& event) { text += (text.back() == '[' ? "\n" : ",\n") + event; };
    const auto name = [&](std::string_view what, std::size_t pid, std::size_t tid, const std::string& value) {
        add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"name":{}}}}})", pid, tid, what,
                        quoted(value)));
    };
    for (std::size_t track = 0; track < timeline.tracks.size(); ++track) {
        const std::string& group = timeline.tracks[track].group;
        const auto [found, fresh] = processes.try_emplace(group, processes.size() + 1);
        if (fresh) name("process_name", found->second, 0, group.empty() ? timeline.title : group);
        process.push_back(found->second);
        name("thread_name", found->second, track + 1, timeline.tracks[track].name);
    }
    const std::vector<std::size_t> starts = trackStarts(timeline);
    for (std::size_t track = 0; track < timeline.tracks.size(); ++track) {
        double free = -9e15;  // events of a track never overlap, whatever rounding does
        for (std::size_t i = starts[track]; i < starts[track + 1]; ++i) {
            const Timeline::Event& event = timeline.events[i];
            const double start = std::max(free, nanoseconds(timeline, event.start));
            const double end = std::max(start, nanoseconds(timeline, event.start + event.duration));
            free = end;
            std::string details;
            for (const auto& [key, value] : event.details)
                details += (details.empty() ? "" : ",") + quoted(key) + ":" + quoted(value);
            add(fmt::format(
                R"({{"ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"name":{},"cat":{},"args":{{{}}}}})",
                process[track], track + 1, start / 1000, (end - start) / 1000, quoted(event.name),
                quoted(event.category), details));
        }
    }
    // What the tracks use together: a counter, which viewers draw as a stacked area.
    for (std::size_t step = 0; step < stepsOf(timeline); ++step) {
        std::string amounts;
        for (std::size_t track = 0; track < timeline.tracks.size(); ++track) {
            const double amount = timeline.usage->values[step * timeline.tracks.size() + track];
            amounts += fmt::format("{}{}:{}", amounts.empty() ? "" : ",", quoted(timeline.tracks[track].name),
                                   std::isfinite(amount) ? exactNumber(amount) : "0");
        }
        add(fmt::format(R"({{"ph":"C","pid":1,"ts":{:.3f},"name":{},"args":{{{}}}}})",
                        nanoseconds(timeline, timeline.usage->times[step]) / 1000, quoted(timeline.usage->title),
                        amounts));
    }
    return text + "\n]}\n";
}

}  // namespace tessera::report
