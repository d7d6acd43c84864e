#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/cli/command.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/codesign/placement/placement.h"
#include "core/codesign/placement/placement_file.h"
#include "core/draw/table.h"
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
constexpr std::int64_t kHighestDegree = 1'000'000'000;
constexpr std::string_view kPlanOfFile = "file";

struct PlaceOptions {
    std::string layers;
    std::string accelerators;
    std::string globalBatch;
    std::string optimizerMemory = "reference";
    std::string branches = "parallel";
    std::string plan;
};

/// A plan of the user's own beside the fastest one.
struct OwnPlan {
    std::string given;              ///< what the option says
    std::optional<Plan> plan = {};  ///< evaluated; none where nothing of its degrees fits
    std::string misfit = {};        ///< why it does not fit; empty where it does
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
    std::optional<OwnPlan> own = {};
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

/// What the file of the layers fixes, in the published program's words.
codesign::Degrees degreesOf(const PlacementFile& file) {
    const auto fixed = [&](std::string_view key) {
        for (const auto& [name, value] : file.reported)
            if (name == key && value >= 1 && value <= kHighestDegree && value == std::floor(value))
                return static_cast<std::int64_t>(value);
        throw UsageError(fmt::format("option '--plan' is '{}', which fixes no {} of 1 or more", kPlanOfFile, key));
    };
    return {.pipeline = fixed("fixedPP"), .tensor = fixed("fixedTMPC"), .data = fixed("fixedDP")};
}

/// "8,4,16": stages, tensor-parallel width, replicas.
std::optional<codesign::Degrees> degreesNamed(const std::string& text) {
    std::vector<std::int64_t> read;
    for (const std::string_view part : split(text, ',')) {
        std::int64_t value = 0;
        const std::string_view digits = trimmed(part);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{} || end != digits.data() + digits.size() || value < 1 || value > kHighestDegree)
            return std::nullopt;
        read.push_back(value);
    }
    if (read.size() != 3) return std::nullopt;
    return codesign::Degrees{.pipeline = read[0], .tensor = read[1], .data = read[2]};
}

/// Width, replicas and the layers of each stage, as a result of this command says them. Throws DataError.
Plan readPlan(const JsonDocument& document, const PlacementFile& file) {
    std::map<std::int64_t, std::size_t> numbers;
    for (std::size_t i = 0; i < file.layers.size(); ++i) numbers[file.layers[i]] = i;
    std::vector<bool> seen(file.layers.size(), false);
    const JsonNode root = document.root();
    const JsonNode widthNode = root.at("tensor"), stagesNode = root.at("stages");
    Plan plan{.timePerBatch = {},
              .tensor = widthNode.whole(1, kHighestDegree),
              .data = root.at("data").whole(1, kHighestDegree),
              .stages = {}};
    const std::vector<codesign::WidthCosts>& widths = file.problem.widths;
    if (std::none_of(widths.begin(), widths.end(), [&](const auto& each) { return each.width == plan.tensor; }))
        widthNode.fail("a tensor-parallel width that the layers have costs for");
    for (const JsonNode& stageNode : stagesNode.elements(file.layers.size())) {
        codesign::PlacedStage& stage = plan.stages.emplace_back();
        const JsonNode layersNode = stageNode.at("layers");
        for (const JsonNode& node : layersNode.elements(file.layers.size())) {
            const auto found = numbers.find(node.whole(-kHighestDegree, kHighestDegree));
            if (found == numbers.end()) node.fail("the id of a layer");
            if (seen[found->second]) node.fail("a layer that is in no other stage");
            seen[found->second] = true;
            stage.layers.push_back(found->second);
        }
        if (stage.layers.empty()) layersNode.fail("at least one layer", "an empty list");
    }
    const auto missing = std::find(seen.begin(), seen.end(), false);
    if (missing != seen.end())
        stagesNode.fail(
            fmt::format("layer {} in one of the stages", file.layers[static_cast<std::size_t>(missing - seen.begin())]),
            "a plan without it");
    // By stage, so that no edge leads back.
    std::vector<std::size_t> stageOf(file.layers.size(), 0);
    for (std::size_t s = 0; s < plan.stages.size(); ++s)
        for (const std::size_t layer : plan.stages[s].layers) stageOf[layer] = s;
    for (const codesign::LayerEdge& edge : file.graph.edges)
        if (stageOf[edge.from] > stageOf[edge.to])
            stagesNode.fail(fmt::format("layer {} in no later stage than layer {}, which reads it",
                                        file.layers[edge.from], file.layers[edge.to]),
                            fmt::format("stages {} and {}", stageOf[edge.from] + 1, stageOf[edge.to] + 1));
    return plan;
}

