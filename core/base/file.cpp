#include "core/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <string_view>
#include <system_error>
#include <thread>

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/input_files.h"
#include "core/base/made_file.h"
#include "core/base/part.h"
#include "core/base/poll.h"
#include "core/base/text.h"

namespace tessera {

namespace fs = std::filesystem;

namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t kReadChunk = std::size_t{1} << 16;
constexpr std::size_t kReadMicroseconds = 20;
constexpr auto kOtherEnd = 1s;     // how long the other end of a pipe may take to turn up
constexpr auto kPipePause = 20ms;  // between looks at a pipe, and at whether to go on
constexpr std::size_t kPauseMicroseconds = 20'000;

std::string shown(const fs::path& path) {
    return isStandardInput(path) ? "standard input" : inQuotes(path.string(), 1024);
}

[[noreturn]] void failToRead(const fs::path& path, const std::string& why) {
    throw FileError(fmt::format("cannot read {}: {}", shown(path), why));
}

[[noreturn]] void failToWrite(const fs::path& path, const std::string& why) {
    throw FileError(fmt::format("cannot write {}: {}", inQuotes(path.string(), 1024), why));
}

FileDescriptor openForReading(const fs::path& path) {
    // Without waiting: a pipe would open only once it has a writer.
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (file.isOpen()) return file;
    if (errno == ENOENT || errno == ENOTDIR) failToRead(path, "there is no such file");
    if (errno == ENXIO) failToRead(path, "it is not a regular file but a socket or a device");
    failToRead(path, std::strerror(errno));
}

struct stat statusOf(const fs::path& path, int file) {
    struct stat status {};
    if (::fstat(file, &status) != 0) failToRead(path, std::strerror(errno));
    if (S_ISDIR(status.st_mode)) failToRead(path, "it is a folder");
    // Devices may never end.
    const bool device = S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && ::isatty(file) == 0);
    if (device) failToRead(path, "it is not a regular file but a device");
    return status;
}

/// Takes the bytes of an open file of any kind, up to a limit.
class Intake {
public:
    Intake(const fs::path& path, int file, std::uintmax_t limit) : path_(path), file_(file), limit_(limit) {
        const struct stat status = statusOf(path, file);
        regular_ = S_ISREG(status.st_mode);
        pipe_ = S_ISFIFO(status.st_mode) && !isStandardInput(path);
        const auto size = static_cast<std::uintmax_t>(std::max<off_t>(status.st_size, 0));
        // Room for the last, empty chunk too: growing would need twice the file's size.
        if (regular_ && size <= limit) bytes_.reserve(static_cast<std::size_t>(size) + kReadChunk);
    }

