#include <fmt/format.h>

#include <utility>

#include "core/model/operators/examples.h"
#include "core/model/operators/families.h"
#include "core/model/operators/rule_context.h"

/// Operators that only training has: gradients that no operator of the forward pass makes, and the optimizer's updates.
/// A gradient reads the gradient of its operator's output first. Its attributes: `of` (the operator's type), for each
/// output either `like` (the input that it has the shape of, -1 = none) or `shape` and `type`, and what it costs:
/// `macs`, `flops`, or `flops_each` element of the first input.
namespace tessera::model {

namespace {

void setLikeListed(RuleContext& node, const Integers& like) {
    for (std::size_t i = 0; i < node.outputs() && i < like.size(); ++i) {
        if (like[i] == kUnknown) continue;
        if (like[i] < 0 || like[i] >= static_cast<std::int64_t>(node.inputs()))
            node.failAttribute("like", fmt::format("{}", like[i]),
                               fmt::format("-1 or an input from 0 to {}", node.inputs() - 1));
        const auto input = static_cast<std::size_t>(like[i]);
        node.set(i, node.type(input), node.shape(input));
    }
}

void gradientRule(RuleContext& node) {
    for (std::size_t i = 0; i < node.outputs(); ++i) node.set(i, node.type(0), std::nullopt);
    if (const auto like = node.integers("like")) {
        setLikeListed(node, *like);
        return;
    }
    const std::int64_t type = node.integer("type", static_cast<std::int64_t>(node.type(0)));
    if (type < 0 || type > static_cast<std::int64_t>(DataType::int4))
        node.failAttribute("type", fmt::format("{}", type), "the number of a type");
    const auto shape = node.integers("shape");
    if (shape && shape->size() > kMaxDimensions)
        node.failAttribute("shape", fmt::format("{} dimensions", shape->size()),
                           fmt::format("at most {}", kMaxDimensions));
    node.set(0, static_cast<DataType>(type), shape);
}

std::optional<std::int64_t> statedMacs(const CountContext& op) {
    const std::int64_t macs = op.integer("macs", kUnknown);
    return macs < 0 ? std::nullopt : std::optional(macs);
}

std::optional<std::int64_t> statedFlops(const CountContext& op) {
    const std::int64_t flops = op.integer("flops", kUnknown);
    return flops < 0 ? times(op.integer("flops_each", 0), op.inElements(0)) : flops;
}

Attributes of(const char* type) {
    return {{"of", std::string(type)}};
}

Attributes with(Attributes attributes, const Attributes& more) {
    attributes.insert(more.begin(), more.end());
    return attributes;
}

std::vector<OperatorKind> vectorRows() {
    constexpr std::string_view kStated = "as the row of the operator that it is of says";
    return {
        {.id = "ElementwiseGradient",
         .title = "Gradient of an element-wise function",
         .inputs = {1, Arity::kAny},
         .shape = gradientRule,
         .cost = kStated,
         .flops = statedFlops,
         .example = {.inputs = {floats({2, 3}), floats({2, 3})},
                     .attributes = with(of("Gelu"), {{"like", Integers{1}}, {"flops_each", std::int64_t{11}}}),
                     .outputs = {floats({2, 3})},
                     .flops = 66}},
        {.id = "NormalisationGradient",
         .title = "Gradients of a normalisation",
         .group = OperatorClass::normalisation,
         .inputs = {1, Arity::kAny},
         .outputs = {1, 3},
         .shape = gradientRule,
         .cost = kStated,
         .flops = statedFlops,
         .example = {.inputs = {floats({2, 4}), floats({2, 4}), floats({4})},
                     .attributes = with(of("LayerNormalization"),
                                        {{"like", Integers{1, 2, 2}}, {"flops_each", std::int64_t{13}}}),
                     .outputs = {floats({2, 4}), floats({4}), floats({4})},
                     .flops = 104}},
        {.id = "PoolingGradient",
         .title = "Gradient of a pooling",
         .inputs = {1, Arity::kAny},
         .shape = gradientRule,
         .cost = kStated,
         .flops = statedFlops,
         .example = {.inputs = {floats({1, 2, 3, 3})},
                     .attributes =
                         with(of("AveragePool"), {{"shape", Integers{1, 2, 6, 6}}, {"flops_each", std::int64_t{4}}}),
                     .outputs = {floats({1, 2, 6, 6})},
                     .flops = 72}},
        {.id = "LookUpGradient",
         .title = "Sum of gradients at the places that were looked up",
         .group = OperatorClass::embedding,
         .inputs = {1, Arity::kAny},
         .shape = gradientRule,
         .cost = kStated,
         .flops = statedFlops,
         .example = {.inputs = {floats({5, 4}), wholes({5})},
                     .attributes = with(of("Gather"), {{"shape", Integers{9, 4}}, {"flops_each", std::int64_t{1}}}),
                     .outputs = {floats({9, 4})},
                     .flops = 20}},
        {.id = "MoveGradient",
         .title = "Gradients back to where elements came from",
         .group = OperatorClass::memory,
         .inputs = {1, Arity::kAny},
         .shape = gradientRule,
         .example = {.inputs = {floats({2, 3})},
                     .attributes = with(of("Slice"), {{"shape", Integers{2, 5}}}),
                     .outputs = {floats({2, 5})}}},
    };
}

std::vector<OperatorKind> matrixRows() {
    return {
        {.id = "ConvolutionInputGradient",
         .title = "Gradient of a convolution's data",
         .group = OperatorClass::matrix,
         .inputs = {2, 2},
         .shape = gradientRule,
         .macs = statedMacs,
         .example = {.inputs = {floats({1, 6, 3, 3}), floats({6, 2, 3, 3})},
                     .attributes = with(of("Conv"), {{"shape", Integers{1, 4, 5, 5}}, {"macs", std::int64_t{972}}}),
                     .outputs = {floats({1, 4, 5, 5})},
                     .macs = 972}},
        {.id = "ConvolutionWeightGradient",
         .title = "Gradient of a convolution's kernel",
         .group = OperatorClass::matrix,
         .inputs = {2, 2},
         .shape = gradientRule,
         .macs = statedMacs,
         .example = {.inputs = {floats({1, 6, 3, 3}), floats({1, 4, 5, 5})},
                     .attributes = with(of("Conv"), {{"shape", Integers{6, 2, 3, 3}}, {"macs", std::int64_t{972}}}),
                     .outputs = {floats({6, 2, 3, 3})},
                     .macs = 972}},
        {.id = "MatrixGradient",
         .title = "Gradients of several multiplications",
         .group = OperatorClass::matrix,
         .inputs = {1, Arity::kAny},
         .outputs = {1, Arity::kAny},
         .shape = gradientRule,
         .macs = statedMacs,
         .cost = "as the steps of the forward pass beside the multiplications",
         .flops = statedFlops,
         .example = {.inputs = {floats({1, 3, 4}), floats({1, 3, 4}), floats({4, 12})},
                     .attributes =
                         with(of("Attention"),
                              {{"like", Integers{1, 2}}, {"macs", std::int64_t{432}}, {"flops", std::int64_t{90}}}),
                     .outputs = {floats({1, 3, 4}), floats({4, 12})},
                     .macs = 432,
                     .flops = 90}},
        {.id = "OpaqueGradient",
         .title = "Gradients of an operator without a rule",
         .group = OperatorClass::control,
         .inputs = {1, Arity::kAny},
         .outputs = {1, Arity::kAny},
         .shape = gradientRule,
         .example = {.inputs = {floats({2, 3}), floats({3, 3})},
                     .attributes = with(of("Det"), {{"like", Integers{1}}}),
                     .outputs = {floats({3, 3})}}},
    };
}

// The optimizer -------------------------------------------------------------------------------------------------------

/// Inputs: the parameter, its gradient and the state; outputs: the parameter and the state.
void updateRule(RuleContext& node) {
    node.set(0, node.type(0), node.shape(0));
    for (std::size_t i = 1; i < node.outputs(); ++i) node.set(i, node.type(i + 1), node.shape(i + 1));
}

OperatorKind update(std::string_view id, std::string_view title, std::size_t state, std::string_view cost,
                    std::int64_t each) {
    return {.id = id,
            .title = title,
            .inputs = {2 + state, 2 + state},
            .outputs = {1 + state, 1 + state},
            .shape = updateRule,
            .cost = cost,
            .flopsPerOutput = each,
            .example = {.inputs = std::vector<ExampleTensor>(2 + state, floats({4, 3})),
                        .outputs = std::vector<ExampleTensor>(1 + state, floats({4, 3})),
                        .flops = 12 * each}};
}

}  // namespace

std::vector<OperatorKind> gradientKinds() {
    std::vector<OperatorKind> kinds = vectorRows();
    for (OperatorKind& row : matrixRows()) kinds.push_back(std::move(row));
    kinds.push_back(update("SgdUpdate", "Step of gradient descent", 0, "multiply, subtract", 2));
    kinds.push_back(
        update("MomentumUpdate", "Step of gradient descent with momentum", 1, "multiply, add; multiply, subtract", 4));
    // Kingma, Ba: "Adam: A Method for Stochastic Optimization", ICLR 2015, section 2, in the order that computes the
    // corrections of the bias once for all elements.
    kinds.push_back(update("AdamUpdate", "Step of Adam", 2,
                           "multiply, multiply, add for the first moment; square, multiply, multiply, add for the "
                           "second; sqrt, add, divide, multiply, subtract",
                           12));
    return kinds;
}

}  // namespace tessera::model
