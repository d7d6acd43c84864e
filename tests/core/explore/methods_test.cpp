// The laws that every row of the table of methods obeys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/explore/method.h"
#include "tests/core/explore/problems.h"

namespace tessera::explore {
void PrintTo(const Method& method, std::ostream* out) {
    *out << method.id;
}
}  // namespace tessera::explore

namespace tessera::explore::test {
namespace {

using testing::HasSubstr;

/// Of some shape in every variable; a part of the space is infeasible, another one fails.
Evaluation anyFunction(const Point& point, std::size_t objectives) {
    double sum = 0, turn = 0;
    for (std::size_t i = 0; i < point.size(); ++i) {
        sum += point[i] * (1 + static_cast<double>(i));
        turn += std::sin(3 * point[i] + static_cast<double>(i));
    }
    Evaluation evaluation{.violation = std::max(0.0, turn - 0.8)};
    if (turn < -1.2) return evaluation;
    for (std::size_t i = 0; i < objectives; ++i)
        evaluation.objectives.push_back(std::cos(sum + static_cast<double>(i)) + static_cast<double>(i) * turn);
    return evaluation;
}

struct Case {
    std::string name;
    MethodProblem problem;
};

std::vector<Case> casesOf(const Method& method) {
    const std::size_t objectives = method.maxObjectives == 1 ? 1 : 2;
    std::vector<Case> cases;
    cases.push_back({"ranges", {.variables = ranges(3, -2, 2), .objectives = objectives, .points = 60, .seed = 5}});
    cases.push_back({"begun",
                     {.variables = ranges(2, -2, 2),
                      .objectives = objectives,
                      .points = 33,
                      .seed = 6,
                      .begin = {{0.25, 1}, {0.5, 1.5}, {0.25, 1}}}});
    Variable logSteps = steps("d", 1, 64, 1);
    logSteps.scale = Scale::log;
    MethodProblem mixed{.variables = {range("a", 0, 1), steps("b", 1, 8, 1), listed("c", {1, 2, 4, 8}), logSteps},
                        .objectives = objectives,
                        .points = 90,
                        .seed = 7};
    mixed.variables[0].levels = 2;
    if (!method.needsRanges) mixed.variables.push_back(category("e", 3));
    cases.push_back({"mixed", mixed});
    MethodProblem few{.variables = {steps("a", 1, 4, 1), listed("b", {3, 2, 1})},
                      .objectives = objectives,
                      .points = 200,
                      .seed = 8,
                      .begin = {{2, 2}, {2.5, 1}}};
    if (!method.needsRanges) {
        few.variables.push_back(category("c", 2));
        for (Point& point : few.begin) point.push_back(1);
    }
    cases.push_back({"few", few});
    cases.push_back({"held",
                     {.variables = {range("a", 0, 1), range("b", 3, 3), steps("c", 1, 8, 1)},
                      .objectives = objectives,
                      .points = 40,
                      .seed = 9}});
    cases.push_back({"one", {.variables = {range("a", 3, 3)}, .objectives = objectives, .points = 10}});
    for (Case& each : cases)
        if (method.id == "list" && each.problem.begin.empty())
            each.problem.begin.assign(5, Point(each.problem.variables.size(), 1));
        else if (method.id == "grid")
            each.problem.points = 20000;
        else if (method.id == "bayes" && each.problem.points < 100)
            each.problem.points = 36;  // each takes a while
    return cases;
}

class EveryMethod : public testing::TestWithParam<Method> {};

Explored exploredBy(const Method& method, const MethodProblem& problem,
                    std::size_t limit = std::numeric_limits<std::size_t>::max()) {
    return explored(
        method.id, problem, [&](const Point& point) { return anyFunction(point, problem.objectives); }, limit);
}

TEST_P(EveryMethod, evaluatesAsManyPointsAsItSays) {
    for (const Case& each : casesOf(GetParam())) {
        SCOPED_TRACE(each.name);
        const Explored found = exploredBy(GetParam(), each.problem);
        EXPECT_EQ(static_cast<std::int64_t>(found.points.size()), GetParam().count(each.problem));
        EXPECT_LE(static_cast<std::int64_t>(found.points.size()), each.problem.points);
        EXPECT_GE(found.points.size(), std::min<std::size_t>(1, each.problem.begin.size()));
        EXPECT_FALSE(found.wasAskedAfterEnd);
    }
}

TEST_P(EveryMethod, beginsWithThePointsThatItIsGivenAndStaysInTheSpace) {
    for (const Case& each : casesOf(GetParam())) {
        SCOPED_TRACE(each.name);
        const Explored found = exploredBy(GetParam(), each.problem);
        ASSERT_GE(found.points.size(), each.problem.begin.size());
        for (std::size_t i = 0; i < found.points.size(); ++i) {
            if (i < each.problem.begin.size()) {
                EXPECT_EQ(found.points[i], each.problem.begin[i]);
            } else {
                EXPECT_TRUE(isInside(each.problem.variables, found.points[i])) << i;
            }
        }
    }
}

TEST_P(EveryMethod, asksForTheSamePointsForTheSameProblem) {
    for (const Case& each : casesOf(GetParam())) {
        SCOPED_TRACE(each.name);
        const Explored one = exploredBy(GetParam(), each.problem), other = exploredBy(GetParam(), each.problem);
        EXPECT_EQ(one.points, other.points);
        EXPECT_EQ(one.batches, other.batches);
    }
}

TEST_P(EveryMethod, asksForTheSamePointsHoweverManyAreEvaluatedAtOnce) {
    for (const Case& each : casesOf(GetParam())) {
        SCOPED_TRACE(each.name);
        const Explored alone = exploredBy(GetParam(), each.problem);
        std::vector<Point> asked;
        GetParam().run(each.problem, [&](std::span<const Point> points) {
            asked.insert(asked.end(), points.begin(), points.end());
            std::vector<Evaluation> answers(points.size());
            parallelFor(points.size(), 3, [&](std::size_t i) {
                // The last ones first.
                const std::size_t k = points.size() - 1 - i;
                answers[k] = anyFunction(points[k], each.problem.objectives);
            });
            return answers;
        });
        EXPECT_EQ(asked, alone.points);
    }
}

TEST_P(EveryMethod, endsWhereverItIsEndedAndHasAskedForTheSamePointsTillThen) {
    for (const Case& each : casesOf(GetParam())) {
        SCOPED_TRACE(each.name);
        const Explored whole = exploredBy(GetParam(), each.problem);
        for (const std::size_t limit : {0U, 1U, 2U, 13U, 31U}) {
            const Explored part = exploredBy(GetParam(), each.problem, limit);
            EXPECT_FALSE(part.wasAskedAfterEnd);
            ASSERT_EQ(part.points.size(), std::min(limit, whole.points.size()));
            EXPECT_TRUE(std::equal(part.points.begin(), part.points.end(), whole.points.begin())) << limit;
        }
    }
}

TEST_P(EveryMethod, worksWhereNothingIsFeasibleOrEverythingFails) {
    for (const Case& each : casesOf(GetParam())) {
        SCOPED_TRACE(each.name);
        for (const bool fails : {true, false}) {
            const Explored found = explored(GetParam().id, each.problem, [&](const Point& point) {
                Evaluation evaluation = anyFunction(point, each.problem.objectives);
                if (fails) evaluation.objectives.clear();
                evaluation.violation += 1;
                return evaluation;
            });
            EXPECT_EQ(static_cast<std::int64_t>(found.points.size()), GetParam().count(each.problem));
        }
    }
}

TEST_P(EveryMethod, takesNumbersThatAreNotFiniteForFailures) {
    for (const Case& each : casesOf(GetParam())) {
        SCOPED_TRACE(each.name);
        const auto withBad = [&](double bad) {
            return explored(GetParam().id, each.problem, [&, bad](const Point& point) {
                Evaluation evaluation = anyFunction(point, each.problem.objectives);
                if (evaluation.objectives.empty()) evaluation.objectives.assign(each.problem.objectives, bad);
                return evaluation;
            });
        };
        const Explored found = exploredBy(GetParam(), each.problem);
        EXPECT_EQ(withBad(std::nan("")).points, found.points);
        EXPECT_EQ(withBad(-std::numeric_limits<double>::infinity()).points, found.points);
    }
}

TEST_P(EveryMethod, refusesWhatItCannotExplore) {
    const MethodProblem good = casesOf(GetParam()).front().problem;
    const auto run = [&](const MethodProblem& problem) { exploredBy(GetParam(), problem); };
    MethodProblem problem = good;
    problem.variables.clear();
    EXPECT_THROW(run(problem), UsageError);
    problem = good;
    problem.points = 0;
    EXPECT_THROW(run(problem), UsageError);
    problem = good;
    problem.begin = {{1}};  // of three variables
    EXPECT_THROW(run(problem), UsageError);
    problem = good;
    problem.objectives = 0;
    EXPECT_THROW(run(problem), UsageError);
    if (GetParam().maxObjectives > 0) {
        problem = good;
        problem.objectives = GetParam().maxObjectives + 1;
        EXPECT_THROW(run(problem), UsageError);
    }
    if (GetParam().needsRanges) {
        problem = good;
        problem.variables.push_back(category("c", 3));
        EXPECT_THROW(run(problem), UsageError);
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(methods()), [](const auto& each) {
    std::string name(each.param.id);
    std::erase(name, '-');
    return name;
});

std::string messageOf(const std::function<void()>& act) {
    try {
        act();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(Methods, areFoundByName) {
    EXPECT_EQ(methodNamed("grid").title, "Grid");
    EXPECT_THAT(messageOf([] { methodNamed("gird"); }), HasSubstr("did you mean 'grid'?"));
    std::set<std::string_view> ids;
    for (const Method& method : methods()) {
        EXPECT_TRUE(ids.insert(method.id).second) << method.id;
        EXPECT_FALSE(method.title.empty() || method.help.empty()) << method.id;
    }
}

TEST(Methods, arePartOfTheTableOnceTheyAreAdded) {
    const Method& grid = methodNamed("grid");
    if (methods().back().id != "middle")
        addMethod({.id = "middle",
                   .title = "Middle",
                   .help = "The middle of the space",
                   .run =
                       [](const MethodProblem& problem, const EvaluatePoints& evaluate) {
                           const Point middle =
                               pointAt(problem.variables, std::vector<double>(problem.variables.size(), 0.5));
                           evaluate(std::vector<Point>{middle});
                       },
                   .count = [](const MethodProblem&) -> std::int64_t { return 1; }});
    const Explored found = explored("middle", {.variables = ranges(2, 0, 4)}, sphereOf);
    EXPECT_EQ(found.points, (std::vector<Point>{{2, 2}}));
    EXPECT_EQ(&grid, &methodNamed("grid"));
    const std::size_t count = methods().size();
    EXPECT_THROW(addMethod({.id = "grid", .title = "Another grid", .help = "Another one"}), std::logic_error);
    EXPECT_EQ(methods().size(), count);
}

TEST(Methods, aGridIsEveryCombinationOnce) {
    MethodProblem problem{.variables = {range("a", 0, 1), steps("b", 1, 4, 1), category("c", 3)}, .points = 60};
    const Explored found = explored("grid", problem, [](const Point& point) { return Evaluation{{point[0]}}; });
    ASSERT_EQ(found.points.size(), 60U);
    EXPECT_EQ(std::set<Point>(found.points.begin(), found.points.end()).size(), 60U);
    EXPECT_EQ(found.points[0], (Point{0, 1, 0}));
    EXPECT_EQ(found.points[1], (Point{0, 1, 1}));
    EXPECT_EQ(found.points[12], (Point{0.25, 1, 0}));
    EXPECT_EQ(found.points.back(), (Point{1, 4, 2}));
    problem.points = 59;
    EXPECT_EQ(methodNamed("grid").count(problem), 0);
    EXPECT_EQ(messageOf([&] { explored("grid", problem, [](const Point&) { return Evaluation{}; }); }),
              "the grid has 60 points (5 × 4 × 3), more than the 59 allowed; expected fewer levels or values, or a "
              "larger number of points");
    Variable powers = steps("x", 64, 1024, 1);
    powers.scale = Scale::log;
    powers.levels = 5;
    const Explored few = explored("grid", {.variables = {powers}, .points = 60},
                                  [](const Point& point) { return Evaluation{{point[0]}}; });
    EXPECT_EQ(few.points, (std::vector<Point>{{64}, {128}, {256}, {512}, {1024}})) << "levels of a range with steps";
    problem.variables = std::vector<Variable>(30, steps("x", 0, 1e9, 1));
    EXPECT_THAT(messageOf([&] { explored("grid", problem, [](const Point&) { return Evaluation{}; }); }),
                HasSubstr("more than the 59 allowed"));
}

TEST(Methods, aListIsItsPointsAsTheyAre) {
    MethodProblem problem{.variables = ranges(1, 0, 1), .points = 4, .begin = {{5}, {0.5}, {0.5}, {0}}};
    const Function function = [](const Point& point) { return Evaluation{{point[0]}}; };
    EXPECT_EQ(explored("list", problem, function).points, problem.begin);
    problem.points = 3;
    EXPECT_EQ(methodNamed("list").count(problem), 0);
    EXPECT_EQ(messageOf([&] { explored("list", problem, function); }),
              "the list has 4 points, more than the 3 allowed; expected a larger number of points");
}

TEST(Methods, endWhereAContinuumHasNoOtherNumbers) {
    for (const char* const method : {"random", "nsga2", "moead", "de", "cmaes", "bayes"}) {
        const MethodProblem problem{.variables = {range("a", 1, 1 + 8 * 0x1p-52)}, .points = 60, .seed = 2};
        const Explored found = explored(method, problem, [](const Point& point) { return Evaluation{{point[0]}}; });
        EXPECT_GE(found.points.size(), 5U) << method;
        EXPECT_LE(found.points.size(), 9U) << method;
        EXPECT_EQ(std::set<Point>(found.points.begin(), found.points.end()).size(), found.points.size()) << method;
    }
}

TEST(Methods, aRandomSampleRepeatsNoPoint) {
    const MethodProblem problem{.variables = {steps("a", 1, 50, 1), category("b", 40)}, .points = 5000};
    const Explored found = explored("random", problem, [](const Point& point) { return Evaluation{{point[0]}}; });
    EXPECT_EQ(std::set<Point>(found.points.begin(), found.points.end()).size(), 2000U);
}

TEST(Methods, aRandomSampleIsUniform) {
    const MethodProblem problem{.variables = {range("a", 0, 1), logRange("b", 1, 1e4)}, .points = 20000};
    const Explored found = explored("random", problem, [](const Point& point) { return Evaluation{{point[0]}}; });
    double mean = 0, decades = 0;
    for (const Point& point : found.points) {
        mean += point[0] / 20000;
        decades += std::log10(point[1]) / 20000;
    }
    EXPECT_NEAR(mean, 0.5, 0.01);  // 5 standard errors
    EXPECT_NEAR(decades, 2, 0.041);
}

}  // namespace
}  // namespace tessera::explore::test
