#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/partition/array.h"

namespace tessera::partition {

/// Some of a fleet's groups, as an array of their own.
struct Subset {
    std::vector<std::string> idle;  ///< names of the groups that take no part, in file order
    std::int64_t accelerators = 0;  ///< that take part
    Array array;
};

/// Many subsets at once: of each sort of equal groups at least those of one array take part, at most those of another.
struct SubsetRange {
    Array min, max;
    /// Two sorts of accelerators part first in all of them. Else only the FLOP/s of `max` hold for each.
    bool alike = false;
};

/// The subsets of a fleet that are looked at, the whole fleet first.
struct Subsets {
    std::vector<Subset> list;
    bool complete = true;  ///< every other subset is equal to one of these but for names
    /// Hold, with the list, every subset of a fleet whose list is not complete; empty where even ranges are too many.
    std::vector<SubsetRange> ranges;
};

/// The subsets of the fleet's groups, each once up to groups that can stand for one another: of those, the first in
/// file order take part. Of fleets with more than `kMaxSubsets` of them, numbers of equal groups are halved from all
/// down to one, but for subsets of one sort alone; where even these are too many, only the groups of maximum FLOP/s per
/// accelerator, and all but one sort.
Subsets subsetsOf(const hardware::Fleet& fleet, const std::string& dtype);
inline constexpr std::size_t kMaxSubsets = 256;

/// Ranges that hold all subsets of two sorts of groups and more: between halved numbers of each sort.
std::vector<SubsetRange> rangesOf(const hardware::Fleet& fleet, const std::string& dtype);

/// The whole fleet alone.
Subsets wholeFleet(const hardware::Fleet& fleet, const std::string& dtype);

}  // namespace tessera::partition
