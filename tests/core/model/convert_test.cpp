#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/model/readers/layer_csv.h"
#include "core/model/readers/layers_json.h"
#include "core/model/writers/writers.h"

namespace tessera::model {

namespace {

Layer convLayer(const std::string& name, double in, double out, double groups) {
    Layer layer;
    layer.name = name;
    layer.kind = LayerKind::conv;
    layer.inChannels = in;
    layer.outChannels = out;
    layer.groups = groups;
    layer.in = {224, 224};
    layer.conv = layer.out = {112, 112};
    layer.kernel = {7, 7};
    return layer;
}

/// A stem, a depthwise and a grouped convolution, their sum, and two dense layers.
Model mixed() {
    LayerGraph graph;
    graph.name = "mixed";
    graph.layers = {convLayer("stem", 3, 64, 1), convLayer("wise \"1\", \\n", 64, 64, 64),
                    convLayer("grouped", 64, 128, 4)};
    graph.layers[1].in = graph.layers[2].in = {112, 112};
    Layer join;
    join.name = "sum";
    join.kind = LayerKind::add;
    join.inChannels = join.outChannels = 128;
    join.in = join.conv = join.out = {112, 112};
    Layer dense;
    dense.name = "fc";
    dense.inChannels = 128;
    dense.outChannels = 10;
    Layer rows = dense;
    rows.name = "rows";
    rows.in = rows.conv = rows.out = {16, 1};
    graph.layers.insert(graph.layers.end(), {join, dense, rows});
    graph.edges = {{0, 1, 0}, {1, 3, 0}, {0, 2, 0}, {2, 3, 0}, {3, 4, 0}, {4, 5, 0}};
    completeLayerGraph(graph, "mixed");
    Model model;
    model.name = graph.name;
    model.form = std::move(graph);
    return model;
}

std::string convert(const std::string& id, const Model& model) {
    return writerNamed(id).write(model).text;
}

}  // namespace

TEST(Writers, keepALayerTableWithoutLossAsJson) {
    const Model model = mixed();
    EXPECT_EQ(readLayersJson(convert("json", model), "m.json"), std::get<LayerGraph>(model.form));
}

TEST(Writers, listLayersAsCsv) {
    EXPECT_EQ(convert("layers-csv", mixed()),
              "name,kind,in_channels,out_channels,in_height,in_width,conv_height,conv_width,out_height,out_width,"
              "kernel_height,kernel_width,groups,weights,macs,parameters,activations,inputs\n"
              "stem,conv,3,64,224,224,112,112,112,112,7,7,1,9408,118013952,9408,802816,\n"
              "\"wise \"\"1\"\", \\n\",conv,64,64,112,112,112,112,112,112,7,7,64,3136,39337984,3136,802816,stem\n"
              "grouped,conv,64,128,112,112,112,112,112,112,7,7,4,100352,1258815488,100352,1605632,stem\n"
              "sum,add,128,128,112,112,112,112,112,112,1,1,1,0,0,0,1605632,\"wise \"\"1\"\", \\n | grouped\"\n"
              "fc,fc,128,10,1,1,1,1,1,1,1,1,1,1280,1280,1280,10,sum\n"
              "rows,fc,128,10,16,1,16,1,16,1,1,1,1,1280,20480,1280,160,fc\n");
}

TEST(Writers, makeMaestroRowsOfEqualWork) {
    const Converted converted = writerNamed("maestro-csv").write(mixed());
    EXPECT_EQ(converted.text,
              "K,C,Y,X,R,S,T\n64,3,118,118,7,7,1\n1,64,118,118,7,7,2\n128,16,118,118,7,7,1\n10,128,1,1,1,1,0\n"
              "16,10,128,1,1,1,3\n");
    EXPECT_EQ(
        converted.warnings,
        (std::vector<std::string>{
            "1 join was left out: MAESTRO's table has no row for it.",
            "MAESTRO's table has no groups: grouped convolutions are written with the channels of one group, which "
            "keeps weights and multiply-accumulates but not the input's size."}));
}

TEST(Writers, makeM3eRowsOfTheMapsThatAreRead) {
    const Converted converted = writerNamed("m3e-csv").write(mixed());
    EXPECT_EQ(converted.text,
              "0,0,64,3,224,224,7,7,1\n0,1,1,64,112,112,7,7,2\n0,2,128,16,112,112,7,7,1\n0,3,10,128,1,1,1,1,0\n"
              "0,4,16,10,128,1,1,1,3\n");
    EXPECT_EQ(readM3eJobs(converted.text, "m3e.csv").size(), 5U);
    EXPECT_EQ(
        converted.warnings,
        (std::vector<std::string>{"3 rows of convolutions have strides, padding, dilation or groups, which M3E's table "
                                  "does not hold."}));
}

TEST(Writers, makeScaleSimRowsOfEqualWork) {
    EXPECT_EQ(convert("scalesim-csv", mixed()),
              "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,\n"
              "stem,229,229,7,7,3,64,2,\nwise _1__ \\n,118,118,7,7,1,64,1,\ngrouped,118,118,7,7,16,128,1,\n"
              "fc,1,1,1,1,128,10,1,\nrows,16,1,1,1,128,10,1,\n");
}

/// Whatever the table, its rows read back with the same weights and the same work, layer by layer.
TEST(Writers, keepWeightsAndWorkInTablesOfOtherTools) {
    const LayerGraph graph = std::get<LayerGraph>(mixed().form);
    for (const LayerGraph& back : {readMaestro(convert("maestro-csv", mixed()), "m.csv"),
                                   readScaleSim(convert("scalesim-csv", mixed()), "s.csv")}) {
        std::size_t row = 0;
        for (const Layer& layer : graph.layers) {
            if (isJoin(layer.kind)) continue;
            ASSERT_LT(row, back.layers.size());
            EXPECT_EQ(weightElements(back.layers[row]), weightElements(layer)) << layer.name;
            EXPECT_EQ(macsPerSample(back.layers[row]), macsPerSample(layer)) << layer.name;
            ++row;
        }
        EXPECT_EQ(row, back.layers.size());
    }
}

TEST(Writers, drawLayersWithEscapedNames) {
    const std::string text = convert("dot", mixed());
    EXPECT_NE(text.find("digraph \"mixed\" {\n"), std::string::npos);
    EXPECT_NE(text.find("  n0 [label=\"stem\\nconv 7×7\\n3×224×224 → 64×112×112\", color=\"#2F6FDE\", "
                        "fillcolor=\"#2F6FDE22\"];\n"),
              std::string::npos);
    EXPECT_NE(text.find("  n1 [label=\"wise \\\"1\\\", \\\\n\\nconv 7×7, 64 groups"), std::string::npos);
    EXPECT_NE(text.find("  n0 -> n1 [label=\"802,816\"];\n"), std::string::npos);
}

TEST(Writers, drawAPicture) {
    const std::string text = convert("svg", mixed());
    EXPECT_NE(text.find("<svg"), std::string::npos);
    EXPECT_NE(text.find("stem"), std::string::npos);
    EXPECT_EQ(text, convert("svg", mixed()));
}

TEST(Writers, refuseAPictureOfTooManyLayers) {
    Model model;
    LayerGraph graph;
    graph.layers.resize(3001);
    model.form = graph;
    EXPECT_THROW(convert("svg", model), UsageError);
}

TEST(Writers, hintAtTheFormatThatWasMeant) {
    try {
        writerNamed("dott");
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "there is no format 'dott'; did you mean 'dot'?");
    }
}

TEST(Writers, everyRowConvertsALayerTable) {
    for (const Writer& writer : writers()) EXPECT_FALSE(writer.write(mixed()).text.empty()) << writer.id;
}

}  // namespace tessera::model
