#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/seal.h"

/// The history's tables: an append-only list of migrations. The position of a step in the list is the version that it
/// makes, kept in `PRAGMA user_version`; a published step is never edited.
namespace tessera::store {

/// Rows by which a run's seal also covers a field that a migration adds: a statement with one parameter, the run. It
/// has no row where the field is as it was added, so that older seals hold.
struct SealedField {
    Part part;
    std::string_view sql;
};

/// A step of the list. What it adds to the tables of a run goes along when runs are exported and merged.
struct Migration {
    std::string_view title;
    std::string_view sql;
    std::vector<SealedField> sealed = {};
};

const std::vector<Migration>& migrations();
/// Appends one to those there are, for programs that bring their own. Before a history is opened.
void addMigration(Migration migration);

/// The version that this program writes.
int latestVersion();

/// The first version whose runs have seals.
inline constexpr int kSealed = 4;

/// Marks a file as a history, in `PRAGMA application_id`: "Tess".
inline constexpr std::int64_t kApplicationId = 0x54657373;

int versionOf(const SQLite::Database& database);

/// Applies the steps that are missing up to `version`, in one transaction, and seals the runs of a file that had no
/// seals; several processes may do this at once. Throws SQLite::Exception.
void migrate(SQLite::Database& database, int version = latestVersion());

/// Differences from the tables of the file's version, as words; empty = none. Tables and indices that others added do
/// not matter; triggers do, since they would run inside our transactions.
std::string schemaProblem(const SQLite::Database& database);

}  // namespace tessera::store
