#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/model/readers/hf_config.h"

/// Architectures with the names of their fields and the defaults of their classes in Hugging Face Transformers.
namespace tessera::model {

namespace {

constexpr std::int64_t kConfigLayers = 1000, kConfigHeads = 4096, kConfigWords = 1 << 24, kConfigExperts = 4096;

/// Sizes of a class where a file leaves them out.
struct ClassSizes {
    std::int64_t vocabulary, hidden, ffn, layers, heads;
    std::int64_t keyHeads;  ///< 0: as many as heads
    std::int64_t context;
    bool tied = false;
    std::int64_t headSize = 0;  ///< 0: hidden / heads
};

/// Heads of keys and values where the file has no number: those of the class, or as many as of queries where the file
/// says null, where the class has no own number, and where that cannot be.
std::int64_t usualKeyHeads(const ConfigFields& in, const ClassSizes& sizes, std::int64_t heads) {
    const bool own = sizes.keyHeads > 0 && heads % sizes.keyHeads == 0 && !in.root().has("num_key_value_heads");
    return own ? sizes.keyHeads : heads;
}

/// Fields as most decoders name them.
ConfigTransformer commonOf(const ConfigFields& in, const ClassSizes& sizes) {
    ConfigTransformer out;
    out.vocabulary = in.size({"vocab_size"}, sizes.vocabulary, kConfigWords);
    out.hidden = in.features({"hidden_size", "n_embd", "n_embed", "d_model"}, sizes.hidden);
    out.ffn = in.features({"intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size"},
                          sizes.ffn > 0 ? sizes.ffn : 4 * out.hidden);
    out.layers = in.size({"num_hidden_layers", "num_layers", "n_layer", "n_layers"}, sizes.layers, kConfigLayers);
    out.heads = in.size({"num_attention_heads", "num_heads", "n_head", "n_heads"}, sizes.heads, kConfigHeads);
    out.keyHeads = in.size({"num_key_value_heads", "n_head_kv"}, usualKeyHeads(in, sizes, out.heads), kConfigHeads);
    out.headSize = in.features({"head_dim"},
                               sizes.headSize > 0 ? sizes.headSize : std::max(out.hidden / out.heads, std::int64_t{1}));
    out.context = in.size({"max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "n_ctx",
                           "max_sequence_length", "model_max_length"},
                          sizes.context, kConfigWords);
    out.tied = in.flag("tie_word_embeddings", sizes.tied);
    return out;
}

void setAttentionBias(ConfigTransformer& out, bool bias) {
    out.qkvBias = out.outputBias = bias;
}

void setAllBiases(ConfigTransformer& out, bool bias) {
    setAttentionBias(out, bias);
    out.mlpBias = bias;
}

// Llama's order -------------------------------------------------------------------------------------------------------

/// Keys and values have as many heads as queries where the file does not say.
ConfigTransformer llamaWith(const ConfigFields& in, const ClassSizes& sizes) {
    ConfigTransformer out = commonOf(in, sizes);
    setAttentionBias(out, in.flag("attention_bias", false));
    out.mlpBias = in.flag("mlp_bias", false);
    return out;
}

constexpr ClassSizes kLlamaSizes{32000, 4096, 11008, 32, 32, 0, 2048};

ConfigTransformer llamaRow(const ConfigFields& in) {
    return llamaWith(in, kLlamaSizes);
}

ConfigTransformer mistralRow(const ConfigFields& in) {
    return commonOf(in, {32000, 4096, 14336, 32, 32, 8, 131072});
}

ConfigTransformer smollm3Row(const ConfigFields& in) {
    return llamaWith(in, {128256, 2048, 11008, 36, 16, 4, 32768, true});
}

ConfigTransformer graniteRow(const ConfigFields& in) {
    return llamaWith(in, kLlamaSizes);
}

ConfigTransformer baichuanRow(const ConfigFields& in) {
    return commonOf(in, {125696, 4096, 11008, 32, 32, 0, 4096});
}

ConfigTransformer exaoneRow(const ConfigFields& in) {
    return commonOf(in, {102400, 2048, 0, 32, 32, 0, 2048, true});
}

ConfigTransformer orionRow(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, {84608, 4096, 15360, 40, 40, 0, 4096});
    out.norm = ConfigNorm::layer;
    return out;
}

ConfigTransformer internlmRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {103168, 4096, 11008, 32, 32, 0, 2048});
    setAttentionBias(out, in.flag("bias", true));
    return out;
}

