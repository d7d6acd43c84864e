// Every file in data/accelerators, data/fleets, data/platforms and data/templates, one by one: hardware is added by
// adding a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/hardware/library.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

namespace fs = std::filesystem;
using namespace tessera;
using namespace tessera::hardware;

namespace {

std::vector<std::string> stemsIn(const std::string& folder) {
    std::vector<std::string> stems;
    for (const auto& entry : fs::directory_iterator(test::sourcePath(folder))) {
        EXPECT_EQ(entry.path().extension(), ".json") << entry.path();
        stems.push_back(entry.path().stem().string());
    }
    std::sort(stems.begin(), stems.end());
    return stems;
}

std::string testName(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

/// Paths of numbers that stand alone, without source and class. A count is a choice, not a measurement; dimensions are
/// those of a size, which says where they come from.
void collectBareNumbers(const Json& json, const std::string& path, std::vector<std::string>& found) {
    if (json.is_number() && !path.ends_with(".count") && path.find(".dims.") == std::string::npos)
        found.push_back(path);
    if (json.is_object() && json.contains("value")) {
        const std::string source = json.value("source", "");
        const std::string reliability = json.value("class", "");
        if (source.size() < 5 || reliability.empty()) found.push_back(path);
        return;
    }
    if (!json.is_structured()) return;  // a scalar would be its own only item
    for (const auto& [key, child] : json.items()) collectBareNumbers(child, path + "." + key, found);
}

std::vector<std::string> bareNumbers(const Json& json) {
    std::vector<std::string> found;
    collectBareNumbers(json, "", found);
    return found;
}

nlohmann::json plain(const Json& json) {
    return nlohmann::json::parse(json.dump());
}

class EveryAccelerator : public testing::TestWithParam<std::string> {
protected:
    std::string path() const { return test::sourcePath("data/accelerators/" + GetParam() + ".json").string(); }
};

TEST_P(EveryAccelerator, isFoundByItsStem) {
    const Accelerator accelerator = loadAccelerator(GetParam());
    EXPECT_EQ(accelerator.id, GetParam());
    EXPECT_EQ(fs::path(accelerator.file), fs::path(path()));
    EXPECT_FALSE(accelerator.vendor.empty());
    EXPECT_TRUE(accelerator.network.has_value() || !accelerator.allReduce.empty()) << "how devices exchange data";
    EXPECT_TRUE(memoryCapacity(accelerator).has_value());
    EXPECT_TRUE(accelerator.computeUnits.has_value());
}

TEST_P(EveryAccelerator, isValidByItsSchema) {
    EXPECT_EQ(test::schemaErrors(plain(JsonDocument::load(path()).json()), "accelerator.schema.json"), "");
}

TEST_P(EveryAccelerator, isWrittenBackWithoutLoss) {
    const JsonDocument document = JsonDocument::load(path());
    const Accelerator accelerator = readAccelerator(document.root());
    const Json written = toJson(accelerator);
    EXPECT_EQ(readAccelerator(JsonDocument::parse(toText(written), path()).root()), accelerator);
    // As values, nothing of the file is missing either; keys may stand in another order.
    EXPECT_EQ(plain(written), plain(document.json()));
}

TEST_P(EveryAccelerator, saysWhereEachNumberComesFrom) {
    EXPECT_EQ(bareNumbers(JsonDocument::load(path()).json()), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Files, EveryAccelerator, testing::ValuesIn(stemsIn("data/accelerators")), testName);

class EveryFleet : public testing::TestWithParam<std::string> {
protected:
    std::string path() const { return test::sourcePath("data/fleets/" + GetParam() + ".json").string(); }
};

TEST_P(EveryFleet, isFoundByItsStem) {
    const Fleet fleet = loadFleet(GetParam());
    EXPECT_EQ(fleet.id, GetParam());
    for (const Group& group : fleet.groups) EXPECT_TRUE(networkRate(group).has_value()) << group.name;
}

TEST_P(EveryFleet, namesAFloatTypeThatAllItsGroupsHave) {
    const Fleet fleet = loadFleet(GetParam());
    const auto everywhere = [&](const char* type) {
        return std::all_of(fleet.groups.begin(), fleet.groups.end(),
                           [&](const Group& group) { return group.accelerator.peakFlops.contains(type); });
    };
    EXPECT_TRUE(everywhere("bf16") || everywhere("fp16"));
}

TEST_P(EveryFleet, isValidByItsSchemaAlsoWithItsAcceleratorsInline) {
    EXPECT_EQ(test::schemaErrors(plain(JsonDocument::load(path()).json()), "fleet.schema.json"), "");
    EXPECT_EQ(test::schemaErrors(plain(toJsonInline(loadFleet(GetParam()))), "fleet.schema.json"), "");
}

TEST_P(EveryFleet, isWrittenBackWithoutLoss) {
    const JsonDocument document = JsonDocument::load(path());
    const Fleet fleet = readFleet(document.root());
    EXPECT_EQ(readFleet(JsonDocument::parse(toText(toJson(fleet)), path()).root()), fleet);
    EXPECT_EQ(plain(toJson(fleet)), plain(document.json()));
}

TEST_P(EveryFleet, saysWhereEachNumberComesFrom) {
    EXPECT_EQ(bareNumbers(JsonDocument::load(path()).json()), std::vector<std::string>{});
}

TEST_P(EveryFleet, hasLevelsNoFasterThanTheLinksOfItsAccelerators) {
    for (const Group& group : loadFleet(GetParam()).groups) {
        if (std::string(GetParam()).starts_with("accpar")) continue;  // arrays of the paper, of one rate each
        ASSERT_FALSE(group.levels.empty()) << group.name;
        EXPECT_EQ(acceleratorsJoined(group.levels), group.count) << group.name;
        BytesPerSecond inner = *group.accelerator.network;
        for (const TopologyLevel& level : group.levels) {
            ASSERT_TRUE(level.bandwidth.has_value()) << level.name;
            EXPECT_LE(*level.bandwidth, inner) << level.name << ": one direction";
            inner = *level.bandwidth;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Files, EveryFleet, testing::ValuesIn(stemsIn("data/fleets")), testName);

class EveryPlatform : public testing::TestWithParam<std::string> {
protected:
    std::string path() const { return test::sourcePath("data/platforms/" + GetParam() + ".json").string(); }
};

TEST_P(EveryPlatform, isFoundByItsStem) {
    const Platform platform = loadPlatform(GetParam());
    EXPECT_EQ(platform.id, GetParam());
    EXPECT_EQ(coreNames(platform).size(), static_cast<std::size_t>(coreCount(platform)));
}

TEST_P(EveryPlatform, isValidByItsSchema) {
    EXPECT_EQ(test::schemaErrors(plain(JsonDocument::load(path()).json()), "platform.schema.json"), "");
    EXPECT_EQ(test::schemaErrors(plain(toJsonInline(loadPlatform(GetParam()))), "platform.schema.json"), "");
}

TEST_P(EveryPlatform, isWrittenBackWithoutLoss) {
    const JsonDocument document = JsonDocument::load(path());
    const Platform platform = readPlatform(document.root());
    EXPECT_EQ(readPlatform(JsonDocument::parse(toText(toJson(platform)), path()).root()), platform);
    EXPECT_EQ(plain(toJson(platform)), plain(document.json()));
}

TEST_P(EveryPlatform, saysWhereEachNumberComesFrom) {
    EXPECT_EQ(bareNumbers(JsonDocument::load(path()).json()), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Files, EveryPlatform, testing::ValuesIn(stemsIn("data/platforms")), testName);

class EveryTemplate : public testing::TestWithParam<std::string> {
protected:
    std::string path() const { return test::sourcePath("data/templates/" + GetParam() + ".json").string(); }
};

TEST_P(EveryTemplate, isFoundByItsStemAndHasPointsWithinItsBound) {
    const Template space = loadTemplate(GetParam());
    EXPECT_EQ(space.id, GetParam());
    const std::vector<Architecture> all = architectures(space);
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Architecture& architecture) {
        return areaOf(architecture, space).total() <= areaBound(space);
    }));
}

TEST_P(EveryTemplate, isValidByItsSchema) {
    EXPECT_EQ(test::schemaErrors(plain(JsonDocument::load(path()).json()), "template.schema.json"), "");
}

TEST_P(EveryTemplate, isWrittenBackWithoutLoss) {
    const JsonDocument document = JsonDocument::load(path());
    const Template space = readTemplate(document.root());
    EXPECT_EQ(readTemplate(JsonDocument::parse(toText(toJson(space)), path()).root()), space);
    EXPECT_EQ(plain(toJson(space)), plain(document.json()));
}

TEST_P(EveryTemplate, saysWhereEachNumberComesFrom) {
    EXPECT_EQ(bareNumbers(JsonDocument::load(path()).json()), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Files, EveryTemplate, testing::ValuesIn(stemsIn("data/templates")), testName);

/// A row of MAGMA's Table III, its cores as "count x (height, dataflow, KB of buffers)".
struct Setting {
    const char* name;
    std::int64_t cores;
    std::int64_t elements;
    const char* rows;
};

TEST(BundledPlatforms, areTable3OfMagma) {
    const std::vector<Setting> settings{
        {"S1", 4, 8'192, "4x(32, nvdla, 146)"},
        {"S2", 4, 8'192, "3x(32, nvdla, 146) 1x(32, shidiannao, 110)"},
        {"S3", 8, 65'536, "8x(128, nvdla, 580)"},
        {"S4", 8, 65'536, "7x(128, nvdla, 580) 1x(128, shidiannao, 434)"},
        {"S5", 8, 49'152, "3x(128, nvdla, 580) 1x(128, shidiannao, 434) 3x(64, nvdla, 291) 1x(64, shidiannao, 218)"},
        {"S6", 16, 98'304, "7x(128, nvdla, 580) 1x(128, shidiannao, 434) 7x(64, nvdla, 291) 1x(64, shidiannao, 218)"}};
    for (const Setting& setting : settings) {
        const Platform platform = loadPlatform(setting.name);  // in upper case: files are in lower case
        EXPECT_EQ(platform.name, setting.name);
        EXPECT_EQ(platform.clock, Hertz{200e6});
        EXPECT_EQ(coreCount(platform), setting.cores);
        EXPECT_EQ(elementCount(platform), setting.elements);
        std::string rows;
        for (const SubAccelerator& core : platform.subAccelerators) {
            EXPECT_EQ(core.width, 64);
            EXPECT_FALSE(core.flexible);
            const double buffers =
                core.localBuffer.value * static_cast<double>(core.height * core.width) + core.sharedBuffer.value;
            rows += (rows.empty() ? "" : " ") + std::to_string(core.count) + "x(" + std::to_string(core.height) + ", " +
                    core.dataflow.name + ", " + std::to_string(static_cast<int>(buffers / 1024)) + ")";
        }
        EXPECT_EQ(rows, setting.rows);
    }
}

TEST(BundledPlatforms, flexibleOnesKeepTheirElementsAndHaveTheBuffersOfSection6F) {
    for (const std::string name : {"s1", "s3"}) {
        const Platform fixed = loadPlatform(name);
        const Platform flexible = loadPlatform(name + "-flexible");
        EXPECT_EQ(elementCount(flexible), elementCount(fixed));
        for (const SubAccelerator& core : flexible.subAccelerators) {
            EXPECT_TRUE(core.flexible);
            EXPECT_EQ(core.localBuffer, Bytes{1024});
            EXPECT_EQ(core.sharedBuffer, Bytes{2 * 1024 * 1024});
        }
    }
}

struct Board {
    std::string id;
    double flops, capacity, bandwidth, bitsPerSecond;
};

TEST(BundledAccelerators, theBoardsOfAccParAreItsTable7) {
    for (const Board& board :
         {Board{"tpu-v2-board", 180e12, 64e9, 2400e9, 8e9}, Board{"tpu-v3-board", 420e12, 128e9, 4800e9, 16e9}}) {
        const Accelerator accelerator = loadAccelerator(board.id);
        EXPECT_EQ(accelerator.peakFlops.at("bf16"), FlopsPerSecond{board.flops});
        EXPECT_EQ(memoryCapacity(accelerator), Bytes{board.capacity});
        EXPECT_EQ(accelerator.memory.at(0).bandwidth, BytesPerSecond{board.bandwidth});
        EXPECT_EQ(toBitsPerSecond(*accelerator.network), board.bitsPerSecond);
        EXPECT_TRUE(accelerator.efficiency.empty());
    }
    EXPECT_EQ(loadAccelerator("tpu-v3-board").provenance.at("memory[0].bandwidth_bytes_per_s").reliability, "assumed");
}

TEST(BundledAccelerators, areThoseOfTheMarketThatPeopleAskFor) {
    for (const char* id : {"v100",      "v100-16gb",     "v100-pcie", "p100",         "p4",    "t4",      "a100",
                           "a100-40gb", "a100-pcie",     "a30",       "a40",          "l4",    "l40",     "l40s",
                           "rtx6000",   "h100",          "h100-pcie", "h100-96gb",    "h200",  "b200",    "b300",
                           "gb200",     "gb300",         "mi100",     "mi210",        "mi250", "mi300x",  "mi355x",
                           "gaudi",     "gaudi2",        "gaudi3",    "rtx-pro-6000", "gc200", "bow",     "cs2",
                           "sn30",      "tpu-v2",        "tpu-v3",    "tpu-v4",       "b60",   "tpu-v5e", "tpu-v5p",
                           "ascend910", "a100-pcie-40gb"}) {
        const Accelerator accelerator = loadAccelerator(id);
        for (const auto& [type, rate] : accelerator.peakFlops) {
            const double fp16 =
                accelerator.peakFlops.contains("fp16") ? accelerator.peakFlops.at("fp16").value : rate.value;
            EXPECT_LE(rate.value, 8 * fp16) << id << " " << type << ": a peak with sparsity, or another power of ten?";
        }
        EXPECT_TRUE(accelerator.memory.back().bandwidth.has_value()) << id;
    }
}

TEST(BundledFleets, accParHeterogeneousIs128BoardsOfEachKindWithoutLinks) {
    const Fleet fleet = loadFleet("accpar-heterogeneous");
    ASSERT_EQ(fleet.groups.size(), 2U);
    EXPECT_EQ(fleet.groups[0].name, "v2");
    EXPECT_EQ(fleet.groups[0].count, 128);
    EXPECT_EQ(fleet.groups[0].accelerator.id, "tpu-v2-board");
    EXPECT_EQ(fleet.groups[1].name, "v3");
    EXPECT_EQ(fleet.groups[1].count, 128);
    EXPECT_EQ(fleet.groups[1].accelerator.id, "tpu-v3-board");
    EXPECT_TRUE(fleet.links.empty());
    EXPECT_FALSE(fleet.topology.has_value());
    EXPECT_EQ(acceleratorCount(fleet), 256);
}

TEST(BundledFleets, accParHomogeneousIs128BoardsOfTheNewerKind) {
    const Fleet fleet = loadFleet("accpar-homogeneous");
    ASSERT_EQ(fleet.groups.size(), 1U);
    EXPECT_EQ(fleet.groups[0].accelerator.id, "tpu-v3-board");
    EXPECT_EQ(acceleratorCount(fleet), 128);
}

}  // namespace
