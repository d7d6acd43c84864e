#include "core/explore/sobol_sequence.h"

#include <fmt/format.h>

#include <boost/random/sobol.hpp>

#include "core/base/error.h"
#include "core/base/random.h"

namespace tessera::explore {

namespace {

constexpr int kSobolBits = 32;

/// Flips the bits of a coordinate, the highest first, each by a coin of its own for every value of those above it.
double scrambled(std::uint32_t coordinate, std::uint64_t seed, std::uint64_t dimension) {
    std::uint32_t result = 0;
    for (int bit = 0; bit < kSobolBits; ++bit) {
        const std::uint64_t above = bit == 0 ? 0 : coordinate >> static_cast<unsigned>(kSobolBits - bit);
        const std::uint64_t place = (std::uint64_t{1} << static_cast<unsigned>(bit)) | above;
        const auto flip = static_cast<std::uint32_t>(RandomStream(seed, dimension << 33U | place).next() >> 63U);
        const std::uint32_t own = coordinate >> static_cast<unsigned>(kSobolBits - 1 - bit) & 1U;
        result = result << 1U | (own ^ flip);
    }
    const std::uint64_t whole = std::uint64_t{1} << static_cast<unsigned>(kSobolBits) | coordinate;
    const double below = RandomStream(seed, dimension << 33U | whole).uniform();
    return (result + below * (1 - 0x1p-20)) * 0x1p-32;
}

}  // namespace

struct SobolSequence::Engine {
    boost::random::sobol_engine<std::uint32_t, kSobolBits> coordinates;
    std::size_t dimensions;
    std::uint64_t seed;
    std::uint64_t made = 0;
};

SobolSequence::SobolSequence(std::size_t dimensions, std::uint64_t seed) {
    if (dimensions < 1 || dimensions > kMaxDimensions)
        throw UsageError(fmt::format("a Sobol sequence of {} dimensions was asked for; expected 1 to {}", dimensions,
                                     kMaxDimensions));
    engine_ = std::make_unique<Engine>(
        Engine{boost::random::sobol_engine<std::uint32_t, kSobolBits>(dimensions), dimensions, seed});
}

SobolSequence::SobolSequence(SobolSequence&&) noexcept = default;
SobolSequence& SobolSequence::operator=(SobolSequence&&) noexcept = default;
SobolSequence::~SobolSequence() = default;

std::vector<double> SobolSequence::next() {
    std::vector<double> point(engine_->dimensions);
    // The library begins behind the sequence's first point, which is the origin, and ends in 2^32.
    const bool isOrigin = (engine_->made & 0xFFFFFFFFU) == 0;
    if (isOrigin) engine_->coordinates.seed();
    for (std::size_t i = 0; i < point.size(); ++i)
        point[i] = scrambled(isOrigin ? 0 : engine_->coordinates(), engine_->seed, i);
    ++engine_->made;
    return point;
}

}  // namespace tessera::explore
