#include <algorithm>
#include <cstddef>
#include <memory>

#include "core/plan/judge_data.h"
#include "core/plan/overfull.h"
#include "core/plan/rules.h"

namespace tessera::plan {

using physical::LayerTimes;
using physical::StepLayout;

namespace {

constexpr double kMessageStart = 10e-6;  // s, of a message that leaves a node

/// Layers of a count that may be endless, at most `most`.
int wholeLayers(double count, int most) {
    if (!(count > 0)) return 0;
    return count >= most ? most : static_cast<int>(count);
}

bool isSideBySide(const Configuration& configuration) {
    return configuration.parts.size() > 1 && !configuration.isStacked();
}

}  // namespace

/// The model of a group whose collectives and messages reach the network at a rate.
GroupModel& Judge::Data::model(std::size_t group, double rate) {
    auto& found = models[{group, rate}];
    if (!found) found = std::make_unique<GroupModel>(problem.groups[group], like, rate);
    return *found;
}

/// The rate of the network between the nodes that a part's replicas span.
double Judge::Data::rateOf(const Configuration& configuration, const Part& part) const {
    const PlanGroup& group = problem.groups[part.group];
    double rate = group.networkRate;
    if (!configuration.isStacked())
        for (const Part& other : configuration.parts) {
            if (other.group == part.group) continue;
            const double between = problem.between[part.group][other.group];
            rate = rate > 0 ? std::min(rate, between) : between;
        }
    if (rate > 0) return rate;
    // Nothing leaves a group of one node, whatever stands here.
    return std::max(group.variants[like.dtype].setting.device.linkBytesPerSecond, 1.0);
}

PlacedParts Judge::Data::placedOf(const Configuration& configuration) {
    PlacedParts placed;
    int stage = 0;
    for (const Part& part : configuration.parts) {
        PlacedPart each{.part = &part, .layout = layoutOf(configuration, part), .first = stage};
        each.model = &model(part.group, rateOf(configuration, part));
        if (configuration.isStacked()) stage += part.stages;
        // Side by side, the pipeline is taken to be full.
        if (isSideBySide(configuration)) each.layout.microBatches = allMicroBatches(problem, configuration);
        placed.push_back(each);
    }
    return placed;
}

/// Seconds of a micro-batch from stage to stage: the slowest hop counts.
double Judge::Data::transferOf(const Configuration& configuration, const PlacedParts& placed) const {
    double slowest = 0;
    for (const PlacedPart& each : placed) slowest = std::max(slowest, each.model->transfer(each.layout));
    if (!configuration.isStacked()) return slowest;
    const GroupModel& front = *placed.front().model;
    const physical::LayerShare share = layerShareOf(front.setting());
    const double bytes =
        tokensOf(problem.model(), share) * problem.model().hidden * share.activationBytes / share.tensor;
    for (std::size_t i = 1; i < placed.size(); ++i) {
        const double rate = problem.between[placed[i - 1].part->group][placed[i].part->group];
        slowest = std::max(slowest, kMessageStart + bytes / (rate * front.constants().network));
    }
    return slowest;
}

double Judge::Data::pipelineSeconds(const Configuration& configuration, const PlacedPart& placed,
                                    const DivisionCost& cost, double microBatches, double hop) {
    StepLayout layout = placed.layout;
    layout.pipeline = configuration.pipeline;
    layout.microBatches = microBatches;
    const LayerTimes& times = placed.times();
    const double full = cost.fullest;
    return physical::pipelineSecondsOf(
        layout, {.longest = cost.longest,
                 .all = cost.all,
                 .stage = {full * times.forward, full * (times.backward - times.weights), full * times.weights},
                 .transfer = hop});
}

/// Of a whole pipeline on one group.
DivisionCost Judge::Data::costOn(const PlacedPart& placed, const RowChoice& choice) const {
    const LayerTimes& times = placed.times();
    const bool isPipeline = placed.part->stages > 1;
    const double others = isPipeline ? choice.others * times.both() : 0;
    return {.longest = std::max(others, choice.last * times.both() + times.head()),
            .all = layers * times.both() + times.head(),
            .once = 0,
            .fullest = isPipeline ? choice.fullest() : choice.last};
}

/// Seconds of each part's pipelines by their micro-batches, of which they are a linear function.
std::vector<SharingPipelines> Judge::Data::sharingOf(const Configuration& configuration, const PlacedParts& placed,
                                                     const RowChoice& choice, double hop) const {
    std::vector<SharingPipelines> pipelines;
    for (const PlacedPart& part : placed) {
        const DivisionCost cost = costOn(part, choice);
        const double one = pipelineSeconds(configuration, part, cost, 1, hop);
        const double each = pipelineSeconds(configuration, part, cost, 2, hop) - one;
        pipelines.push_back({.start = one - each, .each = each, .replicas = part.part->replicas});
    }
    return pipelines;
}

/// Most layers of each stage of a part; 0 where not even one fits.
std::vector<int> Judge::Data::mostLayers(const PlacedPart& placed) const {
    std::vector<int> most;
    const double capacity = placed.model->capacity(), allowance = placed.model->variant().allowance;
    for (int s = 0; s < placed.part->stages; ++s) {
        const StageBytes bytes = placed.model->bytesAt(placed.layout, placed.first + s);
        most.push_back(wholeLayers((capacity - allowance - bytes.fixed.total()) / bytes.layer.total(), layers));
    }
    return most;
}

/// Most layers of each stage where all parts hold the same.
std::vector<int> Judge::Data::mostLayersOfAll(const PlacedParts& placed) const {
    std::vector<int> most = mostLayers(placed.front());
    for (std::size_t i = 1; i < placed.size(); ++i) {
        const std::vector<int> own = mostLayers(placed[i]);
        for (std::size_t s = 0; s < most.size(); ++s) most[s] = std::min(most[s], own[s]);
    }
    return most;
}

/// Of a stage with so many layers.
Shortage Judge::Data::shortageAt(const PlacedPart& placed, int stage, int held) {
    return {.stage = stage,
            .group = placed.part->group,
            .memory = placed.model->memoryOf(placed.layout, stage, held),
            .allowance = placed.model->variant().allowance,
            .capacity = placed.model->capacity()};
}

/// What lacks for the division of layers that comes closest to fitting.
Shortage Judge::Data::shortageOf(const Configuration& configuration, const PlacedParts& placed) const {
    std::vector<StageNeed> needs;
    std::vector<const PlacedPart*> owners;
    for (const PlacedPart& each : placed)
        for (int s = each.first; s < each.first + each.part->stages; ++s) {
            const StageBytes bytes = each.model->bytesAt(each.layout, s);
            needs.push_back({.stage = static_cast<std::size_t>(s),
                             .fixed = bytes.fixed.total() + each.model->variant().allowance,
                             .layer = bytes.layer.total(),
                             .capacity = each.model->capacity()});
            owners.push_back(&each);
        }
    const BindingNeed binding = bindingNeedOf(layers, static_cast<std::size_t>(configuration.pipeline), needs);
    return shortageAt(*owners[binding.need], static_cast<int>(needs[binding.need].stage), binding.layers);
}

}  // namespace tessera::plan
