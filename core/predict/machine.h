#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/predict/kernels.h"
#include "core/predict/memory.h"
#include "core/predict/prediction.h"
#include "core/predict/workload.h"

namespace tessera::predict {

/// An accelerator as prediction uses it: its numbers in one data type, checked.
struct Machine {
    hardware::Accelerator accelerator;
    KernelTable kernels;
    std::string dtype;  ///< the one that was asked for, or the other half precision where it has only that
    FlopsPerSecond peak;
    double matrixEfficiency = 1;  ///< shares of the peak
    double vectorEfficiency = 1;
    const PlacementPolicy* policy = nullptr;
    std::vector<std::string> assumptions;

    const std::string& id() const { return accelerator.id.empty() ? accelerator.name : accelerator.id; }
};

/// Throws DataError naming the engine, the file and the field that is missing: a peak rate, or the bandwidth of any
/// memory level.
Machine machineOf(hardware::Accelerator accelerator, KernelTable kernels, const std::string& dtype);

/// What one operator takes.
struct OperatorCost {
    double seconds = 0;
    Way way = Way::roofline;
    bool outsideHull = false;
    std::int32_t level = -1;  ///< the memory level that bounds it; -1 = compute, or a measured kernel
    bool standsIn = false;    ///< the bandwidth that bounds it is not that of the level that holds its operands
};

/// flops / min(peak, intensity × bandwidth): the roofline (Williams, Waterman, Patterson, CACM 52(4), 2009).
Seconds rooflineTime(Flops flops, double flopsPerByte, FlopsPerSecond peak, BytesPerSecond bandwidth);

/// The fastest level that holds so many bytes, else the largest; -1 where there are no levels.
std::int32_t levelHolding(double bytes, const std::vector<hardware::MemoryLevel>& memory);
/// The level whose bandwidth bounds what another one holds: itself; where its bandwidth is not known, the next slower
/// one that has one, else the next faster one. -1 where none has one.
std::int32_t levelBounding(std::int32_t holding, const std::vector<hardware::MemoryLevel>& memory);

/// Equation 2: the measured kernel where the table has it, else the cache-aware roofline, and the start of the kernel.
std::vector<OperatorCost> operatorCosts(const Workload& workload, const Machine& machine, double batch);

/// How far the roofline is off on this accelerator: the root mean square of the logarithms of measured over roofline
/// time, weighted by time, of the operators whose kernels were measured (`costs` at this batch). Empty where those are
/// fewer than ten.
std::optional<double> rooflineResidual(const Workload& workload, const Machine& machine,
                                       const std::vector<OperatorCost>& costs, double batch);

/// What the two ways made of the operators at the batch that `costs` are of, with the `slowest` of them.
OperatorShares sharesOf(const Workload& workload, const Machine& machine, const std::vector<OperatorCost>& costs,
                        double batch, std::size_t slowest);

}  // namespace tessera::predict
