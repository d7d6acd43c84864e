#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/enum_names.h"
#include "core/model/layers.h"

namespace tessera::cost {

/// The loops of a convolution: output channels K, input channels C, input rows Y and columns X, kernel rows R and
/// columns S, and output rows Y' and columns X'. A directive on Y' (X') is one on Y (X) whose size covers the window.
enum class Dimension : std::uint8_t { k, c, y, x, r, s, outY, outX };

inline constexpr EnumNames<Dimension> kDimensionNames{"K", "C", "Y", "X", "R", "S", "Y'", "X'"};
constexpr std::string_view nameOf(Dimension dimension) {
    return kDimensionNames.of(dimension);
}

/// The size or offset of a directive: a number above 0, a named constant, or `Sz(dim)`, the extent of the whole layer.
using Amount = std::variant<std::int64_t, std::string, Dimension>;

enum class DirectiveKind : std::uint8_t { temporal, spatial, cluster };

/// `TemporalMap(size,offset) dim`: one chunk after another; `SpatialMap(size,offset) dim`: chunks side by side on the
/// units of a level; `Cluster(size, P)`: what follows describes the inside of one such unit, made of `size` parts.
struct Directive {
    DirectiveKind kind = DirectiveKind::temporal;
    Amount size = std::int64_t{1};
    Amount offset = std::int64_t{1};     ///< not used by a cluster
    Dimension dimension = Dimension::k;  ///< not used by a cluster

    bool operator==(const Directive&) const = default;
};

/// Loop nest of a layer in time and over processing elements, outermost loop first; the form of MAESTRO's `.m` files.
struct Dataflow {
    std::string name = {};
    /// Constants that the file defines. `ClusterSz`, where it does not, is the cluster size of the array.
    std::map<std::string, std::int64_t> constants = {};
    std::vector<Directive> directives = {};

    bool operator==(const Dataflow&) const = default;
};

/// Limits of the reader; a file above one is refused with a sentence that names it.
inline constexpr std::size_t kLargestDataflowFile = std::size_t{1} << 20;
inline constexpr std::size_t kMaxDirectives = 64;
inline constexpr std::size_t kMaxClusters = 7;  ///< levels of a mapping, less one

/// Reads a MAESTRO mapping: `Constant NAME n` and `Dataflow { TemporalMap(..) .. }`, alone or inside
/// `Network N { Layer L { Type: .. Dimensions { .. } Dataflow { .. } } }`; a bare list of directives is one, too, and
/// closing braces may be left over, as in pieces of such files. `file` names the text in errors and its stem the
/// dataflow. Throws DataError (file, line, column) for what is no mapping, for several different dataflows in one
/// text, and above the limits.
Dataflow readDataflow(std::string_view text, const std::string& file);

/// The text of a mapping file that reads back as an equal dataflow (but for the name, a comment there).
std::string writeDataflow(const Dataflow& dataflow);

/// The ids of the bundled dataflows, as `bundledDataflow` takes them: nvdla, eyeriss, shidiannao, depthwise.
std::vector<std::string> bundledDataflowNames();

/// The dataflow `nvdla` (`dla`), `eyeriss` (`eye`), `shidiannao` (`shi`) or `depthwise` (`dpt`), from
/// `dataflows/ID.m` in the data folders. Throws UsageError for another name, FileError and DataError for its file.
Dataflow bundledDataflow(const std::string& name);

/// True for a file's path: anything with a slash, or that ends in `.m`.
bool isDataflowFile(std::string_view nameOrPath);

/// A file, else a bundled name. Throws as its two ways do.
Dataflow loadDataflow(const std::string& nameOrPath);

enum class LayerKind : std::uint8_t {
    conv,    ///< convolution; a matrix product is one with a 1 x 1 kernel
    dsconv,  ///< depthwise convolution: as many channels made as read, one kernel each; `k` is not used
};

/// One layer as the dataflow model sees it: whole numbers above 0 (padding: 0 and more), in elements of one byte.
/// `published` takes stride 1 without padding, one group and a batch of 1 only.
struct Layer {
    LayerKind kind = LayerKind::conv;
    std::int64_t k = 1;  ///< output channels, of all groups
    std::int64_t c = 1;  ///< input channels, of all groups
    std::int64_t y = 1;  ///< rows of the input map, without padding
    std::int64_t x = 1;  ///< columns of the input map, without padding
    std::int64_t r = 1;  ///< rows of the kernel
    std::int64_t s = 1;  ///< columns of the kernel
    std::int64_t strideY = 1;
    std::int64_t strideX = 1;
    std::int64_t padY = 0;  ///< rows of zeros, above and below together
    std::int64_t padX = 0;  ///< columns of zeros, left and right together
    std::int64_t groups = 1;
    std::int64_t batch = 1;

