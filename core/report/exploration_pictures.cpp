#include "core/report/exploration_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/theme.h"
#include "core/report/point_pictures.h"
#include "core/study/exploration/study.h"
#include "core/study/metric.h"

namespace tessera::report {

namespace {

using study::ExplorationOutcome;
using study::ExploredObjective;
using study::ExploredPoint;
using study::ExploredVariable;

constexpr const char* kNoPoint = "No point was evaluated: see why in the run's messages.";
constexpr std::size_t kMostAxes = 12;  ///< of the parallel ones in a file

std::string numberOf(std::size_t point) {
    return fmt::format("{}", point + 1);
}

/// The chosen variable with numbers whose values say most about an objective: by the correlation of ranks.
std::string leadingVariable(const ExplorationOutcome& outcome, const std::string& objective) {
    const auto ranksOf = [&](const std::string& id) {
        std::vector<std::size_t> order(outcome.points.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::erase_if(order, [&](std::size_t point) { return !outcome.points[point].isFeasible(); });
        std::vector<std::size_t> sorted = order;
        std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
            return outcome.valueOf(outcome.points[a], id) < outcome.valueOf(outcome.points[b], id);
        });
        std::vector<double> ranks(outcome.points.size(), 0);
        for (std::size_t i = 0; i < sorted.size();) {
            std::size_t end = i;
            const double value = outcome.valueOf(outcome.points[sorted[i]], id);
            while (end < sorted.size() && outcome.valueOf(outcome.points[sorted[end]], id) == value) ++end;
            for (std::size_t k = i; k < end; ++k) ranks[sorted[k]] = static_cast<double>(i + end - 1) / 2;
            i = end;
        }
        return ranks;
    };
    std::string best;
    double max = -1;
    const std::vector<double> of = ranksOf(objective);
    for (const ExploredVariable& variable : outcome.variables) {
        if (!variable.isChosen()) continue;
        const std::vector<double> ranks = ranksOf(variable.name);
        double both = 0, own = 0;
        const auto count = static_cast<double>(outcome.feasible());
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (!outcome.points[i].isFeasible()) continue;
            both += (ranks[i] - (count - 1) / 2) * (of[i] - (count - 1) / 2);
            own += (ranks[i] - (count - 1) / 2) * (ranks[i] - (count - 1) / 2);
        }
        const double correlation = own > 0 ? std::fabs(both) / std::sqrt(own) : 0;
        if (correlation <= max) continue;
        max = correlation;
        best = variable.name;
    }
    return best;
}

std::string percentOf(double share) {
    return study::percentText(share);
}

}  // namespace

Chart explorationFrontChart(const ExplorationOutcome& outcome) {
    Chart chart{.id = "front", .title = "Front", .empty = kNoPoint};
    if (outcome.objectives.empty() || outcome.points.empty()) return chart;
    const explore::PointTable points = study::pointTableOf(outcome);
    const std::string& first = outcome.objectives.front().id;
    const auto y = columnNamed(points, first);
    const auto x =
        columnNamed(points, outcome.objectives.size() > 1 ? outcome.objectives[1].id : leadingVariable(outcome, first));
    if (!x || !y) return chart;
    chart = scatterOf(points, {.x = *x, .y = *y, .logX = points.columns[*x].log, .logY = points.columns[*y].log}).chart;
    chart.id = "front";
    return chart;
}

Chart explorationProgressChart(const ExplorationOutcome& outcome) {
    Chart chart{.id = "progress", .empty = kNoPoint};
    if (outcome.objectives.empty() || outcome.points.empty()) return chart;
    const explore::PointTable points = study::pointTableOf(outcome);
    const auto column = columnNamed(points, outcome.objectives.front().id);
    if (!column) return chart;
    chart = bestSoFarChart(points, *column);
    chart.id = "progress";
    return chart;
}

Chart explorationHypervolumeChart(const ExplorationOutcome& outcome) {
    Chart chart{.id = "hypervolume", .empty = kNoPoint};
    if (outcome.hypervolume.empty()) return chart;
    Series line{.id = "hypervolume", .name = "hypervolume", .mark = Mark::steps, .colour = "accent", .shape = -1};
    for (const auto& [points, share] : outcome.hypervolume) {
        line.x.push_back(points);
        line.y.push_back(100 * share);
    }
    const double last = outcome.hypervolume.back().second;
    const auto reached = std::find_if(outcome.hypervolume.begin(), outcome.hypervolume.end(),
                                      [&](const auto& at) { return at.second >= 0.99 * last; });
    chart.title = fmt::format("99 % of the hypervolume after {} of {}", formatCount(reached->first),
                              formatCounted(outcome.points.size(), "point", "points"));
    chart.x = {.title = "Points"};
    chart.y = {.title = "Hypervolume (%)", .fromZero = true};
    chart.series = {std::move(line)};
    return chart;
}

