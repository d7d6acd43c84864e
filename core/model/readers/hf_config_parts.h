#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/model/readers/hf_config.h"

/// What the parts of the reader of config.json share: fields, the sizes of classes, rows of architectures.
namespace tessera::model {

constexpr std::int64_t kConfigFeatures = 1 << 20, kConfigLayers = 1000, kConfigHeads = 4096, kConfigWords = 1 << 24,
                       kConfigExperts = 4096;

/// Fields by any of their names; null and absent ones have the class's default.
class ConfigFields {
public:
    explicit ConfigFields(JsonNode root) : root_(std::move(root)) {}

    using Names = std::vector<std::string>;
    bool given(const std::string& name) const { return root_.has(name) && !root_.at(name).isNull(); }
    /// The first of the names that the file has; empty: none.
    std::string firstGiven(const Names& names) const;
    /// A whole number from 1 to `max`.
    std::int64_t size(const Names& names, std::int64_t otherwise, std::int64_t max) const;
    std::int64_t count(const Names& names, std::int64_t otherwise, std::int64_t max) const;  ///< from 0
    std::int64_t features(const Names& names, std::int64_t otherwise) const;
    /// A size, or a list that repeats it for every layer.
    std::int64_t everyLayer(const std::string& name, std::int64_t otherwise, std::int64_t max) const;
    /// All entries of a list that has one for each layer; fails where there are fewer.
    std::vector<JsonNode> ofEachLayer(const std::string& name, std::int64_t layers) const;
    bool flag(const std::string& name, bool otherwise) const;
    std::string text(const std::string& name, const std::string& otherwise) const;
    JsonNode at(const std::string& name) const { return root_.at(name); }
    const JsonNode& root() const { return root_; }

private:
    JsonNode root_;
};

/// Sizes of a class where a file leaves them out.
struct ClassSizes {
    std::int64_t vocabulary, hidden, ffn, layers, heads;
    std::int64_t keyHeads;  ///< 0: as many as heads
    std::int64_t context;
    bool tied = false;
    std::int64_t headSize = 0;  ///< 0: hidden / heads
    bool rounds = false;        ///< the class takes hidden / heads rounded down where they do not divide
};

/// Names of the number of heads, of queries.
const ConfigFields::Names& configHeadNames();
/// Fields as most decoders name them.
ConfigTransformer commonOf(const ConfigFields& in, const ClassSizes& sizes);
/// The same in Llama's order, with its fields for biases.
ConfigTransformer llamaWith(const ConfigFields& in, const ClassSizes& sizes);
constexpr ClassSizes kLlamaSizes{32000, 4096, 11008, 32, 32, 0, 2048};
void setAttentionBias(ConfigTransformer& out, bool bias);
void setAllBiases(ConfigTransformer& out, bool bias);
/// Which layers have a sliding window or chunks, by the names of them, by the order that the file or the class of a
/// model type has, or all.
ConfigWindow windowOf(const ConfigFields& in, std::string_view type, std::int64_t layers);
/// Labels of a head that tells them: names that the file has for them, or their number.
std::int64_t labelsOf(const ConfigFields& in);

/// What a row reads of an architecture.
using ConfigRead = ConfigTransformer (*)(const ConfigFields& fields);
/// An architecture: as `model_type` names it first, then as other types and classes without their task do. Spellings
/// differ in '_', '-' and case alone.
struct ConfigRow {
    const char* names;
    ConfigRead read;
    const char* alsoUnder = "";  ///< types of other rows that published files of this class have
};
std::span<const ConfigRow> configDecoderRows();
std::span<const ConfigRow> configMixtureRows();
std::span<const ConfigRow> configOtherRows();

/// The row of a model type or of a class without its task ("GPTNeoX"); null: there is none.
const ConfigRow* configRowOf(std::string_view name);
bool hasName(const char* names, std::string_view name);
/// What is expected in place of an architecture that is known by name and not read; empty: there is nothing against it.
std::string configRefusalOf(std::string_view name);
/// What is expected in place of an unknown architecture: the nearest known name, or all of them.
std::string expectedArchitecture(std::string_view name);

Graph graphOfConfig(const ConfigTransformer& config, const std::string& name, const std::string& file,
                    std::int64_t batch, std::int64_t sequence);

/// The dimensions by which the physical model knows a decoder or an encoder, without its sequence; throws nothing.
TransformerSpec configSpecOf(const ConfigTransformer& config);

}  // namespace tessera::model
