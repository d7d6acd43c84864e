#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/mapping/mapping.h"

namespace tessera::mapping {

/// The cycles that a job adds to the makespan beyond its no-stall latency wherever the others run, by pair:
/// L·max(0, B/BW − 1). See `lowerBound`.
std::vector<double> excess(const Problem& problem);

/// Index, for every core, of the first core that is equal to it for every job.
std::vector<std::size_t> likeness(const Problem& problem);

/// Additional terms of lower bounds of the makespan beyond those of loads and bytes, in cycles by pair of job and core:
/// no schedule that keeps to the makespan takes less than any of these sums over its jobs. A few, or none.
std::vector<std::vector<double>> tolls(const Problem& problem, double makespan);

/// The core of every job that takes its greatest share in the combined program, leaving out what `makespan` excludes.
/// `isEnough`: see `lowerBound`.
std::vector<std::int32_t> relaxedCores(const Problem& problem, double makespan,
                                       const std::function<bool()>& isEnough = {});

}  // namespace tessera::mapping
