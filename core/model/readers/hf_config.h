#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
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
    std::int64_t sharedFfn = 0;  ///< of all shared ones together
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
    std::int64_t labels = 0;  ///< of the head; 0: there is none
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
    ConfigExperts experts = {};
    std::optional<ConfigLatent> latent = {};
    ConfigPatches patches = {};
};

/// Counts of trained values; a shared one counts once.
std::int64_t parametersOf(const ConfigTransformer& config);
/// The same without the experts that a token does not meet.
std::int64_t activeParametersOf(const ConfigTransformer& config);

/// Shape of a model's config.json in the form of Hugging Face Transformers, by its `model_type`, or else the first of
/// its `architectures`. Throws DataError{file, line, field} for what is not known and for sizes out of range.
ConfigTransformer configTransformerOf(const std::string& bytes, const std::string& file);

/// A JSON object with `model_type` or `architectures`.
bool looksLikeHfConfig(std::string_view bytes);
/// The graph of the model's forward pass, whose parameters are `parametersOf`. Dimensions: `sequence`, by default as
/// long as the model is made for, at most 4096. Throws DataError, UsageError for dimensions out of their range.
Graph readHfConfig(const std::string& bytes, const std::string& file, const LoadOptions& options);

/// The family and the dimensions of the transformer that a config.json describes, as `loadModel` reads it with
/// `dimensions`: nothing for other files and for models that are of no family (T5, ViT). Throws DataError, UsageError.
std::optional<TransformerSpec> transformerSpecOfConfig(const std::string& file,
                                                       const std::map<std::string, std::int64_t>& dimensions);

// Between the parts of this reader:

/// Fields by any of their names; null and absent ones have the class's default.
class ConfigFields {
public:
    explicit ConfigFields(JsonNode root) : root_(std::move(root)) {}

    using Names = std::vector<std::string>;
    bool given(const std::string& name) const { return root_.has(name) && !root_.at(name).isNull(); }
    /// A whole number from 1 to `max`.
    std::int64_t size(const Names& names, std::int64_t otherwise, std::int64_t max) const;
    std::int64_t count(const Names& names, std::int64_t otherwise, std::int64_t max) const;  ///< from 0
    std::int64_t features(const Names& names, std::int64_t otherwise) const;
    bool flag(const std::string& name, bool otherwise) const;
    std::string text(const std::string& name, const std::string& otherwise) const;
    JsonNode at(const std::string& name) const { return root_.at(name); }
    const JsonNode& root() const { return root_; }

private:
    JsonNode root_;
};

/// What a row reads of an architecture.
using ConfigRead = ConfigTransformer (*)(const ConfigFields& fields);
/// The row of a model type or of a class without its task ("GPTNeoX"), in any spelling; null: there is none.
ConfigRead configReadOf(std::string_view name);
/// Names of all architectures, for messages.
std::string configArchitectures();

Graph graphOfConfig(const ConfigTransformer& config, const std::string& name, const std::string& file,
                    std::int64_t batch, std::int64_t sequence);

}  // namespace tessera::model
