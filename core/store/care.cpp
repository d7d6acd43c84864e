#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/store/compression.h"
#include "core/store/implementation.h"
#include "core/store/rows.h"
#include "core/study/study.h"

/// Checking, copying and tidying the file.
namespace tessera::store {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxProblems = 1000;

/// Receives how many runs are done of how many; returns whether to go on.
using VerifyProgress = std::function<bool(std::int64_t done, std::int64_t runs)>;

/// Walks the whole file, gathers what is wrong and goes on.
class Verifier {
public:
    Verifier(const Store& store, const SQLite::Database& database, const VerifyProgress& progress)
        : store_(store), database_(database), progress_(progress) {}

    Verification run() {
        attempt("the file", [&] { checkFile(); });
        attempt("the references", [&] { checkReferences(); });
        attempt("the search index", [&] { checkSearch(); });
        for (const std::string table : {"model", "hardware"}) checkInputs(table);
        attempt("the studies", [&] { checkStudies(); });
        attempt("the runs", [&] { checkRuns(); });
        return std::move(found_);
    }

private:
    void report(std::int64_t done, std::int64_t runs) const {
        if (progress_ && !progress_(done, runs)) throw InterruptedError("the check of the history was stopped");
    }

    void add(const std::string& problem) {
        if (found_.problems.size() < kMaxProblems) found_.problems.push_back(problem);
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
            return progress && !progress(0, 0) ? 1 : 0;
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
        report(0, 0);
    }

    void checkReferences() {
        Query check(database_, "PRAGMA foreign_key_check");
        while (check.next())
            add(fmt::format("a row of table '{}' refers to a row of table '{}' that is gone", escaped(check.text(0)),
                            escaped(check.text(2))));
        Query results(database_, "SELECT id FROM run WHERE status = 'done' AND id NOT IN (SELECT run FROM result)");
        while (results.next()) add(fmt::format("run {} is done but has no result", results.whole(0)));
    }

