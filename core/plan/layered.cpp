#include "core/plan/layered.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::plan {

using physical::Recompute;

namespace {

template <typename Value>
bool isAmong(const std::vector<Value>& values, Value value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

/// Whole models on several groups, as many on each as it has accelerators at most.
bool canLieSideBySide(const Problem& problem, const Configuration& configuration) {
    if (configuration.pipeline > 1 || !configuration.isSideBySide() || !problem.layered()->shared) return false;
    return std::all_of(configuration.parts.begin(), configuration.parts.end(), [&](const Part& part) {
        return part.replicas >= 1 && part.replicas <= problem.groups[part.group].count;
    });
}

std::string listed(const std::vector<int>& values) {
    return fmt::format("{}", fmt::join(values, ", "));
}

}  // namespace

LayeredModel layersOfFile(const codesign::PlacementFile& file, double optimizerState) {
    LayeredModel layered;
    layered.graph = file.graph;
    for (const std::int64_t id : file.layers) layered.names.push_back(fmt::format("{}", id));
    layered.tensors.clear();
    for (const codesign::DegreeCosts& costs : file.problem.byDegree)
        layered.tensors.push_back(static_cast<int>(costs.degree));
    std::sort(layered.tensors.begin(), layered.tensors.end());
    layered.micros = {1};
    layered.recomputes = {file.problem.recompute ? Recompute::full : Recompute::none};
    layered.ofReplicas = false;
    layered.problem = [given = file.problem, optimizerState](const Configuration& like) {
        codesign::PlacementProblem problem = given;
        std::erase_if(problem.byDegree, [&](const auto& costs) { return costs.degree != like.tensor; });
        problem.optimizerState = optimizerState;
        problem.recompute = like.recompute == Recomputation::full;
        return problem;
    };
    return layered;
}

Problem problemOf(LayeredModel layers, std::int64_t accelerators, double globalBatch) {
    Problem problem;
    problem.globalBatch = globalBatch;
    problem.dtypes = {"as the layers' costs"};
    problem.groups = {{.name = "accelerators", .accelerator = {}, .count = accelerators}};
    problem.between = {{0}};
    problem.layersByGroup = {std::make_shared<const LayeredModel>(std::move(layers))};
    return problem;
}

void followHardware(Problem& problem) {
    for (std::size_t group = 0; group < problem.layersByGroup.size(); ++group)
        if (auto& layers = problem.layersByGroup[group]; layers->on)
            layers = std::make_shared<const LayeredModel>(layers->on(problem.groups[group]));
}

Fault layeredFaultOfDegrees(const Problem& problem, const Configuration& configuration) {
    const LayeredModel& layered = *problem.layered();
    if (!isAmong(layered.tensors, configuration.tensor)) return Fault::heads;
    if (configuration.pipeline < 1 || configuration.pipeline > problem.layers()) return Fault::stages;
    if (configuration.context > 1) return Fault::sequence;
    if (configuration.expert > 1 || configuration.wholeExperts) return Fault::experts;
    const auto batch = static_cast<std::int64_t>(problem.globalBatch);
    if (configuration.micro < 1 || batch % configuration.micro != 0) return Fault::batch;
    if (!layered.micros.empty() && !isAmong(layered.micros, configuration.micro)) return Fault::batch;
    const int all = allMicroBatches(problem, configuration);
    if (configuration.data < 1 || configuration.data > all) return Fault::batch;
    const bool isAlone = configuration.parts.size() == 1;
    if (isAlone && layered.ofReplicas && all % configuration.data != 0) return Fault::batch;
    if (!isAlone && !canLieSideBySide(problem, configuration)) return Fault::accelerators;
    if (std::none_of(layered.recomputes.begin(), layered.recomputes.end(),
                     [&](physical::Recompute each) { return onAllStages(each) == configuration.recompute; }))
        return Fault::recompute;
    return Fault::none;
}

Fault layeredFaultOfVariant(const Problem& problem, const Configuration& configuration) {
    if (configuration.schedule != physical::PipelineSchedule::oneForwardOneBackward) return Fault::schedule;
    if (configuration.chunks != 1) return Fault::chunks;
    if (!isAmong(problem.layered()->zeros, configuration.zero)) return Fault::zero;
    if (configuration.zero > 0 && configuration.data < 2) return Fault::zero;
    if (configuration.order != Configuration().order) return Fault::order;
    return Fault::none;
}

std::string layeredFaultText(const Problem& problem, const Configuration& configuration) {
    const LayeredModel& layered = *problem.layered();
    switch (faultOf(problem, configuration)) {
        case Fault::none:
            return {};
        case Fault::heads:
            return fmt::format("the layers have no costs at a tensor-parallel degree of {}; expected one of {}",
                               configuration.tensor, listed(layered.tensors));
        case Fault::stages:
            return fmt::format("{} pipeline stages are more than {} layers", configuration.pipeline, problem.layers());
        case Fault::sequence:
            return "layers with costs of their own are not split along sequences";
        case Fault::experts:
            return "layers with costs of their own have no expert parallelism";
        case Fault::batch:
            return fmt::format(
                "{} replicas of micro-batches of {} do not divide the global batch of {}, or there are no "
                "costs of such micro-batches",
                configuration.data, configuration.micro, formatCount(problem.globalBatch));
        case Fault::accelerators:
            return configuration.isSideBySide() && problem.layered()->shared
                       ? "layers with costs of their own lie on several groups of accelerators as whole models alone, "
                         "at most as many as each has accelerators"
                       : "layers with costs of their own lie on one group of accelerators";
        case Fault::chunks:
        case Fault::schedule:
            return "layers with costs of their own run 1f1b without virtual stages";
        case Fault::zero:
            return fmt::format("the layers have no costs with ZeRO {} and {}", configuration.zero,
                               formatCounted(configuration.data, "replica", "replicas"));
        case Fault::recompute:
            return fmt::format("the layers have no costs with recomputation {}",
                               kRecomputationNames.of(configuration.recompute));
        case Fault::order:
            return "layers with costs of their own have their ranks in one order";
    }
    return {};
}

}  // namespace tessera::plan
