#include "core/explore/front.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/poll.h"
#include "core/base/random.h"

namespace tessera::explore::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Points with many ties, some of them equal, some without a number.
std::vector<double> anyValues(RandomStream& random, std::size_t points, std::size_t objectives) {
    std::vector<double> values;
    const std::uint64_t kinds = 2 + random.below(2) * random.below(100);
    const bool isFalling = random.below(2) == 0;  // most points on the front
    for (std::size_t i = 0; i < points; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < objectives; ++k) {
            const bool isLast = isFalling && k + 1 == objectives;
            const double value =
                isLast ? static_cast<double>(random.below(3)) - sum : static_cast<double>(random.below(kinds));
            sum += value;
            values.push_back(random.below(100) == 0 ? kNan : random.below(200) == 0 ? INFINITY : value);
        }
    }
    return values;
}

bool dominates(const double* a, const double* b, std::size_t objectives) {
    bool isSomewhereBetter = false;
    for (std::size_t k = 0; k < objectives; ++k) {
        if (!(a[k] <= b[k])) return false;
        isSomewhereBetter = isSomewhereBetter || a[k] < b[k];
    }
    return isSomewhereBetter;
}

/// By the definition: takes away front after front.
std::vector<std::int32_t> ranksByDefinition(const std::vector<double>& values, std::size_t objectives) {
    const std::size_t count = values.size() / objectives;
    std::vector<std::int32_t> ranks(count, -1);
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < count; ++i)
        if (std::none_of(&values[i * objectives], &values[i * objectives] + objectives,
                         [](double value) { return std::isnan(value); }))
            left.push_back(i);
    for (std::int32_t rank = 0; !left.empty(); ++rank) {
        std::vector<std::size_t> rest;
        for (const std::size_t i : left) {
            const bool isBehind = std::any_of(left.begin(), left.end(), [&](std::size_t j) {
                return dominates(&values[j * objectives], &values[i * objectives], objectives);
            });
            if (isBehind)
                rest.push_back(i);
            else
                ranks[i] = rank;
        }
        left = rest;
    }
    return ranks;
}

TEST(Front, frontAndRanksAreThoseOfTheDefinition) {
    RandomStream random(11);
    for (int i = 0; i < 12000; ++i) {
        const std::size_t objectives = 1 + random.below(6), points = random.below(i % 100 == 0 ? 300 : 40);
        const std::vector<double> values = anyValues(random, points, objectives);
        const std::vector<std::int32_t> expected = ranksByDefinition(values, objectives);
        ASSERT_EQ(ranksOf(values, objectives), expected) << objectives << " objectives, set " << i;
        std::vector<std::size_t> front;
        for (std::size_t k = 0; k < expected.size(); ++k)
            if (expected[k] == 0) front.push_back(k);
        ASSERT_EQ(frontOf(values, objectives), front) << objectives << " objectives, set " << i;
    }
}

TEST(Front, canBeEndedWhileManyPointsAreRanked) {
    RandomStream random(12);
    std::vector<double> values;
    for (int i = 0; i < 4 * 20000; ++i) values.push_back(random.uniform());
    struct Stop {};
    const PollScope scope([] { throw Stop{}; });
    EXPECT_THROW(ranksOf(values, 4), Stop);
    EXPECT_THROW(frontOf(values, 4), Stop);
}

TEST(Front, equalPointsAreOnTheFrontTogether) {
    EXPECT_THAT(frontOf(std::vector<double>{1, 2, 1, 2, 2, 2, 0, 3}, 2), ElementsAre(0, 1, 3));
    EXPECT_THAT(frontOf(std::vector<double>{1, 1, 1, 1, 1, 1}, 3), ElementsAre(0, 1));
    EXPECT_THAT(frontOf(std::vector<double>{}, 3), IsEmpty());
}

TEST(Front, asALineRisesAndHasEachPlaceOnce) {
    EXPECT_THAT(frontLineOf(std::vector<double>{4, 1, 2, 2, 1, 5, 2, 2, 3, 3, kNan, 0}), ElementsAre(2, 1, 0));
    EXPECT_THAT(frontLineOf(std::vector<double>{}), IsEmpty());
}

PointTable tableOf(std::vector<double> cost, std::vector<double> speed) {
    PointTable table;
    table.reasons.resize(cost.size());
    table.columns.push_back({.id = "x", .title = "X", .role = PointColumn::Role::variable, .values = speed});
    table.columns.push_back({.id = "cost",
                             .title = "Cost",
                             .role = PointColumn::Role::objective,
                             .better = PointColumn::Better::lower,
                             .values = std::move(cost)});
    table.columns.push_back({.id = "speed",
                             .title = "Speed",
                             .role = PointColumn::Role::objective,
                             .better = PointColumn::Better::higher,
                             .values = std::move(speed)});
    return table;
}

