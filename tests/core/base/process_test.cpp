#include "core/base/process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "tests/support/sanitizers.h"
#include "tests/support/scratch_folder.h"

namespace tessera {

namespace {

template <typename Error>
std::string processError(const std::vector<std::string>& command, const ProcessLimits& limits,
                         const std::stop_token& stop = {}) {
    try {
        runProcess(command, "", limits, stop);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST(Process, givesBackOutputErrorsAndExitCode) {
    const ProcessResult result = runProcess({"sh", "-c", "cat; echo bad >&2; exit 3"}, "some input");
    EXPECT_EQ(result.output, "some input");
    EXPECT_EQ(result.errors, "bad\n");
    EXPECT_EQ(result.exitCode, 3);
}

TEST(Process, carriesMoreThanAChannelHolds) {
    const std::string input(5'000'000, 'x');
    EXPECT_EQ(runProcess({"cat"}, input).output, input);
}

TEST(Process, outlivesAProgramThatReadsNothing) {
    EXPECT_EQ(runProcess({"true"}, std::string(5'000'000, 'x')).exitCode, 0);
}

TEST(Process, namesAProgramThatIsMissing) {
    EXPECT_EQ(processError<FileError>({"tessera-no-such-program"}, {}),
              "the program 'tessera-no-such-program' was not found; it has to be installed");
}

TEST(Process, namesThePackageOfAProgramThatIsMissing) {
    const char* const path = std::getenv("PATH");
    const std::string kept = path == nullptr ? "" : path;
    setenv("PATH", "/nowhere", 1);
    const std::vector<std::string> messages{processError<FileError>({"dot"}, {}), processError<FileError>({"cbc"}, {}),
                                            processError<FileError>({"rsvg-convert"}, {})};
    setenv("PATH", kept.c_str(), 1);
    EXPECT_EQ(messages,
              (std::vector<std::string>{"the program 'dot' was not found; install the package graphviz",
                                        "the program 'cbc' was not found; install the package coinor-cbc",
                                        "the program 'rsvg-convert' was not found; install the package librsvg2-bin"}));
}

TEST(Process, findsProgramsOnThePath) {
    EXPECT_TRUE(programNamed("sh").has_value());
    EXPECT_FALSE(programNamed("tessera-no-such-program").has_value());
    const test::ScratchFolder folder;
    const std::filesystem::path file = folder.path() / "tool";
    std::ofstream(file) << "#!/bin/sh\n";
    EXPECT_FALSE(isProgram(file)) << "it may not be run yet";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    EXPECT_TRUE(isProgram(file));
    EXPECT_FALSE(isProgram(folder.path())) << "a folder";
    EXPECT_EQ(whyNotFound("dot"), "the program 'dot' was not found; install the package graphviz");
}

TEST(Process, getsASmallFixedEnvironment) {
    setenv("TESSERA_SECRET", "x", 1);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    const std::string seen = runProcess({"env"}, "").output;
    unsetenv("TESSERA_SECRET");
    unsetenv("LC_ALL");
    const std::set<std::string> allowed{
        "PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH", "LC_ALL"};
    std::istringstream lines(seen);
    for (std::string line; std::getline(lines, line);)
        EXPECT_TRUE(allowed.contains(line.substr(0, line.find('=')))) << line;
    EXPECT_NE(seen.find("LC_ALL=C.UTF-8\n"), std::string::npos) << seen;
    EXPECT_NE(seen.find("PATH="), std::string::npos) << seen;
}

TEST(Process, isEndedWhenItNeedsMoreMemoryThanItMayUse) {
    if (test::kSanitized) GTEST_SKIP() << "a sanitizer reserves more addresses";
    const ProcessLimits limits{.time = std::chrono::seconds(20), .memory = std::size_t{256} << 20};
    EXPECT_EQ(processError<FileError>({"sh", "-c", "sleep 0.2; dd if=/dev/zero of=/dev/null bs=1G count=1"}, limits),
              "the program 'sh' needs more than its 268 MB of memory");
}

TEST(Process, isEndedByTheSystemWhenItsTimeOnTheProcessorIsOver) {
    const ProcessResult shown = runProcess({"sh", "-c", "sleep 0.1; ulimit -t; ulimit -v; ulimit -c"}, "",
                                           {.time = std::chrono::milliseconds(1500), .memory = std::size_t{1} << 30});
    EXPECT_EQ(shown.output, "3\n1048576\n0\n");
    EXPECT_EQ(processError<FileError>({"sh", "-c", "kill -XCPU $$"}, {}), "the program 'sh' did not end within 60 s");
}

TEST(Process, isKilledWhenItsTimeIsOver) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(processError<FileError>({"sh", "-c", "sleep 600 & sleep 600"},
                                      {.time = std::chrono::milliseconds(100), .output = 1000}),
              "the program 'sh' did not end within 0.1 s");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(300)) << "it was waited for";
}

TEST(Process, isKilledWhenItWritesTooMuch) {
    EXPECT_EQ(processError<FileError>({"yes"}, {.time = std::chrono::seconds(20), .output = 100'000}),
              "the program 'yes' wrote more than 100000 bytes");
}

TEST(Process, isKilledOnAStopRequest) {
    std::stop_source source;
    const std::jthread stopper([&source] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        source.request_stop();
    });
    EXPECT_EQ(processError<InterruptedError>({"sleep", "30"}, {}, source.get_token()),
              "stopped while 'sleep' was running");
}

TEST(Process, showsTheSignalThatEndedIt) {
    EXPECT_EQ(runProcess({"sh", "-c", "kill -TERM $$"}, "").exitCode, 143);
}

}  // namespace tessera
