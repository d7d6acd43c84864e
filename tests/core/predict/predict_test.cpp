#include "core/predict/predict.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/hardware/library.h"
#include "tests/core/predict/machines.h"

namespace tessera::predict::test {
namespace {

Options options(std::optional<std::int64_t> batch = std::nullopt) {
    Options made = paperOptions();
    made.batch = batch;
    return made;
}

// Computation ---------------------------------------------------------------------------------------------------------

TEST(Roofline, takesNoFasterLevelForOneOfUnknownBandwidth) {
    const hardware::Accelerator of = accelerator(
        R"({"schema": "tessera.accelerator/1", "name": "three", "peak_flops": {"fp16": 1e12}, "memory": [
            {"name": "a", "capacity_bytes": 100, "on_chip": true},
            {"name": "b", "capacity_bytes": 1000, "bandwidth_bytes_per_s": 1e11},
            {"name": "c", "capacity_bytes": 10000}]})");
    EXPECT_EQ(levelBounding(0, of.memory), 1) << "the next slower one whose bandwidth is known";
    EXPECT_EQ(levelBounding(1, of.memory), 1);
    EXPECT_EQ(levelBounding(2, of.memory), -1) << "a faster one says nothing of it";
}

/// 100 TFLOP/s, and 10 MB on the chip that the step fills first; the rest lies in a memory of this bandwidth.
hardware::Accelerator spilling(const std::string& bandwidth, const std::string& policy = "spill-in-order") {
    return accelerator(R"({"schema": "tessera.accelerator/1", "name": "spilling", "peak_flops": {"fp16": 100e12},
        "memory": [{"name": "SRAM", "capacity_bytes": 10e6, "bandwidth_bytes_per_s": 1e14, "on_chip": true},
                   {"name": "DRAM", "capacity_bytes": 1e12)" +
                       bandwidth + R"(}], "placement": {"policy": ")" + policy + "\"}}");
}

TEST(Roofline, isThatOfTheLevelWhereTheDataLie) {
    const Workload step = workload("zoo:resnet18");
    const Machine of = machine(spilling(R"(, "bandwidth_bytes_per_s": 1e11)"));
    const Prediction one = Predictor(step, options(64)).predict(of, 1);
    ASSERT_FALSE(one.infeasible);
    const CategoryBytes& off = one.memory.levels.at(1).bytes;
    ASSERT_GT(sumOf(off), 50 * sumOf(one.memory.levels.at(0).bytes)) << "the picture of the memory has it in DRAM";
    for (const AlikeOperators& op : one.operators.alike) {
        double min = 0;  // what must come from DRAM, if this were all weights or all activations
        for (const std::size_t category : {std::size_t{0}, std::size_t{1}})
            min = std::max(min, off[category] / one.memory.bytes[category]);
        EXPECT_GE(op.time.value * (1 + 1e-9), 0.5 * min * op.bytes.value / 1e11) << op.name;
        EXPECT_NE(op.bound, "SRAM") << op.name << ": hardly anything lies there";
    }
    EXPECT_GT(one.step.value, 5 * Predictor(step, options(64))
                                      .predict(machine(spilling(R"(, "bandwidth_bytes_per_s": 1e14)")), 1)
                                      .step.value);
}

TEST(Roofline, ofWhatFitsTheChipIsTheChips) {
    const Workload step = workload("zoo:lenet5");
    const Prediction one =
        Predictor(step, options(8)).predict(machine(spilling(R"(, "bandwidth_bytes_per_s": 1e9)")), 1);
    EXPECT_EQ(sumOf(one.memory.levels.at(1).bytes), 0);
    for (const AlikeOperators& op : one.operators.alike) EXPECT_NE(op.bound, "DRAM") << op.name;
}

TEST(Roofline, ofOperatorsThatFitAnUnusedChipIsTheChips) {
    const Workload step = workload("zoo:resnet18");
    const Machine of = machine(spilling(R"(, "bandwidth_bytes_per_s": 1e11)", "off-chip"));
    std::size_t cached = 0, streamed = 0;
    const std::vector<OperatorCost> costs = operatorCosts(step, of, 8);
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const StepOperator& op = step.operators[i];
        if (op.free || costs[i].level < 0) continue;
        EXPECT_EQ(costs[i].level, op.bytes.at(8) <= 10e6 ? 0 : 1) << op.name;
        (costs[i].level == 0 ? cached : streamed) += 1;
    }
    EXPECT_GT(cached, 0U);
    EXPECT_GT(streamed, 0U);
}

