#include "core/report/plan_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/theme.h"
#include "core/report/plan_pictures.h"
#include "core/study/metric.h"

namespace tessera::report {

namespace {

using study::PlanOutcome;

struct ValueRow {
    plan::Objective value;
    std::string_view title, brief;
    Measure measure;
};
constexpr std::array kValues{
    ValueRow{plan::Objective::time, "Step time", "Step time", Measure::seconds},
    ValueRow{plan::Objective::price, "Price of a step (USD)", "Price (USD)", Measure::count},
    ValueRow{plan::Objective::energy, "Energy of a step", "Energy", Measure::joules},
    ValueRow{plan::Objective::accelerators, "Accelerators in use", "Accelerators", Measure::count},
    ValueRow{plan::Objective::memory, "Memory of the fullest one", "Memory", Measure::bytes},
};

const ValueRow& rowOf(plan::Objective value) {
    return *std::find_if(kValues.begin(), kValues.end(), [&](const ValueRow& row) { return row.value == value; });
}

std::string bothOf(const PlanPoint& point, plan::Objective x, plan::Objective y) {
    return fmt::format("{} · {} · {}", point.text, objectiveText(x, point.scores.of(x)),
                       objectiveText(y, point.scores.of(y)));
}

/// A series of points and where they stand.
struct Scattered {
    Series series;
    std::vector<std::size_t> points = {};

    void add(const std::vector<PlanPoint>& all, std::size_t point, plan::Objective x, plan::Objective y) {
        series.x.push_back(all[point].scores.of(x));
        series.y.push_back(all[point].scores.of(y));
        series.valueTexts.push_back(bothOf(all[point], x, y));
        series.labels.emplace_back();  // the longest would hide others: the pointer tells them
        points.push_back(point);
    }
    void putInto(PlanScatter& picture) {
        if (points.empty()) return;
        picture.chart.series.push_back(std::move(series));
        picture.points.push_back(std::move(points));
    }
};

/// Values that differ by so much that a linear axis would show the largest alone.
bool isWide(const std::vector<PlanPoint>& points, plan::Objective value) {
    constexpr double kWide = 8;
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const PlanPoint& point : points) {
        low = std::min(low, point.scores.of(value));
        high = std::max(high, point.scores.of(value));
    }
    return low > 0 && high > kWide * low;
}

/// As fast for each accelerator as the point that is fastest for each: what more of them could gain at most.
void addIdeal(PlanScatter& picture, const std::vector<PlanPoint>& points, const std::vector<std::size_t>& front) {
    double least = std::numeric_limits<double>::infinity();
    const auto work = [&](std::size_t point) {
        return points[point].scores.of(plan::Objective::time) * points[point].scores.of(plan::Objective::accelerators);
    };
    for (const std::size_t point : front) least = std::min(least, work(point));
    Series ideal{.id = "ideal",
                 .name = "ideal scaling",
                 .mark = Mark::line,
                 .colour = "secondary",
                 .dashed = true,
                 .reference = true};
    for (const std::size_t point : front) {
        const double count = points[point].scores.of(plan::Objective::accelerators);
        ideal.x.push_back(count);
        ideal.y.push_back(least / count);
    }
    picture.chart.series.push_back(std::move(ideal));
    picture.points.emplace_back();
}

std::string scatterTitle(const std::vector<PlanPoint>& points, const std::vector<std::size_t>& front, plan::Objective x,
                         plan::Objective y) {
    const plan::Scores &first = points[front.front()].scores, &last = points[front.back()].scores;
    if (front.size() > 1 && x == plan::Objective::accelerators && y == plan::Objective::time)
        return fmt::format("From {} to {} accelerators a step gets {} as fast", formatCount(first.of(x)),
                           formatCount(last.of(x)), study::timesText(first.of(y) / last.of(y)));
    std::string upper(rowOf(x).title);
    return fmt::format("{} against {}", rowOf(y).title, lowered(upper));
}

}  // namespace

std::string titleOf(plan::Objective value) {
    return std::string(rowOf(value).title);
}

std::string objectiveText(plan::Objective value, double number) {
    if (value == plan::Objective::price) {
        constexpr double kThreeDigits = 2;
        const double decimals = number > 0 ? kThreeDigits - std::floor(std::log10(number)) : 0;
        return fmt::format("${:.{}f}", number, static_cast<int>(std::clamp(decimals, 0.0, 9.0)));
    }
    return value == plan::Objective::accelerators ? formatCount(number) : formatQuantity(number, rowOf(value).measure);
}

std::vector<plan::Objective> planValues(const PlanOutcome& outcome) {
    std::vector<plan::Objective> all;
    for (const ValueRow& row : kValues)
        if (row.value != plan::Objective::price || outcome.knowsPrices()) all.push_back(row.value);
    return all;
}

