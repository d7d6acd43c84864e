#include "core/plan/transformer_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/plan/group_model.h"
#include "core/plan/rules.h"

namespace tessera::plan {

using codesign::LayerCosts;
using codesign::PlacementProblem;
using physical::StepLayout;
using physical::StepMemory;

namespace {

constexpr double kMaxMemory = 1e18;  // bytes, of an accelerator whose memory is not known

/// Bytes/s of one accelerator of a group beyond its node.
double rateBeyond(const PlanGroup& group, std::size_t dtype) {
    if (group.networkRate > 0) return group.networkRate;
    // Nothing leaves a group of one node, whatever stands here.
    return std::max(group.variants[dtype].setting.device.linkBytesPerSecond, 1.0);
}

/// A sort of layers of a transformer on a device.
class LayerSort {
public:
    /// With routed experts, or without.
    LayerSort(const PlanGroup& group, const Configuration& like, bool routed)
        : group_(groupWith(group, like.dtype, routed)), model_(group_, like, rateBeyond(group, like.dtype)) {
        physical::StepSetting setting = model_.setting();
        setting.updates = false;
        withoutUpdate_ = std::make_unique<physical::StageMemoryModel>(setting);
    }

    GroupModel& model() { return model_; }

    /// One layer without embedding and head. Reductions of several layers are done together: each takes its part.
    LayerCosts costs(const StepLayout& layout, int together) {
        const physical::LayerTimes& times = model_.times(layout);
        const StepMemory memory = layer(layout);
        const double all = model_.once(layout, together).both() - model_.once(layout, 0).both();
        return {.weights = {memory.parameters},
                .activations = {memory.activations},
                .forward = {times.forward},
                .backward = {times.backward},
                .tensorParallel = layout.tensor > 1,
                .update = {std::max(all, 0.0) / together}};
    }

    /// Bytes of the optimizer over those of weights and gradients.
    double optimizerShare(const StepLayout& layout) const {
        const double held = withoutUpdate_->stage(layout, {.layers = 1}).parameters -
                            withoutUpdate_->stage(layout, {.layers = 0}).parameters;
        return layer(layout).parameters / held - 1;
    }

private:
    /// The group with a model whose layers are all of one sort.
    static PlanGroup groupWith(PlanGroup group, std::size_t dtype, bool routed) {
        physical::Transformer& model = group.variants[dtype].setting.model;
        if (!routed) model.experts = 0;
        model.denseLayers = 0;
        return group;
    }

    /// What a layer adds to the last stage of a pipeline, where one micro-batch is in flight.
    StepMemory layer(const StepLayout& layout) const {
        const StepMemory none = model_.memoryOf(layout, layout.pipeline - 1, 0);
        const StepMemory one = model_.memoryOf(layout, layout.pipeline - 1, 1);
        return {one.parameters - none.parameters, one.activations - none.activations, 0};
    }

    PlanGroup group_;
    GroupModel model_;
    std::unique_ptr<physical::StageMemoryModel> withoutUpdate_;
};

/// The costs of a configuration's layers.
class TransformerCosts {
public:
    TransformerCosts(const Problem& problem, std::size_t group, std::int64_t accelerators, const Configuration& like)
        : problem_(problem), group_(problem.groups[group]), accelerators_(accelerators), like_(like) {
        Configuration at = like;
        const int microBatches = allMicroBatches(problem, like) / like.data;
        at.pipeline = 1;
        whole_ = layoutOf(at, {.group = group, .microBatches = microBatches});
        at.pipeline = 3;  // the first stage, one between, and the last one
        layout_ = like.pipeline == 1 ? whole_ : layoutOf(at, {.group = group, .microBatches = microBatches});
    }

