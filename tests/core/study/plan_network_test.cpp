#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/study/placement/study.h"
#include "core/study/plan/study.h"
#include "core/study/study.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

/// Plans of networks that are no transformers of text: layers with costs of their own, of the zoo and of ONNX files.
namespace tessera::study {
namespace {

using plan::Objective;
using Settings = std::vector<std::pair<std::string, std::string>>;

Study networkStudy(const std::string& model, const std::string& fleet, const Settings& settings) {
    Study study = newStudy("plan");
    study.models = {model};
    study.hardware = {fleet};
    for (const auto& [name, text] : settings) setParameter(study, name, {text});
    return study;
}

PlanOutcome plannedNetwork(const std::string& model, const std::string& fleet, const Settings& settings) {
    return run(networkStudy(model, fleet, settings)).outcome.get<PlanOutcome>();
}

std::string onnxFile(const char* name) {
    return test::sourcePath("tests/data/models/" + std::string(name)).string();
}

double bestStep(const PlanOutcome& outcome) {
    return outcome.best() != nullptr ? outcome.best()->scores.of(Objective::time) : 0;
}

TEST(PlanOfNetworks, isTheFastestThatPlaceFinds) {
    for (const std::string& model : {std::string("zoo:resnet50"), std::string("zoo:unet"), onnxFile("alexnet.onnx"),
                                     onnxFile("convnext_tiny_op17_static.onnx"), onnxFile("gpt2_small.onnx")})
        for (const char* batch : {"8", "256"}) {
            const PlanOutcome planned = plannedNetwork(model, "dgx-h100x8", {{"global_batch", batch}});
            Study place = networkStudy(model, "dgx-h100x8", {});
            place.engine = "place";
            setParameter(place, "global_batch", {batch});
            const Result placed = run(place);
            const codesign::Placement& placement = placed.outcome.get<PlacementOutcome>().placement;
            ASSERT_TRUE(placement.plan) << model;
            EXPECT_EQ(planned.ended, EndedBy::proof);
            EXPECT_NEAR(bestStep(planned) / placement.plan->timePerBatch.value, 1, 1e-9)
                << model << ", batch " << batch;
        }
}

TEST(PlanOfNetworks, countsInSamplesAndReadsBackWhatItWrites) {
    const Study study = networkStudy("zoo:resnet50", "dgx-h100x8", {{"global_batch", "1024"}, {"limits", "true"}});
    const Result result = run(study);
    const Json document = toJson(result);
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(document.dump()), "plan-result.schema.json"), "");
    const Result read = readResult(JsonDocument::parse(toText(document), "run.json").root(), study);
    EXPECT_EQ(toText(toJson(read)), toText(document));
    EXPECT_EQ(metricsOf(read), metricsOf(result));
    const auto& outcome = read.outcome.get<PlanOutcome>();
    EXPECT_EQ(outcome.parameters, 25'557'032);  // as published
    EXPECT_NE(headline(read).find(" samples/s"), std::string::npos) << headline(read);
    bool countsSamples = false;
    for (const Metric& metric : metricsOf(read)) {
        EXPECT_NE(metric.name, "tokens_per_s");
        EXPECT_NE(metric.name, "energy_j");
        if (metric.name != "samples_per_s") continue;
        countsSamples = true;
        EXPECT_NE(textOf(metric).find(" samples/s"), std::string::npos) << textOf(metric);
    }
    EXPECT_TRUE(countsSamples);
    // 12.3 GFLOP a sample and pass forwards and back, over the peak of eight accelerators.
    EXPECT_NEAR(outcome.best()->utilisation * bestStep(outcome) * 8 * 989e12 / 1024, 3 * 8.2e9, 0.1 * 3 * 8.2e9);
    ASSERT_TRUE(outcome.limits);
    EXPECT_EQ(outcome.limits->sequence, 0);
    EXPECT_EQ(outcome.limits->accelerators, 1);
    EXPECT_THROW(frameworkPlanOf(outcome, {}), UsageError);
}

