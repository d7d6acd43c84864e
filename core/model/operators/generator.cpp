#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/operators/backward.h"
#include "core/model/operators/broadcasting.h"
#include "core/model/operators/examples.h"
#include "core/model/operators/families.h"
#include "core/model/operators/rule_context.h"

/// Operators that make tensors from shapes and numbers; sequences and control flow; signals; losses; collectives.
namespace tessera::model {

namespace {

DataType typeAttribute(const RuleContext& node, const std::string& name, DataType otherwise) {
    const std::int64_t given = node.integer(name, 0);
    if (given == 0) return otherwise;
    if (given < 1 || given > 22)
        node.failAttribute(name, fmt::format("{}", given), "the number of a data type (1 to 22)");
    return static_cast<DataType>(given);
}

// Shapes as data ------------------------------------------------------------------------------------------------------

/// The part of the axes that Shape returns.
std::pair<std::int64_t, std::int64_t> axesOfShape(const RuleContext& node, std::int64_t rank) {
    const auto limited = [&](std::int64_t axis) {
        return std::clamp<std::int64_t>(axis < 0 && axis >= -rank ? axis + rank : axis, 0, rank);
    };
    const std::int64_t start = limited(node.integer("start", 0));
    return {start, std::max(start, limited(node.integer("end", rank)))};
}

void shapeRule(RuleContext& node) {
    const auto rank = node.rank(0);
    node.set(0, DataType::int64, Dims{kUnknown});
    if (!rank) return;
    const auto [start, end] = axesOfShape(node, static_cast<std::int64_t>(*rank));
    node.set(0, DataType::int64, Dims{end - start});
}

void foldShape(RuleContext& node) {
    const Shape& shape = node.shape(0);
    if (!shape) return;
    const auto [start, end] = axesOfShape(node, static_cast<std::int64_t>(shape->size()));
    Elements result;
    for (std::int64_t axis = start; axis < end; ++axis) {
        const std::int64_t size = (*shape)[static_cast<std::size_t>(axis)];
        result.push_back(size == kUnknown ? std::nan("") : static_cast<double>(size));
    }
    node.setElements(0, std::move(result));
}

void sizeRule(RuleContext& node) {
    node.set(0, DataType::int64, Dims{});
}

void foldSize(RuleContext& node) {
    if (const auto count = elementCount(node.shape(0))) node.setElements(0, {static_cast<double>(*count)});
}

// Generators ----------------------------------------------------------------------------------------------------------

/// A shape from the elements of an input, as far as they are known.
Shape shapeFrom(const RuleContext& node, std::size_t input) {
    node.needRank(input, 1);
    const std::int64_t rank = node.dim(input, 0);
    if (rank > static_cast<std::int64_t>(kMaxDimensions))
        node.failInput(input, fmt::format("{} elements", rank), fmt::format("at most {}", kMaxDimensions));
    const Elements* const given = node.elements(input);
    if (given == nullptr) return rank == kUnknown ? Shape() : Shape(Dims(static_cast<std::size_t>(rank), kUnknown));
    Dims result;
    for (const double element : *given) {
        const std::int64_t size = isKnownElement(element) ? wholeOf(element) : kUnknown;
        if (isKnownElement(element) && (size < 0 || size > kMaxElements))
            node.failInput(input, fmt::format("a size of {}", size), "sizes of 0 or more");
        result.push_back(size);
    }
    return result;
}

void constantOfShapeRule(RuleContext& node) {
    node.set(0, typeAttribute(node, "value_type", DataType::float32), shapeFrom(node, 0));
}

void foldConstantOfShape(RuleContext& node) {
    double value = node.hasAttribute("value_type") ? std::nan("") : 0;
    // The element is a number or a list of one.
    if (const auto list = node.reals("value"); list && list->size() == 1) value = list->front();
    if (!isKnownElement(value)) return;
    node.setElements(0, Elements(static_cast<std::size_t>(node.outputElements(0).value_or(0)), value));
}

void rangeRule(RuleContext& node) {
    node.set(0, node.type(0), Dims{kUnknown});
    const auto start = node.scalarOf(0), limit = node.scalarOf(1), step = node.scalarOf(2);
    if (step && *step == 0) node.failInput(2, "a step of 0", "a step other than 0");
    if (!start || !limit || !step) return;
    const double count = std::max(0.0, std::ceil((*limit - *start) / *step));
    if (!(count <= 0x1p53)) node.fail(fmt::format("a range of {:.3g} elements", count), "at most 2^53 elements");
    node.set(0, node.type(0), Dims{static_cast<std::int64_t>(count)});
}

void foldRange(RuleContext& node) {
    const auto start = node.scalarOf(0), step = node.scalarOf(2);
    if (!start || !step) return;
    Elements result;
    const std::int64_t count = node.outputElements(0).value_or(0);
    for (std::int64_t i = 0; i < count; ++i) result.push_back(*start + static_cast<double>(i) * *step);
    node.setElements(0, std::move(result));
}

void eyeLikeRule(RuleContext& node) {
    node.needRank(0, 2);
    node.setLike(0, 0);
    node.set(0, typeAttribute(node, "dtype", node.type(0)), node.shape(0));
}

void randomRule(RuleContext& node) {
    const auto shape = node.integers("shape");
    if (!shape) node.failAttribute("shape", "missing", "a shape");
    for (const std::int64_t size : *shape)
        if (size < 0) node.failAttribute("shape", fmt::format("a size of {}", size), "sizes of 0 or more");
    node.set(0, typeAttribute(node, "dtype", DataType::float32), *shape);
}

void randomLikeRule(RuleContext& node) {
    node.setLike(0, 0);
    node.set(0, typeAttribute(node, "dtype", node.type(0)), node.shape(0));
}

void multinomialRule(RuleContext& node) {
    node.needRank(0, 2);
    const std::int64_t samples = node.integer("sample_size", 1);
    if (samples < 0) node.failAttribute("sample_size", fmt::format("{}", samples), "a number of 0 or more");
    node.set(0, typeAttribute(node, "dtype", DataType::int32), Dims{node.dim(0, 0), samples});
}

void constantRule(RuleContext& node) {
    // GraphBuilder adds constants as stored tensors; this row is for tables and names.
    node.set(0, DataType::undefined, std::nullopt);
}

// Signals -------------------------------------------------------------------------------------------------------------

void windowRule(RuleContext& node) {
    const auto size = node.scalarOf(0);
    if (size && (wholeOf(*size) < 0 || *size > 0x1p53))
        node.failInput(0, fmt::format("a window of {}", *size), "a size of 0 or more");
    node.set(0, typeAttribute(node, "output_datatype", DataType::float32), Dims{size ? wholeOf(*size) : kUnknown});
}

void dftRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    node.needRankAtLeast(0, 2);
    Shape shape = node.shape(0);
    if (!shape) return;
    std::int64_t given = node.integer("axis", node.opset() < 20 ? 1 : -2);
    if (node.has(2)) {
        const auto axis = node.scalarOf(2);
        if (!axis) {
            node.set(0, node.type(0), Dims(shape->size(), kUnknown));
            return;
        }
        given = wholeOf(*axis);
    }
    const std::size_t axis = node.axis(given, shape->size(), "attribute 'axis'");
    std::int64_t& size = (*shape)[axis];
    if (node.has(1)) {
        const auto length = node.scalarOf(1);
        if (length && wholeOf(*length) < 1)
            node.failInput(1, fmt::format("a length of {}", *length), "a length above 0");
        size = length ? wholeOf(*length) : kUnknown;
    }
    if (node.integer("onesided", 0) != 0 && size != kUnknown) size = size / 2 + 1;
    shape->back() = 2;
    node.set(0, node.type(0), std::move(shape));
}

/// A signal B x L (x 1 or 2), a step and frames of a given length become B x frames x bins x 2.
void stftRule(RuleContext& node) {
    node.needRankAtLeast(0, 2);
    const auto step = node.scalarOf(1);
    if (step && wholeOf(*step) < 1) node.failInput(1, fmt::format("a step of {}", *step), "a step above 0");
    std::int64_t frame = kUnknown;
    if (const auto given = node.scalarOf(3))
        frame = wholeOf(*given);
    else if (!node.has(3))
        frame = node.dim(2, 0);
    if (frame != kUnknown && frame < 1) node.fail(fmt::format("frames of {}", frame), "frames above 0");
    const std::int64_t length = node.dim(0, 1);
    std::int64_t frames = kUnknown;
    if (step && frame != kUnknown && length != kUnknown) {
        if (frame > length) node.fail(fmt::format("frames of {} in a signal of {}", frame, length), "shorter frames");
        frames = (length - frame) / wholeOf(*step) + 1;
    }
    const std::int64_t bins = frame == kUnknown || node.integer("onesided", 1) == 0 ? frame : frame / 2 + 1;
    node.set(0, node.type(0), Dims{node.dim(0, 0), frames, bins, 2});
}

void melRule(RuleContext& node) {
    const auto bins = node.scalarOf(0), length = node.scalarOf(1);
    const auto sized = [&](const std::optional<double>& value) {
        if (value && (*value < 0 || *value > 0x1p53)) node.fail(fmt::format("a size of {}", *value), "0 or more");
        return value ? wholeOf(*value) : kUnknown;
    };
    const std::int64_t size = sized(length);
    node.set(0, typeAttribute(node, "output_datatype", DataType::float32),
             Dims{size == kUnknown ? kUnknown : size / 2 + 1, sized(bins)});
}

/// n log2(n) complex butterflies of 5 operations; n is the length of the frames.
std::optional<std::int64_t> fourierFlops(std::optional<std::int64_t> points, std::optional<std::int64_t> length) {
    if (!length) return std::nullopt;
    std::int64_t levels = 0;
    while ((std::int64_t{1} << levels) < *length && levels < 62) ++levels;
    return times(points, 5 * levels);
}
std::optional<std::int64_t> dftFlops(const CountContext& op) {
    const auto points = op.outElements(0);
    const std::int64_t axis = op.integer("axis", 1);
    return fourierFlops(points ? std::optional(*points / 2) : std::nullopt, op.inDim(0, axis));
}
std::optional<std::int64_t> stftFlops(const CountContext& op) {
    const auto points = op.outElements(0);
    const Shape& out = op.out(0);
    const auto bins = out && out->size() == 4 && (*out)[2] != kUnknown ? std::optional((*out)[2]) : std::nullopt;
    return fourierFlops(points ? std::optional(*points / 2) : std::nullopt, bins);
}

// Losses --------------------------------------------------------------------------------------------------------------

void lossRule(RuleContext& node) {
    node.needRankAtLeast(0, 2);
    const std::string reduction = node.text("reduction", "mean");
    node.set(0, node.type(0), reduction == "none" ? node.shape(1) : Shape(Dims{}));
    node.setLike(1, 0);
}

// Sequences, optionals, control flow, texts ---------------------------------------------------------------------------

/// What comes out is not a tensor, or its shape depends on the run.
void unknownRule(RuleContext&) {}

void countRule(RuleContext& node) {
    node.set(0, DataType::int64, Dims{});
}

void flagRule(RuleContext& node) {
    node.set(0, DataType::boolean, Dims{});
}

void sameTypeRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
}

