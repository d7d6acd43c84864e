#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/plan/search.h"

namespace tessera::plan {

/// A resource of all accelerators of a fleet, which is scaled up to see what more of it gains.
enum class Resource : std::uint8_t {
    peak,       ///< FLOP/s of every data type
    bandwidth,  ///< of the memory
    memory,     ///< bytes
    links,      ///< inside a node
    network,    ///< between nodes
};
inline constexpr EnumNames<Resource> kResourceNames{"peak", "bandwidth", "memory", "links", "network"};

/// The step of a fleet with 10 % more of one resource.
struct Sensitivity {
    Resource resource = Resource::peak;
    double seconds = 0;  ///< of the fastest of the same configurations with kMoreOfResource times as much
};
inline constexpr double kMoreOfResource = 1.1;

/// The step of the fastest of some configurations where all accelerators have 10 % more of one resource, for each.
std::vector<Sensitivity> sensitivitiesOf(const Problem& problem, std::span<const Ranked> configurations);

/// Largest value of each for which some configuration of the space still fits; 0: not even the smallest does.
struct Limits {
    std::int64_t sequence = 0;      ///< tokens of a sample, a multiple of the step in which it is looked for
    std::int64_t layers = 0;        ///< of the same width
    std::int64_t micro = 0;         ///< samples of a micro-batch
    std::int64_t accelerators = 0;  ///< fewest in use
};
/// The limits of a problem, each alone, within the longest step where one is given. Looked for by doubling and halving.
/// Throws InterruptedError.
Limits limitsOf(const Problem& problem, const Space& space, const SearchOptions& options, const RunControl& control);

/// Returns how many times its accelerators, of each group, a problem needs that no configuration fits, up to 1,024;
/// nothing where these are too few. A power of two.
std::optional<int> timesAcceleratorsThatFit(const Problem& problem, const Space& space, const SearchOptions& options,
                                            const RunControl& control);

}  // namespace tessera::plan
