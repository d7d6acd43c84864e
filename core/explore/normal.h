#pragma once

#include <algorithm>
#include <cmath>

#include "core/base/elementary.h"

/// The standard normal distribution.
namespace tessera::explore {

inline double normalDensity(double z) {
    return 0.39894228040143267794 * elementary::exp(-z * z / 2);
}

/// Probability of a value up to z, with a relative error below 1e-8. Hart et al.: "Computer
/// Approximations", 1968, in the form of West: "Better approximations to cumulative normal functions", Wilmott
/// Magazine, 2005.
inline double normalProbability(double z) {
    if (std::isnan(z)) return z;
    const double size = std::fabs(z);
    double tail = 0;
    if (size < 7.07106781186547) {
        const double upper =
            ((((((3.52624965998911e-2 * size + 0.700383064443688) * size + 6.37396220353165) * size + 33.912866078383) *
                   size +
               112.079291497871) *
                  size +
              221.213596169931) *
                 size +
             220.206867912376);
        const double lower =
            (((((((8.83883476483184e-2 * size + 1.75566716318264) * size + 16.064177579207) * size + 86.7807322029461) *
                    size +
                296.564248779674) *
                   size +
               637.333633378831) *
                  size +
              793.826512519948) *
                 size +
             440.413735824752);
        tail = elementary::exp(-size * size / 2) * upper / lower;
    } else if (size < 38) {
        const double fraction = size + 1 / (size + 2 / (size + 3 / (size + 4 / (size + 0.65))));
        tail = elementary::exp(-size * size / 2) / fraction / 2.506628274631;
    }
    return z > 0 ? 1 - tail : tail;
}

/// Logarithm of that probability, also where it is too small for a number.
inline double logNormalProbability(double z) {
    if (z > -30) return elementary::log(normalProbability(z));
    return -z * z / 2 - elementary::log(-z) - 0.91893853320467274178;  // the density over -z
}

/// Logarithm of the improvement below `best` that is expected of a normal distribution, also where it is too small for
/// a number, with an error below 1e-4. Mockus: "On Bayesian methods for seeking the extremum", 1975; in logarithms
/// Ament et al.: "Unexpected improvements to expected improvement for Bayesian optimization", NeurIPS 2023.
inline double logExpectedImprovement(double mean, double deviation, double best) {
    if (!(deviation > 0)) return mean < best ? elementary::log(best - mean) : -1e300;
    const double z = (best - mean) / deviation;
    if (z > -7) {
        const double improvement = normalDensity(z) + z * normalProbability(z);
        return elementary::log(deviation) + elementary::log(improvement);
    }
    // The asymptotic series of the same difference, in which digits cancel.
    const double square = 1 / (z * z);
    const double series = 1 - square * (3 - square * (15 - square * (105 - square * 945)));
    return elementary::log(deviation) - z * z / 2 - 0.91893853320467274178 + elementary::log(square * series);
}

}  // namespace tessera::explore
