#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/app/cli.h"

/// What `export` solves anew.
namespace tessera::test {
namespace {

class ExportedScaling : public Cli {
protected:
    std::string exported(const std::vector<std::string>& how) const {
        const Ended ended = tessera(with({"export", "1", "--name", "scaling"}, with(how, {"--out", "out.csv"})));
        EXPECT_EQ(ended.code, 0) << ended.errors;
        std::ifstream in(path("out.csv"), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

TEST_F(ExportedScaling, isAChartAndATableOfEverySize) {
    ASSERT_EQ(tessera(kToy).code, 0);
    const std::string chart = exported({"--what", "chart"});
    EXPECT_TRUE(chart.starts_with("series,Accelerators,Speed-up over data parallelism")) << chart;
    EXPECT_NE(chart.find("accpar,8,"), std::string::npos);
    const std::string table = exported({});
    EXPECT_TRUE(table.starts_with("levels,accelerators,strategy,step_time_s,")) << table;
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 1 + 4 * 8) << "strategies × levels";
    for (const std::string file : {"out.svg", "out.pdf", "out.png"}) {
        const Ended ended = tessera({"export", "1", "--what", "chart", "--name", "scaling", "--out", file});
        EXPECT_EQ(ended.code, 0) << ended.errors;
        EXPECT_GT(std::filesystem::file_size(path(file)), 1000U);
    }
}

TEST_F(ExportedScaling, restsOnTheInputsOfTheRunAlsoWhenTheyHaveChanged) {
    ASSERT_EQ(tessera(kToy).code, 0);
    const std::string before = exported({});
    write("toy.json", "this is no network any more");
    EXPECT_EQ(exported({}), before);
    std::filesystem::remove(path("toy.json"));
    EXPECT_EQ(exported({}), before);
}

}  // namespace
}  // namespace tessera::test
