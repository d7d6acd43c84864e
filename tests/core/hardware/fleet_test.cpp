#include "core/hardware/fleet.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "tests/core/hardware/documents.h"
#include "tests/support/schema.h"

using namespace tessera;
using namespace tessera::hardware;
using tessera::test::fleetRefusal;
using tessera::test::kFullFleet;

namespace {

Fleet parsedFleet(const std::string& text) {
    return readFleet(JsonDocument::parse(text, "dir/mine.json").root());
}

TEST(Fleet, readsEveryField) {
    const Fleet fleet = parsedFleet(kFullFleet);
    EXPECT_EQ(fleet.id, "mine");
    EXPECT_EQ(fleet.name, "full é");
    ASSERT_EQ(fleet.groups.size(), 3U);
    EXPECT_EQ(fleet.groups[0].count, 3);
    EXPECT_EQ(networkRate(fleet.groups[0]), BytesPerSecond{5e9 / 8});  // its own
    EXPECT_EQ(fleet.groups[0].accelerator.id, "");
    EXPECT_EQ(fleet.groups[0].accelerator.network, BytesPerSecond{3.3e9 / 8});
    EXPECT_EQ(fleet.groups[0].accelerator.provenance.at("peak_flops.fp32").reliability, "assumed");
    ASSERT_EQ(fleet.groups[0].levels.size(), 1U);
    EXPECT_EQ(fleet.groups[0].levels[0].kind, LevelKind::ring);
    EXPECT_EQ(fleet.groups[0].levels[0].bandwidth, BytesPerSecond{1e9});
    EXPECT_EQ(fleet.groups[0].levels[0].latency, std::nullopt);
    EXPECT_EQ(fleet.provenance.at("groups[0].levels[0].bandwidth_bytes_per_s").source, "l");
    EXPECT_EQ(fleet.groups[1].count, 1);
    EXPECT_EQ(networkRate(fleet.groups[1]), BytesPerSecond{2e9});  // its accelerator's
    EXPECT_EQ(fleet.groups[1].reference, "tpu-v3-board");
    EXPECT_EQ(networkRate(fleet.groups[2]), std::nullopt);
    EXPECT_EQ(acceleratorCount(fleet), 1'000'004);
    ASSERT_EQ(fleet.links.size(), 2U);
    EXPECT_EQ(fleet.links[0], (Link{"b", "a", BytesPerSecond{1e9}, Seconds{1e-6}}));
    EXPECT_EQ(fleet.links[1].latency, Seconds{0});
    ASSERT_TRUE(fleet.topology.has_value());
    EXPECT_EQ(fleet.topology->rate, BytesPerSecond{2.5e8});
    ASSERT_EQ(fleet.topology->children.size(), 2U);
    EXPECT_EQ(fleet.topology->children[0].group, "c");
    EXPECT_EQ(fleet.topology->children[1].children[1].children[0].group, "b");
    EXPECT_EQ(fleet.provenance.at("groups[0].count"), (Provenance{"counted", "measured"}));
    EXPECT_EQ(fleet.provenance.at("topology.bits_per_s").source, "t");
    EXPECT_EQ(fleet.provenance.at("topology.node[1].latency_s").source, "s");
}

TEST(Fleet, isWrittenBackWithoutLoss) {
    const Fleet fleet = parsedFleet(kFullFleet);
    EXPECT_EQ(parsedFleet(toText(toJson(fleet))), fleet);
    EXPECT_EQ(toJson(fleet)["groups"][1]["accelerator"], "tpu-v3-board");
}

TEST(Fleet, keepsWhatANumberOfOnesOwnReplaced) {
    const std::string text = R"({"schema": "tessera.fleet/2", "name": "mine", "groups": [{"name": "a",
"accelerator": {"schema": "tessera.accelerator/1", "name": "x", "peak_flops": {"bf16": 1}},
"count": {"value": 16, "source": "set by hand on 2026-11-23", "class": "yours",
"was": {"value": 32, "source": "four nodes of 8", "class": "assumed", "alternatives": [{"value": 24}]}}}],
"links": [], "topology": "flat"})";
    const Fleet fleet = parsedFleet(text);
    EXPECT_EQ(fleet.groups[0].count, 16);
    const Provenance& from = fleet.provenance.at("groups[0].count");
    EXPECT_EQ(whereFrom(from), "yours: set by hand on 2026-11-23; was 32, assumed: four nodes of 8");
    EXPECT_EQ(sourceText(from), "set by hand on 2026-11-23; was 32, assumed: four nodes of 8");
    EXPECT_EQ(toJson(fleet), Json::parse(text));
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(text), "fleet.schema.json"), "");
}

