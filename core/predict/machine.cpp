#include "core/predict/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/base/elementary.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace tessera::predict {

namespace {

/// The half precision that stands for the other: hardware that has one runs it at the rate of the other.
std::string otherHalf(const std::string& dtype) {
    return dtype == "bf16" ? "fp16" : dtype == "fp16" ? "bf16" : "";
}

double efficiencyOf(const hardware::Accelerator& accelerator, const char* group) {
    const auto found = accelerator.efficiency.find(group);
    return found == accelerator.efficiency.end() ? 1 : found->second;
}

}  // namespace

Machine machineOf(hardware::Accelerator accelerator, KernelTable kernels, const std::string& dtype) {
    Machine machine;
    machine.dtype = dtype;
    auto peak = accelerator.peakFlops.find(dtype);
    if (peak == accelerator.peakFlops.end()) {
        machine.dtype = otherHalf(dtype);
        peak = accelerator.peakFlops.find(machine.dtype);
        if (machine.dtype.empty() || peak == accelerator.peakFlops.end())
            throw DataError({.file = accelerator.file, .field = "peak_flops." + dtype}, "missing",
                            "the peak rate of the data type, which the prediction engine needs");
        machine.assumptions.push_back(fmt::format("{} gives no peak rate of {}: it works at that of {}.",
                                                  escaped(accelerator.name), dtype, machine.dtype));
    }
    machine.peak = peak->second;
    machine.matrixEfficiency = efficiencyOf(accelerator, "gemm");
    machine.vectorEfficiency = efficiencyOf(accelerator, "vector");
    machine.policy = &policyOf(accelerator);
    std::vector<std::string> silent;
    for (const hardware::MemoryLevel& level : accelerator.memory)
        if (!level.bandwidth) silent.push_back(escaped(level.name));
    if (silent.size() == accelerator.memory.size())
        throw DataError({.file = accelerator.file, .field = "memory"},
                        accelerator.memory.empty() ? "missing" : "without any bandwidth_bytes_per_s",
                        "the bandwidth of a memory level, which the prediction engine needs");
    if (!silent.empty())
        machine.assumptions.push_back(fmt::format(
            "{} gives no bandwidth of {}: what works there is bound by the next level whose bandwidth is known.",
            escaped(accelerator.name), joined(silent, " and ")));
    machine.kernels = std::move(kernels);
    machine.accelerator = std::move(accelerator);
    return machine;
}

Seconds rooflineTime(Flops flops, double flopsPerByte, FlopsPerSecond peak, BytesPerSecond bandwidth) {
    return Seconds{flops.value / std::min(peak.value, flopsPerByte * bandwidth.value)};
}

std::int32_t levelHolding(double bytes, const std::vector<hardware::MemoryLevel>& memory) {
    std::size_t holding = 0;
    while (holding + 1 < memory.size() && memory[holding].capacity && memory[holding].capacity->value < bytes)
        ++holding;
    return memory.empty() ? -1 : static_cast<std::int32_t>(holding);
}

std::int32_t levelBounding(std::int32_t holding, const std::vector<hardware::MemoryLevel>& memory) {
    if (holding < 0) return -1;
    for (auto level = static_cast<std::size_t>(holding); level < memory.size(); ++level)
        if (memory[level].bandwidth) return static_cast<std::int32_t>(level);
    for (auto level = static_cast<std::size_t>(holding); level-- > 0;)
        if (memory[level].bandwidth) return static_cast<std::int32_t>(level);
    return -1;
}

namespace {

/// The time that the table has for the operator; says whether it was outside of what was measured.
bool measure(const StepOperator& op, const Machine& machine, double batch, OperatorCost& cost) {
    if (machine.kernels.empty() || op.kernel.kernel.empty()) return false;
    KernelTable::Sizes sizes;
    for (const Affine& size : op.kernel.sizes) sizes.push_back(size.at(batch));
    const KernelTable::Found found = machine.kernels.find(op.kernel.kernel, machine.dtype, sizes);
    cost.outsideHull = found.known && !found.time;
    if (!found.time) return false;
    cost.way = Way::measured;
    cost.seconds = found.time->value;
    return true;
}

void bound(const StepOperator& op, const Machine& machine, double batch, OperatorCost& cost) {
    const double bytes = op.bytes.at(batch);
    const double compute = op.matrixFlops.at(batch) / (machine.peak.value * machine.matrixEfficiency) +
                           op.vectorFlops.at(batch) / (machine.peak.value * machine.vectorEfficiency);
    const std::vector<hardware::MemoryLevel>& memory = machine.accelerator.memory;
    const std::int32_t holding = levelHolding(bytes, memory);
    const std::int32_t level = levelBounding(holding, memory);
    const double moving = level < 0 ? 0 : bytes / memory[static_cast<std::size_t>(level)].bandwidth->value;
    cost.seconds = std::max(compute, moving);
    cost.level = moving > compute ? level : -1;
    // A slower level that stands in says nothing of an operator that even it does not bound.
    cost.standsIn = level != holding && (cost.level >= 0 || level < holding);
}

}  // namespace