    PlacementProblem problem() {
        const physical::Transformer& model = problem_.model();
        const int layers = problem_.layers();
        const int dense = model.experts > 0 ? static_cast<int>(model.denseLayers) : layers;
        codesign::DegreeCosts costs{.degree = like_.tensor, .layers = {}, .edges = {}};
        PlacementProblem made;
        for (const bool routed : {true, false}) {
            if ((routed ? layers - dense : dense) == 0) continue;
            LayerSort sort(group_, like_, routed);
            const LayerCosts layer = sort.costs(layout_, layers);
            costs.layers.insert(routed ? costs.layers.end() : costs.layers.begin(),
                                static_cast<std::size_t>(routed ? layers - dense : dense), layer);
            made.optimizerState = sort.optimizerShare(layout_);
            made.beside = {sort.model().variant().allowance};
        }
        GroupModel all(group_, like_, rateBeyond(group_, like_.dtype));
        addEnds(all, costs, made);
        finish(all, std::move(costs), made);
        return made;
    }

private:
    /// The embedding on the first layer, the head on the last one, and what the layer at work takes everywhere.
    void addEnds(GroupModel& all, codesign::DegreeCosts& costs, PlacementProblem& made) const {
        const int last = layout_.pipeline - 1;
        const StepMemory first = all.memoryOf(layout_, 0, 0), end = all.memoryOf(layout_, last, 0);
        const double working = last > 0 ? all.memoryOf(layout_, 1, 0).working : 0;
        LayerCosts& front = costs.layers.front();
        LayerCosts& back = costs.layers.back();
        front.weights += Bytes{first.parameters};
        front.update += Seconds{all.once(layout_, 0).both()};
        if (last > 0) back.weights += Bytes{end.parameters};
        const physical::LayerTimes& times = all.times(layout_);
        back.forward += Seconds{times.headForward};
        back.backward += Seconds{times.headBackward};
        back.activations += Bytes{end.working - working};
        made.beside += Bytes{working};
    }

    void finish(GroupModel& all, codesign::DegreeCosts costs, PlacementProblem& made) const {
        // Weights and gradients are twice the weights, the optimizer's state a multiple of these.
        for (LayerCosts& layer : costs.layers) layer.weights = layer.weights / (2 * (1 + made.optimizerState));
        made.optimizerState *= 2;
        const double hidden = all.setting().model.hidden;
        const physical::LayerShare share = layerShareOf(all.setting());
        const double handed = tokensOf(problem_.model(), share) * hidden * share.activationBytes / share.tensor;
        costs.edges.assign(costs.layers.size() - 1, Bytes{handed});
        made.byDegree = {std::move(costs)};
        made.accelerators = accelerators_;
        made.microBatches = allMicroBatches(problem_, like_);
        made.memory = {std::min(all.capacity(), kMaxMemory)};
        made.bandwidth = {rateBeyond(group_, like_.dtype)};
        codesign::SteadyPipeline steady{.replicas = like_.data};
        StepLayout layout = layout_;
        for (int stages = 1; stages <= problem_.layers(); ++stages) {
            layout.pipeline = stages;
            layout.microBatches = static_cast<double>(codesign::microBatchesOfReplica(made.microBatches, like_.data));
            const double hops = hopSeconds1F1B(layout, all.transfer(layout));
            steady.filling.push_back(Seconds{all.constants().start + hops});
        }
        made.steady = std::move(steady);
    }

    const Problem& problem_;
    const PlanGroup& group_;
    std::int64_t accelerators_;
    const Configuration& like_;
    StepLayout whole_, layout_;
};

std::vector<int> degreesOf(const physical::Transformer& model, std::int64_t accelerators) {
    std::vector<int> degrees;
    for (int degree = 1; degree <= std::min<double>(model.heads, static_cast<double>(accelerators)); ++degree)
        if (std::fmod(model.heads, degree) == 0) degrees.push_back(degree);
    return degrees;
}

}  // namespace

LayeredModel transformerLayers(std::shared_ptr<const Problem> problem, std::size_t group, std::int64_t accelerators) {
    LayeredModel layered;
    layered.graph.layers = static_cast<std::size_t>(problem->layers());
    for (std::size_t i = 0; i < layered.graph.layers; ++i) {
        layered.names.push_back(fmt::format("layer{}", i));
        if (i > 0) layered.graph.edges.push_back({i - 1, i});
    }
    layered.tensors = degreesOf(problem->model(), accelerators);
    if (!problem->groups[group].variants.front().setting.stack.fusedAttention)
        layered.recomputes.push_back(physical::Recompute::selective);
    layered.recomputes.push_back(physical::Recompute::full);
    layered.zeros = {0, 1};
    layered.spread = problem->groups[group].variants.front().spread;
    layered.problem = [problem = std::move(problem), group, accelerators](const Configuration& like) {
        return TransformerCosts(*problem, group, accelerators, like).problem();
    };
    return layered;
}

}  // namespace tessera::plan