ConfigTransformer internlm2Row(const ConfigFields& in) {
    return internlmRow(in);
}

ConfigTransformer minicpmRow(const ConfigFields& in) {
    return llamaWith(in, {32000, 4096, 11008, 32, 32, 0, 2048, true});
}

ConfigTransformer phi3Row(const ConfigFields& in) {
    return commonOf(in, {32064, 3072, 8192, 32, 32, 0, 4096});
}

/// The first Qwen's field holds the widths of both products.
ConfigTransformer qwenRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {151936, 4096, 22016, 32, 32, 0, 8192});
    out.ffn = std::max(out.ffn / 2, std::int64_t{1});
    out.headSize = in.features({"kv_channels"}, out.headSize);
    out.keyHeads = out.heads;
    setAllBiases(out, !in.flag("no_bias", true));
    out.qkvBias = true;
    return out;
}

ConfigTransformer qwen2Row(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {151936, 4096, 22016, 32, 32, 0, 32768});
    out.qkvBias = true;
    return out;
}

ConfigTransformer qwen3Row(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, {151936, 4096, 22016, 32, 32, 0, 32768, false, 128});
    out.mlpBias = false;
    out.headNorm = ConfigHeadNorm::ofEveryHead;
    return out;
}

ConfigTransformer olmoRow(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, {50304, 4096, 11008, 32, 32, 0, 2048});
    out.mlpBias = false;
    out.norm = ConfigNorm::layerPlain;
    return out;
}

ConfigTransformer olmo2Row(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, {50304, 4096, 11008, 32, 32, 0, 2048});
    out.mlpBias = false;
    out.order = ConfigOrder::behindParts;
    out.headNorm = ConfigHeadNorm::overAllHeads;
    return out;
}

ConfigTransformer gemmaWith(const ConfigFields& in, const ClassSizes& sizes) {
    ConfigTransformer out = llamaWith(in, sizes);
    out.mlpBias = false;
    out.activation = "Gelu";
    return out;
}

ConfigTransformer gemmaRow(const ConfigFields& in) {
    return gemmaWith(in, {256000, 3072, 24576, 28, 16, 0, 8192, true, 256});
}

ConfigTransformer gemma2Row(const ConfigFields& in) {
    ConfigTransformer out = gemmaWith(in, {256000, 2304, 9216, 26, 8, 4, 8192, true, 256});
    out.order = ConfigOrder::around;
    return out;
}

ConfigTransformer gemma3Row(const ConfigFields& in) {
    for (const char* const part : {"vision_config", "text_config"})
        if (in.given(part)) in.at(part).fail("a model of text only, such as model_type 'gemma3_text'", "another part");
    ConfigTransformer out = gemmaWith(in, {262208, 2304, 9216, 26, 8, 4, 131072, true, 256});
    out.order = ConfigOrder::around;
    out.headNorm = ConfigHeadNorm::ofEveryHead;
    return out;
}

ConfigTransformer stablelmRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {50304, 2560, 6912, 32, 32, 0, 4096});
    out.qkvBias = in.flag("use_qkv_bias", false);
    out.norm = ConfigNorm::layer;
    if (in.flag("use_parallel_residual", false)) out.order = ConfigOrder::parallel;
    if (in.flag("qk_layernorm", false)) out.headNorm = ConfigHeadNorm::overAllHeads;
    return out;
}

ConfigTransformer cohereRow(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, {256000, 8192, 22528, 40, 64, 0, 8192, true});
    out.mlpBias = false;
    out.norm = ConfigNorm::layerWithoutBias;
    out.order = ConfigOrder::parallel;
    if (in.flag("use_qk_norm", false)) out.headNorm = ConfigHeadNorm::overAllHeads;
    return out;
}

