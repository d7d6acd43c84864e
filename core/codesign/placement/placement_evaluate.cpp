#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/base/error.h"
#include "core/codesign/placement/placement.h"

namespace tessera::codesign {

namespace {

/// A plan's loads and memory, computed as they are defined; shares nothing with the search.
class Evaluator {
public:
    Evaluator(const LayerGraph& graph, const PlacementProblem& problem, Plan plan)
        : graph_(graph), problem_(problem), plan_(std::move(plan)) {
        const auto costs = std::find_if(problem.byDegree.begin(), problem.byDegree.end(),
                                        [&](const DegreeCosts& each) { return each.degree == plan_.tensorParallel; });
        if (costs == problem.byDegree.end())
            throw UsageError("a plan's tensor-parallel degree is none of its problem's");
        costs_ = &*costs;
        if (problem.steady && plan_.data != problem.steady->replicas)
            throw UsageError("the costs of a plan are those of another number of replicas");
        findStages();
        sortLayers();
    }

    Plan evaluated() {
        Seconds slowest;
        for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
            fill(s);
            slowest = std::max(slowest, plan_.stages[s].load);
        }
        Bytes first;
        Seconds update;
        for (const std::size_t layer : plan_.stages.front().layers) {
            first += costs_->layers[layer].weights;
            update += costs_->layers[layer].update;
        }
        if (problem_.steady) {
            plan_.timePerBatch = steadyTime();
            return std::move(plan_);
        }
        const auto replicas = static_cast<double>(plan_.data);
        const std::int64_t microBatches = microBatchesOfReplica(problem_.microBatches, plan_.data);
        const auto rounds = static_cast<double>(microBatches + static_cast<std::int64_t>(plan_.stages.size()) - 1);
        plan_.timePerBatch = slowest * rounds + first / problem_.bandwidth * (4 * (replicas - 1) / replicas) + update;
        return std::move(plan_);
    }

private:
    /// See SteadyPipeline.
    Seconds steadyTime() const {
        const SteadyPipeline& steady = *problem_.steady;
        const auto beside = microBatchesOfReplica(problem_.microBatches, plan_.data) - 1;
        const auto others = static_cast<double>(beside);
        Seconds slowest, first;
        for (const PlacedStage& stage : plan_.stages) {
            Seconds own = others * stage.load;
            for (const std::size_t layer : stage.layers) own += costs_->layers[layer].update;
            slowest = std::max(slowest, own);
            first += stage.load;
        }
        return slowest + first + steady.filling[std::min(plan_.stages.size(), steady.filling.size()) - 1];
    }

    void findStages() {
        constexpr auto kNowhere = static_cast<std::size_t>(-1);
        stageOf_.assign(graph_.layers, kNowhere);
        bool pipeline = plan_.data >= 1 && !plan_.stages.empty();
        std::size_t placed = 0;
        for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
            pipeline = pipeline && !plan_.stages[s].layers.empty();
            for (const std::size_t layer : plan_.stages[s].layers) {
                if (layer >= graph_.layers || stageOf_[layer] != kNowhere)
                    throw UsageError("a plan's stages do not hold every layer once");
                stageOf_[layer] = s;
                ++placed;
            }
        }
        pipeline = pipeline && placed == graph_.layers;
        for (const LayerEdge& edge : graph_.edges) pipeline = pipeline && stageOf_[edge.from] <= stageOf_[edge.to];
        if (!pipeline) throw UsageError("a plan's stages are no pipeline of its graph");
    }

