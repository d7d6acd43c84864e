#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/base/sha256.h"
#include "core/base/text.h"

namespace fs = std::filesystem;
using namespace tessera;

namespace {

class TemporaryFolder : public testing::Test {
protected:
    TemporaryFolder() {
        std::string pattern = (fs::temp_directory_path() / "tessera-base-XXXXXX").string();
        folder = mkdtemp(pattern.data());
    }
    ~TemporaryFolder() override { fs::remove_all(folder); }
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
        return names;
    }
    fs::path folder;
};

template <typename Error, typename Action>
std::string messageOf(const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no such error";
}

using FileIo = TemporaryFolder;

TEST_F(FileIo, readsBackWhatItWrote) {
    const std::string bytes("a\0b\r\n\xFF", 6);
    writeFile(folder / "a.bin", bytes);
    EXPECT_EQ(readFile(folder / "a.bin"), bytes);
    writeFile(folder / "a.bin", "");
    EXPECT_EQ(readFile(folder / "a.bin"), "");
    EXPECT_EQ(files(), std::vector<std::string>{"a.bin"});
}

TEST_F(FileIo, readsMoreThanOneChunk) {
    std::string bytes;
    for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>(i * 7);
    writeFile(folder / "big", bytes);
    EXPECT_EQ(readFile(folder / "big"), bytes);
}

TEST_F(FileIo, saysWhyAFileCannotBeRead) {
    const std::string path = (folder / "none").string();
    EXPECT_EQ(messageOf<FileError>([&] { readFile(path); }), "cannot read '" + path + "': there is no such file");
    EXPECT_EQ(messageOf<FileError>([&] { readFile(folder); }), "cannot read '" + folder.string() + "': it is a folder");
}

TEST_F(FileIo, namesTheLimitThatAFileExceeds) {
    writeFile(folder / "a", std::string((std::size_t{1} << 20) + 1, 'x'));
    EXPECT_EQ(messageOf<DataError>([&] { readFile(folder / "a", std::uintmax_t{1} << 20); }),
              (folder / "a").string() + ": found more than 1048576 bytes; expected a file of at most 1 MiB");
    EXPECT_THROW(readFile("/dev/zero", 1000), DataError);
}

TEST_F(FileIo, leavesNothingBehindWhereItCannotWrite) {
    const std::string path = (folder / "none" / "a").string();
    EXPECT_EQ(messageOf<FileError>([&] { writeFile(path, "x"); }),
              "cannot write '" + path + "': No such file or directory");
    EXPECT_EQ(messageOf<FileError>([&] { writeFile(folder, "x"); }),
              "cannot write '" + folder.string() + "': it is a folder");
    EXPECT_TRUE(files().empty());
}

