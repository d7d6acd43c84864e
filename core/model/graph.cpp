#include "core/model/graph.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "core/base/names.h"
#include "core/base/number.h"

namespace tessera::model {

namespace {

struct DataTypeRow {
    DataType type;
    std::string_view name;
    double bytes;
    bool isFloat;
};

constexpr std::array kDataTypes{
    DataTypeRow{DataType::undefined, "undefined", 0, false},
    DataTypeRow{DataType::float32, "float32", 4, true},
    DataTypeRow{DataType::uint8, "uint8", 1, false},
    DataTypeRow{DataType::int8, "int8", 1, false},
    DataTypeRow{DataType::uint16, "uint16", 2, false},
    DataTypeRow{DataType::int16, "int16", 2, false},
    DataTypeRow{DataType::int32, "int32", 4, false},
    DataTypeRow{DataType::int64, "int64", 8, false},
    DataTypeRow{DataType::string, "string", 0, false},
    DataTypeRow{DataType::boolean, "boolean", 1, false},
    DataTypeRow{DataType::float16, "float16", 2, true},
    DataTypeRow{DataType::float64, "float64", 8, true},
    DataTypeRow{DataType::uint32, "uint32", 4, false},
    DataTypeRow{DataType::uint64, "uint64", 8, false},
    DataTypeRow{DataType::complex64, "complex64", 8, false},
    DataTypeRow{DataType::complex128, "complex128", 16, false},
    DataTypeRow{DataType::bfloat16, "bfloat16", 2, true},
    DataTypeRow{DataType::float8e4m3, "float8e4m3", 1, true},
    DataTypeRow{DataType::float8e4m3fnuz, "float8e4m3fnuz", 1, true},
    DataTypeRow{DataType::float8e5m2, "float8e5m2", 1, true},
    DataTypeRow{DataType::float8e5m2fnuz, "float8e5m2fnuz", 1, true},
    DataTypeRow{DataType::uint4, "uint4", 0.5, false},
    DataTypeRow{DataType::int4, "int4", 0.5, false},
};

const DataTypeRow& rowOf(DataType type) {
    const auto index = static_cast<std::size_t>(type);
    return index < kDataTypes.size() ? kDataTypes[index] : kDataTypes.front();
}

}  // namespace

bool isFloat(DataType type) {
    return rowOf(type).isFloat;
}

double bytesPerElement(DataType type) {
    return rowOf(type).bytes;
}

std::string_view nameOf(DataType type) {
    return rowOf(type).name;
}

DataType dataTypeNamed(std::string_view name) {
    const DataTypeRow* const row = findRow(kDataTypes, name);
    return row == nullptr ? DataType::undefined : row->type;
}

std::optional<std::int64_t> elementCount(const Shape& shape) {
    if (!shape) return std::nullopt;
    std::int64_t count = 1;
    bool isEmpty = false;
    bool fits = true;
    for (const std::int64_t dim : *shape) {
        if (dim < 0) return std::nullopt;
        if (dim == 0) isEmpty = true;
        fits = fits && !__builtin_mul_overflow(count, dim, &count);
    }
    if (isEmpty) return 0;
    return fits ? std::optional(count) : std::nullopt;
}

bool contradicts(const Shape& one, const Shape& other) {
    if (!one || !other) return false;
    if (one->size() != other->size()) return true;
    for (std::size_t i = 0; i < one->size(); ++i)
        if ((*one)[i] != kUnknown && (*other)[i] != kUnknown && (*one)[i] != (*other)[i]) return true;
    return false;
}

std::optional<double> bytesOf(const Tensor& tensor) {
    const auto elements = elementCount(tensor.shape);
    if (!elements) return std::nullopt;
    return static_cast<double>(*elements) * bytesPerElement(tensor.type);
}

std::string toText(const Shape& shape) {
    if (!shape) return "unknown shape";
    if (shape->empty()) return "scalar";
    std::string text;
    for (const std::int64_t dim : *shape) {
        if (!text.empty()) text += 'x';
        text += dim == kUnknown ? "?" : fmt::format("{}", dim);
    }
    return text;
}

std::vector<std::int32_t> producers(const Graph& graph) {
    std::vector<std::int32_t> result(graph.tensors.size(), -1);
    for (std::size_t i = 0; i < graph.operators.size(); ++i)
        for (const TensorIndex output : graph.operators[i].outputs)
            if (output != kNoTensor) result[toIndex(output)] = static_cast<std::int32_t>(i);
    return result;
}

std::vector<std::string> unboundDimensions(const Graph& graph) {
    std::vector<std::string> names;
    std::set<std::string_view> seen;
    for (const TensorIndex input : graph.inputs)
        for (const auto& [axis, name] : graph.tensor(input).symbols)
            if (seen.insert(name).second) names.push_back(name);
    return names;
}

}  // namespace tessera::model
