#pragma once

#include <cstdint>
#include <vector>

namespace tessera::partition {

/// Into how many parts one level of a network of accelerators cuts a layer's tensors. For layers with weights: samples
/// (rows), input and output channels. For joins, grouped convolutions and attention, which read the channels (groups,
/// heads) that they make, `in` is 1. Of a tensor that several layers gather, `out` is the number of copies.
struct Degrees {
    std::int64_t batch = 1;
    std::int64_t in = 1;
    std::int64_t out = 1;

    std::int64_t parts() const { return batch * in * out; }
    bool operator==(const Degrees&) const = default;
    auto operator<=>(const Degrees&) const = default;
};

/// Degrees by level, the innermost first.
using Sharding = std::vector<Degrees>;

/// Parts at all levels together.
Degrees productOf(const Sharding& sharding);

/// Every way to cut at levels of the given sizes: in three, or (`inToo` false) in samples and outputs alone. All
/// batch comes first; no order of the rest is promised but that it is always the same.
std::vector<Sharding> shardingsOf(const std::vector<std::int64_t>& sizes, bool inToo);

/// Number of ways to cut in three.
double shardingCount(const std::vector<std::int64_t>& sizes);

}  // namespace tessera::partition
