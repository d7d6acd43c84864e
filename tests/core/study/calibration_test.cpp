#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/calibrate/calibrate.h"
#include "core/predict/kernels.h"
#include "core/study/calibrate/study.h"
#include "core/study/explanation.h"
#include "core/study/key_result.h"
#include "core/study/title.h"
#include "tests/support/broken_document.h"
#include "tests/support/calibration_result.h"
#include "tests/support/schema.h"

namespace tessera::study {
namespace {

Result readBack(const Result& result) {
    return readResult(JsonDocument::parse(toText(toJson(result)), "run.json").root(), result.study);
}

TEST(CalibrationResult, readsBackExactlyWhatItWrites) {
    for (const bool noisy : {false, true}) {
        Result result = test::handMadeCalibration(noisy);
        const Json document = toJson(result);
        EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(document.dump()), "calibration.schema.json"), "");
        EXPECT_EQ(toJson(readBack(result)).dump(), document.dump());
        EXPECT_EQ(headline(readBack(result)), headline(result));
        result.outcome.get<CalibrationOutcome>().files = calibrate::filesAt("here/mine.json");
        EXPECT_EQ(toJson(readBack(result)).dump(), toJson(result).dump());
        EXPECT_EQ(toJson(result)["kernels"], "here/mine.csv");
    }
}

TEST(CalibrationResult, refusesBrokenDocumentsInOneSentence) {
    EXPECT_GT(test::refusedWhenBroken(test::handMadeCalibration()), 400U);
}

TEST(CalibrationResult, writesTheFilesOfAStoredResult) {
    const Result result = test::handMadeCalibration();
    const TemporaryFolder folder;
    const calibrate::Files first = calibrate::filesAt(folder.path() / "first.json"),
                           second = calibrate::filesAt(folder.path() / "second.json");
    calibrate::write(result.outcome.get<CalibrationOutcome>().made, first);
    calibrate::write(readBack(result).outcome.get<CalibrationOutcome>().made, second);
    EXPECT_EQ(readFile(first.kernels), readFile(second.kernels));
    const hardware::Accelerator accelerator = hardware::loadAccelerator(second.accelerator.string());
    EXPECT_EQ(accelerator.kernels, "second.csv");
    EXPECT_EQ(accelerator.peakFlops, result.outcome.get<CalibrationOutcome>().made.accelerator.peakFlops);
    const predict::KernelTable kernels = predict::readKernels(readFile(second.kernels), "second.csv");
    EXPECT_EQ(kernels.rows(), 4U);
    EXPECT_EQ(kernels.noise(), 0.021);
}

TEST(CalibrationResult, saysWhatWasMeasured) {
    const Result quiet = test::handMadeCalibration();
    EXPECT_EQ(headline(quiet),
              "102 GFLOP/s in fp32 · 12.3 GB/s from DRAM · 4 kernels and shapes · quiet: passes differ by 2.1 %");
    EXPECT_THAT(headline(test::handMadeCalibration(true)), testing::HasSubstr("noisy: passes differ by 31 %"));
    EXPECT_EQ(titleOf(quiet), "This machine");
    std::map<std::string, double> metrics;
    for (const Metric& metric : metricsOf(quiet)) {
        metrics[metric.name] = metric.value;
        const auto explained = explain(quiet, metric.name);
        ASSERT_TRUE(explained) << metric.name;
        EXPECT_EQ(explained->value, textOf(metric)) << metric.name;
        EXPECT_FALSE(explained->formula.empty()) << metric.name;
    }
    EXPECT_EQ(metrics.at("peak_flops"), 102.4e9);
    EXPECT_EQ(metrics.at("fp64/peak_flops"), 51.3e9);
    EXPECT_EQ(metrics.at("DRAM/bandwidth_bytes_per_s"), 1.23e10);
    EXPECT_EQ(metrics.at("not_reached"), 2);
    EXPECT_EQ(keyResult("calibrate", metrics, ""), "102 GFLOP/s");
    EXPECT_TRUE(engineNamed("calibrate").measures);
}

TEST(CalibrationEstimate, isTheTimeThatIsAllowed) {
    Study study = newStudy("calibrate");
    EXPECT_EQ(estimate(study).seconds, 180);
    setParameter(study, "quick", {});
    EXPECT_EQ(estimate(study).seconds, 30);
    setParameter(study, "time_limit", {"5s"});
    study.models = {"zoo:lenet5"};
    EXPECT_EQ(estimate(study).seconds, 5);
    EXPECT_THAT(estimate(study).text, testing::HasSubstr("kernels and shapes of the model"));
    study.models = {"zoo:nothing"};
    EXPECT_EQ(estimate(study).problems.size(), 1U);
    setParameter(study, "batch", {"1,x"});
    study.models = {"zoo:lenet5"};
    EXPECT_THAT(estimate(study).text, testing::HasSubstr("option '--batch' is '1,x'"));
}

TEST(Calibration, stopsWhenItIsCancelled) {
    std::stop_source stop;
    RunContext context;
    context.cancel = stop.get_token();
    context.progress = [&](const ProgressEvent&) { stop.request_stop(); };
    Study study = newStudy("calibrate");
    setParameter(study, "time_limit", {"2s"});
    EXPECT_THROW(run(study, context), InterruptedError);
}

}  // namespace
}  // namespace tessera::study
