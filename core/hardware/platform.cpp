#include "core/hardware/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/hardware/field.h"
#include "core/hardware/numbers.h"

namespace tessera::hardware {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLongestSide = std::int64_t{1} << 20;

bool isMappingPath(std::string_view text) {
    return text.find('/') != std::string_view::npos || text.ends_with(".m");
}

std::string checkedText(std::string text, const JsonNode& node) {
    if (text.size() > kLargestInlineDataflow)
        node.fail(fmt::format("a dataflow of at most {} bytes", kLargestInlineDataflow));
    if (!isUtf8(text) || text.find('\0') != std::string::npos) node.fail("a dataflow, which is text");
    if (trimmed(text).empty()) node.fail("a dataflow", "without any directive");
    return text;
}

/// The text of the file that a field names, relative to the document's own. Only ordinary files: a pipe would wait
/// forever, a device never end.
std::string textBeside(const JsonNode& node, const std::string& reference) {
    const fs::path path = fs::path(node.document().file()).parent_path() / reference;
    if (reference.find('\0') != std::string::npos || !isFile(path))
        node.fail("a bundled dataflow's name, or the path of a dataflow's file beside this one");
    try {
        return checkedText(readFile(path, kLargestInlineDataflow), node);
    } catch (const FileError& error) {
        node.fail(fmt::format("a file that can be read ({})", error.what()));
    }
}

DataflowSource readDataflow(const JsonNode& node) {
    if (node.isObject()) {
        node.allowOnly({"name", "text"});
        return {.name = nameIn(node.at("name")),
                .text = checkedText(node.at("text").text(kLargestInlineDataflow), node.at("text")),
                .isInline = true};
    }
    if (!node.isString()) node.fail(R"(a bundled dataflow's name, a path, or a dataflow {"name", "text"})");
    DataflowSource source{.name = node.text(kLongestReference)};
    if (trimmed(source.name).empty()) node.fail("a bundled dataflow's name, or a path");
    if (isMappingPath(source.name)) source.text = textBeside(node, source.name);
    return source;
}

Json dataflowJson(const DataflowSource& source, bool everythingInline) {
    if (source.text.empty() || !(source.isInline || everythingInline)) return source.name;
    Json json = Json::object();
    json["name"] = source.isInline ? source.name : fs::path(source.name).stem().string();
    json["text"] = source.text;
    return json;
}

/// A row for one of the two dataflows of a core.
Field dataflowField(DataflowSource SubAccelerator::*member, std::string key, std::string title, std::string about) {
    const Json name{{"$ref", "accelerator.schema.json#/definitions/name"}};
    const Json text{{"description", "Its directives, as in a file."},
                    {"type", "string"},
                    {"minLength", 1},
                    {"maxLength", kLargestInlineDataflow}};
    return FieldsOf<SubAccelerator>::other(
        std::move(key), std::move(title), std::move(about),
        Json{{"oneOf", Json::array({{{"type", "string"},
                                     {"minLength", 1},
                                     {"maxLength", kLongestReference},
                                     {"pattern", R"([^ \t\r\n])"}},
                                    {{"type", "object"},
                                     {"required", Json::array({"name", "text"})},
                                     {"additionalProperties", false},
                                     {"properties", {{"name", name}, {"text", text}}}}})}},
        [member](SubAccelerator& core, const JsonNode& node, Reading&) { core.*member = readDataflow(node); },
        [member](const SubAccelerator& core, const std::string&, const Writing& writing) {
            return dataflowJson(core.*member, writing.everythingInline);
        });
}

Fields coreFields() {
    using F = FieldsOf<SubAccelerator>;
    return {
        F::name(&SubAccelerator::name, "name", "Name", "Name of the row; no two rows share one."),
        F::number(&SubAccelerator::count, "count", "Cores", Measure::count, wholeUpTo(kMaxCores),
                  "Number of equal cores.")
            .otherwise("1", Json(1))
            .alwaysWritten(),
        F::number(&SubAccelerator::height, "array_height", "Height", Measure::count, wholeUpTo(kLongestSide),
                  "Rows of the array of processing elements."),
        F::number(&SubAccelerator::width, "array_width", "Width", Measure::count, wholeUpTo(kLongestSide),
                  "Columns of the array of processing elements: the cluster size of its dataflow."),
        dataflowField(&SubAccelerator::dataflow, "dataflow", "Dataflow",
                      "How layers are laid out on the array: the name of a bundled dataflow, the path of a "
                      "dataflow's file (MAESTRO's form, suffix .m) relative to this file, or a dataflow written "
                      "inline."),
        dataflowField(&SubAccelerator::depthwise, "depthwise_dataflow", "Depthwise", "The same for depthwise layers.")
            .otherwise("the bundled 'depthwise'", Json("depthwise")),
        F::number(&SubAccelerator::localBuffer, "sl_bytes", "SL", Measure::bytes, kPositive,
                  "Local buffer (SL) of one processing element, in bytes."),
        F::number(&SubAccelerator::sharedBuffer, "sg_bytes", "SG", Measure::bytes, kPositive,
                  "Shared buffer (SG) of the whole array, in bytes."),
        F::number(&SubAccelerator::clock, "clock_hz", "Clock", Measure::hertz, kPositive,
                  "Clock of these cores in cycles per second.")
            .otherwise("the platform's"),
        F::flag(&SubAccelerator::flexible, "flexible", "Flexible",
                "Whether the shape of the array is chosen for each job.")
            .otherwise("no", Json(false))};
}

Fields platformFields() {
    using F = FieldsOf<Platform>;
    return {F::name(&Platform::name, "name", "Name", "The name shown to people."),
            F::number(&Platform::clock, "clock_hz", "Clock", Measure::hertz, kPositive,
                      "Clock in cycles per second: what the cycles of a job table count."),
            F::number(&Platform::bandwidth, "bandwidth_bytes_per_s", "Shared bandwidth", Measure::bytesPerSecond,
                      kPositive, "Bandwidth to memory in bytes per second, shared by all cores."),
            F::list(&Platform::subAccelerators, "sub_accelerators", "Sub-accelerators, in the order of their cores",
                    "sub-accelerator", coreFields(),
                    "The cores, by rows of equal ones; their order is that of the cores in job tables.",
                    "Add a row of equal cores.", 1, kMaxSubAccelerators, "sub-accelerator")};
}

/// What holds across fields: limits, and what dataflows are to the caller.
void checkPlatform(Platform& platform, const JsonNode& node, Reading& reading,
                   const std::function<void(const DataflowSource& source)>& refuse) {
    if (!node.has("sub_accelerators") || !node.at("sub_accelerators").isArray()) return;
    const std::vector<JsonNode> rows = node.at("sub_accelerators").elements();
    const auto checkDataflow = [&](const JsonNode& row, const char* key, const DataflowSource& source) {
        if (!row.isObject() || !row.has(key) || !reading.good(row.at(key))) return;
        try {
            refuse(source);
        } catch (const std::exception& error) {
            row.at(key).fail(fmt::format("a dataflow that can be read ({})", error.what()));
        }
    };
    std::int64_t cores = 0;
    for (std::size_t i = 0; i < platform.subAccelerators.size(); ++i) {
        const SubAccelerator& core = platform.subAccelerators[i];
        reading.attempt([&] {
            if (reading.good(rows[i]) && core.height * core.width > kMaxElements)
                rows[i]
                    .at("array_height")
                    .fail(fmt::format("at most {} processing elements", kMaxElements),
                          fmt::format("{}, with a width of {}", core.height, core.width));
            const bool before = cores <= kMaxCores;
            cores += core.count;
            if (before && cores > kMaxCores)
                rows[i].fail(fmt::format("at most {} cores in all", kMaxCores), fmt::format("one of {} cores", cores));
        });
        if (!refuse) continue;
        reading.attempt([&] { checkDataflow(rows[i], "dataflow", core.dataflow); });
        reading.attempt([&] { checkDataflow(rows[i], "depthwise_dataflow", core.depthwise); });
    }
}

}  // namespace

