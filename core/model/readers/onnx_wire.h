#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/graph.h"

/// ONNX files below the level of messages. A protobuf parser that is handed a hostile file may need a hundred times
/// the file's size before it notices, so the bytes are walked first, and messages are then parsed one node or tensor at
/// a time, without the weights.
namespace tessera::model::onnx_wire {

inline constexpr std::int64_t kMaxNodes = 1'000'000;
inline constexpr std::int64_t kMaxTensors = 4'000'000;   ///< named in the file, with functions
inline constexpr std::int64_t kMaxFields = 100'000'000;  ///< in the file; bounds the time
inline constexpr int kDeepest = 100;                     ///< messages inside messages, as protobuf's own default
inline constexpr std::size_t kMaxUnitBytes = std::size_t{64} << 20;    ///< one node or tensor, parsed, without weights
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{1} << 20;  ///< tensor data that is still handed to protobuf

/// The whole file, for naming places in it.
struct Source {
    std::string_view bytes;
    const std::string& file;

    /// "byte 123" of the file for a position inside `bytes`.
    Place at(const char* position) const;
};

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, groupStart = 3, groupEnd = 4, fixed32 = 5 };

struct WireField {
    std::uint32_t number = 0;
    WireType type = WireType::varint;
    std::uint64_t value = 0;  ///< of a varint
    std::string_view bytes;   ///< what follows the tag; without the length for `WireType::bytes`
};

/// Reads a message field by field without copying. Groups (obsolete, unknown to ONNX) are skipped.
/// Throws DataError (byte offset) where the bytes are no protobuf fields.
class WireCursor {
public:
    WireCursor(const Source& source, std::string_view message) : source_(source), rest_(message) {}
    /// False at the end of the message.
    bool next(WireField& field);
    const char* position() const { return rest_.data(); }

private:
    std::uint64_t varint();
    bool read(WireField& field);
    void skipGroup(std::uint32_t number);

    const Source& source_;
    std::string_view rest_;
};

/// Walks the whole file by the schema's message descriptors. Throws DataError where a field is cut off or has the wrong
/// wire type, where something follows the model, beyond `kDeepest` nested messages, `kMaxNodes` nodes (in the graph
/// and the bodies of its functions and subgraphs together) or `kMaxDimensions` dimensions.
void checkWire(const Source& source);

enum class Unit : std::uint8_t { node, attribute, tensor, sparseTensor, valueInfo };

/// A copy of one message without unused parts: unknown fields, documentation, subgraphs, and tensor data of more
/// than `kMaxPayloadBytes`. Throws DataError where the parsed message would need more than `kMaxUnitBytes`.
std::string stripped(const Source& source, std::string_view message, Unit unit);

/// Data of a TensorProto, counted without keeping it.
struct Payload {
    bool hasRaw = false;
    std::uint64_t rawBytes = 0;
    std::uint64_t typedElements = 0;                 ///< in float_data, int32_data, ... together
    std::vector<std::string_view> typedFields = {};  ///< which of them hold elements
    bool kept = true;                                ///< small enough that `stripped` keeps it
};
Payload payloadOf(const Source& source, std::string_view tensor);

}  // namespace tessera::model::onnx_wire
