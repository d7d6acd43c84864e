#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/builder.h"
#include "core/model/graph.h"
#include "core/model/layers.h"
#include "core/model/model.h"
#include "core/model/operators/operator_table.h"
#include "core/model/operators/rule_context.h"
#include "tests/support/paths.h"
#include "tests/support/work.h"

namespace tessera::model {
namespace {

using Integers = std::vector<std::int64_t>;

/// Writes small graphs: a name is the operator's, its output's and its layer's.
class Small {
public:
    std::string input(const std::string& name, Integers perSample) {
        perSample.insert(perSample.begin(), batch_);
        builder_.addInput(name, DataType::float32, perSample);
        return name;
    }
    std::string indices(const std::string& name, Integers perSample) {
        perSample.insert(perSample.begin(), batch_);
        builder_.addInput(name, DataType::int64, perSample);
        return name;
    }
    std::string stored(const std::string& name, const Integers& shape) {
        builder_.addStored(name, DataType::float32, shape);
        return name;
    }
    std::string op(const std::string& type, const std::string& name, const std::vector<std::string>& inputs,
                   const Attributes& attributes = {}, const std::vector<std::string>& outputs = {}) {
        OperatorSpec spec;
        spec.type = type;
        spec.name = name;
        spec.inputs = inputs;
        spec.outputs = outputs.empty() ? std::vector<std::string>{name} : outputs;
        spec.attributes = attributes;
        return builder_.add(spec);
    }
    std::string conv(const std::string& name, const std::string& x, const Integers& weight, std::int64_t pad = 0,
                     std::int64_t groups = 1) {
        const std::size_t spatial = weight.size() - 2;
        return op("Conv", name, {x, stored(name + ".w", weight)},
                  {{"kernel_shape", Integers(weight.begin() + 2, weight.end())},
                   {"pads", Integers(2 * spatial, pad)},
                   {"group", groups}});
    }
    std::string fc(const std::string& name, const std::string& x, std::int64_t in, std::int64_t out) {
        return op("MatMul", name, {x, stored(name + ".w", {in, out})});
    }
    std::string pool(const std::string& name, const std::string& x, std::int64_t kernel) {
        return op("MaxPool", name, {x},
                  {{"kernel_shape", Integers{kernel, kernel}}, {"strides", Integers{kernel, kernel}}});
    }
    GraphBuilder& builder() { return builder_; }

