#include <algorithm>
#include <string>

#include "core/model/readers/hf_config_parts.h"

/// Architectures with the names of their fields and the defaults of their classes in Hugging Face Transformers.
namespace tessera::model {

namespace {

void learnPositions(ConfigTransformer& out, std::int64_t more = 0) {
    out.positions = ConfigPositions::learned;
    out.positionRows = out.context + more;
}

// Llama's order -------------------------------------------------------------------------------------------------------

ConfigTransformer llamaRow(const ConfigFields& in) {
    return llamaWith(in, kLlamaSizes);
}

ConfigTransformer mistralRow(const ConfigFields& in) {
    return commonOf(in, {32000, 4096, 14336, 32, 32, 8, 131072, false, 0, true});
}

ConfigTransformer ministral3Row(const ConfigFields& in) {
    return commonOf(in, {131072, 4096, 14336, 34, 32, 8, 262144, false, 128});
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

/// Norms stand behind attention and feed-forward part, as in OLMo 2, and those of queries and keys in every head.
ConfigTransformer exaone4Row(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {102400, 4096, 16384, 32, 32, 32, 2048, false, 0, true});
    out.order = ConfigOrder::behindParts;
    out.headNorm = ConfigHeadNorm::ofEveryHead;
    return out;
}

ConfigTransformer seedOssRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {155136, 4096, 27648, 64, 80, 8, 524288, false, 128});
    out.qkvBias = in.flag("attention_bias", true);
    out.outputBias = in.flag("attention_out_bias", false);
    out.mlpBias = in.flag("mlp_bias", false);
    return out;
}

ConfigTransformer xverseRow(const ConfigFields& in) {
    if (in.given("num_experts")) in.at("num_experts").fail("an XVERSE without experts, which has no such field");
    return commonOf(in, {100278, 5120, 13824, 40, 40, 0, 8192});
}

void squareActivation(ConfigTransformer& out) {
    out.gated = false;
    out.activation = "Relu";
    out.squared = true;
}

ConfigTransformer nemotronRow(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, {256000, 6144, 24576, 32, 48, 0, 4096, false, 0, true});
    out.norm = ConfigNorm::layer;
    squareActivation(out);
    return out;
}

ConfigTransformer arceeRow(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, {32000, 2560, 18432, 32, 32, 0, 4096});
    squareActivation(out);
    return out;
}

ConfigTransformer hunyuanDenseRow(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, {290943, 4096, 11008, 32, 32, 0, 2048, false, 0, true});
    out.mlpBias = false;
    if (in.flag("use_cla", false)) in.at("use_cla").fail("false: keys and values that layers share are not read");
    if (in.flag("use_qk_norm", true)) out.headNorm = ConfigHeadNorm::ofEveryHead;
    return out;
}

ConfigTransformer ernieRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {103424, 1024, 3072, 18, 16, 2, 131072, true, 128});
    setAllBiases(out, in.flag("use_bias", false));
    return out;
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

ConfigTransformer internlm3Row(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {128512, 4096, 11008, 32, 32, 0, 32768, false, 0, true});
    setAllBiases(out, in.flag("bias", false));
    out.qkvBias = in.flag("qkv_bias", false);
    return out;
}

ConfigTransformer minicpmRow(const ConfigFields& in) {
    return llamaWith(in, {32000, 4096, 11008, 32, 32, 0, 2048, true});
}

ConfigTransformer phi3Row(const ConfigFields& in) {
    return commonOf(in, {32064, 3072, 8192, 32, 32, 0, 4096});
}

/// Its feed-forward part has a gate of GELU, and all of its products have biases.
ConfigTransformer phi3SmallRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {100352, 4096, 14336, 32, 32, 8, 8192, true});
    out.norm = ConfigNorm::layer;
    out.activation = "Gelu";
    setAllBiases(out, true);
    return out;
}

/// The first Qwen's field holds the widths of both products.
ConfigTransformer qwenRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {151936, 4096, 22016, 32, 32, 0, 8192});
    out.ffn = std::max(out.ffn / 2, std::int64_t{1});
    if (in.given("kv_channels")) {
        out.headSize = in.features({"kv_channels"}, out.headSize);
        out.headsDivide = false;
    }
    out.keyHeads = out.heads;
    setAllBiases(out, !in.flag("no_bias", true));
    out.qkvBias = true;
    return out;
}

