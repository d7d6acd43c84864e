#include "core/model/readers/hf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/model/readers/dimensions.h"
#include "core/model/readers/hf_config_parts.h"
#include "core/model/readers/layer_rules.h"
#include "core/model/readers/readers.h"
#include "core/model/zoo/zoo_name.h"

namespace tessera::model {

namespace {

constexpr std::int64_t kUsualSequence = 4096;
constexpr std::int64_t kLongestSequence = 1000000;  ///< of rotary positions, which have no table
constexpr const char* kConfigSequence = "sequence";

/// What the class that a file names has on top of the model, and the name without it.
enum class ConfigTask : std::uint8_t {
    usual,
    language,
    none,
    masked,
    preTraining,
    conditional,
    image,
    encoder,
    labels,       ///< of samples
    tokenLabels,  ///< of tokens
    answers,      ///< where they begin and end
    choices,      ///< a score for each sample
    nextSentence,
};

struct NamedTask {
    std::string_view suffix;
    ConfigTask task;
};
constexpr std::array<NamedTask, 15> kConfigTasks{{{"ForCausalLM", ConfigTask::language},
                                                  {"WithLMHeadModel", ConfigTask::conditional},
                                                  {"LMHeadModel", ConfigTask::language},
                                                  {"ForConditionalGeneration", ConfigTask::conditional},
                                                  {"ForMaskedLM", ConfigTask::masked},
                                                  {"ForPreTraining", ConfigTask::preTraining},
                                                  {"ForImageClassification", ConfigTask::image},
                                                  {"ForSequenceClassification", ConfigTask::labels},
                                                  {"ForTokenClassification", ConfigTask::tokenLabels},
                                                  {"ForQuestionAnswering", ConfigTask::answers},
                                                  {"ForMultipleChoice", ConfigTask::choices},
                                                  {"ForNextSentencePrediction", ConfigTask::nextSentence},
                                                  {"EncoderModel", ConfigTask::encoder},
                                                  {"ChatModel", ConfigTask::conditional},
                                                  {"Model", ConfigTask::none}}};

struct ConfigClass {
    std::string name;  ///< "Llama"
    ConfigTask task = ConfigTask::usual;
};

/// The first of `architectures`; nothing where there is none.
std::optional<JsonNode> classNode(const ConfigFields& in) {
    if (!in.given("architectures")) return std::nullopt;
    const std::vector<JsonNode> all = in.at("architectures").elements(1000);
    if (all.empty()) return std::nullopt;
    return all.front();
}

ConfigClass classOf(const ConfigFields& in) {
    const std::optional<JsonNode> node = classNode(in);
    if (!node) return {};
    const std::string text = node->text();
    std::vector<std::string> ends;
    for (const NamedTask& named : kConfigTasks) {
        if (text.ends_with(named.suffix) && text.size() > named.suffix.size())
            return {text.substr(0, text.size() - named.suffix.size()), named.task};
        ends.emplace_back(named.suffix);
    }
    node->fail("a class whose name ends with one of " + joined(ends, ", "));
}

/// The row of a model type, which `in` names or which is usual where it names none; null: neither is there.
const ConfigRow* rowOfType(const ConfigFields& in) {
    const std::string type = in.text("model_type", "");
    if (type.empty()) return nullptr;
    if (const ConfigRow* const row = configRowOf(type)) return row;
    const std::string refusal = configRefusalOf(type);
    in.at("model_type").fail(refusal.empty() ? expectedArchitecture(type) : refusal);
}

/// The row that a file names by its type, its class or both, which must then mean the same.
const ConfigRow& rowIn(const ConfigFields& in, const ConfigClass& named) {
    const ConfigRow* const ofType = rowOfType(in);
    if (named.name.empty()) {
        if (ofType == nullptr)
            in.root().fail("an object with 'model_type', " + expectedArchitecture(""), "an object without it");
        return *ofType;
    }
    const ConfigRow* const ofClass = configRowOf(named.name);
    const JsonNode node = *classNode(in);
    if (ofType == nullptr && ofClass == nullptr) {
        const std::string refusal = configRefusalOf(named.name);
        node.fail(refusal.empty() ? expectedArchitecture(named.name) : refusal);
    }
    if (ofType == nullptr) return *ofClass;
    const std::string type = in.text("model_type", "");
    if (ofClass == nullptr || (ofClass != ofType && !hasName(ofClass->alsoUnder, type)))
        node.fail(fmt::format("a class of the model_type {}", inQuotes(type)));
    return *ofClass;
}

ConfigTransformer readByName(const ConfigFields& in, const ConfigClass& named) {
    ConfigTransformer config = rowIn(in, named).read(in);
    const std::string type = in.text("model_type", "");
    config.architecture = type.empty() ? named.name : type;
    return config;
}

void setEncoderTask(ConfigTransformer& config, const ConfigFields& in, ConfigTask task) {
    const bool masked = task == ConfigTask::masked || task == ConfigTask::language || task == ConfigTask::preTraining;
    const bool ofSamples =
        task == ConfigTask::labels || task == ConfigTask::choices || task == ConfigTask::nextSentence;
    config.transform = config.headBias = config.head = masked;
    config.nextSentence = task == ConfigTask::preTraining;
    config.pooler = task == ConfigTask::preTraining;
    if (task == ConfigTask::none || task == ConfigTask::usual) config.pooler = config.pooling != ConfigPooling::nowhere;
    if (task == ConfigTask::tokenLabels) config.labels = {.count = labelsOf(in), .ofTokens = true};
    if (task == ConfigTask::answers) config.labels = {.count = 2, .ofTokens = true};
    if (!ofSamples) return;
    config.labels.count = task == ConfigTask::choices ? 1 : task == ConfigTask::nextSentence ? 2 : labelsOf(in);
    // RoBERTa's head for labels of samples has a product of its own, that for choices the model's.
    config.pooler = config.pooling == ConfigPooling::everywhere ||
                    (config.pooling == ConfigPooling::modelAlone && task != ConfigTask::labels);
    config.labels.dense = !config.pooler;
}

/// A head that gives labels in place of words: of a sample by its last token, without a bias.
void setDecoderTask(ConfigTransformer& config, const ConfigFields& in, ConfigTask task) {
    // ChatGLM's class without a task has a head.
    config.head = task != ConfigTask::none || lowered(config.architecture) == "chatglm";
    if (task == ConfigTask::labels) config.labels = {.count = labelsOf(in), .bias = false};
    if (task == ConfigTask::tokenLabels) config.labels = {.count = labelsOf(in), .ofTokens = true};
    if (task == ConfigTask::answers) config.labels = {.count = 2, .ofTokens = true};
    if (config.labels.count > 0) config.head = false;
}

void setT5Task(ConfigTransformer& config, const ConfigFields& in, ConfigTask task) {
    config.head = task == ConfigTask::usual || task == ConfigTask::conditional || task == ConfigTask::language;
    if (task == ConfigTask::encoder || task == ConfigTask::tokenLabels) config.decoderLayers = 0;
    if (task == ConfigTask::labels) config.labels = {.count = labelsOf(in), .dense = true};
    if (task == ConfigTask::tokenLabels) config.labels = {.count = labelsOf(in), .ofTokens = true};
    if (task == ConfigTask::answers) config.labels = {.count = 2, .ofTokens = true};
}

/// Tasks that models of a kind have classes for, with an example for messages.
struct TasksOfKind {
    std::set<ConfigTask> tasks;
    const char* expected;
};
const TasksOfKind& tasksOf(ConfigKind kind) {
    using enum ConfigTask;
    static const std::map<ConfigKind, TasksOfKind> kTasks{
        {ConfigKind::decoder,
         {{usual, language, none, conditional, labels, tokenLabels, answers},
          "a class of a decoder, such as one whose name ends with ForCausalLM"}},
        {ConfigKind::encoder,
         {{usual, language, none, masked, preTraining, labels, tokenLabels, answers, choices, nextSentence},
          "a class of an encoder, such as one whose name ends with Model or ForMaskedLM"}},
        {ConfigKind::encoderDecoder,
         {{usual, language, none, conditional, encoder, labels, tokenLabels, answers},
          "a class of an encoder and a decoder, such as one whose name ends with ForConditionalGeneration"}},
        {ConfigKind::vision,
         {{usual, none, image}, "a class of images, such as one whose name ends with ForImageClassification"}}};
    return kTasks.at(kind);
}

/// What the class adds: by default, the head that models of its kind have. `in`: the whole file.
void setTask(ConfigTransformer& config, const ConfigFields& in, ConfigTask task) {
    const TasksOfKind& known = tasksOf(config.kind);
    if (!known.tasks.contains(task)) classNode(in)->fail(known.expected);
    switch (config.kind) {
        case ConfigKind::decoder:
            return setDecoderTask(config, in, task);
        case ConfigKind::encoder:
            return setEncoderTask(config, in, task);
        case ConfigKind::encoderDecoder:
            return setT5Task(config, in, task);
        case ConfigKind::vision:
            config.head = false;
            config.pooler = task == ConfigTask::none;
            if (task != ConfigTask::none) config.labels = {.count = labelsOf(in)};
    }
}

/// A bound of the parameters in numbers that do not overflow.
double largeCountOf(const ConfigTransformer& c) {
    const auto number = [](std::int64_t value) { return static_cast<double>(value); };
    const double h = number(c.hidden), blocks = number(c.layers + c.decoderLayers);
    const ConfigLatent latent = c.latent.value_or(ConfigLatent{});
    const double ranks = number(latent.queryRank + latent.keyRank + latent.rotary);
    const double heads = number(c.heads) * number(c.headSize + latent.value + latent.plain);
    const double mixture =
        number(c.experts.count) * (number(c.experts.ffn) + 1) + number(c.experts.sharedFfn + c.experts.residualFfn);
    const double layer = 8 * h * heads + ranks * (h + 2 * heads) + 4 * (h + 1) * (number(c.ffn) + mixture);
    const double patches = number(c.patches.channels * c.patches.patch) * number(c.patches.patch + c.patches.image);
    return blocks * layer + 4 * (h + 1) * (number(c.vocabulary + c.positionRows + c.labels.count) + h + patches);
}

/// Heads that have no size of their own divide the width.
void checkHeads(const ConfigTransformer& c, const ConfigFields& in) {
    if (!c.headsDivide || c.hidden % c.heads == 0) return;
    const std::string name = in.firstGiven(configHeadNames());
    const std::string expected =
        fmt::format("a number of heads that divides the width of {}, or a field 'head_dim'", c.hidden);
    if (!name.empty()) in.at(name).fail(expected);
    in.root().fail(expected, fmt::format("{} heads", c.heads));
}

void checkConfig(const ConfigTransformer& c, const ConfigFields& in) {
    constexpr double kMaxParameters = 4503599627370496;  // 2^52
    const auto fail = [&](const std::string& expected, const std::string& found) { in.root().fail(expected, found); };
    const ConfigLatent latent = c.latent.value_or(ConfigLatent{});
    checkHeads(c, in);
    if (c.heads * std::max({c.headSize, latent.plain + latent.value, latent.plain + latent.rotary}) > kConfigFeatures)
        fail("at most 2^20 features in all heads", fmt::format("{} heads of {} features", c.heads, c.headSize));
    if (!c.latent && c.heads % c.keyHeads != 0)
        fail("a number of heads of keys and values that divides the heads",
             fmt::format("{} heads with {} of keys and values", c.heads, c.keyHeads));
    if (std::max(c.ffn, c.experts.sharedFfn) > 4 * kConfigFeatures)
        fail("at most 2^22 features in a feed-forward part", fmt::format("{}", std::max(c.ffn, c.experts.sharedFfn)));
    const std::int64_t side = c.patches.image / c.patches.patch;
    if (side > 256) fail("at most 256 patches in a row", fmt::format("{}", side));
    if (largeCountOf(c) > kMaxParameters) fail("sizes that make less than 2^52 parameters", "a larger model");
}

/// What a message calls the model that a file describes.
std::string wholeNameOf(const ConfigFields& in) {
    const std::optional<JsonNode> node = classNode(in);
    return inQuotes(node ? node->text() : in.text("model_type", "the model"));
}

std::string languageOnly(const ConfigFields& in) {
    return fmt::format(
        "Only the language model of {} is read: what stands beside it, such as an encoder of images, is not counted.",
        wholeNameOf(in));
}

/// The row of a language model in a model of several parts: by its own type, or that of the whole.
const ConfigRow& rowOfLanguagePart(const ConfigFields& part, const ConfigFields& whole) {
    if (const ConfigRow* const row = rowOfType(part)) return *row;
    const std::string type = whole.text("model_type", "");
    if (const ConfigRow* const row = configRowOf(type + "_text")) return *row;
    if (const ConfigRow* const row = configRowOf(type)) return *row;
    part.root().fail("an object with 'model_type', " + expectedArchitecture(""), "an object without it");
}

/// Where models of several parts have the language model, as most name it and as InternVL and DeepSeek-VL do; empty:
/// the file has no such part.
std::string languagePartOf(const ConfigFields& in) {
    return in.firstGiven({"text_config", "llm_config", "language_config"});
}

/// The language model of a file that describes several parts.
ConfigTransformer languageModelIn(const ConfigFields& in, const ConfigClass& named) {
    const JsonNode node = in.at(languagePartOf(in));
    if (!node.isObject()) node.fail("an object with the language model's fields");
    const ConfigFields part(node);
    const ConfigRow& row = rowOfLanguagePart(part, in);
    const ConfigRow* const ofClass = configRowOf(named.name);
    if (ofClass != nullptr && ofClass != &row)
        classNode(in)->fail(fmt::format("a class of a model with the language model in '{}'", node.path()));
    ConfigTransformer config = row.read(part);
    if (config.kind != ConfigKind::decoder) node.fail("a language model that is a decoder", "another kind of model");
    config.architecture = in.text("model_type", part.text("model_type", named.name));
    // The part's own field counts, then that of the whole, then the part's class.
    if (!part.given("tie_word_embeddings")) config.tied = in.flag("tie_word_embeddings", config.tied);
    config.unread = languageOnly(in);
    config.window = windowOf(part, part.text("model_type", config.architecture), config.layers);
    setTask(config, in, named.task);
    checkConfig(config, part);
    return config;
}

ConfigTransformer transformerIn(const ConfigFields& in) {
    const ConfigClass named = classOf(in);
    if (!languagePartOf(in).empty()) return languageModelIn(in, named);
    ConfigTransformer config = readByName(in, named);
    config.window = windowOf(in, config.architecture, config.layers);
    setTask(config, in, named.task);
    checkConfig(config, in);
    if (in.given("vision_config")) {
        if (!lowered(config.architecture).ends_with("vl"))
            in.at("vision_config").fail("an object 'text_config' with the language model beside it");
        config.unread = languageOnly(in);
    }
    return config;
}

/// What the graph's products do beyond the windows or chunks of layers.
std::string maskedWindow(const ConfigTransformer& config) {
    const std::int64_t size = config.window.size;
    const std::string seen = config.window.chunked ? fmt::format("attend within chunks of {} tokens", size)
                                                   : fmt::format("attend to the last {} tokens", size);
    return fmt::format(
        "{} of {} layers {} alone: operators count the scores of all tokens, of which such a layer masks most; a step "
        "of training counts those within.",
        config.window.layers, config.layers, seen);
}

/// The length of a sample, of a model that reads text.
std::int64_t sequenceOf(const ConfigTransformer& config, const LoadOptions& options) {
    const std::int64_t max = std::max(config.context, std::int64_t{1});
    const auto given = options.dimensions.find(kConfigSequence);
    const std::int64_t usual = config.kind == ConfigKind::decoder ? kUsualSequence : 512;
    if (given == options.dimensions.end()) return std::min(max, usual);
    const bool bounded = config.positions == ConfigPositions::learned;
    const std::int64_t bound = bounded ? max : kLongestSequence;
    if (given->second > bound)
        throw UsageError(fmt::format("dimension '{}' is {}; expected at most {}", kConfigSequence, given->second,
                                     bounded ? fmt::format("the model's {} positions", max) : "a million"));
    return given->second;
}

void checkConfigDimensions(const ConfigTransformer& config, const std::string& file, const LoadOptions& options) {
    if (config.kind == ConfigKind::vision)
        checkDimensions(options, file, {});
    else
        checkDimensions(options, file, {kConfigSequence});
}

}  // namespace

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
    const std::int64_t sequence = sequenceOf(config, options);
    Graph graph = graphOfConfig(config, nameOfFile(file), file, options.batch.value_or(1), sequence);
    if (!config.unread.empty()) graph.warnings.push_back(config.unread);
    if (config.window.layers > 0 && config.window.size < sequence) graph.warnings.push_back(maskedWindow(config));
    return graph;
}

