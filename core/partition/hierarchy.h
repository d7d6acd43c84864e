#pragma once

#include <vector>

#include "core/partition/array.h"
#include "core/partition/strategies.h"

namespace tessera::partition {

/// What a whole hierarchy of splits costs under one strategy.
struct HierarchyResult {
    std::vector<LevelPlan> levels;
    std::vector<AcceleratorShare> shares;
    double stepTime = 0;
    Split root;  ///< the split at level 0; no states where the array is a single accelerator
    double rootSideI = 0, rootSideJ = 0;
    bool simplified = false;  ///< unequal halves of one kind were taken as equal, to bound the work
};

/// Splits the network over the array, level by level, and times the slowest accelerator:
/// its transfers on the path through the tree plus its compute.
HierarchyResult solveHierarchy(const Network& network, const Array& array, const StrategyRow& strategy,
                               const Options& options, const NodeContext& context);

}  // namespace tessera::partition
