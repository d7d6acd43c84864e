#include "core/hardware/accelerator.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "tests/core/hardware/documents.h"

using namespace tessera;
using namespace tessera::hardware;
using tessera::test::acceleratorRefusal;

namespace {

Accelerator parsed(const std::string& text) {
    return readAccelerator(JsonDocument::parse(text, "dir/my-chip.json").root());
}

TEST(Accelerator, needsSchemaNameAndPeakOnly) {
    const Accelerator accelerator =
        parsed(R"({"schema": "tessera.accelerator/1", "name": "x", "peak_flops": {"bf16": 420e12}})");
    EXPECT_EQ(accelerator.id, "my-chip");
    EXPECT_EQ(accelerator.file, "dir/my-chip.json");
    EXPECT_EQ(accelerator.name, "x");
    EXPECT_EQ(accelerator.peakFlops.at("bf16"), FlopsPerSecond{420e12});
    EXPECT_EQ(memoryCapacity(accelerator), std::nullopt);
    EXPECT_EQ(accelerator.network, std::nullopt);
    EXPECT_EQ(accelerator.launchOverhead, Seconds{0});
    EXPECT_EQ(acceleratorRefusal(R"({"schema": "tessera.accelerator/1", "peak_flops": {"bf16": 1}})"),
              "a.json:1: field 'name' is missing; expected the field to be given");
    EXPECT_EQ(acceleratorRefusal(R"({"schema": "tessera.accelerator/1", "name": "x"})"),
              "a.json:1: field 'peak_flops' is missing; expected the field to be given");
    EXPECT_EQ(acceleratorRefusal(R"({"name": "x", "peak_flops": {"bf16": 1}})"),
              "a.json:1: field 'schema' is missing; expected 'tessera.accelerator/1'");
}

TEST(Accelerator, readsTheExampleOfItsDocumentation) {
    const Accelerator accelerator =
        parsed(R"({"schema": "tessera.accelerator/1", "name": "TPU-v3 board", "vendor": "Google",
 "peak_flops": {"bf16": 420e12}, "efficiency": {"gemm": 0.9},
 "memory": [{"name": "HBM", "capacity_bytes": 128e9, "bandwidth_bytes_per_s": 4800e9, "on_chip": false}],
 "network_bits_per_s": 16e9, "host_bandwidth_bytes_per_s": 16e9, "power_watts": 450, "price_per_hour_usd": 8.0,
 "placement": {"policy": "off-chip"}, "kernels": "kernels.csv", "launch_overhead_s": 0})");
    EXPECT_EQ(accelerator.vendor, "Google");
    EXPECT_EQ(accelerator.efficiency.at("gemm"), 0.9);
    ASSERT_EQ(accelerator.memory.size(), 1U);
    EXPECT_EQ(accelerator.memory[0].capacity, Bytes{128e9});
    EXPECT_EQ(accelerator.memory[0].bandwidth, BytesPerSecond{4800e9});
    EXPECT_FALSE(accelerator.memory[0].onChip);
    EXPECT_EQ(accelerator.network, BytesPerSecond{2e9});  // 16e9 bits
    EXPECT_EQ(accelerator.hostBandwidth, BytesPerSecond{16e9});
    EXPECT_EQ(accelerator.power, Watts{450});
    EXPECT_EQ(accelerator.pricePerHourUsd, 8.0);
    EXPECT_EQ(accelerator.placementPolicy, "off-chip");
    EXPECT_EQ(accelerator.kernels, "kernels.csv");
}

TEST(Accelerator, keepsTheProvenanceOfItsNumbers) {
    const std::string text =
        R"({"schema":"tessera.accelerator/1","name":"x","peak_flops":{"bf16":{"value":5,"source":"me","class":"measured"}},"launch_overhead_s":{"value":0,"source":"none"}})";
    const Accelerator accelerator = parsed(text);
    EXPECT_EQ(accelerator.peakFlops.at("bf16"), FlopsPerSecond{5});
    EXPECT_EQ(accelerator.provenance,
              (ProvenanceMap{{"peak_flops.bf16", {"me", "measured"}}, {"launch_overhead_s", {"none", ""}}}));
    EXPECT_EQ(toJson(accelerator).dump(), text);
}

