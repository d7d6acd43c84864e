#include "core/cost/tensor_core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/random.h"

using namespace tessera;
using namespace tessera::cost;
using hardware::Architecture;
using hardware::Rates;

namespace {

constexpr double kPlenty = 1e15;

/// A core of 4 x 4 elements that waits for nothing: buffers and bandwidths without end, one cycle a second.
Architecture smallArray(std::int64_t cores = 1) {
    return {.tensorCores = cores,
            .vectorCores = 1,
            .width = 4,
            .height = 4,
            .globalBuffer = Bytes{kPlenty},
            .tensorL2 = Bytes{kPlenty},
            .vectorL2 = Bytes{kPlenty},
            .globalWords = kPlenty};
}
constexpr Rates kRates{.clock = Hertz{1}, .hbmBandwidth = BytesPerSecond{kPlenty}, .wordBytes = 2};

TEST(TensorCore, fillsStreamsAndDrainsOnce) {
    // One piece of 4 x 4 weights: loaded in 4 cycles; 8 rows stream past in 8; 4 + 4 - 2 to fill and drain. 18 in all,
    // and 18 as well with outputs or inputs stationary (2 pieces, 4 cycles each).
    const TensorUse use = bestTiling({.m = 8, .n = 4, .k = 4}, 1, smallArray(), kRates);
    EXPECT_EQ(use.cycles, 4 + 8 + 4 + 4 - 2);
    EXPECT_EQ(use.latency, use.cycles);
    // Everything is moved once: 8 * 4 + 4 * 4 + 8 * 4 words of 2 bytes.
    EXPECT_EQ(use.globalWords, 80);
    EXPECT_EQ(use.hbmBytes, 160);
}

TEST(TensorCore, wastesElementsAtTheEdges) {
    // Weights (or inputs) stationary: 250 pieces along k, 2 along n, since 5 columns need two; 5 rows stream past each
    // of the 500: 2500 cycles, more than 499 further loads of 4. With 16 busy elements it would be 5 * 5 * 1000 / 16 =
    // 1562.5.
    EXPECT_EQ(bestTiling({.m = 5, .n = 5, .k = 1000}, 1, smallArray(), kRates).cycles, 4 + 2500 + 4 + 4 - 2);
}

TEST(TensorCore, waitsForLoadsWhereStreamsAreShort) {
    // A row times a 64 x 64 matrix. Weights stationary: 16 * 16 pieces, one cycle each, 4 cycles for a load: 255 * 4 =
    // 1020 after the first, 4 + 1020 + 6 = 1030. Output stationary: 16 pieces of one row, 64 cycles each, 1 + 1024 + 6.
    EXPECT_EQ(bestTiling({.m = 1, .n = 64, .k = 64}, 1, smallArray(), kRates).cycles, 1030);
}

TEST(TensorCore, splitsOverCores) {
    // One core, outputs stationary: 4 pieces, 8 cycles each. On four cores each has one: 4 + 8 + 6.
    const Gemm gemm{.m = 8, .n = 8, .k = 8};
    EXPECT_EQ(bestTiling(gemm, 1, smallArray(), kRates).cycles, 4 + 32 + 6);
    EXPECT_EQ(bestTiling(gemm, 4, smallArray(4), kRates).cycles, 4 + 8 + 6);
    // Of 7 cores 4 are used; two of a batch of 2.
    EXPECT_EQ(bestTiling(gemm, 7, smallArray(7), kRates).cycles, 4 + 8 + 6);
    const TensorUse batch = bestTiling({.batch = 2, .m = 4, .n = 4, .k = 64}, 2, smallArray(2), kRates);
    EXPECT_EQ(batch.tiling.batchCores, 2);
    EXPECT_EQ(batch.cycles, 4 + 64 + 6);
}

TEST(TensorCore, splitsTheSumWhereNothingElseIsLeft) {
    // One piece of outputs, 4096 cycles long. In four parts along k, 1024 each; three more parts of 16 outputs are
    // added by 4 adders in each of 4 cores: 3 cycles.
    const TensorUse use = bestTiling({.m = 4, .n = 4, .k = 4096}, 4, smallArray(4), kRates);
    EXPECT_EQ(use.tiling.cores, (Extents3{1, 1, 4}));
    EXPECT_EQ(use.cycles, 4 + 1024 + 6 + 3);
    // Each part stores its 16 outputs; they are read again and stored once: 4 * 16 + 5 * 16 beside the inputs.
    EXPECT_EQ(use.globalWords, 2 * 4 * 4096 + 4 * 16 + 5 * 16);
}

TEST(TensorCore, fetchesFromTheHbmByTilesOfTheGlobalBuffer) {
    // Half of the global buffer holds 96 words, an L2 three: a single element of each operand. Tiles of 8 x 8 outputs
    // and a column and row of inputs take 64 + 8 + 8; the 256 words of either input are then fetched twice, outputs
    // stored once: 1280 words. The next best, 16 x 4 outputs, or 8 x 8 weights kept (outputs stored twice and read
    // once), move 1536.
    Architecture architecture = smallArray();
    architecture.tensorL2 = Bytes{12};
    architecture.globalBuffer = Bytes{384};
    Rates rates = kRates;
    rates.hbmBandwidth = BytesPerSecond{0.001};
    const TensorUse use = bestTiling({.m = 16, .n = 16, .k = 16}, 1, architecture, rates);
    EXPECT_EQ(use.hbmBytes, 1280 * 2);
    EXPECT_DOUBLE_EQ(use.latency, 1280 * 2 / 0.001);
    EXPECT_EQ(use.tiling.inBuffer, Stationary::output);
    EXPECT_EQ(use.tiling.bufferTile.m, 8);
    EXPECT_EQ(use.tiling.bufferTile.n, 8);
}

TEST(TensorCore, fetchesFromTheGlobalBufferByTilesOfAnL2) {
    // The same numbers one level further in, where a word takes 1000 cycles.
    Architecture architecture = smallArray();
    architecture.tensorL2 = Bytes{384};
    architecture.globalWords = 0.001;
    const TensorUse use = bestTiling({.m = 16, .n = 16, .k = 16}, 1, architecture, kRates);
    EXPECT_EQ(use.globalWords, 1280);
    EXPECT_DOUBLE_EQ(use.latency, 1280 * 1000.0);
    EXPECT_EQ(use.hbmBytes, 3 * 256 * 2);
    EXPECT_EQ(use.tiling.inCore, Stationary::output);
}

TEST(TensorCore, readsAConvolutionsDistinctElementsFromTheHbm) {
    // 3 x 3 kernels over a 6 x 6 map of 2 channels, padded to the same size: 36 rows of 18, but 72 inputs.
    const Gemm gemm = gemmOf({.k = 4, .c = 2, .y = 6, .x = 6, .r = 3, .s = 3, .padY = 2, .padX = 2});
    EXPECT_EQ(gemm, (Gemm{.m = 36, .n = 4, .k = 18, .leftShare = 72.0 / 648}));
    const TensorUse use = bestTiling(gemm, 1, smallArray(), kRates);
    EXPECT_DOUBLE_EQ(use.hbmBytes, (72 + 72 + 144) * 2);
    EXPECT_EQ(use.globalWords, 648 + 72 + 144);
}

// The search leaves out what cannot win; the following tries everything, without any of its shortcuts.

struct Case {
    Gemm gemm;
    std::int64_t cores = 1;
    Architecture architecture;
    Rates rates;
};

std::int64_t up(std::int64_t value, std::int64_t part) {
    return (value + part - 1) / part;
}

std::vector<std::int64_t> powersTo(std::int64_t max) {
    std::vector<std::int64_t> powers{1};
    while (powers.back() < max) powers.push_back(powers.back() * 2);
    return powers;
}

using Three = std::array<std::int64_t, 3>;  // m, n, k

std::vector<Three> threes(const Three& max) {
    std::vector<Three> all;
    for (const std::int64_t m : powersTo(max[0]))
        for (const std::int64_t n : powersTo(max[1]))
            for (const std::int64_t k : powersTo(max[2])) all.push_back({m, n, k});
    return all;
}

double wordsOf(const Three& tile) {
    return static_cast<double>(tile[0] * tile[2] + tile[2] * tile[1] + tile[0] * tile[1]);
}

/// Cycles, HBM bytes and words of one choice; `stationary` 0 weights, 1 outputs, 2 inputs.
std::array<double, 3> costOf(const Case& c, int stationary, int order, bool transposed, const Three& tile,
                             const Three& split, std::int64_t batchSplit, const Three& buffer) {
    const Three extents{c.gemm.m, c.gemm.n, c.gemm.k};
    const std::array<Three, 3> roles{Three{2, 1, 0}, Three{0, 1, 2}, Three{2, 0, 1}};
    const Three& role = roles[static_cast<std::size_t>(stationary)];
    const std::int64_t r = role[0], s = role[1], t = role[2];
    const std::int64_t height = transposed ? c.architecture.width : c.architecture.height;
    const std::int64_t width = transposed ? c.architecture.height : c.architecture.width;
    const auto share = [&](std::int64_t i) {
        return up(extents[static_cast<std::size_t>(i)], split[static_cast<std::size_t>(i)]);
    };
    const auto tiled = [&](std::int64_t i) { return tile[static_cast<std::size_t>(i)]; };
    const std::int64_t load = std::min(tiled(r), height);
    const std::int64_t pieces =
        up(c.gemm.batch, batchSplit) * up(share(r), load) * up(share(s), std::min(tiled(s), width));
    double cycles = static_cast<double>(load + height + width - 2 +
                                        std::max(pieces * share(t), (pieces * up(share(t), tiled(t)) - 1) * load));
    const auto batch = static_cast<double>(c.gemm.batch);
    const auto m = static_cast<double>(c.gemm.m), n = static_cast<double>(c.gemm.n), k = static_cast<double>(c.gemm.k);
    const double output = batch * m * n;
    if (split[2] > 1)
        cycles += std::ceil(static_cast<double>(split[2] - 1) * output /
                            static_cast<double>(split[0] * split[1] * split[2] * batchSplit * width));
    const auto times = [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        return static_cast<double>(i == t ? up(extents[at], buffer[at]) : up(share(i), tiled(i)));
    };
    const auto parts = static_cast<double>(split[2]);
    const double words = batch * m * k * static_cast<double>(split[1]) * times(1) +
                         batch * k * n * static_cast<double>(split[0]) * times(0) +
                         output * (parts * (2 * times(2) - 1) + (parts > 1 ? parts + 1 : 0));
    const auto cut = [&](std::size_t i) { return static_cast<double>(up(extents[i], buffer[i])); };
    const double bytes =
        2 * (batch * m * k * c.gemm.leftShare * (order == 2 ? 1 : cut(1)) + batch * k * n * (order == 0 ? 1 : cut(0)) +
             output * c.gemm.outputShare * (order == 1 ? 1 : 2 * cut(2) - 1));
    return {cycles, bytes, words};
}

double minByTryingAll(const Case& c) {
    double min = std::numeric_limits<double>::infinity();
    const Three max{c.gemm.m, c.gemm.n, c.gemm.k};
    const double l2 = c.architecture.tensorL2.value / 4, global = c.architecture.globalBuffer.value / 4;
    for (const Three& tile : threes(max)) {
        if (wordsOf(tile) > std::max(l2, 3.0)) continue;
        for (const Three& split : threes(max))
            for (const std::int64_t batchSplit : powersTo(c.gemm.batch)) {
                if (split[0] * split[1] * split[2] * batchSplit > c.cores) continue;
                for (const Three& buffer : threes(max)) {
                    const bool one = buffer == Three{1, 1, 1} && batchSplit == 1;
                    if (!one && wordsOf(buffer) > global / static_cast<double>(batchSplit)) continue;
                    bool contains = true;
                    for (std::size_t i = 0; i < 3; ++i)
                        contains &= buffer[i] >= std::min(powersTo(max[i]).back(), split[i] * tile[i]);
                    if (!contains) continue;
                    for (int choice = 0; choice < 18; ++choice) {
                        const auto [cycles, bytes, words] =
                            costOf(c, choice / 6, choice / 2 % 3, choice % 2 == 1, tile, split, batchSplit, buffer);
                        min = std::min(min, std::max({cycles, bytes / c.rates.hbmBandwidth.value * c.rates.clock.value,
                                                      words / c.architecture.globalWords}));
                    }
                }
            }
    }
    return min;
}

TEST(TensorCore, findsTheBestOfAllTilings) {
    RandomStream random(11);
    const auto pick = [&](std::initializer_list<double> values) {
        return *(values.begin() + static_cast<std::ptrdiff_t>(random.below(values.size())));
    };
    const auto extent = [&] { return static_cast<std::int64_t>(1 + random.below(random.below(2) == 0 ? 4 : 13)); };
    std::array<int, 3> bounds{};
    for (int i = 0; i < 120; ++i) {
        Case c;
        c.gemm = {.batch = 1 + static_cast<std::int64_t>(random.below(3)), .m = extent(), .n = extent(), .k = extent()};
        c.gemm.leftShare = pick({1, 0.25});
        c.gemm.outputShare = pick({1, 1, 0.5});
        c.cores = static_cast<std::int64_t>(pick({1, 2, 4, 5, 8}));
        c.architecture = {.tensorCores = c.cores,
                          .width = static_cast<std::int64_t>(pick({1, 2, 4, 8})),
                          .height = static_cast<std::int64_t>(pick({1, 2, 4})),
                          .globalBuffer = Bytes{pick({8, 64, 256, 1024, 1e6})},
                          .tensorL2 = Bytes{pick({8, 12, 64, 256, 1e6})},
                          .vectorL2 = Bytes{1},
                          .globalWords = pick({1, 4, 16, 64, 1e6})};
        c.rates = {.clock = Hertz{1}, .hbmBandwidth = BytesPerSecond{pick({2, 8, 32, 1e6})}, .wordBytes = 2};
        const TensorUse use = bestTiling(c.gemm, c.cores, c.architecture, c.rates);
        EXPECT_DOUBLE_EQ(use.latency, minByTryingAll(c)) << "case " << i;
        const std::array<double, 3> times{use.cycles, use.hbmBytes / c.rates.hbmBandwidth.value,
                                          use.globalWords / c.architecture.globalWords};
        ++bounds[static_cast<std::size_t>(std::max_element(times.begin(), times.end()) - times.begin())];
    }
    // The cases are of all kinds.
    for (const int bound : bounds) EXPECT_GE(bound, 10);
}

}  // namespace
