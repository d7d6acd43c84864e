// Files of the published program: what is read, and what is refused with one sentence.
#include "core/codesign/placement/placement_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

using namespace tessera;
using namespace tessera::codesign;

namespace {

const std::string kGood = R"({"maxDevices": 4, "maxMemoryPerDevice": 100, "bandwidth": 10,
"mbsInBatch": 8.0, "activationRecomputation": false,
"optimizerAlgorithm": "Adam", "fixedPP": 2,
"nodes": {"1": [
{"id": -1, "parameterSize": 1, "activationSize": 2.5, "optimalLatencyFw": 3, "optimalLatencyBw": 4, "isTensorParallelized": false},
{"id": 7, "parameterSize": 5, "activationSize": 6, "optimalLatencyFw": 7, "optimalLatencyBw": 8, "isTensorParallelized": true}],
"2": [
{"id": 7, "parameterSize": 2, "activationSize": 3, "optimalLatencyFw": 4, "optimalLatencyBw": 5, "isTensorParallelized": true},
{"id": -1, "parameterSize": 1, "activationSize": 2.5, "optimalLatencyFw": 3, "optimalLatencyBw": 4, "isTensorParallelized": false}]},
"edges": {"1": [
{"sourceId": -1, "destId": 7, "communicationCost": 9}],
"2": [
{"sourceId": -1, "destId": 7, "communicationCost": 4}]}})";

PlacementFile read(const std::string& text) {
    return readPlacementFile(JsonDocument::parse(text, "layers.json"));
}

/// The good file with one text replaced.
std::string with(const std::string& part, const std::string& other) {
    std::string text = kGood;
    const std::size_t at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    return text.replace(at, part.size(), other);
}

std::string placementError(const std::string& text) {
    try {
        read(text);
    } catch (const DataError& error) {
        return error.what();
    }
    return "";
}

TEST(PlacementFile, readsWidthsWhateverTheOrderOfTheirLayers) {
    const PlacementFile file = read(kGood);
    EXPECT_EQ(file.layers, (std::vector<std::int64_t>{-1, 7}));
    EXPECT_EQ(file.graph, (LayerGraph{.layers = 2, .edges = {{0, 1}}}));
    EXPECT_EQ(file.optimizer, Optimizer::adam);
    const PlacementProblem& problem = file.problem;
    EXPECT_EQ(problem.accelerators, 4);
    EXPECT_EQ(problem.microBatches, 8);
    EXPECT_EQ(problem.memory, Bytes{100});
    EXPECT_EQ(problem.bandwidth, BytesPerSecond{10});
    EXPECT_FALSE(problem.recompute);
    ASSERT_EQ(problem.byDegree.size(), 2U);
    EXPECT_EQ(problem.byDegree[1].degree, 2);
    const LayerCosts sliced{
        .weights = {2}, .activations = {3}, .forward = {4}, .backward = {5}, .tensorParallel = true};
    EXPECT_EQ(problem.byDegree[1].layers[1], sliced);
    EXPECT_EQ(problem.byDegree[0].layers[0].activations, Bytes{2.5});
    EXPECT_EQ(problem.byDegree[1].edges, (std::vector<Bytes>{{4}}));
    ASSERT_EQ(file.reported.size(), 1U);
    EXPECT_EQ(file.reported[0].first, "fixedPP");
    EXPECT_EQ(file.reported[0].second, 2);
}

TEST(PlacementFile, refusesASecondEdgeBetweenTwoLayers) {
    const std::string more = R"({"sourceId": -1, "destId": 7, "communicationCost": 3}, )";
    std::string text = kGood;
    text.insert(text.find("{\"sourceId\""), more);
    try {
        read(text);
        ADD_FAILURE() << "no error";
    } catch (const DataError& error) {
        EXPECT_THAT(error.what(), testing::EndsWith("is a second one from layer -1 to layer 7; expected one edge "
                                                    "between two layers"));
        EXPECT_THAT(error.what(), testing::HasSubstr("field 'edges.1[1]'"));
    }
}

