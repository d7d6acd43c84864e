#include "ui/editors/edited_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "core/base/file.h"
#include "core/base/made_file.h"
#include "core/hardware/library.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace {

constexpr int kLongestFileName = 100;

}  // namespace

Json readDocument(const fs::path& path) {
    return JsonDocument::parse(readFile(path, kLargestDocument), path.string()).json();
}

fs::path ownFolder(const std::string& kindFolder) {
    return hardware::dataFolders().front() / kindFolder;
}

std::map<std::string, fs::path> libraryFiles(const std::string& kindFolder) {
    constexpr std::size_t kMaxListed = 10'000;
    std::map<std::string, fs::path> files;
    for (const fs::path& folder : hardware::dataFolders()) {
        std::error_code error;
        for (fs::directory_iterator entry(folder / kindFolder, error), end; !error && entry != end;
             entry.increment(error))
            if (entry->path().extension() == ".json" && files.size() < kMaxListed)
                files.try_emplace(entry->path().stem().string(), entry->path());
    }
    return files;
}

fs::path findInLibrary(const std::string& kindFolder, const std::string& name) {
    if (!problemOfName(toQt(name)).isEmpty()) return {};
    std::error_code ignored;
    for (const fs::path& folder : hardware::dataFolders())
        for (const fs::path& candidate : {folder / kindFolder / (name + ".json"), folder / (name + ".json")})
            if (fs::is_regular_file(candidate, ignored)) return candidate;
    return {};
}

EditedFile placeInLibrary(const std::string& kindFolder, const QString& keyPrefix, const QString& name) {
    return {.key = keyPrefix + name, .path = ownFolder(kindFolder) / (name.toStdString() + ".json"), .own = true};
}

EditedFile placeAt(const QString& path, const std::string& kindFolder, const QString& keyPrefix) {
    std::error_code ignored;
    const fs::path file = fs::absolute(path.toStdString(), ignored).lexically_normal();
    const QString name = toQt(file.stem().string());
    const bool inLibrary =
        file.extension() == ".json" && problemOfName(name).isEmpty() &&
        fs::weakly_canonical(file.parent_path(), ignored) == fs::weakly_canonical(ownFolder(kindFolder), ignored);
    if (inLibrary) return placeInLibrary(kindFolder, keyPrefix, name);
    return {.key = toQt(file.string()), .path = file, .own = isOwnFile(file)};
}

std::vector<fs::path> ownFolders() {
    // The program's own folders come last: beside the executable, and the source's in a build tree.
    std::vector<fs::path> folders = hardware::dataFolders();
    folders.resize(folders.size() > 2 ? folders.size() - 2 : folders.size() - 1);
    return folders;
}

bool isOwnFile(const fs::path& path) {
    if (isMadeFile(path)) return false;
    return hardware::isOwnFile(path);
}

QString problemOfName(const QString& name) {
    if (name.trimmed().isEmpty()) return u"Give it a name."_s;
    if (name.startsWith(QLatin1Char('.'))) return u"The name must not begin with a dot."_s;
    if (name.contains(QLatin1Char('/')) || name.contains(QLatin1Char('\\')) || name.contains(QChar(0)))
        return u"The name must not hold slashes."_s;
    if (name.size() > kLongestFileName) return u"The name must have at most %1 letters."_s.arg(kLongestFileName);
    for (const QChar letter : name)
        if (!letter.isPrint()) return u"The name must not hold invisible letters."_s;
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
    return name.left(kLongestFileName / 2);
}

std::string keptReference(const std::string& name, const fs::path& from) {
    if (from.empty() || name.empty() || name.find('\0') != std::string::npos || fs::path(name).is_absolute())
        return name;
    std::error_code ignored;
    const fs::path sibling = from.parent_path() / name;
    if (isMadeFile(sibling)) return hasMadeFile(sibling) ? sibling.lexically_normal().string() : name;
    return fs::is_regular_file(sibling, ignored) ? fs::absolute(sibling, ignored).lexically_normal().string() : name;
}

}  // namespace tessera::ui
