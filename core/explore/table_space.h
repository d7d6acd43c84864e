#pragma once

#include <cstddef>
#include <vector>

#include "core/explore/point_table.h"
#include "core/explore/space.h"

namespace tessera::explore {

/// The variables of a table of points, as far as its values tell: a range for each from the least to the largest, on
/// the column's scale, or its categories.
struct TableSpace {
    std::vector<std::size_t> columns;  ///< of the table; those in which its points differ by more than rounding
    std::vector<Variable> variables;   ///< by column
    std::vector<std::size_t> rows;     ///< points of the table that have all variables and the value
    std::vector<Point> points;         ///< by row
    std::vector<double> values;        ///< by row
};

/// The table's variables and, of the points that have it, the value of a column. A column of integers alone is one of
/// steps of 1 where it has at most 64 values between its ends. Throws UsageError for a column whose values no range can
/// have, since they lie farther apart than a number can say.
TableSpace spaceOf(const PointTable& table, std::size_t valueColumn);

}  // namespace tessera::explore
