#include "core/model/readers/native_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/escape.h"
#include "core/base/json.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/model/builder.h"
#include "core/model/graph_pool.h"
#include "core/model/readers/dimensions.h"

namespace tessera::model {

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMaxTensorElements = std::int64_t{1} << 53;
constexpr std::size_t kLongestText = std::size_t{64} << 20;
constexpr std::size_t kMaxOperators = 1'000'000;
constexpr std::size_t kMaxTensors = 4'000'000;

constexpr const char* kEscapeRule = R"(every backslash as \\ or as the start of \xNN)";

constexpr EnumNames<TensorRole> kRoleNames{"input", "parameter", "statistic", "constant", "activation", "derived"};

// Texts ---------------------------------------------------------------------------------------------------------------

/// Bytes as a JSON text: see writeNativeJson on escapes.
std::string written(std::string_view text) {
    const bool whole = isUtf8(text);
    std::string result;
    result.reserve(text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte == '\\')
            result += R"(\\)";
        else if (byte == 0 || (!whole && byte >= 0x80))
            result += fmt::format("\\x{:02X}", byte);
        else
            result += c;
    }
    return result;
}

int hexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/// The inverse of `written`; empty where an escape is neither `\\` nor `\xNN`.
std::optional<std::string> unwritten(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            result += text[i];
            continue;
        }
        if (text.substr(i, 2) == R"(\\)") {
            result += '\\';
            ++i;
            continue;
        }
        if (text.substr(i, 2) != "\\x" || i + 3 >= text.size()) return std::nullopt;
        const int high = hexDigit(text[i + 2]), low = hexDigit(text[i + 3]);
        if (high < 0 || low < 0) return std::nullopt;
        result += static_cast<char>(high * 16 + low);
        i += 3;
    }
    return result;
}

std::string textOf(const JsonNode& node) {
    std::optional<std::string> text = unwritten(node.text(kLongestText));
    if (!text) node.fail(kEscapeRule);
    return *std::move(text);
}

std::string optionalText(const JsonNode& node, const std::string& key) {
    return node.has(key) ? textOf(node.at(key)) : std::string();
}

std::vector<std::string> textsOf(const JsonNode& node) {
    std::vector<std::string> texts;
    for (const JsonNode& element : node.elements(kMaxTensors)) texts.push_back(textOf(element));
    return texts;
}

// Writing -------------------------------------------------------------------------------------------------------------

Json numberJson(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    return value;
}

Json attributeJson(const AttributeValue& value) {
    Json json = Json::object();
    if (const auto* whole = std::get_if<std::int64_t>(&value)) json["int"] = *whole;
    if (const auto* real = std::get_if<double>(&value)) json["float"] = numberJson(*real);
    if (const auto* text = std::get_if<std::string>(&value)) json["text"] = written(*text);
    if (const auto* wholes = std::get_if<std::vector<std::int64_t>>(&value)) json["ints"] = *wholes;
    if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
        json["floats"] = Json::array();
        for (const double real : *reals) json["floats"].push_back(numberJson(real));
    }
    if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
        json["texts"] = Json::array();
        for (const std::string& text : *texts) json["texts"].push_back(written(text));
    }
    return json;
}

Json shapeJson(const Shape& shape) {
    if (!shape) return nullptr;
    Json json = Json::array();
    for (const std::int64_t dimension : *shape) json.push_back(dimension == kUnknown ? Json(nullptr) : Json(dimension));
    return json;
}

Json tensorJson(const Tensor& tensor) {
    Json json = {{"name", written(tensor.name)}, {"type", nameOf(tensor.type)}, {"shape", shapeJson(tensor.shape)}};
    json["role"] = kRoleNames.of(tensor.role);
    for (const auto& [axis, symbol] : tensor.symbols) json["symbols"][std::to_string(axis)] = written(symbol);
    return json;
}

Json namesJson(const Graph& graph, const std::vector<TensorIndex>& tensors) {
    Json json = Json::array();
    for (const TensorIndex index : tensors) json.push_back(index == kNoTensor ? "" : written(graph.tensor(index).name));
    return json;
}