TEST(PlacementFile, saysWhatIsWrongInOneSentence) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {with("\"maxDevices\": 4", "\"maxDevices\": 0"),
         "layers.json:1: field 'maxDevices' is '0'; expected a whole number from 1 to 1000000000"},
        {with("8.0", "2048.5"),
         "layers.json:2: field 'mbsInBatch' is '2048.5'; expected a whole number from 1 to 1000000000"},
        {with("\"optimalLatencyFw\": 3", "\"optimalLatencyFw\": -3"),
         "layers.json:5: field 'nodes.1[0].optimalLatencyFw' is '-3'; expected a number from 0 to 1000000000000"},
        {with("\"optimalLatencyFw\": 3", "\"optimalLatencyFw\": NaN"), "layers.json:5:"},
        {with("\"optimalLatencyFw\": 3, ", ""),
         "layers.json:5: field 'nodes.1[0].optimalLatencyFw' is missing; expected the field to be given"},
        {with("\"bandwidth\": 10", "\"bandwidth\": 0"),
         "layers.json:1: field 'bandwidth' is '0'; expected a number above 0"},
        {with("\"maxMemoryPerDevice\": 100, ", ""),
         "layers.json:1: field 'maxMemoryPerDevice' is missing; expected the field to be given"},
        {with("\"Adam\"", "\"Adamm\""),
         "layers.json:3: field 'optimizerAlgorithm' is 'Adamm'; expected one of SGD, Momentum, Adam, "
         "MixedPrecisionAdam"},
        {with("\"fixedPP\"", "\"fixedPq\""), "layers.json:3: field 'fixedPq' is unknown; expected 'fixedPP' perhaps"},
        {with("\"destId\": 7, \"communicationCost\": 9", "\"destId\": 8, \"communicationCost\": 9"),
         "layers.json:11: field 'edges.1[0].destId' is '8'; expected the id of a layer of 'nodes.1'"},
        {with("\"destId\": 7, \"communicationCost\": 9", "\"destId\": -1, \"communicationCost\": 9"),
         "layers.json:11: field 'edges.1[0]' is an edge of a cycle, from layer -1 to layer -1; expected layers without "
         "a cycle"},
        {with("\"communicationCost\": 9}",
              "\"communicationCost\": 9}, {\"sourceId\": 7, \"destId\": -1, "
              "\"communicationCost\": 9}"),
         "layers.json:11: field 'edges.1[1]' is an edge of a cycle, from layer 7 to layer -1; expected layers without "
         "a cycle"},
        {with("\"2\": [\n{\"id\": 7", "\"2\": [\n{\"id\": 9"),
         "layers.json:8: field 'nodes.2[0].id' is '9'; expected a layer of tensor-parallel degree 1"},
        {with("\"2\": [\n{\"id\": 7", "\"2\": [\n{\"id\": -1"),
         "layers.json:9: field 'nodes.2[1].id' is '-1'; expected an id that no other layer has"},
        {with("{\"id\": -1", "{\"id\": 7"),
         "layers.json:6: field 'nodes.1[1].id' is '7'; expected an id that no other layer has"},
        {with(",\n\"2\": [\n{\"sourceId\": -1, \"destId\": 7, \"communicationCost\": 4}]", ""),
         "layers.json:10: field 'edges.2' is missing; expected the field to be given"},
        {with("\"2\": [\n{\"sourceId\"", "\"3\": [\n{\"sourceId\""),
         "layers.json:12: field 'edges.3' is of tensor-parallel degree '3'; expected edges of a tensor-parallel degree "
         "that 'nodes' has"},
        {with("{\"sourceId\": -1, \"destId\": 7, \"communicationCost\": 4}", ""),
         "layers.json:12: field 'edges.2' is a list of 0 edges; expected the 1 edge of tensor-parallel degree 1"},
        {with("\"sourceId\": -1, \"destId\": 7, \"communicationCost\": 4",
              "\"sourceId\": 7, \"destId\": -1, "
              "\"communicationCost\": 4"),
         "layers.json:13: field 'edges.2[0]' is from layer 7 to layer -1; expected an edge that tensor-parallel degree "
         "1 has, too"},
        {with("\"2\": [\n{\"id\"", "\"two\": [\n{\"id\""),
         "layers.json:7: field 'nodes.two' is of tensor-parallel degree 'two'; expected a tensor-parallel degree from "
         "1 to 1000000 as "
         "the key"},
        {R"({"maxDevices": 4, "maxMemoryPerDevice": 100, "bandwidth": 10, "mbsInBatch": 8, "activationRecomputation":
            false, "optimizerAlgorithm": "SGD", "nodes": {}, "edges": {}})",
         "layers.json:2: field 'nodes' is empty; expected the layers of at least one tensor-parallel degree"},
        {"[]", "layers.json:1: found a list; expected an object"},
    };
    for (const auto& [text, message] : cases) {
        const std::string error = placementError(text);
        if (message.ends_with(':'))
            EXPECT_TRUE(error.starts_with(message)) << error;
        else
            EXPECT_EQ(error, message);
        EXPECT_EQ(error.find('\n'), std::string::npos);
    }
}

