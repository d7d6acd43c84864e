// Odd ONNX files through the program: what still has a meaning loads with a warning, what contradicts itself is refused
// with one sentence that names the file and the place in it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "tests/app/cli.h"
#include "tests/core/model/onnx_models.h"

namespace tessera::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

class Onnx : public Cli {
protected:
    Ended inspect(const OnnxModel& model) const {
        write("odd.onnx", model.bytes());
        return tessera({"model", "inspect", "odd.onnx", "--json"});
    }
    static std::vector<std::string> warningsIn(const Ended& ended) {
        return JsonDocument::parse(ended.output, "out").json().at("warnings").get<std::vector<std::string>>();
    }
};

struct Odd {
    const char* what;
    std::function<void(onnx::GraphProto&)> change;  ///< of x [2, 3] -> Relu 'relu' -> y
    std::string sentence;                           ///< of the error, or in the warnings
};

std::ostream& operator<<(std::ostream& stream, const Odd& odd) {
    return stream << odd.what;
}

/// Ten elements of float32, read by a node.
onnx::TensorProto& weight(onnx::GraphProto& graph) {
    addNode(graph, "Identity", {"w"}, {"z"}, "reads");
    return addWeight(graph, "w", {10});
}

class Contradiction : public Onnx, public testing::WithParamInterface<Odd> {};

TEST_P(Contradiction, endsWithOneSentenceAboutTheFile) {
    OnnxModel model = smallModel();
    GetParam().change(model.graph());
    const Ended ended = inspect(model);
    EXPECT_EQ(ended.code, 3);
    EXPECT_EQ(ended.errors, "odd.onnx: " + GetParam().sentence + "\n");
    EXPECT_EQ(ended.output, "");
}

