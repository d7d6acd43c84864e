#include "core/study/hardware_summary.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/cost/job_analysis.h"
#include "core/hardware/field.h"
#include "core/hardware/library.h"

namespace tessera::study {

namespace {

constexpr std::uintmax_t kLargestHardwareFile = std::uintmax_t{16} << 20;

/// The library's file of a name, or the path itself.
std::string hardwarePath(const std::string& nameOrPath) {
    if (namesFile(nameOrPath)) return nameOrPath;
    std::vector<std::string> known;
    const std::vector<hardware::LibraryEntry> entries = hardware::libraryEntries();
    for (const hardware::LibraryEntry& entry : entries) {
        if (entry.id == nameOrPath) return entry.path.string();
        known.push_back(entry.id);
    }
    for (const hardware::LibraryEntry& entry : entries)
        if (lowered(entry.id) == lowered(nameOrPath)) return entry.path.string();
    throw UsageError(
        fmt::format("there is no hardware {}; {}", inQuotes(nameOrPath),
                    withClosest("did you mean {}?", nameOrPath, known, "'tessera hardware list' names what there is")));
}

template <typename T>
HardwareSummary summaryOf(const hardware::Kind& kind, T value, const Input& input) {
    HardwareSummary summary{
        .kind = &kind, .value = {}, .name = value.name, .document = hardware::toJson(value), .input = input};
    summary.value = std::move(value);
    return summary;
}

}  // namespace

HardwareSummary readHardware(const JsonDocument& document, const Input& input) {
    const JsonNode root = document.root();
    const std::string schema = root.at("schema").text();
    if (schema.starts_with("tessera.accelerator/"))
        return summaryOf(hardware::acceleratorKind(), hardware::readAccelerator(root), input);
    if (schema.starts_with("tessera.fleet/")) return summaryOf(hardware::fleetKind(), hardware::readFleet(root), input);
    if (schema.starts_with("tessera.platform/"))
        return summaryOf(hardware::platformKind(), cost::readPlatform(root), input);
    if (schema.starts_with("tessera.template/"))
        return summaryOf(hardware::templateKind(), hardware::readTemplate(root), input);
    root.at("schema").fail("'tessera.accelerator/1', 'tessera.fleet/2', 'tessera.platform/1' or 'tessera.template/1'");
}

HardwareSummary loadHardware(const std::string& nameOrPath) {
    const std::string path = hardwarePath(nameOrPath);
    const std::string bytes = readFile(path, kLargestHardwareFile);
    return readHardware(JsonDocument::parse(bytes, path), {nameOrPath, sha256(bytes)});
}

}  // namespace tessera::study
