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
#include "core/study/exploration/study.h"
#include "core/study/metric.h"

namespace tessera::report {

namespace {

using study::ExplorationOutcome;
using study::ExploredObjective;
using study::ExploredPoint;
using study::ExploredVariable;

constexpr const char* kNoPoint = "No point was evaluated: see why in the run's messages.";
constexpr std::size_t kMostMarked = 3000;  ///< points of a background beyond which some are left out

std::string numberOf(std::size_t point) {
    return fmt::format("{}", point + 1);
}

/// What a picture draws of every point: a variable by its number, a metric or a variable by its id.
class DrawnValue {
public:
    DrawnValue(const ExplorationOutcome& outcome, std::size_t variable)
        : outcome_(&outcome), variable_(&outcome.variables[variable]), id_(variable_->name) {}
    DrawnValue(const ExplorationOutcome& outcome, std::string id)
        : outcome_(&outcome),
          variable_(outcome.metric(id) == nullptr ? outcome.variable(id) : nullptr),
          id_(std::move(id)) {}

    const std::string& id() const { return id_; }
    std::string title() const { return variable_ == nullptr ? outcome_->titleOf(id_) : variable_->title; }
    double at(const ExploredPoint& point) const {
        return variable_ == nullptr ? outcome_->valueOf(point, id_)
                                    : point.valueOf(static_cast<std::size_t>(variable_ - outcome_->variables.data()));
    }
    std::vector<double> all() const {
        std::vector<double> values;
        for (const ExploredPoint& point : outcome_->points) values.push_back(at(point));
        return values;
    }
    std::string text(double value) const {
        return variable_ == nullptr ? outcome_->textOf(id_, value) : study::textOf(*variable_, value);
    }
    Axis axis() const { return axisFor(all()); }
    /// Where some of the values are drawn.
    Axis axisFor(const std::vector<double>& values) const {
        Axis axis{.title = title(), .measure = variable_ == nullptr ? outcome_->measureOf(id_) : variable_->measure};
        if (variable_ != nullptr && variable_->isCategory())
            axis.categories = variable_->words;
        else
            axis.logarithmic =
                (variable_ != nullptr && variable_->range.scale == explore::Scale::log) || study::areWide(values);
        return axis;
    }

private:
    const ExplorationOutcome* outcome_;
    const ExploredVariable* variable_;  ///< null = a metric
    std::string id_;
};

/// "point 17 · 1.9 s · $3.2": what the pointer says of a point.
std::string saidOf(const ExplorationOutcome& outcome, const std::string& name, const ExploredPoint& point) {
    std::vector<std::string> parts{name};
    for (const ExploredObjective& objective : outcome.objectives)
        parts.push_back(outcome.textOf(objective.id, outcome.valueOf(point, objective.id)));
    for (std::size_t i = 0; i < outcome.variables.size(); ++i) {
        if (!outcome.variables[i].isChosen()) continue;
        const DrawnValue variable(outcome, i);
        parts.push_back(variable.title() + " " + variable.text(variable.at(point)));
    }
    return joined(parts, " · ");
}

std::string titleOfVariable(const ExplorationOutcome& outcome, const std::string& name) {
    const ExploredVariable* const variable = outcome.variable(name);
    return variable == nullptr ? name : variable->title;
}

Series seriesOf(const char* id, const char* name, Mark mark, std::string colour, int shape) {
    return {.id = id, .name = name, .mark = mark, .colour = std::move(colour), .shape = shape};
}

void addPoint(Series& series, const ExplorationOutcome& outcome, const std::string& name, const ExploredPoint& point,
              const DrawnValue& x, const DrawnValue& y) {
    const double atX = x.at(point), atY = y.at(point);
    if (std::isnan(atX) || std::isnan(atY)) return;
    series.x.push_back(atX);
    series.y.push_back(atY);
    series.valueTexts.push_back(saidOf(outcome, name, point));
    series.labels.emplace_back();
}

const ExploredObjective* objectiveOf(const ExplorationOutcome& outcome, const std::string& id) {
    for (const ExploredObjective& objective : outcome.objectives)
        if (objective.id == id) return &objective;
    return nullptr;
}

/// The steps of the front between its points in two objectives.
void addFrontLine(Chart& chart, const ExplorationOutcome& outcome, const DrawnValue& x, const DrawnValue& y) {
    const ExploredObjective *const ofX = objectiveOf(outcome, x.id()), *const ofY = objectiveOf(outcome, y.id());
    if (ofX == nullptr || ofY == nullptr || outcome.objectives.size() != 2) return;
    Series line = seriesOf("line", "", Mark::line, "accent", -1);
    line.reference = true;
    std::vector<std::pair<double, double>> points;
    for (const std::size_t point : outcome.front)
        points.emplace_back(x.at(outcome.points[point]), y.at(outcome.points[point]));
    std::sort(points.begin(), points.end());
    for (const auto& [atX, atY] : points) {
        line.x.push_back(atX);
        line.y.push_back(atY);
    }
    if (points.size() > 1) chart.series.push_back(std::move(line));
}

/// The chosen variable with numbers whose values say most about an objective: by the correlation of ranks.
DrawnValue leadingVariable(const ExplorationOutcome& outcome, const DrawnValue& objective) {
    const auto ranksOf = [&](const DrawnValue& drawn) {
        std::vector<std::size_t> order(outcome.points.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::erase_if(order, [&](std::size_t point) { return !outcome.points[point].isFeasible(); });
        std::vector<std::size_t> sorted = order;
        std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
            return drawn.at(outcome.points[a]) < drawn.at(outcome.points[b]);
        });
        std::vector<double> ranks(outcome.points.size(), 0);
        for (std::size_t i = 0; i < sorted.size();) {
            std::size_t end = i;
            const double value = drawn.at(outcome.points[sorted[i]]);
            while (end < sorted.size() && drawn.at(outcome.points[sorted[end]]) == value) ++end;
            for (std::size_t k = i; k < end; ++k) ranks[sorted[k]] = static_cast<double>(i + end - 1) / 2;
            i = end;
        }
        return ranks;
    };
    std::size_t best = 0;
    double most = -1;
    const std::vector<double> of = ranksOf(objective);
    for (std::size_t variable = 0; variable < outcome.variables.size(); ++variable) {
        if (!outcome.variables[variable].isChosen()) continue;
        const std::vector<double> ranks = ranksOf({outcome, variable});
        double both = 0, own = 0;
        const auto count = static_cast<double>(outcome.feasible());
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (!outcome.points[i].isFeasible()) continue;
            both += (ranks[i] - (count - 1) / 2) * (of[i] - (count - 1) / 2);
            own += (ranks[i] - (count - 1) / 2) * (ranks[i] - (count - 1) / 2);
        }
        const double correlation = own > 0 ? std::fabs(both) / std::sqrt(own) : 0;
        if (correlation <= most) continue;
        most = correlation;
        best = variable;
    }
    return {outcome, best};
}

