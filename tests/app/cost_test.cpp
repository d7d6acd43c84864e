#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "tests/app/cli.h"
#include "tests/support/schema.h"

namespace tessera::test {
namespace {

using testing::HasSubstr;

class Cost : public Cli {
protected:
    Cost() {
        write("jobs.csv",
              "0,0,80,96,30,30,3,3,1\n"    // a convolution
              "0,1,1,144,58,58,3,3,2\n"    // a depthwise one
              "0,2,128,768,512,1,1,1,3\n"  // a matrix product
              "0,3,1000,300,1,1,1,1,0\n"   // fully connected
              "0,4,8,8,2,9,3,3,1\n");      // a kernel taller than its map
    }

    nlohmann::json rowsOf(const std::vector<std::string>& more) const {
        const Ended ended = tessera(with({"cost", "--jobs", "jobs.csv", "--pes", "2048", "--json"}, more));
        EXPECT_EQ(ended.code, 0) << ended.errors;
        return nlohmann::json::parse(ended.output);
    }
};

TEST_F(Cost, printsThePublishedNumbers) {
    const nlohmann::json document = rowsOf({"--dataflow", "nvdla", "--variant", "published"});
    const nlohmann::json& rows = document["rows"];
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_EQ(rows[0]["cycles"], 47041);
    EXPECT_EQ(rows[0]["l2_bytes"], 38080);
    EXPECT_EQ(rows[0]["l1_bytes"], 54);
    EXPECT_EQ(rows[0]["macs"], 54190080);
    EXPECT_NEAR(rows[0]["energy_j"].get<double>(), 5734.1e-9, 0.05e-9);
    EXPECT_EQ(rows[2]["cycles"], 49153);
    EXPECT_EQ(rows[3]["cycles"], 321);
    EXPECT_EQ(rows[4]["error"], "the kernel has 3 rows and the map only 2");
    EXPECT_FALSE(rows[4].contains("cycles"));
    EXPECT_EQ(document["variant"], "published");
}

TEST_F(Cost, depthwiseRowsUseTheDepthwiseDataflowUnderBundledOnes) {
    const nlohmann::json one = rowsOf({"--dataflow", "nvdla"}), other = rowsOf({"--dataflow", "shidiannao"});
    EXPECT_EQ(one["rows"][1], other["rows"][1]);
    EXPECT_NE(one["rows"][0], other["rows"][0]);
    EXPECT_THAT(one["assumptions"].dump(), HasSubstr("Depthwise layers run under the depthwise dataflow."));
}

TEST_F(Cost, everyRowRunsUnderAMappingOfTheUsersOwn) {
    write("jobs.csv", "0,0,1,144,58,58,3,3,2\n");
    write("mine.m", "Constant Width 8;\nDataflow { SpatialMap(Width,Width) C; TemporalMap(1,1) K; }\n");
    const nlohmann::json mine = rowsOf({"--dataflow", "mine.m"});
    const nlohmann::json theirs = rowsOf({"--dataflow", "shidiannao"});
    EXPECT_NE(mine["rows"][0]["cycles"], theirs["rows"][0]["cycles"]);
    EXPECT_EQ(mine["dataflow"], "mine");
    EXPECT_EQ(mine["assumptions"].dump().find("depthwise dataflow"), std::string::npos);
}

TEST_F(Cost, countsTheRowsOnWhichTheVariantsDifferAndSaysWhy) {
    const nlohmann::json document = rowsOf({"--dataflow", "eyeriss"});
    std::size_t differing = 0;
    for (const nlohmann::json& row : document["rows"]) differing += row["differences"].empty() ? 0 : 1;
    EXPECT_GT(differing, 0U);
    EXPECT_EQ(document["differs"], differing);
    EXPECT_THAT(document["rows"][0]["differences"].dump(), HasSubstr("two spatial maps"));
}

TEST_F(Cost, printsATableForPeople) {
    const Ended ended = tessera({"cost", "--jobs", "jobs.csv", "--pes", "2048", "--dataflow", "dla"});
    EXPECT_EQ(ended.code, 0) << ended.errors;
    EXPECT_THAT(ended.output,
                HasSubstr("5 rows, 1 cannot be analysed; the variants published and corrected differ on"));
}

TEST_F(Cost, wrongInputIsOneSentence) {
    const auto errorOf = [&](const std::vector<std::string>& more) {
        return tessera(with({"cost", "--jobs", "jobs.csv"}, more)).errors;
    };
    EXPECT_THAT(errorOf({"--pes", "0", "--dataflow", "dla"}),
                HasSubstr("option '--pes' is '0'; expected a whole number from 1 to 2,147,483,647"));
    EXPECT_THAT(errorOf({"--pes", "64", "--dataflow", "nvdia"}), HasSubstr("did you mean 'nvdla'?"));
    EXPECT_THAT(errorOf({"--pes", "64", "--dataflow", "dla", "--variant", "right"}),
                HasSubstr("expected one of corrected, published"));
    write("bad.m", "Dataflow {\n  SpatialMap(0,1) K;\n}\n");
    EXPECT_EQ(errorOf({"--pes", "64", "--dataflow", "bad.m"}),
              "bad.m:2:14: found '0'; expected a whole number from 1 to 2147483647\n");
}

TEST_F(Cost, isAStudyOfTheHistory) {
    const std::vector<std::string> cost{"cost", "--jobs", "jobs.csv", "--json"};
    const Ended first = tessera(cost);
    ASSERT_EQ(first.code, 0) << first.errors;
    EXPECT_EQ(schemaErrors(nlohmann::json::parse(first.output), "layer-costs.schema.json"), "");
    EXPECT_EQ(tessera({"history", "show", "last", "--result"}).output, first.output);
    ASSERT_EQ(tessera(with(cost, {"--dataflow", "shidiannao"})).code, 0);
    ASSERT_EQ(tessera(with(cost, {"--no-store"})).output, first.output);
    const Ended listed = tessera({"history", "list", "--engine", "cost"});
    EXPECT_THAT(listed.output, HasSubstr("jobs"));
    EXPECT_THAT(listed.output, HasSubstr(" cycles"));
    EXPECT_THAT(tessera({"history", "show", "1"}).output, HasSubstr("cycles"));
    const Ended compared = tessera({"history", "compare", "1", "2"});
    EXPECT_EQ(compared.code, 0) << compared.errors;
    EXPECT_THAT(compared.output, testing::AllOf(HasSubstr("cycles"), HasSubstr("dataflow")));
    EXPECT_EQ(tessera({"report", "1", "2", "--out", "both.html"}).code, 0);
    EXPECT_EQ(tessera({"report", "1", "--out", "one.md"}).code, 0);
    EXPECT_THAT(readFile(path("one.md")), HasSubstr("the variants published and corrected differ on"));
    EXPECT_EQ(tessera({"export", "1", "--out", "layers.csv"}).code, 0);
    EXPECT_THAT(readFile(path("layers.csv")), testing::StartsWith("row,name,cycles,l1_bytes,l2_bytes,macs,energy_j,"));
    for (const char* chart : {"cycles", "largest", "energy", "off-chip", "utilisation", "roofline"}) {
        const Ended ended = tessera({"export", "1", "--what", "chart", "--name", chart, "--out", "chart.svg"});
        EXPECT_EQ(ended.code, 0) << ended.errors;
        EXPECT_THAT(readFile(path("chart.svg")), HasSubstr("<svg"));
    }
    EXPECT_EQ(tessera({"history", "verify"}).code, 0);
}

TEST_F(Cost, isSweptOverAnyParameter) {
    write("study.json",
          R"({"schema": "tessera.study/1", "engine": "cost", "workloads": ["jobs.csv"], "parameters": {"pes": 64}})");
    const Ended swept =
        tessera({"sweep", "study.json", "--over", "pes=64,256", "--over", "dataflow=nvdla,eyeriss", "--json"});
    ASSERT_EQ(swept.code, 0) << swept.errors;
    EXPECT_EQ(nlohmann::json::parse(swept.output)["points"].size(), 4U);
    EXPECT_THAT(tessera({"run", "resnet50-layers-nvdla", "--no-store"}).output, HasSubstr(" elements\n"));
}

TEST_F(Cost, keepsItsFilesWithTheRun) {
    write("mine.m", "Dataflow { SpatialMap(1,1) K; TemporalMap(1,1) C; }\n");
    ASSERT_EQ(tessera({"cost", "--jobs", "jobs.csv", "--dataflow", "mine.m"}).code, 0);
    const auto shown = nlohmann::json::parse(tessera({"history", "show", "last", "--json"}).output);
    EXPECT_EQ(shown["inputs"].size(), 2U) << shown.dump(1);
    EXPECT_EQ(tessera({"history", "export", "last", "--out", "run.tessera"}).code, 0);
    for (const char* file : {"mine.m", "jobs.csv"}) std::filesystem::remove(path(file));
    ASSERT_EQ(tessera({"history", "import", "run.tessera", "--store", "other.db"}).code, 0);
    EXPECT_EQ(tessera({"history", "verify", "--store", "other.db"}).code, 0);
}

}  // namespace
}  // namespace tessera::test