const std::vector<Odd>& contradictions() {
    static const std::vector<Odd> kRows{
        {"data of half the element", [](auto& g) { weight(g).set_raw_data(std::string(20, 'x')); },
         "stored tensor 'w': found 20 bytes of data for 10 elements of float32; expected 40 bytes, or an element type "
         "of 2 bytes"},
        {"data of twice the element", [](auto& g) { weight(g).set_raw_data(std::string(80, 'x')); },
         "stored tensor 'w': found 80 bytes of data for 10 elements of float32; expected 40 bytes, or an element type "
         "of 8 bytes"},
        {"elements of another type",
         [](auto& g) {
             for (onnx::TensorProto& w = weight(g); w.int64_data_size() < 10;) w.add_int64_data(1);
         },
         "stored tensor 'w': found data in int64_data; expected it in float_data, where elements of float32 stand"},
        {"two kinds of data",
         [](auto& g) {
             onnx::TensorProto& w = weight(g);
             w.set_raw_data(std::string(40, 'x'));
             w.add_float_data(1);
         },
         "stored tensor 'w': found data in raw_data and in float_data; expected it in one of them"},
        {"raw text",
         [](auto& g) {
             onnx::TensorProto& w = weight(g);
             w.set_data_type(onnx::TensorProto::STRING);
             w.set_raw_data("x");
         },
         "stored tensor 'w': found data in raw_data; expected elements of string in string_data"},
        {"external data of half the element", [](auto& g) { putOutside(weight(g), "w.bin", "0", "20"); },
         "stored tensor 'w': found 20 bytes of external data for 10 elements of float32; expected 40 bytes, or an "
         "element type of 2 bytes"},
        {"negative offset", [](auto& g) { putOutside(weight(g), "w.bin", "-8", "40"); },
         "stored tensor 'w': found the offset '-8' of its external data; expected a whole number of bytes below 2^63"},
        {"offset in words", [](auto& g) { putOutside(weight(g), "w.bin", "here", ""); },
         "stored tensor 'w': found the offset 'here' of its external data; expected a whole number of bytes below "
         "2^63"},
        {"length beyond 64 bits", [](auto& g) { putOutside(weight(g), "w.bin", "0", "99999999999999999999"); },
         "stored tensor 'w': found the length '99999999999999999999' of its external data; expected a whole number of "
         "bytes below 2^63"},
        {"end beyond 64 bits", [](auto& g) { putOutside(weight(g), "w.bin", "9223372036854775800", "40"); },
         "stored tensor 'w': found external data of 40 bytes at the offset 9223372036854775800; expected an end below "
         "2^63 bytes"},
        {"end beyond 64 bits without a length",
         [](auto& g) { putOutside(weight(g), "/etc/w.bin", "9223372036854775800", ""); },
         "stored tensor 'w': found external data of 40 bytes at the offset 9223372036854775800; expected an end below "
         "2^63 bytes"},
        {"negative size",
         [](auto& g) {
             addWeight(g, "v", {4, -1});
         },
         "stored tensor 'v': found the dimension -1; expected 0 or above"},
        {"overflowing size",
         [](auto& g) {
             addWeight(g, "v", {1LL << 40, 1LL << 40});
         },
         "tensor 'v': found shape 1099511627776x1099511627776; expected at most 2^53 elements in a tensor"},
        {"negative size of a constant",
         [](auto& g) {
             onnx::TensorProto& tensor =
                 *addAttribute(addNode(g, "Constant", {}, {"c"}, "makes"), "value", onnx::AttributeProto::TENSOR)
                      .mutable_t();
             tensor.set_data_type(onnx::TensorProto::FLOAT);
             tensor.add_dims(-3);
         },
         "constant 'c': found the dimension -3; expected 0 or above"},
        {"constant of no type",
         [](auto& g) {
             onnx::NodeProto& node = addNode(g, "Constant", {}, {"c"}, "makes");
             addAttribute(node, "value", onnx::AttributeProto::TENSOR).mutable_t()->add_dims(3);
         },
         "constant 'c': found no element type; expected an element type"},
        {"sparse values beyond the shape",
         [](auto& g) {
             onnx::SparseTensorProto& sparse = *g.add_sparse_initializer();
             sparse.mutable_values()->set_name("s");
             sparse.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
             sparse.mutable_values()->add_dims(16);
             for (const std::int64_t size : {3, 5}) sparse.add_dims(size);
         },
         "stored tensor 's': found 16 values for a shape of 15 elements; expected at most one value for each element"},
        {"negative number of sparse values",
         [](auto& g) {
             onnx::SparseTensorProto& sparse = *g.add_sparse_initializer();
             sparse.mutable_values()->set_name("s");
             sparse.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
             sparse.mutable_values()->add_dims(-1);
             sparse.add_dims(3);
         },
         "stored tensor 's': found the dimension -1; expected 0 or above"},
    };
    return kRows;
}

