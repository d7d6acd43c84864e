#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/codesign/placement/placement_costs.h"
#include "core/codesign/placement/placement_search.h"
#include "core/codesign/placement/placement_table.h"

namespace tessera::codesign {

namespace {

/// The first number above a memory: what needs less than it fits.
double justAbove(Bytes memory) {
    return std::nextafter(memory.value, kInfinity);
}

/// Replicas that the costs of a problem are of, or one.
std::int64_t replicasOfCosts(const PlacementProblem& problem) {
    return problem.steady ? problem.steady->replicas : 1;
}

/// Accelerators that one replica may have.
std::int64_t acceleratorsOfReplica(const PlacementProblem& problem) {
    return problem.accelerators / replicasOfCosts(problem);
}

/// Maximum number of stages for which accelerators suffice.
std::size_t maxStages(const CutLattice& lattice, const DegreeNumbers& numbers, std::int64_t accelerators) {
    std::size_t max = 0;
    while (max < lattice.layers() && acceleratorsOf(numbers, max + 1, std::min(max + 1, numbers.cheap)) <= accelerators)
        ++max;
    return max;
}

/// Goes through the plans of one degree whose fullest stage needs less than `limit`: of each number of accelerators the
/// one that needs the minimum. `better(accelerators, bytes)` says whether it is better than what it was shown so far.
/// With `exactly`, through those of so many stages alone.
template <typename Better>
void searchMemory(const CutLattice& lattice, const PlacementProblem& problem, std::size_t degreeIndex,
                  std::size_t stages, double limit, const RunControl& control, const Better& better,
                  std::optional<FoundPlan>& best, bool exactly = false) {
    const DegreeNumbers numbers(lattice, problem, problem.byDegree[degreeIndex]);
    const MemoryCosts costs(problem);
    StageTable table(lattice, numbers, costs, std::vector<double>(stages + 1, limit),
                     cheapCounts(lattice, numbers, stages));
    table.fill(1, control);
    struct Choice {
        std::uint32_t to;
        Stage stage;
        std::size_t stages, cheap;
        double bytes;
    };
    std::optional<Choice> chosen;
    table.eachPlan([&](std::uint32_t to, const Stage& stage, std::size_t count, std::size_t cheap, double bytes) {
        if (exactly && count != stages) return;
        if (better(acceleratorsOf(numbers, count, cheap), bytes)) chosen = {to, stage, count, cheap, bytes};
    });
    if (!chosen) return;
    best = FoundPlan{degreeIndex, replicasOfCosts(problem), chosen->bytes,
                     table.cutsOf(chosen->to, chosen->stage, chosen->stages, chosen->cheap, chosen->bytes)};
}

/// Which of a stage's terms does not fit behind those before it.
std::string_view breakingTerm(const StageMemory& memory, Bytes limit) {
    if (memory.weights > limit) return "weights and gradients";
    if (memory.weights + memory.optimizer > limit) return "optimizer state";
    if (memory.weights + memory.optimizer + memory.activations > limit) return "activations";
    if (memory.total() - memory.beside > limit) return "what is kept for micro-batches in flight";
    return "what is held beside the layers";
}

std::string shown(Bytes bytes) {
    return formatQuantity(bytes.value, Measure::bytes);
}

std::string reasonOf(const Shortage& shortage, const PlacementProblem& problem) {
    if (!shortage.closest)
        return fmt::format(
            "no plan fits: the smallest tensor-parallel degree occupies {} and there {}",
            formatCounted(shortage.minAccelerators, "accelerator", "accelerators"),
            problem.accelerators == 1 ? std::string("is 1") : fmt::format("are {}", formatCount(problem.accelerators)));
    const Plan& plan = *shortage.closest;
    const std::string text = "no plan fits: the one of least memory " + memoryShortage(problem, plan, shortage.stage);
    std::vector<std::string> ways{fmt::format("{} of memory", shown(plan.stages[shortage.stage].memory.total()))};
    if (shortage.recompute) ways.emplace_back("recomputed activations");
    if (shortage.accelerators) ways.push_back(formatCounted(*shortage.accelerators, "accelerator", "accelerators"));
    return text + "; it would fit with " + joined(ways, " or ");
}

std::string shown(const Degrees& degrees) {
    const std::string stages =
        degrees.pipeline < 1 ? std::string() : formatCounted(degrees.pipeline, "stage", "stages") + ", ";
    return fmt::format("{}tensor-parallel degree {} and {}", stages, degrees.tensorParallel,
                       formatCounted(degrees.data, "replica", "replicas"));
}

}  // namespace

std::string memoryShortage(const PlacementProblem& problem, const Plan& plan, std::size_t stage) {
    const StageMemory& memory = plan.stages[stage].memory;
    const Bytes needed = memory.total();
    return fmt::format(
        "needs {} for stage {} of {} and an accelerator has {}, {} too little because of {} (weights and gradients {}, "
        "optimizer state {}, activations {}, {} in flight {}{})",
        shown(needed), stage + 1, plan.stages.size(), shown(problem.memory), shown(needed - problem.memory),
        breakingTerm(memory, problem.memory), shown(memory.weights), shown(memory.optimizer), shown(memory.activations),
        formatCounted(memory.inFlight, "micro-batch", "micro-batches"), shown(memory.stashed),
        memory.beside.value > 0 ? ", beside them " + shown(memory.beside) : std::string());
}

std::size_t fullestOf(const Plan& plan) {
    const auto fullest = std::max_element(plan.stages.begin(), plan.stages.end(), [](const auto& a, const auto& b) {
        return a.memory.total() < b.memory.total();
    });
    return static_cast<std::size_t>(fullest - plan.stages.begin());
}

std::string misfitOf(const PlacementProblem& problem, const Plan& plan) {
    std::int64_t each = 0;
    for (const PlacedStage& stage : plan.stages) each += stage.accelerators;
    const auto accelerators = [](std::int64_t count) { return formatCounted(count, "accelerator", "accelerators"); };
    if (plan.data > problem.microBatches)
        return fmt::format("the plan has {} replicas for {}", formatCount(plan.data),
                           formatCounted(problem.microBatches, "micro-batch", "micro-batches"));
    if (each > problem.accelerators / plan.data)
        return fmt::format("the plan occupies {} for each of {} and there are {}", accelerators(each),
                           formatCounted(plan.data, "replica", "replicas"), accelerators(problem.accelerators));
    const std::size_t fullest = fullestOf(plan);
    if (plan.stages[fullest].memory.total() > problem.memory)
        return "the plan does not fit: it " + memoryShortage(problem, plan, fullest);
    return "";
}

Shortage explainShortage(const CutLattice& lattice, const PlacementProblem& problem, const Degrees& degrees,
                         const RunControl& control) {
    Shortage shortage;
    for (std::size_t i = 0; i < problem.byDegree.size(); ++i) {
        if (problem.byDegree[i].degree != degrees.tensorParallel) continue;
        const DegreeNumbers numbers(lattice, problem, problem.byDegree[i]);
        const std::int64_t each = problem.accelerators / degrees.data;
        const bool exactly = degrees.pipeline > 0;
        const std::size_t stages = exactly ? static_cast<std::size_t>(degrees.pipeline)
                                           : std::max<std::size_t>(maxStages(lattice, numbers, each), 1);
        const std::size_t minStages = exactly ? stages : 1;
        shortage.minAccelerators = acceleratorsOf(numbers, minStages, std::min(minStages, numbers.cheap));
        double min = kInfinity;
        std::int64_t minAccelerators = std::numeric_limits<std::int64_t>::max();
        const auto better = [&](std::int64_t accelerators, double bytes) {
            minAccelerators = std::min(minAccelerators, accelerators);
            if (accelerators > each || bytes >= min) return false;
            min = bytes;
            return true;
        };
        std::optional<FoundPlan> found;
        searchMemory(lattice, problem, i, stages, kInfinity, control, better, found, exactly);
        if (!found) {
            shortage.minAccelerators = std::max(shortage.minAccelerators, minAccelerators);
            break;
        }
        found->data = degrees.data;
        shortage.closest = evaluate(lattice.graph(), problem, planOf(lattice, problem, *found));
        shortage.stage = fullestOf(*shortage.closest);
        shortage.memory = shortage.closest->stages[shortage.stage].memory.total();
    }
    if (shortage.closest)
        shortage.reason = fmt::format("no plan of {} fits: the one of least memory {}", shown(degrees),
                                      memoryShortage(problem, *shortage.closest, shortage.stage));
    else
        shortage.reason =
            fmt::format("no plan of {} fits: each replica occupies {} or more and there {} {} for all of them",
                        shown(degrees), formatCounted(shortage.minAccelerators, "accelerator", "accelerators"),
                        problem.accelerators == 1 ? "is" : "are", formatCount(problem.accelerators));
    return shortage;
}

std::optional<FoundPlan> minMemory(const CutLattice& lattice, const PlacementProblem& problem, double limit,
                                   const RunControl& control) {
    // Just above the memory that there is first: little is below that.
    constexpr std::array kSlack{1.0, 1.25, 2.0, 4.0};
    std::optional<FoundPlan> best;
    std::vector<std::size_t> stages;
    const std::int64_t each = acceleratorsOfReplica(problem);
    for (const DegreeCosts& costs : problem.byDegree)
        stages.push_back(maxStages(lattice, DegreeNumbers(lattice, problem, costs), each));
    for (std::size_t round = 0; round <= kSlack.size() && !best; ++round) {
        double upper = limit;
        if (round < kSlack.size()) upper = std::min(upper, justAbove(problem.memory * kSlack[round]));
        for (std::size_t i = 0; i < problem.byDegree.size(); ++i) {
            const auto better = [&](std::int64_t accelerators, double bytes) {
                if (accelerators > each || bytes >= upper) return false;
                upper = bytes;
                return true;
            };
            searchMemory(lattice, problem, i, stages[i], upper, control, better, best);
        }
        if (upper >= limit) break;
    }
    return best;
}

std::optional<FoundPlan> minAcceleratorsPlan(const CutLattice& lattice, const PlacementProblem& problem,
                                             const RunControl& control) {
    std::optional<FoundPlan> best;
    std::int64_t minAccelerators = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < problem.byDegree.size(); ++i) {
        const auto better = [&](std::int64_t accelerators, double) {
            if (accelerators >= minAccelerators) return false;
            minAccelerators = accelerators;
            return true;
        };
        searchMemory(lattice, problem, i, lattice.layers(), justAbove(problem.memory), control, better, best);
    }
    if (best) best->value = static_cast<double>(minAccelerators);
    return best;
}

