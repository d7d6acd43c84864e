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

/// What computes a data type where the accelerator has no rate of its own: the other half precision, which hardware
/// that has one runs at the same rate, else single precision; its words are then half as long in memory only.
std::vector<std::string> standInsFor(const std::string& dtype) {
    if (dtype == "bf16") return {"bf16", "fp16", "fp32"};
    if (dtype == "fp16") return {"fp16", "bf16", "fp32"};
    return {dtype};
}

double efficiencyOf(const hardware::Accelerator& accelerator, const char* group) {
    const auto found = accelerator.efficiency.find(group);
    return found == accelerator.efficiency.end() ? 1 : found->second;
}

/// By how much two passes over a noisy machine differ at least.
constexpr double kMinNoise = 0.1;

/// Notes that two passes of the calibration did not agree, and says so again.
void setNoise(const hardware::Accelerator& accelerator, const KernelTable& kernels, Machine& machine) {
    const bool marked =
        std::any_of(accelerator.provenance.begin(), accelerator.provenance.end(),
                    [](const auto& entry) { return entry.second.source.find(kNoisySource) != std::string::npos; });
    if (!marked) return;
    machine.noise = std::max(kMinNoise, kernels.noise().value_or(0));
    machine.warnings.push_back(fmt::format(
        "{} was calibrated on a noisy machine: {}. Its predictions are not to be relied on; calibrate again when "
        "nothing else runs.",
        escaped(accelerator.id.empty() ? accelerator.name : accelerator.id),
        kernels.noise() ? fmt::format("two passes differ by {:.1f} % in the median", 100 * *kernels.noise())
                        : std::string("its two passes did not agree")));
}

}  // namespace

Machine machineOf(hardware::Accelerator accelerator, KernelTable kernels, const std::string& dtype) {
    Machine machine;
    const std::vector<std::string> standIns = standInsFor(dtype);
    const auto standIn = std::find_if(standIns.begin(), standIns.end(), [&](const std::string& candidate) {
        return accelerator.peakFlops.contains(candidate);
    });
    if (standIn == standIns.end())
        throw DataError({.file = accelerator.file, .field = "peak_flops." + dtype}, "missing",
                        "the peak rate of the data type, which the prediction engine needs");
    machine.dtype = *standIn;
    if (machine.dtype != dtype)
        machine.assumptions.push_back(fmt::format("{} gives no peak rate of {}: it works at that of {}.",
                                                  escaped(accelerator.name), dtype, machine.dtype));
    machine.peak = accelerator.peakFlops.at(machine.dtype);
    machine.matrixEfficiency = efficiencyOf(accelerator, "gemm");
    machine.vectorEfficiency = efficiencyOf(accelerator, "vector");
    machine.policy = &policyOf(accelerator);
    if (std::none_of(accelerator.memory.begin(), accelerator.memory.end(),
                     [](const hardware::MemoryLevel& level) { return level.bandwidth.has_value(); }))
        throw DataError({.file = accelerator.file, .field = "memory"},
                        accelerator.memory.empty() ? "missing" : "without any bandwidth_bytes_per_s",
                        "the bandwidth of a memory level, which the prediction engine needs");
    std::vector<std::string> bounded, unused;
    for (std::size_t level = 0; level < accelerator.memory.size(); ++level)
        if (!accelerator.memory[level].bandwidth)
            (levelBounding(level, accelerator.memory) < 0 ? unused : bounded)
                .push_back(escaped(accelerator.memory[level].name));
    if (!bounded.empty())
        machine.assumptions.push_back(fmt::format(
            "{} gives no bandwidth of {}: what works there is bound by the next slower level whose bandwidth is known.",
            escaped(accelerator.name), joined(bounded, " and ")));
    if (!unused.empty())
        machine.assumptions.push_back(
            fmt::format("{} gives no bandwidth of {}: nothing is placed there, since how fast it would be moved is not "
                        "known.",
                        escaped(accelerator.name), joined(unused, " and ")));
    setNoise(accelerator, kernels, machine);
    machine.kernels = std::move(kernels);
    machine.device = physical::deviceOf(accelerator);
    machine.accelerator = std::move(accelerator);
    return machine;
}

