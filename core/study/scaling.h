#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/hardware/fleet.h"
#include "core/model/graph.h"
#include "core/model/layers.h"
#include "core/partition/partition.h"
#include "core/study/study.h"

/// Strong scaling of a study's strategies: the same step on a half, a quarter, … of its accelerators (AccPar, Fig. 8),
/// by the costs of the study.
namespace tessera::study {

/// How often an array is halved until nothing is split: the levels of a plan's hierarchy. With physical costs a
/// network's level parts all its units at once, and halves are counted as if it did not.
int depthOf(std::int64_t accelerators, partition::Costs costs, const partition::Plan& plan);

/// Plan of one strategy on an array of some size.
struct ScalingPlan {
    std::string strategy;
    Seconds stepTime;
    double throughput = 0;  ///< samples per second
    double speedupOverDp = 0;
    bool fits = true;
    bool operator==(const ScalingPlan&) const = default;
};

/// An array of some size.
struct ScalingPoint {
    int levels = 0;  ///< of a hierarchy of splits in two
    std::int64_t accelerators = 0;
    std::vector<ScalingPlan> plans;  ///< in the order asked for
    bool operator==(const ScalingPoint&) const = default;
};

struct Scaling {
    std::vector<ScalingPoint> points;  ///< the smallest first; empty where there is one accelerator
    std::vector<std::string> assumptions;
    partition::Costs costs = partition::Costs::paper;
};

/// Solves the partition at every size that halving the groups of the fleet yields, down to one accelerator of each,
/// the batch unchanged; a group that says its levels is halved at the outermost of several units. Where
/// `options.levels` limits the depth, an array of half the size has one level less. Of sizes with the same number of
/// levels the largest counts. `graph` is that of the layers, null for a table of layers. Uses of the context progress,
/// cancel, finish (the sizes that were solved until then are kept) and threads. Throws like partition::solveByCosts.
Scaling scaling(const model::LayerGraph& layers, const model::Graph* graph, const hardware::Fleet& fleet,
                const partition::Options& options, const RunContext& context = {});

/// The same of a study, of whose hierarchy the last point is: reads its inputs. Throws like study::run.
Scaling scaling(const Study& study, const RunContext& context = {});

}  // namespace tessera::study
