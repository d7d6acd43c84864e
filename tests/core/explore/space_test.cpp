#include "core/explore/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/core/explore/explored.h"

namespace tessera::explore::test {
namespace {

using testing::ElementsAre;

/// Any variable: ranges, steps and lists of every size, on both scales.
Variable anyVariable(RandomStream& random) {
    Variable variable{.name = "x"};
    const double size = std::pow(10, 6 * random.uniform() - 3);
    variable.scale = random.below(2) == 0 ? Scale::linear : Scale::log;
    variable.low = variable.scale == Scale::log ? size * (0.01 + random.uniform()) : size * (random.uniform() - 0.5);
    variable.high = variable.low + size * random.uniform() * std::pow(10, static_cast<double>(random.below(4)));
    switch (random.below(4)) {
        case 0:
            break;
        case 1: {  // steps that divide the range
            const auto count = static_cast<double>(1 + random.below(1000));
            variable.step = (variable.high - variable.low) / count;
            break;
        }
        case 2:  // steps that leave a rest
            variable.step = (variable.high - variable.low) * (0.001 + random.uniform());
            break;
        default: {
            std::set<double> values;
            const std::uint64_t count = 1 + random.below(20);
            while (values.size() < count) values.insert(std::floor(1000 * random.uniform()));
            variable.values.assign(values.begin(), values.end());
            if (random.below(2) == 0) std::reverse(variable.values.begin(), variable.values.end());
        }
    }
    return variable;
}

TEST(Space, sharesAndValuesAreInverseAndEveryValueIsReached) {
    RandomStream random(7);
    for (int i = 0; i < 4000; ++i) {
        const Variable variable = anyVariable(random);
        ASSERT_NO_THROW(checkVariables({variable}));
        const std::size_t count = valueCount(variable);
        if (count == 0) {
            for (int k = 0; k <= 20; ++k) {
                const double share = k / 20.0, value = valueAt(variable, share);
                EXPECT_NEAR(shareOf(variable, value), share, 1e-9);
                EXPECT_NEAR(valueAt(variable, shareOf(variable, value)), value, 1e-9 * std::fabs(variable.high));
                EXPECT_TRUE(value >= variable.low && value <= variable.high);
            }
            EXPECT_EQ(valueAt(variable, 0), variable.low);
            EXPECT_EQ(valueAt(variable, 1), variable.high);
            continue;
        }
        for (std::size_t number = 0; number < count; ++number) {
            const double value = valueNumbered(variable, number);
            EXPECT_EQ(numberOf(variable, value), number);
            EXPECT_EQ(valueAt(variable, shareOf(variable, value)), value) << number << " of " << count;
        }
    }
}

TEST(Space, valuesRiseWithTheShare) {
    RandomStream random(8);
    for (int i = 0; i < 4000; ++i) {
        const Variable variable = anyVariable(random);
        const std::size_t count = valueCount(variable);
        double before = -1;
        for (int k = -5; k <= 305; ++k) {
            const double value = valueAt(variable, k / 300.0);
            const double place = count > 0 ? static_cast<double>(numberOf(variable, value)) : value - variable.low;
            EXPECT_GE(place, before);
            before = place;
        }
        if (count > 0) {
            EXPECT_EQ(before, static_cast<double>(count - 1));
        }
    }
}

TEST(Space, severalValuesHaveEqualShares) {
    const Variable variable = steps("x", 1, 4, 1);
    std::vector<int> counts(5);
    for (int k = 0; k < 4000; ++k) ++counts[static_cast<std::size_t>(valueAt(variable, (k + 0.5) / 4000))];
    EXPECT_THAT(counts, ElementsAre(0, 1000, 1000, 1000, 1000));
}

TEST(Space, stepsOnALogScaleHaveSharesOfThatScale) {
    Variable variable = steps("x", 1, 1024, 1);
    variable.scale = Scale::log;
    EXPECT_EQ(valueCount(variable), 1024U);
    EXPECT_EQ(valueAt(variable, 0), 1);
    EXPECT_EQ(valueAt(variable, 0.5), 32);
    EXPECT_EQ(valueAt(variable, 0.9), 512);
    EXPECT_EQ(valueAt(variable, 1), 1024);
}

TEST(Space, aLogScaleMaySpanMoreThanANumberCanSay) {
    const Variable variable = logRange("x", 1e-160, 1e160);
    ASSERT_EQ(variable.high / variable.low, std::numeric_limits<double>::infinity());
    EXPECT_EQ(valueAt(variable, 0), 1e-160);
    EXPECT_EQ(valueAt(variable, 1), 1e160);
    for (const double share : {0.1, 0.25, 0.5, 0.75, 0.97}) {
        const double value = valueAt(variable, share);
        EXPECT_NEAR(std::log10(value), 320 * share - 160, 1e-9);
        EXPECT_NEAR(shareOf(variable, value), share, 1e-12);
    }
    EXPECT_EQ(shareOf(variable, 1e-160), 0);
    EXPECT_EQ(shareOf(variable, 1e160), 1);
}

TEST(Space, freeVariablesHaveMoreThanOneValue) {
    EXPECT_THAT(freeVariables({range("a", 2, 2), range("b", 0, 1), category("c", 1), listed("d", {1, 2})}),
                ElementsAre(1, 3));
}

TEST(Space, countsOfValues) {
    EXPECT_EQ(valueCount(range("x", 0, 1)), 0U);
    EXPECT_EQ(valueCount(range("x", 2, 2)), 1U);
    EXPECT_EQ(valueCount(steps("x", 0, 1, 0.1)), 11U);  // 0.1 is no binary fraction
    EXPECT_EQ(valueAt(steps("x", 0, 1, 0.1), 1), 1);
    EXPECT_EQ(valueCount(steps("x", 1, 10, 4)), 3U);
    EXPECT_EQ(valueAt(steps("x", 1, 10, 4), 1), 9);
    EXPECT_EQ(valueCount(listed("x", {8, 4, 2})), 3U);
    EXPECT_EQ(valueAt(listed("x", {8, 4, 2}), 0.2), 8);
    EXPECT_EQ(pointCount({steps("x", 1, 4, 1), category("y", 3)}), 12U);
    EXPECT_EQ(pointCount({steps("x", 1, 4, 1), range("y", 0, 1)}), 0U);
    EXPECT_EQ(pointCount(std::vector<Variable>(5, steps("x", 0, 1e6, 1))), std::size_t{1} << 63U);
}

TEST(Space, whatIsNoneOfTheValuesCountsAsTheNearest) {
    EXPECT_EQ(numberOf(steps("x", 0, 10, 2), 6.9), 3U);
    EXPECT_EQ(numberOf(steps("x", 0, 10, 2), -1e300), 0U);
    EXPECT_EQ(numberOf(steps("x", 0, 10, 2), 1e300), 5U);
    EXPECT_EQ(numberOf(listed("x", {10, 1, 5}), 4), 2U);
    EXPECT_EQ(shareOf(range("x", 0, 10), 20), 1);
    EXPECT_EQ(valueAt(range("x", 1, 10), std::numeric_limits<double>::quiet_NaN()), 1);
}

std::string refusalOf(const Variable& variable) {
    try {
        checkVariables({variable});
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(Space, whatNoVariableCanBeIsRefused) {
    EXPECT_EQ(refusalOf(range("x", 2, 1)),
              "the variable 'x' goes from 2 to 1; expected a finite low end that is not above the high end");
    EXPECT_EQ(refusalOf(logRange("x", 0, 1)),
              "the variable 'x' goes from 0 to 1; expected a log scale to begin above 0");
    EXPECT_EQ(refusalOf(steps("x", 0, 1, -1)),
              "the variable 'x' has steps of -1; expected steps above 0, or 0 for none");
    EXPECT_EQ(refusalOf(listed("x", {1, 2, 1})), "the variable 'x' has the value 1 twice; expected each value once");
    EXPECT_EQ(refusalOf(category("x", 0)), "the variable 'x' has no categories; expected at least one");
    EXPECT_NE(refusalOf(range("x", 0, std::numeric_limits<double>::quiet_NaN())), "");
    EXPECT_NE(refusalOf(steps("x", 0, 1, 1e-300)), "");
    EXPECT_EQ(refusalOf(range("x", 1, 1 + 0x1p-52)),
              "the variable 'x' goes from 1 to 1.0000000000000002; expected ends that are alike, or at least "
              "8.881784197001252e-16 apart");
    EXPECT_EQ(refusalOf(range("x", 1, 1 + 0x1p-50)), "");
    EXPECT_EQ(refusalOf(range("x", 1, 1)), "");
    EXPECT_EQ(
        refusalOf(steps("x", 1e15, 1e15 + 1, 0.1)),
        "the variable 'x' has steps of 0.1; expected steps of at least 0.5 between numbers of that size, or 0 for "
        "any number");
    EXPECT_EQ(refusalOf(steps("x", 1e15, 1e15 + 1, 0.5)), "");
    EXPECT_THROW(checkVariables({}), UsageError);
}

}  // namespace
}  // namespace tessera::explore::test
