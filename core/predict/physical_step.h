#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"
#include "core/plan/evaluate.h"
#include "core/predict/machine.h"
#include "core/predict/memory.h"
#include "core/predict/workload.h"

/// A step of training by the physical model of hardware that exists (core/physical).
namespace tessera::predict {

/// Accelerators of a node by default: links join those of one node.
inline constexpr std::int64_t kPerNode = 8;

/// Share of the variance of errors that accelerators have in common for the same network and software: the correlation
/// of mean errors in 77 pairs of accelerators of data/measured/training.csv. For transformers, whose stacks are fitted
/// apart, 94 pairs show none.
inline constexpr double kSharedByNetworks = 0.4;

/// Setting of a training step by the physical model.
struct PhysicalSetting {
    double batch = 1;            ///< samples of one device
    std::int64_t devices = 1;    ///< that share the batch of a step; each holds the whole model
    std::string software = {};   ///< Options::software
    double gradientShare = 1;    ///< of the bytes of gradients, what is sent
    std::optional<Seconds> sum;  ///< of gradients, by an algorithm that was asked for; else by the physical model
    bool loads = true;           ///< the host prepares samples, by their size
};

/// Seconds of a training step, and their parts.
struct PhysicalStep {
    std::vector<OperatorCost> costs;  ///< by operator of the workload; their sum is `compute`
    Seconds load;                     ///< of the host, beside all the others
    Seconds compute;                  ///< forward and backward passes, and the update
    Seconds communication;            ///< what of it computation does not hide
    Seconds total;
    std::optional<double> watts;  ///< of one device, in the mean; empty where its limit is not known
    double spread = 0;            ///< standard deviation of the logarithm of measured over predicted time
    double shared = 0;            ///< RelativeError::shared
    Way way = Way::transferred;   ///< of its products: fitted or transferred
};

/// True where measured kernels of the accelerator's own serve none of the model's operators, so that the physical model
/// says more than rooflines do.
bool isWithoutKernels(const Workload& workload, const Machine& machine, double batch);

/// Returns one step of a workload. Where data lie outside of the chip of an accelerator that keeps activations on it,
/// operators take no less than it takes to move what they read from there. Throws DataError where the accelerator lacks
/// a number.
PhysicalStep physicalStep(const Workload& workload, const Machine& machine, const PhysicalSetting& setting,
                          const DataPlaces& places);

/// Step of a transformer that several accelerators hold together, in the fastest configuration: tensor, pipeline,
/// context and expert parallelism, replicas, ZeRO, recomputation (core/plan).
struct PlannedStep {
    PhysicalStep step;            ///< operators share the computation of the mean accelerator
    plan::Evaluated plan = {};    ///< the configuration
    CategoryBytes memory = {};    ///< of the fullest accelerator; the software's allowance is ephemeral
    std::string infeasible = {};  ///< why no configuration fits; then nothing else is known
};
/// The step with `setting.batch` samples of all devices. Throws like `physicalStep`, UsageError for another model than
/// a transformer.
PlannedStep plannedStep(const Workload& workload, const Machine& machine, const PhysicalSetting& setting,
                        const DataPlaces& places);

}  // namespace tessera::predict
