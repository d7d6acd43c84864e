#include "core/physical/utilisation.h"

#include <gtest/gtest.h>

#include "core/hardware/library.h"

namespace tessera::physical {
namespace {

TrainingRun publishedRun(const char* layers, const char* hidden, const char* heads, int accelerators, double batch) {
    TrainingRun run{.model = "zoo:gpt",
                    .dims = {{"layers", layers},
                             {"hidden", hidden},
                             {"heads", heads},
                             {"sequence", "2048"},
                             {"vocabulary", "51200"}},
                    .accelerator = "a100",
                    .accelerators = accelerators,
                    .perNode = 8};
    run.dtype = "fp16";
    run.globalBatch = batch;
    run.microBatch = 1;
    run.tensorParallel = 8;
    run.pipelineParallel = accelerators / 8;
    run.software = "Megatron-LM";
    return run;
}

double shareOf(const TrainingRun& run, double value, const char* accelerator = "a100") {
    return impliedShareOfPeak(run, deviceOf(hardware::loadAccelerator(accelerator)), value).value();
}

/// Korthikanti et al. 2022, table 5: with all scores of attention counted, where a causal mask leaves half here.
TEST(Utilisation, ofPublishedStepsIsAsTheirAuthorsHaveIt) {
    EXPECT_NEAR(shareOf(publishedRun("48", "6144", "64", 8, 4), 1.10), 0.415 * (1 - 0.027), 0.01);
    EXPECT_NEAR(shareOf(publishedRun("96", "12288", "96", 64, 64), 13.75), 0.514 * (1 - 0.014), 0.01);
}

TEST(Utilisation, isTheSameWhateverTheMetricSays) {
    TrainingRun run = publishedRun("48", "6144", "64", 8, 4);
    const double share = shareOf(run, 1.1);
    run.metric = RunMetric::samples;
    EXPECT_DOUBLE_EQ(shareOf(run, 4 / 1.1), share);
    run.metric = RunMetric::tokensPerAccelerator;
    EXPECT_DOUBLE_EQ(shareOf(run, 4 * 2048 / 1.1 / 8), share);
    run.metric = RunMetric::forward;
    EXPECT_DOUBLE_EQ(shareOf(run, 1.1 / 3), share);
}

TEST(Utilisation, countsTheKeysOfChunksAlone) {
    TrainingRun run = publishedRun("48", "6144", "64", 8, 4);
    const double all = shareOf(run, 1.1);
    run.dims["window"] = "512";
    run.dims["windowed_layers"] = "36";
    run.dims["window_chunked"] = "1";
    // Scores and values of 4 samples of 2048 tokens, three times in training, with 256 keys in place of 1024.
    const double fewer = 3.0 * 4 * 2048 * 36 * 4 * (1024 - 256) * 6144;
    EXPECT_NEAR(all - shareOf(run, 1.1), fewer / (8 * 312e12 * 1.1), 1e-9);
    run.dims["window"] = "2048";
    EXPECT_EQ(shareOf(run, 1.1), all);
}

TEST(Utilisation, ofNetworksIsThatOfTheirProducts) {
    TrainingRun run{.model = "zoo:resnet50", .accelerator = "a100"};
    run.microBatch = run.globalBatch = 256;
    run.dtype = "fp16";
    run.software = "PyTorch";
    // 4.09 GFLOP of multiply-adds an image (He et al. 2016), twice in FLOP, three times in training.
    EXPECT_NEAR(shareOf(run, 0.1), 256 * 3 * 2 * 4.09e9 / (0.1 * 312e12), 0.03 * 0.2);
}

TEST(Utilisation, isUnknownWhereAValueIsNoTimeOrTheRunCannotBe) {
    const Device device = deviceOf(hardware::loadAccelerator("a100"));
    TrainingRun run = publishedRun("48", "6144", "64", 8, 4);
    EXPECT_FALSE(impliedShareOfPeak(run, device, 0));
    run.metric = RunMetric::memory;
    EXPECT_FALSE(impliedShareOfPeak(run, device, 1e9));
    run.metric = RunMetric::step;
    run.dims["layers"] = "many";
    EXPECT_FALSE(impliedShareOfPeak(run, device, 1));
    run.model = "zoo:nothing";
    EXPECT_FALSE(impliedShareOfPeak(run, device, 1));
}

}  // namespace
}  // namespace tessera::physical
