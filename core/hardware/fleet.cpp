#include "core/hardware/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/hardware/field.h"
#include "core/hardware/library.h"
#include "core/hardware/numbers.h"

namespace tessera::hardware {

namespace {

/// A name or path is looked up once all groups are known; an accelerator that is written here is read here.
void readAcceleratorOf(Group& group, const JsonNode& node, Reading&) {
    if (!node.isObject() && (!node.isString() || node.text(kLongestReference).empty()))
        node.fail("a bundled accelerator's name, a path, or an accelerator written inline");
    if (node.isString())
        group.reference = node.text(kLongestReference);
    else
        group.accelerator = readAccelerator(node);
}

Fields groupFields() {
    using F = FieldsOf<Group>;
    return {
        F::name(&Group::name, "name", "Name", "Name of the group; no two groups share one."),
        F::other("accelerator", "Accelerator",
                 "What the group is made of: the name of a bundled accelerator, the path of an accelerator's file "
                 "relative to this file, or an accelerator written inline.",
                 Json{{"oneOf", Json::array({{{"type", "string"}, {"minLength", 1}, {"maxLength", kLongestReference}},
                                             {{"$ref", "accelerator.schema.json#/definitions/accelerator"}}})}},
                 readAcceleratorOf,
                 [](const Group& group, const std::string&, const Writing& writing) {
                     return writing.everythingInline || group.reference.empty() ? toJson(group.accelerator)
                                                                                : Json(group.reference);
                 }),
        F::number(&Group::count, "count", "Count", Measure::count, wholeUpTo(kMaxInGroup), "Number of accelerators.")
            .otherwise("1", Json(1))
            .alwaysWritten(),
        F::number(&Group::network, "network_bits_per_s", "Network", Measure::bitsPerSecond, kPositive,
                  "Network rate of one accelerator in bits per second (not bytes), one direction, instead of the "
                  "accelerator's own.")
            .otherwise("the accelerator's"),
        F::list(&Group::levels, "levels", "Levels", "level", levelFields(),
                "How the group's accelerators are joined, innermost first: each level joins units of the one before "
                "it.",
                "Without levels, only what the accelerator says of its links is known.", 0, kMaxLevels, "level")
            .otherwise("not said", Json::array())};
}

void readEnds(Link& link, const JsonNode& node, Reading&) {
    const std::vector<JsonNode> ends = node.elements();
    if (ends.size() != 2) node.fail("the names of two groups", fmt::format("a list of {}", ends.size()));
    link.from = ends[0].text();
    link.to = ends[1].text();
}

Field latencyField(std::string about) {
    return FieldsOf<Link>::number(&Link::latency, "latency_s", "Latency", Measure::seconds, kNotNegative,
                                  std::move(about))
        .otherwise("0", Json(0));
}

Fields linkFields() {
    using F = FieldsOf<Link>;
    const Json name{{"$ref", "accelerator.schema.json#/definitions/name"}};
    return {
        F::other("between", "Groups", "The names of the two groups, which differ.",
                 Json{{"type", "array"}, {"minItems", 2}, {"maxItems", 2}, {"uniqueItems", true}, {"items", name}},
                 readEnds,
                 [](const Link& link, const std::string&, const Writing&) {
                     return Json::array({link.from, link.to});
                 }),
        F::number(&Link::rate, "bits_per_s", "Rate", Measure::bitsPerSecond, kPositive,
                  "Rate of the link in bits per second (not bytes), of one accelerator and direction: caps both sides "
                  "at the split between the groups."),
        latencyField("Latency in seconds, added to each transfer.")};
}

/// The fields of an inner node of the tree; its parts may be nodes themselves, which the schema refers to by name.
const Fields& nodeFields();

/// The depth of the recursion is bounded by the depth of JSON that is read at all.
void readNode(TopologyNode& result, const JsonNode& node, Reading& reading) {
    if (node.isString())
        result.group = node.text();
    else if (!node.isObject())
        node.fail("the name of a group, or an object with the field 'node'");
    else
        readFields(nodeFields(), &result, node, reading);
}

Json nodeJson(const TopologyNode& node, const std::string& path, const Writing& writing) {
    return node.group.empty() ? detail::objectJson(nodeFields(), node, path, writing) : Json(node.group);
}

void readParts(TopologyNode& node, const JsonNode& below, Reading& reading) {
    for (const JsonNode& child : below.elements(kMaxGroups))
        reading.attempt([&] { readNode(node.children.emplace_back(), child, reading); });
    if (node.children.empty()) below.fail("at least one group or node", "an empty list");
}

const Fields& nodeFields() {
    using F = FieldsOf<TopologyNode>;
    static const Fields kFields{
        F::other("node", "Parts", "What this level joins: names of groups, and further levels.",
                 Json{{"type", "array"},
                      {"minItems", 1},
                      {"maxItems", kMaxGroups},
                      {"items",
                       {{"oneOf", Json::array({{{"$ref", "accelerator.schema.json#/definitions/name"}},
                                               {{"$ref", "#/definitions/node"}}})}}}},
                 readParts,
                 [](const TopologyNode& node, const std::string& path, const Writing& writing) {
                     Json parts = Json::array();
                     for (std::size_t i = 0; i < node.children.size(); ++i)
                         parts.push_back(nodeJson(node.children[i], fmt::format("{}[{}]", path, i), writing));
                     return parts;
                 }),
        F::number(&TopologyNode::rate, "bits_per_s", "Rate", Measure::bitsPerSecond, kPositive,
                  "Rate at which this level joins its parts, in bits per second (not bytes).")
            .otherwise("the rate of the accelerators"),
        F::number(&TopologyNode::latency, "latency_s", "Latency", Measure::seconds, kNotNegative,
                  "Latency in seconds of a transfer that crosses this level.")
            .otherwise("0", Json(0))};
    return kFields;
}

Fields fleetFields() {
    using F = FieldsOf<Fleet>;
    Field topology = F::other(
        "topology", "Topology",
        "How the groups are arranged: flat, or a tree whose leaves are the names of all groups, each once.",
        Json{{"oneOf", Json::array({{{"const", "flat"}}, {{"$ref", "#/definitions/node"}}})}},
        [](Fleet& fleet, const JsonNode& node, Reading& reading) {
            if (node.isString() && node.json() == "flat") return;
            if (!node.isObject()) node.fail("'flat', or a tree {\"node\": [...]} of groups");
            readNode(fleet.topology.emplace(), node, reading);
        },
        [](const Fleet& fleet, const std::string& path, const Writing& writing) {
            return fleet.topology ? nodeJson(*fleet.topology, path, writing) : Json("flat");
        });
    topology.fields = nodeFields();
    topology.entry = "node";
    return {F::name(&Fleet::name, "name", "Name", "The name shown to people."),
            F::list(&Fleet::groups, "groups", "Groups", "group", groupFields(),
                    "The groups; their order breaks ties, and at one level the first two are the sides i and j.",
                    "Add a group of equal accelerators.", 1, kMaxGroups, "group"),
            F::list(&Fleet::links, "links", "Links between groups", "link", linkFields(),
                    "Connections between two groups. A link caps the rate of both sides at the split between its "
                    "groups and adds its latency to each transfer; without one each side uses its own accelerators' "
                    "rate.",
                    "Without a link, each group is limited by its own accelerators' network alone.", 0,
                    kMaxGroups * (kMaxGroups - 1) / 2)
                .otherwise("none", Json::array())
                .alwaysWritten(),
            std::move(topology).otherwise("flat", Json("flat")).alwaysWritten()};
}

/// Looks for what holds across the fields of a fleet.
class Check {
public:
    Check(Fleet& fleet, const JsonNode& node, Reading& reading) : fleet_(fleet), node_(node), reading_(reading) {}