Json operatorJson(const Graph& graph, const Operator& op) {
    Json json = {{"name", written(op.name)}, {"type", written(op.type)}};
    const auto addText = [&](const char* key, const std::string& text) {
        if (!text.empty()) json[key] = written(text);
    };
    addText("domain", op.domain);
    json["inputs"] = namesJson(graph, op.inputs);
    json["outputs"] = namesJson(graph, op.outputs);
    for (const auto& [name, value] : op.attributes) json["attributes"][written(name)] = attributeJson(value);
    addText("layer", op.layer);
    addText("block", op.block);
    addText("body", op.body);
    addText("opaque", op.opaque);
    return json;
}

Json textsJson(const std::vector<std::string>& texts) {
    Json json = Json::array();
    for (const std::string& text : texts) json.push_back(written(text));
    return json;
}

/// A list with one entry per line, so that files can be read and compared.
template <typename List, typename ToJson>
void appendList(std::string& out, std::string_view key, const List& list, const ToJson& toJson) {
    out += fmt::format("  \"{}\": [", key);
    const char* separator = "\n    ";
    for (const auto& entry : list) {
        poll(5);
        // One after the other: a million of them at once would take more memory than the graph.
        out += separator + jsonEscaped(toJson(entry).dump());
        separator = ",\n    ";
    }
    out += list.empty() ? "]" : "\n  ]";
}

void appendList(std::string& out, std::string_view key, const Json& list) {
    appendList(out, key, list, [](const Json& entry) -> const Json& { return entry; });
}

// Reading -------------------------------------------------------------------------------------------------------------

class NativeReader {
public:
    NativeReader(JsonDocument document, const LoadOptions& options)
        : document_(std::move(document)), options_(options) {}

    Graph read() {
        const JsonNode root = document_.root();
        root.allowOnly(
            {"schema", "name", "opset", "batch", "tensors", "operators", "inputs", "outputs", "warnings", "notes"});
        root.at("schema").oneOf({std::string(kModelSchema)});
        graph_.name = textOf(root.at("name"));
        graph_.opset = root.at("opset").whole(1, 1000);
        graph_.batch = root.at("batch").whole(1, kLargest);
        root.at("tensors").forEachElement(kMaxTensors, [&](const JsonNode& node) { addTensor(node); });
        made_.resize(graph_.tensors.size());
        for (const JsonNode& node : root.at("inputs").elements(kMaxTensors)) graph_.inputs.push_back(addInput(node));
        bindDimensions();
        const JsonNode operators = root.at("operators");
        // Stored is what has a stored tensor's role and no operator makes (weights may be made by ConstantOfShape).
        for (std::size_t i = 0; i < graph_.tensors.size(); ++i) made_[i] = made_[i] || isStored(graph_.tensors[i].role);
        operators.forEachElement(kMaxOperators, [&](const JsonNode& node) { forgetOutputs(node); });
        if (operators.json().empty()) operators.fail("at least one operator", "an empty list");
        operators.forEachElement(kMaxOperators, [&](const JsonNode& node) {
            poll(5);
            addOperator(node);
        });
        for (const JsonNode& node : root.at("outputs").elements(kMaxTensors))
            graph_.outputs.push_back(madeTensor(node));
        refuseUnmade(root.at("tensors"));
        if (root.has("warnings")) graph_.warnings = textsOf(root.at("warnings"));
        if (root.has("notes")) graph_.notes = textsOf(root.at("notes"));
        check();
        if (bound_) reviseWarnings();
        return std::move(graph_);
    }

private:
    void addTensor(const JsonNode& node) {
        node.allowOnly({"name", "type", "shape", "role", "symbols"});
        Tensor tensor;
        tensor.name = textOf(node.at("name"));
        if (tensor.name.empty()) node.at("name").fail("a name");
        const std::string type = node.at("type").text();
        tensor.type = dataTypeNamed(type);
        if (tensor.type == DataType::undefined && type != nameOf(DataType::undefined))
            node.at("type").fail("a data type such as float32");
        tensor.shape = pool_.shape(shapeOf(node.at("shape")));
        tensor.role = node.at("role").oneOf(kRoleNames);
        if (isStored(tensor.role) && !tensor.shape) node.at("shape").fail("the shape of a stored tensor", "null");
        if (isStored(tensor.role))
            for (const std::int64_t dimension : *tensor.shape)
                if (dimension == kUnknown) node.at("shape").fail("the shape of a stored tensor", "a list with null");
        if (node.has("symbols")) tensor.symbols = symbolsOf(node.at("symbols"), tensor);
        if (!indices_.emplace(tensor.name, static_cast<TensorIndex>(graph_.tensors.size())).second)
            node.at("name").fail("a name that no other tensor has");
        graph_.tensors.push_back(std::move(tensor));
    }

