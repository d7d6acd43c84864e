#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/physical/training_predictor.h"
#include "core/study/measured_throughput.h"
#include "core/study/plan/study.h"

namespace tessera::study {

namespace {

using physical::TrainingRun;

/// Tokens per second of one accelerator, whatever the metric of a row.
double tokensOf(const MeasuredThroughput& measured, double sequence) {
    return measured.samplesPerSecond * sequence / measured.run.accelerators;
}

/// What is predicted over what is measured, as rates; nothing where the run cannot be predicted.
std::optional<double> predictedShare(const MeasuredThroughput& measured, const physical::Device& device) {
    const physical::Prediction prediction =
        physical::predictTransformer(measured.run, device, physical::SeenRows::otherFolds);
    if (!prediction.estimate || !(prediction.estimate->value > 0)) return std::nullopt;
    const double share = prediction.estimate->value / measured.value;
    return measured.run.metric == physical::RunMetric::step ? 1 / share : share;
}

MeasuredBeside besideOf(const MeasuredThroughput& measured, const physical::Device& device, double sequence) {
    const TrainingRun& run = measured.run;
    MeasuredBeside beside{.id = run.id,
                          .source = measured.source,
                          .software = run.software,
                          .accelerator = run.accelerator,
                          .dtype = run.dtype,
                          .accelerators = run.accelerators,
                          .globalBatch = run.globalBatch,
                          .microBatch = run.microBatch,
                          .tokensPerSecond = tokensOf(measured, sequence)};
    using plan::Axis;
    for (const auto& [axis, degree] : {std::pair(Axis::tensor, run.tensorParallel),
                                       {Axis::pipeline, run.pipelineParallel},
                                       {Axis::data, run.dataParallel},
                                       {Axis::context, run.contextParallel},
                                       {Axis::expert, run.expertParallel},
                                       {Axis::chunks, run.virtualStages}})
        beside.degree(axis) = degree.value_or(0);
    if (const std::optional<double> share = predictedShare(measured, device))
        beside.predicted = *share * beside.tokensPerSecond;
    return beside;
}

/// Whether rows of a data type stand beside a plan: it is one of the plan's, or its products are as fast.
bool isOfPlan(const PlanOutcome& outcome, const physical::Device& device, const std::string& dtype) {
    return std::any_of(outcome.dtypes.begin(), outcome.dtypes.end(), [&](const std::string& its) {
        return its == dtype || physical::alikeType(device, its) == dtype;
    });
}

}  // namespace

void addMeasured(PlanOutcome& outcome, const physical::MeasuredTable& table) {
    if (!outcome.shape) return;
    physical::DeviceLibrary devices;
    std::set<std::string> accelerators;
    std::map<std::string, std::int64_t> elsewhere;
    for (const PlannedGroup& group : outcome.groups) accelerators.insert(group.accelerator);
    for (const std::string& accelerator : accelerators) {
        std::string refusal;
        const physical::Device* device = devices.deviceNamed(accelerator, refusal);
        if (device == nullptr) continue;
        for (const MeasuredThroughput& each : measuredTransformers(table, *outcome.shape, accelerator)) {
            if (each.run.dtype.empty()) continue;  // nobody knows what it is to be compared with
            if (isOfPlan(outcome, *device, each.run.dtype))
                outcome.measured.push_back(besideOf(each, *device, outcome.sequence));
            else
                ++elsewhere[each.run.dtype];
        }
    }
    for (const auto& [dtype, runs] : elsewhere) outcome.measuredElsewhere.push_back({dtype, runs});
    const double planned =
        outcome.best() != nullptr ? outcome.best()->scores.of(plan::Objective::accelerators) : outcome.accelerators();
    const auto orderOf = [&](const MeasuredBeside& its) {
        return std::tuple(std::abs(std::log(static_cast<double>(its.accelerators) / planned)), -its.tokensPerSecond,
                          its.id);
    };
    std::stable_sort(outcome.measured.begin(), outcome.measured.end(),
                     [&](const auto& a, const auto& b) { return orderOf(a) < orderOf(b); });
}

}  // namespace tessera::study
