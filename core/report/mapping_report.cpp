#include "core/report/mapping_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/field_table.h"
#include "core/study/mapping/document.h"
#include "core/study/mapping/fields.h"
#include "core/study/mapping/metrics.h"
#include "core/study/metric.h"
#include "core/study/title.h"

namespace tessera::report {

namespace {

using mapping::Run;
using study::MappingOutcome;

constexpr std::size_t kMaxJobsInText = 24, kMaxFrontInText = 24;

std::string tieSentence(const MappingOutcome& outcome) {
    std::vector<std::string> names;
    for (const Run& run : outcome.result.runs)
        if (run.optimal) names.push_back(run.algorithm);
    if (names.size() < 2) return "";
    return fmt::format(
        "{} tie at the lower bound ({}): no mapping can be better, and this problem cannot tell them apart.",
        joined(names, ", "), outcome.result.bound.method);
}

std::string frontText(const MappingOutcome& outcome, const Run& run) {
    Table table = frontTable(outcome, run);
    const std::size_t all = table.rows.size();
    table.rows.resize(std::min(all, kMaxFrontInText));
    return fmt::format("\nFront of {} and {} by {}: {}{}\n", mapping::nameOf(outcome.pareto->first),
                       mapping::nameOf(outcome.pareto->second), run.algorithm,
                       formatCounted(all, "mapping", "mappings"),
                       all > kMaxFrontInText ? fmt::format(", the first {}", kMaxFrontInText) : "") +
           toText(table);
}

}  // namespace

Table algorithmTable(const MappingOutcome& outcome, study::FieldUse use) {
    return tableOf(study::runFields(), study::mappedRuns(outcome), use);
}

Table coreTable(const MappingOutcome& outcome, const Run& run, study::FieldUse use) {
    return tableOf(study::coreFields(), study::mappedCores(outcome, run), use);
}

Table jobTable(const MappingOutcome& outcome, const Run& run) {
    std::vector<study::MappedJob> rows = study::mappedJobs(outcome, run);
    const auto place = [&](const study::MappedJob& row) {
        return std::pair(run.schedule.jobs[row.job].core, run.schedule.jobs[row.job].order);
    };
    std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return tableOf(study::jobFields(), rows, study::kText);
}

Table exactJobTable(const MappingOutcome& outcome, const std::vector<const Run*>& runs) {
    std::vector<study::MappedJob> rows;
    for (const Run* run : runs)
        for (const study::MappedJob& row : study::mappedJobs(outcome, *run)) rows.push_back(row);
    return tableOf(study::jobFields(), rows, study::kExactTable);
}

Table boundTable(const MappingOutcome& outcome) {
    const mapping::Bound& bound = outcome.result.bound;
    Table table;
    table.columns = {{"bound"}, {"cycles", true}, {"what it rests on"}};
    const auto add = [&](const char* name, double cycles, const char* why) {
        if (cycles > 0) table.rows.push_back({name, formatCount(std::round(cycles)), why});
    };
    add("longest job", bound.longestJob, "a job alone needs its latency and its bytes");
    add("load", bound.load, "jobs divided over sub-accelerators at will");
    add("bandwidth", bound.bandwidth, "all bytes through the shared bandwidth");
    add("combined", bound.combined, "load and bandwidth together");
    return table;
}

Table frontTable(const MappingOutcome& outcome, const Run& run) {
    Table table;
    table.columns = {
        {"mapping", true}, {"makespan", true}, {"mean finish", true}, {"energy", true}, {"throughput", true}};
    for (const mapping::FrontPoint& point : run.front) {
        const auto rate = study::throughputOf(outcome.problem, point.values);
        table.rows.push_back({formatCount(table.rows.size() + 1),
                              study::cyclesText(outcome.problem, point.values.makespan),
                              study::cyclesText(outcome.problem, point.values.latency),
                              point.values.energy ? formatQuantity(*point.values.energy, Measure::joules) : "–",
                              rate ? formatQuantity(rate->value, Measure::flopsPerSecond) : "–"});
    }
    return table;
}

Table problemTable(const MappingOutcome& outcome) {
    const mapping::Problem& problem = outcome.problem;
    Table table;
    table.columns = {{"job", true}, {"accel", true}, {"nostall_latency_cycles", true}, {"req_bw_bytes_per_cycle", true},
                     {"job_name"},  {"accel_name"}};
    if (!problem.macs.empty()) table.columns.push_back({"macs", true});
    if (!problem.energy.empty()) table.columns.push_back({"energy_j", true});
    for (std::size_t j = 0; j < problem.jobs.size(); ++j)
        for (std::size_t c = 0; c < problem.cores.size(); ++c) {
            const std::size_t pair = problem.pair(j, c);
            table.rows.push_back({std::to_string(j), std::to_string(c), exactNumber(problem.latency[pair]),
                                  exactNumber(problem.requiredBandwidth[pair]), problem.jobs[j], problem.cores[c]});
            if (!problem.macs.empty()) table.rows.back().push_back(exactNumber(problem.macs[j]));
            if (!problem.energy.empty()) table.rows.back().push_back(exactNumber(problem.energy[pair]));
        }
    return table;
}

std::vector<std::string> mappingSentences(const study::Result& /*result*/, const MappingOutcome& outcome) {
    std::vector<std::string> sentences;
    sentences.push_back(fmt::format(
        "{}: {} on {}, {:.4g} bytes per cycle between them{}.", escaped(study::mappingTitle(outcome)),
        formatCounted(outcome.problem.jobs.size(), "job", "jobs"),
        formatCounted(outcome.problem.cores.size(), "sub-accelerator", "sub-accelerators"), outcome.problem.bandwidth,
        outcome.problem.clock
            ? fmt::format(" ({})", formatQuantity(outcome.problem.bandwidth * outcome.problem.clock->value,
                                                  Measure::bytesPerSecond))
            : ""));
    if (const std::string tie = tieSentence(outcome); !tie.empty()) sentences.push_back(tie);
    if (std::string variants = study::variantsSentence(outcome); !variants.empty())
        sentences.push_back(std::move(variants));
    return sentences;
}

std::string mappingText(const study::Result& result, const MappingOutcome& outcome) {
    const Run& best = *study::bestRun(outcome);
    std::string text = study::mappingHeadline(outcome) + "\n\n";
    text += joined(mappingSentences(result, outcome), "\n") + "\n\n";
    text += toText(algorithmTable(outcome));
    if (outcome.pareto)
        for (const Run& run : outcome.result.runs) text += frontText(outcome, run);
    text += "\nLower bounds of the makespan\n" + toText(boundTable(outcome));
    text += fmt::format("\nSub-accelerators under {}\n", best.algorithm) + toText(coreTable(outcome, best));
    Table jobs = jobTable(outcome, best);
    const std::size_t all = jobs.rows.size();
    if (all <= kMaxJobsInText) text += fmt::format("\nJobs under {}\n", best.algorithm) + toText(jobs);
    if (!result.assumptions.empty()) text += "\nAssumptions\n";
    for (const std::string& sentence : result.assumptions) text += "- " + escaped(sentence, 1024) + "\n";
    return text;
}

}  // namespace tessera::report
