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

/// By operator, those that precede it, by the definition.
std::vector<std::vector<bool>> precedingOf(const OperatorGraph& graph) {
    const std::size_t size = graph.operators.size();
    std::vector<std::vector<bool>> precedes(size, std::vector<bool>(size, false));
    for (const auto& [from, to] : graph.edges) precedes[from][to] = true;
    for (std::size_t k = 0; k < size; ++k)
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t j = 0; j < size; ++j)
                if (precedes[i][k] && precedes[k][j]) precedes[i][j] = true;
    return precedes;
}

TEST(SchedulePieces, areAllThatCanStandApartAndEachInOnePiece) {
    RandomStream random(11);
    std::size_t several = 0;
    for (int round = 0; round < 3000; ++round) {
        const Shape shape{.operators = 1 + random.below(12), .edges = random.uniform()};
        const OperatorGraph graph = randomGraph(random, shape);
        const auto precedes = precedingOf(graph);
        const std::size_t size = graph.operators.size();
        const Pieces pieces(graph);
        std::vector<std::size_t> order, ends;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            for (const std::size_t op : pieces.members(i)) order.push_back(op);
            ends.push_back(order.size());
        }
        ASSERT_EQ(order.size(), size);
        several += ends.size() > 1 && ends.size() < size ? 1 : 0;
        for (std::size_t cut = 1; cut <= size; ++cut) {
            bool apart = true;
            for (std::size_t a = 0; a < cut; ++a)
                for (std::size_t b = cut; b < size; ++b) apart = apart && precedes[order[a]][order[b]];
            const bool isCut = std::find(ends.begin(), ends.end(), cut) != ends.end();
            ASSERT_EQ(isCut, apart) << round << ", behind " << cut << " operators\n" << writeOperators(graph);
        }
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const Piece piece = pieces.piece(i, {1, 1});
            for (std::size_t a = 0; a < piece.size(); ++a)
                for (std::size_t b = 0; b < a; ++b) {
                    ASSERT_EQ(has(piece.before[a], b), precedes[piece.members[b]][piece.members[a]]);
                    ASSERT_NE(has(piece.before[a], b), has(piece.concurrent[a], b));
                }
        }
    }
    EXPECT_GT(several, 100U);
}

TEST(SchedulePieces, ofALongChainAreItsOperators) {
    OperatorGraph graph;
    constexpr std::size_t kOperators = 200'000;
    for (std::size_t i = 0; i < kOperators; ++i) {
        graph.operators.push_back({.id = static_cast<std::int64_t>(i), .name = {}, .kind = CoreKind::vector});
        graph.operators.back().latency = graph.operators.back().allCoresLatency = 2;
        if (i > 0) graph.edges.emplace_back(i - 1, i);
    }
    EXPECT_EQ(Pieces(graph).size(), kOperators);
    const ScheduleResult result = scheduleOperators(graph, {2, 2}, {});
    EXPECT_EQ(result.schedule.makespan, 2.0 * kOperators);
    EXPECT_TRUE(result.optimal);
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
        const Pieces pieces(graph);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const Piece piece = pieces.piece(i, cores);
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
    const Pieces pieces(graph);
    for (std::size_t p = 0; p < pieces.size(); ++p) {
        const Piece piece = pieces.piece(p, cores);
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