    static Shape shapeOf(const JsonNode& node) {
        if (node.isNull()) return std::nullopt;
        std::vector<std::int64_t> shape;
        std::int64_t count = 1;
        for (const JsonNode& dimension : node.elements(kMaxDimensions)) {
            shape.push_back(dimension.isNull() ? kUnknown : dimension.whole(0, kMaxTensorElements));
            if (shape.back() <= 0) continue;
            if (__builtin_mul_overflow(count, shape.back(), &count) || count > kMaxTensorElements)
                node.fail("at most 2^53 elements", "a shape of more than 2^53 elements");
        }
        return shape;
    }

    static Symbols symbolsOf(const JsonNode& node, const Tensor& tensor) {
        Symbols symbols;
        for (const auto& [key, value] : node.members()) {
            std::size_t axis = 0;
            for (const char c : key)
                axis = c >= '0' && c <= '9' && axis <= kMaxDimensions ? axis * 10 + static_cast<std::size_t>(c - '0')
                                                                      : kMaxDimensions + 1;
            if (key != std::to_string(axis) || !tensor.shape || axis >= tensor.shape->size())
                value.fail("a key that is an axis of the tensor", "under the key " + inQuotes(key));
            symbols.emplace(axis, textOf(value));
        }
        return symbols;
    }

    TensorIndex tensorOf(const JsonNode& node) const {
        const auto found = indices_.find(textOf(node));
        if (found == indices_.end()) node.fail("the name of a tensor of this file");
        return found->second;
    }

    TensorIndex addInput(const JsonNode& node) {
        const TensorIndex index = tensorOf(node);
        if (graph_.tensor(index).role != TensorRole::input) node.fail("a tensor whose role is 'input'");
        if (made_[static_cast<std::size_t>(index)]) node.fail("every input once");
        made_[static_cast<std::size_t>(index)] = true;
        return index;
    }

    TensorIndex madeTensor(const JsonNode& node) const {
        const TensorIndex index = tensorOf(node);
        if (!made_[static_cast<std::size_t>(index)])
            node.fail("an input, a stored tensor or an output of an operator that stands before");
        return index;
    }

    /// Names that stand at dimension 0 of an input mean the batch, unless they are given themselves.
    void bindDimensions() {
        std::set<std::string> names;
        for (const Tensor& tensor : graph_.tensors)
            for (const auto& [axis, name] : tensor.symbols) names.insert(name);
        checkDimensions(options_, document_.file(), names);
        std::map<std::string, std::int64_t> sizes = options_.dimensions;
        for (const TensorIndex index : graph_.inputs) {
            const Tensor& input = graph_.tensor(index);
            const auto leading = input.symbols->find(0);
            if (leading == input.symbols->end() || (*input.shape)[0] != kUnknown) continue;
            if (options_.batch) sizes.emplace(leading->second, *options_.batch);
            const auto size = sizes.find(leading->second);
            if (size != sizes.end()) graph_.batch = size->second;
        }
        if (sizes.empty()) return;
        for (Tensor& tensor : graph_.tensors) {
            Symbols symbols = tensor.symbols;
            if (symbols.empty()) continue;
            Shape shape = tensor.shape;
            std::erase_if(symbols, [&](const auto& symbol) {
                const auto size = sizes.find(symbol.second);
                if (size == sizes.end()) return false;
                std::int64_t& dimension = (*shape)[symbol.first];
                if (dimension == kUnknown) dimension = size->second;
                if (tensor.role == TensorRole::input) {
                    std::string warning = notBound(tensor.name, symbol.first, symbol.second) + ".";
                    warning.front() = 'D';
                    solved_.insert(std::move(warning));
                }
                bound_ = true;
                return true;
            });
            tensor.shape = std::move(shape);
            tensor.symbols = std::move(symbols);
        }
    }

    /// What the file warned of may hold no longer, and what it does not hold may be missing now.
    void reviseWarnings() {
        std::set<std::string> open;
        for (const TensorIndex index : graph_.inputs)
            for (const auto& [axis, name] : graph_.tensor(index).symbols) open.insert(name);
        std::erase_if(graph_.warnings, [&](const std::string& warning) { return solved_.contains(warning); });
        if (!open.empty()) return;
        const auto unknown = std::find_if(graph_.tensors.begin(), graph_.tensors.end(),
                                          [](const Tensor& tensor) { return !elementCount(tensor.shape); });
        if (unknown != graph_.tensors.end())
            graph_.warnings.push_back(
                fmt::format("Shapes such as that of tensor {} stay unknown: they may follow from stored elements, "
                            "which this format does not hold; bind the dimensions when the model is converted.",
                            inQuotes(unknown->name)));
    }

