#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/model/model.h"
#include "tests/core/model/onnx_models.h"

namespace tessera::model {
namespace {

using test::addAttribute;
using test::addBody;
using test::addInput;
using test::addIntegers;
using test::addNode;
using test::addOutput;
using test::addWeight;
using test::OnnxModel;
using test::putOutside;
using test::setInt;
using test::setInts;
using test::smallModel;
using test::value;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const Tensor& tensorNamed(const Graph& graph, const std::string& name) {
    for (const Tensor& tensor : graph.tensors)
        if (tensor.name == name) return tensor;
    throw std::runtime_error("no tensor " + name);
}

std::string shapeOf(const Graph& graph, const std::string& name) {
    return toText(tensorNamed(graph, name).shape);
}

std::vector<std::string> typesOf(const Graph& graph) {
    std::vector<std::string> types;
    for (const Operator& op : graph.operators) types.push_back(op.type);
    return types;
}

// Binding ---------------------------------------------------------------------------------------------------------

OnnxModel twoSymbols() {
    OnnxModel model;
    onnx::ValueInfoProto& input = addInput(model.graph(), "x", {-1, -1, 8});
    test::name(input, 0, "N");
    test::name(input, 1, "seq");
    addNode(model.graph(), "Relu", {"x"}, {"y"}, "relu");
    addOutput(model.graph(), "y");
    return model;
}

TEST(OnnxReader, bindsTheLeadingDimensionToTheBatch) {
    EXPECT_EQ(shapeOf(twoSymbols().read({.batch = 4, .dimensions = {{"seq", 16}}}), "y"), "4x16x8");
    EXPECT_EQ(twoSymbols().read({.batch = 4, .dimensions = {}}).batch, 4);
    EXPECT_EQ(twoSymbols().read().batch, 1);
}

TEST(OnnxReader, leavesOtherSymbolsUnknownAndSaysWhatToGive) {
    const Graph graph = twoSymbols().read();
    EXPECT_EQ(shapeOf(graph, "y"), "1x?x8");
    EXPECT_EQ(tensorNamed(graph, "x").symbols->at(1), "seq");
    EXPECT_THAT(graph.warnings,
                ElementsAre("Dimension 1 of input 'x' is the symbol 'seq', which is not bound; give --dim seq=N."));
}

TEST(OnnxReader, bindsTheLeadingDimensionByNameToo) {
    const Graph graph = twoSymbols().read({.batch = {}, .dimensions = {{"N", 6}, {"seq", 2}}});
    EXPECT_EQ(shapeOf(graph, "y"), "6x2x8");
    EXPECT_EQ(graph.batch, 6);
}

TEST(OnnxReader, refusesADimensionThatTheModelDoesNotHave) {
    EXPECT_EQ(twoSymbols().error({.batch = {}, .dimensions = {{"length", 2}}}),
              "test.onnx has no dimension 'length'; its dimensions are 'N', 'seq'");
    EXPECT_EQ(smallModel().error({.batch = {}, .dimensions = {{"length", 2}}}),
              "test.onnx has no dimension 'length'; all of its dimensions are fixed");
}

TEST(OnnxReader, keepsAFixedBatchAndTellsIt) {
    const Graph graph = smallModel().read({.batch = 64, .dimensions = {}});
    EXPECT_EQ(shapeOf(graph, "y"), "2x3");
    EXPECT_EQ(graph.batch, 2);
}

TEST(OnnxReader, readsLeadingMinusOneAndZeroAsTheBatch) {
    for (const std::int64_t leading : {-1, 0}) {
        OnnxModel model = smallModel();
        model.graph()
            .mutable_input(0)
            ->mutable_type()
            ->mutable_tensor_type()
            ->mutable_shape()
            ->mutable_dim(0)
            ->set_dim_value(leading);
        const Graph graph = model.read({.batch = 5, .dimensions = {}});
        EXPECT_EQ(shapeOf(graph, "y"), "5x3");
        EXPECT_THAT(graph.warnings, ElementsAre("Dimension 0 of input 'x' is " + std::to_string(leading) +
                                                ", which is read as the batch."));
    }
}

TEST(OnnxReader, bindsAnUnsetLeadingDimensionSilently) {
    OnnxModel model;
    addInput(model.graph(), "x", {-1, 3});
    addNode(model.graph(), "Relu", {"x"}, {"y"});
    addOutput(model.graph(), "y");
    EXPECT_THAT(model.read().warnings, IsEmpty());
    EXPECT_EQ(shapeOf(model.read(), "y"), "1x3");
}

// What loads with a warning -----------------------------------------------------------------------------------------

TEST(OnnxReader, usesTheComputedShapeWhereTheDeclaredOneDiffers) {
    OnnxModel model = smallModel();
    *model.graph().mutable_output(0) = test::value("y", {2, 4});
    const Graph graph = model.read();
    EXPECT_EQ(shapeOf(graph, "y"), "2x3");
    EXPECT_THAT(graph.warnings, ElementsAre("Tensor 'y' is declared as 2x4 but computed as 2x3, which is used."));
}

TEST(OnnxReader, usesTheDeclaredShapeOfAnUnknownOperator) {
    OnnxModel model = smallModel();
    model.graph().mutable_node(0)->set_op_type("Frobnicate");
    *model.graph().mutable_output(0) = test::value("y", {2, 7});
    const Graph graph = model.read();
    EXPECT_EQ(shapeOf(graph, "y"), "2x7");
    EXPECT_NE(graph.operators[0].opaque, "");
    EXPECT_THAT(graph.warnings, ElementsAre(HasSubstr("'Frobnicate'")));
    EXPECT_EQ(summarise(graph).activationElements, 14);
}

TEST(OnnxReader, warnsOfOddVersions) {
    struct Case {
        std::int64_t ir, opset;
        std::string warning;
    };
    for (const Case& row :
         {Case{8, 99, "The opset 99 is newer than 22, the last one known; operators are read as those of 22."},
          Case{8, 0, "The opset is 0; 17 is assumed."}, Case{0, 17, "The format version (ir_version) 0 is unknown."},
          Case{70, 17, "The format version (ir_version) 70 is newer than 10, the last one known."}}) {
        OnnxModel model = smallModel();
        model.proto.set_ir_version(row.ir);
        model.proto.mutable_opset_import(0)->set_version(row.opset);
        EXPECT_THAT(model.read().warnings, ElementsAre(row.warning));
    }
    OnnxModel model = smallModel();
    model.proto.clear_ir_version();
    model.proto.clear_opset_import();
    EXPECT_THAT(model.read().warnings,
                ElementsAre("The format version (ir_version) is missing.", "The opset is missing; 17 is assumed."));
}

TEST(OnnxReader, sortsNodesThatAreOutOfOrder) {
    OnnxModel model;
    addInput(model.graph(), "x", {2});
    addNode(model.graph(), "Relu", {"b"}, {"c"}, "third");
    addNode(model.graph(), "Relu", {"a"}, {"b"}, "second");
    addNode(model.graph(), "Relu", {"x"}, {"a"}, "first");
    addOutput(model.graph(), "c");
    const Graph graph = model.read();
    std::vector<std::string> names;
    for (const Operator& op : graph.operators) names.push_back(op.name);
    EXPECT_THAT(names, ElementsAre("first", "second", "third"));
    EXPECT_THAT(graph.warnings,
                ElementsAre("The nodes are not in an order in which they can be computed; they were sorted."));
}

TEST(OnnxReader, makesDuplicateNodeNamesUnique) {
    OnnxModel model = smallModel();
    addNode(model.graph(), "Relu", {"y"}, {"z"}, "relu");
    addNode(model.graph(), "Relu", {"z"}, {"w"}, "relu_2");
    const Graph graph = model.read();
    EXPECT_EQ(graph.operators[1].name, "relu_3");
    EXPECT_EQ(graph.operators[2].name, "relu_2");
    EXPECT_THAT(graph.warnings, ElementsAre("The node name 'relu' is used more than once; one is now 'relu_3'."));
}

TEST(OnnxReader, warnsOfUnusedStoredTensorsAndCountsThem) {
    OnnxModel model = smallModel();
    addWeight(model.graph(), "w", {4, 5});
    const Graph graph = model.read();
    EXPECT_THAT(graph.warnings, ElementsAre("Stored tensor 'w' is not used."));
    EXPECT_EQ(summarise(graph).parameters, 20);
}

TEST(OnnxReader, boundsTheNumberOfWarnings) {
    OnnxModel model = smallModel();
    for (int i = 0; i < 1000; ++i) addWeight(model.graph(), "w" + std::to_string(i), {1});
    const Graph graph = model.read();
    ASSERT_THAT(graph.warnings, SizeIs(21));
    EXPECT_EQ(graph.warnings.back(), "And 980 more: unused stored tensors.");
}

TEST(OnnxReader, warnsOfWeightDataThatDoesNotFit) {
    OnnxModel model = smallModel();
    addWeight(model.graph(), "raw", {2, 3}).set_raw_data("12345");
    addWeight(model.graph(), "typed", {2}).add_float_data(1);
    addNode(model.graph(), "Mul", {"y", "raw"}, {"z"});
    addNode(model.graph(), "Mul", {"z", "typed"}, {"q"});
    model.graph().mutable_initializer(1)->set_dims(0, 3);
    EXPECT_THAT(model.read().warnings, ElementsAre("Stored tensor 'raw' has 5 bytes of data for 6 elements of float32.",
                                                   "Stored tensor 'typed' has data of 1 elements for a shape of 3."));
}

TEST(OnnxReader, warnsOfOddLocationsAndOpensNone) {
    for (const auto& [location, phrase] : std::vector<std::pair<std::string, std::string>>{
             {"/etc/passwd", "the absolute location '/etc/passwd'"},
             {"C:\\weights", "the absolute location 'C:\\weights'"},
             {"a/../../b", "the location 'a/../../b', which leaves the model's folder"},
             {"", "the invalid location ''"}}) {
        OnnxModel model = smallModel();
        onnx::TensorProto& weight = addWeight(model.graph(), "w", {3});
        weight.set_data_location(onnx::TensorProto::EXTERNAL);
        onnx::StringStringEntryProto& entry = *weight.add_external_data();
        entry.set_key("location");
        entry.set_value(location);
        addNode(model.graph(), "Mul", {"y", "w"}, {"z"});
        EXPECT_THAT(model.read().warnings,
                    ElementsAre("Stored tensor 'w' has " + phrase + "; external data is never opened."));
    }
}

TEST(OnnxReader, refusesWeightDataOfAnotherType) {
    OnnxModel model = smallModel();
    addWeight(model.graph(), "w", {2, 3}).add_int64_data(1);
    EXPECT_EQ(model.error(),
              "test.onnx: stored tensor 'w': found data in int64_data; expected it in float_data, where elements of "
              "float32 stand");
    for (const std::size_t bytes : {6U, 12U, 48U, 96U}) {
        model.graph().mutable_initializer(0)->clear_int64_data();
        model.graph().mutable_initializer(0)->set_raw_data(std::string(bytes, 'x'));
        EXPECT_EQ(model.error(), "test.onnx: stored tensor 'w': found " + std::to_string(bytes) +
                                     " bytes of data for 6 elements of float32; expected 24 bytes, or an element type "
                                     "of " +
                                     std::to_string(bytes / 6) + " bytes");
    }
    model.graph().mutable_initializer(0)->set_raw_data(std::string(24, 'x'));
    EXPECT_EQ(model.error(), "");
}

TEST(OnnxReader, warnsOfTheDataOfConstantsToo) {
    OnnxModel model = smallModel();
    onnx::NodeProto& node = addNode(model.graph(), "Constant", {}, {"c"});
    onnx::TensorProto& tensor = *addAttribute(node, "value", onnx::AttributeProto::TENSOR).mutable_t();
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(3);
    tensor.set_raw_data("12345");
    addNode(model.graph(), "Mul", {"y", "c"}, {"z"});
    EXPECT_THAT(model.read().warnings, ElementsAre("Constant 'c' has 5 bytes of data for 3 elements of float32."));
}

TEST(OnnxReader, warnsOfDeclaredTypesThatDiffer) {
    OnnxModel model = smallModel();
    *model.graph().add_value_info() = value("z", {2, 3}, onnx::TensorProto::INT64);
    addInput(model.graph(), "w", {2, 3}, onnx::TensorProto::FLOAT16);
    addWeight(model.graph(), "w", {2, 3});
    addNode(model.graph(), "Mul", {"y", "w"}, {"z"});
    const Graph graph = model.read();
    EXPECT_THAT(graph.warnings, ElementsAre("Tensor 'w' is declared as float16 but is float32, which is used.",
                                            "Tensor 'z' is declared as int64 but is float32, which is used."));
    EXPECT_EQ(graph.tensor(graph.operators.back().outputs[0]).type, DataType::float32);
}

TEST(OnnxReader, refusesPlacesOfExternalDataThatCannotBe) {
    const std::string number = "; expected a whole number of bytes below 2^63";
    for (const auto& [offset, length, phrase] : std::vector<std::array<std::string, 3>>{
             {"-8", "40", "the offset '-8' of its external data" + number},
             {"0", "many", "the length 'many' of its external data" + number},
             {"0", "12345678901234567890", "the length '12345678901234567890' of its external data" + number},
             {"9223372036854775800", "40",
              "external data of 40 bytes at the offset 9223372036854775800; expected an end below 2^63 bytes"},
             {"0", "20",
              "20 bytes of external data for 10 elements of float32; expected 40 bytes, or an element type of 2 "
              "bytes"}}) {
        OnnxModel model = smallModel();
        putOutside(addWeight(model.graph(), "w", {10}), "w.bin", offset, length);
        addNode(model.graph(), "Identity", {"w"}, {"z"});
        EXPECT_EQ(model.error(), "test.onnx: stored tensor 'w': found " + phrase);
    }
    OnnxModel model = smallModel();
    putOutside(addWeight(model.graph(), "w", {10}), "w.bin", "4096", "40");
    putOutside(addWeight(model.graph(), "v", {10}), "w.bin", "", "");
    addNode(model.graph(), "Add", {"w", "v"}, {"z"});
    EXPECT_THAT(model.read().warnings, IsEmpty());
    putOutside(addWeight(model.graph(), "u", {10}), "w.bin", "8192", "44");
    addNode(model.graph(), "Add", {"w", "u"}, {"t"});
    EXPECT_THAT(model.read().warnings,
                ElementsAre("Stored tensor 'u' has 44 bytes of external data for 10 elements of float32."));
}

TEST(OnnxReader, warnsOfExternalDataThatOverlaps) {
    OnnxModel model = smallModel();
    putOutside(addWeight(model.graph(), "a", {10}), "w.bin", "0", "40");
    putOutside(addWeight(model.graph(), "tied", {10}), "w.bin", "0", "40");  // all of it is shared: one weight twice
    putOutside(addWeight(model.graph(), "b", {10}), "w.bin", "36", "40");
    putOutside(addWeight(model.graph(), "c", {10}), "w.bin", "76", "40");
    putOutside(addWeight(model.graph(), "other", {10}), "v.bin", "4", "40");
    addNode(model.graph(), "Sum", {"a", "tied", "b", "c", "other"}, {"z"});
    EXPECT_THAT(model.read().warnings, ElementsAre("Stored tensors 'a' and 'b' overlap in the external data 'w.bin': "
                                                   "bytes 0 to 40 and 36 to 76."));
}

TEST(OnnxReader, warnsOfAShapeThatDependsOnData) {
    OnnxModel model;
    addInput(model.graph(), "x", {2, 3});
    addInput(model.graph(), "target", {2}, onnx::TensorProto::INT64);
    addNode(model.graph(), "Reshape", {"x", "target"}, {"y"}, "r");
    addNode(model.graph(), "Relu", {"y"}, {"z"}, "follows");
    addOutput(model.graph(), "z");
    EXPECT_THAT(model.read().warnings,
                ElementsAre("Node 'r' (Reshape): the shape of its output 'y' does not follow from those of its "
                            "inputs; what depends on it is not counted."));
    // A shape that is declared is believed.
    *model.graph().add_value_info() = value("y", {3, 2});
    EXPECT_THAT(model.read().warnings, IsEmpty());
}

TEST(OnnxReader, warnsOfNamesThatAreNotUtf8) {
    OnnxModel model;
    addInput(model.graph(), "\xFF\xFE", {2, 3});
    addNode(model.graph(), "Relu", {"\xFF\xFE"}, {"y"}, "caf\xE9");
    addOutput(model.graph(), "y");
    const Graph graph = model.read();
    EXPECT_THAT(graph.warnings,
                ElementsAre("The name '\\xFF\\xFE' is not UTF-8; its bytes are kept, and shown escaped.",
                            "The name 'caf\\xE9' is not UTF-8; its bytes are kept, and shown escaped."));
    EXPECT_EQ(graph.operators[0].name, "caf\xE9");
}

TEST(OnnxReader, warnsOnceOfADomainThatIsNotDeclared) {
    OnnxModel model = smallModel();
    for (const char* output : {"z", "q"}) {
        onnx::NodeProto& node = addNode(model.graph(), "Fancy", {"y"}, {output}, std::string("fancy-") + output);
        node.set_domain("com.acme");
    }
    const std::string warning =
        "Node 'fancy-z' (Fancy) is of the domain 'com.acme', which the file's opset imports do not name.";
    EXPECT_THAT(model.read().warnings, Contains(warning).Times(1));
    onnx::OperatorSetIdProto& import = *model.proto.add_opset_import();
    import.set_domain("com.acme");
    import.set_version(1);
    EXPECT_THAT(model.read().warnings, Not(Contains(warning)));
}

TEST(OnnxReader, shortensNamesBeyond64KiB) {
    OnnxModel model;
    const std::string longName(70'000, 'n');
    addInput(model.graph(), "x", {2});
    addNode(model.graph(), "Relu", {"x"}, {longName});
    addNode(model.graph(), "Relu", {longName}, {"y"});
    addOutput(model.graph(), "y");
    const Graph graph = model.read();
    EXPECT_EQ(graph.tensor(graph.operators[0].outputs[0]).name, std::string(200, 'n') + "...#1");
    EXPECT_EQ(graph.operators[1].inputs, graph.operators[0].outputs);
    EXPECT_THAT(graph.warnings, ElementsAre(HasSubstr("A name of 70000 bytes was shortened to 'nnn")));
}

// What loads silently -----------------------------------------------------------------------------------------------

TEST(OnnxReader, takesOddThingsSilently) {
    OnnxModel model;
    addInput(model.graph(), "\x1B é", {2, 3});
    addInput(model.graph(), "w", {2, 3});  // repeated as a stored tensor
    addWeight(model.graph(), "w", {2, 3});
    addNode(model.graph(), "Add", {"\x1B é", "w"}, {"a\nb"});
    addNode(model.graph(), "Clip", {"a\nb", "", ""}, {"dead"});
    addNode(model.graph(), "Relu", {"a\nb"}, {"y"});
    addOutput(model.graph(), "y");
    const Graph graph = model.read();
    EXPECT_THAT(graph.warnings, IsEmpty());
    EXPECT_THAT(graph.inputs, SizeIs(1));
    EXPECT_THAT(graph.operators, SizeIs(3));
    EXPECT_EQ(summarise(graph).parameters, 6);
}

TEST(OnnxReader, countsSparseTensorsByTheirShape) {
    OnnxModel model = smallModel();
    onnx::SparseTensorProto& sparse = *model.graph().add_sparse_initializer();
    sparse.mutable_values()->set_name("w");
    sparse.mutable_values()->set_data_type(1);
    sparse.mutable_values()->add_dims(2);
    sparse.add_dims(3);
    sparse.add_dims(5);
    addNode(model.graph(), "MatMul", {"y", "w"}, {"z"});
    EXPECT_EQ(shapeOf(model.read(), "z"), "2x5");
    EXPECT_EQ(summarise(model.read()).parameters, 15);
}

TEST(OnnxReader, foldsShapesThatAreStoredInEveryWay) {
    for (int way = 0; way < 3; ++way) {
        OnnxModel model = smallModel();
        if (way == 0) addIntegers(model.graph(), "shape", {3, 2});
        if (way == 1) {
            const std::int64_t numbers[] = {3, 2};
            addWeight(model.graph(), "shape", {2}, 7)
                .set_raw_data(std::string(reinterpret_cast<const char*>(numbers), sizeof numbers));
        }
        if (way == 2) {
            onnx::NodeProto& node = addNode(model.graph(), "Constant", {}, {"shape"});
            setInts(node, "value_ints", {3, 2});
        }
        addNode(model.graph(), "Reshape", {"y", "shape"}, {"z"});
        EXPECT_EQ(shapeOf(model.read(), "z"), "3x2") << way;
        EXPECT_EQ(summarise(model.read()).operators, 2) << way;
    }
}

TEST(OnnxReader, reshapesToAScalarByAnEmptyShape) {
    OnnxModel model;
    addInput(model.graph(), "x", {1, 1});
    addWeight(model.graph(), "shape", {0}, 7);
    addNode(model.graph(), "Reshape", {"x", "shape"}, {"z"});
    addOutput(model.graph(), "z");
    EXPECT_EQ(shapeOf(model.read(), "z"), "scalar");
}

TEST(OnnxReader, inlinesLocalFunctions) {
    OnnxModel model = smallModel();
    onnx::FunctionProto& function = *model.proto.add_functions();
    function.set_name("Twice");
    function.set_domain("local");
    function.add_input("a");
    function.add_output("c");
    function.add_attribute("slope");
    for (int i = 0; i < 2; ++i) {
        onnx::NodeProto& node = *function.add_node();
        node.set_op_type("LeakyRelu");
        node.add_input(i == 0 ? "a" : "b");
        node.add_output(i == 0 ? "b" : "c");
        onnx::AttributeProto& attribute = addAttribute(node, "alpha", onnx::AttributeProto::FLOAT);
        attribute.set_ref_attr_name("slope");
    }
    onnx::NodeProto& call = addNode(model.graph(), "Twice", {"y"}, {"z"}, "call");
    call.set_domain("local");
    addAttribute(call, "slope", onnx::AttributeProto::FLOAT).set_f(0.25F);
    const Graph graph = model.read();
    EXPECT_THAT(graph.warnings, IsEmpty());
    EXPECT_THAT(typesOf(graph), ElementsAre("Relu", "LeakyRelu", "LeakyRelu"));
    EXPECT_EQ(std::get<double>(graph.operators[2].attributes->at("alpha")), 0.25);
    EXPECT_EQ(shapeOf(graph, "z"), "2x3");
}

// Bodies ------------------------------------------------------------------------------------------------------------

TEST(OnnxReader, countsTheBiggerBranchOnce) {
    OnnxModel model = smallModel();
    addInput(model.graph(), "condition", {}, 9);
    addWeight(model.graph(), "w", {3, 5});
    onnx::NodeProto& node = addNode(model.graph(), "If", {"condition"}, {"z"}, "choice");
    onnx::GraphProto& small = addBody(node, "then_branch");
    addWeight(small, "zero", {2, 5});
    addOutput(small, "zero");
    onnx::GraphProto& big = addBody(node, "else_branch");
    addNode(big, "MatMul", {"y", "w"}, {"product"}, "product");
    addOutput(big, "product");
    const Graph graph = model.read();
    EXPECT_THAT(graph.warnings, ElementsAre("Node 'choice' (If): its body is counted once."));
    EXPECT_EQ(shapeOf(graph, "z"), "2x5");
    const Summary summary = summarise(graph);
    EXPECT_EQ(summary.macs, 2 * 3 * 5);
    EXPECT_EQ(summary.operators, 2);  // of the main graph
    EXPECT_EQ(summary.parameters, 15);
    EXPECT_EQ(graph.operators[1].body, "choice");
}

TEST(OnnxReader, countsALoopBodyOnceAndStacksItsResults) {
    OnnxModel model = smallModel();
    onnx::TensorProto& trips = addWeight(model.graph(), "trips", {}, 7);
    trips.add_int64_data(7);
    addWeight(model.graph(), "w", {3, 3});
    onnx::NodeProto& node = addNode(model.graph(), "Loop", {"trips", "", "y"}, {"last", "all"}, "loop");
    onnx::GraphProto& body = addBody(node, "body");
    addInput(body, "i", {}, 7);
    addInput(body, "go", {}, 9);
    addInput(body, "state", {2, 3});
    addNode(body, "MatMul", {"state", "w"}, {"next"});
    addNode(body, "Identity", {"go"}, {"goOn"});
    addOutput(body, "goOn");
    addOutput(body, "next");
    addOutput(body, "next");
    const Graph graph = model.read();
    EXPECT_THAT(graph.warnings, ElementsAre("Node 'loop' (Loop): its body is counted once."));
    EXPECT_EQ(shapeOf(graph, "last"), "2x3");
    EXPECT_EQ(shapeOf(graph, "all"), "7x2x3");
    EXPECT_EQ(summarise(graph).macs, 2 * 3 * 3);
    EXPECT_EQ(summarise(graph).operators, 2);
    EXPECT_EQ(summarise(graph).activationElements, 6 + 6 + 42);
}

TEST(OnnxReader, warnsOfALoopOfUnknownTripCount) {
    OnnxModel model = smallModel();
    addInput(model.graph(), "trips", {}, 7);
    onnx::NodeProto& node = addNode(model.graph(), "Loop", {"trips", ""}, {"all"}, "loop");
    onnx::GraphProto& body = addBody(node, "body");
    addInput(body, "i", {}, 7);
    addInput(body, "go", {}, 9);
    addNode(body, "Neg", {"y"}, {"next"});
    addOutput(body, "go");
    addOutput(body, "next");
    const Graph graph = model.read();
    EXPECT_THAT(graph.warnings, Contains("Node 'loop' (Loop): its trip count is unknown."));
    EXPECT_EQ(shapeOf(graph, "all"), "?x2x3");
}

/// What torch.onnx writes for EmbeddingBag: a loop over the bags, whose number follows from the shape of the offsets.
TEST(OnnxReader, knowsTheResultOfAnEmbeddingBag) {
    OnnxModel model(11);
    addInput(model.graph(), "indices", {40}, 7);
    test::name(addInput(model.graph(), "offsets", {-1}, 7), 0, "bags");
    addWeight(model.graph(), "table", {1000, 16});
    addIntegers(model.graph(), "zero", {0});
    addIntegers(model.graph(), "one", {1});
    addIntegers(model.graph(), "end", {9223372036854775807});
    addIntegers(model.graph(), "length", {40});
    addWeight(model.graph(), "first", {}, 7).add_int64_data(0);
    addWeight(model.graph(), "true", {}, 9).add_int32_data(1);
    setInt(addNode(model.graph(), "Concat", {"offsets", "length"}, {"bounds"}), "axis", 0);
    addNode(model.graph(), "Slice", {"bounds", "zero", "end", "zero", "one"}, {"starts"});
    addNode(model.graph(), "Slice", {"bounds", "one", "end", "zero", "one"}, {"ends"});
    addNode(model.graph(), "Shape", {"ends"}, {"shape"});
    setInt(addNode(model.graph(), "Gather", {"shape", "first"}, {"bags"}), "axis", 0);
    onnx::NodeProto& loop = addNode(model.graph(), "Loop", {"bags", "true"}, {"y"}, "bag");
    onnx::GraphProto& body = addBody(loop, "body");
    addInput(body, "i", {}, 7);
    addInput(body, "go", {}, 9);
    for (const std::string end : {"start", "end"}) {
        addNode(body, "Gather", {end + "s", "i"}, {end + "_"});
        setInts(addNode(body, "Unsqueeze", {end + "_"}, {end + "_1"}), "axes", {0});
    }
    addNode(body, "Slice", {"indices", "start_1", "end_1", "zero"}, {"row"});
    addNode(body, "Gather", {"table", "row"}, {"vectors"});
    onnx::NodeProto& sum = addNode(body, "ReduceSum", {"vectors"}, {"sum"});
    setInts(sum, "axes", {0});
    setInt(sum, "keepdims", 0);
    setInt(addNode(body, "Cast", {"true"}, {"goOn"}), "to", 9);
    addOutput(body, "goOn");
    addOutput(body, "sum");
    addOutput(model.graph(), "y");
    const Graph graph = model.read({.batch = 8, .dimensions = {}});
    EXPECT_EQ(shapeOf(graph, "y"), "8x16");
    EXPECT_EQ(summarise(graph).parameters, 16'000);
    EXPECT_EQ(summarise(graph).activationElements, 8 * 16);
    EXPECT_EQ(summarise(graph).operators, 6);
}

TEST(OnnxReader, countsAScanBodyOnce) {
    OnnxModel model;
    addInput(model.graph(), "x", {5, 2, 3});
    addInput(model.graph(), "h", {2, 4});
    addWeight(model.graph(), "w", {3, 4});
    onnx::NodeProto& node = addNode(model.graph(), "Scan", {"h", "x"}, {"last", "all"}, "scan");
    setInt(node, "num_scan_inputs", 1);
    onnx::GraphProto& body = addBody(node, "body");
    addInput(body, "state", {2, 4});
    addInput(body, "step", {2, 3});
    addNode(body, "MatMul", {"step", "w"}, {"product"});
    addNode(body, "Add", {"product", "state"}, {"next"});
    addOutput(body, "next");
    addOutput(body, "product");
    addOutput(model.graph(), "all");
    const Graph graph = model.read();
    EXPECT_EQ(shapeOf(graph, "last"), "2x4");
    EXPECT_EQ(shapeOf(graph, "all"), "5x2x4");
    EXPECT_EQ(summarise(graph).macs, 2 * 3 * 4);
    EXPECT_EQ(summarise(graph).operators, 1);
}

TEST(OnnxReader, namesLayersAndBlocksByModules) {
    OnnxModel model = smallModel();
    addWeight(model.graph(), "encoder.layer.11.attention.query.weight", {3, 4});
    addNode(model.graph(), "MatMul", {"y", "encoder.layer.11.attention.query.weight"}, {"z"}, "MatMul_7");
    addNode(model.graph(), "Relu", {"z"}, {"r"}, "/model/layer1/layer1.0/relu/Relu");
    const Graph graph = model.read();
    EXPECT_EQ(graph.operators[1].layer, "encoder.layer.11.attention.query");
    EXPECT_EQ(graph.operators[1].block, "encoder.layer.11");
    EXPECT_EQ(graph.operators[2].layer, "model.layer1.0.relu");
    EXPECT_EQ(graph.operators[2].block, "model.layer1.0");
}

// Size --------------------------------------------------------------------------------------------------------------

TEST(OnnxReader, readsADeepChainWithoutRecursion) {
    OnnxModel model;
    addInput(model.graph(), "t0", {2});
    for (int i = 0; i < 20'000; ++i)
        addNode(model.graph(), "Relu", {"t" + std::to_string(i)}, {"t" + std::to_string(i + 1)});
    addOutput(model.graph(), "t20000");
    EXPECT_EQ(summarise(model.read()).activationElements, 40'000);
    std::reverse(model.graph().mutable_node()->pointer_begin(), model.graph().mutable_node()->pointer_end());
    EXPECT_EQ(summarise(model.read()).activationElements, 40'000);
}

/// 80 layers of hidden size 8192 with grouped attention left out: 4 * 8192^2 + 3 * 8192 * 28672 weights per layer.
TEST(OnnxReader, readsAModelOf70BillionParametersWithoutItsWeights) {
    constexpr std::int64_t kHidden = 8192, kWide = 28672, kLayers = 80, kWords = 32000;
    OnnxModel model;
    onnx::GraphProto& graph = model.graph();
    test::name(addInput(graph, "tokens", {-1, 128}, 7), 0, "batch");
    const auto weight = [&](const std::string& name, const test::Dims& dims) {
        onnx::TensorProto& tensor = addWeight(graph, name, dims);
        tensor.set_data_location(onnx::TensorProto::EXTERNAL);
        onnx::StringStringEntryProto& entry = *tensor.add_external_data();
        entry.set_key("location");
        entry.set_value("model.weights.bin");
        return name;
    };
    addNode(graph, "Gather", {weight("words", {kWords, kHidden}), "tokens"}, {"h0"});
    for (int layer = 0; layer < kLayers; ++layer) {
        const std::string at = "layers." + std::to_string(layer) + ".";
        const auto product = [&](const std::string& from, const std::string& to, std::int64_t rows,
                                 std::int64_t columns) {
            addNode(graph, "MatMul", {from, weight(at + to + ".weight", {rows, columns})}, {at + to});
        };
        const std::string hidden = "h" + std::to_string(layer);
        for (const char* part : {"q", "k", "v"}) product(hidden, part, kHidden, kHidden);
        setInts(addNode(graph, "Transpose", {at + "k"}, {at + "kt"}), "perm", {0, 2, 1});
        addNode(graph, "MatMul", {at + "q", at + "kt"}, {at + "scores"});
        addNode(graph, "Softmax", {at + "scores"}, {at + "weights"});
        addNode(graph, "MatMul", {at + "weights", at + "v"}, {at + "context"});
        product(at + "context", "o", kHidden, kHidden);
        product(at + "o", "gate", kHidden, kWide);
        product(at + "o", "up", kHidden, kWide);
        addNode(graph, "Mul", {at + "gate", at + "up"}, {at + "gated"});
        product(at + "gated", "down", kWide, kHidden);
        addNode(graph, "Add", {at + "down", hidden}, {"h" + std::to_string(layer + 1)});
    }
    addOutput(graph, "h80");
    const Graph read = model.read();
    EXPECT_THAT(read.warnings, IsEmpty());
    EXPECT_EQ(summarise(read).parameters, kWords * kHidden + kLayers * (4 * kHidden * kHidden + 3 * kHidden * kWide));
}

}  // namespace
}  // namespace tessera::model
