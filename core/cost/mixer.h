#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tessera::cost {

/// Mixes numbers into one, after SplitMix64's finaliser.
class Mixer {
public:
    Mixer& add(std::uint64_t value) {
        state_ = (state_ ^ value) * 0xBF58476D1CE4E5B9U;
        state_ ^= state_ >> 29;
        return *this;
    }
    Mixer& add(std::int64_t value) { return add(static_cast<std::uint64_t>(value)); }
    Mixer& add(double value) { return add(std::bit_cast<std::uint64_t>(value)); }
    std::size_t result() const { return static_cast<std::size_t>(state_ ^ (state_ >> 32)); }

private:
    std::uint64_t state_ = 0x9E3779B97F4A7C15U;
};

}  // namespace tessera::cost
