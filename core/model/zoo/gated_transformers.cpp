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

std::string gated(Network& net, const std::string& x, std::int64_t width, std::int64_t devices) {
    return net.allReduce(gatedPart(net, net.replicate(x, devices), {.name = "mlp", .width = width, .devices = devices}),
                         devices);
}

/// Attention, its mask and its rotations of any of these decoders.
Attention attentionIn(Network& net, const TransformerSize& size) {
    const std::int64_t sequence = net.dimension("sequence");
    const bool latent = size.keyRank > 0;
    const Latent parts;
    const std::int64_t rotary = latent ? parts.rotary : size.headSize;
    return {.heads = size.heads,
            .headSize = latent ? parts.plain + parts.rotary : size.headSize,
            .devices = net.dimension("tensor_parallel"),
            .keyHeads = size.keyHeads,
            .bias = false,
            .headNorm = size.headNorms ? rootMeanSquareNorm : nullptr,
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
    const Latent latent{.queryRank = size.queryRank, .keyRank = size.keyRank};
    const Experts experts{.count = size.experts,
                          .perToken = size.expertsPerToken,
                          .width = size.expertFfn,
                          .sharedWidth = size.sharedExperts * size.expertFfn,
                          .devices = devices};
    for (std::int64_t i = 0; i < size.layers; ++i) {
        net.block("block" + std::to_string(i));
        const std::string read = net.rmsNorm(x);
        const std::string seen = size.keyRank > 0 ? latentAttentionOf(net, read, latent, attention)
                                                  : attentionOf(net, read, read, "attention", attention);
        x = net.add(x, seen, "attention.sum");
        const bool hasExperts = size.experts > 0 && i >= size.denseLayers;
        const std::string normed = net.rmsNorm(x);
        x = net.add(x, hasExperts ? mixtureOf(net, normed, experts) : gated(net, normed, size.feedForward, devices),
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