ConfigTransformer chatglmRow(const ConfigFields& in) {
    if (in.root().has("inner_hidden_size"))
        in.root().at("inner_hidden_size").fail("a ChatGLM of version 2 or later, which has no such field");
    ConfigTransformer out = commonOf(in, {65024, 4096, 13696, 28, 32, 0, 2048});
    const bool bias = in.flag("add_bias_linear", false);
    out.vocabulary = in.size({"padded_vocab_size"}, out.vocabulary, kConfigWords);
    out.headSize = in.features({"kv_channels"}, 128);
    out.keyHeads =
        in.flag("multi_query_attention", false) ? in.size({"multi_query_group_num"}, 1, kConfigHeads) : out.heads;
    setAllBiases(out, bias);
    out.qkvBias = bias || in.flag("add_qkv_bias", false);
    if (!in.flag("rmsnorm", true)) out.norm = ConfigNorm::layer;
    out.finalNorm = in.flag("post_layer_norm", true);
    return out;
}

/// Biases are those of queries, keys and values.
ConfigTransformer glmRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {151552, 4096, 13696, 40, 32, 2, 131072, false, 128});
    out.qkvBias = in.flag("attention_bias", false);
    return out;
}

ConfigTransformer glm4Row(const ConfigFields& in) {
    ConfigTransformer out = glmRow(in);
    out.order = ConfigOrder::around;
    return out;
}

// Mixtures of experts -------------------------------------------------------------------------------------------------

ConfigExperts expertsOf(const ConfigFields& in, std::int64_t count, std::int64_t perToken, std::int64_t ffn) {
    ConfigExperts out;
    out.count = in.size({"num_local_experts", "num_experts", "n_routed_experts"}, count, kConfigExperts);
    if (out.count == 0) return out;
    out.perToken = in.size({"num_experts_per_tok", "experts_per_token"}, std::min(perToken, out.count), out.count);
    out.ffn = ffn;
    return out;
}

ConfigTransformer mixtralRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {32000, 4096, 14336, 32, 32, 8, 131072});
    out.experts = expertsOf(in, 8, 2, out.ffn);
    return out;
}

ConfigTransformer granitemoeRow(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, kLlamaSizes);
    out.experts = expertsOf(in, 8, 2, out.ffn);
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
    ConfigTransformer out = commonOf(in, {151936, 2048, 5632, 24, 16, 0, 32768});
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

/// `queryRank`, where the file does not name it; null says that there is none.
ConfigTransformer deepseekWith(const ConfigFields& in, const ClassSizes& sizes, std::int64_t queryRank) {
    ConfigTransformer out = commonOf(in, sizes);
    ConfigLatent latent;
    latent.queryRank = in.count({"q_lora_rank"}, in.root().has("q_lora_rank") ? 0 : queryRank, 1 << 20);
    latent.keyRank = in.features({"kv_lora_rank"}, latent.keyRank);
    latent.plain = in.features({"qk_nope_head_dim"}, latent.plain);
    latent.rotary = in.features({"qk_rope_head_dim"}, latent.rotary);
    latent.value = in.features({"v_head_dim"}, latent.value);
    latent.bias = in.flag("attention_bias", false);
    out.latent = latent;
    out.headSize = latent.plain + latent.rotary;
    return out;
}

void addDeepseekExperts(ConfigTransformer& out, const ConfigFields& in, const ConfigExperts& otherwise) {
    out.experts =
        expertsOf(in, otherwise.count, otherwise.perToken, in.features({"moe_intermediate_size"}, otherwise.ffn));
    if (out.experts.count == 0) return;
    // Null says that no expert is shared.
    const std::int64_t shared =
        in.count({"n_shared_experts"}, in.root().has("n_shared_experts") ? 0 : otherwise.sharedFfn, kConfigExperts);
    out.experts.sharedFfn = shared * out.experts.ffn;
    const std::int64_t dense = in.count({"first_k_dense_replace"}, otherwise.correctionBias ? 3 : 0, kConfigLayers);
    const std::int64_t every = in.size({"moe_layer_freq"}, 1, kConfigLayers);
    for (std::int64_t i = 0; i < out.layers; ++i)
        if (i < dense || i % every != 0) out.experts.denseAt.insert(i);
    out.experts.correctionBias = otherwise.correctionBias;
}

ConfigTransformer deepseekV2Row(const ConfigFields& in) {
    ConfigTransformer out = deepseekWith(in, {102400, 4096, 11008, 30, 32, 0, 2048}, 0);
    addDeepseekExperts(out, in, {.count = 64, .perToken = 6, .ffn = 1407, .sharedFfn = 2});
    return out;
}

