#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/model/layers.h"
#include "core/model/readers/accpar_text.h"
#include "core/model/readers/layer_csv.h"
#include "core/model/readers/layers_json.h"
#include "core/model/readers/readers.h"
#include "tests/support/accpar_cases.h"
#include "tests/support/schema.h"

namespace tessera::model {

namespace {

LayerGraph read(const std::string& file, const std::string& bytes) {
    return std::get<LayerGraph>(readerFor(bytes, file).read(bytes, file, {}));
}

std::string message(const std::string& file, const std::string& bytes) {
    try {
        read(file, bytes);
    } catch (const DataError& error) {
        return error.what();
    }
    return "no error";
}

/// A layers.json text around a list of layers and further fields.
std::string json(const std::string& layers, const std::string& more = "") {
    return "{\"schema\": \"tessera.layers/1\",\n\"name\": \"net\",\n\"layers\": [\n" + layers + "]" + more + "}\n";
}

const std::string kFc = R"({"name": "a", "kind": "fc", "in_channels": 3, "out_channels": 4})";
const std::string kFcB = R"({"name": "b", "kind": "fc", "in_channels": 4, "out_channels": 5})";
const std::string kAdd = R"({"name": "j", "kind": "add", "channels": 4})";

const std::string kAccpar =
    "num_layers 2\nconv1 CONV\nin_ch 3\nin_fmap_h 224\nin_fmap_w 224\nkernel 3\nout_ch 64\nout_fmap_h 112\n"
    "out_fmap_w 112\npool 2\nfc1 FC\nin_ch 802816\nout_ch 10\n";
const std::string kM3e =
    "0,0,64,3,226,226,3,3,1\n0,1,1,64,114,114,3,3,2\n1,0,128,512,256,1,1,1,3\n1,1,10,20,1,1,1,1,0\n";
const std::string kMaestro = "K,C,Y,X,R,S,T\n64,3,226,226,3,3,1\n1,64,114,114,3,3,2\n128,512,256,1,1,1,3\n";
const std::string kScaleSim =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
    "Conv1, 229, 229, 7, 7, 3, 64, 2,\nFC, 1, 1, 1, 1, 512, 1000, 1,\n";
const std::string kScaleSimProducts = "Layer, M, N, K,\nqkv, 128, 2304, 768,\n";

LayerGraph randomGraph(RandomStream& random) {
    LayerGraph graph;
    graph.name = "random \"net\" \xC3\xA9";
    const auto size = [&](std::uint64_t max) { return static_cast<double>(1 + random.below(max)); };
    const auto count = static_cast<std::int32_t>(1 + random.below(12));
    for (std::int32_t i = 0; i < count; ++i) {
        Layer layer;
        layer.name = "layer, " + std::to_string(i);
        const bool join = i >= 2 && random.below(3) == 0;
        layer.kind = join                   ? (random.below(2) == 0 ? LayerKind::add : LayerKind::concat)
                     : random.below(2) == 0 ? LayerKind::conv
                                            : LayerKind::fc;
        layer.outChannels = 6 * size(100);
        layer.inChannels = join ? layer.outChannels : 6 * size(100);
        layer.in = {size(30), size(30)};
        layer.conv = join ? layer.in : Map{size(30), size(30)};
        layer.out = join ? layer.in : random.below(2) == 0 ? layer.conv : Map{size(9), size(9)};
        if (!join) layer.kernel = {size(7), size(7)};
        if (!join && random.below(2) == 0) layer.groups = size(3);
        graph.layers.push_back(layer);
        if (join) {
            const auto first = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(i)));
            graph.edges.push_back({first, i, 0});
            graph.edges.push_back({(first + 1) % i, i, 0});
        } else if (i > 0 && random.below(4) != 0) {
            graph.edges.push_back({static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(i))), i, 0});
        }
    }
    completeLayerGraph(graph, "random");
    return graph;
}

}  // namespace

