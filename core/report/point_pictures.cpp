#include "core/report/point_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/theme.h"
#include "core/explore/front.h"
#include "core/explore/hypervolume.h"
#include "core/explore/importance.h"
#include "core/explore/surface.h"
#include "core/study/metric.h"

namespace tessera::report {

using explore::PointColumn;
using explore::PointTable;

namespace {

constexpr std::size_t kRampSteps = 24;
constexpr std::size_t kMaxTips = 2000;     ///< points that say their names in a file
constexpr std::size_t kLongestLabel = 40;  ///< letters of a name that stands beside its point
constexpr double kLeastRadius = 2, kMostRadius = 7;
constexpr std::string_view kNoPoints = "There are no points yet.";

Axis pointAxis(const PointColumn& column, bool logarithmic) {
    return {.title = titleOf(column),
            .measure = column.measure,
            .logarithmic = logarithmic && column.words.empty(),
            .categories = column.words};
}

/// What a point is to its exploration. Its marker says so whatever is brushed; colour and opacity say the rest.
enum class PointRole : std::uint8_t { failed, evaluated, front, baseline, measured, knee, chosen };

struct PointRoleLook {
    std::string_view id, name, colour;
    int shape;    ///< as of `shapeOf`
    bool arrows;  ///< out of sight it is marked at the edge
};
constexpr std::array kPointRoles{PointRoleLook{"failed", "no solution", "disabled", 5, false},
                                 PointRoleLook{"others", "evaluated", kCategories[5], 0, false},
                                 PointRoleLook{"on-front", "on the front", "accent", 2, false},
                                 PointRoleLook{"baselines", "baseline", kCategories[1], 3, true},
                                 PointRoleLook{"measured", "measured", kCategories[3], 5, true},
                                 PointRoleLook{"knee", "knee", kCategories[4], 1, true},
                                 PointRoleLook{"best", "chosen", kCategories[2], 4, true}};

/// Points of a role as they are collected.
struct RolePoints {
    Series series;
    std::vector<std::uint32_t> points = {};
};

struct PointExtremes {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    void add(double value) {
        if (!std::isfinite(value)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    bool isEmpty() const { return low > high; }
};

/// What an axis shows: the front, and on each side half as much again; all but baselines and measurements where there
/// is no front.
std::optional<Range> scatterFocus(const PointTable& points, const PointColumn& column, const PointScatter& scatter,
                                  bool logarithmic, const PointStates& states) {
    const auto place = [&](double value) { return logarithmic ? std::log10(value) : value; };
    const auto value = [&](double at) { return logarithmic ? std::pow(10.0, at) : at; };
    PointExtremes front, all;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (stateOf(states, i) == PointState::excluded || isReference(points, i)) continue;
        all.add(place(valueOf(column, i)));
    }
    for (const std::size_t i : scatter.front) front.add(place(valueOf(column, i)));
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!scatter.front.empty() && hasMark(points, i, explore::kChosen) &&
            stateOf(states, i) != PointState::excluded)
            front.add(place(valueOf(column, i)));
    if (all.isEmpty()) return std::nullopt;
    if (!(front.high > front.low))
        return all.high > all.low ? std::optional(Range{value(all.low), value(all.high)}) : std::nullopt;
    const double more = (front.high - front.low) / 2;
    return Range{value(std::max(all.low, front.low - more)), value(std::min(all.high, front.high + more))};
}

/// The border of what is reached: from each point of the front straight along x, then along y to the next one.
Series frontSteps(const std::vector<std::size_t>& front, const PointColumn& x, const PointColumn& y) {
    Series steps{.id = "front", .name = "front", .mark = Mark::line, .colour = "accent", .reference = true};
    const bool holds = x.better == PointColumn::Better::lower;
    for (std::size_t i = 0; i < front.size(); ++i) {
        const double atX = valueOf(x, front[i]), atY = valueOf(y, front[i]);
        if (i > 0) {
            const double beforeX = steps.x.back(), beforeY = steps.y.back();
            steps.x.push_back(holds ? atX : beforeX);
            steps.y.push_back(holds ? beforeY : atY);
        }
        steps.x.push_back(atX);
        steps.y.push_back(atY);
    }
    return steps;
}

std::string scatterTitleOf(const PointTable& points, const PointScatter& scatter, const ScatterLook& look) {
    if (!look.extras.title.empty()) return look.extras.title;
    const PointColumn &x = points.columns[look.x], &y = points.columns[look.y];
    if (scatter.front.empty()) return fmt::format("{} against {}", y.title, x.title);
    std::size_t known = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
        known += stateOf(look.states, i) != PointState::excluded && !isBeside(points, i) ? 1 : 0;
    const std::string noun =
        points.title.empty() ? "points" : lowered(points.title.substr(0, 1)) + points.title.substr(1);
    return fmt::format("{} of {} {} {} best in {} and {}{}", formatCount(scatter.front.size()), formatCount(known),
                       noun, scatter.front.size() == 1 ? "is" : "are", x.title, y.title, look.extras.qualifier);
}

}  // namespace

PointTones tonesOf(const PointTable& points, std::size_t column, const PointStates& states) {
    PointTones its;
    if (column >= points.columns.size()) return its;
    const PointColumn& of = points.columns[column];
    its.key.title = titleOf(of);
    its.tones.assign(points.size(), kNoTone);
    if (!of.words.empty()) {
        its.key.names = of.words;
        for (std::size_t i = 0; i < of.words.size(); ++i)
            its.key.palette.emplace_back(kCategories.at(i % kCategories.size()));
        for (std::size_t i = 0; i < points.size(); ++i)
            if (const double value = valueOf(of, i); value >= 0 && value < static_cast<double>(of.words.size()))
                its.tones[i] = static_cast<std::uint8_t>(std::min(value, kNoTone - 1.0));
        return its;
    }
    PointExtremes extremes;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (stateOf(states, i) != PointState::excluded) extremes.add(valueOf(of, i));
    if (extremes.isEmpty()) extremes = {0, 1};
    const bool logarithmic = of.log && extremes.low > 0;
    const auto place = [&](double value) { return logarithmic ? std::log10(value) : value; };
    const double low = place(extremes.low), length = place(extremes.high) - low;
    its.key.low = textOf(of, extremes.low);
    its.key.high = textOf(of, extremes.high);
    for (std::size_t i = 0; i < kRampSteps; ++i)
        its.key.palette.push_back(quantityColour(0.12 + 0.88 * static_cast<double>(i) / (kRampSteps - 1)));
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double share = (place(valueOf(of, i)) - low) / (length > 0 ? length : 1);
        if (std::isfinite(share))
            its.tones[i] = static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * (kRampSteps - 1)));
    }
    return its;
}

