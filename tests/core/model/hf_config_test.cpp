#include "core/model/readers/hf_config.h"

#include <gmock/gmock.h>
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
    const auto warnings = config.unread.empty() ? std::vector<std::string>() : std::vector{config.unread};
    EXPECT_EQ(graph.warnings, warnings);
}

TEST(HfConfig, countsTheParametersOfPublishedModels) {
    const auto rows = referenceRows();
    EXPECT_EQ(rows.size(), 78U);
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
    return R"({"model_type": ")" + type +
           R"(", "vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 4)" +
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
             smallOf("deepseek", experts),
             smallOf("glm4"),
             smallOf("granitemoe", experts),
             smallOf("gptj", R"("architectures": ["GPTJModel"])"),
             smallOf("minimax", experts + R"(, "shared_intermediate_size": 6)"),
             smallOf("minimax_text_01", experts + R"(, "attn_type_list": [0, 1, 0])"),
             smallOf("minimax_m2", experts + R"(, "use_routing_bias": false)"),
             smallOf("exaone4", R"("num_key_value_heads": 2)"),
             smallOf("seed_oss", R"("num_key_value_heads": 2, "mlp_bias": true, "attention_out_bias": true)"),
             smallOf("nemotron", R"("attention_bias": true, "mlp_bias": true)"),
             smallOf("arcee"),
             smallOf("xverse"),
             smallOf("internlm3", R"("bias": true, "qkv_bias": false)"),
             smallOf("ministral3", R"("num_key_value_heads": 2)"),
             smallOf("phi3small", R"("ff_intermediate_size": 24, "num_key_value_heads": 2)"),
             smallOf("ernie4_5", R"("num_key_value_heads": 2, "use_bias": true)"),
             smallOf("ernie4_5_moe", experts + R"(, "moe_num_experts": 5, "moe_k": 2, "moe_layer_end_index": 1)"),
             smallOf("hunyuan_v1_dense"),
             smallOf("hunyuan_v1_moe", experts + R"(, "num_experts": [4, 4, 4], "moe_topk": 2)"),
             smallOf("minicpm3", R"("q_lora_rank": 7, "kv_lora_rank": 6, "qk_nope_head_dim": 4, "qk_rope_head_dim": 2,
                                    "attention_bias": true, "mlp_bias": true)"),
             smallOf("granitemoeshared", experts + R"(, "shared_intermediate_size": 9)"),
             smallOf("granitemoehybrid", R"("layer_types": ["attention", "attention", "attention"],
                                            "num_local_experts": 0, "position_embedding_type": "nope")"),
             smallOf("granitemoehybrid", experts + R"(, "layer_types": ["attention", "attention", "attention"])"),
             smallOf("dbrx", R"("attn_config": {"kv_n_heads": 2}, "ffn_config": {"ffn_hidden_size": 12})"),
             smallOf("grok-1", experts),
             smallOf("arctic", experts + R"(, "parallel_attn_mlp_res": true)"),
             smallOf("llama4_text", experts + R"(, "intermediate_size_mlp": 40, "moe_layers": [1])"),
             smallOf("glm4_moe", experts + R"(, "use_qk_norm": true, "attention_bias": true)"),
             smallOf("glm4_moe_lite", experts + mla + R"(7, "mlp_layer_types": ["sparse", "dense", "sparse"])"),
             smallOf("qwen2_5_vl", R"("num_key_value_heads": 2)"),
             smallOf("qwen3_vl_text", R"("num_key_value_heads": 2)"),
             smallOf("openai-gpt"),
             smallOf("olmo", R"("d_model": 16, "mlp_hidden_size": 40, "layer_norm_type": "rms", "n_kv_heads": 2)"),
             smallOf("hf_olmo", R"("mlp_ratio": 3, "activation_type": "gelu", "weight_tying": false)"),
             smallOf("distilbert", R"("architectures": ["DistilBertModel"])"),
             smallOf("mt5", R"("architectures": ["MT5ForConditionalGeneration"])"),
             R"({"model_type": "llava", "text_config": {"model_type": "gpt_neox", "hidden_size": 16,
                 "num_attention_heads": 4, "num_hidden_layers": 2}})"})
        expectAgreement(bytes);
}