Seconds rooflineTime(Flops flops, double flopsPerByte, FlopsPerSecond peak, BytesPerSecond bandwidth) {
    return Seconds{flops.value / std::min(peak.value, flopsPerByte * bandwidth.value)};
}

namespace {

/// The time that the table has for the operator; says whether it was outside of what was measured.
bool measure(const StepOperator& op, const Machine& machine, double batch, OperatorCost& cost) {
    if (machine.kernels.empty() || op.kernel->kernel.empty()) return false;
    KernelTable::Sizes sizes;
    for (const Affine& size : op.kernel->sizes) sizes.push_back(size.at(batch));
    const KernelTable::Found found = machine.kernels.find(op.kernel->kernel, machine.dtype, sizes);
    cost.outsideHull = found.known && !found.time;
    if (!found.time) return false;
    cost.way = Way::measured;
    cost.seconds = found.time->value;
    return true;
}

/// The level that an operator on so many bytes reads those from that lie in `level`.
std::size_t readFrom(std::size_t level, double bytes, const Machine& machine, const DataPlaces& places) {
    const std::vector<hardware::MemoryLevel>& memory = machine.accelerator.memory;
    for (std::size_t cache = 0; places.caches && cache < level; ++cache)
        if (!places.occupied[cache] && (!memory[cache].capacity || bytes <= memory[cache].capacity->value))
            return cache;
    return level;
}

/// The time to move an operator's operands, all levels at once, and what of it counts.
struct Moving {
    double seconds = 0;
    std::int32_t level = -1;  ///< the slowest
    bool standsIn = false;    ///< it is a slower one than that with the operands
};
/// By the fastest level that holds all operands, else the largest; where its bandwidth is unknown, by the next slower
/// one that has one, else the next faster.
Moving movingByOperands(double bytes, const std::vector<hardware::MemoryLevel>& memory) {
    if (memory.empty()) return {};
    std::size_t holding = 0;
    while (holding + 1 < memory.size() && memory[holding].capacity && memory[holding].capacity->value < bytes)
        ++holding;
    std::int32_t by = levelBounding(holding, memory);
    for (std::size_t level = holding; by < 0 && level-- > 0;)
        if (memory[level].bandwidth) by = static_cast<std::int32_t>(level);
    if (by < 0) return {};
    const auto level = static_cast<std::size_t>(by);
    return {.seconds = bytes / memory[level].bandwidth->value, .level = by, .standsIn = level != holding};
}

Moving movingOf(const StepOperator& op, const Machine& machine, double batch, const DataPlaces& places) {
    const std::vector<hardware::MemoryLevel>& memory = machine.accelerator.memory;
    const double bytes = op.bytes.at(batch);
    if (places.byOperands) return movingByOperands(bytes, memory);
    std::vector<double> moved(memory.size(), 0), instead(memory.size(), 0);
    for (std::size_t level = 0; level < memory.size(); ++level) {
        double here = 0;
        for (std::size_t category = 0; category < kCategories; ++category)
            here += op.traffic->at(category).at(batch) * places.shares.at(category)[level];
        if (!(here > 0)) continue;
        const std::size_t from = readFrom(level, bytes, machine, places);
        const std::int32_t by = levelBounding(from, memory);
        if (by < 0) continue;
        moved[static_cast<std::size_t>(by)] += here;
        if (static_cast<std::size_t>(by) != from) instead[static_cast<std::size_t>(by)] += here;
    }
    Moving moving;
    for (std::size_t level = 0; level < memory.size(); ++level) {
        if (!(moved[level] > 0)) continue;
        const double seconds = moved[level] / memory[level].bandwidth->value;
        if (seconds > moving.seconds)
            moving = {.seconds = seconds, .level = static_cast<std::int32_t>(level), .standsIn = instead[level] > 0};
    }
    return moving;
}

}  // namespace

