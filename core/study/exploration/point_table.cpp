#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/study/exploration/study.h"

namespace tessera::study {

namespace {

using Column = explore::PointColumn;

constexpr const char* kAsItIs = "the study as it is";

Column::Better betterOf(const ExplorationOutcome& outcome, std::string_view id, Metric::Better otherwise) {
    for (const ExploredObjective& objective : outcome.objectives)
        if (objective.id == id) return objective.goal == Goal::max ? Column::Better::higher : Column::Better::lower;
    return otherwise == Metric::Better::lower    ? Column::Better::lower
           : otherwise == Metric::Better::higher ? Column::Better::higher
                                                 : Column::Better::neither;
}

Column::Role roleOf(const ExplorationOutcome& outcome, std::string_view id, Column::Role otherwise) {
    const auto has = [id](const auto& list) {
        return std::any_of(list.begin(), list.end(), [id](const auto& each) { return each.id == id; });
    };
    return has(outcome.objectives)    ? Column::Role::objective
           : has(outcome.constraints) ? Column::Role::constraint
                                      : otherwise;
}

}  // namespace

bool areWide(const std::vector<double>& values) {
    constexpr double kWide = 20;
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const double value : values) {
        if (std::isnan(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    return low > 0 && high > kWide * low;
}

explore::PointTable pointTableOf(const ExplorationOutcome& outcome) {
    explore::PointTable table{.title = "Points"};
    std::vector<const ExploredPoint*> rows;
    for (const ExploredPoint& point : outcome.points) rows.push_back(&point);
    if (outcome.baseline) rows.push_back(&*outcome.baseline);
    const auto valuesOf = [&](const auto& valueOf) {
        std::vector<double> values;
        for (const ExploredPoint* point : rows) values.push_back(valueOf(*point));
        return values;
    };
    for (std::size_t i = 0; i < outcome.variables.size(); ++i) {
        const ExploredVariable& variable = outcome.variables[i];
        table.columns.push_back({.id = variable.name,
                                 .title = variable.title,
                                 .help = variable.isChosen()     ? variable.help
                                         : variable.help.empty() ? variable.formula
                                                                 : variable.formula + ": " + variable.help,
                                 .measure = variable.measure,
                                 .role = roleOf(outcome, variable.name, Column::Role::variable),
                                 .better = betterOf(outcome, variable.name, Metric::Better::neither),
                                 .isChosen = variable.isChosen(),
                                 .log = variable.range.scale == explore::Scale::log,
                                 .words = variable.words,
                                 .values = valuesOf([i](const ExploredPoint& point) { return point.valueOf(i); })});
    }
    for (std::size_t i = 0; i < outcome.metrics.size(); ++i) {
        const ExploredMetric& metric = outcome.metrics[i];
        std::vector<double> values = valuesOf([i](const ExploredPoint& point) { return point.metrics.at(i); });
        const bool log = areWide(values);
        table.columns.push_back({.id = metric.id,
                                 .title = metric.title,
                                 .measure = metric.measure,
                                 .role = roleOf(outcome, metric.id, Column::Role::metric),
                                 .better = betterOf(outcome, metric.id, metric.better),
                                 .log = log,
                                 .values = std::move(values)});
    }
    for (const ExploredPoint* point : rows) {
        table.reasons.push_back(point->isFeasible() || !point->reason.empty() ? point->reason : "no solution");
        table.marks.push_back(0);
    }
    const auto mark = [&](std::size_t point, explore::PointMark as) {
        table.marks[point] = static_cast<std::uint8_t>(table.marks[point] | as);
    };
    for (const std::size_t point : outcome.front) mark(point, explore::kFront);
    if (outcome.knee) mark(*outcome.knee, explore::kKnee);
    if (outcome.chosen) mark(*outcome.chosen, explore::kChosen);
    if (outcome.baseline) {
        mark(rows.size() - 1, explore::kBaseline);
        for (std::size_t i = 0; i < outcome.points.size(); ++i) table.names.push_back("point " + std::to_string(i + 1));
        table.names.emplace_back(kAsItIs);
    }
    return table;
}

}  // namespace tessera::study