TEST(HfConfig, graphsHaveTheHeadsOfEveryClass) {
    struct OfType {
        const char* type;
        const char* name;
    };
    for (const OfType& model : {OfType{"llama", "Llama"}, OfType{"opt", "OPT"}, OfType{"t5", "T5"},
                                OfType{"bert", "Bert"}, OfType{"roberta", "XLMRoberta"}, OfType{"gpt_oss", "GptOss"}})
        for (const char* task :
             {"Model", "ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering"})
            expectAgreement(smallOf(model.type, R"("word_embed_proj_dim": 8, "num_labels": 5, "architectures": [")" +
                                                    std::string(model.name) + task + R"("])"));
    for (const char* name : {"Bert", "Roberta", "DistilBert"})
        for (const char* task : {"ForMultipleChoice", "ForNextSentencePrediction", "ForMaskedLM"})
            expectAgreement(smallOf(name, R"("architectures": [")" + std::string(name) + task + R"("])"));
}

struct PublishedTotal {
    std::string bytes;
    std::int64_t parameters;
};

/// Totals of stored files that are no bundled ones, by the fields that differ from the defaults of their class.
TEST(HfConfig, countsTheParametersOfMorePublishedModels) {
    for (const PublishedTotal& model : std::vector<PublishedTotal>{
             {R"({"model_type": "opt", "hidden_size": 1024, "ffn_dim": 4096, "num_hidden_layers": 24,
                  "num_attention_heads": 16, "word_embed_proj_dim": 512, "do_layer_norm_before": false})",
              331'196'416},
             {R"({"model_type": "RefinedWeb", "hidden_size": 8192, "n_layer": 60, "n_head": 128, "n_head_kv": 8})",
              41'303'293'952},
             {R"({"model_type": "phimoe", "attention_bias": true, "lm_head_bias": true})", 41'873'153'344},
             {R"({"model_type": "olmoe", "intermediate_size": 1024})", 6'919'161'856},
             {R"({"model_type": "gpt_neox", "hidden_size": 4096, "intermediate_size": 16384, "num_hidden_layers": 32,
                  "num_attention_heads": 32})",
              6'857'302'016},
             {R"({"model_type": "bloom", "hidden_size": 1024, "n_layer": 24, "num_attention_heads": 16})", 559'214'592},
             {R"({"model_type": "gpt_oss"})", 116'829'156'672},
             {R"({"model_type": "gemma"})", 8'537'680'896},
             {R"({"model_type": "deepseek", "hidden_size": 2048, "intermediate_size": 10944, "num_hidden_layers": 28,
                  "num_attention_heads": 16, "n_routed_experts": 64, "n_shared_experts": 2, "num_experts_per_tok": 6,
                  "moe_intermediate_size": 1408, "first_k_dense_replace": 1})",
              16'375'728'128},
             {R"({"model_type": "glm", "attention_bias": true})", 9'399'951'360},
             {R"({"model_type": "stablelm", "hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 24,
                  "vocab_size": 100352, "use_qkv_bias": true})",
              1'644'515'328},
             {R"({"model_type": "cohere"})", 34'980'831'232},
             {R"({"model_type": "roberta", "max_position_embeddings": 514, "type_vocab_size": 1,
                  "architectures": ["RobertaForMaskedLM"]})",
              124'697'433},
             {R"({"architectures": ["BertForMaskedLM"]})", 109'514'298},
             {R"({"model_type": "olmo"})", 6'888'095'744},
             {R"({"model_type": "exaone", "hidden_size": 2560, "intermediate_size": 7168, "num_layers": 30,
                  "num_attention_heads": 32, "num_key_value_heads": 8})",
              2'405'327'360},
             // Of the files' tensors: heads for labels in place of those over words.
             {R"({"model_type": "distilbert"})", 66'362'880},
             {R"({"model_type": "distilbert", "architectures": ["DistilBertForSequenceClassification"]})", 66'955'010},
             {R"({"model_type": "bert", "architectures": ["BertForSequenceClassification"]})", 109'483'778},
             {R"({"model_type": "bert", "vocab_size": 28996, "architectures": ["BertForTokenClassification"],
                  "id2label": {"0": "O", "1": "B-MISC", "2": "I-MISC", "3": "B-PER", "4": "I-PER", "5": "B-ORG",
                               "6": "I-ORG", "7": "B-LOC", "8": "I-LOC"}})",
              107'726'601},
             {R"({"model_type": "roberta", "max_position_embeddings": 514, "type_vocab_size": 1,
                  "architectures": ["RobertaForSequenceClassification"]})",
              124'647'170},
             {R"({"model_type": "llama", "num_labels": 1, "architectures": ["LlamaForSequenceClassification"]})",
              6'607'343'616 + 4'096},
             {R"({"model_type": "nemotron", "num_key_value_heads": 8})", 15'628'775'424},
             {R"({"model_type": "glm4_moe_lite"})", 29'943'393'920},
             {R"({"model_type": "mt5", "architectures": ["MT5ForConditionalGeneration"]})", 300'176'768}}) {
        EXPECT_EQ(parametersOf(configOf(model.bytes)), model.parameters) << model.bytes;
        expectAgreement(model.bytes);
    }
}

