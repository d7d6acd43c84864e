#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/cli.h"
#include "tests/app/program.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

namespace tessera::test {
namespace {

using Document = nlohmann::ordered_json;

class Map : public Cli {
protected:
    Map() {
        std::filesystem::copy_file(sourcePath("tests/data/magma/job_tables/S1_recom_insts0.csv"), path("recom.csv"));
        write("two.csv",
              "job,accel,nostall_latency_cycles,req_bw_bytes_per_cycle,macs\n"
              "0,0,100,1,1000\n0,1,200,0.5,1000\n1,0,50,2,500\n1,1,40,2,500\n");
    }

    Ended table(const std::vector<std::string>& more, const std::string& file = "recom.csv") const {
        return tessera(
            with({"map", "--job-table", file, "--bandwidth-bytes-per-cycle", "16", "--samples", "500"}, more));
    }
    Document json(const std::vector<std::string>& more, const std::string& file = "recom.csv") const {
        const Ended ended = table(with(more, {"--json"}), file);
        EXPECT_EQ(ended.code, 0) << ended.errors;
        EXPECT_EQ(schemaErrors(nlohmann::json::parse(ended.output), "mapping-result.schema.json"), "");
        return Document::parse(ended.output);
    }
};

TEST_F(Map, printsTheResultOfATableOfJobs) {
    const Document document = json({});
    std::vector<std::string> keys;
    for (const auto& [key, value] : document.items()) keys.push_back(key);
    EXPECT_EQ(std::vector<std::string>(keys.begin(), keys.begin() + 5),
              (std::vector<std::string>{"schema", "tool_version", "command", "seed", "inputs"}));
    EXPECT_EQ(std::vector<std::string>(keys.end() - 2, keys.end()),
              (std::vector<std::string>{"assumptions", "warnings"}));
    EXPECT_EQ(document["algorithm"], "tessera");
    ASSERT_EQ(document["runs"].size(), 1U);
    EXPECT_EQ(document["runs"][0]["makespan_cycles"], document["makespan_cycles"]);
    EXPECT_EQ(document["jobs"].size(), 100U);
    EXPECT_EQ(document["sub_accelerators"].size(), 4U);
    EXPECT_FALSE(document.contains("makespan_s"));
    EXPECT_FALSE(document.contains("throughput_flops"));
    EXPECT_GE(document["makespan_cycles"].get<double>(), document["lower_bound_cycles"].get<double>());
    const Document timed = json({"--clock", "200MHz"});
    EXPECT_EQ(timed["makespan_cycles"], document["makespan_cycles"]);
    EXPECT_EQ(timed["makespan_s"].get<double>(), document["makespan_cycles"].get<double>() / 200e6);
}

TEST_F(Map, racesSeveralAlgorithmsAndTellsTheBestAtTheTop) {
    const Document document = json({"--algorithm", "random,magma"});
    ASSERT_EQ(document["runs"].size(), 2U);
    EXPECT_EQ(document["runs"][0]["algorithm"], "random");
    double best = document["runs"][0]["value"];
    for (const auto& run : document["runs"]) best = std::min(best, run["value"].get<double>());
    EXPECT_EQ(document["value"], best);
    const Ended text = table({"--algorithm", "random,magma"});
    EXPECT_EQ(text.code, 0) << text.errors;
    EXPECT_NE(text.output.find("algorithm"), std::string::npos);
    EXPECT_NE(text.output.find("Assumptions"), std::string::npos);
}

TEST_F(Map, bytesDoNotDependOnThreads) {
    EXPECT_EQ(table({"--json", "--threads", "1"}).output, table({"--json", "--threads", "2"}).output);
    EXPECT_NE(table({"--json", "--seed", "2"}).output, table({"--json"}).output);
}

TEST_F(Map, tellsTheFrontOfTwoObjectives) {
    write("front.csv",
          "job,accel,nostall_latency_cycles,req_bw_bytes_per_cycle,energy_j\n"
          "0,0,100,1,9\n0,1,200,0.5,1\n1,0,50,2,8\n1,1,140,2,1\n");
    const Ended ended = table({"--pareto", "throughput,energy"}, "front.csv");
    EXPECT_EQ(ended.code, 0) << ended.errors;
    EXPECT_NE(ended.output.find("Front of throughput and energy by tessera: "), std::string::npos) << ended.output;
    const std::size_t count = json({"--pareto", "throughput,energy"}, "front.csv")["front"].size();
    EXPECT_GE(count, 2U);
    EXPECT_NE(ended.output.find("by tessera: " + std::to_string(count) + " mappings"), std::string::npos);
}

TEST_F(Map, refusesABandwidthWithoutAUnit) {
    const Ended ended = tessera({"map", "--platform", "s1", "--workload", "mix", "--bandwidth", "16"});
    EXPECT_EQ(ended.code, 2);
    EXPECT_NE(ended.errors.find("option --bandwidth is '16'; give a unit, for example 16GB/s"), std::string::npos)
        << ended.errors;
}

TEST_F(Map, drawsJobsWithASeedOfTheirOwn) {
    const auto jobsOf = [&](const std::vector<std::string>& more) {
        const Ended ended = tessera(with(
            {"map", "--platform", "s1", "--workload", "mix", "--group-size", "9", "--samples", "20", "--json"}, more));
        EXPECT_EQ(ended.code, 0) << ended.errors;
        return Document::parse(ended.output)["problem"]["jobs"];
    };
    const Document drawn = jobsOf({"--seed", "4"});
    EXPECT_EQ(jobsOf({"--seed", "7", "--job-seed", "4"}), drawn);
    EXPECT_NE(jobsOf({"--seed", "7"}), drawn);
}

TEST_F(Map, scoresAGivenMapping) {
    write("mapping.json", R"({"sub_accelerator": [0, 1], "priority": [0, 0.5]})");
    const Document document = json({"--evaluate", "mapping.json"}, "two.csv");
    // Both run alone on their core; together they ask for 3 bytes per cycle of 16.
    EXPECT_EQ(document["makespan_cycles"], 100.0);
    EXPECT_EQ(document["algorithm"], "given");
    EXPECT_EQ(document["samples"], 1);
    std::ofstream(path("result.json")) << table({"--json", "--algorithm", "random"}, "two.csv").output;
    const Document best = json({"--evaluate", "result.json"}, "two.csv");
    EXPECT_EQ(best["makespan_cycles"], Document::parse(std::ifstream(path("result.json")))["makespan_cycles"]);
    write("wrong.json", "{\"sub_accelerator\": [0, 1],\n \"priority\": [0, 2]}");
    const Ended wrong = table({"--evaluate", "wrong.json"}, "two.csv");
    EXPECT_EQ(wrong.code, 3);
    EXPECT_EQ(wrong.errors, "wrong.json:2: field 'priority[1]' is '2'; expected a number of 0 or more and below 1\n");
}

TEST_F(Map, startsFromARunOfTheHistoryOrAFile) {
    ASSERT_EQ(table({}).code, 0);
    const double first = json({})["makespan_cycles"];
    EXPECT_LE(json({"--warm-start", "1"})["makespan_cycles"].get<double>(), first);
    std::ofstream(path("before.json")) << table({"--json"}).output;
    EXPECT_LE(json({"--warm-start", "before.json"})["makespan_cycles"].get<double>(), first);
    EXPECT_EQ(table({"--warm-start", "99"}).code, 2);
}

TEST_F(Map, saysWhatIsWrongInOneSentence) {
    const auto errors = [&](const std::vector<std::string>& arguments, int code) {
        const Ended ended = tessera(arguments);
        EXPECT_EQ(ended.code, code) << ended.errors;
        EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
        EXPECT_EQ(ended.output, "");
        return ended.errors;
    };
    EXPECT_EQ(errors({"map"}, 2),
              "tessera: option --platform is missing (or --job-table with --bandwidth-bytes-per-cycle); see 'tessera "
              "map --help'\n");
    EXPECT_EQ(errors({"map", "--job-table", "two.csv"}, 2),
              "tessera: a table of jobs needs a bandwidth: --bandwidth-bytes-per-cycle X; see 'tessera map --help'\n");
    EXPECT_EQ(errors({"map", "--job-table", "two.csv", "--bandwidth-bytes-per-cycle", "0"}, 2),
              "tessera: option --bandwidth-bytes-per-cycle is 0; expected a number above 0; see 'tessera map "
              "--help'\n");
    EXPECT_NE(errors({"map", "--job-table", "two.csv", "--bandwidth-bytes-per-cycle", "1", "--algorithm", "magna"}, 2)
                  .find("did you mean 'magma'?"),
              std::string::npos);
    errors({"map", "--job-table", "nowhere.csv", "--bandwidth-bytes-per-cycle", "1"}, 6);
    write("hole.csv", "job,accel,nostall_latency_cycles,req_bw_bytes_per_cycle\n0,0,100,1\n1,1,100,1\n");
    errors({"map", "--job-table", "hole.csv", "--bandwidth-bytes-per-cycle", "1"}, 3);
    write("nan.csv", "job,accel,nostall_latency_cycles,req_bw_bytes_per_cycle\n0,0,nan,1\n");
    errors({"map", "--job-table", "nan.csv", "--bandwidth-bytes-per-cycle", "1"}, 3);
}

TEST_F(Map, runsAreKeptComparedReportedAndExported) {
    ASSERT_EQ(table({}).code, 0);
    ASSERT_EQ(table({"--seed", "2"}).code, 0);
    const Ended list = tessera({"history", "list", "--engine", "mapping", "--sort", "makespan_cycles"});
    EXPECT_EQ(list.code, 0) << list.errors;
    EXPECT_NE(list.output.find("recom"), std::string::npos);
    EXPECT_EQ(tessera({"history", "show", "last"}).code, 0);
    const Ended compared = tessera({"history", "compare", "1", "2", "--json"});
    ASSERT_EQ(compared.code, 0) << compared.errors;
    EXPECT_EQ(schemaErrors(nlohmann::json::parse(compared.output), "comparison.schema.json"), "");
    EXPECT_EQ(Document::parse(compared.output)["jobs"].size(), 100U);
    for (const std::string file : {"report.html", "report.md"})
        EXPECT_EQ(tessera({"report", "1", "2", "--out", file}).code, 0) << file;
    EXPECT_EQ(tessera({"export", "last", "--what", "timeline", "--out", "trace.json"}).code, 0);
    EXPECT_EQ(tessera({"export", "last", "--what", "timeline", "--out", "gantt.svg"}).code, 0);
    const Ended exported = tessera({"export", "last", "--name", "job-table", "--out", "again.csv"});
    ASSERT_EQ(exported.code, 0) << exported.errors;
    EXPECT_EQ(json({"--seed", "2"}, "again.csv")["makespan_cycles"], json({"--seed", "2"})["makespan_cycles"]);
    EXPECT_EQ(tessera({"history", "verify"}).code, 0);
    const Ended again = tessera({"resume", "last", "--json"});
    EXPECT_EQ(again.code, 0) << again.errors;
}

TEST_F(Map, sweepsAStudyOverAParameter) {
    write("study.json",
          R"({"schema": "tessera.study/1", "engine": "mapping", "name": "Swept", "workloads": ["recom.csv"],
"parameters": {"bandwidth_bytes_per_cycle": 16, "samples": 200}, "seed": 1})");
    const Ended ended = tessera(
        {"sweep", "study.json", "--over", "bandwidth_bytes_per_cycle=1,16,256", "--over", "seed=1,2", "--json"});
    ASSERT_EQ(ended.code, 0) << ended.errors;
    EXPECT_EQ(schemaErrors(nlohmann::json::parse(ended.output), "sweep.schema.json"), "");
    const Document document = Document::parse(ended.output);
    ASSERT_EQ(document["points"].size(), 6U);
    EXPECT_EQ(document["points"][3]["values"]["bandwidth_bytes_per_cycle"], "16");
    EXPECT_EQ(document["points"][3]["values"]["seed"], "2");
    EXPECT_EQ(document["points"][5]["run"], 6);
    EXPECT_GT(document["points"][0]["metrics"]["makespan_cycles"].get<double>(),
              document["points"][4]["metrics"]["makespan_cycles"].get<double>());
    const Ended wrong = tessera({"sweep", "study.json", "--over", "nothing=1"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_EQ(tessera({"sweep", "study.json", "--over", "samples"}).code, 2);
}

}  // namespace
}  // namespace tessera::test
