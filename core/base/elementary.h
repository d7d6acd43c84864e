#pragma once

#include <cmath>
#include <limits>

/// Functions whose last bits a mathematical library may choose by the processor it runs on. Here they are sums and
/// products in a fixed order, so that searches take the same path on any machine. Errors stay within a few units in
/// the last place, which is ample for what they steer.
namespace tessera::elementary {

/// e^x; 0 below about -745, infinity above about 709.8, NaN stays NaN.
inline double exp(double x) {
    constexpr double kLog2High = 6.93147180369123816490e-01, kLog2Low = 1.90821492927058770002e-10;
    if (std::isnan(x)) return x;
    if (x > 709.8) return std::numeric_limits<double>::infinity();
    if (x < -745.2) return 0;
    const double k = std::floor(x * 1.44269504088896338700 + 0.5);
    const double r = (x - k * kLog2High) - k * kLog2Low;  // |r| at most 0.35: 14 terms of the series are exact
    double sum = 1;
    for (int i = 14; i > 0; --i) sum = 1 + sum * (r / i);
    return std::ldexp(sum, static_cast<int>(k));
}

/// Natural logarithm; -infinity of 0, NaN below.
inline double log(double x) {
    constexpr double kLog2 = 6.93147180559945286227e-01;
    if (std::isnan(x) || x < 0) return std::numeric_limits<double>::quiet_NaN();
    if (x == 0) return -std::numeric_limits<double>::infinity();
    if (std::isinf(x)) return x;
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    if (m < 0.70710678118654752440) {
        m *= 2;
        --exponent;
    }
    // 2 artanh(s) with |s| at most 0.172: 12 terms.
    const double s = (m - 1) / (m + 1), square = s * s;
    double sum = 0;
    for (int i = 23; i > 0; i -= 2) sum = sum * square + 1.0 / i;
    return exponent * kLog2 + 2 * s * sum;
}

inline double tanh(double x) {
    if (std::isnan(x)) return x;
    if (x > 20) return 1;
    if (x < -20) return -1;
    // Near 0 the difference below would lose digits.
    if (std::fabs(x) < 1e-4) return x - x * x * x / 3;
    const double e = elementary::exp(2 * x);
    return (e - 1) / (e + 1);
}

/// x^y for x above 0; 0 for x = 0.
inline double pow(double x, double y) {
    return x == 0 ? 0 : elementary::exp(y * elementary::log(x));
}

/// Correctly rounded on every machine as it is; here for completeness.
inline double sqrt(double x) {
    return std::sqrt(x);
}

}  // namespace tessera::elementary
