#include "core/model/readers/hf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/model/readers/dimensions.h"
#include "core/model/readers/layer_rules.h"
#include "core/model/readers/readers.h"
#include "core/model/zoo/zoo_name.h"

namespace tessera::model {

namespace {

constexpr std::int64_t kConfigFeatures = 1 << 20;
constexpr std::int64_t kUsualSequence = 4096;
constexpr std::int64_t kLongestSequence = 1000000;  ///< of rotary positions, which have no table
constexpr const char* kConfigSequence = "sequence";

// Parameters ----------------------------------------------------------------------------------------------------------

std::int64_t normOf(const ConfigTransformer& c, std::int64_t width) {
    if (c.norm == ConfigNorm::layerPlain) return 0;
    return c.norm == ConfigNorm::layer ? 2 * width : width;
}

std::int64_t normsOf(const ConfigTransformer& c) {
    const std::int64_t count = c.order == ConfigOrder::around ? 4 : c.order == ConfigOrder::parallel ? 1 : 2;
    return count * normOf(c, c.hidden);
}

std::int64_t latentParameters(const ConfigTransformer& c) {
    const ConfigLatent& latent = *c.latent;
    const std::int64_t h = c.hidden, a = c.heads, q = latent.queryRank, k = latent.keyRank;
    const std::int64_t query = a * (latent.plain + latent.rotary);
    const std::int64_t queries = q > 0 ? h * q + q + q * query : h * query;
    const std::int64_t keys = h * (k + latent.rotary) + k + k * a * (latent.plain + latent.value);
    const std::int64_t biases = latent.bias ? q + k + latent.rotary + h : 0;
    return queries + keys + a * latent.value * h + biases;
}

std::int64_t headNormsOf(const ConfigTransformer& c) {
    if (c.headNorm == ConfigHeadNorm::none) return 0;
    if (c.headNorm == ConfigHeadNorm::ofEveryHead) return 2 * normOf(c, c.headSize);
    // Classes with layer normalisations have no bias in those of all heads.
    return (c.heads + c.keyHeads) * c.headSize;
}

std::int64_t attentionParameters(const ConfigTransformer& c) {
    if (c.latent) return latentParameters(c);
    const std::int64_t rows = (c.heads + 2 * c.keyHeads) * c.headSize;
    return c.hidden * (rows + c.heads * c.headSize) + (c.qkvBias ? rows : 0) + (c.outputBias ? c.hidden : 0) +
           headNormsOf(c) + (c.sinks ? c.heads : 0);
}

std::int64_t partParameters(const ConfigTransformer& c) {
    const std::int64_t biases = (c.gated ? 2 : 1) * c.ffn + c.hidden;
    return (c.gated ? 3 : 2) * c.hidden * c.ffn + (c.mlpBias ? biases : 0);
}

/// Of a layer, with as many experts.
std::int64_t mixtureParameters(const ConfigTransformer& c, std::int64_t count) {
    const ConfigExperts& e = c.experts;
    const std::int64_t expert = 3 * c.hidden * e.ffn + (e.bias ? 2 * e.ffn + c.hidden : 0);
    return count * expert + e.count * c.hidden + (e.routerBias ? e.count : 0) + (e.correctionBias ? e.count : 0) +
           3 * c.hidden * e.sharedFfn + (e.sharedGate ? c.hidden : 0);
}

std::int64_t headParameters(const ConfigTransformer& c, std::int64_t width) {
    std::int64_t count = 0;
    if (c.head && !c.tied) count += c.vocabulary * width;
    if (c.head && c.headBias) count += c.vocabulary;
    if (c.pooler) count += c.hidden * c.hidden + c.hidden;
    if (c.transform) count += c.hidden * c.hidden + 3 * c.hidden;
    if (c.nextSentence) count += 2 * c.hidden + 2;
    return count;
}

std::int64_t stackParameters(const ConfigTransformer& c, std::int64_t experts) {
    const std::int64_t h = c.hidden, width = c.embedding > 0 ? c.embedding : h;
    const auto dense = c.experts.count > 0 ? static_cast<std::int64_t>(c.experts.denseAt.size()) : c.layers;
    const std::int64_t ends = (c.embeddingNorm ? normOf(c, h) : 0) + (c.finalNorm ? normOf(c, h) : 0);
    return c.vocabulary * width + (width != h ? 2 * width * h : 0) + (c.positionRows + c.segments) * h + ends +
           headParameters(c, width) + c.layers * (attentionParameters(c) + normsOf(c)) + dense * partParameters(c) +
           (c.layers - dense) * (c.experts.count > 0 ? mixtureParameters(c, experts) : 0);
}

std::int64_t t5Parameters(const ConfigTransformer& c) {
    const std::int64_t h = c.hidden, attention = 4 * h * c.heads * c.headSize + h, part = partParameters(c) + h;
    const std::int64_t sides = c.decoderLayers > 0 ? 2 : 1;
    return c.vocabulary * h + headParameters(c, h) + c.layers * (attention + part) +
           c.decoderLayers * (2 * attention + part) + sides * (c.ranges * c.heads + h);
}

std::int64_t visionParameters(const ConfigTransformer& c) {
    const ConfigPatches& p = c.patches;
    const std::int64_t h = c.hidden, side = p.image / p.patch;
    return h + (side * side + 1) * h + p.channels * p.patch * p.patch * h + h +
           c.layers * (attentionParameters(c) + normsOf(c) + partParameters(c)) + 2 * h + p.labels * (h + 1) +
           (c.pooler ? h * h + h : 0);
}

std::int64_t countOf(const ConfigTransformer& c, std::int64_t experts) {
    if (c.kind == ConfigKind::encoderDecoder) return t5Parameters(c);
    return c.kind == ConfigKind::vision ? visionParameters(c) : stackParameters(c, experts);
}

// Reading -------------------------------------------------------------------------------------------------------------

/// What the class that a file names has on top of the model, and the name without it.
enum class ConfigTask : std::uint8_t { usual, language, none, masked, preTraining, conditional, image, encoder };

struct NamedTask {
    std::string_view suffix;
    ConfigTask task;
};
constexpr std::array<NamedTask, 10> kConfigTasks{{{"ForCausalLM", ConfigTask::language},
                                                  {"WithLMHeadModel", ConfigTask::conditional},
                                                  {"LMHeadModel", ConfigTask::language},
                                                  {"ForConditionalGeneration", ConfigTask::conditional},
                                                  {"ForMaskedLM", ConfigTask::masked},
                                                  {"ForPreTraining", ConfigTask::preTraining},
                                                  {"ForImageClassification", ConfigTask::image},
                                                  {"EncoderModel", ConfigTask::encoder},
                                                  {"Model", ConfigTask::none},
                                                  {"", ConfigTask::usual}}};

struct ConfigClass {
    std::string name;  ///< "Llama"
    ConfigTask task = ConfigTask::usual;
};

/// The first of `architectures`; nothing where there is none.
ConfigClass classOf(const ConfigFields& in) {
    if (!in.given("architectures")) return {};
    const std::vector<JsonNode> all = in.at("architectures").elements(1000);
    if (all.empty()) return {};
    const std::string text = all.front().text();
    for (const NamedTask& named : kConfigTasks)
        if (!named.suffix.empty() && text.ends_with(named.suffix) && text.size() > named.suffix.size())
            return {text.substr(0, text.size() - named.suffix.size()), named.task};
    all.front().fail(
        "a class whose name ends with ForCausalLM, LMHeadModel, Model, ForMaskedLM, ForPreTraining, "
        "ForConditionalGeneration or ForImageClassification");
}

ConfigTransformer readByName(const ConfigFields& in, const ConfigClass& named) {
    const std::string type = in.text("model_type", "");
    ConfigRead read = configReadOf(type);
    if (read == nullptr) read = configReadOf(named.name);
    if (read == nullptr) {
        const char* const field = in.given("model_type") ? "model_type" : "architectures";
        const std::string expected = "one of " + configArchitectures();
        if (!in.given(field)) in.root().fail("an object with 'model_type', " + expected, "an object without it");
        in.at(field).fail(expected);
    }
    ConfigTransformer config = read(in);
    config.architecture = type.empty() ? named.name : type;
    return config;
}

void setEncoderTask(ConfigTransformer& config, ConfigTask task) {
    const bool masked = task == ConfigTask::masked || task == ConfigTask::language || task == ConfigTask::preTraining;
    config.pooler = !masked || task == ConfigTask::preTraining;
    config.transform = config.headBias = config.head = masked;
    config.nextSentence = task == ConfigTask::preTraining;
}

/// What the class adds: by default, the head that models of its kind have.
void setTask(ConfigTransformer& config, const ConfigFields& in, ConfigTask task) {
    const auto refuse = [&](const char* expected) { in.at("architectures").elements(1000).front().fail(expected); };
    switch (config.kind) {
        case ConfigKind::decoder:
            if (task == ConfigTask::masked || task == ConfigTask::image || task == ConfigTask::preTraining)
                refuse("a class of a decoder, such as one whose name ends with ForCausalLM");
            // ChatGLM's class without a task has a head.
            config.head = task != ConfigTask::none || lowered(config.architecture) == "chatglm";
            return;
        case ConfigKind::encoder:
            if (task == ConfigTask::image || task == ConfigTask::conditional)
                refuse("a class of an encoder, such as one whose name ends with Model or ForMaskedLM");
            return setEncoderTask(config, task);
        case ConfigKind::encoderDecoder:
            config.head = task != ConfigTask::none && task != ConfigTask::encoder;
            if (task == ConfigTask::encoder) config.decoderLayers = 0;
            return;
        case ConfigKind::vision:
            config.head = false;
            config.pooler = task == ConfigTask::none;
            if (task == ConfigTask::none) config.patches.labels = 0;
    }
}

/// A bound of the parameters in numbers that do not overflow.
double largeCountOf(const ConfigTransformer& c) {
    const auto number = [](std::int64_t value) { return static_cast<double>(value); };
    const double h = number(c.hidden), blocks = number(c.layers + c.decoderLayers);
    const ConfigLatent latent = c.latent.value_or(ConfigLatent{});
    const double ranks = number(latent.queryRank + latent.keyRank + latent.rotary);
    const double heads = number(c.heads) * number(c.headSize + latent.value + latent.plain);
    const double mixture = number(c.experts.count) * (number(c.experts.ffn) + 1) + number(c.experts.sharedFfn);
    const double layer = 8 * h * heads + ranks * (h + 2 * heads) + 4 * (h + 1) * (number(c.ffn) + mixture);
    const double patches = number(c.patches.channels * c.patches.patch) * number(c.patches.patch + c.patches.image);
    return blocks * layer + 4 * (h + 1) * (number(c.vocabulary + c.positionRows + c.patches.labels) + h + patches);
}

void checkConfig(const ConfigTransformer& c, const ConfigFields& in) {
    constexpr double kMostParameters = 4503599627370496;  // 2^52
    const auto fail = [&](const std::string& expected, const std::string& found) { in.root().fail(expected, found); };
    const ConfigLatent latent = c.latent.value_or(ConfigLatent{});
    if (c.heads * std::max({c.headSize, latent.plain + latent.value, latent.plain + latent.rotary}) > kConfigFeatures)
        fail("at most 2^20 features in all heads", fmt::format("{} heads of {} features", c.heads, c.headSize));
    if (!c.latent && c.heads % c.keyHeads != 0)
        fail("a number of heads of keys and values that divides the heads",
             fmt::format("{} heads with {} of keys and values", c.heads, c.keyHeads));
    if (std::max(c.ffn, c.experts.sharedFfn) > 4 * kConfigFeatures)
        fail("at most 2^22 features in a feed-forward part", fmt::format("{}", std::max(c.ffn, c.experts.sharedFfn)));
    const std::int64_t side = c.patches.image / c.patches.patch;
    if (side > 256) fail("at most 256 patches in a row", fmt::format("{}", side));
    if (largeCountOf(c) > kMostParameters) fail("sizes that make less than 2^52 parameters", "a larger model");
}

ConfigTransformer transformerIn(const ConfigFields& in) {
    const ConfigClass named = classOf(in);
    ConfigTransformer config = readByName(in, named);
    setTask(config, in, named.task);
    checkConfig(config, in);
    return config;
}

/// The length of a sample, of a model that reads text.
std::int64_t sequenceOf(const ConfigTransformer& config, const LoadOptions& options) {
    const std::int64_t most = std::max(config.context, std::int64_t{1});
    const auto given = options.dimensions.find(kConfigSequence);
    const std::int64_t usual = config.kind == ConfigKind::decoder ? kUsualSequence : 512;
    if (given == options.dimensions.end()) return std::min(most, usual);
    const bool bounded = config.positions == ConfigPositions::learned;
    const std::int64_t bound = bounded ? most : kLongestSequence;
    if (given->second > bound)
        throw UsageError(fmt::format("dimension '{}' is {}; expected at most {}", kConfigSequence, given->second,
                                     bounded ? fmt::format("the model's {} positions", most) : "a million"));
    return given->second;
}

void checkConfigDimensions(const ConfigTransformer& config, const std::string& file, const LoadOptions& options) {
    if (config.kind == ConfigKind::vision)
        checkDimensions(options, file, {});
    else
        checkDimensions(options, file, {kConfigSequence});
}

}  // namespace

std::int64_t ConfigFields::size(const Names& names, std::int64_t otherwise, std::int64_t max) const {
    for (const std::string& name : names)
        if (given(name)) return root_.at(name).whole(1, max);
    return otherwise;
}

std::int64_t ConfigFields::count(const Names& names, std::int64_t otherwise, std::int64_t max) const {
    for (const std::string& name : names)
        if (given(name)) return root_.at(name).whole(0, max);
    return otherwise;
}

std::int64_t ConfigFields::features(const Names& names, std::int64_t otherwise) const {
    return size(names, otherwise, kConfigFeatures);
}

bool ConfigFields::flag(const std::string& name, bool otherwise) const {
    return given(name) ? root_.at(name).boolean() : otherwise;
}

std::string ConfigFields::text(const std::string& name, const std::string& otherwise) const {
    return given(name) ? root_.at(name).text() : otherwise;
}

std::int64_t parametersOf(const ConfigTransformer& config) {
    return countOf(config, config.experts.count);
}

std::int64_t activeParametersOf(const ConfigTransformer& config) {
    return countOf(config, config.experts.perToken);
}

ConfigTransformer configTransformerOf(const std::string& bytes, const std::string& file) {
    return transformerIn(ConfigFields(JsonDocument::parse(bytes, file).root()));
}

bool looksLikeHfConfig(std::string_view bytes) {
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || bytes[first] != '{' || !schemaIn(bytes).empty()) return false;
    const std::string_view start = bytes.substr(0, std::size_t{1} << 20);
    return start.find("\"model_type\"") != std::string_view::npos ||
           start.find("\"architectures\"") != std::string_view::npos;
}

