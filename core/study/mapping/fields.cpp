#include "core/study/mapping/fields.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/study/mapping/document.h"
#include "core/study/mapping/metrics.h"

namespace tessera::study {

namespace {

using Better = Metric::Better;

constexpr unsigned kShown = kText | kTable, kAll = kText | kTable | kSheet, kEach = kAll | kFacts;

FieldValue known(const std::optional<double>& value) {
    return value ? FieldValue(*value) : FieldValue();
}
template <typename Quantity>
FieldValue known(const std::optional<Quantity>& value) {
    return value ? FieldValue(value->value) : FieldValue();
}
FieldValue whole(auto count) {
    return static_cast<double>(count);
}
FieldValue words(const std::string& text) {
    return text.empty() ? FieldValue() : FieldValue(text);
}
FieldValue nameValue(const std::vector<std::string>& names, std::size_t index) {
    return index < names.size() ? words(names[index]) : FieldValue();
}

template <typename Row>
const mapping::Problem& problem(const Row& row) {
    return row.outcome->problem;
}

/// Cycles of a row, shown as time where the clock is known.
template <auto cycles>
std::string asTime(const auto& row) {
    return cyclesText(problem(row), cycles(row));
}

double makespan(const MappedRun& row) {
    return row.run->values.makespan;
}
double meanFinish(const MappedRun& row) {
    return row.run->values.latency;
}

std::string rateText(const MappedRun& row) {
    const std::optional<double> rate = throughputOf(*row.outcome, makespan(row));
    return problem(row).clock ? formatQuantity(*rate, Measure::flopsPerSecond) : formatCount(*rate) + " FLOP/cycle";
}

const CoreNumbers* numbersOfCore(const MappedCore& row) {
    return row.core < row.outcome->cores.size() ? &row.outcome->cores[row.core] : nullptr;
}

FieldValue array(const MappedCore& row) {
    const CoreNumbers* its = numbersOfCore(row);
    if (its == nullptr || its->height <= 0) return {};
    return fmt::format("{} × {}{}", its->height, its->width, its->flexible ? ", flexible" : "");
}

double utilisation(const MappedCore& row) {
    return row.run->schedule.makespan > 0 ? row.use.alone / row.run->schedule.makespan : 0;
}

double running(const MappedCore& row) {
    return row.use.alone;
}
double stalled(const MappedCore& row) {
    return row.use.stalled;
}
double idle(const MappedCore& row) {
    return row.use.idle;
}

const mapping::Schedule::Job& place(const MappedJob& row) {
    return row.run->schedule.jobs[row.job];
}
std::size_t coreOf(const MappedJob& row) {
    return static_cast<std::size_t>(place(row).core);
}
double start(const MappedJob& row) {
    return place(row).start;
}
double finish(const MappedJob& row) {
    return place(row).finish;
}
double duration(const MappedJob& row) {
    return finish(row) - start(row);
}
double alone(const MappedJob& row) {
    return problem(row).latency[problem(row).pair(row.job, coreOf(row))];
}
double required(const MappedJob& row) {
    return problem(row).demand[problem(row).pair(row.job, coreOf(row))];
}
double slowdown(const MappedJob& row) {
    return alone(row) > 0 ? duration(row) / alone(row) : 1;
}

template <auto number>
FieldValue value(const auto& row) {
    return number(row);
}

}  // namespace

const std::vector<Field<MappedRun>>& runFields() {
    using Row = MappedRun;
    static const std::vector<Field<Row>> kFields{
        {"algorithm", "Algorithm", kAll | kWords, [](const Row& row) { return words(row.run->algorithm); }},
        {"objective", "Objective", kSheet, [](const Row& row) { return FieldValue(row.run->value); }},
        {.id = "makespan",
         .title = "Makespan",
         .uses = kShown | kFacts,
         .get = value<makespan>,
         .text = asTime<makespan>,
         .help = "Until the last job has finished",
         .explained = "makespan_cycles"},
        {"makespan_s", "Makespan", kMetric | kSheet,
         [](const Row& row) { return known(secondsOf(problem(row), makespan(row))); }, nullptr, Measure::seconds,
         Better::lower},
        {"makespan_cycles", "Makespan in cycles", kMetric | kSheet | kText, value<makespan>,
         [](const Row& row) { return formatCount(std::round(makespan(row))); }, Measure::count, Better::lower},
        {.id = "throughput",
         .title = "Throughput",
         .uses = kShown | kFacts,
         .get = [](const Row& row) { return known(throughputOf(*row.outcome, makespan(row))); },
         .text = rateText,
         .help = "Twice the multiplications and additions over the makespan",
         .explained = "throughput_flops"},
        {"throughput_flops", "Throughput", kMetric | kSheet,
         [](const Row& row) { return known(throughputOf(problem(row), row.run->values)); }, nullptr,
         Measure::flopsPerSecond, Better::higher},
        {"mean_finish_cycles", "Mean completion time", kMetric | kSheet | kTable | kFacts, value<meanFinish>,
         asTime<meanFinish>, Measure::count, Better::lower, "Mean over the jobs of when each has finished",
         "mean_finish_cycles"},
        {"energy_j", "Energy", kMetric | kEach, [](const Row& row) { return known(row.run->values.energy); }, nullptr,
         Measure::joules, Better::lower, "", "energy_j"},
        {"lower_bound_cycles", "Lower bound of the makespan", kMetric | kSheet,
         [](const Row& row) { return FieldValue(row.outcome->result.bound.makespan); }},
        {"gap", "Gap to the bound", kMetric | kEach, [](const Row& row) { return FieldValue(row.run->gap); },
         [](const Row& row) { return std::isfinite(row.run->gap) ? percentText(row.run->gap) : std::string("–"); },
         Measure::count, Better::lower, "No mapping can be better than the bound", "gap"},
        {"certainty", "Certainty", kShown | kWords, [](const Row& row) { return words(certaintyText(*row.run)); }},
        {"optimal", "Optimal", kSheet | kWords, [](const Row& row) { return words(row.run->optimal ? "yes" : "no"); }},
        {"samples", "Samples", kMetric | kEach, [](const Row& row) { return whole(row.run->samples); }},
        {.id = "best_after_samples",
         .title = "Samples to best",
         .uses = kMetric | kEach,
         .get = [](const Row& row) { return whole(row.run->bestAfter); },
         .help = "Samples until the best mapping was known"},
        {"ended_by", "Ended", kSheet | kTable | kWords,
         [](const Row& row) { return words(std::string(nameOf(row.run->endedBy))); },
         [](const Row& row) { return std::string(textOf(row.run->endedBy)); }},
    };
    return kFields;
}

const std::vector<Field<MappedCore>>& coreFields() {
    using Row = MappedCore;
    static const std::vector<Field<Row>> kFields{
        {"core", "Core", kAll | kWords, [](const Row& row) { return words(problem(row).cores[row.core]); }},
        {"dataflow", "Dataflow", kAll | kWords,
         [](const Row& row) {
             return numbersOfCore(row) == nullptr ? FieldValue() : words(numbersOfCore(row)->dataflow);
         }},
        {"array", "Array", kAll | kWords, array},
        {"jobs", "Jobs", kEach | kSummed, [](const Row& row) { return whole(row.use.jobs); }},
        {.id = "running_cycles",
         .title = "Runs",
         .uses = kEach,
         .get = value<running>,
         .text = asTime<running>,
         .help = "Without stalls"},
        {.id = "stalled_cycles",
         .title = "Stalls",
         .uses = kEach,
         .get = value<stalled>,
         .text = asTime<stalled>,
         .help = "Waiting for bandwidth"},
        {.id = "idle_cycles",
         .title = "Idle",
         .uses = kEach,
         .get = value<idle>,
         .text = asTime<idle>,
         .help = "After its last job"},
        {.id = "utilisation",
         .title = "Utilisation",
         .uses = kEach,
         .get = value<utilisation>,
         .text = [](const Row& row) { return percentText(utilisation(row)); },
         .help = "Share of the makespan that it runs without stalls"},
        {.id = "bytes",
         .title = "Bytes moved",
         .uses = kEach | kSummed,
         .get = [](const Row& row) { return FieldValue(row.use.bytes); },
         .measure = Measure::bytes,
         .help = "That its jobs move"},
        {.id = "peak_bytes_per_cycle",
         .title = "Peak bandwidth",
         .uses = kAll,
         .get = [](const Row& row) { return FieldValue(row.use.peak); },
         .text = [](const Row& row) { return bandwidthText(problem(row), row.use.peak); },
         .help = "The most bandwidth that one of its jobs requires"},
    };
    return kFields;
}

const std::vector<Field<MappedJob>>& jobFields() {
    using Row = MappedJob;
    static const std::vector<Field<Row>> kFields{
        {"algorithm", "Algorithm", kSheet | kWords, [](const Row& row) { return words(row.run->algorithm); }},
        {.id = "job",
         .title = "#",
         .uses = kSheet | kTable,
         .get = [](const Row& row) { return whole(row.job); },
         .text = [](const Row& row) { return std::to_string(row.job); },
         .help = "Number of the job"},
        {"name", "Job", kAll | kWords, [](const Row& row) { return words(problem(row).jobs[row.job]); }},
        {"model", "Model", kAll | kWhat | kWords,
         [](const Row& row) { return nameValue(row.outcome->jobModels, row.job); }},
        {"kind", "Kind", kSheet | kTable | kWhat | kWords,
         [](const Row& row) { return nameValue(row.outcome->jobKinds, row.job); }},
        {"macs", "Multiply-adds", kSheet | kWhat,
         [](const Row& row) {
             return row.job < problem(row).macs.size() ? FieldValue(problem(row).macs[row.job]) : FieldValue();
         }},
        {"sub_accelerator", "Core", kEach | kWords,
         [](const Row& row) { return words(problem(row).cores[coreOf(row)]); }},
        {"order", "Order", kSheet, [](const Row& row) { return whole(place(row).order); }},
        {.id = "place",
         .title = "Place",
         .uses = kShown | kFacts,
         .get = [](const Row& row) { return whole(place(row).order + 1); },
         .help = "On its core, from 1"},
        {.id = "start_cycles",
         .title = "Start",
         .uses = kEach,
         .get = value<start>,
         .text = asTime<start>,
         .explained = "start_cycles"},
        {.id = "finish_cycles",
         .title = "Finish",
         .uses = kEach,
         .get = value<finish>,
         .text = asTime<finish>,
         .explained = "finish_cycles"},
        {"duration_cycles", "Duration", kSheet | kFacts, value<duration>, asTime<duration>},
        {.id = "nostall_latency_cycles",
         .title = "No-stall latency",
         .uses = kSheet | kTable | kFacts,
         .get = value<alone>,
         .text = asTime<alone>,
         .help = "What it takes on this core without stalls",
         .explained = "nostall_latency_cycles"},
        {.id = "slowdown",
         .title = "Slowdown",
         .uses = kEach,
         .get = value<slowdown>,
         .text = [](const Row& row) { return timesText(slowdown(row)); },
         .help = "By waiting for bandwidth: 1 = never stalled"},
        {.id = "req_bw_bytes_per_cycle",
         .title = "Required bandwidth",
         .uses = kSheet | kTable | kFacts,
         .get = value<required>,
         .text = [](const Row& row) { return bandwidthText(problem(row), required(row)); },
         .help = "While it runs",
         .explained = "req_bw_bytes_per_cycle"},
        {"priority", "Priority", kSheet, [](const Row& row) { return FieldValue(row.run->mapping.priority[row.job]); }},
    };
    return kFields;
}

std::vector<MappedRun> mappedRuns(const MappingOutcome& outcome) {
    std::vector<MappedRun> rows;
    for (const mapping::Run& run : outcome.result.runs) rows.push_back({&outcome, &run});
    return rows;
}

std::vector<MappedCore> mappedCores(const MappingOutcome& outcome, const mapping::Run& run) {
    std::vector<MappedCore> rows;
    for (CoreUse& use : coreUse(outcome, run)) rows.push_back({&outcome, &run, rows.size(), use});
    return rows;
}

std::vector<MappedJob> mappedJobs(const MappingOutcome& outcome, const mapping::Run& run) {
    std::vector<MappedJob> rows;
    while (rows.size() < run.schedule.jobs.size()) rows.push_back({&outcome, &run, rows.size()});
    return rows;
}

std::string bandwidthText(const mapping::Problem& problem, double bytesPerCycle) {
    if (problem.clock) return formatQuantity(bytesPerCycle * problem.clock->value, Measure::bytesPerSecond);
    return formatCount(bytesPerCycle) + " B/cycle";
}

std::optional<double> throughputOf(const MappingOutcome& outcome, double makespan) {
    if (outcome.problem.macs.empty() || !(makespan > 0)) return std::nullopt;
    double macs = 0;
    for (const double each : outcome.problem.macs) macs += each;
    if (!(macs > 0)) return std::nullopt;
    return 2 * macs / (makespan * secondsPerCycle(outcome));
}

}  // namespace tessera::study
