#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "core/cost/core_cost.h"

namespace tessera::cost {

/// Cycles of the best tiling of a matrix multiplication.
struct TensorUse {
    double latency = 0;  ///< the longest of the three below
    double cycles = 0;
    double hbmBytes = 0;
    double globalWords = 0;
    Tiling tiling;
};

/// The fastest tiling of a product on up to `cores` tensor cores (used in powers of two), of equally fast ones with the
/// fewest HBM bytes among the tiles of the global buffer, else the first in a fixed order.
///
/// All tilings of power-of-two tiles are considered: three operands that may be stationary in the array and over the
/// tiles of an L2, two orientations of the array, tiles of the L2 and of the global buffer that contain them, three
/// orders over the latter, and splits over cores along batch, m, n and k. A tile takes half of its buffer, the next one
/// is fetched into the other half meanwhile. The time of one is the longest of:
/// - cycles: the array takes the stationary operand in pieces of its size, the third extent streams past each, one
///   element per cycle; the next piece is loaded meanwhile, a row per cycle, so that short streams wait for loads.
///   Filling and draining count once, rows + columns - 2 after the load of the first piece (as a pass of SCALE-Sim,
///   Samajdar et al., arXiv:1811.02883; passes follow each other without a gap). Pieces that the extents do not fill
///   waste elements. Partial results of a split along k are added by one adder for each column of the arrays.
/// - HBM bytes over its bandwidth: an operand is fetched again for each tile along the extent that it does not have,
///   except the stationary one; partial outputs are written and read back.
/// - words between the global buffer and the cores over its bandwidth: the same over tiles of L2; a core fetches its
///   own copy.
TensorUse bestTiling(const Gemm& gemm, std::int64_t cores, const hardware::Architecture& architecture,
                     const hardware::Rates& rates);

/// Best tilings that are kept, for one clock and HBM bandwidth: a product on as many cores of equal arrays, buffers and
/// bandwidth is tiled once, whatever the rest of the architecture. Several threads may use one.
class TilingMemo {
public:
    TensorUse of(const Gemm& gemm, std::int64_t cores, const hardware::Architecture& architecture,
                 const hardware::Rates& rates);

private:
    struct Key {
        Gemm gemm;
        std::int64_t cores = 1, width = 1, height = 1;
        double l2 = 0, buffer = 0, globalWords = 0, hbmBandwidth = 0;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    struct Shard {
        std::mutex mutex;
        std::unordered_map<Key, TensorUse, Hash> known;
    };
    static constexpr std::size_t kShards = 64;
    std::array<Shard, kShards> shards_;
};

}  // namespace tessera::cost