/// A fleet of another size is what a plan on it says; better hardware is no slower.
TEST(PlanOfNetworks, followsTheHardware) {
    const PlanOutcome outcome = plannedNetwork("zoo:resnet50", "dgx-h100x8", {{"global_batch", "512"}});
    for (const ScaledPlan& each : outcome.scaling) {
        ASSERT_TRUE(each.best);
        if (each.accelerators > 1) continue;
        const PlanOutcome one =
            plannedNetwork("zoo:resnet50", "dgx-h100x8", {{"global_batch", "512"}, {"fix", "dp=1,pp=1"}});
        EXPECT_NEAR(each.best->of(Objective::time) / bestStep(one), 1, 1e-12);
    }
    bool gains = false;
    for (const plan::Sensitivity& each : outcome.sensitivities) {
        EXPECT_LE(each.seconds, bestStep(outcome) * (1 + 1e-12));
        gains |= each.seconds < 0.999 * bestStep(outcome);
    }
    EXPECT_TRUE(gains);
}

/// Whole copies on both groups, a step faster than on either alone, and what is said of it reads back.
TEST(PlanOfNetworks, laysCopiesOnAllGroupsOfAMixedFleet) {
    const Study study = networkStudy("zoo:resnet50", "h100-h200-mixed", {{"global_batch", "8192"}});
    const Result result = run(study);
    const auto& outcome = result.outcome.get<PlanOutcome>();
    EXPECT_EQ(outcome.ended, EndedBy::proof);
    ASSERT_NE(outcome.best(), nullptr);
    const plan::Configuration& best = outcome.best()->configuration;
    ASSERT_TRUE(best.isSideBySide());
    EXPECT_EQ(best.data, 64);
    for (const char* group : {"h100", "h200"}) {
        const PlanOutcome alone = plannedNetwork("zoo:resnet50", "h100-h200-mixed",
                                                 {{"global_batch", "8192"}, {"fix", "group=" + std::string(group)}});
        EXPECT_LT(bestStep(outcome), 0.8 * bestStep(alone)) << group;
    }
    const Json document = toJson(result);
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(document.dump()), "plan-result.schema.json"), "");
    EXPECT_EQ(toText(toJson(readResult(JsonDocument::parse(toText(document), "run.json").root(), study))),
              toText(document));
    // Slow ones take fewer micro-batches: an H200 reads its memory faster.
    const PlanOutcome small =
        plannedNetwork("zoo:resnet50", "h100-h200-mixed", {{"global_batch", "49152"}, {"fix", "mb=16,dp=64"}});
    ASSERT_NE(small.best(), nullptr);
    const std::vector<plan::Part>& parts = small.best()->configuration.parts;
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_LT(parts[0].microBatches, parts[1].microBatches);
    EXPECT_GE(32 * (parts[0].microBatches + parts[1].microBatches), 49152 / 16);
}

TEST(PlanOfNetworks, refusesWhatIsOfTransformers) {
    const auto refusalOf = [](const std::string& model, const std::string& fleet, const Settings& settings) {
        try {
            run(networkStudy(model, fleet, settings));
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const std::string model = "zoo:resnet50", fleet = "dgx-h100x8";
    EXPECT_NE(refusalOf(model, fleet, {{"tokens", "1e9"}}).find("'--tokens' is of transformers"), std::string::npos);
    EXPECT_NE(refusalOf(model, fleet, {{"objective", "energy"}}).find("not known"), std::string::npos);
    EXPECT_NE(refusalOf(model, fleet, {{"dtype", "bf16,fp8"}}).find("one data type"), std::string::npos);
    EXPECT_NE(refusalOf(model, "accpar-heterogeneous", {}).find("the network beyond a node of group 'v2' is not known"),
              std::string::npos);
    EXPECT_NE(refusalOf(onnxFile("alexnet.onnx"), fleet, {{"sequence", "128"}}), "");
    Study slice = networkStudy("zoo:gpt2", fleet, {});
    slice.dimensions["tensor_parallel"] = 4;
    EXPECT_THROW(run(slice), UsageError);
    const PlanOutcome split = plannedNetwork(model, fleet, {{"global_batch", "64"}, {"fix", "tp=2"}});
    ASSERT_TRUE(split.shortage);
    EXPECT_NE(split.shortage->reason.find("no costs at a tensor-parallel degree of 2"), std::string::npos)
        << split.shortage->reason;
}

}  // namespace
}  // namespace tessera::study
