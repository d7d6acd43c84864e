#pragma once

#include <cstddef>
#include <vector>

#include "core/base/json.h"
#include "core/partition/partition.h"

/// The state of an interrupted partition run: its finished plans.
namespace tessera::study {

/// The plans of a checkpoint. One is left out where all kept ones would have more than a million rows: to solve it
/// again is cheaper than to keep it.
Json partialPlansJson(std::size_t layers, const std::vector<const partition::PartialPlan*>& plans);

/// The plans to go on from. Throws DataError.
std::vector<partition::PartialPlan> readPartialPlans(const JsonDocument& list, std::size_t layers);

}  // namespace tessera::study
