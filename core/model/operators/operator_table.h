#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/model/graph.h"

namespace tessera::model {

class RuleContext;
class CountContext;
class BackwardContext;

/// Main work of an operator: for colours, grouping and the choice of the unit that runs it.
enum class OperatorClass : std::uint8_t {
    matrix,         ///< multiply-accumulates: convolution, matrix multiplication, recurrent layers
    vector,         ///< element-wise arithmetic, pooling and reductions
    normalisation,  ///< normalisations and softmax
    embedding,      ///< look-ups in a table
    memory,         ///< moves or relabels elements: reshape, transpose, concatenation
    communication,  ///< collectives between devices
    control,        ///< If, Loop, Scan
};

inline constexpr EnumNames<OperatorClass> kOperatorClassNames{"matrix", "vector",        "normalisation", "embedding",
                                                              "memory", "communication", "control"};
constexpr std::string_view nameOf(OperatorClass group) {
    return kOperatorClassNames.of(group);
}

/// Allowed number of inputs or outputs of an operator.
struct Arity {
    static constexpr std::size_t kAny = static_cast<std::size_t>(-1);
    std::size_t min = 1;
    std::size_t max = 1;
};

/// A tensor of a worked example; a `type` of `undefined` leaves the input or output out.
struct ExampleTensor {
    DataType type = DataType::undefined;
    std::vector<std::int64_t> shape;
    std::optional<std::vector<double>> elements = {};  ///< given ones make the input a stored tensor
};

/// Inputs of an operator and what its rules must make of them, worked by hand.
struct OperatorExample {
    std::vector<ExampleTensor> inputs;
    Attributes attributes = {};
    std::vector<ExampleTensor> outputs;
    std::int64_t macs = 0;
    std::int64_t flops = 0;  ///< of the vector kind
    std::int64_t opset = 17;
};

/// Sets the types and shapes of the outputs, or throws DataError. Unknown dimensions stay unknown.
using ShapeRule = void (*)(RuleContext&);
/// Computes the elements of outputs of known shape from known elements of inputs.
using FoldRule = void (*)(RuleContext&);
/// A count of one operator; empty where a shape that it needs is unknown, or beyond 2^63.
using CountRule = std::optional<std::int64_t> (*)(const CountContext&);

/// Adds the operators that make the gradients of an operator's inputs from those of its outputs (backward.h).
using BackwardRule = void (*)(BackwardContext&);

/// Work of training on an operator after the forward pass.
struct Backward {
    /// Values of the forward pass that an element-wise gradient reads besides the gradient of the output.
    enum class Reads : std::uint8_t { nothing, input, output, both };

    BackwardRule rule = nullptr;  ///< without one nothing is known, which a training graph says in a warning
    std::string_view cost = {};   ///< what `flops` lists, as OperatorKind::cost
    std::int64_t flops = 0;       ///< vector FLOPs for each element of the output's gradient
    Reads reads = Reads::nothing;
    bool anyOutput = false;  ///< the rule works where only another output than the first has a gradient
};

/// One operator: a row of the table. All versions that opsets 7 to 22 know are one row.
struct OperatorKind {
    std::string_view id;     ///< ONNX's name; never changes
    std::string_view title;  ///< for people
    OperatorClass group = OperatorClass::vector;
    std::string_view domain = {};
    Arity inputs = {};
    Arity outputs = {};
    ShapeRule shape = nullptr;
    Backward backward = {};
    FoldRule fold = nullptr;
    /// Multiply-accumulates, without bias. Operators that have them are multiplications; `operands` are the inputs
    /// that are multiplied, and a multiplication with a stored one is a weighted layer.
    CountRule macs = nullptr;
    std::array<std::size_t, 2> operands = {0, 1};
    /// Vector FLOPs: what `cost` lists, once per element of the first output and of the first input, or by `flops`.
    /// Arithmetic, comparisons, selections and elementary functions (exp, log, sqrt, tanh, erf, sin) are 1 each;
    /// moving, indexing and converting elements is 0.
    std::string_view cost = {};
    std::int64_t flopsPerOutput = 0;
    std::int64_t flopsPerInput = 0;
    CountRule flops = nullptr;
    OperatorExample example = {};
};

/// All operators, by family.
const std::vector<OperatorKind>& operatorKinds();
/// Adds one to those there are, for programs that bring their own. Before anything is looked up.
void addOperatorKind(OperatorKind kind);

/// The row of an operator; nullptr where it is not known. "ai.onnx" is the standard domain "".
const OperatorKind* findOperatorKind(std::string_view type, std::string_view domain = {});
const OperatorKind* kindOf(const Operator& op);

/// FLOP of an operator by `flopsPerOutput`, `flopsPerInput` and `flops` of its row.
std::optional<std::int64_t> vectorFlops(const OperatorKind& kind, const CountContext& op);

}  // namespace tessera::model
