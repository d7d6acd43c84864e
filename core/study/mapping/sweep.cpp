#include "core/study/mapping/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/study/mapping/fields.h"
#include "core/study/mapping/outcome.h"
#include "core/study/mapping/schedule.h"

namespace tessera::study {

namespace {

const MappingOutcome& outcomeOf(const Result& result) {
    const auto* const outcome = result.outcome.as<MappingOutcome>();
    if (outcome == nullptr) throw UsageError("only a run of the mapping engine can be varied like this");
    return *outcome;
}

SweepPoint pointOf(double value, const MappingOutcome& outcome) {
    SweepPoint point{.value = value, .runs = {}, .bound = outcome.result.bound.makespan, .max = {}};
    point.max = throughputOf(outcome, point.bound);
    for (const mapping::Run& run : outcome.result.runs)
        point.runs.push_back({.algorithm = run.algorithm,
                              .makespan = run.values.makespan,
                              .throughput = throughputOf(outcome, run.values.makespan),
                              .gap = run.gap});
    return point;
}

std::vector<double> wholes(const std::vector<double>& values) {
    std::vector<double> found;
    for (const double value : values) {
        const double whole = std::max(1.0, std::round(value));
        if (found.empty() || whole > found.back()) found.push_back(whole);
    }
    return found;
}

}  // namespace

const std::vector<Sweep>& sweeps() {
    static const std::vector<Sweep> kRows{
        {SweepKind::bandwidth, "bandwidth", "Bandwidth", "an eighth to eight times the bandwidth that the cores share"},
        {SweepKind::groupSize, "group-size", "Group size", "fewer and more jobs drawn from the same workload"},
        {SweepKind::samples, "samples", "Sampling budget", "fewer samples for every algorithm"}};
    return kRows;
}

std::vector<double> sweepValues(const Result& result, SweepKind kind) {
    const MappingOutcome& outcome = outcomeOf(result);
    switch (kind) {
        case SweepKind::bandwidth: {
            const double own = outcome.problem.bandwidth / secondsPerCycle(outcome);
            std::vector<double> values;
            for (const double factor : {0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) values.push_back(factor * own);
            return values;
        }
        case SweepKind::groupSize: {
            if (outcome.platform.empty() || outcome.workload.empty()) return {};
            const auto own = static_cast<double>(outcome.problem.jobs.size());
            return wholes({0.1 * own, 0.25 * own, 0.5 * own, own, 2 * own});
        }
        case SweepKind::samples: {
            if (outcome.evaluated) return {};
            const auto own = static_cast<double>(outcome.samples);
            return wholes({0.01 * own, 0.03 * own, 0.1 * own, 0.3 * own, own});
        }
    }
    return {};
}

Study variation(const Result& result, SweepKind kind, double value) {
    const MappingOutcome& outcome = outcomeOf(result);
    Study study = result.study;
    study.name.clear();
    study.parameters["explored"] = 0;
    switch (kind) {
        case SweepKind::bandwidth:
            if (study.hardware.empty())
                study.parameters["bandwidth_bytes_per_cycle"] = value * secondsPerCycle(outcome);
            else
                study.parameters["bandwidth"] = value;
            break;
        case SweepKind::groupSize:
            // Mappings of other jobs are neither to be scored nor to start from.
            study.parameters->erase("evaluate");
            study.parameters->erase("warm_start");
            study.parameters["group_size"] = static_cast<std::int64_t>(value);
            break;
        case SweepKind::samples:
            study.parameters["samples"] = static_cast<std::int64_t>(value);
            break;
    }
    return study;
}

MappingSweep sweep(const Result& result, SweepKind kind, const RunContext& context) {
    MappingSweep found{.kind = kind, .clocked = outcomeOf(result).problem.clock.has_value(), .points = {}};
    const std::vector<double> values = sweepValues(result, kind);
    const auto total = static_cast<double>(values.size());
    RunContext engineContext{context};
    engineContext.checkpoint = {};
    engineContext.resume = {};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto at = static_cast<double>(i);
        const auto report = [&](double done) {
            context.reportProgress(fmt::format("variation {} of {}", i + 1, values.size()), done, total);
        };
        report(at);
        if (context.finishing()) break;
        engineContext.progress = [&](const ProgressEvent& event) {
            if (event.kind == ProgressEvent::Kind::progress && event.total > 0)
                report(at + std::clamp(event.done / event.total, 0.0, 1.0));
        };
        const Result varied = run(variation(result, kind, values[i]), engineContext);
        found.points.push_back(pointOf(values[i], outcomeOf(varied)));
    }
    context.reportProgress("done", total, total);
    return found;
}

}  // namespace tessera::study