TEST(LayersJson, readsLayersJoinsAndEdges) {
    const LayerGraph graph = read("n.json", R"({"edges": [["c", "j"], ["c", "d"], ["d", "j"], ["j", "f"]],
        "layers": [
          {"name": "f", "kind": "fc", "in_channels": 400, "out_channels": 10},
          {"name": "j", "kind": "concat", "channels": 24, "height": 5, "width": 6},
          {"name": "c", "kind": "conv", "in_channels": 4, "out_channels": 8.0, "in_height": 9, "in_width": 8,
           "conv_height": 7, "conv_width": 6, "out_height": 3, "kernel_height": 3, "kernel_width": 2, "groups": 2},
          {"name": "d", "kind": "conv", "in_channels": 8, "out_channels": 16}],
        "schema": "tessera.layers/1"})");
    EXPECT_EQ(graph.name, "n");
    ASSERT_EQ(graph.layers.size(), 4U);
    const Layer& conv = graph.layers[0];
    EXPECT_EQ(conv.name, "c");
    EXPECT_EQ(conv.in, (Map{9, 8}));
    EXPECT_EQ(conv.conv, (Map{7, 6}));
    EXPECT_EQ(conv.out, (Map{3, 6}));
    EXPECT_EQ(conv.kernel, (Map{3, 2}));
    EXPECT_EQ(conv.groups, 2);
    EXPECT_EQ(graph.layers[1].out, (Map{1, 1}));
    // In the file's order; into `concat` the producer's own map, into a layer what it reads.
    EXPECT_EQ(graph.edges, (std::vector<LayerEdge>{{0, 2, 8 * 18}, {0, 1, 8}, {1, 2, 16}, {2, 3, 400}}));
}

TEST(LayersJson, withoutEdgesIsAChain) {
    const LayerGraph graph = read("n.json", json(kFc + ",\n" + kFcB));
    EXPECT_EQ(graph.edges, (std::vector<LayerEdge>{{0, 1, 4}}));
    EXPECT_TRUE(read("n.json", json(kFc + ",\n" + kFcB, ",\"edges\": []")).edges.empty());
}

TEST(LayersJson, saysWhereAndWhatIsWrong) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {json(R"({"name": "a", "kind": "fc", "in_channels": 8.5, "out_channels": 4})"),
         "n.json:4: field 'layers[0].in_channels' is '8.5'; expected a whole number above 0"},
        {json(R"({"name": "a", "kind": "fc", "in_channels": 0, "out_channels": 4})"),
         "n.json:4: field 'layers[0].in_channels' is '0'; expected a whole number above 0"},
        {json(R"({"name": "a", "kind": "fc", "in_channels": 8})"),
         "n.json:4: field 'layers[0].out_channels' is missing; expected the field to be given"},
        {json(R"({"name": "a", "kind": "FC", "in_channels": 8, "out_channels": 1})"),
         "n.json:4: field 'layers[0].kind' is 'FC'; expected one of fc, conv, add, concat"},
        {json(R"({"name": "a", "kind": "fc", "in_channels": 8, "out_channels": 1, "in_heigth": 2})"),
         "n.json:4: field 'layers[0].in_heigth' is unknown; expected 'in_height' perhaps"},
        {json(R"({"name": "a", "kind": "conv", "in_channels": 8, "out_channels": 4, "groups": 3})"),
         "n.json:4: field 'layers[0].groups' is '3'; expected a divisor of in_channels and out_channels"},
        {json(R"({"name": "", "kind": "fc", "in_channels": 8, "out_channels": 4})"),
         "n.json:4: field 'layers[0].name' is ''; expected a name that is not empty"},
        {json(R"({"name": "a", "kind": "fc", "in_channels": 100000000, "out_channels": 100000000})"),
         "n.json:4: field 'layers[0]' is a tensor of 1e+16 elements in layer 'a'; expected at most 2^53 elements in a "
         "tensor"},
        {json(""), "n.json:3: field 'layers' is an empty list; expected at least one layer"},
        {json(kFc + ",\n" + kFc),
         "n.json:5: field 'layers[1].name' is 'a'; expected a name that no other layer or join has"},
        {json(kFc, R"(, "edges": [["a", "A"]])"),
         "n.json:4: field 'edges[0][1]' is 'A'; expected the name of a layer or join, 'a' perhaps"},
        {json(kFc, R"(, "edges": [["a", "a"]])"),
         "n.json:4: field 'edges[0]' is 'a' twice; expected two different names"},
        {json(kFc, R"(, "edges": [["a"]])"),
         "n.json:4: field 'edges[0]' is a list of 1; expected two names, [from, to]"},
        {json(kFc + "," + kFcB, ",\n\"edges\": [[\"a\", \"b\"],\n[\"a\", \"b\"]]"),
         "n.json:6: field 'edges[1]' is the edge 'a' -> 'b' again; expected every edge once"},
        {json(kFc + "," + kFcB, ",\n\"edges\": [[\"a\", \"b\"],\n[\"b\", \"a\"]]"),
         "n.json:5: field 'edges' is a cycle: 'a' -> 'b' -> 'a'; expected edges that never lead back to a layer"},
        {json(kFc + ",\n" + kAdd),
         "n.json:5: field 'layers[1]' is 'j' with 1 edge into it; expected at least 2 edges "
         "into a join"},
        {json(kFc + ",\n" + kFcB + R"(,{"name": "c", "kind": "fc", "in_channels": 4, "out_channels": 5})",
              R"(, "edges": [["a", "c"], ["b", "c"]])"),
         "n.json:5: field 'layers[2]' is 'c' with 2 edges into it; expected at most 1 edge into a layer (more meet in "
         "a "
         "join)"},
        {json(kFc, ", \"batch\": 4"),
         "n.json:4: field 'batch' is unknown; expected one of schema, name, layers, edges"},
        {"{\n\"schema\": \"tessera.layer/1\"}", "n.json:2: field 'schema' is 'tessera.layer/1'; expected "},
        {"{\n\"schema\": \"tessera.layers/2\"}",
         "n.json:2: field 'schema' is 'tessera.layers/2'; expected an older version: tessera.layers/2 is newer than "
         "this "
         "program, which reads up to tessera.layers/1"},
        {"{\n\"layers\": []}", "n.json:1: field 'schema' is missing; expected the field to be given"},
        {"{\n\"layers\": [}",
         "n.json:2:12: found '}'; expected a value: an object, a list, a text in double quotes, a number, true, false "
         "or null"},
    };
    for (const auto& [text, expected] : cases) EXPECT_EQ(message("n.json", text).substr(0, expected.size()), expected);
}

