#include "core/model/subgraph.h"

#include <cstddef>
#include <cstdint>

#include "core/base/error.h"

namespace tessera::model {

namespace {

/// The tensors of a part by their place in the whole graph.
class Part {
public:
    Part(const Graph& whole, Graph& part) : whole_(whole), part_(part), places_(whole.tensors.size(), kNoTensor) {}

    bool has(TensorIndex tensor) const { return places_[static_cast<std::size_t>(tensor)] != kNoTensor; }
    TensorIndex add(TensorIndex tensor, bool isMadeHere) {
        if (tensor == kNoTensor) return kNoTensor;
        TensorIndex& place = places_[static_cast<std::size_t>(tensor)];
        if (place != kNoTensor) return place;
        place = static_cast<TensorIndex>(part_.tensors.size());
        Tensor& its = part_.tensors.emplace_back(whole_.tensor(tensor));
        if (!isMadeHere && its.role == TensorRole::activation) its.role = TensorRole::input;
        if (!isMadeHere && its.role == TensorRole::derived) its.role = TensorRole::constant;
        if (its.role == TensorRole::input) part_.inputs.push_back(place);
        return place;
    }

private:
    const Graph& whole_;
    Graph& part_;
    std::vector<TensorIndex> places_;
};

}  // namespace

Graph subgraph(const Graph& graph, const std::vector<bool>& taken, const std::string& name) {
    Graph part;
    part.name = name;
    part.opset = graph.opset;
    part.batch = graph.batch;
    part.notes = graph.notes;
    Part tensors(graph, part);
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
        if (!taken[i]) continue;
        Operator& its = part.operators.emplace_back(graph.operators[i]);
        for (TensorIndex& input : its.inputs) input = tensors.add(input, false);
        for (TensorIndex& output : its.outputs) output = tensors.add(output, true);
    }
    if (part.operators.empty()) throw UsageError("a part of a model without operators");
    std::vector<bool> isRead(graph.tensors.size());
    for (std::size_t i = 0; i < graph.operators.size(); ++i)
        for (const TensorIndex input : graph.operators[i].inputs)
            if (!taken[i] && input != kNoTensor) isRead[static_cast<std::size_t>(input)] = true;
    for (const TensorIndex output : graph.outputs) isRead[static_cast<std::size_t>(output)] = true;
    for (std::size_t i = 0; i < graph.operators.size(); ++i)
        for (const TensorIndex output : graph.operators[i].outputs)
            if (taken[i] && output != kNoTensor && isRead[static_cast<std::size_t>(output)])
                part.outputs.push_back(tensors.add(output, true));
    return part;
}

}  // namespace tessera::model