void textLikeRule(RuleContext& node) {
    node.setLike(0, 0);
}

void textCountsRule(RuleContext& node) {
    node.set(0, DataType::float32, std::nullopt);
}

OperatorKind unknown(std::string_view id, std::string_view title, Arity inputs, std::size_t exampleInputs,
                     ShapeRule shape = unknownRule, ExampleTensor made = {}) {
    OperatorKind kind{
        .id = id,
        .title = title,
        .group = OperatorClass::memory,
        .inputs = inputs,
        .shape = shape,
        .example = {.inputs = std::vector<ExampleTensor>(exampleInputs, floats({2, 3})), .outputs = {std::move(made)}}};
    return kind;
}

OperatorKind control(std::string_view id, std::string_view title, std::size_t inputs) {
    OperatorKind kind = unknown(id, title, {inputs, Arity::kAny}, std::max<std::size_t>(inputs, 1));
    kind.group = OperatorClass::control;
    kind.outputs = {1, Arity::kAny};
    return kind;
}

// Collectives ---------------------------------------------------------------------------------------------------------

std::int64_t devicesOf(const RuleContext& node) {
    const std::int64_t devices = node.integer("devices", 1);
    if (devices < 1) node.failAttribute("devices", fmt::format("{}", devices), "a number above 0");
    return devices;
}

