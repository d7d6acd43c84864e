#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/hardware/fleet.h"
#include "core/model/graph.h"
#include "core/model/layers.h"
#include "core/partition/partition.h"
#include "core/partition/physical_costs.h"
#include "core/partition/physical_study.h"
#include "core/partition/thread_progress.h"

namespace tessera::partition {

/// Groups of a fleet side by side, with physical costs: each holds whole copies of the model and takes as many of the
/// samples as lets all groups end together, or as many as fit its memory where these are fewer; the gradients of all
/// are summed over the links between them.
class PhysicalSides {
public:
    /// `members`: numbers of the fleet's groups. Throws as PhysicalCosts does, UsageError where the rate between two
    /// groups is not known. What is given must outlive it.
    PhysicalSides(const model::LayerGraph& layers, const model::Graph* graph, const hardware::Fleet& fleet,
                  std::vector<std::size_t> members, const Options& options);

    /// The best plan found for a strategy, without its speed-up over data parallelism.
    Plan planOf(const std::string& strategy, ThreadProgress& watch);

    std::vector<std::string> idle() const;
    std::int64_t accelerators() const;
    /// The group of which no plan fits where all end together, and the bytes that its accelerators hold at least.
    std::optional<std::pair<std::string, double>> minMemory() const { return minMemory_; }
    /// Costs of a member for what is to be said of them, with the samples that it has at first.
    const PhysicalCosts& costsOf(std::size_t member) { return *sideOf(member, first_[member]).costs; }
    const std::vector<std::size_t>& members() const { return members_; }

private:
    /// A group with some samples; its outermost level joins the groups where there are several.
    struct Side {
        hardware::Group group;
        Options options;
        std::unique_ptr<PhysicalCosts> costs;
        std::unique_ptr<PhysicalStudy> study;
    };
    using Shares = std::vector<std::int64_t>;  ///< samples by member
    /// A plan of each member for its samples.
    struct Shared {
        Shares shares;
        std::vector<Plan> plans;

        double seconds() const;
        bool fits() const;
    };

    Side& sideOf(std::size_t member, std::int64_t samples);
    Plan planOf(const std::string& strategy, std::size_t member, std::int64_t samples, ThreadProgress& watch);
    Shared shared(const std::string& strategy, Shares shares, ThreadProgress& watch);
    Shared fastest(const std::string& strategy, Shared first, bool isLimited, ThreadProgress& watch);
    Plan joined(const std::string& strategy, Shared shared, double bound) const;

    const model::LayerGraph& layers_;
    const model::Graph* graph_;
    const hardware::Fleet& fleet_;
    std::vector<std::size_t> members_;
    const Options& options_;
    std::vector<double> rates_;  ///< of one accelerator of each member to the other members at worst, bytes/s
    Shares first_;               ///< in proportion to the groups' peaks
    std::map<std::pair<std::size_t, std::int64_t>, Side> sides_;
    std::optional<std::pair<std::string, double>> minMemory_;
};

}  // namespace tessera::partition
