#pragma once

#include <QString>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/json.h"

/// Documents of the editors: bundled files, which are read only, and own files.
namespace tessera::ui {

/// A file of the library or of the user.
struct EditedFile {
    QString key;                 ///< as documents are opened: "fleet/NAME", a path, "new/fleet"
    std::filesystem::path path;  ///< empty while there is none
    bool own = false;            ///< may be saved in place
    bool operator==(const EditedFile&) const = default;
};

/// Result of opening a key: a document, or the reason why there is none.
struct Opened {
    EditedFile file;
    Json json;
    QString problem;
};

/// The largest document, in bytes, that editors open.
inline constexpr std::uintmax_t kLargestDocument = std::uintmax_t{16} << 20;
/// The document in a file. Throws FileError, DataError.
Json readDocument(const std::filesystem::path& path);

/// The user's folders of the library, in the order in which names are looked up.
std::vector<std::filesystem::path> ownFolders();
/// The user's folder of a kind ("fleets", "accelerators", "studies"): the first one in which names are looked up.
std::filesystem::path ownFolder(const std::string& kindFolder);
/// The files of a kind in the library folders by their names; the first folder that has a name wins.
std::map<std::string, std::filesystem::path> libraryFiles(const std::string& kindFolder);
/// The file of a name in the library folders, or an empty path.
std::filesystem::path findInLibrary(const std::string& kindFolder, const std::string& name);
/// A file of the user's folder of a kind. `keyPrefix` begins the keys of such documents: "fleet/".
EditedFile placeInLibrary(const std::string& kindFolder, const QString& keyPrefix, const QString& name);
/// Any file of the user's; one that lies in that folder gets the key of a document of the library.
EditedFile placeAt(const QString& path, const std::string& kindFolder, const QString& keyPrefix);
/// False for what comes with the program, and for what is made of a run.
bool isOwnFile(const std::filesystem::path& path);
/// Reason why this cannot be the name of a file in the library; empty where it can.
QString problemOfName(const QString& name);
/// A name for a file, from a title: "TPU v3 (one chip)" becomes "tpu-v3-one-chip".
QString nameFromTitle(const QString& title);

/// The name under which a file that lies beside `from` is found from everywhere; other names stay as they are.
std::string keptReference(const std::string& name, const std::filesystem::path& from);

}  // namespace tessera::ui
