#include "core/study/placement/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/placement/model_placement.h"
#include "core/study/placement/settings.h"
#include "core/study/reading.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

using codesign::Placement;
using codesign::PlacementFile;
using codesign::PlacementProblem;
using codesign::Plan;

constexpr std::int64_t kHighestDegree = 1'000'000'000;

/// Of the optimizer in bytes per byte of weights.
double stateOf(codesign::Optimizer optimizer, codesign::OptimizerMemory rule) {
    if (const auto state = codesign::optimizerState(optimizer, rule)) return *state;
    throw UsageError(
        fmt::format("option '--optimizer-memory' is '{}', which does not know the optimizer '{}'; "
                    "expected exact or mixed",
                    codesign::nameOf(rule), codesign::nameOf(optimizer)));
}

/// What the file of the layers fixes, in the published program's words.
codesign::Degrees degreesOf(const PlacementFile& file) {
    const auto fixed = [&](std::string_view key) {
        for (const auto& [name, value] : file.reported)
            if (name == key && value >= 1 && value <= kHighestDegree && value == std::floor(value))
                return static_cast<std::int64_t>(value);
        throw UsageError(fmt::format("option '--plan' is '{}', which fixes no {} of 1 or more", kPlanOfFile, key));
    };
    return {.pipeline = fixed("fixedPP"), .tensorParallel = fixed("fixedTMPC"), .data = fixed("fixedDP")};
}

/// What a study of a file of layers rests on.
struct FileInputs {
    PlacementFile file;
    PlacementOutcome request;  ///< without what was found
    std::vector<Input> inputs;
    std::string plan;                   ///< degrees or "file"; empty where there are none
    std::optional<JsonDocument> whole;  ///< a plan of the user's own
};

bool isOfModel(const Study& study) {
    return !study.models.empty() || !study.hardware.empty();
}

JsonDocument loadLayers(const Study& study) {
    if (study.workloads.size() != 1)
        throw UsageError("a placement study takes exactly one file of layers, or a model and a fleet");
    return JsonDocument::load(codesign::placementPath(placeOfInput(study.workloads.front())));
}

PlacedLayers layersOf(const PlacementFile& file) {
    PlacedLayers layers{.graph = file.graph, .ids = file.layers, .degrees = {}};
    for (const codesign::DegreeCosts& costs : file.problem.byDegree) layers.degrees.push_back(costs.degree);
    return layers;
}

FileInputs readFileInputs(const Study& study, const RunContext& context) {
    const Reading reading(context, "reading the layers", "the placement");
    const JsonDocument document = loadLayers(study);
    checkPlacementParameters(study, false);
    const PlacementSettings settings = placementTable().of(study);
    FileInputs inputs;
    inputs.file = codesign::readPlacementFile(document);
    inputs.inputs = {{study.workloads.front(), sha256(document.text())}};
    PlacementProblem& problem = inputs.file.problem;
    problem.accelerators = settings.accelerators.value_or(problem.accelerators);
    problem.serialBranches = settings.serialBranches;
    PlacementOutcome& request = inputs.request;
    request.rule = settings.rule;
    request.optimizer = inputs.file.optimizer;
    problem.optimizerState = stateOf(request.optimizer, request.rule);
    request.globalBatch = settings.globalBatch;
    request.name = inputs.file.name;
    request.layers = inputs.file.layers;
    request.layerCount = static_cast<std::int64_t>(inputs.file.layers.size());
    request.reported = inputs.file.reported;
    inputs.plan = settings.plan;
    if (std::optional<GivenPlan> given = givenPlanOf(settings)) {
        inputs.whole = std::move(given->document);
        inputs.inputs.push_back(std::move(given->input));
    }
    return inputs;
}

/// Evaluates the plan that the user names: its degrees, cut as well as these allow, or all of it.
std::optional<OwnPlan> ownPlan(const FileInputs& inputs, const codesign::Placer& placer, const RunContext& context) {
    const PlacementProblem& problem = inputs.file.problem;
    if (inputs.whole) {
        OwnPlan own{.given = inputs.inputs.back().name};
        own.plan =
            codesign::evaluate(placer.graph(), problem, readGivenPlan(inputs.whole->root(), layersOf(inputs.file)));
        own.misfit = codesign::misfitOf(problem, *own.plan);
        return own;
    }
    if (inputs.plan.empty()) return std::nullopt;
    const std::optional<codesign::Degrees> degrees =
        inputs.plan == kPlanOfFile ? degreesOf(inputs.file) : degreesNamed(inputs.plan);
    if (!degrees) refusePlan(inputs.plan);
    OwnPlan own{.given = inputs.plan};
    Placement made = placer.place(problem, {.fasterThan = {}, .degrees = degrees, .explain = true}, context);
    own.plan = std::move(made.plan);
    if (made.shortage) own.misfit = made.shortage->reason;
    return own;
}

