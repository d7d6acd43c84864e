// GraphBuilder: folding of shape arithmetic, roles, names, what is refused.

#include "core/model/builder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/model.h"

namespace tessera::model {
namespace {

using Ints = std::vector<std::int64_t>;
using Reals = std::vector<double>;

class Building : public testing::Test {
protected:
    std::string op(const std::string& type, const std::vector<std::string>& inputs, const std::string& output,
                   const Attributes& attributes = {}, const std::string& name = {}) {
        OperatorSpec spec;
        spec.type = type;
        spec.inputs = inputs;
        spec.outputs = {output};
        spec.attributes = attributes;
        spec.name = name;
        return builder.add(std::move(spec));
    }
    std::string integers(const std::string& name, const Reals& values) {
        builder.addConstant(name, DataType::int64, {static_cast<std::int64_t>(values.size())}, values);
        return name;
    }
    std::string integer(const std::string& name, double value) {
        builder.addConstant(name, DataType::int64, {}, Reals{value});
        return name;
    }
    std::string shape(const std::string& tensor) const { return toText(builder.tensor(tensor).shape); }
    TensorRole role(const std::string& tensor) const { return builder.tensor(tensor).role; }
    Reals known(const std::string& tensor) const {
        const Reals* const values = builder.values(tensor);
        return values == nullptr ? Reals{-99} : *values;
    }
    template <typename Action>
    static std::string failure(Action action) {
        try {
            action();
        } catch (const DataError& error) {
            return error.what();
        }
        return "no failure";
    }

