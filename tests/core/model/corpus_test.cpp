// The ONNX corpus against reference.csv, whose counts come from an independent script. Everything is exact.

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/model/model.h"
#include "core/model/readers/native_json.h"
#include "core/model/readers/onnx.h"
#include "tests/support/paths.h"

namespace tessera::model {
namespace {

struct Row {
    std::map<std::string, std::string> cells;

    std::string file() const { return cells.at("file"); }
    std::int64_t number(const std::string& column) const { return std::stoll(cells.at(column)); }
    bool isLight() const { return file().starts_with("onnx_light/"); }
    std::filesystem::path path() const {
        return isLight() ? test::sharedPath("models/" + file()) : test::sourcePath("tests/data/models/" + file());
    }
};

std::ostream& operator<<(std::ostream& stream, const Row& row) {
    return stream << row.file();
}

std::vector<std::string> cellsOf(const std::string& line) {
    std::vector<std::string> cells;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    if (!cells.empty() && cells.back().ends_with('\r')) cells.back().pop_back();
    return cells;
}

std::vector<Row> rows() {
    std::ifstream stream(test::sourcePath("tests/data/models/reference.csv"));
    std::string line;
    std::getline(stream, line);
    const std::vector<std::string> header = cellsOf(line);
    std::vector<Row> rows;
    while (std::getline(stream, line)) {
        const std::vector<std::string> cells = cellsOf(line);
        Row row;
        for (std::size_t i = 0; i < header.size(); ++i) row.cells[header[i]] = cells.at(i);
        rows.push_back(row);
    }
    return rows;
}

/// The one difference: the rotary tables (cosine and sine) of Llama-like files are stored like weights, and nothing in
/// the file tells that they are not trained. They count as parameters, as the definition asks.
std::int64_t parametersOf(const Row& row) {
    return row.number("float_init_elems") - row.number("bn_running_elems");
}

class Corpus : public testing::TestWithParam<Row> {};

TEST_P(Corpus, agreesWithTheReferenceCounts) {
    const Row& row = GetParam();
    if (row.isLight()) TESSERA_NEEDS_SHARED("models/onnx_light");
    const Graph graph = readOnnx(readFile(row.path()), row.file());
    const Summary summary = summarise(graph);
    EXPECT_EQ(summary.parameters, parametersOf(row));
    EXPECT_EQ(parametersOf(row) - row.number("params"), row.file() == "llama2_7b.onnx" ? 524288 : 0);
    EXPECT_EQ(summary.macs, row.number("macs_with_rnn"));
    EXPECT_EQ(summary.flopsMatrix, 2 * row.number("macs_with_rnn"));
    EXPECT_EQ(summary.activationElements, row.number("act_elems"));
    EXPECT_EQ(summary.operators, row.number("nodes_noconst"));
    EXPECT_EQ(summary.weightedLayers, row.number("weighted_layers"));
}

std::string shown(const Tensor& tensor) {
    return tensor.name + ":" + toText(tensor.shape);
}

std::string shown(const std::vector<Tensor>& tensors) {
    std::string text;
    for (const Tensor& tensor : tensors) text += (text.empty() ? "" : ";") + shown(tensor);
    return text;
}

TEST_P(Corpus, hasTheReferencesInputsAndOutputs) {
    const Row& row = GetParam();
    if (row.isLight()) TESSERA_NEEDS_SHARED("models/onnx_light");
    const Summary summary = summarise(readOnnx(readFile(row.path()), row.file()));
    EXPECT_EQ(shown(summary.inputs), row.cells.at("inputs"));
    EXPECT_EQ(shown(summary.outputs), row.cells.at("outputs"));
}

TEST_P(Corpus, survivesTheNativeFormat) {
    const Row& row = GetParam();
    if (row.isLight()) TESSERA_NEEDS_SHARED("models/onnx_light");
    const std::string text = writeNativeJson(readOnnx(readFile(row.path()), row.file()));
    EXPECT_EQ(writeNativeJson(readNativeJson(text, "model.json")), text);
}

INSTANTIATE_TEST_SUITE_P(Files, Corpus, testing::ValuesIn(rows()), [](const testing::TestParamInfo<Row>& test) {
    std::string name = test.param.file();
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return name;
});

TEST(CorpusFiles, loadWithoutWarningsWhereNothingIsOdd) {
    for (const char* file : {"resnet50.onnx", "bert_large_512.onnx", "gpt2_small.onnx", "lstm_ptb.onnx", "unet.onnx"}) {
        const Graph graph = readOnnx(readFile(test::sourcePath(std::string("tests/data/models/") + file)), file);
        EXPECT_EQ(graph.warnings, std::vector<std::string>{}) << file;
    }
}

/// The same counts as with the fixed sequence length that the file was exported with.
TEST(CorpusFiles, countTheSameWithABoundSymbol) {
    for (const char* file : {"bert_large_512.onnx", "gpt2_small.onnx"}) {
        const std::string bytes = readFile(test::sourcePath(std::string("tests/data/models/") + file));
        const Summary fixed = summarise(readOnnx(bytes, file));
        onnx::ModelProto proto;
        ASSERT_TRUE(proto.ParseFromString(bytes));
        std::int64_t length = 0;
        for (onnx::ValueInfoProto& input : *proto.mutable_graph()->mutable_input()) {
            auto& dimension = *input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1);
            length = dimension.dim_value();
            dimension.set_dim_param("S");
        }
        const Summary bound =
            summarise(readOnnx(proto.SerializeAsString(), file, {.batch = {}, .dimensions = {{"S", length}}}));
        EXPECT_EQ(bound.macs, fixed.macs) << file;
        EXPECT_EQ(bound.activationElements, fixed.activationElements) << file;
        const Summary unbound = summarise(readOnnx(proto.SerializeAsString(), file));
        EXPECT_EQ(unbound.macs, std::nullopt) << file;
        EXPECT_EQ(unbound.parameters, fixed.parameters) << file;
    }
}

TEST(CorpusFiles, scaleWithTheBatch) {
    const std::string bytes = readFile(test::sourcePath("tests/data/models/resnet18.onnx"));
    const Graph graph = readOnnx(bytes, "resnet18.onnx", {.batch = 8, .dimensions = {}});
    EXPECT_EQ(graph.batch, 8);
    EXPECT_EQ(summarise(graph).macs, 8 * 1814073344LL);
    EXPECT_EQ(summarise(graph).activationElements, 8 * 8230888LL);
}

}  // namespace
}  // namespace tessera::model
