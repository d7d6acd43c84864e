#include "core/study/document_schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hardware/numbers.h"

namespace tessera::study {

namespace {

constexpr std::string_view kSha256 = R"({"pattern": "^[0-9a-f]{64}$"})";

/// A member that is always the same text.
void addConstant(DocumentSchema& doc, std::string_view key, std::string_view text) {
    doc({key, "", fmt::format(R"({{"const": "{}"}})", text)}, Json());
}

/// What two ways through the same rows say of a member: where one says null, null as well.
Json either(const Json& one, const Json& other) {
    const Json null = Json::object({{"type", "null"}});
    if (one == null && other != null) return detail::nullable(other);
    return other == null && one != null ? detail::nullable(one) : one;
}

}  // namespace

Json detail::enumSchema(const std::vector<std::string>& words) {
    return Json::object({{"enum", words}});
}

Json detail::wholeSchema(std::int64_t min, std::int64_t /*max*/) {
    Json schema = Json::object({{"type", "integer"}});
    if (min > std::numeric_limits<std::int64_t>::min()) schema["minimum"] = min;
    return schema;
}

Json detail::sourcesSchema() {
    std::vector<std::string> classes = hardware::reliabilities();
    classes.insert(classes.begin(), "");
    Json sources = Json::object({{"type", "object"}});
    sources["additionalProperties"] = DocumentSchema::ofObject([&](DocumentSchema& doc) {
        doc("source", std::string());
        doc("class", std::string(), classes);
        doc.unlessEmpty({"was", "What a number of the class 'yours' replaced, where that one named its source.",
                         R"({"allOf": [{"$ref": "accelerator.schema.json#/definitions/former"}]})"},
                        Json());
    });
    return sources;
}

Json detail::nullable(Json schema) {
    if (schema.contains("$ref")) {
        schema["anyOf"] = Json::array({Json::object({{"$ref", schema.at("$ref")}}), Json::object({{"type", "null"}})});
        schema.erase("$ref");
        return schema;
    }
    const std::string type = schema.value("type", Json()).is_string() ? schema.at("type").get<std::string>() : "null";
    if (type != "null") schema["type"] = Json::array({type, "null"});
    return schema;
}

void DocumentSchema::add(const Key& key, const Json& schema, bool needed) {
    Json said = Json::object();
    if (!key.about.empty()) said["description"] = std::string(key.about);
    said.update(schema);
    if (!key.also.empty()) said.merge_patch(Json::parse(key.also));
    if (Property* known = find(key.name))
        known->schema = either(known->schema, said);
    else
        properties_.push_back({.key = std::string(key.name), .schema = std::move(said), .needed = needed});
}

DocumentSchema::Property* DocumentSchema::find(std::string_view key) {
    const auto found =
        std::find_if(properties_.begin(), properties_.end(), [&](const Property& each) { return each.key == key; });
    return found == properties_.end() ? nullptr : &*found;
}

void DocumentSchema::merge(const DocumentSchema& other) {
    for (Property& property : properties_)
        property.needed =
            property.needed && std::any_of(other.properties_.begin(), other.properties_.end(),
                                           [&](const Property& each) { return each.key == property.key; });
    for (const Property& property : other.properties_) {
        if (Property* known = find(property.key))
            known->schema = either(known->schema, property.schema);
        else
            properties_.push_back({.key = property.key, .schema = property.schema, .needed = false});
    }
}

Json DocumentSchema::schema() const {
    Json needed = Json::array(), properties = Json::object();
    for (const Property& property : properties_) {
        if (property.needed) needed.push_back(property.key);
        properties[property.key] = property.schema;
    }
    Json object = Json::object({{"type", "object"}});
    if (!needed.empty()) object["required"] = needed;
    object["additionalProperties"] = false;
    if (!properties.empty()) object["properties"] = properties;
    return object;
}

void addHead(DocumentSchema& doc, const DocumentKind& kind) {
    const std::string text;
    addConstant(doc, "schema", kind.schema);
    doc({"tool_version", "The version of Tessera that wrote the document."}, text);
    addConstant(doc, "command", kind.command);
    if (kind.seeded) doc.unlessEmpty({"seed", "Of random numbers."}, std::uint64_t());
    doc.list({"inputs", "The files and generated models that the result rests on."}, std::vector<Input>(),
             [](DocumentSchema& row, const Input& input) {
                 row({"name", "As the user named it."}, input.name);
                 row({"sha256", "", kSha256}, input.sha256);
             });
    doc.unlessEmpty({kind.nameOfStudy, "Of the study, for people; left out where it has none."}, text);
}

void addTail(DocumentSchema& doc) {
    const std::vector<std::string> sentences;
    doc({"assumptions", "What the numbers rest on, as sentences."}, sentences);
    doc({"warnings", "What was skipped, corrected or does not fit, as sentences."}, sentences);
}

Json namedSchema(const DocumentKind& kind, const Json& object, const Json& definitions) {
    const std::size_t begin = kind.schema.find('.') + 1;
    const std::string name(kind.schema.substr(begin, kind.schema.find('/') - begin));
    Json schema = Json::object();
    schema["$schema"] = "http://json-schema.org/draft-07/schema#";
    schema["$id"] = name + ".schema.json";
    schema["title"] = std::string(kind.schema);
    schema["description"] = std::string(kind.about);
    schema.update(object);
    if (!definitions.empty()) schema["definitions"] = definitions;
    return schema;
}

}  // namespace tessera::study
