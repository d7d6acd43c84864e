#include "core/hardware/accelerator.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera::hardware {

namespace {

constexpr std::size_t kMostTypes = 100;   // data types, operation classes
constexpr std::size_t kMostLevels = 100;  // of memory
constexpr std::size_t kMostMeasured = 1000;
constexpr std::int64_t kMostDevices = 1'000'000'000;

std::vector<std::pair<std::string, JsonNode>> namedNumbers(const JsonNode& node) {
    auto members = node.members();
    if (members.empty()) node.fail("at least one entry", "an empty object");
    if (members.size() > kMostTypes) node.fail("at most 100 entries");
    for (const auto& [name, value] : members)
        if (name.empty() || name.size() > 256) value.fail("a name of 1 to 256 characters", "under another name");
    return members;
}

MemoryLevel readLevel(const JsonNode& node, const NumberReader& numbers) {
    node.allowOnly({"name", "capacity_bytes", "bandwidth_bytes_per_s", "on_chip"});
    MemoryLevel level;
    level.name = nameIn(node.at("name"));
    if (node.has("capacity_bytes")) level.capacity = Bytes{numbers.positive(node.at("capacity_bytes"))};
    if (node.has("bandwidth_bytes_per_s"))
        level.bandwidth = BytesPerSecond{numbers.positive(node.at("bandwidth_bytes_per_s"))};
    if (node.has("on_chip")) level.onChip = node.at("on_chip").boolean();
    return level;
}

/// Refuses levels that do not run from the fastest to the largest.
void checkOrder(const std::vector<JsonNode>& nodes, const std::vector<MemoryLevel>& levels) {
    std::optional<BytesPerSecond> slowest;
    std::optional<Bytes> largest;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const MemoryLevel& level = levels[i];
        if (slowest && level.bandwidth && *level.bandwidth > *slowest)
            nodes[i]
                .at("bandwidth_bytes_per_s")
                .fail("levels from the fastest to the largest", "more than that of a level before it");
        if (level.bandwidth) slowest = level.bandwidth;
        if (level.capacity && (!largest || *level.capacity > *largest)) largest = level.capacity;
    }
    if (!levels.empty() && levels.back().capacity && *levels.back().capacity < *largest)
        nodes.back()
            .at("capacity_bytes")
            .fail("levels from the fastest to the largest", "less than that of a level before it");
}

std::vector<MemoryLevel> readLevels(const JsonNode& node, const NumberReader& numbers) {
    const std::vector<JsonNode> nodes = node.elements(kMostLevels);
    std::vector<MemoryLevel> levels;
    for (const JsonNode& child : nodes) {
        levels.push_back(readLevel(child, numbers));
        for (std::size_t i = 0; i + 1 < levels.size(); ++i)
            if (levels[i].name == levels.back().name) child.at("name").fail("a name that no other level has");
    }
    checkOrder(nodes, levels);
    return levels;
}

Json levelJson(const MemoryLevel& level, const std::string& path, const ProvenanceMap& provenance) {
    Json json = Json::object();
    json["name"] = level.name;
    if (level.capacity)
        json["capacity_bytes"] = numberJson(level.capacity->value, path + ".capacity_bytes", provenance);
    if (level.bandwidth)
        json["bandwidth_bytes_per_s"] = numberJson(level.bandwidth->value, path + ".bandwidth_bytes_per_s", provenance);
    json["on_chip"] = level.onChip;
    return json;
}

MeasuredCollective readCollective(const JsonNode& node, const NumberReader& numbers) {
    node.allowOnly({"bytes", "devices", "bandwidth_bytes_per_s"});
    MeasuredCollective measured;
    measured.bytes = Bytes{numbers.positive(node.at("bytes"))};
    if (node.has("devices")) measured.devices = numbers.count(node.at("devices"), kMostDevices);
    measured.bandwidth = BytesPerSecond{numbers.positive(node.at("bandwidth_bytes_per_s"))};
    return measured;
}

