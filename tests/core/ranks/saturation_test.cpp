#include "tests/support/saturation.h"

#include <gtest/gtest.h>

/// The queue at rank 0 by a clock of its own, held to what can be reckoned by hand.
namespace tessera::test {
namespace {

TEST(Queue, aWorkerWithoutCostsIsNeverIdle) {
    const QueueResult result = queueOf(1, 1000, 1, {.task = 0.01});
    EXPECT_NEAR(result.efficiency, 1, 1e-9);
    EXPECT_EQ(result.busy, 0);
}

TEST(Queue, isSaturatedWhereTheTasksAloneKeepRankZeroBusy) {
    // 1,000 workers of 10 ms want 100,000 tasks a second; at 40 µs each rank 0 gives 25,000: a quarter.
    const QueueCosts costs{.ofTask = 40e-6, .task = 0.01};
    const QueueResult result = queueOf(1000, 200'000, 8, costs);
    EXPECT_NEAR(result.efficiency, 0.25, 0.01);
    EXPECT_GT(result.busy, 0.99);
    EXPECT_EQ(batchThatKeeps(0.9, 1000, costs), 0U) << "no batch helps";
    EXPECT_EQ(batchThatKeeps(0.9, 100, costs), 1U);
}

TEST(Queue, largerBatchesSaveMessages) {
    // 500 workers of 10 ms want 50,000 tasks a second. Alone each costs 30 µs, of sixteen 11.25 µs.
    const QueueCosts costs{.ofMessage = 20e-6, .ofTask = 10e-6, .latency = 50e-6, .task = 0.01, .spread = 0.5};
    EXPECT_NEAR(queueOf(500, 100'000, 1, costs).efficiency, 1 / (30e-6 * 50'000), 0.03);
    const std::size_t batch = batchThatKeeps(0.9, 500, costs);
    EXPECT_GT(batch, 1U);
    EXPECT_LE(batch, 16U);
}

TEST(Queue, oneTaskAheadHidesTheWayOfMessages) {
    EXPECT_GT(queueOf(1, 1000, 1, {.latency = 1e-3, .task = 0.01}).efficiency, 0.99);
    EXPECT_LT(queueOf(1, 1000, 1, {.latency = 20e-3, .task = 0.01}).efficiency, 0.6)
        << "two ways and a task take longer";
}

TEST(Queue, thousandsOfWorkersWithEveryTaskDone) {
    const QueueCosts costs{.ofMessage = 15e-6, .ofTask = 60e-6, .latency = 30e-6, .task = 1, .spread = 0.3};
    EXPECT_GT(queueOf(4096, 4096 * 64, 2, costs).efficiency, 0.9);
    EXPECT_EQ(queueOf(4096, 4096 * 64, 2, costs).efficiency, queueOf(4096, 4096 * 64, 2, costs).efficiency);
}

}  // namespace
}  // namespace tessera::test
