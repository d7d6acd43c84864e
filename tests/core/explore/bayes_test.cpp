#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/statistics.h"
#include "core/explore/hypervolume.h"
#include "tests/core/explore/problems.h"

namespace tessera::explore::test {
namespace {

std::vector<double> bestsOf(MethodProblem problem, int seeds, const Function& function) {
    std::vector<double> bests;
    for (int seed = 1; seed <= seeds; ++seed) {
        problem.seed = static_cast<std::uint64_t>(seed);
        bests.push_back(explored("bayes", problem, function).best());
    }
    return bests;
}

TEST(Bayes, findsTheLeastOfBraninWithin40Evaluations) {
    const std::vector<double> bests =
        bestsOf({.variables = {range("a", -5, 10), range("b", 0, 15)}, .points = 40}, 20, branin);
    EXPECT_LT(medianOf(bests), 0.3989);
    EXPECT_LT(*std::max_element(bests.begin(), bests.end()), 0.42);
}

TEST(Bayes, findsTheLeastOfHartmannWithin100Evaluations) {
    const std::vector<double> bests = bestsOf({.variables = ranges(6, 0, 1), .points = 100}, 6, hartmann6);
    EXPECT_LT(medianOf(bests), -3.3);
    // The second best minimum, where other searches stop.
    EXPECT_LT(*std::max_element(bests.begin(), bests.end()), -3.2);
}

TEST(Bayes, findsTheBestOfMixedVariables) {
    const std::vector<Variable> variables{steps("a", 1, 64, 1), listed("b", {1, 2, 4, 8, 16}), category("c", 5),
                                          range("d", 0, 1)};
    const std::vector<double> bests = bestsOf({.variables = variables, .points = 80}, 6, [](const Point& x) {
        static const double kKind[] = {3, 2, 5, 0, 4};
        return Evaluation{{std::pow((x[0] - 37) / 10, 2) + std::pow(std::log2(x[1]) - 3, 2) +
                           kKind[static_cast<int>(x[2])] + std::pow(x[3] - 0.7, 2)}};
    });
    EXPECT_LT(medianOf(bests), 0.01);
}

TEST(Bayes, findsTheBestFeasiblePointAmongFailures) {
    const std::vector<double> bests = bestsOf({.variables = ranges(2, 0, 2), .points = 60}, 6, [](const Point& x) {
        const double radius = std::hypot(x[0], x[1]);
        if (radius > 2.7) return Evaluation{};
        return Evaluation{{x[0] + 2 * x[1]}, std::max(0.0, 1.5 - radius)};
    });
    EXPECT_LT(medianOf(bests), 1.53);  // 1.5 at best
}

TEST(Bayes, findsAFeasiblePointWhereFewAre) {
    // A disc with 1 % of the space.
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const MethodProblem problem{.variables = ranges(2, 0, 1), .points = 40, .seed = seed};
        const Explored run = explored("bayes", problem, [](const Point& x) {
            const double distance = std::hypot(x[0] - 0.8, x[1] - 0.3);
            return Evaluation{{x[0]}, std::max(0.0, distance - 0.056)};
        });
        found += std::isfinite(run.best()) ? 1 : 0;
    }
    EXPECT_GE(found, 7);
}

TEST(Bayes, findsFrontsOfSeveralObjectives) {
    double found = 0, random = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const MethodProblem problem{.variables = ranges(6, 0, 1), .objectives = 2, .points = 80, .seed = seed};
        const auto volume = [&](std::string_view method) {
            std::vector<double> values;
            for (const Evaluation& each :
                 explored(method, problem, [](const Point& x) { return zdt(1, x); }).evaluations)
                values.insert(values.end(), each.objectives.begin(), each.objectives.end());
            return hypervolume(values, 2, std::vector<double>{1.1, 1.1}) / 3;
        };
        found += volume("bayes");
        random += volume("random");
    }
    EXPECT_GT(found, 0.94 * 0.876667);
    EXPECT_LT(random, 0.2 * 0.876667);
}

TEST(Bayes, proposesBatchesOfTheGivenSize) {
    const MethodProblem problem{.variables = ranges(2, 0, 1), .points = 30, .population = 5};
    const Explored found = explored("bayes", problem, sphereOf);
    EXPECT_EQ(found.batches, (std::vector<std::size_t>{8, 5, 5, 5, 5, 2}));
}

TEST(Bayes, proposesNoMoreAtOnceThanItsModelCanHold) {
    const MethodProblem problem{.variables = ranges(2, 0, 1), .points = 76, .population = 100000};
    const Explored found = explored("bayes", problem, sphereOf);
    EXPECT_EQ(found.batches, (std::vector<std::size_t>{8, 64, 4}));
}

TEST(Bayes, staysWherePointsWorkThoughAllAreAsGood) {
    const MethodProblem problem{.variables = ranges(2, 0, 1), .points = 40, .seed = 3};
    const Explored found =
        explored("bayes", problem, [](const Point& x) { return x[0] > 0.3 ? Evaluation{} : Evaluation{{7}}; });
    std::size_t worked = 0;
    for (std::size_t i = 8; i < found.evaluations.size(); ++i) worked += found.evaluations[i].isFeasible() ? 1 : 0;
    EXPECT_GE(worked, 24U);  // of 32; a third would by chance
}

}  // namespace
}  // namespace tessera::explore::test
