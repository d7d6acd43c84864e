// The operator table: every row agrees with its worked example, and rules that the examples do not reach.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/model/builder.h"
#include "core/model/counts.h"
#include "core/model/operators/operator_table.h"
#include "core/model/training.h"

namespace tessera::model {

/// Names the row in the test's output.
void PrintTo(const OperatorKind& kind, std::ostream* stream) {
    *stream << kind.domain << ' ' << kind.id;
}

namespace {

using Ints = std::vector<std::int64_t>;

bool isLeftOut(const ExampleTensor& tensor) {
    return tensor.type == DataType::undefined;
}

std::vector<std::string> addInputs(GraphBuilder& builder, const std::vector<ExampleTensor>& inputs) {
    std::vector<std::string> names;
    for (const ExampleTensor& input : inputs) {
        names.push_back(isLeftOut(input) ? "" : "x" + std::to_string(names.size()));
        if (isLeftOut(input)) continue;
        if (input.elements)
            builder.addStored(names.back(), input.type, input.shape, *input.elements);
        else
            builder.addInput(names.back(), input.type, input.shape);
    }
    return names;
}

class EveryOperator : public testing::TestWithParam<OperatorKind> {};

TEST_P(EveryOperator, agreesWithItsWorkedExample) {
    const OperatorKind& kind = GetParam();
    const OperatorExample& example = kind.example;
    GraphBuilder builder("example", "example", example.opset);
    OperatorSpec spec{.type = std::string(kind.id),
                      .inputs = addInputs(builder, example.inputs),
                      .outputs = {},
                      .attributes = example.attributes,
                      .name = "op",
                      .domain = std::string(kind.domain),
                      .layer = {},
                      .block = {}};
    for (std::size_t i = 0; i < example.outputs.size(); ++i) spec.outputs.push_back("y" + std::to_string(i));
    builder.add(spec);
    for (std::size_t i = 0; i < example.outputs.size(); ++i) {
        const ExampleTensor& expected = example.outputs[i];
        const Tensor& made = builder.tensor(spec.outputs[i]);
        if (isLeftOut(expected)) continue;
        EXPECT_EQ(nameOf(made.type), nameOf(expected.type)) << i;
        EXPECT_EQ(toText(made.shape), toText(expected.shape)) << i;
        if (!expected.elements) continue;
        const std::vector<double>* const folded = builder.values(spec.outputs[i]);
        ASSERT_NE(folded, nullptr);
        EXPECT_EQ(*folded, *expected.elements);
    }
    if (kind.id == "Constant") return;  // becomes a stored tensor, no operator
    const Graph graph = std::move(builder).build();
    ASSERT_EQ(kindOf(graph.operators.front()), findOperatorKind(kind.id, kind.domain));
    const OperatorCount count = operatorCounts(graph).front();
    EXPECT_EQ(count.macs, example.macs);
    EXPECT_EQ(count.flopsVector, example.flops);
}

TEST_P(EveryOperator, hasATitleAndSaysWhatItsCostIsMadeOf) {
    const OperatorKind& kind = GetParam();
    EXPECT_FALSE(kind.title.empty());
    EXPECT_NE(kind.shape, nullptr);
    EXPECT_LE(kind.inputs.min, kind.inputs.max);
    EXPECT_LE(kind.outputs.min, kind.outputs.max);
    const bool costs = kind.flops != nullptr || kind.flopsPerOutput != 0 || kind.flopsPerInput != 0;
    EXPECT_TRUE(!costs || !kind.cost.empty());
    EXPECT_FALSE(kind.flops != nullptr && (kind.flopsPerOutput != 0 || kind.flopsPerInput != 0));
}

/// Unknown inputs must neither fail nor make anything up.
TEST_P(EveryOperator, takesInputsOfUnknownShape) {
    const OperatorKind& kind = GetParam();
    GraphBuilder builder("example", "example", kind.example.opset);
    OperatorSpec spec{.type = std::string(kind.id),
                      .inputs = {},
                      .outputs = {},
                      .attributes = kind.example.attributes,
                      .name = "op",
                      .domain = std::string(kind.domain),
                      .layer = {},
                      .block = {}};
    for (const ExampleTensor& input : kind.example.inputs) {
        spec.inputs.push_back(isLeftOut(input) ? "" : "x" + std::to_string(spec.inputs.size()));
        if (!isLeftOut(input)) builder.addInput(spec.inputs.back(), input.type, std::nullopt);
    }
    for (std::size_t i = 0; i < kind.example.outputs.size(); ++i) spec.outputs.push_back("y" + std::to_string(i));
    EXPECT_NO_THROW(builder.add(spec));
    if (kind.id == "Constant") return;
    EXPECT_NO_THROW(operatorCounts(std::move(builder).build()));
}

/// Numbers that rules must survive wherever a file can put them.
std::int64_t odd(RandomStream& random) {
    constexpr std::array<std::int64_t, 16> kOdd{0,
                                                1,
                                                2,
                                                3,
                                                4,
                                                7,
                                                -1,
                                                -2,
                                                -3,
                                                64,
                                                65,
                                                65'536,
                                                1 << 30,
                                                std::int64_t{1} << 53,
                                                std::numeric_limits<std::int64_t>::max(),
                                                std::numeric_limits<std::int64_t>::min()};
    return kOdd[random.below(kOdd.size())];
}

void mutate(RandomStream& random, Attributes& attributes) {
    constexpr std::array kNames{"axis",        "axes",       "perm",      "strides",   "pads",    "dilations",
                                "group",       "k",          "split",     "shape",     "starts",  "ends",
                                "keepdims",    "start",      "end",       "to",        "scales",  "size",
                                "hidden_size", "batch_dims", "blocksize", "ceil_mode", "auto_pad"};
    const std::string name = kNames[random.below(kNames.size())];
    if (random.below(3) == 0)
        attributes[name] = odd(random);
    else
        attributes[name] = Ints(random.below(5), odd(random));
    for (auto& [key, value] : attributes) {
        if (random.below(3) != 0) continue;
        if (auto* const whole = std::get_if<std::int64_t>(&value)) *whole = odd(random);
        if (auto* const list = std::get_if<Ints>(&value); list != nullptr && !list->empty())
            (*list)[random.below(list->size())] = odd(random);
    }
}

void mutate(RandomStream& random, ExampleTensor& tensor) {
    if (tensor.elements)
        for (double& element : *tensor.elements)
            if (random.below(4) == 0) element = static_cast<double>(odd(random));
    if (tensor.elements || random.below(2) == 0) return;
    if (random.below(4) == 0) tensor.shape.push_back(1);
    if (random.below(4) == 0 && !tensor.shape.empty()) tensor.shape.pop_back();
    for (std::int64_t& size : tensor.shape)
        if (random.below(4) == 0) size = std::max(odd(random), kUnknown);
}

/// Hostile sizes and attributes end in DataError or in a graph, never in anything else.
TEST_P(EveryOperator, survivesOddSizesAndAttributes) {
    const OperatorKind& kind = GetParam();
    RandomStream random(7);
    int built = kind.id == "Constant" ? 1 : 0;
    for (int round = 0; round < 300; ++round) {
        OperatorExample example = kind.example;
        for (ExampleTensor& input : example.inputs) mutate(random, input);
        if (random.below(2) == 0) mutate(random, example.attributes);
        try {
            GraphBuilder builder("example", "example", static_cast<std::int64_t>(5 + random.below(18)));
            OperatorSpec spec;
            spec.type = kind.id;
            spec.domain = kind.domain;
            spec.inputs = addInputs(builder, example.inputs);
            spec.attributes = example.attributes;
            for (std::size_t i = 0; i < example.outputs.size(); ++i) spec.outputs.push_back("y" + std::to_string(i));
            builder.add(spec);
            if (kind.id == "Constant") continue;
            Graph graph = std::move(builder).build();
            ++built;
            for (const TensorIndex output : graph.operators.front().outputs) {
                if (output == kNoTensor || !graph.tensor(output).shape) continue;
                for (const std::int64_t size : *graph.tensor(output).shape) EXPECT_GE(size, kUnknown);
            }
            operatorCounts(graph);
            // Its training, as if all inputs were trained.
            graph.outputs = graph.operators.front().outputs;
            for (Tensor& tensor : graph.tensors)
                if (tensor.role == TensorRole::input) tensor.role = TensorRole::parameter;
            countTraining(trainingOf(graph));
        } catch (const DataError& error) {
            const std::string text = error.what();
            EXPECT_TRUE(text.starts_with("example: ")) << text;
            EXPECT_NE(text.find("; expected "), std::string::npos) << text;
        }
    }
    EXPECT_GT(built, 0) << "some of the odd sizes can be";
}

std::string rowName(const testing::TestParamInfo<OperatorKind>& row) {
    std::string name(row.param.domain);
    for (char& c : name)
        if (c == '.') c = '_';
    return name + (name.empty() ? "" : "_") + std::string(row.param.id);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOperator, testing::ValuesIn(operatorKinds()), rowName);

TEST(OperatorTable, hasEachOperatorOnce) {
    std::set<std::pair<std::string, std::string>> seen;
    for (const OperatorKind& kind : operatorKinds())
        EXPECT_TRUE(seen.emplace(kind.domain, kind.id).second) << kind.domain << kind.id;
}

TEST(OperatorTable, findsTheStandardDomainUnderBothOfItsNames) {
    EXPECT_EQ(findOperatorKind("Conv", "ai.onnx"), findOperatorKind("Conv"));
    EXPECT_EQ(findOperatorKind("Conv", "org.example"), nullptr);
    EXPECT_EQ(findOperatorKind("Convolve"), nullptr);
    EXPECT_NE(findOperatorKind("SimplifiedLayerNormalization"), nullptr);
}

// Rules beyond the examples -------------------------------------------------------------------------------------------

/// A graph of one operator on float inputs.
struct One {
    std::string type;
    std::vector<Ints> inputs;
    Attributes attributes = {};
    std::int64_t opset = 17;
    std::vector<std::vector<double>> lists = {};  ///< stored integer inputs after the others

