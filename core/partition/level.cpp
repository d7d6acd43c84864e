#include "core/partition/level.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/number.h"
#include "core/base/poll.h"
#include "core/partition/array.h"

namespace tessera::partition {

namespace {

constexpr std::uint8_t kRows = 0, kChannels = 1, kDuplicated = 2;

/// Directions of an edge (features forward, errors backward) by what moves, for layouts at the producer and consumer.
struct Directions {
    double exchanged = 0;  ///< rows <-> channels: ratio * (1 - ratio) of the tensor
    double gathered = 0;   ///< into duplicated: what the other side holds
};

constexpr Directions direction(std::uint8_t from, std::uint8_t to) {
    if (from == to || from == kDuplicated) return {0, 0};
    return to == kDuplicated ? Directions{0, 1} : Directions{1, 0};
}

/// The paper's Table 5, generated: forward rem(p->q) plus backward rem(q->p).
constexpr std::array<Directions, 9> makeDirections() {
    std::array<Directions, 9> table{};
    for (std::uint8_t p = 0; p < 3; ++p)
        for (std::uint8_t q = 0; q < 3; ++q) {
            const Directions there = direction(p, q);
            const Directions back = direction(q, p);
            table[static_cast<std::size_t>(p * 3 + q)] = {there.exchanged + back.exchanged,
                                                          there.gathered + back.gathered};
        }
    return table;
}
constexpr std::array<Directions, 9> kDirections = makeDirections();

double combined(double i, double j, Combine combine) {
    switch (combine.kind) {
        case Combine::Kind::max:
            return std::max(i, j);
        case Combine::Kind::sum:
            return i + j;
        case Combine::Kind::side:
            return i;
        case Combine::Kind::weighted:
            return combine.weightI * i + (1 - combine.weightI) * j;
    }
    return 0;
}

/// What a join's layouts, or a layer's types, do.
void setEffects(Node& node) {
    constexpr std::array<std::uint8_t, 3> kOfLayout{kSplitsSamples, kSplitsOut, kBothWhole};
    for (std::size_t s = 0; s < 3; ++s) node.effect[s] = kOfLayout[node.in[s]];
    if (!node.weighted) return;
    constexpr std::uint8_t kGroups = kSplitsIn | kSplitsOut;
    node.effect = {kSplitsSamples, node.grouped ? kGroups : kSplitsIn, node.grouped ? kGroups : kSplitsOut};
}

Node makeNode(const model::Layer& layer) {
    Node node;
    node.weighted = !model::isJoin(layer.kind);
    node.convolution = layer.kind == model::LayerKind::conv;
    node.grouped = layer.kind == model::LayerKind::conv && layer.groups > 1;
    node.embedding = layer.kind == model::LayerKind::embedding;
    node.in = {kRows, kChannels, kDuplicated};
    node.out = {kRows, kDuplicated, kChannels};
    if (!node.weighted) node.out = node.in;
    if (node.grouped) node.in = node.out = {kRows, kChannels, kChannels};
    setEffects(node);
    return node;
}

NodeDetail makeDetail(const model::Layer& layer, const Node& node, const Options& options) {
    NodeDetail detail;
    detail.parameters = layer.parameters;
    const double stored =
        layer.stored.value_or(layer.activations) + layer.storedOtherBytes / *bytesOfDtype(options.dtype);
    detail.activations = stored * options.batch;
    if (!node.weighted) return detail;
    detail.kernelArea = layer.kernel.area();
    detail.mapArea = layer.conv.area();
    return detail;
}

NodeSize makeSize(const model::Layer& layer, const Node& node, const Options& options) {
    const double batch = options.batch;
    NodeSize size;
    size.aConv = model::convElements(layer) * batch;
    if (!node.weighted) {
        size.fixedFlops = 3 * 2 * layer.macs * batch;  // forward, and one product of equal work per operand backward
        return size;
    }
    size.aIn = node.embedding ? 0 : model::inElements(layer) * batch;
    size.aPsum = options.psum == Psum::conv ? size.aConv : model::outElements(layer) * batch;
    size.aWeight = model::weightElements(layer);
    size.perConv = 2 * layer.inChannels * layer.kernel.area() / layer.groups;
    size.perIn = 2 * layer.outChannels * layer.kernel.area() / layer.groups;
    size.perWeight = 2 * batch * layer.conv.area();
    return size;
}

/// The layer whose input layout a join takes under `--join next`: the first met along main-path edges.
std::vector<std::int32_t> nextLayers(const model::LayerGraph& layers, const std::vector<std::int32_t>& firstOut) {
    std::vector<std::int32_t> next(layers.layers.size(), -1);
    for (std::size_t n = layers.layers.size(); n-- > 0;) {
        const std::int32_t to = firstOut[n];
        if (to < 0) continue;
        next[n] = model::isJoin(layers.layers[toIndex(to)].kind) ? next[toIndex(to)] : to;
    }
    return next;
}

}  // namespace

Network prepare(const model::LayerGraph& layers, const Options& options) {
    const std::size_t count = layers.layers.size();
    std::vector<std::int32_t> firstOut(count, -1);
    std::vector<std::int32_t> firstIn(count, -1);
    for (const model::LayerEdge& edge : layers.edges) {
        if (firstOut[toIndex(edge.from)] < 0) firstOut[toIndex(edge.from)] = edge.to;
        if (firstIn[toIndex(edge.to)] < 0) firstIn[toIndex(edge.to)] = edge.from;
    }

    std::vector<Node> nodes;
    std::vector<NodeSize> sizes;
    std::vector<NodeDetail> details;
    nodes.reserve(count);
    sizes.reserve(count);
    details.reserve(count);
    std::int32_t variables = 0;
    for (const model::Layer& layer : layers.layers) {
        poll();
        nodes.push_back(makeNode(layer));
        nodes.back().variable = variables++;
        sizes.push_back(makeSize(layer, nodes.back(), options));
        details.push_back(makeDetail(layer, nodes.back(), options));
    }
    if (options.join == JoinRule::next) {
        // A join that follows its next layer has no variable of its own.
        const std::vector<std::int32_t> next = nextLayers(layers, firstOut);
        variables = 0;
        for (std::size_t n = 0; n < count; ++n)
            if (nodes[n].weighted || next[n] < 0) nodes[n].variable = variables++;
        for (std::size_t n = 0; n < count; ++n) {
            if (nodes[n].weighted || next[n] < 0) continue;
            const Node& layer = nodes[toIndex(next[n])];
            nodes[n].variable = layer.variable;
            nodes[n].in = nodes[n].out = layer.in;
            setEffects(nodes[n]);
        }
    }

    std::vector<Edge> edges;
    edges.reserve(layers.edges.size());
    for (const model::LayerEdge& given : layers.edges) {
        poll();
        Edge edge{.from = given.from, .to = given.to, .elements = given.elements * options.batch};
        const model::LayerKind consumer = layers.layers[toIndex(given.to)].kind;
        edge.shrinks = consumer == model::LayerKind::concat ? ShrinksWith::producerMap
                       : model::isJoin(consumer)            ? ShrinksWith::consumerMap
                                                            : ShrinksWith::consumerInput;
        edges.push_back(edge);
    }

    // HyPar's chain: from the first source along first edges. A node off it is a shortcut.
    std::vector<std::int32_t> mainPath;
    std::vector<std::int32_t> sources;
    for (std::size_t n = 0; n < count; ++n)
        if (firstIn[n] < 0 && nodes[n].weighted) sources.push_back(static_cast<std::int32_t>(n));
    if (!sources.empty())
        for (std::int32_t n = sources.front(); n >= 0; n = firstOut[toIndex(n)]) mainPath.push_back(n);
    Network network = connected(std::move(nodes), std::move(edges), variables);
    network.sizes = std::move(sizes);
    network.details = std::move(details);
    network.mainPath = std::move(mainPath);
    network.flop = options.flop;
    network.computation = options.computation;
    return network;
}

Network connected(std::vector<Node> nodes, std::vector<Edge> edges, std::int32_t variables) {
    std::vector<std::pair<std::int32_t, std::int32_t>> joined;
    for (Edge& edge : edges) {
        poll();
        const std::int32_t a = nodes[toIndex(edge.from)].variable;
        const std::int32_t b = nodes[toIndex(edge.to)].variable;
        edge.pair = a == b ? -1 : static_cast<std::int32_t>(joined.size());
        if (a != b) joined.emplace_back(a, b);
    }
    EliminationPlan plan(variables, joined);
    std::int32_t pairs = 0;  // met so far: they are numbered in the order of their first edges
    for (Edge& edge : edges) {
        if (edge.pair < 0) continue;
        const EliminationPlan::EdgeSlot slot = plan.edgeSlots()[toIndex(edge.pair)];
        edge.pair = slot.pair;
        edge.flipped = slot.flipped;
        edge.parallel = slot.pair < pairs;
        if (!edge.parallel) ++pairs;
    }
    IndexLists nodesOf(toIndex(variables), [&](const auto& add) {
        for (std::size_t n = 0; n < nodes.size(); ++n) add(toIndex(nodes[n].variable), signedIndex(n));
    });
    IndexLists edgesOf(toIndex(variables), [&](const auto& add) {
        for (std::size_t e = 0; e < edges.size(); ++e) {
            const std::int32_t a = nodes[toIndex(edges[e].from)].variable;
            const std::int32_t b = nodes[toIndex(edges[e].to)].variable;
            add(toIndex(a), signedIndex(e));
            if (b != a) add(toIndex(b), signedIndex(e));
        }
    });
    return {.nodes = std::move(nodes),
            .sizes = {},
            .details = {},
            .edges = std::move(edges),
            .mainPath = {},
            .nodesOf = std::move(nodesOf),
            .edgesOf = std::move(edgesOf),
            .plan = std::move(plan)};
}

double unclampedFlops(const Network& network, std::size_t node, const Share& share) {
    if (!network.computation) return 0;
    const Node& how = network.nodes[node];
    const NodeSize& size = network.sizes[node];
    if (!how.weighted) return size.fixedFlops * share.samples * share.out;
    if (how.embedding) return 0;
    const double aConv = size.aConv * share.samples * share.out;
    const double aIn = size.aIn * share.samples * share.in;
    const double aWeight = size.aWeight * share.in * (how.grouped ? 1 : share.out);
    const double inShare = how.grouped ? 1 : share.in;  // D_i / g does not change when groups are split
    const double outShare = how.grouped ? 1 : share.out;
    if (network.flop == FlopRule::exact)
        return aConv * (size.perConv * inShare - 1) + aIn * (size.perIn * outShare - 1) +
               aWeight * (size.perWeight * share.samples - 1);
    const double k = network.details[node].kernelArea;
    const double map = network.details[node].mapArea;
    return aConv * (size.perConv / k * inShare - 1) * k + aIn * (size.perIn / k * outShare - 1) * k +
           aWeight * (size.perWeight / map * share.samples - 1) * map;
}

double flopsOf(const Network& network, std::size_t node, const Share& share) {
    return std::max(0.0, unclampedFlops(network, node, share));
}

Share shrunk(const Node& node, const Share& share, std::uint8_t state, double ratio) {
    // Without branches: which state a layer is in cannot be predicted.
    const std::array<double, 2> left{1, ratio};
    const unsigned effect = node.effect[state];
    return {.samples = share.samples * left[effect & 1U],
            .in = share.in * left[effect >> 1U & 1U],
            .out = share.out * left[effect >> 2U & 1U]};
}

double sideI(const Totals& t, const Sides& s, double ratio) {
    const double other = 1 - ratio;
    if (s.model == CostModel::paper)
        return ratio *
                   ((t.shared + t.whole) / s.flopsI + s.perElementI * (t.intra + t.exchanged / 4 + t.gathered / 2)) +
               t.transfers * s.latency;
    return (ratio * t.shared + t.whole) / s.flopsI +
           s.perElementI * (t.intra + ratio * other * t.exchanged + other * t.gathered) + t.transfers * s.latency;
}

double sideJ(const Totals& t, const Sides& s, double ratio) {
    const Sides swapped{s.flopsJ, s.flopsI, s.perElementJ, s.perElementI, s.latency, s.model};
    return sideI(t, swapped, 1 - ratio);
}

double bestRatio(const Totals& t, const Sides& s, double from, double to) {
    if (s.model == CostModel::paper) return std::clamp(equation10(t, s), from, to);
    // side_i - side_j = a2 r^2 + a1 r + a0
    const double e = s.perElementI - s.perElementJ;
    const double a2 = -e * t.exchanged;
    const double a1 =
        t.shared / s.flopsI + t.shared / s.flopsJ + e * t.exchanged - (s.perElementI + s.perElementJ) * t.gathered;
    const double a0 =
        t.whole / s.flopsI - t.whole / s.flopsJ + e * t.intra + s.perElementI * t.gathered - t.shared / s.flopsJ;
    std::array<double, 4> candidates{from, to, from, to};
    const double discriminant = a1 * a1 - 4 * a2 * a0;
    if (discriminant >= 0) {
        // The stable form of the quadratic's roots; one of them is infinite where the equation is linear.
        const double q = -0.5 * (a1 + std::copysign(std::sqrt(discriminant), a1));
        if (a2 != 0) candidates[2] = q / a2;
        if (q != 0) candidates[3] = a0 / q;
    }
    double best = from;
    double bestValue = kInfinity;
    for (std::size_t c = candidates.size(); c-- > 0;) {
        const double ratio = candidates[c];
        if (!(ratio >= from && ratio <= to)) continue;
        const double value = std::max(sideI(t, s, ratio), sideJ(t, s, ratio));
        if (value < bestValue) {
            best = ratio;
            bestValue = value;
        }
    }
    return best;
}

double equation10(const Totals& t, const Sides& s) {
    const double moved = t.intra + t.exchanged / 4 + t.gathered / 2;
    const double x = (t.shared + t.whole) / s.flopsI + s.perElementI * moved;
    const double y = (t.shared + t.whole) / s.flopsJ + s.perElementJ * moved;
    return x + y > 0 ? y / (x + y) : 0.5;
}

Level::Level(const Network& network, const std::vector<Share>& shares, const Sides& sides, Memory memory)
    : network_(&network), sides_(sides), memory_(std::move(memory)) {
    memory_.nodeCosts_.resize(network.nodes.size());
    for (std::size_t n = 0; n < network.nodes.size(); ++n) {
        const Node& node = network.nodes[n];
        const NodeSize& size = network.sizes[n];
        const Share& share = shares[n];
        NodeCost& cost = memory_.nodeCosts_[n];
        cost.shared = flopsOf(network, n, share);
        cost.input = 0;
        cost.intra = {};
        if (!node.weighted) continue;
        const double aWeight = size.aWeight * share.in * (node.grouped ? 1 : share.out);
        cost.input = size.aIn * share.samples * share.in;
        cost.intra = {aWeight, size.aPsum * share.samples * share.out, cost.input};
        if (node.grouped) cost.intra = {aWeight, 0, 0};
        // The gradient of the rows touched; rows cannot be split, since a look-up needs any of them.
        if (node.embedding) cost.intra = {size.aConv * share.samples * share.out, kInfinity, 0};
    }
    memory_.edgeElements_.resize(network.edges.size());
    for (std::size_t e = 0; e < network.edges.size(); ++e) {
        const Edge& edge = network.edges[e];
        const Share& from = shares[toIndex(edge.from)];
        const Share& to = shares[toIndex(edge.to)];
        double left = 0;
        switch (edge.shrinks) {
            case ShrinksWith::consumerInput:
                left = to.samples * to.in;
                break;
            case ShrinksWith::consumerMap:
                left = to.samples * to.out;
                break;
            case ShrinksWith::producerMap:
                left = from.samples * from.out;
                break;
        }
        memory_.edgeElements_[e] = edge.elements * left;
    }
}

std::vector<Share> Level::shrunkShares(const std::vector<Share>& shares, const States& states, double ratio,
                                       std::vector<Share> into) const {
    into.resize(shares.size());
    for (std::size_t n = 0; n < shares.size(); ++n)
        into[n] = shrunk(network_->nodes[n], shares[n], stateOf(static_cast<std::int32_t>(n), states), ratio);
    return into;
}

double Level::compute(std::int32_t node, std::uint8_t state, double ratio, bool first) const {
    const double work = nodeCost(node).shared;
    const double flops = first ? sides_.flopsI : sides_.flopsJ;
    const double share = first ? ratio : 1 - ratio;
    return (bothWhole(node, state) && sides_.model == CostModel::exact ? work : share * work) / flops;
}

double Level::intra(std::int32_t node, std::uint8_t state, double ratio, bool first) const {
    const double elements = nodeCost(node).intra[state];
    if (elements == 0) return 0;
    const double perElement = first ? sides_.perElementI : sides_.perElementJ;
    const double share = sides_.model == CostModel::paper ? (first ? ratio : 1 - ratio) : 1;
    return share * elements * perElement + sides_.latency;
}

Level::EdgeRates Level::sideRates(double ratio, bool first) const {
    const double own = first ? ratio : 1 - ratio;
    const double perElement = first ? sides_.perElementI : sides_.perElementJ;
    EdgeRates rates;
    for (std::size_t layouts = 0; layouts < 9; ++layouts) {
        const Directions moved = kDirections[layouts];
        const double elements = sides_.model == CostModel::paper
                                    ? own * (moved.exchanged / 4 + moved.gathered / 2)
                                    : own * (1 - own) * moved.exchanged + (1 - own) * moved.gathered;
        rates.perElement[layouts] = elements * perElement;
        rates.constant[layouts] = (moved.exchanged + moved.gathered) * sides_.latency;
    }
    return rates;
}

std::vector<double> Level::interByConsumer(const States& states, double ratio, bool first) const {
    const EdgeRates rates = sideRates(ratio, first);
    std::vector<double> times(network_->nodes.size(), 0);
    for (std::size_t e = 0; e < network_->edges.size(); ++e) {
        const Edge& edge = network_->edges[e];
        const std::uint8_t p = network_->nodes[toIndex(edge.from)].out[stateOf(edge.from, states)];
        const std::uint8_t q = network_->nodes[toIndex(edge.to)].in[stateOf(edge.to, states)];
        const auto layouts = static_cast<std::size_t>(p * 3 + q);
        times[toIndex(edge.to)] += rates.perElement[layouts] * memory_.edgeElements_[e] + rates.constant[layouts];
    }
    return times;
}

Level::EdgeRates Level::edgeRates(double ratio, Combine combine) const {
    // Both sides' times are affine in the elements with the same constant, so combining the rates is combining the
    // times.
    const EdgeRates i = sideRates(ratio, true);
    const EdgeRates j = sideRates(ratio, false);
    EdgeRates rates;
    for (std::size_t layouts = 0; layouts < 9; ++layouts) {
        rates.perElement[layouts] = combined(i.perElement[layouts], j.perElement[layouts], combine);
        rates.constant[layouts] = combined(i.constant[layouts], j.constant[layouts], combine);
    }
    return rates;
}

double Level::unary(std::int32_t node, std::uint8_t state, double ratio, Combine combine) const {
    return combined(compute(node, state, ratio, true) + intra(node, state, ratio, true),
                    compute(node, state, ratio, false) + intra(node, state, ratio, false), combine);
}

template <typename Combiner>
void Level::fillNodes(Elimination& elimination, double ratio, Combiner combiner) const {
    const double other = 1 - ratio;
    const bool paper = sides_.model == CostModel::paper;
    const double sharedI = ratio / sides_.flopsI;
    const double sharedJ = other / sides_.flopsJ;
    const double wholeI = paper ? sharedI : 1 / sides_.flopsI;
    const double wholeJ = paper ? sharedJ : 1 / sides_.flopsJ;
    const double movedI = sides_.perElementI * (paper ? ratio : 1);
    const double movedJ = sides_.perElementJ * (paper ? other : 1);
    for (std::size_t n = 0; n < memory_.nodeCosts_.size(); ++n) {
        const Node& node = network_->nodes[n];
        const NodeCost& cost = memory_.nodeCosts_[n];
        double* costs = elimination.unary(node.variable);
        const double computeI = cost.shared * sharedI;
        const double computeJ = cost.shared * sharedJ;
        for (std::size_t s = 0; s < 3; ++s) {
            const bool whole = (node.effect[s] & kBothWhole) != 0;
            const double latency = cost.intra[s] > 0 ? sides_.latency : 0;
            const double i = (whole ? cost.shared * wholeI : computeI) + cost.intra[s] * movedI + latency;
            const double j = (whole ? cost.shared * wholeJ : computeJ) + cost.intra[s] * movedJ + latency;
            costs[s] += combiner(i, j);
        }
    }
}

void Level::fill(Elimination& elimination, double ratio, Combine combine,
                 const std::vector<std::uint8_t>& allowed) const {
    elimination.begin();
    // Resolved once, not per layer: this loop is where a search spends its time.
    switch (combine.kind) {
        case Combine::Kind::max:
            fillNodes(elimination, ratio, [](double i, double j) { return std::max(i, j); });
            break;
        case Combine::Kind::sum:
            fillNodes(elimination, ratio, [](double i, double j) { return i + j; });
            break;
        case Combine::Kind::side:
            fillNodes(elimination, ratio, [](double i, double) { return i; });
            break;
        case Combine::Kind::weighted:
            fillNodes(elimination, ratio, [w = combine.weightI](double i, double j) { return w * i + (1 - w) * j; });
            break;
    }
    if (!allowed.empty())
        for (std::int32_t v = 0; v < network_->variables(); ++v)
            for (std::uint8_t s = 0; s < 3; ++s)
                if ((allowed[toIndex(v)] >> s & 1U) == 0) elimination.unary(v)[s] = kInfinity;
    const EdgeRates rates = edgeRates(ratio, combine);
    for (std::size_t e = 0; e < network_->edges.size(); ++e) {
        const Edge& edge = network_->edges[e];
        const Node& from = network_->nodes[toIndex(edge.from)];
        const Node& to = network_->nodes[toIndex(edge.to)];
        const double elements = memory_.edgeElements_[e];
        const auto time = [&](std::size_t p, std::size_t q) {
            const auto layouts = static_cast<std::size_t>(from.out[p] * 3 + to.in[q]);
            return rates.perElement[layouts] * elements + rates.constant[layouts];
        };
        if (edge.pair < 0) {
            double* costs = elimination.unary(from.variable);
            for (std::size_t s = 0; s < 3; ++s) costs[s] += time(s, s);
            continue;
        }
        double* costs = elimination.pair(edge.pair);
        const std::size_t rowP = edge.flipped ? 1 : 3;
        const std::size_t rowQ = edge.flipped ? 3 : 1;
        for (std::size_t p = 0; p < 3; ++p)
            for (std::size_t q = 0; q < 3; ++q) {
                double& cost = costs[p * rowP + q * rowQ];
                cost = edge.parallel ? cost + time(p, q) : time(p, q);
            }
    }
}

double Level::cost(const States& states, double ratio, Combine combine) const {
    double total = 0;
    for (std::size_t n = 0; n < network_->nodes.size(); ++n) {
        const auto node = static_cast<std::int32_t>(n);
        total += unary(node, stateOf(node, states), ratio, combine);
    }
    const EdgeRates rates = edgeRates(ratio, combine);
    for (std::size_t e = 0; e < network_->edges.size(); ++e) {
        const Edge& edge = network_->edges[e];
        const std::uint8_t p = network_->nodes[toIndex(edge.from)].out[stateOf(edge.from, states)];
        const std::uint8_t q = network_->nodes[toIndex(edge.to)].in[stateOf(edge.to, states)];
        const auto layouts = static_cast<std::size_t>(p * 3 + q);
        total += rates.perElement[layouts] * memory_.edgeElements_[e] + rates.constant[layouts];
    }
    return total;
}

Totals Level::totals(const States& states) const {
    Totals t;
    for (std::size_t n = 0; n < network_->nodes.size(); ++n) {
        const std::uint8_t state = stateOf(static_cast<std::int32_t>(n), states);
        const NodeCost& cost = memory_.nodeCosts_[n];
        const bool whole = (network_->nodes[n].effect[state] & kBothWhole) != 0;
        t.whole += whole ? cost.shared : 0;
        t.shared += whole ? 0 : cost.shared;
        t.intra += cost.intra[state];
        t.transfers += cost.intra[state] > 0 ? 1 : 0;
    }
    for (std::size_t e = 0; e < network_->edges.size(); ++e) {
        const Edge& edge = network_->edges[e];
        const std::uint8_t p = network_->nodes[toIndex(edge.from)].out[stateOf(edge.from, states)];
        const std::uint8_t q = network_->nodes[toIndex(edge.to)].in[stateOf(edge.to, states)];
        const Directions moved = kDirections[static_cast<std::size_t>(p * 3 + q)];
        t.exchanged += moved.exchanged * memory_.edgeElements_[e];
        t.gathered += moved.gathered * memory_.edgeElements_[e];
        t.transfers += moved.exchanged + moved.gathered;
    }
    return t;
}

void Level::addVariable(Totals& t, const States& states, std::int32_t variable, double sign) const {
    for (const std::int32_t n : network_->nodesOf[toIndex(variable)]) {
        const std::uint8_t state = states[toIndex(variable)];
        const NodeCost& cost = nodeCost(n);
        (bothWhole(n, state) ? t.whole : t.shared) += sign * cost.shared;
        t.intra += sign * cost.intra[state];
        t.transfers += cost.intra[state] > 0 ? sign : 0;
    }
    for (const std::int32_t e : network_->edgesOf[toIndex(variable)]) {
        const Edge& edge = network_->edges[toIndex(e)];
        const std::uint8_t p = network_->nodes[toIndex(edge.from)].out[stateOf(edge.from, states)];
        const std::uint8_t q = network_->nodes[toIndex(edge.to)].in[stateOf(edge.to, states)];
        const Directions moved = kDirections[static_cast<std::size_t>(p * 3 + q)];
        t.exchanged += sign * moved.exchanged * memory_.edgeElements_[toIndex(e)];
        t.gathered += sign * moved.gathered * memory_.edgeElements_[toIndex(e)];
        t.transfers += sign * (moved.exchanged + moved.gathered);
    }
}

}  // namespace tessera::partition
