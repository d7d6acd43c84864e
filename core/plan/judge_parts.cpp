#include <algorithm>
#include <cstddef>
#include <memory>

#include "core/plan/judge_data.h"
#include "core/plan/rules.h"

namespace tessera::plan {

using physical::LayerTimes;
using physical::StepLayout;

namespace {

constexpr double kMessageStart = 10e-6;  // s, of a message that leaves a node

}  // namespace

double priceOf(const Configuration& configuration, const PlacedPart& placed, double seconds) {
    const auto count = static_cast<double>(configuration.perStage() * placed.part->stages * placed.part->replicas);
    return placed.model->group().priceOf(count, seconds);
}

double longestStart(const PlacedParts& placed) {
    double start = 0;
    for (const PlacedPart& each : placed) start = std::max(start, each.model->constants().start);
    return start;
}

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
        each.microBatches = each.layout.microBatches;
        if (configuration.isSideBySide()) {
            const int all = allMicroBatches(problem, configuration);
            each.layout.microBatches = all;
            each.microBatches = static_cast<double>(all) / configuration.data;
        }
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
                 .transfer = hop,
                 .waits = waitsForHops(placed.model->setting().stack, layout.schedule)});
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

Shortage Judge::Data::shortageAt(const PlacedPart& placed, const HeldStage& held) {
    const int stage = static_cast<int>(held.stage);
    return {.stage = stage,
            .group = placed.part->group,
            .memory = placed.model->memoryOf(placed.layout, stage, held.layers),
            .allowance = placed.model->variant().allowance,
            .capacity = placed.model->capacity()};
}

Shortage Judge::Data::shortageAt(const PlacedPart& placed, const HeldStage& held, const RecomputedLayers& recomputed) {
    Shortage shortage = shortageAt(placed, held);
    shortage.memory = placed.model->memoryOf(placed.layout, shortage.stage, held.layers, recomputed);
    return shortage;
}

Shortage Judge::Data::minShortage(const PipelineNeeds& needs) const {
    const HeldStage held = needs.fullestOfEmptiest(layers);
    return shortageAt(*needs.fullest(held).placed, held);
}

}  // namespace tessera::plan