ConfigTransformer qwen2Row(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {151936, 4096, 22016, 32, 32, 0, 32768, false, 0, true});
    out.qkvBias = true;
    return out;
}

/// The language model of Qwen2-VL and Qwen2.5-VL.
ConfigTransformer qwen2VlRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {152064, 8192, 29568, 80, 64, 8, 32768, false, 0, true});
    out.qkvBias = true;
    return out;
}

ConfigTransformer qwen3Row(const ConfigFields& in) {
    ConfigTransformer out = llamaWith(in, {151936, 4096, 22016, 32, 32, 0, 32768, false, 128});
    out.mlpBias = false;
    out.headNorm = ConfigHeadNorm::ofEveryHead;
    return out;
}

/// Norms of the first OLMo's own files: without trained values where they say so.
ConfigNorm olmoNorm(const ConfigFields& in, bool biased) {
    const bool trained = in.flag("layer_norm_with_affine", true);
    const std::string type = in.text("layer_norm_type", "default");
    if (!trained) return ConfigNorm::layerPlain;
    if (type == "rms") return ConfigNorm::rootMeanSquare;
    return in.flag("bias_for_layer_norm", biased) ? ConfigNorm::layer : ConfigNorm::layerWithoutBias;
}

/// The first OLMo as its own class reads it (hf_olmo). The width of the feed-forward part is that of both halves of a
/// gated one.
ConfigTransformer ownOlmoRow(const ConfigFields& in) {
    ConfigTransformer out = commonOf(in, {50257, 768, 0, 12, 12, 0, 1024, true});
    if (in.flag("attention_layer_norm", false))
        in.at("attention_layer_norm").fail("false: norms of queries and keys of this class are not read");
    out.vocabulary = in.size({"embedding_size"}, out.vocabulary, kConfigWords);
    out.gated = in.text("activation_type", "swiglu") == "swiglu";
    if (!out.gated) out.activation = "Gelu";
    const std::int64_t width = in.features({"mlp_hidden_size"}, in.size({"mlp_ratio"}, 4, 1024) * out.hidden);
    out.ffn = std::max(out.gated ? width / 2 : width, std::int64_t{1});
    out.keyHeads = in.size({"n_kv_heads"}, in.flag("multi_query_attention", false) ? 1 : out.heads, kConfigHeads);
    const bool biased = in.flag("include_bias", true);
    setAllBiases(out, biased);
    out.tied = in.flag("weight_tying", true);
    out.headBias = biased && !out.tied;
    out.norm = olmoNorm(in, biased);
    if (in.flag("alibi", false)) out.positions = ConfigPositions::distances;
    if (!in.flag("rope", false) && !in.flag("alibi", false)) learnPositions(out);
    return out;
}

