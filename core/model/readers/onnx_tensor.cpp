#include "core/model/readers/onnx_tensor.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/model/readers/onnx_wire.h"

namespace tessera::model::onnx_wire {

namespace {

/// Little-endian bytes to a number, as the format stores raw data on every machine.
template <typename Number>
double rawNumber(const char* bytes) {
    Number value{};
    std::memcpy(&value, bytes, sizeof value);  // x86-64 is little-endian
    return static_cast<double>(value);
}

double halfToDouble(std::uint16_t bits) {
    const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
    const int exponent = (bits >> 10) & 0x1F;
    const int mantissa = bits & 0x3FF;
    if (exponent == 0x1F) return mantissa == 0 ? sign * INFINITY : NAN;
    if (exponent == 0) return sign * std::ldexp(mantissa, -24);
    return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

double bfloatToDouble(std::uint16_t bits) {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float value = 0;
    std::memcpy(&value, &wide, sizeof value);
    return static_cast<double>(value);
}

std::uint16_t rawHalf(const char* bytes) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes, sizeof bits);
    return bits;
}

using RawReader = double (*)(const char*);
using TypedSize = int (*)(const onnx::TensorProto&);
using TypedReader = double (*)(const onnx::TensorProto&, int);

int int32Size(const onnx::TensorProto& tensor) {
    return tensor.int32_data_size();
}
int uint64Size(const onnx::TensorProto& tensor) {
    return tensor.uint64_data_size();
}
double int32At(const onnx::TensorProto& tensor, int i) {
    return tensor.int32_data(i);
}
double uint64At(const onnx::TensorProto& tensor, int i) {
    return static_cast<double>(tensor.uint64_data(i));
}

/// How the elements of one data type are stored: in raw_data, or in which typed list.
struct Storage {
    DataType type;
    std::size_t bytes;
    RawReader raw;
    TypedSize size;
    TypedReader typed;
};

constexpr Storage kStorages[] = {
    {DataType::float32, 4, rawNumber<float>, [](const onnx::TensorProto& t) { return t.float_data_size(); },
     [](const onnx::TensorProto& t, int i) { return static_cast<double>(t.float_data(i)); }},
    {DataType::float64, 8, rawNumber<double>, [](const onnx::TensorProto& t) { return t.double_data_size(); },
     [](const onnx::TensorProto& t, int i) { return t.double_data(i); }},
    {DataType::int64, 8, rawNumber<std::int64_t>, [](const onnx::TensorProto& t) { return t.int64_data_size(); },
     [](const onnx::TensorProto& t, int i) { return static_cast<double>(t.int64_data(i)); }},
    {DataType::uint32, 4, rawNumber<std::uint32_t>, uint64Size, uint64At},
    {DataType::uint64, 8, rawNumber<std::uint64_t>, uint64Size, uint64At},
    {DataType::int32, 4, rawNumber<std::int32_t>, int32Size, int32At},
    {DataType::int16, 2, rawNumber<std::int16_t>, int32Size, int32At},
    {DataType::uint16, 2, rawNumber<std::uint16_t>, int32Size, int32At},
    {DataType::int8, 1, rawNumber<std::int8_t>, int32Size, int32At},
    {DataType::uint8, 1, rawNumber<std::uint8_t>, int32Size, int32At},
    {DataType::boolean, 1, rawNumber<std::uint8_t>, int32Size, int32At},
    {DataType::float16, 2, [](const char* bytes) { return halfToDouble(rawHalf(bytes)); }, int32Size,
     [](const onnx::TensorProto& t, int i) { return halfToDouble(static_cast<std::uint16_t>(t.int32_data(i))); }},
    {DataType::bfloat16, 2, [](const char* bytes) { return bfloatToDouble(rawHalf(bytes)); }, int32Size,
     [](const onnx::TensorProto& t, int i) { return bfloatToDouble(static_cast<std::uint16_t>(t.int32_data(i))); }},
};

const Storage* storageOf(DataType type) {
    const auto* const found =
        std::find_if(std::begin(kStorages), std::end(kStorages), [&](const Storage& s) { return s.type == type; });
    return found == std::end(kStorages) ? nullptr : found;
}

/// The typed list in which elements of a data type stand (onnx.proto, TensorProto); "" where there is none.
std::string_view fieldOf(DataType type) {
    switch (type) {
        case DataType::undefined:
            return "";
        case DataType::float32:
        case DataType::complex64:
            return "float_data";
        case DataType::float64:
        case DataType::complex128:
            return "double_data";
        case DataType::int64:
            return "int64_data";
        case DataType::uint32:
        case DataType::uint64:
            return "uint64_data";
        case DataType::string:
            return "string_data";
        default:
            return "int32_data";
    }
}

/// The value of an entry of external data, or nothing where there is none; the last one counts.
std::optional<std::string_view> entryOf(const onnx::TensorProto& tensor, std::string_view key) {
    std::optional<std::string_view> value;
    for (const onnx::StringStringEntryProto& entry : tensor.external_data())
        if (entry.key() == key) value = entry.value();
    return value;
}

/// A number of bytes as external data writes it, or nothing where the text is none.
std::optional<std::uint64_t> byteCount(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = !text.empty() && error == std::errc{} && end == text.data() + text.size();
    return whole && number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
               ? std::optional(number)
               : std::nullopt;
}

bool isExternal(const onnx::TensorProto& tensor) {
    return tensor.data_location() == onnx::TensorProto::EXTERNAL;
}

/// The product of the dimensions, or nothing where one is negative or it does not fit.
std::optional<std::int64_t> countOf(const onnx::TensorProto& tensor) {
    std::int64_t count = 1;
    for (const std::int64_t dimension : tensor.dims())
        if (dimension < 0 || __builtin_mul_overflow(count, dimension, &count)) return std::nullopt;
    return count;
}

double bytesEach(DataType type) {
    if (type == DataType::complex64) return 8;
    return type == DataType::complex128 ? 16 : bytesPerElement(type);
}

/// The bytes that the elements of a tensor take, or nothing where that is not known.
std::optional<std::uint64_t> bytesOf(const onnx::TensorProto& tensor) {
    const std::optional<std::int64_t> count = countOf(tensor);
    const double each = bytesEach(dataTypeOf(tensor.data_type()));
    if (!count || each == 0) return std::nullopt;
    const double bytes = std::ceil(static_cast<double>(*count) * each);
    return bytes < 0x1p63 ? std::optional(static_cast<std::uint64_t>(bytes)) : std::nullopt;
}

/// Whether the elements of some other type take exactly so many bytes.
bool fitsAnotherType(double bytes, double count, double each) {
    for (auto type = static_cast<int>(DataType::float32); type <= static_cast<int>(DataType::int4); ++type) {
        const double other = bytesEach(static_cast<DataType>(type));
        if (other >= 1 && other != each && bytes == count * other) return true;
    }
    return false;
}

/// Of `bytes` bytes where `count` elements take others. `kind` stands behind "bytes of".
std::optional<OddData> oddBytes(double bytes, std::int64_t count, DataType type, std::string_view kind) {
    const double each = bytesEach(type), wanted = std::ceil(static_cast<double>(count) * each);
    if (each == 0 || bytes == wanted) return std::nullopt;
    OddData odd{.found = fmt::format("{:.0f} bytes of {} for {} elements of {}", bytes, kind, count, nameOf(type)),
                .expected = {}};
    if (count > 0 && fitsAnotherType(bytes, static_cast<double>(count), each))
        odd.expected = fmt::format("{:.0f} bytes, or an element type of {} bytes", wanted,
                                   exactNumber(bytes / static_cast<double>(count)));
    return odd;
}

/// Where external data lies in its file, which is never opened.
std::optional<OddData> oddExtent(const onnx::TensorProto& tensor) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    for (const std::string_view key : {"offset", "length"}) {
        const std::optional<std::string_view> text = entryOf(tensor, key);
        if (text && !byteCount(*text))
            return OddData{fmt::format("the {} {} of its external data", key, inQuotes(*text)),
                           "a whole number of bytes below 2^63"};
    }
    const std::uint64_t offset = byteCount(entryOf(tensor, "offset").value_or("0")).value_or(0);
    const std::optional<std::string_view> length = entryOf(tensor, "length");
    const std::optional<std::uint64_t> wanted = bytesOf(tensor);
    const std::uint64_t bytes = length ? byteCount(*length).value_or(0) : wanted.value_or(0);
    if (offset > kMax - std::min(bytes, kMax))
        return OddData{fmt::format("external data of {} bytes at the offset {}", bytes, offset),
                       "an end below 2^63 bytes"};
    const std::optional<std::int64_t> count = countOf(tensor);
    if (!length || !wanted || !count) return std::nullopt;
    return oddBytes(static_cast<double>(bytes), *count, dataTypeOf(tensor.data_type()), "external data");
}

}  // namespace

