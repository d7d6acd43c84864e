#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/base/poll.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/store/compression.h"
#include "core/store/implementation.h"
#include "core/store/rows.h"
#include "core/store/schema.h"
#include "core/study/study.h"

/// Runs go from one history to another: export, import, merge.
namespace tessera::store {

namespace fs = std::filesystem;

namespace {

/// Tables whose rows belong to a run; the first column is the run's number.
constexpr std::array<std::string_view, 4> kOutcome{"result", "artifact", "run_model", "run_hardware"};
constexpr std::array<std::string_view, 2> kAnnotations{"tag", "note"};
/// Columns of a run that say where it stands in its history, and who works on it.
constexpr std::array<std::string_view, 9> kOfThisHistory{"id",    "study", "pid",     "process", "deleted",
                                                         "sweep", "point", "resumed", "seen"};
/// What a run loses when it takes over another outcome.
constexpr std::array<std::string_view, 7> kOutcomeTables{"result", "artifact", "run_model", "run_hardware",
                                                         "metric", "trace",    "checkpoint"};

constexpr std::size_t kRunMicroseconds = 1000;  ///< that copying a run takes, or longer
constexpr std::size_t kRowMicroseconds = 100;   ///< a row may hold much

/// The names of a table's columns, in their order, without some.
template <typename Names = std::array<std::string_view, 0>>
std::vector<std::string> columnNames(const SQLite::Database& database, std::string_view table,
                                     const Names& without = {}) {
    std::vector<std::string> columns;
    Query query(database, "SELECT name FROM pragma_table_info(?)", table);
    while (query.next())
        if (std::find(without.begin(), without.end(), query.text(0)) == without.end()) columns.push_back(query.text(0));
    return columns;
}

/// Where runs are taken in from.
struct Import {
    std::string file;
    std::int64_t at = 0;      ///< milliseconds since 1970
    bool isUnsealed = false;  ///< the file is of a version without seals
    fs::path into = {};       ///< for messages about our own runs
};

/// Copies runs between two databases of the same version.
class Copier {
public:
    /// `import` is null where runs are given away.
    Copier(const fs::path& source, const SQLite::Database& from, const SQLite::Database& to, const Import* import)
        : source_(source), from_(from), to_(to), import_(import), seals_(from) {}

    RunId copy(RunId run) {
        requireSoundSource(run);
        const std::int64_t study = studyOf(run);
        const std::string columns = joined(columnNames(to_, "run", kOfThisHistory), ", ");
        Query query(from_, fmt::format("SELECT {} FROM run WHERE id = ?", columns), run);
        query.next();
        Query insert(to_,
                     fmt::format("INSERT INTO run(study, {}) VALUES({})", columns, placeholders(query.columns() + 1)),
                     study);
        for (int i = 0; i < query.columns(); ++i) insert.addFrom(query, i);
        insert.changed();
        const RunId added = wholeFrom(to_, "SELECT last_insert_rowid()");
        joinSweep(run, added);
        // No process works on it where it goes.
        execute(to_, "UPDATE run SET status = 'interrupted' WHERE id = ? AND status IN ('queued', 'running', 'paused')",
                added);
        copyOutcome(run, added);
        for (const std::string_view table : kAnnotations) copyTable(table, run, added);
        refreshSearch(to_, added);
        Seals(to_).note(added, {kAllParts.begin(), kAllParts.end()});
        return added;
    }

    /// A run that is there already.
    void unite(RunId run, RunId present) {
        requireSoundSource(run);
        requireSound(to_, import_->into, present, {kAllParts.begin(), kAllParts.end()});
        for (const std::string_view table : kAnnotations) copyTable(table, run, present);
        joinSweep(run, present);
        const std::string done = "SELECT count(*) FROM run WHERE id = ? AND status = 'done'";
        const std::string ended =
            "SELECT count(*) FROM run WHERE id = ? AND status IN ('done', 'queued', 'running', 'paused')";
        if (wholeFrom(from_, done, run) == 1 && wholeFrom(to_, ended, present) == 0) {
            for (const std::string_view table : kOutcomeTables)
                execute(to_, fmt::format("DELETE FROM {} WHERE run = ?", table), present);
            constexpr std::string_view kColumns =
                "status, since, started, finished, headline, version, host, imported, imported_at, worked";
            constexpr int kCount = 10;
            Query query(from_, fmt::format("SELECT {} FROM run WHERE id = ?", kColumns), run);
            query.next();
            Query update(to_, fmt::format("UPDATE run SET ({}) = ({}) WHERE id = ?", kColumns, placeholders(kCount)));
            for (int i = 0; i < kCount; ++i) update.addFrom(query, i);
            update.add(present);
            update.changed();
            copyOutcome(run, present);
        }
        refreshSearch(to_, present);
        Seals(to_).note(present, {kAllParts.begin(), kAllParts.end()});
    }

