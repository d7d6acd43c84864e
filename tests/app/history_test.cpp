#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

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
    EXPECT_NE(kept[0]["headline"].get<std::string>().find("over DP"), std::string::npos);
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
    for (const std::string ratio : {"equal", "0.9", "balanced"})
        ASSERT_EQ(tessera(with(kToy, {"--ratio", ratio})).code, 0);
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
    EXPECT_EQ(runs({"--most", "step_time_s=" + json(median).dump()}).size(), 2U);
    EXPECT_EQ(runs({"--least", "step_time_s=1 ns", "--most", "step_time_s=1000 s"}).size(), 3U);
    EXPECT_EQ(runs({"--least", "memory_bytes=1 PiB"}).size(), 0U);
    EXPECT_EQ(document({"history", "search", "spri"})["total"], 1);
    EXPECT_EQ(document({"history", "search", "quoted", "drop"})["total"], 1);
    EXPECT_EQ(document({"history", "search", "\"*(NEAR"})["total"], 0);
    EXPECT_EQ(document({"history", "search", "toy"})["total"], 3);
    document({"history", "tag", "2", "spring", "--remove"});
    EXPECT_EQ(runs({"--tag", "spring"}).size(), 0U);
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
    EXPECT_NE(text.output.find("accpar/step_time_s"), std::string::npos) << "what --sort and --least take";
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
    document({"history", "export", "1", "--format", "optuna", "--out", "optuna.db"});
    EXPECT_TRUE(fs::file_size(path("optuna.db")) > 0);
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

TEST_F(HistoryCommand, aHistoryThatCannotBeWrittenDoesNotLoseTheResult) {
    fs::create_directory(path("folder.db"));
    const Ended named = tessera(with(kToy, {"--store", "folder.db"}));
    EXPECT_EQ(named.code, 6);
    EXPECT_NE(named.output.find("over DP"), std::string::npos) << "the result is shown first";
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
        {{"history", "list", "--least", "step_tim_s=1"}, 2},
        {{"history", "list", "--most", "step_time_s=1 mile"}, 2},
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
        {{"report", "1", "--out", "x.docx"}, 2},
    };
    for (const auto& [arguments, code] : cases) {
        const Ended ended = tessera(arguments);
        EXPECT_EQ(ended.code, code) << arguments.back() << ": " << ended.errors;
        EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
        EXPECT_EQ(ended.output, "");
    }
    EXPECT_EQ(contents("garbage.db"), "this is no history");
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
