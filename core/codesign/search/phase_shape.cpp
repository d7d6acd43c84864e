#include "core/codesign/search/phase_shape.h"

#include <algorithm>
#include <array>

#include "core/codesign/schedule/schedule_piece.h"
#include "core/cost/core_cost.h"

namespace tessera::codesign {

PhaseShape::PhaseShape(const LayerPhase& phase, std::int64_t degree) : phase_(phase), degree_(degree) {
    for (std::size_t i = 0; i < phase.operators.size(); ++i) {
        const LayerOperator& of = phase.operators[i];
        graph_.operators.push_back(
            {.id = static_cast<std::int64_t>(i), .name = of.name, .kind = of.kind, .latency = 1, .allCoresLatency = 1});
    }
    graph_.edges = phase.edges;
    std::vector<std::vector<std::uint32_t>> before(phase.operators.size());
    for (const auto& [from, to] : phase.edges) before[to].push_back(static_cast<std::uint32_t>(from));
    const Pieces pieces(graph_);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        for (const std::size_t op : pieces.members(i)) {
            before_.insert(before_.end(), before[op].begin(), before[op].end());
            steps_.push_back({static_cast<std::uint32_t>(op), static_cast<std::uint32_t>(before_.size()), false});
        }
        steps_.back().lastOfPiece = true;
    }
}

double PhaseShape::waitOf(const LayerOperator& reduce, BytesPerSecond network) const {
    return cost::allReduceTime(degree_, *reduce.reduced, network).value;
}

double PhaseShape::bound(const std::vector<Latency>& works, const Cores& cores, BytesPerSecond network) const {
    // Sums in another order may differ in their last bits.
    constexpr double kBelow = 1 - 1e-11;
    thread_local std::vector<double> ends;
    ends.assign(phase_.operators.size(), 0);
    const double tensorShare = 1 / static_cast<double>(cores.tensor),
                 vectorShare = 1 / static_cast<double>(cores.vector);
    double total = 0, path = 0, tensorLoad = 0, vectorLoad = 0;
    std::uint32_t entry = 0;
    for (const Step& step : steps_) {
        const Latency latency = latencyOf(step.op, works, network);
        double start = total;
        for (; entry < step.before; ++entry) start = std::max(start, ends[before_[entry]]);
        ends[step.op] = start + std::min(latency.one, latency.all);
        path = std::max(path, ends[step.op]);
        const CoreKind kind = phase_.operators[step.op].kind;
        if (kind != CoreKind::vector) tensorLoad += std::min(latency.all, latency.one * tensorShare);
        if (kind != CoreKind::tensor) vectorLoad += std::min(latency.all, latency.one * vectorShare);
        if (!step.lastOfPiece) continue;
        total = std::max({path, total + tensorLoad, total + vectorLoad});
        path = total;
        tensorLoad = vectorLoad = 0;
    }
    return total * kBelow;
}

OperatorGraph PhaseShape::operators(const std::vector<Latency>& works, BytesPerSecond network) const {
    OperatorGraph graph = graph_;
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
        const Latency latency = latencyOf(i, works, network);
        graph.operators[i].latency = latency.one;
        graph.operators[i].allCoresLatency = latency.all;
    }
    return graph;
}

double PhaseShape::reduceTime(BytesPerSecond network) const {
    double sum = 0;
    for (const LayerOperator& op : phase_.operators)
        if (op.reduced) sum += waitOf(op, network);
    return sum;
}

}  // namespace tessera::codesign
