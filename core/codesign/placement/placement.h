#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/quantity.h"
#include "core/base/run_control.h"

/// Engine 3: which accelerator should be built, and how models are placed on a cluster of it. This header: device
/// placement. Wang, Tarnawski, Phanishayee and Mahajan: "Integrated Hardware Architecture and Device Placement Search"
/// (PHAZE), ICML 2024, section 5 and appendix B.
namespace tessera::codesign {

/// A tensor that one layer hands to another; indices into the layers.
struct LayerEdge {
    std::size_t from = 0;
    std::size_t to = 0;
    bool operator==(const LayerEdge&) const = default;
};

/// The layers of a model and what depends on what; without a cycle. Two edges may join the same layers.
struct LayerGraph {
    std::size_t layers = 0;  ///< at least one
    std::vector<LayerEdge> edges;
    bool operator==(const LayerGraph&) const = default;
};

/// Costs of a layer on each accelerator that runs it, for one micro-batch. Finite and 0 or more.
struct LayerCosts {
    Bytes weights;
    Bytes activations;
    Seconds forward;
    Seconds backward;
    bool tensorParallel = false;  ///< it is sliced over as many accelerators as the degree says
    Seconds update{};  ///< of its weights, once per batch; that of the first stage ends the batch (see SteadyPipeline)
    bool operator==(const LayerCosts&) const = default;
};

/// The model at one tensor-parallel degree.
struct DegreeCosts {
    std::int64_t degree = 1;
    std::vector<LayerCosts> layers;  ///< by layer
    std::vector<Bytes> edges;        ///< by edge of the graph
    bool operator==(const DegreeCosts&) const = default;
};

/// How a batch goes through a pipeline whose transfers take as long whatever the layers: what one stage takes for all
/// micro-batches of a replica but one, and for its update, decides, and before that all stages take their first
/// micro-batch one after the other (the closed form of 1F1B: Narayanan et al., SC 2021, section 2.2). Layers of a stage
/// run in a row, and tensors delay none of them. Otherwise, as in the paper, every stage but one counts as much as the
/// slowest, a stage waits for its tensors with each micro-batch, and the first stage's weights end the batch.
struct SteadyPipeline {
    std::int64_t replicas = 1;  ///< that costs are of; plans have no other number of them
    /// By number of stages, from one, what is added once; the last counts for all larger numbers.
    std::vector<Seconds> filling = {};
    bool operator==(const SteadyPipeline&) const = default;
};

/// Returns the micro-batches of the fullest of so many replicas.
constexpr std::int64_t microBatchesOfReplica(std::int64_t microBatches, std::int64_t replicas) {
    return (microBatches - 1) / replicas + 1;
}

/// Everything but the graph that a placement depends on.
struct PlacementProblem {
    std::vector<DegreeCosts> byDegree;  ///< at least one
    std::int64_t accelerators = 1;      ///< K
    std::int64_t microBatches = 1;      ///< B, of a batch
    Bytes memory;                       ///< of one accelerator
    BytesPerSecond bandwidth;           ///< between any two accelerators; above 0
    double optimizerState = 0;          ///< bytes of optimizer state per byte of weights
    bool recompute = false;             ///< activations are recomputed instead of stored, but in the last stage
    /// Layers of a stage run one after the other once all that enters it has arrived. Otherwise, as in the paper, those
    /// that do not depend on each other run at the same time at full speed.
    bool serialBranches = false;
    Bytes beside{};  ///< that an accelerator holds whatever its layers
    /// Not together with `recompute`: what is computed again is a part of the layers' costs then.
    std::optional<SteadyPipeline> steady = {};

    /// Layers of a stage run one after the other.
    bool inARow() const { return serialBranches || steady.has_value(); }
    bool operator==(const PlacementProblem&) const = default;
};

/// Peak memory of an accelerator of a stage, by use.
struct StageMemory {
    Bytes weights;              ///< and their gradients
    Bytes optimizer;            ///< state
    Bytes activations;          ///< of the micro-batch at work
    Bytes stashed;              ///< for the micro-batches in flight
    std::int64_t inFlight = 0;  ///< micro-batches between their forward and backward pass
    Bytes beside{};             ///< PlacementProblem::beside

