#include "core/study/measured_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/study/measured_throughput.h"
#include "core/study/study.h"
#include "tests/support/scratch_folder.h"

namespace tessera::study {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

constexpr const char* kTable =
    "set,id,model,dims,accelerator,accelerators,dtype,global_batch,training,software,metric,value,source\n"
    "mine,a,zoo:resnet50,,a100,8,fp16,2048,1,NGC MXNet,samples_per_s,20000,book\n"
    "mine,b,zoo:resnet50,,a100,8,fp16,1600,1,,step_s,0.1,\n"
    "mine,c,zoo:resnet50,,a100,8,fp16,,1,,step_s,0.1,\n"
    "mine,d,zoo:resnet50,,a100,8,fp16,64,0,,samples_per_s,90000,\n"
    "mine,e,zoo:resnet50,,a100,4,fp16,64,1,,samples_per_s,9000,\n"
    "mine,f,zoo:resnet50,,h100,8,fp16,64,1,,samples_per_s,9000,\n"
    "mine,g,zoo:resnet50,,a100,8,bf16,64,1,,samples_per_s,9000,\n"
    "mine,h,zoo:bert-large,sequence=512,a100,8,fp16,64,1,,samples_per_s,500,\n";

TEST(MeasuredValidation, saysOfARowWhatItsTableSaysAndWhatItLeavesOpen) {
    const test::ScratchFolder folder;
    const std::filesystem::path path = folder / "own.csv";
    writeFile(path, kTable);
    const MeasuredValidation validation = validateMeasured({path.string()}, {});
    ASSERT_EQ(validation.tables.size(), 1U);
    ASSERT_EQ(validation.validation.rows.size(), 8U);
    const physical::ValidationRow& row = validation.validation.rows.front();
    EXPECT_THAT(configurationOf(validation, row), Contains(Pair("accelerator", "a100")));
    EXPECT_THAT(configurationOf(validation, row), Contains(Pair("software", "NGC MXNet")));
    EXPECT_THAT(configurationOf(validation, row), Not(Contains(Pair("set", "mine")))) << "that is its name";
    EXPECT_THAT(unsaidOf(validation, row), ElementsAre("dims"));
    EXPECT_EQ(sourceOf(validation, row), std::pair(std::string("book"), std::int64_t{2}));
    EXPECT_EQ(sourceOf(validation, validation.validation.rows.at(1)).first, "");
    EXPECT_THAT(howJudged(validation, row), HasSubstr("four fifths"));
}

TEST(MeasuredThroughput, agreesInModelAcceleratorDevicesAndDataType) {
    const physical::MeasuredTable table = physical::readMeasuredTable(kTable, "own.csv");
    Study study = newStudy("predict");
    study.models = {"zoo:resnet50"};
    const std::vector<MeasuredThroughput> found = measuredThroughputs(table, study, "a100", 8, "fp16");
    ASSERT_EQ(found.size(), 2U) << "no inference, no step without its batch, no other hardware";
    EXPECT_EQ(found[0].run.id, "a");
    EXPECT_EQ(found[0].samplesPerSecond, 20000);
    EXPECT_EQ(found[0].run.globalBatch, 2048);
    EXPECT_EQ(found[0].run.software, "NGC MXNet");
    EXPECT_EQ(found[0].source, "book");
    EXPECT_DOUBLE_EQ(found[1].samplesPerSecond, 16000) << "its batch over the time of its step";
    EXPECT_EQ(measuredThroughputs(table, study, "a100", 4, "fp16").size(), 1U);
    EXPECT_EQ(measuredThroughputs(table, study, "h100", 8, "fp16").size(), 1U);
    EXPECT_EQ(measuredThroughputs(table, study, "a100", 8, "bf16").size(), 1U);
    EXPECT_TRUE(measuredThroughputs(table, study, "a100", 2, "fp16").empty());
}

TEST(MeasuredThroughput, sizesOfTheModelAgreeWhereSaidOrNot) {
    const physical::MeasuredTable table = physical::readMeasuredTable(kTable, "own.csv");
    Study study = newStudy("predict");
    study.models = {"zoo:bert-large"};
    study.dimensions["sequence"] = 128;
    EXPECT_TRUE(measuredThroughputs(table, study, "a100", 8, "fp16").empty());
    study.dimensions["sequence"] = 512;
    EXPECT_EQ(measuredThroughputs(table, study, "a100", 8, "fp16").size(), 1U);
    study.models = {"bert.onnx"};
    EXPECT_TRUE(measuredThroughputs(table, study, "a100", 8, "fp16").empty()) << "a file may be anything";
}

TEST(MeasuredThroughput, aTransformerIsTheSameByItsSizesWhateverItsName) {
    const physical::MeasuredTable table = physical::readMeasuredTable(
        "set,id,model,dims,accelerator,accelerators,dtype,global_batch,training,software,metric,value,source\n"
        "mine,a,zoo:llama,layers=32;hidden=4096;heads=32;kv_heads=8;ffn=14336;vocabulary=128256;sequence=8192,h100,8,"
        "fp8,128,1,NeMo,tokens_per_s_per_accelerator,14000,book\n"
        "mine,b,zoo:llama,layers=32;hidden=4096;heads=32;kv_heads=8;ffn=14336;vocabulary=128256;sequence=4096,h100,8,"
        "fp8,128,1,NeMo,tokens_per_s_per_accelerator,15000,book\n",
        "own.csv");
    Study study = newStudy("predict");
    study.models = {"zoo:llama3.1-8b"};
    const std::vector<MeasuredThroughput> found = measuredThroughputs(table, study, "h100", 8, "fp8");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].run.id, "a");
    EXPECT_DOUBLE_EQ(found[0].samplesPerSecond, 14000.0 * 8 / 8192);
}

TEST(MeasuredThroughput, theBundledTableHasResNetOnA100) {
    Study study = newStudy("predict");
    study.models = {"zoo:resnet50"};
    const std::vector<MeasuredThroughput> found = measuredThroughputs(bundledTraining(), study, "a100", 8, "fp16");
    ASSERT_FALSE(found.empty());
    for (const MeasuredThroughput& one : found) {
        EXPECT_GT(one.samplesPerSecond, 5'000) << one.run.id;
        EXPECT_LT(one.samplesPerSecond, 60'000) << one.run.id;
    }
}

}  // namespace
}  // namespace tessera::study
