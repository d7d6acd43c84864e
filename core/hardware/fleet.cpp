#include "core/hardware/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/hardware/library.h"

namespace tessera::hardware {

namespace {

/// What a reader of one fleet's parts shares.
struct Context {
    NumberReader numbers;
    std::vector<std::string> groupNames = {};
    std::map<std::string, Accelerator> byReference = {};  ///< a file is read once however many groups name it
};

Accelerator acceleratorOf(const JsonNode& field, Context& context) {
    if (!field.isString()) return readAccelerator(field);
    const auto known = context.byReference.find(field.text(4096));
    if (known != context.byReference.end()) return known->second;
    return context.byReference.emplace(field.text(4096), acceleratorNamedBy(field)).first->second;
}

Group readGroup(const JsonNode& node, Context& context) {
    node.allowOnly({"name", "accelerator", "count", "network_bits_per_s"});
    Group group;
    group.name = nameIn(node.at("name"));
    const auto& known = context.groupNames;
    if (std::find(known.begin(), known.end(), group.name) != known.end())
        node.at("name").fail("a name that no other group has");
    context.groupNames.push_back(group.name);
    const JsonNode accelerator = node.at("accelerator");
    if (!accelerator.isString() && !accelerator.isObject())
        accelerator.fail("a bundled accelerator's name, a path, or an accelerator written inline");
    if (accelerator.isString()) group.reference = accelerator.text(4096);
    group.accelerator = acceleratorOf(accelerator, context);
    if (node.has("count")) group.count = context.numbers.count(node.at("count"), kMostInGroup);
    if (node.has("network_bits_per_s"))
        group.network = fromBitsPerSecond(context.numbers.positive(node.at("network_bits_per_s")));
    return group;
}

/// The name of a group that exists.
std::string groupNameIn(const JsonNode& node, const Context& context) {
    std::string name = node.text();
    const auto& known = context.groupNames;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        const std::string_view hint = closest(name, known);
        node.fail(hint.empty() ? "the name of a group of this fleet"
                               : fmt::format("the name of a group of this fleet, {} perhaps", inQuotes(hint)));
    }
    return name;
}

Link readLink(const JsonNode& node, const Context& context) {
    node.allowOnly({"between", "bits_per_s", "latency_s"});
    const JsonNode between = node.at("between");
    const std::vector<JsonNode> ends = between.elements();
    if (ends.size() != 2) between.fail("the names of two groups", fmt::format("a list of {}", ends.size()));
    Link link;
    link.from = groupNameIn(ends[0], context);
    link.to = groupNameIn(ends[1], context);
    if (link.from == link.to) ends[1].fail("another group than the first");
    link.rate = fromBitsPerSecond(context.numbers.positive(node.at("bits_per_s")));
    if (node.has("latency_s")) link.latency = Seconds{context.numbers.notNegative(node.at("latency_s"))};
    return link;
}

std::vector<Link> readLinks(const JsonNode& node, const Context& context) {
    std::vector<Link> links;
    std::set<std::pair<std::string, std::string>> seen;
    for (const JsonNode& child : node.elements(kMostGroups * (kMostGroups - 1) / 2)) {
        links.push_back(readLink(child, context));
        const Link& link = links.back();
        if (!seen.insert(std::minmax(link.from, link.to)).second)
            child.at("between").fail(
                "at most one link between two groups",
                fmt::format("a second link between {} and {}", inQuotes(link.from), inQuotes(link.to)));
    }
    return links;
}

/// The depth of the recursion is bounded by the depth of JSON that is read at all.
TopologyNode readTopology(const JsonNode& node, const Context& context, std::set<std::string>& placed) {
    TopologyNode result;
    if (node.isString()) {
        result.group = groupNameIn(node, context);
        if (!placed.insert(result.group).second) node.fail("every group once in the topology");
        return result;
    }
    if (!node.isObject()) node.fail("the name of a group, or an object with the field 'node'");
    node.allowOnly({"node", "bits_per_s", "latency_s"});
    const JsonNode below = node.at("node");
    for (const JsonNode& child : below.elements(kMostGroups))
        result.children.push_back(readTopology(child, context, placed));
    if (result.children.empty()) below.fail("at least one group or node", "an empty list");
    if (node.has("bits_per_s")) result.rate = fromBitsPerSecond(context.numbers.positive(node.at("bits_per_s")));
    if (node.has("latency_s")) result.latency = Seconds{context.numbers.notNegative(node.at("latency_s"))};
    return result;
}

std::optional<TopologyNode> topologyIn(const JsonNode& node, const Context& context) {
    if (node.isString() && node.json() == "flat") return std::nullopt;
    if (!node.isObject()) node.fail("'flat', or a tree {\"node\": [...]} of groups");
    std::set<std::string> placed;
    TopologyNode tree = readTopology(node, context, placed);
    for (const std::string& name : context.groupNames)
        if (!placed.contains(name))
            node.fail("every group once in the topology", fmt::format("without the group {}", inQuotes(name)));
    return tree;
}

Json topologyJson(const TopologyNode& node, const std::string& path, const ProvenanceMap& provenance) {
    if (!node.group.empty()) return node.group;
    Json json = Json::object();
    Json below = Json::array();
    for (std::size_t i = 0; i < node.children.size(); ++i)
        below.push_back(topologyJson(node.children[i], fmt::format("{}.node[{}]", path, i), provenance));
    json["node"] = std::move(below);
    if (node.rate) json["bits_per_s"] = numberJson(toBitsPerSecond(*node.rate), path + ".bits_per_s", provenance);
    if (node.latency.value != 0 || provenance.contains(path + ".latency_s"))
        json["latency_s"] = numberJson(node.latency.value, path + ".latency_s", provenance);
    return json;
}

Json linkJson(const Link& link, const std::string& path, const ProvenanceMap& provenance) {
    Json json = Json::object();
    json["between"] = Json::array({link.from, link.to});
    json["bits_per_s"] = numberJson(toBitsPerSecond(link.rate), path + ".bits_per_s", provenance);
    if (link.latency.value != 0 || provenance.contains(path + ".latency_s"))
        json["latency_s"] = numberJson(link.latency.value, path + ".latency_s", provenance);
    return json;
}

Json groupJson(const Group& group, const std::string& path, const ProvenanceMap& provenance, bool everythingInline) {
    Json json = Json::object();
    json["name"] = group.name;
    json["accelerator"] =
        everythingInline || group.reference.empty() ? toJson(group.accelerator) : Json(group.reference);
    json["count"] = numberJson(static_cast<double>(group.count), path + ".count", provenance);
    if (group.network)
        json["network_bits_per_s"] =
            numberJson(toBitsPerSecond(*group.network), path + ".network_bits_per_s", provenance);
    return json;
}

Json fleetJson(const Fleet& fleet, bool everythingInline) {
    Json json = Json::object();
    json["schema"] = currentSchema(fleetSchema());
    json["name"] = fleet.name;
    Json groups = Json::array();
    for (std::size_t i = 0; i < fleet.groups.size(); ++i)
        groups.push_back(groupJson(fleet.groups[i], fmt::format("groups[{}]", i), fleet.provenance, everythingInline));
    json["groups"] = std::move(groups);
    Json links = Json::array();
    for (std::size_t i = 0; i < fleet.links.size(); ++i)
        links.push_back(linkJson(fleet.links[i], fmt::format("links[{}]", i), fleet.provenance));
    json["links"] = std::move(links);
    json["topology"] = fleet.topology ? topologyJson(*fleet.topology, "topology", fleet.provenance) : Json("flat");
    return json;
}

}  // namespace

