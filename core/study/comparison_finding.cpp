#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/comparison.h"
#include "core/study/mapping_document.h"
#include "core/study/prediction_study.h"

namespace tessera::study {

namespace {

/// How much the step of a run's best does, and on how much hardware. Times of unequal work say nothing.
struct Work {
    std::string amount;        ///< equal for equal work
    std::int64_t devices = 0;  ///< 0 = not counted
};

Work workOf(const Result& /*result*/, const PartitionOutcome& outcome) {
    return {exactNumber(outcome.result.batch), outcome.accelerators};
}

Work workOf(const Result& result, const MappingOutcome& outcome) {
    std::string amount = std::to_string(outcome.problem.jobs.size());
    for (const Input& input : result.inputs)
        for (const std::string& workload : result.study.workloads)
            if (input.name == workload) amount += " " + input.sha256;
    return {amount, 0};
}

Work workOf(const Result& /*result*/, const CodesignOutcome& /*outcome*/) {
    return {};
}

Work workOf(const Result& /*result*/, const PredictionOutcome& outcome) {
    const predict::Prediction* best = fastestPrediction(outcome);
    return best == nullptr ? Work{} : Work{fmt::format("{} × {}", best->batch, best->devices), best->devices};
}

Work workOf(const Result& result) {
    return std::visit([&](const auto& outcome) { return workOf(result, outcome); }, result.outcome);
}

/// A number that tells which run is ahead, and how it is said: of all runs alike, of a baseline that is ahead itself,
/// of another run.
struct Deciding {
    std::string_view metric;
    bool time;  ///< tells something only where all do the same work
    std::string_view alike, baseline, other;
};

constexpr std::array kDeciding{
    Deciding{"step_time_s", true, "All runs take {0} per step", "No run is faster than {1}, at {0} per step",
             "{1} is {2} as fast as {3}: {0} against {4} per step"},
    Deciding{"throughput_samples_per_s", false, "All runs train {0}", "No run is faster than {1}, at {0}",
             "{1} is {2} as fast as {3}: {0} against {4}"},
    Deciding{"makespan_s", true, "All runs take {0} for their jobs", "No run is done before {1}, after {0}",
             "{1} is {2} as fast as {3}: done after {0} against {4}"},
    Deciding{"makespan_cycles", true, "All runs take {0} for their jobs", "No run is done before {1}, after {0}",
             "{1} is {2} as fast as {3}: done after {0} against {4}"},
    Deciding{"throughput_flops", false, "All runs compute {0}", "No run is faster than {1}, at {0}",
             "{1} is {2} as fast as {3}: {0} against {4}"},
};

const Comparison::MetricRow* rowNamed(const Comparison& comparison, std::string_view metric) {
    for (const Comparison::MetricRow& row : comparison.metrics)
        if (row.metric.name == metric) return &row;
    return nullptr;
}

bool inCommon(const Comparison::MetricRow& row, std::size_t baseline) {
    const auto known = std::count_if(row.values.begin(), row.values.end(), [](const auto& value) { return value; });
    return row.values[baseline] && known > 1;
}

std::size_t bestIn(const Comparison::MetricRow& row, std::size_t baseline) {
    std::size_t best = baseline;
    for (std::size_t run = 0; run < row.values.size(); ++run) {
        if (!row.values[run]) continue;
        const bool less = *row.values[run]<*row.values[best], more = *row.values[run]> * row.values[best];
        if (row.metric.better == Metric::Better::lower ? less : more) best = run;
    }
    return best;
}

std::string textAt(const Comparison::MetricRow& row, std::size_t run) {
    Metric metric = row.metric;
    metric.value = *row.values[run];
    return textOf(metric);
}

/// ", on 64 against 32 accelerators"; empty where both have as many.
std::string hardwareText(const Work& best, const Work& base) {
    if (best.devices == base.devices || best.devices == 0 || base.devices == 0) return "";
    const auto count = [](std::int64_t devices) { return formatCount(static_cast<double>(devices)); };
    return fmt::format(", on {} against {} accelerators", count(best.devices), count(base.devices));
}

/// " Per dollar, a is 1.3× ahead of b."; empty where prices are not known or the hardware is as much.
std::string priceText(const Comparison& comparison, const std::vector<Work>& works) {
    const Comparison::MetricRow* row = rowNamed(comparison, kByPrice);
    const std::size_t base = comparison.baseline;
    const bool sameHardware =
        std::all_of(works.begin(), works.end(), [&](const Work& work) { return work.devices == works[base].devices; });
    if (row == nullptr || sameHardware || !inCommon(*row, base)) return "";
    const std::size_t best = bestIn(*row, base);
    if (best == base)
        return fmt::format(" No run does more per dollar than {}: {}.", comparison.runs[base], textAt(*row, base));
    return fmt::format(" Per dollar, {} does {} as much as {}: {} against {}.", comparison.runs[best],
                       timesText(*row->values[best] / *row->values[base]), comparison.runs[base], textAt(*row, best),
                       textAt(*row, base));
}

/// Whether the errors of two predictions of different accelerators leave open which of them is faster.
bool tooCloseToCall(const Result& a, const Result& b) {
    const auto* first = std::get_if<PredictionOutcome>(&a.outcome);
    const auto* second = std::get_if<PredictionOutcome>(&b.outcome);
    if (first == nullptr || second == nullptr) return false;
    const predict::Prediction *one = fastestPrediction(*first), *other = fastestPrediction(*second);
    if (one == nullptr || other == nullptr || one->accelerator == other->accelerator) return false;
    return predict::probabilityOfMore(one->throughput, one->error, other->throughput, other->error) < kCalled;
}

std::string findingOf(const Comparison& comparison, const Deciding& said, const std::vector<const Result*>& results,
                      const std::vector<Work>& works) {
    const Comparison::MetricRow& row = *rowNamed(comparison, said.metric);
    const std::size_t base = comparison.baseline, best = bestIn(row, base);
    const std::string& baseline = comparison.runs[base];
    if (best == base) {
        const bool ahead = std::any_of(row.values.begin(), row.values.end(),
                                       [&](const auto& value) { return value && *value != *row.values[base]; });
        return fmt::format(fmt::runtime(ahead ? said.baseline : said.alike), textAt(row, base), baseline) + "." +
               priceText(comparison, works);
    }
    if (tooCloseToCall(*results[best], *results[base]))
        return fmt::format("{} or {}: too close to call, {} against {}", comparison.runs[best], baseline,
                           textAt(row, best), textAt(row, base)) +
               hardwareText(works[best], works[base]) + ".";
    const double times = row.metric.better == Metric::Better::lower ? *row.values[base] / *row.values[best]
                                                                    : *row.values[best] / *row.values[base];
    return fmt::format(fmt::runtime(said.other), textAt(row, best), comparison.runs[best], timesText(times), baseline,
                       textAt(row, base)) +
           hardwareText(works[best], works[base]) + "." + priceText(comparison, works);
}

}  // namespace

void addFinding(Comparison& comparison, const std::vector<const Result*>& results) {
    std::vector<Work> works;
    works.reserve(results.size());
    for (const Result* result : results) works.push_back(workOf(*result));
    const bool sameWork =
        std::all_of(works.begin(), works.end(), [&](const Work& work) { return work.amount == works.front().amount; });
    comparison.finding =
        fmt::format("{} runs against {}.", comparison.runs.size(), comparison.runs[comparison.baseline]);
    for (const Deciding& said : kDeciding) {
        const Comparison::MetricRow* row = rowNamed(comparison, said.metric);
        if (row == nullptr || (said.time && !sameWork) || !inCommon(*row, comparison.baseline)) continue;
        comparison.deciding = said.metric;
        comparison.finding = findingOf(comparison, said, results, works);
        return;
    }
}

}  // namespace tessera::study
