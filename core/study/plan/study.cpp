#include "core/study/plan/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/physical/device.h"
#include "core/plan/axes.h"
#include "core/plan/layered.h"
#include "core/plan/rules.h"
#include "core/plan/scaling.h"
#include "core/study/known_transformer.h"
#include "core/study/layered_network.h"
#include "core/study/measured_throughput.h"
#include "core/study/model_summary.h"
#include "core/study/option_table.h"
#include "core/study/partition/study.h"
#include "core/study/plan/fields.h"
#include "core/study/provenance.h"
#include "core/study/reading.h"
#include "core/study/study.h"
#include "core/study/title.h"
#include "core/study/workload_files.h"

namespace tessera::study {

namespace {

using plan::Objective;

constexpr double kMaxBatch = 1e6, kMaxTokens = 1e18, kLongestSequence = 1 << 24, kMaxTop = 1000;
constexpr double kLongestText = 500, kLongestDeadline = 1e12;

/// What a study's parameters mean.
struct Settings {
    std::int64_t globalBatch = 1024;
    std::optional<std::int64_t> sequence = {};
    std::vector<std::string> dtypes = {};
    std::string software = "fused";
    std::string fix = {}, allow = {}, evaluate = {};
    std::string objective = "time";
    std::vector<std::string> front = {};
    std::int64_t top = 20;
    std::optional<double> tokens = {};
    std::optional<Seconds> deadline = {};
    bool limits = false;
};

void setDtypes(Settings& settings, const Json& text) {
    settings.dtypes.clear();
    const std::string list = text.get<std::string>();
    for (const std::string_view each : split(list, ',')) settings.dtypes.emplace_back(trimmed(each));
}

/// Those of `plan::Objective`, and what counts as time.
std::vector<std::string_view> objectiveWords() {
    std::vector<std::string_view> words = plan::kObjectiveNames.all();
    words.insert(words.begin() + 1, "throughput");
    return words;
}

/// Help of the option that names all axes.
std::string_view axesHelp() {
    static const std::string kHelp = [] {
        std::vector<std::string> names;
        for (const plan::AxisRow& axis : plan::axes()) names.push_back(fmt::format("{}: {}", axis.id, axis.title));
        return "values to search, such as zero=0,1,pp=4..16; " + joined(names, ", ");
    }();
    return kHelp;
}

const OptionTable<Settings>& planTable() {
    static const OptionTable<Settings> kTable{
        {"global_batch", "--global-batch N", &Settings::globalBatch, Values::whole(1, kMaxBatch),
         "samples of a step, of all replicas together"},
        {"sequence", "--sequence S", &Settings::sequence, Values::whole(1, kLongestSequence),
         "tokens of a sample; without it, the model's own"},
        {"dtype", "--dtype LIST", setDtypes, Values::text().byDefault("bf16").labelled("Data types"),
         "matmul data types to search, such as bf16 or bf16,fp8; fp8 where the software trains in it"},
        {"software", "--software STACK", &Settings::software, Values::text(),
         "software that trains: eager, fused or tuned, or a stack's name such as 'Megatron-LM'"},
        {"objective", "--objective WHAT", &Settings::objective, Values::word(objectiveWords()),
         "objective to minimise: time of a step (which maximises throughput), its price, its energy, the accelerators "
         "in "
         "use, the memory of the fullest one"},
        {"fix", "--fix LIST", &Settings::fix, Values::text(kLongestText),
         "degrees that are given, such as tp=8,pp=16; see --allow for the names"},
        {"allow", "--allow LIST", &Settings::allow, Values::text(kLongestText), axesHelp()},
        {"evaluate", "--evaluate LIST", &Settings::evaluate, Values::text(kLongestText),
         "a configuration to judge beside the best, such as tp=8,pp=16,dp=4,mb=1; what it leaves open is chosen"},
        {"top", "--top N", &Settings::top, Values::whole(1, kMaxTop), "best configurations to list"},
        {"front", "--front WHAT,WHAT", &Settings::front,
         Values::words(plan::kObjectiveNames.all()).byDefault(Json({"time", "accelerators"})),
         "two objectives in which the non-dominated (Pareto-optimal) configurations are kept"},
        {"tokens", "--tokens T", &Settings::tokens, Values::number(1, kMaxTokens),
         "tokens to train on, for days and money"},
        {"deadline", "--deadline TIME", &Settings::deadline, Values::number(1, kLongestDeadline, Measure::seconds),
         "longest time for --tokens; without these, for a step"},
        {"limits", "--limits", &Settings::limits, Values::flag(),
         "also finds the longest sequence, the deepest model and the largest micro-batch that fit, and the fewest "
         "accelerators that do"},
    };
    return kTable;
}

/// One of the fleets that a study compares.
struct FleetInputs {
    hardware::Fleet fleet;
    plan::Problem problem;
    plan::Space space;
    plan::SearchOptions options;
};

struct Inputs {
    Settings settings;
    std::string modelTitle;
    std::vector<FleetInputs> fleets;
    std::vector<Input> inputs;
    std::vector<std::string> warnings;
    std::vector<std::string> assumptions = {};  ///< of a network's layers
};

/// What is trained.
struct Workload {
    std::string name;  ///< as the study has it
    std::optional<physical::TrainingRun> transformer;
    std::shared_ptr<const model::Model> model;
};

Objective objectiveOf(const std::string& word) {
    return word == "throughput" ? Objective::time : *plan::kObjectiveNames.named(word);
}

std::map<std::string, std::int64_t> dimensionsOf(const Study& study, const Settings& settings) {
    std::map<std::string, std::int64_t> dimensions = study.dimensions;
    if (settings.sequence) dimensions["sequence"] = *settings.sequence;
    return dimensions;
}

/// The model that the physical model of transformers knows; nothing for other networks, with a warning where it is a
/// transformer of another kind.
std::optional<physical::TrainingRun> transformerOf(const Study& study, const Settings& settings,
                                                   std::vector<std::string>& warnings) {
    const std::string& name = study.models.front();
    std::string refusal;
    std::optional<physical::TrainingRun> run = knownTransformer(name, dimensionsOf(study, settings), refusal);
    if (!run) {
        if (!refusal.empty())
            warnings.push_back(
                fmt::format("The model {} is planned by the blocks of its graph, of which one accelerator holds each "
                            "as a whole: {}.",
                            inQuotes(name), refusal));
        return run;
    }
    run->optimizer = "adam";
    run->software = settings.software;
    return run;
}

/// What is of transformers alone. Throws UsageError.
void checkOfNetwork(const Study& study, const Settings& settings) {
    const std::string& model = study.models.front();
    const auto slices = study.dimensions.find("tensor_parallel");
    if (slices != study.dimensions.end() && slices->second > 1)
        throw UsageError(
            fmt::format("the model {} is the slice of one of {} accelerators; expected the whole model, without "
                        "tensor_parallel: a plan finds the degree",
                        inQuotes(model), slices->second));
    const auto refuse = [&](std::string_view option, std::string_view why) {
        throw UsageError(
            fmt::format("option '{}' is of transformers, and {} is none: {}", option, inQuotes(model), why));
    };
    if (settings.tokens) refuse("--tokens", "its samples have no tokens");
    if (settings.dtypes.size() != 1) refuse("--dtype LIST", "expected one data type of its products");
    if (objectiveOf(settings.objective) == Objective::energy)
        refuse("--objective energy", "what its layers draw is not known");
    for (const std::string& each : settings.front)
        if (objectiveOf(each) == Objective::energy) refuse("--front", "what its layers draw is not known");
}

void setOptions(FleetInputs& inputs, const Settings& settings) {
    plan::SearchOptions& options = inputs.options;
    options.objective = objectiveOf(settings.objective);
    options.top = static_cast<std::size_t>(settings.top);
    if (settings.front.size() != 2)
        throw UsageError(fmt::format("option '--front' names {}; expected two",
                                     formatCounted(settings.front.size(), "value", "values")));
    options.front = {objectiveOf(settings.front[0]), objectiveOf(settings.front[1])};
    if (settings.deadline) {
        const double steps = settings.tokens ? std::ceil(*settings.tokens / inputs.problem.tokens()) : 1;
        options.longestStep = settings.deadline->value / steps;
    }
    for (const Objective each : {options.objective, options.front.first, options.front.second})
        if (each == Objective::price)
            for (const plan::PlanGroup& group : inputs.problem.groups)
                if (!group.pricePerHour)
                    throw UsageError(
                        fmt::format("the price of {} is not known; expected price_per_hour_usd in its description",
                                    inQuotes(group.accelerator)));
}

/// Sets of groups and pairs of them rise fast.
constexpr std::size_t kMaxGroups = 12;

/// The problem of a model on a fleet: of a transformer, else of the layers of a network.
plan::Problem problemOn(const hardware::Fleet& fleet, const Workload& workload, Inputs& inputs) {
    const Settings& settings = inputs.settings;
    const auto batch = static_cast<double>(settings.globalBatch);
    if (workload.transformer) return plan::problemOf(fleet, *workload.transformer, batch, settings.dtypes);
    std::vector<plan::LayersOnGroup> layers;
    for (const hardware::Group& group : fleet.groups) {
        LayeredNetwork network = layeredNetwork(*workload.model, group,
                                                {.model = workload.name,
                                                 .globalBatch = batch,
                                                 .dtype = settings.dtypes.front(),
                                                 .software = settings.software,
                                                 .accelerators = group.count});
        addOnce(inputs.assumptions, network.assumptions);
        layers.push_back({std::move(network.layers), network.software});
    }
    if (layers.size() > 1)
        addOnce(inputs.assumptions,
                {"Where several groups of accelerators share a network's step each holds whole copies of it, and "
                 "gradients cross from group to group at their slowest rate."});
    return plan::problemOf(fleet, std::move(layers), batch, settings.dtypes.front());
}

FleetInputs readFleetInputs(const std::string& name, const Workload& workload, Inputs& inputs) {
    const Settings& settings = inputs.settings;
    FleetInputs of;
    of.fleet = hardware::loadFleet(placeOfInput(name));
    for (Input& input : inputsOf(fleetFiles(name, of.fleet)))
        if (std::find(inputs.inputs.begin(), inputs.inputs.end(), input) == inputs.inputs.end())
            inputs.inputs.push_back(std::move(input));
    if (of.fleet.groups.size() > kMaxGroups)
        throw UsageError(fmt::format("the fleet {} has {} groups of accelerators; expected at most {} for a plan",
                                     inQuotes(name), of.fleet.groups.size(), kMaxGroups));
    of.problem = problemOn(of.fleet, workload, inputs);
    plan::narrow(of.space, "--allow", settings.allow, of.problem);
    plan::narrow(of.space, "--fix", settings.fix, of.problem);
    setOptions(of, settings);
    return of;
}

Inputs readInputs(const Study& study, const RunContext& context) {
    if (study.models.size() != 1) throw UsageError("a plan takes exactly one model");
    if (study.hardware.empty()) throw UsageError("a plan takes at least one fleet");
    Inputs inputs;
    inputs.settings = planTable().of(study);
    const Reading reading(context, "reading the model", "the search for a plan");
    Workload workload{.name = study.models.front(),
                      .transformer = transformerOf(study, inputs.settings, inputs.warnings),
                      .model = {}};
    if (!workload.transformer) checkOfNetwork(study, inputs.settings);
    const std::string place = placeOfInput(workload.name);
    workload.model = workload.transformer ? model::sharedModel(place, {.batch = {}, .dimensions = study.dimensions})
                                          : loadedNetwork(place, dimensionsOf(study, inputs.settings));
    inputs.modelTitle = modelName(workload.name, workload.model->name);
    addOnce(inputs.warnings, workload.model->warnings);
    inputs.inputs.push_back({workload.name, workload.model->sha256});
    for (const std::string& name : study.hardware) inputs.fleets.push_back(readFleetInputs(name, workload, inputs));
    if (!physical::softwareStackOf(inputs.settings.software))
        inputs.warnings.push_back(
            fmt::format("{} is no software stack that is known: it is taken to fuse kernels as most do.",
                        inQuotes(inputs.settings.software)));
    reading.check();
    return inputs;
}

std::vector<PlannedGroup> groupsOf(const plan::Problem& problem) {
    std::vector<PlannedGroup> groups;
    for (const plan::PlanGroup& group : problem.groups) {
        const physical::Device& device = group.variants.front().setting.device;
        groups.push_back({.name = group.name,
                          .accelerator = group.accelerator,
                          .count = group.count,
                          .perNode = group.perNode,
                          .capacity = device.memory,
                          .peak = physical::peakOf(device, problem.dtypes.front()),
                          .linkRate = group.perNode > 1 ? device.linkBytesPerSecond : 0,
                          .networkRate = group.networkRate,
                          .pricePerHour = group.pricePerHour});
    }
    return groups;
}

std::vector<PlannedLink> linksOf(const plan::Problem& problem) {
    std::vector<PlannedLink> links;
    for (std::size_t from = 0; from < problem.groups.size(); ++from)
        for (std::size_t to = from + 1; to < problem.groups.size(); ++to)
            links.push_back({from, to, problem.between[from][to]});
    return links;
}

std::string memoryText(double bytes) {
    return formatQuantity(bytes, Measure::bytes);
}

/// The one value that a space leaves of an axis, else another.
int onlyOf(const plan::Space& space, plan::Axis axis, int otherwise) {
    const std::vector<int>& values = space.of(axis).values;
    return values.size() == 1 ? values.front() : otherwise;
}

/// What keeps all configurations of a space from being one, as far as its given values alone tell; else empty.
std::string faultOf(const plan::Problem& problem, const plan::Space& space) {
    using plan::Axis;
    plan::Configuration at;
    for (const plan::AxisRow& axis : plan::axes())
        if (axis.number != nullptr) at.*axis.number = onlyOf(space, axis.axis, at.*axis.number);
    at.wholeExperts = onlyOf(space, Axis::expertTensor, 0) == 1 && at.tensor > 1;
    if (at.chunks > 1) at.schedule = physical::PipelineSchedule::interleaved;
    at.recompute = static_cast<plan::Recomputation>(onlyOf(space, Axis::recompute, 0));
    at.parts = {{.group = static_cast<std::size_t>(onlyOf(space, Axis::group, 0)),
                 .stages = at.pipeline,
                 .replicas = at.data,
                 .microBatches = std::max(plan::allMicroBatches(problem, at) / at.data, 1)}};
    return plan::faultText(problem, at);
}

std::string shortageReason(const plan::Problem& problem, const plan::Space& space, const plan::Found& found) {
    if (!found.closest && found.faulty)
        return fmt::format("no configuration of the space can be, such as {}: {}", plan::shortText(*found.faulty),
                           plan::faultText(problem, *found.faulty));
    if (!found.closest) {
        const std::string fault = faultOf(problem, space);
        return "no configuration of the space can be: " +
               (fault.empty() ? "no degrees divide the model and the batch on these accelerators" : fault);
    }
    const auto& [configuration, shortage] = *found.closest;
    const StageMemoryTerm& largest = kStageMemoryTerms[static_cast<std::size_t>(shortage.largest())];
    return fmt::format(
        "no configuration fits the memory: the closest ({}) lacks {} on each accelerator of group {} that holds stage "
        "{}, which needs {} of {}, {} of it for {}",
        plan::shortText(configuration), memoryText(shortage.total() - shortage.capacity),
        inQuotes(problem.groups[shortage.group].name), shortage.stage + 1, memoryText(shortage.total()),
        memoryText(shortage.capacity), memoryText(largest.of(shortage)), lowered(largest.title));
}

/// Why there is no configuration, and the smallest changes that help.
PlanShortage shortageOf(const FleetInputs& inputs, const plan::Found& found, const RunContext& context) {
    PlanShortage shortage;
    if (found.fastestLate) {
        shortage.step = found.fastestLate->scores.of(Objective::time);
        shortage.reason = fmt::format(
            "no configuration meets the deadline: a step may take {}, and the fastest ({}) "
            "takes {}, {:.2f} times that",
            formatSeconds(*inputs.options.longestStep), plan::shortText(found.fastestLate->configuration),
            formatSeconds(*shortage.step), *shortage.step / *inputs.options.longestStep);
    } else {
        shortage.reason = shortageReason(inputs.problem, inputs.space, found);
        if (found.closest) shortage.memory = found.closest->second.total();
    }
    context.reportProgress("looking for what would fit");
    shortage.timesAccelerators = plan::timesAcceleratorsThatFit(inputs.problem, inputs.space, inputs.options, context);
    if (shortage.timesAccelerators)
        shortage.reason +=
            fmt::format("; {} times the accelerators of each group would do", *shortage.timesAccelerators);
    if (shortage.memory) shortage.reason += fmt::format("; so would accelerators of {}", memoryText(*shortage.memory));
    return shortage;
}

/// Why nothing fits on a fleet of another size, in few words.
std::string misfitOf(const plan::Found& found) {
    if (found.fastestLate)
        return fmt::format("too late: the fastest step takes {}",
                           formatSeconds(found.fastestLate->scores.of(Objective::time)));
    if (!found.closest) return "no degrees divide the model and the batch";
    const plan::Shortage& shortage = found.closest->second;
    return fmt::format("each accelerator lacks {}", memoryText(shortage.total() - shortage.capacity));
}

ScaledPlan scaledPlanOf(const plan::ScaledFleet& fleet) {
    ScaledPlan plan{.times = fleet.times, .accelerators = fleet.problem.accelerators()};
    if (fleet.found.top.empty()) {
        plan.misfit = misfitOf(fleet.found);
        return plan;
    }
    const plan::Ranked& first = fleet.found.top.front();
    const plan::Evaluated best = plan::evaluate(fleet.problem, first.configuration, first.bytes);
    plan.best = best.scores;
    plan.low = best.low;
    plan.high = best.high;
    plan.tokensPerSecond = best.tokensPerSecond;
    plan.configuration = plan::shortText(best.configuration);
    return plan;
}

/// The best of what a text leaves open, whatever the study's own limits.
PlanAnswer answerOf(std::string_view option, const std::string& given, const FleetInputs& inputs,
                    const RunContext& context) {
    PlanAnswer answer{.asked = {.given = given}};
    AskedConfiguration& asked = answer.asked;
    plan::Space space;
    plan::narrow(space, option, asked.given, inputs.problem);
    plan::SearchOptions options = inputs.options;
    options.longestStep.reset();
    RunControl quiet = context;
    quiet.progress = {};
    const plan::Found found = plan::searchBest(inputs.problem, space, options, quiet);
    if (!found.top.empty()) {
        const plan::Ranked& first = found.top.front();
        asked.evaluated = plan::evaluate(inputs.problem, first.configuration, first.bytes);
        return answer;
    }
    answer.closest = found.closest;
    if (!found.closest) asked.misfit = faultOf(inputs.problem, space);
    if (asked.misfit.empty()) asked.misfit = shortageReason(inputs.problem, space, found);
    return answer;
}

std::vector<std::string> assumptionsOf(const Inputs& inputs, const plan::Problem& problem) {
    const physical::StackTraits& stack = problem.groups.front().variants.front().setting.stack;
    std::vector<std::string> assumptions{fmt::format(
        "Times are those of the physical model with the constants of the stack {}; 90 % of measured runs lie "
        "within the interval.",
        stack.id)};
    addOnce(assumptions, inputs.assumptions);
    if (problem.layered()) return assumptions;
    const std::vector<std::string> ofTransformers{
        "Layers count as equal; embedding and head are on the first and last stage. Ranks are tensor, context, data, "
        "pipeline from the innermost, as in Megatron-LM, unless a configuration says another order.",
        "Tensor parallelism splits sequences between its collectives, too.",
        stack.hidesHops ? "Devices wait for what they send to other stages, but for interleaved pipelines, which send "
                          "beside computation."
                        : "Devices wait for what they send to other stages.",
        "Framework overhead in memory is the allowance that was fitted to measured peaks."};
    addOnce(assumptions, ofTransformers);
    if (problem.groups.size() > 1)
        assumptions.push_back(fmt::format(
            "A pipeline may pass through several groups, one after the other{}; groups with whole replicas side by "
            "side "
            "hold as many as make the step shortest, and share the micro-batches so that the slowest is done first.",
            problem.groups.size() > plan::kMaxStacked
                ? fmt::format(" (two where it may use more than {})", plan::kMaxStacked)
                : ""));
    return assumptions;
}

/// What the closed form of the best configuration's schedule leaves out, where that is more than a hundredth.
std::optional<std::string> excessText(const plan::Evaluated& best) {
    constexpr double kLeast = 0.01;
    const std::optional<double> excess = plan::simulatedExcessOf(best);
    if (!excess || std::abs(*excess) < kLeast) return std::nullopt;
    return fmt::format(
        "Pipelines count by the closed form of their schedule; run micro-batch by micro-batch, as the picture of the "
        "pipeline shows it, the best takes {:.2g} % {} a step.",
        100 * std::abs(*excess), *excess > 0 ? "longer for" : "less for");
}

}  // namespace

const std::vector<Parameter>& planParameters() {
    return planTable().parameters();
}

const plan::Evaluated* PlanOutcome::ranked(const std::string& rank) const {
    std::size_t at = 0;
    std::from_chars(rank.data(), rank.data() + rank.size(), at);
    return at >= 1 && at <= configurations.size() ? &configurations[at - 1] : best();
}

std::optional<double> PlanOutcome::steps() const {
    if (!tokens) return std::nullopt;
    return std::ceil(*tokens / (globalBatch * sequence));
}

std::optional<double> PlanOutcome::trainingSeconds() const {
    if (!tokens || best() == nullptr) return std::nullopt;
    return *steps() * best()->scores.of(Objective::time);
}

double PlanOutcome::accelerators() const {
    double sum = 0;
    for (const PlannedGroup& group : groups) sum += static_cast<double>(group.count);
    return sum;
}

double PlanOutcome::perAccelerator(const plan::Evaluated& its) {
    return its.tokensPerSecond / its.scores.of(Objective::accelerators);
}

std::optional<std::string> PlanOutcome::acceleratorOf(const plan::Configuration& configuration) const {
    std::optional<std::string> only;
    for (const plan::Part& part : configuration.parts) {
        const std::string& its = groups.at(part.group).accelerator;
        if (only && *only != its) return std::nullopt;
        only = its;
    }
    return only;
}

bool PlanOutcome::knows(Objective value) const {
    if (value == Objective::energy) return hasTokens();
    return value != Objective::price ||
           std::all_of(groups.begin(), groups.end(), [](const PlannedGroup& group) { return group.pricePerHour; });
}

std::optional<double> PlanOutcome::price() const {
    if (!knows(Objective::price) || best() == nullptr) return std::nullopt;
    return best()->scores.of(Objective::price);
}

std::optional<double> PlanOutcome::trainingPrice() const {
    if (!tokens || !price()) return std::nullopt;
    return *steps() * *price();
}

std::optional<double> PlanOutcome::timesTheBest() const {
    if (!asked || !asked->evaluated || best() == nullptr) return std::nullopt;
    return asked->evaluated->scores.of(Objective::time) / best()->scores.of(Objective::time);
}

namespace {

/// What was found on a fleet is better than on another one.
bool isBetter(const plan::Found& a, const plan::Found& b, Objective objective) {
    if (a.top.empty() || b.top.empty()) return !a.top.empty() && b.top.empty();
    return a.top.front().scores.of(objective) < b.top.front().scores.of(objective);
}

void addFound(PlanOutcome& outcome, const FleetInputs& of, const plan::Found& found) {
    outcome.counted = found.counted;
    outcome.ended = found.ended;
    for (const plan::Ranked& each : found.top)
        outcome.configurations.push_back(plan::evaluate(of.problem, each.configuration, each.bytes));
    for (const plan::Ranked& each : found.front)
        outcome.front.push_back({plan::shortText(each.configuration), each.scores.of(of.options.front.first),
                                 each.scores.of(of.options.front.second),
                                 plan::evaluate(of.problem, each.configuration, each.bytes).scores});
    if (!found.top.empty()) outcome.sensitivities = plan::sensitivitiesOf(of.problem, found.top);
}

/// What is known before the search.
PlanOutcome outcomeOf(const Inputs& inputs, const FleetInputs& of) {
    PlanOutcome outcome;
    outcome.model = inputs.modelTitle;
    outcome.fleet = of.fleet.name;
    if (of.problem.layered()) {
        outcome.parameters = outcome.activeParameters = of.problem.layered()->parameters;
    } else {
        const physical::TransformerParameters parameters = physical::parametersOf(of.problem.model());
        outcome.parameters = parameters.total;
        outcome.activeParameters = parameters.active;
        outcome.shape = of.problem.model();
    }
    outcome.layers = of.problem.layers();
    outcome.sequence = of.problem.sequence;
    outcome.globalBatch = of.problem.globalBatch;
    outcome.software = of.problem.groups.front().variants.front().setting.stack.id;
    outcome.dtypes = of.problem.dtypes;
    outcome.groups = groupsOf(of.problem);
    outcome.links = linksOf(of.problem);
    outcome.objective = inputs.settings.objective;
    outcome.frontOf = of.options.front;
    outcome.tokens = inputs.settings.tokens;
    if (inputs.settings.deadline) outcome.deadline = inputs.settings.deadline->value;
    return outcome;
}

ComparedFleet comparedOf(const FleetInputs& of, const plan::Found& found) {
    ComparedFleet compared{.name = of.fleet.name, .accelerators = of.problem.accelerators()};
    if (found.top.empty()) return compared;
    compared.best = found.top.front().scores;
    compared.configuration = plan::shortText(found.top.front().configuration);
    return compared;
}

}  // namespace

Result runPlan(const Study& study, const RunContext& context) {
    Inputs inputs = readInputs(study, context);
    Result result;
    result.study = study;
    result.inputs = std::move(inputs.inputs);
    result.warnings = std::move(inputs.warnings);
    reportWarnings(context, result.warnings);
    const Reading searching(context, "searching", "the search for a plan");
    std::vector<plan::Found> found;
    for (const FleetInputs& each : inputs.fleets)
        found.push_back(plan::search(each.problem, each.space, each.options, context));
    std::size_t best = 0;
    for (std::size_t i = 1; i < found.size(); ++i)
        if (isBetter(found[i], found[best], inputs.fleets[i].options.objective)) best = i;
    const FleetInputs& chosen = inputs.fleets[best];
    result.assumptions = assumptionsOf(inputs, chosen.problem);
    OwnNumbers own;
    own.add(chosen.fleet, chosen.problem.dtypes.front());
    addOnce(result.assumptions, own.sentences());

    PlanOutcome outcome = outcomeOf(inputs, chosen);
    addFound(outcome, chosen, found[best]);
    if (outcome.best() != nullptr)
        if (std::optional<std::string> text = excessText(*outcome.best())) result.assumptions.push_back(*text);
    if (found.size() > 1)
        for (std::size_t i = 0; i < found.size(); ++i) outcome.fleets.push_back(comparedOf(inputs.fleets[i], found[i]));
    if (!inputs.settings.evaluate.empty())
        outcome.asked = answerOf("--evaluate", inputs.settings.evaluate, chosen, context).asked;
    if (outcome.best() == nullptr)
        outcome.shortage = shortageOf(chosen, found[best], context);
    else
        for (const plan::ScaledFleet& each :
             plan::scaledFleets(chosen.problem, chosen.space, chosen.options, found[best], context))
            outcome.scaling.push_back(scaledPlanOf(each));
    if (outcome.best() != nullptr && inputs.settings.limits)
        outcome.limits = plan::limitsOf(chosen.problem, chosen.space, chosen.options, context);
    addMeasured(outcome, bundledTraining());
    result.outcome = std::move(outcome);
    return result;
}

PlanAnswer askPlan(const Study& study, const std::string& fleet, const std::string& configuration,
                   const RunContext& context) {
    const Inputs inputs = readInputs(study, context);
    const auto its = std::find_if(inputs.fleets.begin(), inputs.fleets.end(),
                                  [&](const FleetInputs& each) { return each.fleet.name == fleet; });
    return answerOf("why not", configuration, its != inputs.fleets.end() ? *its : inputs.fleets.front(), context);
}

Estimate estimatePlan(const Study& study) {
    const Inputs inputs = readInputs(study, {});
    // Measured on one core of 2020: about half a million configurations a second on one group; with pairs of groups
    // there are as many more as stages of either.
    constexpr double kSecondsOfAccelerator = 5e-4, kSecondsOfPair = 1.2e-5;
    double seconds = 0, all = 0;
    for (const FleetInputs& each : inputs.fleets) {
        const auto count = static_cast<double>(each.problem.accelerators());
        all += count;
        seconds += each.problem.groups.size() == 1 ? kSecondsOfAccelerator * count : kSecondsOfPair * count * count / 4;
    }
    const std::size_t fleets = inputs.fleets.size();
    return {.text = fmt::format("{} layers on {}{}: {}", inputs.fleets.front().problem.layers(),
                                formatCounted(all, "accelerator", "accelerators"),
                                fleets > 1 ? " of " + formatCounted(fleets, "fleet", "fleets") : std::string(),
                                formatWait(seconds)),
            .seconds = seconds,
            .problems = {}};
}

}  // namespace tessera::study
