#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/hardware/fleet.h"
#include "core/model/layers.h"

namespace tessera::test {

/// An accelerator with only what partitioning needs.
inline hardware::Accelerator accelerator(double flops, double bitsPerSecond) {
    hardware::Accelerator a;
    a.name = "test";
    a.file = "test.json";
    a.peakFlops["bf16"] = {flops};
    a.network = fromBitsPerSecond(bitsPerSecond);
    return a;
}

inline hardware::Group group(const std::string& name, double flops, double bitsPerSecond, std::int64_t count) {
    return {.name = name, .accelerator = accelerator(flops, bitsPerSecond), .count = count, .network = {}};
}

inline hardware::Fleet fleetOf(std::vector<hardware::Group> groups) {
    hardware::Fleet fleet;
    fleet.name = "test fleet";
    fleet.groups = std::move(groups);
    return fleet;
}

/// The pair (i, j) of the paper: one accelerator on each side.
inline hardware::Fleet pairFleet(double flopsI, double flopsJ, double bitsI, double bitsJ) {
    return fleetOf({group("i", flopsI, bitsI, 1), group("j", flopsJ, bitsJ, 1)});
}

/// A random layer; maps are square.
inline model::Layer randomLayer(RandomStream& random, const std::string& name) {
    model::Layer layer;
    layer.name = name;
    const auto channels = [&] { return static_cast<double>(std::uint64_t{1} << random.below(10)); };
    layer.inChannels = channels();
    layer.outChannels = channels();
    if (random.below(2) == 0) {
        layer.kind = model::LayerKind::conv;
        const double map = static_cast<double>(4 + random.below(25));
        layer.in = layer.conv = layer.out = {map, map};
        layer.kernel = {3, 3};
        if (random.below(3) == 0) layer.out = {map / 2, map / 2};
        if (random.below(6) == 0) layer.groups = 2;
    }
    layer.parameters = model::weightElements(layer);
    layer.activations = model::convElements(layer);
    return layer;
}

inline model::Layer randomJoin(RandomStream& random, const std::string& name) {
    model::Layer join;
    join.name = name;
    join.kind = random.below(3) == 0   ? model::LayerKind::concat
                : random.below(3) == 0 ? model::LayerKind::product
                                       : model::LayerKind::add;
    join.inChannels = join.outChannels = static_cast<double>(std::uint64_t{1} << random.below(8));
    const double map = static_cast<double>(1 + random.below(28));
    join.in = join.conv = join.out = {map, map};
    if (join.kind == model::LayerKind::product) join.macs = 1e4 * static_cast<double>(1 + random.below(100));
    return join;
}

/// A random directed acyclic network of up to `max` layers and joins: chains, residual and nested blocks, branches
/// that meet in concats, several sources and sinks.
inline model::LayerGraph randomNetwork(RandomStream& random, int max) {
    model::LayerGraph graph;
    graph.name = "random";
    std::vector<std::int32_t> open;  // nodes whose output is still to be read
    const auto count = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(max)));
    for (std::int32_t n = 0; n < count; ++n) {
        const std::string name = "n" + std::to_string(n);
        const bool join = n >= 2 && random.below(3) == 0;
        graph.layers.push_back(join ? randomJoin(random, name) : randomLayer(random, name));
        if (join) {
            const auto a = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(n)));
            auto b = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(n)));
            if (a == b) b = (b + 1) % n;
            graph.edges.push_back({a, n, 0});
            graph.edges.push_back({b, n, 0});
            if (n >= 3 && random.below(3) == 0) {
                const auto c = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(n)));
                if (c != a && c != b) graph.edges.push_back({c, n, 0});
            }
        } else if (n > 0 && random.below(8) != 0) {
            graph.edges.push_back(
                {static_cast<std::int32_t>(random.below(2) == 0 ? static_cast<std::uint64_t>(n - 1)
                                                                : random.below(static_cast<std::uint64_t>(n))),
                 n, 0});
        }
    }
    model::completeLayerGraph(graph, "random");
    return graph;
}

/// A chain of random layers.
inline model::LayerGraph randomChain(std::int32_t layers) {
    model::LayerGraph graph;
    graph.name = "chain";
    RandomStream random(1);
    for (std::int32_t n = 0; n < layers; ++n) {
        graph.layers.push_back(randomLayer(random, "l" + std::to_string(n)));
        if (n > 0) graph.edges.push_back({n - 1, n, 0});
    }
    model::completeLayerGraph(graph, "chain");
    return graph;
}

/// A chain of equal layers.
inline model::LayerGraph equalChain(std::int32_t layers) {
    model::LayerGraph graph;
    graph.name = "chain";
    for (std::int32_t n = 0; n < layers; ++n) {
        model::Layer layer;
        layer.name = "l" + std::to_string(n);
        layer.inChannels = layer.outChannels = 256;
        graph.layers.push_back(layer);
        if (n > 0) graph.edges.push_back({n - 1, n, 0});
    }
    model::completeLayerGraph(graph, "chain");
    return graph;
}

/// Fully connected layers, each of which reads the sum of the last `reach` before it.
inline model::LayerGraph denseGraph(std::int32_t layers, std::int32_t reach) {
    model::LayerGraph graph;
    graph.name = "dense";
    std::vector<std::int32_t> made;
    for (std::int32_t n = 0; n < layers; ++n) {
        model::Layer layer;
        layer.name = "fc" + std::to_string(n);
        layer.inChannels = layer.outChannels = 256;
        std::int32_t read = made.empty() ? -1 : made.back();
        if (n >= 2) {
            model::Layer sum;
            sum.name = "sum" + std::to_string(n);
            sum.kind = model::LayerKind::add;
            sum.inChannels = sum.outChannels = 256;
            read = static_cast<std::int32_t>(graph.layers.size());
            graph.layers.push_back(sum);
            for (std::int32_t from = std::max(0, n - reach); from < n; ++from)
                graph.edges.push_back({made[static_cast<std::size_t>(from)], read, 0});
        }
        made.push_back(static_cast<std::int32_t>(graph.layers.size()));
        graph.layers.push_back(layer);
        if (read >= 0) graph.edges.push_back({read, made.back(), 0});
    }
    model::completeLayerGraph(graph, "dense");
    return graph;
}

/// DGX nodes: groups of 8 accelerators of two kinds, half of the groups each, linked by one slower network.
inline hardware::Fleet nodes(int groups, bool linked = true) {
    std::vector<hardware::Group> all;
    for (int n = 0; n < groups; ++n)
        all.push_back(n < (groups + 1) / 2 ? group("a" + std::to_string(n), 312e12, 4800e9, 8)
                                           : group("h" + std::to_string(n), 990e12, 7200e9, 8));
    hardware::Fleet fleet = fleetOf(std::move(all));
    for (std::size_t a = 0; linked && a < fleet.groups.size(); ++a)
        for (std::size_t b = a + 1; b < fleet.groups.size(); ++b)
            fleet.links.push_back({fleet.groups[a].name, fleet.groups[b].name, fromBitsPerSecond(200e9), {1e-6}});
    return fleet;
}

}  // namespace tessera::test