std::string percentOf(double share) {
    return study::percentText(share);
}

/// Points in two values, each a metric or a variable.
Chart explorationScatter(const ExplorationOutcome& outcome, const DrawnValue& x, const DrawnValue& y) {
    Chart chart{.id = fmt::format("scatter-{}-{}", x.id(), y.id()), .empty = kNoPoint};
    chart.x = x.axis();
    chart.y = y.axis();
    chart.title = fmt::format("{} against {}", y.title(), study::lowerFirstOf(x.title()));
    Series others = seriesOf("others", "other points", Mark::points, std::string(kCategories[5]), 0);
    Series violating = seriesOf("violating", "beyond a constraint", Mark::points, {}, 1);
    violating.dimmed = true;
    Series front =
        seriesOf("front", outcome.objectives.size() > 1 ? "no other beats it" : "the best", Mark::points, "accent", 0);
    Series chosen = seriesOf("chosen", "chosen", Mark::points, std::string(kCategories[2]), 4);
    Series baseline = seriesOf("baseline", "the study as it is", Mark::points, std::string(kCategories[1]), 2);
    const std::size_t every = std::max<std::size_t>(1, (outcome.points.size() + kMostMarked - 1) / kMostMarked);
    const std::vector<bool> onFront = outcome.onFront();
    for (std::size_t i = 0; i < outcome.points.size(); ++i) {
        const ExploredPoint& point = outcome.points[i];
        if (outcome.chosen != i && !onFront[i] && i % every != 0) continue;
        Series& series = outcome.chosen == i ? chosen : onFront[i] ? front : point.isFeasible() ? others : violating;
        addPoint(series, outcome, "point " + numberOf(i), point, x, y);
    }
    if (outcome.baseline && outcome.baseline->isFeasible())
        addPoint(baseline, outcome, "the study as it is", *outcome.baseline, x, y);
    for (Series* series : {&violating, &others})
        if (!series->x.empty()) chart.series.push_back(std::move(*series));
    addFrontLine(chart, outcome, x, y);
    for (Series* series : {&front, &baseline, &chosen})
        if (!series->x.empty()) chart.series.push_back(std::move(*series));
    if (every > 1) chart.notes.push_back(fmt::format("One in {} of the other points is drawn.", every));
    return chart;
}

}  // namespace

Chart explorationFrontChart(const ExplorationOutcome& outcome) {
    if (outcome.objectives.empty()) return {.id = "front", .title = "Front", .empty = kNoPoint};
    const DrawnValue y(outcome, outcome.objectives.front().id);
    Chart chart = explorationScatter(
        outcome,
        outcome.objectives.size() > 1 ? DrawnValue(outcome, outcome.objectives[1].id) : leadingVariable(outcome, y), y);
    chart.id = "front";
    return chart;
}