TEST_F(FileIo, replacesWhatASymbolicLinkPointsToAndKeepsTheLink) {
    writeFile(folder / "a", "old");
    fs::create_symlink("a", folder / "link");
    writeFile(folder / "link", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(readFile(folder / "a"), "new");
}

TEST_F(FileIo, writesIntoAPipeInsteadOfReplacingIt) {
    const fs::path pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    writeFile(pipe, "through");
    char buffer[16] = {};
    EXPECT_EQ(read(reader, buffer, sizeof buffer), 7);
    EXPECT_STREQ(buffer, "through");
    close(reader);
    EXPECT_EQ(files(), std::vector<std::string>{"pipe"});
}

TEST(DataErrorText, isOneSentenceOnOneLine) {
    const DataError error({.file = "a\nb.json", .line = 3, .column = 7, .where = "node 'x\ny'", .field = "k\x1B"},
                          "'1\n2'", "a \x01 number");
    EXPECT_STREQ(error.what(),
                 "a\\x0Ab.json:3:7: node 'x\\x0Ay': field 'k\\x1B' is '1\\x0A2'; expected a \\x01 number");
}

TEST(DataErrorText, leavesOutWhatIsNotKnown) {
    EXPECT_STREQ(DataError({}, "nothing", "something").what(), "found nothing; expected something");
    EXPECT_STREQ(DataError({.file = "f"}, "nothing", "something").what(), "f: found nothing; expected something");
}

TEST(Escaped, showsControlCharactersAndBadBytesAsHex) {
    EXPECT_EQ(escaped("plain é 日本 😀"), "plain é 日本 😀");
    EXPECT_EQ(escaped("a\nb\t\x7F"), "a\\x0Ab\\x09\\x7F");
    EXPECT_EQ(escaped("\xFFx\xC3"), "\\xFFx\\xC3");
    EXPECT_EQ(escaped(std::string_view("\0", 1)), "\\x00");
    EXPECT_EQ(escaped("\xC2\x9B"), "\\xC2\\x9B");           // CSI
    EXPECT_EQ(escaped("\xE2\x80\xAE"), "\\xE2\\x80\\xAE");  // right-to-left override
    EXPECT_EQ(escaped("\xE2\x80\xA8"), "\\xE2\\x80\\xA8");  // line separator
    EXPECT_EQ(escaped("…“”"), "…“”");
}

TEST(Escaped, cutsAtACharactersStart) {
    EXPECT_EQ(escaped("abcdef", 3), "abc…");
    EXPECT_EQ(escaped("abc", 3), "abc");
    EXPECT_EQ(escaped("éé", 1), "é…");
    EXPECT_EQ(inQuotes("abcdef", 3), "'abc…'");
}

TEST(Utf8, acceptsExactlyWhatTheStandardCallsWellFormed) {
    for (const char* good : {"", "a", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                             "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
        EXPECT_TRUE(isUtf8(good)) << escaped(good);
    for (const char* bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xC2", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82",
                            "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE"})
        EXPECT_FALSE(isUtf8(bad)) << escaped(bad);
}

TEST(Text, trimsSplitsJoinsAndLowers) {
    EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
    EXPECT_EQ(trimmed("  "), "");
    EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
    EXPECT_EQ(split("", ','), std::vector<std::string_view>{""});
    EXPECT_EQ(joined({"a", "b"}, ", "), "a, b");
    EXPECT_EQ(joined({}, ", "), "");
    EXPECT_EQ(lowered("TPU-V3 É"), "tpu-v3 É");
}

TEST(Closest, proposesTheNameThatWasProbablyMeant) {
    const std::vector<std::string> known{"tpu-v2-board", "tpu-v3", "v100"};
    EXPECT_EQ(closest("tpu-v4", known), "tpu-v3");
    EXPECT_EQ(closest("TPU-V3", known), "tpu-v3");
    EXPECT_EQ(closest("tpu-v2", known), "tpu-v2-board");
    EXPECT_EQ(closest("cerebras", known), "");
    EXPECT_EQ(closest("", known), "");
    const std::vector<std::string> none;
    EXPECT_EQ(closest("x", none), "");
}

TEST(Sha256, agreesWithThePublishedExamples) {
    // FIPS 180-2, appendix B.
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(RandomStream, dependsOnSeedStreamAndPositionAlone) {
    RandomStream one(1, 2);
    std::vector<std::uint64_t> numbers(100);
    for (auto& number : numbers) number = one.next();
    RandomStream again(1, 2);
    again.seek(50);
    EXPECT_EQ(again.next(), numbers[50]);
    EXPECT_EQ(again.counter(), 51U);
    EXPECT_NE(RandomStream(1, 3).next(), numbers[0]);
    EXPECT_NE(RandomStream(2, 2).next(), numbers[0]);
}

TEST(RandomStream, isUniform) {
    RandomStream stream(7);
    std::vector<int> seen(10);
    double sum = 0;
    for (int i = 0; i < 100'000; ++i) {
        ++seen[stream.below(10)];
        const double u = stream.uniform();
        ASSERT_GE(u, 0);
        ASSERT_LT(u, 1);
        sum += u;
    }
    // Five standard deviations: sqrt(1e5 * 0.1 * 0.9) = 95, sqrt(1e5 / 12) = 91.
    for (const int count : seen) EXPECT_NEAR(count, 10'000, 475);
    EXPECT_NEAR(sum, 50'000, 457);
    EXPECT_EQ(stream.below(1), 0U);
}

TEST(ParallelFor, callsEveryIndexOnce) {
    for (const unsigned threads : {0U, 1U, 3U, 200U}) {
        std::vector<std::atomic<int>> calls(1000);
        parallelFor(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
        for (const auto& count : calls) EXPECT_EQ(count, 1);
    }
    parallelFor(0, 4, [](std::size_t) { FAIL(); });
}

TEST(ParallelFor, rethrowsTheFirstExceptionByIndexForAnyNumberOfThreads) {
    for (const unsigned threads : {1U, 2U, 8U})
        for (int round = 0; round < 50; ++round)
            EXPECT_EQ(messageOf<std::runtime_error>([&] {
                          parallelFor(1000, threads, [](std::size_t i) {
                              if (i % 37 == 36) throw std::runtime_error(std::to_string(i));
                          });
                      }),
                      "36");
}

TEST(ParallelFor, startsNoFurtherTaskAfterAnException) {
    std::atomic<int> calls{0};
    EXPECT_THROW(parallelFor(std::size_t{1} << 40, 2,
                             [&](std::size_t) {
                                 ++calls;
                                 throw std::runtime_error("stop");
                             }),
                 std::runtime_error);
    EXPECT_LE(calls, 2);
}

TEST(ThreadCount, isLimited) {
    EXPECT_GE(threadCount(0), 1U);
    EXPECT_EQ(threadCount(3), 3U);
    EXPECT_EQ(threadCount(1000), 64U);
}

}  // namespace
