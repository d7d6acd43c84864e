#include "core/partition/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/dtype.h"
#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/number.h"
#include "core/base/poll.h"
#include "core/base/text.h"

namespace tessera::partition {

namespace {

[[noreturn]] void missing(const hardware::Group& group, const std::string& field, const std::string& what) {
    throw DataError({.file = group.accelerator.file, .field = field}, "missing",
                    fmt::format("{}, which the partition engine needs of group {}", what, inQuotes(group.name)));
}

Kind makeKind(const hardware::Group& group, const std::string& dtype) {
    const hardware::Accelerator& accelerator = group.accelerator;
    const auto peak = accelerator.peakFlops.find(dtype);
    if (peak == accelerator.peakFlops.end()) {
        std::vector<std::string> known;
        for (const auto& [name, flops] : accelerator.peakFlops) known.push_back(name);
        missing(group, "peak_flops." + dtype,
                "a peak for this data type (the file gives " + joined(known, ", ") + "; --dtype chooses)");
    }
    const auto efficiency = accelerator.efficiency.find("gemm");
    const double reached = efficiency == accelerator.efficiency.end() ? 1.0 : efficiency->second;
    const std::optional<BytesPerSecond> rate = group.network ? group.network : accelerator.network;
    if (!rate) missing(group, "network_bits_per_s", "a network rate");
    return {.name = group.name,
            .count = group.count,
            .flops = peak->second.value * reached,
            .bytesPerSecond = rate->value,
            .capacity = hardware::memoryCapacity(accelerator),
            .atPeak = reached >= 1};
}

/// What makes two accelerators equal for partitioning.
using Sort = std::tuple<double, double, double>;
Sort sortOf(const Kind& kind) {
    return {kind.flops, kind.bytesPerSecond, kind.capacity ? kind.capacity->value : -1};
}

/// "a|b"; of many names the first two and the last.
std::string joinedNames(const std::string& a, const std::string& b) {
    constexpr std::size_t kMaxShown = 4;
    std::vector<std::string> names;
    for (const std::string& part : {a, b})
        for (std::size_t from = 0; from <= part.size();) {
            const std::size_t to = std::min(part.find('|', from), part.size());
            names.push_back(part.substr(from, to - from));
            from = to + 1;
        }
    if (names.size() <= kMaxShown) return a + "|" + b;
    return names[0] + "|" + names[1] + "|…|" + names.back();
}

class Builder {
public:
    Builder(const hardware::Fleet& fleet, Array& array) : fleet_(&fleet), array_(&array) {
        for (std::size_t g = 0; g < fleet.groups.size(); ++g)
            groupIndex_[fleet.groups[g].name] = static_cast<std::int32_t>(g);
    }

    std::int32_t leaf(std::int32_t group) {
        const Kind& kind = array_->kinds[toIndex(group)];
        Cluster cluster;
        cluster.name = kind.name;
        cluster.count = kind.count;
        cluster.flops = kind.flops * static_cast<double>(kind.count);
        cluster.bytesPerSecond = kind.bytesPerSecond;
        cluster.kind = group;
        cluster.firstGroup = group;
        cluster.alike = numberOf(sorts_, sortOf(kind));
        cluster.shape = numberOf(shapes_, Shape{-1 - cluster.alike, static_cast<std::int32_t>(kind.count), 0, 0});
        return add(std::move(cluster));
    }

    std::int32_t node(const hardware::TopologyNode& topology) {
        if (topology.children.empty()) return leaf(groupIndex_.at(topology.group));
        std::vector<std::int32_t> parts;
        parts.reserve(topology.children.size());
        for (const hardware::TopologyNode& child : topology.children) parts.push_back(node(child));
        const double cap = topology.rate ? topology.rate->value : std::numeric_limits<double>::infinity();
        return join(std::move(parts), cap, topology.latency.value);
    }

    /// Joins subtrees two by two, the closest in FLOP/s first.
    std::int32_t join(std::vector<std::int32_t> parts, double cap, double latency) {
        while (parts.size() > 1) {
            std::size_t bestA = 0;
            std::size_t bestB = 1;
            std::pair best{true, std::numeric_limits<double>::infinity()};
            for (std::size_t a = 0; a < parts.size(); ++a) {
                poll(1 + parts.size() / 50);
                for (std::size_t b = a + 1; b < parts.size(); ++b) {
                    const std::pair distance = distanceOf(cluster(parts[a]), cluster(parts[b]));
                    if (distance >= best) continue;
                    best = distance;
                    bestA = a;
                    bestB = b;
                }
            }
            const std::int32_t joined = parent(parts[bestA], parts[bestB], cap, latency);
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(bestB));
            parts[bestA] = joined;
            std::stable_sort(parts.begin(), parts.end(), [&](std::int32_t a, std::int32_t b) {
                return cluster(a).firstGroup < cluster(b).firstGroup;
            });
        }
        return parts.front();
    }

private:
    const Cluster& cluster(std::int32_t i) const { return array_->clusters[toIndex(i)]; }

