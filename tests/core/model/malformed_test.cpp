// Broken and hostile ONNX files: they load or are refused with one sentence, never anything else.

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/random.h"
#include "core/model/model.h"
#include "tests/core/model/onnx_models.h"
#include "tests/support/paths.h"

namespace tessera::model {
namespace {

using test::addBody;
using test::addInput;
using test::addIntegers;
using test::addNode;
using test::addOutput;
using test::addWeight;
using test::OnnxModel;
using test::setInt;
using test::setInts;
using test::smallModel;

/// "" where the bytes load, else the message. Anything but DataError fails the test by leaving this function.
std::string outcome(const std::string& bytes) {
    try {
        summarise(readOnnx(bytes, "test.onnx"));
    } catch (const DataError& error) {
        return error.what();
    }
    return "";
}

// Whole messages ----------------------------------------------------------------------------------------------------

struct Broken {
    const char* what;
    std::function<void(OnnxModel&)> change;  ///< of x [2, 3] -> Relu 'relu' -> y
    std::string message;
};

std::ostream& operator<<(std::ostream& stream, const Broken& broken) {
    return stream << broken.what;
}

onnx::NodeProto& reluNode(OnnxModel& model) {
    return *model.graph().mutable_node(0);
}

onnx::TensorShapeProto& inputShape(OnnxModel& model) {
    return *model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
}

const std::vector<Broken>& brokenModels() {
    static const std::vector<Broken> kBroken{
        {"no graph", [](OnnxModel& m) { m.proto.clear_graph(); },
         "test.onnx: found no graph; expected an ONNX model with a graph"},
        {"no nodes", [](OnnxModel& m) { m.graph().clear_node(); },
         "test.onnx: found a graph without nodes; expected at least one node"},
        {"cycle",
         [](OnnxModel& m) {
             reluNode(m).set_input(0, "b");
             addNode(m.graph(), "Relu", {"y"}, {"b"}, "back");
         },
         "test.onnx: node 'relu' (Relu): found a cycle through this node; expected a graph without cycles"},
        {"undefined tensor", [](OnnxModel& m) { reluNode(m).set_input(0, "nowhere"); },
         "test.onnx: node 'relu' (Relu): found the input 'nowhere', which nothing makes; expected an input or stored "
         "tensor of the graph, or the output of another node"},
        {"undefined output", [](OnnxModel& m) { addOutput(m.graph(), "nowhere"); },
         "test.onnx: output 'nowhere': found a name that nothing in the graph makes; expected a tensor of the graph"},
        {"tensor made twice", [](OnnxModel& m) { addNode(m.graph(), "Relu", {"x"}, {"y"}, "again"); },
         "test.onnx: node 'again' (Relu): found the output 'y', which another output already is; expected every tensor "
         "to be made once"},
        {"input made by a node", [](OnnxModel& m) { addNode(m.graph(), "Relu", {"y"}, {"x"}, "again"); },
         "test.onnx: node 'again' (Relu): found the output 'x', which an input or stored tensor already is; expected "
         "every tensor to be made once"},
        {"input listed twice", [](OnnxModel& m) { addInput(m.graph(), "x", {1}); },
         "test.onnx: input 'x': found a second definition; expected every tensor to be defined once"},
        {"stored tensor listed twice",
         [](OnnxModel& m) {
             addWeight(m.graph(), "w", {1});
             addWeight(m.graph(), "w", {1});
         },
         "test.onnx: stored tensor 'w': found a second definition; expected every tensor to be defined once"},
        {"output listed twice", [](OnnxModel& m) { addOutput(m.graph(), "y"); },
         "test.onnx: output 'y': found a second definition; expected every output to be listed once"},
        {"node without outputs", [](OnnxModel& m) { reluNode(m).clear_output(); },
         "test.onnx: node 'relu' (Relu): found no outputs; expected at least one output"},
        {"node without operator", [](OnnxModel& m) { reluNode(m).clear_op_type(); },
         "test.onnx: node 'relu': found no operator type; expected an operator type"},
        {"too many inputs", [](OnnxModel& m) { reluNode(m).add_input("x"); },
         "test.onnx: node 'relu' (Relu): found 2 inputs; expected 1 input"},
        {"negative dimension of an input", [](OnnxModel& m) { inputShape(m).mutable_dim(1)->set_dim_value(-3); },
         "test.onnx: input 'x': found the dimension -3; expected 0 or above (or a leading -1, the batch)"},
        {"negative dimension of a stored tensor",
         [](OnnxModel& m) {
             addWeight(m.graph(), "w", {4, -1});
         },
         "test.onnx: stored tensor 'w': found the dimension -1; expected 0 or above"},
        {"negative dimension of an output",
         [](OnnxModel& m) {
             *m.graph().mutable_output(0) = test::value("y", {2, -7});
         },
         "test.onnx: tensor 'y': found the dimension -7; expected 0 or above"},
        {"negative opset", [](OnnxModel& m) { m.proto.mutable_opset_import(0)->set_version(-1); },
         "test.onnx: opset of domain '': found version -1; expected 0 or above"},
        {"huge tensor", [](OnnxModel& m) { inputShape(m).mutable_dim(1)->set_dim_value(std::int64_t{1} << 53); },
         "test.onnx: tensor 'x': found shape 2x9007199254740992; expected at most 2^53 elements in a tensor"},
        {"overflowing tensor",
         [](OnnxModel& m) {
             addWeight(m.graph(), "w", {1LL << 40, 1LL << 40, 1LL << 40});
         },
         "test.onnx: tensor 'w': found shape 1099511627776x1099511627776x1099511627776; expected at most 2^53 elements "
         "in a tensor"},
        {"input without type", [](OnnxModel& m) { m.graph().mutable_input(0)->clear_type(); },
         "test.onnx: input 'x': found no type; expected an element type"},
        {"input without element type",
         [](OnnxModel& m) { m.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_elem_type(); },
         "test.onnx: input 'x': found no type; expected an element type"},
        {"stored tensor without element type", [](OnnxModel& m) { addWeight(m.graph(), "w", {1}, 0); },
         "test.onnx: stored tensor 'w': found no element type; expected an element type"},
        {"attribute twice",
         [](OnnxModel& m) {
             setInt(reluNode(m), "a", 1);
             setInt(reluNode(m), "a", 2);
         },
         "test.onnx: node 'relu' (Relu): found the attribute 'a' twice; expected every attribute once"},
        {"function that calls itself",
         [](OnnxModel& m) {
             onnx::FunctionProto& function = *m.proto.add_functions();
             function.set_name("F");
             function.set_domain("local");
             function.add_input("a");
             function.add_output("b");
             onnx::NodeProto& node = *function.add_node();
             node.set_op_type("F");
             node.set_domain("local");
             node.set_name("inner");
             node.add_input("a");
             node.add_output("b");
             reluNode(m).set_op_type("F");
             reluNode(m).set_domain("local");
         },
         "test.onnx: node 'relu/inner' (F): found a call of function 'F' inside of itself; expected functions that do "
         "not "
         "call themselves"},
        {"constant without value", [](OnnxModel& m) { addNode(m.graph(), "Constant", {}, {"c"}, "c"); },
         "test.onnx: node 'c' (Constant): found no value; expected an attribute that holds the value"},
        {"loop with a body of other inputs",
         [](OnnxModel& m) {
             onnx::NodeProto& node = addNode(m.graph(), "Loop", {"", "", "y"}, {"z"}, "loop");
             addOutput(addBody(node, "body"), "y");
         },
         "test.onnx: node 'loop' (Loop): found a body of 0 inputs; expected 3 inputs"},
        {"if without a branch",
         [](OnnxModel& m) {
             addInput(m.graph(), "c", {}, 9);
             addNode(m.graph(), "If", {"c"}, {"z"}, "choice");
         },
         "test.onnx: node 'choice' (If): found no attribute 'then_branch'; expected a body"},
        {"65 dimensions", [](OnnxModel& m) { addWeight(m.graph(), "w", std::vector<std::int64_t>(65, 1)); },
         "test.onnx: byte 162: found more than 64 dimensions; expected at most 64 dimensions"},
    };
    return kBroken;
}

class BrokenModel : public testing::TestWithParam<Broken> {};

TEST_P(BrokenModel, isRefusedWithOneSentence) {
    OnnxModel model = smallModel();
    GetParam().change(model);
    EXPECT_EQ(model.error(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Cases, BrokenModel, testing::ValuesIn(brokenModels()),
                         [](const testing::TestParamInfo<Broken>& test) {
                             std::string name = test.param.what;
                             for (char& c : name)
                                 if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                             return name;
                         });

TEST(BrokenFile, isRefusedWithOneSentence) {
    EXPECT_EQ(outcome(""), "test.onnx: found an empty file; expected an ONNX model with a graph");
    EXPECT_EQ(
        outcome("hello, world"),
        "test.onnx: byte 2: found the end of a group that was not opened; expected a whole ONNX model with nothing "
        "after it");
    const std::string whole = smallModel().bytes();
    EXPECT_EQ(outcome(whole + std::string(3, '\0')),
              "test.onnx: byte " + std::to_string(whole.size()) +
                  ": found bytes that start no field; expected a whole ONNX model with nothing after it");
    EXPECT_EQ(outcome(whole + whole),
              "test.onnx: byte " + std::to_string(whole.size()) +
                  ": found a second ir_version; expected a whole ONNX model with nothing after it");
    EXPECT_NE(outcome(whole + "garbage"), "");
    EXPECT_NE(outcome(whole + "x"), "");
}

// Depth and bombs ---------------------------------------------------------------------------------------------------

void appendField(std::string& out, std::uint32_t number, const std::string& bytes) {
    const auto varint = [&](std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
        out += static_cast<char>(value);
    };
    varint((std::uint64_t{number} << 3) | 2);
    varint(bytes.size());
    out += bytes;
}

/// graph { node { attribute { g { node ... } } } }
std::string nestedGraphs(int levels) {
    std::string graph;
    for (int i = 0; i < levels; ++i) {
        std::string attribute, node, outer;
        appendField(attribute, 6, graph);
        appendField(node, 5, attribute);
        appendField(outer, 1, node);
        graph = outer;
    }
    std::string model;
    appendField(model, 7, graph);
    return model;
}

TEST(HostileFile, nestedTenThousandGraphsDeepIsRefused) {
    EXPECT_NE(outcome(nestedGraphs(10'000)).find("messages nested more than 100 deep"), std::string::npos);
    EXPECT_EQ(outcome(nestedGraphs(33)), "test.onnx: node '': found no operator type; expected an operator type");
}

TEST(HostileFile, withGroupsInGroupsIsRefused) {
    EXPECT_EQ(outcome(std::string(1'000'000, '\x0B')),
              "test.onnx: byte 100: found groups nested more than 100 deep; expected at most 100 levels");
}

TEST(HostileFile, withAnAttributeOfManyTinyNumbersIsRefused) {
    OnnxModel model = smallModel();
    std::string attribute, node;
    appendField(attribute, 1, "numbers");
    appendField(attribute, 8, std::string(20 << 20, '\1'));  // 8 bytes each when parsed
    appendField(node, 1, "x");
    appendField(node, 2, "z");
    appendField(node, 4, "Relu");
    appendField(node, 5, attribute);
    std::string graph = model.graph().SerializeAsString();
    appendField(graph, 1, node);
    std::string bytes;
    appendField(bytes, 7, graph);
    EXPECT_NE(outcome(bytes).find("found a node or tensor that needs more than 64 MiB without its weights; expected at "
                                  "most 64 MiB"),
              std::string::npos);
}

TEST(HostileFile, withMillionsOfEmptyMessagesIsRefused) {
    std::string graph = smallModel().graph().SerializeAsString();
    for (int i = 0; i < 4'000'000; ++i) graph += std::string("\x6A\0", 2);  // value_info {}
    std::string bytes;
    appendField(bytes, 7, graph);
    EXPECT_NE(outcome(bytes).find("found more than 4000000 tensors; expected at most 4000000 tensors"),
              std::string::npos);
}

TEST(HostileFile, whoseFunctionsMultiplyIsRefused) {
    OnnxModel model = smallModel();
    for (int level = 0; level < 40; ++level) {
        onnx::FunctionProto& function = *model.proto.add_functions();
        function.set_name("F" + std::to_string(level));
        function.set_domain("local");
        function.add_input("a");
        function.add_output("c");
        for (int i = 0; i < 2; ++i) {
            onnx::NodeProto& node = *function.add_node();
            node.set_op_type(level == 0 ? "Relu" : "F" + std::to_string(level - 1));
            if (level > 0) node.set_domain("local");
            node.add_input(i == 0 ? "a" : "b");
            node.add_output(i == 0 ? "b" : "c");
        }
    }
    reluNode(model).set_op_type("F39");
    reluNode(model).set_domain("local");
    EXPECT_NE(model.error(), "");
}

/// A function whose constant holds 20 MiB of varints, which would be counted at every call.
TEST(HostileFile, whoseFunctionsRepeatMuchDataIsRefused) {
    OnnxModel model = smallModel();
    onnx::FunctionProto& function = *model.proto.add_functions();
    function.set_name("F");
    function.set_domain("local");
    function.add_output("c");
    onnx::NodeProto& node = *function.add_node();
    node.set_op_type("Constant");
    node.add_output("c");
    onnx::TensorProto& tensor = *test::addAttribute(node, "value", onnx::AttributeProto::TENSOR).mutable_t();
    tensor.set_data_type(7);
    tensor.add_dims(20 << 20);
    tensor.mutable_int64_data()->Resize(20 << 20, 1);
    for (int i = 0; i < 2000; ++i) addNode(model.graph(), "F", {}, {"c" + std::to_string(i)}).set_domain("local");
    EXPECT_EQ(model.error(),
              "test.onnx: found functions and bodies of more than 8 GiB when repeated; expected at most 8 GiB");
}

// Random damage -----------------------------------------------------------------------------------------------------

const std::vector<std::string> kFiles{"mlp_mnist.onnx",       "lstm_ptb.onnx",  "seq2seq_gru_luong.onnx",
                                      "resnet18_bnfold.onnx", "wide_deep.onnx", "unet.onnx"};

TEST(DamagedFile, cutAnywhereIsRefused) {
    for (const std::string& file : kFiles) {
        const std::string bytes = readFile(test::sourcePath("tests/data/models/" + file));
        for (std::size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : bytes.size() / 100 + 1)
            EXPECT_NE(outcome(bytes.substr(0, size)), "") << file << " cut to " << size;
    }
}

TEST(DamagedFile, withFlippedBitsLoadsOrIsRefused) {
    for (const std::string& file : kFiles) {
        const std::string bytes = readFile(test::sourcePath("tests/data/models/" + file));
        RandomStream random(7);
        for (int round = 0; round < 500; ++round) {
            std::string damaged = bytes;
            for (std::uint64_t flips = 1 + random.below(4); flips > 0; --flips)
                damaged[random.below(damaged.size())] ^= static_cast<char>(1U << random.below(8));
            outcome(damaged);
        }
    }
}

TEST(DamagedFile, withReplacedNumbersLoadsOrIsRefused) {
    const std::vector<std::int64_t> kNumbers{0,  -1,        1,         2,         63,        64,
                                             65, 1LL << 31, 1LL << 40, 1LL << 53, INT64_MAX, INT64_MIN};
    for (const std::string& file : kFiles) {
        onnx::ModelProto whole;
        ASSERT_TRUE(whole.ParseFromString(readFile(test::sourcePath("tests/data/models/" + file))));
        RandomStream random(11);
        for (int round = 0; round < 300; ++round) {
            onnx::ModelProto proto = whole;
            onnx::GraphProto& graph = *proto.mutable_graph();
            onnx::NodeProto& node =
                *graph.mutable_node(static_cast<int>(random.below(static_cast<std::uint64_t>(graph.node_size()))));
            const std::int64_t number = kNumbers[random.below(kNumbers.size())];
            for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
                if (attribute.has_i()) attribute.set_i(number);
                if (attribute.ints_size() > 0)
                    attribute.set_ints(
                        static_cast<int>(random.below(static_cast<std::uint64_t>(attribute.ints_size()))), number);
            }
            if (round % 3 == 1 && node.input_size() > 0) node.mutable_input()->RemoveLast();
            if (round % 3 == 2 && graph.initializer_size() > 0) {
                auto& tensor = *graph.mutable_initializer(
                    static_cast<int>(random.below(static_cast<std::uint64_t>(graph.initializer_size()))));
                if (tensor.dims_size() > 0) tensor.set_dims(0, number);
                if (round % 2 == 0) tensor.add_dims(1);
            }
            outcome(proto.SerializeAsString());
        }
    }
}

}  // namespace
}  // namespace tessera::model
