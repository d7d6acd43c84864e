#include "core/model/readers/onnx_wire.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "core/base/poll.h"

namespace tessera::model::onnx_wire {

namespace {

namespace pb = google::protobuf;

/// Field numbers of ModelProto up to here may be of a later version of the format; what lies beyond is no ONNX.
constexpr std::uint32_t kLastPlausibleModelField = 100;
constexpr const char* kWholeModel = "a whole ONNX model with nothing after it";

struct MessageRule;

/// How a field is treated, from the schema's descriptor.
struct FieldRule {
    bool known = false;
    bool repeated = false;
    bool packable = false;
    bool dropped = false;  ///< never handed to protobuf
    bool payload = false;  ///< tensor data
    WireType wire = WireType::varint;
    const MessageRule* message = nullptr;
    std::string name;
};

struct MessageRule {
    std::string name;
    bool isNode = false;
    bool isTensor = false;             ///< or a declared one, or a function
    std::uint32_t outputField = 0;     ///< of a node; 0 = none
    std::uint32_t dimensionField = 0;  ///< whose number of entries is limited; 0 = none
    std::vector<FieldRule> fields;     ///< by number

    const FieldRule* field(std::uint32_t number) const {
        return number < fields.size() && fields[number].known ? &fields[number] : nullptr;
    }
};

WireType wireTypeOf(const pb::FieldDescriptor& field) {
    switch (field.type()) {
        case pb::FieldDescriptor::TYPE_DOUBLE:
        case pb::FieldDescriptor::TYPE_FIXED64:
        case pb::FieldDescriptor::TYPE_SFIXED64:
            return WireType::fixed64;
        case pb::FieldDescriptor::TYPE_FLOAT:
        case pb::FieldDescriptor::TYPE_FIXED32:
        case pb::FieldDescriptor::TYPE_SFIXED32:
            return WireType::fixed32;
        case pb::FieldDescriptor::TYPE_STRING:
        case pb::FieldDescriptor::TYPE_BYTES:
        case pb::FieldDescriptor::TYPE_MESSAGE:
            return WireType::bytes;
        default:
            return WireType::varint;
    }
}

/// Rules of all messages of the schema, made once from its descriptors.
class Rules {
public:
    static const Rules& get() {
        static const Rules rules;
        return rules;
    }
    const MessageRule& of(const pb::Descriptor* message) const { return *rules_.at(message); }

private:
    Rules() { add(onnx::ModelProto::descriptor()); }

    const MessageRule* add(const pb::Descriptor* message) {
        const auto found = rules_.find(message);
        if (found != rules_.end()) return found->second.get();
        MessageRule& rule = *rules_.emplace(message, std::make_unique<MessageRule>()).first->second;
        rule.name = message->name();
        rule.isNode = message == onnx::NodeProto::descriptor();
        rule.isTensor = message == onnx::TensorProto::descriptor() || message == onnx::ValueInfoProto::descriptor() ||
                        message == onnx::FunctionProto::descriptor();
        if (rule.isNode) rule.outputField = static_cast<std::uint32_t>(message->FindFieldByName("output")->number());
        if (message == onnx::TensorProto::descriptor() || message == onnx::SparseTensorProto::descriptor())
            rule.dimensionField = static_cast<std::uint32_t>(message->FindFieldByName("dims")->number());
        if (message == onnx::TensorShapeProto::descriptor())
            rule.dimensionField = static_cast<std::uint32_t>(message->FindFieldByName("dim")->number());
        for (int i = 0; i < message->field_count(); ++i) {
            const pb::FieldDescriptor& field = *message->field(i);
            const auto number = static_cast<std::size_t>(field.number());
            if (rule.fields.size() <= number) rule.fields.resize(number + 1);
            rule.fields[number] = {.known = true,
                                   .repeated = field.is_repeated(),
                                   .packable = field.is_packable(),
                                   .dropped = dropped(field),
                                   .payload = payload(field),
                                   .wire = wireTypeOf(field),
                                   .message = nullptr,
                                   .name = field.name()};
            if (field.message_type() != nullptr) {
                const MessageRule* inner = add(field.message_type());
                rule.fields[number].message = inner;
            }
        }
        return &rule;
    }
    static bool dropped(const pb::FieldDescriptor& field) {
        static const std::vector<std::string> kNames{"g",       "graphs",         "tp",         "type_protos",
                                                     "tensors", "sparse_tensors", "doc_string", "denotation"};
        return std::find(kNames.begin(), kNames.end(), field.name()) != kNames.end();
    }
    static bool payload(const pb::FieldDescriptor& field) {
        return field.containing_type() == onnx::TensorProto::descriptor() &&
               (field.name() == "raw_data" || field.name().ends_with("_data")) && field.name() != "external_data";
    }

