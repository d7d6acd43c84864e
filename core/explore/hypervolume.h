#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

/// Hypervolume: what part of the space below a reference point is dominated by some of several points, a measure of how
/// good a set of points is in all objectives. Zitzler, Thiele: "Multiobjective optimization using evolutionary
/// algorithms: a comparative case study", PPSN 1998. Values are row by row and the smaller the better, as in front.h;
/// points that are not below the reference in every objective, or have a value that is NaN, add nothing.
namespace tessera::explore {

/// The volume between the points and the reference, in the product of the objectives' units. Two and three objectives
/// by a sweep, in O(n log n); more by slices of one objective less, each from the points' exclusive parts (While,
/// Bradstreet, Barone: "A fast way of calculating exact hypervolumes", IEEE Transactions on Evolutionary Computation
/// 16(1), 2012), which is meant for up to six.
double hypervolume(std::span<const double> values, std::size_t objectives, std::span<const double> reference);

/// Whether a point is as good as another in every objective: it dominates the other, or equals it.
bool isNowhereAbove(const double* a, const double* b, std::size_t objectives);

/// The hypervolume of points that come one after the other.
class GrowingHypervolume {
public:
    explicit GrowingHypervolume(std::vector<double> reference);
    GrowingHypervolume(GrowingHypervolume&&) noexcept;
    GrowingHypervolume& operator=(GrowingHypervolume&&) noexcept;
    ~GrowingHypervolume();

    /// Adds a point and returns by how much the hypervolume has grown: 0 where an earlier point is nowhere
    /// worse, or the point is not below the reference. One and two objectives in O(log n); three by a search in k-d
    /// trees (Bentley: "Multidimensional binary search trees used for associative searching", CACM 18(9), 1975) for the
    /// few points around; more by comparison with the whole front.
    double add(std::span<const double> point);
    double total() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// The hypervolume after each of the points.
std::vector<double> hypervolumeAfterEach(std::span<const double> values, std::size_t objectives,
                                         std::span<const double> reference);

}  // namespace tessera::explore