    /// Forgets what was found out, where it was taken back.
    void forget() {
        studies_.clear();
        sweeps_.clear();
    }

private:
    /// Puts a run that belongs to no sweep here into the one that stands for its own.
    void joinSweep(RunId run, RunId to) {
        Query query(
            from_,
            "SELECT run.sweep, run.point, sweep.document FROM run JOIN sweep ON sweep.id = run.sweep WHERE run.id = ?",
            run);
        if (!query.next() || wholeFrom(to_, "SELECT sweep IS NOT NULL FROM run WHERE id = ?", to) != 0) return;
        const auto [found, isNew] = sweeps_.try_emplace(query.whole(0), 0);
        if (isNew) found->second = sweepFor(query.whole(0), query.text(2));
        execute(to_, "UPDATE run SET sweep = ?, point = ? WHERE id = ?", found->second, query.wholeOrNull(1), to);
    }

    /// The sweep with runs of this one, else one that asked for the same and whose runs are at other points, else a new
    /// one.
    std::int64_t sweepFor(std::int64_t sweep, const std::string& document) {
        std::map<std::string, std::int64_t> points;
        Query runs(from_, "SELECT uid, point FROM run WHERE sweep = ?", sweep);
        while (runs.next()) points[runs.text(0)] = runs.whole(1);
        for (const auto& [uid, point] : points) {
            Query here(to_, "SELECT sweep FROM run WHERE uid = ? AND sweep IS NOT NULL", uid);
            if (here.next()) return here.whole(0);
        }
        Query same(to_, "SELECT id FROM sweep WHERE document = ? ORDER BY id", document);
        while (same.next()) {
            bool isFree = true;
            for (const auto& [uid, point] : points)
                isFree = isFree && wholeFrom(to_, "SELECT count(*) FROM run WHERE sweep = ? AND point = ?",
                                             same.whole(0), point) == 0;
            if (isFree) return same.whole(0);
        }
        execute(to_, "INSERT INTO sweep(document) VALUES(?)", document);
        return wholeFrom(to_, "SELECT last_insert_rowid()");
    }

    void requireSoundSource(RunId run) {
        if (const std::optional<Part> damaged = seals_.damaged(run, kAllParts)) throw damageOf(source_, run, *damaged);
        if (import_ != nullptr) requirePossibleTimes(run);
    }

    /// Lists and charts are made of times, so that one that cannot be would spoil them.
    void requirePossibleTimes(RunId run) {
        constexpr std::int64_t kLatest = 4102444800000;  // the year 2100
        Query query(from_,
                    "SELECT min(since, coalesce(started, since), coalesce(finished, since)), "
                    "max(since, coalesce(started, since), coalesce(finished, since)) FROM run WHERE id = ?",
                    run);
        query.next();
        const std::int64_t wrong = query.whole(0) < 0 ? query.whole(0) : query.whole(1);
        if (wrong >= 0 && wrong < kLatest) return;
        throw StoreError(StoreProblem::damaged,
                         fmt::format("the history {} is damaged: a time of run {} is {} ms after 1970; expected one "
                                     "before the year 2100",
                                     shown(source_), run, wrong));
    }

    /// What was not sealed is not taken for granted: headline and metrics are those of the result.
    void takeFromResult(RunId run, RunId to) {
        if (!import_->isUnsealed && seals_.has(run)) return;
        const std::optional<study::Result> result = readResultOf(from_, source_, run);
        if (!result || wholeFrom(to_, "SELECT count(*) FROM run WHERE id = ? AND status = 'done'", to) == 0) return;
        execute(to_, "UPDATE run SET headline = ? WHERE id = ?", study::headline(*result), to);
        putMetrics(to_, to, study::metricsOf(*result));
    }

