#include "core/study/mapping/schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/mapping/metrics.h"
#include "core/study/mapping/outcome.h"
#include "core/study/title.h"

namespace tessera::study {

namespace {

using mapping::Problem;
using mapping::Run;

const std::string& nameAt(const std::vector<std::string>& names, std::size_t job) {
    static const std::string kNothing;
    return job < names.size() ? names[job] : kNothing;
}

const std::string& categoryOf(const MappingOutcome& outcome, std::size_t job, JobColour colour) {
    static const std::string kJob = "job";
    const std::string& kind = nameAt(outcome.jobKinds, job);
    const std::string& model = nameAt(outcome.jobModels, job);
    const std::string& first = colour == JobColour::kind ? kind : model;
    const std::string& second = colour == JobColour::kind ? model : kind;
    return !first.empty() ? first : !second.empty() ? second : kJob;
}

/// Every kind (or model) of the jobs, sorted: the same for every algorithm.
std::vector<std::string> categoriesOf(const MappingOutcome& outcome, JobColour colour) {
    std::vector<std::string> found;
    for (std::size_t job = 0; job < outcome.problem.jobs.size(); ++job)
        found.push_back(categoryOf(outcome, job, colour));
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

std::string coreTitle(const MappingOutcome& outcome, std::size_t core) {
    const std::string& name = outcome.problem.cores[core];
    const std::string dataflow = core < outcome.cores.size() ? outcome.cores[core].dataflow : "";
    return dataflow.empty() || name.find(dataflow) != std::string::npos ? name : name + " · " + dataflow;
}

Timeline::Event eventOf(const MappingOutcome& outcome, const Run& run, std::size_t job, JobColour colour) {
    const Problem& problem = outcome.problem;
    const mapping::Schedule::Job& its = run.schedule.jobs[job];
    const double second = secondsPerCycle(outcome);
    const std::size_t pair = problem.pair(job, static_cast<std::size_t>(its.core));
    Timeline::Event event{.track = its.core,
                          .start = its.start * second,
                          .duration = (its.finish - its.start) * second,
                          .name = problem.jobs[job],
                          .category = categoryOf(outcome, job, colour)};
    const auto add = [&](const char* label, std::string text) {
        if (!text.empty()) event.details.emplace_back(label, std::move(text));
    };
    add("job", std::to_string(job));
    add("model", nameAt(outcome.jobModels, job));
    add("kind", nameAt(outcome.jobKinds, job));
    add("place on the core", std::to_string(its.order + 1));
    add("no-stall latency", formatCount(problem.latency[pair]) + " cycles");
    add("stalled",
        fmt::format("{:.1f} %", std::max(0.0, 100 * (1 - problem.latency[pair] / (its.finish - its.start)))));
    add("required bandwidth", formatCount(problem.requiredBandwidth[pair]) + " B/cycle");
    return event;
}

Timeline::Usage usageOf(const MappingOutcome& outcome, const Run& run) {
    const double second = secondsPerCycle(outcome);
    const bool clocked = outcome.problem.clock.has_value();
    const std::size_t cores = outcome.problem.cores.size();
    Timeline::Usage usage{.title = "Bandwidth",
                          .measure = clocked ? Measure::bytesPerSecond : Measure::count,
                          .unit = clocked ? "" : "B/cycle",
                          .limit = outcome.problem.bandwidth / second,
                          .limitName = "System bandwidth"};
    usage.times.reserve(run.schedule.bandwidth.size());
    usage.values.reserve(run.schedule.bandwidth.size() * cores);
    for (const mapping::Schedule::Step& step : run.schedule.bandwidth) {
        usage.times.push_back(step.time * second);
        for (std::size_t core = 0; core < cores; ++core)
            usage.values.push_back(core < step.bytes.size() ? step.bytes[core] / second : 0);
    }
    return usage;
}

}  // namespace

double secondsPerCycle(const MappingOutcome& outcome) {
    const auto& clock = outcome.problem.clock;
    return clock && clock->value > 0 ? 1 / clock->value : 1;
}

const Run& runOf(const MappingOutcome& outcome, const std::string& algorithm) {
    for (const Run& run : outcome.result.runs)
        if (run.algorithm == algorithm) return run;
    std::vector<std::string> known;
    for (const Run& run : outcome.result.runs) known.push_back(run.algorithm);
    throw UsageError(
        fmt::format("the result has no algorithm {}; it has {}", inQuotes(algorithm), joined(known, ", ")));
}

std::vector<CoreUse> coreUse(const MappingOutcome& outcome, const Run& run) {
    std::vector<CoreUse> uses(outcome.problem.cores.size());
    std::vector<double> ends(uses.size(), 0);
    for (std::size_t job = 0; job < run.schedule.jobs.size(); ++job) {
        const mapping::Schedule::Job& its = run.schedule.jobs[job];
        const auto core = static_cast<std::size_t>(its.core);
        const std::size_t pair = outcome.problem.pair(job, core);
        const double noStall = outcome.problem.latency[pair];
        CoreUse& use = uses[core];
        ++use.jobs;
        use.noStall += noStall;
        use.stalled += std::max(0.0, its.finish - its.start - noStall);
        use.bytes += noStall * outcome.problem.requiredBandwidth[pair];
        use.peak = std::max(use.peak, outcome.problem.requiredBandwidth[pair]);
        ends[core] = std::max(ends[core], its.finish);
    }
    for (std::size_t core = 0; core < uses.size(); ++core)
        uses[core].idle = std::max(0.0, run.schedule.makespan - ends[core]);
    return uses;
}

Timeline scheduleTimeline(const MappingOutcome& outcome, const Run& run, JobColour colour) {
    Timeline timeline;
    timeline.title = fmt::format("{} under {}", escaped(mappingTitle(outcome)), escaped(run.algorithm));
    timeline.unit = outcome.problem.clock ? "s" : "cycles";
    timeline.notes = {
        "A bar is longer than its job alone would take where the jobs that run together ask for more than the system "
        "bandwidth: all of them slow down by the same factor."};
    if (!outcome.problem.clock) timeline.notes.emplace_back("Times are in cycles, for no clock is known.");
    timeline.length = run.schedule.makespan * secondsPerCycle(outcome);
    timeline.categories = categoriesOf(outcome, colour);
    for (std::size_t core = 0; core < outcome.problem.cores.size(); ++core)
        timeline.tracks.push_back({.name = coreTitle(outcome, core), .group = ""});
    for (std::size_t job = 0; job < run.schedule.jobs.size(); ++job)
        timeline.events.push_back(eventOf(outcome, run, job, colour));
    std::sort(timeline.events.begin(), timeline.events.end(), [](const Timeline::Event& a, const Timeline::Event& b) {
        return a.track != b.track ? a.track < b.track : a.start < b.start;
    });
    timeline.usage = usageOf(outcome, run);
    return timeline;
}

}  // namespace tessera::study
