#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/library.h"
#include "core/study/codesign/timeline.h"
#include "core/study/engine_rows.h"
#include "core/study/field_metrics.h"
#include "core/study/partition/study.h"
#include "core/study/placement/study.h"
#include "core/study/workload_files.h"

namespace tessera::study {

namespace {

using Better = Metric::Better;
using Row = PlacementOutcome;
using Terms = std::vector<Explanation::Term>;

constexpr std::string_view kPaper = "Wang et al., PHAZE, ICML 2024, section 5 and appendix B",
                           kDefinition = "definition";

/// The value of a plan; none where nothing fits.
template <typename Get>
FieldValue ofPlan(const Row& row, const Get& get) {
    return row.placement.plan ? FieldValue(static_cast<double>(get(*row.placement.plan))) : FieldValue();
}

const codesign::PlacedStage& slowestStage(const codesign::Plan& plan) {
    return *std::max_element(plan.stages.begin(), plan.stages.end(),
                             [](const auto& a, const auto& b) { return a.load < b.load; });
}

const codesign::PlacedStage& fullestStage(const codesign::Plan& plan) {
    return *std::max_element(plan.stages.begin(), plan.stages.end(),
                             [](const auto& a, const auto& b) { return a.memory.total() < b.memory.total(); });
}

void degreeTerms(const Row& row, Terms& terms) {
    const codesign::Plan& plan = *row.placement.plan;
    terms.push_back({"stages", formatCount(plan.stages.size()), "result, pipeline"});
    terms.push_back({"replicas d", formatCount(plan.data), "result, data"});
    terms.push_back({"tensor-parallel degree", formatCount(plan.tensorParallel), "result, tensor"});
    terms.push_back({"accelerators", formatCount(row.problem.accelerators), "result, problem.accelerators"});
}

void timeTerms(const Row& row, Terms& terms) {
    const codesign::ModelResult model = placedModel(row);
    terms.push_back(
        {"greatest load of a stage", formatSeconds(slowestStage(*row.placement.plan).load), "result, stages"});
    terms.push_back({"micro-batches of a replica",
                     formatCount(codesign::microBatchesOfReplica(row.problem.microBatches, row.placement.plan->data)),
                     "result, problem.micro_batches over replicas"});
    degreeTerms(row, terms);
    terms.push_back({row.of ? "sums of gradients, updates, messages that fill the pipeline, start of the step"
                            : "synchronising the replicas",
                     formatSeconds(model.time.gradientAllReduce),
                     row.of ? "physical model, what is left of the time per batch"
                            : "4·(d - 1)/d times the first stage's weights over the bandwidth"});
}

void throughputTerms(const Row& row, Terms& terms) {
    if (row.globalBatch) terms.push_back({"global batch", formatCount(*row.globalBatch), "parameter global_batch"});
    terms.push_back({"time per batch", formatSeconds(row.placement.plan->timePerBatch), "result, time_per_batch_s"});
}

void boundTerms(const Row& row, Terms& terms) {
    terms.push_back({"time per batch", formatSeconds(row.placement.plan->timePerBatch), "result, time_per_batch_s"});
    terms.push_back({"lower bound", formatSeconds(row.placement.lowerBound), "result, lower_bound_s"});
    terms.push_back({"sets of layers that plans are cut at", formatCount(row.cuts), "result, cuts"});
}

void memoryTerms(const Row& row, Terms& terms) {
    const codesign::StageMemory& memory = fullestStage(*row.placement.plan).memory;
    const auto add = [&](const char* name, Bytes size) {
        terms.push_back({name, formatQuantity(size.value, Measure::bytes), "result, stages, memory"});
    };
    add("weights and gradients", memory.weights);
    add("optimizer's state", memory.optimizer);
    add("activations", memory.activations);
    add(("kept for " + formatCount(memory.inFlight) + " micro-batches in flight").c_str(), memory.stashed);
    if (memory.beside.value > 0) add("fixed memory", memory.beside);
    terms.push_back({"memory of an accelerator", formatQuantity(row.problem.memory.value, Measure::bytes),
                     "result, problem.memory_bytes"});
}

void ownTerms(const Row& row, Terms& terms) {
    terms.push_back({"plan", escaped(row.own->given), "parameter plan"});
    if (row.own->plan)
        terms.push_back({"its time per batch", formatSeconds(row.own->plan->timePerBatch), "result, own_plan"});
    if (row.placement.plan)
        terms.push_back(
            {"that of the fastest", formatSeconds(row.placement.plan->timePerBatch), "result, time_per_batch_s"});
}

std::vector<InputFact> facts(const Row& row) {
    const codesign::PlacementProblem& problem = row.problem;
    std::vector<InputFact> all{
        {"Model", "name", row.name},
        {"Model", "layers", std::to_string(row.layerCount)},
        {"Hardware", "accelerators", std::to_string(problem.accelerators)},
        {"Hardware", "memory", formatQuantity(problem.memory.value, Measure::bytes)},
        {"Hardware", "bandwidth", formatQuantity(problem.bandwidth.value, Measure::bytesPerSecond)}};
    if (!row.of) return all;
    if (row.of->sequence) all.push_back({"Model", "tokens of a sample", formatCount(*row.of->sequence)});
    all.push_back({"Model", "global batch", formatCount(row.globalBatch.value_or(0))});
    all.push_back({"Hardware", "fleet", row.of->fleet});
    all.push_back({"Hardware", "accelerator", row.of->accelerator});
    return all;
}

/// Micro-batches of a model are its own choice, those of a file are given.
AmountOfWork work(const Result& result) {
    const auto& outcome = result.outcome.get<PlacementOutcome>();
    const std::string sha = result.inputs.empty() ? std::string() : result.inputs.front().sha256;
    std::string amount = fmt::format("{} {}", outcome.problem.microBatches, sha);
    if (outcome.of)
        amount = fmt::format("{} {} {}", sha, outcome.globalBatch.value_or(0), outcome.of->sequence.value_or(0));
    AmountOfWork work{.amount = std::move(amount), .devices = outcome.problem.accelerators};
    const std::optional<codesign::Plan>& plan = outcome.placement.plan;
    if (!plan) return work;
    work.devices = Row::occupied(*plan);
    if (!outcome.globalBatch) return work;
    work.samples = static_cast<double>(*outcome.globalBatch);
    if (outcome.of) work.tokens = static_cast<double>(outcome.of->sequence.value_or(0));
    work.seconds = plan->timePerBatch.value;
    return work;
}

ComparedParts stagesOf(const Row& row) {
    ComparedParts all{.title = "Stages", .parts = {}};
    if (!row.placement.plan) return all;
    for (const codesign::PlacedStage& stage : row.placement.plan->stages)
        all.parts.push_back({.name = fmt::format("stage {}", all.parts.size() + 1),
                             .what = fmt::format("layers {} on {}, {}", row.layersText(stage.layers),
                                                 formatCounted(stage.accelerators, "accelerator", "accelerators"),
                                                 formatQuantity(stage.memory.total().value, Measure::bytes)),
                             .value = stage.load.value,
                             .text = formatSeconds(stage.load) + " a micro-batch"});
    return all;
}

std::vector<InputFile> files(const Study& study) {
    std::vector<InputFile> all = filesNamed(study.workloads, false, codesign::placementPath);
    for (const std::string& name : study.hardware)
        for (InputFile& file : fleetFiles(name, hardware::loadFleet(placeOfInput(name)))) addFile(all, std::move(file));
    return all;
}

std::optional<std::string> keptTimeline(const Row& row) {
    return row.placement.plan ? std::optional(std::string()) : std::nullopt;
}

Timeline timeline(const Result& result, const std::string& /*choice*/) {
    const auto& outcome = result.outcome.get<PlacementOutcome>();
    if (!outcome.placement.plan) throw UsageError("the result has no pipeline: no plan fits");
    codesign::ModelResult model = placedModel(outcome);
    model.choice.microBatch = 1;  // the pipeline asks for their number alone
    return pipelineTimeline(model, outcome.problem.microBatches);
}

}  // namespace

const std::vector<Field<PlacementOutcome>>& placementFields() {
    static const std::vector<Field<Row>> kFields{
        {.id = "time_per_batch_s",
         .title = "Time per batch",
         .uses = kMetric,
         .get = [](const Row& row) { return ofPlan(row, [](const auto& plan) { return plan.timePerBatch.value; }); },
         .measure = Measure::seconds,
         .better = Better::lower,
         .formula =
             "greatest load · (micro-batches of a replica + stages - 1) + synchronising the replicas; of a model "
             "greatest of load · (micro-batches of a replica - 1) + sum of gradients and update, + sum of loads + "
             "messages and start",
         .source = kPaper,
         .terms = timeTerms},
        {.id = "throughput_samples_per_s",
         .title = "Throughput",
         .uses = kMetric,
         .get = [](const Row& row) { return given(row.throughputOf(row.placement.plan)); },
         .better = Better::higher,
         .format = samplesText,
         .formula = "global batch / time per batch",
         .source = kDefinition,
         .terms = throughputTerms},
        {.id = "lower_bound_s",
         .title = "Lower bound",
         .uses = kMetric,
         .get = [](const Row& row) { return ofPlan(row, [&](const auto&) { return row.placement.lowerBound.value; }); },
         .measure = Measure::seconds,
         .formula = "no plan over the cuts, tensor-parallel degrees, replicas and stages takes less for a batch",
         .source = kPaper,
         .terms = boundTerms},
        {.id = "gap",
         .title = "Gap to the bound",
         .uses = kMetric,
         .get = [](const Row& row) { return ofPlan(row, [&](const auto&) { return row.gap(); }); },
         .better = Better::lower,
         .format = percentText,
         .formula = "time per batch / lower bound - 1",
         .source = kDefinition,
         .terms = boundTerms},
        {.id = "pipeline",
         .title = "Stages",
         .uses = kMetric,
         .get = [](const Row& row) { return ofPlan(row, [](const auto& plan) { return plan.stages.size(); }); },
         .formula = "stages of the fastest plan",
         .source = kPaper,
         .terms = degreeTerms},
        {.id = "data",
         .title = "Replicas",
         .uses = kMetric,
         .get = [](const Row& row) { return ofPlan(row, [](const auto& plan) { return plan.data; }); },
         .formula = "replicas of the pipeline in the fastest plan",
         .source = kPaper,
         .terms = degreeTerms},
        {.id = "tensor",
         .title = "Tensor-parallel degree",
         .uses = kMetric,
         .get = [](const Row& row) { return ofPlan(row, [](const auto& plan) { return plan.tensorParallel; }); },
         .formula = "accelerators over which a layer is sliced in the fastest plan",
         .source = kPaper,
         .terms = degreeTerms},
        {.id = "occupied_accelerators",
         .title = "Accelerators occupied",
         .uses = kMetric,
         .get = [](const Row& row) { return ofPlan(row, Row::occupied); },
         .formula = "replicas · sum over stages of their accelerators",
         .source = kDefinition,
         .terms = degreeTerms},
        {.id = "memory_bytes",
         .title = "Memory per accelerator",
         .uses = kMetric,
         .get =
             [](const Row& row) {
                 return ofPlan(row, [](const auto& plan) { return fullestStage(plan).memory.total().value; });
             },
         .measure = Measure::bytes,
         .better = Better::lower,
         .formula = "max over stages of (weights and gradients + optimizer's state + activations + kept in flight)",
         .source = kPaper,
         .terms = memoryTerms},
        {.id = "own_time_per_batch_s",
         .title = "Time per batch of the user-supplied plan",
         .uses = kMetric,
         .get =
             [](const Row& row) {
                 return row.own && row.own->plan ? FieldValue(row.own->plan->timePerBatch.value) : FieldValue();
             },
         .measure = Measure::seconds,
         .better = Better::lower,
         .formula = "greatest load · (micro-batches of a replica + stages - 1) + synchronising the replicas",
         .source = kPaper,
         .terms = ownTerms},
        {.id = "times_the_fastest",
         .title = "One's own plan over the fastest",
         .uses = kMetric,
         .get = valueOf<&Row::timesTheFastest>,
         .better = Better::lower,
         .format = timesText,
         .formula = "time per batch of the user-supplied plan / that of the fastest",
         .source = kDefinition,
         .terms = ownTerms},
    };
    return kFields;
}

Engine placementEngine() {
    return {
        .id = "place",
        .title = "Placement",
        .description = "Places a model's layers on many accelerators: stages, replicas and tensor-parallel degrees.",
        .hardwareKind = "fleet",
        .workloadKind = "file of layers",
        .models = InputArity::atMostOne,
        .workloads = InputArity::atMostOne,
        .hardware = InputArity::atMostOne,
        .parameters = placementParameters,
        .laterParameters = {"sequence", "dtype", "software", "widths", "micro_batches", "recompute", "zero"},
        .files = files,
        .run = runPlacement,
        .estimate = estimatePlacement,
        .resultSchema = "tessera.placement-result/1",
        .jsonSchema = placementSchema,
        .write = writePlacementJson,
        .read = readPlacementResult,
        .headline = ofOutcome<placementHeadline>,
        .metrics = [](const Result& result) { return metricsBy(placementFields(), result.outcome.get<Row>()); },
        .misfit = ofOutcome<placementMisfit>,
        .metricText = [](std::string_view name, double value) { return metricTextBy(placementFields(), name, value); },
        .explain =
            [](const Result& result, const std::string& path) {
                return explainedBy(placementFields(), result.outcome.get<Row>(), result, path);
            },
        .keyMetrics = {{"throughput_samples_per_s"}, {"time_per_batch_s", Measure::seconds}},
        .timeline = timeline,
        .keptTimeline = ofOutcome<keptTimeline>,
        .facts = ofOutcome<facts>,
        .deciding = {{"time_per_batch_s", true, "All runs take {0} for a batch",
                      "No run is faster than {1}, at {0} for a batch",
                      "{1} is {2} as fast as {3}: {0} for a batch against {4}"}},
        .work = work,
        .ofWork = {"time_per_batch_s", "lower_bound_s", "own_time_per_batch_s"},
        .parts = ofOutcome<stagesOf>,
        .question = "How should the layers be placed on accelerators: {}?"};
}

}  // namespace tessera::study
