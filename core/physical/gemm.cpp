#include "core/physical/gemm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/elementary.h"

namespace tessera::physical {
namespace {

struct GemmTile {
    double rows, columns;
};
constexpr std::array<GemmTile, 14> kGemmTiles{{{256, 128},
                                               {128, 256},
                                               {128, 128},
                                               {256, 64},
                                               {64, 256},
                                               {128, 64},
                                               {64, 128},
                                               {64, 64},
                                               {32, 256},
                                               {32, 128},
                                               {32, 64},
                                               {64, 32},
                                               {16, 128},
                                               {16, 64}}};
constexpr std::array<double, 9> kGemmSplits{1, 2, 3, 4, 6, 8, 12, 16, 32};
constexpr double kGemmStep = 32;          // of k in a tile
constexpr double kGemmSplitStart = 1e-6;  // s: the kernel that sums the parts of a split

double gemmShare(const GemmTile& tile, const GemmParameters& parameters) {
    return parameters.efficiency / (1 + parameters.halfTile * (1 / tile.rows + 1 / tile.columns) / 2);
}

}  // namespace

double gemmSeconds(const Product& product, const Machine& machine, const GemmParameters& parameters) {
    const auto& [batch, m, n, k, inputBytes, outputBytes] = product;
    const double results = batch * m * n;
    const double bytes = batch * (m + n) * k * inputBytes + results * outputBytes;
    const double memory = machine.bandwidth * parameters.bandwidth, cached = memory * parameters.cache;
    const double outside = std::clamp(bytes / (0.7 * machine.cache) - 0.5, 0.0, 1.0);
    const double transfer = bytes * (outside / memory + (1 - outside) / cached);
    const double unitPeak = machine.peak / machine.units, filling = machine.units * parameters.fill;
    double best = std::numeric_limits<double>::infinity();
    for (const GemmTile& tile : kGemmTiles) {
        const double area = 2 * tile.rows * tile.columns / (unitPeak * gemmShare(tile, parameters));
        const double whole = batch * std::ceil(m / tile.rows) * std::ceil(n / tile.columns);
        for (const double split : kGemmSplits) {
            if (split > 1 && k < split * kGemmStep) break;
            const double tiles = whole * split, waves = std::ceil(tiles / machine.units);
            const double inner = std::ceil(k / split / kGemmStep) * kGemmStep;
            const double compute = waves * (area * inner + parameters.wave);
            const double memoryTime = transfer / std::min(1.0, tiles / filling);
            const double sum = split > 1 ? 4 * split * results / cached + kGemmSplitStart : 0;
            best = std::min(best, std::max(compute, memoryTime) + sum);
        }
    }
    return parameters.launch + best;
}

namespace {

/// What no machine exceeds; a fit that ends at one of these says that the form lacks something.
bool gemmPossible(const GemmParameters& parameters) {
    return gemmShare(kGemmTiles.front(), parameters) <= 1 && parameters.bandwidth <= 1 && parameters.cache <= 8 &&
           parameters.fill <= 8 && parameters.halfTile <= 256;
}

double gemmDeviation(std::span<const MeasuredProduct> products, const Machine& machine,
                     const GemmParameters& parameters) {
    if (!gemmPossible(parameters)) return std::numeric_limits<double>::infinity();
    double sum = 0;
    for (const auto& [product, seconds] : products)
        sum += std::fabs(elementary::log(seconds / gemmSeconds(product, machine, parameters)));
    return sum;
}

}  // namespace

GemmParameters fitGemm(std::span<const MeasuredProduct> products, const Machine& machine, const GemmParameters& start) {
    GemmParameters best = start;
    double min = gemmDeviation(products, machine, best);
    const auto improves = [&](GemmParameters trial) {
        const double deviation = gemmDeviation(products, machine, trial);
        if (!(deviation < min)) return false;
        min = deviation;
        best = trial;
        return true;
    };
    for (double step = 0.5; step > 0.01; step /= 2) {
        bool moved = true;
        for (int round = 0; moved && round < 20; ++round) {
            moved = false;
            for (const auto coordinate : kGemmMembers)
                for (const double factor : {1 + step, 1 / (1 + step)}) {
                    GemmParameters trial = best;
                    trial.*coordinate *= factor;
                    // A share of peak trades against the size at which it halves: the largest tile keeps its share.
                    if (coordinate == &GemmParameters::halfTile) {
                        GemmParameters kept = trial;
                        kept.efficiency *= gemmShare(kGemmTiles.front(), best) / gemmShare(kGemmTiles.front(), trial);
                        moved |= improves(kept);
                    }
                    moved |= improves(trial);
                }
        }
    }
    return best;
}

}  // namespace tessera::physical
