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
        if (stateOf(states, i) == PointState::excluded || hasMark(points, i, explore::kBaseline) ||
            hasMark(points, i, explore::kMeasured))
            continue;
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
    for (std::size_t i = 0; i < points.size(); ++i) known += stateOf(look.states, i) != PointState::excluded ? 1 : 0;
    const std::string noun =
        points.title.empty() ? "points" : lowered(points.title.substr(0, 1)) + points.title.substr(1);
    return fmt::format("{} of {} known {} {} best in {} and {}{}",
                       formatCount(static_cast<double>(scatter.front.size())), formatCount(static_cast<double>(known)),
                       noun, scatter.front.size() == 1 ? "is" : "are", x.title, y.title, look.extras.qualifier);
}

}  // namespace

PointTones tonesOf(const PointTable& points, std::size_t column, const PointStates& states) {
    PointTones its;
    if (column >= points.columns.size()) return its;
    const PointColumn& of = points.columns[column];
    its.key.title = titleOf(of);
    its.tones.assign(points.size(), 0);
    if (!of.words.empty()) {
        its.key.names = of.words;
        for (std::size_t i = 0; i < of.words.size(); ++i)
            its.key.palette.emplace_back(kCategories.at(i % kCategories.size()));
        for (std::size_t i = 0; i < points.size(); ++i)
            if (const double value = valueOf(of, i); value >= 0 && value < static_cast<double>(of.words.size()))
                its.tones[i] = static_cast<std::uint8_t>(std::min(value, 255.0));
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
        const double share = length > 0 ? (place(valueOf(of, i)) - low) / length : 0;
        if (std::isfinite(share))
            its.tones[i] = static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * (kRampSteps - 1)));
    }
    return its;
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
    scatter.front = frontOf(points, look.x, look.y, look.states);
    scatter.knee = kneeOf(points, scatter.front, look.x, look.y);
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
        const std::string name = nameOf(points, i);
        series.valueTexts.push_back(name);
        const bool labelled = special && shown && (role != PointRole::front || name.size() <= kLongestLabel);
        series.labels.push_back(labelled ? name : "");
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
    if (colour) {
        PointTones tones = tonesOf(points, *colour, states);
        picture.tones = std::move(tones.tones);
        picture.key = std::move(tones.key);
        return picture;
    }
    // Later ones lie above.
    struct Stand {
        explore::PointMark mark;
        std::string_view name, colour;
    };
    constexpr std::array kStands{
        Stand{explore::kFront, "on the front", "accent"}, Stand{explore::kMeasured, "measured", kCategories[3]},
        Stand{explore::kBaseline, "baseline", kCategories[1]}, Stand{explore::kChosen, "chosen", kCategories[2]}};
    picture.key.palette = {"control"};
    picture.key.names = {"evaluated"};
    picture.tones.assign(points.size(), 0);
    for (const Stand& stand : kStands) {
        picture.key.palette.emplace_back(stand.colour);
        picture.key.names.emplace_back(stand.name);
        for (std::size_t i = 0; i < points.size(); ++i)
            if (hasMark(points, i, stand.mark))
                picture.tones[i] = static_cast<std::uint8_t>(picture.key.palette.size() - 1);
    }
    return picture;
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
    if (!states.empty())
        for (std::size_t i = 0; i < points.size(); ++i)
            picture.shown.push_back(stateOf(states, i) == PointState::shown ? 1 : 0);
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
        if (hasMark(points, i, explore::kBaseline) || hasMark(points, i, explore::kMeasured)) continue;
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
                              formatCount(static_cast<double>(improvedAt)), formatCount(at));
    chart.series = {std::move(each), std::move(best)};
    return chart;
}

}  // namespace tessera::report
