#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/readers/hf_config_parts.h"

/// Sliding windows of attention that a config.json says, by the classes of Hugging Face Transformers.
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

using LayerFlags = std::vector<bool>;

/// As many as there are layers.
LayerFlags slidingEvery(std::int64_t every, std::int64_t layers) {
    LayerFlags sliding;
    for (std::int64_t i = 1; i <= layers; ++i) sliding.push_back(i % every != 0);
    return sliding;
}

/// "sliding_attention" among the names of all layers.
LayerFlags slidingByName(const ConfigFields& in, const char* list, std::int64_t layers) {
    LayerFlags sliding;
    for (const JsonNode& name : in.ofEachLayer(list, layers)) sliding.push_back(name.text() == "sliding_attention");
    sliding.resize(static_cast<std::size_t>(layers));
    return sliding;
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
    const char* const kTypes = "layer_types";
    if (in.given(kTypes)) return slidingByName(in, kTypes, layers);
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

ConfigWindow windowIn(const ConfigFields& in, const char* size, const LayerFlags& sliding, std::int64_t usual) {
    const auto count = std::count(sliding.begin(), sliding.end(), true);
    if (count == 0) return {};
    return {.size = in.size({size}, usual, kConfigWords), .layers = count, .every = everyOf(sliding)};
}

}  // namespace

ConfigWindow windowOf(const ConfigFields& in, std::string_view type, std::int64_t layers) {
    if (hasName("gpt_neo", type)) return windowIn(in, "window_size", localLayers(in, layers), 256);
    const bool isAsked = in.flag("use_sliding_window", true);
    if (!isAsked || !in.given("sliding_window")) return {};
    return windowIn(in, "sliding_window", slidingLayers(in, type, layers), 1);
}

}  // namespace tessera::model