TEST(HfConfig, refusesTheFirstChatGlm) {
    try {
        configOf(R"({"model_type": "chatglm", "inner_hidden_size": 16384})");
        FAIL();
    } catch (const DataError& error) {
        EXPECT_NE(std::string(error.what()).find("version 2"), std::string::npos) << error.what();
    }
}

TEST(HfConfig, takesTheModelTypeOrTheClass) {
    const auto typed = configOf(smallOf("gpt_neox"));
    std::string named = smallOf("x");
    named.replace(named.find(R"("model_type": "x")"), 17, R"("architectures": ["GPTNeoXForCausalLM"])");
    EXPECT_EQ(parametersOf(configOf(named)), parametersOf(typed));
    EXPECT_EQ(configOf(named).architecture, "GPTNeoX");
    EXPECT_TRUE(looksLikeHfConfig(named));
    EXPECT_FALSE(looksLikeHfConfig(R"(["model_type"])"));
    EXPECT_FALSE(looksLikeHfConfig(R"({"schema": "tessera.model/1", "model_type": 1})"));
}

TEST(HfConfig, hasTheDefaultsOfClassesWhereFieldsLackOrAreNull) {
    EXPECT_EQ(parametersOf(configOf(R"({"model_type": "gpt2"})")), 124'439'808);
    EXPECT_EQ(parametersOf(configOf(R"({"model_type": "llama", "num_key_value_heads": null, "head_dim": null})")),
              6'738'415'616);
    EXPECT_EQ(parametersOf(configOf(R"({"model_type": "bert", "type_vocab_size": null})")), 109'482'240);
}

TEST(HfConfig, refusesWhatItDoesNotKnow) {
    EXPECT_EQ(configError(smallOf("xyzzy")).find("config.json:1: field 'model_type' is 'xyzzy'; expected one of llama"),
              0U);
    EXPECT_NE(configError(smallOf("xyzzy")).find(" gpt_neox,"), std::string::npos);
    EXPECT_EQ(configError(smallOf("gpt_neoxx")),
              "config.json:1: field 'model_type' is 'gpt_neoxx'; expected an architecture that is read; did you mean "
              "'gpt_neox'?");
    EXPECT_NE(configError(R"({"architectures": ["Qwen2MoeeForCausalLM"]})").find("'qwen2_moe'"), std::string::npos);
    EXPECT_NE(configError(smallOf("llama", R"("architectures": ["LlamaForRewardModelling"])"))
                  .find("field 'architectures[0]' is 'LlamaForRewardModelling'; expected a class whose name ends"),
              std::string::npos);
    EXPECT_NE(configError(smallOf("llama", R"("architectures": ["LlamaForMaskedLM"])")).find("ForCausalLM"),
              std::string::npos);
    EXPECT_NE(configError(R"({"architectures": []})").find("'model_type'"), std::string::npos);
}

TEST(HfConfig, refusesKnownArchitecturesByWhatIsNotRead) {
    EXPECT_EQ(
        configError(smallOf("mamba")),
        "config.json:1: field 'model_type' is 'mamba'; expected an architecture that is read, not one with layers "
        "of a state space");
    EXPECT_NE(configError(R"({"architectures": ["JambaForCausalLM"]})")
                  .find("field 'architectures[0]' is 'JambaForCausalLM'; expected an architecture that is read, not"),
              std::string::npos);
    EXPECT_NE(configError(smallOf("granitemoehybrid", R"("layer_types": ["attention", "mamba"])"))
                  .find("field 'layer_types[1]' is 'mamba'"),
              std::string::npos);
    EXPECT_NE(configError(smallOf("granitemoehybrid")).find("'layer_types'"), std::string::npos);
    EXPECT_NE(configError(smallOf("hunyuan", R"("use_cla": true)")).find("field 'use_cla' is 'true'"),
              std::string::npos);
    EXPECT_NE(configError(smallOf("hunyuan_v1_moe", R"("num_experts": [4, 8])")).find("field 'num_experts[1]' is '8'"),
              std::string::npos);
    EXPECT_NE(configError(smallOf("minimax", R"("attn_type_list": [0])")).find("3 layers"), std::string::npos);
    EXPECT_NE(configError(smallOf("xverse", R"("num_experts": 8)")).find("field 'num_experts'"), std::string::npos);
}

TEST(HfConfig, refusesATypeAndAClassThatMeanDifferentModels) {
    const auto errorOf = [](const char* type, const char* name) {
        return configError(smallOf(type, R"("architectures": [")" + std::string(name) + R"("])"));
    };
    EXPECT_EQ(errorOf("llama", "Qwen2ForCausalLM"),
              "config.json:1: field 'architectures[0]' is 'Qwen2ForCausalLM'; expected a class of the model_type "
              "'llama'");
    EXPECT_NE(errorOf("llama", "LlavaLlamaForCausalLM").find("a class of the model_type 'llama'"), std::string::npos);
    EXPECT_NE(errorOf("llama", "MambaForCausalLM").find("a class of the model_type 'llama'"), std::string::npos);
    EXPECT_NE(errorOf("xyzzy", "LlamaForCausalLM").find("field 'model_type' is 'xyzzy'"), std::string::npos);
    // Files of these types have classes of other names.
    for (const auto& [type, name] : std::map<const char*, const char*>{{"RefinedWeb", "RWForCausalLM"},
                                                                       {"kimi_k2", "DeepseekV3ForCausalLM"},
                                                                       {"phi-msft", "PhiForCausalLM"},
                                                                       {"minimax", "MiniMaxM2ForCausalLM"},
                                                                       {"llama", "YiForCausalLM"},
                                                                       {"hf_olmo", "OLMoForCausalLM"}})
        EXPECT_NO_THROW(configOf(smallOf(type, R"("architectures": [")" + std::string(name) + R"("])"))) << type;
}

TEST(HfConfig, readsTheLanguageModelOfSeveralParts) {
    const std::string part =
        R"({"model_type": "qwen2", "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4})";
    const auto whole = [&](const std::string& more) { return R"({"model_type": "llava", )" + more + "}"; };
    const ConfigTransformer alone = configOf(part);
    const ConfigTransformer inside = configOf(whole(R"("text_config": )" + part));
    EXPECT_EQ(parametersOf(inside), parametersOf(alone));
    EXPECT_NE(inside.unread.find("'llava'"), std::string::npos);
    EXPECT_EQ(alone.unread, "");
    EXPECT_EQ(parametersOf(configOf(R"({"architectures": ["InternVLChatModel"], "llm_config": )" + part + "}")),
              parametersOf(alone));
    // The head shares the table where the whole says so and the part says nothing.
    EXPECT_TRUE(configOf(whole(R"("tie_word_embeddings": true, "text_config": )" + part)).tied);
    EXPECT_NE(configError(whole(R"("text_config": 3)")).find("field 'text_config'"), std::string::npos);
    EXPECT_NE(configError(whole(R"("text_config": {"model_type": "bert"})")).find("decoder"), std::string::npos);
    EXPECT_NE(configError(whole(R"("text_config": {"model_type": "mamba"})")).find("'text_config.model_type'"),
              std::string::npos);
    EXPECT_NE(configError(whole(R"("vision_config": {})")).find("'text_config'"), std::string::npos);
    EXPECT_NE(configError(smallOf("gemma3", R"("vision_config": {})")).find("'text_config'"), std::string::npos);
    EXPECT_NE(configError(whole(R"("architectures": ["LlamaForCausalLM"], "text_config": )" + part))
                  .find("field 'architectures[0]'"),
              std::string::npos);
}

