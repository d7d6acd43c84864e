#include "core/base/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/base/error.h"
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
    // Sizes of pipes and special files are unknown, so the limit is enforced while reading.
    if (fs::is_regular_file(status)) {
        const std::uintmax_t size = fs::file_size(path, error);
        if (!error && size <= limit) bytes.reserve(static_cast<std::size_t>(size) + 1);
    }
    constexpr std::size_t kChunk = std::size_t{1} << 16;
    while (stream) {
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

void writeFile(const fs::path& path, std::string_view bytes) {
    const fs::path temporary = path.string() + ".part";
    const auto fail = [&](const std::string& why) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        throw FileError(fmt::format("cannot write {}: {}", inQuotes(path.string(), 1024), why));
    };
    {
        errno = 0;
        std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
        if (!stream) fail(std::strerror(errno));
        stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        stream.close();
        if (!stream) fail(errno != 0 ? std::strerror(errno) : "the write failed");
    }
    std::error_code error;
    fs::rename(temporary, path, error);
    if (error) fail(error.message());
}

}  // namespace tessera
