#include "core/physical/step_memory.h"

#include <algorithm>
#include <cmath>

namespace tessera::physical {
namespace {

/// Bytes a parameter takes while it is trained: weights and gradients of 16 bits, master copy and two moments of 32; in
/// 32 bits all are.
struct ParameterBytes {
    double weight = 2, gradient = 2, optimizer = 12;
};

ParameterBytes parameterBytesOf(const StepSetting& setting) {
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

/// Bytes of parameters on a device that `group` devices hold alike.
double heldBytes(double parameters, double group, const StepSetting& setting) {
    ParameterBytes bytes = parameterBytesOf(setting);
    const int zero = setting.layout.zero;
    if (zero >= 1) bytes.optimizer /= group;
    if (zero >= 2) bytes.gradient /= group;
    if (zero >= 3) bytes.weight /= group;
    return parameters * (bytes.weight + bytes.gradient + bytes.optimizer);
}

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

/// A stage of a pipeline.
struct StageKind {
    double layers = 0, position = 0;
    bool first = false, last = false;
};

class MemoryBuilder {
public:
    explicit MemoryBuilder(const StepSetting& setting)
        : setting_(setting), share_(layerShareOf(setting)), parameters_(physical::parametersOf(setting.model)) {
        const Transformer& model = setting.model;
        routedShare_ = model.experts > 0 ? 1 - model.denseLayers / model.layers : 0;
        if (routedShare_ < 1) addLayer(false, 1 - routedShare_);
        if (routedShare_ > 0) addLayer(true, routedShare_);
    }

    StepMemory stage(const StageKind& kind) const {
        const StepLayout& layout = setting_.layout;
        const double group = static_cast<double>(layout.data) * layout.context, t = share_.tensor;
        const double tokens = tokensOf(setting_.model, share_);
        double common = kind.layers * commonParameters_;
        if (kind.first) common += parameters_.embedding / t;
        if (kind.last)
            common += (parameters_.head + (kind.first || parameters_.head > 0 ? 0 : parameters_.embedding)) / t;
        StepMemory memory;
        memory.parameters = heldBytes(common, group, setting_) +
                            heldBytes(kind.layers * expertParameters_, std::max(group / layout.expert, 1.0), setting_);
        if (layout.zero >= 3 && group > 1)
            memory.parameters += 2 * (commonParameters_ + expertParameters_) * share_.activationBytes;
        const double boundary =
            tokens * setting_.model.hidden * share_.activationBytes / (share_.sequenceParallel ? t : 1);
        const bool full = layout.recompute == Recompute::full;
        if (setting_.training) {
            memory.activations = inFlightOf(layout, kind.position) * kind.layers * (full ? boundary : kept_);
            memory.working = full ? kept_ : 0;
        } else {
            memory.working = kept_;
        }
        const double logits = (setting_.training ? 6 : 4) * tokens * std::max(setting_.model.headShare, 0.0) *
                              setting_.model.vocabulary / t * share_.activationBytes / 2;
        if (kind.last) memory.working = std::max(memory.working, logits);
        return memory;
    }

private:
    void addLayer(bool routed, double share) {
        const LayerWork work = layerWorkOf(setting_.model, share_, routed);
        commonParameters_ += share * (work.parameters - work.expertParameters);
        expertParameters_ += share * work.expertParameters;
        kept_ += share * keptBytes(setting_, routed);
    }

    const StepSetting& setting_;
    LayerShare share_;
    TransformerParameters parameters_;
    double routedShare_ = 0, commonParameters_ = 0, expertParameters_ = 0, kept_ = 0;
};

}  // namespace

StepMemory stepMemoryOf(const StepSetting& setting) {
    const StageLayers layers = stageLayersOf(setting.model, setting.layout);
    const double p = setting.layout.pipeline;
    const MemoryBuilder builder(setting);
    StepMemory most = builder.stage({layers.first, 0, true, p == 1});
    std::vector<StageKind> others;
    if (p > 1) others.push_back({layers.last, p - 1, false, true});
    if (p > 2) others.push_back({layers.fullest, 1, false, false});
    for (const StageKind& kind : others)
        if (const StepMemory memory = builder.stage(kind); memory.total() > most.total()) most = memory;
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
