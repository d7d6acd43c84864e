#include "core/study/schedule/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <utility>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/names.h"
#include "core/study/reading.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

constexpr double kShortestTime = 1e-3, kLongestTime = 1e6;  // seconds

/// What a study of it rests on.
struct Inputs {
    codesign::OperatorGraph graph;
    codesign::Cores cores;
    codesign::ScheduleOptions options;
    std::vector<Input> inputs;
};

std::int64_t coresOf(const Study& study, const char* parameter, const std::optional<std::int64_t>& inFile,
                     const char* field) {
    if (const auto given = study.parameters->find(parameter); given != study.parameters->end())
        return given->get<std::int64_t>();
    if (inFile) return *inFile;
    throw UsageError(fmt::format("option {} is missing, and the file has no '{}'",
                                 findParameter(scheduleParameters(), parameter)->option, field));
}

Inputs readInputs(const Study& study, const RunHooks& hooks) {
    if (study.workloads.size() != 1) throw UsageError("a scheduling study takes exactly one list of operators");
    const Json given = completeParameters(study);
    Inputs inputs;
    inputs.options.method = given.at("method").get<std::string>();
    inputs.options.time =
        std::chrono::milliseconds(static_cast<std::int64_t>(given.at("time_limit").get<double>() * 1e3));
    if (const auto nodes = given.find("node_limit"); nodes != given.end())
        inputs.options.nodes = nodes->get<std::int64_t>();
    const Reading reading(hooks, "reading the operators", "the scheduling");
    const std::string& name = study.workloads.front();
    const JsonDocument document = codesign::loadOperators(hooks.located(name));
    inputs.graph = codesign::readOperators(document);
    inputs.inputs = {{name, sha256(document.text())}};
    inputs.cores = {.tensor = coresOf(study, "tensor_cores", inputs.graph.tensorCores, "num_tc"),
                    .vector = coresOf(study, "vector_cores", inputs.graph.vectorCores, "num_vc")};
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
    using Kind = ParameterKind;
    static const std::vector<Parameter> kParameters{
        {.name = "tensor_cores",
         .option = "--tensor-cores",
         .kind = Kind::whole,
         .fallback = "",
         .min = 1,
         .max = static_cast<double>(codesign::kMaxCores),
         .words = {},
         .value = "N",
         .help = "tensor cores; without it, the file's num_tc"},
        {.name = "vector_cores",
         .option = "--vector-cores",
         .kind = Kind::whole,
         .fallback = "",
         .min = 1,
         .max = static_cast<double>(codesign::kMaxCores),
         .words = {},
         .value = "N",
         .help = "vector cores; without it, the file's num_vc"},
        {.name = "method",
         .option = "--method",
         .kind = Kind::word,
         .fallback = R"("exact")",
         .words = namesOf(codesign::scheduleMethods()),
         .value = "METHOD",
         .help = "exact search, the paper's integer linear program (needs CBC), or list scheduling"},
        {.name = "time_limit",
         .option = "--time-limit",
         .kind = Kind::number,
         .measure = Measure::seconds,
         .fallback = "60",
         .min = kShortestTime,
         .max = kLongestTime,
         .words = {},
         .value = "TIME",
         .help = "ends the search with the best so far"},
        {.name = "node_limit",
         .option = "--node-limit",
         .kind = Kind::whole,
         .fallback = "",
         .min = 1,
         .max = std::numeric_limits<std::int32_t>::max(),
         .words = {},
         .value = "N",
         .help = "states (of ilp: nodes) to look at, the repeatable limit"},
    };
    return kParameters;
}

Result runSchedule(const Study& study, const RunHooks& hooks) {
    Inputs inputs = readInputs(study, hooks);
    Result result;
    result.study = study;
    result.inputs = std::move(inputs.inputs);
    result.assumptions = assumptionsOf(inputs);
    result.warnings = warningsOf(inputs);
    reportWarnings(hooks, result.warnings);
    ScheduleOutcome outcome{.layer = std::move(inputs.graph.name),
                            .method = inputs.options.method,
                            .cores = inputs.cores,
                            .operators = {},
                            .result = {}};
    {
        // Both requests end the search; what it found counts where it was to finish.
        const Reading searching(hooks, "scheduling", "the scheduling");
        std::stop_source end;
        const auto request = [&end] { end.request_stop(); };
        const std::stop_callback cancelled(hooks.cancel, request), finished(hooks.finish, request);
        outcome.result = codesign::scheduleOperators(inputs.graph, inputs.cores, inputs.options,
                                                     {.progress = hooks.progress, .finish = end.get_token()});
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
    return {
        .text = fmt::format("{} on {} and {}: {}{}",
                            formatCounted(static_cast<double>(inputs.graph.operators.size()), "operator", "operators"),
                            formatCounted(static_cast<double>(inputs.cores.tensor), "tensor core", "tensor cores"),
                            formatCounted(static_cast<double>(inputs.cores.vector), "vector core", "vector cores"),
                            searches ? "at most " : "", formatWait(searches ? limit : 0)),
        .seconds = searches ? limit : kShortestTime,
        .problems = {}};
}

}  // namespace tessera::study