    /// Whether accelerators differ, then how far the FLOP/s are apart.
    static std::pair<bool, double> distanceOf(const Cluster& a, const Cluster& b) {
        return {a.alike < 0 || a.alike != b.alike, std::fabs(std::log(a.flops / b.flops))};
    }

    using Shape = std::tuple<std::int32_t, std::int32_t, double, double>;
    template <typename Thing>
    static std::int32_t numberOf(std::map<Thing, std::int32_t>& known, const Thing& thing) {
        return known.try_emplace(thing, static_cast<std::int32_t>(known.size())).first->second;
    }

    std::int32_t add(Cluster cluster) {
        array_->clusters.push_back(std::move(cluster));
        return static_cast<std::int32_t>(array_->clusters.size() - 1);
    }

    std::int32_t parent(std::int32_t a, std::int32_t b, double cap, double latency) {
        if (cluster(b).firstGroup < cluster(a).firstGroup) std::swap(a, b);
        Cluster joined;
        joined.name = joinedNames(cluster(a).name, cluster(b).name);
        joined.count = cluster(a).count + cluster(b).count;
        joined.flops = cluster(a).flops + cluster(b).flops;
        joined.bytesPerSecond = std::min(cluster(a).bytesPerSecond, cluster(b).bytesPerSecond);
        joined.first = a;
        joined.second = b;
        joined.firstGroup = cluster(a).firstGroup;
        joined.rateCap = cap;
        joined.latency = latency;
        const std::vector<std::int32_t> inA = groupsOf(a);
        const std::vector<std::int32_t> inB = groupsOf(b);
        for (const hardware::Link& link : fleet_->links) {
            const std::int32_t from = groupIndex_.at(link.from);
            const std::int32_t to = groupIndex_.at(link.to);
            const auto crosses = [&](std::int32_t x, std::int32_t y) {
                return std::binary_search(inA.begin(), inA.end(), x) && std::binary_search(inB.begin(), inB.end(), y);
            };
            if (!crosses(from, to) && !crosses(to, from)) continue;
            joined.rateCap = std::min(joined.rateCap, link.rate.value);
            joined.latency = std::max(joined.latency, link.latency.value);
        }
        joined.alike = cluster(a).alike == cluster(b).alike ? cluster(a).alike : -1;
        joined.shape = numberOf(shapes_, Shape{cluster(a).shape, cluster(b).shape, joined.rateCap, joined.latency});
        return add(std::move(joined));
    }

    std::vector<std::int32_t> groupsOf(std::int32_t root) const {
        std::vector<std::int32_t> groups;
        std::vector<std::int32_t> stack{root};
        while (!stack.empty()) {
            const Cluster& at = cluster(stack.back());
            stack.pop_back();
            if (at.kind >= 0) {
                groups.push_back(at.kind);
            } else {
                stack.push_back(at.first);
                stack.push_back(at.second);
            }
        }
        std::sort(groups.begin(), groups.end());
        return groups;
    }

