#include "core/model/layer_sizes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/model/operators/operator_table.h"
#include "core/model/operators/rule_context.h"

namespace tessera::model {

namespace {

/// How the sizes of a multiplication are read from its operands.
enum class SizeForm : std::uint8_t { convolution, transposedConvolution, gemm, matmul, recurrent, general };

struct NamedForm {
    std::string_view type;
    SizeForm form;
};

constexpr std::array kForms{
    NamedForm{"Conv", SizeForm::convolution},
    NamedForm{"ConvInteger", SizeForm::convolution},
    NamedForm{"QLinearConv", SizeForm::convolution},
    NamedForm{"ConvTranspose", SizeForm::transposedConvolution},
    NamedForm{"Gemm", SizeForm::gemm},
    NamedForm{"MatMul", SizeForm::matmul},
    NamedForm{"MatMulInteger", SizeForm::matmul},
    NamedForm{"QLinearMatMul", SizeForm::matmul},
    NamedForm{"LSTM", SizeForm::recurrent},
    NamedForm{"GRU", SizeForm::recurrent},
    NamedForm{"RNN", SizeForm::recurrent},
};

SizeForm formOf(const Operator& op) {
    const auto* const row = std::find_if(kForms.begin(), kForms.end(), [&](const NamedForm& candidate) {
        return isStandard(op) && candidate.type == op.type;
    });
    return row == kForms.end() ? SizeForm::general : row->form;
}

/// The row of an operator that multiplies and accumulates two operands; nullptr for any other, such as an Einstein sum
/// of one operand or without a sum.
const OperatorKind* multiplicationOf(const Graph& graph, const Operator& op) {
    const OperatorKind* kind = op.opaque.empty() ? kindOf(op) : nullptr;
    if (kind == nullptr || kind->macs == nullptr) return nullptr;
    for (const std::size_t operand : kind->operands)
        if (inputOf(op, operand) == kNoTensor) return nullptr;
    if (formOf(op) == SizeForm::general && kind->macs(CountContext(graph, op)) == 0) return nullptr;
    return kind;
}

using Dimensions = std::vector<std::int64_t>;

double productOf(const Dimensions& dims, std::size_t from, std::size_t to) {
    double product = 1;
    for (std::size_t i = from; i < to; ++i) product *= static_cast<double>(dims[i]);
    return product;
}

double productOf(const Dimensions& dims) {
    return productOf(dims, 0, dims.size());
}

double sizeAt(const Dimensions& dims, std::size_t index) {
    return index < dims.size() ? static_cast<double>(dims[index]) : 1;
}

double ratio(double a, double b) {
    return b == 0 ? 0 : a / b;
}

/// Spatial dimensions from axis 2 on as height and width: L -> L x 1, H W -> H x W, D H W -> DH x W.
Map folded(const Dimensions& dims) {
    const std::size_t rank = dims.size();
    if (rank < 3) return {};
    if (rank == 3) return {.height = sizeAt(dims, 2), .width = 1};
    return {.height = productOf(dims, 2, rank - 1), .width = sizeAt(dims, rank - 1)};
}

/// The same for an activation: what axis 0 holds beyond the batch (frames of a film) is folded into the height.
Map foldedActivation(const Graph& graph, const Dimensions& dims) {
    Map map = folded(dims);
    map.height *= ratio(sizeAt(dims, 0), static_cast<double>(graph.batch));
    return map;
}

Layer convolutionSizes(const Graph& graph, const WeightedOperator& weighted) {
    const Dimensions& x = neededShape(graph, inputOf(*weighted.op, 0));
    const Dimensions& y = neededShape(graph, weighted.op->outputs.front());
    Layer layer;
    layer.kind = LayerKind::conv;
    layer.inChannels = sizeAt(x, 1);
    layer.outChannels = sizeAt(y, 1);
    const bool weightOnTheRight = weighted.data == 0;
    const TensorIndex kernel = inputOf(*weighted.op, weightOnTheRight ? weighted.weight : weighted.data);
    layer.kernel = folded(neededShape(graph, kernel));
    layer.groups = static_cast<double>(attributeOr<std::int64_t>(weighted.op->attributes, "group", 1));
    layer.in = foldedActivation(graph, x);
    layer.out = foldedActivation(graph, y);
    layer.conv = layer.out;
    return layer;
}

/// A transposed convolution multiplies once per pixel of its input: `conv` is the input map, so that D_i D_o k o / g is
/// its count of multiplications; `out` is the larger map that the products are added into.
Layer transposedSizes(const Graph& graph, const WeightedOperator& weighted) {
    Layer layer = convolutionSizes(graph, weighted);
    layer.conv = layer.in;
    return layer;
}

/// Rows that a matrix multiplication makes, as a map of rows x 1.
void setRows(Layer& layer, double rows) {
    layer.in = layer.conv = layer.out = {.height = rows, .width = 1};
}

double outputPerSample(const Graph& graph, const Operator& op) {
    return elementsPerSample(graph, op.outputs.front());
}

Layer gemmSizes(const Graph& graph, const WeightedOperator& weighted) {
    const Operator& op = *weighted.op;
    const Dimensions& weight = neededShape(graph, inputOf(op, weighted.weight));
    const bool left = weighted.weight == 0;
    const bool transposed = attributeOr<std::int64_t>(op.attributes, left ? "transA" : "transB", 0) != 0;
    Layer layer;
    layer.kind = LayerKind::fc;
    layer.inChannels = sizeAt(weight, left == transposed ? 0 : 1);
    layer.outChannels = sizeAt(weight, left == transposed ? 1 : 0);
    setRows(layer, ratio(outputPerSample(graph, op), layer.outChannels));
    return layer;
}

/// A stored operand of rank above 2 is a group per matrix.
Layer matmulSizes(const Graph& graph, const WeightedOperator& weighted) {
    const Operator& op = *weighted.op;
    const Dimensions& weight = neededShape(graph, inputOf(op, weighted.weight));
    const bool left = weighted.weight == 0;
    const std::size_t rank = weight.size();
    Layer layer;
    layer.kind = LayerKind::fc;
    layer.groups = rank > 2 ? productOf(weight, 0, rank - 2) : 1;
    const double last = rank == 0 ? 1 : sizeAt(weight, rank - 1);
    const double lastButOne = rank < 2 ? last : sizeAt(weight, rank - 2);
    if (rank < 2) {
        layer.inChannels = last;
    } else {
        layer.inChannels = layer.groups * (left ? last : lastButOne);
        layer.outChannels = layer.groups * (left ? lastButOne : last);
    }
    setRows(layer, ratio(outputPerSample(graph, op), layer.outChannels));
    return layer;
}

/// Input and state times all gates of all directions at once, one row per time step.
Layer recurrentSizes(const Graph& graph, const WeightedOperator& weighted) {
    const Operator& op = *weighted.op;
    const Dimensions& x = neededShape(graph, inputOf(op, weighted.data));
    const Dimensions& w = neededShape(graph, inputOf(op, 1));
    const Dimensions& r = neededShape(graph, inputOf(op, 2));
    Layer layer;
    layer.kind = LayerKind::fc;
    layer.inChannels = sizeAt(w, 2) + sizeAt(r, 2);
    layer.outChannels = sizeAt(w, 0) * sizeAt(w, 1);
    setRows(layer, ratio(sizeAt(x, 0) * sizeAt(x, 1), static_cast<double>(graph.batch)));
    return layer;
}

/// Multiply-accumulates by the operator's own rule, per sample.
double operatorMacs(const Graph& graph, const Operator& op) {
    const OperatorKind* kind = multiplicationOf(graph, op);
    for (const std::size_t operand : kind->operands) neededShape(graph, inputOf(op, operand));
    neededShape(graph, op.outputs.front());
    const auto macs = kind->macs(CountContext(graph, op));
    return ratio(static_cast<double>(macs.value_or(0)), static_cast<double>(graph.batch));
}

/// Any other multiplication: as many input channels as each output element sums over, and as many output channels as
/// the stored elements then allow.
Layer generalSizes(const Graph& graph, const WeightedOperator& weighted) {
    const Operator& op = *weighted.op;
    const double outputs = outputPerSample(graph, op);
    Layer layer;
    layer.kind = LayerKind::fc;
    layer.inChannels = ratio(operatorMacs(graph, op), outputs);
    layer.outChannels = ratio(productOf(neededShape(graph, inputOf(op, weighted.weight))), layer.inChannels);
    setRows(layer, ratio(outputs, layer.outChannels));
    return layer;
}

/// A matrix product's channels are its heads: everything before the last two axes.
void setHeads(const Graph& graph, Layer& join, const Dimensions& dims) {
    const std::size_t rank = dims.size();
    join.outChannels = ratio(productOf(dims, 0, rank - 2), static_cast<double>(graph.batch));
    join.conv = {.height = sizeAt(dims, rank - 2), .width = sizeAt(dims, rank - 1)};
}

void setChannels(const Graph& graph, Layer& join, const Dimensions& dims, std::size_t axis) {
    join.outChannels = dims.size() < 2 ? 1 : sizeAt(dims, axis);
    join.conv = {.height = ratio(ratio(productOf(dims), static_cast<double>(graph.batch)), join.outChannels),
                 .width = 1};
    if (dims.size() == 4 && axis == 1) join.conv = foldedActivation(graph, dims);
}

/// " --dim seq=N --dim frames=N" for every dimension that a user can still bind.
std::string dimensionsToGive(const Graph& graph) {
    std::string text;
    for (const std::string& name : unboundDimensions(graph)) text += " --dim " + escaped(name) + "=N";
    return text;
}

}  // namespace

bool isStandard(const Operator& op) {
    return op.domain.empty() || op.domain == "ai.onnx";
}

TensorIndex inputOf(const Operator& op, std::size_t index) {
    return index < op.inputs.size() ? op.inputs[index] : kNoTensor;
}

bool isActivation(const Graph& graph, TensorIndex tensor) {
    if (tensor == kNoTensor) return false;
    const TensorRole role = graph.tensor(tensor).role;
    return role == TensorRole::activation || role == TensorRole::input;
}

std::optional<WeightedOperator> weightedOperator(const Graph& graph, const Operator& op) {
    const OperatorKind* kind = multiplicationOf(graph, op);
    if (kind == nullptr) return std::nullopt;
    const auto [left, right] = kind->operands;
    const bool leftVaries = isActivation(graph, inputOf(op, left));
    const bool rightVaries = isActivation(graph, inputOf(op, right));
    if (leftVaries == rightVaries) return std::nullopt;
    return leftVaries ? WeightedOperator{&op, left, right} : WeightedOperator{&op, right, left};
}

bool isProduct(const Graph& graph, const Operator& op) {
    const OperatorKind* kind = multiplicationOf(graph, op);
    return kind != nullptr && isActivation(graph, inputOf(op, kind->operands[0])) &&
           isActivation(graph, inputOf(op, kind->operands[1]));
}

const std::vector<std::int64_t>& neededShape(const Graph& graph, TensorIndex tensor) {
    static const Dimensions kScalar;
    if (tensor == kNoTensor) return kScalar;
    const Tensor& value = graph.tensor(tensor);
    const bool known =
        value.shape && std::find(value.shape->begin(), value.shape->end(), kUnknown) == value.shape->end();
    if (known) return *value.shape;
    const std::string dims = dimensionsToGive(graph);
    throw DataError({.where = "tensor " + inQuotes(value.name)},
                    value.shape ? "shape " + toText(value.shape) : toText(value.shape),
                    dims.empty() ? "a known shape (it depends on data, or on an operator that is not known)"
                                 : "a known shape; give" + dims);
}

double elementsPerSample(const Graph& graph, TensorIndex tensor) {
    return ratio(productOf(neededShape(graph, tensor)), static_cast<double>(graph.batch));
}

Layer sizesOf(const Graph& graph, const WeightedOperator& weighted) {
    switch (formOf(*weighted.op)) {
        case SizeForm::convolution:
            return convolutionSizes(graph, weighted);
        case SizeForm::transposedConvolution:
            return transposedSizes(graph, weighted);
        case SizeForm::gemm:
            return gemmSizes(graph, weighted);
        case SizeForm::matmul:
            return matmulSizes(graph, weighted);
        case SizeForm::recurrent:
            return recurrentSizes(graph, weighted);
        case SizeForm::general:
            break;
    }
    return generalSizes(graph, weighted);
}

Layer embeddingSizes(const Graph& graph, const Operator& op) {
    const Dimensions& table = neededShape(graph, inputOf(op, 0));
    const auto rank = static_cast<std::int64_t>(table.size());
    auto axis = attributeOr<std::int64_t>(op.attributes, "axis", 0);
    if (axis < 0) axis += rank;
    Layer layer;
    layer.kind = LayerKind::embedding;
    layer.inChannels = axis >= 0 && axis < rank ? sizeAt(table, static_cast<std::size_t>(axis)) : 1;
    layer.outChannels = ratio(productOf(table), layer.inChannels);
    setRows(layer, elementsPerSample(graph, inputOf(op, 1)));
    return layer;
}

Layer joinSizes(const Graph& graph, const Operator& op, LayerKind kind, std::size_t channelAxis) {
    const Dimensions& dims = neededShape(graph, op.outputs.front());
    Layer join;
    join.kind = kind;
    if (kind == LayerKind::product && dims.size() > 2 && formOf(op) == SizeForm::matmul)
        setHeads(graph, join, dims);
    else
        setChannels(graph, join, dims, channelAxis);
    join.inChannels = join.outChannels;
    join.in = join.out = join.conv;
    if (kind == LayerKind::product) join.macs = operatorMacs(graph, op);
    return join;
}

std::optional<Map> mapOf(const Graph& graph, TensorIndex tensor, double channels, bool channelsFirst) {
    const Shape& shape = graph.tensor(tensor).shape;
    if (!elementCount(shape) || channels <= 0) return std::nullopt;
    const double elements = elementsPerSample(graph, tensor);
    if (std::fmod(elements, channels) != 0) return std::nullopt;
    const bool spatial = channelsFirst && shape->size() > 3 && sizeAt(*shape, 1) == channels;
    if (spatial) return foldedActivation(graph, *shape);
    return Map{.height = elements / channels, .width = 1};
}

}  // namespace tessera::model