const SchemaHistory& fleetSchema() {
    static const SchemaHistory history{.kind = "tessera.fleet", .migrations = {}};
    return history;
}

Fleet readFleet(const JsonNode& given) {
    const JsonNode node = atCurrentSchema(given, fleetSchema());
    node.allowOnly({"schema", "name", "groups", "links", "topology"});
    Fleet fleet;
    fleet.file = given.document().file();
    fleet.id = std::filesystem::path(fleet.file).stem().string();
    fleet.name = nameIn(node.at("name"));
    Context context{.numbers = NumberReader(node, fleet.provenance)};
    const JsonNode groups = node.at("groups");
    for (const JsonNode& child : groups.elements(kMostGroups)) fleet.groups.push_back(readGroup(child, context));
    if (fleet.groups.empty()) groups.fail("at least one group", "an empty list");
    if (node.has("links")) fleet.links = readLinks(node.at("links"), context);
    if (node.has("topology")) fleet.topology = topologyIn(node.at("topology"), context);
    return fleet;
}

Json toJson(const Fleet& fleet) {
    return fleetJson(fleet, false);
}

Json toJsonInline(const Fleet& fleet) {
    return fleetJson(fleet, true);
}

std::optional<BytesPerSecond> networkRate(const Group& group) {
    return group.network ? group.network : group.accelerator.network;
}

std::int64_t acceleratorCount(const Fleet& fleet) {
    std::int64_t count = 0;
    for (const Group& group : fleet.groups) count += group.count;
    return count;
}

}  // namespace tessera::hardware
