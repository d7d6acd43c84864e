#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/hardware/dataset.h"
#include "core/hardware/field.h"
#include "core/hardware/fleet.h"
#include "core/hardware/platform.h"
#include "core/hardware/template.h"

namespace tessera::test {

/// A kind of hardware file with documents that set every field of its table, and what reading and writing makes of one.
struct HardwareExamples {
    const hardware::Kind* kind;
    std::vector<Json> documents;
    std::function<Json(const JsonNode&)> rewritten;
};

inline const std::vector<HardwareExamples>& hardwareExamples() {
    using namespace hardware;
    static const Json accelerator = Json::parse(R"({"schema": "tessera.accelerator/1", "name": "full", "vendor": "Us",
"peak_flops": {"bf16": {"value": 400000000000000, "source": "a sheet", "class": "datasheet"}, "fp32": 1},
"sustained_flops": {"bf16": 300000000000000}, "compute_units": 108, "efficiency": {"gemm": 0.5},
"memory": [{"name": "SRAM", "capacity_bytes": 1024, "bandwidth_bytes_per_s": 9000000, "on_chip": true},
           {"name": "HBM", "capacity_bytes": 2048, "bandwidth_bytes_per_s": 1000000, "on_chip": false}],
"network_bits_per_s": 16000000000, "network_peers": 7, "host_bandwidth_bytes_per_s": 7, "power_watts": 450, "price_per_hour_usd": 8.25,
"placement": {"policy": "off-chip", "levels": {"weights": ["HBM", "SRAM"]}}, "kernels": "kernels.csv",
"launch_overhead_s": 1e-6, "host_peak_flops": 5, "network_latency_s": 2e-6,
"all_reduce": [{"bytes": 1000000, "devices": 8, "bandwidth_bytes_per_s": 1000000000}],
"benchmarks": [{"model": "zoo:resnet50", "utilization": 0.25}],
"kernel_fits": [{"family": "elementwise", "dtype": "fp16", "rows": 12, "sources": "mine.csv",
"parameters": {"cache_bytes": 0.75, "launch_us": 4.5, "memory_bytes": 1.25}, "spread": 0.125, "class": "fitted"}]})");
    static const Json fleet = Json::parse(R"({"schema": "tessera.fleet/2", "name": "full", "groups": [
{"name": "a", "accelerator": "v100", "count": {"value": 8, "source": "counted", "class": "measured"}, "network_bits_per_s": 800,
"levels": [{"name": "board", "size": {"value": 4, "source": "s"}, "kind": "torus", "dims": [2, 2],
"bandwidth_bytes_per_s": 50000000000, "latency_s": 1e-6},
{"name": "network", "size": 2, "kind": "mesh", "peers": 1, "bandwidth_bytes_per_s": 10000000000, "oversubscription": 1.5,
"shared_by": 4}]},
{"name": "b", "accelerator": "a100", "count": 1}],
"links": [{"between": ["b", "a"], "bits_per_s": 800, "latency_s": 0.001}],
"topology": {"node": ["a", {"node": ["b"]}], "bits_per_s": 1600, "latency_s": 0.002}})");
    static const Json platform = Json::parse(R"({"schema": "tessera.platform/1", "name": "full", "clock_hz": 200000000,
"bandwidth_bytes_per_s": 1000000000, "sub_accelerators": [{"name": "A", "count": 3, "array_height": 32,
"array_width": 64, "dataflow": "nvdla", "depthwise_dataflow": {"name": "mine", "text": "SpatialMap(1,1) C;"},
"sl_bytes": 1024, "sg_bytes": 65536, "clock_hz": 100000000, "flexible": true}]})");
    static const Json space = Json::parse(R"({"schema": "tessera.template/1", "name": "full", "parameters": {
"num_tc": {"from": 1, "to": 4, "step": "×2"}, "num_vc": [1, 3], "pe_x": [16], "pe_y": [{"value": 16, "source": "s"}],
"glb_bytes": [1048576], "hbm_bytes": [34359738368], "hbm_bandwidth_bytes_per_s": [600000000000],
"network_bandwidth_bytes_per_s": [300000000000]}, "clock_hz": 1000000000, "hbm_bandwidth_bytes_per_s": 1200000000000,
"word_bytes": 2, "l2_bytes_per_element": 16, "least_l2_bytes": 1024, "most_glb_words_per_cycle": 4096,
"area": {"tensor_element_um2": 760, "vector_lane_um2": 770, "l2": [{"bytes": 1024, "um2": 6134},
{"bytes": 2048, "um2": 7000}], "glb": [{"bytes": 1048576, "um2": 3000000}, {"bytes": 2097152, "um2": 4000000}]},
"bound": {"name": "R", "num_tc": 1, "num_vc": 2, "pe_x": 4, "pe_y": 8, "glb_bytes": 16,
"hbm_bandwidth_bytes_per_s": 5, "network_bandwidth_bytes_per_s": 6},
"hbm_interface": {"unit": "stack", "bytes_per_s": 307200000000, "mm2": 10.5, "watts": 9.5},
"network_interface": {"unit": "link", "bytes_per_s": 50000000000, "mm2": 2.5, "watts": 1.5}})");
    static const Json dataset = Json::parse(R"({"schema": "tessera.dataset/1", "name": "full", "samples": 100,
"sample_bytes": 1000, "load_s": 0.001, "prepare_s": 0.002, "reference": {"name": "host",
"host_bandwidth_bytes_per_s": 1000000000, "host_peak_flops": 1000000000000}})");
    static const Json byArea = [] {
        Json json = space;
        for (const char* key : {"bound", "network_interface"}) json.erase(key);
        json["bound_mm2"] = 280;
        // Keys stand in the table's order.
        const Json interface = json["hbm_interface"];
        json.erase("hbm_interface");
        json["hbm_interface"] = interface;
        return json;
    }();
    static const std::vector<HardwareExamples> kExamples{
        {&acceleratorKind(), {accelerator}, [](const JsonNode& node) { return toJson(readAccelerator(node)); }},
        {&fleetKind(), {fleet}, [](const JsonNode& node) { return toJson(readFleet(node)); }},
        {&platformKind(), {platform}, [](const JsonNode& node) { return toJson(readPlatform(node)); }},
        {&templateKind(), {space, byArea}, [](const JsonNode& node) { return toJson(readTemplate(node)); }},
        {&datasetKind(), {dataset}, [](const JsonNode& node) { return toJson(readDataset(node)); }}};
    return kExamples;
}

