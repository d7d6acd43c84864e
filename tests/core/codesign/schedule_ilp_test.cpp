#include "core/codesign/schedule/schedule_ilp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "core/base/error.h"
#include "core/base/process.h"
#include "tests/core/codesign/schedule_cases.h"
#include "tests/support/operators.h"
#include "tests/support/work.h"

namespace tessera::codesign {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

ScheduleResult solvedByIlp(const OperatorGraph& graph, const Cores& cores, ScheduleOptions options = {}) {
    options.method = "ilp";
    ScheduleResult result = scheduleOperators(graph, cores, options);
    EXPECT_EQ(problemOf(result.schedule, graph, cores), "");
    EXPECT_LE(result.lowerBound, result.schedule.makespan);
    return result;
}

OperatorGraph operatorsOfThePaper() {
    OperatorGraph graph;
    graph.operators = {{.id = 0, .kind = CoreKind::tensor, .latency = 5, .allCoresLatency = 2},
                       {.id = 1, .kind = CoreKind::vector, .latency = 4, .allCoresLatency = 6},
                       {.id = 2, .kind = CoreKind::fused, .latency = 3, .allCoresLatency = 3}};
    graph.edges = {{0, 1}};
    return graph;
}

TEST(ScheduleIlp, writesTheRowsOfFigure3) {
    const std::string program = scheduleProgram(operatorsOfThePaper(), {1, 2}, {.tensor = true, .vector = true});
    for (const std::string row : {"T - t1 + 3 y1 >= 5",                    // (1) with (2)
                                  "x1_3 + x3_1 <= 1",                      // (3)
                                  "x1_3 - x2_3 >= 0",                      // (4) for 1, 2, 3, where x1_2 = 1
                                  "- t1 + 3 y1 + t2 >= 5",                 // (7)
                                  "- t3 - 0 y3 + t1 - 14 x3_1 >= -11",     // (8), H = 14
                                  "x1_3 + x3_1 - y3 >= 0",                 // (9)
                                  "y1\n + ztc1_1 = 1",                     // (10)
                                  "y2\n + zvc2_1\n + zvc2_2 = 1",          // (11)
                                  "ztc3_1 - zvc3_1 = 0",                   // (14)
                                  "x1_3 + x3_1 - ztc1_1 - ztc3_1 >= -1",   // (15)
                                  "x2_3 + x3_2 - zvc2_1 - zvc3_1 >= -1"})  // (16)
        EXPECT_THAT(program, HasSubstr(row + "\n"));
    EXPECT_THAT(program, Not(HasSubstr("x1_2"))) << "operators that depend on each other have no variable";
    EXPECT_THAT(scheduleProgram(operatorsOfThePaper(), {1, 2}, {}), Not(AnyOf(HasSubstr("ztc"), HasSubstr("zvc"))));
}

TEST(ScheduleIlp, provesTheOptimumOfRandomCases) {
    int proved = 0;
    for (const auto& file : caseFiles("ilp_cases/random")) {
        const Case each = loadCase(file);
        if (each.graph.operators.size() > 7) continue;  // the others take seconds to minutes
        const ScheduleResult result = solvedByIlp(each.graph, each.cores);
        ASSERT_TRUE(result.optimal) << file;
        EXPECT_EQ(result.schedule.makespan, each.result["optimal_T"].get<double>()) << file;
        ++proved;
    }
    EXPECT_EQ(proved, 10);
}

TEST(ScheduleIlp, agreesWithTheSearch) {
    RandomStream random(99);
    for (int i = 0; i < 20; ++i) {
        const OperatorGraph graph = randomGraph(random, {.operators = 3 + random.below(3), .edges = 0.2});
        const Cores cores{static_cast<std::int64_t>(1 + random.below(3)),
                          static_cast<std::int64_t>(1 + random.below(3))};
        const ScheduleResult result = solvedByIlp(graph, cores);
        ASSERT_TRUE(result.optimal) << i;
        ASSERT_EQ(result.schedule.makespan, scheduleOperators(graph, cores, {}).schedule.makespan)
            << writeOperators(graph);
    }
}

TEST(ScheduleIlp, givesCoresToTheKindsOfWhichTooManyAreUsed) {
    OperatorGraph graph;  // four at once without the variables z
    for (std::int64_t i = 0; i < 4; ++i)
        graph.operators.push_back({.id = i, .kind = CoreKind::tensor, .latency = 4, .allCoresLatency = 3});
    const ScheduleResult result = solvedByIlp(graph, {2, 4});
    EXPECT_TRUE(result.optimal);
    EXPECT_EQ(result.schedule.makespan, 8);
}

TEST(ScheduleIlp, endsInTimeWithTheBestSoFar) {
    const Case wide = loadCase(caseFiles("ilp_cases/layers").at(5));
    ScheduleOptions options;
    options.time = 2s;
    const double before = test::workOfChildrenMilliseconds();
    const ScheduleResult result = solvedByIlp(wide.graph, wide.cores, options);
    EXPECT_LT(test::workOfChildrenMilliseconds() - before, 4000);
    EXPECT_FALSE(result.optimal);
    EXPECT_EQ(result.ended, EndedBy::time);
    EXPECT_GT(result.lowerBound, 0);
    EXPECT_LE(result.schedule.makespan, result.serial);
}

TEST(ScheduleIlp, refusesGraphsOfTooManyOperators) {
    OperatorGraph graph;
    for (std::int64_t i = 0; i < 151; ++i) graph.operators.push_back({.id = i, .latency = 1, .allCoresLatency = 1});
    ScheduleOptions options;
    options.method = "ilp";
    try {
        scheduleOperators(graph, {1, 1}, options);
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "method 'ilp' takes at most 150 operators and the file has 151; 'exact' takes them");
    }
}

}  // namespace
}  // namespace tessera::codesign
