#include "core/partition/physical_layers.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/number.h"
#include "core/base/repeated.h"
#include "core/model/training.h"

namespace tessera::partition {

namespace {

using physical::NetworkFamily;
using physical::NetworkOperator;

/// Kernels of one layer.
using Kernels = std::vector<LayerKernel>;

/// Bytes that kernels have in common only where they are the same to the last bit.
std::string keyOf(const Kernels& kernels) {
    std::string key;
    for (const LayerKernel& kernel : kernels) {
        const NetworkOperator& op = kernel.op;
        for (const physical::SampledSize& size : {op.batch, op.m, op.n, op.k, op.values, op.again}) {
            appendBytes(key, size.fixed);
            appendBytes(key, size.each);
        }
        for (const double number : {op.count, op.steps, op.table}) appendBytes(key, number);
        for (const bool flag : {op.backward, op.windowed, kernel.isProductOfLayer}) appendBytes(key, flag);
        for (const Extent extent : {kernel.batch, kernel.m, kernel.n, kernel.k}) appendBytes(key, extent);
        appendBytes(key, op.family);
    }
    return key;
}

/// Gives layers their kernels, equal ones the same.
class KernelPool {
public:
    void give(Kernels kernels, PhysicalLayer& layer) {
        layer.kernels = pool_.shared(keyOf(kernels), [&] { return std::move(kernels); });
    }

private:
    SharedPool<Shared<Kernels>> pool_;
};

PhysicalLayer sizesOfLayer(const model::Layer& layer, double batch, double bytesPerElement) {
    PhysicalLayer sizes;
    sizes.isJoin = model::isJoin(layer.kind);
    sizes.isConvolution = layer.kind == model::LayerKind::conv;
    sizes.isEmbedding = layer.kind == model::LayerKind::embedding;
    sizes.isWeighted = !sizes.isJoin && !sizes.isEmbedding && layer.groups <= 1;
    sizes.cutsRows = layer.kind == model::LayerKind::fc || layer.kind == model::LayerKind::add ||
                     layer.kind == model::LayerKind::concat || sizes.isEmbedding;
    sizes.rows = batch * (sizes.cutsRows ? std::max(layer.out.area(), 1.0) : 1);
    sizes.in = sizes.isWeighted ? layer.inChannels : 1;
    sizes.out = layer.groups > 1 ? layer.groups : layer.outChannels;
    sizes.inElements = batch * model::inElements(layer);
    sizes.outElements = batch * model::outElements(layer);
    sizes.weights = sizes.isJoin ? 0 : model::weightElements(layer);
    sizes.parameters = sizes.updated = layer.parameters;
    sizes.stored = batch * (layer.stored.value_or(layer.activations) + layer.storedOtherBytes / bytesPerElement);
    return sizes;
}

// Of a training graph
// --------------------------------------------------------------------------------------------------

/// The layer of every operator of a training graph: the one that covers it in the forward pass, else that of the first
/// of its inputs that has one; what stands before all layers belongs to the first.
std::vector<std::int32_t> layersOfOperators(const model::LayerGraph& layers, const model::TrainingGraph& training) {
    std::unordered_map<std::string_view, std::int32_t> covering;
    for (std::size_t l = 0; l < layers.layers.size(); ++l)
        for (const std::string& name : layers.layers[l].operators) covering.emplace(name, signedIndex(l));
    const model::Graph& graph = training.graph;
    std::vector<std::int32_t> layerOf(graph.operators.size(), -1), made(graph.tensors.size(), -1);
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
        const model::Operator& op = graph.operators[i];
        std::int32_t& layer = layerOf[i];
        if (const auto found = covering.find(op.name); i < toIndex(training.backward) && found != covering.end())
            layer = found->second;
        if (const std::int32_t source = training.sources[i]; layer < 0 && source >= 0 && toIndex(source) < i)
            layer = layerOf[toIndex(source)];
        for (const model::TensorIndex input : op.inputs)
            if (layer < 0 && input != model::kNoTensor) layer = made[toIndex(input)];
        for (const model::TensorIndex output : op.outputs)
            if (output != model::kNoTensor) made[toIndex(output)] = layer;
    }
    for (std::int32_t& layer : layerOf) layer = std::max(layer, 0);
    return layerOf;
}

bool isAbout(double one, double other) {
    return std::fabs(one - other) <= 1e-6 * std::max(one, other);
}

/// What the extents of a layer's product are. Forward: rows x outputs over inputs; gradient of the data: rows x inputs
/// over outputs; of the weights: inputs x outputs over rows.
void setExtents(LayerKernel& kernel, const PhysicalLayer& layer, bool isWeightGradient) {
    kernel.isProductOfLayer = true;
    if (!layer.isWeighted) kernel.batch = Extent::out;  // the groups
    if (isWeightGradient) {
        const bool outFirst = isAbout(kernel.op.m.fixed, layer.out) && !isAbout(kernel.op.n.fixed, layer.out);
        kernel.m = outFirst ? Extent::out : Extent::in;
        kernel.n = outFirst ? Extent::in : Extent::out;
        kernel.k = Extent::rows;
    } else {
        kernel.m = Extent::rows;
        kernel.n = kernel.op.backward ? Extent::in : Extent::out;
        kernel.k = kernel.op.backward ? Extent::out : Extent::in;
    }
    if (layer.isWeighted) return;
    for (Extent* extent : {&kernel.m, &kernel.n, &kernel.k})
        if (*extent != Extent::rows) *extent = Extent::whole;
}

bool isWeightGradient(const LayerKernel& kernel, const PhysicalLayer& layer, const model::Operator& op) {
    if (!kernel.op.backward) return false;
    if (kernel.op.family == NetworkFamily::convolution || kernel.op.family == NetworkFamily::groupedConvolution)
        return op.type == "ConvolutionWeightGradient";
    return isAbout(kernel.op.batch.fixed * kernel.op.m.fixed * kernel.op.n.fixed, layer.weights);
}

LayerKernel layerKernel(const NetworkOperator& sizes, const PhysicalLayer& layer, const model::Operator& first) {
    LayerKernel kernel{.op = sizes};
    switch (kernel.op.family) {
        case NetworkFamily::convolution:
        case NetworkFamily::groupedConvolution:
        case NetworkFamily::product:
        case NetworkFamily::recurrent:
            if (layer.isJoin || layer.isEmbedding)
                (kernel.op.batch.fixed > 1 ? kernel.batch : kernel.m) = Extent::rowsAndOut;
            else
                setExtents(kernel, layer, isWeightGradient(kernel, layer, first));
            break;
        case NetworkFamily::memory:
        case NetworkFamily::lookUp:
            break;
    }
    return kernel;
}

/// An operator at a number of samples: all sizes are `fixed`.
NetworkOperator sizedAt(NetworkOperator op, double samples) {
    for (physical::SampledSize NetworkOperator::*size :
         {&NetworkOperator::batch, &NetworkOperator::m, &NetworkOperator::n, &NetworkOperator::k,
          &NetworkOperator::values, &NetworkOperator::again})
        op.*size = {(op.*size).at(samples)};
    op.count = 1;
    return op;
}

/// Calls `each` with the first operator of every kernel of a step, and the kernel's sizes.
template <typename Each>
void forEachKernel(const physical::NetworkKernels& kernels, double samples, const Each& each) {
    for (std::size_t i = 0; i < kernels.kernelOf.size(); ++i)
        if (kernels.leads[i] && kernels.kernelOf[i] >= 0)
            each(i, sizedAt(kernels.folded[toIndex(kernels.kernelOf[i])], samples));
}

void addKernel(Kernels& kernels, const LayerKernel& kernel) {
    const auto same = std::find_if(kernels.begin(), kernels.end(), [&](const LayerKernel& known) {
        LayerKernel counted = kernel;
        counted.op.count = known.op.count;
        return known == counted;
    });
    if (same == kernels.end())
        kernels.push_back(kernel);
    else
        same->op.count += kernel.op.count;
}

void addGraphKernels(std::vector<PhysicalLayer>& made, const model::LayerGraph& layers, const model::Graph& graph,
                     double batch, bool joined) {
    const model::TrainingGraph training = model::trainingOf(graph);
    const physical::NetworkWork work = physical::networkWorkOf(training);
    const std::vector<std::int32_t> layerOf = layersOfOperators(layers, training);
    std::vector<Kernels> kernels(made.size());
    forEachKernel(joined ? work.joined : work.alone, batch, [&](std::size_t op, const NetworkOperator& sizes) {
        const std::size_t layer = toIndex(layerOf[op]);
        addKernel(kernels[layer], layerKernel(sizes, made[layer], training.graph.operators[op]));
    });
    KernelPool pool;
    for (std::size_t l = 0; l < made.size(); ++l) pool.give(std::move(kernels[l]), made[l]);
    // Of a table only the rows that were looked up have a gradient.
    forEachKernel(work.alone, batch, [&](std::size_t op, const NetworkOperator& sizes) {
        if (!(sizes.table > 0)) return;
        PhysicalLayer& layer = made[toIndex(layerOf[op])];
        layer.updated = std::max(0.0, layer.updated - sizes.table);
        layer.table += sizes.table;
        layer.looked += std::max(sizes.values.fixed, 0.0) / 3;
    });
    double known = 0;
    for (const PhysicalLayer& layer : made) known += layer.parameters;
    // What no layer counts, such as positions added in front of all of them.
    const double left = std::max(work.parameters - known, 0.0);
    made.front().parameters += left;
    made.front().updated += left;
}

// Of a table of layers
// -------------------------------------------------------------------------------------------------

LayerKernel tableKernel(NetworkFamily family, bool backward, double values) {
    return {.op = {.family = family, .backward = backward, .values = {values}}};
}

void addProducts(Kernels& kernels, const PhysicalLayer& made, const model::Layer& layer, double batch) {
    const double rows = batch * layer.conv.area(), groups = std::max(layer.groups, 1.0);
    const double in = layer.inChannels / groups * layer.kernel.area(), out = layer.outChannels / groups;
    const NetworkFamily family = !made.isConvolution ? NetworkFamily::product
                                 : groups > 1        ? NetworkFamily::groupedConvolution
                                                     : NetworkFamily::convolution;
    for (int pass = 0; pass < 3; ++pass) {
        LayerKernel kernel = tableKernel(family, pass > 0, made.inElements + made.outElements + made.weights);
        kernel.op.batch = {groups};
        kernel.op.m = {pass == 2 ? in : rows};
        kernel.op.n = {pass == 1 ? in : out};
        kernel.op.k = {pass == 0 ? in : pass == 1 ? out : rows};
        setExtents(kernel, made, pass == 2);
        kernels.push_back(kernel);
    }
}

Kernels tableKernels(PhysicalLayer& made, const model::Layer& layer, double batch) {
    Kernels kernels;
    if (made.isEmbedding) {
        kernels.push_back(tableKernel(NetworkFamily::lookUp, false, 2 * made.outElements));
        LayerKernel gradient = tableKernel(NetworkFamily::lookUp, true, 3 * made.outElements);
        gradient.op.table = made.weights;
        kernels.push_back(gradient);
        made.updated = std::max(0.0, made.updated - made.weights);
        made.table = made.weights;
        made.looked = made.outElements;
        return kernels;
    }
    if (layer.kind == model::LayerKind::product && made.outElements > 0) {
        const double inner = layer.macs * batch / made.outElements;
        for (int pass = 0; pass < 3; ++pass) {
            LayerKernel kernel = tableKernel(NetworkFamily::product, pass > 0, 2 * made.outElements);
            kernel.op.batch = {batch * std::max(layer.outChannels, 1.0)};
            kernel.op.m = {layer.out.height};
            kernel.op.n = {layer.out.width};
            kernel.op.k = {inner};
            kernel.batch = Extent::rowsAndOut;
            kernels.push_back(kernel);
        }
        return kernels;
    }
    if (!made.isJoin) addProducts(kernels, made, layer, batch);
    // Functions, normalisations and additions: a map read and one written.
    const double moved = 2 * batch * std::max(layer.activations, model::outElements(layer));
    kernels.push_back(tableKernel(NetworkFamily::memory, false, moved));
    kernels.push_back(tableKernel(NetworkFamily::memory, true, 1.5 * moved));
    return kernels;
}

}  // namespace

