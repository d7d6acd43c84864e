#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/layered.h"
#include "core/study/engine.h"
#include "core/study/placement/outcome.h"
#include "core/study/placement/settings.h"

/// Placement of a model's layers with the costs that the physical model has for them.
namespace tessera::study {

/// A model and the accelerators that its layers are placed on.
struct ModelToPlace {
    std::string title;
    PlacedModelCosts costs;
    plan::LayeredModel layers;
    std::vector<int> widths, microBatches;  ///< to choose from
    std::vector<physical::Recompute> recomputes;
    std::int64_t accelerators = 1;
    std::int64_t globalBatch = 1;  ///< samples
    std::vector<Input> inputs;
    std::vector<std::string> assumptions, warnings;
};

/// Reads the study's model and fleet. Throws UsageError for a fleet of several groups and for a model that has no
/// operators, and what reading them throws.
ModelToPlace readModelToPlace(const Study& study, const PlacementSettings& settings, const RunContext& context);

/// The fastest plan over widths, micro-batches, recomputation, replicas that divide the micro-batches, stages and cuts;
/// or what it lacks. `problem` is that of the plan, or of the one that comes closest. The same whatever the threads.
/// Throws InterruptedError.
struct ModelPlacement {
    MicroBatchChoice chosen;
    codesign::PlacementProblem problem;
    codesign::Placement placement;
};
ModelPlacement placeModel(const ModelToPlace& model, const codesign::Placer& placer, const RunContext& context);

/// The same of plans of some degrees.
OwnPlan placeModel(const ModelToPlace& model, const codesign::Placer& placer, const codesign::Degrees& degrees,
                   const RunContext& context);
/// A plan with all of its stages, with what makes it fastest.
OwnPlan evaluateGiven(const ModelToPlace& model, const codesign::Plan& plan, const RunContext& context);

}  // namespace tessera::study
