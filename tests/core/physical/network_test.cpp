#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/random.h"
#include "core/hardware/library.h"
#include "core/model/zoo/zoo.h"
#include "core/physical/network_model.h"
#include "core/physical/network_run.h"
#include "tests/core/physical/refit.h"
#include "tests/support/paths.h"
#include "tests/support/sanitizers.h"

namespace tessera::physical {
namespace {

using testing::HasSubstr;

const Device& deviceNamed(const std::string& name) {
    static std::map<std::string, Device> known;
    const auto found = known.find(name);
    if (found != known.end()) return found->second;
    return known.emplace(name, deviceOf(hardware::loadAccelerator(name))).first->second;
}

/// A run of one node of `accelerators` with 32 samples on each.
TrainingRun networkRun(const std::string& model, const std::string& accelerator, int accelerators = 1,
                       RunMetric metric = RunMetric::step) {
    TrainingRun run{.model = model, .accelerator = accelerator, .accelerators = accelerators, .perNode = accelerators};
    run.microBatch = 32;
    run.globalBatch = 32.0 * accelerators;
    run.software = "torch.compile";
    run.metric = metric;
    return run;
}

double predictedValue(const TrainingRun& run, const Device& device) {
    const Prediction prediction = predictNetworkRun(run, device);
    EXPECT_EQ(prediction.refused, "");
    return prediction.estimate ? prediction.estimate->value : 0;
}

double predictedValue(const TrainingRun& run) {
    return predictedValue(run, deviceNamed(run.accelerator));
}

/// The measured runs of sets of convolutional networks and NCF.
struct MeasuredRow {
    TrainingRun run;
    double value = 0;
};
std::vector<MeasuredRow> measuredNetworks() {
    const std::string file = "data/measured/training.csv";
    const MeasuredTable table = readMeasuredTable(readFile(test::sourcePath(file)), file);
    std::vector<MeasuredRow> rows;
    for (const auto& line : table.rows) {
        TrainingRun run = trainingRunOf(table, line);
        const bool isOurs = run.model == "zoo:resnet50" || run.model == "zoo:efficientnet-b0" || run.model == "zoo:ncf";
        if (isOurs) rows.push_back({run, table.positive(line, "value")});
    }
    return rows;
}

struct SetErrors {
    double sum = 0, worst = 0, inside = 0, rows = 0;
};
std::map<std::string, SetErrors> errorsBySet() {
    std::map<std::string, SetErrors> sets;
    for (const auto& [run, value] : measuredNetworks()) {
        const Prediction prediction = predictNetworkRun(run, deviceNamed(run.accelerator), runFold(run));
        EXPECT_TRUE(prediction.estimate) << run.id << ": " << prediction.refused;
        if (!prediction.estimate) continue;
        const double error = std::fabs(prediction.estimate->value / value - 1);
        const bool isInside = prediction.estimate->low <= value && value <= prediction.estimate->high;
        for (const std::string& name :
             {run.set + (run.metric == RunMetric::energy ? " energy" : ""), std::string("all")}) {
            SetErrors& set = sets[name];
            set.sum += error;
            set.worst = std::max(set.worst, error);
            set.inside += isInside ? 1 : 0;
            set.rows += 1;
        }
    }
    return sets;
}

TEST(Network, foldedOperatorsHoldTheMultiplicationsOfResnet50) {
    const auto work = networkWork("zoo:resnet50", {});
    double forward = 0, backward = 0;
    for (const NetworkOperator& op : work->alone.folded) {
        const double macs = op.batch.at(1) * op.m.at(1) * op.n.at(1) * op.k.at(1) * op.count;
        (op.backward ? backward : forward) += macs;
    }
    EXPECT_NEAR(forward, 4.089e9, 0.01e9);                 // He et al. 2016, with the stride in the 3 x 3 convolution
    EXPECT_NEAR(backward, 2 * forward - 0.118e9, 0.01e9);  // no gradient of the image
    EXPECT_NEAR(work->parameters, 25.557e6, 1e3);
    EXPECT_EQ(work->inputs, 3 * 224 * 224);
    EXPECT_LT(work->alone.folded.size(), 130U);
}

TEST(Network, whatIsJoinedMovesFewerElements) {
    for (const char* model : {"zoo:resnet50", "zoo:efficientnet-b0", "zoo:densenet121", "zoo:vit-b-16"}) {
        double alone = 0, joined = 0;
        for (const NetworkOperator& op : networkWork(model, {})->alone.folded) alone += op.count * op.values.at(1);
        for (const NetworkOperator& op : networkWork(model, {})->joined.folded) joined += op.count * op.values.at(1);
        EXPECT_LT(joined, 0.95 * alone) << model;
        EXPECT_GT(joined, 0.4 * alone) << model;
    }
}

TEST(Network, aRecurrentLayerTakesAStepForEachWord) {
    const auto work = networkWork("zoo:gnmt", {});
    const bool isStepwise =
        std::any_of(work->alone.folded.begin(), work->alone.folded.end(), [](const NetworkOperator& op) {
            return op.family == NetworkFamily::recurrent && op.steps > 10 && op.m.at(64) == 64;
        });
    EXPECT_TRUE(isStepwise);
}

TEST(Network, everyModelOfTheZooHasAStepOnEveryKindOfMachine) {
    for (const model::ZooEntry& entry : model::zooEntries())
        for (const char* accelerator : {"a100", "gaudi2", "bow", "mi250"}) {
            const Prediction prediction =
                predictNetworkRun(networkRun("zoo:" + entry.id, accelerator, 8), deviceNamed(accelerator));
            ASSERT_TRUE(prediction.estimate) << entry.id << ": " << prediction.refused;
            EXPECT_TRUE(std::isfinite(prediction.estimate->high)) << entry.id;
            EXPECT_GT(prediction.estimate->low, 0) << entry.id;
            EXPECT_LT(prediction.estimate->low, prediction.estimate->value) << entry.id;
            EXPECT_LT(prediction.estimate->value, prediction.estimate->high) << entry.id;
        }
}

TEST(Network, everyBundledAcceleratorTrainsResnet50) {
    for (const char* name : {"v100", "v100-pcie", "p100", "t4", "a30", "l4", "l40s", "h100", "b200", "mi300x", "gaudi",
                             "gaudi3", "gc200", "cs2", "sn30", "tpu-v4", "ascend910", "b60"}) {
        const double rate = predictedValue(networkRun("zoo:resnet50", name, 8, RunMetric::samples));
        EXPECT_GT(rate, 100) << name;
        EXPECT_LT(rate, 1e6) << name;
    }
}

/// A random run of some networks.
TrainingRun randomRun(RandomStream& random) {
    constexpr std::array kModels{"zoo:resnet50", "zoo:mobilenet-v2", "zoo:vgg16", "zoo:ncf", "zoo:gnmt", "zoo:unet"};
    constexpr std::array kSoftware{"PyTorch", "TensorFlow XLA", "MXNet", "something"};
    constexpr std::array kDtypes{"fp16", "fp32", "tf32", "bf16", ""};
    constexpr std::array kAccelerators{"a100", "v100", "t4", "gaudi", "bow", "tpu-v3"};
    TrainingRun run =
        networkRun(kModels.at(random.below(kModels.size())), kAccelerators.at(random.below(kAccelerators.size())));
    run.dtype = kDtypes.at(random.below(kDtypes.size()));
    run.software = kSoftware.at(random.below(kSoftware.size()));
    run.accelerators = 1 << random.below(11);
    run.perNode = std::min(run.accelerators, 8);
    run.microBatch = std::floor(std::exp(random.uniform() * 6)) + 1;
    run.globalBatch = run.microBatch * run.accelerators;
    return run;
}

/// True where both devices take the parameters of the same products: one that nobody measured takes those of the least
/// unlike, which another peak or bandwidth may change.
bool isServedAlike(const TrainingRun& run, const Device& one, const Device& other) {
    const std::string dtype = !run.dtype.empty() ? run.dtype : one.peaks.contains("fp16") ? "fp16" : "bf16";
    const GemmParameters a = productParametersOf(one, dtype).parameters,
                         b = productParametersOf(other, dtype).parameters;
    return a.launch == b.launch && a.wave == b.wave && a.efficiency == b.efficiency && a.halfTile == b.halfTile;
}

TEST(Network, moreBandwidthPeakAndLinksAreNeverSlowerAndMoreSamplesNeverFaster) {
    RandomStream random(7);
    for (int i = 0; i < test::randomCases(100'000); ++i) {
        TrainingRun run = randomRun(random);
        const Device& device = deviceNamed(run.accelerator);
        const double here = predictedValue(run, device);
        ASSERT_TRUE(std::isfinite(here) && here > 0);
        const double factor = 1 + random.uniform();
        // The kind of machine that it is taken for stays.
        Device wider = device;
        if (networkMachineOf(device) != NetworkMachine::onChip) wider.bandwidth *= factor;
        wider.linkBytesPerSecond *= factor;
        wider.hostBytesPerSecond *= factor;
        if (isServedAlike(run, device, wider)) {
            EXPECT_LE(predictedValue(run, wider), here * (1 + 1e-9)) << run.model << " on " << device.id;
        }
        Device faster = device;
        for (auto& [dtype, peak] : faster.peaks) peak *= factor;
        if (isServedAlike(run, device, faster)) {
            EXPECT_LE(predictedValue(run, faster), here * (1 + 1e-9)) << run.model << " on " << device.id;
        }
        run.microBatch *= 2;
        run.globalBatch *= 2;
        EXPECT_GE(predictedValue(run, device), here * 0.999) << run.model << " on " << device.id;
    }
}

TEST(Network, noStepIsShorterThanItsOperationsAtPeak) {
    RandomStream random(11);
    for (int i = 0; i < test::randomCases(100'000); ++i) {
        const TrainingRun run = randomRun(random);
        const Device& device = deviceNamed(run.accelerator);
        double flop = 0;
        for (const NetworkOperator& op : networkWork(run.model, run.dims)->alone.folded)
            flop += 2 * op.count * op.steps * op.batch.at(run.microBatch) * op.m.at(run.microBatch) *
                    op.n.at(run.microBatch) * op.k.at(run.microBatch);
        double peak = 0;
        for (const auto& [dtype, value] : device.peaks) peak = std::max(peak, value);
        EXPECT_GE(predictedValue(run, device), 0.999 * flop / peak) << run.model << " on " << device.id;
    }
}

TEST(Network, inferenceAndTheForwardPassAreShorterThanTraining) {
    TrainingRun run = networkRun("zoo:resnet50", "a100");
    const double training = predictedValue(run);
    run.training = false;
    const double inference = predictedValue(run);
    EXPECT_LT(inference, 0.5 * training);
    run.training = true;
    run.metric = RunMetric::forward;
    EXPECT_NEAR(predictedValue(run), inference, 1e-12);
}

TEST(Network, whatARunLeavesOpenTakesDefaults) {
    TrainingRun run = networkRun("zoo:resnet50", "v100", 8);
    const double said = predictedValue(run);
    run.microBatch = 0;
    EXPECT_DOUBLE_EQ(predictedValue(run), said);  // the whole batch over the accelerators
    run.globalBatch = 0;
    EXPECT_DOUBLE_EQ(predictedValue(run), said);  // 32
    run.dtype = "fp16";
    EXPECT_DOUBLE_EQ(predictedValue(run), said);
    run.optimizer = "sgd";
    EXPECT_DOUBLE_EQ(predictedValue(run), said);
}

TEST(Network, accumulationTakesAPassForEachPartOfTheBatch) {
    TrainingRun run = networkRun("zoo:resnet50", "v100");
    const double one = predictedValue(run);
    run.globalBatch = 4 * run.microBatch;
    EXPECT_GT(predictedValue(run), 3.5 * one);
    EXPECT_LT(predictedValue(run), 4 * one);
}

TEST(Network, cardsThatLackPowerAreSlower) {
    TrainingRun run = networkRun("zoo:vgg16", "a100-pcie-40gb", 1);
    run.dtype = "fp16";
    const double card = predictedValue(run);
    run.accelerator = "a100-40gb";
    EXPECT_GT(card, 1.1 * predictedValue(run));  // the same datasheet but 250 W for 400
}

TEST(Network, refusesWhatItDoesNotKnow) {
    const auto refusal = [](TrainingRun run) { return predictNetworkRun(run, deviceNamed("a100")).refused; };
    TrainingRun run = networkRun("zoo:nothing", "a100");
    EXPECT_THAT(refusal(run), HasSubstr("'zoo:nothing' is no network of the zoo"));
    run.model = "zoo:gpt";
    EXPECT_FALSE(isNetworkRun(run));
    run.model = "zoo:resnet50";
    EXPECT_TRUE(isNetworkRun(run));
    run.pipelineParallel = 2;
    EXPECT_THAT(refusal(run), HasSubstr("data parallelism alone"));
    run.pipelineParallel = 1;
    run.dims = {{"sequence", "12"}};
    EXPECT_THAT(refusal(run), HasSubstr("sequence"));
    run.dims = {};
    run.dtype = "fp7";
    EXPECT_THAT(refusal(run), HasSubstr("'fp7'"));
    run.dtype = "";
    run.metric = RunMetric::bubble;
    EXPECT_THAT(refusal(run), HasSubstr("bubble_share"));
    run.metric = RunMetric::step;
    run.accelerators = 0;
    EXPECT_NE(refusal(run), "");
    EXPECT_NE(predictNetworkRun(networkRun("zoo:resnet50", "x"), Device{}).refused, "");
}

TEST(Network, isTheSameOnAnyThread) {
    const std::vector<MeasuredRow> rows = measuredNetworks();
    std::vector<std::vector<double>> values(4, std::vector<double>(rows.size()));
    for (const MeasuredRow& row : rows) deviceNamed(row.run.accelerator);
    std::vector<std::thread> threads;
    for (std::vector<double>& own : values)
        threads.emplace_back([&] {
            for (std::size_t i = 0; i < rows.size(); ++i)
                own[i] = predictNetworkRun(rows[i].run, deviceNamed(rows[i].run.accelerator)).estimate->value;
        });
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<double>& own : values) EXPECT_EQ(own, values.front());
}

TEST(Network, metricsOfOneConfigurationAreLeftOutTogether) {
    TrainingRun run = networkRun("zoo:resnet50", "v100");
    const int fold = runFold(run);
    run.metric = RunMetric::energy;
    run.id = "another";
    EXPECT_EQ(runFold(run), fold);
}

/// The numbers of a fit, in the order of network_fits.cpp.
std::string numbersOf(const NetworkFit& fit) {
    std::string numbers = fmt::format("{}, {}", fit.leftOut, fit.runs);
    for (const auto field : kNetworkFields) numbers += fmt::format(", {:.5g}", fit.parameters.*field);
    for (const double spread : fit.spread) numbers += fmt::format(", {:.3f}", spread);
    return numbers;
}

TEST(Network, theTableOfFitsIsWhatFitsOfMeasuredRunsGive) {
    std::vector<MeasuredNetwork> measured;
    for (const auto& [run, value] : measuredNetworks())
        if (auto one = measuredNetwork(run, deviceNamed(run.accelerator), value)) measured.push_back(*one);
    const std::vector<NetworkFit> fits = fitNetworkFolds(measured);
    ASSERT_EQ(fits.size(), networkFits().size());
    for (std::size_t i = 0; i < fits.size(); ++i) {
        SCOPED_TRACE("numbers of network_fits.cpp should be " + numbersOf(fits[i]));
        const NetworkFit& kept = networkFits()[i];
        EXPECT_EQ(fits[i].leftOut, kept.leftOut);
        EXPECT_EQ(fits[i].runs, kept.runs);
        for (const auto field : kNetworkFields)
            EXPECT_NEAR(fits[i].parameters.*field / (kept.parameters.*field), 1, 1e-3);
        for (std::size_t k = 0; k < kNetworkClasses; ++k) EXPECT_NEAR(fits[i].spread[k], kept.spread[k], 0.002);
    }
}

TEST(Network, errorsOnMeasuredRunsThatNoFitSawStayWithinTheirBounds) {
    struct Bound {
        std::string set;
        double mean, worst;
    };
    std::map<std::string, SetErrors> sets = errorsBySet();
    for (const Bound& bound : std::vector<Bound>{{"dle-resnet50", 0.06, 0.25},
                                                 {"mlperf-resnet50", 0.075, 0.45},
                                                 {"mlperf-tpu", 0.1, 0.15},
                                                 {"zeus-resnet50", 0.04, 0.12},
                                                 {"zeus-resnet50 energy", 0.05, 0.12},
                                                 {"dle-efficientnet-b0", 0.15, 0.3},
                                                 {"dle-ncf", 0.2, 0.75}}) {
        const SetErrors& set = sets[bound.set];
        ASSERT_GT(set.rows, 0) << bound.set;
        EXPECT_LT(set.sum / set.rows, bound.mean) << bound.set;
        EXPECT_LT(set.worst, bound.worst) << bound.set;
    }
    const SetErrors& all = sets["all"];
    EXPECT_GE(all.inside / all.rows, 0.85);
    EXPECT_LE(all.inside / all.rows, 0.96);
}

}  // namespace
}  // namespace tessera::physical
