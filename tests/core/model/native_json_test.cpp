#include "core/model/readers/native_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/model/builder.h"
#include "core/model/model.h"
#include "core/model/readers/onnx.h"
#include "tests/core/model/onnx_models.h"
#include "tests/support/paths.h"

namespace tessera::model {
namespace {

/// A graph with everything that the format must keep: symbols, unknown shapes, left-out inputs, every kind of
/// attribute, names that are not UTF-8, and an operator that is not known.
Graph oddGraph() {
    GraphBuilder builder("odd \\ name", "test", 13);
    builder.addInput("x\xFF", DataType::float32, Shape({1, kUnknown, 8}), {{1, "seq\n"}});
    builder.addStored("w", DataType::bfloat16, {8, 4});
    builder.addConstant("limit", DataType::float32, {}, std::vector<double>{6});
    builder.add({.type = "MatMul",
                 .inputs = {"x\xFF", "w"},
                 .outputs = {"y"},
                 .attributes = {},
                 .name = "a",
                 .domain = {},
                 .layer = "encoder.0.q",
                 .block = "encoder.0"});
    builder.add({.type = "Clip",
                 .inputs = {"y", "", "limit"},
                 .outputs = {"z"},
                 .attributes = {},
                 .name = "b",
                 .domain = {},
                 .layer = {},
                 .block = {}});
    builder.add({.type = "Odd",
                 .inputs = {"z"},
                 .outputs = {"q", "", "r"},
                 .attributes = {{"whole", std::int64_t{-5}},
                                {"real", 0.1},
                                {"nan", std::numeric_limits<double>::quiet_NaN()},
                                {"text", std::string("\\x41\x80")},
                                {"wholes", std::vector<std::int64_t>{}},
                                {"reals", std::vector<double>{1, -std::numeric_limits<double>::infinity()}},
                                {"texts", std::vector<std::string>{"a", ""}}},
                 .name = "c",
                 .domain = "custom",
                 .layer = {},
                 .block = {},
                 .body = "loop"});
    builder.addOutput("q");
    builder.note("A note.");
    return std::move(builder).build();
}

TEST(NativeJson, losesNothing) {
    const Graph graph = oddGraph();
    const std::string text = writeNativeJson(graph);
    const Graph read = readNativeJson(text, "odd.json");
    EXPECT_EQ(writeNativeJson(read), text);
    EXPECT_EQ(read.name, "odd \\ name");
    EXPECT_EQ(read.opset, 13);
    ASSERT_EQ(read.tensors.size(), graph.tensors.size());
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        EXPECT_EQ(read.tensors[i].name, graph.tensors[i].name);
        EXPECT_EQ(read.tensors[i].type, graph.tensors[i].type);
        EXPECT_EQ(read.tensors[i].shape, graph.tensors[i].shape);
        EXPECT_EQ(read.tensors[i].role, graph.tensors[i].role);
        EXPECT_EQ(read.tensors[i].symbols, graph.tensors[i].symbols);
    }
    ASSERT_EQ(read.operators.size(), graph.operators.size());
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
        const Operator& a = read.operators[i];
        const Operator& b = graph.operators[i];
        EXPECT_EQ(a.name, b.name);
        EXPECT_EQ(a.type, b.type);
        EXPECT_EQ(a.domain, b.domain);
        EXPECT_EQ(a.inputs, b.inputs);
        EXPECT_EQ(a.outputs, b.outputs);
        EXPECT_EQ(a.layer, b.layer);
        EXPECT_EQ(a.block, b.block);
        EXPECT_EQ(a.body, b.body);
        EXPECT_EQ(a.opaque, b.opaque);
        for (const auto& [name, value] : b.attributes)
            if (name != "nan") {
                EXPECT_EQ(a.attributes->at(name), value) << name;
            }
    }
    EXPECT_EQ(read.warnings, graph.warnings);
    EXPECT_EQ(read.notes, graph.notes);
    EXPECT_EQ(read.inputs, graph.inputs);
    EXPECT_EQ(read.outputs, graph.outputs);
}