TEST(Roofline, placesNothingWhereTheBandwidthIsNotKnown) {
    const Workload step = workload("zoo:lenet5");
    const Machine of = machine(spilling(""));
    EXPECT_EQ(of.assumptions, std::vector<std::string>{
                                  "spilling gives no bandwidth of DRAM: nothing is placed there, since how fast it "
                                  "would be moved is not known."});
    const Prediction small = Predictor(step, options()).predict(of, 1);
    ASSERT_FALSE(small.infeasible);
    EXPECT_EQ(sumOf(small.memory.levels.at(1).bytes), 0);
    EXPECT_LE(sumOf(small.memory.bytes), 10e6);
    const Prediction large = Predictor(step, options(1'000'000)).predict(of, 1);
    ASSERT_TRUE(large.infeasible);
    EXPECT_THAT(*large.infeasible, testing::StartsWith("batch 1,000,000 needs "));
    EXPECT_THAT(*large.infeasible, testing::HasSubstr("more than the 10 MB of spilling's SRAM: "));
    EXPECT_THAT(*large.infeasible,
                testing::HasSubstr("; nothing is placed in DRAM, whose bandwidth the file does not give; batch "));
}

TEST(Workload, tellsTrafficByCategory) {
    const Workload step = workload("zoo:resnet18");
    std::array<double, kCategories> sums{};
    for (const StepOperator& op : step.operators) {
        double sum = 0;
        for (std::size_t c = 0; c < kCategories; ++c) {
            sums.at(c) += op.traffic->at(c).at(4);
            sum += op.traffic->at(c).at(4);
        }
        EXPECT_NEAR(sum, op.bytes.at(4), 1e-9 * sum) << op.name;
    }
    EXPECT_GT(sums[0], sums[1]) << "activations";
    // Read in the forward and in the backward pass, read and written by the update.
    EXPECT_GT(sums[1], 3.5 * 2 * step.parameters);
    EXPECT_GE(sums[2], (2 + 2 + 8 + 4) * step.parameters) << "gradients and two momenta";
    EXPECT_DOUBLE_EQ(sums[3], 2 * 4 * step.parameters) << "float32 copies, read and written";
}

TEST(Roofline, isTheSlowerOfComputingAndMoving) {
    const Workload step = workload("zoo:resnet18");
    const Machine of = machine(plain(80e9));
    const std::vector<OperatorCost> costs = operatorCosts(step, of, 4);
    std::size_t computing = 0, moving = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const StepOperator& op = step.operators[i];
        if (op.free) {
            EXPECT_EQ(costs[i].seconds, 0);
            continue;
        }
        const double compute = (op.matrixFlops.at(4) + op.vectorFlops.at(4)) / 100e12, move = op.bytes.at(4) / 1e12;
        EXPECT_DOUBLE_EQ(costs[i].seconds, std::max(compute, move)) << op.name;
        (costs[i].level < 0 ? computing : moving) += 1;
    }
    EXPECT_GT(computing, 0U);
    EXPECT_GT(moving, 0U);
}

TEST(Computation, measuredKernelsStandBeforeTheRoofline) {
    const Workload step = workload("zoo:lenet5");
    KernelTable kernels;
    std::size_t known = 0;
    for (const StepOperator& op : step.operators) {
        if (op.free || op.kernel->kernel != "conv") continue;
        KernelTable::Sizes sizes;
        for (const Affine& size : op.kernel->sizes) sizes.push_back(size.at(2));
        ASSERT_EQ(sizes.size(), 9U);
        EXPECT_EQ(sizes[0], 2) << "samples";
        kernels.add("conv", "fp16", sizes, Seconds{7});
        ++known;
    }
    ASSERT_EQ(known, 2U);
    const Prediction one = Predictor(step, options(2)).predict(machine(plain(80e9), kernels), 1);
    EXPECT_EQ(one.operators.measured, 2);
    EXPECT_EQ(one.operators.measuredTime.value, 14);
    EXPECT_EQ(one.operators.outsideHull, 0);
    EXPECT_EQ(one.operators.slowest[0].way, Way::measured);
    EXPECT_EQ(one.operators.slowest[0].bound, "conv");
    const Prediction other = Predictor(step, options(4)).predict(machine(plain(80e9), kernels), 1);
    EXPECT_EQ(other.operators.measured, 0);
    EXPECT_EQ(other.operators.outsideHull, 2) << "flagged, and priced by the roofline";
    EXPECT_LT(other.compute.value, 1);
}

TEST(Computation, shapesOfProductsMultiplyToTheirWork) {
    for (const char* name : {"zoo:bert-base", "zoo:resnet18", "zoo:candle-uno"}) {
        const Workload step = workload(name);
        std::size_t products = 0;
        for (const StepOperator& op : step.operators) {
            if (op.kernel->kernel != "gemm" && op.kernel->kernel != "batched_gemm") continue;
            double product = 2;
            for (const Affine& size : op.kernel->sizes) product *= size.at(3);
            EXPECT_NEAR(product / op.matrixFlops.at(3), 1, 1e-12) << name << ' ' << op.name;
            ++products;
        }
        EXPECT_GT(products, 2U) << name;
    }
}

