#include "core/study/known_transformer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/model/readers/hf_config.h"
#include "core/physical/transformer.h"
#include "tests/support/paths.h"
#include "tests/support/scratch_folder.h"

namespace tessera::study {
namespace {

/// The physical model knows every bundled decoder and encoder, and counts their parameters as the reader does.
TEST(KnownTransformer, isThatOfAConfig) {
    const std::set<std::string> unknown{"t5-base.json", "t5-v1.1-xxl.json", "mt5-base.json",
                                        "vit-base-patch16-224.json", "minimax-text-01.json"};
    for (const auto& entry : std::filesystem::directory_iterator(test::sourcePath("tests/data/configs"))) {
        const std::string file = entry.path().string(), name = entry.path().filename().string();
        if (entry.path().extension() != ".json") continue;
        if (unknown.contains(name)) {
            std::string reason;
            EXPECT_FALSE(knownTransformer(file, {}, reason)) << name;
            EXPECT_NE(reason, "") << name;
            continue;
        }
        const auto run = knownTransformer(file, {{"sequence", 128}});
        ASSERT_TRUE(run) << name;
        std::string refusal;
        const auto model = physical::transformerOf(*run, refusal);
        ASSERT_TRUE(model) << name << refusal;
        const model::ConfigTransformer config = model::configTransformerOf(readFile(file), file);
        const physical::TransformerParameters counted = physical::parametersOf(*model);
        EXPECT_EQ(counted.total, static_cast<double>(model::parametersOf(config))) << name;
        EXPECT_EQ(counted.active, static_cast<double>(model::activeParametersOf(config))) << name;
        EXPECT_EQ(model->sequence, 128) << name;
    }
}

TEST(KnownTransformer, isNoneOfSlicesAndOfOtherFiles) {
    EXPECT_FALSE(knownTransformer("zoo:gpt2", {{"tensor_parallel", 2}}));
    EXPECT_FALSE(knownTransformer("none.json", {}));
    EXPECT_FALSE(knownTransformer(test::sourcePath("tests/data/models/calculon.json").string(), {}));
}

TEST(KnownTransformer, isReadFromTheFileThatARunKept) {
    const test::ScratchFolder folder;
    writeFile(
        folder / "kept.json",
        R"({"model_type": "gpt2", "n_layer": 12, "n_head": 12, "n_embd": 768, "n_positions": 1024, "vocab_size": 50257})");
    EXPECT_FALSE(knownTransformer("gone.json", {}));
    const auto files = std::make_shared<InputFiles>();
    files->redirect("gone.json", (folder / "kept.json").string());
    const InputScope scope(files);
    EXPECT_TRUE(knownTransformer("gone.json", {}));
}

}  // namespace
}  // namespace tessera::study
