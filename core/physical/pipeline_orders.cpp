#include "core/physical/pipeline_orders.h"

#include <algorithm>
#include <cstddef>

namespace tessera::physical {
namespace {

using PipelineStageOrder = std::vector<PipelineTask>;

PipelineOrder emptyPipelineOrder(const Pipeline& pipeline, int passes) {
    PipelineOrder order(static_cast<std::size_t>(pipeline.stages));
    const int tasks = passes * pipeline.microBatches * pipelineChunks(pipeline);
    for (PipelineStageOrder& stage : order) stage.reserve(static_cast<std::size_t>(tasks));
    return order;
}

PipelineOrder gpipeOrder(const Pipeline& pipeline) {
    PipelineOrder order = emptyPipelineOrder(pipeline, 2);
    for (PipelineStageOrder& stage : order)
        for (const PipelinePass pass : {PipelinePass::forward, PipelinePass::backward})
            for (int i = 0; i < pipeline.microBatches; ++i) stage.push_back({pass, 0, i});
    return order;
}

/// The n-th task of a pass on a device with chunks: groups of as many micro-batches as there are stages pass through
/// one chunk after the other.
PipelineTask interleavedTask(const Pipeline& pipeline, PipelinePass pass, int n) {
    const int p = pipeline.stages, v = pipeline.chunks;
    const int chunk = n % (p * v) / p;
    return {pass, pass == PipelinePass::forward ? chunk : v - 1 - chunk, n / (p * v) * p + n % p};
}

/// Forward passes ahead of the backward ones, then one of each in turns. With one chunk it is 1F1B.
PipelineStageOrder alternatingStage(const Pipeline& pipeline, int ahead) {
    const int tasks = pipeline.microBatches * pipeline.chunks;
    PipelineStageOrder order;
    order.reserve(2 * static_cast<std::size_t>(tasks));
    for (int n = 0; n < tasks + ahead; ++n) {
        if (n < tasks) order.push_back(interleavedTask(pipeline, PipelinePass::forward, n));
        if (n >= ahead) order.push_back(interleavedTask(pipeline, PipelinePass::backward, n - ahead));
    }
    return order;
}

/// Megatron-LM's numbers of forward passes before the first pair: p - 1 - i for 1F1B, 2 (p - 1 - i) + (v - 1) p with
/// chunks.
PipelineOrder alternatingOrder(Pipeline pipeline) {
    const bool chunked = pipeline.schedule == PipelineSchedule::interleaved && pipeline.chunks > 1;
    if (!chunked) pipeline.chunks = 1;
    const int p = pipeline.stages, tasks = pipeline.microBatches * pipeline.chunks;
    PipelineOrder order;
    for (int i = 0; i < p; ++i) {
        const int ahead = chunked ? 2 * (p - 1 - i) + (pipeline.chunks - 1) * p : p - 1 - i;
        order.push_back(alternatingStage(pipeline, std::min(ahead, tasks)));
    }
    return order;
}

}  // namespace

int pipelineChunks(const Pipeline& pipeline) {
    return chunksOf(pipeline.schedule, pipeline.chunks);
}

int pipelinePosition(const Pipeline& pipeline, int stage, int chunk) {
    if (pipeline.schedule == PipelineSchedule::zbV && chunk == 1) return 2 * pipeline.stages - 1 - stage;
    return chunk * pipeline.stages + stage;
}

PipelineOrder handcraftedOrder(const Pipeline& pipeline, bool twice) {
    const int p = pipeline.stages, m = pipeline.microBatches;
    PipelineOrder order = emptyPipelineOrder(pipeline, 3);
    for (int i = 0; i < p; ++i) {
        PipelineStageOrder& stage = order[static_cast<std::size_t>(i)];
        const int ahead = twice ? 2 * (p - 1 - i) : p - 1 - i, kept = twice ? 2 * i : i;
        for (int n = 0; n < m + ahead + kept; ++n) {
            if (n < m) stage.push_back({PipelinePass::forward, 0, n});
            if (n >= ahead && n - ahead < m) stage.push_back({PipelinePass::backwardInput, 0, n - ahead});
            if (n >= ahead + kept) stage.push_back({PipelinePass::backwardWeight, 0, n - ahead - kept});
        }
    }
    return order;
}

PipelineOrder pipelineOrder(const Pipeline& pipeline) {
    switch (pipeline.schedule) {
        case PipelineSchedule::gpipe:
            return gpipeOrder(pipeline);
        case PipelineSchedule::zbH1:
        case PipelineSchedule::zbH2:
            return handcraftedOrder(pipeline, pipeline.schedule == PipelineSchedule::zbH2);
        case PipelineSchedule::zb1p:
        case PipelineSchedule::zb2p:
            return searchedOrder(pipeline, pipeline.schedule == PipelineSchedule::zb2p);
        case PipelineSchedule::zbV:
            return vShapedOrder(pipeline);
        default:
            return alternatingOrder(pipeline);
    }
}

}  // namespace tessera::physical
