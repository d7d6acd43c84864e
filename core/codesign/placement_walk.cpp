#include "core/codesign/placement_walk.h"

namespace tessera::codesign {

WidthNumbers::WidthNumbers(const CutLattice& lattice, const PlacementProblem& problem, const WidthCosts& costs)
    : width(costs.width), recompute(problem.recompute) {
    std::size_t sliced = 0;
    for (std::size_t i = 0; i < lattice.layers(); ++i) {
        const LayerCosts& layer = costs.layers[lattice.layerAt(i)];
        forward.push_back(layer.forward.value);
        backward.push_back(layer.backward.value);
        weights.push_back(layer.weights.value);
        activations.push_back(layer.activations.value);
        held.push_back((2 + problem.optimizerState) * layer.weights.value + layer.activations.value);
        parallel.push_back(layer.tensorParallel ? 1 : 0);
        sliced += layer.tensorParallel ? 1 : 0;
    }
    if (sliced > 0) parallelNeeds = width;
    if (width > 1 && sliced > 0 && sliced < lattice.layers())
        cheap = lattice.layers() - sliced;
    else
        parallel.assign(lattice.layers(), 1);
    readEdges(lattice, problem, costs);
}

void WidthNumbers::readEdges(const CutLattice& lattice, const PlacementProblem& problem, const WidthCosts& costs) {
    const std::vector<LayerEdge>& edges = lattice.graph().edges;
    std::vector<std::vector<Entering>> entering(lattice.layers());
    struct Out {
        std::size_t to;
        double seconds;
    };
    std::vector<std::vector<Out>> out(lattice.layers());
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const std::size_t from = lattice.positionOf(edges[e].from);
        const std::size_t to = lattice.positionOf(edges[e].to);
        const double seconds = (costs.edges[e] / problem.bandwidth).value;
        entering[to].push_back({static_cast<std::uint32_t>(from), seconds, costs.edges[e].value});
        out[from].push_back({to, seconds});
    }
    enteringStarts_ = {0};
    for (const std::vector<Entering>& each : entering) {
        entering_.insert(entering_.end(), each.begin(), each.end());
        enteringStarts_.push_back(entering_.size());
    }
    leavingStarts_ = {0};
    for (std::uint32_t cut = 0; cut < lattice.cuts(); ++cut) {
        for (const std::uint32_t from : lattice.crossing(cut)) {
            double slowest = 0;
            for (const Out& edge : out[from])
                if (!lattice.contains(cut, edge.to)) slowest = std::max(slowest, edge.seconds);
            // On a path the backward pass reaches the later layer first: an earlier one waits longer only for more.
            while (lattice.isPath() && leaving_.size() > leavingStarts_.back() && leaving_.back().seconds <= slowest)
                leaving_.pop_back();
            leaving_.push_back({from, slowest});
        }
        leavingStarts_.push_back(leaving_.size());
    }
}

}  // namespace tessera::codesign
