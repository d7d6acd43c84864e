#include "core/cost/tensor_core.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/base/number.h"
#include "core/cost/mixer.h"

namespace tessera::cost {

namespace {

constexpr std::size_t kM = 0;
constexpr std::size_t kN = 1;
constexpr std::size_t kDepth = 2;
constexpr std::size_t kExtentCount = 3;
/// An extent, a tile or a split for each of m, n, k.
using Triple = std::array<std::int64_t, kExtentCount>;

/// How many parts a power of two cuts an extent into.
std::int64_t partsOf(std::int64_t extent, std::int64_t part) {
    return (extent + part - 1) >> std::countr_zero(static_cast<std::uint64_t>(part));
}

std::int64_t ceilPowerOfTwo(std::int64_t value) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

std::int64_t floorPowerOfTwo(std::int64_t value) {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
}

/// Words of the three operands' tiles.
double tileWords(const Triple& tile) {
    const double m = real(tile[kM]), n = real(tile[kN]), k = real(tile[kDepth]);
    return m * k + k * n + m * n;
}

/// Which extents the array's rows and columns take, and which one streams past.
struct Roles {
    std::size_t rows, columns, stream;
};
constexpr std::array<Roles, 3> kRoles{Roles{kDepth, kN, kM}, Roles{kM, kN, kDepth}, Roles{kDepth, kM, kN}};
const Roles& rolesOf(Stationary stationary) {
    return kRoles[static_cast<std::size_t>(stationary)];
}

/// A choice up to the tiles of the global buffer.
struct Placement {
    Stationary stationary = Stationary::weight;
    bool transposed = false;
    std::int64_t rows = 1, columns = 1;  ///< of the array, in this orientation
    Triple tile{1, 1, 1};                ///< of an L2
    Triple split{1, 1, 1};
    std::int64_t batchSplit = 1;
};

class Search {
public:
    Search(const Gemm& gemm, std::int64_t cores, const hardware::Architecture& architecture,
           const hardware::Rates& rates)
        : batch_(gemm.batch),
          extents_{gemm.m, gemm.n, gemm.k},
          cores_(floorPowerOfTwo(cores)),
          architecture_(architecture),
          wordBytes_(real(rates.wordBytes)),
          cyclesPerByte_(rates.clock.value / rates.hbmBandwidth.value),
          cyclesPerWord_(1 / architecture.globalWords),
          l2Words_(architecture.tensorL2.value / (2 * wordBytes_)),
          bufferWords_(architecture.globalBuffer.value / (2 * wordBytes_)) {
        for (std::size_t i = 0; i < kExtentCount; ++i) largest_[i] = ceilPowerOfTwo(extents_[i]);
        const double batch = real(batch_);
        left_ = batch * real(gemm.m) * real(gemm.k);
        right_ = batch * real(gemm.k) * real(gemm.n);
        output_ = batch * real(gemm.m) * real(gemm.n);
        distinctLeft_ = left_ * gemm.leftShare;
        distinctOutput_ = output_ * gemm.outputShare;
        minHbmCycles_ = (distinctLeft_ + right_ + distinctOutput_) * wordBytes_ * cyclesPerByte_;
        best_.latency = std::numeric_limits<double>::infinity();
    }

    TensorUse best() {
        const bool square = architecture_.width == architecture_.height;
        Placement placement;
        for (const Stationary stationary : kStationaries)
            for (const bool transposed : {false, true}) {
                if (transposed && square) continue;
                placement.stationary = stationary;
                placement.transposed = transposed;
                placement.rows = transposed ? architecture_.width : architecture_.height;
                placement.columns = transposed ? architecture_.height : architecture_.width;
                tryTiles(placement);
            }
        return best_;
    }

private:
    /// All tiles that fit half an L2, from large to small; a single element always does.
    void tryTiles(Placement& placement) {
        const auto [rows, columns, stream] = rolesOf(placement.stationary);
        Triple& tile = placement.tile;
        for (tile[rows] = largest_[rows]; tile[rows] > 0; tile[rows] /= 2) {
            tile[columns] = largest_[columns];
            tile[stream] = largest_[stream];
            if (minTime(placement) >= best_.latency) continue;  // not even in an L2 without end
            for (; tile[columns] > 0; tile[columns] /= 2) {
                const double rest = l2Words_ - real(tile[rows]) * real(tile[columns]);
                const double sides = real(tile[rows]) + real(tile[columns]);
                if (rest < sides && sides > 2) continue;
                const double max = std::clamp(rest / sides, 1.0, real(largest_[stream]));
                tile[stream] = floorPowerOfTwo(static_cast<std::int64_t>(max));
                // Shorter tiles of the streaming extent are not faster; they only leave room in the global buffer.
                if (minTime(placement) >= best_.latency) continue;
                for (; tile[stream] > 0; tile[stream] /= 2) trySplits(placement);
            }
        }
    }

