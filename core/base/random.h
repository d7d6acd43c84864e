#pragma once

#include <cstdint>

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

}  // namespace tessera
