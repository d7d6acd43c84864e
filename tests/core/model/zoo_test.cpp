#include "core/model/zoo/zoo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/layers.h"
#include "core/model/model.h"
#include "tests/support/accpar_cases.h"

namespace tessera::model {
namespace {

const ZooEntry& entryOf(const std::string& id) {
    const auto& entries = zooEntries();
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const ZooEntry& e) { return e.id == id; });
    if (found == entries.end()) throw std::out_of_range(id);
    return *found;
}

struct Published {
    std::string id;
    std::int64_t parameters;
};

std::ostream& operator<<(std::ostream& stream, const Published& row) {
    return stream << row.id;
}

class PublishedParameters : public testing::TestWithParam<Published> {};

TEST_P(PublishedParameters, areThoseOfTheNetwork) {
    const auto& [id, parameters] = GetParam();
    EXPECT_EQ(summarise(buildZooModel(id)).parameters, parameters);
}

// torchvision's documentation of its weights, "num_params"; GoogLeNet without auxiliary classifiers. The small networks
// by hand: LeNet-5 156+2,416+48,120+10,164+850; AccPar's LeNet 520+25,050+400,500+5,010.
INSTANTIATE_TEST_SUITE_P(Zoo, PublishedParameters,
                         testing::Values(Published{"lenet5", 61'706}, Published{"accpar-lenet", 431'080},
                                         Published{"alexnet", 61'100'840}, Published{"vgg11", 132'863'336},
                                         Published{"vgg13", 133'047'848}, Published{"vgg16", 138'357'544},
                                         Published{"vgg19", 143'667'240}, Published{"resnet18", 11'689'512},
                                         Published{"resnet34", 21'797'672}, Published{"resnet50", 25'557'032},
                                         Published{"resnet101", 44'549'160}, Published{"resnet152", 60'192'808},
                                         Published{"resnext50", 25'028'904}, Published{"mobilenet-v2", 3'504'872},
                                         Published{"squeezenet", 1'248'424}, Published{"shufflenet-v2", 2'278'604},
                                         Published{"mnasnet", 4'383'312}, Published{"efficientnet-b0", 5'288'548},
                                         Published{"googlenet", 6'624'904}, Published{"densenet121", 7'978'856},
                                         Published{"unet", 31'031'810}, Published{"mlp", 535'818}));

/// Counts of the ONNX corpus for the same network (data/models/reference.csv beside the project). What exporters add is
/// named where it makes a difference.
struct CorpusCounts {
    std::string id;
    std::int64_t macs, activationElements, weightedLayers;
};

std::ostream& operator<<(std::ostream& stream, const CorpusCounts& row) {
    return stream << row.id;
}

class CountsOfTheCorpus : public testing::TestWithParam<CorpusCounts> {};

TEST_P(CountsOfTheCorpus, areThoseOfTheNetwork) {
    const auto& [id, macs, activationElements, weightedLayers] = GetParam();
    const Summary summary = summarise(buildZooModel(id));
    EXPECT_EQ(summary.macs, macs);
    EXPECT_EQ(summary.activationElements, activationElements);
    EXPECT_EQ(summary.weightedLayers, weightedLayers);
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, CountsOfTheCorpus,
    testing::Values(
        // The exporter pads by zero before each pooling: 6*28*28 + 16*10*10 elements more in the file.
        CorpusCounts{"lenet5", 416'520, 21'306 - 6 * 28 * 28 - 16 * 10 * 10, 5},
        CorpusCounts{"alexnet", 714'188'480, 1'094'120, 8}, CorpusCounts{"vgg19", 19'632'062'464, 31'302'120, 19},
        CorpusCounts{"resnet18", 1'814'073'344, 8'230'888, 21}, CorpusCounts{"resnet50", 4'089'184'256, 37'561'832, 54},
        CorpusCounts{"resnext50", 4'230'479'872, 47'421'416, 54},
        CorpusCounts{"mobilenet-v2", 300'774'272, 19'681'960, 53},
        CorpusCounts{"squeezenet", 818'924'576, 11'946'848, 26},
        CorpusCounts{"shufflenet-v2", 144'907'992, 9'399'048, 57}, CorpusCounts{"mnasnet", 314'415'872, 16'005'288, 53},
        CorpusCounts{"unet", 48'171'581'440, 89'653'248, 23}, CorpusCounts{"mlp", 535'040, 1'546, 3}));

// torchvision's documentation gives GFLOPS (its word for 10^9 multiply-accumulates) with two decimals.
TEST(Zoo, macsRoundToThePublishedNumbers) {
    const std::map<std::string, double> published{
        {"vgg11", 7.61},      {"vgg13", 11.31},    {"vgg16", 15.47},      {"resnet34", 3.66},       {"resnet101", 7.80},
        {"resnet152", 11.51}, {"googlenet", 1.50}, {"densenet121", 2.83}, {"efficientnet-b0", 0.39}};
    for (const auto& [id, giga] : published)
        EXPECT_NEAR(static_cast<double>(summarise(buildZooModel(id)).macs.value()) * 1e-9, giga, 0.0051) << id;
}

/// An edge by names, with what it carries per sample.
using NamedEdge = std::pair<std::pair<std::size_t, std::size_t>, double>;

/// The main path into and out of every node, and all edges, by position among layers or joins. Positions count layers
/// from 0 and joins from 1000.
std::vector<std::size_t> positions(const LayerGraph& graph) {
    std::vector<std::size_t> result;
    std::size_t layers = 0;
    std::size_t joins = 1000;
    for (const Layer& layer : graph.layers) result.push_back(isJoin(layer.kind) ? joins++ : layers++);
    return result;
}

std::set<NamedEdge> edgesOf(const LayerGraph& graph) {
    const auto position = positions(graph);
    std::set<NamedEdge> edges;
    for (const LayerEdge& edge : graph.edges)
        edges.insert({{position[static_cast<std::size_t>(edge.from)], position[static_cast<std::size_t>(edge.to)]},
                      edge.elements});
    return edges;
}

/// By node, where its main path comes from and goes to.
std::map<std::pair<std::size_t, bool>, std::size_t> mainPaths(const LayerGraph& graph) {
    const auto position = positions(graph);
    std::map<std::pair<std::size_t, bool>, std::size_t> paths;
    for (const LayerEdge& edge : graph.edges) {
        const std::size_t from = position[static_cast<std::size_t>(edge.from)];
        const std::size_t to = position[static_cast<std::size_t>(edge.to)];
        paths.emplace(std::pair{from, true}, to);
        paths.emplace(std::pair{to, false}, from);
    }
    return paths;
}

std::vector<Layer> nodes(const LayerGraph& graph, bool joins) {
    std::vector<Layer> result;
    for (const Layer& layer : graph.layers)
        if (isJoin(layer.kind) == joins) result.push_back(layer);
    return result;
}

void expectSameSizes(const Layer& actual, const Layer& expected) {
    EXPECT_EQ(actual.kind, expected.kind);
    EXPECT_EQ(actual.inChannels, expected.inChannels);
    EXPECT_EQ(actual.outChannels, expected.outChannels);
    EXPECT_EQ(actual.in, expected.in);
    EXPECT_EQ(actual.conv, expected.conv);
    EXPECT_EQ(actual.out, expected.out);
    EXPECT_EQ(actual.kernel, expected.kernel);
    EXPECT_EQ(actual.groups, 1);
}

void expectSameNodes(const LayerGraph& actual, const LayerGraph& expected, bool joins) {
    const std::vector<Layer> mine = nodes(actual, joins);
    const std::vector<Layer> theirs = nodes(expected, joins);
    ASSERT_EQ(mine.size(), theirs.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
        SCOPED_TRACE(mine[i].name + " against " + theirs[i].name);
        expectSameSizes(mine[i], theirs[i]);
    }
}

struct AccparNetwork {
    std::string id, file;
};

std::ostream& operator<<(std::ostream& stream, const AccparNetwork& row) {
    return stream << row.id;
}

class AccparNetworks : public testing::TestWithParam<AccparNetwork> {};

TEST_P(AccparNetworks, haveExactlyTheLayersJoinsAndMainPathsOfTheCases) {
    const test::AccparCase expected =
        test::loadAccparCase(test::sourcePath("tests/data/accpar/" + GetParam().file + ".json"));
    for (const std::int64_t batch : {1, 512}) {
        SCOPED_TRACE(batch);
        const LayerGraph actual = layersOf(buildZooModel(GetParam().id, {.batch = batch, .dimensions = {}}));
        expectSameNodes(actual, expected.graph, false);
        expectSameNodes(actual, expected.graph, true);
        EXPECT_EQ(edgesOf(actual), edgesOf(expected.graph));
        EXPECT_EQ(mainPaths(actual), mainPaths(expected.graph));
        EXPECT_EQ(actual.edges.size(), expected.graph.edges.size());
    }
}

TEST(Zoo, accparsOwnNetworksNameTheirLayersLikeTheCases) {
    for (const AccparNetwork& network :
         {AccparNetwork{"accpar-lenet", "039_real_homog"}, AccparNetwork{"accpar-alexnet", "041_real_homog"}}) {
        const test::AccparCase expected =
            test::loadAccparCase(test::sourcePath("tests/data/accpar/" + network.file + ".json"));
        std::vector<std::string> names;
        for (const Layer& layer : layersOf(buildZooModel(network.id)).layers) names.push_back(layer.name);
        EXPECT_EQ(names, expected.layerNames);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, AccparNetworks,
    testing::Values(AccparNetwork{"accpar-lenet", "039_real_homog"}, AccparNetwork{"accpar-alexnet", "041_real_homog"},
                    AccparNetwork{"vgg11", "043_real_homog"}, AccparNetwork{"vgg13", "045_real_homog"},
                    AccparNetwork{"vgg16", "047_real_homog"}, AccparNetwork{"vgg19", "049_real_homog"},
                    AccparNetwork{"resnet18", "051_real_homog"}, AccparNetwork{"resnet34", "053_real_homog"},
                    AccparNetwork{"resnet50", "055_real_homog"}));

class EveryZooModel : public testing::TestWithParam<std::string> {};

TEST_P(EveryZooModel, statesItsSource) {
    const ZooEntry& entry = entryOf(GetParam());
    EXPECT_FALSE(entry.title.empty());
    EXPECT_FALSE(entry.family.empty());
    EXPECT_FALSE(entry.description.empty());
    EXPECT_NE(entry.source.find('"'), std::string::npos) << "a paper's title stands in quotes";
}

TEST_P(EveryZooModel, hasLayersThatHoldAllOfItsParametersAndMacs) {
    const Graph graph = buildZooModel(GetParam(), {.batch = 4, .dimensions = {}});
    const Summary summary = summarise(graph);
    const LayerGraph layers = layersOf(graph);
    double parameters = 0;
    double macs = 0;
    double activations = 0;
    std::int64_t weighted = 0;
    for (const Layer& layer : layers.layers) {
        parameters += layer.parameters;
        macs += macsPerSample(layer);
        activations += layer.activations;
        weighted += isJoin(layer.kind) ? 0 : 1;
    }
    EXPECT_EQ(parameters, static_cast<double>(summary.parameters.value()));
    EXPECT_EQ(macs * 4, static_cast<double>(summary.macs.value()));
    EXPECT_EQ(activations * 4, static_cast<double>(summary.activationElements.value()));
    EXPECT_EQ(weighted, summary.weightedLayers);
    EXPECT_TRUE(graph.warnings.empty());
}

TEST_P(EveryZooModel, namesLayersByTheirOperatorAndOperatorsByTheirLayerAndBlock) {
    const Graph graph = buildZooModel(GetParam());
    std::set<std::string> names;
    for (const Layer& layer : layersOf(graph).layers) {
        EXPECT_TRUE(names.insert(layer.name).second) << layer.name;
        ASSERT_FALSE(layer.operators.empty());
        EXPECT_EQ(layer.operators.front(), layer.name);
    }
    for (const Operator& op : graph.operators) {
        EXPECT_EQ(op.name.rfind(op.layer, 0), 0U) << op.name;
        EXPECT_EQ(op.layer.rfind(op.block, 0), 0U) << op.name;
    }
}

TEST_P(EveryZooModel, countsInProportionToItsBatch) {
    const Summary one = summarise(buildZooModel(GetParam()));
    const Summary eight = summarise(buildZooModel(GetParam(), {.batch = 8, .dimensions = {}}));
    EXPECT_EQ(eight.batch, 8);
    EXPECT_EQ(eight.parameters, one.parameters);
    EXPECT_EQ(eight.macs.value(), 8 * one.macs.value());
    EXPECT_EQ(eight.activationElements.value(), 8 * one.activationElements.value());
}

std::vector<std::string> ids() {
    std::vector<std::string> result;
    for (const ZooEntry& entry : zooEntries()) result.push_back(entry.id);
    return result;
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryZooModel, testing::ValuesIn(ids()));

TEST(Zoo, layersOfResNetHaveTheNamesThatPeoplePin) {
    const LayerGraph layers = layersOf(buildZooModel("resnet50"));
    for (const char* name :
         {"conv1", "layer1.0.conv1", "layer1.0.conv2", "layer1.0.downsample", "layer1.0.add", "layer4.2.conv3", "fc"})
        EXPECT_NO_THROW(test::indexOf(layers, name)) << name;
}

TEST(Zoo, everyConcatenationOfDenseNetReadsTheOneBeforeAndOneLayer) {
    const LayerGraph layers = layersOf(buildZooModel("densenet121"));
    std::map<std::int32_t, int> operands;
    for (const LayerEdge& edge : layers.edges) ++operands[edge.to];
    int concatenations = 0;
    for (std::size_t i = 0; i < layers.layers.size(); ++i) {
        if (layers.layers[i].kind != LayerKind::concat) continue;
        ++concatenations;
        EXPECT_EQ(operands[static_cast<std::int32_t>(i)], 2) << layers.layers[i].name;
    }
    EXPECT_EQ(concatenations, 6 + 12 + 24 + 16);
}

TEST(Zoo, operatorsOfABlockCarryItsName) {
    const Graph graph = buildZooModel("resnet18");
    std::map<std::string, int> blocks;
    for (const Operator& op : graph.operators) ++blocks[op.block];
    EXPECT_EQ(blocks.size(), 9U);  // eight blocks, and what lies outside of them
    EXPECT_EQ(blocks["layer1.0"], 7);
    EXPECT_EQ(blocks["layer2.0"], 9);
}

template <typename Error>
std::string messageOf(const std::string& id, const LoadOptions& options) {
    try {
        buildZooModel(id, options);
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

TEST(Zoo, namesAModelThatMayHaveBeenMeant) {
    EXPECT_EQ(messageOf<UsageError>("resnet5O", {}), "the zoo has no model 'resnet5O'; did you mean 'resnet50'?");
    EXPECT_EQ(messageOf<UsageError>("", {}), "the zoo has no model ''; `tessera model list` names them all");
}

TEST(Zoo, refusesABatchBelowOneAndDimensionsThatDoNotExist) {
    EXPECT_EQ(messageOf<UsageError>("mlp", {.batch = 0, .dimensions = {}}),
              "the batch is 0; expected a whole number above 0");
    EXPECT_EQ(messageOf<UsageError>("mlp", {.batch = 1, .dimensions = {{"seq", 128}}}),
              "'zoo:mlp' has no dimension 'seq'; only its batch can be set");
}

}  // namespace
}  // namespace tessera::model