Chart explorationEffectChart(const ExplorationOutcome& outcome) {
    Chart chart{
        .id = "effects", .horizontal = true, .empty = "Too few feasible points to estimate which variables matter."};
    if (outcome.effects.empty()) return chart;
    const bool isMorris = outcome.effectKind == study::kMorris, isSobol = outcome.effectKind == study::kSobolIndices;
    chart.title = isMorris  ? "Mean of absolute elementary effects"
                  : isSobol ? "Share of the variance, first order and with interactions"
                            : "What matters to each objective";
    for (const study::VariableEffect& effect : outcome.effects.front().effects)
        chart.x.categories.push_back(outcome.titleOf(effect.variable));
    chart.y = {.title = isMorris ? "Effect" : isSobol ? "Index" : "Importance", .fromZero = true};
    std::size_t next = 0;
    const auto add = [&](const study::ObjectiveEffects& of, bool total) {
        Series bars{.id = of.objective + (total ? "-total" : ""),
                    .name = outcome.titleOf(of.objective) + (total ? ", with interactions" : ""),
                    .mark = Mark::bars,
                    .colour = std::string(kCategories[next++ % kCategories.size()])};
        for (std::size_t i = 0; i < of.effects.size(); ++i) {
            const study::VariableEffect& effect = of.effects[i];
            const double value = total ? effect.total.value_or(0) : effect.value;
            const double low = total ? effect.totalLow.value_or(value) : effect.low;
            const double high = total ? effect.totalHigh.value_or(value) : effect.high;
            bars.x.push_back(static_cast<double>(i));
            bars.y.push_back(std::isnan(value) ? 0 : value);
            bars.low.push_back(std::isnan(low) ? bars.y.back() : low);
            bars.high.push_back(std::isnan(high) ? bars.y.back() : high);
            bars.valueTexts.push_back(fmt::format("{:.2g}", bars.y.back()));
        }
        chart.series.push_back(std::move(bars));
    };
    for (const study::ObjectiveEffects& of : outcome.effects) {
        add(of, false);
        if (!of.effects.empty() && of.effects.front().total) add(of, true);
    }
    return chart;
}

Chart explorationReasonChart(const ExplorationOutcome& outcome) {
    Chart chart{.id = "reasons", .title = "Points by what became of them", .horizontal = true, .empty = kNoPoint};
    if (outcome.points.empty()) return chart;
    Series bars{.id = "points", .name = "points", .mark = Mark::bars, .colour = "accent"};
    const auto add = [&](const std::string& what, double points) {
        bars.x.push_back(static_cast<double>(chart.x.categories.size()));
        bars.y.push_back(points);
        chart.x.categories.push_back(what);
    };
    add("solutions", static_cast<double>(outcome.feasible()));
    for (const study::CountedReason& reason : outcome.reasons) add(reason.reason, static_cast<double>(reason.points));
    chart.y = {.title = "Points", .fromZero = true};
    chart.series = {std::move(bars)};
    return chart;
}

ParallelPicture explorationParallel(const ExplorationOutcome& outcome) {
    const explore::PointTable points = study::pointTableOf(outcome);
    ParallelPicture picture = parallelOf(points, tellingValues(points, kMostAxes));
    picture.title = "Every solution in all variables and objectives";
    return picture;
}

namespace {

/// What a table says of a point beside its numbers.
std::string markOf(const ExplorationOutcome& outcome, const std::vector<bool>& onFront, std::size_t point) {
    if (outcome.chosen == point) return outcome.knee == point ? "chosen, knee" : "chosen";
    if (outcome.knee == point) return "knee";
    if (onFront[point]) return "front";
    return outcome.points[point].reason;
}

/// Metrics that the exploration speaks of.
std::vector<std::string> spokenOf(const ExplorationOutcome& outcome) {
    std::vector<std::string> ids;
    const auto add = [&](const std::string& id) {
        if (std::find(ids.begin(), ids.end(), id) == ids.end() && outcome.metric(id) != nullptr) ids.push_back(id);
    };
    for (const ExploredObjective& objective : outcome.objectives) add(objective.id);
    for (const study::ExploredConstraint& constraint : outcome.constraints) add(constraint.id);
    return ids;
}

}  // namespace