    std::string take() {
        while (takeChunk()) {
            // The sizes of pipes and special files are unknown, so the limit is enforced while reading.
            if (bytes_.size() <= limit_) continue;
            throw DataError({.file = path_.string()}, fmt::format("more than {} bytes", limit_),
                            fmt::format("a file of at most {} MiB", limit_ >> 20));
        }
        return std::move(bytes_);
    }

private:
    /// False at the end.
    bool takeChunk() {
        if (!regular_) waitForMore();
        poll(kReadMicroseconds);
        const std::size_t old = bytes_.size();
        makeRoom();
        bytes_.resize(old + kReadChunk);
        const ssize_t count = ::read(file_, bytes_.data() + old, kReadChunk);
        const int error = errno;
        bytes_.resize(old + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (count > 0) return true;
        if (count == 0) return pipe_ && !seen_ && mayStillCome();
        if (error == EINTR || error == EAGAIN) return true;
        failToRead(path_, std::strerror(error));
    }

    /// Doubles, but never far above the limit.
    void makeRoom() {
        if (bytes_.capacity() - bytes_.size() >= kReadChunk) return;
        const auto max = static_cast<std::size_t>(limit_) + kReadChunk;
        bytes_.reserve(std::max(std::min(2 * bytes_.capacity(), max), bytes_.size() + kReadChunk));
    }

    /// Returns with the next bytes, at the end, or after a pause.
    void waitForMore() {
        pollfd waiting{file_, POLLIN, 0};
        if (::poll(&waiting, 1, static_cast<int>(kPipePause / 1ms)) == 0) {
            poll(kPauseMicroseconds);
            return;
        }
        seen_ = true;
    }

    /// A pipe that is not yet opened for writing reads like one at its end.
    bool mayStillCome() const {
        if (steady_clock::now() - start_ < kOtherEnd) return true;
        failToRead(path_, "it is not a regular file but a pipe, and nothing writes to it");
    }

    const fs::path& path_;
    int file_;
    std::uintmax_t limit_;
    bool regular_ = true;
    bool pipe_ = false;  ///< that has a name
    bool seen_ = false;  ///< a writer has written, or has closed it
    steady_clock::time_point start_ = steady_clock::now();
    std::string bytes_;
};

/// Bytes that are kept, where a reader takes that many.
const std::string& within(std::uintmax_t limit, const std::string& bytes, const fs::path& path) {
    if (bytes.size() > limit)
        throw DataError({.file = path.string()}, fmt::format("{} bytes", bytes.size()),
                        fmt::format("at most {} MiB", limit >> 20));
    return bytes;
}

/// What can be read but once, by its name.
std::string keptStream(const fs::path& path, std::uintmax_t limit) {
    static std::mutex mutex;
    static std::map<std::string, std::string> kept;
    const std::lock_guard lock(mutex);
    const std::string name = isStandardInput(path) ? std::string(kStandardStream) : path.string();
    if (!kept.contains(name)) {
        const FileDescriptor opened = isStandardInput(path) ? FileDescriptor() : openForReading(path);
        kept[name] = Intake(path, opened.isOpen() ? opened.get() : STDIN_FILENO, limit).take();
    }
    return within(limit, kept[name], path);
}

bool isKeptStream(const fs::path& path) {
    return isStandardInput(path) || path.native().starts_with("/dev/fd/");
}

}  // namespace

bool isStandardInput(const fs::path& path) {
    static constexpr std::array<std::string_view, 4> kNames{kStandardStream, "/dev/stdin", "/dev/fd/0",
                                                            "/proc/self/fd/0"};
    return std::find(kNames.begin(), kNames.end(), path.native()) != kNames.end();
}

bool namesFile(const std::string& name, const std::vector<std::string_view>& suffixes) {
    if (isStandardInput(name) || name.find('/') != std::string::npos) return true;
    if (std::any_of(suffixes.begin(), suffixes.end(), [&](std::string_view suffix) { return name.ends_with(suffix); }))
        return true;
    if (isFile(name)) return true;
    std::error_code ignored;
    const fs::file_status status = fs::status(name, ignored);
    return fs::exists(status) && !fs::is_directory(status);
}

bool isFile(const fs::path& path) {
    if (const InputFiles* files = InputScope::current(); files != nullptr && files->has(path)) return true;
    if (isMadeFile(path)) return hasMadeFile(path);
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

DataError outOfMemory(const std::string& file) {
    return {{.file = file}, "more than this process has memory for", "a smaller file, or more memory"};
}

std::string readFile(const fs::path& path, std::uintmax_t limit) {
    InputFiles* const files = isKeptStream(path) ? nullptr : InputScope::current();
    const auto read = [&]() -> std::string {
        return isMadeFile(path) ? within(limit, madeFile(path), path) : readFromDisk(path, limit);
    };
    if (files == nullptr) return read();
    return within(limit, files->bytesOf(path, read), path);
}

std::string readFromDisk(const fs::path& path, std::uintmax_t limit) {
    if (isKeptStream(path)) return keptStream(path, limit);
    const FileDescriptor file = openForReading(path);
    return Intake(path, file.get(), limit).take();
}

namespace {

void writeAll(const fs::path& shownPath, FileDescriptor file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) failToWrite(shownPath, std::strerror(errno));
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    // A full disk may show only now.
    if (!file.close()) failToWrite(shownPath, std::strerror(errno));
}

void writeToDevice(const fs::path& path, std::string_view bytes) {
    const auto start = steady_clock::now();
    while (true) {
        // Without waiting: a pipe would open only once it has a reader.
        FileDescriptor file(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
        if (file.isOpen()) {
            ::fcntl(file.get(), F_SETFL, 0);
            writeAll(path, std::move(file), bytes);
            return;
        }
        if (errno != ENXIO) failToWrite(path, std::strerror(errno));
        if (steady_clock::now() - start >= kOtherEnd) failToWrite(path, "it is a pipe, and nothing reads from it");
        std::this_thread::sleep_for(kPipePause);
        poll(kPauseMicroseconds);
    }
}

/// What has not changed for so long, and whose process is gone, is a leftover. Processes of other machines that share
/// the folder cannot be asked, but theirs change.
constexpr auto kLeftoverAge = std::chrono::minutes(1);

/// The process that a neighbour of `name` was written by; 0 where it is no such neighbour.
pid_t writerOf(const std::string& neighbour, const std::string& name) {
    if (!neighbour.starts_with(name + ".")) return 0;
    const std::string_view rest = std::string_view(neighbour).substr(name.size() + 1);
    pid_t process = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), process);
    const std::string_view left = rest.substr(static_cast<std::size_t>(end - rest.data()));
    const bool isPart = left.ends_with(".part") || left.ends_with(".part-journal");
    return error == std::errc() && isPart && (left.front() == '-' || left.front() == '.') ? process : 0;
}

