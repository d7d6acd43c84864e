#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/operators/backward.h"
#include "core/model/operators/broadcasting.h"
#include "core/model/operators/examples.h"
#include "core/model/operators/families.h"
#include "core/model/operators/rule_context.h"

/// Reductions along axes.
namespace tessera::model {

namespace {

/// The axes that are reduced: all where none are given, unless `noop_with_empty_axes`.
std::optional<std::vector<std::size_t>> reducedAxes(const RuleContext& node, std::size_t rank) {
    const RuleContext::IntegerList list = node.list("axes", 1);
    if (list.given && !list.values) return std::nullopt;
    std::vector<std::size_t> axes = node.axes(list, rank);
    if (axes.empty() && node.integer("noop_with_empty_axes", 0) == 0)
        for (std::size_t i = 0; i < rank; ++i) axes.push_back(i);
    return axes;
}

void setReduced(RuleContext& node, const std::vector<std::size_t>& axes, bool keep, DataType type) {
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i < node.rank(0).value_or(0); ++i) {
        const bool isReduced = std::binary_search(axes.begin(), axes.end(), i);
        if (!isReduced)
            result.push_back(node.dim(0, i));
        else if (keep)
            result.push_back(1);
    }
    node.set(0, type, std::move(result));
}

void reduceRule(RuleContext& node) {
    const bool keep = node.integer("keepdims", 1) != 0;
    node.set(0, node.type(0), std::nullopt);
    const auto rank = node.rank(0);
    if (!rank) return;
    if (const auto axes = reducedAxes(node, *rank)) {
        setReduced(node, *axes, keep, node.type(0));
        return;
    }
    // Axes that are not known still leave the rank, where it is kept.
    if (keep) node.set(0, node.type(0), std::vector<std::int64_t>(*rank, kUnknown));
}

void argRule(RuleContext& node) {
    node.set(0, DataType::int64, std::nullopt);
    if (!node.rank(0)) return;
    const std::vector<std::size_t> axis{node.axisAttribute("axis", 0, *node.rank(0))};
    setReduced(node, axis, node.integer("keepdims", 1) != 0, DataType::int64);
}

/// Combines the elements along the reduced axes from `start`.
template <double (*F)(double, double)>
void foldReduce(RuleContext& node) {
    const Elements* const x = node.elements(0);
    const auto axes = node.shape(0) ? reducedAxes(node, node.shape(0)->size()) : std::nullopt;
    if (x == nullptr || !axes || x->empty()) return;
    std::vector<std::int64_t> kept = *node.shape(0);
    for (const std::size_t axis : *axes) kept[axis] = 1;
    const std::vector<std::size_t> target = broadcastIndices(kept, *node.shape(0));
    Elements result(static_cast<std::size_t>(elementCount(kept).value_or(0)));
    std::vector<bool> started(result.size(), false);
    for (std::size_t i = 0; i < x->size(); ++i) {
        double& into = result[target[i]];
        into = started[target[i]] ? F(into, (*x)[i]) : (*x)[i];
        started[target[i]] = true;
    }
    if (isInteger(node.type(0)))
        for (double& element : result)
            if (std::abs(element) > 0x1p53) element = std::nan("");
    node.setElements(0, std::move(result));
}

/// Unknown elements are NaN and stay so in sums and products.
double minKnown(double a, double b) {
    return isKnownElement(a) && isKnownElement(b) ? std::min(a, b) : std::nan("");
}
double maxKnown(double a, double b) {
    return isKnownElement(a) && isKnownElement(b) ? std::max(a, b) : std::nan("");
}

OperatorKind reduction(std::string_view id, std::string_view title, std::string_view cost, std::int64_t perInput,
                       std::int64_t perOutput, std::int64_t flops, const Backward& backward, FoldRule fold = nullptr) {
    return {.id = id,
            .title = title,
            .inputs = {1, 2},
            .shape = reduceRule,
            .backward = backward,
            .fold = fold,
            .cost = cost,
            .flopsPerOutput = perOutput,
            .flopsPerInput = perInput,
            .example = {.inputs = {floats({2, 3, 4})},
                        .attributes = {{"axes", Integers{1}}, {"keepdims", std::int64_t{0}}},
                        .outputs = {floats({2, 4})},
                        .flops = flops}};
}

OperatorKind extreme(std::string_view id, std::string_view title) {
    return {.id = id,
            .title = title,
            .shape = argRule,
            .backward = backward::kNone,
            .cost = "compare, for each input element",
            .flopsPerInput = 1,
            .example = {.inputs = {floats({2, 3, 4})},
                        .attributes = {{"axis", std::int64_t{-1}}},
                        .outputs = {wholes({2, 3, 1})},
                        .flops = 24}};
}

}  // namespace

std::vector<OperatorKind> reductionKinds() {
    return {
        reduction("ReduceSum", "Sum along axes", "add, for each input element", 1, 0, 24,
                  backward::reduces("", 0, Backward::Reads::nothing), foldReduce<sum>),
        reduction("ReduceMean", "Mean along axes", "add, for each input element; divide", 1, 1, 32,
                  backward::reduces("divide", 1, Backward::Reads::nothing)),
        reduction("ReduceMax", "Maximum along axes", "compare, for each input element", 1, 0, 24,
                  backward::reduces("compare, select", 2, Backward::Reads::both), foldReduce<maxKnown>),
        reduction("ReduceMin", "Minimum along axes", "compare, for each input element", 1, 0, 24,
                  backward::reduces("compare, select", 2, Backward::Reads::both), foldReduce<minKnown>),
        reduction("ReduceProd", "Product along axes", "multiply, for each input element", 1, 0, 24,
                  backward::reduces("multiply, divide", 2, Backward::Reads::both), foldReduce<product>),
        reduction("ReduceSumSquare", "Sum of squares along axes", "multiply and add, for each input element", 2, 0, 48,
                  backward::reduces("multiply, multiply", 2, Backward::Reads::input)),
        reduction("ReduceL1", "Sum of absolute values along axes", "absolute value and add, for each input element", 2,
                  0, 48, backward::reduces("compare, select", 2, Backward::Reads::input)),
        reduction("ReduceL2", "Euclidean norm along axes", "multiply and add, for each input element; sqrt", 2, 1, 56,
                  backward::reduces("multiply, divide", 2, Backward::Reads::both)),
        reduction("ReduceLogSum", "Logarithm of the sum along axes", "add, for each input element; log", 1, 1, 32,
                  backward::reduces("exp, divide", 2, Backward::Reads::output)),
        reduction("ReduceLogSumExp", "Logarithm of the sum of exponentials along axes",
                  "exp and add, for each input element; log", 2, 1, 56,
                  backward::reduces("subtract, exp, multiply", 3, Backward::Reads::both)),
        extreme("ArgMax", "Index of the maximum"),
        extreme("ArgMin", "Index of the minimum"),
    };
}

}  // namespace tessera::model
