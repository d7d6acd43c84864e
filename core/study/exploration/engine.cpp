#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/engine_rows.h"
#include "core/study/exploration/settings.h"
#include "core/study/exploration/study.h"
#include "core/study/field_metrics.h"

namespace tessera::study {

namespace {

using Row = ExplorationOutcome;
using Terms = std::vector<Explanation::Term>;

constexpr std::string_view kChosenOwner = "chosen", kHypervolume = "hypervolume";

void pointTerms(const Row& row, Terms& terms) {
    terms.push_back({"points", formatCount(row.points.size()), "result, counted"});
    terms.push_back({"feasible", formatCount(row.feasible()), "result, counted"});
    terms.push_back({"method", row.method, "parameter method"});
}

void frontTerms(const Row& row, Terms& terms) {
    pointTerms(row, terms);
    for (const ExploredObjective& objective : row.objectives)
        terms.push_back({fmt::format("{} of {}", objective.goal == Goal::max ? "most" : "least", objective.title),
                         objective.id, "parameter objectives"});
}

/// The numbers that every exploration has.
const std::vector<Field<Row>>& explorationFields() {
    constexpr std::string_view kDefinition = "definition";
    static const std::vector<Field<Row>> kFields{
        {.id = kHypervolume,
         .title = "Hypervolume",
         .uses = kMetric,
         .get =
             [](const Row& row) {
                 return row.hypervolume.empty() ? FieldValue() : FieldValue(row.hypervolume.back().second);
             },
         .better = Metric::Better::higher,
         .help = "Share that the front dominates of the box between the worst and best values of all points",
         .format = percentText,
         .formula = "volume that the front dominates / volume between the worst and the best values of all points",
         .source = "Zitzler and Thiele 1998",
         .terms = frontTerms},
        {.id = "points",
         .title = "Points",
         .uses = kMetric,
         .get = [](const Row& row) { return given(row.points.size()); },
         .help = "Points that were evaluated",
         .formula = "counted, each once",
         .source = kDefinition,
         .terms = pointTerms},
        {.id = "feasible_points",
         .title = "Feasible points",
         .uses = kMetric,
         .get = [](const Row& row) { return given(row.feasible()); },
         .help = "Points that are solutions and keep all constraints",
         .formula = "counted",
         .source = kDefinition,
         .terms = pointTerms},
        {.id = "front_points",
         .title = "Points on the front",
         .uses = kMetric,
         .get = [](const Row& row) { return given(row.front.size()); },
         .help = "Points that no other beats in all objectives",
         .formula = "counted",
         .source = kDefinition,
         .terms = frontTerms},
    };
    return kFields;
}

Metric metricOf(const Row& row, const ExploredObjective& objective, std::size_t point, bool ofChosen) {
    const ExploredMetric* const its = row.metric(objective.id);
    const std::string title = lowerFirstOf(objective.title);
    return {.name = ofChosen ? fmt::format("{}/{}", kChosenOwner, objective.id) : objective.id,
            .title = ofChosen ? objective.title
                              : fmt::format("{} {}", objective.goal == Goal::max ? "Most" : "Least", title),
            .owner = std::string(ofChosen ? kChosenOwner : ""),
            .value = row.valueOf(row.points[point], objective.id),
            .measure = row.measureOf(objective.id),
            .better = objective.goal == Goal::max ? Metric::Better::higher : Metric::Better::lower,
            .uncertain = its != nullptr && its->uncertain};
}

std::optional<Explanation> explainObjective(const Result& result, const Row& row, const ExploredObjective& objective,
                                            std::size_t point, bool ofChosen) {
    const Metric metric = metricOf(row, objective, point, ofChosen);
    Explanation explanation{
        .title = ofChosen ? fmt::format("{} of the chosen point", metric.title) : metric.title,
        .value = textOf(metric),
        .exact = exactWithUnit(objective.id, metric.value, metric.measure),
        .formula = ofChosen ? fmt::format("at the chosen point: {}", row.chosenFor)
                            : fmt::format("the {} of all points that are solutions and keep the constraints",
                                          objective.goal == Goal::max ? "most" : "least"),
        .terms = {},
        .source = fmt::format("the engine {} at point {}", row.engine, point + 1),
        .notes = result.assumptions};
    for (std::size_t i = 0; i < row.variables.size(); ++i)
        explanation.terms.push_back({row.variables[i].title, textOf(row.variables[i], row.points[point].values[i]),
                                     fmt::format("result, points[{}]", point)});
    return explanation;
}

std::optional<Explanation> explainExploration(const Result& result, const std::string& path) {
    const Row& row = result.outcome.get<Row>();
    for (const ExploredObjective& objective : row.objectives) {
        if (path == objective.id)
            if (const auto best = row.best(objective)) return explainObjective(result, row, objective, *best, false);
        if (path == fmt::format("{}/{}", kChosenOwner, objective.id) && row.chosen)
            return explainObjective(result, row, objective, *row.chosen, true);
    }
    return explainedBy(explorationFields(), row, result, path);
}

/// "HBM3 bandwidth 4.8 TB/s, NVLink bandwidth 900 GB/s".
std::string valuesText(const Row& row, std::size_t point) {
    constexpr std::size_t kMostSaid = 6;
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < row.variables.size() && parts.size() < kMostSaid; ++i)
        if (row.variables[i].isChosen())
            parts.push_back(fmt::format("{} {}", lowerFirstOf(row.variables[i].title),
                                        textOf(row.variables[i], row.points[point].values[i])));
    return joined(parts, ", ");
}

std::vector<InputFact> facts(const Row& row) {
    std::vector<InputFact> all{
        {"Study", "study", row.base}, {"Study", "engine", row.engine}, {"Study", "method", row.method}};
    for (const ExploredVariable& variable : row.variables)
        all.push_back({"Variables", variable.name, variable.isChosen() ? rangeText(variable) : variable.formula});
    for (const ExploredObjective& objective : row.objectives)
        all.push_back({"Objectives", objective.id, std::string(kGoalNames.of(objective.goal))});
    return all;
}

std::string misfit(const Row& row) {
    if (row.feasible() > 0) return {};
    if (row.points.empty()) return "no point was evaluated";
    const std::string why = row.reasons.empty() ? std::string() : ": " + row.reasons.front().reason;
    return fmt::format("none of {} is a solution that keeps the constraints{}",
                       formatCounted(row.points.size(), "point", "points"), why);
}

}  // namespace

