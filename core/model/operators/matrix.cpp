#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/model/operators/backward.h"
#include "core/model/operators/broadcasting.h"
#include "core/model/operators/examples.h"
#include "core/model/operators/families.h"
#include "core/model/operators/kernel_window.h"

/// Operators that multiply and accumulate: convolutions, matrix multiplications, recurrent layers, attention.
namespace tessera::model {

namespace {

// Convolutions --------------------------------------------------------------------------------------------------------

/// Where a convolution's data, kernel and bias stand among its inputs.
struct ConvInputs {
    std::size_t data = 0, kernel = 1, bias = 2;
};

std::int64_t groupsOf(const RuleContext& node) {
    const std::int64_t groups = node.integer("group", 1);
    if (groups < 1) node.failAttribute("group", fmt::format("{}", groups), "a number above 0");
    return groups;
}

/// The kernel's spatial sizes, by attribute or by the kernel's shape; both must agree. Empty where neither is known.
std::optional<Integers> spatialKernel(const RuleContext& node, std::size_t kernel) {
    const Shape& shape = node.shape(kernel);
    const auto given = kernelShape(node);
    if (!shape) return given;
    Integers sizes(shape->begin() + 2, shape->end());
    if (!given) return sizes;
    if (given->size() != sizes.size())
        node.failAttribute("kernel_shape", fmt::format("a list of {}", given->size()),
                           fmt::format("a list of {}", sizes.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (sizes[i] != kUnknown && sizes[i] != (*given)[i])
            node.failAttribute("kernel_shape", toText(*given), toText(sizes) + ", as the kernel is");
    return given;
}

void checkSpatialRanks(const RuleContext& node, const ConvInputs& inputs) {
    node.needRankAtLeast(inputs.data, 3);
    node.needRankAtLeast(inputs.kernel, 3);
    if (const auto rank = node.rank(inputs.kernel)) node.needRank(inputs.data, *rank);
    if (const auto rank = node.rank(inputs.data)) node.needRank(inputs.kernel, *rank);
    for (std::size_t i = 2; i < node.rank(inputs.kernel).value_or(0); ++i)
        if (node.dim(inputs.kernel, i) == 0)
            node.failInput(inputs.kernel, toText(node.shape(inputs.kernel)), "a kernel without zero sizes");
}

void checkBias(const RuleContext& node, std::size_t bias, std::int64_t channels) {
    if (!node.has(bias)) return;
    node.needRank(bias, 1);
    const std::int64_t size = node.dim(bias, 0);
    if (size != kUnknown && channels != kUnknown && size != channels)
        node.failInput(bias, fmt::format("a bias of {}", size), fmt::format("one of {}", channels));
}

Shape convolved(const RuleContext& node, const ConvInputs& inputs) {
    checkSpatialRanks(node, inputs);
    const std::int64_t groups = groupsOf(node);
    const std::int64_t channels = node.dim(inputs.data, 1), perGroup = node.dim(inputs.kernel, 1);
    const std::int64_t made = node.dim(inputs.kernel, 0);
    if (channels != kUnknown && perGroup != kUnknown && node.times(perGroup, groups) != channels)
        node.fail(fmt::format("{} input channels, {} group{} and a kernel for {} channels each", channels, groups,
                              groups == 1 ? "" : "s", perGroup),
                  "channels that are as many as the kernel takes in all groups");
    if (made != kUnknown && made % groups != 0)
        node.failAttribute("group", fmt::format("{}", groups),
                           fmt::format("a divisor of the {} output channels", made));
    checkBias(node, inputs.bias, made);
    const auto kernel = spatialKernel(node, inputs.kernel);
    if (!kernel) return std::nullopt;
    node.needRank(inputs.data, kernel->size() + 2);
    const KernelWindow window = kernelWindow(node, *kernel);
    std::vector<std::int64_t> result{node.dim(inputs.data, 0), made};
    for (std::size_t i = 0; i < kernel->size(); ++i)
        result.push_back(slide(node, window, i, node.dim(inputs.data, i + 2)));
    return result;
}

void convRule(RuleContext& node) {
    node.setLike(0, 0);
    node.set(0, node.type(0), convolved(node, {}));
}

void convIntegerRule(RuleContext& node) {
    node.set(0, DataType::int32, convolved(node, {.data = 0, .kernel = 1, .bias = 4}));
}

void qlinearConvRule(RuleContext& node) {
    node.set(0, node.type(7), convolved(node, {.data = 0, .kernel = 3, .bias = 8}));
}

/// `output_shape` gives the spatial sizes; old files list batch and channels as well.
std::optional<Integers> givenOutput(const RuleContext& node, std::size_t spatial) {
    auto given = node.integers("output_shape");
    if (!given || given->empty()) return std::nullopt;
    if (given->size() == spatial + 2) given->erase(given->begin(), given->begin() + 2);
    if (given->size() != spatial)
        node.failAttribute("output_shape", fmt::format("a list of {}", given->size()),
                           fmt::format("a list of {}", spatial));
    for (const std::int64_t size : *given)
        if (size < 1) node.failAttribute("output_shape", fmt::format("{}", size), "numbers above 0");
    return given;
}

Integers outputPadding(const RuleContext& node, std::size_t spatial) {
    const auto given = node.integers("output_padding");
    if (!given) {
        const Integers none(spatial, 0);
        return none;
    }
    if (given->size() != spatial)
        node.failAttribute("output_padding", fmt::format("a list of {}", given->size()),
                           fmt::format("a list of {}", spatial));
    for (const std::int64_t size : *given)
        if (size < 0 || size > kMaxElements)
            node.failAttribute("output_padding", fmt::format("{}", size), "numbers from 0 to 2^53");
    return *given;
}

std::int64_t spreadSize(const RuleContext& node, const KernelWindow& window, std::size_t axis, std::int64_t size,
                        std::int64_t extra) {
    using Padding = KernelWindow::Padding;
    const std::int64_t taken = reach(node, window, axis);
    if (size == kUnknown || taken == kUnknown) return kUnknown;
    if (window.padding == Padding::sameUpper || window.padding == Padding::sameLower)
        return node.times(size, window.strides[axis]);
    if (size == 0) return 0;
    const std::int64_t spread = node.plus(node.plus(node.times(size - 1, window.strides[axis]), taken), extra);
    const std::int64_t left = spread - window.before[axis] - window.after[axis];
    if (left < 1)
        node.failAttribute("pads", fmt::format("{}", window.before[axis] + window.after[axis]),
                           fmt::format("less than the {} elements of the map", spread));
    return left;
}

void convTransposeRule(RuleContext& node) {
    node.setLike(0, 0);
    node.set(0, node.type(0), std::nullopt);
    checkSpatialRanks(node, {});
    const std::int64_t groups = groupsOf(node);
    const std::int64_t channels = node.dim(0, 1), taken = node.dim(1, 0);
    if (channels != kUnknown && taken != kUnknown && channels != taken)
        node.fail(fmt::format("{} input channels and a kernel for {}", channels, taken),
                  "as many channels as the kernel takes");
    if (taken != kUnknown && taken % groups != 0)
        node.failAttribute("group", fmt::format("{}", groups),
                           fmt::format("a divisor of the {} input channels", taken));
    const std::int64_t made = node.times(node.dim(1, 1), groups);
    checkBias(node, 2, made);
    const auto kernel = spatialKernel(node, 1);
    if (!kernel) return;
    node.needRank(0, kernel->size() + 2);
    const KernelWindow window = kernelWindow(node, *kernel);
    const Integers extra = outputPadding(node, kernel->size());
    const auto given = givenOutput(node, kernel->size());
    std::vector<std::int64_t> result{node.dim(0, 0), made};
    for (std::size_t i = 0; i < kernel->size(); ++i)
        result.push_back(given ? (*given)[i] : spreadSize(node, window, i, node.dim(0, i + 2), extra[i]));
    node.set(0, node.type(0), std::move(result));
}

std::optional<std::int64_t> kernelElements(const CountContext& op, std::size_t kernel) {
    const Shape& shape = op.in(kernel);
    if (!shape || shape->empty()) return std::nullopt;
    return elementCount(std::vector<std::int64_t>(shape->begin() + 1, shape->end()));
}

std::optional<std::int64_t> convMacs(const CountContext& op) {
    return times(op.outElements(0), kernelElements(op, 1));
}
std::optional<std::int64_t> qlinearConvMacs(const CountContext& op) {
    return times(op.outElements(0), kernelElements(op, 3));
}
std::optional<std::int64_t> convTransposeMacs(const CountContext& op) {
    return times(op.inElements(0), kernelElements(op, 1));
}

/// The bias is a vector operation: one addition per output element.
template <std::size_t Bias>
std::optional<std::int64_t> biasFlops(const CountContext& op) {
    return op.has(Bias) ? op.outElements(0) : 0;
}

// Matrix multiplication -----------------------------------------------------------------------------------------------

void gemmRule(RuleContext& node) {
    node.needRank(0, 2);
    node.needRank(1, 2);
    const bool transA = node.integer("transA", 0) != 0, transB = node.integer("transB", 0) != 0;
    const std::int64_t m = node.dim(0, transA ? 1 : 0), k = node.dim(0, transA ? 0 : 1);
    const std::int64_t inner = node.dim(1, transB ? 1 : 0), n = node.dim(1, transB ? 0 : 1);
    if (k != kUnknown && inner != kUnknown && k != inner)
        node.fail(fmt::format("{} columns times {} rows", k, inner), "as many rows as columns");
    const Shape result = std::vector<std::int64_t>{m, n};
    if (node.has(2)) {
        const Shape both = broadcast(node, result, node.shape(2));
        const bool grows =
            both && (both->size() > 2 || (m != kUnknown && (*both)[0] != m) || (n != kUnknown && (*both)[1] != n));
        if (grows) node.failInput(2, toText(node.shape(2)), "a shape that broadcasts to " + toText(result));
    }
    node.set(0, node.type(0), result);
}

std::optional<std::int64_t> gemmMacs(const CountContext& op) {
    return times(op.outElements(0), op.inDim(0, op.integer("transA", 0) != 0 ? 0 : 1));
}

/// numpy's matmul: vectors count as a row on the left and a column on the right; leading axes broadcast.
Shape multiplied(const RuleContext& node, std::size_t left, std::size_t right) {
    node.needRankAtLeast(left, 1);
    node.needRankAtLeast(right, 1);
    Shape a = node.shape(left), b = node.shape(right);
    if (!a || !b) return std::nullopt;
    const bool aIsVector = a->size() == 1, bIsVector = b->size() == 1;
    if (aIsVector) a->insert(a->begin(), 1);
    if (bIsVector) b->push_back(1);
    const std::int64_t k = a->back(), inner = (*b)[b->size() - 2];
    if (k != kUnknown && inner != kUnknown && k != inner)
        node.fail(fmt::format("shapes {} and {}", toText(node.shape(left)), toText(node.shape(right))),
                  "as many rows in the second as columns in the first");
    const std::int64_t rows = (*a)[a->size() - 2], columns = b->back();
    a->resize(a->size() - 2);
    b->resize(b->size() - 2);
    Shape result = broadcast(node, a, b);
    if (!aIsVector) result->push_back(rows);
    if (!bIsVector) result->push_back(columns);
    return result;
}

void matmulRule(RuleContext& node) {
    node.set(0, node.type(0), multiplied(node, 0, 1));
}
void matmulIntegerRule(RuleContext& node) {
    node.set(0, DataType::int32, multiplied(node, 0, 1));
}
void qlinearMatmulRule(RuleContext& node) {
    node.set(0, node.type(7), multiplied(node, 0, 3));
}

std::optional<std::int64_t> matmulMacs(const CountContext& op) {
    return times(op.outElements(0), op.inDim(0, -1));
}

/// FusedMatMul: operands may be transposed in their last two axes.
Shape transposedLast(Shape shape, bool transpose) {
    if (transpose && shape && shape->size() > 1) std::swap(shape->back(), (*shape)[shape->size() - 2]);
    return shape;
}

void fusedMatmulRule(RuleContext& node) {
    const Shape a = transposedLast(node.shape(0), node.integer("transA", 0) != 0);
    const Shape b = transposedLast(node.shape(1), node.integer("transB", 0) != 0);
    if (!a || !b || a->size() < 2 || b->size() < 2) {
        node.set(0, node.type(0), a && b ? multiplied(node, 0, 1) : Shape());
        return;
    }
    const std::int64_t k = a->back(), inner = (*b)[b->size() - 2];
    if (k != kUnknown && inner != kUnknown && k != inner)
        node.fail(fmt::format("{} columns times {} rows", k, inner), "as many rows as columns");
    Shape result = broadcast(node, std::vector<std::int64_t>(a->begin(), a->end() - 2),
                             std::vector<std::int64_t>(b->begin(), b->end() - 2));
    result->push_back((*a)[a->size() - 2]);
    result->push_back(b->back());
    node.set(0, node.type(0), std::move(result));
}

std::optional<std::int64_t> fusedMatmulMacs(const CountContext& op) {
    return times(op.outElements(0), op.inDim(0, op.integer("transA", 0) != 0 ? -2 : -1));
}

// Einstein sums -------------------------------------------------------------------------------------------------------

/// An equation such as "bij,bjk->bik" as labels by operand. Ellipses are kept as '.'.
struct Equation {
    std::vector<std::string> operands;
    std::string result;
};

std::string labelsOf(std::string_view text) {
    std::string labels;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ' ') continue;
        if (text.substr(i, 3) == "...") {
            labels += '.';
            i += 2;
        } else {
            labels += text[i];
        }
    }
    return labels;
}

bool isLabel(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Without "->" the result is every label that occurs once, in alphabetical order, behind the ellipsis.
std::string implicitResult(const std::vector<std::string>& operands) {
    std::string all = joined(operands, "");
    std::string once;
    std::sort(all.begin(), all.end());
    for (const char c : all) {
        if (c == '.' && once.find('.') == std::string::npos) once += c;
        if (isLabel(c) && std::count(all.begin(), all.end(), c) == 1) once += c;
    }
    return once;
}

std::optional<Equation> equationOf(const std::string& text) {
    constexpr std::size_t kLongest = 1000;
    if (text.size() > kLongest) return std::nullopt;
    Equation equation;
    const std::size_t arrow = text.find("->");
    for (const std::string_view operand : split(std::string_view(text).substr(0, arrow), ','))
        equation.operands.push_back(labelsOf(operand));
    equation.result = arrow == std::string::npos ? implicitResult(equation.operands)
                                                 : labelsOf(std::string_view(text).substr(arrow + 2));
    for (const std::string& labels : equation.operands)
        for (const char c : labels)
            if (!isLabel(c) && c != '.') return std::nullopt;
    for (const char c : equation.result)
        if (joined(equation.operands, "").find(c) == std::string::npos) return std::nullopt;
    return equation;
}

/// Sizes by label; the axes of an ellipsis are kept in `ellipsis`.
struct LabelSizes {
    std::array<std::int64_t, 128> size;
    Shape ellipsis;
    LabelSizes() { size.fill(1); }
    /// Labels are ASCII letters.
    std::int64_t& of(char label) { return size[static_cast<unsigned char>(label) % size.size()]; }
};

/// Aligns the labels with one operand's shape; false where they do not fit.
bool alignLabels(const std::string& labels, const std::vector<std::int64_t>& shape, LabelSizes& sizes) {
    const std::size_t dots = labels.find('.');
    const std::size_t named = labels.size() - (dots == std::string::npos ? 0 : 1);
    if (shape.size() < named || (dots == std::string::npos && shape.size() != named)) return false;
    const std::size_t hidden = shape.size() - named;
    std::size_t axis = 0;
    for (const char c : labels) {
        if (c == '.') {
            std::vector<std::int64_t> part(shape.begin() + static_cast<std::ptrdiff_t>(axis),
                                           shape.begin() + static_cast<std::ptrdiff_t>(axis + hidden));
            if (!sizes.ellipsis || sizes.ellipsis->size() < part.size()) part.swap(sizes.ellipsis.emplace(part));
            axis += hidden;
            continue;
        }
        std::int64_t& size = sizes.of(c);
        const std::int64_t found = shape[axis++];
        if (size != 1 && found != 1 && size != kUnknown && found != kUnknown && size != found) return false;
        if (size == 1 || size == kUnknown) size = found == 1 ? size : found;
    }
    return true;
}

void einsumRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    const std::string text = node.text("equation", "");
    const auto equation = equationOf(text);
    if (!equation) node.failAttribute("equation", inQuotes(text), "an equation such as 'ij,jk->ik'");
    if (equation->operands.size() != node.inputs())
        node.failAttribute("equation", fmt::format("{} operands", equation->operands.size()),
                           fmt::format("{}, as many as inputs", node.inputs()));
    LabelSizes sizes;
    for (std::size_t i = 0; i < node.inputs(); ++i) {
        if (!node.shape(i)) return;
        if (!alignLabels(equation->operands[i], *node.shape(i), sizes))
            node.failInput(i, toText(node.shape(i)), "a shape that fits the labels " + inQuotes(equation->operands[i]));
    }
    std::vector<std::int64_t> result;
    for (const char c : equation->result) {
        if (c != '.')
            result.push_back(sizes.of(c));
        else if (sizes.ellipsis)
            result.insert(result.end(), sizes.ellipsis->begin(), sizes.ellipsis->end());
    }
    node.set(0, node.type(0), std::move(result));
}

/// All combinations of the labels' values; the multiplications of a sum over two operands.
std::optional<std::int64_t> einsumVolume(const CountContext& op, const Equation& equation) {
    LabelSizes sizes;
    for (std::size_t i = 0; i < equation.operands.size(); ++i)
        if (!op.in(i) || !alignLabels(equation.operands[i], *op.in(i), sizes)) return std::nullopt;
    std::optional<std::int64_t> volume = sizes.ellipsis ? elementCount(sizes.ellipsis) : 1;
    std::string labels = joined(equation.operands, "");
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    for (const char c : labels)
        if (c != '.') {
            const std::int64_t size = sizes.of(c);
            volume = size == kUnknown ? std::nullopt : times(volume, size);
        }
    return volume;
}

/// True where at least two operands are multiplied and summed: then the sum is a matrix operation.
bool contracts(const Equation& equation) {
    if (equation.operands.size() < 2) return false;
    const std::string all = joined(equation.operands, "");
    return std::any_of(all.begin(), all.end(), [&](char c) {
        return c != '.' && equation.result.find(c) == std::string::npos && std::count(all.begin(), all.end(), c) > 1;
    });
}

std::optional<std::int64_t> einsumMacs(const CountContext& op) {
    const auto equation = equationOf(op.text("equation"));
    if (!equation || equation->operands.size() != op.inputs()) return std::nullopt;
    if (!contracts(*equation)) return 0;
    return times(einsumVolume(op, *equation), static_cast<std::int64_t>(op.inputs()) - 1);
}

std::optional<std::int64_t> einsumFlops(const CountContext& op) {
    const auto equation = equationOf(op.text("equation"));
    if (!equation || equation->operands.size() != op.inputs()) return std::nullopt;
    return contracts(*equation) ? 0 : einsumVolume(op, *equation);
}

// Recurrent layers ----------------------------------------------------------------------------------------------------

struct Recurrence {
    std::int64_t gates;
    bool hasCell;
};

Recurrence recurrenceOf(std::string_view type) {
    if (type == "LSTM") return {.gates = 4, .hasCell = true};
    return {.gates = type == "GRU" ? 3 : 1, .hasCell = false};
}

void recurrentRule(RuleContext& node) {
    const Recurrence kind = recurrenceOf(node.operatorType());
    for (const std::size_t input : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) node.needRank(input, 3);
    const std::string direction = node.text("direction", "forward");
    if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
        node.failAttribute("direction", inQuotes(direction), "'forward', 'reverse' or 'bidirectional'");
    const std::int64_t directions = direction == "bidirectional" ? 2 : 1;
    std::int64_t hidden = node.dim(2, 2);
    const std::int64_t given = node.integer("hidden_size", kUnknown);
    if (node.hasAttribute("hidden_size") && given < 1)
        node.failAttribute("hidden_size", fmt::format("{}", given), "a number above 0");
    if (given != kUnknown && hidden != kUnknown && given != hidden)
        node.failAttribute("hidden_size", fmt::format("{}", given), fmt::format("{}, as the weights have", hidden));
    if (hidden == kUnknown) hidden = given;
    const auto check = [&](std::size_t input, std::size_t axis, std::int64_t expected) {
        const std::int64_t found = node.dim(input, axis);
        if (found != kUnknown && expected != kUnknown && found != expected)
            node.failInput(input, toText(node.shape(input)), fmt::format("{} in dimension {}", expected, axis + 1));
    };
    for (const std::size_t input : {std::size_t{1}, std::size_t{2}}) {
        check(input, 0, directions);
        check(input, 1, node.times(hidden, kind.gates));
    }
    check(1, 2, node.dim(0, 2));
    const bool batchFirst = node.integer("layout", 0) != 0;
    const std::int64_t batch = node.dim(0, batchFirst ? 0 : 1), steps = node.dim(0, batchFirst ? 1 : 0);
    const Shape state = batchFirst ? Dims{batch, directions, hidden} : Dims{directions, batch, hidden};
    node.set(0, node.type(0),
             batchFirst ? Dims{batch, steps, directions, hidden} : Dims{steps, directions, batch, hidden});
    node.set(1, node.type(0), state);
    if (kind.hasCell) node.set(2, node.type(0), state);
}

/// Input and state times the weights of all gates: T * B * D * G * H * (I + H).
std::optional<std::int64_t> recurrentMacs(const CountContext& op) {
    const auto weights = times(op.inDim(1, 0), op.inDim(1, 1));
    const auto width = plus(op.inDim(1, 2), op.inDim(2, 2));
    return times(times(times(op.inDim(0, 0), op.inDim(0, 1)), weights), width);
}

/// Per step, direction and state element: bias and the two products are added, activations applied (a sigmoid is 4, a
/// tanh 1), gates combined. LSTM: 8 + 3*4 + 2 + 4; GRU: 6 + 2*4 + 1 + 5; RNN: 2 + 1.
std::optional<std::int64_t> recurrentFlops(const CountContext& op) {
    const std::int64_t perElement = op.op().type == "LSTM" ? 26 : op.op().type == "GRU" ? 20 : 3;
    const auto states = times(times(op.inDim(0, 0), op.inDim(0, 1)), times(op.inDim(1, 0), op.inDim(2, 2)));
    return times(states, perElement);
}

OperatorKind recurrent(std::string_view id, std::string_view title, std::string_view cost, std::int64_t gates,
                       std::int64_t macs, std::int64_t flops) {
    OperatorKind kind{.id = id,
                      .title = title,
                      .group = OperatorClass::matrix,
                      .inputs = {3, id == "LSTM" ? std::size_t{8} : std::size_t{6}},
                      .outputs = {1, id == "LSTM" ? std::size_t{3} : std::size_t{2}},
                      .shape = recurrentRule,
                      .backward = {.rule = backward::composite, .anyOutput = true},
                      .macs = recurrentMacs,
                      .cost = cost,
                      .flops = recurrentFlops,
                      .example = {.inputs = {floats({5, 2, 3}), floats({1, gates * 4, 3}), floats({1, gates * 4, 4})},
                                  .attributes = {{"hidden_size", std::int64_t{4}}},
                                  .outputs = {floats({5, 1, 2, 4}), floats({1, 2, 4})},
                                  .macs = macs,
                                  .flops = flops}};
    if (id == "LSTM") kind.example.outputs.push_back(floats({1, 2, 4}));
    return kind;
}

// Attention -----------------------------------------------------------------------------------------------------------

/// com.microsoft's Attention: input B x S x D, weights D x 3H, result B x S x H.
void attentionRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    node.needRank(0, 3);
    node.needRank(1, 2);
    std::int64_t hidden = node.dim(1, 1);
    const auto sizes = node.integers("qkv_hidden_sizes");
    if (sizes && sizes->size() != 3)
        node.failAttribute("qkv_hidden_sizes", fmt::format("a list of {}", sizes->size()), "a list of 3");
    for (const std::int64_t size : sizes.value_or(Integers{}))
        if (size < 1) node.failAttribute("qkv_hidden_sizes", fmt::format("{}", size), "numbers above 0");
    if (sizes)
        hidden = (*sizes)[2];
    else if (hidden != kUnknown)
        hidden /= 3;
    node.set(0, node.type(0), std::vector<std::int64_t>{node.dim(0, 0), node.dim(0, 1), hidden});
    node.set(1, node.type(0), std::nullopt);
}

/// The projections of query, key and value, and the two products: scores and weighted values.
std::optional<std::int64_t> attentionMacs(const CountContext& op) {
    const auto rows = times(op.inDim(0, 0), op.inDim(0, 1));
    const auto projections = times(rows, op.inElements(1));
    const auto width = op.integers("qkv_hidden_sizes");
    auto hidden = op.inDim(1, 1);
    if (!hidden || (width && width->size() != 3)) return std::nullopt;
    const auto products = width ? plus((*width)[0], (*width)[2]) : std::optional(*hidden / 3 * 2);
    return plus(projections, times(times(rows, op.inDim(0, 1)), products));
}

/// Five operations of the softmax for each score.
std::optional<std::int64_t> attentionFlops(const CountContext& op) {
    const auto rows = times(op.inDim(0, 0), op.inDim(0, 1));
    return times(times(rows, op.inDim(0, 1)), times(5, op.integer("num_heads", 1)));
}

/// com.microsoft's MultiHeadAttention on query, key and value of B x S x H.
void multiHeadRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    const bool plain =
        node.rank(0) == std::size_t{3} && node.rank(1) == std::size_t{3} && node.rank(2) == std::size_t{3};
    if (plain) node.set(0, node.type(0), std::vector<std::int64_t>{node.dim(0, 0), node.dim(0, 1), node.dim(2, 2)});
}

