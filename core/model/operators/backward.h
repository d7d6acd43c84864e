#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/graph.h"
#include "core/model/graph_pool.h"
#include "core/model/operators/operator_table.h"
#include "core/model/operators/rule_context.h"

/// Backward rules: which operators make the gradients of an operator's inputs. They are named in the rows of the
/// operator table; what they make are rows of the same table (MatMul, Transpose, Sum, ... and those of gradients.cpp).
namespace tessera::model {

/// What is added behind the operators and tensors of a forward graph, which stays as it is while the tape grows.
struct GradientTape {
    const Graph& forward;
    std::vector<Tensor> tensors = {};                  ///< numbered behind those of `forward`
    std::vector<Operator> operators = {};              ///< likewise
    std::vector<std::int32_t> sources = {};            ///< by added operator: the forward operator that it is of, or -1
    std::vector<bool> wanted = {};                     ///< by forward tensor: whether its gradient is needed
    std::vector<std::vector<TensorIndex>> parts = {};  ///< by forward tensor: what its gradient is the sum of
    std::string mark = {};                             ///< begins the names of all that is added
    GraphPool pool = {};                               ///< of what is added

    const Tensor& tensor(TensorIndex index) const;
    TensorIndex addTensor(std::string name, DataType type, SharedShape shape, TensorRole role);
    /// The operator's outputs are tensors already. Returns its number, behind those of `forward`.
    std::int32_t addOperator(Operator op, std::int32_t source);
};

/// Inputs and outputs of the backward rule of one operator.
class BackwardContext {
public:
    /// Of a forward operator; `gradients` are those of its outputs, kNoTensor where none arrives.
    BackwardContext(std::int32_t index, std::vector<TensorIndex> gradients, GradientTape& tape)
        : forward_(tape.forward), index_(index), gradients_(std::move(gradients)), tape_(tape) {}

    const Operator& op() const { return forward_.operators[static_cast<std::size_t>(index_)]; }
    const OperatorKind& kind() const { return *kindOf(op()); }
    CountContext counts() const { return {forward_, op()}; }
    std::size_t inputs() const { return op().inputs.size(); }
    TensorIndex in(std::size_t input) const { return input < inputs() ? op().inputs[input] : kNoTensor; }
    TensorIndex out(std::size_t output) const;
    bool has(std::size_t input) const { return in(input) != kNoTensor; }
    bool wants(std::size_t input) const;
    /// Gradient of the output; kNoTensor where none arrives.
    TensorIndex gradient(std::size_t output = 0) const;
    /// Gradients of all outputs that have one.
    std::vector<TensorIndex> gradients() const;
    /// Shape of any tensor, also of one that this rule made.
    const SharedShape& shape(TensorIndex tensor) const { return tape_.tensor(tensor).shape; }
    DataType type(TensorIndex tensor) const { return tape_.tensor(tensor).type; }

    /// Adds an operator with one output.
    TensorIndex make(std::string_view type, std::vector<TensorIndex> inputs, DataType outputType,
                     SharedShape outputShape, Attributes attributes = {}, std::string_view domain = {});
    /// Adds an operator with an output like each of the tensors; kNoTensor = left out.
    std::vector<TensorIndex> makeLike(std::string_view type, std::vector<TensorIndex> inputs,
                                      const std::vector<TensorIndex>& like, Attributes attributes);
    /// Adds a row of gradients.cpp whose output is like `like`, at `flops` per element of the first input.
    TensorIndex makeGradient(std::string_view type, std::vector<TensorIndex> inputs, TensorIndex like,
                             std::int64_t flops = 0);
    /// Adds an operator of any number of outputs, each like a forward tensor, with attributes beyond those of such
    /// rows.
    std::vector<TensorIndex> makeGradients(std::string_view type, std::vector<TensorIndex> inputs,
                                           const std::vector<TensorIndex>& like, Attributes attributes);
    /// Undoes broadcasting: sums what `gradient` has for each element of `like`.
    TensorIndex summedTo(TensorIndex gradient, TensorIndex like);
    /// Reshapes a gradient to the shape of `like`.
    TensorIndex reshapedTo(TensorIndex gradient, TensorIndex like);

    /// Hands a part of the gradient of an input to what makes that input. It has the input's shape.
    void give(std::size_t input, TensorIndex gradient);

private:
    /// An operator without outputs, at the place of the forward one.
    Operator begin(std::string_view type, std::vector<TensorIndex> inputs, Attributes attributes,
                   std::string_view domain);

