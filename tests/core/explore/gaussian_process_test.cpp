#include "core/explore/gaussian_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/base/error.h"
#include "core/base/poll.h"
#include "core/base/random.h"
#include "core/explore/importance.h"
#include "core/explore/latin_hypercube.h"
#include "core/explore/normal.h"
#include "core/explore/surface.h"
#include "core/explore/table_space.h"
#include "tests/core/explore/problems.h"

namespace tessera::explore::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

using ValueAt = std::function<double(const Point&)>;

struct Sampled {
    std::vector<Variable> variables = {};
    std::vector<Point> points = {};
    std::vector<std::vector<double>> shares = {};
    std::vector<double> values = {};
};

Sampled sampled(std::vector<Variable> variables, std::size_t count, const ValueAt& function, std::uint64_t seed = 1) {
    Sampled all{.variables = std::move(variables)};
    for (const auto& shares : spreadHypercube(count, all.variables, seed)) {
        all.points.push_back(pointAt(all.variables, shares));
        all.shares.push_back(sharesOf(all.variables, all.points.back()));
        all.values.push_back(function(all.points.back()));
    }
    return all;
}

double ishigamiOf(const Point& x) {
    return std::sin(x[0]) + 7 * std::pow(std::sin(x[1]), 2) + 0.1 * std::pow(x[2], 4) * std::sin(x[0]);
}

TEST(GaussianProcess, passesThroughItsPointsAndIsCertainThere) {
    const Sampled known = sampled(ranges(3, 0, 1), 40, [](const Point& x) { return std::sin(4 * x[0]) + x[1] * x[2]; });
    const GaussianProcess process(known.variables, known.shares, known.values);
    const auto there = process.at(known.shares);
    for (std::size_t i = 0; i < known.values.size(); ++i) {
        EXPECT_NEAR(there[i].mean, known.values[i], 1e-3);
        EXPECT_LT(there[i].deviation, 1e-2);
        EXPECT_NEAR(process.at(known.shares[i]).mean, there[i].mean, 1e-12);
        EXPECT_NEAR(process.at(known.shares[i]).deviation, there[i].deviation, 1e-9);
    }
    const auto means = process.meansAt(known.shares);
    for (std::size_t i = 0; i < means.size(); ++i) EXPECT_NEAR(means[i], there[i].mean, 1e-12);
}

TEST(GaussianProcess, predictsWithErrorsThatItStates) {
    const ValueAt function = [](const Point& x) { return branin(x).objectives[0]; };
    const std::vector<Variable> variables{range("a", -5, 10), range("b", 0, 15)};
    std::size_t inside = 0, all = 0;
    double errors = 0, spread = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Sampled known = sampled(variables, 40, function, seed);
        const GaussianProcess process(variables, known.shares, known.values);
        EXPECT_GT(process.explained(), 0.9);
        const Sampled others = sampled(variables, 200, function, 100 + seed);
        const auto predicted = process.at(others.shares);
        for (std::size_t i = 0; i < predicted.size(); ++i) {
            const double error = predicted[i].mean - others.values[i];
            errors += error * error;
            spread += std::pow(others.values[i] - 54.3, 2);
            inside += std::fabs(error) <= 1.645 * predicted[i].deviation ? 1 : 0;
            ++all;
        }
    }
    EXPECT_LT(errors, 0.01 * spread);
    EXPECT_GT(static_cast<double>(inside), 0.85 * static_cast<double>(all));
}

TEST(GaussianProcess, learnsWhichVariablesMatterAndHowMuchIsNoise) {
    NormalStream normal(RandomStream(5));
    const Sampled known =
        sampled(ranges(3, 0, 1), 150, [&](const Point& x) { return 3 * std::sin(6 * x[0]) + 0.3 * normal.next(); });
    const GaussianProcess process(known.variables, known.shares, known.values);
    EXPECT_NEAR(process.noiseDeviation(), 0.3, 0.06);
    EXPECT_LT(10 * process.kernel().lengths[0], process.kernel().lengths[1]);
    EXPECT_LT(10 * process.kernel().lengths[0], process.kernel().lengths[2]);
    const double share = 4.5 / (4.5 + 0.09);  // of the variance, roughly
    EXPECT_NEAR(process.explained(), share, 0.03);
}