std::optional<std::int64_t> multiHeadMacs(const CountContext& op) {
    const auto scores = times(times(op.inDim(0, 0), op.inDim(0, 1)), op.inDim(1, 1));
    if (!op.has(2)) return std::nullopt;
    return times(scores, plus(op.inDim(0, 2), op.inDim(2, 2)));
}

std::optional<std::int64_t> multiHeadFlops(const CountContext& op) {
    const auto scores = times(times(op.inDim(0, 0), op.inDim(0, 1)), op.inDim(1, 1));
    return times(scores, times(5, op.integer("num_heads", 1)));
}

// Rows ----------------------------------------------------------------------------------------------------------------

Attributes pads1() {
    return {{"kernel_shape", Integers{3, 3}}, {"pads", Integers{1, 1, 1, 1}}};
}

std::vector<OperatorKind> convolutionRows() {
    const ExampleTensor scale = floats({}, {1}), zero = ofType(DataType::uint8, {});
    return {
        {.id = "Conv",
         .title = "Convolution",
         .group = OperatorClass::matrix,
         .inputs = {2, 3},
         .shape = convRule,
         .backward = {.rule = backward::convolution},
         .macs = convMacs,
         .cost = "add the bias",
         .flops = biasFlops<2>,
         .example = {.inputs = {floats({1, 4, 5, 5}), floats({6, 2, 3, 3}), floats({6})},
                     .attributes = {{"kernel_shape", Integers{3, 3}},
                                    {"pads", Integers{1, 1, 1, 1}},
                                    {"strides", Integers{2, 2}},
                                    {"group", std::int64_t{2}}},
                     .outputs = {floats({1, 6, 3, 3})},
                     .macs = 972,
                     .flops = 54}},
        {.id = "ConvTranspose",
         .title = "Transposed convolution",
         .group = OperatorClass::matrix,
         .inputs = {2, 3},
         .shape = convTransposeRule,
         .backward = {.rule = backward::convolution},
         .macs = convTransposeMacs,
         .cost = "add the bias",
         .flops = biasFlops<2>,
         .example = {.inputs = {floats({1, 4, 3, 3}), floats({4, 2, 2, 2}), floats({2})},
                     .attributes = {{"strides", Integers{2, 2}}},
                     .outputs = {floats({1, 2, 6, 6})},
                     .macs = 288,
                     .flops = 72}},
        {.id = "ConvInteger",
         .title = "Convolution of integers",
         .group = OperatorClass::matrix,
         .inputs = {2, 4},
         .shape = convIntegerRule,
         .backward = backward::kNone,
         .macs = convMacs,
         .example = {.inputs = {ofType(DataType::uint8, {1, 1, 3, 3}), ofType(DataType::uint8, {1, 1, 2, 2})},
                     .outputs = {ofType(DataType::int32, {1, 1, 2, 2})},
                     .macs = 16}},
        {.id = "QLinearConv",
         .title = "Quantised convolution",
         .group = OperatorClass::matrix,
         .inputs = {8, 9},
         .shape = qlinearConvRule,
         .backward = backward::kNone,
         .macs = qlinearConvMacs,
         .operands = {0, 3},
         .cost = "multiply, round, add to requantise",
         .flopsPerOutput = 3,
         .example = {.inputs = {ofType(DataType::uint8, {1, 2, 4, 4}), scale, zero,
                                ofType(DataType::uint8, {3, 2, 3, 3}), scale, zero, scale, zero},
                     .attributes = pads1(),
                     .outputs = {ofType(DataType::uint8, {1, 3, 4, 4})},
                     .macs = 864,
                     .flops = 144}},
    };
}

