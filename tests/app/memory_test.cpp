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

    /// An eighth of a million and a quarter of that: what grows by doubling has as much room to spare as with a
    /// million.
    static constexpr int kLong = 1'000'000 / 8, kShort = kLong / 4;
};

/// A million nodes take at most 900 MiB in every command, of which the program itself takes 55. Engines take less for
/// each of a million nodes than of an eighth of it: lists of more than 32 MB go back to the system as they are freed.
TEST_F(Memory, ofEveryCommandThatReadsAModelIsSmallForEachNode) {
    if (kSanitized) GTEST_SKIP() << "a sanitizer takes memory of its own";
    const std::vector<std::vector<std::string>> commands{
        {"model", "inspect", "LAYERS"},
        {"model", "inspect", "LAYERS", "--layers"},
        {"model", "inspect", "LAYERS", "--layers", "--json"},
        {"model", "inspect", "OPERATORS"},
        {"model", "inspect", "OPERATORS", "--training"},
        {"model", "convert", "LAYERS", "--to", "json", "--out", "out.json"},
        {"model", "convert", "OPERATORS", "--to", "json", "--out", "out.json"},
        {"model", "convert", "OPERATORS", "--to", "dot", "--out", "out.dot"},
        {"partition", "--model", "LAYERS", "--fleet", "accpar-heterogeneous", "--threads", "1"},
        {"predict", "--model", "OPERATORS", "--accelerator", "a100-40gb", "--threads", "1"},
        {"plan", "--model", "OPERATORS", "--fleet", "dgx-a100x8", "--global-batch", "64", "--threads", "1"},
        {"place", "--model", "OPERATORS", "--fleet", "dgx-a100x8", "--threads", "1"},
        {"codesign", "--model", "OPERATORS", "--accelerators", "8", "--search", "random", "--samples", "2", "--threads",
         "1"},
        {"cost", "--jobs", "LAYERS", "--dataflow", "nvdla", "--pes", "64"},
    };
    for (const std::vector<std::string>& command : commands) {
        std::vector<std::string> words = command;
        const bool isEngine = words.front() != "model";
        if (isEngine) words.insert(words.end(), {"--no-store", "--quiet"});
        const double most = !isEngine ? 840 : words.front() == "cost" ? 1000 : 920;
        EXPECT_LE(perNode(words), most) << testing::PrintToString(words);
    }
}

}  // namespace
}  // namespace tessera::test
