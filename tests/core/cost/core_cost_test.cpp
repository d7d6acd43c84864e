#include "core/cost/core_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/hardware/library.h"

using namespace tessera;
using namespace tessera::cost;
using hardware::Architecture;
using hardware::Rates;

namespace {

const Estimator& physical() {
    return *estimatorNamed("physical");
}
const Estimator& phaze() {
    return *estimatorNamed("phaze");
}

/// Random operators on random architectures of PHAZE's template.
class Cases {
public:
    explicit Cases(std::uint64_t seed) : random_(seed), space_(hardware::loadTemplate("phaze")) {}

    std::int64_t extent(int maxBits) {
        const std::uint64_t bits = random_.below(static_cast<std::uint64_t>(maxBits) + 1);
        return static_cast<std::int64_t>(1 + random_.below(std::uint64_t{1} << bits));
    }
    Gemm gemm() {
        return {.batch = extent(5),
                .m = extent(12),
                .n = extent(12),
                .k = extent(12),
                .leftShare = random_.below(3) == 0 ? 0.125 : 1,
                .outputShare = 1};
    }
    VectorWork vector() {
        const auto kinds = vectorKinds();
        return vectorWork(kinds[random_.below(kinds.size())], extent(24));
    }
    /// Not larger than its products: a vector core reads what the tensor core made, once.
    CoreWork fused() {
        CoreWork work{.gemm = gemm(), .vector = {}};
        const auto kinds = vectorKinds();
        work.vector = vectorWork(kinds[random_.below(kinds.size())], work.gemm->batch * work.gemm->m * work.gemm->n);
        return work;
    }
    Architecture architecture() {
        const auto any = [&](const hardware::Range& range) { return range.values[random_.below(range.values.size())]; };
        return architectureOf(space_, any(space_.tensorCores), any(space_.vectorCores), any(space_.width),
                              any(space_.height), any(space_.globalBuffer));
    }
    Rates rates() {
        Rates rates = space_.rates;
        rates.hbmBandwidth = rates.hbmBandwidth * std::ldexp(1, static_cast<int>(random_.below(9)) - 4);
        return rates;
    }
    RandomStream& random() { return random_; }

private:
    RandomStream random_;
    hardware::Template space_;
};

double compulsoryBytes(const Gemm& gemm, const Rates& rates) {
    const auto batch = static_cast<double>(gemm.batch);
    const auto m = static_cast<double>(gemm.m), n = static_cast<double>(gemm.n), k = static_cast<double>(gemm.k);
    return batch * (m * k * gemm.leftShare + k * n + m * n * gemm.outputShare) * static_cast<double>(rates.wordBytes);
}

TEST(CoreCost, isNeverBelowTheRoofline) {
    Cases cases(1);
    for (int i = 0; i < 600; ++i) {
        const Gemm gemm = cases.gemm();
        const Architecture architecture = cases.architecture();
        const Rates rates = cases.rates();
        const OperatorCost cost = physical().estimate({.gemm = gemm, .vector = {}}, architecture, rates);
        EXPECT_EQ(cost.macs, macsOf(gemm));
        const double bytes = compulsoryBytes(gemm, rates);
        const double peak = peakMacs(architecture) * rates.clock.value;
        EXPECT_GE(cost.allCores.latency.value, std::max(cost.macs / peak, bytes / rates.hbmBandwidth.value));
        EXPECT_GE(cost.oneCore.latency.value, cost.macs / peak * static_cast<double>(architecture.tensorCores));
        for (const CoreUse* use : {&cost.oneCore, &cost.allCores}) {
            EXPECT_GE(use->hbmBytes, bytes);
            EXPECT_GT(use->energy.value, 0);
            EXPECT_LE(utilisation(cost.macs, use->latency, architecture, rates), 1);
        }
        EXPECT_LE(cost.allCores.latency, cost.oneCore.latency);
    }
}

TEST(CoreCost, ofAllCoresIsNeverSlowerAndHasAnEnergyForEveryKindOfWorkAndEstimator) {
    Cases cases(2);
    for (int i = 0; i < 300; ++i)
        for (const CoreWork& work : {CoreWork{.gemm = cases.gemm(), .vector = {}},
                                     CoreWork{.gemm = {}, .vector = cases.vector()}, cases.fused()})
            for (const Estimator& estimator : estimators()) {
                const Architecture architecture = cases.architecture();
                const OperatorCost cost = estimator.estimate(work, architecture, cases.rates());
                EXPECT_LE(cost.allCores.latency, cost.oneCore.latency) << estimator.id;
                EXPECT_GT(cost.allCores.latency.value, 0);
                EXPECT_GT(cost.oneCore.energy.value, 0);
                EXPECT_GT(cost.allCores.energy.value, 0);
            }
}

TEST(CoreCost, doesNotGrowWithBandwidth) {
    Cases cases(3);
    for (int i = 0; i < 300; ++i)
        for (const CoreWork& work :
             {CoreWork{.gemm = cases.gemm(), .vector = {}}, CoreWork{.gemm = {}, .vector = cases.vector()}}) {
            const Architecture architecture = cases.architecture();
            const Rates rates = cases.rates();
            Architecture wider = architecture;
            wider.globalWords *= 2;
            Rates faster = rates;
            faster.hbmBandwidth = rates.hbmBandwidth * 1.5;
            const OperatorCost before = physical().estimate(work, architecture, rates);
            for (const OperatorCost& after :
                 {physical().estimate(work, wider, rates), physical().estimate(work, architecture, faster)}) {
                EXPECT_LE(after.oneCore.latency, before.oneCore.latency);
                EXPECT_LE(after.allCores.latency, before.allCores.latency);
            }
        }
}

TEST(CoreCost, doesNotShrinkWithTheSizeOfTheWork) {
    Cases cases(4);
    for (int i = 0; i < 300; ++i) {
        const Gemm gemm = cases.gemm();
        const Architecture architecture = cases.architecture();
        const Rates rates = cases.rates();
        const OperatorCost before = physical().estimate({.gemm = gemm, .vector = {}}, architecture, rates);
        for (std::int64_t Gemm::*extent : {&Gemm::batch, &Gemm::m, &Gemm::n, &Gemm::k}) {
            Gemm larger = gemm;
            larger.*extent += cases.extent(8);
            const OperatorCost after = physical().estimate({.gemm = larger, .vector = {}}, architecture, rates);
            EXPECT_GE(after.oneCore.latency, before.oneCore.latency);
            EXPECT_GE(after.allCores.latency, before.allCores.latency);
        }
        const VectorKind& kind = vectorKinds()[cases.random().below(vectorKinds().size())];
        const std::int64_t elements = cases.extent(20);
        EXPECT_GE(physical()
                      .estimate({.gemm = {}, .vector = vectorWork(kind, elements + 1)}, architecture, rates)
                      .allCores.latency,
                  physical()
                      .estimate({.gemm = {}, .vector = vectorWork(kind, elements)}, architecture, rates)
                      .allCores.latency);
    }
}

TEST(CoreCost, isNeverHigherByPhazeOnVectorOperators) {
    Cases cases(5);
    for (int i = 0; i < 500; ++i) {
        const CoreWork work{.gemm = {}, .vector = cases.vector()};
        const Architecture architecture = cases.architecture();
        const Rates rates = cases.rates();
        const OperatorCost ours = physical().estimate(work, architecture, rates);
        const OperatorCost theirs = phaze().estimate(work, architecture, rates);
        EXPECT_LE(theirs.oneCore.latency, ours.oneCore.latency);
        EXPECT_LE(theirs.allCores.latency, ours.allCores.latency);
        EXPECT_EQ(theirs.allCores.limit, Limit::compute);
    }
}

TEST(CoreCost, ofAFusedOperatorIsAtMostThatOfItsParts) {
    Cases cases(6);
    for (int i = 0; i < 300; ++i) {
        const CoreWork work = cases.fused();
        const Architecture architecture = cases.architecture();
        const Rates rates = cases.rates();
        const OperatorCost fused = physical().estimate(work, architecture, rates);
        const OperatorCost product = physical().estimate({.gemm = work.gemm, .vector = {}}, architecture, rates);
        const OperatorCost rest = physical().estimate({.gemm = {}, .vector = work.vector}, architecture, rates);
        EXPECT_LE(fused.oneCore.latency, product.oneCore.latency + rest.oneCore.latency);
        EXPECT_LE(fused.allCores.latency, product.allCores.latency + rest.allCores.latency);
        EXPECT_GE(fused.oneCore.cycles, std::max(product.oneCore.cycles, rest.oneCore.cycles));
        EXPECT_LE(fused.oneCore.hbmBytes, product.oneCore.hbmBytes + rest.oneCore.hbmBytes);
        // Behind its product it is free by PHAZE.
        EXPECT_EQ(phaze().estimate(work, architecture, rates).oneCore,
                  phaze().estimate({.gemm = work.gemm, .vector = {}}, architecture, rates).oneCore);
    }
}

/// Two cores of each kind with 4 lanes or 4 x 4 elements, 2 words per cycle of the global buffer, a cycle a second.
const Architecture kSmall{.tensorCores = 2,
                          .vectorCores = 2,
                          .width = 4,
                          .height = 4,
                          .globalBuffer = Bytes{4096},
                          .tensorL2 = Bytes{1024},
                          .vectorL2 = Bytes{1024},
                          .globalWords = 2};
constexpr Rates kSlow{.clock = Hertz{1}, .hbmBandwidth = BytesPerSecond{1000}, .wordBytes = 2};

TEST(CoreCost, ofVectorWorkIsLanesOrBandwidth) {
    // Softmax: 8 cycles per element. 10 elements in 3 rounds of 4 lanes: 24 cycles; on two cores 5 each, 2 rounds: 16.
    const OperatorCost softmax =
        physical().estimate({.gemm = {}, .vector = vectorWork(*vectorKindNamed("softmax"), 10)}, kSmall, kSlow);
    EXPECT_EQ(softmax.oneCore.latency, Seconds{24});
    EXPECT_EQ(softmax.oneCore.limit, Limit::compute);
    EXPECT_EQ(softmax.allCores.latency, Seconds{16});
    EXPECT_EQ(softmax.oneCore.hbmBytes, 40);
    // An addition moves 3 words for a cycle of a lane: 400 elements are 100 cycles, but 1200 words at 2 per cycle.
    const CoreWork addition{.gemm = {}, .vector = vectorWork(*vectorKindNamed("add"), 400)};
    const OperatorCost ours = physical().estimate(addition, kSmall, kSlow);
    EXPECT_EQ(ours.oneCore.latency, Seconds{600});
    EXPECT_EQ(ours.allCores.latency, Seconds{600});
    EXPECT_EQ(ours.allCores.limit, Limit::globalBuffer);
    const OperatorCost theirs = phaze().estimate(addition, kSmall, kSlow);
    EXPECT_EQ(theirs.oneCore.latency, Seconds{100});
    EXPECT_EQ(theirs.allCores.latency, Seconds{50});
    // 2400 bytes from an HBM of 1 byte a second.
    const Rates slowest{.clock = Hertz{1}, .hbmBandwidth = BytesPerSecond{1}, .wordBytes = 2};
    const OperatorCost waiting = physical().estimate(addition, kSmall, slowest);
    EXPECT_EQ(waiting.allCores.latency, Seconds{2400});
    EXPECT_EQ(waiting.allCores.limit, Limit::hbm);
}

TEST(CoreCost, ofAFusedOperatorForwardsTheOutput) {
    // 4 x 4 outputs of a product over 4, then ReLU. By itself the product moves 3 * 16 words, ReLU 2 * 16; together the
    // 16 outputs of the product stay in the core: 48 - 16 + 16 words, 24 cycles, more than the 4 + 4 + 6 of the array.
    const CoreWork work{.gemm = Gemm{.m = 4, .n = 4, .k = 4}, .vector = vectorWork(*vectorKindNamed("relu"), 16)};
    const OperatorCost cost = physical().estimate(work, kSmall, kSlow);
    EXPECT_EQ(cost.oneCore.globalWords, 48);
    EXPECT_EQ(cost.oneCore.hbmBytes, 96);
    EXPECT_EQ(cost.oneCore.latency, Seconds{24});
    EXPECT_EQ(cost.oneCore.limit, Limit::globalBuffer);
}

TEST(CoreCost, ofAProductByPhazeHas128WordsPerCycleOfDram) {
    // 3 * 16 words of a product: 96 bytes at 256 per second against 1 per second.
    const Rates slowest{.clock = Hertz{1}, .hbmBandwidth = BytesPerSecond{1}, .wordBytes = 2};
    const CoreWork work{.gemm = Gemm{.m = 4, .n = 4, .k = 4}, .vector = {}};
    EXPECT_EQ(physical().estimate(work, kSmall, slowest).oneCore.latency, Seconds{96});
    EXPECT_EQ(phaze().estimate(work, kSmall, slowest).oneCore.latency, Seconds{24});  // 48 words at 2 per cycle
}

TEST(CoreCost, knowsConvolutionsAsProducts) {
    EXPECT_EQ(gemmOf({.k = 8, .c = 16, .y = 1, .x = 1, .batch = 32}), (Gemm{.m = 32, .n = 8, .k = 16}));
    // Two groups, stride 2: 32 samples of 3 x 3 outputs; 4 channels of 7 x 7 in each group, of which all are read.
    const Gemm grouped =
        gemmOf({.k = 6, .c = 8, .y = 7, .x = 7, .r = 3, .s = 3, .strideY = 2, .strideX = 2, .groups = 2, .batch = 32});
    EXPECT_EQ(grouped, (Gemm{.batch = 2, .m = 288, .n = 3, .k = 36, .leftShare = 32 * 8 * 49 / (2 * 288 * 36.0)}));
    // A depthwise one has a product for each channel; where strides leave elements out, not all are read.
    const Gemm depthwise = gemmOf({.kind = LayerKind::dsconv, .c = 5, .y = 4, .x = 4, .strideY = 2, .strideX = 2});
    EXPECT_EQ(depthwise, (Gemm{.batch = 5, .m = 4, .n = 1, .k = 1}));
}

TEST(CoreCost, ofAnAllReduceIsThatOfARing) {
    // Over 4 devices each sends 3 quarters of the bytes twice.
    EXPECT_EQ(allReduceTime(4, Bytes{1000}, BytesPerSecond{100}), Seconds{15});
    EXPECT_EQ(allReduceTime(1, Bytes{1000}, BytesPerSecond{100}), Seconds{0});
}

TEST(CoreCost, namesItsRows) {
    ASSERT_EQ(estimators().size(), 2U);
    EXPECT_EQ(estimators().front().id, "physical");
    for (const Estimator& estimator : estimators()) {
        EXPECT_EQ(estimatorNamed(estimator.id), &estimator);
        EXPECT_GE(estimator.assumptions.size(), 4U);
        for (const std::string_view assumption : estimator.assumptions) EXPECT_TRUE(assumption.ends_with('.'));
    }
    EXPECT_EQ(estimatorNamed("sunstone"), nullptr);
    EXPECT_EQ(vectorKindNamed("nothing"), nullptr);
}

/// The steps of a kind that are elementary functions; "1/sqrt" is one per row, not per element.
int elementaryIn(std::string_view steps) {
    int count = 0;
    for (const std::string_view word : {"divide", "root", "exp", "log", "tanh", "erf"})
        for (std::size_t at = steps.find(word); at != std::string_view::npos; at = steps.find(word, at + 1)) ++count;
    return count;
}

TEST(CoreCost, countsTheStepsOfEveryVectorKind) {
    std::set<std::string_view> ids;
    for (const VectorKind& kind : vectorKinds()) {
        EXPECT_TRUE(ids.insert(kind.id).second) << kind.id;
        EXPECT_EQ(kind.elementary, elementaryIn(kind.steps)) << kind.id;
        EXPECT_GT(cyclesPerElement(kind), 0) << kind.id;
        EXPECT_GT(kind.reads, 0) << kind.id;
        EXPECT_EQ(vectorKindNamed(kind.id), &kind);
    }
}

TEST(CoreCost, refusesWhatHasNoCost) {
    EXPECT_EQ(problemOf(CoreWork{}), "there is neither a product nor element-wise work");
    EXPECT_EQ(problemOf(CoreWork{.gemm = Gemm{.m = 0}, .vector = {}}), "an extent is 0; it must be from 1 to 2^40");
    EXPECT_EQ(problemOf(CoreWork{.gemm = Gemm{.leftShare = 0}, .vector = {}}),
              "a share of distinct elements is not above 0 and at most 1");
    EXPECT_EQ(problemOf(CoreWork{.gemm = {}, .vector = VectorWork{.elements = -1}}),
              "there are -1 elements; there must be from 1 to 2^40");
    EXPECT_EQ(problemOf(CoreWork{.gemm = {}, .vector = VectorWork{.cyclesPerElement = std::nan("")}}),
              "cycles of an element must be above 0, elements read and written not below 0");
    EXPECT_EQ(problemOf(CoreWork{.gemm = Gemm{}, .vector = {}}), "");
    Architecture architecture = kSmall;
    EXPECT_EQ(problemOf(architecture), "");
    architecture.width = 12;
    EXPECT_EQ(problemOf(architecture), "a side of its array is 12; it must be a power of two");
}

TEST(CoreCost, ofTheLargestAndSmallestIsFinite) {
    const hardware::Template space = hardware::loadTemplate("phaze");
    const std::vector<Architecture> all = architectures(space);
    for (const Architecture& architecture : {all.front(), all.back()}) {
        const Gemm huge{.batch = 1, .m = kLargestExtent, .n = kLargestExtent, .k = kLargestExtent};
        for (const Gemm& gemm : {huge, Gemm{}}) {
            const OperatorCost cost = physical().estimate({.gemm = gemm, .vector = {}}, architecture, space.rates);
            EXPECT_TRUE(std::isfinite(cost.oneCore.latency.value));
            EXPECT_GT(cost.allCores.latency.value, 0);
        }
    }
}

}  // namespace
