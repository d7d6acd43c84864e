#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/store/recorder.h"
#include "core/store/store.h"
#include "core/study/study.h"
#include "tests/app/cli.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

namespace tessera::test {
namespace {

using testing::HasSubstr;

class Schedule : public Cli {
protected:
    Schedule() {
        write("layer.json", R"({"name": "two branches", "num_tc": 2, "num_vc": 1, "nodes": [
{"id": 7, "type": "TC", "latency": 10, "intra_latency": 6, "name": "a"},
{"id": 8, "type": "TC", "latency": 10, "intra_latency": 6, "name": "b"},
{"id": 9, "type": "TCandVC", "latency": 8, "intra_latency": 4}],
"edges": [[7, 9], [8, 9]]})");
    }

    nlohmann::json documentOf(const std::vector<std::string>& more) const {
        const Ended ended = tessera(with({"schedule", "--operators", "layer.json", "--json"}, more));
        EXPECT_EQ(ended.code, 0) << ended.errors;
        const nlohmann::json document = nlohmann::json::parse(ended.output);
        EXPECT_EQ(schemaErrors(document, "schedule-result.schema.json"), "");
        return document;
    }
};

TEST_F(Schedule, printsWhenAndWhereEachOperatorRuns) {
    const nlohmann::json document = documentOf({});
    EXPECT_EQ(document["makespan"], 14);
    EXPECT_EQ(document["lower_bound"], 14);
    EXPECT_EQ(document["optimal"], true);
    EXPECT_EQ(document["ended_by"], "proof");
    EXPECT_EQ(document["serial_makespan"], 16);
    EXPECT_EQ(document["gain_over_serial"], 0.125);
    EXPECT_EQ(document["gap"], 0);
    EXPECT_EQ(document["operators"].size(), 3U);
    EXPECT_EQ(document["operators"][1]["finish"], 10);
    EXPECT_EQ(document["operators"][0]["all_cores"], false);
    EXPECT_NE(document["operators"][0]["tensor_core"], document["operators"][1]["tensor_core"]);
    EXPECT_EQ(document["operators"][0]["vector_core"], nullptr);
    EXPECT_EQ(document["operators"][2],
              nlohmann::json::parse(R"({"id": 9, "name": "", "type": "TCandVC", "start": 10, "finish": 14,
                                        "all_cores": true, "tensor_core": null, "vector_core": null})"));
    EXPECT_EQ(documentOf({"--method", "list"})["makespan"], 14);
}

TEST_F(Schedule, takesCoresFromOptionsBeforeTheFile) {
    const nlohmann::json document = documentOf({"--tensor-cores", "1", "--vector-cores", "4"});
    EXPECT_EQ(document["tensor_cores"], 1);
    EXPECT_EQ(document["vector_cores"], 4);
    EXPECT_EQ(document["makespan"], 16) << "one after the other";
    EXPECT_THAT(document["warnings"].dump(), HasSubstr("other numbers of cores"));
}

TEST_F(Schedule, printsATableForPeople) {
    const Ended ended = tessera({"schedule", "--operators", "layer.json"});
    EXPECT_EQ(ended.code, 0) << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("14 makespan · proven optimal · 12.50 % below 16 in a row\n"));
    EXPECT_THAT(ended.output, HasSubstr("two branches on 2 tensor cores, 1 vector core; method exact, ended by proof"));
    EXPECT_THAT(ended.output, HasSubstr("tensor 2"));
}

TEST_F(Schedule, readsReferenceCasesAsTheyAreAndEndsWith0Unproved) {
    const std::string wide = sourcePath("tests/data/phaze/ilp_cases/layers/L7_perhead12_fwd_4x16.json").string();
    const std::vector<std::string> command{"schedule", "--operators", wide, "--node-limit", "500", "--json"};
    const Ended ended = tessera(command);
    ASSERT_EQ(ended.code, 0) << ended.errors;
    const nlohmann::json document = nlohmann::json::parse(ended.output);
    EXPECT_EQ(schemaErrors(document, "schedule-result.schema.json"), "");
    EXPECT_EQ(document["optimal"], false);
    EXPECT_EQ(document["ended_by"], "nodes");
    EXPECT_EQ(document["nodes"], 500);
    EXPECT_LT(document["lower_bound"], document["makespan"]);
    EXPECT_LT(document["gap"], 0.05);
    EXPECT_EQ(tessera(command).output, ended.output) << "a limit of nodes is repeatable";
}

TEST_F(Schedule, ctrlCPrintsTheBestSoFarAndEndsWith5) {
    const std::string wide = sourcePath("tests/data/phaze/ilp_cases/layers/L7_perhead12_fwd_4x16.json").string();
    const Ended ended = runShell(
        "\"$TESSERA\" schedule --operators " + wide + " --json >out.json & sleep 2; kill -TERM $!; wait $!", folder_);
    EXPECT_EQ(ended.code, 5);
    EXPECT_EQ(ended.errors,
              "the scheduling was stopped; the best schedule so far is printed; run 'tessera schedule' again with the "
              "same arguments\n");
    std::ifstream stream(path("out.json"));
    const nlohmann::json document = nlohmann::json::parse(stream);
    EXPECT_EQ(schemaErrors(document, "schedule-result.schema.json"), "");
    EXPECT_EQ(document["ended_by"], "stop");
}

