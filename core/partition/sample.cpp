#include "core/partition/sample.h"

#include <algorithm>
#include <utility>

#include "core/base/number.h"

namespace tessera::partition {

namespace {

constexpr std::size_t kStretch = 250;   ///< nodes in a row
constexpr std::size_t kStretches = 16;  ///< spread over the network

/// By node, whether it is in the sample.
std::vector<bool> chosenOf(std::size_t nodes) {
    std::vector<bool> chosen(nodes, false);
    for (std::size_t k = 0; k < kStretches; ++k) {
        const std::size_t first = k * (nodes - kStretch) / (kStretches - 1);
        for (std::size_t n = first; n < first + kStretch; ++n) chosen[n] = true;
    }
    return chosen;
}

}  // namespace

std::optional<Sample> sampleOf(const Network& network) {
    if (network.variables() <= kMaxSearched || network.nodes.size() <= kStretch * kStretches) return std::nullopt;
    const std::vector<bool> chosen = chosenOf(network.nodes.size());
    std::vector<Node> nodes;
    std::vector<NodeSize> sizes;
    std::vector<NodeDetail> details;
    std::vector<std::int32_t> variables;                                     // of the network
    std::vector<std::int32_t> variableOf(toIndex(network.variables()), -1);  // in the sample
    std::vector<std::int32_t> nodeOf(network.nodes.size(), -1);              // in the sample
    for (std::size_t n = 0; n < network.nodes.size(); ++n) {
        if (!chosen[n]) continue;
        nodeOf[n] = static_cast<std::int32_t>(nodes.size());
        nodes.push_back(network.nodes[n]);
        sizes.push_back(network.sizes[n]);
        details.push_back(network.details[n]);
        std::int32_t& variable = variableOf[toIndex(network.nodes[n].variable)];
        if (variable < 0) {
            variable = static_cast<std::int32_t>(variables.size());
            variables.push_back(network.nodes[n].variable);
        }
        nodes.back().variable = variable;
    }
    std::vector<Edge> edges;
    for (const Edge& edge : network.edges) {
        if (nodeOf[toIndex(edge.from)] < 0 || nodeOf[toIndex(edge.to)] < 0) continue;
        edges.push_back(edge);
        edges.back().from = nodeOf[toIndex(edge.from)];
        edges.back().to = nodeOf[toIndex(edge.to)];
    }
    std::vector<std::int32_t> mainPath;
    for (const std::int32_t n : network.mainPath)
        if (nodeOf[toIndex(n)] >= 0) mainPath.push_back(nodeOf[toIndex(n)]);
    Network part = connected(std::move(nodes), std::move(edges), static_cast<std::int32_t>(variables.size()));
    part.sizes = std::move(sizes);
    part.details = std::move(details);
    part.mainPath = std::move(mainPath);
    part.flop = network.flop;
    part.computation = network.computation;
    return Sample{std::move(part), std::move(variables)};
}

}  // namespace tessera::partition