/// The shapes of one kernel of a model, at batch 2, each once and sorted, as "2x64x56".
std::string shapesOf(const char* model, const std::string& kernel) {
    const Workload step = workload(model);
    std::set<std::string> shapes;
    for (const StepOperator& op : step.operators) {
        if (op.free || op.kernel->kernel != kernel) continue;
        std::string text;
        for (const Affine& size : op.kernel->sizes) text += (text.empty() ? "" : "x") + fmt::format("{}", size.at(2));
        shapes.insert(text);
    }
    std::string all;
    for (const std::string& shape : shapes) all += (all.empty() ? "" : " ") + shape;
    return all;
}

TEST(Computation, shapesOfKernelsTellTheirWork) {
    // Windows of 7x7 at stride 2 that make 112x112 cover 229x229; those of 2x2 at stride 2 that make 16x16 cover 32x32.
    EXPECT_THAT(shapesOf("zoo:resnet50", "conv"), testing::HasSubstr("2x3x229x229x64x7x7x2x1"));
    EXPECT_THAT(shapesOf("zoo:resnet50", "batchnormalization"), testing::StartsWith("2x1024x196 2x128x3136 2x128x784"));
    EXPECT_EQ(shapesOf("zoo:resnet50", "maxpool"), "128x112x112x3x2");
    EXPECT_EQ(shapesOf("zoo:resnet50", "globalaveragepool_gradient"), "4096x49");
    EXPECT_EQ(shapesOf("zoo:resnet50", "reducesum"), "2x1000x1");
    // A transposed convolution is the gradient of one from 32x32x512 to 16x16x1024.
    EXPECT_THAT(shapesOf("zoo:unet", "conv_input_gradient"), testing::HasSubstr("2x512x32x32x1024x2x2x2x1"));
    EXPECT_THAT(shapesOf("zoo:unet", "conv"), testing::HasSubstr("2x512x32x32x1024x2x2x2x1"));
    EXPECT_THAT(shapesOf("zoo:unet", "reducesum"), testing::HasSubstr("2x1024x256"));
    EXPECT_EQ(shapesOf("zoo:braggnn", "transpose"), "2x32x81x1 2x81x32x1");
    EXPECT_EQ(shapesOf("zoo:braggnn", "softmax_gradient"), "162x81");
    // Heads of width 64 exchange places with the 512 words, and words with the width for the keys.
    EXPECT_THAT(shapesOf("zoo:bert-base", "transpose"), testing::HasSubstr("2x512x12x64"));
    EXPECT_EQ(shapesOf("zoo:bert-base", "mul"), "6291456x1");
    EXPECT_THAT(shapesOf("zoo:gnmt", "lstm"), testing::HasSubstr("1x100x1024x1024"));
    EXPECT_EQ(shapesOf("zoo:gnmt", "lstm_gradient"), shapesOf("zoo:gnmt", "lstm"));
}

TEST(Computation, everyKernelTakesItsStart) {
    const Workload step = workload("zoo:lenet5");
    const Prediction without = Predictor(step, options(1)).predict(machine(plain(80e9)), 1);
    const Prediction with = Predictor(step, options(1)).predict(machine(plain(80e9, R"(, "launch_overhead_s": 1)")), 1);
    EXPECT_NEAR(with.compute.value - without.compute.value, static_cast<double>(without.operators.operators), 1e-6);
}

TEST(Computation, isFasterOnFasterHardware) {
    const Workload step = workload("zoo:resnet18");
    const auto computed = [&](double peak, double bandwidth) {
        hardware::Accelerator of = plain(80e9);
        of.peakFlops["fp16"] = {peak};
        of.memory[0].bandwidth = BytesPerSecond{bandwidth};
        return Predictor(step, options(8)).predict(machine(of), 1).compute.value;
    };
    EXPECT_GT(computed(1e12, 1e12), computed(2e12, 1e12));
    EXPECT_GT(computed(1e14, 1e11), computed(1e14, 2e11));
    EXPECT_GE(computed(1e13, 1e12), computed(1e13, 2e12));
}

TEST(Computation, saysWhatIsMissing) {
    EXPECT_EQ(refusal<DataError>([] { machineOf(plain(1e9), {}, "fp32"); }),
              "chip.json: field 'peak_flops.fp32' is missing; expected the peak rate of the data type, which the "
              "prediction engine needs");
    EXPECT_EQ(refusal<DataError>([] {
                  machine(accelerator(
                      R"({"schema": "tessera.accelerator/1", "name": "bare", "peak_flops": {"fp16": 1e12}})"));
              }),
              "chip.json: field 'memory' is missing; expected the bandwidth of a memory level, which the prediction "
              "engine needs");
    const Machine other = machineOf(plain(1e9), {}, "bf16");
    EXPECT_EQ(other.dtype, "fp16");
    EXPECT_EQ(other.assumptions,
              std::vector<std::string>{"plain gives no peak rate of bf16: it works at that of fp16."});
    const Machine wide = machineOf(hardware::loadAccelerator("p4"), {}, "bf16");
    EXPECT_EQ(wide.dtype, "fp32");
    EXPECT_EQ(wide.assumptions.front(), "NVIDIA P4 gives no peak rate of bf16: it works at that of fp32.");
}

