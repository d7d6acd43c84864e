#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/operators/backward.h"
#include "core/model/operators/broadcasting.h"
#include "core/model/operators/examples.h"
#include "core/model/operators/families.h"
#include "core/model/operators/rule_context.h"

/// Operators that look elements up, write them, sort them, or choose them by their values.
namespace tessera::model {

namespace {

void needIndices(const RuleContext& node, std::size_t input) {
    const DataType type = node.type(input);
    if (type != DataType::undefined && !isInteger(type))
        node.failInput(input, fmt::format("a tensor of {}", nameOf(type)), "integers");
}

// Gather --------------------------------------------------------------------------------------------------------------

void gatherRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    needIndices(node, 1);
    node.needRankAtLeast(0, 1);
    const Shape &data = node.shape(0), &indices = node.shape(1);
    if (!data) return;
    const std::size_t axis = node.axisAttribute("axis", 0, data->size());
    if (!indices) return;
    Dims result(data->begin(), data->begin() + static_cast<std::ptrdiff_t>(axis));
    result.insert(result.end(), indices->begin(), indices->end());
    result.insert(result.end(), data->begin() + static_cast<std::ptrdiff_t>(axis) + 1, data->end());
    node.set(0, node.type(0), std::move(result));
}

void foldGather(RuleContext& node) {
    const Elements *const x = node.elements(0), *const indices = node.elements(1);
    if (x == nullptr || indices == nullptr) return;
    const Dims& data = *node.shape(0);
    const std::size_t axis = node.axisAttribute("axis", 0, data.size());
    const std::int64_t size = data[axis], block = stepsOf(data)[axis];
    if (size == 0 || block == 0) return;
    const auto outer = static_cast<std::int64_t>(x->size()) / (size * block);
    Elements result;
    for (std::int64_t row = 0; row < outer; ++row) {
        for (const double given : *indices) {
            std::int64_t index = isKnownElement(given) ? wholeOf(given) : size;
            if (index < 0 && index >= -size) index += size;
            const bool known = index >= 0 && index < size;
            for (std::int64_t k = 0; k < block; ++k)
                result.push_back(known ? (*x)[static_cast<std::size_t>((row * size + index) * block + k)]
                                       : std::nan(""));
        }
    }
    node.setElements(0, std::move(result));
}

void gatherElementsRule(RuleContext& node) {
    needIndices(node, 1);
    if (const auto rank = node.rank(0)) {
        node.needRank(1, *rank);
        node.axisAttribute("axis", 0, *rank);
    }
    node.set(0, node.type(0), node.shape(1));
}

void gatherNdRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    needIndices(node, 1);
    node.needRankAtLeast(1, 1);
    const Shape &data = node.shape(0), &indices = node.shape(1);
    if (!data || !indices || indices->back() == kUnknown) return;
    const std::int64_t shared = node.integer("batch_dims", 0);
    const auto rank = static_cast<std::int64_t>(data->size());
    if (shared < 0 || shared >= static_cast<std::int64_t>(indices->size()) || shared >= std::max<std::int64_t>(rank, 1))
        node.failAttribute("batch_dims", fmt::format("{}", shared), "less than the rank of data and indices");
    if (indices->back() < 0 || indices->back() > rank - shared)
        node.failInput(1, fmt::format("indices of {} axes", indices->back()), fmt::format("at most {}", rank - shared));
    Dims result(indices->begin(), indices->end() - 1);
    result.insert(result.end(), data->begin() + static_cast<std::ptrdiff_t>(shared + indices->back()), data->end());
    node.set(0, node.type(0), std::move(result));
}

// Scatter -------------------------------------------------------------------------------------------------------------

void scatterRule(RuleContext& node) {
    node.setLike(0, 0);
    needIndices(node, 1);
}

void scatterElementsRule(RuleContext& node) {
    scatterRule(node);
    if (const auto rank = node.rank(0)) {
        node.needRank(1, *rank);
        node.needRank(2, *rank);
        node.axisAttribute("axis", 0, *rank);
    }
}

