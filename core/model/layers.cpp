#include "core/model/layers.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/poll.h"
#include "core/base/text.h"

namespace tessera::model {

double weightElements(const Layer& layer) {
    if (isJoin(layer.kind)) return 0;
    return layer.inChannels * layer.outChannels * layer.kernel.area() / layer.groups;
}

double inElements(const Layer& layer) {
    if (layer.kind == LayerKind::embedding) return layer.conv.area();
    return layer.inChannels * layer.in.area();
}

double convElements(const Layer& layer) {
    return layer.outChannels * layer.conv.area();
}

double outElements(const Layer& layer) {
    return layer.outChannels * layer.out.area();
}

double macsPerSample(const Layer& layer) {
    switch (layer.kind) {
        case LayerKind::fc:
        case LayerKind::conv:
            return convElements(layer) * layer.inChannels * layer.kernel.area() / layer.groups;
        case LayerKind::product:
            return layer.macs;
        case LayerKind::embedding:
        case LayerKind::add:
        case LayerKind::concat:
            return 0;
    }
    return 0;
}

namespace {

using Successors = std::vector<std::vector<std::int32_t>>;

Successors successorsOf(const LayerGraph& graph) {
    Successors successors(graph.layers.size());
    for (const LayerEdge& edge : graph.edges) successors[toIndex(edge.from)].push_back(edge.to);
    return successors;
}

/// Kahn's algorithm; of the layers that are ready the first in the file goes first. Shorter than the graph where there
/// is a cycle.
std::vector<std::int32_t> topologicalOrder(const LayerGraph& graph) {
    const Successors successors = successorsOf(graph);
    std::vector<std::int32_t> missing(graph.layers.size(), 0);
    for (const LayerEdge& edge : graph.edges) ++missing[toIndex(edge.to)];
    std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < missing.size(); ++i)
        if (missing[i] == 0) ready.push(static_cast<std::int32_t>(i));
    std::vector<std::int32_t> order;
    order.reserve(missing.size());
    while (!ready.empty()) {
        const std::int32_t next = ready.top();
        ready.pop();
        poll();
        order.push_back(next);
        for (const std::int32_t to : successors[toIndex(next)])
            if (--missing[toIndex(to)] == 0) ready.push(to);
    }
    return order;
}

/// A cycle in words, "'a' -> 'b' -> 'a'". Every layer that is not in `order` has a predecessor that is not in it
/// either, so that walking backwards from any of them ends in a cycle.
std::string cycleOf(const LayerGraph& graph, const std::vector<std::int32_t>& order) {
    std::vector<char> done(graph.layers.size(), 0);
    for (const std::int32_t index : order) done[toIndex(index)] = 1;
    std::vector<std::int32_t> before(graph.layers.size(), -1);
    for (const LayerEdge& edge : graph.edges)
        if (done[toIndex(edge.from)] == 0 && before[toIndex(edge.to)] < 0) before[toIndex(edge.to)] = edge.from;
    std::int32_t start = 0;
    while (done[toIndex(start)] != 0) ++start;
    std::vector<char> visited(graph.layers.size(), 0);
    for (; visited[toIndex(start)] == 0; start = before[toIndex(start)]) visited[toIndex(start)] = 1;
    constexpr std::size_t kMaxShown = 6;
    std::size_t shown = 1;
    const std::string end = inQuotes(graph.layers[toIndex(start)].name);
    std::string text = end;
    for (std::int32_t walk = before[toIndex(start)]; walk != start && shown <= kMaxShown;
         walk = before[toIndex(walk)], ++shown) {
        const std::string name = shown == kMaxShown ? "…" : inQuotes(graph.layers[toIndex(walk)].name);
        text.insert(0, name + " -> ");
    }
    return end + " -> " + text;
}

void reorder(LayerGraph& graph, const std::vector<std::int32_t>& order) {
    if (std::is_sorted(order.begin(), order.end())) return;  // as most files have it
    std::vector<std::int32_t> position(order.size());
    std::vector<Layer> layers;
    layers.reserve(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        position[toIndex(order[i])] = static_cast<std::int32_t>(i);
        layers.push_back(std::move(graph.layers[toIndex(order[i])]));
    }
    graph.layers = std::move(layers);
    for (LayerEdge& edge : graph.edges) {
        edge.from = position[toIndex(edge.from)];
        edge.to = position[toIndex(edge.to)];
    }
}

/// What a consumer reads over an edge, per sample.
double carried(const Layer& from, const Layer& to) {
    return to.kind == LayerKind::concat ? outElements(from) : inElements(to);
}

/// Elements stored for the backward pass: what the layer makes, and what it hands on where pooling made that another
/// map.
double storedElements(const Layer& layer) {
    const double handedOn = layer.out == layer.conv ? 0 : outElements(layer);
    return convElements(layer) + handedOn;
}

}  // namespace

void completeLayerGraph(LayerGraph& graph, const std::string& file) {
    const std::vector<std::int32_t> order = topologicalOrder(graph);
    if (order.size() < graph.layers.size())
        throw DataError({.file = file, .field = "edges"}, "a cycle: " + cycleOf(graph, order),
                        "edges that never lead back to a layer");
    reorder(graph, order);
    for (LayerEdge& edge : graph.edges)
        if (edge.elements <= 0)
            edge.elements = carried(graph.layers[toIndex(edge.from)], graph.layers[toIndex(edge.to)]);
    for (Layer& layer : graph.layers) {
        if (layer.parameters <= 0) layer.parameters = weightElements(layer);
        if (layer.activations <= 0) layer.activations = storedElements(layer);
    }
}

}  // namespace tessera::model
