#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"

namespace tessera::physical {

/// The orders in which the stages of a pipeline run their micro-batches.
enum class PipelineSchedule : std::uint8_t {
    gpipe,                  ///< Huang et al. 2019: all forward passes, then all backward passes
    oneForwardOneBackward,  ///< Narayanan et al. 2021a (PipeDream-Flush), as in Megatron-LM
    interleaved,            ///< Narayanan et al. 2021b, section 2.2: chunks of layers in turns, as in Megatron-LM
    zbH1,                   ///< Qi et al. 2024 (arXiv 2401.10241), section 2.1: handcrafted, memory of 1F1B
    zbH2,                   ///< section 2.2: handcrafted, nearly twice that memory
    zb1p,                   ///< section 3: searched for the given times, memory of 1F1B
    zb2p,                   ///< section 3: searched, twice that memory
    zbV                     ///< Qi et al. 2024b: two chunks a device, down the pipeline and up again, memory of 1F1B
};

inline constexpr EnumNames<PipelineSchedule> kPipelineScheduleNames{"gpipe", "1f1b",  "interleaved", "zb-h1",
                                                                    "zb-h2", "zb-1p", "zb-2p",       "zb-v"};
constexpr std::string_view nameOf(PipelineSchedule schedule) {
    return kPipelineScheduleNames.of(schedule);
}
/// Returns the schedule of a word as measured tables spell it; nothing where it is none.
constexpr std::optional<PipelineSchedule> pipelineScheduleNamed(std::string_view name) {
    return kPipelineScheduleNames.named(name);
}

/// Returns the pieces that a schedule cuts the layers of a device into: of `interleaved` what was asked for, of `zb-v`
/// two, of the others one.
constexpr int chunksOf(PipelineSchedule schedule, int asked) {
    if (schedule == PipelineSchedule::interleaved) return asked;
    return schedule == PipelineSchedule::zbV ? 2 : 1;
}

/// Seconds of one micro-batch on all layers of one stage (device).
struct PipelineStage {
    double forward = 0;
    double backwardInput = 0;   ///< gradients of the activations
    double backwardWeight = 0;  ///< gradients of the weights
};

/// A pipeline of `stages` devices and one step of `microBatches` through it.
struct Pipeline {
    PipelineSchedule schedule = PipelineSchedule::oneForwardOneBackward;
    int stages = 1;
    int microBatches = 1;
    int chunks = 1;            ///< asked for, see `chunksOf`; pieces of equal time
    PipelineStage times = {};  ///< of every stage that `perStage` does not give
    double transfer = 0;       ///< seconds of a hop of one micro-batch to another device, beside which devices compute
    /// Share of a micro-batch's activations that stays in memory between its two gradients; the rest goes with the
    /// first. Of a transformer 32 h / (34 h + 5 a s), without the scores of attention 32 / 34 (Qi et al. 2024, section
    /// 2). It bounds the searches and counts in `inFlight`.
    double keptForWeights = 1;
    /// Interleaved only: between the last device and the first, the first micro-batch of each group alone waits, as
    /// where Qi et al. 2024 compute their table 5. Up to stages * transfer shorter than any run in this order.
    bool groupedWrap = false;
    std::vector<PipelineStage> perStage = {};  ///< empty, or one for each stage
};

/// When a step has run.
struct PipelineTimes {
    double makespan = 0;  ///< seconds from the first task to the end of the last
    /// The longest time that a stage is occupied, from its first task to the end of its last, in seconds: what a step
    /// takes where nothing makes the stages wait for one another between steps (the zero-bubble schedules with the
    /// optimizer's checks put off, Qi et al. 2024, section 4). For GPipe and 1F1B it is the makespan.
    double span = 0;
    double bubbleShare = 0;  ///< idle share of the span: 1 - work of the busiest stage / span
    /// Micro-batches in memory at most, by stage: from their forward pass to the end of their gradients, between the
    /// two gradients `keptForWeights` of them. In whole stages; a chunk counts 1 / chunks.
    std::vector<double> inFlight = {};
};

/// What a device does for a micro-batch on one of its chunks.
enum class PipelinePass : std::uint8_t {
    forward,
    backwardInput,
    backwardWeight,
    backward  ///< both gradients as one task
};

/// When a device works on a micro-batch.
struct PipelineEvent {
    int stage = 0, chunk = 0, microBatch = 0;
    PipelinePass pass = PipelinePass::forward;
    double begin = 0, end = 0;  ///< seconds since the begin of the step
};

/// Most micro-batches * stages * chunks of a pipeline.
inline constexpr std::int64_t kMaxPipelineTasks = 4'000'000;

/// Returns why a pipeline cannot run, as a sentence (counts below 1 or too large, times below 0 or
/// endless, interleaved micro-batches that are no multiple of the stages); empty where it can.
std::string pipelineRefusal(const Pipeline& pipeline);

/// Returns the times of a step, each task begun as soon as its device is free for it in the schedule's order and what
/// it needs has arrived. GPipe, 1F1B and interleaved run both gradients as one task. Throws UsageError with the
/// sentence of `pipelineRefusal` where there is one.
PipelineTimes simulatePipeline(const Pipeline& pipeline);
/// Returns all tasks of a step, by stage in the order in which it runs them. Throws as `simulatePipeline`.
std::vector<PipelineEvent> pipelineEvents(const Pipeline& pipeline);

}  // namespace tessera::physical
