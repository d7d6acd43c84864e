#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/physical/pipeline.h"

namespace tessera::physical {

struct PipelineTask {
    PipelinePass pass = PipelinePass::forward;
    int chunk = 0;
    int microBatch = 0;

    bool operator==(const PipelineTask&) const = default;
};

/// The tasks of every stage in the order in which it runs them.
using PipelineOrder = std::vector<std::vector<PipelineTask>>;

/// Number of chunks that the schedule cuts a device's layers into.
int pipelineChunks(const Pipeline& pipeline);
/// Place of a chunk on the way of a forward pass, from 0.
int pipelinePosition(const Pipeline& pipeline, int stage, int chunk);
/// The times of a stage's whole layers.
const PipelineStage& pipelineStage(const Pipeline& pipeline, int stage);

/// Returns the order that a schedule prescribes or, of zb-1p, zb-2p and zb-v, that the search finds. The pipeline is
/// one that is not refused.
PipelineOrder pipelineOrder(const Pipeline& pipeline);

/// Returns a handcrafted order of Qi et al. 2024, section 2. Stage i of p begins with p - i forward passes, or `twice`
/// (zb-h2) 2 (p - i) - 1, and keeps i, or 2 i, gradients of weights back, so that every stage holds p, or 2 p - 1.
PipelineOrder handcraftedOrder(const Pipeline& pipeline, bool twice);
/// Returns the best order that the greedy search of Qi et al. 2024, section 3.1, finds with p, or `twice` 2 p,
/// micro-batches in flight, or the handcrafted one where that is better.
PipelineOrder searchedOrder(const Pipeline& pipeline, bool twice);
/// Returns an order of two chunks, down the devices and up again, with at most 2 p chunks in flight (Qi et al. 2024b).
PipelineOrder vShapedOrder(const Pipeline& pipeline);

/// Returns the times of an order; throws std::logic_error for one that waits for itself.
PipelineTimes runPipelineOrder(const Pipeline& pipeline, const PipelineOrder& order);

}  // namespace tessera::physical