TEST(Fleet, refusesAClassThatIsNone) {
    const auto refusal = [](const std::string& number) {
        return fleetRefusal(
            R"({"schema": "tessera.fleet/2", "name": "mine", "groups": [{"name": "a", "accelerator": "a100",
"count": )" +
            number + "}]}");
    };
    EXPECT_EQ(refusal(R"({"value": 1, "class": "mine"})"),
              "f.json:2: field 'groups[0].count.class' is 'mine'; expected one of measured, datasheet, assumed, "
              "yours");
    EXPECT_EQ(refusal(R"({"value": 1, "class": "yours", "was": {"value": "many"}})"),
              "f.json:2: field 'groups[0].count.was.value' is the text 'many'; expected a number");
}

TEST(Fleet, writesEverythingInlineForARunThatIsStored) {
    const Fleet fleet = parsedFleet(kFullFleet);
    const Json json = toJsonInline(fleet);
    EXPECT_EQ(json["groups"][1]["accelerator"]["name"], "TPU-v3 board");
    const Fleet stored = parsedFleet(toText(json));
    EXPECT_EQ(stored.groups[1].reference, "");
    EXPECT_EQ(stored.groups[1].accelerator.peakFlops, fleet.groups[1].accelerator.peakFlops);
    EXPECT_EQ(stored.groups[1].accelerator.provenance, fleet.groups[1].accelerator.provenance);
    EXPECT_EQ(toJsonInline(stored), json);
}

/// A fleet of the groups a, b and c with one more field; line 2 holds the groups, line 3 the field.
std::string fleetWith(const std::string& field) {
    return R"({"schema": "tessera.fleet/2", "name": "x",
"groups": [{"name": "a", "accelerator": "v100"}, {"name": "b", "accelerator": "v100"}, {"name": "c", "accelerator": "v100"}],
)" + field +
           "}";
}

/// A fleet of one group, on line 2.
std::string withGroup(const std::string& group) {
    return "{\"schema\": \"tessera.fleet/2\", \"name\": \"x\", \"groups\": [\n" + group + "]}";
}

struct Bad {
    std::string text;
    std::string message;
    bool schemaSeesIt;  ///< whether the JSON Schema refuses it too; it cannot compare names
};
std::ostream& operator<<(std::ostream& out, const Bad& bad) {
    return out << bad.text;
}

class WrongFleet : public testing::TestWithParam<Bad> {};

TEST_P(WrongFleet, isRefusedWithLineAndField) {
    EXPECT_EQ(fleetRefusal(GetParam().text), GetParam().message);
}

TEST_P(WrongFleet, isRefusedByTheSchemaWhereASchemaCanTell) {
    const std::string errors = test::schemaErrors(nlohmann::json::parse(GetParam().text), "fleet.schema.json");
    EXPECT_EQ(!errors.empty(), GetParam().schemaSeesIt) << errors;
}

