#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/explore/space.h"

namespace tessera::explore {

/// Shares of points of which each variable has one in each of as many equal parts. McKay, Beckman, Conover: "A
/// comparison of three methods for selecting values of input variables in the analysis of output from a computer code",
/// Technometrics 21(2), 1979. Of up to sixteen designs the one whose nearest points lie farthest apart (Morris,
/// Mitchell: "Exploratory designs for computational experiments", Journal of Statistical Planning and Inference 43,
/// 1995), where two categories are as far as the ends of a range; of more than 4,000 points the first one.
std::vector<std::vector<double>> spreadHypercube(std::size_t points, const std::vector<Variable>& variables,
                                                 std::uint64_t seed);

}  // namespace tessera::explore