// Stages --------------------------------------------------------------------------------------------------------------

TEST(Collectives, byHand) {
    // 8 GB over 4 devices at 2 GB/s, 0.1 s for every message.
    const AllReduce exchange{
        .bytes = {8e9}, .devices = 4, .rate = BytesPerSecond{2e9}, .latency = {0.1}, .measured = nullptr};
    EXPECT_DOUBLE_EQ(collectiveNamed("ring").time(exchange)->value, 6 + 0.6);
    EXPECT_DOUBLE_EQ(collectiveNamed("tree").time(exchange)->value, 4 * (4 + 0.1));
    EXPECT_DOUBLE_EQ(collectiveNamed("parameter-server").time(exchange)->value, 4.1);
    EXPECT_EQ(collectiveNamed("measured").time(exchange), std::nullopt);
    EXPECT_EQ(refusal<UsageError>([] { collectiveNamed("star"); }),
              "there is no collective 'star'; expected one of measured, ring, tree, parameter-server");
}

TEST(Collectives, areInterpolatedBetweenMeasuredSizes) {
    const std::vector<hardware::MeasuredCollective> measured{{.bytes = {1e6}, .devices = 8, .bandwidth = {1e9}},
                                                             {.bytes = {1e8}, .devices = 8, .bandwidth = {1e10}}};
    const auto time = [&](double bytes, std::int64_t devices) {
        return measuredAllReduce(measured, Bytes{bytes}, devices)->value;
    };
    EXPECT_DOUBLE_EQ(time(1e6, 8), 1e-3) << "as measured";
    EXPECT_DOUBLE_EQ(time(1e8, 8), 1e-2) << "as measured";
    EXPECT_NEAR(time(1e7, 8), 1e7 / std::sqrt(1e19), 1e-12) << "the rate between both, in logarithms";
    EXPECT_DOUBLE_EQ(time(1e5, 8), 1e-4);
    EXPECT_DOUBLE_EQ(time(1e9, 8), 1e-1);
    EXPECT_DOUBLE_EQ(time(1e8, 2), 1e-2 * 1.0 / 1.75) << "a ring of two sends each byte once, one of eight 1.75 times";
    EXPECT_EQ(measuredAllReduce({}, Bytes{1}, 2), std::nullopt);
}

TEST(Collectives, neverTakeLessForMoreBytesOrDevices) {
    // A smaller sum was measured to take longer: SN30's two.
    const std::vector<hardware::MeasuredCollective> measured{
        {.bytes = {240e6}, .devices = {}, .bandwidth = {64.17e9}},
        {.bytes = {67108864}, .devices = 8, .bandwidth = {10.24e9}}};
    for (const std::int64_t devices : {2, 4, 8, 16}) {
        double before = 0;
        for (double bytes = 1e6; bytes < 1e10; bytes *= 1.3) {
            const double now = measuredAllReduce(measured, Bytes{bytes}, devices)->value;
            EXPECT_GE(now, before) << bytes << " between " << devices;
            if (devices > 2) {
                EXPECT_GE(now, measuredAllReduce(measured, Bytes{bytes}, devices / 2)->value) << bytes;
            }
            before = now;
        }
    }
    EXPECT_DOUBLE_EQ(measuredAllReduce(measured, Bytes{67108864}, 8)->value, 67108864 / 10.24e9);
}

TEST(Collectives, takeLongerOverMoreDevicesAndBytes) {
    for (const Collective& row : collectives()) {
        const std::vector<hardware::MeasuredCollective> measured{{.bytes = {1e9}, .devices = 8, .bandwidth = {1e9}}};
        double before = 0;
        for (const std::int64_t devices : {2, 4, 8, 16}) {
            const AllReduce exchange{.bytes = {1e9 * static_cast<double>(devices)},
                                     .devices = devices,
                                     .rate = BytesPerSecond{1e9},
                                     .latency = {1e-6},
                                     .measured = &measured};
            const double now = row.time(exchange)->value;
            EXPECT_GT(now, before) << row.id;
            before = now;
        }
    }
}

TEST(Collectives, compressedGradientsAreSmaller) {
    EXPECT_EQ(compressed(1000, 16, 1).value, 2000);
    EXPECT_EQ(compressed(1000, 8, 1).value, 1000);
    EXPECT_EQ(compressed(1000, 16, 0.01).value, 60) << "16 bits of the element and 32 of its place";
}

