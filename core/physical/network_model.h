#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/physical/device.h"
#include "core/physical/network_operators.h"
#include "core/physical/software.h"
#include "core/physical/training_run.h"

namespace tessera::physical {

/// How a machine does products, as far as that decides what of its peak a network reaches.
enum class NetworkMachine : std::uint8_t {
    gpu,     ///< many units on tiles of their own, with tensor cores
    array,   ///< few large arrays of multipliers beside memory of high bandwidth: TPU, Gaudi, Ascend
    onChip,  ///< activations stay on chip: IPU, CS-2, SN30
};
inline constexpr EnumNames<NetworkMachine> kNetworkMachineNames{"gpu", "array", "on-chip"};
NetworkMachine networkMachineOf(const Device& device);

/// What was fitted to measured runs (network_fits.cpp); everything else of the model is of datasheets, kernels,
/// collectives and the graph.
struct NetworkParameters {
    // Seconds of a convolution or product over those of the same product by `gemmSeconds`.
    double half = 1;      ///< 16-bit words
    double tensor32 = 1;  ///< TF32
    double single = 1;    ///< FP32, in which a 3 x 3 window has algorithms of fewer FLOP
    double array = 1;     ///< whatever the words, of a machine of arrays
    double onChip = 1;    ///< whatever the words, of a machine that keeps activations on chip
    // Share of the bandwidth of memory that what moves bytes reaches, by profile.
    double eagerBytes = 1;
    double fusedBytes = 1;
    double tunedBytes = 1;
    double statistics = 1;  ///< share of the first reading for batch statistics that a tuned stack does not save
    double direct = 1;      ///< share of the FP32 peak that a depthwise convolution reaches
    double gap = 0;         ///< s from a kernel to the next
    double host = 0;        ///< s to launch a kernel from an eager stack
    double straggler = 0;   ///< standard deviation of equal devices' steps
    double exposed = 0;     ///< share of the reduction of gradients that is not hidden behind the backward pass
    double feed = 0;        ///< s of a host for a million elements of input
};
/// Equal kernels of a run, in seconds by datasheet and by what was fitted to kernels.
struct NetworkKernel {
    bool backward = false;
    bool isWindowed = false;  ///< a 3 x 3 window with stride 1, for which FP32 has algorithms of fewer FLOP
    bool isDirect = false;    ///< a grouped convolution, which may also be done without products
    double count = 1;
    double product = 0;  ///< s of its products; 0 where it has none
    double floor = 0;    ///< s of its FLOP at peak
    double direct = 0;   ///< s of its FLOP at the peak of FP32
    double bytes = 0;    ///< s of its bytes at the datasheet's bandwidth
    double again = 0;    ///< s of what is read for statistics
    double share = 1;    ///< of the bandwidth that a kernel of products reaches
};

/// Runs whose predictions are about as uncertain.
enum class NetworkClass : std::uint8_t {
    node,        ///< GPUs of a generation with measured runs, in one node
    nodes,       ///< the same, in several
    array,       ///< machines of arrays
    onChip,      ///< machines that keep activations on chip
    looked,      ///< networks without convolutions
    generation,  ///< GPUs of a generation without measured runs, or networks unlike the measured ones
};
inline constexpr std::size_t kNetworkClasses = 6;
inline constexpr EnumNames<NetworkClass> kNetworkClassNames{"node",    "nodes",  "array",
                                                            "on-chip", "looked", "generation"};

/// What a run costs before any parameter of this model counts.
struct NetworkCost {
    std::vector<NetworkKernel> kernels = {};
    SoftwareProfile profile = SoftwareProfile::fused;
    NetworkMachine machine = NetworkMachine::gpu;
    NetworkClass likeness = NetworkClass::node;
    std::uint8_t words = 0;  ///< 0: 16 bits or fewer, 1: TF32, 2: FP32
    double passes = 1;       ///< forward and backward passes of a step
    double devices = 1;
    double gradients = 0;      ///< bytes that are summed
    double reduction = 0;      ///< s of the all-reduce of gradients, alone
    double update = 0;         ///< s of the bytes of the optimizer's update
    double updateKernels = 0;  ///< that an eager stack launches for it
    double feed = 0;           ///< millions of input elements that one host prepares for a step
    double samples = 1;        ///< of all devices
    bool training = true;
};

/// Seconds of a step, and of what.
struct NetworkStep {
    double seconds = 0;
    double products = 0;  ///< bound by products
    double memory = 0;    ///< bound by bytes
    double computing =
        0;  ///< forward and backward passes of the slowest device, with its waits for the host's launches
    double update = 0;
    double exposed = 0;  ///< of the reduction of gradients, what computation does not hide
    double feed = 0;     ///< of the host, to prepare the samples; beside all the others
};

/// The cost of a run, with these defaults: 1 accelerator a replica; where the batch of a pass is not said, the whole
/// batch over the accelerators, else 32; FP16 or what is alike; SGD with momentum; a network of 100 Gb/s for each
/// accelerator of a node. Throws UsageError as `networkWork`.
NetworkCost networkCost(const TrainingRun& run, const Device& device);
/// The same of the work of any network, whatever model the run names.
NetworkCost networkCost(const NetworkWork& work, const TrainingRun& run, const Device& device);

/// Seconds of one of each of a cost's kernels on the device, and what bounds them.
struct NetworkKernelTime {
    double seconds = 0;
    bool byProducts = false;  ///< else by bytes
};
NetworkKernelTime networkKernelTime(const NetworkCost& cost, const NetworkKernel& kernel,
                                    const NetworkParameters& parameters);

NetworkStep networkStep(const NetworkCost& cost, const NetworkParameters& parameters);

/// Parameters with what they were fitted on.
struct NetworkFit {
    int leftOut = -1;  ///< the fold of `runFold` that the fit did not see; -1: it saw all
    int runs = 0;      ///< that it saw
    NetworkParameters parameters;
    /// By class: 90 % of the runs lie within this logarithm of what fits without them say; of all folds but `leftOut`.
    /// Of the class `generation`: of what fits without the run's kind say, and half as much again.
    std::array<double, kNetworkClasses> spread = {};
};
/// Results of fits (tests/core/physical/refit.h) on the networks of data/measured/training.csv.
std::span<const NetworkFit> networkFits();
/// The fit that did not see a fold; that of all runs for another number.
const NetworkFit& networkFit(int leftOut);

/// Seconds of single kernels of a network's step on a device, as `networkStep` has them: with the parameters that were
/// fitted to all runs and what a fused stack (of machines other than GPUs a tuned one) does.
class NetworkTimes {
public:
    /// `dtype` as of a run. Throws UsageError where the device has no peak of it or no bandwidth.
    NetworkTimes(const Device& device, std::string_view dtype);

    /// A kernel of the given sizes, the `fixed` ones: all its equal ones together.
    double kernel(const NetworkOperator& op) const;
    /// The optimizer's update of the parameters that one accelerator holds ("adam").
    double update(double parameters, std::string_view optimizer) const;
    /// Bytes of an activation that is handed on, and of the gradient of a parameter that is summed.
    double wordBytes() const;
    double gradientBytes() const;
    /// Share of the reduction of gradients that is not hidden, whatever the backward pass.
    double exposed() const { return parameters_.exposed; }
    /// What the slowest of equal accelerators takes over what each takes.
    double slowest(double accelerators) const;
    /// A step of `seconds` whose hosts prepare so many elements of input for each of their accelerators.
    double fed(double seconds, double elements, int acceleratorsOfHost) const;
    SoftwareProfile profile() const { return cost_.profile; }

private:
    Device device_;
    NetworkCost cost_;  ///< without kernels
    NetworkParameters parameters_;
    ProductParameters products_;
    Machine machine_;
    double wordBytes_ = 2;
};

}  // namespace tessera::physical
