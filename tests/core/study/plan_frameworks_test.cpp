#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/names.h"
#include "core/physical/transformer.h"
#include "core/plan/frameworks.h"
#include "core/study/plan/outcome.h"
#include "core/study/study.h"
#include "tests/support/paths.h"
#include "tests/support/scratch_folder.h"

namespace tessera::study {
namespace {

Study studyOfPlan(const std::string& model) {
    Study study = newStudy("plan");
    study.models = {model};
    study.hardware = {"dgx-h100x8"};
    setParameter(study, "global_batch", {"32"});
    setParameter(study, "fix", {"tp=2,pp=2"});
    return study;
}

std::string fileOfPlan(const Result& result) {
    return plan::exported(frameworkPlanOf(result.outcome.get<PlanOutcome>(), {}),
                          *findRow(plan::frameworks(), "megatron-lm"));
}

Result keptOf(const Json& document, const Study& study) {
    return readResult(JsonDocument::parse(toText(document), "kept.json").root(), study);
}

TEST(PlanFrameworks, areWrittenOfAKeptResultAsOfANewOne) {
    for (const char* model : {"zoo:gpt2-large", "zoo:bert-large"}) {
        const Study study = studyOfPlan(model);
        const Result result = run(study);
        const Json document = toJson(result);
        const std::string file = fileOfPlan(result);
        EXPECT_NE(file.find("--tensor-model-parallel-size 2\n"), std::string::npos) << file;
        EXPECT_EQ(file, fileOfPlan(keptOf(document, study)));
    }
}

TEST(PlanFrameworks, knowTheExactParametersOfAConfig) {
    const Study study = studyOfPlan(test::sourcePath("tests/data/configs/opt-350m.json").string());
    const Result result = run(study);
    const Json document = toJson(result);
    EXPECT_EQ(document["problem"]["parameters"], 331'196'416);
    EXPECT_EQ(document["model_shape"]["embedding_width"], 512);
    const Result kept = keptOf(document, study);
    EXPECT_EQ(physical::parametersOf(*kept.outcome.get<PlanOutcome>().shape).total, 331'196'416);
    EXPECT_THROW(fileOfPlan(kept), UsageError);  // Megatron-LM has no such embedding
}

TEST(PlanFrameworks, saysWhatOfAModelIsNotRead) {
    const Result result = run(studyOfPlan(test::sourcePath("tests/data/configs/gemma-3-4b.json").string()));
    EXPECT_EQ(toJson(result)["problem"]["parameters"], 3'880'263'168);
    ASSERT_EQ(result.warnings.size(), 2U);
    EXPECT_NE(result.warnings.front().find("'Gemma3ForConditionalGeneration'"), std::string::npos);
    EXPECT_NE(result.warnings.back().find("attend to the last 1024 tokens alone"), std::string::npos);
}

TEST(PlanFrameworks, knowTheChunksOfAConfig) {
    const test::ScratchFolder folder;
    const std::string file = (folder / "config.json").string();
    writeFile(file, R"({"model_type": "llama4_text", "vocab_size": 4096, "hidden_size": 256, "num_hidden_layers": 4,
                        "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 32, "intermediate_size": 512,
                        "intermediate_size_mlp": 1024, "num_local_experts": 4, "attention_chunk_size": 256})");
    const Study study = studyOfPlan(file);
    const Result result = run(study);
    const Json document = toJson(result);
    const Json window = document["model_shape"]["sliding_window"];
    EXPECT_EQ(window["size"], 256);
    EXPECT_EQ(window["layers"], 3);
    EXPECT_EQ(window["chunked"], true);
    const Result kept = keptOf(document, study);
    EXPECT_TRUE(kept.outcome.get<PlanOutcome>().shape->window->chunked);
    EXPECT_THROW(fileOfPlan(kept), UsageError);  // Megatron-LM has no chunks
    Json sliding = document;
    sliding["model_shape"]["sliding_window"].erase("chunked");
    EXPECT_FALSE(keptOf(sliding, study).outcome.get<PlanOutcome>().shape->window->chunked);
}

TEST(PlanFrameworks, needTheShapeThatOlderResultsLack) {
    const Study study = studyOfPlan("zoo:gpt2-large");
    Json document = toJson(run(study));
    document.erase("model_shape");
    const Result older = keptOf(document, study);
    EXPECT_FALSE(older.outcome.get<PlanOutcome>().shape);
    EXPECT_THROW(fileOfPlan(older), UsageError);
}

}  // namespace
}  // namespace tessera::study
