#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ended_by.h"
#include "core/base/enum_names.h"
#include "core/base/quantity.h"
#include "core/base/run_control.h"
#include "core/codesign/placement/placement.h"
#include "core/codesign/placement/placement_file.h"
#include "core/codesign/schedule/schedule.h"
#include "core/codesign/search/workload.h"
#include "core/cost/core_cost.h"
#include "core/hardware/template.h"

/// Engine 3 whole: which accelerator of a template should be built for models, and how each model is placed on many of
/// it. Section 3 and appendices C and D of PHAZE (Wang et al., ICML 2024).
namespace tessera::codesign {

/// Weighting of several models. All of them rise with the throughput of every model.
enum class Objective : std::uint8_t {
    geomean,  ///< weighted geometric mean of each model's throughput over that of the template's reference
    mean,     ///< weighted arithmetic mean of throughput, samples per second: the paper's
    worst,    ///< the minimum of each model's throughput over that of the template's reference
};
inline constexpr EnumNames<Objective> kObjectiveNames{"geomean", "mean", "worst"};
constexpr std::string_view nameOf(Objective objective) {
    return kObjectiveNames.of(objective);
}

/// Set of points to search: rows of a table (`searches`).
enum class SearchKind : std::uint8_t {
    exhaustive,  ///< all; those that bounds rule out are not evaluated
    hysteresis,  ///< from large to small areas until maxima stop to rise: appendix C.1
    random,      ///< as many architectures as `samples`, drawn without repetition
};
inline constexpr EnumNames<SearchKind> kSearchNames{"exhaustive", "hysteresis", "random"};
constexpr std::string_view nameOf(SearchKind kind) {
    return kSearchNames.of(kind);
}

/// Options of a search for an architecture.
struct Options {
    /// Accelerators that train a model together. More of them favour small accelerators, as long as the batch feeds
    /// them.
    std::int64_t accelerators = 1024;
    /// Samples of a batch, over all replicas. What training allows: it limits data parallelism and the pipeline's fill.
    std::int64_t globalBatch = 4096;
    /// Weight of each model; empty = all 1. Give each model's share of the work where it is known.
    std::vector<double> weights = {};
    /// Weighting of the models' throughputs. `worst` where every one has to be served well; `mean` repeats the paper;
    /// the model of the most samples per second then decides.
    Objective objective = Objective::geomean;
    /// Search strategy over architectures. `exhaustive` proves the best; `hysteresis` repeats the paper and `random` is
    /// the baseline of both.
    SearchKind search = SearchKind::exhaustive;
    /// Buckets of area whose maxima must not rise before `hysteresis` ends. Raise it where the trace still rises behind
    /// a dip.
    std::int64_t hysteresis = 6;
    /// Width of these buckets: the published program's 10,000 µm². Wider ones end the search earlier.
    SquareMillimetres bucket{0.01};
    /// Architectures that `random` draws: its budget.
    std::int64_t samples = 1000;
    /// Random seed of the search `random`; no other search uses it.
    std::uint64_t seed = 1;
    /// A row of cost::estimators: how operators are estimated. Change it to see how much of a choice the estimate is.
    std::string estimator = "physical";
    /// Optimizer whose update takes time and whose state takes memory, by OptimizerMemory::exact. `mixedAdam` for
    /// training in 16 bits, whose state is three times as large.
    Optimizer optimizer = Optimizer::adam;
    /// Network bandwidth between any two accelerators that have none of their own.
    BytesPerSecond bandwidth{300e9};
    /// Largest accelerator; none: the template's. Lower it to see what a smaller chip would reach.
    std::optional<SquareMillimetres> areaLimit = {};
    /// States that the exact scheduler may look at for each layer and phase, where the best depends on it. Raise it
    /// where a result is not proven for want of schedules.
    std::int64_t scheduleStates = 400'000;
    /// Spotlight's accelerators, each for one of the models, are baselines, too. Off saves their searches.
    bool spotlight = true;
    /// Evaluated architectures that are kept for pictures; the results do not depend on it.
    std::size_t maxTraced = 2'000;