/// Writes blocks of elements at known places.
void foldScatterNd(RuleContext& node) {
    const Elements *const x = node.elements(0), *const indices = node.elements(1), *const updates = node.elements(2);
    if (x == nullptr || indices == nullptr || !node.shape(1) || node.text("reduction", "none") != "none") return;
    const Dims& data = *node.shape(0);
    const std::int64_t depth = node.shape(1)->empty() ? 0 : node.shape(1)->back();
    if (depth < 1 || depth > static_cast<std::int64_t>(data.size())) return;
    const Dims steps = stepsOf(data);
    const auto axes = static_cast<std::size_t>(depth);
    const auto block = static_cast<std::size_t>(steps[axes - 1]);
    const std::size_t writes = indices->size() / axes;
    if (updates != nullptr && updates->size() != writes * block) return;
    Elements result = *x;
    for (std::size_t i = 0; i < writes; ++i) {
        std::int64_t place = 0;
        for (std::size_t k = 0; k < axes; ++k) {
            const double given = (*indices)[i * axes + k];
            if (!isKnownElement(given)) return;
            std::int64_t index = wholeOf(given);
            if (index < 0) index += data[k];
            if (index < 0 || index >= data[k]) return;
            place += index * steps[k];
        }
        for (std::size_t k = 0; k < block; ++k)
            result[static_cast<std::size_t>(place) + k] = updates == nullptr ? std::nan("") : (*updates)[i * block + k];
    }
    node.setElements(0, std::move(result));
}

std::optional<std::int64_t> scatterFlops(const CountContext& op) {
    const std::string reduction = op.text("reduction");
    return reduction.empty() || reduction == "none" ? 0 : op.inElements(2);
}

// By value ------------------------------------------------------------------------------------------------------------

void oneHotRule(RuleContext& node) {
    node.set(0, node.type(2), std::nullopt);
    const Shape& indices = node.shape(0);
    if (!indices) return;
    const std::size_t rank = indices->size() + 1;
    const std::size_t axis = node.axisAttribute("axis", -1, rank);
    const auto depth = node.scalarOf(1);
    if (depth && wholeOf(*depth) < 1) node.failInput(1, fmt::format("a depth of {}", *depth), "a depth above 0");
    Dims result = *indices;
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(axis), depth ? wholeOf(*depth) : kUnknown);
    node.set(0, node.type(2), std::move(result));
}

void nonZeroRule(RuleContext& node) {
    const auto rank = node.rank(0);
    node.set(0, DataType::int64,
             rank ? Shape(Dims{static_cast<std::int64_t>(std::max<std::size_t>(*rank, 1)), kUnknown}) : Shape());
}

/// How many there are is known where the elements are: exporters write arange(n) so. The one shape that depends on
/// data; counting is limited, as it is not part of the budget of folding.
void nonZeroByElements(RuleContext& node) {
    nonZeroRule(node);
    const Elements* const x = node.elements(0);
    constexpr std::size_t kMaxCounted = 8192;
    if (x == nullptr || x->size() > kMaxCounted || !node.shape(0) || !std::all_of(x->begin(), x->end(), isKnownElement))
        return;
    const auto count = std::count_if(x->begin(), x->end(), [](double element) { return element != 0; });
    (*node.output(0).shape)[1] = count;
}

void foldNonZero(RuleContext& node) {
    const Elements* const x = node.elements(0);
    if (x == nullptr || !node.shape(0)) return;
    const Dims& shape = *node.shape(0);
    const Dims steps = stepsOf(shape);
    Elements result;
    for (std::size_t axis = 0; axis < std::max<std::size_t>(shape.size(), 1); ++axis)
        for (std::size_t i = 0; i < x->size(); ++i) {
            if ((*x)[i] == 0) continue;
            if (!isKnownElement((*x)[i])) return;
            result.push_back(
                shape.empty() ? 0 : static_cast<double>(static_cast<std::int64_t>(i) / steps[axis] % shape[axis]));
        }
    node.setElements(0, std::move(result));
}

void topKRule(RuleContext& node) {
    Shape shape = node.shape(0);
    std::optional<std::int64_t> k;
    if (node.has(1)) {
        if (const auto given = node.scalarOf(1)) k = wholeOf(*given);
    } else if (node.hasAttribute("k")) {
        k = node.integer("k", 0);
    } else {
        node.failAttribute("k", "missing", "a number above 0");
    }
    if (k && *k < 0) node.fail(fmt::format("k of {}", *k), "k of 0 or more");
    if (shape) {
        const std::size_t axis = node.axisAttribute("axis", -1, shape->size());
        const std::int64_t size = (*shape)[axis];
        if (k && size != kUnknown && *k > size)
            node.fail(fmt::format("k of {} for {} elements", *k, size), "k of at most as many");
        (*shape)[axis] = k.value_or(kUnknown);
    }
    node.set(0, node.type(0), shape);
    node.set(1, DataType::int64, std::move(shape));
}

