#include "core/model/readers/calculon.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/model/readers/dimensions.h"
#include "core/model/readers/layer_rules.h"
#include "core/model/zoo/families.h"

namespace tessera::model {

namespace {

constexpr std::int64_t kMaxBlocks = 2048;
constexpr std::int64_t kMaxSize = std::int64_t{1} << 24;  ///< so that products of three sizes fit
constexpr std::int64_t kVocabulary = 51'200;
constexpr const char* kSequence = "sequence";
constexpr const char* kTensorParallel = "tensor_parallel";

zoo::TransformerSize sizeIn(const JsonNode& root) {
    root.allowOnly({"name", "hidden", "feedforward", "seq_size", "attn_heads", "attn_size", "num_blocks"});
    const auto size = [&](const char* key) { return root.at(key).whole(1, kMaxSize); };
    const zoo::TransformerSize result{.layers = root.at("num_blocks").whole(1, kMaxBlocks),
                                      .heads = size("attn_heads"),
                                      .hidden = size("hidden"),
                                      .positions = size("seq_size"),
                                      .vocabulary = kVocabulary,
                                      .headSize = size("attn_size"),
                                      .feedForward = size("feedforward")};
    const std::int64_t width = result.heads * result.headSize;
    if (width > kMaxSize)
        root.at("attn_size")
            .fail(fmt::format("at most 2^24 features in all {} heads", result.heads),
                  fmt::format("{}, which makes {} features", result.headSize, width));
    return result;
}

std::int64_t bound(const LoadOptions& options, const char* name, std::int64_t otherwise) {
    const auto given = options.dimensions.find(name);
    return given == options.dimensions.end() ? otherwise : given->second;
}

/// The sequence and the devices, checked against the model.
std::map<std::string, std::int64_t> dimensionsOf(const zoo::TransformerSize& size, const LoadOptions& options) {
    const std::int64_t sequence = bound(options, kSequence, size.positions);
    const std::int64_t devices = bound(options, kTensorParallel, 1);
    if (sequence > size.positions)
        throw UsageError(fmt::format("dimension '{}' is {}; expected at most the file's seq_size {}", kSequence,
                                     sequence, size.positions));
    if (size.heads % devices != 0 || size.feedForward % devices != 0)
        throw UsageError(fmt::format("dimension '{}' is {}; expected a divisor of attn_heads {} and feedforward {}",
                                     kTensorParallel, devices, size.heads, size.feedForward));
    return {{kSequence, sequence}, {kTensorParallel, devices}};
}

}  // namespace

bool looksLikeCalculon(std::string_view bytes) {
    const std::string_view start = bytes.substr(0, std::size_t{1} << 16);
    const auto holds = [&](std::string_view key) { return start.find(key) != std::string_view::npos; };
    return holds("{") && holds("\"attn_heads\"") && holds("\"num_blocks\"");
}

Graph readCalculon(const std::string& bytes, const std::string& file, const LoadOptions& options) {
    checkDimensions(options, file, {kSequence, kTensorParallel});
    const JsonNode root = JsonDocument::parse(bytes, file).root();
    const zoo::TransformerSize size = sizeIn(root);
    const std::string name = root.textOr("name", nameOfFile(file));
    return zoo::gpt(zoo::Network(name, file, options.batch.value_or(1), dimensionsOf(size, options)), size);
}

}  // namespace tessera::model
