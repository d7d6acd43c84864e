#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

/// Conversions and constants that arithmetic of every module needs.
namespace tessera {

/// A bound that excludes nothing.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The index of a container from a signed one, which must not be negative.
constexpr std::size_t toIndex(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

/// An index as graphs store it.
constexpr std::int32_t signedIndex(std::size_t index) {
    return static_cast<std::int32_t>(index);
}

/// The nearest real number: exact up to 2^53.
constexpr double real(std::int64_t value) {
    return static_cast<double>(value);
}

}  // namespace tessera
