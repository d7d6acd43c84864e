#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/model/zoo/families.h"
#include "core/model/zoo/network.h"
#include "core/model/zoo/transformer_blocks.h"

namespace tessera::model::zoo {

namespace {

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
    std::int64_t positions = 0;  ///< rows of the table of positions; 0: there is none
    Norm norm = Norm::before;
    bool fused = true;
    const char* activation = "Gelu";
    std::int64_t embedding = hidden;  ///< width of the table, where it differs from the hidden one
    bool lastNorm = true;
    std::int64_t keyHeads = heads;
    bool tied = true;        ///< the head shares the table
    bool distances = false;  ///< scores are biased by distance
    bool embeddingNorm = false;
};

/// What all blocks of a stack read.
struct Shared {
    std::string mask;
    std::string positions = {};  ///< added to the scores
    std::int64_t devices = 1;
};

/// A block of self-attention and a feed-forward part, each with a sum around it.
std::string stackBlock(Network& net, const std::string& x, const Stack& stack, const Shared& shared) {
    const std::int64_t devices = shared.devices;
    const bool before = stack.norm == Norm::before;
    const auto normed = [&](const std::string& y, bool here) { return here ? net.layerNorm(y) : y; };
    const Attention attention{.heads = stack.heads,
                              .headSize = stack.headSize,
                              .devices = devices,
                              .keyHeads = stack.keyHeads,
                              .fused = stack.fused,
                              .mask = shared.mask,
                              .positions = shared.positions};
    const std::string read = normed(x, before);
    std::string y = net.add(x, attentionOf(net, read, read, "attention", attention), "attention.sum");
    y = normed(y, !before);
    const std::string wide = net.replicate(normed(y, before), devices);
    const std::string up = columnLinear(net, wide, "mlp.up", stack.feedForward, devices, true);
    const std::string down = rowLinear(net, net.unary(stack.activation, up), "mlp.down", stack.hidden, devices, true);
    return normed(net.add(y, down, "mlp.sum"), !before);
}

std::string blocks(Network& net, std::string x, const Stack& stack, const Shared& shared) {
    for (std::int64_t i = 0; i < stack.layers; ++i) {
        net.block("block" + std::to_string(i));
        x = stackBlock(net, x, stack, shared);
    }
    net.block("");
    return stack.lastNorm && stack.norm == Norm::before ? net.layerNorm(x) : x;
}

/// Adds the first rows of a table of positions.
std::string withPositions(Network& net, const std::string& x, std::int64_t rows) {
    const std::string table = net.stored("positions", {rows, net.width(x)});
    return net.combine("Add", x, net.pick(table, 0, net.shape(x).at(1)));
}

/// Biases that grow with the distance of a key, with a slope of each head, from constants that are no stored values
/// (Press, Smith, Lewis: "Train Short, Test
/// Long: Attention with Linear Biases Enables Input Length Extrapolation", ICLR 2022).
std::string linearBiases(Network& net, std::int64_t heads, std::int64_t sequence) {
    const std::string distances = net.constant("distances", DataType::int64, {1, heads, 1, sequence});
    return net.unary("Cast", distances, {{"to", std::int64_t{1}}});
}

/// A decoder with a head over its vocabulary.
Graph decoder(Network net, const Stack& stack) {
    const std::int64_t sequence = net.dimension("sequence");
    const std::int64_t devices = net.dimension("tensor_parallel");
    const std::string ids = net.input("tokens", {sequence}, DataType::int64);
    const std::string table = net.stored("table", {vocabularyRows(stack.vocabulary, devices), stack.embedding});
    std::string x = tokens(net, ids, table, devices);
    if (stack.embedding != stack.hidden) x = net.linear(x, "embedding.in", stack.hidden);
    if (stack.positions > 0) x = withPositions(net, x, stack.positions);
    if (stack.embeddingNorm) x = net.layerNorm(x);
    Shared shared{.mask = causalMask(net, sequence), .devices = devices};
    if (stack.distances) shared.positions = linearBiases(net, stack.heads / devices, sequence);
    x = blocks(net, x, stack, shared);
    if (stack.embedding != stack.hidden) x = net.linear(x, "embedding.out", stack.embedding);
    x = net.replicate(x, devices);
    const std::string output =
        stack.tied ? net.tiedLinear(x, "head", table) : net.linear(x, "head", net.shape(table).front());
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
    x = blocks(net, x, stack, {.mask = mask, .devices = devices});
    const std::string output = net.unary("Tanh", net.fc(net.at(x, 1, 0), "pooler", stack.hidden));
    return std::move(net).finish(output);
}

}  // namespace

