#include "core/study/packed_result.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"
#include "core/base/random.h"
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

}  // namespace
}  // namespace tessera::study
