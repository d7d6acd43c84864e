#include "core/hardware/platform.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/random.h"
#include "tests/core/hardware/documents.h"
#include "tests/support/schema.h"
#include "tests/support/scratch_folder.h"

namespace fs = std::filesystem;
using namespace tessera;
using namespace tessera::hardware;

namespace {

const char* const kFullPlatform = R"({
 "schema": "tessera.platform/1", "name": "full \u00e9", "clock_hz": {"value": 2e8, "source": "sheet"},
 "bandwidth_bytes_per_s": 16e9,
 "sub_accelerators": [
  {"name": "HB", "count": 3, "array_height": 32, "array_width": {"value": 64, "class": "assumed"}, "dataflow": "nvdla",
   "sl_bytes": 72, "sg_bytes": 2048.5},
  {"name": "own", "array_height": 8, "array_width": 16, "dataflow": {"name": "mine", "text": "SpatialMap(1,1) K;"},
   "depthwise_dataflow": {"name": "per channel", "text": "SpatialMap(1,1) C;"},
   "sl_bytes": 1e3, "sg_bytes": 2e6, "clock_hz": 4e8, "flexible": true}]
})";

Platform parsedPlatform(const std::string& text, const std::string& file = "dir/mine.json") {
    return readPlatform(JsonDocument::parse(text, file).root());
}

std::string platformRefusal(const std::string& text) {
    return test::messageOf([&] { parsedPlatform(text); });
}

/// A platform of one sub-accelerator with the given field instead of its own.
std::string platformWith(const std::string& name, const std::string& value) {
    Json json = Json::parse(R"({"name": "a", "array_height": 2, "array_width": 2, "dataflow": "nvdla", "sl_bytes": 1,
                                "sg_bytes": 1})");
    json[name] = Json::parse(value);
    return R"({"schema": "tessera.platform/1", "name": "p", "clock_hz": 1, "bandwidth_bytes_per_s": 1,
"sub_accelerators": [)" +
           json.dump() + "]}";
}

TEST(Platform, readsEveryField) {
    const Platform platform = parsedPlatform(kFullPlatform);
    EXPECT_EQ(platform.id, "mine");
    EXPECT_EQ(platform.name, "full é");
    EXPECT_EQ(platform.clock, Hertz{2e8});
    EXPECT_EQ(bytesPerCycle(platform), 80);
    ASSERT_EQ(platform.subAccelerators.size(), 2U);
    const SubAccelerator& first = platform.subAccelerators[0];
    EXPECT_EQ(first.count, 3);
    EXPECT_EQ(first.height, 32);
    EXPECT_EQ(first.width, 64);
    EXPECT_EQ(first.dataflow.name, "nvdla");
    EXPECT_EQ(first.dataflow.text, "");
    EXPECT_EQ(first.sharedBuffer, Bytes{2048.5});
    EXPECT_EQ(clockOf(platform, first), Hertz{2e8});
    const SubAccelerator& second = platform.subAccelerators[1];
    EXPECT_EQ(second.count, 1);
    EXPECT_EQ(second.dataflow.name, "mine");
    EXPECT_EQ(second.dataflow.text, "SpatialMap(1,1) K;");
    EXPECT_EQ(first.depthwise, (DataflowSource{.name = "depthwise"}));
    EXPECT_EQ(second.depthwise,
              (DataflowSource{.name = "per channel", .text = "SpatialMap(1,1) C;", .isInline = true}));
    EXPECT_TRUE(second.flexible);
    EXPECT_EQ(clockOf(platform, second), Hertz{4e8});
    EXPECT_EQ(platform.provenance.at("sub_accelerators[0].array_width"), (Provenance{"", "assumed"}));
    EXPECT_EQ(platform.provenance.at("clock_hz").source, "sheet");
}

TEST(Platform, isWrittenBackWithoutLossAndValid) {
    const Platform platform = parsedPlatform(kFullPlatform);
    EXPECT_EQ(parsedPlatform(toText(toJson(platform))), platform);
    EXPECT_EQ(parsedPlatform(toText(toJsonInline(platform))), platform);
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(toJson(platform).dump()), "platform.schema.json"), "");
}

TEST(Platform, namesItsCoresByRows) {
    const Platform platform = parsedPlatform(kFullPlatform);
    EXPECT_EQ(coreCount(platform), 4);
    EXPECT_EQ(elementCount(platform), 3 * 32 * 64 + 8 * 16);
    EXPECT_EQ(coreNames(platform), (std::vector<std::string>{"HB 1", "HB 2", "HB 3", "own"}));
    EXPECT_EQ(coresOf(platform), (std::vector<std::size_t>{0, 0, 0, 1}));
}

TEST(Platform, readsADataflowBesideItsFileAndWritesItOutWhereAsked) {
    const test::ScratchFolder folder;
    writeFile(folder / "own.m", "TemporalMap(1,1) C;\n");
    const Platform platform = parsedPlatform(platformWith("dataflow", R"("own.m")"), (folder / "p.json").string());
    EXPECT_EQ(platform.subAccelerators[0].dataflow.text, "TemporalMap(1,1) C;\n");
    EXPECT_EQ(toJson(platform)["sub_accelerators"][0]["dataflow"], "own.m");
    EXPECT_FALSE(toJson(platform)["sub_accelerators"][0].contains("depthwise_dataflow"));
    const Platform other =
        parsedPlatform(platformWith("depthwise_dataflow", R"("own.m")"), (folder / "p.json").string());
    EXPECT_EQ(other.subAccelerators[0].depthwise.text, "TemporalMap(1,1) C;\n");
    EXPECT_EQ(toJson(other)["sub_accelerators"][0]["depthwise_dataflow"], "own.m");
    EXPECT_EQ(toJsonInline(platform)["sub_accelerators"][0]["dataflow"],
              Json::parse(R"({"name": "own", "text": "TemporalMap(1,1) C;\n"})"));
}