ScatterFront scatterFrontOf(const PointTable& points, std::size_t x, std::size_t y, const PointStates& states) {
    ScatterFront front{.points = frontOf(points, x, y, states)};
    front.knee = kneeOf(points, front.points, x, y);
    return front;
}

PointScatter scatterOf(const PointTable& points, const ScatterLook& look) {
    PointScatter scatter;
    Chart& chart = scatter.chart;
    chart.empty = kNoPoints;
    if (look.x >= points.columns.size() || look.y >= points.columns.size()) return scatter;
    const PointColumn &x = points.columns[look.x], &y = points.columns[look.y];
    chart.id = fmt::format("scatter-{}-{}", x.id, y.id);
    chart.x = pointAxis(x, look.logX);
    chart.y = pointAxis(y, look.logY);
    ScatterFront front = look.front != nullptr ? *look.front : scatterFrontOf(points, look.x, look.y, look.states);
    scatter.front = std::move(front.points);
    scatter.knee = front.knee;
    PointTones tones;
    if (look.colour) {
        tones = tonesOf(points, *look.colour, look.states);
        chart.key = tones.key;
    }
    std::vector<float> radii;
    if (look.size && *look.size < points.columns.size()) {
        const PointColumn& of = points.columns[*look.size];
        PointExtremes extremes;
        for (std::size_t i = 0; i < points.size(); ++i)
            if (stateOf(look.states, i) != PointState::excluded) extremes.add(valueOf(of, i));
        const double length = extremes.high > extremes.low ? extremes.high - extremes.low : 1;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double share = (valueOf(of, i) - extremes.low) / length;
            radii.push_back(static_cast<float>(kLeastRadius + (kMostRadius - kLeastRadius) *
                                                                  (std::isfinite(share) ? std::sqrt(share) : 0)));
        }
        chart.notes.push_back(
            fmt::format("Size: {}, from {} to {}.", of.title, textOf(of, extremes.low), textOf(of, extremes.high)));
    }

    // By role: first what is filtered out, then what is shown.
    std::array<std::array<RolePoints, 2>, kPointRoles.size()> roles;
    for (std::size_t role = 0; role < roles.size(); ++role) {
        const PointRoleLook& its = kPointRoles.at(role);
        roles.at(role)[0].series = {.id = "filtered-" + std::string(its.id),
                                    .mark = Mark::points,
                                    .colour = "disabled",
                                    .opacity = 0.35,
                                    .shape = its.shape};
        roles.at(role)[1].series = {.id = std::string(its.id),
                                    .name = std::string(its.name),
                                    .mark = Mark::points,
                                    .colour = std::string(its.colour),
                                    .shape = its.shape,
                                    .edgeArrows = its.arrows};
    }
    std::vector<bool> onFront(points.size(), false);
    for (const std::size_t point : scatter.front) onFront[point] = true;
    const bool tips = points.size() <= kMaxTips;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const PointState state = stateOf(look.states, i);
        const double atX = valueOf(x, i), atY = valueOf(y, i);
        if (state == PointState::excluded || !isShown(atX, chart.x) || !isShown(atY, chart.y)) continue;
        const PointRole role = !points.isFeasible(i)                    ? PointRole::failed
                               : hasMark(points, i, explore::kChosen)   ? PointRole::chosen
                               : hasMark(points, i, explore::kBaseline) ? PointRole::baseline
                               : hasMark(points, i, explore::kMeasured) ? PointRole::measured
                               : scatter.knee == i                      ? PointRole::knee
                               : onFront[i]                             ? PointRole::front
                                                                        : PointRole::evaluated;
        const bool shown = state == PointState::shown;
        RolePoints& its = roles.at(static_cast<std::size_t>(role)).at(shown ? 1 : 0);
        Series& series = its.series;
        series.x.push_back(atX);
        series.y.push_back(atY);
        its.points.push_back(static_cast<std::uint32_t>(i));
        if (shown && !tones.tones.empty()) series.tones.push_back(tones.tones[i]);
        if (!radii.empty()) series.radii.push_back(static_cast<double>(radii[i]));
        const bool special = role > PointRole::evaluated;
        if (!tips && !special) continue;
        series.valueTexts.push_back(nameOf(points, i));
        const std::string label = labelOf(points, i);
        const bool labelled = special && shown && (role != PointRole::front || label.size() <= kLongestLabel);
        series.labels.push_back(labelled ? label : "");
    }
    for (const std::size_t role : {std::size_t{0}, std::size_t{1}})
        for (RolePoints& its : roles.at(role)) its.series.crowds = true;
    for (auto& role : roles)
        if (!role[0].points.empty()) {
            role[0].series.name = "filtered out";  // one name in the legend for all
            break;
        }
    const auto put = [&](Series series, std::vector<std::uint32_t> its) {
        if (series.x.empty()) return;
        chart.series.push_back(std::move(series));
        scatter.points.push_back(std::move(its));
    };
    for (auto& role : roles) put(std::move(role[0].series), std::move(role[0].points));
    for (const std::size_t role : {std::size_t{0}, std::size_t{1}})
        put(std::move(roles.at(role)[1].series), std::move(roles.at(role)[1].points));
    if (scatter.front.size() > 1) put(frontSteps(scatter.front, x, y), {});
    for (const Series& beside : look.extras.beside) put(beside, {});
    for (std::size_t role = 2; role < roles.size(); ++role)
        put(std::move(roles.at(role)[1].series), std::move(roles.at(role)[1].points));
    if (!look.whole) {
        if (x.words.empty()) chart.x.focus = scatterFocus(points, x, scatter, look.logX, look.states);
        if (y.words.empty()) chart.y.focus = scatterFocus(points, y, scatter, look.logY, look.states);
    }
    chart.title = scatterTitleOf(points, scatter, look);
    return scatter;
}

