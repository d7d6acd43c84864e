#include "core/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "core/base/enum_names.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/store/compression.h"
#include "core/store/documents.h"
#include "core/store/implementation.h"
#include "core/store/owner.h"
#include "core/store/rows.h"
#include "core/store/seal.h"
#include "core/study/study.h"
#include "core/study/title.h"

namespace tessera::store {

namespace fs = std::filesystem;

std::string contentOf(const Query& row, int size, int content, const fs::path& path, const std::string& what) {
    try {
        return decompressed(row.bytes(content), static_cast<std::size_t>(std::max<std::int64_t>(row.whole(size), 0)));
    } catch (const StoreError& error) {
        throw StoreError(error.problem, fmt::format("the history {} is damaged: {} cannot be read: {}", shown(path),
                                                    what, error.what()));
    }
}

namespace {

constexpr EnumNames<RunStatus> kStatusNames{"queued", "running", "paused",   "interrupted",
                                            "done",   "failed",  "cancelled"};

/// Letters without vowels: a uid is never a number, and no word.
std::string newUid() {
    constexpr std::string_view kLetters = "bcdfghjkmnpqrstvwxz";
    constexpr std::size_t kLength = 24;  // 19^24 > 2^101
    std::random_device random;
    std::uniform_int_distribution<std::size_t> letter(0, kLetters.size() - 1);
    std::string uid;
    for (std::size_t i = 0; i < kLength; ++i) uid += kLetters[letter(random)];
    return uid;
}

bool ends(RunStatus status) {
    return status == RunStatus::done || status == RunStatus::failed || status == RunStatus::cancelled;
}

bool works(RunStatus status) {
    return status == RunStatus::running || status == RunStatus::paused;
}

/// Whether a run is some process's own.
bool isOwned(RunStatus status) {
    return status == RunStatus::queued || works(status);
}

/// What a process that is gone leaves behind; its owner's columns follow the run's number.
constexpr std::string_view kOwned =
    "SELECT id, host, coalesce(pid, 0), coalesce(process, '') FROM run "
    "WHERE deleted IN (0, 1) AND status IN ('queued', 'running', 'paused')";

Owner ownerFrom(Query& row, int column) {
    return {.host = row.text(column), .pid = row.whole(column + 1), .process = row.text(column + 2)};
}

void addNames(const SQLite::Database& database, const std::string& table, RunId run,
              const std::vector<std::string>& names) {
    for (const std::string& name : names)
        execute(database, "INSERT OR IGNORE INTO run_" + table + "(run, name) VALUES(?, ?)", run, name);
}

void claim(const SQLite::Database& database, RunId run) {
    const Owner owner = thisProcess();
    execute(database, "UPDATE run SET host = ?, pid = ?, process = ?, version = ? WHERE id = ?", owner.host, owner.pid,
            owner.process, TESSERA_VERSION, run);
}

/// Ends the time for which a run worked, where it does: now, or with the last sign of life of a process that is gone.
void endWork(const SQLite::Database& database, RunId run, const std::optional<std::int64_t>& now) {
    execute(database,
            "UPDATE run SET worked = worked + max(coalesce(?, seen, resumed) - resumed, 0), resumed = NULL "
            "WHERE id = ? AND resumed IS NOT NULL",
            now, run);
}

void applyStatus(const SQLite::Database& database, RunId run, RunStatus status, const std::string& headline) {
    execute(database, "UPDATE run SET status = ?, headline = ? WHERE id = ?", nameOf(status), headline, run);
    const std::int64_t now = millisecondsNow();
    endWork(database, run, now);
    if (isOwned(status)) claim(database, run);
    if (works(status))
        execute(database, "UPDATE run SET started = ?1, since = ?1 WHERE id = ?2 AND started IS NULL", now, run);
    if (status == RunStatus::running)
        execute(database, "UPDATE run SET resumed = ?1, seen = ?1 WHERE id = ?2", now, run);
    execute(database, "UPDATE run SET finished = ? WHERE id = ?", ends(status) ? std::optional(now) : std::nullopt,
            run);
    if (status == RunStatus::cancelled || status == RunStatus::done)
        execute(database, "DELETE FROM checkpoint WHERE run = ?", run);
}

/// What `applyStatus` writes.
const std::vector<Part> kStatusParts{Part::facts, Part::checkpoint};

/// Points by series, in the order in which they came.
std::map<std::string, std::vector<double>> bySeries(const std::vector<TracePoint>& points) {
    std::map<std::string, std::vector<double>> series;
    std::vector<double>* current = nullptr;
    const std::string* name = nullptr;
    for (const TracePoint& point : points) {
        // Neighbours are mostly of one series.
        if (name == nullptr || *name != point.series) {
            current = &series[point.series];
            name = &point.series;
        }
        current->push_back(point.x);
        current->push_back(point.y);
    }
    return series;
}

static_assert(std::endian::native == std::endian::little, "trace points are stored as they stand in memory");
constexpr std::size_t kPointBytes = 2 * sizeof(double);
constexpr std::size_t kPointsPerBatch = 4096;

void appendSeries(const SQLite::Database& database, RunId run, const std::string& series,
                  const std::vector<double>& values) {
    Query last(database,
               "SELECT position + length(points) / 16 FROM trace WHERE run = ? AND series = ? "
               "ORDER BY position DESC LIMIT 1",
               run, series);
    std::int64_t position = last.next() ? last.whole(0) : 0;
    Query insert(database, "INSERT INTO trace(run, series, position, points) VALUES(?, ?, ?, ?)");
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
    for (std::size_t at = 0; at < bytes.size(); at += kPointsPerBatch * kPointBytes) {
        const std::string_view batch = bytes.substr(at, kPointsPerBatch * kPointBytes);
        insert.rebind(run, series, position, Blob{batch}).changed();
        position += static_cast<std::int64_t>(batch.size() / kPointBytes);
    }
}

void appendPoints(const SQLite::Database& database, RunId run, const std::vector<TracePoint>& points) {
    for (const auto& [series, values] : bySeries(points)) appendSeries(database, run, series, values);
}

std::string_view nameOf(Measure measure) {
    return kMeasureNames.of(measure);
}

Measure measureNamed(const std::string& name) {
    return kMeasureNames.named(name).value_or(Measure::count);
}

std::string_view nameOf(study::Metric::Better better) {
    return study::kBetterNames.of(better);
}

study::Metric::Better betterNamed(const std::string& name) {
    return study::kBetterNames.named(name).value_or(study::Metric::Better::neither);
}

std::string textOf(const study::Result& result) {
    std::string text;
    study::writeJson(result, [&](std::string_view part) { text += part; });
    return text;
}

void requireSize(std::size_t size, const std::string& what) {
    if (size > kLargestContent)
        throw StoreError(StoreProblem::full, fmt::format("{} has {} bytes; the history keeps at most {} MiB of one",
                                                         what, size, kLargestContent >> 20));
}

void putArtifact(const SQLite::Database& database, RunId run, const Artifact& artifact) {
    requireSize(artifact.bytes.size(), "the " + escaped(artifact.kind));
    const std::string content = compressed(artifact.bytes);
    execute(database, "INSERT OR REPLACE INTO artifact(run, kind, media_type, size, content) VALUES(?, ?, ?, ?, ?)",
            run, artifact.kind, artifact.mediaType, artifact.bytes.size(), Blob{content});
}

/// The content that a statement finds for a run; what it is of must be as it was stored.
template <typename... Values>
std::optional<std::string> contentFrom(const SQLite::Database& database, const fs::path& path, Part part, RunId run,
                                       const std::string& sql, const Values&... values) {
    requireSound(database, path, run, {part});
    Query query(database, sql, run, values...);
    if (!query.next()) return std::nullopt;
    return contentOf(query, 0, 1, path, fmt::format("{} of run {}", nameOf(part), run));
}

/// Reads something that is stored; what is wrong with it is a damage of the file.
template <typename Read>
auto sayingWhere(const fs::path& path, const Read& read) {
    try {
        return read();
    } catch (const DataError& error) {
        throw StoreError(StoreProblem::damaged, fmt::format("the history {} holds a document that cannot be read: {}",
                                                            shown(path), error.what()));
    } catch (const UsageError& error) {
        throw StoreError(StoreProblem::damaged, fmt::format("the history {} holds a document that cannot be read: {}",
                                                            shown(path), error.what()));
    }
}

template <typename Read>
auto documentOf(std::string text, const fs::path& path, RunId run, const Read& read) {
    return sayingWhere(path,
                       [&] { return read(JsonDocument::parse(std::move(text), fmt::format("run {}", run)).root()); });
}

/// Results with more rows of layers than this are stored in their compact form: a row is some two hundred bytes of
/// JSON.
constexpr std::size_t kMaxRowsAsJson = 200'000;
constexpr std::string_view kJson = "json", kPacked = "packed";

std::optional<RunId> runOfUid(const SQLite::Database& database, const std::string& prefix) {
    constexpr std::size_t kShortest = 4;
    if (prefix.size() < kShortest || prefix.find('\0') != std::string::npos) return std::nullopt;
    // A range, so that the index is used and no character is special.
    Query query(database, "SELECT id FROM run WHERE uid >= ?1 AND uid < ?2 AND deleted = 0 LIMIT 2", prefix,
                prefix + "\x7F");
    if (!query.next()) return std::nullopt;
    const RunId run = query.whole(0);
    if (query.next())
        throw UsageError(fmt::format("several runs begin with {}; give more of the name", inQuotes(prefix)));
    return run;
}

std::optional<RunId> runOfName(const SQLite::Database& database, const std::string& name) {
    if (name.empty()) return std::nullopt;
    Query query(database, "SELECT id FROM run WHERE deleted = 0 AND name = ? LIMIT 2", name);
    if (!query.next()) return std::nullopt;
    const RunId run = query.whole(0);
    if (query.next())
        throw UsageError(fmt::format("several runs have the name {}; give a run's number", inQuotes(name)));
    return run;
}

/// Executes `sql`, whose values are `value` and a run, for each run, which must be sound in the part that this changes;
/// returns those that it changed.
template <typename Value>
std::vector<RunId> changeEach(const SQLite::Database& database, const fs::path& path, const std::vector<RunId>& runs,
                              Part part, const std::string& sql, const Value& value) {
    std::vector<RunId> changed;
    Query query(database, sql);
    Seals seals(database);
    for (const RunId run : runs) {
        if (seals.damaged(run, std::array{part})) throw damageOf(path, run, part);
        if (query.rebind(value, run).changed() == 0) continue;
        seals.note(run, {part});
        changed.push_back(run);
    }
    return changed;
}

}  // namespace

std::string_view nameOf(RunStatus status) {
    return kStatusNames.of(status);
}

std::optional<RunStatus> statusNamed(std::string_view name) {
    return kStatusNames.named(name);
}

std::int64_t millisecondsNow() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

void requireRun(const SQLite::Database& database, RunId run) {
    if (wholeFrom(database, "SELECT count(*) FROM run WHERE id = ?", run) == 0)
        throw UsageError(fmt::format("there is no run {} in the history", run));
}

std::string placeholders(int count) {
    std::string text = "?";
    for (int i = 1; i < count; ++i) text += ", ?";
    return text;
}

std::int64_t studyRow(const SQLite::Database& database, const study::Study& study) {
    const std::string hash = study::contentHash(study);
    study::Study anonymous = study;
    anonymous.name.clear();
    anonymous.seed.reset();
    execute(database, "INSERT OR IGNORE INTO study(hash, name, engine, document) VALUES(?, ?, ?, ?)", hash, study.name,
            study.engine, toText(study::toJson(anonymous)));
    return wholeFrom(database, "SELECT id FROM study WHERE hash = ? AND name = ?", hash, study.name);
}

void refreshSearch(const SQLite::Database& database, RunId run) {
    execute(database, "DELETE FROM run_search WHERE rowid = ?", run);
    execute(database,
            "INSERT INTO run_search(rowid, name, tags, note, models, hardware) SELECT id, name, "
            "coalesce((SELECT group_concat(name, ' ') FROM tag WHERE run = run.id), ''), "
            "coalesce((SELECT text FROM note WHERE run = run.id), ''), models, hardware FROM run WHERE id = ?",
            run);
}

fs::path defaultPath() {
    if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data == '/')
        return fs::path(data) / "tessera" / "history.db";
    const char* home = std::getenv("HOME");
    return fs::path(home != nullptr ? home : ".") / ".local" / "share" / "tessera" / "history.db";
}

