#include "core/study/study.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/study/partition/study.h"
#include "core/study/prediction/outcome.h"
#include "core/study/title.h"
#include "tests/support/partition_result.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"
#include "tests/support/scratch_folder.h"

namespace tessera::study {
namespace {

Study readText(const std::string& text) {
    return readStudy(JsonDocument::parse(text, "s.json").root());
}

std::string studyRefusal(const std::string& text) {
    try {
        readText(text);
    } catch (const DataError& error) {
        return error.what();
    }
    return "accepted";
}

constexpr const char* kSmall =
    R"({"schema":"tessera.study/1","engine":"partition","models":["zoo:vgg11"],"hardware":["accpar-homogeneous"]})";

std::vector<std::string> keysOf(const Json& json) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : json.items()) keys.push_back(key);
    return keys;
}

nlohmann::json plainStudy(const Json& json) {
    return nlohmann::json::parse(json.dump());
}

TEST(Study, fillsInEveryDefault) {
    const Study study = readText(kSmall);
    EXPECT_EQ(study.parameters->at("batch"), Json(512));
    EXPECT_EQ(study.parameters->at("strategies"), Json::array({"accpar", "hypar", "owt", "dp"}));
    EXPECT_FALSE(study.parameters->contains("levels"));
}

TEST(Study, comesBackEqualFromItsJson) {
    Study study = readText(kSmall);
    study.name = "Mixed";
    study.dimensions = {{"seq", 128}};
    study.seed = 7;
    setParameter(study, "ratio", {"0.3"});
    setParameter(study, "levels", {"3"});
    EXPECT_EQ(readText(toText(toJson(study))), study);
    EXPECT_EQ(test::schemaErrors(plainStudy(toJson(study)), "study.schema.json"), "");
}

TEST(Study, isCalledAfterItsInputsUnlessItHasAName) {
    Study study = newStudy("partition");
    study.models = {"zoo:resnet50", "/models/my net.v2.onnx"};
    study.hardware = {"accpar-heterogeneous"};
    EXPECT_EQ(titleOf(study), "resnet50, my net.v2 on accpar-heterogeneous, batch 512");
    study.models = {"zoo:resnet50"};
    study.hardware = {"fleets/mine.json"};
    study.parameters->erase("batch");
    EXPECT_EQ(titleOf(study), "resnet50 on mine");
    study.name = "Mixed";
    EXPECT_EQ(titleOf(study), "Mixed");
}

TEST(Study, contentHashFollowsInputsAndParametersOnly) {
    const Study study = readText(kSmall);
    Study other = study;
    other.name = "renamed";
    other.seed = 3;
    EXPECT_EQ(contentHash(other), contentHash(study));
    setParameter(other, "batch", {"256"});
    EXPECT_NE(contentHash(other), contentHash(study));
    setParameter(other, "batch", {"512"});
    EXPECT_EQ(contentHash(other), contentHash(study));
}

TEST(Study, refusesUnknownFieldsByName) {
    EXPECT_EQ(studyRefusal(R"({"schema":"tessera.study/1","engine":"partition",
"models":["zoo:vgg11"],
"hardwares":["accpar-homogeneous"],"hardware":["a"]})"),
              "s.json:3: field 'hardwares' is unknown; expected 'hardware' perhaps");
    EXPECT_EQ(studyRefusal(R"({"schema":"tessera.study/1","engine":"partition","models":["zoo:vgg11"],"hardware":["a"],
"parameters":{"batches":5}})"),
              "s.json:2: field 'parameters.batches' is unknown; expected 'batch' perhaps");
}

TEST(Study, refusesWrongValuesWithTheirLine) {
    EXPECT_EQ(studyRefusal(R"({"schema":"tessera.study/1","engine":"partition","models":["zoo:vgg11"],"hardware":["a"],
"parameters":{
"batch":-4}})"),
              "s.json:3: field 'parameters.batch' is '-4'; expected a whole number from 1 to 1,000,000,000");
    EXPECT_EQ(studyRefusal(R"({"schema":"tessera.study/2"})"),
              "s.json:1: field 'schema' is 'tessera.study/2'; expected 'tessera.study/1'");
    std::string known;
    for (const Engine& engine : engines()) known += (known.empty() ? "" : ", ") + std::string(engine.id);
    EXPECT_EQ(studyRefusal(R"({"schema":"tessera.study/1","engine":"dream","models":["m"],"hardware":["a"]})"),
              "s.json:1: field 'engine' is 'dream'; expected one of " + known);
}

