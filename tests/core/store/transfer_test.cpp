#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/poll.h"
#include "core/base/sha256.h"
#include "core/store/database.h"
#include "core/store/documents.h"
#include "core/store/schema.h"
#include "core/study/partition/outcome.h"
#include "tests/core/store/fixture.h"

namespace tessera::store::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class Transfer : public StoreFile {
protected:
    /// A finished run with one of everything.
    RunId addFull(const std::string& name) {
        study::Result result = tessera::test::handMadeResult();
        result.study.name = name;
        const RunId run = store_.addRun(result.study);
        store_.record(run, {.before = {{"best", 1, 10}}, .checkpoint = Json{{"step", 1}}, .after = {{"best", 2, 5}}});
        store_.finishRun(run, result, "fine", {{InputContent::Kind::model, "zoo:two", sha256(name), name}},
                         {{"timeline", "application/json", "{}"}});
        store_.setTags(run, {"ours", name});
        store_.setNote(run, "note of " + name);
        store_.setStarred({run}, true);
        return run;
    }

    void expectSame(const Store& other, RunId theirs, RunId ours) {
        const RunRow a = *other.run(theirs);
        const RunRow b = *store_.run(ours);
        EXPECT_EQ(a.uid, b.uid);
        EXPECT_EQ(a.name, b.name);
        EXPECT_EQ(a.status, b.status);
        EXPECT_EQ(a.started, b.started);
        EXPECT_EQ(a.finished, b.finished);
        EXPECT_EQ(a.headline, b.headline);
        EXPECT_EQ(a.studyHash, b.studyHash);
        EXPECT_EQ(a.tags, b.tags);
        EXPECT_EQ(a.note, b.note);
        EXPECT_EQ(a.starred, b.starred);
        EXPECT_EQ(other.study(theirs), store_.study(ours));
        EXPECT_EQ(other.resultText(theirs), store_.resultText(ours));
        EXPECT_EQ(other.metrics(theirs), store_.metrics(ours));
        EXPECT_EQ(other.trace(theirs), store_.trace(ours));
        EXPECT_EQ(other.artifacts(theirs), store_.artifacts(ours));
        ASSERT_EQ(other.inputs(theirs).size(), store_.inputs(ours).size());
        for (std::size_t i = 0; i < other.inputs(theirs).size(); ++i)
            EXPECT_EQ(other.inputs(theirs)[i].bytes, store_.inputs(ours)[i].bytes);
    }

    Store store_ = Store::open(file());
};

TEST_F(Transfer, exportsRunsIntoAHistoryWithNothingElse) {
    addFull("first");
    const RunId second = addFull("second");
    store_.exportRuns({second}, file("out.tessera"));
    EXPECT_FALSE(fs::exists(file("out.tessera-wal")));
    const Store out = Store::open(file("out.tessera"), OpenMode::readOnly);
    EXPECT_THAT(out.query({}, 10), SizeIs(1));
    expectSame(out, 1, second);
    const Verification found = out.verify();
    EXPECT_THAT(found.problems, IsEmpty());
    EXPECT_EQ(found.inputs, 1);
    EXPECT_THAT(out.query({.text = "seco"}, 10), SizeIs(1));
    EXPECT_THAT(out.query({.text = "first"}, 10), IsEmpty());
}

TEST_F(Transfer, importsTwiceWithoutAddingAnything) {
    const RunId a = addFull("a");
    const RunId b = addFull("b");
    store_.exportRuns({a, b}, file("out.tessera"));
    Store other = Store::open(file("other.db"));
    addDone(other, studyOf("m", "h", "their own"));
    const MergeCount first = other.merge(file("out.tessera"));
    EXPECT_EQ(first.added, 2);
    EXPECT_EQ(first.present, 0);
    expectSame(other, 2, a);
    expectSame(other, 3, b);
    const MergeCount second = other.merge(file("out.tessera"));
    EXPECT_EQ(second.added, 0);
    EXPECT_EQ(second.present, 2);
    EXPECT_THAT(other.query({}, 10), SizeIs(3));
    EXPECT_THAT(other.verify().problems, IsEmpty());
    const MergeCount whole = other.merge(file());
    EXPECT_EQ(whole.present, 2);
}

