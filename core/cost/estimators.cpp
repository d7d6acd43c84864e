// What an operator takes on the cores of an architecture: the rows of the table of estimators.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <vector>

#include "core/base/names.h"
#include "core/base/number.h"
#include "core/cost/core_cost.h"
#include "core/cost/core_energy.h"
#include "core/cost/tensor_core.h"

namespace tessera::cost {

namespace {

using hardware::Architecture;
using hardware::Rates;

/// PHAZE's estimates let tensor cores fetch 128 words per cycle from DRAM.
constexpr double kPhazeDramWords = 128;

/// Sets latency and limit from what a use moves and computes. Of equal limits the first in their order is named.
void setLatency(CoreUse& use, const Architecture& architecture, const Rates& rates) {
    const std::array<double, 3> seconds{use.cycles / rates.clock.value, use.hbmBytes / rates.hbmBandwidth.value,
                                        use.globalWords / architecture.globalWords / rates.clock.value};
    const auto* const longest = std::max_element(seconds.begin(), seconds.end());
    use.latency = Seconds{*longest};
    use.limit = static_cast<Limit>(longest - seconds.begin());
}

CoreUse tensorUse(const Gemm& gemm, std::int64_t cores, const Architecture& architecture, const Rates& rates,
                  TilingMemo& tilings) {
    const TensorUse best = tilings.of(gemm, cores, architecture, rates);
    CoreUse use{.latency = {},
                .energy = {},
                .cycles = best.cycles,
                .hbmBytes = best.hbmBytes,
                .globalWords = best.globalWords,
                .limit = Limit::compute,
                .tiling = best.tiling};
    setLatency(use, architecture, rates);
    // Two operands move along the rows and columns of the array and are used by all of one.
    const double macs = macsOf(gemm);
    const double l2Words = macs / real(architecture.width) + macs / real(architecture.height);
    use.energy = energyOf({.macs = macs, .l2Words = l2Words, .globalWords = use.globalWords, .hbmBytes = use.hbmBytes},
                          architecture.tensorL2, architecture.globalBuffer, real(rates.wordBytes));
    return use;
}

/// Work of vector cores that moves `reads` and `writes` through the memories; both may be less than the work's own.
CoreUse vectorUse(const VectorWork& work, double reads, double writes, std::int64_t cores,
                  const Architecture& architecture, const Rates& rates) {
    const auto rounds = [](double elements, std::int64_t units) { return std::ceil(elements / real(units)); };
    CoreUse use;
    use.cycles = rounds(rounds(real(work.elements), cores), architecture.width) * work.cyclesPerElement;
    use.globalWords = reads + writes;
    use.hbmBytes = use.globalWords * real(rates.wordBytes);
    setLatency(use, architecture, rates);
    use.energy = energyOf({.vectorSteps = real(work.elements) * work.cyclesPerElement,
                           .l2Words = work.reads + work.writes,
                           .globalWords = use.globalWords,
                           .hbmBytes = use.hbmBytes},
                          architecture.vectorL2, architecture.globalBuffer, real(rates.wordBytes));
    return use;
}

CoreUse vectorUse(const VectorWork& work, std::int64_t cores, const Architecture& architecture, const Rates& rates) {
    return vectorUse(work, work.reads, work.writes, cores, architecture, rates);
}

/// The output of the product goes straight to the vector core and neither to the global buffer nor to the HBM; partial
/// outputs that the tiling keeps there still do.
CoreUse fusedUse(const Gemm& gemm, const VectorWork& work, std::int64_t pairs, const Architecture& architecture,
                 const Rates& rates, TilingMemo& tilings) {
    const CoreUse tensor = tensorUse(gemm, pairs, architecture, rates, tilings);
    const double output = real(gemm.batch) * real(gemm.m) * real(gemm.n) * gemm.outputShare;
    const double forwarded = std::min(output, work.reads);
    const CoreUse vector = vectorUse(work, work.reads - forwarded, work.writes, pairs, architecture, rates);
    CoreUse use = tensor;
    use.cycles = std::max(tensor.cycles, vector.cycles);
    use.hbmBytes = tensor.hbmBytes - forwarded * real(rates.wordBytes) + vector.hbmBytes;
    use.globalWords = tensor.globalWords - forwarded + vector.globalWords;
    setLatency(use, architecture, rates);
    use.energy = tensor.energy + vector.energy -
                 energyOf({.globalWords = forwarded, .hbmBytes = forwarded * real(rates.wordBytes)},
                          architecture.tensorL2, architecture.globalBuffer, real(rates.wordBytes));
    return use;
}

/// One after the other, the output of the first in the HBM.
CoreUse inTurn(const CoreUse& tensor, const CoreUse& vector) {
    CoreUse use = tensor.latency >= vector.latency ? tensor : vector;  // what bounds the longer one
    use.latency = tensor.latency + vector.latency;
    use.energy = tensor.energy + vector.energy;
    use.cycles = tensor.cycles + vector.cycles;
    use.hbmBytes = tensor.hbmBytes + vector.hbmBytes;
    use.globalWords = tensor.globalWords + vector.globalWords;
    use.tiling = tensor.tiling;
    return use;
}

OperatorCost physical(const CoreWork& work, const Architecture& architecture, const Rates& rates, TilingMemo& tilings) {
    OperatorCost cost;
    if (work.gemm) cost.macs = macsOf(*work.gemm);
    if (!work.vector) {
        cost.oneCore = tensorUse(*work.gemm, 1, architecture, rates, tilings);
        cost.allCores = tensorUse(*work.gemm, architecture.tensorCores, architecture, rates, tilings);
    } else if (!work.gemm) {
        cost.oneCore = vectorUse(*work.vector, 1, architecture, rates);
        cost.allCores = vectorUse(*work.vector, architecture.vectorCores, architecture, rates);
    } else {
        const std::int64_t pairs = std::min(architecture.tensorCores, architecture.vectorCores);
        cost.oneCore = fusedUse(*work.gemm, *work.vector, 1, architecture, rates, tilings);
        cost.allCores = fusedUse(*work.gemm, *work.vector, pairs, architecture, rates, tilings);
        const CoreUse parted = inTurn(tensorUse(*work.gemm, architecture.tensorCores, architecture, rates, tilings),
                                      vectorUse(*work.vector, architecture.vectorCores, architecture, rates));
        if (parted.latency < cost.allCores.latency) cost.allCores = parted;
    }
    return cost;
}

/// The time that the lanes take, whatever they have to wait for.
CoreUse withoutMemory(CoreUse use, const Rates& rates) {
    use.latency = Seconds{use.cycles / rates.clock.value};
    use.limit = Limit::compute;
    return use;
}

/// Rates with the words that PHAZE's estimates fetch from DRAM.
Rates phazeRates(Rates rates) {
    rates.hbmBandwidth = BytesPerSecond{kPhazeDramWords * real(rates.wordBytes) * rates.clock.value};
    return rates;
}

OperatorCost phaze(const CoreWork& work, const Architecture& architecture, const Rates& given, TilingMemo& tilings) {
    const Rates rates = phazeRates(given);
    OperatorCost cost;
    if (work.gemm) {  // what is fused behind it takes no time
        cost.macs = macsOf(*work.gemm);
        cost.oneCore = tensorUse(*work.gemm, 1, architecture, rates, tilings);
        cost.allCores = tensorUse(*work.gemm, architecture.tensorCores, architecture, rates, tilings);
    } else {
        cost.oneCore = withoutMemory(vectorUse(*work.vector, 1, architecture, rates), rates);
        cost.allCores = withoutMemory(vectorUse(*work.vector, architecture.vectorCores, architecture, rates), rates);
    }
    return cost;
}

// Bounds -------------------------------------------------------------------------------------------------------------

/// Distinct words of the operands, each moved once.
double minWords(const Gemm& gemm, bool output) {
    const double batch = real(gemm.batch), m = real(gemm.m), n = real(gemm.n), k = real(gemm.k);
    return batch * (m * k * gemm.leftShare + k * n + (output ? m * n * gemm.outputShare : 0));
}

double minCycles(const CoreWork& work, std::int64_t tensorCores, std::int64_t vectorCores,
                 const Architecture& architecture) {
    double cycles = 0;
    if (work.gemm)
        cycles = macsOf(*work.gemm) / (real(tensorCores) * real(architecture.width) * real(architecture.height));
    if (work.vector) {
        const double steps = real(work.vector->elements) / (real(vectorCores) * real(architecture.width));
        cycles = std::max(cycles, steps * work.vector->cyclesPerElement);
    }
    return cycles;
}

MinTimes minOf(const CoreWork& work, const Architecture& architecture, double memorySeconds, const Rates& rates) {
    // A last bit for what sums are rounded to.
    constexpr double kBelow = 1 - 1e-12;
    const double one = std::max(memorySeconds, minCycles(work, 1, 1, architecture) / rates.clock.value);
    const double all = minCycles(work, architecture.tensorCores, architecture.vectorCores, architecture);
    return {.oneCore = Seconds{one * kBelow},
            .allCores = Seconds{std::max(memorySeconds, all / rates.clock.value) * kBelow}};
}

MinTimes minPhysical(const CoreWork& work, const Architecture& architecture, const Rates& rates) {
    double words = work.gemm ? minWords(*work.gemm, !work.vector) : 0;
    if (work.vector) {
        const double output =
            work.gemm ? real(work.gemm->batch) * real(work.gemm->m) * real(work.gemm->n) * work.gemm->outputShare : 0;
        words += work.vector->reads + work.vector->writes - std::min(output, work.vector->reads);
    }
    const double hbm = words * real(rates.wordBytes) / rates.hbmBandwidth.value;
    const double buffer = words / architecture.globalWords / rates.clock.value;
    return minOf(work, architecture, std::max(hbm, buffer), rates);
}

MinTimes minPhaze(const CoreWork& work, const Architecture& architecture, const Rates& given) {
    const Rates rates = phazeRates(given);
    if (!work.gemm) return minOf(work, architecture, 0, rates);
    const double words = minWords(*work.gemm, true);
    const double hbm = words * real(rates.wordBytes) / rates.hbmBandwidth.value;
    return minOf({.gemm = work.gemm, .vector = {}}, architecture,
                 std::max(hbm, words / architecture.globalWords / rates.clock.value), rates);
}

constexpr std::array<std::string_view, 7> kPhysicalAssumptions{
    "An operator on one core has the whole bandwidth of HBM and global buffer, also where others run beside it.",
    "Tiles are powers of two and take half of their buffer, so that moving and computing overlap; a product is split "
    "over a power of two of cores.",
    "Each core fetches its own copy from the global buffer; partial results are words of the given size, too.",
    "A convolution's windows are laid out on chip: the HBM is read for distinct elements.",
    "A fused operator runs on pairs of a tensor and a vector core, which forward the output; on all cores also in two "
    "steps without fusion, whichever is faster.",
    "A lane takes one cycle for a sum, product, comparison or move, four for a division, root, exp, log, tanh or erf "
    "(our choice).",
    "Energies are dynamic, of published figures at 45 nm and of HBM2; leakage and the network are not counted.",
};

constexpr std::array<std::string_view, 4> kPhazeAssumptions{
    "Vector operators need no bandwidth, and those that are fused behind a product take no time: 'many vector cores' "
    "follows from that.",
    "Tensor cores read and write 128 words per cycle of DRAM, whatever the bandwidth of the HBM.",
    "Products are tiled by our search, not by Sunstone, under the same buffers and bandwidth of the global buffer.",
    "Energies are those of the physical estimator.",
};

/// Every row, and those that a program brings.
std::vector<Estimator>& allEstimators() {
    static std::vector<Estimator> rows{
        {"physical", "Physical",
         "products by exhaustive tiling, element-wise work by cycles of lanes, all of it bounded by the bandwidth "
         "of HBM and global buffer",
         kPhysicalAssumptions, physical, minPhysical},
        {"phaze", "PHAZE's assumptions",
         "vector operators without bandwidth limits, fused ones free, 128 words per cycle to DRAM", kPhazeAssumptions,
         phaze, minPhaze},
    };
    return rows;
}

}  // namespace

OperatorCost Estimator::estimate(const CoreWork& work, const Architecture& architecture, const Rates& rates) const {
    TilingMemo tilings;
    return estimateWith(work, architecture, rates, tilings);
}

std::span<const Estimator> estimators() {
    return allEstimators();
}

void addEstimator(const Estimator& estimator) {
    allEstimators().push_back(estimator);
}

const Estimator* estimatorNamed(std::string_view id) {
    return findRow(allEstimators(), id);
}

}  // namespace tessera::cost
