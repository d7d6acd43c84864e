#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/codesign/placement/placement_table.h"

namespace tessera::codesign {

/// Minimises the greatest load of a stage within a memory.
struct LoadCosts {
    double memory = 0;
    bool recompute = false;

    bool fits(const Stage& stage, std::size_t q) const {
        // What is stashed only rises with the stage where it is its activations.
        return stage.held + (q > 1 && !recompute ? stage.stashed : 0) <= memory;
    }
    double min(const Stage& stage, std::size_t q) const {
        // Rounded as `cost` is, so that it is never above it.
        return stage.forward + ((q > 1 && recompute ? stage.recomputed : 0) + stage.backward);
    }
    StageCost cost(const StageWalk& walk, std::uint32_t to, const Stage& stage) const {
        const double last = stage.forward + walk.backwardOf(to, stage, 0);
        const double other = recompute ? stage.forward + walk.backwardOf(to, stage, stage.recomputed) : last;
        return {.last = last, .other = other, .slope = 0, .max = maxInFlight(stage) + 1};
    }

private:
    /// Largest number of micro-batches in flight.
    std::size_t maxInFlight(const Stage& stage) const {
        constexpr double kMany = 1e9;
        const double room = (memory - stage.held) / stage.stashed;  // infinite where nothing is stashed
        if (!(room < kMany)) return static_cast<std::size_t>(kMany);
        auto count = static_cast<std::size_t>(room);
        while (count > 0 && stage.held + static_cast<double>(count) * stage.stashed > memory) --count;
        while (stage.held + static_cast<double>(count + 1) * stage.stashed <= memory) ++count;
        return count;
    }
};

/// Minimises the greatest memory of a stage, whatever its load.
struct MemoryCosts {
    bool recompute = false;

    bool fits(const Stage& /*stage*/, std::size_t /*q*/) const { return true; }
    double min(const Stage& stage, std::size_t q) const {
        return stage.held + (q > 1 && !recompute ? stage.stashed : 0);
    }
    StageCost cost(const StageWalk& /*walk*/, std::uint32_t /*to*/, const Stage& stage) const {
        return {.last = stage.held,
                .other = stage.held,
                .slope = stage.stashed,
                .max = std::numeric_limits<std::uint32_t>::max()};
    }
};

}  // namespace tessera::codesign
