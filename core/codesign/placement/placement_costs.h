#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/codesign/placement/placement_table.h"

namespace tessera::codesign {

/// Maximum of micro-batches between their passes on a stage, as far as a batch has them: of a steady pipeline, whose
/// number of replicas is known.
inline std::size_t maxInFlightOf(const PlacementProblem& problem) {
    if (!problem.steady) return std::numeric_limits<std::size_t>::max();
    return static_cast<std::size_t>((problem.microBatches - 1) / problem.steady->replicas);
}

/// Minimises the greatest load of a stage within a memory.
struct LoadCosts {
    explicit LoadCosts(const PlacementProblem& problem)
        : memory((problem.memory - problem.beside).value),
          recompute(problem.recompute),
          maxInFlight(maxInFlightOf(problem)) {}

    double memory;  ///< for layers
    bool recompute;
    std::size_t maxInFlight;

    bool fits(const Stage& stage, std::size_t q) const {
        // What is stashed only rises with the stage where it is its activations.
        return stage.held + (q > 1 && !recompute && maxInFlight > 0 ? stage.stashed : 0) <= memory;
    }
    double min(const Stage& stage, std::size_t q) const {
        // Rounded as `cost` is, so that it is never above it.
        return stage.forward + ((q > 1 && recompute ? stage.recomputed : 0) + stage.backward);
    }
    StageCost cost(const StageWalk& walk, std::uint32_t to, const Stage& stage) const {
        const double last = stage.forward + walk.backwardOf(to, stage, 0);
        const double other = recompute ? stage.forward + walk.backwardOf(to, stage, stage.recomputed) : last;
        return {.last = last, .other = other, .slope = 0, .max = fittingInFlight(stage) + 1};
    }

private:
    /// Largest number of micro-batches in flight that fit.
    std::size_t fittingInFlight(const Stage& stage) const {
        constexpr double kMany = 1e9;
        const double room = (memory - stage.held) / stage.stashed;  // infinite where nothing is stashed
        if (!(room < kMany)) return static_cast<std::size_t>(kMany);
        auto count = static_cast<std::size_t>(room);
        if (count > maxInFlight) return static_cast<std::size_t>(kMany);
        while (count > 0 && stage.held + static_cast<double>(count) * stage.stashed > memory) --count;
        while (stage.held + static_cast<double>(count + 1) * stage.stashed <= memory) ++count;
        return count < maxInFlight ? count : static_cast<std::size_t>(kMany);
    }
};

/// Minimises the greatest memory of a stage, whatever its load.
struct MemoryCosts {
    explicit MemoryCosts(const PlacementProblem& problem)
        : recompute(problem.recompute), beside(problem.beside.value), maxInFlight(maxInFlightOf(problem)) {}

    bool recompute;
    double beside;
    std::size_t maxInFlight;

    bool fits(const Stage& /*stage*/, std::size_t /*q*/) const { return true; }
    double min(const Stage& stage, std::size_t q) const {
        return beside + stage.held + (q > 1 && !recompute && maxInFlight > 0 ? stage.stashed : 0);
    }
    StageCost cost(const StageWalk& /*walk*/, std::uint32_t /*to*/, const Stage& stage) const {
        return {.last = beside + stage.held,
                .other = beside + stage.held,
                .slope = stage.stashed,
                .max = std::numeric_limits<std::uint32_t>::max(),
                .rising = maxInFlight};
    }
};

}  // namespace tessera::codesign
