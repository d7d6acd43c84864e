#include "core/model/layers.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "tests/support/accpar_cases.h"

namespace tessera::model {

namespace {

Layer conv(const std::string& name) {
    Layer layer;
    layer.name = name;
    layer.kind = LayerKind::conv;
    layer.inChannels = 6;
    layer.outChannels = 4;
    layer.in = {5, 7};
    layer.conv = {5, 7};
    layer.out = {2, 3};
    layer.kernel = {3, 1};
    layer.groups = 2;
    return layer;
}

Layer fc(const std::string& name, double in, double out) {
    Layer layer;
    layer.name = name;
    layer.inChannels = in;
    layer.outChannels = out;
    return layer;
}

Layer join(const std::string& name, LayerKind kind) {
    Layer layer;
    layer.name = name;
    layer.kind = kind;
    layer.inChannels = layer.outChannels = 10;
    layer.in = layer.conv = layer.out = {2, 2};
    return layer;
}

LayerGraph graphOf(std::vector<Layer> layers, std::vector<LayerEdge> edges) {
    LayerGraph graph;
    graph.name = "g";
    graph.layers = std::move(layers);
    graph.edges = std::move(edges);
    return graph;
}

std::string namesInOrder(const LayerGraph& graph) {
    std::string text;
    for (const Layer& layer : graph.layers) text += layer.name;
    return text;
}

std::string layersError(LayerGraph graph) {
    try {
        completeLayerGraph(graph, "net.json");
    } catch (const DataError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST(Layer, countsElementsAndMultiplicationsOfAGroupedConvolution) {
    const Layer layer = conv("c");
    EXPECT_EQ(weightElements(layer), 6 * 4 * 3 / 2);
    EXPECT_EQ(inElements(layer), 6 * 35);
    EXPECT_EQ(convElements(layer), 4 * 35);
    EXPECT_EQ(outElements(layer), 4 * 6);
    EXPECT_EQ(macsPerSample(layer), 4 * 35 * (6 / 2) * 3);
}

TEST(Layer, countsRowsOfAFullyConnectedLayerAsItsMap) {
    Layer layer = fc("f", 8, 3);
    layer.in = layer.conv = layer.out = {16, 1};
    EXPECT_EQ(weightElements(layer), 24);
    EXPECT_EQ(macsPerSample(layer), 16 * 24);
}

TEST(Layer, readsIndicesWhereItIsAnEmbedding) {
    Layer layer = fc("e", 1000, 32);
    layer.kind = LayerKind::embedding;
    layer.conv = layer.out = {26, 1};
    EXPECT_EQ(weightElements(layer), 32000);
    EXPECT_EQ(inElements(layer), 26);
    EXPECT_EQ(convElements(layer), 26 * 32);
    EXPECT_EQ(macsPerSample(layer), 0);
}

TEST(Layer, hasNoWeightsWhereItIsAJoin) {
    Layer layer = join("j", LayerKind::product);
    layer.macs = 77;
    EXPECT_EQ(weightElements(layer), 0);
    EXPECT_EQ(macsPerSample(layer), 77);
    EXPECT_EQ(macsPerSample(join("j", LayerKind::add)), 0);
}

TEST(LayerGraph, putsLayersInOrderAndKeepsTheFilesOrderWhereItIsFree) {
    LayerGraph graph = graphOf({fc("d", 1, 1), fc("a", 1, 1), fc("c", 1, 1), fc("b", 1, 1)}, {{1, 0, 0}, {3, 2, 0}});
    completeLayerGraph(graph, "g.json");
    EXPECT_EQ(namesInOrder(graph), "adbc");
    EXPECT_EQ(graph.edges, (std::vector<LayerEdge>{{0, 1, 1}, {2, 3, 1}}));
}

TEST(LayerGraph, fillsEdgesWithWhatTheConsumerReads) {
    LayerGraph graph = graphOf({conv("c"), join("a", LayerKind::add), join("t", LayerKind::concat), fc("f", 9, 2),
                                join("p", LayerKind::product)},
                               {{0, 1, 0}, {0, 2, 0}, {1, 3, 0}, {2, 4, 0}, {0, 4, 5}});
    completeLayerGraph(graph, "g.json");
    EXPECT_EQ(graph.edges[0].elements, 40);  // the join's map
    EXPECT_EQ(graph.edges[1].elements, 24);  // the producer's map, after pooling
    EXPECT_EQ(graph.edges[2].elements, 9);   // what the layer reads
    EXPECT_EQ(graph.edges[3].elements, 40);
    EXPECT_EQ(graph.edges[4].elements, 5);  // given already
    EXPECT_EQ(graph.layers[0].parameters, 36);
    EXPECT_EQ(graph.layers[0].activations, 140 + 24);
    EXPECT_EQ(graph.layers[1].activations, 40);
}

TEST(LayerGraph, refusesACycleAndNamesIt) {
    LayerGraph graph = graphOf({fc("a", 1, 1), fc("b", 1, 1), fc("c", 1, 1), fc("d", 1, 1)},
                               {{0, 1, 0}, {1, 2, 0}, {2, 1, 0}, {2, 3, 0}});
    EXPECT_EQ(layersError(graph),
              "net.json: field 'edges' is a cycle: 'b' -> 'c' -> 'b'; expected edges that never lead back to a layer");
}

TEST(LayerGraph, ordersAVeryLongChainListedBackwards) {
    LayerGraph graph;
    constexpr std::int32_t kLayers = 100'000;
    for (std::int32_t i = 0; i < kLayers; ++i) graph.layers.push_back(fc(std::to_string(i), 1, 1));
    for (std::int32_t i = 1; i < kLayers; ++i) graph.edges.push_back({i, i - 1, 0});
    completeLayerGraph(graph, "long.json");
    EXPECT_EQ(graph.layers.front().name, "99999");
    EXPECT_EQ(graph.layers.back().name, "0");
}

TEST(AccparCases, areReadAsGraphsWhoseElementsAreThoseOfTheirReadme) {
    std::size_t graphs = 0;
    for (const auto& path : test::accparCases()) {
        const test::AccparCase read = test::loadAccparCase(path);
        if (read.json.at("kind") == "refcode") continue;
        ++graphs;
        ASSERT_EQ(read.graph.layers.size(), read.layerNames.size() + read.joinNames.size()) << path;
        for (const nlohmann::json& row : read.json.at("net").at("layers")) {
            const Layer& layer = read.graph.layers[test::indexOf(read.graph, row.at("name"))];
            const auto number = [&](const char* key) { return row.at(key).get<double>(); };
            EXPECT_EQ(read.batch * inElements(layer), number("B") * number("Di") * number("ih") * number("iw"));
            EXPECT_EQ(weightElements(layer), number("Di") * number("Do") * number("kh") * number("kw"));
            EXPECT_EQ(read.batch * convElements(layer), number("B") * number("Do") * number("ch") * number("cw"));
        }
    }
    EXPECT_GT(graphs, 40U);
}

TEST(AccparCases, giveTheMainPathFirst) {
    const test::AccparCase read = test::loadAccparCase(test::sourcePath("tests/data/accpar/019_residual_fixed.json"));
    std::set<std::int32_t> joinsSeen;
    for (const LayerEdge& edge : read.graph.edges) {
        const auto to = static_cast<std::size_t>(edge.to);
        if (read.graph.layers[to].kind == LayerKind::add && joinsSeen.insert(edge.to).second) {
            EXPECT_EQ(read.graph.layers[static_cast<std::size_t>(edge.from)].kind, LayerKind::conv);
        }
    }
    EXPECT_EQ(joinsSeen.size(), 2U);
}

}  // namespace tessera::model
