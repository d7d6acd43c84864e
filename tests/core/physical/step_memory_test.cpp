#include "core/physical/step_memory.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/sanitizers.h"

namespace tessera::physical {
namespace {

StepSetting memorySetting() {
    Transformer model{.layers = 32,
                      .hidden = 4096,
                      .heads = 32,
                      .keyHeads = 32,
                      .headSize = 128,
                      .ffn = 16384,
                      .sequence = 2048,
                      .vocabulary = 51200};
    Device device{.id = "a100", .vendor = "NVIDIA", .peaks = {{"bf16", 312e12}}, .bandwidth = 2e12, .memory = 80e9};
    return {.model = model,
            .layout = {.tensor = 2, .pipeline = 4, .data = 8, .micro = 2, .microBatches = 16},
            .device = device,
            .dtype = "bf16",
            .perNode = 8,
            .nodeBytesPerSecond = 2e11,
            .stack = {.id = "megatron-lm"}};
}

double bytesOfSetting(const StepSetting& setting) {
    return stepMemoryOf(setting).total();
}

TEST(StepMemory, aLayerKeepsWhatItsFormulaSays) {
    // Korthikanti et al. 2022, equation 2 without attention's scores: s b h (10 + 24 / t).
    StepSetting setting = memorySetting();
    setting.layout.pipeline = 1;
    setting.layout.microBatches = 1;
    const double layer = 2048.0 * 2 * 4096 * (10 + 24.0 / 2);
    EXPECT_NEAR(stepMemoryOf(setting).activations, 32 * layer, 1);
    setting.layout.recompute = Recompute::full;
    EXPECT_NEAR(stepMemoryOf(setting).activations, 32 * 2048.0 * 2 * 4096 * 2, 1);
}

TEST(StepMemory, isMonotoneInWhatItHolds) {
    std::mt19937 random(5);
    const auto pick = [&](int most) { return 1 << std::uniform_int_distribution(0, most)(random); };
    for (int i = 0; i < test::randomCases(100'000); ++i) {
        StepSetting setting = memorySetting();
        setting.layout.tensor = pick(3);
        setting.layout.pipeline = pick(4);
        setting.layout.data = pick(5);
        setting.layout.micro = pick(3);
        setting.layout.microBatches = pick(6);
        setting.layout.zero = std::uniform_int_distribution(0, 2)(random);
        const double bytes = bytesOfSetting(setting);
        ASSERT_GT(bytes, 0);
        StepSetting more = setting;
        more.model.layers += setting.layout.pipeline;
        ASSERT_GE(bytesOfSetting(more), bytes);
        more = setting;
        more.layout.micro *= 2;
        ASSERT_GE(bytesOfSetting(more), bytes);
        more = setting;
        more.layout.microBatches *= 2;
        ASSERT_GE(bytesOfSetting(more), bytes);
        StepSetting less = setting;
        less.layout.zero += less.layout.zero < 2 ? 1 : 0;
        ASSERT_LE(bytesOfSetting(less), bytes);
        less = setting;
        less.layout.sequenceParallel = true;
        ASSERT_LE(bytesOfSetting(less), bytes);
    }
}

TEST(StepMemory, schedulesHoldWhatTheirPapersSay) {
    StepSetting setting = memorySetting();
    const double oneForward = stepMemoryOf(setting).activations;
    setting.layout.schedule = PipelineSchedule::gpipe;
    EXPECT_DOUBLE_EQ(stepMemoryOf(setting).activations, oneForward * 4);  // 16 micro-batches instead of 4
    setting.layout.schedule = PipelineSchedule::zb2p;
    EXPECT_NEAR(stepMemoryOf(setting).activations, oneForward * 2, 1);
}

TEST(StepMemory, aSettingFitsWhereItsMemoryIsKnownToHold) {
    StepSetting setting = memorySetting();
    EXPECT_TRUE(fitsDevice(setting, 2e9));
    EXPECT_FALSE(fitsDevice(setting, 80e9));
    setting.device.memory = 0;
    EXPECT_TRUE(fitsDevice(setting, 80e9));
}

/// Llama 3.1 8B on 8 devices by FSDP2 of torchtitan, two samples each.
TEST(StepMemory, holdsBucketsToReduceGradientsWhereItsStackSaysSo) {
    StepSetting setting = memorySetting();
    setting.layout = {.tensor = 2, .data = 8, .micro = 1, .microBatches = 4, .zero = 1};
    const double none = bytesOfSetting(setting);
    setting.stack.gradientBuckets = 2e9;
    EXPECT_DOUBLE_EQ(bytesOfSetting(setting), none + 2e9);
    StepSetting alone = setting, unsharded = setting, piped = setting;
    alone.layout.data = 1;
    unsharded.layout.zero = 0;
    piped.layout.pipeline = 4;
    for (StepSetting* each : {&alone, &unsharded, &piped}) {
        const double with = bytesOfSetting(*each);
        each->stack.gradientBuckets = 0;
        EXPECT_EQ(with, bytesOfSetting(*each));
    }
}

StepSetting fsdp2Setting() {
    StepSetting setting = memorySetting();
    setting.model = {.layers = 32,
                     .hidden = 4096,
                     .heads = 32,
                     .keyHeads = 8,
                     .headSize = 128,
                     .ffn = 14336,
                     .sequence = 8192,
                     .vocabulary = 128256,
                     .gated = true,
                     .biased = false,
                     .tied = false};
    setting.layout = {.data = 8, .micro = 2, .recompute = Recompute::selective, .zero = 3};
    setting.stack = {
        .id = "torchtitan", .sharding = StackSharding::fsdp2, .lossInParts = true, .keepsEverySecond = true};
    return setting;
}

TEST(StepMemory, ofFsdp2IsShardsGatheredLayersAndLogitsOf32Bits) {
    const StepSetting setting = fsdp2Setting();
    const TransformerParameters parameters = parametersOf(setting.model);
    const StepMemory memory = stepMemoryOf(setting);
    const double layer = parameters.attention + parameters.feedForward, head = parameters.head;
    EXPECT_NEAR(memory.parameters, 16 * parameters.total / 8 + 2 * (2 * layer + head), 1e-3 * memory.parameters);
    // Input, queries, values, attention, one of the two wide products, the last one.
    const double tokens = 2 * 8192.0, kept = 2 * tokens * (2 * 4096 + 2 * 4096 + 1024 + 14336);
    EXPECT_DOUBLE_EQ(memory.activations, 32 * kept);
    EXPECT_DOUBLE_EQ(memory.working, 14 * tokens * 128256);
    StepSetting full = setting;
    full.layout.recompute = Recompute::full;
    EXPECT_DOUBLE_EQ(stepMemoryOf(full).activations, 32 * 2 * tokens * 4096);
    StepSetting none = setting;
    none.layout.recompute = Recompute::none;
    EXPECT_GT(stepMemoryOf(none).activations, memory.activations);
}

TEST(StepMemory, ofFsdp2KeepsWholeCopiesThroughAPipeline) {
    StepSetting setting = fsdp2Setting();
    setting.layout = {.pipeline = 2, .data = 8, .micro = 1, .microBatches = 4, .recompute = Recompute::full, .zero = 2};
    const TransformerParameters parameters = parametersOf(setting.model);
    const double stage = parameters.embedding + 16 * (parameters.attention + parameters.feedForward);
    const StageMemoryModel model(setting);
    const StepMemory first = model.stage(setting.layout, {.layers = 16, .position = 0, .first = true, .last = false});
    // Shards of 16 bytes; weights of 16 bits and gradients of 32 whole.
    EXPECT_NEAR(first.parameters, stage * (16.0 / 8 + 2 + 4), 1e-3 * first.parameters);
}

}  // namespace
}  // namespace tessera::physical