INSTANTIATE_TEST_SUITE_P(
    Groups, WrongFleet,
    testing::Values(
        Bad{withGroup(R"({"name": "a", "accelerator": "v100", "count": -4})"),
            "f.json:2: field 'groups[0].count' is '-4'; expected a whole number above 0", true},
        Bad{withGroup(R"({"name": "a", "accelerator": "v100", "count": 0})"),
            "f.json:2: field 'groups[0].count' is '0'; expected a whole number above 0", true},
        Bad{withGroup(R"({"name": "a", "accelerator": "v100", "count": 2.5})"),
            "f.json:2: field 'groups[0].count' is '2.5'; expected a whole number above 0", true},
        Bad{withGroup(R"({"name": "a", "accelerator": "v100", "count": 1000001})"),
            "f.json:2: field 'groups[0].count' is '1000001'; expected a whole number of at most 1000000", true},
        Bad{withGroup(R"({"name": "a", "accelerator": "v100", "count": "8"})"),
            "f.json:2: field 'groups[0].count' is the text '8'; expected a whole number above 0", true},
        Bad{withGroup(R"({"name": "a"})"),
            "f.json:2: field 'groups[0].accelerator' is missing; expected the field to be given", true},
        Bad{withGroup(R"({"accelerator": "v100"})"),
            "f.json:2: field 'groups[0].name' is missing; expected the field to be given", true},
        Bad{withGroup(R"({"name": "", "accelerator": "v100"})"),
            "f.json:2: field 'groups[0].name' is ''; expected a name that is not blank", true},
        Bad{withGroup(R"({"name": "a", "accelerator": "v100", "size": 1})"),
            "f.json:2: field 'groups[0].size' is unknown; expected one of name, accelerator, count, "
            "network_bits_per_s, levels",
            true},
        Bad{withGroup(R"({"name": "a", "accelerator": "v100", "network_bits_per_s": 0})"),
            "f.json:2: field 'groups[0].network_bits_per_s' is '0'; expected a number above 0", true},
        Bad{withGroup(R"({"name": "a", "accelerator": 5})"),
            "f.json:2: field 'groups[0].accelerator' is '5'; expected a bundled accelerator's name, a path, or an "
            "accelerator written inline",
            true},
        Bad{withGroup(R"({"name": "a", "accelerator": ""})"),
            "f.json:2: field 'groups[0].accelerator' is ''; expected a bundled accelerator's name, a path, or an "
            "accelerator written inline",
            true},
        Bad{withGroup(R"({"name": "a", "accelerator": {"name": "y", "peak_flops": {"bf16": 0}}})"),
            "f.json:2: field 'groups[0].accelerator.peak_flops.bf16' is '0'; expected a number above 0", true},
        Bad{withGroup(R"({"name": "a", "accelerator": {"schema": "tessera.fleet/2"}})"),
            "f.json:2: field 'groups[0].accelerator.schema' is 'tessera.fleet/2'; expected 'tessera.accelerator/1'",
            true},
        Bad{withGroup(R"({"name": "a", "accelerator": "tpu-v9"})"),
            "f.json:2: field 'groups[0].accelerator' is 'tpu-v9'; expected a bundled accelerator's name, 'tpu-v2' "
            "perhaps, or the path of an accelerator's file beside this one",
            false},
        Bad{withGroup(R"({"name": "a", "accelerator": "nowhere/chip.json"})"),
            "f.json:2: field 'groups[0].accelerator' is 'nowhere/chip.json'; expected a bundled accelerator's name, or "
            "the path of an accelerator's file beside this one",
            false},
        Bad{withGroup(R"({"name": "a", "accelerator": "/dev/zero"})"),
            "f.json:2: field 'groups[0].accelerator' is '/dev/zero'; expected a bundled accelerator's name, or the "
            "path "
            "of an accelerator's file beside this one",
            false},
        Bad{withGroup(R"({"name": "a", "accelerator": ".."})"),
            "f.json:2: field 'groups[0].accelerator' is '..'; expected a bundled accelerator's name, or the path of an "
            "accelerator's file beside this one",
            false},
        Bad{withGroup("{\"name\": \"a\", \"accelerator\": \"v100\"},\n{\"name\": \"a\", \"accelerator\": \"v100\"}"),
            "f.json:3: field 'groups[1].name' is 'a'; expected a name that no other group has", false},
        Bad{withGroup(""), "f.json:1: field 'groups' is an empty list; expected at least one group", true},
        Bad{withGroup("7"), "f.json:2: field 'groups[0]' is '7'; expected an object", true},
        Bad{R"({"schema": "tessera.fleet/2", "name": "x", "groups": {}})",
            "f.json:1: field 'groups' is an object; expected a list", true},
        Bad{R"({"schema": "tessera.fleet/2", "groups": []})",
            "f.json:1: field 'name' is missing; expected the field to be given (and 1 other fault)", true},
        Bad{R"({"schema": "tessera.fleet/7", "name": "x"})",
            "f.json:1: field 'schema' is 'tessera.fleet/7'; expected an older version: tessera.fleet/7 is newer than "
            "this "
            "program, which reads up to tessera.fleet/2",
            true},
        Bad{R"({"name": "x"})", "f.json:1: field 'schema' is missing; expected 'tessera.fleet/2'", true},
        Bad{"[]", "f.json:1: found a list; expected an object with the field 'schema': 'tessera.fleet/2'", true}));

