// Numbers with their units in hardware files: what the command line takes, every field with a unit takes too.

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "core/base/json.h"
#include "core/hardware/accelerator.h"
#include "core/hardware/dataset.h"
#include "core/hardware/fleet.h"
#include "core/hardware/library.h"
#include "core/hardware/platform.h"
#include "core/hardware/template.h"
#include "tests/support/schema.h"

namespace tessera::hardware {
namespace {

/// A kind of file: an example of it, and what reading and writing makes of it.
struct Kind {
    const char* name;
    const char* schema;
    std::string example;
    std::function<Json(const JsonNode&)> rewritten;
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> kKinds{
        {"accelerator", "accelerator.schema.json",
         R"({"schema": "tessera.accelerator/1", "name": "a", "peak_flops": {"bf16": 1e12},
"memory": [{"name": "m", "capacity_bytes": 1e9, "bandwidth_bytes_per_s": 1e9}], "network_bits_per_s": 1e9,
"host_bandwidth_bytes_per_s": 1e9, "power_watts": 100, "launch_overhead_s": 1e-6, "host_peak_flops": 1e12,
"network_latency_s": 1e-6, "all_reduce": [{"bytes": 1e6, "devices": 2, "bandwidth_bytes_per_s": 1e9}]})",
         [](const JsonNode& node) { return toJson(readAccelerator(node)); }},
        {"fleet", "fleet.schema.json",
         R"({"schema": "tessera.fleet/2", "name": "f", "groups": [
{"name": "x", "accelerator": "a100", "count": 2, "network_bits_per_s": 1e9}, {"name": "y", "accelerator": "v100"}],
"links": [{"between": ["x", "y"], "bits_per_s": 1e9, "latency_s": 1e-6}]})",
         [](const JsonNode& node) { return toJson(readFleet(node)); }},
        {"tree", "fleet.schema.json",
         R"({"schema": "tessera.fleet/2", "name": "f", "groups": [{"name": "x", "accelerator": "a100"},
{"name": "y", "accelerator": "v100"}], "topology": {"node": ["x", "y"], "bits_per_s": 1e9, "latency_s": 1e-6}})",
         [](const JsonNode& node) { return toJson(readFleet(node)); }},
        {"platform", "platform.schema.json",
         R"({"schema": "tessera.platform/1", "name": "p", "clock_hz": 2e8, "bandwidth_bytes_per_s": 1e9,
"sub_accelerators": [{"name": "A", "array_height": 32, "array_width": 64, "dataflow": "nvdla", "sl_bytes": 1024,
"sg_bytes": 65536, "clock_hz": 1e8}]})",
         [](const JsonNode& node) { return toJson(readPlatform(node)); }},
        {"template", "template.schema.json", toText(toJson(loadTemplate("phaze"))),
         [](const JsonNode& node) { return toJson(readTemplate(node)); }},
        {"dataset", "dataset.schema.json",
         R"({"schema": "tessera.dataset/1", "name": "d", "samples": 100, "sample_bytes": 1000, "load_s": 0.001,
"prepare_s": 0.002, "reference": {"name": "host", "host_bandwidth_bytes_per_s": 1e9, "host_peak_flops": 1e12}})",
         [](const JsonNode& node) { return toJson(readDataset(node)); }},
    };
    return kKinds;
}

struct UnitField {
    const char* kind;
    const char* pointer;
    const char* text;
    double value;
    const char* wrong = "3 furlong";
};

std::ostream& operator<<(std::ostream& stream, const UnitField& field) {
    return stream << field.kind << field.pointer;
}

class Units : public testing::TestWithParam<UnitField> {
protected:
    const Kind& kind() const {
        for (const Kind& row : kinds())
            if (row.name == std::string(GetParam().kind)) return row;
        throw std::logic_error("no such kind");
    }
    /// The example with another value in the field.
    JsonDocument with(const Json& value) const {
        Json json = Json::parse(kind().example);
        Json& field = json.at(Json::json_pointer(GetParam().pointer));
        (field.is_object() ? field["value"] : field) = value;
        return JsonDocument::parse(json.dump(1), "x.json");
    }
};

TEST_P(Units, areReadAsTheNumberInBaseUnits) {
    const JsonDocument text = with(GetParam().text);
    const Json read = kind().rewritten(text.root());
    EXPECT_EQ(read.dump(), kind().rewritten(with(GetParam().value).root()).dump()) << "and written as a number";
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(text.text()), kind().schema), "");
}

