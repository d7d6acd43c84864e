#include "core/model/model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/model/jobs.h"
#include "tests/core/model/onnx_models.h"
#include "tests/support/paths.h"
#include "tests/support/scratch_folder.h"

namespace tessera::model {

namespace {

/// A file that lives as long as the test.
class TemporaryFile {
public:
    TemporaryFile(const std::string& name, const std::string& bytes) : path_(folder_ / name) {
        std::ofstream(path_, std::ios::binary) << bytes;
    }
    std::string path() const { return path_.string(); }

private:
    test::ScratchFolder folder_;
    std::filesystem::path path_;
};

const std::string kTable =
    R"({"schema": "tessera.layers/1", "name": "small", "layers": [
        {"name": "c", "kind": "conv", "in_channels": 3, "out_channels": 8, "in_height": 6, "in_width": 6,
         "conv_height": 4, "conv_width": 4, "out_height": 2, "out_width": 2, "kernel_height": 3, "kernel_width": 3},
        {"name": "d", "kind": "conv", "in_channels": 8, "out_channels": 8, "in_height": 2, "in_width": 2,
         "conv_height": 2, "conv_width": 2},
        {"name": "j", "kind": "add", "channels": 8, "height": 2, "width": 2},
        {"name": "f", "kind": "fc", "in_channels": 32, "out_channels": 10}],
        "edges": [["c", "d"], ["d", "j"], ["c", "j"], ["j", "f"]]})";

}  // namespace

TEST(Model, isLoadedFromALayerTable) {
    const TemporaryFile file("small_model.json", kTable);
    const Model model = loadModel(file.path());
    EXPECT_EQ(model.name, "small");
    EXPECT_EQ(model.source, file.path());
    EXPECT_EQ(model.sha256, sha256(kTable));
    EXPECT_EQ(model.graph(), nullptr);
    EXPECT_EQ(layerGraph(model).layers.size(), 4U);
}

TEST(Model, namesItsFileWhereAShapeThatIsNeededIsUnknown) {
    test::OnnxModel onnx;
    test::addInput(onnx.graph(), "x", {2, 4});
    test::addInput(onnx.graph(), "target", {2}, onnx::TensorProto::INT64);
    test::addWeight(onnx.graph(), "w", {4, 5});
    test::addNode(onnx.graph(), "Reshape", {"x", "target"}, {"y"}, "reshape");
    test::addNode(onnx.graph(), "MatMul", {"y", "w"}, {"z"}, "product");
    test::addOutput(onnx.graph(), "z");
    const TemporaryFile file("data-dependent.onnx", onnx.bytes());
    const Model model = loadModel(file.path());
    const std::string expected = file.path() +
                                 ": tensor 'z': found shape ?x5; expected a known shape (it depends on data, or on an "
                                 "operator that is not known)";
    const auto refusal = [](const auto& work) {
        try {
            work();
        } catch (const DataError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(refusal([&] { layerGraph(model); }), expected);
    EXPECT_EQ(refusal([&] { jobsOf(model, 1); }), expected);
}

TEST(Model, isRefusedWhereItsFileCannotBeRead) {
    EXPECT_THROW(loadModel("/no/such/model.onnx"), FileError);
}

TEST(Model, ofALayerTableHasCountsPerBatch) {
    const TemporaryFile file("counted_model.json", kTable);
    const Summary summary = summarise(layerGraph(loadModel(file.path())), 10);
    EXPECT_EQ(summary.parameters, 3 * 8 * 9 + 8 * 8 + 320);
    EXPECT_EQ(summary.macs, 10 * (8 * 16 * 27 + 8 * 4 * 8 + 320));
    EXPECT_EQ(summary.flopsMatrix, 2 * *summary.macs);
    EXPECT_EQ(summary.flopsVector, 10 * 32);
    EXPECT_EQ(summary.activationElements, 10 * ((128 + 32) + 32 + 32 + 10));
    EXPECT_EQ(summary.operators, 4);
    EXPECT_EQ(summary.weightedLayers, 3);
    EXPECT_EQ(summary.batch, 10);
    ASSERT_EQ(summary.inputs.size(), 1U);
    EXPECT_EQ(toText(summary.inputs[0].shape), "10x3x6x6");
    ASSERT_EQ(summary.outputs.size(), 1U);
    EXPECT_EQ(toText(summary.outputs[0].shape), "10x10");
}

TEST(Model, hasNoCountWhereItDoesNotFit) {
    LayerGraph graph;
    for (int i = 0; i < 2; ++i) {
        Layer layer;
        layer.name = std::to_string(i);
        layer.inChannels = 0x1p50;
        layer.conv = layer.out = {2, 1};
        graph.layers.push_back(layer);
    }
    completeLayerGraph(graph, "g");
    EXPECT_EQ(summarise(graph, 1).macs, std::int64_t{1} << 52);
    EXPECT_EQ(summarise(graph, 1 << 20).macs, std::nullopt);
    EXPECT_EQ(summarise(graph, 1 << 20).parameters, std::int64_t{1} << 51);
}

TEST(Model, layerTablesSayThatTheyHaveNoOpenDimensions) {
    std::vector<std::string> tables;
    for (const auto& entry : std::filesystem::directory_iterator(test::sourcePath("tests/data/tables")))
        tables.push_back(entry.path().string());
    ASSERT_FALSE(tables.empty());
    const TemporaryFile layers("layers.json", kTable);
    tables.push_back(layers.path());
    for (const std::string& table : tables) {
        std::string message;
        try {
            loadModel(table, {.batch = {}, .dimensions = {{"seq", 2}}});
        } catch (const UsageError& error) {
            message = error.what();
        } catch (const DataError&) {
            continue;  // a table that cannot be read at all
        }
        EXPECT_EQ(message, table + " has no dimension 'seq'; all of its dimensions are fixed");
    }
}

}  // namespace tessera::model
