#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tessera::explore {

/// Points of a unit cube that fill it evenly: Sobol's sequence with the direction numbers of Joe and Kuo ("Constructing
/// Sobol sequences with better two-dimensional projections", SIAM Journal on Scientific Computing 30, 2008), scrambled:
/// every bit of a coordinate is flipped or not by those before it and the seed, which keeps all of the sequence's
/// evenness and makes every point uniform by itself. Owen: "Randomly permuted (t,m,s)-nets and (t,s)-sequences", 1995.
/// Of 2^k points each half, quarter, … of every coordinate holds its exact share.
class SobolSequence {
public:
    /// Throws UsageError above `kMaxDimensions`.
    SobolSequence(std::size_t dimensions, std::uint64_t seed);
    SobolSequence(SobolSequence&&) noexcept;
    SobolSequence& operator=(SobolSequence&&) noexcept;
    ~SobolSequence();

    static constexpr std::size_t kMaxDimensions = 3667;

    /// The next point, with coordinates from 0 to below 1. After 2^32 points they begin anew.
    std::vector<double> next();

private:
    struct Engine;
    std::unique_ptr<Engine> engine_;
};

}  // namespace tessera::explore
