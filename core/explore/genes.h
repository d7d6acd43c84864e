#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/explore/space.h"

/// Points as real numbers between which distances mean something: one number for each variable with an order, its
/// share; and one for each value of a category, of which the largest one counts, so that any two categories are as far
/// apart. A variable with one value has none.
namespace tessera::explore {

std::size_t geneCount(const std::vector<Variable>& variables);
/// Genes of a point. Those of a category are 0.75 for its value and 0.25 for the others.
std::vector<double> genesOf(const std::vector<Variable>& variables, const Point& point);
/// Shares that genes stand for; numbers outside of 0 to 1 are folded back at the ends.
std::vector<double> sharesOfGenes(const std::vector<Variable>& variables, std::span<const double> genes);

}  // namespace tessera::explore