    bool operator==(const Layer&) const = default;
};

/// Reason why a layer has no cost whatever the dataflow, a sentence; empty where it can.
std::string problemOf(const Layer& layer);

std::int64_t outputRows(const Layer& layer);
std::int64_t outputColumns(const Layer& layer);
/// Multiply-accumulates of the layer, as a double: exact below 2^53.
double trueMacs(const Layer& layer);
/// Elements of each operand, once.
double inputElements(const Layer& layer);
double weightElements(const Layer& layer);
double outputElements(const Layer& layer);

/// A row of an M3E job table: T = 1 convolution and T = 2 depthwise convolution (K,C,Y,X,R,S), T = 3 matrix product
/// (M,N,K: a convolution of M rows with K inputs and N outputs), T = 0 fully connected (outputs, inputs). Empty for
/// another T.
std::optional<Layer> layerOfJob(std::int64_t type, const std::array<std::int64_t, 6>& sizes);

/// A layer of a network: rows per sample of a fully connected layer become rows of the map, as many channels as groups
/// a depthwise convolution. Padding is what the sizes of both maps imply. Empty for joins and embeddings, and for sizes
/// that are not whole.
std::optional<Layer> layerOf(const model::Layer& layer, std::int64_t batch = 1);

/// An array of processing elements with its buffers. Bandwidths in elements (bytes) per cycle.
struct Array {
    std::int64_t pes = 2048;
    std::int64_t clusterSize = 64;  ///< the constant ClusterSz of a mapping: the width of the array
    std::int64_t nocBandwidth = 81'920'000;
    std::int64_t nocHops = 1;
    std::int64_t nocHopLatency = 1;  ///< cycles
    std::int64_t offchipBandwidth = 81'920'000;
    std::int64_t simdLanes = 1;  ///< multiply-accumulates per element and cycle
    /// Sizes of the buffers, for the variant `corrected`. Tensors that fit into the shared one whole stay there. What
    /// the local one of an element does not hold of its chunk is fetched again for every step: from the shared buffer
    /// where that holds the tiles at work, else from off chip. 0 = the tiles at work are taken as if they fitted, and
    /// no more.
    std::int64_t sharedBytes = 0;
    std::int64_t localBytes = 0;

    bool operator==(const Array&) const = default;
};

/// Reason why no layer can run on the array, a sentence; empty where one can.
std::string problemOf(const Array& array);

enum class Variant : std::uint8_t {
    corrected,  ///< the analysis of `published` without its known errors
    published,  ///< MAESTRO as the published MAGMA code uses it, its known errors included
};
inline constexpr EnumNames<Variant> kVariantNames{"corrected", "published"};
constexpr std::string_view nameOf(Variant variant) {
    return kVariantNames.of(variant);
}

/// Costs of a layer on an array under a dataflow. `published` gives what its original prints, which may be negative.
struct LayerCost {
    std::int64_t cycles = 0;
    std::int64_t l1Bytes = 0;  ///< local buffer (SL) of one processing element, doubled to load while computing
    std::int64_t l2Bytes = 0;  ///< shared buffer (SG), doubled
    std::int64_t macs = 0;
    double energy = 0;        ///< J
    double offChipBytes = 0;  ///< of the whole layer: each operand at the number of times it is fetched, outputs
    double utilisation = 0;   ///< macs / (cycles * elements * lanes)
    double throughput = 0;    ///< multiply-accumulates per cycle
    double l2Reads = 0;       ///< elements that leave the shared buffer
    double l2Writes = 0;      ///< elements that the processing elements hand back to it

    bool operator==(const LayerCost&) const = default;
};

/// A cost, or the reason why there is none.
struct Analysis {
    LayerCost cost;
    std::string problem;  ///< a sentence without a full stop; empty where `cost` holds

    bool ok() const { return problem.empty(); }
};

/// The cost of a layer, by counts of equal iterations: the time does not depend on the sizes of the layer. Never throws
/// for a layer, mapping or array that cannot be analysed.
Analysis analyse(const Layer& layer, const Dataflow& dataflow, const Array& array, Variant variant);

/// The dataflow that a job runs under on a core of the given style: depthwise layers always have their own.
const Dataflow& dataflowFor(const Layer& layer, const Dataflow& style, const Dataflow& depthwise);

enum class BandwidthDefinition : std::uint8_t {
    streaming,  ///< off-chip bytes of the layer / cycles: the minimum bandwidth that keeps it compute-bound
    tile,       ///< l2Bytes / 2 / (cycles - 1): the published code's, which counts the first tiles only
};
inline constexpr EnumNames<BandwidthDefinition> kBandwidthDefinitionNames{"streaming", "tile"};
constexpr std::string_view nameOf(BandwidthDefinition definition) {
    return kBandwidthDefinitionNames.of(definition);
}

/// Required bandwidth of a layer in bytes per cycle. Where it takes a single cycle, `tile` (infinite in the published
/// code) divides by 1.
double requiredBandwidth(const LayerCost& cost, BandwidthDefinition definition);

/// Reasons why the two variants differ on a layer, sentences; empty where their cycles, buffers and
/// multiply-accumulates agree.
std::vector<std::string> differences(const Layer& layer, const Dataflow& dataflow, const Array& array);

/// Buffers that a flexible array may fill (MAGMA, section VI-F).
struct BufferLimits {
    std::int64_t l1Bytes = 1024;
    std::int64_t l2Bytes = std::int64_t{2} << 20;
};

/// The shape that an array of reconfigurable width takes for a layer, and the layer's cost there.
struct FlexibleArray {
    Array array;  ///< `clusterSize` is the width chosen
    Analysis analysis;
};

/// The width with the fewest cycles among those aligned to the sizes of the layer (each factor of a dimension that
/// the dataflow spreads over elements, and as many of these as fit beside it), with buffers within the limits (MAGMA,
/// section VI-F). Of equal ones the first: the array's own width, then from narrow to wide.
FlexibleArray flexibleArray(const Layer& layer, const Dataflow& dataflow, const Array& array, Variant variant,
                            const BufferLimits& limits = {});

}  // namespace tessera::cost
