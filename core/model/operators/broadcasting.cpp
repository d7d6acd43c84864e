#include "core/model/operators/broadcasting.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::model {

namespace {

/// An unknown dimension beside one above 1 must be that or 1; the result is known all the same.
std::int64_t broadcastDimension(const RuleContext& node, std::int64_t a, std::int64_t b, const Shape& left,
                                const Shape& right) {
    if (a == b || b == 1) return a;
    if (a == 1) return b;
    if (a == kUnknown) return b;
    if (b == kUnknown) return a;
    node.fail(fmt::format("shapes {} and {}", toText(left), toText(right)), "shapes that broadcast to one");
}

}  // namespace

Shape broadcast(const RuleContext& node, const Shape& a, const Shape& b) {
    if (!a || !b) return std::nullopt;
    const Shape& longer = a->size() >= b->size() ? a : b;
    const Shape& shorter = a->size() >= b->size() ? b : a;
    std::vector<std::int64_t> result = *longer;
    const std::size_t offset = longer->size() - shorter->size();
    for (std::size_t i = 0; i < shorter->size(); ++i)
        result[offset + i] = broadcastDimension(node, (*longer)[offset + i], (*shorter)[i], a, b);
    return result;
}

Shape broadcastInputs(const RuleContext& node) {
    Shape result = node.shape(0);
    for (std::size_t i = 1; i < node.inputs(); ++i)
        if (node.has(i)) result = broadcast(node, result, node.shape(i));
    return result;
}

std::vector<std::int64_t> stepsOf(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> steps(shape.size(), 1);
    for (std::size_t i = shape.size(); i > 1; --i) steps[i - 2] = steps[i - 1] * shape[i - 1];
    return steps;
}

std::vector<std::size_t> stridedIndices(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& steps,
                                        std::int64_t start) {
    const auto count = elementCount(shape).value_or(0);
    std::vector<std::size_t> indices;
    indices.reserve(static_cast<std::size_t>(count));
    std::vector<std::int64_t> position(shape.size(), 0);
    std::int64_t offset = start;
    for (std::int64_t i = 0; i < count; ++i) {
        indices.push_back(static_cast<std::size_t>(offset));
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            offset += steps[axis];
            if (++position[axis] < shape[axis]) break;
            offset -= steps[axis] * shape[axis];
            position[axis] = 0;
        }
    }
    return indices;
}

std::vector<std::size_t> broadcastIndices(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
    std::vector<std::int64_t> steps(to.size(), 0);
    const std::vector<std::int64_t> own = stepsOf(from);
    const std::size_t offset = to.size() - from.size();
    for (std::size_t i = 0; i < from.size(); ++i) steps[offset + i] = from[i] == 1 ? 0 : own[i];
    return stridedIndices(to, steps);
}

}  // namespace tessera::model