TEST(Study, bundledOnesAreValid) {
    EXPECT_GE(bundledStudies().size(), 2U);
    for (const auto& [name, title] : bundledStudies()) {
        EXPECT_FALSE(title.empty()) << name;
        std::ifstream stream(test::sourcePath("data/studies/" + name + ".json"));
        const nlohmann::json document = nlohmann::json::parse(stream);
        const std::string kind = document["schema"].get<std::string>();
        const std::string schema = kind.substr(kind.find('.') + 1, kind.find('/') - kind.find('.') - 1);
        EXPECT_EQ(test::schemaErrors(document, schema + ".schema.json"), "") << name;
    }
}

// One that its user has not finished does not hide the others.
TEST(Study, anUnfinishedOneOfTheUsersOwnIsListedWithoutATitle) {
    const test::ScratchFolder own;
    const std::filesystem::path studies = std::filesystem::path(own.path()) / "studies";
    std::filesystem::create_directories(studies);
    std::ofstream(studies / "begun.json") << R"({"schema": "tessera.study/1", "engine": "predict", "models": []})";
    const char* const before = std::getenv("TESSERA_DATA");
    const std::string kept = before == nullptr ? "" : before;
    setenv("TESSERA_DATA", std::string(own.path()).c_str(), 1);
    std::map<std::string, std::string> listed;
    for (auto& [name, title] : bundledStudies()) listed[name] = title;
    if (before == nullptr)
        unsetenv("TESSERA_DATA");
    else
        setenv("TESSERA_DATA", kept.c_str(), 1);
    EXPECT_GE(listed.size(), 3U);
    ASSERT_TRUE(listed.contains("begun"));
    EXPECT_EQ(listed["begun"], "");
}

TEST(Study, parametersBecomeTheEnginesOptions) {
    Study study = newStudy("partition");
    setParameter(study, "ratio", {"0.7"});
    setParameter(study, "objective", {"side"});
    setParameter(study, "psum", {"conv"});
    setParameter(study, "pin", {"fc1=III"});
    setParameter(study, "pin_ratio", {"2=0.4"});
    setParameter(study, "computation", {});
    setParameter(study, "levels", {"1"});
    const partition::Options options = partitionOptions(study);
    EXPECT_EQ(options.ratio, partition::RatioRule::fixed);
    EXPECT_EQ(options.fixedRatio, 0.7);
    EXPECT_EQ(options.objective, partition::Objective::side);
    EXPECT_EQ(options.psum, partition::Psum::conv);
    EXPECT_EQ(options.pinnedTypes.at("fc1"), partition::Type::III);
    EXPECT_EQ(options.pinnedRatios.at(2), 0.4);
    EXPECT_FALSE(options.computation);
    EXPECT_EQ(options.levels, 1);
}

TEST(Study, groupsOfAFleetMayStayIdleUnlessAllAreAskedFor) {
    Study study = newStudy("partition");
    EXPECT_EQ(partitionOptions(study).groups, partition::Groups::best);
    const std::string before = contentHash(study);
    setParameter(study, "groups", {"all"});
    EXPECT_EQ(partitionOptions(study).groups, partition::Groups::all);
    EXPECT_NE(contentHash(study), before);
    study.parameters->erase("groups");
    EXPECT_EQ(contentHash(study), before) << "studies that were kept before have no such parameter";
}

TEST(PartitionStudy, refusesTheSliceOfOneDevice) {
    Study study = newStudy("partition");
    study.models = {"zoo:bert-base"};
    study.hardware = {"accpar-homogeneous"};
    study.dimensions = {{"tensor_parallel", 2}};
    std::string refused;
    try {
        run(study);
    } catch (const UsageError& error) {
        refused = error.what();
    }
    EXPECT_TRUE(refused.ends_with(
        "; partition splits whole models: give it with --dim tensor_parallel=1, and the strategies split its layers "
        "over the fleet"))
        << refused;
    EXPECT_NE(refused.find("is the slice that one of 2 devices holds"), std::string::npos) << refused;
    const Estimate asked = estimate(study);
    ASSERT_EQ(asked.problems.size(), 1U) << "the window says so before a run";
    EXPECT_EQ(asked.problems[0], refused);
}

