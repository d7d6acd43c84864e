#pragma once

#include <span>
#include <vector>

#include "core/physical/step.h"

namespace tessera::physical {

/// A measured run as fits see it.
struct StepSample {
    std::vector<StepWork> choices = {};  ///< what the run may have been, of which the fastest counts
    double seconds = 0;                  ///< measured
    bool forwardOnly = false;            ///< of the forward pass
    double weight = 1;
    int fold = 0;                 ///< `runFold`
    std::string_view stack = {};  ///< `StackTraits::fit`
};

/// Seconds of a sample by the model.
double sampleSeconds(const StepSample& sample, const StepConstants& constants);

/// The constants, within their bounds, that make the mean |log(measured / model)| of the samples smallest, held to
/// `start` by the square of what they moved in logarithms: coordinates are scaled up and down in turn by steps that
/// halve, as in `fitGemm`.
StepConstants fitStep(std::span<const StepSample> samples, const StepConstants& start);

}  // namespace tessera::physical
