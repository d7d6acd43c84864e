#pragma once

#include <cstdint>

#include "core/base/elementary.h"

namespace tessera {

/// A counter-based random stream: the n-th number depends on seed, stream and n alone, so that every individual or
/// task has its own stream and results do not depend on the number of threads.
/// Mixing function: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
class RandomStream {
public:
    explicit RandomStream(std::uint64_t seed, std::uint64_t stream = 0)
        : key_(mix(seed + 0x9E3779B97F4A7C15U) ^ mix(stream * 0xD1342543DE82EF95U + 1)) {}

    std::uint64_t next() { return mix(key_ + 0x9E3779B97F4A7C15U * ++counter_); }

    /// Uniform in [0, 1) with 53 random bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    /// Uniform in [0, bound), bound above 0. Lemire's multiplication without the rejection step: the bias is below
    /// bound / 2^64, far under what any search could notice.
    std::uint64_t below(std::uint64_t bound) {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
    }

    std::uint64_t counter() const { return counter_; }
    void seek(std::uint64_t counter) { counter_ = counter; }

private:
    static constexpr std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    }

    std::uint64_t key_;
    std::uint64_t counter_ = 0;
};

/// Normally distributed numbers by the polar method. Marsaglia, Bray: "A convenient method for generating normal
/// variables", SIAM Review 6(3), 1964.
class NormalStream {
public:
    explicit NormalStream(RandomStream random) : random_(random) {}

    double next() {
        if (hasSecond_) {
            hasSecond_ = false;
            return second_;
        }
        double u = 0, v = 0, square = 0;
        do {
            u = 2 * random_.uniform() - 1;
            v = 2 * random_.uniform() - 1;
            square = u * u + v * v;
        } while (square >= 1 || square == 0);
        const double length = elementary::sqrt(-2 * elementary::log(square) / square);
        second_ = v * length;
        hasSecond_ = true;
        return u * length;
    }

private:
    RandomStream random_;
    double second_ = 0;
    bool hasSecond_ = false;
};

}  // namespace tessera
