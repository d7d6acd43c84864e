#include "core/mapping/coarse_schedule.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/number.h"
#include "core/base/random.h"
#include "core/mapping/evaluator.h"
#include "problems.h"

namespace tessera::mapping {
namespace {

using Orders = std::vector<std::vector<std::int32_t>>;

constexpr double kRounding = 1e-5;  ///< of sums in single precision

Orders drawnOrders(const Problem& problem, RandomStream& random) {
    Orders orders(problem.cores.size());
    for (std::size_t j = 0; j < problem.jobs.size(); ++j) {
        auto& order = orders[random.below(orders.size())];
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(random.below(order.size() + 1)),
                     static_cast<std::int32_t>(j));
    }
    return orders;
}

TEST(CoarseSchedule, isNeverLongerThanTheSchedule) {
    RandomStream random(1);
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        // From a bandwidth that hardly binds to one that decides everything.
        const Problem problem = test::drawnProblem(2 + random.below(60), 1 + random.below(9),
                                                   2 + 100 * random.uniform() * random.uniform(), seed);
        const Orders orders = drawnOrders(problem, random);
        CoarseSchedule coarse(problem);
        coarse.hold(orders);
        const double makespan = Evaluator(problem).hold(orders).makespan;
        EXPECT_LE(coarse.makespan(), makespan * (1 + kRounding)) << seed;
        EXPECT_GT(coarse.makespan(), 0.7 * makespan) << seed << ": far from the schedule's";
    }
}

TEST(CoarseSchedule, isExactWhereTheBandwidthNeverBinds) {
    RandomStream random(2);
    const Problem problem = test::drawnProblem(50, 4, 1e6, 1);
    const Orders orders = drawnOrders(problem, random);
    CoarseSchedule coarse(problem);
    coarse.hold(orders);
    EXPECT_NEAR(coarse.makespan(), Evaluator(problem).hold(orders).makespan, 1e-6 * coarse.makespan());
}

TEST(CoarseSchedule, changesGiveWhatHoldingTheChangedOrdersGives) {
    RandomStream random(3);
    const Problem problem = test::drawnProblem(30, 4, 30, 7);
    CoarseSchedule coarse(problem);
    const Orders first = drawnOrders(problem, random);
    coarse.hold(first);
    Evaluator evaluator(problem);
    evaluator.hold(first);
    int kept = 0;
    for (int n = 0; n < 2'000; ++n) {
        const auto job = static_cast<std::int32_t>(random.below(30));
        double found = 0;
        if (random.below(2) == 0) {
            const Evaluator::Swap exchange{job, static_cast<std::int32_t>(random.below(30))};
            if (exchange.second == job) continue;
            found = coarse.trySwap(exchange, kInfinity);
            evaluator.trySwap(exchange);
        } else {
            const auto core = static_cast<std::int32_t>(random.below(4));
            const std::size_t size = evaluator.order(static_cast<std::size_t>(core)).size();
            const std::size_t places = core == evaluator.coreOf(job) ? size : size + 1;
            const Evaluator::Move move{job, core, static_cast<std::int32_t>(random.below(places))};
            found = coarse.tryMove(move, kInfinity);
            evaluator.tryMove(move);
        }
        if (random.below(2) == 0) continue;
        coarse.keep();
        evaluator.keep();
        ++kept;
        ASSERT_EQ(coarse.makespan(), found);
        for (std::size_t k = 0; k < 4; ++k) {
            const auto order = evaluator.order(k);
            ASSERT_EQ(coarse.orders()[k], std::vector<std::int32_t>(order.begin(), order.end())) << n;
        }
        // Held anew, the spans are others; the schedule that both relax is the same.
        ASSERT_LE(found, evaluator.values().makespan * (1 + kRounding)) << n;
        CoarseSchedule other(problem);
        other.hold(coarse.orders());
        ASSERT_NEAR(other.makespan(), found, 0.02 * found) << n;
    }
    EXPECT_GT(kept, 500);
}

TEST(CoarseSchedule, changesAboveTheLimitAreNotKept) {
    Problem problem;
    problem.jobs = {"short", "long"};
    problem.cores = {"a", "b"};
    problem.latency = {1, 1, 10, 100};
    problem.requiredBandwidth = {1, 1, 1, 1};
    problem.bandwidth = 10;
    CoarseSchedule coarse(problem);
    coarse.hold(Orders{{0, 1}, {}});
    EXPECT_NEAR(coarse.makespan(), 11, 1e-9);
    EXPECT_EQ(coarse.tryMove({1, 1, 0}, 50), kInfinity);
    coarse.keep();
    EXPECT_EQ(coarse.orders(), (Orders{{0, 1}, {}}));
    EXPECT_NEAR(coarse.tryMove({0, 1, 0}, 50), 10, 1e-9);
    coarse.keep();
    EXPECT_EQ(coarse.orders(), (Orders{{1}, {0}}));
}

TEST(CoarseSchedule, annealingLowersWhatTheSchedulesTakeAndIsRepeatable) {
    const Problem problem = test::drawnProblem(60, 8, 40, 3);
    RandomStream drawn(4);
    const Orders orders = drawnOrders(problem, drawn);
    const auto annealed = [&] {
        CoarseSchedule coarse(problem);
        coarse.hold(orders);
        RandomStream random(5);
        int polls = 0;
        coarse.anneal(random, 10'000, 0.1 / 60, [&] { ++polls; });
        EXPECT_GE(polls, 10'000 / 256);
        return coarse.orders();
    };
    const Orders found = annealed();
    EXPECT_EQ(found, annealed());
    EXPECT_LT(Evaluator(problem).hold(found).makespan, 0.8 * Evaluator(problem).hold(orders).makespan);
}

}  // namespace
}  // namespace tessera::mapping
