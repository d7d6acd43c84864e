#include "core/model/readers/onnx_graph.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <queue>
#include <utility>

#include "core/base/error.h"
#include "core/base/poll.h"
#include "core/base/text.h"

namespace tessera::model::onnx_wire {

namespace {

using Names = std::unordered_set<std::string_view>;

/// Calls `use` with every name that the nodes of a subgraph read from outside of it. Depth is bounded by checkWire.
class OuterReads {
public:
    OuterReads(const Source& source, const std::function<void(std::string_view)>& use) : source_(source), use_(use) {}

    void graph(std::string_view bytes) {
        const GraphParts parts = partsOf(source_, bytes);
        Names& own = scopes_.emplace_back();
        for (const std::string_view input : parts.inputs) own.insert(nameOfValue(source_, input));
        for (const std::string_view tensor : parts.initializers) own.insert(nameOfTensor(source_, tensor));
        for (const std::string_view tensor : parts.sparseInitializers) own.insert(nameOfSparse(source_, tensor));
        for (const std::string_view node : parts.nodes)
            eachText(source_, node, field::kNodeOutput, [&](std::string_view name) { own.insert(name); });
        for (const std::string_view bytesOfNode : parts.nodes) node(bytesOfNode);
        for (const std::string_view output : parts.outputs) read(nameOfValue(source_, output));
        scopes_.pop_back();
    }

private:
    void node(std::string_view bytes) {
        eachText(source_, bytes, field::kNodeInput, [&](std::string_view name) { read(name); });
        for (const Subgraph& subgraph : subgraphsOf(source_, bytes)) graph(subgraph.bytes);
    }
    void read(std::string_view name) const {
        if (name.empty()) return;
        for (const Names& scope : scopes_)
            if (scope.contains(name)) return;
        use_(name);
    }

    const Source& source_;
    const std::function<void(std::string_view)>& use_;
    std::vector<Names> scopes_;
};

void eachRead(const Source& source, std::string_view node, const std::function<void(std::string_view)>& use) {
    eachText(source, node, field::kNodeInput, [&](std::string_view name) {
        if (!name.empty()) use(name);
    });
    for (const Subgraph& subgraph : subgraphsOf(source, node)) OuterReads(source, use).graph(subgraph.bytes);
}

/// Kahn's algorithm; of the nodes that are ready, the first in the file comes first.
class Sorter {
public:
    Sorter(const Source& source, const std::vector<std::string_view>& nodes, const NodeOrder& order)
        : source_(source), nodes_(nodes), waiting_(nodes.size(), 0), readers_(nodes.size()), order_(order) {}

    std::vector<std::int32_t> run() {
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            eachMaker(i, [&](std::size_t maker) {
                readers_[maker].push_back(static_cast<std::int32_t>(i));
                ++waiting_[i];
            });
        std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> ready;
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (waiting_[i] == 0) ready.push(static_cast<std::int32_t>(i));
        std::vector<std::int32_t> sequence;
        while (!ready.empty()) {
            const std::int32_t node = ready.top();
            ready.pop();
            poll();
            sequence.push_back(node);
            for (const std::int32_t reader : readers_[static_cast<std::size_t>(node)])
                if (--waiting_[static_cast<std::size_t>(reader)] == 0) ready.push(reader);
        }
        if (sequence.size() != nodes_.size()) refuseCycle();
        return sequence;
    }

private:
    template <typename Use>
    void eachMaker(std::size_t node, Use use) const {
        eachRead(source_, nodes_[node], [&](std::string_view name) {
            const auto found = order_.makers.find(name);
            if (found != order_.makers.end() && found->second >= 0) use(static_cast<std::size_t>(found->second));
        });
    }
    /// Walking from a node that still waits to one it waits for must come round to a node of a cycle.
    [[noreturn]] void refuseCycle() const {
        std::size_t node = 0;
        while (waiting_[node] == 0) ++node;
        std::vector<bool> seen(nodes_.size(), false);
        while (!seen[node]) {
            seen[node] = true;
            std::size_t next = node;
            eachMaker(node, [&](std::size_t maker) {
                if (waiting_[maker] > 0) next = maker;
            });
            node = next;
        }
        throw DataError({.file = source_.file, .where = describeNode(source_, nodes_[node])},
                        "a cycle through this node", "a graph without cycles");
    }