    void forgetOutputs(const JsonNode& node) {
        for (const JsonNode& output : node.at("outputs").elements(kMaxTensors)) {
            const auto found = indices_.find(textOf(output));
            if (found == indices_.end()) continue;
            const auto index = static_cast<std::size_t>(found->second);
            if (isStored(graph_.tensors[index].role) && graph_.tensors[index].role != TensorRole::constant)
                made_[index] = false;
        }
    }

    void addOperator(const JsonNode& node) {
        node.allowOnly(
            {"name", "type", "domain", "inputs", "outputs", "attributes", "layer", "block", "body", "opaque"});
        Operator op;
        op.name = textOf(node.at("name"));
        if (!names_.insert(op.name).second) node.at("name").fail("a name that no other operator has");
        op.type = pool_.text(textOf(node.at("type")));
        if (op.type.empty()) node.at("type").fail("an operator type");
        op.domain = pool_.text(optionalText(node, "domain"));
        for (const JsonNode& input : node.at("inputs").elements(kMaxTensors))
            op.inputs.push_back(textOf(input).empty() ? kNoTensor : madeTensor(input));
        bool any = false;
        for (const JsonNode& output : node.at("outputs").elements(kMaxTensors)) {
            op.outputs.push_back(textOf(output).empty() ? kNoTensor : make(output));
            any = any || op.outputs.back() != kNoTensor;
        }
        if (!any) node.at("outputs").fail("at least one output", "no outputs");
        Attributes attributes;
        if (node.has("attributes"))
            for (const auto& [key, value] : node.at("attributes").members()) {
                const std::optional<std::string> name = unwritten(key);
                if (!name) value.fail(kEscapeRule, "under the key " + inQuotes(key));
                attributes.emplace(*name, attributeOf(value));
            }
        op.attributes = pool_.attributes(std::move(attributes));
        op.layer = pool_.text(optionalText(node, "layer"));
        op.block = pool_.text(optionalText(node, "block"));
        op.body = pool_.text(optionalText(node, "body"));
        op.opaque = pool_.text(optionalText(node, "opaque"));
        graph_.operators.push_back(std::move(op));
    }

    TensorIndex make(const JsonNode& node) {
        const TensorIndex index = tensorOf(node);
        if (made_[static_cast<std::size_t>(index)]) node.fail("every tensor to be made once");
        made_[static_cast<std::size_t>(index)] = true;
        return index;
    }

    static double numberOf(const JsonNode& node) {
        if (!node.isString()) return node.number();
        const std::string text = node.oneOf({"nan", "inf", "-inf"});
        if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
        return text == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
    }

    static AttributeValue attributeOf(const JsonNode& node) {
        const std::vector<std::pair<std::string, JsonNode>> members = node.members();
        if (members.size() != 1) node.fail("one of int, float, text, ints, floats, texts");
        const auto& [kind, value] = members.front();
        constexpr std::size_t kMax = 10'000'000;
        constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
        if (kind == "int") return value.whole(kMin, kLargest);
        if (kind == "float") return numberOf(value);
        if (kind == "text") return textOf(value);
        if (kind == "ints") {
            std::vector<std::int64_t> list;
            for (const JsonNode& element : value.elements(kMax)) list.push_back(element.whole(kMin, kLargest));
            return list;
        }
        if (kind == "floats") {
            std::vector<double> list;
            for (const JsonNode& element : value.elements(kMax)) list.push_back(numberOf(element));
            return list;
        }
        if (kind == "texts") return textsOf(value);
        node.allowOnly({"int", "float", "text", "ints", "floats", "texts"});
        return std::int64_t{0};
    }

    void refuseUnmade(const JsonNode& tensors) const {
        for (std::size_t i = 0; i < made_.size(); ++i)
            if (!made_[i])
                tensors.elements(kMaxTensors)[i].fail("an operator that makes it, or its name among the inputs",
                                                      "a tensor that nothing makes");
    }

