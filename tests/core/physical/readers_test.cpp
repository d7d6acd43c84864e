#include "core/physical/readers/readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/physical/kernel.h"
#include "core/physical/validation.h"
#include "tests/support/paths.h"

namespace tessera::physical {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string sampleText(const std::string& name) {
    return readFile(test::sourcePath("tests/data/kernels/" + name));
}

ReadMeasurements sample(const std::string& name) {
    return readMeasurements(sampleText(name), name);
}

/// "kernel shape dtype" of every row.
std::vector<std::string> kernelsOf(const ReadMeasurements& read) {
    std::vector<std::string> kernels;
    for (const auto& row : read.table.rows) kernels.push_back(row.cells[0] + " " + row.cells[1] + " " + row.cells[2]);
    return kernels;
}

double secondsOfRow(const ReadMeasurements& read, std::size_t row) {
    return read.table.positive(read.table.rows.at(row), "seconds");
}

TEST(MeasurementReaders, takeTesserasOwnTable) {
    const ReadMeasurements read = sample("own/l4.csv");
    EXPECT_EQ(read.format, "tessera");
    EXPECT_EQ(read.table.rows.size(), 22U);
    EXPECT_EQ(read.table.rows[0].source, "a card of one's own");
    EXPECT_EQ(skippedText(read), "");
}

TEST(MeasurementReaders, takeProductsOfAiconfigurator) {
    const ReadMeasurements read = sample("aiconfigurator/l4.csv");
    EXPECT_EQ(read.format, "aiconfigurator");
    ASSERT_EQ(read.table.rows.size(), 20U);
    EXPECT_EQ(kernelsOf(read)[0], "gemm 1x4096x4096 bf16");
    EXPECT_THAT(kernelsOf(read), Contains("gemm 8192x1024x8192 fp8"));
    EXPECT_GT(secondsOfRow(read, 0), 1e-6);
    EXPECT_LT(secondsOfRow(read, 0), 1e-3) << "milliseconds";
    EXPECT_EQ(
        skippedText(read),
        "aiconfigurator/l4.csv: 1 of 21 measurements are left out: in line 22 the data type 'int4_wo' is not known.");
}

TEST(MeasurementReaders, takeAttentionOfAiconfiguratorButNoGeneration) {
    const ReadMeasurements read = sample("aiconfigurator-attention/l4.csv");
    ASSERT_EQ(read.table.rows.size(), 12U);
    EXPECT_EQ(kernelsOf(read)[0], "attention 1x32x32x512x128 bf16") << "0 heads of keys and values are as many";
    EXPECT_EQ(kernelsOf(read)[1], "attention 1x32x8x512x128 bf16");
    EXPECT_EQ(read.skipped, 1U);
    EXPECT_THAT(read.firstSkipped, HasSubstr("generation_attention"));
}

TEST(MeasurementReaders, takeOperatorsOfNeusight) {
    const ReadMeasurements read = sample("neusight/l4.csv");
    EXPECT_EQ(read.format, "neusight");
    EXPECT_THAT(
        kernelsOf(read),
        ElementsAre("gemm 256x1024x4096 fp32", "batched_gemm 16x256x256x64 fp32", "gemm 1024x1024x4096 fp32",
                    "batched_gemm 16x1024x1024x64 fp32", "add 4194304 fp32", "add 4194304x1 fp32", "relu 4194304 fp32",
                    "softmax 4096x1024 fp32", "layernormalization 4096x1024 fp32", "tanh 4194304 fp32"));
    EXPECT_THAT(read.firstSkipped, HasSubstr("the kernel 'embedding' is not known"));
}

TEST(MeasurementReaders, takeTablesOfDeepbench) {
    const ReadMeasurements read = sample("deepbench/l4.txt");
    EXPECT_EQ(read.format, "deepbench");
    const std::vector<std::string> kernels = kernelsOf(read);
    ASSERT_EQ(kernels.size(), 10U);
    EXPECT_EQ(kernels[0], "gemm 16x1760x1760 fp16") << "column-major: its n are rows";
    EXPECT_EQ(kernels[4], "conv 8x64x114x114x64x3x3x1x1 fp16");
    EXPECT_EQ(kernels[5], "conv_input_gradient 8x64x114x114x64x3x3x1x1 fp16");
    EXPECT_EQ(kernels[9], "conv_weight_gradient 16x256x56x56x256x1x1x1x1 fp16");
    EXPECT_LT(secondsOfRow(read, 0), 1e-3) << "microseconds";
    EXPECT_EQ(read.skipped, 1U) << "Not Supported";
}

TEST(MeasurementReaders, takeTracesOfPyTorch) {
    const ReadMeasurements read = sample("pytorch/l4.json");
    EXPECT_EQ(read.format, "pytorch");
    const std::vector<std::string> kernels = kernelsOf(read);
    ASSERT_EQ(kernels.size(), 14U);
    EXPECT_EQ(kernels[0], "gemm 512x1024x1024 fp16");
    EXPECT_EQ(kernels[1], "gemm 512x4096x1024 fp16");
    EXPECT_THAT(kernels, Contains("batched_gemm 16x256x256x64 fp16"));
    EXPECT_THAT(kernels, Contains("gelu 16777216 fp16"));
    EXPECT_THAT(kernels, Contains("mul 4194304x1 fp16"));
    EXPECT_THAT(kernels, Contains("softmax 65536x512 fp16"));
    EXPECT_THAT(kernels, Contains("layernormalization 4096x1024 fp16"));
    EXPECT_THAT(kernels, Contains("attention 8x16x16x512x64 fp16"));
    EXPECT_THAT(kernels, Contains("conv 8x64x58x58x128x3x3x2x1 fp16"));
    EXPECT_EQ(read.skipped, 2U) << "an operator that is none, and a kernel without one";
    EXPECT_THAT(read.firstSkipped, HasSubstr("event"));
}

TEST(MeasurementReaders, addUpTheKernelsOfAnOperator) {
    const ReadMeasurements read = readMeasurements(
        R"([{"ph":"X","cat":"cpu_op","name":"aten::mm","args":{"External id":1,"Input Dims":[[8,16],[16,32]],"Input type":["float","float"]}},
            {"ph":"X","cat":"kernel","name":"a","dur":10,"args":{"External id":1}},
            {"ph":"X","cat":"kernel","name":"b","dur":2.5,"args":{"External id":1}}])",
        "trace.json");
    EXPECT_THAT(kernelsOf(read), ElementsAre("gemm 8x32x16 fp32"));
    EXPECT_DOUBLE_EQ(secondsOfRow(read, 0), 12.5e-6);
}

