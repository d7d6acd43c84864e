#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model.h"
#include "core/model/zoo/zoo.h"

namespace tessera::model {

enum class ConfigKind : std::uint8_t {
    decoder,
    encoder,         ///< BERT
    encoderDecoder,  ///< T5
    vision,          ///< ViT
};

enum class ConfigNorm : std::uint8_t {
    rootMeanSquare,
    layer,             ///< with a bias
    layerWithoutBias,  ///< with a factor only
    layerPlain,        ///< without trained values
};

/// Where the normalisations of a block stand.
enum class ConfigOrder : std::uint8_t {
    before,              ///< in front of attention and of the feed-forward part
    around,              ///< in front of both and behind both
    behindParts,         ///< behind both, in front of the sums
    behindSums,          ///< behind the sums
    parallel,            ///< one, in front of both parts, which are summed at once
    parallelOfEachPart,  ///< one in front of each of both parts, which are summed at once
};

/// Normalisations of queries and keys.
enum class ConfigHeadNorm : std::uint8_t { none, ofEveryHead, overAllHeads };

enum class ConfigPositions : std::uint8_t { rotary, learned, distances, none };

/// Latent attention.
struct ConfigLatent {
    std::int64_t queryRank = 0;  ///< 0: queries are a product of the input
    std::int64_t keyRank = 512;
    std::int64_t plain = 128;
    std::int64_t rotary = 64;
    std::int64_t value = 128;
    bool bias = false;
};

/// The mixture of experts of a layer.
struct ConfigExperts {
    std::int64_t count = 0;
    std::int64_t perToken = 0;
    std::int64_t ffn = 0;
    std::int64_t sharedFfn = 0;        ///< of all shared ones together
    std::int64_t residualFfn = 0;      ///< of a dense part beside attention and experts, with a norm of its own
    const char* activation = nullptr;  ///< of ONNX; none: x sigmoid(x)
    bool sharedGate = false;
    bool routerBias = false;
    bool correctionBias = false;          ///< of the choice of experts
    bool bias = false;                    ///< of the products of experts
    std::set<std::int64_t> denseAt = {};  ///< layers with a feed-forward part in their place
};

/// An image as patches.
struct ConfigPatches {
    std::int64_t channels = 3;
    std::int64_t image = 224;
    std::int64_t patch = 16;
};

/// A head that gives labels to a sample, or to each of its tokens.
struct ConfigLabels {
    std::int64_t count = 0;  ///< 0: there is none
    bool ofTokens = false;
    bool dense = false;  ///< a product of the width with a bias stands in front of it
    bool bias = true;
};

/// Which classes of an encoder have a product behind their first token.
enum class ConfigPooling : std::uint8_t {
    everywhere,  ///< the bare model and those with labels of samples
    modelAlone,  ///< RoBERTa: heads for labels have a product of their own
    nowhere,     ///< DistilBERT
};

/// Layers in which a token attends to the last tokens alone (Beltagy, Peters, Cohan: "Longformer", arXiv:2004.05150,
/// section 3.1; one-sided, as in Jiang et al.: "Mistral 7B", arXiv:2310.06825, section 2), or to those before it in its
/// own chunk alone (Llama 4).
struct ConfigWindow {
    std::int64_t size = 0;    ///< tokens, the token itself among them; of a chunk
    std::int64_t layers = 0;  ///< that have it; 0: none
    std::int64_t every = 0;   ///< every so many layers end with one that attends to all; 0: there is no such order
    bool chunked = false;     ///< the sequence is cut into chunks; the window does not slide
};

/// The shape of a transformer that a config.json says, with the defaults of its class.
struct ConfigTransformer {
    std::string architecture;  ///< as the file says it
    ConfigKind kind = ConfigKind::decoder;
    std::int64_t layers = 1;
    std::int64_t decoderLayers = 0;  ///< of an encoder and a decoder
    std::int64_t hidden = 1;
    std::int64_t heads = 1;
    std::int64_t keyHeads = 1;
    std::int64_t headSize = 1;
    bool headsDivide = false;  ///< heads share the width evenly: the file does not say their size
    std::int64_t ffn = 1;
    std::int64_t vocabulary = 0;
    std::int64_t context = 0;    ///< the most tokens that it is made for
    std::int64_t embedding = 0;  ///< width of the table; 0: the hidden one
    ConfigPositions positions = ConfigPositions::rotary;
    std::int64_t positionRows = 0;  ///< of the table of learned positions
    std::int64_t ranges = 0;        ///< of distances, which have trained values for every head
    std::int64_t segments = 0;
    bool gated = true;
    const char* activation = nullptr;  ///< of ONNX; none: x sigmoid(x)
    bool squared = false;              ///< what the activation gives is squared
    bool qkvBias = false;
    bool outputBias = false;
    bool mlpBias = false;
    bool head = true;  ///< over the vocabulary
    bool tied = false;
    bool headBias = false;
    ConfigNorm norm = ConfigNorm::rootMeanSquare;
    ConfigOrder order = ConfigOrder::before;
    ConfigHeadNorm headNorm = ConfigHeadNorm::none;
    bool embeddingNorm = false;
    bool finalNorm = true;
    bool sinks = false;
    bool pooler = false;
    bool transform = false;     ///< of an encoder's head: a product and a normalisation in front of the table
    bool nextSentence = false;  ///< a head on the pooler
    ConfigPooling pooling = ConfigPooling::everywhere;
    ConfigLabels labels = {};
    ConfigExperts experts = {};
    std::optional<ConfigLatent> latent = {};
    std::set<std::int64_t> linearAt = {};  ///< layers whose attention is linear in the sequence
    ConfigWindow window = {};
    ConfigPatches patches = {};
    std::string unread = {};  ///< a sentence on what of the file's model is not read; empty: all of it is
};

/// Counts of trained values; a shared one counts once.
std::int64_t parametersOf(const ConfigTransformer& config);
/// The same without the experts that a token does not meet.
std::int64_t activeParametersOf(const ConfigTransformer& config);

/// Shape of a model's config.json in the form of Hugging Face Transformers, by its `model_type`, the first of its
/// `architectures`, or both; of a model with several parts, its language model (`text_config`). Throws DataError{file,
/// line, field} for what is not known, for a type and a class that mean different models, and for sizes out of range.
ConfigTransformer configTransformerOf(const std::string& bytes, const std::string& file);

/// A JSON object with `model_type` or `architectures`.
bool looksLikeHfConfig(std::string_view bytes);
/// The graph of the model's forward pass, whose parameters are `parametersOf`. Dimensions: `sequence`, by default as
/// long as the model is made for, at most 4096. Throws DataError, UsageError for dimensions out of their range.
Graph readHfConfig(const std::string& bytes, const std::string& file, const LoadOptions& options);

/// The family and the dimensions of the transformer that a config.json describes, as `loadModel` reads it with
/// `dimensions`: nothing for other files, and for models that are of no family (T5, ViT), with the reason in `refusal`.
/// Throws DataError, UsageError.
std::optional<TransformerSpec> transformerSpecOfConfig(const std::string& file,
                                                       const std::map<std::string, std::int64_t>& dimensions,
                                                       std::string& refusal);

}  // namespace tessera::model
