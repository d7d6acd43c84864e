#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/codesign/placement/placement_lattice.h"
#include "core/codesign/placement/placement_walk.h"

namespace tessera::codesign {

/// A plan as a search finds it.
struct FoundPlan {
    std::size_t degreeIndex = 0;  ///< index into the problem's degrees
    std::int64_t data = 1;
    double value = 0;                 ///< seconds per batch, or bytes, or accelerators: what was minimised
    std::vector<std::uint32_t> cuts;  ///< ascending, without the empty and the full set
};

/// The stages between the cuts of a plan, by the layers' numbers in the graph, with nothing else filled in.
Plan planOf(const CutLattice& lattice, const PlacementProblem& problem, const FoundPlan& found);

/// Throws UsageError where a problem does not fit its graph or holds a number that it cannot have.
void checkProblem(const LayerGraph& graph, const PlacementProblem& problem);

/// Accelerators that one replica of so many stages occupies, where so many of them are cheap.
std::int64_t acceleratorsOf(const DegreeNumbers& numbers, std::size_t stages, std::size_t cheap);
/// Number of distinct counts of cheap stages that a table tracks: all where they fit, 0 where no stage is cheap.
std::size_t cheapCounts(const CutLattice& lattice, const DegreeNumbers& numbers, std::size_t stages);
/// True if that is fewer than may occur, so that plans may be missed.
bool losesCheapStages(const CutLattice& lattice, const DegreeNumbers& numbers, std::size_t stages);

/// Plan of the minimum peak memory among those of at most `accelerators` accelerators whose peak is below `limit`
/// bytes; empty if there is none.
std::optional<FoundPlan> minMemory(const CutLattice& lattice, const PlacementProblem& problem, double limit,
                                   const RunControl& control);
/// Plan of the fewest accelerators among those that fit the memory.
std::optional<FoundPlan> minAcceleratorsPlan(const CutLattice& lattice, const PlacementProblem& problem,
                                             const RunControl& control);

/// Reason why a plan whose fullest stage is given does not fit the memory, as a part of a sentence: "needs 3 GB for
/// stage …".
std::string memoryShortage(const PlacementProblem& problem, const Plan& plan, std::size_t stage);
/// The stage that needs the most memory.
std::size_t fullestOf(const Plan& plan);

/// Finds out why no plan of some degrees fits.
Shortage explainShortage(const CutLattice& lattice, const PlacementProblem& problem, const Degrees& degrees,
                         const RunControl& control);
/// Finds out why nothing fits, and what would.
Shortage explainShortage(const CutLattice& lattice, const PlacementProblem& problem, const RunControl& control);

}  // namespace tessera::codesign