/// Memory of one accelerator that trains a whole model, by each of the two engines.
std::pair<double, double> memoriesOf(const std::string& model) {
    Study split = newStudy("partition");
    split.models = {model};
    split.hardware = {"accpar-homogeneous"};
    split.parameters["batch"] = 16 * 128;
    split.parameters["strategies"] = Json::array({"dp"});
    split.parameters["dtype"] = "bf16";
    const Result parted = run(split);
    const auto& share = parted.outcome.get<PartitionOutcome>().result.plans.at(0).shares.at(0);
    Study whole = newStudy("predict");
    whole.models = {model};
    whole.hardware = {"a100"};
    whole.seed = 1;
    setParameter(whole, "batch", {"16"});
    setParameter(whole, "cost_model", {"paper"});
    const Result predicted = run(whole);
    const auto& memory = predicted.outcome.get<PredictionOutcome>().predictions.at(0).memory;
    return {share.activations * 2, memory.bytes[static_cast<std::size_t>(predict::Category::inputOutput)]};
}

TEST(PartitionStudy, agreesWithPredictionsOnTheActivationsOfAStep) {
    // Predictions add the gradients that are live at the fullest moment.
    for (const char* model : {"zoo:resnet50", "zoo:gpt2"}) {
        const auto [parted, predicted] = memoriesOf(model);
        EXPECT_LE(parted, 1.05 * predicted) << model;
        EXPECT_GE(parted, 0.7 * predicted) << model;
    }
}

TEST(PartitionDocument, holdsEveryFieldInOrder) {
    const Json json = toJson(test::handMadeResult());
    EXPECT_EQ(keysOf(json), (std::vector<std::string>{"schema", "tool_version", "command", "inputs", "model", "fleet",
                                                      "accelerators", "batch", "dtype", "parameters", "layers",
                                                      "strategies", "assumptions", "warnings"}));
    EXPECT_EQ(json["schema"], "tessera.partition-result/1");
    const Json& plan = json["strategies"]["accpar"];
    EXPECT_EQ(keysOf(plan),
              (std::vector<std::string>{"step_time_s", "throughput_samples_per_s", "speedup_over_dp", "idle_groups",
                                        "cost_s", "lower_bound_s", "bounds", "bounds_subsets", "gap", "optimal",
                                        "ended_by", "fits", "levels", "per_accelerator", "without_group", "subsets",
                                        "subsets_ruled_out", "subsets_left"}));
    EXPECT_EQ(keysOf(plan["levels"][0]),
              (std::vector<std::string>{"level", "group", "accelerators", "occurrences", "ratio", "objective_s",
                                        "side_i_s", "side_j_s", "lower_bound_s", "layers", "joins"}));
    EXPECT_EQ(plan["levels"][0]["layers"][1],
              (Json{{"name", "fc<1>"}, {"type", "III"}, {"compute_s", 0.1}, {"intra_s", 0.05}, {"inter_s", 0.05}}));
    EXPECT_EQ(plan["levels"][0]["joins"][0],
              (Json{{"name", "join"}, {"layout", "c"}, {"compute_s", 0.0}, {"inter_s", 0.01}}));
    EXPECT_EQ(plan["subsets"][0], (Json{{"idle_groups", Json::array()},
                                        {"accelerators", 4},
                                        {"step_time_s", 0.0362},
                                        {"speedup_over_dp", 6.31},
                                        {"lower_bound_s", 0.0362}}));
    EXPECT_EQ(plan["without_group"]["slow"]["step_time_s"], 0.0458);
    EXPECT_EQ(plan["without_group"]["slow"]["faster"], false);
    EXPECT_EQ(test::schemaErrors(plainStudy(json), "partition-result.schema.json"), "");
}

TEST(PartitionDocument, isWrittenInTheLayoutOfEveryDocument) {
    Result result = test::handMadeResult();
    result.outcome.get<PartitionOutcome>().result.plans[1].levels.clear();
    std::string text;
    writeJson(result, [&](std::string_view part) { text += part; });
    EXPECT_EQ(text, toText(Json::parse(text)));
}

TEST(PartitionDocument, repeatsTheCostAtTheTopOnlyForASingleStrategy) {
    Result result = test::handMadeResult();
    EXPECT_FALSE(toJson(result).contains("cost_s"));
    result.outcome.get<PartitionOutcome>().result.plans.pop_back();
    EXPECT_EQ(toJson(result)["cost_s"], 0.03);
}

}  // namespace
}  // namespace tessera::study
