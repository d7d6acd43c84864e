#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace tessera {

/// Largest file that any reader takes. The limit is named in the error.
inline constexpr std::uintmax_t kLargestFile = std::uintmax_t{512} << 20;

/// The name of standard input where a file is read, and of standard output where one is written.
inline constexpr std::string_view kStandardStream = "-";

/// True for names of standard input: "-", "/dev/stdin".
bool isStandardInput(const std::filesystem::path& path);

/// True where a name means a file and not an entry of the library: standard input, an existing file that is no folder,
/// a path, or a name with one of the suffixes.
bool namesFile(const std::string& name, const std::vector<std::string_view>& suffixes = {".json"});

/// Error for a file that this process has not enough memory to read.
DataError outOfMemory(const std::string& file);

/// True where there is an ordinary file, or one that stands among the files of this thread's run (input_files.h).
bool isFile(const std::filesystem::path& path);

/// The bytes of a file, of standard input, or of a pipe. What can be read but once (standard input, /dev/fd/N) is kept:
/// later reads return the same bytes. Within an InputScope so is every file. Throws FileError where it cannot be read
/// (missing, a folder, a device, a pipe without a writer, no permission) and DataError where it is larger than
/// `limit` bytes.
std::string readFile(const std::filesystem::path& path, std::uintmax_t limit = kLargestFile);
/// Reads a file that is no input of a run: always from the disk, and not kept. Throws as `readFile` does.
std::string readFromDisk(const std::filesystem::path& path, std::uintmax_t limit = kLargestFile);

/// Writes a whole file or nothing: into a new neighbour that is renamed. Devices and pipes are written to directly.
/// Folders are not made. Throws FileError.
void writeFile(const std::filesystem::path& path, std::string_view bytes);

/// Writes files that belong together, in order; a folder beside the first one, for the others, is made. Throws
/// FileError.
void writeFiles(const std::vector<std::pair<std::filesystem::path, std::string>>& files);

/// A new folder that only its owner can read, gone with all that is in it at the end.
class TemporaryFolder {
public:
    /// Creates the folder in TMPDIR, or in /tmp if that is not set. Throws FileError, naming TMPDIR, where none can be
    /// made.
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace tessera
