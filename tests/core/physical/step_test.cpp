#include "core/physical/step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/physical/step_fit.h"
#include "tests/support/sanitizers.h"

namespace tessera::physical {
namespace {

Device stepDevice() {
    return {.id = "a100",
            .vendor = "NVIDIA",
            .peaks = {{"bf16", 312e12}, {"fp16", 312e12}, {"fp32", 19.5e12}},
            .bandwidth = 2039e9,
            .cache = 40e6,
            .units = 108,
            .memory = 80e9,
            .linkBytesPerSecond = 300e9,
            .hostBytesPerSecond = 32e9};
}

StepSetting randomStep(std::mt19937& random) {
    const auto pick = [&](int most) { return 1 << std::uniform_int_distribution(0, most)(random); };
    Transformer model{.layers = 8.0 * pick(3),
                      .hidden = 512.0 * pick(4),
                      .heads = 16,
                      .keyHeads = 16,
                      .headSize = 64,
                      .ffn = 2048.0 * pick(3),
                      .sequence = 256.0 * pick(4),
                      .vocabulary = 32000};
    model.headSize = model.hidden / model.heads;
    StepSetting setting{.model = model,
                        .layout = {.tensor = pick(3), .pipeline = pick(3), .data = pick(4), .context = pick(1)},
                        .device = stepDevice(),
                        .dtype = "bf16",
                        .perNode = 8,
                        .nodeBytesPerSecond = 2e11,
                        .stack = {.id = "megatron-lm", .fusedAttention = pick(1) == 1}};
    setting.layout.micro = pick(3);
    setting.layout.microBatches = setting.layout.pipeline * pick(4);
    setting.layout.zero = std::uniform_int_distribution(0, 3)(random);
    if (setting.layout.pipeline > 1) {
        setting.layout.schedule = static_cast<PipelineSchedule>(std::uniform_int_distribution(0, 7)(random));
        if (setting.layout.schedule == PipelineSchedule::interleaved) setting.layout.chunks = 2;
    }
    setting.layout.recompute = static_cast<Recompute>(std::uniform_int_distribution(0, 2)(random));
    return setting;
}

double stepSeconds(const StepSetting& setting) {
    return stepTimesOf(stepWorkOf(setting), {}).step;
}

/// FLOP of all products of a device's share of a step at peak.
double boundOf(const StepSetting& setting) {
    double flop = 0;
    for (const Product& p : layerWorkOf(setting.model, layerShareOf(setting), false).products)
        flop += 3 * 2 * p.batch * p.m * p.n * p.k;
    const double layers = setting.model.layers / setting.layout.pipeline;
    return flop * layers * setting.layout.microBatches / setting.device.peaks.at("bf16");
}

TEST(Step, isAboveItsBoundAndFallsWithBetterHardware) {
    std::mt19937 random(11);
    for (int i = 0; i < test::randomCases(100'000); ++i) {
        const StepSetting setting = randomStep(random);
        const double seconds = stepSeconds(setting);
        ASSERT_TRUE(std::isfinite(seconds));
        ASSERT_GE(seconds, boundOf(setting));
        StepSetting better = setting;
        better.device.bandwidth *= 1.5;
        ASSERT_LE(stepSeconds(better), seconds * (1 + 1e-9));
        better = setting;
        for (auto& [dtype, peak] : better.device.peaks) peak *= 1.5;
        ASSERT_LE(stepSeconds(better), seconds * (1 + 1e-9));
        better = setting;
        better.nodeBytesPerSecond *= 2;
        ASSERT_LE(stepSeconds(better), seconds * (1 + 1e-9));
        StepSetting longer = setting;
        longer.layout.microBatches *= 2;
        ASSERT_GT(stepSeconds(longer), seconds);
        longer = setting;
        longer.model.layers += 8;
        ASSERT_GT(stepSeconds(longer), seconds);
    }
}

TEST(Step, embeddingAndHeadCountAsLayersWhereLayersAloneDoNotDivide) {
    Transformer model{.layers = 22};
    const StageLayers stages = stageLayersOf(model, {.pipeline = 8});
    EXPECT_EQ(stages.fullest, 3);
    EXPECT_EQ(stages.first, 2);
    EXPECT_EQ(stages.last, 2);
    model.layers = 24;
    EXPECT_EQ(stageLayersOf(model, {.pipeline = 8}).last, 3);
    model.layers = 23;
    EXPECT_EQ(stageLayersOf(model, {.pipeline = 8}).fullest, 3);
}

TEST(Step, aFitFindsTheConstantsThatMadeItsSamples) {
    std::mt19937 random(3);
    StepConstants truth;
    truth.products = 1.3;
    truth.bandwidth = 0.6;
    std::vector<StepSample> samples;
    for (int i = 0; i < 40; ++i) {
        StepSample sample{.choices = {stepWorkOf(randomStep(random))}};
        sample.seconds = sampleSeconds(sample, truth);
        samples.push_back(sample);
    }
    const StepConstants found = fitStep(samples, {});
    double error = 0;
    for (const StepSample& sample : samples) error += std::fabs(sampleSeconds(sample, found) / sample.seconds - 1);
    EXPECT_LT(error / 40, 0.02);
    for (std::size_t i = 0; i < kStepConstants; ++i) {
        EXPECT_GE(found.*kStepFields[i], kStepBounds[i].least);
        EXPECT_LE(found.*kStepFields[i], kStepBounds[i].most);
    }
}

TEST(Step, conformalSpreadsAreQuantilesAndWiderForFew) {
    EXPECT_EQ(conformalSpread({}), 0.5);
    EXPECT_DOUBLE_EQ(conformalSpread({0.1, 0.2}), 0.3);
    std::vector<double> many;
    for (int i = 1; i <= 99; ++i) many.push_back(i / 100.0);
    EXPECT_DOUBLE_EQ(conformalSpread(many), 0.9);
}

}  // namespace
}  // namespace tessera::physical
