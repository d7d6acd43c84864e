#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/graph.h"

namespace tessera::model {

/// The counts of one operator by the rules of "Counting rules" (model.md). Empty where a shape that a count needs is
/// unknown, or where the count is beyond 2^63.
struct OperatorCount {
    std::optional<std::int64_t> macs;         ///< multiply-accumulates, no bias
    std::optional<std::int64_t> flopsMatrix;  ///< 2 * macs
    std::optional<std::int64_t> flopsVector;  ///< per-element cost of everything else; see OperatorKind::cost
    /// Elements of stored trained tensors that it reads. A tensor that several operators read counts at the first.
    std::int64_t parameters = 0;
    std::optional<std::int64_t> inputElements;   ///< of all inputs, stored ones included
    std::optional<std::int64_t> outputElements;  ///< of all outputs
    bool weighted = false;  ///< a multiplication with an operand that no input of the graph goes into, or recurrent
};

/// Counts of one operator, but for its parameters, which depend on those before it.
OperatorCount countOf(const Graph& graph, const Operator& op);
/// Counts of all operators, in the graph's order.
std::vector<OperatorCount> operatorCounts(const Graph& graph);

/// Adds `part` to `sum`, which is empty from then on where `part` is unknown.
template <class Part>
void accumulate(std::optional<double>& sum, const std::optional<Part>& part) {
    sum = sum && part ? std::optional(*sum + static_cast<double>(*part)) : std::nullopt;
}

}  // namespace tessera::model
