#include "core/study/schedule/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/option_table.h"
#include "core/study/reading.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

constexpr double kShortestTime = 1e-3, kLongestTime = 1e6;  // seconds

/// What a study's parameters mean: the engine's options, and the cores.
struct Settings : codesign::ScheduleOptions {
    std::optional<std::int64_t> tensorCores = {}, vectorCores = {};  ///< none: the file's
};

void setTime(Settings& settings, const Json& seconds) {
    settings.time = std::chrono::milliseconds(static_cast<std::int64_t>(seconds.get<double>() * 1e3));
}

const OptionTable<Settings>& scheduleTable() {
    constexpr auto kMaxOfKind = static_cast<double>(codesign::kMaxCores);
    static const OptionTable<Settings> kTable{
        {"tensor_cores", "--tensor-cores N", &Settings::tensorCores, Values::whole(1, kMaxOfKind),
         "tensor cores; without it, the file's num_tc"},
        {"vector_cores", "--vector-cores N", &Settings::vectorCores, Values::whole(1, kMaxOfKind),
         "vector cores; without it, the file's num_vc"},
        {"method", "--method METHOD", &Settings::method,
         Values::word(idsOf<std::string_view>(codesign::scheduleMethods())),
         "exact search, the paper's integer linear program (needs CBC), or list scheduling"},
        {"time_limit", "--time-limit TIME", setTime,
         Values::number(kShortestTime, kLongestTime, Measure::seconds).byDefault(60),
         "ends the search with the best so far"},
        {"node_limit", "--node-limit N", &Settings::nodes, Values::whole(1, std::numeric_limits<std::int32_t>::max()),
         "search-node limit (ilp: branch-and-bound nodes); deterministic, unlike --time-limit"},
    };
    return kTable;
}

/// What a study of it rests on.
struct Inputs {
    codesign::OperatorGraph graph;
    codesign::Cores cores;
    Settings options;
    std::vector<Input> inputs;
};

std::int64_t coresOf(const std::optional<std::int64_t>& given, const std::optional<std::int64_t>& inFile,
                     std::string_view option, std::string_view field) {
    if (given || inFile) return given ? *given : *inFile;
    throw UsageError(fmt::format("option {} is missing, and the file has no '{}'", option, field));
}

Inputs readInputs(const Study& study, const RunContext& context) {
    if (study.workloads.size() != 1) throw UsageError("a scheduling study takes exactly one list of operators");
    Inputs inputs;
    inputs.options = scheduleTable().of(study);
    const Reading reading(context, "reading the operators", "the scheduling");
    const std::string& name = study.workloads.front();
    const JsonDocument document = JsonDocument::load(codesign::operatorsPath(placeOfInput(name)));
    inputs.graph = codesign::readOperators(document);
    inputs.inputs = {{name, sha256(document.text())}};
    inputs.cores = {
        .tensor = coresOf(inputs.options.tensorCores, inputs.graph.tensorCores, "--tensor-cores", "num_tc"),
        .vector = coresOf(inputs.options.vectorCores, inputs.graph.vectorCores, "--vector-cores", "num_vc")};
    return inputs;
}

std::vector<std::string> assumptionsOf(const Inputs& inputs) {
    std::vector<std::string> assumptions{
        "An operator runs on one core of its kind, or on all cores with nothing beside it, and is never interrupted.",
        "A fused operator on one core holds tensor core c and vector core c.",
        "Moving data between operators is part of their latencies."};
    if (inputs.options.method == "ilp")
        assumptions.emplace_back("CBC calls a solution optimal within its tolerances; the schedule's times are exact.");
    return assumptions;
}

std::vector<std::string> warningsOf(const Inputs& inputs) {
    const auto differs = [](const std::optional<std::int64_t>& inFile, std::int64_t chosen) {
        return inFile && *inFile != chosen;
    };
    if (differs(inputs.graph.tensorCores, inputs.cores.tensor) ||
        differs(inputs.graph.vectorCores, inputs.cores.vector))
        return {"The latencies on all cores were estimated for other numbers of cores."};
    return {};
}

}  // namespace

double ScheduleOutcome::gap() const {
    const double makespan = result.schedule.makespan;
    return makespan > 0 ? (makespan - result.lowerBound) / makespan : 0;
}

double ScheduleOutcome::gain() const {
    return result.serial > 0 ? std::max(0.0, (result.serial - result.schedule.makespan) / result.serial) : 0;
}

const std::vector<Parameter>& scheduleParameters() {
    return scheduleTable().parameters();
}

Result runSchedule(const Study& study, const RunContext& context) {
    Inputs inputs = readInputs(study, context);
    Result result;
    result.study = study;
    result.inputs = std::move(inputs.inputs);
    result.assumptions = assumptionsOf(inputs);
    result.warnings = warningsOf(inputs);
    reportWarnings(context, result.warnings);
    ScheduleOutcome outcome{.layer = std::move(inputs.graph.name),
                            .method = inputs.options.method,
                            .cores = inputs.cores,
                            .operators = {},
                            .result = {}};
    {
        // Both requests end the search; what it found counts where it was to finish.
        const Reading searching(context, "scheduling", "the scheduling");
        const EitherStop end(context);
        outcome.result = codesign::scheduleOperators(inputs.graph, inputs.cores, inputs.options,
                                                     {.progress = context.progress, .finish = end.token()});
        searching.check();
    }
    outcome.operators = std::move(inputs.graph.operators);
    for (codesign::Operator& each : outcome.operators) each.latency = each.allCoresLatency = 0;
    result.outcome = std::move(outcome);
    return result;
}

Estimate estimateSchedule(const Study& study) {
    const Inputs inputs = readInputs(study, {});
    const bool searches = inputs.options.method != "list";
    const double limit = static_cast<double>(inputs.options.time.count()) / 1e3;
    return {.text = fmt::format("{} on {} and {}: {}{}",
                                formatCounted(inputs.graph.operators.size(), "operator", "operators"),
                                formatCounted(inputs.cores.tensor, "tensor core", "tensor cores"),
                                formatCounted(inputs.cores.vector, "vector core", "vector cores"),
                                searches ? "at most " : "", formatWait(searches ? limit : 0)),
            .seconds = searches ? limit : kShortestTime,
            .problems = {}};
}

}  // namespace tessera::study