TEST(Front, ofATableAreItsFeasiblePointsInItsObjectives) {
    PointTable table = tableOf({1, 2, 3, 0.5}, {10, 20, 15, 50});
    EXPECT_THAT(frontOf(table), ElementsAre(3));
    table.reasons[3] = "needs more memory";
    EXPECT_THAT(frontOf(table), ElementsAre(0, 1));
    table.columns[2].values[1] = kNan;
    EXPECT_THAT(frontOf(table), ElementsAre(0, 2));
    table.columns.resize(1);
    EXPECT_THAT(frontOf(table), IsEmpty());
    EXPECT_THAT(frontOf(PointTable{}), IsEmpty());
}

TEST(Knee, isFarthestFromTheLineBetweenTheEnds) {
    //                                0       1       2       3       4
    const std::vector<double> values{0, 100, 1, 40, 2, 20, 8, 10, 10, 0};
    EXPECT_EQ(kneeOf(values, 2, frontOf(values, 2)), 2U);
    // Whatever the units.
    std::vector<double> others = values;
    for (std::size_t i = 1; i < others.size(); i += 2) others[i] = 1e9 * others[i] - 5;
    EXPECT_EQ(kneeOf(others, 2, frontOf(others, 2)), 2U);
    // A point on the far side of the line is none, however far it lies.
    const std::vector<double> both{0, 1, 0.1, 0.8, 0.7, 0.79, 1, 0};
    EXPECT_EQ(kneeOf(both, 2, frontOf(both, 2)), 1U);
    const std::vector<double> bulge{0, 10, 5, 9, 9, 5, 10, 0};
    EXPECT_EQ(kneeOf(bulge, 2, frontOf(bulge, 2)), std::nullopt);
    const std::vector<double> line{0, 2, 1, 1, 2, 0};
    EXPECT_EQ(kneeOf(line, 2, frontOf(line, 2)), std::nullopt);
    EXPECT_EQ(kneeOf(values, 2, std::vector<std::size_t>{0, 4}), std::nullopt);
}

TEST(Knee, ofThreeObjectivesIsFarthestFromThePlaneThroughTheirBestPoints) {
    const std::vector<double> values{0, 1, 1, 1, 0, 1, 1, 1, 0, 0.5, 0.5, 0.5, 0.3, 0.35, 0.3, 0.6, 0.4, 0.4};
    EXPECT_EQ(kneeOf(values, 3, frontOf(values, 3)), 4U);
    // One point is the best of two objectives: no plane.
    const std::vector<double> flat{0, 0, 3, 1, 2, 0, 2, 1, 1, 0.5, 0.5, 2};
    EXPECT_EQ(kneeOf(flat, 3, std::vector<std::size_t>{0, 1, 2, 3}), std::nullopt);
}

TEST(Knee, ofTwoObjectivesIsThatOfTheFormula) {
    RandomStream random(3);
    int knees = 0;
    for (int i = 0; i < 2000; ++i) {
        const std::size_t points = 3 + random.below(30);
        std::vector<double> values;
        for (std::size_t k = 0; k < 2 * points; ++k) values.push_back(random.uniform());
        std::vector<std::size_t> front = frontOf(values, 2);
        if (front.size() < 3) continue;
        std::sort(front.begin(), front.end(), [&](auto a, auto b) { return values[2 * a] < values[2 * b]; });
        const double x0 = values[2 * front.front()], y0 = values[2 * front.front() + 1];
        const double x1 = values[2 * front.back()], y1 = values[2 * front.back() + 1];
        // Above 0 on the side of the ideal point.
        const auto distanceOf = [&](std::size_t point) {
            return (values[2 * point + 1] - y0) / (y1 - y0) - (values[2 * point] - x0) / (x1 - x0);
        };
        double farthest = 0;
        for (const std::size_t point : front) farthest = std::max(farthest, distanceOf(point));
        const std::optional<std::size_t> knee = kneeOf(values, 2, front);
        ASSERT_EQ(knee.has_value(), farthest > 1e-9);
        knees += knee ? 1 : 0;
        if (knee) {
            EXPECT_NEAR(distanceOf(*knee), farthest, 1e-12);
        }
    }
    EXPECT_GT(knees, 500);
}

}  // namespace
}  // namespace tessera::explore::test
