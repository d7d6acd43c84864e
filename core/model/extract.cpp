#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/model/layer_sizes.h"
#include "core/model/layers.h"

namespace tessera::model {

namespace {

constexpr std::int32_t kNothing = -1;

/// A forest that grows by leaves and answers lowest common ancestors in O(log n) by jump pointers.
/// Myers: "An applicative random-access stack", Information Processing Letters 17(5), 1983.
class Ancestry {
public:
    explicit Ancestry(std::size_t size) : parent_(size, 0), jump_(size, 0), depth_(size, 0) {
        for (std::size_t i = 0; i < size; ++i) parent_[i] = jump_[i] = static_cast<std::int32_t>(i);
    }

    void attach(std::int32_t leaf, std::int32_t parent) {
        const std::int32_t jump = jump_[toIndex(parent)];
        const bool same = depth_[toIndex(parent)] - depth_[toIndex(jump)] ==
                          depth_[toIndex(jump)] - depth_[toIndex(jump_[toIndex(jump)])];
        parent_[toIndex(leaf)] = parent;
        depth_[toIndex(leaf)] = depth_[toIndex(parent)] + 1;
        jump_[toIndex(leaf)] = same ? jump_[toIndex(jump)] : parent;
    }

    /// Of two members of the same tree.
    std::int32_t common(std::int32_t a, std::int32_t b) const {
        if (depth_[toIndex(a)] < depth_[toIndex(b)]) std::swap(a, b);
        while (depth_[toIndex(a)] > depth_[toIndex(b)])
            a = depth_[toIndex(jump_[toIndex(a)])] >= depth_[toIndex(b)] ? jump_[toIndex(a)] : parent_[toIndex(a)];
        while (a != b) {
            const bool leap = jump_[toIndex(a)] != jump_[toIndex(b)];
            a = leap ? jump_[toIndex(a)] : parent_[toIndex(a)];
            b = leap ? jump_[toIndex(b)] : parent_[toIndex(b)];
        }
        return a;
    }

    std::int32_t parent(std::int32_t member) const { return parent_[toIndex(member)]; }

private:
    std::vector<std::int32_t> parent_, jump_, depth_;
};

/// Earlier concatenations by their inputs: a trie whose steps are tensors and whose first step is the axis.
class Concatenations {
public:
    /// The output of the longest earlier concatenation on the same axis whose inputs begin `inputs` (all of them and
    /// at least two), and how many inputs it covers.
    std::pair<TensorIndex, std::size_t> longestPrefix(std::int64_t axis, const std::vector<TensorIndex>& inputs) const {
        std::pair<TensorIndex, std::size_t> best{kNoTensor, 0};
        auto state = steps_.find({0, axis});
        for (std::size_t i = 0; state != steps_.end() && i < inputs.size(); ++i) {
            state = steps_.find({state->second, inputs[i]});
            if (state == steps_.end()) break;
            const auto end = ends_.find(state->second);
            if (i > 0 && i + 1 < inputs.size() && end != ends_.end()) best = {end->second, i + 1};
        }
        return best;
    }

    void add(std::int64_t axis, const std::vector<TensorIndex>& inputs, TensorIndex output) {
        std::int64_t state = step(0, axis);
        for (const TensorIndex input : inputs) state = step(state, input);
        ends_.emplace(state, output);
    }

private:
    std::int64_t step(std::int64_t state, std::int64_t key) {
        return steps_.emplace(std::pair{state, key}, static_cast<std::int64_t>(steps_.size()) + 1).first->second;
    }

    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> steps_;
    std::map<std::int64_t, TensorIndex> ends_;
};

/// The layer form of one graph, built in one walk over its operators.
///
/// Every activation has an `origin`: the layer or join that it comes from through one-input operators only. An operator
/// whose activations have one origin lies on that layer's edge; a multiplication with stored values or with another
/// activation, and any operator with two origins, becomes a node of the layer graph.
class Extraction {
public:
    explicit Extraction(const Graph& graph)
        : graph_(graph),
          origin_(graph.tensors.size(), kNothing),
          fromParameter_(graph.tensors.size(), 0),
          claimed_(graph.tensors.size(), 0),
          producers_(producers(graph)),
          ancestry_(graph.tensors.size() + graph.operators.size()) {}

