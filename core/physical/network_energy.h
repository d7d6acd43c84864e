#pragma once

#include "core/physical/device.h"
#include "core/physical/network_model.h"
#include "core/physical/training_run.h"

namespace tessera::physical {

/// Watts that an accelerator may draw: of its datasheet, or less where the run says so ("power limit 250 W"). A
/// datasheet that says none: 350 W.
double powerLimit(const TrainingRun& run, const Device& device);

/// Joules of all accelerators for a step: the limit where products bound it, less where bytes do, little where it
/// waits.
double networkJoules(const TrainingRun& run, const Device& device, const NetworkStep& step);

/// The logarithm within which 90 % of measured watts lie of these, given the seconds (8 runs of one accelerator, so
/// with a margin).
inline constexpr double kPowerSpread = 0.08;

}  // namespace tessera::physical