/// A group of 32 with the levels, whose entries stand on line 3.
std::string withLevels(const std::string& levels) {
    return withGroup("{\"name\": \"a\", \"accelerator\": \"v100\", \"count\": 32, \"levels\":\n[" + levels + "]}");
}

INSTANTIATE_TEST_SUITE_P(
    Levels, WrongFleet,
    testing::Values(
        Bad{withLevels(R"({"name": "n", "size": 8}, {"name": "m", "size": 3})"),
            "f.json:2: field 'groups[0].levels' is of sizes whose product is 24; expected sizes whose product is the "
            "group's count, 32",
            false},
        Bad{withLevels(R"({"name": "n", "size": 5}, {"name": "m"})"),
            "f.json:2: field 'groups[0].levels' is of sizes whose product is 5; expected sizes whose product divides "
            "the group's count, 32",
            false},
        Bad{withLevels(R"({"name": "n"}, {"name": "m", "size": 4})"),
            "f.json:3: field 'groups[0].levels[0]' is without 'size'; expected a size, which only the last level may "
            "leave out",
            false},
        Bad{withLevels(
                R"({"name": "n", "size": 1000000}, {"name": "m", "size": 1000000}, {"name": "l", "size": 1000000},
            {"name": "k", "size": 1000000})"),
            "f.json:2: field 'groups[0].levels' is of sizes whose product is more than 1000000; expected sizes whose "
            "product is the group's count, 32",
            false},
        Bad{withLevels(R"({"name": "n", "size": 32}, {"name": "n", "size": 1})"),
            "f.json:3: field 'groups[0].levels[1].name' is 'n'; expected a name that no other level has", false},
        Bad{withLevels(R"({"name": "n", "size": 0})"),
            "f.json:3: field 'groups[0].levels[0].size' is '0'; expected a whole number above 0", true},
        Bad{withLevels(R"({"name": "n", "size": 32, "kind": "star"})"),
            "f.json:3: field 'groups[0].levels[0].kind' is 'star'; expected one of switch, ring, torus, full, mesh",
            true},
        Bad{withLevels(R"({"name": "n", "size": 32, "kind": "mesh"})"),
            "f.json:3: field 'groups[0].levels[0]' is a mesh without peers; expected 'peers', the units that each has "
            "links to",
            false},
        Bad{withLevels(R"({"name": "n", "size": 32, "kind": "mesh", "peers": 32})"),
            "f.json:3: field 'groups[0].levels[0].peers' is 32; expected fewer peers than the 32 units of the level",
            false},
        Bad{withLevels(R"({"name": "n", "size": 32, "kind": "full", "peers": 4})"),
            "f.json:3: field 'groups[0].levels[0].peers' is of a level of kind 'full'; expected the peers of a mesh "
            "only",
            false},
        Bad{withLevels(R"({"name": "n", "size": 32, "dims": [4, 8]})"),
            "f.json:3: field 'groups[0].levels[0].dims' is of a level of kind 'switch'; expected dimensions of a torus "
            "only",
            false},
        Bad{withLevels(R"({"name": "n", "size": 32, "kind": "torus"})"),
            "f.json:3: field 'groups[0].levels[0]' is a torus without dimensions; expected 'dims', the units along "
            "each dimension",
            false},
        Bad{withLevels(R"({"name": "n", "kind": "torus", "dims": [4, 4]})"),
            "f.json:3: field 'groups[0].levels[0].dims' is of 16 units; expected dimensions whose product is the size "
            "of the level, 32",
            false},
        Bad{withLevels(R"({"name": "n", "size": 32, "kind": "torus", "dims": [1000000, 1000000, 1000000, 1000000]})"),
            "f.json:3: field 'groups[0].levels[0].dims' is of more units than any level joins; expected dimensions "
            "whose product is the size of the level, 32",
            false},
        Bad{withLevels(R"({"name": "n", "size": 32, "kind": "torus", "dims": []})"),
            "f.json:3: field 'groups[0].levels[0].dims' is an empty list; expected at least one number", true},
        Bad{withLevels(R"({"name": "n", "size": 32, "kind": "torus", "dims": [4, 8.5]})"),
            "f.json:3: field 'groups[0].levels[0].dims[1]' is '8.5'; expected a whole number above 0", true},
        Bad{withLevels(R"({"name": "n", "size": 32, "bandwidth_bytes_per_s": 0})"),
            "f.json:3: field 'groups[0].levels[0].bandwidth_bytes_per_s' is '0'; expected a number above 0", true},
        Bad{withLevels(R"({"name": "n", "size": 32, "latency_s": -1})"),
            "f.json:3: field 'groups[0].levels[0].latency_s' is '-1'; expected a number of 0 or more", true},
        Bad{withLevels(R"({"name": "n", "size": 32, "oversubscription": 0.5})"),
            "f.json:3: field 'groups[0].levels[0].oversubscription' is '0.5'; expected a number of 1 or more", true},
        Bad{withLevels(R"({"name": "n", "size": 32, "shared_by": 0})"),
            "f.json:3: field 'groups[0].levels[0].shared_by' is '0'; expected a whole number above 0", true},
        Bad{withLevels(R"({"name": "n", "size": 32, "speed": 1})"),
            "f.json:3: field 'groups[0].levels[0].speed' is unknown; expected one of name, size, kind, dims, peers, "
            "bandwidth_bytes_per_s, latency_s, oversubscription, shared_by",
            true},
        Bad{withGroup(R"({"name": "a", "accelerator": "v100", "levels": {}})"),
            "f.json:2: field 'groups[0].levels' is an object; expected a list", true}));

