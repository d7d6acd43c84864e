#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/cli.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

/// `tessera explore`: of a file, of any study, and what it writes of a point.
namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const std::vector<std::string> kLayers{"explore",      "resnet50-layers-nvdla",
                                       "--vary",       "pes=64..4096:log",
                                       "--vary",       "offchip_bandwidth=8..128:8",
                                       "--objective",  "cycles",
                                       "--objective",  "energy_j:min",
                                       "--points",     "24",
                                       "--population", "8"};

class Explore : public Cli {
protected:
    nlohmann::json json(const std::vector<std::string>& arguments, const std::string& schema) const {
        const Ended ended = tessera(with(arguments, {"--json"}));
        EXPECT_EQ(ended.code, 0) << ended.errors;
        const nlohmann::json document = nlohmann::json::parse(ended.output, nullptr, false);
        EXPECT_EQ(schemaErrors(document, schema), "");
        return document;
    }
};

TEST_F(Explore, aStudyByWhatTheCommandLineSaysAndItsPoints) {
    const nlohmann::json document = json(kLayers, "exploration-result.schema.json");
    EXPECT_EQ(document["points"].size(), 24U);
    EXPECT_EQ(document["method"], "nsga2");
    for (const auto& point : document["points"]) {
        EXPECT_EQ(point["values"][0], std::floor(point["values"][0].get<double>())) << "elements are whole";
        EXPECT_EQ(std::fmod(point["values"][1].get<double>(), 8), 0);
    }
    const Ended text = tessera(kLayers);
    EXPECT_THAT(text.output, AllOf(HasSubstr("least cycles"), HasSubstr("on the front"), HasSubstr("Front\n"),
                                   HasSubstr("What matters\n"), HasSubstr("chosen")));
    // The history has it under the study's inputs.
    EXPECT_THAT(tessera({"history", "list", "--model", "zoo:resnet50"}).output, HasSubstr("Exploration"));
    const Ended table = tessera({"export", "last", "--out", "-", "--format", "csv"});
    ASSERT_EQ(table.code, 0) << table.errors;
    std::istringstream lines(table.output);
    std::string head;
    std::getline(lines, head);
    EXPECT_EQ(head.substr(0, 40), "point,pes,offchip_bandwidth,cycles,energ");
    EXPECT_EQ(std::count(table.output.begin(), table.output.end(), '\n'), 25);
}

TEST_F(Explore, everyPointAsAStudyThatRunsToTheSameNumbers) {
    const std::vector<std::string> plan{
        "explore",     "llama3.1-405b-512-h100",
        "--vary",      "hbm@accelerators.h100.memory[HBM3].bandwidth_bytes_per_s=2 TB/s..6 TB/s",
        "--vary",      "fleet.levels[NVSwitch].bandwidth_bytes_per_s=200GB/s,900GB/s",
        "--vary",      "fix=tp=8",
        "--objective", "step_time_s",
        "--method",    "random",
        "--points",    "2",
        "--keep",      "all"};
    const nlohmann::json document = json(plan, "exploration-result.schema.json");
    std::size_t column = 0;
    while (document["metrics"][column]["id"] != "step_time_s") ++column;
    for (const std::string point : {"1", "2"}) {
        ASSERT_EQ(tessera({"explore", "last", "--point", point, "--out", "p" + point + ".json"}).code, 0);
        EXPECT_TRUE(fs::exists(path("p" + point + "-hardware/h100.json")));
        EXPECT_TRUE(fs::exists(path("p" + point + "-hardware/dgx-h100x64.json")));
        const nlohmann::json alone = json({"run", "p" + point + ".json", "--no-store"}, "plan-result.schema.json");
        const std::size_t number = std::stoul(point) - 1;
        EXPECT_EQ(alone["configurations"][0]["step_time_s"], document["points"][number]["metrics"][column]);
        // By the export of a run, too, and what is kept whole.
        ASSERT_EQ(
            tessera({"export", "last", "--what", "file", "--name", "study", "--strategy", point, "--out", "e.json"})
                .code,
            0);
        EXPECT_EQ(tessera({"run", "e.json", "--no-store", "--json"}).code, 0);
        ASSERT_EQ(
            tessera({"export", "last", "--what", "file", "--name", "result", "--strategy", point, "--out", "r.json"})
                .code,
            0);
    }
    const nlohmann::json written =
        json({"explore", "last", "--point", "1", "--out", "q.json"}, "exploration-point.schema.json");
    EXPECT_EQ(written["files"].size(), 3U);
}