    /// The study is read and hashed again: what another file says is not taken for granted.
    std::int64_t studyOf(RunId run) {
        const std::int64_t row = wholeFrom(from_, "SELECT study FROM run WHERE id = ?", run);
        const auto known = studies_.find(row);
        if (known != studies_.end()) return known->second;
        study::Study study = readStudyOf(from_, source_, run);
        return studies_[row] = studyRow(to_, study);
    }

    void copyContents(const std::string& table, RunId run) {
        Query query(
            from_,
            fmt::format(
                "SELECT sha256, size, content FROM {0} WHERE sha256 IN (SELECT sha256 FROM run_{0} WHERE run = ?)",
                table),
            run);
        while (query.next()) {
            poll(kRowMicroseconds);
            const std::string sha = query.text(0);
            if (wholeFrom(to_, fmt::format("SELECT count(*) FROM {} WHERE sha256 = ?", table), sha) != 0) continue;
            const std::string what = fmt::format("an input of run {}", run);
            if (sha256(contentOf(query, 1, 2, source_, what)) != sha)
                throw StoreError(
                    StoreProblem::damaged,
                    fmt::format("the history {} is damaged: {} is not what its hash says", shown(source_), what));
            Query insert(to_, fmt::format("INSERT INTO {}(sha256, size, content) VALUES(?, ?, ?)", table));
            for (int i = 0; i < 3; ++i) insert.addFrom(query, i);
            insert.changed();
        }
    }

    void copyTable(std::string_view table, RunId run, RunId to) {
        const std::string columns = joined(columnNames(to_, table), ", ");
        Query query(from_, fmt::format("SELECT {} FROM {} WHERE run = ?", columns, table), run);
        Query insert(
            to_, fmt::format("INSERT OR IGNORE INTO {}({}) VALUES({})", table, columns, placeholders(query.columns())));
        while (query.next()) {
            poll(kRowMicroseconds);
            insert.rebind(to);
            for (int i = 1; i < query.columns(); ++i) insert.addFrom(query, i);
            insert.changed();
        }
    }

    void copyMetrics(RunId run, RunId to) {
        Query query(
            from_,
            "SELECT name, title, owner, unit, better, position, value FROM metric JOIN metric_kind ON id = kind "
            "WHERE run = ?",
            run);
        while (query.next()) {
            Query kind(to_,
                       "INSERT OR IGNORE INTO metric_kind(name, title, owner, unit, better) VALUES(?, ?, ?, ?, ?)");
            for (int i = 0; i < 5; ++i) kind.addFrom(query, i);
            kind.changed();
            execute(to_,
                    "INSERT OR IGNORE INTO metric(run, kind, position, value) "
                    "SELECT ?, id, ?, ? FROM metric_kind WHERE name = ?",
                    to, query.whole(5), query.number(6), query.text(0));
        }
    }

    void copyTraceAndCheckpoint(RunId run, RunId to) {
        Query checkpoint(from_, "SELECT size, state, trace FROM checkpoint WHERE run = ?", run);
        const bool has = checkpoint.next();
        std::int64_t last = 0;
        Query query(from_, "SELECT id, series, position, points FROM trace WHERE run = ? ORDER BY id", run);
        Query insert(to_, "INSERT OR IGNORE INTO trace(run, series, position, points) VALUES(?, ?, ?, ?)");
        while (query.next()) {
            poll(kRowMicroseconds);
            insert.rebind(to);
            for (int i = 1; i < 4; ++i) insert.addFrom(query, i);
            insert.changed();
            if (has && query.whole(0) <= checkpoint.whole(2)) last = wholeFrom(to_, "SELECT last_insert_rowid()");
        }
        if (!has) return;
        Query copy(to_, "INSERT OR REPLACE INTO checkpoint(trace, run, size, state) VALUES(?, ?, ?, ?)", last, to);
        for (int i = 0; i < 2; ++i) copy.addFrom(checkpoint, i);
        copy.changed();
    }

    void copyOutcome(RunId run, RunId to) {
        copyContents("model", run);
        copyContents("hardware", run);
        for (const std::string_view table : kOutcome) copyTable(table, run, to);
        copyMetrics(run, to);
        copyTraceAndCheckpoint(run, to);
        if (import_ == nullptr) return;
        takeFromResult(run, to);
        execute(to_, "UPDATE run SET imported = ?, imported_at = ? WHERE id = ?", import_->file, import_->at, to);
    }

