#include "core/base/base64.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Base64, writesTheExamplesOfTheStandard) {
    const std::pair<const char*, const char*> cases[] = {{"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
                                                         {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : cases) {
        EXPECT_EQ(toBase64(bytes), text);
        EXPECT_EQ(fromBase64(text), bytes);
    }
}

TEST(Base64, bringsEveryByteBack) {
    std::string bytes;
    for (int i = 0; i < 1000; ++i) {
        bytes += static_cast<char>(i * 7919);
        EXPECT_EQ(fromBase64(toBase64(bytes)), bytes);
    }
}

TEST(Base64, refusesOtherTexts) {
    for (const char* text : {"A", "AA", "AAA", "A===", "AA=A", "AA==AAAA", "A A=", "Zm9\xFF", "===="})
        EXPECT_FALSE(fromBase64(text).has_value()) << text;
}

}  // namespace
}  // namespace tessera