    LayerGraph run() {
        result_.name = graph_.name;
        markTables();
        for (const Operator& op : graph_.operators) visit(op);
        setNames();
        setHandedOnMaps();
        setActivations();
        orderEdges();
        setAssumptions();
        return std::move(result_);
    }

private:
    struct Use {
        TensorIndex tensor = kNoTensor;
        std::int32_t origin = kNothing;
    };

    Layer& layer(std::int32_t node) { return result_.layers[toIndex(node)]; }
    bool live(const Operator& op) const;
    void markTables();
    void visit(const Operator& op);
    std::vector<Use> usesOf(const Operator& op);
    std::vector<TensorIndex> operandsOf(const Operator& op);
    bool isLookUp(const Operator& op) const;
    std::size_t channelAxis(const Operator& op, const std::vector<Use>& uses);
    void addWeighted(const Operator& op, const WeightedOperator& weighted, const std::vector<Use>& uses);
    void addNode(const Operator& op, Layer sizes, const std::vector<Use>& uses, bool channelsFirst);
    void putOnEdge(const Operator& op, const std::vector<Use>& uses);
    void claimParameters(const Operator& op, std::int32_t node);
    void setNames();
    void setHandedOnMaps();
    void setActivations();
    std::vector<std::int32_t> longestPaths(bool forward) const;
    void orderEdges();
    void setAssumptions();
    void assume(std::string sentence) { result_.assumptions.push_back(std::move(sentence)); }
    void assumeUnclaimedParameters();

