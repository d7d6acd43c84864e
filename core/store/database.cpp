#include "core/store/database.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Transaction.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/part.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/store/schema.h"

namespace tessera::store {

namespace fs = std::filesystem;

namespace {

constexpr int kBusyMilliseconds = 5000;
constexpr std::size_t kStepMicroseconds = 1000;  ///< what some thousand steps of SQLite take, or a wait
constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kHeader = 100;

[[noreturn]] void fail(StoreProblem problem, const std::string& message) {
    throw StoreError(problem, message);
}

/// What SQLite's result codes mean to a user, and the way on.
struct Meaning {
    int code;
    StoreProblem problem;
    std::string_view sentence;  ///< {} = the file
};

constexpr std::array kMeanings{
    Meaning{SQLITE_BUSY, StoreProblem::locked,
            "the history {} is locked by another program; close that program or try again"},
    Meaning{SQLITE_LOCKED, StoreProblem::locked,
            "the history {} is locked by another program; close that program or try again"},
    Meaning{SQLITE_PROTOCOL, StoreProblem::locked,
            "the history {} is locked by another program; close that program or try again"},
    Meaning{
        SQLITE_FULL, StoreProblem::full,
        "the history {} cannot be written: the disk is full, or the file would be larger than is allowed; free some "
        "space, or keep the history elsewhere"},
    Meaning{SQLITE_READONLY, StoreProblem::notWritable,
            "the history {} cannot be written; allow writing to it and to its folder, or keep the history elsewhere"},
    Meaning{SQLITE_CORRUPT, StoreProblem::damaged,
            "the history {} is damaged; restore a backup of it, or keep it aside and start a fresh one"},
    Meaning{SQLITE_NOTADB, StoreProblem::notAHistory,
            "{} is not a history of Tessera; choose another file, or another place for a new history"},
    Meaning{SQLITE_CANTOPEN, StoreProblem::notReadable,
            "the history {} cannot be opened; allow reading it and its folder, or choose another file"},
    Meaning{SQLITE_PERM, StoreProblem::notReadable,
            "the history {} cannot be opened; allow reading it and its folder, or choose another file"},
    Meaning{SQLITE_AUTH, StoreProblem::notReadable,
            "the history {} cannot be opened; allow reading it and its folder, or choose another file"},
};

bool isFull(int systemError) {
    return systemError == ENOSPC || systemError == EFBIG || systemError == EDQUOT;
}

/// Of a file that may not grow, SQLite says no more than that a write failed.
bool isFailedWrite(int code) {
    return code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_SHMSIZE || code == SQLITE_IOERR_TRUNCATE;
}

/// One line of the meanings, or what SQLite says itself.
StoreError errorOf(int code, int systemError, const std::string& words, const fs::path& path) {
    int primary = code & 0xFF;
    if (primary == SQLITE_IOERR && (isFull(systemError) || (systemError == 0 && isFailedWrite(code))))
        primary = SQLITE_FULL;
    for (const Meaning& meaning : kMeanings)
        if (meaning.code == primary) return {meaning.problem, fmt::format(fmt::runtime(meaning.sentence), shown(path))};
    if (primary == SQLITE_IOERR)
        return {StoreProblem::notReadable,
                fmt::format("the history {} cannot be read or written: {} (code {}); check the disk that it is on",
                            shown(path), systemError != 0 ? std::strerror(systemError) : words, code)};
    return {StoreProblem::damaged,
            fmt::format(
                "the history {} cannot be used ({}); restore a backup of it, or keep it aside and start a fresh one",
                shown(path), escaped(words))};
}

/// Looks at what stands at the path before SQLite does, which would wait for a pipe for ever and takes any file for a
/// new database. Says whether there is anything.
bool checkFile(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) return false;
    if (error)
        fail(StoreProblem::notReadable, fmt::format("the history {} cannot be read: {}", shown(path), error.message()));
    if (fs::is_directory(status))
        fail(StoreProblem::notAHistory, fmt::format("{} is a folder; choose a file for the history", shown(path)));
    if (!fs::is_regular_file(status))
        fail(StoreProblem::notAHistory,
             fmt::format("{} is no ordinary file; choose another for the history", shown(path)));
    std::array<char, kHeader> header{};
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        fail(StoreProblem::notReadable,
             fmt::format("the history {} cannot be read: {}; allow reading it, or choose another file", shown(path),
                         std::strerror(errno)));
    stream.read(header.data(), header.size());
    const std::string_view bytes(header.data(), static_cast<std::size_t>(stream.gcount()));
    if (bytes.empty()) return true;
    if (!bytes.starts_with(kMagic)) throw errorOf(SQLITE_NOTADB, 0, "", path);
    if (bytes.size() < kHeader) throw errorOf(SQLITE_CORRUPT, 0, "", path);
    return true;
}

/// Makes the folders that are missing, for their owner alone. Says whether the last one was.
bool makeFolders(const fs::path& path) {
    std::error_code error;
    const fs::path folder = fs::absolute(path, error).parent_path();
    std::vector<fs::path> missing;
    for (fs::path at = folder; !error && !fs::exists(at, error) && at != at.parent_path(); at = at.parent_path())
        missing.push_back(at);
    // Another process may be making them, too.
    for (auto at = missing.rbegin(); !error && at != missing.rend(); ++at)
        if (fs::create_directory(*at, error)) fs::permissions(*at, fs::perms::owner_all, error);
    if (!error) fs::create_directories(folder, error);
    if (error)
        fail(isFull(error.value()) ? StoreProblem::full : StoreProblem::notWritable,
             fmt::format("the folder {} of the history cannot be made: {}; choose another place for the history",
                         shown(folder), error.message()));
    return !missing.empty();
}

/// A new history is its owner's alone, for it holds whole models and notes. In a folder that the user has chosen and
/// made, the process's mask says who may read it. SQLite gives the files beside it the same permissions.
void makeFile(const fs::path& path) {
    if (!makeFolders(path) && path != defaultPath()) return;
    constexpr mode_t kMode = 0600;
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode);
    // What cannot be made here, SQLite says when it opens it.
    if (file >= 0) close(file);
}

