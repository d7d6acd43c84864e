#pragma once

#include <string>

#include "core/draw/theme.h"
#include "core/hardware/platform.h"

namespace tessera::report {

/// The cores of a platform as SVG: their arrays to scale, joined by the bandwidth that they share.
std::string platformDrawing(const hardware::Platform& platform, const Theme& theme, double width = 960);

}  // namespace tessera::report
