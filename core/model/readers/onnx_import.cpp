#include "core/model/readers/onnx_import.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/model/operators/operator_table.h"
#include "core/model/readers/dimensions.h"

namespace tessera::model::onnx_wire {

namespace {

constexpr std::int64_t kNewestOpset = 22;
constexpr std::int64_t kNewestIrVersion = 10;
constexpr std::int64_t kAssumedOpset = 17;
constexpr std::size_t kLongestOnnxName = std::size_t{64} << 10;
constexpr std::size_t kShortenedName = 200;
/// What the graph may need beside the file's bytes, so that a process of 2 GiB of address space has room for both.
constexpr std::size_t kMaxMemory = std::size_t{1600} << 20;
/// Bytes of nodes that are read, those of bodies and functions once per use, so that no file takes long.
constexpr std::size_t kMaxRead = std::size_t{8} << 30;
constexpr std::size_t kOperatorBytes = 700;
constexpr std::size_t kTensorBytes = 400;

/// ModelProto, OperatorSetIdProto and FunctionProto.
constexpr std::uint32_t kModelIrVersion = 1, kModelGraph = 7, kModelOpset = 8, kModelFunction = 25;
constexpr std::uint32_t kOpsetDomain = 1, kOpsetVersion = 2;
constexpr std::uint32_t kFunctionName = 1, kFunctionInput = 4, kFunctionOutput = 5, kFunctionNode = 7,
                        kFunctionOpset = 9, kFunctionDomain = 10, kFunctionDefault = 11;

std::string standardDomain(std::string_view domain) {
    return domain == "ai.onnx" ? "" : std::string(domain);
}

template <typename Message>
Message parsed(const Source& source, std::string_view bytes, Unit unit) {
    Message message;
    if (!message.ParsePartialFromString(stripped(source, bytes, unit)))
        throw DataError(source.at(bytes.data()), "a message that protobuf cannot read", "an ONNX model");
    return message;
}

onnx::AttributeProto::AttributeType kindOf(const onnx::AttributeProto& attribute) {
    if (attribute.has_type() && attribute.type() != onnx::AttributeProto::UNDEFINED) return attribute.type();
    // Files of the first format version name no kind; the field that is set decides.
    if (attribute.has_f()) return onnx::AttributeProto::FLOAT;
    if (attribute.has_i()) return onnx::AttributeProto::INT;
    if (attribute.has_s()) return onnx::AttributeProto::STRING;
    if (attribute.has_t()) return onnx::AttributeProto::TENSOR;
    if (attribute.floats_size() > 0) return onnx::AttributeProto::FLOATS;
    if (attribute.strings_size() > 0) return onnx::AttributeProto::STRINGS;
    if (attribute.ints_size() > 0) return onnx::AttributeProto::INTS;
    return onnx::AttributeProto::UNDEFINED;
}

/// Adds an attribute in the builder's form. A small tensor becomes the list of its elements, with its data type under
/// NAME_type.
void convert(const onnx::AttributeProto& attribute, Attributes& into) {
    const std::string& name = attribute.name();
    switch (kindOf(attribute)) {
        case onnx::AttributeProto::FLOAT:
            into[name] = static_cast<double>(attribute.f());
            break;
        case onnx::AttributeProto::INT:
            into[name] = static_cast<std::int64_t>(attribute.i());
            break;
        case onnx::AttributeProto::STRING:
            into[name] = attribute.s();
            break;
        case onnx::AttributeProto::FLOATS:
            into[name] = std::vector<double>(attribute.floats().begin(), attribute.floats().end());
            break;
        case onnx::AttributeProto::INTS:
            into[name] = std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
            break;
        case onnx::AttributeProto::STRINGS:
            into[name] = std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
            break;
        case onnx::AttributeProto::TENSOR: {
            const onnx::TensorProto& tensor = attribute.t();
            if (auto elements = elementsOf(tensor)) into[name] = std::move(*elements);
            into[name + "_type"] = static_cast<std::int64_t>(dataTypeOf(tensor.data_type()));
            break;
        }
        default:
            break;
    }
}

std::size_t attributeBytes(const Attributes& attributes) {
    std::size_t bytes = 0;
    for (const auto& [name, value] : attributes) {
        bytes += 160 + name.size();
        if (const auto* text = std::get_if<std::string>(&value)) bytes += text->size();
        if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&value)) bytes += 8 * whole->size();
        if (const auto* real = std::get_if<std::vector<double>>(&value)) bytes += 8 * real->size();
        if (const auto* texts = std::get_if<std::vector<std::string>>(&value))
            for (const std::string& text : *texts) bytes += 32 + text.size();
    }
    return bytes;
}

std::vector<std::int64_t> checkedDimensions(const google::protobuf::RepeatedField<std::int64_t>& dims,
                                            const Place& place) {
    std::vector<std::int64_t> shape(dims.begin(), dims.end());
    for (const std::int64_t dimension : shape)
        if (dimension < 0) throw DataError(place, fmt::format("the dimension {}", dimension), "0 or above");
    return shape;
}

/// Where two shapes agree what is known of both; unknown where they differ or neither is known.
Shape merged(const Shape& a, const Shape& b) {
    if (!a || !b || a->size() != b->size()) return std::nullopt;
    std::vector<std::int64_t> result = *a;
    for (std::size_t i = 0; i < result.size(); ++i)
        if (result[i] != (*b)[i]) result[i] = kUnknown;
    return result;
}

std::int64_t wholeAttribute(const AttributeProtos& attributes, const std::string& name, std::int64_t fallback) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? fallback : found->second.i();
}

/// The layer that an operator belongs to: from node names such as "/model/layer1/layer1.0/conv1/Conv" the module
/// "model.layer1.0.conv1", else from the first stored tensor such as "layer1.0.conv1.weight".
std::string layerNameOf(std::string_view node, const std::vector<std::string_view>& stored) {
    constexpr std::size_t kMaxLength = 512;
    if (node.starts_with('/') && node.size() <= kMaxLength) {
        const std::vector<std::string_view> parts = split(node.substr(1), '/');
        std::vector<std::string> kept;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i)
            if (i + 2 == parts.size() || !parts[i + 1].starts_with(std::string(parts[i]) + "."))
                kept.emplace_back(parts[i]);
        return joined(kept, ".");
    }
    for (const std::string_view name : stored) {
        const std::size_t dot = name.rfind('.');
        if (dot != std::string_view::npos && dot > 0 && name.size() <= kMaxLength)
            return std::string(name.substr(0, dot));
    }
    return {};
}

