#include "core/model/memory.h"

#include <gtest/gtest.h>

#include <utility>

#include "core/model/builder.h"
#include "core/model/training.h"

namespace tessera::model {
namespace {

std::vector<MemoryPart> memoryOf(const Model& model) {
    const Graph& graph = *model.graph();
    return trainingMemory(model, totalsOf(graph, hierarchyOf(graph)).front());
}

double sumOf(const std::vector<MemoryPart>& parts) {
    double sum = 0;
    for (const MemoryPart& part : parts) sum += part.bytes.value_or(0);
    return sum;
}

/// 2 samples of 8 elements, a fully connected layer with 8 × 4 weights, rectified.
Model smallModel(Shape input) {
    GraphBuilder builder("small", "test");
    builder.addInput("x", DataType::float32, std::move(input));
    builder.addStored("w", DataType::float32, std::vector<std::int64_t>{8, 4});
    builder.add({.type = "MatMul",
                 .inputs = {"x", "w"},
                 .outputs = {"y"},
                 .attributes = {},
                 .name = "fc",
                 .domain = {},
                 .layer = "fc",
                 .block = {}});
    builder.add({.type = "Relu",
                 .inputs = {"y"},
                 .outputs = {"z"},
                 .attributes = {},
                 .name = "relu",
                 .domain = {},
                 .layer = "relu",
                 .block = {}});
    builder.addOutput("z");
    Model model;
    model.form = std::move(builder).build();
    return model;
}

TEST(TrainingMemory, countsEveryClassByItsFormula) {
    const std::vector<MemoryPart> parts = memoryOf(smallModel(std::vector<std::int64_t>{2, 8}));
    ASSERT_EQ(parts.size(), 6U);
    const std::vector<std::pair<MemoryUse, double>> expected{
        {MemoryUse::weights, 4.0 * 32},   {MemoryUse::gradients, 4.0 * 32},
        {MemoryUse::optimizer, 8.0 * 32}, {MemoryUse::activations, 4.0 * 2 * 4},  // one of y and z
        {MemoryUse::inputs, 4.0 * 2 * 8}, {MemoryUse::constants, 0}};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        EXPECT_EQ(parts[i].use, expected[i].first) << i;
        EXPECT_EQ(parts[i].bytes, expected[i].second) << nameOf(parts[i].use);
    }
}

TEST(TrainingMemory, ofATableOfLayersHasNoInputsAndConstants) {
    LayerGraph layers;
    layers.name = "table";
    Layer layer;
    layer.name = "fc";
    layer.inChannels = 8;
    layer.outChannels = 4;
    layer.parameters = 32;
    layer.activations = 4;
    layers.layers.push_back(layer);
    Model model;
    model.form = layers;
    const std::vector<MemoryPart> parts = trainingMemory(model, totalsOf(layers, hierarchyOf(layers), 2).front());
    ASSERT_EQ(parts.size(), 4U);
    EXPECT_EQ(parts[0].bytes, 4.0 * 32);
    EXPECT_EQ(parts[3].bytes, 4.0 * 2 * 4);
}

TEST(TrainingMemory, ofAKnownNetworkIsThatOfItsParameters) {
    const std::vector<MemoryPart> parts = memoryOf(loadModel("zoo:resnet50"));
    EXPECT_EQ(parts[0].bytes, 4.0 * 25'557'032);
    EXPECT_EQ(parts[2].bytes, 8.0 * 25'557'032);
    EXPECT_EQ(parts[4].bytes, 4.0 * 3 * 224 * 224);
    // Convolutions read what goes into them, normalisations too; what is rectified or added is not kept twice.
    const Model model = loadModel("zoo:resnet50");
    EXPECT_EQ(parts[3].bytes, countTraining(trainingOf(*model.graph())).storedBytes);
    EXPECT_LT(parts[3].bytes, totalsOf(*model.graph(), hierarchyOf(*model.graph())).front().activationBytes);
    EXPECT_GT(sumOf(parts), 16.0 * 25'557'032);
    for (const MemoryPart& part : parts) {
        EXPECT_FALSE(nameOf(part.use).empty());
    }
}

}  // namespace
}  // namespace tessera::model