TEST(PlacementFile, refusesMoreLayersThanItCanPlace) {
    std::string list;
    for (int i = 0; i < 100'000; ++i)
        list += (i == 0 ? "" : ",") + std::string(R"({"id":)") + std::to_string(i) +
                R"(,"parameterSize":1,"activationSize":1,"optimalLatencyFw":1,"optimalLatencyBw":1,)"
                R"("isTensorParallelized":false})";
    EXPECT_EQ(placementError(R"({"maxDevices": 4, "maxMemoryPerDevice": 100, "bandwidth": 10, "mbsInBatch": 8,
"activationRecomputation": false, "optimizerAlgorithm": "SGD", "edges": {"1": []},
"nodes": {"1": [)" + list + "]}}"),
              "layers.json:3: field 'nodes.1' is a list of 100000; expected at most 4096 entries");
}

TEST(PlacementFile, countsTheStateOfOptimizers) {
    using enum Optimizer;
    EXPECT_EQ(optimizerState(sgd, OptimizerMemory::reference), 0);
    EXPECT_EQ(optimizerState(adam, OptimizerMemory::reference), 1);
    EXPECT_EQ(optimizerState(momentum, OptimizerMemory::reference), std::nullopt);
    EXPECT_EQ(optimizerState(mixedAdam, OptimizerMemory::reference), std::nullopt);
    EXPECT_EQ(optimizerState(sgd, OptimizerMemory::exact), 0);
    EXPECT_EQ(optimizerState(momentum, OptimizerMemory::exact), 1);
    EXPECT_EQ(optimizerState(adam, OptimizerMemory::exact), 2);
    EXPECT_EQ(optimizerState(mixedAdam, OptimizerMemory::exact), 6);
}

TEST(PlacementFile, readsEveryBundledOne) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(tessera::test::sourcePath("data/placements"))) {
        const JsonDocument document = JsonDocument::load(entry.path().string());
        EXPECT_FALSE(readPlacementFile(document).name.empty()) << entry.path();
        EXPECT_EQ(tessera::test::schemaErrors(nlohmann::json(document.json()), "placement.schema.json"), "")
            << entry.path();
        EXPECT_EQ(placementPath(entry.path().stem().string()), entry.path().string());
        ++files;
    }
    EXPECT_EQ(files, 2U);
    EXPECT_THROW(placementPath("bert-larg"), UsageError);
    EXPECT_EQ(placementPath("missing.json"), "missing.json");
}

TEST(PlacementFile, theSchemaDescribesTheCasesOfThePublishedProgram) {
    for (const char* folder : {"inputs", "small"})
        for (const auto& entry :
             std::filesystem::directory_iterator(tessera::test::sourcePath("tests/data/phaze/dp_cases") / folder)) {
            if (entry.path().string().ends_with(".out.json")) continue;
            const JsonDocument document = JsonDocument::load(entry.path().string());
            EXPECT_EQ(tessera::test::schemaErrors(nlohmann::json(document.json()), "placement.schema.json"), "")
                << entry.path();
        }
}

}  // namespace
