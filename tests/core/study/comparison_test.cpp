#include "core/study/comparison.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/study/cost/study.h"
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

const Comparison::MetricRow& metricNamed(const Comparison& comparison, const std::string& name) {
    for (const Comparison::MetricRow& row : comparison.metrics)
        if (row.metric.name == name) return row;
    throw UsageError("no metric " + name);
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
    const Comparison::MetricRow& speedup = metricNamed(comparison, "speedup_over_dp");
    EXPECT_EQ(speedup.ratios[1], 1.0);
    EXPECT_EQ(*speedup.ratios[0], *speedup.values[0] / *speedup.values[1]);
    EXPECT_THAT(comparison.warnings, testing::Contains("Batch sizes differ: 512 (A), 256 (B)."));
}

TEST(Comparison, warnsOfAnotherModelVersionAndAssumptions) {
    const Result a = test::handMadeResult();
    Result b = a;
    b.study.models[0] = b.inputs[0].name = "zoo:three";
    b.version = "0.0.1";
    b.assumptions.emplace_back("The moon is full.");
    const Comparison comparison = compare({&a, &b}, {"a", "b"});
    EXPECT_EQ(comparison.warnings,
              (std::vector<std::string>{"Models, or their contents, differ: B against A.",
                                        "Assumptions differ: B against A; the assumptions of each run say which.",
                                        "Program versions differ: B against A."}));
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
    b.outcome.get<PartitionOutcome>().result.plans[0].levels[0].layers.change(
        0, [](partition::LayerPlan& row) { row.type = partition::Type::II; });
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
    levels.back().layers.change(0, [](partition::LayerPlan& row) { row.type = partition::Type::III; });
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
    testing::Values(Incomparable{"model",
                                 [](Result& result) { result.study.models[0] = result.inputs[0].name = "zoo:three"; },
                                 "Models, or their contents, differ: B against A."},
                    Incomparable{"dtype", [](Result& result) { result.study.parameters["dtype"] = "fp16"; },
                                 "Data types differ: B against A."},
                    Incomparable{"assumptions", [](Result& result) { result.assumptions.emplace_back("So be it."); },
                                 "Assumptions differ: B against A; the assumptions of each run say which."},
                    Incomparable{"version", [](Result& result) { result.version = "0.0.1"; },
                                 "Program versions differ: B against A."}),
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
    EXPECT_EQ(comparison.finding, "B (b) is 2× as fast as A (a): 100 ms against 200 ms per step.");
    EXPECT_EQ(compare({&b, &a}, {"b", "a"}).finding, "No run is faster than A (b), at 100 ms per step.");
    EXPECT_EQ(compare({&a, &a}, {"a", "b"}).finding, "All runs take 200 ms per step.");
    const Result close = ofBatch(256, 0.1999);
    EXPECT_THAT(compare({&a, &close}, {"a", "close"}).finding, testing::StartsWith("B (close) is 1.0005× as fast as"));
}

TEST(Comparison, comparesSamplesPerSecondWhereBatchesDiffer) {
    const Result small = ofBatch(256, 0.159), large = ofBatch(1024, 0.185);
    const Comparison comparison = compare({&large, &small}, {"large", "small"}, 1);
    EXPECT_EQ(comparison.deciding, "throughput_samples_per_s");
    EXPECT_EQ(comparison.finding, "A (large) is 3.44× as fast as B (small): 5,535 samples/s against 1,610 samples/s.");
    EXPECT_EQ(compare({&large, &small}, {"large", "small"}).finding,
              "No run is faster than A (large), at 5,535 samples/s.");
}

TEST(Comparison, saysAmountsOfAStepPerSampleWhereBatchesDiffer) {
    const Result small = ofBatch(256, 0.159), large = ofBatch(1024, 0.185);
    const Comparison comparison = compare({&small, &large}, {"small", "large"});
    EXPECT_EQ(comparison.unlike, "batch sizes differ");
    EXPECT_EQ(comparison.metrics.front().metric.name, "throughput_samples_per_s") << "what is comparable comes first";
    const Comparison::MetricRow& step = metricNamed(comparison, "step_time_s");
    EXPECT_FALSE(step.comparable);
    EXPECT_EQ(step.ratios, std::vector<std::optional<double>>(2));
    const Comparison::MetricRow& each = metricNamed(comparison, "per_1000_samples/step_time_s");
    EXPECT_DOUBLE_EQ(*each.values[0], 159.0 / 256);
    EXPECT_DOUBLE_EQ(*each.values[1], 185.0 / 1024);
    EXPECT_EQ(textOf(each.metric), "621 ms");
    EXPECT_FALSE(metricNamed(comparison, "dp/step_time_s").comparable) << "nor are those of a strategy";
    EXPECT_TRUE(metricNamed(comparison, "gap").comparable);
}

TEST(Comparison, explainsWhatItAdds) {
    const Result small = ofBatch(256, 0.2);
    Result large = ofBatch(1024, 0.2);
    large.outcome.get<PartitionOutcome>().accelerators *= 2;
    const Comparison comparison = compare({&small, &large}, {"small", "large"});
    const auto each = explainCompared(comparison, "per_accelerator/throughput_samples_per_s", 1, large);
    ASSERT_TRUE(each);
    EXPECT_EQ(each->formula, "samples of a step / its time / accelerators in use");
    EXPECT_EQ(each->terms.front().value, fmt::format("{}", comparison.works[1].devices));
    const auto known = explainCompared(comparison, "step_time_s", 0, small);
    ASSERT_TRUE(known);
    EXPECT_EQ(known->value, "200 ms");
    EXPECT_FALSE(explainCompared(comparison, "no_such_metric", 0, small));
}