TEST_F(Explore, listsWhatCanVaryAndTheMetrics) {
    const Ended text = tessera({"explore", "--list", "llama3.1-405b-512-h100"});
    EXPECT_THAT(text.output, AllOf(HasSubstr("fleet.levels[1].bandwidth_bytes_per_s"), HasSubstr("global_batch"),
                                   HasSubstr("step_time_s"), HasSubstr("hardware")));
    const nlohmann::json document =
        json({"explore", "resnet50-layers-nvdla", "--list"}, "exploration-space.schema.json");
    const auto entryOf = [](const nlohmann::json& listed, const std::string& of) {
        for (const nlohmann::json& each : listed["variables"])
            if (each["of"] == of) return each;
        return nlohmann::json::object();
    };
    const nlohmann::json pes = entryOf(document, "pes");
    EXPECT_EQ(pes["target"], "parameter");
    EXPECT_THAT(pes["takes"].get<std::string>(), HasSubstr("a whole number from 1 to "));
    EXPECT_EQ(pes["help"], "processing elements");
    EXPECT_NE(entryOf(document, "offchip_bandwidth")["now"], "–") << "the default where the study says nothing";
    EXPECT_GT(document["metrics"].size(), 5U);
    // Fields with unit, range and help; dimensions of a network of the zoo.
    const nlohmann::json plan = json({"explore", "llama3.1-405b-512-h100", "--list"}, "exploration-space.schema.json");
    const nlohmann::json links = entryOf(plan, "fleet.levels[1].bandwidth_bytes_per_s");
    EXPECT_EQ(links["unit"], "B/s");
    EXPECT_EQ(links["takes"], "a number above 0 B/s");
    EXPECT_NE(links["help"], "");
    EXPECT_EQ(entryOf(plan, "tensor_parallel")["target"], "dimension");
    EXPECT_EQ(entryOf(plan, "tensor_parallel")["now"], "1");
    EXPECT_EQ(entryOf(plan, "tensor_parallel")["takes"], "a whole number from 1 to 8");
    EXPECT_THAT(text.output, HasSubstr("dim.tensor_parallel"));
    // No two fields have one path: the fleet's name, and that of its only group.
    std::set<std::string> paths;
    for (const nlohmann::json& each : plan["variables"])
        if (each["target"] == "field") {
            EXPECT_TRUE(paths.insert(each["of"]).second) << each["of"];
        }
    // Where several fleets are among the choices, paths name theirs.
    const nlohmann::json fleets =
        json({"explore", "llama3.1-405b-512-h100", "--list", "--vary", "hardware=dgx-h100x64,dgx-a100x8"},
             "exploration-space.schema.json");
    EXPECT_TRUE(entryOf(fleets, "fleet.levels[1].bandwidth_bytes_per_s").empty());
    EXPECT_EQ(entryOf(fleets, "fleets.dgx-h100x64.levels[1].bandwidth_bytes_per_s")["unit"], "B/s");
}

TEST_F(Explore, filesAboveAndTextsWithCommasAmongValues) {
    fs::create_directories(path("below"));
    fs::copy_file(sourcePath("data/accelerators/h100.json"), path("mine.json"));
    const nlohmann::json files = json({"explore", "resnet50-accelerators", "--vary", "hardware=below/../mine.json,a100",
                                       "--objective", "throughput_samples_per_s", "--method", "grid", "--no-store"},
                                      "exploration-result.schema.json");
    EXPECT_EQ(files["variables"][0]["words"], nlohmann::json::parse(R"(["below/../mine.json", "a100"])"));
    EXPECT_EQ(files["counted"]["feasible"], 2);
    const nlohmann::json texts =
        json({"explore", "llama3.1-405b-512-h100", "--vary", R"(fix="tp=8,pp=16", "tp=8,pp=8",tp=4)", "--objective",
              "step_time_s", "--method", "grid", "--no-store"},
             "exploration-result.schema.json");
    EXPECT_EQ(texts["variables"][0]["words"], nlohmann::json::parse(R"(["tp=8,pp=16", "tp=8,pp=8", "tp=4"])"));
    EXPECT_EQ(texts["points"].size(), 3U);
}

