#include "core/study/partition/metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/field_metrics.h"
#include "core/study/partition/fields.h"

namespace tessera::study {

namespace {

using partition::AcceleratorShare;
using partition::Plan;

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

}  // namespace

std::vector<Metric> partitionMetrics(const PartitionOutcome& outcome) {
    std::vector<Metric> metrics;
    const Plan* best = fastestPlan(outcome);
    if (best == nullptr) return metrics;
    addMetricsBy(metrics, planFields(), *best, "");
    addMetricsBy(metrics, fleetFields(), outcome, "");
    for (const Plan& plan : outcome.result.plans) addMetricsBy(metrics, planFields(), plan, plan.strategy);
    return metrics;
}

std::optional<std::string> partitionMetricText(std::string_view name, double value) {
    return metricTextBy(planFields(), name, value);
}

std::string idleText(const std::vector<std::string>& idle) {
    std::vector<std::string> names;
    for (const std::string& name : idle) names.push_back(escaped(name));
    return someOf(names, ", ");
}

std::string placeText(const Plan& plan) {
    std::vector<std::string> parts;
    for (const AcceleratorShare& share : plan.shares)
        parts.push_back(fmt::format("{} {}", formatCount(share.count), escaped(share.kind)));
    return someOf(parts, " + ");
}

std::string wholeFleetText(const PartitionOutcome& outcome, const Plan& plan) {
    const partition::SubsetPlan* whole = partition::wholeFleetOf(plan);
    if (whole == nullptr || plan.idle.empty()) return {};
    std::string text =
        fmt::format("all {}: {}/step", formatCount(outcome.accelerators), formatSeconds(whole->stepTime));
    if (whole->lowerBound.value > 0)
        text += fmt::format(", {}", gapText(whole->stepTime.value, whole->lowerBound.value));
    return text + " if all take part";
}

std::string peakText(const PartitionOutcome& outcome, const Plan& plan) {
    if (outcome.result.costs == partition::Costs::physical) return {};
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
                                   formatSeconds(best->stepTime));
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