TEST(NativeJson, agreesWithItsSchema) {
    nlohmann::json schemaText = nlohmann::json::parse(readFile(test::sourcePath("data/schemas/model.schema.json")));
    valijson::Schema schema;
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schemaText), schema);
    const std::string lenet = readFile(test::sourcePath("tests/data/models/lenet5.onnx"));
    for (const Graph& graph : {oddGraph(), readOnnx(lenet, "lenet5.onnx")}) {
        const nlohmann::json document = nlohmann::json::parse(writeNativeJson(graph));
        valijson::Validator validator;
        EXPECT_TRUE(validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), nullptr));
    }
}

/// x -> Relu -> y.
OperatorSpec relu() {
    return {.type = "Relu",
            .inputs = {"x"},
            .outputs = {"y"},
            .attributes = {},
            .name = "relu",
            .domain = {},
            .layer = {},
            .block = {}};
}

/// x [2, 3] -> Relu -> y, with one text replaced.
std::string errorAfter(const std::string& from, const std::string& to) {
    GraphBuilder builder("small", "test");
    builder.addInput("x", DataType::float32, Shape({2, 3}));
    builder.add(relu());
    builder.addOutput("y");
    std::string text = writeNativeJson(std::move(builder).build());
    const std::size_t at = text.find(from);
    if (at == std::string::npos) return "no such text: " + text;
    text.replace(at, from.size(), to);
    try {
        readNativeJson(text, "m.json");
    } catch (const DataError& error) {
        return error.what();
    }
    return "";
}

TEST(NativeJson, namesWhatIsWrongWithLineAndField) {
    EXPECT_EQ(errorAfter("\"Relu\"", "\"Relu\""), "");
    EXPECT_EQ(errorAfter("\"batch\": 2", "\"batch\": 0"),
              "m.json:5: field 'batch' is '0'; expected a whole number above 0");
    EXPECT_EQ(
        errorAfter("\"notes\"", "\"extra\": 1, \"notes\""),
        "m.json:20: field 'extra' is unknown; expected one of schema, name, opset, batch, tensors, operators, inputs, "
        "outputs, warnings, notes");
    EXPECT_EQ(errorAfter("\"shape\":[2,3],\"role\":\"activation\"", "\"shape\":[2,4],\"role\":\"activation\""),
              "m.json:8: tensor 'y': found 2x4; expected 2x3, as computed from its operator");
    EXPECT_EQ(errorAfter("\"inputs\":[\"x\"]", "\"inputs\":[\"q\"]"),
              "m.json:11: field 'operators[0].inputs[0]' is 'q'; expected the name of a tensor of this file");
    EXPECT_EQ(errorAfter("\"inputs\":[\"x\"]", "\"inputs\":[\"y\"]"),
              "m.json:11: field 'operators[0].inputs[0]' is 'y'; expected an input, a stored tensor or an output of an "
              "operator that stands before");
    EXPECT_EQ(errorAfter("\"inputs\":[\"x\"]", "\"inputs\":[\"x\",\"x\"]"),
              "m.json:11: node 'relu' (Relu): found 2 inputs; expected 1 input");
    EXPECT_EQ(
        errorAfter("\"name\":\"relu\"", "\"name\":\"\\\\x4\""),
        "m.json:11: field 'operators[0].name' is '\\x4'; expected every backslash as \\\\ or as the start of \\xNN");
    EXPECT_EQ(errorAfter("tessera.model/1", "tessera.model/2"),
              "m.json:2: field 'schema' is 'tessera.model/2'; expected one of tessera.model/1");
}

// Open dimensions -----------------------------------------------------------------------------------------------------