Json collectiveJson(const MeasuredCollective& measured, const std::string& path, const ProvenanceMap& provenance) {
    Json json = Json::object();
    json["bytes"] = numberJson(measured.bytes.value, path + ".bytes", provenance);
    if (measured.devices)
        json["devices"] = numberJson(static_cast<double>(*measured.devices), path + ".devices", provenance);
    json["bandwidth_bytes_per_s"] = numberJson(measured.bandwidth.value, path + ".bandwidth_bytes_per_s", provenance);
    return json;
}

Benchmark readBenchmark(const JsonNode& node, const NumberReader& numbers) {
    node.allowOnly({"model", "utilization"});
    Benchmark benchmark;
    benchmark.model = nameIn(node.at("model"));
    if (!benchmark.model.starts_with("zoo:")) node.at("model").fail("a model of the zoo, zoo:NAME");
    benchmark.utilization = numbers.fraction(node.at("utilization"));
    return benchmark;
}

/// Which levels hold what, over the policy's own table; the levels must be those of the file.
void readPlacement(const JsonNode& node, Accelerator& accelerator) {
    node.allowOnly({"policy", "levels"});
    accelerator.placementPolicy = nameIn(node.at("policy"));
    if (!node.has("levels")) return;
    std::vector<std::string> known;
    for (const MemoryLevel& level : accelerator.memory) known.push_back(level.name);
    const auto categories = node.at("levels").members();
    if (categories.size() > kMostLevels) node.at("levels").fail("at most 100 entries");
    for (const auto& [category, list] : categories) {
        std::vector<std::string>& levels = accelerator.placementLevels[category];
        for (const JsonNode& name : list.elements(kMostLevels)) levels.push_back(name.oneOf(known));
        if (levels.empty()) list.fail("at least one level", "an empty list");
    }
}

}  // namespace

const SchemaHistory& acceleratorSchema() {
    static const SchemaHistory history{.kind = "tessera.accelerator", .migrations = {}};
    return history;
}

Accelerator readAccelerator(const JsonNode& given) {
    const bool whole = given.path().empty();
    const JsonNode node = whole || given.has("schema") ? atCurrentSchema(given, acceleratorSchema()) : given;
    node.allowOnly({"schema", "name", "vendor", "peak_flops", "efficiency", "memory", "network_bits_per_s",
                    "host_bandwidth_bytes_per_s", "power_watts", "price_per_hour_usd", "placement", "kernels",
                    "launch_overhead_s", "host_peak_flops", "network_latency_s", "all_reduce", "benchmarks"});
    Accelerator result;
    result.file = given.document().file();
    if (whole) result.id = std::filesystem::path(result.file).stem().string();
    const NumberReader numbers(node, result.provenance);
    const auto optional = [&](const char* key, const std::function<void(const JsonNode&)>& read) {
        if (node.has(key)) read(node.at(key));
    };
    result.name = nameIn(node.at("name"));
    optional("vendor", [&](const JsonNode& field) { result.vendor = field.text(); });
    for (const auto& [type, value] : namedNumbers(node.at("peak_flops")))
        result.peakFlops[type] = FlopsPerSecond{numbers.positive(value)};
    optional("efficiency", [&](const JsonNode& field) {
        for (const auto& [type, value] : namedNumbers(field)) result.efficiency[type] = numbers.fraction(value);
    });
    optional("memory", [&](const JsonNode& field) { result.memory = readLevels(field, numbers); });
    optional("network_bits_per_s",
             [&](const JsonNode& field) { result.network = fromBitsPerSecond(numbers.positive(field)); });
    optional("host_bandwidth_bytes_per_s",
             [&](const JsonNode& field) { result.hostBandwidth = BytesPerSecond{numbers.positive(field)}; });
    optional("power_watts", [&](const JsonNode& field) { result.power = Watts{numbers.positive(field)}; });
    optional("price_per_hour_usd", [&](const JsonNode& field) { result.pricePerHourUsd = numbers.notNegative(field); });
    optional("placement", [&](const JsonNode& field) { readPlacement(field, result); });
    optional("kernels", [&](const JsonNode& field) { result.kernels = nameIn(field); });
    optional("launch_overhead_s",
             [&](const JsonNode& field) { result.launchOverhead = Seconds{numbers.notNegative(field)}; });
    optional("host_peak_flops",
             [&](const JsonNode& field) { result.hostPeak = FlopsPerSecond{numbers.positive(field)}; });
    optional("network_latency_s",
             [&](const JsonNode& field) { result.networkLatency = Seconds{numbers.notNegative(field)}; });
    optional("all_reduce", [&](const JsonNode& field) {
        for (const JsonNode& entry : field.elements(kMostMeasured))
            result.allReduce.push_back(readCollective(entry, numbers));
    });
    optional("benchmarks", [&](const JsonNode& field) {
        for (const JsonNode& entry : field.elements(kMostMeasured))
            result.benchmarks.push_back(readBenchmark(entry, numbers));
    });
    return result;
}

