#include <fmt/format.h>

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

/// A table whose rows belong to a run; the first column is the run's number.
struct Part {
    std::string_view table;
    std::string_view columns;
    int count;
};

constexpr std::array kOutcome{
    Part{"result", "run, size, document, form", 4},
    Part{"artifact", "run, kind, media_type, size, content", 5},
    Part{"run_model", "run, name, sha256", 3},
    Part{"run_hardware", "run, name, sha256", 3},
};
constexpr std::array kAnnotations{
    Part{"tag", "run, name", 2},
    Part{"note", "run, text", 2},
};
/// What a run loses when it takes over another outcome.
constexpr std::array<std::string_view, 7> kOutcomeTables{"result", "artifact", "run_model", "run_hardware",
                                                         "metric", "trace",    "checkpoint"};

constexpr std::size_t kRunMicroseconds = 1000;  ///< that copying a run takes, or longer
constexpr std::size_t kRowMicroseconds = 100;   ///< a row may hold much

std::string placeholders(int count) {
    std::string text = "?";
    for (int i = 1; i < count; ++i) text += ", ?";
    return text;
}

/// Copies runs between two databases of the same version.
class Copier {
public:
    Copier(const Store& source, const SQLite::Database& from, const SQLite::Database& to)
        : source_(source), from_(from), to_(to) {}

    RunId copy(RunId run) {
        const std::int64_t study = studyOf(run);
        constexpr std::string_view kColumns =
            "uid, seed, name, engine, models, hardware, status, since, started, finished, headline, version, host, "
            "starred";
        constexpr int kCount = 14;
        Query query(from_, fmt::format("SELECT {} FROM run WHERE id = ?", kColumns), run);
        query.next();
        Query insert(to_, fmt::format("INSERT INTO run(study, {}) VALUES({})", kColumns, placeholders(kCount + 1)),
                     study);
        for (int i = 0; i < kCount; ++i) insert.addFrom(query, i);
        insert.changed();
        const RunId added = wholeFrom(to_, "SELECT last_insert_rowid()");
        // Nobody works on it where it goes.
        execute(to_, "UPDATE run SET status = 'interrupted' WHERE id = ? AND status IN ('queued', 'running', 'paused')",
                added);
        copyOutcome(run, added);
        for (const Part& part : kAnnotations) copyPart(part, run, added);
        refreshSearch(to_, added);
        return added;
    }

    /// A run that is there already.
    void unite(RunId run, RunId present) {
        for (const Part& part : kAnnotations) copyPart(part, run, present);
        const std::string done = "SELECT count(*) FROM run WHERE id = ? AND status = 'done'";
        const std::string ended =
            "SELECT count(*) FROM run WHERE id = ? AND status IN ('done', 'queued', 'running', 'paused')";
        if (wholeFrom(from_, done, run) == 1 && wholeFrom(to_, ended, present) == 0) {
            for (const std::string_view table : kOutcomeTables)
                execute(to_, fmt::format("DELETE FROM {} WHERE run = ?", table), present);
            constexpr std::string_view kColumns = "status, since, started, finished, headline, version, host";
            constexpr int kCount = 7;
            Query query(from_, fmt::format("SELECT {} FROM run WHERE id = ?", kColumns), run);
            query.next();
            Query update(to_, fmt::format("UPDATE run SET ({}) = ({}) WHERE id = ?", kColumns, placeholders(kCount)));
            for (int i = 0; i < kCount; ++i) update.addFrom(query, i);
            update.add(present);
            update.changed();
            copyOutcome(run, present);
        }
        refreshSearch(to_, present);
    }

private:
    /// The study is read and hashed again: what another file says is not taken for granted.
    std::int64_t studyOf(RunId run) {
        const std::int64_t row = wholeFrom(from_, "SELECT study FROM run WHERE id = ?", run);
        const auto known = studies_.find(row);
        if (known != studies_.end()) return known->second;
        study::Study study = readStudyOf(from_, source_.path(), run);
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
            if (sha256(decompressed(query.bytes(2), static_cast<std::size_t>(query.whole(1)))) != sha)
                throw StoreError(StoreProblem::damaged,
                                 fmt::format("the history {} is damaged: an input of run {} is not what its hash says",
                                             shown(source_.path()), run));
            Query insert(to_, fmt::format("INSERT INTO {}(sha256, size, content) VALUES(?, ?, ?)", table));
            for (int i = 0; i < 3; ++i) insert.addFrom(query, i);
            insert.changed();
        }
    }

    void copyPart(const Part& part, RunId run, RunId to) {
        Query query(from_, fmt::format("SELECT {} FROM {} WHERE run = ?", part.columns, part.table), run);
        Query insert(to_, fmt::format("INSERT OR IGNORE INTO {}({}) VALUES({})", part.table, part.columns,
                                      placeholders(part.count)));
        while (query.next()) {
            poll(kRowMicroseconds);
            insert.rebind(to);
            for (int i = 1; i < part.count; ++i) insert.addFrom(query, i);
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
        for (const Part& part : kOutcome) copyPart(part, run, to);
        copyMetrics(run, to);
        copyTraceAndCheckpoint(run, to);
    }

    const Store& source_;
    const SQLite::Database& from_;
    const SQLite::Database& to_;
    std::map<std::int64_t, std::int64_t> studies_;
};

/// The runs of a history with their uids, oldest first, without deleted ones.
std::vector<std::pair<RunId, std::string>> runsOf(const SQLite::Database& database) {
    std::vector<std::pair<RunId, std::string>> runs;
    Query query(database, "SELECT id, uid FROM run WHERE deleted = 0 ORDER BY id");
    while (query.next()) runs.emplace_back(query.whole(0), query.text(1));
    return runs;
}

std::optional<RunId> runOfUid(const SQLite::Database& database, const std::string& uid) {
    Query query(database, "SELECT id FROM run WHERE uid = ?", uid);
    return query.next() ? std::optional(query.whole(0)) : std::nullopt;
}

}  // namespace

void Store::exportRuns(const std::vector<RunId>& runs, const fs::path& to) const {
    NewDatabase file(to, path());
    file.write([&](SQLite::Database& target) {
        migrate(target);
        implementation_->read([&](const SQLite::Database& database) {
            SQLite::Transaction transaction(target);
            Copier copier(*this, database, target);
            for (const RunId run : runs) {
                poll(kRunMicroseconds);
                requireRun(database, run);
                copier.copy(run);
            }
            transaction.commit();
        });
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
    return other.implementation_->read([&](const SQLite::Database& source) {
        MergeCount count;
        const auto runs = runsOf(source);
        constexpr std::size_t kAtOnce = 100;
        for (std::size_t first = 0; first < runs.size(); first += kAtOnce)
            // Some runs at a time, so that others can write in between.
            interruptibly(implementation_->database(), [&] {
                implementation_->write([&](const SQLite::Database& database) {
                    Copier copier(other, source, database);
                    for (std::size_t i = first; i < std::min(first + kAtOnce, runs.size()); ++i) {
                        poll(kRunMicroseconds);
                        const auto& [run, uid] = runs[i];
                        const std::optional<RunId> present = runOfUid(database, uid);
                        if (present)
                            copier.unite(run, *present);
                        else
                            copier.copy(run);
                        ++(present ? count.present : count.added);
                    }
                });
            });
        return count;
    });
}

}  // namespace tessera::store
