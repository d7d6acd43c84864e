#pragma once

#include <cstddef>
#include <vector>

#include "core/codesign/schedule/schedule_piece.h"

namespace tessera::codesign {

/// Parts of a piece that can be swapped without changing it, such as the heads of an attention layer: blocks of equally
/// many operators, counterparts at the same place. Operators at one place ascend from block to block.
struct Symmetry {
    std::vector<std::vector<std::size_t>> blocks;
};

/// Symmetries of a piece, smaller blocks first; two of them share no operator, or one lies inside a block of the other.
std::vector<Symmetry> symmetriesOf(const Piece& piece);

}  // namespace tessera::codesign