void allReduceRule(RuleContext& node) {
    (void)devicesOf(node);
    node.setLike(0, 0);
}

/// Gathers along `axis` where one is given; without, the tensor stands for its full size already.
void allGatherRule(RuleContext& node) {
    const std::int64_t devices = devicesOf(node);
    node.setLike(0, 0);
    Shape shape = node.shape(0);
    if (!shape || !node.hasAttribute("axis")) return;
    std::int64_t& size = (*shape)[node.axisAttribute("axis", 0, shape->size())];
    size = node.times(size, devices);
    node.set(0, node.type(0), std::move(shape));
}

void reduceScatterRule(RuleContext& node) {
    const std::int64_t devices = devicesOf(node);
    node.setLike(0, 0);
    Shape shape = node.shape(0);
    if (!shape || !node.hasAttribute("axis")) return;
    std::int64_t& size = (*shape)[node.axisAttribute("axis", 0, shape->size())];
    if (size != kUnknown && size % devices != 0)
        node.failAttribute("devices", fmt::format("{}", devices), fmt::format("a divisor of {}", size));
    if (size != kUnknown) size /= devices;
    node.set(0, node.type(0), std::move(shape));
}

OperatorKind collective(std::string_view id, std::string_view title, ShapeRule rule, BackwardRule backward,
                        Attributes attributes, ExampleTensor made) {
    return {.id = id,
            .title = title,
            .group = OperatorClass::communication,
            .shape = rule,
            .backward = {.rule = backward},
            .cost = "communication only; what is added on the way is the collective's cost model",
            .example = {.inputs = {floats({4, 3})}, .attributes = std::move(attributes), .outputs = {std::move(made)}}};
}

