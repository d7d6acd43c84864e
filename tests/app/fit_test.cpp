#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
#include "tests/app/cli.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

namespace tessera::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Fit : public Cli {
protected:
    std::string sampleFile(const std::string& name) const { return sourcePath("tests/data/kernels/" + name).string(); }
};

TEST_F(Fit, tellsParametersAndWhatIsLeftOut) {
    const Ended ended = tessera({"fit", "--kernels", sampleFile("own/l4.csv"), "--accelerator", "l4"});
    EXPECT_EQ(ended.code, 0) << ended.errors;
    EXPECT_THAT(ended.output,
                AllOf(HasSubstr("21 measured kernels of NVIDIA L4\n"), HasSubstr("product"), HasSubstr("half_tile"),
                      HasSubstr("fitted"), HasSubstr("1 of 22 rows are left out: the kernel 'sort' is not known.")));
}

TEST_F(Fit, writesAnAcceleratorThatPredictionTakes) {
    const Ended ended =
        tessera({"fit", "--kernels", sampleFile("aiconfigurator/l4.csv"), "--kernels",
                 sampleFile("aiconfigurator-attention/l4.csv"), "--accelerator", "l4", "--out", "mine.json"});
    EXPECT_EQ(ended.code, 0) << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("mine.json"));
    const nlohmann::json written = nlohmann::json::parse(readFile(path("mine.json")));
    EXPECT_EQ(schemaErrors(written, "accelerator.schema.json"), "");
    ASSERT_EQ(written["kernel_fits"].size(), 3U);
    EXPECT_EQ(written["kernel_fits"][0]["family"], "product");
    EXPECT_EQ(written["kernel_fits"][0]["sources"], "l4.csv");
    EXPECT_EQ(tessera({"hardware", "validate", "mine.json"}).code, 0);
    const std::vector<std::string> predict{"predict",      "--model", "zoo:gpt2", "--dim",
                                           "sequence=512", "--batch", "8",        "--accelerator"};
    const Ended fitted = tessera(with(predict, {"mine.json"})), bundled = tessera(with(predict, {"l4"}));
    EXPECT_EQ(fitted.code, 0) << fitted.errors;
    EXPECT_NE(fitted.output, bundled.output);
    // Fits again from the file that has fits: they take the place of the old ones.
    EXPECT_EQ(
        tessera({"fit", "--kernels", sampleFile("aiconfigurator/l4.csv"), "--kernels",
                 sampleFile("aiconfigurator-attention/l4.csv"), "--accelerator", "mine.json", "--out", "again.json"})
            .code,
        0);
    EXPECT_EQ(readFile(path("again.json")), readFile(path("mine.json")));
}

TEST_F(Fit, isTheSameWhateverTheThreads) {
    const std::vector<std::string> command{"fit",    "--kernels", sampleFile("pytorch/l4.json"), "--accelerator", "l4",
                                           "--json", "--threads"};
    const Ended one = tessera(with(command, {"1"}));
    EXPECT_EQ(one.code, 0) << one.errors;
    EXPECT_EQ(one.output, tessera(with(command, {"4"})).output);
    EXPECT_EQ(schemaErrors(nlohmann::json::parse(one.output), "kernel-fit.schema.json"), "");
}

TEST_F(Fit, refusesInASentence) {
    const auto errors = [&](const std::string& kernels, const std::string& accelerator) {
        const Ended ended = tessera({"fit", "--kernels", kernels, "--accelerator", accelerator});
        EXPECT_NE(ended.code, 0);
        return std::to_string(ended.code) + " " + ended.errors;
    };
    EXPECT_THAT(errors("absent.csv", "l4"), testing::StartsWith("6 "));
    EXPECT_THAT(errors(sampleFile("own/l4.csv"), "l44"), AllOf(testing::StartsWith("2 "), HasSubstr("'l44'")));
    EXPECT_THAT(errors("nothing", "l4"), AllOf(testing::StartsWith("2 "), HasSubstr("no file 'nothing'")));
    EXPECT_THAT(errors(sampleFile("nccl-tests/a100-dgx.txt"), "l4"),
                AllOf(testing::StartsWith("3 "), HasSubstr("the columns kernel, shape, dtype and seconds")));
    write("empty.csv", "kernel,shape,dtype,seconds\n");
    EXPECT_THAT(errors("empty.csv", "l4"), AllOf(testing::StartsWith("3 empty.csv"), HasSubstr("no kernel")));
    write("wrong.csv", "kernel,shape,dtype,seconds\ngemm,8x8,fp16,nan\n");
    EXPECT_EQ(errors("wrong.csv", "l4"), "3 wrong.csv:2: field 'seconds' is 'nan'; expected a number above 0\n");
    write("dull.json", R"({"schema": "tessera.accelerator/1", "name": "dull", "peak_flops": {"fp16": 1e12}})");
    EXPECT_THAT(errors(sampleFile("own/l4.csv"), "dull.json"),
                AllOf(testing::StartsWith("3 dull.json"), HasSubstr("bandwidth")));
    EXPECT_THAT(tessera({"fit"}).errors, HasSubstr("--kernels"));
}

TEST_F(Fit, filesOfOtherToolsAreValidated) {
    for (const std::string name : {"aiconfigurator/l4.csv", "neusight/l4.csv", "deepbench/l4.txt", "pytorch/l4.json",
                                   "nccl-tests/a100-dgx.txt", "own/l4.csv"}) {
        const Ended ended = tessera({"validate", sampleFile(name)});
        EXPECT_EQ(ended.code, 0) << name << ended.errors;
        EXPECT_THAT(ended.output, HasSubstr("measured rows in 1 set")) << name;
    }
    EXPECT_THAT(tessera({"validate", sampleFile("pytorch/l4.json")}).output,
                AllOf(HasSubstr("Left out\n"), HasSubstr("2 of 16 measurements"), Not(HasSubstr("refused, each"))));
}

}  // namespace
}  // namespace tessera::test
