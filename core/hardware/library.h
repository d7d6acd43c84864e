#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/hardware/fleet.h"

namespace tessera::hardware {

/// A bundled or own hardware file.
struct LibraryEntry {
    std::string kind;  ///< "accelerator", "fleet", later "platform", "template"
    std::string id;    ///< the file's stem
    std::string name;  ///< the file's own "name"
    std::filesystem::path path;
};

/// The folders in which bundled and own files are looked up, in order: `$TESSERA_DATA`, `$XDG_DATA_HOME/tessera`
/// (default `~/.local/share/tessera`), `<executable>/../share/tessera`, and the source's `data/` in a build tree.
std::vector<std::filesystem::path> dataFolders();

/// Every hardware file of the library, sorted by kind and id; the first folder that has an id wins.
std::vector<LibraryEntry> libraryEntries();

/// A file path, else a name of the library. Throws FileError, DataError, UsageError (unknown, with a hint).
Accelerator loadAccelerator(const std::string& nameOrPath);
Fleet loadFleet(const std::string& nameOrPath);

}  // namespace tessera::hardware
