#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/graph.h"

namespace onnx {
class TensorProto;
class TypeProto;
}  // namespace onnx

namespace tessera::model::onnx_wire {

struct Payload;

/// Largest stored tensors whose elements are handed on for folding.
inline constexpr std::int64_t kMaxFoldedElements = 65'536;

/// Data type of ONNX's number; `undefined` for 0 and for numbers of later versions.
DataType dataTypeOf(std::int32_t number);

/// The elements of a small integer, boolean or float tensor whose data is in the file and fits its shape.
std::optional<std::vector<double>> elementsOf(const onnx::TensorProto& tensor);

/// Oddities of a stored tensor, as phrases of an error or warning.
struct OddData {
    std::string found;  ///< "16 bytes of data for 5 elements of float32"
    std::string
        expected;  ///< of a contradiction, on which no number can rest; "" where the declared shape still counts
};

/// Oddities of a tensor's data, or of the position of external data in its file; empty where there are none or there is
/// no data. It contradicts the tensor where it stands in the list of another element type, where it stands in two
/// places, where it has exactly the size that the shape takes in another element type, and where its extent is none.
/// Data that is shorter or longer than the shape in any other way is only odd.
std::optional<OddData> oddData(const onnx::TensorProto& tensor, const Payload& payload);

/// Oddity of the name of the file of external data: a phrase such as "the absolute location '/etc/passwd'", or "".
std::string oddLocation(const onnx::TensorProto& tensor);

/// Position of a tensor's external data as the tensor gives it. Nothing is opened.
struct ExternalPlace {
    std::string location;
    std::uint64_t begin = 0, end = 0;  ///< bytes of that file
};
/// Place of a tensor's external data; empty for data in the file itself, and where the place is odd, not stated, or its
/// size is not known.
std::optional<ExternalPlace> externalPlaceOf(const onnx::TensorProto& tensor);

/// A declared type. Dimensions that are not given as a number are kUnknown, with their name where there is one.
struct DeclaredType {
    bool present = false;  ///< false where the type, or its element type, is missing
    DataType type = DataType::undefined;
    Shape shape;
    std::map<std::size_t, std::string> symbols;
    std::map<std::size_t, std::int64_t> negative;  ///< dimensions given as a number below 0; kUnknown in `shape`
};
DeclaredType declaredTypeOf(const onnx::TypeProto& type);

}  // namespace tessera::model::onnx_wire
