#include "core/explore/hypervolume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <pagmo/utils/hypervolume.hpp>
#include <vector>

#include "core/base/random.h"
#include "core/explore/front.h"

namespace tessera::explore::test {
namespace {

/// Counts the cells of whole numbers below the reference that a point is below of, which makes the volume exact.
double volumeByCells(const std::vector<double>& values, std::size_t objectives, int reference) {
    std::vector<int> cell(objectives, 0);
    double volume = 0;
    for (;;) {
        for (std::size_t i = 0; i < values.size(); i += objectives) {
            bool isCovered = true;
            for (std::size_t k = 0; k < objectives; ++k) isCovered = isCovered && values[i + k] <= cell[k];
            if (!isCovered) continue;
            ++volume;
            break;
        }
        std::size_t k = 0;
        while (k < objectives && ++cell[k] == reference) cell[k++] = 0;
        if (k == objectives) return volume;
    }
}

TEST(Hypervolume, isTheNumberOfCellsThatAreDominated) {
    RandomStream random(21);
    for (int i = 0; i < 12000; ++i) {
        const std::size_t objectives = 1 + random.below(6), points = random.below(20);
        const int reference = objectives < 4 ? 6 : 4;
        std::vector<double> values;
        for (std::size_t k = 0; k < points * objectives; ++k)
            values.push_back(static_cast<double>(random.below(static_cast<std::uint64_t>(reference) + 1)));
        const std::vector<double> corner(objectives, reference);
        const double expected = volumeByCells(values, objectives, reference);
        ASSERT_EQ(hypervolume(values, objectives, corner), expected) << objectives << " objectives, set " << i;
        const std::vector<double> growing = hypervolumeAfterEach(values, objectives, corner);
        ASSERT_EQ(growing.size(), points);
        for (std::size_t k = 0; k < points; ++k) {
            const std::span<const double> first = std::span(values).first((k + 1) * objectives);
            ASSERT_EQ(growing[k], hypervolume(first, objectives, corner)) << objectives << " objectives, point " << k;
        }
    }
}

std::vector<double> sphere(RandomStream& random, std::size_t points, std::size_t objectives) {
    std::vector<double> values;
    for (std::size_t i = 0; i < points; ++i) {
        std::vector<double> point;
        double square = 0;
        for (std::size_t k = 0; k < objectives; ++k) {
            point.push_back(random.uniform() + 1e-9);
            square += point.back() * point.back();
        }
        for (const double value : point) values.push_back(1 - value / std::sqrt(square));
    }
    return values;
}

TEST(Hypervolume, isThatOfAnotherProgram) {
    RandomStream random(22);
    for (const std::size_t objectives : {2U, 3U, 4U, 5U, 6U})
        for (const bool isSphere : {true, false}) {
            const std::size_t points = objectives < 5 ? 200 : 60;
            std::vector<double> values = sphere(random, points, objectives);
            if (!isSphere)
                for (double& value : values) value = random.uniform();
            std::vector<pagmo::vector_double> rows;
            for (std::size_t i = 0; i < points; ++i)
                rows.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(i * objectives),
                                  values.begin() + static_cast<std::ptrdiff_t>((i + 1) * objectives));
            const std::vector<double> reference(objectives, 1.05);
            const double expected = pagmo::hypervolume(rows, true).compute(reference);
            EXPECT_NEAR(hypervolume(values, objectives, reference), expected, 1e-10 * expected) << objectives;
            EXPECT_NEAR(hypervolumeAfterEach(values, objectives, reference).back(), expected, 1e-10 * expected)
                << objectives;
        }
}

TEST(Hypervolume, growsByWhatEachPointAdds) {
    RandomStream random(23);
    const std::size_t points = 3000;
    const std::vector<double> values = sphere(random, points, 3), reference{1, 1, 1};
    const std::vector<double> growing = hypervolumeAfterEach(values, 3, reference);
    for (const std::size_t count : {1U, 31U, 32U, 33U, 500U, 1024U, 3000U})
        EXPECT_NEAR(growing[count - 1], hypervolume(std::span(values).first(3 * count), 3, reference), 1e-12) << count;
    EXPECT_TRUE(std::is_sorted(growing.begin(), growing.end()));
}

TEST(Hypervolume, leavesOutWhatIsNotBelowTheReference) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(hypervolume(std::vector<double>{1, 1, 0, 2, 3, 0, nan, 0}, 2, std::vector<double>{2, 2}), 1);
    GrowingHypervolume growing({2, 2});
    EXPECT_EQ(growing.add(std::vector<double>{nan, 0}), 0);
    EXPECT_EQ(growing.add(std::vector<double>{0, 2}), 0);
    EXPECT_EQ(growing.add(std::vector<double>{1, 0}), 2);
    EXPECT_EQ(growing.add(std::vector<double>{0, 1}), 1);
    EXPECT_EQ(growing.add(std::vector<double>{0, 1}), 0);
    EXPECT_EQ(growing.total(), 3);
}

}  // namespace
}  // namespace tessera::explore::test
