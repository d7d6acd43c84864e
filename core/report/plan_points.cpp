#include "core/report/plan_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/plan/axes.h"
#include "core/report/plan_pictures.h"
#include "core/study/metric.h"
#include "core/study/plan/fields.h"

namespace tessera::report {

namespace {

using study::PlanOutcome;
using PlanColumn = explore::PointColumn;

/// The axes in the order of their columns.
constexpr std::array kColumnAxes{plan::Axis::tensor,   plan::Axis::pipeline,     plan::Axis::data,
                                 plan::Axis::context,  plan::Axis::expert,       plan::Axis::micro,
                                 plan::Axis::chunks,   plan::Axis::zero,         plan::Axis::recompute,
                                 plan::Axis::schedule, plan::Axis::expertTensor, plan::Axis::order};

/// "tensor_parallel", "micro_batch".
std::string columnOf(const plan::AxisRow& axis) {
    return axis.isDegree() ? fmt::format("{}_parallel", axis.key) : std::string(axis.key);
}

std::string_view partOf(std::string_view configuration, std::string_view key, std::string_view otherwise) {
    for (const std::string_view part : split(configuration, ','))
        if (part.size() > key.size() && part.starts_with(key) && part[key.size()] == '=')
            return part.substr(key.size() + 1);
    return otherwise;
}

/// "tp 8 · dp 64": the degrees above 1, which say how a configuration is arranged; "tp 1" where there are none.
std::string degreesOf(std::string_view configuration) {
    std::vector<std::string> degrees;
    for (const plan::AxisRow& axis : plan::layerDegrees())
        if (const std::string_view degree = partOf(configuration, axis.id, "1"); degree != "1")
            degrees.push_back(fmt::format("{} {}", axis.id, degree));
    return degrees.empty() ? "tp 1" : joined(degrees, " · ");
}

/// Of the first `planned` configurations all is known; of others what they say.
PlanColumn axisColumn(const plan::AxisRow& axis, const std::vector<std::string>& configurations, std::size_t planned) {
    PlanColumn column{.id = columnOf(axis), .title = std::string(axis.title)};
    column.role = PlanColumn::Role::variable;
    column.log = axis.number != nullptr && axis.otherwise == "1";
    for (std::size_t i = 0; i < configurations.size(); ++i) {
        const std::string word(partOf(configurations[i], axis.id, i < planned ? axis.otherwise : std::string_view()));
        if (word.empty()) {
            column.values.push_back(std::numeric_limits<double>::quiet_NaN());
            continue;
        }
        if (axis.number != nullptr) {
            column.values.push_back(
                parseQuantity(word, Measure::count).value_or(std::numeric_limits<double>::quiet_NaN()));
            continue;
        }
        const auto known = std::find(column.words.begin(), column.words.end(), word);
        column.values.push_back(static_cast<double>(known - column.words.begin()));
        if (known == column.words.end()) column.words.push_back(word);
    }
    return column;
}

/// Values that differ by so much that a linear axis would show the largest alone.
bool isWide(const std::vector<double>& values) {
    constexpr double kWide = 8;
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    return low > 0 && high > kWide * low;
}

bool isOf(const explore::PointTable& points, std::size_t column, plan::Objective value) {
    return points.columns[column].id == plan::kObjectiveNames.of(value);
}

}  // namespace

std::string objectiveText(plan::Objective value, double number) {
    const study::ObjectiveRow& its = study::rowOf(value);
    return textOf({.id = {}, .title = {}, .measure = its.measure, .unit = std::string(its.unit)}, number);
}

explore::PointTable pointTable(const PlanOutcome& outcome) {
    explore::PointTable points{.title = "Configurations"};
    std::vector<plan::Scores> scores;
    for (const plan::Evaluated& each : outcome.configurations) {
        points.names.push_back(plan::shortText(each.configuration));
        scores.push_back(each.scores);
        points.marks.push_back(points.names.size() == 1 ? explore::kChosen : 0);
    }
    for (const study::FrontPoint& point : outcome.front) {
        const auto isKnown = [&](std::size_t known) {
            return points.names[known] == point.text && scores[known].values == point.scores.values;
        };
        std::size_t at = 0;
        while (at < scores.size() && !isKnown(at)) ++at;
        if (at == scores.size()) {
            points.names.push_back(point.text);
            scores.push_back(point.scores);
            points.marks.push_back(0);
        }
        points.marks[at] |= explore::kFront;
    }
    const std::size_t planned = scores.size();
    std::vector<std::string> configurations = points.names;
    for (const std::string& each : configurations) points.labels.push_back(degreesOf(each));
    for (const study::MeasuredBeside& run : outcome.measured) {
        plan::Scores known;
        known.values.fill(std::numeric_limits<double>::quiet_NaN());
        const auto count = static_cast<double>(run.accelerators);
        known.of(plan::Objective::time) = outcome.globalBatch * outcome.sequence / (run.tokensPerSecond * count);
        known.of(plan::Objective::accelerators) = count;
        scores.push_back(known);
        points.names.push_back(fmt::format("measured, {}", escaped(run.id, study::kMaxQuoted)));
        points.marks.push_back(explore::kMeasured);
        std::string& text = configurations.emplace_back();
        for (const plan::AxisRow& axis : plan::axes())
            if (const double value = run.of(axis.axis); value > 0)
                text += fmt::format("{}{}={}", text.empty() ? "" : ",", axis.id, value);
    }
    points.reasons.resize(scores.size());
    for (const study::ObjectiveRow& its : study::kObjectiveRows) {
        if (!outcome.knows(its.objective)) continue;
        PlanColumn column{.id = std::string(plan::kObjectiveNames.of(its.objective)),
                          .title = std::string(its.title),
                          .measure = its.measure,
                          .unit = std::string(its.unit)};
        const bool asked = its.objective == outcome.goal() || its.objective == outcome.frontOf.first ||
                           its.objective == outcome.frontOf.second;
        column.role = asked ? PlanColumn::Role::objective : PlanColumn::Role::metric;
        column.better = PlanColumn::Better::lower;
        for (const plan::Scores& each : scores) column.values.push_back(each.of(its.objective));
        column.log = isWide(column.values);
        points.columns.push_back(std::move(column));
    }
    const std::string rate = fmt::format("{}_per_s", outcome.unit());
    const auto ofBest = [&](PlanColumn column, double (*of)(const plan::Evaluated&)) {
        column.better = PlanColumn::Better::higher;
        column.values.assign(scores.size(), std::numeric_limits<double>::quiet_NaN());
        for (std::size_t i = 0; i < outcome.configurations.size(); ++i)
            column.values[i] = of(outcome.configurations[i]);
        for (std::size_t i = 0; i < outcome.measured.size() && column.id == rate; ++i)
            column.values[planned + i] =
                outcome.measured[i].tokensPerSecond * static_cast<double>(outcome.measured[i].accelerators);
        points.columns.push_back(std::move(column));
    };
    ofBest({.id = rate,
            .title = std::string(study::kThroughput.title),
            .help = "Of the best configurations, which alone are looked at in full",
            .unit = fmt::format("{}/s", outcome.unit())},
           [](const plan::Evaluated& each) { return each.tokensPerSecond; });
    ofBest({.id = "mfu",
            .title = std::string(study::kUtilisation.head),
            .help = "Model FLOPs over what the accelerators in use can do, of the best configurations",
            .unit = "%"},
           [](const plan::Evaluated& each) { return 100 * each.utilisation; });
    for (const plan::Axis axis : kColumnAxes)
        points.columns.push_back(axisColumn(plan::rowOf(axis), configurations, planned));
    return points;
}

study::Study narrowedPlan(const study::Result& plan, const PointStates& states) {
    const explore::PointTable points = pointTable(plan.outcome.get<PlanOutcome>());
    study::Study study = plan.study;
    Json parameters = *study.parameters;
    std::string allow = parameters.contains("allow") ? parameters["allow"].get<std::string>() : std::string();
    for (const plan::Axis each : kColumnAxes) {
        const plan::AxisRow& axis = plan::rowOf(each);
        const std::size_t at = columnNamed(points, columnOf(axis)).value();
        const PlanColumn& column = points.columns[at];
        std::set<double> all, shown;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double value = valueOf(column, i);
            if (hasMark(points, i, explore::kMeasured) || !std::isfinite(value)) continue;
            all.insert(value);
            if (stateOf(states, i) == PointState::shown) shown.insert(value);
        }
        // What was not narrowed stays as it is; a schedule says nothing where there is no pipeline.
        std::vector<std::string> texts;
        for (const double value : shown)
            texts.push_back(column.words.empty() ? fmt::format("{:.0f}", value)
                                                 : column.words.at(static_cast<std::size_t>(value)));
        const auto isNone = [&](const std::string& text) {
            return axis.word != nullptr && text == axis.otherwise &&
                   std::find(axis.words.begin(), axis.words.end(), text) == axis.words.end();
        };
        if (shown.empty() || shown == all || std::any_of(texts.begin(), texts.end(), isNone)) continue;
        allow += fmt::format("{}{}={}", allow.empty() ? "" : ",", axis.id, joined(texts, ","));
    }
    if (!allow.empty()) parameters["allow"] = allow;
    study.parameters = std::move(parameters);
    if (!study.name.empty() && !study.name.ends_with(kNarrowed)) study.name += kNarrowed;
    return study;
}

