#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/base/quantity.h"
#include "core/hardware/fleet.h"
#include "core/partition/partition.h"

namespace tessera::partition {

/// A kind of accelerator in the array: one group of the fleet with the numbers that partitioning needs.
struct Kind {
    std::string name;
    std::int64_t count = 0;
    double flops = 0;           ///< FLOP/s of one accelerator, efficiency applied
    double bytesPerSecond = 0;  ///< network rate of one accelerator
    std::optional<Bytes> capacity;
};

/// A subtree of the array: one kind (to be halved further), or two subtrees where kinds part.
struct Cluster {
    std::string name;                      ///< of its kinds, joined by "|"
    std::int64_t count = 0;                ///< accelerators
    double flops = 0;                      ///< summed
    double bytesPerSecond = 0;             ///< of one accelerator; the slowest kind's where kinds are mixed
    std::int32_t kind = -1;                ///< -1 where two subtrees part here
    std::int32_t first = -1, second = -1;  ///< subtrees; the first holds the group that the file lists first
    double rateCap = std::numeric_limits<double>::infinity();  ///< bytes/s, of the link between the two
    double latency = 0;                                        ///< seconds per transfer across the two
    std::int32_t firstGroup = 0;                               ///< in file order, for ties
};

/// The fleet as a binary tree over kinds: always the two subtrees with the least |log c_i/c_j| are joined, ties by file
/// order; a tree topology is followed node by node.
struct Array {
    std::vector<Kind> kinds;
    std::vector<Cluster> clusters;
    std::int32_t root = 0;
};

/// Throws DataError where an accelerator lacks the peak of `dtype` or a network rate.
Array makeArray(const hardware::Fleet& fleet, const std::string& dtype);

/// The fleet without one group; its links and topology shrink with it.
hardware::Fleet without(const hardware::Fleet& fleet, std::size_t group);

/// Width of a data type in bytes; empty for an unknown name.
std::optional<double> bytesOfDtype(const std::string& dtype);
const std::vector<std::string>& knownDtypes();

}  // namespace tessera::partition
