#include "core/base/process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/error.h"

namespace tessera {

namespace {

template <typename Error>
std::string messageOf(const std::vector<std::string>& command, const ProcessLimits& limits,
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
    EXPECT_EQ(messageOf<FileError>({"tessera-no-such-program"}, {}),
              "the program 'tessera-no-such-program' was not found; it has to be installed");
}

TEST(Process, isKilledWhenItsTimeIsOver) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(messageOf<FileError>({"sh", "-c", "sleep 30 & sleep 30"}, {std::chrono::milliseconds(100), 1000}),
              "the program 'sh' did not end within 0.1 s");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Process, isKilledWhenItWritesTooMuch) {
    EXPECT_EQ(messageOf<FileError>({"yes"}, {std::chrono::seconds(20), 100'000}),
              "the program 'yes' wrote more than 100000 bytes");
}

TEST(Process, isKilledOnAStopRequest) {
    std::stop_source source;
    const std::jthread stopper([&source] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        source.request_stop();
    });
    EXPECT_EQ(messageOf<InterruptedError>({"sleep", "30"}, {}, source.get_token()),
              "stopped while 'sleep' was running");
}

TEST(Process, showsTheSignalThatEndedIt) {
    EXPECT_EQ(runProcess({"sh", "-c", "kill -TERM $$"}, "").exitCode, 143);
}

}  // namespace tessera