    /// Splits over cores, as long as they could be faster than the best so far.
    void trySplits(Placement& placement) {
        if (minTime(placement) >= best_.latency) return;
        Triple& split = placement.split;
        const std::int64_t maxBatch = std::min(cores_, ceilPowerOfTwo(batch_));
        for (split[kDepth] = 1; split[kDepth] <= std::min(cores_, largest_[kDepth]); split[kDepth] *= 2)
            for (placement.batchSplit = std::min(maxBatch, cores_ / split[kDepth]); placement.batchSplit > 0;
                 placement.batchSplit /= 2) {
                const std::int64_t rest = cores_ / split[kDepth] / placement.batchSplit;
                for (split[kN] = std::min(rest, largest_[kN]); split[kN] > 0; split[kN] /= 2)
                    for (split[kM] = std::min(rest / split[kN], largest_[kM]); split[kM] > 0; split[kM] /= 2) {
                        const double cycles = cyclesOf(placement);
                        // Fewer cores along m are not faster.
                        if (cycles >= best_.latency) break;
                        if (globalWords(placement, 1) * cyclesPerWord_ < best_.latency) tryBuffer(placement, cycles);
                    }
            }
    }

    /// What no split over all cores and no tile of the global buffer can beat; shorter tiles of the streaming extent
    /// only add to it.
    double minTime(Placement& placement) const {
        placement.split = {1, 1, 1};
        placement.batchSplit = 1;
        const auto [streamed, loaded, load] = passes(placement);
        const double cores = real(cores_);
        const double cycles = overhead(placement, load) + std::max(streamed / cores, (loaded / cores - 1) * load);
        return std::max({cycles, minHbmCycles_, globalWords(placement, 1) * cyclesPerWord_});
    }

    struct Passes {
        double streamed;  ///< cycles that the array is fed
        double loaded;    ///< pieces of the stationary operand that are loaded
        double load;      ///< cycles for one
    };

    /// Of the core with the largest share.
    Passes passes(const Placement& placement) const {
        const Roles& roles = rolesOf(placement.stationary);
        const auto share = [&](std::size_t i) { return partsOf(extents_[i], placement.split[i]); };
        const std::int64_t rows = std::min(placement.tile[roles.rows], placement.rows);
        const std::int64_t columns = std::min(placement.tile[roles.columns], placement.columns);
        const double pieces = real(partsOf(batch_, placement.batchSplit)) * real(partsOf(share(roles.rows), rows)) *
                              real(partsOf(share(roles.columns), columns));
        const std::int64_t stream = share(roles.stream);
        return {pieces * real(stream), pieces * real(partsOf(stream, placement.tile[roles.stream])), real(rows)};
    }

    static double overhead(const Placement& placement, double load) {
        return load + real(placement.rows) + real(placement.columns) - 2;
    }

    double cyclesOf(const Placement& placement) const {
        const auto [streamed, loaded, load] = passes(placement);
        return overhead(placement, load) + std::max(streamed, (loaded - 1) * load) + additions(placement);
    }

    /// Cycles that add up the partial results of a split along k.
    double additions(const Placement& placement) const {
        const Triple& split = placement.split;
        if (split[kDepth] == 1) return 0;
        const double adders =
            real(split[kM] * split[kN] * split[kDepth]) * real(placement.batchSplit) * real(placement.columns);
        return std::ceil(real(split[kDepth] - 1) * output_ / adders);
    }

    /// Words between the global buffer and all cores, where its tiles cut the streaming extent into `streamTiles`.
    double globalWords(const Placement& placement, double streamTiles) const {
        const std::size_t stream = rolesOf(placement.stationary).stream;
        // How often a core fetches (or stores) an operand without the extent.
        const auto perCore = [&](std::size_t extent) {
            if (extent == stream) return streamTiles;
            return real(partsOf(partsOf(extents_[extent], placement.split[extent]), placement.tile[extent]));
        };
        const auto inAll = [&](std::size_t extent) { return real(placement.split[extent]) * perCore(extent); };
        const double parts = real(placement.split[kDepth]);
        const double stored = parts * (2 * perCore(kDepth) - 1) + (parts > 1 ? parts + 1 : 0);
        return left_ * inAll(kN) + right_ * inAll(kM) + output_ * stored;
    }

    /// All tiles of the global buffer that contain those of all cores at work.
    void tryBuffer(const Placement& placement, double cycles) {
        const double words = bufferWords_ / real(placement.batchSplit);
        if (tileWords(largest_) <= words) return tryOrders(placement, cycles, largest_);
        Triple min;
        for (std::size_t i = 0; i < kExtentCount; ++i)
            min[i] = std::min(largest_[i], placement.split[i] * placement.tile[i]);
        if (tileWords(min) > words) {
            if (min == Triple{1, 1, 1} && placement.batchSplit == 1) tryOrders(placement, cycles, min);
            return;
        }
        Triple tile;
        for (tile[kM] = min[kM]; tile[kM] <= largest_[kM]; tile[kM] *= 2)
            for (tile[kN] = min[kN]; tile[kN] <= largest_[kN]; tile[kN] *= 2) {
                const double rest = words - real(tile[kM]) * real(tile[kN]);
                const double sides = real(tile[kM]) + real(tile[kN]);
                if (rest < sides * real(min[kDepth])) break;
                // The largest that fits is never worse than a smaller one.
                tile[kDepth] =
                    floorPowerOfTwo(static_cast<std::int64_t>(std::min(rest / sides, real(largest_[kDepth]))));
                tryOrders(placement, cycles, tile);
            }
    }

