#include "core/study/placement/model_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/physical/device.h"
#include "core/physical/software.h"
#include "core/plan/transformer_layers.h"
#include "core/study/known_transformer.h"
#include "core/study/layered_network.h"
#include "core/study/partition/study.h"
#include "core/study/provenance.h"
#include "core/study/title.h"
#include "core/study/workload_files.h"

namespace tessera::study {

namespace {

using physical::Recompute;

constexpr std::int64_t kUsualBatch = 1024, kMaxBatch = 1'000'000;

/// Of the numbers that a study names, those that there can be; all of them where it names none. Throws UsageError where
/// none is left.
std::vector<int> chosenOf(const std::vector<std::int64_t>& named, const std::vector<int>& there,
                          std::string_view option, const std::string& expected) {
    if (named.empty()) return there;
    std::vector<int> chosen;
    for (const int each : there)
        if (std::find(named.begin(), named.end(), each) != named.end()) chosen.push_back(each);
    if (!chosen.empty()) return chosen;
    throw UsageError(fmt::format("option '{}' names {}; expected {}", option, fmt::join(named, ", "), expected));
}

std::vector<int> divisorsOf(std::int64_t number) {
    std::vector<int> divisors;
    for (std::int64_t each = 1; each <= number; ++each)
        if (number % each == 0) divisors.push_back(static_cast<int>(each));
    return divisors;
}

void addTransformer(ModelToPlace& made, physical::TrainingRun run, const hardware::Fleet& fleet) {
    run.optimizer = "adam";
    run.software = made.costs.software;
    auto problem = std::make_shared<plan::Problem>(
        plan::problemOf(fleet, run, static_cast<double>(made.globalBatch), {made.costs.dtype}));
    const physical::StepSetting& setting = problem->groups.front().variants.front().setting;
    made.costs.software = setting.stack.id;
    made.costs.sequence = static_cast<std::int64_t>(setting.model.sequence);
    made.layers = plan::transformerLayers(std::move(problem), 0, made.accelerators);
    made.assumptions.emplace_back(
        "The embedding goes with the first layer and the head with the last one; no context or expert parallelism, no "
        "virtual stages. Tensor parallelism splits sequences between its collectives, too.");
    made.assumptions.emplace_back(
        "Ranks are tensor, data, pipeline from the innermost, as in Megatron-LM: so collectives and messages between "
        "stages cross links and network. Gradients of a layer are summed as its part of those of all layers.");
    made.assumptions.emplace_back("Framework overhead in memory is the allowance that was fitted to measured peaks.");
}

void addNetwork(ModelToPlace& made, const model::Model& loaded, const std::string& name, const hardware::Group& group) {
    LayeredNetwork network = layeredNetwork(loaded, group,
                                            {.model = name,
                                             .globalBatch = static_cast<double>(made.globalBatch),
                                             .dtype = made.costs.dtype,
                                             .software = made.costs.software,
                                             .accelerators = made.accelerators});
    made.layers = std::move(network.layers);
    made.costs.software = network.software;
    made.costs.zero = 0;
    made.costs.names = made.layers.names;
    addOnce(made.assumptions, network.assumptions);
}

/// What a study may choose of a model, cell by cell.
struct Cell {
    int tensor = 1, micro = 1;
    Recompute recompute = Recompute::none;
};

std::vector<Cell> cellsOf(const ModelToPlace& model) {
    std::vector<Cell> cells;
    for (const int micro : model.microBatches)
        for (const Recompute recompute : model.recomputes)
            for (const int tensor : model.widths) cells.push_back({tensor, micro, recompute});
    return cells;
}

plan::Configuration configurationOf(const ModelToPlace& model, const Cell& cell, int data) {
    return {.tensor = cell.tensor,
            .data = data,
            .micro = cell.micro,
            .recompute = plan::onAllStages(cell.recompute),
            .zero = data > 1 ? static_cast<int>(model.costs.zero) : 0};
}

/// Replicas that a cell allows.
std::vector<int> replicasOf(const ModelToPlace& model, const Cell& cell) {
    std::vector<int> replicas = divisorsOf(model.globalBatch / cell.micro);
    std::erase_if(replicas, [&](int data) { return std::int64_t{data} * cell.tensor > model.accelerators; });
    return replicas;
}

/// The fastest plan of a configuration with so many stages, 0: any, that beats `fasterThan`. One stage holds what two
/// ends would hold twice.
struct Attempt {
    codesign::PlacementProblem problem;
    codesign::Placement placement;
};
Attempt attemptOf(const ModelToPlace& model, const codesign::Placer& placer, plan::Configuration like,
                  std::int64_t stages, std::optional<Seconds> fasterThan, bool explain, const RunControl& control) {
    std::optional<Attempt> best;
    for (const bool isWhole : {true, false}) {
        if (isWhole ? stages > 1 : stages == 1) continue;
        like.pipeline = isWhole ? 1 : 2;
        Attempt attempt{.problem = model.layers.problem(like), .placement = {}};
        const codesign::Degrees degrees{
            .pipeline = isWhole ? 1 : stages, .tensorParallel = like.tensor, .data = like.data};
        attempt.placement =
            placer.place(attempt.problem, {.fasterThan = fasterThan, .degrees = degrees, .explain = explain}, control);
        if (attempt.placement.plan) fasterThan = attempt.placement.plan->timePerBatch;
        if (!best || attempt.placement.plan || !best->placement.plan) best = std::move(attempt);
    }
    return std::move(*best);
}

bool isFaster(const ModelPlacement& a, const std::optional<ModelPlacement>& b) {
    if (!a.placement.plan) return false;
    return !b || a.placement.plan->timePerBatch < b->placement.plan->timePerBatch;
}

/// Of what does not fit, the plan of least memory, with what is computed again and the smallest micro-batch; nothing
/// where no plan has accelerators enough.
ModelPlacement closestOf(const ModelToPlace& model, const codesign::Placer& placer, const RunContext& context) {
    std::optional<ModelPlacement> closest;
    for (const int tensor : model.widths) {
        const Cell cell{tensor, model.microBatches.front(), model.recomputes.back()};
        for (const int data : replicasOf(model, cell)) {
            context.throwIfCancelled("the placement");
            const plan::Configuration like = configurationOf(model, cell, data);
            Attempt attempt = attemptOf(model, placer, like, 0, std::nullopt, true, context);
            const auto& shortage = attempt.placement.shortage;
            if (!shortage) continue;
            const auto& known = closest ? closest->placement.shortage : shortage;
            const bool isCloser =
                !closest || (shortage->memory && (!known->memory || *shortage->memory < *known->memory));
            if (isCloser)
                closest = {{cell.micro, cell.recompute}, std::move(attempt.problem), std::move(attempt.placement)};
        }
    }
    if (!closest)
        throw UsageError(fmt::format("{} do not hold a tensor-parallel degree of {}",
                                     formatCounted(model.accelerators, "accelerator", "accelerators"),
                                     model.widths.front()));
    codesign::Shortage& shortage = *closest->placement.shortage;
    if (shortage.memory)
        shortage.reason += fmt::format(
            "; it is the closest, with micro-batches of {} and recomputation {}, and would "
            "fit with {} of memory",
            closest->chosen.samples, physical::kRecomputeNames.of(closest->chosen.recompute),
            formatQuantity(shortage.memory->value, Measure::bytes));
    return std::move(*closest);
}

}  // namespace

ModelToPlace readModelToPlace(const Study& study, const PlacementSettings& settings, const RunContext& context) {
    if (study.models.size() != 1 || study.hardware.size() != 1)
        throw UsageError("a placement takes a model and a fleet, or a file of layers");
    checkPlacementParameters(study, true);
    const std::string &name = study.models.front(), &fleetName = study.hardware.front();
    const std::string place = placeOfInput(name);
    std::map<std::string, std::int64_t> dimensions = study.dimensions;
    if (settings.sequence) dimensions["sequence"] = *settings.sequence;
    const std::optional<physical::TrainingRun> transformer = knownTransformer(place, dimensions);
    const std::shared_ptr<const model::Model> loaded =
        transformer ? model::sharedModel(place, {.batch = {}, .dimensions = study.dimensions})
                    : loadedNetwork(place, dimensions);
    const hardware::Fleet fleet = hardware::loadFleet(placeOfInput(fleetName));
    const hardware::Group& group = onlyGroupOf(fleet, fleetName, "'tessera plan' takes several");
    ModelToPlace made;
    made.title = modelName(name, loaded->name);
    made.costs = {.fleet = fleet.name,
                  .accelerator = group.reference.empty() ? group.accelerator.name : group.reference,
                  .dtype = settings.dtype,
                  .software = settings.software,
                  .zero = settings.zero};
    made.accelerators = settings.accelerators.value_or(group.count);
    if (made.accelerators > group.count)
        throw UsageError(fmt::format("option '--accelerators' is {}; expected at most the {} of the fleet {}",
                                     made.accelerators, group.count, inQuotes(fleetName)));
    made.globalBatch = settings.globalBatch.value_or(kUsualBatch);
    if (made.globalBatch > kMaxBatch)
        throw UsageError(fmt::format("option '--global-batch' is {}; expected at most {} with a model",
                                     made.globalBatch, formatCount(kMaxBatch)));
    made.inputs.push_back({name, loaded->sha256});
    for (Input& input : inputsOf(fleetFiles(fleetName, fleet))) made.inputs.push_back(std::move(input));
    made.warnings = loaded->warnings;
    if (!physical::softwareStackOf(settings.software))
        made.warnings.push_back(
            fmt::format("{} is no software stack that is known: it is taken to fuse kernels as most do.",
                        inQuotes(settings.software)));
    context.throwIfCancelled("the placement");
    if (transformer)
        addTransformer(made, *transformer, fleet);
    else
        addNetwork(made, *loaded, name, group);
    OwnNumbers own;
    own.add(fleet, settings.dtype);
    addOnce(made.assumptions, own.sentences());
    const std::vector<int> batches = divisorsOf(made.globalBatch);
    made.microBatches = chosenOf(settings.microBatches, batches, "--micro-batches",
                                 fmt::format("divisors of the batch of {}", made.globalBatch));
    made.widths = chosenOf(settings.widths, made.layers.tensors, "--widths",
                           transformer ? fmt::format("divisors of the model's heads, at most {}", made.accelerators)
                                       : std::string("1: only transformers by their sizes are sliced"));
    for (const Recompute each : made.layers.recomputes)
        for (const std::string& word : settings.recomputes)
            if (word == physical::kRecomputeNames.of(each)) made.recomputes.push_back(each);
    if (made.recomputes.empty())
        throw UsageError(
            fmt::format("option '--recompute' is {}; expected none or full, or selective of a transformer whose "
                        "software does not fuse attention",
                        fmt::join(settings.recomputes, ",")));
    return made;
}

ModelPlacement placeModel(const ModelToPlace& model, const codesign::Placer& placer, const RunContext& context) {
    const std::vector<Cell> cells = cellsOf(model);
    std::vector<std::optional<ModelPlacement>> found(cells.size());
    parallelFor(cells.size(), context.threads, [&](std::size_t i) {
        for (const int data : replicasOf(model, cells[i])) {
            context.throwIfCancelled("the placement");
            const plan::Configuration like = configurationOf(model, cells[i], data);
            std::optional<Seconds> limit;
            if (found[i]) limit = found[i]->placement.plan->timePerBatch;
            Attempt attempt = attemptOf(model, placer, like, 0, limit, false, context);
            ModelPlacement made{
                {cells[i].micro, cells[i].recompute}, std::move(attempt.problem), std::move(attempt.placement)};
            if (isFaster(made, found[i])) found[i] = std::move(made);
        }
    });
    std::optional<ModelPlacement> best;
    for (std::optional<ModelPlacement>& each : found)
        if (each && isFaster(*each, best)) best = std::move(each);
    return best ? std::move(*best) : closestOf(model, placer, context);
}

OwnPlan placeModel(const ModelToPlace& model, const codesign::Placer& placer, const codesign::Degrees& degrees,
                   const RunContext& context) {
    OwnPlan own;
    std::optional<ModelPlacement> best, closest;
    for (const Cell& cell : cellsOf(model)) {
        const std::vector<int> replicas = replicasOf(model, cell);
        const bool divides = std::find(replicas.begin(), replicas.end(), degrees.data) != replicas.end();
        if (cell.tensor != degrees.tensorParallel || !divides) continue;
        const plan::Configuration like = configurationOf(model, cell, static_cast<int>(degrees.data));
        Attempt attempt = attemptOf(model, placer, like, degrees.pipeline, std::nullopt, true, context);
        ModelPlacement made{{cell.micro, cell.recompute}, std::move(attempt.problem), std::move(attempt.placement)};
        if (isFaster(made, best)) {
            best = std::move(made);
            continue;
        }
        const auto& shortage = made.placement.shortage;
        if (!shortage) continue;
        if (!closest || (shortage->memory && *shortage->memory < *closest->placement.shortage->memory))
            closest = std::move(made);
    }
    if (best) {
        own.plan = std::move(best->placement.plan);
        own.chosen = best->chosen;
    } else if (closest) {
        own.misfit = closest->placement.shortage->reason;
    } else {
        own.misfit = fmt::format(
            "no plan of tensor-parallel degree {} and {} can be: they do not divide the model and the batch, or {} do "
            "not hold them",
            degrees.tensorParallel, formatCounted(degrees.data, "replica", "replicas"),
            formatCounted(model.accelerators, "accelerator", "accelerators"));
    }
    return own;
}

OwnPlan evaluateGiven(const ModelToPlace& model, const codesign::Plan& plan, const RunContext& context) {
    OwnPlan own;
    for (const Cell& cell : cellsOf(model)) {
        context.throwIfCancelled("the placement");
        const std::int64_t microBatches = model.globalBatch / cell.micro;
        if (cell.tensor != plan.tensorParallel || microBatches % plan.data != 0) continue;
        plan::Configuration like = configurationOf(model, cell, static_cast<int>(plan.data));
        like.pipeline = static_cast<int>(plan.stages.size());
        const codesign::PlacementProblem problem = model.layers.problem(like);
        codesign::Plan made = codesign::evaluate(model.layers.graph, problem, plan);
        std::string misfit = codesign::misfitOf(problem, made);
        const bool isBetter = !own.plan || (misfit.empty() && !own.misfit.empty()) ||
                              (misfit.empty() == own.misfit.empty() && made.timePerBatch < own.plan->timePerBatch);
        if (isBetter)
            own = {.given = {},
                   .plan = std::move(made),
                   .misfit = std::move(misfit),
                   .chosen = {{cell.micro, cell.recompute}}};
    }
    if (!own.plan)
        own.misfit = fmt::format("the plan's {} do not divide a batch of {}",
                                 formatCounted(plan.data, "replica", "replicas"), formatCount(model.globalBatch));
    return own;
}

}  // namespace tessera::study
