#include "core/plan/micro_batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "tests/support/sanitizers.h"

namespace tessera::plan {
namespace {

/// Seconds of the slowest of pipelines that take some micro-batches.
double slowestOf(const std::vector<SharingPipelines>& pipelines, const Shares& shares) {
    double slowest = 0;
    for (std::size_t i = 0; i < pipelines.size(); ++i)
        slowest = std::max(slowest, pipelines[i].seconds(shares.microBatches[i]));
    return slowest;
}

int sumOf(const Shares& shares) {
    int sum = 0;
    for (std::size_t i = 0; i < shares.replicas.size(); ++i) sum += shares.microBatches[i] * shares.replicas[i];
    return sum;
}

/// Of all replicas, as many in all, and all micro-batches.
double leastOfAllShares(int all, int replicas, const std::vector<SharingPipelines>& pipelines) {
    double least = std::numeric_limits<double>::infinity();
    Shares shares{.replicas = std::vector<int>(pipelines.size(), 1),
                  .microBatches = std::vector<int>(pipelines.size(), 1)};
    const std::function<void(std::size_t, int)> choose = [&](std::size_t at, int left) {
        if (at == pipelines.size()) {
            if (left > 0 || sumOf(shares) < all) return;
            least = std::min(least, slowestOf(pipelines, shares));
            return;
        }
        for (int r = 1; r <= std::min(pipelines[at].replicas, left); ++r)
            for (int m = 1; m <= all; ++m) {
                shares.replicas[at] = r;
                shares.microBatches[at] = m;
                choose(at + 1, left - r);
            }
    };
    choose(0, replicas);
    return least;
}

TEST(MicroBatches, areSharedSoThatTheSlowestIsFastest) {
    std::mt19937 random(7);
    const auto below = [&](int most) { return std::uniform_int_distribution(0, most - 1)(random); };
    const auto upTo = [&](double most) { return std::uniform_real_distribution(0.0, most)(random); };
    int fewer = 0;
    const int cases = test::randomCases(5000);
    for (int i = 0; i < cases; ++i) {
        std::vector<SharingPipelines> pipelines;
        int most = 0;
        for (int n = 1 + below(3); n > 0; --n) {
            // Whole numbers make ties.
            const bool isWhole = below(2) == 0;
            pipelines.push_back({.start = isWhole ? below(5) : upTo(10),
                                 .each = isWhole ? 1 + below(3) : 0.01 + upTo(3),
                                 .replicas = 1 + below(4)});
            most += pipelines.back().replicas;
        }
        const int least = static_cast<int>(pipelines.size());
        const int replicas = below(2) == 0 ? most : least + below(most - least + 1), all = replicas + below(9);
        const Shares shares = bestShares(all, replicas, pipelines);
        const double slowest = leastOfAllShares(all, replicas, pipelines);
        fewer += replicas < most ? 1 : 0;
        ASSERT_EQ(std::accumulate(shares.replicas.begin(), shares.replicas.end(), 0), replicas);
        ASSERT_GE(sumOf(shares), all);
        ASSERT_NEAR(slowestOf(pipelines, shares), slowest, 1e-12 * slowest) << "case " << i;
        for (std::size_t s = 0; s < pipelines.size(); ++s) {
            ASSERT_TRUE(shares.replicas[s] >= 1 && shares.replicas[s] <= pipelines[s].replicas);
            ASSERT_GE(shares.microBatches[s], 1);
            // No pipeline runs what the others have room for.
            ASSERT_TRUE(shares.microBatches[s] == 1 || sumOf(shares) - shares.replicas[s] < all) << "case " << i;
        }
    }
    EXPECT_GT(fewer, cases / 10);
}

TEST(MicroBatches, farUnequalPipelinesShareMany) {
    const std::vector<SharingPipelines> pipelines{{.start = 0, .each = 1e-9, .replicas = 1},
                                                  {.start = 1, .each = 10, .replicas = 1}};
    EXPECT_EQ(bestShares(1'000'000, 2, pipelines).microBatches, (std::vector{999'999, 1}));
}

}  // namespace
}  // namespace tessera::plan
