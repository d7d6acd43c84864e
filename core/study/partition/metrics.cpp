#include "core/study/partition/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::study {

namespace {

using partition::AcceleratorShare;
using partition::Plan;
using Better = Metric::Better;

/// How numbers that are no quantities with a unit are said.
enum class NumberFormat : std::uint8_t { quantity, times, percent, rate, count };

/// A number of every partition plan: the one place that knows its name, title, unit and direction.
struct PlanMetric {
    std::string_view name;
    std::string_view title;
    Measure measure;
    Better better;
    NumberFormat said;
    std::optional<double> (*value)(const Plan& plan);
};

double maxOf(const Plan& plan, double (*value)(const AcceleratorShare&)) {
    double max = 0;
    for (const AcceleratorShare& share : plan.shares) max = std::max(max, value(share));
    return max;
}

std::optional<double> fullestMemory(const Plan& plan) {
    std::optional<double> max;
    for (const AcceleratorShare& share : plan.shares)
        if (share.capacity && share.capacity->value > 0)
            max = std::max(max.value_or(0), share.memory.value / share.capacity->value);
    return max;
}

const std::vector<PlanMetric>& planMetrics() {
    static const std::vector<PlanMetric> kRows{
        {"step_time_s", "Step time", Measure::seconds, Better::lower, NumberFormat::quantity,
         [](const Plan& plan) { return std::optional(plan.stepTime.value); }},
        {"throughput_samples_per_s", "Throughput", Measure::count, Better::higher, NumberFormat::rate,
         [](const Plan& plan) { return std::optional(plan.throughput); }},
        {"speedup_over_dp", "Speed-up over data parallelism", Measure::count, Better::higher, NumberFormat::times,
         [](const Plan& plan) { return std::optional(plan.speedupOverDp); }},
        {"cost_s", "Top-level split cost", Measure::seconds, Better::lower, NumberFormat::quantity,
         [](const Plan& plan) { return std::optional(plan.cost.value); }},
        {"lower_bound_s", "Lower bound", Measure::seconds, Better::neither, NumberFormat::quantity,
         [](const Plan& plan) {
             return plan.lowerBound.value > 0 ? std::optional(plan.lowerBound.value) : std::nullopt;
         }},
        {"gap", "Gap to the bound", Measure::count, Better::lower, NumberFormat::percent,
         [](const Plan& plan) { return plan.lowerBound.value > 0 ? std::optional(plan.gap) : std::nullopt; }},
        {"compute_s", "Compute", Measure::seconds, Better::lower, NumberFormat::quantity,
         [](const Plan& plan) {
             return std::optional(maxOf(plan, [](const AcceleratorShare& share) { return share.compute.value; }));
         }},
        {"communication_s", "Communication", Measure::seconds, Better::lower, NumberFormat::quantity,
         [](const Plan& plan) {
             return std::optional(maxOf(plan, [](const AcceleratorShare& share) { return share.communication.value; }));
         }},
        {"memory_bytes", "Memory per accelerator", Measure::bytes, Better::lower, NumberFormat::quantity,
         [](const Plan& plan) {
             return std::optional(maxOf(plan, [](const AcceleratorShare& share) { return share.memory.value; }));
         }},
        {"memory_share", "Peak memory use", Measure::count, Better::lower, NumberFormat::percent, fullestMemory},
    };
    return kRows;
}

void addMetrics(std::vector<Metric>& metrics, const Plan& plan, const std::string& owner) {
    for (const PlanMetric& row : planMetrics()) {
        const std::optional<double> value = row.value(plan);
        if (!value || !std::isfinite(*value)) continue;
        metrics.push_back({.name = owner.empty() ? std::string(row.name) : fmt::format("{}/{}", owner, row.name),
                           .title = std::string(row.title),
                           .owner = owner,
                           .value = *value,
                           .measure = row.measure,
                           .better = row.better});
    }
}

/// The first few, joined; of more the number of the others as well.
std::string someOf(const std::vector<std::string>& names, const char* between) {
    constexpr std::size_t kMax = 3;
    if (names.size() <= kMax) return joined(names, between);
    return fmt::format("{}{}{} more", joined({names.begin(), names.begin() + kMax}, between), between,
                       names.size() - kMax);
}

/// What a plan's bound rests on where it does not hold for every subset of the fleet.
std::string condition(const Plan& plan) {
    return plan.boundsSubsets || plan.shares.size() < 2 ? ""
           : plan.idle.empty()                          ? " if all take part"
                                                        : " if these take part";
}

std::string countText(std::int64_t count) {
    return formatCount(static_cast<double>(count));
}

}  // namespace

