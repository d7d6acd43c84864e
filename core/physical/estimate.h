#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera::physical {

/// A predicted value and its 90 % interval, in the unit of what is predicted.
struct Estimate {
    double value = 0;
    double low = 0;
    double high = 0;
};

/// The estimate whose interval reaches `spread` in logarithms to either side.
Estimate estimateAround(double value, double spread);

/// The logarithm within which 90 % of residuals lie, with the correction of conformal prediction for few of them:
/// the ceil(0.9 (n + 1))-th smallest (Vovk et al. 2005); of fewer than nine half as much again as the largest; 0.5 of
/// none.
double conformalSpread(std::vector<double> residuals);

/// An estimate, or a sentence that says why there is none.
struct Prediction {
    std::optional<Estimate> estimate = {};
    std::string refused = {};
};

}  // namespace tessera::physical
