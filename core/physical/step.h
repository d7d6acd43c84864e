#pragma once

#include <optional>
#include <string>

#include "core/physical/device.h"
#include "core/physical/step_parameters.h"
#include "core/physical/training_run.h"
#include "core/physical/transformer.h"

namespace tessera::physical {

/// How a run is laid out, with what it leaves open decided.
struct StepLayout {
    int tensor = 1, pipeline = 1, data = 1, context = 1, expert = 1;
    int chunks = 1;           ///< of a pipeline stage
    double micro = 1;         ///< samples per forward pass of a replica
    double microBatches = 1;  ///< of a replica and step
    PipelineSchedule schedule = PipelineSchedule::oneForwardOneBackward;
    Recompute recompute = Recompute::none;
    bool sequenceParallel = false;
    int zero = 0;
};

/// A transformer on devices: everything that time and memory of its step depend on but the fitted constants.
struct StepSetting {
    Transformer model;
    StepLayout layout;
    Device device;
    std::string dtype;          ///< of the products
    int perNode = 1;            ///< devices that links join
    double nodeBytesPerSecond;  ///< of all of those to the network, per direction
    StackTraits stack;
    bool training = true;
    bool updates = true;       ///< an optimizer runs
    bool dropsTokens = false;  ///< beyond an expert's capacity
};

/// The layers of pipeline stages: of the fullest, of the last one, which also holds the head, and of the first one.
struct StageLayers {
    double fullest = 1, last = 1, first = 1;
};
/// Embedding and head count as a layer each where layers alone do not divide by the stages (as in Megatron-LM's and
/// NVIDIA's recipes); else the fullest stages hold one more than others.
StageLayers stageLayersOf(const Transformer& model, const StepLayout& layout);

/// How a setting splits its layers among devices.
LayerShare layerShareOf(const StepSetting& setting);

/// Seconds of a forward or backward pass by what bounds them, before the constants of a stack scale them.
struct PassSeconds {
    double products = 0;   ///< by the forms of kernels
    double attention = 0;  ///< fused, at peak
    double bytes = 0;      ///< at the datasheet's bandwidth of memory
    double permuted = 0;   ///< the same of tokens sorted by expert
    double kernels = 0;    ///< launched, a number
    double inside = 0;     ///< collectives of tensors inside a node
    double network = 0;    ///< the same at the network's full rate
    double exchange = 0;   ///< all-to-all of experts inside a node
    double exchangeNetwork = 0;

    /// Adds `factor` times another pass.
    void add(const PassSeconds& other, double factor);
};

/// A step in seconds that do not depend on the constants of a stack, so that these are fitted fast.
struct StepWork {
    PassSeconds forward, backward;          ///< of a mean layer and one micro-batch; with what is computed again
    PassSeconds headForward, headBackward;  ///< with the embedding
    StageLayers stages;
    StepLayout layout;
    double layers = 1;
    double weightShare = 0;                      ///< of the backward pass that makes gradients of weights
    double gather = 0, gatherNetwork = 0;        ///< of a layer's sharded parameters, at full rates of links
    double reduction = 0, reductionNetwork = 0;  ///< of all gradients of a device
    double transfer = 0, transferNetwork = 0;    ///< of a micro-batch to the next stage
    double optimizer = 0;                        ///< of all that it reads and writes at the bandwidth of memory
    bool training = true;
    bool alternates = false;  ///< as of the stack
};
StepWork stepWorkOf(const StepSetting& setting);

/// Seconds of a step and of what it is made of.
struct StepTimes {
    double step = 0;
    double forward = 0;        ///< of the forward passes alone
    double products = 0;       ///< of a device's mean step: bound by products and attention
    double memory = 0;         ///< the same, by bytes
    PipelineStage stage = {};  ///< of a micro-batch on the fullest stage
    double transfer = 0;
};
StepTimes stepTimesOf(const StepWork& work, const StepConstants& constants);

}  // namespace tessera::physical
