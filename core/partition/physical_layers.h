#pragma once

#include <cstdint>
#include <vector>

#include "core/base/shared.h"
#include "core/model/graph.h"
#include "core/model/layers.h"
#include "core/physical/network_operators.h"

namespace tessera::partition {

/// What an extent of a product shrinks with when its layer is split.
enum class Extent : std::uint8_t { whole, rows, in, out, rowsAndOut };

/// Equal kernels of a layer, with what their sizes shrink with.
struct LayerKernel {
    physical::NetworkOperator op = {};  ///< of the whole batch, on one accelerator
    Extent batch = Extent::whole, m = Extent::whole, n = Extent::whole, k = Extent::whole;
    /// True for the products of a layer with weights, which read and make what is cut in two of three ways each; else
    /// all that moves is cut in as many parts as there are.
    bool isProductOfLayer = false;

    bool operator==(const LayerKernel& other) const;
};

/// A layer or join as the physical costs see it; elements are of the whole batch.
struct PhysicalLayer {
    bool isWeighted = false;  ///< reads all channels to make one: input and output channels are cut apart
    bool cutsRows = false;    ///< rows of a sample (positions of a sequence) may be apart; else whole samples only
    bool isConvolution = false;
    bool isEmbedding = false;
    bool isJoin = false;
    double rows = 1;         ///< that can be cut
    double in = 1, out = 1;  ///< channels, groups or heads that can be cut
    double inElements = 0, outElements = 0;
    double weights = 0;
    double parameters = 0;  ///< elements held
    double updated = 0;     ///< of them with a gradient, whatever the samples
    double table = 0;       ///< further ones in tables, of which the rows looked up have a gradient
    double looked = 0;      ///< elements of rows that the whole batch looks up
    double stored = 0;      ///< elements kept for the backward pass
    Shared<std::vector<LayerKernel>> kernels = {};  ///< equal layers have the same

    /// Parameters with a gradient on an accelerator that has this share of the samples.
    double updatedBy(double share) const;
    bool isAlike(const PhysicalLayer& other) const;
};

/// The layers of one step of training: kernels of the model's own training graph, each with the layer that covers its
/// operator; of a table of layers without a graph, products and what is read and written by their sizes. `joined`: with
/// what is done element by element joined to the operator before it (physical::NetworkWork).
std::vector<PhysicalLayer> physicalLayersOf(const model::LayerGraph& layers, const model::Graph* graph, double batch,
                                            double bytesPerElement, bool joined);

}  // namespace tessera::partition
