#include "core/study/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "core/study/codesign_metrics.h"
#include "core/study/mapping_metrics.h"
#include "core/study/prediction_study.h"

namespace tessera::study {

namespace {

using partition::AcceleratorShare;
using partition::Plan;
using Better = Metric::Better;

/// How numbers that are no quantities with a unit are said.
enum class Said : std::uint8_t { quantity, times, percent, rate, count };

/// A number of every partition plan: the one place that knows its name, title, unit and direction.
struct PlanMetric {
    std::string_view name;
    std::string_view title;
    Measure measure;
    Better better;
    Said said;
    std::optional<double> (*value)(const Plan& plan);
};

double mostOf(const Plan& plan, double (*value)(const AcceleratorShare&)) {
    double most = 0;
    for (const AcceleratorShare& share : plan.shares) most = std::max(most, value(share));
    return most;
}

std::optional<double> fullestMemory(const Plan& plan) {
    std::optional<double> most;
    for (const AcceleratorShare& share : plan.shares)
        if (share.capacity && share.capacity->value > 0)
            most = std::max(most.value_or(0), share.memory.value / share.capacity->value);
    return most;
}

const std::vector<PlanMetric>& planMetrics() {
    static const std::vector<PlanMetric> kRows{
        {"step_time_s", "Step time", Measure::seconds, Better::lower, Said::quantity,
         [](const Plan& plan) { return std::optional(plan.stepTime.value); }},
        {"throughput_samples_per_s", "Throughput", Measure::count, Better::higher, Said::rate,
         [](const Plan& plan) { return std::optional(plan.throughput); }},
        {"speedup_over_dp", "Speed-up over data parallelism", Measure::count, Better::higher, Said::times,
         [](const Plan& plan) { return std::optional(plan.speedupOverDp); }},
        {"cost_s", "Cost of the first split", Measure::seconds, Better::lower, Said::quantity,
         [](const Plan& plan) { return std::optional(plan.cost.value); }},
        {"lower_bound_s", "Lower bound", Measure::seconds, Better::neither, Said::quantity,
         [](const Plan& plan) {
             return plan.lowerBound.value > 0 ? std::optional(plan.lowerBound.value) : std::nullopt;
         }},
        {"gap", "Gap to the bound", Measure::count, Better::lower, Said::percent,
         [](const Plan& plan) { return plan.lowerBound.value > 0 ? std::optional(plan.gap) : std::nullopt; }},
        {"compute_s", "Compute", Measure::seconds, Better::lower, Said::quantity,
         [](const Plan& plan) {
             return std::optional(mostOf(plan, [](const AcceleratorShare& share) { return share.compute.value; }));
         }},
        {"communication_s", "Communication", Measure::seconds, Better::lower, Said::quantity,
         [](const Plan& plan) {
             return std::optional(
                 mostOf(plan, [](const AcceleratorShare& share) { return share.communication.value; }));
         }},
        {"memory_bytes", "Memory per accelerator", Measure::bytes, Better::lower, Said::quantity,
         [](const Plan& plan) {
             return std::optional(mostOf(plan, [](const AcceleratorShare& share) { return share.memory.value; }));
         }},
        {"memory_share", "Fullest memory", Measure::count, Better::lower, Said::percent, fullestMemory},
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

std::vector<Metric> metricsOfOutcome(const PartitionOutcome& outcome) {
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

}  // namespace

std::string headline(const PartitionOutcome& outcome) {
    const Plan* best = fastestPlan(outcome);
    if (best == nullptr) return "no plan";
    std::string text =
        fmt::format("{} over DP · {}/step · {} · {}", timesText(best->speedupOverDp),
                    formatQuantity(best->stepTime.value, Measure::seconds), certaintyText(*best), best->strategy);
    if (!best->fits) text += " · does not fit in memory";
    return text;
}

std::string timesText(double factor) {
    return fmt::format("{:.3g}×", factor);
}

std::string percentText(double share) {
    // What is less than rounding is nothing; what is hardly more is said to be something.
    constexpr double kRounding = 1e-9, kLeastShown = 1e-6;
    if (std::fabs(share) <= kRounding) return "0 %";
    if (std::fabs(share) < kLeastShown) return share > 0 ? "< 0.0001 %" : "> -0.0001 %";
    return share < 0.1 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

std::string rateText(double perSecond) {
    constexpr double kMillion = 1e6;
    if (perSecond >= kMillion) return fmt::format("{:.4g} million", perSecond / kMillion);
    return perSecond < 1000 ? fmt::format("{:.4g}", perSecond) : formatCount(std::round(perSecond));
}

std::string certaintyText(const Plan& plan) {
    if (plan.optimal) return "proven optimal";
    if (plan.lowerBound.value > 0 && plan.gap >= 1) return fmt::format("{:.3g}× the bound", plan.gap + 1);
    if (plan.lowerBound.value > 0) return "at most " + percentText(plan.gap) + " above the bound";
    return "no bound";
}

std::vector<Metric> metricsOf(const Result& result) {
    if (const auto* mapping = std::get_if<MappingOutcome>(&result.outcome)) return mappingMetrics(*mapping);
    if (const auto* codesign = std::get_if<CodesignOutcome>(&result.outcome)) return codesignMetrics(*codesign);
    if (const auto* prediction = std::get_if<PredictionOutcome>(&result.outcome)) return predictionMetrics(*prediction);
    return metricsOfOutcome(std::get<PartitionOutcome>(result.outcome));
}

std::string headline(const Result& result) {
    return std::visit([](const auto& outcome) { return headline(outcome); }, result.outcome);
}

std::string textOf(const Metric& metric) {
    const std::string name = metric.name.substr(metric.name.rfind('/') + 1);
    if (const std::optional<std::string> text = mappingMetricText(name, metric.value)) return *text;
    if (const std::optional<std::string> text = codesignMetricText(name, metric.value)) return *text;
    if (const std::optional<std::string> text = predictionMetricText(name, metric.value)) return *text;
    Said said = metric.measure == Measure::count ? Said::count : Said::quantity;
    for (const PlanMetric& row : planMetrics())
        if (row.name == name) said = row.said;
    switch (said) {
        case Said::times:
            return timesText(metric.value);
        case Said::percent:
            return percentText(metric.value);
        case Said::rate:
            return rateText(metric.value) + " samples/s";
        case Said::quantity:
            return formatQuantity(metric.value, metric.measure);
        case Said::count:
            break;
    }
    return formatCount(metric.value);
}

}  // namespace tessera::study
