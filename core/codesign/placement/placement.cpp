#include "core/codesign/placement/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/codesign/placement/placement_costs.h"
#include "core/codesign/placement/placement_lattice.h"
#include "core/codesign/placement/placement_search.h"
#include "core/codesign/placement/placement_table.h"
#include "core/codesign/placement/placement_walk.h"

namespace tessera::codesign {

namespace {

constexpr std::size_t kCoarse = 48;  ///< cuts along the model of the first look at it

/// A number of replicas, with what of it decides the time.
struct Replicas {
    std::int64_t count = 1;
    std::int64_t accelerators = 1;  ///< of each
    double microBatches = 1;        ///< of each, the maximum
};

/// All that can be best: of the counts that leave each replica the same micro-batches, the smallest, which synchronises
/// least and has the most accelerators each.
std::vector<Replicas> replicasOf(std::int64_t accelerators, std::int64_t microBatches) {
    std::vector<Replicas> all;
    const std::int64_t max = std::min(accelerators, microBatches);
    for (std::int64_t count = 1; count <= max;) {
        const std::int64_t batches = microBatchesOfReplica(microBatches, count);
        all.push_back({count, accelerators / count, static_cast<double>(batches)});
        if (batches == 1) break;
        count = (microBatches - 1) / (batches - 1) + 1;
    }
    return all;
}

/// The requested one.
std::vector<Replicas> replicasOf(const PlacementProblem& problem, std::int64_t data) {
    const std::int64_t batches = (problem.microBatches - 1) / data + 1;
    return {{data, problem.accelerators / data, static_cast<double>(batches)}};
}

std::vector<Replicas> replicasOf(const PlacementProblem& problem, const std::optional<Degrees>& degrees) {
    if (degrees) return replicasOf(problem, degrees->data);
    if (problem.steady) return replicasOf(problem, problem.steady->replicas);
    return replicasOf(problem.accelerators, problem.microBatches);
}

/// Looks for the fastest plan of one tensor-parallel degree.
class DegreeSearch {
public:
    /// With `only`, plans of so many stages alone.
    DegreeSearch(const CutLattice& lattice, const PlacementProblem& problem, std::size_t degreeIndex,
                 const std::vector<Replicas>& replicas, std::optional<std::size_t> only)
        : lattice_(lattice),
          problem_(problem),
          replicas_(replicas),
          only_(only),
          degreeIndex_(degreeIndex),
          numbers_(lattice, problem, problem.byDegree[degreeIndex]) {
        collectBounds();
    }

    /// No plan takes less.
    double bound() const { return bound_; }
    bool losesPlans() const { return losesPlans_; }

    /// The fastest plan of those faster than `limit`; none where there is none.
    std::optional<FoundPlan> fasterThan(double limit, const RunControl& control) {
        // Cuts far apart first: the better the plan that is known, the less of the rest is left to look at.
        const std::size_t apart = std::max<std::size_t>(1, lattice_.layers() / kCoarse);
        std::optional<FoundPlan> best = searchWithin(limit, apart, control);
        if (apart == 1) return best;
        auto better = searchWithin(best ? best->value : limit, 1, control);
        return better ? std::move(better) : std::move(best);
    }

private:
    /// The stages that a plan may have, the minimum factor of its greatest load, and what is added to that, by stages.
    void collectBounds() {
        const double forward = longest(numbers_.forward);
        const double backward = longest(numbers_.backward);
        double largest = 0;
        for (std::size_t i = 0; i < lattice_.layers(); ++i)
            largest = std::max(largest, numbers_.forward[i] + numbers_.backward[i]);
        const double held = std::accumulate(numbers_.held.begin(), numbers_.held.end(), 0.0);
        factors_.push_back(0);
        loads_.push_back(0);
        added_.push_back(0);
        for (std::size_t stages = 1; stages <= lattice_.layers(); ++stages) {
            const std::int64_t needed = acceleratorsOf(numbers_, stages, std::min(stages, numbers_.cheap));
            if (needed > replicas_.front().accelerators) break;
            const double microBatches = microBatchesWith(needed);
            const auto count = static_cast<double>(stages);
            factors_.push_back(problem_.steady ? 1 : microBatches + count - 1);
            added_.push_back(numbers_.addedBy(stages));
            // All stages together take at least that, all but one of them its forward part twice.
            double load = std::max(largest, (forward + backward) / count);
            if (problem_.recompute) load = std::max(load, (2 * forward + backward) / (count + 1));
            const bool mayFit = held <= (problem_.memory - problem_.beside).value * count * (1 + 1e-9);
            loads_.push_back(mayFit ? load : kInfinity);
            if (mayFit && isWanted(stages)) bound_ = std::min(bound_, timeOf(stages, load));
        }
    }

