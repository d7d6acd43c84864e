#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/cli.h"

/// Results as inputs of other commands: written by `export`, and named without that.
namespace tessera::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class HandoverCommand : public Cli {
protected:
    HandoverCommand() {
        EXPECT_EQ(tessera({"predict", "--model", "zoo:resnet18", "--accelerator", "a100,h100", "--devices", "1,8",
                           "--batch", "32"})
                      .code,
                  0);
    }
};

TEST_F(HandoverCommand, aFileAndANameGiveTheSameNumbers) {
    const std::vector<std::string> select{"export", "1",        "--what", "file",  "--name",
                                          "fleet",  "--select", "a100@8", "--out", "fleet.json"};
    const Ended written = tessera(select);
    ASSERT_EQ(written.code, 0) << written.errors;
    EXPECT_EQ(written.output, "run 1: fleet written to fleet.json\n");
    EXPECT_EQ(tessera({"hardware", "validate", "fleet.json"}).code, 0);
    const auto stepOn = [&](const std::string& fleet) {
        const Ended ended = tessera({"partition", "--model", "toy.json", "--fleet", fleet, "--json"});
        EXPECT_EQ(ended.code, 0) << ended.errors;
        return nlohmann::json::parse(ended.output, nullptr, false)["strategies"];
    };
    const nlohmann::json byName = stepOn("run:1/fleet/a100@8");
    EXPECT_EQ(byName, stepOn("fleet.json"));
    // The study of the history says where its fleet came from, and a study file may.
    EXPECT_THAT(tessera({"history", "show", "2"}).output, HasSubstr("run:1/fleet/a100@8"));
    write("study.json", R"({"schema": "tessera.study/1", "engine": "partition", "models": ["toy.json"],
                            "hardware": ["run:1/fleet/a100@8"]})");
    const Ended byFile = tessera({"run", "study.json"});
    EXPECT_EQ(byFile.code, 0) << byFile.errors;
    EXPECT_THAT(byFile.output, HasSubstr("8 × NVIDIA A100"));
}

TEST_F(HandoverCommand, theDefaultIsWhatTheHeadlineIsAbout) {
    EXPECT_THAT(tessera({"hardware", "show", "run:1/fleet"}).output, HasSubstr("8 × NVIDIA H100"));
}

TEST_F(HandoverCommand, whatThereIsNotIsASentence) {
    const auto refused = [&](const std::string& fleet) {
        const Ended ended = tessera({"partition", "--model", "toy.json", "--fleet", fleet});
        EXPECT_EQ(ended.code, 6) << fleet;
        EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
        return ended.errors;
    };
    EXPECT_THAT(refused("run:1/fleet/b200@8"), HasSubstr("expected one of h100@8"));
    EXPECT_THAT(refused("run:7/fleet"), HasSubstr("there is no run '7'"));
    EXPECT_THAT(refused("run:last/fleet"), HasSubstr("'last' is no number of a run"));
    EXPECT_THAT(refused("run:1/stage"), HasSubstr("makes no 'stage'; expected one of fleet"));
    EXPECT_EQ(tessera({"export", "1", "--what", "file", "--select", "none", "--out", "x.json"}).code, 2);
}

TEST_F(HandoverCommand, theStageOfAPlanIsAStudyWithWhatItNames) {
    ASSERT_EQ(tessera({"plan", "--model", "zoo:gpt2", "--fleet", "run:1/fleet/a100@8", "--global-batch", "32", "--fix",
                       "tp=2,pp=4"})
                  .code,
              0);
    const Ended written =
        tessera({"export", "last", "--what", "file", "--name", "stage", "--select", "1/2", "--out", "stage.json"});
    EXPECT_EQ(written.output, "run 2: stage written to stage.json and stage-model.json and stage-fleet.json\n");
    const Ended byFile = tessera({"run", "stage.json", "--no-store"});
    EXPECT_EQ(byFile.code, 0) << byFile.errors;
    EXPECT_EQ(tessera({"run", "run:2/stage/1/2", "--no-store"}).output, byFile.output);
}

}  // namespace
}  // namespace tessera::test
