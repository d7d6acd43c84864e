#include "core/study/exploration/hardware_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string_view>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/hardware/library.h"
#include "core/study/engine.h"

namespace tessera::study {

namespace {

/// The only group of a fleet, which its paths need not name.
constexpr std::string_view kOnlyGroup = "groups[0].";

/// How hardware of a kind is found by its name.
struct HardwareKindRow {
    const hardware::Kind& (*kind)();
    std::string (*path)(const std::string& nameOrPath);
};
constexpr HardwareKindRow kHardwareKinds[] = {
    {hardware::fleetKind, [](const std::string& name) { return hardware::loadFleet(name).file; }},
    {hardware::acceleratorKind, [](const std::string& name) { return hardware::loadAccelerator(name).file; }},
    {hardware::platformKind, [](const std::string& name) { return hardware::loadPlatform(name).file; }},
    {hardware::templateKind, [](const std::string& name) { return hardware::templatePath(name); }},
};

class HardwareFileList {
public:
    std::vector<HardwareFile> all;

    void add(const hardware::Kind& kind, const std::string& path) {
        if (!known_.insert(path).second) return;
        const JsonDocument read = JsonDocument::parse(readFile(path), path);
        const JsonNode current = atCurrentSchema(read.root(), kind.history);
        HardwareFile file{.kind = &kind,
                          .id = std::filesystem::path(path).stem().string(),
                          .path = path,
                          .document = current.document()};
        file.places = hardware::fieldPlaces(kind, current.json());
        all.push_back(std::move(file));
    }

private:
    std::set<std::string> known_;
};

bool hasOneGroup(const HardwareFile& file) {
    if (file.kind != &hardware::fleetKind()) return false;
    const Json groups = file.document.json().value("groups", Json::array());
    return groups.size() == 1;
}

/// The path without the words that name the file; nothing where they name another one.
std::optional<std::string_view> insideOf(const HardwareFile& file, std::string_view path) {
    const std::string several = fmt::format("{}s.{}.", file.kind->id, file.id), one = file.kind->id + ".";
    if (path.starts_with(several)) return path.substr(several.size());
    if (file.isOnly && path.starts_with(one)) return path.substr(one.size());
    return std::nullopt;
}

std::string shortestPath(const HardwareFile& file, const hardware::FieldPlace& place) {
    // Accelerators are named always: a study's fleet may soon have another.
    const bool named = !file.isOnly || file.kind == &hardware::acceleratorKind();
    std::string_view inside = place.path;
    // Unless the fleet itself has such a field: its name, and that of its group.
    const auto isOfFleet = [&](const hardware::FieldPlace& other) {
        return other.path == inside.substr(kOnlyGroup.size());
    };
    if (hasOneGroup(file) && inside.starts_with(kOnlyGroup) &&
        std::none_of(file.places.begin(), file.places.end(), isOfFleet))
        inside.remove_prefix(kOnlyGroup.size());
    return named ? fmt::format("{}s.{}.{}", file.kind->id, file.id, inside)
                 : fmt::format("{}.{}", file.kind->id, inside);
}

}  // namespace

std::string hardwarePath(std::string_view kind, const std::string& nameOrPath) {
    for (const HardwareKindRow& row : kHardwareKinds)
        if (row.kind().id == kind) return row.path(nameOrPath);
    return nameOrPath;
}

std::vector<HardwareFile> hardwareFilesOf(const std::vector<Study>& studies) {
    HardwareFileList list;
    for (const Study& study : studies)
        for (const std::string& name : study.hardware)
            for (const HardwareKindRow& row : kHardwareKinds)
                if (row.kind().id == engineNamed(study.engine).hardwareKind)
                    list.add(row.kind(), row.path(placeOfInput(name)));
    const std::size_t named = list.all.size();
    for (std::size_t i = 0; i < named; ++i) {
        if (list.all[i].kind != &hardware::fleetKind()) continue;
        for (const hardware::Group& group : hardware::loadFleet(list.all[i].path).groups)
            if (!group.reference.empty()) list.add(hardware::acceleratorKind(), group.accelerator.file);
    }
    for (HardwareFile& file : list.all)
        file.isOnly = std::count_if(list.all.begin(), list.all.end(),
                                    [&](const HardwareFile& other) { return other.kind == file.kind; }) == 1;
    return std::move(list.all);
}

std::vector<std::pair<std::string, PlacedField>> hardwareFields(const std::vector<HardwareFile>& files) {
    std::vector<std::pair<std::string, PlacedField>> all;
    for (std::size_t f = 0; f < files.size(); ++f)
        for (std::size_t p = 0; p < files[f].places.size(); ++p)
            all.emplace_back(shortestPath(files[f], files[f].places[p]), PlacedField{f, p});
    return all;
}

PlacedField fieldAt(const std::vector<HardwareFile>& files, const std::string& path) {
    std::optional<PlacedField> found;
    for (std::size_t f = 0; f < files.size(); ++f) {
        const std::optional<std::string_view> inside = insideOf(files[f], path);
        if (!inside) continue;
        const std::string ofGroup = std::string(kOnlyGroup) + std::string(*inside);
        for (std::size_t p = 0; p < files[f].places.size(); ++p) {
            const hardware::FieldPlace& place = files[f].places[p];
            if (!isAt(place, *inside) && !(hasOneGroup(files[f]) && isAt(place, ofGroup))) continue;
            if (found)
                throw UsageError(fmt::format("the field {} is one of {} and of {}; expected files of different names",
                                             inQuotes(path, 200), inQuotes(files[found->file].path, 200),
                                             inQuotes(files[f].path, 200)));
            found = PlacedField{f, p};
            break;
        }
    }
    if (found) return *found;
    if (files.empty())
        throw UsageError(fmt::format("there is no field {}: the study has no hardware file", inQuotes(path, 200)));
    std::vector<std::string> known;
    for (const auto& [name, field] : hardwareFields(files)) known.push_back(name);
    constexpr std::size_t kNamed = 3;
    std::vector<std::string> nearest;
    for (const std::string_view each : nearestNames(path, known, kNamed)) nearest.push_back(inQuotes(each, 200));
    throw UsageError(fmt::format("the study's hardware has no field {}; the nearest are {}", inQuotes(path, 200),
                                 joined(nearest, ", ")));
}

std::string titleOf(const std::vector<HardwareFile>& files, const PlacedField& field) {
    std::string title = field.in(files).label;
    if (!title.empty()) title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    return files[field.file].isOnly ? title : fmt::format("{} of {}", title, files[field.file].id);
}

}  // namespace tessera::study