    /// States where much is looked at: most schedules are proved by so few.
    std::int64_t firstStates() const { return std::min<std::int64_t>(scheduleStates, 1'000); }
    /// States for what the best is compared with.
    std::int64_t comparedStates() const { return std::min<std::int64_t>(scheduleStates, 20'000); }
};

/// Network bandwidth between any two accelerators of an architecture.
inline BytesPerSecond networkOf(const hardware::Architecture& architecture, const Options& options) {
    return architecture.networkBandwidth.value_or(options.bandwidth);
}

/// Training parameters of one model on an architecture.
struct TrainingChoice {
    std::int64_t microBatch = 1;
    bool recompute = false;
    bool operator==(const TrainingChoice&) const = default;
};

/// One evaluated architecture with the best other parameters: a point of the front, of the trace, or a baseline.
struct Point {
    hardware::Architecture architecture;
    SquareMillimetres area;
    hardware::Area parts{};            ///< of the area
    Bytes hbm;                         ///< the smallest that gives this objective
    double objective = 0;              ///< 0 where a model does not fit
    std::vector<double> throughput{};  ///< by model, samples per second; 0 where it does not fit
    double mfu = 0;                    ///< mean over models, of the throughput
    double energyPerSample = 0;        ///< joules, mean over models: dynamic, of the cores and memories
    /// Power of the interfaces at their full rate; empty if the template gives no power.
    std::optional<Watts> interfacePower{};
    bool operator==(const Point&) const = default;
};

/// Time of a batch by part. The parts add up to it.
struct TimeParts {
    Seconds compute;            ///< of the slowest stage, over all its micro-batches: operators, second forward passes
    Seconds tensorAllReduce;    ///< AllReduce of tensor-parallel slices in it
    Seconds transfer;           ///< waiting for tensors of other stages
    Seconds bubble;             ///< filling and draining the pipeline
    Seconds gradientAllReduce;  ///< over replicas
    Seconds update;             ///< of the first stage's weights

    Seconds total() const { return compute + tensorAllReduce + transfer + bubble + gradientAllReduce + update; }
    bool operator==(const TimeParts&) const = default;
};

/// A stage of a model's pipeline.
struct StageResult {
    std::vector<std::string> layers;  ///< names, in order
    std::int64_t accelerators = 1;    ///< of one replica
    Seconds forward;                  ///< of one micro-batch, transfers included
    Seconds backward;                 ///< the same, with a second forward pass where activations are recomputed
    Seconds load;                     ///< both
    StageMemory memory;
    bool operator==(const StageResult&) const = default;
};

/// An operator of a layer's schedule.
struct ScheduledOperator {
    std::string name;
    CoreKind kind = CoreKind::tensor;
    bool network = false;  ///< an AllReduce: waits for the network, adds on a vector core
    OperatorSlot placed;
    bool operator==(const ScheduledOperator&) const = default;
};

/// The schedule of one phase of a layer on one accelerator.
struct PhaseSchedule {
    Seconds makespan;
    Seconds lowerBound;
    Seconds serial;  ///< one operator after the other, each in its faster form
    bool optimal = false;
    std::vector<ScheduledOperator> operators;
    bool operator==(const PhaseSchedule&) const = default;
};

/// The layer that most of the model's time goes to.
struct LayerSchedule {
    std::string layer;
    std::int64_t copies = 1;  ///< equal layers of the model
    PhaseSchedule forward;
    PhaseSchedule backward;
    bool operator==(const LayerSchedule&) const = default;
};

/// One model on one architecture.
struct ModelResult {
    std::string model;  ///< as the user named it
    bool feasible = false;
    std::string reason = {};     ///< why it is not
    double throughput = 0;       ///< samples per second
    double throughputBound = 0;  ///< no operator schedules give more on this architecture
    Seconds timePerBatch{};
    std::int64_t pipeline = 0, data = 0, tensorParallel = 0;  ///< p, d, t
    TrainingChoice choice = {};
    Bytes hbm{};     ///< the smallest of the template that gives this throughput
    double mfu = 0;  ///< model FLOPs over those of all tensor cores of all accelerators, in the time of a batch
    double energyPerSample = 0;                    ///< joules
    std::optional<double> speedupOverExpert = {};  ///< over the reference with the expert's placement
    std::optional<double> speedupOverSolver = {};  ///< over the reference with ours
    TimeParts time = {};
    std::vector<StageResult> stages = {};  ///< from the model's input to its output
    std::optional<LayerSchedule> schedule = {};
    bool operator==(const ModelResult&) const = default;
};

/// An architecture to compare with.
struct Baseline {
    std::string id;                   ///< "tpuv4-expert", "tpuv4-solver", "spotlight-bert-large-solver", …
    std::string title;                ///< for people
    std::string placement;            ///< "expert" or "solver"
    Point point;                      ///< `area` of Spotlight's is by the template's model of areas
    std::vector<ModelResult> models;  ///< without stages' schedules
    bool operator==(const Baseline&) const = default;
};

/// A step of the search through areas, as in Fig. 9: the architectures of a bucket of areas that were evaluated.
struct TraceBucket {
    SquareMillimetres area;          ///< where the bucket begins
    std::int64_t architectures = 0;  ///< in it
    std::int64_t evaluated = 0;      ///< of them; the others were ruled out by bounds, or not reached
    double max = 0;                  ///< greatest objective among those evaluated
    double best = 0;                 ///< greatest objective of this and all buckets before
    bool operator==(const TraceBucket&) const = default;
};

/// Result of a search: its best point, and what it explored on the way.
struct Result {
    std::vector<std::string> models;
    hardware::Template space;
    Options options;
    SquareMillimetres areaBound;
    std::int64_t architectures = 0;  ///< of the template within the bound
    std::int64_t points = 0;  ///< of the search: architectures × HBM × micro-batch × degree × recomputation, models
    std::int64_t explored = 0;        ///< of the points, those that were evaluated
    std::int64_t skippedByBound = 0;  ///< of the points, those that bounds ruled out; with `explored` all of them
    std::optional<Point> best;        ///< none where nothing fits
    double bound = 0;                 ///< no point of the search has a greater objective
    bool optimal = false;             ///< proved: `best` is the optimum
    double frontGap = 0;              ///< no architecture lies above the front by more than this share
    EndedBy endedBy = EndedBy::done;
    std::vector<ModelResult> perModel;  ///< on `best`
    std::vector<Point> front;           ///< area against objective, by rising area; the last one is `best`
    std::vector<Point> evaluated;       ///< at most `maxTraced`, by falling area
    std::vector<TraceBucket> trace;     ///< by falling area
    std::vector<Baseline> baselines;
    std::vector<std::string> assumptions;
    std::vector<std::string> warnings;
};

/// State of `search`, to resume from.
struct Progress {
    struct Evaluated {
        std::size_t architecture = 0;  ///< index into the template's
        Point point;                   ///< with the largest HBM
        bool refined = false;          ///< scheduled over the most states
        bool operator==(const Evaluated&) const = default;
    };
    /// An architecture whose objective value is open, because its schedules are not proven.
    struct Unresolved {
        std::size_t architecture = 0;
        double bound = 0;      ///< of the objective
        bool refined = false;  ///< scheduled over the most states: it stays open
        bool operator==(const Unresolved&) const = default;
    };
    std::size_t next = 0;              ///< position in the order of the search
    std::int64_t explored = 0;         ///< points
    std::vector<Evaluated> evaluated;  ///< architectures that were evaluated to the end, in the order of the search
    std::vector<Unresolved> unresolved;
    bool operator==(const Progress&) const = default;
};

/// A part of the 1F1B schedule of a replica.
struct PipelineEvent {
    enum class Phase : std::uint8_t { forward, backward, allReduce, update };
    std::size_t stage = 0;
    std::int64_t microBatch = 0;  ///< 0 of what ends the batch
    Phase phase = Phase::forward;
    Seconds start;
    Seconds finish;
};
inline constexpr EnumNames<PipelineEvent::Phase> kPipelinePhaseNames{"forward", "backward", "all-reduce", "update"};
constexpr std::string_view nameOf(PipelineEvent::Phase phase) {
    return kPipelinePhaseNames.of(phase);
}

/// The 1F1B schedule of one replica: forward passes until the pipeline is full, then one backward and one forward pass
/// in turn. Of long batches only the first micro-batches.
struct PipelineSchedule {
    std::int64_t microBatches = 0;  ///< of a replica
    std::int64_t shown = 0;         ///< of them
    Seconds length;
    std::vector<PipelineEvent> events;  ///< by stage, then start
};
PipelineSchedule pipelineOf(const ModelResult& model, std::int64_t globalBatch);

/// Control of `search`.
using SearchControl = ResumableControl<Progress>;

/// Searches. The result depends on workloads, template and options alone. Throws UsageError for options that make no
/// sense, InterruptedError.
Result search(const std::vector<Workload>& workloads, const hardware::Template& space, const Options& options,
              const SearchControl& control = {});

}  // namespace tessera::codesign