std::vector<PlanPoint> planPoints(const PlanOutcome& outcome) {
    std::vector<PlanPoint> points;
    for (std::size_t i = 0; i < outcome.configurations.size(); ++i) {
        const plan::Evaluated& each = outcome.configurations[i];
        points.push_back({.text = plan::shortText(each.configuration), .scores = each.scores, .rank = i});
    }
    for (const study::FrontPoint& point : outcome.front)
        if (std::none_of(points.begin(), points.end(), [&](const PlanPoint& known) {
                return known.text == point.text && known.scores.values == point.scores.values;
            }))
            points.push_back({.text = point.text, .scores = point.scores});
    return points;
}

std::vector<std::size_t> planFront(const std::vector<PlanPoint>& points, plan::Objective x, plan::Objective y) {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto at = [&](std::size_t point) {
        return std::pair(points[point].scores.of(x), points[point].scores.of(y));
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return at(a) < at(b); });
    std::vector<std::size_t> front;
    for (const std::size_t point : order)
        if (front.empty() || at(point).second < at(front.back()).second) front.push_back(point);
    return front;
}

PlanScatter planScatter(const PlanOutcome& outcome, const std::vector<PlanPoint>& points, plan::Objective x,
                        plan::Objective y, const std::vector<bool>& shown) {
    PlanScatter picture;
    Chart& chart = picture.chart;
    chart.id = fmt::format("front-{}-{}", plan::kObjectiveNames.of(x), plan::kObjectiveNames.of(y));
    chart.x = {.title = std::string(rowOf(x).title), .measure = rowOf(x).measure};
    chart.y = {.title = std::string(rowOf(y).title), .measure = rowOf(y).measure};
    chart.empty = kNoPlan;
    if (points.empty()) return picture;
    chart.x.logarithmic = isWide(points, x);
    chart.y.logarithmic = isWide(points, y);
    const std::vector<std::size_t> front = planFront(points, x, y);
    chart.title = scatterTitle(points, front, x, y);
    Scattered filtered{
        .series = {.id = "filtered", .name = "outside of the brushes", .mark = Mark::points, .dimmed = true}};
    Scattered others{
        .series = {.id = "kept", .name = "others", .mark = Mark::points, .colour = std::string(kCategories[5])}};
    Scattered line{.series = {.id = "line", .mark = Mark::line, .colour = "accent", .reference = true}};
    Scattered onFront{.series = {.id = "front",
                                 .name = "no other of these is better in both",
                                 .mark = Mark::points,
                                 .colour = "accent",
                                 .shape = 0}};
    Scattered best{
        .series = {
            .id = "best", .name = "the best", .mark = Mark::points, .colour = std::string(kCategories[2]), .shape = 4}};
    const auto isIn = [&](std::size_t point) { return std::find(front.begin(), front.end(), point) != front.end(); };
    for (std::size_t i = 0; i < points.size(); ++i) {
        Scattered& series = i < shown.size() && !shown[i] ? filtered
                            : points[i].rank == 0U        ? best
                            : isIn(i)                     ? onFront
                                                          : others;
        series.add(points, i, x, y);
    }
    for (const std::size_t point : front) line.add(points, point, x, y);
    if (x == plan::Objective::accelerators && y == plan::Objective::time && front.size() > 1)
        addIdeal(picture, points, front);
    for (Scattered* series : {&filtered, &others, &line, &onFront, &best}) series->putInto(picture);
    chart.notes.push_back(fmt::format(
        "Of the {} configurations that the result keeps: the best ones, and the front of {} and {}.", points.size(),
        plan::kObjectiveNames.of(outcome.frontOf.first), plan::kObjectiveNames.of(outcome.frontOf.second)));
    return picture;
}

ParallelPicture planParallel(const PlanOutcome& outcome, const std::vector<PlanPoint>& points) {
    ParallelPicture picture{
        .id = "parallel", .title = "Every kept configuration in all values", .axes = {}, .rows = {}};
    picture.empty = kNoPlan;
    const std::vector<plan::Objective> values = planValues(outcome);
    for (const plan::Objective value : values) {
        picture.axes.push_back({.title = std::string(rowOf(value).brief), .measure = rowOf(value).measure});
        picture.endText.emplace_back([value](double shown) { return objectiveText(value, shown); });
    }
    for (const PlanPoint& point : points) {
        ParallelPicture::Row line{.name = point.text, .values = {}};
        for (const plan::Objective value : values) line.values.push_back(point.scores.of(value));
        if (!point.rank) line.colour = "accent";
        if (point.rank == 0U) line.colour = std::string(kCategories[2]);
        picture.rows.push_back(std::move(line));
    }
    return picture;
}

Chart planFrontChart(const PlanOutcome& outcome) {
    Chart chart = planScatter(outcome, planPoints(outcome), outcome.frontOf.second, outcome.frontOf.first).chart;
    chart.id = "front";
    return chart;
}

}  // namespace tessera::report