// Rows ----------------------------------------------------------------------------------------------------------------

std::vector<OperatorKind> generators() {
    constexpr OperatorClass kMemory = OperatorClass::memory;
    const auto random = [](std::string_view id, std::string_view title) {
        return OperatorKind{
            .id = id,
            .title = title,
            .inputs = {0, 0},
            .shape = randomRule,
            .backward = backward::kNone,
            .cost = "random number",
            .flopsPerOutput = 1,
            .example = {
                .inputs = {}, .attributes = {{"shape", Integers{2, 3}}}, .outputs = {floats({2, 3})}, .flops = 6}};
    };
    const auto randomLike = [](std::string_view id, std::string_view title) {
        return OperatorKind{.id = id,
                            .title = title,
                            .shape = randomLikeRule,
                            .backward = backward::kNone,
                            .cost = "random number",
                            .flopsPerOutput = 1,
                            .example = {.inputs = {floats({2, 3})}, .outputs = {floats({2, 3})}, .flops = 6}};
    };
    return {
        {.id = "Constant",
         .title = "Constant",
         .group = kMemory,
         .inputs = {0, 0},
         .shape = constantRule,
         .backward = backward::kNone,
         .example = {.inputs = {}, .attributes = {{"value_ints", Integers{7, 8}}}, .outputs = {list({7, 8})}}},
        {.id = "Shape",
         .title = "Shape as data",
         .group = kMemory,
         .shape = shapeRule,
         .backward = backward::kNone,
         .fold = foldShape,
         .example = {.inputs = {floats({2, 3, 4})},
                     .attributes = {{"start", std::int64_t{1}}},
                     .outputs = {list({3, 4})}}},
        {.id = "Size",
         .title = "Number of elements as data",
         .group = kMemory,
         .shape = sizeRule,
         .backward = backward::kNone,
         .fold = foldSize,
         .example = {.inputs = {floats({2, 3, 4})}, .outputs = {whole(24)}}},
        {.id = "ConstantOfShape",
         .title = "Constant of a shape",
         .group = kMemory,
         .shape = constantOfShapeRule,
         .backward = backward::kNone,
         .fold = foldConstantOfShape,
         .example =
             {.inputs = {list({2, 2})},
              .attributes = {{"value_type", std::int64_t{7}}, {"value", std::vector<double>{5}}},
              .outputs = {{.type = DataType::int64, .shape = {2, 2}, .elements = std::vector<double>{5, 5, 5, 5}}}}},
        {.id = "Range",
         .title = "Range",
         .inputs = {3, 3},
         .shape = rangeRule,
         .backward = backward::kNone,
         .fold = foldRange,
         .cost = "multiply, add",
         .flopsPerOutput = 2,
         .example = {.inputs = {whole(3), whole(-4), whole(-2)}, .outputs = {list({3, 1, -1, -3})}, .flops = 8}},
        {.id = "EyeLike",
         .title = "Identity matrix",
         .group = kMemory,
         .shape = eyeLikeRule,
         .backward = backward::kNone,
         .example = {.inputs = {wholes({2, 3})},
                     .attributes = {{"dtype", std::int64_t{1}}},
                     .outputs = {floats({2, 3})}}},
        random("RandomNormal", "Normal random numbers"),
        random("RandomUniform", "Uniform random numbers"),
        randomLike("RandomNormalLike", "Normal random numbers"),
        randomLike("RandomUniformLike", "Uniform random numbers"),
        {.id = "Multinomial",
         .title = "Multinomial sample",
         .shape = multinomialRule,
         .backward = backward::kNone,
         .cost = "random number",
         .flopsPerOutput = 1,
         .example = {.inputs = {floats({2, 3})},
                     .attributes = {{"sample_size", std::int64_t{4}}},
                     .outputs = {ofType(DataType::int32, {2, 4})},
                     .flops = 8}},
    };
}

