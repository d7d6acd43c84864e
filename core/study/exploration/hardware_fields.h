#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/hardware/field_place.h"
#include "core/study/result.h"

/// The fields of a study's hardware files by path, as explorations name them: "fleet.levels[1].bandwidth_bytes_per_s",
/// "accelerators.h100.memory[HBM3].bandwidth_bytes_per_s".
namespace tessera::study {

/// A hardware file that a study rests on, in the newest form of its kind.
struct HardwareFile {
    const hardware::Kind* kind = nullptr;
    std::string id;    ///< the file's stem
    std::string path;  ///< by which it is read
    JsonDocument document;
    std::vector<hardware::FieldPlace> places = {};
    bool isOnly = true;  ///< of its kind, so that paths need not name it
};

/// The path of hardware of a kind ("fleet") by its name or path; the name itself of other kinds. Throws UsageError.
std::string hardwarePath(std::string_view kind, const std::string& nameOrPath);
/// The hardware of studies, then the accelerators that fleets name; each file once. Read as this thread's InputFiles
/// say. Throws FileError, DataError, UsageError.
std::vector<HardwareFile> hardwareFilesOf(const std::vector<Study>& studies);

/// A place in one of several files.
struct PlacedField {
    std::size_t file = 0, place = 0;

    const hardware::FieldPlace& in(const std::vector<HardwareFile>& files) const { return files[file].places[place]; }
};

/// Every field with the shortest path that names it.
std::vector<std::pair<std::string, PlacedField>> hardwareFields(const std::vector<HardwareFile>& files);
/// The field that a path means. Throws UsageError, naming the nearest ones, or where two files of one name have it.
PlacedField fieldAt(const std::vector<HardwareFile>& files, const std::string& path);
/// "NVLink bandwidth", "HBM3 bandwidth of h100".
std::string titleOf(const std::vector<HardwareFile>& files, const PlacedField& field);

}  // namespace tessera::study
