#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/number.h"
#include "core/hardware/fleet.h"
#include "core/model/layers.h"
#include "core/partition/partition.h"
#include "core/partition/physical_costs.h"
#include "core/partition/sharded_problem.h"
#include "core/partition/thread_progress.h"

namespace tessera::partition {

/// A plan as shardings by vertex, with what is known of it.
struct ShardedPlan {
    std::vector<Sharding> shardings;
    double lowerBound = 0;  ///< of the sum of seconds; 0: not known
    bool isOptimal = false;
    bool noneFits = false;  ///< proven
    double minMemory = 0;   ///< of one accelerator, in any plan
};

/// Says of a plan how far it may be from the best: `bound` is of its step time, 0 where none is known. It is optimal
/// where it meets the bound or `isProven`, and fits.
void setBound(Plan& plan, double bound, bool isProven = false);

/// The plans of all strategies on one group of equal accelerators with physical costs.
class PhysicalStudy {
public:
    static constexpr std::size_t kMaxWays = 400;  ///< of a layer to be cut

    /// `levels` levels of the network may be cut in any way, of those beyond the samples alone. What is given must
    /// outlive the study.
    PhysicalStudy(const model::LayerGraph& layers, const PhysicalCosts& costs, const hardware::Group& group,
                  const Options& options, std::size_t levels);

    /// Throws InterruptedError by way of `watch`.
    ShardedPlan planOf(const std::string& strategy, ThreadProgress& watch);
    /// The plan of a strategy as it is told, without its speed-up over data parallelism.
    Plan planned(const std::string& strategy, const ShardedPlan& sharded) const;

    /// Bytes that an accelerator holds at least, where joint found that no plan fits.
    std::optional<double> minMemory() const { return minMemory_; }

private:
    bool isLayer(std::int32_t vertex) const { return !costs_.isGathered(vertex); }
    const PhysicalLayer& layerOf(std::int32_t vertex) const { return costs_.vertices()[toIndex(vertex)]; }
    bool cutsInputs(std::int32_t vertex) const { return layerOf(vertex).isWeighted || costs_.isGathered(vertex); }
    std::optional<Type> pinOf(std::int32_t vertex) const;
    bool isOfType(Sharding sharding, Type type) const;
    std::vector<Sharding> allWays(std::int32_t vertex) const;
    std::vector<Sharding> owtWays(std::int32_t vertex) const;
    ShardedPlan searched(const ShardedProblem::Ways& ways, ThreadProgress& watch);
    double freeBound(ThreadProgress& watch);
    std::vector<Sharding> levelByLevel(bool hypar, ThreadProgress& watch);
    std::vector<Sharding> cutOnce(const std::vector<Sharding>& plan, std::size_t level, std::int64_t factor, bool hypar,
                                  ThreadProgress& watch);

    const model::LayerGraph& layers_;
    const PhysicalCosts& costs_;
    const hardware::Group& group_;
    const Options& options_;
    std::size_t levels_ = 0;
    double capacity_ = kInfinity;
    std::vector<Sharding> three_, two_;
    std::optional<double> freeBound_, minMemory_;
};

}  // namespace tessera::partition