std::vector<OperatorKind> signalRows() {
    const auto window = [](std::string_view id, std::string_view title, std::string_view cost, std::int64_t each,
                           std::int64_t flops) {
        return OperatorKind{.id = id,
                            .title = title,
                            .shape = windowRule,
                            .backward = backward::kNone,
                            .cost = cost,
                            .flopsPerOutput = each,
                            .example = {.inputs = {whole(8)}, .outputs = {floats({8})}, .flops = flops}};
    };
    return {
        window("HannWindow", "Hann window", "multiply, cos, multiply, subtract", 4, 32),
        window("HammingWindow", "Hamming window", "multiply, cos, multiply, subtract", 4, 32),
        window("BlackmanWindow", "Blackman window", "multiply, cos, multiply, cos, multiply, subtract, add", 7, 56),
        {.id = "DFT",
         .title = "Fourier transform",
         .inputs = {1, 3},
         .shape = dftRule,
         .backward = {.rule = backward::linear, .cost = "as the forward pass"},
         .cost = "5 log2(n) for each complex output of a transform of n points",
         .flops = dftFlops,
         .example = {.inputs = {floats({1, 8, 1})}, .outputs = {floats({1, 8, 2})}, .flops = 120}},
        {.id = "STFT",
         .title = "Fourier transforms of frames",
         .inputs = {2, 4},
         .shape = stftRule,
         .backward = {.rule = backward::linear, .cost = "as the forward pass"},
         .cost = "5 log2(n) for each of the complex outputs of n bins",
         .flops = stftFlops,
         .example = {.inputs = {floats({1, 16, 1}), whole(4), leftOut(), whole(8)},
                     .attributes = {{"onesided", std::int64_t{0}}},
                     .outputs = {floats({1, 3, 8, 2})},
                     .flops = 360}},
        {.id = "MelWeightMatrix",
         .title = "Mel filter bank",
         .inputs = {5, 5},
         .shape = melRule,
         .backward = backward::kNone,
         .cost = "subtract, divide",
         .flopsPerOutput = 2,
         .example = {.inputs = {whole(4), whole(8), whole(8000), floats({}), floats({})},
                     .outputs = {floats({5, 4})},
                     .flops = 40}},
        {.id = "SoftmaxCrossEntropyLoss",
         .title = "Cross entropy of softmax",
         .inputs = {2, 3},
         .outputs = {1, 2},
         .shape = lossRule,
         .backward = {.rule = backward::loss, .cost = "compare, subtract, exp, divide, subtract", .flops = 5},
         .cost = "compare, subtract, exp, add, subtract for each input element",
         .flopsPerInput = 5,
         .example = {.inputs = {floats({2, 3}), wholes({2})}, .outputs = {floats({}), floats({2, 3})}, .flops = 30}},
        {.id = "NegativeLogLikelihoodLoss",
         .title = "Negative log-likelihood",
         .inputs = {2, 3},
         .shape = lossRule,
         .backward = {.rule = backward::loss, .cost = "multiply", .flops = 1},
         .cost = "add, for each input element",
         .flopsPerInput = 1,
         .example = {.inputs = {floats({2, 3}), wholes({2})}, .outputs = {floats({})}, .flops = 6}},
    };
}

