#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/explore/method.h"

/// What the points of the methods `morris` and `sobol-indices` say about which variable matters. Both take the problem
/// and the values of one objective or metric at the points in the order in which the method asked for them (those to
/// begin with first): fewer where it was ended, NaN where a point failed.
namespace tessera::explore {

/// A number with the interval in which it lies with the stated probability; the interval is NaN of fewer than two
/// samples.
struct Estimate {
    double value = 0;
    double low = 0, high = 0;
};

/// Elementary effects of a variable: by how much a value changes per change of the variable over its whole range (on
/// its own scale; of several values from the first to the last), each from another place. Morris: "Factorial sampling
/// plans for preliminary computational experiments", Technometrics 33(2), 1991; the mean of magnitudes: Campolongo,
/// Cariboni, Saltelli: "An effective screening design for sensitivity analysis of large models", 2007.
struct ElementaryEffects {
    std::size_t count = 0;    ///< effects known; without any, all numbers are NaN
    double mean = 0;          ///< mu: near 0 also where effects of both signs cancel
    Estimate magnitude = {};  ///< mu*, the mean of their magnitudes: how much the variable matters
    double deviation = 0;     ///< sigma: how much the effect depends on the place; NaN of fewer than two
};

/// By variable. The interval is that of a bootstrap over the trajectories, with this probability.
std::vector<ElementaryEffects> morrisEffects(const MethodProblem& problem, std::span<const double> values,
                                             double probability = 0.95);

/// Shares of a value's variance: `first` that of the variable alone, `total` with all its interactions. All NaN where
/// there are too few points or no variance.
struct VarianceShares {
    Estimate first, total;
};

/// By variable. First order by Saltelli et al.: "Variance based sensitivity analysis of model output", Computer Physics
/// Communications 181, 2010, table 2 (b); total by Jansen: "Analysis of variance designs for model output", ibid. 117,
/// 1999. The intervals are those of a bootstrap over the rows of the design, with this probability; since its rows are
/// more even than independent ones, they are on the safe side, and cover the true shares more often.
std::vector<VarianceShares> sobolIndices(const MethodProblem& problem, std::span<const double> values,
                                         double probability = 0.95);

}  // namespace tessera::explore