void uniqueRule(RuleContext& node) {
    Shape shape;
    if (!node.hasAttribute("axis")) {
        shape = Dims{kUnknown};
    } else if (const auto rank = node.rank(0)) {
        const std::size_t axis = node.axisAttribute("axis", 0, *rank);
        shape = node.shape(0);
        (*shape)[axis] = kUnknown;
    }
    node.set(0, node.type(0), std::move(shape));
    for (std::size_t i = 1; i < node.outputs(); ++i) node.set(i, DataType::int64, Dims{kUnknown});
}

void compressRule(RuleContext& node) {
    Shape shape;
    if (!node.hasAttribute("axis")) {
        shape = Dims{kUnknown};
    } else if (const auto rank = node.rank(0)) {
        const std::size_t axis = node.axisAttribute("axis", 0, *rank);
        shape = node.shape(0);
        (*shape)[axis] = kUnknown;
    }
    node.set(0, node.type(0), std::move(shape));
}

void suppressionRule(RuleContext& node) {
    node.needRank(0, 3);
    node.needRank(1, 3);
    node.set(0, DataType::int64, Dims{kUnknown, 3});
}

void cumSumRule(RuleContext& node) {
    node.setLike(0, 0);
    const auto axis = node.scalarOf(1);
    if (axis && node.rank(0)) node.axis(wholeOf(*axis), *node.rank(0), "input 2");
}

void foldCumSum(RuleContext& node) {
    const Elements* const x = node.elements(0);
    const auto given = node.scalarOf(1);
    if (x == nullptr || !given) return;
    const Dims& shape = *node.shape(0);
    const std::size_t axis = node.axis(wholeOf(*given), shape.size(), "input 2");
    const std::int64_t step = stepsOf(shape)[axis], size = shape[axis];
    const bool exclusive = node.integer("exclusive", 0) != 0, backwards = node.integer("reverse", 0) != 0;
    Elements result = *x;
    for (std::size_t i = 0; i < x->size(); ++i) {
        const std::int64_t position = static_cast<std::int64_t>(i) / step % size;
        if (position != 0) continue;
        double total = 0;
        for (std::int64_t k = 0; k < size; ++k) {
            const auto place = i + static_cast<std::size_t>((backwards ? size - 1 - k : k) * step);
            const double element = (*x)[place];
            result[place] = exclusive ? total : total + element;
            total += element;
        }
    }
    node.setElements(0, std::move(result));
}

void gridSampleRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    node.needRankAtLeast(0, 3);
    const Shape &x = node.shape(0), &grid = node.shape(1);
    if (!x || !grid) return;
    node.needRank(1, x->size());
    Dims result{(*x)[0], (*x)[1]};
    result.insert(result.end(), grid->begin() + 1, grid->end() - 1);
    node.set(0, node.type(0), std::move(result));
}

void rotaryRule(RuleContext& node) {
    node.setLike(0, 0);
}

// Quantisation --------------------------------------------------------------------------------------------------------

void quantizeRule(RuleContext& node) {
    node.setLike(0, 0);
    const std::int64_t given = node.integer("output_dtype", 0);
    if (given < 0 || given > 22) node.failAttribute("output_dtype", fmt::format("{}", given), "a data type");
    DataType type = given != 0 ? static_cast<DataType>(given) : DataType::uint8;
    if (node.has(2)) type = node.type(2);
    node.set(0, type, node.shape(0));
}

void dequantizeRule(RuleContext& node) {
    node.setLike(0, 0);
    node.set(0, node.type(1) == DataType::undefined ? DataType::float32 : node.type(1), node.shape(0));
}

void dynamicQuantizeRule(RuleContext& node) {
    node.setLike(0, 0);
    node.set(0, DataType::uint8, node.shape(0));
    node.set(1, DataType::float32, Dims{});
    node.set(2, DataType::uint8, Dims{});
}

void quantizedBinaryRule(RuleContext& node) {
    node.set(0, node.type(0), broadcast(node, node.shape(0), node.shape(3)));
}

