#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/hardware/accelerator.h"

namespace tessera::hardware {

/// `count` equal accelerators.
struct Group {
    std::string name;
    Accelerator accelerator;
    std::int64_t count = 1;
    std::optional<BytesPerSecond> network;  ///< overrides the accelerator's own rate
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

/// Groups of accelerators and how they are connected (`tessera.fleet/1`).
struct Fleet {
    std::string id;
    std::string file;
    std::string name;
    std::vector<Group> groups;
    std::vector<Link> links;
    std::optional<TopologyNode> topology;  ///< empty = flat
    bool operator==(const Fleet&) const = default;
};

/// Reads a fleet; a group's accelerator is a bundled name, a path relative to the fleet's file, or inline.
Fleet readFleet(const JsonNode& node);
Json toJson(const Fleet& fleet);

std::int64_t acceleratorCount(const Fleet& fleet);

}  // namespace tessera::hardware