/// A connection's settings. Files come from strangers: their schema may not call functions or change itself behind our
/// back.
void setUp(SQLite::Database& database) {
    sqlite3* handle = database.getHandle();
    sqlite3_extended_result_codes(handle, 1);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    database.exec(
        "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON;"
        "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864");
}

std::unique_ptr<SQLite::Database> connect(const std::string& name, int flags) {
    auto database = std::make_unique<SQLite::Database>(name, flags, kBusyMilliseconds);
    setUp(*database);
    return database;
}

/// Opens for reading and reads something, so that what is wrong shows here.
std::unique_ptr<SQLite::Database> connectReading(const std::string& name) {
    auto database = connect(name, SQLite::OPEN_READONLY | SQLite::OPEN_URI);
    wholeFrom(*database, "SELECT count(*) FROM sqlite_schema");
    return database;
}

std::string uriOf(const fs::path& path, std::string_view options) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
    std::string uri = "file:";
    for (const char c : fs::absolute(path).string()) {
        if (kPlain.find(c) != std::string_view::npos)
            uri += c;
        else
            uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return uri + std::string(options);
}

void copyFile(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::copy_file(from, to, error);
    // The copy is ours, whatever the file was.
    if (!error) fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write, error);
    if (error)
        fail(isFull(error.value()) ? StoreProblem::full : StoreProblem::notReadable,
             fmt::format("the history {} cannot be copied to a temporary file: {}", shown(from), error.message()));
}

/// A file whose log (WAL) cannot be used where it is, because the folder is read-only: without a log it is read as it
/// stands; with one, a copy of both is.
void openBesideLog(Connection& connection) {
    const fs::path log = connection.path.string() + "-wal";
    std::error_code ignored;
    if (!fs::exists(log, ignored) || fs::file_size(log, ignored) == 0) {
        connection.database = connectReading(uriOf(connection.path, "?mode=ro&immutable=1"));
        return;
    }
    connection.copy = temporaryFolder();
    const fs::path copy = connection.copy->path() / "history.db";
    copyFile(connection.path, copy);
    copyFile(log, copy.string() + "-wal");
    connection.database = connect(copy.string(), SQLite::OPEN_READWRITE);
}

/// True for what reading alone may get around.
bool mayReadOnly(const SQLite::Exception& error) {
    const int code = error.getErrorCode() & 0xFF;
    return code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
}

void openForReading(Connection& connection) {
    connection.readOnly = true;
    try {
        connection.database = connectReading(uriOf(connection.path, "?mode=ro"));
    } catch (const SQLite::Exception& error) {
        if (!mayReadOnly(error)) throw;
        openBesideLog(connection);
    }
}