INSTANTIATE_TEST_SUITE_P(
    Links, WrongFleet,
    testing::Values(
        Bad{fleetWith(R"("links": [{"between": ["a", "d"], "bits_per_s": 1}])"),
            "f.json:3: field 'links[0].between[1]' is 'd'; expected the name of a group of this fleet", false},
        Bad{fleetWith(R"("links": [{"between": ["a", "a"], "bits_per_s": 1}])"),
            "f.json:3: field 'links[0].between[1]' is 'a'; expected another group than the first", true},
        Bad{fleetWith(R"("links": [{"between": ["a", "b", "c"], "bits_per_s": 1}])"),
            "f.json:3: field 'links[0].between' is a list of 3; expected the names of two groups", true},
        Bad{fleetWith(
                R"("links": [{"between": ["a", "b"], "bits_per_s": 1}, {"between": ["b", "a"], "bits_per_s": 1}])"),
            "f.json:3: field 'links[1].between' is a second link between 'b' and 'a'; expected at most one link "
            "between "
            "two groups",
            false},
        Bad{fleetWith(R"("links": [{"between": ["a", "b"]}])"),
            "f.json:3: field 'links[0].bits_per_s' is missing; expected the field to be given", true},
        Bad{fleetWith(R"("links": [{"between": ["a", "b"], "bits_per_s": 0}])"),
            "f.json:3: field 'links[0].bits_per_s' is '0'; expected a number above 0", true},
        Bad{fleetWith(R"("links": [{"between": ["a", "b"], "bits_per_s": 1, "latency_s": -1}])"),
            "f.json:3: field 'links[0].latency_s' is '-1'; expected a number of 0 or more", true},
        Bad{fleetWith(R"("links": [{"between": ["a", "b"], "bits_per_s": 1, "latency": 1}])"),
            "f.json:3: field 'links[0].latency' is unknown; expected 'latency_s' perhaps", true},
        Bad{fleetWith(R"("links": {})"), "f.json:3: field 'links' is an object; expected a list", true}));