TEST_P(Units, ofAnythingElseAreRefusedWithTheLine) {
    const Json example = Json::parse(kind().example);
    std::string field = GetParam().pointer;
    for (const std::string& wrong : {std::string(GetParam().wrong), std::string("7"), std::string()}) {
        const JsonDocument document = with(wrong);
        try {
            (void)kind().rewritten(document.root());
            ADD_FAILURE() << "'" << wrong << "' was read";
        } catch (const DataError& error) {
            const std::string message = error.what();
            EXPECT_TRUE(message.starts_with("x.json:")) << message;
            EXPECT_NE(message.find(" is the text '" + wrong + "'; expected a "), std::string::npos) << message;
            EXPECT_NE(message.find(", or a text with its unit such as '"), std::string::npos) << message;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Fields, Units,
    testing::Values(
        UnitField{"accelerator", "/peak_flops/bf16", "312 TFLOPS", 312e12},
        UnitField{"accelerator", "/memory/0/capacity_bytes", "40 GiB", 40 * 0x1p30},
        UnitField{"accelerator", "/memory/0/bandwidth_bytes_per_s", "1.6 TB/s", 1.6e12, "16 mB/s"},
        UnitField{"accelerator", "/network_bits_per_s", "100 GB/s", 800e9},
        UnitField{"accelerator", "/host_bandwidth_bytes_per_s", "256 Gb/s", 32e9},
        UnitField{"accelerator", "/power_watts", "0.4 kW", 400, "400 J"},
        UnitField{"accelerator", "/launch_overhead_s", "1.2 us", 1.2e-6, "1.2 GB"},
        UnitField{"accelerator", "/host_peak_flops", "2 TFLOP/s", 2e12},
        UnitField{"accelerator", "/network_latency_s", "5 µs", 5e-6},
        UnitField{"accelerator", "/all_reduce/0/bytes", "64 MiB", 64 * 0x1p20},
        UnitField{"accelerator", "/all_reduce/0/bandwidth_bytes_per_s", "10 GB/s", 10e9},
        UnitField{"fleet", "/groups/0/network_bits_per_s", "200 Gb/s", 200e9},
        UnitField{"fleet", "/links/0/bits_per_s", "25 GB/s", 200e9}, UnitField{"fleet", "/links/0/latency_s", "0 s", 0},
        UnitField{"tree", "/topology/bits_per_s", "8Gb/s", 8e9}, UnitField{"tree", "/topology/latency_s", "2 us", 2e-6},
        UnitField{"platform", "/clock_hz", "200 MHz", 200e6},
        UnitField{"platform", "/bandwidth_bytes_per_s", "16 GB/s", 16e9},
        UnitField{"platform", "/sub_accelerators/0/sl_bytes", "1 KiB", 1024},
        UnitField{"platform", "/sub_accelerators/0/sg_bytes", "146KiB", 146 * 1024},
        UnitField{"platform", "/sub_accelerators/0/clock_hz", "0.5 GHz", 0.5e9},
        UnitField{"template", "/clock_hz", "940 MHz", 940e6},
        UnitField{"template", "/hbm_bandwidth_bytes_per_s", "1.2 TB/s", 1.2e12},
        UnitField{"template", "/word_bytes", "2 B", 2}, UnitField{"template", "/least_l2_bytes", "4 KiB", 4096},
        UnitField{"template", "/l2_bytes_per_element", "1 KiB", 1024},
        UnitField{"template", "/parameters/glb_bytes/to", "64 MiB", 64 * 0x1p20},
        UnitField{"template", "/bound/glb_bytes", "32 MiB", 32 * 0x1p20},
        UnitField{"dataset", "/sample_bytes", "150 kB", 150e3}, UnitField{"dataset", "/load_s", "3 ms", 0.003},
        UnitField{"dataset", "/prepare_s", "1 ms", 0.001},
        UnitField{"dataset", "/reference/host_bandwidth_bytes_per_s", "25 GB/s", 25e9},
        UnitField{"dataset", "/reference/host_peak_flops", "3 TFLOPS", 3e12}));

TEST(UnitsOfSources, holdForAlternativesAndForWhatWasReplaced) {
    const std::string json = R"({"schema": "tessera.accelerator/1", "name": "a", "peak_flops": {"bf16": 1e12},
"power_watts": {"value": "0.45 kW", "class": "yours", "alternatives": [{"value": "500 W"}],
 "was": {"value": "400 W", "source": "datasheet"}}})";
    const Accelerator read = readAccelerator(JsonDocument::parse(json, "a.json").root());
    EXPECT_EQ(read.power->value, 450);
    const Provenance& said = read.provenance.at("power_watts");
    EXPECT_EQ(said.alternatives.front().value, 500);
    EXPECT_EQ(said.was->value, 400);
    EXPECT_EQ(toJson(read).at("power_watts").at("was").at("value"), 400);
}

TEST(UnitsOfCounts, areNone) {
    const std::string json = R"({"schema": "tessera.fleet/2", "name": "f", "groups": [
{"name": "x", "accelerator": "a100", "count": "2 k"}]})";
    try {
        (void)readFleet(JsonDocument::parse(json, "f.json").root());
        ADD_FAILURE();
    } catch (const DataError& error) {
        EXPECT_STREQ(error.what(),
                     "f.json:2: field 'groups[0].count' is the text '2 k'; expected a whole number above 0");
    }
}

}  // namespace
}  // namespace tessera::hardware
