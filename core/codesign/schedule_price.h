#pragma once

#include <vector>

#include "core/codesign/schedule_piece.h"
#include "core/codesign/schedule_symmetry.h"

namespace tessera::codesign {

/// What a unit of each operator's time beside others costs, such that no moment of a schedule costs more than its
/// length: shares of the cores that it takes (an energetic bound) and of the paths that it lies on (`pathShares`). What
/// all operators cost, each beside others or alone, whichever is cheaper, is then time that no schedule can avoid.
using Prices = std::vector<double>;

/// What an operator costs at least.
double leastCost(const Piece& piece, const Prices& prices, std::size_t i);
/// The makespan that prices prove.
double boundUnder(const Piece& piece, const Prices& prices);

inline constexpr std::size_t kMostPrices = 5;

/// The few prices that bound a piece best, the best ones first.
std::vector<Prices> pricesFor(const Piece& piece);

/// The mean over what can be swapped: as good a bound, and the same for counterparts.
void evenOut(Prices& prices, const std::vector<Symmetry>& symmetries);

}  // namespace tessera::codesign
