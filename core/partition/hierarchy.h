#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/partition/array.h"
#include "core/partition/strategies.h"

namespace tessera::partition {

/// Different parts of one kind with an odd count have different shapes; past this many, the larger half stands for
/// both.
inline constexpr std::int64_t kMaxSplits = 2048;

/// Cost of a whole hierarchy of splits under one strategy.
struct HierarchyResult {
    std::vector<LevelPlan> levels;
    std::vector<AcceleratorShare> shares;
    double stepTime = 0;
    Split root;  ///< the split at level 0; no states where the array is a single accelerator
    double rootSideI = 0, rootSideJ = 0;
    bool simplified = false;                ///< unequal halves of one kind were taken as equal, to bound the work
    std::map<std::int32_t, double> ratios;  ///< where groups part, by the array's cluster
};

/// Splits the network over the array, level by level, and times the slowest accelerator:
/// its transfers on the path through the tree plus its compute.
HierarchyResult solveHierarchy(const Network& network, const Array& array, const Strategy& strategy,
                               const Options& options, const NodeContext& context);

}  // namespace tessera::partition
