#include "core/physical/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "core/base/elementary.h"

namespace tessera::physical {

namespace {

using hardware::LevelKind;
using hardware::TopologyLevel;

/// A level that a group spans.
struct SpannedLevel {
    const TopologyLevel* level = nullptr;
    std::int64_t members = 1;  ///< units of the level below that the group takes
    std::int64_t own = 1;      ///< accelerators of the group in one of them
    double rate = 0;           ///< bytes/s of the group's part in one of them
    bool isInnermost = false;
};

std::int64_t membersAt(const SpanningGroup& group, std::size_t at) {
    return at < group.span.size() ? group.span[at] : 1;
}

/// Members of the group that lie in one unit of the level.
std::int64_t ownBelow(const SpanningGroup& group, std::size_t at) {
    std::int64_t own = 1;
    for (std::size_t i = 0; i < at; ++i) own *= membersAt(group, i);
    return own;
}

/// Why a group cannot be timed, empty where it can.
std::string spanProblem(std::span<const TopologyLevel> levels, const SpanningGroup& group, double bytes) {
    if (!(bytes >= 0) || std::isinf(bytes))
        return fmt::format("a collective of {} bytes; expected a number of at least 0", bytes);
    if (group.concurrent < 1) return fmt::format("{} groups at once; expected a number above 0", group.concurrent);
    if (group.span.size() > levels.size())
        return fmt::format("a group over {} levels; the fleet has {}", group.span.size(), levels.size());
    std::int64_t members = 1;
    for (std::size_t i = 0; i < group.span.size(); ++i) {
        if (group.span[i] < 1 || group.span[i] > levels[i].size)
            return fmt::format("a group of {} at the level '{}'; expected 1 to {}", group.span[i], levels[i].name,
                               levels[i].size);
        members *= group.span[i];
        if (members > hardware::kMaxInGroup)
            return fmt::format("a group of more than {} accelerators", hardware::kMaxInGroup);
        if (group.span[i] > 1 && !levels[i].bandwidth)
            return fmt::format("the bandwidth of the level '{}' is not known", levels[i].name);
    }
    return {};
}

std::vector<SpannedLevel> spannedLevels(std::span<const TopologyLevel> levels, const SpanningGroup& group) {
    std::vector<SpannedLevel> spanned;
    for (std::size_t i = 0; i < group.span.size(); ++i)
        if (group.span[i] > 1)
            spanned.push_back({&levels[i], group.span[i], ownBelow(group, i), unitBandwidth(levels, i, group), i == 0});
    return spanned;
}

/// Units along a dimension of a torus, of which a group takes some.
struct TorusDimension {
    std::int64_t size = 1;
    std::int64_t members = 1;
    double rate = 0;  ///< bytes/s of one unit along it: both neighbours of a ring, one of a line
};

/// A group takes whole dimensions, then a part of one. Where it is no such box it is a line through its members.
std::vector<TorusDimension> torusDimensions(const SpannedLevel& at) {
    std::vector<std::int64_t> sizes;
    for (const std::int64_t size : at.level->dims)
        if (size > 1) sizes.push_back(size);
    if (sizes.empty()) sizes.push_back(at.level->size);
    const double each = at.rate / static_cast<double>(sizes.size());
    std::vector<TorusDimension> taken;
    std::int64_t left = at.members;
    for (const std::int64_t size : sizes) {
        if (left == 1) break;
        const std::int64_t members = left % size == 0 ? size : left;
        if (members > size) return {{.size = at.level->size, .members = at.members, .rate = each / 2}};
        taken.push_back({size, members, members == size ? each : each / 2});
        left /= members;
    }
    if (left > 1) return {{.size = at.level->size, .members = at.members, .rate = each / 2}};
    return taken;
}

/// Seconds of a byte of each unit, reduced or gathered along the dimensions from `first` on, each part of the data one
/// step behind the one before.
double scatterStepSeconds(std::span<const TorusDimension> dims, std::size_t first, std::size_t step, double share) {
    double held = share;
    for (std::size_t i = 0; i < step; ++i) held /= static_cast<double>(dims[(first + i) % dims.size()].members);
    const TorusDimension& now = dims[(first + step) % dims.size()];
    const auto members = static_cast<double>(now.members);
    return held * (members - 1) / members / now.rate;
}

/// Seconds of scattering or gathering one byte: the better of all data at once, dimension by dimension, and of as many
/// parts as dimensions, each of which starts with another one.
double torusScatterSeconds(std::span<const TorusDimension> dims) {
    double together = 0, rotated = 0;
    for (std::size_t step = 0; step < dims.size(); ++step) {
        together += scatterStepSeconds(dims, 0, step, 1);
        double slowest = 0;
        for (std::size_t first = 0; first < dims.size(); ++first)
            slowest = std::max(slowest, scatterStepSeconds(dims, first, step, 1.0 / static_cast<double>(dims.size())));
        rotated += slowest;
    }
    return std::min(together, rotated);
}

/// Seconds of exchanging one byte of each member: half of what each half of a dimension holds goes to the other half.
double torusExchangeSeconds(std::span<const TorusDimension> dims) {
    double slowest = 0;
    for (const TorusDimension& dim : dims)
        slowest = std::max(slowest, static_cast<double>(dim.members) / (4 * dim.rate));
    return slowest;
}

/// What a torus takes where nothing says it (class assumed): as collectives of switched nodes, whose start-up and share
/// of the rate they are, and a hop between chips.
constexpr double kTorusStart = 9e-6, kTorusHop = 1e-6, kTorusShare = 0.8;
/// Half-widths of the interval, as where parameters are transferred.
constexpr double kTorusSpread = 0.8, kLongTorusSpread = 0.35;
constexpr double kLongOnTorus = 16e6;

double torusBytesSeconds(Collective operation, std::span<const TorusDimension> dims, double own, double bytes) {
    switch (operation) {
        case Collective::allReduce:
            return 2 * bytes * torusScatterSeconds(dims);
        case Collective::allToAll:
            return own * bytes * torusExchangeSeconds(dims);
        case Collective::sendReceive: {  // to a neighbour, over one link
            const bool isRing = dims.front().members == dims.front().size;
            return bytes / (dims.front().rate / (isRing ? 2 : 1));
        }
        default:
            return bytes * torusScatterSeconds(dims);
    }
}

Estimate torusSeconds(const SpannedLevel& at, Collective operation, double bytes) {
    const std::vector<TorusDimension> dims = torusDimensions(at);
    double hops = 0;
    for (const TorusDimension& dim : dims) hops += static_cast<double>(dim.members - 1);
    if (operation == Collective::sendReceive) hops = 1;
    if (operation == Collective::allReduce) hops *= 2;
    const double hop = at.level->latency ? at.level->latency->value : kTorusHop;
    const double moved = torusBytesSeconds(operation, dims, static_cast<double>(at.own), bytes) / kTorusShare;
    return estimateAround(kTorusStart + hops * hop + moved, bytes < kLongOnTorus ? kTorusSpread : kLongTorusSpread);
}

bool isTorus(const SpannedLevel& at) {
    return at.level->kind == LevelKind::torus || at.level->kind == LevelKind::ring;
}

/// The rate of a unit to the members of its group: of links to other units, those that lead to members.
double memberRate(const SpannedLevel& at, Collective operation) {
    const auto others = static_cast<double>(operation == Collective::sendReceive ? 1 : at.members - 1);
    return at.rate * hardware::shareOfLinks(hardware::neighboursAt(*at.level), others);
}

/// A level's latency where it says one; as requests have 0 for one that is not said, 0 is a nanosecond.
double latencyOf(const TopologyLevel& level) {
    return level.latency ? std::max(level.latency->value, 1e-9) : 0;
}

/// One collective of a switch, or of a node and the network that joins it with others.
CollectiveRequest switchedRequest(const SpannedLevel* inner, const SpannedLevel* outer, Collective operation,
                                  double bytes) {
    CollectiveRequest request{.operation = operation, .bytes = bytes, .interconnect = Interconnect{}};
    if (inner != nullptr) {
        request.perNode = static_cast<int>(inner->members);
        request.interconnect->linkBytesPerSecond = memberRate(*inner, operation);
        request.interconnect->latencySeconds = latencyOf(*inner->level);
    }
    request.accelerators = request.perNode;
    if (outer == nullptr) return request;
    request.accelerators *= static_cast<int>(outer->members);
    const double rate = memberRate(*outer, operation);
    request.interconnect->networkBytesPerSecond = rate;
    if (inner == nullptr) request.interconnect->linkBytesPerSecond = rate;
    request.interconnect->networkLatencySeconds = latencyOf(*outer->level);
    return request;
}

/// Adds times of phases, which are off together.
void addSeconds(Prediction& sum, const Prediction& phase) {
    if (!sum.refused.empty()) return;
    if (!phase.estimate) {
        sum = phase;
        return;
    }
    if (!sum.estimate) sum.estimate = Estimate{};
    sum.estimate->value += phase.estimate->value;
    sum.estimate->low += phase.estimate->low;
    sum.estimate->high += phase.estimate->high;
}

/// What an exchange sends over a level that is not its group's outermost: also what goes further crosses it.
double leavingFactor(const SpannedLevel& at, std::int64_t all) {
    const auto members = static_cast<double>(at.members);
    const double leaving = 1 - static_cast<double>(at.own) / static_cast<double>(all);
    return leaving / ((members - 1) / members);
}

Prediction phaseSeconds(const SpannedLevel& at, Collective operation, double bytes, std::string_view system) {
    if (isTorus(at)) return {.estimate = torusSeconds(at, operation, bytes)};
    CollectiveRequest request = at.isInnermost ? switchedRequest(&at, nullptr, operation, bytes)
                                               : switchedRequest(nullptr, &at, operation, bytes);
    if (at.isInnermost) request.system = system;
    // A unit exchanges for each of its members.
    if (!at.isInnermost && operation == Collective::allToAll) request.bytes *= static_cast<double>(at.own);
    return predictCollective(request);
}

Prediction spannedSeconds(std::vector<SpannedLevel> spanned, Collective operation, const SpanningGroup& group,
                          double bytes) {
    if (operation == Collective::sendReceive) {
        spanned.erase(spanned.begin(), spanned.end() - 1);
        spanned[0].rate /= static_cast<double>(std::exchange(spanned[0].own, 1));
    }
    const std::int64_t all = spanned.back().own * spanned.back().members;
    if (operation == Collective::allToAll)
        for (SpannedLevel& at : spanned)
            if (!at.isInnermost) at.rate /= leavingFactor(at, all);
    Prediction sum;
    std::size_t next = 0;
    // A node and the network that joins it were measured together.
    if (spanned.size() > 1 && spanned[0].isInnermost && !isTorus(spanned[0]) && !isTorus(spanned[1])) {
        const SpannedLevel &node = spanned[0], &network = spanned[1];
        addSeconds(sum, predictCollective(switchedRequest(&node, &network, operation, bytes)));
        next = 2;
    }
    for (; next < spanned.size(); ++next) addSeconds(sum, phaseSeconds(spanned[next], operation, bytes, group.system));
    return sum;
}

/// The largest number of at most eight accelerators of which the count is a multiple.
std::int64_t nodeOf(std::int64_t count) {
    constexpr std::int64_t kNode = 8;
    std::int64_t node = std::min(count, kNode);
    while (count % node != 0) --node;
    return node;
}

}  // namespace

double unitBandwidth(std::span<const TopologyLevel> levels, std::size_t at, const SpanningGroup& group) {
    const TopologyLevel& level = levels[at];
    if (!level.bandwidth) return 0;
    const std::int64_t below = hardware::acceleratorsJoined(levels.first(at));
    const std::int64_t own = ownBelow(group, at);
    const std::int64_t busy = group.concurrent < below / own ? own * group.concurrent : std::max(below, own);
    const auto members = static_cast<double>(own), sending = static_cast<double>(busy);
    const auto shared = static_cast<double>(level.sharedBy);
    const double ports = std::max(static_cast<double>(std::max(below, own)) / shared, 1.0);
    return level.bandwidth->value *
           std::min(members / std::min(shared, sending), ports / level.oversubscription * members / sending);
}

Prediction collectiveOver(std::span<const TopologyLevel> levels, Collective operation, const SpanningGroup& group,
                          double bytes) {
    if (std::string problem = spanProblem(levels, group, bytes); !problem.empty())
        return {.refused = std::move(problem)};
    std::vector<SpannedLevel> spanned = spannedLevels(levels, group);
    if (spanned.empty()) return {.estimate = Estimate{}};
    return spannedSeconds(std::move(spanned), operation, group, bytes);
}

std::vector<TopologyLevel> levelsOf(const hardware::Accelerator& accelerator, std::int64_t count) {
    const std::int64_t node = nodeOf(std::max<std::int64_t>(count, 1));
    TopologyLevel inside{.name = "links", .size = node, .bandwidth = accelerator.network};
    if (!accelerator.network) {
        inside.name = "host";
        if (accelerator.hostBandwidth) inside.bandwidth = *accelerator.hostBandwidth / 2;
    }
    if (accelerator.network && accelerator.networkPeers && *accelerator.networkPeers < node) {
        inside.kind = LevelKind::mesh;
        inside.peers = accelerator.networkPeers;
    }
    if (accelerator.networkLatency) inside.latency = accelerator.networkLatency;
    std::vector<TopologyLevel> levels{std::move(inside)};
    if (count > node) levels.push_back({.name = "network", .size = count / node});
    return levels;
}

std::vector<TopologyLevel> levelsOf(const hardware::Group& group) {
    if (!group.levels.empty()) return group.levels;
    if (!group.network) return levelsOf(group.accelerator, group.count);
    return {{.name = "network",
             .size = group.count,
             .bandwidth = group.network,
             .latency = group.accelerator.networkLatency}};
}

Device deviceIn(const hardware::Group& group) {
    Device device = deviceOf(group.accelerator);
    if (group.levels.empty()) return device;
    const TopologyLevel& inside = group.levels.front();
    const auto rate = hardware::effectiveBandwidth(inside);
    if (rate && device.linkBytesPerSecond > 0) device.linkBytesPerSecond = rate->value;
    device.neighbours = hardware::neighboursAt(inside);
    return device;
}

}  // namespace tessera::physical
