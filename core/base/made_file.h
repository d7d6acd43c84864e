#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

/// Files that lie on no disk: their bytes are made when they are read, such as those of a run of the history.
namespace tessera {

/// What makes the files whose names begin with a prefix.
struct FileMaker {
    std::string prefix;                                    ///< "run:"; empty = nothing is made
    std::function<bool(const std::string& name)> has;      ///< whether there is such a file; throws nothing
    std::function<std::string(const std::string&)> bytes;  ///< throws FileError where there is none
};

/// Has `readFile` and `isFile` ask for files of a prefix, in place of what asked before. From any thread.
void setFileMaker(FileMaker maker);

/// With what the names of made files begin; empty = nothing is made.
std::string madeFilePrefix();
/// Whether the file of a name is made: it begins with the prefix. Once a maker is set.
bool isMadeFile(const std::filesystem::path& path);
/// Whether a file whose name begins with the prefix is there.
bool hasMadeFile(const std::filesystem::path& path);
/// The bytes of such a file. Throws FileError.
std::string madeFile(const std::filesystem::path& path);

}  // namespace tessera
