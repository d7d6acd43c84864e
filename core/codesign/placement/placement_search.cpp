#include "core/codesign/placement/placement_search.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tessera::codesign {

namespace {

/// Values that a table may hold, 256 MiB.
constexpr std::size_t kMaxValues = std::size_t{1} << 25;

}  // namespace

Plan planOf(const CutLattice& lattice, const PlacementProblem& problem, const FoundPlan& found) {
    Plan plan{.timePerBatch = {},
              .tensorParallel = problem.byDegree[found.degreeIndex].degree,
              .data = found.data,
              .stages = {}};
    std::uint32_t from = 0;
    const auto add = [&](std::uint32_t to) {
        PlacedStage& stage = plan.stages.emplace_back();
        for (std::size_t i = 0; i < lattice.layers(); ++i)
            if (lattice.contains(to, i) && !lattice.contains(from, i)) stage.layers.push_back(lattice.layerAt(i));
        from = to;
    };
    for (const std::uint32_t cut : found.cuts) add(cut);
    add(lattice.full());
    return plan;
}

std::int64_t acceleratorsOf(const DegreeNumbers& numbers, std::size_t stages, std::size_t cheap) {
    return numbers.parallelNeeds * static_cast<std::int64_t>(stages - cheap) + static_cast<std::int64_t>(cheap);
}

std::size_t cheapCounts(const CutLattice& lattice, const DegreeNumbers& numbers, std::size_t stages) {
    std::size_t rows = 0;
    for (std::uint32_t cut = 0; cut < lattice.cuts(); ++cut)
        rows += std::min(stages, lattice.layers() - lattice.sizeOf(cut) + 1);
    return std::min({numbers.cheap, stages, std::max<std::size_t>(1, kMaxValues / std::max<std::size_t>(1, rows)) - 1});
}

bool losesCheapStages(const CutLattice& lattice, const DegreeNumbers& numbers, std::size_t stages) {
    return cheapCounts(lattice, numbers, stages) < std::min(numbers.cheap, stages);
}

}  // namespace tessera::codesign
