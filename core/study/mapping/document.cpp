#include "core/study/mapping/document.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>

#include "core/study/document_study.h"
#include "core/study/json_writer.h"
#include "core/study/mapping/outcome.h"
#include "core/study/provenance.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

using mapping::Objective;
using mapping::Run;

constexpr const char* kSchema = "tessera.mapping-result/1";
constexpr std::size_t kLongestName = 1'000'000;
constexpr std::size_t kMaxRows = 10'000'000;

void put(Json& json, const char* key, std::optional<double> value) {
    if (value) json[key] = *value;
}

std::optional<double> numberAt(const JsonNode& node, const char* key) {
    return node.has(key) ? std::optional(node.at(key).number()) : std::nullopt;
}

/// JSON has no infinities: what a curve does not know is null.
double numberOrUnknown(const JsonNode& node) {
    return node.isNull() ? std::numeric_limits<double>::quiet_NaN() : node.number();
}

std::vector<double> numbers(const JsonNode& node, std::size_t expected) {
    std::vector<double> list;
    for (const JsonNode& number : node.elements(kMaxRows)) list.push_back(number.number());
    if (list.size() != expected)
        node.fail(fmt::format("{} numbers", expected), fmt::format("a list of {}", list.size()));
    return list;
}

Json valuesJson(const mapping::Problem& problem, const mapping::Values& values) {
    Json json = {{"makespan_cycles", values.makespan}};
    if (const auto seconds = secondsOf(problem, values.makespan)) json["makespan_s"] = seconds->value;
    if (const auto rate = throughputOf(problem, values)) json["throughput_flops"] = rate->value;
    json["mean_finish_cycles"] = values.latency;
    put(json, "energy_j", values.energy);
    return json;
}

mapping::Values readValues(const JsonNode& node) {
    mapping::Values values;
    values.makespan = node.at("makespan_cycles").number();
    values.latency = node.at("mean_finish_cycles").number();
    values.energy = numberAt(node, "energy_j");
    return values;
}

Json boundJson(const mapping::Bound& bound) {
    return {{"longest_job_cycles", bound.longestJob},
            {"load_cycles", bound.load},
            {"bandwidth_cycles", bound.bandwidth},
            {"combined_cycles", bound.combined},
            {"makespan_cycles", bound.makespan},
            {"mean_finish_cycles", bound.latency},
            {"energy_j", bound.energy},
            {"objective", bound.objective},
            {"method", bound.method}};
}

mapping::Bound readBound(const JsonNode& node) {
    mapping::Bound bound;
    bound.longestJob = node.at("longest_job_cycles").number();
    bound.load = node.at("load_cycles").number();
    bound.bandwidth = node.at("bandwidth_cycles").number();
    bound.combined = node.at("combined_cycles").number();
    bound.makespan = node.at("makespan_cycles").number();
    bound.latency = node.at("mean_finish_cycles").number();
    bound.energy = node.at("energy_j").number();
    bound.objective = node.at("objective").number();
    bound.method = node.at("method").text(kLongestName);
    return bound;
}

Json coreJson(const CoreNumbers& core, std::size_t number) {
    Json json = {{"index", number}, {"name", core.name}};
    if (!core.dataflow.empty()) json["dataflow"] = core.dataflow;
    if (core.height > 0) json["height"] = core.height;
    if (core.width > 0) json["width"] = core.width;
    if (core.flexible) json["flexible"] = true;
    if (core.local.value > 0) json["local_bytes"] = core.local.value;
    if (core.shared.value > 0) json["shared_bytes"] = core.shared.value;
    if (core.clock) json["clock_hz"] = core.clock->value;
    if (!core.sources.empty()) json["sources"] = sourcesJson(core.sources);
    return json;
}

