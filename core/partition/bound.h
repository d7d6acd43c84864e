#pragma once

#include "core/partition/hierarchy.h"

namespace tessera::partition {

struct BoundContext {
    const Network* network = nullptr;
    const Array* array = nullptr;
    const Options* options = nullptr;
    const Allowed* pinned = nullptr;
    Watch* watch = nullptr;
    bool curves = false;  ///< tells listeners how the bound rises
};

/// The split of level 0 as a problem of its own.
Level rootLevel(const Network& network, const Array& array, const Options& options, CostModel model);

/// A lower bound of `cost_s` at one level for the plans that `row` competes with: those that split at the same given
/// `ratio`, or at any where the ratio is free.
double boundCost(const BoundContext& context, const StrategyRow& row, double ratio, CostModel model);

/// A lower bound of the step time over all plans for the hierarchy that `row` competes with: any types and layouts at
/// every node, and any ratio where kinds part unless it is given.
/// Every accelerator on a path through the tree pays, for each layer, what the cheapest sequence of types down that
/// path costs, and what the first split moves between layers; what deeper splits move between layers is left out.
double boundStepTime(const BoundContext& context, const StrategyRow& row, CostModel model);

}  // namespace tessera::partition
