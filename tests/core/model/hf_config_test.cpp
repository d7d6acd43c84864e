#include "core/model/readers/hf_config.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/model/model.h"
#include "core/model/readers/readers.h"
#include "tests/support/paths.h"

namespace tessera::model {
namespace {

std::string configFolder() {
    return test::sourcePath("tests/data/configs/");
}

/// Rows of the reference by column, without its first.
std::vector<std::map<std::string, std::string>> referenceRows() {
    std::istringstream text(readFile(configFolder() + "reference.csv"));
    const auto cells = [](const std::string& line) {
        std::istringstream in(line);
        std::vector<std::string> out;
        for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
        return out;
    };
    std::string line;
    std::getline(text, line);
    const std::vector<std::string> names = cells(line);
    std::vector<std::map<std::string, std::string>> rows;
    while (std::getline(text, line)) {
        const std::vector<std::string> values = cells(line);
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (i == 0) rows.emplace_back();
            rows.back()[names[i]] = values.at(i);
        }
    }
    return rows;
}

ConfigTransformer configOf(const std::string& bytes) {
    return configTransformerOf(bytes, "config.json");
}

std::string configError(const std::string& bytes) {
    try {
        readHfConfig(bytes, "config.json", {});
    } catch (const DataError& error) {
        return error.what();
    }
    return "nothing was thrown";
}

/// The graph has what the formulas count.
void expectAgreement(const std::string& bytes) {
    const LoadOptions options{.batch = 2, .dimensions = {{"sequence", 8}}};
    const ConfigTransformer config = configOf(bytes);
    const bool isImage = config.kind == ConfigKind::vision;
    const Graph graph = readHfConfig(bytes, "config.json", isImage ? LoadOptions{} : options);
    EXPECT_EQ(summarise(graph).parameters, parametersOf(config)) << bytes;
    EXPECT_EQ(graph.warnings, std::vector<std::string>());
}

TEST(HfConfig, countsTheParametersOfPublishedModels) {
    const auto rows = referenceRows();
    EXPECT_EQ(rows.size(), 46U);
    for (const auto& row : rows) {
        const std::string& file = row.at("file");
        const std::string bytes = readFile(configFolder() + file);
        EXPECT_EQ(readerFor(bytes, file).id, "hf-config") << file;
        const ConfigTransformer config = configTransformerOf(bytes, file);
        const auto expect = [&](const char* column, std::int64_t value) {
            EXPECT_EQ(row.at(column), std::to_string(value)) << file << " " << column;
        };
        expect("parameters_exact", parametersOf(config));
        expect("active_parameters", activeParametersOf(config));
        expect("layers", config.layers + config.decoderLayers);
        expect("hidden", config.hidden);
        expect("kv_heads", config.keyHeads);
        expect("experts", config.experts.count);
        expectAgreement(bytes);
    }
}

/// Small sizes in the fields of an architecture, with more fields.
std::string smallOf(const std::string& type, const std::string& more = "") {
    return "{\"model_type\": \"" + type +
           "\", \"vocab_size\": 50, \"hidden_size\": 16, \"num_hidden_layers\": 3, \"num_attention_heads\": 4" +
           (more.empty() ? "" : ", " + more) + "}";
}

TEST(HfConfig, graphsHaveTheParametersOfEveryVariant) {
    const std::string experts =
        R"("intermediate_size": 24, "moe_intermediate_size": 12, "num_key_value_heads": 2, "head_dim": 8)";
    const std::string mla =
        R"(, "kv_lora_rank": 6, "qk_nope_head_dim": 4, "qk_rope_head_dim": 2, "v_head_dim": 6, "q_lora_rank": )";
    for (const std::string& bytes : std::vector<std::string>{
             smallOf("llama", R"("attention_bias": true, "mlp_bias": true)"),
             smallOf("qwen3", R"("attention_bias": true, "num_key_value_heads": 2)"),
             smallOf("qwen3_moe", experts + R"(, "mlp_only_layers": [0, 7], "decoder_sparse_step": 2)"),
             smallOf("qwen2_moe", experts + R"(, "shared_expert_intermediate_size": 10)"),
             smallOf("phimoe", experts + R"(, "attention_bias": true, "lm_head_bias": true)"),
             smallOf("olmoe", experts),
             smallOf("gpt_oss", experts),
             smallOf("mixtral", experts),
             smallOf("deepseek_v2", experts + mla + "null"),
             smallOf("deepseek_v3", experts + mla + R"(7, "attention_bias": true, "n_shared_experts": null)"),
             smallOf("cohere", R"("use_qk_norm": true)"),
             smallOf("olmo"),
             smallOf("olmo3"),
             smallOf("orion"),
             smallOf("qwen"),
             smallOf("exaone"),
             smallOf("smollm3"),
             smallOf("Yi"),
             smallOf("gemma2"),
             smallOf("stablelm", R"("use_qkv_bias": true, "qk_layernorm": true, "use_parallel_residual": true)"),
             smallOf("chatglm", R"("add_bias_linear": true, "rmsnorm": false, "post_layer_norm": false)"),
             smallOf("phi", R"("qk_layernorm": true)"),
             smallOf("gpt_neox", R"("use_parallel_residual": false)"),
             smallOf("opt", R"("do_layer_norm_before": false, "word_embed_proj_dim": 8, "enable_bias": false)"),
             smallOf("falcon", R"("new_decoder_architecture": true, "num_kv_heads": 2)"),
             smallOf("falcon", R"("new_decoder_architecture": true, "num_ln_in_parallel_attn": 1)"),
             smallOf("falcon", R"("alibi": true, "bias": true, "multi_query": false, "parallel_attn": false)"),
             smallOf("RefinedWebModel", R"("alibi": true)"),
             smallOf("mpt", R"("no_bias": false, "attn_config": {"alibi": false, "qk_ln": true})"),
             smallOf("gpt_bigcode", R"("multi_query": false)"),
             smallOf("starcoder2", R"("use_bias": false)"),
             smallOf("bert", R"("architectures": ["BertForMaskedLM"])"),
             smallOf("bert", R"("architectures": ["BertForPreTraining"])"),
             smallOf("roberta", R"("architectures": ["RobertaForMaskedLM"], "type_vocab_size": 1)"),
             smallOf("t5", R"("architectures": ["T5EncoderModel"])"),
             smallOf("t5", R"("feed_forward_proj": "gated-gelu", "num_decoder_layers": 2)"),
             smallOf("vit", R"("architectures": ["ViTModel"], "qkv_bias": false)"),
             smallOf("vit", R"("id2label": {"0": "a", "1": "b", "2": "c"})"),
             smallOf("gptj", R"("architectures": ["GPTJModel"])")})
        expectAgreement(bytes);
}

TEST(HfConfig, takesTheModelTypeOrTheClass) {
    const auto typed = configOf(smallOf("gpt_neox"));
    std::string named = smallOf("x");
    named.replace(named.find("\"model_type\": \"x\""), 17, R"("architectures": ["GPTNeoXForCausalLM"])");
    EXPECT_EQ(parametersOf(configOf(named)), parametersOf(typed));
    EXPECT_EQ(configOf(named).architecture, "GPTNeoX");
    EXPECT_TRUE(looksLikeHfConfig(named));
    EXPECT_FALSE(looksLikeHfConfig("[\"model_type\"]"));
    EXPECT_FALSE(looksLikeHfConfig(R"({"schema": "tessera.model/1", "model_type": 1})"));
}

TEST(HfConfig, hasTheDefaultsOfClassesWhereFieldsLackOrAreNull) {
    EXPECT_EQ(parametersOf(configOf(R"({"model_type": "gpt2"})")), 124'439'808);
    EXPECT_EQ(parametersOf(configOf(R"({"model_type": "llama", "num_key_value_heads": null, "head_dim": null})")),
              6'738'415'616);
    EXPECT_EQ(parametersOf(configOf(R"({"model_type": "bert", "type_vocab_size": null})")), 109'482'240);
}

TEST(HfConfig, refusesWhatItDoesNotKnow) {
    EXPECT_EQ(configError(smallOf("mamba")).find("config.json:1: field 'model_type' is 'mamba'; expected one of llama"),
              0U);
    EXPECT_NE(configError(R"({"architectures": ["MambaForCausalLM"]})").find("field 'architectures'"),
              std::string::npos);
    EXPECT_NE(configError(smallOf("llama", R"("architectures": ["LlamaForSequenceClassification"])"))
                  .find("field 'architectures[0]' is 'LlamaForSequenceClassification'"),
              std::string::npos);
    EXPECT_NE(configError(smallOf("gemma3", R"("vision_config": {})")).find("vision_config"), std::string::npos);
}

TEST(HfConfig, refusesHostileNumbers) {
    for (const char* more :
         {R"("intermediate_size": 1e300)", R"("intermediate_size": -4)", R"("num_key_value_heads": 3)",
          R"("head_dim": 1000000)", R"("vocab_size": 0)", R"("hidden_size": "16")", R"("num_key_value_heads": 1.5)"}) {
        std::string bytes = R"({"model_type": "llama", "num_attention_heads": 4, )" + std::string(more) + "}";
        EXPECT_NE(configError(bytes), "nothing was thrown") << more;
    }
    EXPECT_NE(configError(R"({"model_type": "mixtral", "num_local_experts": 4096, "num_hidden_layers": 1000,
                              "hidden_size": 1048576, "intermediate_size": 1048576})")
                  .find("2^52"),
              std::string::npos);
}

TEST(HfConfig, takesASequence) {
    const std::string bytes = smallOf("gpt2", R"("n_positions": 32)");
    EXPECT_EQ(readHfConfig(bytes, "c.json", {.batch = 3, .dimensions = {{"sequence", 9}}}).inputs.size(), 1U);
    EXPECT_THROW(readHfConfig(bytes, "c.json", {.batch = 1, .dimensions = {{"sequence", 33}}}), UsageError);
    EXPECT_THROW(readHfConfig(bytes, "c.json", {.batch = 1, .dimensions = {{"tensor_parallel", 2}}}), UsageError);
}

TEST(HfConfig, givesTheTransformerOfAFile) {
    const auto spec = transformerSpecOfConfig(configFolder() + "llama-3.1-8b.json", {{"sequence", 1024}});
    ASSERT_TRUE(spec);
    EXPECT_EQ(spec->family, "zoo:llama");
    EXPECT_EQ(spec->dims.at("kv_heads"), "8");
    EXPECT_EQ(spec->dims.at("sequence"), "1024");
    EXPECT_EQ(transformerSpecOfConfig(configFolder() + "mixtral-8x7b.json", {})->family, "zoo:moe");
    EXPECT_EQ(transformerSpecOfConfig(configFolder() + "bert-base-uncased.json", {})->family, "zoo:bert");
    for (const char* const other : {"t5-base.json", "vit-base-patch16-224.json", "reference.csv", "none.json"})
        EXPECT_FALSE(transformerSpecOfConfig(configFolder() + other, {})) << other;
}

}  // namespace
}  // namespace tessera::model