std::vector<std::size_t> tellingValues(const PointTable& points, std::size_t max) {
    std::vector<std::size_t> telling;
    using Role = PointColumn::Role;
    for (const Role role : {Role::objective, Role::constraint, Role::variable, Role::metric})
        for (std::size_t i = 0; i < points.columns.size() && telling.size() < max; ++i) {
            const PointColumn& column = points.columns[i];
            if (column.role != role) continue;
            PointExtremes extremes;
            for (const double value : column.values) extremes.add(value);
            if (extremes.high > extremes.low) telling.push_back(i);
        }
    return telling;
}

ParallelPicture parallelOf(const PointTable& points, const std::vector<std::size_t>& columns,
                           std::optional<std::size_t> colour, const PointStates& states) {
    const std::string noun = points.title.empty() ? "Points" : points.title;
    ParallelPicture picture{.id = "parallel", .title = noun + " in all values", .axes = {}, .rows = points.size()};
    picture.empty = kNoPoints;
    for (const std::size_t column : columns) {
        const PointColumn& of = points.columns[column];
        ParallelPicture::Line line{.axis = pointAxis(of, of.log), .values = of.values};
        line.axis.title = of.title;  // its ends say the unit
        line.values.resize(points.size(), std::numeric_limits<double>::quiet_NaN());
        line.text = [of = PointColumn{.id = of.id,
                                      .title = of.title,
                                      .measure = of.measure,
                                      .unit = of.unit,
                                      .words = of.words}](double value) { return textOf(of, value); };
        for (std::size_t i = 0; i < points.size(); ++i)
            if (stateOf(states, i) == PointState::excluded || !points.isFeasible(i))
                line.values[i] = std::numeric_limits<double>::quiet_NaN();
        picture.axes.push_back(std::move(line));
    }
    PointTones tones = lineTonesOf(points, colour, states);
    picture.tones = std::move(tones.tones);
    picture.key = std::move(tones.key);
    return picture;
}

