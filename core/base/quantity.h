#pragma once

#include <compare>

namespace tessera {

/// A number with a dimension: the template arguments are the exponents of byte, floating-point operation, second,
/// joule, cycle and square millimetre. Mixing dimensions does not compile; multiplying and dividing derives them.
/// The value is always in SI base units (bytes, seconds, FLOP/s, ...), never scaled.
template <int Byte, int Flop, int Second, int Joule = 0, int Cycle = 0, int Area = 0>
struct Quantity {
    double value = 0.0;

    constexpr Quantity operator+(Quantity other) const { return {value + other.value}; }
    constexpr Quantity operator-(Quantity other) const { return {value - other.value}; }
    constexpr Quantity operator-() const { return {-value}; }
    constexpr Quantity operator*(double factor) const { return {value * factor}; }
    constexpr Quantity operator/(double divisor) const { return {value / divisor}; }
    constexpr Quantity& operator+=(Quantity other) {
        value += other.value;
        return *this;
    }
    constexpr Quantity& operator-=(Quantity other) {
        value -= other.value;
        return *this;
    }
    constexpr auto operator<=>(const Quantity&) const = default;
};

template <int B, int F, int S, int J, int C, int A>
constexpr Quantity<B, F, S, J, C, A> operator*(double factor, Quantity<B, F, S, J, C, A> quantity) {
    return quantity * factor;
}

template <int B1, int F1, int S1, int J1, int C1, int A1, int B2, int F2, int S2, int J2, int C2, int A2>
constexpr auto operator*(Quantity<B1, F1, S1, J1, C1, A1> a, Quantity<B2, F2, S2, J2, C2, A2> b) {
    return Quantity<B1 + B2, F1 + F2, S1 + S2, J1 + J2, C1 + C2, A1 + A2>{a.value * b.value};
}

template <int B1, int F1, int S1, int J1, int C1, int A1, int B2, int F2, int S2, int J2, int C2, int A2>
constexpr auto operator/(Quantity<B1, F1, S1, J1, C1, A1> a, Quantity<B2, F2, S2, J2, C2, A2> b) {
    return Quantity<B1 - B2, F1 - F2, S1 - S2, J1 - J2, C1 - C2, A1 - A2>{a.value / b.value};
}

/// The ratio of two quantities of the same dimension, as a plain number.
template <int B, int F, int S, int J, int C, int A>
constexpr double ratio(Quantity<B, F, S, J, C, A> numerator, Quantity<B, F, S, J, C, A> denominator) {
    return numerator.value / denominator.value;
}

using Bytes = Quantity<1, 0, 0>;
using Flops = Quantity<0, 1, 0>;
using Seconds = Quantity<0, 0, 1>;
using Joules = Quantity<0, 0, 0, 1>;
using Cycles = Quantity<0, 0, 0, 0, 1>;
using SquareMillimetres = Quantity<0, 0, 0, 0, 0, 1>;
using BytesPerSecond = Quantity<1, 0, -1>;
using FlopsPerSecond = Quantity<0, 1, -1>;
using Hertz = Quantity<0, 0, -1, 0, 1>;
using Watts = Quantity<0, 0, -1, 1>;

/// Network rates are quoted in bits per second; inside they are bytes per second like every other rate.
constexpr BytesPerSecond fromBitsPerSecond(double bits) {
    return {bits / 8.0};
}
constexpr double toBitsPerSecond(BytesPerSecond rate) {
    return rate.value * 8.0;
}

}  // namespace tessera
