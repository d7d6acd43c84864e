#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "core/model/readers/hf_config_parts.h"

/// Architectures with experts or latent attention, with the names of their fields and the defaults of their classes.
namespace tessera::model {

namespace {

ConfigExperts expertsOf(const ConfigFields& in, std::int64_t count, std::int64_t perToken, std::int64_t ffn) {
    ConfigExperts out;
    out.count =
        in.size({"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"}, count, kConfigExperts);
    if (out.count == 0) return out;
    out.perToken = in.size({"num_experts_per_tok", "experts_per_token", "moe_k", "moe_top_k"},
                           std::min(perToken, out.count), out.count);
    out.ffn = ffn;
    return out;
}

ConfigTransformer mixtralRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {32000, 4096, 14336, 32, 32, 8, 131072, false, 0, true});
    out.experts = expertsOf(in, 8, 2, out.ffn);
    return out;
}

/// Layers whose attention is linear: those of a list of names, of a list of 0 (linear) and 1, or every second one.
void readLinearLayers(ConfigTransformer& out, const ConfigFields& in) {
    const std::string list = in.firstGiven({"layer_types", "attn_type_list"});
    for (std::int64_t i = 1; list.empty() && i < out.layers; i += 2) out.linearAt.insert(i);
    if (list.empty()) return;
    const std::vector<JsonNode> all = in.ofEachLayer(list, out.layers);
    for (std::int64_t i = 0; i < out.layers; ++i) {
        const JsonNode& each = all[static_cast<std::size_t>(i)];
        const bool isLinear = list == "layer_types" ? each.oneOf({"full_attention", "linear_attention"})[0] == 'l'
                                                    : each.whole(0, 1) == 0;
        if (isLinear) out.linearAt.insert(i);
    }
}

/// Lightning attention in most layers, that of Mixtral in the others.
ConfigTransformer minimaxRow(const ConfigFields& in) {
    ConfigTransformer out = mixtralRow(in);
    readLinearLayers(out, in);
    out.experts.sharedFfn = in.count({"shared_intermediate_size"}, 0, kConfigFeatures);
    out.experts.sharedGate = out.experts.sharedFfn > 0;
    return out;
}

ConfigTransformer minimaxM2Row(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {200064, 3072, 1536, 62, 48, 8, 196608, false, 128});
    if (in.flag("use_qk_norm", true)) out.headNorm = ConfigHeadNorm::overAllHeads;
    out.experts = expertsOf(in, 256, 8, out.ffn);
    out.experts.correctionBias = in.flag("use_routing_bias", true);
    return out;
}

ConfigTransformer granitemoeRow(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, kLlamaSizes);
    out.experts = expertsOf(in, 8, 2, out.ffn);
    return out;
}

ConfigTransformer granitemoesharedRow(const ConfigFields& in) {
    ConfigTransformer out = granitemoeRow(in);
    out.experts.sharedFfn = in.count({"shared_intermediate_size"}, 1024, kConfigFeatures);
    return out;
}

/// Layers of a state space are refused; without experts the shared part is the feed-forward part.
ConfigTransformer granitemoehybridRow(const ConfigFields& in) {
    const char* const expected = "'attention' for every layer: layers of a state space are not read";
    if (!in.given("layer_types")) in.root().fail("a field 'layer_types' with " + std::string(expected), "none");
    for (const JsonNode& each : in.at("layer_types").elements(kConfigLayers))
        if (each.text() != "attention") each.fail(expected);
    const std::int64_t shared = in.features({"shared_intermediate_size"}, 1024);
    ConfigTransformer out = llamaWith(in, kLlamaSizes);
    if (in.count({"num_local_experts"}, 8, kConfigExperts) > 0) {
        out.experts = expertsOf(in, 8, 2, out.ffn);
        out.experts.sharedFfn = shared;
    } else {
        out.ffn = shared;
    }
    if (in.text("position_embedding_type", "") == "nope") out.positions = ConfigPositions::none;
    return out;
}

ConfigTransformer dbrxRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {32000, 2048, 3584, 24, 16, 1, 2048});
    out.norm = ConfigNorm::layerWithoutBias;
    if (in.given("attn_config"))
        out.keyHeads = ConfigFields(in.at("attn_config")).size({"kv_n_heads"}, 1, kConfigHeads);
    const ConfigFields part = in.given("ffn_config") ? ConfigFields(in.at("ffn_config")) : in;
    out.experts = expertsOf(part, 4, 1, part.features({"ffn_hidden_size"}, 3584));
    out.ffn = out.experts.ffn;
    return out;
}

