#include "core/physical/estimate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/elementary.h"

namespace tessera::physical {

Estimate estimateAround(double value, double spread) {
    const double factor = elementary::exp(spread);
    return {value, value / factor, value * factor};
}

double conformalSpread(std::vector<double> residuals) {
    constexpr double kShare = 0.9, kFewFactor = 1.5, kUnknown = 0.5;
    if (residuals.empty()) return kUnknown;
    std::sort(residuals.begin(), residuals.end());
    const auto rank = static_cast<std::size_t>(std::ceil(kShare * static_cast<double>(residuals.size() + 1)));
    return rank <= residuals.size() ? residuals[rank - 1] : residuals.back() * kFewFactor;
}

}  // namespace tessera::physical
