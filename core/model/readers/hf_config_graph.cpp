#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/model/readers/hf_config_parts.h"
#include "core/model/zoo/network.h"
#include "core/model/zoo/transformer_blocks.h"

/// Graphs of the transformers that a config.json describes, of the blocks of the zoo.
namespace tessera::model {

namespace {

std::string layerNormalized(zoo::Network& net, const std::string& x) {
    return net.layerNorm(x);
}

std::string scaledNormalized(zoo::Network& net, const std::string& x) {
    return net.scaledLayerNorm(x);
}

std::string plainNormalized(zoo::Network& net, const std::string& x) {
    return net.plainLayerNorm(x);
}

zoo::Norming normingOf(ConfigNorm norm) {
    switch (norm) {
        case ConfigNorm::rootMeanSquare:
            return zoo::rootMeanSquareNorm;
        case ConfigNorm::layer:
            return layerNormalized;
        case ConfigNorm::layerWithoutBias:
            return scaledNormalized;
        case ConfigNorm::layerPlain:
            break;
    }
    return plainNormalized;
}

/// Writes a model's blocks one behind the other.
class ConfigGraphBuilder {
public:
    ConfigGraphBuilder(const ConfigTransformer& config, zoo::Network net, std::int64_t sequence)
        : c_(config), net_(std::move(net)), sequence_(sequence), norm_(normingOf(config.norm)) {}

    Graph build() && {
        switch (c_.kind) {
            case ConfigKind::decoder:
                return std::move(net_).finish(decoder());
            case ConfigKind::encoder:
                return std::move(net_).finish(encoder());
            case ConfigKind::encoderDecoder:
                return std::move(net_).finish(bothSides());
            case ConfigKind::vision:
                break;
        }
        return std::move(net_).finish(vision());
    }

private:
    std::string normed(const std::string& x) { return norm_(net_, x); }

    /// Angles come from constants at run time, so that they are no stored values.
    std::string angles(const char* function, std::int64_t size) {
        const std::string numbers =
            net_.constant(std::string(function) + ".angles", DataType::int64, {sequence_, size});
        return net_.unary(function, net_.unary("Cast", numbers, {{"to", std::int64_t{1}}}));
    }

    /// Offsets by distance, with a slope of each head.
    std::string slopes() {
        std::vector<std::int64_t> shape{1, c_.heads, 1, sequence_};
        if (c_.keyHeads != c_.heads) shape = {1, c_.keyHeads, c_.heads / c_.keyHeads, 1, sequence_};
        return net_.unary("Cast", net_.constant("distances", DataType::int64, shape), {{"to", std::int64_t{1}}});
    }

    void prepareAttention() {
        attention_ = {.heads = c_.heads,
                      .headSize = c_.headSize,
                      .keyHeads = c_.keyHeads,
                      .bias = c_.qkvBias,
                      .outputBias = c_.outputBias,
                      .sinks = c_.sinks};
        if (c_.headNorm == ConfigHeadNorm::ofEveryHead) attention_.headNorm = norm_;
        if (c_.headNorm == ConfigHeadNorm::overAllHeads)
            attention_.wholeNorm = c_.norm == ConfigNorm::rootMeanSquare ? zoo::rootMeanSquareNorm : scaledNormalized;
        const std::int64_t rotary = c_.latent ? c_.latent->rotary : c_.headSize;
        if (c_.positions == ConfigPositions::rotary && rotary % 2 == 0) {
            attention_.cosine = angles("Cos", rotary);
            attention_.sine = angles("Sin", rotary);
        }
        if (c_.positions == ConfigPositions::distances) attention_.positions = slopes();
    }

    zoo::Latent latent() const {
        const ConfigLatent& given = *c_.latent;
        return {.queryRank = given.queryRank,
                .keyRank = given.keyRank,
                .rotary = given.rotary,
                .plain = given.plain,
                .value = given.value,
                .bias = given.bias};
    }