struct PlatformFault {
    const char* name;
    std::string text;
    const char* message;
};
void PrintTo(const PlatformFault& wrong, std::ostream* out) {
    *out << wrong.name;
}

class WrongPlatform : public testing::TestWithParam<PlatformFault> {};

TEST_P(WrongPlatform, isRefusedWithLineAndField) {
    EXPECT_EQ(platformRefusal(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Files, WrongPlatform,
    testing::Values(
        PlatformFault{"anotherKind", R"({"schema": "tessera.fleet/1"})",
                      "dir/mine.json:1: field 'schema' is 'tessera.fleet/1'; expected 'tessera.platform/1'"},
        PlatformFault{
            "noCores",
            R"({"schema": "tessera.platform/1", "name": "p", "clock_hz": 1, "bandwidth_bytes_per_s": 1,
"sub_accelerators": []})",
            "dir/mine.json:2: field 'sub_accelerators' is an empty list; expected at least one sub-accelerator"},
        PlatformFault{
            "noClock", R"({"schema": "tessera.platform/1", "name": "p"})",
            "dir/mine.json:1: field 'clock_hz' is missing; expected the field to be given (and 2 other faults)"},
        PlatformFault{
            "unknownField", platformWith("pes", "4"),
            "dir/mine.json:2: field 'sub_accelerators[0].pes' is unknown; expected one of name, count, array_height, "
            "array_width, dataflow, depthwise_dataflow, sl_bytes, sg_bytes, clock_hz, flexible"},
        PlatformFault{
            "noElements", platformWith("array_height", "0"),
            "dir/mine.json:2: field 'sub_accelerators[0].array_height' is '0'; expected a whole number above 0"},
        PlatformFault{
            "fractionOfARow", platformWith("array_width", "1.5"),
            "dir/mine.json:2: field 'sub_accelerators[0].array_width' is '1.5'; expected a whole number above 0"},
        PlatformFault{
            "tooManyCores", platformWith("count", "10001"),
            "dir/mine.json:2: field 'sub_accelerators[0].count' is '10001'; expected a whole number of at most 10000"},
        PlatformFault{"noBuffer", platformWith("sg_bytes", "-1"),
                      "dir/mine.json:2: field 'sub_accelerators[0].sg_bytes' is '-1'; expected a number above 0"},
        PlatformFault{
            "blankDataflow", platformWith("dataflow", R"(" ")"),
            "dir/mine.json:2: field 'sub_accelerators[0].dataflow' is ' '; expected a bundled dataflow's name, or a "
            "path"},
        PlatformFault{
            "noSuchFile", platformWith("dataflow", R"("none/such.m")"),
            "dir/mine.json:2: field 'sub_accelerators[0].dataflow' is 'none/such.m'; expected a bundled dataflow's "
            "name, "
            "or the path of a dataflow's file beside this one"},
        PlatformFault{
            "emptyDataflow", platformWith("dataflow", R"({"name": "d", "text": " "})"),
            "dir/mine.json:2: field 'sub_accelerators[0].dataflow.text' is without any directive; expected a dataflow"},
        PlatformFault{
            "dataflowOfANumber", platformWith("dataflow", "3"),
            "dir/mine.json:2: field 'sub_accelerators[0].dataflow' is '3'; expected a bundled dataflow's name, a "
            "path, or "
            "a dataflow {\"name\", \"text\"}"},
        PlatformFault{
            "noSuchDepthwiseFile", platformWith("depthwise_dataflow", R"("none/such.m")"),
            "dir/mine.json:2: field 'sub_accelerators[0].depthwise_dataflow' is 'none/such.m'; expected a bundled "
            "dataflow's name, or the path of a dataflow's file beside this one"},
        PlatformFault{
            "flexibleWord", platformWith("flexible", R"("yes")"),
            "dir/mine.json:2: field 'sub_accelerators[0].flexible' is the text 'yes'; expected true or false"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Platform, refusesTwoRowsOfOneNameAndMoreCoresThanItsLimit) {
    Json json = Json::parse(kFullPlatform);
    json["sub_accelerators"][1]["name"] = "HB";
    EXPECT_EQ(
        platformRefusal(json.dump()),
        "dir/mine.json:1: field 'sub_accelerators[1].name' is 'HB'; expected a name that no other sub-accelerator has");
    json["sub_accelerators"][1]["name"] = "LB";
    json["sub_accelerators"][1]["count"] = 9'998;
    EXPECT_EQ(
        platformRefusal(json.dump()),
        "dir/mine.json:1: field 'sub_accelerators[1]' is one of 10001 cores; expected at most 10000 cores in all");
    json["sub_accelerators"][1]["count"] = 1;
    json["sub_accelerators"][1]["array_height"] = 1'048'576;
    json["sub_accelerators"][1]["array_width"] = 1'048'576;
    EXPECT_EQ(
        platformRefusal(json.dump()),
        "dir/mine.json:1: field 'sub_accelerators[1].array_height' is 1048576, with a width of 1048576; expected at "
        "most 1073741824 processing elements");
}

TEST(Platform, survivesEveryTruncationAndFlippedBytes) {
    const std::string whole = kFullPlatform;
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_NE(platformRefusal(whole.substr(0, length)), "no error") << length;
    RandomStream random(3);
    for (int i = 0; i < 2'000; ++i) {
        std::string text = whole;
        text[random.below(text.size())] = static_cast<char>(random.below(256));
        try {
            const Platform platform = parsedPlatform(text);
            EXPECT_EQ(parsedPlatform(toText(toJson(platform))), platform);
        } catch (const DataError&) {
            continue;
        }
    }
}

}  // namespace
