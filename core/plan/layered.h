#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/codesign/placement/placement.h"
#include "core/physical/training_run.h"
#include "core/plan/configuration.h"

namespace tessera::plan {

/// A model as layers that each have costs of their own, on accelerators of one sort: what `place` divides among stages,
/// and plan where layers are not all alike. A value that whoever knows costs makes: of a transformer or another network
/// by core/physical (transformer_layers.h, network_layers.h), of a file of layers (`layersOfFile`).
struct LayeredModel {
    std::vector<std::string> names = {};  ///< of the layers
    codesign::LayerGraph graph = {};      ///< what depends on what
    std::vector<int> tensors = {1};       ///< tensor-parallel degrees that there are costs of, rising
    std::vector<int> micros = {};         ///< samples of a micro-batch that there are costs of; empty: any
    std::vector<physical::Recompute> recomputes = {physical::Recompute::none};
    /// Costs are of one number of replicas, which divides the micro-batches of a step; else of any number, of which the
    /// busiest decides.
    bool ofReplicas = true;
    /// The problem of placing the graph in configurations of equal data type, tensor degree, micro-batch, recomputation
    /// and, where they are `ofReplicas`, data degree and stage of ZeRO: costs at that tensor degree alone, with a
    /// global batch and all accelerators. Of the pipeline it counts only whether there is one. Safe from several
    /// threads. Throws UsageError, DataError for costs that nobody knows.
    std::function<codesign::PlacementProblem(const Configuration& like)> problem = {};
};

}  // namespace tessera::plan