    /// Builds the graph a second time, so that operators obey the same rules as in every other reader.
    void check() {
        GraphBuilder builder(graph_.name, document_.file(), graph_.opset);
        for (const TensorIndex index : graph_.inputs) {
            const Tensor& tensor = graph_.tensor(index);
            builder.addInput(tensor.name, tensor.type, tensor.shape, tensor.symbols);
        }
        std::vector<bool> computed(graph_.tensors.size(), false);
        for (const Operator& op : graph_.operators)
            for (const TensorIndex index : op.outputs)
                if (index != kNoTensor) computed[static_cast<std::size_t>(index)] = true;
        for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
            const Tensor& tensor = graph_.tensors[i];
            if (computed[i] || tensor.role == TensorRole::input) continue;
            if (tensor.role == TensorRole::constant)
                builder.addConstant(tensor.name, tensor.type, *tensor.shape);
            else
                builder.addStored(tensor.name, tensor.type, *tensor.shape);
        }
        for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
            poll(5);
            checkOperator(builder, i);
        }
        for (const TensorIndex index : graph_.outputs) builder.addOutput(graph_.tensor(index).name);
        static_cast<void>(std::move(builder).build());
    }

    std::string nameAt(TensorIndex index) const { return index == kNoTensor ? "" : graph_.tensor(index).name; }

    void checkOperator(GraphBuilder& builder, std::size_t number) {
        const Operator& op = graph_.operators[number];
        const std::string path = fmt::format("operators[{}]", number);
        OperatorSpec spec;
        spec.type = op.type;
        spec.name = op.name;
        spec.domain = op.domain;
        spec.attributes = op.attributes;
        for (const TensorIndex index : op.inputs) spec.inputs.push_back(nameAt(index));
        for (const TensorIndex index : op.outputs) spec.outputs.push_back(nameAt(index));
        try {
            builder.add(std::move(spec));
        } catch (const DataError& error) {
            Place place = error.place;
            place.line = document_.lineOf(path);
            throw DataError(place, error.found, error.expected);
        }
        for (const TensorIndex index : op.outputs) {
            if (index == kNoTensor) continue;
            Tensor& stated = graph_.tensors[static_cast<std::size_t>(index)];
            const Shape& known = builder.tensor(stated.name).shape;
            if (contradicts(stated.shape, known))
                throw DataError({.file = document_.file(),
                                 .line = document_.lineOf(fmt::format("tensors[{}]", index)),
                                 .where = "tensor " + inQuotes(stated.name)},
                                toText(stated.shape), toText(known) + ", as computed from its operator");
            builder.declare(stated.name, stated.type, stated.shape);
            if (bound_) stated.shape = builder.tensor(stated.name).shape;
        }
    }

    JsonDocument document_;
    const LoadOptions& options_;
    Graph graph_;
    bool bound_ = false;            ///< dimensions that the file leaves open
    std::set<std::string> solved_;  ///< warnings on them
    GraphPool pool_;
    std::unordered_map<std::string, TensorIndex> indices_;
    std::unordered_set<std::string> names_;
    std::vector<bool> made_;
};

}  // namespace

std::string writeNativeJson(const Graph& graph) {
    std::string out =
        fmt::format("{{\n  \"schema\": \"{}\",\n  \"name\": {},\n  \"opset\": {},\n  \"batch\": {},\n", kModelSchema,
                    jsonEscaped(Json(written(graph.name)).dump()), graph.opset, graph.batch);
    appendList(out, "tensors", graph.tensors, tensorJson);
    out += ",\n";
    appendList(out, "operators", graph.operators, [&](const Operator& op) { return operatorJson(graph, op); });
    out += ",\n";
    appendList(out, "inputs", namesJson(graph, graph.inputs));
    out += ",\n";
    appendList(out, "outputs", namesJson(graph, graph.outputs));
    out += ",\n";
    appendList(out, "warnings", textsJson(graph.warnings));
    out += ",\n";
    appendList(out, "notes", textsJson(graph.notes));
    out += "\n}\n";
    return out;
}

Graph readNativeJson(std::string bytes, const std::string& file, const LoadOptions& options) {
    try {
        return NativeReader(JsonDocument::parse(std::move(bytes), file), options).read();
    } catch (const std::bad_alloc&) {
        throw DataError({.file = file}, "a model that needs more memory than there is", "a smaller model");
    }
}

}  // namespace tessera::model