    /// No plan of so many stages whose greatest load is this one takes less.
    double timeOf(std::size_t stages, double load) const { return factors_[stages] * load + added_[stages]; }

    /// No stages hold all layers in less: their longest path, or all of them where they run in a row.
    double longest(const std::vector<double>& times) const {
        if (numbers_.serial) return std::accumulate(times.begin(), times.end(), 0.0);
        std::vector<double> ends(times.size(), 0);
        double last = 0;
        for (std::size_t i = 0; i < times.size(); ++i) {
            for (const DegreeNumbers::Entering& edge : numbers_.entering(i))
                ends[i] = std::max(ends[i], ends[edge.from]);
            ends[i] += times[i];
            last = std::max(last, ends[i]);
        }
        return last;
    }

    /// The fewest micro-batches of a replica when each needs so many accelerators.
    double microBatchesWith(std::int64_t needed) const { return replicas_[rowsWith(needed) - 1].microBatches; }
    /// Rows of the replicas that leave each so many accelerators.
    std::size_t rowsWith(std::int64_t needed) const {
        const auto end = std::partition_point(replicas_.begin(), replicas_.end(), [&](const Replicas& replicas) {
            return replicas.accelerators >= needed;
        });
        return static_cast<std::size_t>(end - replicas_.begin());
    }

    bool isWanted(std::size_t stages) const { return !only_ || stages == *only_; }

    /// Maximum number of stages of a plan within a time.
    std::size_t maxStages(double within) const {
        std::size_t max = factors_.size() - 1;
        while (max > 0 && !(isWanted(max) && timeOf(max, loads_[max]) < within)) --max;
        return max;
    }

    /// The fastest of the plans that take less than `within`, cut at sets whose sizes are multiples of `apart`.
    std::optional<FoundPlan> searchWithin(double within, std::size_t apart, const RunControl& control) {
        const std::size_t stages = maxStages(within);
        if (stages == 0) return std::nullopt;
        std::vector<double> limits{kInfinity};
        for (std::size_t q = 1; q <= stages; ++q) limits.push_back((within - added_[q]) / factors_[q]);
        // Of a plan of so many stages or more.
        for (std::size_t q = stages; q-- > 1;) limits[q] = std::max(limits[q], limits[q + 1]);
        losesPlans_ = losesPlans_ || losesCheapStages(lattice_, numbers_, stages);
        const LoadCosts costs(problem_);
        StageTable table(lattice_, numbers_, costs, std::move(limits), cheapCounts(lattice_, numbers_, stages));
        table.fill(apart, control);
        Best best{.time = within};
        table.eachPlan([&](std::uint32_t to, const Stage& stage, std::size_t count, std::size_t cheap, double load) {
            if (isWanted(count)) consider({to, stage, count, cheap, load}, best);
        });
        if (best.replicas == 0) return std::nullopt;
        const Choice& choice = best.choice;
        return FoundPlan{degreeIndex_, best.replicas, best.time,
                         table.cutsOf(choice.to, choice.stage, choice.stages, choice.cheap, choice.load)};
    }

    struct Choice {
        std::uint32_t to = 0;
        Stage stage = {};
        std::size_t stages = 0;
        std::size_t cheap = 0;
        double load = 0;
    };
    struct Best {
        double time = 0;
        std::int64_t replicas = 0;  ///< 0 = none found
        Choice choice = {};
    };

    /// Tries the replicas that a plan may have. Of d of them with B/d micro-batches each, rounded up, the time is at
    /// least load·(stages - 1) + sync + (load·B - sync)/d, sync being what synchronising ever more of them tends to.
    void consider(const Choice& choice, Best& best) const {
        const std::int64_t needed = acceleratorsOf(numbers_, choice.stages, choice.cheap);
        std::size_t rows = rowsWith(needed);
        if (rows == 0) return;
        if (problem_.steady) {
            const double time = timeOf(choice.stages, choice.load);
            if (time < best.time) best = {time, replicas_.front().count, choice};
            return;
        }
        const double filling =
            choice.load * static_cast<double>(choice.stages - 1) + sumBefore(choice.to, numbers_.update);
        if (!(filling + choice.load * replicas_[rows - 1].microBatches < best.time)) return;
        const double sync = 4 * sumBefore(choice.to, numbers_.weights) / problem_.bandwidth.value;
        const double shared = choice.load * static_cast<double>(problem_.microBatches) - sync;
        if (shared <= 0) rows = 1;  // one replica is best
        while (rows-- > 0) {
            const Replicas& replicas = replicas_[rows];
            const auto count = static_cast<double>(replicas.count);
            if (!(filling + sync + shared / count < best.time) && rows > 0) return;
            const double time = filling + choice.load * replicas.microBatches + sync * (count - 1) / count;
            if (time < best.time) best = {time, replicas.count, choice};
        }
    }