    const Source& source_;
    const std::vector<std::string_view>& nodes_;
    std::vector<std::int64_t> waiting_;
    std::vector<std::vector<std::int32_t>> readers_;
    const NodeOrder& order_;
};

}  // namespace

GraphParts partsOf(const Source& source, std::string_view graph) {
    using List = std::vector<std::string_view> GraphParts::*;
    constexpr std::array<std::pair<std::uint32_t, List>, 6> kLists{
        {{field::kGraphNode, &GraphParts::nodes},
         {field::kGraphInitializer, &GraphParts::initializers},
         {field::kGraphSparse, &GraphParts::sparseInitializers},
         {field::kGraphInput, &GraphParts::inputs},
         {field::kGraphOutput, &GraphParts::outputs},
         {field::kGraphValueInfo, &GraphParts::valueInfos}}};
    GraphParts parts;
    WireCursor cursor(source, graph);
    WireField found;
    while (cursor.next(found)) {
        if (found.number == field::kGraphName) parts.name = found.bytes;
        for (const auto& [number, list] : kLists)
            if (number == found.number) (parts.*list).push_back(found.bytes);
    }
    return parts;
}

std::string_view textField(const Source& source, std::string_view message, std::uint32_t number) {
    std::string_view text;
    eachText(source, message, number, [&](std::string_view found) { text = found; });
    return text;
}

std::string_view nameOfValue(const Source& source, std::string_view valueInfo) {
    return textField(source, valueInfo, field::kValueName);
}

std::string_view nameOfTensor(const Source& source, std::string_view tensor) {
    return textField(source, tensor, field::kTensorName);
}

std::string_view nameOfSparse(const Source& source, std::string_view sparseTensor) {
    return nameOfTensor(source, textField(source, sparseTensor, field::kSparseValues));
}

std::vector<Subgraph> subgraphsOf(const Source& source, std::string_view node) {
    std::vector<Subgraph> found;
    WireCursor attributes(source, node);
    WireField attribute;
    while (attributes.next(attribute)) {
        if (attribute.number != field::kNodeAttribute) continue;
        const std::size_t first = found.size();
        std::string_view name;
        WireCursor fields(source, attribute.bytes);
        WireField part;
        while (fields.next(part)) {
            if (part.number == field::kAttributeName) name = part.bytes;
            if (part.number == field::kAttributeGraph || part.number == field::kAttributeGraphs)
                found.push_back({.attribute = {}, .bytes = part.bytes});
        }
        for (std::size_t i = first; i < found.size(); ++i) found[i].attribute = name;
    }
    return found;
}

std::string_view tensorOf(const Source& source, std::string_view node, std::string_view attribute) {
    std::string_view tensor;
    eachText(source, node, field::kNodeAttribute, [&](std::string_view bytes) {
        if (textField(source, bytes, field::kAttributeName) == attribute)
            tensor = textField(source, bytes, field::kAttributeTensor);
    });
    return tensor;
}

std::string describeNode(const Source& source, std::string_view node) {
    std::string_view name = textField(source, node, field::kNodeName);
    const std::string_view type = textField(source, node, field::kNodeType);
    const bool named = !name.empty();
    if (!named)
        eachText(source, node, field::kNodeOutput, [&](std::string_view output) {
            if (name.empty()) name = output;
        });
    std::string text = named || name.empty() ? "node " : "the node that makes ";
    text += inQuotes(name);
    if (!type.empty()) text += fmt::format(" ({})", escaped(type, 80));
    return text;
}

NodeOrder orderOf(const Source& source, const std::vector<std::string_view>& nodes,
                  const std::vector<std::string_view>& given) {
    NodeOrder order;
    order.makers.reserve(nodes.size() + given.size());
    for (const std::string_view name : given) order.makers.emplace(name, NodeOrder::kGiven);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        poll();
        eachText(source, nodes[i], field::kNodeOutput, [&](std::string_view name) {
            if (name.empty()) return;
            const auto [entry, isNew] = order.makers.emplace(name, static_cast<std::int32_t>(i));
            if (isNew) return;
            const bool isGiven = entry->second == NodeOrder::kGiven;
            throw DataError({.file = source.file, .where = describeNode(source, nodes[i])},
                            fmt::format("the output {}, which {} already is", inQuotes(name),
                                        isGiven ? "an input or stored tensor" : "another output"),
                            "every tensor to be made once");
        });
    }
    bool ordered = true;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        poll();
        eachRead(source, nodes[i], [&](std::string_view name) {
            const auto found = order.makers.find(name);
            if (found == order.makers.end()) return;
            if (found->second == NodeOrder::kGiven)
                order.read.insert(found->first);
            else if (found->second >= static_cast<std::int32_t>(i))
                ordered = false;
        });
    }
    if (!ordered) order.sequence = Sorter(source, nodes, order).run();
    return order;
}

}  // namespace tessera::model::onnx_wire
