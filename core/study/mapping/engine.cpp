#include <fmt/format.h>

#include <cmath>

#include "core/base/units.h"
#include "core/study/engine_rows.h"
#include "core/study/mapping/document.h"
#include "core/study/mapping/metrics.h"
#include "core/study/mapping/schedule.h"
#include "core/study/mapping/study.h"

namespace tessera::study {

namespace {

std::string joulesText(double value) {
    return formatQuantity(value, Measure::joules);
}

std::string wholeCyclesText(double value) {
    return formatCount(std::round(value)) + " cycles";
}

std::optional<std::string> keptTimeline(const MappingOutcome& outcome) {
    const mapping::Run* const run = bestRun(outcome);
    if (run == nullptr || run->schedule.jobs.size() > kMaxRowsOfTimeline) return std::nullopt;
    return run->algorithm;
}

std::vector<InputFact> facts(const MappingOutcome& outcome) {
    const mapping::Problem& problem = outcome.problem;
    std::vector<InputFact> facts{
        {"Workload", "name", outcome.jobTable.empty() ? outcome.workload : outcome.jobTable},
        {"Workload", "jobs", std::to_string(problem.jobs.size())},
    };
    const auto hardware = [&](std::string field, std::string value) {
        facts.push_back({"Hardware", std::move(field), std::move(value)});
    };
    if (!outcome.platform.empty()) hardware("name", outcome.platform);
    hardware("bandwidth", fmt::format("{:.6g} bytes/cycle", problem.bandwidth));
    if (problem.clock) hardware("clock", formatQuantity(problem.clock->value, Measure::hertz));
    for (std::size_t c = 0; c < outcome.cores.size(); ++c) {
        const CoreNumbers& core = outcome.cores[c];
        const auto add = [&](const char* field, const std::string& value) {
            hardware(fmt::format("sub_accelerators[{}].{}", c, field), value);
        };
        add("name", core.name);
        if (!core.dataflow.empty()) add("dataflow", core.dataflow);
        if (core.height > 0) add("array", fmt::format("{} × {}", core.height, core.width));
        if (core.local.value > 0) add("local buffer", formatQuantity(core.local.value, Measure::bytes));
        if (core.shared.value > 0) add("shared buffer", formatQuantity(core.shared.value, Measure::bytes));
    }
    return facts;
}

AmountOfWork work(const Result& result) {
    std::string amount = std::to_string(result.outcome.get<MappingOutcome>().problem.jobs.size());
    for (const Input& input : result.inputs)
        for (const std::string& workload : result.study.workloads)
            if (input.name == workload) amount += " " + input.sha256;
    return {amount, 0};
}

}  // namespace

Engine mappingEngine() {
    constexpr std::string_view kAlike = "All runs take {0} for their jobs",
                               kBaseline = "No run is done before {1}, after {0}",
                               kOther = "{1} is {2} as fast as {3}: done after {0} against {4}";
    return {.id = "mapping",
            .title = "Mapping",
            .description =
                "Assigns independent jobs to the cores of an accelerator that share its bandwidth, and "
                "orders them.",
            .command = "map",
            .hardwareKind = "platform",
            .models = InputArity::none,
            .workloads = InputArity::one,
            .hardware = InputArity::atMostOne,
            .drawsNumbers = true,
            .checkpoints = true,
            .parameters = mappingParameters,
            .files = mappingFiles,
            .run = runMapping,
            .estimate = estimateMapping,
            .objectives = {{"throughput", "Makespan (cycles)", wholeCyclesText},
                           {"latency", "Mean completion time (cycles)", wholeCyclesText},
                           {"energy", "Energy", joulesText},
                           {"edp", "Energy × delay (J·cycles)", formatCount},
                           {"weighted", "Weighted objective", formatCount}},
            .spansDecades = true,
            .samplesParameter = "samples",
            .resultSchema = "tessera.mapping-result/1",
            .jsonSchema = mappingSchema,
            .write = writeMappingJson,
            .read = readMappingResult,
            .titleOf = ofOutcome<mappingTitle>,
            .headline = ofOutcome<mappingHeadline>,
            .metrics = ofOutcome<mappingMetrics>,
            .metricText = mappingMetricText,
            .explain = explainedBy<MappingOutcome, explainMapping>,
            .keyMetrics = {{"throughput_flops", Measure::flopsPerSecond},
                           {"makespan_s", Measure::seconds},
                           {"makespan_cycles"}},
            .timeline =
                [](const Result& result, const std::string& algorithm) {
                    const auto& outcome = result.outcome.get<MappingOutcome>();
                    return scheduleTimeline(outcome, runOf(outcome, algorithm));
                },
            .keptTimeline = ofOutcome<keptTimeline>,
            .facts = ofOutcome<facts>,
            .deciding = {{"makespan_s", true, kAlike, kBaseline, kOther},
                         {"makespan_cycles", true, kAlike, kBaseline, kOther},
                         {"throughput_flops", false, "All runs compute {0}", "No run is faster than {1}, at {0}",
                          "{1} is {2} as fast as {3}: {0} against {4}"}},
            .work = work,
            .ofWork = {"makespan_s", "makespan_cycles", "mean_finish_cycles", "lower_bound_cycles", "energy_j"},
            .addToComparison = addMappingsToComparison,
            .question = "Which job runs on which core, and in which order: {}?"};
}

}  // namespace tessera::study