CoreNumbers readCore(const JsonNode& node) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    CoreNumbers core;
    core.name = node.at("name").text(kLongestName);
    if (node.has("dataflow")) core.dataflow = node.at("dataflow").text(kLongestName);
    core.height = node.wholeOr("height", 0, 0, kMax);
    core.width = node.wholeOr("width", 0, 0, kMax);
    core.flexible = node.has("flexible") && node.at("flexible").boolean();
    core.local.value = numberAt(node, "local_bytes").value_or(0);
    core.shared.value = numberAt(node, "shared_bytes").value_or(0);
    if (node.has("clock_hz")) core.clock = Hertz{node.at("clock_hz").positive()};
    if (node.has("sources")) core.sources = readSources(node.at("sources"));
    return core;
}

/// The fields of a run before its lists.
Json runHead(const MappingOutcome& outcome, const Run& run) {
    Json json = {{"algorithm", run.algorithm}, {"samples", run.samples}};
    json.update(valuesJson(outcome.problem, run.values));
    json["value"] = run.value;
    json["lower_bound_cycles"] = outcome.result.bound.makespan;
    json["gap"] = run.gap;
    json["optimal"] = run.optimal;
    json["best_after_samples"] = run.bestAfter;
    json["ended_by"] = nameOf(run.endedBy);
    return json;
}

Json frontJson(const MappingOutcome& outcome, const mapping::FrontPoint& point) {
    Json json = valuesJson(outcome.problem, point.values);
    json["first"] = point.first;
    json["second"] = point.second;
    json["mapping"] = mappingJson(point.mapping);
    return json;
}

class MappingWriter {
public:
    MappingWriter(const MappingOutcome& outcome, const TextSink& write) : outcome_(outcome), writer_(write) {
        names_.reserve(outcome.problem.jobs.size());
        for (const std::string& name : outcome.problem.jobs) names_.emplace_back(name);
    }

    void write(const Result& result) {
        writer_.open('{');
        head(result);
        if (const Run* best = bestRun(outcome_)) put(*best);
        writer_.key("runs");
        writer_.open('[');
        for (const Run& run : outcome_.result.runs) {
            writer_.entry();
            writer_.open('{');
            put(run);
            writer_.close('}');
        }
        writer_.close(']');
        writer_.key("bound");
        writer_.value(boundJson(outcome_.result.bound));
        writer_.key("problem");
        writer_.value(problemJson(outcome_.problem));
        Json tail = Json::object();
        finishDocument(tail, result.assumptions, result.warnings);
        writer_.members(tail);
        writer_.close('}');
        writer_.end();
    }

private:
    void head(const Result& result) {
        Json json = documentHead(kSchema, "map", result.inputs, result.study.seed);
        json["tool_version"] = result.version;
        if (!result.study.name.empty()) json["name"] = result.study.name;
        if (!outcome_.platform.empty()) json["platform"] = outcome_.platform;
        if (!outcome_.workload.empty()) json["workload"] = outcome_.workload;
        if (!outcome_.jobTable.empty()) json["job_table"] = outcome_.jobTable;
        if (!outcome_.variant.empty()) json["variant"] = outcome_.variant;
        if (!outcome_.bandwidthDefinition.empty()) json["bandwidth_definition"] = outcome_.bandwidthDefinition;
        if (!outcome_.variant.empty()) json["differing_rows"] = outcome_.differingRows;
        json["objective"] = mapping::nameOf(outcome_.objective);
        if (outcome_.objective == Objective::weighted)
            json["weights"] = {{"makespan", outcome_.weights.makespan},
                               {"latency", outcome_.weights.latency},
                               {"energy", outcome_.weights.energy}};
        if (outcome_.pareto)
            json["pareto"] = {mapping::nameOf(outcome_.pareto->first), mapping::nameOf(outcome_.pareto->second)};
        json["samples_allowed"] = outcome_.samples;
        if (outcome_.evaluated) json["evaluated"] = true;
        json["parameters"] = *result.study.parameters;
        Json& cores = json["sub_accelerators"] = Json::array();
        for (std::size_t core = 0; core < outcome_.cores.size(); ++core)
            cores.push_back(coreJson(outcome_.cores[core], core));
        if (!outcome_.jobModels.empty()) json["job_models"] = outcome_.jobModels;
        if (!outcome_.jobKinds.empty()) json["job_kinds"] = outcome_.jobKinds;
        writer_.members(json);
    }