INSTANTIATE_TEST_SUITE_P(
    Topologies, WrongFleet,
    testing::Values(
        Bad{fleetWith(R"("topology": "ring")"),
            "f.json:3: field 'topology' is 'ring'; expected 'flat', or a tree {\"node\": [...]} of groups", true},
        Bad{fleetWith(R"("topology": {"node": ["a", "b"]})"),
            "f.json:3: field 'topology' is without the group 'c'; expected every group once in the topology", false},
        Bad{fleetWith(R"("topology": {"node": ["a", "b", {"node": ["c", "a"]}]})"),
            "f.json:3: field 'topology.node[2].node[1]' is 'a'; expected every group once in the topology", false},
        Bad{fleetWith(R"("topology": {"node": ["a", "b", "c", "d"]})"),
            "f.json:3: field 'topology.node[3]' is 'd'; expected the name of a group of this fleet", false},
        Bad{fleetWith(R"("topology": {"node": ["a", "b", "c", {"node": []}]})"),
            "f.json:3: field 'topology.node[3].node' is an empty list; expected at least one group or node", true},
        Bad{fleetWith(R"("topology": {"node": ["a", "b", "c", 5]})"),
            "f.json:3: field 'topology.node[3]' is '5'; expected the name of a group, or an object with the field "
            "'node'",
            true},
        Bad{fleetWith(R"("topology": {"node": ["a", "b", "c"], "bits_per_s": "fast"})"),
            "f.json:3: field 'topology.bits_per_s' is the text 'fast'; expected a number above 0, or a text with its "
            "unit such as '200 Gb/s'",
            true},
        Bad{fleetWith(R"("topology": {"nodes": ["a", "b", "c"]})"),
            "f.json:3: field 'topology.nodes' is unknown; expected 'node' perhaps", true},
        Bad{fleetWith(R"("topology": {})"),
            "f.json:3: field 'topology.node' is missing; expected the field to be given", true}));

