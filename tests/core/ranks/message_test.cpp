#include "core/ranks/message.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "core/base/error.h"

/// Messages between processes: what comes back out, and what is refused.
namespace tessera::ranks {
namespace {

TEST(Packer, givesBackWhatItTook) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    const std::string bytes = Packer()
                                  .whole(0)
                                  .whole(~std::uint64_t{0})
                                  .text(std::string("a\0b", 3))
                                  .real(-0.0)
                                  .real(nan)
                                  .real(infinite)
                                  .bytes();
    Unpacker contents(bytes, "it");
    EXPECT_EQ(contents.whole(), 0U);
    EXPECT_EQ(contents.whole(), ~std::uint64_t{0});
    EXPECT_EQ(contents.text(), std::string("a\0b", 3));
    EXPECT_TRUE(std::signbit(contents.real()));
    EXPECT_TRUE(std::isnan(contents.real()));
    EXPECT_EQ(contents.real(), infinite);
    EXPECT_NO_THROW(contents.end());
}

TEST(Packer, whatIsCutOffAnywhereIsRefused) {
    const std::string bytes = Packer().whole(7).text("seven").bytes();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        Unpacker contents(std::string_view(bytes).substr(0, size), "an answer");
        EXPECT_THROW(
            {
                contents.whole();
                contents.text();
            },
            DataError)
            << size;
    }
    Unpacker longer(bytes, "an answer");
    longer.whole();
    try {
        longer.end();
        FAIL();
    } catch (const DataError& error) {
        EXPECT_STREQ(error.what(), "an answer: found more bytes; expected its end");
    }
    Unpacker huge(bytes, "an answer");
    EXPECT_THROW(huge.whole(6), DataError) << "7 is more than 6";
}

TEST(Inbox, messagesComeInPartsOfAnySize) {
    const std::string sent = framed(MessageKind::heartbeat, "") + framed(MessageKind::answers, "forty-two") +
                             framed(MessageKind::tasks, std::string(3000, 'x'));
    for (const std::size_t part : {std::size_t{1}, std::size_t{3}, std::size_t{7}, std::size_t{1000}, sent.size()}) {
        Inbox inbox;
        std::string got;
        for (std::size_t at = 0; at < sent.size(); at += part) {
            inbox.add(std::string_view(sent).substr(at, part));
            while (const auto message = inbox.next())
                got += std::to_string(static_cast<int>(message->kind)) + message->contents;
        }
        EXPECT_EQ(got, "85forty-two4" + std::string(3000, 'x')) << part;
    }
}

TEST(Inbox, aStrangersLengthIsRefusedBeforeItsBytesCome) {
    Inbox inbox;
    inbox.add(framed(MessageKind::hello, std::string(kLargestStrange, ' ')));
    EXPECT_TRUE(inbox.next());
    inbox.add(framed(MessageKind::hello, std::string(kLargestStrange + 1, ' ')).substr(0, 5));
    EXPECT_THROW(inbox.next(), DataError);
    Inbox kinds;
    kinds.add(std::string("\0\0\0\0\x63", 5));
    try {
        kinds.next();
        FAIL();
    } catch (const DataError& error) {
        EXPECT_STREQ(error.what(), "a message: found kind 99; expected one that there is");
    }
}

TEST(Inbox, randomBytesAreRefusedOrWaitedFor) {
    std::mt19937 random(5);
    for (int i = 0; i < 2000; ++i) {
        std::string bytes(random() % 64, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        Inbox inbox;
        inbox.add(bytes);
        try {
            while (const auto message = inbox.next()) EXPECT_LE(message->contents.size(), bytes.size());
        } catch (const DataError&) {
            continue;
        }
    }
}

TEST(Proof, isAnHmacThatNeedsTheToken) {
    EXPECT_EQ(proofOf("token", "text").size(), 64U);
    EXPECT_NE(proofOf("token", "text"), proofOf("token", "texu"));
    EXPECT_NE(proofOf("token", "text"), proofOf("tokem", "text"));
    EXPECT_NE(randomToken(), randomToken());
    EXPECT_TRUE(isSameSecret("abc", "abc"));
    EXPECT_FALSE(isSameSecret("abc", "abd"));
    EXPECT_FALSE(isSameSecret("abc", "abcd"));
}

}  // namespace
}  // namespace tessera::ranks
