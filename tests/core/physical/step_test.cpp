#include "core/physical/step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/physical/estimate.h"
#include "core/physical/pipeline.h"
#include "tests/core/physical/refit.h"
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

TEST(StepWork, WithoutASwitchGroupsHaveTheLinksToTheirMembers) {
    std::mt19937 random(3);
    StepSetting setting = randomStep(random);
    setting.layout = {.tensor = 2, .micro = 1, .microBatches = 4};
    setting.device.id = "abacus";  // nobody measured its collectives
    setting.device.linkBytesPerSecond = 100e9;
    const double third = stepWorkOf(setting).forward.inside;
    setting.device.linkBytesPerSecond = 300e9;
    const double whole = stepWorkOf(setting).forward.inside;
    setting.device.neighbours = 3;
    EXPECT_DOUBLE_EQ(stepWorkOf(setting).forward.inside, third);
    EXPECT_GT(third, 1.5 * whole);
    setting.layout.tensor = 4;
    const double all = stepWorkOf(setting).forward.inside;
    setting.device.neighbours = 0;
    EXPECT_DOUBLE_EQ(stepWorkOf(setting).forward.inside, all);
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

/// A mixture on nodes of 8 A100.
StepSetting mixtureStep(const StepLayout& layout) {
    Transformer model{.layers = 8,
                      .hidden = 2048,
                      .heads = 16,
                      .keyHeads = 4,
                      .headSize = 128,
                      .ffn = 4096,
                      .sequence = 2048,
                      .vocabulary = 32000,
                      .gated = true,
                      .biased = false,
                      .tied = false};
    model.experts = 16;
    model.expertsPerToken = 2;
    model.expertFfn = 4096;
    return {.model = model,
            .layout = layout,
            .device = stepDevice(),
            .dtype = "bf16",
            .perNode = 8,
            .nodeBytesPerSecond = 2e11,
            .stack = {.id = "megatron-lm"}};
}

TEST(Step, isShorterWithChunksOfAttention) {
    StepSetting setting = mixtureStep({.tensor = 2, .data = 4, .microBatches = 2});
    setting.model.sequence = 32768;
    setting.stack.fusedAttention = true;
    const double all = stepSeconds(setting);
    setting.model.window = SlidingWindow{.size = 8192, .layers = 6};
    const double sliding = stepSeconds(setting);
    setting.model.window->chunked = true;
    const double chunked = stepSeconds(setting);
    EXPECT_LT(sliding, all);
    EXPECT_LT(chunked, sliding);
    setting.layout.context = 4;
    const double parts = stepSeconds(setting);
    setting.model.window.reset();
    EXPECT_LT(parts, stepSeconds(setting));
    setting.layout.context = 1;
    setting.model.window = SlidingWindow{.size = 32768, .layers = 6, .chunked = true};
    EXPECT_EQ(stepSeconds(setting), all);
}

/// Seconds of a reduction where the network reaches its rate.
double reductionOf(const StepLayout& layout, double layers) {
    return StepModel(mixtureStep(layout)).reduction(layout, layers).at(1);
}

TEST(Step, expertsAreSummedUpAmongTheDevicesThatHoldTheSame) {
    // Where each device has experts of its own, a layer more adds what the same layer without them does.
    const StepLayout alone{.data = 16, .expert = 16};
    StepSetting dense = mixtureStep(alone);
    dense.model.experts = 0;
    dense.model.ffn = 0;
    const double routers = 2048.0 * 16 * 2;
    const auto withoutExperts = [&](double layers) {
        return StepModel(dense).reduction(alone, layers).at(1) + layers * 2 * routers * 15 / 16 / 2e11;
    };
    EXPECT_NEAR(reductionOf(alone, 4) - reductionOf(alone, 2), withoutExperts(4) - withoutExperts(2), 1e-9);
    // Of two copies of all experts one sum crosses the network for each pair of devices.
    const StepLayout two{.data = 16, .expert = 8};
    const double expert = 3.0 * 2048 * 4096 * 2 * (16 / 8), pair = 2 * expert / 2 / (2e11 / 8);
    EXPECT_NEAR(reductionOf(two, 4) - reductionOf(two, 2), withoutExperts(4) - withoutExperts(2) + 2 * pair, 1e-9);
    EXPECT_EQ(two.alikeExperts(), 2);
    EXPECT_EQ(alone.alikeExperts(), 1);
}

TEST(Step, wholeExpertsAreSharedAmongWhatSplitsTensors) {
    const StepLayout split{.tensor = 2, .data = 8, .expert = 8, .sequenceParallel = true};
    StepLayout whole = split;
    whole.expert = 16;
    whole.wholeExperts = true;
    const StepSetting one = mixtureStep(split), other = mixtureStep(whole);
    const LayerWork a = layerWorkOf(one.model, layerShareOf(one), true),
                    b = layerWorkOf(other.model, layerShareOf(other), true);
    // As many parameters, FLOP and bytes between devices, half the tokens to sort.
    EXPECT_EQ(a.expertParameters, b.expertParameters);
    EXPECT_EQ(a.exchangedBytes, b.exchangedBytes);
    EXPECT_EQ(a.permutedBytes, 2 * b.permutedBytes);
    const auto flopOf = [](const LayerWork& work) {
        double flop = 0;
        for (const Product& p : work.products) flop += p.batch * p.m * p.n * p.k;
        return flop;
    };
    EXPECT_NEAR(flopOf(a), flopOf(b), 1e-9 * flopOf(a));
    EXPECT_EQ(split.alikeExperts(), 1);
    EXPECT_EQ(whole.alikeExperts(), 1);
    // The sum of the feed-forward network over tensors falls away, but not that of shared experts.
    const double before = StepModel(one).passes().forward.inside, after = StepModel(other).passes().forward.inside;
    EXPECT_NEAR(after, before / 2, 1e-12);
    StepSetting shared = other;
    shared.model.sharedExperts = 1;
    EXPECT_NEAR(StepModel(shared).passes().forward.inside, before, 1e-12);
}

TEST(Step, theOrderOfRanksSaysWhatLeavesANode) {
    const StepLayout pipelineLast{.tensor = 2, .pipeline = 4, .data = 4, .microBatches = 8};
    StepLayout dataLast = pipelineLast;
    dataLast.order = RankOrder::dataLast;
    const StepModel model(mixtureStep(pipelineLast));
    // Stages of a replica are 2 devices apart instead of 8, so that all hops are inside a node.
    EXPECT_EQ(model.transfer(dataLast).network, 0);
    EXPECT_GT(model.transfer(pipelineLast).network, 0);
    // Four replicas share a node's way to the network with three stages more, instead of being one node.
    EXPECT_EQ(model.reduction(pipelineLast, 2).network, 0);
    EXPECT_GT(model.reduction(dataLast, 2).network, 0);
    // On one node it is the same.
    for (StepLayout* layout : {&dataLast}) layout->pipeline = layout->data = 2;
    StepLayout small = pipelineLast;
    small.pipeline = small.data = 2;
    EXPECT_EQ(model.reduction(small, 2).at(1), model.reduction(dataLast, 2).at(1));
    EXPECT_EQ(model.transfer(small).at(1), model.transfer(dataLast).at(1));
}

TEST(Step, noNodeJoinsReplicasOfSeveralGroups) {
    StepLayout layout{.data = 4};
    const StepModel model(mixtureStep(layout));
    EXPECT_EQ(model.reduction(layout, 2).network, 0);
    layout.apart = true;
    EXPECT_GT(model.reduction(layout, 2).network, 0);
}

/// Of equal stages without head and transfers, over what the simulation says.
double closedOverSimulated(PipelineSchedule schedule, int stages, int microBatches, const PipelineStage& times) {
    const double both = times.forward + times.backwardInput + times.backwardWeight;
    const StepLayout layout{
        .pipeline = stages, .microBatches = static_cast<double>(microBatches), .schedule = schedule};
    const double closed = pipelineSecondsOf(layout, {.longest = both, .all = stages * both, .stage = times});
    const Pipeline pipeline{.schedule = schedule, .stages = stages, .microBatches = microBatches, .times = times};
    return closed / simulatePipeline(pipeline).span;
}

TEST(Step, fewMicroBatchesFillNoZeroBubbleSchedule) {
    for (const double weights : {1.0, 0.8})
        for (const int stages : {2, 4, 8})
            for (const int microBatches : {1, 2, 3, 4, 8, 16, 64}) {
                const PipelineStage times{1, 1, weights};
                const double of2p = closedOverSimulated(PipelineSchedule::zb2p, stages, microBatches, times);
                EXPECT_GT(of2p, 0.95) << stages << " stages, " << microBatches;
                EXPECT_LT(of2p, 1.001) << stages << " stages, " << microBatches;
                const double ofV = closedOverSimulated(PipelineSchedule::zbV, stages, microBatches, times);
                EXPECT_GT(ofV, 0.85) << stages << " stages, " << microBatches;
                EXPECT_LT(ofV, 1.01) << stages << " stages, " << microBatches;
            }
}

/// Of equal stages without head that wait for what they send, over what the simulation of passes with it says.
double waitingClosedOverSimulated(PipelineSchedule schedule, int stages, int chunks, const PipelineStage& times,
                                  double hop) {
    constexpr int kMicroBatches = 48;
    const double both = times.forward + times.backwardInput + times.backwardWeight;
    const StepLayout layout{.pipeline = stages, .chunks = chunks, .microBatches = kMicroBatches, .schedule = schedule};
    const double closed = pipelineSecondsOf(
        layout, {.longest = both, .all = stages * both, .stage = times, .transfer = hop, .waits = true});
    Pipeline pipeline{.schedule = schedule, .stages = stages, .microBatches = kMicroBatches, .chunks = chunks};
    const double sent = chunksOf(schedule, chunks) * hop;
    for (int s = 0; s < stages; ++s) {
        const bool chunked = chunksOf(schedule, chunks) > 1;
        pipeline.perStage.push_back({times.forward + (chunked || s + 1 < stages ? sent : 0),
                                     times.backwardInput + (chunked || s > 0 ? sent : 0), times.backwardWeight});
    }
    return closed / simulatePipeline(pipeline).span;
}

TEST(Step, devicesWaitForWhatTheySend) {
    const PipelineStage times{1, 1, 1};
    for (const double hop : {0.0, 0.01, 0.05})
        for (const int stages : {2, 3, 4, 8}) {
            const auto ratioOf = [&](PipelineSchedule schedule, int chunks) {
                return waitingClosedOverSimulated(schedule, stages, chunks, times, hop);
            };
            EXPECT_NEAR(ratioOf(PipelineSchedule::gpipe, 1), 1, 0.002) << stages << " stages, " << hop;
            EXPECT_NEAR(ratioOf(PipelineSchedule::oneForwardOneBackward, 1), 1, 0.002) << stages << " stages, " << hop;
            EXPECT_NEAR(ratioOf(PipelineSchedule::interleaved, 2), 1, 0.01) << stages << " stages, " << hop;
            EXPECT_NEAR(ratioOf(PipelineSchedule::interleaved, 4), 1, 0.01) << stages << " stages, " << hop;
            EXPECT_NEAR(ratioOf(PipelineSchedule::zbH1, 1), 1, 0.02) << stages << " stages, " << hop;
        }
}

TEST(Step, onlyTunedStacksSendBesideChunks) {
    Device device;
    device.peaks = {{"bf16", 1e15}, {"fp8", 2e15}};
    const auto waits = [&](const char* software, PipelineSchedule schedule) {
        return waitsForHops(stackTraitsOf(software, device, "bf16", false), schedule);
    };
    EXPECT_TRUE(waits("Megatron-LM", PipelineSchedule::interleaved));
    EXPECT_TRUE(waits("Megatron-LM", PipelineSchedule::oneForwardOneBackward));
    EXPECT_FALSE(waits("NeMo", PipelineSchedule::interleaved));
    EXPECT_TRUE(waits("NeMo", PipelineSchedule::oneForwardOneBackward)) << "Megatron-LM refuses to overlap these";
    const StackTraits compiled = stackTraitsOf("PyTorch", device, "fp8", false);
    EXPECT_EQ(compiled.profile, SoftwareProfile::tuned);
    EXPECT_FALSE(waitsForHops(compiled, PipelineSchedule::interleaved)) << "as every stack of its profile";
}

/// Gradients of all micro-batches but the first are added to a sum: what is read and written follows from the
/// parameters alone.
TEST(Step, gradientsAreAddedUpWhereADeviceHoldsThem) {
    std::mt19937 random(11);
    StepSetting setting = randomStep(random);
    setting.layout = {.tensor = 2, .pipeline = 2, .data = 4, .micro = 1, .microBatches = 8, .zero = 1};
    const auto added = [&setting] { return StepModel(setting).accumulation(setting.layout); };
    const LayerWork layer = layerWorkOf(setting.model, layerShareOf(setting), false);
    const AddedGradients usual = added();
    EXPECT_NEAR(usual.layer, 7.0 / 8 * 6 * layer.parameters / (0.85 * setting.device.bandwidth), 1e-9 * usual.layer);
    EXPECT_NEAR(usual.head / usual.layer, setting.model.vocabulary * setting.model.hidden / 2 / layer.parameters, 1e-9);
    setting.layout.microBatches = 16;
    EXPECT_NEAR(added().layer / usual.layer, (15.0 / 16) / (7.0 / 8), 1e-12);
    // In the time of a step as many times as it has micro-batches, in the backward pass alone.
    const StepConstants constants;
    const StepWork work = stepWorkOf(setting);
    StepWork without = work;
    without.accumulation = {};
    const LayerTimes times = layerTimesOf(work, constants), plain = layerTimesOf(without, constants);
    EXPECT_EQ(times.forward, plain.forward);
    EXPECT_NEAR(times.backward - plain.backward, constants.products * added().layer, 1e-9 * times.backward);
    EXPECT_GT(stepTimesOf(work, constants).step, stepTimesOf(without, constants).step);
    // The first is the sum; shards hold no sum of all; tuned stacks add beside their products.
    setting.layout.microBatches = 1;
    EXPECT_EQ(added().layer, 0);
    setting.layout.microBatches = 8;
    for (const int zero : {2, 3}) {
        setting.layout.zero = zero;
        EXPECT_EQ(added().layer, 0) << zero;
    }
    setting.stack.sharding = StackSharding::fsdp2;
    setting.layout.zero = 2;
    EXPECT_GT(added().layer, 0) << "whole through a pipeline";
    setting.stack.profile = SoftwareProfile::tuned;
    EXPECT_EQ(added().layer, 0);
    setting.stack.profile = SoftwareProfile::fused;
    setting.training = false;
    EXPECT_EQ(added().layer, 0);
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
        EXPECT_GE(found.*kStepFields[i], kStepBounds[i].min);
        EXPECT_LE(found.*kStepFields[i], kStepBounds[i].max);
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
