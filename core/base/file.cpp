#include "core/base/file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/base/error.h"
#include "core/base/poll.h"
#include "core/base/text.h"

namespace tessera {

namespace fs = std::filesystem;

std::string readFile(const fs::path& path, std::uintmax_t limit) {
    const std::string name = inQuotes(path.string(), 1024);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) throw FileError(fmt::format("cannot read {}: there is no such file", name));
    if (fs::is_directory(status)) throw FileError(fmt::format("cannot read {}: it is a folder", name));
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw FileError(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
    std::string bytes;
    constexpr std::size_t kChunk = std::size_t{1} << 16;
    // Sizes of pipes and special files are unknown, so the limit is enforced while reading.
    if (fs::is_regular_file(status)) {
        const std::uintmax_t size = fs::file_size(path, error);
        // Room for the last, empty chunk too: growing would need twice the file's size.
        if (!error && size <= limit) bytes.reserve(static_cast<std::size_t>(size) + kChunk);
    }
    constexpr std::size_t kChunkMicroseconds = 20;
    while (stream) {
        poll(kChunkMicroseconds);
        const std::size_t old = bytes.size();
        bytes.resize(old + kChunk);
        stream.read(bytes.data() + old, static_cast<std::streamsize>(kChunk));
        bytes.resize(old + static_cast<std::size_t>(stream.gcount()));
        if (bytes.size() > limit)
            throw DataError({.file = path.string()}, fmt::format("more than {} bytes", limit),
                            fmt::format("a file of at most {} MiB", limit >> 20));
    }
    if (stream.bad()) throw FileError(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
    return bytes;
}

namespace {

[[noreturn]] void failToWrite(const fs::path& path, const std::string& why) {
    throw FileError(fmt::format("cannot write {}: {}", inQuotes(path.string(), 1024), why));
}

void writeTo(const fs::path& shown, const fs::path& target, std::string_view bytes) {
    errno = 0;
    std::ofstream stream(target, std::ios::binary | std::ios::trunc);
    if (!stream) failToWrite(shown, errno != 0 ? std::strerror(errno) : "it cannot be opened");
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) failToWrite(shown, errno != 0 ? std::strerror(errno) : "the write failed");
}

/// A neighbour of the file that no other process or thread uses.
fs::path temporaryFor(const fs::path& path) {
    static std::atomic<unsigned> counter{0};
    return path.string() + fmt::format(".{}-{}.part", getpid(), counter++);
}

}  // namespace

void writeFile(const fs::path& path, std::string_view bytes) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) failToWrite(path, "it is a folder");
    // A device or pipe is written to, never replaced.
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        writeTo(path, path, bytes);
        return;
    }
    // The file that a symbolic link points to is replaced, not the link.
    const fs::path target = fs::exists(status) ? fs::canonical(path, error) : path;
    if (error && fs::exists(status)) failToWrite(path, error.message());
    const fs::path temporary = temporaryFor(target);
    try {
        writeTo(path, temporary, bytes);
        fs::rename(temporary, target, error);
        if (error) failToWrite(path, error.message());
    } catch (const FileError&) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        throw;
    }
}

}  // namespace tessera