std::vector<Metric> partitionMetrics(const PartitionOutcome& outcome) {
    std::vector<Metric> metrics;
    const Plan* best = fastestPlan(outcome);
    if (best == nullptr) return metrics;
    addMetrics(metrics, *best, "");
    metrics.push_back({.name = "accelerators",
                       .title = "Accelerators",
                       .owner = "",
                       .value = static_cast<double>(outcome.accelerators),
                       .measure = Measure::count,
                       .better = Better::neither});
    for (const Plan& plan : outcome.result.plans) addMetrics(metrics, plan, plan.strategy);
    return metrics;
}

std::optional<std::string> partitionMetricText(std::string_view name, double value) {
    for (const PlanMetric& row : planMetrics()) {
        if (row.name != name) continue;
        switch (row.said) {
            case NumberFormat::times:
                return timesText(value);
            case NumberFormat::percent:
                return percentText(value);
            case NumberFormat::rate:
                return rateText(value) + " samples/s";
            case NumberFormat::quantity:
                return formatQuantity(value, row.measure);
            case NumberFormat::count:
                return formatCount(value);
        }
    }
    return std::nullopt;
}

std::string idleText(const std::vector<std::string>& idle) {
    std::vector<std::string> names;
    for (const std::string& name : idle) names.push_back(escaped(name));
    return someOf(names, ", ");
}

std::string placeText(const Plan& plan) {
    std::vector<std::string> parts;
    for (const AcceleratorShare& share : plan.shares)
        parts.push_back(fmt::format("{} {}", countText(share.count), escaped(share.kind)));
    return someOf(parts, " + ");
}

std::string wholeFleetText(const PartitionOutcome& outcome, const Plan& plan) {
    const partition::SubsetPlan* whole = partition::wholeFleetOf(plan);
    if (whole == nullptr || plan.idle.empty()) return {};
    std::string text = fmt::format("all {}: {}/step", countText(outcome.accelerators),
                                   formatQuantity(whole->stepTime.value, Measure::seconds));
    if (whole->lowerBound.value > 0)
        text += fmt::format(", {}", gapText(whole->stepTime.value, whole->lowerBound.value));
    return text + " if all take part";
}

std::string peakText(const PartitionOutcome& outcome, const Plan& plan) {
    std::vector<std::string> atPeak;
    std::size_t known = 0;
    for (const GroupNumbers& group : outcome.groups) {
        if (std::find(plan.idle.begin(), plan.idle.end(), group.name) != plan.idle.end()) continue;
        ++known;
        if (group.efficiency >= 1) atPeak.push_back(escaped(group.name));
    }
    if (atPeak.empty()) return {};
    return atPeak.size() == known ? "at 100 % of peak" : someOf(atPeak, ", ") + " at 100 % of peak";
}

std::string partitionHeadline(const PartitionOutcome& outcome) {
    const Plan* best = fastestPlan(outcome);
    if (best == nullptr) return "no plan";
    std::string text = fmt::format("{} over data parallelism · {}/step", timesText(best->speedupOverDp),
                                   formatQuantity(best->stepTime.value, Measure::seconds));
    if (!best->idle.empty()) text += fmt::format(" on {}, {} idle", placeText(*best), idleText(best->idle));
    text += fmt::format(" · {} · {}", certaintyText(*best), best->strategy);
    for (const std::string& more : {wholeFleetText(outcome, *best), peakText(outcome, *best)})
        if (!more.empty()) text += " · " + more;
    if (!best->fits) text += " · does not fit in memory";
    return text;
}

std::string certaintyText(const Plan& plan) {
    if (plan.optimal) return "proven optimal" + condition(plan);
    if (plan.lowerBound.value <= 0) return "no bound";
    return gapText(plan.gap + 1, 1) + condition(plan);
}

}  // namespace tessera::study
