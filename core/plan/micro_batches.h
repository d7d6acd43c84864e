#pragma once

#include <vector>

namespace tessera::plan {

/// Pipelines side by side that share the micro-batches of a step: at most `replicas` of them take `start + m each`
/// seconds for `m` micro-batches each.
struct SharingPipelines {
    double start = 0, each = 0;  ///< s; `each` is above 0
    int replicas = 1;
    double seconds(int microBatches) const { return start + microBatches * each; }
};

/// Replicas of a pipeline that may be, and micro-batches a second of each.
struct ReplicaRate {
    double rate = 0;
    int replicas = 1;
};
/// Micro-batches a second of so many replicas of several pipelines, one of each among them, that have most.
double fastestRate(std::vector<ReplicaRate> pipelines, int replicas);

/// Which of several pipelines run how often, and what each takes.
struct Shares {
    std::vector<int> replicas, microBatches;
};

/// Replicas of each of several pipelines, at least one and `replicas` in all, and micro-batches of each of these, at
/// least one, that together are at least `all` and make the slowest pipeline fastest. Exact to rounding. There are at
/// least as many micro-batches as replicas, and as many replicas as pipelines.
Shares bestShares(int all, int replicas, const std::vector<SharingPipelines>& pipelines);

}  // namespace tessera::plan