DataType dataTypeOf(std::int32_t number) {
    return number >= 0 && number <= static_cast<std::int32_t>(DataType::int4) ? static_cast<DataType>(number)
                                                                              : DataType::undefined;
}

std::optional<std::vector<double>> elementsOf(const onnx::TensorProto& tensor) {
    const Storage* storage = storageOf(dataTypeOf(tensor.data_type()));
    const std::optional<std::int64_t> count = countOf(tensor);
    if (storage == nullptr || !count || *count > kMaxFoldedElements || isExternal(tensor)) return std::nullopt;
    const auto size = static_cast<std::size_t>(*count);
    std::vector<double> elements(size);
    if (tensor.raw_data().size() == size * storage->bytes) {
        for (std::size_t i = 0; i < size; ++i)
            elements[i] = storage->raw(tensor.raw_data().data() + i * storage->bytes);
        return elements;
    }
    if (tensor.has_raw_data() || storage->size(tensor) != static_cast<int>(size)) return std::nullopt;
    for (std::size_t i = 0; i < size; ++i) elements[i] = storage->typed(tensor, static_cast<int>(i));
    return elements;
}

std::optional<OddData> oddData(const onnx::TensorProto& tensor, const Payload& payload) {
    if (isExternal(tensor)) return oddExtent(tensor);
    const DataType type = dataTypeOf(tensor.data_type());
    const std::optional<std::int64_t> count = countOf(tensor);
    if (!count) return std::nullopt;
    const std::string_view field = fieldOf(type);
    for (const std::string_view held : payload.typedFields)
        if (!field.empty() && held != field)
            return OddData{fmt::format("data in {}", held),
                           fmt::format("it in {}, where elements of {} stand", field, nameOf(type))};
    if (payload.rawBytes > 0 && payload.typedElements > 0)
        return OddData{fmt::format("data in raw_data and in {}", payload.typedFields.front()), "it in one of them"};
    if (payload.hasRaw) {
        if (payload.rawBytes == 0) return std::nullopt;  // stripped
        if (type == DataType::string) return OddData{"data in raw_data", "elements of string in string_data"};
        return oddBytes(static_cast<double>(payload.rawBytes), *count, type, "data");
    }
    if (payload.typedElements == 0) return std::nullopt;
    const bool complex = type == DataType::complex64 || type == DataType::complex128;
    const bool halfByte = type == DataType::int4 || type == DataType::uint4;
    const auto wanted = static_cast<std::uint64_t>(*count) * (complex ? 2U : 1U);
    const bool fits = payload.typedElements == wanted || (halfByte && payload.typedElements == (wanted + 1) / 2);
    if (fits) return std::nullopt;
    return OddData{fmt::format("data of {} elements for a shape of {}", payload.typedElements, *count), {}};
}

