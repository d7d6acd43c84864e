#include "core/study/mapping/metrics.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>

#include "core/base/text.h"
#include "core/study/field_metrics.h"
#include "core/study/mapping/document.h"
#include "core/study/mapping/fields.h"

namespace tessera::study {

namespace {

using mapping::Run;

constexpr std::string_view kPaper = "Kao, Krishna: MAGMA, HPCA 2022";

/// A job's place in a path, and the number that is asked for.
struct JobPath {
    const Run* run = nullptr;
    std::size_t job = 0;
    std::string_view field;
};

std::optional<JobPath> parsed(const MappingOutcome& outcome, std::string_view path) {
    constexpr std::string_view kJobs = "/jobs[";
    const std::size_t open = path.find(kJobs);
    const std::size_t close = path.find("]/", open == std::string_view::npos ? 0 : open);
    if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
    JobPath found;
    for (const Run& run : outcome.result.runs)
        if (run.algorithm == path.substr(0, open)) found.run = &run;
    const char* const first = path.data() + open + kJobs.size();
    const char* const last = path.data() + close;
    const auto [end, error] = std::from_chars(first, last, found.job);
    if (found.run == nullptr || error != std::errc() || end != last || found.job >= found.run->schedule.jobs.size())
        return std::nullopt;
    found.field = path.substr(close + 2);
    return found;
}

}  // namespace

std::vector<Metric> mappingMetrics(const MappingOutcome& outcome) {
    std::vector<Metric> metrics;
    const Run* best = bestRun(outcome);
    if (best == nullptr) return metrics;
    addMetricsBy(metrics, runFields(), {&outcome, best}, "");
    addMetricsBy(metrics, problemFields(), outcome, "");
    for (const Run& run : outcome.result.runs) addMetricsBy(metrics, runFields(), {&outcome, &run}, run.algorithm);
    return metrics;
}

std::optional<std::string> mappingMetricText(std::string_view name, double value) {
    for (const Field<MappedRun>& field : runFields())
        if (field.id == name && (field.uses & kMetric) != 0 && name.ends_with("_cycles"))
            return formatCount(std::round(value)) + " cycles";
    return std::nullopt;
}

std::optional<Explanation> explainMapping(const Result& result, const MappingOutcome& outcome,
                                          const std::string& path) {
    if (const std::optional<JobPath> requested = parsed(outcome, path)) {
        const MappedJob job{&outcome, requested->run, requested->job};
        const std::string owner = fmt::format("{} under {}", escaped(outcome.problem.jobs[requested->job]),
                                              escaped(requested->run->algorithm));
        return explainedBy(jobFields(), job, result, requested->field, {.owner = owner, .paper = kPaper});
    }
    for (const Run& run : outcome.result.runs)
        if (const std::string owner = run.algorithm + "/"; path.starts_with(owner))
            return explainedBy(runFields(), MappedRun{&outcome, &run}, result, path.substr(owner.size()),
                               {.owner = run.algorithm, .paper = kPaper});
    const ExplainedOf whole{.owner = {}, .paper = kPaper};
    const Run* best = bestRun(outcome);
    if (auto explanation = explainedBy(problemFields(), outcome, result, path, whole); explanation || best == nullptr)
        return explanation;
    return explainedBy(runFields(), MappedRun{&outcome, best}, result, path, whole);
}

std::string cyclesText(const mapping::Problem& problem, double cycles) {
    if (const auto time = secondsOf(problem, cycles)) return formatSeconds(time->value);
    return formatCount(std::round(cycles)) + " cycles";
}

std::string certaintyText(const Run& run) {
    if (run.optimal)
        return fmt::format("proven optimal after {} {}", formatCount(run.samples),
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
