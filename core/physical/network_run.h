#pragma once

#include "core/physical/device.h"
#include "core/physical/estimate.h"
#include "core/physical/training_run.h"

namespace tessera::physical {

/// True for a model of the zoo ("zoo:resnet50") that is no transformer by dimensions ("zoo:gpt"): it has a graph.
bool isNetworkRun(const TrainingRun& run);

/// What a run of a network of the zoo is measured by, from its operator graph: kernels of products and passes of bytes
/// of each operator, the reduction of gradients, the optimizer (network_model.h). `leftOut`: the fold of measured runs
/// that constants and interval are not to know (`runFold`); -1: all are known. Refused with a sentence for a model
/// that the zoo does not have, for layouts other than data parallelism, and for metrics that a network does not have.
Prediction predictNetworkRun(const TrainingRun& run, const Device& device, int leftOut = -1);

}  // namespace tessera::physical
