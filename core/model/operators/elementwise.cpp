#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/model/operators/backward.h"
#include "core/model/operators/broadcasting.h"
#include "core/model/operators/examples.h"
#include "core/model/operators/families.h"
#include "core/model/operators/rule_context.h"

/// Operators that compute each element of their output from one element of each input.
namespace tessera::model {

namespace {

// Shapes --------------------------------------------------------------------------------------------------------------

void flagLikeFirst(RuleContext& node) {
    node.setLike(0, 0);
    node.set(0, DataType::boolean, node.shape(0));
}

/// The first type that is known: files that mix types are not refused.
DataType commonType(const RuleContext& node, std::size_t from = 0) {
    for (std::size_t i = from; i < node.inputs(); ++i)
        if (node.type(i) != DataType::undefined) return node.type(i);
    return DataType::undefined;
}

void setBroadcast(RuleContext& node, DataType type) {
    // Before opset 7 the second input was aligned by attributes, and the result always had the first one's shape.
    const bool old = node.opset() < 7 && node.integer("broadcast", 0) != 0;
    node.setLike(0, 0);
    node.set(0, type, old ? node.shape(0) : broadcastInputs(node));
}

void broadcastRule(RuleContext& node) {
    setBroadcast(node, commonType(node));
}

void compareRule(RuleContext& node) {
    setBroadcast(node, DataType::boolean);
}

void powRule(RuleContext& node) {
    setBroadcast(node, node.type(0));
}

void whereRule(RuleContext& node) {
    node.set(0, commonType(node, 1), broadcastInputs(node));
}

void castRule(RuleContext& node) {
    node.setLike(0, 0);
    const std::int64_t to = node.integer("to", 0);
    if (to < 1 || to > 22) node.failAttribute("to", fmt::format("{}", to), "the number of a data type (1 to 22)");
    node.set(0, static_cast<DataType>(to), node.shape(0));
}

void castLikeRule(RuleContext& node) {
    node.setLike(0, 0);
    node.set(0, node.type(1), node.shape(0));
}

void preluRule(RuleContext& node) {
    node.setLike(0, 0);
    // Old files give one slope per channel without the axes behind it.
    if (node.rank(1) == std::size_t{1} && node.rank(0).value_or(0) > 1 && node.dim(1, 0) == node.dim(0, 1)) return;
    // The slope broadcasts to the input only.
    const Shape both = broadcast(node, node.shape(0), node.shape(1));
    const auto shorter = node.rank(1);
    if (both && shorter && *shorter > node.rank(0).value_or(0))
        node.failInput(1, toText(node.shape(1)), "a shape that broadcasts to " + toText(node.shape(0)));
}

/// Bounds and the like are scalars; their ranks are not checked, as exporters write [1] as well.
void firstAndBits(RuleContext& node) {
    node.setLike(0, 0);
    node.set(1, DataType::boolean, node.shape(0));
}

// Folding -------------------------------------------------------------------------------------------------------------

/// What a computed number is in its type: integers are cut off, and those beyond 2^53 are not known exactly.
double fitted(double value, DataType type) {
    if (type == DataType::boolean) return value != 0 ? 1 : 0;
    if (!isInteger(type)) return value;
    return std::abs(value) > 0x1p53 ? std::nan("") : std::trunc(value);
}

template <double (*F)(double)>
void foldUnary(RuleContext& node) {
    const Elements* const x = node.elements(0);
    if (x == nullptr) return;
    const DataType type = node.output(0).type;
    Elements result;
    result.reserve(x->size());
    for (const double element : *x) result.push_back(isKnownElement(element) ? fitted(F(element), type) : element);
    node.setElements(0, std::move(result));
}

void foldCast(RuleContext& node) {
    const Elements* const x = node.elements(0);
    if (x == nullptr) return;
    const DataType type = node.output(0).type;
    if (type == DataType::string) return;
    Elements result = *x;
    for (double& element : result) {
        if (!isKnownElement(element)) continue;
        if (type == DataType::boolean) element = element != 0 ? 1 : 0;
        if (isInteger(type)) element = std::trunc(element);
    }
    node.setElements(0, std::move(result));
}

Elements broadcastElements(const RuleContext& node, std::size_t input, const std::vector<std::int64_t>& shape) {
    const Elements* const known = node.elements(input);
    const std::vector<std::size_t> indices = broadcastIndices(*node.shape(input), shape);
    Elements result(indices.size(), std::nan(""));
    if (known == nullptr) return result;
    for (std::size_t i = 0; i < indices.size(); ++i) result[i] = (*known)[indices[i]];
    return result;
}

template <double (*F)(double, double)>
void foldVariadic(RuleContext& node) {
    const Shape& shape = node.output(0).shape;
    const DataType type = node.output(0).type;
    for (std::size_t i = 0; i < node.inputs(); ++i)
        if (node.elements(i) == nullptr || !node.shape(i) || node.shape(i)->size() > shape->size()) return;
    Elements result = broadcastElements(node, 0, *shape);
    for (std::size_t i = 1; i < node.inputs(); ++i) {
        const Elements other = broadcastElements(node, i, *shape);
        for (std::size_t k = 0; k < result.size(); ++k) {
            const bool known = isKnownElement(result[k]) && isKnownElement(other[k]);
            result[k] = known ? fitted(F(result[k], other[k]), type) : std::nan("");
        }
    }
    node.setElements(0, std::move(result));
}

void foldWhere(RuleContext& node) {
    const Shape& shape = node.output(0).shape;
    if (node.elements(0) == nullptr) return;
    for (std::size_t i = 0; i < 3; ++i)
        if (!node.shape(i)) return;
    const Elements condition = broadcastElements(node, 0, *shape);
    const Elements yes = broadcastElements(node, 1, *shape);
    const Elements no = broadcastElements(node, 2, *shape);
    Elements result(condition.size(), std::nan(""));
    for (std::size_t i = 0; i < result.size(); ++i)
        if (isKnownElement(condition[i])) result[i] = condition[i] != 0 ? yes[i] : no[i];
    node.setElements(0, std::move(result));
}

bool dividesIntegers(const RuleContext& node) {
    return isInteger(node.type(0)) || isInteger(node.type(1));
}

double quotient(double a, double b) {
    return b == 0 ? std::nan("") : a / b;
}
double wholeQuotient(double a, double b) {
    const std::int64_t divisor = wholeOf(b);
    if (divisor == 0 || divisor == -1) return divisor == 0 ? std::nan("") : -a;
    const std::int64_t whole = wholeOf(a) / divisor;
    return static_cast<double>(whole);
}
double remainderLikeDivisor(double a, double b) {
    if (b == 0) return std::nan("");
    const double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
double remainderLikeDividend(double a, double b) {
    return b == 0 ? std::nan("") : std::fmod(a, b);
}

void foldDivide(RuleContext& node) {
    if (dividesIntegers(node))
        foldVariadic<wholeQuotient>(node);
    else
        foldVariadic<quotient>(node);
}

void foldMod(RuleContext& node) {
    if (node.integer("fmod", 0) != 0)
        foldVariadic<remainderLikeDividend>(node);
    else
        foldVariadic<remainderLikeDivisor>(node);
}

double difference(double a, double b) {
    return a - b;
}
double min(double a, double b) {
    return b < a ? b : a;
}
double max(double a, double b) {
    return b > a ? b : a;
}
double power(double a, double b) {
    return std::pow(a, b);
}
double equal(double a, double b) {
    return a == b ? 1 : 0;
}
double less(double a, double b) {
    return a < b ? 1 : 0;
}
double lessOrEqual(double a, double b) {
    return a <= b ? 1 : 0;
}
double greater(double a, double b) {
    return a > b ? 1 : 0;
}
double greaterOrEqual(double a, double b) {
    return a >= b ? 1 : 0;
}
double both(double a, double b) {
    return a != 0 && b != 0 ? 1 : 0;
}
double either(double a, double b) {
    return a != 0 || b != 0 ? 1 : 0;
}
double oneOf(double a, double b) {
    return (a != 0) != (b != 0) ? 1 : 0;
}
double negated(double a) {
    return -a;
}
double inverted(double a) {
    return a == 0 ? 1 : 0;
}
double magnitude(double a) {
    return std::abs(a);
}
double roundedDown(double a) {
    return std::floor(a);
}
double roundedUp(double a) {
    return std::ceil(a);
}
/// Halves go to the even neighbour.
double roundedToNearest(double a) {
    return std::nearbyint(a);
}
double root(double a) {
    return a < 0 ? std::nan("") : std::sqrt(a);
}
double signOf(double a) {
    return a > 0 ? 1 : (a < 0 ? -1 : 0);
}
double positivePart(double a) {
    return a > 0 ? a : 0;
}
double inverse(double a) {
    return a == 0 ? std::nan("") : 1 / a;
}

void foldClip(RuleContext& node) {
    const Elements* const x = node.elements(0);
    if (x == nullptr || node.hasAttribute("min") || node.hasAttribute("max")) return;
    const auto low = node.scalarOf(1), high = node.scalarOf(2);
    if ((node.has(1) && !low) || (node.has(2) && !high)) return;
    Elements result = *x;
    for (double& element : result) {
        if (!isKnownElement(element)) continue;
        if (low && element < *low) element = *low;
        if (high && element > *high) element = *high;
    }
    node.setElements(0, std::move(result));
}

// Rows ----------------------------------------------------------------------------------------------------------------

/// A function of one input; its example has 6 elements.
OperatorKind unary(std::string_view id, std::string_view title, std::string_view cost, std::int64_t perElement,
                   std::int64_t exampleFlops, const Backward& backward, FoldRule fold = nullptr,
                   std::string_view domain = {}) {
    return {.id = id,
            .title = title,
            .domain = domain,
            .shape = likeFirst,
            .backward = backward,
            .fold = fold,
            .cost = cost,
            .flopsPerOutput = perElement,
            .example = {.inputs = {floats({2, 3})}, .outputs = {floats({2, 3})}, .flops = exampleFlops}};
}

/// A yes-or-no question about one input.
OperatorKind question(std::string_view id, std::string_view title) {
    return {.id = id,
            .title = title,
            .shape = flagLikeFirst,
            .backward = backward::kNone,
            .cost = "compare",
            .flopsPerOutput = 1,
            .example = {.inputs = {floats({2, 3})}, .outputs = {ofType(DataType::boolean, {2, 3})}, .flops = 6}};
}

/// A function of two inputs that broadcast; its example makes 2 x 3 elements of 2 x 1 and 3.
OperatorKind binary(std::string_view id, std::string_view title, std::string_view cost, BackwardRule backward,
                    FoldRule fold) {
    return {.id = id,
            .title = title,
            .inputs = {2, 2},
            .shape = broadcastRule,
            .backward = {.rule = backward},
            .fold = fold,
            .cost = cost,
            .flopsPerOutput = 1,
            .example = {.inputs = {floats({2, 1}), floats({3})}, .outputs = {floats({2, 3})}, .flops = 6}};
}

OperatorKind comparison(std::string_view id, std::string_view title, FoldRule fold, bool ofFlags = false) {
    const DataType type = ofFlags ? DataType::boolean : DataType::float32;
    return {.id = id,
            .title = title,
            .inputs = {2, 2},
            .shape = compareRule,
            .backward = backward::kNone,
            .fold = fold,
            .cost = ofFlags ? "combine" : "compare",
            .flopsPerOutput = 1,
            .example = {.inputs = {ofType(type, {2, 1}), ofType(type, {3})},
                        .outputs = {ofType(DataType::boolean, {2, 3})},
                        .flops = 6}};
}

OperatorKind bitwise(std::string_view id, std::string_view title) {
    return {.id = id,
            .title = title,
            .inputs = {2, 2},
            .shape = broadcastRule,
            .backward = backward::kNone,
            .cost = "combine",
            .flopsPerOutput = 1,
            .example = {.inputs = {wholes({2, 1}), wholes({3})}, .outputs = {wholes({2, 3})}, .flops = 6}};
}

/// Any number of inputs: one operation per input after the first and element.
std::optional<std::int64_t> variadicFlops(const CountContext& op) {
    return times(static_cast<std::int64_t>(op.inputs()) - 1, op.outElements(0));
}
std::optional<std::int64_t> meanFlops(const CountContext& op) {
    return times(static_cast<std::int64_t>(op.inputs()), op.outElements(0));
}
std::optional<std::int64_t> clipFlops(const CountContext& op) {
    const bool asInputs = op.inputs() > 1;
    const std::int64_t bounds = asInputs ? (op.has(1) ? 1 : 0) + (op.has(2) ? 1 : 0) : 2;
    return times(bounds, op.outElements(0));
}

OperatorKind variadic(std::string_view id, std::string_view title, std::string_view cost, const Backward& backward,
                      FoldRule fold) {
    return {
        .id = id,
        .title = title,
        .inputs = {1, Arity::kAny},
        .shape = broadcastRule,
        .backward = backward,
        .fold = fold,
        .cost = cost,
        .flops = variadicFlops,
        .example = {.inputs = {floats({2, 1}), floats({3}), floats({2, 3})}, .outputs = {floats({2, 3})}, .flops = 12}};
}

std::vector<OperatorKind> unaryRows() {
    return {
        unary("Abs", "Absolute value", "absolute value", 1, 6, backward::ofInput("compare, select", 2),
              foldUnary<magnitude>),
        unary("Acos", "Arc cosine", "acos", 1, 6, backward::ofInput("square, subtract, sqrt, divide, negate", 5)),
        unary("Acosh", "Inverse hyperbolic cosine", "acosh", 1, 6,
              backward::ofInput("square, subtract, sqrt, divide", 4)),
        unary("Asin", "Arc sine", "asin", 1, 6, backward::ofInput("square, subtract, sqrt, divide", 4)),
        unary("Asinh", "Inverse hyperbolic sine", "asinh", 1, 6, backward::ofInput("square, add, sqrt, divide", 4)),
        unary("Atan", "Arc tangent", "atan", 1, 6, backward::ofInput("square, add, divide", 3)),
        unary("Atanh", "Inverse hyperbolic tangent", "atanh", 1, 6, backward::ofInput("square, subtract, divide", 3)),
        unary("Ceil", "Round up", "round", 1, 6, backward::kNone, foldUnary<roundedUp>),
        unary("Cos", "Cosine", "cos", 1, 6, backward::ofInput("sin, multiply, negate", 3)),
        unary("Cosh", "Hyperbolic cosine", "cosh", 1, 6, backward::ofInput("sinh, multiply", 2)),
        unary("Erf", "Error function", "erf", 1, 6, backward::ofInput("square, negate, exp, multiply, multiply", 5)),
        unary("Exp", "Exponential", "exp", 1, 6, backward::ofOutput("multiply", 1)),
        unary("Floor", "Round down", "round", 1, 6, backward::kNone, foldUnary<roundedDown>),
        unary("Identity", "Identity", "", 0, 0, backward::kPass, foldCopy),
        unary("Log", "Logarithm", "log", 1, 6, backward::ofInput("divide", 1)),
        unary("Neg", "Negation", "negate", 1, 6, backward::ofGradient("negate", 1), foldUnary<negated>),
        unary("Reciprocal", "Reciprocal", "divide", 1, 6, backward::ofOutput("square, multiply, negate", 3),
              foldUnary<inverse>),
        unary("Round", "Round to nearest", "round", 1, 6, backward::kNone, foldUnary<roundedToNearest>),
        unary("Sign", "Sign", "compare, compare", 2, 12, backward::kNone, foldUnary<signOf>),
        unary("Sin", "Sine", "sin", 1, 6, backward::ofInput("cos, multiply", 2)),
        unary("Sinh", "Hyperbolic sine", "sinh", 1, 6, backward::ofInput("cosh, multiply", 2)),
        unary("Sqrt", "Square root", "sqrt", 1, 6, backward::ofOutput("multiply, divide", 2), foldUnary<root>),
        unary("Tan", "Tangent", "tan", 1, 6, backward::ofOutput("square, add, multiply", 3)),
        unary("Tanh", "Hyperbolic tangent", "tanh", 1, 6, backward::ofOutput("square, subtract, multiply", 3)),
        unary("Relu", "ReLU", "max", 1, 6, backward::ofOutput("compare, select", 2), foldUnary<positivePart>),
        unary("LeakyRelu", "Leaky ReLU", "compare, multiply", 2, 12, backward::ofInput("compare, multiply, select", 3)),
        unary("ThresholdedRelu", "Thresholded ReLU", "compare", 1, 6, backward::ofOutput("compare, select", 2)),
        unary("Elu", "ELU", "compare, exp, subtract, multiply", 4, 24,
              backward::ofOutput("compare, add, multiply, select", 4)),
        unary("Celu", "CELU", "compare, divide, exp, subtract, multiply", 5, 30,
              backward::ofInput("compare, divide, exp, multiply, select", 5)),
        unary("Selu", "SELU", "compare, exp, subtract, multiply, multiply", 5, 30,
              backward::ofOutput("compare, add, multiply, multiply, select", 5)),
        unary("Sigmoid", "Sigmoid", "negate, exp, add, divide", 4, 24,
              backward::ofOutput("subtract, multiply, multiply", 3)),
        unary("HardSigmoid", "Hard sigmoid", "multiply, add, max, min", 4, 24,
              backward::ofOutput("compare, compare, multiply, select", 4)),
        unary("HardSwish", "Hard swish", "multiply, add, max, min, multiply", 5, 30,
              backward::ofInput("compare, compare, multiply, add, multiply, select", 6)),
        unary("Swish", "Swish (SiLU)", "multiply, negate, exp, add, divide", 5, 30,
              backward::ofInput("sigmoid of 4, subtract, multiply, add, multiply, multiply", 9)),
        unary("Mish", "Mish", "exp, add, log, tanh, multiply", 5, 30,
              backward::ofInput(
                  "exp, add, log, tanh, sigmoid of 4, square, subtract, multiply, multiply, add, multiply", 14)),
        unary("Softplus", "Softplus", "exp, add, log", 3, 18, backward::ofInput("sigmoid of 4, multiply", 5)),
        unary("Softsign", "Softsign", "absolute value, add, divide", 3, 18,
              backward::ofInput("absolute value, add, square, divide", 4)),
        unary("Gelu", "GELU", "multiply, erf, add, multiply, multiply", 5, 30,
              backward::ofInput(
                  "multiply, erf, add, multiply; square, multiply, exp, multiply; multiply, add, multiply", 11)),
        unary("Gelu", "GELU", "multiply, erf, add, multiply, multiply", 5, 30,
              backward::ofInput(
                  "multiply, erf, add, multiply; square, multiply, exp, multiply; multiply, add, multiply", 11),
              nullptr, kContributed),
        unary("QuickGelu", "GELU by sigmoid", "multiply, negate, exp, add, divide", 5, 30,
              backward::ofInput("multiply, sigmoid of 4, subtract, multiply, add, multiply, multiply", 10), nullptr,
              kContributed),
        unary("Shrink", "Shrink", "compare, compare, add", 3, 18, backward::ofInput("compare, compare, select", 3)),
        unary("BitwiseNot", "Bitwise not", "invert", 1, 6, backward::kNone),
        unary("Bernoulli", "Bernoulli sample", "random number, compare", 2, 12, backward::kNone),
        question("IsInf", "Is infinite?"),
        question("IsNaN", "Is not a number?"),
    };
}

std::vector<OperatorKind> binaryRows() {
    return {
        binary("Add", "Addition", "add", backward::add, foldVariadic<sum>),
        binary("Sub", "Subtraction", "subtract", backward::subtract, foldVariadic<difference>),
        binary("Mul", "Multiplication", "multiply", backward::multiply, foldVariadic<product>),
        binary("Div", "Division", "divide", backward::divide, foldDivide),
        binary("Mod", "Remainder", "remainder", backward::remainder, foldMod),
        comparison("Equal", "Equal", foldVariadic<equal>),
        comparison("Greater", "Greater", foldVariadic<greater>),
        comparison("GreaterOrEqual", "Greater or equal", foldVariadic<greaterOrEqual>),
        comparison("Less", "Less", foldVariadic<less>),
        comparison("LessOrEqual", "Less or equal", foldVariadic<lessOrEqual>),
        comparison("And", "And", foldVariadic<both>, true),
        comparison("Or", "Or", foldVariadic<either>, true),
        comparison("Xor", "Exclusive or", foldVariadic<oneOf>, true),
        bitwise("BitwiseAnd", "Bitwise and"),
        bitwise("BitwiseOr", "Bitwise or"),
        bitwise("BitwiseXor", "Bitwise exclusive or"),
        bitwise("BitShift", "Bit shift"),
        variadic(
            "Max", "Maximum of inputs", "compare, for each further input",
            Backward{
                .rule = backward::eachInput, .cost = "compare, select", .flops = 2, .reads = Backward::Reads::both},
            foldVariadic<max>),
        variadic(
            "Min", "Minimum of inputs", "compare, for each further input",
            Backward{
                .rule = backward::eachInput, .cost = "compare, select", .flops = 2, .reads = Backward::Reads::both},
            foldVariadic<min>),
        variadic("Sum", "Sum of inputs", "add, for each further input", Backward{.rule = backward::add},
                 foldVariadic<sum>),
    };
}

std::vector<OperatorKind> otherRows() {
    return {
        {.id = "Not",
         .title = "Not",
         .shape = flagLikeFirst,
         .backward = backward::kNone,
         .fold = foldUnary<inverted>,
         .cost = "invert",
         .flopsPerOutput = 1,
         .example = {.inputs = {ofType(DataType::boolean, {2, 3})},
                     .outputs = {ofType(DataType::boolean, {2, 3})},
                     .flops = 6}},
        {.id = "Mean",
         .title = "Mean of inputs",
         .inputs = {1, Arity::kAny},
         .shape = broadcastRule,
         .backward = {.rule = backward::eachInput, .cost = "divide", .flops = 1},
         .cost = "add, for each further input; divide",
         .flops = meanFlops,
         .example = {.inputs = {floats({2, 3}), floats({2, 3})}, .outputs = {floats({2, 3})}, .flops = 12}},
        {.id = "Pow",
         .title = "Power",
         .inputs = {2, 2},
         .shape = powRule,
         .backward = {.rule = backward::power},
         .fold = foldVariadic<power>,
         .cost = "power",
         .flopsPerOutput = 1,
         .example = {.inputs = {floats({2, 3}), floats({}, {2})}, .outputs = {floats({2, 3})}, .flops = 6}},
        {.id = "PRelu",
         .title = "ReLU with a trained slope",
         .inputs = {2, 2},
         .shape = preluRule,
         .backward = {.rule = backward::slope, .cost = "compare, multiply, select", .flops = 3},
         .cost = "compare, multiply",
         .flopsPerOutput = 2,
         .example = {.inputs = {floats({1, 4, 2, 2}), floats({4, 1, 1})},
                     .outputs = {floats({1, 4, 2, 2})},
                     .flops = 32}},
        {.id = "Clip",
         .title = "Limit to a range",
         .inputs = {1, 3},
         .shape = likeFirst,
         .backward = backward::ofInput("compare, compare, select", 3),
         .fold = foldClip,
         .cost = "max, min",
         .flops = clipFlops,
         .example = {.inputs = {floats({2, 3}), floats({}, {0}), floats({}, {6})},
                     .outputs = {floats({2, 3})},
                     .flops = 12}},
        {.id = "Where",
         .title = "Choose by a condition",
         .inputs = {3, 3},
         .shape = whereRule,
         .backward = {.rule = backward::choose, .cost = "select", .flops = 1},
         .fold = foldWhere,
         .cost = "select",
         .flopsPerOutput = 1,
         .example = {.inputs = {ofType(DataType::boolean, {2, 1}), floats({3}), floats({})},
                     .outputs = {floats({2, 3})},
                     .flops = 6}},
        {.id = "Cast",
         .title = "Convert the type",
         .group = OperatorClass::memory,
         .shape = castRule,
         .backward = {.rule = backward::cast},
         .fold = foldCast,
         .example = {.inputs = {floats({2, 3})},
                     .attributes = {{"to", std::int64_t{10}}},
                     .outputs = {ofType(DataType::float16, {2, 3})}}},
        {.id = "CastLike",
         .title = "Convert to another's type",
         .group = OperatorClass::memory,
         .inputs = {2, 2},
         .shape = castLikeRule,
         .backward = {.rule = backward::cast},
         .fold = foldCast,
         .example = {.inputs = {floats({2, 3}), wholes({1})}, .outputs = {wholes({2, 3})}}},
        {.id = "Dropout",
         .title = "Dropout",
         .inputs = {1, 3},
         .outputs = {1, 2},
         .shape = firstAndBits,
         .backward = {.rule = backward::dropout, .cost = "multiply, multiply", .flops = 2},
         .fold = foldCopy,
         .cost = "nothing at inference",
         .example = {.inputs = {floats({2, 3})}, .outputs = {floats({2, 3}), ofType(DataType::boolean, {2, 3})}}},
        {.id = "BiasGelu",
         .title = "GELU with bias",
         .domain = kContributed,
         .inputs = {2, 2},
         .shape = broadcastRule,
         .backward = {.rule = backward::biased, .cost = "add, then as Gelu", .flops = 12},
         .cost = "add, multiply, erf, add, multiply, multiply",
         .flopsPerOutput = 6,
         .example = {.inputs = {floats({2, 3}), floats({3})}, .outputs = {floats({2, 3})}, .flops = 36}},
        {.id = "FastGelu",
         .title = "GELU by tanh",
         .domain = kContributed,
         .inputs = {1, 2},
         .shape = likeFirst,
         .backward = {.rule = backward::biased,
                      .cost = "6 for the tanh again; square, subtract, multiply, multiply, multiply, add; multiply, "
                              "add, add, multiply",
                      .flops = 16},
         .cost = "multiply, multiply, multiply, add, multiply, tanh, add, multiply",
         .flopsPerOutput = 8,
         .example = {.inputs = {floats({2, 3})}, .outputs = {floats({2, 3})}, .flops = 48}},
    };
}

}  // namespace

std::vector<OperatorKind> elementwiseKinds() {
    std::vector<OperatorKind> kinds = unaryRows();
    for (auto rows : {binaryRows(), otherRows()})
        for (OperatorKind& row : rows) kinds.push_back(std::move(row));
    return kinds;
}

}  // namespace tessera::model