std::vector<OperatorCost> operatorCosts(const Workload& workload, const Machine& machine, double batch) {
    std::vector<OperatorCost> costs(workload.operators.size());
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const StepOperator& op = workload.operators[i];
        if (op.free) continue;
        // A measured time has its start in it.
        if (measure(op, machine, batch, costs[i])) continue;
        bound(op, machine, batch, costs[i]);
        costs[i].seconds += machine.accelerator.launchOverhead.value;
    }
    return costs;
}

std::optional<double> rooflineResidual(const Workload& workload, const Machine& machine,
                                       const std::vector<OperatorCost>& costs, double batch) {
    constexpr std::size_t kFewest = 10;
    double squares = 0, time = 0;
    std::size_t compared = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (costs[i].way != Way::measured || !(costs[i].seconds > 0)) continue;
        OperatorCost roofline;
        bound(workload.operators[i], machine, batch, roofline);
        const double expected = roofline.seconds + machine.accelerator.launchOverhead.value;
        if (!(expected > 0)) continue;
        const double residual = elementary::log(costs[i].seconds / expected);
        squares += costs[i].seconds * residual * residual;
        time += costs[i].seconds;
        ++compared;
    }
    if (compared < kFewest) return std::nullopt;
    return elementary::sqrt(squares / time);
}

namespace {

constexpr std::size_t kMostAlike = 2000;  ///< kept in results

std::string boundOf(const StepOperator& op, const Machine& machine, const OperatorCost& cost) {
    if (cost.way == Way::measured) return op.kernel.kernel;
    return cost.level < 0 ? "compute" : machine.accelerator.memory[static_cast<std::size_t>(cost.level)].name;
}

std::vector<AlikeOperators> alikeOf(const Workload& workload, const Machine& machine,
                                    const std::vector<OperatorCost>& costs, double batch) {
    std::vector<AlikeOperators> all;
    std::map<std::tuple<std::string_view, model::Phase, double, double, double>, std::size_t> places;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const StepOperator& op = workload.operators[i];
        if (op.free) continue;
        const double flops = op.matrixFlops.at(batch) + op.vectorFlops.at(batch);
        const double bytes = op.bytes.at(batch);
        const auto [place, fresh] = places.try_emplace({op.type, op.phase, flops, bytes, costs[i].seconds}, all.size());
        if (!fresh) {
            ++all[place->second].count;
            continue;
        }
        all.push_back({.name = op.name,
                       .type = op.type,
                       .phase = op.phase,
                       .group = op.group,
                       .count = 1,
                       .way = costs[i].way,
                       .bound = boundOf(op, machine, costs[i]),
                       .flops = Flops{flops},
                       .bytes = Bytes{bytes},
                       .time = Seconds{costs[i].seconds}});
    }
    if (all.size() <= kMostAlike) return all;
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto whole = [&](std::size_t i) { return all[i].time.value * static_cast<double>(all[i].count); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return whole(a) > whole(b); });
    order.resize(kMostAlike);
    std::sort(order.begin(), order.end());
    std::vector<AlikeOperators> most;
    most.reserve(order.size());
    for (const std::size_t i : order) most.push_back(std::move(all[i]));
    return most;
}

}  // namespace

OperatorShares sharesOf(const Workload& workload, const Machine& machine, const std::vector<OperatorCost>& costs,
                        double batch, std::size_t slowest) {
    OperatorShares shares;
    shares.alike = alikeOf(workload, machine, costs, batch);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (workload.operators[i].free) continue;
        order.push_back(i);
        ++shares.operators;
        shares.time += Seconds{costs[i].seconds};
        shares.outsideHull += costs[i].outsideHull ? 1 : 0;
        if (costs[i].way != Way::measured) continue;
        ++shares.measured;
        shares.measuredTime += Seconds{costs[i].seconds};
    }
    slowest = std::min(slowest, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(slowest), order.end(),
                      [&](std::size_t a, std::size_t b) {
                          return costs[a].seconds != costs[b].seconds ? costs[a].seconds > costs[b].seconds : a < b;
                      });
    for (std::size_t k = 0; k < slowest; ++k) {
        const StepOperator& op = workload.operators[order[k]];
        const OperatorCost& cost = costs[order[k]];
        shares.slowest.push_back({.name = op.name,
                                  .type = op.type,
                                  .phase = op.phase,
                                  .way = cost.way,
                                  .bound = boundOf(op, machine, cost),
                                  .outsideHull = cost.outsideHull,
                                  .time = Seconds{cost.seconds}});
    }
    return shares;
}

}  // namespace tessera::predict