PointTones lineTonesOf(const PointTable& points, std::optional<std::size_t> colour, const PointStates& states) {
    if (colour) return tonesOf(points, *colour, states);
    // Later ones lie above.
    struct Stand {
        explore::PointMark mark;
        std::string_view name, colour;
    };
    constexpr std::array kStands{
        Stand{explore::kFront, "on the front", "accent"}, Stand{explore::kMeasured, "measured", kCategories[3]},
        Stand{explore::kBaseline, "baseline", kCategories[1]}, Stand{explore::kChosen, "chosen", kCategories[2]}};
    PointTones its;
    its.key.palette = {std::string(kBackgroundLines)};
    its.key.names = {"evaluated"};
    its.tones.assign(points.size(), 0);
    for (const Stand& stand : kStands) {
        its.key.palette.emplace_back(stand.colour);
        its.key.names.emplace_back(stand.name);
        for (std::size_t i = 0; i < points.size(); ++i)
            if (hasMark(points, i, stand.mark)) its.tones[i] = static_cast<std::uint8_t>(its.key.palette.size() - 1);
    }
    return its;
}

MatrixPicture matrixOf(const PointTable& points, const std::vector<std::size_t>& columns,
                       std::optional<std::size_t> colour, const PointStates& states) {
    const std::string noun = points.title.empty() ? "Points" : points.title;
    MatrixPicture picture{.id = "matrix", .title = noun + " in every two values", .axes = {}, .rows = points.size()};
    picture.empty = kNoPoints;
    for (const std::size_t column : columns) {
        const PointColumn& of = points.columns[column];
        MatrixPicture::Line line{.axis = pointAxis(of, of.log), .values = of.values};
        line.values.resize(points.size(), std::numeric_limits<double>::quiet_NaN());
        for (std::size_t i = 0; i < points.size(); ++i)
            if (stateOf(states, i) == PointState::excluded || !points.isFeasible(i))
                line.values[i] = std::numeric_limits<double>::quiet_NaN();
        picture.axes.push_back(std::move(line));
    }
    picture.shown = shownRows(states);
    if (!colour) return picture;
    PointTones tones = tonesOf(points, *colour, states);
    picture.tones = std::move(tones.tones);
    picture.key = std::move(tones.key);
    return picture;
}