    /// SQLite checks a search index against what it holds only on a connection that writes, so a copy in memory is
    /// asked; that it holds what the runs say is asked here.
    void checkSearch() {
        Query search(
            database_,
            "SELECT run.id FROM run LEFT JOIN run_search ON run_search.rowid = run.id "
            "WHERE run_search.name IS NOT run.name OR run_search.models IS NOT run.models "
            "OR run_search.hardware IS NOT run.hardware "
            "OR run_search.note IS NOT coalesce((SELECT text FROM note WHERE run = run.id), '') "
            "OR length(run_search.tags) IS NOT coalesce((SELECT sum(length(name) + 1) - 1 FROM tag WHERE run = "
            "run.id), 0)");
        while (search.next()) add(fmt::format("run {} cannot be found by text", search.whole(0)));
        const Connection copy = openInMemory();
        sqlite3_db_config(copy.database->getHandle(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
        for (const std::string_view table : {"data", "idx", "content", "docsize", "config"}) {
            execute(*copy.database, fmt::format("DELETE FROM run_search_{}", table));
            Query rows(database_, fmt::format("SELECT * FROM run_search_{}", table));
            Query insert(*copy.database,
                         fmt::format("INSERT INTO run_search_{} VALUES({})", table, placeholders(rows.columns())));
            while (rows.next()) {
                insert.rebind();
                for (int i = 0; i < rows.columns(); ++i) insert.addFrom(rows, i);
                insert.changed();
            }
        }
        execute(*copy.database, "INSERT INTO run_search(run_search) VALUES('integrity-check')");
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
                report(0, 0);
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
        Seals seals(database_);
        Query trace(database_, kTrace);
        for (const RunId run : runs) {
            const std::string name = fmt::format("run {}", run);
            const std::size_t before = found_.problems.size();
            attempt(name, [&] {
                if (seals.has(run))
                    checkSeal(seals, run);
                else
                    readAll(name, run);
            });
            attempt(name, [&] { checkTrace(trace, run); });
            if (found_.problems.size() == before) attempt(name, [&] { checkImported(run); });
            report(++found_.runs, static_cast<std::int64_t>(runs.size()));
        }
    }

    void checkSeal(Seals& seals, RunId run) {
        for (const Part part : kAllParts)
            attempt(fmt::format("{} of run {}", nameOf(part), run), [&] {
                if (seals.damaged(run, std::array{part}))
                    add(fmt::format("{} of run {} is not what was stored", nameOf(part), run));
            });
    }

    /// Headline and metrics of a run that came from another file against its result. Wording may be that of another
    /// version, numbers may not.
    void checkImported(RunId run) {
        Query query(database_, "SELECT headline FROM run WHERE id = ? AND imported IS NOT NULL AND status = 'done'",
                    run);
        if (!query.next()) return;
        const std::string headline = query.text(0);
        const std::optional<study::Result> result = store_.result(run);
        if (!result) return;  // reported as a missing reference
        const std::string made = study::headline(*result);
        if (claimsMore(headline, made))
            add(fmt::format("the headline of run {} is {}, but its result says {}", run, inQuotes(headline),
                            inQuotes(made)));
        std::map<std::string, double> computed;
        for (const study::Metric& metric : study::metricsOf(*result)) computed[metric.name] = metric.value;
        for (const study::Metric& metric : store_.metrics(run)) {
            const auto found = computed.find(metric.name);
            if (found == computed.end() || found->second == metric.value) continue;
            add(fmt::format("the metric {} of run {} is {}, but its result says {}", inQuotes(metric.name), run,
                            exactNumber(metric.value), exactNumber(found->second)));
        }
    }

    /// The numbers in a sentence, in order.
    static std::vector<double> numbersIn(const std::string& text) {
        std::vector<double> numbers;
        std::string digits;
        for (std::size_t i = 0; i <= text.size(); ++i) {
            const char c = i < text.size() ? text[i] : ' ';
            const bool inside = !digits.empty() && (c == '.' || c == ',') && i + 1 < text.size() &&
                                std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
            if (std::isdigit(static_cast<unsigned char>(c)) != 0 || (inside && c == '.')) digits += c;
            if (std::isdigit(static_cast<unsigned char>(c)) != 0 || inside || digits.empty()) continue;
            numbers.push_back(parseQuantity(digits, Measure::count).value_or(0));
            digits.clear();
        }
        return numbers;
    }

    /// Whether a headline has a number or a proof that the one made of the result does not have.
    static bool claimsMore(const std::string& headline, const std::string& made) {
        if (headline == made) return false;
        constexpr double kRounding = 0.006;  // versions round to three digits or more
        const std::vector<double> known = numbersIn(made);
        const auto isKnown = [&](double number) {
            return std::any_of(known.begin(), known.end(), [&](double other) {
                return std::fabs(number - other) <= kRounding * std::max(std::fabs(number), std::fabs(other));
            });
        };
        const std::vector<double> numbers = numbersIn(headline);
        return !std::all_of(numbers.begin(), numbers.end(), isKnown) ||
               (headline.find("proven") != std::string::npos && made.find("proven") == std::string::npos);
    }

    /// What is not sealed can only be tried.
    void readAll(const std::string& name, RunId run) {
        attempt(name, [&] { store_.study(run); });
        attempt(name, [&] { store_.result(run); });
        attempt(name, [&] { store_.checkpoint(run); });
        attempt(name, [&] {
            for (const std::string& kind : store_.artifacts(run)) store_.artifact(run, kind);
        });
    }

    static constexpr const char* kTrace =
        "SELECT series, position, length(points) FROM trace WHERE run = ? ORDER BY series, position";

    void checkTrace(Query& query, RunId run) {
        constexpr std::int64_t kPointBytes = 16;
        query.rebind(run);
        std::string series;
        std::int64_t next = 0;
        while (query.next()) {
            if (query.text(0) != series) next = 0;
            series = query.text(0);
            if (query.whole(2) % kPointBytes != 0)
                add(fmt::format("the curve {} of run {} ends within a point", inQuotes(series), run));
            if (query.whole(1) != next) add(fmt::format("the curve {} of run {} has a gap", inQuotes(series), run));
            const std::int64_t points = query.whole(2) / kPointBytes;
            next = query.whole(1) + points;
            found_.tracePoints += points;
        }
    }

    const Store& store_;
    const SQLite::Database& database_;
    const VerifyProgress& progress_;
    Verification found_;
};

}  // namespace

Verification Store::verify(const std::function<bool(std::int64_t, std::int64_t)>& progress) const {
    return Verifier(*this, implementation_->database(), progress).run();
}

void Store::backup(const fs::path& to) const {
    NewDatabase copy(to, path());
    copy.write([&](SQLite::Database& database) {
        try {
            copyDatabase(database, implementation_->database());
        } catch (const SQLite::Exception& error) {
            // What cannot be written is the copy, what is damaged the history.
            if ((error.getErrorCode() & 0xFF) != SQLITE_CORRUPT) throw;
            throw storeError(error, implementation_->database().getHandle(), path());
        }
    });
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
