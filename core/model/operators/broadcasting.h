#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "core/model/operators/rule_context.h"

namespace tessera::model {

/// The shape of an element-wise operation over two shapes: numpy's rule. Throws where they do not match.
Shape broadcast(const RuleContext& node, const Shape& a, const Shape& b);
/// Broadcast shape of all inputs.
Shape broadcastInputs(const RuleContext& node);

/// Index, for each element of `to` in order, of the element of `from` that broadcasting puts there. Both shapes are
/// known and match.
std::vector<std::size_t> broadcastIndices(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to);

/// Counts through the positions of a known shape in row-major order, keeping a linear combination of the coordinates:
/// the offset in a tensor whose axes have the given steps.
std::vector<std::size_t> stridedIndices(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& steps,
                                        std::int64_t start = 0);

/// Row-major distances between neighbours along each axis.
std::vector<std::int64_t> stepsOf(const std::vector<std::int64_t>& shape);

}  // namespace tessera::model
