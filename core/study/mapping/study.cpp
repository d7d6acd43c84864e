#include "core/study/mapping/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/number.h"
#include "core/base/parallel.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/checkpoint.h"
#include "core/study/document_study.h"
#include "core/study/mapping/document.h"
#include "core/study/mapping/front_points.h"
#include "core/study/mapping/metrics.h"
#include "core/study/option_table.h"
#include "core/study/reading.h"

namespace tessera::study {

namespace {

using mapping::Options;

constexpr double kMaxSamples = 1e9;
constexpr double kMaxJobs = 100'000;
constexpr double kMaxExplored = 100'000;
constexpr double kMaxSeed = 9'007'199'254'740'992;  ///< whole numbers that JSON holds everywhere

/// "magma.mutation" and so on; the words of a parameter refer to them.
const std::vector<std::string>& settingNames() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names;
        for (const mapping::Algorithm& algorithm : mapping::algorithms())
            for (const mapping::Setting& setting : algorithm.settings)
                names.push_back(fmt::format("{}.{}", algorithm.id, setting.name));
        return names;
    }();
    return kNames;
}

/// Weights that are not given are 0, as soon as one is.
void setWeights(MappingSettings& settings, const Json& weights) {
    if (weights.empty()) return;
    settings.weights = {.makespan = weights.value("makespan", 0.0),
                        .latency = weights.value("latency", 0.0),
                        .energy = weights.value("energy", 0.0)};
}

const OptionTable<MappingSettings>& mappingTable() {
    using Settings = MappingSettings;
    static const OptionTable<Settings> kTable{
        {"bandwidth", "--bandwidth BW", &Settings::bandwidth, Values::number(0, kInfinity, Measure::bytesPerSecond),
         "bandwidth that the sub-accelerators share; without it, the platform's"},
        {"bandwidth_definition", "--bandwidth-definition RULE", &Settings::definition,
         Values::word(cost::kBandwidthDefinitionNames.all()).forResearch(),
         "definition of a job's required bandwidth: that of all its bytes, or that of the published code's tiles"},
        {"variant", "--variant NAME", &Settings::variant, Values::word(cost::kVariantNames.all()).forResearch(),
         "cost model: without the published one's defects, or exactly as published"},
        {"group_size", "--group-size N", &Settings::groupSize, Values::whole(1, kMaxJobs),
         "jobs that are drawn from the workload; without it, as many as the workload says (100)"},
        {"job_seed", "--job-seed N", &Settings::jobSeed, Values::whole(0, kMaxSeed),
         "seed that jobs are drawn from the workload with; without it, the seed of the search"},
        {"bandwidth_bytes_per_cycle", "--bandwidth-bytes-per-cycle X", &Settings::bytesPerCycle,
         Values::number(0, kInfinity), "bandwidth that the cores of a job table share, bytes per cycle"},
        {"clock", "--clock HZ", &Settings::clock, Values::number(0, kInfinity, Measure::hertz),
         "clock of a job table's cycles; needed for seconds and samples/s"},
        {"algorithms", "--algorithm LIST", &Settings::algorithms,
         Values::words(idsOf<std::string_view>(mapping::algorithms())), "algorithms to run, separated by commas"},
        {"samples", "--samples N", &Settings::samples, Values::whole(1, kMaxSamples),
         "mappings that each algorithm may evaluate"},
        {"objective", "--objective NAME", &Settings::objective, Values::word(mapping::kObjectiveNames.all()),
         "objective to minimise or maximise"},
        {"weights", "--weight NAME=W", setWeights,
         Values::wordNumbers({"makespan", "latency", "energy"}, 0, kInfinity).byDefault(Json::object()),
         "share of a value in the objective 'weighted'; may be repeated"},
        {"pareto", "--pareto A,B", &Settings::front, Values::words(mapping::kObjectiveNames.all()),
         "two objectives whose Pareto front is also recorded"},
        {"settings", "--set ALGORITHM.SETTING=X", &Settings::settings,
         Values::wordNumbers({settingNames().begin(), settingNames().end()}, -kInfinity, kInfinity).forResearch(),
         "setting of an algorithm; may be repeated"},
        {"explored", "--explored N", &Settings::explored, Values::whole(0, kMaxExplored).forResearch(),
         "samples per algorithm stored for the search-space projection"},
        {"warm_start", "--warm-start RUN|FILE", &Settings::start,
         Values::document(warmStartIn).shapedAs(warmStartSchema),
         "starts from the mappings of a stored run, of a result or of a mapping in a file"},
        {"evaluate", "--evaluate FILE", &Settings::evaluated, Values::document(mappingIn).shapedAs(givenMappingSchema),
         "scores the mapping of a file, or the best of a result in it, instead of searching"},
    };
    return kTable;
}

Options optionsOf(const MappingSettings& settings) {
    Options options = settings;
    const std::size_t given = settings.front.size();
    if (given != 0 && given != 2)
        throw UsageError(fmt::format("a front has two objectives; {} {} given", given, given == 1 ? "is" : "are"));
    if (given == 2) options.pareto = std::pair(settings.front[0], settings.front[1]);
    return options;
}