TEST(HfConfig, headsWithoutASizeDivideTheWidth) {
    EXPECT_EQ(configError(R"({"model_type": "llama",
"num_attention_heads": 7})"),
              "config.json:2: field 'num_attention_heads' is '7'; expected a number of heads that divides the width of "
              "4096, or a field 'head_dim'");
    EXPECT_NE(configError(R"({"model_type": "gpt2", "n_embd": 100})").find("12 heads"), std::string::npos);
    EXPECT_EQ(configOf(R"({"model_type": "llama", "num_attention_heads": 7, "head_dim": 5})").headSize, 5);
    // These classes round.
    EXPECT_EQ(configOf(R"({"model_type": "mistral", "num_attention_heads": 24})").headSize, 170);
    // Latent attention has sizes of its own.
    EXPECT_NO_THROW(configOf(R"({"model_type": "deepseek_v3", "num_attention_heads": 7})"));
    EXPECT_NE(configError(R"({"model_type": "minicpm3", "num_attention_heads": 7})").find("divides"),
              std::string::npos);
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
    EXPECT_NE(configError(R"({"model_type": "vit", "image_size": 16384, "patch_size": 1})").find("256 patches"),
              std::string::npos);
}

TEST(HfConfig, takesASequence) {
    const std::string bytes = smallOf("gpt2", R"("n_positions": 32)");
    EXPECT_EQ(readHfConfig(bytes, "c.json", {.batch = 3, .dimensions = {{"sequence", 9}}}).inputs.size(), 1U);
    EXPECT_THROW(readHfConfig(bytes, "c.json", {.batch = 1, .dimensions = {{"sequence", 33}}}), UsageError);
    EXPECT_THROW(readHfConfig(bytes, "c.json", {.batch = 1, .dimensions = {{"tensor_parallel", 2}}}), UsageError);
}

