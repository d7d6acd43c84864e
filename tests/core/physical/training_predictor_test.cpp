#include "core/physical/training_predictor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/physical/validation.h"
#include "tests/core/physical/refit.h"
#include "tests/support/paths.h"

namespace tessera::physical {
namespace {

const MeasuredTable& trainingTable() {
    static const MeasuredTable table =
        readMeasuredTable(readFile(test::sourcePath("data/measured/training.csv")), "training.csv");
    return table;
}

TrainingRun runOf(const std::string& model, const std::string& accelerator, int accelerators) {
    return {.set = "mine",
            .id = "1",
            .model = model,
            .dims = {{"layers", "32"},
                     {"hidden", "4096"},
                     {"heads", "32"},
                     {"kv_heads", "8"},
                     {"ffn", "14336"},
                     {"vocabulary", "128256"},
                     {"sequence", "8192"}},
            .accelerator = accelerator,
            .accelerators = accelerators,
            .perNode = std::min(accelerators, 8),
            .dtype = "bf16",
            .globalBatch = 64,
            .microBatch = 1,
            .optimizer = "adam",
            .software = "torchtitan"};
}

Prediction predicted(const TrainingRun& run) {
    static DeviceLibrary devices;
    std::string refusal;
    const Device* device = devices.deviceNamed(run.accelerator, refusal);
    return device == nullptr ? Prediction{.refused = refusal} : predictTransformer(run, *device, SeenRows::allRows);
}

TEST(TrainingPredictor, aRunsMetricsLieInOnePartAndPartsAreAlikeInSize) {
    std::map<int, int> sizes;
    for (const MeasuredRun& measured : transformerRunsOf(trainingTable())) {
        TrainingRun other = measured.run;
        other.metric = RunMetric::memory;
        other.software = "another";
        ASSERT_EQ(runFold(other), runFold(measured.run));
        ++sizes[runFold(measured.run)];
    }
    ASSERT_EQ(sizes.size(), std::size_t{kRunFolds});
    for (const auto& [fold, count] : sizes) EXPECT_GT(count, 120);
}

TEST(TrainingPredictor, everyAcceleratorServesEveryMetricAndLayout) {
    for (const char* accelerator : {"a100",   "h100",    "b200",    "gb200",  "mi300x",    "mi250",     "mi210",
                                    "tpu-v4", "tpu-v5p", "tpu-v5e", "gaudi2", "gaudi3",    "ascend910", "gc200",
                                    "l4",     "a30",     "t4",      "p100",   "v100-16gb", "rtx6000",   "b60"})
        for (const RunMetric metric : {RunMetric::step, RunMetric::forward, RunMetric::samples,
                                       RunMetric::tokensPerAccelerator, RunMetric::memory}) {
            TrainingRun run = runOf("zoo:llama", accelerator, 64);
            run.metric = metric;
            run.tensorParallel = 4;
            run.contextParallel = 2;
            run.zero = 3;
            const Prediction prediction = predicted(run);
            ASSERT_TRUE(prediction.estimate) << accelerator << ": " << prediction.refused;
            EXPECT_TRUE(std::isfinite(prediction.estimate->value)) << accelerator;
            EXPECT_GT(prediction.estimate->low, 0) << accelerator;
            EXPECT_LT(prediction.estimate->low, prediction.estimate->value) << accelerator;
            EXPECT_GT(prediction.estimate->high, prediction.estimate->value) << accelerator;
        }
}

TEST(TrainingPredictor, moreExpertsThanReplicasHoldAreWholeOnDevicesThatSplitTensors) {
    TrainingRun run = runOf("zoo:moe", "h100", 64);
    run.dims.insert({{"experts", "64"}, {"experts_per_token", "4"}, {"expert_ffn", "1024"}});
    run.tensorParallel = 4;
    run.expertParallel = 16;
    const auto layoutOf = [&](int experts) {
        static DeviceLibrary devices;
        std::string refusal;
        run.expertParallel = experts;
        return stepSettingsOf(run, *devices.deviceNamed("h100", refusal), refusal).front().layout;
    };
    EXPECT_FALSE(layoutOf(16).wholeExperts);
    EXPECT_EQ(layoutOf(16).expert, 16);
    EXPECT_TRUE(layoutOf(64).wholeExperts);
    EXPECT_EQ(layoutOf(64).expert, 64);
}

TEST(TrainingPredictor, encodersThatInferHaveNoHeadOverTheVocabulary) {
    const auto headOf = [](const char* model, bool trains, const char* optimizer) {
        TrainingRun run = runOf(model, "a100", 1);
        run.training = trains;
        run.optimizer = optimizer;
        std::string refusal;
        return transformerOf(run, refusal)->headShare;
    };
    EXPECT_EQ(headOf("zoo:bert-large", false, ""), 0);
    EXPECT_EQ(headOf("zoo:bert-large", true, ""), 1) << "all positions where nobody says which are masked";
    EXPECT_LT(headOf("zoo:bert-large", true, "adam"), 0.2);
    EXPECT_EQ(headOf("zoo:gpt", false, ""), 1);
}

TEST(TrainingPredictor, whatIsNotKnownOrCannotBeIsRefused) {
    EXPECT_NE(predicted(runOf("zoo:gpt", "abacus", 8)).refused, "");
    TrainingRun run = runOf("zoo:gpt", "a100", 8);
    run.tensorParallel = 16;
    EXPECT_NE(predicted(run).refused.find("on 8 accelerators"), std::string::npos);
    run = runOf("zoo:gpt", "a100", 8);
    run.dtype = "posit";
    EXPECT_NE(predicted(run).refused.find("data type"), std::string::npos);
}

/// A row of the table in step_fits.cpp.
std::string rowOf(const StepFit& fit) {
    std::string constants;
    for (const auto field : kStepFields)
        constants += fmt::format("{}{:.4g}", constants.empty() ? "" : ", ", fit.constants.*field);
    return fmt::format("    {{\"{}\", {}, {}, {:.3f}, {{{}}}}},\n", fit.stack, fit.leftOut, fit.runs, fit.spread,
                       constants);
}

std::string rowOf(const MemoryFit& fit) {
    return fmt::format("    {{\"{}\", {}, {}, {:.3f}, {:.4g}}},\n", fit.stack, fit.leftOut, fit.runs, fit.spread,
                       fit.allowance);
}

/// Compares a table of fits with what `refit` makes of each of its stacks again.
template <typename Fit, typename Refit>
void expectRefitted(std::span<const Fit> table, const Refit& refit) {
    std::string kept, fitted;
    std::set<std::string_view> stacks;
    for (const Fit& fit : table) {
        kept += rowOf(fit);
        if (!stacks.insert(fit.stack).second) continue;
        for (const Fit& again : refit(fit.stack)) fitted += rowOf(again);
    }
    EXPECT_EQ(fitted, kept) << "the rows of core/physical/step_fits.cpp should be:\n" << fitted;
}

TEST(TrainingPredictor, refittingGivesTheTable) {
    DeviceLibrary devices;
    const std::vector<StepSample> samples = stepSamplesOf(transformerRunsOf(trainingTable()), devices);
    expectRefitted(stepFits(), [&](std::string_view stack) { return refitStack(samples, stack); });
}

TEST(TrainingPredictor, refittingGivesTheAllowances) {
    DeviceLibrary devices;
    const std::vector<MemorySample> samples = memorySamplesOf(transformerRunsOf(trainingTable()), devices);
    expectRefitted(memoryFits(), [&](std::string_view stack) { return refitMemory(samples, stack); });
}

/// Mean errors a little above those reached; peers are in data/measured/baselines.csv.
TEST(TrainingPredictor, errorsOfSetsStayWhereTheyAre) {
    const std::map<std::string, double> bounds{{"vtrain-multi", 0.065},      {"vtrain-single", 0.07},
                                               {"sc21-table1", 0.04},        {"korthikanti-memory", 0.025},
                                               {"zero-bubble", 0.022},       {"bigscience-v100", 0.065},
                                               {"mlperf-gpt3", 0.12},        {"megatron-bridge", 0.13},
                                               {"llm-foundry", 0.04},        {"neusight-training", 0.03},
                                               {"neusight-inference", 0.07}, {"dle-bert", 0.105},
                                               {"mlperf-bert", 0.10},        {"dlperf", 0.125}};
    const Validation validation = validate({{trainingTable(), {}}}, {});
    double inside = 0, all = 0;
    for (const ValidationSet& set : validation.sets) {
        const auto bound = bounds.find(set.set);
        if (bound == bounds.end()) continue;
        EXPECT_LE(set.errors.mean, bound->second) << set.set;
        EXPECT_EQ(set.errors.predicted, set.errors.rows) << set.set;
        inside += set.errors.coverage.value_or(0) * static_cast<double>(set.errors.predicted);
        all += static_cast<double>(set.errors.predicted);
    }
    EXPECT_GT(inside / all, 0.85);
    EXPECT_LT(inside / all, 0.95);
}

/// Rows that no constant is fitted to: targets of training by FSDP with tensor and context parallelism.
TEST(TrainingPredictor, servesAStackThatItHasNotSeen) {
    const MeasuredTable table =
        readMeasuredTable(readFile(test::sourcePath("data/measured/held_out.csv")), "held_out.csv");
    std::map<std::string, std::vector<double>> errors;
    for (const MeasuredRun& row : transformerRunsOf(table)) {
        const Prediction its = predicted(row.run);
        ASSERT_TRUE(its.estimate) << row.run.id << " " << its.refused;
        errors[row.run.set].push_back(std::abs(its.estimate->value / row.value - 1));
    }
    const auto meanOf = [&](const char* set) {
        const std::vector<double>& all = errors.at(set);
        EXPECT_EQ(all.size(), 19U);
        return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
    };
    EXPECT_LT(meanOf("torchtitan"), 0.25);
    EXPECT_LT(meanOf("torchtitan-memory"), 0.12);
}

}  // namespace
}  // namespace tessera::physical
