#include "core/study/mapping/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/parallel.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/checkpoint.h"
#include "core/study/document_study.h"
#include "core/study/mapping/document.h"
#include "core/study/mapping/metrics.h"
#include "core/study/reading.h"

namespace tessera::study {

namespace {

using mapping::Objective;
using mapping::Options;

constexpr double kMaxSamples = 1e9;
constexpr double kMaxJobs = 100'000;
constexpr double kMaxExplored = 100'000;
constexpr double kMaxSeed = 9'007'199'254'740'992;  ///< whole numbers that JSON holds everywhere

std::vector<std::string_view> objectiveNames() {
    std::vector<std::string_view> names;
    for (const Objective objective : mapping::kObjectives) names.push_back(mapping::nameOf(objective));
    return names;
}

Objective objectiveNamed(const Json& json) {
    const auto& name = json.get_ref<const std::string&>();
    for (const Objective objective : mapping::kObjectives)
        if (mapping::nameOf(objective) == name) return objective;
    throw UsageError(fmt::format("{} is none of {}", inQuotes(name), fmt::join(objectiveNames(), ", ")));
}

std::vector<std::string_view> algorithmNames() {
    std::vector<std::string_view> names;
    for (const mapping::Algorithm& algorithm : mapping::algorithms()) names.push_back(algorithm.id);
    return names;
}

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

std::vector<Parameter> makeParameters() {
    using Kind = ParameterKind;
    return {
        {.name = "bandwidth",
         .option = "--bandwidth",
         .kind = Kind::number,
         .measure = Measure::bytesPerSecond,
         .fallback = "",
         .min = 0,
         .max = kInfinity,
         .words = {},
         .value = "BW",
         .help = "bandwidth that the sub-accelerators share; without it, the platform's"},
        {.name = "bandwidth_definition",
         .option = "--bandwidth-definition",
         .kind = Kind::word,
         .fallback = R"("streaming")",
         .words = {"streaming", "tile"},
         .value = "RULE",
         .help = "what bandwidth a job asks for: that of all its bytes, or that of the published code's tiles"},
        {.name = "variant",
         .option = "--variant",
         .kind = Kind::word,
         .fallback = R"("corrected")",
         .words = {"corrected", "published"},
         .value = "NAME",
         .help = "cost model: without the published one's defects, or exactly as published"},
        {.name = "group_size",
         .option = "--group-size",
         .kind = Kind::whole,
         .fallback = "",
         .min = 1,
         .max = kMaxJobs,
         .words = {},
         .value = "N",
         .help = "jobs that are drawn from the workload; without it, as many as the workload says (100)"},
        {.name = "job_seed",
         .option = "--job-seed",
         .kind = Kind::whole,
         .fallback = "",
         .min = 0,
         .max = kMaxSeed,
         .words = {},
         .value = "N",
         .help = "seed that jobs are drawn from the workload with; without it, the seed of the search"},
        {.name = "bandwidth_bytes_per_cycle",
         .option = "--bandwidth-bytes-per-cycle",
         .kind = Kind::number,
         .fallback = "",
         .min = 0,
         .max = kInfinity,
         .words = {},
         .value = "X",
         .help = "bandwidth that the cores of a job table share, bytes per cycle"},
        {.name = "clock",
         .option = "--clock",
         .kind = Kind::number,
         .measure = Measure::hertz,
         .fallback = "",
         .min = 0,
         .max = kInfinity,
         .words = {},
         .value = "HZ",
         .help = "clock of a job table's cycles: seconds and throughput are told with it only"},
        {.name = "algorithms",
         .option = "--algorithm",
         .kind = Kind::words,
         .fallback = R"(["tessera"])",
         .words = algorithmNames(),
         .value = "LIST",
         .help = "algorithms to race, separated by commas"},
        {.name = "samples",
         .option = "--samples",
         .kind = Kind::whole,
         .fallback = "10000",
         .min = 1,
         .max = kMaxSamples,
         .words = {},
         .value = "N",
         .help = "mappings that each algorithm may evaluate"},
        {.name = "objective",
         .option = "--objective",
         .kind = Kind::word,
         .fallback = R"("throughput")",
         .words = objectiveNames(),
         .value = "NAME",
         .help = "what is optimised"},
        {.name = "weights",
         .option = "--weight",
         .kind = Kind::wordNumbers,
         .fallback = "{}",
         .min = 0,
         .max = kInfinity,
         .words = {"makespan", "latency", "energy"},
         .value = "NAME=W",
         .help = "share of a value in the objective 'weighted'; may be repeated"},
        {.name = "pareto",
         .option = "--pareto",
         .kind = Kind::words,
         .fallback = "",
         .words = objectiveNames(),
         .value = "A,B",
         .help = "two objectives whose front is kept besides"},
        {.name = "settings",
         .option = "--set",
         .kind = Kind::wordNumbers,
         .fallback = "{}",
         .min = -kInfinity,
         .max = kInfinity,
         .words = {settingNames().begin(), settingNames().end()},
         .value = "ALGORITHM.SETTING=X",
         .help = "setting of an algorithm; may be repeated",
         .research = true},
        {.name = "explored",
         .option = "--explored",
         .kind = Kind::whole,
         .fallback = "1000",
         .min = 0,
         .max = kMaxExplored,
         .words = {},
         .value = "N",
         .help = "samples per algorithm that are kept",
         .research = true},
        {.name = "warm_start",
         .option = "--warm-start",
         .kind = Kind::document,
         .fallback = "",
         .words = {},
         .value = "RUN|FILE",
         .help = "starts from the mappings of a stored run, of a result or of a mapping in a file",
         .fromFile = warmStartIn},
        {.name = "evaluate",
         .option = "--evaluate",
         .kind = Kind::document,
         .fallback = "",
         .words = {},
         .value = "FILE",
         .help = "scores the mapping of a file, or the best of a result in it, instead of searching",
         .fromFile = mappingIn},
    };
}

/// Mappings to start from, and the problem that they were made for where that is another one.
struct WarmStart {
    std::vector<mapping::Mapping> mappings;
    std::optional<mapping::Problem> from = {};
};

/// The mappings of `warm_start`, adapted where they are of another problem.
WarmStart warmStart(const Json& given, const mapping::Problem& problem) {
    const JsonDocument document = documentOf(given, "the mappings to start from");
    const JsonNode root = document.root();
    const bool single = !root.has("mappings");
    if (!single) root.allowOnly({"problem", "mappings"});
    const std::optional<mapping::Problem> from =
        root.has("problem") ? std::optional(readProblem(root.at("problem"))) : std::nullopt;
    const mapping::Problem& of = from ? *from : problem;
    const bool isAdapted = from && *from != problem;
    WarmStart start;
    for (const JsonNode& node : single ? std::vector{root} : root.at("mappings").elements()) {
        mapping::Mapping mapping = readMapping(node, of.jobs.size(), of.cores.size());
        start.mappings.push_back(isAdapted ? mapping::adapted(mapping, *from, problem) : std::move(mapping));
    }
    if (isAdapted) start.from = from;
    return start;
}

/// What was transferred, and what it is worth before any search.
std::string warmStartSentence(const WarmStart& start, const mapping::Problem& problem) {
    double min = kInfinity;
    for (const mapping::Mapping& mapping : start.mappings)
        min = std::min(min, mapping::evaluate(problem, mapping).makespan);
    const std::string count =
        formatCounted(static_cast<double>(start.mappings.size()), "given mapping", "given mappings");
    const std::string source =
        start.from
            ? fmt::format(" of {} on {}, each job taking core and priority of the job there that is most like it",
                          formatCounted(static_cast<double>(start.from->jobs.size()), "other job", "other jobs"),
                          formatCounted(static_cast<double>(start.from->cores.size()), "core", "cores"))
            : std::string();
    return fmt::format("The searches start from {}{}: without a search, {} makespan.", count, source,
                       cyclesText(problem, min));
}

/// What tells jobs and cores from others: their names and work, in order.
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
    static const std::vector<Parameter> kParameters = makeParameters();
    return kParameters;
}

Options mappingOptions(const Study& study) {
    const Json given = completeParameters(study);
    Options options;
    options.algorithms = given.at("algorithms").get<std::vector<std::string>>();
    options.samples = given.at("samples").get<std::int64_t>();
    options.seed = study.seed.value_or(1);
    options.objective = objectiveNamed(given.at("objective"));
    if (const Json& weights = given.at("weights"); !weights.empty())
        options.weights = {.makespan = weights.value("makespan", 0.0),
                           .latency = weights.value("latency", 0.0),
                           .energy = weights.value("energy", 0.0)};
    if (given.contains("pareto")) {
        const Json& both = given.at("pareto");
        if (both.size() != 2)
            throw UsageError(
                fmt::format("a front has two objectives; {} {} given", both.size(), both.size() == 1 ? "is" : "are"));
        options.pareto = std::pair(objectiveNamed(both[0]), objectiveNamed(both[1]));
    }
    for (const auto& [name, value] : given.at("settings").items()) options.settings[name] = value.get<double>();
    options.explored = given.at("explored").get<std::size_t>();
    return options;
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

Result runMapping(const Study& study, const RunHooks& hooks) {
    Options options = mappingOptions(study);
    MappingInputs inputs = readMappingInputs(study, hooks);
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
    if (const auto given = study.parameters->find("warm_start"); given != study.parameters->end()) {
        WarmStart start = warmStart(*given, problem);
        if (!start.mappings.empty()) result.assumptions.push_back(warmStartSentence(start, problem));
        options.warmStart = std::move(start.mappings);
    }
    if (const auto given = study.parameters->find("evaluate"); given != study.parameters->end()) {
        if (given->contains("made_for") && given->at("made_for") != namesHash(problem))
            result.warnings.emplace_back(
                "The mapping that is scored was found for other jobs or sub-accelerators: job by job it says little "
                "about "
                "these.");
        const JsonDocument document = documentOf(*given, "the mapping to evaluate");
        outcome.evaluated = true;
        outcome.samples = 1;
        outcome.result =
            scored(problem, readMapping(document.root(), problem.jobs.size(), problem.cores.size()), options);
    } else {
        mapping::Hooks engineHooks{hooks};
        engineHooks.checkpoint = checkpointSink(hooks, result);
        if (const auto state = resumedState(hooks, result)) engineHooks.resume = state->json();
        outcome.result = mapping::solve(problem, options, std::move(engineHooks));
    }
    addOnce(result.assumptions, outcome.result.assumptions);
    addOnce(result.warnings, outcome.result.warnings);
    // They stand in the result itself; a run that is read back has them there alone.
    outcome.result.assumptions.clear();
    outcome.result.warnings.clear();
    reportWarnings(hooks, result.warnings);
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
    attempt([&] { options = mappingOptions(study); });
    attempt([&] { inputs = readMappingInputs(study, {}); });
    if (options && inputs) {
        attempt([&] {
            if (const auto given = study.parameters->find("warm_start"); given != study.parameters->end())
                options->warmStart = warmStart(*given, inputs->outcome.problem).mappings;
        });
        attempt([&] {
            const mapping::Problem& problem = inputs->outcome.problem;
            if (const auto given = study.parameters->find("evaluate"); given != study.parameters->end())
                readMapping(documentOf(*given, "the mapping to evaluate").root(), problem.jobs.size(),
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
    const std::string what =
        fmt::format("{} on {}", formatCounted(jobs, "job", "jobs"),
                    formatCounted(static_cast<double>(problem.cores.size()), "sub-accelerator", "sub-accelerators"));
    if (study.parameters->contains("evaluate")) {
        estimate.text = what + ", one mapping that is scored: less than a second";
        return estimate;
    }
    const std::string variants = variantsSentence(inputs->outcome);
    estimate.seconds = algorithms * static_cast<double>(options->samples) * jobs * kSecondsPerJob;
    estimate.text = fmt::format(
        "{}, {} with {} each: {} on one core", what, formatCounted(algorithms, "algorithm", "algorithms"),
        formatCounted(static_cast<double>(options->samples), "sample", "samples"), formatWait(estimate.seconds));
    if (!variants.empty()) estimate.text += ". " + variants;
    return estimate;
}

}  // namespace tessera::study
