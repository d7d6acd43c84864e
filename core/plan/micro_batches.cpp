#include "core/plan/micro_batches.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tessera::plan {

namespace {

/// Most micro-batches that a pipeline ends within some seconds, at least 1 and at most `all`.
int microBatchesWithin(double seconds, const SharingPipelines& pipeline, int all) {
    return static_cast<int>(std::clamp((seconds - pipeline.start) / pipeline.each, 1.0, static_cast<double>(all)));
}

std::int64_t microBatchesOfAll(const std::vector<int>& shares, const std::vector<SharingPipelines>& pipelines) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) sum += std::int64_t{shares[i]} * pipelines[i].replicas;
    return sum;
}

/// The slowest of the pipelines that can do with one less; their number where none can.
std::size_t slowestThatGives(const std::vector<int>& shares, const std::vector<SharingPipelines>& pipelines,
                             std::int64_t surplus) {
    std::size_t slowest = shares.size();
    for (std::size_t i = 0; i < shares.size(); ++i) {
        if (shares[i] < 2 || pipelines[i].replicas > surplus) continue;
        if (slowest == shares.size() || pipelines[i].seconds(shares[i]) > pipelines[slowest].seconds(shares[slowest]))
            slowest = i;
    }
    return slowest;
}

}  // namespace

std::vector<int> sharedMicroBatches(int all, const std::vector<SharingPipelines>& pipelines) {
    std::vector<int> shares(pipelines.size(), 1);
    const auto isEnough = [&](double seconds) {
        for (std::size_t i = 0; i < pipelines.size(); ++i) shares[i] = microBatchesWithin(seconds, pipelines[i], all);
        return microBatchesOfAll(shares, pipelines) >= all;
    };
    double low = 0, high = 0;
    for (const SharingPipelines& pipeline : pipelines) high = std::max(high, pipeline.seconds(all + 1));
    constexpr int kHalvings = 60;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = (low + high) / 2;
        (isEnough(middle) ? high : low) = middle;
    }
    isEnough(high);
    std::int64_t surplus = microBatchesOfAll(shares, pipelines) - all;
    // The slowest gives up what the others hold anyway.
    for (;;) {
        const std::size_t slowest = slowestThatGives(shares, pipelines, surplus);
        if (slowest == shares.size()) return shares;
        --shares[slowest];
        surplus -= pipelines[slowest].replicas;
    }
}

}  // namespace tessera::plan
