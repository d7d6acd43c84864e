#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "core/physical/pipeline.h"
#include "core/physical/step_memory.h"
#include "core/plan/configuration.h"
#include "core/plan/judge.h"
#include "core/plan/problem.h"

namespace tessera::plan {

/// Seconds of a step by what takes them, of the mean stage; they add up to the step.
struct TimeShares {
    double compute = 0;    ///< kernels, and waiting for their launch
    double tensor = 0;     ///< exposed collectives of tensor parallelism
    double context = 0;    ///< of context parallelism
    double expert = 0;     ///< of experts
    double pipeline = 0;   ///< between stages
    double bubble = 0;     ///< idle
    double data = 0;       ///< exposed reduction and gathering
    double optimizer = 0;  ///< the update
    double start = 0;      ///< of the step: data, launch
};

/// A stage of an evaluated configuration.
struct EvaluatedStage {
    std::size_t group = 0;
    int layers = 0;
    RecomputedLayers recomputed = {};  ///< of them
    double forward = 0, backward = 0;  ///< s of a micro-batch, with the head on the last one
    physical::StepMemory memory = {};
    double allowance = 0, capacity = 0;     ///< bytes
    std::vector<std::size_t> numbers = {};  ///< of the layers where each has costs of its own
};

/// All that is said of one configuration.
struct Evaluated {
    Configuration configuration;
    Scores scores = {};
    double low = 0, high = 0;  ///< 90 % interval of the step's seconds
    double tokensPerSecond = 0;
    double utilisation = 0;  ///< model FLOP over what the accelerators in use can do
    TimeShares time = {};
    std::vector<EvaluatedStage> stages = {};
    double transfer = 0;  ///< s of a micro-batch from stage to stage
    double wait = 0;      ///< s of a stage after each pass, for what it sends; 0 where that runs beside computation
    double pipeline = 0;  ///< s of the micro-batches through the pipeline, by the closed form of its schedule
};
/// The pipeline of a configuration with the first of its micro-batches, where parts lie side by side as the stages are
/// shown. Both gradients of a layer take as long; what a stage waits for is a part of its passes.
physical::Pipeline pipelineOf(const Evaluated& evaluated, int microBatches);

/// How much longer the step is, over its seconds, where the pipeline is run micro-batch by micro-batch and waits for
/// each transfer, than by the closed form (negative where it is shorter). Nothing without a pipeline, for parts side by
/// side, and for more micro-batches than are simulated.
std::optional<double> simulatedExcessOf(const Evaluated& evaluated);

/// All of a configuration as `Judge` judges it, no accelerator with more than so many bytes. Throws UsageError for one
/// that has a fault or does not fit.
Evaluated evaluate(const Problem& problem, const Configuration& configuration,
                   double bytes = std::numeric_limits<double>::infinity());

}  // namespace tessera::plan
