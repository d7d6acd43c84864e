// Pieces with too many operators to be searched through: their bounds and lists.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/codesign/schedule/schedule_list.h"
#include "core/codesign/schedule/schedule_price.h"
#include "tests/core/codesign/schedule_cases.h"
#include "tests/support/operators.h"
#include "tests/support/sanitizers.h"

namespace tessera::codesign {
namespace {

/// An operator that all cores together make several times faster.
Operator drawnOperator(std::size_t id, RandomStream& random) {
    const double latency = static_cast<double>(10 + random.below(90));
    return {.id = static_cast<std::int64_t>(id),
            .kind = static_cast<CoreKind>(random.below(3)),
            .latency = latency,
            .allCoresLatency = std::ceil(latency * (0.15 + 0.5 * random.uniform()))};
}

/// Operators in layers, each after a few of the layer before: much can run beside each other.
OperatorGraph wideGraph(std::size_t operators, std::size_t width, std::uint64_t seed) {
    RandomStream random(seed);
    OperatorGraph graph;
    for (std::size_t i = 0; i < operators; ++i) {
        graph.operators.push_back(drawnOperator(i, random));
        const std::size_t layer = i / width;
        for (std::size_t j = layer == 0 ? i : (layer - 1) * width; j < layer * width; ++j)
            if (random.below(width) < 2) graph.edges.emplace_back(j, i);
    }
    return graph;
}

TEST(ScheduleBounds, ofWindowsAreNeverAboveTheOptimum) {
    RandomStream random(5);
    int better = 0;
    for (int round = 0; round < 800; ++round) {
        Shape shape{.operators = 3 + random.below(4), .edges = 0.5 * random.uniform()};
        shape.kinds = 1 + random.below(3);
        const OperatorGraph graph = randomGraph(random, shape);
        const Cores cores{static_cast<std::int64_t>(1 + random.below(3)),
                          static_cast<std::int64_t>(1 + random.below(3))};
        double bound = 0, quick = 0;
        for (const Piece& piece : piecesOf(graph, cores)) {
            const double windows = intervalBound(piece, pricesFor(piece));
            quick += quickBound(piece);
            bound += std::max(windows, quickBound(piece));
        }
        ASSERT_LE(bound, BruteForce(graph, cores).makespan()) << round << "\n" << writeOperators(graph);
        better += bound > quick ? 1 : 0;
    }
    EXPECT_GT(better, 0) << "they see more than loads and paths";
}

TEST(ScheduleLists, keepEveryRuleAndAreRepeatable) {
    const OperatorGraph graph = wideGraph(200, 20, 3);
    const Cores cores{4, 4};
    const std::vector<Piece> pieces = piecesOf(graph, cores);
    for (const Piece& piece : pieces) {
        const auto improved = [&] {
            Budget budget(std::chrono::steady_clock::now() + std::chrono::hours(1), {}, {});
            PieceSchedule best = listSchedule(piece);
            improveByLists(piece, pricesFor(piece), 0, 200, best, budget);
            return best;
        };
        const PieceSchedule one = improved(), two = improved();
        EXPECT_LE(one.makespan, listSchedule(piece).makespan);
        EXPECT_EQ(one.makespan, two.makespan);
        for (std::size_t i = 0; i < piece.size(); ++i) EXPECT_EQ(one.runs[i].start, two.runs[i].start);
    }
}

/// Operators that each wait for two of the last few: long paths side by side, which decide where cores are plenty.
OperatorGraph pathGraph(std::size_t operators, std::size_t reach, std::uint64_t seed) {
    RandomStream random(seed);
    OperatorGraph graph;
    for (std::size_t i = 0; i < operators; ++i) {
        graph.operators.push_back(drawnOperator(i, random));
        for (std::size_t j = i > reach ? i - reach : 0; j < i; ++j)
            if (random.below(reach) < 2) graph.edges.emplace_back(j, i);
    }
    return graph;
}

TEST(ScheduleLists, shortenSchedulesThatPathsBound) {
    double first = 0, improved = 0;
    for (const std::uint64_t seed : {1U, 2U}) {
        const OperatorGraph graph = pathGraph(200, 25, seed);
        const Cores cores{8, 8};
        ScheduleOptions options;
        options.method = "list";
        options.nodes = 1;
        first += scheduleOperators(graph, cores, options).schedule.makespan;
        options.nodes = test::kSanitized ? 20'000 : 200'000;
        const ScheduleResult result = scheduleOperators(graph, cores, options);
        EXPECT_EQ(problemOf(result.schedule, graph, cores), "") << seed;
        EXPECT_GE(result.schedule.makespan, result.lowerBound) << seed;
        improved += result.schedule.makespan;
    }
    EXPECT_LE(improved, (test::kSanitized ? 0.99 : 0.95) * first);
}

TEST(ScheduleExact, isCloseToItsBoundOnWideGraphs) {
    if (test::kSanitized) GTEST_SKIP() << "a sanitizer takes its time";
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const OperatorGraph graph = wideGraph(200, 25, seed);
        const Cores cores{4, 4};
        ScheduleOptions options;
        options.nodes = 20'000;
        const ScheduleResult result = scheduleOperators(graph, cores, options);
        EXPECT_EQ(problemOf(result.schedule, graph, cores), "");
        EXPECT_LE(result.schedule.makespan, 1.05 * result.lowerBound) << seed;
    }
}

}  // namespace
}  // namespace tessera::codesign
