#include "core/model/graph_hierarchy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/model/builder.h"
#include "core/model/model.h"
#include "tests/support/paths.h"

namespace tessera::model {
namespace {

GraphHierarchy hierarchyOf(const Model& model) {
    return model.graph() != nullptr ? model::hierarchyOf(*model.graph())
                                    : model::hierarchyOf(std::get<LayerGraph>(model.form));
}

using test::sourcePath;

std::vector<std::string> labelsOf(const GraphHierarchy& hierarchy, std::int32_t node = 0) {
    std::vector<std::string> labels;
    for (const std::int32_t child : hierarchy.node(node).children) labels.push_back(hierarchy.node(child).label);
    return labels;
}

/// Children cover their parent's items without gaps, every item has one leaf, and links go forward.
void expectWellFormed(const GraphHierarchy& hierarchy) {
    for (std::size_t i = 0; i < hierarchy.nodes.size(); ++i) {
        const HierarchyNode& node = hierarchy.nodes[i];
        std::int32_t next = node.first;
        for (const std::int32_t child : node.children) {
            EXPECT_EQ(hierarchy.node(child).parent, static_cast<std::int32_t>(i));
            EXPECT_EQ(hierarchy.node(child).first, next);
            next += hierarchy.node(child).count;
        }
        if (!node.children.empty()) {
            EXPECT_EQ(next, node.first + node.count);
        }
        EXPECT_LE(node.children.size(), kMaxHierarchyChildren) << node.name;
    }
    for (std::size_t i = 0; i < hierarchy.leaves.size(); ++i)
        EXPECT_EQ(hierarchy.node(hierarchy.leaves[i]).first, static_cast<std::int32_t>(i));
    for (const HierarchyLink& link : hierarchy.links) EXPECT_LT(link.from, link.to);
}

/// Operators without names for layers and blocks: `blocks` times the same chain of `length`.
Graph unnamedGraph(int blocks, int length) {
    GraphBuilder builder("unnamed", "test");
    builder.addInput("x", DataType::float32, std::vector<std::int64_t>{1, 64});
    std::string x = "x";
    int number = 0;
    for (int block = 0; block < blocks; ++block)
        for (int i = 0; i < length; ++i) {
            const std::string name = "node" + std::to_string(number++);
            const std::vector<std::string> types{"Relu", "Tanh", "Sigmoid", "Exp", "Neg"};
            const std::size_t choice = i < 5 ? static_cast<std::size_t>(i) : static_cast<std::size_t>(i * 7 % 5);
            x = builder.add({.type = types[choice],
                             .inputs = {x},
                             .outputs = {name},
                             .attributes = {},
                             .name = name,
                             .domain = {},
                             .layer = {},
                             .block = {}});
        }
    builder.addOutput(x);
    return std::move(builder).build();
}

TEST(Fold, showsResNetAsStagesOfRepeatedBlocks) {
    const Model model = loadModel("zoo:resnet50");
    const GraphHierarchy hierarchy = hierarchyOf(model);
    expectWellFormed(hierarchy);
    EXPECT_THAT(labelsOf(hierarchy),
                testing::ElementsAre("input", "conv1", "layer1.0", "layer1.1 … layer1.2", "layer2.0",
                                     "layer2.1 … layer2.3", "layer3.0", "layer3.1 … layer3.5", "layer4.0",
                                     "layer4.1 … layer4.2", "globalaveragepool", "fc", "fc"));
    const HierarchyNode& repeat = hierarchy.node(hierarchy.node(0).children[7]);
    EXPECT_EQ(repeat.kind, HierarchyKind::repeat);
    EXPECT_EQ(repeat.copies, 5);
    EXPECT_THAT(labelsOf(hierarchy, repeat.children[0]), testing::ElementsAre("conv1", "conv2", "conv3", "add"));
}

TEST(Fold, keepsStagesWhereTheirBlocksWouldFillTheScreen) {
    const GraphHierarchy hierarchy = hierarchyOf(loadModel("zoo:densenet121"));
    expectWellFormed(hierarchy);
    EXPECT_THAT(labelsOf(hierarchy), testing::Contains("denseblock3"));
    EXPECT_LE(hierarchy.node(0).children.size(), 20U);
}

TEST(Fold, foldsEqualTransformerLayersIntoOneNode) {
    const GraphHierarchy hierarchy =
        hierarchyOf(loadModel(sourcePath("tests/data/models/bert_large_512.onnx").string()));
    expectWellFormed(hierarchy);
    const auto repeat = std::find_if(hierarchy.nodes.begin(), hierarchy.nodes.end(),
                                     [](const HierarchyNode& node) { return node.copies == 24; });
    ASSERT_NE(repeat, hierarchy.nodes.end());
    EXPECT_EQ(repeat->label, "layer.0 … layer.23");
    EXPECT_EQ(repeat->parent, 0);
}

class FoldOfFile : public testing::TestWithParam<const char*> {};

TEST_P(FoldOfFile, isWellFormedAndShowsFewThingsAtFirst) {
    const Model model = loadModel(sourcePath(std::string("tests/data/models/") + GetParam()).string());
    const GraphHierarchy hierarchy = hierarchyOf(model);
    expectWellFormed(hierarchy);
    const VisibleGraph visible = visibleGraph(hierarchy, firstExpanded(hierarchy));
    EXPECT_LE(visible.nodes.size(), 60U);
    const std::vector<NodeTotals> totals = totalsOf(*model.graph(), hierarchy);
    const Summary summary = summarise(*model.graph());
    EXPECT_EQ(totals.front().operators, static_cast<std::int64_t>(model.graph()->operators.size()));
    if (summary.macs) {
        EXPECT_DOUBLE_EQ(totals.front().macs.value_or(-1), static_cast<double>(*summary.macs));
    }
}

INSTANTIATE_TEST_SUITE_P(corpus, FoldOfFile,
                         testing::Values("gpt2_small.onnx", "llama2_7b.onnx", "dlrm_criteo_kaggle.onnx", "vgg19.onnx",
                                         "shufflenet_v2_x1_0.onnx", "unet.onnx", "lstm_ptb.onnx", "alexnet.onnx",
                                         "seq2seq_gru_luong.onnx", "wide_deep.onnx", "mobilenet_v3_large.onnx"));

TEST(Fold, findsRepetitionThatNoNameShows) {
    const GraphHierarchy hierarchy =
        hierarchyOf(Model{.name = {}, .source = {}, .sha256 = {}, .form = unnamedGraph(40, 13), .warnings = {}});
    expectWellFormed(hierarchy);
    const auto repeat = std::find_if(hierarchy.nodes.begin(), hierarchy.nodes.end(),
                                     [](const HierarchyNode& node) { return node.copies == 40; });
    ASSERT_NE(repeat, hierarchy.nodes.end());
    EXPECT_EQ(repeat->count, 40 * 13);
}

TEST(Fold, cutsWhatHasNeitherNamesNorRepetition) {
    GraphBuilder builder("wild", "test");
    builder.addInput("x", DataType::float32, std::vector<std::int64_t>{1, 8});
    std::string x = "x";
    std::uint64_t state = 1;
    for (int i = 0; i < 5000; ++i) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        const std::vector<std::string> types{"Relu", "Tanh", "Sigmoid", "Exp", "Neg"};
        const std::string name = "n" + std::to_string(i);
        x = builder.add({.type = types[state >> 61U > 4 ? 0 : state >> 61U],
                         .inputs = {x},
                         .outputs = {name},
                         .attributes = {},
                         .name = name,
                         .domain = {},
                         .layer = {},
                         .block = {}});
    }
    builder.addOutput(x);
    const Graph graph = std::move(builder).build();
    const GraphHierarchy hierarchy = model::hierarchyOf(graph);
    expectWellFormed(hierarchy);
    EXPECT_LE(hierarchy.node(0).children.size(), kMaxHierarchyChildren);
}

TEST(Fold, drawsOneArrowBetweenTwoVisibleThings) {
    const GraphHierarchy hierarchy = hierarchyOf(loadModel("zoo:resnet50"));
    const VisibleGraph closed = visibleGraph(hierarchy, {});
    EXPECT_EQ(closed.nodes.size(), 13U);
    EXPECT_EQ(closed.edges.size(), 12U);
    const std::int32_t block = hierarchy.node(0).children[2];
    const VisibleGraph open = visibleGraph(hierarchy, {block});
    EXPECT_EQ(open.nodes.size(), 17U);
    EXPECT_THAT(open.open, testing::ElementsAre(block));
    EXPECT_EQ(open.edges.size(), 17U);  // the shortcut is one more
    EXPECT_EQ(visibleNodes(hierarchy, {block}), 17U);
    const std::int32_t item = hierarchy.node(block).first;
    EXPECT_EQ(visibleNodeOf(hierarchy, {}, item), block);
    EXPECT_EQ(hierarchy.node(visibleNodeOf(hierarchy, {block}, item)).parent, block);
}

TEST(Fold, sumsWhatIsBelow) {
    const Model model = loadModel("zoo:resnet50");
    const GraphHierarchy hierarchy = hierarchyOf(model);
    const std::vector<NodeTotals> totals = totalsOf(*model.graph(), hierarchy);
    const Summary summary = summarise(*model.graph());
    EXPECT_DOUBLE_EQ(*totals.front().parameters, static_cast<double>(*summary.parameters));
    EXPECT_DOUBLE_EQ(*totals.front().activations, static_cast<double>(*summary.activationElements));
    EXPECT_DOUBLE_EQ(*totals.front().flops, static_cast<double>(*summary.flopsMatrix + *summary.flopsVector));
    EXPECT_EQ(totals.front().mainClass(), OperatorClass::matrix);
    EXPECT_GT(*totals.front().intensity(), 1);
}

TEST(Fold, foldsLayerTables) {
    const LayerGraph layers = layersOf(*loadModel("zoo:googlenet").graph());
    const GraphHierarchy hierarchy = model::hierarchyOf(layers);
    expectWellFormed(hierarchy);
    EXPECT_EQ(hierarchy.items.size(), layers.layers.size());
    EXPECT_EQ(hierarchy.links.size(), layers.edges.size());
    EXPECT_GT(*totalsOf(layers, hierarchy, 2).front().macs, 1e9);
}

TEST(Fold, isTheSameEveryTime) {
    const Model model = loadModel("zoo:densenet121");
    const GraphHierarchy one = hierarchyOf(model);
    const GraphHierarchy other = hierarchyOf(model);
    ASSERT_EQ(one.nodes.size(), other.nodes.size());
    for (std::size_t i = 0; i < one.nodes.size(); ++i) EXPECT_EQ(one.nodes[i].name, other.nodes[i].name);
}

}  // namespace
}  // namespace tessera::model