    void run() {
        if (!node_.has("groups") || !node_.at("groups").isArray()) return;
        const std::vector<JsonNode> groups = node_.at("groups").elements();
        for (std::size_t i = 0; i < std::min(groups.size(), fleet_.groups.size()); ++i) {
            known_.push_back(fleet_.groups[i].name);
            named_ = named_ && !known_.back().empty();
            if (!fleet_.groups[i].reference.empty()) reading_.attempt([&] { lookUp(fleet_.groups[i], groups[i]); });
            if (groups[i].isObject() && groups[i].has("levels") && isCounted(groups[i]))
                checkLevels(fleet_.groups[i].levels, fleet_.groups[i].count, groups[i].at("levels"), reading_);
        }
        if (node_.has("links") && node_.at("links").isArray())
            for (const JsonNode& link : node_.at("links").elements())
                if (link.isObject() && link.has("between") && reading_.good(link.at("between")))
                    reading_.attempt([&] { checkLink(link.at("between")); });
        if (!fleet_.topology) return;
        const JsonNode tree = node_.at("topology");
        checkTree(tree);
        if (!named_ || !reading_.good(tree)) return;
        for (const std::string& name : known_)
            if (!placed_.contains(name))
                reading_.attempt([&] {
                    tree.fail("every group once in the topology", fmt::format("without the group {}", inQuotes(name)));
                });
    }

private:
    bool isCounted(const JsonNode& group) const { return !group.has("count") || reading_.good(group.at("count")); }
    /// A file is read once however many groups name it, and its faults are reported once.
    void lookUp(Group& group, const JsonNode& node) {
        if (broken_.contains(group.reference)) return;
        const auto read = byReference_.find(group.reference);
        if (read != byReference_.end()) {
            group.accelerator = read->second;
            return;
        }
        try {
            group.accelerator = acceleratorNamedBy(node.at("accelerator"));
        } catch (const DataError& error) {
            if (error.place.file != node.document().file()) broken_.insert(group.reference);
            throw;
        }
        byReference_[group.reference] = group.accelerator;
    }
    void checkName(const JsonNode& node) const {
        const std::string name = node.text();
        if (!named_ || std::find(known_.begin(), known_.end(), name) != known_.end()) return;
        node.fail("the name of a group of this fleet" + withClosest(", {} perhaps", name, known_));
    }
    void checkLink(const JsonNode& between) {
        const std::vector<JsonNode> ends = between.elements();
        for (const JsonNode& end : ends) reading_.attempt([&] { checkName(end); });
        if (!reading_.good(between)) return;
        const std::string from = ends[0].text(), to = ends[1].text();
        if (from == to) ends[1].fail("another group than the first");
        if (!linked_.insert(std::minmax(from, to)).second)
            between.fail("at most one link between two groups",
                         fmt::format("a second link between {} and {}", inQuotes(from), inQuotes(to)));
    }
    void checkTree(const JsonNode& node) {
        if (node.isObject() && node.has("node") && node.at("node").isArray()) {
            for (const JsonNode& child : node.at("node").elements()) checkTree(child);
        } else if (node.isString() && reading_.good(node)) {
            reading_.attempt([&] {
                checkName(node);
                if (!placed_.insert(node.text()).second) node.fail("every group once in the topology");
            });
        }
    }

