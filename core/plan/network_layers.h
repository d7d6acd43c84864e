#pragma once

#include <cstdint>
#include <string>

#include "core/hardware/fleet.h"
#include "core/model/graph.h"
#include "core/model/training.h"
#include "core/plan/layered.h"

namespace tessera::plan {

/// How a network is trained.
struct NetworkTraining {
    std::string model;       ///< as a study names it ("zoo:resnet50")
    double globalBatch = 1;  ///< samples of a step
    std::string dtype;       ///< of its products
    std::string software;    ///< stack or profile
    model::Optimizer optimizer = model::Optimizer::adam;
    std::int64_t accelerators = 1;  ///< at most those of the group
};

/// The layers of a network on the accelerators of a group: the blocks of its graph and, of what stands between them,
/// the operators with weights (model::layersOf). Times of their kernels, of the update and of what of the reduction of
/// gradients shows are those of physical::networkStep; each layer takes its part of the last two by its parameters.
/// Reductions and messages between stages cross the group's levels. Weights, gradients and activations are of the data
/// type's size, the optimizer's state of 32 bits. Recomputed in full, a layer keeps what enters it. One accelerator
/// holds a whole layer. Throws DataError for shapes that nobody knows, UsageError where the accelerator or its network
/// lacks a number.
LayeredModel networkLayers(const model::Graph& graph, const hardware::Group& group, const NetworkTraining& training);

}  // namespace tessera::plan