TEST(LayersJson, readsBackWhatItWrites) {
    RandomStream random(7);
    for (int i = 0; i < 300; ++i) {
        const LayerGraph graph = randomGraph(random);
        ASSERT_EQ(readLayersJson(writeLayersJson(graph), "r.json"), graph);
    }
}

TEST(LayersJson, agreesWithItsSchema) {
    RandomStream random(8);
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(writeLayersJson(randomGraph(random))), "layers.schema.json"),
                  "");
    std::ifstream stream(test::sourcePath("tests/data/tables/residual.json"));
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(stream), "layers.schema.json"), "");
    EXPECT_NE(test::schemaErrors(nlohmann::json::parse(json(kFc, ", \"batch\": 4")), "layers.schema.json"), "");
}

TEST(LayersJson, readsTheNetworksOfTheAccparCases) {
    for (const auto& path : test::accparCases()) {
        const LayerGraph graph = test::loadAccparCase(path).graph;
        if (graph.layers.empty()) continue;
        ASSERT_EQ(readLayersJson(writeLayersJson(graph), "case.json"), graph) << path;
    }
}

TEST(LayersJson, refusesToWriteWhatItCannotHold) {
    LayerGraph graph;
    graph.layers.resize(1);
    graph.layers[0].name = "p";
    graph.layers[0].inChannels = 1.5;
    EXPECT_THROW(writeLayersJson(graph), UsageError);
    graph.layers[0].inChannels = 1;
    graph.layers[0].kind = LayerKind::product;
    EXPECT_THROW(writeLayersJson(graph), UsageError);
}

TEST(AccparText, readsLayersWithTheirPooling) {
    const LayerGraph graph = read("net.txt", kAccpar);
    EXPECT_EQ(graph.name, "net");
    ASSERT_EQ(graph.layers.size(), 2U);
    const Layer& conv = graph.layers[0];
    EXPECT_EQ(conv.name, "conv1");
    EXPECT_EQ(conv.in, (Map{224, 224}));
    EXPECT_EQ(conv.conv, (Map{224, 224}));
    EXPECT_EQ(conv.out, (Map{112, 112}));
    EXPECT_EQ(conv.kernel, (Map{3, 3}));
    EXPECT_EQ(graph.layers[1].kind, LayerKind::fc);
    EXPECT_EQ(graph.edges, (std::vector<LayerEdge>{{0, 1, 802816}}));
}

TEST(AccparText, toleratesCommentsBlanksAndLineEnds) {
    const std::string text =
        "\xEF\xBB\xBF# a comment\r\n\r\n  num_layers : 1 ,,\r\n\tfc FC // the only one\r\nout_ch=10\r\nin_ch, 20,";
    const LayerGraph graph = read("net.txt", text);
    ASSERT_EQ(graph.layers.size(), 1U);
    EXPECT_EQ(graph.layers[0].inChannels, 20);
}

