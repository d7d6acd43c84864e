#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/study/study.h"
#include "tests/app/cli.h"

/// Runs and sweeps that were killed, with any engine: what goes on ends with the bytes of what was never stopped.
namespace tessera::test {
namespace {

namespace fs = std::filesystem;

/// A small study of every engine, and a parameter to sweep over. Whole numbers stand where real ones are meant, too.
struct Sample {
    const char* study;
    const char* over;
};

const std::map<std::string, Sample>& samples() {
    static const std::map<std::string, Sample> kSamples{
        {"partition",
         {R"("models": ["zoo:resnet50"], "hardware": ["accpar-heterogeneous"], "parameters": {"ratio": 1})",
          "batch=128,256,512"}},
        {"mapping",
         {R"("workloads": ["vision"], "hardware": ["s1"], "seed": 3,
             "parameters": {"samples": 3000, "group_size": 60, "bandwidth": 16000000000, "algorithms": ["magma"]})",
          "bandwidth=1000000000,4e9,16 GB/s"}},
        {"codesign",
         {R"("models": ["zoo:bert-base"], "hardware": ["phaze"], "seed": 2, "parameters": {"search": "random", "samples": 100, "accelerators": 64})",
          "global_batch=256,512"}},
        {"predict",
         {R"("models": ["zoo:resnet50"], "hardware": ["a100-40gb", "sn30"], "parameters": {"devices": "1,2,4"})",
          "workspace=0,1,2 GiB"}},
        {"plan",
         {R"("models": ["zoo:llama2-7b"], "hardware": ["h100-h200-mixed"], "parameters": {"global_batch": 256})",
          "sequence=2048,4096"}},
        {"calibrate", {R"("parameters": {"quick": true, "time_limit": 1, "tcp": false})", "threads=1,2"}},
        {"place",
         {R"("workloads": ["megatron-8.3b"], "parameters": {"global_batch": 4096})", "accelerators=256,512,1024"}},
        {"schedule", {R"("workloads": ["mixture-of-experts"])", "vector_cores=4,8"}},
        {"cost", {R"("workloads": ["zoo:resnet50"])", "pes=64,256,1024"}},
        {"explore",
         {R"("parameters": {"study": {"engine": "cost", "workloads": ["zoo:resnet50"]},
             "variables": [{"parameter": "pes", "low": 64, "high": 4096, "scale": "log"},
                           {"parameter": "offchip_bandwidth", "low": 8, "high": 128}],
             "objectives": ["cycles", "energy_j"], "points": 120, "population": 20}, "seed": 3)",
          "points=20,40"}},
    };
    return kSamples;
}

class EveryEngine : public Cli, public testing::WithParamInterface<std::string> {
protected:
    void SetUp() override {
        ASSERT_TRUE(samples().contains(GetParam())) << "an engine without a sample";
        write("study.json", R"({"schema": "tessera.study/1", "engine": ")" + GetParam() + "\", " +
                                samples().at(GetParam()).study + "}");
    }

    /// Measured again, numbers are others.
    static bool isMeasured() { return study::engineNamed(GetParam()).measures; }
    bool isKept() const {
        return fs::exists(path("killed.db")) &&
               tessera({"history", "list", "--json", "--store", "killed.db"}).output.find("\"total\": 0") ==
                   std::string::npos;
    }
    /// The first command, or the one that goes on where something was kept.
    std::vector<std::string> next(const std::vector<std::string>& first) const {
        return isKept() ? std::vector<std::string>{"resume", "1", "--json", "--store", "killed.db"} : first;
    }

    /// Kills the command at six random moments.
    void killAtRandom(const std::vector<std::string>& first, const std::string& seconds) {
        std::mt19937 random(20201122);
        for (int i = 0; i < 6; ++i) {
            std::string command = "\"$TESSERA\"";
            for (const std::string& argument : next(first)) command += " '" + argument + "'";
            const double share = std::uniform_real_distribution(0.0, 1.0)(random);
            runShell(command + " > part.json 2> part.txt & pid=$!; sleep $(echo \"" + seconds + " * " +
                         std::to_string(share) + "\" | awk '{print $1 * $3}'); kill -KILL $pid; wait $pid",
                     folder_);
        }
    }

    static std::string secondsOf(std::chrono::steady_clock::time_point begun) {
        return std::to_string(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    }
};

TEST_P(EveryEngine, goesOnToTheBytesOfARunThatWasNeverKilled) {
    const auto begun = std::chrono::steady_clock::now();
    const Ended whole = tessera({"run", "study.json", "--json", "--no-store"});
    ASSERT_EQ(whole.code, 0) << whole.errors;
    const std::vector<std::string> run{"run", "study.json", "--json", "--store", "killed.db"};
    killAtRandom(run, secondsOf(begun));
    const Ended resumed = tessera(next(run));
    EXPECT_EQ(resumed.code, 0) << resumed.errors;
    EXPECT_TRUE(isMeasured() || resumed.output == whole.output) << "not printed: it is long";
    EXPECT_EQ(tessera({"history", "show", "1", "--result", "--store", "killed.db"}).output, resumed.output);
    EXPECT_EQ(tessera({"history", "verify", "--store", "killed.db"}).code, 0);
}

