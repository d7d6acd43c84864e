#include "core/predict/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.h"
#include "tests/core/predict/machines.h"

namespace tessera::predict::test {
namespace {

constexpr std::size_t kIo = 0, kWeights = 1, kGradients = 2, kAlgorithm = 3, kEphemeral = 4;

/// The same peak by counting at every operator which tensors are live.
double peakByCounting(const Workload& workload, double batch) {
    double max = 0;
    for (std::int32_t at = 0; at < static_cast<std::int32_t>(workload.operators.size()); ++at) {
        double sum = 0;
        for (const StepTensor& tensor : workload.tensors)
            if (tensor.birth <= at && at <= tensor.death) sum += tensor.bytes.at(batch);
        max = std::max(max, sum);
    }
    return max;
}

TEST(LiveRanges, peakIsTheLargestLiveSet) {
    for (const char* name : {"zoo:lenet5", "zoo:resnet18", "zoo:candle-uno"}) {
        const Workload step = workload(name);
        const LiveRanges live(step);
        for (const double batch : {1.0, 7.0, 64.0})
            EXPECT_DOUBLE_EQ(sumOf(live.peak(batch).bytes), peakByCounting(step, batch)) << name << ' ' << batch;
    }
}

TEST(LiveRanges, holdsWhatEveryOperatorTouches) {
    const Workload step = workload("zoo:resnet18");
    const double peak = sumOf(LiveRanges(step).peak(8).bytes);
    for (const StepTensor& tensor : step.tensors) EXPECT_LE(tensor.bytes.at(8), peak);
    EXPECT_LE(peak, sumOf(closedForm(step, 8)) * 2) << "gradients of activations are not all there at once";
}

TEST(LiveRanges, leaveOutScoresThatFusedAttentionMakesAgain) {
    const Workload step = workload("zoo:bert-base");
    const auto peakOf = [](const Workload& of, Scores scores) { return sumOf(LiveRanges(of, scores).peak(8).bytes); };
    // What the softmax of 12 layers of 12 heads makes of 512 tokens, 2 bytes each, which its gradient reads.
    const double kept = 8.0 * 12 * 12 * 512 * 512 * 2;
    EXPECT_GE(peakOf(step, Scores::stored) - peakOf(step, Scores::madeAgain), kept);
    EXPECT_GE(peakOf(step, Scores::madeAgain), 8.0 * 12 * 512 * 768 * 2 * 10) << "all else stays";
    const Workload convolving = workload("zoo:resnet18");
    EXPECT_EQ(peakOf(convolving, Scores::stored), peakOf(convolving, Scores::madeAgain));
    for (const StepTensor& tensor : workload("zoo:dlrm").tensors) EXPECT_FALSE(tensor.isScore);
}

TEST(LiveRanges, growWithTheBatch) {
    const LiveRanges live(workload("zoo:resnet18"));
    double before = 0;
    for (const double batch : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
        const double now = sumOf(live.peak(batch).bytes);
        EXPECT_GT(now, before) << batch;
        before = now;
    }
}

/// Of a parameter in mixed precision, Adam reads and writes what memory holds: two moments and a copy of four bytes
/// each.
TEST(Workload, movesTheStateOfTheOptimizerAsItIsKept) {
    const Workload step = workload("zoo:lenet5");
    const CategoryBytes kept = LiveRanges(step).peak(1).bytes;
    CategoryBytes moved{};
    for (const StepOperator& op : step.operators)
        for (std::size_t category = 0; category < kCategories && op.phase == model::Phase::update; ++category)
            moved.at(category) += op.traffic->at(category).at(1);
    const double parameters = step.parameters, gradient = 2, state = 2 * kStateBytes;
    EXPECT_DOUBLE_EQ(moved[kGradients], (gradient + 2 * state) * parameters);
    EXPECT_DOUBLE_EQ(moved[kWeights], 2 * 2 * parameters);
    EXPECT_DOUBLE_EQ(moved[kAlgorithm], 2 * kept[kAlgorithm]);
    EXPECT_GE(kept[kGradients], state * parameters);
}

TEST(LiveRanges, keepWeightsStateAndCopiesThroughTheStep) {
    const Workload step = workload("zoo:lenet5");
    const double parameters = step.parameters;
    ASSERT_GT(parameters, 0);
    const CategoryBytes bytes = LiveRanges(step).peak(1).bytes;
    EXPECT_DOUBLE_EQ(bytes[kWeights], 2 * parameters);
    EXPECT_DOUBLE_EQ(bytes[kAlgorithm], 4 * parameters);
    EXPECT_GE(bytes[kGradients], 8 * parameters) << "two moments of Adam in float32";
    EXPECT_LE(bytes[kGradients], 10 * parameters) << "and a gradient of every parameter";
    EXPECT_EQ(bytes[kEphemeral], 0);
    EXPECT_GT(bytes[kIo], 0);
}

TEST(LiveRanges, ofFp32HaveNoCopies) {
    const Workload step = workload("zoo:lenet5", "fp32", model::Optimizer::sgd);
    const CategoryBytes bytes = LiveRanges(step).peak(1).bytes;
    EXPECT_DOUBLE_EQ(bytes[kWeights], 4 * step.parameters);
    EXPECT_EQ(bytes[kAlgorithm], 0);
    EXPECT_LE(bytes[kGradients], 4 * step.parameters);
}

TEST(LiveRanges, ofStagesHoldTheParametersOnce) {
    const Workload step = workload("zoo:resnet18");
    std::vector<std::int32_t> stages(step.crossing.size());
    for (std::size_t i = 0; i < stages.size(); ++i) stages[i] = i < stages.size() / 2 ? 0 : 1;
    const double first = LiveRanges(step, stages, 0).peak(4).bytes[kAlgorithm];
    const double second = LiveRanges(step, stages, 1).peak(4).bytes[kAlgorithm];
    EXPECT_DOUBLE_EQ(first + second, 4 * step.parameters);
    EXPECT_GT(first, 0);
    EXPECT_GT(second, first) << "the later half of a ResNet has most of the weights";
}

TEST(Workload, scalesALoadedBatch) {
    model::LoadOptions load;
    load.batch = 8;
    const Workload one = workload("zoo:resnet18");
    const Workload eight =
        workloadOf(model::loadModel("zoo:resnet18", load), precisionOf("fp16"), model::Optimizer::adam);
    EXPECT_DOUBLE_EQ(sumOf(LiveRanges(one).peak(8).bytes), sumOf(LiveRanges(eight).peak(8).bytes));
    EXPECT_DOUBLE_EQ(one.flops(3), eight.flops(3));
    EXPECT_EQ(one.gradientBytes, eight.gradientBytes);
    EXPECT_EQ(one.gradientBytes, 2 * one.parameters);
}

TEST(Workload, refusesWhatItCannotCount) {
    EXPECT_EQ(refusal<UsageError>([] { precisionOf("int4"); }),
              "cannot train in the data type 'int4'; expected one of bf16, fp16, fp32, tf32, fp64, fp8");
}

// Placement -----------------------------------------------------------------------------------------------------------

const char* const kTwoLevels = R"({"schema": "tessera.accelerator/1", "name": "two", "peak_flops": {"fp16": 1e12},
    "memory": [{"name": "SRAM", "capacity_bytes": 100, "bandwidth_bytes_per_s": 1e12, "on_chip": true},
               {"name": "DRAM", "capacity_bytes": 1000, "bandwidth_bytes_per_s": 1e11}]PLACEMENT})";