struct WindowCase {
    std::string bytes;
    std::int64_t size, layers, every;
};

TEST(HfConfig, readsSlidingWindows) {
    const auto file = [](const char* name) { return readFile(configFolder() + name); };
    const std::string types = R"("layer_types": ["sliding_attention", "full_attention", "full_attention"])";
    const std::vector<WindowCase> cases{
        {file("gemma-2-9b.json"), 4096, 21, 2},
        {file("gemma-3-1b.json"), 512, 22, 6},
        {file("gpt-oss-20b.json"), 128, 12, 2},
        {file("gpt-neo-125m.json"), 256, 6, 0},
        {file("mistral-7b-v0.1.json"), 4096, 32, 0},
        {file("mixtral-8x7b.json"), 0, 0, 0},
        {file("qwen2-7b.json"), 0, 0, 0},
        {file("llama-2-7b.json"), 0, 0, 0},
        {smallOf("gpt_neo"), 256, 1, 0},
        {smallOf("cohere2", R"("sliding_window": 8)"), 8, 3, 0},
        {smallOf("gemma3_text", R"("sliding_window": 8, "sliding_window_pattern": 2)"), 8, 2, 2},
        {smallOf("exaone4", R"("sliding_window": 8, "sliding_window_pattern": "LLG")"), 8, 2, 3},
        {smallOf("llama", R"("sliding_window": 8)"), 0, 0, 0},
        {smallOf("llama", R"("sliding_window": 8, )" + types), 8, 1, 0},
        {smallOf("qwen2", R"("sliding_window": 8, "max_window_layers": 1)"), 0, 0, 0},
        {smallOf("qwen2", R"("sliding_window": 8, "max_window_layers": 1, "use_sliding_window": true)"), 8, 2, 0},
        {smallOf("mistral", R"("sliding_window": 8, "use_sliding_window": false)"), 0, 0, 0},
    };
    for (const WindowCase& expected : cases) {
        const ConfigWindow window = configOf(expected.bytes).window;
        EXPECT_EQ(window.size, expected.size) << expected.bytes;
        EXPECT_EQ(window.layers, expected.layers) << expected.bytes;
        EXPECT_EQ(window.every, expected.every) << expected.bytes;
    }
    EXPECT_THAT(configError(smallOf("llama", R"("sliding_window": 8, "layer_types": ["full_attention"])")),
                testing::HasSubstr("expected an entry for each of 3 layers"));
    for (const char* const word : {"LxG", "LGL", "LL", ""})
        EXPECT_THAT(configError(smallOf(
                        "exaone4", R"("sliding_window": 8, "sliding_window_pattern": ")" + std::string(word) + R"(")")),
                    testing::HasSubstr("sliding_window_pattern"))
            << word;
}

