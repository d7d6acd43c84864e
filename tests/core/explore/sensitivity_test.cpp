#include "core/explore/sensitivity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "tests/core/explore/problems.h"

namespace tessera::explore::test {
namespace {

using NumberFunction = std::function<double(const Point&)>;

std::vector<double> valuesBy(std::string_view method, const MethodProblem& problem, const NumberFunction& function) {
    std::vector<double> values;
    for (const Evaluation& each :
         explored(method, problem, [&](const Point& x) { return Evaluation{{function(x)}}; }).evaluations)
        values.push_back(each.objectives[0]);
    return values;
}

/// Ishigami, Homma: "An importance quantification technique in uncertainty analysis for computer models", 1990.
double ishigami(const Point& x) {
    return std::sin(x[0]) + 7 * std::pow(std::sin(x[1]), 2) + 0.1 * std::pow(x[2], 4) * std::sin(x[0]);
}

struct Shares {
    std::vector<double> first, total;
};

Shares ishigamiShares() {
    const double a = 7, b = 0.1, pi4 = std::pow(kPi, 4);
    const double v1 = std::pow(1 + b * pi4 / 5, 2) / 2, v2 = a * a / 8, v13 = b * b * pi4 * pi4 * (1.0 / 18 - 1.0 / 50);
    const double v = v1 + v2 + v13;
    return {{v1 / v, v2 / v, 0}, {(v1 + v13) / v, v2 / v, v13 / v}};
}

/// Sobol's g-function with coefficients of rising size: variables of falling importance.
const std::vector<double> kG = {0, 1, 4.5, 9, 99, 99, 99, 99};

double gFunction(const Point& x) {
    double product = 1;
    for (std::size_t i = 0; i < x.size(); ++i) product *= (std::fabs(4 * x[i] - 2) + kG[i]) / (1 + kG[i]);
    return product;
}

Shares gShares() {
    double all = 1;
    std::vector<double> own;
    for (const double a : kG) {
        own.push_back(1 / (3 * (1 + a) * (1 + a)));
        all *= 1 + own.back();
    }
    const double variance = all - 1;
    Shares shares;
    for (const double part : own) {
        shares.first.push_back(part / variance);
        shares.total.push_back(part * all / (1 + part) / variance);
    }
    return shares;
}

TEST(SobolIndices, areThoseOfTheIshigamiFunction) {
    const MethodProblem problem{.variables = ranges(3, -kPi, kPi), .points = 5 * 4096, .seed = 1};
    const std::vector<VarianceShares> found = sobolIndices(problem, valuesBy("sobol-indices", problem, ishigami));
    const Shares known = ishigamiShares();
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(found[i].first.value, known.first[i], 0.01) << i;
        EXPECT_NEAR(found[i].total.value, known.total[i], 0.01) << i;
        EXPECT_LE(found[i].first.low, found[i].first.value);
        EXPECT_GE(found[i].first.high, found[i].first.value);
    }
}

TEST(SobolIndices, areThoseOfTheGFunction) {
    const MethodProblem problem{.variables = ranges(8, 0, 1), .points = 10 * 4096, .seed = 2};
    const std::vector<VarianceShares> found = sobolIndices(problem, valuesBy("sobol-indices", problem, gFunction));
    const Shares known = gShares();
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_NEAR(found[i].first.value, known.first[i], 0.01) << i;
        EXPECT_NEAR(found[i].total.value, known.total[i], 0.01) << i;
    }
}

TEST(SobolIndices, haveIntervalsThatCoverTheTrueShares) {
    int inside = 0, all = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        for (const bool isG : {false, true}) {
            const MethodProblem problem{.variables = isG ? ranges(8, 0, 1) : ranges(3, -kPi, kPi),
                                        .points = (isG ? 10 : 5) * 256,
                                        .seed = seed};
            const std::vector<VarianceShares> found =
                sobolIndices(problem, valuesBy("sobol-indices", problem, isG ? gFunction : ishigami), 0.9);
            const Shares known = isG ? gShares() : ishigamiShares();
            for (std::size_t i = 0; i < (isG ? 4 : 3); ++i) {
                inside += found[i].first.low <= known.first[i] && known.first[i] <= found[i].first.high ? 1 : 0;
                inside += found[i].total.low <= known.total[i] && known.total[i] <= found[i].total.high ? 1 : 0;
                all += 2;
            }
        }
    }
    EXPECT_GE(inside, 0.88 * all) << inside << " of " << all;
}

