#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/comparison.h"
#include "core/study/engine.h"
#include "core/study/prediction/study.h"

namespace tessera::study {

namespace {

AmountOfWork workOf(const Result& result) {
    const Engine& engine = engineOf(result);
    return engine.work == nullptr ? AmountOfWork{} : engine.work(result);
}

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

std::string textAt(const Comparison::MetricRow& row, std::size_t run) {
    Metric metric = row.metric;
    metric.value = *row.values[run];
    return textOf(metric);
}

/// ", on 64 against 32 accelerators"; empty where both have as many.
std::string hardwareText(const AmountOfWork& best, const AmountOfWork& base) {
    if (best.devices == base.devices || best.devices == 0 || base.devices == 0) return "";
    const auto count = [](std::int64_t devices) { return formatCount(static_cast<double>(devices)); };
    return fmt::format(", on {} against {} accelerators", count(best.devices), count(base.devices));
}

/// " Per dollar, a is 1.3× ahead of b."; empty where prices are not known or the hardware is as much.
std::string priceText(const Comparison& comparison, const std::vector<AmountOfWork>& works) {
    const Comparison::MetricRow* row = rowNamed(comparison, kByPrice);
    const std::size_t base = comparison.baseline;
    const bool sameHardware = std::all_of(
        works.begin(), works.end(), [&](const AmountOfWork& work) { return work.devices == works[base].devices; });
    if (row == nullptr || sameHardware || !inCommon(*row, base)) return "";
    const std::size_t best = bestIn(*row, base);
    if (best == base)
        return fmt::format(" No run does more per dollar than {}: {}.", comparison.runs[base], textAt(*row, base));
    return fmt::format(" Per dollar, {} does {} as much as {}: {} against {}.", comparison.runs[best],
                       timesText(*row->values[best] / *row->values[base]), comparison.runs[base], textAt(*row, best),
                       textAt(*row, base));
}

bool tooCloseToCall(const Result& a, const Result& b) {
    const Engine& engine = engineOf(a);
    return engine.tooCloseToCall != nullptr && engine.tooCloseToCall(a, b);
}

std::string findingOf(const Comparison& comparison, const DecidingMetric& metric,
                      const std::vector<const Result*>& results, const std::vector<AmountOfWork>& works) {
    const Comparison::MetricRow& row = *rowNamed(comparison, metric.name);
    const std::size_t base = comparison.baseline, best = bestIn(row, base);
    const std::string& baseline = comparison.runs[base];
    if (best == base) {
        const bool ahead = std::any_of(row.values.begin(), row.values.end(),
                                       [&](const auto& value) { return value && *value != *row.values[base]; });
        return fmt::format(fmt::runtime(ahead ? metric.baseline : metric.alike), textAt(row, base), baseline) + "." +
               priceText(comparison, works);
    }
    if (tooCloseToCall(*results[best], *results[base]))
        return fmt::format("{} or {}: too close to call, {} against {}", comparison.runs[best], baseline,
                           textAt(row, best), textAt(row, base)) +
               hardwareText(works[best], works[base]) + ".";
    const double times = row.metric.better == Metric::Better::lower ? *row.values[base] / *row.values[best]
                                                                    : *row.values[best] / *row.values[base];
    return fmt::format(fmt::runtime(metric.other), textAt(row, best), comparison.runs[best], timesText(times), baseline,
                       textAt(row, base)) +
           hardwareText(works[best], works[base]) + "." + priceText(comparison, works);
}

}  // namespace

void addFinding(Comparison& comparison, const std::vector<const Result*>& results) {
    std::vector<AmountOfWork> works;
    works.reserve(results.size());
    for (const Result* result : results) works.push_back(workOf(*result));
    const bool sameWork = std::all_of(works.begin(), works.end(),
                                      [&](const AmountOfWork& work) { return work.amount == works.front().amount; });
    comparison.finding =
        fmt::format("{} runs against {}.", comparison.runs.size(), comparison.runs[comparison.baseline]);
    for (const DecidingMetric& metric : decidingMetrics()) {
        const Comparison::MetricRow* row = rowNamed(comparison, metric.name);
        if (row == nullptr || (metric.time && !sameWork) || !inCommon(*row, comparison.baseline)) continue;
        comparison.deciding = metric.name;
        comparison.finding = findingOf(comparison, metric, results, works);
        return;
    }
}

}  // namespace tessera::study