    /// So that what a layer depends on stands before it.
    void sortLayers() {
        ends_.resize(graph_.layers);
        entering_.resize(graph_.layers);
        leaving_.resize(graph_.layers);
        std::vector<std::size_t> waiting(graph_.layers, 0);
        for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
            leaving_[graph_.edges[e].from].push_back(e);
            entering_[graph_.edges[e].to].push_back(e);
            ++waiting[graph_.edges[e].to];
        }
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < graph_.layers; ++i)
            if (waiting[i] == 0) order.push_back(i);
        for (std::size_t i = 0; i < order.size(); ++i)
            for (const std::size_t e : leaving_[order[i]])
                if (--waiting[graph_.edges[e].to] == 0) order.push_back(graph_.edges[e].to);
        if (order.size() != graph_.layers) throw UsageError("the graph to place has a cycle");
        for (PlacedStage& stage : plan_.stages) stage.layers.clear();
        for (const std::size_t layer : order) plan_.stages[stageOf_[layer]].layers.push_back(layer);
    }

    void fill(std::size_t s) {
        PlacedStage& stage = plan_.stages[s];
        auto inFlight = static_cast<std::int64_t>(plan_.stages.size() - 1 - s);
        if (problem_.steady) inFlight = std::min(inFlight, (problem_.microBatches - 1) / plan_.data);
        const bool recomputes = problem_.recompute && inFlight > 0;
        stage.accelerators = 1;
        stage.memory = {.weights = {},
                        .optimizer = {},
                        .activations = {},
                        .stashed = {},
                        .inFlight = inFlight,
                        .beside = problem_.beside};
        Bytes entering;
        for (const std::size_t layer : stage.layers) {
            const LayerCosts& costs = costs_->layers[layer];
            if (costs.tensorParallel) stage.accelerators = plan_.tensorParallel;
            stage.memory.weights += 2 * costs.weights;
            stage.memory.optimizer += problem_.optimizerState * costs.weights;
            stage.memory.activations += costs.activations;
            for (const std::size_t e : entering_[layer])
                if (stageOf_[graph_.edges[e].from] != s) entering += costs_->edges[e];
        }
        const Bytes stashed = problem_.recompute ? entering : stage.memory.activations;
        stage.memory.stashed = static_cast<double>(inFlight) * stashed;
        stage.forward = forward(s, true);
        stage.load = stage.forward + backward(s, recomputes ? forward(s, false) : Seconds{});
    }

    /// When the last layer of a stage ends, with or without waiting for tensors from other stages.
    Seconds forward(std::size_t s, bool waits) {
        if (problem_.inARow()) {
            Seconds end = waits ? slowestInto(s) : Seconds{};
            for (const std::size_t layer : plan_.stages[s].layers) end += costs_->layers[layer].forward;
            return end;
        }
        Seconds last;
        for (const std::size_t layer : plan_.stages[s].layers) {
            Seconds start;
            for (const std::size_t e : entering_[layer]) {
                const std::size_t from = graph_.edges[e].from;
                if (stageOf_[from] == s)
                    start = std::max(start, ends_[from]);
                else if (waits)
                    start = std::max(start, costs_->edges[e] / problem_.bandwidth);
            }
            ends_[layer] = start + costs_->layers[layer].forward;
            last = std::max(last, ends_[layer]);
        }
        return last;
    }

    Seconds slowestInto(std::size_t s) const {
        Seconds slowest;
        if (problem_.steady) return slowest;
        for (std::size_t e = 0; e < graph_.edges.size(); ++e)
            if (stageOf_[graph_.edges[e].to] == s && stageOf_[graph_.edges[e].from] != s)
                slowest = std::max(slowest, costs_->edges[e] / problem_.bandwidth);
        return slowest;
    }

    Seconds slowestOutOf(std::size_t s) const {
        Seconds slowest;
        if (problem_.steady) return slowest;
        for (std::size_t e = 0; e < graph_.edges.size(); ++e)
            if (stageOf_[graph_.edges[e].from] == s && stageOf_[graph_.edges[e].to] != s)
                slowest = std::max(slowest, costs_->edges[e] / problem_.bandwidth);
        return slowest;
    }

    Seconds backward(std::size_t s, Seconds earliest) {
        if (problem_.inARow()) {
            Seconds end = std::max(earliest, slowestOutOf(s));
            for (const std::size_t layer : plan_.stages[s].layers) end += costs_->layers[layer].backward;
            return end;
        }
        Seconds last = earliest;
        const std::vector<std::size_t>& layers = plan_.stages[s].layers;
        for (std::size_t i = layers.size(); i-- > 0;) {
            Seconds start = earliest;
            for (const std::size_t e : leaving_[layers[i]]) {
                const std::size_t to = graph_.edges[e].to;
                start = std::max(start, stageOf_[to] == s ? ends_[to] : costs_->edges[e] / problem_.bandwidth);
            }
            ends_[layers[i]] = start + costs_->layers[layers[i]].backward;
            last = std::max(last, ends_[layers[i]]);
        }
        return last;
    }

    const LayerGraph& graph_;
    const PlacementProblem& problem_;
    Plan plan_;
    const DegreeCosts* costs_ = nullptr;
    std::vector<std::size_t> stageOf_;
    std::vector<Seconds> ends_;  ///< by layer, of the stage and pass that is being timed
    std::vector<std::vector<std::size_t>> entering_, leaving_;
};

}  // namespace

Seconds onceOf(const Plan& plan, std::int64_t microBatches, bool isSteady) {
    Seconds slowest, all;
    for (const PlacedStage& stage : plan.stages) {
        slowest = std::max(slowest, stage.load);
        all += stage.load;
    }
    const std::int64_t rounds = (microBatches - 1) / plan.data;  // of replicas that are all busy
    const auto others = static_cast<double>(rounds);
    const auto stages = static_cast<double>(plan.stages.size());
    const Seconds through = slowest * others + (isSteady ? all : slowest * stages);
    return std::max(Seconds{}, plan.timePerBatch - through);
}

Plan evaluate(const LayerGraph& graph, const PlacementProblem& problem, const Plan& plan) {
    return Evaluator(graph, problem, plan).evaluated();
}

}  // namespace tessera::codesign