std::vector<OperatorKind> matmulRows() {
    const ExampleTensor scale = floats({}, {1}), zero = ofType(DataType::int8, {});
    return {
        {.id = "Gemm",
         .title = "Matrix multiplication with bias",
         .group = OperatorClass::matrix,
         .inputs = {2, 3},
         .shape = gemmRule,
         .backward = {.rule = backward::gemm},
         .macs = gemmMacs,
         .cost = "add the bias",
         .flops = biasFlops<2>,
         .example = {.inputs = {floats({2, 3}), floats({4, 3}), floats({4})},
                     .attributes = {{"transB", std::int64_t{1}}},
                     .outputs = {floats({2, 4})},
                     .macs = 24,
                     .flops = 8}},
        {.id = "MatMul",
         .title = "Matrix multiplication",
         .group = OperatorClass::matrix,
         .inputs = {2, 2},
         .shape = matmulRule,
         .backward = {.rule = backward::matmul},
         .macs = matmulMacs,
         .example = {.inputs = {floats({2, 1, 3, 4}), floats({5, 4, 6})},
                     .outputs = {floats({2, 5, 3, 6})},
                     .macs = 720}},
        {.id = "MatMulInteger",
         .title = "Matrix multiplication of integers",
         .group = OperatorClass::matrix,
         .inputs = {2, 4},
         .shape = matmulIntegerRule,
         .backward = backward::kNone,
         .macs = matmulMacs,
         .example = {.inputs = {ofType(DataType::int8, {2, 3}), ofType(DataType::int8, {3, 4})},
                     .outputs = {ofType(DataType::int32, {2, 4})},
                     .macs = 24}},
        {.id = "QLinearMatMul",
         .title = "Quantised matrix multiplication",
         .group = OperatorClass::matrix,
         .inputs = {8, 8},
         .shape = qlinearMatmulRule,
         .backward = backward::kNone,
         .macs = matmulMacs,
         .operands = {0, 3},
         .cost = "multiply, round, add to requantise",
         .flopsPerOutput = 3,
         .example = {.inputs = {ofType(DataType::int8, {2, 3}), scale, zero, ofType(DataType::int8, {3, 4}), scale,
                                zero, scale, zero},
                     .outputs = {ofType(DataType::int8, {2, 4})},
                     .macs = 24,
                     .flops = 24}},
        {.id = "FusedMatMul",
         .title = "Matrix multiplication with transposition",
         .group = OperatorClass::matrix,
         .domain = "com.microsoft",
         .inputs = {2, 2},
         .shape = fusedMatmulRule,
         .backward = {.rule = backward::matmul},
         .macs = fusedMatmulMacs,
         .example = {.inputs = {floats({5, 3, 2}), floats({5, 3, 4})},
                     .attributes = {{"transA", std::int64_t{1}}},
                     .outputs = {floats({5, 2, 4})},
                     .macs = 120}},
        {.id = "Einsum",
         .title = "Einstein sum",
         .group = OperatorClass::matrix,
         .inputs = {1, Arity::kAny},
         .shape = einsumRule,
         .backward = {.rule = backward::einstein},
         .macs = einsumMacs,
         .cost = "without a sum over a shared label: once for each combination of labels",
         .flops = einsumFlops,
         .example = {.inputs = {floats({5, 2, 3}), floats({5, 4, 3})},
                     .attributes = {{"equation", std::string("bij,bkj->bik")}},
                     .outputs = {floats({5, 2, 4})},
                     .macs = 120}},
    };
}

