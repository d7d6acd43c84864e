#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/shared.h"

namespace tessera::model {

/// Element types, numbered as in ONNX's TensorProto.DataType.
enum class DataType : std::uint8_t {
    undefined = 0,
    float32 = 1,
    uint8 = 2,
    int8 = 3,
    uint16 = 4,
    int16 = 5,
    int32 = 6,
    int64 = 7,
    string = 8,
    boolean = 9,
    float16 = 10,
    float64 = 11,
    uint32 = 12,
    uint64 = 13,
    complex64 = 14,
    complex128 = 15,
    bfloat16 = 16,
    float8e4m3 = 17,
    float8e4m3fnuz = 18,
    float8e5m2 = 19,
    float8e5m2fnuz = 20,
    uint4 = 21,
    int4 = 22,
};

bool isFloat(DataType type);                    ///< float16/32/64, bfloat16, float8
double bytesPerElement(DataType type);          ///< 0.5 for the 4-bit types; 0 where unknown (string, undefined)
std::string_view nameOf(DataType type);         ///< "float32", "bfloat16", ...
DataType dataTypeNamed(std::string_view name);  ///< `undefined` where there is no such type

inline constexpr std::int64_t kUnknown = -1;
inline constexpr std::size_t kMaxDimensions = 64;

/// Dimensions; `kUnknown` where a dimension is symbolic, unset or depends on data.
using Dims = std::vector<std::int64_t>;

/// A tensor's dimensions. Without a value even the number of dimensions is unknown.
using Shape = std::optional<Dims>;

/// The shape of a tensor of a graph: most of a graph's tensors share theirs. It reads like a constant Shape.
class SharedShape {
public:
    SharedShape() = default;
    SharedShape(Shape shape) : shape_(std::move(shape)) {}      // NOLINT(google-explicit-constructor): it is that shape
    SharedShape(Dims dims) : shape_(Shape(std::move(dims))) {}  // NOLINT(google-explicit-constructor)
    SharedShape(std::nullopt_t) {}                              // NOLINT(google-explicit-constructor)

    const Shape& get() const { return shape_.get(); }
    operator const Shape&() const { return get(); }  // NOLINT(google-explicit-constructor): it is that shape
    explicit operator bool() const { return get().has_value(); }
    bool has_value() const { return get().has_value(); }  // NOLINT(readability-identifier-naming): as a Shape's
    const Dims& operator*() const { return *get(); }
    const Dims* operator->() const { return &*get(); }
    const Dims& value() const { return get().value(); }
    bool operator==(const SharedShape& other) const { return shape_ == other.shape_; }
    bool operator==(const Shape& other) const { return get() == other; }

private:
    Shared<Shape> shape_;
};

/// Names of symbolic dimensions by axis.
using Symbols = std::map<std::size_t, std::string>;

/// The product of the dimensions (1 for a scalar); empty where one is unknown.
std::optional<std::int64_t> elementCount(const Shape& shape);
/// True if no tensor has both shapes: their numbers of dimensions differ, or a dimension that both know.
bool contradicts(const Shape& one, const Shape& other);
std::string toText(const Shape& shape);  ///< "1x3x224x224", "scalar", "?x128", "unknown shape"

/// Origin of a tensor's value.
enum class TensorRole : std::uint8_t {
    input,       ///< given to the graph at run time
    parameter,   ///< a stored float tensor, trained
    statistic,   ///< a stored float tensor that is not trained (running mean and variance)
    constant,    ///< any other stored value (shapes, indices, scalars)
    activation,  ///< computed, and its data depends on an input
    derived,     ///< computed from stored values or shapes only
};

/// True for tensors whose value is stored with the model.
constexpr bool isStored(TensorRole role) {
    return role == TensorRole::parameter || role == TensorRole::statistic || role == TensorRole::constant;
}

/// A value that operators hand on.
struct Tensor {
    std::string name;
    SharedShape shape;
    /// Names of symbolic dimensions, where the file gives them and nothing bound them.
    Shared<Symbols> symbols;
    DataType type = DataType::undefined;
    TensorRole role = TensorRole::activation;
};

/// Bytes of a tensor; empty where its shape is unknown.
std::optional<double> bytesOf(const Tensor& tensor);

using TensorIndex = std::int32_t;
inline constexpr TensorIndex kNoTensor = -1;  ///< an optional input or output that is left out

using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                                    std::vector<std::string>>;
using Attributes = std::map<std::string, AttributeValue>;

/// Returns the attribute of a name; null where there is none, or one of another type.
template <typename T>
const T* attributeAs(const Attributes& attributes, const std::string& name) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? nullptr : std::get_if<T>(&found->second);
}
/// Returns the value of the attribute of a name; `otherwise` where there is none, or one of another type.
template <typename T>
T attributeOr(const Attributes& attributes, const std::string& name, T otherwise) {
    const T* const value = attributeAs<T>(attributes, name);
    return value == nullptr ? otherwise : *value;
}

/// An operation of a graph, with the tensors that it reads and makes.
struct Operator {
    std::string name;   ///< unique within the graph
    SharedText type;    ///< ONNX's operator name ("Conv", "Gemm", ...), or Tessera's own such as "AllReduce"
    SharedText domain;  ///< empty = the standard ONNX domain
    std::vector<TensorIndex> inputs;
    std::vector<TensorIndex> outputs;
    Shared<Attributes> attributes;
    SharedText layer;  ///< grouping for people, such as "layer3.0.conv1"; may be empty
    SharedText block;  ///< repeated structure, such as "layer3.0"; may be empty
    /// The If, Loop or Scan operator in whose body this one stands (counted once); empty in the main graph. Counts of
    /// operators and activation elements are of the main graph.
    SharedText body = {};
    SharedText opaque;  ///< why nothing is known about this operator; empty for a known one
};

// Models have up to a million operators, and programs promise to read them in 900 MB.
static_assert(sizeof(Tensor) <= 56 && sizeof(Operator) <= 136);

/// An operator graph. A value: built once by GraphBuilder (which checks it), then only read.
/// Operators stand in topological order; every tensor has at most one producer.
struct Graph {
    std::string name;
    std::vector<Tensor> tensors;
    std::vector<Operator> operators;
    std::vector<TensorIndex> inputs;
    std::vector<TensorIndex> outputs;
    std::int64_t opset = 17;            ///< of the standard operators: some mean other things in other versions
    std::int64_t batch = 1;             ///< the value that dimension 0 of the inputs stands for
    std::vector<std::string> warnings;  ///< sentences: what was skipped or corrected while reading
    std::vector<std::string> notes;     ///< sentences on how numbers are to be read

    const Tensor& tensor(TensorIndex index) const { return tensors[static_cast<std::size_t>(index)]; }
};

/// The first operators, inputs and outputs of a graph, by their numbers: of a training graph its forward pass.
struct GraphHead {
    std::size_t operators = 0;
    std::size_t inputs = 0;
    std::size_t outputs = 0;
};

/// All of a graph.
inline GraphHead headOf(const Graph& graph) {
    return {graph.operators.size(), graph.inputs.size(), graph.outputs.size()};
}

/// Index, for every tensor, of the operator that makes it, or -1.
std::vector<std::int32_t> producers(const Graph& graph);
/// Names of the symbolic dimensions of the graph's inputs that nothing bound, each once, in the order of the inputs:
/// what a user can give with `--dim`.
std::vector<std::string> unboundDimensions(const Graph& graph);

}  // namespace tessera::model