TEST_F(Transfer, keepsTheRunsOfASweepTogether) {
    const Json asked{{"over", "batch=1,2,3"}};
    std::vector<study::Study> points;
    for (const char* name : {"one", "two", "three"}) points.push_back(studyOf("m", "h", name));
    const std::vector<RunId> runs = store_.addSweep(asked, points);
    const std::vector<RunId> again = store_.addSweep(asked, points);  // the same once more is another sweep
    for (const RunId run : runs) store_.setStatus(run, RunStatus::cancelled);
    for (const RunId run : again) store_.setStatus(run, RunStatus::cancelled);
    Store other = Store::open(file("other.db"));
    addDone(other, studyOf("m", "h", "their own"));
    // A part of each, then all of them.
    store_.exportRuns({runs[1]}, file("part.tessera"));
    other.merge(file("part.tessera"));
    EXPECT_THAT(other.sweepOf(2)->runs, ElementsAre(Pair(1, 2)));
    EXPECT_EQ(other.merge(file()).added, 5);
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (const auto& [sweep, from] : {std::pair(&runs, i), std::pair(&again, i)}) {
            const RunId there = other.find(store_.run((*sweep)[from])->uid);
            const Sweep kept = *other.sweepOf(there);
            EXPECT_EQ(kept.document, asked);
            EXPECT_EQ(kept.runs.at(from), there);
            for (const auto& [point, run] : kept.runs)
                EXPECT_EQ(other.run(run)->uid, store_.run((*sweep)[point])->uid) << "of one sweep";
            EXPECT_THAT(kept.runs, SizeIs(3));
        }
    EXPECT_THAT(other.verify().problems, IsEmpty());
    EXPECT_FALSE(other.sweepOf(1));
}

TEST_F(Transfer, takesEveryRunOfManyTransactions) {
    constexpr int kRuns = 257;
    const study::Result result = tessera::test::handMadeResult();
    for (int i = 0; i < kRuns; ++i) {
        study::Study study = result.study;
        study.name = "run " + std::to_string(i);
        store_.addRun(study, RunStatus::failed);
    }
    Store other = Store::open(file("other.db"));
    EXPECT_EQ(other.merge(file()).added, kRuns);
    for (int i = 0; i < kRuns; ++i)
        EXPECT_EQ(other.run(i + 1)->uid, store_.run(i + 1)->uid) << "the order is kept, and none is left out";
    EXPECT_EQ(other.merge(file()).present, kRuns);
}

TEST_F(Transfer, saysWhereARunCameFrom) {
    const RunId run = addFull("a");
    store_.exportRuns({run}, file("out.tessera"));
    EXPECT_EQ(Store::open(file("out.tessera")).run(1)->importedFrom, "");
    Store other = Store::open(file("other.db"));
    other.merge(file("out.tessera"));
    EXPECT_EQ(other.run(1)->importedFrom, file("out.tessera").string());
    EXPECT_GE(*other.run(1)->imported, *store_.run(run)->finished);
    EXPECT_EQ(other.run(1)->worked, store_.run(run)->worked);
    EXPECT_FALSE(store_.run(run)->imported.has_value());
}

/// A file without seals may say what it likes about a result.
TEST_F(Transfer, takesHeadlineAndMetricsFromTheResultWhereNothingVouchesForThem) {
    const study::Result result = tessera::test::handMadeResult();
    const RunId run = addDone(store_, result.study);
    store_.exportRuns({run}, file("out.tessera"));
    SQLite::Database(file("out.tessera").string(), SQLite::OPEN_READWRITE)
        .exec("DELETE FROM seal; UPDATE run SET headline = '999x, proven optimal'; UPDATE metric SET value = 9e99");
    Store other = Store::open(file("other.db"));
    EXPECT_EQ(other.merge(file("out.tessera")).added, 1);
    EXPECT_EQ(other.run(1)->headline, store_.run(run)->headline);
    EXPECT_EQ(other.metrics(1), store_.metrics(run));
    EXPECT_THAT(other.verify().problems, IsEmpty());
}

