#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/app/cli.h"
#include "tests/support/onnx_file.h"
#include "tests/support/sanitizers.h"

namespace tessera::test {
namespace {

/// A table of so many fully connected layers, one after the other.
std::string layerChain(int layers) {
    std::string text = R"({"schema": "tessera.layers/1", "name": "chain", "layers": [)";
    for (int i = 0; i < layers; ++i)
        text += (i == 0 ? "\n" : ",\n") + std::string(R"({"name": "l)") + std::to_string(i) +
                R"(", "kind": "fc", "in_channels": 4, "out_channels": 4})";
    return text + "]}";
}

/// An ONNX file of so many operators of one input, one after the other.
std::string operatorChain(int operators) {
    std::string graph;
    for (int i = 0; i < operators; ++i)
        graph += field(1, field(1, "t" + std::to_string(i)) + field(2, "t" + std::to_string(i + 1)) +
                              field(4, i % 2 == 0 ? "Relu" : "Neg"));
    graph += field(2, "chain") + field(11, onnxValue("t0", {"1", "4"})) +
             field(12, onnxValue("t" + std::to_string(operators), {"1", "4"}));
    return field(1, std::uint64_t{8}) + field(7, graph) + field(8, field(2, std::uint64_t{17}));
}

class Memory : public Cli {
protected:
    /// Bytes that a command takes for a further node, from what two chains take.
    double perNode(const std::vector<std::string>& command) {
        const auto peak = [&](const std::string& size) {
            std::vector<std::string> arguments;
            for (const std::string& word : command)
                arguments.push_back(word == "LAYERS" ? size + ".json" : word == "OPERATORS" ? size + ".onnx" : word);
            const Ended ended = tessera(arguments);
            EXPECT_EQ(ended.code, 0) << testing::PrintToString(arguments) << ended.errors;
            return ended.peakBytes;
        };
        return (peak("long") - peak("short")) / (kLong - kShort);
    }
    void SetUp() override {
        Cli::SetUp();
        for (const auto& [size, nodes] : {std::pair{"short", kShort}, {"long", kLong}}) {
            write(std::string(size) + ".json", layerChain(nodes));
            write(std::string(size) + ".onnx", operatorChain(nodes));
        }
    }

    static constexpr int kShort = 20'000, kLong = 100'000;
};

struct Command {
    std::vector<std::string> words;
    double most = 840;  ///< bytes a node: a million in 900 MB, of which the program itself takes 55
};

/// A million nodes are read in 900 MB, by a partition in 1.2 GB and by a prediction in a little more than 900 MB.
TEST_F(Memory, ofEveryCommandThatReadsAModelIsSmallForEachNode) {
    if (kSanitized) GTEST_SKIP() << "a sanitizer takes memory of its own";
    const std::vector<Command> commands{
        {.words = {"model", "inspect", "LAYERS"}},
        {.words = {"model", "inspect", "LAYERS", "--layers"}},
        {.words = {"model", "inspect", "LAYERS", "--layers", "--json"}},
        {.words = {"model", "inspect", "OPERATORS"}},
        {.words = {"model", "inspect", "OPERATORS", "--training"}},
        {.words = {"model", "convert", "LAYERS", "--to", "json", "--out", "out.json"}},
        {.words = {"model", "convert", "OPERATORS", "--to", "json", "--out", "out.json"}},
        {.words = {"partition", "--model", "LAYERS", "--fleet", "accpar-heterogeneous", "--no-store", "--quiet"},
         .most = 1200},
        {.words = {"predict", "--model", "OPERATORS", "--accelerator", "a100-40gb", "--no-store", "--quiet"},
         .most = 920},
    };
    for (const Command& command : commands)
        EXPECT_LE(perNode(command.words), command.most) << testing::PrintToString(command.words);
}

}  // namespace
}  // namespace tessera::test