    Graph graph(const std::string& output) {
        builder_.addOutput(output);
        return std::move(builder_).build();
    }
    LayerGraph layers(const std::string& output) {
        const Graph built = graph(output);
        return layersOf(built);
    }

private:
    std::int64_t batch_ = 2;
    GraphBuilder builder_{"small", "small.test"};
};

const Layer& layerNamed(const LayerGraph& graph, const std::string& name) {
    for (const Layer& layer : graph.layers)
        if (layer.name == name) return layer;
    throw std::out_of_range(name);
}

/// "a>b 12" for every edge, in the graph's order.
std::vector<std::string> edgesOf(const LayerGraph& graph) {
    std::vector<std::string> result;
    for (const LayerEdge& edge : graph.edges)
        result.push_back(graph.layers[static_cast<std::size_t>(edge.from)].name + ">" +
                         graph.layers[static_cast<std::size_t>(edge.to)].name + " " +
                         std::to_string(static_cast<std::int64_t>(edge.elements)));
    return result;
}

std::vector<std::string> namesOf(const LayerGraph& graph) {
    std::vector<std::string> result;
    for (const Layer& layer : graph.layers) result.push_back(layer.name);
    return result;
}

using Strings = std::vector<std::string>;

TEST(LayerForm, putsPoolingAndFlatteningOnTheEdge) {
    Small net;
    std::string x = net.conv("conv", net.input("x", {3, 8, 8}), {4, 3, 3, 3}, 1);
    x = net.op("Flatten", "flat", {net.pool("pool", net.op("Relu", "relu", {x}), 2)}, {{"axis", std::int64_t{1}}});
    const LayerGraph graph = net.layers(net.fc("fc", x, 64, 10));
    EXPECT_EQ(namesOf(graph), (Strings{"conv", "fc"}));
    EXPECT_EQ(edgesOf(graph), (Strings{"conv>fc 64"}));
    const Layer& conv = layerNamed(graph, "conv");
    EXPECT_EQ(conv.kind, LayerKind::conv);
    EXPECT_EQ(conv.inChannels, 3);
    EXPECT_EQ(conv.outChannels, 4);
    EXPECT_EQ(conv.in, (Map{8, 8}));
    EXPECT_EQ(conv.conv, (Map{8, 8}));
    EXPECT_EQ(conv.out, (Map{4, 4}));
    EXPECT_EQ(conv.kernel, (Map{3, 3}));
    EXPECT_EQ(conv.parameters, 108);
    EXPECT_EQ(conv.activations, 2 * 256 + 2 * 64);
    EXPECT_EQ(conv.operators, (Strings{"conv", "relu", "pool", "flat"}));
    const Layer& fc = layerNamed(graph, "fc");
    EXPECT_EQ(fc.kind, LayerKind::fc);
    EXPECT_EQ(fc.inChannels, 64);
    EXPECT_EQ(fc.outChannels, 10);
    EXPECT_EQ(fc.out, (Map{1, 1}));
    EXPECT_TRUE(graph.assumptions.empty());
}

/// A block of two convolutions with a projection, its operators and operands in the order given.
LayerGraph residual(bool shortcutFirst) {
    Small net;
    const std::string stem = net.conv("stem", net.input("x", {3, 4, 4}), {8, 3, 1, 1});
    std::string shortcut;
    if (shortcutFirst) shortcut = net.conv("shortcut", stem, {8, 8, 1, 1});
    const std::string a = net.op("Relu", "relu", {net.conv("a", stem, {8, 8, 3, 3}, 1)});
    const std::string b = net.conv("b", a, {8, 8, 3, 3}, 1);
    if (!shortcutFirst) shortcut = net.conv("shortcut", stem, {8, 8, 1, 1});
    const std::string sum = shortcutFirst ? net.op("Add", "add", {shortcut, b}) : net.op("Add", "add", {b, shortcut});
    return net.layers(net.op("Relu", "last", {sum}));
}

TEST(LayerForm, makesAnAdditionAJoinAndListsTheLongerPathFirst) {
    const LayerGraph graph = residual(false);
    EXPECT_EQ(namesOf(graph), (Strings{"stem", "a", "b", "shortcut", "add"}));
    EXPECT_EQ(edgesOf(graph), (Strings{"stem>a 128", "a>b 128", "stem>shortcut 128", "b>add 128", "shortcut>add 128"}));
    const Layer& add = layerNamed(graph, "add");
    EXPECT_EQ(add.kind, LayerKind::add);
    EXPECT_EQ(add.inChannels, 8);
    EXPECT_EQ(add.outChannels, 8);
    EXPECT_EQ(add.out, (Map{4, 4}));
    EXPECT_EQ(add.operators, (Strings{"add", "last"}));
}

TEST(LayerForm, listsTheLongerPathFirstWhereTheFileListsTheShortcutFirst) {
    EXPECT_EQ(edgesOf(residual(true)),
              (Strings{"stem>a 128", "stem>shortcut 128", "a>b 128", "b>add 128", "shortcut>add 128"}));
}

TEST(LayerForm, letsAJoinReadWhatItsOperandsHold) {
    Small net;
    const std::string x = net.input("x", {3, 4, 4});
    const std::string a = net.pool("pool", net.conv("a", x, {8, 3, 1, 1}), 2);
    const std::string b = net.conv("b", net.pool("half", x, 2), {16, 3, 1, 1});
    const LayerGraph graph = net.layers(net.op("Concat", "cat", {a, b}, {{"axis", std::int64_t{1}}}));
    EXPECT_EQ(edgesOf(graph), (Strings{"a>cat 32", "b>cat 64"}));
    const Layer& cat = layerNamed(graph, "cat");
    EXPECT_EQ(cat.kind, LayerKind::concat);
    EXPECT_EQ(cat.outChannels, 24);
    EXPECT_EQ(cat.out, (Map{2, 2}));
}

TEST(LayerForm, letsAConcatenationReadTheEarlierOneThatItBeginsWith) {
    Small net;
    const Attributes axis{{"axis", std::int64_t{1}}};
    const std::string x = net.input("x", {3, 4, 4});
    const std::string a = net.conv("a", x, {8, 3, 1, 1});
    const std::string b = net.conv("b", net.op("Concat", "cat1", {a}, axis), {8, 8, 1, 1});
    const std::string c = net.conv("c", net.op("Concat", "cat2", {a, b}, axis), {8, 16, 1, 1});
    const LayerGraph graph = net.layers(net.op("Concat", "cat3", {a, b, c}, axis));
    EXPECT_EQ(namesOf(graph), (Strings{"a", "b", "cat2", "c", "cat3"}));
    EXPECT_EQ(edgesOf(graph),
              (Strings{"a>b 128", "b>cat2 128", "a>cat2 128", "cat2>c 256", "c>cat3 128", "cat2>cat3 256"}));
    EXPECT_EQ(
        graph.assumptions,
        (Strings{"1 concatenation that begins with all operands of an earlier one reads that one's result and the "
                 "rest."}));
}

TEST(LayerForm, keepsConcatenationsOnOtherAxesApart) {
    Small net;
    const std::string x = net.input("x", {3, 4, 4});
    const std::string a = net.conv("a", x, {8, 3, 1, 1});
    const std::string b = net.conv("b", x, {8, 3, 1, 1});
    const std::string wide = net.op("Concat", "wide", {a, b}, {{"axis", std::int64_t{3}}});
    const std::string c = net.conv("c", x, {8, 3, 1, 1});
    const std::string deep = net.op("Concat", "deep", {a, b, c}, {{"axis", std::int64_t{1}}});
    const std::string w = net.conv("w", wide, {8, 8, 1, 1});
    const std::string d = net.conv("d", deep, {8, 24, 1, 1});
    net.builder().addOutput(w);
    const LayerGraph graph = net.layers(d);
    EXPECT_EQ(edgesOf(graph), (Strings{"a>wide 128", "b>wide 128", "a>deep 128", "b>deep 128", "c>deep 128",
                                       "wide>w 256", "deep>d 384"}));
}

TEST(LayerForm, keepsAGateOnItsLayersEdge) {
    Small net;
    const std::string a = net.conv("a", net.input("x", {3, 4, 4}), {8, 3, 1, 1});
    const std::string silu = net.op("Mul", "silu", {a, net.op("Sigmoid", "sigmoid", {a})});
    const LayerGraph graph = net.layers(net.conv("b", net.pool("pool", silu, 2), {8, 8, 1, 1}));
    EXPECT_EQ(namesOf(graph), (Strings{"a", "b"}));
    EXPECT_EQ(layerNamed(graph, "a").out, (Map{2, 2})) << "a gate is no fork";
    EXPECT_EQ(layerNamed(graph, "a").activations, 3 * 128 + 32);
    EXPECT_EQ(graph.assumptions,
              (Strings{"1 operator whose operands all come from one layer without another in between (gates, "
                       "normalisation) lies on that layer's edge."}));
}

TEST(LayerForm, makesSqueezeAndExcitationAJoin) {
    Small net;
    const std::string a = net.conv("a", net.input("x", {3, 4, 4}), {8, 3, 1, 1});
    std::string s = net.conv("reduce", net.op("GlobalAveragePool", "mean", {a}), {2, 8, 1, 1});
    s = net.op("Sigmoid", "gate", {net.conv("expand", net.op("Relu", "relu", {s}), {8, 2, 1, 1})});
    const LayerGraph graph = net.layers(net.op("Mul", "scale", {a, s}));
    EXPECT_EQ(edgesOf(graph), (Strings{"a>reduce 8", "reduce>expand 2", "expand>scale 8", "a>scale 128"}));
    EXPECT_EQ(layerNamed(graph, "a").out, (Map{4, 4})) << "handed on before the fork";
    EXPECT_EQ(layerNamed(graph, "scale").out, (Map{4, 4}));
}

TEST(LayerForm, countsRowsOfASequenceAsAMap) {
    Small net;
    const LayerGraph graph = net.layers(net.fc("fc", net.input("x", {5, 16}), 16, 32));
    const Layer& fc = graph.layers.front();
    EXPECT_EQ(fc.inChannels, 16);
    EXPECT_EQ(fc.outChannels, 32);
    EXPECT_EQ(fc.in, (Map{5, 1}));
    EXPECT_EQ(fc.out, (Map{5, 1}));
    EXPECT_EQ(macsPerSample(fc), 5 * 16 * 32);
}

TEST(LayerForm, readsAStoredOperandOnTheLeft) {
    Small net;
    const std::string x = net.input("x", {16, 5});
    const LayerGraph graph = net.layers(net.op("MatMul", "left", {net.stored("w", {32, 16}), x}));
    EXPECT_EQ(graph.layers.front().inChannels, 16);
    EXPECT_EQ(graph.layers.front().outChannels, 32);
    EXPECT_EQ(graph.layers.front().conv, (Map{5, 1}));
    EXPECT_EQ(macsPerSample(graph.layers.front()), 5 * 16 * 32);
}

TEST(LayerForm, takesStoredMatricesInABatchAsGroups) {
    Small net;
    const std::string x = net.input("x", {3, 5, 16});
    const LayerGraph graph = net.layers(net.op("MatMul", "experts", {x, net.stored("w", {3, 16, 32})}));
    const Layer& layer = graph.layers.front();
    EXPECT_EQ(layer.groups, 3);
    EXPECT_EQ(weightElements(layer), 3 * 16 * 32);
    EXPECT_EQ(inElements(layer), 3 * 5 * 16);
    EXPECT_EQ(macsPerSample(layer), 3 * 5 * 16 * 32);
}

TEST(LayerForm, readsBothOrientationsOfGemm) {
    Small net;
    const std::string x = net.input("x", {16});
    const std::string a = net.op("Gemm", "plain", {x, net.stored("p", {16, 32})});
    const std::string b =
        net.op("Gemm", "turned", {a, net.stored("t", {8, 32}), net.stored("bias", {8})}, {{"transB", std::int64_t{1}}});
    const LayerGraph graph = net.layers(b);
    EXPECT_EQ(layerNamed(graph, "plain").inChannels, 16);
    EXPECT_EQ(layerNamed(graph, "plain").outChannels, 32);
    EXPECT_EQ(layerNamed(graph, "turned").inChannels, 32);
    EXPECT_EQ(layerNamed(graph, "turned").outChannels, 8);
    EXPECT_EQ(layerNamed(graph, "turned").parameters, 8 * 32 + 8);
}

TEST(LayerForm, makesAttentionsProductsJoinsWithHeadsAsChannels) {
    Small net;
    const std::string x = net.input("x", {5, 12});
    std::map<std::string, std::string> heads;
    for (const char* name : {"q", "k", "v"}) {
        net.builder().addStored(std::string(name) + ".shape", DataType::int64, {4}, {0, 5, 3, 4});
        const std::string split =
            net.op("Reshape", std::string(name) + ".split", {net.fc(name, x, 12, 12), std::string(name) + ".shape"});
        const bool key = std::string(name) == "k";
        heads[name] = net.op("Transpose", std::string(name) + ".heads", {split},
                             {{"perm", key ? Integers{0, 2, 3, 1} : Integers{0, 2, 1, 3}}});
    }
    const std::string scores = net.op("MatMul", "scores", {heads["q"], heads["k"]});
    const std::string weights = net.op("Softmax", "softmax", {scores}, {{"axis", std::int64_t{-1}}});
    const LayerGraph graph = net.layers(net.op("MatMul", "context", {weights, heads["v"]}));
    EXPECT_EQ(edgesOf(graph), (Strings{"q>scores 60", "k>scores 60", "scores>context 75", "v>context 60"}));
    const Layer& product = layerNamed(graph, "scores");
    EXPECT_EQ(product.kind, LayerKind::product);
    EXPECT_EQ(product.outChannels, 3);
    EXPECT_EQ(product.out, (Map{5, 5}));
    EXPECT_EQ(product.macs, 3 * 5 * 5 * 4);
    EXPECT_EQ(layerNamed(graph, "context").macs, 3 * 5 * 4 * 5);
}

TEST(LayerForm, keepsAProductOfOneLayerWithItselfAsAJoin) {
    Small net;
    const std::string a = net.fc("a", net.input("x", {5, 12}), 12, 8);
    const std::string turned = net.op("Transpose", "turned", {a}, {{"perm", Integers{0, 2, 1}}});
    const LayerGraph graph = net.layers(net.op("MatMul", "gram", {a, turned}));
    EXPECT_EQ(edgesOf(graph), (Strings{"a>gram 40", "a>gram 40"}));
    EXPECT_EQ(layerNamed(graph, "gram").macs, 5 * 5 * 8);
}

TEST(LayerForm, makesATableThatIndicesSelectFromAnEmbedding) {
    Small net;
    const std::string ids = net.indices("ids", {7});
    const std::string words = net.op("Gather", "words", {net.stored("table", {1000, 16}), ids});
    const std::string placed = net.op("Add", "place", {words, net.stored("places", {7, 16})});
    const LayerGraph graph = net.layers(net.fc("fc", placed, 16, 4));
    const Layer& words_ = layerNamed(graph, "words");
    EXPECT_EQ(words_.kind, LayerKind::embedding);
    EXPECT_EQ(words_.inChannels, 1000);
    EXPECT_EQ(words_.outChannels, 16);
    EXPECT_EQ(words_.conv, (Map{7, 1}));
    EXPECT_EQ(words_.parameters, 1000 * 16 + 7 * 16) << "with what is added on its edge";
    EXPECT_EQ(edgesOf(graph), (Strings{"words>fc 112"}));
}

TEST(LayerForm, takesARecurrentLayerAsOneMultiplicationPerStep) {
    Small net;
    const std::string x = net.op("Transpose", "steps", {net.input("x", {35, 10})}, {{"perm", Integers{1, 0, 2}}});
    const std::string y = net.op(
        "LSTM", "lstm", {x, net.stored("w", {1, 80, 10}), net.stored("r", {1, 80, 20}), net.stored("b", {1, 160})},
        {{"hidden_size", std::int64_t{20}}});
    const LayerGraph graph = net.layers(y);
    const Layer& lstm = graph.layers.front();
    EXPECT_EQ(lstm.kind, LayerKind::fc);
    EXPECT_EQ(lstm.inChannels, 30);
    EXPECT_EQ(lstm.outChannels, 80);
    EXPECT_EQ(lstm.conv, (Map{35, 1}));
    EXPECT_EQ(lstm.parameters, 80 * 30 + 160);
    EXPECT_EQ(macsPerSample(lstm), 35 * 4 * 20 * 30);
    EXPECT_EQ(graph.assumptions,
              (Strings{"1 recurrent layer is taken as multiplications of input and state together with "
                       "the weights of all gates and directions, one row per time step.",
                       "1 operator before the first layer belongs to no layer."}));
}

TEST(LayerForm, keepsTheCountOfATransposedConvolution) {
    Small net;
    const std::string up = net.op("ConvTranspose", "up", {net.input("x", {8, 4, 4}), net.stored("w", {8, 6, 2, 2})},
                                  {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}});
    const LayerGraph graph = net.layers(up);
    const Layer& layer = graph.layers.front();
    EXPECT_EQ(layer.in, (Map{4, 4}));
    EXPECT_EQ(layer.conv, (Map{4, 4}));
    EXPECT_EQ(layer.out, (Map{8, 8}));
    EXPECT_EQ(macsPerSample(layer), 8 * 4 * 4 * 6 * 4);
    EXPECT_EQ(weightElements(layer), 8 * 6 * 4);
    EXPECT_EQ(graph.assumptions, (Strings{"1 transposed convolution multiplies once per pixel of the input map, which "
                                          "stands as the map before pooling."}));
}

TEST(LayerForm, foldsMapsOfOneAndThreeDimensions) {
    Small net;
    const std::string line = net.conv("line", net.input("x", {3, 10}), {4, 3, 3});
    const std::string cube = net.conv("cube", net.input("y", {2, 4, 5, 6}), {4, 2, 2, 3, 3});
    net.builder().addOutput(line);
    const LayerGraph graph = net.layers(cube);
    EXPECT_EQ(layerNamed(graph, "line").in, (Map{10, 1}));
    EXPECT_EQ(layerNamed(graph, "line").conv, (Map{8, 1}));
    EXPECT_EQ(layerNamed(graph, "line").kernel, (Map{3, 1}));
    EXPECT_EQ(layerNamed(graph, "cube").in, (Map{20, 6}));
    EXPECT_EQ(layerNamed(graph, "cube").conv, (Map{9, 4}));
    EXPECT_EQ(layerNamed(graph, "cube").kernel, (Map{6, 3}));
}

TEST(LayerForm, keepsGroups) {
    Small net;
    const LayerGraph graph = net.layers(net.conv("depthwise", net.input("x", {8, 4, 4}), {8, 1, 3, 3}, 1, 8));
    EXPECT_EQ(graph.layers.front().groups, 8);
    EXPECT_EQ(weightElements(graph.layers.front()), 72);
    EXPECT_EQ(macsPerSample(graph.layers.front()), 8 * 16 * 9);
}

TEST(LayerForm, countsSharedWeightsInTheFirstLayerOnly) {
    Small net;
    const std::string w = net.stored("w", {16, 16});
    const std::string a = net.op("MatMul", "a", {net.input("x", {16}), w});
    const LayerGraph graph = net.layers(net.op("MatMul", "b", {net.op("Relu", "relu", {a}), w}));
    EXPECT_EQ(layerNamed(graph, "a").parameters, 256);
    EXPECT_EQ(layerNamed(graph, "b").parameters, 0);
    EXPECT_EQ(weightElements(layerNamed(graph, "b")), 256);
}

TEST(LayerForm, followsWeightsThroughOperatorsThatReadNoInput) {
    Small net;
    const std::string w = net.op("Transpose", "turn", {net.stored("w", {16, 8})}, {{"perm", Integers{1, 0}}});
    const LayerGraph graph = net.layers(net.op("MatMul", "fc", {net.input("x", {8}), w}));
    EXPECT_EQ(graph.layers.front().outChannels, 16);
    EXPECT_EQ(graph.layers.front().parameters, 128);
    EXPECT_EQ(graph.layers.front().operators, (Strings{"fc"}));
}

TEST(LayerForm, namesParametersThatBelongToNoLayer) {
    Small net;
    const std::string scaled = net.op("Mul", "scale", {net.input("x", {8}), net.stored("factor", {8})});
    const LayerGraph graph = net.layers(net.fc("fc", scaled, 8, 4));
    EXPECT_EQ(graph.assumptions,
              (Strings{"1 operator before the first layer belongs to no layer.",
                       "1 stored tensor with 8 elements in total, which no operator behind the first layer reads, "
                       "belongs to no layer: 'factor'."}));
}

TEST(LayerForm, leavesWhatComesStraightFromTheInputsOutOfAJoin) {
    Small net;
    const std::string x = net.input("x", {4});
    const std::string a = net.fc("a", x, 4, 8);
    const std::string b = net.fc("b", net.input("y", {6}), 6, 8);
    const LayerGraph graph = net.layers(net.op("Concat", "cat", {a, b, x}, {{"axis", std::int64_t{1}}}));
    EXPECT_EQ(edgesOf(graph), (Strings{"a>cat 8", "b>cat 8"}));
    EXPECT_EQ(layerNamed(graph, "cat").outChannels, 20);
    EXPECT_EQ(graph.assumptions, (Strings{"1 operand of a join comes straight from the inputs and is not moved."}));
}

TEST(LayerForm, looksForChannelsWhereTheLayersHaveThem) {
    Small net;
    // Channels last inside of the block, first at the join, as ConvNeXt has it.
    const std::string a = net.conv("a", net.input("x", {3, 5, 5}), {8, 3, 1, 1});
    const std::string last = net.op("Transpose", "last", {a}, {{"perm", Integers{0, 2, 3, 1}}});
    const std::string b = net.fc("b", last, 8, 8);
    const std::string first = net.op("Transpose", "first", {b}, {{"perm", Integers{0, 3, 1, 2}}});
    const LayerGraph graph = net.layers(net.op("Add", "add", {first, a}));
    EXPECT_EQ(layerNamed(graph, "add").outChannels, 8);
    EXPECT_EQ(layerNamed(graph, "add").out, (Map{5, 5}));
    EXPECT_EQ(layerNamed(graph, "b").in, (Map{25, 1}));
}

TEST(LayerForm, namesTheDimensionsToGiveWhereAShapeIsUnknown) {
    Small net;
    net.builder().addInput("x", DataType::float32, Integers{1, kUnknown, 16}, {{1, "seq"}});
    const Graph graph = net.graph(net.fc("fc", "x", 16, 8));
    try {
        layersOf(graph);
        FAIL() << "nothing was thrown";
    } catch (const DataError& error) {
        EXPECT_STREQ(error.what(), "tensor 'fc': found shape 1x?x8; expected a known shape; give --dim seq=N");
    }
}

TEST(LayerForm, takesTimeInProportionToTheGraph) {
    constexpr int kLayers = 100'000;
    Small net;
    std::string x = net.input("x", {4});
    const std::string w = net.stored("w", {4, 4});
    for (int i = 0; i < kLayers; ++i) {
        const std::string name = std::to_string(i);
        x = net.op("Relu", "r" + name, {net.op("MatMul", "m" + name, {x, w})});
    }
    const Graph graph = net.graph(x);
    const double before = test::workMilliseconds();
    EXPECT_EQ(layersOf(graph).layers.size(), static_cast<std::size_t>(kLayers));
    EXPECT_LT(test::workMilliseconds() - before, 5000 * test::kSlowerBuild);
}

TEST(LayerForm, bearsLongChainsOfGatesOnOneEdge) {
    constexpr int kGates = 20'000;
    Small net;
    const std::string first = net.fc("fc", net.input("x", {4}), 4, 4);
    std::string x = first;
    for (int i = 0; i < kGates; ++i) x = net.op("Add", "add" + std::to_string(i), {x, first});
    const LayerGraph graph = net.layers(net.fc("last", x, 4, 4));
    EXPECT_EQ(namesOf(graph), (Strings{"fc", "last"}));
    EXPECT_EQ(layerNamed(graph, "fc").activations, 4 + 4 * kGates);
}

/// A multiplication's worked example as a graph; of its two operands the first varies, and the second where `both`.
Graph exampleOf(const OperatorKind& kind, bool both) {
    GraphBuilder builder("example", "example.test", kind.example.opset);
    OperatorSpec spec;
    spec.type = std::string(kind.id);
    spec.domain = std::string(kind.domain);
    spec.name = "op";
    spec.attributes = kind.example.attributes;
    for (std::size_t i = 0; i < kind.example.inputs.size(); ++i) {
        const ExampleTensor& tensor = kind.example.inputs[i];
        spec.inputs.push_back(tensor.type == DataType::undefined ? "" : "in" + std::to_string(i));
        if (spec.inputs.back().empty()) continue;
        const bool varies = i == kind.operands[0] || (both && i == kind.operands[1]);
        if (varies)
            builder.addInput(spec.inputs.back(), tensor.type, tensor.shape);
        else
            builder.addStored(spec.inputs.back(), tensor.type, tensor.shape, tensor.elements.value_or(Elements{}));
    }
    for (std::size_t i = 0; i < kind.example.outputs.size(); ++i)
        spec.outputs.push_back(kind.example.outputs[i].type == DataType::undefined ? "" : "out" + std::to_string(i));
    builder.add(spec);
    builder.addOutput("out0");
    return std::move(builder).build();
}

TEST(LayerForm, keepsTheCountOfEveryMultiplication) {
    for (const OperatorKind& kind : operatorKinds()) {
        if (kind.macs == nullptr) continue;
        for (const bool both : {false, true}) {
            SCOPED_TRACE(std::string(kind.id) + (both ? " of activations" : " with weights"));
            const Graph graph = exampleOf(kind, both);
            const LayerGraph layers = layersOf(graph);
            ASSERT_EQ(layers.layers.size(), 1U);
            EXPECT_EQ(isJoin(layers.layers.front().kind), both);
            EXPECT_NEAR(macsPerSample(layers.layers.front()) * static_cast<double>(graph.batch),
                        static_cast<double>(kind.example.macs), 1e-9);
        }
    }
}

TEST(LayerForm, leavesAnEinsteinSumThatSumsNothingOnTheEdge) {
    Small net;
    const std::string a = net.fc("a", net.input("x", {3, 4}), 4, 8);
    const std::string scaled =
        net.op("Einsum", "scaled", {a, net.stored("scale", {8})}, {{"equation", std::string("bsd,d->bsd")}});
    const std::string turned = net.op("Einsum", "turned", {scaled}, {{"equation", std::string("bsd->bds")}});
    const LayerGraph graph = net.layers(turned);
    EXPECT_EQ(namesOf(graph), (Strings{"a"}));
    EXPECT_EQ(layerNamed(graph, "a").parameters, 4 * 8 + 8);
}

TEST(LayerForm, readsChannelsFromTheElementsThatAnEinsteinSumHas) {
    Small net;
    const std::string y = net.op("Einsum", "heads", {net.input("x", {5, 12}), net.stored("w", {12, 3, 4})},
                                 {{"equation", std::string("bsd,dhk->bshk")}});
    const LayerGraph graph = net.layers(y);
    const Layer& heads = graph.layers.front();
    EXPECT_EQ(heads.inChannels, 12);
    EXPECT_EQ(heads.outChannels, 12);
    EXPECT_EQ(heads.conv, (Map{5, 1}));
    EXPECT_EQ(macsPerSample(heads), 5 * 12 * 12);
}

/// Every model of a folder of the corpus, through the reader: layers hold what the graph counts.
void expectLayersToHoldWhatTheGraphCounts(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".onnx") files.push_back(entry.path());
    ASSERT_FALSE(files.empty()) << folder;
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
        SCOPED_TRACE(file.filename().string());
        const Model model = loadModel(file.string());
        const Summary summary = summarise(*model.graph());
        const LayerGraph layers = layerGraph(model);
        std::int64_t weighted = 0;
        double macs = 0;
        double parameters = 0;
        for (const Layer& layer : layers.layers) {
            weighted += layer.kind == LayerKind::fc || layer.kind == LayerKind::conv ? 1 : 0;
            macs += macsPerSample(layer);
            parameters += layer.parameters;
        }
        EXPECT_EQ(weighted, summary.weightedLayers);
        EXPECT_EQ(macs * static_cast<double>(summary.batch), static_cast<double>(summary.macs.value()));
        const bool all =
            std::none_of(layers.assumptions.begin(), layers.assumptions.end(),
                         [](const std::string& text) { return text.find("to no layer: '") != std::string::npos; });
        if (all) {
            EXPECT_EQ(parameters, static_cast<double>(summary.parameters.value()));
        }
    }
}

TEST(LayerForm, holdsWhatEveryModelOfTheCorpusCounts) {
    expectLayersToHoldWhatTheGraphCounts(test::sourcePath("tests/data/models"));
}

TEST(LayerForm, holdsWhatEveryLightModelCounts) {
    TESSERA_NEEDS_SHARED("models/onnx_light");
    expectLayersToHoldWhatTheGraphCounts(test::sharedPath("models/onnx_light"));
}

}  // namespace
}  // namespace tessera::model
