#include "core/hardware/level.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/hardware/field.h"

namespace tessera::hardware {

namespace {

constexpr Bounds kAtLeastOne{.min = 1, .minExcluded = false};

/// A product of whole numbers above 0 that stops growing once it is beyond every count.
std::int64_t productUpTo(std::int64_t product, std::int64_t factor) {
    constexpr std::int64_t kBeyond = kMaxLevelSize * kMaxLevelSize;
    return product > kMaxLevelSize ? kBeyond : product * factor;
}

/// What counts of a level by itself.
void checkLevel(const TopologyLevel& level, const JsonNode& node) {
    const bool isTorus = level.kind == LevelKind::torus, isMesh = level.kind == LevelKind::mesh;
    const auto ofKind = [&] { return fmt::format("of a level of kind '{}'", kLevelKindNames.of(level.kind)); };
    if (!isTorus && !level.dims.empty()) node.at("dims").fail("dimensions of a torus only", ofKind());
    if (!isMesh && level.peers) node.at("peers").fail("the peers of a mesh only", ofKind());
    if (isMesh && !level.peers) node.fail("'peers', the units that each has links to", "a mesh without peers");
    if (isMesh && *level.peers >= level.size)
        node.at("peers").fail(fmt::format("fewer peers than the {} units of the level", level.size),
                              fmt::format("{}", *level.peers));
    if (!isTorus) return;
    if (level.dims.empty()) node.fail("'dims', the units along each dimension", "a torus without dimensions");
    std::int64_t product = 1;
    for (const std::int64_t size : level.dims) product = productUpTo(product, size);
    if (product != level.size)
        node.at("dims").fail(
            fmt::format("dimensions whose product is the size of the level, {}", level.size),
            product > kMaxLevelSize ? "of more units than any level joins" : fmt::format("of {} units", product));
}

std::string productText(std::int64_t product) {
    return product > kMaxLevelSize ? fmt::format("of sizes whose product is more than {}", kMaxLevelSize)
                                   : fmt::format("of sizes whose product is {}", product);
}

}  // namespace

std::optional<BytesPerSecond> effectiveBandwidth(const TopologyLevel& level) {
    if (!level.bandwidth) return std::nullopt;
    return *level.bandwidth / (level.oversubscription * static_cast<double>(level.sharedBy));
}

std::int64_t neighboursAt(const TopologyLevel& level) {
    const auto alongRing = [](std::int64_t units) { return std::min<std::int64_t>(units - 1, 2); };
    std::int64_t neighbours = 0;
    switch (level.kind) {
        case LevelKind::switched:
            return 0;
        case LevelKind::full:
            return level.size - 1;
        case LevelKind::mesh:
            return level.peers.value_or(level.size - 1);
        case LevelKind::ring:
            return alongRing(level.size);
        case LevelKind::torus:
            for (const std::int64_t units : level.dims) neighbours += alongRing(units);
    }
    return neighbours;
}

double shareOfLinks(std::int64_t neighbours, double others) {
    return neighbours > 0 ? std::min(others / static_cast<double>(neighbours), 1.0) : 1;
}

std::int64_t acceleratorsJoined(std::span<const TopologyLevel> levels) {
    std::int64_t product = 1;
    for (const TopologyLevel& level : levels) product = productUpTo(product, level.size);
    return product;
}

Fields levelFields() {
    using F = FieldsOf<TopologyLevel>;
    return {
        F::name(&TopologyLevel::name, "name", "Name", "Name of the level, such as NVLink; no two levels share one."),
        F::number(&TopologyLevel::size, "size", "Size", Measure::count, wholeUpTo(kMaxLevelSize),
                  "How many units of the level before it the level joins; of the first level, accelerators. The "
                  "product of all sizes is the group's count.")
            .unless(&TopologyLevel::isRest)
            .otherwise("of the last level what the group's count leaves"),
        F::word(&TopologyLevel::kind, "kind", "Kind", kLevelKindNames,
                "How it joins them: switch (any to any), ring, torus (rings in each of 'dims'), full (a link "
                "between each pair), mesh (links to some others, 'peers').")
            .otherwise("switch", Json("switch"))
            .alwaysWritten(),
        F::numbers(&TopologyLevel::dims, "dims", "Dimensions", wholeUpTo(kMaxLevelSize), kMaxDimensions,
                   "Units along each dimension of a torus; their product is the size.")
            .otherwise("none; a torus needs them"),
        F::number(&TopologyLevel::peers, "peers", "Peers", Measure::count, wholeUpTo(kMaxLevelSize),
                  "Units that each unit of a mesh has links to, in equal parts: two units that talk to each other have "
                  "that share of the bandwidth.")
            .otherwise("none; a mesh needs them"),
        F::number(&TopologyLevel::bandwidth, "bandwidth_bytes_per_s", "Bandwidth", Measure::bytesPerSecond, kPositive,
                  "Rate of one accelerator at this level in one direction in bytes per second (not bits): all its "
                  "links of the level together, or the port that it shares.")
            .otherwise("not known; what crosses the level is then refused"),
        F::number(&TopologyLevel::latency, "latency_s", "Latency", Measure::seconds, kNotNegative,
                  "What the shortest exchange of two units takes at this level, in seconds.")
            .otherwise("as measured of similar systems"),
        F::number(&TopologyLevel::oversubscription, "oversubscription", "Oversubscription", Measure::count, kAtLeastOne,
                  "Rate of all ports below over what the level carries at once: 2 where the switches above have "
                  "half the rate.")
            .otherwise("1", Json(1)),
        F::number(&TopologyLevel::sharedBy, "shared_by", "Shared by", Measure::count, wholeUpTo(kMaxLevelSize),
                  "Accelerators that share one port of that bandwidth.")
            .otherwise("1", Json(1))};
}

void checkLevels(std::vector<TopologyLevel>& levels, std::int64_t count, const JsonNode& node, Reading& reading) {
    if (levels.empty() || !reading.good(node)) return;
    const std::vector<JsonNode> nodes = node.elements();
    std::int64_t product = 1;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (nodes[i].has("size")) {
            product = productUpTo(product, levels[i].size);
            continue;
        }
        if (i + 1 < levels.size())
            return reading.attempt(
                [&] { nodes[i].fail("a size, which only the last level may leave out", "without 'size'"); });
        levels[i].isRest = true;
        levels[i].size = count % product == 0 ? count / product : 1;
    }
    if (levels.back().isRest && count % product != 0)
        return reading.attempt([&] {
            node.fail(fmt::format("sizes whose product divides the group's count, {}", count), productText(product));
        });
    if (!levels.back().isRest && product != count)
        return reading.attempt([&] {
            node.fail(fmt::format("sizes whose product is the group's count, {}", count), productText(product));
        });
    for (std::size_t i = 0; i < levels.size(); ++i) reading.attempt([&] { checkLevel(levels[i], nodes[i]); });
}

}  // namespace tessera::hardware
