#pragma once

#include <cstddef>
#include <vector>

#include "core/draw/drawing.h"

namespace tessera::report {

/// Lines on which a value is reached, in the coordinates of a grid: x from 0 to columns − 1, y from 0 to rows − 1,
/// between whose points values change evenly. Closed lines end where they begin. Where a value is NaN there is no line.
/// Marching squares, Lorensen, Cline: "Marching cubes", SIGGRAPH 1987, in the plane; saddles are cut by their mean.
std::vector<std::vector<Point>> isolines(const std::vector<double>& values, std::size_t columns, std::size_t rows,
                                         double level);

}  // namespace tessera::report