/// Norms stand around attention and experts, whose gate is one of GELU.
ConfigTransformer grokRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {131072, 6144, 32768, 64, 48, 8, 8192, true});
    out.order = ConfigOrder::around;
    out.experts = expertsOf(in, 8, 2, out.ffn);
    out.experts.activation = "Gelu";
    return out;
}

/// Every layer that a step ends at has experts, and beside them a dense part as wide as the model.
ConfigTransformer arcticRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {32000, 4096, 14336, 32, 32, 0, 4096});
    out.experts = expertsOf(in, 8, 1, out.ffn);
    const std::int64_t step = in.size({"moe_layer_frequency"}, 2, kConfigLayers);
    for (std::int64_t i = 0; i < out.layers; ++i)
        if ((i + 1) % step != 0) out.experts.denseAt.insert(i);
    if (in.flag("parallel_attn_mlp_res", false)) out.experts.residualFfn = out.hidden;
    return out;
}

/// Layers with experts are listed or those that a step ends at; the others are wider.
ConfigTransformer llama4Row(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {202048, 5120, 8192, 48, 40, 8, 131072, false, 128});
    setAttentionBias(out, in.flag("attention_bias", false));
    out.experts = expertsOf(in, 16, 1, out.ffn);
    out.experts.sharedFfn = out.experts.ffn;
    out.ffn = in.features({"intermediate_size_mlp"}, 16384);
    const std::int64_t step = in.size({"interleave_moe_layer_step"}, 1, kConfigLayers);
    for (std::int64_t i = 0; i < out.layers; ++i) out.experts.denseAt.insert(i);
    if (!in.given("moe_layers"))
        for (std::int64_t i = step - 1; i < out.layers; i += step) out.experts.denseAt.erase(i);
    else
        for (const JsonNode& layer : in.at("moe_layers").elements(kConfigLayers))
            out.experts.denseAt.erase(layer.whole(0, kConfigLayers));
    return out;
}

ConfigTransformer hunyuanMoeRow(const ConfigFields& in) {
    if (in.flag("use_cla", false)) in.at("use_cla").fail("false: keys and values that layers share are not read");
    ConfigTransformer out = llamaWith(in, {290943, 4096, 11008, 32, 32, 0, 2048, false, 0, true});
    out.mlpBias = false;
    if (in.flag("use_qk_norm", true)) out.headNorm = ConfigHeadNorm::ofEveryHead;
    ConfigExperts& experts = out.experts;
    experts.count = in.everyLayer("num_experts", 1, kConfigExperts);
    experts.perToken = in.everyLayer("moe_topk", 1, experts.count);
    experts.ffn = in.everyLayer("moe_intermediate_size", out.ffn, kConfigFeatures);
    experts.sharedFfn = in.everyLayer("num_shared_expert", 1, kConfigExperts) * out.ffn;
    return out;
}

/// Experts between the first and the last layer that have them, in every layer that a step ends at.
ConfigTransformer ernieMoeRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {103424, 2560, 12288, 28, 20, 4, 131072, true, 0, true});
    if (in.flag("use_bias", false)) in.at("use_bias").fail("false: biases of experts of this class are not read");
    out.experts = expertsOf(in, 64, 6, in.features({"moe_intermediate_size"}, 1536));
    out.experts.sharedFfn = in.count({"moe_num_shared_experts"}, 2, kConfigExperts) * out.experts.ffn;
    out.experts.correctionBias = true;
    const std::int64_t start = in.count({"moe_layer_start_index"}, 1, kConfigLayers);
    const std::int64_t step = in.size({"moe_layer_interval"}, 1, kConfigLayers);
    std::int64_t end = -1;  // the last layer
    if (in.given("moe_layer_end_index")) end = in.at("moe_layer_end_index").whole(-1, kConfigLayers);
    for (std::int64_t i = 0; i < out.layers; ++i)
        if ((i + 1) % step != 0 || i < start || (end >= 0 && i > end)) out.experts.denseAt.insert(i);
    return out;
}

ConfigTransformer phimoeRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {32064, 4096, 6400, 32, 32, 8, 131072});
    setAttentionBias(out, in.flag("attention_bias", false));
    out.headBias = in.flag("lm_head_bias", false);
    out.norm = ConfigNorm::layer;
    out.experts = expertsOf(in, 16, 2, out.ffn);
    return out;
}

