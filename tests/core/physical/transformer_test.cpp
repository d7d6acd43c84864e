#include "core/physical/transformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/model/model.h"
#include "core/model/training.h"
#include "core/model/zoo/zoo.h"
#include "tests/support/paths.h"

namespace tessera::physical {
namespace {

using Dims = std::map<std::string, std::string, std::less<>>;

Transformer transformer(const std::string& model, const Dims& dims) {
    std::string refusal;
    const auto made = transformerOf({.model = model, .dims = dims}, refusal);
    EXPECT_TRUE(made) << refusal;
    return made.value_or(Transformer{});
}

double billions(const std::string& model, const Dims& dims) {
    return parametersOf(transformer(model, dims)).total / 1e9;
}

std::string refusalOf(const std::string& model, const Dims& dims) {
    std::string refusal;
    EXPECT_FALSE(transformerOf({.model = model, .dims = dims}, refusal));
    return refusal;
}

const Dims kDeepSeek{{"layers", "61"},       {"hidden", "7168"},       {"heads", "128"},
                     {"ffn", "18432"},       {"experts", "256"},       {"experts_per_token", "8"},
                     {"expert_ffn", "2048"}, {"shared_experts", "1"},  {"dense_layers", "3"},
                     {"attention", "mla"},   {"vocabulary", "129280"}, {"sequence", "4096"}};

TEST(Transformer, parametersAreThoseOfThePublishedModels) {
    EXPECT_NEAR(billions("zoo:gpt", {{"layers", "96"}, {"hidden", "12288"}, {"heads", "96"}}), 174.6, 0.2);
    EXPECT_NEAR(billions("zoo:llama", {{"layers", "32"},
                                       {"hidden", "4096"},
                                       {"heads", "32"},
                                       {"kv_heads", "8"},
                                       {"ffn", "14336"},
                                       {"vocabulary", "128256"}}),
                8.03, 0.01);
    EXPECT_NEAR(billions("zoo:llama", {{"layers", "80"},
                                       {"hidden", "8192"},
                                       {"heads", "64"},
                                       {"kv_heads", "8"},
                                       {"ffn", "28672"},
                                       {"vocabulary", "128256"}}),
                70.55, 0.05);
    EXPECT_NEAR(billions("zoo:llama", {{"layers", "126"},
                                       {"hidden", "16384"},
                                       {"heads", "128"},
                                       {"kv_heads", "8"},
                                       {"ffn", "53248"},
                                       {"vocabulary", "128256"}}),
                405.8, 0.3);
    EXPECT_NEAR(billions("zoo:bert-large", {}), 0.335, 0.002);
    EXPECT_NEAR(billions("zoo:bert-base", {}), 0.109, 0.001);
    EXPECT_NEAR(billions("zoo:gpt2-large", {}), 0.774, 0.001);
}

TEST(Transformer, parametersOfMixturesAreThoseOfThePublishedModels) {
    const Dims mixtral{{"layers", "32"},           {"hidden", "4096"},     {"heads", "32"},
                       {"kv_heads", "8"},          {"ffn", "14336"},       {"experts", "8"},
                       {"experts_per_token", "2"}, {"expert_ffn", "14336"}};
    EXPECT_NEAR(billions("zoo:moe", mixtral), 46.7, 0.1);
    EXPECT_NEAR(parametersOf(transformer("zoo:moe", mixtral)).active / 1e9, 12.9, 0.1);
    const Dims qwen{{"layers", "48"},      {"hidden", "2048"},      {"heads", "32"},       {"kv_heads", "4"},
                    {"head_size", "128"},  {"ffn", "6144"},         {"experts", "128"},    {"experts_per_token", "8"},
                    {"expert_ffn", "768"}, {"shared_experts", "0"}, {"dense_layers", "0"}, {"vocabulary", "151936"}};
    EXPECT_NEAR(billions("zoo:moe", qwen), 30.5, 0.1);
    const Dims largeQwen{{"layers", "94"},        {"hidden", "4096"},         {"heads", "64"},
                         {"kv_heads", "4"},       {"head_size", "128"},       {"ffn", "12288"},
                         {"experts", "128"},      {"experts_per_token", "8"}, {"expert_ffn", "1536"},
                         {"vocabulary", "151936"}};
    EXPECT_NEAR(billions("zoo:moe", largeQwen), 235.1, 0.3);
    EXPECT_NEAR(billions("zoo:moe", kDeepSeek), 671.0, 1.5);
    EXPECT_NEAR(parametersOf(transformer("zoo:moe", kDeepSeek)).active / 1e9, 37.5, 1.0);
}

class TransformerOfTheZoo : public testing::TestWithParam<std::string> {};

TEST_P(TransformerOfTheZoo, hasTheParametersOfItsGraph) {
    const auto spec = model::transformerSpecOf(GetParam());
    ASSERT_TRUE(spec);
    const Transformer made = transformer(spec->family, spec->dims);
    const auto graph = model::summarise(model::buildZooModel(GetParam()));
    EXPECT_EQ(parametersOf(made).total, static_cast<double>(graph.parameters.value()));
}

std::vector<std::string> transformersOfTheZoo() {
    std::vector<std::string> ids;
    for (const model::ZooEntry& entry : model::zooEntries())
        if (!entry.transformer.family.empty() && entry.transformer.isStack) ids.push_back(entry.id);
    return ids;
}

INSTANTIATE_TEST_SUITE_P(Zoo, TransformerOfTheZoo, testing::ValuesIn(transformersOfTheZoo()));

TEST(Transformer, sizesOfTheZooFollowItsDimensions) {
    const auto spec = model::transformerSpecOf("zoo:gpt2", {{"sequence", 256}, {"tensor_parallel", 4}});
    ASSERT_TRUE(spec);
    EXPECT_EQ(spec->family, "zoo:gpt");
    EXPECT_EQ(spec->dims, (Dims{{"layers", "12"},
                                {"hidden", "768"},
                                {"heads", "12"},
                                {"positions", "1024"},
                                {"vocabulary", "50257"},
                                {"sequence", "256"}}));
    EXPECT_EQ(parametersOf(transformer(spec->family, spec->dims)).total, 124'439'808);
    for (const char* other : {"resnet50", "t5", "t5-base", "transformer-xl", "vit-b-16", "opt-350m"})
        EXPECT_FALSE(model::transformerSpecOf(other)) << other;
}

/// Every transformer that was measured by its dimensions is a graph of the zoo as well, of as many parameters.
TEST(Transformer, theMeasuredOnesAreGraphsOfTheZoo) {
    const MeasuredTable table =
        readMeasuredTable(readFile(test::sourcePath("data/measured/training.csv")), "training.csv");
    std::set<std::pair<std::string, Dims>> seen;
    for (const auto& row : table.rows) {
        const TrainingRun run = trainingRunOf(table, row);
        const bool isFamily = run.model == "zoo:gpt" || run.model == "zoo:llama" || run.model == "zoo:moe";
        if (!isFamily || !seen.emplace(run.model, run.dims).second) continue;
        SCOPED_TRACE(run.id);
        const Transformer made = transformer(run.model, run.dims);
        model::LoadOptions options{.batch = 1, .dimensions = {}};
        for (const auto& [name, text] : run.dims) options.dimensions[name] = std::stoll(text);
        options.dimensions["sequence"] = static_cast<std::int64_t>(made.sequence);
        const auto graph = model::summarise(model::buildZooModel(run.model.substr(4), options));
        EXPECT_EQ(static_cast<double>(graph.parameters.value()), parametersOf(made).total);
    }
    EXPECT_GT(seen.size(), 100U);
}

TEST(Transformer, activeParametersAreThoseThatAGraphMultipliesWith) {
    for (const char* id : {"llama3-8b", "mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v3", "gpt3-175b"}) {
        const auto spec = model::transformerSpecOf(id);
        ASSERT_TRUE(spec);
        const Transformer made = transformer(spec->family, spec->dims);
        const model::Graph graph = model::buildZooModel(id);
        const double values = made.latent ? made.latent->valueSize : made.headSize;
        const double attention = made.layers * made.heads * (made.headSize + values) * made.sequence;
        const double lookedUp = made.tied ? 0 : made.vocabulary * made.hidden;
        const double met = parametersOf(made).active - lookedUp + attention;
        const auto macs = static_cast<double>(model::summarise(graph).macs.value());
        EXPECT_NEAR(macs, made.sequence * met, 1e-3 * macs) << id;
        const model::TrainingCounts counts = model::countTraining(model::trainingOf(graph));
        const auto flops =
            static_cast<double>(counts.phases[0].flopsMatrix.value() + counts.phases[1].flopsMatrix.value());
        EXPECT_NEAR(flops, 6 * made.sequence * met, 1e-3 * flops) << id;
    }
}

TEST(Transformer, backwardProductsHaveTheFlopOfTheForwardOne) {
    const Product product{2, 30, 40, 50};
    for (const Product& gradient : {inputGradientOf(product), weightGradientOf(product)})
        EXPECT_EQ(gradient.batch * gradient.m * gradient.n * gradient.k, 2.0 * 30 * 40 * 50);
}

TEST(Transformer, tensorParallelLayersDoTheirShareOfTheWork) {
    const Transformer model = transformer("zoo:gpt", {{"layers", "2"}, {"hidden", "1024"}, {"heads", "16"}});
    double whole = 0, part = 0;
    for (const Product& product : layerWorkOf(model, {}, false).products) whole += product.m * product.n * product.k;
    for (const Product& product : layerWorkOf(model, {.tensor = 4}, false).products)
        part += product.m * product.n * product.k;
    EXPECT_DOUBLE_EQ(part * 4, whole);
    EXPECT_DOUBLE_EQ(whole, 12.0 * 1024 * 1024 * 2048);
}

TEST(Transformer, slidingWindowsHaveFewerKeys) {
    Dims dims{{"layers", "6"}, {"hidden", "1024"}, {"heads", "16"}, {"kv_heads", "4"}, {"sequence", "8192"}};
    const Transformer all = transformer("zoo:llama", dims);
    EXPECT_EQ(keysOf(all), 4096);
    dims["window"] = "1000";
    // A token counts by its half where it attends to itself, as half of all pairs are under a causal mask.
    double seen = 0;
    for (int token = 0; token < 8192; ++token) seen += std::min(token + 0.5, 1000.0);
    const Transformer each = transformer("zoo:llama", dims);
    EXPECT_NEAR(keysOf(each), seen / 8192, 1e-3);
    dims["windowed_layers"] = "5";
    const Transformer most = transformer("zoo:llama", dims);
    EXPECT_NEAR(keysOf(most), (5 * keysOf(each) + 4096) / 6, 1e-9);
    EXPECT_EQ(parametersOf(most).total, parametersOf(all).total);
    const double fewer = layerWorkOf(most, {}, false).attentionFlop / layerWorkOf(all, {}, false).attentionFlop;
    EXPECT_NEAR(fewer, keysOf(most) / keysOf(all), 1e-12);
    // Attention in parts masks what it has computed.
    const LayerShare parts{.fusedAttention = false};
    EXPECT_EQ(layerWorkOf(most, parts, false).scores.front().n, layerWorkOf(all, parts, false).scores.front().n);
    dims["window"] = "8192";
    EXPECT_EQ(keysOf(transformer("zoo:llama", dims)), 4096);
}

/// Tokens that each token of a sequence sees, in the mean; one counts by its half where it sees itself, as half of all
/// pairs are under a causal mask.
double seenOf(int sequence, int size, bool chunked) {
    double seen = 0;
    for (int token = 0; token < sequence; ++token)
        seen += chunked ? token % size + 0.5 : std::min(token + 0.5, static_cast<double>(size));
    return seen / sequence;
}

TEST(Transformer, keysOfWindowsAndChunksAreThoseOfEveryToken) {
    Dims dims{{"layers", "4"}, {"hidden", "1024"}, {"heads", "16"}};
    for (const int sequence : {1, 7, 96, 1000, 1024, 8191, 8192, 8193, 16384, 20000}) {
        dims["sequence"] = std::to_string(sequence);
        dims.erase("window");
        const double all = keysOf(transformer("zoo:llama", dims));
        for (const int size : {1, 3, 32, 1000, 8192, 20000}) {
            dims["window"] = std::to_string(size);
            for (const bool chunked : {false, true}) {
                dims["window_chunked"] = chunked ? "1" : "0";
                dims["windowed_layers"] = "4";
                const double each = keysOf(transformer("zoo:llama", dims));
                EXPECT_NEAR(each, seenOf(sequence, size, chunked), 1e-9 * all) << sequence << ' ' << size;
                dims["windowed_layers"] = "3";
                EXPECT_NEAR(keysOf(transformer("zoo:llama", dims)), (3 * each + all) / 4, 1e-9 * all);
            }
        }
    }
}

TEST(Transformer, chunksHaveTheKeysOfTheirOwnTokens) {
    Dims dims{{"layers", "48"}, {"hidden", "5120"}, {"heads", "40"}, {"sequence", "16384"}};
    const Transformer all = transformer("zoo:llama", dims);
    dims["window"] = "8192";
    dims["windowed_layers"] = "36";
    const Transformer sliding = transformer("zoo:llama", dims);
    dims["window_chunked"] = "1";
    const Transformer chunked = transformer("zoo:llama", dims);
    EXPECT_TRUE(chunked.window->chunked);
    EXPECT_FALSE(sliding.window->chunked);
    EXPECT_EQ(keysOf(chunked), 0.75 * 4096 + 0.25 * 8192);
    EXPECT_LT(keysOf(chunked), keysOf(sliding));
    EXPECT_EQ(layerWorkOf(chunked, {}, false).attentionFlop / layerWorkOf(all, {}, false).attentionFlop, 5.0 / 8);
    // Without a mask a token sees all of its chunk.
    Transformer encoder = chunked;
    encoder.causal = false;
    EXPECT_EQ(keysOf(encoder), 2 * keysOf(chunked));
    for (const char* const sequence : {"8192", "8191", "100"}) {
        dims["sequence"] = sequence;
        Transformer within = transformer("zoo:llama", dims);
        const double keys = keysOf(within), flop = layerWorkOf(within, {}, false).attentionFlop;
        within.window.reset();
        EXPECT_EQ(keys, keysOf(within)) << sequence;
        EXPECT_EQ(flop, layerWorkOf(within, {}, false).attentionFlop) << sequence;
    }
}

TEST(Transformer, whatIsNoTransformerOrLacksItsSizesIsRefused) {
    EXPECT_NE(refusalOf("zoo:resnet50", {}).find("no transformer"), std::string::npos);
    EXPECT_NE(refusalOf("zoo:gpt", {{"layers", "2"}}).find("hidden"), std::string::npos);
    EXPECT_NE(refusalOf("zoo:gpt", {{"layers", "2"}, {"hidden", "64"}, {"heads", "2"}, {"kv_heads", "4"}}).find("keys"),
              std::string::npos);
    EXPECT_NE(refusalOf("zoo:gpt", {{"layers", "1e8"}, {"hidden", "64"}, {"heads", "2"}}).find("layers"),
              std::string::npos);
}

}  // namespace
}  // namespace tessera::physical