std::string nameInEnvironment() {
    const char* const name = std::getenv("TESSERA_STORE");
    return name != nullptr ? name : "";
}

namespace {

std::string nameOrThatOfEnvironment(const std::string& name) {
    return name.empty() ? nameInEnvironment() : name;
}

}  // namespace

fs::path pathNamed(const std::string& name) {
    const std::string chosen = nameOrThatOfEnvironment(name);
    if (chosen.empty()) return defaultPath();
    std::error_code ignored;
    const fs::path folder = fs::absolute(chosen, ignored).parent_path();
    if (!fs::is_directory(folder, ignored))
        throw FileError(fmt::format("there is no folder {} for the history {}", inQuotes(folder.string(), 1024),
                                    inQuotes(chosen, 1024)));
    return chosen;
}

namespace {

/// Marks the runs interrupted whose processes were killed. A history that cannot be written shows them so all the same.
void markAbandoned(const fs::path& path) {
    try {
        Store::open(path).findInterrupted();
    } catch (const FileError&) {
        return;
    }
}

}  // namespace

Store openNamed(const std::string& name, OpenMode mode) {
    const bool isDefault = nameOrThatOfEnvironment(name).empty();
    const fs::path path = pathNamed(name);
    std::error_code ignored;
    if (mode == OpenMode::readOnly && isDefault && !fs::exists(path, ignored)) return Store::inMemory();
    Store history = Store::open(path, mode);
    if (mode == OpenMode::readOnly && history.hasAbandoned()) {
        markAbandoned(path);
        history = Store::open(path, mode);
    }
    return history;
}

