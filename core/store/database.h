#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/file.h"
#include "core/store/store.h"

struct sqlite3;
struct sqlite3_stmt;

/// The thin layer between SQLite and the store: opening, binding, reading columns, transactions and errors.
namespace tessera::store {

/// Bytes to be bound as a blob. Looks at the caller's memory, which must outlive the statement's step.
struct Blob {
    std::string_view bytes;
};

/// SQLite error of a statement, with its connection.
class QueryError : public SQLite::Exception {
public:
    QueryError(sqlite3* handle_, int code) : SQLite::Exception(handle_, code), handle(handle_) {}
    sqlite3* handle;
};

/// A prepared statement whose values are bound in order: the only way in which values reach SQL. On SQLite's own
/// interface, because lists walk a hundred thousand rows and SQLiteCpp counts references twice per column.
class Query {
public:
    template <typename... Values>
    Query(const SQLite::Database& database, const std::string& sql, const Values&... values) {
        prepare(database, sql);
        rebind(values...);
    }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;
    ~Query();

    /// Binds other values and starts again.
    template <typename... Values>
    Query& rebind(const Values&... values) {
        reset();
        (add(values), ...);
        return *this;
    }
    /// Binds one more value.
    template <typename Value>
    void add(const Value& value) {
        if constexpr (std::is_same_v<Value, Blob>)
            bindBytes(value.bytes);
        else if constexpr (std::is_convertible_v<Value, std::string_view>)
            bindText(std::string_view(value));
        else if constexpr (std::is_floating_point_v<Value>)
            bindNumber(static_cast<double>(value));
        else
            bindWhole(static_cast<std::int64_t>(value));
    }
    template <typename Value>
    void add(const std::optional<Value>& value) {
        if (value.has_value())
            add(*value);
        else
            bindNull();
    }
    /// Binds one more value: the column of another statement's row, whatever its type.
    void addFrom(const Query& other, int column);

    bool next();    ///< false where there is no further row
    int changed();  ///< executes; returns the rows that were changed

    int columns() const;
    bool isNull(int column) const;
    std::int64_t whole(int column) const;
    double number(int column) const;
    std::string text(int column) const { return std::string(bytes(column)); }
    /// Valid until the next step.
    std::string_view bytes(int column) const;
    /// A sum over the row's values with their types; a change within eight bytes of any of them, such as a flipped bit,
    /// always changes it.
    std::uint64_t digest() const;
    std::optional<std::int64_t> wholeOrNull(int column) const {
        return isNull(column) ? std::nullopt : std::optional(whole(column));
    }

private:
    void prepare(const SQLite::Database& database, const std::string& sql);
    void reset();
    void bindBytes(std::string_view bytes);
    void bindText(std::string_view text);
    void bindNumber(double number);
    void bindWhole(std::int64_t number);
    void bindNull();
    void check(int code) const;

    sqlite3* handle_ = nullptr;
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
};

template <typename... Values>
int execute(const SQLite::Database& database, const std::string& sql, const Values&... values) {
    return Query(database, sql, values...).changed();
}

/// The first column of the first row; throws where there is no row.
template <typename... Values>
std::int64_t wholeFrom(const SQLite::Database& database, const std::string& sql, const Values&... values) {
    Query query(database, sql, values...);
    query.next();
    return query.whole(0);
}

/// Scope in which statements on a database poll (see core/base/poll.h), also those that wait for another program.
/// What a poll throws must not pass through SQLite: the statement fails, and `rethrow` goes on with it.
class Interruption {
public:
    explicit Interruption(const SQLite::Database& database);
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;
    ~Interruption();
    void rethrow() const;

private:
    bool goesOn();

    sqlite3* handle_;
    std::exception_ptr thrown_;
};

/// Runs work on a database that a poll may end.
template <typename Work>
void interruptibly(const SQLite::Database& database, const Work& work) {
    const Interruption interruption(database);
    try {
        work();
    } catch (...) {
        interruption.rethrow();
        throw;
    }
}

/// A temporary folder. Throws StoreError (full, notWritable) where none can be made.
std::unique_ptr<TemporaryFolder> temporaryFolder();

/// File name as the messages of this module show it.
std::string shown(const std::filesystem::path& path);

/// Converts an SQLite error to a StoreError about the file. `handle` may be null where opening failed.
StoreError storeError(const SQLite::Exception& error, sqlite3* handle, const std::filesystem::path& path);

/// Throws what SQLite reports as a StoreError about the file; as it is, where it is about another connection, for
/// whoever has that one to name its file.
[[noreturn]] void throwStoreError(const SQLite::Exception& error, sqlite3* handle, const std::filesystem::path& path);

/// A database that is written beside its place and takes it when it is whole. Throws StoreError (notWritable, full,
/// locked).
class NewDatabase {
public:
    /// `own` must not be overwritten.
    NewDatabase(const std::filesystem::path& path, const std::filesystem::path& own);
    NewDatabase(const NewDatabase&) = delete;
    NewDatabase& operator=(const NewDatabase&) = delete;
    ~NewDatabase();

    /// Calls `work` with the empty database, then puts the file into its place.
    template <typename Work>
    void write(const Work& work) {
        try {
            work(*database_);
            finish();
        } catch (const SQLite::Exception& error) {
            fail(error);
        }
    }

private:
    void finish();
    [[noreturn]] void fail(const SQLite::Exception& error) const;
    std::filesystem::path path_, part_;
    std::unique_ptr<SQLite::Database> database_;
};

/// An open connection, and how it came about.
struct Connection {
    std::filesystem::path path;  ///< as the caller knows it; empty = in memory
    /// Holds the copy that is open instead of the file, where the file itself cannot be used as it is.
    std::unique_ptr<TemporaryFolder> copy = {};
    std::unique_ptr<SQLite::Database> database = {};
    bool readOnly = false;
    std::string notice = {};
    int version = 0;  ///< of the file as it was found
};

/// Opens, checks and, where it may, migrates. Throws StoreError. See Store::open.
Connection openConnection(const std::filesystem::path& path, OpenMode mode);
Connection openInMemory();

/// Copies one database into another, page by page, while others use it. Polls. Throws SQLite::Exception.
void copyDatabase(SQLite::Database& to, SQLite::Database& from);

}  // namespace tessera::store
