#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/zoo/families.h"
#include "core/model/zoo/network.h"
#include "core/model/zoo/transformer_blocks.h"

/// Decoders in the order of Llama: normalisations in front, rotary positions, gated feed-forward parts, no biases.
namespace tessera::model::zoo {

namespace {

/// Angles come from constants at run time, so that they are no stored values.
std::string rotation(Network& net, const char* function, std::int64_t sequence, std::int64_t size) {
    const std::string angles = net.constant(std::string(function) + ".angles", DataType::int64, {sequence, size});
    return net.unary(function, net.unary("Cast", angles, {{"to", std::int64_t{1}}}));
}

/// What a gated part makes on one device, before the sum over all.
std::string gatedPart(Network& net, const std::string& x, const std::string& name, std::int64_t width,
                      std::int64_t devices) {
    const std::string gate = net.silu(columnLinear(net, x, name + ".gate", width, devices, false));
    const std::string up = columnLinear(net, x, name + ".up", width, devices, false);
    return net.linear(net.multiply(gate, up, name + ".product"), name + ".down", net.width(x));
}

std::string gated(Network& net, const std::string& x, std::int64_t width, std::int64_t devices) {
    return net.allReduce(gatedPart(net, net.replicate(x, devices), "mlp", width, devices), devices);
}

// Mixtures of experts -------------------------------------------------------------------------------------------------

/// Where the pairs of a token and one of its experts stand: sorted by expert, in as many rows for each expert as it
/// gets of tokens that are spread evenly, rounded up for every sample.
struct Routing {
    std::string weights;    ///< of a token's experts: batch x steps x experts per token
    std::string tokens;     ///< by row of the experts, the token
    std::string places;     ///< by pair, its row
    std::int64_t rows = 0;  ///< of an expert
};

/// A layer's router: the largest scores of a token weigh its experts by their softmax.
Routing routed(Network& net, const std::string& x, const TransformerSize& size) {
    const std::int64_t batch = net.shape(x).at(0), pairs = net.shape(x).at(1) * size.expertsPerToken;
    const auto [scores, experts] = net.largest(net.linear(x, "mlp.router", size.experts), size.expertsPerToken);
    Routing routing{.weights = net.softmax(scores), .tokens = {}, .places = {}};
    routing.rows = batch * ((pairs + size.experts - 1) / size.experts);
    const std::string order = net.sortedOrder(net.reshape(experts, {batch * pairs}));
    routing.tokens = net.quotient(order, size.expertsPerToken);
    const std::int64_t empty = routing.rows * size.experts - batch * pairs;
    if (empty > 0) routing.tokens = net.extended(routing.tokens, empty);
    routing.places = net.sortedOrder(order);
    return routing;
}

/// The gated parts of all experts as products of as many matrices.
std::string expertParts(Network& net, const std::string& x, std::int64_t width) {
    const std::string gate = net.silu(net.linearOfEach(x, "mlp.experts.gate", width));
    const std::string up = net.linearOfEach(x, "mlp.experts.up", width);
    return net.linearOfEach(net.multiply(gate, up, "mlp.experts.product"), "mlp.experts.down", net.width(x));
}

/// Tokens go to their experts and come back, weighted and summed (Shazeer et al.: "Outrageously Large Neural Networks:
/// The Sparsely-Gated Mixture-of-Experts Layer", ICLR 2017); shared experts are one part of their width together.
std::string mixed(Network& net, const std::string& whole, const TransformerSize& size, std::int64_t devices) {
    const std::vector<std::int64_t> shape = net.shape(whole);
    const std::int64_t batch = shape[0], steps = shape[1], hidden = shape[2], each = size.expertsPerToken;
    const Routing routing = routed(net, whole, size);
    const std::string x = net.replicate(whole, devices);
    const std::string sent = net.rowsOf(net.reshape(x, {batch * steps, hidden}), routing.tokens, "mlp.dispatch");
    const std::string sorted = net.reshape(sent, {size.experts, routing.rows, hidden});
    const std::string made = expertParts(net, sorted, size.expertFfn / devices);
    const std::string rows = net.reshape(made, {size.experts * routing.rows, hidden});
    const std::string back = net.reshape(net.rowsOf(rows, routing.places, "mlp.return"), {batch, steps, each, hidden});
    const std::string weights = net.reshape(net.replicate(routing.weights, devices), {batch, steps, each, 1});
    std::string y = net.sum(net.multiply(back, weights, "mlp.combine"), 2);
    if (size.sharedExperts > 0) {
        const std::string shared = gatedPart(net, x, "mlp.shared", size.sharedExperts * size.expertFfn, devices);
        y = net.add(y, shared, "mlp.all");
    }
    return net.allReduce(y, devices);
}

// Latent attention ----------------------------------------------------------------------------------------------------

/// Parts of a head in latent attention: DeepSeek-AI: "DeepSeek-V3 Technical Report", arXiv:2412.19437, section 4.2.
constexpr std::int64_t kRotarySize = 64, kPlainSize = 128, kValueSize = 128;

/// Queries, keys and values are products of vectors of low rank, and all heads share the part of the keys that has
/// positions (DeepSeek-AI: "DeepSeek-V2", arXiv:2405.04434, section 2.1).
std::string latentAttention(Network& net, const std::string& x, const TransformerSize& size, const Attention& options) {
    const std::int64_t devices = options.devices, batch = net.shape(x).at(0), steps = net.shape(x).at(1);
    const std::string query = net.rmsNorm(net.linear(x, "attention.query.down", size.queryRank));
    const std::string queries = columnLinear(net, net.replicate(query, devices), "attention.query.up",
                                             size.heads * options.headSize, devices, false);
    const std::vector<std::string> ofQuery =
        net.splitInto(heads(net, queries, options.headSize), {kPlainSize, kRotarySize}, -1);
    const std::string turned = rotated(net, ofQuery[1], options.cosine, options.sine);
    const std::string q = net.concatenateOnEdge({ofQuery[0], turned}, -1);
    const std::vector<std::string> low =
        net.splitInto(net.linear(x, "attention.key.down", size.keyRank + kRotarySize), {size.keyRank, kRotarySize}, -1);
    const std::string position =
        rotated(net, heads(net, net.replicate(low[1], devices), kRotarySize), options.cosine, options.sine);
    const std::string latent = net.replicate(net.rmsNorm(low[0]), devices);
    const std::string up =
        columnLinear(net, latent, "attention.key.up", size.heads * (kPlainSize + kValueSize), devices, false);
    const std::vector<std::string> ofKey =
        net.splitInto(heads(net, up, kPlainSize + kValueSize), {kPlainSize, kValueSize}, -1);
    const std::string everyHead = net.expand(position, {batch, size.heads / devices, steps, kRotarySize});
    const std::string k = net.concatenate({ofKey[0], everyHead}, 3, "attention.keys");
    const std::string scores = scoresOf(net, q, k, "attention", options);
    const std::string values = net.product(net.softmax(scores), ofKey[1], "attention.context");
    return rowLinear(net, sideBySide(net, values), "attention.output", net.width(x), devices, false);
}

/// Attention, its mask and its rotations of any of these decoders.
Attention attentionIn(Network& net, const TransformerSize& size) {
    const std::int64_t sequence = net.dimension("sequence");
    const bool latent = size.keyRank > 0;
    const std::int64_t rotary = latent ? kRotarySize : size.headSize;
    return {.heads = size.heads,
            .headSize = latent ? kPlainSize + kRotarySize : size.headSize,
            .devices = net.dimension("tensor_parallel"),
            .keyHeads = size.keyHeads,
            .bias = false,
            .normed = size.headNorms,
            .mask = causalMask(net, sequence),
            .cosine = rotation(net, "Cos", sequence, rotary),
            .sine = rotation(net, "Sin", sequence, rotary)};
}

Graph gatedDecoder(Network net, const TransformerSize& size) {
    const std::int64_t devices = net.dimension("tensor_parallel");
    const std::string ids = net.input("tokens", {net.dimension("sequence")}, DataType::int64);
    const std::int64_t rows = vocabularyRows(size.vocabulary, devices);
    const std::string table = net.stored("table", {rows, size.hidden});
    std::string x = tokens(net, ids, table, devices);
    const Attention attention = attentionIn(net, size);
    for (std::int64_t i = 0; i < size.layers; ++i) {
        net.block("block" + std::to_string(i));
        const std::string read = net.rmsNorm(x);
        const std::string seen = size.keyRank > 0 ? latentAttention(net, read, size, attention)
                                                  : attentionOf(net, read, read, "attention", attention);
        x = net.add(x, seen, "attention.sum");
        const bool hasExperts = size.experts > 0 && i >= size.denseLayers;
        const std::string normed = net.rmsNorm(x);
        x = net.add(x, hasExperts ? mixed(net, normed, size, devices) : gated(net, normed, size.feedForward, devices),
                    "mlp.sum");
    }
    net.block("");
    x = net.replicate(net.rmsNorm(x), devices);
    const std::string output = size.tied ? net.tiedLinear(x, "head", table) : net.linear(x, "head", rows);
    return std::move(net).finish(output);
}

TransformerSize rotarySizeIn(const Network& net) {
    TransformerSize size = sizeIn(net, false);
    size.positions = 0;
    if (size.headSize % 2 != 0)
        throw UsageError(
            fmt::format("the dimension 'head_size' of '{}' is {}; expected an even number, for positions "
                        "turn its halves",
                        net.file(), size.headSize));
    return size;
}

}  // namespace

Graph llama(Network net) {
    const TransformerSize size = rotarySizeIn(net);
    return gatedDecoder(std::move(net), size);
}

Graph mixture(Network net) {
    const TransformerSize size = rotarySizeIn(net);
    return gatedDecoder(std::move(net), size);
}

}  // namespace tessera::model::zoo