/// Evaluates the plan that the user names: its degrees, cut as well as these allow, or all of it.
OwnPlan ownPlan(const std::string& given, Placed& result, const codesign::Placer& placer, const Context& context) {
    OwnPlan own{.given = given};
    const PlacementProblem& problem = result.file.problem;
    std::optional<codesign::Degrees> degrees = degreesNamed(given);
    if (given == kPlanOfFile) degrees = degreesOf(result.file);
    if (!degrees && !namesFile(given))
        throw UsageError(
            fmt::format("option '--plan' is {}; expected stages, tensor width and replicas such as 8,4,16, '{}' for "
                        "what the layers' file fixes, or a result of this command as a file",
                        inQuotes(given), kPlanOfFile));
    if (degrees) {
        Placement made =
            placer.place(problem, {.fasterThan = {}, .degrees = degrees, .explain = true, .stop = context.stop});
        own.plan = std::move(made.plan);
        if (made.shortage) own.misfit = made.shortage->reason;
        return own;
    }
    const JsonDocument document = JsonDocument::load(given);
    result.inputs.push_back({given, sha256(document.text())});
    own.plan = codesign::evaluate(placer.graph(), problem, readPlan(document, result.file));
    own.misfit = codesign::misfitOf(problem, *own.plan);
    return own;
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
    if (!options.plan.empty()) result.own = ownPlan(options.plan, result, placer, context);
    result.placement = placer.place(problem, {.fasterThan = {}, .degrees = {}, .explain = true, .stop = context.stop});
    return result;
}

std::optional<double> throughputOf(const Placed& result, const std::optional<Plan>& plan) {
    if (!result.globalBatch || !plan) return std::nullopt;
    return static_cast<double>(*result.globalBatch) / plan->timePerBatch.value;
}