    std::string attend(const std::string& x, std::int64_t layer) {
        if (c_.linearAt.contains(layer)) return zoo::linearAttentionOf(net_, x, c_.heads, c_.headSize);
        return c_.latent ? zoo::latentAttentionOf(net_, x, latent(), attention_)
                         : zoo::attentionOf(net_, x, x, "attention", attention_);
    }

    std::string activated(const std::string& x) {
        const std::string y = c_.activation == nullptr ? net_.silu(x) : net_.unary(c_.activation, x);
        return c_.squared ? net_.combine("Mul", y, y) : y;
    }

    std::string gatedPart(const std::string& x, const char* name, std::int64_t width) {
        const std::string y =
            zoo::gatedPart(net_, x, {.name = name, .width = width, .bias = c_.mlpBias, .activation = c_.activation});
        return c_.mlpBias ? net_.bias(y) : y;
    }

    std::string feedForward(const std::string& x) {
        if (c_.gated) return gatedPart(x, "mlp", c_.ffn);
        const std::string up = activated(zoo::columnLinear(net_, x, "mlp.up", c_.ffn, 1, c_.mlpBias));
        return zoo::rowLinear(net_, up, "mlp.down", c_.hidden, 1, c_.mlpBias);
    }

    bool hasExperts(std::int64_t layer) const { return c_.experts.count > 0 && !c_.experts.denseAt.contains(layer); }

    std::string part(const std::string& x, std::int64_t layer) {
        const ConfigExperts& experts = c_.experts;
        if (!hasExperts(layer)) return feedForward(x);
        return zoo::mixtureOf(net_, x,
                              {.count = experts.count,
                               .perToken = experts.perToken,
                               .width = experts.ffn,
                               .sharedWidth = experts.sharedFfn,
                               .bias = experts.bias,
                               .activation = experts.activation,
                               .routerBiases = (experts.routerBias ? 1 : 0) + (experts.correctionBias ? 1 : 0),
                               .sharedGate = experts.sharedGate});
    }

    std::string parallelBlock(const std::string& x, std::int64_t layer) {
        const std::string read = normed(x);
        const std::string seen = net_.add(x, attend(read, layer), "attention.sum");
        const std::string wide = c_.order == ConfigOrder::parallel ? read : normed(x);
        return net_.add(seen, part(wide, layer), "mlp.sum");
    }

    /// A dense part follows attention, and experts read what attention has read.
    std::string residualBlock(const std::string& x, std::int64_t layer) {
        const std::string seen = net_.add(x, attend(normed(x), layer), "attention.sum");
        const std::string dense = gatedPart(normed(seen), "residual", c_.experts.residualFfn);
        return net_.add(net_.add(seen, dense, "residual.sum"), part(normed(x), layer), "mlp.sum");
    }

    std::string block(const std::string& x, std::int64_t layer) {
        if (c_.experts.residualFfn > 0 && hasExperts(layer)) return residualBlock(x, layer);
        if (c_.order == ConfigOrder::parallel || c_.order == ConfigOrder::parallelOfEachPart)
            return parallelBlock(x, layer);
        const bool around = c_.order == ConfigOrder::around;
        const bool before = around || c_.order == ConfigOrder::before;
        const bool behind = around || c_.order == ConfigOrder::behindParts;
        const bool last = c_.order == ConfigOrder::behindSums;
        const auto normedIf = [&](bool here, const std::string& y) { return here ? normed(y) : y; };
        const std::string seen = normedIf(behind, attend(normedIf(before, x), layer));
        const std::string y = normedIf(last, net_.add(x, seen, "attention.sum"));
        const std::string made = normedIf(behind, part(normedIf(before, y), layer));
        return normedIf(last, net_.add(y, made, "mlp.sum"));
    }

    std::string blocks(std::string x) {
        for (std::int64_t i = 0; i < c_.layers; ++i) {
            net_.block("block" + std::to_string(i));
            x = block(x, i);
        }
        net_.block("");
        return c_.finalNorm ? normed(x) : x;
    }

