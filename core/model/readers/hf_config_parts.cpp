#include "core/model/readers/hf_config_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tessera::model {

std::string ConfigFields::firstGiven(const Names& names) const {
    const auto found = std::find_if(names.begin(), names.end(), [&](const std::string& name) { return given(name); });
    return found == names.end() ? std::string() : *found;
}

std::int64_t ConfigFields::size(const Names& names, std::int64_t otherwise, std::int64_t max) const {
    const std::string name = firstGiven(names);
    return name.empty() ? otherwise : root_.at(name).whole(1, max);
}

std::int64_t ConfigFields::count(const Names& names, std::int64_t otherwise, std::int64_t max) const {
    const std::string name = firstGiven(names);
    return name.empty() ? otherwise : root_.at(name).whole(0, max);
}

std::int64_t ConfigFields::features(const Names& names, std::int64_t otherwise) const {
    return size(names, otherwise, kConfigFeatures);
}

std::int64_t ConfigFields::everyLayer(const std::string& name, std::int64_t otherwise, std::int64_t max) const {
    if (!given(name)) return otherwise;
    const JsonNode node = root_.at(name);
    if (!node.isArray()) return node.whole(1, max);
    const std::vector<JsonNode> all = node.elements(kConfigLayers);
    if (all.empty()) node.fail("a number, or one of every layer");
    const std::int64_t first = all.front().whole(1, max);
    for (const JsonNode& each : all)
        if (each.whole(1, max) != first) each.fail("the same number for every layer");
    return first;
}

std::vector<JsonNode> ConfigFields::ofEachLayer(const std::string& name, std::int64_t layers) const {
    const JsonNode list = root_.at(name);
    std::vector<JsonNode> all = list.elements(kConfigLayers);
    if (std::ssize(all) < layers)
        list.fail(fmt::format("an entry for each of {} layers", layers), fmt::format("{}", all.size()));
    return all;
}

bool ConfigFields::flag(const std::string& name, bool otherwise) const {
    return given(name) ? root_.at(name).boolean() : otherwise;
}

std::string ConfigFields::text(const std::string& name, const std::string& otherwise) const {
    return given(name) ? root_.at(name).text() : otherwise;
}

namespace {

/// Heads of keys and values where the file has no number: those of the class, or as many as of queries where the file
/// says null, where the class has no own number, and where that cannot be.
std::int64_t usualKeyHeads(const ConfigFields& in, const ClassSizes& sizes, std::int64_t heads) {
    const bool own = sizes.keyHeads > 0 && heads % sizes.keyHeads == 0 && !in.root().has("num_key_value_heads");
    return own ? sizes.keyHeads : heads;
}

}  // namespace

const ConfigFields::Names& configHeadNames() {
    static const ConfigFields::Names kNames{"num_attention_heads", "num_heads", "n_head", "n_heads"};
    return kNames;
}

ConfigTransformer commonOf(const ConfigFields& in, const ClassSizes& sizes) {
    ConfigTransformer out;
    out.vocabulary = in.size({"vocab_size"}, sizes.vocabulary, kConfigWords);
    out.hidden = in.features({"hidden_size", "n_embd", "n_embed", "d_model"}, sizes.hidden);
    out.ffn = in.features({"intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size", "ff_intermediate_size"},
                          sizes.ffn > 0 ? sizes.ffn : 4 * out.hidden);
    out.layers = in.size({"num_hidden_layers", "num_layers", "n_layer", "n_layers"}, sizes.layers, kConfigLayers);
    out.heads = in.size(configHeadNames(), sizes.heads, kConfigHeads);
    out.keyHeads = in.size({"num_key_value_heads", "n_head_kv"}, usualKeyHeads(in, sizes, out.heads), kConfigHeads);
    out.headSize = in.features({"head_dim"},
                               sizes.headSize > 0 ? sizes.headSize : std::max(out.hidden / out.heads, std::int64_t{1}));
    out.headsDivide = !in.given("head_dim") && sizes.headSize == 0 && !sizes.rounds;
    out.context = in.size({"max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "n_ctx",
                           "max_sequence_length", "model_max_length"},
                          sizes.context, kConfigWords);
    out.tied = in.flag("tie_word_embeddings", sizes.tied);
    return out;
}

ConfigTransformer llamaWith(const ConfigFields& in, const ClassSizes& sizes) {
    ConfigTransformer out = commonOf(in, sizes);
    setAttentionBias(out, in.flag("attention_bias", false));
    out.mlpBias = in.flag("mlp_bias", false);
    return out;
}

void setAttentionBias(ConfigTransformer& out, bool bias) {
    out.qkvBias = out.outputBias = bias;
}

void setAllBiases(ConfigTransformer& out, bool bias) {
    setAttentionBias(out, bias);
    out.mlpBias = bias;
}

std::int64_t labelsOf(const ConfigFields& in) {
    if (in.given("id2label"))
        return std::max(static_cast<std::int64_t>(in.at("id2label").members().size()), std::int64_t{1});
    return in.size({"num_labels"}, 2, kConfigWords);
}

}  // namespace tessera::model
