#include "core/hardware/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/base/made_file.h"
#include "core/base/names.h"
#include "core/base/text.h"

namespace tessera::hardware {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kLargestHardwareFile = std::uintmax_t{16} << 20;
constexpr std::size_t kMaxListed = 10'000;  // files of one kind in one folder

JsonDocument loadDocument(const std::string& path) {
    return JsonDocument::parse(readFile(path, kLargestHardwareFile), path);
}

/// A kind of hardware file: where it lies and how its name is found out.
struct LibraryKind {
    std::string_view id;
    std::string_view withArticle;
    std::string_view folder;
    std::string_view schema;
    std::string (*nameIn)(const std::string& path);  ///< reads the whole file; throws where it is wrong
};

constexpr std::array kKinds{
    LibraryKind{"accelerator", "an accelerator", "accelerators", "\"tessera.accelerator/",
                [](const std::string& path) { return readAccelerator(loadDocument(path).root()).name; }},
    LibraryKind{"fleet", "a fleet", "fleets", "\"tessera.fleet/",
                [](const std::string& path) { return readFleet(loadDocument(path).root()).name; }},
    LibraryKind{"platform", "a platform", "platforms", "\"tessera.platform/",
                [](const std::string& path) { return readPlatform(loadDocument(path).root()).name; }},
    LibraryKind{"template", "a template", "templates", "\"tessera.template/",
                [](const std::string& path) { return readTemplate(loadDocument(path).root()).name; }},
};
constexpr const LibraryKind& kAccelerators = kKinds[0];
constexpr const LibraryKind& kFleets = kKinds[1];
constexpr const LibraryKind& kPlatforms = kKinds[2];
constexpr const LibraryKind& kTemplates = kKinds[3];

/// See setPrefix; empty = it was not.
fs::path& givenPrefix() {
    static fs::path prefix;
    return prefix;
}

/// See setDataFolders; empty = they were not.
std::vector<fs::path>& givenFolders() {
    static std::vector<fs::path> folders;
    return folders;
}

std::optional<fs::path> environmentPath(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return fs::path(value);
}

/// Names of the library never become paths: what could leave its folder is no name.
bool isName(std::string_view text) {
    return !text.empty() && text.size() <= 256 && text.front() != '.' &&
           text.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

bool isJsonPath(std::string_view text) {
    return text.find('/') != std::string_view::npos || text.ends_with(".json");
}

/// Files that lie directly in $TESSERA_DATA are distinguished by the schema they name.
bool mentionsSchema(const fs::path& path, std::string_view schema) {
    try {
        return readFromDisk(path, kLargestHardwareFile).find(schema) != std::string::npos;
    } catch (const std::exception&) {
        return false;
    }
}

/// The files `id` of one kind in the folder, sorted by name; only those that mention the schema, where one is given.
void collect(std::map<std::string, fs::path>& files, const fs::path& folder, std::string_view onlyOfSchema) {
    std::error_code error;
    std::map<std::string, fs::path> here;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const fs::path& path = entry->path();
        const std::string id = path.stem().string();
        if (path.extension() != ".json" || !isName(id) || !isFile(path)) continue;
        if (!onlyOfSchema.empty() && !mentionsSchema(path, onlyOfSchema)) continue;
        here.emplace(id, path);
        if (here.size() >= kMaxListed) break;
    }
    files.merge(here);
}

std::map<std::string, fs::path> filesOf(const LibraryKind& kind) {
    return libraryFiles(kind.folder, kind.schema);
}

std::optional<fs::path> findFile(const LibraryKind& kind, const std::string& id) {
    return libraryFile(kind.folder, kind.schema, id);
}

std::vector<std::string> namesOf(const LibraryKind& kind) {
    std::vector<std::string> names;
    for (const auto& [id, path] : filesOf(kind)) names.push_back(id);
    return names;
}

/// "there is no accelerator 'tpu-v9'; did you mean 'tpu-v2'? 'tessera hardware list --kind accelerator' names them all"
std::string unknownName(const LibraryKind& kind, const std::string& name) {
    std::string text = fmt::format("there is no {} {}; ", kind.id, inQuotes(name));
    if (kind.id == kAccelerators.id && name == kThisMachine)
        return text + "'tessera calibrate' measures this machine and makes it";
    const std::vector<std::string> known = namesOf(kind);
    text += withClosest("did you mean {}? ", name, known);
    for (const LibraryKind& other : kKinds)
        if (other.id != kind.id && findFile(other, name))
            text = fmt::format("{} is {}, not {}; ", inQuotes(name), other.withArticle, kind.withArticle);
    return text + fmt::format("'tessera hardware list --kind {}' names them all", kind.id);
}

std::string pathOf(const LibraryKind& kind, const std::string& nameOrPath) {
    if (namesFile(nameOrPath)) return nameOrPath;
    const std::optional<fs::path> found = findFile(kind, nameOrPath);
    if (!found) throw UsageError(unknownName(kind, nameOrPath));
    return found->string();
}

/// Shared by runs that are nearly alike.
Accelerator acceleratorIn(const std::string& path) {
    return *madeOfInputs(path, [&] { return readAccelerator(loadDocument(path).root()); });
}

}  // namespace