    void tryOrders(const Placement& placement, double cycles, const Triple& tile) {
        const auto tiles = [&](std::size_t i) { return real(partsOf(extents_[i], tile[i])); };
        const double m = tiles(kM), n = tiles(kN), k = tiles(kDepth);
        const double streamTiles = std::array{m, n, k}[rolesOf(placement.stationary).stream];
        const double words = globalWords(placement, streamTiles);
        const double stored = 2 * k - 1;
        const std::array<double, 3> hbmWords{distinctLeft_ * n + right_ + distinctOutput_ * stored,
                                             distinctLeft_ * n + right_ * m + distinctOutput_,
                                             distinctLeft_ + right_ * m + distinctOutput_ * stored};
        const auto* const min = std::min_element(hbmWords.begin(), hbmWords.end());
        const double bytes = *min * wordBytes_;
        const double latency = std::max({cycles, bytes * cyclesPerByte_, words * cyclesPerWord_});
        if (latency > best_.latency || (latency == best_.latency && bytes >= best_.hbmBytes)) return;
        best_ = {.latency = latency,
                 .cycles = cycles,
                 .hbmBytes = bytes,
                 .globalWords = words,
                 .tiling = tilingOf(placement, static_cast<Stationary>(min - hbmWords.begin()), tile)};
    }

    static Tiling tilingOf(const Placement& placement, Stationary order, const Triple& bufferTile) {
        const auto extents = [](const Triple& triple) { return Extents3{triple[kM], triple[kN], triple[kDepth]}; };
        return {.inCore = placement.stationary,
                .inBuffer = order,
                .transposed = placement.transposed,
                .l2Tile = extents(placement.tile),
                .bufferTile = extents(bufferTile),
                .cores = extents(placement.split),
                .batchCores = placement.batchSplit};
    }

    std::int64_t batch_;
    Triple extents_;
    Triple largest_{};  ///< the extents, rounded up to powers of two
    std::int64_t cores_;
    const hardware::Architecture& architecture_;
    double wordBytes_;
    double cyclesPerByte_;
    double cyclesPerWord_;
    double l2Words_;                            ///< half of an L2
    double bufferWords_;                        ///< half of the global buffer
    double left_ = 0, right_ = 0, output_ = 0;  ///< words of the operands
    double distinctLeft_ = 0, distinctOutput_ = 0;
    double minHbmCycles_ = 0;
    TensorUse best_;
};

}  // namespace

TensorUse bestTiling(const Gemm& gemm, std::int64_t cores, const hardware::Architecture& architecture,
                     const hardware::Rates& rates) {
    assert(problemOf(architecture).empty());
    return Search(gemm, cores, architecture, rates).best();
}

std::size_t TilingMemo::Hash::operator()(const Key& key) const {
    Mixer mixer;
    mixer.add(key.gemm.batch).add(key.gemm.m).add(key.gemm.n).add(key.gemm.k);
    mixer.add(key.gemm.leftShare).add(key.gemm.outputShare);
    mixer.add(key.cores).add(key.width).add(key.height).add(key.l2).add(key.buffer).add(key.globalWords);
    return mixer.add(key.hbmBandwidth).result();
}

TensorUse TilingMemo::of(const Gemm& gemm, std::int64_t cores, const hardware::Architecture& architecture,
                         const hardware::Rates& rates) {
    constexpr std::size_t kMaxKept = 40'000;  // of a shard: some 600 MB of all
    const Key key{.gemm = gemm,
                  .cores = floorPowerOfTwo(cores),
                  .width = architecture.width,
                  .height = architecture.height,
                  .l2 = architecture.tensorL2.value,
                  .buffer = architecture.globalBuffer.value,
                  .globalWords = architecture.globalWords,
                  .hbmBandwidth = rates.hbmBandwidth.value};
    Shard& shard = shards_[Hash{}(key) % kShards];
    {
        const std::scoped_lock lock(shard.mutex);
        const auto found = shard.known.find(key);
        if (found != shard.known.end()) return found->second;
    }
    const TensorUse use = bestTiling(gemm, cores, architecture, rates);
    const std::scoped_lock lock(shard.mutex);
    if (shard.known.size() >= kMaxKept) shard.known.clear();
    shard.known.emplace(key, use);
    return use;
}

}  // namespace tessera::cost
