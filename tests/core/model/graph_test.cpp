#include "core/model/graph.h"

#include <gtest/gtest.h>

#include <vector>

namespace tessera::model {
namespace {

TEST(DataTypes, haveNamesThatReadBack) {
    for (int i = 0; i <= 22; ++i) {
        const auto type = static_cast<DataType>(i);
        EXPECT_EQ(dataTypeNamed(nameOf(type)), type);
    }
    EXPECT_EQ(nameOf(DataType::bfloat16), "bfloat16");
    EXPECT_EQ(dataTypeNamed("float31"), DataType::undefined);
    EXPECT_EQ(nameOf(static_cast<DataType>(99)), "undefined");
}

TEST(DataTypes, knowTheirSize) {
    EXPECT_EQ(bytesPerElement(DataType::float32), 4);
    EXPECT_EQ(bytesPerElement(DataType::int4), 0.5);
    EXPECT_EQ(bytesPerElement(DataType::string), 0);
    EXPECT_TRUE(isFloat(DataType::float8e5m2));
    EXPECT_FALSE(isFloat(DataType::int8));
}

TEST(Shapes, countTheirElements) {
    const std::int64_t huge = std::int64_t{1} << 40;
    EXPECT_EQ(elementCount(std::vector<std::int64_t>{2, 3, 4}), 24);
    EXPECT_EQ(elementCount(std::vector<std::int64_t>{}), 1);
    EXPECT_EQ(elementCount(std::vector<std::int64_t>{2, kUnknown}), std::nullopt);
    EXPECT_EQ(elementCount(std::nullopt), std::nullopt);
    EXPECT_EQ(elementCount(std::vector<std::int64_t>{huge, huge}), std::nullopt);
    EXPECT_EQ(elementCount(std::vector<std::int64_t>{huge, huge, 0}), 0);
}

TEST(Shapes, areShownWithTheirUnknowns) {
    EXPECT_EQ(toText(std::vector<std::int64_t>{1, 3, 224, 224}), "1x3x224x224");
    EXPECT_EQ(toText(std::vector<std::int64_t>{kUnknown, 128}), "?x128");
    EXPECT_EQ(toText(std::vector<std::int64_t>{}), "scalar");
    EXPECT_EQ(toText(std::nullopt), "unknown shape");
}

TEST(Graphs, knowWhoMakesATensor) {
    Graph graph;
    graph.tensors.resize(4);
    graph.operators.resize(2);
    graph.operators[0].inputs = {0, 0, kNoTensor};
    graph.operators[0].outputs = {1, kNoTensor, 2};
    graph.operators[1].inputs = {1, 0};
    graph.operators[1].outputs = {3};
    EXPECT_EQ(producers(graph), (std::vector<std::int32_t>{-1, 0, 0, 1}));
}

}  // namespace
}  // namespace tessera::model