ConfigTransformer deepseekV3Row(const ConfigFields& in) {
    ConfigTransformer out = deepseekWith(in, {129280, 7168, 18432, 61, 128, 0, 4096}, 1536);
    addDeepseekExperts(out, in, {.count = 256, .perToken = 8, .ffn = 2048, .sharedFfn = 1, .correctionBias = true});
    return out;
}

/// The first DeepSeek with experts.
ConfigTransformer deepseekRow(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, {102400, 4096, 11008, 30, 32, 0, 2048});
    out.mlpBias = false;
    addDeepseekExperts(out, in, {.count = 0, .perToken = 0, .ffn = 1407, .sharedFfn = 0});
    return out;
}

// GPT's order ---------------------------------------------------------------------------------------------------------

ConfigTransformer gptWith(const ConfigFields& in, const ClassSizes& sizes) {
    ConfigTransformer out = commonOf(in, sizes);
    out.gated = false;
    out.activation = "Gelu";
    out.norm = ConfigNorm::layer;
    setAllBiases(out, true);
    return out;
}

void learnPositions(ConfigTransformer& out, std::int64_t more = 0) {
    out.positions = ConfigPositions::learned;
    out.positionRows = out.context + more;
}

ConfigTransformer gpt2Row(const ConfigFields& in) {
    ConfigTransformer out = gptWith(in, {50257, 768, 0, 12, 12, 0, 1024, true});
    out.keyHeads = out.heads;
    learnPositions(out);
    return out;
}

ConfigTransformer gptBigCodeRow(const ConfigFields& in) {
    ConfigTransformer out = gpt2Row(in);
    if (in.flag("multi_query", true)) out.keyHeads = 1;
    return out;
}

ConfigTransformer gptjRow(const ConfigFields& in) {
    ConfigTransformer out = gptWith(in, {50400, 4096, 0, 28, 16, 0, 2048});
    setAttentionBias(out, false);
    out.headBias = true;
    out.order = ConfigOrder::parallel;
    return out;
}

ConfigTransformer gptNeoRow(const ConfigFields& in) {
    ConfigTransformer out = gptWith(in, {50257, 2048, 0, 24, 16, 0, 2048, true});
    out.qkvBias = false;
    learnPositions(out);
    return out;
}

ConfigTransformer gptNeoxRow(const ConfigFields& in) {
    ConfigTransformer out = gptWith(in, {50432, 6144, 24576, 44, 64, 0, 2048});
    setAttentionBias(out, in.flag("attention_bias", true));
    out.order = in.flag("use_parallel_residual", true) ? ConfigOrder::parallelOfEachPart : ConfigOrder::before;
    return out;
}

ConfigTransformer phiRow(const ConfigFields& in) {
    ConfigTransformer out = gptWith(in, {51200, 2048, 0, 24, 32, 0, 2048});
    out.order = ConfigOrder::parallel;
    out.headBias = true;
    if (in.flag("qk_layernorm", false)) out.headNorm = ConfigHeadNorm::ofEveryHead;
    return out;
}

ConfigTransformer optRow(const ConfigFields& in) {
    ConfigTransformer out = gptWith(in, {50272, 768, 3072, 12, 12, 0, 2048, true});
    out.activation = "Relu";
    out.embedding = in.features({"word_embed_proj_dim"}, out.hidden);
    setAllBiases(out, in.flag("enable_bias", true));
    const bool before = in.flag("do_layer_norm_before", true);
    out.order = before ? ConfigOrder::before : ConfigOrder::behindSums;
    out.finalNorm = before && !in.flag("_remove_final_layer_norm", false);
    if (!in.flag("layer_norm_elementwise_affine", true)) out.norm = ConfigNorm::layerPlain;
    learnPositions(out, 2);
    return out;
}

ConfigTransformer bloomRow(const ConfigFields& in) {
    ConfigTransformer out = gptWith(in, {250880, 64, 0, 2, 8, 0, 2048, true});
    out.ffn = 4 * out.hidden;
    out.positions = ConfigPositions::distances;
    out.embeddingNorm = true;
    return out;
}

/// The order of Falcon's blocks: their parts stand one behind the other, or side by side behind one norm or two.
ConfigOrder falconOrder(const ConfigFields& in, bool isNew) {
    if (!in.flag("parallel_attn", true)) return ConfigOrder::before;
    const std::int64_t norms = in.size({"num_ln_in_parallel_attn"}, isNew ? 2 : 1, 2);
    return norms == 2 ? ConfigOrder::parallelOfEachPart : ConfigOrder::parallel;
}