TEST(Accelerator, keepsWhatPredictionReads) {
    const std::string text =
        R"({"schema":"tessera.accelerator/1","name":"x","peak_flops":{"bf16":5},"memory":[{"name":"a","capacity_bytes":{"value":320,"source":"table","class":"datasheet","alternatives":[{"value":640,"source":"text"}]},"on_chip":true},{"name":"b","on_chip":false}],"placement":{"policy":"off-chip","levels":{"weights":["a","b"]}},"host_peak_flops":7,"network_latency_s":1,"all_reduce":[{"bytes":240,"devices":8,"bandwidth_bytes_per_s":{"value":10,"class":"measured"}},{"bytes":5,"bandwidth_bytes_per_s":3}],"benchmarks":[{"model":"zoo:resnet50","utilization":0.25}]})";
    const Accelerator accelerator = parsed(text);
    EXPECT_EQ(toJson(accelerator).dump(), text);
    EXPECT_EQ(accelerator.provenance.at("memory[0].capacity_bytes").alternatives,
              (std::vector<Alternative>{{640, "text"}}));
    EXPECT_EQ(accelerator.placementLevels.at("weights"), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(accelerator.hostPeak, FlopsPerSecond{7});
    EXPECT_EQ(accelerator.networkLatency, Seconds{1});
    ASSERT_EQ(accelerator.allReduce.size(), 2U);
    EXPECT_EQ(accelerator.allReduce[0].devices, 8);
    EXPECT_EQ(accelerator.allReduce[1].devices, std::nullopt);
    EXPECT_EQ(accelerator.benchmarks, (std::vector<Benchmark>{{"zoo:resnet50", 0.25}}));
}

TEST(Accelerator, theLargestMemoryLevelIsItsCapacity) {
    const Accelerator accelerator =
        parsed(R"({"schema": "tessera.accelerator/1", "name": "x", "peak_flops": {"bf16": 1},
        "memory": [{"name": "r", "capacity_bytes": 27e6}, {"name": "s", "capacity_bytes": 20e6}, {"name": "h", "capacity_bytes": 8e9}, {"name": "?"}]})");
    EXPECT_EQ(memoryCapacity(accelerator), Bytes{8e9});
}

struct BadField {
    std::string field;
    std::string message;
};
std::ostream& operator<<(std::ostream& out, const BadField& bad) {
    return out << bad.field;
}

TEST(Accelerator, keepsTheFitsOfItsKernels) {
    const std::string text =
        R"({"schema":"tessera.accelerator/1","name":"x","peak_flops":{"bf16":5},"kernel_fits":[{"family":"normalization","dtype":"fp16","rows":3,"sources":"mine.csv","parameters":{"cache_bytes":1.5,"launch_us":4,"memory_bytes":1.25,"row_10ns":0},"spread":0.25,"class":"fitted"}]})";
    const Accelerator accelerator = parsed(text);
    ASSERT_EQ(accelerator.kernelFits.size(), 1U);
    EXPECT_EQ(accelerator.kernelFits[0].parameters.at("memory_bytes"), 1.25);
    EXPECT_EQ(toJson(accelerator).dump(), text);
}

TEST(Accelerator, refusesFitsThatLackParametersOrSayOneThingTwice) {
    const auto refusal = [](const std::string& fits) {
        return acceleratorRefusal(
            R"({"schema":"tessera.accelerator/1","name":"x","peak_flops":{"bf16":5},"kernel_fits":[)" + fits + "]}");
    };
    const auto fit = [](const std::string& parameters) {
        return R"({"family":"elementwise","dtype":"fp16","rows":3,"sources":"s","parameters":{)" + parameters +
               R"(},"spread":0.25,"class":"fitted"})";
    };
    const std::string all = R"("launch_us":1,"memory_bytes":1,"cache_bytes":1)";
    EXPECT_EQ(refusal(fit(R"("launch_us":1,"memory_bytes":1)")),
              "a.json:1: field 'kernel_fits[0].parameters.cache_bytes' is missing; expected the field to be given");
    EXPECT_EQ(refusal(fit(all + R"(,"fill":1)")),
              "a.json:1: field 'kernel_fits[0].parameters.fill' is unknown; expected one of launch_us, memory_bytes, "
              "cache_bytes");
    EXPECT_EQ(
        refusal(fit(all) + "," + fit(all)),
        "a.json:1: field 'kernel_fits[1].dtype' is 'fp16'; expected a family and data type that no other fit has");
    EXPECT_EQ(refusal(fit(R"("launch_us":-1,"memory_bytes":1,"cache_bytes":1)")),
              "a.json:1: field 'kernel_fits[0].parameters.launch_us' is '-1'; expected a number of 0 or more");
}

