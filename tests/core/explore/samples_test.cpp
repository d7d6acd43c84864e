#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "core/explore/sobol_sequence.h"
#include "tests/core/explore/explored.h"

namespace tessera::explore::test {
namespace {

using Sample = std::vector<std::vector<double>>;

Sample sampleBy(std::string_view method, std::size_t points, std::size_t variables, std::uint64_t seed) {
    const MethodProblem problem{
        .variables = ranges(variables, 0, 1), .points = static_cast<std::int64_t>(points), .seed = seed};
    return explored(method, problem, [](const Point&) { return Evaluation{{0}}; }).points;
}

/// The square of the centred L2 discrepancy. Hickernell: "A generalized discrepancy and quadrature error bound",
/// Mathematics of Computation 67, 1998.
double discrepancy(const Sample& points) {
    const auto count = static_cast<double>(points.size());
    double single = 0, pairs = 0;
    for (const auto& a : points) {
        double product = 1;
        for (const double x : a) product *= 1 + 0.5 * std::fabs(x - 0.5) - 0.5 * (x - 0.5) * (x - 0.5);
        single += product;
        for (const auto& b : points) {
            product = 1;
            for (std::size_t k = 0; k < a.size(); ++k)
                product *= 1 + 0.5 * std::fabs(a[k] - 0.5) + 0.5 * std::fabs(b[k] - 0.5) - 0.5 * std::fabs(a[k] - b[k]);
            pairs += product;
        }
    }
    return std::pow(13.0 / 12, static_cast<double>(points[0].size())) - 2 / count * single + pairs / (count * count);
}

TEST(Samples, ofALatinHypercubeHaveOnePointInEachPart) {
    for (const std::size_t points : {1U, 2U, 7U, 64U, 1000U, 5000U})
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const Sample sample = sampleBy("latin-hypercube", points, 4, seed);
            for (std::size_t k = 0; k < 4; ++k) {
                std::set<int> parts;
                for (const auto& point : sample) parts.insert(static_cast<int>(point[k] * static_cast<double>(points)));
                EXPECT_EQ(parts.size(), points);
                EXPECT_LT(*parts.rbegin(), static_cast<int>(points));
            }
        }
}

TEST(Samples, ofALatinHypercubeTakeEachOfSeveralValuesEquallyOften) {
    const MethodProblem problem{.variables = {category("a", 3), listed("b", {1, 2, 4, 8})}, .points = 24, .seed = 3};
    const Explored found = explored("latin-hypercube", problem, [](const Point&) { return Evaluation{{0}}; });
    for (const double value : {0.0, 1.0, 2.0})
        EXPECT_EQ(
            std::count_if(found.points.begin(), found.points.end(), [&](const Point& p) { return p[0] == value; }), 8);
    for (const double value : {1.0, 2.0, 4.0, 8.0})
        EXPECT_EQ(
            std::count_if(found.points.begin(), found.points.end(), [&](const Point& p) { return p[1] == value; }), 6);
}

TEST(Samples, ofASobolSequenceHaveOnePointInEachPartOfPowersOfTwo) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
        for (const std::size_t points : {2U, 16U, 128U, 1024U}) {
            const Sample sample = sampleBy("sobol", points, 50, seed);
            for (std::size_t k = 0; k < 50; ++k) {
                std::set<int> parts;
                for (const auto& point : sample) parts.insert(static_cast<int>(point[k] * static_cast<double>(points)));
                EXPECT_EQ(parts.size(), points) << "dimension " << k;
            }
            // The first two dimensions are a (0, 2)-sequence: one point in each box of that area, whatever its shape.
            for (std::size_t wide = 1; wide <= points; wide *= 2) {
                std::set<std::pair<int, int>> boxes;
                for (const auto& point : sample)
                    boxes.emplace(static_cast<int>(point[0] * static_cast<double>(wide)),
                                  static_cast<int>(point[1] * static_cast<double>(points / wide)));
                EXPECT_EQ(boxes.size(), points) << wide << " × " << points / wide;
            }
        }
}

TEST(Samples, areMoreEvenThanRandomOnes) {
    double random = 0, hypercube = 0, sobol = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        random += discrepancy(sampleBy("random", 128, 5, seed));
        hypercube += discrepancy(sampleBy("latin-hypercube", 128, 5, seed));
        sobol += discrepancy(sampleBy("sobol", 128, 5, seed));
    }
    EXPECT_LT(hypercube, 0.6 * random);
    EXPECT_LT(sobol, 0.2 * random);
}

TEST(Samples, integrateBetterThanRandomOnes) {
    const auto error = [](std::string_view method) {
        double square = 0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            double sum = 0;
            for (const auto& point : sampleBy(method, 256, 6, seed)) {
                double product = 1;
                for (std::size_t k = 0; k < point.size(); ++k)
                    product *= (std::fabs(4 * point[k] - 2) + static_cast<double>(k)) / (1 + static_cast<double>(k));
                sum += product / 256;
            }
            square += (sum - 1) * (sum - 1);
        }
        return std::sqrt(square / 20);
    };
    EXPECT_LT(error("sobol"), 0.2 * error("random"));
    EXPECT_LT(error("latin-hypercube"), 0.6 * error("random"));
}

TEST(Samples, differBySeed) {
    for (const char* const method : {"random", "latin-hypercube", "sobol"})
        EXPECT_NE(sampleBy(method, 16, 2, 1), sampleBy(method, 16, 2, 2)) << method;
}

TEST(Samples, sobolPointsAreUniformByThemselves) {
    // The mean over seeds of the first point, which unscrambled is the origin.
    double mean = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) mean += SobolSequence(3, seed).next()[2] / 2000;
    EXPECT_NEAR(mean, 0.5, 0.033);  // 5 standard errors
    EXPECT_THROW(SobolSequence(SobolSequence::kMaxDimensions + 1, 1), UsageError);
    EXPECT_EQ(SobolSequence(SobolSequence::kMaxDimensions, 1).next().size(), SobolSequence::kMaxDimensions);
}

}  // namespace
}  // namespace tessera::explore::test