/// How many times as long as the fastest plan one's own takes; none where one of them does not fit.
std::optional<double> timesTheFastest(const Placed& result) {
    if (!result.own || !result.own->misfit.empty() || !result.placement.plan) return std::nullopt;
    return ratio(result.own->plan->timePerBatch, result.placement.plan->timePerBatch);
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

Json jsonOf(const OwnPlan& own, const Placed& result) {
    const std::optional<double> throughput = throughputOf(result, own.plan), times = timesTheFastest(result);
    Json json{{"given", own.given},
              {"feasible", own.misfit.empty()},
              {"reason", own.misfit.empty() ? Json() : Json(own.misfit)},
              {"time_per_batch_s", own.plan ? Json(own.plan->timePerBatch.value) : Json()},
              {"throughput_samples_per_s", throughput ? Json(*throughput) : Json()},
              {"times_the_fastest", times ? Json(*times) : Json()},
              {"pipeline", own.plan ? Json(own.plan->stages.size()) : Json()},
              {"data", own.plan ? Json(own.plan->data) : Json()},
              {"tensor", own.plan ? Json(own.plan->tensor) : Json()}};
    Json& stages = json["stages"] = Json::array();
    if (own.plan)
        for (const codesign::PlacedStage& stage : own.plan->stages) stages.push_back(jsonOf(stage, result.file));
    return json;
}

Json jsonOf(const Placed& result) {
    const Placement& placement = result.placement;
    Json json = study::documentHead("tessera.placement-result/1", "place", result.inputs);
    if (!result.file.name.empty()) json["name"] = result.file.name;
    json["problem"] = problemOf(result);
    json["feasible"] = placement.plan.has_value();
    json["reason"] = placement.shortage ? Json(placement.shortage->reason) : Json();
    const std::optional<double> throughput = throughputOf(result, placement.plan);
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
    if (result.own) json["own_plan"] = jsonOf(*result.own, result);
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

report::Table stagesOf(const Plan& plan, const Placed& result) {
    report::Table table;
    table.columns = {{"stage", true}, {"layers"},       {"accelerators", true},
                     {"load", true},  {"memory", true}, {"in flight", true}};
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const codesign::PlacedStage& stage = plan.stages[s];
        table.rows.push_back({fmt::format("{}", s + 1), idsOf(stage.layers, result.file),
                              fmt::format("{}", stage.accelerators), formatQuantity(stage.load.value, Measure::seconds),
                              formatQuantity(stage.memory.total().value, Measure::bytes),
                              fmt::format("{}", stage.memory.inFlight)});
    }
    return table;
}

/// "29,093 samples/s · 141 ms/batch · 4 stages × 256 replicas · tensor width 1".
std::string summaryOf(const Plan& plan, const Placed& result) {
    std::string text = formatQuantity(plan.timePerBatch.value, Measure::seconds) + "/batch";
    if (const auto throughput = throughputOf(result, plan))
        text = study::rateText(*throughput) + " samples/s · " + text;
    return text + fmt::format(" · {} × {} · tensor width {}",
                              formatCounted(static_cast<double>(plan.stages.size()), "stage", "stages"),
                              formatCounted(static_cast<double>(plan.data), "replica", "replicas"), plan.tensor);
}

/// One's own plan beside the fastest.
std::string textOf(const OwnPlan& own, const Placed& result) {
    if (!own.misfit.empty()) return "";  // the command ends with it
    const double times = *timesTheFastest(result);
    return fmt::format("\nPlan {}: {} · {}\n\n{}", escaped(own.given), summaryOf(*own.plan, result),
                       times == 1 ? "as fast as the fastest" : study::timesText(times) + " the time of the fastest",
                       report::toText(stagesOf(*own.plan, result)));
}

std::string textOf(const Placed& result) {
    const Plan& plan = *result.placement.plan;
    const PlacementProblem& problem = result.file.problem;
    std::int64_t each = 0;
    for (const codesign::PlacedStage& stage : plan.stages) each += stage.accelerators;
    std::string text = fmt::format(
        "{} · {}\n\n", summaryOf(plan, result),
        result.placement.optimal ? std::string("proven fastest")
                                 : fmt::format("optimality gap ≤ {}", study::percentText(gapOf(result.placement))));
    text += report::toText(stagesOf(plan, result));
    text +=
        fmt::format("\n{} of {} occupied; each has {} of memory\n", formatCount(static_cast<double>(plan.data * each)),
                    formatCounted(static_cast<double>(problem.accelerators), "accelerator", "accelerators"),
                    formatQuantity(problem.memory.value, Measure::bytes));
    if (result.own) text += textOf(*result.own, result);
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
    addText(
        app, "--plan", options->plan, "PLAN",
        "evaluates a plan of one's own beside the fastest: stages, tensor width and replicas such as 8,4,16, 'file' "
        "for what the layers' file fixes (both cut as well as they can be), or a result of this command as a file");
    return [options](Context& context) {
        const Placed result = placed(*options, context);
        context.console.showWarnings(result.placement.warnings);
        if (context.common.json)
            context.console.printJson(jsonOf(result));
        else if (result.placement.plan)
            context.console.print(textOf(result));
        if (!result.placement.plan) throw InfeasibleError(result.placement.shortage->reason);
        if (result.own && !result.own->misfit.empty()) throw InfeasibleError(result.own->misfit);
    };
}

}  // namespace tessera::cli
