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

}  // namespace

StageMemoryModel::ParameterBytes StageMemoryModel::parameterBytesOf(const StepSetting& setting) {
    if (!setting.training) return {layerShareOf(setting).activationBytes, 0, 0};
    ParameterBytes bytes;
    if (layerShareOf(setting).activationBytes > 2) bytes = {4, 4, 8};
    // NVIDIA's stacks add gradients up in 32 bits.
    else if (setting.dtype != "fp16" && setting.stack.id.find("megatron-deepspeed") == std::string_view::npos &&
             setting.stack.id != "llm-foundry" && setting.stack.id != "torchtitan")
        bytes.gradient = 4;
    if (!setting.updates) bytes.optimizer = 0;
    return bytes;
}

/// Of parameters on a device that `group` devices hold alike.
double StageMemoryModel::heldBytes(double parameters, double group, ParameterBytes bytes, int zero) {
    if (zero >= 1) bytes.optimizer /= group;
    if (zero >= 2) bytes.gradient /= group;
    if (zero >= 3) bytes.weight /= group;
    return parameters * (bytes.weight + bytes.gradient + bytes.optimizer);
}

StageMemoryModel::StageMemoryModel(const StepSetting& setting)
    : share_(layerShareOf(setting)),
      parameters_(parametersOf(setting.model)),
      bytes_(parameterBytesOf(setting)),
      recompute_(setting.layout.recompute),
      training_(setting.training) {
    const Transformer& model = setting.model;
    const double routed = model.experts > 0 ? 1 - model.denseLayers / model.layers : 0;
    if (routed < 1) addLayer(setting, false, 1 - routed);
    if (routed > 0) addLayer(setting, true, routed);
    const double tokens = tokensOf(model, share_);
    boundary_ = tokens * model.hidden * share_.activationBytes / (share_.sequenceParallel ? share_.tensor : 1);
    logits_ = (training_ ? 6 : 4) * tokens * std::max(model.headShare, 0.0) * model.vocabulary / share_.tensor *
              share_.activationBytes / 2;
}

void StageMemoryModel::addLayer(const StepSetting& setting, bool routed, double share) {
    const LayerWork work = layerWorkOf(setting.model, share_, routed);
    common_ += share * (work.parameters - work.expertParameters);
    expert_ += share * work.expertParameters;
    kept_ += share * keptBytes(setting, routed);
}

StepMemory StageMemoryModel::stage(const StepLayout& layout, const StageKind& kind) const {
    const double group = layout.alike(), t = share_.tensor;
    double common = kind.layers * common_;
    if (kind.first) common += parameters_.embedding / t;
    if (kind.last) common += (parameters_.head + (kind.first || parameters_.head > 0 ? 0 : parameters_.embedding)) / t;
    StepMemory memory;
    memory.parameters = heldBytes(common, group, bytes_, layout.zero) +
                        heldBytes(kind.layers * expert_, layout.alikeExperts(), bytes_, layout.zero);
    if (layout.zero >= 3 && group > 1) memory.parameters += 2 * (common_ + expert_) * share_.activationBytes;
    const bool full = recompute_ == Recompute::full;
    if (training_) {
        memory.activations = inFlightOf(layout, kind.position) * kind.layers * (full ? boundary_ : kept_);
        memory.working = full ? kept_ : 0;
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
    StepMemory most = model.stage(layout, {layers.first, 0, true, p == 1});
    std::vector<StageKind> others;
    if (p > 1) others.push_back({layers.last, p - 1, false, true});
    if (p > 2) others.push_back({layers.fullest, 1, false, false});
    for (const StageKind& kind : others)
        if (const StepMemory memory = model.stage(layout, kind); memory.total() > most.total()) most = memory;
    return most;
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
