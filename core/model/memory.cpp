#include "core/model/memory.h"

#include <cstddef>

#include "core/model/counts.h"
#include "core/model/training.h"

namespace tessera::model {

namespace {

std::optional<double> inputBytes(const Graph& graph) {
    std::optional<double> bytes = 0.0;
    for (const TensorIndex input : graph.inputs) accumulate(bytes, bytesOf(graph.tensor(input)));
    return bytes;
}

std::optional<double> constantBytes(const Graph& graph) {
    std::optional<double> bytes = 0.0;
    for (const Tensor& tensor : graph.tensors)
        if (tensor.role == TensorRole::statistic || tensor.role == TensorRole::constant)
            accumulate(bytes, bytesOf(tensor));
    return bytes;
}

}  // namespace

std::vector<MemoryPart> trainingMemory(const Model& model, const NodeTotals& whole) {
    std::optional<double> moments;
    if (whole.parameters) moments = stateBytesPerParameter(Optimizer::adam) * *whole.parameters;
    std::vector<MemoryPart> parts{{MemoryUse::weights, whole.parameterBytes},
                                  {MemoryUse::gradients, whole.parameterBytes},
                                  {MemoryUse::optimizer, moments},
                                  {MemoryUse::activations, whole.activationBytes}};
    if (const Graph* graph = model.graph()) {
        parts.back().bytes = countTraining(trainingOf(*graph)).storedBytes;
        parts.push_back({MemoryUse::inputs, inputBytes(*graph)});
        parts.push_back({MemoryUse::constants, constantBytes(*graph)});
    }
    return parts;
}

}  // namespace tessera::model
