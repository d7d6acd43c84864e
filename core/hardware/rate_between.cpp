#include "core/hardware/rate_between.h"

#include <algorithm>
#include <limits>

namespace tessera::hardware {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// The names of the groups below a node of a topology.
bool holds(const TopologyNode& node, const std::string& group) {
    if (node.group == group) return true;
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](const TopologyNode& child) { return holds(child, group); });
}

/// The narrowest rate on the way between two groups of a tree; infinite where no node says one.
double rateThrough(const TopologyNode& node, const std::string& a, const std::string& b) {
    const bool hasA = holds(node, a), hasB = holds(node, b);
    double rate = kUnknown;
    if (!hasA && !hasB) return rate;
    for (const TopologyNode& child : node.children) rate = std::min(rate, rateThrough(child, a, b));
    if (hasA && hasB) {
        // A deeper node that joins both is the whole way.
        for (const TopologyNode& child : node.children)
            if (holds(child, a) && holds(child, b)) return rateThrough(child, a, b);
    }
    return node.rate ? std::min(rate, node.rate->value) : rate;
}

}  // namespace

std::optional<BytesPerSecond> rateBetween(const Fleet& fleet, const std::string& a, const std::string& b,
                                          std::optional<BytesPerSecond> ownA, std::optional<BytesPerSecond> ownB) {
    double rate = kUnknown;
    for (const std::optional<BytesPerSecond>& own : {ownA, ownB})
        if (own && own->value > 0) rate = std::min(rate, own->value);
    for (const Link& link : fleet.links)
        if ((link.from == a && link.to == b) || (link.from == b && link.to == a))
            rate = std::min(rate, link.rate.value);
    if (fleet.topology) rate = std::min(rate, rateThrough(*fleet.topology, a, b));
    if (rate == kUnknown) return std::nullopt;
    return BytesPerSecond{rate};
}

}  // namespace tessera::hardware
