#pragma once

#include "core/physical/step.h"

namespace tessera::physical {

/// Bytes at the peak of a device of one pipeline stage, by what holds them.
struct StepMemory {
    double parameters = 0;   ///< weights, gradients, optimizer
    double activations = 0;  ///< of all micro-batches in flight
    double working = 0;      ///< of the layer or head at work
    double total() const { return parameters + activations + working; }
};

/// The memory of the fullest stage, without what the software holds beside it (class derived: Rajbhandari et al. 2020
/// for ZeRO; Korthikanti et al. 2022, sections 4 and 5, for activations).
StepMemory stepMemoryOf(const StepSetting& setting);

/// Share of a layer's kept activations that the gradients of its weights need: all but masks and the scores of
/// attention (32 h of 34 h + 5 a s: Qi et al. 2024, section 2).
double keptForWeightsOf(const StepSetting& setting);

/// Whether a setting fits its device with `allowance` bytes beside. A device whose memory is not known holds all.
bool fitsDevice(const StepSetting& setting, double allowance);

}  // namespace tessera::physical
