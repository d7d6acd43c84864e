#include "core/study/partition/packed_result.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/base64.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/study/partition/document.h"
#include "core/study/partition/outcome.h"
#include "core/study/study.h"
#include "tests/core/study/studies.h"
#include "tests/support/partition_result.h"

namespace tessera::study {
namespace {

std::string textOfResult(const Result& result) {
    std::string text;
    writeJson(result, [&](std::string_view part) { text += part; });
    return text;
}

class EveryPackedSample : public testing::TestWithParam<test::Sample> {};

TEST_P(EveryPackedSample, comesBackExactlyAndIsSmaller) {
    const Result result = run(test::studyOf(GetParam()));
    const std::string packed = packResult(result);
    EXPECT_EQ(textOfResult(unpackResult(packed, result.study, "r")), textOfResult(result));
    EXPECT_LT(packed.size(), textOfResult(result).size());
    EXPECT_GT(rowCount(result), 0U);
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryPackedSample, testing::ValuesIn(test::samples()), test::nameOf);

TEST(PackedResult, thatIsDamagedIsRefusedOrRead) {
    const Result result = test::handMadeResult();
    const std::string packed = packResult(result);
    RandomStream random(1);
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
        std::string bytes = packed;
        const auto at = static_cast<std::size_t>(random.below(bytes.size()));
        if (i % 3 == 0)
            bytes.resize(at);
        else
            bytes[at] = static_cast<char>(random.below(256));
        try {
            textOfResult(unpackResult(bytes, result.study, "run 7"));
        } catch (const DataError& error) {
            EXPECT_EQ(std::string(error.what()).substr(0, 5), "run 7") << error.what();
            ++refused;
        }
    }
    EXPECT_GT(refused, 1000);
    EXPECT_THROW(unpackResult(packed + "x", result.study, "r"), DataError);
}

/// The rows of the hand-made result's first plan, with something in every column, as version 0.1 packed them.
constexpr std::string_view kRowsOfVersion1 =
    "AgAAAAAAAAAAAAAAAQAAAAIAAAAAAAAAAAICAAAAAAAAAJqZmZmZmbk/mpmZmZmZuT8CAAAAAAAAAJqZmZmZmck/mpmZmZmZqT8CAAAAAAAAAA"
    "AAAAAAAAAAmpmZmZmZqT8BAAAAAAAAAAIAAAABAAAAAAAAAAEBAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAB7FK5H4XqEPwMAAAAAAAAAexSuR+F6"
    "hD+4HoXrUbiePwAAAAAAAAAAAwAAAAAAAAB7FK5H4XqUP3sUrkfheqQ/mpmZmZmZqT8CAAAAAAAAAAAAAAABAAAAAgAAAAAAAAAAAAIAAAAAAA"
    "AAmpmZmZmZuT+amZmZmZm5PwIAAAAAAAAAmpmZmZmZyT+amZmZmZmpPwIAAAAAAAAAAAAAAAAAAACamZmZmZmpPwEAAAAAAAAAAgAAAAEAAAAA"
    "AAAAAQEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAHsUrkfheoQ/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAChAAAAAAAAAQUACAAAAAAAAAAAAAAABAA"
    "AAAgAAAAAAAAABAAMAAAAAAAAAmpmZmZmZuT+amZmZmZnJPwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AA==";

partition::Plan planOfVersion1() {
    Result result = test::handMadeResult();
    partition::Plan plan = result.outcome.get<PartitionOutcome>().result.plans[0];
    plan.levels[0].other = {{{0.01}, {0.02}}, {{0.03}, {0.04}}, {{0}, {0.05}}};
    plan.shares[0].parameters = 12;
    plan.shares[0].activations = 34;
    plan.shares[0].path = {{0, true}, {1, false}};
    plan.shares[0].layerCompute = {{0.1}, {0.2}, {0}};
    return plan;
}

TEST(PackedResult, keepsTheFormatOfOlderHistories) {
    const partition::Plan plan = planOfVersion1();
    EXPECT_EQ(toBase64(packRows(plan)), kRowsOfVersion1);
    partition::Plan read = withoutRows(plan);
    unpackRows(*fromBase64(kRowsOfVersion1), read, 3, "run 1");
    const std::vector<std::string> names{"a", "b", "c"};
    EXPECT_EQ(planJson(read, names), planJson(plan, names));
}

}  // namespace
}  // namespace tessera::study