/// The repeated block of a layer: up to its first run of numbers, "layer1.0" of "layer1.0.conv1".
std::string blockOf(std::string_view layer) {
    const auto isNumber = [](std::string_view part) {
        return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    std::size_t end = 0;
    bool inNumbers = false;
    std::size_t at = 0;
    for (const std::string_view part : split(layer, '.')) {
        if (isNumber(part) && at > 0) {
            end = at + part.size();
            inNumbers = true;
        } else if (inNumbers) {
            break;
        }
        at += part.size() + 1;
    }
    return std::string(layer.substr(0, end));
}

}  // namespace

void Warnings::add(const std::string& kind, std::string sentence) {
    auto found = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& k) { return k.name == kind; });
    if (found == kinds_.end()) found = kinds_.insert(kinds_.end(), Kind{.name = kind, .count = 0, .sentences = {}});
    sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
    sentence += '.';
    if (++found->count <= kMaxOfAKind) found->sentences.push_back(std::move(sentence));
}

std::vector<std::string> Warnings::finish() const {
    std::vector<std::string> all;
    for (const Kind& kind : kinds_) {
        all.insert(all.end(), kind.sentences.begin(), kind.sentences.end());
        if (kind.count > kMaxOfAKind)
            all.push_back(fmt::format("And {} more: {}.", kind.count - kMaxOfAKind, kind.name));
    }
    return all;
}

void Budget::charge(std::size_t bytes) {
    used_ += bytes;
    if (used_ > limit_)
        throw DataError({.file = file_}, fmt::format("a model that needs more than {} MiB of memory", kMaxMemory >> 20),
                        fmt::format("at most {} MiB, the file included", kMaxMemory >> 20));
}

void Dimensions::see(const DeclaredType& type) {
    for (const auto& [axis, name] : type.symbols) seen_.insert(name);
}

void Dimensions::addInput(const DeclaredType& type) {
    see(type);
    const auto leading = type.symbols.find(0);
    if (leading != type.symbols.end()) bound_.emplace(leading->second, batch());
}

void Dimensions::bind(DeclaredType& type) const {
    for (auto at = type.symbols.begin(); at != type.symbols.end();) {
        const auto option = options_.dimensions.find(at->second);
        const auto bound = bound_.find(at->second);
        const bool known = option != options_.dimensions.end() || bound != bound_.end();
        if (!known) {
            ++at;
            continue;
        }
        (*type.shape)[at->first] = option != options_.dimensions.end() ? option->second : bound->second;
        at = type.symbols.erase(at);
    }
}

void Dimensions::checkOptions() const {
    checkDimensions(options_, source_.file, seen_);
}

struct Importer::Node {
    std::string_view bytes;
    std::string type;
    std::string domain;
    std::string name;  ///< unique
    std::vector<std::string_view> inputs;
    std::vector<std::string_view> outputs;
    AttributeProtos attributes;
};

Importer::Importer(const Source& source, const LoadOptions& options)
    : source_(source), options_(options), dimensions_(source, options), budget_(source.file, kMaxMemory) {
    budget_.charge(source.bytes.size());
}

Graph Importer::run() {
    readModel();
    const GraphParts parts = partsOf(source_, graph_);
    if (parts.nodes.empty()) throw DataError({.file = source_.file}, "a graph without nodes", "at least one node");
    builder_.emplace(parts.name.empty() ? "graph" : escaped(parts.name, kShortenedName), source_.file, opset_);

    std::vector<std::string_view> given;
    std::unordered_set<std::string_view> stored;
    for (const std::string_view tensor : parts.initializers) given.push_back(nameOfTensor(source_, tensor));
    for (const std::string_view tensor : parts.sparseInitializers) given.push_back(nameOfSparse(source_, tensor));
    for (const std::string_view name : given)
        if (!stored.insert(name).second)
            throw DataError({.file = source_.file, .where = "stored tensor " + inQuotes(name)}, "a second definition",
                            "every tensor to be defined once");
    for (const std::string_view input : parts.inputs) given.push_back(nameOfValue(source_, input));
    order_ = orderOf(source_, parts.nodes, given);
    for (const std::string_view node : parts.nodes)
        nodeNames_.emplace(textField(source_, node, field::kNodeName), false);

    main_.main = true;
    addInputs(parts, order_);
    collectDeclared(parts, main_);
    dimensions_.checkOptions();
    addTensors(parts, main_);
    if (!order_.sequence.empty())
        warnings_.add("nodes out of order",
                      "the nodes are not in an order in which they can be computed; they were sorted");
    addNodes(parts.nodes, order_.sequence, main_);
    addOutputs(parts, main_);
    warnUnused(parts, order_);
    warnOfOverlaps();
    for (std::string& sentence : warnings_.finish()) builder_->warn(std::move(sentence));
    Graph graph = std::move(*builder_).build();
    graph.opset = opset_;
    graph.batch = batch_.value_or(1);
    return graph;
}

void Importer::readModel() {
    std::int64_t irVersion = 0;
    bool irGiven = false, opsetGiven = false;
    std::int64_t opset = 0;
    WireCursor cursor(source_, source_.bytes);
    WireField found;
    while (cursor.next(found)) {
        if (found.number == kModelIrVersion) {
            irVersion = static_cast<std::int64_t>(found.value);
            irGiven = true;
        }
        if (found.number == kModelGraph) {
            graph_ = found.bytes;
            graphGiven_ = true;
        }
        if (found.number == kModelFunction) functionBytes_.push_back(found.bytes);
        if (found.number != kModelOpset) continue;
        const std::string domain = standardDomain(textField(source_, found.bytes, kOpsetDomain));
        std::int64_t version = 0;
        WireCursor parts(source_, found.bytes);
        WireField part;
        while (parts.next(part))
            if (part.number == kOpsetVersion) version = static_cast<std::int64_t>(part.value);
        if (version < 0)
            throw DataError({.file = source_.file, .where = "opset of domain " + inQuotes(domain)},
                            fmt::format("version {}", version), "0 or above");
        domains_.insert(domain);
        if (!domain.empty()) continue;
        opset = opsetGiven ? std::max(opset, version) : version;
        opsetGiven = true;
    }
    if (!graphGiven_)
        throw DataError({.file = source_.file}, source_.bytes.empty() ? "an empty file" : "no graph",
                        "an ONNX model with a graph");
    readVersions(irVersion, irGiven);
    opset_ = opset;
    if (!opsetGiven || opset == 0) {
        warnings_.add("versions",
                      fmt::format("the opset is {}; {} is assumed", opsetGiven ? "0" : "missing", kAssumedOpset));
        opset_ = kAssumedOpset;
    } else if (opset > kNewestOpset) {
        warnings_.add(
            "versions",
            fmt::format("the opset {} is newer than {}, the last one known; operators are read as those of {}", opset,
                        kNewestOpset, kNewestOpset));
        opset_ = kNewestOpset;
    }
    for (const std::string_view bytes : functionBytes_) addFunction(bytes);
}

