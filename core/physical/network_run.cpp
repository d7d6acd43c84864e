#include "core/physical/network_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/model/zoo/zoo.h"
#include "core/physical/energy.h"
#include "core/physical/network_model.h"
#include "core/physical/transformer.h"

namespace tessera::physical {
namespace {

bool isInZoo(std::string_view model) {
    constexpr std::string_view kZoo = "zoo:";
    if (!model.starts_with(kZoo)) return false;
    const std::vector<model::ZooEntry>& entries = model::zooEntries();
    return std::any_of(entries.begin(), entries.end(),
                       [&](const model::ZooEntry& entry) { return entry.id == model.substr(kZoo.size()); });
}

std::string networkRefusal(const TrainingRun& run, const Device& device) {
    if (!isInZoo(run.model)) return fmt::format("{} is no network of the zoo", inQuotes(run.model));
    if (run.accelerators < 1 || run.perNode < 1)
        return fmt::format("{} accelerators, {} in a node; expected numbers above 0", run.accelerators, run.perNode);
    if (run.tensorParallel.value_or(1) > 1 || run.pipelineParallel.value_or(1) > 1 ||
        run.contextParallel.value_or(1) > 1 || run.expertParallel.value_or(1) > 1)
        return "networks of the zoo are predicted with data parallelism alone";
    if (!(peakOf(device, "bf16") > 0)) return fmt::format("{} has no peak of any data type", inQuotes(device.id));
    if (!(device.bandwidth > 0)) return fmt::format("{} has no bandwidth of its memory", inQuotes(device.id));
    if (!run.dtype.empty() && !(peakOf(device, run.dtype) > 0))
        return fmt::format("the data type {} is not known", inQuotes(run.dtype));
    return {};
}

/// The value of the run's metric; nothing where a network has none.
std::optional<double> networkMetric(const TrainingRun& run, const Device& device, const NetworkCost& cost,
                                    const NetworkStep& step) {
    const double samples = cost.samples / step.seconds;
    switch (run.metric) {
        case RunMetric::step:
        case RunMetric::forward:
            return step.seconds;
        case RunMetric::samples:
            return samples;
        case RunMetric::tokensPerAccelerator:
            if (!run.dim("sequence")) return std::nullopt;
            return samples * *run.dim("sequence") / run.accelerators;
        case RunMetric::energy:
            return stepJoules(run, device, {step.seconds, step.products, step.memory});
        case RunMetric::memory:
        case RunMetric::bubble:
            return std::nullopt;
    }
    return std::nullopt;
}

Prediction predictedNetwork(const TrainingRun& run, const Device& device, int leftOut) {
    const NetworkCost cost = networkCost(run, device);
    const NetworkFit& fit = networkFit(leftOut);
    const NetworkStep step = networkStep(cost, fit.parameters);
    const std::optional<double> value = networkMetric(run, device, cost, step);
    if (!value)
        return {.refused = fmt::format("{} of a network of the zoo is not predicted", kRunMetricNames.of(run.metric))};
    const double spread = fit.spread[static_cast<std::size_t>(cost.likeness)];
    return {.estimate =
                estimateAround(*value, run.metric == RunMetric::energy ? std::hypot(spread, kPowerSpread) : spread)};
}

}  // namespace

bool isNetworkRun(const TrainingRun& run) {
    return isInZoo(run.model) && !isTransformer(run.model);
}

Prediction predictNetworkRun(const TrainingRun& run, const Device& device, int leftOut) {
    if (std::string why = networkRefusal(run, device); !why.empty()) return {.refused = std::move(why)};
    try {
        return predictedNetwork(run, device, leftOut);
    } catch (const UsageError& error) {
        return {.refused = error.what()};
    }
}

}  // namespace tessera::physical
