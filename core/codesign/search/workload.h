#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/quantity.h"
#include "core/codesign/placement/placement.h"
#include "core/codesign/placement/placement_file.h"
#include "core/codesign/schedule/operators.h"
#include "core/cost/core_cost.h"

/// Models as co-design takes them: layers with the accelerator memory that each needs, and the operators of their
/// forward pass, backward pass and update as work for its cores.
namespace tessera::codesign {

/// An operator of a layer on one accelerator.
struct LayerOperator {
    std::string name;
    CoreKind kind = CoreKind::tensor;
    std::size_t work = 0;            ///< index into Workload::works; of no meaning where `reduced` is given
    std::optional<Bytes> reduced{};  ///< of an AllReduce over the slices of a layer
    bool operator==(const LayerOperator&) const = default;
};

/// One phase of a layer; edges are pairs of positions in `operators`, without cycles.
struct LayerPhase {
    std::vector<LayerOperator> operators;
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    bool operator==(const LayerPhase&) const = default;
};

/// A layer, or slice of one, for one micro-batch. Equal layers of a model are one.
struct LayerKind {
    std::string name;  ///< of the first layer of the kind
    LayerPhase forward;
    LayerPhase backward;
    LayerPhase update;  ///< once per batch, one operator after the other
    Bytes weights;
    Bytes activations;  ///< that the backward pass reads
    double macs = 0;    ///< of forward and backward pass
    bool operator==(const LayerKind&) const = default;
};

/// A model at one micro-batch and tensor-parallel degree.
struct Slice {
    std::int64_t microBatch = 1;
    std::int64_t degree = 1;
    std::vector<LayerKind> kinds;
    std::vector<std::size_t> kindOf;  ///< by layer: index into `kinds`
    std::vector<Bytes> edges;         ///< by edge of the workload's graph
    bool operator==(const Slice&) const = default;
};

/// An expert's distribution of a model: table 4 of PHAZE.
struct ExpertPlacement {
    std::int64_t pipeline = 1, data = 1, tensorParallel = 1;
    bool operator==(const ExpertPlacement&) const = default;
};

/// A model to be trained.
struct Workload {
    std::string name;  ///< as the user named it
    std::string title;
    std::string sha256;                 ///< of the model
    LayerGraph graph;                   ///< the same in all slices
    std::vector<std::string> layers;    ///< names
    std::vector<Slice> slices;          ///< by micro-batch, then tensor-parallel degree
    std::vector<cost::CoreWork> works;  ///< of all slices, each once
    std::optional<ExpertPlacement> expert = {};
    std::vector<std::string> assumptions = {};
    std::vector<std::string> warnings = {};
};

/// How a model is expanded for training.
struct WorkloadOptions {
    /// Samples of a micro-batch that placements choose from. Fewer make the search shorter, more may train faster.
    std::vector<std::int64_t> microBatches{1, 2, 4, 8};
    /// Tensor-parallel degrees; empty = those of table 2 of PHAZE for its workloads, 1 for every other model.
    std::vector<std::int64_t> degrees = {};
    /// Optimizer of the training: see Options::optimizer.
    Optimizer optimizer = Optimizer::adam;
    /// Bytes of a weight, gradient or activation. 4 for training in 32 bits.
    std::int64_t wordBytes = 2;
    /// Sizes of the model's symbolic dimensions and of the families of the zoo, where the defaults are to be changed.
    std::map<std::string, std::int64_t> dimensions = {};
};

/// Expands a model for training and finds its layers. `path` is where the model is read, where that is not its name.
/// Throws what model::loadModel throws, DataError for a model of unknown shapes or without operators, InterruptedError.
Workload loadWorkload(const std::string& name, const WorkloadOptions& options, const std::string& path = {},
                      const RunControl& control = {});

}  // namespace tessera::codesign
