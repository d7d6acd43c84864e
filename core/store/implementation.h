#pragma once

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Transaction.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/store/database.h"
#include "core/store/store.h"

namespace tessera::store {

/// What the parts of the store share.
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
            throw storeError(error, database().getHandle(), connection.path);
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
                throw storeError(error, database().getHandle(), connection.path);
            }
        } catch (const SQLite::Exception& error) {
            throw storeError(error, database().getHandle(), connection.path);
        }
    }

    void requireWritable() const;
};

std::int64_t millisecondsNow();

/// Throws UsageError where there is no such run.
void requireRun(const SQLite::Database& database, RunId run);

/// Brings the search index up to date with a run's names, tags and note.
void refreshSearch(const SQLite::Database& database, RunId run);

}  // namespace tessera::store
