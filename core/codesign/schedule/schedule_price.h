#pragma once

#include <vector>

#include "core/codesign/schedule/schedule_piece.h"
#include "core/codesign/schedule/schedule_symmetry.h"

namespace tessera::codesign {

/// Prices, by operator, of a unit of its time beside others: shares of the cores that it takes (an energetic bound) and
/// of the paths that it lies on (`pathShares`), so that no moment of a schedule costs more than its length. The sum of
/// all operators' costs, each beside others or alone, whichever is cheaper, is then a lower bound of the makespan.
using Prices = std::vector<double>;

/// Returns the lower cost of operator `i`, beside others or alone, in units of the makespan.
double minCost(const Piece& piece, const Prices& prices, std::size_t i);
/// Returns the lower bound of the makespan by these prices: the sum of all minimum costs.
double boundUnder(const Piece& piece, const Prices& prices);

/// Returns a lower bound of the makespan by energetic reasoning: operators that can neither start before a moment nor
/// end after another have to fit between both (Baptiste, Le Pape, Nuijten, "Constraint-Based Scheduling", 2001), with
/// heads and tails that follow from the same prices. Better than `boundUnder` where much runs side by side; takes time
/// that grows with the square of the operators.
double intervalBound(const Piece& piece, const std::vector<Prices>& prices);
inline constexpr std::size_t kMaxWindows = 4096;  ///< operators of a piece that it takes on

inline constexpr std::size_t kMaxPrices = 5;

/// Returns up to kMaxPrices prices of a piece, those of the highest bound first.
std::vector<Prices> pricesFor(const Piece& piece);

/// Replaces the prices of operators that can be swapped by their mean: as good a bound, and the same for counterparts.
void evenOut(Prices& prices, const std::vector<Symmetry>& symmetries);

}  // namespace tessera::codesign