TEST(GaussianProcess, isAsGoodWhereAPointIsAddedToIt) {
    const Sampled known = sampled(ranges(2, 0, 1), 30, [](const Point& x) { return std::exp(x[0]) * x[1]; });
    GaussianProcess growing(known.variables, {known.shares.begin(), known.shares.end() - 3},
                            {known.values.begin(), known.values.end() - 3});
    for (std::size_t i = 27; i < 30; ++i) growing.add(known.shares[i], known.values[i]);
    const GaussianProcess whole(known.variables, known.shares, known.values, growing.kernel());
    for (const double x : {0.0, 0.3, 0.9})
        EXPECT_NEAR(growing.at(std::vector<double>{x, 0.5}).mean, whole.at(std::vector<double>{x, 0.5}).mean, 1e-9);
}

TEST(GaussianProcess, explainsNothingOfNoise) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        NormalStream normal{RandomStream(seed)};
        const Sampled known = sampled(
            ranges(3, 0, 1), 60, [&](const Point&) { return normal.next(); }, seed);
        EXPECT_LT(GaussianProcess(known.variables, known.shares, known.values).explained(), 0.3) << seed;
    }
}

TEST(GaussianProcess, theErrorsOfLeavingOneOutAreThoseOfTheDefinition) {
    const Sampled known = sampled(ranges(2, 0, 1), 12, [](const Point& x) { return std::sin(5 * x[0]) + x[1]; });
    const GaussianProcess process(known.variables, known.shares, known.values);
    double errors = 0, baseline = 0, sum = 0;
    for (const double value : known.values) sum += value;
    for (std::size_t i = 0; i < known.values.size(); ++i) {
        std::vector<std::vector<double>> shares = known.shares;
        std::vector<double> values = known.values;
        shares.erase(shares.begin() + static_cast<std::ptrdiff_t>(i));
        values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
        const GaussianProcess others(known.variables, shares, values, process.kernel());
        errors += std::pow(others.at(known.shares[i]).mean - known.values[i], 2);
        baseline += std::pow((sum - known.values[i]) / 11 - known.values[i], 2);
    }
    EXPECT_NEAR(process.explained(), 1 - errors / baseline, 1e-6);
}

TEST(GaussianProcess, takesPointsThatAreEqual) {
    const std::vector<std::vector<double>> shares{{0.1}, {0.5}, {0.5}, {0.9}, {0.9}};
    const GaussianProcess process({range("x", 0, 1)}, shares, {1, 2, 2.5, 3, 3});
    EXPECT_NEAR(process.at(std::vector<double>{0.5}).mean, 2.25, 0.3);
    const GaussianProcess constant({range("x", 0, 1)}, shares, {2, 2, 2, 2, 2});
    EXPECT_NEAR(constant.at(std::vector<double>{0.7}).mean, 2, 1e-9);
    EXPECT_EQ(constant.explained(), 0);
    EXPECT_NEAR(GaussianProcess({range("x", 0, 1)}, {{0.3}}, {5}).at(std::vector<double>{0.8}).mean, 5, 1e-9);
}

TEST(GaussianProcess, refusesSharesThatAreNotFinite) {
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        const std::vector<std::vector<double>> shares{{0.1}, {bad}, {0.5}, {0.9}};
        EXPECT_THROW(GaussianProcess({range("x", 0, 1)}, shares, {1, 2, 3, 4}), std::logic_error);
        EXPECT_THROW(GaussianProcess({range("x", 0, 1)}, {{0.1}, {0.5}}, {1, 2}, {.lengths = {bad - bad}}),
                     std::logic_error);
    }
}

