#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/study/field.h"
#include "core/study/partition/outcome.h"

/// Fields of a partition's plans, of the subsets of the fleet, the splits, their layers and the accelerators.
namespace tessera::study {

/// A layer at a split of a plan, or a join: one of both is null.
struct SplitRow {
    const partition::Result* result;
    const partition::Plan* plan;
    const partition::LevelPlan* level;
    std::optional<partition::LayerPlan> layer = {};
    std::optional<partition::JoinPlan> join = {};

    const std::string& name() const;
    std::string type() const;  ///< of a join its layout
    Seconds compute() const { return layer ? layer->compute : join->compute; }
    Seconds intra() const { return layer ? layer->intra : Seconds{}; }  ///< joins exchange nothing
    Seconds inter() const { return layer ? layer->inter : join->inter; }
    Seconds together() const { return compute() + intra() + inter(); }
};

/// Fields of the whole fleet.
const std::vector<Field<PartitionOutcome>>& fleetFields();
const std::vector<Field<partition::Plan>>& planFields();
const std::vector<Field<partition::SubsetPlan>>& subsetFields();
const std::vector<Field<partition::LevelPlan>>& levelFields();
const std::vector<Field<SplitRow>>& splitRowFields();
const std::vector<Field<partition::AcceleratorShare>>& shareFields();

/// The share of an accelerator's memory that is in use; nothing where its capacity is not known.
std::optional<double> memoryUse(const partition::AcceleratorShare& share);

/// Number of rows of a split, and one of them: layers first, then joins.
std::size_t splitRowCount(const partition::LevelPlan& level);
SplitRow splitRow(const partition::Result& result, const partition::Plan& plan, const partition::LevelPlan& level,
                  std::size_t row);

}  // namespace tessera::study
