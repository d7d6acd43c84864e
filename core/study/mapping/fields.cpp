#include "core/study/mapping/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "core/base/text.h"
#include "core/study/mapping/document.h"
#include "core/study/mapping/metrics.h"

namespace tessera::study {

namespace {

using Better = Metric::Better;
using Terms = std::vector<Explanation::Term>;

constexpr std::string_view kDefinition = "definition", kSchedule = "Algorithm 1 and section IV";

constexpr unsigned kShown = kText | kTable, kAll = kText | kTable | kExactTable, kEach = kAll | kFacts;

FieldValue nameValue(const std::vector<std::string>& names, std::size_t index) {
    return index < names.size() ? given(names[index]) : FieldValue();
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

/// 0 where the platform does not say.
template <auto buffer>
FieldValue bufferOf(const MappedCore& row) {
    const CoreNumbers* its = numbersOfCore(row);
    return its != nullptr && (its->*buffer).value > 0 ? given(its->*buffer) : FieldValue();
}

double utilisation(const MappedCore& row) {
    return row.run->schedule.makespan > 0 ? row.use.noStall / row.run->schedule.makespan : 0;
}

double running(const MappedCore& row) {
    return row.use.noStall;
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
double noStallCycles(const MappedJob& row) {
    return problem(row).latency[problem(row).pair(row.job, coreOf(row))];
}
double required(const MappedJob& row) {
    return problem(row).requiredBandwidth[problem(row).pair(row.job, coreOf(row))];
}
double slowdown(const MappedJob& row) {
    return noStallCycles(row) > 0 ? duration(row) / noStallCycles(row) : 1;
}

// ------------------------------------------------------------------------------------------ what formulas are put into

std::string wholeCycles(double value) {
    return formatCount(std::round(value)) + " cycles";
}

void makespanTerm(const MappedRun& row, Terms& terms) {
    terms.push_back({"makespan", wholeCycles(row.run->values.makespan), "result, makespan_cycles"});
}

void clockTerm(const MappedRun& row, Terms& terms) {
    if (!row.outcome->problem.clock) return;
    std::string from = "option --clock";
    if (!row.outcome->platform.empty()) from = "platform " + inQuotes(row.outcome->platform);
    if (!row.outcome->cores.empty())
        if (const auto source = row.outcome->cores.front().sources.find("clock_hz");
            source != row.outcome->cores.front().sources.end())
            from += ", " + escaped(hardware::whereFrom(source->second));
    terms.push_back({"clock", formatQuantity(row.outcome->problem.clock->value, Measure::hertz), from});
}

void tableTerms(const MappedRun& row, Terms& terms) {
    const mapping::Problem& problem = row.outcome->problem;
    const std::string from = row.outcome->jobTable.empty()
                                 ? fmt::format("dataflow cost model, variant {}", row.outcome->variant)
                                 : "table of jobs " + inQuotes(row.outcome->jobTable);
    terms.push_back({"jobs", formatCount(problem.jobs.size()), from});
    terms.push_back({"sub-accelerators", formatCount(problem.cores.size()), from});
    double busiest = 0;
    std::vector<double> load(problem.cores.size());
    for (std::size_t j = 0; j < row.run->mapping.core.size(); ++j) {
        const auto core = static_cast<std::size_t>(row.run->mapping.core[j]);
        load[core] += problem.latency[problem.pair(j, core)];
        busiest = std::max(busiest, load[core]);
    }
    terms.push_back({"no-stall latencies of the fullest sub-accelerator", wholeCycles(busiest), from});
    terms.push_back({"shared bandwidth BW", fmt::format("{:.6g} bytes/cycle", problem.bandwidth),
                     row.outcome->platform.empty() ? "option --bandwidth-bytes-per-cycle"
                                                   : "platform " + inQuotes(row.outcome->platform)});
}

void secondsTerms(const MappedRun& row, Terms& terms) {
    makespanTerm(row, terms);
    clockTerm(row, terms);
}

void throughputTerms(const MappedRun& row, Terms& terms) {
    const std::vector<double>& macs = row.outcome->problem.macs;
    terms.push_back({"multiply-accumulates of all jobs", formatCount(std::accumulate(macs.begin(), macs.end(), 0.0)),
                     "the layers' sizes"});
    secondsTerms(row, terms);
}

void energyTerms(const MappedRun& row, Terms& terms) {
    terms.push_back({"least energy of every job on any sub-accelerator, summed",
                     formatQuantity(row.outcome->result.bound.energy, Measure::joules), "result, bound.energy_j"});
}

void boundTerms(const MappedRun& row, Terms& terms) {
    const mapping::Bound& bound = row.outcome->result.bound;
    terms.push_back(
        {"longest job", wholeCycles(bound.longestJob), "max over jobs of min over cores of L·max(1, B/BW)"});
    terms.push_back({"load", wholeCycles(bound.load), "linear program: jobs divided over cores at will"});
    terms.push_back({"bandwidth", wholeCycles(bound.bandwidth), "all bytes through the shared bandwidth"});
    terms.push_back({"combined", wholeCycles(bound.combined), "load and bandwidth in one program"});
    terms.push_back({"the best of them", bound.method, "result, bound.method"});
}

void gapTerms(const MappedRun& row, Terms& terms) {
    terms.push_back({"value of the objective", fmt::format("{:.8g}", row.run->value), "result, value"});
    terms.push_back(
        {"its lower bound", fmt::format("{:.8g}", row.outcome->result.bound.objective), "result, bound.objective"});
}

void sampleTerms(const MappedRun& row, Terms& terms) {
    terms.push_back({"allowed", formatCount(row.outcome->samples), "parameter samples"});
    terms.push_back({"evaluated", formatCount(row.run->samples), "result, samples"});
    terms.push_back({"ended by", std::string(nameOf(row.run->endedBy)), "result, ended_by"});
}

void countTerms(const MappingOutcome& outcome, Terms& terms) {
    const std::string from = outcome.jobTable.empty() ? "workload " + inQuotes(outcome.workload)
                                                      : "table of jobs " + inQuotes(outcome.jobTable);
    terms.push_back({"problem", inQuotes(outcome.problem.name), from});
}

std::string tableName(const MappedJob& row) {
    if (!row.outcome->jobTable.empty()) return "table of jobs " + inQuotes(row.outcome->jobTable);
    return fmt::format("job analysis, {} cost model", row.outcome->variant);
}

/// The job before it on its core; empty where it is the first.
std::optional<std::size_t> jobBefore(const MappedJob& row) {
    const auto& jobs = row.run->schedule.jobs;
    for (std::size_t other = 0; other < jobs.size(); ++other)
        if (jobs[other].core == place(row).core && jobs[other].order == place(row).order - 1) return other;
    return std::nullopt;
}

void addPlace(const MappedJob& row, Terms& terms) {
    terms.push_back({"core", problem(row).cores[coreOf(row)], "result, sub_accelerator"});
    terms.push_back({"place on it", std::to_string(place(row).order + 1), "result, order"});
}

void startTerms(const MappedJob& row, Terms& terms) {
    addPlace(row, terms);
    if (const auto before = jobBefore(row))
        terms.push_back({"finish of " + escaped(problem(row).jobs[*before]) + ", before it",
                         cyclesText(problem(row), row.run->schedule.jobs[*before].finish), "result, finish_cycles"});
}

void finishTerms(const MappedJob& row, Terms& terms) {
    addPlace(row, terms);
    terms.push_back({"start", cyclesText(problem(row), place(row).start), "result, start_cycles"});
    terms.push_back({"no-stall latency", cyclesText(problem(row), noStallCycles(row)), tableName(row)});
    terms.push_back({"system bandwidth BW", fmt::format("{:.6g} bytes/cycle", problem(row).bandwidth), "inputs"});
}

void jobTableTerms(const MappedJob& row, Terms& terms) {
    terms.push_back({"core", problem(row).cores[coreOf(row)], "result, sub_accelerator"});
    if (row.job < problem(row).macs.size())
        terms.push_back({"multiply-adds", formatCount(problem(row).macs[row.job]), "the layer's shape"});
    terms.push_back({"row", fmt::format("job {}, core {}", row.job, place(row).core), tableName(row)});
}

}  // namespace

const std::vector<Field<MappingOutcome>>& problemFields() {
    using F = Field<MappingOutcome>;
    static const std::vector<F> kFields{
        F{"jobs", "Jobs", kMetric, [](const MappingOutcome& outcome) { return given(outcome.problem.jobs.size()); }}.by(
            "jobs = rows of the problem", kDefinition, countTerms),
        F{"sub_accelerators", "Sub-accelerators", kMetric,
          [](const MappingOutcome& outcome) {
              return given(outcome.problem.cores.size());
          }}.by("sub-accelerators = columns of the problem", kDefinition, countTerms),
    };
    return kFields;
}

const std::vector<Field<MappedRun>>& runFields() {
    using Row = MappedRun;
    static const std::vector<Field<Row>> kFields{
        {"algorithm", "Algorithm", kAll | kWords, [](const Row& row) { return given(row.run->algorithm); }},
        {"objective", "Objective", kExactTable, [](const Row& row) { return FieldValue(row.run->value); }},
        {.id = "makespan",
         .title = "Makespan",
         .uses = kShown | kFacts,
         .get = valueOf<makespan>,
         .text = asTime<makespan>,
         .help = "Until the last job has finished",
         .explained = "makespan_cycles"},
        Field<Row>{"makespan_s", "Makespan", kMetric | kExactTable,
                   [](const Row& row) { return given(secondsOf(problem(row), makespan(row))); }, nullptr,
                   Measure::seconds, Better::lower}
            .by("makespan = makespan in cycles / clock", "Algorithm 1", secondsTerms),
        Field<Row>{"makespan_cycles", "Makespan in cycles", kMetric | kExactTable | kText, valueOf<makespan>,
                   [](const Row& row) { return formatCount(std::round(makespan(row))); }, Measure::count, Better::lower}
            .by("makespan = ∫ max(1, R(τ)/BW) dτ over no-stall time τ; R = Σ B of the jobs that run at τ",
                "Algorithm 1, in closed form", tableTerms),
        {.id = "throughput",
         .title = "Throughput",
         .uses = kShown | kFacts,
         .get = [](const Row& row) { return given(throughputOf(*row.outcome, makespan(row))); },
         .text = rateText,
         .help = "Twice the multiplications and additions over the makespan",
         .explained = "throughput_flops"},
        Field<Row>{"throughput_flops", "Throughput", kMetric | kExactTable,
                   [](const Row& row) { return given(throughputOf(problem(row), row.run->values)); }, nullptr,
                   Measure::flopsPerSecond, Better::higher}
            .by("throughput = 2 · Σ MACs / makespan", "section III", throughputTerms),
        Field<Row>{"mean_finish_cycles", "Mean completion time", kMetric | kExactTable | kTable | kFacts,
                   valueOf<meanFinish>, asTime<meanFinish>, Measure::count, Better::lower,
                   "Mean over the jobs of when each has finished"}
            .by("mean over jobs of the time at which the job has finished", "Algorithm 1", tableTerms),
        Field<Row>{"energy_j", "Energy", kMetric | kEach, [](const Row& row) { return given(row.run->values.energy); },
                   nullptr, Measure::joules, Better::lower}
            .by("energy = Σ over jobs of its energy on its sub-accelerator", kDefinition, energyTerms),
        Field<Row>{"lower_bound_cycles", "Lower bound of the makespan", kMetric | kExactTable,
                   [](const Row& row) { return FieldValue(row.outcome->result.bound.makespan); }}
            .by("bound = max(longest job, load, bandwidth, combined)", "linear programming", boundTerms),
        Field<Row>{
            "gap", "Gap to the bound", kMetric | kEach, [](const Row& row) { return FieldValue(row.run->gap); },
            [](const Row& row) { return std::isfinite(row.run->gap) ? percentText(row.run->gap) : std::string("–"); },
            Measure::count, Better::lower, "No mapping can be better than the bound"}
            .by("gap = value / bound − 1", kDefinition, gapTerms),
        {"certainty", "Certainty", kShown | kWords, [](const Row& row) { return given(certaintyText(*row.run)); }},
        {"optimal", "Optimal", kExactTable | kWords,
         [](const Row& row) { return given(row.run->optimal ? "yes" : "no"); }},
        Field<Row>{"samples", "Samples", kMetric | kEach, [](const Row& row) { return given(row.run->samples); }}.by(
            "samples = mappings that were evaluated", kDefinition, sampleTerms),
        Field<Row>{.id = "best_after_samples",
                   .title = "Samples to best",
                   .uses = kMetric | kEach,
                   .get = [](const Row& row) { return given(row.run->bestAfter); },
                   .help = "Samples until the best mapping was known"}
            .by("samples after which the best mapping was known", kDefinition, sampleTerms),
        {"ended_by", "Ended", kExactTable | kTable | kWords,
         [](const Row& row) { return given(std::string(nameOf(row.run->endedBy))); },
         [](const Row& row) { return std::string(textOf(row.run->endedBy)); }},
    };
    return kFields;
}

const std::vector<Field<MappedCore>>& coreFields() {
    using Row = MappedCore;
    static const std::vector<Field<Row>> kFields{
        {"core", "Core", kAll | kWords, [](const Row& row) { return given(problem(row).cores[row.core]); }},
        {"dataflow", "Dataflow", kAll | kWhat | kWords,
         [](const Row& row) {
             return numbersOfCore(row) == nullptr ? FieldValue() : given(numbersOfCore(row)->dataflow);
         }},
        {"array", "Array", kAll | kWhat | kWords, array},
        {"local_bytes", "Buffer of an element", kWhat, bufferOf<&CoreNumbers::local>, nullptr, Measure::bytes},
        {"shared_bytes", "Shared buffer", kWhat, bufferOf<&CoreNumbers::shared>, nullptr, Measure::bytes},
        {"jobs", "Jobs", kEach | kSummed, [](const Row& row) { return given(row.use.jobs); }},
        {.id = "running_cycles",
         .title = "Runs",
         .uses = kEach,
         .get = valueOf<running>,
         .text = asTime<running>,
         .help = "Without stalls"},
        {.id = "stalled_cycles",
         .title = "Stalls",
         .uses = kEach,
         .get = valueOf<stalled>,
         .text = asTime<stalled>,
         .help = "Waiting for bandwidth"},
        {.id = "idle_cycles",
         .title = "Idle",
         .uses = kEach,
         .get = valueOf<idle>,
         .text = asTime<idle>,
         .help = "After its last job"},
        {.id = "utilisation",
         .title = "Utilisation",
         .uses = kEach,
         .get = valueOf<utilisation>,
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
        {"algorithm", "Algorithm", kExactTable | kWords, [](const Row& row) { return given(row.run->algorithm); }},
        {.id = "job",
         .title = "#",
         .uses = kExactTable | kTable,
         .get = [](const Row& row) { return given(row.job); },
         .text = [](const Row& row) { return std::to_string(row.job); },
         .help = "Number of the job"},
        {"name", "Job", kAll | kWords, [](const Row& row) { return given(problem(row).jobs[row.job]); }},
        {"model", "Model", kAll | kWhat | kWords,
         [](const Row& row) { return nameValue(row.outcome->jobModels, row.job); }},
        {"kind", "Kind", kExactTable | kTable | kWhat | kWords,
         [](const Row& row) { return nameValue(row.outcome->jobKinds, row.job); }},
        {"macs", "Multiply-adds", kExactTable | kWhat,
         [](const Row& row) {
             return row.job < problem(row).macs.size() ? FieldValue(problem(row).macs[row.job]) : FieldValue();
         }},
        {"sub_accelerator", "Core", kEach | kWords,
         [](const Row& row) { return given(problem(row).cores[coreOf(row)]); }},
        {"order", "Order", kExactTable, [](const Row& row) { return given(place(row).order); }},
        {.id = "place",
         .title = "Place",
         .uses = kShown | kFacts,
         .get = [](const Row& row) { return given(place(row).order + 1); },
         .help = "On its core, from 1"},
        Field<Row>{.id = "start_cycles",
                   .title = "Start",
                   .uses = kEach | kExplained,
                   .get = valueOf<start>,
                   .text = asTime<start>}
            .by("start = finish of the job before it on its core; 0 for the first", kSchedule, startTerms),
        Field<Row>{.id = "finish_cycles",
                   .title = "Finish",
                   .uses = kEach | kExplained,
                   .get = valueOf<finish>,
                   .text = asTime<finish>}
            .by("finish = start + no-stall latency, slowed down by max(1, R/BW) while the running jobs ask for R",
                kSchedule, finishTerms),
        {"duration_cycles", "Duration", kExactTable | kFacts, valueOf<duration>, asTime<duration>},
        Field<Row>{.id = "nostall_latency_cycles",
                   .title = "No-stall latency",
                   .uses = kExactTable | kTable | kFacts | kExplained,
                   .get = valueOf<noStallCycles>,
                   .text = asTime<noStallCycles>,
                   .help = "What it takes on this core without stalls"}
            .by("L = cycles of the layer on the core's array and dataflow", kSchedule, jobTableTerms),
        {.id = "slowdown",
         .title = "Slowdown",
         .uses = kEach,
         .get = valueOf<slowdown>,
         .text = [](const Row& row) { return timesText(slowdown(row)); },
         .help = "By waiting for bandwidth: 1 = never stalled"},
        Field<Row>{.id = "req_bw_bytes_per_cycle",
                   .title = "Required bandwidth",
                   .uses = kExactTable | kTable | kFacts | kExplained,
                   .get = valueOf<required>,
                   .text = [](const Row& row) { return bandwidthText(problem(row), required(row)); },
                   .help = "While it runs"}
            .by("B = bytes that the layer moves / its no-stall cycles", kSchedule, jobTableTerms),
        {"priority", "Priority", kExactTable,
         [](const Row& row) { return FieldValue(row.run->mapping.priority[row.job]); }},
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
