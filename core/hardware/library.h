#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/hardware/fleet.h"
#include "core/hardware/platform.h"
#include "core/hardware/template.h"

namespace tessera::hardware {

/// A bundled or own file of the library.
struct LibraryEntry {
    std::string kind;  ///< "accelerator", "fleet", "platform", "template", "workload"
    std::string id;    ///< the file's stem
    std::string name;  ///< the file's own "name"
    std::filesystem::path path;
    std::string problem = {};  ///< why the file cannot be used, a sentence; empty where it can
};

/// The folders in which bundled and own files are looked up, in order: `$TESSERA_DATA`, `$XDG_DATA_HOME/tessera`
/// (default `~/.local/share/tessera`), `<executable>/../share/tessera`, and the source's `data/` in a build tree.
std::vector<std::filesystem::path> dataFolders();

/// Those of them that are installed or built with the program, not the user's.
std::vector<std::filesystem::path> bundledFolders();

/// Says under which folder this program is installed, where its executable does not tell: a module of an interpreter.
/// The bundled files are then those of `share/tessera` there. Before anything is looked up.
void setPrefix(std::filesystem::path prefix);

/// Looks names up in these folders instead, as a process on another machine does: what lies there may be given
/// (input_files.h). Before anything is looked up.
void setDataFolders(std::vector<std::filesystem::path> folders);

/// `$XDG_DATA_HOME/tessera`, where a user's own files lie; empty where neither it nor `$HOME` is set.
std::optional<std::filesystem::path> ownDataFolder();

/// The JSON files of one folder of the library ("platforms"), by id (the stem); the first data folder that has an id
/// wins. Files that lie directly in `$TESSERA_DATA` join where they mention `schema` ("\"tessera.platform/").
std::map<std::string, std::filesystem::path> libraryFiles(std::string_view folder, std::string_view schema);
/// The one of an id; where none is written so, the first that differs in upper and lower case only.
std::optional<std::filesystem::path> libraryFile(std::string_view folder, std::string_view schema,
                                                 const std::string& id);

/// A file path as it is, else that of a name of the library. Throws UsageError where there is none: `start` ("there is
/// no dataset") with the name and a hint, or the names that there are and `besides`.
std::string libraryPath(std::string_view folder, std::string_view schema, std::string_view start,
                        const std::string& nameOrPath, std::string_view besides = " or a file");

/// Library name of the calibration of this machine.
inline constexpr const char* kThisMachine = "this-machine";

/// Every hardware file of the library, sorted by kind and id; the first folder that has an id wins. A file that cannot
/// be used has its `problem` set and does not disturb the others.
std::vector<LibraryEntry> libraryEntries();
/// The files of one kind, in a folder of the library; `nameIn` returns a file's own name, or throws where it is wrong.
std::vector<LibraryEntry> libraryEntries(std::string_view kind, std::string_view folder, std::string_view schema,
                                         std::string (*nameIn)(const std::string& path));

/// The bundled accelerator of a name, whatever files of one's own are called so: no input of a run. That of the library
/// where none is bundled. Throws as `loadAccelerator`.
Accelerator loadBundledAccelerator(const std::string& name);
/// A file path, else a name of the library. Throws FileError, DataError, UsageError (unknown, with a hint).
Accelerator loadAccelerator(const std::string& nameOrPath);
Fleet loadFleet(const std::string& nameOrPath);
Platform loadPlatform(const std::string& nameOrPath);
JsonDocument platformDocument(const std::string& nameOrPath);  ///< that `loadPlatform` reads
std::string templatePath(const std::string& nameOrPath);       ///< of the file that `loadTemplate` reads
Template loadTemplate(const std::string& nameOrPath);

/// The accelerator that a field of a file names: a bundled name, else a path relative to the file's folder, which must
/// be an ordinary file. Throws DataError, at the field where there is no such accelerator.
Accelerator acceleratorNamedBy(const JsonNode& field);

}  // namespace tessera::hardware
