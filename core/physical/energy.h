#pragma once

#include "core/physical/device.h"
#include "core/physical/training_run.h"

namespace tessera::physical {

/// Watts that an accelerator may draw: of its datasheet, or less where the run says so ("power limit 250 W"). A
/// datasheet that says none: 350 W.
double powerLimit(const TrainingRun& run, const Device& device);

/// Seconds of an accelerator's step, and in how many of them what bounds it; in the others it waits.
struct BusySeconds {
    double step = 0;
    double products = 0;
    double memory = 0;
};

/// Joules of one accelerator of a power limit for a step: the limit where products bound it, less where bytes do,
/// little where it waits.
double joulesOf(double watts, const BusySeconds& busy);

/// Joules of all accelerators for a step: the limit where products bound it, less where bytes do, little where it
/// waits.
double stepJoules(const TrainingRun& run, const Device& device, const BusySeconds& busy);

/// The logarithm within which 90 % of measured watts lie of these, given the seconds (8 runs of one accelerator, so
/// with a margin).
inline constexpr double kPowerSpread = 0.08;

}  // namespace tessera::physical
