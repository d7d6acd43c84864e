#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/comparison.h"
#include "core/study/engine.h"
#include "core/study/metric.h"

namespace tessera::study {

namespace {

/// How it is said who is ahead by a rate, and by that of one accelerator.
constexpr DecidingMetric kByRate{
    {}, false, "All runs train {0}", "No run is faster than {1}, at {0}", "{1} is {2} as fast as {3}: {0} against {4}"},
    kByAccelerator{{},
                   false,
                   "All runs train {0} per accelerator",
                   "No run does more per accelerator than {1}, at {0} per accelerator",
                   "{1} does {2} as much per accelerator as {3}: {0} against {4} per accelerator"};

/// Metrics that decide which run is ahead, of all engines in their order, each once.
std::vector<DecidingMetric> decidingMetrics() {
    std::vector<DecidingMetric> all;
    for (const Engine& engine : engines())
        for (const DecidingMetric& metric : engine.deciding)
            if (std::none_of(all.begin(), all.end(), [&](const auto& known) { return known.name == metric.name; }))
                all.push_back(metric);
    return all;
}

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

/// How many times as much the better of two is, with a digit of what tells it from as much: "1.3×", "1.0005×".
std::string aheadText(double times) {
    constexpr int kFewestDecimals = 3, kMostDecimals = 9;
    if (timesText(times) != timesText(1) || !(times > 1)) return timesText(times);
    const auto decimals = static_cast<int>(std::ceil(-std::log10(times - 1)));
    return fmt::format("{:.{}f}×", times, std::clamp(decimals, kFewestDecimals, kMostDecimals));
}

std::string textAt(const Comparison::MetricRow& row, std::size_t run) {
    Metric metric = row.metric;
    metric.value = *row.values[run];
    return textOf(metric);
}

/// "; in all 37,490 samples/s on 8 against 1,877 samples/s on 256 accelerators"; empty where both have as many.
std::string inAllText(const Comparison& comparison, std::size_t run, std::size_t other) {
    const Comparison::MetricRow* row = rowNamed(comparison, comparison.rate);
    const std::int64_t devices = comparison.works[run].devices, others = comparison.works[other].devices;
    if (row == nullptr || devices == others || !row->values[run] || !row->values[other]) return "";
    const auto count = [](std::int64_t number) { return formatCount(number); };
    return fmt::format("; in all {} on {} against {} on {} accelerator{}", textAt(*row, run), count(devices),
                       textAt(*row, other), count(others), others == 1 ? "" : "s");
}

/// " Per dollar, B (b) does 1.3× as much as A (a): …"; empty where prices are not known or the hardware is as much.
std::string priceText(const Comparison& comparison) {
    const Comparison::MetricRow* row = rowNamed(comparison, kSamplesPerDollar);
    const std::size_t base = comparison.baseline;
    if (row == nullptr || comparison.sameDevices || !inCommon(*row, base)) return "";
    const std::size_t best = bestIn(*row, base);
    if (best == base)
        return fmt::format(" No run does more per dollar than {}: {}.", namedRun(comparison, base), textAt(*row, base));
    return fmt::format(" Per dollar, {} does {} as much as {}: {} against {}.", namedRun(comparison, best),
                       aheadText(*row->values[best] / *row->values[base]), namedRun(comparison, base),
                       textAt(*row, best), textAt(*row, base));
}

/// A value as one of which more is better.
double rateOf(const Comparison::MetricRow& row, std::size_t run) {
    return row.metric.better == Metric::Better::lower ? 1 / *row.values[run] : *row.values[run];
}

bool tooCloseToCall(const Comparison::MetricRow& row, std::size_t run, std::size_t other,
                    const std::vector<const Result*>& results) {
    const Engine& engine = engineOf(*results[run]);
    return engine.tooCloseToCall != nullptr && engine.id == engineOf(*results[other]).id &&
           engine.tooCloseToCall(*results[run], rateOf(row, run), *results[other], rateOf(row, other));
}

std::string findingBy(const Comparison& comparison, const Comparison::MetricRow& row, const DecidingMetric& metric,
                      const std::vector<const Result*>& results) {
    const std::size_t base = comparison.baseline, best = bestIn(row, base);
    const std::string baseline = namedRun(comparison, base);
    if (best == base) {
        const bool ahead = std::any_of(row.values.begin(), row.values.end(),
                                       [&](const auto& value) { return value && *value != *row.values[base]; });
        return fmt::format(fmt::runtime(ahead ? metric.baseline : metric.alike), textAt(row, base), baseline) + "." +
               priceText(comparison);
    }
    if (tooCloseToCall(row, best, base, results))
        return fmt::format("{} or {}: too close to call, {} against {}{}{}.", namedRun(comparison, best), baseline,
                           textAt(row, best), textAt(row, base), &metric == &kByAccelerator ? " per accelerator" : "",
                           inAllText(comparison, best, base)) +
               priceText(comparison);
    return fmt::format(fmt::runtime(metric.other), textAt(row, best), namedRun(comparison, best),
                       aheadText(rateOf(row, best) / rateOf(row, base)), baseline, textAt(row, base)) +
           inAllText(comparison, best, base) + "." + priceText(comparison);
}

/// What is said where no number decides.
std::string withoutFinding(const Comparison& comparison, const std::vector<const Result*>& results) {
    if (comparableRuns(results).size() > 1)
        return fmt::format("{} runs of several kinds: each is compared with those that it has numbers in common with.",
                           comparison.runs.size());
    if (!comparison.unlike.empty())
        return fmt::format("No number says which of {} runs is ahead: {}.", comparison.runs.size(), comparison.unlike);
    return fmt::format("{} runs against {}.", comparison.runs.size(), namedRun(comparison, comparison.baseline));
}

}  // namespace

void addFinding(Comparison& comparison, const std::vector<const Result*>& results) {
    const auto decide = [&](const Comparison::MetricRow* row, const DecidingMetric& metric) {
        if (row == nullptr || !row->comparable || !inCommon(*row, comparison.baseline)) return false;
        comparison.deciding = row->metric.name;
        comparison.finding = findingBy(comparison, *row, metric, results);
        return true;
    };
    if (comparableRuns(results).size() == 1) {
        const Comparison::MetricRow* rate = rowNamed(comparison, comparison.rate);
        const Comparison::MetricRow* each = rowNamed(comparison, "per_accelerator/" + comparison.rate);
        if (rate != nullptr && (decide(each, kByAccelerator) || decide(rate, kByRate))) return;
        for (const DecidingMetric& metric : decidingMetrics())
            if ((!metric.time || comparison.sameWork) && decide(rowNamed(comparison, metric.name), metric)) return;
    }
    comparison.finding = withoutFinding(comparison, results);
}

}  // namespace tessera::study
