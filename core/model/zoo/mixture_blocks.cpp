#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/model/zoo/transformer_blocks.h"

/// Parts of decoders that have gates, experts or latent attention.
namespace tessera::model::zoo {

std::string gatedPart(Network& net, const std::string& x, const GatedPart& part) {
    const std::string made = columnLinear(net, x, part.name + ".gate", part.width, part.devices, part.bias);
    const std::string gate = part.activation == nullptr ? net.silu(made) : net.unary(part.activation, made);
    const std::string up = columnLinear(net, x, part.name + ".up", part.width, part.devices, part.bias);
    return net.linear(net.multiply(gate, up, part.name + ".product"), part.name + ".down", net.width(x));
}

namespace {

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
Routing routed(Network& net, const std::string& x, const Experts& size) {
    const std::int64_t batch = net.shape(x).at(0), pairs = net.shape(x).at(1) * size.perToken;
    std::string all = net.linear(x, "mlp.router", size.count);
    for (int i = 0; i < size.routerBiases; ++i) all = net.bias(all);
    const auto [scores, experts] = net.largest(all, size.perToken);
    Routing routing{.weights = net.softmax(scores), .tokens = {}, .places = {}};
    routing.rows = batch * ((pairs + size.count - 1) / size.count);
    const std::string order = net.sortedOrder(net.reshape(experts, {batch * pairs}));
    routing.tokens = net.quotient(order, size.perToken);
    const std::int64_t empty = routing.rows * size.count - batch * pairs;
    if (empty > 0) routing.tokens = net.extended(routing.tokens, empty);
    routing.places = net.sortedOrder(order);
    return routing;
}

/// A product of each expert's matrix, with a bias of each where they have one.
std::string expertLinear(Network& net, const std::string& x, const std::string& layer, std::int64_t width, bool bias) {
    const std::string y = net.linearOfEach(x, layer, width);
    return bias ? net.combine("Add", y, net.stored(layer + ".bias", {net.shape(x).front(), 1, width})) : y;
}

/// The gated parts of all experts as products of as many matrices.
std::string expertParts(Network& net, const std::string& x, const Experts& size) {
    const std::int64_t width = size.width / size.devices;
    const std::string made = expertLinear(net, x, "mlp.experts.gate", width, size.bias);
    const std::string gate = size.activation == nullptr ? net.silu(made) : net.unary(size.activation, made);
    const std::string up = expertLinear(net, x, "mlp.experts.up", width, size.bias);
    const std::string product = net.multiply(gate, up, "mlp.experts.product");
    return expertLinear(net, product, "mlp.experts.down", net.width(x), size.bias);
}

/// The part that every token meets, weighted by a gate of its own where it has one.
std::string sharedPart(Network& net, const std::string& x, const Experts& size) {
    const std::string y = gatedPart(net, x, {.name = "mlp.shared", .width = size.sharedWidth, .devices = size.devices});
    if (!size.sharedGate) return y;
    const std::string weight = net.unary("Sigmoid", net.linear(x, "mlp.shared.weight", 1));
    return net.multiply(y, weight, "mlp.shared.weighted");
}

}  // namespace

std::string mixtureOf(Network& net, const std::string& whole, const Experts& size) {
    const std::vector<std::int64_t> shape = net.shape(whole);
    const std::int64_t batch = shape[0], steps = shape[1], hidden = shape[2], each = size.perToken;
    const Routing routing = routed(net, whole, size);
    const std::string x = net.replicate(whole, size.devices);
    const std::string sent = net.rowsOf(net.reshape(x, {batch * steps, hidden}), routing.tokens, "mlp.dispatch");
    const std::string sorted = net.reshape(sent, {size.count, routing.rows, hidden});
    const std::string made = expertParts(net, sorted, size);
    const std::string rows = net.reshape(made, {size.count * routing.rows, hidden});
    const std::string back = net.reshape(net.rowsOf(rows, routing.places, "mlp.return"), {batch, steps, each, hidden});
    const std::string weights = net.reshape(net.replicate(routing.weights, size.devices), {batch, steps, each, 1});
    std::string y = net.sum(net.multiply(back, weights, "mlp.combine"), 2);
    if (size.sharedWidth > 0) y = net.add(y, sharedPart(net, x, size), "mlp.all");
    return net.allReduce(y, size.devices);
}

// Latent attention ----------------------------------------------------------------------------------------------------

namespace {

std::string latentLinear(Network& net, const std::string& x, const std::string& layer, std::int64_t width, bool bias) {
    return columnLinear(net, x, layer, width, 1, bias);
}

/// Queries of all heads, by a vector of low rank where they have one.
std::string latentQueries(Network& net, const std::string& x, const Latent& latent, const Attention& options) {
    const std::int64_t devices = options.devices, width = options.heads * options.headSize;
    if (latent.queryRank == 0)
        return columnLinear(net, net.replicate(x, devices), "attention.query", width, devices, false);
    const std::string query = net.rmsNorm(latentLinear(net, x, "attention.query.down", latent.queryRank, latent.bias));
    return columnLinear(net, net.replicate(query, devices), "attention.query.up", width, devices, false);
}

/// Keys and values of all heads.
std::pair<std::string, std::string> latentKeys(Network& net, const std::string& x, const Latent& latent,
                                               const Attention& options) {
    const std::int64_t devices = options.devices, batch = net.shape(x).at(0), steps = net.shape(x).at(1);
    const std::string down = latentLinear(net, x, "attention.key.down", latent.keyRank + latent.rotary, latent.bias);
    const std::vector<std::string> low = net.splitInto(down, {latent.keyRank, latent.rotary}, -1);
    const std::string position =
        rotated(net, heads(net, net.replicate(low[1], devices), latent.rotary), options.cosine, options.sine);
    const std::string vector = net.replicate(net.rmsNorm(low[0]), devices);
    const std::int64_t each = latent.plain + latent.value;
    const std::string up = columnLinear(net, vector, "attention.key.up", options.heads * each, devices, false);
    const std::vector<std::string> ofKey = net.splitInto(heads(net, up, each), {latent.plain, latent.value}, -1);
    const std::string everyHead = net.expand(position, {batch, options.heads / devices, steps, latent.rotary});
    return {net.concatenate({ofKey[0], everyHead}, 3, "attention.keys"), ofKey[1]};
}

}  // namespace

std::string latentAttentionOf(Network& net, const std::string& x, const Latent& latent, const Attention& options) {
    const std::string queries = latentQueries(net, x, latent, options);
    const std::vector<std::string> ofQuery =
        net.splitInto(heads(net, queries, options.headSize), {latent.plain, latent.rotary}, -1);
    const std::string turned = rotated(net, ofQuery[1], options.cosine, options.sine);
    const std::string q = net.concatenateOnEdge({ofQuery[0], turned}, -1);
    const auto [k, v] = latentKeys(net, x, latent, options);
    const std::string scores = scoresOf(net, q, k, "attention", options);
    const std::string values = net.product(net.softmax(scores), v, "attention.context");
    return rowLinear(net, sideBySide(net, values), "attention.output", net.width(x), options.devices, latent.bias);
}

// Linear attention ----------------------------------------------------------------------------------------------------

namespace {

/// Tokens of a block: the most that divide the sequence, up to those of the published kernels.
std::int64_t blockOf(std::int64_t sequence) {
    constexpr std::int64_t kBlock = 256;
    std::int64_t block = std::min(kBlock, sequence);
    while (sequence % block != 0) --block;
    return block;
}

/// What tokens take from the blocks before theirs. `q`, `k` and `v` have an axis of blocks.
std::string betweenBlocks(Network& net, const std::string& q, const std::string& k, const std::string& v) {
    const std::string turned = net.transpose(k, {0, 1, 2, 4, 3});
    const std::string own = net.product(turned, v, "attention.states");
    return net.product(q, net.runningSum(own, 2), "attention.between");
}

}  // namespace

std::string linearAttentionOf(Network& net, const std::string& x, std::int64_t heads, std::int64_t headSize) {
    const std::vector<std::int64_t> shape = net.shape(x);
    const std::int64_t width = heads * headSize, block = blockOf(shape[1]);
    const std::vector<std::int64_t> blocks{shape[0], heads, shape[1] / block, block, headSize};
    const std::vector<std::string> parts = net.split(net.silu(net.linear(x, "attention.qkv", 3 * width)), 3, -1);
    const auto inBlocks = [&](const std::string& part) { return net.reshape(zoo::heads(net, part, headSize), blocks); };
    const std::string q = inBlocks(parts[0]), k = inBlocks(parts[1]), v = inBlocks(parts[2]);
    // Made at run time, so that it is no stored value.
    const std::string decay = net.unary("Cast", net.constant("decay", DataType::int64, {1, heads, 1, block, block}),
                                        {{"to", std::int64_t{1}}});
    const std::string scores = net.product(q, net.transpose(k, {0, 1, 2, 4, 3}), "attention.scores");
    const std::string inside = net.product(net.combine("Mul", scores, decay), v, "attention.context");
    const std::string all = net.add(inside, betweenBlocks(net, q, k, v), "attention.all");
    const std::string mixed = sideBySide(net, net.reshape(all, {shape[0], heads, shape[1], headSize}));
    const std::string gate = net.unary("Sigmoid", net.linear(x, "attention.gate", width));
    const std::string gated = net.multiply(net.rmsNorm(mixed), gate, "attention.gated");
    return net.linear(gated, "attention.output", shape[2]);
}

}  // namespace tessera::model::zoo