TEST_F(Transfer, refusesTimesThatCannotBe) {
    const RunId run = addFull("a");
    store_.exportRuns({run}, file("out.tessera"));
    Store other = Store::open(file("other.db"));
    for (const char* change : {"started = 9223372036854775807", "finished = -5", "since = 4102444800000"}) {
        fs::copy_file(file("out.tessera"), file("wrong.tessera"), fs::copy_options::overwrite_existing);
        SQLite::Database(file("wrong.tessera").string(), SQLite::OPEN_READWRITE)
            .exec(std::string("DELETE FROM seal; UPDATE run SET ") + change);
        EXPECT_THAT(
            other.merge(file("wrong.tessera")).damaged,
            ElementsAre(Pair(1, "the history '" + file("wrong.tessera").string() + "' is damaged: a time of run 1 is " +
                                    std::string(change).substr(std::string(change).find('=') + 2) +
                                    " ms after 1970; expected one before the year 2100")));
    }
    EXPECT_THAT(other.query({}, 10), IsEmpty());
}

TEST_F(Transfer, findsCurvesThatAreNotWhole) {
    const RunId run = store_.addRun(studyOf("m", "h"));
    store_.record(run, {.before = {{"best", 1, 10}, {"best", 2, 9}}});
    store_.record(run, {.before = {{"best", 3, 8}}});
    const auto problemsAfter = [&](const std::string& change) {
        store_.backup(file("changed.db"));
        SQLite::Database(file("changed.db").string(), SQLite::OPEN_READWRITE).exec("DELETE FROM seal; " + change);
        return Store::open(file("changed.db")).verify().problems;
    };
    EXPECT_THAT(problemsAfter("UPDATE trace SET points = substr(points, 1, 24) WHERE position = 0"),
                ElementsAre("the curve 'best' of run 1 ends within a point", "the curve 'best' of run 1 has a gap"));
    EXPECT_THAT(problemsAfter("UPDATE trace SET points = substr(points, 1, 8) WHERE position = 2"),
                ElementsAre("the curve 'best' of run 1 ends within a point"));
    EXPECT_THAT(problemsAfter("DELETE FROM trace WHERE position = 0"),
                ElementsAre("the curve 'best' of run 1 has a gap"));
}

