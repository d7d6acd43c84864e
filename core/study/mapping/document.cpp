#include "core/study/mapping/document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/study/mapping/outcome.h"
#include "core/study/members.h"

namespace tessera::study {

namespace {

using mapping::Objective;
using mapping::Run;

constexpr DocumentKind kKind{"tessera.mapping-result/1", "map"};

constexpr NumberRule kBelowOne{[](const JsonNode& node) {
    if (!(node.notNegative() < 1)) node.fail("a number of 0 or more and below 1");
    return node.number();
}};

/// Numbers of which there are so many.
constexpr auto kNumbers = [](auto& doc, std::string_view key, auto& numbers, std::size_t count) {
    doc(key, numbers);
    doc.requireSize(key, numbers.size(), count, "{} numbers");
};

constexpr auto kProblem = [](auto& doc, auto& problem) {
    doc("name", problem.name);
    doc("jobs", problem.jobs);
    doc("sub_accelerators", problem.cores);
    doc("bandwidth_bytes_per_cycle", problem.bandwidth, kPositive);
    doc("clock_hz", problem.clock, kPositive);
    const std::size_t pairs = problem.jobs.size() * problem.cores.size();
    kNumbers(doc, "latency_cycles", problem.latency, pairs);
    kNumbers(doc, "required_bytes_per_cycle", problem.demand, pairs);
    if (doc.has("energy_j", !problem.energy.empty())) kNumbers(doc, "energy_j", problem.energy, pairs);
    if (doc.has("macs", !problem.macs.empty())) kNumbers(doc, "macs", problem.macs, problem.jobs.size());
    if constexpr (kReads<decltype(doc)>)
        for (const std::string& wrong : mapping::problems(problem))
            doc.node().fail("a table of jobs without errors", wrong);
};

constexpr auto kMapping = [](auto& doc, auto& mapping, std::size_t jobs, std::size_t cores) {
    if constexpr (kReads<decltype(doc)>) doc.node().allowOnly({"sub_accelerator", "priority", "made_for"});
    doc("sub_accelerator", mapping.core, 0, static_cast<std::int64_t>(cores) - 1);
    doc("priority", mapping.priority, kBelowOne);
    doc.requireSize("sub_accelerator", mapping.core.size(), jobs, "one entry for each of {} jobs");
    doc.requireSize("priority", mapping.priority.size(), jobs, "one entry for each of {} jobs");
};

constexpr auto kValues = [](auto& doc, auto& values, const mapping::Problem& problem) {
    doc("makespan_cycles", values.makespan);
    doc.derived("makespan_s", [&] { return secondsOf(problem, values.makespan); });
    doc.derived("throughput_flops", [&] { return throughputOf(problem, values); });
    doc("mean_finish_cycles", values.latency);
    doc("energy_j", values.energy);
};

constexpr auto kBound = [](auto& doc, auto& bound) {
    doc("longest_job_cycles", bound.longestJob);
    doc("load_cycles", bound.load);
    doc("bandwidth_cycles", bound.bandwidth);
    doc("combined_cycles", bound.combined);
    doc("makespan_cycles", bound.makespan);
    doc("mean_finish_cycles", bound.latency);
    doc("energy_j", bound.energy);
    doc("objective", bound.objective);
    doc("method", bound.method);
};

constexpr auto kCore = [](auto& doc, auto& core, std::size_t number) {
    doc.derived("index", number);
    doc("name", core.name);
    doc.unlessEmpty("dataflow", core.dataflow);
    doc.unlessEmpty("height", core.height);
    doc.unlessEmpty("width", core.width);
    doc.unlessEmpty("flexible", core.flexible);
    doc.unlessEmpty("local_bytes", core.local);
    doc.unlessEmpty("shared_bytes", core.shared);
    doc("clock_hz", core.clock, kPositive);
    doc.unlessEmpty("sources", core.sources);
};

constexpr auto kConvergence = [](auto& doc, auto& point) {
    doc("samples", point.samples);
    doc("best", point.best, kOrUnknown);
    doc("mean", point.mean, kOrUnknown);
    doc("spread", point.spread, kOrUnknown);
};

constexpr auto kExplored = [](auto& doc, auto& point) {
    doc("sample", point.sample);
    doc("x", point.x);
    doc("y", point.y);
    doc("value", point.value, kOrUnknown);
};

constexpr auto kRun = [](auto& doc, auto& run, auto& outcome) {
    const mapping::Problem& problem = outcome.problem;
    const std::size_t jobs = problem.jobs.size(), cores = problem.cores.size();
    doc("algorithm", run.algorithm);
    doc("samples", run.samples);
    kValues(doc, run.values, problem);
    doc("value", run.value);
    doc.derived("lower_bound_cycles", outcome.result.bound.makespan);
    doc("gap", run.gap, kOrUnknown);
    doc("optimal", run.optimal);
    doc("best_after_samples", run.bestAfter);
    doc("ended_by", run.endedBy);
    if constexpr (kReads<decltype(doc)>) run.schedule.makespan = run.values.makespan;
    doc.list("jobs", run.schedule.jobs, [&](auto& row, auto& job, std::size_t number) {
        if constexpr (kReads<decltype(doc)>) run.mapping.priority.emplace_back();
        row.derived("index", number);
        row.derived(
            "name", [&]() -> auto& { return problem.jobs[number]; });
        row("sub_accelerator", job.core, 0, static_cast<std::int64_t>(cores) - 1);
        row("order", job.order, 0, static_cast<std::int64_t>(jobs) - 1);
        row("start_cycles", job.start, kNotNegative);
        row("finish_cycles", job.finish, kNotNegative);
        row("priority", run.mapping.priority[number], kNotNegative);
        if constexpr (kReads<decltype(doc)>) run.mapping.core.push_back(job.core);
    });
    doc.requireSize("jobs", run.schedule.jobs.size(), jobs, "{} jobs");
    doc.list("bandwidth", run.schedule.bandwidth, [&](auto& row, auto& step) {
        row("time_cycles", step.time, kNotNegative);
        kNumbers(row, "per_sub_accelerator", step.bytes, cores);
    });
    doc.list("convergence", run.convergence, kConvergence);
    if (doc.has("explored", !run.explored.empty())) doc.list("explored", run.explored, kExplored);
    if (!doc.has("front", !run.front.empty())) return;
    doc.list("front", run.front, [&](auto& row, auto& point) {
        kValues(row, point.values, problem);
        row("first", point.first);
        row("second", point.second);
        row.group("mapping", [&](auto& inner) { kMapping(inner, point.mapping, jobs, cores); });
    });
};

constexpr auto kWeights = [](auto& doc, auto& weights) {
    doc("makespan", weights.makespan, kNotNegative);
    doc("latency", weights.latency, kNotNegative);
    doc("energy", weights.energy, kNotNegative);
};

constexpr auto kDocument = [](auto& doc, auto& outcome, auto& result) {
    doc.unlessEmpty("platform", outcome.platform);
    doc.unlessEmpty("workload", outcome.workload);
    doc.unlessEmpty("job_table", outcome.jobTable);
    doc.unlessEmpty("variant", outcome.variant);
    doc.unlessEmpty("bandwidth_definition", outcome.bandwidthDefinition);
    if (doc.has("differing_rows", !outcome.variant.empty())) doc("differing_rows", outcome.differingRows);
    doc("objective", outcome.objective, mapping::kObjectiveNames);
    if (doc.has("weights", outcome.objective == Objective::weighted)) doc.object("weights", outcome.weights, kWeights);
    std::vector<Objective> pareto;
    if (outcome.pareto) pareto = {outcome.pareto->first, outcome.pareto->second};
    doc.unlessEmpty("pareto", pareto, mapping::kObjectiveNames);
    doc("samples_allowed", outcome.samples);
    doc.unlessEmpty("evaluated", outcome.evaluated);
    doc.derived("parameters", *result.study.parameters);
    doc.list("sub_accelerators", outcome.cores, kCore);
    doc.unlessEmpty("job_models", outcome.jobModels);
    doc.unlessEmpty("job_kinds", outcome.jobKinds);
    const auto asked = [&] {
        doc.object("bound", outcome.result.bound, kBound);
        doc.object("problem", outcome.problem, kProblem);
    };
    if constexpr (kReads<decltype(doc)>) {
        doc.requireSize("pareto", pareto.size(), 2, "two objectives");
        if (!pareto.empty()) outcome.pareto = std::pair(pareto[0], pareto[1]);
        asked();  // runs refer to it
        if (!doc.has("runs")) kRun(doc, outcome.result.runs.emplace_back(), outcome);
    } else if (const Run* best = bestRun(outcome)) {
        kRun(doc, *best, outcome);
    }
    if (doc.has("runs")) doc.list("runs", outcome.result.runs, [&](auto& row, auto& run) { kRun(row, run, outcome); });
    if constexpr (!kReads<decltype(doc)>) asked();
};

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
    return jsonOf(mapping, [&](auto& doc, auto& of) { kMapping(doc, of, 0, 0); });
}

mapping::Mapping readMapping(const JsonNode& node, std::size_t jobs, std::size_t cores) {
    return readMembers<mapping::Mapping>(node, [&](auto& doc, auto& of) { kMapping(doc, of, jobs, cores); });
}

Json problemJson(const mapping::Problem& problem) {
    return jsonOf(problem, kProblem);
}

mapping::Problem readProblem(const JsonNode& node) {
    return readMembers<mapping::Problem>(node, kProblem);
}

void writeMappingJson(const Result& result, const TextSink& write) {
    writeDocument<MappingOutcome>(result, write, kKind, kDocument);
}

Result readMappingResult(const JsonNode& document, const Study& study) {
    return readDocument<MappingOutcome>(document, study, kKind, kDocument);
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