    const Graph& graph_;
    LayerGraph result_;
    std::vector<std::int32_t> origin_;     ///< by tensor
    std::vector<char> fromParameter_;      ///< by tensor: a trained value, or computed from one without any input
    std::vector<char> claimed_;            ///< by tensor: its elements are counted in a layer's parameters
    std::vector<std::int32_t> producers_;  ///< by tensor
    Ancestry ancestry_;                    ///< of tensors within their origin; node k stands at tensors + k
    Concatenations concatenations_;
    std::vector<const Operator*> nodeOperators_;
    std::vector<char> channelsFirst_;                    ///< by node
    std::vector<std::int32_t> handedOn_;                 ///< by node: the last tensor that all consumers see
    std::vector<std::vector<const Operator*>> covered_;  ///< by node, its own operator first
    std::size_t transposed_ = 0, recurrent_ = 0, prefixes_ = 0, gates_ = 0, beforeLayers_ = 0, fromInputs_ = 0;
    std::size_t unsized_ = 0;
    std::vector<std::string> opaque_;
};

bool Extraction::live(const Operator& op) const {
    return std::any_of(op.outputs.begin(), op.outputs.end(),
                       [&](TensorIndex output) { return isActivation(graph_, output); });
}

void Extraction::markTables() {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
        fromParameter_[i] = graph_.tensors[i].role == TensorRole::parameter ? 1 : 0;
    const auto trained = [&](TensorIndex input) { return input != kNoTensor && fromParameter_[toIndex(input)] != 0; };
    for (const Operator& op : graph_.operators) {
        if (live(op) || std::none_of(op.inputs.begin(), op.inputs.end(), trained)) continue;
        for (const TensorIndex output : op.outputs)
            if (output != kNoTensor && graph_.tensor(output).role == TensorRole::derived)
                fromParameter_[toIndex(output)] = 1;
    }
}

/// The inputs of an operator, where a concatenation that begins like an earlier one reads that one's result instead.
std::vector<TensorIndex> Extraction::operandsOf(const Operator& op) {
    if (op.type != "Concat" || !isStandard(op) || op.outputs.empty()) return op.inputs;
    std::vector<TensorIndex> operands = op.inputs;
    const auto axis = attributeOr<std::int64_t>(op.attributes, "axis", 0);
    const auto [earlier, covered] = concatenations_.longestPrefix(axis, op.inputs);
    concatenations_.add(axis, op.inputs, op.outputs.front());
    if (covered == 0 || origin_[toIndex(earlier)] == kNothing) return operands;
    operands.erase(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(covered));
    operands.insert(operands.begin(), earlier);
    ++prefixes_;
    return operands;
}

std::vector<Extraction::Use> Extraction::usesOf(const Operator& op) {
    std::vector<Use> uses;
    for (const TensorIndex input : operandsOf(op))
        if (isActivation(graph_, input)) uses.push_back({.tensor = input, .origin = origin_[toIndex(input)]});
    return uses;
}

bool Extraction::isLookUp(const Operator& op) const {
    if (op.type != "Gather" || !isStandard(op)) return false;
    const TensorIndex table = inputOf(op, 0);
    return table != kNoTensor && fromParameter_[toIndex(table)] != 0 && isFloat(graph_.tensor(table).type) &&
           isActivation(graph_, inputOf(op, 1));
}

void Extraction::visit(const Operator& op) {
    poll(5);
    if (!live(op)) return;
    const std::vector<Use> uses = usesOf(op);
    if (const auto weighted = weightedOperator(graph_, op)) return addWeighted(op, *weighted, uses);
    if (isLookUp(op)) return addNode(op, embeddingSizes(graph_, op), uses, false);
    if (isProduct(graph_, op)) {
        const Layer sizes = joinSizes(graph_, op, LayerKind::product, channelAxis(op, uses));
        return addNode(op, sizes, uses, true);
    }
    std::set<std::int32_t> origins;
    for (const Use& use : uses)
        if (use.origin != kNothing) origins.insert(use.origin);
    if (origins.size() < 2) return putOnEdge(op, uses);
    const LayerKind kind = op.type == "Concat" && isStandard(op) ? LayerKind::concat : LayerKind::add;
    const std::size_t axis = channelAxis(op, uses);
    addNode(op, joinSizes(graph_, op, kind, axis), uses, axis == 1);
}

/// The axis of a join's output that holds channels: where an operand, in input order, has as many elements as its layer
/// has channels; axis 1 is looked at first behind a convolution, the last axis behind a matrix multiplication.
std::size_t Extraction::channelAxis(const Operator& op, const std::vector<Use>& uses) {
    const auto& shape = neededShape(graph_, op.outputs.front());
    if (shape.size() < 2) return 0;
    const std::size_t last = shape.size() - 1;
    std::optional<std::size_t> preferred;
    for (const Use& use : uses) {
        if (use.origin == kNothing) continue;
        const bool first = channelsFirst_[toIndex(use.origin)] != 0;
        const std::size_t likely = first ? 1 : last;
        if (!preferred) preferred = likely;
        const auto& dims = neededShape(graph_, use.tensor);
        if (dims.size() != shape.size()) continue;
        for (const std::size_t axis : {likely, first ? last : std::size_t{1}})
            if (static_cast<double>(dims[axis]) == layer(use.origin).outChannels) return axis;
    }
    return preferred.value_or(last);
}

void Extraction::addWeighted(const Operator& op, const WeightedOperator& weighted, const std::vector<Use>& uses) {
    Layer sizes = sizesOf(graph_, weighted);
    if (op.type == "ConvTranspose") ++transposed_;
    if (op.type == "LSTM" || op.type == "GRU" || op.type == "RNN") ++recurrent_;
    const bool convolution = sizes.kind == LayerKind::conv;
    addNode(op, std::move(sizes), uses, convolution);
}

void Extraction::addNode(const Operator& op, Layer sizes, const std::vector<Use>& uses, bool channelsFirst) {
    const auto node = static_cast<std::int32_t>(result_.layers.size());
    const auto root = static_cast<std::int32_t>(graph_.tensors.size()) + node;
    const bool joins = isJoin(sizes.kind);
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const Use& use = uses[i];
        if (use.origin == kNothing) {
            if (joins) ++fromInputs_;
            continue;
        }
        std::int32_t& handedOn = handedOn_[toIndex(use.origin)];
        handedOn = handedOn == kNothing ? use.tensor : ancestry_.common(handedOn, use.tensor);
        const bool main = !joins && i == 0;
        result_.edges.push_back({use.origin, node, main ? inElements(sizes) : elementsPerSample(graph_, use.tensor)});
    }
    for (const TensorIndex output : op.outputs) {
        if (output == kNoTensor) continue;
        origin_[toIndex(output)] = node;
        ancestry_.attach(output, root);
    }
    result_.layers.push_back(std::move(sizes));
    nodeOperators_.push_back(&op);
    channelsFirst_.push_back(channelsFirst ? 1 : 0);
    handedOn_.push_back(kNothing);
    covered_.emplace_back();
    covered_.back().push_back(&op);
    claimParameters(op, node);
}

void Extraction::putOnEdge(const Operator& op, const std::vector<Use>& uses) {
    std::int32_t origin = kNothing;
    std::int32_t above = kNothing;
    for (const Use& use : uses) {
        if (use.origin == kNothing) continue;
        origin = use.origin;
        above = above == kNothing ? use.tensor : ancestry_.common(above, use.tensor);
    }
    if (origin == kNothing) {
        ++beforeLayers_;
        return;
    }
    if (!op.opaque.empty()) opaque_.push_back(op.name);
    if (uses.size() > 1) ++gates_;
    for (const TensorIndex output : op.outputs) {
        if (output == kNoTensor) continue;
        origin_[toIndex(output)] = origin;
        ancestry_.attach(output, above);
    }
    covered_[toIndex(origin)].push_back(&op);
    claimParameters(op, origin);
}

/// Counts the trained values that an operator reads, directly or through operators that depend on no input, in a node's
/// parameters. What another layer has counted already is shared and not counted again.
void Extraction::claimParameters(const Operator& op, std::int32_t node) {
    std::vector<const Operator*> open{&op};
    while (!open.empty()) {
        const Operator* next = open.back();
        open.pop_back();
        for (const TensorIndex input : next->inputs) {
            if (input == kNoTensor || isActivation(graph_, input) || claimed_[toIndex(input)] != 0) continue;
            claimed_[toIndex(input)] = 1;
            const Tensor& tensor = graph_.tensor(input);
            if (tensor.role == TensorRole::parameter)
                layer(node).parameters += static_cast<double>(elementCount(tensor.shape).value_or(0));
            else if (producers_[toIndex(input)] != kNothing)
                open.push_back(&graph_.operators[toIndex(producers_[toIndex(input)])]);
        }
    }
}

/// A node is named by its operator's `layer` where no other node has the same, else by its operator.
void Extraction::setNames() {
    std::unordered_map<std::string_view, int> nodesOfLayer;
    for (const Operator* op : nodeOperators_) ++nodesOfLayer[op->layer];
    std::unordered_set<std::string_view> taken;  // texts of the result
    for (std::size_t i = 0; i < nodeOperators_.size(); ++i) {
        poll();
        const Operator& op = *nodeOperators_[i];
        const bool own = !op.layer.empty() && nodesOfLayer[op.layer] == 1;
        const std::string& base = own ? op.layer.get() : op.name;
        std::string name = base;
        for (int copy = 2; taken.contains(name); ++copy) name = base + "_" + std::to_string(copy);
        result_.layers[i].name = std::move(name);
        taken.insert(result_.layers[i].name);
        for (const Operator* covered : covered_[i]) result_.layers[i].operators.push_back(covered->name);
    }
}

/// Sets `out` of every layer: the map of the last tensor that everything behind the layer sees.
void Extraction::setHandedOnMaps() {
    // A layer that no other reads hands on what its own edge ends in.
    std::vector<char> read;
    for (const std::int32_t tensor : handedOn_) read.push_back(tensor == kNothing ? 0 : 1);
    for (const TensorIndex output : graph_.outputs) {
        const std::int32_t node = origin_[toIndex(output)];
        if (node == kNothing || read[toIndex(node)] != 0) continue;
        std::int32_t& last = handedOn_[toIndex(node)];
        last = last == kNothing ? output : ancestry_.common(last, output);
    }
    const auto tensors = static_cast<std::int32_t>(graph_.tensors.size());
    for (std::size_t i = 0; i < result_.layers.size(); ++i) {
        Layer& layer = result_.layers[i];
        if (isJoin(layer.kind) || handedOn_[i] == kNothing || handedOn_[i] >= tensors) continue;
        std::optional<Map> map = mapOf(graph_, handedOn_[i], layer.outChannels, channelsFirst_[i] != 0);
        if (!map) continue;
        // Flattening keeps the elements: the map is that of the last tensor that still had height and width.
        for (std::int32_t above = ancestry_.parent(handedOn_[i]); above < tensors && map->width == 1;
             above = ancestry_.parent(above)) {
            const auto before = mapOf(graph_, above, layer.outChannels, channelsFirst_[i] != 0);
            if (!before || before->area() != map->area()) break;
            map = before;
        }
        layer.out = *map;
    }
}

void Extraction::setActivations() {
    for (std::size_t i = 0; i < covered_.size(); ++i)
        for (const Operator* op : covered_[i])
            for (const TensorIndex output : op->outputs) {
                if (output == kNoTensor || !isFloat(graph_.tensor(output).type)) continue;
                if (elementCount(graph_.tensor(output).shape))
                    result_.layers[i].activations += elementsPerSample(graph_, output);
                else
                    ++unsized_;
            }
}

/// By node, the maximum number of weighted layers on a path that ends in it (forward) or begins with it (backward),
/// itself included.
std::vector<std::int32_t> Extraction::longestPaths(bool forward) const {
    const auto own = [&](std::int32_t node) { return isJoin(result_.layers[toIndex(node)].kind) ? 0 : 1; };
    std::vector<std::int32_t> longest(result_.layers.size());
    for (std::size_t i = 0; i < longest.size(); ++i) longest[i] = own(static_cast<std::int32_t>(i));
    // Edges stand in the order of the node that they lead into; nodes are in topological order.
    const auto relax = [&](std::int32_t from, std::int32_t to) {
        longest[toIndex(to)] = std::max(longest[toIndex(to)], longest[toIndex(from)] + own(to));
    };
    const std::size_t count = result_.edges.size();
    for (std::size_t i = 0; i < count; ++i) {
        const LayerEdge& edge = result_.edges[forward ? i : count - 1 - i];
        if (forward)
            relax(edge.from, edge.to);
        else
            relax(edge.to, edge.from);
    }
    return longest;
}

/// The edges in their order, but none before the two edges (by index) that go first at its ends.
std::vector<LayerEdge> behindTheirMains(const std::vector<LayerEdge>& edges,
                                        const std::vector<std::pair<std::int32_t, std::int32_t>>& mains) {
    std::vector<std::int32_t> waitsFor(edges.size(), 0);
    std::vector<std::vector<std::int32_t>> releases(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i)
        for (const std::int32_t main : {mains[i].first, mains[i].second}) {
            if (toIndex(main) == i) continue;
            ++waitsFor[i];
            releases[toIndex(main)].push_back(static_cast<std::int32_t>(i));
        }
    std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < edges.size(); ++i)
        if (waitsFor[i] == 0) ready.push(static_cast<std::int32_t>(i));
    std::vector<LayerEdge> ordered;
    ordered.reserve(edges.size());
    while (!ready.empty()) {
        const std::int32_t next = ready.top();
        ready.pop();
        poll();
        ordered.push_back(edges[toIndex(next)]);
        for (const std::int32_t released : releases[toIndex(next)])
            if (--waitsFor[toIndex(released)] == 0) ready.push(released);
    }
    return ordered;
}

