#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/codesign/placement/placement.h"
#include "core/codesign/search/memos.h"
#include "core/codesign/search/phase_shape.h"
#include "core/codesign/search/search.h"
#include "core/codesign/search/workload.h"
#include "core/cost/core_cost.h"
#include "core/hardware/template.h"

namespace tessera::codesign {

/// Seconds of a layer's phases.
struct PhaseTimes {
    double forward = 0, backward = 0, update = 0;
};

/// Evaluated throughput and plan of a model on an architecture.
struct ModelValue {
    double throughput = 0;  ///< samples per second; 0: nothing fits, or nothing is above the floor
    double bound = 0;       ///< no operator schedules give more
    TrainingChoice choice;
    std::optional<Plan> plan;
    std::int64_t explored = 0;  ///< points that were evaluated
};

/// Evaluates one model on any architecture of a template. Immutable after construction, so that threads may share it.
class ModelSearch {
public:
    ModelSearch(const Workload& workload, const hardware::Template& space, const Options& options, Memos& memos,
                const RunControl& control);

    const Workload& workload() const { return workload_; }
    /// Micro-batches × tensor-parallel degrees × with and without recomputation.
    std::int64_t choices() const { return static_cast<std::int64_t>(slices_.size()) * 2; }

    /// Upper bound of the throughput of any plan on the architecture with so much memory; takes microseconds.
    double throughputBound(const hardware::Architecture& architecture, Bytes hbm) const;
    /// The best choice and plan of those with a throughput above `floor`, each phase of a layer scheduled over at most
    /// so many states where that may matter.
    ModelValue evaluate(const hardware::Architecture& architecture, Bytes hbm, double floor, std::int64_t states,
                        const RunControl& control) const;

    /// The problem of placing the model at one micro-batch and tensor-parallel degree, with the operators' schedules
    /// that are found.
    PlacementProblem problem(const hardware::Architecture& architecture, Bytes hbm, const TrainingChoice& choice,
                             std::int64_t degree, std::int64_t states, const RunControl& control) const;
    const Placer& placer() const { return placer_; }
    const Slice& slice(std::int64_t microBatch, std::int64_t degree) const;
    const PhaseShape& shape(const Slice& slice, std::size_t kind, bool backward) const;
    /// Latencies of all works that a slice has.
    std::vector<Latency> latencies(const hardware::Architecture& architecture, const Slice& slice) const;
    /// Searched over so many states; by list where there are none.
    ScheduleResult schedule(const PhaseShape& shape, const std::vector<Latency>& works,
                            const hardware::Architecture& architecture, std::int64_t states,
                            const RunControl& control) const;
    /// The share of all operators' time, one after the other, that those take that wait for the HBM.
    double memoryBoundShare(const hardware::Architecture& architecture, const Slice& slice) const;
    /// Joules of a slice's phases, by kind, each operator in its faster form.
    std::vector<PhaseTimes> energies(const hardware::Architecture& architecture, const Slice& slice) const;
    double throughputOf(Seconds timePerBatch) const;
    /// Dynamic energy of a plan for one sample.
    double energyOf(const hardware::Architecture& architecture, const TrainingChoice& choice, const Plan& plan) const;
    double mfuOf(const hardware::Architecture& architecture, double throughput) const;

private:
    /// A slice with its phases' shapes and what bounds its time.
    struct SliceShape {
        const Slice* slice = nullptr;
        std::vector<PhaseShape> forward, backward;  ///< by kind
        std::vector<std::size_t> works;             ///< that it has, ascending
        double heldBytes = 0;                       ///< of all layers
        std::vector<double> factors;  ///< by stages: no batch takes less than this times the greatest load
    };
    /// Layers' times, and what follows from them alone.
    struct SliceTimes {
        std::vector<PhaseTimes> kinds;
        double forward = 0, backward = 0, largest = 0;  ///< along the longest path; of the largest layer
    };

    void addSlice(const Slice& slice);
    std::int64_t microBatches(std::int64_t microBatch) const;
    SliceTimes timesOf(const SliceShape& shape, std::vector<PhaseTimes> kinds) const;
    double updateTime(const Slice& slice, std::size_t kind, const std::vector<Latency>& works) const;
    SliceTimes bounds(const SliceShape& shape, const std::vector<Latency>& works,
                      const hardware::Architecture& architecture) const;
    hardware::Rates ratesOf(const hardware::Architecture& architecture) const {
        return hardware::ratesOf(architecture, space_);
    }
    double quickTime(const SliceShape& shape, const SliceTimes& times, bool recompute, Bytes hbm) const;
    DegreeCosts costsOf(const SliceShape& shape, const SliceTimes& times) const;
    PlacementProblem problemWith(const hardware::Architecture& architecture, std::int64_t microBatch, bool recompute,
                                 Bytes hbm) const;

    class SliceOnChip;
    struct Attempt;
    void attempt(const hardware::Architecture& architecture, std::vector<SliceOnChip>& slices, Bytes hbm,
                 const TrainingChoice& choice, double above, Attempt& attempt, const RunControl& control) const;
    /// Bounds on the latencies of all works; holds until the thread's next call.
    const std::vector<Latency>& minLatencies(const hardware::Architecture& architecture) const;

    const Workload& workload_;
    const hardware::Template& space_;
    const Options& options_;
    const cost::Estimator& estimator_;
    Memos& memos_;
    Placer placer_;
    std::vector<SliceShape> slices_;
    std::vector<std::int64_t> microBatches_;  ///< that there are slices of, ascending
    std::vector<std::size_t> order_;          ///< layers in topological order
    double optimizerState_ = 0;
    double macsPerSample_ = 0;
};

}  // namespace tessera::codesign