hardware::Accelerator twoLevels(const std::string& placement) {
    std::string text = kTwoLevels;
    text.replace(text.find("PLACEMENT"), 9, placement.empty() ? "" : ", \"placement\": " + placement);
    return accelerator(text);
}

Placement placed(const CategoryBytes& bytes, const std::string& placement) {
    const hardware::Accelerator of = twoLevels(placement);
    return place(bytes, of, policyOf(of));
}

constexpr CategoryBytes kBytes{80, 60, 50, 40, 30};

TEST(Placement, offChipLeavesTheChipEmpty) {
    const Placement placement = placed(kBytes, "");
    EXPECT_EQ(sumOf(placement.levels[0].bytes), 0);
    EXPECT_EQ(placement.levels[1].bytes, kBytes);
    EXPECT_FALSE(placement.shortage);
}

TEST(Placement, cacheIntermediatesNeedsRoomOnTheChip) {
    const Placement placement = placed(kBytes, R"({"policy": "cache-intermediates"})");
    EXPECT_EQ(placement.levels[0].bytes[kIo], 80);
    EXPECT_EQ(placement.levels[0].bytes[kEphemeral], 30);
    EXPECT_EQ(placement.levels[1].bytes[kWeights], 60);
    ASSERT_TRUE(placement.shortage);
    EXPECT_EQ(placement.shortage->level, "SRAM");
    EXPECT_EQ(placement.shortage->excess, 10);
}

