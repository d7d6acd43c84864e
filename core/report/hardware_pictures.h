#pragma once

#include <string>

#include "core/draw/picture.h"
#include "core/hardware/fleet.h"

namespace tessera::report {

/// Memory and compute bound against arithmetic intensity: as a Chart, so that operators can be put on it.
Chart roofline(const hardware::Accelerator& accelerator, const std::string& dtype);
/// Groups as boxes with their accelerators, joined as the topology says, rates on the connections.
std::string fleetDrawing(const hardware::Fleet& fleet, const Theme& theme, double width = 960);

inline constexpr double kNarrowestPage = 280;

}  // namespace tessera::report
