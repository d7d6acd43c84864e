#include "core/study/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
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
    EXPECT_EQ(comparison.warnings.front(), "Another batch size is behind 'mixed'.");
}

TEST(Comparison, warnsOfAnotherModelVersionAndAssumptions) {
    const Result a = test::handMadeResult();
    Result b = a;
    b.study.models[0] = b.inputs[0].name = "zoo:three";
    b.version = "0.0.1";
    b.assumptions.emplace_back("The moon is full.");
    const Comparison comparison = compare({&a, &b}, {"a", "b"});
    EXPECT_EQ(comparison.warnings,
              (std::vector<std::string>{"Another model, or other contents of it, is behind 'b'.",
                                        "Other assumptions are behind 'b'; the assumptions of each run say which.",
                                        "Another version of the program computed 'b'."}));
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