TEST_F(Transfer, removesWhatKilledProgramsLeftBesideACopy) {
    addFull("a");
    const auto leave = [&](const std::string& name, bool isOld) {
        std::ofstream(file(name)) << "half a copy";
        if (isOld) fs::last_write_time(file(name), fs::file_time_type::clock::now() - std::chrono::hours(1));
    };
    // A process that has ended.
    const pid_t child = fork();
    if (child == 0) _exit(0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    const std::string process = std::to_string(child);
    const std::string gone = "copy.db." + process;
    for (const std::string suffix : {".part", ".part-journal", "-1a2b3c4d.part"}) leave(gone + suffix, true);
    leave(gone + "-00000000.part", false);
    const std::string own = "copy.db." + std::to_string(getpid()) + "-00000000.part";
    leave(own, true);
    leave("copy.db.notes.part", true);
    leave("another.db." + process + ".part", true);
    store_.backup(file("copy.db"));
    for (const std::string suffix : {".part", ".part-journal", "-1a2b3c4d.part"})
        EXPECT_FALSE(fs::exists(file(gone + suffix))) << suffix;
    EXPECT_TRUE(fs::exists(file(gone + "-00000000.part"))) << "another machine may be writing it";
    EXPECT_TRUE(fs::exists(file(own))) << "its process lives";
    EXPECT_TRUE(fs::exists(file("copy.db.notes.part")));
    EXPECT_TRUE(fs::exists(file("another.db." + process + ".part"))) << "of another file";
}

TEST_F(Transfer, keepsOurAnnotationsAndAddsTheirTags) {
    const RunId run = addFull("a");
    store_.exportRuns({run}, file("out.tessera"));
    store_.setTags(run, {"mine"});
    store_.setNote(run, "my note");
    store_.setName(run, "my name");
    store_.setStarred({run}, false);
    EXPECT_EQ(store_.merge(file("out.tessera")).present, 1);
    const RunRow row = *store_.run(run);
    EXPECT_THAT(row.tags, ElementsAre("a", "mine", "ours"));
    EXPECT_EQ(row.note, "my note");
    EXPECT_EQ(row.name, "my name");
    EXPECT_FALSE(row.starred);
    EXPECT_THAT(store_.query({.text = "ours"}, 10), SizeIs(1));
}

TEST_F(Transfer, anUnfinishedRunIsInterruptedThereAndTakesOverItsOutcomeLater) {
    const RunId run = store_.addRun(studyOf("m", "h"));
    store_.record(run, {.before = {{"best", 1, 10}}, .checkpoint = Json{{"step", 1}}, .after = {{"best", 2, 5}}});
    store_.exportRuns({run}, file("early.tessera"));
    Store other = Store::open(file("other.db"));
    other.merge(file("early.tessera"));
    EXPECT_EQ(other.run(1)->status, RunStatus::interrupted);
    EXPECT_EQ(*other.checkpoint(1), (Json{{"step", 1}}));
    other.setTags(1, {"theirs"});

    store_.finishRun(run, tessera::test::handMadeResult(), "done at last");
    EXPECT_EQ(other.merge(file()).present, 1);
    EXPECT_EQ(other.run(1)->status, RunStatus::done);
    EXPECT_EQ(other.run(1)->headline, "done at last");
    EXPECT_THAT(other.run(1)->tags, ElementsAre("theirs"));
    EXPECT_EQ(other.resultText(1), store_.resultText(run));
    EXPECT_THAT(other.trace(1).at("best"), SizeIs(2));
    EXPECT_FALSE(other.checkpoint(1).has_value());
    EXPECT_THAT(other.verify().problems, IsEmpty());
}

TEST_F(Transfer, anImportedCheckpointStillCutsTheTrace) {
    addFull("before");
    const RunId run = store_.addRun(studyOf("m", "h"));
    store_.record(run, {.before = {{"best", 1, 10}}, .checkpoint = Json{{"step", 1}}, .after = {{"best", 2, 5}}});
    store_.exportRuns({run}, file("out.tessera"));
    Store other = Store::open(file("other.db"));
    other.merge(file("out.tessera"));
    other.takeUp(1);
    EXPECT_THAT(other.trace(1).at("best"), ElementsAre(Pair(1, 10)));
}

TEST_F(Transfer, takesFilesOfOlderVersions) {
    {
        SQLite::Database old(file("old.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        migrate(old, 1);
        old.exec(
            "INSERT INTO study VALUES(1, 'x', '', 'partition', '{\"schema\": \"tessera.study/1\", \"engine\": "
            "\"partition\", \"models\": [\"m\"], \"hardware\": [\"h\"]}');"
            "INSERT INTO run(uid, study, name, engine, models, hardware, status, since, version, host) "
            "VALUES('bcdf', 1, 'old', 'partition', 'm', 'h', 'failed', 5, '0', 'h')");
    }
    EXPECT_EQ(store_.merge(file("old.db")).added, 1);
    EXPECT_EQ(store_.run(store_.find("bcdf"))->name, "old");
    EXPECT_EQ(versionOf(SQLite::Database(file("old.db").string())), 1) << "the file itself is left alone";
}

TEST_F(Transfer, refusesWhatItCannotTakeWithASentence) {
    std::string sentence;
    EXPECT_EQ(problemOf([&] { store_.merge(file("absent")); }, &sentence), StoreProblem::missing);
    EXPECT_THAT(sentence, HasSubstr("there is no history"));
    { Store::open(file("newer.db")); }
    SQLite::Database(file("newer.db").string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
    EXPECT_EQ(problemOf([&] { store_.merge(file("newer.db")); }, &sentence), StoreProblem::newer);
    EXPECT_THAT(sentence, HasSubstr("was written by a newer Tessera; update this program to take it in"));
    EXPECT_THROW(store_.merge(file()), UsageError);
    SQLite::Database(file("foreign.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE t(x)");
    EXPECT_EQ(problemOf([&] { store_.merge(file("foreign.db")); }), StoreProblem::notAHistory);
}

TEST_F(Transfer, refusesContentsThatAreNotWhatTheirHashSays) {
    const RunId run = addFull("a");
    store_.exportRuns({run}, file("out.tessera"));
    const std::string wrong(64, 'f');
    SQLite::Database(file("out.tessera").string(), SQLite::OPEN_READWRITE)
        .exec("PRAGMA foreign_keys = OFF; UPDATE model SET sha256 = '" + wrong + "'; UPDATE run_model SET sha256 = '" +
              wrong + "' WHERE sha256 IS NOT NULL");
    Store other = Store::open(file("other.db"));
    EXPECT_THAT(other.merge(file("out.tessera")).damaged,
                ElementsAre(Pair(1, HasSubstr("the list of inputs of run 1 is not what was stored"))));
    EXPECT_THAT(other.query({}, 10), IsEmpty()) << "all of a run or nothing";
    EXPECT_THAT(Store::open(file("out.tessera")).verify().problems,
                UnorderedElementsAre(HasSubstr("is not what its hash says"),
                                     "the list of inputs of run 1 is not what was stored"));
}

TEST_F(Transfer, findsAStudyThatIsNotWhatItsHashSays) {
    addFull("a");
    EXPECT_THAT(store_.verify().problems, IsEmpty());
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE)
        .exec("UPDATE study SET document = replace(document, '512', '513')");
    EXPECT_THAT(store_.verify().problems,
                UnorderedElementsAre(AllOf(HasSubstr("the study"), HasSubstr("not what its hash says")),
                                     "the study of run 1 is not what was stored"));
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec("UPDATE study SET document = 'nothing'");
    EXPECT_THAT(store_.verify().problems, ::testing::Contains(HasSubstr("not what its hash says")));
}

TEST_F(Transfer, knowsAStudyWhoseParametersStandInAnotherOrder) {
    const study::Study sorted = studyOf("m", "h");
    study::Study study = sorted;
    study.parameters = Json::object();
    for (auto at = sorted.parameters->end(); at != sorted.parameters->begin();) {
        --at;
        study.parameters[at.key()] = *at;
    }
    ASSERT_NE(study.parameters->dump(), sorted.parameters->dump());
    store_.addRun(study);
    EXPECT_THAT(store_.verify().problems, IsEmpty());
}

/// A result with 120,000 layers, which would be some 50 MB of JSON.
study::Result deepResult() {
    constexpr std::int32_t kLayers = 120'000;
    study::Result result = tessera::test::handMadeResult();
    partition::Result& found = result.outcome.get<study::PartitionOutcome>().result;
    found.names.clear();
    for (std::int32_t n = 0; n < kLayers; ++n) found.names.push_back("l" + std::to_string(n));
    for (partition::LevelPlan& level : found.plans[0].levels) {
        std::vector<partition::LayerPlan> rows;
        level.joins.clear();
        level.other.clear();
        for (std::int32_t n = 0; n < kLayers; ++n)
            rows.push_back({.layer = n,
                            .type = static_cast<partition::Type>(n % 3),
                            .compute = Seconds{1.0 / (n + 1)},
                            .intra = Seconds{n * 1e-9},
                            .inter = Seconds{0}});
        level.layers = std::move(rows);
    }
    found.plans.resize(1);
    return result;
}

TEST_F(Transfer, keepsResultsOfVeryDeepNetworksInACompactForm) {
    const study::Result result = deepResult();
    const RunId run = store_.addRun(result.study);
    store_.finishRun(run, result, "deep");
    std::string text;
    study::writeJson(result, [&](std::string_view part) { text += part; });
    ASSERT_TRUE(store_.resultText(run) == text) << "not printed, because it is long";
    EXPECT_EQ(store_.result(run)->outcome.get<study::PartitionOutcome>().result.names.size(), 120'000U);
    {
        const SQLite::Database database(file().string(), SQLite::OPEN_READONLY);
        EXPECT_LT(wholeFrom(database, "SELECT size FROM result WHERE form = 'packed'"), 10'000'000);
    }
    store_.exportRuns({run}, file("out.tessera"));
    Store other = Store::open(file("other.db"));
    EXPECT_EQ(other.merge(file("out.tessera")).added, 1);
    ASSERT_TRUE(other.resultText(1) == text);
    EXPECT_THAT(other.verify().problems, IsEmpty());

    SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec("UPDATE result SET form = 'json'");
    EXPECT_EQ(problemOf([&] { store_.result(run); }), StoreProblem::damaged);
    EXPECT_THAT(store_.verify().problems, SizeIs(1));
}

TEST_F(Transfer, refusesContentsThatWouldFillTheMemory) {
    const RunId run = addFull("a");
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE)
        .exec("DELETE FROM seal; UPDATE result SET size = 1 << 60");
    std::string sentence;
    EXPECT_EQ(problemOf([&] { store_.resultText(run); }, &sentence), StoreProblem::damaged);
    EXPECT_THAT(sentence, HasSubstr("at most 512 MiB are kept"));
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec("UPDATE result SET size = 5");
    EXPECT_EQ(problemOf([&] { store_.resultText(run); }), StoreProblem::damaged);
    EXPECT_THAT(store_.verify().problems, SizeIs(1));
}

TEST_F(Transfer, backsUpWhileOthersWrite) {
    addFull("a");
    Store other = Store::open(file());
    const RunId open = other.addRun(studyOf("m", "h"));
    store_.backup(file("backup.db"));
    other.setStatus(open, RunStatus::failed);
    EXPECT_FALSE(fs::exists(file("backup.db-wal")));
    const Store backup = Store::open(file("backup.db"), OpenMode::readOnly);
    EXPECT_THAT(backup.query({}, 10), SizeIs(2));
    EXPECT_THAT(backup.verify().problems, IsEmpty());
    store_.backup(file("backup.db"));
    EXPECT_EQ(problemOf([&] { store_.backup(file()); }), StoreProblem::notWritable);
    EXPECT_EQ(problemOf([&] { store_.backup(file("absent/backup.db")); }), StoreProblem::notWritable);
    EXPECT_EQ(problemOf([&] { store_.backup(file().parent_path()); }), StoreProblem::notWritable);
    for (const auto& entry : fs::directory_iterator(file().parent_path()))
        EXPECT_THAT(entry.path().string(), ::testing::Not(HasSubstr(".part")));
}

TEST_F(Transfer, endsWhenAPollSaysSoAndLeavesNothingBehind) {
    const RunId run = addFull("a");
    store_.setDeleted({addFull("b")}, true);
    Store other = Store::open(file("other.db"));
    const auto names = [&] {
        std::set<std::string> found;
        for (const auto& entry : fs::directory_iterator(file().parent_path())) found.insert(entry.path().filename());
        return found;
    };
    const std::set<std::string> before = names();
    SQLite::Database holder(file().string(), SQLite::OPEN_READWRITE);
    {
        const PollScope stopped([] { throw InterruptedError("stopped"); });
        EXPECT_THROW(store_.backup(file("copy.db")), InterruptedError);
        EXPECT_THROW(store_.exportRuns({run}, file("copy.tessera")), InterruptedError);
        EXPECT_THROW(other.merge(file()), InterruptedError);
        // What waits for another program can be stopped, too.
        holder.exec("BEGIN IMMEDIATE");
        EXPECT_THROW(store_.purge(), InterruptedError);
        EXPECT_THROW(store_.vacuum(), InterruptedError);
        holder.exec("ROLLBACK");
    }
    EXPECT_EQ(names(), before);
    EXPECT_THAT(other.query({}, 10), IsEmpty());
    EXPECT_EQ(store_.purge(), 1);
    EXPECT_EQ(other.merge(file()).added, 1);
    store_.vacuum();
}

TEST_F(Transfer, vacuumGivesSpaceBack) {
    const RunId run = addFull("a");
    std::string noise;
    for (int i = 0; i < 20'000; ++i) noise += sha256(std::to_string(i));
    store_.finishRun(run, tessera::test::handMadeResult(), "", {}, {{"big", "text/plain", noise}});
    store_.setDeleted({run}, true);
    store_.purge();
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const auto before = fs::file_size(file());
    store_.vacuum();
    EXPECT_LT(fs::file_size(file()), before / 2);
    EXPECT_THAT(store_.verify().problems, IsEmpty());
}

TEST_F(Transfer, verifyFindsWhatIsWrong) {
    const RunId run = addFull("a");
    SQLite::Database direct(file().string(), SQLite::OPEN_READWRITE);
    direct.exec(
        "PRAGMA foreign_keys = OFF; DELETE FROM study; DELETE FROM run_search; DELETE FROM result;"
        "UPDATE trace SET position = position + 7; UPDATE artifact SET content = x'00'");
    const std::vector<std::string> problems = store_.verify().problems;
    const auto found = [&](const std::string& text) { EXPECT_THAT(problems, ::testing::Contains(HasSubstr(text))); };
    found("a row of table 'run' refers to a row of table 'study' that is gone");
    found("run 1 cannot be found by text");
    found("run 1 is done but has no result");
    found("the curve 'best' of run 1 has a gap");
    found("an artifact of run 1 is not what was stored");
    found("the study of run 1 is not what was stored");
    EXPECT_THROW(store_.verify([](std::int64_t, std::int64_t) { return false; }), InterruptedError);
    EXPECT_EQ(run, 1);
}

TEST_F(Transfer, verifyTellsItsProgress) {
    addFull("a");
    addFull("b");
    std::vector<std::pair<std::int64_t, std::int64_t>> told;
    store_.verify([&](std::int64_t done, std::int64_t runs) {
        if (runs != 0) told.emplace_back(done, runs);
        return true;
    });
    EXPECT_THAT(told, ElementsAre(Pair(1, 2), Pair(2, 2))) << "runs of all runs";
}

/// Column by column what optuna.storages._rdb.models of Optuna 4 declares, as SQLAlchemy writes it for SQLite
/// ("!" = not null, "*" = primary key).
TEST_F(Transfer, anOptunaStudyHasTheTablesOfOptuna) {
    const std::map<std::string, std::string> tables{
        {"studies", "study_id INTEGER!*, study_name VARCHAR(512)!"},
        {"study_directions",
         "study_direction_id INTEGER!*, direction VARCHAR(8)!, study_id INTEGER!, objective INTEGER!"},
        {"study_user_attributes",
         "study_user_attribute_id INTEGER!*, study_id INTEGER, key VARCHAR(512), value_json TEXT"},
        {"study_system_attributes",
         "study_system_attribute_id INTEGER!*, study_id INTEGER, key VARCHAR(512), value_json TEXT"},
        {"trials",
         "trial_id INTEGER!*, number INTEGER, study_id INTEGER, state VARCHAR(8)!, datetime_start DATETIME, "
         "datetime_complete DATETIME"},
        {"trial_user_attributes",
         "trial_user_attribute_id INTEGER!*, trial_id INTEGER, key VARCHAR(512), value_json TEXT"},
        {"trial_system_attributes",
         "trial_system_attribute_id INTEGER!*, trial_id INTEGER, key VARCHAR(512), value_json TEXT"},
        {"trial_params",
         "param_id INTEGER!*, trial_id INTEGER, param_name VARCHAR(512), param_value FLOAT, distribution_json TEXT"},
        {"trial_values",
         "trial_value_id INTEGER!*, trial_id INTEGER!, objective INTEGER!, value FLOAT, value_type VARCHAR(7)!"},
        {"trial_intermediate_values",
         "trial_intermediate_value_id INTEGER!*, trial_id INTEGER!, step INTEGER!, intermediate_value FLOAT, "
         "intermediate_value_type VARCHAR(7)!"},
        {"trial_heartbeats", "trial_heartbeat_id INTEGER!*, trial_id INTEGER!, heartbeat DATETIME!"},
        {"version_info", "version_info_id INTEGER!*, schema_version INTEGER, library_version VARCHAR(256)"},
        {"alembic_version", "version_num VARCHAR(32)!*"},
    };
    store_.exportOptuna(addFull("a"), file("optuna.db"));
    const SQLite::Database optuna(file("optuna.db").string());
    for (const auto& [table, expected] : tables) {
        std::string columns;
        Query query(optuna, "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?)", table);
        while (query.next())
            columns += (columns.empty() ? "" : ", ") + query.text(0) + " " + query.text(1) +
                       (query.whole(2) != 0 ? "!" : "") + (query.whole(3) != 0 ? "*" : "");
        EXPECT_EQ(columns, expected) << table;
    }
    // One value per trial and objective, one parameter per trial and name, and so on.
    Query unique(optuna,
                 "SELECT count(*) FROM sqlite_schema AS t, pragma_index_list(t.name) AS i WHERE i.\"unique\" = 1 AND "
                 "i.origin IN ('u', 'c')");
    unique.next();
    EXPECT_EQ(unique.whole(0), 10);
}

TEST_F(Transfer, exportsTheTraceAsAStudyOfOptuna) {
    const RunId run = addFull("two \"layers\"");
    const double infinite = std::numeric_limits<double>::infinity();
    store_.record(run, {.before = {{"bound", 3, infinite}, {"bound", 4, std::nan("")}}});
    store_.exportOptuna(run, file("optuna.db"));
    SQLite::Database optuna(file("optuna.db").string());
    const auto whole = [&](const std::string& sql) { return wholeFrom(optuna, sql); };
    const auto text = [&](const std::string& sql) {
        Query query(optuna, sql);
        query.next();
        return query.text(0);
    };
    EXPECT_EQ(whole("SELECT count(*) FROM sqlite_schema WHERE type = 'table'"), 13);
    EXPECT_EQ(text("SELECT study_name FROM studies"), "two \"layers\" (run " + store_.run(run)->uid + ")");
    EXPECT_EQ(text("SELECT direction FROM study_directions"), "MINIMIZE");
    EXPECT_EQ(whole("SELECT schema_version FROM version_info"), 12);
    EXPECT_EQ(text("SELECT version_num FROM alembic_version"), "v3.2.0.a");
    EXPECT_EQ(whole("SELECT count(*) FROM trials WHERE state = 'COMPLETE'"), 3);
    EXPECT_EQ(whole("SELECT count(*) FROM trials WHERE state = 'FAIL'"), 1);
    EXPECT_EQ(whole("SELECT count(*) FROM trials WHERE number <> trial_id - 1"), 0);
    EXPECT_EQ(whole("SELECT count(*) FROM trial_values WHERE value_type = 'FINITE' AND value IN (10, 5)"), 2);
    EXPECT_EQ(whole("SELECT count(*) FROM trial_values WHERE value_type = 'INF_POS' AND value IS NULL"), 1);
    EXPECT_EQ(whole("SELECT count(*) FROM trial_params WHERE param_name = 'x' AND param_value = trial_id"), 4);
    EXPECT_EQ(Json::parse(text("SELECT distribution_json FROM trial_params WHERE param_name = 'series'")),
              Json::parse(R"({"name": "CategoricalDistribution", "attributes": {"choices": ["best", "bound"]}})"));
    EXPECT_EQ(Json::parse(text("SELECT value_json FROM study_user_attributes WHERE key = 'tessera:study'")),
              study::toJson(store_.study(run)));
    EXPECT_EQ(text("SELECT length(datetime_start) FROM trials"), "26");
    Query check(optuna, "PRAGMA foreign_key_check");
    EXPECT_FALSE(check.next());
    EXPECT_THROW(store_.exportOptuna(99, file("x.db")), UsageError);
}

}  // namespace
}  // namespace tessera::store::test