std::vector<std::string> assumptionsOf(const PlacementOutcome& outcome, const PlacementProblem& problem, bool isPath) {
    std::vector<std::string> assumptions{
        "A layer starts when those before it in its stage have ended and the tensors from other stages have arrived, "
        "each after its bytes over the bandwidth.",
        "A batch takes the greatest load of a stage for each micro-batch of a replica and each stage but one; d "
        "replicas then synchronise the first stage's weights, 4·(d - 1)/d times over the bandwidth.",
        fmt::format("Memory holds weights, gradients, the optimizer's state of {} bytes per byte of weights (rule {}, "
                    "{}), activations, and {} for every micro-batch in flight.",
                    exactNumber(problem.optimizerState), codesign::nameOf(outcome.rule),
                    codesign::nameOf(outcome.optimizer),
                    problem.recompute ? "the tensors that enter the stage" : "as many activations")};
    if (!isPath)
        assumptions.emplace_back(
            problem.serialBranches
                ? "Layers of a stage run one after the other, once all that enters the stage has arrived."
                : "Layers of a stage that do not depend on each other run at the same time.");
    return assumptions;
}

}  // namespace

std::optional<double> PlacementOutcome::throughputOf(const std::optional<Plan>& plan) const {
    if (!globalBatch || !plan) return std::nullopt;
    return static_cast<double>(*globalBatch) / plan->timePerBatch.value;
}

double PlacementOutcome::gap() const {
    return placement.lowerBound.value > 0 ? ratio(placement.plan->timePerBatch, placement.lowerBound) - 1 : 0;
}

std::optional<double> PlacementOutcome::timesTheFastest() const {
    if (!own || !own->misfit.empty() || !own->plan || !placement.plan) return std::nullopt;
    return ratio(own->plan->timePerBatch, placement.plan->timePerBatch);
}

Seconds PlacementOutcome::onceOf(const Plan& plan) const {
    return codesign::onceOf(plan, problem.microBatches, of.has_value());
}

std::string PlacementOutcome::layerName(std::int64_t id) const {
    const bool hasName = of && id >= 0 && static_cast<std::size_t>(id) < of->names.size();
    return hasName ? of->names[static_cast<std::size_t>(id)] : std::string();
}

std::string PlacementOutcome::layersText(const std::vector<std::size_t>& indices) const {
    const auto shown = [&](std::int64_t id) {
        const std::string known = layerName(id);
        return known.empty() ? fmt::format("{}", id) : escaped(known);
    };
    std::vector<std::string> runs;
    for (std::size_t i = 0; i < indices.size();) {
        const std::int64_t first = layers[indices[i]];
        std::int64_t last = first;
        while (++i < indices.size() && layers[indices[i]] == last + 1) ++last;
        runs.push_back(first == last ? shown(first) : fmt::format("{} to {}", shown(first), shown(last)));
    }
    return joined(runs, ", ");
}

std::int64_t PlacementOutcome::occupied(const Plan& plan) {
    std::int64_t each = 0;
    for (const codesign::PlacedStage& stage : plan.stages) each += stage.accelerators;
    return plan.data * each;
}

const std::vector<Parameter>& placementParameters() {
    return placementTable().parameters();
}

Json planIn(const std::string& file, const Study& study) {
    const JsonDocument document = JsonDocument::load(file);
    if (!isOfModel(study)) readGivenPlan(document.root(), layersOf(codesign::readPlacementFile(loadLayers(study))));
    Json plan = givenPlanJson(document);
    plan["file"] = file;
    return plan;
}

