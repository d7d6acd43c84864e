#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/core/explore/explored.h"

/// Functions whose optima are known.
namespace tessera::explore::test {

inline constexpr double kPi = std::numbers::pi;

inline Evaluation sphereOf(const Point& x) {
    double sum = 0;
    for (const double value : x) sum += (value - 0.3) * (value - 0.3);
    return {{sum}};
}

inline Evaluation rosenbrock(const Point& x) {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < x.size(); ++i)
        sum += 100 * std::pow(x[i + 1] - x[i] * x[i], 2) + std::pow(1 - x[i], 2);
    return {{sum}};
}

inline Evaluation rastrigin(const Point& x) {
    double sum = 10 * static_cast<double>(x.size());
    for (const double value : x) sum += value * value - 10 * std::cos(2 * kPi * value);
    return {{sum}};
}

/// On [-5, 10] × [0, 15], least value 0.397887.
inline Evaluation branin(const Point& x) {
    const double b = 5.1 / (4 * kPi * kPi), c = 5 / kPi, t = 1 / (8 * kPi);
    return {{std::pow(x[1] - b * x[0] * x[0] + c * x[0] - 6, 2) + 10 * (1 - t) * std::cos(x[0]) + 10}};
}

/// On the unit cube of six dimensions, least value -3.32237.
inline Evaluation hartmann6(const Point& x) {
    static const double kAlpha[] = {1, 1.2, 3, 3.2};
    static const double kA[4][6] = {
        {10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}};
    static const double kP[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                    {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                    {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                    {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
        double exponent = 0;
        for (std::size_t j = 0; j < 6; ++j) exponent += kA[i][j] * (x[j] - kP[i][j]) * (x[j] - kP[i][j]);
        sum -= kAlpha[i] * std::exp(-exponent);
    }
    return {{sum}};
}

/// Zitzler, Deb, Thiele: "Comparison of multiobjective evolutionary algorithms", Evolutionary Computation 8(2), 2000.
inline Evaluation zdt(int number, const Point& x) {
    double g = 1;
    for (std::size_t i = 1; i < x.size(); ++i) g += 9 * x[i] / static_cast<double>(x.size() - 1);
    const double share = x[0] / g;
    const double h = number == 1   ? 1 - std::sqrt(share)
                     : number == 2 ? 1 - share * share
                                   : 1 - std::sqrt(share) - share * std::sin(10 * kPi * x[0]);
    return {{x[0], g * h}};
}

/// Deb, Thiele, Laumanns, Zitzler: "Scalable test problems for evolutionary multiobjective optimization", 2005.
inline Evaluation dtlz2(const Point& x, std::size_t objectives) {
    double g = 0;
    for (std::size_t i = objectives - 1; i < x.size(); ++i) g += (x[i] - 0.5) * (x[i] - 0.5);
    Evaluation evaluation;
    for (std::size_t k = 0; k < objectives; ++k) {
        double value = 1 + g;
        for (std::size_t i = 0; i + k + 1 < objectives; ++i) value *= std::cos(x[i] * kPi / 2);
        if (k > 0) value *= std::sin(x[objectives - 1 - k] * kPi / 2);
        evaluation.objectives.push_back(value);
    }
    return evaluation;
}

}  // namespace tessera::explore::test
