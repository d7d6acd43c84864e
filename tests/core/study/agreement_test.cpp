#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
#include "core/hardware/library.h"
#include "core/physical/network_run.h"
#include "core/physical/training_predictor.h"
#include "core/study/known_transformer.h"
#include "core/study/partition/study.h"
#include "core/study/placement/study.h"
#include "core/study/plan/study.h"
#include "core/study/prediction/study.h"
#include "core/study/study.h"
#include "tests/support/scratch_folder.h"

/// All engines say the same of one configuration: a model on one accelerator, one node, one cluster.
namespace tessera::study {
namespace {

/// A fleet of A100 with so many in all, in nodes of 8.
struct Scale {
    std::int64_t devices = 1;
    double batch = 8;  ///< of one device
};

/// Seconds of a step by `predict`.
double predictedStep(const std::string& model, const std::string& accelerator, const Scale& scale) {
    Study study = newStudy("predict");
    study.models = {model};
    study.hardware = {accelerator};
    setParameter(study, "devices", {std::to_string(scale.devices)});
    setParameter(study, "batch", {std::to_string(static_cast<std::int64_t>(scale.batch))});
    const Result result = run(study);
    return result.outcome.as<PredictionOutcome>()->predictions.front().step.value;
}

/// Seconds of a step of data parallelism by `partition`.
double partitionedStep(const std::string& model, const std::string& fleet, const Scale& scale) {
    Study study = newStudy("partition");
    study.models = {model};
    study.hardware = {fleet};
    setParameter(study, "cost_model", {"physical"});
    setParameter(study, "strategies", {"dp"});
    setParameter(study, "batch", {std::to_string(static_cast<std::int64_t>(scale.batch) * scale.devices)});
    const Result result = run(study);
    return result.outcome.as<PartitionOutcome>()->result.plans.front().stepTime.value;
}

/// Seconds of a step of data parallelism by `place`.
double placedStep(const std::string& model, const std::string& fleet, const Scale& scale) {
    Study study = newStudy("place");
    study.models = {model};
    study.hardware = {fleet};
    const std::string devices = std::to_string(scale.devices);
    const auto batch = static_cast<std::int64_t>(scale.batch);
    setParameter(study, "accelerators", {devices});
    setParameter(study, "global_batch", {std::to_string(batch * scale.devices)});
    setParameter(study, "micro_batches", {std::to_string(batch)});
    setParameter(study, "recompute", {"none"});
    setParameter(study, "zero", {"0"});
    setParameter(study, "plan", {"1,1," + devices});
    const Result result = run(study);
    return result.outcome.as<PlacementOutcome>()->own.value().plan.value().timePerBatch.value;
}

/// Seconds of a step of data parallelism by `plan`.
double plannedStep(const std::string& model, const std::string& fleet, const Scale& scale) {
    Study study = newStudy("plan");
    study.models = {model};
    study.hardware = {fleet};
    const auto batch = static_cast<std::int64_t>(scale.batch);
    setParameter(study, "global_batch", {std::to_string(batch * scale.devices)});
    setParameter(study, "fix",
                 {"tp=1,pp=1,cp=1,dp=" + std::to_string(scale.devices) + ",mb=" + std::to_string(batch) +
                  ",recompute=none,zero=0"});
    const Result result = run(study);
    return result.outcome.as<PlanOutcome>()->best()->scores.of(plan::Objective::time);
}

/// Seconds of a step as a row of a table of measurements is evaluated.
double evaluatedStep(const std::string& model, const std::string& accelerator, const Scale& scale) {
    physical::TrainingRun run = knownTransformer(model, {}).value_or(physical::TrainingRun{.model = model});
    run.accelerator = accelerator;
    run.accelerators = static_cast<int>(scale.devices);
    run.perNode = static_cast<int>(std::min<std::int64_t>(scale.devices, 8));
    run.dtype = "bf16";
    run.microBatch = scale.batch;
    run.globalBatch = scale.batch * static_cast<double>(scale.devices);
    run.dataParallel = run.accelerators;
    run.tensorParallel = run.pipelineParallel = run.contextParallel = 1;
    run.optimizer = "adam";
    run.software = "fused";
    const physical::Device device = physical::deviceOf(hardware::loadAccelerator(accelerator));
    run.networkBytesPerSecond = physical::networkRateOf(device) * run.perNode;
    const physical::Prediction step = physical::isTransformer(run.model)
                                          ? physical::predictTransformer(run, device, physical::SeenRows::allRows)
                                          : physical::predictNetworkRun(run, device);
    EXPECT_TRUE(step.estimate) << step.refused;
    return step.estimate ? step.estimate->value : 0;
}

class Agreement : public testing::TestWithParam<const char*> {};

TEST_P(Agreement, ofEnginesOnOneAcceleratorOneNodeAndOneCluster) {
    const std::string model = GetParam();
    for (const Scale& scale : {Scale{1, 8}, Scale{8, 8}, Scale{128, 8}}) {
        const double predicted = predictedStep(model, "a100", scale);
        EXPECT_NEAR(evaluatedStep(model, "a100", scale) / predicted, 1, 0.02) << scale.devices << " devices";
        const std::string fleet = scale.devices > 8 ? "dgx-a100x16" : "dgx-a100x8";
        EXPECT_NEAR(placedStep(model, fleet, scale) / predicted, 1, 0.02) << scale.devices << " devices";
        EXPECT_NEAR(plannedStep(model, fleet, scale) / predicted, 1, 0.02) << scale.devices << " devices";
        if (scale.devices == 1) continue;
        EXPECT_NEAR(partitionedStep(model, fleet, scale) / predicted, 1, 0.02) << scale.devices << " devices";
    }
}

/// Two halves of sixteen nodes whose accelerators reach each other as fast as those of one half do.
std::string twoHalves() {
    std::string groups;
    for (const char* name : {"left", "right"})
        groups += fmt::format(R"({}{{"name": "{}", "accelerator": "a100", "count": 64, "levels": [
            {{"name": "NVSwitch", "size": 8, "kind": "switch", "bandwidth_bytes_per_s": 300e9}},
            {{"name": "InfiniBand", "kind": "switch", "bandwidth_bytes_per_s": 25e9}}]}})",
                              groups.empty() ? "" : ", ", name);
    return R"({"schema": "tessera.fleet/2", "name": "halves", "groups": [)" + groups +
           R"(], "links": [{"between": ["left", "right"], "bits_per_s": 200e9, "latency_s": 5e-6}], "topology": "flat"})";
}

TEST_P(Agreement, ofPartitionAndPlanOnTwoHalvesOfACluster) {
    const test::ScratchFolder folder;
    const std::string fleet = (folder.path() / "halves.json").string();
    writeFile(fleet, twoHalves());
    const Scale scale{128, 8};
    const double predicted = predictedStep(GetParam(), "a100", scale);
    EXPECT_NEAR(partitionedStep(GetParam(), fleet, scale) / predicted, 1, 0.02);
    EXPECT_NEAR(plannedStep(GetParam(), fleet, scale) / predicted, 1, 0.02);
}

INSTANTIATE_TEST_SUITE_P(TenModels, Agreement,
                         testing::Values("zoo:resnet18", "zoo:resnet50", "zoo:vgg16", "zoo:googlenet",
                                         "zoo:mobilenet-v2", "zoo:unet", "zoo:bert-base", "zoo:bert-large", "zoo:gpt2",
                                         "zoo:gpt2-medium"),
                         [](const auto& tested) {
                             std::string name = tested.param;
                             name.erase(0, name.find(':') + 1);
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace tessera::study
