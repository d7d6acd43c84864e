#include <algorithm>
#include <cstddef>
#include <string_view>

#include "core/base/number.h"
#include "core/model/counts.h"
#include "core/model/model.h"
#include "core/model/operators/operator_table.h"
#include "core/model/operators/rule_context.h"

namespace tessera::model {

namespace {

bool isActivation(TensorRole role) {
    return role == TensorRole::input || role == TensorRole::activation;
}

bool isRecurrentType(std::string_view type) {
    return type == "LSTM" || type == "GRU" || type == "RNN";
}

/// "Conv/ConvTranspose/Gemm/MatMul with an operand derived only from initializers/constants; LSTM/GRU are included";
/// the integer forms of these as well.
bool isWeighted(const Graph& graph, const Operator& op, const OperatorKind* kind) {
    if (kind == nullptr || kind->macs == nullptr) return false;
    if (isRecurrentType(kind->id)) return true;
    return std::any_of(kind->operands.begin(), kind->operands.end(), [&](std::size_t operand) {
        const bool given = operand < op.inputs.size() && op.inputs[operand] != kNoTensor;
        return given && !isActivation(graph.tensor(op.inputs[operand]).role);
    });
}

std::optional<std::int64_t> elementsOf(const Graph& graph, const std::vector<TensorIndex>& tensors) {
    std::optional<std::int64_t> total = 0;
    for (const TensorIndex tensor : tensors)
        if (tensor != kNoTensor) total = plus(total, elementCount(graph.tensor(tensor).shape));
    return total;
}

/// "Float outputs of the main graph whose data depends on a graph input"; a type that is not known may be a float.
std::optional<std::int64_t> activationElements(const Graph& graph) {
    std::optional<std::int64_t> total = 0;
    for (const Operator& op : graph.operators) {
        if (!op.body.empty()) continue;
        for (const TensorIndex output : op.outputs) {
            if (output == kNoTensor) continue;
            const Tensor& tensor = graph.tensor(output);
            if (tensor.role != TensorRole::activation) continue;
            if (isFloat(tensor.type)) total = plus(total, elementCount(tensor.shape));
            if (tensor.type == DataType::undefined) total = std::nullopt;
        }
    }
    return total;
}

std::optional<std::int64_t> parametersOf(const Graph& graph) {
    std::optional<std::int64_t> total = 0;
    for (const Tensor& tensor : graph.tensors)
        if (tensor.role == TensorRole::parameter) total = plus(total, elementCount(tensor.shape));
    return total;
}

std::vector<Tensor> tensorsOf(const Graph& graph, const std::vector<TensorIndex>& indices) {
    std::vector<Tensor> tensors;
    for (const TensorIndex index : indices) tensors.push_back(graph.tensor(index));
    return tensors;
}

}  // namespace

OperatorCount countOf(const Graph& graph, const Operator& op) {
    OperatorCount count;
    const OperatorKind* const kind = kindOf(op);
    const CountContext context(graph, op);
    count.inputElements = elementsOf(graph, op.inputs);
    count.outputElements = elementsOf(graph, op.outputs);
    count.weighted = isWeighted(graph, op, kind);
    // What an unknown operator computes is not known; by the rules it costs nothing but its tensors.
    count.macs = kind != nullptr && kind->macs != nullptr ? kind->macs(context) : 0;
    count.flopsMatrix = times(2, count.macs);
    count.flopsVector = kind != nullptr ? vectorFlops(*kind, context) : 0;
    return count;
}

std::vector<OperatorCount> operatorCounts(const Graph& graph) {
    std::vector<OperatorCount> counts;
    counts.reserve(graph.operators.size());
    std::vector<bool> counted(graph.tensors.size(), false);
    for (const Operator& op : graph.operators) {
        OperatorCount& count = counts.emplace_back(countOf(graph, op));
        for (const TensorIndex input : op.inputs) {
            if (input == kNoTensor || graph.tensor(input).role != TensorRole::parameter || counted[toIndex(input)])
                continue;
            counted[toIndex(input)] = true;
            count.parameters += elementCount(graph.tensor(input).shape).value_or(0);
        }
    }
    return counts;
}

Summary summarise(const Graph& graph) {
    Summary summary;
    summary.parameters = parametersOf(graph);
    summary.macs = 0;
    summary.flopsMatrix = 0;
    summary.flopsVector = 0;
    for (const Operator& op : graph.operators) {
        const OperatorCount count = countOf(graph, op);
        summary.macs = plus(summary.macs, count.macs);
        summary.flopsMatrix = plus(summary.flopsMatrix, count.flopsMatrix);
        summary.flopsVector = plus(summary.flopsVector, count.flopsVector);
        if (op.body.empty() && op.type != "Constant") ++summary.operators;
        if (count.weighted) ++summary.weightedLayers;
    }
    summary.activationElements = activationElements(graph);
    summary.batch = graph.batch;
    summary.inputs = tensorsOf(graph, graph.inputs);
    summary.outputs = tensorsOf(graph, graph.outputs);
    summary.notes = graph.notes;
    return summary;
}

}  // namespace tessera::model
