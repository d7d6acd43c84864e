#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/physical/measured_table.h"
#include "core/study/measured_throughput.h"
#include "core/study/plan/study.h"
#include "tests/support/plan_result.h"

namespace tessera::study {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const PlanOutcome& outcomeOf(const Result& result) {
    return result.outcome.get<PlanOutcome>();
}

/// The best of Llama 2 7B on 8 A100, with the published runs of a table.
PlanOutcome besideTable(const std::string& rows) {
    const std::string head =
        "set,id,model,dims,accelerator,accelerators,per_node,dtype,global_batch,micro_batch,tensor_parallel,"
        "pipeline_parallel,data_parallel,zero,optimizer,training,software,metric,value,source\n";
    PlanOutcome outcome = outcomeOf(test::planned("zoo:llama2-7b", "dgx-a100x8", 64));
    outcome.measured.clear();
    outcome.measuredElsewhere.clear();
    addMeasured(outcome, physical::readMeasuredTable(head + rows, "own.csv"));
    return outcome;
}

std::string rowOf(const std::string& id, const std::string& dims, const std::string& accelerators,
                  const std::string& dtype, const std::string& metric, const std::string& value) {
    return "mine," + id + ",zoo:llama," + dims + ",a100," + accelerators + ",8," + dtype + ",256,2,1,1," +
           accelerators + ",3,adam,1,torchtitan," + metric + "," + value + ",book\n";
}

const std::string kLlama7b = "layers=32;hidden=4096;heads=32;ffn=11008;vocabulary=32000;sequence=4096";

TEST(PlanBeside, takesRunsOfTheSameModelAcceleratorAndDataType) {
    const PlanOutcome outcome =
        besideTable(rowOf("far", kLlama7b, "64", "bf16", "tokens_per_s_per_accelerator", "3000") +
                    rowOf("near", kLlama7b, "8", "bf16", "tokens_per_s_per_accelerator", "3100") +
                    rowOf("padded", "layers=32;hidden=4096;heads=32;ffn=11008;vocabulary=32256;sequence=4096", "8",
                          "bf16", "tokens_per_s_per_accelerator", "3200") +
                    rowOf("other", "layers=40;hidden=5120;heads=40;ffn=13824;vocabulary=32000;sequence=4096", "8",
                          "bf16", "tokens_per_s_per_accelerator", "1700") +
                    rowOf("words", "layers=32;hidden=4096;heads=32;ffn=11008;vocabulary=128256;sequence=4096", "8",
                          "bf16", "tokens_per_s_per_accelerator", "2900") +
                    rowOf("tokens", "layers=32;hidden=4096;heads=32;ffn=11008;vocabulary=32000;sequence=2048", "8",
                          "bf16", "tokens_per_s_per_accelerator", "3300") +
                    rowOf("alike", kLlama7b, "16", "fp16", "tokens_per_s_per_accelerator", "3050") +
                    rowOf("slow", kLlama7b, "8", "tf32", "tokens_per_s_per_accelerator", "1000") +
                    rowOf("unsaid", kLlama7b, "8", "", "tokens_per_s_per_accelerator", "3000") +
                    rowOf("memory", kLlama7b, "8", "bf16", "memory_bytes", "6e10"));
    std::vector<std::string> ids;
    for (const MeasuredBeside& each : outcome.measured) ids.push_back(each.id);
    EXPECT_THAT(ids, ElementsAre("padded", "near", "alike", "far"))
        << "the nearest number of accelerators first, then the fastest; products in fp16 are as fast as in bf16";
    ASSERT_EQ(outcome.measuredElsewhere.size(), 1U);
    EXPECT_EQ(outcome.measuredElsewhere[0].dtype, "tf32");
    EXPECT_EQ(outcome.measuredElsewhere[0].runs, 1);
    const MeasuredBeside& near = outcome.measured[1];
    EXPECT_EQ(near.accelerators, 8);
    EXPECT_EQ(near.globalBatch, 256);
    EXPECT_EQ(near.of(plan::Axis::data), 8);
    EXPECT_EQ(near.of(plan::Axis::context), 0) << "its source does not say";
    EXPECT_EQ(near.software, "torchtitan");
    EXPECT_EQ(near.source, "book");
}

TEST(PlanBeside, allMetricsOfTimeMeanTokensOfAnAccelerator) {
    const PlanOutcome outcome =
        besideTable(rowOf("rate", kLlama7b, "8", "bf16", "tokens_per_s_per_accelerator", "3000") +
                    rowOf("samples", kLlama7b, "8", "bf16", "samples_per_s", "5.859375") +
                    rowOf("step", kLlama7b, "8", "bf16", "step_s", "43.690666666666665"));
    ASSERT_EQ(outcome.measured.size(), 3U);
    std::optional<double> predicted;
    for (const MeasuredBeside& each : outcome.measured) {
        EXPECT_NEAR(each.tokensPerSecond, 3000, 1e-6) << each.id;
        // One run, whatever it is said in.
        ASSERT_TRUE(each.predicted) << each.id;
        EXPECT_NEAR(*each.predicted, predicted.value_or(*each.predicted), 1e-6 * *each.predicted) << each.id;
        predicted = each.predicted;
    }
    EXPECT_GT(*predicted, 1000);
    EXPECT_LT(*predicted, 6000);
}

TEST(PlanBeside, bundledRunsOfGpt3OnH100AreThere) {
    const PlanOutcome& outcome = outcomeOf(test::measuredPlan());
    ASSERT_GT(outcome.measured.size(), 5U);
    for (const MeasuredBeside& each : outcome.measured) {
        EXPECT_EQ(each.accelerator, "h100");
        EXPECT_EQ(each.dtype, "fp8");
        EXPECT_GT(each.tokensPerSecond, 300) << each.id;
        EXPECT_LT(each.tokensPerSecond, 900) << each.id;
        ASSERT_TRUE(each.predicted) << each.id;
        EXPECT_NEAR(*each.predicted / each.tokensPerSecond, 1, 0.25) << each.id;
    }
}

TEST(PlanBeside, sizesOfTheFleetAreLookedAt) {
    const PlanOutcome& outcome = outcomeOf(test::largePlan());
    ASSERT_EQ(outcome.scaling.size(), 6U);
    for (const ScaledPlan& each : outcome.scaling) {
        EXPECT_EQ(static_cast<double>(each.accelerators), 128 * each.times);
        EXPECT_EQ(each.best.has_value(), each.misfit.empty());
        if (!each.best) continue;
        EXPECT_LT(each.low, each.best->of(plan::Objective::time));
        EXPECT_GT(each.high, each.best->of(plan::Objective::time));
        if (each.times != 1) continue;
        EXPECT_EQ(each.configuration, plan::shortText(outcome.best()->configuration));
        EXPECT_EQ(each.tokensPerSecond, outcome.best()->tokensPerSecond);
    }
    EXPECT_FALSE(outcome.scaling.front().best) << "175 billion parameters on 16 A100";
    EXPECT_THAT(outcome.scaling.front().misfit, testing::HasSubstr("lacks"));
    EXPECT_THAT(outcomeOf(test::emptyPlan()).scaling, IsEmpty());
}

TEST(PlanBeside, linksSayTheRateBetweenGroups) {
    const PlanOutcome& mixed = outcomeOf(test::mixedPlan());
    ASSERT_EQ(mixed.links.size(), 1U);
    EXPECT_EQ(mixed.links[0].from, 0U);
    EXPECT_EQ(mixed.links[0].to, 1U);
    EXPECT_EQ(mixed.links[0].rate, 50e9);
    EXPECT_THAT(outcomeOf(test::smallPlan()).links, IsEmpty());
}

TEST(PlanBeside, isReadBackAsItWasWritten) {
    for (const Result* result : {&test::mixedPlan(), &test::largePlan(), &test::measuredPlan()}) {
        const Json document = toJson(*result);
        const Result kept = readResult(JsonDocument::parse(toText(document), "kept.json").root(), result->study);
        EXPECT_EQ(toText(toJson(kept)), toText(document));
    }
}

TEST(PlanBeside, isNotInDocumentsOfOlderVersions) {
    Json document = toJson(test::mixedPlan());
    for (const char* key : {"links", "scaling", "measured", "measured_elsewhere"}) document.erase(key);
    const Result older = readResult(JsonDocument::parse(toText(document), "kept.json").root(), test::mixedPlan().study);
    EXPECT_THAT(outcomeOf(older).scaling, IsEmpty());
    EXPECT_THAT(outcomeOf(older).links, IsEmpty());
    EXPECT_NE(outcomeOf(older).best(), nullptr);
}

}  // namespace
}  // namespace tessera::study