    void put(const Run& run) {
        writer_.members(runHead(outcome_, run));
        list("jobs", run.schedule.jobs, [&](const mapping::Schedule::Job& job) {
            const auto number = static_cast<std::size_t>(&job - run.schedule.jobs.data());
            count("index", static_cast<std::int64_t>(number));
            field("name", names_.at(number));
            count("sub_accelerator", job.core);
            count("order", job.order);
            field("start_cycles", job.start);
            field("finish_cycles", job.finish);
            field("priority", run.mapping.priority.at(number));
        });
        list("bandwidth", run.schedule.bandwidth, [&](const mapping::Schedule::Step& step) {
            field("time_cycles", step.time);
            writer_.key("per_sub_accelerator");
            writer_.open('[');
            for (const double bytes : step.bytes) {
                writer_.entry();
                writer_.value(bytes);
            }
            writer_.close(']');
        });
        list("convergence", run.convergence, [&](const mapping::ConvergencePoint& point) {
            count("samples", point.samples);
            field("best", point.best);
            field("mean", point.mean);
            field("spread", point.spread);
        });
        if (!run.explored.empty())
            list("explored", run.explored, [&](const mapping::ExploredPoint& point) {
                count("sample", point.sample);
                field("x", point.x);
                field("y", point.y);
                field("value", point.value);
            });
        if (!run.front.empty())
            list("front", run.front,
                 [&](const mapping::FrontPoint& point) { writer_.members(frontJson(outcome_, point)); });
    }

    template <typename Row, typename Fields>
    void list(std::string_view key, const std::vector<Row>& rows, const Fields& fields) {
        writer_.key(key);
        writer_.open('[');
        for (const Row& row : rows) {
            writer_.entry();
            writer_.open('{');
            fields(row);
            writer_.close('}');
        }
        writer_.close(']');
    }
    template <typename Value>
    void field(std::string_view key, const Value& value) {
        writer_.key(key);
        writer_.value(value);
    }
    void count(std::string_view key, std::int64_t value) { field(key, Json(value)); }

    const MappingOutcome& outcome_;
    JsonWriter writer_;
    std::vector<Quoted> names_;
};

/// Reads what `MappingWriter::put` wrote.
Run readRun(const JsonNode& node, const mapping::Problem& problem) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    const auto jobs = static_cast<std::int64_t>(problem.jobs.size());
    const auto cores = static_cast<std::int64_t>(problem.cores.size());
    Run run;
    run.algorithm = node.at("algorithm").text();
    run.samples = node.at("samples").whole(0, kMax);
    run.values = readValues(node);
    run.value = node.at("value").number();
    run.gap = numberOrUnknown(node.at("gap"));
    run.optimal = node.at("optimal").boolean();
    run.bestAfter = node.at("best_after_samples").whole(0, kMax);
    run.endedBy = readEndedBy(node.at("ended_by"));
    run.schedule.makespan = run.values.makespan;
    for (const JsonNode& row : node.at("jobs").elements(kMaxRows)) {
        mapping::Schedule::Job job;
        job.core = static_cast<std::int32_t>(row.at("sub_accelerator").whole(0, cores - 1));
        job.order = static_cast<std::int32_t>(row.at("order").whole(0, jobs - 1));
        job.start = row.at("start_cycles").notNegative();
        job.finish = row.at("finish_cycles").notNegative();
        run.schedule.jobs.push_back(job);
        run.mapping.core.push_back(job.core);
        run.mapping.priority.push_back(row.at("priority").notNegative());
    }
    if (run.schedule.jobs.size() != problem.jobs.size())
        node.at("jobs").fail(fmt::format("{} jobs", jobs), fmt::format("a list of {}", run.schedule.jobs.size()));
    for (const JsonNode& row : node.at("bandwidth").elements(kMaxRows)) {
        mapping::Schedule::Step step;
        step.time = row.at("time_cycles").notNegative();
        step.bytes = numbers(row.at("per_sub_accelerator"), problem.cores.size());
        run.schedule.bandwidth.push_back(std::move(step));
    }
    for (const JsonNode& row : node.at("convergence").elements(kMaxRows))
        run.convergence.push_back({.samples = row.at("samples").whole(0, kMax),
                                   .best = numberOrUnknown(row.at("best")),
                                   .mean = numberOrUnknown(row.at("mean")),
                                   .spread = numberOrUnknown(row.at("spread"))});
    if (node.has("explored"))
        for (const JsonNode& row : node.at("explored").elements(kMaxRows))
            run.explored.push_back({.sample = row.at("sample").whole(0, kMax),
                                    .x = row.at("x").number(),
                                    .y = row.at("y").number(),
                                    .value = numberOrUnknown(row.at("value"))});
    if (node.has("front"))
        for (const JsonNode& row : node.at("front").elements(kMaxRows))
            run.front.push_back({.values = readValues(row),
                                 .first = row.at("first").number(),
                                 .second = row.at("second").number(),
                                 .mapping = readMapping(row.at("mapping"), problem.jobs.size(), problem.cores.size())});
    return run;
}

}  // namespace

