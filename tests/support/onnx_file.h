#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// A small ONNX file, written without the library that reads it.
namespace tessera::test {

/// One field of a message in protobuf's wire form.
inline std::string varint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 128; value >>= 7) bytes += static_cast<char>(value % 128 + 128);
    return bytes + static_cast<char>(value);
}
inline std::string field(unsigned number, std::string_view bytes) {
    return varint(number * 8 + 2) + varint(bytes.size()) + std::string(bytes);
}
inline std::string field(unsigned number, std::uint64_t value) {
    return varint(number * 8) + varint(value);
}

/// A float tensor's name and shape; dimensions that are no digits are symbols.
inline std::string onnxValue(std::string_view name, const std::vector<std::string>& dimensions) {
    std::string shape;
    for (const std::string& each : dimensions) {
        const bool isNumber = each.find_first_not_of("0123456789") == std::string::npos;
        shape += field(1, isNumber ? field(1, std::uint64_t{std::stoull(each)}) : field(2, each));
    }
    return field(1, name) + field(2, field(1, field(1, std::uint64_t{1}) + field(2, shape)));
}

/// x (N x SEQUENCE x 8) times w (8 x 16): the sizes of its layer depend on the symbolic dimension.
inline std::string onnxWithSequence(const std::string& sequence) {
    const std::string weights(8 * 16 * 4, '\0');
    const std::string w = field(1, std::uint64_t{8}) + field(1, std::uint64_t{16}) + field(2, std::uint64_t{1}) +
                          field(8, "w") + field(9, weights);
    const std::string node = field(1, "x") + field(1, "w") + field(2, "y") + field(3, "product") + field(4, "MatMul");
    const std::string graph = field(1, node) + field(2, "sequence model") + field(5, w) +
                              field(11, onnxValue("x", {"N", sequence, "8"})) +
                              field(12, onnxValue("y", {"N", sequence, "16"}));
    return field(1, std::uint64_t{8}) + field(7, graph) + field(8, field(2, std::uint64_t{17}));
}

}  // namespace tessera::test