namespace {

/// Why the physical model of transformers does not know a model; empty: it knows it.
std::string unknownToPhysics(const ConfigTransformer& config) {
    if (config.kind == ConfigKind::encoderDecoder) return "it has an encoder beside its decoder";
    if (config.kind == ConfigKind::vision) return "it reads images";
    if (!config.linearAt.empty()) return "the attention of some layers is linear in the sequence";
    return {};
}

}  // namespace

std::optional<TransformerSpec> transformerSpecOfConfig(const std::string& file,
                                                       const std::map<std::string, std::int64_t>& dimensions,
                                                       std::string& refusal) {
    if (isZooName(file) || !lowered(file).ends_with(".json") || !isFile(file)) return std::nullopt;
    const std::string bytes = readFile(file);
    if (std::string_view(readerFor(bytes, file).id) != "hf-config") return std::nullopt;
    const ConfigTransformer config = configTransformerOf(bytes, file);
    const LoadOptions options{.batch = {}, .dimensions = dimensions};
    checkConfigDimensions(config, file, options);
    refusal = unknownToPhysics(config);
    if (!refusal.empty()) return std::nullopt;
    TransformerSpec spec = configSpecOf(config);
    spec.dims["sequence"] = std::to_string(sequenceOf(config, options));
    return spec;
}

}  // namespace tessera::model
