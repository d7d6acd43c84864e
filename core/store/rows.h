#pragma once

#include <string>
#include <vector>

#include "core/store/database.h"
#include "core/store/store.h"

/// Pieces of SQL that several parts of the store use. They run inside the caller's transaction.
namespace tessera::store {

/// The rows of these runs, in this order; runs that are not there are left out. `metrics` are filled in.
std::vector<RunRow> rowsOf(const SQLite::Database& database, const std::vector<RunId>& runs,
                           const std::vector<std::string>& metrics);

/// The study's row, added where it is new.
std::int64_t studyRow(const SQLite::Database& database, const study::Study& study);

/// The study of a run. `path` is for messages. Throws StoreError, UsageError.
study::Study readStudyOf(const SQLite::Database& database, const std::filesystem::path& path, RunId run);

/// Replaces a run's metrics.
void putMetrics(const SQLite::Database& database, RunId run, const std::vector<study::Metric>& metrics);

/// Keeps the content once and says that the run rests on it.
void putInput(const SQLite::Database& database, RunId run, const InputContent& input);

/// Removes studies and contents that no run uses.
void removeUnused(const SQLite::Database& database);

}  // namespace tessera::store
