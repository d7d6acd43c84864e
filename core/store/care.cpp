#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/store/compression.h"
#include "core/store/implementation.h"
#include "core/study/study.h"

/// Checking, copying and tidying the file.
namespace tessera::store {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostProblems = 1000;

/// Walks the whole file, gathers what is wrong and goes on.
class Verifier {
public:
    Verifier(const Store& store, const SQLite::Database& database, const std::function<bool(double)>& progress)
        : store_(store), database_(database), progress_(progress) {}

    Verification run() {
        attempt("the file", [&] { checkFile(); });
        attempt("the references", [&] { checkReferences(); });
        attempt("the runs", [&] {
            found_.runs = wholeFrom(database_, "SELECT count(*) FROM run");
            const std::int64_t models = wholeFrom(database_, "SELECT count(*) FROM model");
            steps_ = found_.runs + models + wholeFrom(database_, "SELECT count(*) FROM hardware");
        });
        for (const std::string table : {"model", "hardware"}) checkInputs(table);
        attempt("the studies", [&] { checkStudies(); });
        attempt("the runs", [&] { checkRuns(); });
        report(1);
        return std::move(found_);
    }

private:
    /// Half of the time goes to the file as such.
    void report(double share) const {
        if (progress_ && !progress_(share)) throw InterruptedError("the check of the history was stopped");
    }
    void step() {
        ++done_;
        report(0.5 + 0.5 * static_cast<double>(done_) / static_cast<double>(std::max(steps_, done_)));
    }

    void add(const std::string& problem) {
        if (found_.problems.size() < kMostProblems) found_.problems.push_back(problem);
    }
    template <typename Work>
    void attempt(const std::string& what, const Work& work) {
        try {
            work();
        } catch (const SQLite::Exception& error) {
            add(fmt::format("{} cannot be read: {}", what, escaped(error.what())));
        } catch (const StoreError& error) {
            add(fmt::format("{}: {}", what, error.what()));
        }
    }

    void checkFile() {
        const auto stop = [](void* self) {
            const auto& progress = static_cast<Verifier*>(self)->progress_;
            return progress && !progress(0) ? 1 : 0;
        };
        constexpr int kSteps = 1'000'000;
        sqlite3_progress_handler(database_.getHandle(), kSteps, stop, this);
        try {
            Query check(database_, "PRAGMA integrity_check(100)");
            while (check.next())
                if (check.text(0) != "ok") add("the file is damaged: " + escaped(check.text(0)));
            sqlite3_progress_handler(database_.getHandle(), 0, nullptr, nullptr);
        } catch (const SQLite::Exception& error) {
            sqlite3_progress_handler(database_.getHandle(), 0, nullptr, nullptr);
            if (error.getErrorCode() == SQLITE_INTERRUPT)
                throw InterruptedError("the check of the history was stopped");
            throw;
        }
        report(0.5);
    }

    void checkReferences() {
        Query check(database_, "PRAGMA foreign_key_check");
        while (check.next())
            add(fmt::format("a row of table '{}' refers to a row of table '{}' that is gone", escaped(check.text(0)),
                            escaped(check.text(2))));
        Query search(database_, "SELECT id FROM run WHERE id NOT IN (SELECT rowid FROM run_search)");
        while (search.next()) add(fmt::format("run {} cannot be found by text", search.whole(0)));
        Query results(database_, "SELECT id FROM run WHERE status = 'done' AND id NOT IN (SELECT run FROM result)");
        while (results.next()) add(fmt::format("run {} is done but has no result", results.whole(0)));
    }

    void checkInputs(const std::string& table) {
        attempt("table '" + table + "'", [&] {
            Query query(database_, "SELECT sha256, size, content FROM " + table);
            while (query.next()) {
                const std::string name = query.text(0);
                ++found_.inputs;
                attempt(fmt::format("the content {} of table '{}'", inQuotes(name), table), [&] {
                    if (sha256(decompressed(query.bytes(2), sizeOf(query, 1))) != name)
                        add(fmt::format("the content {} of table '{}' is not what its hash says", inQuotes(name),
                                        table));
                });
                step();
            }
        });
    }

    void checkStudies() {
        Query query(database_, "SELECT hash, document FROM study");
        while (query.next()) {
            const std::string hash = query.text(0);
            const std::string document = query.text(1);
            // Mostly the document is the canonical form that was hashed; otherwise reading brings it into that form.
            if (sha256(document) != hash && canonicalHash(document) != hash)
                add(fmt::format("the study {} is not what its hash says", inQuotes(hash)));
        }
    }

    /// Empty where the document is no study.
    static std::string canonicalHash(const std::string& document) {
        try {
            return study::contentHash(study::readStudy(JsonDocument::parse(document, "").root()));
        } catch (const DataError&) {
            return "";
        } catch (const UsageError&) {
            return "";
        }
    }

    static std::size_t sizeOf(Query& query, int column) {
        return static_cast<std::size_t>(std::max<std::int64_t>(query.whole(column), 0));
    }

    void checkRuns() {
        std::vector<RunId> runs;
        Query query(database_, "SELECT id FROM run ORDER BY id");
        while (query.next()) runs.push_back(query.whole(0));
        for (const RunId run : runs) {
            const std::string name = fmt::format("run {}", run);
            attempt(name, [&] { store_.study(run); });
            attempt(name, [&] { store_.result(run); });
            attempt(name, [&] { store_.checkpoint(run); });
            attempt(name, [&] {
                for (const std::string& kind : store_.artifacts(run)) store_.artifact(run, kind);
            });
            attempt(name, [&] { checkTrace(run); });
            step();
        }
    }

    void checkTrace(RunId run) {
        constexpr std::int64_t kPointBytes = 16;
        Query query(database_,
                    "SELECT series, position, length(points) FROM trace WHERE run = ? ORDER BY series, position", run);
        std::string series;
        std::int64_t next = 0;
        while (query.next()) {
            if (query.text(0) != series) next = 0;
            series = query.text(0);
            if (query.whole(1) != next || query.whole(2) % kPointBytes != 0)
                add(fmt::format("the curve {} of run {} has a gap", inQuotes(series), run));
            const std::int64_t points = query.whole(2) / kPointBytes;
            next = query.whole(1) + points;
            found_.tracePoints += points;
        }
    }

    const Store& store_;
    const SQLite::Database& database_;
    const std::function<bool(double)>& progress_;
    Verification found_;
    std::int64_t steps_ = 0, done_ = 0;
};

}  // namespace

Verification Store::verify(const std::function<bool(double)>& progress) const {
    return Verifier(*this, implementation_->database(), progress).run();
}

void Store::backup(const fs::path& to) const {
    NewDatabase copy(to, path());
    copy.write([&](SQLite::Database& database) { copyDatabase(database, implementation_->database()); });
}

void Store::vacuum() {
    implementation_->requireWritable();
    interruptibly(implementation_->database(), [&] {
        try {
            execute(implementation_->database(), "INSERT INTO run_search(run_search) VALUES('optimize')");
            implementation_->database().exec("VACUUM");
            Query(implementation_->database(), "PRAGMA wal_checkpoint(TRUNCATE)").next();
        } catch (const SQLite::Exception& error) {
            throw storeError(error, implementation_->database().getHandle(), path());
        }
    });
}

}  // namespace tessera::store
