#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "core/base/sha256.h"
#include "core/store/owner.h"
#include "core/store/schema.h"
#include "tests/core/store/fixture.h"
#include "tests/support/paths.h"

namespace tessera::store::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

void put(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

std::string contents(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

SQLite::Database raw(const fs::path& path) {
    return {path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
}

/// Runs `work` in a process without the rights of root, which no file's permissions hold back; 0 = it returned true.
int asNobody(const std::function<bool()>& work) {
    const pid_t child = fork();
    if (child == 0) {
        constexpr uid_t kNobody = 65534;
        if (geteuid() == 0 && setuid(kNobody) != 0) _exit(2);
        try {
            _exit(work() ? 0 : 1);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
            _exit(3);
        }
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

class HistoryFile : public StoreFile {
protected:
    /// A history with a run, closed.
    void make() {
        Store store = Store::open(file());
        addDone(store, studyOf("m", "h", "kept"));
    }
    /// Everybody may enter; `writable` says whether they may write.
    void share(bool writable) {
        fs::permissions(file().parent_path(), fs::perms(writable ? 0777 : 0555));
        for (const auto& entry : fs::directory_iterator(file().parent_path()))
            fs::permissions(entry.path(), fs::perms(writable ? 0666 : 0444));
    }
    void TearDown() override { fs::permissions(file().parent_path(), fs::perms(0777)); }
};

TEST_F(HistoryFile, isMadeWithItsFolders) {
    const fs::path path = file("deep/er/history.db");
    EXPECT_EQ(problemOf([&] { Store::open(path, OpenMode::readOnly); }), StoreProblem::missing);
    EXPECT_FALSE(fs::exists(path.parent_path()));
    Store store = Store::open(path);
    EXPECT_EQ(store.notice(), "");
    EXPECT_FALSE(store.isReadOnly());
    const SQLite::Database database = raw(path);
    EXPECT_EQ(versionOf(database), latestVersion());
    EXPECT_EQ(wholeFrom(database, "PRAGMA application_id"), kApplicationId);
}

fs::perms modeOf(const fs::path& path) {
    return fs::status(path).permissions() & fs::perms::mask;
}

TEST_F(HistoryFile, isItsOwnersAloneUnlessSomebodyMadeItsFolder) {
    const mode_t before = umask(022);
    const Store own = Store::open(file("deep/er/history.db"));
    const Store shared = Store::open(file("history.db"));
    setenv("XDG_DATA_HOME", file().parent_path().c_str(), 1);
    fs::create_directory(file("tessera"));
    const Store standard = Store::open(defaultPath());
    unsetenv("XDG_DATA_HOME");
    umask(before);
    EXPECT_EQ(modeOf(file("deep")), fs::perms(0700));
    EXPECT_EQ(modeOf(file("deep/er")), fs::perms(0700));
    EXPECT_EQ(modeOf(file("deep/er/history.db")), fs::perms(0600));
    EXPECT_EQ(modeOf(file("deep/er/history.db-wal")), fs::perms(0600));
    EXPECT_EQ(modeOf(file("history.db")), fs::perms(0644)) << "the folder's owner has said who may enter";
    EXPECT_EQ(modeOf(file("tessera/history.db")), fs::perms(0600));
}

TEST_F(HistoryFile, isInWriteAheadMode) {
    make();
    const SQLite::Database database = raw(file());
    Query mode(database, "PRAGMA journal_mode");
    mode.next();
    EXPECT_EQ(mode.text(0), "wal");
}

TEST_F(HistoryFile, isOpenWithTheSettingsThatEveryProcessNeeds) {
    const Connection connection = openConnection(file(), OpenMode::readWrite);
    const auto expectSettings = [&] {
        EXPECT_EQ(wholeFrom(*connection.database, "PRAGMA synchronous"), 1) << "NORMAL";
        EXPECT_EQ(wholeFrom(*connection.database, "PRAGMA foreign_keys"), 1);
        EXPECT_EQ(wholeFrom(*connection.database, "PRAGMA busy_timeout"), 5000);
    };
    expectSettings();
    interruptibly(*connection.database, [] {});
    expectSettings();
}

/// A file as each older version left it: the first steps of the list, with a run written by hand.
class EveryOlderVersion : public HistoryFile, public ::testing::WithParamInterface<int> {};

TEST_P(EveryOlderVersion, isBroughtUpToDate) {
    {
        SQLite::Database database = raw(file());
        migrate(database, GetParam());
        database.exec(contents(tessera::test::sourcePath("tests/core/store/run_of_version_1.sql")));
        execute(database, "UPDATE run SET host = ?", thisProcess().host);
        ASSERT_EQ(versionOf(database), GetParam());
        ASSERT_EQ(schemaProblem(database), "");
    }
    {
        const std::string before = contents(file());
        const Store older = Store::open(file(), OpenMode::readOnly);
        EXPECT_EQ(older.run(1)->name, "old") << "an older file is readable without being changed";
        EXPECT_EQ(contents(file()), before);
    }
    Store store = Store::open(file());
    EXPECT_EQ(store.notice(), "");
    EXPECT_EQ(versionOf(raw(file())), latestVersion());
    EXPECT_EQ(schemaProblem(raw(file())), "");
    const RunRow row = *store.run(1);
    EXPECT_EQ(row.name, "old");
    EXPECT_EQ(row.note, "a note");
    EXPECT_THAT(row.tags, ::testing::ElementsAre("t"));
    EXPECT_EQ(store.study(1).models, std::vector<std::string>{"zoo:resnet18"});
    EXPECT_THAT(store.query({.text = "resn"}, 10), SizeIs(1));
    EXPECT_EQ(row.status, RunStatus::interrupted) << "its process is not known, so it is gone";
    EXPECT_TRUE(store.hasAbandoned());
    EXPECT_THAT(store.findInterrupted(), SizeIs(1));
    EXPECT_FALSE(store.hasAbandoned());
    store.setDeleted({1}, true);
    EXPECT_THAT(store.verify().problems, IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(Schema, EveryOlderVersion, ::testing::Range(1, latestVersion()));

TEST(Migrations, areNeverEdited) {
    // A published step stands for ever, since files that it made are out there. Append another instead.
    const std::vector<std::string> published{"259627b32615a4bcec64eeb88af99ef587523b315a41229cc7386724c750754a",
                                             "3d857bb9c030d61a4b01de2734f1001a6a8575ca2ff1a1d0715f0c1f4c98ef10",
                                             "34c7b2955ed1cfe2b5803b7e42cd534bd208e2eafd0954f0975733d9661be988",
                                             "c64fe571db9a2b90fd2c5cb5cc70ccffb2ab540b87d373e286c58b3bf431f4ed"};
    ASSERT_GE(migrations().size(), published.size());
    for (std::size_t i = 0; i < published.size(); ++i)
        EXPECT_EQ(sha256(migrations()[i].sql), published[i]) << migrations()[i].title;
}

TEST_F(HistoryFile, ofANewerProgramIsOpenForReadingOnlyWithBothVersionsNamed) {
    make();
    raw(file()).exec("PRAGMA user_version = 999; CREATE TABLE later(x)");
    Store store = Store::open(file());
    EXPECT_TRUE(store.isReadOnly());
    EXPECT_THAT(store.notice(), HasSubstr("was written by a newer Tessera (its version is 999, this program knows " +
                                          std::to_string(latestVersion()) + "); it is open for reading only."));
    EXPECT_EQ(store.run(1)->name, "kept");
    std::string sentence;
    EXPECT_EQ(problemOf([&] { store.setName(1, "x"); }, &sentence), StoreProblem::notWritable);
    EXPECT_THAT(sentence, HasSubstr("is open for reading only, so nothing in it can be changed"));
    EXPECT_EQ(versionOf(raw(file())), 999);
}

struct Garbage {
    const char* name;
    std::function<std::string(const std::string& sound)> bytes;
    StoreProblem problem;
};
const std::vector<Garbage>& garbage() {
    static const std::vector<Garbage> kGarbage{
        {"text", [](const std::string&) { return std::string("hello\n"); }, StoreProblem::notAHistory},
        {"zeros", [](const std::string&) { return std::string(8192, '\0'); }, StoreProblem::notAHistory},
        {"noise", [](const std::string&) { return sha256("x") + sha256("y") + sha256("z"); },
         StoreProblem::notAHistory},
        {"header", [](const std::string& sound) { return sound.substr(0, 16); }, StoreProblem::damaged},
        {"half a header", [](const std::string& sound) { return sound.substr(0, 60); }, StoreProblem::damaged},
        {"one page", [](const std::string& sound) { return sound.substr(0, 4096); }, StoreProblem::damaged},
        {"a cut page", [](const std::string& sound) { return sound.substr(0, 5000); }, StoreProblem::damaged},
        {"zeroed schema",
         [](const std::string& sound) { return sound.substr(0, 100) + std::string(sound.size() - 100, '\0'); },
         StoreProblem::damaged},
        {"page of ones",
         [](const std::string& sound) { return sound.substr(0, 100) + std::string(3996, '\xFF') + sound.substr(4096); },
         StoreProblem::damaged},
    };
    return kGarbage;
}

TEST_F(HistoryFile, ofBadBytesGetsASentenceAndIsLeftAsItIs) {
    make();
    { raw(file()).exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE"); }
    const std::string sound = contents(file());
    for (const Garbage& one : garbage()) {
        const fs::path path = file("garbage.db");
        const std::string bytes = one.bytes(sound);
        for (const OpenMode mode : {OpenMode::readWrite, OpenMode::readOnly}) {
            put(path, bytes);
            std::string sentence;
            EXPECT_EQ(problemOf([&] { Store::open(path, mode); }, &sentence), one.problem)
                << one.name << ": " << sentence;
            EXPECT_THAT(sentence, HasSubstr("'" + path.string() + "'")) << one.name;
            EXPECT_EQ(contents(path), bytes) << one.name;
        }
    }
}

TEST_F(HistoryFile, cutOffAnywhereNeverCrashes) {
    make();
    { raw(file()).exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE"); }
    const std::string sound = contents(file());
    int refused = 0;
    for (std::size_t size = 4096; size < sound.size(); size += 4096) {
        put(file("cut.db"), sound.substr(0, size));
        try {
            Store store = Store::open(file("cut.db"));
            EXPECT_FALSE(store.verify().problems.empty()) << size;
            store.query({}, 10);
            store.addRun(studyOf("m", "h"));
        } catch (const StoreError&) {
            ++refused;
        }
        fs::remove(file("cut.db-wal"));
        fs::remove(file("cut.db-shm"));
    }
    EXPECT_GT(refused, 0);
}

/// A program that is killed while it makes its history leaves such a file.
TEST_F(HistoryFile, thatIsEmptyHasNoRunsAndBecomesANewOneWhenItIsWritten) {
    put(file(), "");
    {
        const Store read = Store::open(file(), OpenMode::readOnly);
        EXPECT_EQ(read.count({}), 0);
        EXPECT_TRUE(read.verify().problems.empty());
        EXPECT_EQ(read.notice(), "");
    }
    EXPECT_EQ(fs::file_size(file()), 0U);
    EXPECT_NO_THROW(Store::open(file()));
    EXPECT_GT(fs::file_size(file()), 0U);
}

TEST_F(HistoryFile, isNoFolderPipeOrForeignDatabase) {
    fs::create_directory(file("folder"));
    EXPECT_EQ(problemOf([&] { Store::open(file("folder")); }), StoreProblem::notAHistory);
    ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
    EXPECT_EQ(problemOf([&] { Store::open(file("pipe")); }), StoreProblem::notAHistory);
    raw(file("foreign.db")).exec("CREATE TABLE run(id)");
    std::string sentence;
    EXPECT_EQ(problemOf([&] { Store::open(file("foreign.db")); }, &sentence), StoreProblem::notAHistory);
    EXPECT_THAT(sentence, HasSubstr("is not a history of Tessera; choose another file"));
    put(file("plain"), "x");
    EXPECT_EQ(problemOf([&] { Store::open(file("plain") / "history.db"); }), StoreProblem::notWritable);
}

TEST_F(HistoryFile, withTablesThatAreNotOursIsDamaged) {
    make();
    std::string sentence;
    raw(file()).exec("CREATE TRIGGER evil AFTER UPDATE ON run BEGIN DELETE FROM run; END");
    EXPECT_EQ(problemOf([&] { Store::open(file()); }, &sentence), StoreProblem::damaged);
    EXPECT_THAT(sentence, HasSubstr("it holds the trigger 'evil'"));
    raw(file()).exec("DROP TRIGGER evil; DROP TABLE note");
    EXPECT_EQ(problemOf([&] { Store::open(file()); }, &sentence), StoreProblem::damaged);
    EXPECT_THAT(sentence, HasSubstr("its part 'note' is missing"));
    raw(file()).exec("CREATE VIEW note AS SELECT 1 AS run, 'x' AS text");
    EXPECT_EQ(problemOf([&] { Store::open(file()); }, &sentence), StoreProblem::damaged);
    EXPECT_THAT(sentence, HasSubstr("its part 'note' is not as Tessera made it"));
}

TEST_F(HistoryFile, mayHoldTablesOfOthers) {
    make();
    raw(file()).exec("CREATE TABLE mine(x); CREATE INDEX mine_x ON mine(x); ANALYZE");
    EXPECT_NO_THROW(Store::open(file()));
}

TEST_F(HistoryFile, thatCannotBeWrittenIsOpenForReading) {
    make();
    share(false);
    EXPECT_EQ(asNobody([&] {
                  Store store = Store::open(file());
                  return store.isReadOnly() &&
                         store.notice().find("cannot be written; it is open for reading only.") != std::string::npos &&
                         store.query({}, 10).size() == 1 &&
                         problemOf([&] { store.setName(1, "x"); }) == StoreProblem::notWritable;
              }),
              0);
    EXPECT_EQ(asNobody([&] { return Store::open(file(), OpenMode::readOnly).query({}, 10).size() == 1; }), 0);
}

TEST_F(HistoryFile, inAReadOnlyFolderIsReadWithItsLog) {
    Store writer = Store::open(file());
    addDone(writer, studyOf("m", "h"));
    ASSERT_GT(fs::file_size(file().string() + "-wal"), 0U);
    // As a crash leaves it on a medium that is read-only then: a log, and no shared memory beside it.
    fs::create_directory(file("medium"));
    fs::copy_file(file(), file("medium/history.db"));
    fs::copy_file(file().string() + "-wal", file("medium/history.db-wal"));
    fs::permissions(file().parent_path(), fs::perms(0755));
    fs::permissions(file("medium/history.db"), fs::perms(0444));
    fs::permissions(file("medium/history.db-wal"), fs::perms(0444));
    fs::permissions(file("medium"), fs::perms(0555));
    EXPECT_EQ(asNobody([&] {
                  const Store store = Store::open(file("medium/history.db"));
                  return store.isReadOnly() && store.query({}, 10).size() == 1;
              }),
              0);
    fs::permissions(file("medium"), fs::perms(0755));
}

/// The files beside a history that another account made: its own may be written, they may not.
TEST_F(HistoryFile, whoseLogOrSharedMemoryCannotBeWrittenIsOpenForReading) {
    Store writer = Store::open(file());
    addDone(writer, studyOf("m", "h"));
    for (const char* beside : {"-wal", "-shm"}) {
        ASSERT_TRUE(fs::exists(file().string() + beside));
        share(true);
        fs::permissions(file().string() + beside, fs::perms(0444));
        EXPECT_EQ(asNobody([&] {
                      const Store store = Store::open(file());
                      return store.isReadOnly() && store.query({}, 10).size() == 1 &&
                             store.notice().ends_with("cannot be written; it is open for reading only.");
                  }),
                  0)
            << beside;
        fs::permissions(file().string() + beside, fs::perms(0));
        EXPECT_EQ(asNobody([&] {
                      try {
                          return Store::open(file()).query({}, 10).size() == 1;
                      } catch (const StoreError& error) {
                          return std::string(error.what()).find('\n') == std::string::npos;
                      }
                  }),
                  0)
            << beside << " may not even be read";
    }
    // Nor is what stands in their place a file, whoever asks.
    fs::create_directory(file("other"));
    fs::copy_file(file(), file("other/history.db"));
    fs::copy_file(file().string() + "-wal", file("other/history.db-wal"));
    fs::create_directory(file("other/history.db-shm"));
    const Store store = Store::open(file("other/history.db"));
    EXPECT_TRUE(store.isReadOnly());
    EXPECT_THAT(store.query({}, 10), SizeIs(1));
}

TEST_F(HistoryFile, thatMayNotBeReadOrMadeGetsASentence) {
    make();
    fs::permissions(file().parent_path(), fs::perms(0555));
    fs::permissions(file(), fs::perms(0));
    EXPECT_EQ(asNobody([&] {
                  return problemOf([&] { Store::open(file()); }) == StoreProblem::notReadable &&
                         problemOf([&] { Store::open(file("other.db")); }) == StoreProblem::notWritable &&
                         problemOf([&] { Store::open(file("new/other.db")); }) == StoreProblem::notWritable;
              }),
              0);
}

TEST_F(HistoryFile, thatIsLockedSaysSoAfterAWhile) {
    make();
    Store store = Store::open(file());
    SQLite::Database other = raw(file());
    other.exec("BEGIN IMMEDIATE");
    EXPECT_THAT(store.query({}, 10), SizeIs(1)) << "reading goes on";
    std::string sentence;
    EXPECT_EQ(problemOf([&] { store.setName(1, "x"); }, &sentence), StoreProblem::locked);
    EXPECT_THAT(sentence, HasSubstr("is locked by another program; close that program or try again"));
    other.exec("ROLLBACK");
    store.setName(1, "x");
}

TEST_F(HistoryFile, onAFullDiskKeepsWhatWasFinished) {
    make();
    share(true);
    const int result = asNobody([&] {
        Store store = Store::open(file());
        const std::string noise = [] {
            std::string text;
            for (int i = 0; text.size() < 2'000'000; ++i) text += sha256(std::to_string(i));
            return text;
        }();
        // The stand-in for a full disk: no file may grow beyond this.
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{600'000, 600'000};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
        const RunId run = store.addRun(studyOf("m", "h"));
        const StoreProblem problem = problemOf([&] {
            store.finishRun(run, tessera::test::handMadeResult(), "", {}, {{"big", "text/plain", noise}});
        });
        // The connection still works, and smaller things still fit.
        store.setStatus(run, RunStatus::failed, "full");
        return problem == StoreProblem::full && store.result(1).has_value() && !store.result(run).has_value();
    });
    EXPECT_EQ(result, 0);
    EXPECT_THAT(Store::open(file()).verify().problems, IsEmpty());
}

}  // namespace
}  // namespace tessera::store::test
