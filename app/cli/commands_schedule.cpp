#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "app/cli/command.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/poll.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/codesign/schedule/schedule.h"
#include "core/draw/table.h"
#include "core/study/result.h"

namespace tessera::cli {

namespace {

struct Options {
    std::string operators;
    std::string tensorCores, vectorCores;
    std::string method = "exact";
    std::string timeLimit = "60s";
    std::string nodeLimit;
};

/// Everything that the command shows.
struct Scheduled {
    const Options& options;
    codesign::OperatorGraph graph;
    codesign::Cores cores;
    std::vector<study::Input> inputs;
    codesign::ScheduleResult result = {};

    /// What the makespan may be above the optimum, as a share of it.
    double gap() const {
        const double makespan = result.schedule.makespan;
        return makespan > 0 ? (makespan - result.lowerBound) / makespan : 0;
    }
    /// What it is below running one operator after the other, as a share of that.
    double gain() const {
        return result.serial > 0 ? std::max(0.0, (result.serial - result.schedule.makespan) / result.serial) : 0;
    }
};

std::int64_t coresOf(const std::string& option, const std::string& text, const std::optional<std::int64_t>& inFile,
                     const std::string& field) {
    if (!text.empty()) return wholeOf(option, text, 1, codesign::kMostCores);
    if (!inFile) throw UsageError(fmt::format("option {} is missing, and the file has no '{}'", option, field));
    return *inFile;
}

std::chrono::milliseconds timeOf(const std::string& text) {
    constexpr double kLongest = 1e6;
    const std::optional<double> seconds = parseQuantity(text, Measure::seconds);
    if (!seconds || !(*seconds >= 1e-3) || *seconds > kLongest)
        throw UsageError(
            fmt::format("option '--time-limit' is {}; expected a time from 1ms to 1000000s", inQuotes(text)));
    return std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1e3));
}

void checkMethod(const std::string& name) {
    std::vector<std::string> names;
    for (const codesign::ScheduleMethod& method : codesign::scheduleMethods()) names.emplace_back(method.name);
    if (std::find(names.begin(), names.end(), name) == names.end())
        throw UsageError(
            fmt::format("option '--method' is {}; expected one of {}", inQuotes(name), joined(names, ", ")));
}

Scheduled scheduleAll(const Options& options, Context& context) {
    checkMethod(options.method);
    codesign::ScheduleOptions how;
    how.method = options.method;
    how.time = timeOf(options.timeLimit);
    if (!options.nodeLimit.empty())
        how.nodes = wholeOf("--node-limit", options.nodeLimit, 1, std::numeric_limits<std::int32_t>::max());
    const JsonDocument document = codesign::loadOperators(options.operators);
    Scheduled made{.options = options,
                   .graph = codesign::readOperators(document),
                   .cores = {},
                   .inputs = {{options.operators, sha256(document.text())}}};
    made.cores = {coresOf("--tensor-cores", options.tensorCores, made.graph.tensorCores, "num_tc"),
                  coresOf("--vector-cores", options.vectorCores, made.graph.vectorCores, "num_vc")};
    made.result = codesign::scheduleOperators(made.graph, made.cores, how,
                                              {.progress = context.console.sink(), .finish = context.stop});
    return made;
}

std::vector<std::string> assumptionsOf(const Scheduled& made) {
    std::vector<std::string> assumptions{
        "An operator runs on one core of its kind, or on all cores with nothing beside it, and is never interrupted.",
        "A fused operator on one core holds tensor core c and vector core c.",
        "Moving data between operators is part of their latencies."};
    if (made.options.method == "ilp")
        assumptions.emplace_back("CBC calls a solution optimal within its tolerances; the schedule's times are exact.");
    return assumptions;
}

std::vector<std::string> warningsOf(const Scheduled& made) {
    std::vector<std::string> warnings;
    const auto& [options, graph, cores, inputs, result] = made;
    const auto differs = [](const std::optional<std::int64_t>& inFile, std::int64_t chosen) {
        return inFile && *inFile != chosen;
    };
    if (differs(graph.tensorCores, cores.tensor) || differs(graph.vectorCores, cores.vector))
        warnings.emplace_back("The latencies on all cores were estimated for other numbers of cores.");
    return warnings;
}

Json number(double value) {
    const auto whole = static_cast<std::int64_t>(value);
    if (value == static_cast<double>(whole)) return whole;
    return value;
}

Json coreJson(const std::optional<std::int64_t>& core) {
    return core ? Json(*core) : Json(nullptr);
}