    double sumBefore(std::uint32_t cut, const std::vector<double>& values) const {
        double sum = 0;
        for (std::size_t i = 0; i < lattice_.layers(); ++i)
            if (lattice_.contains(cut, i)) sum += values[i];
        return sum;
    }

    const CutLattice& lattice_;
    const PlacementProblem& problem_;
    const std::vector<Replicas>& replicas_;
    std::optional<std::size_t> only_;
    std::size_t degreeIndex_;
    DegreeNumbers numbers_;
    std::vector<double> factors_;  ///< by stages: no plan takes less than this times its greatest load
    std::vector<double> loads_;    ///< by stages: no plan has a lesser greatest load
    std::vector<double> added_;    ///< by stages: what is added to that product
    double bound_ = kInfinity;
    bool losesPlans_ = false;
};

void checkNumber(double value, const char* what) {
    if (!std::isfinite(value) || value < 0)
        throw UsageError(fmt::format("{} of a placement is a finite number of 0 or more", what));
}

void check(const LayerGraph& graph, const PlacementProblem& problem, const Degrees& degrees) {
    std::vector<std::string> offered;
    bool known = false;
    for (const DegreeCosts& costs : problem.byDegree) {
        offered.push_back(fmt::format("{}", costs.degree));
        known = known || costs.degree == degrees.tensorParallel;
    }
    if (!known)
        throw UsageError(
            fmt::format("the plan has a tensor-parallel degree of {}, of which there are no costs; expected {}",
                        degrees.tensorParallel, joined(offered, " or ")));
    if (problem.steady && degrees.data != problem.steady->replicas)
        throw UsageError("the costs of a placement are those of another number of replicas");
    if (degrees.pipeline < 0 || degrees.pipeline > static_cast<std::int64_t>(graph.layers))
        throw UsageError(fmt::format("the plan has {} stages for {}; expected at least one layer in each",
                                     degrees.pipeline, formatCounted(graph.layers, "layer", "layers")));
    if (degrees.data < 1 || degrees.data > problem.microBatches)
        throw UsageError(fmt::format("the plan has {} replicas for {}; expected at least one micro-batch for each",
                                     degrees.data,
                                     formatCounted(problem.microBatches, "micro-batch", "micro-batches")));
}

/// Says where layers of a stage are counted as if they had an accelerator each.
void addOverlap(const PlacementProblem& problem, const Plan& plan, std::vector<std::string>& warnings) {
    constexpr double kLess = 1 - 1e-9;  // up to rounding
    const auto costs = std::find_if(problem.byDegree.begin(), problem.byDegree.end(),
                                    [&](const DegreeCosts& each) { return each.degree == plan.tensorParallel; });
    std::size_t overlapping = 0;
    double max = 1;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        Seconds work;
        for (const std::size_t layer : plan.stages[s].layers) {
            const double forwards = problem.recompute && s + 1 < plan.stages.size() ? 2 : 1;
            work += forwards * costs->layers[layer].forward + costs->layers[layer].backward;
        }
        if (!(plan.stages[s].load < kLess * work)) continue;
        ++overlapping;
        max = std::max(max, ratio(work, plan.stages[s].load));
    }
    if (overlapping == 0) return;
    warnings.push_back(fmt::format(
        "{} of the {} stages {} faster than all of their layers one after the other would be, by up to {:.2f} times: "
        "layers that do not depend on each other are counted as if they ran at the same time at full speed. "
        "'--branches serial' counts them one after the other.",
        overlapping, plan.stages.size(), overlapping == 1 ? "is" : "are", max));
}

std::vector<std::string> warningsOf(const CutLattice& lattice, bool losesPlans) {
    std::vector<std::string> warnings;
    if (!lattice.allCuts())
        warnings.push_back(
            "The graph can be cut in too many ways to compare them all; plans are cut along one order of "
            "the layers only, and a better one may exist.");
    if (losesPlans)
        warnings.emplace_back(
            "The graph has too many layers of one accelerator among wider ones to count them all; a plan may seem to "
            "occupy more accelerators than it does, and a better one may exist.");
    return warnings;
}

}  // namespace

