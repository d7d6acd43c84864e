#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/index_lists.h"
#include "core/model/layers.h"
#include "core/partition/elimination.h"
#include "core/partition/partition.h"

/// Inside of engine 1: one split of a network between two sides, and what it costs.
namespace tessera::partition {

using States = std::vector<std::uint8_t>;  ///< per variable: a Type of a layer or a Layout of a join

/// Remaining share of a layer's dimensions after the splits above: of the samples, of D_i and of D_o.
struct Share {
    double samples = 1;
    double in = 1;
    double out = 1;
};

/// Reads, writes and splits of a layer or join in each state. Small, because sums over a network walk all of them.
struct Node {
    bool weighted : 1 = true;  ///< false for joins
    bool convolution : 1 = false;
    bool grouped : 1 = false;  ///< II and III both split by groups
    bool embedding : 1 = false;
    /// Effect of each state: `kSplits...` for the dimensions that it splits, `kBothWhole` where both sides do all.
    std::array<std::uint8_t, 3> effect{};
    std::int32_t variable = 0;
    std::array<std::uint8_t, 3> in{};   ///< layout read in each state of the variable
    std::array<std::uint8_t, 3> out{};  ///< layout made in each state
};
static_assert(sizeof(Node) == 16);

inline constexpr std::uint8_t kSplitsSamples = 1, kSplitsIn = 2, kSplitsOut = 4, kBothWhole = 8;

/// A layer or join at full size, as every level of every plan reads it: one line of the cache.
struct NodeSize {
    double aIn = 0, aConv = 0, aPsum = 0, aWeight = 0;  ///< elements, whole batch
    double perConv = 0;     ///< 2 D_i k / g: multiplications and additions per element of A_conv
    double perIn = 0;       ///< 2 D_o k / g
    double perWeight = 0;   ///< 2 B o
    double fixedFlops = 0;  ///< joins: FLOP of forward and backward pass
};

/// Rarely read part of a node: for the accelerators, and for the `table6` rule.
struct NodeDetail {
    double kernelArea = 1;
    double mapArea = 1;
    double parameters = 0;   ///< elements
    double activations = 0;  ///< elements, whole batch
};

/// End of an edge that determines how much of the tensor is left after the splits above.
enum class ShrinksWith : std::uint8_t { consumerInput, consumerMap, producerMap };

struct Edge {
    std::int32_t from = 0, to = 0;
    double elements = 0;  ///< whole batch, what the consumer reads
    ShrinksWith shrinks = ShrinksWith::consumerInput;
    std::int32_t pair = -1;  ///< in the elimination plan; -1 where both ends share one variable
    bool flipped = false;    ///< the producer's variable is the pair's second
    bool parallel = false;   ///< an edge before this one has the same pair
};

/// A layer graph prepared for one batch size and one set of rules: everything that does not change between levels.
struct Network {
    std::vector<Node> nodes;
    std::vector<NodeSize> sizes;      ///< of the nodes
    std::vector<NodeDetail> details;  ///< of the nodes
    std::vector<Edge> edges;
    std::vector<std::int32_t> mainPath;  ///< nodes on the main path, in order (HyPar's chain)
    IndexLists nodesOf, edgesOf;         ///< by variable: the terms that depend on it, for local changes
    EliminationPlan plan;
    FlopRule flop = FlopRule::exact;
    bool computation = true;