/// Writes ahead from now on. SQLite does not wait for others while it changes the mode, so this does.
void writeAhead(SQLite::Database& database) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyMilliseconds);
    while (true) {
        try {
            poll(kStepMicroseconds);
            Query(database, "PRAGMA journal_mode = WAL").next();
            return;
        } catch (const SQLite::Exception& error) {
            if ((error.getErrorCode() & 0xFF) != SQLITE_BUSY || std::chrono::steady_clock::now() > end) throw;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
}

/// Whether a file beside the history, of another account perhaps, is there and may not be written. SQLite opens it for
/// reading then and says so only when something is to be written.
bool isSealedOff(const fs::path& beside) {
    std::error_code error;
    const fs::file_status status = fs::status(beside, error);
    if (!fs::exists(status)) return false;
    return !fs::is_regular_file(status) || ::faccessat(AT_FDCWD, beside.c_str(), W_OK, AT_EACCESS) != 0;
}

/// Says whether the file could be opened for writing.
bool openForWriting(Connection& connection) {
    for (const char* ending : {"-wal", "-shm"})
        if (isSealedOff(connection.path.string() + ending)) return false;
    try {
        auto database = connect(connection.path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        if (sqlite3_db_readonly(database->getHandle(), "main") == 1) return false;
        writeAhead(*database);
        wholeFrom(*database, "SELECT count(*) FROM sqlite_schema");
        connection.database = std::move(database);
        return true;
    } catch (const SQLite::Exception& error) {
        if (!mayReadOnly(error)) throw;
        return false;
    }
}

/// A migrated copy of an older file that must not be changed.
void openMigratedCopy(Connection& connection) {
    auto folder = temporaryFolder();
    auto copy = connect((folder->path() / "history.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    copyDatabase(*copy, *connection.database);
    migrate(*copy);
    connection.database = std::move(copy);
    connection.copy = std::move(folder);
}

/// What a file says that it is.
struct Form {
    int version;
    bool empty;
    bool ofTessera;
    /// Where its tables are not those of its version.
    std::string problem;
};

/// All of it as of one moment, for another process may be making or migrating the file.
Form formOf(SQLite::Database& database) {
    const SQLite::Transaction moment(database);
    Form form{.version = versionOf(database),
              .empty = wholeFrom(database, "SELECT count(*) FROM sqlite_schema") == 0,
              .ofTessera = wholeFrom(database, "PRAGMA application_id") == kApplicationId,
              .problem = {}};
    if (form.ofTessera && !form.empty && form.version <= latestVersion()) form.problem = schemaProblem(database);
    return form;
}

/// Migrates an older file, sets a newer one to read-only, and refuses what is no history.
void checkVersion(Connection& connection, OpenMode mode) {
    SQLite::Database& database = *connection.database;
    const auto [version, empty, ofTessera, problem] = formOf(database);
    connection.version = version;
    if (!empty && !ofTessera) throw errorOf(SQLITE_NOTADB, 0, "", connection.path);
    if (version > latestVersion()) {
        connection.notice = fmt::format(
            "The history {} was written by a newer Tessera (its version is {}, this program knows {}); it is open for "
            "reading only.",
            shown(connection.path), version, latestVersion());
        if (!connection.readOnly) openForReading(connection);
        return;
    }
    if (!problem.empty())
        fail(
            StoreProblem::damaged,
            fmt::format("the history {} is damaged: {}; restore a backup of it, or keep it aside and start a fresh one",
                        shown(connection.path), problem));
    if (version == latestVersion()) return;
    if (!connection.readOnly) return migrate(database);
    // An empty file is what a program leaves that was killed while it made its history: one without runs.
    openMigratedCopy(connection);
    if (mode == OpenMode::readWrite && !empty)
        connection.notice += " It is of an older Tessera and shown as if it had been brought up to date.";
}

}  // namespace

Query::~Query() {
    sqlite3_finalize(statement_);
}

void Query::check(int code) const {
    if (code != SQLITE_OK) throw QueryError(handle_, code);
}

void Query::prepare(const SQLite::Database& database, const std::string& sql) {
    handle_ = database.getHandle();
    check(sqlite3_prepare_v2(handle_, sql.c_str(), static_cast<int>(sql.size()) + 1, &statement_, nullptr));
}

void Query::reset() {
    // Repeats the error of the last step, which was reported then.
    sqlite3_reset(statement_);
    bound_ = 0;
}

void Query::bindBytes(std::string_view bytes) {
    check(sqlite3_bind_blob64(statement_, ++bound_, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_STATIC));
}

void Query::bindText(std::string_view text) {
    check(sqlite3_bind_text64(statement_, ++bound_, text.empty() ? "" : text.data(), text.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8));
}

void Query::bindNumber(double number) {
    check(sqlite3_bind_double(statement_, ++bound_, number));
}

void Query::bindWhole(std::int64_t number) {
    check(sqlite3_bind_int64(statement_, ++bound_, number));
}

void Query::bindNull() {
    check(sqlite3_bind_null(statement_, ++bound_));
}

void Query::addFrom(const Query& other, int column) {
    check(sqlite3_bind_value(statement_, ++bound_, sqlite3_column_value(other.statement_, column)));
}

bool Query::next() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) throw QueryError(handle_, code);
    return false;
}

int Query::changed() {
    while (next()) {
    }
    return sqlite3_changes(handle_);
}

int Query::columns() const {
    return sqlite3_column_count(statement_);
}

bool Query::isNull(int column) const {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Query::whole(int column) const {
    return sqlite3_column_int64(statement_, column);
}

double Query::number(int column) const {
    return sqlite3_column_double(statement_, column);
}

std::string_view Query::bytes(int column) const {
    const void* const data = sqlite3_column_blob(statement_, column);
    return {static_cast<const char*>(data),
            data == nullptr ? 0U : static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

namespace {

/// Takes a word into a sum, by the step of MurmurHash64A (A. Appleby, public domain): one to one in the word for any
/// sum, and in the sum for any word.
void take(std::uint64_t& sum, std::uint64_t word) {
    constexpr std::uint64_t kFactor = 0xC6A4A7935BD1E995;
    constexpr int kShift = 47;
    word *= kFactor;
    word ^= word >> kShift;
    word *= kFactor;
    sum ^= word;
    sum *= kFactor;
}

void takeBytes(std::uint64_t& sum, std::string_view bytes) {
    take(sum, bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
        take(sum, word);
    }
}

}  // namespace

std::uint64_t Query::digest() const {
    std::uint64_t sum = 0;
    for (int column = 0; column < columns(); ++column) {
        const int type = sqlite3_column_type(statement_, column);
        take(sum, static_cast<std::uint64_t>(type));
        if (type == SQLITE_INTEGER) take(sum, std::bit_cast<std::uint64_t>(whole(column)));
        if (type == SQLITE_FLOAT) take(sum, std::bit_cast<std::uint64_t>(number(column)));
        if (type == SQLITE_TEXT || type == SQLITE_BLOB) takeBytes(sum, bytes(column));
    }
    return sum;
}

std::string shown(const fs::path& path) {
    constexpr std::size_t kLongest = 1024;
    return path.empty() ? "in memory" : inQuotes(path.string(), kLongest);
}

std::unique_ptr<TemporaryFolder> temporaryFolder() {
    try {
        return std::make_unique<TemporaryFolder>();
    } catch (const FileError& error) {
        const bool full = isFull(errno);
        fail(full ? StoreProblem::full : StoreProblem::notWritable, error.what());
    }
}

Interruption::Interruption(const SQLite::Database& database) : handle_(database.getHandle()) {
    constexpr int kSteps = 10'000;
    sqlite3_progress_handler(
        handle_, kSteps, [](void* self) { return static_cast<Interruption*>(self)->goesOn() ? 0 : 1; }, this);
    sqlite3_busy_handler(
        handle_,
        [](void* self, int times) {
            constexpr int kWait = 10;
            if (times * kWait >= kBusyMilliseconds || !static_cast<Interruption*>(self)->goesOn()) return 0;
            sqlite3_sleep(kWait);
            return 1;
        },
        this);
}

Interruption::~Interruption() {
    sqlite3_progress_handler(handle_, 0, nullptr, nullptr);
    sqlite3_busy_timeout(handle_, kBusyMilliseconds);
}

bool Interruption::goesOn() {
    try {
        poll(kStepMicroseconds);
    } catch (...) {
        thrown_ = std::current_exception();
    }
    return !thrown_;
}

void Interruption::rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
}

NewDatabase::NewDatabase(const fs::path& path, const fs::path& own) : path_(path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!own.empty() && fs::equivalent(path, own, error))
        store::fail(StoreProblem::notWritable,
                    fmt::format("{} is the history itself; choose another file", shown(path)));
    if (fs::exists(status) && !fs::is_regular_file(status))
        store::fail(StoreProblem::notWritable, fmt::format("{} is no ordinary file; choose another", shown(path)));
    // A log beside the file would be taken for ours.
    const fs::path log = path.string() + "-wal";
    if (fs::exists(log, error) && fs::file_size(log, error) > 0)
        store::fail(StoreProblem::locked, fmt::format("{} is a history in use; choose another file", shown(path)));
    const auto refuse = [&] {
        store::fail(StoreProblem::notWritable,
                    fmt::format("{} cannot be written; is its folder there, and may it be written to?", shown(path)));
    };
    try {
        part_ = makePart(path);
    } catch (const FileError&) {
        refuse();
    }
    try {
        database_ = connect(part_.string(), SQLite::OPEN_READWRITE);
        Query(*database_, "PRAGMA journal_mode = MEMORY").next();
    } catch (const SQLite::Exception&) {
        fs::remove(part_, error);
        refuse();
    }
}

void NewDatabase::finish() {
    Query(*database_, "PRAGMA journal_mode = DELETE").next();
    database_.reset();
    std::error_code error;
    fs::rename(part_, path_, error);
    if (error)
        store::fail(StoreProblem::notWritable, fmt::format("{} cannot be written: {}", shown(path_), error.message()));
}

NewDatabase::~NewDatabase() {
    database_.reset();
    std::error_code ignored;
    fs::remove(part_, ignored);
    fs::remove(part_.string() + "-journal", ignored);
}

namespace {

/// The whole result code. Those of copies come without the extended one.
int codeOf(const SQLite::Exception& error) {
    return error.getExtendedErrorCode() >= 0 ? error.getExtendedErrorCode() : error.getErrorCode();
}

/// Why the system refused, as far as it is known: SQLite keeps the reason for some of its failures, and of a commit
/// that failed only the thread's own is left. Either may be that of an earlier call, so only reasons that fit count.
int systemErrorOf(sqlite3* handle) {
    const int here = errno;
    const int kept = handle != nullptr ? sqlite3_system_errno(handle) : 0;
    constexpr std::array kReasons{ENOSPC, EFBIG, EDQUOT, EIO, EROFS, EACCES, EPERM, ESTALE, ENODEV, ENXIO};
    for (const int reason : {kept, here})
        if (std::find(kReasons.begin(), kReasons.end(), reason) != kReasons.end()) return reason;
    return 0;
}

}  // namespace

StoreError storeError(const SQLite::Exception& error, sqlite3* handle, const fs::path& path) {
    const int reason = systemErrorOf(handle);
    return errorOf(codeOf(error), reason, error.what(), path);
}

void throwStoreError(const SQLite::Exception& error, sqlite3* handle, const fs::path& path) {
    const auto* const query = dynamic_cast<const QueryError*>(&error);
    if (query != nullptr && query->handle != handle) throw QueryError(*query);
    throw storeError(error, handle, path);
}

void NewDatabase::fail(const SQLite::Exception& error) const {
    sqlite3* const handle = database_ ? database_->getHandle() : nullptr;
    const int reason = systemErrorOf(handle);
    const int primary = codeOf(error) & 0xFF;
    if (primary == SQLITE_FULL || isFull(reason) || isFailedWrite(codeOf(error)))
        store::fail(StoreProblem::full,
                    fmt::format("{} cannot be written: the disk is full, or the file would be larger than is allowed; "
                                "free some space, or choose another place",
                                shown(path_)));
    store::fail(StoreProblem::notWritable,
                fmt::format("{} cannot be written: {}; choose another place", shown(path_), escaped(error.what())));
}

Connection openConnection(const fs::path& path, OpenMode mode) {
    Connection connection{.path = path};
    const bool exists = checkFile(path);
    if (!exists && mode == OpenMode::readOnly)
        fail(StoreProblem::missing, fmt::format("there is no history {}; choose another file", shown(path)));
    if (!exists) makeFile(path);
    try {
        if (mode == OpenMode::readOnly) {
            openForReading(connection);
        } else if (!openForWriting(connection)) {
            connection.notice =
                fmt::format("The history {} cannot be written; it is open for reading only.", shown(path));
            openForReading(connection);
        }
        checkVersion(connection, mode);
    } catch (const SQLite::Exception& error) {
        sqlite3* const handle = connection.database ? connection.database->getHandle() : nullptr;
        if (!exists && (error.getErrorCode() & 0xFF) == SQLITE_CANTOPEN) throw errorOf(SQLITE_READONLY, 0, "", path);
        throw storeError(error, handle, path);
    }
    return connection;
}

Connection openInMemory() {
    Connection connection;
    connection.database = connect(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    migrate(*connection.database);
    return connection;
}

void copyDatabase(SQLite::Database& to, SQLite::Database& from) {
    SQLite::Backup backup(to, from);
    constexpr int kPages = 4096;
    while (true) {
        poll(kStepMicroseconds);
        const int code = backup.executeStep(kPages);
        if (code == SQLITE_DONE) return;
        if (code == SQLITE_BUSY || code == SQLITE_LOCKED) sqlite3_sleep(5);
    }
}

}  // namespace tessera::store