    std::string withPositions(const std::string& x) {
        if (c_.positionRows == 0) return x;
        const std::string rows = net_.stored("positions", {c_.positionRows, net_.width(x)});
        return net_.combine("Add", x, net_.pick(rows, 0, sequence_));
    }

    std::string overVocabulary(const std::string& x, const std::string& table) {
        if (!c_.head) return x;
        const std::string y = c_.tied ? net_.tiedLinear(x, "head", table) : net_.linear(x, "head", c_.vocabulary);
        return c_.headBias ? net_.bias(y) : y;
    }

    /// Labels of tokens, or of a sample by the last of them; x itself where there are none.
    std::string labelled(const std::string& x) {
        if (c_.labels.count == 0) return x;
        std::string y = net_.linear(x, "labels", c_.labels.count);
        if (c_.labels.bias) y = net_.bias(y);
        return c_.labels.ofTokens ? y : net_.at(y, 1, sequence_ - 1);
    }

    /// Labels of a vector of every sample.
    std::string labelledSample(const std::string& x) {
        const std::string y = c_.labels.dense ? net_.unary("Tanh", net_.fc(x, "labels.dense", net_.width(x))) : x;
        return net_.fc(y, "labels", c_.labels.count);
    }

    std::string decoder() {
        const std::int64_t width = c_.embedding > 0 ? c_.embedding : c_.hidden;
        const std::string ids = net_.input("tokens", {sequence_}, DataType::int64);
        const std::string table = net_.stored("table", {c_.vocabulary, width});
        std::string x = net_.lookUp(ids, "embedding", table);
        if (width != c_.hidden) x = net_.linear(x, "embedding.in", c_.hidden);
        x = withPositions(x);
        if (c_.embeddingNorm) x = normed(x);
        prepareAttention();
        attention_.mask = zoo::causalMask(net_, sequence_);
        x = blocks(x);
        if (width != c_.hidden) x = net_.linear(x, "embedding.out", width);
        return c_.labels.count > 0 ? labelled(x) : overVocabulary(x, table);
    }

    std::string encoder() {
        const std::string ids = net_.input("tokens", {sequence_}, DataType::int64);
        const std::string segments =
            c_.segments > 0 ? net_.input("segments", {sequence_}, DataType::int64) : std::string();
        const std::string mask = net_.input("mask", {1, 1, sequence_}, DataType::boolean);
        const std::string table = net_.stored("table", {c_.vocabulary, c_.hidden});
        std::string words = withPositions(net_.lookUp(ids, "embedding", table));
        if (c_.segments > 0) {
            const std::string kinds =
                net_.lookUp(segments, "segment", net_.stored("segment.table", {c_.segments, c_.hidden}));
            words = net_.add(words, kinds, "embedding.sum");
        }
        prepareAttention();
        attention_.mask = mask;
        return encoderHead(blocks(normed(words)), table);
    }

    std::string encoderHead(const std::string& x, const std::string& table) {
        if (c_.labels.ofTokens) return labelled(x);
        const std::string read = c_.transform ? normed(net_.unary("Gelu", transformed(x))) : x;
        if (!c_.pooler && c_.labels.count == 0) return overVocabulary(read, table);
        std::string pooled = net_.at(x, 1, 0);
        if (c_.pooler) pooled = net_.unary("Tanh", net_.fc(pooled, "pooler", c_.hidden));
        if (c_.labels.count > 0) return labelledSample(pooled);
        return c_.nextSentence ? withNextSentence(overVocabulary(read, table), pooled) : pooled;
    }

    std::string transformed(const std::string& x) { return net_.bias(net_.linear(x, "transform", c_.hidden)); }

    /// Both heads end in one output, for a graph has one.
    std::string withNextSentence(const std::string& words, const std::string& pooled) {
        const std::string next = net_.fc(pooled, "next_sentence", 2);
        const std::vector<std::int64_t> all{net_.batch(), sequence_ * c_.vocabulary};
        return net_.concatenate({net_.reshape(words, all), next}, 1, "heads");
    }

