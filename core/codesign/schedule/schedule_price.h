#pragma once

#include <vector>

#include "core/codesign/schedule/schedule_piece.h"
#include "core/codesign/schedule/schedule_symmetry.h"

namespace tessera::codesign {

/// Price per unit of each operator's time beside others, such that no moment of a schedule costs more than its length:
/// shares of the cores that it takes (an energetic bound) and of the paths that it lies on (`pathShares`). The sum over
/// all operators, each beside others or alone, whichever is cheaper, is then time that no schedule can avoid.
using Prices = std::vector<double>;

/// Minimum cost of an operator.
double minCost(const Piece& piece, const Prices& prices, std::size_t i);
/// The makespan that prices prove.
double boundUnder(const Piece& piece, const Prices& prices);

/// A better bound than the whole cost where much runs beside each other, in time that grows with the square of the
/// operators: what cannot start before a moment nor end after another has to fit between them (energetic reasoning:
/// Baptiste, Le Pape, Nuijten, "Constraint-Based Scheduling", 2001), with heads and tails that follow from the same
/// prices.
double intervalBound(const Piece& piece, const std::vector<Prices>& prices);
inline constexpr std::size_t kMaxWindows = 4096;  ///< operators of a piece that it takes on

inline constexpr std::size_t kMaxPrices = 5;

/// The few prices that bound a piece best, the best ones first.
std::vector<Prices> pricesFor(const Piece& piece);

/// The mean over what can be swapped: as good a bound, and the same for counterparts.
void evenOut(Prices& prices, const std::vector<Symmetry>& symmetries);

}  // namespace tessera::codesign
