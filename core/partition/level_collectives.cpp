#include "core/partition/level_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace tessera::partition {

namespace {

/// Sizes at which the model is asked: four for each doubling, from 1 byte.
constexpr std::size_t kSizesOfDoubling = 4, kDoublings = 60;

double sizeAt(std::size_t index) {
    const double within = 1 + static_cast<double>(index % kSizesOfDoubling) / static_cast<double>(kSizesOfDoubling);
    return std::ldexp(within, static_cast<int>(index / kSizesOfDoubling));
}

/// A collective over the innermost level that it spans and all beyond it, which go at the rate of the slowest of them.
double secondsOver(const std::vector<hardware::TopologyLevel>& levels, physical::Collective collective,
                   const std::vector<std::int64_t>& span, double bytes) {
    const auto rate = [&](std::size_t l) { return hardware::effectiveBandwidth(levels[l])->value; };
    std::int64_t accelerators = 1;
    for (const std::int64_t size : span) accelerators *= size;
    const std::int64_t inside = span.front();
    double link = inside > 1 ? rate(0) : 0, network = 0;
    for (std::size_t l = 1; l < span.size(); ++l)
        if (span[l] > 1) network = network > 0 ? std::min(network, rate(l)) : rate(l);
    if (link == 0) link = network;
    network *= static_cast<double>(inside);
    const physical::Prediction prediction =
        physical::predictCollective({.operation = collective,
                                     .accelerators = static_cast<int>(accelerators),
                                     .perNode = static_cast<int>(inside),
                                     .bytes = bytes,
                                     .interconnect = physical::Interconnect{link, network}});
    if (!prediction.estimate)
        throw DataError({.field = "levels"}, prediction.refused, "levels whose collectives can be timed");
    return prediction.estimate->value;
}

}  // namespace

LevelCollectives::LevelCollectives(std::vector<hardware::TopologyLevel> levels) : levels_(std::move(levels)) {
    for (const hardware::TopologyLevel& level : levels_)
        if (level.size > 1 && !level.bandwidth)
            throw DataError({.field = "levels"}, fmt::format("level {} without a bandwidth", inQuotes(level.name)),
                            "bandwidth_bytes_per_s of every level that joins more than one");
}

std::int32_t LevelCollectives::operation(physical::Collective collective, const std::vector<std::int64_t>& span) {
    if (std::all_of(span.begin(), span.end(), [](std::int64_t size) { return size <= 1; })) return -1;
    const auto [found, isNew] = numbers_.try_emplace({collective, span}, static_cast<std::int32_t>(curves_.size()));
    if (isNew) curves_.push_back({collective, span, std::vector<double>(kSizesOfDoubling * kDoublings, -1)});
    return found->second;
}

double LevelCollectives::seconds(std::int32_t operation, double bytes) {
    if (operation < 0 || !(bytes > 0)) return 0;
    Curve& curve = curves_[toIndex(operation)];
    int exponent = 0;
    const double fraction = 2 * std::frexp(std::max(bytes, 1.0), &exponent) - 1;  // 0 up to 1 of the doubling
    const double place = fraction * static_cast<double>(kSizesOfDoubling);
    const std::size_t size =
        std::min(toIndex(exponent - 1) * kSizesOfDoubling + static_cast<std::size_t>(place), curve.seconds.size() - 2);
    const double low = at(curve, size), high = at(curve, size + 1);
    return low + (high - low) * (bytes - sizeAt(size)) / (sizeAt(size + 1) - sizeAt(size));
}

double LevelCollectives::at(Curve& curve, std::size_t size) {
    double& seconds = curve.seconds[size];
    if (seconds < 0) seconds = secondsOver(levels_, curve.collective, curve.span, sizeAt(size));
    return seconds;
}

}  // namespace tessera::partition