TEST(AccparText, saysWhereAndWhatIsWrong) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"num_layers 1\nfc FC\nin_ch 4\nout_ch x\n", "n.txt:4:8: found 'x'; expected a whole number above 0 (out_ch)"},
        {"num_layers 1\nfc FC\nin_ch 4\n",
         "n.txt:2:1: found layer 'fc' without 'out_ch'; expected the field to be given"},
        {"num_layers 2\nfc FC\nin_ch 4\nout_ch 3",
         "n.txt:1:12: found '2' and 1 layers; expected as many layers as "
         "num_layers says"},
        {"num_layers 1\nin_ch 4\n", "n.txt:2:7: found '4'; expected CONV or FC after a layer's name"},
        {"num_layers 1\nfc FC\n kernel 4\n",
         "n.txt:3:2: found 'kernel'; expected a field of a FC layer (in_ch, out_ch) or NAME CONV or NAME FC"},
        {"num_layers 1\nfc FC\nin_ch 4\nin_ch 4\n",
         "n.txt:4:1: found 'in_ch' twice in one layer; expected every field "
         "once"},
        {"num_layers 1\nfc FC\nin_ch\n",
         "n.txt:3:1: found 'in_ch' alone; expected two words a line: a field and its number, or a name and CONV or FC"},
        {"layers 1\n", "n.txt:1:1: found 'layers'; expected num_layers and a number first"},
        {"num_layers 2\na FC\nin_ch 4\nout_ch 3\na FC\n",
         "n.txt:5:1: found 'a' twice; expected every layer's name once"},
    };
    for (const auto& [text, expected] : cases) EXPECT_EQ(message("n.txt", text), expected);
}

TEST(M3eTable, readsItsFourTypesOfRows) {
    const LayerGraph graph = read("jobs.csv", kM3e);
    ASSERT_EQ(graph.layers.size(), 4U);
    const Layer& conv = graph.layers[0];
    EXPECT_EQ(conv.name, "thread0.layer0");
    EXPECT_EQ(conv.kind, LayerKind::conv);
    EXPECT_EQ(conv.inChannels, 3);
    EXPECT_EQ(conv.outChannels, 64);
    EXPECT_EQ(conv.conv, (Map{224, 224}));
    EXPECT_EQ(macsPerSample(conv), 64.0 * 3 * 9 * 224 * 224);
    const Layer& depthwise = graph.layers[1];
    EXPECT_EQ(depthwise.groups, 64);
    EXPECT_EQ(depthwise.outChannels, 64);
    EXPECT_EQ(macsPerSample(depthwise), 64.0 * 9 * 112 * 112);
    const Layer& product = graph.layers[2];
    EXPECT_EQ(product.kind, LayerKind::fc);
    EXPECT_EQ(macsPerSample(product), 128.0 * 512 * 256);
    EXPECT_EQ(weightElements(product), 512.0 * 256);
    EXPECT_EQ(inElements(product), 128.0 * 256);
    const Layer& dense = graph.layers[3];
    EXPECT_EQ(dense.inChannels, 20);
    EXPECT_EQ(dense.outChannels, 10);
    EXPECT_EQ(graph.edges.size(), 3U);
    EXPECT_EQ(graph.assumptions,
              (std::vector<std::string>{
                  "The file lists no connections: its layers are taken as a chain in file order.",
                  "Convolutions are read with stride 1 and without padding: the output map is Y-R+1 by X-S+1.",
                  "Depthwise rows make as many channels as they read; their K is not used."}));
}

TEST(M3eTable, toleratesBlankColumnsCommentsAndLineEnds) {
    const std::string text =
        "\xEF\xBB\xBF# jobs\r\n,,,\r\n 0 ,0,, 10,20.0,1,1,1,1,0,,,\r\n\r\n0,0,10,20,1,1,1,1,0 # again";
    const LayerGraph graph = read("jobs.csv", text);
    ASSERT_EQ(graph.layers.size(), 2U);
    EXPECT_EQ(graph.layers[1].name, "thread0.layer0 (2)");
}