    Bytes total() const { return weights + optimizer + activations + stashed + beside; }
    bool operator==(const StageMemory&) const = default;
};

struct PlacedStage {
    std::vector<std::size_t> layers;  ///< ascending in the graph's order of dependence
    std::int64_t accelerators = 1;    ///< of one replica
    Seconds load;                     ///< forward and backward pass of one micro-batch, transfers included
    StageMemory memory;
    Seconds forward{};  ///< the part of `load` that is the forward pass
    bool operator==(const PlacedStage&) const = default;
};

/// A pipeline of stages, replicated.
struct Plan {
    Seconds timePerBatch;
    std::int64_t tensorParallel = 1;  ///< tensor-parallel degree t
    std::int64_t data = 1;            ///< replicas d
    std::vector<PlacedStage> stages;  ///< from the model's input to its output
    bool operator==(const Plan&) const = default;
};

/// Degrees of parallelism of a plan: pipeline stages (0: any number), tensor-parallel degree, replicas.
struct Degrees {
    std::int64_t pipeline = 1, tensorParallel = 1, data = 1;
    bool operator==(const Degrees&) const = default;
};

/// Reason why nothing fits, and what would. Of the plan of minimum memory: where it breaks and by which terms.
struct Shortage {
    std::int64_t minAccelerators = 0;          ///< with any memory, that a plan needs
    std::optional<Plan> closest;               ///< the plan of minimum memory; none where accelerators are too few
    std::size_t stage = 0;                     ///< of `closest`, its fullest
    std::optional<Bytes> memory;               ///< the smallest memory of an accelerator with which a plan fits
    std::optional<std::int64_t> accelerators;  ///< the smallest K with which a plan fits this memory
    bool recompute = false;                    ///< a plan fits if activations are recomputed
    std::string reason;                        ///< all of it as a sentence
};

/// Result of placing a graph: the fastest plan, or why there is none.
struct Placement {
    std::optional<Plan> plan;          ///< none: nothing fits, or nothing is fast enough
    std::optional<Shortage> shortage;  ///< where nothing fits and `explain` is set
    /// True if no plan is faster. False where the graph has too many cuts to try them all, or too many mixed stages.
    bool optimal = true;
    /// Lower bound of the time per batch of any plan: that of `plan` where it is optimal. Set where there is a plan.
    Seconds lowerBound{};
    std::vector<std::string> warnings;
};

/// What a placement is restricted to.
struct PlacementOptions {
    /// Time that a plan must beat to be of interest: a search passes what it has, and most calls end early.
    std::optional<Seconds> fasterThan = {};
    /// Degrees to which plans are restricted; they then differ by their cuts. Of what fits not, `accelerators` and
    /// `recompute` of the shortage are not looked for.
    std::optional<Degrees> degrees = {};
    /// Where nothing fits, find out what would; warn where layers seem to overlap. Off for the many calls of a search.
    bool explain = false;
};

/// Places one graph again and again: what follows from the graph alone is kept between calls. Immutable, so that
/// threads may share it.
class Placer {
public:
    /// Sets of layers that may lie before a cut: up to so many, plans over all of them are compared.
    static constexpr std::size_t kMaxCuts = 40'000;

    /// Throws UsageError for a graph without layers, with a cycle or with an edge that leads nowhere, InterruptedError.
    explicit Placer(LayerGraph graph, std::size_t maxCuts = kMaxCuts, const RunControl& control = {});

    /// The plan with the least time per batch: the minimum over tensor-parallel degrees, replicas, numbers of stages
    /// and cuts. Every stage lies between two sets of layers that hold all that their layers depend on. Throws
    /// UsageError where the problem does not fit the graph or cannot have the degrees, InterruptedError.
    Placement place(const PlacementProblem& problem, const PlacementOptions& options = {},
                    const RunControl& control = {}) const;

    const LayerGraph& graph() const;
    std::size_t cuts() const;  ///< sets of layers that plans are cut at, the empty and the full one included
    bool allCuts() const;      ///< false: there are too many, and only those of one order of the layers are used
    bool isPath() const;       ///< the layers depend on each other in one order only

private:
    friend class PlanTable;
    std::shared_ptr<const class CutLattice> lattice_;
};

/// The fastest plans of a problem of one tensor-parallel degree by their numbers of stages and replicas: found for all
/// of these at once, for whoever asks about many. Not safe from several threads.
class PlanTable {
public:
    /// Throws what Placer::place throws.
    PlanTable(const Placer& placer, PlacementProblem problem, const RunControl& control = {});
    ~PlanTable();
    PlanTable(PlanTable&&) noexcept;
    PlanTable& operator=(PlanTable&&) noexcept;

    const PlacementProblem& problem() const;
    /// True if no plans are missed: see Placement::optimal.
    bool hasAll() const;
    /// Of the fastest plan of these numbers: seconds of a batch, up to rounding, and accelerators of all replicas.
    struct Fastest {
        Seconds time;
        std::int64_t accelerators = 0;
    };
    /// Nothing where none fits.
    std::optional<Fastest> fastest(std::int64_t stages, std::int64_t replicas) const;
    /// That plan, evaluated.
    std::optional<Plan> plan(std::int64_t stages, std::int64_t replicas);
    /// The plan of these numbers whose fullest stage needs least memory, whatever there is; nothing where a replica has
    /// too few accelerators for any.
    std::optional<Plan> leanest(std::int64_t stages, std::int64_t replicas);

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

/// A plan's time, loads, accelerators and memory, straight from their definition and from `tensorParallel`, `data` and
/// the stages' layers alone; it does not check that they fit. Throws UsageError where the stages are no pipeline.
Plan evaluate(const LayerGraph& graph, const PlacementProblem& problem, const Plan& plan);

/// What of an evaluated plan's time is not its micro-batches going through the stages: sums of gradients, the update
/// and, of a steady pipeline, what is added once.
Seconds onceOf(const Plan& plan, std::int64_t microBatches, bool isSteady);

/// Reason why an evaluated plan does not fit its problem, a sentence without a full stop; empty where it does:
/// accelerators, micro-batches, and the memory of its fullest stage.
std::string misfitOf(const PlacementProblem& problem, const Plan& plan);

}  // namespace tessera::codesign