/// x [N, seq, 8] -> Relu -> MatMul with [8, 4].
test::OnnxModel openModel() {
    test::OnnxModel model;
    onnx::ValueInfoProto& input = test::addInput(model.graph(), "x", {-1, -1, 8});
    test::name(input, 0, "N");
    test::name(input, 1, "seq");
    test::addWeight(model.graph(), "w", {8, 4});
    test::addNode(model.graph(), "Relu", {"x"}, {"y"}, "relu");
    test::addNode(model.graph(), "MatMul", {"y", "w"}, {"z"}, "product");
    test::addOutput(model.graph(), "z");
    return model;
}

TEST(NativeJson, ofAnOpenModelIsBoundLikeTheModelItself) {
    const std::string open = writeNativeJson(openModel().read({.batch = 4, .dimensions = {}}));
    EXPECT_EQ(unboundDimensions(readNativeJson(open, "m.json")), std::vector<std::string>{"seq"});
    const LoadOptions sixteen{.batch = 4, .dimensions = {{"seq", 16}}};
    const Graph bound = readNativeJson(open, "m.json", sixteen);
    EXPECT_EQ(writeNativeJson(bound), writeNativeJson(openModel().read(sixteen)));
    EXPECT_EQ(toText(bound.tensor(bound.outputs[0]).shape), "4x16x4");
}

TEST(NativeJson, refusesADimensionThatTheModelDoesNotHave) {
    const LoadOptions length{.batch = {}, .dimensions = {{"length", 2}}};
    const auto errorOf = [&](const Graph& graph) -> std::string {
        try {
            readNativeJson(writeNativeJson(graph), "m.json", length);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(errorOf(openModel().read()), "m.json has no dimension 'length'; its dimensions are 'seq'");
    EXPECT_EQ(errorOf(openModel().read({.batch = {}, .dimensions = {{"seq", 2}}})),
              "m.json has no dimension 'length'; all of its dimensions are fixed");
}

TEST(NativeJson, bindsAnOpenLeadingDimensionToTheBatch) {
    GraphBuilder builder("open", "test");
    builder.addInput("x", DataType::float32, Shape({kUnknown, 3}), {{0, "N"}});
    builder.add(relu());
    builder.addOutput("y");
    const std::string text = writeNativeJson(std::move(builder).build());
    EXPECT_EQ(writeNativeJson(readNativeJson(text, "m.json")), text) << "nothing is bound that was not asked for";
    for (const LoadOptions& options :
         {LoadOptions{.batch = 5, .dimensions = {}}, LoadOptions{.batch = {}, .dimensions = {{"N", 5}}}}) {
        const Graph graph = readNativeJson(text, "m.json", options);
        EXPECT_EQ(toText(graph.tensor(graph.outputs[0]).shape), "5x3");
        EXPECT_EQ(graph.batch, 5);
    }
}

TEST(NativeJson, saysWhatStaysUnknownWithoutTheStoredElements) {
    GraphBuilder builder("reshaped", "test");
    builder.addInput("x", DataType::float32, Shape({1, kUnknown, 8}), {{1, "seq"}});
    builder.addStored("heads", DataType::int64, {4}, {0, -1, 4, 2});
    builder.add(OperatorSpec{.type = "Reshape",
                             .inputs = {"x", "heads"},
                             .outputs = {"y"},
                             .attributes = {},
                             .name = "split",
                             .domain = {},
                             .layer = {},
                             .block = {}});
    builder.addOutput("y");
    const std::string text = writeNativeJson(std::move(builder).build());
    const Graph graph = readNativeJson(text, "m.json", {.batch = {}, .dimensions = {{"seq", 16}}});
    EXPECT_EQ(graph.warnings,
              std::vector<std::string>{
                  "Shapes such as that of tensor 'y' stay unknown: they may follow from stored elements, which this "
                  "format does not hold; bind the dimensions when the model is converted."});
}

TEST(NativeJson, survivesCutsAtEveryByte) {
    const std::string text = writeNativeJson(oddGraph());
    for (std::size_t size = 0; size < text.size() - 2; ++size)
        EXPECT_THROW(readNativeJson(text.substr(0, size), "m.json"), DataError) << size;
}

}  // namespace
}  // namespace tessera::model
