#pragma once

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Transaction.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/store/database.h"
#include "core/store/seal.h"
#include "core/store/store.h"

namespace tessera::store {

/// State shared by the parts of the store.
struct Store::Implementation {
    Connection connection;

    SQLite::Database& database() const { return *connection.database; }

    /// Runs `work` in a transaction that sees one state of the file. Throws StoreError.
    template <typename Work>
    auto read(const Work& work) const {
        try {
            SQLite::Transaction transaction(database());
            return work(database());
        } catch (const SQLite::Exception& error) {
            throwStoreError(error, database().getHandle(), connection.path);
        }
    }

    /// Runs `work` in a transaction that writes all or nothing. Throws StoreError.
    template <typename Work>
    void write(const Work& work) {
        requireWritable();
        try {
            SQLite::Transaction transaction(database(), SQLite::TransactionBehavior::IMMEDIATE);
            try {
                work(database());
                transaction.commit();
            } catch (const SQLite::Exception& error) {
                // Asked before the transaction is rolled back, which makes SQLite forget the system's reason.
                throwStoreError(error, database().getHandle(), connection.path);
            }
        } catch (const SQLite::Exception& error) {
            throwStoreError(error, database().getHandle(), connection.path);
        }
    }

    void requireWritable() const;

    /// Changes parts of a run in a transaction that writes: they must be what was stored, and are sealed anew.
    template <typename Work>
    void change(RunId run, const std::vector<Part>& parts, const Work& work);
};

std::int64_t millisecondsNow();

/// Throws UsageError where there is no such run.
void requireRun(const SQLite::Database& database, RunId run);

/// Throws StoreError (busy) where a process that lives works on the run or has it in its queue.
void requireIdle(const SQLite::Database& database, RunId run);

template <typename Work>
void Store::Implementation::change(RunId run, const std::vector<Part>& parts, const Work& work) {
    write([&](const SQLite::Database& database) {
        requireRun(database, run);
        requireSound(database, connection.path, run, parts);
        work(database);
        Seals(database).note(run, parts);
    });
}

/// Brings the search index up to date with a run's names, tags and note.
void refreshSearch(const SQLite::Database& database, RunId run);

}  // namespace tessera::store
