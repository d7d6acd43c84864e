#include "core/study/comparison.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/study/partition/outcome.h"
#include "tests/core/study/studies.h"
#include "tests/support/partition_result.h"

namespace tessera::study {
namespace {

const Comparison::Row* rowNamed(const Comparison& comparison, const std::string& field) {
    const auto found = std::find_if(comparison.inputs.begin(), comparison.inputs.end(),
                                    [&](const Comparison::Row& row) { return row.field == field; });
    return found == comparison.inputs.end() ? nullptr : &*found;
}

TEST(Comparison, ofARunWithItselfFindsEverythingTheSame) {
    const Result result = run(test::studyOf(test::samples().front()));
    const Comparison comparison = compare({&result, &result}, {"a", "b"});
    for (const Comparison::Row& row : comparison.inputs) EXPECT_TRUE(row.same) << row.field;
    for (const Comparison::MetricRow& row : comparison.metrics) EXPECT_TRUE(row.same) << row.metric.name;
    for (const Comparison::LayerRow& row : comparison.layers) EXPECT_TRUE(row.same) << row.layer;
    EXPECT_TRUE(comparison.warnings.empty());
    EXPECT_FALSE(comparison.layers.empty());
}

TEST(Comparison, tellsInputsMetricsAndTypesApart) {
    const Study study = test::studyOf(test::samples().front());
    Study other = study;
    other.hardware = {"accpar-homogeneous"};
    setParameter(other, "batch", {"256"});
    const Result a = run(study);
    const Result b = run(other);
    const Comparison comparison = compare({&a, &b}, {"mixed", "equal"}, 1);
    ASSERT_NE(rowNamed(comparison, "batch"), nullptr);
    EXPECT_EQ(rowNamed(comparison, "batch")->values, (std::vector<std::string>{"512", "256"}));
    EXPECT_FALSE(rowNamed(comparison, "batch")->same);
    EXPECT_EQ(rowNamed(comparison, "groups[1].peak")->values, (std::vector<std::string>{"420 TFLOP/s", ""}));
    EXPECT_TRUE(rowNamed(comparison, "dtype")->same);
    EXPECT_EQ(comparison.inputs.front().section, "Model");
    EXPECT_EQ(comparison.inputs.back().section, "Parameters");
    const Comparison::MetricRow& step = comparison.metrics.front();
    EXPECT_EQ(step.metric.name, "step_time_s");
    EXPECT_EQ(step.ratios[1], 1.0);
    EXPECT_EQ(*step.ratios[0], *step.values[0] / *step.values[1]);
    ASSERT_FALSE(comparison.warnings.empty());
    EXPECT_EQ(comparison.warnings.front(), "Batch sizes differ: 'mixed' against the baseline.");
}

TEST(Comparison, warnsOfAnotherModelVersionAndAssumptions) {
    const Result a = test::handMadeResult();
    Result b = a;
    b.study.models[0] = b.inputs[0].name = "zoo:three";
    b.version = "0.0.1";
    b.assumptions.emplace_back("The moon is full.");
    const Comparison comparison = compare({&a, &b}, {"a", "b"});
    EXPECT_EQ(comparison.warnings,
              (std::vector<std::string>{
                  "Models, or their contents, differ: 'b' against the baseline.",
                  "Assumptions differ: 'b' against the baseline; the assumptions of each run say which.",
                  "Program versions differ: 'b' against the baseline."}));
}

/// One group at level 0, called otherwise than the hand-made result's; its level 1 is the same "fast".
Result onAnotherFleet() {
    Result other = test::handMadeResult();
    for (partition::Plan& plan : other.outcome.get<PartitionOutcome>().result.plans) plan.levels[0].group = "fast";
    return other;
}

TEST(Comparison, comparesLayersByDepthWhereEachRunHasOneGroup) {
    const Result a = test::handMadeResult();
    Result b = onAnotherFleet();
    b.outcome.get<PartitionOutcome>().result.plans[0].levels[0].layers[0].type = partition::Type::II;
    const Comparison comparison = compare({&a, &b}, {"mixed", "equal"});
    std::vector<std::string> different;
    for (const Comparison::LayerRow& row : comparison.layers) {
        EXPECT_FALSE(row.types[0].empty() || row.types[1].empty()) << row.layer << " at " << row.level;
        if (!row.same) different.push_back(row.strategy + "/" + row.group + "/" + row.layer);
    }
    EXPECT_EQ(different, std::vector<std::string>{"accpar/fast / slow|fast/cv1"});
    ASSERT_EQ(comparison.notes.size(), 1U);
    EXPECT_NE(comparison.notes[0].find("compared whatever they are called"), std::string::npos) << comparison.notes[0];
}

TEST(Comparison, leavesOutSplitsThatOnlyOneRunHas) {
    Result a = test::handMadeResult();
    const Result b = test::handMadeResult();
    auto& levels = a.outcome.get<PartitionOutcome>().result.plans[0].levels;
    levels.push_back(levels[1]);
    levels.back().group = "slow";
    levels.back().layers[0].type = partition::Type::III;
    const Comparison comparison = compare({&a, &b}, {"a", "b"});
    for (const Comparison::LayerRow& row : comparison.layers) {
        EXPECT_TRUE(row.same) << row.layer << " at " << row.group;
        EXPECT_NE(row.group, "slow");
    }
    ASSERT_EQ(comparison.notes.size(), 1U);
    EXPECT_NE(comparison.notes[0].find("1 of 5 splits that only one run has is left out"), std::string::npos)
        << comparison.notes[0];
    EXPECT_FALSE(comparison.shares.front().same) << "the shares speak of all splits";
}

TEST(Comparison, sharesOfTypesSpeakOfAllSplits) {
    const Result a = test::handMadeResult();
    Result b = a;
    b.outcome.get<PartitionOutcome>().result.plans.pop_back();
    const Comparison comparison = compare({&a, &b}, {"a", "b"});
    ASSERT_EQ(comparison.shares.size(), 6U);
    // Level 0 has I and III, level 1 has I and I and stands for two groups.
    EXPECT_EQ(comparison.shares[0].type, "I");
    EXPECT_DOUBLE_EQ(*comparison.shares[0].shares[0], 5.0 / 6);
    EXPECT_DOUBLE_EQ(*comparison.shares[2].shares[1], 1.0 / 6);
    EXPECT_TRUE(comparison.shares[0].same);
    EXPECT_EQ(comparison.shares[3].strategy, "dp");
    EXPECT_EQ(comparison.shares[3].shares[1], std::nullopt);
    EXPECT_TRUE(comparison.notes.empty());
}

struct Incomparable {
    const char* name;
    void (*change)(Result& result);
    const char* warning;
};

class ComparisonWarning : public testing::TestWithParam<Incomparable> {};

TEST_P(ComparisonWarning, namesWhatMakesTheRunsHardToCompare) {
    const Result a = test::handMadeResult();
    Result b = a;
    GetParam().change(b);
    EXPECT_EQ(compare({&a, &b}, {"a", "b"}).warnings, std::vector<std::string>{GetParam().warning});
}

INSTANTIATE_TEST_SUITE_P(
    of, ComparisonWarning,
    testing::Values(
        Incomparable{"model", [](Result& result) { result.study.models[0] = result.inputs[0].name = "zoo:three"; },
                     "Models, or their contents, differ: 'b' against the baseline."},
        Incomparable{"batch", [](Result& result) { result.study.parameters["batch"] = 7; },
                     "Batch sizes differ: 'b' against the baseline."},
        Incomparable{"dtype", [](Result& result) { result.study.parameters["dtype"] = "fp16"; },
                     "Data types differ: 'b' against the baseline."},
        Incomparable{"assumptions", [](Result& result) { result.assumptions.emplace_back("So be it."); },
                     "Assumptions differ: 'b' against the baseline; the assumptions of each run say which."},
        Incomparable{"version", [](Result& result) { result.version = "0.0.1"; },
                     "Program versions differ: 'b' against the baseline."}),
    [](const auto& of) { return of.param.name; });

Result ofBatch(double batch, double seconds) {
    Result result = test::handMadeResult();
    auto& partition = result.outcome.get<PartitionOutcome>().result;
    partition.batch = batch;
    for (partition::Plan& plan : partition.plans) {
        plan.stepTime = Seconds{seconds};
        plan.throughput = batch / seconds;
    }
    return result;
}

TEST(Comparison, comparesStepTimesOfStepsThatDoTheSame) {
    const Result a = ofBatch(256, 0.2), b = ofBatch(256, 0.1);
    const Comparison comparison = compare({&a, &b}, {"a", "b"});
    EXPECT_EQ(comparison.deciding, "step_time_s");
    EXPECT_EQ(comparison.finding, "b is 2× as fast as a: 100 ms against 200 ms per step.");
    EXPECT_EQ(compare({&b, &a}, {"b", "a"}).finding, "No run is faster than b, at 100 ms per step.");
    EXPECT_EQ(compare({&a, &a}, {"a", "b"}).finding, "All runs take 200 ms per step.");
}

TEST(Comparison, comparesSamplesPerSecondWhereBatchesDiffer) {
    const Result small = ofBatch(256, 0.159), large = ofBatch(1024, 0.185);
    const Comparison comparison = compare({&large, &small}, {"large", "small"}, 1);
    EXPECT_EQ(comparison.deciding, "throughput_samples_per_s");
    EXPECT_EQ(comparison.finding, "large is 3.44× as fast as small: 5,535 samples/s against 1,610 samples/s.");
    EXPECT_EQ(compare({&large, &small}, {"large", "small"}).finding,
              "No run is faster than large, at 5,535 samples/s.");
}

TEST(Comparison, namesTheAcceleratorsWhereRunsHaveMoreOfThem) {
    const Result few = ofBatch(256, 0.2);
    Result many = ofBatch(512, 0.1);
    many.outcome.get<PartitionOutcome>().accelerators = few.outcome.get<PartitionOutcome>().accelerators * 2;
    const std::string counts = fmt::format("{} against {}", many.outcome.get<PartitionOutcome>().accelerators,
                                           few.outcome.get<PartitionOutcome>().accelerators);
    EXPECT_EQ(compare({&few, &many}, {"few", "many"}).finding,
              "many is 4× as fast as few: 5,120 samples/s against 1,280 samples/s, on " + counts + " accelerators.");
}

TEST(Comparison, takesTwoToTwoHundredRuns) {
    const Result result = test::handMadeResult();
    EXPECT_THROW(compare({&result}, {"a"}), UsageError);
    EXPECT_THROW(compare({&result, &result}, {"a"}), UsageError);
    EXPECT_THROW(compare({&result, &result}, {"a", "b"}, 2), UsageError);
    const std::vector<const Result*> many(200, &result);
    EXPECT_EQ(compare(many, std::vector<std::string>(200, "x")).runs.size(), 200U);
}

}  // namespace
}  // namespace tessera::study