void checkProblem(const LayerGraph& graph, const PlacementProblem& problem) {
    if (problem.byDegree.empty())
        throw UsageError("a placement needs the costs of at least one tensor-parallel degree");
    if (problem.accelerators < 1) throw UsageError("a placement needs at least one accelerator");
    if (problem.microBatches < 1) throw UsageError("a placement needs at least one micro-batch");
    if (!(problem.bandwidth.value > 0)) throw UsageError("a placement needs a bandwidth above 0");
    checkNumber(problem.memory.value, "the memory");
    checkNumber(problem.beside.value, "what is held beside the layers");
    if (problem.steady) {
        if (problem.recompute) throw UsageError("the layers of a steady pipeline count what is computed again");
        if (problem.steady->replicas < 1 || problem.steady->replicas > problem.microBatches)
            throw UsageError("the replicas of a steady pipeline take at least one micro-batch each");
        if (problem.steady->filling.empty()) throw UsageError("a steady pipeline needs to know what is added once");
        for (const Seconds seconds : problem.steady->filling) checkNumber(seconds.value, "what is added once");
    }
    checkNumber(problem.optimizerState, "the optimizer's state");
    for (const DegreeCosts& costs : problem.byDegree) {
        if (costs.degree < 1) throw UsageError("the tensor-parallel degree of a placement is at least 1");
        if (costs.layers.size() != graph.layers || costs.edges.size() != graph.edges.size())
            throw UsageError("the costs of a placement are not those of its graph");
        for (const LayerCosts& layer : costs.layers) {
            checkNumber(layer.weights.value, "the weights of a layer");
            checkNumber(layer.activations.value, "the activations of a layer");
            checkNumber(layer.forward.value, "the forward pass of a layer");
            checkNumber(layer.backward.value, "the backward pass of a layer");
            checkNumber(layer.update.value, "the update of a layer");
        }
        for (const Bytes bytes : costs.edges) checkNumber(bytes.value, "an edge");
    }
}

Placer::Placer(LayerGraph graph, std::size_t maxCuts, const RunControl& control)
    : lattice_(std::make_shared<const CutLattice>(std::move(graph), maxCuts, control)) {}

const LayerGraph& Placer::graph() const {
    return lattice_->graph();
}
std::size_t Placer::cuts() const {
    return lattice_->cuts();
}
bool Placer::allCuts() const {
    return lattice_->allCuts();
}
bool Placer::isPath() const {
    return lattice_->isPath();
}

Placement Placer::place(const PlacementProblem& problem, const PlacementOptions& options,
                        const RunControl& control) const {
    checkProblem(graph(), problem);
    if (options.degrees) check(graph(), problem, *options.degrees);
    const std::vector<Replicas> replicas = replicasOf(problem, options.degrees);
    std::optional<std::size_t> only;
    if (options.degrees && options.degrees->pipeline > 0) only = static_cast<std::size_t>(options.degrees->pipeline);
    // The most promising first: the others then need to look at little.
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < problem.byDegree.size(); ++i)
        if (!options.degrees || problem.byDegree[i].degree == options.degrees->tensorParallel)
            order.emplace_back(DegreeSearch(*lattice_, problem, i, replicas, only).bound(), i);
    std::sort(order.begin(), order.end());

    std::optional<FoundPlan> best;
    double limit = options.fasterThan ? options.fasterThan->value : kInfinity;
    bool losesPlans = false;
    for (const auto& [bound, degreeIndex] : order) {
        if (!(bound < limit)) break;
        DegreeSearch search(*lattice_, problem, degreeIndex, replicas, only);
        if (auto found = search.fasterThan(limit, control)) {
            limit = found->value;
            best = std::move(found);
        }
        losesPlans = losesPlans || search.losesPlans();
    }
    Placement placement{.plan = {},
                        .shortage = {},
                        .optimal = lattice_->allCuts() && !losesPlans,
                        .warnings = warningsOf(*lattice_, losesPlans)};
    if (best) {
        placement.plan = evaluate(graph(), problem, planOf(*lattice_, problem, *best));
        placement.lowerBound = placement.plan->timePerBatch;
        if (!placement.optimal) placement.lowerBound = std::min(placement.lowerBound, Seconds{order.front().first});
        if (options.explain) addOverlap(problem, *placement.plan, placement.warnings);
    }
    if (!best && options.explain && !options.fasterThan)
        placement.shortage = options.degrees ? explainShortage(*lattice_, problem, *options.degrees, control)
                                             : explainShortage(*lattice_, problem, control);
    return placement;
}

}  // namespace tessera::codesign