/// Mappings to start from, and the problem that they were made for where that is another one.
struct WarmStart {
    std::vector<mapping::Mapping> mappings;
    std::optional<mapping::Problem> from = {};
};

/// The mappings of `warm_start`, transferred where they are of another problem.
WarmStart warmStart(const Json& given, const mapping::Problem& problem) {
    const JsonDocument document = documentOf(given, "the mappings to start from");
    const JsonNode root = document.root();
    const bool single = !root.has("mappings");
    if (!single) root.allowOnly({"problem", "mappings"});
    const std::optional<mapping::Problem> from =
        root.has("problem") ? std::optional(readProblem(root.at("problem"))) : std::nullopt;
    const mapping::Problem& of = from ? *from : problem;
    const bool isTransferred = from && *from != problem;
    WarmStart start;
    for (const JsonNode& node : single ? std::vector{root} : root.at("mappings").elements()) {
        mapping::Mapping mapping = readMapping(node, of.jobs.size(), of.cores.size());
        start.mappings.push_back(isTransferred ? mapping::transferred(mapping, *from, problem) : std::move(mapping));
    }
    if (isTransferred) start.from = from;
    return start;
}

/// What was transferred, and its objective value before any search.
std::string warmStartSentence(const WarmStart& start, const mapping::Problem& problem) {
    double min = kInfinity;
    for (const mapping::Mapping& mapping : start.mappings)
        min = std::min(min, mapping::evaluate(problem, mapping).makespan);
    const std::string count = formatCounted(start.mappings.size(), "given mapping", "given mappings");
    const std::string source =
        start.from
            ? fmt::format(" of {} on {}, each job taking core and priority of the job there that is most like it",
                          formatCounted(start.from->jobs.size(), "other job", "other jobs"),
                          formatCounted(start.from->cores.size(), "core", "cores"))
            : std::string();
    return fmt::format("The searches start from {}{}: without a search, {} makespan.", count, source,
                       cyclesText(problem, min));
}

/// What identifies jobs and cores: their names and work, in order.
std::string namesHash(const mapping::Problem& problem) {
    return sha256(Json{{"jobs", problem.jobs}, {"sub_accelerators", problem.cores}, {"macs", problem.macs}}.dump());
}

/// One mapping's values beside the bound, as a run of its own.
mapping::Result scored(const mapping::Problem& problem, mapping::Mapping mapping, const Options& options) {
    mapping::Result result;
    result.bound = mapping::lowerBound(problem, options.objective, options.weights);
    mapping::Run run;
    run.algorithm = "given";
    run.values = mapping::evaluate(problem, mapping);
    run.value = mapping::objectiveOf(run.values, options.objective, options.weights, result.bound);
    run.schedule = mapping::schedule(problem, mapping);
    run.mapping = std::move(mapping);
    run.gap = run.value / result.bound.objective - 1;
    run.optimal = run.value <= result.bound.objective * (1 + 1e-9);
    run.samples = 1;
    run.bestAfter = 1;
    run.endedBy = EndedBy::done;
    run.convergence = {{.samples = 1, .best = run.value, .mean = run.value, .spread = 0}};
    result.runs.push_back(std::move(run));
    return result;
}

/// Measured on one core of 2020: evaluating a job of a mapping, and what a search does around it.
constexpr double kSecondsPerJob = 40e-9;

}  // namespace

const std::vector<Parameter>& mappingParameters() {
    return mappingTable().parameters();
}

MappingSettings mappingSettings(const Study& study) {
    MappingSettings settings = mappingTable().of(study);
    settings.seed = study.seed.value_or(1);
    return settings;
}

Json warmStartOf(const Result& result) {
    const auto* outcome = result.outcome.as<MappingOutcome>();
    if (outcome == nullptr) throw UsageError("only a run of the mapping engine can be started from");
    Json json = {{"problem", problemJson(outcome->problem)}};
    Json& mappings = json["mappings"] = Json::array();
    for (const mapping::Run& run : outcome->result.runs) mappings.push_back(mappingJson(run.mapping));
    return json;
}

Study continuationOf(const Result& result) {
    Study study = result.study;
    study.parameters["warm_start"] = warmStartOf(result);
    if (!study.name.empty()) study.name += ", searched on";
    return study;
}

Json warmStartIn(const JsonDocument& file) {
    return file.root().has("schema") ? warmStartOf(readResult(file.root(), newStudy("mapping"))) : file.json();
}

Json mappingIn(const JsonDocument& file) {
    if (!file.root().has("schema")) return file.json();
    const Result result = readResult(file.root(), newStudy("mapping"));
    const auto* outcome = result.outcome.as<MappingOutcome>();
    const mapping::Run* best = outcome == nullptr ? nullptr : bestRun(*outcome);
    if (best == nullptr) file.root().at("schema").fail("the result of a mapping run");
    Json json = mappingJson(best->mapping);
    json["made_for"] = namesHash(outcome->problem);
    return json;
}

