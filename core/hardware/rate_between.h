#pragma once

#include <span>
#include <string>

#include "core/hardware/fleet.h"

namespace tessera::hardware {

/// Bytes/s of one accelerator of a group beyond its node, per direction: the narrowest of the levels outside of the
/// innermost; 0 where there is nothing beyond. Throws UsageError where one is not known.
double networkRateOf(const Group& group, std::span<const TopologyLevel> levels);

/// Bytes/s of one accelerator of either group to the other, per direction: the narrowest of the links between them, the
/// topology's nodes on the way, and what the groups' own networks let through (0: no limit). Throws UsageError where
/// none says.
double rateBetween(const Fleet& fleet, const std::string& a, const std::string& b, double networkA, double networkB);

}  // namespace tessera::hardware