ConfigTransformer falconRow(const ConfigFields& in) {
    ConfigTransformer out = gptWith(in, {65024, 4544, 0, 32, 71, 0, 2048, true});
    const bool isNew = in.flag("new_decoder_architecture", in.given("n_head_kv"));
    setAllBiases(out, in.flag("bias", false));
    out.keyHeads = out.heads;
    if (isNew)
        out.keyHeads = in.size({"num_kv_heads", "n_head_kv"}, out.heads, kConfigHeads);
    else if (in.flag("multi_query", true))
        out.keyHeads = 1;
    out.order = falconOrder(in, isNew);
    if (in.flag("alibi", false)) out.positions = ConfigPositions::distances;
    return out;
}

/// What MPT nests in a field of its own.
void readMptAttention(ConfigTransformer& out, const ConfigFields& in) {
    bool alibi = true;
    if (in.given("attn_config")) {
        const ConfigFields attention(in.at("attn_config"));
        alibi = attention.flag("alibi", true);
        const std::string type = attention.text("attn_type", "multihead_attention");
        if (type == "multiquery_attention") out.keyHeads = 1;
        if (type == "grouped_query_attention") out.keyHeads = attention.size({"kv_n_heads"}, out.heads, kConfigHeads);
        if (attention.flag("qk_ln", false)) out.headNorm = ConfigHeadNorm::overAllHeads;
    }
    if (alibi)
        out.positions = ConfigPositions::distances;
    else if (in.flag("learned_pos_emb", true))
        learnPositions(out);
    else
        out.positions = ConfigPositions::none;
}

ConfigTransformer mptRow(const ConfigFields& in) {
    ConfigTransformer out = gptWith(in, {50368, 2048, 0, 24, 16, 0, 2048, true});
    out.ffn = in.size({"expansion_ratio"}, 4, 1024) * out.hidden;
    const bool bias = !in.flag("no_bias", true);
    setAllBiases(out, bias);
    out.norm = bias ? ConfigNorm::layer : ConfigNorm::layerWithoutBias;
    readMptAttention(out, in);
    return out;
}

ConfigTransformer starcoder2Row(const ConfigFields& in) {
    ConfigTransformer out = gptWith(in, {49152, 3072, 12288, 30, 24, 2, 4096, true});
    setAllBiases(out, in.flag("use_bias", true));
    return out;
}

// No decoders ---------------------------------------------------------------------------------------------------------

ConfigTransformer bertWith(const ConfigFields& in, const ClassSizes& sizes) {
    ConfigTransformer out = gptWith(in, sizes);
    out.kind = ConfigKind::encoder;
    out.order = ConfigOrder::behindSums;
    out.segments = in.size({"type_vocab_size"}, 2, kConfigHeads);
    out.embeddingNorm = true;
    out.finalNorm = false;
    learnPositions(out);
    return out;
}

ConfigTransformer bertRow(const ConfigFields& in) {
    return bertWith(in, {30522, 768, 3072, 12, 12, 0, 512, true});
}

/// Two positions stand for padding.
ConfigTransformer robertaRow(const ConfigFields& in) {
    ConfigTransformer out = bertWith(in, {50265, 768, 3072, 12, 12, 0, 512, true});
    out.context = std::max(out.context - 2, std::int64_t{1});
    return out;
}

ConfigTransformer t5Row(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {32128, 512, 2048, 6, 8, 0, 512, true, 64});
    out.kind = ConfigKind::encoderDecoder;
    out.ffn = in.features({"d_ff"}, 2048);
    out.headSize = in.features({"d_kv"}, 64);
    out.keyHeads = out.heads;
    out.decoderLayers = in.size({"num_decoder_layers"}, out.layers, kConfigLayers);
    out.ranges = in.size({"relative_attention_num_buckets"}, 32, 1 << 16);
    out.positions = ConfigPositions::none;
    const std::string form = in.text("feed_forward_proj", "relu");
    out.gated = form.starts_with("gated-");
    out.activation = form.ends_with("relu") ? "Relu" : "Gelu";
    return out;
}