    Fleet& fleet_;
    const JsonNode& node_;
    Reading& reading_;
    std::vector<std::string> known_;
    bool named_ = true;  ///< every group has a name, so that one that is not known is wrong
    std::map<std::string, Accelerator> byReference_;
    std::set<std::string> broken_;
    std::set<std::pair<std::string, std::string>> linked_;
    std::set<std::string> placed_;
};

/// Version 2 adds levels to groups; a fleet of version 1 has none.
void toLevels(Json&) {}

}  // namespace

const Kind& fleetKind() {
    static const Kind kind{
        .id = "fleet",
        .title = "Fleet",
        .history = {.kind = "tessera.fleet", .migrations = {{.from = 1, .apply = toLevels}}},
        .about =
            "Groups of equal accelerators and how they are connected. Every number may be an object {\"value\", "
            "\"source\", \"class\", \"was\"}. Beyond this schema, names of groups differ, links and topology name "
            "groups of the fleet, two groups have at most one link, a topology holds every group exactly once, "
            "the sizes of a group's levels multiply to its count, and accelerators that are named exist.",
        .standsInline = false,
        .fields = fleetFields()};
    return kind;
}

Fleet readFleet(const JsonNode& given) {
    return readDocument<Fleet>(given, fleetKind(), [](Fleet& fleet, const JsonNode& node, Reading& reading) {
        Check(fleet, node, reading).run();
    });
}

Json toJson(const Fleet& fleet) {
    return documentJson(fleet, fleetKind());
}

Json toJsonInline(const Fleet& fleet) {
    return documentJson(fleet, fleetKind(), true);
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