TEST(M3eTable, saysWhereAndWhatIsWrong) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"0,0,10,20,1,1,1,1,0\n0,1,10,-2,1,1,1,1,0\n", "j.csv:2:8: found '-2'; expected a whole number above 0 (d1)"},
        {"0,0,10,20,1,1,1,1,0\n0,1,10,1.5,1,1,1,1,0\n", "j.csv:2:8: found '1.5'; expected a whole number above 0 (d1)"},
        {"0,0,10,20,1,1,1,1,0\n0,1,10,nan,1,1,1,1,0\n", "j.csv:2:8: found 'nan'; expected a whole number above 0 (d1)"},
        {"0,0,10,20,1,1,1,1,4\n",
         "j.csv:1:19: found '4'; expected a layer type T: 0 (FFN), 1 (CONV), 2 (DSCONV) or 3 (GEMM)"},
        {"0,0,10,20,2,1,1,1,0\n", "j.csv:1:11: found '2'; expected 1 in this type of row"},
        {"0,0,10,20,2,2,3,1,1\n", "j.csv:1:15: found '3'; expected a window of at most Y = 2"},
        {"0,0,10,20,1,1,1,1,0\n0,1,10\n", "j.csv:2: found 3 values; expected 9 values: thread, layer, d0 to d5, T"},
        {"0,0,1e17,20,1,1,1,1,0\n", "j.csv:1:5: found '1e17'; expected a number of at most 2^53 (d0)"},
        {"0,0,64,1e10,1,1,1,1,0\n", "j.csv:1:8: found '1e10'; expected a number of at most 2147483647 (d1)"},
        {"0,0,2147483647,2147483647,1,1,1,1,0\n",
         "j.csv:1: found a tensor of 4.612e+18 elements in layer 'thread0.layer0'; expected at most 2^53 elements in a "
         "tensor"},
    };
    for (const auto& [text, expected] : cases) EXPECT_EQ(message("j.csv", text), expected);
}

TEST(MaestroTable, readsColumnsInAnyOrder) {
    const LayerGraph graph = read("m.csv", kMaestro);
    ASSERT_EQ(graph.layers.size(), 3U);
    EXPECT_EQ(graph.layers[0].conv, (Map{224, 224}));
    EXPECT_EQ(graph.layers[1].groups, 64);
    EXPECT_EQ(macsPerSample(graph.layers[2]), 128.0 * 512 * 256);
    const LayerGraph mixed = read("m.csv", "S,R,,C,K,T,X,Y,\n1,3,,7,5,DSCONV,10,20,\n");
    EXPECT_EQ(mixed.layers[0].outChannels, 7);
    EXPECT_EQ(mixed.layers[0].conv, (Map{18, 10}));
}

TEST(MaestroTable, saysWhereAndWhatIsWrong) {
    EXPECT_EQ(message("m.csv", "K,C,Y,X,R,S,T\n1,2,3\n"),
              "m.csv:2:6: found nothing; expected a whole number above 0 (X)");
    EXPECT_EQ(message("m.csv", "K,C,Y,X,R,S,T\n"), "m.csv: found no layers; expected at least one layer");
}

TEST(ScaleSimTopology, readsConvolutionsWithTheirStride) {
    const LayerGraph graph = read("s.csv", kScaleSim);
    ASSERT_EQ(graph.layers.size(), 2U);
    EXPECT_EQ(graph.layers[0].name, "Conv1");
    EXPECT_EQ(graph.layers[0].conv, (Map{112, 112}));
    EXPECT_EQ(macsPerSample(graph.layers[0]), 64.0 * 3 * 49 * 112 * 112);
    EXPECT_EQ(weightElements(graph.layers[1]), 512000);
}

TEST(ScaleSimTopology, readsMatrixProducts) {
    const LayerGraph graph = read("s.csv", kScaleSimProducts);
    ASSERT_EQ(graph.layers.size(), 1U);
    EXPECT_EQ(graph.layers[0].name, "qkv");
    EXPECT_EQ(graph.layers[0].inChannels, 768);
    EXPECT_EQ(graph.layers[0].outChannels, 2304);
    EXPECT_EQ(graph.layers[0].in, (Map{128, 1}));
}

TEST(ScaleSimTopology, saysWhereAndWhatIsWrong) {
    EXPECT_EQ(message("s.csv", kScaleSim + "c, 3, 3, 5, 1, 1, 1, 1,\n"),
              "s.csv:4:10: found '5'; expected a window of at most IFMAP Height = 3");
    EXPECT_EQ(message("s.csv", kScaleSim + "c, 3, 3, 1, 1, 1, 1, 0,\n"),
              "s.csv:4:22: found '0'; expected a whole number above 0 (Strides)");
    EXPECT_EQ(message("s.csv", kScaleSim + "\"c, 3, 3, 1, 1, 1, 1, 0,\n"),
              "s.csv:4:1: found a quote that is not closed; expected '\"' at its end");
}