TEST(Loading, scalesByTheHost) {
    const JsonDocument document = JsonDocument::parse(
        R"({"schema": "tessera.dataset/1", "name": "d", "sample_bytes": 1000, "load_s": 4, "prepare_s": 6,
            "reference": {"name": "r", "host_bandwidth_bytes_per_s": 10, "host_peak_flops": 100}})",
        "d.json");
    const hardware::Dataset dataset = hardware::readDataset(document.root());
    const LoadingTime half =
        loadingTime(dataset, plain(1e9, R"(, "host_bandwidth_bytes_per_s": 20, "host_peak_flops": 300)"));
    EXPECT_EQ(half.load.value, 2);
    EXPECT_EQ(half.prepare.value, 2);
    EXPECT_EQ(refusal<DataError>([&] { loadingTime(dataset, plain(1e9)); }),
              "chip.json: field 'host_bandwidth_bytes_per_s' is missing; expected the bandwidth to the host, which "
              "loading a dataset needs");
}

TEST(Chain, isCutAsEvenlyAsCanBe) {
    EXPECT_EQ(cutChain({1, 2, 3, 4, 5}, 2), (std::vector<std::int32_t>{0, 0, 0, 1, 1}));
    EXPECT_EQ(cutChain({5, 1, 1, 1, 5}, 3), (std::vector<std::int32_t>{0, 1, 1, 1, 2}));
    EXPECT_EQ(cutChain({1, 1}, 8).back(), 1);
    EXPECT_EQ(cutChain({3, 3, 3}, 1).back(), 0);
}

// Predictions ---------------------------------------------------------------------------------------------------------

TEST(Prediction, sumsItsStages) {
    const Workload step = workload("zoo:resnet18");
    Options asked = options(16);
    asked.collective = "ring";
    const Machine of =
        machine(plain(80e9, R"(, "network_bits_per_s": 80e9, "price_per_hour_usd": 2, "power_watts": 300)"));
    const Prediction one = Predictor(step, asked).predict(of, 1);
    EXPECT_EQ(one.communication.value, 0);
    EXPECT_EQ(one.collective, "");
    EXPECT_DOUBLE_EQ(one.throughput, 16 / one.step.value);
    EXPECT_DOUBLE_EQ(*one.samplesPerUsd, one.throughput * 3600 / 2);
    EXPECT_DOUBLE_EQ(*one.joulesPerSample, 300 / one.throughput);
    const Prediction four = Predictor(step, asked).predict(of, 4);
    EXPECT_DOUBLE_EQ(four.communication.value, step.gradientBytes * 1.5 / 10e9);
    EXPECT_DOUBLE_EQ(four.step.value, four.compute.value + four.communication.value);
    EXPECT_DOUBLE_EQ(four.throughput, 64 / four.step.value);
    EXPECT_EQ(*four.pricePerHourUsd, 8);
    asked.collective = "parameter-server";
    asked.asynchronous = true;
    const Prediction hidden = Predictor(step, asked).predict(of, 4);
    EXPECT_DOUBLE_EQ(hidden.step.value, std::max(hidden.compute.value, hidden.communication.value));
    EXPECT_DOUBLE_EQ(hidden.overlap.value, std::min(hidden.compute.value, hidden.communication.value));
}