Result runMapping(const Study& study, const RunContext& context) {
    const MappingSettings settings = mappingSettings(study);
    Options options = optionsOf(settings);
    MappingInputs inputs = readMappingInputs(study, context);
    Result result;
    result.study = study;
    result.study.seed = options.seed;
    result.inputs = std::move(inputs.inputs);
    result.assumptions = std::move(inputs.assumptions);
    result.warnings = std::move(inputs.warnings);
    MappingOutcome& outcome = inputs.outcome;
    outcome.objective = options.objective;
    outcome.weights = options.weights;
    outcome.samples = options.samples;
    outcome.pareto = options.pareto;
    const mapping::Problem& problem = outcome.problem;
    if (!settings.start->is_null()) {
        WarmStart start = warmStart(*settings.start, problem);
        if (!start.mappings.empty()) result.assumptions.push_back(warmStartSentence(start, problem));
        options.warmStart = std::move(start.mappings);
    }
    if (const Json& given = *settings.evaluated; !given.is_null()) {
        if (given.contains("made_for") && given.at("made_for") != namesHash(problem))
            result.warnings.emplace_back(
                "The mapping that is scored was found for other jobs or sub-accelerators: job by job it says little "
                "about "
                "these.");
        const JsonDocument document = documentOf(given, "the mapping to evaluate");
        outcome.evaluated = true;
        outcome.samples = 1;
        outcome.result =
            scored(problem, readMapping(document.root(), problem.jobs.size(), problem.cores.size()), options);
    } else {
        mapping::SearchControl control{{RunControl(context)}};
        control.checkpoint = checkpointSink(context, result);
        if (const auto state = resumedState(context, result)) control.resume = state->json();
        FrontPoints front(outcome, options.algorithms);
        if (context.evaluated && options.pareto)
            control.front = [&](const std::string& algorithm, const std::vector<mapping::FrontPoint>& points) {
                if (explore::PointTable fresh = front.fresh(algorithm, points); fresh.size() > 0)
                    context.evaluated(std::move(fresh));
            };
        outcome.result = mapping::solve(problem, options, control);
    }
    addOnce(result.assumptions, outcome.result.assumptions);
    addOnce(result.warnings, outcome.result.warnings);
    // They stand in the result itself; a run that is read back has them there alone.
    outcome.result.assumptions.clear();
    outcome.result.warnings.clear();
    reportWarnings(context, result.warnings);
    result.outcome = std::move(outcome);
    return result;
}

Estimate estimateMapping(const Study& study) {
    Estimate estimate;
    std::optional<Options> options;
    std::optional<MappingInputs> inputs;
    const auto attempt = [&](const auto& work) {
        try {
            work();
        } catch (const std::exception& error) {
            estimate.problems.emplace_back(error.what());
        }
    };
    const MappingSettings settings = mappingSettings(study);
    attempt([&] { options = optionsOf(settings); });
    attempt([&] { inputs = readMappingInputs(study, {}); });
    if (options && inputs) {
        attempt([&] {
            if (!settings.start->is_null())
                options->warmStart = warmStart(*settings.start, inputs->outcome.problem).mappings;
        });
        attempt([&] {
            const mapping::Problem& problem = inputs->outcome.problem;
            if (!settings.evaluated->is_null())
                readMapping(documentOf(*settings.evaluated, "the mapping to evaluate").root(), problem.jobs.size(),
                            problem.cores.size());
        });
        for (std::string& problem : mapping::problems(*options, inputs->outcome.problem))
            estimate.problems.push_back(std::move(problem));
    }
    if (!estimate.problems.empty()) {
        estimate.text = estimate.problems.size() == 1
                            ? estimate.problems.front()
                            : fmt::format("{} things have to be put right first", estimate.problems.size());
        return estimate;
    }
    const mapping::Problem& problem = inputs->outcome.problem;
    const auto jobs = static_cast<double>(problem.jobs.size());
    const auto algorithms = static_cast<double>(options->algorithms.size());
    const std::string what = fmt::format("{} on {}", formatCounted(jobs, "job", "jobs"),
                                         formatCounted(problem.cores.size(), "sub-accelerator", "sub-accelerators"));
    if (!settings.evaluated->is_null()) {
        estimate.text = what + ", one mapping that is scored: less than a second";
        return estimate;
    }
    const std::string variants = variantsSentence(inputs->outcome);
    estimate.seconds = algorithms * static_cast<double>(options->samples) * jobs * kSecondsPerJob;
    estimate.text =
        fmt::format("{}, {} with {} each: {} on one core", what, formatCounted(algorithms, "algorithm", "algorithms"),
                    formatCounted(options->samples, "sample", "samples"), formatWait(estimate.seconds));
    if (!variants.empty()) estimate.text += ". " + variants;
    return estimate;
}

}  // namespace tessera::study