TEST(SobolIndices, takeCategoriesFixedVariablesAndFailures) {
    MethodProblem problem{
        .variables = {category("a", 4), range("b", 5, 5), range("c", 0, 1)}, .points = 4000, .seed = 3};
    problem.begin = {{0, 5, 0.5}, {1, 5, 0.5}};
    std::vector<double> values = valuesBy("sobol-indices", problem, [](const Point& x) {
        static const double kKind[] = {0, 5, 2, 1};  // variance 3.5
        return kKind[static_cast<int>(x[0])] + std::sqrt(12.0) * x[2];
    });
    EXPECT_EQ(values.size(), 4000U / 4 * 4 - 2 - 2 + 2);  // two to begin with, rows of four
    for (std::size_t i = 0; i < values.size(); i += 50) values[i] = std::numeric_limits<double>::quiet_NaN();
    const std::vector<VarianceShares> found = sobolIndices(problem, values);
    EXPECT_NEAR(found[0].first.value, 3.5 / 4.5, 0.03);
    EXPECT_NEAR(found[0].total.value, 3.5 / 4.5, 0.03);
    EXPECT_EQ(found[1].total.value, 0);
    EXPECT_NEAR(found[2].total.value, 1 / 4.5, 0.03);
    for (const VarianceShares& each : sobolIndices(problem, std::vector<double>(3)))
        EXPECT_TRUE(std::isnan(each.first.value));
    for (const VarianceShares& each : sobolIndices(problem, std::vector<double>{}))
        EXPECT_TRUE(std::isnan(each.total.value));
}

TEST(SobolIndices, ofAnEndedExplorationAreThoseOfItsWholeRows) {
    MethodProblem problem{.variables = ranges(3, -kPi, kPi), .points = 5 * 200, .seed = 4};
    const std::vector<double> values = valuesBy("sobol-indices", problem, ishigami);
    const auto part = sobolIndices(problem, std::span(values).first(5 * 90 + 4));
    problem.points = 5 * 90;
    const auto whole = sobolIndices(problem, std::span(values).first(5 * 90));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(part[i].first.value, whole[i].first.value);
        EXPECT_EQ(part[i].total.high, whole[i].total.high);
    }
}

TEST(MorrisEffects, ofALinearFunctionAreItsCoefficients) {
    MethodProblem problem{
        .variables = {range("a", 0, 10), steps("b", 1, 7, 1), listed("c", {1, 10, 100}), logRange("d", 1, 1000)},
        .points = 55,
        .seed = 1};
    problem.begin = {{0, 1, 1, 1}};
    const std::vector<double> values = valuesBy("morris", problem, [](const Point& x) {
        return 0.3 * x[0] - 2 * x[1] + 7 * std::log10(x[2]) + 5 * std::log10(x[3]);
    });
    const std::vector<ElementaryEffects> found = morrisEffects(problem, values);
    const std::vector<double> expected{3, -12, 14, 15};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(found[i].count, 10U);
        EXPECT_NEAR(found[i].mean, expected[i], 1e-9);
        EXPECT_NEAR(found[i].magnitude.value, std::fabs(expected[i]), 1e-9);
        EXPECT_NEAR(found[i].magnitude.high, std::fabs(expected[i]), 1e-9);
        EXPECT_NEAR(found[i].deviation, 0, 1e-9);
    }
}

TEST(MorrisEffects, ofStepsOnALogScaleMoveOnThatScale) {
    MethodProblem problem{.variables = {steps("a", 1, 1024, 1), steps("b", 1, 10, 4)}, .points = 60, .seed = 1};
    for (Variable& variable : problem.variables) variable.scale = Scale::log;
    std::set<double> levels;
    const std::vector<double> values = valuesBy("morris", problem, [&](const Point& x) {
        levels.insert(x[0]);
        return 5 * std::log10(x[0]) - std::log10(x[1]);
    });
    EXPECT_THAT(levels, testing::ElementsAre(1, 10, 102, 1024));
    const std::vector<ElementaryEffects> found = morrisEffects(problem, values);
    EXPECT_NEAR(found[0].mean, 5 * std::log10(1024), 1e-9);
    EXPECT_NEAR(found[0].deviation, 0, 1e-9);
    EXPECT_NEAR(found[1].mean, -std::log10(9), 1e-9);  // 9 is the last value
    EXPECT_NEAR(found[1].deviation, 0, 1e-9);
}