TEST(Placement, spillFillsTheChipFirst) {
    const Placement placement = placed(kBytes, R"({"policy": "spill-in-order"})");
    EXPECT_EQ(placement.levels[0].bytes, (CategoryBytes{70, 0, 0, 0, 30}));
    EXPECT_EQ(placement.levels[1].bytes, (CategoryBytes{10, 60, 50, 40, 0}));
    EXPECT_FALSE(placement.shortage);
}

TEST(Placement, weightsStayOnTheChip) {
    EXPECT_EQ(placed(kBytes, R"({"policy": "weights-on-chip"})").levels[0].bytes, (CategoryBytes{10, 60, 0, 0, 30}));
    const Placement tooLarge = placed({0, 160, 0, 0, 0}, R"({"policy": "weights-on-chip"})");
    ASSERT_TRUE(tooLarge.shortage);
    EXPECT_EQ(tooLarge.shortage->category, Category::weights);
    EXPECT_EQ(tooLarge.shortage->excess, 60);
}

TEST(Placement, theFilesOwnTableStandsAboveThePolicy) {
    const Placement placement =
        placed(kBytes, R"({"policy": "off-chip", "levels": {"gradients": ["SRAM", "DRAM"], "algorithm": ["SRAM"]}})");
    EXPECT_EQ(placement.levels[0].bytes, (CategoryBytes{0, 0, 50, 40, 0}));
    EXPECT_FALSE(placement.shortage);
}

TEST(Placement, everyPolicyKeepsEveryByte) {
    const hardware::Accelerator of = twoLevels("");
    for (const PlacementPolicy& policy : placementPolicies())
        for (const double scale : {0.1, 1.0, 10.0}) {
            CategoryBytes bytes = kBytes;
            for (double& part : bytes) part *= scale;
            const Placement placement = place(bytes, of, policy);
            double sum = 0;
            for (const LevelUse& level : placement.levels) sum += sumOf(level.bytes);
            EXPECT_NEAR(sum, sumOf(bytes), 1e-9) << policy.id;
        }
}

TEST(Placement, namesWhatItDoesNotKnow) {
    EXPECT_EQ(refusal<DataError>([] { policyOf(twoLevels(R"({"policy": "best"})")); }),
              "chip.json: field 'placement.policy' is 'best'; expected one of off-chip, cache-intermediates, "
              "spill-in-order, weights-on-chip");
    EXPECT_EQ(
        refusal<DataError>([] { policyOf(twoLevels(R"({"policy": "off-chip", "levels": {"io": ["SRAM"]}})")); }),
        "chip.json: field 'placement.levels' is 'io'; expected one of input_output, weights, gradients, algorithm, "
        "ephemeral");
}

// Batch size ----------------------------------------------------------------------------------------------------------

TEST(Batch, takesTheLargestThatFits) {
    const Occupancy limit{.onChip = 0, .offChip = 100};
    const std::vector<BatchCandidate> candidates{
        {1, {0, 20}, true}, {2, {0, 40}, true}, {4, {0, 80}, true}, {8, {0, 160}, false}};
    EXPECT_EQ(chooseBatch(candidates, limit), 2U);
    EXPECT_EQ(chooseBatch({{8, {0, 160}, false}}, limit), std::nullopt);
    EXPECT_EQ(chooseBatch({{1, {0, 20}, true}, {2, {0, 20}, true}}, limit), 1U) << "ties go to the larger";
}

}  // namespace
}  // namespace tessera::predict::test
