#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/model/graph.h"
#include "core/model/layers.h"
#include "core/model/operators/operator_table.h"

/// Folding: a model of any size as a tree of groups, so that a person sees a few dozen things at a time.
namespace tessera::model {

/// Kind of a node of the tree.
enum class HierarchyKind : std::uint8_t {
    whole,    ///< the model
    stage,    ///< a name scope above blocks: "layer3"
    block,    ///< repeated structure: "layer3.0"
    layer,    ///< the operators of one layer
    repeat,   ///< equal neighbours: its children are the copies
    section,  ///< a stretch of operators that no name holds together
    shapes,   ///< arithmetic on shapes, which no data goes through
    leaf,     ///< one item
};

/// Object of the model that a leaf stands for.
enum class ItemSource : std::uint8_t {
    input,      ///< a tensor given to the model; `index` counts Graph::tensors
    operation,  ///< `index` counts Graph::operators, or LayerGraph::layers
    output,     ///< a tensor that the model yields
};

struct HierarchyItem {
    ItemSource source = ItemSource::operation;
    std::int32_t index = 0;
};

struct HierarchyNode {
    HierarchyKind kind = HierarchyKind::leaf;
    std::string name;   ///< in full: "model.layer1.0", "layer1.1 … layer1.3"
    std::string label;  ///< what `name` adds to the names around it: "layer1.0"; empty for an operator without a layer
    std::int32_t parent = -1;
    std::vector<std::int32_t> children;  ///< in topological order
    std::int32_t first = 0;              ///< the items below: `count` of GraphHierarchy::items from here
    std::int32_t count = 0;
    std::int32_t copies = 1;  ///< of a repeat
};

/// A tensor (or an edge of a layer graph) from the item that makes it to one that reads it.
struct HierarchyLink {
    std::int32_t from = 0;    ///< position in GraphHierarchy::items
    std::int32_t to = 0;      ///< position in GraphHierarchy::items
    std::int32_t tensor = 0;  ///< index into Graph::tensors, or LayerGraph::edges
    bool data = true;         ///< false for shapes and other values that no input goes into
};

/// The tree. `items` stand in a topological order in which every node is one stretch; therefore whatever is folded,
/// no cycle arises.
struct GraphHierarchy {
    std::vector<HierarchyNode> nodes;  ///< the first is the whole model
    std::vector<HierarchyItem> items;
    std::vector<HierarchyLink> links;  ///< in the order of `to`
    std::vector<std::int32_t> leaves;  ///< the node of every item

    const HierarchyNode& node(std::int32_t index) const { return nodes[static_cast<std::size_t>(index)]; }
};

/// Largest number of children of a node before names, repetition or plain cuts divide it further.
inline constexpr std::size_t kMaxHierarchyChildren = 60;

/// Hierarchy of a graph by blocks and layers, else by name scopes, else by repetition and cuts where few tensors pass.
/// A pure function.
GraphHierarchy hierarchyOf(const Graph& graph);
/// The same of what stands first in it.
GraphHierarchy hierarchyOf(const Graph& graph, const GraphHead& head);
GraphHierarchy hierarchyOf(const LayerGraph& layers);

/// An arrow between two things that are visible.
struct VisibleEdge {
    std::int32_t from = 0;  ///< node
    std::int32_t to = 0;
    std::vector<std::int32_t> links;  ///< of GraphHierarchy::links, at least one
    bool data = true;                 ///< false where all of them carry shapes only
};

/// Visible part of the tree when some groups are open.
struct VisibleGraph {
    std::vector<std::int32_t> nodes;  ///< shown as one thing, in topological order
    std::vector<std::int32_t> open;   ///< shown as a frame around others, outer before inner
    std::vector<VisibleEdge> edges;
};

VisibleGraph visibleGraph(const GraphHierarchy& hierarchy, const std::set<std::int32_t>& expanded);
/// Number of visible nodes, without the edges.
std::size_t visibleNodes(const GraphHierarchy& hierarchy, const std::set<std::int32_t>& expanded);
/// The visible node that shows the item.
std::int32_t visibleNodeOf(const GraphHierarchy& hierarchy, const std::set<std::int32_t>& expanded, std::int32_t item);
/// The groups to open at first: stages and sections as long as little is visible; blocks stay folded.
std::set<std::int32_t> firstExpanded(const GraphHierarchy& hierarchy);

inline constexpr std::size_t kOperatorClasses = 7;

/// Sums over the operators below a node. Empty where a shape is unknown.
struct NodeTotals {
    std::int64_t operators = 0;
    std::optional<double> macs = 0.0;
    std::optional<double> flops = 0.0;            ///< matrix and vector
    std::optional<double> parameters = 0.0;       ///< elements; each stored tensor counts at its first reader
    std::optional<double> parameterBytes = 0.0;   ///< of the same
    std::optional<double> activations = 0.0;      ///< elements of float outputs that depend on an input
    std::optional<double> activationBytes = 0.0;  ///< of the same
    std::optional<double> traffic = 0.0;          ///< bytes that the operators read and write, stored tensors included
    std::array<double, kOperatorClasses> flopsByClass{};  ///< by OperatorClass
    std::array<std::int64_t, kOperatorClasses> operatorsByClass{};

    /// FLOPs per byte read or written.
    std::optional<double> intensity() const {
        return flops && traffic && *traffic > 0 ? std::optional(*flops / *traffic) : std::nullopt;
    }
    /// Class of operators with most of the FLOP; by number of operators where there are none.
    OperatorClass mainClass() const;
};

/// Totals of every node. `Graph` by the counting rules at its batch; layer tables per `batch` samples, `bytes` per
/// element.
std::vector<NodeTotals> totalsOf(const Graph& graph, const GraphHierarchy& hierarchy);
std::vector<NodeTotals> totalsOf(const LayerGraph& layers, const GraphHierarchy& hierarchy, double batch,
                                 double bytes = 4);

/// Class of a layer's work.
OperatorClass classOf(LayerKind kind);
/// The class of an operator; vector where it is not known.
OperatorClass classOf(const Operator& op);

}  // namespace tessera::model
