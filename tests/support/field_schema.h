#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/hardware/field.h"

/// JSON Schemas derived from the tables of fields, to hold those of data/schemas against.
namespace tessera::hardware {

namespace schema_of {

constexpr const char* kShared = "accelerator.schema.json#/definitions/";

inline Json describedText(const char* about) {
    return {{"description", about}, {"type", "string"}, {"maxLength", 1000}};
}

inline Json reference(const std::string& to) {
    return {{"$ref", to}};
}

inline Json orQuantity(const Json& plain, const std::string& shared, bool units) {
    return units ? Json{{"oneOf", Json::array({plain, reference(shared + "quantity")})}} : plain;
}

inline Json alternatives(const std::string& shared, bool units) {
    return {{"description", "Other values that sources give for the same number. Default: none."},
            {"type", "array"},
            {"maxItems", 10},
            {"items",
             {{"type", "object"},
              {"required", Json::array({"value"})},
              {"additionalProperties", false},
              {"properties",
               {{"value", orQuantity({{"type", "number"}}, shared, units)},
                {"source", {{"type", "string"}, {"maxLength", 1000}}}}}}}};
}

/// The definitions of one document: each as often as it is used, once.
class Definitions {
public:
    /// `own` says that the document has the shared definitions itself.
    explicit Definitions(bool own) : shared_(own ? "#/definitions/" : kShared), own_(own) {
        if (!own) return;
        all_["name"] = {{"description", "A text that is not blank, of at most 256 characters."},
                        {"type", "string"},
                        {"minLength", 1},
                        {"maxLength", 256},
                        {"pattern", R"([^ \t\r\n])"}};
        all_["quantity"] = {
            {"description",
             "A number with its unit, such as '40 GiB', '100 GB/s' or '5 µs', for a field that has one; B is byte, b "
             "is bit, and a bare number is in the unit that the field's name says."},
            {"type", "string"},
            {"pattern", "^\\s*\\+?[0-9.][0-9.eE+-]*\\s*[A-Za-zµμ²0-9/]+\\s*$"},
            {"maxLength", 256}};
        all_["former"] = {
            {"description", "A number that a user replaced by one of their own, with what was said about it."},
            {"type", "object"},
            {"required", Json::array({"value"})},
            {"additionalProperties", false},
            {"properties",
             {{"value", orQuantity({{"type", "number"}}, shared_, true)},
              {"source", describedText("Where the number came from, in words.")},
              {"class", {{"description", "How far it could be trusted."}, {"enum", reliabilities()}}},
              {"alternatives", alternatives(shared_, true)}}}};
        for (const bool units : {true, false})
            for (const Bounds& bounds : {kPositive, kNotNegative, kFraction})
                if (!units || bounds != kFraction) number(bounds, units);
    }

    Json name() const { return reference(shared_ + "name"); }
    /// The reference to numbers within the bounds, alone or with what is said about them.
    Json number(const Bounds& bounds, bool units) {
        const bool common = !bounds.whole && bounds.min == 0;
        std::string id = bounds.whole ? fmt::format("whole_{}to_{:.0f}", bounds.min > 0 ? "" : "from_0_", bounds.max)
                         : bounds.min > 0     ? fmt::format("at_least_{:.0f}", bounds.min)
                         : bounds.max <= 1    ? "fraction"
                         : bounds.minExcluded ? "positive"
                                              : "not_negative";
        if (units == bounds.whole && id != "fraction") id += units ? "_with_unit" : "_without_unit";
        if (common && !own_) return reference(shared_ + id);
        if (!all_.contains(id)) all_[id] = definition(bounds, units);
        return reference("#/definitions/" + id);
    }
    void add(const std::string& id, Json definition) { all_[id] = std::move(definition); }
    Json all() && { return std::move(all_); }

private:
    Json definition(const Bounds& bounds, bool units) const {
        Json plain{{"type", bounds.whole ? "integer" : "number"}};
        const auto bound = [](double value) {
            return value < 0x1p53 ? Json(static_cast<std::int64_t>(value)) : Json(value);
        };
        plain["minimum"] = bounds.minExcluded ? Json(1e-30) : bound(bounds.min);
        plain["maximum"] = bound(bounds.max);
        const std::string range = bounds.whole
                                      ? fmt::format("A whole number from {:.0f} to {:.0f}", bounds.min, bounds.max)
                                  : bounds.min > 0  ? fmt::format("A number of {:.0f} or more (up to 1e30)", bounds.min)
                                  : bounds.max <= 1 ? "A number above 0 and at most 1"
                                  : bounds.minExcluded ? "A number above 0 (from 1e-30 to 1e30)"
                                                       : "A number of 0 or more (up to 1e30)";
        Json forms = Json::array({plain});
        if (units) forms.push_back(reference(shared_ + "quantity"));
        forms.push_back(
            {{"type", "object"},
             {"required", Json::array({"value"})},
             {"additionalProperties", false},
             {"properties",
              {{"value", orQuantity(plain, shared_, units)},
               {"source", describedText("Where the number comes from, in words. Default: not said.")},
               {"class",
                {{"description",
                  "How far it can be trusted; 'yours' is a number that was set by hand. Default: not said."},
                 {"enum", reliabilities()}}},
               {"alternatives", alternatives(shared_, units)},
               {"was",
                {{"description", "What a number of the class 'yours' replaced, where that one named its source."},
                 {"allOf", Json::array({reference(shared_ + "former")})}}}}}});
        return {{"description", fmt::format("{}; the number alone, {}or an object that says where it comes from.",
                                            range, units ? "a text with a unit of what the field measures, " : "")},
                {"oneOf", forms}};
    }