Chart bestSoFarChart(const PointTable& points, std::size_t column) {
    Chart chart{.id = "best-so-far", .title = {}, .empty = std::string(kNoPoints)};
    if (column >= points.columns.size()) return chart;
    const PointColumn& of = points.columns[column];
    const bool higher = of.better == PointColumn::Better::higher;
    chart.x = {.title = "Points evaluated"};
    chart.y = pointAxis(of, of.log);
    Series best{.id = "best", .name = "best so far", .mark = Mark::steps, .colour = "accent"};
    Series each{.id = "points",
                .name = "each point",
                .mark = Mark::points,
                .colour = std::string(kCategories[5]),
                .opacity = 0.5};
    each.shape = 0;
    each.crowds = true;
    double reached = std::numeric_limits<double>::quiet_NaN();
    double at = 0;
    std::size_t improvedAt = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (isReference(points, i)) continue;
        ++at;
        const double value = valueOf(of, i);
        if (!points.isFeasible(i) || !std::isfinite(value)) continue;
        each.x.push_back(at);
        each.y.push_back(value);
        if (std::isnan(reached) || (higher ? value > reached : value < reached)) {
            reached = value;
            improvedAt = static_cast<std::size_t>(at);
            best.x.push_back(at);
            best.y.push_back(value);
        }
    }
    if (best.x.empty()) return chart;
    best.x.push_back(at);
    best.y.push_back(reached);
    chart.title = fmt::format("{}: best {} after {} of {} points", of.title, textOf(of, reached),
                              formatCount(improvedAt), formatCount(at));
    chart.series = {std::move(each), std::move(best)};
    return chart;
}

Chart hypervolumeChart(const PointTable& points) {
    Chart chart{.id = "hypervolume", .title = {}, .empty = std::string(kNoPoints)};
    chart.x = {.title = "Points evaluated"};
    chart.y = {.title = "Hypervolume (%)"};
    const std::vector<double> all = explore::objectivesOf(points);
    const std::size_t objectives = points.size() == 0 ? 0 : all.size() / points.size();
    // Scaled to the extent, so that no unit outweighs the others.
    std::vector<PointExtremes> extents(objectives);
    std::vector<bool> counts(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        counts[i] = !isReference(points, i);
        const bool known = std::all_of(all.begin() + static_cast<std::ptrdiff_t>(i * objectives),
                                       all.begin() + static_cast<std::ptrdiff_t>((i + 1) * objectives),
                                       [](double value) { return std::isfinite(value); });
        for (std::size_t o = 0; counts[i] && known && o < objectives; ++o) extents[o].add(all[i * objectives + o]);
    }
    std::vector<double> scaled;
    for (std::size_t i = 0; i < points.size(); ++i)
        for (std::size_t o = 0; counts[i] && o < objectives; ++o) {
            const double length = extents[o].high - extents[o].low;
            scaled.push_back(length > 0 ? (all[i * objectives + o] - extents[o].low) / length : 0.5);
        }
    if (objectives < 2 || extents.front().isEmpty()) {
        if (points.size() > 0) chart.empty = "A hypervolume needs two objectives.";
        return chart;
    }
    const std::vector<double> after =
        explore::hypervolumeAfterEach(scaled, objectives, std::vector<double>(objectives, 1.0));
    Series reached{.id = "hypervolume", .name = "dominated", .mark = Mark::steps, .colour = "accent"};
    for (std::size_t i = 0; i < after.size(); ++i) {
        if (!reached.y.empty() && 100 * after[i] <= reached.y.back() && i + 1 < after.size()) continue;
        reached.x.push_back(static_cast<double>(i) + 1);
        reached.y.push_back(100 * after[i]);
    }
    const auto half = std::find_if(reached.y.begin(), reached.y.end(),
                                   [&](double value) { return value >= 0.99 * reached.y.back(); });
    chart.title = fmt::format("99 % of the hypervolume after {} of {} points",
                              formatCount(reached.x[static_cast<std::size_t>(half - reached.y.begin())]),
                              formatCount(after.size()));
    chart.notes.push_back("Of the box between the best and the worst value of every objective.");
    chart.series.push_back(std::move(reached));
    return chart;
}

namespace {

/// Below this share of the variance a process says little.
constexpr double kSaysLittle = 0.3;

std::string explainedNote(double explained, std::size_t points) {
    return fmt::format(
        "From a Gaussian process of {} points, which predicts {} of the variance of held-out points "
        "(R²){}.",
        formatCount(points), study::percentText(explained), explained < kSaysLittle ? ": too little to rely on" : "");
}

}  // namespace