void Importer::readVersions(std::int64_t irVersion, bool irGiven) {
    if (!irGiven)
        warnings_.add("versions", "the format version (ir_version) is missing");
    else if (irVersion <= 0)
        warnings_.add("versions", fmt::format("the format version (ir_version) {} is unknown", irVersion));
    else if (irVersion > kNewestIrVersion)
        warnings_.add("versions", fmt::format("the format version (ir_version) {} is newer than {}, the last one known",
                                              irVersion, kNewestIrVersion));
}

void Importer::addFunction(std::string_view bytes) {
    Function function;
    std::string domain;
    WireCursor cursor(source_, bytes);
    WireField found;
    while (cursor.next(found)) {
        if (found.type != WireType::bytes) continue;
        switch (found.number) {
            case kFunctionName:
                function.name = found.bytes;
                break;
            case kFunctionDomain:
                domain = standardDomain(found.bytes);
                break;
            case kFunctionInput:
                function.inputs.push_back(found.bytes);
                break;
            case kFunctionOutput:
                function.outputs.push_back(found.bytes);
                break;
            case kFunctionNode:
                function.nodes.push_back(found.bytes);
                break;
            case kFunctionDefault:
                function.defaults.push_back(found.bytes);
                break;
            case kFunctionOpset:
                domains_.insert(standardDomain(textField(source_, found.bytes, kOpsetDomain)));
                break;
            default:
                break;
        }
        budget_.charge(sizeof(std::string_view));
    }
    budget_.charge(sizeof(Function) + function.name.size() + domain.size());
    const std::string name = function.name;
    domains_.insert(domain);
    functions_.emplace(std::pair(domain, name), std::move(function));
}

std::optional<DeclaredType> Importer::declaredType(std::string_view valueInfo, const Scope& scope) {
    const auto info = parsed<onnx::ValueInfoProto>(source_, valueInfo, Unit::valueInfo);
    if (!info.has_type()) return std::nullopt;
    DeclaredType type = declaredTypeOf(info.type());
    if (!type.negative.empty() && !scope.main)
        throw DataError({.file = source_.file, .where = "tensor " + inQuotes(info.name())},
                        fmt::format("the dimension {}", type.negative.begin()->second), "0 or above");
    return type;
}

void Importer::addInputs(const GraphParts& parts, const NodeOrder& /*order*/) {
    std::unordered_set<std::string_view> stored, seen;
    for (const std::string_view tensor : parts.initializers) stored.insert(nameOfTensor(source_, tensor));
    for (const std::string_view tensor : parts.sparseInitializers) stored.insert(nameOfSparse(source_, tensor));
    std::vector<std::pair<std::string_view, DeclaredType>> inputs;
    for (const std::string_view bytes : parts.inputs) {
        const std::string_view name = nameOfValue(source_, bytes);
        const Place place{.file = source_.file, .where = "input " + inQuotes(name)};
        if (!seen.insert(name).second) throw DataError(place, "a second definition", "every tensor to be defined once");
        if (stored.contains(name)) continue;
        if (name.empty()) throw DataError(place, "no name", "a name for every input");
        budget_.charge(kTensorBytes + 2 * bytes.size());
        const std::optional<DeclaredType> type = declaredType(bytes, main_);
        if (!type || !type->present) throw DataError(place, "no type", "an element type");
        for (const auto& [axis, value] : type->negative)
            if (axis != 0 || value != -1)
                throw DataError(place, fmt::format("the dimension {}", value),
                                "0 or above (or a leading -1, the batch)");
        dimensions_.addInput(*type);
        inputs.emplace_back(name, *type);
    }
    for (auto& [name, type] : inputs) addInput(define(name, main_), std::move(type));
}

void Importer::addInput(const std::string& name, DeclaredType type) {
    dimensions_.bind(type);
    if (!type.shape) {
        warnings_.add("inputs of unknown shape", fmt::format("the shape of input {} is not given", inQuotes(name)));
    } else if (!type.shape->empty()) {
        std::int64_t& leading = type.shape->front();
        if (leading == 0 || type.negative.contains(0))
            warnings_.add("leading dimensions that mean the batch",
                          fmt::format("dimension 0 of input {} is {}, which is read as the batch", inQuotes(name),
                                      leading == 0 ? 0 : -1));
        if (leading == kUnknown || leading == 0) {
            leading = dimensions_.batch();
            batchBound_ = true;
        }
        if (batch_ && *batch_ != leading)
            batch_ = options_.batch.value_or(1);
        else
            batch_ = leading;
        for (std::size_t axis = 1; axis < type.shape->size(); ++axis) {
            if ((*type.shape)[axis] != kUnknown) continue;
            const auto symbol = type.symbols.find(axis);
            warnings_.add("dimensions that are not bound",
                          symbol == type.symbols.end()
                              ? fmt::format("dimension {} of input {} is not given; what depends on it is unknown",
                                            axis, inQuotes(name))
                              : notBound(name, axis, symbol->second));
        }
    }
    builder_->addInput(name, type.type, type.shape, type.symbols);
}

void Importer::collectDeclared(const GraphParts& parts, Scope& scope) {
    for (const auto* list : {&parts.inputs, &parts.valueInfos, &parts.outputs})
        for (const std::string_view bytes : *list) {
            if (scope.main) {
                const std::optional<DeclaredType> type = declaredType(bytes, scope);
                if (type) dimensions_.see(*type);
                if (type && list != &parts.inputs && !type->negative.empty())
                    throw DataError({.file = source_.file, .where = "tensor " + inQuotes(nameOfValue(source_, bytes))},
                                    fmt::format("the dimension {}", type->negative.begin()->second), "0 or above");
            }
            scope.declared[nameOfValue(source_, bytes)] = bytes;
        }
}

