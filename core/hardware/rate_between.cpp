#include "core/hardware/rate_between.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"

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

double networkRateOf(const Group& group, std::span<const TopologyLevel> levels) {
    double narrowest = kUnknown;
    for (std::size_t i = 1; i < levels.size(); ++i) {
        if (levels[i].size < 2) continue;
        const std::optional<BytesPerSecond> rate = effectiveBandwidth(levels[i]);
        if (!rate)
            throw UsageError(fmt::format(
                "the rate of the network beyond a node of group {} is not known; expected bandwidth_bytes_per_s "
                "at its level {}",
                inQuotes(group.name), inQuotes(levels[i].name)));
        narrowest = std::min(narrowest, rate->value);
    }
    return narrowest == kUnknown ? 0 : narrowest;
}

double rateBetween(const Fleet& fleet, const std::string& a, const std::string& b, double networkA, double networkB) {
    double rate = kUnknown;
    for (const double network : {networkA, networkB})
        if (network > 0) rate = std::min(rate, network);
    for (const Link& link : fleet.links)
        if ((link.from == a && link.to == b) || (link.from == b && link.to == a))
            rate = std::min(rate, link.rate.value);
    if (fleet.topology) rate = std::min(rate, rateThrough(*fleet.topology, a, b));
    if (rate == kUnknown)
        throw UsageError(fmt::format("the rate between the groups {} and {} is not known; expected a link of the fleet",
                                     inQuotes(a), inQuotes(b)));
    return rate;
}

}  // namespace tessera::hardware
