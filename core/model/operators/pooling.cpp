#include <fmt/format.h>

#include <utility>

#include "core/model/operators/backward.h"
#include "core/model/operators/examples.h"
#include "core/model/operators/families.h"
#include "core/model/operators/kernel_window.h"

/// Pooling: windows or whole maps become one element per channel.
namespace tessera::model {

namespace {

Shape pooled(const RuleContext& node) {
    const auto kernel = kernelShape(node);
    if (!kernel) node.failAttribute("kernel_shape", "missing", "the size of the window");
    if (kernel->empty()) node.failAttribute("kernel_shape", "an empty list", "one number per spatial axis");
    node.needRank(0, kernel->size() + 2);
    const KernelWindow window = kernelWindow(node, *kernel);
    for (std::size_t i = 0; i < kernel->size(); ++i)
        if (window.before[i] >= reach(node, window, i) || window.after[i] >= reach(node, window, i))
            node.failAttribute("pads", fmt::format("padding as wide as the window of {}", reach(node, window, i)),
                               "padding narrower than the window");
    std::vector<std::int64_t> result{node.dim(0, 0), node.dim(0, 1)};
    for (std::size_t i = 0; i < kernel->size(); ++i) result.push_back(slide(node, window, i, node.dim(0, i + 2)));
    return result;
}

void poolRule(RuleContext& node) {
    node.setLike(0, 0);
    const Shape shape = pooled(node);
    node.set(0, node.type(0), shape);
    node.set(1, DataType::int64, shape);
}

void globalRule(RuleContext& node) {
    node.setLike(0, 0);
    node.needRankAtLeast(0, 2);
    Shape shape = node.shape(0);
    if (shape)
        for (std::size_t i = 2; i < shape->size(); ++i) (*shape)[i] = 1;
    node.set(0, node.type(0), std::move(shape));
}

/// Regions of interest: one map of fixed size per region.
void regionRule(RuleContext& node, std::int64_t height, std::int64_t width, std::size_t regionInput) {
    node.needRank(0, 4);
    node.needRank(1, 2);
    if (height < 1 || width < 1) node.fail(fmt::format("maps of {}x{}", height, width), "maps of at least 1x1");
    node.set(0, node.type(0), std::vector<std::int64_t>{node.dim(regionInput, 0), node.dim(0, 1), height, width});
}

void roiAlignRule(RuleContext& node) {
    regionRule(node, node.integer("output_height", 1), node.integer("output_width", 1), 1);
}

void maxRoiPoolRule(RuleContext& node) {
    const auto size = node.integers("pooled_shape");
    if (!size || size->size() != 2)
        node.failAttribute("pooled_shape", size ? fmt::format("a list of {}", size->size()) : "missing", "a list of 2");
    regionRule(node, (*size)[0], (*size)[1], 1);
}

void unpoolRule(RuleContext& node) {
    const auto kernel = kernelShape(node);
    if (!kernel) node.failAttribute("kernel_shape", "missing", "the size of the window");
    if (node.has(2)) {
        const auto size = node.integersOf(2);
        node.set(0, node.type(0), size ? Shape(*size) : Shape());
        return;
    }
    node.needRank(0, kernel->size() + 2);
    const KernelWindow window = kernelWindow(node, *kernel);
    std::vector<std::int64_t> result{node.dim(0, 0), node.dim(0, 1)};
    for (std::size_t i = 0; i < kernel->size(); ++i) {
        const std::int64_t size = node.dim(0, i + 2);
        if (size == kUnknown) {
            result.push_back(kUnknown);
            continue;
        }
        const std::int64_t spread = node.plus(node.times(size - 1, window.strides[i]), window.kernel[i]);
        result.push_back(spread - window.before[i] - window.after[i]);
        if (result.back() < 1) node.failAttribute("pads", "padding as large as the map", "less padding");
    }
    node.set(0, node.type(0), std::move(result));
}

/// Each output element takes every element of its window once.
std::optional<std::int64_t> windowFlops(const CountContext& op) {
    std::optional<std::int64_t> count = op.outElements(0);
    const auto kernel = op.integers("kernel_shape");
    if (kernel)
        for (const std::int64_t size : *kernel) count = times(count, size);
    return count;
}

std::optional<std::int64_t> lpWindowFlops(const CountContext& op) {
    return plus(times(2, windowFlops(op)), op.outElements(0));
}

/// Four reads, each weighted (7 operations of a bilinear interpolation), and an addition, for each sample of a bin.
std::optional<std::int64_t> roiAlignFlops(const CountContext& op) {
    const std::int64_t ratio = op.integer("sampling_ratio", 0);
    if (ratio <= 0) return times(8, op.outElements(0));
    return times(times(8, times(ratio, ratio)), op.outElements(0));
}

Attributes window3() {
    return {{"kernel_shape", Integers{3, 3}}, {"strides", Integers{2, 2}}, {"pads", Integers{1, 1, 1, 1}}};
}

OperatorKind global(std::string_view id, std::string_view title, std::string_view cost, std::int64_t perInput,
                    std::int64_t flops, const Backward& backward) {
    return {.id = id,
            .title = title,
            .shape = globalRule,
            .backward = backward,
            .cost = cost,
            .flopsPerInput = perInput,
            .example = {.inputs = {floats({1, 2, 5, 5})}, .outputs = {floats({1, 2, 1, 1})}, .flops = flops}};
}

}  // namespace

std::vector<OperatorKind> poolingKinds() {
    return {
        {.id = "MaxPool",
         .title = "Max pooling",
         .outputs = {1, 2},
         .shape = poolRule,
         .backward = backward::pools("compare, for each element of the window", 1, Backward::Reads::both),
         .cost = "compare, for each element of the window",
         .flops = windowFlops,
         .example = {.inputs = {floats({1, 2, 7, 7})},
                     .attributes = window3(),
                     .outputs = {floats({1, 2, 4, 4}), wholes({1, 2, 4, 4})},
                     .flops = 288}},
        {.id = "AveragePool",
         .title = "Average pooling",
         .shape = poolRule,
         .backward = backward::pools("add, for each element of the window", 1, Backward::Reads::nothing),
         .cost = "add, for each element of the window",
         .flops = windowFlops,
         .example = {.inputs = {floats({1, 2, 6, 6})},
                     .attributes = {{"kernel_shape", Integers{3, 3}},
                                    {"strides", Integers{2, 2}},
                                    {"ceil_mode", std::int64_t{1}}},
                     .outputs = {floats({1, 2, 3, 3})},
                     .flops = 162}},
        {.id = "LpPool",
         .title = "Pooling by a norm",
         .shape = poolRule,
         .backward = backward::pools("power, multiply, add, for each element of the window", 3, Backward::Reads::both),
         .cost = "power and add, for each element of the window; root",
         .flops = lpWindowFlops,
         .example = {.inputs = {floats({1, 1, 4, 4})},
                     .attributes = {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}},
                     .outputs = {floats({1, 1, 2, 2})},
                     .flops = 36}},
        global("GlobalAveragePool", "Mean of each map", "add, for each input element", 1, 50,
               backward::pools("add, for each element of the window", 1, Backward::Reads::nothing)),
        global("GlobalMaxPool", "Maximum of each map", "compare, for each input element", 1, 50,
               backward::pools("compare, for each element of the window", 1, Backward::Reads::both)),
        global("GlobalLpPool", "Norm of each map", "power and add, for each input element", 2, 100,
               backward::pools("power, multiply, add, for each element of the window", 3, Backward::Reads::both)),
        {.id = "MaxUnpool",
         .title = "Inverse of max pooling",
         .group = OperatorClass::memory,
         .inputs = {2, 3},
         .shape = unpoolRule,
         .backward = {.rule = backward::move},
         .example = {.inputs = {floats({1, 1, 2, 2}), wholes({1, 1, 2, 2})},
                     .attributes = {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}},
                     .outputs = {floats({1, 1, 4, 4})}}},
        {.id = "RoiAlign",
         .title = "Pooling of regions by interpolation",
         .inputs = {3, 3},
         .shape = roiAlignRule,
         .backward = {.rule = backward::regions, .cost = "as the forward pass"},
         .cost = "7 for a bilinear interpolation and add, for each sample of a bin",
         .flops = roiAlignFlops,
         .example = {.inputs = {floats({1, 2, 8, 8}), floats({3, 4}), wholes({3})},
                     .attributes = {{"output_height", std::int64_t{2}},
                                    {"output_width", std::int64_t{2}},
                                    {"sampling_ratio", std::int64_t{2}}},
                     .outputs = {floats({3, 2, 2, 2})},
                     .flops = 768}},
        {.id = "MaxRoiPool",
         .title = "Max pooling of regions",
         .inputs = {2, 2},
         .shape = maxRoiPoolRule,
         .backward = {.rule = backward::regions, .cost = "as the forward pass", .reads = Backward::Reads::input},
         .cost = "compare, once per output (the regions' sizes depend on data)",
         .flopsPerOutput = 1,
         .example = {.inputs = {floats({1, 2, 8, 8}), floats({3, 5})},
                     .attributes = {{"pooled_shape", Integers{2, 2}}},
                     .outputs = {floats({3, 2, 2, 2})},
                     .flops = 24}},
    };
}

}  // namespace tessera::model
