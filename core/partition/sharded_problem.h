#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "core/partition/joint.h"
#include "core/partition/physical_costs.h"
#include "core/partition/sharding.h"

namespace tessera::partition {

/// A JointProblem over shardings: each vertex of PhysicalCosts may be cut in ways of its own.
class ShardedProblem {
public:
    /// The ways of a vertex, at least one.
    using Ways = std::function<std::vector<Sharding>(std::int32_t vertex)>;
    /// What a shard adds to the sums that are minimised.
    using Weigh = std::function<JointCost(const ShardTimes&)>;

    /// Ways of each vertex are asked for once. Leaves out those that no best plan can have, the plan of all first ways
    /// being better whatever the rest does; of the others keeps at most `max`, those of the least seconds alone and
    /// the first. `capacity` as the problem's.
    ShardedProblem(const PhysicalCosts& costs, const Ways& ways, const Weigh& weigh, std::size_t max,
                   double capacity = std::numeric_limits<double>::infinity());

    JointProblem& problem() { return problem_; }
    /// The shardings of states, by vertex.
    std::vector<Sharding> shardings(const std::vector<std::int32_t>& states) const;
    /// Some vertex had more ways than are kept.
    bool leavesOut() const { return leavesOut_; }

private:
    void addKinds(const PhysicalCosts& costs, const Ways& ways, const Weigh& weigh);
    double firstWays(const PhysicalCosts& costs) const;
    void prune(double better, std::size_t max);
    void addTables(const PhysicalCosts& costs);

    JointProblem problem_;
    std::vector<std::vector<Sharding>> ways_;  ///< by kind of the problem
    bool leavesOut_ = false;
};

}  // namespace tessera::partition
