#pragma once

#include <array>
#include <vector>

#include "core/plan/search.h"

namespace tessera::plan {

/// The best on a fleet with another number of accelerators in each group.
struct ScaledFleet {
    double times = 1;  ///< of those that the fleet has: a power of two
    Problem problem;
    Found found;  ///< as `searchBest` says it; of the fleet itself as the caller found it
};

/// Sizes at which a fleet is looked at, of its own.
inline constexpr std::array kFleetSizes{0.125, 0.25, 0.5, 1.0, 2.0, 4.0};

/// Finds the best on an eighth to four times a fleet, rising: the same model, batch, space and options, nodes and rates
/// of the network as they are. `whole` is what was found on the fleet itself. Left out are sizes that cut an
/// accelerator in pieces, those that need a network between nodes of a group that has none, and large
/// ones whose space is estimated to have more than a million configurations and more than three times those of the
/// fleet. `finish` ends it with the sizes that it has. Throws InterruptedError.
std::vector<ScaledFleet> scaledFleets(const Problem& problem, const Space& space, const SearchOptions& options,
                                      const Found& whole, const RunControl& control);

}  // namespace tessera::plan
