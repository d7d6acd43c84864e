#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/base/character.h"
#include "core/base/error.h"
#include "core/base/escape.h"
#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/base/parallel.h"
#include "core/base/part.h"
#include "core/base/random.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "tests/support/scratch_folder.h"

namespace fs = std::filesystem;
using namespace tessera;

namespace {

class FolderTest : public testing::Test {
protected:
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
        return names;
    }
    test::ScratchFolder folder;
};

template <typename Error, typename Action>
std::string errorText(const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no such error";
}

using FileIo = FolderTest;

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
    EXPECT_EQ(errorText<FileError>([&] { readFile(path); }), "cannot read '" + path + "': there is no such file");
    EXPECT_EQ(errorText<FileError>([&] { readFile(folder); }),
              "cannot read '" + folder.path().string() + "': it is a folder");
}

TEST_F(FileIo, namesTheLimitThatAFileExceeds) {
    writeFile(folder / "a", std::string((std::size_t{1} << 20) + 1, 'x'));
    EXPECT_EQ(errorText<DataError>([&] { readFile(folder / "a", std::uintmax_t{1} << 20); }),
              (folder / "a").string() + ": found more than 1048576 bytes; expected a file of at most 1 MiB");
    EXPECT_EQ(readFile(folder / "a", (std::uintmax_t{1} << 20) + 1).size(), (std::size_t{1} << 20) + 1);
}

TEST_F(FileIo, refusesDevicesAtOnce) {
    for (const std::string device : {"/dev/zero", "/dev/urandom", "/dev/null"})
        EXPECT_EQ(errorText<FileError>([&] { readFile(device); }),
                  "cannot read '" + device + "': it is not a regular file but a device");
}

TEST_F(FileIo, refusesAPipeThatNobodyWritesTo) {
    const fs::path pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(errorText<FileError>([&] { readFile(pipe); }),
              "cannot read '" + pipe.string() + "': it is not a regular file but a pipe, and nothing writes to it");
    EXPECT_EQ(errorText<FileError>([&] { writeFile(pipe, "x"); }),
              "cannot write '" + pipe.string() + "': it is a pipe, and nothing reads from it");
}

TEST_F(FileIo, readsAPipeWhoseWriterComesLateAndIsSlow) {
    const fs::path pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const std::jthread writer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        std::ofstream stream(pipe);
        for (int i = 0; i < 3; ++i) {
            stream << "part " << i << std::endl;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    });
    EXPECT_EQ(readFile(pipe), "part 0\npart 1\npart 2\n");
}