TEST(GaussianProcess, canBeEndedWhileItLeavesPointsOut) {
    const Sampled known = sampled(ranges(2, 0, 1), 300, [](const Point& x) { return std::sin(5 * x[0]) + x[1]; });
    const GaussianProcess process(known.variables, known.shares, known.values, {.lengths = {1, 1}});
    struct Stop {};
    const PollScope scope([] { throw Stop{}; });
    EXPECT_THROW(process.explained(), Stop);
}

TEST(Normal, probabilitiesAndImprovementsAreThoseOfTheirIntegrals) {
    for (double z = -30; z < 8; z += 0.37) {
        const double probability = 0.5 * std::erfc(-z / std::sqrt(2.0));
        EXPECT_NEAR(normalProbability(z), probability, 1e-8 * probability);
        EXPECT_NEAR(logNormalProbability(z), std::log(probability), 2e-3);
    }
    for (double z = -30; z < 8; z += 0.37) {
        // Of max(z + t, 0) over a normal t, in long double by its closed form.
        const long double tail = 0.5L * erfcl(-static_cast<long double>(z) / sqrtl(2.0L));
        const long double density =
            expl(-static_cast<long double>(z) * z / 2) / sqrtl(2 * std::numbers::pi_v<long double>);
        EXPECT_NEAR(logExpectedImprovement(-z, 1, 0), static_cast<double>(logl(density + z * tail)), 1e-4) << z;
    }
    EXPECT_NEAR(logExpectedImprovement(3, 0, 5), std::log(2), 1e-12);
    EXPECT_NEAR(logExpectedImprovement(0, 2, 3), std::log(2) + logExpectedImprovement(0, 1, 1.5), 1e-12);
    EXPECT_LT(logExpectedImprovement(5, 0, 3), -1e200);
    EXPECT_LT(logNormalProbability(-100), -5000);
}

TEST(Importance, isNearTheTotalShareOfTheVariance) {
    const Sampled known = sampled(ranges(4, -kPi, kPi), 400, ishigamiOf);
    const Importance found = importanceOf(known.variables, known.points, known.values);
    EXPECT_GT(found.explained, 0.95);
    EXPECT_EQ(found.points, 400U);
    EXPECT_NEAR(found.shares[0], 0.558, 0.06);
    EXPECT_NEAR(found.shares[1], 0.442, 0.06);
    EXPECT_NEAR(found.shares[2], 0.244, 0.06);
    EXPECT_LT(found.shares[3], 0.01);
}

TEST(Importance, saysWhenItExplainsLittle) {
    NormalStream normal(RandomStream(7));
    const Sampled noise = sampled(ranges(3, 0, 1), 80, [&](const Point&) { return normal.next(); });
    EXPECT_LT(importanceOf(noise.variables, noise.points, noise.values).explained, 0.3);
    const Importance constant = importanceOf(noise.variables, noise.points, std::vector<double>(80, 4));
    EXPECT_EQ(constant.explained, 0);
    EXPECT_THAT(constant.shares, Each(0));
    EXPECT_EQ(importanceOf(noise.variables, {}, {}).points, 0U);
}

TEST(Importance, seesCategoriesAndChoosesFromDesignsWithoutTheirPattern) {
    // Rows of five points that belong together: an even choice would see one of each row.
    const MethodProblem problem{.variables = {category("a", 4), range("b", 0, 1), range("c", 0, 1)}, .points = 5 * 400};
    const Explored found = explored("sobol-indices", problem, [](const Point& x) {
        static const double kKind[] = {0, 5, 2, 1};
        return Evaluation{{kKind[static_cast<int>(x[0])] + std::sqrt(12.0) * x[1]}};
    });
    std::vector<double> values = {};
    for (const Evaluation& each : found.evaluations) values.push_back(each.objectives[0]);
    const Importance importance = importanceOf(problem.variables, found.points, values);
    EXPECT_EQ(importance.points, 500U);
    EXPECT_GT(importance.explained, 0.99);
    EXPECT_NEAR(importance.shares[0], 3.5 / 4.5, 0.05);
    EXPECT_NEAR(importance.shares[1], 1 / 4.5, 0.05);
    EXPECT_LT(importance.shares[2], 0.01);
}

