#include "core/hardware/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"

namespace tessera::hardware {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLongestSide = std::int64_t{1} << 20;
constexpr std::size_t kLongestReference = 4096;

bool looksLikePath(std::string_view text) {
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
    std::error_code ignored;
    if (reference.find('\0') != std::string::npos || !fs::is_regular_file(path, ignored))
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
    if (looksLikePath(source.name)) source.text = textBeside(node, source.name);
    return source;
}

SubAccelerator readSubAccelerator(const JsonNode& node, const NumberReader& numbers) {
    node.allowOnly({"name", "count", "array_height", "array_width", "dataflow", "depthwise_dataflow", "sl_bytes",
                    "sg_bytes", "clock_hz", "flexible"});
    SubAccelerator core;
    core.name = nameIn(node.at("name"));
    if (node.has("count")) core.count = numbers.count(node.at("count"), kMostCores);
    core.height = numbers.count(node.at("array_height"), kLongestSide);
    core.width = numbers.count(node.at("array_width"), kLongestSide);
    if (core.height * core.width > kMostElements)
        node.at("array_height")
            .fail(fmt::format("at most {} processing elements", kMostElements),
                  fmt::format("{}, with a width of {}", core.height, core.width));
    core.dataflow = readDataflow(node.at("dataflow"));
    if (node.has("depthwise_dataflow")) core.depthwise = readDataflow(node.at("depthwise_dataflow"));
    core.localBuffer = Bytes{numbers.positive(node.at("sl_bytes"))};
    core.sharedBuffer = Bytes{numbers.positive(node.at("sg_bytes"))};
    if (node.has("clock_hz")) core.clock = Hertz{numbers.positive(node.at("clock_hz"))};
    if (node.has("flexible")) core.flexible = node.at("flexible").boolean();
    return core;
}

std::vector<SubAccelerator> readSubAccelerators(const JsonNode& node, const NumberReader& numbers) {
    std::vector<SubAccelerator> rows;
    std::set<std::string> names;
    std::int64_t cores = 0;
    for (const JsonNode& child : node.elements(kMostSubAccelerators)) {
        rows.push_back(readSubAccelerator(child, numbers));
        if (!names.insert(rows.back().name).second) child.at("name").fail("a name that no other sub-accelerator has");
        cores += rows.back().count;
        if (cores > kMostCores)
            child.fail(fmt::format("at most {} cores in all", kMostCores), fmt::format("one of {} cores", cores));
    }
    if (rows.empty()) node.fail("at least one sub-accelerator", "an empty list");
    return rows;
}

Json dataflowJson(const DataflowSource& source, bool everythingInline) {
    if (source.text.empty() || !(source.isInline || everythingInline)) return source.name;
    Json json = Json::object();
    json["name"] = source.isInline ? source.name : fs::path(source.name).stem().string();
    json["text"] = source.text;
    return json;
}

Json platformJson(const Platform& platform, bool everythingInline) {
    const ProvenanceMap& provenance = platform.provenance;
    Json json = Json::object();
    json["schema"] = currentSchema(platformSchema());
    json["name"] = platform.name;
    json["clock_hz"] = numberJson(platform.clock.value, "clock_hz", provenance);
    json["bandwidth_bytes_per_s"] = numberJson(platform.bandwidth.value, "bandwidth_bytes_per_s", provenance);
    Json& rows = json["sub_accelerators"] = Json::array();
    for (std::size_t i = 0; i < platform.subAccelerators.size(); ++i) {
        const SubAccelerator& core = platform.subAccelerators[i];
        Json row = Json::object();
        const auto number = [&](const char* key, double value) {
            row[key] = numberJson(value, fmt::format("sub_accelerators[{}].{}", i, key), provenance);
        };
        row["name"] = core.name;
        number("count", static_cast<double>(core.count));
        number("array_height", static_cast<double>(core.height));
        number("array_width", static_cast<double>(core.width));
        row["dataflow"] = dataflowJson(core.dataflow, everythingInline);
        if (core.depthwise != SubAccelerator{}.depthwise)
            row["depthwise_dataflow"] = dataflowJson(core.depthwise, everythingInline);
        number("sl_bytes", core.localBuffer.value);
        number("sg_bytes", core.sharedBuffer.value);
        if (core.clock) number("clock_hz", core.clock->value);
        if (core.flexible) row["flexible"] = true;
        rows.push_back(std::move(row));
    }
    return json;
}

}  // namespace

const SchemaHistory& platformSchema() {
    static const SchemaHistory history{.kind = "tessera.platform", .migrations = {}};
    return history;
}

Platform readPlatform(const JsonNode& given) {
    const bool whole = given.path().empty();
    const JsonNode node = whole || given.has("schema") ? atCurrentSchema(given, platformSchema()) : given;
    node.allowOnly({"schema", "name", "clock_hz", "bandwidth_bytes_per_s", "sub_accelerators"});
    Platform platform;
    platform.file = given.document().file();
    if (whole) platform.id = fs::path(platform.file).stem().string();
    const NumberReader numbers(node, platform.provenance);
    platform.name = nameIn(node.at("name"));
    platform.clock = Hertz{numbers.positive(node.at("clock_hz"))};
    platform.bandwidth = BytesPerSecond{numbers.positive(node.at("bandwidth_bytes_per_s"))};
    platform.subAccelerators = readSubAccelerators(node.at("sub_accelerators"), numbers);
    return platform;
}

Json toJson(const Platform& platform) {
    return platformJson(platform, false);
}

Json toJsonInline(const Platform& platform) {
    return platformJson(platform, true);
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
