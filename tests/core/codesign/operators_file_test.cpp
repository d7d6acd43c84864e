#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/core/codesign/schedule_cases.h"
#include "tests/support/operators.h"
#include "tests/support/schema.h"

namespace tessera::codesign {
namespace {

std::string operatorsError(const std::string& text) {
    try {
        readOperators(JsonDocument::parse(text, "a.json"));
    } catch (const DataError& error) {
        return error.what();
    }
    return "no error";
}

std::string node(const std::string& id, const std::string& type = "\"TC\"", const std::string& latency = "1",
                 const std::string& more = "") {
    return fmt::format(R"({{"id": {}, "type": {}, "latency": {}, "intra_latency": 1{}}})", id, type, latency, more);
}

std::string graphOf(const std::string& nodes, const std::string& edges = "") {
    return fmt::format(R"({{"nodes": [{}], "edges": [{}]}})", nodes, edges);
}

TEST(OperatorsFile, readsReferenceCasesAsTheyAre) {
    const Case each = loadCase(test::sourcePath("tests/data/phaze/ilp_cases/layers/L8_llama3layers_fwd_common.json"));
    EXPECT_EQ(each.graph.name, "L8_llama3layers_fwd_common");
    EXPECT_EQ(each.graph.operators.size(), 111U);
    EXPECT_EQ(each.graph.edges.size(), 141U);
    EXPECT_EQ(each.cores, (Cores{2, 512}));
    EXPECT_EQ(each.graph.operators.at(6).kind, CoreKind::tensor);
}

TEST(OperatorsFile, readsWhatItWritesAndMeetsItsSchema) {
    std::vector<std::filesystem::path> files = caseFiles("ilp_cases/random");
    for (const auto& file : caseFiles("ilp_cases/layers")) files.push_back(file);
    for (const auto& file : files) {
        const OperatorGraph graph = loadCase(file).graph;
        const std::string text = writeOperators(graph);
        EXPECT_EQ(readOperators(JsonDocument::parse(text, "again.json")), graph) << file;
        EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(text), "operators.schema.json"), "") << file;
    }
}

TEST(OperatorsFile, bundledListsReadAndMeetTheirSchema) {
    for (const auto& entry : std::filesystem::directory_iterator(test::sourcePath("data/operators"))) {
        const std::string name = entry.path().stem().string();
        const JsonDocument document = JsonDocument::load(operatorsPath(name));
        EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(document.text()), "operators.schema.json"), "") << name;
        EXPECT_TRUE(readOperators(document).tensorCores) << name;
    }
}

TEST(OperatorsFile, idsAreNamesInAnyOrder) {
    const OperatorGraph graph =
        readOperators(JsonDocument::parse(graphOf(node("9") + "," + node("3"), "[9, 3]"), "a.json"));
    EXPECT_EQ(graph.edges, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}}));
    EXPECT_FALSE(graph.tensorCores);
}

TEST(OperatorsFile, saysWhereAndWhatIsWrong) {
    EXPECT_EQ(operatorsError("[]"), "a.json:1: found a list; expected an object with 'nodes' and 'edges'");
    EXPECT_EQ(operatorsError(graphOf("")), "a.json:1: field 'nodes' is an empty list; expected at least one operator");
    EXPECT_EQ(operatorsError(R"({"nodes": []})"),
              "a.json:1: field 'nodes' is an empty list; expected at least one operator");
    EXPECT_EQ(operatorsError(R"({"edges": []})"), "a.json:1: field 'nodes' is missing; expected the field to be given");
    EXPECT_EQ(operatorsError(graphOf(node("0", "\"TC\"", "-1"))),
              "a.json:1: field 'nodes[0].latency' is '-1'; expected a number of 0 or more");
    EXPECT_THAT(operatorsError(graphOf(node("0", "\"TC\"", "NaN"))), testing::StartsWith("a.json:1"));
    EXPECT_THAT(operatorsError(graphOf(node("0", "\"TC\"", "1e400"))), testing::StartsWith("a.json:1"));
    EXPECT_EQ(operatorsError(graphOf(node("0", "\"TC\"", "1e12"))),
              "a.json:1: field 'nodes[0].latency' is '1000000000000.0'; expected a number from 0 to 1e+11");
    EXPECT_EQ(operatorsError(graphOf(node("0", "\"GPU\""))),
              "a.json:1: field 'nodes[0].type' is 'GPU'; expected one of TC, VC, TCandVC");
    EXPECT_EQ(operatorsError(graphOf(node("0", "\"TC\"", "1", ", \"cost\": 3"))),
              "a.json:1: field 'nodes[0].cost' is unknown; expected one of id, type, latency, intra_latency, name");
    EXPECT_EQ(operatorsError(graphOf(R"({"id": 0, "type": "TC", "latency": 1})")),
              "a.json:1: field 'nodes[0].intra_latency' is missing; expected the field to be given");
    EXPECT_EQ(operatorsError(graphOf(node("4") + "," + node("4"))),
              "a.json:1: field 'nodes[1].id' is 4 once more; expected an id that no other operator has");
    EXPECT_EQ(operatorsError(graphOf(node("-1"))),
              "a.json:1: field 'nodes[0].id' is '-1'; expected a whole number from 0 to 9007199254740992");
    EXPECT_EQ(operatorsError(graphOf(node("0"), "[0, 1]")),
              "a.json:1: field 'edges[0][1]' is '1'; expected the id of an operator in 'nodes'");
    EXPECT_EQ(operatorsError(graphOf(node("0"), "[0]")),
              "a.json:1: field 'edges[0]' is a list of 1; expected a pair of ids [from, to]");
    EXPECT_EQ(
        operatorsError(graphOf(node("0"), "[0, 0]")),
        "a.json:1: field 'edges[0]' is an edge from an operator to itself; expected an edge between two operators");
    EXPECT_EQ(operatorsError(graphOf(node("9") + "," + node("3"), "[9, 3], [9, 3]")),
              "a.json:1: field 'edges[1]' is a second one from operator 9 to operator 3; expected one edge between two "
              "operators");
    EXPECT_EQ(operatorsError(graphOf(node("0") + "," + node("1") + "," + node("2"), "[0, 1], [1, 2], [2, 1]")),
              "a.json:1: field 'edges' is a cycle before operator 1; expected edges without a cycle");
    EXPECT_EQ(operatorsError(R"({"num_tc": 0, "nodes": [], "edges": []})"),
              "a.json:1: field 'num_tc' is '0'; expected a whole number from 1 to 1000000");
    EXPECT_EQ(
        operatorsError(R"({"seed": 0, "nodes": [], "edges": []})"),
        "a.json:1: field 'seed' is unknown; expected one of name, description, num_tc, num_vc, nodes, edges, result");
}

TEST(OperatorsFile, refusesAHundredThousandOperators) {
    std::string nodes = node("0");
    for (int i = 1; i < 100'000; ++i) nodes += "," + node(fmt::format("{}", i));
    EXPECT_EQ(operatorsError(graphOf(nodes)),
              "a.json:1: field 'nodes' is a list of 100000; expected at most 10000 entries");
}

}  // namespace
}  // namespace tessera::codesign