Json toJson(const Accelerator& accelerator) {
    const ProvenanceMap& provenance = accelerator.provenance;
    Json json = Json::object();
    const auto number = [&](const char* key, double value) { json[key] = numberJson(value, key, provenance); };
    json["schema"] = currentSchema(acceleratorSchema());
    json["name"] = accelerator.name;
    if (!accelerator.vendor.empty()) json["vendor"] = accelerator.vendor;
    Json& peak = json["peak_flops"] = Json::object();
    for (const auto& [type, rate] : accelerator.peakFlops)
        peak[type] = numberJson(rate.value, "peak_flops." + type, provenance);
    for (const auto& [type, factor] : accelerator.efficiency)
        json["efficiency"][type] = numberJson(factor, "efficiency." + type, provenance);
    for (std::size_t i = 0; i < accelerator.memory.size(); ++i)
        json["memory"].push_back(levelJson(accelerator.memory[i], "memory[" + std::to_string(i) + "]", provenance));
    if (accelerator.network) number("network_bits_per_s", toBitsPerSecond(*accelerator.network));
    if (accelerator.hostBandwidth) number("host_bandwidth_bytes_per_s", accelerator.hostBandwidth->value);
    if (accelerator.power) number("power_watts", accelerator.power->value);
    if (accelerator.pricePerHourUsd) number("price_per_hour_usd", *accelerator.pricePerHourUsd);
    if (accelerator.placementPolicy) json["placement"]["policy"] = *accelerator.placementPolicy;
    for (const auto& [category, levels] : accelerator.placementLevels) json["placement"]["levels"][category] = levels;
    if (accelerator.kernels) json["kernels"] = *accelerator.kernels;
    if (accelerator.launchOverhead.value != 0 || provenance.contains("launch_overhead_s"))
        number("launch_overhead_s", accelerator.launchOverhead.value);
    if (accelerator.hostPeak) number("host_peak_flops", accelerator.hostPeak->value);
    if (accelerator.networkLatency) number("network_latency_s", accelerator.networkLatency->value);
    for (std::size_t i = 0; i < accelerator.allReduce.size(); ++i)
        json["all_reduce"].push_back(
            collectiveJson(accelerator.allReduce[i], "all_reduce[" + std::to_string(i) + "]", provenance));
    for (std::size_t i = 0; i < accelerator.benchmarks.size(); ++i) {
        Json& entry = json["benchmarks"].emplace_back(Json::object());
        entry["model"] = accelerator.benchmarks[i].model;
        entry["utilization"] = numberJson(accelerator.benchmarks[i].utilization,
                                          "benchmarks[" + std::to_string(i) + "].utilization", provenance);
    }
    return json;
}

std::optional<Bytes> memoryCapacity(const Accelerator& accelerator) {
    std::optional<Bytes> largest;
    for (const MemoryLevel& level : accelerator.memory)
        if (level.capacity && (!largest || *level.capacity > *largest)) largest = level.capacity;
    return largest;
}

}  // namespace tessera::hardware