std::vector<OperatorKind> gatherRows() {
    return {
        {.id = "Gather",
         .title = "Look-up",
         .group = OperatorClass::embedding,
         .inputs = {2, 2},
         .shape = gatherRule,
         .backward = {.rule = backward::lookUp, .cost = "add", .flops = 1},
         .fold = foldGather,
         .example = {.inputs = {floats({3, 2}, {1, 2, 3, 4, 5, 6}), list({2, -3})},
                     .outputs = {floats({2, 2}, {5, 6, 1, 2})}}},
        {.id = "GatherElements",
         .title = "Look-up of elements",
         .group = OperatorClass::embedding,
         .inputs = {2, 2},
         .shape = gatherElementsRule,
         .backward = {.rule = backward::lookUp, .cost = "add", .flops = 1},
         .example = {.inputs = {floats({3, 4}), wholes({2, 4})}, .outputs = {floats({2, 4})}}},
        {.id = "GatherND",
         .title = "Look-up by coordinates",
         .group = OperatorClass::embedding,
         .inputs = {2, 2},
         .shape = gatherNdRule,
         .backward = {.rule = backward::lookUp, .cost = "add", .flops = 1},
         .example = {.inputs = {floats({2, 3, 4}), wholes({5, 2})}, .outputs = {floats({5, 4})}}},
        {.id = "ScatterElements",
         .title = "Writing of elements",
         .group = OperatorClass::memory,
         .inputs = {3, 3},
         .shape = scatterElementsRule,
         .backward = {.rule = backward::scatter},
         .cost = "nothing; with a reduction, once for each update",
         .flops = scatterFlops,
         .example = {.inputs = {floats({3, 4}), wholes({2, 4}), floats({2, 4})},
                     .attributes = {{"reduction", std::string("add")}},
                     .outputs = {floats({3, 4})},
                     .flops = 8}},
        {.id = "Scatter",
         .title = "Writing of elements",
         .group = OperatorClass::memory,
         .inputs = {3, 3},
         .shape = scatterElementsRule,
         .backward = {.rule = backward::scatter},
         .example = {.inputs = {floats({3, 4}), wholes({2, 4}), floats({2, 4})}, .outputs = {floats({3, 4})}}},
        {.id = "ScatterND",
         .title = "Writing by coordinates",
         .group = OperatorClass::memory,
         .inputs = {3, 3},
         .shape = scatterRule,
         .backward = {.rule = backward::scatter},
         .fold = foldScatterNd,
         .cost = "nothing; with a reduction, once for each update",
         .flops = scatterFlops,
         .example = {.inputs = {list({1, 2, 3}),
                                {.type = DataType::int64, .shape = {1, 1}, .elements = std::vector<double>{1}},
                                list({9})},
                     .outputs = {list({1, 9, 3})}}},
    };
}

std::vector<OperatorKind> choosingRows() {
    return {
        {.id = "OneHot",
         .title = "One-hot code",
         .inputs = {3, 3},
         .shape = oneHotRule,
         .backward = backward::kNone,
         .cost = "compare",
         .flopsPerOutput = 1,
         .example = {.inputs = {wholes({2, 3}), whole(4), floats({2})}, .outputs = {floats({2, 3, 4})}, .flops = 24}},
        {.id = "NonZero",
         .title = "Places of elements that are not zero",
         .shape = nonZeroByElements,
         .backward = backward::kNone,
         .fold = foldNonZero,
         .cost = "compare, for each input element",
         .flopsPerInput = 1,
         .example = {.inputs = {list({1, 0, 1})},
                     .outputs = {{.type = DataType::int64, .shape = {1, 2}, .elements = std::vector<double>{0, 2}}},
                     .flops = 3}},
        {.id = "TopK",
         .title = "Largest elements",
         .inputs = {1, 2},
         .outputs = {1, 2},
         .shape = topKRule,
         .backward = {.rule = backward::lookUp, .cost = "add", .flops = 1},
         .cost = "compare, for each input element",
         .flopsPerInput = 1,
         .example = {.inputs = {floats({2, 5}), list({3})}, .outputs = {floats({2, 3}), wholes({2, 3})}, .flops = 10}},
        {.id = "Unique",
         .title = "Distinct elements",
         .outputs = {1, 4},
         .shape = uniqueRule,
         .backward = backward::kNone,
         .cost = "compare, for each input element",
         .flopsPerInput = 1,
         .example = {.inputs = {floats({5})}, .outputs = {floats({kUnknown}), wholes({kUnknown})}, .flops = 5}},
        {.id = "Compress",
         .title = "Selection by flags",
         .group = OperatorClass::memory,
         .inputs = {2, 2},
         .shape = compressRule,
         .backward = {.rule = backward::move},
         .example = {.inputs = {floats({3, 2}), ofType(DataType::boolean, {3})},
                     .attributes = {{"axis", std::int64_t{0}}},
                     .outputs = {floats({kUnknown, 2})}}},
        {.id = "NonMaxSuppression",
         .title = "Suppression of overlapping boxes",
         .inputs = {2, 5},
         .shape = suppressionRule,
         .backward = backward::kNone,
         .cost = "compare, for each coordinate of each box",
         .flopsPerInput = 1,
         .example = {.inputs = {floats({1, 6, 4}), floats({1, 2, 6})},
                     .outputs = {wholes({kUnknown, 3})},
                     .flops = 24}},
        {.id = "CumSum",
         .title = "Running sum",
         .inputs = {2, 2},
         .shape = cumSumRule,
         .backward = backward::ofGradient("add", 1),
         .fold = foldCumSum,
         .cost = "add",
         .flopsPerOutput = 1,
         .example = {.inputs = {list({1, 2, 3}), whole(0)}, .outputs = {list({1, 3, 6})}, .flops = 3}},
        {.id = "GridSample",
         .title = "Sampling at given points",
         .inputs = {2, 2},
         .shape = gridSampleRule,
         .backward = {.rule = backward::sample, .cost = "7 for a bilinear interpolation, add", .flops = 8},
         .cost = "7 for a bilinear interpolation",
         .flopsPerOutput = 7,
         .example = {.inputs = {floats({1, 2, 4, 4}), floats({1, 3, 5, 2})},
                     .outputs = {floats({1, 2, 3, 5})},
                     .flops = 210}},
        {.id = "RotaryEmbedding",
         .title = "Rotary position embedding",
         .domain = "com.microsoft",
         .inputs = {4, 4},
         .shape = rotaryRule,
         .backward = {.rule = backward::rotary, .cost = "multiply, multiply, add", .flops = 3},
         .cost = "multiply, multiply, add",
         .flopsPerOutput = 3,
         .example = {.inputs = {floats({1, 3, 4}), wholes({1, 3}), floats({8, 2}), floats({8, 2})},
                     .outputs = {floats({1, 3, 4})},
                     .flops = 36}},
    };
}

