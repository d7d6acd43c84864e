// An operator, a network of the zoo and a reader are a row each: models made of them are inspected, planned, converted
// and offered with nothing but that.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/model/builder.h"
#include "core/model/operators/examples.h"
#include "core/model/operators/rule_context.h"
#include "core/model/readers/readers.h"
#include "core/model/zoo/network.h"
#include "core/model/zoo/zoo.h"
#include "core/study/study.h"
#include "core/study/title.h"
#include "tests/extension/command.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/input_choices.h"
#include "ui/editors/study_form.h"

namespace tessera::model {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A gate: each element times its own sigmoid.
OperatorKind gateKind() {
    return {.id = "Gate",
            .title = "Gate",
            .shape = [](RuleContext& node) { node.setLike(0, 0); },
            .cost = "negate, exp, add, divide, multiply",
            .flopsPerOutput = 5,
            .example = {.inputs = {floats({2, 3})}, .outputs = {floats({2, 3})}, .macs = 0, .flops = 30}};
}

Graph gatedNetwork(zoo::Network net) {
    const std::int64_t width = net.dimension("width");
    std::string x = net.input("input", {64});
    x = net.unary("Gate", net.fc(x, "fc1", width));
    return std::move(net).finish(net.fc(x, "fc2", 10));
}

/// "toy 16 8 4": fully connected layers of these sizes.
bool looksLikeToy(std::string_view bytes) {
    return bytes.starts_with("toy ");
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): all readers share one signature
Form readToy(std::string bytes, const std::string& file, const LoadOptions& /*options*/) {
    std::istringstream words(bytes.substr(4));
    GraphBuilder builder("toy", file);
    std::int64_t from = 0;
    std::int64_t to = 0;
    words >> from;
    builder.addInput("x0", DataType::float32, std::vector<std::int64_t>{1, from});
    int layer = 0;
    while (words >> to) {
        const std::string weight = "w" + std::to_string(layer);
        builder.addStored(weight, DataType::float32, {from, to});
        builder.add({.type = "MatMul",
                     .inputs = {"x" + std::to_string(layer), weight},
                     .outputs = {"x" + std::to_string(layer + 1)},
                     .attributes = {},
                     .name = "layer" + std::to_string(layer),
                     .domain = {},
                     .layer = {},
                     .block = {}});
        from = to;
        ++layer;
    }
    if (layer == 0) throw DataError({.file = file, .line = 1}, "no layer", "at least two sizes");
    builder.addOutput("x" + std::to_string(layer));
    return std::move(builder).build();
}

class ModelRows : public testing::Test {
protected:
    static void SetUpTestSuite() {
        addOperatorKind(gateKind());
        addZooEntry({.id = "gated",
                     .title = "Gated",
                     .family = "perceptron",
                     .source = "a test",
                     .description = "Two layers with a gate between.",
                     .build = gatedNetwork,
                     .dimensions = {{"width", "of the hidden layer", 32, 1024}}});
        addReader({"toy", "Toy sizes (toy N N ...)", {".toy"}, looksLikeToy, readToy});
    }
    test::OwnFolder folder_;
};

TEST_F(ModelRows, anOperatorIsShapedAndCounted) {
    const Graph graph = buildZooModel("gated", {.batch = 4, .dimensions = {}});
    const auto found = std::find_if(graph.operators.begin(), graph.operators.end(),
                                    [](const Operator& op) { return op.type == "Gate"; });
    ASSERT_NE(found, graph.operators.end());
    ASSERT_EQ(kindOf(*found)->title, "Gate");
    EXPECT_THAT(test::printed({"model", "inspect", "zoo:gated"}), HasSubstr("202"))
        << "FLOPs of 32 gates and 42 biases";
}

TEST_F(ModelRows, aNetworkIsListedInspectedConvertedAndPlanned) {
    EXPECT_THAT(test::printed({"model", "list"}), AllOf(HasSubstr("zoo:gated"), HasSubstr("Two layers with a gate")));
    EXPECT_THAT(test::printed({"model", "inspect", "zoo:gated", "--dim", "width=100"}), HasSubstr("7,510"))
        << "64 × 100 + 100 + 100 × 10 + 10 parameters";
    const std::string file = (folder_.path() / "gated.json").string();
    test::printed({"model", "convert", "zoo:gated", "--to", "json", "--out", file});
    EXPECT_THAT(test::printed({"model", "inspect", file}), HasSubstr("202"));
    EXPECT_THAT(test::printed({"partition", "--model", "zoo:gated", "--fleet", "accpar-heterogeneous", "--strategy",
                               "dp", "--no-store", "--no-progress"}),
                HasSubstr("dp"));
    EXPECT_THROW(buildZooModel("gated", {.batch = {}, .dimensions = {{"width", 2000}}}), UsageError);
    EXPECT_THROW(buildZooModel("gatet"), UsageError);
}

TEST_F(ModelRows, aNetworkIsOfferedByTheForm) {
    const QVector<ui::ReferencePicker::Choice> choices = ui::choicesOf("models", "partition");
    EXPECT_TRUE(std::any_of(choices.begin(), choices.end(),
                            [](const auto& choice) { return choice.value == QStringLiteral("zoo:gated"); }));
}

TEST_F(ModelRows, aReaderReadsWhatHasItsSuffixOrLooksLikeIt) {
    const std::string file = (folder_.path() / "small.toy").string();
    writeFile(file, "toy 16 8 4\n");
    EXPECT_THAT(test::printed({"model", "inspect", file}), HasSubstr("160")) << "16 × 8 + 8 × 4 parameters";
    const std::string other = (folder_.path() / "small.data").string();
    writeFile(other, "toy 16 8 4\n");
    EXPECT_THAT(test::printed({"model", "inspect", other}), HasSubstr("160"));
    writeFile(file, "toy 16\n");
    EXPECT_THROW(loadModel(file), DataError);
}

TEST_F(ModelRows, aReaderIsNamedWhereverFilesOfModelsAre) {
    EXPECT_THAT(test::printed({"partition", "--help"}), HasSubstr(".txt, .toy)"));
    EXPECT_THAT(test::printed({"model", "inspect", "--help"}), HasSubstr(".txt, .toy)"));
    EXPECT_EQ(study::shortNames({"models/small.toy"}), "small");
    EXPECT_TRUE(ui::inputSlots("partition").front().filter.contains(QStringLiteral("*.toy")));
    try {
        (void)readerFor("nonsense", "file.unknown");
        FAIL();
    } catch (const DataError& error) {
        EXPECT_THAT(error.what(), HasSubstr("Toy sizes"));
    }
}

}  // namespace
}  // namespace tessera::model
