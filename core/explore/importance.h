#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/explore/point_table.h"
#include "core/explore/space.h"

namespace tessera::explore {

/// Which variables a value depends on, learnt from any points.
struct Importance {
    /// By variable, half the mean square by which the model's means change where the variable's values are permuted
    /// among the points, over the variance of these means (as the total index of Jansen): with all interactions, so
    /// that the sum may exceed 1. Never below 0.
    std::vector<double> shares = {};
    /// Which share of the value's variance the model behind it predicts for points that it was not told of. Near 0, the
    /// shares say nothing: the value depends on the variables too wildly for these points, or not at all. Never below
    /// 0.
    double explained = 0;
    std::size_t points = 0;  ///< that the model is made of
};

/// Learns a Gaussian process of the points, of more than 500 of some of them, and permutes each variable in it.
/// Breiman: "Random forests", Machine Learning 45, 2001, for the permutation. Where points were not drawn independently
/// by variable, as those of a search, it asks the model for combinations that nobody evaluated. All 0 below three
/// points and without variance.
Importance importanceOf(const std::vector<Variable>& variables, const std::vector<Point>& points,
                        std::span<const double> values);

/// The same of a table: for each of its columns, 0 of one that is no variable (`PointColumn::isVariable`) or has one
/// value alone.
Importance importanceOf(const PointTable& table, std::size_t valueColumn);

}  // namespace tessera::explore