TEST(Comparison, namesTheAcceleratorsWhereRunsHaveMoreOfThem) {
    const Result few = ofBatch(256, 0.2);
    Result many = ofBatch(512, 0.1);
    many.outcome.get<PartitionOutcome>().accelerators = few.outcome.get<PartitionOutcome>().accelerators * 2;
    const Comparison comparison = compare({&few, &many}, {"few", "many"});
    EXPECT_EQ(comparison.deciding, "per_accelerator/throughput_samples_per_s");
    EXPECT_EQ(comparison.unlike, "batch sizes and accelerators in use differ");
    EXPECT_THAT(comparison.finding, testing::StartsWith("B (many) does 2× as much per accelerator as A (few): "));
    EXPECT_THAT(comparison.finding, testing::EndsWith(fmt::format(
                                        "; in all 5,120 samples/s on {} against 1,280 samples/s on {} accelerators.",
                                        many.outcome.get<PartitionOutcome>().accelerators,
                                        few.outcome.get<PartitionOutcome>().accelerators)));
    EXPECT_EQ(comparison.metrics.front().metric.name, comparison.deciding);
}

/// The same step on twice the accelerators: its time cannot be compared, its throughput can.
TEST(Comparison, comparesThroughputWhereAcceleratorsAloneDiffer) {
    const Result few = ofBatch(256, 0.2);
    Result many = ofBatch(256, 0.15);
    many.outcome.get<PartitionOutcome>().accelerators *= 2;
    const Comparison comparison = compare({&few, &many}, {"few", "many"});
    EXPECT_EQ(comparison.unlike, "accelerators in use differ");
    EXPECT_FALSE(metricNamed(comparison, "step_time_s").comparable);
    EXPECT_DOUBLE_EQ(*metricNamed(comparison, "throughput_samples_per_s").ratios[1], 0.2 / 0.15);
    EXPECT_THAT(comparison.finding, testing::StartsWith("No run does more per accelerator than A (few)"));
}

TEST(Comparison, takesTwoToTwoHundredRuns) {
    const Result result = test::handMadeResult();
    EXPECT_THROW(compare({&result}, {"a"}), UsageError);
    EXPECT_THROW(compare({&result, &result}, {"a"}), UsageError);
    EXPECT_THROW(compare({&result, &result}, {"a", "b"}, 2), UsageError);
    const std::vector<const Result*> many(200, &result);
    const Comparison comparison = compare(many, std::vector<std::string>(200, "x"));
    EXPECT_EQ(comparison.runs.size(), 200U);
    EXPECT_EQ(comparison.letters.front(), "A");
    EXPECT_EQ(comparison.letters[26], "AA");
    EXPECT_EQ(comparison.letters.back(), "GR");
}

Result costOfAlexnet() {
    Study study = newStudy("cost");
    study.workloads = {"zoo:alexnet"};
    return run(study);
}

/// Engines that train the same network are compared by samples; one that does not stands alone.
TEST(Comparison, joinsEnginesThatHaveNumbersInCommon) {
    const Result split = run(test::studyOf(test::samples().front()));
    Study study = newStudy("predict");
    study.models = split.study.models;
    study.hardware = {"a100"};
    const Result predicted = run(study);
    const Result other = costOfAlexnet();
    const std::vector<const Result*> results{&split, &other, &predicted};
    EXPECT_EQ(comparableRuns(results), (std::vector<std::vector<std::size_t>>{{0, 2}, {1}}));
    const ComparedKinds kinds = compareByKind(results, {"split", "other", "predicted"}, 2);
    ASSERT_EQ(kinds.comparisons.size(), 1U);
    EXPECT_EQ(kinds.alone, std::vector<std::size_t>{1});
    const Comparison& comparison = kinds.comparisons.front();
    EXPECT_EQ(comparison.letters, (std::vector<std::string>{"A", "C"}));
    EXPECT_EQ(comparison.baseline, 1U) << "the run that was asked for";
    EXPECT_EQ(comparison.deciding, "per_accelerator/throughput_samples_per_s");
    EXPECT_TRUE(metricNamed(comparison, comparison.deciding).values[0]);
    EXPECT_THAT(compare(results, {"a", "b", "c"}).finding, testing::StartsWith("3 runs of several kinds"));
}

TEST(Comparison, comparesPartByPart) {
    const Result a = costOfAlexnet();
    Result b = a;
    b.outcome.get<CostOutcome>().layers.front().cost.cycles *= 2;
    b.outcome.get<CostOutcome>().layers.pop_back();
    const Comparison comparison = compare({&a, &b}, {"a", "b"});
    EXPECT_EQ(comparison.partsTitle, "Layers");
    ASSERT_EQ(comparison.parts.size(), a.outcome.get<CostOutcome>().layers.size() - 1)
        << "what one run alone has is left out";
    EXPECT_FALSE(comparison.parts.front().same);
    EXPECT_EQ(comparison.parts.front().parts[1]->value, 2 * comparison.parts.front().parts[0]->value);
    EXPECT_TRUE(comparison.parts.back().same);
}

}  // namespace
}  // namespace tessera::study