TEST(Prediction, isAsSureAsItsWeakestNumber) {
    const Workload step = workload("zoo:resnet18");
    const auto reliability = [&](const std::string& bandwidth) {
        return Predictor(step, options(16))
            .predict(machine(accelerator(R"({"schema": "tessera.accelerator/1", "name": "x",
                "peak_flops": {"fp16": {"value": 1e14, "class": "measured"}}, "memory": [
                {"name": "small", "capacity_bytes": 1e6, "bandwidth_bytes_per_s": {"value": 1e13, "class": "measured"}},
                {"name": "large", "capacity_bytes": 1e11)" +
                                         bandwidth + "}]}")),
                     1)
            .error.reliability;
    };
    EXPECT_EQ(reliability(R"(, "bandwidth_bytes_per_s": {"value": 1e12, "class": "measured"})"), "measured");
    EXPECT_EQ(reliability(R"(, "bandwidth_bytes_per_s": {"value": 1e12, "class": "datasheet"})"), "datasheet");
    EXPECT_EQ(reliability(R"(, "bandwidth_bytes_per_s": 1e12)"), "assumed") << "a class is not said";
}

TEST(Prediction, isLessSureWhereAnotherLevelsBandwidthStandsIn) {
    const Workload step = workload("zoo:resnet18");
    const auto made = [&](const std::string& cache) {
        return Predictor(step, options(16))
            .predict(machine(accelerator(R"({"schema": "tessera.accelerator/1", "name": "x",
                "peak_flops": {"fp16": {"value": 1e14, "class": "measured"}}, "memory": [
                {"name": "small", "capacity_bytes": 1e7, "on_chip": true)" +
                                         cache +
                                         R"(},
                {"name": "large", "capacity_bytes": 1e11, "bandwidth_bytes_per_s": {"value": 1e12, "class": "measured"}}
                ]})")),
                     1);
    };
    const Prediction known = made(R"(, "bandwidth_bytes_per_s": {"value": 1e13, "class": "measured"})");
    const Prediction unknown = made("");
    EXPECT_EQ(known.error.reliability, "measured");
    EXPECT_EQ(unknown.error.reliability, "assumed");
    EXPECT_GT(unknown.step.value, known.step.value) << "the slower level is no promise";
}

TEST(Prediction, repeatsThatItsCalibrationWasNoisy) {
    const Workload step = workload("zoo:resnet18");
    const auto made = [&](const std::string& source, const std::string& comment) {
        const std::string file = R"({"schema": "tessera.accelerator/1", "name": "this machine",
            "peak_flops": {"fp16": {"value": 1e14, "class": "measured", "source": "calibrated)" +
                                 source + R"("}}, "memory": [{"name": "RAM", "capacity_bytes": 1e11,
            "bandwidth_bytes_per_s": {"value": 1e12, "class": "measured", "source": "calibrated)" +
                                 source + R"("}}]})";
        return machine(accelerator(file),
                       readKernels(comment + "kernel,shape,dtype,seconds\nrelu,16,fp16,1e-6\n", "kernels.csv"));
    };
    const Machine quiet = made("", "# passes differ by 0.0300\n");
    EXPECT_TRUE(quiet.warnings.empty());
    EXPECT_EQ(quiet.noise, 0);
    const std::string noisySource = "; " + std::string(kNoisySource);
    const Machine noisy = made(noisySource, "# passes differ by 0.2010\n");
    EXPECT_EQ(noisy.warnings,
              std::vector<std::string>{
                  "chip was calibrated on a noisy machine: two passes differ by 20.1 % in the median. Its "
                  "predictions are not to be relied on; calibrate again when nothing else runs."});
    EXPECT_EQ(made(noisySource, "").warnings,
              std::vector<std::string>{
                  "chip was calibrated on a noisy machine: its two passes did not agree. Its predictions are "
                  "not to be relied on; calibrate again when nothing else runs."});
    EXPECT_EQ(made(noisySource, "").noise, 0.1) << "noisy begins there";
    const auto spread = [&](const Machine& of) { return spreadOf(Predictor(step, options(16)).predict(of, 1).error); };
    EXPECT_NEAR(spread(noisy), spread(quiet) + std::log(1.201), 1e-9);
}

/// A machine whose rates are measured, with the kernels of all operators of the step that `measures` picks, each this
/// many times as slow as its roofline.
template <typename Measures>
Machine measuredMachine(const Workload& step, double batch, double slower, const Measures& measures) {
    const auto rates = [](KernelTable kernels) {
        return machine(accelerator(R"({"schema": "tessera.accelerator/1", "name": "x",
            "peak_flops": {"fp16": {"value": 1e14, "class": "measured"}}, "memory": [{"name": "RAM",
            "capacity_bytes": 1e11, "bandwidth_bytes_per_s": {"value": 1e12, "class": "measured"}}]})"),
                       std::move(kernels));
    };
    const std::vector<OperatorCost> costs = operatorCosts(step, rates({}), batch);
    KernelTable kernels;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const KernelShape& kernel = step.operators[i].kernel;
        if (kernel.kernel.empty() || costs[i].seconds <= 0 || !measures(step.operators[i])) continue;
        KernelTable::Sizes sizes;
        for (const Affine& size : kernel.sizes) sizes.push_back(size.at(batch));
        kernels.add(kernel.kernel, "fp16", sizes, Seconds{slower * costs[i].seconds});
    }
    return rates(std::move(kernels));
}

TEST(Prediction, isAsSureOfRooflinesAsMeasuredKernelsShow) {
    const Workload step = workload("zoo:vgg16");
    const auto errorWith = [&](double slower, const auto& measures) {
        return Predictor(step, options(16)).predict(measuredMachine(step, 16, slower, measures), 1);
    };
    const auto all = [](const StepOperator&) { return true; };
    const auto none = [](const StepOperator&) { return false; };
    const auto convolutions = [](const StepOperator& op) { return op.kernel->kernel.starts_with("conv"); };
    const RelativeError sure = errorOf("measured"), rough = errorOf("measured", spreadOf("datasheet"));
    EXPECT_NEAR(errorWith(3, all).error.high, sure.high, 1e-3) << "nothing but measured kernels";
    EXPECT_NEAR(errorWith(3, none).error.high, rough.high, 1e-12) << "measured rates, but no kernel that reached them";
    // What was measured says how far rooflines are off: here a factor of two for all of them.
    const Prediction mixed = errorWith(2, convolutions);
    const double share = mixed.operators.measuredTime.value / mixed.operators.time.value;
    ASSERT_GT(share, 0.1);
    ASSERT_LT(share, 0.9);
    EXPECT_NEAR(spreadOf(mixed.error), share * spreadOf("measured") + (1 - share) * std::log(2.0), 1e-3);
    EXPECT_EQ(mixed.error.reliability, "measured");
    EXPECT_NEAR(spreadOf(errorWith(1, convolutions).error), spreadOf("measured"), 1e-9)
        << "a roofline that is right is no surer than a measurement";
}

