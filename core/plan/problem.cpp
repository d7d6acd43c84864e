#include "core/plan/problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/hardware/level.h"
#include "core/hardware/rate_between.h"
#include "core/physical/device.h"
#include "core/physical/topology.h"
#include "core/physical/training_predictor.h"
#include "core/physical/utilisation.h"
#include "core/plan/layered.h"

namespace tessera::plan {

namespace {

using hardware::TopologyLevel;

/// How a group's accelerators are joined, as a step sees it.
struct Joined {
    int perNode = 1;
    double networkRate = 0;  ///< of one accelerator beyond; 0: there is nothing beyond
};

Joined joinedOf(const hardware::Group& group) {
    // A group of which only its network is known has no nodes.
    if (group.levels.empty() && group.network) return {.perNode = 1, .networkRate = group.network->value};
    const std::vector<TopologyLevel> levels = physical::levelsOf(group);
    return {.perNode = static_cast<int>(levels.front().size), .networkRate = hardware::networkRateOf(group, levels)};
}

GroupVariant variantOf(const physical::TrainingRun& run, const physical::Device& device) {
    std::string refusal;
    const std::vector<physical::StepSetting> settings = physical::stepSettingsOf(run, device, refusal);
    if (settings.empty()) throw UsageError(refusal);
    const physical::StepSetting& setting = settings.front();
    const physical::StepFit& fit = physical::stepFitOf(setting.stack.fit, -1);
    return {.setting = setting,
            .constants = fit.constants,
            .spread = fit.spread,
            .allowance = physical::memoryFitOf(setting.stack.memory, -1).allowance};
}

/// A group without what its accelerators do.
PlanGroup bareGroupOf(const hardware::Group& given, const Joined& joined) {
    return {.name = given.name,
            .accelerator = given.reference.empty() ? given.accelerator.name : given.reference,
            .count = given.count,
            .perNode = joined.perNode,
            .networkRate = joined.networkRate,
            .pricePerHour = given.accelerator.pricePerHourUsd};
}

PlanGroup groupOf(const hardware::Group& given, const physical::TrainingRun& model,
                  const std::vector<std::string>& dtypes) {
    const Joined joined = joinedOf(given);
    const physical::Device device = physical::deviceIn(given);
    PlanGroup group = bareGroupOf(given, joined);
    for (const std::string& dtype : dtypes) {
        physical::TrainingRun run = model;
        run.accelerator = device.id;
        run.dtype = dtype;
        run.accelerators = run.perNode = 1;
        run.tensorParallel = run.pipelineParallel = run.dataParallel = run.contextParallel = run.expertParallel = 1;
        run.microBatch = run.globalBatch = 1;
        GroupVariant variant = variantOf(run, device);
        variant.setting.perNode = joined.perNode;
        // Nothing leaves a group of one node, whatever stands here.
        const double rate = joined.networkRate > 0 ? joined.networkRate : std::max(device.linkBytesPerSecond, 1.0);
        variant.setting.nodeBytesPerSecond = rate * joined.perNode;
        group.variants.push_back(std::move(variant));
    }
    return group;
}

std::vector<std::vector<double>> ratesBetween(const hardware::Fleet& fleet, const std::vector<PlanGroup>& groups) {
    std::vector<std::vector<double>> between(groups.size(), std::vector<double>(groups.size(), 0));
    for (std::size_t a = 0; a < groups.size(); ++a)
        for (std::size_t b = a + 1; b < groups.size(); ++b)
            between[a][b] = between[b][a] = hardware::rateBetween(fleet, groups[a].name, groups[b].name,
                                                                  groups[a].networkRate, groups[b].networkRate);
    return between;
}

}  // namespace

int Problem::layers() const {
    return layered() ? static_cast<int>(layered()->graph.layers) : static_cast<int>(model().layers);
}

std::int64_t Problem::accelerators() const {
    std::int64_t sum = 0;
    for (const PlanGroup& group : groups) sum += group.count;
    return sum;
}

Problem problemOf(const hardware::Fleet& fleet, const physical::TrainingRun& run, double globalBatch,
                  const std::vector<std::string>& dtypes) {
    Problem problem{.run = run, .globalBatch = globalBatch, .dtypes = dtypes};
    for (const hardware::Group& group : fleet.groups) problem.groups.push_back(groupOf(group, run, dtypes));
    if (problem.groups.empty()) throw UsageError("the fleet has no group of accelerators");
    problem.sequence = problem.model().sequence;
    problem.between = ratesBetween(fleet, problem.groups);
    return problem;
}

Problem problemOf(const hardware::Fleet& fleet, std::vector<LayersOnGroup> layers, double globalBatch,
                  const std::string& dtype) {
    if (fleet.groups.empty()) throw UsageError("the fleet has no group of accelerators");
    Problem problem;
    problem.globalBatch = globalBatch;
    problem.dtypes = {dtype};
    for (std::size_t i = 0; i < fleet.groups.size(); ++i) {
        const hardware::Group& given = fleet.groups[i];
        const Joined joined = joinedOf(given);
        GroupVariant variant;
        variant.setting.device = physical::deviceIn(given);
        variant.setting.dtype = dtype;
        variant.setting.stack.id = layers[i].software;
        problem.groups.push_back(bareGroupOf(given, joined));
        problem.groups.back().variants = {std::move(variant)};
        problem.layersByGroup.push_back(std::make_shared<const LayeredModel>(std::move(layers[i].layers)));
    }
    problem.between = ratesBetween(fleet, problem.groups);
    followHardware(problem);
    return problem;
}

Problem problemOf(const physical::Device& device, const physical::TrainingRun& run, double globalBatch) {
    physical::TrainingRun one = run;
    one.tensorParallel = one.pipelineParallel = one.dataParallel = one.contextParallel = one.expertParallel = 1;
    one.microBatch = one.globalBatch = 1;
    GroupVariant variant = variantOf(one, device);
    const physical::StepSetting& setting = variant.setting;
    PlanGroup group{.name = device.id,
                    .accelerator = device.id,
                    .count = run.accelerators,
                    .perNode = setting.perNode,
                    .networkRate = setting.nodeBytesPerSecond / setting.perNode};
    Problem problem{.run = run, .globalBatch = globalBatch, .dtypes = {setting.dtype}};
    problem.sequence = setting.model.sequence;
    group.variants.push_back(std::move(variant));
    problem.groups.push_back(std::move(group));
    problem.between = {{0}};
    return problem;
}

double modelFlopOf(const Problem& problem) {
    if (problem.layered()) return problem.globalBatch * problem.layered()->sampleFlop;
    return 3 * problem.globalBatch * physical::forwardFlopOf(problem.model());
}

}  // namespace tessera::plan