    std::map<const pb::Descriptor*, std::unique_ptr<MessageRule>> rules_;
};

/// How many varints a packed field holds: each ends with a byte below 128.
std::uint64_t varintsIn(std::string_view packed) {
    return static_cast<std::uint64_t>(
        std::count_if(packed.begin(), packed.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

std::uint64_t entriesIn(const FieldRule& rule, const WireField& field) {
    if (field.type != WireType::bytes || !rule.packable) return 1;
    if (rule.wire == WireType::fixed32) return field.bytes.size() / 4;
    if (rule.wire == WireType::fixed64) return field.bytes.size() / 8;
    return varintsIn(field.bytes);
}

/// The walk over the whole file. Recursion is bounded by kDeepest.
class Checker {
public:
    explicit Checker(const Source& source) : source_(source) {}

    void check(std::string_view message, const MessageRule& rule, int depth, bool model = false) {
        if (depth > kDeepest)
            throw DataError(source_.at(message.data()), fmt::format("messages nested more than {} deep", kDeepest),
                            fmt::format("at most {} levels", kDeepest));
        if (rule.isNode) count(nodes_, kMaxNodes, "nodes", message.data());
        if (rule.isTensor) count(tensors_, kMaxTensors, "tensors", message.data());
        WireCursor cursor(source_, message);
        WireField field;
        std::uint64_t dimensions = 0;
        std::set<std::uint32_t> seen;
        for (const char* tag = cursor.position(); cursor.next(field); tag = cursor.position()) {
            poll();
            count(fields_, kMaxFields, "fields", tag);
            const FieldRule* known = rule.field(field.number);
            if (known == nullptr) {
                if (model && field.number > kLastPlausibleModelField)
                    throw DataError(source_.at(tag), fmt::format("data of the unknown field {}", field.number),
                                    kWholeModel);
                continue;
            }
            checkField(*known, rule, field, tag);
            if (rule.outputField == field.number) count(tensors_, kMaxTensors, "tensors", tag);
            if (field.number == rule.dimensionField) {
                dimensions += entriesIn(*known, field);
                if (dimensions > kMaxDimensions)
                    throw DataError(source_.at(tag), fmt::format("more than {} dimensions", kMaxDimensions),
                                    fmt::format("at most {} dimensions", kMaxDimensions));
            }
            if (model && !known->repeated && !seen.insert(field.number).second)
                throw DataError(source_.at(tag), "a second " + known->name, kWholeModel);
            if (known->message != nullptr) check(field.bytes, *known->message, depth + 1);
        }
    }

private:
    void count(std::int64_t& counter, std::int64_t max, const char* what, const char* position) const {
        if (++counter > max)
            throw DataError(source_.at(position), fmt::format("more than {} {}", max, what),
                            fmt::format("at most {} {}", max, what));
    }
    void checkField(const FieldRule& known, const MessageRule& rule, const WireField& field, const char* tag) const {
        const bool packed = field.type == WireType::bytes && known.packable && known.repeated;
        if (field.type != known.wire && !packed)
            throw DataError(
                source_.at(tag),
                fmt::format("the field {}.{} with wire type {}", rule.name, known.name, static_cast<int>(field.type)),
                fmt::format("wire type {}", static_cast<int>(known.wire)));
        if (!packed) return;
        const std::size_t size = field.bytes.size();
        const bool cut = known.wire == WireType::fixed32 ? size % 4 != 0
                         : known.wire == WireType::fixed64
                             ? size % 8 != 0
                             : size > 0 && static_cast<unsigned char>(field.bytes.back()) >= 0x80;
        if (cut)
            throw DataError(source_.at(tag),
                            fmt::format("a list in {}.{} that ends inside a number", rule.name, known.name),
                            "whole numbers only");
    }

    const Source& source_;
    std::int64_t nodes_ = 0;
    std::int64_t tensors_ = 0;
    std::int64_t fields_ = 0;
};

void appendVarint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
}

/// Copies a message without what `stripped` leaves out, and adds up what protobuf will need for the rest.
class Stripper {
public:
    explicit Stripper(const Source& source) : source_(source) {}

    std::string copy(std::string_view message, const MessageRule& rule) {
        charge(message.data(), 256);  // object, pointer to it and the allocator's share
        const bool keepPayload =
            &rule != &Rules::get().of(onnx::TensorProto::descriptor()) || payloadOf(source_, message).kept;
        std::string out;
        WireCursor cursor(source_, message);
        WireField field;
        for (const char* tag = cursor.position(); cursor.next(field); tag = cursor.position()) {
            const FieldRule* known = rule.field(field.number);
            if (known == nullptr || known->dropped || (known->payload && !keepPayload)) continue;
            const std::string_view whole(tag, static_cast<std::size_t>(cursor.position() - tag));
            if (known->message != nullptr) {
                const std::string inner = copy(field.bytes, *known->message);
                appendVarint(out, (std::uint64_t{field.number} << 3) | static_cast<std::uint64_t>(WireType::bytes));
                appendVarint(out, inner.size());
                out += inner;
                continue;
            }
            charge(tag, known->wire == WireType::bytes ? 64 + whole.size() : 16 * entriesIn(*known, field));
            out += whole;
        }
        return out;
    }

private:
    void charge(const char* position, std::uint64_t bytes) {
        used_ += bytes;
        if (used_ > kMaxUnitBytes)
            throw DataError(
                source_.at(position),
                fmt::format("a node or tensor that needs more than {} MiB without its weights", kMaxUnitBytes >> 20),
                fmt::format("at most {} MiB", kMaxUnitBytes >> 20));
    }

    const Source& source_;
    std::uint64_t used_ = 0;
};

}  // namespace

Place Source::at(const char* position) const {
    return {.file = file, .where = fmt::format("byte {}", position - bytes.data())};
}

std::uint64_t WireCursor::varint() {
    const char* const start = rest_.data();
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (rest_.empty()) throw DataError(source_.at(start), "a number that is cut off", kWholeModel);
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        if (shift < 64) value |= std::uint64_t{byte & 0x7FU} << shift;
        if (byte < 0x80) return value;
    }
    throw DataError(source_.at(start), "a number of more than 10 bytes", kWholeModel);
}

bool WireCursor::read(WireField& field) {
    if (rest_.empty()) return false;
    const char* const tagStart = rest_.data();
    const std::uint64_t tag = varint();
    const std::uint64_t type = tag & 7;
    if (tag >> 3 == 0 || tag >> 32 != 0 || type > 5)
        throw DataError(source_.at(tagStart), "bytes that start no field", kWholeModel);
    field = {
        .number = static_cast<std::uint32_t>(tag >> 3), .type = static_cast<WireType>(type), .value = 0, .bytes = {}};
    std::uint64_t size = 0;
    switch (field.type) {
        case WireType::varint:
            field.value = varint();
            return true;
        case WireType::fixed64:
            size = 8;
            break;
        case WireType::fixed32:
            size = 4;
            break;
        case WireType::bytes:
            size = varint();
            break;
        case WireType::groupStart:
        case WireType::groupEnd:
            return true;
    }
    if (size > rest_.size())
        throw DataError(source_.at(tagStart), fmt::format("a field of {} bytes where {} are left", size, rest_.size()),
                        kWholeModel);
    field.bytes = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(field.bytes.size());
    return true;
}

void WireCursor::skipGroup(std::uint32_t number) {
    std::vector<std::uint32_t> open{number};
    WireField field;
    while (!open.empty()) {
        const char* const start = rest_.data();
        if (!read(field)) throw DataError(source_.at(start), "a group that does not end", kWholeModel);
        if (field.type == WireType::groupStart) open.push_back(field.number);
        if (open.size() > static_cast<std::size_t>(kDeepest))
            throw DataError(source_.at(start), fmt::format("groups nested more than {} deep", kDeepest),
                            fmt::format("at most {} levels", kDeepest));
        if (field.type != WireType::groupEnd) continue;
        if (field.number != open.back()) throw DataError(source_.at(start), "the end of another group", kWholeModel);
        open.pop_back();
    }
}

bool WireCursor::next(WireField& field) {
    for (;;) {
        const char* const start = rest_.data();
        if (!read(field)) return false;
        if (field.type == WireType::groupEnd)
            throw DataError(source_.at(start), "the end of a group that was not opened", kWholeModel);
        if (field.type != WireType::groupStart) return true;
        skipGroup(field.number);
    }
}

void checkWire(const Source& source) {
    Checker(source).check(source.bytes, Rules::get().of(onnx::ModelProto::descriptor()), 0, true);
}

std::string stripped(const Source& source, std::string_view message, Unit unit) {
    // In the order of Unit.
    const std::array descriptors{onnx::NodeProto::descriptor(), onnx::AttributeProto::descriptor(),
                                 onnx::TensorProto::descriptor(), onnx::SparseTensorProto::descriptor(),
                                 onnx::ValueInfoProto::descriptor()};
    const pb::Descriptor* const descriptor = descriptors.at(static_cast<std::size_t>(unit));
    return Stripper(source).copy(message, Rules::get().of(descriptor));
}

Payload payloadOf(const Source& source, std::string_view tensor) {
    const MessageRule& rule = Rules::get().of(onnx::TensorProto::descriptor());
    Payload payload;
    std::uint64_t bytes = 0;
    WireCursor cursor(source, tensor);
    WireField field;
    while (cursor.next(field)) {
        const FieldRule* known = rule.field(field.number);
        if (known == nullptr || !known->payload) continue;
        if (known->name == "raw_data") {
            payload.hasRaw = true;
            payload.rawBytes = field.bytes.size();
        } else {
            const std::uint64_t entries = entriesIn(*known, field);
            payload.typedElements += entries;
            std::vector<std::string_view>& held = payload.typedFields;
            if (entries > 0 && std::find(held.begin(), held.end(), known->name) == held.end())
                held.emplace_back(known->name);
        }
        bytes += field.bytes.size() + 1;
    }
    payload.kept = bytes <= kMaxPayloadBytes;
    return payload;
}

}  // namespace tessera::model::onnx_wire