    // An encoder and a decoder ----------------------------------------------------------------------------------------

    /// Offsets of scores by distance, which all blocks of a side share.
    std::string offsets(const std::string& name) {
        const std::string table = net_.stored(name, {c_.ranges, c_.heads});
        const std::string ranges = net_.constant(name + ".ranges", DataType::int64, {sequence_, sequence_});
        const std::string rows = net_.lookUp(ranges, name + ".offsets", table);
        return net_.reshape(net_.transpose(rows, {2, 0, 1}), {1, c_.heads, sequence_, sequence_});
    }

    std::string selfSum(const std::string& x, const zoo::Attention& attention) {
        const std::string read = normed(x);
        return net_.add(x, zoo::attentionOf(net_, read, read, "self", attention), "self.sum");
    }

    std::string partSum(const std::string& x) { return net_.add(x, feedForward(normed(x)), "mlp.sum"); }

    std::string bothSides() {
        prepareAttention();
        attention_.scaled = false;
        zoo::Attention own = attention_;
        const std::string ids = net_.input("source", {sequence_}, DataType::int64);
        const std::string table = net_.stored("table", {c_.vocabulary, c_.hidden});
        own.positions = offsets("encoder.distances");
        std::string memory = net_.lookUp(ids, "source.embedding", table);
        for (std::int64_t i = 0; i < c_.layers; ++i) {
            net_.block("encoder" + std::to_string(i));
            memory = partSum(selfSum(memory, own));
        }
        net_.block("");
        memory = normed(memory);
        return c_.decoderLayers > 0 ? secondSide(memory, table) : labelled(memory);
    }

    std::string secondSide(const std::string& memory, const std::string& table) {
        const std::string ids = net_.input("target", {sequence_}, DataType::int64);
        zoo::Attention own = attention_;
        own.positions = offsets("decoder.distances");
        own.mask = zoo::causalMask(net_, sequence_);
        std::string x = net_.lookUp(ids, "target.embedding", table);
        for (std::int64_t i = 0; i < c_.decoderLayers; ++i) {
            net_.block("decoder" + std::to_string(i));
            x = selfSum(x, own);
            x = net_.add(x, zoo::attentionOf(net_, normed(x), memory, "cross", attention_), "cross.sum");
            x = partSum(x);
        }
        net_.block("");
        const std::string last = normed(x);
        if (c_.labels.count == 0) return overVocabulary(last, table);
        return c_.labels.ofTokens ? labelled(last) : labelledSample(net_.at(last, 1, sequence_ - 1));
    }

    // Images ----------------------------------------------------------------------------------------------------------

    std::string vision() {
        const ConfigPatches& patches = c_.patches;
        const std::int64_t side = patches.image / patches.patch, hidden = c_.hidden;
        const std::string image = net_.input("input", {patches.channels, patches.image, patches.image});
        std::string x =
            net_.conv(image, "patches", hidden, {.kernel = patches.patch, .stride = patches.patch, .bias = true});
        x = net_.transpose(net_.reshape(x, {net_.batch(), hidden, side * side}), {0, 2, 1});
        x = net_.withFirstStep(x, "class");
        x = net_.combine("Add", x, net_.stored("positions", {1, side * side + 1, hidden}));
        prepareAttention();
        x = net_.at(blocks(x), 1, 0);
        if (c_.pooler) return net_.unary("Tanh", net_.fc(x, "pooler", hidden));
        return c_.labels.count > 0 ? net_.fc(x, "head", c_.labels.count) : x;
    }

    const ConfigTransformer& c_;
    zoo::Network net_;
    std::int64_t sequence_;
    zoo::Norming norm_;
    zoo::Attention attention_;
};

}  // namespace

Graph graphOfConfig(const ConfigTransformer& config, const std::string& name, const std::string& file,
                    std::int64_t batch, std::int64_t sequence) {
    return ConfigGraphBuilder(config, zoo::Network(name, file, batch, {}), sequence).build();
}

}  // namespace tessera::model
