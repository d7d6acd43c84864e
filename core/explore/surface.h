#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/explore/point_table.h"
#include "core/explore/space.h"

namespace tessera::explore {

/// A value over two variables, all others at a chosen point, as a Gaussian process of scattered points has it.
struct Surface {
    std::vector<double> x = {}, y = {};  ///< values of the variables, rising on their scales; categories by number
    std::vector<double> mean = {};       ///< row by row: all x of the first y, then of the next one
    std::vector<double> error = {};      ///< standard errors of the means, in the same order
    double explained = 0;    ///< share of the variance that is predicted for points left out; near 0: nothing
    std::size_t points = 0;  ///< that the process is made of

    double meanAt(std::size_t column, std::size_t row) const { return mean[row * x.size() + column]; }
    double errorAt(std::size_t column, std::size_t row) const { return error[row * x.size() + column]; }
};

/// Numbers of values along each axis.
inline constexpr std::size_t kSurfaceSize = 33;
/// Points that a surface is made of at most: of more so many are drawn, always the same ones.
inline constexpr std::size_t kSurfacePoints = 2000;

/// The surface over variables number `x` and `y`, the others as in `at`. Variables with fewer values than `size` have
/// each of them. Empty where x is y, there are fewer than three points, or `at` has a category that is none of its
/// variable, as one that no solution has.
Surface responseSurface(const std::vector<Variable>& variables, const std::vector<Point>& points,
                        std::span<const double> values, std::size_t x, std::size_t y, const Point& at,
                        std::size_t size = kSurfaceSize);

/// The same of a table's columns, the other variables as in its point number `at`. Empty, too, where one of the columns
/// is no variable or has one value alone, or the point lacks a variable's value or has a category that no point with
/// the value has.
Surface responseSurface(const PointTable& table, std::size_t valueColumn, std::size_t xColumn, std::size_t yColumn,
                        std::size_t at, std::size_t size = kSurfaceSize);

}  // namespace tessera::explore
