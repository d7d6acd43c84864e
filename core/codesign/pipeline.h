#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"
#include "core/codesign/search.h"

namespace tessera::codesign {

/// What a stage of a pipeline does at one time.
enum class PipelinePhase : std::uint8_t { forward, backward, allReduce, update };
/// "forward", "backward", "all-reduce", "update", as the result's document writes them.
std::string_view nameOf(PipelinePhase phase);

/// A pass of one micro-batch through one stage; at the end of a batch, the exchange of gradients and the update, which
/// have no micro-batch (0).
struct PipelineEvent {
    std::int64_t stage = 0;  ///< from 0, the model's input
    std::int64_t microBatch = 0;
    PipelinePhase phase = PipelinePhase::forward;
    Seconds start;  ///< from the beginning of the batch
    Seconds finish;
    bool operator==(const PipelineEvent&) const = default;
};

/// One replica's schedule of a batch.
struct PipelineSchedule {
    std::int64_t stages = 0;
    std::int64_t microBatches = 0;      ///< of one replica in a batch
    std::int64_t shown = 0;             ///< of them, those that `events` holds: all, or the first ones
    Seconds length;                     ///< when the last of the events ends
    std::vector<PipelineEvent> events;  ///< by stage, then start; those of a stage never overlap
    bool operator==(const PipelineSchedule&) const = default;
};

/// Micro-batches of one replica in a batch: the global batch over replicas and micro-batch, rounded up.
std::int64_t microBatchesOf(const ModelResult& model, std::int64_t globalBatch);

/// The one-forward-one-backward order, each pass as early as its stage and the pass that it needs allow: a stage that
/// is followed by q - 1 others begins with q forward passes, then one backward pass follows each. Narayanan et al.:
/// "PipeDream", SOSP 2019, section 3.2; the time that a placement is chosen by, max load × (micro-batches + stages -
/// 1), is never less. Only the first `mostMicroBatches` are kept. Empty for a model that does not fit.
PipelineSchedule pipelineOf(const ModelResult& model, std::int64_t globalBatch, std::int64_t mostMicroBatches);

}  // namespace tessera::codesign