OperandTime operandTime(const StepOperator& op, const Machine& machine, double batch, const DataPlaces& places) {
    const Moving moving = movingOf(op, machine, batch, places);
    return {Seconds{moving.seconds}, moving.level};
}

namespace {

void bound(const StepOperator& op, const Machine& machine, double batch, const DataPlaces& places, OperatorCost& cost) {
    const double compute = op.matrixFlops.at(batch) / (machine.peak.value * machine.matrixEfficiency) +
                           op.vectorFlops.at(batch) / (machine.peak.value * machine.vectorEfficiency);
    const Moving moving = movingOf(op, machine, batch, places);
    cost.seconds = std::max(compute, moving.seconds);
    cost.level = moving.seconds > compute ? moving.level : -1;
    // A slower level that stands in says nothing of an operator that even it does not bound.
    cost.standsIn = moving.standsIn && cost.level >= 0;
}

}  // namespace

std::vector<OperatorCost> operatorCosts(const Workload& workload, const Machine& machine, double batch) {
    return operatorCosts(workload, machine, batch, placesOf({}, machine.accelerator, *machine.policy));
}

std::vector<OperatorCost> operatorCosts(const Workload& workload, const Machine& machine, double batch,
                                        const DataPlaces& places) {
    std::vector<OperatorCost> costs(workload.operators.size());
    bool keptOnChip = false;
    for (std::size_t level = 0; level < places.occupied.size(); ++level)
        keptOnChip = keptOnChip || (places.occupied[level] && machine.accelerator.memory[level].onChip);
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const StepOperator& op = workload.operators[i];
        if (op.free) continue;
        // A measured time has its start in it, and the way from where kernels are measured: from the chip, where the
        // platform's software keeps data there. What had no room there comes from further away.
        if (measure(op, machine, batch, costs[i])) {
            if (!keptOnChip || places.byOperands) continue;
            const Moving moving = movingOf(op, machine, batch, places);
            if (moving.seconds <= costs[i].seconds) continue;
            costs[i].way = Way::roofline;
        }
        bound(op, machine, batch, places, costs[i]);
        costs[i].seconds += machine.accelerator.launchOverhead.value;
    }
    return costs;
}

std::optional<double> rooflineResidual(const Workload& workload, const Machine& machine,
                                       const std::vector<OperatorCost>& costs, double batch, const DataPlaces& places) {
    constexpr std::size_t kMin = 10;
    double squares = 0, time = 0;
    std::size_t compared = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (costs[i].way != Way::measured || !(costs[i].seconds > 0)) continue;
        OperatorCost roofline;
        bound(workload.operators[i], machine, batch, places, roofline);
        const double expected = roofline.seconds + machine.accelerator.launchOverhead.value;
        if (!(expected > 0)) continue;
        const double residual = elementary::log(costs[i].seconds / expected);
        squares += costs[i].seconds * residual * residual;
        time += costs[i].seconds;
        ++compared;
    }
    if (compared < kMin) return std::nullopt;
    return elementary::sqrt(squares / time);
}

namespace {

constexpr std::size_t kMaxAlike = 2000;  ///< kept in results

std::string boundOf(const StepOperator& op, const Machine& machine, const OperatorCost& cost) {
    if (cost.way == Way::measured) return op.kernel->kernel;
    if (cost.joined) return std::string(kJoined);
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
    if (all.size() <= kMaxAlike) return all;
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto whole = [&](std::size_t i) { return all[i].time.value * static_cast<double>(all[i].count); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return whole(a) > whole(b); });
    order.resize(kMaxAlike);
    std::sort(order.begin(), order.end());
    std::vector<AlikeOperators> max;
    max.reserve(order.size());
    for (const std::size_t i : order) max.push_back(std::move(all[i]));
    return max;
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
