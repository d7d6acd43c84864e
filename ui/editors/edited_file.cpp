#include "ui/editors/edited_file.h"

#include <QCryptographicHash>
#include <QStandardPaths>
#include <exception>
#include <system_error>
#include <vector>

#include "core/base/file.h"
#include "core/hardware/library.h"
#include "ui/editors/words.h"

namespace tessera::ui {

namespace fs = std::filesystem;

namespace {

constexpr int kLongestName = 100;
constexpr std::uintmax_t kLargestRecovery = std::uintmax_t{16} << 20;

bool isInside(const fs::path& path, const fs::path& folder) {
    std::error_code ignored;
    const std::string file = fs::weakly_canonical(path, ignored).string();
    const std::string around = fs::weakly_canonical(folder, ignored).string() + "/";
    return file.starts_with(around);
}

/// Keys hold slashes and anything else that a path may, so recovery files are named by their hash.
fs::path recoveryFile(const QString& kind, const QString& key) {
    const QString folder =
        QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/recovery");
    const QByteArray name =
        QCryptographicHash::hash((kind + QLatin1Char('\n') + key).toUtf8(), QCryptographicHash::Sha256)
            .toHex()
            .left(32);
    return fs::path(folder.toStdString()) / (name.toStdString() + ".json");
}

}  // namespace

fs::path ownFolder(const std::string& kindFolder) {
    return hardware::dataFolders().front() / kindFolder;
}

fs::path findInLibrary(const std::string& kindFolder, const std::string& name) {
    if (!problemOfName(QString::fromStdString(name)).isEmpty()) return {};
    std::error_code ignored;
    for (const fs::path& folder : hardware::dataFolders())
        for (const fs::path& candidate : {folder / kindFolder / (name + ".json"), folder / (name + ".json")})
            if (fs::is_regular_file(candidate, ignored)) return candidate;
    return {};
}

bool isOwnFile(const fs::path& path) {
    // The program's own folders come last: beside the executable, and the source's in a build tree.
    const std::vector<fs::path> folders = hardware::dataFolders();
    const std::size_t bundled = folders.size() > 2 ? folders.size() - 2 : folders.size() - 1;
    for (std::size_t i = bundled; i < folders.size(); ++i)
        if (isInside(path, folders[i])) return false;
    return true;
}

QString problemOfName(const QString& name) {
    if (name.trimmed().isEmpty()) return words::tr("Give it a name.");
    if (name.startsWith(QLatin1Char('.'))) return words::tr("The name must not begin with a dot.");
    if (name.contains(QLatin1Char('/')) || name.contains(QLatin1Char('\\')) || name.contains(QChar(0)))
        return words::tr("The name must not hold slashes.");
    if (name.size() > kLongestName) return words::tr("The name must have at most %1 letters.").arg(kLongestName);
    for (const QChar letter : name)
        if (!letter.isPrint()) return words::tr("The name must not hold invisible letters.");
    return {};
}

QString nameFromTitle(const QString& title) {
    QString name;
    for (const QChar letter : title.toLower()) {
        if (letter.isLetterOrNumber())
            name += letter;
        else if (!name.isEmpty() && !name.endsWith(QLatin1Char('-')))
            name += QLatin1Char('-');
    }
    while (name.endsWith(QLatin1Char('-'))) name.chop(1);
    return name.left(kLongestName / 2);
}

std::optional<Recovery> findRecovery(const QString& kind, const QString& key) {
    try {
        const fs::path path = recoveryFile(kind, key);
        if (!fs::exists(path)) return std::nullopt;
        const JsonDocument document = JsonDocument::parse(readFile(path, kLargestRecovery), path.string());
        const JsonNode root = document.root();
        if (root.at("kind").text() != kind.toStdString() || root.at("key").text(4096) != key.toStdString())
            return std::nullopt;
        return Recovery{root.at("document").json(),
                        QDateTime::fromSecsSinceEpoch(root.at("saved_at").whole(0, std::int64_t{1} << 40))};
    } catch (const std::exception&) {
        return std::nullopt;  // damaged: nothing to offer
    }
}

void keepRecovery(const QString& kind, const QString& key, const Json& json) {
    try {
        const fs::path path = recoveryFile(kind, key);
        fs::create_directories(path.parent_path());
        const Json file = {{"kind", kind.toStdString()},
                           {"key", key.toStdString()},
                           {"saved_at", QDateTime::currentSecsSinceEpoch()},
                           {"document", json}};
        writeFile(path, toText(file));
    } catch (const std::exception&) {
        return;
    }
}

void dropRecovery(const QString& kind, const QString& key) {
    std::error_code ignored;
    fs::remove(recoveryFile(kind, key), ignored);
}

}  // namespace tessera::ui