Json jsonOf(const Scheduled& made) {
    const codesign::ScheduleResult& result = made.result;
    Json json = study::documentHead("tessera.schedule-result/1", "schedule", made.inputs);
    json["name"] = made.graph.name;
    json["method"] = made.options.method;
    json["tensor_cores"] = made.cores.tensor;
    json["vector_cores"] = made.cores.vector;
    json["makespan"] = number(result.schedule.makespan);
    json["lower_bound"] = number(result.lowerBound);
    json["gap"] = made.gap();
    json["optimal"] = result.optimal;
    json["ended_by"] = codesign::nameOf(result.ended);
    json["nodes"] = result.nodes;
    json["serial_makespan"] = number(result.serial);
    json["gain_over_serial"] = made.gain();
    Json& rows = json["operators"] = Json::array();
    for (std::size_t i = 0; i < made.graph.operators.size(); ++i) {
        const codesign::Operator& each = made.graph.operators[i];
        const codesign::Placed& placed = result.schedule.operators[i];
        rows.push_back({{"id", each.id},
                        {"name", each.name},
                        {"type", codesign::nameOf(each.kind)},
                        {"start", number(placed.start)},
                        {"finish", number(placed.finish)},
                        {"all_cores", placed.allCores},
                        {"tensor_core", coreJson(placed.tensorCore)},
                        {"vector_core", coreJson(placed.vectorCore)}});
    }
    study::finishDocument(json, assumptionsOf(made), warningsOf(made));
    return json;
}

std::string coresText(const codesign::Placed& placed) {
    if (placed.allCores) return "all";
    if (placed.tensorCore && placed.vectorCore) return fmt::format("pair {}", *placed.tensorCore);
    return placed.tensorCore ? fmt::format("tensor {}", *placed.tensorCore)
                             : fmt::format("vector {}", placed.vectorCore.value_or(0));
}

std::string textOf(const Scheduled& made) {
    const codesign::ScheduleResult& result = made.result;
    const std::string certainty =
        result.optimal ? "optimal"
                       : fmt::format("at least {}, gap {:.1f} %", exactNumber(result.lowerBound), 100 * made.gap());
    std::string text = fmt::format("{} · {} · {:.2f} % below {} in a row\n\n", exactNumber(result.schedule.makespan),
                                   certainty, 100 * made.gain(), exactNumber(result.serial));
    text += fmt::format("{} on {}, {}; method {}, ended by {}\n\n",
                        made.graph.name.empty() ? "operators" : escaped(made.graph.name),
                        formatCounted(static_cast<double>(made.cores.tensor), "tensor core", "tensor cores"),
                        formatCounted(static_cast<double>(made.cores.vector), "vector core", "vector cores"),
                        made.options.method, codesign::nameOf(result.ended));
    std::vector<std::size_t> order(made.graph.operators.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const codesign::Placed &x = result.schedule.operators[a], &y = result.schedule.operators[b];
        return std::tuple(x.start, x.finish, a) < std::tuple(y.start, y.finish, b);
    });
    report::Table table;
    table.columns = {{"id", true}, {"operator"}, {"type"}, {"start", true}, {"finish", true}, {"cores"}};
    for (const std::size_t i : order) {
        const codesign::Operator& each = made.graph.operators[i];
        const codesign::Placed& placed = result.schedule.operators[i];
        table.rows.push_back({fmt::format("{}", each.id), each.name, std::string(codesign::nameOf(each.kind)),
                              exactNumber(placed.start), exactNumber(placed.finish), coresText(placed)});
    }
    return text + report::toText(table);
}

}  // namespace

Action addSchedule(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    addInput(app, "--operators", options->operators, "FILE", "operators with latencies and edges, or a bundled list")
        ->required();
    addText(app, "--tensor-cores", options->tensorCores, "N", "tensor cores (default: the file's num_tc)");
    addText(app, "--vector-cores", options->vectorCores, "N", "vector cores (default: the file's num_vc)");
    addText(app, "--method", options->method, "METHOD", "exact, ilp (needs CBC) or list (default exact)");
    addText(app, "--time-limit", options->timeLimit, "TIME", "ends the search with the best so far (default 60s)");
    addText(app, "--node-limit", options->nodeLimit, "N", "states (of ilp: nodes) to look at, the repeatable limit");
    return [options](Context& context) {
        const Scheduled made = [&] {
            const PollScope scope([&] {
                if (context.stop.stop_requested()) throw InterruptedError("the scheduling was stopped");
            });
            return scheduleAll(*options, context);
        }();
        context.console.endProgress();
        context.console.warn(warningsOf(made));
        if (context.common.json)
            context.console.printJson(jsonOf(made));
        else
            context.console.print(textOf(made));
        if (made.result.ended == codesign::Ended::stop)
            throw InterruptedError("the scheduling was stopped; the best schedule so far is printed");
    };
}

}  // namespace tessera::cli