TEST_P(EveryEngine, aSweepGoesOnToTheBytesOfOneThatWasNeverKilled) {
    const std::vector<std::string> sweep{"sweep", "study.json", "--over", samples().at(GetParam()).over, "--json"};
    const auto begun = std::chrono::steady_clock::now();
    const Ended whole = tessera(with(sweep, {"--store", "whole.db"}));
    ASSERT_EQ(whole.code, 0) << whole.errors;
    killAtRandom(with(sweep, {"--store", "killed.db"}), secondsOf(begun));
    const Ended resumed = tessera(next(with(sweep, {"--store", "killed.db"})));
    EXPECT_EQ(resumed.code, 0) << resumed.errors;
    EXPECT_TRUE(isMeasured() || resumed.output == whole.output) << "not printed: it is long";
    EXPECT_EQ(tessera({"history", "list", "--status", "interrupted", "--store", "killed.db"}).output,
              "No such runs. 'tessera partition' and 'tessera run' leave theirs here.\n");
    EXPECT_EQ(tessera({"resume", "1", "--json", "--store", "killed.db"}).output, resumed.output) << "asked again";
}

std::vector<std::string> engineNames() {
    std::vector<std::string> names;
    for (const study::Engine& engine : study::engines()) names.emplace_back(engine.id);
    return names;
}
INSTANTIATE_TEST_SUITE_P(Resume, EveryEngine, testing::ValuesIn(engineNames()),
                         [](const auto& tested) { return tested.param; });

class Stopped : public Cli {
protected:
    void SetUp() override {
        write("long.json", R"({"schema": "tessera.study/1", "engine": "mapping", "workloads": ["vision"],
"hardware": ["s1"], "seed": 3, "parameters": {"samples": 2000000, "algorithms": ["magma"]}})");
    }
    /// Starts the program in the background and waits until its run is in the history.
    static std::string started(const std::string& arguments) {
        return "\"$TESSERA\" " + arguments +
               " > part.json 2> part.txt & pid=$!; for i in $(seq 500); do \"$TESSERA\" history list --status running "
               "--json 2>&- | grep -q '\"total\": 1' && break; sleep 0.01; done; sleep 0.5; ";
    }
    /// The program's end when it gets a signal while it works; what it said.
    Ended sent(const std::string& signal) const {
        return runShell(
            started("run long.json") + "kill -" + signal + " $pid; wait $pid; code=$?; cat part.txt; exit $code",
            folder_);
    }
};

TEST_F(Stopped, byTheEndOfItsTerminalLeavesACheckpoint) {
    const Ended ended = sent("HUP");
    EXPECT_EQ(ended.code, 5);
    EXPECT_EQ(ended.output, "the mapping search was stopped; 'tessera resume 1' continues it\n");
    EXPECT_NE(tessera({"history", "list", "--status", "interrupted", "--json"}).output.find("\"total\": 1"),
              std::string::npos);
}

TEST_F(Stopped, isNotByTheEndOfATerminalThatItWasToOutlive) {
    const Ended ended = runShell("trap '' HUP; " + started("run long.json") +
                                     "kill -HUP $pid; sleep 1; kill -0 $pid && echo works; kill -KILL $pid",
                                 folder_);
    EXPECT_EQ(ended.output, "works\n");
}

TEST_F(Stopped, byAKillIsListedAsInterruptedAndIsNotAtWork) {
    EXPECT_EQ(sent("KILL").code, 128 + 9);
    EXPECT_NE(tessera({"history", "list", "--status", "interrupted", "--json"}).output.find("\"total\": 1"),
              std::string::npos);
    EXPECT_NE(tessera({"history", "show", "1"}).output.find("interrupted"), std::string::npos);
    EXPECT_EQ(tessera({"history", "delete", "1"}).code, 0);
}

TEST_F(Stopped, notWhileItWorksCanBeDeletedOrResumedElsewhere) {
    const Ended ended = runShell(started("run long.json") +
                                     "for command in 'history delete 1' 'resume 1'; do \"$TESSERA\" $command; echo $?; "
                                     "done; kill -KILL $pid",
                                 folder_);
    EXPECT_EQ(ended.output, "6\n6\n");
    EXPECT_TRUE(ended.errors.starts_with("run 1 is being worked on by process ")) << ended.errors;
    EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 2) << ended.errors;
}

TEST_F(Stopped, quietlyStillSaysThatARunWasNotKept) {
    fs::create_directories(path("share"));
    write("share/tessera", "a file where a folder should be");
    const Ended ended = tessera(with(kToy, {"--quiet"}));
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.errors.find("warning: the folder '"), 0U) << ended.errors;
    EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
}

}  // namespace
}  // namespace tessera::test