std::string lowerFirstOf(const std::string& title) {
    return hardware::lowerFirst(title);
}

std::string rangeText(const ExploredVariable& variable) {
    if (variable.isCategory()) return joined(variable.words, ", ");
    constexpr std::size_t kMostShown = 12;
    if (!variable.range.values.empty()) {
        std::vector<std::string> shown;
        for (const double value : variable.range.values) {
            shown.push_back(shown.size() == kMostShown ? "…" : textOf(variable, value));
            if (shown.size() > kMostShown) break;
        }
        return joined(shown, ", ");
    }
    std::string text =
        fmt::format("{} to {}", textOf(variable, variable.range.low), textOf(variable, variable.range.high));
    if (variable.range.step > 0) text += fmt::format(", steps of {}", textOf(variable, variable.range.step));
    if (variable.range.scale == explore::Scale::log) text += ", log scale";
    return text;
}

std::vector<Metric> explorationMetrics(const ExplorationOutcome& outcome) {
    std::vector<Metric> metrics;
    for (const ExploredObjective& objective : outcome.objectives)
        if (const auto best = outcome.best(objective)) metrics.push_back(metricOf(outcome, objective, *best, false));
    addMetricsBy(metrics, explorationFields(), outcome, "");
    if (outcome.chosen)
        for (const ExploredObjective& objective : outcome.objectives)
            metrics.push_back(metricOf(outcome, objective, *outcome.chosen, true));
    return metrics;
}

std::string explorationHeadline(const ExplorationOutcome& outcome) {
    const std::string nothing = misfit(outcome);
    if (!nothing.empty()) return nothing;
    std::vector<std::string> parts;
    for (const ExploredObjective& objective : outcome.objectives)
        if (const auto best = outcome.best(objective))
            parts.push_back(fmt::format(
                "{} {} {}", outcome.textOf(objective.id, outcome.valueOf(outcome.points[*best], objective.id)),
                objective.goal == Goal::max ? "most" : "least", lowerFirstOf(objective.title)));
    const std::size_t count = outcome.points.size();
    parts.push_back(outcome.objectives.size() > 1
                        ? fmt::format("{} of {} on the front", formatCount(outcome.front.size()),
                                      formatCounted(count, "point", "points"))
                        : fmt::format("best of {}", formatCounted(count, "point", "points")));
    if (const auto rest = static_cast<std::int64_t>(outcome.points.size()) - outcome.feasible(); rest > 0)
        parts.push_back(fmt::format("{} no solution", formatCount(rest)));
    if (outcome.chosen) parts.push_back("chosen: " + valuesText(outcome, *outcome.chosen));
    if (outcome.ended == EndedBy::stop) parts.emplace_back("stopped");
    return joined(parts, " · ");
}

Engine explorationEngine() {
    return {.id = "explore",
            .title = "Exploration",
            .description =
                "Explores how any study's results follow its parameters, its inputs and the fields of its hardware.",
            .hardwareKind = {},
            .models = InputArity::none,
            .hardware = InputArity::none,
            .drawsNumbers = true,
            .checkpoints = true,
            .shares = true,
            .parameters = explorationParameters,
            .studySchema = "tessera.exploration/1",
            .inner = choicesOf,
            .run = runExploration,
            .estimate = estimateExploration,
            .objectives = {{"", "Hypervolume over that of the first points", timesText, true}},
            .resultSchema = "tessera.exploration-result/1",
            .jsonSchema = explorationSchema,
            .write = writeExplorationJson,
            .read = readExplorationResult,
            .titleOf = [](const Result& result) { return "Exploration of " + result.outcome.get<Row>().base; },
            .headline = ofOutcome<explorationHeadline>,
            .metrics = ofOutcome<explorationMetrics>,
            .misfit = ofOutcome<misfit>,
            .metricText = [](std::string_view name,
                             double value) { return metricTextBy(explorationFields(), name, value); },
            .explain = explainExploration,
            .facts = ofOutcome<facts>,
            .question = "Which values are the best compromise: {}?"};
}

}  // namespace tessera::study
