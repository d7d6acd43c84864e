#include "core/store/schema.h"

#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/store/database.h"
#include "core/store/seal.h"

namespace tessera::store {

namespace {

constexpr std::string_view kRuns = R"sql(
-- Studies without name and seed in canonical JSON; a name is part of the key because results carry it.
CREATE TABLE study(
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    name TEXT NOT NULL,
    engine TEXT NOT NULL,
    document TEXT NOT NULL,
    UNIQUE(hash, name)
) STRICT;

-- Contents of inputs by the SHA-256 of their bytes; `content` is compressed by zstd.
CREATE TABLE model(
    sha256 TEXT PRIMARY KEY NOT NULL,
    size INTEGER NOT NULL,
    content BLOB NOT NULL
) STRICT;
CREATE TABLE hardware(
    sha256 TEXT PRIMARY KEY NOT NULL,
    size INTEGER NOT NULL,
    content BLOB NOT NULL
) STRICT;

-- Slim, because lists walk it. Times are milliseconds since 1970; `since` is when a run was added, later when it
-- started. `models` and `hardware` are the study's, joined by ", ".
CREATE TABLE run(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    study INTEGER NOT NULL REFERENCES study(id),
    seed INTEGER,
    name TEXT NOT NULL,
    engine TEXT NOT NULL,
    models TEXT NOT NULL,
    hardware TEXT NOT NULL,
    status TEXT NOT NULL CHECK(status IN ('queued', 'running', 'paused', 'interrupted', 'done', 'failed', 'cancelled')),
    since INTEGER NOT NULL,
    started INTEGER,
    finished INTEGER,
    headline TEXT NOT NULL DEFAULT '',
    version TEXT NOT NULL,
    host TEXT NOT NULL,
    starred INTEGER NOT NULL DEFAULT 0 CHECK(starred IN (0, 1))
) STRICT;
CREATE INDEX run_by_since ON run(since, id, engine, status, starred);
CREATE INDEX run_by_name ON run(name);
CREATE INDEX run_by_status ON run(status);
CREATE INDEX run_by_engine ON run(engine);
CREATE INDEX run_by_models ON run(models);
CREATE INDEX run_by_hardware ON run(hardware);
CREATE INDEX run_by_study ON run(study);

-- What a run's study names (sha256 null), and the contents that its result rests on.
CREATE TABLE run_model(
    run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    sha256 TEXT REFERENCES model(sha256),
    PRIMARY KEY(run, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_model_name ON run_model(name, run);
CREATE INDEX run_model_content ON run_model(sha256);
CREATE TABLE run_hardware(
    run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    sha256 TEXT REFERENCES hardware(sha256),
    PRIMARY KEY(run, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_hardware_name ON run_hardware(name, run);
CREATE INDEX run_hardware_content ON run_hardware(sha256);

-- The output document, compressed by zstd, apart from `run` so that lists stay quick.
CREATE TABLE result(
    run INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE,
    size INTEGER NOT NULL,
    document BLOB NOT NULL
) STRICT;

-- What a metric is stands once; a run's value is four numbers.
CREATE TABLE metric_kind(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    owner TEXT NOT NULL,
    unit TEXT NOT NULL,
    better TEXT NOT NULL
) STRICT;
CREATE TABLE metric(
    run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    kind INTEGER NOT NULL REFERENCES metric_kind(id),
    position INTEGER NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY(run, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX metric_value ON metric(kind, value, run);

-- Batches of points: x and y of each as little-endian 64-bit floating-point numbers; `position` counts the points of the
-- series before it.
CREATE TABLE trace(
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    series TEXT NOT NULL,
    position INTEGER NOT NULL,
    points BLOB NOT NULL,
    UNIQUE(run, series, position)
) STRICT;

CREATE TABLE artifact(
    run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY(run, kind)
) STRICT;

CREATE TABLE checkpoint(
    run INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE,
    size INTEGER NOT NULL,
    state BLOB NOT NULL
) STRICT;

CREATE TABLE tag(
    run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    PRIMARY KEY(run, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_name ON tag(name, run);

CREATE TABLE note(
    run INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE,
    text TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE run_search USING fts5(
    name, tags, note, models, hardware, prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 2'
);
)sql";

constexpr std::string_view kOwners = R"sql(
-- Which process works on a run, so that the runs of a process that died are found: `process` is the process's start.
ALTER TABLE run ADD COLUMN pid INTEGER;
ALTER TABLE run ADD COLUMN process TEXT;
-- The last batch of the trace before the checkpoint; those after it go when a run continues from it.
ALTER TABLE checkpoint ADD COLUMN trace INTEGER NOT NULL DEFAULT 0;
-- Deleted runs are hidden until they are restored or purged.
ALTER TABLE run ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0 CHECK(deleted IN (0, 1));
DROP INDEX run_by_since;
DROP INDEX run_by_name;
DROP INDEX run_by_status;
DROP INDEX run_by_engine;
DROP INDEX run_by_models;
DROP INDEX run_by_hardware;
CREATE INDEX run_by_since ON run(deleted, since, id, engine, status, starred);
CREATE INDEX run_by_name ON run(deleted, name);
CREATE INDEX run_by_status ON run(deleted, status);
CREATE INDEX run_by_engine ON run(deleted, engine);
CREATE INDEX run_by_models ON run(deleted, models);
CREATE INDEX run_by_hardware ON run(deleted, hardware);
CREATE INDEX run_by_starred ON run(deleted, starred);
)sql";

constexpr std::string_view kPackedResults = R"sql(
-- How `document` is written: the output document as JSON, or, where that would be hundreds of megabytes, packed.
ALTER TABLE result ADD COLUMN form TEXT NOT NULL DEFAULT 'json' CHECK(form IN ('json', 'packed'));
)sql";

constexpr std::string_view kSealsAndSweeps = R"sql(
-- Sums over what is kept of a run, by which damage is noticed: see seal.h.
CREATE TABLE seal(
    run INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE,
    facts INTEGER NOT NULL,
    study INTEGER NOT NULL,
    inputs INTEGER NOT NULL,
    result INTEGER NOT NULL,
    metrics INTEGER NOT NULL,
    artifacts INTEGER NOT NULL,
    trace INTEGER NOT NULL,
    checkpoint INTEGER NOT NULL,
    tags INTEGER NOT NULL,
    note INTEGER NOT NULL
) STRICT;
-- What a sweep was asked for, so that the points that are left can be run; its runs are numbered by `point` from 0.
CREATE TABLE sweep(
    id INTEGER PRIMARY KEY,
    document TEXT NOT NULL
) STRICT;
ALTER TABLE run ADD COLUMN sweep INTEGER REFERENCES sweep(id);
ALTER TABLE run ADD COLUMN point INTEGER;
CREATE INDEX run_by_sweep ON run(sweep, point);
-- The file that a run came from, and when.
ALTER TABLE run ADD COLUMN imported TEXT;
ALTER TABLE run ADD COLUMN imported_at INTEGER;
-- Milliseconds of work before `resumed`, since when its process works; `seen` is that process's last sign of life.
ALTER TABLE run ADD COLUMN worked INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN resumed INTEGER;
ALTER TABLE run ADD COLUMN seen INTEGER;
UPDATE run SET worked = max(finished - started, 0) WHERE started IS NOT NULL AND finished IS NOT NULL;
)sql";

/// Every step, and those that a program brings.
std::vector<Migration>& allMigrations() {
    static std::vector<Migration> steps{
        {"runs, their inputs, results, metrics and annotations", kRuns},
        {"owners of running runs; deletion that can be undone", kOwners},
        {"results of very deep networks in a compact form", kPackedResults},
        {"seals against damage; sweeps; where runs came from and how long they worked", kSealsAndSweeps},
    };
    return steps;
}

using Objects = std::map<std::string, std::string>;

/// Tables, indices and triggers by name, with the SQL that made them. The tables inside a search index are SQLite's
/// own.
Objects objectsOf(const SQLite::Database& database) {
    Objects objects;
    Query query(
        database,
        "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'run~_search~_%' ESCAPE '~'");
    while (query.next()) objects[query.text(0)] = query.text(1);
    return objects;
}

}  // namespace

const std::vector<Migration>& migrations() {
    return allMigrations();
}

void addMigration(Migration migration) {
    allMigrations().push_back(std::move(migration));
}

int latestVersion() {
    return static_cast<int>(migrations().size());
}

int versionOf(const SQLite::Database& database) {
    return static_cast<int>(wholeFrom(database, "PRAGMA user_version"));
}

void migrate(SQLite::Database& database, int version) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    // Asked inside the transaction: another process may have been first.
    const int present = versionOf(database);
    if (present >= version) return;
    for (int step = present; step < version; ++step)
        database.exec(std::string(migrations()[static_cast<std::size_t>(step)].sql));
    // What is there already counts as what was stored. Last, since a seal covers the fields of all steps.
    if (present < kSealed && version >= kSealed) Seals(database).noteAll();
    database.exec(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, version));
    transaction.commit();
}

std::string schemaProblem(const SQLite::Database& database) {
    SQLite::Database model(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    migrate(model, versionOf(database));
    const Objects found = objectsOf(database);
    for (const auto& [name, sql] : objectsOf(model)) {
        const auto object = found.find(name);
        if (object == found.end()) return fmt::format("its part '{}' is missing", name);
        if (object->second != sql) return fmt::format("its part '{}' is not as Tessera made it", name);
    }
    Query triggers(database, "SELECT name FROM sqlite_schema WHERE type = 'trigger'");
    if (triggers.next()) return fmt::format("it holds the trigger {}", inQuotes(triggers.text(0)));
    return "";
}

}  // namespace tessera::store
