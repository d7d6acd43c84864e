#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "core/mapping/mapping.h"

namespace tessera::mapping {

/// Jobs and cores up to which all schedules are looked through.
inline constexpr std::size_t kMaxExactJobs = 12, kMaxExactCores = 16;

/// A mapping of the minimum makespan, by branch and bound over which job every core takes next, in the order in
/// which cores become free: so the time until then is known, and what is left takes at least its bytes, its excess and
/// its share of the cores. Of the same jobs in another order on the same cores only the quickest goes on. It is
/// arithmetic that makes no whole schedule but those that it gives. Empty where the table is larger, where four million
/// nodes were not enough, and where `isEnough` (see `lowerBound`) said yes before the end. `bound`: any lower bound;
/// the search ends with a mapping that reaches it.
std::optional<Mapping> minMakespanMapping(const Problem& problem, double bound,
                                          const std::function<bool()>& isEnough = {});

}  // namespace tessera::mapping
