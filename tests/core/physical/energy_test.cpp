#include "core/physical/energy.h"

#include <gtest/gtest.h>

#include "core/hardware/library.h"
#include "core/physical/network_run.h"
#include "core/physical/training_predictor.h"

namespace tessera::physical {
namespace {

TrainingRun energyRun(double samples) {
    TrainingRun run{.model = "zoo:resnet50", .accelerator = "v100-pcie"};
    run.microBatch = run.globalBatch = samples;
    run.dtype = "fp32";
    run.software = "PyTorch, power limit 250 W";
    run.metric = RunMetric::energy;
    return run;
}

Device energyDevice() {
    return deviceOf(hardware::loadAccelerator("v100-pcie"));
}

TEST(StepEnergy, aLimitInTheSoftwareCapsThePowerOfTheDatasheet) {
    TrainingRun run = energyRun(64);
    EXPECT_EQ(powerLimit(run, energyDevice()), 250);
    run.software = "PyTorch, Power limit 175 W";
    EXPECT_EQ(powerLimit(run, energyDevice()), 175);
    run.software = "power limit 900 W";
    EXPECT_EQ(powerLimit(run, energyDevice()), 250);
    run.software = "power limit unknown";
    EXPECT_EQ(powerLimit(run, energyDevice()), 250);
    EXPECT_EQ(powerLimit(run, Device{}), 350);
}

TEST(StepEnergy, wattsLieBetweenIdleAndTheLimitAndProductsTakeMost) {
    const TrainingRun run = energyRun(64);
    const Device device = energyDevice();
    EXPECT_DOUBLE_EQ(stepJoules(run, device, {2, 2, 0}), 500);
    EXPECT_LT(stepJoules(run, device, {2, 0, 2}), 450);
    EXPECT_LT(stepJoules(run, device, {2, 0.1, 0.1}), stepJoules(run, device, {2, 0.5, 0.5}));
    EXPECT_GT(stepJoules(run, device, {2, 0.1, 0.1}), 50);
    EXPECT_DOUBLE_EQ(stepJoules(run, device, {2, 0, 0}), 100) << "idle";
}

TEST(StepEnergy, transformersTakeAtMostTheLimitForAStepAndMoreThanIdle) {
    TrainingRun run = energyRun(16);
    run.model = "zoo:bert-base";
    run.dims = {{"sequence", "128"}};
    const double joules = predictTransformer(run, energyDevice(), SeenRows::allRows).estimate->value;
    run.metric = RunMetric::step;
    const double seconds = predictTransformer(run, energyDevice(), SeenRows::allRows).estimate->value;
    EXPECT_GT(joules, 0.5 * 250 * seconds) << "a card at work on matrices";
    EXPECT_LE(joules, 250 * seconds * (1 + 1e-9));
}

TEST(StepEnergy, aStepTakesMoreOfALargerBatchAndOfMoreAccelerators) {
    const Device device = energyDevice();
    const auto joules = [&](const TrainingRun& run) { return predictNetworkRun(run, device).estimate->value; };
    EXPECT_GT(joules(energyRun(128)), 1.5 * joules(energyRun(64)));
    TrainingRun run = energyRun(64);
    run.accelerators = run.perNode = 4;
    run.globalBatch = 256;
    EXPECT_GT(joules(run), 4 * joules(energyRun(64)));
    EXPECT_LT(joules(run), 5 * joules(energyRun(64)));
}

}  // namespace
}  // namespace tessera::physical
