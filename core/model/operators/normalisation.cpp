#include <fmt/format.h>

#include <utility>

#include "core/model/operators/backward.h"
#include "core/model/operators/examples.h"
#include "core/model/operators/families.h"
#include "core/model/operators/rule_context.h"

/// Normalisations and softmax: the shape stays, elements depend on many of the same tensor.
namespace tessera::model {

namespace {

/// Throws where a known size differs from that of the channels.
void checkSize(const RuleContext& node, std::size_t input, std::int64_t expected) {
    if (!node.has(input)) return;
    node.needRank(input, 1);
    const std::int64_t found = node.dim(input, 0);
    if (found != kUnknown && expected != kUnknown && found != expected)
        node.failInput(input, fmt::format("{} elements", found), fmt::format("{}, one per channel", expected));
}

void batchNormRule(RuleContext& node) {
    node.setLike(0, 0);
    node.needRankAtLeast(0, 1);
    // Before opset 9 `spatial` = 0 kept statistics per activation.
    const bool perActivation = node.opset() < 9 && node.integer("spatial", 1) == 0;
    const bool isVector = node.rank(0) == std::size_t{1};
    for (std::size_t i = 1; i < 5 && !perActivation; ++i) checkSize(node, i, isVector ? 1 : node.dim(0, 1));
    for (std::size_t i = 1; i < node.outputs(); ++i) {
        const std::size_t like = i % 2 == 1 ? 3 : 4;
        node.set(i, node.type(like), node.shape(like));
    }
}

void instanceNormRule(RuleContext& node) {
    node.setLike(0, 0);
    node.needRankAtLeast(0, 2);
    for (const std::size_t input : {std::size_t{1}, std::size_t{2}}) checkSize(node, input, node.dim(0, 1));
}

void groupNormRule(RuleContext& node) {
    node.setLike(0, 0);
    node.needRankAtLeast(0, 2);
    const std::int64_t groups = node.integer("num_groups", 0);
    if (groups < 1) node.failAttribute("num_groups", fmt::format("{}", groups), "a number above 0");
    const std::int64_t channels = node.dim(0, 1);
    if (channels != kUnknown && channels % groups != 0)
        node.failAttribute("num_groups", fmt::format("{}", groups), fmt::format("a divisor of {} channels", channels));
    // Opset 18 scales each group, opset 21 each channel.
    for (const std::size_t input : {std::size_t{1}, std::size_t{2}}) {
        if (node.dim(input, 0) == groups) continue;
        checkSize(node, input, channels);
    }
}

/// Mean and inverse deviation keep one element for the axes from `axis` on.
void layerNormRule(RuleContext& node) {
    node.setLike(0, 0);
    const DataType statistics = DataType::float32;
    if (!node.shape(0)) {
        node.set(1, statistics, std::nullopt);
        node.set(2, statistics, std::nullopt);
        return;
    }
    std::vector<std::int64_t> reduced = *node.shape(0);
    const std::size_t axis = node.axisAttribute("axis", -1, reduced.size());
    for (std::size_t i = axis; i < reduced.size(); ++i) reduced[i] = 1;
    node.set(1, statistics, reduced);
    node.set(2, statistics, reduced);
}

void axisRule(RuleContext& node) {
    node.setLike(0, 0);
    // Softmax of a scalar is accepted by runtimes.
    const std::int64_t otherwise = node.opset() < 13 ? 1 : -1;
    const auto rank = node.rank(0);
    if (!rank || !node.hasAttribute("axis")) return;
    // Before opset 13 the axis splits the tensor into a matrix, so that it may stand behind the last one.
    const std::int64_t axis = node.integer("axis", otherwise);
    if (node.opset() < 13 && axis == static_cast<std::int64_t>(*rank)) return;
    node.axisAttribute("axis", otherwise, *rank);
}

void lrnRule(RuleContext& node) {
    node.setLike(0, 0);
    node.needRankAtLeast(0, 2);
    const std::int64_t size = node.integer("size", 0);
    if (size < 1) node.failAttribute("size", fmt::format("{}", size), "a number above 0");
}

void skipNormRule(RuleContext& node) {
    node.setLike(0, 0);
    node.setLike(3, 0);
    node.set(1, DataType::float32, std::nullopt);
    node.set(2, DataType::float32, std::nullopt);
}

void embedNormRule(RuleContext& node) {
    node.needRank(0, 2);
    node.needRank(2, 2);
    const DataType type = node.type(2);
    node.set(0, type, std::vector<std::int64_t>{node.dim(0, 0), node.dim(0, 1), node.dim(2, 1)});
    node.set(1, DataType::int32, std::vector<std::int64_t>{node.dim(0, 0)});
    node.set(2, type, std::vector<std::int64_t>{node.dim(0, 0), node.dim(0, 1), node.dim(2, 1)});
}

/// A square and an addition for each element of the window, then multiply, add, power and divide.
std::optional<std::int64_t> lrnFlops(const CountContext& op) {
    return times(op.outElements(0), plus(times(2, op.integer("size", 1)), 4));
}

OperatorKind alongAxis(std::string_view id, std::string_view title, std::string_view cost, std::int64_t perElement,
                       std::int64_t flops, const Backward& backward) {
    return {.id = id,
            .title = title,
            .group = OperatorClass::normalisation,
            .shape = axisRule,
            .backward = backward,
            .cost = cost,
            .flopsPerOutput = perElement,
            .example = {.inputs = {floats({2, 3})},
                        .attributes = {{"axis", std::int64_t{-1}}},
                        .outputs = {floats({2, 3})},
                        .flops = flops}};
}

constexpr std::string_view kLayerNormBackward =
    "subtract, multiply for the deviation; multiply, add for the scale; add for the shift; multiply by the scale; "
    "add, multiply, add for the sums; multiply, subtract, subtract, multiply";
constexpr std::string_view kRootMeanSquareBackward =
    "multiply for the deviation; multiply, add for the scale; multiply by the scale; multiply, add for the sum; "
    "multiply, subtract, multiply";
constexpr std::string_view kLayerNorm = "add, subtract, square, add, multiply by 1/sqrt, scale, shift";

std::vector<OperatorKind> layerRows() {
    return {
        {.id = "LayerNormalization",
         .title = "Layer normalisation",
         .group = OperatorClass::normalisation,
         .inputs = {2, 3},
         .outputs = {1, 3},
         .shape = layerNormRule,
         .backward = backward::normalises(kLayerNormBackward, 13),
         .cost = kLayerNorm,
         .flopsPerOutput = 7,
         .example = {.inputs = {floats({2, 3, 4}), floats({4}), floats({4})},
                     .outputs = {floats({2, 3, 4}), floats({2, 3, 1}), floats({2, 3, 1})},
                     .flops = 168}},
        {.id = "RMSNormalization",
         .title = "Root mean square normalisation",
         .group = OperatorClass::normalisation,
         .inputs = {2, 2},
         .shape = layerNormRule,
         .backward = backward::normalises(kRootMeanSquareBackward, 9),
         .cost = "square, add, multiply by 1/sqrt, scale",
         .flopsPerOutput = 4,
         .example = {.inputs = {floats({2, 3, 4}), floats({4})}, .outputs = {floats({2, 3, 4})}, .flops = 96}},
        {.id = "SimplifiedLayerNormalization",
         .title = "Root mean square normalisation",
         .group = OperatorClass::normalisation,
         .domain = kContributed,
         .inputs = {2, 2},
         .outputs = {1, 2},
         .shape = layerNormRule,
         .backward = backward::normalises(kRootMeanSquareBackward, 9),
         .cost = "square, add, multiply by 1/sqrt, scale",
         .flopsPerOutput = 4,
         .example = {.inputs = {floats({2, 3, 4}), floats({4})},
                     .outputs = {floats({2, 3, 4}), floats({2, 3, 1})},
                     .flops = 96}},
        {.id = "SkipLayerNormalization",
         .title = "Addition and layer normalisation",
         .group = OperatorClass::normalisation,
         .domain = kContributed,
         .inputs = {3, 5},
         .outputs = {1, 4},
         .shape = skipNormRule,
         .backward = {.rule = backward::skipNormalisation, .cost = kLayerNormBackward, .flops = 13, .anyOutput = true},
         .cost = "add, then add, subtract, square, add, multiply by 1/sqrt, scale, shift",
         .flopsPerOutput = 8,
         .example = {.inputs = {floats({2, 3, 4}), floats({2, 3, 4}), floats({4}), floats({4})},
                     .outputs = {floats({2, 3, 4})},
                     .flops = 192}},
        {.id = "SkipSimplifiedLayerNormalization",
         .title = "Addition and root mean square normalisation",
         .group = OperatorClass::normalisation,
         .domain = kContributed,
         .inputs = {3, 4},
         .outputs = {1, 4},
         .shape = skipNormRule,
         .backward =
             {.rule = backward::skipNormalisation, .cost = kRootMeanSquareBackward, .flops = 9, .anyOutput = true},
         .cost = "add, square, add, multiply by 1/sqrt, scale",
         .flopsPerOutput = 5,
         .example = {.inputs = {floats({2, 3, 4}), floats({2, 3, 4}), floats({4})},
                     .outputs = {floats({2, 3, 4})},
                     .flops = 120}},
        {.id = "EmbedLayerNormalization",
         .title = "Embeddings and layer normalisation",
         .group = OperatorClass::embedding,
         .domain = kContributed,
         .inputs = {7, 9},
         .outputs = {1, 3},
         .shape = embedNormRule,
         .backward = {.rule = backward::embeddingNormalisation, .cost = kLayerNormBackward, .flops = 13},
         .cost = "add three embeddings, then add, subtract, square, add, multiply by 1/sqrt, scale, shift",
         .flopsPerOutput = 9,
         .example = {.inputs = {wholes({1, 3}), wholes({1, 3}), floats({9, 4}), floats({5, 4}), floats({2, 4}),
                                floats({4}), floats({4})},
                     .outputs = {floats({1, 3, 4}), ofType(DataType::int32, {1})},
                     .flops = 108}},
    };
}

}  // namespace

std::vector<OperatorKind> normalisationKinds() {
    std::vector<OperatorKind> kinds{
        alongAxis("Softmax", "Softmax", "compare, subtract, exp, add, divide", 5, 30,
                  {.rule = backward::alongAxis,
                   .cost = "multiply, add, subtract, multiply",
                   .flops = 4,
                   .reads = Backward::Reads::output}),
        alongAxis("LogSoftmax", "Logarithm of softmax", "compare, subtract, exp, add, subtract", 5, 30,
                  {.rule = backward::alongAxis,
                   .cost = "add, exp, multiply, subtract",
                   .flops = 4,
                   .reads = Backward::Reads::output}),
        alongAxis("Hardmax", "One for the maximum", "compare", 1, 6, backward::kNone),
        alongAxis("LpNormalization", "Division by a norm", "power, add, divide", 3, 18,
                  {.rule = backward::alongAxis,
                   .cost = "multiply, add, multiply, subtract, divide",
                   .flops = 5,
                   .reads = Backward::Reads::both}),
        {.id = "BatchNormalization",
         .title = "Batch normalisation",
         .group = OperatorClass::normalisation,
         .inputs = {5, 5},
         .outputs = {1, 5},
         .shape = batchNormRule,
         .backward = backward::normalises("subtract, multiply for the deviation; multiply, add for the scale; add for "
                                          "the shift; multiply, subtract, multiply, subtract",
                                          9),
         .cost = "subtract, multiply by 1/sqrt, scale, shift",
         .flopsPerOutput = 4,
         .example = {.inputs = {floats({1, 3, 2, 2}), floats({3}), floats({3}), floats({3}), floats({3})},
                     .outputs = {floats({1, 3, 2, 2})},
                     .flops = 48}},
        {.id = "InstanceNormalization",
         .title = "Instance normalisation",
         .group = OperatorClass::normalisation,
         .inputs = {3, 3},
         .shape = instanceNormRule,
         .backward = backward::normalises(kLayerNormBackward, 13),
         .cost = kLayerNorm,
         .flopsPerOutput = 7,
         .example = {.inputs = {floats({1, 3, 2, 2}), floats({3}), floats({3})},
                     .outputs = {floats({1, 3, 2, 2})},
                     .flops = 84}},
        {.id = "GroupNormalization",
         .title = "Group normalisation",
         .group = OperatorClass::normalisation,
         .inputs = {3, 3},
         .shape = groupNormRule,
         .backward = backward::normalises(kLayerNormBackward, 13),
         .cost = kLayerNorm,
         .flopsPerOutput = 7,
         .example = {.inputs = {floats({1, 4, 2, 2}), floats({2}), floats({2})},
                     .attributes = {{"num_groups", std::int64_t{2}}},
                     .outputs = {floats({1, 4, 2, 2})},
                     .flops = 112}},
        {.id = "MeanVarianceNormalization",
         .title = "Mean and variance normalisation",
         .group = OperatorClass::normalisation,
         .shape = likeFirst,
         .backward = backward::normalises("subtract, multiply for the deviation; add, multiply, add for the sums; "
                                          "multiply, subtract, subtract, multiply",
                                          9),
         .cost = "add, subtract, square, add, multiply by 1/sqrt",
         .flopsPerOutput = 5,
         .example = {.inputs = {floats({1, 3, 2, 2})}, .outputs = {floats({1, 3, 2, 2})}, .flops = 60}},
        {.id = "LRN",
         .title = "Local response normalisation",
         .group = OperatorClass::normalisation,
         .shape = lrnRule,
         .backward = {.rule = backward::localResponse,
                      .cost = "multiply, add for each channel of the window; 6 for the element"},
         .cost = "square and add for each channel of the window; multiply, add, power, divide",
         .flops = lrnFlops,
         .example = {.inputs = {floats({1, 6, 2, 2})},
                     .attributes = {{"size", std::int64_t{5}}},
                     .outputs = {floats({1, 6, 2, 2})},
                     .flops = 336}},
    };
    for (OperatorKind& row : layerRows()) kinds.push_back(std::move(row));
    return kinds;
}

}  // namespace tessera::model