TEST(Prediction, weighsUnsureNumbersByTheirTime) {
    EXPECT_EQ(spreadOf(std::vector<UncertainTime>{}), 0);
    EXPECT_DOUBLE_EQ(spreadOf({{Seconds{3}, 0.1}, {Seconds{1}, 0.5}}), 0.2);
    EXPECT_NEAR(spreadOf(errorOf("assumed")), spreadOf("assumed"), 1e-12);
}

TEST(Prediction, takesTheBatchThatTrainsFastest) {
    const Workload step = workload("zoo:resnet18");
    const Machine of = machine(accelerator(R"({"schema": "tessera.accelerator/1", "name": "chip",
        "peak_flops": {"fp16": 1e14}, "memory": [
        {"name": "SRAM", "capacity_bytes": 1e9, "bandwidth_bytes_per_s": 1e13, "on_chip": true},
        {"name": "DRAM", "capacity_bytes": 1e12, "bandwidth_bytes_per_s": 1e10}],
        "placement": {"policy": "spill-in-order"}})"));
    const Prediction chosen = Predictor(step, options()).predict(of, 1);
    std::int64_t onChip = 0;
    for (const BatchMemory& tried : chosen.batches) {
        if (!tried.fits) continue;
        const Prediction one = Predictor(step, options(tried.batch)).predict(of, 1);
        EXPECT_LE(one.throughput, chosen.throughput * (1 + 1e-9)) << tried.batch;
        if (sumOf(tried.levels.at(1)) == 0) onChip = tried.batch;
    }
    EXPECT_EQ(chosen.batch, onChip) << "beyond it the slow memory counts";
    Options byMemory = options();
    byMemory.batchRule = BatchRule::memory;
    EXPECT_GT(Predictor(step, byMemory).predict(of, 1).batch, onChip) << "equation 5 asks for memory alone";
}

TEST(Prediction, takesTheLargestBatchThatFits) {
    const Workload step = workload("zoo:resnet18");
    const LiveRanges live(step);
    for (const double capacity : {0.5e9, 2e9, 10e9}) {
        const Prediction one = Predictor(step, options()).predict(machine(plain(capacity)), 1);
        ASSERT_FALSE(one.infeasible) << capacity;
        EXPECT_LE(sumOf(live.peak(static_cast<double>(one.batch)).bytes), capacity);
        EXPECT_GT(sumOf(live.peak(2.0 * static_cast<double>(one.batch)).bytes), capacity);
        EXPECT_FALSE(one.memory.at.empty());
    }
    Options listed = options();
    listed.candidates = {3, 5};
    EXPECT_EQ(Predictor(step, listed).predict(machine(plain(80e9)), 1).batch, 5);
}