    std::int32_t variables() const { return plan.variables(); }
};

Network prepare(const model::LayerGraph& layers, const Options& options);

/// A network of nodes and edges, without sizes: finds the edges' pairs, the elimination plan and what hangs on a
/// variable.
Network connected(std::vector<Node> nodes, std::vector<Edge> edges, std::int32_t variables);

/// Forward and backward FLOP of a node at a share (AccPar Table 6, section 4.3). The table takes one addition off per
/// element, which would make shards of less than one multiplication negative; `flopsOf` is 0 there. The unclamped form
/// is affine in each share.
double unclampedFlops(const Network& network, std::size_t node, const Share& share);
double flopsOf(const Network& network, std::size_t node, const Share& share);

/// The share that is left on a side of ratio `ratio` when the node is in `state`.
Share shrunk(const Node& node, const Share& share, std::uint8_t state, double ratio);

/// The two sides of a split.
struct Sides {
    double flopsI = 1, flopsJ = 1;            ///< FLOP/s of all accelerators of the side
    double perElementI = 0, perElementJ = 0;  ///< seconds to move one element over one accelerator's network
    double latency = 0;                       ///< seconds per transfer
    CostModel model = CostModel::exact;
};

/// Sums over a network for one assignment, from which the time of each side follows for any ratio.
/// exact: side_i(a) = (a*shared + whole)/c_i + e/b_i*(intra + a(1-a)*exchanged + (1-a)*gathered) + transfers*latency
struct Totals {
    double shared = 0;     ///< FLOP that the ratio divides
    double whole = 0;      ///< FLOP that both sides do
    double intra = 0;      ///< elements (Table 4)
    double exchanged = 0;  ///< elements of edge directions rows <-> channels
    double gathered = 0;   ///< elements of edge directions into "duplicated"
    double transfers = 0;  ///< number of transfers
};

double sideI(const Totals& totals, const Sides& sides, double ratio);
double sideJ(const Totals& totals, const Sides& sides, double ratio);
/// The ratio in [from, to] with the minimum of max(side_i, side_j): an end, or a crossing, since both sides are
/// concave.
double bestRatio(const Totals& totals, const Sides& sides, double from = 0, double to = 1);
/// The paper's linear Eq. 10: a = Y/(X+Y), X = C/c_i + (I + Q/4 + R/2) e/b_i.
double equation10(const Totals& totals, const Sides& sides);

/// Rule that combines the two sides' times of one layer or edge into one number.
struct Combine {
    enum class Kind : std::uint8_t { max, sum, side, weighted } kind = Kind::max;
    double weightI = 0.5;  ///< `weighted`: weightI * side_i + (1 - weightI) * side_j
};

/// One split: a network at given shares between two given sides.
class Level {
    struct NodeCost {
        double shared = 0;              ///< FLOP
        double input = 0;               ///< A_in
        std::array<double, 3> intra{};  ///< elements; infinite where the state is impossible
    };

public:
    /// The memory of a level, which another level of the same network can take over.
    class Memory {
        friend class Level;
        std::vector<NodeCost> nodeCosts_;
        std::vector<double> edgeElements_;
    };

    Level(const Network& network, const std::vector<Share>& shares, const Sides& sides, Memory memory = {});
    Memory release() && { return std::move(memory_); }

    const Network& network() const { return *network_; }
    const Sides& sides() const { return sides_; }
    /// Changes sides without recomputing sizes.
    void setSides(const Sides& sides) { sides_ = sides; }

    /// Writes every cost at a ratio into the workspace; `allowed` holds a bit mask of states per variable (empty =
    /// all).
    void fill(Elimination& elimination, double ratio, Combine combine, const std::vector<std::uint8_t>& allowed) const;
    /// The combined cost of an assignment, over all layers and edges.
    double cost(const States& states, double ratio, Combine combine) const;
    Totals totals(const States& states) const;
    /// Adds (sign 1) or takes away (sign -1) all that one variable's state contributes, its edges included.
    void addVariable(Totals& totals, const States& states, std::int32_t variable, double sign) const;

    /// The shares that are left of every node on a side of ratio `ratio`. Uses the memory of `into`.
    std::vector<Share> shrunkShares(const std::vector<Share>& shares, const States& states, double ratio,
                                    std::vector<Share> into = {}) const;

    /// Times of one node on a side.
    double compute(std::int32_t node, std::uint8_t state, double ratio, bool first) const;
    double intra(std::int32_t node, std::uint8_t state, double ratio, bool first) const;
    /// Times of all edges on a side, summed by consumer.
    std::vector<double> interByConsumer(const States& states, double ratio, bool first) const;

    /// Elements that a node exchanges inside itself in a state (Table 4), at this level's shares.
    double intraElements(std::int32_t node, std::uint8_t state) const { return nodeCost(node).intra[state]; }
    /// Elements that a layer reads, at this level's shares.
    double inputElements(std::int32_t node) const { return nodeCost(node).input; }

    std::uint8_t stateOf(std::int32_t node, const States& states) const {
        return states[static_cast<std::size_t>(network_->nodes[static_cast<std::size_t>(node)].variable)];
    }

private:
    /// Time of an edge per element and per use, by the layouts at its ends [from * 3 + to].
    struct EdgeRates {
        std::array<double, 9> perElement{};
        std::array<double, 9> constant{};
    };
    EdgeRates edgeRates(double ratio, Combine combine) const;
    EdgeRates sideRates(double ratio, bool first) const;
    template <typename Combiner>
    void fillNodes(Elimination& elimination, double ratio, Combiner combiner) const;
    double unary(std::int32_t node, std::uint8_t state, double ratio, Combine combine) const;

    const NodeCost& nodeCost(std::int32_t node) const { return memory_.nodeCosts_[static_cast<std::size_t>(node)]; }
    /// True if both sides do all of a node's FLOP in a state, instead of sharing them.
    bool bothWhole(std::int32_t node, std::uint8_t state) const {
        return (network_->nodes[static_cast<std::size_t>(node)].effect[state] & kBothWhole) != 0;
    }

    const Network* network_;
    Sides sides_;
    Memory memory_;
};

}  // namespace tessera::partition