Graph readHfConfig(const std::string& bytes, const std::string& file, const LoadOptions& options) {
    const ConfigFields fields(JsonDocument::parse(bytes, file).root());
    const ConfigTransformer config = transformerIn(fields);
    checkConfigDimensions(config, file, options);
    return graphOfConfig(config, nameOfFile(file), file, options.batch.value_or(1), sequenceOf(config, options));
}

namespace {

using SpecDims = std::map<std::string, std::string, std::less<>>;

void sayExperts(SpecDims& dims, const ConfigExperts& experts) {
    dims["experts"] = std::to_string(experts.count);
    dims["experts_per_token"] = std::to_string(experts.perToken);
    dims["expert_ffn"] = std::to_string(experts.ffn);
    // Shared ones may be no whole number of experts wide.
    dims["shared_experts"] =
        fmt::format("{}", static_cast<double>(experts.sharedFfn) / static_cast<double>(experts.ffn));
    dims["dense_layers"] = std::to_string(experts.denseAt.size());
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

TransformerSpec specOf(const ConfigTransformer& c, std::int64_t sequence) {
    const bool isMixture = c.experts.count > 0 || c.latent;
    const char* const decoder = isMixture ? "zoo:moe" : c.gated ? "zoo:llama" : "zoo:gpt";
    TransformerSpec spec{.family = c.kind == ConfigKind::encoder ? "zoo:bert" : decoder, .dims = {}};
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
    say("sequence", sequence);
    if (c.headNorm != ConfigHeadNorm::none) say("qk_norm", 1);
    if (c.embeddingNorm && c.kind == ConfigKind::decoder) say("embedding_norm", 1);
    if (c.experts.count > 0) sayExperts(spec.dims, c.experts);
    if (c.latent) sayLatentSizes(spec.dims, *c.latent);
    return spec;
}

}  // namespace

std::optional<TransformerSpec> transformerSpecOfConfig(const std::string& file,
                                                       const std::map<std::string, std::int64_t>& dimensions) {
    if (isZooName(file) || !lowered(file).ends_with(".json") || !isFile(file)) return std::nullopt;
    const std::string bytes = readFile(file);
    if (std::string_view(readerFor(bytes, file).id) != "hf-config") return std::nullopt;
    const ConfigTransformer config = configTransformerOf(bytes, file);
    const LoadOptions options{.batch = {}, .dimensions = dimensions};
    checkConfigDimensions(config, file, options);
    if (config.kind == ConfigKind::encoderDecoder || config.kind == ConfigKind::vision) return std::nullopt;
    return specOf(config, sequenceOf(config, options));
}

}  // namespace tessera::model
