#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "tests/core/codesign/schedule_cases.h"
#include "tests/support/operators.h"
#include "tests/support/sanitizers.h"
#include "tests/support/work.h"

namespace tessera::codesign {
namespace {

/// Solves, and checks what must hold of every result.
ScheduleResult solved(const OperatorGraph& graph, const Cores& cores, const ScheduleOptions& options = {},
                      const RunControl& control = {}) {
    ScheduleResult result = scheduleOperators(graph, cores, options, control);
    EXPECT_EQ(problemOf(result.schedule, graph, cores), "") << options.method;
    EXPECT_LE(result.lowerBound, result.schedule.makespan);
    EXPECT_LE(result.schedule.makespan, result.serial * (1 + 1e-12));
    if (result.optimal) {
        EXPECT_EQ(result.lowerBound, result.schedule.makespan);
    }
    return result;
}

TEST(ScheduleExact, provesTheOptimumOfEveryRandomCase) {
    const auto files = caseFiles("ilp_cases/random");
    ASSERT_EQ(files.size(), 24U);
    for (const auto& file : files) {
        const Case each = loadCase(file);
        const ScheduleResult result = solved(each.graph, each.cores);
        EXPECT_TRUE(result.optimal) << file;
        EXPECT_EQ(result.ended, EndedBy::proof) << file;
        EXPECT_EQ(result.schedule.makespan, each.result["optimal_T"].get<double>()) << file;
    }
}

TEST(ScheduleExact, provesWhatTheReferenceProvedOfLayers) {
    const auto files = caseFiles("ilp_cases/layers");
    ASSERT_EQ(files.size(), 8U);
    for (const auto& file : files) {
        const Case each = loadCase(file);
        const std::string name = file.stem().string();
        ScheduleOptions options;
        options.nodes = name.starts_with("L7") ? 2'000 : 100'000;
        const ScheduleResult result = solved(each.graph, each.cores, options);
        if (name.starts_with("L7")) {  // 62 to 135 before
            EXPECT_LE(result.schedule.makespan - result.lowerBound, 0.05 * result.schedule.makespan) << name;
            continue;
        }
        EXPECT_TRUE(result.optimal) << name;
        const Json& known = each.result["exact"]["full_pairing"]["T"];
        if (known.is_number()) {
            EXPECT_EQ(result.schedule.makespan, known.get<double>()) << name;
        }
        if (name.starts_with("L3")) {
            EXPECT_EQ(result.schedule.makespan, 32935) << name;  // without pairs, which is no longer
        }
        if (name.starts_with("L6")) {
            EXPECT_EQ(result.schedule.makespan, 3407) << name;  // 1705 to 3415 before
        }
    }
}

/// Paths and loads of cores together come close to the linear relaxation, and so to the optimum of layers of
/// transformers.
TEST(ScheduleExact, boundsLayersAsWellAsTheLinearRelaxation) {
    const auto files = caseFiles("layer_phases");
    ASSERT_EQ(files.size(), 3U);
    for (const auto& file : files) {
        const Case each = loadCase(file);
        const double linear = each.result["linear_bound"].get<double>();
        ScheduleOptions options{.method = "list"};
        const ScheduleResult listed = solved(each.graph, each.cores, options);
        EXPECT_GE(listed.lowerBound, linear * 0.995) << file;
        EXPECT_LE(listed.lowerBound, linear * (1 + 1e-9)) << file;
        options = {.nodes = 20'000};
        const ScheduleResult found = solved(each.graph, each.cores, options);
        EXPECT_LE(found.schedule.makespan, linear * 1.04) << file;
        EXPECT_EQ(found.optimal, file.stem() != "bert_large_backward_tpuv4") << file;
    }
}

/// 1,600 graphs of a few operators against every order, form and core.
TEST(ScheduleExact, agreesWithBruteForce) {
    RandomStream random(20'24);
    const int count = test::kSanitized ? 200 : 1600;
    int notSerial = 0;
    for (int i = 0; i < count; ++i) {
        Shape shape;
        shape.operators = 2 + random.below(5);
        shape.edges = 0.6 * random.uniform() * random.uniform();
        shape.kinds = 1 + random.below(3);
        if (random.below(4) == 0) {  // copies beside each other
            shape.alike = 2 + random.below(2);
            shape.operators = 6 / shape.alike;
        }
        if (random.below(3) == 0) shape.longest = 3;
        const OperatorGraph graph = randomGraph(random, shape);
        const Cores cores{static_cast<std::int64_t>(1 + random.below(3)),
                          static_cast<std::int64_t>(1 + random.below(3))};
        const ScheduleResult result = solved(graph, cores);
        ASSERT_TRUE(result.optimal) << i;
        ASSERT_EQ(result.schedule.makespan, BruteForce(graph, cores).makespan())
            << i << "\n"
            << cores.tensor << " " << cores.vector << "\n"
            << writeOperators(graph);
        notSerial += result.schedule.makespan < result.serial ? 1 : 0;
    }
    EXPECT_GT(notSerial, count / 3);
}

TEST(ScheduleExact, agreesWithBruteForceOnLatenciesThatAreNotWhole) {
    RandomStream random(7);
    for (int i = 0; i < (test::kSanitized ? 50 : 300); ++i) {
        Shape shape;
        shape.operators = 2 + random.below(4);
        shape.edges = 0.2;
        shape.whole = false;
        const OperatorGraph graph = randomGraph(random, shape);
        const Cores cores{static_cast<std::int64_t>(1 + random.below(3)),
                          static_cast<std::int64_t>(1 + random.below(3))};
        const ScheduleResult result = solved(graph, cores);
        ASSERT_TRUE(result.optimal) << i;
        const double best = BruteForce(graph, cores).makespan();
        ASSERT_NEAR(result.schedule.makespan, best, 1e-8 * best) << i << "\n" << writeOperators(graph);
    }
}

/// More operators than brute force takes.
TEST(ScheduleExact, doesNotDependOnTheOrderOfOperators) {
    RandomStream random(31);
    for (int i = 0; i < (test::kSanitized ? 10 : 60); ++i) {
        const OperatorGraph graph = randomGraph(random, {.operators = 8 + random.below(4), .edges = 0.25});
        const Cores cores{static_cast<std::int64_t>(1 + random.below(3)),
                          static_cast<std::int64_t>(1 + random.below(3))};
        OperatorGraph turned;
        const std::size_t count = graph.operators.size();
        for (std::size_t k = count; k-- > 0;) turned.operators.push_back(graph.operators[k]);
        // With time reversed, too: the makespan is the same.
        for (const auto& [from, to] : graph.edges) turned.edges.emplace_back(count - 1 - to, count - 1 - from);
        const ScheduleResult one = solved(graph, cores), other = solved(turned, cores);
        ASSERT_TRUE(one.optimal && other.optimal) << i;
        ASSERT_EQ(one.schedule.makespan, other.schedule.makespan) << writeOperators(graph);
    }
}

TEST(ScheduleExact, fusedOperatorsHoldAPair) {
    // Without pairs tensor cores 1 and 2 and vector cores 1 and 2 would do for all of it at once.
    OperatorGraph graph;
    graph.operators = {{.id = 0, .kind = CoreKind::tensor, .latency = 4, .allCoresLatency = 4},
                       {.id = 1, .kind = CoreKind::vector, .latency = 2, .allCoresLatency = 2},
                       {.id = 2, .kind = CoreKind::vector, .latency = 4, .allCoresLatency = 4},
                       {.id = 3, .kind = CoreKind::fused, .latency = 2, .allCoresLatency = 2}};
    graph.edges = {{1, 3}};
    const ScheduleResult result = solved(graph, {2, 2});
    EXPECT_EQ(result.schedule.makespan, 4);
    EXPECT_EQ(result.schedule.operators[0].tensorCore, result.schedule.operators[2].vectorCore);
    EXPECT_EQ(result.schedule.operators[3].tensorCore, result.schedule.operators[3].vectorCore);
}

TEST(ScheduleExact, isRepeatableAndKeepsItsLimitOfNodes) {
    const Case wide = loadCase(caseFiles("ilp_cases/layers").at(6));
    for (const std::int64_t nodes : {1, 50, 3000}) {
        ScheduleOptions options;
        options.nodes = nodes;
        const ScheduleResult one = solved(wide.graph, wide.cores, options);
        const ScheduleResult two = solved(wide.graph, wide.cores, options);
        EXPECT_EQ(one.schedule, two.schedule);
        EXPECT_EQ(one.lowerBound, two.lowerBound);
        EXPECT_EQ(one.nodes, nodes);
        EXPECT_EQ(one.ended, EndedBy::nodes);
        EXPECT_FALSE(one.optimal);
    }
}

TEST(ScheduleExact, endsInTimeAndOnAStopWithTheBestSoFar) {
    if (test::kSanitized) GTEST_SKIP() << "a sanitizer takes its time";
    const Case wide = loadCase(caseFiles("ilp_cases/layers").at(6));
    ScheduleOptions options;
    options.time = std::chrono::milliseconds(300);
    const double before = test::workMilliseconds();
    const ScheduleResult timed = solved(wide.graph, wide.cores, options);
    EXPECT_LT(test::workMilliseconds() - before, 600);
    EXPECT_EQ(timed.ended, EndedBy::time);
    std::stop_source stop;
    stop.request_stop();
    const ScheduleResult stopped = solved(wide.graph, wide.cores, options, {.finish = stop.get_token()});
    EXPECT_EQ(stopped.ended, EndedBy::stop);
    EXPECT_EQ(stopped.schedule.makespan, stopped.serial);
}

TEST(ScheduleExact, aPauseIsNoTimeOfTheSearch) {
    const Case wide = loadCase(caseFiles("ilp_cases/layers").at(6));
    ScheduleOptions options;
    options.nodes = 50;
    const ScheduleResult through = solved(wide.graph, wide.cores, options);
    options.time = std::chrono::seconds(1);
    int reports = 0;
    const ScheduleResult paused = solved(wide.graph, wide.cores, options, {.progress = [&](const ProgressEvent&) {
                                             if (reports++ == 0) std::this_thread::sleep_for(options.time * 1.5);
                                         }});
    EXPECT_GT(reports, 0);
    EXPECT_EQ(paused.ended, EndedBy::nodes);
    EXPECT_EQ(paused.schedule, through.schedule);
}

TEST(ScheduleExact, schedulesThousandsOfOperators) {
    RandomStream random(4);
    const std::size_t count = test::kSanitized ? 1000 : 10'000;
    OperatorGraph graph;
    for (std::size_t i = 0; i < count; ++i) {
        const double latency = static_cast<double>(20 + random.below(100));
        graph.operators.push_back({.id = static_cast<std::int64_t>(i),
                                   .kind = static_cast<CoreKind>(random.below(3)),
                                   .latency = latency,
                                   .allCoresLatency = std::ceil(latency / 3)});
        for (int edge = 0; edge < 2 && i > 0; ++edge) {
            const std::size_t from = i - 1 - random.below(std::min<std::size_t>(i, 40));
            if (graph.edges.empty() || graph.edges.back() != std::pair(from, i)) graph.edges.emplace_back(from, i);
        }
    }
    ScheduleOptions options;
    options.time = std::chrono::milliseconds(2000);
    const ScheduleResult result = solved(graph, {4, 8}, options);
    EXPECT_LE(result.lowerBound, result.schedule.makespan);
    EXPECT_GT(result.lowerBound, 0);
}

TEST(ScheduleList, neverExceedsSerialTimeAndKeepsEveryRule) {
    ScheduleOptions options;
    options.method = "list";
    std::vector<std::filesystem::path> files = caseFiles("ilp_cases/random");
    for (const auto& file : caseFiles("ilp_cases/layers")) files.push_back(file);
    int shorter = 0;
    for (const auto& file : files) {
        const Case each = loadCase(file);
        const ScheduleResult result = solved(each.graph, each.cores, options);
        shorter += result.schedule.makespan < result.serial ? 1 : 0;
        EXPECT_EQ(result.ended, result.optimal ? EndedBy::proof : EndedBy::heuristic) << file;
    }
    EXPECT_GT(shorter, 25);
}

TEST(ScheduleMethods, anUnknownOneIsNamed) {
    ScheduleOptions options;
    options.method = "magic";
    try {
        scheduleOperators(OperatorGraph{.operators = {{.id = 0}}}, {1, 1}, options);
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "there is no scheduling method 'magic'; expected one of exact, ilp, list");
    }
}

}  // namespace
}  // namespace tessera::codesign