TEST_F(Schedule, isAStudyOfTheHistory) {
    const std::vector<std::string> exact{"schedule", "--operators", "layer.json", "--json"};
    const Ended first = tessera(exact);
    ASSERT_EQ(first.code, 0) << first.errors;
    EXPECT_EQ(tessera({"history", "show", "last", "--result"}).output, first.output);
    ASSERT_EQ(tessera(with(exact, {"--method", "list", "--tensor-cores", "1"})).code, 0);
    EXPECT_THAT(tessera({"history", "list", "--engine", "schedule"}).output,
                testing::AllOf(HasSubstr("12.50 %"), HasSubstr("proven"), HasSubstr("layer")));
    EXPECT_THAT(tessera({"history", "show", "1"}).output, HasSubstr("gain_over_serial"));
    EXPECT_THAT(tessera({"history", "compare", "1", "2"}).output,
                testing::AllOf(HasSubstr("makespan"), HasSubstr("+14 %, worse"), HasSubstr("tensor cores"),
                               HasSubstr("method")));
    EXPECT_EQ(tessera({"report", "1", "2", "--out", "both.html"}).code, 0);
    EXPECT_EQ(tessera({"report", "1", "--out", "one.md"}).code, 0);
    EXPECT_THAT(readFile(path("one.md")), HasSubstr("two branches on 2 tensor cores, 1 vector core; method exact"));
    EXPECT_EQ(tessera({"export", "1", "--out", "operators.csv"}).code, 0);
    EXPECT_THAT(readFile(path("operators.csv")), testing::StartsWith("id,operator,type,start,finish,cores"));
    EXPECT_EQ(tessera({"export", "1", "--what", "timeline", "--out", "trace.json"}).code, 0);
    EXPECT_EQ(nlohmann::json::parse(readFile(path("trace.json")))["traceEvents"].is_array(), true);
    for (const char* chart : {"schedule", "makespan", "core-use"}) {
        EXPECT_EQ(tessera({"export", "1", "--what", "chart", "--name", chart, "--out", "chart.svg"}).code, 0) << chart;
        EXPECT_THAT(readFile(path("chart.svg")), HasSubstr("<svg"));
    }
    EXPECT_EQ(tessera({"history", "verify"}).code, 0);
}

TEST_F(Schedule, isRepeatedAfterItsFileIsGone) {
    const Ended first = tessera({"schedule", "--operators", "layer.json", "--json", "--store", "kept.db"});
    ASSERT_EQ(first.code, 0) << first.errors;
    std::filesystem::remove(path("layer.json"));
    const store::Store history = store::Store::open(path("kept.db"), store::OpenMode::readOnly);
    study::RunContext context;
    context.files = store::storedInputs(history, 1);
    EXPECT_EQ(toText(study::toJson(study::run(history.study(1), context))), first.output);
}

TEST_F(Schedule, isSweptOverAnyParameter) {
    write("study.json", R"({"schema": "tessera.study/1", "engine": "schedule", "workloads": ["layer.json"]})");
    const Ended swept =
        tessera({"sweep", "study.json", "--over", "tensor_cores=1,2", "--over", "method=exact,list", "--json"});
    ASSERT_EQ(swept.code, 0) << swept.errors;
    const auto points = nlohmann::json::parse(swept.output)["points"];
    ASSERT_EQ(points.size(), 4U);
    EXPECT_EQ(points[2]["metrics"]["makespan"], 14);
    EXPECT_EQ(tessera({"run", "study.json", "--json", "--no-store"}).output,
              tessera({"schedule", "--operators", "layer.json", "--json", "--no-store"}).output);
}

TEST_F(Schedule, wrongUsageIsOneSentence) {
    const auto errorOf = [&](const std::vector<std::string>& more) {
        const Ended ended = tessera(with({"schedule", "--operators"}, more));
        EXPECT_EQ(ended.code, 2);
        return ended.errors;
    };
    EXPECT_THAT(errorOf({"layer.json", "--tensor-cores", "0"}),
                HasSubstr("option '--tensor-cores' is '0'; expected a whole number from 1 to 1,000,000"));
    EXPECT_THAT(errorOf({"layer.json", "--method", "exat"}),
                HasSubstr("option '--method' is 'exat'; expected one of exact, ilp, list"));
    EXPECT_THAT(errorOf({"layer.json", "--time-limit", "0"}),
                HasSubstr("option '--time-limit' is '0'; expected a number from 0.001 to 1,000,000"));
    EXPECT_THAT(errorOf({"layer.json", "--node-limit", "few"}), HasSubstr("option '--node-limit' is 'few'"));
    EXPECT_THAT(errorOf({"mixture-of-expert"}), HasSubstr("did you mean 'mixture-of-experts'?"));
    write("coreless.json", R"({"nodes": [{"id": 0, "type": "TC", "latency": 1, "intra_latency": 1}], "edges": []})");
    EXPECT_THAT(errorOf({"coreless.json"}),
                HasSubstr("option --tensor-cores is missing, and the file has no 'num_tc'"));
    EXPECT_EQ(tessera({"schedule", "--operators", "missing.json"}).code, 6);
    write("bad.json", R"({"nodes": [{"id": 0, "type": "GPU", "latency": 1, "intra_latency": 1}], "edges": []})");
    const Ended ended = tessera({"schedule", "--operators", "bad.json"});
    EXPECT_EQ(ended.code, 3);
    EXPECT_EQ(ended.errors, "bad.json:1: field 'nodes[0].type' is 'GPU'; expected one of TC, VC, TCandVC\n");
}

TEST_F(Schedule, saysThatCbcIsNotInstalled) {
    const Ended ended = runShell("tool=$(realpath \"$TESSERA\"); PATH=" + folder_ +
                                     " exec \"$tool\" schedule --operators layer.json --method ilp",
                                 folder_);
    EXPECT_EQ(ended.code, 6);
    EXPECT_EQ(ended.errors, "the program 'cbc' was not found; install the package coinor-cbc\n");
}

}  // namespace
}  // namespace tessera::test
