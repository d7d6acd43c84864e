#include "core/plan/micro_batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/sanitizers.h"

namespace tessera::plan {
namespace {

/// Seconds of the slowest of pipelines that take some micro-batches.
double slowestOf(const std::vector<SharingPipelines>& pipelines, const std::vector<int>& shares) {
    double slowest = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) slowest = std::max(slowest, pipelines[i].seconds(shares[i]));
    return slowest;
}

int sumOf(const std::vector<SharingPipelines>& pipelines, const std::vector<int>& shares) {
    int sum = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) sum += shares[i] * pipelines[i].replicas;
    return sum;
}

double leastOfAllShares(int all, const std::vector<SharingPipelines>& pipelines) {
    double least = std::numeric_limits<double>::infinity();
    std::vector<int> shares(pipelines.size(), 1);
    const std::function<void(std::size_t)> choose = [&](std::size_t at) {
        if (at == shares.size()) {
            if (sumOf(pipelines, shares) >= all) least = std::min(least, slowestOf(pipelines, shares));
            return;
        }
        for (shares[at] = 1; shares[at] <= all; ++shares[at]) choose(at + 1);
    };
    choose(0);
    return least;
}

TEST(MicroBatches, areSharedSoThatTheSlowestIsFastest) {
    std::mt19937 random(7);
    const auto below = [&](int most) { return std::uniform_int_distribution(0, most - 1)(random); };
    const auto upTo = [&](double most) { return std::uniform_real_distribution(0.0, most)(random); };
    for (int i = 0; i < test::randomCases(5000); ++i) {
        std::vector<SharingPipelines> pipelines;
        int replicas = 0;
        for (int n = 1 + below(3); n > 0; --n) {
            // Whole numbers make ties.
            const bool isWhole = below(2) == 0;
            pipelines.push_back({.start = isWhole ? below(5) : upTo(10),
                                 .each = isWhole ? 1 + below(3) : 0.01 + upTo(3),
                                 .replicas = 1 + below(4)});
            replicas += pipelines.back().replicas;
        }
        const int all = replicas + below(14);
        const std::vector<int> shares = sharedMicroBatches(all, pipelines);
        ASSERT_EQ(shares.size(), pipelines.size());
        ASSERT_GE(*std::min_element(shares.begin(), shares.end()), 1);
        ASSERT_GE(sumOf(pipelines, shares), all);
        const double least = leastOfAllShares(all, pipelines);
        ASSERT_NEAR(slowestOf(pipelines, shares), least, 1e-12 * least) << "case " << i;
        // No pipeline runs what the others have room for.
        for (std::size_t s = 0; s < shares.size(); ++s)
            ASSERT_TRUE(shares[s] == 1 || sumOf(pipelines, shares) - pipelines[s].replicas < all) << "case " << i;
    }
}

TEST(MicroBatches, farUnequalPipelinesShareMany) {
    const std::vector<SharingPipelines> pipelines{{.start = 0, .each = 1e-9, .replicas = 1},
                                                  {.start = 1, .each = 10, .replicas = 1}};
    EXPECT_EQ(sharedMicroBatches(1'000'000, pipelines), (std::vector{999'999, 1}));
}

}  // namespace
}  // namespace tessera::plan
