#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/model/zoo/families.h"
#include "core/model/zoo/network.h"

/// Blocks of transformers that several networks of the zoo are made of. A tensor-parallel slice (one device of
/// `devices`) is that of Shoeybi, Patwary, Puri, LeGresley, Casper, Catanzaro: "Megatron-LM", arXiv:1909.08053, section
/// 3: the first product of an attention or feed-forward part is split by columns, the second by rows, with an AllReduce
/// of the sum in front of its bias; heads and look-up tables are split as well, with an AllReduce behind the look-up.
/// In front of the first product a Replicate, whose gradient is an AllReduce, marks what all devices hold alike (the
/// paper's f beside its g).
namespace tessera::model::zoo {

namespace {

/// Masks and positions that the scores of an attention take; empty ones are left out.
struct Attention {
    std::int64_t heads = 1;     ///< of all devices
    std::int64_t headSize = 1;  ///< features per head
    std::int64_t devices = 1;   ///< of the tensor-parallel group
    bool bias = true;
    bool fused = false;          ///< query, key and value are one product (self-attention)
    bool scaled = true;          ///< scores are divided by the square root of the head's size
    std::string mask = {};       ///< boolean, broadcast to the scores
    std::string positions = {};  ///< added to the scores
    std::string cosine = {};     ///< rotary positions of query and key
    std::string sine = {};
};

/// y = x W, split by columns: every device makes its part of the features.
std::string columnLinear(Network& net, const std::string& x, const std::string& layer, std::int64_t features,
                         std::int64_t devices, bool bias) {
    const std::string y = net.linear(x, layer, features / devices);
    return bias ? net.bias(y) : y;
}

/// y = x W, split by rows: every device has its part of x, sums are reduced over all.
std::string rowLinear(Network& net, const std::string& x, const std::string& layer, std::int64_t features,
                      std::int64_t devices, bool bias) {
    const std::string y = net.allReduce(net.linear(x, layer, features), devices);
    return bias ? net.bias(y) : y;
}

/// Rows of a vocabulary's table on one device: all where that is one, else padded like Megatron's to a multiple of 128
/// per device.
std::int64_t vocabularyRows(std::int64_t vocabulary, std::int64_t devices) {
    if (devices == 1) return vocabulary;
    constexpr std::int64_t kMultiple = 128;
    return (vocabulary + kMultiple * devices - 1) / (kMultiple * devices) * kMultiple;
}

/// batch x steps x features -> batch x heads x steps x size.
std::string heads(Network& net, const std::string& x, std::int64_t headSize) {
    const std::vector<std::int64_t>& shape = net.shape(x);
    return net.transpose(net.reshape(x, {shape[0], shape[1], shape[2] / headSize, headSize}), {0, 2, 1, 3});
}

/// x cos + (x turned by a quarter) sin, on the edge of the projection that made x.
std::string rotated(Network& net, const std::string& x, const Attention& options) {
    if (options.cosine.empty()) return x;
    const std::vector<std::string> halves = net.split(x, 2, -1);
    const std::string turned = net.concatenateOnEdge({net.unary("Neg", halves[1]), halves[0]}, -1);
    return net.combine("Add", net.combine("Mul", x, options.cosine), net.combine("Mul", turned, options.sine));
}

std::array<std::string, 3> projections(Network& net, const std::string& whole, const std::string& wholeMemory,
                                       const std::string& name, const Attention& options) {
    const std::int64_t width = options.heads * options.headSize;
    const std::string x = net.replicate(whole, options.devices);
    const std::string memory = wholeMemory == whole ? x : net.replicate(wholeMemory, options.devices);
    const auto project = [&](const std::string& from, const std::string& layer, std::int64_t features) {
        return columnLinear(net, from, name + layer, features, options.devices, options.bias);
    };
    if (!options.fused)
        return {project(x, ".query", width), project(memory, ".key", width), project(memory, ".value", width)};
    const std::vector<std::string> parts = net.split(project(x, ".qkv", 3 * width), 3, -1);
    return {parts[0], parts[1], parts[2]};
}

/// Multi-head attention of `x` to `memory` (`x` itself in self-attention) with its projections, as layers
/// "NAME.query", "NAME.scores" and so on.
std::string attentionOf(Network& net, const std::string& x, const std::string& memory, const std::string& name,
                        const Attention& options) {
    const auto [query, key, value] = projections(net, x, memory, name, options);
    const std::string q = rotated(net, heads(net, query, options.headSize), options);
    const std::string k = rotated(net, heads(net, key, options.headSize), options);
    std::string scores = net.product(q, net.transpose(k, {0, 1, 3, 2}), name + ".scores");
    if (options.scaled) scores = net.scale(scores, 1 / std::sqrt(static_cast<double>(options.headSize)));
    if (!options.positions.empty()) scores = net.combine("Add", scores, options.positions);
    if (!options.mask.empty()) scores = net.masked(scores, options.mask);
    const std::string mixed = net.product(net.softmax(scores), heads(net, value, options.headSize), name + ".context");
    const std::vector<std::int64_t> shape = net.shape(mixed);
    const std::string side = net.reshape(net.transpose(mixed, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
    return rowLinear(net, side, name + ".output", net.width(x), options.devices, options.bias);
}

/// Where the normalisations of a block stand.
enum class Norm : std::uint8_t {
    before,  ///< in front of the attention and feed-forward parts
    after,   ///< behind the sums
};

/// An encoder or decoder of equal blocks with learned positions, as BERT, GPT-2 and OPT have it.
struct Stack {
    std::int64_t layers, heads, hidden;
    std::int64_t headSize = hidden / heads;
    std::int64_t feedForward = 4 * hidden;
    std::int64_t vocabulary = 0;
    std::int64_t positions = 0;  ///< rows of the table of positions
    Norm norm = Norm::before;
    bool fused = true;
    const char* activation = "Gelu";
    std::int64_t embedding = hidden;  ///< width of the table, where it differs from the hidden one
    bool lastNorm = true;
};

/// A block of self-attention and a feed-forward part, each with a sum around it.
std::string stackBlock(Network& net, const std::string& x, const Stack& stack, const std::string& mask,
                       std::int64_t devices) {
    const bool before = stack.norm == Norm::before;
    const auto normed = [&](const std::string& y, bool here) { return here ? net.layerNorm(y) : y; };
    const Attention attention{
        .heads = stack.heads, .headSize = stack.headSize, .devices = devices, .fused = stack.fused, .mask = mask};
    const std::string read = normed(x, before);
    std::string y = net.add(x, attentionOf(net, read, read, "attention", attention), "attention.sum");
    y = normed(y, !before);
    const std::string wide = net.replicate(normed(y, before), devices);
    const std::string up = columnLinear(net, wide, "mlp.up", stack.feedForward, devices, true);
    const std::string down = rowLinear(net, net.unary(stack.activation, up), "mlp.down", stack.hidden, devices, true);
    return normed(net.add(y, down, "mlp.sum"), !before);
}

std::string blocks(Network& net, std::string x, const Stack& stack, const std::string& mask, std::int64_t devices) {
    for (std::int64_t i = 0; i < stack.layers; ++i) {
        net.block("block" + std::to_string(i));
        x = stackBlock(net, x, stack, mask, devices);
    }
    net.block("");
    return stack.lastNorm && stack.norm == Norm::before ? net.layerNorm(x) : x;
}

/// Looks the tokens up in a table split over the devices.
std::string tokens(Network& net, const std::string& ids, const std::string& table, std::int64_t devices) {
    return net.allReduce(net.lookUp(ids, "embedding", table), devices);
}

/// Adds the first rows of a table of positions.
std::string withPositions(Network& net, const std::string& x, std::int64_t rows) {
    const std::string table = net.stored("positions", {rows, net.width(x)});
    return net.combine("Add", x, net.pick(table, 0, net.shape(x).at(1)));
}

std::string causalMask(Network& net, std::int64_t sequence) {
    return net.constant("causal", DataType::boolean, {1, 1, sequence, sequence});
}

/// A decoder whose head shares the table of its embedding.
Graph decoder(Network net, const Stack& stack) {
    const std::int64_t sequence = net.dimension("sequence");
    const std::int64_t devices = net.dimension("tensor_parallel");
    const std::string ids = net.input("tokens", {sequence}, DataType::int64);
    const std::string table = net.stored("table", {vocabularyRows(stack.vocabulary, devices), stack.embedding});
    std::string x = tokens(net, ids, table, devices);
    if (stack.embedding != stack.hidden) x = net.linear(x, "embedding.in", stack.hidden);
    x = withPositions(net, x, stack.positions);
    x = blocks(net, x, stack, causalMask(net, sequence), devices);
    if (stack.embedding != stack.hidden) x = net.linear(x, "embedding.out", stack.embedding);
    const std::string output = net.tiedLinear(net.replicate(x, devices), "head", table);
    return std::move(net).finish(output);
}

/// An encoder of two segments, with a pooler on its first token.
Graph encoder(Network net, const Stack& stack) {
    const std::int64_t sequence = net.dimension("sequence");
    const std::int64_t devices = net.dimension("tensor_parallel");
    const std::string ids = net.input("tokens", {sequence}, DataType::int64);
    const std::string segments = net.input("segments", {sequence}, DataType::int64);
    const std::string mask = net.input("mask", {1, 1, sequence}, DataType::boolean);
    const std::string table = net.stored("table", {vocabularyRows(stack.vocabulary, devices), stack.hidden});
    const std::string words = withPositions(net, tokens(net, ids, table, devices), stack.positions);
    const std::string kinds = net.lookUp(segments, "segment", net.stored("segment.table", {2, stack.hidden}));
    std::string x = net.add(words, kinds, "embedding.sum");
    if (stack.norm == Norm::after) x = net.layerNorm(x);
    x = blocks(net, x, stack, mask, devices);
    const std::string output = net.unary("Tanh", net.fc(net.at(x, 1, 0), "pooler", stack.hidden));
    return std::move(net).finish(output);
}

}  // namespace

namespace {

TransformerSize sizeIn(const Network& net) {
    const std::int64_t heads = net.dimension("heads"), hidden = net.dimension("hidden");
    return {.layers = net.dimension("layers"),
            .heads = heads,
            .hidden = hidden,
            .positions = net.dimensionOr("positions", net.dimension("sequence")),
            .vocabulary = net.dimension("vocabulary"),
            .headSize = net.dimensionOr("head_size", hidden / heads),
            .feedForward = net.dimensionOr("ffn", 4 * hidden)};
}

Stack stackOf(const TransformerSize& size) {
    return {.layers = size.layers,
            .heads = size.heads,
            .hidden = size.hidden,
            .headSize = size.headSize,
            .feedForward = size.feedForward,
            .vocabulary = size.vocabulary,
            .positions = size.positions};
}

}  // namespace

Graph bert(Network net) {
    Stack stack = stackOf(sizeIn(net));
    stack.norm = Norm::after;
    stack.fused = false;
    return encoder(std::move(net), stack);
}

Graph megatronBert(Network net) {
    const Stack stack = stackOf(sizeIn(net));
    return encoder(std::move(net), stack);
}

Graph gpt(Network net, const TransformerSize& size) {
    return decoder(std::move(net), stackOf(size));
}

Graph gpt(Network net) {
    const TransformerSize size = sizeIn(net);
    return gpt(std::move(net), size);
}

Graph opt350m(Network net) {
    // Two rows of the table of positions stand before the first token.
    return decoder(std::move(net), {.layers = 24,
                                    .heads = 16,
                                    .hidden = 1024,
                                    .vocabulary = 50272,
                                    .positions = 2050,
                                    .norm = Norm::after,
                                    .fused = false,
                                    .activation = "Relu",
                                    .embedding = 512});
}

namespace {

/// Angles come from constants at run time, so that they are no stored values.
std::string rotation(Network& net, const char* function, std::int64_t sequence, std::int64_t size) {
    const std::string angles = net.constant(std::string(function) + ".angles", DataType::int64, {sequence, size});
    return net.unary(function, net.unary("Cast", angles, {{"to", std::int64_t{1}}}));
}

std::string gated(Network& net, const std::string& whole, std::int64_t width, std::int64_t devices) {
    const std::string x = net.replicate(whole, devices);
    const std::string gate = net.silu(columnLinear(net, x, "mlp.gate", width, devices, false));
    const std::string up = columnLinear(net, x, "mlp.up", width, devices, false);
    return rowLinear(net, net.multiply(gate, up, "mlp.product"), "mlp.down", net.width(x), devices, false);
}

}  // namespace

Graph llama(Network net) {
    const TransformerSize size = sizeIn(net);
    const std::int64_t sequence = net.dimension("sequence");
    const std::int64_t devices = net.dimension("tensor_parallel");
    const std::string ids = net.input("tokens", {sequence}, DataType::int64);
    const std::int64_t rows = vocabularyRows(size.vocabulary, devices);
    std::string x = tokens(net, ids, net.stored("table", {rows, size.hidden}), devices);
    const Attention attention{.heads = size.heads,
                              .headSize = size.headSize,
                              .devices = devices,
                              .bias = false,
                              .mask = causalMask(net, sequence),
                              .cosine = rotation(net, "Cos", sequence, size.headSize),
                              .sine = rotation(net, "Sin", sequence, size.headSize)};
    for (std::int64_t i = 0; i < size.layers; ++i) {
        net.block("block" + std::to_string(i));
        const std::string read = net.rmsNorm(x);
        x = net.add(x, attentionOf(net, read, read, "attention", attention), "attention.sum");
        x = net.add(x, gated(net, net.rmsNorm(x), size.feedForward, devices), "mlp.sum");
    }
    net.block("");
    const std::string output = net.linear(net.replicate(net.rmsNorm(x), devices), "head", rows);
    return std::move(net).finish(output);
}

Graph vitB16(Network net) {
    constexpr std::int64_t kHidden = 768, kPatch = 16, kSide = 224 / kPatch;
    const std::int64_t devices = net.dimension("tensor_parallel");
    const std::string image = net.input("input", {3, 224, 224});
    std::string x = net.conv(image, "patches", kHidden, {.kernel = kPatch, .stride = kPatch, .bias = true});
    x = net.transpose(net.reshape(x, {net.batch(), kHidden, kSide * kSide}), {0, 2, 1});
    x = net.withFirstStep(x, "class");
    x = net.combine("Add", x, net.stored("positions", {1, kSide * kSide + 1, kHidden}));
    x = blocks(net, x, {.layers = 12, .heads = 12, .hidden = kHidden}, "", devices);
    const std::string output = net.fc(net.at(x, 1, 0), "head", 1000);
    return std::move(net).finish(output);
}

namespace {

struct T5Size {
    std::int64_t layers, heads, hidden, feedForward;
};

/// The scores' offsets by distance: rows of a table of 32 ranges of distances, for all blocks of a side.
std::string distances(Network& net, const std::string& name, std::int64_t heads, std::int64_t sequence) {
    constexpr std::int64_t kRanges = 32;
    const std::string table = net.stored(name, {kRanges, heads});
    const std::string ranges = net.constant(name + ".ranges", DataType::int64, {sequence, sequence});
    const std::string offsets = net.lookUp(ranges, name + ".offsets", table);
    return net.reshape(net.transpose(offsets, {2, 0, 1}), {1, heads, sequence, sequence});
}

std::string t5FeedForward(Network& net, const std::string& x, const T5Size& size, std::int64_t devices) {
    const std::string up =
        columnLinear(net, net.replicate(net.rmsNorm(x), devices), "mlp.up", size.feedForward, devices, false);
    return net.add(x, rowLinear(net, net.relu(up), "mlp.down", size.hidden, devices, false), "mlp.sum");
}

std::string t5Self(Network& net, const std::string& x, const Attention& attention) {
    const std::string read = net.rmsNorm(x);
    return net.add(x, attentionOf(net, read, read, "self", attention), "self.sum");
}

}  // namespace

Graph t5(Network net, bool base) {
    const T5Size size = base ? T5Size{12, 12, 768, 3072} : T5Size{6, 8, 512, 2048};
    const std::int64_t source = net.dimension("sequence");
    const std::int64_t target = net.dimension("target");
    const std::int64_t devices = net.dimension("tensor_parallel");
    const std::string sourceIds = net.input("source", {source}, DataType::int64);
    const std::string targetIds = net.input("target", {target}, DataType::int64);
    const std::string table = net.stored("table", {vocabularyRows(32128, devices), size.hidden});
    const std::int64_t local = size.heads / devices;
    Attention attention{.heads = size.heads, .headSize = 64, .devices = devices, .bias = false, .scaled = false};
    attention.positions = distances(net, "encoder.distances", local, source);
    std::string memory = net.allReduce(net.lookUp(sourceIds, "source.embedding", table), devices);
    for (std::int64_t i = 0; i < size.layers; ++i) {
        net.block("encoder" + std::to_string(i));
        memory = t5FeedForward(net, t5Self(net, memory, attention), size, devices);
    }
    net.block("");
    memory = net.rmsNorm(memory);
    Attention causal = attention;
    causal.positions = distances(net, "decoder.distances", local, target);
    causal.mask = causalMask(net, target);
    attention.positions.clear();
    std::string x = net.allReduce(net.lookUp(targetIds, "target.embedding", table), devices);
    for (std::int64_t i = 0; i < size.layers; ++i) {
        net.block("decoder" + std::to_string(i));
        x = t5Self(net, x, causal);
        x = net.add(x, attentionOf(net, net.rmsNorm(x), memory, "cross", attention), "cross.sum");
        x = t5FeedForward(net, x, size, devices);
    }
    net.block("");
    x = net.scale(net.rmsNorm(x), 1 / std::sqrt(static_cast<double>(size.hidden)));
    const std::string output = net.tiedLinear(net.replicate(x, devices), "head", table);
    return std::move(net).finish(output);
}

namespace {

/// Moves every row one step further than the row before, so that column k of row i is distance k - i: a column of zeros
/// in front, read as rows one longer, without the first (Dai et al., appendix B). Here: Pad, Reshape, Slice, Reshape.
std::string shifted(Network& net, const std::string& x) {
    const std::vector<std::int64_t> shape = net.shape(x);
    const std::string padded = net.padded(x, 3);
    const std::string turned = net.reshape(padded, {shape[0], shape[1], shape[3] + 1, shape[2]});
    return net.reshape(net.withoutFirst(turned, 2), shape);
}

struct Recurrent {
    std::int64_t heads, headSize;
    std::string distances;                          ///< encodings of all distances: batch x keys x features
    std::string contentBias, distanceBias, causal;  ///< shared by all blocks
};

/// Scores of content and of distance, each with a bias of its own.
std::string recurrentAttention(Network& net, const std::string& x, const std::string& memory, const Recurrent& shared) {
    const std::int64_t width = shared.heads * shared.headSize;
    const std::string all = net.concatenate({memory, x}, 1, "attention.steps");
    const std::string query = net.linear(x, "attention.query", width);
    const std::string k = heads(net, net.linear(all, "attention.key", width), shared.headSize);
    const std::string v = heads(net, net.linear(all, "attention.value", width), shared.headSize);
    const std::string r = heads(net, net.linear(shared.distances, "attention.distance", width), shared.headSize);
    const auto biased = [&](const std::string& bias) {
        return heads(net, net.combine("Add", query, bias), shared.headSize);
    };
    const std::vector<std::int64_t> turned{0, 1, 3, 2};
    const std::string content =
        net.product(biased(shared.contentBias), net.transpose(k, turned), "attention.content_scores");
    const std::string distance =
        net.product(biased(shared.distanceBias), net.transpose(r, turned), "attention.distance_scores");
    std::string scores = net.add(content, shifted(net, distance), "attention.scores");
    scores = net.scale(scores, 1 / std::sqrt(static_cast<double>(shared.headSize)));
    const std::string mixed = net.product(net.softmax(net.masked(scores, shared.causal)), v, "attention.context");
    const std::string side = net.reshape(net.transpose(mixed, {0, 2, 1, 3}), {net.batch(), net.shape(x).at(1), width});
    return net.linear(side, "attention.output", net.width(x));
}

}  // namespace

Graph transformerXl(Network net) {
    constexpr std::int64_t kLayers = 12, kHeads = 8, kHidden = 512, kFeedForward = 2048, kVocabulary = 204;
    const std::int64_t sequence = net.dimension("sequence"), kept = net.dimension("memory"), keys = sequence + kept;
    const std::string ids = net.input("tokens", {sequence}, DataType::int64);
    const std::string table = net.stored("table", {kVocabulary, kHidden});
    const Recurrent shared{.heads = kHeads,
                           .headSize = kHidden / kHeads,
                           .distances = net.input("distances", {keys, kHidden}),
                           .contentBias = net.stored("content_bias", {kHidden}),
                           .distanceBias = net.stored("distance_bias", {kHidden}),
                           .causal = net.constant("causal", DataType::boolean, {1, 1, sequence, keys})};
    std::string x = net.scale(net.lookUp(ids, "embedding", table), std::sqrt(static_cast<double>(kHidden)));
    for (std::int64_t i = 0; i < kLayers; ++i) {
        const std::string memory = net.input("memory" + std::to_string(i), {kept, kHidden});
        net.block("block" + std::to_string(i));
        x = net.layerNorm(net.add(x, recurrentAttention(net, x, memory, shared), "attention.sum"));
        const std::string up = net.relu(columnLinear(net, x, "mlp.up", kFeedForward, 1, true));
        x = net.layerNorm(net.add(x, rowLinear(net, up, "mlp.down", kHidden, 1, true), "mlp.sum"));
    }
    net.block("");
    const std::string output = net.bias(net.tiedLinear(x, "head", table));
    return std::move(net).finish(output);
}

}  // namespace tessera::model::zoo
