#include <fmt/format.h>
#include <tessera/tokens.h>  // kOperatorColours: made from resources/theme/tokens.txt

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/escape.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/model/graph_hierarchy.h"
#include "core/model/writers/writers.h"

namespace tessera::model {

namespace {

constexpr std::size_t kMaxOperatorsShown = 300;
constexpr std::size_t kMaxNodesDrawn = 3000;
constexpr std::size_t kLongestName = 60;

/// As everywhere in the program: by the class in the operator table, from the theme's tokens.
std::string_view colourOf(OperatorClass group) {
    const std::string_view name = nameOf(group);
    for (const report::NamedColour& row : report::kOperatorColours)
        if (row.name == name) return row.colour;
    return colourOf(OperatorClass::memory);
}

std::string dotText(std::string_view text) {
    return dotEscaped(text, kLongestName);
}

std::string header(const std::string& name) {
    return fmt::format(
        "digraph \"{}\" {{\n"
        "  rankdir=TB;\n"
        "  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=11, fontcolor=\"#1B1F27\"];\n"
        "  edge [color=\"#5A6372\", arrowsize=0.6, fontname=\"sans-serif\", fontsize=9, fontcolor=\"#5A6372\"];\n",
        dotText(name));
}

/// A node: border in the colour of its kind, filled with a tint of it.
std::string node(std::string_view id, std::string_view label, std::string_view colour) {
    return fmt::format("  {} [label=\"{}\", color=\"{}\", fillcolor=\"{}22\"];\n", id, label, colour, colour);
}

std::string mapText(double channels, const Map& map) {
    return map.area() == 1
               ? exactNumber(channels)
               : fmt::format("{}×{}×{}", exactNumber(channels), exactNumber(map.height), exactNumber(map.width));
}

std::string labelOf(const Layer& layer) {
    std::string label = dotText(layer.name) + "\\n" + std::string(nameOf(layer.kind));
    if (layer.kernel.area() > 1)
        label += fmt::format(" {}×{}", exactNumber(layer.kernel.height), exactNumber(layer.kernel.width));
    if (layer.groups > 1) label += fmt::format(", {} groups", exactNumber(layer.groups));
    if (isJoin(layer.kind)) return label + "\\n" + mapText(layer.outChannels, layer.out);
    return label + "\\n" + mapText(layer.inChannels, layer.in) + " → " + mapText(layer.outChannels, layer.out);
}

std::string dotOf(const LayerGraph& graph) {
    std::string text = header(graph.name);
    for (std::size_t i = 0; i < graph.layers.size(); ++i)
        text += node(fmt::format("n{}", i), labelOf(graph.layers[i]), colourOf(classOf(graph.layers[i].kind)));
    for (const LayerEdge& edge : graph.edges)
        text += fmt::format("  n{} -> n{} [label=\"{}\"];\n", edge.from, edge.to, formatCount(edge.elements));
    return text + "}\n";
}

std::string labelOf(const Graph& graph, const Operator& op) {
    std::string label = dotText(op.name) + "\\n" + dotText(op.type);
    for (const TensorIndex output : op.outputs)
        if (output != kNoTensor) return label + "\\n" + dotText(toText(graph.tensor(output).shape));
    return label;
}

std::string dotOf(const Graph& graph) {
    std::string text = header(graph.name);
    const std::vector<std::int32_t> makers = producers(graph);
    for (const TensorIndex input : graph.inputs)
        text += fmt::format("  t{} [label=\"{}\\n{}\", shape=ellipse, style=solid, color=\"#5A6372\"];\n", input,
                            dotText(graph.tensor(input).name), dotText(toText(graph.tensor(input).shape)));
    std::vector<char> given(graph.tensors.size(), 0);
    for (const TensorIndex input : graph.inputs) given[static_cast<std::size_t>(input)] = 1;
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
        const Operator& op = graph.operators[i];
        text += node(fmt::format("n{}", i), labelOf(graph, op), colourOf(classOf(op)));
        for (const TensorIndex input : op.inputs) {
            if (input == kNoTensor) continue;
            const auto tensor = static_cast<std::size_t>(input);
            if (makers[tensor] >= 0)
                text += fmt::format("  n{} -> n{};\n", makers[tensor], i);
            else if (given[tensor] != 0)
                text += fmt::format("  t{} -> n{};\n", input, i);
        }
    }
    return text + "}\n";
}

bool showsOperators(const Model& model) {
    return model.graph() != nullptr && model.graph()->operators.size() <= kMaxOperatorsShown;
}

}  // namespace

Converted writeDot(const Model& model) {
    if (showsOperators(model)) return {dotOf(*model.graph()), {}};
    const LayerGraph graph = layerGraph(model);
    return {dotOf(graph), graph.assumptions};
}

Converted writeSvg(const Model& model) {
    if (!showsOperators(model)) {
        const std::size_t nodes = layerGraph(model).layers.size();
        if (nodes > kMaxNodesDrawn)
            throw UsageError(
                fmt::format("a picture holds at most {} layers, this model has {}; convert to 'dot' and "
                            "draw it with another layout",
                            kMaxNodesDrawn, nodes));
    }
    Converted converted = writeDot(model);
    ProcessLimits limits;
    limits.time = std::chrono::minutes(2);
    const ProcessResult drawn = runProcess({"dot", "-Tsvg"}, converted.text, limits);
    if (drawn.exitCode != 0)
        throw FileError(fmt::format("the program 'dot' failed with code {}: {}", drawn.exitCode,
                                    escaped(trimmed(drawn.errors), 200)));
    converted.text = drawn.output;
    return converted;
}

}  // namespace tessera::model
