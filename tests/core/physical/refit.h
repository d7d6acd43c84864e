#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/physical/device.h"
#include "core/physical/kernel.h"
#include "core/physical/kernel_forms.h"
#include "core/physical/measured_table.h"
#include "core/physical/network_model.h"
#include "core/physical/step.h"
#include "core/physical/step_parameters.h"
#include "core/physical/training_predictor.h"
#include "core/physical/training_run.h"

/// The fits that the tables of the physical model (step_fits.cpp, network_fits.cpp, kernel_transfers.cpp) are held to.
namespace tessera::physical {

// Steps of transformers
// ------------------------------------------------------------------------------------------------

inline constexpr std::size_t kStepConstants = 9;
/// In the order of the tables.
inline constexpr std::array<double StepConstants::*, kStepConstants> kStepFields{
    &StepConstants::products, &StepConstants::bandwidth,   &StepConstants::attention,
    &StepConstants::host,     &StepConstants::tensor,      &StepConstants::data,
    &StepConstants::network,  &StepConstants::permutation, &StepConstants::start};

/// Bounds of each constant, in their order.
struct StepBound {
    double min = 0, max = 0;
};
inline constexpr std::array<StepBound, kStepConstants> kStepBounds{
    {{0.8, 2.0}, {0.2, 1.0}, {0.1, 0.9}, {1e-7, 2e-4}, {0.02, 1.0}, {0.02, 1.0}, {0.05, 1.0}, {0.5, 6.0}, {1e-4, 0.2}}};

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

/// A run and what was measured of it.
struct MeasuredRun {
    TrainingRun run;
    double value = 0;  ///< in the unit of its metric
};

/// The runs of transformers of a table (columns of data/measured/training.csv). Throws DataError.
std::vector<MeasuredRun> transformerRunsOf(const MeasuredTable& table);

/// The runs whose time or throughput was measured, as `fitStep` wants them; what is refused is left out. Sets of one
/// stack weigh as the square root of their rows, so that the largest does not decide alone.
std::vector<StepSample> stepSamplesOf(const std::vector<MeasuredRun>& runs, DeviceLibrary& devices);

/// The fits of a stack ("any": of a quarter of all samples) as `stepFits` has them: first what all of its samples say,
/// then what they say without each part. A spread is the `conformalSpread` of the samples seen, each by the fit without
/// its own part.
std::vector<StepFit> refitStack(const std::vector<StepSample>& samples, std::string_view stack);

/// A run whose peak of memory was measured.
struct MemorySample {
    double modelled = 0, measured = 0;  ///< bytes, the first without what the software holds
    int fold = 0;                       ///< `runFold`
    std::string_view stack = {};        ///< `StackTraits::memory`
};
/// The runs whose memory was measured; what is refused is left out.
std::vector<MemorySample> memorySamplesOf(const std::vector<MeasuredRun>& runs, DeviceLibrary& devices);
/// The fits of a stack ("any": of all samples) as `memoryFits` has them, in the order of `refitStack`: the allowance of
/// whole 50 MB that makes the mean |log(measured / model)| smallest.
std::vector<MemoryFit> refitMemory(const std::vector<MemorySample>& samples, std::string_view stack);

// Steps of other networks
// ----------------------------------------------------------------------------------------------

/// In the order of the tables.
inline constexpr std::array kNetworkFields{
    &NetworkParameters::half,       &NetworkParameters::tensor32,   &NetworkParameters::single,
    &NetworkParameters::array,      &NetworkParameters::onChip,     &NetworkParameters::eagerBytes,
    &NetworkParameters::fusedBytes, &NetworkParameters::tunedBytes, &NetworkParameters::statistics,
    &NetworkParameters::direct,     &NetworkParameters::gap,        &NetworkParameters::host,
    &NetworkParameters::straggler,  &NetworkParameters::exposed,    &NetworkParameters::feed};

/// A run that was measured.
struct MeasuredNetwork {
    NetworkCost cost;
    double seconds = 0;      ///< of a step
    double weight = 1;       ///< in a fit
    int fold = 0;            ///< `runFold`
    std::string kind = {};   ///< generation of a GPU, or a network unlike the others: what may be left out as a whole
    std::string group = {};  ///< runs that differ only in batch and version, of which a fit is to see one
};
/// A measured run of a metric that says the seconds of a step; nothing for the others.
std::optional<MeasuredNetwork> measuredNetwork(const TrainingRun& run, const Device& device, double value);

/// The parameters that make the weighted sum of |log(measured / model)| smallest, each drawn a little to where it
/// starts and none beyond what is possible: they are scaled up and down in turn by steps that halve.
NetworkParameters fitNetworks(std::span<const MeasuredNetwork> runs, const NetworkParameters& start);

/// All fits to measured runs: of all of them and without each fold. Weighs runs of a group as one over the root of
/// their number.
std::vector<NetworkFit> fitNetworkFolds(std::vector<MeasuredNetwork> runs);

// Kernels of accelerators that were not measured
// -----------------------------------------------------------------------

/// Measured kernels of one accelerator.
struct AcceleratorKernels {
    Device device;
    std::vector<KernelRow> rows;
};

/// Coefficients of every family from the rows of all accelerators, and the errors of each accelerator's rows by the
/// coefficients and products of the others. Where one accelerator alone has rows of a family, data types are left out
/// in its place.
std::vector<TransferredTerms> fitTransferred(const std::vector<AcceleratorKernels>& measured);

}  // namespace tessera::physical