void Store::Implementation::requireWritable() const {
    if (!connection.readOnly) return;
    throw StoreError(StoreProblem::notWritable,
                     fmt::format("the history {} is open for reading only, so nothing in it can be changed",
                                 shown(connection.path)));
}

Store::Store(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::open(const fs::path& path, OpenMode mode) {
    return Store(std::make_unique<Implementation>(Implementation{openConnection(path, mode)}));
}

Store Store::inMemory() {
    return Store(std::make_unique<Implementation>(Implementation{openInMemory()}));
}

const fs::path& Store::path() const {
    return implementation_->connection.path;
}

bool Store::isReadOnly() const {
    return implementation_->connection.readOnly;
}

const std::string& Store::notice() const {
    return implementation_->connection.notice;
}

namespace {

RunId insertRun(const SQLite::Database& database, const study::Study& study, RunStatus status) {
    std::optional<std::int64_t> seed;
    if (study.seed) seed = std::bit_cast<std::int64_t>(*study.seed);
    // Workloads stand among the models: both are what the hardware is to work on.
    std::vector<std::string> worked, hardware;
    const auto addOnce = [](std::vector<std::string>& names, const std::vector<std::string>& more) {
        for (const std::string& name : more)
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    for (const study::Study& part : study::partsOf(study)) {
        addOnce(worked, part.models);
        addOnce(worked, part.workloads);
        addOnce(hardware, part.hardware);
    }
    execute(database,
            "INSERT INTO run(uid, study, seed, name, engine, models, hardware, status, since, version, host) "
            "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            newUid(), studyRow(database, study), seed, study::titleOf(study), study.engine, joined(worked, ", "),
            joined(hardware, ", "), nameOf(RunStatus::queued), millisecondsNow(), TESSERA_VERSION, thisProcess().host);
    const RunId run = wholeFrom(database, "SELECT last_insert_rowid()");
    addNames(database, "model", run, worked);
    addNames(database, "hardware", run, hardware);
    refreshSearch(database, run);
    applyStatus(database, run, status, "");
    return run;
}

}  // namespace

RunId Store::addRun(const study::Study& study, RunStatus status) {
    RunId run = 0;
    implementation_->write([&](const SQLite::Database& database) {
        run = insertRun(database, study, status);
        Seals(database).note(run, {});
    });
    return run;
}

std::vector<RunId> Store::addSweep(const Json& document, const std::vector<study::Study>& points) {
    std::vector<RunId> runs;
    implementation_->write([&](const SQLite::Database& database) {
        execute(database, "INSERT INTO sweep(document) VALUES(?)", document.dump());
        const std::int64_t sweep = wholeFrom(database, "SELECT last_insert_rowid()");
        for (const study::Study& study : points) {
            const RunId run = insertRun(database, study, RunStatus::queued);
            execute(database, "UPDATE run SET sweep = ?, point = ? WHERE id = ?", sweep, runs.size(), run);
            Seals(database).note(run, {});
            runs.push_back(run);
        }
    });
    return runs;
}

std::optional<Sweep> Store::sweepOf(RunId run) const {
    return implementation_->read([&](const SQLite::Database& database) -> std::optional<Sweep> {
        requireRun(database, run);
        requireSound(database, path(), run, {Part::study});
        Query query(database, "SELECT sweep.id, document FROM run JOIN sweep ON sweep.id = run.sweep WHERE run.id = ?",
                    run);
        if (!query.next()) return std::nullopt;
        Sweep sweep{
            .document = documentOf(query.text(1), path(), run, [](const JsonNode& node) { return node.json(); }),
            .runs = {}};
        Query runs(database, "SELECT point, id FROM run WHERE sweep = ? ORDER BY point", query.whole(0));
        while (runs.next()) sweep.runs.emplace(static_cast<std::size_t>(runs.whole(0)), runs.whole(1));
        return sweep;
    });
}

void Store::setStatus(RunId run, RunStatus status, const std::string& headline) {
    implementation_->change(run, kStatusParts,
                            [&](const SQLite::Database& database) { applyStatus(database, run, status, headline); });
}

bool Store::changeStatus(RunId run, RunStatus from, RunStatus to) {
    bool changed = false;
    implementation_->write([&](const SQLite::Database& database) {
        changed = wholeFrom(database, "SELECT count(*) FROM run WHERE id = ? AND status = ?", run, nameOf(from)) != 0;
        if (!changed) return;
        requireSound(database, path(), run, kStatusParts);
        applyStatus(database, run, to, "");
        Seals(database).note(run, kStatusParts);
    });
    return changed;
}

void Store::record(RunId run, const TraceBatch& batch) {
    std::string text;
    if (batch.checkpoint) text = batch.checkpoint->dump(-1, ' ', false, Json::error_handler_t::replace);
    requireSize(text.size(), "the state of the search");
    const std::string content = compressed(text);
    implementation_->change(run, {Part::facts}, [&](const SQLite::Database& database) {
        const std::int64_t last = wholeFrom(database, "SELECT coalesce(max(id), 0) FROM trace");
        appendPoints(database, run, batch.before);
        if (batch.checkpoint)
            execute(database,
                    "INSERT OR REPLACE INTO checkpoint(run, size, state, trace) "
                    "VALUES(?1, ?2, ?3, coalesce((SELECT max(id) FROM trace WHERE run = ?1), 0))",
                    run, text.size(), Blob{content});
        appendPoints(database, run, batch.after);
        execute(database, "UPDATE run SET seen = ? WHERE id = ? AND resumed IS NOT NULL", millisecondsNow(), run);
        Seals seals(database);
        seals.noteAppended(run, last);
        if (batch.checkpoint) seals.note(run, {Part::checkpoint});
    });
}

void requireIdle(const SQLite::Database& database, RunId run) {
    Query row(database, "SELECT status, host, coalesce(pid, 0), coalesce(process, '') FROM run WHERE id = ?", run);
    if (!row.next()) return;
    const RunStatus status = statusNamed(row.text(0)).value_or(RunStatus::failed);
    const Owner owner = ownerFrom(row, 1);
    if (isOwned(status) && mayLive(owner))
        throw StoreError(StoreProblem::busy,
                         fmt::format("run {} {} process {} on {}; wait for its end, or stop it there", run,
                                     works(status) ? "is being worked on by" : "waits in the queue of", owner.pid,
                                     escaped(owner.host)));
}

namespace {

/// Whether the run waits in this process's own queue.
bool isQueuedHere(const SQLite::Database& database, RunId run) {
    Query row(database, "SELECT host, coalesce(pid, 0), coalesce(process, '') FROM run WHERE id = ? AND status = ?",
              run, nameOf(RunStatus::queued));
    return row.next() && ownerFrom(row, 0) == thisProcess();
}

}  // namespace

std::optional<Json> Store::takeUp(RunId run) {
    implementation_->change(
        run, {Part::facts, Part::study, Part::trace, Part::checkpoint}, [&](const SQLite::Database& database) {
            if (wholeFrom(database, "SELECT count(*) FROM run WHERE id = ? AND status = 'done'", run) != 0)
                throw UsageError(fmt::format("run {} is done already", run));
            if (!isQueuedHere(database, run)) requireIdle(database, run);
            execute(
                database,
                "DELETE FROM trace WHERE run = ?1 AND id > coalesce((SELECT trace FROM checkpoint WHERE run = ?1), 0)",
                run);
            endWork(database, run, std::nullopt);
            applyStatus(database, run, RunStatus::running, "");
        });
    return checkpoint(run);
}

void Store::finishRun(RunId run, const study::Result& result, const std::string& headline,
                      const std::vector<InputContent>& inputs, const std::vector<Artifact>& artifacts) {
    // Compressed before the transaction begins, so that others wait less.
    const study::Engine& engine = study::engineOf(result);
    const bool packs = engine.rowCount != nullptr && engine.rowCount(result) > kMaxRowsAsJson;
    const std::string content = packs ? engine.packed.pack(result) : textOf(result);
    requireSize(content.size(), "the result");
    const std::string document = compressed(content);
    const std::vector<study::Metric> metrics = study::metricsOf(result);
    implementation_->change(run, {Part::facts, Part::inputs, Part::artifacts}, [&](const SQLite::Database& database) {
        execute(database, "INSERT OR REPLACE INTO result(run, size, document, form) VALUES(?, ?, ?, ?)", run,
                content.size(), Blob{document}, packs ? kPacked : kJson);
        putMetrics(database, run, metrics);
        for (const InputContent& input : inputs) putInput(database, run, input);
        for (const Artifact& artifact : artifacts) putArtifact(database, run, artifact);
        applyStatus(database, run, RunStatus::done, headline);
        Seals(database).note(run, {Part::result, Part::metrics, Part::checkpoint});
    });
}

void putMetrics(const SQLite::Database& database, RunId run, const std::vector<study::Metric>& metrics) {
    execute(database, "DELETE FROM metric WHERE run = ?", run);
    Query kind(database, "INSERT OR IGNORE INTO metric_kind(name, title, owner, unit, better) VALUES(?, ?, ?, ?, ?)");
    Query insert(database,
                 "INSERT OR IGNORE INTO metric(run, kind, position, value) "
                 "SELECT ?, id, ?, ? FROM metric_kind WHERE name = ?");
    std::int64_t position = 0;
    for (const study::Metric& metric : metrics) {
        // SQLite has no "not a number".
        if (std::isnan(metric.value)) continue;
        kind.rebind(metric.name, metric.title, metric.owner, nameOf(metric.measure), nameOf(metric.better)).changed();
        insert.rebind(run, position++, metric.value, metric.name).changed();
    }
}

void putInput(const SQLite::Database& database, RunId run, const InputContent& input) {
    requireSize(input.bytes.size(), "the input " + inQuotes(input.name));
    const std::string table = input.kind == InputContent::Kind::model ? "model" : "hardware";
    const std::string sha = sha256(input.bytes);
    if (wholeFrom(database, "SELECT count(*) FROM " + table + " WHERE sha256 = ?", sha) == 0) {
        const std::string content = compressed(input.bytes);
        execute(database, "INSERT INTO " + table + "(sha256, size, content) VALUES(?, ?, ?)", sha, input.bytes.size(),
                Blob{content});
    }
    execute(database,
            "INSERT INTO run_" + table +
                "(run, name, sha256) VALUES(?, ?, ?) ON CONFLICT(run, name) DO UPDATE SET sha256 = excluded.sha256",
            run, input.name, sha);
}

namespace {

/// The runs whose processes are gone.
std::vector<RunId> abandonedRuns(const SQLite::Database& database) {
    std::vector<RunId> runs;
    Query query(database, std::string(kOwned));
    while (query.next())
        if (!mayLive(ownerFrom(query, 1))) runs.push_back(query.whole(0));
    return runs;
}

}  // namespace

bool Store::hasAbandoned() const {
    return implementation_->read([](const SQLite::Database& database) { return !abandonedRuns(database).empty(); });
}

std::vector<RunRow> Store::findInterrupted() {
    if (!isReadOnly() && hasAbandoned())
        implementation_->write([&](const SQLite::Database& database) {
            // Asked again, since another process may have taken one up meanwhile.
            for (const RunId run : abandonedRuns(database)) {
                // What is damaged stays so.
                if (Seals(database).damaged(run, kStatusParts)) continue;
                endWork(database, run, std::nullopt);
                applyStatus(database, run, RunStatus::interrupted, "");
                Seals(database).note(run, kStatusParts);
            }
        });
    HistoryQuery interrupted;
    interrupted.status = RunStatus::interrupted;
    return query(interrupted, -1);
}

std::optional<RunRow> Store::run(RunId id) const {
    return implementation_->read([&](const SQLite::Database& database) {
        requireSound(database, path(), id, {Part::facts, Part::tags, Part::note});
        std::vector<RunRow> rows = rowsOf(database, path(), {id}, {});
        return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
    });
}

RunId Store::find(const std::string& name) const {
    return implementation_->read([&](const SQLite::Database& database) -> RunId {
        if (name == "last") {
            Query query(database, "SELECT id FROM run WHERE deleted = 0 ORDER BY since DESC, id DESC LIMIT 1");
            if (!query.next()) throw UsageError("the history holds no run yet");
            return query.whole(0);
        }
        RunId number = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (error == std::errc() && end == name.data() + name.size() &&
            wholeFrom(database, "SELECT count(*) FROM run WHERE id = ?", number) == 1)
            return number;
        if (const std::optional<RunId> run = runOfName(database, name)) return *run;
        if (const std::optional<RunId> run = runOfUid(database, name)) return *run;
        throw UsageError(
            fmt::format("there is no run {} in the history; give a run's number, its name, the first letters of its "
                        "uid (four or more), or 'last'",
                        inQuotes(name)));
    });
}

study::Study readStudyOf(const SQLite::Database& database, const fs::path& path, RunId run) {
    requireRun(database, run);
    requireSound(database, path, run, {Part::facts, Part::study});
    Query query(database,
                "SELECT document, study.name, seed FROM run JOIN study ON study.id = run.study WHERE run.id = ?", run);
    if (!query.next())
        throw StoreError(StoreProblem::damaged,
                         fmt::format("the history {} lacks the study of run {}", shown(path), run));
    study::Study study =
        documentOf(query.text(0), path, run, [](const JsonNode& node) { return study::readStudy(node); });
    study.name = query.text(1);
    if (const auto seed = query.wholeOrNull(2)) study.seed = std::bit_cast<std::uint64_t>(*seed);
    return study;
}

study::Study Store::study(RunId run) const {
    return implementation_->read([&](const SQLite::Database& database) { return readStudyOf(database, path(), run); });
}

namespace {

/// A result as it is stored, for a moment.
struct StoredResult {
    std::string content;
    bool isPacked = false;
};

std::optional<StoredResult> storedResult(const SQLite::Database& database, const fs::path& path, RunId run) {
    std::optional<std::string> content =
        contentFrom(database, path, Part::result, run, "SELECT size, document FROM result WHERE run = ?");
    if (!content) return std::nullopt;
    Query form(database, "SELECT form FROM result WHERE run = ?", run);
    return StoredResult{std::move(*content), form.next() && form.text(0) == kPacked};
}

study::Result unpacked(std::string_view bytes, const study::Study& study, RunId run) {
    const std::string place = fmt::format("run {}", run);
    const study::Engine& engine = study::engineNamed(study.engine);
    if (engine.packed.unpack == nullptr)
        throw UsageError(fmt::format("the result of {} is packed, which one of '{}' never is", place, engine.id));
    return engine.packed.unpack(bytes, study, place);
}

study::Result resultOf(StoredResult stored, const study::Study& study, const fs::path& path, RunId run) {
    if (!stored.isPacked)
        return documentOf(std::move(stored.content), path, run,
                          [&](const JsonNode& node) { return study::readResult(node, study); });
    return sayingWhere(path, [&] { return unpacked(stored.content, study, run); });
}

}  // namespace

std::optional<study::Result> readResultOf(const SQLite::Database& database, const fs::path& path, RunId run) {
    std::optional<StoredResult> stored = storedResult(database, path, run);
    if (!stored) return std::nullopt;
    return resultOf(std::move(*stored), readStudyOf(database, path, run), path, run);
}

std::optional<study::Result> Store::result(RunId run) const {
    std::optional<StoredResult> stored =
        implementation_->read([&](const SQLite::Database& database) { return storedResult(database, path(), run); });
    if (!stored) return std::nullopt;
    return resultOf(std::move(*stored), study(run), path(), run);
}

bool Store::writeResult(RunId run, const study::TextSink& write) const {
    std::optional<StoredResult> stored =
        implementation_->read([&](const SQLite::Database& database) { return storedResult(database, path(), run); });
    if (!stored) return false;
    if (stored->isPacked)
        study::writeJson(resultOf(std::move(*stored), study(run), path(), run), write);
    else
        write(stored->content);
    return true;
}

std::optional<std::string> Store::resultText(RunId run) const {
    std::string text;
    if (!writeResult(run, [&](std::string_view part) { text += part; })) return std::nullopt;
    return text;
}

std::vector<study::Metric> Store::metrics(RunId run) const {
    return implementation_->read([&](const SQLite::Database& database) {
        requireSound(database, path(), run, {Part::metrics});
        std::vector<study::Metric> metrics;
        Query query(database,
                    "SELECT name, title, owner, value, unit, better FROM metric JOIN metric_kind ON id = kind "
                    "WHERE run = ? ORDER BY position",
                    run);
        while (query.next())
            metrics.push_back({.name = query.text(0),
                               .title = query.text(1),
                               .owner = query.text(2),
                               .value = query.number(3),
                               .measure = measureNamed(query.text(4)),
                               .better = betterNamed(query.text(5))});
        return metrics;
    });
}

std::map<std::string, std::vector<std::pair<double, double>>> Store::trace(RunId run) const {
    return implementation_->read([&](const SQLite::Database& database) {
        requireSound(database, path(), run, {Part::trace});
        std::map<std::string, std::vector<std::pair<double, double>>> trace;
        Query query(database, "SELECT series, points FROM trace WHERE run = ? ORDER BY series, position", run);
        while (query.next()) {
            auto& points = trace[query.text(0)];
            const std::string_view bytes = query.bytes(1);
            for (std::size_t at = 0; at + kPointBytes <= bytes.size(); at += kPointBytes) {
                std::array<double, 2> point{};
                std::memcpy(point.data(), bytes.data() + at, kPointBytes);
                points.emplace_back(point[0], point[1]);
            }
        }
        return trace;
    });
}

std::optional<Json> Store::checkpoint(RunId run) const {
    std::optional<std::string> text = implementation_->read([&](const SQLite::Database& database) {
        return contentFrom(database, path(), Part::checkpoint, run, "SELECT size, state FROM checkpoint WHERE run = ?");
    });
    if (!text) return std::nullopt;
    return documentOf(std::move(*text), path(), run, [](const JsonNode& node) { return node.json(); });
}

std::vector<std::string> Store::artifacts(RunId run) const {
    return implementation_->read([&](const SQLite::Database& database) {
        requireSound(database, path(), run, {Part::artifacts});
        std::vector<std::string> kinds;
        Query query(database, "SELECT kind FROM artifact WHERE run = ? ORDER BY kind", run);
        while (query.next()) kinds.push_back(query.text(0));
        return kinds;
    });
}

std::optional<Artifact> Store::artifact(RunId run, const std::string& kind) const {
    return implementation_->read([&](const SQLite::Database& database) -> std::optional<Artifact> {
        std::optional<std::string> bytes =
            contentFrom(database, path(), Part::artifacts, run,
                        "SELECT size, content FROM artifact WHERE run = ? AND kind = ?", kind);
        if (!bytes) return std::nullopt;
        Query type(database, "SELECT media_type FROM artifact WHERE run = ? AND kind = ?", run, kind);
        type.next();
        return Artifact{kind, type.text(0), std::move(*bytes)};
    });
}

std::vector<InputContent> Store::inputs(RunId run) const {
    return implementation_->read([&](const SQLite::Database& database) {
        requireSound(database, path(), run, {Part::inputs});
        std::vector<InputContent> inputs;
        const auto add = [&](InputContent::Kind kind, const std::string& table) {
            Query query(
                database,
                fmt::format("SELECT name, run_{0}.sha256, size, content FROM run_{0} LEFT JOIN {0} ON {0}.sha256 = "
                            "run_{0}.sha256 WHERE run = ? AND run_{0}.sha256 IS NOT NULL ORDER BY name",
                            table),
                run);
            while (query.next()) {
                const std::string what = fmt::format("the input {} of run {}", inQuotes(query.text(0)), run);
                std::string bytes = contentOf(query, 2, 3, path(), what);
                if (sha256(bytes) != query.text(1))
                    throw StoreError(
                        StoreProblem::damaged,
                        fmt::format("the history {} is damaged: {} is not what its hash says", shown(path()), what));
                inputs.push_back({kind, query.text(0), query.text(1), std::move(bytes)});
            }
        };
        add(InputContent::Kind::model, "model");
        add(InputContent::Kind::hardware, "hardware");
        return inputs;
    });
}

std::vector<std::pair<std::string, std::int64_t>> Store::tags() const {
    return implementation_->read([](const SQLite::Database& database) {
        std::vector<std::pair<std::string, std::int64_t>> tags;
        Query query(database,
                    "SELECT tag.name, count(*) AS runs FROM tag JOIN run ON run.id = tag.run WHERE run.deleted = 0 "
                    "GROUP BY tag.name ORDER BY runs DESC, tag.name");
        while (query.next()) tags.emplace_back(query.text(0), query.whole(1));
        return tags;
    });
}

std::vector<study::Metric> Store::metricKinds() const {
    return implementation_->read([](const SQLite::Database& database) {
        std::vector<study::Metric> kinds;
        Query query(database,
                    "SELECT name, title, owner, unit, better FROM metric_kind "
                    "WHERE EXISTS (SELECT 1 FROM metric WHERE kind = id) ORDER BY id");
        while (query.next())
            kinds.push_back({.name = query.text(0),
                             .title = query.text(1),
                             .owner = query.text(2),
                             .value = 0,
                             .measure = measureNamed(query.text(3)),
                             .better = betterNamed(query.text(4))});
        return kinds;
    });
}

void Store::setName(RunId run, const std::string& name) {
    implementation_->change(run, {Part::facts}, [&](const SQLite::Database& database) {
        execute(database, "UPDATE run SET name = ? WHERE id = ?", name, run);
        refreshSearch(database, run);
    });
}

void Store::setTags(RunId run, const std::vector<std::string>& tags) {
    implementation_->change(run, {Part::tags}, [&](const SQLite::Database& database) {
        execute(database, "DELETE FROM tag WHERE run = ?", run);
        for (const std::string& tag : tags)
            if (!trimmed(tag).empty())
                execute(database, "INSERT OR IGNORE INTO tag(run, name) VALUES(?, ?)", run, trimmed(tag));
        refreshSearch(database, run);
    });
}

void Store::setNote(RunId run, const std::string& note) {
    implementation_->change(run, {Part::note}, [&](const SQLite::Database& database) {
        if (note.empty())
            execute(database, "DELETE FROM note WHERE run = ?", run);
        else
            execute(database, "INSERT OR REPLACE INTO note(run, text) VALUES(?, ?)", run, note);
        refreshSearch(database, run);
    });
}

std::vector<RunId> Store::setTag(const std::vector<RunId>& runs, const std::string& tag, bool set) {
    const std::string name(trimmed(tag));
    if (name.empty()) return {};
    std::vector<RunId> changed;
    implementation_->write([&](const SQLite::Database& database) {
        changed = changeEach(database, path(), runs, Part::tags,
                             set ? "INSERT OR IGNORE INTO tag(name, run) SELECT ?, id FROM run WHERE id = ?"
                                 : "DELETE FROM tag WHERE name = ? AND run = ?",
                             name);
        for (const RunId run : changed) refreshSearch(database, run);
    });
    return changed;
}

std::vector<RunId> Store::setStarred(const std::vector<RunId>& runs, bool starred) {
    std::vector<RunId> changed;
    implementation_->write([&](const SQLite::Database& database) {
        changed = changeEach(database, path(), runs, Part::facts,
                             "UPDATE run SET starred = ?1 WHERE id = ?2 AND starred <> ?1", starred);
    });
    return changed;
}

std::vector<RunId> Store::setDeleted(const std::vector<RunId>& runs, bool deleted) {
    std::vector<RunId> changed;
    implementation_->write([&](const SQLite::Database& database) {
        Query query(database, "UPDATE run SET deleted = ?1 WHERE id = ?2 AND deleted <> ?1");
        Seals seals(database);
        for (const RunId run : runs) {
            if (deleted) requireIdle(database, run);
            // A damaged run can be deleted, too, and stays damaged.
            const bool isSound = !seals.damaged(run, std::array{Part::facts});
            if (query.rebind(deleted, run).changed() == 0) continue;
            if (isSound) seals.note(run, {Part::facts});
            changed.push_back(run);
        }
    });
    return changed;
}

std::int64_t Store::purge() {
    std::int64_t runs = 0;
    interruptibly(implementation_->database(), [&] {
        implementation_->write([&](const SQLite::Database& database) {
            Query deleted(database, "SELECT id FROM run WHERE deleted = 1");
            while (deleted.next()) requireIdle(database, deleted.whole(0));
            execute(database, "DELETE FROM run_search WHERE rowid IN (SELECT id FROM run WHERE deleted = 1)");
            runs = execute(database, "DELETE FROM run WHERE deleted = 1");
            removeUnused(database);
        });
    });
    return runs;
}

void removeUnused(const SQLite::Database& database) {
    execute(database, "DELETE FROM study WHERE NOT EXISTS (SELECT 1 FROM run WHERE study = study.id)");
    execute(database, "DELETE FROM model WHERE NOT EXISTS (SELECT 1 FROM run_model WHERE sha256 = model.sha256)");
    execute(database,
            "DELETE FROM hardware WHERE NOT EXISTS (SELECT 1 FROM run_hardware WHERE sha256 = hardware.sha256)");
    execute(database, "DELETE FROM sweep WHERE NOT EXISTS (SELECT 1 FROM run WHERE sweep = sweep.id)");
}

}  // namespace tessera::store
