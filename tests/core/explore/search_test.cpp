// Searches find what is known to be there.
#include "core/explore/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <pagmo/algorithms/moead.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/problems/zdt.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/base/poll.h"
#include "core/base/statistics.h"
#include "core/explore/front.h"
#include "core/explore/genes.h"
#include "core/explore/hypervolume.h"
#include "tests/core/explore/problems.h"

namespace tessera::explore::test {
namespace {

std::vector<double> valuesOf(const Explored& found) {
    std::vector<double> values;
    for (const Evaluation& each : found.evaluations)
        if (each.isFeasible()) values.insert(values.end(), each.objectives.begin(), each.objectives.end());
    return values;
}

double meanVolume(std::string_view method, std::size_t variables, std::size_t objectives, std::int64_t points,
                  const Function& function) {
    double sum = 0;
    constexpr int kSeeds = 5;
    for (int seed = 1; seed <= kSeeds; ++seed) {
        const MethodProblem problem{.variables = ranges(variables, 0, 1),
                                    .objectives = objectives,
                                    .points = points,
                                    .seed = static_cast<std::uint64_t>(seed)};
        const Explored found = explored(method, problem, function);
        sum += hypervolume(valuesOf(found), objectives, std::vector<double>(objectives, 1.1)) / kSeeds;
    }
    return sum;
}

class FrontSearch : public testing::TestWithParam<const char*> {};

// Of the true fronts the volumes up to (1.1, 1.1): 0.21 - 1/3 + 1 for 1 - sqrt(x), 0.21 + 1/3 for 1 - x².
TEST_P(FrontSearch, findsTheFrontsOfZdt) {
    EXPECT_GT(meanVolume(GetParam(), 30, 2, 16000, [](const Point& x) { return zdt(1, x); }), 0.985 * 0.876667);
    EXPECT_GT(meanVolume(GetParam(), 30, 2, 16000, [](const Point& x) { return zdt(2, x); }), 0.95 * 0.543333);
    // The front of ZDT3 in parts: of a fine sample of its line.
    std::vector<double> line;
    for (int i = 0; i <= 200000; ++i) {
        const Evaluation at = zdt(3, {i / 200000.0, 0});
        line.insert(line.end(), at.objectives.begin(), at.objectives.end());
    }
    const double whole = hypervolume(line, 2, std::vector<double>{1.1, 1.1});
    EXPECT_GT(meanVolume(GetParam(), 30, 2, 16000, [](const Point& x) { return zdt(3, x); }), 0.99 * whole);
}

TEST_P(FrontSearch, findsTheSphereOfDtlz2) {
    // 1.1³ without an eighth of the unit ball; a hundred points of it reach 0.76 or so.
    const double whole = 1.331 - kPi / 6;
    const double found = meanVolume(GetParam(), 12, 3, 12000, [](const Point& x) { return dtlz2(x, 3); });
    EXPECT_GT(found, 0.95 * whole);
    EXPECT_LT(found, whole);
}

TEST_P(FrontSearch, findsEveryPointOfAFrontOfMixedVariables) {
    // Costs of what a design has and of what it lacks, by its kind: the front is that of all 960 designs.
    const std::vector<Variable> variables{steps("a", 0, 9, 1), listed("b", {1, 2, 4, 8, 16, 32}), category("c", 4),
                                          steps("d", 0, 3, 1)};
    const auto function = [](const Point& x) {
        static const double kKind[] = {1.3, 1, 1.1, 1.2};
        const double size = x[0] + x[1] / 4 + x[3];
        return Evaluation{{size, kKind[static_cast<int>(x[2])] * (30 - 2 * x[0] - x[1] / 3 - x[3])}};
    };
    const Explored all = explored("grid", {.variables = variables, .objectives = 2, .points = 960}, function);
    const double whole = hypervolume(valuesOf(all), 2, std::vector<double>{30, 40});
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Explored found =
            explored(GetParam(), {.variables = variables, .objectives = 2, .points = 480, .seed = seed}, function);
        EXPECT_GT(hypervolume(valuesOf(found), 2, std::vector<double>{30, 40}), 0.995 * whole) << seed;
    }
}

TEST_P(FrontSearch, staysOnTheFeasibleSide) {
    // f = (x, y) with x + y at least 1: the front is that line.
    const Function function = [](const Point& x) {
        return Evaluation{{x[0] + x[2], x[1] + x[2]}, std::max(0.0, 1 - x[0] - x[1])};
    };
    const MethodProblem problem{.variables = ranges(3, 0, 1), .objectives = 2, .points = 4000, .seed = 3};
    const Explored found = explored(GetParam(), problem, function);
    EXPECT_GT(hypervolume(valuesOf(found), 2, std::vector<double>{1.1, 1.1}), 0.95 * (0.5 + 0.21));
    std::size_t late = 0;
    for (std::size_t i = 3000; i < 4000; ++i) late += found.evaluations[i].isFeasible() ? 1 : 0;
    EXPECT_GT(late, 400U);
}

TEST_P(FrontSearch, takesOneObjective) {
    const MethodProblem problem{.variables = ranges(4, -1, 1), .points = 3000, .seed = 4};
    EXPECT_LT(explored(GetParam(), problem, sphereOf).best(), 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Methods, FrontSearch, testing::Values("nsga2", "moead"));

TEST(FrontSearches, areAsGoodAsThoseOfAnotherProgram) {
    constexpr unsigned kSize = 100, kGenerations = 79;
    const auto theirs = [&](const auto& make) {
        double sum = 0;
        for (unsigned seed = 1; seed <= 5; ++seed) {
            pagmo::population population(pagmo::problem(pagmo::zdt(1, 30)), kSize, seed);
            population = make(seed).evolve(population);
            std::vector<double> values;
            for (const auto& each : population.get_f()) values.insert(values.end(), each.begin(), each.end());
            sum += hypervolume(values, 2, std::vector<double>{1.1, 1.1}) / 5;
        }
        return sum;
    };
    const auto ours = [&](std::string_view method) {
        const std::int64_t points = kSize * (kGenerations + 1);
        return meanVolume(method, 30, 2, points, [](const Point& x) { return zdt(1, x); });
    };
    EXPECT_GT(ours("nsga2"),
              0.99 * theirs([](unsigned seed) { return pagmo::nsga2(kGenerations, 0.9, 15, 1.0 / 30, 20, seed); }));
    EXPECT_GT(ours("moead"), theirs([](unsigned seed) {
                  return pagmo::moead(kGenerations, "grid", "tchebycheff", 20, 1, 0.5, 20, 0.9, 2, true, seed);
              }));
}

class BestSearch : public testing::TestWithParam<const char*> {
protected:
    /// The median over seeds of the best objective.
    static double median(const std::vector<Variable>& variables, std::int64_t points, const Function& function) {
        std::vector<double> bests;
        for (std::uint64_t seed = 1; seed <= 9; ++seed)
            bests.push_back(
                explored(GetParam(), {.variables = variables, .points = points, .seed = seed}, function).best());
        return medianOf(bests);
    }
};

TEST_P(BestSearch, findsTheLeastOfASphere) {
    EXPECT_LT(median(ranges(10, -2.5, 2.5), 5000, sphereOf), 1e-6);
}

TEST_P(BestSearch, followsRosenbrocksValley) {
    EXPECT_LT(median(ranges(5, -2.5, 2.5), 10000, rosenbrock), 1e-3);
}

TEST_P(BestSearch, findsMinimaOverLogScales) {
    std::vector<Variable> variables;
    for (int i = 0; i < 4; ++i) variables.push_back(logRange("x", 1e-6, 1e6));
    const double found = median(variables, 3000, [](const Point& x) {
        double sum = 0;
        for (const double value : x) sum += std::pow(std::log10(value / 2000), 2);
        return Evaluation{{sum}};
    });
    EXPECT_LT(found, 1e-6);
}

TEST_P(BestSearch, findsTheBestOfMixedVariables) {
    const std::vector<Variable> variables{steps("a", 1, 64, 1), listed("b", {1, 2, 4, 8, 16}), category("c", 5),
                                          range("d", 0, 1), steps("e", 0, 20, 2)};
    const double found = median(variables, 2000, [](const Point& x) {
        static const double kKind[] = {3, 2, 5, 0, 4};
        return Evaluation{{std::pow((x[0] - 37) / 10, 2) + std::pow(std::log2(x[1]) - 3, 2) +
                           kKind[static_cast<int>(x[2])] + std::pow(x[3] - 0.7, 2) + std::fabs(x[4] - 12) / 4}};
    });
    EXPECT_LT(found, 1e-3);
}

TEST_P(BestSearch, findsTheBestFeasiblePoint) {
    // The least of x + y on and above a circle's arc lies at its end, the feasible side begins far from the middle.
    const double found = median(ranges(2, 0, 2), 3000, [](const Point& x) {
        const double radius = std::hypot(x[0], x[1]);
        if (radius > 2.7) return Evaluation{};  // fails
        return Evaluation{{x[0] + 2 * x[1]}, std::max(0.0, 1.5 - radius)};
    });
    EXPECT_NEAR(found, 1.5, 1e-3);
}

TEST_P(BestSearch, goesOnFromThePointsThatItIsGiven) {
    MethodProblem problem{.variables = ranges(6, -5, 5), .points = 300, .seed = 2};
    problem.begin = {{0.31, 0.3, 0.29, 0.3, 0.3, 0.31}};
    EXPECT_LE(explored(GetParam(), problem, sphereOf).best(), sphereOf(problem.begin[0]).objectives[0]);
    EXPECT_LT(explored(GetParam(), problem, sphereOf).best(), explored("random", problem, sphereOf).best() + 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Methods, BestSearch, testing::Values("de", "cmaes"));

TEST(BestSearches, leaveLocalMinima) {
    const MethodProblem problem{.variables = ranges(5, -5.12, 5.12), .points = 20000, .seed = 1};
    for (const char* const method : {"de", "cmaes"})
        EXPECT_LT(explored(method, problem, rastrigin).best(), 1e-6) << method;
}

TEST(SearchSession, asksForNoPointTwice) {
    for (const char* const method : {"nsga2", "moead", "de", "cmaes"}) {
        const MethodProblem problem{
            .variables = {steps("a", 1, 10, 1), category("b", 7), listed("c", {1, 2, 4})}, .points = 1000, .seed = 9};
        const Explored found = explored(method, problem, [](const Point& x) { return Evaluation{{x[0] + x[1]}}; });
        EXPECT_EQ(found.points.size(), 210U) << method;
        EXPECT_EQ(std::set<Point>(found.points.begin(), found.points.end()).size(), 210U) << method;
    }
}

TEST(SearchSession, marksThePointsThatCameInPlaceOfKnownOnes) {
    const MethodProblem problem{.variables = {steps("a", 1, 4, 1)}, .points = 10};
    const EvaluatePoints evaluate = [](std::span<const Point> points) {
        return std::vector<Evaluation>(points.size(), Evaluation{{1}});
    };
    SearchSession session(problem, evaluate);
    const std::vector<Individual> found = session.evaluateNew(3, [](std::size_t) { return std::vector<double>{0.1}; });
    ASSERT_EQ(found.size(), 3U);
    EXPECT_FALSE(found[0].isRandom);
    EXPECT_TRUE(found[1].isRandom && found[2].isRandom);
}

TEST(SearchSession, spreadsNoMorePointsThanAreLeft) {
    const MethodProblem problem{.variables = ranges(3, 0, 1), .points = 10, .seed = 4};
    for (const char* const method : {"nsga2", "de"}) {
        const Explored found = explored(method, problem, sphereOf);
        ASSERT_EQ(found.points.size(), 10U) << method;
        for (std::size_t k = 0; k < 3; ++k) {
            std::set<int> parts;
            for (const Point& point : found.points) parts.insert(static_cast<int>(10 * point[k]));
            EXPECT_EQ(parts.size(), 10U) << method;
        }
    }
}

TEST(Population, isNoLargerThanTheBudget) {
    EXPECT_EQ(populationOf({.points = 60, .population = 100000}, 20, 100), 60U);
    EXPECT_EQ(populationOf({.points = 60, .population = 30}, 20, 100), 30U);
    EXPECT_EQ(populationOf({.points = 2, .population = 30}, 20, 100), 4U);
    EXPECT_EQ(populationOf({.points = 1000}, 20, 100), 50U);
    for (const char* const method : {"nsga2", "moead"}) {
        const MethodProblem problem{.variables = ranges(2, 0, 1), .objectives = 2, .points = 60, .population = 100000};
        EXPECT_EQ(explored(method, problem, [](const Point& x) { return zdt(1, x); }).batches,
                  (std::vector<std::size_t>{60}))
            << method;
    }
}

TEST(Population, ofManyWeightingsCanBeEndedBeforeItBegins) {
    struct Stop {};
    const MethodProblem problem{.variables = ranges(2, 0, 1), .objectives = 2, .points = 9000, .population = 8000};
    std::size_t asked = 0;
    const PollScope scope([] { throw Stop{}; });
    EXPECT_THROW(methodNamed("moead").run(problem,
                                          [&](std::span<const Point> points) {
                                              asked += points.size();
                                              return std::vector<Evaluation>{};
                                          }),
                 Stop);
    EXPECT_EQ(asked, 0U);
}

TEST(Cmaes, isNotWeakenedByARestart) {
    const MethodProblem problem{.variables = ranges(2, 0, 1), .points = 10001, .population = 2000};
    const Explored found = explored("cmaes", problem, [](const Point&) { return Evaluation{{1}}; });
    EXPECT_EQ(found.batches, (std::vector<std::size_t>{2000, 2000, 2000, 2000, 1, 2000}));
}

TEST(Constants, areLeftOutOfWhatSearchesMove) {
    std::vector<Variable> variables(9, range("held", 3, 3));
    variables.push_back(range("free", 0, 1));
    variables.push_back(category("one", 1));
    RandomStream random(6);
    for (int i = 0; i < 100; ++i) {
        std::vector<double> shares(variables.size(), 0.5);
        mutate(variables, shares, random);
        EXPECT_NE(shares[9], 0.5);
        shares[9] = 0.5;
        EXPECT_EQ(shares, std::vector<double>(variables.size(), 0.5));
        EXPECT_EQ(anyFreeVariable(variables, random), 9U);
    }
    EXPECT_EQ(geneCount(variables), 1U);
    Point point(variables.size(), 3);
    point[9] = 0.25;
    point[10] = 0;
    EXPECT_EQ(genesOf(variables, point), std::vector<double>{0.25});
    EXPECT_EQ(pointAt(variables, sharesOfGenes(variables, std::vector<double>{0.25})), point);
}

TEST(Standing, isDebsRule) {
    const Evaluation good{{1}}, worse{{2}}, slightly{{0}, 0.1}, gravely{{-5}, 3}, failed{{}, 0};
    std::vector<Individual> all;
    for (const Evaluation& each : {failed, gravely, slightly, worse, good, failed}) all.push_back({{}, {}, each});
    EXPECT_EQ(standingRanks(all), (std::vector<std::int32_t>{4, 3, 2, 1, 0, 4}));
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return standingOf(all[a].evaluation) < standingOf(all[b].evaluation); });
    EXPECT_EQ(order, (std::vector<std::size_t>{4, 3, 2, 1, 0, 5}));
}

TEST(Crowding, isTheDistanceBetweenNeighboursAlongTheFront) {
    std::vector<Individual> all;
    for (const auto& [x, y] : {std::pair{0, 10}, {1, 6}, {4, 5}, {10, 0}})
        all.push_back({{}, {}, {{1.0 * x, 1.0 * y}}});
    const std::vector<double> distances = crowding(all, standingRanks(all));
    EXPECT_TRUE(std::isinf(distances[0]) && std::isinf(distances[3]));
    EXPECT_DOUBLE_EQ(distances[1], (0.4 + 0.5) / 2);
    EXPECT_DOUBLE_EQ(distances[2], (0.9 + 0.6) / 2);
}

}  // namespace
}  // namespace tessera::explore::test
