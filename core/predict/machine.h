#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/physical/device.h"
#include "core/predict/kernels.h"
#include "core/predict/memory.h"
#include "core/predict/prediction.h"
#include "core/predict/workload.h"

namespace tessera::predict {

/// An accelerator as prediction uses it: its numbers in one data type, checked.
struct Machine {
    hardware::Accelerator accelerator;
    KernelTable kernels;
    std::string dtype;  ///< the requested one; where a half precision lacks, the other one or fp32
    FlopsPerSecond peak;
    double matrixEfficiency = 1;  ///< shares of the peak
    double vectorEfficiency = 1;
    const PlacementPolicy* policy = nullptr;
    /// Relative difference of two passes of the calibration that measured it, where that is too much to rely on; 0 for
    /// all other machines.
    double noise = 0;
    physical::Device device;  ///< the accelerator as the physical model sees it
    std::vector<std::string> assumptions;
    std::vector<std::string> warnings;

    const std::string& id() const { return accelerator.id.empty() ? accelerator.name : accelerator.id; }
};

/// Throws DataError naming the engine, the file and the field that is missing: a peak rate, or the bandwidth of any
/// memory level.
Machine machineOf(hardware::Accelerator accelerator, KernelTable kernels, const std::string& dtype);

/// Mark in the source of a number that was measured on a busy machine.
inline constexpr std::string_view kNoisySource = "this machine was noisy";

/// Time of one operator.
struct OperatorCost {
    double seconds = 0;
    Way way = Way::roofline;
    bool outsideHull = false;
    std::int32_t level = -1;  ///< the memory level that bounds it; -1 = compute, or a measured kernel
    bool standsIn = false;    ///< the bandwidth that bounds it is that of a slower level than the one with its operands
    bool joined = false;      ///< done in the kernel of an operator before it, which takes the time
};

/// flops / min(peak, intensity × bandwidth): the roofline (Williams, Waterman, Patterson, CACM 52(4), 2009).
Seconds rooflineTime(Flops flops, double flopsPerByte, FlopsPerSecond peak, BytesPerSecond bandwidth);

/// Equation 2: the measured kernel where the table has it, else the cache-aware roofline, and the start of the kernel.
/// What an operator reads and writes moves at the rate of the levels where `places` has it, all levels at once; a
/// faster level that holds nothing of the step works as a cache of operators that fit it whole.
std::vector<OperatorCost> operatorCosts(const Workload& workload, const Machine& machine, double batch,
                                        const DataPlaces& places);
/// Costs of all operators with all data where the machine's policy places it first.
std::vector<OperatorCost> operatorCosts(const Workload& workload, const Machine& machine, double batch);

/// The time to move what an operator reads and writes from and to the levels where `places` has it, all levels at once,
/// and the index of the slowest; -1 where nothing moves.
struct OperandTime {
    Seconds time;
    std::int32_t level = -1;
};
OperandTime operandTime(const StepOperator& op, const Machine& machine, double batch, const DataPlaces& places);

/// Residual of the roofline on this accelerator: the root mean square of the logarithms of measured over roofline time,
/// weighted by time, of the operators whose kernels were measured (`costs` at this batch). Empty where those are fewer
/// than ten.
std::optional<double> rooflineResidual(const Workload& workload, const Machine& machine,
                                       const std::vector<OperatorCost>& costs, double batch, const DataPlaces& places);

/// Shares of measured and roofline times at the batch that `costs` are of, with the `slowest` operators.
OperatorShares sharesOf(const Workload& workload, const Machine& machine, const std::vector<OperatorCost>& costs,
                        double batch, std::size_t slowest);

}  // namespace tessera::predict
