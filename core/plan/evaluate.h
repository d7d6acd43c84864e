#pragma once

#include <cstddef>
#include <vector>

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
};
/// All of a configuration as `Judge` judges it. Throws UsageError for one that has a fault or does not fit.
Evaluated evaluate(const Problem& problem, const Configuration& configuration);

}  // namespace tessera::plan
