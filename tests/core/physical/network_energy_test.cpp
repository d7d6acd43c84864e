#include "core/physical/network_energy.h"

#include <gtest/gtest.h>

#include "core/hardware/library.h"
#include "core/physical/network_run.h"

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

TEST(NetworkEnergy, aLimitInTheSoftwareCapsThePowerOfTheDatasheet) {
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

TEST(NetworkEnergy, wattsLieBetweenIdleAndTheLimitAndProductsTakeMost) {
    const TrainingRun run = energyRun(64);
    const Device device = energyDevice();
    EXPECT_DOUBLE_EQ(networkJoules(run, device, {2, 2, 0}), 500);
    EXPECT_LT(networkJoules(run, device, {2, 0, 2}), 450);
    EXPECT_LT(networkJoules(run, device, {2, 0.1, 0.1}), networkJoules(run, device, {2, 0.5, 0.5}));
    EXPECT_GT(networkJoules(run, device, {2, 0.1, 0.1}), 50);
}

TEST(NetworkEnergy, aStepTakesMoreOfALargerBatchAndOfMoreAccelerators) {
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
