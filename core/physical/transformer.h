#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/physical/gemm.h"
#include "core/physical/training_run.h"

namespace tessera::physical {

/// Attention whose keys and values come from a low-rank vector (DeepSeek-AI 2024, arXiv 2405.04434, section 2.1). Ranks
/// and sizes are those of DeepSeek-V3 where a run does not give them.
struct LatentAttention {
    double queryRank = 1536;  ///< 0: queries are a product of the input
    double keyRank = 512;
    double rotarySize = 64;  ///< of a head, beside its own part
    double plainSize = 128;
    double valueSize = 128;
};

/// Parameters that are in no product of a layer and in no table, where a description gives their exact number: norms,
/// biases, heads beside that over the vocabulary.
struct RestParameters {
    double attention = 0;    ///< of a layer, with its norms
    double feedForward = 0;  ///< of a layer without experts
    double mixture = 0;      ///< of a layer with experts, but for these
    double expert = 0;       ///< of a routed one
    double ends = 0;         ///< of the model, around its layers
};

/// Layers whose tokens attend to the last tokens alone; of a model without a causal mask, to so many around them. In
/// chunks they attend within their own part of the sequence alone, to those before them under a causal mask (Llama 4,
/// `attention_chunk_size`).
struct SlidingWindow {
    double size = 0;       ///< tokens, the token itself among them; of a chunk
    double layers = 0;     ///< that have it
    double every = 0;      ///< every so many layers end with one that attends to all; 0: no such order is known
    bool chunked = false;  ///< the sequence is cut into chunks; the window does not slide
};

/// A stack of transformer layers between an embedding and a head.
struct Transformer {
    double layers = 1;
    double hidden = 1;
    double heads = 1;
    double keyHeads = 1;  ///< of keys and values
    double headSize = 1;
    double ffn = 1;
    double sequence = 1;
    double vocabulary = 1;
    double embeddingWidth = 0;   ///< of the table of tokens, with products to and from `hidden`; 0: it has that width
    bool gated = false;          ///< feed-forward of three matrices
    bool biased = true;          ///< biases, layer normalisation, dropout: GPT and BERT
    bool causal = true;          ///< half of the scores are masked
    bool tied = true;            ///< the head shares the embedding's matrix
    double positions = 0;        ///< rows of the table of learned positions
    bool headNorms = false;      ///< queries and keys of every head are normalised
    bool embeddingNorm = false;  ///< beside the one that encoders have in place of the last
    double segments = 0;         ///< vectors embedded beside tokens and positions, with the pooler of BERT
    double headShare = 1;        ///< of the tokens that the head predicts
    double experts = 0;          ///< routed ones of a layer; 0: none
    double expertsPerToken = 0;
    double expertFfn = 0;
    double sharedExperts = 0;
    double denseLayers = 0;  ///< first layers without experts, where there are experts
    std::optional<SlidingWindow> window = {};
    std::optional<LatentAttention> latent = {};
    std::optional<RestParameters> rest = {};  ///< none: those of the family

    /// Width of a token in the table and of what the head reads.
    double tableWidth() const { return embeddingWidth > 0 ? embeddingWidth : hidden; }
};

/// Tokens that a token attends to, in the mean over tokens and layers: half of the sequence under a causal mask, fewer
/// in layers with a sliding window or with chunks.
double keysOf(const Transformer& model);

/// Parameters of the products to and from the width of the table, each; 0 where there are none.
double widthProductOf(const Transformer& model);

/// Whether a model of the zoo is one of these.
bool isTransformer(std::string_view model);

/// The transformer of a run; nothing, with a sentence in `refusal`, where a dimension lacks or cannot be.
std::optional<Transformer> transformerOf(const TrainingRun& run, std::string& refusal);

/// Numbers of parameters.
struct TransformerParameters {
    double embedding = 0;    ///< of tokens, positions, segments, and what else is around the layers
    double head = 0;         ///< where it has a matrix of its own
    double attention = 0;    ///< of a layer, with its norms
    double feedForward = 0;  ///< of a layer without experts
    double shared = 0;       ///< of a layer with experts: shared experts and router
    double experts = 0;      ///< of a layer: all routed ones
    double total = 0;        ///< of the model
    double active = 0;       ///< of the model, that a token meets
};
TransformerParameters parametersOf(const Transformer& model);

/// What one device does for a layer: the micro-batch that it works on and how a layer is split.
struct LayerShare {
    double samples = 1;  ///< of the micro-batch
    double tensor = 1;
    double context = 1;
    double expert = 1;
    bool wholeExperts = false;   ///< tensor parallelism leaves experts whole, each device with tokens of its own
    double inputBytes = 2;       ///< of an element of a product's operands
    double activationBytes = 2;  ///< of an element elsewhere
    bool sequenceParallel = false;
    bool fusedAttention = true;
    bool fusedKernels = true;  ///< normalisation, mask and activation of one kernel each
};

/// One layer of one micro-batch on one device.
struct LayerWork {
    std::vector<Product> products = {};  ///< with weights, of the forward pass
    std::vector<Product> scores = {};    ///< of attention in parts
    double attentionFlop = 0;            ///< of fused attention, forward
    double forwardBytes = 0;             ///< read and written by what is no product
    double backwardBytes = 0;
    double scoreForwardBytes = 0;  ///< of them by scores in parts, not counted in the two above
    double scoreBackwardBytes = 0;
    double permutedBytes = 0;     ///< each way, of tokens sorted by expert
    double exchangedBytes = 0;    ///< all-to-all of tokens, each of two a pass
    double parameters = 0;        ///< held by the device
    double expertParameters = 0;  ///< of them of routed experts
};
LayerWork layerWorkOf(const Transformer& model, const LayerShare& share, bool withExperts);

/// Products of the backward pass of a product with weights: gradients of its input, of its weights.
Product inputGradientOf(const Product& product);
Product weightGradientOf(const Product& product);

/// Tokens that a device works on.
double tokensOf(const Transformer& model, const LayerShare& share);

}  // namespace tessera::physical
