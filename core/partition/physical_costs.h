#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/hardware/fleet.h"
#include "core/model/graph.h"
#include "core/model/layers.h"
#include "core/partition/joint.h"
#include "core/partition/level_collectives.h"
#include "core/partition/partition.h"
#include "core/partition/physical_layers.h"
#include "core/partition/sharding.h"
#include "core/physical/network_model.h"

namespace tessera::partition {

/// What one accelerator does for a layer that is cut in a given way, in seconds, and holds of it.
struct ShardTimes {
    double forward = 0, backward = 0;  ///< of kernels, of the slowest of equal accelerators
    double partialSums = 0;            ///< summed and scattered, in both passes
    double reduction = 0;              ///< of the gradients of weights, alone; most of it runs behind the backward pass
    double update = 0;
    double parameters = 0, activations = 0;  ///< elements
    double memory = 0;                       ///< bytes

    double compute() const { return forward + backward + update; }
};

/// Times of shards on the accelerators of one group by core/physical: kernels by the model of networks, collectives by
/// the levels that a cut spans.
///
/// What a layer makes is cut in as many parts as there are accelerators: partial sums of a cut of the inputs are summed
/// and scattered over rows. What it reads is gathered over the accelerators that cut its outputs. Where several layers
/// with weights read one tensor, one gathered copy serves them all: such a tensor is a vertex of its own, behind those
/// of the layers.
class PhysicalCosts {
public:
    /// Throws DataError where a level of the group has no bandwidth, UsageError where the accelerator lacks a number.
    PhysicalCosts(const model::LayerGraph& layers, const model::Graph* graph, const hardware::Group& group,
                  const Options& options);

    struct Edge {
        std::int32_t from = 0, to = 0;  ///< vertices
        double elements = 0;            ///< of the whole batch
        bool isCopy = false;            ///< from a gathered tensor to a layer that reads it
        std::int32_t alike = 0;         ///< equal where all costs are
    };

    std::size_t layerCount() const { return layerCount_; }
    const std::vector<PhysicalLayer>& vertices() const { return vertices_; }
    /// Kind of each vertex: equal where all costs of its shards are.
    const std::vector<std::int32_t>& kinds() const { return kinds_; }
    const std::vector<Edge>& edges() const { return edges_; }
    const std::vector<std::int64_t>& sizes() const { return sizes_; }
    bool isGathered(std::int32_t vertex) const { return vertex >= static_cast<std::int32_t>(layerCount_); }

    /// Whether a vertex can be cut so, as far as its extents go.
    bool allows(std::int32_t vertex, const Sharding& sharding) const;
    ShardTimes shard(std::int32_t vertex, const Sharding& sharding) const;
    /// The two sums of seconds and the bytes that a shard adds (see JointCost): what is hidden behind the backward pass
    /// at best, and where that is too short for all reductions.
    JointCost cost(const ShardTimes& shard) const;
    /// Seconds of both passes in which what is handed on changes hands. Infinite for a copy that lacks what is read.
    double handOver(const Edge& edge, const Sharding& from, const Sharding& to) const;
    /// The same for all shardings of both ends: [from * number of `to` + to].
    std::vector<double> handOvers(const Edge& edge, const std::vector<Sharding>& from,
                                  const std::vector<Sharding>& to) const;
    /// Seconds of a step whose parts take so many together: its accelerators may wait for their hosts.
    double step(double seconds) const;
    double exposed() const { return times_.exposed(); }
    physical::SoftwareProfile profile() const { return times_.profile(); }

private:
    using Layout = std::vector<std::pair<std::int64_t, std::int64_t>>;  ///< rows and channels by level

    /// How a tensor passes from one layout to another.
    struct Passage {
        std::int32_t exchange = -1, gather = -1;  ///< operations
        double gathered = 1;                      ///< parts of the gathered tensor
    };

    /// Parameters of all layers with gradients, on an accelerator with one of so many parts of the samples.
    double updatedBy(std::int64_t parts) const;
    void addGathered(const model::LayerGraph& layers, double batch);
    void nameKinds();
    void scaleTo(physical::TrainingRun transformer, const hardware::Group& group);
    Layout reads(std::int32_t vertex, const Sharding& sharding) const;
    Layout makes(std::int32_t vertex, const Sharding& sharding) const;
    Layout gradientMade(std::int32_t vertex, const Sharding& sharding) const;
    std::int32_t number(Layout layout) const;
    const Passage& passage(std::int32_t from, std::int32_t to) const;
    double passSeconds(std::int32_t from, std::int32_t to, double elements) const;
    double kernelSeconds(const LayerKernel& kernel, const PhysicalLayer& layer, const Degrees& parts) const;
    double collective(physical::Collective operation, const Sharding& sharding, std::int64_t Degrees::*cut,
                      double bytes) const;

    Options options_;
    physical::NetworkTimes times_;
    std::vector<std::int64_t> sizes_;
    std::size_t layerCount_ = 0;
    std::vector<PhysicalLayer> vertices_;
    std::vector<bool> readsCopy_;  ///< by vertex: reads a gathered tensor
    std::vector<std::int32_t> kinds_;
    std::vector<Edge> edges_;
    mutable std::map<std::int64_t, double> updatedBy_;  ///< by cuts of the samples
    double inputs_ = 0;                                 ///< elements of the network's inputs, whole batch
    double width_ = 2;
    double computeScale_ = 1, reductionScale_ = 1;  ///< over what the kernels of the graph say (see scaleTo)
    mutable LevelCollectives collectives_;
    mutable std::map<Layout, std::int32_t> layouts_;
    mutable std::vector<Layout> layoutList_;
    mutable std::map<std::pair<std::int32_t, std::int32_t>, Passage> passages_;
};

}  // namespace tessera::partition