TEST(FleetLevels, leaveTheOutermostSizeToTheCount) {
    const Fleet fleet = parsedFleet(withLevels(R"({"name": "n", "size": 8, "bandwidth_bytes_per_s": "300 GB/s"},
{"name": "m", "kind": "switch", "bandwidth_bytes_per_s": 12.5e9, "oversubscription": 1.25, "shared_by": 2})"));
    const std::vector<TopologyLevel>& levels = fleet.groups[0].levels;
    ASSERT_EQ(levels.size(), 2U);
    EXPECT_EQ(levels[1].size, 4);
    EXPECT_EQ(acceleratorsJoined(levels), 32);
    EXPECT_EQ(effectiveBandwidth(levels[0]), BytesPerSecond{300e9});
    EXPECT_EQ(effectiveBandwidth(levels[1]), BytesPerSecond{5e9});
    EXPECT_FALSE(toJson(fleet)["groups"][0]["levels"][1].contains("size"));
    EXPECT_EQ(parsedFleet(toText(toJson(fleet))), fleet);
}

TEST(FleetLevels, leadToTheNeighboursOfTheirKind) {
    const auto neighbours = [](const std::string& level) {
        return neighboursAt(parsedFleet(withLevels(level)).groups[0].levels[0]);
    };
    EXPECT_EQ(neighbours(R"({"name": "n", "size": 32, "kind": "switch"})"), 0);
    EXPECT_EQ(neighbours(R"({"name": "n", "size": 32, "kind": "full"})"), 31);
    EXPECT_EQ(neighbours(R"({"name": "n", "size": 32, "kind": "mesh", "peers": 4})"), 4);
    EXPECT_EQ(neighbours(R"({"name": "n", "size": 32, "kind": "ring"})"), 2);
    EXPECT_EQ(neighbours(R"({"name": "n", "size": 32, "kind": "torus", "dims": [2, 4, 4, 1]})"), 5);
}

TEST(FleetLevels, ofASwitchBringTheWholeRateToAnyOne) {
    EXPECT_EQ(shareOfLinks(0, 1), 1);
    EXPECT_EQ(shareOfLinks(3, 1), 1.0 / 3);
    EXPECT_EQ(shareOfLinks(3, 7), 1);
}

TEST(FleetLevels, withoutARateHaveNoBandwidth) {
    const Fleet fleet = parsedFleet(withLevels(R"({"name": "n", "size": 32})"));
    EXPECT_EQ(effectiveBandwidth(fleet.groups[0].levels[0]), std::nullopt);
}

TEST(FleetLevels, areNotInAFleetOfVersionOneWhichStillLoads) {
    std::string old = withGroup(R"({"name": "a", "accelerator": "v100", "count": 32, "network_bits_per_s": 800})");
    old.replace(old.find("fleet/2"), 7, "fleet/1");
    const Fleet fleet = parsedFleet(old);
    EXPECT_TRUE(fleet.groups[0].levels.empty());
    EXPECT_EQ(networkRate(fleet.groups[0]), BytesPerSecond{100});
    EXPECT_EQ(toJson(fleet)["schema"], "tessera.fleet/2");
    EXPECT_EQ(parsedFleet(toText(toJson(fleet))), fleet);
    old.replace(old.find("800"), 3, "-80");
    EXPECT_EQ(fleetRefusal(old), "f.json:2: field 'groups[0].network_bits_per_s' is '-80'; expected a number above 0");
}

TEST(FleetLevels, areAtMostSixteen) {
    std::string levels;
    for (int i = 0; i < 17; ++i) {
        if (i > 0) levels += ",";
        levels += R"({"name": "l)";
        levels += std::to_string(i);
        levels += R"(", "size": 1})";
    }
    EXPECT_EQ(fleetRefusal(withLevels(levels)),
              "f.json:2: field 'groups[0].levels' is a list of 17; expected at most 16 entries");
}

TEST(Fleet, takesAThousandGroupsAndRefusesMore) {
    const auto fleetOf = [](int count) {
        std::string groups;
        for (int i = 0; i < count; ++i)
            groups +=
                std::string(i > 0 ? "," : "") + R"({"name": "g)" + std::to_string(i) + R"(", "accelerator": "v100"})";
        return withGroup(groups);
    };
    EXPECT_EQ(fleetRefusal(fleetOf(1000)), "no error");
    EXPECT_EQ(fleetRefusal(fleetOf(1001)), "f.json:1: field 'groups' is a list of 1001; expected at most 1000 entries");
}

TEST(Fleet, refusesATopologyOfEndlessDepth) {
    std::string tree = R"(["a", "b", "c"])";
    for (int i = 0; i < 200; ++i) tree = "[{\"node\": " + tree + "}]";
    EXPECT_EQ(fleetRefusal(fleetWith("\"topology\": {\"node\": " + tree + "}")),
              "f.json:3: found nesting deeper than 100; expected at most 100 levels of objects and lists");
}

TEST(Fleet, survivesEveryTruncation) {
    const std::string text = kFullFleet;
    for (std::size_t i = 0; i < text.find_last_of('}'); ++i)
        EXPECT_THROW(readFleet(JsonDocument::parse(text.substr(0, i), "f.json").root()), DataError) << i;
}

TEST(Fleet, survivesFlippedBytesAndReadsBackWhatItStillUnderstands) {
    RandomStream random(1);
    for (int round = 0; round < 5000; ++round) {
        std::string text = kFullFleet;
        const auto flips = 1 + random.below(3);
        for (std::uint64_t i = 0; i < flips; ++i)
            text[random.below(text.size())] = static_cast<char>(random.below(256));
        try {
            const Fleet fleet = parsedFleet(text);
            EXPECT_EQ(parsedFleet(toText(toJson(fleet))), fleet) << text;
            EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(toText(toJson(fleet))), "fleet.schema.json"), "")
                << text;
        } catch (const DataError& error) {
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }
}

}  // namespace