void Importer::addTensors(const GraphParts& parts, Scope& scope) {
    for (const std::string_view tensor : parts.initializers) {
        poll(5);
        addTensor(tensor, scope);
    }
    for (const std::string_view tensor : parts.sparseInitializers) addSparseTensor(tensor, scope);
}

void Importer::addTensor(std::string_view bytes, Scope& scope) {
    const std::string_view local = nameOfTensor(source_, bytes);
    if (local.empty()) return;
    const auto tensor = parsed<onnx::TensorProto>(source_, bytes, Unit::tensor);
    const Place place{.file = source_.file, .where = "stored tensor " + inQuotes(local)};
    std::vector<std::int64_t> shape = checkedDimensions(tensor.dims(), place);
    checkData(tensor, payloadOf(source_, bytes), place);
    if (std::optional<ExternalPlace> outside = externalPlaceOf(tensor); outside && outside->begin < outside->end)
        external_[outside->location].emplace(std::pair(outside->begin, outside->end), std::string(local));
    std::optional<std::vector<double>> elements = elementsOf(tensor);
    budget_.charge(kTensorBytes + 2 * local.size() + 8 * (elements ? elements->size() : 0));
    const std::string name = define(local, scope);
    const DataType type = dataTypeOf(tensor.data_type());
    if (isFloat(type))
        builder_->addStored(name, type, std::move(shape), std::move(elements).value_or(std::vector<double>{}));
    else  // distinguishes a tensor known to be empty from one whose elements are not known
        builder_->addConstant(name, type, std::move(shape), std::move(elements));
    applyDeclared(local, name, scope);
}

void Importer::checkData(const onnx::TensorProto& tensor, const Payload& payload, const Place& place) {
    if (tensor.data_type() == 0) throw DataError(place, "no element type", "an element type");
    if (dataTypeOf(tensor.data_type()) == DataType::undefined)
        warnings_.add("unknown element types",
                      fmt::format("{} has the unknown element type {}", place.where, tensor.data_type()));
    if (const std::optional<OddData> odd = oddData(tensor, payload)) {
        if (!odd->expected.empty()) throw DataError(place, odd->found, odd->expected);
        warnings_.add("stored tensors whose data does not fit", fmt::format("{} has {}", place.where, odd->found));
    }
    const std::string location = oddLocation(tensor);
    if (!location.empty())
        warnings_.add("odd locations of external data",
                      fmt::format("{} has {}; external data is never opened", place.where, location));
}

/// The shape of a sparse tensor, which has no more values than elements.
std::vector<std::int64_t> Importer::sparseShape(const onnx::SparseTensorProto& tensor, const Place& place) {
    const onnx::TensorProto& values = tensor.values();
    if (values.data_type() == 0) throw DataError(place, "no element type", "an element type");
    std::vector<std::int64_t> shape = checkedDimensions(tensor.dims(), place);
    const auto elements = [](const std::vector<std::int64_t>& sizes) {
        double count = 1;
        for (const std::int64_t size : sizes) count *= static_cast<double>(size);
        return count;
    };
    const double stored = elements(checkedDimensions(values.dims(), place)), max = elements(shape);
    if (stored > max)
        throw DataError(place, fmt::format("{:.0f} values for a shape of {:.0f} elements", stored, max),
                        "at most one value for each element");
    return shape;
}

void Importer::addSparseTensor(std::string_view bytes, Scope& scope) {
    const std::string_view local = nameOfSparse(source_, bytes);
    if (local.empty()) return;
    const auto tensor = parsed<onnx::SparseTensorProto>(source_, bytes, Unit::sparseTensor);
    const Place place{.file = source_.file, .where = "stored tensor " + inQuotes(local)};
    std::vector<std::int64_t> shape = sparseShape(tensor, place);
    budget_.charge(kTensorBytes + 2 * local.size());
    builder_->addStored(define(local, scope), dataTypeOf(tensor.values().data_type()), std::move(shape));
}

void Importer::addNodes(const std::vector<std::string_view>& nodes, const std::vector<std::int32_t>& sequence,
                        Scope& scope) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        poll(20);
        addNode(nodes[sequence.empty() ? i : static_cast<std::size_t>(sequence[i])], scope);
    }
}

void Importer::addOutputs(const GraphParts& parts, Scope& scope) {
    std::unordered_set<std::string_view> seen;
    for (const std::string_view bytes : parts.outputs) {
        const std::string_view name = nameOfValue(source_, bytes);
        const Place place{.file = source_.file, .where = "output " + inQuotes(name)};
        const std::optional<std::string> tensor = find(name, scope);
        if (!tensor) throw DataError(place, "a name that nothing in the graph makes", "a tensor of the graph");
        if (!seen.insert(name).second) throw DataError(place, "a second definition", "every output to be listed once");
        builder_->addOutput(*tensor);
    }
}

void Importer::warnUnused(const GraphParts& parts, const NodeOrder& order) {
    std::unordered_set<std::string_view> outputs;
    for (const std::string_view output : parts.outputs) outputs.insert(nameOfValue(source_, output));
    const auto check = [&](std::string_view name) {
        if (order.read.contains(name) || outputs.contains(name)) return;
        warnings_.add("unused stored tensors", fmt::format("stored tensor {} is not used", inQuotes(name)));
    };
    for (const std::string_view tensor : parts.initializers) check(nameOfTensor(source_, tensor));
    for (const std::string_view tensor : parts.sparseInitializers) check(nameOfSparse(source_, tensor));
}

/// Tensors may share all of their data, but not a part of it.
void Importer::warnOfOverlaps() {
    for (const auto& [location, tensors] : external_) {
        auto last = tensors.begin();  // the one that reaches farthest
        for (auto at = std::next(last); at != tensors.end(); ++at) {
            if (at->first.first < last->first.second)
                warnings_.add(
                    "external data that overlaps",
                    fmt::format("stored tensors {} and {} overlap in the external data {}: bytes {} to {} and "
                                "{} to {}",
                                inQuotes(last->second), inQuotes(at->second), inQuotes(location), last->first.first,
                                last->first.second, at->first.first, at->first.second));
            if (at->first.second > last->first.second) last = at;
        }
    }
}

void Importer::checkName(std::string_view name) {
    if (!isUtf8(name))
        warnings_.add("names that are not UTF-8",
                      fmt::format("the name {} is not UTF-8; its bytes are kept, and shown escaped", inQuotes(name)));
}

