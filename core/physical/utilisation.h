#pragma once

#include <optional>

#include "core/physical/device.h"
#include "core/physical/training_run.h"
#include "core/physical/transformer.h"

namespace tessera::physical {

/// FLOP of the forward pass of one sample of a transformer: 2 for each parameter that a token meets and 4 s h a layer
/// for attention (half of it under a causal mask).
double forwardFlopOf(const Transformer& model);

/// Share of peak above which a time is doubted. Published steps stay below it, but for small ones in FP32 outside of
/// tensor cores; above it, work was counted that was not done (padding, say), or a unit is not what it seems.
inline constexpr double kDoubtfulShare = 0.75;

/// Share of the peak of the run's data type that a value of its metric (seconds, samples or tokens per second) means:
/// FLOP of the model, 2 for each parameter that a token meets and 4 s h a layer for attention (half of it under a
/// causal mask), three times in training, over what all accelerators can do in that time. Recomputation does not count.
/// Nothing for other metrics and for runs that cannot be.
std::optional<double> impliedShareOfPeak(const TrainingRun& run, const Device& device, double value);

}  // namespace tessera::physical
