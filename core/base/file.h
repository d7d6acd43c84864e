#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

/// Largest file that any reader takes. The limit is named in the error.
inline constexpr std::uintmax_t kLargestFile = std::uintmax_t{512} << 20;

/// The bytes of a file. Throws FileError where it cannot be read (missing, a directory, no permission) and DataError
/// where it is larger than `limit` bytes.
std::string readFile(const std::filesystem::path& path, std::uintmax_t limit = kLargestFile);

/// Writes a whole file or nothing: into a temporary neighbour that is renamed. Devices and pipes are written to
/// directly. Throws FileError.
void writeFile(const std::filesystem::path& path, std::string_view bytes);

}  // namespace tessera
