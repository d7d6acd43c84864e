#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/graph.h"

namespace tessera::model {

using Integers = std::vector<std::int64_t>;
/// Elements of a tensor in row-major order; NaN = not known. Integers beyond 2^53 are rounded.
using Elements = std::vector<double>;

inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 53;
inline constexpr std::int64_t kMaxFolded = 65'536;

bool isKnownElement(double element);
/// A whole number from an element: cut off towards zero and limited to 64 bits. `element` must be known.
std::int64_t wholeOf(double element);
bool isInteger(DataType type);  ///< signed and unsigned integers, without boolean

/// An input as rules see it.
struct RuleInput {
    const Tensor* tensor = nullptr;  ///< nullptr where it is left out
    const Elements* elements = nullptr;
};

/// An output as rules make it.
struct RuleOutput {
    DataType type = DataType::undefined;
    Shape shape;
    std::map<std::size_t, std::string> symbols;
    std::optional<Elements> elements;
};

/// View of one operator for its rules, which read and set it. Errors name the operator and the attribute or input.
class RuleContext {
public:
    /// Everything is owned by the caller and outlives the context; `outputs` has the size that the operator has.
    struct Node {
        const std::string& file;
        const std::string& name;
        const std::string& type;
        const Attributes& attributes;
        std::int64_t opset;
    };
    RuleContext(const Node& node, const std::vector<RuleInput>& inputs, std::vector<RuleOutput>& outputs)
        : node_(node), inputs_(inputs), outputs_(outputs) {}

    std::int64_t opset() const { return node_.opset; }
    const std::string& operatorType() const { return node_.type; }

    std::size_t inputs() const { return inputs_.size(); }
    bool has(std::size_t input) const { return input < inputs_.size() && inputs_[input].tensor != nullptr; }
    /// Unknown where the input is left out.
    const Shape& shape(std::size_t input) const;
    DataType type(std::size_t input) const;
    std::optional<std::size_t> rank(std::size_t input) const;
    /// Dimension `axis` of an input, or kUnknown.
    std::int64_t dim(std::size_t input, std::size_t axis) const;
    /// The elements of an input, some of which may be unknown; nullptr where none are known.
    const Elements* elements(std::size_t input) const;
    /// The elements of a small integer input (at most 64), such as axes; empty where one is not known.
    std::optional<Integers> integersOf(std::size_t input) const;
    /// The only element of an input; empty where it is not known.
    std::optional<double> scalarOf(std::size_t input) const;

    bool hasAttribute(const std::string& name) const { return node_.attributes.contains(name); }
    std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
    double real(const std::string& name, double otherwise) const;
    std::string text(const std::string& name, const std::string& otherwise) const;
    std::optional<Integers> integers(const std::string& name) const;
    std::optional<std::vector<double>> reals(const std::string& name) const;
    /// `integersOf(input)` where the input is there, else the attribute. `given` is true if either is there.
    struct IntegerList {
        bool given = false;
        std::optional<Integers> values;  ///< empty where not given or not known
        std::string source;              ///< "attribute 'axes'" or "input 2"
    };
    IntegerList list(const std::string& attribute, std::size_t input) const;

    std::size_t outputs() const { return outputs_.size(); }
    RuleOutput& output(std::size_t index) { return outputs_[index]; }
    /// Ignored where the operator does not have that output.
    void set(std::size_t output, DataType type, Shape shape);
    /// Type, shape and names of dimensions of an input.
    void setLike(std::size_t output, std::size_t input);
    void setElements(std::size_t output, Elements elements);
    /// Elements of an output; empty where a dimension is unknown.
    std::optional<std::int64_t> outputElements(std::size_t output) const;

    /// An axis counted from the front; throws where it is not from -rank to rank - 1.
    std::size_t axis(std::int64_t axis, std::size_t rank, const std::string& source) const;
    std::size_t axisAttribute(const std::string& name, std::int64_t otherwise, std::size_t rank) const;
    /// Distinct axes counted from the front, sorted.
    std::vector<std::size_t> axes(const IntegerList& list, std::size_t rank) const;
    /// Throws where a known rank differs from (or is below) what is needed.
    void needRank(std::size_t input, std::size_t needed) const;
    void needRankAtLeast(std::size_t input, std::size_t needed) const;
    /// a * b and a + b of dimensions: unknown where one is, an error beyond 2^53.
    std::int64_t times(std::int64_t a, std::int64_t b) const;
    std::int64_t plus(std::int64_t a, std::int64_t b) const;

    [[noreturn]] void fail(const std::string& found, const std::string& expected) const;
    [[noreturn]] void failAt(const std::string& part, const std::string& found, const std::string& expected) const;
    [[noreturn]] void failAttribute(const std::string& name, const std::string& found,
                                    const std::string& expected) const;
    [[noreturn]] void failInput(std::size_t input, const std::string& found, const std::string& expected) const;
    /// "node 'conv1' (Conv)".
    std::string where() const;

private:
    const AttributeValue* attribute(const std::string& name) const;

    Node node_;
    const std::vector<RuleInput>& inputs_;
    std::vector<RuleOutput>& outputs_;
};

/// "node 'conv1' (Conv)" for error messages.
std::string describeOperator(const std::string& name, const std::string& type);

/// View of an operator of a finished graph for count rules.
class CountContext {
public:
    CountContext(const Graph& graph, const Operator& op) : graph_(graph), op_(op) {}

    const Operator& op() const { return op_; }
    bool has(std::size_t input) const { return input < op_.inputs.size() && op_.inputs[input] != kNoTensor; }
    std::size_t inputs() const { return op_.inputs.size(); }
    /// Unknown where the tensor is left out.
    const Shape& in(std::size_t input) const;
    const Shape& out(std::size_t output) const;
    std::optional<std::int64_t> inElements(std::size_t input) const { return elementCount(in(input)); }
    std::optional<std::int64_t> outElements(std::size_t output) const { return elementCount(out(output)); }
    /// Dimension of an input; empty where unknown. Negative axes count from the end.
    std::optional<std::int64_t> inDim(std::size_t input, std::int64_t axis) const;
    std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
    std::string text(const std::string& name) const;
    std::optional<Integers> integers(const std::string& name) const;

private:
    const Graph& graph_;
    const Operator& op_;
};

/// Products and sums of counts; empty where one is, or beyond 2^63.
std::optional<std::int64_t> times(std::optional<std::int64_t> a, std::optional<std::int64_t> b);
std::optional<std::int64_t> plus(std::optional<std::int64_t> a, std::optional<std::int64_t> b);

/// Copies elements, whatever their size.
inline void foldCopy(RuleContext& node) {
    if (const Elements* const x = node.elements(0)) node.setElements(0, *x);
}

/// The first output is like the first input.
inline void likeFirst(RuleContext& node) {
    node.setLike(0, 0);
}

/// The domain of operators that ONNX Runtime adds.
inline constexpr std::string_view kContributed = "com.microsoft";

inline double sum(double a, double b) {
    return a + b;
}
inline double product(double a, double b) {
    return a * b;
}

}  // namespace tessera::model