std::optional<fs::path> ownDataFolder() {
    if (const auto data = environmentPath("XDG_DATA_HOME")) return *data / "tessera";
    if (const auto home = environmentPath("HOME")) return *home / ".local" / "share" / "tessera";
    return std::nullopt;
}

std::vector<fs::path> dataFolders() {
    if (!givenFolders().empty()) return givenFolders();
    std::vector<fs::path> folders;
    if (const auto own = environmentPath("TESSERA_DATA")) folders.push_back(*own);
    if (const auto own = ownDataFolder()) folders.push_back(*own);
    std::ranges::move(bundledFolders(), std::back_inserter(folders));
    return folders;
}

std::vector<fs::path> bundledFolders() {
    std::vector<fs::path> folders;
    std::error_code error;
    fs::path prefix = givenPrefix();
    if (prefix.empty()) prefix = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
    if (!error) folders.push_back(prefix / "share" / "tessera");
    // What is installed has all it needs, and the folder of its source may be anyone's by then.
    if (error || !fs::is_directory(folders.back(), error)) folders.emplace_back(TESSERA_SOURCE_DATA);
    return folders;
}

void setPrefix(fs::path prefix) {
    givenPrefix() = std::move(prefix);
}

void setDataFolders(std::vector<fs::path> folders) {
    givenFolders() = std::move(folders);
}

std::map<std::string, fs::path> libraryFiles(std::string_view folder, std::string_view schema) {
    std::map<std::string, fs::path> files;
    const std::optional<fs::path> own = environmentPath("TESSERA_DATA");
    for (const fs::path& data : dataFolders()) {
        collect(files, data / folder, {});
        if (own && data == *own) collect(files, data, schema);
    }
    return files;
}

namespace {

std::optional<fs::path> foundInLibrary(std::string_view folder, std::string_view schema, const std::string& id) {
    const std::optional<fs::path> own = environmentPath("TESSERA_DATA");
    for (const fs::path& data : dataFolders()) {
        const fs::path inFolder = data / folder / (id + ".json");
        if (isFile(inFolder)) return inFolder;
        const fs::path flat = data / (id + ".json");
        if (own && data == *own && isFile(flat) && mentionsSchema(flat, schema)) return flat;
    }
    for (const auto& [known, path] : libraryFiles(folder, schema))
        if (lowered(known) == lowered(id)) return path;
    return std::nullopt;
}

}  // namespace

std::optional<fs::path> libraryFile(std::string_view folder, std::string_view schema, const std::string& id) {
    if (!isName(id)) return std::nullopt;
    return *madeOfInputs(fmt::format("{}/{}", folder, id), [&] { return foundInLibrary(folder, schema, id); });
}