std::string testName(const testing::TestParamInfo<Odd>& test) {
    std::string name = test.param.what;
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(Rows, Contradiction, testing::ValuesIn(contradictions()), testName);

class Oddity : public Onnx, public testing::WithParamInterface<Odd> {};

TEST_P(Oddity, loadsWithAWarning) {
    OnnxModel model = smallModel();
    GetParam().change(model.graph());
    const Ended ended = inspect(model);
    EXPECT_EQ(ended.code, 0) << ended.errors;
    EXPECT_THAT(warningsIn(ended), Contains(GetParam().sentence));
    // People see the same.
    EXPECT_THAT(tessera({"model", "inspect", "odd.onnx"}).errors, HasSubstr(GetParam().sentence));
}

const std::vector<Odd>& oddities() {
    static const std::vector<Odd> kRows{
        {"data that is cut off", [](auto& g) { weight(g).set_raw_data(std::string(37, 'x')); },
         "Stored tensor 'w' has 37 bytes of data for 10 elements of float32."},
        {"elements that are too few", [](auto& g) { weight(g).add_float_data(1); },
         "Stored tensor 'w' has data of 1 elements for a shape of 10."},
        {"external data that is too long", [](auto& g) { putOutside(weight(g), "w.bin", "0", "44"); },
         "Stored tensor 'w' has 44 bytes of external data for 10 elements of float32."},
        {"absolute location", [](auto& g) { putOutside(weight(g), "/etc/passwd", "0", "40"); },
         "Stored tensor 'w' has the absolute location '/etc/passwd'; external data is never opened."},
        {"declared type",
         [](auto& g) {
             weight(g);
             addInput(g, "w", {10}, onnx::TensorProto::INT64);
         },
         "Tensor 'w' is declared as int64 but is float32, which is used."},
        {"computed target of a reshape",
         [](auto& g) {
             addInput(g, "target", {2}, onnx::TensorProto::INT64);
             addNode(g, "Reshape", {"x", "target"}, {"z"}, "r");
         },
         "Node 'r' (Reshape): the shape of its output 'z' does not follow from those of its inputs; what depends on it "
         "is not counted."},
        {"name that is not UTF 8", [](auto& g) { addNode(g, "Relu", {"x"}, {"z"}, "caf\xE9"); },
         "The name 'caf\\xE9' is not UTF-8; its bytes are kept, and shown escaped."},
        {"domain that is not declared", [](auto& g) { addNode(g, "Fancy", {"x"}, {"z"}, "f").set_domain("com.acme"); },
         "Node 'f' (Fancy) is of the domain 'com.acme', which the file's opset imports do not name."},
        {"element type of a later version", [](auto& g) { weight(g).set_data_type(99); },
         "Stored tensor 'w' has the unknown element type 99."},
    };
    return kRows;
}

INSTANTIATE_TEST_SUITE_P(Rows, Oddity, testing::ValuesIn(oddities()), testName);

/// x [1, inputs] -> MatMul 'wide' with a weight -> y.
OnnxModel wideModel(std::int64_t inputs, std::int64_t outputs) {
    OnnxModel model;
    addInput(model.graph(), "x", {1, inputs});
    addWeight(model.graph(), "w", {inputs, outputs});
    addNode(model.graph(), "MatMul", {"x", "w"}, {"y"}, "wide");
    addOutput(model.graph(), "y");
    return model;
}

TEST_F(Onnx, jobsThatAreTooLargeEndAtTheirLayer) {
    write("wide.onnx", wideModel(16, 3'000'000'000).bytes());
    write("w.json", R"({"schema": "tessera.workload/1", "name": "w", "draw": "in-order", "models": [
{"model": "wide.onnx"}]})");
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{"map", "--platform", "S2", "--workload", "wide.onnx", "--no-store"},
                                               {"map", "--platform", "S2", "--workload", "w.json", "--no-store"},
                                               {"cost", "--jobs", "wide.onnx", "--dataflow", "nvdla", "--pes", "64"}}) {
        const Ended ended = tessera(command);
        EXPECT_EQ(ended.code, 3) << ended.errors;
        EXPECT_EQ(ended.errors,
                  "wide.onnx: layer 'wide': found a job with K of 3000000000; expected sizes from 1 to 2147483647\n");
    }
    write("wide.onnx", wideModel(16, 2'147'483'647).bytes());
    EXPECT_EQ(tessera({"cost", "--jobs", "wide.onnx", "--dataflow", "nvdla", "--pes", "64"}).code, 0);
}

TEST_F(Onnx, warningsReachEveryEngine) {
    OnnxModel model = wideModel(64, 32);
    model.graph().mutable_initializer(0)->set_raw_data("cut");
    write("odd.onnx", model.bytes());
    const std::string warning = "Stored tensor 'w' has 3 bytes of data for 2048 elements of float32.";
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"model", "inspect", "odd.onnx"},
             {"partition", "--model", "odd.onnx", "--fleet", "accpar-homogeneous", "--batch", "1", "--no-store"},
             {"map", "--platform", "S2", "--workload", "odd.onnx", "--samples", "20", "--no-store"},
             {"cost", "--jobs", "odd.onnx", "--dataflow", "nvdla", "--pes", "64"},
             {"predict", "--model", "odd.onnx", "--accelerator", "a100", "--batch", "1", "--no-store"}}) {
        const Ended ended = tessera(with(command, {"--json"}));
        ASSERT_EQ(ended.code, 0) << command[0] << ended.errors;
        EXPECT_THAT(warningsIn(ended), Contains(warning)) << command[0];
    }
}

}  // namespace
}  // namespace tessera::test
