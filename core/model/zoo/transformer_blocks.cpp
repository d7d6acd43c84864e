#include "core/model/zoo/transformer_blocks.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/base/error.h"

namespace tessera::model::zoo {

std::string columnLinear(Network& net, const std::string& x, const std::string& layer, std::int64_t features,
                         std::int64_t devices, bool bias) {
    const std::string y = net.linear(x, layer, features / devices);
    return bias ? net.bias(y) : y;
}

std::string rowLinear(Network& net, const std::string& x, const std::string& layer, std::int64_t features,
                      std::int64_t devices, bool bias) {
    const std::string y = net.allReduce(net.linear(x, layer, features), devices);
    return bias ? net.bias(y) : y;
}

std::int64_t vocabularyRows(std::int64_t vocabulary, std::int64_t devices) {
    if (devices == 1) return vocabulary;
    constexpr std::int64_t kMultiple = 128;
    return (vocabulary + kMultiple * devices - 1) / (kMultiple * devices) * kMultiple;
}

std::string heads(Network& net, const std::string& x, std::int64_t headSize) {
    const std::vector<std::int64_t>& shape = net.shape(x);
    return net.transpose(net.reshape(x, {shape[0], shape[1], shape[2] / headSize, headSize}), {0, 2, 1, 3});
}

std::string sideBySide(Network& net, const std::string& x) {
    const std::vector<std::int64_t> shape = net.shape(x);
    return net.reshape(net.transpose(x, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

std::string rotated(Network& net, const std::string& x, const std::string& cosine, const std::string& sine) {
    if (cosine.empty()) return x;
    const std::vector<std::string> halves = net.split(x, 2, -1);
    const std::string turned = net.concatenateOnEdge({net.unary("Neg", halves[1]), halves[0]}, -1);
    return net.combine("Add", net.combine("Mul", x, cosine), net.combine("Mul", turned, sine));
}

std::string tokens(Network& net, const std::string& ids, const std::string& table, std::int64_t devices) {
    return net.allReduce(net.lookUp(ids, "embedding", table), devices);
}

std::string causalMask(Network& net, std::int64_t sequence) {
    return net.constant("causal", DataType::boolean, {1, 1, sequence, sequence});
}

namespace {

std::array<std::string, 3> projections(Network& net, const std::string& whole, const std::string& wholeMemory,
                                       const std::string& name, const Attention& options) {
    const std::int64_t width = options.heads * options.headSize, keys = options.keyHeads * options.headSize;
    const std::string x = net.replicate(whole, options.devices);
    const std::string memory = wholeMemory == whole ? x : net.replicate(wholeMemory, options.devices);
    const auto project = [&](const std::string& from, const std::string& layer, std::int64_t features) {
        return columnLinear(net, from, name + layer, features, options.devices, options.bias);
    };
    if (!options.fused)
        return {project(x, ".query", width), project(memory, ".key", keys), project(memory, ".value", keys)};
    const std::int64_t each = keys / options.devices;
    const std::vector<std::string> parts =
        net.splitInto(project(x, ".qkv", width + 2 * keys), {width / options.devices, each, each}, -1);
    return {parts[0], parts[1], parts[2]};
}

/// The heads of a projection.
std::string headsOf(Network& net, const std::string& x, const Attention& options) {
    const std::string apart =
        heads(net, options.wholeNorm == nullptr ? x : options.wholeNorm(net, x), options.headSize);
    const std::string normed = options.headNorm == nullptr ? apart : options.headNorm(net, apart);
    return rotated(net, normed, options.cosine, options.sine);
}

/// Heads that share keys and values stand side by side on an axis of their own, over which those broadcast.
std::string inGroups(Network& net, const std::string& x, const Attention& options) {
    const std::int64_t groups = options.keyHeads / options.devices;
    const std::vector<std::int64_t> shape = net.shape(x);
    if (options.keyHeads == options.heads) return x;
    return net.reshape(x, {shape[0], groups, shape[1] / groups, shape[2], shape[3]});
}

std::string withLastAxesTurned(Network& net, const std::string& x) {
    std::vector<std::int64_t> order(net.shape(x).size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return net.transpose(x, order);
}

}  // namespace

std::string rootMeanSquareNorm(Network& net, const std::string& x) {
    return net.rmsNorm(x);
}

std::string scoresOf(Network& net, const std::string& query, const std::string& key, const std::string& name,
                     const Attention& options) {
    std::string scores = net.product(query, withLastAxesTurned(net, key), name + ".scores");
    if (options.scaled) scores = net.scale(scores, 1 / std::sqrt(static_cast<double>(options.headSize)));
    if (!options.positions.empty()) scores = net.combine("Add", scores, options.positions);
    if (!options.mask.empty()) scores = net.masked(scores, options.mask);
    return scores;
}

namespace {

/// Weights of the keys. A sink takes a part of every softmax, which goes nowhere.
std::string weightsOf(Network& net, const std::string& scores, const std::string& name, const Attention& options) {
    if (!options.sinks) return net.softmax(scores);
    std::vector<std::int64_t> shape = net.shape(scores);
    const std::int64_t keys = std::exchange(shape.back(), 1);
    std::vector<std::int64_t> own = shape;
    own.front() = 1;
    own[own.size() - 2] = 1;
    const std::string sinks = net.expand(net.stored(name + ".sinks", own), shape);
    const auto axis = static_cast<std::int64_t>(shape.size()) - 1;
    const std::string all = net.softmax(net.concatenate({scores, sinks}, axis, name + ".scores_and_sinks"));
    return net.splitInto(all, {keys, 1}, -1).front();
}

}  // namespace

std::string attentionOf(Network& net, const std::string& x, const std::string& memory, const std::string& name,
                        const Attention& options) {
    const auto [query, key, value] = projections(net, x, memory, name, options);
    const std::string q = inGroups(net, headsOf(net, query, options), options);
    const std::string k = inGroups(net, headsOf(net, key, options), options);
    const std::string scores = scoresOf(net, q, k, name, options);
    const std::string v = inGroups(net, heads(net, value, options.headSize), options);
    std::string mixed = net.product(weightsOf(net, scores, name, options), v, name + ".context");
    const std::vector<std::int64_t>& shape = net.shape(mixed);
    if (options.keyHeads != options.heads)
        mixed = net.reshape(mixed, {shape[0], shape[1] * shape[2], shape[3], shape[4]});
    return rowLinear(net, sideBySide(net, mixed), name + ".output", net.width(x), options.devices, options.outputBias);
}

namespace {

/// What is wrong with a size beside the others.
[[noreturn]] void failSize(const Network& net, const char* name, std::int64_t size, const std::string& expected) {
    throw UsageError(fmt::format("the dimension '{}' of '{}' is {}; expected {}", name, net.file(), size, expected));
}

void checkDivides(const Network& net, const char* name, std::int64_t size, std::int64_t of, const char* what) {
    if (of % size != 0) failSize(net, name, size, fmt::format("a divisor of its {} {}", of, what));
}

void checkAtMost(const Network& net, const char* name, std::int64_t size, std::int64_t max, const char* what) {
    if (size > max) failSize(net, name, size, fmt::format("at most its {} {}", max, what));
}

void checkSlices(const Network& net, const TransformerSize& size) {
    const std::int64_t devices = net.dimension("tensor_parallel");
    checkDivides(net, "tensor_parallel", devices, size.heads, "heads");
    if (size.keyRank == 0) checkDivides(net, "tensor_parallel", devices, size.keyHeads, "heads of keys and values");
    checkDivides(net, "tensor_parallel", devices, size.feedForward, "features of the feed-forward part");
    if (size.experts > 0) checkDivides(net, "tensor_parallel", devices, size.expertFfn, "features of an expert");
}

void checkTogether(const Network& net, const TransformerSize& size) {
    if (net.dimensionOr("head_size", 0) == 0) checkDivides(net, "heads", size.heads, size.hidden, "hidden features");
    if (size.keyRank == 0) checkDivides(net, "kv_heads", size.keyHeads, size.heads, "heads");
    if (size.positions > 0) checkAtMost(net, "sequence", net.dimension("sequence"), size.positions, "positions");
    checkSlices(net, size);
    if (size.experts == 0) return;
    checkAtMost(net, "experts_per_token", size.expertsPerToken, size.experts, "experts");
    checkAtMost(net, "dense_layers", size.denseLayers, size.layers, "layers");
    if (size.keyRank > 0 && size.queryRank == 0) failSize(net, "query_rank", 0, "a number above 0 beside a key_rank");
}

}  // namespace

TransformerSize sizeIn(const Network& net, bool tied) {
    const auto given = [&](const char* name, std::int64_t otherwise) { return net.dimensionOr(name, otherwise); };
    TransformerSize size{.layers = net.dimension("layers"),
                         .heads = net.dimension("heads"),
                         .hidden = net.dimension("hidden"),
                         .positions = given("positions", net.dimension("sequence")),
                         .vocabulary = net.dimension("vocabulary")};
    size.headSize = given("head_size", size.headSize);
    size.feedForward = given("ffn", size.feedForward);
    size.keyHeads = given("kv_heads", size.heads);
    size.tied = given("tied", tied ? 1 : 0) != 0;
    size.headNorms = given("qk_norm", 0) != 0;
    size.gated = given("gated", 0) != 0;
    size.experts = given("experts", 0);
    size.expertsPerToken = given("experts_per_token", 0);
    size.expertFfn = given("expert_ffn", size.feedForward);
    size.sharedExperts = given("shared_experts", 0);
    size.denseLayers = given("dense_layers", 0);
    size.queryRank = given("query_rank", 0);
    size.keyRank = given("key_rank", 0);
    checkTogether(net, size);
    return size;
}

}  // namespace tessera::model::zoo