    GraphBuilder builder{"net", "net.onnx", 17};
};

TEST_F(Building, resolvesTheShapeArithmeticOfExportedAttention) {
    builder.addInput("x", DataType::float32, Ints{2, 128, 768});
    op("Shape", {"x"}, "s");
    op("Gather", {"s", integer("zero", 0)}, "n");
    op("Gather", {"s", integer("one", 1)}, "t");
    op("Gather", {"s", integer("two", 2)}, "d");
    op("Div", {"d", integer("heads", 12)}, "h");
    op("Cast", {"h"}, "h64", {{"to", std::int64_t{7}}});
    for (const char* part : {"n", "t", "h64"}) op("Unsqueeze", {part}, std::string(part) + "1", {{"axes", Ints{0}}});
    op("Concat", {"n1", "t1", integers("twelve", {12}), "h641"}, "target", {{"axis", std::int64_t{0}}});
    op("Reshape", {"x", "target"}, "y");
    EXPECT_EQ(known("target"), (Reals{2, 128, 12, 64}));
    EXPECT_EQ(shape("y"), "2x128x12x64");
}

TEST_F(Building, resolvesWhatItCanWhereOneElementOfAShapeIsUnknown) {
    builder.addInput("x", DataType::float32, Ints{kUnknown, 6, 4});
    op("Shape", {"x"}, "s");
    op("Slice", {"s", integers("from", {0}), integers("to", {1})}, "n");
    op("Concat", {"n", integers("rest", {3, 8})}, "target", {{"axis", std::int64_t{0}}});
    op("Reshape", {"x", "target"}, "y");
    EXPECT_EQ(builder.values("target"), nullptr);
    EXPECT_EQ(shape("y"), "?x3x8");
    op("Concat", {integers("lead", {4}), "n"}, "mixed", {{"axis", std::int64_t{0}}});
    op("ConstantOfShape", {"mixed"}, "z");
    EXPECT_EQ(shape("z"), "4x?");
}

TEST_F(Building, foldsMasksMadeOfRanges) {
    op("Range", {integer("a", 0), integer("b", 4), integer("c", 1)}, "r");
    op("Unsqueeze", {"r"}, "column", {{"axes", Ints{1}}});
    op("Less", {"column", "r"}, "later");
    op("Cast", {"later"}, "whole", {{"to", std::int64_t{7}}});
    op("ReduceSum", {"whole"}, "count", {{"keepdims", std::int64_t{0}}});
    EXPECT_EQ(known("count"), Reals{6});
}

TEST_F(Building, foldsIntegerArithmeticAsIntegers) {
    op("Div", {integer("a", -7), integer("b", 2)}, "quotient");
    op("Mod", {"a", "b"}, "remainder");
    op("Mod", {"a", "b"}, "fmod", {{"fmod", std::int64_t{1}}});
    op("Div", {"a", integer("zero", 0)}, "nothing");
    EXPECT_EQ(known("quotient"), Reals{-3});
    EXPECT_EQ(known("remainder"), Reals{1});
    EXPECT_EQ(known("fmod"), Reals{-1});
    EXPECT_EQ(builder.values("nothing"), nullptr);
    op("Mul", {integer("big", 0x1p52), "b"}, "exact");
    op("Mul", {"exact", "b"}, "inexact");
    EXPECT_EQ(known("exact"), Reals{0x1p53});
    EXPECT_EQ(builder.values("inexact"), nullptr);
}

TEST_F(Building, choosesByFoldedConditions) {
    integers("target", {-1, 5});
    op("Equal", {"target", integers("minus", {-1})}, "open");
    op("Where", {"open", integers("ones", {1, 1}), "target"}, "sizes");
    EXPECT_EQ(known("sizes"), (Reals{1, 5}));
    builder.addStored("w", DataType::float32, {3, 1});
    op("Expand", {"w", "sizes"}, "wide");
    EXPECT_EQ(shape("wide"), "3x5");
}

TEST_F(Building, doesNotFoldLargeConstants) {
    builder.addStored("w", DataType::int64, {300, 300}, Reals(90'000, 1));
    EXPECT_EQ(builder.values("w"), nullptr);
    op("ConstantOfShape", {integers("s", {300, 300})}, "z", {{"value_type", std::int64_t{7}}, {"value", Reals{1}}});
    EXPECT_EQ(builder.values("z"), nullptr);
    EXPECT_EQ(shape("z"), "300x300");
}

TEST_F(Building, stopsFoldingWhenItsBudgetIsSpentAndSaysSo) {
    builder.addConstant("x0", DataType::int64, {65'536}, Reals(65'536, 1));
    for (int i = 0; i < 300; ++i) op("Neg", {"x" + std::to_string(i)}, "x" + std::to_string(i + 1));
    EXPECT_NE(builder.values("x100"), nullptr);
    EXPECT_EQ(builder.values("x300"), nullptr);
    const Graph graph = std::move(builder).build();
    ASSERT_EQ(graph.warnings.size(), 1U);
    EXPECT_EQ(graph.warnings[0],
              "The graph computes more constants than are folded; some shapes may be unknown because of that.");
}

TEST_F(Building, tellsDataFromShapesWhenItAssignsRoles) {
    builder.addInput("x", DataType::float32, Ints{1, 3, 4, 4});
    for (const char* name : {"scale", "bias", "mean", "var"}) builder.addStored(name, DataType::float32, {3});
    builder.addStored("table", DataType::int64, {3});
    op("BatchNormalization", {"x", "scale", "bias", "mean", "var"}, "y");
    op("Shape", {"y"}, "s");
    op("ConstantOfShape", {"s"}, "zeros");
    op("Add", {"zeros", "y"}, "sum");
    op("Transpose", {"scale"}, "turned");
    op("Identity", {"table"}, "same");
    EXPECT_EQ(role("x"), TensorRole::input);
    EXPECT_EQ(role("y"), TensorRole::activation);
    EXPECT_EQ(role("s"), TensorRole::derived);
    EXPECT_EQ(role("zeros"), TensorRole::derived);
    EXPECT_EQ(role("sum"), TensorRole::activation);
    EXPECT_EQ(role("turned"), TensorRole::derived);
    const Graph graph = std::move(builder).build();
    const auto roleIn = [&](const std::string& name) {
        for (const Tensor& tensor : graph.tensors)
            if (tensor.name == name) return tensor.role;
        return TensorRole::input;
    };
    EXPECT_EQ(roleIn("scale"), TensorRole::parameter);
    EXPECT_EQ(roleIn("mean"), TensorRole::statistic);
    EXPECT_EQ(roleIn("var"), TensorRole::statistic);
    EXPECT_EQ(roleIn("table"), TensorRole::constant);
}

TEST_F(Building, countsAStatisticThatSomethingElseReadsAsAParameter) {
    builder.addInput("x", DataType::float32, Ints{1, 3});
    for (const char* name : {"zeros", "ones"}) builder.addStored(name, DataType::float32, {3});
    op("BatchNormalization", {"x", "ones", "zeros", "zeros", "ones"}, "y");
    EXPECT_EQ(summarise(std::move(builder).build()).parameters, 6);
}

TEST_F(Building, takesAConstantOfStoredShapeForAWeight) {
    builder.addStored("w_shape", DataType::int64, {2}, Reals{4, 5});
    op("ConstantOfShape", {"w_shape"}, "w");
    EXPECT_EQ(role("w"), TensorRole::parameter);
    op("ConstantOfShape", {"w_shape"}, "mask", {{"value_type", std::int64_t{7}}, {"value", Reals{1}}});
    EXPECT_EQ(role("mask"), TensorRole::derived);
}

TEST_F(Building, takesLargeFloatConstantsForParameters) {
    builder.addConstant("small", DataType::float32, {8, 8}, Reals(64, 1));
    builder.addConstant("large", DataType::float32, {65}, Reals(65, 1));
    OperatorSpec spec;
    spec.type = "Constant";
    spec.outputs = {"c"};
    spec.attributes = {{"value_floats", Reals{1, 2}}};
    EXPECT_EQ(builder.add(spec), "c");
    EXPECT_EQ(role("small"), TensorRole::constant);
    EXPECT_EQ(role("large"), TensorRole::parameter);
    EXPECT_EQ(role("c"), TensorRole::constant);
    EXPECT_EQ(shape("c"), "2");
    EXPECT_EQ(known("c"), (Reals{1, 2}));
}

TEST_F(Building, keepsNamesOfDimensionsThroughOneToOneOperators) {
    builder.addInput("x", DataType::float32, Ints{kUnknown, kUnknown, 8}, {{0, "batch"}, {1, "seq"}});
    builder.addInput("m", DataType::float32, Ints{kUnknown}, {{0, "seq"}});
    op("Relu", {"x"}, "y");
    EXPECT_EQ(builder.tensor("y").symbols, (std::map<std::size_t, std::string>{{0, "batch"}, {1, "seq"}}));
    EXPECT_EQ(unboundDimensions(std::move(builder).build()), (std::vector<std::string>{"batch", "seq"}));
}

TEST_F(Building, letsDeclaredShapesFillInWhatIsUnknown) {
    builder.addInput("x", DataType::float32, Ints{2, kUnknown});
    op("NonZero", {"x"}, "y");
    builder.declare("y", DataType::int32, Ints{5, 7});
    EXPECT_EQ(shape("y"), "2x7");
    EXPECT_EQ(builder.tensor("y").type, DataType::int64);
    EXPECT_EQ(failure([&] {
                  builder.declare("y", DataType::int64, Ints{2, -3});
              }),
              "net.onnx: tensor 'y': found a dimension of -3; expected a dimension of 0 or more");
}

TEST_F(Building, makesNamesOfOperatorsUnique) {
    builder.addInput("x", DataType::float32, Ints{2});
    op("Relu", {"x"}, "a", {}, "relu");
    op("Relu", {"a"}, "b", {}, "relu_2");
    op("Relu", {"b"}, "c", {}, "relu");
    op("Relu", {"c"}, "d");
    const Graph graph = std::move(builder).build();
    EXPECT_EQ(graph.operators[2].name, "relu_3");
    EXPECT_EQ(graph.operators[3].name, "Relu_3");
    EXPECT_EQ(graph.warnings,
              std::vector<std::string>{"One node has the name 'relu' of another; it was given a name of its own."});
}

TEST_F(Building, keepsUnknownOperatorsAsOpaqueNodes) {
    builder.addInput("x", DataType::float32, Ints{2, 3});
    OperatorSpec spec;
    spec.type = "Magic";
    spec.domain = "org.example";
    spec.inputs = {"x"};
    spec.outputs = {"y", ""};
    spec.name = "m";
    builder.add(spec);
    op("Relu", {"y"}, "z");
    EXPECT_EQ(shape("z"), "unknown shape");
    const Graph graph = std::move(builder).build();
    EXPECT_EQ(graph.operators[0].opaque, "not an operator that is known (domain 'org.example')");
    EXPECT_EQ(graph.warnings, std::vector<std::string>{
                                  "Operator 'Magic' of domain 'org.example' is not known (1 node, first 'm'): what "
                                  "it makes has unknown shapes and no cost, and only its tensors count."});
    EXPECT_EQ(summarise(graph).activationElements, std::nullopt);
    EXPECT_EQ(summarise(graph).operators, 2);
}

TEST_F(Building, refusesWrongInputsAndOutputs) {
    builder.addInput("x", DataType::float32, Ints{2, 3});
    EXPECT_EQ(
        failure([&] { op("Relu", {"nowhere"}, "y", {}, "r"); }),
        "net.onnx: node 'r' (Relu): found the input 'nowhere', which nothing makes; expected inputs that are made "
        "before");
    EXPECT_EQ(failure([&] {
                  op("Relu", {"x", "x"}, "y", {}, "r");
              }),
              "net.onnx: node 'r' (Relu): found 2 inputs; expected 1 input");
    EXPECT_EQ(failure([&] { op("Gemm", {"x"}, "y", {}, "g"); }),
              "net.onnx: node 'g' (Gemm): found 1 input; expected 2 to 3 inputs");
    EXPECT_EQ(failure([&] {
                  op("MatMul", {"", "x"}, "y", {}, "m");
              }),
              "net.onnx: node 'm' (MatMul), input 1: found nothing; expected an input, which this operator needs");
    EXPECT_EQ(
        failure([&] { op("Relu", {"x"}, "x", {}, "r"); }),
        "net.onnx: node 'r' (Relu): found the output 'x', which is already made; expected every tensor to be made "
        "once");
    EXPECT_EQ(failure([&] { op("Relu", {"x"}, "", {}, "r"); }),
              "net.onnx: node 'r' (Relu): found no output; expected at least 1 output");
    EXPECT_EQ(failure([&] { op("", {"x"}, "y", {}, "r"); }),
              "net.onnx: node 'r': found no operator; expected the name of an operator");
}

TEST_F(Building, refusesWrongTensors) {
    EXPECT_EQ(failure([&] {
                  builder.addInput("x", DataType::float32, Ints{2, -5});
              }),
              "net.onnx: tensor 'x': found a dimension of -5; expected a dimension of 0 or more");
    EXPECT_EQ(failure([&] {
                  builder.addStored("w", DataType::float32, {1 << 30, 1 << 30});
              }),
              "net.onnx: tensor 'w': found shape 1073741824x1073741824; expected at most 2^53 elements in a tensor");
    EXPECT_EQ(failure([&] { builder.addStored("w", DataType::float32, Ints(65, 1)); }),
              "net.onnx: tensor 'w': found 65 dimensions; expected at most 64");
    EXPECT_EQ(failure([&] { std::move(builder).build(); }),
              "net.onnx: found no nodes; expected a graph with at least one node");
}

TEST_F(Building, refusesMoreThanTwoToTheSixtyThreeBytes) {
    for (int i = 0; i < 300; ++i)
        builder.addInput("x" + std::to_string(i), DataType::float32, Ints{std::int64_t{1} << 53});
    op("Relu", {"x0"}, "y");
    EXPECT_EQ(failure([&] { std::move(builder).build(); }),
              "net.onnx: found tensors of 1.08e+19 bytes in total; expected less than 2^63 bytes");
}

TEST_F(Building, takesLongChainsInLinearTime) {
    constexpr int kNodes = 200'000;
    builder.addInput("x0", DataType::float32, Ints{1, 64, 56, 56});
    for (int i = 0; i < kNodes; ++i) op("Relu", {"x" + std::to_string(i)}, "x" + std::to_string(i + 1), {}, "same");
    const Graph graph = std::move(builder).build();
    EXPECT_EQ(graph.operators.size(), std::size_t{kNodes});
    EXPECT_EQ(graph.operators.back().name, "same_200000");
    EXPECT_EQ(summarise(graph).activationElements, kNodes * 200'704LL);
}

}  // namespace
}  // namespace tessera::model