std::int64_t labelsOf(const ConfigFields& in) {
    if (in.given("id2label"))
        return std::max(static_cast<std::int64_t>(in.at("id2label").members().size()), std::int64_t{1});
    return in.size({"num_labels"}, 2, kConfigWords);
}

ConfigTransformer vitRow(const ConfigFields& in) {
    ConfigTransformer out = gptWith(in, {1, 768, 3072, 12, 12, 0, 1});
    out.kind = ConfigKind::vision;
    out.vocabulary = 0;
    out.positions = ConfigPositions::none;
    out.keyHeads = out.heads;
    out.qkvBias = in.flag("qkv_bias", true);
    out.patches.channels = in.size({"num_channels"}, 3, 1024);
    out.patches.image = in.size({"image_size"}, 224, 1 << 14);
    out.patches.patch = in.size({"patch_size"}, 16, out.patches.image);
    out.patches.labels = labelsOf(in);
    return out;
}

struct ConfigRow {
    const char* names;  ///< of the model type and its like, without '_' and '-', with spaces between
    ConfigRead read;
};

constexpr std::array<ConfigRow, 45> kConfigRows{{
    {"llama codellama yi aquila smollm", llamaRow},
    {"smollm3", smollm3Row},
    {"mistral ministral", mistralRow},
    {"baichuan", baichuanRow},
    {"exaone", exaoneRow},
    {"orion", orionRow},
    {"granite", graniteRow},
    {"internlm", internlmRow},
    {"internlm2", internlm2Row},
    {"minicpm", minicpmRow},
    {"phi3", phi3Row},
    {"qwen", qwenRow},
    {"qwen2", qwen2Row},
    {"qwen3", qwen3Row},
    {"olmo", olmoRow},
    {"olmo2 olmo3", olmo2Row},
    {"gemma", gemmaRow},
    {"gemma2", gemma2Row},
    {"gemma3text gemma3", gemma3Row},
    {"stablelm stablelmepoch", stablelmRow},
    {"cohere cohere2", cohereRow},
    {"chatglm", chatglmRow},
    {"glm", glmRow},
    {"glm4", glm4Row},
    {"mixtral", mixtralRow},
    {"granitemoe", granitemoeRow},
    {"phimoe", phimoeRow},
    {"olmoe", olmoeRow},
    {"qwen2moe", qwen2MoeRow},
    {"qwen3moe", qwen3MoeRow},
    {"gptoss", gptOssRow},
    {"deepseek", deepseekRow},
    {"deepseekv2", deepseekV2Row},
    {"deepseekv3 kimik2", deepseekV3Row},
    {"gpt2", gpt2Row},
    {"gptbigcode", gptBigCodeRow},
    {"gptj codegen", gptjRow},
    {"gptneo", gptNeoRow},
    {"gptneox", gptNeoxRow},
    {"phi phimsft", phiRow},
    {"opt", optRow},
    {"bloom", bloomRow},
    {"falcon rw refinedweb refinedwebmodel", falconRow},
    {"mpt", mptRow},
    {"starcoder2", starcoder2Row},
}};

constexpr std::array<ConfigRow, 4> kConfigOthers{
    {{"bert", bertRow}, {"roberta xlmroberta", robertaRow}, {"t5", t5Row}, {"vit", vitRow}}};

bool namesIt(const ConfigRow& row, const std::string& name) {
    const std::string all = " " + std::string(row.names) + " ";
    return !name.empty() && all.find(" " + name + " ") != std::string::npos;
}

}  // namespace

ConfigRead configReadOf(std::string_view name) {
    std::string plain;
    for (const char c : lowered(std::string(name)))
        if (c != '_' && c != '-' && c != ' ') plain += c;
    for (const ConfigRow& row : kConfigRows)
        if (namesIt(row, plain)) return row.read;
    for (const ConfigRow& row : kConfigOthers)
        if (namesIt(row, plain)) return row.read;
    return nullptr;
}

std::string configArchitectures() {
    std::vector<std::string> names;
    const auto add = [&](const ConfigRow& row) {
        const std::string all = row.names;
        names.push_back(all.substr(0, all.find(' ')));
    };
    for (const ConfigRow& row : kConfigRows) add(row);
    for (const ConfigRow& row : kConfigOthers) add(row);
    return joined(names, ", ");
}

}  // namespace tessera::model
