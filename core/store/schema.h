#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The history's tables: an append-only list of migrations. The position of a step in the list is the version that it
/// makes, kept in `PRAGMA user_version`; a published step is never edited.
namespace tessera::store {

struct Migration {
    std::string_view title;
    std::string_view sql;
    void (*fill)(const SQLite::Database& database) = nullptr;  ///< what SQL alone cannot do, after it
};

const std::vector<Migration>& migrations();

/// The version that this program writes.
int latestVersion();

/// The first version whose runs have seals.
inline constexpr int kSealed = 4;

/// Marks a file as a history, in `PRAGMA application_id`: "Tess".
inline constexpr std::int64_t kApplicationId = 0x54657373;

int versionOf(const SQLite::Database& database);

/// Applies the steps that are missing up to `version`, each in a transaction of its own; several processes may do this
/// at once. Throws SQLite::Exception.
void migrate(SQLite::Database& database, int version = latestVersion());

/// Differences from the tables of the file's version, as words; empty = none. Tables and indices that others added do
/// not matter; triggers do, since they would run inside our transactions.
std::string schemaProblem(const SQLite::Database& database);

}  // namespace tessera::store
