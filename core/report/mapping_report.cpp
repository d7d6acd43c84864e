#include "core/report/mapping_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/mapping_document.h"
#include "core/study/mapping_metrics.h"
#include "core/study/metric.h"
#include "core/study/title.h"

namespace tessera::report {

namespace {

using mapping::Run;
using study::MappingOutcome;

constexpr std::size_t kMostJobsInText = 24, kMostFrontInText = 24;

std::string count(double value) {
    return formatCount(value);
}

std::string gapText(const Run& run) {
    return std::isfinite(run.gap) ? study::percentText(run.gap) : "–";
}

std::size_t index(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

/// What one core does under a mapping.
struct CoreUse {
    std::size_t jobs = 0;
    double busy = 0;    ///< cycles that it runs a job
    double finish = 0;  ///< cycles
    double bytes = 0;
};

std::vector<CoreUse> usesOf(const MappingOutcome& outcome, const Run& run) {
    std::vector<CoreUse> uses(outcome.problem.cores.size());
    for (std::size_t j = 0; j < run.schedule.jobs.size(); ++j) {
        const mapping::Schedule::Job& job = run.schedule.jobs[j];
        CoreUse& use = uses[index(job.core)];
        const std::size_t pair = outcome.problem.pair(j, index(job.core));
        ++use.jobs;
        use.busy += job.finish - job.start;
        use.finish = std::max(use.finish, job.finish);
        use.bytes += outcome.problem.latency[pair] * outcome.problem.demand[pair];
    }
    return uses;
}

std::vector<std::size_t> inOrder(const Run& run) {
    std::vector<std::size_t> order(run.schedule.jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const mapping::Schedule::Job& first = run.schedule.jobs[a];
        const mapping::Schedule::Job& second = run.schedule.jobs[b];
        return first.core != second.core ? first.core < second.core : first.order < second.order;
    });
    return order;
}

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
    table.rows.resize(std::min(all, kMostFrontInText));
    return fmt::format("\nFront of {} and {} by {}: {}{}\n", mapping::nameOf(outcome.pareto->first),
                       mapping::nameOf(outcome.pareto->second), run.algorithm,
                       formatCounted(static_cast<double>(all), "mapping", "mappings"),
                       all > kMostFrontInText ? fmt::format(", the first {}", kMostFrontInText) : "") +
           toText(table);
}

}  // namespace

Table algorithmTable(const MappingOutcome& outcome) {
    Table table;
    table.columns = {{"algorithm"}, {"makespan", true}, {"cycles", true},  {"throughput", true}, {"energy", true},
                     {"gap", true}, {"certainty"},      {"samples", true}, {"best after", true}};
    for (const Run& run : outcome.result.runs) {
        const auto time = study::secondsOf(outcome.problem, run.values.makespan);
        const auto rate = study::throughputOf(outcome.problem, run.values);
        table.rows.push_back({run.algorithm, time ? formatQuantity(time->value, Measure::seconds) : "–",
                              count(std::round(run.values.makespan)),
                              rate ? formatQuantity(rate->value, Measure::flopsPerSecond) : "–",
                              run.values.energy ? formatQuantity(*run.values.energy, Measure::joules) : "–",
                              gapText(run), study::certaintyText(run), count(static_cast<double>(run.samples)),
                              count(static_cast<double>(run.bestAfter))});
    }
    return table;
}

Table boundTable(const MappingOutcome& outcome) {
    const mapping::Bound& bound = outcome.result.bound;
    Table table;
    table.columns = {{"bound"}, {"cycles", true}, {"what it rests on"}};
    const auto add = [&](const char* name, double cycles, const char* why) {
        if (cycles > 0) table.rows.push_back({name, count(std::round(cycles)), why});
    };
    add("longest job", bound.longestJob, "a job alone needs its latency and its bytes");
    add("load", bound.load, "jobs divided over sub-accelerators at will");
    add("bandwidth", bound.bandwidth, "all bytes through the shared bandwidth");
    add("combined", bound.combined, "load and bandwidth together");
    return table;
}

Table coreTable(const MappingOutcome& outcome, const Run& run) {
    Table table;
    table.columns = {{"sub-accelerator"},   {"dataflow"},         {"array"}, {"jobs", true}, {"works", true},
                     {"of the time", true}, {"bytes moved", true}};
    const std::vector<CoreUse> uses = usesOf(outcome, run);
    for (std::size_t c = 0; c < uses.size(); ++c) {
        const study::CoreNumbers numbers = c < outcome.cores.size() ? outcome.cores[c] : study::CoreNumbers{};
        table.rows.push_back(
            {outcome.problem.cores[c], numbers.dataflow.empty() ? "–" : numbers.dataflow,
             numbers.height > 0
                 ? fmt::format("{} × {}{}", numbers.height, numbers.width, numbers.flexible ? " flexible" : "")
                 : "–",
             count(static_cast<double>(uses[c].jobs)), study::cyclesText(outcome.problem, uses[c].busy),
             study::percentText(run.values.makespan > 0 ? uses[c].busy / run.values.makespan : 0),
             formatQuantity(uses[c].bytes, Measure::bytes)});
    }
    return table;
}