    const fs::path& source_;
    const SQLite::Database& from_;
    const SQLite::Database& to_;
    const Import* import_;
    Seals seals_;
    std::map<std::int64_t, std::int64_t> studies_;
    std::map<std::int64_t, std::int64_t> sweeps_;
};

/// The runs of a history with their uids, oldest first, without deleted ones.
std::vector<std::pair<RunId, std::string>> runsOf(const SQLite::Database& database) {
    std::vector<std::pair<RunId, std::string>> runs;
    Query query(database, "SELECT id, uid FROM run WHERE deleted = 0 ORDER BY id");
    while (query.next()) runs.emplace_back(query.whole(0), query.text(1));
    return runs;
}

std::optional<RunId> runOfWholeUid(const SQLite::Database& database, const std::string& uid) {
    Query query(database, "SELECT id FROM run WHERE uid = ?", uid);
    return query.next() ? std::optional(query.whole(0)) : std::nullopt;
}

/// Takes a run in, all of it or nothing. Returns why it is left out where it is damaged, "" where it was taken. What
/// contradicts itself is the other file's fault, not that of our own, which refuses it.
template <typename Work>
std::string takenIn(const fs::path& from, const SQLite::Database& to, RunId run, const Work& work) {
    std::string problem;
    execute(to, "SAVEPOINT run");
    try {
        work();
    } catch (const SQLite::Exception& error) {
        if ((error.getErrorCode() & 0xFF) != SQLITE_CONSTRAINT) throw;
        problem = fmt::format(
            "the history {} is damaged: what it holds of run {} contradicts itself ({}); take in a sound copy of it",
            shown(from), run, escaped(error.what()));
    } catch (const StoreError& error) {
        if (error.problem != StoreProblem::damaged) throw;
        problem = error.what();
    }
    if (!problem.empty()) execute(to, "ROLLBACK TO run");
    execute(to, "RELEASE run");
    return problem;
}

}  // namespace

void Store::exportRuns(const std::vector<RunId>& runs, const fs::path& to) const {
    NewDatabase file(to, path());
    file.write([&](SQLite::Database& target) {
        migrate(target);
        SQLite::Transaction transaction(target);
        implementation_->read([&](const SQLite::Database& database) {
            Copier copier(path(), database, target, nullptr);
            for (const RunId run : runs) {
                poll(kRunMicroseconds);
                requireRun(database, run);
                copier.copy(run);
            }
        });
        transaction.commit();
    });
}

MergeCount Store::merge(const fs::path& from) {
    implementation_->requireWritable();
    std::error_code ignored;
    if (fs::equivalent(from, path(), ignored))
        throw UsageError(fmt::format("{} is this history itself; give another to merge", shown(from)));
    const Store other = open(from, OpenMode::readOnly);
    if (versionOf(other.implementation_->database()) > latestVersion())
        throw StoreError(
            StoreProblem::newer,
            fmt::format("{} was written by a newer Tessera; update this program to take it in", shown(from)));
    const Import import{.file = from.string(),
                        .at = millisecondsNow(),
                        .isUnsealed = other.implementation_->connection.version < kSealed,
                        .into = path()};
    return other.implementation_->read([&](const SQLite::Database& source) {
        MergeCount count;
        const auto runs = runsOf(source);
        constexpr std::size_t kAtOnce = 100;
        for (std::size_t first = 0; first < runs.size(); first += kAtOnce)
            // Some runs at a time, so that others can write in between.
            interruptibly(implementation_->database(), [&] {
                implementation_->write([&](const SQLite::Database& database) {
                    Copier copier(from, source, database, &import);
                    for (std::size_t i = first; i < std::min(first + kAtOnce, runs.size()); ++i) {
                        poll(kRunMicroseconds);
                        const RunId run = runs[i].first;
                        const std::optional<RunId> present = runOfWholeUid(database, runs[i].second);
                        const std::string problem = takenIn(from, database, run, [&] {
                            if (present)
                                copier.unite(run, *present);
                            else
                                copier.copy(run);
                        });
                        if (problem.empty()) {
                            ++(present ? count.present : count.added);
                        } else {
                            copier.forget();
                            count.damaged.emplace(run, problem);
                        }
                    }
                });
            });
        return count;
    });
}

}  // namespace tessera::store
