#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/partition/level.h"

namespace tessera::partition {

/// A part of a large network that stands for all of it where a ratio is searched: sides' times are sums over layers, so
/// that the ratio that balances a fair part of them balances them all but for little.
struct Sample {
    Network network;
    std::vector<std::int32_t> variables;  ///< of the whole network, by variable of the sample
};

/// Stretches of a network of more than `kMaxSearched` variables, evenly spread; nothing of smaller ones.
std::optional<Sample> sampleOf(const Network& network);
inline constexpr std::int32_t kMaxSearched = 20'000;

}  // namespace tessera::partition