class WrongAccelerator : public testing::TestWithParam<BadField> {};

TEST_P(WrongAccelerator, isRefusedWithLineAndField) {
    EXPECT_EQ(acceleratorRefusal("{\"schema\": \"tessera.accelerator/1\", \"name\": \"x\",\n\"peak_flops\": {\"bf16\": "
                                 "1},\n" +
                                 GetParam().field + "}"),
              "a.json:3: " + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, WrongAccelerator,
    testing::Values(
        BadField{R"("colour": 1)",
                 "field 'colour' is unknown; expected one of schema, name, vendor, peak_flops, sustained_flops, "
                 "compute_units, efficiency, memory, network_bits_per_s, network_peers, host_bandwidth_bytes_per_s, "
                 "power_watts, price_per_hour_usd, "
                 "placement, kernels, launch_overhead_s, host_peak_flops, network_latency_s, all_reduce, benchmarks, "
                 "kernel_fits"},
        BadField{R"("compute_units": 0)", "field 'compute_units' is '0'; expected a whole number above 0"},
        BadField{R"("compute_units": 2.5)", "field 'compute_units' is '2.5'; expected a whole number above 0"},
        BadField{R"("power_wats": 1)", "field 'power_wats' is unknown; expected 'power_watts' perhaps"},
        BadField{R"("power_watts": 0)", "field 'power_watts' is '0'; expected a number above 0"},
        BadField{R"("power_watts": "450")",
                 "field 'power_watts' is the text '450'; expected a number above 0, or a text with its unit such as "
                 "'450 W'"},
        BadField{R"("power_watts": 1e31)", "field 'power_watts' is '1e+31'; expected a number from 1e-30 to 1e30"},
        BadField{R"("power_watts": null)", "field 'power_watts' is 'null'; expected a number above 0"},
        BadField{R"("power_watts": [1])", "field 'power_watts' is a list; expected a number above 0"},
        BadField{R"("power_watts": {"value": -1})", "field 'power_watts.value' is '-1'; expected a number above 0"},
        BadField{R"("power_watts": {"source": "x"})",
                 "field 'power_watts.value' is missing; expected the field to be given"},
        BadField{R"("power_watts": {"value": 1, "class": "rumour"})",
                 "field 'power_watts.class' is 'rumour'; expected one of measured, datasheet, assumed, yours"},
        BadField{R"("power_watts": {"value": 1, "sauce": "x"})",
                 "field 'power_watts.sauce' is unknown; expected 'source' perhaps"},
        BadField{R"("network_bits_per_s": 5e-324)",
                 "field 'network_bits_per_s' is '5e-324'; expected a number from 1e-30 to 1e30"},
        BadField{R"("network_bits_per_s": 1e400)", "field 'network_bits_per_s' is '1e400'; expected a finite number"},
        BadField{R"("price_per_hour_usd": -0.5)",
                 "field 'price_per_hour_usd' is '-0.5'; expected a number of 0 or more"},
        BadField{R"("efficiency": {"gemm": 1.5})",
                 "field 'efficiency.gemm' is '1.5'; expected a number above 0 and at most 1"},
        BadField{R"("efficiency": {})", "field 'efficiency' is an empty object; expected at least one entry"},
        BadField{R"("efficiency": 0.9)", "field 'efficiency' is '0.9'; expected an object"},
        BadField{R"("memory": {})", "field 'memory' is an object; expected a list"},
        BadField{R"("memory": [{}])", "field 'memory[0].name' is missing; expected the field to be given"},
        BadField{R"("memory": [{"name": "a"}, {"name": "a"}])",
                 "field 'memory[1].name' is 'a'; expected a name that no other level has"},
        BadField{R"("memory": [{"name": "a", "on_chip": 1}])",
                 "field 'memory[0].on_chip' is '1'; expected true or false"},
        BadField{
            R"("memory": [{"name": "a", "bandwidth_bytes_per_s": 1}, {"name": "b"}, {"name": "c", "bandwidth_bytes_per_s": 2}])",
            "field 'memory[2].bandwidth_bytes_per_s' is more than that of a level before it; expected levels from the "
            "fastest to the largest"},
        BadField{R"("memory": [{"name": "a", "capacity_bytes": 2}, {"name": "b", "capacity_bytes": 1}])",
                 "field 'memory[1].capacity_bytes' is less than that of a level before it; expected levels from the "
                 "fastest to the largest"},
        BadField{R"("placement": {"policy": "off-chip", "levels": {"weights": ["HBM"]}})",
                 "field 'placement.levels.weights[0]' is 'HBM'; expected one of "},
        BadField{R"("all_reduce": [{"bytes": 5}])",
                 "field 'all_reduce[0].bandwidth_bytes_per_s' is missing; expected the field to be given"},
        BadField{R"("benchmarks": [{"model": "/etc/passwd", "utilization": 0.5}])",
                 "field 'benchmarks[0].model' is '/etc/passwd'; expected a model of the zoo, zoo:NAME"},
        BadField{R"("power_watts": {"value": 1, "alternatives": [{"source": "x"}]})",
                 "field 'power_watts.alternatives[0].value' is missing; expected the field to be given"},
        BadField{R"("placement": "off-chip")", "field 'placement' is 'off-chip'; expected an object"},
        BadField{R"("placement": {})", "field 'placement.policy' is missing; expected the field to be given"},
        BadField{R"("kernels": " ")", "field 'kernels' is ' '; expected a name that is not blank"},
        BadField{R"("launch_overhead_s": -1)", "field 'launch_overhead_s' is '-1'; expected a number of 0 or more"},
        BadField{R"("vendor": 5)", "field 'vendor' is '5'; expected a text"},
        BadField{R"("vendor": "x", "vendor": "y")",
                 "found the key 'vendor' twice in one object; expected every key once"}));

TEST(Accelerator, refusesANewerVersionByName) {
    EXPECT_EQ(
        acceleratorRefusal("{\n\"schema\": \"tessera.accelerator/2\", \"colour\": 1}"),
        "a.json:2: field 'schema' is 'tessera.accelerator/2'; expected an older version: tessera.accelerator/2 is "
        "newer than this program, which reads up to tessera.accelerator/1");
}

TEST(Accelerator, refusesAnotherKindOfFile) {
    EXPECT_EQ(acceleratorRefusal(R"({"schema": "tessera.fleet/1"})"),
              "a.json:1: field 'schema' is 'tessera.fleet/1'; expected 'tessera.accelerator/1'");
}

TEST(Accelerator, showsStrangeNamesEscapedAndRefusesLongOnes) {
    const std::string head = R"({"schema": "tessera.accelerator/1", "peak_flops": {"bf16": 1}, "name": ")";
    EXPECT_EQ(acceleratorRefusal(head + std::string(256, 'n') + "\"}"), "no error");
    EXPECT_EQ(acceleratorRefusal(head + "\\u001b[31m" + std::string(256, 'n') + "\"}"),
              "a.json:1: field 'name' is '\\x1B[31m" + std::string(72, 'n') +
                  "…'; expected a text of at most 256 characters");
    EXPECT_EQ(acceleratorRefusal(head + "\\t\"}"),
              "a.json:1: field 'name' is '\\x09'; expected a name that is not blank");
    EXPECT_EQ(acceleratorRefusal(R"({"schema": "tessera.accelerator/1", "name": "x", "peak_flops": {"": 1}})"),
              "a.json:1: field 'peak_flops.' is under another name; expected a name of 1 to 256 characters");
}

TEST(Accelerator, limitsTheNumberOfItsEntries) {
    std::string types, levels;
    for (int i = 0; i < 101; ++i) {
        types += ",\"t" + std::to_string(i) + "\":1";
        levels += ",{\"name\":\"m" + std::to_string(i) + "\"}";
    }
    EXPECT_EQ(acceleratorRefusal(R"({"schema": "tessera.accelerator/1", "name": "x", "peak_flops": {)" +
                                 types.substr(1) + "}}"),
              "a.json:1: field 'peak_flops' is an object; expected at most 100 entries");
    EXPECT_EQ(acceleratorRefusal(
                  R"({"schema": "tessera.accelerator/1", "name": "x", "peak_flops": {"bf16": 1}, "memory": [)" +
                  levels.substr(1) + "]}"),
              "a.json:1: field 'memory' is a list of 101; expected at most 100 entries");
}

}  // namespace
