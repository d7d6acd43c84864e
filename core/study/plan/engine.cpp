#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/library.h"
#include "core/plan/axes.h"
#include "core/study/engine_rows.h"
#include "core/study/field_metrics.h"
#include "core/study/partition/study.h"
#include "core/study/plan/fields.h"
#include "core/study/plan/study.h"
#include "core/study/workload_files.h"

namespace tessera::study {

namespace {

using plan::Objective;

std::vector<InputFact> facts(const PlanOutcome& row) {
    std::vector<InputFact> all{{"Model", "name", row.model},
                               {"Model", "parameters", formatCount(row.parameters)},
                               {"Model", "global batch", formatCount(row.globalBatch)},
                               {"Hardware", "fleet", row.fleet}};
    if (row.hasTokens()) all.insert(all.begin() + 2, {"Model", "tokens of a sample", formatCount(row.sequence)});
    for (std::size_t i = 0; i < row.groups.size(); ++i)
        all.push_back({"Hardware", fmt::format("groups[{}]", i),
                       fmt::format("{} {}", row.groups[i].count, row.groups[i].accelerator)});
    return all;
}

AmountOfWork work(const Result& result) {
    const auto& row = result.outcome.get<PlanOutcome>();
    AmountOfWork work{
        .amount = fmt::format("{} {} {}", result.inputs.empty() ? std::string() : result.inputs.front().sha256,
                              row.globalBatch, row.sequence),
        .samples = row.globalBatch,
        .tokens = row.hasTokens() ? row.sequence : 0};
    const plan::Evaluated* best = row.best();
    work.devices =
        static_cast<std::int64_t>(best == nullptr ? row.accelerators() : best->scores.of(Objective::accelerators));
    if (best != nullptr) work.seconds = best->scores.of(Objective::time);
    return work;
}

std::string layersOf(const plan::EvaluatedStage& stage) {
    std::string text = formatCounted(stage.layers, "layer", "layers");
    if (const std::string recomputed = recomputedText(stage); !recomputed.empty())
        text += fmt::format(" ({} recomputed)", recomputed);
    return text;
}

ComparedParts stagesOf(const PlanOutcome& row) {
    ComparedParts all{.title = "Stages", .parts = {}};
    if (row.best() == nullptr) return all;
    for (const plan::EvaluatedStage& stage : row.best()->stages) {
        const double time = stage.forward + stage.backward;
        all.parts.push_back(
            {.name = fmt::format("stage {}", all.parts.size() + 1),
             .what = fmt::format("{} on {}, {}", layersOf(stage), escaped(row.groups.at(stage.group).accelerator),
                                 formatQuantity(stage.memory.total() + stage.allowance, Measure::bytes)),
             .value = time,
             .text = formatSeconds(time) + " a micro-batch"});
    }
    return all;
}

std::optional<std::string> keptTimeline(const PlanOutcome& row) {
    return row.best() != nullptr ? std::optional(std::string()) : std::nullopt;
}

bool tooClose(const Result& a, double rateOfA, const Result& b, double rateOfB) {
    const plan::Evaluated* first = a.outcome.get<PlanOutcome>().best();
    const plan::Evaluated* second = b.outcome.get<PlanOutcome>().best();
    if (first == nullptr || second == nullptr) return false;
    // Rates go with the inverse of the step's time.
    const auto low = [](const plan::Evaluated& its, double rate) {
        return rate * its.scores.of(Objective::time) / its.high;
    };
    const auto high = [](const plan::Evaluated& its, double rate) {
        return rate * its.scores.of(Objective::time) / its.low;
    };
    return low(*first, rateOfA) < high(*second, rateOfB) && low(*second, rateOfB) < high(*first, rateOfA);
}

std::vector<InputFile> files(const Study& study) {
    std::vector<InputFile> all;
    for (const std::string& name : study.hardware)
        for (InputFile& file : fleetFiles(name, hardware::loadFleet(placeOfInput(name)))) addFile(all, std::move(file));
    return all;
}

}  // namespace

std::string configurationText(const plan::Configuration& configuration) {
    std::vector<std::string> degrees;
    for (const plan::AxisRow& axis : plan::axes().first(4))
        if (const std::string value = plan::valueText(configuration, axis); !value.empty())
            degrees.push_back(fmt::format("{} {}", value, axis.key));
    std::string text = joined(degrees, " × ") + " parallel";
    if (configuration.expert > 1) text += fmt::format(", {} expert parallel", configuration.expert);
    if (configuration.wholeExperts) text += ", experts whole";
    text += fmt::format(", micro-batches of {}", configuration.micro);
    if (configuration.pipeline > 1) text += fmt::format(", {}", physical::nameOf(configuration.schedule));
    if (configuration.chunks > 1) text += fmt::format(" with {} virtual stages", configuration.chunks);
    if (configuration.zero > 0) text += fmt::format(", ZeRO {}", configuration.zero);
    if (configuration.recompute != plan::Recomputation::none)
        text += fmt::format(", {} recomputation", plan::kRecomputationNames.of(configuration.recompute));
    if (configuration.order != physical::RankOrder::pipelineLast)
        text += fmt::format(", ranks {}", physical::kRankOrderNames.of(configuration.order));
    return text;
}

std::string recomputedText(const plan::EvaluatedStage& stage) {
    std::vector<std::string> parts;
    if (stage.recomputed.full > 0) parts.push_back(fmt::format("{} of {}", stage.recomputed.full, stage.layers));
    if (stage.recomputed.selective > 0)
        parts.push_back(fmt::format("attention of {} of {}", stage.recomputed.selective, stage.layers));
    return joined(parts, ", ");
}

std::string planHeadline(const PlanOutcome& outcome) {
    const plan::Evaluated* best = outcome.best();
    if (best == nullptr) return outcome.shortage ? outcome.shortage->reason : "nothing fits";
    const double step = best->scores.of(Objective::time);
    std::string text = fmt::format("{}/step ({} to {}) · {} {}/s · {}", formatSeconds(step), formatSeconds(best->low),
                                   formatSeconds(best->high), uncertainText(best->tokensPerSecond), outcome.unit(),
                                   configurationText(best->configuration));
    if (const auto training = outcome.trainingSeconds()) {
        constexpr double kDay = 86400;
        text += fmt::format(" · {:.3g} days", *training / kDay);
        if (const auto price = outcome.trainingPrice()) text += ", " + uncertainDollarsText(*price);
    }
    return text + (outcome.ended == EndedBy::proof
                       ? fmt::format(" · proven best of {}", formatCount(outcome.counted.all))
                       : std::string(" · best so far"));
}

std::string planMisfit(const PlanOutcome& outcome) {
    if (outcome.best() == nullptr) return outcome.shortage ? outcome.shortage->reason : "nothing fits";
    if (outcome.asked && !outcome.asked->misfit.empty()) return outcome.asked->given + ": " + outcome.asked->misfit;
    return {};
}

Engine planEngine() {
    return {
        .id = "plan",
        .title = "Training plan",
        .description = "Finds the parallel configuration in which a model is trained best on a fleet of accelerators.",
        .hardwareKind = "fleet",
        .hardware = InputArity::many,
        .parameters = planParameters,
        .files = files,
        .run = runPlan,
        .estimate = estimatePlan,
        .resultSchema = "tessera.plan-result/1",
        .jsonSchema = planSchema,
        .write = writePlanJson,
        .read = readPlanResult,
        .titleOf =
            [](const Result& result) {
                const auto& row = result.outcome.get<PlanOutcome>();
                return row.model + " on " + row.fleet;
            },
        .headline = ofOutcome<planHeadline>,
        .metrics =
            [](const Result& result) { return metricsBy(trainingPlanFields(), result.outcome.get<PlanOutcome>()); },
        .misfit = ofOutcome<planMisfit>,
        .metricText = [](std::string_view name,
                         double value) { return metricTextBy(trainingPlanFields(), name, value); },
        .explain =
            [](const Result& result, const std::string& path) {
                return explainedBy(trainingPlanFields(), result.outcome.get<PlanOutcome>(), result, path);
            },
        .keyMetrics = {{"step_time_s", Measure::seconds, true}},
        .timeline = [](const Result& result,
                       const std::string& rank) { return planTimeline(result.outcome.get<PlanOutcome>(), rank); },
        .keptTimeline = ofOutcome<keptTimeline>,
        .facts = ofOutcome<facts>,
        .deciding = {{"step_time_s", true, "All runs take {0} for a step",
                      "No run is faster than {1}, at {0} for a step",
                      "{1} is {2} as fast as {3}: {0} for a step against {4}"}},
        .work = work,
        .ofWork = {"step_time_s", "price_usd", "energy_j"},
        .parts = ofOutcome<stagesOf>,
        .tooCloseToCall = tooClose,
        .question = "Which parallel configuration trains best: {}?"};
}

}  // namespace tessera::study
