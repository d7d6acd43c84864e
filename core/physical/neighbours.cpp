#include "core/physical/neighbours.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tessera::physical {
namespace {

double distanceBetween(const Position& a, const Position& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

bool nearerThan(const Neighbour& a, const Neighbour& b) {
    return std::pair(a.distance, a.point) < std::pair(b.distance, b.point);
}

/// Keeps the nearest, in order.
void keepNearest(NearestPoints::Found& found, const Neighbour& candidate) {
    const bool full = found.count == NearestPoints::kMost;
    if (full && !nearerThan(candidate, found.points.back())) return;
    std::size_t place = full ? found.count - 1 : found.count++;
    for (; place > 0 && nearerThan(candidate, found.points[place - 1]); --place)
        found.points[place] = found.points[place - 1];
    found.points[place] = candidate;
}

double correlationAt(double distance) {
    return 1 / (1 + distance / kCorrelationLength);
}

using NearMatrix = std::array<std::array<double, NearestPoints::kMost>, NearestPoints::kMost>;

/// The lower factor of a positive definite matrix, in its place (Cholesky).
void factorise(NearMatrix& matrix, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double rest = matrix[i][j];
            for (std::size_t k = 0; k < j; ++k) rest -= matrix[i][k] * matrix[j][k];
            matrix[i][j] = i == j ? std::sqrt(rest) : rest / matrix[j][j];
        }
}

}  // namespace

NearestPoints::NearestPoints(std::vector<Position> positions)
    : positions_(std::move(positions)), nodes_(positions_.size()) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].point = i;
    build(0, nodes_.size());
}

void NearestPoints::build(std::size_t first, std::size_t last) {
    if (last - first < 2) return;
    std::uint8_t widest = 0;
    double width = -1;
    for (std::uint8_t axis = 0; axis < std::tuple_size_v<Position>; ++axis) {
        double low = positions_[nodes_[first].point][axis], high = low;
        for (std::size_t i = first; i < last; ++i) {
            low = std::min(low, positions_[nodes_[i].point][axis]);
            high = std::max(high, positions_[nodes_[i].point][axis]);
        }
        if (high - low > width) widest = axis, width = high - low;
    }
    const auto at = [&](std::size_t place) { return nodes_.begin() + static_cast<std::ptrdiff_t>(place); };
    const std::size_t middle = (first + last) / 2;
    std::nth_element(at(first), at(middle), at(last), [&](const Node& a, const Node& b) {
        return std::pair(positions_[a.point][widest], a.point) < std::pair(positions_[b.point][widest], b.point);
    });
    nodes_[middle].axis = widest;
    build(first, middle);
    build(middle + 1, last);
}

void NearestPoints::search(std::size_t first, std::size_t last, const Position& position,
                           std::optional<std::size_t> except, Found& found) const {
    if (first == last) return;
    const std::size_t middle = (first + last) / 2;
    const auto& [point, axis] = nodes_[middle];
    if (point != except) keepNearest(found, {distanceBetween(position, positions_[point]), point});
    const double beyond = position[axis] - positions_[point][axis];
    const std::pair below(first, middle), above(middle + 1, last);
    const auto& [near, far] = beyond < 0 ? std::pair(below, above) : std::pair(above, below);
    search(near.first, near.second, position, except, found);
    if (found.count < kMost || std::fabs(beyond) <= found.points[found.count - 1].distance)
        search(far.first, far.second, position, except, found);
}

NearestPoints::Found NearestPoints::nearest(const Position& position, std::optional<std::size_t> except) const {
    Found found;
    search(0, nodes_.size(), position, except, found);
    return found;
}

Interpolated interpolate(const NearestPoints::Found& found, const std::vector<Position>& positions,
                         std::span<const double> values, double noise) {
    const std::size_t count = found.count;
    NearMatrix factor;
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            factor[i][j] = i == j ? 1 + noise
                                  : correlationAt(distanceBetween(positions[found.points[i].point],
                                                                  positions[found.points[j].point]));
    factorise(factor, count);
    // With L L' the correlations of the points: value = (L^-1 c)' (L^-1 values), known share = |L^-1 c|^2.
    std::array<double, NearestPoints::kMost> weights, solved;
    Interpolated result;
    double low = 0, high = 0;
    for (std::size_t i = 0; i < count; ++i) {
        low = std::min(low, values[found.points[i].point]);
        high = std::max(high, values[found.points[i].point]);
        weights[i] = correlationAt(found.points[i].distance);
        solved[i] = values[found.points[i].point];
        for (std::size_t j = 0; j < i; ++j) {
            weights[i] -= factor[i][j] * weights[j];
            solved[i] -= factor[i][j] * solved[j];
        }
        weights[i] /= factor[i][i];
        solved[i] /= factor[i][i];
        result.value += weights[i] * solved[i];
        result.unknown -= weights[i] * weights[i];
    }
    result.value = std::clamp(result.value, low, high);
    result.unknown = std::max(result.unknown, 0.0);
    return result;
}

}  // namespace tessera::physical
