#include "core/study/mapping/document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/study/document_schema.h"
#include "core/study/mapping/outcome.h"
#include "core/study/members.h"

namespace tessera::study {

namespace {

using mapping::Objective;
using mapping::Run;

constexpr DocumentKind kKind{.schema = "tessera.mapping-result/1",
                             .command = "map",
                             .about = "Which job runs on which sub-accelerator, in which order, by algorithm.",
                             .seeded = true};
constexpr std::string_view kFromOne = R"({"minimum": 1})";
constexpr std::string_view kBelowOneAlso = R"({"exclusiveMaximum": 1})";
constexpr std::string_view kIsTrue = R"({"const": true})";
constexpr std::string_view kAllFromZero = R"({"items": {"minimum": 0}})";
constexpr std::string_view kAllAboveZero = R"({"items": {"exclusiveMinimum": 0}})";
constexpr std::string_view kEnds = R"({"enum": ["proof", "samples", "done", "stop"]})";

constexpr NumberRule kBelowOne{[](const JsonNode& node) {
                                   if (!(node.notNegative() < 1)) node.fail("a number of 0 or more and below 1");
                                   return node.number();
                               },
                               R"({"type": "number", "minimum": 0, "exclusiveMaximum": 1})"};

/// Numbers of which there are so many.
constexpr auto kNumbers = [](auto& doc, const Key& key, auto& numbers, std::size_t count) {
    doc(key, numbers);
    doc.requireSize(key.name, numbers.size(), count, "{} numbers");
};

constexpr auto kProblem = [](auto& doc, auto& problem) {
    doc("name", problem.name);
    doc({"jobs", "", kSomeEntries}, problem.jobs);
    doc({"sub_accelerators", "", kSomeEntries}, problem.cores);
    doc({"bandwidth_bytes_per_cycle", "What all sub-accelerators share."}, problem.bandwidth, kPositive);
    doc({"clock_hz", "Of the cycles."}, problem.clock, kPositive);
    const std::size_t pairs = problem.jobs.size() * problem.cores.size();
    kNumbers(doc,
             {"latency_cycles",
              "Of each job on each sub-accelerator that never stalls: [job · sub-accelerators + sub-accelerator].",
              kAllAboveZero},
             problem.latency, pairs);
    kNumbers(doc, {"required_bytes_per_cycle", "What a job then asks for, in the same order.", kAllFromZero},
             problem.requiredBandwidth, pairs);
    if (doc.has("energy_j", !problem.energy.empty()))
        kNumbers(doc, {"energy_j", "In the same order.", kAllFromZero}, problem.energy, pairs);
    if (doc.has("macs", !problem.macs.empty()))
        kNumbers(doc, {"macs", "By job: multiply-accumulates.", kAllFromZero}, problem.macs, problem.jobs.size());
    if constexpr (kReads<decltype(doc)>)
        for (const std::string& wrong : mapping::problems(problem))
            doc.node().fail("a table of jobs without errors", wrong);
};

constexpr auto kMapping = [](auto& doc, auto& mapping, std::size_t jobs, std::size_t cores) {
    if constexpr (kReads<decltype(doc)>) doc.node().allowOnly({"sub_accelerator", "priority", "made_for"});
    doc({"sub_accelerator", "By job: the core."}, mapping.core, 0, static_cast<std::int64_t>(cores) - 1);
    doc({"priority", "By job: the least of a core runs first."}, mapping.priority, kBelowOne);
    doc.requireSize("sub_accelerator", mapping.core.size(), jobs, "one entry for each of {} jobs");
    doc.requireSize("priority", mapping.priority.size(), jobs, "one entry for each of {} jobs");
};

constexpr auto kValues = [](auto& doc, auto& values, const mapping::Problem& problem) {
    doc({"makespan_cycles", "", kFromZero}, values.makespan);
    doc.derived({"makespan_s", "With a clock.", kFromZero}, [&] { return secondsOf(problem, values.makespan); });
    doc.derived({"throughput_flops",
                 "2 · MACs / makespan, FLOP/s; with a clock and where the work of every job is known.", kFromZero},
                [&] { return throughputOf(problem, values); });
    doc({"mean_finish_cycles", "Mean over jobs of the time at which the job has finished.", kFromZero}, values.latency);
    doc({"energy_j", "Where it is known.", kFromZero}, values.energy);
};

constexpr auto kBound = [](auto& doc, auto& bound) {
    doc({"longest_job_cycles", "", kFromZero}, bound.longestJob);
    doc({"load_cycles", "", kFromZero}, bound.load);
    doc({"bandwidth_cycles", "", kFromZero}, bound.bandwidth);
    doc({"combined_cycles", "", kFromZero}, bound.combined);
    doc({"makespan_cycles", "The best of them.", kFromZero}, bound.makespan);
    doc({"mean_finish_cycles", "", kFromZero}, bound.latency);
    doc({"energy_j", "", kFromZero}, bound.energy);
    doc({"objective", "Objective value."}, bound.objective);
    doc({"method", "Which one won."}, bound.method);
};

constexpr auto kCore = [](auto& doc, auto& core, std::size_t number) {
    doc.derived("index", number);
    doc("name", core.name);
    doc.unlessEmpty("dataflow", core.dataflow);
    doc.unlessEmpty({"height", "Of the array of processing elements.", kFromOne}, core.height);
    doc.unlessEmpty({"width", "Likewise.", kFromOne}, core.width);
    doc.unlessEmpty({"flexible", "The array's shape is chosen for every job.", kIsTrue}, core.flexible);
    doc.unlessEmpty({"local_bytes", "SL: the buffer of one processing element.", kFromZero}, core.local);
    doc.unlessEmpty({"shared_bytes", "SG: the buffer that all of them share.", kFromZero}, core.shared);
    doc("clock_hz", core.clock, kPositive);
    doc.unlessEmpty({"sources", "Where the numbers come from, by field."}, core.sources);
};

constexpr auto kConvergence = [](auto& doc, auto& point) {
    doc("samples", point.samples);
    doc({"best", "So far, of the objective."}, point.best, kOrUnknown);
    doc({"mean", "Of the generation."}, point.mean, kOrUnknown);
    doc({"spread", "Its standard deviation."}, point.spread, kOrUnknown);
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
    doc({"samples", "Mappings evaluated."}, run.samples);
    kValues(doc, run.values, problem);
    doc({"value", "Of the objective; least is best."}, run.value);
    doc.derived({"lower_bound_cycles", "Of the makespan.", kFromZero}, outcome.result.bound.makespan);
    doc({"gap", "Value of the objective over its lower bound, minus 1."}, run.gap, kOrUnknown);
    doc({"optimal", "Proven: the value is the bound."}, run.optimal);
    doc("best_after_samples", run.bestAfter);
    doc({"ended_by", "", kEnds}, run.endedBy);
    if constexpr (kReads<decltype(doc)>) run.schedule.makespan = run.values.makespan;
    doc.list("jobs", run.schedule.jobs, [&](auto& row, auto& job, std::size_t number) {
        if constexpr (!kWrites<decltype(doc)>) run.mapping.priority.emplace_back();
        row.derived({"index", "Of the job in the problem's table."}, number);
        row.derived(
            "name", [&]() -> auto& { return problem.jobs[number]; });
        row({"sub_accelerator", "Index into sub_accelerators."}, job.core, 0, static_cast<std::int64_t>(cores) - 1);
        row({"order", "Place on its sub-accelerator, from 0."}, job.order, 0, static_cast<std::int64_t>(jobs) - 1);
        row("start_cycles", job.start, kNotNegative);
        row("finish_cycles", job.finish, kNotNegative);
        row({"priority", "", kBelowOneAlso}, run.mapping.priority[number], kNotNegative);
        if constexpr (kReads<decltype(doc)>) run.mapping.core.push_back(job.core);
    });
    doc.requireSize("jobs", run.schedule.jobs.size(), jobs, "{} jobs");
    doc.list("bandwidth", run.schedule.bandwidth, [&](auto& row, auto& step) {
        row({"time_cycles", "From here until the next step's, the last until the makespan."}, step.time, kNotNegative);
        kNumbers(row, {"per_sub_accelerator", "Bytes per cycle.", kAllFromZero}, step.bytes, cores);
    });
    doc.list("convergence", run.convergence, kConvergence);
    if (doc.has("explored", !run.explored.empty()))
        doc.list({"explored", "Samples that were kept, projected to the plane of their two principal components."},
                 run.explored, kExplored);
    if (!doc.has("front", !run.front.empty())) return;
    doc.list({"front", "Mappings of which none is better in both objectives."}, run.front, [&](auto& row, auto& point) {
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
    doc.unlessEmpty({"variant", "Of the cost model.", R"({"enum": ["corrected", "published"]})"}, outcome.variant);
    doc.unlessEmpty({"bandwidth_definition", "", R"({"enum": ["streaming", "tile"]})"}, outcome.bandwidthDefinition);
    if (doc.has("differing_rows", !outcome.variant.empty()))
        doc({"differing_rows", "Of the problem's table, on which the variants of the cost model differ."},
            outcome.differingRows);
    doc("objective", outcome.objective, mapping::kObjectiveNames);
    if (doc.has("weights", outcome.objective == Objective::weighted)) doc.object("weights", outcome.weights, kWeights);
    std::vector<Objective> pareto;
    if (outcome.pareto) pareto = {outcome.pareto->first, outcome.pareto->second};
    doc.unlessEmpty({"pareto", "", R"({"minItems": 2, "maxItems": 2})"}, pareto, mapping::kObjectiveNames);
    doc({"samples_allowed", "Of each algorithm."}, outcome.samples);
    doc.unlessEmpty({"evaluated", "A given mapping was scored, nothing was searched.", kIsTrue}, outcome.evaluated);
    doc.derived(kParametersKey, *result.study.parameters);
    doc.list("sub_accelerators", outcome.cores, kCore);
    doc.unlessEmpty("job_models", outcome.jobModels);
    doc.unlessEmpty("job_kinds", outcome.jobKinds);
    const auto boundAndProblem = [&] {
        doc.object("bound", outcome.result.bound, kBound);
        doc.object({"problem", "What every job would take on every sub-accelerator."}, outcome.problem, kProblem);
    };
    if constexpr (kReads<decltype(doc)>) {
        doc.requireSize("pareto", pareto.size(), 2, "two objectives");
        if (!pareto.empty()) outcome.pareto = std::pair(pareto[0], pareto[1]);
        boundAndProblem();  // runs refer to it
        if (!doc.has("runs")) kRun(doc, outcome.result.runs.emplace_back(), outcome);
    } else if constexpr (kDescribes<decltype(doc)>) {
        kRun(doc, outcome.result.runs.emplace_back(), outcome);
    } else if (const Run* best = bestRun(outcome)) {
        kRun(doc, *best, outcome);
    }
    // Not in documents of the first programs.
    if (doc.has("runs", true))
        doc.list({"runs", "Every algorithm's, in the order asked for; the best stands at the top level, too."},
                 outcome.result.runs, [&](auto& row, auto& run) { kRun(row, run, outcome); });
    if constexpr (!kReads<decltype(doc)>) boundAndProblem();
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

Json givenMappingSchema() {
    return DocumentSchema::ofObject([](DocumentSchema& doc) {
        const mapping::Mapping mapping;
        kMapping(doc, mapping, 0, 0);
        doc.unlessEmpty({"made_for", "Hash of the jobs and cores that it was made for."}, std::string());
    });
}

Json warmStartSchema() {
    Json several = DocumentSchema::ofObject([](DocumentSchema& doc) {
        const std::optional<mapping::Problem> problem;
        const std::vector<mapping::Mapping> mappings;
        doc.object({"problem", "That they were made for, where it is another one."}, problem, kProblem);
        doc.list("mappings", mappings, [](auto& row, auto& mapping) { kMapping(row, mapping, 0, 0); });
    });
    return Json::object({{"anyOf", Json::array({givenMappingSchema(), std::move(several)})}});
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

Json mappingSchema() {
    return documentSchema<MappingOutcome>(kKind, kDocument);
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
