#pragma once

#include <string>
#include <vector>

#include "core/draw/picture.h"

namespace tessera::report {

/// The texts of an axis's ticks: `tickText` of each, or with as many digits as distinguish them where one is zoomed in
/// far: "0.17421 s", "0.17422 s".
std::vector<std::string> tickTexts(const std::vector<double>& values, const Axis& axis);

}  // namespace tessera::report
