#pragma once

#include <vector>

#include "core/draw/drawing.h"
#include "core/draw/picture.h"

namespace tessera::report {

/// Draws what colours mean on one line: a title, then a ramp between its ends, or a square for each name. `at` is on
/// the base line; names that have no room within `width` are left out. Returns the width taken. Of `used`, where it is
/// not empty, colours that say false are left out.
double drawColourKey(Drawing& drawing, const ColourKey& key, Point at, double width, const TextWidth& measure,
                     const std::vector<bool>& used = {});
/// The width that it would take with all its names.
double widthOf(const ColourKey& key, const TextWidth& measure, const std::vector<bool>& used = {});

}  // namespace tessera::report