    const Graph& forward_;
    std::int32_t index_ = 0;
    std::vector<TensorIndex> gradients_;
    GradientTape& tape_;
    int made_ = 0;
};

/// Backward rules by what they are for, and the short forms that rows name them by.
namespace backward {

/// Passes no gradient: the output does not depend on the inputs in a differentiable way.
void none(BackwardContext& node);
inline constexpr Backward kNone{.rule = none};

/// A function of each element: reads what `Backward::reads` says.
void elementwise(BackwardContext& node);
constexpr Backward ofInput(std::string_view cost, std::int64_t flops) {
    return {.rule = elementwise, .cost = cost, .flops = flops, .reads = Backward::Reads::input};
}
constexpr Backward ofOutput(std::string_view cost, std::int64_t flops) {
    return {.rule = elementwise, .cost = cost, .flops = flops, .reads = Backward::Reads::output};
}
constexpr Backward ofGradient(std::string_view cost, std::int64_t flops) {
    return {.rule = elementwise, .cost = cost, .flops = flops};
}

/// The gradient itself: Identity, AllReduce.
void pass(BackwardContext& node);
inline constexpr Backward kPass{.rule = pass};

// Element-wise functions of several inputs, which broadcast.
void add(BackwardContext& node);  ///< also Sum
void subtract(BackwardContext& node);
void multiply(BackwardContext& node);
void divide(BackwardContext& node);
void power(BackwardContext& node);
void remainder(BackwardContext& node);
/// Each input by an element-wise gradient of its own, summed to its shape: Max, Min, Mean.
void eachInput(BackwardContext& node);
void slope(BackwardContext& node);   ///< PRelu
void choose(BackwardContext& node);  ///< Where
void biased(BackwardContext& node);  ///< a function of the sum of two inputs
void cast(BackwardContext& node);
void dropout(BackwardContext& node);

// Multiplications.
void gemm(BackwardContext& node);
void matmul(BackwardContext& node);  ///< also with transposed operands
void convolution(BackwardContext& node);
void einstein(BackwardContext& node);
/// Operators of several multiplications: recurrent layers, attention.
void composite(BackwardContext& node);

// Normalisations, with scale and shift as second and third input.
void normalisation(BackwardContext& node);
void skipNormalisation(BackwardContext& node);
void embeddingNormalisation(BackwardContext& node);
constexpr Backward normalises(std::string_view cost, std::int64_t flops) {
    return {.rule = normalisation, .cost = cost, .flops = flops};
}
/// Softmax and its kin: by the output.
void alongAxis(BackwardContext& node);
void localResponse(BackwardContext& node);

// Windows and reductions.
void pooling(BackwardContext& node);
void reduction(BackwardContext& node);
void regions(BackwardContext& node);
constexpr Backward pools(std::string_view cost, std::int64_t flops, Backward::Reads reads) {
    return {.rule = pooling, .cost = cost, .flops = flops, .reads = reads};
}
constexpr Backward reduces(std::string_view cost, std::int64_t flops, Backward::Reads reads) {
    return {.rule = reduction, .cost = cost, .flops = flops, .reads = reads};
}
void loss(BackwardContext& node);

// Moves.
void reshape(BackwardContext& node);
void transpose(BackwardContext& node);
void concatenate(BackwardContext& node);
void split(BackwardContext& node);
void expand(BackwardContext& node);
/// The elements back to where they came from; reads the inputs that are no floats (indices, lengths).
void move(BackwardContext& node);
/// Gradient of a lookup, in which several elements may come from one: they are summed.
void lookUp(BackwardContext& node);
void scatter(BackwardContext& node);
/// A linear function of as many FLOPs as the forward one.
void linear(BackwardContext& node);
void resample(BackwardContext& node);  ///< Resize
void sample(BackwardContext& node);    ///< GridSample
void rotary(BackwardContext& node);

// Collectives.
void allReduce(BackwardContext& node);  ///< of what all devices hold alike
void allGather(BackwardContext& node);
void reduceScatter(BackwardContext& node);

/// Gradients of all wanted inputs of an operator without a rule, of unknown cost.
void unknown(BackwardContext& node);

}  // namespace backward

}  // namespace tessera::model
