#include "core/study/placement/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/option_table.h"
#include "core/study/reading.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

using codesign::Placement;
using codesign::PlacementFile;
using codesign::PlacementProblem;
using codesign::Plan;

constexpr double kMaxAccelerators = 1e9, kLargestBatch = 1e12;
constexpr std::int64_t kHighestDegree = 1'000'000'000;
constexpr std::string_view kPlanOfFile = "file";

/// Of the optimiser in bytes per byte of weights.
double stateOf(codesign::Optimizer optimizer, codesign::OptimizerMemory rule) {
    if (const auto state = codesign::optimizerState(optimizer, rule)) return *state;
    throw UsageError(
        fmt::format("option '--optimizer-memory' is '{}', which does not know the optimiser '{}'; "
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

/// "8,4,16": stages, tensor-parallel degree, replicas.
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
    return codesign::Degrees{.pipeline = read[0], .tensorParallel = read[1], .data = read[2]};
}

/// Width, replicas and the layers of each stage, as a result says them. Throws DataError.
Plan readGivenPlan(const JsonNode& root, const PlacementFile& file) {
    std::map<std::int64_t, std::size_t> numbers;
    for (std::size_t i = 0; i < file.layers.size(); ++i) numbers[file.layers[i]] = i;
    std::vector<bool> seen(file.layers.size(), false);
    const JsonNode degreeNode = root.at("tensor"), stagesNode = root.at("stages");
    Plan plan{.timePerBatch = {},
              .tensorParallel = degreeNode.whole(1, kHighestDegree),
              .data = root.at("data").whole(1, kHighestDegree),
              .stages = {}};
    const std::vector<codesign::DegreeCosts>& byDegree = file.problem.byDegree;
    if (std::none_of(byDegree.begin(), byDegree.end(),
                     [&](const auto& each) { return each.degree == plan.tensorParallel; }))
        degreeNode.fail("a tensor-parallel degree that the layers have costs for");
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

/// What a plan is: of a result all else is left out.
Json planOf(const JsonDocument& file) {
    const JsonNode root = file.root();
    Json plan = {{"file", file.file()}, {"sha256", sha256(file.text())}};
    plan["tensor"] = root.at("tensor").json();
    plan["data"] = root.at("data").json();
    Json& stages = plan["stages"] = Json::array();
    for (const JsonNode& stage : root.at("stages").elements(codesign::kMaxPlacedLayers))
        stages.push_back({{"layers", stage.at("layers").json()}});
    return plan;
}

/// What a study's parameters mean.
struct Settings {
    std::optional<std::int64_t> accelerators = {};  ///< none: the file's
    std::optional<std::int64_t> globalBatch = {};
    codesign::OptimizerMemory rule = codesign::OptimizerMemory::reference;
    bool serialBranches = false;
    std::string plan = {};   ///< degrees or "file"; empty = none
    HeldJson planFile = {};  ///< see planOf
};

const OptionTable<Settings>& placementTable() {
    static const OptionTable<Settings> kTable{
        {"accelerators", "--accelerators K", &Settings::accelerators, Values::whole(1, kMaxAccelerators),
         "accelerators; without it, the file's maxDevices"},
        {"global_batch", "--global-batch N", &Settings::globalBatch, Values::whole(1, kLargestBatch),
         "samples of a batch, for the throughput"},
        {"optimizer_memory", "--optimizer-memory RULE", &Settings::rule,
         Values::word(codesign::kOptimizerMemoryNames.all()),
         "how the optimiser's state is counted: as the published program counts, exactly in the weights' type, "
         "or for mixed precision, with Adam 16 bytes for each parameter in all"},
        {"branches", "--branches RULE", &Settings::serialBranches, Values::word({"parallel", "serial"}),
         "how layers of a stage run that do not depend on each other; the paper's rule is parallel"},
        {"plan", "--plan PLAN", &Settings::plan, Values::text(),
         "evaluate a user-supplied plan beside the fastest: stages, tensor-parallel degree and replicas such as "
         "8,4,16, "
         "'file' for what the layers' file fixes (both cut as well as they can be), or a result of this "
         "command as a file"},
        {"plan_file", "--plan-file FILE", &Settings::planFile, Values::document(planOf),
         "a result of this command whose plan is evaluated beside the fastest"},
    };
    return kTable;
}

/// What a study of it rests on.
struct Inputs {
    PlacementFile file;
    PlacementOutcome request;  ///< without what was found
    std::vector<Input> inputs;
    std::string plan;                   ///< degrees or "file"; empty where there are none
    std::optional<JsonDocument> whole;  ///< a plan of the user's own
};

JsonDocument loadLayers(const Study& study) {
    if (study.workloads.size() != 1) throw UsageError("a placement study takes exactly one file of layers");
    return JsonDocument::load(codesign::placementPath(placeOfInput(study.workloads.front())));
}

Inputs readInputs(const Study& study, const RunContext& context) {
    const Reading reading(context, "reading the layers", "the placement");
    const JsonDocument document = loadLayers(study);
    const Settings settings = placementTable().of(study);
    Inputs inputs;
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
    if (settings.planFile->is_null()) return inputs;
    if (!inputs.plan.empty()) throw UsageError("options --plan and --plan-file both give a plan; expected one of them");
    inputs.whole = JsonDocument::parse(settings.planFile->dump(), "the plan");
    const JsonNode root = inputs.whole->root();
    constexpr std::size_t kLongestPath = 4096;
    inputs.inputs.push_back({root.at("file").text(kLongestPath), root.at("sha256").text()});
    return inputs;
}

/// Evaluates the plan that the user names: its degrees, cut as well as these allow, or all of it.
std::optional<OwnPlan> ownPlan(const Inputs& inputs, const codesign::Placer& placer, const RunContext& context) {
    const PlacementProblem& problem = inputs.file.problem;
    if (inputs.whole) {
        OwnPlan own{.given = inputs.inputs.back().name};
        own.plan = codesign::evaluate(placer.graph(), problem, readGivenPlan(inputs.whole->root(), inputs.file));
        own.misfit = codesign::misfitOf(problem, *own.plan);
        return own;
    }
    if (inputs.plan.empty()) return std::nullopt;
    const std::optional<codesign::Degrees> degrees =
        inputs.plan == kPlanOfFile ? degreesOf(inputs.file) : degreesNamed(inputs.plan);
    if (!degrees)
        throw UsageError(fmt::format(
            "option '--plan' is {}; expected stages, tensor-parallel degree and replicas such as 8,4,16, '{}' for "
            "what the layers' file fixes, or a result of this command as a file",
            inQuotes(inputs.plan), kPlanOfFile));
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
        fmt::format("Memory holds weights, gradients, the optimiser's state of {} bytes per byte of weights (rule {}, "
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
    readGivenPlan(document.root(), codesign::readPlacementFile(loadLayers(study)));
    Json plan = planOf(document);
    plan["file"] = file;
    return plan;
}

Result runPlacement(const Study& study, const RunContext& context) {
    Inputs inputs = readInputs(study, context);
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
    const Inputs inputs = readInputs(study, {});
    const codesign::Placer placer(inputs.file.graph);
    const auto cuts = static_cast<double>(placer.cuts()),
               degrees = static_cast<double>(inputs.file.problem.byDegree.size());
    const double seconds = cuts * cuts * degrees * kSecondsPerPair;
    return {.text = fmt::format(
                "{} at {} on {}: {}", formatCounted(static_cast<double>(inputs.file.layers.size()), "layer", "layers"),
                formatCounted(degrees, "tensor-parallel degree", "tensor-parallel degrees"),
                formatCounted(static_cast<double>(inputs.file.problem.accelerators), "accelerator", "accelerators"),
                formatWait(seconds)),
            .seconds = seconds,
            .problems = {}};
}

std::string planText(const Plan& plan, const PlacementOutcome& outcome) {
    std::string text = formatQuantity(plan.timePerBatch.value, Measure::seconds) + "/batch";
    if (const auto throughput = outcome.throughputOf(plan)) text = rateText(*throughput) + " samples/s · " + text;
    return text + fmt::format(" · {} × {} · tensor-parallel degree {}",
                              formatCounted(static_cast<double>(plan.stages.size()), "stage", "stages"),
                              formatCounted(static_cast<double>(plan.data), "replica", "replicas"),
                              plan.tensorParallel);
}

std::string placementHeadline(const PlacementOutcome& outcome) {
    const Placement& placement = outcome.placement;
    if (!placement.plan) return placement.shortage ? placement.shortage->reason : "no plan fits";
    return fmt::format("{} · {}", planText(*placement.plan, outcome),
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
    Seconds slowest;
    for (const codesign::PlacedStage& stage : plan.stages) {
        slowest = std::max(slowest, stage.load);
        codesign::StageResult& shown = model.stages.emplace_back();
        for (const std::size_t layer : stage.layers)
            shown.layers.push_back(fmt::format("layer {}", outcome.layers[layer]));
        shown.accelerators = stage.accelerators;
        shown.forward = stage.forward;
        shown.backward = stage.load - stage.forward;
        shown.load = stage.load;
        shown.memory = stage.memory;
    }
    const std::int64_t rounds = (microBatches - 1) / plan.data + model.pipeline;
    model.time.gradientAllReduce = std::max(Seconds{}, plan.timePerBatch - slowest * static_cast<double>(rounds));
    return model;
}

}  // namespace tessera::study