std::vector<OperatorKind> quantisationRows() {
    const ExampleTensor scale = floats({}), zero = ofType(DataType::int8, {});
    std::vector<OperatorKind> rows{
        {.id = "QuantizeLinear",
         .title = "Quantisation",
         .inputs = {2, 3},
         .shape = quantizeRule,
         .backward = backward::kNone,
         .cost = "divide, round, add, limit",
         .flopsPerOutput = 4,
         .example = {.inputs = {floats({2, 3}), scale, zero},
                     .outputs = {ofType(DataType::int8, {2, 3})},
                     .flops = 24}},
        {.id = "DequantizeLinear",
         .title = "Dequantisation",
         .inputs = {2, 3},
         .shape = dequantizeRule,
         .backward = backward::kNone,
         .cost = "subtract, multiply",
         .flopsPerOutput = 2,
         .example = {.inputs = {ofType(DataType::int8, {2, 3}), scale, zero},
                     .outputs = {floats({2, 3})},
                     .flops = 12}},
        {.id = "DynamicQuantizeLinear",
         .title = "Quantisation by its own range",
         .outputs = {1, 3},
         .shape = dynamicQuantizeRule,
         .backward = backward::kNone,
         .cost = "compare, compare, divide, round, add, limit",
         .flopsPerOutput = 6,
         .example = {.inputs = {floats({2, 3})},
                     .outputs = {ofType(DataType::uint8, {2, 3}), floats({}), ofType(DataType::uint8, {})},
                     .flops = 36}},
    };
    for (const auto& [id, title] :
         {std::pair{"QLinearAdd", "Quantised addition"}, std::pair{"QLinearMul", "Quantised multiplication"}})
        rows.push_back({.id = id,
                        .title = title,
                        .domain = "com.microsoft",
                        .inputs = {7, 8},
                        .shape = quantizedBinaryRule,
                        .backward = backward::kNone,
                        .cost = "dequantise both (2 each), combine, quantise (4)",
                        .flopsPerOutput = 9,
                        .example = {.inputs = {ofType(DataType::int8, {2, 3}), scale, zero, ofType(DataType::int8, {3}),
                                               scale, zero, scale, zero},
                                    .outputs = {ofType(DataType::int8, {2, 3})},
                                    .flops = 54}});
    return rows;
}

}  // namespace

std::vector<OperatorKind> indexingKinds() {
    std::vector<OperatorKind> kinds = gatherRows();
    for (auto rows : {choosingRows(), quantisationRows()})
        for (OperatorKind& row : rows) kinds.push_back(std::move(row));
    return kinds;
}

}  // namespace tessera::model