/// Puts the edges of main paths first. The main path into a node comes, and out of a node goes, along the path with the
/// most weighted layers; ties go to the first operand and to the first consumer. Both rules choose the edge whose
/// longest path is longest, so that one order of all edges serves every node. Otherwise edges keep their order: by
/// consumer, then by operand.
void Extraction::orderEdges() {
    const std::vector<std::int32_t> into = longestPaths(true);
    const std::vector<std::int32_t> outOf = longestPaths(false);
    const std::vector<LayerEdge>& edges = result_.edges;
    std::vector<std::int32_t> mainIn(result_.layers.size(), kNothing);
    std::vector<std::int32_t> mainOut(result_.layers.size(), kNothing);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        std::int32_t& in = mainIn[toIndex(edges[i].to)];
        std::int32_t& out = mainOut[toIndex(edges[i].from)];
        const auto index = static_cast<std::int32_t>(i);
        if (in == kNothing || into[toIndex(edges[i].from)] > into[toIndex(edges[toIndex(in)].from)]) in = index;
        if (out == kNothing || outOf[toIndex(edges[i].to)] > outOf[toIndex(edges[toIndex(out)].to)]) out = index;
    }
    std::vector<std::pair<std::int32_t, std::int32_t>> firstMains;
    for (const LayerEdge& edge : edges) firstMains.emplace_back(mainIn[toIndex(edge.to)], mainOut[toIndex(edge.from)]);
    result_.edges = behindTheirMains(edges, firstMains);
}

