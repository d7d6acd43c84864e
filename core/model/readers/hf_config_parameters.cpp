#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/model/readers/hf_config_parts.h"

/// Numbers of parameters of the transformers that a config.json describes, and the dimensions of the physical model.
namespace tessera::model {

namespace {

std::int64_t normOf(const ConfigTransformer& c, std::int64_t width) {
    if (c.norm == ConfigNorm::layerPlain) return 0;
    return c.norm == ConfigNorm::layer ? 2 * width : width;
}

std::int64_t normsOf(const ConfigTransformer& c) {
    const std::int64_t count = c.order == ConfigOrder::around ? 4 : c.order == ConfigOrder::parallel ? 1 : 2;
    return count * normOf(c, c.hidden);
}

std::int64_t latentMatrices(const ConfigTransformer& c) {
    const ConfigLatent& latent = *c.latent;
    const std::int64_t h = c.hidden, a = c.heads, q = latent.queryRank, k = latent.keyRank;
    const std::int64_t query = a * (latent.plain + latent.rotary);
    const std::int64_t queries = q > 0 ? h * q + q * query : h * query;
    return queries + h * (k + latent.rotary) + k * a * (latent.plain + latent.value) + a * latent.value * h;
}

/// Norms of the vectors of low rank, and biases.
std::int64_t latentVectors(const ConfigTransformer& c) {
    const ConfigLatent& latent = *c.latent;
    const std::int64_t ranks = latent.queryRank + latent.keyRank;
    return ranks + (latent.bias ? ranks + latent.rotary + c.hidden : 0);
}

std::int64_t headNormsOf(const ConfigTransformer& c) {
    if (c.headNorm == ConfigHeadNorm::none) return 0;
    if (c.headNorm == ConfigHeadNorm::ofEveryHead) return 2 * normOf(c, c.headSize);
    // Classes with layer normalisations have no bias in those of all heads.
    return (c.heads + c.keyHeads) * c.headSize;
}

std::int64_t attentionMatrices(const ConfigTransformer& c) {
    if (c.latent) return latentMatrices(c);
    return c.hidden * (2 * c.heads + 2 * c.keyHeads) * c.headSize;
}

std::int64_t attentionVectors(const ConfigTransformer& c) {
    if (c.latent) return latentVectors(c);
    const std::int64_t rows = (c.heads + 2 * c.keyHeads) * c.headSize;
    return (c.qkvBias ? rows : 0) + (c.outputBias ? c.hidden : 0) + headNormsOf(c) + (c.sinks ? c.heads : 0);
}

/// Queries, keys, values, a gate and the output of all heads, and the norm in front of that.
std::int64_t linearAttentionParameters(const ConfigTransformer& c) {
    const std::int64_t width = c.heads * c.headSize;
    return 5 * c.hidden * width + width;
}

std::int64_t partMatrices(const ConfigTransformer& c) {
    return (c.gated ? 3 : 2) * c.hidden * c.ffn;
}

std::int64_t partVectors(const ConfigTransformer& c) {
    return c.mlpBias ? (c.gated ? 2 : 1) * c.ffn + c.hidden : 0;
}

std::int64_t partParameters(const ConfigTransformer& c) {
    return partMatrices(c) + partVectors(c);
}

std::int64_t expertVectors(const ConfigTransformer& c) {
    return c.experts.bias ? 2 * c.experts.ffn + c.hidden : 0;
}

/// Of a layer with experts, beside products.
std::int64_t mixtureVectors(const ConfigTransformer& c) {
    const ConfigExperts& e = c.experts;
    return (e.routerBias ? e.count : 0) + (e.correctionBias ? e.count : 0) + (e.sharedGate ? c.hidden : 0) +
           (e.residualFfn > 0 ? normOf(c, c.hidden) : 0);
}

/// Of a layer, with as many experts.
std::int64_t mixtureParameters(const ConfigTransformer& c, std::int64_t count) {
    const ConfigExperts& e = c.experts;
    return count * (3 * c.hidden * e.ffn + expertVectors(c)) + e.count * c.hidden +
           3 * c.hidden * (e.sharedFfn + e.residualFfn) + mixtureVectors(c);
}

std::int64_t labelParameters(const ConfigTransformer& c, std::int64_t width) {
    if (c.labels.count == 0) return 0;
    return (c.labels.dense ? c.hidden * c.hidden + c.hidden : 0) + c.labels.count * (width + (c.labels.bias ? 1 : 0));
}

/// Of heads beside the matrix over the vocabulary, which reads a width.
std::int64_t smallHeadParameters(const ConfigTransformer& c, std::int64_t width) {
    std::int64_t count = labelParameters(c, width);
    if (c.head && c.headBias) count += c.vocabulary;
    if (c.pooler) count += c.hidden * c.hidden + c.hidden;
    if (c.transform) count += c.hidden * c.hidden + 3 * c.hidden;
    if (c.nextSentence) count += 2 * c.hidden + 2;
    return count;
}

std::int64_t headMatrix(const ConfigTransformer& c, std::int64_t width) {
    return c.head && !c.tied ? c.vocabulary * width : 0;
}

std::int64_t embeddingWidth(const ConfigTransformer& c) {
    return c.embedding > 0 ? c.embedding : c.hidden;
}

/// Beside layers, tables, and the matrix over the vocabulary.
std::int64_t endVectors(const ConfigTransformer& c) {
    return (c.embeddingNorm ? normOf(c, c.hidden) : 0) + (c.finalNorm ? normOf(c, c.hidden) : 0) +
           smallHeadParameters(c, embeddingWidth(c));
}

std::int64_t stackParameters(const ConfigTransformer& c, std::int64_t experts) {
    const std::int64_t h = c.hidden, width = embeddingWidth(c);
    const auto dense = c.experts.count > 0 ? static_cast<std::int64_t>(c.experts.denseAt.size()) : c.layers;
    const auto linear = static_cast<std::int64_t>(c.linearAt.size());
    const std::int64_t attention = (c.layers - linear) * (attentionMatrices(c) + attentionVectors(c)) +
                                   (linear > 0 ? linear * linearAttentionParameters(c) : 0);
    return c.vocabulary * width + (width != h ? 2 * width * h : 0) + (c.positionRows + c.segments) * h + endVectors(c) +
           headMatrix(c, width) + attention + c.layers * normsOf(c) + dense * partParameters(c) +
           (c.layers - dense) * (c.experts.count > 0 ? mixtureParameters(c, experts) : 0);
}

std::int64_t t5Parameters(const ConfigTransformer& c) {
    const std::int64_t h = c.hidden, attention = 4 * h * c.heads * c.headSize + h, part = partParameters(c) + h;
    const std::int64_t sides = c.decoderLayers > 0 ? 2 : 1;
    return c.vocabulary * h + headMatrix(c, h) + smallHeadParameters(c, h) + c.layers * (attention + part) +
           c.decoderLayers * (2 * attention + part) + sides * (c.ranges * c.heads + h);
}

std::int64_t visionParameters(const ConfigTransformer& c) {
    const ConfigPatches& p = c.patches;
    const std::int64_t h = c.hidden, side = p.image / p.patch;
    return h + (side * side + 1) * h + p.channels * p.patch * p.patch * h + h +
           c.layers * (attentionMatrices(c) + attentionVectors(c) + normsOf(c) + partParameters(c)) + 2 * h +
           smallHeadParameters(c, h);
}

std::int64_t countOf(const ConfigTransformer& c, std::int64_t experts) {
    if (c.kind == ConfigKind::encoderDecoder) return t5Parameters(c);
    return c.kind == ConfigKind::vision ? visionParameters(c) : stackParameters(c, experts);
}

using SpecDims = std::map<std::string, std::string, std::less<>>;

void sayExperts(SpecDims& dims, const ConfigTransformer& c) {
    const ConfigExperts& experts = c.experts;
    dims["experts"] = std::to_string(experts.count);
    dims["experts_per_token"] = std::to_string(experts.perToken);
    dims["expert_ffn"] = std::to_string(experts.ffn);
    // Shared ones may be no whole number of experts wide; a dense part beside experts does as much as they.
    const auto shared = static_cast<double>(experts.sharedFfn + experts.residualFfn);
    dims["shared_experts"] = fmt::format("{}", shared / static_cast<double>(experts.ffn));
    dims["dense_layers"] = std::to_string(experts.denseAt.size());
    dims["mixture_rest"] = std::to_string(mixtureVectors(c));
    dims["expert_rest"] = std::to_string(expertVectors(c));
}

void sayLatentSizes(SpecDims& dims, const ConfigLatent& latent) {
    dims.erase("kv_heads");
    dims.erase("head_size");
    dims["attention"] = "mla";
    dims["query_rank"] = std::to_string(latent.queryRank);
    dims["key_rank"] = std::to_string(latent.keyRank);
    dims["plain_size"] = std::to_string(latent.plain);
    dims["rotary_size"] = std::to_string(latent.rotary);
    dims["value_size"] = std::to_string(latent.value);
}

}  // namespace

std::int64_t parametersOf(const ConfigTransformer& config) {
    return countOf(config, config.experts.count);
}

std::int64_t activeParametersOf(const ConfigTransformer& config) {
    return countOf(config, config.experts.perToken);
}

TransformerSpec configSpecOf(const ConfigTransformer& c) {
    const bool isMixture = c.experts.count > 0 || c.latent, isEncoder = c.kind == ConfigKind::encoder;
    const char* const decoder = isMixture ? "zoo:moe" : c.gated ? "zoo:llama" : "zoo:gpt";
    TransformerSpec spec{.family = isEncoder ? "zoo:bert" : decoder, .dims = {}};
    const auto say = [&](const char* name, std::int64_t size) { spec.dims[name] = std::to_string(size); };
    say("layers", c.layers);
    say("hidden", c.hidden);
    say("heads", c.heads);
    say("kv_heads", c.keyHeads);
    say("head_size", c.headSize);
    say("ffn", c.ffn);
    say("vocabulary", c.vocabulary);
    say("positions", c.positionRows);
    say("tied", c.tied || !c.head ? 1 : 0);
    say("attention_rest", attentionVectors(c) + normsOf(c));
    say("ffn_rest", partVectors(c));
    say("end_rest", endVectors(c));
    if (isEncoder) say("segments", c.segments);
    if (embeddingWidth(c) != c.hidden) say("embedding_width", c.embedding);
    if (c.labels.count > 0) say("head", 0);
    if (c.headNorm != ConfigHeadNorm::none) say("qk_norm", 1);
    if (c.embeddingNorm && !isEncoder) say("embedding_norm", 1);
    if (c.window.layers > 0) {
        say("window", c.window.size);
        say("windowed_layers", c.window.layers);
        if (c.window.every > 0) say("window_every", c.window.every);
        if (c.window.chunked) say("window_chunked", 1);
    }
    if (c.experts.count > 0) sayExperts(spec.dims, c);
    if (c.latent) sayLatentSizes(spec.dims, *c.latent);
    return spec;
}

}  // namespace tessera::model