ConfigTransformer olmoeRow(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, {50304, 2048, 2048, 16, 16, 0, 4096});
    out.mlpBias = false;
    out.headNorm = ConfigHeadNorm::overAllHeads;
    out.experts = expertsOf(in, 64, 8, out.ffn);
    return out;
}

/// Layers that are listed, and those that no step ends at, have no experts.
void readSteps(ConfigTransformer& out, const ConfigFields& in) {
    const std::int64_t step = in.size({"decoder_sparse_step"}, 1, kConfigLayers);
    for (std::int64_t i = 0; i < out.layers; ++i)
        if ((i + 1) % step != 0) out.experts.denseAt.insert(i);
    if (!in.given("mlp_only_layers")) return;
    for (const JsonNode& layer : in.at("mlp_only_layers").elements(kConfigLayers)) {
        const std::int64_t at = layer.whole(0, kConfigLayers);
        if (at < out.layers) out.experts.denseAt.insert(at);
    }
}

ConfigTransformer qwen2MoeRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {151936, 2048, 5632, 24, 16, 0, 32768, false, 0, true});
    out.qkvBias = in.flag("qkv_bias", true);
    out.experts = expertsOf(in, 60, 4, in.features({"moe_intermediate_size"}, 1408));
    out.experts.sharedFfn = in.features({"shared_expert_intermediate_size"}, 5632);
    out.experts.sharedGate = true;
    readSteps(out, in);
    return out;
}

ConfigTransformer qwen3MoeRow(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, {151936, 2048, 6144, 24, 32, 4, 32768});
    out.mlpBias = false;
    out.headNorm = ConfigHeadNorm::ofEveryHead;
    out.experts = expertsOf(in, 128, 8, in.features({"moe_intermediate_size"}, 768));
    readSteps(out, in);
    return out;
}

ConfigTransformer gptOssRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {201088, 2880, 2880, 36, 64, 8, 131072, false, 64});
    setAttentionBias(out, in.flag("attention_bias", true));
    out.sinks = true;
    out.experts = expertsOf(in, 128, 4, out.ffn);
    out.experts.routerBias = true;
    out.experts.bias = true;
    return out;
}

/// Latent attention with a class's ranks and sizes; null in place of a rank of queries says that there is none.
ConfigTransformer latentWith(const ConfigFields& in, const ClassSizes& sizes, const ConfigLatent& otherwise) {
    ConfigTransformer out = commonOf(in, sizes);
    ConfigLatent latent;
    latent.queryRank = in.count({"q_lora_rank"}, in.root().has("q_lora_rank") ? 0 : otherwise.queryRank, 1 << 20);
    latent.keyRank = in.features({"kv_lora_rank"}, otherwise.keyRank);
    latent.plain = in.features({"qk_nope_head_dim"}, otherwise.plain);
    latent.rotary = in.features({"qk_rope_head_dim"}, otherwise.rotary);
    latent.value = in.features({"v_head_dim"}, otherwise.value > 0 ? otherwise.value : out.headSize);
    latent.bias = in.flag("attention_bias", false);
    out.headsDivide = out.headsDivide && otherwise.value == 0 && !in.given("v_head_dim");
    out.latent = latent;
    out.headSize = latent.plain + latent.rotary;
    return out;
}

/// Values have heads that share the width evenly, where the file does not say their size.
ConfigTransformer minicpm3Row(const ConfigFields& in) {
    ConfigTransformer out = latentWith(in, {73448, 2560, 6400, 62, 40, 0, 32768, true},
                                       {.queryRank = 768, .keyRank = 256, .plain = 64, .rotary = 32, .value = 0});
    out.mlpBias = in.flag("mlp_bias", false);
    return out;
}

/// `usualDense`: how many of the first layers have none, where the file does not say.
void addDeepseekExperts(ConfigTransformer& out, const ConfigFields& in, const ConfigExperts& otherwise,
                        std::int64_t usualDense) {
    out.experts =
        expertsOf(in, otherwise.count, otherwise.perToken, in.features({"moe_intermediate_size"}, otherwise.ffn));
    if (out.experts.count == 0) return;
    // Null says that no expert is shared.
    const std::int64_t shared =
        in.count({"n_shared_experts"}, in.root().has("n_shared_experts") ? 0 : otherwise.sharedFfn, kConfigExperts);
    out.experts.sharedFfn = shared * out.experts.ffn;
    const std::int64_t dense = in.count({"first_k_dense_replace"}, usualDense, kConfigLayers);
    const std::int64_t every = in.size({"moe_layer_freq"}, 1, kConfigLayers);
    for (std::int64_t i = 0; i < out.layers; ++i)
        if (i < dense || i % every != 0) out.experts.denseAt.insert(i);
    out.experts.correctionBias = otherwise.correctionBias;
}