    const hardware::Fleet* fleet_;
    Array* array_;
    std::map<std::string, std::int32_t> groupIndex_;
    std::map<Sort, std::int32_t> sorts_;
    std::map<Shape, std::int32_t> shapes_;
};

/// A topology with some of its groups: a node left with one child becomes that child.
std::optional<hardware::TopologyNode> pruned(const hardware::TopologyNode& node, const std::set<std::string>& kept) {
    if (node.children.empty()) return kept.contains(node.group) ? std::optional(node) : std::nullopt;
    hardware::TopologyNode left = node;
    left.children.clear();
    for (const hardware::TopologyNode& child : node.children)
        if (std::optional<hardware::TopologyNode> rest = pruned(child, kept)) left.children.push_back(std::move(*rest));
    if (left.children.empty()) return std::nullopt;
    if (left.children.size() == 1) return left.children.front();
    return left;
}

/// By group, the number of the topology's node that it hangs on.
void addPlaces(const hardware::TopologyNode& node, int parent, int& nodes, std::map<std::string, int>& places) {
    if (node.children.empty()) {
        places[node.group] = parent;
        return;
    }
    const int self = nodes++;
    for (const hardware::TopologyNode& child : node.children) addPlaces(child, self, nodes, places);
}

/// What links say of every two groups: rate and latency, in no direction.
using Links = std::map<std::pair<std::string, std::string>, std::pair<double, double>>;
Links linksOf(const hardware::Fleet& fleet) {
    Links links;
    for (const hardware::Link& link : fleet.links)
        for (const auto& ends : {std::pair(link.from, link.to), std::pair(link.to, link.from)}) {
            const auto [place, added] = links.try_emplace(ends, link.rate.value, link.latency.value);
            if (added) continue;
            place->second.first = std::min(place->second.first, link.rate.value);
            place->second.second = std::max(place->second.second, link.latency.value);
        }
    return links;
}

}  // namespace

Array makeArray(const hardware::Fleet& fleet, const std::string& dtype) {
    Array array;
    array.kinds.reserve(fleet.groups.size());
    for (const hardware::Group& group : fleet.groups) array.kinds.push_back(makeKind(group, dtype));
    Builder builder(fleet, array);
    if (fleet.topology) {
        array.root = builder.node(*fleet.topology);
        return array;
    }
    std::vector<std::int32_t> parts;
    for (std::size_t g = 0; g < fleet.groups.size(); ++g) parts.push_back(builder.leaf(static_cast<std::int32_t>(g)));
    array.root = builder.join(std::move(parts), std::numeric_limits<double>::infinity(), 0);
    return array;
}

hardware::Fleet restricted(const hardware::Fleet& fleet, const std::vector<bool>& kept) {
    hardware::Fleet left;
    left.name = fleet.name;
    left.file = fleet.file;
    std::set<std::string> names;
    for (std::size_t g = 0; g < fleet.groups.size(); ++g) {
        if (!kept[g]) continue;
        left.groups.push_back(fleet.groups[g]);
        names.insert(fleet.groups[g].name);
    }
    for (const hardware::Link& link : fleet.links)
        if (names.contains(link.from) && names.contains(link.to)) left.links.push_back(link);
    if (fleet.topology) left.topology = pruned(*fleet.topology, names);
    return left;
}

std::vector<std::vector<std::size_t>> interchangeableGroups(const hardware::Fleet& fleet, const std::string& dtype) {
    std::map<std::string, int> places;
    int nodes = 0;
    if (fleet.topology) addPlaces(*fleet.topology, -1, nodes, places);
    const Links links = linksOf(fleet);
    const auto linkOf = [&](std::size_t a, std::size_t b) {
        const auto found = links.find({fleet.groups[a].name, fleet.groups[b].name});
        return found == links.end() ? std::pair(0.0, -1.0) : found->second;
    };
    const auto linkedAlike = [&](std::size_t a, std::size_t b) {
        if (links.empty()) return true;
        for (std::size_t other = 0; other < fleet.groups.size(); ++other)
            if (other != a && other != b && linkOf(a, other) != linkOf(b, other)) return false;
        return true;
    };
    std::vector<Kind> kinds;
    for (const hardware::Group& group : fleet.groups) kinds.push_back(makeKind(group, dtype));
    std::vector<std::vector<std::size_t>> classes;
    for (std::size_t g = 0; g < kinds.size(); ++g) {
        poll(1 + kinds.size() / 10);
        const auto same = std::find_if(classes.begin(), classes.end(), [&](const std::vector<std::size_t>& others) {
            const std::size_t o = others.front();
            return sortOf(kinds[o]) == sortOf(kinds[g]) && kinds[o].count == kinds[g].count &&
                   places[fleet.groups[o].name] == places[fleet.groups[g].name] && linkedAlike(o, g);
        });
        if (same == classes.end())
            classes.push_back({g});
        else
            same->push_back(g);
    }
    return classes;
}

std::optional<double> bytesOfDtype(const std::string& dtype) {
    const Dtype* const row = findRow(studiedDtypes(), dtype);
    return row == nullptr ? std::nullopt : std::optional(row->bytes);
}

const std::vector<std::string>& knownDtypes() {
    static const std::vector<std::string> names = idsOf(studiedDtypes());
    return names;
}

}  // namespace tessera::partition
