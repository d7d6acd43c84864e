#include "core/codesign/placement/placement_walk.h"

namespace tessera::codesign {

DegreeNumbers::DegreeNumbers(const CutLattice& lattice, const PlacementProblem& problem, const DegreeCosts& costs)
    : degree(costs.degree), recompute(problem.recompute), serial(problem.inARow()) {
    std::size_t sliced = 0;
    double batches = 1;  // that a time counts for
    if (problem.steady) {
        const auto beside = microBatchesOfReplica(problem.microBatches, problem.steady->replicas) - 1;
        batches = static_cast<double>(beside);
        filling_ = problem.steady->filling;
    }
    for (std::size_t i = 0; i < lattice.layers(); ++i) {
        const LayerCosts& layer = costs.layers[lattice.layerAt(i)];
        forward.push_back(batches * layer.forward.value);
        backward.push_back(batches * layer.backward.value);
        if (problem.steady) backward.back() += layer.update.value;
        once_ += (layer.forward + layer.backward).value;
        weights.push_back(layer.weights.value);
        update.push_back(layer.update.value);
        activations.push_back(layer.activations.value);
        held.push_back((2 + problem.optimizerState) * layer.weights.value + layer.activations.value);
        parallel.push_back(layer.tensorParallel ? 1 : 0);
        sliced += layer.tensorParallel ? 1 : 0;
    }
    if (sliced > 0) parallelNeeds = degree;
    if (degree > 1 && sliced > 0 && sliced < lattice.layers())
        cheap = lattice.layers() - sliced;
    else
        parallel.assign(lattice.layers(), 1);
    readEdges(lattice, problem, costs);
    if (serial)
        collectRestInARow(lattice);
    else
        collectRest(lattice);
}

void DegreeNumbers::collectRestInARow(const CutLattice& lattice) {
    rest_.resize(lattice.cuts());
    for (std::uint32_t cut = lattice.full(); cut-- > 0;) {
        const CutLattice::Step step = lattice.steps(cut)[0];
        const Stage& after = rest_[step.cut];
        Stage& stage = rest_[cut];
        stage = {.forward = 0,
                 .recomputed = after.recomputed + forward[step.layer],
                 .backward = after.backward + backward[step.layer],
                 .waits = 0,
                 .held = after.held + held[step.layer],
                 .parallel = after.parallel || parallel[step.layer] != 0};
        for (const Leaving& edge : leaving(cut)) stage.waits = std::max(stage.waits, edge.seconds);
        stage.forward = stage.waits + stage.recomputed;
    }
}

/// From the full set downwards: the forward pass from a layer to the end does not depend on where the stage begins,
/// only whether the layer waits does.
void DegreeNumbers::collectRest(const CutLattice& lattice) {
    const std::size_t count = lattice.layers();
    struct Path {
        double forward = 0, backward = 0;  ///< from the layer to the end of the model
    };
    std::vector<Path> paths(count);
    struct Edge {
        std::uint32_t to;
        double seconds;
    };
    std::vector<std::vector<Edge>> out(count);
    for (std::uint32_t i = 0; i < count; ++i)
        for (const Entering& edge : entering(i)) out[edge.from].push_back({i, edge.seconds});
    for (std::size_t i = count; i-- > 0;) {
        for (const Edge& edge : out[i]) {
            paths[i].forward = std::max(paths[i].forward, paths[edge.to].forward);
            paths[i].backward = std::max(paths[i].backward, paths[edge.to].backward);
        }
        paths[i].forward += forward[i];
        paths[i].backward += backward[i];
    }
    std::vector<double> unwaited(lattice.cuts(), 0);
    rest_.resize(lattice.cuts());
    for (std::uint32_t cut = lattice.full(); cut-- > 0;) {
        const CutLattice::Step step = lattice.steps(cut)[0];
        const Stage& after = rest_[step.cut];
        unwaited[cut] = std::max(unwaited[step.cut], paths[step.layer].forward);
        Stage& stage = rest_[cut];
        stage = {.forward = unwaited[cut],
                 .backward = std::max(after.backward, paths[step.layer].backward),
                 .held = after.held + held[step.layer],
                 .parallel = after.parallel || parallel[step.layer] != 0};
        for (const std::uint32_t from : lattice.crossing(cut))
            for (const Edge& edge : out[from])
                if (!lattice.contains(cut, edge.to))
                    stage.forward = std::max(stage.forward, edge.seconds + paths[edge.to].forward);
    }
}

void DegreeNumbers::readEdges(const CutLattice& lattice, const PlacementProblem& problem, const DegreeCosts& costs) {
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
        const double seconds = problem.steady ? 0 : (costs.edges[e] / problem.bandwidth).value;
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