PointTable tableOf(const Sampled& known) {
    PointTable table;
    table.reasons.resize(known.points.size());
    for (std::size_t k = 0; k < known.variables.size(); ++k) {
        PointColumn& column = table.columns.emplace_back();
        column.id = known.variables[k].name;
        column.role = PointColumn::Role::variable;
        column.log = known.variables[k].scale == Scale::log;
        if (known.variables[k].isCategory)
            for (std::size_t i = 0; i < known.variables[k].values.size(); ++i) column.words.push_back("word");
        for (const Point& point : known.points) column.values.push_back(point[k]);
    }
    table.columns.push_back({.id = "value", .title = "Value", .values = known.values});
    return table;
}

TEST(TableSpace, hasTheVariablesInWhichPointsDiffer) {
    const Sampled known = sampled({range("a", 5, 5), logRange("b", 1, 1000), steps("c", 1, 9, 2), category("d", 3)}, 60,
                                  [](const Point& x) { return x[1]; });
    PointTable table = tableOf(known);
    table.columns[1].values[7] = std::nan("");
    table.columns[4].values[8] = std::nan("");
    const TableSpace space = spaceOf(table, 4);
    EXPECT_THAT(space.columns, ElementsAre(1, 2, 3));
    EXPECT_EQ(space.points.size(), 58U);
    EXPECT_EQ(space.variables[0].scale, Scale::log);
    EXPECT_EQ(space.variables[1].low, 1);
    EXPECT_EQ(space.variables[1].high, 9);
    EXPECT_EQ(space.variables[1].step, 1);
    EXPECT_TRUE(space.variables[2].isCategory);
    const Importance importance = importanceOf(table, 4);
    EXPECT_EQ(importance.shares.size(), 5U);
    EXPECT_EQ(importance.shares[0], 0);
    EXPECT_GT(importance.shares[1], 0.9);
    EXPECT_THAT(spaceOf(PointTable{.columns = {PointColumn{}}}, 0).points, IsEmpty());
}

TEST(TableSpace, hasWhatWasChosen) {
    const Sampled known = sampled({range("a", 0, 1), range("b", 0, 1)}, 30, [](const Point& x) { return x[0] + x[1]; });
    PointTable table = tableOf(known);
    EXPECT_THAT(spaceOf(table, 2).columns, ElementsAre(0, 1));
    // A variable that is an objective, too, is still chosen; one that follows from others is not.
    table.columns[0].role = PointColumn::Role::objective;
    EXPECT_THAT(spaceOf(table, 2).columns, ElementsAre(1));
    table.columns[0].isChosen = true;
    table.columns[1].isChosen = false;
    EXPECT_THAT(spaceOf(table, 2).columns, ElementsAre(0));
}

TEST(TableSpace, hasNoVariableOfRoundingAndRefusesWhatNoRangeCanBe) {
    const Sampled known = sampled({range("a", 0, 1), range("b", 0, 1)}, 30, [](const Point& x) { return x[0]; });
    PointTable table = tableOf(known);
    for (std::size_t i = 0; i < 30; ++i) table.columns[1].values[i] = i % 2 == 0 ? 1 : 1 + 0x1p-52;
    EXPECT_THAT(spaceOf(table, 2).columns, ElementsAre(0));
    for (std::size_t i = 0; i < 30; ++i) table.columns[1].values[i] = i % 2 == 0 ? 1e17 : 1e17 + 16;
    EXPECT_THAT(spaceOf(table, 2).columns, ElementsAre(0));
    for (std::size_t i = 0; i < 30; ++i) table.columns[1].values[i] = i % 2 == 0 ? -1e308 : 1e308;
    EXPECT_THROW(spaceOf(table, 2), UsageError);
}

