// A stored field is a migration with the rows that seal it: histories of every version are brought up to date and stay
// sound, the field is guarded against damage, and goes along with its run.

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/base/file.h"
#include "core/store/database.h"
#include "core/store/schema.h"
#include "core/store/seal.h"
#include "core/store/store.h"
#include "tests/support/partition_result.h"
#include "tests/support/paths.h"

namespace tessera::store {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// A mood beside a note, and the weather of a run.
Migration moodMigration() {
    return {"moods of notes, weather of runs",
            "ALTER TABLE note ADD COLUMN mood TEXT; ALTER TABLE run ADD COLUMN weather TEXT;",
            {{Part::note, "SELECT 'mood', mood FROM note WHERE run = ? AND mood IS NOT NULL"},
             {Part::facts, "SELECT 'weather', weather FROM run WHERE id = ? AND weather IS NOT NULL"}}};
}

/// Histories that older programs left, and the program with a migration more.
class StoredField : public testing::Test {
protected:
    static void SetUpTestSuite() {
        folder() = std::make_unique<TemporaryFolder>();
        before() = latestVersion();
        for (int version = 1; version <= before(); ++version) {
            SQLite::Database database(historyOf(version).string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
            migrate(database, version);
            database.exec(readFile(test::sourcePath("tests/core/store/run_of_version_1.sql")));
            database.exec("UPDATE run SET status = 'interrupted'");
        }
        Store store = Store::open(sealedHistory());
        const study::Result result = test::handMadeResult();
        const RunId run = store.addRun(result.study);
        store.finishRun(run, result, study::headline(result));
        store.setNote(run, "a note");
        addMigration(moodMigration());
    }
    static void TearDownTestSuite() { folder().reset(); }

    static std::unique_ptr<TemporaryFolder>& folder() {
        static std::unique_ptr<TemporaryFolder> made;
        return made;
    }
    static int& before() {
        static int version = 0;
        return version;
    }
    static fs::path historyOf(int version) { return folder()->path() / (std::to_string(version) + ".db"); }
    static fs::path sealedHistory() { return folder()->path() / "sealed.db"; }
    /// A copy of the sealed history, up to date, whose run has a mood and weather.
    static fs::path moodyHistory(const std::string& name) {
        const fs::path path = folder()->path() / name;
        fs::copy_file(sealedHistory(), path);
        (void)Store::open(path);
        SQLite::Database database(path.string(), SQLite::OPEN_READWRITE);
        database.exec("UPDATE note SET mood = 'glad'; UPDATE run SET weather = 'snow'");
        Seals(database).note(1, {Part::note, Part::facts});
        return path;
    }
    static std::string textIn(const fs::path& path, const std::string& sql) {
        const SQLite::Database database(path.string(), SQLite::OPEN_READWRITE);
        Query query(database, sql);
        return query.next() ? query.text(0) : "nothing";
    }
};

TEST_F(StoredField, isAddedToHistoriesOfEveryOlderVersion) {
    ASSERT_EQ(latestVersion(), before() + 1);
    for (int version = 1; version <= before(); ++version) {
        SCOPED_TRACE(version);
        const Store store = Store::open(historyOf(version));
        const SQLite::Database database(historyOf(version).string(), SQLite::OPEN_READWRITE);
        EXPECT_EQ(versionOf(database), latestVersion());
        EXPECT_EQ(schemaProblem(database), "");
        EXPECT_EQ(store.run(1)->note, "a note");
        EXPECT_THAT(store.verify().problems, IsEmpty());
    }
}

TEST_F(StoredField, leavesOlderSealsValid) {
    const fs::path path = folder()->path() / "older.db";
    fs::copy_file(sealedHistory(), path);
    const std::string sealed = "SELECT note || ' ' || facts FROM seal WHERE run = 1";
    const std::string before = textIn(path, sealed);
    EXPECT_THAT(Store::open(path).verify().problems, IsEmpty());
    EXPECT_EQ(textIn(path, sealed), before) << "nothing is sealed anew, so that no damage is taken for what was stored";
}

TEST_F(StoredField, isGuardedAgainstDamage) {
    const fs::path path = moodyHistory("moody.db");
    EXPECT_THAT(Store::open(path).verify().problems, IsEmpty());
    for (const auto& [change, what] :
         {std::pair{"UPDATE note SET mood = 'glae'", "the note"}, {"UPDATE run SET weather = NULL", "the entry"}}) {
        SCOPED_TRACE(change);
        const fs::path damaged = folder()->path() / "damaged.db";
        fs::copy_file(path, damaged, fs::copy_options::overwrite_existing);
        SQLite::Database(damaged.string(), SQLite::OPEN_READWRITE).exec(change);
        const Store store = Store::open(damaged);
        EXPECT_THAT(store.verify().problems, Contains(HasSubstr(what)));
        EXPECT_THROW(store.exportRuns({1}, folder()->path() / "never.db"), StoreError);
    }
}

TEST_F(StoredField, goesAlongWhereItsRunGoes) {
    const fs::path path = moodyHistory("given.db");
    const fs::path file = folder()->path() / "exported.db";
    Store::open(path).exportRuns({1}, file);
    const fs::path other = folder()->path() / "other.db";
    EXPECT_EQ(Store::open(other).merge(file).added, 1);
    for (const fs::path& each : {file, other}) {
        EXPECT_EQ(textIn(each, "SELECT mood FROM note"), "glad") << each;
        EXPECT_EQ(textIn(each, "SELECT weather FROM run"), "snow") << each;
        EXPECT_THAT(Store::open(each).verify().problems, IsEmpty());
    }
}

}  // namespace
}  // namespace tessera::store
