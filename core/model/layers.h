#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"

namespace tessera::model {

struct Graph;

/// Height and width of a map, or of a kernel.
struct Map {
    double height = 1;
    double width = 1;
    double area() const { return height * width; }
    bool operator==(const Map&) const = default;
};

enum class LayerKind : std::uint8_t {
    fc,         ///< matrix multiplication with weights; a map larger than 1 counts rows per sample (sequence positions)
    conv,       ///< convolution
    embedding,  ///< table look-up: inChannels = rows of the table, outChannels = width, conv = look-ups per sample
    add,        ///< join: element-wise operation of two or more activations
    concat,     ///< join: concatenation
    product,    ///< join: matrix product of activations (attention); `macs` per sample
};

inline constexpr EnumNames<LayerKind> kLayerKindNames{"fc", "conv", "embedding", "add", "concat", "product"};
constexpr std::string_view nameOf(LayerKind kind) {
    return kLayerKindNames.of(kind);
}
constexpr bool isJoin(LayerKind kind) {
    return kind >= LayerKind::add;
}

/// A weighted layer or a join, with sizes per sample (the batch is given when a layer graph is used). Sizes are whole
/// in files; a graph whose batch does not divide them may yield fractions.
struct Layer {
    std::string name;
    LayerKind kind = LayerKind::fc;
    double inChannels = 1;   ///< D_i; for a join the same as outChannels
    double outChannels = 1;  ///< D_o; for a join its channels
    Map in;                  ///< the map that the layer reads
    Map conv;                ///< the map that the multiplication makes, before pooling
    Map out;                 ///< the map handed on, after pooling and other one-input operators
    Map kernel;
    double groups = 1;
    double macs = 0;                    ///< `product` only: multiply-accumulates per sample
    double parameters = 0;              ///< all trained elements that go with the layer (weights, bias, following norm)
    double activations = 0;             ///< elements per sample of all that the layer and what follows on its edge make
    std::optional<double> stored = {};  ///< of these, read by the backward pass (`countStored`); none = all
    double storedOtherBytes = 0;        ///< bytes per sample that it reads and that are no numbers of a float type
    std::vector<std::string> operators;  ///< names of the graph's operators that the layer covers; may be empty

    bool operator==(const Layer&) const = default;
};

/// A_W = D_i * D_o * k / groups: elements of the weight tensor (rows times width for an embedding).
double weightElements(const Layer& layer);
/// Per sample: elements read (A_in; the indices looked up for an embedding, the join's own map for a join), made
/// (A_conv) and handed on (A_out).
double inElements(const Layer& layer);
double convElements(const Layer& layer);
double outElements(const Layer& layer);
/// Multiply-accumulates of the forward pass per sample.
double macsPerSample(const Layer& layer);

/// One activation handed from a layer or join to another.
struct LayerEdge {
    std::int32_t from = 0;
    std::int32_t to = 0;
    double elements = 0;  ///< per sample, what the consumer reads: A_in of a layer, the operand of a join

    bool operator==(const LayerEdge&) const = default;
};

/// The weighted layers of a network and the joins between them: the form that partitioning and mapping work on.
/// A directed acyclic graph; `layers` stand in topological order. The first edge listed out of (or into) a layer is its
/// main path.
struct LayerGraph {
    std::string name;
    std::vector<Layer> layers;
    std::vector<LayerEdge> edges;
    std::vector<std::string> assumptions;  ///< sentences on what the layer form leaves out or simplifies

    bool operator==(const LayerGraph&) const = default;
};

/// The layer form of an operator graph. One-input operators (activation, normalisation, pooling, reshape) belong to the
/// edge they sit on; every operator with two or more activation inputs becomes a join. Throws DataError where a shape
/// that is needed is unknown; the message lists the dimensions to bind.
LayerGraph layersOf(const Graph& graph);

/// Puts layers into topological order (Kahn; of the layers that are ready, the first as given; edges keep their order)
/// and fills what is still 0: each edge's `elements` by the rules of `layers.json` (A_in of a layer, the join's own map
/// into `add` and `product`, the producer's own map into `concat`), `parameters` (the weights) and `activations` (the
/// map made, and the one handed on where pooling changed it). Throws DataError (file) on a cycle.
void completeLayerGraph(LayerGraph& graph, const std::string& file);

}  // namespace tessera::model