void Importer::checkDomain(const Node& node) {
    if (node.domain.empty() || !domains_.insert(node.domain).second) return;
    warnings_.add("domains that are not declared",
                  fmt::format("node {} ({}) is of the domain {}, which the file's opset imports do not name",
                              inQuotes(node.name), escaped(node.type, 80), inQuotes(node.domain)));
}

/// Where the shapes of what an operator reads are known, but not those of what it makes: its result depends on data.
void Importer::checkShapes(const Node& node, const std::vector<std::string>& inputs,
                           const std::vector<std::string>& outputs) {
    if (findOperatorKind(node.type, node.domain) == nullptr) return;  // which is reported in any case
    const auto known = [&](const std::string& name) {
        const Shape& shape = builder_->tensor(name).shape;
        return shape && std::find(shape->begin(), shape->end(), kUnknown) == shape->end();
    };
    for (const std::string& input : inputs)
        if (!input.empty() && !known(input)) return;
    for (const std::string& output : outputs)
        if (!output.empty() && !known(output))
            warnings_.add("shapes that are not known",
                          fmt::format("node {} ({}): the shape of its output {} does not follow from those of its "
                                      "inputs; what depends on it is not counted",
                                      inQuotes(node.name), escaped(node.type, 80), inQuotes(output)));
}

Place Importer::place(const Node& node) const {
    return {.file = source_.file, .where = fmt::format("node {} ({})", inQuotes(node.name), escaped(node.type, 80))};
}

Importer::Node Importer::parseNode(std::string_view bytes, Scope& scope) {
    if (++visited_ > kMaxNodes)
        throw DataError({.file = source_.file},
                        fmt::format("more than {} nodes with the bodies of functions", kMaxNodes),
                        fmt::format("at most {} nodes", kMaxNodes));
    readBytes_ += bytes.size();
    if (readBytes_ > kMaxRead)
        throw DataError({.file = source_.file},
                        fmt::format("functions and bodies of more than {} GiB when repeated", kMaxRead >> 30),
                        fmt::format("at most {} GiB", kMaxRead >> 30));
    auto proto = parsed<onnx::NodeProto>(source_, bytes, Unit::node);
    Node node;
    node.bytes = bytes;
    eachText(source_, bytes, field::kNodeInput, [&](std::string_view name) { node.inputs.push_back(name); });
    eachText(source_, bytes, field::kNodeOutput, [&](std::string_view name) { node.outputs.push_back(name); });
    while (!node.inputs.empty() && node.inputs.back().empty()) node.inputs.pop_back();
    const Place place{.file = source_.file, .where = describeNode(source_, bytes)};
    if (proto.op_type().empty()) throw DataError(place, "no operator type", "an operator type");
    if (std::all_of(node.outputs.begin(), node.outputs.end(), [](std::string_view name) { return name.empty(); }))
        throw DataError(place, "no outputs", "at least one output");
    checkName(proto.op_type());
    checkName(proto.domain());
    checkName(proto.name());
    node.type = shortened(proto.op_type());
    node.domain = standardDomain(shortened(proto.domain()));
    node.name = uniqueNode(textField(source_, bytes, field::kNodeName), node.type, scope);
    for (onnx::AttributeProto& attribute : *proto.mutable_attribute()) {
        const std::string name = attribute.name();
        if (!attribute.ref_attr_name().empty()) {
            const auto given = scope.attributes == nullptr ? AttributeProtos::const_iterator{}
                                                           : scope.attributes->find(attribute.ref_attr_name());
            if (scope.attributes == nullptr || given == scope.attributes->end()) continue;
            attribute = given->second;
            attribute.set_name(name);
        }
        if (!node.attributes.emplace(name, std::move(attribute)).second)
            throw DataError(place, fmt::format("the attribute {} twice", inQuotes(name)), "every attribute once");
    }
    budget_.charge(kOperatorBytes + 2 * node.name.size() + node.type.size() + node.domain.size() +
                   8 * node.inputs.size());
    return node;
}

void Importer::addNode(std::string_view bytes, Scope& scope) {
    const Node node = parseNode(bytes, scope);
    checkDomain(node);
    const auto function = functions_.find(std::pair(node.domain, node.type));
    const bool standard = node.domain.empty();
    if (function != functions_.end())
        callFunction(node, function->second, scope);
    else if (standard && node.type == "Constant")
        addConstant(node, scope);
    else if (standard && (node.type == "If" || node.type == "Loop" || node.type == "Scan"))
        addControl(node, scope);
    else
        addPlain(node, scope);
}

void Importer::addConstant(const Node& node, Scope& scope) {
    const std::string name = define(node.outputs[0], scope);
    const Place here{.file = source_.file, .where = "constant " + inQuotes(name)};
    const auto add = [&](DataType type, std::vector<std::int64_t> shape, std::optional<std::vector<double>> elements) {
        budget_.charge(kTensorBytes + 2 * name.size() + 8 * (elements ? elements->size() : 0));
        builder_->addConstant(name, type, std::move(shape), std::move(elements));
        applyDeclared(node.outputs[0], name, scope);
    };
    for (const auto& [key, attribute] : node.attributes) {
        const auto size = [](int count) { return std::vector<std::int64_t>{count}; };
        if (key == "value" && attribute.has_t()) {
            const onnx::TensorProto& tensor = attribute.t();
            std::vector<std::int64_t> shape = checkedDimensions(tensor.dims(), here);
            checkData(tensor, payloadOf(source_, tensorOf(source_, node.bytes, key)), here);
            return add(dataTypeOf(tensor.data_type()), std::move(shape), elementsOf(tensor));
        }
        if (key == "sparse_value")
            return add(dataTypeOf(attribute.sparse_tensor().values().data_type()),
                       sparseShape(attribute.sparse_tensor(), here), std::nullopt);
        if (key == "value_float")
            return add(DataType::float32, {}, std::vector<double>{static_cast<double>(attribute.f())});
        if (key == "value_int")
            return add(DataType::int64, {}, std::vector<double>{static_cast<double>(attribute.i())});
        if (key == "value_floats")
            return add(DataType::float32, size(attribute.floats_size()),
                       std::vector<double>(attribute.floats().begin(), attribute.floats().end()));
        if (key == "value_ints")
            return add(DataType::int64, size(attribute.ints_size()),
                       std::vector<double>(attribute.ints().begin(), attribute.ints().end()));
        if (key == "value_string") return add(DataType::string, {}, std::nullopt);
        if (key == "value_strings") return add(DataType::string, size(attribute.strings_size()), std::nullopt);
    }
    throw DataError(place(node), "no value", "an attribute that holds the value");
}