Chart explorationProgressChart(const ExplorationOutcome& outcome) {
    Chart chart{.id = "progress", .empty = kNoPoint};
    if (outcome.objectives.empty()) return chart;
    const ExploredObjective& objective = outcome.objectives.front();
    const DrawnValue drawn(outcome, objective.id);
    Series values = seriesOf("values", "points", Mark::points, std::string(kCategories[5]), 0);
    Series best = seriesOf("best", "best so far", Mark::steps, "accent", -1);
    best.reference = true;
    std::vector<double> all;
    double least = std::numeric_limits<double>::infinity();
    const std::size_t every = std::max<std::size_t>(1, (outcome.points.size() + kMostMarked - 1) / kMostMarked);
    for (std::size_t i = 0; i < outcome.points.size(); ++i) {
        const ExploredPoint& point = outcome.points[i];
        const double value = drawn.at(point);
        if (!point.isFeasible() || std::isnan(value)) continue;
        all.push_back(value);
        const auto x = static_cast<double>(i + 1);
        if (objective.asLess(value) < least) {
            least = objective.asLess(value);
            best.x.push_back(x);
            best.y.push_back(value);
        }
        if (i % every != 0) continue;
        values.x.push_back(x);
        values.y.push_back(value);
        values.valueTexts.push_back(saidOf(outcome, "point " + numberOf(i), point));
        values.labels.emplace_back();
    }
    if (best.x.empty()) return chart;
    best.x.push_back(static_cast<double>(outcome.points.size()));
    best.y.push_back(best.y.back());
    chart.title = fmt::format("{}: {} after {} of {}", objective.title, drawn.text(objective.asLess(least)),
                              formatCount(best.x[best.x.size() - 2]),
                              formatCounted(static_cast<double>(outcome.points.size()), "point", "points"));
    chart.x = {.title = "Points"};
    chart.y = drawn.axisFor(all);
    chart.series = {std::move(values), std::move(best)};
    return chart;
}

Chart hypervolumeChart(const ExplorationOutcome& outcome) {
    Chart chart{.id = "hypervolume", .empty = kNoPoint};
    if (outcome.hypervolume.empty()) return chart;
    Series line = seriesOf("hypervolume", "hypervolume", Mark::steps, "accent", -1);
    for (const auto& [points, share] : outcome.hypervolume) {
        line.x.push_back(points);
        line.y.push_back(100 * share);
    }
    const double last = outcome.hypervolume.back().second;
    const auto reached = std::find_if(outcome.hypervolume.begin(), outcome.hypervolume.end(),
                                      [&](const auto& at) { return at.second >= 0.99 * last; });
    chart.title = fmt::format("99 % of the hypervolume after {} of {}", formatCount(reached->first),
                              formatCounted(static_cast<double>(outcome.points.size()), "point", "points"));
    chart.x = {.title = "Points"};
    chart.y = {.title = "Hypervolume (%)", .fromZero = true};
    chart.series = {std::move(line)};
    return chart;
}

Chart explorationEffectChart(const ExplorationOutcome& outcome) {
    Chart chart{.id = "effects",
                .horizontal = true,
                .empty = "Nothing is known of what matters: too few points are solutions."};
    if (outcome.effects.empty()) return chart;
    const bool isMorris = outcome.effectKind == study::kMorris, isSobol = outcome.effectKind == study::kSobolIndices;
    chart.title = isMorris  ? "Mean of absolute elementary effects"
                  : isSobol ? "Share of the variance, first order and with interactions"
                            : "What matters to each objective";
    for (const study::VariableEffect& effect : outcome.effects.front().effects)
        chart.x.categories.push_back(titleOfVariable(outcome, effect.variable));
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
    ParallelPicture picture{.id = "parallel",
                            .title = "Every solution in all variables and objectives",
                            .axes = {},
                            .rows = {},
                            .empty = kNoPoint};
    std::vector<DrawnValue> drawn;
    for (std::size_t i = 0; i < outcome.variables.size(); ++i)
        if (outcome.variables[i].isChosen()) drawn.emplace_back(outcome, i);
    for (const ExploredObjective& objective : outcome.objectives) drawn.emplace_back(outcome, objective.id);
    for (const DrawnValue& each : drawn) {
        Axis axis = each.axis();
        axis.categories.clear();
        picture.axes.push_back(std::move(axis));
        picture.endText.emplace_back([each](double value) { return each.text(value); });
    }
    const std::vector<bool> onFront = outcome.onFront();
    const auto add = [&](std::size_t i) {
        ParallelPicture::Row row{.name = "point " + numberOf(i), .values = {}};
        for (const DrawnValue& each : drawn) row.values.push_back(each.at(outcome.points[i]));
        if (onFront[i]) row.colour = "accent";
        if (outcome.chosen == i) row.colour = std::string(kCategories[2]);
        picture.rows.push_back(std::move(row));
    };
    for (std::size_t i = 0; i < outcome.points.size(); ++i)
        if (outcome.points[i].isFeasible() && !onFront[i]) add(i);
    for (const std::size_t point : outcome.front)
        if (outcome.chosen != point) add(point);
    if (outcome.chosen) add(*outcome.chosen);
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
            std::vector<std::string> row{outcome.titleOf(of.objective), titleOfVariable(outcome, effect.variable),
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
            {formatCount(static_cast<double>(reason.points)),
             percentOf(static_cast<double>(reason.points) / static_cast<double>(outcome.points.size())),
             reason.reason});
    return table;
}

}  // namespace tessera::report
