#pragma once

#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/mapping/search.h"

/// Mappings as points of a box of real numbers, for searches that know nothing else.
namespace tessera::mapping {

/// The cores, then the priorities, all in [0, 1]; what lies beyond is folded back, what is no number is 0.
Mapping mappingOfUnit(std::span<const double> genome, std::size_t cores);
/// Genome of a mapping: numbers in the middle of the cores' ranges.
std::vector<double> unitOf(const Mapping& mapping, std::size_t cores);

inline constexpr double kBelowOne = 0x1.fffffffffffffp-1;  ///< the largest number below 1

}  // namespace tessera::mapping
