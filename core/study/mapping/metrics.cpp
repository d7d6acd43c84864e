#include "core/study/mapping/metrics.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "core/study/field_metrics.h"
#include "core/study/mapping/document.h"
#include "core/study/mapping/fields.h"

namespace tessera::study {

namespace {

using Better = Metric::Better;
using mapping::Run;

Metric countOf(const char* name, const char* title, std::size_t count) {
    return {.name = name,
            .title = title,
            .owner = "",
            .value = static_cast<double>(count),
            .measure = Measure::count,
            .better = Better::neither};
}

}  // namespace

std::vector<Metric> mappingMetrics(const MappingOutcome& outcome) {
    std::vector<Metric> metrics;
    const Run* best = bestRun(outcome);
    if (best == nullptr) return metrics;
    addMetricsBy(metrics, runFields(), {&outcome, best}, "");
    metrics.push_back(countOf("jobs", "Jobs", outcome.problem.jobs.size()));
    metrics.push_back(countOf("sub_accelerators", "Sub-accelerators", outcome.problem.cores.size()));
    for (const Run& run : outcome.result.runs) addMetricsBy(metrics, runFields(), {&outcome, &run}, run.algorithm);
    return metrics;
}

std::optional<std::string> mappingMetricText(std::string_view name, double value) {
    for (const Field<MappedRun>& field : runFields())
        if (field.id == name && (field.uses & kMetric) != 0 && name.ends_with("_cycles"))
            return formatCount(std::round(value)) + " cycles";
    return std::nullopt;
}

std::string cyclesText(const mapping::Problem& problem, double cycles) {
    if (const auto time = secondsOf(problem, cycles)) return formatQuantity(time->value, Measure::seconds);
    return formatCount(std::round(cycles)) + " cycles";
}

std::string certaintyText(const Run& run) {
    if (run.optimal)
        return fmt::format("proven optimal after {} {}", formatCount(static_cast<double>(run.samples)),
                           run.samples == 1 ? "sample" : "samples");
    if (!std::isfinite(run.gap)) return "no bound";
    if (run.gap >= 1) return fmt::format("{:.3g}× the bound", run.gap + 1);
    return "optimality gap ≤ " + percentText(run.gap);
}

std::string variantsSentence(const MappingOutcome& outcome) {
    if (outcome.differingRows == 0) return "";
    return fmt::format(
        "The published and the corrected cost model differ on {} of {} rows of the table (a row is a job on a "
        "sub-accelerator); this is the {} one.",
        outcome.differingRows, outcome.problem.latency.size(), outcome.variant);
}

std::string mappingTitle(const MappingOutcome& outcome) {
    return outcome.platform.empty() ? outcome.jobTable : outcome.workload + " on " + outcome.platform;
}

std::string mappingHeadline(const MappingOutcome& outcome) {
    const Run* best = bestRun(outcome);
    if (best == nullptr) return "no mapping";
    std::string text;
    if (const auto rate = throughputOf(outcome.problem, best->values))
        text = formatQuantity(rate->value, Measure::flopsPerSecond) + " · ";
    return text + fmt::format("{} makespan · {} · {}", cyclesText(outcome.problem, best->values.makespan),
                              certaintyText(*best), best->algorithm);
}

}  // namespace tessera::study