/// The first few names in quotes, and how many more there are.
std::string someOf(const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 5;
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < names.size() && i < kShown; ++i) shown.push_back(inQuotes(names[i]));
    std::string text = joined(shown, ", ");
    if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
    return text;
}

void Extraction::assumeUnclaimedParameters() {
    std::vector<std::string> names;
    std::int64_t elements = 0;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
        const Tensor& tensor = graph_.tensors[i];
        if (tensor.role != TensorRole::parameter || claimed_[i] != 0) continue;
        names.push_back(tensor.name);
        elements += elementCount(tensor.shape).value_or(0);
    }
    if (names.empty()) return;
    assume(formatCounted(names.size(), "stored tensor", "stored tensors") + " with " + std::to_string(elements) +
           (elements == 1 ? " element" : " elements") + " in total, which no operator behind the first layer reads, " +
           (names.size() == 1 ? "belongs" : "belong") + " to no layer: " + someOf(names) + ".");
}

void Extraction::setAssumptions() {
    if (recurrent_ > 0)
        assume(
            formatCounted(recurrent_, "recurrent layer is", "recurrent layers are") +
            " taken as multiplications of input and state together with the weights of all gates and directions, one "
            "row per time step.");
    if (transposed_ > 0)
        assume(formatCounted(transposed_, "transposed convolution multiplies", "transposed convolutions multiply") +
               " once per pixel of the input map, which stands as the map before pooling.");
    if (prefixes_ > 0)
        assume(formatCounted(prefixes_, "concatenation that begins", "concatenations that begin") +
               " with all operands of an earlier one " + (prefixes_ == 1 ? "reads" : "read") +
               " that one's result and the rest.");
    if (gates_ > 0)
        assume(formatCounted(gates_, "operator whose operands all come", "operators whose operands all come") +
               " from one layer without another in between (gates, normalisation) " + (gates_ == 1 ? "lies" : "lie") +
               " on that layer's edge.");
    if (fromInputs_ > 0)
        assume(formatCounted(fromInputs_, "operand of a join comes", "operands of joins come") +
               " straight from the inputs and " + (fromInputs_ == 1 ? "is" : "are") + " not moved.");
    if (beforeLayers_ > 0)
        assume(formatCounted(beforeLayers_, "operator", "operators") + " before the first layer " +
               (beforeLayers_ == 1 ? "belongs" : "belong") + " to no layer.");
    if (!opaque_.empty())
        assume(formatCounted(opaque_.size(), "unknown operator lies", "unknown operators lie") +
               " on the edge of the layer before: " + someOf(opaque_) + ".");
    if (unsized_ > 0)
        assume(formatCounted(unsized_, "activation of unknown shape is", "activations of unknown shape are") +
               " not counted in what is kept for the backward pass.");
    assumeUnclaimedParameters();
}

}  // namespace

LayerGraph layersOf(const Graph& graph) {
    return Extraction(graph).run();
}

}  // namespace tessera::model