TEST_F(Explore, aFileBesideOptionsThatTakeItsPlace) {
    write("x.json", R"({"schema": "tessera.exploration/1", "name": "Arrays",
"study": {"engine": "cost", "workloads": ["zoo:lenet5"]},
"variables": [{"parameter": "pes", "values": [16, 64, 256]}], "objectives": ["cycles"], "method": "grid"})");
    EXPECT_EQ(json({"run", "x.json"}, "exploration-result.schema.json")["points"].size(), 3U);
    EXPECT_EQ(json({"explore", "x.json"}, "exploration-result.schema.json")["points"].size(), 3U);
    const nlohmann::json other = json({"explore", "x.json", "--vary", "pes=64,128", "--vary", "dataflow=nvdla,eyeriss",
                                       "--objective", "energy_j", "--constraint", "cycles<=1e12"},
                                      "exploration-result.schema.json");
    EXPECT_EQ(other["points"].size(), 4U);
    EXPECT_EQ(other["objectives"][0]["id"], "energy_j");
    EXPECT_EQ(other["constraints"].size(), 1U);
    write("points.csv", "pes\n128\n256\n");
    const nlohmann::json list =
        json({"explore", "x.json", "--method", "list", "--vary", "pes=1..1000", "--begin", "points.csv"},
             "exploration-result.schema.json");
    EXPECT_EQ(list["points"].size(), 2U);
    EXPECT_EQ(list["points"][1]["values"][0], 256);
}

TEST_F(Explore, endsLikeOtherCommandsWhereThereIsNoSolution) {
    const Ended none = tessera(with(kLayers, {"--constraint", "cycles<=1", "--no-store"}));
    EXPECT_EQ(none.code, 4);
    EXPECT_THAT(none.errors, HasSubstr("none of 24 points is a solution that keeps the constraints"));
    EXPECT_THAT(none.output, HasSubstr("Infeasible points\n"));
}

TEST_F(Explore, refusesInOneSentence) {
    const auto refusal = [&](const std::vector<std::string>& arguments, int code) {
        const Ended ended = tessera(with(arguments, {"--no-store"}));
        EXPECT_EQ(ended.code, code) << ended.errors;
        EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
        return ended.errors;
    };
    const std::vector<std::string> base{"explore", "resnet50-layers-nvdla", "--objective", "cycles"};
    EXPECT_THAT(refusal(with(base, {"--vary", "pes"}), 2),
                HasSubstr("option '--vary' is 'pes'; expected NAME=LOW..HIGH"));
    EXPECT_THAT(refusal(with(base, {"--vary", "pez=1,2"}), 2), HasSubstr("did you mean 'pes'?"));
    EXPECT_THAT(refusal(with(base, {"--vary", "dataflow=\"nvdla"}), 2), HasSubstr("expected NAME=LOW..HIGH"));
    EXPECT_THAT(refusal(with(base, {"--vary", "pes=0..4"}), 2), HasSubstr("not '0'"));
    write("points.csv", "pes\n128\n0\n");
    EXPECT_THAT(refusal(with(base, {"--vary", "pes=1..1000", "--method", "list", "--begin", "points.csv"}), 2),
                HasSubstr("row 2 of the points to begin with: variable 'pes': 'pes' takes a whole number from 1"));
    EXPECT_THAT(refusal({"explore", "resnet50-accelerators", "--vary", "batch=1,2", "--objective", "step_time_s"}, 2),
                HasSubstr("NAME@batch=…"));
    EXPECT_THAT(refusal(with(base, {"--vary", "pes=1..x"}), 2), HasSubstr("not 'x'"));
    EXPECT_THAT(refusal(base, 2), HasSubstr("the exploration has no variable"));
    EXPECT_THAT(refusal(with(base, {"--vary", "pes=1,2", "--method", "nsga3"}), 2), HasSubstr("nsga2"));
    EXPECT_THAT(refusal(with(base, {"--vary", "pes=1,2", "--out", "x.json"}), 2), HasSubstr("--point"));
    EXPECT_THAT(refusal({"explore", "resnet51"}, 2), HasSubstr("there is no study"));
    EXPECT_THAT(refusal({"explore", "last", "--point", "1"}, 2), HasSubstr("no run"));
    write("x.json", R"({"schema": "tessera.exploration/1", "study": {"engine": "cost", "workloads": ["zoo:lenet5"]},
"variables": [{"parameter": "pes", "low": 5}], "objectives": ["cycles"]})");
    EXPECT_THAT(refusal({"explore", "x.json"}, 3), HasSubstr("x.json:2: field 'variables[0]'"));
}

}  // namespace
}  // namespace tessera::test