void removeLeftovers(const fs::path& path) {
    std::error_code error;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const pid_t process = writerOf(entry->path().filename().string(), path.filename().string());
        if (process <= 0 || kill(process, 0) == 0 || errno != ESRCH) continue;
        std::error_code ignored;
        const auto changed = fs::last_write_time(entry->path(), ignored);
        if (!ignored && fs::file_time_type::clock::now() - changed > kLeftoverAge) fs::remove(entry->path(), ignored);
    }
}

}  // namespace

fs::path makePart(const fs::path& path) {
    removeLeftovers(path);
    std::random_device random;
    constexpr int kTries = 100;
    for (int i = 0; i < kTries; ++i) {
        const fs::path part = path.string() + fmt::format(".{}-{:08x}.part", getpid(), random());
        constexpr mode_t kMode = 0666;  // the mask of the process has its say
        const FileDescriptor file(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode));
        if (file.isOpen()) return part;
        if (errno != EEXIST) failToWrite(path, std::strerror(errno));
    }
    failToWrite(path, "no name beside it is free");
}

void writeFile(const fs::path& path, std::string_view bytes) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) failToWrite(path, "it is a folder");
    // A device or pipe is written to, never replaced.
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        writeToDevice(path, bytes);
        return;
    }
    // The file that a symbolic link points to is replaced, not the link.
    const fs::path target = fs::exists(status) ? fs::canonical(path, error) : path;
    if (error && fs::exists(status)) failToWrite(path, error.message());
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    std::error_code ignored;
    if (!fs::exists(folder, ignored))
        failToWrite(path, fmt::format("there is no folder {}", inQuotes(folder.string(), 1024)));
    const fs::path part = makePart(target);
    try {
        FileDescriptor file(::open(part.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
        if (!file.isOpen()) failToWrite(path, std::strerror(errno));
        writeAll(path, std::move(file), bytes);
        fs::rename(part, target, error);
        if (error) failToWrite(path, error.message());
    } catch (const FileError&) {
        fs::remove(part, ignored);
        throw;
    }
}

void writeFiles(const std::vector<std::pair<fs::path, std::string>>& files) {
    for (std::size_t i = 0; i < files.size(); ++i) {
        std::error_code ignored;
        if (i > 0) fs::create_directory(files[i].first.parent_path(), ignored);
        writeFile(files[i].first, files[i].second);
    }
}

TemporaryFolder::TemporaryFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "tessera-XXXXXX").string();
    if (!error && ::mkdtemp(name.data()) == nullptr) error = std::error_code(errno, std::generic_category());
    if (error) {
        const char* given = std::getenv("TMPDIR");
        throw FileError(
            fmt::format("no temporary folder can be made in {} ({}); set TMPDIR to a folder that can be "
                        "written",
                        inQuotes(given != nullptr ? given : "/tmp", 1024), error.message()));
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace tessera