TEST(MorrisEffects, ofOneTrajectoryHaveNoInterval) {
    const MethodProblem problem{.variables = ranges(3, 0, 1), .points = 4};
    for (const ElementaryEffects& each : morrisEffects(problem, valuesBy("morris", problem, gFunction))) {
        EXPECT_EQ(each.count, 1U);
        EXPECT_TRUE(std::isfinite(each.magnitude.value));
        EXPECT_TRUE(std::isnan(each.magnitude.low) && std::isnan(each.magnitude.high) && std::isnan(each.deviation));
    }
}

TEST(MorrisEffects, orderTheVariablesOfTheGFunction) {
    const MethodProblem problem{.variables = ranges(8, 0, 1), .points = 9 * 40, .seed = 2};
    const std::vector<ElementaryEffects> found = morrisEffects(problem, valuesBy("morris", problem, gFunction));
    for (std::size_t i = 0; i + 1 < 4; ++i) EXPECT_GT(found[i].magnitude.value, found[i + 1].magnitude.value);
    for (std::size_t i = 4; i < 8; ++i) EXPECT_LT(found[i].magnitude.value, 0.3 * found[3].magnitude.value);
    // Effects of both signs: what the mean hides and the deviation shows.
    EXPECT_LT(std::fabs(found[0].mean), 0.5 * found[0].magnitude.value);
    EXPECT_GT(found[0].deviation, found[0].magnitude.value);
}

TEST(MorrisEffects, haveIntervalsThatCoverTheTrueMean) {
    // Of x² over levels 0, 1/3, 2/3, 1 the effects are 2/3 and 4/3, each as often.
    int inside = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const MethodProblem problem{.variables = ranges(2, 0, 1), .points = 3 * 40, .seed = seed};
        const auto found =
            morrisEffects(problem, valuesBy("morris", problem, [](const Point& x) { return x[0] * x[0]; }), 0.9);
        inside += found[0].magnitude.low <= 1 && 1 <= found[0].magnitude.high ? 1 : 0;
    }
    EXPECT_NEAR(inside, 270, 24);  // more than 4 standard errors
}

TEST(MorrisEffects, leaveOutPointsThatFailed) {
    const MethodProblem problem{.variables = ranges(2, 0, 1), .points = 30, .seed = 3};
    std::vector<double> values = valuesBy("morris", problem, [](const Point& x) { return 2 * x[0] - x[1]; });
    values[4] = std::numeric_limits<double>::quiet_NaN();  // the middle of the second trajectory
    const std::vector<ElementaryEffects> found = morrisEffects(problem, values);
    EXPECT_EQ(found[0].count, 9U);
    EXPECT_EQ(found[1].count, 9U);
    EXPECT_NEAR(found[0].mean, 2, 1e-9);
    const std::vector<ElementaryEffects> none = morrisEffects(problem, {});
    EXPECT_EQ(none[0].count, 0U);
    EXPECT_TRUE(std::isnan(none[0].mean) && std::isnan(none[0].magnitude.value) && std::isnan(none[0].deviation));
}

TEST(Sensitivities, takeAtLeastOneRowOfTheirDesign) {
    MethodProblem problem{.variables = ranges(5, 0, 1), .points = 5};
    EXPECT_EQ(methodNamed("morris").count(problem), 0);
    EXPECT_THROW(explored("morris", problem, sphereOf), UsageError);
    EXPECT_EQ(methodNamed("sobol-indices").count(problem), 0);
    EXPECT_THROW(explored("sobol-indices", problem, sphereOf), UsageError);
    problem.points = 7;
    problem.begin.assign(2, Point(5, 0.5));
    EXPECT_EQ(methodNamed("morris").count(problem), 0);
    EXPECT_EQ(methodNamed("sobol-indices").count(problem), 0);
}

}  // namespace
}  // namespace tessera::explore::test
