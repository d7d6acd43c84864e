#pragma once

#include <cstddef>
#include <vector>

#include "core/base/json.h"
#include "core/partition/partition.h"
#include "core/study/result.h"

/// The state of an interrupted partition run (`tessera.partition-checkpoint/1`): its finished plans, and what they were
/// computed from.
namespace tessera::study {

/// `begun` holds the study and its inputs. A plan is left out where all kept ones would have more than a million
/// rows: to solve it again is cheaper than to keep it.
Json checkpointJson(const Result& begun, std::size_t layers, const std::vector<const partition::PartialPlan*>& plans);

/// The plans to go on from; none where another version of the program wrote the state. Throws DataError where the state
/// is damaged, or belongs to another study or to inputs that have changed since.
std::vector<partition::PartialPlan> readCheckpoint(const Json& state, const Result& begun, std::size_t layers);

}  // namespace tessera::study