std::string oddLocation(const onnx::TensorProto& tensor) {
    if (!isExternal(tensor)) return {};
    const std::optional<std::string_view> given = entryOf(tensor, "location");
    if (!given) return "no location";
    const std::string_view location = *given;
    const std::string quoted = inQuotes(location, 200);
    if (location.empty() || location.find('\0') != std::string_view::npos || !isUtf8(location))
        return "the invalid location " + quoted;
    const bool drive = location.size() > 1 && location[1] == ':';
    if (location.front() == '/' || location.front() == '\\' || drive) return "the absolute location " + quoted;
    for (std::size_t from = 0; from <= location.size();) {
        const std::size_t to = std::min(location.find_first_of("/\\", from), location.size());
        if (location.substr(from, to - from) == "..")
            return fmt::format("the location {}, which leaves the model's folder", quoted);
        from = to + 1;
    }
    return {};
}

std::optional<ExternalPlace> externalPlaceOf(const onnx::TensorProto& tensor) {
    const bool stated = entryOf(tensor, "offset") || entryOf(tensor, "length");
    if (!isExternal(tensor) || !stated || !oddLocation(tensor).empty() || oddExtent(tensor)) return std::nullopt;
    const std::optional<std::uint64_t> bytes = bytesOf(tensor);
    if (!bytes) return std::nullopt;
    const std::uint64_t begin = byteCount(entryOf(tensor, "offset").value_or("0")).value_or(0);
    return ExternalPlace{.location = std::string(*entryOf(tensor, "location")), .begin = begin, .end = begin + *bytes};
}

DeclaredType declaredTypeOf(const onnx::TypeProto& type) {
    DeclaredType declared;
    if (type.value_case() == onnx::TypeProto::VALUE_NOT_SET) return declared;
    declared.present = true;
    // Sequences, maps and optionals hold tensors; their own shape is not a tensor's.
    if (!type.has_tensor_type() && !type.has_sparse_tensor_type()) return declared;
    const bool sparse = type.has_sparse_tensor_type();
    const std::int32_t element = sparse ? type.sparse_tensor_type().elem_type() : type.tensor_type().elem_type();
    declared.type = dataTypeOf(element);
    declared.present = element != 0;
    if (sparse ? !type.sparse_tensor_type().has_shape() : !type.tensor_type().has_shape()) return declared;
    const onnx::TensorShapeProto& shape = sparse ? type.sparse_tensor_type().shape() : type.tensor_type().shape();
    declared.shape.emplace();
    for (const onnx::TensorShapeProto::Dimension& dimension : shape.dim()) {
        if (dimension.has_dim_param() && !dimension.dim_param().empty())
            declared.symbols.emplace(declared.shape->size(), dimension.dim_param());
        if (dimension.has_dim_value() && dimension.dim_value() < 0)
            declared.negative.emplace(declared.shape->size(), dimension.dim_value());
        declared.shape->push_back(dimension.has_dim_value() && dimension.dim_value() >= 0 ? dimension.dim_value()
                                                                                          : kUnknown);
    }
    return declared;
}

}  // namespace tessera::model::onnx_wire