/// A row of a table, and where a document sets it.
struct FieldPlace {
    const hardware::Field* field = nullptr;
    std::string row;                                    ///< the keys to it: "memory.capacity_bytes"
    std::string path;                                   ///< "memory[0].capacity_bytes"
    Json::json_pointer pointer = Json::json_pointer();  ///< "/memory/0/capacity_bytes"
};

/// Every row of the table that the document sets, those inside of lists and objects included. A map counts as one row.
inline std::vector<FieldPlace> fieldPlaces(const hardware::Fields& fields, const Json& document,
                                           const FieldPlace& around = FieldPlace()) {
    std::vector<FieldPlace> places;
    for (const hardware::Field& field : fields) {
        if (!document.contains(field.key)) continue;
        const FieldPlace place{&field, hardware::joinedField(around.row, field.key),
                               hardware::joinedField(around.path, field.key), around.pointer / field.key};
        places.push_back(place);
        const Json& value = document.at(field.key);
        if (field.holds == hardware::Holds::object)
            for (const FieldPlace& inside : fieldPlaces(field.fields, value, place)) places.push_back(inside);
        if (field.holds == hardware::Holds::list)
            for (std::size_t i = 0; i < value.size(); ++i)
                for (const FieldPlace& inside :
                     fieldPlaces(field.fields, value[i],
                                 {&field, place.row, place.path + "[" + std::to_string(i) + "]", place.pointer / i}))
                    places.push_back(inside);
    }
    return places;
}

/// The keys to every row of a table.
inline std::vector<std::string> allRows(const hardware::Fields& fields, const std::string& around = {}) {
    std::vector<std::string> rows;
    for (const hardware::Field& field : fields) {
        rows.push_back(hardware::joinedField(around, field.key));
        if (field.holds == hardware::Holds::object || field.holds == hardware::Holds::list)
            for (std::string& inside : allRows(field.fields, rows.back())) rows.push_back(std::move(inside));
    }
    return rows;
}

}  // namespace tessera::test