ConfigTransformer olmoRow(const ConfigFields& in) {
    if (!in.firstGiven({"mlp_ratio", "mlp_hidden_size", "d_model"}).empty()) return ownOlmoRow(in);
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
    out.headsDivide = false;
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

// GPT's order ---------------------------------------------------------------------------------------------------------

ConfigTransformer gptWith(const ConfigFields& in, const ClassSizes& sizes) {
    ConfigTransformer out = commonOf(in, sizes);
    out.gated = false;
    out.activation = "Gelu";
    out.norm = ConfigNorm::layer;
    setAllBiases(out, true);
    return out;
}

ConfigTransformer gpt2Row(const ConfigFields& in) {
    ConfigTransformer out = gptWith(in, {50257, 768, 0, 12, 12, 0, 1024, true});
    out.keyHeads = out.heads;
    learnPositions(out);
    return out;
}

/// The first GPT: norms stand behind the sums, none behind the last.
ConfigTransformer openaiGptRow(const ConfigFields& in) {
    ConfigTransformer out = gptWith(in, {40478, 768, 0, 12, 12, 0, 512, true});
    out.keyHeads = out.heads;
    out.order = ConfigOrder::behindSums;
    out.finalNorm = false;
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
    out.pooling = ConfigPooling::modelAlone;
    return out;
}

/// Names of its own for sizes, no segments and no pooler.
ConfigTransformer distilbertRow(const ConfigFields& in) {
    const ClassSizes sizes{.vocabulary = 30522,
                           .hidden = in.features({"dim"}, 768),
                           .ffn = in.features({"hidden_dim"}, 3072),
                           .layers = 6,
                           .heads = 12,
                           .keyHeads = 0,
                           .context = 512,
                           .tied = true};
    ConfigTransformer out = bertWith(in, sizes);
    out.segments = 0;
    out.pooling = ConfigPooling::nowhere;
    return out;
}

/// `form`: of the feed-forward part.
ConfigTransformer t5With(const ConfigFields& in, const ClassSizes& sizes, const char* usualForm) {
    ConfigTransformer out = commonOf(in, sizes);
    out.kind = ConfigKind::encoderDecoder;
    out.ffn = in.features({"d_ff"}, sizes.ffn);
    out.headSize = in.features({"d_kv"}, 64);
    out.keyHeads = out.heads;
    out.decoderLayers = in.size({"num_decoder_layers"}, out.layers, kConfigLayers);
    out.ranges = in.size({"relative_attention_num_buckets"}, 32, 1 << 16);
    out.positions = ConfigPositions::none;
    const std::string form = in.text("feed_forward_proj", usualForm);
    out.gated = form.starts_with("gated-");
    out.activation = form.ends_with("relu") ? "Relu" : "Gelu";
    return out;
}

ConfigTransformer t5Row(const ConfigFields& in) {
    return t5With(in, {32128, 512, 2048, 6, 8, 0, 512, true, 64}, "relu");
}

ConfigTransformer mt5Row(const ConfigFields& in) {
    return t5With(in, {250112, 512, 1024, 8, 6, 0, 512, false, 64}, "gated-gelu");
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
    return out;
}

constexpr ConfigRow kConfigDecoders[] = {
    {"llama codellama yi aquila smollm", llamaRow},
    {"smollm3", smollm3Row},
    {"arcee", arceeRow},
    {"mistral ministral", mistralRow},
    {"ministral3", ministral3Row},
    {"baichuan", baichuanRow},
    {"exaone", exaoneRow},
    {"exaone4", exaone4Row},
    {"seed_oss", seedOssRow},
    {"xverse", xverseRow},
    {"nemotron", nemotronRow},
    {"hunyuan_v1_dense hunyuan_dense_v1", hunyuanDenseRow},
    {"ernie4_5", ernieRow},
    {"orion", orionRow},
    {"granite", graniteRow},
    {"internlm", internlmRow},
    {"internlm2", internlm2Row},
    {"internlm3", internlm3Row},
    {"minicpm", minicpmRow},
    {"phi3", phi3Row},
    {"phi3small", phi3SmallRow},
    {"qwen", qwenRow},
    {"qwen2", qwen2Row},
    {"qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text", qwen2VlRow},
    {"qwen3 qwen3_vl_text", qwen3Row},
    {"olmo hf_olmo", olmoRow},
    {"olmo2 olmo3", olmo2Row},
    {"gemma", gemmaRow},
    {"gemma2", gemma2Row},
    {"gemma3_text gemma3", gemma3Row},
    {"stablelm stablelm_epoch", stablelmRow},
    {"cohere cohere2", cohereRow},
    {"chatglm", chatglmRow},
    {"glm", glmRow},
    {"glm4", glm4Row},
    {"openai-gpt", openaiGptRow},
    {"gpt2", gpt2Row},
    {"gpt_bigcode", gptBigCodeRow},
    {"gptj codegen", gptjRow},
    {"gpt_neo", gptNeoRow},
    {"gpt_neox", gptNeoxRow},
    {"phi phi-msft", phiRow},
    {"opt", optRow},
    {"bloom", bloomRow},
    {"falcon rw RefinedWeb RefinedWebModel", falconRow},
    {"mpt", mptRow},
    {"starcoder2", starcoder2Row},
};

constexpr ConfigRow kConfigOthers[] = {{"bert", bertRow},
                                       {"roberta xlm-roberta camembert", robertaRow},
                                       {"distilbert", distilbertRow},
                                       {"t5", t5Row},
                                       {"mt5", mt5Row},
                                       {"vit", vitRow}};

}  // namespace

std::span<const ConfigRow> configDecoderRows() {
    return kConfigDecoders;
}

std::span<const ConfigRow> configOtherRows() {
    return kConfigOthers;
}

}  // namespace tessera::model
