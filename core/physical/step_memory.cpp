#include "core/physical/step_memory.h"

#include <algorithm>
#include <cmath>

namespace tessera::physical {
namespace {

/// Micro-batches in flight on stage `stage`, in whole stages.
double inFlightOf(const StepLayout& layout, double stage) {
    const double p = layout.pipeline, m = layout.microBatches, v = layout.chunks, left = p - stage;
    switch (layout.schedule) {
        case PipelineSchedule::gpipe:
            return m;
        case PipelineSchedule::interleaved:
            return std::min(m, (p * (v - 1) + 2 * left - 1) / v);
        case PipelineSchedule::zbH2:
        case PipelineSchedule::zb2p:
            return std::min(
                m, std::max(2 * left - 1, 1.0) + (layout.schedule == PipelineSchedule::zb2p ? 1 + 2 * stage : 0));
        case PipelineSchedule::zb1p:
        case PipelineSchedule::zbV:
            return std::min(m, p);
        default:
            return std::min(m, left);
    }
}

/// What one layer keeps for its backward pass of one micro-batch.
double keptBytes(const StepSetting& setting, bool withExperts) {
    const Transformer& model = setting.model;
    const LayerShare share = layerShareOf(setting);
    const double t = share.tensor, tokens = tokensOf(model, share), unit = share.activationBytes / 2;
    const double own = (model.heads + 2 * model.keyHeads) * model.headSize + model.heads * model.headSize;
    // Inputs of two norms and two products, with masks of dropout where there is any.
    double whole = (model.biased ? 10 : 8) * model.hidden;
    double split = 2 * own;
    const double passes = model.gated ? 6 : 4;
    if (withExperts) {
        split += model.expertsPerToken * (passes * model.expertFfn + 4 * model.hidden);
        split += model.sharedExperts * passes * model.expertFfn;
    } else {
        split += passes * model.ffn;
    }
    if (share.sequenceParallel) whole /= t;
    double bytes = tokens * unit * (whole + split / t);
    if (!share.fusedAttention && setting.layout.recompute == Recompute::none)
        bytes += 5 * unit * share.samples * model.heads / t * model.sequence / share.context * model.sequence;
    return bytes;
}

/// What selective recomputation by operators leaves of a layer: its input, every second of its products in their order
/// (queries, values, the first and the last one of the feed-forward part) and the result of attention.
double everySecondBytes(const StepSetting& setting, bool withExperts) {
    const Transformer& model = setting.model;
    const LayerShare share = layerShareOf(setting);
    const double t = share.tensor, bytes = share.activationBytes, hidden = model.hidden;
    const double split = (2 * model.heads + model.keyHeads) * model.headSize + (withExperts ? 0 : model.ffn);
    // Where tensors are split, sums over them are kept beside what a device has of them.
    const double whole = t > 1 ? hidden * (1 + 2 / t) : 2 * hidden;
    return tokensOf(model, share) * bytes * (split / t + whole);
}

}  // namespace

StageMemoryModel::ParameterBytes StageMemoryModel::parameterBytesOf(const StepSetting& setting) {
    if (!setting.training) return {layerShareOf(setting).activationBytes, 0, 0};
    ParameterBytes bytes;
    if (layerShareOf(setting).activationBytes > 2 || setting.stack.sharding == StackSharding::fsdp2) bytes = {4, 4, 8};
    // NVIDIA's stacks add gradients up in 32 bits.
    else if (setting.dtype != "fp16" && setting.stack.id.find("megatron-deepspeed") == std::string_view::npos &&
             setting.stack.id != "llm-foundry")
        bytes.gradient = 4;
    if (!setting.updates) bytes.optimizer = 0;
    return bytes;
}

double StageMemoryModel::heldBytes(double parameters, double group, const StepLayout& layout) const {
    ParameterBytes bytes = bytes_;
    if (layout.zero >= 1) bytes.optimizer /= group;
    if (layout.zero >= 2) bytes.gradient /= group;
    if (layout.zero >= 3) bytes.weight /= group;
    if (sharding_ == StackSharding::fsdp2 && layout.zero == 2) {
        // Gathered beside the shards; gradients are added up whole until the last micro-batch of a pipeline.
        bytes.weight = bytes.weight / group + share_.activationBytes;
        if (layout.pipeline > 1) bytes.gradient = bytes_.gradient + bytes.gradient;
    }
    return parameters * (bytes.weight + bytes.gradient + bytes.optimizer);
}

double StageMemoryModel::gatheredBytes(const StageKind& kind) const {
    double gathered = 2 * (common_ + expert_);
    const double head = parameters_.head > 0 ? parameters_.head : parameters_.embedding;
    if (sharding_ == StackSharding::fsdp2 && kind.last) gathered += head / share_.tensor;
    return gathered * share_.activationBytes;
}

double StageMemoryModel::lossBytes(const StepSetting& setting) const {
    const Transformer& model = setting.model;
    const double tokens = tokensOf(model, share_), unit = share_.activationBytes / 2;
    const double logits = tokens * std::max(model.headShare, 0.0) * model.vocabulary / share_.tensor;
    // Of 16 bits, their softmax in 32, its gradient and that of its logarithm.
    constexpr double kInParts = 2 + 3 * 4;
    if (!training_ || !setting.stack.lossInParts) return (training_ ? 6 : 4) * logits * unit;
    const double input = share_.tensor > 1 ? 2 * tokens * model.hidden * unit : 0;
    return kInParts * logits + input;
}

StageMemoryModel::StageMemoryModel(const StepSetting& setting)
    : share_(layerShareOf(setting)),
      parameters_(parametersOf(setting.model)),
      bytes_(parameterBytesOf(setting)),
      recompute_(setting.layout.recompute),
      sharding_(setting.stack.sharding),
      buckets_(setting.stack.gradientBuckets),
      training_(setting.training) {
    const Transformer& model = setting.model;
    const double routed = model.experts > 0 ? 1 - model.denseLayers / model.layers : 0;
    if (routed < 1) addLayer(setting, false, 1 - routed);
    if (routed > 0) addLayer(setting, true, routed);
    const double tokens = tokensOf(model, share_);
    boundary_ = tokens * model.hidden * share_.activationBytes / (share_.sequenceParallel ? share_.tensor : 1);
    logits_ = lossBytes(setting);
    if (recompute_ == Recompute::full) stored_ = boundary_;
}

void StageMemoryModel::addLayer(const StepSetting& setting, bool routed, double share) {
    const LayerWork work = layerWorkOf(setting.model, share_, routed);
    common_ += share * (work.parameters - work.expertParameters);
    expert_ += share * work.expertParameters;
    const double kept = keptBytes(setting, routed);
    const bool byOperators = setting.stack.keepsEverySecond && recompute_ == Recompute::selective;
    kept_ += share * kept;
    stored_ += share * (byOperators ? std::min(everySecondBytes(setting, routed), kept) : kept);
}

StepMemory StageMemoryModel::stage(const StepLayout& layout, const StageKind& kind) const {
    const double group = layout.alike(), t = share_.tensor;
    double common = kind.layers * common_;
    if (kind.first) common += parameters_.embedding / t;
    if (kind.last) common += (parameters_.head + (kind.first || parameters_.head > 0 ? 0 : parameters_.embedding)) / t;
    StepMemory memory;
    memory.parameters =
        heldBytes(common, group, layout) + heldBytes(kind.layers * expert_, layout.alikeExperts(), layout);
    if (layout.zero >= 3 && group > 1) memory.parameters += gatheredBytes(kind);
    // An engine with a pipeline reduces after its backward passes, when activations are gone.
    if (training_ && layout.pipeline == 1 && layout.zero >= 1 && group > 1) memory.parameters += buckets_;
    if (training_) {
        memory.activations = inFlightOf(layout, kind.position) * kind.layers * stored_;
        // What is computed again of the layer at work.
        memory.working = stored_ < kept_ ? kept_ : 0;
    } else {
        memory.working = kept_;
    }
    if (kind.last) memory.working = std::max(memory.working, logits_);
    return memory;
}

StepMemory stepMemoryOf(const StepSetting& setting) {
    const StageLayers layers = stageLayersOf(setting.model, setting.layout);
    const double p = setting.layout.pipeline;
    const StageMemoryModel model(setting);
    const StepLayout& layout = setting.layout;
    StepMemory max = model.stage(layout, {layers.first, 0, true, p == 1});
    std::vector<StageKind> others;
    if (p > 1) others.push_back({layers.last, p - 1, false, true});
    if (p > 2) others.push_back({layers.fullest, 1, false, false});
    for (const StageKind& kind : others)
        if (const StepMemory memory = model.stage(layout, kind); memory.total() > max.total()) max = memory;
    return max;
}

double keptForWeightsOf(const StepSetting& setting) {
    const Transformer& model = setting.model;
    const double scores = setting.stack.fusedAttention ? 0 : 5 * model.heads * model.sequence;
    return 32 * model.hidden / (34 * model.hidden + scores);
}

bool fitsDevice(const StepSetting& setting, double allowance) {
    return setting.device.memory <= 0 || stepMemoryOf(setting).total() + allowance <= setting.device.memory;
}

}  // namespace tessera::physical
