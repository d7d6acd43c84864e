#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/explore/point_table.h"

/// What of many points is worth keeping. Values are row by row: those of one point in all objectives, then the next
/// point's, each the smaller the better. A point dominates another one where it is nowhere worse and somewhere better;
/// equal points do not dominate each other. A point with a value that is NaN dominates none and is on no front.
namespace tessera::explore {

/// Indices of the points that no other one dominates, rising. One objective by a scan; two and three by a sweep in
/// lexicographic order (Kung, Luccio, Preparata: "On finding the maxima of a set of vectors", JACM 22(4), 1975), in
/// O(n log n); more by the divide and conquer of `ranksOf`.
std::vector<std::size_t> frontOf(std::span<const double> values, std::size_t objectives);

/// Rank of every point: 0 for those of the front, 1 for the front of the others, and so on; -1 for one with NaN.
/// O(n log^(m-1) n). Buzdalov, Shalyto: "A provably asymptotically fast version of the generalized Jensen algorithm for
/// non-dominated sorting", PPSN 2014.
std::vector<std::int32_t> ranksOf(std::span<const double> values, std::size_t objectives);

/// The front of two objectives as a line: its points by the rising first objective, of equal ones the first alone.
std::vector<std::size_t> frontLineOf(std::span<const double> values);

/// Values of the table's objectives row by row, turned so that less is better; NaN in all of a point that is not
/// feasible. Objectives that are neither better lower nor higher are taken as they are.
std::vector<double> objectivesOf(const PointTable& table);
/// Indices of the feasible points that no other one dominates in the table's objectives, rising.
std::vector<std::size_t> frontOf(const PointTable& table);

/// The point of a front beyond which further gains get dear: the farthest from the plane through the best points of
/// each objective (of two objectives from the line between the front's ends) on the side of the ideal point, all
/// objectives scaled to the front's extent. Das: "On characterizing the 'knee' of the Pareto curve based on
/// normal-boundary intersection", Structural Optimization 18, 1999; for two objectives the same as Satopaa et al.:
/// "Finding a 'Kneedle' in a Haystack", ICDCSW 2011. `front` has indices of points; of equally far points the first one
/// of it. Empty where fewer than three points are there, where the best points of two objectives are one, and where
/// none lies on that side of the plane.
std::optional<std::size_t> kneeOf(std::span<const double> values, std::size_t objectives,
                                  std::span<const std::size_t> front);

}  // namespace tessera::explore