std::optional<Seconds> secondsOf(const mapping::Problem& problem, double cycles) {
    if (!problem.clock) return std::nullopt;
    return Seconds{cycles / problem.clock->value};
}

std::optional<FlopsPerSecond> throughputOf(const mapping::Problem& problem, const mapping::Values& values) {
    const std::optional<Seconds> time = secondsOf(problem, values.makespan);
    if (!time || problem.macs.empty()) return std::nullopt;
    return FlopsPerSecond{2 * std::accumulate(problem.macs.begin(), problem.macs.end(), 0.0) / time->value};
}

Json mappingJson(const mapping::Mapping& mapping) {
    return {{"sub_accelerator", mapping.core}, {"priority", mapping.priority}};
}

mapping::Mapping readMapping(const JsonNode& node, std::size_t jobs, std::size_t cores) {
    node.allowOnly({"sub_accelerator", "priority", "made_for"});
    mapping::Mapping mapping;
    for (const JsonNode& core : node.at("sub_accelerator").elements(kMaxRows))
        mapping.core.push_back(static_cast<std::int32_t>(core.whole(0, static_cast<std::int64_t>(cores) - 1)));
    for (const JsonNode& priority : node.at("priority").elements(kMaxRows)) {
        mapping.priority.push_back(priority.notNegative());
        if (!(mapping.priority.back() < 1)) priority.fail("a number of 0 or more and below 1");
    }
    for (const auto& [key, size] :
         {std::pair("sub_accelerator", mapping.core.size()), std::pair("priority", mapping.priority.size())})
        if (size != jobs)
            node.at(key).fail(fmt::format("one entry for each of {} jobs", jobs), fmt::format("a list of {}", size));
    return mapping;
}

Json problemJson(const mapping::Problem& problem) {
    Json json = {{"name", problem.name},
                 {"jobs", problem.jobs},
                 {"sub_accelerators", problem.cores},
                 {"bandwidth_bytes_per_cycle", problem.bandwidth}};
    if (problem.clock) json["clock_hz"] = problem.clock->value;
    json["latency_cycles"] = problem.latency;
    json["required_bytes_per_cycle"] = problem.demand;
    if (!problem.energy.empty()) json["energy_j"] = problem.energy;
    if (!problem.macs.empty()) json["macs"] = problem.macs;
    return json;
}

