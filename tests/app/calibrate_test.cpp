#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/cli.h"
#include "tests/support/schema.h"
#include "tests/support/work.h"

namespace tessera::test {
namespace {

TEST_F(Cli, calibratesThisMachineForPredictions) {
    // What is measured depends on the time, and that on the build and on what else the machine does.
    const std::string limit = kSlowerBuild > 1 ? "40s" : "8s";
    const Ended ended = tessera({"calibrate", "--quick", "--for", "zoo:lenet5", "--batch", "2,8", "--time-limit", limit,
                                 "--threads", "1", "--json"});
    ASSERT_EQ(ended.code, 0) << ended.errors;
    const auto document = nlohmann::json::parse(ended.output);
    EXPECT_EQ(schemaErrors(document, "calibration.schema.json"), "");
    EXPECT_GT(document["rows"].size(), 10U);
    EXPECT_EQ(document["accelerator"], path("share/tessera/accelerators/this-machine.json"));
    EXPECT_EQ(document["kernels"], path("share/tessera/kernels/this-machine.csv"));

    const Ended listed = tessera({"hardware", "list", "--kind", "accelerator"});
    EXPECT_THAT(listed.output, testing::HasSubstr("this-machine"));
    EXPECT_EQ(tessera({"hardware", "validate", "this-machine"}).code, 0);
    const Ended predicted = tessera({"predict", "--model", "zoo:lenet5", "--accelerator", "this-machine,a100-40gb",
                                     "--dtype", "fp32", "--batch", "4", "--devices", "1,2,4,8", "--json"});
    ASSERT_EQ(predicted.code, 0) << predicted.errors;
    const auto predictions = nlohmann::json::parse(predicted.output)["predictions"];
    ASSERT_EQ(predictions.size(), 8U);
    EXPECT_EQ(predictions[0]["accelerator"], "this-machine");
    EXPECT_GT(predictions[0]["throughput_samples_per_s"], 0);
    EXPECT_GT(predictions[0]["operators"]["common_share"], 0);
}

TEST_F(Cli, calibrateStaysWithinItsTime) {
    const double before = workOfChildrenMilliseconds();
    const Ended ended = tessera({"calibrate", "--quick", "--time-limit", "3s", "--threads", "1", "--out", "mine.json"});
    EXPECT_EQ(ended.code, 0) << ended.errors;
    // Sums are measured between two processes; without a limit it would be 30 s.
    EXPECT_LT(workOfChildrenMilliseconds() - before, 9000 * kSlowerBuild);
    EXPECT_TRUE(std::filesystem::exists(path("mine.csv")));
    for (const char* part : {"peak fp32", "L1", "DRAM", "all-reduce", "written to mine.json"})
        EXPECT_THAT(ended.output, testing::HasSubstr(part));
    // How much its two passes differ; on a busy machine the time ends before the second.
    EXPECT_THAT(ended.output, testing::AnyOf(testing::HasSubstr("This machine was "),
                                             testing::HasSubstr("No kernel was measured twice in the time")));
}

TEST_F(Cli, calibrateIsInterrupted) {
    const Ended ended = runShell("\"$TESSERA\" calibrate --quick & sleep 1.5; kill -INT $!; wait $!", folder_);
    EXPECT_EQ(ended.code, 5);
    EXPECT_EQ(ended.errors, "the calibration was stopped; run 'tessera calibrate' again with the same arguments\n");
    EXPECT_FALSE(std::filesystem::exists(path("share/tessera/accelerators/this-machine.json")));
}

TEST_F(Cli, calibrateRefusesWrongUsage) {
    EXPECT_EQ(tessera({"calibrate", "--time-limit", "0.1s"}).errors,
              "tessera: option '--time-limit' is '0.1s'; expected a time from 1s to 3600s; see 'tessera calibrate "
              "--help'\n");
    EXPECT_EQ(tessera({"calibrate", "--for", "zoo:lenet5", "--batch", "0"}).code, 2);
    EXPECT_EQ(
        tessera({"calibrate", "--dtype", "fp32,fp8"}).errors,
        "tessera: option '--dtype' is 'fp32,fp8'; expected fp32, bf16 or both, separated by a comma; see 'tessera "
        "calibrate --help'\n");
    EXPECT_EQ(tessera({"calibrate", "--for", "toy.json"}).code, 3) << "a table of layers";
    EXPECT_EQ(tessera({"calibrate", "--for", "missing.onnx"}).code, 6);
}

}  // namespace
}  // namespace tessera::test