TEST(MeasurementReaders, takeCollectivesOfNcclTests) {
    const ReadMeasurements read = sample("nccl-tests/a100-dgx.txt");
    EXPECT_EQ(read.format, "nccl-tests");
    ASSERT_EQ(read.table.rows.size(), 4U);
    EXPECT_THAT(read.table.rows[0].cells, ElementsAre("a100-dgx", "all_reduce", "16", "8", "1048576", "0.0001182"));
    const Validation validation = validate({{read.table, {}}}, {});
    ASSERT_EQ(validation.sets.size(), 1U);
    EXPECT_EQ(validation.sets[0].set, "collectives-a100-dgx");
    EXPECT_EQ(validation.sets[0].errors.predicted, 4U);
}

TEST(MeasurementReaders, tellACollectiveWithoutItsNameByItsBandwidths) {
    std::string text = sampleText("nccl-tests/a100-dgx.txt");
    text.erase(0, text.find('\n') + 1);
    EXPECT_EQ(readMeasurements(text, "a100-dgx.txt").table.rows.at(0).cells[1], "all_reduce");
}

template <typename Text>
std::string readerRefusal(const Text& text) {
    try {
        (void)readMeasurements(text, "hostile");
    } catch (const DataError& error) {
        return error.what();
    }
    return "";
}

TEST(MeasurementReaders, countRowsWithNumbersThatMeanNothing) {
    const std::string header = "framework,version,device,op_name,kernel_source,gemm_dtype,m,n,k,latency\n";
    for (const std::string row :
         {"a,1,d,gemm,c,fp8,8,8,8,nan", "a,1,d,gemm,c,fp8,8,8,8,-1", "a,1,d,gemm,c,fp8,8,8,8,",
          "a,1,d,gemm,c,fp8,-8,8,8,1", "a,1,d,gemm,c,fp8,1e300,8,8,1", "a,1,d,gemm,c,fp8,x,8,8,1",
          "a,1,d,gemm,c,fp8,8,8,8,1e99", "a,1,d,gemm,c,fp8,inf,8,8,1"}) {
        const ReadMeasurements read = readMeasurements(header + row + "\n", "hostile.csv");
        EXPECT_EQ(read.skipped, 1U) << row;
        EXPECT_THAT(read.table.rows, IsEmpty()) << row;
    }
}

TEST(MeasurementReaders, refuseWhatIsBrokenInASentence) {
    EXPECT_EQ(readerRefusal(std::string()), "hostile: found no header; expected a line that names the columns");
    EXPECT_THAT(readerRefusal(std::string("framework,op_name,latency\n1,2\n")), HasSubstr("hostile:2: "));
    EXPECT_THAT(readerRefusal(std::string("{")), HasSubstr("hostile"));
    EXPECT_THAT(readerRefusal(std::string("{\"traceEvents\": 5}")), HasSubstr("a list of events"));
    EXPECT_THAT(readerRefusal(std::string("{}")), HasSubstr("traceEvents"));
    EXPECT_EQ(readerRefusal(std::string("[1, null, {\"cat\": 5, \"args\": []}, {\"cat\": \"kernel\"}]")), "");
    EXPECT_THAT(readerRefusal(std::string("# size count type time algbw busbw\n8 2 float 1 1 1\n")),
                HasSubstr("a time of 0 ranks"));
    EXPECT_THAT(readerRefusal("m n k a_t b_t precision time (usec)\n1 2 3 n n half \xFF\n"), HasSubstr("UTF-8"));
    EXPECT_THAT(readerRefusal(std::string(kLargestMeasuredTable + 1, 'a')), HasSubstr("at most 64 MiB"));
}

TEST(MeasurementReaders, surviveSamplesThatAreCutOffAnywhere) {
    for (const std::string name :
         {"own/l4.csv", "aiconfigurator/l4.csv", "aiconfigurator-attention/l4.csv", "neusight/l4.csv",
          "deepbench/l4.txt", "pytorch/l4.json", "nccl-tests/a100-dgx.txt"}) {
        const std::string text = sampleText(name);
        for (std::size_t size = 0; size < text.size(); size += 7) (void)readerRefusal(text.substr(0, size));
    }
}

}  // namespace
}  // namespace tessera::physical
