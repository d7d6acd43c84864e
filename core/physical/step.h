#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/enum_names.h"
#include "core/physical/device.h"
#include "core/physical/step_parameters.h"
#include "core/physical/training_run.h"
#include "core/physical/transformer.h"

namespace tessera::physical {

/// Which ranks are neighbours: the degrees of parallelism from the innermost.
enum class RankOrder : std::uint8_t {
    pipelineLast,  ///< Megatron-LM's own
    dataLast,      ///< its --use-tp-pp-dp-mapping: stages of a replica are neighbours
};
inline constexpr EnumNames<RankOrder> kRankOrderNames{"tp-cp-dp-pp", "tp-cp-pp-dp"};

/// How a run is laid out, with what it leaves open decided.
struct StepLayout {
    int tensor = 1, pipeline = 1, data = 1, context = 1, expert = 1;
    /// Tensor parallelism leaves experts whole, so that these are shared among its devices, too (Megatron Core's
    /// expert-tensor parallelism of 1); else it splits each of them as all else.
    bool wholeExperts = false;
    int chunks = 1;           ///< of a pipeline stage
    double micro = 1;         ///< samples per forward pass of a replica
    double microBatches = 1;  ///< of a replica and step
    PipelineSchedule schedule = PipelineSchedule::oneForwardOneBackward;
    Recompute recompute = Recompute::none;
    bool sequenceParallel = false;
    int zero = 0;
    RankOrder order = RankOrder::pipelineLast;
    bool apart = false;  ///< replicas are on several networks: no node holds all of them

    /// Devices that hold the same parameters, but for those of experts.
    double alike() const { return static_cast<double>(data) * context; }
    /// Devices that hold the same experts: those of a stage over what one copy of all experts takes (Megatron Core,
    /// parallel_state.py).
    double alikeExperts() const { return std::max(alike() * (wholeExperts ? tensor : 1) / expert, 1.0); }
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
    double products = 0;                           ///< by the forms of kernels
    double attention = 0;                          ///< fused, at peak
    double bytes = 0;                              ///< at the datasheet's bandwidth of memory
    double permuted = 0;                           ///< the same of tokens sorted by expert
    double kernels = 0;                            ///< launched, a number
    double inside = 0;                             ///< collectives of tensors and sequences inside a node
    double network = 0;                            ///< the same at the network's full rate
    double contextInside = 0, contextNetwork = 0;  ///< of these two, of sequences
    double exchange = 0;                           ///< all-to-all of experts inside a node
    double exchangeNetwork = 0;

    /// Adds `factor` times another pass.
    void add(const PassSeconds& other, double factor);
};

/// The passes of one micro-batch: of a setting, what does not depend on how many stages and replicas there are.
struct StepPasses {
    PassSeconds forward, backward;          ///< of a mean layer; with what is computed again
    PassSeconds headForward, headBackward;  ///< with the embedding
    double weightShare = 0;                 ///< of the backward pass that makes gradients of weights
};
/// Seconds of a micro-batch in which gradients are added to the sum of those before, of a mean layer and of the head.
struct AddedGradients {
    double layer = 0, head = 0;
};
/// A step in seconds that do not depend on the constants of a stack, so that these are fitted fast.
struct StepWork : StepPasses {
    StageLayers stages;
    StepLayout layout;
    double layers = 1;
    double gather = 0, gatherNetwork = 0;        ///< of a layer's sharded parameters, at full rates of links
    double reduction = 0, reductionNetwork = 0;  ///< of all gradients of a device
    double transfer = 0, transferNetwork = 0;    ///< of a micro-batch to the next stage
    AddedGradients accumulation = {};
    double optimizer = 0;  ///< of all that it reads and writes at the bandwidth of memory
    bool training = true;
    bool alternates = false;  ///< as of the stack
    bool hopsWait = false;    ///< `waitsForHops`
};
StepWork stepWorkOf(const StepSetting& setting);

/// Seconds inside a node, and between nodes at the full rate of the network.
struct GroupSeconds {
    double inside = 0, network = 0;
    /// Where collectives reach a share of the network's rate.
    double at(double networkShare) const { return inside + network / networkShare; }
};

/// The steps of settings that share all but how stages and replicas are arranged: the degrees of tensor, context and
/// expert parallelism, the micro-batch, recomputation and data type are the setting's; pipeline, data, chunks and ZeRO
/// are those of the layouts that its functions are given. Made once and asked often; safe from several threads.
class StepModel {
public:
    explicit StepModel(const StepSetting& setting);
    ~StepModel();
    StepModel(StepModel&&) noexcept;
    StepModel& operator=(StepModel&&) noexcept;

    const StepPasses& passes() const;
    /// Of a layer's sharded parameters, each pass; none below stage 3 of ZeRO.
    GroupSeconds gather(const StepLayout& layout) const;
    /// Of the gradients of a stage of so many layers; none from stage 3 of ZeRO. Of stage 2, where no device holds them
    /// whole, after every micro-batch (Rajbhandari et al. 2020, section 7.1; DeepSpeed).
    GroupSeconds reduction(const StepLayout& layout, double layers) const;
    /// Of the mean micro-batch of a step, of which the first one's gradients are the sum. None where gradients are
    /// sharded, and in tuned stacks, whose products add to the sum while others run (assumed).
    AddedGradients accumulation(const StepLayout& layout) const;
    /// Of a micro-batch to the next stage.
    GroupSeconds transfer(const StepLayout& layout) const;
    /// Seconds of the optimizer on a stage of so many layers.
    double optimizer(const StepLayout& layout, double layers) const;
    /// All of it for a layout.
    StepWork work(const StepLayout& layout) const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

/// Seconds of one micro-batch on a mean layer and on the head.
struct LayerTimes {
    double forward = 0, backward = 0;
    double weights = 0;  ///< of the backward pass: gradients of weights
    double headForward = 0, headBackward = 0;
    double both() const { return forward + backward; }
    double head() const { return headForward + headBackward; }
};
LayerTimes layerTimesOf(const StepWork& work, const StepConstants& constants);

/// The stages of a pipeline as its closed forms see them, in seconds of a micro-batch.
struct PipelineLoad {
    double longest = 0;        ///< both passes of the stage that takes longest
    double all = 0;            ///< both passes of all stages
    PipelineStage stage = {};  ///< of the stage with most layers, without the head
    double transfer = 0;       ///< to the next stage
    bool waits = false;        ///< devices wait for each transfer that they send, instead of computing beside it
    int passes = 2;            ///< that `longest` and `all` count; 1: the forward pass alone
};
/// Whether the devices of a pipeline wait for what they send. Megatron-LM, DeepSpeed and PyTorch do: the stream waits
/// for each pair of a message to one neighbour and from it (megatron/core/pipeline_parallel/p2p_communication.py,
/// `batch_isend_irecv` and its requests). Between chunks some send beside computation
/// (`overlap_p2p_communication`, which Megatron-LM refuses for pipelines that are not interleaved).
bool waitsForHops(const StackTraits& stack, PipelineSchedule schedule);
/// Seconds of one step's micro-batches through the pipeline of a layout (closed forms of the schedules: Narayanan et
/// al. 2021b, section 2.2; Qi et al. 2024, sections 2 and 3).
double pipelineSecondsOf(const StepLayout& layout, const PipelineLoad& given);

/// Seconds that hops add to a 1F1B pipeline, whose devices wait for them (`waitsForHops`).
double hopSeconds1F1B(const StepLayout& layout, double hop);

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