Table jobTable(const MappingOutcome& outcome, const Run& run) {
    Table table;
    table.columns = {{"sub-accelerator"}, {"order", true},      {"job"}, {"model"}, {"start", true},
                     {"finish", true},    {"slowed down", true}};
    for (const std::size_t j : inOrder(run)) {
        const mapping::Schedule::Job& job = run.schedule.jobs[j];
        const double alone = outcome.problem.latency[outcome.problem.pair(j, index(job.core))];
        table.rows.push_back(
            {outcome.problem.cores[index(job.core)], std::to_string(job.order), outcome.problem.jobs[j],
             j < outcome.jobModels.size() ? outcome.jobModels[j] : "–", study::cyclesText(outcome.problem, job.start),
             study::cyclesText(outcome.problem, job.finish), study::timesText((job.finish - job.start) / alone)});
    }
    return table;
}

Table frontTable(const MappingOutcome& outcome, const Run& run) {
    Table table;
    table.columns = {
        {"mapping", true}, {"makespan", true}, {"mean finish", true}, {"energy", true}, {"throughput", true}};
    for (const mapping::FrontPoint& point : run.front) {
        const auto rate = study::throughputOf(outcome.problem, point.values);
        table.rows.push_back({count(static_cast<double>(table.rows.size() + 1)),
                              study::cyclesText(outcome.problem, point.values.makespan),
                              study::cyclesText(outcome.problem, point.values.latency),
                              point.values.energy ? formatQuantity(*point.values.energy, Measure::joules) : "–",
                              rate ? formatQuantity(rate->value, Measure::flopsPerSecond) : "–"});
    }
    return table;
}

Table mappedJobsTable(const MappingOutcome& outcome) {
    Table table;
    table.columns = {{"algorithm"},           {"job", true},     {"name"},
                     {"sub_accelerator"},     {"order", true},   {"start_cycles", true},
                     {"finish_cycles", true}, {"priority", true}};
    for (const Run& run : outcome.result.runs)
        for (std::size_t j = 0; j < run.schedule.jobs.size(); ++j) {
            const mapping::Schedule::Job& job = run.schedule.jobs[j];
            table.rows.push_back({run.algorithm, std::to_string(j), outcome.problem.jobs[j],
                                  outcome.problem.cores[index(job.core)], std::to_string(job.order),
                                  exactNumber(job.start), exactNumber(job.finish),
                                  exactNumber(run.mapping.priority[j])});
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
                                  exactNumber(problem.demand[pair]), problem.jobs[j], problem.cores[c]});
            if (!problem.macs.empty()) table.rows.back().push_back(exactNumber(problem.macs[j]));
            if (!problem.energy.empty()) table.rows.back().push_back(exactNumber(problem.energy[pair]));
        }
    return table;
}

std::vector<std::string> mappingSentences(const study::Result& /*result*/, const MappingOutcome& outcome) {
    std::vector<std::string> sentences;
    sentences.push_back(fmt::format(
        "{}: {} on {}, {:.4g} bytes per cycle between them{}.", escaped(study::titleOf(outcome)),
        formatCounted(static_cast<double>(outcome.problem.jobs.size()), "job", "jobs"),
        formatCounted(static_cast<double>(outcome.problem.cores.size()), "sub-accelerator", "sub-accelerators"),
        outcome.problem.bandwidth,
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
    std::string text = study::headline(outcome) + "\n\n";
    text += joined(mappingSentences(result, outcome), "\n") + "\n\n";
    text += toText(algorithmTable(outcome));
    if (outcome.pareto)
        for (const Run& run : outcome.result.runs) text += frontText(outcome, run);
    text += "\nLower bounds of the makespan\n" + toText(boundTable(outcome));
    text += fmt::format("\nSub-accelerators under {}\n", best.algorithm) + toText(coreTable(outcome, best));
    Table jobs = jobTable(outcome, best);
    const std::size_t all = jobs.rows.size();
    if (all <= kMostJobsInText) text += fmt::format("\nJobs under {}\n", best.algorithm) + toText(jobs);
    if (!result.assumptions.empty()) text += "\nAssumptions\n";
    for (const std::string& sentence : result.assumptions) text += "- " + escaped(sentence, 1024) + "\n";
    return text;
}

}  // namespace tessera::report
