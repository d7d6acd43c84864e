#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>

#include "tests/app/cli.h"
#include "tests/support/work.h"

/// Runs that end before their time: Ctrl+C, a crash, a full disk.
namespace tessera::test {
namespace {

namespace fs = std::filesystem;

/// With a study that takes seconds: equal layers are the hardest to prove anything about.
class BrokenOff : public Cli {
protected:
    BrokenOff() {
        std::string layers;
        constexpr int kLayers = kSlowerBuild > 1 ? 1000 : 12'000;
        for (int i = 0; i < kLayers; ++i)
            layers += (i > 0 ? ",\n" : "") + std::string("{\"name\": \"l") + std::to_string(i) +
                      "\", \"kind\": \"fc\", \"in_channels\": 64, \"out_channels\": 64}";
        write("long.json", R"({"schema": "tessera.layers/1", "name": "long", "layers": [)" + layers + "]}");
    }
    static std::vector<std::string> study() {
        return {"partition", "--model", "long.json", "--fleet", "accpar-heterogeneous", "--levels", "2", "--json"};
    }
    std::string uninterrupted() const { return tessera(with(study(), {"--no-store"})).output; }
    std::string shell(const std::vector<std::string>& arguments) const {
        std::string command = "\"$TESSERA\"";
        for (const std::string& argument : arguments) command += " " + argument;
        return command;
    }
};

TEST_F(BrokenOff, byCtrlCEndsWith5AndGoesOnToTheSameBytes) {
    // Held still while it is looked at, so that it is at work when it is told to stop, however quick the machine is.
    const Ended ended =
        runShell(shell(study()) +
                     " & pid=$!; for i in $(seq 500); do kill -STOP $pid; if \"$TESSERA\" history list "
                     "--status running --json 2>/dev/null | grep -q '\"total\": 1'; then kill -INT $pid; "
                     "kill -CONT $pid; break; fi; kill -CONT $pid; sleep 0.005; done; wait $pid",
                 folder_);
    EXPECT_EQ(ended.code, 5);
    EXPECT_EQ(ended.output, "");
    // The run, where it still read its model.
    EXPECT_THAT(ended.errors,
                testing::MatchesRegex("the (partition search|run) was stopped; 'tessera resume 1' continues it\n"));
    const Ended resumed = tessera({"resume", "1", "--json"});
    EXPECT_EQ(resumed.code, 0) << resumed.errors;
    EXPECT_TRUE(resumed.output == uninterrupted()) << "not printed: it is long";
}

/// Killed again and again, each time at another moment: while the history is made, the model is read, the search goes
/// on, a checkpoint is written or taken up.
TEST_F(BrokenOff, byACrashAtAnyMomentLeavesASoundHistoryAndGoesOnToTheSameBytes) {
    std::mt19937 random(20200222);
    std::uniform_int_distribution<int> wait(1, 500);
    int killed = 0;
    for (int i = 0; i < 20; ++i) {
        const bool isKept = fs::exists(path("share/tessera/history.db")) &&
                            tessera({"history", "list", "--json"}).output.find("\"total\": 0") == std::string::npos;
        const std::string seconds = std::to_string(wait(random)) + "e-3";
        const Ended ended =
            runShell(shell(isKept ? std::vector<std::string>{"resume", "1", "--json"} : study()) +
                         " > part.json & pid=$!; sleep $(printf %.3f " + seconds + "); kill -KILL $pid; wait $pid",
                     folder_);
        if (ended.code == 128 + 9) ++killed;
        if (!fs::exists(path("share/tessera/history.db"))) continue;
        const Ended verified = tessera({"history", "verify"});
        ASSERT_EQ(verified.code, 0) << verified.errors << "after crash " << i;
    }
    EXPECT_GE(killed, 10) << "the others came to their end";
    const Ended resumed = tessera({"resume", "1", "--json"});
    EXPECT_EQ(resumed.code, 0) << resumed.errors;
    EXPECT_TRUE(resumed.output == uninterrupted()) << "not printed: it is long";
    EXPECT_EQ(tessera({"history", "verify"}).code, 0);
}

/// A limit on the size of files stands for a full disk.
TEST_F(BrokenOff, byAFullDiskKeepsTheResultThatIsPrinted) {
    const std::vector<std::string> small{"partition", "--model", "zoo:resnet50", "--fleet", "accpar-heterogeneous"};
    const std::string expected = tessera(with(small, {"--no-store"})).output;
    for (const bool isNamed : {false, true}) {
        const std::vector<std::string> where =
            isNamed ? std::vector<std::string>{"--store", "own.db"} : std::vector<std::string>{};
        ASSERT_EQ(tessera(with(kToy, where)).code, 0);
        const Ended ended = runShell("ulimit -f 150; " + shell(with(small, where)), folder_);
        EXPECT_EQ(ended.output, expected);
        EXPECT_EQ(ended.code, isNamed ? 6 : 0) << "a history that was asked for";
        EXPECT_NE(ended.errors.find("run 2 could not be kept whole: "), std::string::npos) << ended.errors;
        EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
        EXPECT_EQ(tessera(with({"history", "verify"}, where)).code, 0);
        const Ended resumed = tessera(with({"resume", "2"}, where));
        EXPECT_EQ(resumed.code, 0) << resumed.errors;
        EXPECT_EQ(resumed.output, expected) << "there is room again";
    }
}

/// The copy is what cannot be written; the history is sound.
TEST_F(BrokenOff, byAFullDiskACopyIsNamedAndNotTheHistory) {
    ASSERT_EQ(tessera(kToy).code, 0);
    for (const std::string command : {"history backup copy.db", "history export 1 --out copy.db"}) {
        const Ended ended = runShell("ulimit -f 40; \"$TESSERA\" " + command, folder_);
        EXPECT_EQ(ended.code, 6);
        EXPECT_EQ(ended.errors,
                  "'copy.db' cannot be written: the disk is full, or the file would be larger than is allowed; free "
                  "some space, or choose another place\n");
        EXPECT_FALSE(fs::exists(path("copy.db")));
    }
    EXPECT_EQ(tessera({"history", "verify"}).code, 0);
}

/// A damaged content is never printed, whatever asks for it.
TEST_F(BrokenOff, byADamagedContentIsRefusedByEveryCommand) {
    ASSERT_EQ(tessera(kToy).code, 0);
    ASSERT_EQ(tessera(with(kToy, {"--batch", "256"})).code, 0);
    const std::string history = path("share/tessera/history.db");
    SQLite::Database(history, SQLite::OPEN_READWRITE)
        .exec(
            "UPDATE result SET document = CAST(substr(document, 1, 60) || x'00' || substr(document, 62) AS BLOB) "
            "WHERE run = 1");
    const std::string sentence = "the history '" + history +
                                 "' is damaged: the result of run 1 is not what was stored; restore a backup of the "
                                 "history, or delete the run\n";
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"history", "show", "1", "--result"},
                                               {"history", "compare", "1", "2"},
                                               {"history", "export", "1", "--out", "x.tessera"},
                                               {"report", "1", "--out", "x.html"},
                                               {"export", "1", "--out", "x.csv"},
                                               {"resume", "1"}}) {
        const Ended ended = tessera(arguments);
        EXPECT_EQ(ended.code, 6) << arguments[0];
        EXPECT_EQ(ended.output, "") << arguments[0];
        EXPECT_EQ(ended.errors, sentence) << arguments[0];
    }
    for (const char* file : {"x.tessera", "x.html", "x.csv"}) EXPECT_FALSE(fs::exists(path(file)));
    const Ended verified = tessera({"history", "verify"});
    EXPECT_EQ(verified.code, 6);
    EXPECT_EQ(verified.output, "the result of run 1 is not what was stored\n");
    EXPECT_EQ(tessera({"history", "show", "2", "--result"}).code, 0);
    EXPECT_EQ(tessera({"history", "delete", "1"}).code, 0) << "what is damaged can be removed";
    EXPECT_EQ(tessera({"history", "vacuum"}).code, 0);
    EXPECT_EQ(tessera({"history", "verify"}).code, 0);
}

TEST_F(BrokenOff, byADamagedEntryIsListedAsSuch) {
    ASSERT_EQ(tessera(kToy).code, 0);
    SQLite::Database(path("share/tessera/history.db"), SQLite::OPEN_READWRITE)
        .exec("UPDATE run SET headline = '999x over DP'");
    const Ended list = tessera({"history", "list"});
    EXPECT_EQ(list.code, 6);
    EXPECT_EQ(list.output.find("999x"), std::string::npos);
    EXPECT_NE(list.output.find("damaged"), std::string::npos);
    EXPECT_NE(list.errors.find("the entry of run 1 is not what was stored"), std::string::npos);
}

}  // namespace
}  // namespace tessera::test
