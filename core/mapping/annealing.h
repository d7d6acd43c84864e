#pragma once

#include <cstdint>

/// Annealing schedule and acceptance rule, of basic arithmetic alone, so that they are bit-identical on all machines.
namespace tessera::mapping {

/// About −ln(u), up to 3: by how many temperatures a step may be worse.
inline double fluctuation(double u) {
    return 3 * (1 - u * u) / (1 + u * (4 + u));
}

/// The temperature after `done` of `all` steps, as a share of the first: falls to 0 with the fourth power.
inline double annealed(std::int64_t done, std::int64_t all) {
    const double left = 1 - static_cast<double>(done) / static_cast<double>(all);
    const double square = left * left;
    return square * square;
}

}  // namespace tessera::mapping