Shortage explainShortage(const CutLattice& lattice, const PlacementProblem& problem, const RunControl& control) {
    Shortage shortage;
    shortage.minAccelerators = std::numeric_limits<std::int64_t>::max();
    for (const DegreeCosts& costs : problem.byDegree)
        shortage.minAccelerators = std::min(
            shortage.minAccelerators, replicasOfCosts(problem) * DegreeNumbers(lattice, problem, costs).parallelNeeds);
    if (const auto found = minAcceleratorsPlan(lattice, problem, control))
        shortage.accelerators = static_cast<std::int64_t>(found->value) * replicasOfCosts(problem);
    if (const auto found = minMemory(lattice, problem, kInfinity, control)) {
        shortage.closest = evaluate(lattice.graph(), problem, planOf(lattice, problem, *found));
        shortage.stage = fullestOf(*shortage.closest);
        shortage.memory = shortage.closest->stages[shortage.stage].memory.total();
        PlacementProblem recomputing = problem;
        recomputing.recompute = true;
        shortage.recompute = !problem.recompute && !problem.steady &&
                             minMemory(lattice, recomputing, justAbove(problem.memory), control).has_value();
    }
    shortage.reason = reasonOf(shortage, problem);
    return shortage;
}

}  // namespace tessera::codesign