    std::string shared_;
    bool own_;
    Json all_ = Json::object();
};

inline Json objectSchema(const Fields& fields, Definitions& definitions);

inline Json rangeSchema(const Json& value) {
    const auto end = [&](const char* about) { return Json{{"description", about}, {"allOf", Json::array({value})}}; };
    return {
        {"oneOf",
         Json::array({{{"type", "array"}, {"minItems", 1}, {"maxItems", 1000}, {"items", value}},
                      {{"type", "object"},
                       {"required", Json::array({"from", "to", "step"})},
                       {"additionalProperties", false},
                       {"properties",
                        {{"from", end("The first value.")},
                         {"to", end("The last value, which steps from the first reach.")},
                         {"step",
                          {{"description",
                            "What leads from one value to the next: a factor such as '×2' or a summand such as '+8'."},
                           {"type", "string"},
                           {"pattern", "^(×|x|\\+)[0-9]+$"}}}}}}})}};
}

/// What a value of the field must be, without its description.
inline Json valueSchema(const Field& field, Definitions& definitions) {
    const auto number = [&] { return definitions.number(field.bounds, acceptsUnits(field.bounds, field.measure)); };
    switch (field.holds) {
        case Holds::text:
            if (!field.empty.empty()) return {{"type", "string"}, {"maxLength", field.max}};
            return {{"allOf", Json::array({definitions.name()})}};
        case Holds::number:
            return {{"allOf", Json::array({number()})}};
        case Holds::flag:
            return {{"type", "boolean"}};
        case Holds::range:
            return rangeSchema(number());
        case Holds::names:
            return {{"type", "array"},
                    {"minItems", 1},
                    {"maxItems", 100},
                    {"items", {{"type", "string"}, {"maxLength", 256}}}};
        case Holds::numbers:
            return {{"type", "array"},
                    {"minItems", 1},
                    {"maxItems", field.max},
                    {"items", definitions.number(field.bounds, false)}};
        case Holds::map: {
            const Field& value = field.fields.front();
            Json schema{{"type", "object"}, {"minProperties", field.minEntries}, {"maxProperties", field.max}};
            schema["propertyNames"] = {{"minLength", 1}, {"maxLength", 256}};
            schema["additionalProperties"] =
                value.holds == Holds::number
                    ? definitions.number(value.bounds, acceptsUnits(value.bounds, value.measure))
                    : valueSchema(value, definitions);
            return schema;
        }
        case Holds::list:
            return {{"type", "array"},
                    {"minItems", field.minEntries},
                    {"maxItems", field.max},
                    {"items", objectSchema(field.fields, definitions)}};
        case Holds::object:
            return objectSchema(field.fields, definitions);
        case Holds::other:
            break;
    }
    return Json::object();
}

inline Json fieldSchema(const Field& field, Definitions& definitions) {
    const bool isDefault = !(*field.fallback).is_null() && !(*field.fallback).is_string();
    Json schema{{"description", field.about + (field.needed || isDefault || field.without.empty()
                                                   ? ""
                                                   : fmt::format(" Default: {}.", field.without))}};
    if (field.holds == Holds::other && !field.fields.empty())
        definitions.add(field.entry, objectSchema(field.fields, definitions));
    Json value = (*field.schema).is_null() ? valueSchema(field, definitions) : *field.schema;
    for (const auto& [key, inner] : value.items()) schema[key] = inner;
    if (!(*field.fallback).is_null()) schema["default"] = *field.fallback;
    return schema;
}

inline Json objectSchema(const Fields& fields, Definitions& definitions) {
    Json schema{{"type", "object"}, {"required", Json::array()}, {"additionalProperties", false}};
    Json& properties = schema["properties"] = Json::object();
    for (const Field& field : fields) {
        if (field.needed) schema["required"].push_back(field.key);
        properties[field.key] = fieldSchema(field, definitions);
    }
    if (schema["required"].empty()) schema.erase("required");
    return schema;
}

}  // namespace schema_of

/// The JSON Schema of a kind of file.
inline Json schemaDocument(const Kind& kind) {
    schema_of::Definitions definitions(kind.id == "accelerator");
    Json schema = {
        {"description",
         "Kind and version of the file." +
             std::string(kind.standsInline ? " Required in a file; what is written inside of another document may "
                                             "leave it out."
                                           : "")},
        {"const", currentSchema(kind.history)}};
    Json object = schema_of::objectSchema(kind.fields, definitions);
    Json properties{{"schema", std::move(schema)}};
    properties.update(object["properties"]);
    object["properties"] = std::move(properties);
    if (!(*kind.oneOf).is_null()) object["oneOf"] = *kind.oneOf;
    definitions.add(kind.id, std::move(object));
    return {{"$schema", "http://json-schema.org/draft-07/schema#"},
            {"$id", kind.id + ".schema.json"},
            {"title", currentSchema(kind.history)},
            {"description", kind.about},
            {"allOf", Json::array({schema_of::reference("#/definitions/" + kind.id)})},
            {"required", Json::array({"schema"})},
            {"definitions", std::move(definitions).all()}};
}

}  // namespace tessera::hardware
