#include "core/study/mapping_metrics.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "core/study/mapping_document.h"

namespace tessera::study {

namespace {

using Better = Metric::Better;
using mapping::Run;

/// How numbers are said whose name is not said by their unit alone.
enum class Said : std::uint8_t { quantity, cycles, percent, count };

/// A number of every run of an algorithm: the one place that knows its name, title, unit and direction.
struct RunMetric {
    std::string_view name;
    std::string_view title;
    Measure measure;
    Better better;
    Said said;
    std::optional<double> (*value)(const MappingOutcome& outcome, const Run& run);
};

const std::vector<RunMetric>& runMetrics() {
    static const std::vector<RunMetric> kRows{
        {"makespan_s", "Makespan", Measure::seconds, Better::lower, Said::quantity,
         [](const MappingOutcome& outcome, const Run& run) -> std::optional<double> {
             const auto time = secondsOf(outcome.problem, run.values.makespan);
             return time ? std::optional(time->value) : std::nullopt;
         }},
        {"makespan_cycles", "Makespan in cycles", Measure::count, Better::lower, Said::cycles,
         [](const MappingOutcome& /*outcome*/, const Run& run) { return std::optional(run.values.makespan); }},
        {"throughput_flops", "Throughput", Measure::flopsPerSecond, Better::higher, Said::quantity,
         [](const MappingOutcome& outcome, const Run& run) -> std::optional<double> {
             const auto rate = throughputOf(outcome.problem, run.values);
             return rate ? std::optional(rate->value) : std::nullopt;
         }},
        {"mean_finish_cycles", "Mean completion time", Measure::count, Better::lower, Said::cycles,
         [](const MappingOutcome& /*outcome*/, const Run& run) { return std::optional(run.values.latency); }},
        {"energy_j", "Energy", Measure::joules, Better::lower, Said::quantity,
         [](const MappingOutcome& /*outcome*/, const Run& run) { return run.values.energy; }},
        {"lower_bound_cycles", "Lower bound of the makespan", Measure::count, Better::neither, Said::cycles,
         [](const MappingOutcome& outcome, const Run& /*run*/) {
             return std::optional(outcome.result.bound.makespan);
         }},
        {"gap", "Gap to the bound", Measure::count, Better::lower, Said::percent,
         [](const MappingOutcome& /*outcome*/, const Run& run) { return std::optional(run.gap); }},
        {"samples", "Samples", Measure::count, Better::neither, Said::count,
         [](const MappingOutcome& /*outcome*/, const Run& run) {
             return std::optional(static_cast<double>(run.samples));
         }},
        {"best_after_samples", "Samples to best", Measure::count, Better::neither, Said::count,
         [](const MappingOutcome& /*outcome*/, const Run& run) {
             return std::optional(static_cast<double>(run.bestAfter));
         }},
    };
    return kRows;
}

void addMetrics(std::vector<Metric>& metrics, const MappingOutcome& outcome, const Run& run, const std::string& owner) {
    for (const RunMetric& row : runMetrics()) {
        const std::optional<double> value = row.value(outcome, run);
        if (!value || !std::isfinite(*value)) continue;
        metrics.push_back({.name = owner.empty() ? std::string(row.name) : fmt::format("{}/{}", owner, row.name),
                           .title = std::string(row.title),
                           .owner = owner,
                           .value = *value,
                           .measure = row.measure,
                           .better = row.better});
    }
}

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
    addMetrics(metrics, outcome, *best, "");
    metrics.push_back(countOf("jobs", "Jobs", outcome.problem.jobs.size()));
    metrics.push_back(countOf("sub_accelerators", "Sub-accelerators", outcome.problem.cores.size()));
    for (const Run& run : outcome.result.runs) addMetrics(metrics, outcome, run, run.algorithm);
    return metrics;
}

std::optional<std::string> mappingMetricText(std::string_view name, double value) {
    for (const RunMetric& row : runMetrics()) {
        if (row.name != name) continue;
        if (row.said == Said::cycles) return formatCount(std::round(value)) + " cycles";
    }
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

std::string headline(const MappingOutcome& outcome) {
    const Run* best = bestRun(outcome);
    if (best == nullptr) return "no mapping";
    std::string text;
    if (const auto rate = throughputOf(outcome.problem, best->values))
        text = formatQuantity(rate->value, Measure::flopsPerSecond) + " · ";
    return text + fmt::format("{} makespan · {} · {}", cyclesText(outcome.problem, best->values.makespan),
                              certaintyText(*best), best->algorithm);
}

}  // namespace tessera::study