bool LayerKernel::operator==(const LayerKernel& other) const {
    return op.isAlike(other.op) && op.count == other.op.count && op.table == other.op.table &&
           std::tie(batch, m, n, k, isProductOfLayer) ==
               std::tie(other.batch, other.m, other.n, other.k, other.isProductOfLayer);
}

double PhysicalLayer::updatedBy(double share) const {
    return updated + std::min(table, looked * share);
}

bool PhysicalLayer::isAlike(const PhysicalLayer& other) const {
    return std::tie(isWeighted, cutsRows, isConvolution, isEmbedding, isJoin, rows, in, out, inElements, outElements,
                    weights, parameters, updated, table, looked, stored) ==
               std::tie(other.isWeighted, other.cutsRows, other.isConvolution, other.isEmbedding, other.isJoin,
                        other.rows, other.in, other.out, other.inElements, other.outElements, other.weights,
                        other.parameters, other.updated, other.table, other.looked, other.stored) &&
           kernels == other.kernels;
}

std::vector<PhysicalLayer> physicalLayersOf(const model::LayerGraph& layers, const model::Graph* graph, double batch,
                                            double bytesPerElement, bool joined) {
    std::vector<PhysicalLayer> made;
    made.reserve(layers.layers.size());
    for (const model::Layer& layer : layers.layers) made.push_back(sizesOfLayer(layer, batch, bytesPerElement));
    // Fused attention does not keep the scores, a product that another one reads.
    const auto isProduct = [&](std::int32_t layer) {
        return layers.layers[toIndex(layer)].kind == model::LayerKind::product;
    };
    for (const model::LayerEdge& edge : layers.edges)
        if (isProduct(edge.from) && isProduct(edge.to)) made[toIndex(edge.from)].stored = 0;
    if (graph != nullptr) addGraphKernels(made, layers, *graph, batch, joined);
    KernelPool pool;
    for (std::size_t l = 0; graph == nullptr && l < made.size(); ++l)
        pool.give(tableKernels(made[l], layers.layers[l], batch), made[l]);
    return made;
}

}  // namespace tessera::partition
