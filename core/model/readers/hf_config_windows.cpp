#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/readers/hf_config_parts.h"

/// Sliding windows and chunks of attention that a config.json says, by the classes of Hugging Face Transformers.
namespace tessera::model {

namespace {

/// Classes whose layers slide in an order that a file may leave out.
struct WindowOrder {
    const char* types;
    std::int64_t every;  ///< so many layers end with one that attends to all
};
constexpr std::array<WindowOrder, 5> kWindowOrders{
    {{"gemma2", 2}, {"gemma3 gemma3_text", 6}, {"cohere2", 4}, {"gpt_oss", 2}, {"olmo3 exaone4", 4}}};

/// Classes all of whose layers have the window that a file gives.
constexpr const char* kSlidingClasses = "mistral ministral mixtral phi3 phimoe starcoder2";
/// Those whose layers have it where `use_sliding_window` says so.
constexpr const char* kAskedClasses =
    "qwen2 qwen3 qwen2_moe qwen3_moe qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text";
/// Those whose layers with rotated positions attend within chunks.
constexpr const char* kChunkedClasses = "llama4 llama4_text";

constexpr const char* kLayerTypes = "layer_types";

using LayerFlags = std::vector<bool>;

/// As many as there are layers.
LayerFlags slidingEvery(std::int64_t every, std::int64_t layers) {
    LayerFlags sliding;
    for (std::int64_t i = 1; i <= layers; ++i) sliding.push_back(i % every != 0);
    return sliding;
}

/// Where a name, such as "sliding_attention", is among those of all layers.
LayerFlags layersNamed(std::string_view name, const ConfigFields& in, std::int64_t layers) {
    LayerFlags named;
    for (const JsonNode& each : in.ofEachLayer(kLayerTypes, layers)) named.push_back(each.text() == name);
    named.resize(static_cast<std::size_t>(layers));
    return named;
}

/// The order as a number, or as a word with an L for every layer that slides ("LLLG").
std::int64_t patternOf(const ConfigFields& in) {
    const char* const kPattern = "sliding_window_pattern";
    if (!in.given(kPattern)) return 0;
    if (!in.at(kPattern).isString()) return in.size({kPattern}, 1, kConfigLayers);
    const std::string word = in.text(kPattern, "");
    if (word.empty() || word.find_first_not_of('L') != word.size() - 1 || word.back() != 'G')
        in.at(kPattern).fail("a whole number, or a word of L and G with one G, at its end");
    return static_cast<std::int64_t>(word.size());
}

LayerFlags slidingLayers(const ConfigFields& in, std::string_view type, std::int64_t layers) {
    if (in.given(kLayerTypes)) return layersNamed("sliding_attention", in, layers);
    if (const std::int64_t every = patternOf(in); every > 0) return slidingEvery(every, layers);
    for (const WindowOrder& order : kWindowOrders)
        if (hasName(order.types, type)) return slidingEvery(order.every, layers);
    LayerFlags sliding(static_cast<std::size_t>(layers), hasName(kSlidingClasses, type));
    if (hasName(kAskedClasses, type) && in.flag("use_sliding_window", false))
        for (std::int64_t i = in.count({"max_window_layers"}, 28, kConfigLayers); i < layers; ++i)
            sliding[static_cast<std::size_t>(i)] = true;
    return sliding;
}

/// The order of sliding layers and others; 0: there is none.
std::int64_t everyOf(const LayerFlags& sliding) {
    const auto full = std::find(sliding.begin(), sliding.end(), false);
    const std::int64_t every = full - sliding.begin() + 1, layers = static_cast<std::int64_t>(sliding.size());
    return full != sliding.end() && sliding == slidingEvery(every, layers) ? every : 0;
}

/// GPT-Neo's list of orders with how often each comes ([[["global", "local"], 6]]); every second layer without one.
LayerFlags localLayers(const ConfigFields& in, std::int64_t layers) {
    const char* const kTypes = "attention_types";
    LayerFlags local;
    if (in.given(kTypes)) {
        for (const JsonNode& part : in.at(kTypes).elements(kConfigLayers)) {
            const std::vector<JsonNode> pair = part.elements(2);
            if (pair.size() != 2) part.fail("a list of names, and how often it comes");
            const std::int64_t times = pair[1].whole(0, kConfigLayers);
            const std::vector<JsonNode> names = pair[0].elements(kConfigLayers);
            for (std::int64_t i = 0; i < times && std::ssize(local) < layers; ++i)
                for (const JsonNode& name : names) local.push_back(name.oneOf({"global", "local"}) == "local");
        }
    } else {
        for (std::int64_t i = 0; i < layers; ++i) local.push_back(i % 2 == 1);
    }
    local.resize(static_cast<std::size_t>(layers));
    return local;
}

/// Those with rotated positions, which `no_rope_layers` marks with 1, or all but every so many.
LayerFlags chunkedLayers(const ConfigFields& in, std::int64_t layers) {
    const char* const kRotated = "no_rope_layers";
    if (in.given(kLayerTypes)) return layersNamed("chunked_attention", in, layers);
    if (!in.given(kRotated) || in.at(kRotated).elements(kConfigLayers).empty())
        return slidingEvery(in.size({"no_rope_layer_interval"}, 4, kConfigLayers), layers);
    LayerFlags chunked;
    for (const JsonNode& each : in.ofEachLayer(kRotated, layers)) chunked.push_back(each.whole(0, 1) == 1);
    chunked.resize(static_cast<std::size_t>(layers));
    return chunked;
}

ConfigWindow windowIn(const ConfigFields& in, const char* size, const LayerFlags& sliding, std::int64_t usual) {
    const auto count = std::count(sliding.begin(), sliding.end(), true);
    if (count == 0) return {};
    return {.size = in.size({size}, usual, kConfigWords), .layers = count, .every = everyOf(sliding)};
}

/// None where the file says null, as classes have it.
ConfigWindow chunksIn(const ConfigFields& in, std::int64_t layers) {
    const char* const kSize = "attention_chunk_size";
    if (in.root().has(kSize) && !in.given(kSize)) return {};
    ConfigWindow chunks = windowIn(in, kSize, chunkedLayers(in, layers), 8192);
    chunks.chunked = chunks.layers > 0;
    return chunks;
}

}  // namespace

ConfigWindow windowOf(const ConfigFields& in, std::string_view type, std::int64_t layers) {
    if (hasName("gpt_neo", type)) return windowIn(in, "window_size", localLayers(in, layers), 256);
    if (hasName(kChunkedClasses, type)) return chunksIn(in, layers);
    const bool isAsked = in.flag("use_sliding_window", true);
    if (!isAsked || !in.given("sliding_window")) return {};
    return windowIn(in, "sliding_window", slidingLayers(in, type, layers), 1);
}

}  // namespace tessera::model
