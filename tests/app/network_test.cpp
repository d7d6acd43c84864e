#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "tests/app/cli.h"
#include "tests/support/paths.h"
#include "tests/support/sanitizers.h"

namespace tessera::test {
namespace {

class Network : public Cli {
protected:
    void SetUp() override {
        if (kSanitized) GTEST_SKIP() << "a sanitizer must be the first library of a program";
    }

    /// What the command did with sockets that reach beyond this machine's own kind, each once.
    std::set<std::string> socketsOf(const std::string& command, int expected = 0) const {
        const std::string log = path("sockets.log");
        std::filesystem::remove(log);
        const Ended ended =
            runShell("TESSERA_SOCKETS=" + log + " LD_PRELOAD=" TESSERA_SOCKET_WATCH " " + command, folder_);
        EXPECT_EQ(ended.code, expected) << command << "\n" << ended.errors;
        std::ifstream stream(log);
        std::set<std::string> lines;
        for (std::string line; std::getline(stream, line);) lines.insert(line);
        return lines;
    }
};

constexpr int kEndedByTimeout = 124;

/// A command of every engine, and those that read and write.
const std::vector<std::string>& commands() {
    static const std::vector<std::string> kCommands{
        "partition --model toy.json --fleet accpar-heterogeneous",
        "map --workload mix --platform S2 --samples 50",
        "predict --model zoo:lenet5 --accelerator a100,v100 --devices 1,8",
        "codesign --model zoo:lenet5 --accelerators 4 --global-batch 16 --search random --samples 5",
        "cost --jobs zoo:lenet5 --dataflow nvdla --pes 64",
        "place --layers bert-large",
        "schedule --operators mixture-of-experts",
        "reproduce accpar-fig7",
        "run resnet50-mixed-tpus",
        "model convert toy.json --to svg --out toy.svg",
        "history list",
        "history verify",
        "report 1 --out report.html",
        "export 1 --what timeline --out step.json"};
    return kCommands;
}

TEST_F(Network, isUsedByNoCommand) {
    for (const std::string& command : commands())
        EXPECT_EQ(socketsOf("\"$TESSERA\" " + command), std::set<std::string>{}) << command;
}

/// Starts a program in a network namespace of its own, where no interface is up, not even the loopback.
std::string alone(const std::string& program) {
    return "unshare --user --map-root-user --net -- " + program;
}

TEST_F(Network, isMissedByNoProgramWhereThereIsNoInterface) {
    const Ended tried = runShell(alone("cat /proc/net/dev"), folder_);
    if (tried.code != 0) GTEST_SKIP() << "this kernel lets nobody make a network namespace: " << tried.errors;
    ASSERT_EQ(tried.output.find("eth"), std::string::npos) << tried.output;
    for (const std::string& command : commands()) {
        const Ended ended = runShell(alone("\"$TESSERA\" " + command), folder_);
        EXPECT_EQ(ended.code, 0) << command << "\n" << ended.errors;
    }
    const Ended measured =
        runShell(alone("\"$TESSERA\" calibrate --quick --time-limit 10s --out machine.json --no-tcp"), folder_);
    EXPECT_EQ(measured.code, 0) << measured.errors;
    EXPECT_TRUE(std::filesystem::exists(path("machine.json")));
    const std::filesystem::path studio = program().parent_path() / "tessera-studio";
    if (!std::filesystem::exists(studio)) return;
    EXPECT_EQ(runShell("QT_QPA_PLATFORM=offscreen timeout 5 " + alone(studio.string()), folder_).code, kEndedByTimeout);
}

TEST_F(Network, isLoopbackAloneWhereCalibrateSumsByTcp) {
    const std::string calibrate = "\"$TESSERA\" calibrate --quick --time-limit 10s --out machine.json";
    const std::set<std::string> sockets = socketsOf(calibrate);
    // On a busy machine the time may be over before the all-reduce; what it was measured by stands in the file.
    const bool measured = readFile(path("machine.json")).find("by TCP sockets") != std::string::npos;
    EXPECT_EQ(sockets, measured ? std::set<std::string>({"bind 127.0.0.1", "connect 127.0.0.1", "socket 2"})
                                : std::set<std::string>{});
    EXPECT_EQ(socketsOf(calibrate + " --no-tcp"), std::set<std::string>{});
    EXPECT_EQ(readFile(path("machine.json")).find("by TCP sockets"), std::string::npos);
}

TEST_F(Network, isNotUsedByTheStudio) {
    const std::filesystem::path studio = program().parent_path() / "tessera-studio";
    if (!std::filesystem::exists(studio)) GTEST_SKIP() << "the studio is not built";
    EXPECT_EQ(socketsOf("QT_QPA_PLATFORM=offscreen timeout 5 " + studio.string(), kEndedByTimeout),
              std::set<std::string>{});
}

}  // namespace
}  // namespace tessera::test
