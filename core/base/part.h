#pragma once

#include <filesystem>

namespace tessera {

/// Makes an empty file of a new name beside `path`, "NAME.PROCESS-RANDOM.part", for what is written there first and
/// renamed then. Nothing that stands there already is followed or overwritten. Removes what processes left there that
/// were killed while they wrote. Throws FileError.
std::filesystem::path makePart(const std::filesystem::path& path);

}  // namespace tessera
