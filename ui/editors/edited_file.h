#pragma once

#include <QDateTime>
#include <QString>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/json.h"

/// Where documents of the editors lie: bundled files, which are read only, own files, and recovered edits.
namespace tessera::ui {

/// A file of the library or of the user.
struct EditedFile {
    QString key;                 ///< as documents are opened: "fleet/NAME", a path, "new/fleet"
    std::filesystem::path path;  ///< empty while there is none
    bool own = false;            ///< may be saved in place
    bool operator==(const EditedFile&) const = default;
};

/// The user's folder of a kind ("fleets", "accelerators", "studies"): the first one in which names are looked up.
std::filesystem::path ownFolder(const std::string& kindFolder);
/// The file of a name in the library folders, or an empty path.
std::filesystem::path findInLibrary(const std::string& kindFolder, const std::string& name);
/// False for what comes with the program.
bool isOwnFile(const std::filesystem::path& path);
/// Why this cannot be the name of a file in the library; empty where it can.
QString problemOfName(const QString& name);
/// A name for a file, from a title: "TPU v3 (one chip)" becomes "tpu-v3-one-chip".
QString nameFromTitle(const QString& title);

/// Edits that were not saved when the program ended.
struct Recovery {
    Json json;
    QDateTime when;
};

/// The edits kept for a document, where there are any that can be read.
std::optional<Recovery> findRecovery(const QString& kind, const QString& key);
/// Keeps edits; failures are silent: this is the second line of defence.
void keepRecovery(const QString& kind, const QString& key, const Json& json);
void dropRecovery(const QString& kind, const QString& key);

}  // namespace tessera::ui
