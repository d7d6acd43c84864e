#pragma once

#include <array>
#include <vector>

#include "core/codesign/schedule_piece.h"

namespace tessera::codesign {

/// Prices of a unit of time on a tensor core, a vector core and a pair, such that all cores together cost 1. What an
/// operator uses, in this currency, is a share of the makespan that no schedule can avoid: an energetic bound.
struct Prices {
    double tensor = 0, vector = 0, pair = 0;

    double rate(CoreKind kind) const;  ///< of an operator of the kind that runs on one core
};

inline constexpr std::size_t kMostPrices = 4;

/// The few price vectors that bound a piece best, the best one first.
std::vector<Prices> pricesFor(const Piece& piece);

}  // namespace tessera::codesign
