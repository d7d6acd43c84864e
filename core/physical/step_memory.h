#pragma once

#include "core/physical/step.h"

namespace tessera::physical {

/// Bytes at the peak of a device of one pipeline stage, by what holds them.
struct StepMemory {
    double parameters = 0;   ///< weights, gradients, optimizer
    double activations = 0;  ///< of all micro-batches in flight
    double working = 0;      ///< of the layer or head at work
    double total() const { return parameters + activations + working; }
};

/// A stage of a pipeline.
struct StageKind {
    double layers = 0, position = 0;
    bool first = false, last = false;
};

/// The memory of stages of settings that share all but how stages and replicas are arranged: pipeline, data, chunks,
/// micro-batches, schedule and ZeRO are those of the layouts that it is given. Made once and asked often.
class StageMemoryModel {
public:
    explicit StageMemoryModel(const StepSetting& setting);
    /// Of a stage; its parameters and activations rise with its layers, `working` does not.
    StepMemory stage(const StepLayout& layout, const StageKind& kind) const;

private:
    /// Bytes a parameter takes while it is trained: weights and gradients of 16 bits, master copy and two moments of
    /// 32; in 32 bits all are.
    struct ParameterBytes {
        double weight = 2, gradient = 2, optimizer = 12;
    };
    static ParameterBytes parameterBytesOf(const StepSetting& setting);
    /// Of parameters on a device that `group` devices hold alike.
    double heldBytes(double parameters, double group, const StepLayout& layout) const;
    /// What ZeRO 3 gathers of a stage for the layer at work, the next one and the ends of the model.
    double gatheredBytes(const StageKind& kind) const;
    /// What the last stage takes for its logits and the loss.
    double lossBytes(const StepSetting& setting) const;
    void addLayer(const StepSetting& setting, bool routed, double share);

    LayerShare share_;
    TransformerParameters parameters_;
    ParameterBytes bytes_;
    Recompute recompute_;
    StackSharding sharding_;
    double buckets_;
    bool training_;
    double common_ = 0, expert_ = 0;  ///< parameters of a layer
    double kept_ = 0;                 ///< bytes of its activations, of one micro-batch
    double stored_ = 0;               ///< of them what recomputation leaves
    double boundary_ = 0;             ///< of the tensor between layers
    double logits_ = 0;
};

/// The memory of the fullest stage, without what the software holds beside it (class derived: Rajbhandari et al. 2020
/// for ZeRO; Korthikanti et al. 2022, sections 4 and 5, for activations; of FSDP2 and selective recomputation by
/// operators, what torchtitan's sources do: distributed/activation_checkpoint.py, components/loss.py).
StepMemory stepMemoryOf(const StepSetting& setting);

/// Share of a layer's kept activations that the gradients of its weights need: all but masks and the scores of
/// attention (32 h of 34 h + 5 a s: Qi et al. 2024, section 2).
double keptForWeightsOf(const StepSetting& setting);

/// Whether a setting fits its device with `allowance` bytes beside. A device whose memory is not known holds all.
bool fitsDevice(const StepSetting& setting, double allowance);

}  // namespace tessera::physical
