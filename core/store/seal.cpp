#include "core/store/seal.h"

#include <fmt/format.h>

#include <bit>

#include "core/store/schema.h"

namespace tessera::store {

namespace {

/// A part: how messages call it, and the rows that it is as of the first version with seals. Numbers of rows that
/// differ between files are left out, so that they are those of the run alone.
struct PartRow {
    Part part;
    std::string_view name;
    std::string_view sql;
};

constexpr std::array kParts{
    PartRow{Part::facts, "the entry",
            "SELECT run.id, run.uid, seed, run.name, run.engine, models, hardware, status, since, started, finished, "
            "headline, version, host, starred, pid, process, deleted, point, imported, imported_at, worked, resumed, "
            "seen, study.hash FROM run JOIN study ON study.id = run.study WHERE run.id = ?"},
    PartRow{Part::study, "the study",
            "SELECT study.hash, study.name, study.engine, study.document, sweep.document FROM run "
            "JOIN study ON study.id = run.study LEFT JOIN sweep ON sweep.id = run.sweep WHERE run.id = ?"},
    PartRow{Part::inputs, "the list of inputs",
            "SELECT 'model', name, sha256 FROM run_model WHERE run = ?1 "
            "UNION ALL SELECT 'hardware', name, sha256 FROM run_hardware WHERE run = ?1"},
    PartRow{Part::result, "the result", "SELECT run, size, form, document FROM result WHERE run = ?"},
    PartRow{Part::metrics, "the table of metrics",
            "SELECT name, title, owner, unit, better, position, value FROM metric JOIN metric_kind ON id = kind "
            "WHERE run = ?"},
    PartRow{Part::artifacts, "an artifact", "SELECT kind, media_type, size, content FROM artifact WHERE run = ?"},
    PartRow{Part::trace, "the trace", "SELECT id, series, position, points FROM trace WHERE run = ?"},
    PartRow{Part::checkpoint, "the checkpoint", "SELECT run, size, trace, state FROM checkpoint WHERE run = ?"},
    PartRow{Part::tags, "the list of tags", "SELECT name FROM tag WHERE run = ?"},
    PartRow{Part::note, "the note", "SELECT run, text FROM note WHERE run = ?"},
};

constexpr bool standInOrder() {
    for (std::size_t i = 0; i < kParts.size(); ++i)
        if (kParts.at(i).part != kAllParts.at(i) || kAllParts.at(i) != static_cast<Part>(i)) return false;
    return kParts.size() == kAllParts.size();
}
static_assert(standInOrder());

/// Whatever the order in which the rows come.
std::int64_t sumOf(Query& rows) {
    std::uint64_t sum = 0;
    while (rows.next()) sum += rows.digest();
    return std::bit_cast<std::int64_t>(sum);
}

std::int64_t added(std::int64_t a, std::int64_t b) {
    return std::bit_cast<std::int64_t>(std::bit_cast<std::uint64_t>(a) + std::bit_cast<std::uint64_t>(b));
}

/// The part's own rows, and those of the fields that migrations added to it.
std::vector<std::string> sealingStatements(Part part) {
    std::vector<std::string> statements{std::string(kParts.at(static_cast<std::size_t>(part)).sql)};
    for (const Migration& step : migrations())
        for (const SealedField& field : step.sealed)
            if (field.part == part) statements.emplace_back(field.sql);
    return statements;
}

}  // namespace

std::string_view nameOf(Part part) {
    return kParts.at(static_cast<std::size_t>(part)).name;
}

bool Seals::has(RunId run) {
    return sumsOf(run).has_value();
}

std::optional<Seals::Sums> Seals::sumsOf(RunId run) {
    if (!sums_)
        sums_ = std::make_unique<Query>(database_,
                                        "SELECT facts, study, inputs, result, metrics, artifacts, trace, checkpoint, "
                                        "tags, note FROM seal WHERE run = ?");
    if (!sums_->rebind(run).next()) return std::nullopt;
    Sums sums{};
    for (std::size_t i = 0; i < sums.size(); ++i) sums.at(i) = sums_->whole(static_cast<int>(i));
    return sums;
}

std::int64_t Seals::sumOf(Part part, RunId run) {
    std::vector<std::unique_ptr<Query>>& queries = parts_.at(indexOf(part));
    if (queries.empty())
        for (const std::string& sql : sealingStatements(part))
            queries.push_back(std::make_unique<Query>(database_, sql));
    std::int64_t sum = 0;
    for (const std::unique_ptr<Query>& query : queries) sum = added(sum, store::sumOf(query->rebind(run)));
    return sum;
}

void Seals::write(RunId run, const Sums& sums) {
    if (!write_)
        write_ = std::make_unique<Query>(
            database_,
            "INSERT OR REPLACE INTO seal(run, facts, study, inputs, result, metrics, artifacts, trace, checkpoint, "
            "tags, note) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    write_->rebind(run);
    for (const std::int64_t sum : sums) write_->add(sum);
    write_->changed();
}

void Seals::note(RunId run, const std::vector<Part>& parts) {
    const std::optional<Sums> sealed = sumsOf(run);
    Sums sums = sealed.value_or(Sums{});
    if (sealed)
        for (const Part part : parts) sums.at(indexOf(part)) = sumOf(part, run);
    else
        for (const Part part : kAllParts) sums.at(indexOf(part)) = sumOf(part, run);
    write(run, sums);
}

void Seals::noteAppended(RunId run, std::int64_t last) {
    std::optional<Sums> sums = sumsOf(run);
    if (!sums) return note(run, {});
    std::int64_t& trace = sums->at(indexOf(Part::trace));
    // By number, for the batches of other runs that came meanwhile are few.
    Query rows(database_, "SELECT id, series, position, points FROM trace NOT INDEXED WHERE id > ? AND run = ?", last,
               run);
    trace = added(trace, store::sumOf(rows));
    write(run, *sums);
}

void Seals::noteAll() {
    std::vector<RunId> runs;
    Query query(database_,
                "SELECT id FROM run WHERE status NOT IN ('queued', 'running', 'paused') "
                "AND id NOT IN (SELECT run FROM seal)");
    while (query.next()) runs.push_back(query.whole(0));
    for (const RunId run : runs) note(run, {});
}

StoreError damageOf(const std::filesystem::path& path, RunId run, Part part) {
    return {StoreProblem::damaged,
            fmt::format("the history {} is damaged: {} of run {} is not what was stored; restore a backup of the "
                        "history, or delete the run",
                        shown(path), nameOf(part), run)};
}

void requireSound(const SQLite::Database& database, const std::filesystem::path& path, RunId run,
                  const std::vector<Part>& parts) {
    const std::optional<Part> damaged = Seals(database).damaged(run, parts);
    if (damaged) throw damageOf(path, run, *damaged);
}

}  // namespace tessera::store
