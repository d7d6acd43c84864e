#pragma once

#include "core/partition/hierarchy.h"
#include "core/partition/sample.h"
#include "core/partition/subsets.h"

namespace tessera::partition {

struct BoundContext {
    const Network* network = nullptr;
    const Array* array = nullptr;
    const Options* options = nullptr;
    const Allowed* pinned = nullptr;
    ThreadProgress* watch = nullptr;
    bool curves = false;             ///< reports how the bound rises
    const Sample* sample = nullptr;  ///< of a large network, where intervals of the ratio are chosen; else null
    const Allowed* pinnedInSample = nullptr;
    const Array* max = nullptr;  ///< see boundRange; else null
};

/// The split of level 0 as a problem of its own.
Level rootLevel(const Network& network, const Array& array, const Options& options, CostModel model);

/// A lower bound of `cost_s` at one level for the plans that `row` competes with: those that split at the same given
/// `ratio`, or at any where the ratio is free.
double boundCost(const BoundContext& context, const Strategy& row, double ratio, CostModel model);

/// A lower bound of the step time over all plans for the hierarchy that `row` competes with: any types and layouts at
/// every node, and any ratio where kinds part unless it is given.
/// Every accelerator on a path through the tree pays, for each layer, what the cheapest sequence of types down that
/// path costs, and what the top-level split moves between layers; what deeper splits move between layers is left out.
double boundStepTime(const BoundContext& context, const Strategy& row, CostModel model);

/// A lower bound of the step time that holds for every subset of a range, `context` being that of any array.
/// Where two sorts of accelerators part first, transfers are those of the shortest paths and compute is shared by the
/// most accelerators.
double boundRange(const BoundContext& context, const Strategy& row, CostModel model, const SubsetRange& range);

/// A lower bound of the step time on any subset of the array: all compute at the FLOP/s of all accelerators.
double boundCompute(const Network& network, const Array& array);

}  // namespace tessera::partition