ScatterExtras planExtras(const explore::PointTable& points, std::size_t x, std::size_t y) {
    ScatterExtras extras;
    if (!isOf(points, x, plan::Objective::accelerators) || !isOf(points, y, plan::Objective::time)) return extras;
    const std::vector<std::size_t> front = frontOf(points, x, y);
    if (front.size() < 2) return extras;
    const std::vector<double>&counts = points.columns[x].values, &times = points.columns[y].values;
    extras.title =
        fmt::format("From {} to {} accelerators a step gets {} as fast", formatCount(counts[front.front()]),
                    formatCount(counts[front.back()]), study::timesText(times[front.front()] / times[front.back()]));
    // As fast for each accelerator as the point that is fastest for each: what more of them could gain at most.
    double min = std::numeric_limits<double>::infinity();
    for (const std::size_t point : front) min = std::min(min, times[point] * counts[point]);
    Series ideal{.id = "ideal",
                 .name = "ideal scaling",
                 .mark = Mark::line,
                 .colour = "secondary",
                 .dashed = true,
                 .reference = true};
    for (const std::size_t point : front) {
        ideal.x.push_back(counts[point]);
        ideal.y.push_back(min / counts[point]);
    }
    extras.beside.push_back(std::move(ideal));
    return extras;
}

Chart planFrontChart(const PlanOutcome& outcome) {
    const explore::PointTable points = pointTable(outcome);
    const auto column = [&](plan::Objective value) {
        return columnNamed(points, plan::kObjectiveNames.of(value)).value_or(0);
    };
    ScatterLook look{.x = column(outcome.frontOf.second), .y = column(outcome.frontOf.first)};
    Chart chart;
    if (!points.names.empty()) {
        look.logX = points.columns[look.x].log;
        look.logY = points.columns[look.y].log;
        look.extras = planExtras(points, look.x, look.y);
        chart = scatterOf(points, look).chart;
        chart.notes.push_back(
            fmt::format("Of the {} configurations that the result keeps: the best ones, and the front of {} and {}.",
                        formatCount(points.size()), plan::kObjectiveNames.of(outcome.frontOf.first),
                        plan::kObjectiveNames.of(outcome.frontOf.second)));
    }
    chart.id = "front";
    chart.empty = kNoPlan;
    return chart;
}

ParallelPicture planParallel(const PlanOutcome& outcome) {
    const explore::PointTable points = pointTable(outcome);
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < points.columns.size(); ++i)
        if (points.columns[i].better == PlanColumn::Better::lower) columns.push_back(i);
    ParallelPicture picture = parallelOf(points, columns);
    picture.empty = kNoPlan;
    return picture;
}

}  // namespace tessera::report