/// A language model of Llama 4 with 4 layers, of which the first half are without experts.
std::string llama4Of(const std::string& more = "") {
    return R"({"architectures": ["Llama4ForConditionalGeneration"], "model_type": "llama4",
               "text_config": {"model_type": "llama4_text", "vocab_size": 50, "hidden_size": 16,
                               "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2,
                               "head_dim": 8, "intermediate_size": 24, "intermediate_size_mlp": 40,
                               "num_local_experts": 4, "moe_layers": [2, 3])" +
           (more.empty() ? "" : ", " + more) + "}}";
}

TEST(HfConfig, readsChunksOfAttention) {
    const auto file = [](const char* name) { return readFile(configFolder() + name); };
    const std::vector<WindowCase> cases{
        {file("llama-4-scout.json"), 8192, 36, 4},
        {file("llama-4-maverick.json"), 8192, 36, 4},
        {llama4Of(), 8192, 3, 4},
        {smallOf("llama4_text"), 8192, 3, 0},
        {llama4Of(R"("attention_chunk_size": 64)"), 64, 3, 4},
        {llama4Of(R"("attention_chunk_size": null)"), 0, 0, 0},
        {llama4Of(R"("no_rope_layer_interval": 2)"), 8192, 2, 2},
        {llama4Of(R"("no_rope_layer_interval": 1)"), 0, 0, 0},
        {llama4Of(R"("no_rope_layers": [])"), 8192, 3, 4},
        {llama4Of(R"("no_rope_layers": [1, 0, 0, 0], "no_rope_layer_interval": 2)"), 8192, 1, 0},
        {llama4Of(R"("no_rope_layers": [0, 0, 0, 0], "layer_types": ["chunked_attention", "full_attention",
                                                                     "chunked_attention", "full_attention"])"),
         8192, 2, 2},
    };
    for (const WindowCase& expected : cases) {
        const ConfigWindow window = configOf(expected.bytes).window;
        EXPECT_EQ(window.size, expected.size) << expected.bytes;
        EXPECT_EQ(window.layers, expected.layers) << expected.bytes;
        EXPECT_EQ(window.every, expected.every) << expected.bytes;
        EXPECT_EQ(window.chunked, expected.layers > 0) << expected.bytes;
    }
    EXPECT_FALSE(configOf(file("gemma-2-9b.json")).window.chunked);
    // Chunks of other classes are not theirs.
    EXPECT_EQ(configOf(smallOf("llama", R"("attention_chunk_size": 64)")).window.layers, 0);
    EXPECT_THAT(configError(llama4Of(R"("no_rope_layers": [1, 1])")),
                testing::HasSubstr("expected an entry for each of 4 layers"));
    EXPECT_THAT(configError(llama4Of(R"("no_rope_layers": [1, 1, 1, 2])")), testing::HasSubstr("no_rope_layers"));
    EXPECT_THAT(configError(llama4Of(R"("attention_chunk_size": 0)")), testing::HasSubstr("attention_chunk_size"));
}