TEST(Surface, isTheFunctionOverTwoVariables) {
    const Sampled known = sampled({range("a", -5, 10), range("b", 0, 15), range("c", 0, 1)}, 150,
                                  [](const Point& x) { return branin(x).objectives[0] + 20 * x[2]; });
    const Surface surface = responseSurface(known.variables, known.points, known.values, 0, 1, {0, 0, 0.25}, 17);
    EXPECT_GT(surface.explained, 0.99);
    ASSERT_EQ(surface.x.size(), 17U);
    ASSERT_EQ(surface.mean.size(), 17U * 17U);
    EXPECT_EQ(surface.x.front(), -5);
    EXPECT_EQ(surface.y.back(), 15);
    double errors = 0;
    for (std::size_t row = 0; row < 17; ++row)
        for (std::size_t column = 0; column < 17; ++column) {
            const double exact = branin({surface.x[column], surface.y[row]}).objectives[0] + 5;
            errors += std::pow(surface.meanAt(column, row) - exact, 2) / 289;
            EXPECT_LT(std::fabs(surface.meanAt(column, row) - exact), 6 * surface.errorAt(column, row) + 0.5);
        }
    EXPECT_LT(std::sqrt(errors), 3);  // of values up to 300
    EXPECT_THAT(responseSurface(known.variables, known.points, known.values, 1, 1, {0, 0, 0}).mean, IsEmpty());
}

TEST(Surface, ofATableHasEachOfFewValues) {
    const Sampled known = sampled({steps("a", 1, 5, 1), logRange("b", 1, 100), category("c", 3)}, 90,
                                  [](const Point& x) { return x[0] * std::log10(x[1]) + x[2]; });
    const PointTable table = tableOf(known);
    const Surface surface = responseSurface(table, 3, 0, 1, 4, 9);
    EXPECT_THAT(surface.x, ElementsAre(1, 2, 3, 4, 5));
    ASSERT_EQ(surface.y.size(), 9U);
    const double middle = surface.y[4];
    EXPECT_NEAR(middle, std::sqrt(surface.y[0] * surface.y[8]), 1e-9);
    EXPECT_NEAR(surface.meanAt(2, 4), 3 * std::log10(middle) + known.points[4][2], 0.1);
    EXPECT_THAT(responseSurface(table, 3, 0, 2, 4).y, ElementsAre(0, 1, 2));
    EXPECT_THAT(responseSurface(table, 3, 0, 3, 4).x, IsEmpty());
    EXPECT_THAT(responseSurface(table, 3, 0, 1, 1000).x, IsEmpty());
}

TEST(Surface, isNoneAtACategoryThatNoPointHas) {
    const Sampled known =
        sampled({range("a", 0, 1), range("b", 0, 1), category("c", 3)}, 60, [](const Point& x) { return x[0] + x[2]; });
    PointTable table = tableOf(known);
    std::size_t lacking = 0, other = 0;
    for (std::size_t i = 0; i < 60; ++i) {
        const bool isLacking = known.points[i][2] == 1;
        if (isLacking) table.columns[3].values[i] = std::nan("");
        (isLacking ? lacking : other) = i;
    }
    EXPECT_THAT(responseSurface(table, 3, 0, 1, lacking, 5).mean, IsEmpty());
    EXPECT_EQ(responseSurface(table, 3, 0, 1, other, 5).mean.size(), 25U);
    EXPECT_THAT(responseSurface(table, 3, 0, 2, lacking, 5).y, ElementsAre(0, 2));
}

TEST(Surface, isMadeOfSomeOfVeryManyPoints) {
    EXPECT_THAT(someOf(5, 10), ElementsAre(0, 1, 2, 3, 4));
    const std::vector<std::size_t> some = someOf(100000, 2000);
    EXPECT_EQ(some.size(), 2000U);
    EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
    EXPECT_EQ(std::adjacent_find(some.begin(), some.end()), some.end());
    EXPECT_EQ(some, someOf(100000, 2000));
    EXPECT_LT(some[1000], 55000U);
    EXPECT_GT(some[1000], 45000U);
}

}  // namespace
}  // namespace tessera::explore::test