ConfigTransformer deepseekV2Row(const ConfigFields& in) {
    ConfigTransformer out = latentWith(in, {102400, 4096, 11008, 30, 32, 0, 2048}, {.queryRank = 0});
    addDeepseekExperts(out, in, {.count = 64, .perToken = 6, .ffn = 1407, .sharedFfn = 2}, 0);
    return out;
}

ConfigTransformer deepseekV3Row(const ConfigFields& in) {
    ConfigTransformer out = latentWith(in, {129280, 7168, 18432, 61, 128, 0, 4096}, {.queryRank = 1536});
    addDeepseekExperts(out, in, {.count = 256, .perToken = 8, .ffn = 2048, .sharedFfn = 1, .correctionBias = true}, 3);
    return out;
}

/// The first DeepSeek with experts.
ConfigTransformer deepseekRow(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, {102400, 4096, 11008, 30, 32, 0, 2048});
    out.mlpBias = false;
    addDeepseekExperts(out, in, {.count = 0, .perToken = 0, .ffn = 1407, .sharedFfn = 0}, 0);
    return out;
}

/// Biases are those of queries, keys and values.
ConfigTransformer glm4MoeRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {151552, 4096, 10944, 46, 96, 8, 131072, false, 128});
    out.qkvBias = in.flag("attention_bias", false);
    if (in.flag("use_qk_norm", false)) out.headNorm = ConfigHeadNorm::ofEveryHead;
    addDeepseekExperts(out, in, {.count = 128, .perToken = 8, .ffn = 1408, .sharedFfn = 1, .correctionBias = true}, 1);
    return out;
}

/// DeepSeek-V3's parts in other sizes; layers without experts may be listed.
ConfigTransformer glm4MoeLiteRow(const ConfigFields& in) {
    ConfigTransformer out = latentWith(in, {154880, 2048, 10240, 47, 20, 0, 202752},
                                       {.queryRank = 768, .keyRank = 512, .plain = 192, .rotary = 64, .value = 256});
    addDeepseekExperts(out, in, {.count = 64, .perToken = 4, .ffn = 1536, .sharedFfn = 1, .correctionBias = true}, 1);
    if (!in.given("mlp_layer_types")) return out;
    out.experts.denseAt.clear();
    std::int64_t layer = 0;
    for (const JsonNode& each : in.at("mlp_layer_types").elements(kConfigLayers)) {
        if (each.oneOf({"dense", "sparse"}) == "dense" && layer < out.layers) out.experts.denseAt.insert(layer);
        ++layer;
    }
    return out;
}

constexpr ConfigRow kConfigMixtures[] = {
    {"mixtral", mixtralRow},
    {"minimax minimax_text_01 minimax_m1", minimaxRow},
    {"minimax_m2", minimaxM2Row, "minimax"},
    {"granitemoe", granitemoeRow},
    {"granitemoeshared", granitemoesharedRow},
    {"granitemoehybrid", granitemoehybridRow},
    {"dbrx", dbrxRow},
    {"grok-1 grok1_model", grokRow},
    {"arctic", arcticRow},
    {"llama4_text", llama4Row},
    {"hunyuan_v1_moe hunyuan_moe_v1 hunyuan", hunyuanMoeRow},
    {"ernie4_5_moe", ernieMoeRow, "ernie4_5"},
    {"phimoe", phimoeRow},
    {"olmoe", olmoeRow},
    {"qwen2_moe", qwen2MoeRow},
    {"qwen3_moe qwen3_vl_moe_text", qwen3MoeRow},
    {"gpt_oss", gptOssRow},
    {"deepseek", deepseekRow},
    {"deepseek_v2", deepseekV2Row},
    {"deepseek_v3 kimi_k2", deepseekV3Row},
    {"minicpm3", minicpm3Row},
    {"glm4_moe", glm4MoeRow},
    {"glm4_moe_lite", glm4MoeLiteRow},
};

}  // namespace

std::span<const ConfigRow> configMixtureRows() {
    return kConfigMixtures;
}

}  // namespace tessera::model