TEST(Prediction, explainsWhatDoesNotFit) {
    const Workload step = workload("zoo:lenet5");
    const Prediction none = Predictor(step, options()).predict(machine(plain(1e5)), 1);
    ASSERT_TRUE(none.infeasible);
    EXPECT_EQ(none.batch, 0);
    EXPECT_TRUE(none.infeasible->starts_with("batch 1 needs ")) << *none.infeasible;
    EXPECT_TRUE(
        none.infeasible->ends_with("even without activations it does not fit: model parallelism over several "
                                   "devices would help, or an optimizer with less state"))
        << *none.infeasible;
    const Prediction large = Predictor(step, options(100'000)).predict(machine(plain(100e6)), 1);
    ASSERT_TRUE(large.infeasible);
    const std::string fits = *large.infeasible;
    EXPECT_NE(fits.find("more than the 100 MB of plain's RAM: "), std::string::npos) << fits;
    const Prediction chosen = Predictor(step, options()).predict(machine(plain(100e6)), 1);
    EXPECT_NE(fits.find("; batch " + formatCount(chosen.batch) + " fits"), std::string::npos) << fits;
}

TEST(Prediction, ofACutModelNeedsLessMemoryAndNoSum) {
    const Workload step = workload("zoo:resnet18");
    Options asked = options(32);
    const Machine of = machine(plain(80e9, R"(, "network_bits_per_s": 800e9)"));
    const Prediction whole = Predictor(step, asked).predict(of, 1);
    asked.parallelism = Parallelism::model;
    const Prediction cut = Predictor(step, asked).predict(of, 4);
    EXPECT_LT(sumOf(cut.memory.bytes), sumOf(whole.memory.bytes));
    EXPECT_EQ(cut.collective, "point-to-point");
    EXPECT_DOUBLE_EQ(cut.compute.value, whole.compute.value) << "the stages run one after the other";
    EXPECT_GT(cut.communication.value, 0);
    EXPECT_LT(cut.throughput, whole.throughput);
}

TEST(Prediction, refusesOptionsThatContradictEachOther) {
    const Workload step = workload("zoo:lenet5");
    const auto refused = [&](const Options& asked) {
        return refusal<UsageError>([&] { Predictor(step, asked).predict(machine(plain(1e9)), 1); });
    };
    Options asked = options(1);
    asked.asynchronous = true;
    EXPECT_EQ(refused(asked), "asynchronous training needs a parameter server: --collective parameter-server");
    asked.collective = "parameter-server";
    asked.parallelism = Parallelism::model;
    EXPECT_EQ(refused(asked), "asynchronous training is for data parallelism");
    EXPECT_EQ(
        refusal<DataError>([&] { Predictor(step, options(1)).predict(machine(plain(1e9)), 2); }),
        "chip.json: field 'network_bits_per_s' is missing; expected what the prediction engine's collective 'ring' "
        "needs for 2 devices");
}

TEST(Baselines, byHand) {
    const Workload step = workload("zoo:resnet18");
    Options asked = options(8);
    asked.reference = accelerator(
        R"({"schema": "tessera.accelerator/1", "name": "gpu", "peak_flops": {"fp16": 1e12},
            "benchmarks": [{"model": "zoo:resnet50", "utilization": 0.25}]})");
    asked.benchmarks = {{.model = "zoo:resnet50", .flopsPerSample = 1e10, .parameters = 25e6}};
    const Prediction one =
        Predictor(step, asked)
            .predict(machine(plain(80e9, R"(, "benchmarks": [{"model": "zoo:resnet50", "utilization": 0.5}])")), 1);
    ASSERT_EQ(one.baselines.size(), 3U);
    EXPECT_NEAR(*one.baselines[1].throughput, 0.25 * 100e12 * 8 / step.flops(8), 1e-6);
    EXPECT_DOUBLE_EQ(*one.baselines[2].throughput, 0.5 * 100e12 / 1e10);
    EXPECT_GE(*one.baselines[0].throughput, one.throughput) << "one roofline over the whole step is never slower";
    const Prediction bare = Predictor(step, options(8)).predict(machine(plain(80e9)), 1);
    EXPECT_EQ(bare.baselines[1].missing, "a reference accelerator");
    EXPECT_EQ(bare.baselines[2].missing, "a measured model on plain");
}

// Ranking -------------------------------------------------------------------------------------------------------------

Prediction predicted(const std::string& name, double throughput, const std::string& reliability) {
    Prediction one;
    one.accelerator = name;
    one.throughput = throughput;
    one.error = errorOf(reliability);
    return one;
}

TEST(Ranking, probabilityFollowsTheDistance) {
    // Two log-normal errors: the order holds with Φ(log(ratio) / (σ·√2)).
    for (const double distance : {1.09, 1.5, 3.0}) {
        const auto rankings =
            rankingsOf({predicted("slow", 100, "datasheet"), predicted("fast", 100 * distance, "datasheet")}, 1);
        ASSERT_EQ(rankings.size(), 1U) << "no prices, no order by price";
        EXPECT_EQ(rankings[0].order, (std::vector<std::string>{"fast", "slow"}));
        const double exact =
            0.5 * std::erfc(-std::log(distance) / (spreadOf("datasheet") * std::sqrt(2.0)) / std::sqrt(2.0));
        EXPECT_NEAR(rankings[0].probability, exact, 0.015) << distance;
    }
}

TEST(Ranking, closeMeasuredPairsAreNotCertain) {
    const auto rankings = rankingsOf({predicted("a", 109, "measured"), predicted("b", 100, "measured")}, 7);
    EXPECT_GT(rankings[0].probability, 0.7);
    EXPECT_LT(rankings[0].probability, 0.85);
}

TEST(Ranking, sameSeedSameNumbers) {
    const std::vector<Prediction> all{predicted("a", 3, "assumed"), predicted("b", 2, "measured"),
                                      predicted("c", 1, "datasheet")};
    EXPECT_EQ(rankingsOf(all, 5), rankingsOf(all, 5));
    EXPECT_NE(rankingsOf(all, 5)[0].probability, rankingsOf(all, 6)[0].probability);
    EXPECT_EQ(rankingsOf({all[0]}, 5)[0].probability, 1);
}

TEST(Ranking, leavesOutWhatDoesNotFit) {
    Prediction none = predicted("none", 0, "assumed");
    none.infeasible = "too large";
    EXPECT_EQ(rankingsOf({none, predicted("b", 2, "measured")}, 1)[0].order, std::vector<std::string>{"b"});
    EXPECT_TRUE(rankingsOf({none}, 1).empty());
}

}  // namespace
}  // namespace tessera::predict::test
