#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/hardware/level.h"

namespace tessera::hardware {

/// `count` equal accelerators.
struct Group {
    std::string name;
    Accelerator accelerator;
    std::int64_t count = 1;
    std::optional<BytesPerSecond> network;  ///< overrides the accelerator's own rate
    std::string reference = {};  ///< how the file names the accelerator: a bundled name or a path; empty = inline
    /// How its accelerators are joined, innermost first; the product of the sizes is `count`. Empty: not said.
    std::vector<TopologyLevel> levels = {};
    bool operator==(const Group&) const = default;
};

/// A connection between two groups: caps both sides' rate at the split between them, and adds its latency per transfer.
struct Link {
    std::string from, to;
    BytesPerSecond rate;
    Seconds latency;
    bool operator==(const Link&) const = default;
};

/// A level of a tree topology: groups or further nodes below it, joined at `rate`.
struct TopologyNode {
    std::string group;  ///< a leaf names a group; empty for an inner node
    std::vector<TopologyNode> children;
    std::optional<BytesPerSecond> rate;
    Seconds latency;
    bool operator==(const TopologyNode&) const = default;
};

/// Groups of accelerators and how they are connected (`tessera.fleet/2`).
struct Fleet {
    std::string id;
    std::string file;
    std::string name;
    std::vector<Group> groups;
    std::vector<Link> links;
    std::optional<TopologyNode> topology;  ///< empty = flat
    ProvenanceMap provenance = {};         ///< of the fleet's own numbers, by JSON path, such as "groups[1].count"
    bool operator==(const Fleet&) const = default;
};

/// Limits of a fleet's file; each is named in the error.
inline constexpr std::size_t kMaxGroups = 1000;
inline constexpr std::int64_t kMaxInGroup = 1'000'000;

/// The table of its fields.
const Kind& fleetKind();

/// Reads a fleet; a group's accelerator is a bundled name, a path relative to the fleet's file, or inline.
/// Throws DataError.
Fleet readFleet(const JsonNode& given);

/// The document that reads back as the same fleet: an accelerator that came by name or path is written that way (a
/// path stays relative to the folder of `fleet.file`).
Json toJson(const Fleet& fleet);
/// Writes a fleet with every accelerator written out, so that the document means the same anywhere and later.
Json toJsonInline(const Fleet& fleet);

/// The rate of one accelerator's network: the group's own where it gives one.
std::optional<BytesPerSecond> networkRate(const Group& group);

std::int64_t acceleratorCount(const Fleet& fleet);

}  // namespace tessera::hardware
