#include <sqlite3.h>

#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/sha256.h"
#include "core/store/documents.h"
#include "core/store/seal.h"
#include "tests/core/store/fixture.h"
#include "tests/support/work.h"

/// What becomes of a history whose bits have changed: by a bad disk, a bad cable, a bad memory.
namespace tessera::store::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr int kFlips = tessera::test::kSlowerBuild > 1 ? 100 : 1000;
const std::string kRefused = "refused";

/// What can be read, by name; what is refused says so.
using Contents = std::map<std::string, std::string>;

std::string textOf(const RunRow& row) {
    Json json = {{"id", row.id},         {"uid", row.uid},     {"name", row.name},       {"engine", row.engine},
                 {"models", row.models}, {"on", row.hardware}, {"study", row.studyHash}, {"status", nameOf(row.status)},
                 {"line", row.headline}, {"by", row.version},  {"host", row.host},       {"star", row.starred},
                 {"tags", row.tags},     {"note", row.note},   {"worked", row.worked},   {"from", row.importedFrom}};
    json["times"] = {row.started.value_or(-1), row.finished.value_or(-1), row.imported.value_or(-1)};
    json["seed"] = row.seed.value_or(0);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string textOf(const std::vector<study::Metric>& metrics) {
    std::string text;
    for (const study::Metric& metric : metrics) {
        text += metric.name + '|' + metric.title + '|' + metric.owner + '|';
        text += std::to_string(std::bit_cast<std::uint64_t>(metric.value));
        text +=
            '|' + std::to_string(static_cast<int>(metric.measure)) + std::to_string(static_cast<int>(metric.better));
    }
    return text;
}

class Damage : public StoreFile {
protected:
    void SetUp() override {
        {
            Store store = Store::open(file());
            study::Result result = tessera::test::handMadeResult();
            result.study.seed = 7;
            const RunId full = store.addRun(result.study);
            store.record(full, {.before = {{"best", 1, 10}, {"bound", 1, 3}}, .checkpoint = Json{{"step", 1}}});
            store.record(full, {.before = std::vector<TracePoint>(300, {"best", 2, 5})});
            store.finishRun(full, result, study::headline(result),
                            {{InputContent::Kind::model, "zoo:two", sha256("a model"), "a model"},
                             {InputContent::Kind::hardware, "pair", sha256("a fleet"), "a fleet"}},
                            {{"timeline", "application/json", R"({"rows": [1, 2, 3]})"}});
            store.setTags(full, {"nightly", "spring"});
            store.setNote(full, "looked at on a Monday");
            const RunId open = store.addRun(studyOf("m", "h", "half done"));
            store.record(open, {.before = {{"best", 1, 4}}, .checkpoint = Json{{"generation", 12}, {"best", 0.25}}});
            store.setStatus(open, RunStatus::interrupted);
            addDone(store, studyOf("m", "h", "other"), 0.5);
            store.setStarred({full}, true);
            const auto points = store.addSweep(Json{{"over", "batch"}}, {studyOf("m", "h", "point")});
            store.setStatus(points.front(), RunStatus::interrupted);
        }
        raw(file()).exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
        std::ifstream stream(file(), std::ios::binary);
        sound_.assign(std::istreambuf_iterator<char>(stream), {});
        original_ = contentsOf(Store::open(file(), OpenMode::readOnly));
        for (const auto& [name, content] : original_) ASSERT_NE(content, kRefused) << name;
    }

    static SQLite::Database raw(const fs::path& path) {
        SQLite::Database database(path.string(), SQLite::OPEN_READWRITE);
        database.exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
        return database;
    }

    void put(const fs::path& path, const std::string& bytes) const {
        fs::remove(path.string() + "-journal");
        std::ofstream(path, std::ios::binary) << bytes;
    }

    static Contents contentsOf(const Store& store) {
        Contents contents;
        const auto read = [&](const std::string& name, const std::function<std::string()>& text) {
            try {
                contents[name] = text();
            } catch (const FileError&) {
                contents[name] = kRefused;
            } catch (const UsageError&) {
                contents[name] = kRefused;  // there is no such run
            }
        };
        for (RunId run = 1; run <= 4; ++run) {
            const std::string name = "run " + std::to_string(run) + ' ';
            read(name + "row", [&] {
                const auto row = store.run(run);
                return row ? textOf(*row) : kRefused;
            });
            read(name + "study", [&] { return toText(study::toJson(store.study(run))); });
            read(name + "result", [&] { return store.resultText(run).value_or(""); });
            read(name + "parsed", [&] {
                const auto result = store.result(run);
                return result ? study::headline(*result) : "";
            });
            read(name + "metrics", [&] { return textOf(store.metrics(run)); });
            read(name + "trace", [&] { return Json(store.trace(run)).dump(); });
            read(name + "checkpoint", [&] { return store.checkpoint(run).value_or(Json()).dump(); });
            read(name + "sweep", [&] {
                const auto sweep = store.sweepOf(run);
                return sweep ? sweep->document.dump() : "";
            });
            read(name + "artifacts", [&] {
                std::string text;
                for (const std::string& kind : store.artifacts(run)) {
                    const Artifact artifact = *store.artifact(run, kind);
                    text += artifact.kind + artifact.mediaType + artifact.bytes;
                }
                return text;
            });
            read(name + "inputs", [&] {
                std::string text;
                for (const InputContent& input : store.inputs(run)) text += input.name + input.sha256 + input.bytes;
                return text;
            });
        }
        return contents;
    }

    /// What lists and searches say; not every damage shows there.
    static Contents listsOf(const Store& store) {
        Contents lists;
        const auto list = [&](const std::string& name, const HistoryQuery& query) {
            try {
                std::string text = std::to_string(store.count(query)) + ' ';
                for (const RunRow& row : store.query(query, 10)) text += textOf(row) + row.damage;
                lists[name] = text;
            } catch (const FileError&) {
                lists[name] = kRefused;
            }
        };
        list("newest", {});
        list("by name", {.orderBy = "name"});
        list("by metric", {.orderBy = "step_time_s"});
        list("of a model", {.model = "zoo"});
        list("with a tag", {.tag = "spring"});
        list("with words", {.text = "monday"});
        list("with a part", {.text = "nigh"});
        return lists;
    }

    std::string sound_;
    Contents original_;
};

/// A place where the tables hold a value.
struct Cell {
    std::string table, column, where;
};

std::vector<Cell> cellsOf(const SQLite::Database& database) {
    std::vector<Cell> cells;
    Query tables(database,
                 "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' "
                 "AND name NOT LIKE 'run~_search%' ESCAPE '~'");
    while (tables.next()) {
        const std::string table = tables.text(0);
        std::vector<std::string> columns, keys;
        Query info(database, "SELECT name, pk FROM pragma_table_info('" + table + "')");
        while (info.next()) {
            columns.push_back(info.text(0));
            if (info.whole(1) != 0) keys.push_back(info.text(0));
        }
        std::string literal = "SELECT ''";
        for (const std::string& key : keys) literal += " || ' AND " + key + " = ' || quote(" + key + ")";
        Query rows(database, literal + " FROM " + table);
        while (rows.next())
            for (const std::string& column : columns) cells.push_back({table, column, "1" + rows.text(0)});
    }
    return cells;
}

/// Flips one bit of the cell's value; false where it has none, or where the tables cannot hold the other value.
bool flipOne(SQLite::Database& database, const Cell& cell, std::mt19937& random) {
    Query value(database,
                "SELECT " + cell.column + ", typeof(" + cell.column + ") FROM " + cell.table + " WHERE " + cell.where);
    if (!value.next() || value.isNull(0)) return false;
    const std::string type = value.text(1);
    std::string bytes(value.bytes(0));
    std::array<char, 8> word{};
    const std::int64_t whole = value.whole(0);
    const double number = value.number(0);
    if (type == "integer") std::memcpy(word.data(), &whole, word.size());
    if (type == "real") std::memcpy(word.data(), &number, word.size());
    if (type == "integer" || type == "real") bytes.assign(word.data(), word.size());
    if (bytes.empty()) return false;
    const std::size_t bit = random() % (8 * bytes.size());
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    std::int64_t otherWhole = 0;
    double otherNumber = 0;
    std::memcpy(&otherWhole, bytes.data(), std::min<std::size_t>(8, bytes.size()));
    std::memcpy(&otherNumber, bytes.data(), std::min<std::size_t>(8, bytes.size()));
    const std::string sql = "UPDATE " + cell.table + " SET " + cell.column + " = ? WHERE " + cell.where;
    try {
        if (type == "integer") return execute(database, sql, otherWhole) == 1;
        if (type == "real") return execute(database, sql, otherNumber) == 1;
        if (type == "blob") return execute(database, sql, Blob{bytes}) == 1;
        return execute(database, sql, bytes) == 1;
    } catch (const SQLite::Exception&) {
        return false;
    }
}

TEST_F(Damage, noFlippedBitOfAnyStoredContentPassesUnseen) {
    const std::vector<Cell> cells = cellsOf(raw(file()));
    ASSERT_GT(cells.size(), 300U);
    std::mt19937 random(7);
    int flips = 0;
    for (int tries = 0; flips < kFlips; ++tries) {
        ASSERT_LT(tries, 3 * kFlips);
        const Cell& cell = cells[random() % cells.size()];
        put(file("flipped.db"), sound_);
        {
            SQLite::Database database = raw(file("flipped.db"));
            if (!flipOne(database, cell, random)) continue;
        }
        ++flips;
        const std::string where = cell.table + '.' + cell.column + " where " + cell.where;
        const Store store = Store::open(file("flipped.db"), OpenMode::readOnly);
        EXPECT_THAT(store.verify().problems, ::testing::Not(IsEmpty())) << where;
        for (const auto& [name, content] : contentsOf(store))
            EXPECT_TRUE(content == original_.at(name) || content == kRefused) << where << " changed " << name;
    }
}

TEST_F(Damage, ofAnyBitOfTheFileIsReportedOrChangesNothing) {
    const Contents lists = listsOf(Store::open(file(), OpenMode::readOnly));
    std::mt19937 random(8);
    int reported = 0;
    for (int i = 0; i < kFlips; ++i) {
        std::string bytes = sound_;
        const std::size_t bit = random() % (8 * bytes.size());
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
        put(file("flipped.db"), bytes);
        try {
            const Store store = Store::open(file("flipped.db"), OpenMode::readOnly);
            if (!store.verify().problems.empty()) {
                ++reported;
                contentsOf(store);
                listsOf(store);
                continue;
            }
            EXPECT_EQ(contentsOf(store), original_) << "bit " << bit;
            EXPECT_EQ(listsOf(store), lists) << "bit " << bit;
        } catch (const StoreError&) {
            ++reported;
        }
    }
    EXPECT_GT(reported, kFlips / 10) << "the others are in pages and gaps that hold nothing";
}

TEST_F(Damage, isNamedWithFileRunAndContent) {
    raw(file()).exec("UPDATE metric SET value = value * 1.000001 WHERE run = 1");
    Store store = Store::open(file());
    std::string sentence;
    EXPECT_EQ(problemOf([&] { store.metrics(1); }, &sentence), StoreProblem::damaged);
    EXPECT_EQ(sentence, "the history '" + file().string() +
                            "' is damaged: the table of metrics of run 1 is not what was stored; restore a backup of "
                            "the history, or delete the run");
    EXPECT_THAT(store.verify().problems, ElementsAre("the table of metrics of run 1 is not what was stored"));
    EXPECT_NO_THROW(store.metrics(3)) << "the other runs can be read";
    EXPECT_EQ(store.resultText(1), original_.at("run 1 result")) << "and so can what is sound of this one";
}

TEST_F(Damage, isLeftOutOfListsAndSaid) {
    raw(file()).exec("UPDATE note SET text = 'looked at on a Sunday'");
    const Store store = Store::open(file());
    const std::vector<RunRow> rows = store.query({.tag = "nightly"}, 10);
    ASSERT_THAT(rows, SizeIs(1));
    EXPECT_EQ(rows[0].note, "");
    EXPECT_THAT(rows[0].damage, HasSubstr("the note of run 1 is not what was stored"));
    EXPECT_EQ(rows[0].headline, Store::open(file()).query({.tag = "nightly"}, 1)[0].headline);
    EXPECT_EQ(store.query({.text = "other"}, 10).at(0).damage, "");
    EXPECT_EQ(problemOf([&] { store.run(1); }), StoreProblem::damaged);
}

TEST_F(Damage, isNotSealedByWhatIsWrittenLater) {
    raw(file()).exec("UPDATE run SET headline = '999x' WHERE id = 1");
    Store store = Store::open(file());
    EXPECT_EQ(problemOf([&] { store.setStarred({1}, false); }), StoreProblem::damaged);
    EXPECT_EQ(problemOf([&] { store.setName(1, "x"); }), StoreProblem::damaged);
    EXPECT_EQ(problemOf([&] { store.setStatus(1, RunStatus::failed); }), StoreProblem::damaged);
    store.setTags(1, {"suspicious"});
    store.setDeleted({1}, true);
    EXPECT_EQ(problemOf([&] { store.run(1); }), StoreProblem::damaged) << "it can be deleted and stays damaged";
    EXPECT_EQ(store.purge(), 1);
    EXPECT_THAT(store.verify().problems, IsEmpty());
}

TEST_F(Damage, isNotGivenAwayTakenUpOrTakenIn) {
    Store store = Store::open(file());
    store.exportRuns({1, 2, 3}, file("sound.tessera"));
    raw(file()).exec("UPDATE trace SET points = zeroblob(length(points))");
    std::string sentence;
    EXPECT_EQ(problemOf([&] { store.exportRuns({1}, file("out.tessera")); }, &sentence), StoreProblem::damaged);
    EXPECT_THAT(sentence, HasSubstr("the trace of run 1 is not what was stored"));
    EXPECT_FALSE(fs::exists(file("out.tessera")));
    EXPECT_EQ(problemOf([&] { store.takeUp(2); }), StoreProblem::damaged);
    EXPECT_EQ(problemOf([&] { store.exportOptuna(1, file("out.optuna")); }), StoreProblem::damaged);

    raw(file("sound.tessera")).exec("UPDATE run SET headline = '999x over DP' WHERE id = 3");
    Store other = Store::open(file("other.db"));
    const MergeCount count = other.merge(file("sound.tessera"));
    EXPECT_EQ(count.added, 2) << "the sound ones are taken";
    EXPECT_THAT(count.damaged,
                ElementsAre(Pair(3, "the history '" + file("sound.tessera").string() +
                                        "' is damaged: the entry of run 3 is not what was stored; restore a backup of "
                                        "the history, or delete the run")));
    EXPECT_THAT(other.query({}, 10), SizeIs(2));
    EXPECT_THAT(other.verify().problems, IsEmpty());
    EXPECT_EQ(other.merge(file("sound.tessera")).present, 2);
}

/// Whoever can write a file can make its sums, too: then only the result is left to tell.
TEST_F(Damage, ofAnImportWhoseSealsWereMadeAgainIsFoundByItsResult) {
    for (const auto& [change, problem] : std::vector<std::pair<std::string, std::string>>{
             {"UPDATE run SET headline = '999x over DP, proven optimal' WHERE id = 1",
              "the headline of run 1 is '999x"},
             {"UPDATE metric SET value = 9e99 WHERE run = 1 AND kind = (SELECT id FROM metric_kind WHERE name = "
              "'step_time_s')",
              "the metric 'step_time_s' of run 1 is 9e+99, but its result says "}}) {
        const fs::path bundle = file("bundle.tessera"), own = file("own.db");
        fs::remove(bundle);
        fs::remove(own);
        {
            const Store store = Store::open(file());
            store.exportRuns({1}, bundle);
        }
        {
            SQLite::Database database = raw(bundle);
            database.exec(change);
            Seals(database).note(1, {kAllParts.begin(), kAllParts.end()});
        }
        Store store = Store::open(own);
        EXPECT_EQ(store.merge(bundle).added, 1);
        EXPECT_THAT(store.verify().problems, ElementsAre(HasSubstr(problem))) << change;
    }
}

TEST_F(Damage, ofAnImportIsTheOtherFilesFault) {
    Store store = Store::open(file());
    store.exportRuns({1}, file("out.tessera"));
    raw(file("out.tessera")).exec("DELETE FROM seal; DELETE FROM model");
    std::string sentence;
    Store other = Store::open(file("other.db"));
    EXPECT_THAT(other.merge(file("out.tessera")).damaged,
                ElementsAre(Pair(1, "the history '" + file("out.tessera").string() +
                                        "' is damaged: what it holds of run 1 contradicts itself (FOREIGN KEY "
                                        "constraint failed); take in a sound copy of it")));
    EXPECT_THAT(other.query({}, 10), IsEmpty());
    put(file("torn.tessera"), sound_.substr(0, sound_.size() / 2));
    EXPECT_EQ(problemOf([&] { other.merge(file("torn.tessera")); }, &sentence), StoreProblem::damaged);
    EXPECT_THAT(sentence, HasSubstr("'" + file("torn.tessera").string() + "' is damaged"));
    EXPECT_THAT(other.verify().problems, IsEmpty());
}

TEST_F(Damage, ofTheSearchIndexIsFound) {
    raw(file()).exec("UPDATE run_search_content SET c2 = 'looked at on a Sunday' WHERE id = 1");
    EXPECT_THAT(Store::open(file()).verify().problems, Contains("run 1 cannot be found by text"));
}

/// What a program of an older version, still open, writes into a file that was brought up to date.
TEST_F(Damage, cannotBeToldOfRunsWithoutASealWhichAreReadAsTheyAre) {
    raw(file()).exec("DELETE FROM seal WHERE run = 1");
    Store store = Store::open(file());
    EXPECT_EQ(store.run(1)->note, "looked at on a Monday");
    EXPECT_EQ(store.resultText(1), original_.at("run 1 result"));
    EXPECT_THAT(store.verify().problems, IsEmpty());
    store.setNote(1, "again");
    raw(file()).exec("UPDATE metric SET value = 0 WHERE run = 1");
    EXPECT_EQ(problemOf([&] { store.metrics(1); }), StoreProblem::damaged) << "the next write seals it";
}

}  // namespace
}  // namespace tessera::store::test
