#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/store/documents.h"
#include "core/store/store.h"
#include "tests/app/cli.h"
#include "tests/support/schema.h"

/// What the command line keeps, and what can be done with it.
namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class HistoryCommand : public Cli {
protected:
    json document(const std::vector<std::string>& arguments) const {
        const Ended ended = tessera(with(arguments, {"--json"}));
        EXPECT_EQ(ended.code, 0) << arguments.front() << ended.errors;
        const json result = json::parse(ended.output);
        const std::string schema = result["schema"];
        EXPECT_EQ(schemaErrors(result, schema.substr(8, schema.find('/') - 8) + ".schema.json"), "");
        std::vector<std::string> keys;
        const auto inOrder = nlohmann::ordered_json::parse(ended.output);
        for (const auto& [key, value] : inOrder.items()) keys.push_back(key);
        EXPECT_EQ(std::vector<std::string>(keys.begin(), keys.begin() + 3),
                  (std::vector<std::string>{"schema", "tool_version", "command"}));
        EXPECT_EQ(std::vector<std::string>(keys.end() - 2, keys.end()),
                  (std::vector<std::string>{"assumptions", "warnings"}));
        return result;
    }
    json runs(const std::vector<std::string>& more = {}) const {
        return document(with({"history", "list"}, more))["runs"];
    }
    std::string contents(const std::string& name) const {
        std::ifstream in(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

TEST_F(HistoryCommand, everyRunIsKeptUnlessAskedNotTo) {
    EXPECT_TRUE(runs().empty());
    EXPECT_FALSE(fs::exists(path("share/tessera/history.db"))) << "listing leaves nothing behind";
    ASSERT_EQ(tessera(kToy).code, 0);
    ASSERT_EQ(tessera(with(kToy, {"--no-store"})).code, 0);
    const json kept = runs();
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept[0]["status"], "done");
    EXPECT_EQ(kept[0]["engine"], "partition");
    EXPECT_EQ(kept[0]["models"], "toy.json");
    EXPECT_NE(kept[0]["headline"].get<std::string>().find("over data parallelism"), std::string::npos);
}

TEST_F(HistoryCommand, aStoredResultIsTheBytesThatTheRunPrinted) {
    const std::string printed = tessera(with(kToy, {"--json"})).output;
    EXPECT_EQ(tessera({"history", "show", "last", "--result"}).output, printed);
    EXPECT_EQ(tessera({"resume", "last", "--json"}).output, printed);
}

TEST_F(HistoryCommand, aNamedHistoryIsUsedBeforeAndAfterTheCommand) {
    ASSERT_EQ(tessera(with({"--store", "own.db"}, kToy)).code, 0);
    ASSERT_EQ(tessera(with(kToy, {"--store", "own.db"})).code, 0);
    EXPECT_EQ(runs({"--store", "own.db"}).size(), 2U);
    EXPECT_TRUE(runs().empty());
}

TEST_F(HistoryCommand, filtersSortsAndSearches) {
    for (const std::string batch : {"128", "256", "512"}) ASSERT_EQ(tessera(with(kToy, {"--batch", batch})).code, 0);
    document({"history", "tag", "2", "spring", "a tag with spaces"});
    document({"history", "note", "2", "bought; \"quoted\" OR dropped"});
    document({"history", "star", "3"});
    EXPECT_EQ(runs({"--tag", "spring"}).size(), 1U);
    EXPECT_EQ(runs({"--starred"})[0]["run"], 3);
    EXPECT_EQ(runs({"--limit", "2"}).size(), 2U);
    EXPECT_EQ(runs({"--since", "2020-01-01", "--until", "2020-01-02"}).size(), 0U);
    const json sorted = runs({"--sort", "step_time_s", "--ascending"});
    for (std::size_t i = 1; i < sorted.size(); ++i)
        EXPECT_LE(sorted[i - 1]["metrics"]["step_time_s"], sorted[i]["metrics"]["step_time_s"]);
    const double median = sorted[1]["metrics"]["step_time_s"];
    EXPECT_EQ(runs({"--max", "step_time_s=" + json(median).dump()}).size(), 2U);
    EXPECT_EQ(runs({"--min", "step_time_s=1 ns", "--max", "step_time_s=1000 s"}).size(), 3U);
    EXPECT_EQ(runs({"--min", "memory_bytes=1 PiB"}).size(), 0U);
    EXPECT_EQ(runs({"--least", "memory_bytes=1 PiB"}).size(), 0U) << "the spelling of older versions";
    EXPECT_EQ(runs({"--most", "step_time_s=" + json(median).dump()}).size(), 2U) << "the spelling of older versions";
    EXPECT_EQ(document({"history", "search", "spri"})["total"], 1);
    EXPECT_EQ(document({"history", "search", "quoted", "drop"})["total"], 1);
    EXPECT_EQ(document({"history", "search", "\"*(NEAR"})["total"], 0);
    EXPECT_EQ(document({"history", "search", "toy"})["total"], 3);
    document({"history", "tag", "2", "spring", "--remove"});
    EXPECT_EQ(runs({"--tag", "spring"}).size(), 0U);
}

TEST_F(HistoryCommand, listsTheColumnsAndRunsThatAreAskedFor) {
    for (const std::string batch : {"128", "256"}) ASSERT_EQ(tessera(with(kToy, {"--batch", batch})).code, 0);
    const auto head = [&](const std::vector<std::string>& more) {
        const Ended ended = tessera(with({"history", "list"}, more));
        EXPECT_EQ(ended.code, 0) << ended.errors;
        return ended.output.substr(0, ended.output.find('\n'));
    };
    EXPECT_NE(head({}).find("result"), std::string::npos);
    EXPECT_EQ(head({}).find("step_time_s"), std::string::npos);
    EXPECT_NE(head({"--engine", "partition"}).find("step_time_s"), std::string::npos) << "its own numbers";
    const std::string chosen = head({"--columns", "name, result,step_time_s"});
    EXPECT_LT(chosen.find("name"), chosen.find("result"));
    EXPECT_LT(chosen.find("result"), chosen.find("step_time_s"));
    EXPECT_TRUE(runs({"--columns", "step_time_s"})[0]["metrics"].contains("step_time_s"));
    const Ended wrong = tessera({"history", "list", "--columns", "name,step_time"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_NE(wrong.errors.find("did you mean 'step_time_s'?"), std::string::npos) << wrong.errors;
    EXPECT_EQ(runs({"--where", "step time < 1000 s", "--where", "since: 2 days"}).size(), 2U);
    EXPECT_EQ(runs({"--where", "engine: mapping"}).size(), 0U);
    EXPECT_EQ(tessera({"history", "list", "--where", "soon"}).code, 2);
    document({"history", "export", "1", "--out", "one.tessera"});
    document({"history", "import", "one.tessera", "--store", "other.db"});
    EXPECT_EQ(runs({"--imported", "--store", "other.db"}).size(), 1U);
    EXPECT_EQ(runs({"--imported"}).size(), 0U);
    EXPECT_NE(head({"--store", "other.db"}).find("origin"), std::string::npos);
    EXPECT_EQ(head({}).find("origin"), std::string::npos);
}

TEST_F(HistoryCommand, hardwareOfOnesOwnIsMarkedInTheList) {
    fs::create_directories(path("share/tessera/fleets"));
    write("share/tessera/fleets/my-fleet.json",
          R"({"schema": "tessera.fleet/1", "name": "My fleet", "groups": [{"name": "g", "accelerator": "h100"}]})");
    std::size_t own = 0;
    const json list = document({"hardware", "list", "--kind", "fleet"})["hardware"];
    for (const json& entry : list) {
        EXPECT_EQ(entry["own"], entry["id"] == "my-fleet");
        own += entry["own"] == true ? 1 : 0;
    }
    EXPECT_EQ(own, 1U);
    EXPECT_NE(tessera({"hardware", "list", "--kind", "fleet"}).output.find("My fleet"), std::string::npos);
}

TEST_F(HistoryCommand, comparesWhatDiffers) {
    ASSERT_EQ(tessera(with(kToy, {"--ratio", "equal"})).code, 0);
    ASSERT_EQ(tessera(with(kToy, {"--batch", "256"})).code, 0);
    const json comparison = document({"history", "compare", "1", "2"});
    EXPECT_EQ(comparison["runs"].size(), 2U);
    EXPECT_FALSE(comparison["warnings"].empty()) << "another batch makes step times hard to compare";
    bool batch = false;
    for (const json& row : comparison["input_differences"])
        batch = batch || (row["field"] == "batch" && row["values"] == json::array({"512", "256"}));
    EXPECT_TRUE(batch);
    EXPECT_EQ(comparison["inputs"][0]["name"], "toy.json");
    EXPECT_EQ(comparison["inputs"].size(), 4U) << "the model, the fleet and its two accelerators, each once";
    const Ended text = tessera({"history", "compare", "1", "2"});
    EXPECT_NE(text.output.find("Metrics"), std::string::npos);
}

TEST_F(HistoryCommand, showsWhatARunRestsOnAndWhatItsMetricsAreCalled) {
    const json result = document(kToy);
    const json shown = document({"history", "show", "last"});
    const auto sorted = [](json inputs) {
        std::sort(inputs.begin(), inputs.end());
        return inputs;
    };
    EXPECT_EQ(sorted(shown["inputs"]), sorted(result["inputs"]));
    const Ended text = tessera({"history", "show", "1"});
    EXPECT_NE(text.output.find(result["inputs"][0]["sha256"].get<std::string>()), std::string::npos);
    EXPECT_NE(text.output.find("accpar/step_time_s"), std::string::npos) << "what --sort and --min take";
}

TEST_F(HistoryCommand, runsAreFoundByTheirNamesToo) {
    write("study.json", R"({"schema": "tessera.study/1", "engine": "partition", "name": "Spring order",
"models": ["toy.json"], "hardware": ["accpar-heterogeneous"]})");
    ASSERT_EQ(tessera({"run", "study.json"}).code, 0);
    EXPECT_EQ(document({"history", "show", "Spring order"})["run"], 1);
    ASSERT_EQ(tessera({"run", "study.json"}).code, 0);
    const Ended twice = tessera({"history", "show", "Spring order"});
    EXPECT_EQ(twice.code, 2);
    EXPECT_NE(twice.errors.find("several runs have the name 'Spring order'"), std::string::npos);
}

TEST_F(HistoryCommand, exportsAndImportsOnce) {
    ASSERT_EQ(tessera(kToy).code, 0);
    const std::string result = tessera({"history", "show", "1", "--result"}).output;
    document({"history", "export", "1", "--out", "one.tessera"});
    const json first = document({"history", "import", "one.tessera", "--store", "other.db"});
    EXPECT_EQ(first["added"], 1);
    EXPECT_EQ(document({"history", "import", "one.tessera", "--store", "other.db"})["present"], 1);
    EXPECT_EQ(tessera({"history", "show", "1", "--result", "--store", "other.db"}).output, result);
    EXPECT_TRUE(document({"history", "verify", "--store", "other.db"})["sound"]);
    EXPECT_EQ(document({"history", "show", "1", "--store", "other.db"})["imported_from"], "one.tessera");
    EXPECT_NE(tessera({"history", "show", "1", "--store", "other.db"}).output.find("from one.tessera on 20"),
              std::string::npos);
    EXPECT_FALSE(document({"history", "show", "1"}).contains("imported_from"));
    document({"history", "export", "1", "--format", "optuna", "--out", "optuna.db"});
    EXPECT_TRUE(fs::file_size(path("optuna.db")) > 0);
}

TEST_F(HistoryCommand, takesInTheSoundRunsOfADamagedHistory) {
    for (int i = 0; i < 3; ++i) ASSERT_EQ(tessera(kToy).code, 0);
    document({"history", "export", "1", "2", "3", "--out", "three.tessera"});
    SQLite::Database(path("three.tessera"), SQLite::OPEN_READWRITE)
        .exec("UPDATE run SET headline = '999x, proven optimal' WHERE id = 2");
    const std::string why =
        "the history 'three.tessera' is damaged: the entry of run 2 is not what was stored; restore a backup of the "
        "history, or delete the run";
    const Ended text = tessera({"history", "import", "three.tessera", "--store", "other.db"});
    EXPECT_EQ(text.code, 6);
    EXPECT_EQ(text.output, "2 runs added, 0 already here\n");
    EXPECT_EQ(text.errors, "run 2 was left out: " + why + "\n");
    const Ended again = tessera({"history", "merge", "three.tessera", "--store", "other.db", "--json"});
    EXPECT_EQ(again.code, 6);
    const json counted = json::parse(again.output);
    EXPECT_EQ(schemaErrors(nlohmann::json::parse(again.output), "history-change.schema.json"), "");
    EXPECT_EQ(counted["present"], 2);
    EXPECT_EQ(counted["warnings"], json::array({"Run 2 was left out: " + why + "."}));
    EXPECT_TRUE(document({"history", "verify", "--store", "other.db"})["sound"]);
}

TEST_F(HistoryCommand, keepsASweepTogetherThatIsTakenIn) {
    write("study.json", R"({"schema": "tessera.study/1", "engine": "partition", "models": ["toy.json"],
"hardware": ["accpar-heterogeneous"]})");
    ASSERT_EQ(tessera({"sweep", "study.json", "--over", "batch=64,128", "--quiet"}).code, 0);
    document({"history", "export", "1", "2", "--out", "two.tessera"});
    document({"history", "import", "two.tessera", "--store", "other.db"});
    const store::Store other = store::Store::open(path("other.db"), store::OpenMode::readOnly);
    ASSERT_TRUE(other.sweepOf(1));
    EXPECT_EQ(other.sweepOf(1)->runs.size(), 2U);
    EXPECT_EQ(other.sweepOf(1)->document, other.sweepOf(2)->document);
}

TEST_F(HistoryCommand, deletesWithAWayBack) {
    ASSERT_EQ(tessera(kToy).code, 0);
    ASSERT_EQ(tessera(kToy).code, 0);
    document({"history", "delete", "1"});
    EXPECT_EQ(runs().size(), 1U);
    EXPECT_EQ(runs({"--deleted"}).size(), 1U);
    document({"history", "delete", "1", "--restore"});
    EXPECT_EQ(runs().size(), 2U);
    document({"history", "delete", "1"});
    EXPECT_EQ(document({"history", "vacuum"})["removed"], 1);
    EXPECT_EQ(runs({"--deleted"}).size(), 0U);
    document({"history", "backup", "copy.db"});
    EXPECT_EQ(runs({"--store", "copy.db"}).size(), 1U);
    EXPECT_EQ(document({"history", "merge", "copy.db"})["present"], 1);
}

class StoppedCommand : public HistoryCommand {
protected:
    /// The program's end when it is interrupted as soon as a condition of the shell holds.
    Ended interrupted(const std::string& command, const std::string& when) const {
        return runShell("\"$TESSERA\" " + command + " & pid=$!; for i in $(seq 5000); do " + when +
                            " && break; sleep 0.002; done; kill -INT $pid; wait $pid",
                        folder_);
    }
    std::vector<std::string> parts() const {
        std::vector<std::string> found;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
            if (entry.path().string().find(".part") != std::string::npos) found.push_back(entry.path().filename());
        return found;
    }
};

TEST_F(StoppedCommand, aCopyEndsSoonAndLeavesNothing) {
    ASSERT_EQ(tessera(with(kToy, {"--store", "large.db"})).code, 0);
    {
        SQLite::Database large(path("large.db"), SQLite::OPEN_READWRITE);
        large.exec(
            "INSERT INTO artifact(run, kind, media_type, size, content) "
            "VALUES(1, 'large', 'text/plain', 400000000, zeroblob(400000000))");
    }
    const Ended ended = interrupted("history backup copy.db --store large.db", "[ -n \"$(ls copy.db.*.part 2>&-)\" ]");
    EXPECT_EQ(ended.code, 5) << ended.errors;
    EXPECT_EQ(ended.errors,
              "the copy to copy.db was stopped; run 'tessera history backup' again with the same arguments\n");
    EXPECT_TRUE(parts().empty()) << parts().front();
    EXPECT_FALSE(fs::exists(path("copy.db")));
}

TEST_F(StoppedCommand, whatWaitsForAnotherProgramEndsSoon) {
    ASSERT_EQ(tessera(kToy).code, 0);
    ASSERT_EQ(tessera(with(kToy, {"--store", "other.db"})).code, 0);
    SQLite::Database other(path("share/tessera/history.db"), SQLite::OPEN_READWRITE);
    other.exec("BEGIN IMMEDIATE");
    const Ended vacuum = interrupted("history vacuum", "[ $i -gt 150 ]");
    EXPECT_EQ(vacuum.code, 5);
    EXPECT_EQ(vacuum.errors,
              "tidying the history was stopped; run 'tessera history vacuum' again with the same arguments\n");
    const Ended merge = interrupted("history merge other.db", "[ $i -gt 150 ]");
    EXPECT_EQ(merge.code, 5);
    EXPECT_EQ(merge.errors,
              "taking in other.db was stopped; run 'tessera history merge' again with the same arguments\n");
    other.exec("ROLLBACK");
    EXPECT_EQ(document({"history", "merge", "other.db"})["added"], 1);
}

TEST_F(HistoryCommand, aHistoryThatCannotBeWrittenDoesNotLoseTheResult) {
    fs::create_directory(path("folder.db"));
    const Ended named = tessera(with(kToy, {"--store", "folder.db"}));
    EXPECT_EQ(named.code, 6);
    EXPECT_NE(named.output.find("over data parallelism"), std::string::npos) << "the result is shown first";
    EXPECT_NE(named.errors.find("folder.db"), std::string::npos);
    fs::create_directories(path("share"));
    write("share/tessera", "a file where a folder should be");
    const Ended standard = tessera(kToy);
    EXPECT_EQ(standard.code, 0) << standard.errors;
    EXPECT_NE(standard.errors, "") << "it says that the run was not kept";
}

TEST_F(HistoryCommand, wrongRunsAndFilesGetASentence) {
    ASSERT_EQ(tessera(kToy).code, 0);
    write("garbage.db", "this is no history");
    const std::vector<std::pair<std::vector<std::string>, int>> cases{
        {{"history", "show", "99"}, 2},
        {{"history", "show", "nothing"}, 2},
        {{"history", "list", "--status", "merry"}, 2},
        {{"history", "list", "--since", "yesterday"}, 2},
        {{"history", "list", "--until", "2026-02-30"}, 2},
        {{"history", "list", "--min", "step_tim_s=1"}, 2},
        {{"history", "list", "--max", "step_time_s=1 mile"}, 2},
        {{"history", "list", "--store", ""}, 2},
        {{"history", "list", "--sort", "step_tim_s"}, 2},
        {{"history", "compare", "1"}, 2},
        {{"history", "export", "1", "--out", "x", "--format", "csv"}, 2},
        {{"history", "import", "garbage.db"}, 6},
        {{"history", "import", "missing.tessera"}, 6},
        {{"history", "list", "--store", "garbage.db"}, 6},
        {{"history", "list", "--store", "missing.db"}, 6},
        {{"export", "1", "--what", "chart", "--out", "x.docx"}, 2},
        {{"export", "1", "--what", "chart", "--name", "nothing", "--out", "x.svg"}, 2},
        {{"export", "1", "--out", ""}, 2},
        {{"export", "1", "--out", "x"}, 2},
        {{"export", "1", "--out", "x.csv", "--what", "everything"}, 2},
        {{"export", "1", "--out", "x.csv", "--theme", "blue"}, 2},
        {{"export", "1", "--out", "x.csv", "--scale", "9"}, 2},
        {{"export", "1", "--out", "x.csv", "--strategy", "nothing"}, 2},
        {{"export", "1", "--what", "timeline", "--name", "types", "--out", "x.json"}, 2},
        {{"export", "1", "--out", "no/such/x.csv"}, 6},
        {{"export", "99", "--out", "x.csv"}, 2},
        {{"history", "backup", ""}, 2},
        {{"history", "backup", "."}, 6},
        {{"history", "backup", "no/such/copy.db"}, 6},
        {{"history", "backup", "share/tessera/history.db"}, 6},
        {{"history", "export", "1", "--out", ""}, 2},
        {{"history", "export", "1", "--out", "share/tessera/history.db"}, 6},
        {{"history", "export", "1", "2", "--format", "optuna", "--out", "x"}, 2},
        {{"history", "import", ""}, 2},
        {{"history", "import", "."}, 6},
        {{"history", "import", "/dev/null"}, 6},
        {{"history", "merge", "share/tessera/history.db"}, 2},
        {{"history", "tag", "1", " "}, 2},
        {{"history", "compare", "1", "1"}, 2},
        {{"history", "list", "--limit", "0"}, 2},
        {{"history", "list", "--min", "=3"}, 2},
        {{"history", "delete", "1", "99"}, 2},
        {{"report", "1", "--out", "x.docx"}, 2},
        {{"report", "1", "--out", ""}, 2},
        {{"report", "1", "99", "--out", "x.html"}, 2},
        {{"report", "1", "--out", "no/such/x.html"}, 6},
    };
    for (const auto& [arguments, code] : cases) {
        const Ended ended = tessera(arguments);
        EXPECT_EQ(ended.code, code) << arguments.back() << ": " << ended.errors;
        EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
        EXPECT_EQ(ended.output, "");
    }
    EXPECT_EQ(contents("garbage.db"), "this is no history");
    EXPECT_EQ(runs().size(), 1U) << "nothing was deleted";
    for (const std::string file : {"x", "x.csv", "x.svg", "x.html", "x.json"}) EXPECT_FALSE(fs::exists(path(file)));
}

TEST_F(HistoryCommand, verifyNamesWhatIsDamaged) {
    ASSERT_EQ(tessera(kToy).code, 0);
    EXPECT_TRUE(tessera({"history", "verify"}).output.starts_with("sound: 1 run, 4 stored inputs, "));
    SQLite::Database(path("share/tessera/history.db"), SQLite::OPEN_READWRITE).exec("UPDATE model SET content = x'00'");
    const Ended ended = tessera({"history", "verify", "--json"});
    EXPECT_EQ(ended.code, 6);
    EXPECT_FALSE(json::parse(ended.output)["sound"]);
    EXPECT_EQ(json::parse(ended.output)["problems"].size(), 1U);
    EXPECT_NE(ended.errors.find("1 problem was found"), std::string::npos) << ended.errors;
}

TEST_F(HistoryCommand, aHistoryOfANewerProgramIsOnlyRead) {
    ASSERT_EQ(tessera(kToy).code, 0);
    SQLite::Database(path("share/tessera/history.db"), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 999");
    const Ended list = tessera({"history", "list"});
    EXPECT_EQ(list.code, 0);
    EXPECT_NE(list.output.find("toy.json"), std::string::npos);
    EXPECT_NE(list.errors.find("999"), std::string::npos) << "it says so";
    for (const std::vector<std::string>& change :
         {std::vector<std::string>{"history", "tag", "1", "a"}, {"history", "vacuum"}, {"history", "delete", "1"}})
        EXPECT_EQ(tessera(change).code, 6) << change[1];
    const Ended run = tessera(with(kToy, {"--store", "share/tessera/history.db"}));
    EXPECT_EQ(run.code, 6);
    EXPECT_NE(run.output.find("over data parallelism"), std::string::npos);
}

TEST_F(HistoryCommand, keepsNotesAndStars) {
    ASSERT_EQ(tessera(kToy).code, 0);
    ASSERT_EQ(tessera(kToy).code, 0);
    document({"history", "note", "1", "for the spring order"});
    EXPECT_EQ(document({"history", "show", "1"})["note"], "for the spring order");
    EXPECT_EQ(tessera({"history", "note", "1", ""}).output, "run 1 has no note\n");
    EXPECT_EQ(document({"history", "show", "1"})["note"], "");
    document({"history", "star", "1", "2"});
    EXPECT_EQ(runs({"--starred"}).size(), 2U);
    document({"history", "star", "last", "--remove"});
    EXPECT_EQ(runs({"--starred"})[0]["run"], 1);
    EXPECT_EQ(tessera({"history", "show", "1", "--result"}).output, tessera({"resume", "1", "--json"}).output);
}

TEST_F(HistoryCommand, saysWhatItKept) {
    ASSERT_EQ(tessera(kToy).code, 0);
    EXPECT_EQ(tessera({"history", "tag", "1", " b ", "a", "a"}).output, "run 1 has a, b\n");
    EXPECT_EQ(runs()[0]["tags"], json::array({"a", "b"}));
    EXPECT_EQ(tessera({"history", "tag", "1", "a", "b", "--remove"}).output, "run 1 has no tags\n");
    EXPECT_EQ(tessera({"history", "delete", "1"}).output, "1 run deleted; --restore brings it back until 'vacuum'\n");
    EXPECT_EQ(tessera({"history", "delete", "1", "--restore"}).output, "1 run restored\n");
    EXPECT_EQ(tessera({"report", "1", "1", "--out", "r.md"}).output, "1 run written to r.md\n");
}

TEST_F(HistoryCommand, exportsTablesTimelinesAndPictures) {
    ASSERT_EQ(tessera(kToy).code, 0);
    for (const std::string name : {"layers", "strategies", "levels", "accelerators", "metrics"}) {
        document({"export", "last", "--name", name, "--out", name + ".csv"});
        EXPECT_NE(contents(name + ".csv").find(','), std::string::npos) << name;
    }
    for (const std::string name : {"types", "speedup", "step-time", "ratios", "layers", "levels", "memory", "timeline"})
        for (const std::string theme : {"light", "dark"}) {
            document({"export", "last", "--what", "chart", "--name", name, "--theme", theme, "--out", "x.svg"});
            EXPECT_NE(contents("x.svg").find("</svg>"), std::string::npos) << name;
        }
    document({"export", "last", "--what", "chart", "--out", "x.png"});
    EXPECT_EQ(contents("x.png").substr(1, 3), "PNG");
    document({"export", "last", "--what", "chart", "--out", "x.pdf"});
    EXPECT_EQ(contents("x.pdf").substr(0, 4), "%PDF");
    document({"export", "last", "--what", "timeline", "--out", "trace.json"});
    EXPECT_FALSE(json::parse(contents("trace.json"))["traceEvents"].empty());
}

TEST_F(HistoryCommand, reportsInThreeFormats) {
    ASSERT_EQ(tessera(kToy).code, 0);
    ASSERT_EQ(tessera(with(kToy, {"--batch", "256"})).code, 0);
    document({"report", "1", "2", "--out", "r.html", "--title", "<Two> runs"});
    EXPECT_NE(contents("r.html").find("&lt;Two&gt; runs"), std::string::npos);
    EXPECT_EQ(contents("r.html").find("http://"), contents("r.html").find("http://www.w3.org")) << "no network";
    document({"report", "1", "2", "--out", "r.md"});
    EXPECT_NE(contents("r.md").find("| "), std::string::npos);
    document({"report", "1", "2", "--out", "r.pdf"});
    EXPECT_EQ(contents("r.pdf").substr(0, 4), "%PDF");
}

}  // namespace
}  // namespace tessera::test