const Kind& platformKind() {
    static const Kind kind{
        .id = "platform",
        .title = "Platform",
        .history = {.kind = "tessera.platform"},
        .about =
            "A multi-core accelerator: cores (sub-accelerators) that work on independent jobs and share the "
            "bandwidth to memory. Every number may be an object {\"value\", \"source\", \"class\", "
            "\"was\"}. Beyond this schema, names of sub-accelerators differ, an array has at most 2^30 "
            "processing elements, all counts together are at most 10000, and dataflows that are named exist.",
        .fields = platformFields()};
    return kind;
}

Platform readPlatform(const JsonNode& given, const std::function<void(const DataflowSource& source)>& refuse) {
    return readDocument<Platform>(given, platformKind(),
                                  [&](Platform& platform, const JsonNode& node, Reading& reading) {
                                      checkPlatform(platform, node, reading, refuse);
                                  });
}

Json toJson(const Platform& platform) {
    return documentJson(platform, platformKind());
}

Json toJsonInline(const Platform& platform) {
    return documentJson(platform, platformKind(), true);
}

std::int64_t coreCount(const Platform& platform) {
    std::int64_t count = 0;
    for (const SubAccelerator& core : platform.subAccelerators) count += core.count;
    return count;
}

std::int64_t elementCount(const Platform& platform) {
    std::int64_t count = 0;
    for (const SubAccelerator& core : platform.subAccelerators) count += core.count * core.height * core.width;
    return count;
}

std::vector<std::size_t> coresOf(const Platform& platform) {
    std::vector<std::size_t> cores;
    for (std::size_t row = 0; row < platform.subAccelerators.size(); ++row)
        cores.insert(cores.end(), static_cast<std::size_t>(platform.subAccelerators[row].count), row);
    return cores;
}

std::vector<std::string> coreNames(const Platform& platform) {
    std::vector<std::string> names;
    for (const SubAccelerator& core : platform.subAccelerators)
        for (std::int64_t i = 1; i <= core.count; ++i)
            names.push_back(core.count == 1 ? core.name : fmt::format("{} {}", core.name, i));
    return names;
}

Hertz clockOf(const Platform& platform, const SubAccelerator& core) {
    return core.clock.value_or(platform.clock);
}

double bytesPerCycle(const Platform& platform) {
    return platform.bandwidth.value / platform.clock.value;
}

}  // namespace tessera::hardware
