#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
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

    // The run is kept, and its files can be written from it.
    auto kept = nlohmann::json::parse(tessera({"history", "show", "1", "--result"}).output);
    for (const char* file : {"accelerator", "kernels"}) kept[file] = document[file];
    EXPECT_EQ(kept, document);
    EXPECT_THAT(tessera({"history", "list", "--engine", "calibrate"}).output, testing::HasSubstr("FLOP/s"));
    const Ended exported = tessera({"export", "1", "--what", "file", "--out", "again.json"});
    EXPECT_EQ(exported.code, 0) << exported.errors;
    EXPECT_EQ(readFile(path("again.csv")), readFile(path("share/tessera/kernels/this-machine.csv")));
    EXPECT_EQ(tessera({"hardware", "validate", "again.json"}).code, 0);
    EXPECT_EQ(tessera({"report", "1", "--out", "report.html"}).code, 0);
    EXPECT_EQ(tessera({"export", "1", "--out", "rates.csv"}).code, 0);
    for (const char* chart : {"bandwidths", "peaks", "kernels", "kernel-rates", "spread", "roofline"})
        EXPECT_EQ(tessera({"export", "1", "--what", "chart", "--name", chart, "--out", "chart.svg"}).code, 0) << chart;
}

TEST_F(Cli, calibratesByAStudyFile) {
    write("study.json", R"({"schema": "tessera.study/1", "engine": "calibrate",
"parameters": {"quick": true, "time_limit": 1, "threads": 1, "tcp": false}})");
    const Ended ended = tessera({"run", "study.json", "--json"});
    ASSERT_EQ(ended.code, 0) << ended.errors;
    const auto document = nlohmann::json::parse(ended.output);
    EXPECT_EQ(schemaErrors(document, "calibration.schema.json"), "");
    EXPECT_FALSE(document.contains("accelerator")) << "the command alone writes it";
    EXPECT_FALSE(std::filesystem::exists(path("share/tessera/accelerators/this-machine.json")));
    ASSERT_EQ(tessera({"run", "study.json"}).code, 0);
    EXPECT_EQ(tessera({"history", "compare", "1", "2"}).code, 0);
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
              "tessera: option '--time-limit' is '0.1s'; expected a number from 1 to 3,600; see 'tessera calibrate "
              "--help'\n");
    EXPECT_EQ(tessera({"calibrate", "--for", "zoo:lenet5", "--batch", "0"}).code, 2);
    EXPECT_EQ(tessera({"calibrate", "--dtype", "fp32,fp8"}).errors,
              "tessera: option '--dtype' is 'fp32,fp8'; expected one or more of fp32, bf16, each once (did you mean "
              "'fp32'?); see 'tessera "
              "calibrate --help'\n");
    EXPECT_EQ(tessera({"calibrate", "--for", "toy.json"}).code, 3) << "a table of layers";
    EXPECT_EQ(tessera({"calibrate", "--for", "missing.onnx"}).code, 6);
}

}  // namespace
}  // namespace tessera::test
