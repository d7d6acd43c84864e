#include <nlohmann/json.hpp>
#include <utility>

#include "core/study/document_schema.h"
#include "core/study/exploration/metric_members.h"
#include "core/study/exploration/study.h"
#include "core/study/members.h"

namespace tessera::study {

namespace {

constexpr DocumentKind kExplorationKind{
    .schema = "tessera.exploration-result/1",
    .command = "explore",
    .nameOfStudy = "study_name",
    .about =
        "Points of a study whose parameters, inputs or hardware vary: what each comes to, which no other beats, "
        "and what matters.",
    .seeded = true};

constexpr auto kExploredVariable = [](auto& doc, auto& variable) {
    doc({"name", "Of the variable."}, variable.name);
    doc({"title", "For people."}, variable.title);
    doc.unlessEmpty({"help", "What it is."}, variable.help);
    doc({"target", "What it sets."}, variable.target, kVariableTargetNames);
    doc.unlessEmpty({"of", "The parameter, list of inputs, dimension, or path of the field."}, variable.of);
    doc({"measure", "What it measures; in its base unit."}, variable.measure, kMeasureNames);
    doc.unlessEmpty({"formula", "It is computed from others by this; else it is chosen."}, variable.formula);
    doc({"low", "Least value; of categories 0."}, variable.range.low);
    doc({"high", "Greatest value; of categories the number of the last."}, variable.range.high);
    doc({"scale", "How its range is divided."}, variable.range.scale, kScaleNames);
    doc({"step", "From one value to the next; 0 where there are any between."}, variable.range.step, kNotNegative);
    doc.unlessEmpty({"choices", "Values that it takes alone; of categories their numbers."}, variable.range.values);
    doc.unlessEmpty({"words", "Of categories, whose values are numbers into them."}, variable.words);
    doc({"levels", "Of its range in a grid; 0 = all of its values where steps number them, else 5."},
        variable.range.levels, 0);
    if constexpr (kReads<decltype(doc)>) {
        variable.range.name = variable.name;
        variable.range.isCategory = !variable.words.empty();
    }
};

constexpr auto kExploredPoint = [](auto& doc, auto& point) {
    doc({"values", "By variable; null where it has none."}, point.values, kOrUnknown);
    doc({"metrics", "By metric; null where it has none."}, point.metrics, kOrUnknown);
    doc({"fault", "Why it is no solution: the engine finds none, a constraint, or it is no study that can be run."},
        point.fault, kPointFaultNames);
    doc.unlessEmpty({"reason", "The same as a sentence."}, point.reason);
    doc.unlessEmpty({"kind", "The reason without what is this point's alone."}, point.kind);
    doc.unlessEmpty({"violation", "Of constraints, as shares of their limits."}, point.violation, kNotNegative);
};

constexpr auto kVariableEffect = [](auto& doc, auto& effect) {
    doc({"variable", "Its name."}, effect.variable);
    doc({"value", "First-order index, mean of absolute effects, or importance."}, effect.value, kOrUnknown);
    doc({"low", "Lower end of the interval in which 95 % of estimates lie."}, effect.low, kOrUnknown);
    doc({"high", "Its upper end."}, effect.high, kOrUnknown);
    doc({"total", "With the interactions that it takes part in."}, effect.total);
    doc({"total_low", "Lower end of its interval."}, effect.totalLow);
    doc({"total_high", "Its upper end."}, effect.totalHigh);
    doc({"spread", "Of elementary effects: it is not linear, or interacts."}, effect.spread);
};

constexpr auto kExplorationDocument = [](auto& doc, auto& outcome, auto& result) {
    doc({"engine", "Of the study that is varied."}, outcome.engine);
    doc({"study", "Its title."}, outcome.base);
    doc.derived(kParametersKey, *result.study.parameters);
    doc({"method", "How points were chosen."}, outcome.method);
    doc({"ended_by", "Why the exploration ended."}, outcome.ended);
    doc.list({"variables", "What varies.", kSomeEntries}, outcome.variables, kExploredVariable);
    doc.list({"metrics", "Of the study, in the order in which points have them."}, outcome.metrics, kExploredMetric);
    doc.list({"objectives", "Metrics that are minimised or maximised."}, outcome.objectives,
             [](auto& row, auto& objective) {
                 row({"id", "Of the metric or variable."}, objective.id);
                 row({"title", "For people."}, objective.title);
                 row({"goal", "Least or most."}, objective.goal, kGoalNames);
             });
    doc.list({"constraints", "Limits."}, outcome.constraints, [](auto& row, auto& constraint) {
        row({"id", "Of the metric or variable."}, constraint.id);
        row({"title", "For people."}, constraint.title);
        row({"min", "At least."}, constraint.min);
        row({"max", "At most."}, constraint.max);
    });
    doc.group({"counted", "Points by what became of them."}, [&](auto& inner) {
        inner.derived("evaluated", [&] { return outcome.points.size(); });
        inner.derived("feasible", [&] { return outcome.feasible(); });
        inner({"repeated", "Asked for again, and not computed again."}, outcome.repeated);
        inner.list({"reasons", "Why points are no solution, the most frequent first."}, outcome.reasons,
                   [](auto& row, auto& reason) {
                       row("fault", reason.fault, kPointFaultNames);
                       row({"reason", "Without numbers."}, reason.reason);
                       row("points", reason.points, 1);
                   });
    });
    doc.object({"baseline", "The study as it is; a value is null where it has none, or several."}, outcome.baseline,
               kExploredPoint);
    doc.list({"points", "Each once, in the order in which they were asked for."}, outcome.points, kExploredPoint);
    doc({"front", "Points, from 0, that no other beats in all objectives."}, outcome.front);
    doc({"knee", "The point of the front where more of one objective begins to cost most of another."}, outcome.knee);
    doc({"chosen", "The point that is recommended."}, outcome.chosen);
    doc.unlessEmpty({"chosen_for", "Why."}, outcome.chosenFor);
    doc.list(
        {"hypervolume",
         "By points evaluated, the share that the front dominates of the box between the worst and the best values "
         "of all points; of one objective the way from the worst to the best. None of more than six objectives."},
        outcome.hypervolume, [](auto& row, auto& at) {
            row({"points", "Evaluated so far."}, at.first, kNotNegative.asWhole());
            row({"share", "Dominated."}, at.second, kNotNegative);
        });
    doc.unlessEmpty({"effect_kind", "What effects are: Sobol' indices, Morris' elementary effects, or importance."},
                    outcome.effectKind);
    doc.list({"effects", "What matters to each objective."}, outcome.effects, [](auto& row, auto& of) {
        row({"objective", "Its id."}, of.objective);
        row.list({"variables", "In their order."}, of.effects, kVariableEffect);
        row({"explained", "Share of the variance that the model behind importances predicts for points left out."},
            of.explained);
    });
    doc.list({"kept", "Results that are kept whole."}, outcome.kept, [](auto& row, auto& kept) {
        row({"point", "From 0."}, kept.point);
        row({"result", "As its engine writes it.", R"({"type": "object"})"}, kept.document);
    });
    doc.require(outcome.isConsistent(), "points",
                "points with a value of each variable and metric, and numbers of points", "other lists");
};

}  // namespace

void writeExplorationJson(const Result& result, const TextSink& write) {
    writeDocument<ExplorationOutcome>(result, write, kExplorationKind, kExplorationDocument);
}

Result readExplorationResult(const JsonNode& document, const Study& study) {
    return readDocument<ExplorationOutcome>(document, study, kExplorationKind, kExplorationDocument);
}

Json explorationSchema() {
    return documentSchema<ExplorationOutcome>(kExplorationKind, kExplorationDocument);
}

}  // namespace tessera::study
