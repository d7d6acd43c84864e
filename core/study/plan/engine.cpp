#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/library.h"
#include "core/study/engine_rows.h"
#include "core/study/field_metrics.h"
#include "core/study/partition/study.h"
#include "core/study/plan/study.h"
#include "core/study/workload_files.h"

namespace tessera::study {

namespace {

using Better = Metric::Better;
using Row = PlanOutcome;
using Terms = std::vector<Explanation::Term>;
using plan::Objective;

constexpr std::string_view kSource = "physical model of Tessera; Narayanan et al., SC 2021; Qi et al., ICLR 2024",
                           kDefinition = "definition";

std::string seconds(double value) {
    return formatQuantity(value, Measure::seconds);
}

std::string dollars(double value) {
    if (value < 1000) return fmt::format("${:.3g}", value);
    // No more digits than the prediction is certain of.
    const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
    return "$" + formatCount(std::round(value / unit) * unit);
}

std::string tokensText(double value) {
    return uncertainText(value) + " tokens/s";
}
std::string samplesText(double value) {
    return uncertainText(value) + " samples/s";
}

/// A value of the best configuration; none where nothing fits.
template <typename Get>
FieldValue ofBest(const Row& row, const Get& get) {
    return row.best() != nullptr ? FieldValue(static_cast<double>(get(*row.best()))) : FieldValue();
}

template <Objective objective>
FieldValue scoreOf(const Row& row) {
    if (objective == Objective::energy && !row.knowsEnergy()) return {};
    return ofBest(row, [](const plan::Evaluated& best) { return best.scores.of(objective); });
}

template <int plan::Configuration::*member>
FieldValue degreeOf(const Row& row) {
    return ofBest(row, [](const plan::Evaluated& best) { return best.configuration.*member; });
}

void timeTerms(const Row& row, Terms& terms) {
    const plan::TimeShares& time = row.best()->time;
    const auto add = [&](const char* name, double value) {
        if (value > 0) terms.push_back({name, seconds(value), "result, configurations[0].time"});
    };
    add("compute", time.compute);
    add("tensor parallelism", time.tensor);
    add("context parallelism", time.context);
    add("expert parallelism", time.expert);
    add("between stages", time.pipeline);
    add("bubble", time.bubble);
    add("gradients and parameters", time.data);
    add("optimizer", time.optimizer);
    add("start of the step", time.start);
}

void configurationTerms(const Row& row, Terms& terms) {
    terms.push_back({"configuration", plan::shortText(row.best()->configuration), "result, configurations[0]"});
    terms.push_back(
        {"configurations of the space", formatCount(static_cast<double>(row.counted.all)), "result, counted.all"});
}

const plan::EvaluatedStage& fullestStage(const Row& row) {
    const std::vector<plan::EvaluatedStage>& stages = row.best()->stages;
    return *std::max_element(stages.begin(), stages.end(), [](const auto& a, const auto& b) {
        return a.memory.total() + a.allowance < b.memory.total() + b.allowance;
    });
}

void memoryTerms(const Row& row, Terms& terms) {
    const plan::EvaluatedStage& stage = fullestStage(row);
    const auto add = [&](const char* name, double value) {
        terms.push_back({name, formatQuantity(value, Measure::bytes), "result, configurations[0].stages"});
    };
    add("weights, gradients, optimizer", stage.memory.parameters);
    add("activations", stage.memory.activations);
    add("layer or head at work", stage.memory.working);
    add("software beside the model", stage.allowance);
}

void rateTerms(const Row& row, Terms& terms) {
    terms.push_back({"global batch", formatCount(row.globalBatch), "parameter global_batch"});
    if (row.hasTokens())
        terms.push_back({"tokens of a sample", formatCount(row.sequence), "parameter sequence, or the model's"});
    terms.push_back({"step time", seconds(row.best()->scores.of(Objective::time)), "result, step_time_s"});
}

void priceTerms(const Row& row, Terms& terms) {
    for (const plan::Part& part : row.best()->configuration.parts) {
        const PlannedGroup& group = row.groups[part.group];
        const auto count = static_cast<double>(row.best()->configuration.perStage() * part.stages * part.replicas);
        terms.push_back({"accelerators of " + escaped(group.name), formatCount(count), "result, configurations[0]"});
        if (group.pricePerHour)
            terms.push_back(
                {"price of " + escaped(group.accelerator), dollars(*group.pricePerHour) + "/h", "its description"});
    }
    terms.push_back({"step time", seconds(row.best()->scores.of(Objective::time)), "result, step_time_s"});
}

void askedTerms(const Row& row, Terms& terms) {
    terms.push_back({"configuration", escaped(row.asked->given), "parameter evaluate"});
    terms.push_back({"its step", seconds(row.asked->evaluated->scores.of(Objective::time)), "result, asked"});
    terms.push_back({"that of the best", seconds(row.best()->scores.of(Objective::time)), "result, step_time_s"});
}

std::vector<InputFact> facts(const Row& row) {
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
    const auto& row = result.outcome.get<Row>();
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

ComparedParts stagesOf(const Row& row) {
    ComparedParts all{.title = "Stages", .parts = {}};
    if (row.best() == nullptr) return all;
    for (const plan::EvaluatedStage& stage : row.best()->stages) {
        const double time = stage.forward + stage.backward;
        all.parts.push_back(
            {.name = fmt::format("stage {}", all.parts.size() + 1),
             .what = fmt::format("{} on {}, {}", layersOf(stage), escaped(row.groups.at(stage.group).accelerator),
                                 formatQuantity(stage.memory.total() + stage.allowance, Measure::bytes)),
             .value = time,
             .text = seconds(time) + " a micro-batch"});
    }
    return all;
}

std::optional<std::string> keptTimeline(const Row& row) {
    return row.best() != nullptr ? std::optional(std::string()) : std::nullopt;
}

bool tooClose(const Result& a, double rateOfA, const Result& b, double rateOfB) {
    const plan::Evaluated* first = a.outcome.get<Row>().best();
    const plan::Evaluated* second = b.outcome.get<Row>().best();
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

constexpr std::string_view kRecomputeTexts[] = {"", "selective recomputation", "full recomputation",
                                                "recomputation per stage"};

}  // namespace

std::string configurationText(const plan::Configuration& configuration) {
    std::string text = fmt::format("{} tensor × {} pipeline × {} data", configuration.tensor, configuration.pipeline,
                                   configuration.data);
    if (configuration.context > 1) text += fmt::format(" × {} context", configuration.context);
    text += " parallel";
    if (configuration.expert > 1) text += fmt::format(", {} expert parallel", configuration.expert);
    if (configuration.wholeExperts) text += ", experts whole";
    text += fmt::format(", micro-batches of {}", configuration.micro);
    if (configuration.pipeline > 1) text += fmt::format(", {}", physical::nameOf(configuration.schedule));
    if (configuration.chunks > 1) text += fmt::format(" with {} virtual stages", configuration.chunks);
    if (configuration.zero > 0) text += fmt::format(", ZeRO {}", configuration.zero);
    if (configuration.recompute != plan::Recomputation::none)
        text += fmt::format(", {}", kRecomputeTexts[static_cast<std::size_t>(configuration.recompute)]);
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

const std::vector<Field<PlanOutcome>>& trainingPlanFields() {
    static const std::vector<Field<Row>> kFields{
        {.id = "step_time_s",
         .title = "Step time",
         .uses = kMetric,
         .get = scoreOf<Objective::time>,
         .measure = Measure::seconds,
         .better = Better::lower,
         .formula = "pipeline of the micro-batches + exposed reduction of gradients + optimizer + start of the step",
         .source = kSource,
         .terms = timeTerms},
        {.id = "tokens_per_s",
         .title = "Throughput",
         .uses = kMetric,
         .get =
             [](const Row& row) {
                 return row.hasTokens() ? ofBest(row, [](const auto& best) { return best.tokensPerSecond; })
                                        : FieldValue();
             },
         .better = Better::higher,
         .format = tokensText,
         .formula = "global batch · tokens of a sample / step time",
         .source = kDefinition,
         .terms = rateTerms},
        {.id = "samples_per_s",
         .title = "Throughput",
         .uses = kMetric | kUncertain,
         .get =
             [](const Row& row) {
                 return row.hasTokens() ? FieldValue()
                                        : ofBest(row, [](const auto& best) { return best.tokensPerSecond; });
             },
         .better = Better::higher,
         .format = samplesText,
         .formula = "global batch / step time",
         .source = kDefinition,
         .terms = rateTerms},
        {.id = "model_flops_utilisation",
         .title = "Model FLOPs utilisation",
         .uses = kMetric,
         .get = [](const Row& row) { return ofBest(row, [](const auto& best) { return best.utilisation; }); },
         .better = Better::higher,
         .format = percentText,
         .formula = "FLOP of the model without recomputation / (peak of the accelerators in use · step time)",
         .source = kDefinition,
         .terms = rateTerms},
        {.id = "accelerators",
         .title = "Accelerators in use",
         .uses = kMetric,
         .get = scoreOf<Objective::accelerators>,
         .better = Better::lower,
         .formula = "sum over parts of tensor · context · stages · replicas",
         .source = kDefinition,
         .terms = configurationTerms},
        {.id = "memory_bytes",
         .title = "Memory of the fullest accelerator",
         .uses = kMetric,
         .get = scoreOf<Objective::memory>,
         .measure = Measure::bytes,
         .better = Better::lower,
         .formula = "weights, gradients, optimizer by ZeRO + activations in flight + layer or head at work + software",
         .source = "Rajbhandari et al. 2020; Korthikanti et al. 2022, sections 4 and 5",
         .terms = memoryTerms},
        {.id = "price_usd",
         .title = "Price of a step",
         .uses = kMetric,
         .get = [](const Row& row) { return given(row.price()); },
         .better = Better::lower,
         .format = dollars,
         .formula = "sum over groups of accelerators · price per hour · step time",
         .source = kDefinition,
         .terms = priceTerms},
        {.id = "energy_j",
         .title = "Energy of a step",
         .uses = kMetric,
         .get = scoreOf<Objective::energy>,
         .measure = Measure::joules,
         .better = Better::lower,
         .formula =
             "accelerators · power limit · (products 1, memory 0.7, waiting 0.2 of it by their share of the step)",
         .source = "You et al., NSDI 2023",
         .terms = timeTerms},
        {.id = "training_s",
         .title = "Time of the training",
         .uses = kMetric,
         .get = [](const Row& row) { return given(row.trainingSeconds()); },
         .measure = Measure::seconds,
         .better = Better::lower,
         .formula = "tokens / (global batch · tokens of a sample), rounded up · step time",
         .source = kDefinition,
         .terms = rateTerms},
        {.id = "training_usd",
         .title = "Price of the training",
         .uses = kMetric,
         .get = [](const Row& row) { return given(row.trainingPrice()); },
         .better = Better::lower,
         .format = dollars,
         .formula = "steps · price of a step",
         .source = kDefinition,
         .terms = priceTerms},
        {.id = "tensor",
         .title = "Tensor parallel",
         .uses = kMetric,
         .get = degreeOf<&plan::Configuration::tensor>,
         .formula = "of the best configuration",
         .source = kDefinition,
         .terms = configurationTerms},
        {.id = "pipeline",
         .title = "Pipeline stages",
         .uses = kMetric,
         .get = degreeOf<&plan::Configuration::pipeline>,
         .formula = "of the best configuration",
         .source = kDefinition,
         .terms = configurationTerms},
        {.id = "data",
         .title = "Replicas",
         .uses = kMetric,
         .get = degreeOf<&plan::Configuration::data>,
         .formula = "of the best configuration",
         .source = kDefinition,
         .terms = configurationTerms},
        {.id = "context",
         .title = "Context parallel",
         .uses = kMetric,
         .get = degreeOf<&plan::Configuration::context>,
         .formula = "of the best configuration",
         .source = kDefinition,
         .terms = configurationTerms},
        {.id = "expert",
         .title = "Expert parallel",
         .uses = kMetric,
         .get = degreeOf<&plan::Configuration::expert>,
         .formula = "of the best configuration",
         .source = kDefinition,
         .terms = configurationTerms},
        {.id = "micro_batch",
         .title = "Micro-batch",
         .uses = kMetric,
         .get = degreeOf<&plan::Configuration::micro>,
         .formula = "of the best configuration",
         .source = kDefinition,
         .terms = configurationTerms},
        {.id = "configurations",
         .title = "Configurations of the space",
         .uses = kMetric,
         .get = [](const Row& row) { return FieldValue(static_cast<double>(row.counted.all)); },
         .formula = "all degrees that divide what they split, schedules, ZeRO, recomputation",
         .source = kDefinition,
         .terms =
             [](const Row& row, Terms& terms) {
                 terms.push_back(
                     {"compared", formatCount(static_cast<double>(row.counted.fitting)), "result, counted"});
             }},
        {.id = "asked_step_time_s",
         .title = "Step time of the configuration asked about",
         .uses = kMetric,
         .get =
             [](const Row& row) {
                 return row.timesTheBest() ? FieldValue(row.asked->evaluated->scores.of(Objective::time))
                                           : FieldValue();
             },
         .measure = Measure::seconds,
         .better = Better::lower,
         .formula = "as that of the best",
         .source = kSource,
         .terms = askedTerms},
        {.id = "times_the_best",
         .title = "Configuration asked about over the best",
         .uses = kMetric,
         .get = valueOf<&Row::timesTheBest>,
         .better = Better::lower,
         .format = timesText,
         .formula = "step time of the configuration asked about / that of the best",
         .source = kDefinition,
         .terms = askedTerms},
    };
    return kFields;
}

std::string planHeadline(const PlanOutcome& outcome) {
    const plan::Evaluated* best = outcome.best();
    if (best == nullptr) return outcome.shortage ? outcome.shortage->reason : "nothing fits";
    const double step = best->scores.of(Objective::time);
    std::string text =
        fmt::format("{}/step ({} to {}) · {} · {}", seconds(step), seconds(best->low), seconds(best->high),
                    outcome.hasTokens() ? tokensText(best->tokensPerSecond) : samplesText(best->tokensPerSecond),
                    configurationText(best->configuration));
    if (const auto training = outcome.trainingSeconds()) {
        constexpr double kDay = 86400;
        text += fmt::format(" · {:.3g} days", *training / kDay);
        if (const auto price = outcome.trainingPrice()) text += ", " + dollars(*price);
    }
    return text + (outcome.ended == EndedBy::proof
                       ? fmt::format(" · proven best of {}", formatCount(static_cast<double>(outcome.counted.all)))
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
                const auto& row = result.outcome.get<Row>();
                return row.model + " on " + row.fleet;
            },
        .headline = ofOutcome<planHeadline>,
        .metrics = [](const Result& result) { return metricsBy(trainingPlanFields(), result.outcome.get<Row>()); },
        .misfit = ofOutcome<planMisfit>,
        .metricText = [](std::string_view name,
                         double value) { return metricTextBy(trainingPlanFields(), name, value); },
        .explain =
            [](const Result& result, const std::string& path) {
                return explainedBy(trainingPlanFields(), result.outcome.get<Row>(), result, path);
            },
        .keyMetrics = {{"step_time_s", Measure::seconds, true}},
        .timeline = [](const Result& result,
                       const std::string& rank) { return planTimeline(result.outcome.get<Row>(), rank); },
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