TEST(Readers, nameTheFormatsThatThereAre) {
    EXPECT_EQ(message("n.csv", "a,b,c\n"),
              "n.csv:1: found 'a,b,c'; expected M3E job table (thread,layer,d0,...,d5,T), MAESTRO layer table (header "
              "K,C,Y,X,R,S,T), SCALE-Sim topology (header Layer name, IFMAP Height, ... or Layer, M, N, K)");
    EXPECT_NE(message("n.bin", "\x01\x02").find("n.bin:1: found '\\x01\\x02'; expected "), std::string::npos);
    EXPECT_NE(message("n.csv", "").find("n.csv: found an empty file; expected M3E job table"), std::string::npos);
}

TEST(Readers, recogniseAFormatByItsContentUnderAnotherSuffix) {
    EXPECT_EQ(readerFor(kM3e, "jobs.txt").id, "m3e");
    EXPECT_EQ(readerFor(kAccpar, "network").id, "accpar");
    EXPECT_EQ(readerFor(kScaleSim, "x.CSV").id, "scale-sim");
    EXPECT_EQ(readerFor(json(kFc), "x").id, "layers-json");
}

TEST(Readers, findTheSchemaOfAnObjectWithoutBeingMisled) {
    EXPECT_EQ(schemaIn(R"( {"a": {"schema": "x"}, "b": "schema", "c": ["schema", "y"], "schema" : "z"})"), "z");
    EXPECT_EQ(schemaIn(R"({"schema": 4, "x": "y"})"), "");
    EXPECT_EQ(schemaIn(R"({"a\"": "schema", "b":"c"})"), "");
    EXPECT_EQ(schemaIn("{\"schema"), "");
}

TEST(Readers, takeATableOfManyLayers) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += "0," + std::to_string(i) + ",10,10,1,1,1,1,0\n";
    const LayerGraph graph = read("many.csv", text);
    EXPECT_EQ(graph.layers.size(), 100'000U);
    EXPECT_EQ(graph.layers.back().name, "thread0.layer99999");
}

TEST(Readers, refuseMoreThanAMillionLayers) {
    std::string text;
    for (int i = 0; i <= 1'000'000; ++i) text += "0,0,1,1,1,1,1,1,0\n";
    EXPECT_EQ(message("big.csv", text), "big.csv:1000001: found more than 1000000 layers; expected at most 1000000");
}

TEST(Readers, costNoMemoryForARowOfCommas) {
    EXPECT_EQ(message("c.csv", kM3e + std::string(10'000'000, ',') + "7"),
              "c.csv:5:10000001: found more than 256 cells in a row; expected at most 256");
}

/// Wrong bytes of every kind end in a DataError or in a graph, never in anything else.
/// What a reader makes of damaged bytes: a network that another reading makes, too, or one sentence that names the
/// file. Returns whether it was refused.
bool isReadOrRefused(const std::string& file, const std::string& bytes) {
    const std::string text = message(file, bytes);
    if (text == "no error") {
        EXPECT_EQ(read(file, bytes), read(file, bytes)) << file;
        return false;
    }
    EXPECT_TRUE(text.starts_with(file + ":")) << text;
    EXPECT_NE(text.find("; expected "), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return true;
}

TEST(Readers, surviveDamagedFiles) {
    RandomStream random(11);
    const std::vector<std::pair<std::string, std::string>> files{{"n.json", writeLayersJson(randomGraph(random))},
                                                                 {"n.txt", kAccpar},
                                                                 {"a.csv", kM3e},
                                                                 {"b.csv", kMaestro},
                                                                 {"c.csv", kScaleSim},
                                                                 {"d.csv", kScaleSimProducts}};
    for (const auto& [file, good] : files) {
        EXPECT_EQ(message(file, good), "no error");
        for (std::size_t length = 0; length <= good.size(); ++length) isReadOrRefused(file, good.substr(0, length));
        int refused = 0;
        for (int round = 0; round < 3000; ++round) {
            std::string bytes = good;
            for (std::uint64_t flips = 1 + random.below(4); flips > 0; --flips)
                bytes[random.below(bytes.size())] = static_cast<char>(
                    random.below(2) == 0 ? random.below(256)
                                         : static_cast<std::uint64_t>("0,\"-.e9\n "[random.below(9)]));
            refused += isReadOrRefused(file, bytes) ? 1 : 0;
        }
        EXPECT_GT(refused, 300) << file << ": damage is noticed";
        EXPECT_LT(refused, 3000) << file << ": not every byte matters";
    }
}

}  // namespace tessera::model