void Importer::addPlain(const Node& node, Scope& scope) {
    OperatorSpec spec;
    spec.type = node.type;
    spec.domain = node.domain;
    spec.name = node.name;
    spec.body = scope.body;
    for (const std::string_view input : node.inputs) spec.inputs.push_back(read(node, input, scope));
    while (!spec.inputs.empty() && spec.inputs.back().empty()) spec.inputs.pop_back();
    for (const std::string_view output : node.outputs)
        spec.outputs.push_back(output.empty() ? "" : define(output, scope));
    for (const auto& [name, attribute] : node.attributes) convert(attribute, spec.attributes);
    if (scope.main) {
        std::vector<std::string_view> stored;
        for (const std::string_view input : node.inputs) {
            const auto maker = order_.makers.find(input);
            if (maker != order_.makers.end() && maker->second == NodeOrder::kGiven) stored.push_back(input);
        }
        spec.layer = layerNameOf(node.name, stored);
        spec.block = blockOf(spec.layer);
    }
    std::size_t bytes = attributeBytes(spec.attributes) + spec.layer.size() + spec.block.size();
    for (const std::string& output : spec.outputs) bytes += kTensorBytes + 2 * output.size();
    budget_.charge(bytes);
    const std::vector<std::string> inputs = spec.inputs;
    const std::vector<std::string> outputs = spec.outputs;
    builder_->add(std::move(spec));
    for (std::size_t i = 0; i < outputs.size(); ++i)
        if (!outputs[i].empty()) applyDeclared(node.outputs[i], outputs[i], scope);
    checkShapes(node, inputs, outputs);
}

void Importer::callFunction(const Node& node, Function& function, Scope& scope) {
    if (function.active)
        throw DataError(place(node), fmt::format("a call of function {} inside of itself", inQuotes(function.name)),
                        "functions that do not call themselves");
    if (scope.depth >= kDeepest)
        throw DataError(place(node), fmt::format("functions nested more than {} deep", kDeepest),
                        fmt::format("at most {} levels", kDeepest));
    if (node.inputs.size() > function.inputs.size() || node.outputs.size() > function.outputs.size())
        throw DataError(place(node), fmt::format("{} inputs and {} outputs", node.inputs.size(), node.outputs.size()),
                        fmt::format("at most {} inputs and {} outputs, as the function has", function.inputs.size(),
                                    function.outputs.size()));
    AttributeProtos attributes = node.attributes;
    for (const std::string_view bytes : function.defaults) {
        auto fallback = parsed<onnx::AttributeProto>(source_, bytes, Unit::attribute);
        const std::string name = fallback.name();
        attributes.emplace(name, std::move(fallback));
    }
    Scope inner;
    inner.prefix = node.name + "/";
    inner.body = scope.body;
    inner.attributes = &attributes;
    inner.depth = scope.depth + 1;
    for (std::size_t i = 0; i < function.inputs.size(); ++i)
        inner.names[function.inputs[i]] = i < node.inputs.size() ? read(node, node.inputs[i], scope) : "";
    if (!function.sequence) function.sequence = orderOf(source_, function.nodes, function.inputs).sequence;
    std::vector<std::string> targets;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        targets.push_back(node.outputs[i].empty() ? "" : define(node.outputs[i], scope));
        if (!targets.back().empty()) inner.planned.emplace(function.outputs[i], targets.back());
    }
    function.active = true;
    addNodes(function.nodes, *function.sequence, inner);
    function.active = false;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (targets[i].empty()) continue;
        const std::optional<std::string> result = find(function.outputs[i], inner);
        if (!result || result->empty())
            throw DataError(place(node),
                            fmt::format("the function output {}, which nothing in the function makes",
                                        inQuotes(function.outputs[i])),
                            "an output of one of its nodes");
        if (*result != targets[i])  // an input handed through, or one result under two names
            builder_->add({.type = "Identity",
                           .inputs = {*result},
                           .outputs = {targets[i]},
                           .attributes = {},
                           .name = uniqueNode(node.name, "Identity", inner),
                           .domain = {},
                           .layer = {},
                           .block = {},
                           .body = scope.body});
        applyDeclared(node.outputs[i], targets[i], scope);
    }
}

void Importer::addControl(const Node& node, Scope& scope) {
    warnings_.add("bodies that are counted once",
                  fmt::format("node {} ({}): its body is counted once", inQuotes(node.name), node.type));
    if (scope.depth >= kDeepest)
        throw DataError(place(node), fmt::format("bodies nested more than {} deep", kDeepest),
                        fmt::format("at most {} levels", kDeepest));
    if (node.type == "If") return addIf(node, scope);
    if (node.type == "Loop") return addLoop(node, scope);
    return addScan(node, scope);
}

std::vector<std::string> Importer::inlineBody(const Node& node, std::string_view body, Scope& inner,
                                              const std::vector<std::string>& arguments) {
    const GraphParts parts = partsOf(source_, body);
    std::vector<std::string_view> given;
    for (const std::string_view tensor : parts.initializers) given.push_back(nameOfTensor(source_, tensor));
    for (const std::string_view tensor : parts.sparseInitializers) given.push_back(nameOfSparse(source_, tensor));
    for (const std::string_view input : parts.inputs) given.push_back(nameOfValue(source_, input));
    if (parts.inputs.size() != arguments.size())
        throw DataError(place(node), fmt::format("a body of {} inputs", parts.inputs.size()),
                        fmt::format("{} inputs", arguments.size()));
    const NodeOrder order = orderOf(source_, parts.nodes, given);
    for (std::size_t i = 0; i < arguments.size(); ++i)
        inner.names[nameOfValue(source_, parts.inputs[i])] = arguments[i];
    collectDeclared(parts, inner);
    addTensors(parts, inner);
    addNodes(parts.nodes, order.sequence, inner);
    std::vector<std::string> results;
    for (const std::string_view output : parts.outputs) {
        const std::optional<std::string> result = find(nameOfValue(source_, output), inner);
        if (!result || result->empty())
            throw DataError(
                place(node),
                fmt::format("the body's output {}, which nothing makes", inQuotes(nameOfValue(source_, output))),
                "a tensor of the body");
        results.push_back(*result);
    }
    return results;
}

