#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/codesign/placement.h"
#include "core/codesign/placement_file.h"
#include "core/report/table.h"
#include "core/study/metric.h"
#include "core/study/result.h"

namespace tessera::cli {

namespace {

using codesign::Placement;
using codesign::PlacementFile;
using codesign::PlacementProblem;
using codesign::Plan;

constexpr std::int64_t kMostAccelerators = 1'000'000'000;
constexpr std::int64_t kLargestBatch = 1'000'000'000'000;

struct PlaceOptions {
    std::string layers;
    std::string accelerators;
    std::string globalBatch;
    std::string optimizerMemory = "reference";
    std::string branches = "parallel";
};

/// Everything that the command shows.
struct Placed {
    PlacementFile file;
    std::vector<study::Input> inputs;
    codesign::OptimizerMemory rule = codesign::OptimizerMemory::reference;
    std::optional<std::int64_t> globalBatch;
    std::size_t cuts = 0;
    bool isPath = true;
    Placement placement;
};

/// Of the optimiser in bytes per byte of weights.
double stateOf(codesign::Optimizer optimizer, codesign::OptimizerMemory rule) {
    if (const auto state = codesign::optimizerState(optimizer, rule)) return *state;
    throw UsageError(
        fmt::format("option '--optimizer-memory' is '{}', which does not know the optimiser '{}'; "
                    "expected exact or mixed",
                    codesign::nameOf(rule), codesign::nameOf(optimizer)));
}

std::string namesOfRules() {
    std::vector<std::string> names;
    for (const std::string_view name : codesign::optimizerMemories()) names.emplace_back(name);
    return joined(names, ", ");
}

Placed placed(const PlaceOptions& options, const Context& context) {
    Placed result;
    const auto rule = codesign::optimizerMemoryNamed(options.optimizerMemory);
    if (!rule)
        throw UsageError(fmt::format("option '--optimizer-memory' is {}; expected one of {}",
                                     inQuotes(options.optimizerMemory), namesOfRules()));
    if (options.branches != "parallel" && options.branches != "serial")
        throw UsageError(
            fmt::format("option '--branches' is {}; expected parallel or serial", inQuotes(options.branches)));
    result.rule = *rule;
    std::optional<std::int64_t> accelerators;
    if (!options.accelerators.empty())
        accelerators = wholeOf("--accelerators", options.accelerators, 1, kMostAccelerators);
    if (!options.globalBatch.empty())
        result.globalBatch = wholeOf("--global-batch", options.globalBatch, 1, kLargestBatch);

    const JsonDocument document = JsonDocument::load(codesign::placementPath(options.layers));
    result.inputs.push_back({options.layers, sha256(document.text())});
    result.file = codesign::readPlacementFile(document);
    PlacementProblem& problem = result.file.problem;
    if (accelerators) problem.accelerators = *accelerators;
    problem.optimizerState = stateOf(result.file.optimizer, result.rule);
    problem.serialBranches = options.branches == "serial";

    const codesign::Placer placer(result.file.graph, codesign::Placer::kMostCuts, context.stop);
    result.cuts = placer.cuts();
    result.isPath = placer.isPath();
    result.placement = placer.place(problem, {.fasterThan = {}, .explain = true, .stop = context.stop});
    return result;
}

std::optional<double> throughputOf(const Placed& result) {
    if (!result.globalBatch || !result.placement.plan) return std::nullopt;
    return static_cast<double>(*result.globalBatch) / result.placement.plan->timePerBatch.value;
}

std::vector<std::string> assumptionsOf(const Placed& result) {
    std::vector<std::string> assumptions{
        "A layer starts when those before it in its stage have ended and the tensors from other stages have arrived, "
        "each after its bytes over the bandwidth.",
        "A batch takes the greatest load of a stage for each micro-batch of a replica and each stage but one; d "
        "replicas then synchronise the first stage's weights, 4·(d - 1)/d times over the bandwidth.",
        fmt::format("Memory holds weights, gradients, the optimiser's state of {} bytes per byte of weights (rule {}, "
                    "{}), activations, and {} for every micro-batch in flight.",
                    exactNumber(result.file.problem.optimizerState), codesign::nameOf(result.rule),
                    codesign::nameOf(result.file.optimizer),
                    result.file.problem.recompute ? "the tensors that enter the stage" : "as many activations")};
    if (!result.isPath)
        assumptions.emplace_back(
            result.file.problem.serialBranches
                ? "Layers of a stage run one after the other, once all that enters the stage has arrived."
                : "Layers of a stage that do not depend on each other run at the same time.");
    return assumptions;
}

/// A number of 0 or more, whole where it can be.
Json number(double value) {
    constexpr double kExact = 9'007'199'254'740'992;
    if (value >= 0 && value < kExact && value == static_cast<double>(static_cast<std::int64_t>(value)))
        return static_cast<std::int64_t>(value);
    return value;
}
Json number(Bytes bytes) {
    return number(bytes.value);
}

Json jsonOf(const codesign::StageMemory& memory) {
    return {{"weights_and_gradients_bytes", number(memory.weights)},
            {"optimizer_bytes", number(memory.optimizer)},
            {"activations_bytes", number(memory.activations)},
            {"in_flight_bytes", number(memory.stashed)},
            {"micro_batches_in_flight", memory.inFlight}};
}

Json jsonOf(const codesign::PlacedStage& stage, const PlacementFile& file) {
    Json layers = Json::array();
    for (const std::size_t layer : stage.layers) layers.push_back(file.layers[layer]);
    return {{"layers", layers},
            {"accelerators", stage.accelerators},
            {"load_s", stage.load.value},
            {"memory_bytes", number(stage.memory.total())},
            {"memory", jsonOf(stage.memory)}};
}

Json jsonOf(const codesign::Shortage& shortage) {
    Json json{{"least_accelerators", shortage.leastAccelerators},
              {"fits_with",
               {{"memory_bytes", shortage.memory ? number(*shortage.memory) : Json()},
                {"accelerators", shortage.accelerators ? Json(*shortage.accelerators) : Json()},
                {"recompute", shortage.recompute}}},
              {"fullest", nullptr}};
    if (!shortage.closest) return json;
    const Plan& plan = *shortage.closest;
    json["fullest"] = {{"tensor", plan.tensor},
                       {"pipeline", plan.stages.size()},
                       {"stage", shortage.stage},
                       {"memory_bytes", number(plan.stages[shortage.stage].memory.total())},
                       {"memory", jsonOf(plan.stages[shortage.stage].memory)}};
    return json;
}

Json problemOf(const Placed& result) {
    const PlacementProblem& problem = result.file.problem;
    Json widths = Json::array();
    for (const codesign::WidthCosts& width : problem.widths) widths.push_back(width.width);
    Json reported = Json::object();
    for (const auto& [key, value] : result.file.reported) reported[key] = number(value);
    return {{"layers", result.file.layers.size()},
            {"widths", widths},
            {"accelerators", problem.accelerators},
            {"micro_batches", problem.microBatches},
            {"memory_bytes", number(problem.memory)},
            {"bandwidth_bytes_per_s", number(problem.bandwidth.value)},
            {"recompute", problem.recompute},
            {"optimizer", codesign::nameOf(result.file.optimizer)},
            {"optimizer_memory", codesign::nameOf(result.rule)},
            {"branches", problem.serialBranches ? "serial" : "parallel"},
            {"global_batch", result.globalBatch ? Json(*result.globalBatch) : Json()},
            {"reported", reported}};
}

/// By how much the plan may be slower than the fastest, as a share of it at most.
double gapOf(const Placement& placement) {
    return placement.lowerBound.value > 0 ? ratio(placement.plan->timePerBatch, placement.lowerBound) - 1 : 0;
}

Json jsonOf(const Placed& result) {
    const Placement& placement = result.placement;
    Json json = study::documentHead("tessera.placement-result/1", "place", result.inputs);
    if (!result.file.name.empty()) json["name"] = result.file.name;
    json["problem"] = problemOf(result);
    json["feasible"] = placement.plan.has_value();
    json["reason"] = placement.shortage ? Json(placement.shortage->reason) : Json();
    const std::optional<double> throughput = throughputOf(result);
    json["time_per_batch_s"] = placement.plan ? Json(placement.plan->timePerBatch.value) : Json();
    json["throughput_samples_per_s"] = throughput ? Json(*throughput) : Json();
    json["pipeline"] = placement.plan ? Json(placement.plan->stages.size()) : Json();
    json["data"] = placement.plan ? Json(placement.plan->data) : Json();
    json["tensor"] = placement.plan ? Json(placement.plan->tensor) : Json();
    Json& stages = json["stages"] = Json::array();
    if (placement.plan)
        for (const codesign::PlacedStage& stage : placement.plan->stages) stages.push_back(jsonOf(stage, result.file));
    json["optimal"] = placement.optimal;
    json["lower_bound_s"] = placement.plan ? Json(placement.lowerBound.value) : Json();
    json["gap"] = placement.plan ? Json(gapOf(placement)) : Json();
    json["cuts"] = result.cuts;
    json["shortage"] = placement.shortage ? jsonOf(*placement.shortage) : Json();
    study::finishDocument(json, assumptionsOf(result), placement.warnings);
    return json;
}

/// Ids with runs drawn together: "-1 to 5, 7".
std::string idsOf(const std::vector<std::size_t>& layers, const PlacementFile& file) {
    std::vector<std::string> runs;
    for (std::size_t i = 0; i < layers.size();) {
        const std::int64_t first = file.layers[layers[i]];
        std::int64_t last = first;
        while (++i < layers.size() && file.layers[layers[i]] == last + 1) ++last;
        runs.push_back(first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last));
    }
    return joined(runs, ", ");
}

std::string textOf(const Placed& result) {
    const Plan& plan = *result.placement.plan;
    const PlacementProblem& problem = result.file.problem;
    std::int64_t each = 0;
    report::Table table;
    table.columns = {{"stage", true}, {"layers"},       {"accelerators", true},
                     {"load", true},  {"memory", true}, {"in flight", true}};
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const codesign::PlacedStage& stage = plan.stages[s];
        each += stage.accelerators;
        table.rows.push_back({fmt::format("{}", s + 1), idsOf(stage.layers, result.file),
                              fmt::format("{}", stage.accelerators), formatQuantity(stage.load.value, Measure::seconds),
                              formatQuantity(stage.memory.total().value, Measure::bytes),
                              fmt::format("{}", stage.memory.inFlight)});
    }
    std::string text = formatQuantity(plan.timePerBatch.value, Measure::seconds) + "/batch";
    if (const auto throughput = throughputOf(result)) text = study::rateText(*throughput) + " samples/s · " + text;
    text += fmt::format(" · {} × {} · tensor width {} · {}\n\n",
                        formatCounted(static_cast<double>(plan.stages.size()), "stage", "stages"),
                        formatCounted(static_cast<double>(plan.data), "replica", "replicas"), plan.tensor,
                        result.placement.optimal
                            ? std::string("proven fastest")
                            : fmt::format("optimality gap ≤ {}", study::percentText(gapOf(result.placement))));
    text += report::toText(table);
    text +=
        fmt::format("\n{} of {} occupied; each has {} of memory\n", formatCount(static_cast<double>(plan.data * each)),
                    formatCounted(static_cast<double>(problem.accelerators), "accelerator", "accelerators"),
                    formatQuantity(problem.memory.value, Measure::bytes));
    text += "\nAssumptions\n";
    for (const std::string& sentence : assumptionsOf(result)) text += "- " + sentence + "\n";
    return text;
}

}  // namespace

Action addPlace(CLI::App& app) {
    const auto options = std::make_shared<PlaceOptions>();
    addInput(app, "--layers", options->layers, "FILE", "layers with their costs, and on what to place them (JSON)")
        ->required();
    addText(app, "--accelerators", options->accelerators, "K", "accelerators (default the file's maxDevices)");
    addText(app, "--global-batch", options->globalBatch, "N", "samples of a batch, for the throughput");
    addText(app, "--optimizer-memory", options->optimizerMemory, "RULE",
            "reference (as the published program counts), exact (in the weights' type) or mixed (mixed precision, with "
            "Adam 16 bytes for each parameter in all; default reference)");
    addText(app, "--branches", options->branches, "RULE",
            "layers of a stage that do not depend on each other run in parallel (the paper's rule) or serial "
            "(default parallel)");
    return [options](Context& context) {
        const Placed result = placed(*options, context);
        context.console.showWarnings(result.placement.warnings);
        if (context.common.json)
            context.console.printJson(jsonOf(result));
        else if (result.placement.plan)
            context.console.print(textOf(result));
        if (!result.placement.plan) throw InfeasibleError(result.placement.shortage->reason);
    };
}

}  // namespace tessera::cli