std::string libraryPath(std::string_view folder, std::string_view schema, std::string_view start,
                        const std::string& nameOrPath, std::string_view besides) {
    if (namesFile(nameOrPath)) return nameOrPath;
    if (const auto found = libraryFile(folder, schema, nameOrPath)) return found->string();
    std::vector<std::string> known;
    for (const auto& [id, path] : libraryFiles(folder, schema)) known.push_back(id);
    throw UsageError(unknownNameText(start, nameOrPath, known, besides));
}

std::vector<LibraryEntry> libraryEntries() {
    std::vector<LibraryEntry> entries;
    for (const LibraryKind& kind : kKinds)
        std::ranges::move(libraryEntries(kind.id, kind.folder, kind.schema, kind.nameIn), std::back_inserter(entries));
    return entries;
}

std::vector<LibraryEntry> libraryEntries(std::string_view kind, std::string_view folder, std::string_view schema,
                                         std::string (*nameIn)(const std::string& path)) {
    std::vector<LibraryEntry> entries;
    for (const auto& [id, path] : libraryFiles(folder, schema)) {
        LibraryEntry& entry = entries.emplace_back(LibraryEntry{std::string(kind), id, {}, path});
        try {
            entry.name = nameIn(path.string());
        } catch (const std::exception& error) {
            entry.problem = error.what();
        }
    }
    return entries;
}

bool isOwnFile(const fs::path& path) {
    std::error_code ignored;
    const std::string file = fs::weakly_canonical(path, ignored).string();
    return std::ranges::none_of(bundledFolders(), [&](const fs::path& folder) {
        return file.starts_with(fs::weakly_canonical(folder, ignored).string() + "/");
    });
}

Accelerator loadBundledAccelerator(const std::string& name) {
    const InputScope apart(std::make_shared<InputFiles>());
    for (const fs::path& folder : bundledFolders())
        if (const fs::path path = folder / kAccelerators.folder / (name + ".json"); isFile(path))
            return readAccelerator(loadDocument(path.string()).root());
    return loadAccelerator(name);
}

Accelerator loadAccelerator(const std::string& nameOrPath) {
    return acceleratorIn(pathOf(kAccelerators, nameOrPath));
}

Fleet loadFleet(const std::string& nameOrPath) {
    const std::string path = pathOf(kFleets, nameOrPath);
    return *madeOfInputs(path, [&] { return readFleet(loadDocument(path).root()); });
}

Platform loadPlatform(const std::string& nameOrPath) {
    return readPlatform(platformDocument(nameOrPath).root());
}

JsonDocument platformDocument(const std::string& nameOrPath) {
    return loadDocument(pathOf(kPlatforms, nameOrPath));
}

std::string templatePath(const std::string& nameOrPath) {
    return pathOf(kTemplates, nameOrPath);
}

Template loadTemplate(const std::string& nameOrPath) {
    return readTemplate(loadDocument(templatePath(nameOrPath)).root());
}

Accelerator acceleratorNamedBy(const JsonNode& field) {
    const std::string reference = field.text(4096);
    std::optional<fs::path> path;
    if (!isJsonPath(reference)) path = findFile(kAccelerators, reference);
    if (!path && !reference.empty() && reference.find('\0') == std::string::npos) {
        // Only ordinary files: a pipe would wait forever, a device never end.
        const fs::path sibling =
            isMadeFile(reference) ? fs::path(reference) : fs::path(field.document().file()).parent_path() / reference;
        if (isFile(sibling)) path = sibling;
    }
    if (!path) {
        field.fail("a bundled accelerator's name" + withClosest(", {} perhaps", reference, namesOf(kAccelerators)) +
                   ", or the path of an accelerator's file beside this one");
    }
    try {
        return acceleratorIn(path->string());
    } catch (const FileError& error) {
        field.fail(fmt::format("a file that can be read ({})", error.what()));
    }
}

}  // namespace tessera::hardware