void Importer::finishControl(const Node& node, const std::vector<std::string>& results,
                             const std::vector<Shape>& shapes, Scope& scope) {
    OperatorSpec spec;
    spec.type = node.type;
    spec.name = node.name;
    spec.body = scope.body;
    for (const std::string_view input : node.inputs) spec.inputs.push_back(read(node, input, scope));
    for (const std::string& result : results) spec.inputs.push_back(result);
    for (const std::string_view output : node.outputs)
        spec.outputs.push_back(output.empty() ? "" : define(output, scope));
    for (const auto& [name, attribute] : node.attributes) convert(attribute, spec.attributes);
    std::size_t bytes = attributeBytes(spec.attributes);
    for (const std::string& output : spec.outputs) bytes += kTensorBytes + 2 * output.size();
    budget_.charge(bytes);
    const std::vector<std::string> outputs = spec.outputs;
    builder_->add(std::move(spec));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].empty()) continue;
        builder_->declare(outputs[i], builder_->tensor(results[i]).type, shapes[i]);
        applyDeclared(node.outputs[i], outputs[i], scope);
    }
}

namespace {

std::string_view bodyNamed(const std::vector<Subgraph>& bodies, std::string_view attribute, const Place& place) {
    for (const Subgraph& body : bodies)
        if (body.attribute == attribute) return body.bytes;
    throw DataError(place, fmt::format("no attribute '{}'", attribute), "a body");
}

Scope innerScope(const Scope& outer, const std::string& name) {
    Scope inner;
    inner.outer = &outer;
    inner.prefix = name + "/";
    inner.body = name;
    inner.attributes = outer.attributes;
    inner.depth = outer.depth + 1;
    return inner;
}

}  // namespace

void Importer::addIf(const Node& node, Scope& scope) {
    if (node.inputs.size() != 1) throw DataError(place(node), fmt::format("{} inputs", node.inputs.size()), "1 input");
    const std::vector<Subgraph> bodies = subgraphsOf(source_, node.bytes);
    const std::string_view thenBranch = bodyNamed(bodies, "then_branch", place(node));
    const std::string_view elseBranch = bodyNamed(bodies, "else_branch", place(node));
    const std::vector<double>* condition = builder_->values(read(node, node.inputs[0], scope));
    bool takeThen = partsOf(source_, thenBranch).nodes.size() >= partsOf(source_, elseBranch).nodes.size();
    if (condition != nullptr && condition->size() == 1 && !std::isnan(condition->front()))
        takeThen = condition->front() != 0;
    Scope inner = innerScope(scope, node.name);
    const std::vector<std::string> results = inlineBody(node, takeThen ? thenBranch : elseBranch, inner, {});
    if (results.size() < node.outputs.size())
        throw DataError(place(node), fmt::format("a branch of {} outputs", results.size()),
                        fmt::format("{} outputs", node.outputs.size()));
    std::vector<Shape> shapes;
    for (const std::string& result : results) shapes.push_back(builder_->tensor(result).shape);
    finishControl(node, results, shapes, scope);
}

void Importer::addLoop(const Node& node, Scope& scope) {
    const std::string_view body = bodyNamed(subgraphsOf(source_, node.bytes), "body", place(node));
    Scope inner = innerScope(scope, node.name);
    std::vector<std::string> inputs;
    for (const std::string_view input : node.inputs) inputs.push_back(read(node, input, scope));
    inputs.resize(std::max<std::size_t>(inputs.size(), 2));
    const std::size_t carried = inputs.size() - 2;
    std::int64_t trips = kUnknown;
    if (const auto* count = inputs[0].empty() ? nullptr : builder_->values(inputs[0]);
        count != nullptr && count->size() == 1 && count->front() >= 0 && count->front() < 0x1p53)
        trips = static_cast<std::int64_t>(count->front());
    if (trips == kUnknown)
        warnings_.add("loops of unknown trip count",
                      fmt::format("node {} (Loop): its trip count is unknown", inQuotes(node.name)));
    const std::string counter = uniqueTensor(inner.prefix + "iteration");
    builder_->addConstant(counter, DataType::int64, {});
    std::vector<std::string> arguments{counter, inputs[1]};
    if (inputs[1].empty()) {
        arguments[1] = uniqueTensor(inner.prefix + "condition");
        builder_->addConstant(arguments[1], DataType::boolean, {});
    }
    arguments.insert(arguments.end(), inputs.begin() + 2, inputs.end());
    std::vector<std::string> results = inlineBody(node, body, inner, arguments);
    if (results.size() != 1 + node.outputs.size() && results.size() < 1 + carried)
        throw DataError(place(node), fmt::format("a body of {} outputs", results.size()),
                        fmt::format("{} outputs", 1 + node.outputs.size()));
    if (node.outputs.size() + 1 > results.size())
        throw DataError(place(node), fmt::format("{} outputs", node.outputs.size()),
                        fmt::format("at most {} outputs, as its body has", results.size() - 1));
    results.erase(results.begin());  // the condition to go on
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < results.size(); ++i) {
        Shape shape = builder_->tensor(results[i]).shape;
        if (i < carried)
            shape = inputs[2 + i].empty() ? shape : merged(shape, builder_->tensor(inputs[2 + i]).shape);
        else if (shape)
            shape->insert(shape->begin(), trips);
        shapes.push_back(std::move(shape));
    }
    finishControl(node, results, shapes, scope);
}

std::string Importer::sliceOf(const Node& node, const std::string& sequence, std::int64_t axis) {
    const std::string index = uniqueTensor(node.name + "/index");
    builder_->addConstant(index, DataType::int64, {}, std::vector<double>{0});
    const std::string slice = uniqueTensor(node.name + "/slice");
    builder_->add({.type = "Gather",
                   .inputs = {sequence, index},
                   .outputs = {slice},
                   .attributes = {{"axis", axis}},
                   .name = uniqueNode("", "Gather", Scope{}),
                   .domain = {},
                   .layer = {},
                   .block = {},
                   .body = node.name});
    return slice;
}

