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
    bool atPeak = false;  ///< `flops` is the peak itself: the file gives no efficiency below 1
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
    std::int32_t alike = -1;  ///< equal wherever all accelerators are of one sort, whatever the group; -1 = they differ
    std::int32_t shape = -1;  ///< equal for subtrees that are equal in everything but names
};

/// The fleet as a binary tree over kinds: always the two subtrees with the minimum |log c_i/c_j| are joined, those of
/// equal accelerators before all others, ties by file order; a tree topology is followed node by node.
struct Array {
    std::vector<Kind> kinds;
    std::vector<Cluster> clusters;
    std::int32_t root = 0;
};

/// Throws DataError where an accelerator lacks the peak of `dtype` or a network rate.
Array makeArray(const hardware::Fleet& fleet, const std::string& dtype);

/// The fleet with those of its groups that are marked; its links and topology shrink with it. At least one is marked.
hardware::Fleet restricted(const hardware::Fleet& fleet, const std::vector<bool>& kept);

/// The groups, by number, in classes whose members can stand for one another: equal accelerators in equal number,
/// linked alike to all other groups, at one place of the topology. Classes and members in file order.
std::vector<std::vector<std::size_t>> interchangeableGroups(const hardware::Fleet& fleet, const std::string& dtype);

/// Width of a data type in bytes; empty for an unknown name.
std::optional<double> bytesOfDtype(const std::string& dtype);
const std::vector<std::string>& knownDtypes();

}  // namespace tessera::partition