namespace {

std::vector<std::string> assumptionsOf(const ModelToPlace& model) {
    std::vector<std::string> assumptions{
        "Times of layers, transfers and sums of gradients are those of the physical model; a prediction's interval and "
        "energy are those of 'tessera predict' and 'tessera plan'.",
        "1F1B: what one stage takes for all micro-batches of a replica but one, and for its sum of gradients and "
        "update, decides; before that all stages take their first micro-batch one after the other. Devices wait for "
        "the messages that they send to other stages."};
    assumptions.insert(assumptions.end(), model.assumptions.begin(), model.assumptions.end());
    return assumptions;
}

/// Ids from 0.
std::vector<std::int64_t> numbered(std::size_t count) {
    std::vector<std::int64_t> ids(count);
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
}

/// The user's plan for a model; nothing where none is given.
std::optional<OwnPlan> ownPlan(const ModelToPlace& model, const PlacementSettings& settings,
                               const codesign::Placer& placer, const RunContext& context, std::vector<Input>& inputs) {
    if (const std::optional<GivenPlan> given = givenPlanOf(settings)) {
        const std::vector<std::int64_t> ids = numbered(model.layers.graph.layers);
        const PlacedLayers layers{
            .graph = model.layers.graph, .ids = ids, .degrees = {model.widths.begin(), model.widths.end()}};
        OwnPlan own = evaluateGiven(model, readGivenPlan(given->document.root(), layers), context);
        own.given = given->input.name;
        inputs.push_back(given->input);
        return own;
    }
    if (settings.plan.empty()) return std::nullopt;
    const std::optional<codesign::Degrees> degrees = degreesNamed(settings.plan);
    if (!degrees) refusePlan(settings.plan);
    if (degrees->pipeline > static_cast<std::int64_t>(model.layers.graph.layers))
        throw UsageError(fmt::format("the plan has {} stages for {}; expected at least one layer in each",
                                     degrees->pipeline, formatCounted(model.layers.graph.layers, "layer", "layers")));
    OwnPlan own = placeModel(model, placer, *degrees, context);
    own.given = settings.plan;
    return own;
}

Result runModelPlacement(const Study& study, const RunContext& context) {
    const PlacementSettings settings = placementTable().of(study);
    std::optional<ModelToPlace> read;
    {
        const Reading reading(context, "reading the model", "the placement");
        read = readModelToPlace(study, settings, context);
    }
    ModelToPlace& model = *read;
    Result result;
    result.study = study;
    result.inputs = std::move(model.inputs);
    result.assumptions = assumptionsOf(model);
    const Reading placing(context, "placing the layers", "the placement");
    const codesign::Placer placer(model.layers.graph, codesign::Placer::kMaxCuts, context);
    PlacementOutcome outcome;
    outcome.name = model.title;
    outcome.of = model.costs;
    outcome.layers = numbered(model.layers.graph.layers);
    outcome.layerCount = static_cast<std::int64_t>(model.layers.graph.layers);
    outcome.globalBatch = model.globalBatch;
    outcome.cuts = placer.cuts();
    outcome.own = ownPlan(model, settings, placer, context, result.inputs);
    ModelPlacement made = placeModel(model, placer, context);
    outcome.of->chosen = made.chosen;
    outcome.placement = std::move(made.placement);
    outcome.problem = std::move(made.problem);
    outcome.problem.byDegree.clear();
    for (const int width : model.widths)
        outcome.problem.byDegree.push_back({.degree = width, .layers = {}, .edges = {}});
    outcome.problem.recompute = made.chosen.recompute == physical::Recompute::full;
    outcome.problem.serialBranches = true;
    outcome.problem.steady.reset();
    outcome.problem.optimizerState = 0;
    outcome.problem.beside = {};
    result.warnings = std::move(model.warnings);
    for (const std::string& warning : outcome.placement.warnings) result.warnings.push_back(warning);
    outcome.placement.warnings = result.warnings;
    reportWarnings(context, result.warnings);
    result.outcome = std::move(outcome);
    return result;
}

Estimate estimateModelPlacement(const Study& study) {
    // Measured on one core of 2020, of a pair of layers in one choice of width, micro-batch, recomputation and
    // replicas.
    constexpr double kSecondsPerPair = 5e-8, kSecondsOfChoice = 3e-4;
    const ModelToPlace model = readModelToPlace(study, placementTable().of(study), {});
    const auto layers = static_cast<double>(model.layers.graph.layers);
    const auto choices = static_cast<double>(model.widths.size() * model.microBatches.size() *
                                             model.microBatches.size() * model.recomputes.size());
    const double seconds = choices * (kSecondsOfChoice + layers * layers * kSecondsPerPair);
    return {.text = fmt::format("{} at {} on {}: {}", formatCounted(layers, "layer", "layers"),
                                formatCounted(model.widths.size(), "tensor-parallel degree", "tensor-parallel degrees"),
                                formatCounted(model.accelerators, "accelerator", "accelerators"), formatWait(seconds)),
            .seconds = seconds,
            .problems = {}};
}

}  // namespace

Result runPlacement(const Study& study, const RunContext& context) {
    if (isOfModel(study)) {
        if (!study.workloads.empty())
            throw UsageError("a placement takes a model and a fleet, or a file of layers, not both");
        return runModelPlacement(study, context);
    }
    FileInputs inputs = readFileInputs(study, context);
    const Reading placing(context, "placing the layers", "the placement");
    const PlacementProblem& problem = inputs.file.problem;
    const codesign::Placer placer(inputs.file.graph, codesign::Placer::kMaxCuts, context);
    PlacementOutcome outcome = std::move(inputs.request);
    outcome.cuts = placer.cuts();
    outcome.own = ownPlan(inputs, placer, context);
    outcome.placement = placer.place(problem, {.fasterThan = {}, .degrees = {}, .explain = true}, context);
    Result result;
    result.study = study;
    result.inputs = std::move(inputs.inputs);
    result.assumptions = assumptionsOf(outcome, problem, placer.isPath());
    result.warnings = outcome.placement.warnings;
    reportWarnings(context, result.warnings);
    outcome.problem = std::move(inputs.file.problem);
    outcome.problem.optimizerState = 0;
    for (codesign::DegreeCosts& costs : outcome.problem.byDegree)
        costs = {.degree = costs.degree, .layers = {}, .edges = {}};
    result.outcome = std::move(outcome);
    return result;
}

