#include "core/model/zoo/transformer_rows.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "core/model/zoo/families.h"
#include "core/model/zoo/network.h"

namespace tessera::model::zoo {

namespace {

constexpr const char* kTransformer = "transformer";
constexpr const char* kGptFamily = "zoo:gpt";
constexpr const char* kBertFamily = "zoo:bert";
constexpr const char* kLlamaFamily = "zoo:llama";
constexpr const char* kMixtureFamily = "zoo:moe";
constexpr const char* kT5Family = "zoo:t5";

ZooDimension sequence(std::int64_t value, std::int64_t max) {
    return {"sequence", "tokens per sample", value, max};
}

ZooDimension tensorParallel(std::int64_t heads) {
    return {"tensor_parallel",
            "devices that share every layer by Megatron-LM's column and row split; the model is the slice of one",
            1,
            heads,
            heads,
            "heads"};
}

constexpr const char* kMegatron =
    "Shoeybi, Patwary, Puri, LeGresley, Casper, Catanzaro: \"Megatron-LM: Training Multi-Billion Parameter Language "
    "Models Using Model Parallelism\", arXiv:1909.08053, 2019";
constexpr const char* kGpt2 =
    "Radford, Wu, Child, Luan, Amodei, Sutskever: \"Language Models are Unsupervised Multitask Learners\", OpenAI, "
    "2019";
constexpr const char* kBert =
    "Devlin, Chang, Lee, Toutanova: \"BERT: Pre-training of Deep Bidirectional Transformers for Language "
    "Understanding\", NAACL 2019";
constexpr const char* kNarayanan =
    "Narayanan, Shoeybi, Casper et al.: \"Efficient Large-Scale Language Model Training on GPU Clusters Using "
    "Megatron-LM\", SC 2021, table 1";
constexpr const char* kOpt =
    "Zhang, Roller, Goyal, Artetxe, Chen, Chen, Dewan, Diab, Li, Lin et al.: \"OPT: Open Pre-trained Transformer "
    "Language Models\", arXiv:2205.01068, 2022; as in Hugging Face transformers";
constexpr const char* kLlama2 =
    "Touvron, Martin, Stone et al.: \"Llama 2: Open Foundation and Fine-Tuned Chat Models\", arXiv:2307.09288, 2023";
constexpr const char* kLlama3 =
    "Grattafiori, Dubey, Jauhri et al.: \"The Llama 3 Herd of Models\", arXiv:2407.21783, 2024";
constexpr const char* kMixtral =
    "Jiang, Sablayrolles, Roux, Mensch et al.: \"Mixtral of Experts\", arXiv:2401.04088, 2024";
constexpr const char* kQwen3 = "Qwen Team: \"Qwen3 Technical Report\", arXiv:2505.09388, 2025";
constexpr const char* kGatedT5 =
    "Raffel, Shazeer, Roberts et al.: T5 version 1.1, as in Google Research's text-to-text-transfer-transformer; "
    "Shazeer: \"GLU Variants Improve Transformer\", arXiv:2002.05202, 2020";
constexpr const char* kT5 =
    "Raffel, Shazeer, Roberts, Lee, Narang, Matena, Zhou, Li, Liu: \"Exploring the Limits of Transfer Learning with a "
    "Unified Text-to-Text Transformer\", JMLR 2020";

/// What lists say of a network.
struct Labels {
    std::string id, title, source, description;
};

using Sizes = std::map<std::string, std::int64_t>;
using Build = Graph (*)(Network net);

/// A network of a family: the row of the zoo, its graph and its specification come from the same sizes.
ZooEntry rowOf(Labels labels, Build build, const char* family, Sizes sizes, const ZooDimension& tokens) {
    const auto keyHeads = sizes.find("kv_heads");
    const std::int64_t split = keyHeads == sizes.end() ? sizes.at("heads") : keyHeads->second;
    return {.id = std::move(labels.id),
            .title = std::move(labels.title),
            .family = kTransformer,
            .source = std::move(labels.source),
            .description = std::move(labels.description),
            .build = build,
            .dimensions = {tokens, tensorParallel(split)},
            .transformer = {.family = family, .sizes = std::move(sizes)}};
}

/// Layers, heads and width, and what most rows of a family have in common.
struct StackSize {
    std::int64_t layers, heads, hidden;
    std::int64_t positions = 1024, vocabulary = 50257;
};

/// A table of positions bounds the sequence.
ZooEntry stackRow(Labels labels, Build build, const char* family, const StackSize& size) {
    Sizes sizes{{"layers", size.layers},
                {"heads", size.heads},
                {"hidden", size.hidden},
                {"positions", size.positions},
                {"vocabulary", size.vocabulary}};
    return rowOf(std::move(labels), build, family, std::move(sizes), sequence(size.positions, size.positions));
}

ZooEntry gptRow(Labels labels, const StackSize& size) {
    return stackRow(std::move(labels), gpt, kGptFamily, size);
}

ZooEntry bertRow(Labels labels, Build build, const StackSize& size) {
    return stackRow(std::move(labels), build, kBertFamily, size);
}

/// Megatron's GPTs of the paper's table 1: "7.5b", 36, 32, 4096.
ZooEntry megatronRow(const std::string& size, std::int64_t layers, std::int64_t heads, std::int64_t hidden) {
    const std::string billions = size.substr(0, size.size() - 1) + "B";
    return gptRow({"megatron-gpt-" + size, "Megatron GPT " + billions, kNarayanan,
                   fmt::format("{} decoder blocks of width {}, {} heads; 51,200 words, as padded for up to 8 devices.",
                               layers, hidden, heads)},
                  {layers, heads, hidden, 2048, 51200});
}

/// The table of positions has two rows in front of the first token's.
ZooEntry optRow(const std::string& size, std::int64_t layers, std::int64_t heads, std::int64_t hidden) {
    constexpr std::int64_t kTokens = 2048;
    return rowOf(
        {"opt-" + size, "OPT-" + size.substr(0, size.size() - 1) + (size.ends_with("m") ? "M" : "B"), kOpt,
         fmt::format("{} decoder blocks of width {} with three projections and ReLU.", layers, hidden)},
        opt, kGptFamily,
        {{"layers", layers}, {"heads", heads}, {"hidden", hidden}, {"positions", kTokens + 2}, {"vocabulary", 50272}},
        sequence(kTokens, kTokens));
}

ZooEntry llamaRow(Labels labels, Sizes sizes, std::int64_t tokens) {
    return rowOf(std::move(labels), llama, kLlamaFamily, std::move(sizes), sequence(tokens, kAnyLength));
}

ZooEntry mixtureRow(Labels labels, Sizes sizes) {
    return rowOf(std::move(labels), mixture, kMixtureFamily, std::move(sizes), sequence(4096, kAnyLength));
}

// Families of any size ------------------------------------------------------------------------------------------------

// Limits so that no product of sizes leaves what a graph can count, and no graph is larger than memory.
constexpr std::int64_t kMaxStackLayers = 1000, kMaxFeatures = 1 << 20, kMaxHeads = 4096, kMaxWords = 1 << 24;

ZooDimension sized(const char* name, const char* meaning, std::int64_t value, std::int64_t max) {
    return {.name = name, .meaning = meaning, .value = value, .max = max};
}

/// A size that is that of another one, or follows from it, where none is given.
ZooDimension following(ZooDimension row, const char* other) {
    row.follows = other;
    return row;
}

ZooDimension fromZero(ZooDimension row) {
    row.min = 0;
    return row;
}

/// Dimensions that all families have, with the sizes of one of their models.
std::vector<ZooDimension> stackDimensions(const StackSize& size) {
    return {sized("layers", "blocks", size.layers, kMaxStackLayers),
            sized("hidden", "features of a token", size.hidden, kMaxFeatures),
            sized("heads", "heads of queries", size.heads, kMaxHeads),
            following(sized("kv_heads", "heads of keys and values", size.heads, kMaxHeads), "heads"),
            following(sized("head_size", "features of a head", size.hidden / size.heads, kMaxHeads), "hidden / heads"),
            following(sized("ffn", "features of the feed-forward part", 4 * size.hidden, kMaxFeatures), "4 hidden"),
            sized("vocabulary", "words", size.vocabulary, kMaxWords),
            sequence(size.positions, kAnyLength)};
}

ZooDimension tiedHead(std::int64_t value) {
    return fromZero(
        sized("tied", "1: the head shares the table of the embedding; 0: it has weights of its own", value, 1));
}

ZooDimension slicedFamily() {
    ZooDimension row = tensorParallel(kMaxHeads);
    row.divides = 0;
    return row;
}

ZooEntry familyRow(Labels labels, Build build, const char* family, std::vector<ZooDimension> dimensions) {
    dimensions.push_back(slicedFamily());
    return {.id = std::move(labels.id),
            .title = std::move(labels.title),
            .family = kTransformer,
            .source = std::move(labels.source),
            .description = std::move(labels.description),
            .build = build,
            .dimensions = std::move(dimensions),
            .transformer = {.family = family, .sizes = {}}};
}

/// Learned positions, as many as tokens where none are given.
std::vector<ZooDimension> positionedDimensions(const StackSize& size) {
    std::vector<ZooDimension> rows = stackDimensions(size);
    rows.push_back(
        following(fromZero(sized("positions", "rows of the table of positions; 0: none", size.positions, kAnyLength)),
                  "sequence"));
    return rows;
}

std::vector<ZooDimension> gptDimensions() {
    std::vector<ZooDimension> rows = positionedDimensions({12, 12, 768});
    rows.push_back(tiedHead(1));
    return rows;
}

/// Sizes of the model that a family of gated decoders has by default.
struct GatedSize {
    StackSize stack;
    std::int64_t feedForward;
};

std::vector<ZooDimension> gatedDimensions(const GatedSize& size) {
    std::vector<ZooDimension> rows = stackDimensions(size.stack);
    for (ZooDimension& row : rows)
        if (row.name == "ffn") row = sized("ffn", "features of the feed-forward part", size.feedForward, kMaxFeatures);
    rows.push_back(tiedHead(0));
    rows.push_back(fromZero(sized("qk_norm", "1: queries and keys of every head are normalised", 0, 1)));
    return rows;
}

std::vector<ZooDimension> mixtureDimensions() {
    std::vector<ZooDimension> rows = gatedDimensions({{32, 32, 4096, 4096, 32000}, 14336});
    for (ZooDimension& row : rows)
        if (row.name == "kv_heads") row = sized("kv_heads", "heads of keys and values", 8, kMaxHeads);
    const std::vector<ZooDimension> more{
        sized("experts", "experts that a router chooses from", 8, kMaxHeads),
        sized("experts_per_token", "experts that it chooses for a token", 2, kMaxHeads),
        following(sized("expert_ffn", "features of an expert", 14336, kMaxFeatures), "ffn"),
        fromZero(sized("shared_experts", "experts beside them for every token", 0, kMaxHeads)),
        fromZero(sized("dense_layers", "first blocks without experts", 0, kMaxStackLayers)),
        fromZero(sized("query_rank", "rank of the queries of latent attention; 0: it is not latent", 0, kMaxFeatures)),
        fromZero(sized("key_rank", "rank of its keys and values; heads then have 128 features and 64 with positions", 0,
                       kMaxFeatures))};
    rows.insert(rows.end(), more.begin(), more.end());
    return rows;
}

// T5 -----------------------------------------------------------------------------------------------------------------

constexpr std::int64_t kT5Words = 32128;

std::vector<ZooDimension> sourceAndTarget() {
    return {{"sequence", "tokens of the source per sample", 512, kAnyLength},
            {"target", "tokens of the target per sample", 114, kAnyLength}};
}

/// Encoder and decoder have as many blocks.
struct T5Size {
    std::int64_t layers, heads, hidden, feedForward, headSize = 64;
    bool isGated = false;  ///< as in version 1.1, whose head has a table of its own
};

ZooEntry t5Row(Labels labels, const T5Size& size) {
    std::vector<ZooDimension> dimensions = sourceAndTarget();
    dimensions.push_back(tensorParallel(size.heads));
    return {.id = std::move(labels.id),
            .title = std::move(labels.title),
            .family = kTransformer,
            .source = std::move(labels.source),
            .description = std::move(labels.description),
            .build = t5,
            .dimensions = std::move(dimensions),
            .transformer = {.family = kT5Family,
                            .sizes = {{"layers", size.layers},
                                      {"heads", size.heads},
                                      {"hidden", size.hidden},
                                      {"head_size", size.headSize},
                                      {"ffn", size.feedForward},
                                      {"vocabulary", kT5Words},
                                      {"gated", size.isGated ? 1 : 0},
                                      {"tied", size.isGated ? 0 : 1}},
                            .isStack = false}};
}

ZooEntry t5Family() {
    std::vector<ZooDimension> rows;
    for (ZooDimension& row : stackDimensions({12, 12, 768, 512, kT5Words}))
        if (row.name != "kv_heads" && row.name != "sequence") rows.push_back(std::move(row));
    for (ZooDimension& row : sourceAndTarget()) rows.push_back(std::move(row));
    rows.push_back(fromZero(sized("gated", "1: feed-forward parts of three products, as in version 1.1", 0, 1)));
    rows.push_back(tiedHead(1));
    ZooEntry entry = familyRow(
        {"t5", "T5 of any size", kT5, "Encoder and as many decoder blocks as in T5, whose base model is the default."},
        t5, kT5Family, std::move(rows));
    entry.transformer.isStack = false;
    return entry;
}

}  // namespace

std::vector<ZooEntry> transformerRows() {
    return {
        {"vit-b-16",
         "ViT-B/16",
         kTransformer,
         "Dosovitskiy, Beyer, Kolesnikov, Weissenborn, Zhai, Unterthiner, Dehghani, Minderer, Heigold, Gelly, "
         "Uszkoreit, Houlsby: \"An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale\", ICLR "
         "2021; as in torchvision",
         "12 encoder blocks of width 768 on 196 patches of 224x224 and a class token.",
         vitB16,
         {tensorParallel(12)}},
        familyRow({"bert", "BERT of any size", kBert, "Encoder blocks as in BERT, whose large model is the default."},
                  bert, kBertFamily, positionedDimensions({24, 16, 1024, 512, 30522})),
        bertRow({"bert-base", "BERT-base", kBert, "12 encoder blocks of width 768 with the pooler, without a head."},
                bert, {12, 12, 768, 512, 30522}),
        bertRow({"bert-large", "BERT-large", kBert, "24 encoder blocks of width 1024 with the pooler, without a head."},
                bert, {24, 16, 1024, 512, 30522}),
        bertRow({"megatron-bert", "Megatron-BERT", kMegatron,
                 "BERT-large with normalisations in front of its parts and 29,056 words; with the pooler, without a "
                 "head."},
                megatronBert, {24, 16, 1024, 512, 29056}),
        familyRow({"gpt", "GPT of any size", kGpt2, "Decoder blocks as in GPT-2, whose small model is the default."},
                  gpt, kGptFamily, gptDimensions()),
        gptRow({"gpt2", "GPT-2 small", kGpt2, "12 decoder blocks of width 768; logits of all tokens."}, {12, 12, 768}),
        gptRow({"gpt2-medium", "GPT-2 medium", kGpt2, "24 decoder blocks of width 1024; logits of all tokens."},
               {24, 16, 1024}),
        gptRow({"gpt2-large", "GPT-2 large", kGpt2, "36 decoder blocks of width 1280; logits of all tokens."},
               {36, 20, 1280}),
        gptRow({"gpt2-xl", "GPT-2 XL (1.5B)", kGpt2, "48 decoder blocks of width 1600; logits of all tokens."},
               {48, 25, 1600}),
        gptRow({"megatron-gpt-2.5b", "Megatron GPT-2 2.5B", kMegatron,
                "54 decoder blocks of width 1920, 20 heads; 51,200 words, as padded for up to 8 devices."},
               {54, 20, 1920, 1024, 51200}),
        gptRow({"megatron-gpt-8.3b", "Megatron GPT-2 8.3B", kMegatron,
                "72 decoder blocks of width 3072, 32 heads; 51,200 words, as padded for up to 8 devices."},
               {72, 32, 3072, 1024, 51200}),
        megatronRow("1.7b", 24, 24, 2304),
        megatronRow("3.6b", 30, 32, 3072),
        megatronRow("7.5b", 36, 32, 4096),
        megatronRow("18.4b", 40, 48, 6144),
        megatronRow("39.1b", 48, 64, 8192),
        megatronRow("76.1b", 60, 80, 10240),
        megatronRow("145.6b", 80, 96, 12288),
        gptRow({"gpt3-175b", "GPT-3 175B",
                "Brown et al.: \"Language Models are Few-Shot Learners\", NeurIPS 2020; as in Narayanan et al.: "
                "\"Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM\", SC 2021",
                "96 decoder blocks of width 12288 with dense attention; 51,200 words, as padded for up to 8 devices."},
               {96, 96, 12288, 2048, 51200}),
        megatronRow("310.1b", 96, 128, 16384),
        megatronRow("529.6b", 105, 128, 20480),
        megatronRow("1008b", 128, 160, 25600),
        optRow("125m", 12, 12, 768),
        {"opt-350m",
         "OPT-350M",
         kTransformer,
         kOpt,
         "24 decoder blocks of width 1024 with normalisations behind the sums; words of width 512.",
         opt350m,
         {sequence(2048, 2048), tensorParallel(16)}},
        optRow("1.3b", 24, 32, 2048),
        optRow("2.7b", 32, 32, 2560),
        optRow("6.7b", 32, 32, 4096),
        optRow("13b", 40, 40, 5120),
        optRow("30b", 48, 56, 7168),
        optRow("66b", 64, 72, 9216),
        optRow("175b", 96, 96, 12288),
        rowOf({"bloom-176b", "BLOOM 176B",
               "BigScience Workshop: \"BLOOM: A 176B-Parameter Open-Access Multilingual Language Model\", "
               "arXiv:2211.05100, 2022",
               "70 decoder blocks of width 14336 with scores biased by distance and a normalised embedding."},
              bloom, kGptFamily,
              {{"layers", 70},
               {"heads", 112},
               {"hidden", 14336},
               {"positions", 0},
               {"embedding_norm", 1},
               {"vocabulary", 250880}},
              sequence(2048, kAnyLength)),
        familyRow({"llama", "Llama of any size", kLlama2,
                   "Decoder blocks as in Llama 2, whose 7B model is the default, with heads in groups."},
                  llama, kLlamaFamily, gatedDimensions({{32, 32, 4096, 4096, 32000}, 11008})),
        llamaRow({"llama2-7b", "Llama 2 7B", kLlama2,
                  "32 decoder blocks of width 4096 with rotary positions and gated feed-forward parts."},
                 {{"layers", 32}, {"heads", 32}, {"hidden", 4096}, {"ffn", 11008}, {"vocabulary", 32000}}, 4096),
        llamaRow({"llama2-13b", "Llama 2 13B", kLlama2,
                  "40 decoder blocks of width 5120 with rotary positions and gated feed-forward parts."},
                 {{"layers", 40}, {"heads", 40}, {"hidden", 5120}, {"ffn", 13824}, {"vocabulary", 32000}}, 4096),
        llamaRow(
            {"llama2-70b", "Llama 2 70B", kLlama2, "80 decoder blocks of width 8192, 64 heads in 8 groups."},
            {{"layers", 80}, {"heads", 64}, {"kv_heads", 8}, {"hidden", 8192}, {"ffn", 28672}, {"vocabulary", 32000}},
            4096),
        llamaRow(
            {"llama3-8b", "Llama 3 8B", kLlama3, "32 decoder blocks of width 4096, 32 heads in 8 groups."},
            {{"layers", 32}, {"heads", 32}, {"kv_heads", 8}, {"hidden", 4096}, {"ffn", 14336}, {"vocabulary", 128256}},
            8192),
        llamaRow(
            {"llama3-70b", "Llama 3 70B", kLlama3, "80 decoder blocks of width 8192, 64 heads in 8 groups."},
            {{"layers", 80}, {"heads", 64}, {"kv_heads", 8}, {"hidden", 8192}, {"ffn", 28672}, {"vocabulary", 128256}},
            8192),
        llamaRow(
            {"llama3.1-8b", "Llama 3.1 8B", kLlama3, "As Llama 3 8B; its contexts are longer."},
            {{"layers", 32}, {"heads", 32}, {"kv_heads", 8}, {"hidden", 4096}, {"ffn", 14336}, {"vocabulary", 128256}},
            8192),
        llamaRow(
            {"llama3.1-70b", "Llama 3.1 70B", kLlama3, "As Llama 3 70B; its contexts are longer."},
            {{"layers", 80}, {"heads", 64}, {"kv_heads", 8}, {"hidden", 8192}, {"ffn", 28672}, {"vocabulary", 128256}},
            8192),
        llamaRow({"llama3.1-405b", "Llama 3.1 405B", kLlama3,
                  "126 decoder blocks of width 16384, 128 heads in 8 groups; as pre-trained on 8,192 tokens."},
                 {{"layers", 126},
                  {"heads", 128},
                  {"kv_heads", 8},
                  {"hidden", 16384},
                  {"ffn", 53248},
                  {"vocabulary", 128256}},
                 8192),
        familyRow({"moe", "Mixture of experts of any size", kMixtral,
                   "Decoder blocks whose tokens go to some of many experts, as in Mixtral 8x7B, which is the default."},
                  mixture, kMixtureFamily, mixtureDimensions()),
        mixtureRow({"mixtral-8x7b", "Mixtral 8x7B", kMixtral,
                    "32 decoder blocks of width 4096; 2 of 8 experts of width 14336 for a token."},
                   {{"layers", 32},
                    {"heads", 32},
                    {"kv_heads", 8},
                    {"hidden", 4096},
                    {"ffn", 14336},
                    {"vocabulary", 32000},
                    {"experts", 8},
                    {"experts_per_token", 2}}),
        mixtureRow({"mixtral-8x22b", "Mixtral 8x22B",
                    "Mistral AI: \"Cheaper, Better, Faster, Stronger\", 2024; the model card",
                    "56 decoder blocks of width 6144; 2 of 8 experts of width 16384 for a token."},
                   {{"layers", 56},
                    {"heads", 48},
                    {"kv_heads", 8},
                    {"hidden", 6144},
                    {"ffn", 16384},
                    {"vocabulary", 32768},
                    {"experts", 8},
                    {"experts_per_token", 2}}),
        mixtureRow(
            {"qwen3-30b-a3b", "Qwen3 30B-A3B", kQwen3,
             "48 decoder blocks of width 2048 with normalised heads; 8 of 128 experts of width 768 for a token."},
            {{"layers", 48},
             {"heads", 32},
             {"kv_heads", 4},
             {"head_size", 128},
             {"hidden", 2048},
             {"ffn", 6144},
             {"vocabulary", 151936},
             {"qk_norm", 1},
             {"experts", 128},
             {"experts_per_token", 8},
             {"expert_ffn", 768}}),
        mixtureRow(
            {"qwen3-235b-a22b", "Qwen3 235B-A22B", kQwen3,
             "94 decoder blocks of width 4096 with normalised heads; 8 of 128 experts of width 1536 for a token."},
            {{"layers", 94},
             {"heads", 64},
             {"kv_heads", 4},
             {"head_size", 128},
             {"hidden", 4096},
             {"ffn", 12288},
             {"vocabulary", 151936},
             {"qk_norm", 1},
             {"experts", 128},
             {"experts_per_token", 8},
             {"expert_ffn", 1536}}),
        mixtureRow(
            {"deepseek-v3", "DeepSeek-V3",
             "DeepSeek-AI: \"DeepSeek-V3 Technical Report\", arXiv:2412.19437, 2024; with a softmax of the "
             "router's scores, without the module that predicts a second token",
             "61 decoder blocks of width 7168 with latent attention, the first 3 dense; 8 of 256 experts of width "
             "2048 and a shared one for a token."},
            {{"layers", 61},
             {"heads", 128},
             {"hidden", 7168},
             {"ffn", 18432},
             {"vocabulary", 129280},
             {"experts", 256},
             {"experts_per_token", 8},
             {"expert_ffn", 2048},
             {"shared_experts", 1},
             {"dense_layers", 3},
             {"query_rank", 1536},
             {"key_rank", 512}}),
        t5Family(),
        t5Row({"t5-small", "T5 small", kT5, "6 encoder and 6 decoder blocks of width 512; a shared table."},
              {6, 8, 512, 2048}),
        t5Row({"t5-base", "T5 base", kT5, "12 encoder and 12 decoder blocks of width 768; a shared table."},
              {12, 12, 768, 3072}),
        t5Row({"t5-large", "T5 large", kT5, "24 encoder and 24 decoder blocks of width 1024; a shared table."},
              {24, 16, 1024, 4096}),
        t5Row({"t5-3b", "T5 3B", kT5, "24 encoder and 24 decoder blocks of width 1024 with 32 heads of 128."},
              {24, 32, 1024, 16384, 128}),
        t5Row({"t5-11b", "T5 11B", kT5, "24 encoder and 24 decoder blocks of width 1024 with 128 heads of 128."},
              {24, 128, 1024, 65536, 128}),
        t5Row({"t5-v1.1-xl", "T5 1.1 XL", kGatedT5,
               "24 encoder and 24 decoder blocks of width 2048, gated; a head of its own."},
              {24, 32, 2048, 5120, 64, true}),
        t5Row({"t5-v1.1-xxl", "T5 1.1 XXL", kGatedT5,
               "24 encoder and 24 decoder blocks of width 4096, gated; a head of its own."},
              {24, 64, 4096, 10240, 64, true}),
        {"transformer-xl",
         "Transformer-XL (12 layers)",
         kTransformer,
         "Dai, Yang, Yang, Carbonell, Le, Salakhutdinov: \"Transformer-XL: Attentive Language Models beyond a "
         "Fixed-Length Context\", ACL 2019; the 41M model of characters",
         "12 decoder blocks of width 512 that also read a memory; encodings of distances are an input.",
         transformerXl,
         {sequence(512, kAnyLength), {"memory", "earlier steps that every block reads", 512, kAnyLength}}},
    };
}

}  // namespace tessera::model::zoo