std::vector<OperatorKind> attentionRows() {
    return {
        {.id = "Attention",
         .title = "Attention with projections",
         .group = OperatorClass::matrix,
         .domain = "com.microsoft",
         .inputs = {2, 7},
         .outputs = {1, 2},
         .shape = attentionRule,
         .backward = {.rule = backward::composite, .anyOutput = true},
         .macs = attentionMacs,
         .cost = "5 for the softmax of each score",
         .flops = attentionFlops,
         .example = {.inputs = {floats({1, 3, 4}), floats({4, 12})},
                     .attributes = {{"num_heads", std::int64_t{2}}},
                     .outputs = {floats({1, 3, 4})},
                     .macs = 216,
                     .flops = 90}},
        {.id = "MultiHeadAttention",
         .title = "Attention",
         .group = OperatorClass::matrix,
         .domain = "com.microsoft",
         .inputs = {1, 10},
         .outputs = {1, 3},
         .shape = multiHeadRule,
         .backward = {.rule = backward::composite, .anyOutput = true},
         .macs = multiHeadMacs,
         .cost = "5 for the softmax of each score",
         .flops = multiHeadFlops,
         .example = {.inputs = {floats({1, 3, 4}), floats({1, 5, 4}), floats({1, 5, 4})},
                     .attributes = {{"num_heads", std::int64_t{2}}},
                     .outputs = {floats({1, 3, 4})},
                     .macs = 120,
                     .flops = 150}},
    };
}

}  // namespace

std::vector<OperatorKind> matrixKinds() {
    std::vector<OperatorKind> kinds = convolutionRows();
    for (auto rows : {matmulRows(), attentionRows()})
        for (OperatorKind& row : rows) kinds.push_back(std::move(row));
    kinds.push_back(recurrent("LSTM", "Long short-term memory", "8 additions, 3 sigmoids of 4, 2 tanh, 4 to combine", 4,
                              1120, 1040));
    kinds.push_back(
        recurrent("GRU", "Gated recurrent unit", "6 additions, 2 sigmoids of 4, 1 tanh, 5 to combine", 3, 840, 800));
    kinds.push_back(recurrent("RNN", "Recurrent layer", "2 additions, 1 tanh", 1, 280, 120));
    return kinds;
}

}  // namespace tessera::model
