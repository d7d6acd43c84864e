#pragma once

#include <optional>
#include <string>

#include "core/base/units.h"
#include "core/hardware/fleet.h"

namespace tessera::hardware {

/// Bytes/s of one accelerator of either group to the other, per direction, at most: the narrowest of the links between
/// them, the topology's nodes on the way, and `own`, what the groups' own networks let through. Empty where none says.
std::optional<BytesPerSecond> rateBetween(const Fleet& fleet, const std::string& a, const std::string& b,
                                          std::optional<BytesPerSecond> ownA, std::optional<BytesPerSecond> ownB);

}  // namespace tessera::hardware
