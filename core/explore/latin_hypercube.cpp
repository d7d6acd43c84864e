#include "core/explore/latin_hypercube.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/number.h"
#include "core/base/poll.h"
#include "core/base/random.h"

namespace tessera::explore {

namespace {

using Design = std::vector<std::vector<double>>;  ///< shares by point

constexpr std::size_t kDesigns = 16;           ///< to choose from
constexpr double kComparedPairs = 20'000'000;  ///< of points, of all designs together: a tenth of a second or two

Design latinHypercube(std::size_t points, std::size_t variables, RandomStream random) {
    Design design(points, std::vector<double>(variables));
    std::vector<std::size_t> order(points);
    for (std::size_t j = 0; j < variables; ++j) {
        for (std::size_t i = 0; i < points; ++i) {
            const std::size_t other = random.below(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        for (std::size_t i = 0; i < points; ++i) {
            // Rounding must not carry a point into the next stratum.
            const double share = (static_cast<double>(order[i]) + random.uniform()) / static_cast<double>(points);
            const double next = static_cast<double>(order[i] + 1) / static_cast<double>(points);
            design[i][j] = std::min(share, std::nextafter(next, 0.0));
        }
    }
    return design;
}

/// The least square of the distance between two points, or some number below `enough`.
double leastDistance(const Design& design, const std::vector<Variable>& variables, double enough) {
    double min = kInfinity;
    for (std::size_t i = 1; i < design.size(); ++i) {
        poll(1 + i * variables.size() / 500);
        for (std::size_t k = 0; k < i; ++k) {
            double square = 0;
            for (std::size_t j = 0; j < variables.size(); ++j) {
                const double one = design[i][j], other = design[k][j];
                const bool isOther =
                    variables[j].isCategory && valueAt(variables[j], one) != valueAt(variables[j], other);
                square += variables[j].isCategory ? static_cast<double>(isOther) : (one - other) * (one - other);
            }
            min = std::min(min, square);
            if (min < enough) return min;
        }
    }
    return min;
}

}  // namespace

std::vector<std::vector<double>> spreadHypercube(std::size_t points, const std::vector<Variable>& variables,
                                                 std::uint64_t seed) {
    if (points == 0) return {};
    Design best = latinHypercube(points, variables.size(), RandomStream(seed, 0));
    const double pairs = static_cast<double>(points) * static_cast<double>(points) / 2;
    if (pairs * 2 > kComparedPairs) return best;
    double distance = leastDistance(best, variables, 0);
    const auto designs = static_cast<std::size_t>(std::min<double>(kDesigns, kComparedPairs / std::max(1.0, pairs)));
    for (std::size_t i = 1; i < designs; ++i) {
        Design other = latinHypercube(points, variables.size(), RandomStream(seed, i));
        const double min = leastDistance(other, variables, distance);
        if (min <= distance) continue;
        distance = min;
        best = std::move(other);
    }
    return best;
}

}  // namespace tessera::explore
