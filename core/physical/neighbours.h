#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tessera::physical {

/// Coordinates of a point, unused ones 0.
using Position = std::array<double, 9>;

/// A point near another one.
struct Neighbour {
    double distance = 0;
    std::size_t point = 0;
};

/// Points in space, sorted so that the nearest of a position are found without a look at most others (a k-d tree:
/// Bentley, CACM 18(9), 1975).
class NearestPoints {
public:
    static constexpr std::size_t kMost = 12;
    /// The nearest of a position, nearest first, of equally near ones the lower index.
    struct Found {
        std::array<Neighbour, kMost> points;
        std::size_t count = 0;
    };

    explicit NearestPoints(std::vector<Position> positions);
    /// Up to `kMost` points nearest to `position`, without `except`.
    Found nearest(const Position& position, std::optional<std::size_t> except = {}) const;
    const std::vector<Position>& positions() const { return positions_; }

private:
    struct Node {
        std::size_t point = 0;
        std::uint8_t axis = 0;
    };
    void build(std::size_t first, std::size_t last);
    void search(std::size_t first, std::size_t last, const Position& position, std::optional<std::size_t> except,
                Found& found) const;

    std::vector<Position> positions_;
    std::vector<Node> nodes_;
};

/// A value interpolated at a position and the share of the field's variance that stays unknown there, at most 1.
struct Interpolated {
    double value = 0;
    double unknown = 1;
};

/// Distance at which the correlation of two values has fallen to a half.
inline constexpr double kCorrelationLength = 4;

/// Simple kriging (Cressie, Statistics for Spatial Data, 1993, 3.2) of a field with mean 0 and correlation
/// 1 / (1 + distance / kCorrelationLength) from `found`, whose values have noise of variance `noise` in units of the
/// field's. Far from all points the value fades to 0; it never leaves the range of the points' values and 0, since a
/// field that is extrapolated in logarithms would be off by orders of magnitude.
Interpolated interpolate(const NearestPoints::Found& found, const std::vector<Position>& positions,
                         std::span<const double> values, double noise);

}  // namespace tessera::physical
