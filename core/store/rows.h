#pragma once

#include <string>
#include <vector>

#include "core/store/database.h"
#include "core/store/store.h"

/// Pieces of SQL that several parts of the store use. They run inside the caller's transaction.
namespace tessera::store {

/// "?, ?, ?": for the values of a statement.
std::string placeholders(int count);

/// The rows of these runs, in this order; runs that are not there are left out. `metrics` are filled in. What is not
/// what was stored is left out of its row, which says so; `path` is for that sentence.
std::vector<RunRow> rowsOf(const SQLite::Database& database, const std::filesystem::path& path,
                           const std::vector<RunId>& runs, const std::vector<std::string>& metrics);

/// The study's row, added where it is new.
std::int64_t studyRow(const SQLite::Database& database, const study::Study& study);

/// The study of a run. `path` is for messages. Throws StoreError, UsageError.
study::Study readStudyOf(const SQLite::Database& database, const std::filesystem::path& path, RunId run);

/// The result of a run; empty while there is none. Throws StoreError, UsageError.
std::optional<study::Result> readResultOf(const SQLite::Database& database, const std::filesystem::path& path,
                                          RunId run);

/// The content in columns `size` and `content` of a row. `what` names it in the StoreError (damaged) where it cannot be
/// read: "the result of run 3".
std::string contentOf(const Query& row, int size, int content, const std::filesystem::path& path,
                      const std::string& what);

/// Replaces a run's metrics.
void putMetrics(const SQLite::Database& database, RunId run, const std::vector<study::Metric>& metrics);

/// Keeps the content once and says that the run rests on it.
void putInput(const SQLite::Database& database, RunId run, const InputContent& input);

/// Removes studies and contents that no run uses.
void removeUnused(const SQLite::Database& database);

}  // namespace tessera::store