TEST_F(FileIo, enforcesTheLimitOnAPipeToo) {
    const fs::path pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::signal(SIGPIPE, SIG_IGN);
    const std::jthread writer([&] { std::ofstream(pipe) << std::string(300'000, 'x'); });
    EXPECT_EQ(errorText<DataError>([&] { readFile(pipe, 70'000); }),
              pipe.string() + ": found more than 70000 bytes; expected a file of at most 0 MiB");
}

TEST_F(FileIo, readsEveryFileOnceWithinARun) {
    const fs::path one = folder / "one", other = folder / "other";
    writeFile(one, "before");
    const auto files = std::make_shared<InputFiles>();
    files->give(other, "given");
    {
        const InputScope scope(files);
        EXPECT_EQ(readFile(one), "before");
        writeFile(one, "after");
        EXPECT_EQ(readFile(one), "before");
        EXPECT_EQ(readFile(folder / "x" / ".." / "one"), "before") << "the same file";
        EXPECT_EQ(readFromDisk(one), "after");
        EXPECT_EQ(readFile(other), "given") << "although there is none";
        EXPECT_TRUE(isFile(other));
        EXPECT_TRUE(namesFile(other.string()));
        EXPECT_FALSE(isFile(folder / "third"));
        EXPECT_THROW(readFile(folder / "third"), FileError);
        EXPECT_EQ(errorText<DataError>([&] { readFile(other, 3); }),
                  other.string() + ": found 5 bytes; expected at most 0 MiB");
        {
            const InputScope inner;
            EXPECT_EQ(readFile(one), "before") << "those of the scope around";
            const InputScope own(std::make_shared<InputFiles>());
            EXPECT_EQ(readFile(one), "after");
            EXPECT_FALSE(isFile(other));
        }
        EXPECT_EQ(readFile(one), "before");
        std::jthread([&] { EXPECT_EQ(readFile(one), "after") << "another thread's"; }).join();
    }
    EXPECT_EQ(readFile(one), "after");
    EXPECT_FALSE(isFile(other));
}

TEST_F(FileIo, makesItsNewFileUnderANameThatNobodyKnowsBefore) {
    // Two files in a row are made beside each other under different names, which a watcher sees.
    const int watcher = inotify_init1(IN_NONBLOCK);
    ASSERT_GE(watcher, 0);
    inotify_add_watch(watcher, folder.path().c_str(), IN_CREATE);
    writeFile(folder / "a", "1");
    writeFile(folder / "a", "2");
    alignas(inotify_event) char buffer[4096];
    const ssize_t size = read(watcher, buffer, sizeof buffer);
    close(watcher);
    std::set<std::string> names;
    for (ssize_t at = 0; at < size;) {
        const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
        names.insert(event->name);
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
    EXPECT_EQ(names.size(), 2U);
    for (const std::string& name : names) EXPECT_THAT(name, testing::MatchesRegex("a\\.[0-9]+-[0-9a-f]{8}\\.part"));
}

TEST_F(FileIo, leavesNothingBehindWhereItCannotWrite) {
    const std::string path = (folder / "none" / "a").string();
    EXPECT_EQ(errorText<FileError>([&] { writeFile(path, "x"); }),
              "cannot write '" + path + "': there is no folder '" + (folder / "none").string() + "'");
    EXPECT_EQ(errorText<FileError>([&] { writeFile(folder, "x"); }),
              "cannot write '" + folder.path().string() + "': it is a folder");
    EXPECT_TRUE(files().empty());
}

TEST_F(FileIo, replacesWhatASymbolicLinkPointsToAndKeepsTheLink) {
    writeFile(folder / "a", "old");
    fs::create_symlink("a", folder / "link");
    writeFile(folder / "link", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(readFile(folder / "a"), "new");
}

TEST_F(FileIo, whatIsWrittenFirstHasANewNameThatNobodyFoundOut) {
    const fs::path first = makePart(folder / "a");
    const fs::path second = makePart(folder / "a");
    EXPECT_NE(first, second);
    const std::string head = (folder / "a.").string() + std::to_string(getpid()) + "-";
    for (const fs::path& part : {first, second}) {
        EXPECT_EQ(part.string().size(), head.size() + std::string("01234567.part").size());
        EXPECT_TRUE(part.string().starts_with(head) && part.string().ends_with(".part")) << part;
        EXPECT_EQ(fs::file_size(part), 0U);
    }
    EXPECT_EQ(errorText<FileError>([&] { makePart(folder / "none" / "a"); }),
              "cannot write '" + (folder / "none" / "a").string() + "': No such file or directory");
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

TEST(Temporary, foldersAreOfTheirOwnAndGoAway) {
    fs::path path;
    {
        const tessera::TemporaryFolder folder;
        path = folder.path();
        writeFile(path / "a", "x");
        EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST(Temporary, foldersThatCannotBeMadeNameTmpdir) {
    const char* const given = std::getenv("TMPDIR");
    const std::string kept = given == nullptr ? "" : given;
    setenv("TMPDIR", "/proc/none", 1);
    const std::string none = errorText<FileError>([] { const tessera::TemporaryFolder folder; });
    setenv("TMPDIR", "/proc", 1);
    const std::string sealed = errorText<FileError>([] { const tessera::TemporaryFolder folder; });
    given == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
    EXPECT_EQ(none,
              "no temporary folder can be made in '/proc/none' (No such file or directory); set TMPDIR to a folder "
              "that can be written");
    EXPECT_EQ(sealed,
              "no temporary folder can be made in '/proc' (No such file or directory); set TMPDIR to a folder that can "
              "be written");
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

TEST(Escaped, showsWhatNobodySeesAndWhatTurnsText) {
    EXPECT_EQ(escaped("a\u200Bb\u200Fc\u061Cd\u2066e\uFEFFf"),
              "a\\xE2\\x80\\x8Bb\\xE2\\x80\\x8Fc\\xD8\\x9Cd\\xE2\\x81\\xA6e\\xEF\\xBB\\xBFf");
    EXPECT_EQ(escaped("\U000E0041"), "\\xF3\\xA0\\x81\\x81");
}

TEST(DisplayWidth, countsColumnsOfATerminal) {
    EXPECT_EQ(displayWidth(""), 0U);
    EXPECT_EQ(displayWidth("µ×é"), 3U);
    EXPECT_EQ(displayWidth("層1"), 3U);
    EXPECT_EQ(displayWidth("한국어"), 6U);
    EXPECT_EQ(displayWidth("e\u0301"), 1U);
    EXPECT_EQ(displayWidth("😀"), 2U);
    EXPECT_EQ(displayWidth("ＡＢ"), 4U);
    EXPECT_EQ(displayWidth("\xFF"), 1U);
    EXPECT_EQ(displayWidth("▇▁–…"), 4U);
}

TEST(SheetText, keepsFormulasFromBeingComputedAndNumbersFromBecomingText) {
    for (const std::string formula : {"=1+1", "+1+cmd", "-A1", "@SUM(A1)", " =1", "＝1", "-1+2", "-inf", "-"})
        EXPECT_EQ(sheetText(formula), "'" + formula);
    for (const std::string number : {"-1", "-1.5e-7", "+3", "-0.1 %", "-1,024", "0"})
        EXPECT_EQ(sheetText(number), number);
    for (const std::string plain : {"conv1", "a=b", "a-b", "'a'", "", "'-5"}) EXPECT_EQ(sheetText(plain), plain);
    EXPECT_EQ(sheetText("\t=1"), "\\x09=1");
    for (const std::string text : {"=1", "'=1", "\'\'=1", "-5", "'-5", "'", "\'\'", "a", " =1", "'a"})
        EXPECT_EQ(fromSheet(sheetText(text)), text);
}

TEST(CsvCell, isQuotedWhereAReaderWouldSplitIt) {
    EXPECT_EQ(csvCell("plain"), "plain");
    EXPECT_EQ(csvCell("a,b"), "\"a,b\"");
    EXPECT_EQ(csvCell("a;=b"), "\"a;=b\"");
    EXPECT_EQ(csvCell("a\"b"), "\"a\"\"b\"");
    EXPECT_EQ(csvCell(" a"), "\" a\"");
    EXPECT_EQ(csvCell("#a"), "\"#a\"");
    EXPECT_EQ(csvCell("a\r\n=1"), "a\\x0D\\x0A=1");
    EXPECT_EQ(csvCell("=HYPERLINK(\"http://x\",\"y\")"), "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"");
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
            EXPECT_EQ(errorText<std::runtime_error>([&] {
                          parallelFor(1000, threads, [](std::size_t i) {
                              if (i % 37 == 36) throw std::runtime_error(std::to_string(i));
                          });
                      }),
                      "36");
}

TEST(ParallelFor, tasksMayHaveTasksOfTheirOwn) {
    std::atomic<int> calls{0};
    parallelFor(8, 8, [&](std::size_t) {
        parallelFor(8, 8, [&](std::size_t) { parallelFor(4, 4, [&](std::size_t) { ++calls; }); });
    });
    EXPECT_EQ(calls, 8 * 8 * 4);
}

TEST(ParallelFor, isAskedBySeveralAtOnce) {
    std::vector<std::size_t> sums(6, 0);
    {
        std::vector<std::jthread> askers;
        for (std::size_t& sum : sums)
            askers.emplace_back([&sum] {
                for (int round = 0; round < 200; ++round) {
                    std::vector<std::size_t> found(16, 0);
                    parallelFor(found.size(), 4, [&](std::size_t i) { found[i] = i; });
                    sum += std::accumulate(found.begin(), found.end(), std::size_t{0});
                }
            });
    }
    for (const std::size_t sum : sums) EXPECT_EQ(sum, 200U * 120U);
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