mapping::Problem readProblem(const JsonNode& node) {
    mapping::Problem problem;
    problem.name = node.at("name").text(kLongestName);
    problem.jobs = readSentences(node.at("jobs"), kMaxRows);
    problem.cores = readSentences(node.at("sub_accelerators"), kMaxRows);
    problem.bandwidth = node.at("bandwidth_bytes_per_cycle").positive();
    if (node.has("clock_hz")) problem.clock = Hertz{node.at("clock_hz").positive()};
    const std::size_t pairs = problem.jobs.size() * problem.cores.size();
    problem.latency = numbers(node.at("latency_cycles"), pairs);
    problem.demand = numbers(node.at("required_bytes_per_cycle"), pairs);
    if (node.has("energy_j")) problem.energy = numbers(node.at("energy_j"), pairs);
    if (node.has("macs")) problem.macs = numbers(node.at("macs"), problem.jobs.size());
    for (const std::string& wrong : mapping::problems(problem)) node.fail("a table of jobs without errors", wrong);
    return problem;
}

mapping::Objective readObjective(const JsonNode& node) {
    std::vector<std::string> known;
    for (const Objective objective : mapping::kObjectives) known.emplace_back(mapping::nameOf(objective));
    const std::string name = node.oneOf(known);
    for (const Objective objective : mapping::kObjectives)
        if (mapping::nameOf(objective) == name) return objective;
    return Objective::throughput;
}

void writeMappingJson(const Result& result, const MappingOutcome& outcome, const TextSink& write) {
    MappingWriter(outcome, write).write(result);
}

Result readMappingResult(const JsonNode& document, const Study& study) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    Result result = readFrame(document, study);
    MappingOutcome outcome;
    const auto name = [&](const char* key) { return document.has(key) ? document.at(key).text(kLongestName) : ""; };
    outcome.platform = name("platform");
    outcome.workload = name("workload");
    outcome.jobTable = name("job_table");
    outcome.variant = name("variant");
    outcome.bandwidthDefinition = name("bandwidth_definition");
    outcome.differingRows = document.wholeOr("differing_rows", 0, 0, kMax);
    outcome.objective = readObjective(document.at("objective"));
    if (document.has("weights")) {
        const JsonNode weights = document.at("weights");
        outcome.weights = {.makespan = weights.at("makespan").notNegative(),
                           .latency = weights.at("latency").notNegative(),
                           .energy = weights.at("energy").notNegative()};
    }
    if (document.has("pareto")) {
        const std::vector<JsonNode> both = document.at("pareto").elements(2);
        if (both.size() != 2) document.at("pareto").fail("two objectives");
        outcome.pareto = std::pair(readObjective(both[0]), readObjective(both[1]));
    }
    outcome.samples = document.at("samples_allowed").whole(0, kMax);
    outcome.evaluated = document.has("evaluated") && document.at("evaluated").boolean();
    for (const JsonNode& core : document.at("sub_accelerators").elements(kMaxRows))
        outcome.cores.push_back(readCore(core));
    if (document.has("job_models")) outcome.jobModels = readSentences(document.at("job_models"), kMaxRows);
    if (document.has("job_kinds")) outcome.jobKinds = readSentences(document.at("job_kinds"), kMaxRows);
    outcome.problem = readProblem(document.at("problem"));
    outcome.result.bound = readBound(document.at("bound"));
    if (document.has("runs"))
        for (const JsonNode& run : document.at("runs").elements())
            outcome.result.runs.push_back(readRun(run, outcome.problem));
    else
        outcome.result.runs.push_back(readRun(document, outcome.problem));
    result.outcome = std::move(outcome);
    return result;
}

const mapping::Run* bestRun(const MappingOutcome& outcome) {
    const std::vector<mapping::Run>& runs = outcome.result.runs;
    const auto min = std::min_element(runs.begin(), runs.end(),
                                      [](const mapping::Run& a, const mapping::Run& b) { return a.value < b.value; });
    if (min == runs.end()) return nullptr;
    // Of those that differ by rounding alone, the one that was there first.
    const mapping::Run* best = nullptr;
    for (const mapping::Run& run : runs)
        if (run.value <= min->value * (1 + 1e-9) && (best == nullptr || run.bestAfter < best->bestAfter)) best = &run;
    return best;
}

}  // namespace tessera::study