Estimate estimatePlacement(const Study& study) {
    constexpr double kSecondsPerPair = 3e-7;  // of cuts at one degree, measured on one core of 2020
    if (isOfModel(study)) return estimateModelPlacement(study);
    const FileInputs inputs = readFileInputs(study, {});
    const codesign::Placer placer(inputs.file.graph);
    const auto cuts = static_cast<double>(placer.cuts()),
               degrees = static_cast<double>(inputs.file.problem.byDegree.size());
    const double seconds = cuts * cuts * degrees * kSecondsPerPair;
    return {.text = fmt::format("{} at {} on {}: {}", formatCounted(inputs.file.layers.size(), "layer", "layers"),
                                formatCounted(degrees, "tensor-parallel degree", "tensor-parallel degrees"),
                                formatCounted(inputs.file.problem.accelerators, "accelerator", "accelerators"),
                                formatWait(seconds)),
            .seconds = seconds,
            .problems = {}};
}

std::string choiceText(const std::optional<MicroBatchChoice>& chosen) {
    if (!chosen) return {};
    const std::string samples = fmt::format(" · micro-batches of {}", chosen->samples);
    if (chosen->recompute == physical::Recompute::none) return samples;
    return samples + fmt::format(", {} recomputation", physical::kRecomputeNames.of(chosen->recompute));
}

std::string planText(const Plan& plan, const PlacementOutcome& outcome) {
    std::string text = formatSeconds(plan.timePerBatch) + "/batch";
    if (const auto throughput = outcome.throughputOf(plan)) text = samplesText(*throughput) + " · " + text;
    return text + fmt::format(" · {} × {} · tensor-parallel degree {}",
                              formatCounted(plan.stages.size(), "stage", "stages"),
                              formatCounted(plan.data, "replica", "replicas"), plan.tensorParallel);
}

std::string placementHeadline(const PlacementOutcome& outcome) {
    const Placement& placement = outcome.placement;
    if (!placement.plan) return placement.shortage ? placement.shortage->reason : "no plan fits";
    const std::string choice = outcome.of ? choiceText(outcome.of->chosen) : std::string();
    return fmt::format("{}{} · {}", planText(*placement.plan, outcome), choice,
                       placement.optimal ? std::string("proven fastest")
                                         : fmt::format("optimality gap ≤ {}", percentText(outcome.gap())));
}

std::string placementMisfit(const PlacementOutcome& outcome) {
    if (!outcome.placement.plan) return placementHeadline(outcome);
    return outcome.own ? outcome.own->misfit : std::string();
}

codesign::ModelResult placedModel(const PlacementOutcome& outcome) {
    const Placement& placement = outcome.placement;
    codesign::ModelResult model{.model = outcome.name.empty() ? "layers" : outcome.name,
                                .feasible = placement.plan.has_value(),
                                .reason = placement.shortage ? placement.shortage->reason : std::string(),
                                .hbm = outcome.problem.memory};
    const std::int64_t microBatches = outcome.problem.microBatches;
    model.choice = {.microBatch = outcome.globalBatch && *outcome.globalBatch % microBatches == 0
                                      ? *outcome.globalBatch / microBatches
                                      : 0,
                    .recompute = outcome.problem.recompute};
    if (!placement.plan) return model;
    const Plan& plan = *placement.plan;
    model.timePerBatch = plan.timePerBatch;
    model.throughput = outcome.throughputOf(plan).value_or(0);
    model.pipeline = static_cast<std::int64_t>(plan.stages.size());
    model.data = plan.data;
    model.tensorParallel = plan.tensorParallel;
    for (const codesign::PlacedStage& stage : plan.stages) {
        codesign::StageResult& shown = model.stages.emplace_back();
        for (const std::size_t layer : stage.layers) {
            const std::string name = outcome.layerName(outcome.layers[layer]);
            shown.layers.push_back(name.empty() ? fmt::format("layer {}", outcome.layers[layer]) : name);
        }
        shown.accelerators = stage.accelerators;
        shown.forward = stage.forward;
        shown.backward = stage.load - stage.forward;
        shown.load = stage.load;
        shown.memory = stage.memory;
    }
    model.time.gradientAllReduce = outcome.onceOf(plan);
    return model;
}

}  // namespace tessera::study
