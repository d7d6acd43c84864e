#include "core/physical/named_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/hardware/library.h"
#include "core/physical/device.h"
#include "core/physical/topology.h"

namespace tessera::physical {

namespace {

/// The id of the library's accelerator that a system's name is or begins with, up to a hyphen; empty without one.
std::string acceleratorNamedIn(std::string_view system) {
    const auto files = hardware::libraryFiles("accelerators", "\"tessera.accelerator/");
    for (std::string_view name = system; !name.empty();) {
        if (files.contains(std::string(name))) return std::string(name);
        const std::size_t hyphen = name.rfind('-');
        name = name.substr(0, hyphen == std::string_view::npos ? 0 : hyphen);
    }
    return {};
}

/// The level that joins nodes in the library's fleets of one kind of accelerator with nodes.
std::optional<hardware::TopologyLevel> networkOfNodes(const hardware::Accelerator& accelerator) {
    for (const auto& [id, path] : hardware::libraryFiles("fleets", "\"tessera.fleet/")) {
        try {
            for (const hardware::Group& group : hardware::loadFleet(path.string()).groups)
                if (group.accelerator.name == accelerator.name && group.levels.size() > 1) return group.levels[1];
        } catch (const std::exception&) {
            continue;  // a file that cannot be used does not disturb the others
        }
    }
    return std::nullopt;
}

/// What a name says of a system, but for how many accelerators a node has.
struct NamedSystem {
    std::string accelerator = {};                         ///< id; empty: none is named so
    std::string_view measured = {};                       ///< the measured system that has the same node
    hardware::TopologyLevel links = {};                   ///< of accelerators in a node, or of a pair
    std::optional<hardware::TopologyLevel> host = {};     ///< between pairs of a node
    std::optional<hardware::TopologyLevel> network = {};  ///< between nodes
};

NamedSystem readNamedSystem(const std::string& name) {
    NamedSystem system{.accelerator = acceleratorNamedIn(name)};
    if (system.accelerator.empty()) return system;
    const hardware::Accelerator accelerator = hardware::loadAccelerator(system.accelerator);
    system.links = levelsOf(accelerator, 1).front();
    if (name.find("pairwise") != std::string::npos) {
        hardware::Accelerator unlinked = accelerator;
        unlinked.network.reset();
        system.host = levelsOf(unlinked, 1).front();
    } else if (system.links.bandwidth) {
        system.measured = measuredSystemOf(system.accelerator, system.links.bandwidth->value);
    }
    system.network = networkOfNodes(accelerator);
    return system;
}

/// By name, each read once.
const NamedSystem& namedSystem(const std::string& name) {
    static std::mutex mutex;
    static std::map<std::string, NamedSystem> systems;
    const std::scoped_lock lock(mutex);
    const auto at = systems.find(name);
    return at != systems.end() ? at->second : systems.emplace(name, readNamedSystem(name)).first->second;
}

/// A level of the spanned ones, with as many units as the group takes there.
void addLevel(std::vector<hardware::TopologyLevel>& levels, std::vector<std::int64_t>& span,
              hardware::TopologyLevel level, std::int64_t units) {
    level.size = units;
    level.kind = hardware::LevelKind::switched;
    level.dims.clear();
    levels.push_back(std::move(level));
    span.push_back(units);
}

}  // namespace

Prediction predictNamedSystem(const CollectiveRequest& request) {
    const NamedSystem& system = namedSystem(request.system);
    if (system.accelerator.empty())
        return {.refused =
                    fmt::format("nobody measured collectives of {}, and no accelerator of the library is named so",
                                inQuotes(request.system))};
    if (request.accelerators < 1 || request.perNode < 1)
        return {.refused = fmt::format("{} accelerators, {} in a node; expected numbers above 0", request.accelerators,
                                       request.perNode)};
    std::vector<hardware::TopologyLevel> levels;
    std::vector<std::int64_t> span;
    const std::int64_t inNode = std::min(request.perNode, request.accelerators);
    const std::int64_t nodes = (request.accelerators + inNode - 1) / inNode;
    const std::int64_t linked = system.host ? std::min<std::int64_t>(inNode, 2) : inNode;
    addLevel(levels, span, system.links, linked);
    if (inNode > linked) addLevel(levels, span, *system.host, (inNode + linked - 1) / linked);
    if (nodes > 1) {
        if (!system.network)
            return {.refused = fmt::format("the rate of the network of {} is not known", inQuotes(request.system))};
        addLevel(levels, span, *system.network, nodes);
    }
    return collectiveOver(levels, request.operation, {.span = span, .system = system.measured}, request.bytes);
}

}  // namespace tessera::physical