TEST(HfConfig, saysWhatAGraphMasks) {
    const std::string bytes = smallOf("mistral", R"("num_key_value_heads": 4, "sliding_window": 8)");
    const auto warningsAt = [&](std::int64_t sequence) {
        return readHfConfig(bytes, "c.json", {.batch = 1, .dimensions = {{"sequence", sequence}}}).warnings;
    };
    EXPECT_TRUE(warningsAt(8).empty());
    ASSERT_EQ(warningsAt(9).size(), 1U);
    EXPECT_THAT(warningsAt(9).front(), testing::HasSubstr("3 of 3 layers attend to the last 8 tokens alone"));
    const Graph graph = readHfConfig(smallOf("llama4_text", R"("num_key_value_heads": 4, "attention_chunk_size": 8)"),
                                     "c.json", {.batch = 1, .dimensions = {{"sequence", 9}}});
    ASSERT_EQ(graph.warnings.size(), 1U);
    EXPECT_THAT(graph.warnings.front(), testing::HasSubstr("3 of 3 layers attend within chunks of 8 tokens alone"));
}

TEST(HfConfig, givesTheTransformerOfAFile) {
    std::string refusal;
    const auto specOf = [&](const std::string& file) {
        return transformerSpecOfConfig(configFolder() + file, {}, refusal);
    };
    const auto spec = transformerSpecOfConfig(configFolder() + "llama-3.1-8b.json", {{"sequence", 1024}}, refusal);
    ASSERT_TRUE(spec);
    EXPECT_EQ(spec->family, "zoo:llama");
    EXPECT_EQ(spec->dims.at("kv_heads"), "8");
    EXPECT_EQ(spec->dims.at("sequence"), "1024");
    EXPECT_EQ(specOf("mixtral-8x7b.json")->family, "zoo:moe");
    EXPECT_EQ(specOf("gemma-3-1b.json")->dims.at("window"), "512");
    EXPECT_EQ(specOf("gemma-3-1b.json")->dims.at("windowed_layers"), "22");
    EXPECT_FALSE(specOf("gemma-3-1b.json")->dims.contains("window_chunked"));
    EXPECT_EQ(specOf("llama-4-scout.json")->dims.at("window"), "8192");
    EXPECT_EQ(specOf("llama-4-scout.json")->dims.at("windowed_layers"), "36");
    EXPECT_EQ(specOf("llama-4-scout.json")->dims.at("window_chunked"), "1");
    EXPECT_EQ(specOf("bert-base-uncased.json")->family, "zoo:bert");
    EXPECT_EQ(specOf("opt-350m.json")->dims.at("embedding_width"), "512");
    EXPECT_EQ(refusal, "");
    for (const char* const other : {"reference.csv", "none.json"}) EXPECT_FALSE(specOf(other)) << other;
    EXPECT_EQ(refusal, "");
    EXPECT_FALSE(specOf("t5-base.json"));
    EXPECT_EQ(refusal, "it has an encoder beside its decoder");
    EXPECT_FALSE(specOf("vit-base-patch16-224.json"));
    EXPECT_EQ(refusal, "it reads images");
    EXPECT_FALSE(specOf("minimax-text-01.json"));
    EXPECT_EQ(refusal, "the attention of some layers is linear in the sequence");
}

}  // namespace
}  // namespace tessera::model