std::vector<OperatorKind> unknownRows() {
    const ExampleTensor number = wholes({}), flag = ofType(DataType::boolean, {});
    std::vector<OperatorKind> rows{
        control("If", "Branch", 1),
        control("Loop", "Loop", 0),
        control("Scan", "Scan", 1),
        unknown("SequenceConstruct", "Sequence of tensors", {1, Arity::kAny}, 2),
        unknown("SequenceEmpty", "Empty sequence", {0, 0}, 0),
        unknown("SequenceAt", "Tensor of a sequence", {2, 2}, 2),
        unknown("SequenceErase", "Sequence without one tensor", {1, 2}, 1),
        unknown("SequenceInsert", "Sequence with one more tensor", {2, 3}, 2),
        unknown("SequenceLength", "Length of a sequence", {1, 1}, 1, countRule, number),
        unknown("SplitToSequence", "Split to a sequence", {1, 2}, 1),
        unknown("ConcatFromSequence", "Concatenation of a sequence", {1, 1}, 1),
        unknown("SequenceMap", "Operators on each tensor of a sequence", {1, Arity::kAny}, 1),
        unknown("Optional", "Optional value", {0, 1}, 1),
        unknown("OptionalGetElement", "Value of an optional", {1, 1}, 1),
        unknown("OptionalHasElement", "Is there a value?", {0, 1}, 1, flagRule, flag),
        unknown("StringNormalizer", "Normalisation of texts", {1, 1}, 1, sameTypeRule),
        unknown("StringConcat", "Concatenation of texts", {2, 2}, 2, textLikeRule, floats({2, 3})),
        unknown(
            "RegexFullMatch", "Match of texts", {1, 1}, 1,
            [](RuleContext& node) { node.set(0, DataType::boolean, node.shape(0)); },
            ofType(DataType::boolean, {2, 3})),
        unknown("StringSplit", "Split of texts", {1, 1}, 1),
        unknown("TfIdfVectorizer", "Counts of terms", {1, 1}, 1, textCountsRule),
        unknown(
            "Det", "Determinant", {1, 1}, 1,
            [](RuleContext& node) {
                node.needRankAtLeast(0, 2);
                Shape shape = node.shape(0);
                if (shape) shape->resize(shape->size() - 2);
                node.set(0, node.type(0), std::move(shape));
            },
            floats({})),
    };
    for (OperatorKind& row : rows)
        if (row.id == "StringSplit")
            row.outputs = {1, 2};
        else if (row.id == "SequenceMap")
            row.outputs = {1, Arity::kAny};
    return rows;
}

std::vector<OperatorKind> collectives() {
    // What every device computes on its part of a replicated tensor adds to the gradient of the whole.
    OperatorKind replicate{
        .id = "Replicate",
        .title = "The same on all devices",
        .group = OperatorClass::memory,
        .shape = allReduceRule,
        .backward = {.rule = backward::allReduce, .cost = "an all-reduce"},
        .example = {
            .inputs = {floats({4, 3})}, .attributes = {{"devices", std::int64_t{2}}}, .outputs = {floats({4, 3})}}};
    const Attributes along{{"devices", std::int64_t{2}}, {"axis", std::int64_t{0}}};
    return {
        collective("AllReduce", "Sum over all devices", allReduceRule, backward::pass, {{"devices", std::int64_t{2}}},
                   floats({4, 3})),
        collective("AllGather", "Parts of all devices together", allGatherRule, backward::allGather, along,
                   floats({8, 3})),
        collective("ReduceScatter", "Sum over all devices, split", reduceScatterRule, backward::reduceScatter, along,
                   floats({2, 3})),
        std::move(replicate),
    };
}

}  // namespace

std::vector<OperatorKind> generatorKinds() {
    std::vector<OperatorKind> kinds = generators();
    for (auto rows : {signalRows(), unknownRows(), collectives()})
        for (OperatorKind& row : rows) kinds.push_back(std::move(row));
    return kinds;
}

}  // namespace tessera::model