namespace {

Stack stackOf(const TransformerSize& size) {
    return {.layers = size.layers,
            .heads = size.heads,
            .hidden = size.hidden,
            .headSize = size.headSize,
            .feedForward = size.feedForward,
            .vocabulary = size.vocabulary,
            .positions = size.positions,
            .keyHeads = size.keyHeads,
            .tied = size.tied};
}

}  // namespace

Graph bert(Network net) {
    Stack stack = stackOf(sizeIn(net, true));
    stack.norm = Norm::after;
    stack.fused = false;
    return encoder(std::move(net), stack);
}

Graph megatronBert(Network net) {
    const Stack stack = stackOf(sizeIn(net, true));
    return encoder(std::move(net), stack);
}

Graph gpt(Network net, const TransformerSize& size) {
    return decoder(std::move(net), stackOf(size));
}

Graph gpt(Network net) {
    const TransformerSize size = sizeIn(net, true);
    return gpt(std::move(net), size);
}

Graph opt(Network net) {
    Stack stack = stackOf(sizeIn(net, true));
    stack.fused = false;
    stack.activation = "Relu";
    return decoder(std::move(net), stack);
}

Graph bloom(Network net) {
    Stack stack = stackOf(sizeIn(net, true));
    stack.distances = true;
    stack.embeddingNorm = true;
    return decoder(std::move(net), stack);
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

Graph vitB16(Network net) {
    constexpr std::int64_t kHidden = 768, kPatch = 16, kSide = 224 / kPatch;
    const std::int64_t devices = net.dimension("tensor_parallel");
    const std::string image = net.input("input", {3, 224, 224});
    std::string x = net.conv(image, "patches", kHidden, {.kernel = kPatch, .stride = kPatch, .bias = true});
    x = net.transpose(net.reshape(x, {net.batch(), kHidden, kSide * kSide}), {0, 2, 1});
    x = net.withFirstStep(x, "class");
    x = net.combine("Add", x, net.stored("positions", {1, kSide * kSide + 1, kHidden}));
    x = blocks(net, x, {.layers = 12, .heads = 12, .hidden = kHidden}, {.mask = "", .devices = devices});
    const std::string output = net.fc(net.at(x, 1, 0), "head", 1000);
    return std::move(net).finish(output);
}

namespace {

/// The scores' offsets by distance: rows of a table of 32 ranges of distances, for all blocks of a side.
std::string distances(Network& net, const std::string& name, std::int64_t heads, std::int64_t sequence) {
    constexpr std::int64_t kRanges = 32;
    const std::string table = net.stored(name, {kRanges, heads});
    const std::string ranges = net.constant(name + ".ranges", DataType::int64, {sequence, sequence});
    const std::string offsets = net.lookUp(ranges, name + ".offsets", table);
    return net.reshape(net.transpose(offsets, {2, 0, 1}), {1, heads, sequence, sequence});
}

std::string t5FeedForward(Network& net, const std::string& x, const TransformerSize& size, std::int64_t devices) {
    const std::string read = net.replicate(net.rmsNorm(x), devices);
    if (size.gated) {
        const GatedPart part{.name = "mlp", .width = size.feedForward, .devices = devices, .activation = "Gelu"};
        return net.add(x, net.allReduce(gatedPart(net, read, part), devices), "mlp.sum");
    }
    const std::string up = columnLinear(net, read, "mlp.up", size.feedForward, devices, false);
    return net.add(x, rowLinear(net, net.relu(up), "mlp.down", size.hidden, devices, false), "mlp.sum");
}

std::string t5Self(Network& net, const std::string& x, const Attention& attention) {
    const std::string read = net.rmsNorm(x);
    return net.add(x, attentionOf(net, read, read, "self", attention), "self.sum");
}

}  // namespace

Graph t5(Network net) {
    const TransformerSize size = sizeIn(net, true);
    const std::int64_t source = net.dimension("sequence");
    const std::int64_t target = net.dimension("target");
    const std::int64_t devices = net.dimension("tensor_parallel");
    const std::string sourceIds = net.input("source", {source}, DataType::int64);
    const std::string targetIds = net.input("target", {target}, DataType::int64);
    const std::int64_t rows = vocabularyRows(size.vocabulary, devices);
    const std::string table = net.stored("table", {rows, size.hidden});
    const std::int64_t local = size.heads / devices;
    Attention attention{
        .heads = size.heads, .headSize = size.headSize, .devices = devices, .bias = false, .scaled = false};
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
    x = net.rmsNorm(x);
    if (size.tied) x = net.scale(x, 1 / std::sqrt(static_cast<double>(size.hidden)));
    x = net.replicate(x, devices);
    const std::string output = size.tied ? net.tiedLinear(x, "head", table) : net.linear(x, "head", rows);
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
