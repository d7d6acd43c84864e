#include "core/partition/level_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/physical/topology.h"

namespace tessera::partition {

namespace {

/// Sizes at which the model is asked: four for each doubling, from 1 byte.
constexpr std::size_t kSizesOfDoubling = 4, kDoublings = 60;

double sizeAt(std::size_t index) {
    const double within = 1 + static_cast<double>(index % kSizesOfDoubling) / static_cast<double>(kSizesOfDoubling);
    return std::ldexp(within, static_cast<int>(index / kSizesOfDoubling));
}

/// Groups of a span that work beside each other in each unit below the outermost level that it crosses: all
/// accelerators have their part in one of them.
std::int64_t groupsBeside(const std::vector<hardware::TopologyLevel>& levels, const std::vector<std::int64_t>& span) {
    std::size_t outermost = 0;
    for (std::size_t l = 0; l < span.size(); ++l)
        if (span[l] > 1) outermost = l;
    std::int64_t groups = 1;
    for (std::size_t l = 0; l < outermost; ++l) groups *= std::max<std::int64_t>(levels[l].size / span[l], 1);
    return groups;
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
    if (seconds >= 0) return seconds;
    const physical::Prediction prediction = physical::collectiveOver(
        levels_, curve.collective, {.span = curve.span, .concurrent = groupsBeside(levels_, curve.span)}, sizeAt(size));
    if (!prediction.estimate)
        throw DataError({.field = "levels"}, prediction.refused, "levels whose collectives can be timed");
    return seconds = prediction.estimate->value;
}

}  // namespace tessera::partition
