// All schedules of small tables: the optimum, proven.
#include "core/mapping/exact.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/core/mapping/tables.h"

using namespace tessera;
using namespace tessera::mapping;

namespace {

TEST(Exact, findsWhatAllMappingsTriedOutHave) {
    RandomStream random(31);
    for (int n = 0; n < 120; ++n) {
        Problem problem = test::randomTable(random, 1 + random.below(5), 1 + random.below(3));
        if (n % 3 == 0) {  // equal jobs, and equal cores
            const std::size_t cores = problem.cores.size();
            for (std::size_t p = cores; p < 2 * cores && p < problem.latency.size(); ++p) {
                problem.latency[p] = problem.latency[p - cores];
                problem.requiredBandwidth[p] = problem.requiredBandwidth[p - cores];
            }
            for (std::size_t p = 0; p < problem.latency.size(); ++p) {
                problem.latency[p] = problem.latency[p - p % cores];
                problem.requiredBandwidth[p] = problem.requiredBandwidth[p - p % cores];
            }
        }
        const double best = test::bruteForce(problem, Objective::throughput, {}, lowerBound(problem));
        const auto found = minMakespanMapping(problem, 0);
        ASSERT_TRUE(found) << "table " << n;
        EXPECT_NEAR(evaluate(problem, *found).makespan, best, 1e-9 * best) << "table " << n;
    }
}

TEST(Exact, provesTheOptimumOfUpToTwelveJobs) {
    RandomStream random(32);
    for (int n = 0; n < 30; ++n) {
        const Problem problem = test::randomTable(random, 2 + random.below(11), 1 + random.below(8));
        Options options;
        options.samples = 2000;
        const Result result = solve(problem, options);
        EXPECT_TRUE(result.runs.front().optimal)
            << "table " << n << ", " << problem.jobs.size() << " jobs on " << problem.cores.size() << " cores";
        EXPECT_EQ(result.runs.front().endedBy, EndedBy::proof);
    }
}

TEST(Exact, leavesLargerTablesAlone) {
    RandomStream random(33);
    EXPECT_FALSE(minMakespanMapping(test::randomTable(random, kMaxExactJobs + 1, 2), 0));
    EXPECT_FALSE(minMakespanMapping(test::randomTable(random, 2, kMaxExactCores + 1), 0));
}

TEST(Exact, givesUpWhereItIsAskedTo) {
    RandomStream random(34);
    Problem problem = test::randomTable(random, 12, 8);
    for (double& latency : problem.latency) latency = 1 + random.uniform();
    for (double& requiredBandwidth : problem.requiredBandwidth) requiredBandwidth = random.uniform();
    problem.bandwidth = 2;
    int asked = 0;
    const auto found = minMakespanMapping(problem, 0, [&] { return ++asked > 0; });
    EXPECT_FALSE(found);
    EXPECT_EQ(asked, 1);
}

}  // namespace
