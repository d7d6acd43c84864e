#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/cost/dataflow.h"

namespace tessera::cost {

/// Exception that a layer has no cost, with the reason; caught where an analysis begins, never seen outside.
struct NoCost {
    std::string why;
};

inline constexpr std::size_t kLoops = 6;    ///< K C Y X R S
inline constexpr std::size_t kExtents = 8;  ///< and Y' X'

using Extents = std::array<std::int64_t, kExtents>;

constexpr std::size_t indexOf(Dimension dimension) {
    return static_cast<std::size_t>(dimension);
}

/// The loop that a dimension belongs to: Y' is one over Y.
constexpr Dimension loopOf(Dimension dimension) {
    if (dimension == Dimension::outY) return Dimension::y;
    return dimension == Dimension::outX ? Dimension::x : dimension;
}

/// One directive after completion, over input rows and columns.
struct Loop {
    Dimension dimension = Dimension::k;
    bool spatial = false;
    std::int64_t size = 1;
    std::int64_t offset = 1;
};

/// The loops of one level, outermost first, and the extents that they run over in a whole tile.
struct Level {
    std::array<Loop, kLoops> loops{};
    std::size_t count = 0;
    std::size_t driving = 0;  ///< the first spatial loop
    std::int64_t width = 1;   ///< units side by side
    std::array<std::int64_t, kLoops> extents{};
};

struct Levels {
    std::array<Level, kMaxClusters + 1> levels{};
    std::size_t count = 0;
};

/// The levels of a mapping on an array: clusters cut, output loops turned into input loops, missing loops inherited
/// from the level above or unrolled. Throws NoCost.
Levels levelsOf(const Layer& layer, const Dataflow& dataflow, const Array& array);

std::int64_t extentOf(const Layer& layer, Dimension dimension);

/// Products and sums that end the analysis where 64 bits do not hold them.
inline std::int64_t times(std::int64_t left, std::int64_t right) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(left, right, &product)) throw NoCost{"its counts do not fit into 64 bits"};
    return product;
}
inline std::int64_t plus(std::int64_t left, std::int64_t right) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(left, right, &sum)) throw NoCost{"its counts do not fit into 64 bits"};
    return sum;
}

/// The two variants; throw NoCost.
LayerCost publishedCost(const Layer& layer, const Dataflow& dataflow, const Array& array);
LayerCost correctedCost(const Layer& layer, const Dataflow& dataflow, const Array& array);

}  // namespace tessera::cost
