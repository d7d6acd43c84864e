#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "tests/app/cli.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

namespace tessera::test {
namespace {

using testing::HasSubstr;

class Place : public Cli {
protected:
    static std::string casePath(const std::string& name) {
        return sourcePath("tests/data/phaze/dp_cases/" + name).string();
    }
    Ended place(const std::string& layers, const std::vector<std::string>& more = {}) const {
        return tessera(with({"place", "--layers", layers}, more));
    }
    nlohmann::json documentOf(const std::string& layers, int code, const std::vector<std::string>& more = {}) const {
        const Ended ended = place(layers, with(more, {"--json"}));
        EXPECT_EQ(ended.code, code) << ended.errors;
        auto document = nlohmann::json::parse(ended.output);
        EXPECT_EQ(schemaErrors(document, "placement-result.schema.json"), "");
        return document;
    }
};

TEST_F(Place, printsThePublishedProgramsTime) {
    const auto document = documentOf(casePath("inputs/16_gpt3_mbs1_80GB_stash.json"), 0, {"--global-batch", "4096"});
    const double seconds = document["time_per_batch_s"];
    EXPECT_NEAR(seconds, 639.1164575636523, 639e-9);
    EXPECT_NEAR(document["throughput_samples_per_s"], 4096 / seconds, 1e-9);
    EXPECT_EQ(document["feasible"], true);
    EXPECT_EQ(document["reason"], nullptr);
    EXPECT_EQ(document["optimal"], true);
    EXPECT_EQ(document["shortage"], nullptr);
    EXPECT_EQ(document["tensor"], 8);
    EXPECT_EQ(document["data"], 9);
    EXPECT_EQ(document["pipeline"], document["stages"].size());
    int next = -1;
    for (const auto& stage : document["stages"]) {
        EXPECT_EQ(stage["accelerators"], 8);
        EXPECT_LE(stage["memory_bytes"], document["problem"]["memory_bytes"]);
        for (const auto& layer : stage["layers"]) EXPECT_EQ(layer, next++);
    }
    EXPECT_EQ(next, 96);
    EXPECT_EQ(document["problem"]["reported"]["fixedPP"], 32);
}

TEST_F(Place, hasNoThroughputWithoutABatch) {
    EXPECT_EQ(documentOf("bert-large", 0)["throughput_samples_per_s"], nullptr);
}

TEST_F(Place, endsWith4AndTheDocumentWhereNothingFits) {
    const auto document = documentOf(casePath("inputs/17_gpt3_mbs1_32GB_stash.json"), 4);
    EXPECT_EQ(document["feasible"], false);
    EXPECT_THAT(document["reason"].get<std::string>(), HasSubstr("no plan fits: the one of least memory needs"));
    EXPECT_EQ(document["time_per_batch_s"], nullptr);
    EXPECT_TRUE(document["stages"].empty());
    EXPECT_TRUE(document["shortage"]["fits_with"]["recompute"]);
    EXPECT_GT(document["shortage"]["fits_with"]["memory_bytes"], document["problem"]["memory_bytes"]);
    EXPECT_EQ(document["shortage"]["fullest"]["memory_bytes"], document["shortage"]["fits_with"]["memory_bytes"]);

    const Ended ended = place(casePath("inputs/17_gpt3_mbs1_32GB_stash.json"));
    EXPECT_EQ(ended.code, 4);
    EXPECT_EQ(ended.output, "");
    EXPECT_EQ(ended.errors, document["reason"].get<std::string>() + "\n");
}

TEST_F(Place, takesOtherAcceleratorsAndAnotherRuleOfMemory) {
    const std::string adam = casePath("inputs/20_gpt3_mbs2_80GB_recomp_adam.json");
    const auto reference = documentOf(adam, 0);
    const auto exact = documentOf(adam, 0, {"--optimizer-memory", "exact"});
    // Adam: one byte of state per byte of weights, or two.
    for (const auto& [document, bytes] : {std::pair(&reference, 1), std::pair(&exact, 2)})
        for (const auto& stage : (*document)["stages"])
            EXPECT_EQ(2 * stage["memory"]["optimizer_bytes"].get<std::int64_t>(),
                      bytes * stage["memory"]["weights_and_gradients_bytes"].get<std::int64_t>());
    const auto fewer = documentOf(adam, 0, {"--accelerators", "512"});
    EXPECT_EQ(fewer["problem"]["accelerators"], 512);
    EXPECT_LT(reference["time_per_batch_s"], fewer["time_per_batch_s"]);
    const auto tooFew = documentOf(adam, 4, {"--accelerators", "3"});
    EXPECT_EQ(tooFew["reason"],
              "no plan fits: the smallest tensor-parallel degree occupies 4 accelerators and there are 3");
    EXPECT_EQ(tooFew["shortage"]["fullest"], nullptr);
}

TEST_F(Place, evaluatesAPlanOfOnesOwn) {
    const std::string layers = casePath("inputs/16_gpt3_mbs1_80GB_stash.json");
    const auto fastest = documentOf(layers, 0, {"--global-batch", "4096"});
    EXPECT_FALSE(fastest.contains("own_plan"));
    // The result itself is a plan: all of its digits come back.
    write("fastest.json", fastest.dump());
    const auto same = documentOf(layers, 0, {"--global-batch", "4096", "--plan", "./fastest.json"});
    EXPECT_EQ(same["own_plan"]["time_per_batch_s"], fastest["time_per_batch_s"]);
    EXPECT_EQ(same["own_plan"]["throughput_samples_per_s"], fastest["throughput_samples_per_s"]);
    EXPECT_EQ(same["own_plan"]["stages"], fastest["stages"]);
    EXPECT_EQ(same["own_plan"]["times_the_fastest"], 1);
    EXPECT_EQ(same["inputs"].size(), 2U);
    // Its degrees, cut anew.
    const std::string degrees = std::to_string(fastest["pipeline"].get<int>()) + "," +
                                std::to_string(fastest["tensor"].get<int>()) + "," +
                                std::to_string(fastest["data"].get<int>());
    const auto cut = documentOf(layers, 0, {"--plan", degrees});
    EXPECT_EQ(cut["own_plan"]["time_per_batch_s"], fastest["time_per_batch_s"]);
    // What the file fixes.
    const std::string recomputing = casePath("inputs/28_gpt3_mbs1_32GB_recomp.json");
    const auto fixed = documentOf(recomputing, 0, {"--plan", "file"});
    EXPECT_EQ(fixed["own_plan"]["pipeline"], fixed["problem"]["reported"]["fixedPP"]);
    EXPECT_EQ(fixed["own_plan"]["tensor"], fixed["problem"]["reported"]["fixedTMPC"]);
    EXPECT_EQ(fixed["own_plan"]["data"], fixed["problem"]["reported"]["fixedDP"]);
    EXPECT_GE(fixed["own_plan"]["times_the_fastest"], 1);
    EXPECT_EQ(fixed["time_per_batch_s"], documentOf(recomputing, 0)["time_per_batch_s"])
        << "the fastest stands beside it";
    const Ended text = place(layers, {"--plan", degrees});
    EXPECT_EQ(text.code, 0) << text.errors;
    EXPECT_THAT(text.output, HasSubstr("Plan " + degrees + ": "));
    EXPECT_THAT(text.output, HasSubstr("as fast as the fastest"));
}

TEST_F(Place, saysWhyAPlanOfOnesOwnDoesNotFit) {
    const std::string layers = casePath("inputs/16_gpt3_mbs1_80GB_stash.json");
    const auto few = documentOf(layers, 4, {"--plan", "1,4,1"});
    EXPECT_EQ(few["feasible"], true);
    EXPECT_EQ(few["own_plan"]["feasible"], false);
    EXPECT_EQ(few["own_plan"]["time_per_batch_s"], nullptr);
    EXPECT_THAT(
        few["own_plan"]["reason"].get<std::string>(),
        HasSubstr("no plan of 1 stage, tensor-parallel degree 4 and 1 replica fits: the one of least memory needs"));
    const auto many = documentOf(layers, 4, {"--plan", "64,8,64"});
    EXPECT_THAT(many["own_plan"]["reason"].get<std::string>(), HasSubstr("each replica occupies"));
    const Ended text = place(layers, {"--plan", "1,4,1"});
    EXPECT_EQ(text.code, 4);
    EXPECT_THAT(text.output, HasSubstr("proven fastest")) << "the fastest is told all the same";
    EXPECT_THAT(text.errors, HasSubstr("no plan of 1 stage"));
    // Whole plans: too many replicas for the accelerators.
    auto plan = documentOf(layers, 0);
    plan["data"] = 1000;
    write("crowded.json", plan.dump());
    EXPECT_THAT(place(layers, {"--plan", "./crowded.json"}).errors, HasSubstr("and there are 1,024 accelerators"));
}

TEST_F(Place, refusesPlansThatAreNone) {
    const std::string layers = casePath("inputs/16_gpt3_mbs1_80GB_stash.json");
    for (const char* const given : {"1,2", "1,2,x", "0,1,1", "1,2,3,4", "eight", "1,,1"}) {
        const Ended ended = place(layers, {"--plan", given});
        EXPECT_EQ(ended.code, 2) << given;
        EXPECT_THAT(ended.errors, HasSubstr("option '--plan' is '" + std::string(given) +
                                            "'; expected stages, tensor-parallel degree and"));
    }
    EXPECT_THAT(place(layers, {"--plan", "1,3,1"}).errors,
                HasSubstr("a tensor-parallel degree of 3, of which there are no costs"));
    EXPECT_THAT(place(layers, {"--plan", "1000,4,1"}).errors, HasSubstr("the plan has 1000 stages for"));
    EXPECT_EQ(place(layers, {"--plan", "./missing.json"}).code, 6);
    const auto whole = documentOf(layers, 0);
    const auto wrong = [&](const auto& change, const std::string& sentence) {
        auto plan = whole;
        change(plan);
        write("plan.json", plan.dump());
        const Ended ended = place(layers, {"--plan", "./plan.json"});
        EXPECT_EQ(ended.code, 3) << sentence;
        EXPECT_THAT(ended.errors, HasSubstr(sentence));
    };
    wrong([](auto& plan) { plan["tensor"] = 5; }, "field 'tensor' is '5'; expected a tensor-parallel degree");
    wrong([](auto& plan) { plan["data"] = 0; }, "field 'data' is '0'");
    wrong([](auto& plan) { plan.erase("stages"); }, "field 'stages' is missing");
    wrong([](auto& plan) { plan["stages"][0]["layers"][0] = 5000; }, "expected the id of a layer");
    wrong([](auto& plan) { plan["stages"].erase(0); }, "is a plan without it; expected layer -1 in one of the stages");
    wrong([](auto& plan) { plan["stages"][1]["layers"].push_back(-1); }, "expected a layer that is in no other stage");
    wrong([](auto& plan) { plan["stages"][0]["layers"].clear(); }, "is an empty list; expected at least one layer");
    wrong([](auto& plan) { std::swap(plan["stages"][0], plan["stages"][1]); }, "which reads it");
}

TEST_F(Place, printsATableForPeople) {
    const Ended ended = place("bert-large", {"--global-batch", "4096"});
    EXPECT_EQ(ended.code, 0) << ended.errors;
    EXPECT_THAT(ended.output,
                HasSubstr("29,090 samples/s · 141 ms/batch · 4 stages × 256 replicas · tensor-parallel degree 1 · "
                          "proven fastest\n"));
    EXPECT_THAT(ended.output, HasSubstr("1,024 of 1,024 accelerators occupied"));
}

TEST_F(Place, isAStudyOfTheHistory) {
    const Ended first = place("bert-large", {"--global-batch", "4096", "--json"});
    ASSERT_EQ(first.code, 0) << first.errors;
    EXPECT_EQ(tessera({"history", "show", "last", "--result"}).output, first.output);
    ASSERT_EQ(place("bert-large", {"--accelerators", "512", "--plan", "2,1,256"}).code, 0);
    EXPECT_THAT(tessera({"history", "list", "--engine", "place"}).output,
                testing::AllOf(HasSubstr("29,090 samples/s"), HasSubstr("141 ms"), HasSubstr("bert-large")));
    EXPECT_THAT(tessera({"history", "show", "2"}).output, HasSubstr("times_the_fastest"));
    EXPECT_THAT(
        tessera({"history", "compare", "1", "2"}).output,
        testing::AllOf(testing::StartsWith("No number says which of 2 runs is ahead: accelerators in use differ.\n"),
                       HasSubstr("time per batch (not comparable)")));
    EXPECT_EQ(tessera({"report", "1", "2", "--out", "both.html"}).code, 0);
    EXPECT_EQ(tessera({"report", "2", "--out", "one.md"}).code, 0);
    EXPECT_THAT(readFile(path("one.md")),
                testing::AllOf(HasSubstr("accelerators occupied"), HasSubstr("Plan 2,1,256: ")));
    EXPECT_EQ(tessera({"export", "1", "--out", "stages.csv"}).code, 0);
    EXPECT_THAT(readFile(path("stages.csv")), testing::StartsWith("stage,layers,accelerators,load_s,forward_s,"));
    EXPECT_EQ(tessera({"export", "1", "--what", "timeline", "--out", "trace.json"}).code, 0);
    EXPECT_EQ(nlohmann::json::parse(readFile(path("trace.json")))["traceEvents"].is_array(), true);
    for (const char* chart : {"pipeline", "placement", "stage-memory", "stage-load"}) {
        EXPECT_EQ(tessera({"export", "1", "--what", "chart", "--name", chart, "--out", "chart.svg"}).code, 0) << chart;
        EXPECT_THAT(readFile(path("chart.svg")), HasSubstr("<svg"));
    }
    EXPECT_EQ(tessera({"history", "verify"}).code, 0);
}

TEST_F(Place, keepsWhatWouldFit) {
    const std::string layers = casePath("inputs/17_gpt3_mbs1_32GB_stash.json");
    const auto document = documentOf(layers, 4);
    const Ended again = tessera({"resume", "last", "--json"});
    EXPECT_EQ(again.code, 4);
    EXPECT_EQ(nlohmann::json::parse(again.output), document);
    EXPECT_EQ(again.errors, document["reason"].get<std::string>() + "\n");
    EXPECT_EQ(tessera({"report", "1", "--out", "short.md"}).code, 0);
    EXPECT_THAT(readFile(path("short.md")), HasSubstr("activations recomputed"));
    const Ended none = tessera({"export", "1", "--out", "stages.csv"});
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.errors, HasSubstr("the result has no stages: no plan fits"));
    EXPECT_THAT(tessera({"export", "1", "--what", "timeline", "--out", "trace.json"}).errors,
                HasSubstr("the result has no pipeline: no plan fits"));
}

TEST_F(Place, keepsAPlanOfOnesOwnWithTheRun) {
    write("plan.json", documentOf("bert-large", 0).dump());
    const Ended first = place("bert-large", {"--plan", "./plan.json", "--json"});
    ASSERT_EQ(first.code, 0) << first.errors;
    std::filesystem::remove(path("plan.json"));
    const auto shown = nlohmann::ordered_json::parse(tessera({"history", "show", "last", "--json"}).output);
    write("study.json", shown["study_document"].dump());
    EXPECT_EQ(tessera({"run", "study.json", "--json", "--no-store"}).output, first.output);
}

TEST_F(Place, isSweptOverAccelerators) {
    write("study.json", R"({"schema": "tessera.study/1", "engine": "place", "workloads": ["megatron-8.3b"]})");
    const Ended swept = tessera({"sweep", "study.json", "--over", "accelerators=3,512,1024", "--no-store"});
    ASSERT_EQ(swept.code, 0) << swept.errors;
    EXPECT_THAT(swept.output, testing::AllOf(HasSubstr("no plan fits"), HasSubstr("time per batch"),
                                             HasSubstr("72.5 s"), HasSubstr("38.2 s")));
}

TEST_F(Place, takesTheCostsOfAModelOnAFleet) {
    const std::vector<std::string> command{"place",          "--model", "zoo:llama2-7b", "--fleet",    "dgx-a100x16",
                                           "--global-batch", "256",     "--software",    "Megatron-LM"};
    const Ended text = tessera(command);
    EXPECT_EQ(text.code, 0) << text.errors;
    EXPECT_THAT(text.output, testing::AllOf(HasSubstr(" samples/s · "), HasSubstr(" · micro-batches of "),
                                            HasSubstr("proven fastest"), HasSubstr("each has 85.9 GB of memory")));
    const auto document = nlohmann::json::parse(tessera(with(command, {"--json"})).output);
    EXPECT_EQ(schemaErrors(document, "placement-result.schema.json"), "");
    const auto& costs = document["problem"]["costs"];
    EXPECT_EQ(costs["accelerator"], "a100");
    EXPECT_EQ(costs["software"], "megatron-lm");
    EXPECT_EQ(document["problem"]["micro_batches"].get<int>() * costs["micro_batch"].get<int>(), 256);
    // The result is a plan: all of it comes back.
    write("fastest.json", document.dump());
    const auto same = nlohmann::json::parse(tessera(with(command, {"--json", "--plan", "./fastest.json"})).output);
    EXPECT_EQ(same["own_plan"]["times_the_fastest"], 1);
    EXPECT_EQ(same["own_plan"]["chosen"]["micro_batch"], costs["micro_batch"]);
    EXPECT_EQ(same["inputs"].size(), document["inputs"].size() + 1);
    EXPECT_THAT(tessera({"history", "list", "--engine", "place"}).output, HasSubstr("llama2-7b"));
    EXPECT_EQ(tessera({"report", "last", "--out", "report.md"}).code, 0);
    EXPECT_EQ(tessera({"export", "last", "--what", "timeline", "--out", "trace.json"}).code, 0);
}

TEST_F(Place, takesLayersOrAModel) {
    const auto refusal = [&](const std::vector<std::string>& more) { return tessera(with({"place"}, more)).errors; };
    EXPECT_THAT(refusal({}), HasSubstr("expected --layers with a file, or --model and --fleet"));
    EXPECT_THAT(refusal({"--model", "zoo:gpt2"}), HasSubstr("option --fleet is missing beside --model"));
    EXPECT_THAT(refusal({"--fleet", "dgx-a100x8"}), HasSubstr("option --model is missing beside --fleet"));
    EXPECT_THAT(refusal({"--layers", "bert-large", "--fleet", "dgx-a100x8"}),
                HasSubstr("expected --layers with a file"));
    EXPECT_THAT(refusal({"--layers", "bert-large", "--dim", "layers=3"}),
                HasSubstr("option --dim is a size of a model"));
}

TEST_F(Place, wrongInputIsOneSentence) {
    EXPECT_EQ(place("bert-larg").errors,
              "tessera: there are no layers 'bert-larg'; did you mean 'bert-large'? see 'tessera place --help'\n");
    EXPECT_THAT(place("bert-large", {"--accelerators", "0"}).errors,
                HasSubstr("option '--accelerators' is '0'; expected a whole number from 1 to 1,000,000,000"));
    EXPECT_THAT(place("bert-large", {"--optimizer-memory", "real"}).errors,
                HasSubstr("option '--optimizer-memory' is 'real'; expected one of reference, exact, mixed"));
    EXPECT_EQ(place("missing.json").code, 6);
    write("bad.json", "{\"maxDevices\": 4,\n\"mbs\": 3}");
    const Ended bad = place("bad.json");
    EXPECT_EQ(bad.code, 3);
    EXPECT_EQ(bad.errors, "bad.json:2: field 'mbs' is unknown; expected 'mbsInBatch' perhaps\n");
    write("momentum.json", R"({"maxDevices": 1, "maxMemoryPerDevice": 100, "bandwidth": 1, "mbsInBatch": 1,
"activationRecomputation": false, "optimizerAlgorithm": "Momentum", "edges": {"1": []}, "nodes": {"1": [{"id": 0,
"parameterSize": 1, "activationSize": 1, "optimalLatencyFw": 1, "optimalLatencyBw": 1, "isTensorParallelized": false}]}})");
    EXPECT_THAT(place("momentum.json").errors,
                HasSubstr("'--optimizer-memory' is 'reference', which does not know the optimizer 'Momentum'; expected "
                          "exact"));
    EXPECT_EQ(place("momentum.json", {"--optimizer-memory", "exact"}).code, 0);
}

}  // namespace
}  // namespace tessera::test