void Importer::addScan(const Node& node, Scope& scope) {
    const std::string_view body = bodyNamed(subgraphsOf(source_, node.bytes), "body", place(node));
    const std::int64_t scanned = wholeAttribute(node.attributes, "num_scan_inputs", 0);
    std::vector<std::string> inputs;
    for (const std::string_view input : node.inputs) inputs.push_back(read(node, input, scope));
    const auto total = static_cast<std::int64_t>(inputs.size());
    if (scanned < 1 || scanned > total)
        throw DataError({.file = source_.file, .where = place(node).where + ", attribute 'num_scan_inputs'"},
                        fmt::format("{}", scanned), fmt::format("from 1 to its {} inputs", total));
    const auto axesOf = [&](const char* name) {
        const auto found = node.attributes.find(name);
        return found == node.attributes.end()
                   ? std::vector<std::int64_t>{}
                   : std::vector<std::int64_t>(found->second.ints().begin(), found->second.ints().end());
    };
    const std::vector<std::int64_t> inputAxes = axesOf("scan_input_axes"), outputAxes = axesOf("scan_output_axes");
    const auto states = static_cast<std::size_t>(total - scanned);
    Scope inner = innerScope(scope, node.name);
    std::vector<std::string> arguments(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(states));
    std::int64_t trips = kUnknown;
    for (std::size_t i = states; i < inputs.size(); ++i) {
        const std::int64_t axis = i - states < inputAxes.size() ? inputAxes[i - states] : 0;
        const Shape shape = inputs[i].empty() ? Shape{} : builder_->tensor(inputs[i]).shape.get();
        const auto rank = shape ? static_cast<std::int64_t>(shape->size()) : 0;
        if (shape && (axis < -rank || axis >= rank))
            throw DataError(place(node), fmt::format("the scan axis {} for {} dimensions", axis, rank),
                            "an axis of the input");
        if (shape) trips = (*shape)[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
        arguments.push_back(sliceOf(node, inputs[i], axis));
    }
    if (trips == kUnknown)
        warnings_.add("loops of unknown trip count",
                      fmt::format("node {} (Scan): its trip count is unknown", inQuotes(node.name)));
    const std::vector<std::string> results = inlineBody(node, body, inner, arguments);
    if (results.size() < node.outputs.size())
        throw DataError(place(node), fmt::format("a body of {} outputs", results.size()),
                        fmt::format("{} outputs", node.outputs.size()));
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < results.size(); ++i) {
        Shape shape = builder_->tensor(results[i]).shape;
        if (i >= states && shape) {
            const std::int64_t axis = i - states < outputAxes.size() ? outputAxes[i - states] : 0;
            const auto rank = static_cast<std::int64_t>(shape->size()) + 1;
            const std::int64_t at = std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank - 1);
            shape->insert(shape->begin() + at, trips);
        }
        shapes.push_back(std::move(shape));
    }
    finishControl(node, results, shapes, scope);
}

std::string Importer::read(const Node& node, std::string_view name, const Scope& scope) const {
    if (name.empty()) return {};
    std::optional<std::string> found = find(name, scope);
    if (!found || (!found->empty() && !builder_->has(*found)))
        throw DataError(place(node), fmt::format("the input {}, which nothing makes", inQuotes(name)),
                        "an input or stored tensor of the graph, or the output of another node");
    return *found;
}

std::optional<std::string> Importer::find(std::string_view name, const Scope& scope) const {
    for (const Scope* at = &scope; at != nullptr; at = at->outer) {
        const auto found = at->names.find(name);
        if (found != at->names.end()) return found->second;
        if (at->main && order_.makers.contains(name)) return std::string(name);
    }
    return std::nullopt;
}

std::string Importer::define(std::string_view name, Scope& scope) {
    const auto planned = scope.planned.find(name);
    checkName(name);
    std::string defined;
    if (planned != scope.planned.end())
        defined = planned->second;
    else if (scope.main)
        defined = shortened(name);
    else
        defined = uniqueTensor(scope.prefix + shortened(name));
    if (!scope.main || defined != name) {
        budget_.charge(128 + defined.size());
        scope.names[name] = defined;
    }
    return defined;
}

std::string Importer::shortened(std::string_view name) {
    if (name.size() <= kLongestOnnxName) return std::string(name);
    std::string result = fmt::format("{}...#{}", name.substr(0, kShortenedName), ++shortenedNames_);
    warnings_.add("names that were shortened",
                  fmt::format("a name of {} bytes was shortened to {}", name.size(), inQuotes(result)));
    return result;
}

std::string Importer::uniqueTensor(std::string name) {
    if (!builder_->has(name) && !order_.makers.contains(name)) return name;
    for (;;) {
        std::string candidate = fmt::format("{}_{}", name, ++repeats_[name] + 1);
        if (!builder_->has(candidate) && !order_.makers.contains(candidate)) return candidate;
    }
}

std::string Importer::uniqueNode(std::string_view wanted, const std::string& type, const Scope& scope) {
    if (!wanted.empty() && scope.main) {
        bool& used = nodeNames_[wanted];
        if (!used) {
            used = true;
            return shortened(wanted);
        }
    }
    std::string name =
        wanted.empty() ? fmt::format("{}{}_{}", scope.prefix, type, visited_) : scope.prefix + shortened(wanted);
    const bool duplicate = !wanted.empty() && scope.main;
    const auto isTaken = [&](const std::string& candidate) {
        return nodeNames_.contains(candidate) || generatedNodes_.contains(candidate);
    };
    std::string unique = name;
    while (isTaken(unique)) unique = fmt::format("{}_{}", name, ++repeats_[name] + 1);
    if (duplicate)
        warnings_.add("duplicate node names", fmt::format("the node name {} is used more than once; one is now {}",
                                                          inQuotes(wanted), inQuotes(unique)));
    generatedNodes_.insert(unique);
    return unique;
}

void Importer::applyDeclared(std::string_view name, const std::string& tensor, const Scope& scope) {
    const auto found = scope.declared.find(name);
    if (found == scope.declared.end()) return;
    std::optional<DeclaredType> type = declaredType(found->second, scope);
    if (!type) return;
    dimensions_.bind(*type);
    const Tensor& computed = builder_->tensor(tensor);
    if (type->type != DataType::undefined && computed.type != DataType::undefined && type->type != computed.type)
        warnings_.add("declared element types that differ",
                      fmt::format("tensor {} is declared as {} but is {}, which is used", inQuotes(tensor),
                                  nameOf(type->type), nameOf(computed.type)));
    if (contradicts(type->shape, computed.shape)) {
        warnings_.add("declared shapes that differ",
                      fmt::format("tensor {} is declared as {} but computed as {}, which is used", inQuotes(tensor),
                                  toText(type->shape), toText(computed.shape)));
        return;
    }
    builder_->declare(tensor, type->type, type->shape);
}

}  // namespace tessera::model::onnx_wire
