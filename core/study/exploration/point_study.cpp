#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/hardware/accelerator.h"
#include "core/model/zoo/zoo_name.h"
#include "core/study/exploration/settings.h"
#include "core/study/exploration/study.h"

namespace tessera::study {

namespace {

namespace fs = std::filesystem;

/// The files of a point's study, in a folder beside it.
class PointStudyFiles {
public:
    PointStudyFiles(fs::path out, std::vector<PointFile> hardware)
        : out_(std::move(out)), folder_(out_.stem().string() + "-hardware"), hardware_(std::move(hardware)) {}

    /// The name by which the study knows an input that it called otherwise.
    std::string inputNamed(const std::string& name) {
        const std::string place = placeOfInput(name);
        if (model::isZooName(place) || !namesFile(place)) return place;
        if (isOnDisk(place)) return fs::absolute(place).string();
        return copied(place);
    }
    std::string hardwareNamed(const std::string& kind, const std::string& name) {
        const std::string path = hardwarePath(kind, placeOfInput(name));
        for (const PointFile& file : hardware_)
            if (file.file->path == path && isWritten(file)) return written(file);
        return inputNamed(name);
    }

    std::vector<std::pair<fs::path, std::string>> with(const Study& study) {
        std::vector<std::pair<fs::path, std::string>> all{{out_, toText(toJson(study))}};
        for (auto& [name, bytes] : files_) all.emplace_back(out_.parent_path() / folder_ / name, std::move(bytes));
        return all;
    }

private:
    static bool isOnDisk(const fs::path& path) {
        std::error_code ignored;
        return fs::is_regular_file(path, ignored);
    }
    /// What a field of the file names by a path; nothing where it is a name of the library.
    static std::optional<fs::path> pathIn(const HardwareFile& file, const Json& reference) {
        if (!reference.is_string()) return std::nullopt;
        const auto& text = reference.get_ref<const std::string&>();
        const fs::path beside = fs::path(file.path).parent_path() / text;
        return isFile(beside) ? std::optional(beside.lexically_normal()) : std::nullopt;
    }
    const PointFile* changedAccelerator(const HardwareFile& fleet, const Json& reference) const {
        if (!reference.is_string()) return nullptr;
        const std::optional<fs::path> path = pathIn(fleet, reference);
        for (const PointFile& file : hardware_)
            if (file.isChanged && file.file->kind == &hardware::acceleratorKind() &&
                (path ? fs::path(file.file->path).lexically_normal() == *path
                      : file.file->id == reference.get_ref<const std::string&>()))
                return &file;
        return nullptr;
    }
    /// Whether it has other numbers, or an accelerator with such.
    bool isWritten(const PointFile& file) const {
        if (file.isChanged) return true;
        const Json document = Json::parse(*file.bytes);
        if (!document.contains("groups")) return false;
        return std::any_of(document.at("groups").begin(), document.at("groups").end(), [&](const Json& group) {
            return changedAccelerator(*file.file, group.value("accelerator", Json())) != nullptr;
        });
    }
    /// Writes a hardware file and what it names. Returns the name by which a study knows it.
    std::string written(const PointFile& file) {
        const auto [place, isNew] = names_.emplace(file.file, "");
        if (!isNew) return (folder_ / place->second).string();
        std::string name = file.file->id + ".json";
        for (int i = 2; files_.contains(name); ++i) name = fmt::format("{}-{}.json", file.file->id, i);
        place->second = name;
        files_[name] = {};  // its place
        Json document = Json::parse(*file.bytes);
        if (document.contains("groups"))
            for (Json& group : document.at("groups")) {
                const auto reference = group.find("accelerator");
                if (reference == group.end()) continue;
                if (const PointFile* const changed = changedAccelerator(*file.file, *reference)) {
                    *reference = inFolder(written(*changed));
                } else if (const std::optional<fs::path> path = pathIn(*file.file, *reference)) {
                    *reference = inFolder(copied(*path));
                }
            }
        replacePaths(*file.file, document);
        files_[name] = toText(document);
        return (folder_ / name).string();
    }
    /// Tables and dataflows that the file names by paths stand beside it.
    void replacePaths(const HardwareFile& file, Json& document) {
        const auto replace = [&](Json& object, const char* key) {
            const auto reference = object.find(key);
            if (reference == object.end()) return;
            if (const std::optional<fs::path> path = pathIn(file, *reference)) {
                // A dataflow's path has a folder in it, or its suffix.
                *reference = inFolder(copied(*path));
            }
        };
        replace(document, "kernels");
        if (!document.contains("sub_accelerators")) return;
        for (Json& core : document.at("sub_accelerators"))
            for (const char* key : {"dataflow", "depthwise_dataflow"}) replace(core, key);
    }
    /// The name by which a file in the folder knows another one there.
    std::string inFolder(const std::string& name) const { return name.substr(folder_.string().size() + 1); }
    /// Writes a copy of a file. Returns the name by which a study knows it.
    std::string copied(const fs::path& path) {
        std::string name = path.filename().string();
        const std::string bytes = readFile(path);
        for (int i = 2; files_.contains(name) && files_.at(name) != bytes; ++i)
            name = fmt::format("{}-{}{}", path.stem().string(), i, path.extension().string());
        files_[name] = bytes;
        return (folder_ / name).string();
    }

    fs::path out_, folder_;
    std::vector<PointFile> hardware_;
    std::map<std::string, std::string> files_;               ///< in the folder
    std::map<const HardwareFile*, std::string> names_ = {};  ///< there
};

}  // namespace

std::vector<std::pair<fs::path, std::string>> pointStudyFiles(const Result& result, std::size_t point,
                                                              const fs::path& out) {
    const auto& outcome = result.outcome.get<ExplorationOutcome>();
    if (point >= outcome.points.size())
        throw UsageError(fmt::format("there is no point {}; the exploration has {}", point + 1, outcome.points.size()));
    const ExploredPoint& its = outcome.points[point];
    if (its.values.size() != outcome.variables.size())
        throw UsageError(fmt::format("point {} is no study: {}", point + 1, its.reason));
    const ExplorationDefinition definition = definitionOf(result.study);
    const ExploredSpace space(definition.base, definition.variables);
    space.checkComputed(its.values);
    Study study = space.studyAt(its.values, std::make_shared<InputFiles>()).study;
    PointStudyFiles files(out, space.filesAt(its.values));
    for (std::string& name : study.models) name = files.inputNamed(name);
    for (std::string& name : study.workloads) name = files.inputNamed(name);
    for (const Parameter& row : engineNamed(study.engine).parameters()) {
        if (row.kind != ParameterKind::text) continue;
        const auto value = study.parameters->find(std::string(row.name));
        if (value != study.parameters->end() && value->is_string() && isFile(placeOfInput(value->get<std::string>())))
            *value = files.inputNamed(value->get<std::string>());
    }
    const std::string kind(engineNamed(study.engine).hardwareKind);
    for (std::string& name : study.hardware) name = files.hardwareNamed(kind, name);
    study.name = fmt::format("{} · point {}", outcome.base, point + 1);
    return files.with(study);
}

}  // namespace tessera::study
