// Counts by the definitions of the ONNX corpus, worked by hand.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/model/builder.h"
#include "core/model/counts.h"
#include "core/model/model.h"

namespace tessera::model {
namespace {

using Ints = std::vector<std::int64_t>;

void add(GraphBuilder& builder, const std::string& type, const std::vector<std::string>& inputs,
         const std::string& output, const Attributes& attributes = {}, const std::string& body = {}) {
    OperatorSpec spec;
    spec.type = type;
    spec.inputs = inputs;
    spec.outputs = {output};
    spec.attributes = attributes;
    spec.body = body;
    builder.add(std::move(spec));
}

/// Conv 3 -> 4 channels of 3x3 on 2x3x8x8, ReLU, flatten, fully connected 256 -> 10.
Graph smallNet() {
    GraphBuilder builder("small", "small.onnx");
    builder.addInput("x", DataType::float32, Ints{2, 3, 8, 8});
    builder.addStored("w", DataType::float32, {4, 3, 3, 3});
    builder.addStored("b", DataType::float32, {4});
    builder.addStored("fw", DataType::float32, {10, 256});
    builder.addStored("fb", DataType::float32, {10});
    add(builder, "Conv", {"x", "w", "b"}, "c", {{"pads", Ints{1, 1, 1, 1}}});
    add(builder, "Relu", {"c"}, "r");
    add(builder, "Flatten", {"r"}, "f");
    add(builder, "Gemm", {"f", "fw", "fb"}, "y", {{"transB", std::int64_t{1}}});
    builder.addOutput("y");
    return std::move(builder).build();
}

TEST(Summary, countsAsDefined) {
    const Summary summary = summarise(smallNet());
    EXPECT_EQ(summary.parameters, 108 + 4 + 2560 + 10);
    EXPECT_EQ(summary.macs, 512 * 27 + 2 * 256 * 10);
    EXPECT_EQ(summary.flopsMatrix, 2 * (13824 + 5120));
    EXPECT_EQ(summary.flopsVector, 512 + 512 + 20);  // bias, ReLU, bias
    EXPECT_EQ(summary.activationElements, 512 + 512 + 512 + 20);
    EXPECT_EQ(summary.operators, 4);
    EXPECT_EQ(summary.weightedLayers, 2);
    EXPECT_EQ(summary.batch, 2);
    ASSERT_EQ(summary.inputs.size(), 1U);
    EXPECT_EQ(toText(summary.outputs.at(0).shape), "2x10");
}

TEST(Summary, sharesItsRulesWithTheCountsOfOperators) {
    const std::vector<OperatorCount> counts = operatorCounts(smallNet());
    ASSERT_EQ(counts.size(), 4U);
    EXPECT_EQ(counts[0].parameters, 112);
    EXPECT_EQ(counts[0].macs, 13824);
    EXPECT_EQ(counts[0].inputElements, 384 + 108 + 4);
    EXPECT_TRUE(counts[0].weighted);
    EXPECT_EQ(counts[1].flopsVector, 512);
    EXPECT_EQ(counts[2].outputElements, 512);
    EXPECT_EQ(counts[3].parameters, 2570);
}

TEST(Summary, countsTiedWeightsOnceAndTheirLayersTwice) {
    GraphBuilder builder("tied", "tied.onnx");
    builder.addInput("x", DataType::float32, Ints{3, 4});
    builder.addStored("w", DataType::float32, {4, 4});
    add(builder, "MatMul", {"x", "w"}, "a");
    add(builder, "Transpose", {"w"}, "t");
    add(builder, "MatMul", {"a", "t"}, "b");
    const Summary summary = summarise(std::move(builder).build());
    EXPECT_EQ(summary.parameters, 16);
    EXPECT_EQ(summary.weightedLayers, 2);
}

TEST(Summary, countsAStoredTensorThatNothingReads) {
    GraphBuilder builder("g", "g.onnx");
    builder.addInput("x", DataType::float32, Ints{3});
    builder.addStored("unused", DataType::float32, {7});
    builder.addStored("table", DataType::int64, {9});
    add(builder, "Relu", {"x"}, "y");
    EXPECT_EQ(summarise(std::move(builder).build()).parameters, 7);
}

TEST(Summary, leavesCountsEmptyThatNeedAnUnknownShape) {
    GraphBuilder builder("g", "g.onnx");
    builder.addInput("x", DataType::float32, Ints{kUnknown, 4});
    builder.addStored("w", DataType::float32, {4, 5});
    add(builder, "MatMul", {"x", "w"}, "y");
    const Summary summary = summarise(std::move(builder).build());
    EXPECT_EQ(summary.parameters, 20);
    EXPECT_EQ(summary.macs, std::nullopt);
    EXPECT_EQ(summary.flopsMatrix, std::nullopt);
    EXPECT_EQ(summary.flopsVector, 0);
    EXPECT_EQ(summary.activationElements, std::nullopt);
    EXPECT_EQ(summary.weightedLayers, 1);
}

TEST(Summary, leavesCountsEmptyThatDoNotFit) {
    GraphBuilder builder("g", "g.onnx");
    const std::int64_t large = std::int64_t{1} << 26;
    builder.addInput("x", DataType::float32, Ints{large, large});
    builder.addStored("w", DataType::float32, {large, large});
    add(builder, "MatMul", {"x", "w"}, "y");
    EXPECT_EQ(summarise(std::move(builder).build()).macs, std::nullopt);
}

TEST(Summary, countsWorkInBodiesButNotTheirOperators) {
    GraphBuilder builder("g", "g.onnx");
    builder.addInput("x", DataType::float32, Ints{2, 3});
    builder.addStored("w", DataType::float32, {3, 3});
    add(builder, "MatMul", {"x", "w"}, "inner", {}, "loop");
    add(builder, "Loop", {"", "", "x"}, "y");
    builder.declare("y", DataType::float32, Ints{2, 3});
    const Summary summary = summarise(std::move(builder).build());
    EXPECT_EQ(summary.operators, 1);
    EXPECT_EQ(summary.macs, 18);
    EXPECT_EQ(summary.activationElements, 6);
}

TEST(Summary, leavesIntegersAndWeightOnlyChainsOutOfTheActivations) {
    GraphBuilder builder("g", "g.onnx");
    builder.addInput("x", DataType::float32, Ints{2, 3});
    builder.addStored("w", DataType::float32, {3, 5});
    add(builder, "Transpose", {"w"}, "t");
    add(builder, "ArgMax", {"x"}, "i");
    add(builder, "Cast", {"x"}, "h", {{"to", std::int64_t{10}}});
    EXPECT_EQ(summarise(std::move(builder).build()).activationElements, 6);
}

}  // namespace
}  // namespace tessera::model