    std::string run() const {
        GraphBuilder builder("g", "net.onnx", opset);
        OperatorSpec spec;
        spec.type = type;
        spec.name = "op";
        spec.attributes = attributes;
        spec.outputs = {"y"};
        for (const Ints& shape : inputs) {
            spec.inputs.push_back("x" + std::to_string(spec.inputs.size()));
            builder.addInput(spec.inputs.back(), DataType::float32, shape);
        }
        for (const std::vector<double>& list : lists) {
            spec.inputs.push_back("x" + std::to_string(spec.inputs.size()));
            builder.addStored(spec.inputs.back(), DataType::int64, {static_cast<std::int64_t>(list.size())}, list);
        }
        builder.add(spec);
        return toText(builder.tensor("y").shape);
    }
    std::string failure() const {
        try {
            return "no failure, but " + run();
        } catch (const DataError& error) {
            return error.what();
        }
    }
};

TEST(ConvRule, knowsTheWaysToPad) {
    const auto conv = [](const Attributes& attributes) {
        return One{"Conv", {{1, 3, 8, 9}, {5, 3, 3, 3}}, attributes}.run();
    };
    EXPECT_EQ(conv({}), "1x5x6x7");
    EXPECT_EQ(conv({{"auto_pad", std::string("VALID")}}), "1x5x6x7");
    EXPECT_EQ(conv({{"auto_pad", std::string("SAME_UPPER")}, {"strides", Ints{2, 2}}}), "1x5x4x5");
    EXPECT_EQ(conv({{"pads", Ints{1, 0, 2, 0}}}), "1x5x9x7");
    EXPECT_EQ(conv({{"dilations", Ints{2, 3}}}), "1x5x4x3");
}

TEST(ConvRule, worksInOneAndThreeDimensions) {
    EXPECT_EQ((One{"Conv", {{2, 3, 10}, {4, 3, 3}}}.run()), "2x4x8");
    EXPECT_EQ((One{"Conv", {{2, 3, 4, 5, 6}, {4, 3, 2, 2, 2}}}.run()), "2x4x3x4x5");
}

TEST(ConvRule, keepsUnknownDimensionsUnknown) {
    EXPECT_EQ((One{"Conv", {{kUnknown, 3, kUnknown, 9}, {5, 3, 3, 3}}}.run()), "?x5x?x7");
}

TEST(ConvRule, refusesWhatDoesNotFit) {
    const auto conv = [](const Attributes& attributes, const Ints& kernel = {6, 2, 3, 3}) {
        return One{"Conv", {{1, 4, 8, 8}, kernel}, attributes}.failure();
    };
    const std::string where = "net.onnx: node 'op' (Conv)";
    EXPECT_EQ(conv({{"group", std::int64_t{2}}, {"strides", Ints{0, 1}}}),
              where + ", attribute 'strides': found 0; expected numbers above 0");
    EXPECT_EQ(conv({{"group", std::int64_t{2}}, {"strides", Ints{1}}}),
              where + ", attribute 'strides': found a list of 1; expected a list of 2");
    EXPECT_EQ(conv({{"group", std::int64_t{0}}}), where + ", attribute 'group': found 0; expected a number above 0");
    EXPECT_EQ(conv({{"group", std::int64_t{2}}}, {5, 2, 3, 3}),
              where + ", attribute 'group': found 2; expected a divisor of the 5 output channels");
    EXPECT_EQ(conv({}), where +
                            ": found 4 input channels, 1 group and a kernel for 2 channels each; expected channels "
                            "that are as many as the kernel takes in all groups");
    EXPECT_EQ(conv({{"group", std::int64_t{2}}, {"kernel_shape", Ints{5, 5}}}),
              where + ", attribute 'kernel_shape': found 5x5; expected 3x3, as the kernel is");
    EXPECT_EQ(conv({{"group", std::int64_t{2}}, {"pads", Ints{0, 0, -1, 0}}}),
              where + ", attribute 'pads': found -1; expected numbers of 0 or more");
    EXPECT_EQ(conv({{"group", std::int64_t{2}}, {"dilations", Ints{4, 4}}}),
              where + ": found a window of 9 over 8 elements with padding; expected a window that fits into its input");
    EXPECT_EQ(conv({{"group", 2.5}}), where + ", attribute 'group': found the number 2.5; expected an integer");
    EXPECT_EQ(conv({{"group", std::int64_t{2}}, {"auto_pad", std::string("SAME")}}),
              where + ", attribute 'auto_pad': found 'SAME'; expected 'NOTSET', 'SAME_UPPER', 'SAME_LOWER' or 'VALID'");
    EXPECT_EQ((One{"Conv", {{1, 4}, {5, 4, 3, 3}}}.failure()),
              where + ", input 1: found 1x4; expected at least 3 dimensions");
}

TEST(ConvRule, survivesHugeAttributes) {
    constexpr std::int64_t kHuge = std::int64_t{1} << 62;
    for (const char* name : {"strides", "dilations", "kernel_shape"})
        EXPECT_NE(
            (One{"MaxPool", {{1, 4, 8, 8}}, {{"kernel_shape", Ints{2, 2}}, {name, Ints{kHuge, kHuge}}}}.failure()), "");
    EXPECT_EQ((One{"MaxPool", {{1, 4, 8, 8}}, {{"kernel_shape", Ints{2, 2}}, {"dilations", Ints{kHuge, 1}}}}.failure()),
              "net.onnx: node 'op' (MaxPool), attribute 'dilations': found 4611686018427387904; expected numbers up to "
              "2^53");
}

TEST(ConvTransposeRule, addsOutputPaddingOrTakesAGivenShape) {
    const Ints x{1, 4, 5, 5}, kernel{4, 3, 3, 3};
    EXPECT_EQ((One{"ConvTranspose",
                   {x, kernel},
                   {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}, {"output_padding", Ints{1, 0}}}}
                   .run()),
              "1x3x10x9");
    EXPECT_EQ((One{"ConvTranspose", {x, kernel}, {{"strides", Ints{2, 2}}, {"output_shape", Ints{12, 11}}}}.run()),
              "1x3x12x11");
    EXPECT_EQ((One{"ConvTranspose", {x, kernel}, {{"group", std::int64_t{2}}}}.run()), "1x6x7x7");
    EXPECT_EQ(
        (One{"ConvTranspose", {x, kernel}, {{"strides", Ints{3, 3}}, {"auto_pad", std::string("SAME_UPPER")}}}.run()),
        "1x3x15x15");
}

TEST(PoolRule, leavesOutWindowsThatStartInThePadding) {
    // Rounding up gives 3 windows of 1 with stride 2 over 4 elements; the third would start behind them.
    const auto pool = [](std::int64_t size, std::int64_t kernel) {
        return One{"MaxPool",
                   {{1, 1, size}},
                   {{"kernel_shape", Ints{kernel}}, {"strides", Ints{2}}, {"ceil_mode", std::int64_t{1}}}}
            .run();
    };
    EXPECT_EQ(pool(4, 1), "1x1x2");
    EXPECT_EQ(pool(6, 3), "1x1x3");
    EXPECT_EQ(pool(7, 3), "1x1x3");
}

TEST(MatMulRule, followsNumpy) {
    EXPECT_EQ((One{"MatMul", {{3}, {3}}}.run()), "scalar");
    EXPECT_EQ((One{"MatMul", {{3}, {5, 3, 4}}}.run()), "5x4");
    EXPECT_EQ((One{"MatMul", {{5, 2, 3}, {3}}}.run()), "5x2");
    EXPECT_EQ((One{"MatMul", {{kUnknown, 2, 3}, {7, 3, 4}}}.run()), "7x2x4");
    EXPECT_EQ((One{"MatMul", {{2, 3}, {4, 5}}}.failure()),
              "net.onnx: node 'op' (MatMul): found shapes 2x3 and 4x5; expected as many rows in the second as columns "
              "in the first");
}

TEST(GemmRule, refusesABiasThatWouldGrowTheResult) {
    EXPECT_EQ((One{"Gemm", {{2, 3}, {3, 4}, {1, 4}}}.run()), "2x4");
    EXPECT_EQ((One{"Gemm", {{1, 3}, {3, 4}, {2, 4}}}.failure()),
              "net.onnx: node 'op' (Gemm), input 3: found 2x4; expected a shape that broadcasts to 1x4");
}

TEST(BroadcastRule, followsNumpy) {
    EXPECT_EQ((One{"Add", {{4, 1, 3}, {2, 1}}}.run()), "4x2x3");
    EXPECT_EQ((One{"Add", {{kUnknown, 3}, {1}}}.run()), "?x3");
    EXPECT_EQ((One{"Add", {{kUnknown, 3}, {5, 1}}}.run()), "5x3");
    EXPECT_EQ((One{"Add", {{2, 3}, {2, 4}}}.failure()),
              "net.onnx: node 'op' (Add): found shapes 2x3 and 2x4; expected shapes that broadcast to one");
    EXPECT_EQ((One{"Add", {{2, 3, 4}, {3}}, {{"broadcast", std::int64_t{1}}, {"axis", std::int64_t{1}}}, 6}.run()),
              "2x3x4");
}

TEST(ReshapeRule, infersCopiesAndRefuses) {
    const auto reshape = [](const Ints& shape, const std::vector<double>& target, const Attributes& attributes = {}) {
        return One{"Reshape", {shape}, attributes, 17, {target}};
    };
    EXPECT_EQ(reshape({2, 3, 4}, {-1}).run(), "24");
    EXPECT_EQ(reshape({2, 3, 4}, {0, 0, 2, -1}).run(), "2x3x2x2");
    EXPECT_EQ(reshape({0, 3}, {0, 3}, {{"allowzero", std::int64_t{1}}}).run(), "0x3");
    EXPECT_EQ(reshape({kUnknown, 3, 4}, {0, -1}).run(), "?x12");
    EXPECT_EQ(reshape({kUnknown, 3, 4}, {-1, 12}).run(), "?x12");
    EXPECT_EQ(reshape({2, 3}, {4, -1}).failure(),
              "net.onnx: node 'op' (Reshape): found a reshape of 2x3 to 4x?; expected as many elements as before");
    EXPECT_EQ(reshape({2, 3}, {5}).failure(),
              "net.onnx: node 'op' (Reshape): found a reshape of 2x3 to 5; expected as many elements as before");
    EXPECT_EQ(reshape({2, 3}, {-1, -1}).failure(),
              "net.onnx: node 'op' (Reshape): found -1 twice in the target shape; expected -1 at most once");
    EXPECT_EQ(reshape({2, 3}, {-2, 3}).failure(),
              "net.onnx: node 'op' (Reshape): found a target size of -2; expected -1, 0 or a size");
    EXPECT_EQ(reshape({2, 3}, {2, 3, 0}).failure(),
              "net.onnx: node 'op' (Reshape): found a 0 for axis 2 of 2x3; expected an axis that the input has");
}

TEST(SliceRule, clampsLikeNumpy) {
    const auto slice = [](const std::vector<double>& starts, const std::vector<double>& ends,
                          const std::vector<double>& steps) {
        return One{"Slice", {{10}}, {}, 17, {starts, ends, {0}, steps}}.run();
    };
    EXPECT_EQ(slice({2}, {9223372036854775807.0}, {1}), "8");
    EXPECT_EQ(slice({-3}, {100}, {1}), "3");
    EXPECT_EQ(slice({5}, {2}, {1}), "0");
    EXPECT_EQ(slice({9}, {-9223372036854775807.0}, {-3}), "4");
    EXPECT_EQ(slice({0}, {10}, {4}), "3");
    EXPECT_EQ((One{"Slice", {{10}}, {{"starts", Ints{1}}, {"ends", Ints{-1}}}, 9}.run()), "8");
    EXPECT_EQ((One{"Slice", {{10}}, {}, 17, {{0}, {5}, {0}, {0}}}.failure()),
              "net.onnx: node 'op' (Slice), input 5: found a step of 0; expected steps other than 0");
    EXPECT_EQ((One{"Slice", {{10}}, {}, 17, {{0}, {5}, {1}}}.failure()),
              "net.onnx: node 'op' (Slice), input 4: found axis 1; expected an axis from -1 to 0");
}

TEST(SplitRule, takesSizesFromEitherPlaceOrSplitsEvenly) {
    const auto parts = [](const Attributes& attributes, const std::vector<std::vector<double>>& lists) {
        GraphBuilder builder("g", "net.onnx", 18);
        builder.addInput("x", DataType::float32, Ints{7, 2});
        OperatorSpec spec;
        spec.type = "Split";
        spec.inputs = {"x"};
        spec.outputs = {"a", "b", "c"};
        spec.attributes = attributes;
        if (!lists.empty()) {
            builder.addStored("sizes", DataType::int64, {3}, lists[0]);
            spec.inputs.emplace_back("sizes");
        }
        builder.add(spec);
        return toText(builder.tensor("a").shape) + " " + toText(builder.tensor("b").shape) + " " +
               toText(builder.tensor("c").shape);
    };
    EXPECT_EQ(parts({{"num_outputs", std::int64_t{3}}}, {}), "3x2 3x2 1x2");
    EXPECT_EQ(parts({{"split", Ints{1, 2, 4}}}, {}), "1x2 2x2 4x2");
    EXPECT_EQ(parts({}, {{4, 0, 3}}), "4x2 0x2 3x2");
    EXPECT_THROW(parts({}, {{4, 1, 3}}), DataError);
    EXPECT_THROW(parts({}, {}), DataError);
}

TEST(TransposeRule, refusesWhatIsNoPermutation) {
    EXPECT_EQ((One{"Transpose", {{2, 3, 4}}}.run()), "4x3x2");
    EXPECT_EQ((One{"Transpose", {{2, 3, 4}}, {{"perm", Ints{0, 0, 1}}}}.failure()),
              "net.onnx: node 'op' (Transpose), attribute 'perm': found 0x0x1; expected each of 0 to 2 once");
    EXPECT_EQ((One{"Transpose", {{2, 3, 4}}, {{"perm", Ints{0, 1}}}}.failure()),
              "net.onnx: node 'op' (Transpose), attribute 'perm': found a list of 2; expected a list of 3");
}

TEST(ReduceRule, takesAxesFromAttributeOrInput) {
    const Attributes flat{{"keepdims", std::int64_t{0}}};
    EXPECT_EQ((One{"ReduceMean", {{2, 3, 4}}}.run()), "1x1x1");
    EXPECT_EQ((One{"ReduceMean", {{2, 3, 4}}, flat}.run()), "scalar");
    EXPECT_EQ((One{"ReduceMean", {{2, 3, 4}}, flat, 18, {{-1, 0}}}.run()), "3");
    EXPECT_EQ((One{"ReduceMean", {{2, 3, 4}}, {{"axes", Ints{3}}}}.failure()),
              "net.onnx: node 'op' (ReduceMean), attribute 'axes': found axis 3; expected an axis from -3 to 2");
    EXPECT_EQ((One{"ReduceMean", {{2, 3, 4}}, {{"axes", Ints{1, -2}}}}.failure()),
              "net.onnx: node 'op' (ReduceMean), attribute 'axes': found axis 1 twice; expected distinct axes");
}

TEST(PadRule, takesBothSidesOfEachAxis) {
    EXPECT_EQ((One{"Pad", {{2, 3}}, {{"pads", Ints{0, 1, 2, 3}}}, 9}.run()), "4x7");
    EXPECT_EQ((One{"Pad", {{2, 3}}, {{"pads", Ints{0, -1, 0, -1}}}, 9}.run()), "2x1");
    EXPECT_EQ((One{"Pad", {{2, 3}}, {{"pads", Ints{-3, 0, 0, 0}}}, 9}.failure()),
              "net.onnx: node 'op' (Pad), attribute 'pads': found pads of -3 and 0 for 2 elements; expected pads that "
              "leave a size of 0 or more");
}

TEST(EinsumRule, readsEllipsesAndImplicitResults) {
    const auto einsum = [](const std::string& equation, const std::vector<Ints>& inputs) {
        return One{"Einsum", inputs, {{"equation", equation}}};
    };
    EXPECT_EQ(einsum("ij,jk", {{2, 3}, {3, 4}}).run(), "2x4");
    EXPECT_EQ(einsum("...ij,...jk->...ik", {{7, 2, 3}, {7, 3, 4}}).run(), "7x2x4");
    EXPECT_EQ(einsum("ii->i", {{3, 3}}).run(), "3");
    EXPECT_EQ(einsum("bhid,bhjd->bhij", {{1, 2, 3, 4}, {1, 2, 5, 4}}).run(), "1x2x3x5");
    EXPECT_EQ(einsum("ij,jk->ik", {{2, 3}, {4, 5}}).failure(),
              "net.onnx: node 'op' (Einsum), input 2: found 4x5; expected a shape that fits the labels 'jk'");
    EXPECT_EQ(einsum("i$->i", {{2, 3}}).failure(),
              "net.onnx: node 'op' (Einsum), attribute 'equation': found 'i$->i'; expected an equation such as "
              "'ij,jk->ik'");
}

TEST(SizeLimit, namesTheTensorThatIsTooLarge) {
    EXPECT_EQ((One{"Expand", {{1}}, {}, 17, {{1e9, 1e9}}}.failure()),
              "net.onnx: tensor 'y': found shape 1000000000x1000000000; expected at most 2^53 elements in a tensor");
    EXPECT_EQ((One{"Flatten", {{1, 100000000, 0, 1000000000, 1000000000}}}.run()), "1x0");
}

}  // namespace
}  // namespace tessera::model
