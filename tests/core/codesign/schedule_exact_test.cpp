#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "tests/core/codesign/schedule_cases.h"
#include "tests/support/sanitizers.h"

namespace tessera::codesign {
namespace {

/// Solves, and checks what must hold of every result.
ScheduleResult solved(const OperatorGraph& graph, const Cores& cores, const ScheduleOptions& options = {}) {
    ScheduleResult result = scheduleOperators(graph, cores, options);
    EXPECT_EQ(problemOf(result.schedule, graph, cores), "") << options.method;
    EXPECT_LE(result.lowerBound, result.schedule.makespan);
    EXPECT_LE(result.schedule.makespan, result.serial * (1 + 1e-12));
    if (result.optimal) {
        EXPECT_EQ(result.lowerBound, result.schedule.makespan);
    }
    return result;
}

TEST(ScheduleExact, provesTheOptimumOfEveryRandomCase) {
    const auto files = caseFiles("random");
    ASSERT_EQ(files.size(), 24U);
    for (const auto& file : files) {
        const Case each = loadCase(file);
        const ScheduleResult result = solved(each.graph, each.cores);
        EXPECT_TRUE(result.optimal) << file;
        EXPECT_EQ(result.ended, Ended::proof) << file;
        EXPECT_EQ(result.schedule.makespan, each.result["optimal_T"].get<double>()) << file;
    }
}

TEST(ScheduleExact, provesWhatTheReferenceProvedOfLayers) {
    const auto files = caseFiles("layers");
    ASSERT_EQ(files.size(), 8U);
    for (const auto& file : files) {
        const Case each = loadCase(file);
        ScheduleOptions options;
        options.nodes = 100'000;
        const ScheduleResult result = solved(each.graph, each.cores, options);
        const std::string name = file.stem().string();
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

}  // namespace
}  // namespace tessera::codesign
