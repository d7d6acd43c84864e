#include "core/model/readers/calculon.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/jobs.h"
#include "core/model/model.h"
#include "core/model/readers/readers.h"

namespace tessera::model {
namespace {

std::string fileOf(std::int64_t hidden, std::int64_t feedForward, std::int64_t sequence, std::int64_t heads,
                   std::int64_t size, std::int64_t blocks) {
    const auto text = [](std::int64_t value) { return std::to_string(value); };
    return "{\n\"hidden\": " + text(hidden) + ",\n\"feedforward\": " + text(feedForward) +
           ",\n\"seq_size\": " + text(sequence) + ",\n\"attn_heads\": " + text(heads) +
           ",\n\"attn_size\": " + text(size) + ",\n\"num_blocks\": " + text(blocks) + "\n}\n";
}

template <typename Error>
std::string calculonError(const std::string& bytes, const LoadOptions& options = {}) {
    try {
        readCalculon(bytes, "m.json", options);
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

TEST(CalculonModel, isRecognisedAmongJsonFiles) {
    EXPECT_EQ(readerFor(fileOf(8, 32, 16, 2, 4, 1), "m.json").id, "calculon");
    EXPECT_EQ(readerFor(fileOf(8, 32, 16, 2, 4, 1), "m").id, "calculon");
    EXPECT_FALSE(looksLikeCalculon("{\"schema\": \"tessera.layers/1\"}"));
    EXPECT_FALSE(looksLikeCalculon(""));
}

/// Calculon counts 2 h f + 4 h a + h + f + 3 a + h + 4 h per block, a = heads times their size, and (51,200 + s) h in
/// tables; the last normalisation's 2 h are not among them.
TEST(CalculonModel, hasTheParametersThatCalculonCounts) {
    for (const auto& [h, f, s, n, d, l] : {std::array<std::int64_t, 6>{25600, 102400, 2048, 160, 160, 128},
                                           {8192, 32768, 2048, 64, 128, 80},
                                           {100, 300, 50, 4, 30, 3}}) {
        const std::int64_t a = n * d;
        const Graph graph = readCalculon(fileOf(h, f, s, n, d, l), "m.json", {});
        EXPECT_EQ(summarise(graph).parameters,
                  l * (2 * h * f + 4 * h * a + h + f + 3 * a + h + 4 * h) + (51'200 + s) * h + 2 * h);
        EXPECT_EQ(summarise(graph).macs, l * (s * (2 * h * f + 4 * h * a) + 2 * s * s * a) + s * h * 51'200);
        EXPECT_EQ(graph.name, "m");
        EXPECT_EQ(graph.warnings, std::vector<std::string>());
    }
}

TEST(CalculonModel, takesBatchSequenceAndTensorParallelWidth) {
    const Graph graph = readCalculon(fileOf(64, 256, 128, 8, 8, 2), "m.json",
                                     {.batch = 3, .dimensions = {{"sequence", 32}, {"tensor_parallel", 4}}});
    EXPECT_EQ(graph.batch, 3);
    const std::vector<LayerJob> jobs = jobsOf(graph, 3);
    EXPECT_EQ(jobs.front().name, "block0.attention.qkv");
    EXPECT_EQ(jobs.front().d, (std::array<std::int64_t, 6>{96, 48, 64, 1, 1, 1}));
    EXPECT_EQ(calculonError<UsageError>(fileOf(64, 256, 128, 8, 8, 2), {.batch = 1, .dimensions = {{"sequence", 129}}}),
              "dimension 'sequence' is 129; expected at most the file's seq_size 128");
    EXPECT_EQ(
        calculonError<UsageError>(fileOf(64, 256, 128, 8, 8, 2), {.batch = 1, .dimensions = {{"tensor_parallel", 3}}}),
        "dimension 'tensor_parallel' is 3; expected a divisor of attn_heads 8 and feedforward 256");
}

TEST(CalculonModel, saysWhereAndWhatIsWrong) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {fileOf(0, 1, 1, 1, 1, 1), "m.json:2: field 'hidden' is '0'; expected a whole number from 1 to 16777216"},
        {fileOf(1, 1, 1, 1, 1, 4096), "m.json:7: field 'num_blocks' is '4096'; expected a whole number from 1 to 2048"},
        {fileOf(8, 8, 8, 10'000, 10'000, 1),
         "m.json:6: field 'attn_size' is 10000, which makes 100000000 features; expected at most 2^24 features in all "
         "10000 heads"},
        {"{\"hidden\": 1}", "m.json:1: field 'num_blocks' is missing; expected the field to be given"},
        {"{\"hidden\": 1, \"wide\": 2}",
         "m.json:1: field 'wide' is unknown; expected one of name, hidden, feedforward, seq_size, attn_heads, "
         "attn_size, "
         "num_blocks"},
        {"[]", "m.json:1: found a list; expected an object"},
    };
    for (const auto& [text, expected] : cases) EXPECT_EQ(calculonError<DataError>(text), expected);
}

TEST(CalculonModel, refusesTensorsBeyondTheLimit) {
    const std::string message = calculonError<DataError>(fileOf(1 << 24, 1 << 24, 1 << 24, 1 << 12, 1 << 12, 1),
                                                         {.batch = 1 << 20, .dimensions = {}});
    EXPECT_NE(message.find("2^53"), std::string::npos) << message;
}

}  // namespace
}  // namespace tessera::model
