#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/graph.h"
#include "core/model/layers.h"

namespace tessera::model {

/// An operator that multiplies with stored values, by the places of its operands.
struct WeightedOperator {
    const Operator* op = nullptr;
    std::size_t data = 0;    ///< input that holds the activation
    std::size_t weight = 1;  ///< input that holds the stored values
};

/// True where the operator belongs to the standard ONNX domain.
bool isStandard(const Operator& op);

/// The tensor of input `index`, or kNoTensor where it is left out.
TensorIndex inputOf(const Operator& op, std::size_t index);

/// True for a value given at run time or computed from one; false for stored and derived values.
bool isActivation(const Graph& graph, TensorIndex tensor);

/// The operator as a weighted layer (convolution, matrix multiplication or recurrent, integer variants included) with
/// exactly one of its two main operands stored; empty for every other operator.
std::optional<WeightedOperator> weightedOperator(const Graph& graph, const Operator& op);

/// True for a multiplication (see weightedOperator) whose main operands are both activations.
bool isProduct(const Graph& graph, const Operator& op);

/// The dimensions of a tensor whose shape is needed. Throws DataError naming the tensor and the dimensions to bind,
/// where one is unknown; a graph knows no file, which `layerGraph` adds.
const std::vector<std::int64_t>& neededShape(const Graph& graph, TensorIndex tensor);

/// Elements of a tensor per sample of the graph's batch; throws as neededShape.
double elementsPerSample(const Graph& graph, TensorIndex tensor);

/// Sizes of a weighted layer, per sample; `out` is the operator's own output map. Throws as neededShape.
Layer sizesOf(const Graph& graph, const WeightedOperator& weighted);

/// Sizes of a table look-up (Gather from a stored table). Throws as neededShape.
Layer embeddingSizes(const Graph& graph, const Operator& op);

/// Sizes of a join; `channelAxis` is the axis of its output that holds channels (a product of activations takes its
/// heads, everything before the last two axes, instead). Throws as neededShape.
Layer joinSizes(const Graph& graph, const Operator& op, LayerKind kind, std::size_t channelAxis);

/// The map that `tensor` holds per sample when it is handed on by a layer with `channels` output channels: height x
/// width for a rank of 4 with channels first, else area x 1. Empty where the elements do not divide into channels.
std::optional<Map> mapOf(const Graph& graph, TensorIndex tensor, double channels, bool channelsFirst);

}  // namespace tessera::model