Table explorationPointTable(const ExplorationOutcome& outcome, const std::vector<std::size_t>& points) {
    Table table;
    table.columns = {{"point", true}};
    const std::vector<std::string> metrics = spokenOf(outcome);
    for (const std::string& id : metrics) table.columns.push_back({study::lowerFirstOf(outcome.titleOf(id)), true});
    for (const ExploredVariable& variable : outcome.variables)
        table.columns.push_back({study::lowerFirstOf(variable.title), !variable.isCategory()});
    table.columns.push_back({""});
    const std::vector<bool> onFront = outcome.onFront();
    for (const std::size_t point : points) {
        const ExploredPoint& its = outcome.points[point];
        std::vector<std::string> row{numberOf(point)};
        for (const std::string& id : metrics) row.push_back(outcome.textOf(id, outcome.valueOf(its, id)));
        for (std::size_t i = 0; i < outcome.variables.size(); ++i)
            row.push_back(i < its.values.size() ? study::textOf(outcome.variables[i], its.values[i]) : "–");
        row.push_back(markOf(outcome, onFront, point));
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table exactExplorationTable(const ExplorationOutcome& outcome, const std::vector<std::size_t>& points) {
    Table table;
    table.columns = {{"point", true}};
    for (const ExploredVariable& variable : outcome.variables)
        table.columns.push_back({variable.name, !variable.isCategory()});
    for (const study::ExploredMetric& metric : outcome.metrics) table.columns.push_back({metric.id, true});
    for (const char* column : {"front", "knee", "chosen"}) table.columns.push_back({column, true});
    table.columns.push_back({"reason"});
    const std::vector<bool> onFront = outcome.onFront();
    for (const std::size_t point : points) {
        const ExploredPoint& its = outcome.points[point];
        std::vector<std::string> row{numberOf(point)};
        for (std::size_t i = 0; i < outcome.variables.size(); ++i)
            row.push_back(i < its.values.size() ? study::exactOf(outcome.variables[i], its.values[i]) : "");
        for (const double value : its.metrics) row.push_back(std::isnan(value) ? "" : exactNumber(value));
        for (const bool holds : {bool{onFront[point]}, outcome.knee == point, outcome.chosen == point})
            row.push_back(holds ? "1" : "0");
        row.push_back(its.reason);
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table explorationVariableTable(const ExplorationOutcome& outcome) {
    Table table;
    table.columns = {{"variable"}, {"title"}, {"sets"}, {"values"}, {"as it is", true}};
    for (std::size_t i = 0; i < outcome.variables.size(); ++i) {
        const ExploredVariable& variable = outcome.variables[i];
        const bool known = outcome.baseline && i < outcome.baseline->values.size();
        table.rows.push_back({variable.name, variable.title,
                              variable.target == study::VariableTarget::none
                                  ? std::string("–")
                                  : fmt::format("{} {}", study::kVariableTargetNames.of(variable.target), variable.of),
                              variable.isChosen() ? study::rangeText(variable) : "= " + variable.formula,
                              known ? study::textOf(variable, outcome.baseline->values[i]) : "–"});
    }
    return table;
}

Table explorationEffectTable(const ExplorationOutcome& outcome) {
    Table table;
    const bool isMorris = outcome.effectKind == study::kMorris, isSobol = outcome.effectKind == study::kSobolIndices;
    table.columns = {{"objective"}, {"variable"}};
    if (isMorris)
        for (const char* column : {"mean effect", "interval", "spread"}) table.columns.push_back({column, true});
    else if (isSobol)
        for (const char* column : {"first order", "interval", "total", "its interval"})
            table.columns.push_back({column, true});
    else
        table.columns.push_back({"importance", true});
    for (const study::ObjectiveEffects& of : outcome.effects) {
        // Elementary effects are changes of the objective, the others shares of its variance.
        const auto shown = [&](std::optional<double> value) {
            if (!value || std::isnan(*value)) return std::string("–");
            return isMorris ? outcome.textOf(of.objective, *value) : fmt::format("{:.3f}", *value);
        };
        const auto interval = [&](std::optional<double> low, std::optional<double> high) {
            return !low || !high || std::isnan(*low) || std::isnan(*high)
                       ? std::string("–")
                       : fmt::format("{} to {}", shown(low), shown(high));
        };
        for (const study::VariableEffect& effect : of.effects) {
            std::vector<std::string> row{outcome.titleOf(of.objective), outcome.titleOf(effect.variable),
                                         shown(effect.value)};
            if (isMorris || isSobol) row.push_back(interval(effect.low, effect.high));
            if (isMorris) row.push_back(shown(effect.spread));
            if (isSobol) {
                row.push_back(shown(effect.total));
                row.push_back(interval(effect.totalLow, effect.totalHigh));
            }
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

Table explorationReasonTable(const ExplorationOutcome& outcome) {
    Table table;
    table.columns = {{"points", true}, {"share", true}, {"because"}};
    for (const study::CountedReason& reason : outcome.reasons)
        table.rows.push_back(
            {formatCount(reason.points),
             percentOf(static_cast<double>(reason.points) / static_cast<double>(outcome.points.size())),
             reason.reason});
    return table;
}

}  // namespace tessera::report