Chart surfaceChart(const PointTable& points, std::size_t value, std::size_t x, std::size_t y, std::size_t at) {
    Chart chart{.id = "surface", .title = {}};
    chart.empty = "A surface needs two variables in which points differ, and at least three points.";
    const std::size_t columns = points.columns.size();
    if (value >= columns || x >= columns || y >= columns || at >= points.size()) return chart;
    const PointColumn &of = points.columns[value], &across = points.columns[x], &up = points.columns[y];
    const explore::Surface surface = explore::responseSurface(points, value, x, y, at);
    if (surface.x.size() < 2 || surface.y.size() < 2) return chart;
    chart.id = fmt::format("surface-{}-{}-{}", of.id, across.id, up.id);
    chart.x = pointAxis(across, across.log);
    chart.y = pointAxis(up, up.log);
    const auto outer = [](const std::vector<double>& middles, const Axis& axis) {
        const auto place = [&](double each) { return axis.logarithmic ? std::log10(each) : each; };
        const double half =
            (place(middles.back()) - place(middles.front())) / static_cast<double>(middles.size() - 1) / 2;
        const auto back = [&](double each) { return axis.logarithmic ? std::pow(10.0, each) : each; };
        return Range{back(place(middles.front()) - half), back(place(middles.back()) + half)};
    };
    if (across.words.empty()) chart.x.focus = outer(surface.x, chart.x);
    if (up.words.empty()) chart.y.focus = outer(surface.y, chart.y);
    chart.field = Field{.x = {surface.x.front(), surface.x.back()},
                        .y = {surface.y.front(), surface.y.back()},
                        .columns = surface.x.size(),
                        .rows = surface.y.size(),
                        .values = surface.mean,
                        .axis = {.title = of.title, .measure = of.measure}};
    const auto [low, high] = std::minmax_element(surface.mean.begin(), surface.mean.end());
    chart.key = {.title = titleOf(of), .low = textOf(of, *low), .high = textOf(of, *high)};
    for (std::size_t i = 0; i < kRampSteps; ++i)
        chart.key.palette.push_back(quantityColour(static_cast<double>(i) / (kRampSteps - 1)));
    Series evaluated{.id = "evaluated", .name = "evaluated", .mark = Mark::points, .colour = "text", .opacity = 0.6};
    evaluated.shape = 0;
    Series chosen{
        .id = "at", .name = "held at this point", .mark = Mark::points, .colour = std::string(kCategories[1])};
    chosen.shape = 4;
    for (std::size_t i = 0; i < points.size(); ++i) {
        Series& its = i == at ? chosen : evaluated;
        its.x.push_back(valueOf(across, i));
        its.y.push_back(valueOf(up, i));
        if (points.size() <= kMaxTips) its.valueTexts.push_back(nameOf(points, i) + ": " + textOf(of, valueOf(of, i)));
        if (points.size() <= kMaxTips) its.labels.emplace_back();
    }
    chart.series = {std::move(evaluated), std::move(chosen)};
    chart.title =
        fmt::format("{} over {} and {}, all else as at {}", of.title, across.title, up.title, nameOf(points, at));
    chart.notes.push_back(explainedNote(surface.explained, surface.points));
    return chart;
}

Chart importanceChart(const PointTable& points, std::size_t value) {
    Chart chart{.id = "importance", .title = {}, .horizontal = true};
    chart.empty = "What matters can be said of at least three points that differ in some variable.";
    if (value >= points.columns.size()) return chart;
    const PointColumn& of = points.columns[value];
    const explore::Importance importance = explore::importanceOf(points, value);
    std::vector<std::size_t> variables;
    for (std::size_t i = 0; i < importance.shares.size(); ++i)
        if (importance.shares[i] > 0) variables.push_back(i);
    if (variables.empty()) return chart;
    std::stable_sort(variables.begin(), variables.end(),
                     [&](std::size_t a, std::size_t b) { return importance.shares[a] > importance.shares[b]; });
    chart.id = "importance-" + of.id;
    chart.y = {.title = fmt::format("Share of the variance of {} (%)", of.title), .fromZero = true};
    Series shares{.id = "importance", .name = {}, .mark = Mark::bars, .colour = "accent"};
    for (const std::size_t variable : variables) {
        chart.x.categories.push_back(points.columns[variable].title);
        shares.x.push_back(static_cast<double>(shares.x.size()));
        shares.y.push_back(100 * importance.shares[variable]);
        shares.valueTexts.push_back(study::percentText(importance.shares[variable]));
    }
    chart.title = fmt::format("{} depends most on {}", of.title, points.columns[variables.front()].title);
    chart.notes.push_back("With all interactions, so that the sum may be above 100 %. " +
                          explainedNote(importance.explained, importance.points));
    chart.series.push_back(std::move(shares));
    return chart;
}

}  // namespace tessera::report
