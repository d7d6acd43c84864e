#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/json.h"
#include "core/study/members.h"

/// JSON Schemas of documents, by the rows that write and read them.
namespace tessera::study {

namespace detail {

/// What a member of an optional holds, else the type itself.
template <typename T>
struct HeldType {
    using Type = T;
};
template <typename T>
struct HeldType<std::optional<T>> {
    using Type = T;
};

/// `{"enum": […]}`.
Json enumSchema(const std::vector<std::string>& words);
/// A whole number of `min` or more. The greatest follows from other members as a rule, so it is left out.
Json wholeSchema(std::int64_t min = 0, std::int64_t max = 0);
/// Where numbers come from, as `sourcesJson` writes it.
Json sourcesSchema();
/// The same, or null.
Json nullable(Json schema);

inline Json numberSchema(const NumberRule& rule = {}) {
    return Json::parse(rule.schema);
}

template <typename Enum>
Json wordsSchema(const EnumNames<Enum>& names) {
    const std::vector<std::string_view> words = names.all();
    return enumSchema({words.begin(), words.end()});
}
template <typename Words>
Json wordsSchema(const Words& words) {
    std::vector<std::string> known;
    for (const auto& row : words) known.emplace_back(wordOf(row));
    return enumSchema(known);
}

/// The schema of a value of a type that is held to a rule; of an optional that of what it holds.
template <typename T, typename... Rule>
Json valueSchema(const Rule&... rule) {
    if constexpr (kIsOptional<T>) {
        return valueSchema<typename T::value_type>(rule...);
    } else if constexpr (kIsVector<T>) {
        Json list = Json::object({{"type", "array"}});
        list["items"] = valueSchema<typename T::value_type>(rule...);
        return list;
    } else if constexpr ((kIsWords<Rule> || ...)) {
        return wordsSchema(rule...);
    } else if constexpr (std::is_same_v<T, EndedBy>) {
        std::vector<std::string> words;
        for (const EndedByRow& row : kEndedBy) words.emplace_back(row.name);
        return enumSchema(words);
    } else if constexpr (std::is_same_v<T, hardware::ProvenanceMap>) {
        return sourcesSchema();
    } else if constexpr (std::is_same_v<T, Json> || std::is_same_v<T, HeldJson>) {
        return Json::object();  // of any type: its key says more
    } else if constexpr (std::is_same_v<T, std::nullptr_t>) {
        return Json::object({{"type", "null"}});
    } else if constexpr (std::is_same_v<T, bool>) {
        return Json::object({{"type", "boolean"}});
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        return Json::object({{"type", "string"}});
    } else if constexpr (std::is_integral_v<T>) {
        return wholeSchema(rule...);
    } else {
        return numberSchema(rule...);
    }
}

}  // namespace detail

/// Makes the schema of what a function of members names, with the interface of the writer. Values are as a default
/// makes them, and every list has one entry. Where rows depend on a decision (`has`, `where`), the function is gone
/// over again for each with the other answer: what is not there every time is optional.
class DocumentSchema {
public:
    /// Collects what a Definition names in `definitions`, an object.
    explicit DocumentSchema(Json* definitions) : definitions_(definitions) {}

    /// The schema of an object: `members(doc)`.
    template <typename Members>
    static Json ofObject(const Members& members, Json* definitions = nullptr) {
        DocumentSchema all(definitions);
        members(all);
        for (std::size_t decision = 0; decision < all.decisions_; ++decision) {
            DocumentSchema other(definitions);
            other.refused_ = decision;
            members(other);
            all.merge(other);
        }
        return all.schema();
    }

    bool has(std::string_view /*key*/) const { return true; }
    bool has(std::string_view /*key*/, bool holds) { return where(holds); }
    bool where(bool /*holds*/) { return decisions_++ != refused_; }

    template <typename T, typename... Rule>
    void operator()(const Key& key, const T& /*value*/, const Rule&... rule) {
        add(key, detail::valueSchema<T>(rule...), !detail::kIsOptional<T>);
    }
    template <typename T, typename... Rule>
    void unlessEmpty(const Key& key, const T& /*value*/, const Rule&... rule) {
        add(key, detail::valueSchema<T>(rule...), false);
    }
    template <typename T, typename... Rule>
    void orNull(const Key& key, std::optional<T>& value, const Rule&... rule) {
        value.emplace();
        add(key, detail::nullable(detail::valueSchema<T>(rule...)));
    }
    template <typename T>
    void derived(const Key& key, const T& value) {
        if constexpr (std::is_invocable_v<const T&>)
            (*this)(key, std::remove_cvref_t<std::invoke_result_t<const T&>>());
        else
            (*this)(key, value);
    }
    template <typename T, typename Members>
    void derived(const Key& key, const T& value, const Members& members) {
        add(key, ofMembers(members, [&](DocumentSchema& doc) { members(doc, value); }));
    }
    template <typename T, typename Members>
    void object(const Key& key, T& /*value*/, const Members& members) {
        add(key, ofHeld<T>(members), !detail::kIsOptional<std::remove_const_t<T>>);
    }
    template <typename T, typename Members>
    void objectOrNull(const Key& key, T& /*value*/, const Members& members) {
        add(key, detail::nullable(ofHeld<T>(members)));
    }
    template <typename Members>
    void group(const Key& key, const Members& members) {
        add(key, ofObject(members, definitions_));
    }
    template <typename Row, typename Members>
    void list(const Key& key, const std::vector<Row>& /*rows*/, const Members& members, std::size_t /*max*/ = 0) {
        Json list = Json::object({{"type", "array"}});
        list["items"] = ofHeld<Row>(members);
        add(key, list);
    }
    template <typename Row, typename Members>
    void byName(const Key& key, const std::vector<Row>& /*rows*/, std::string Row::* /*name*/, const Members& members) {
        Json named = Json::object({{"type", "object"}});
        named["additionalProperties"] = ofHeld<Row>(members);
        add(key, named);
    }
    void require(bool /*holds*/, std::string_view /*key*/, std::string_view /*expected*/,
                 std::string_view /*found*/ = {}) const {}
    void requireSize(std::string_view /*key*/, std::size_t /*size*/, std::size_t /*entries*/,
                     std::string_view /*expected*/) const {}

private:
    struct Property {
        std::string key;
        Json schema;
        bool needed = true;
    };

    /// The schema of members that a visit goes over: a reference to it where they are a definition.
    template <typename Members, typename Visit>
    Json ofMembers(const Members& members, const Visit& visit) {
        if constexpr (requires { members.definition; }) {
            if (!definitions_->contains(members.definition)) define(members, ofObject(visit, definitions_));
            return Json::object({{"$ref", "#/definitions/" + std::string(members.definition)}});
        } else {
            return ofObject(visit, definitions_);
        }
    }
    template <typename T, typename Members>
    Json ofHeld(const Members& members) {
        return ofMembers(members, [&](DocumentSchema& doc) {
            typename detail::HeldType<std::remove_const_t<T>>::Type value{};
            detail::visitEntry(doc, value, 0, members);
        });
    }
    template <typename Members>
    void define(const Members& members, const Json& object) {
        Json schema = Json::object({{"description", std::string(members.about)}});
        schema.update(object);
        (*definitions_)[std::string(members.definition)] = schema;
    }
    void add(const Key& key, const Json& schema, bool needed = true);
    Property* find(std::string_view key);
    /// Adds what another way through the same rows has.
    void merge(const DocumentSchema& other);
    Json schema() const;

    Json* definitions_;
    std::vector<Property> properties_;
    std::size_t decisions_ = 0;
    std::size_t refused_ = std::numeric_limits<std::size_t>::max();  ///< the decision that is answered with no
};

/// The rows that all documents of results begin with.
void addHead(DocumentSchema& doc, const DocumentKind& kind);
/// And end with.
void addTail(DocumentSchema& doc);
/// The schema of an object as that of a whole document: "mapping-result.schema.json".
Json namedSchema(const DocumentKind& kind, const Json& object, const Json& definitions);

/// The JSON Schema of a document of results, by the members that `writeDocument` takes.
template <typename Outcome, typename Members>
Json documentSchema(const DocumentKind& kind, const Members& members) {
    Json definitions = Json::object();
    const auto visit = [&](DocumentSchema& doc) {
        Outcome outcome{};
        Result result;
        addHead(doc, kind);
        members(doc, outcome, result);
        addTail(doc);
    };
    const Json object = DocumentSchema::ofObject(visit, &definitions);
    return namedSchema(kind, object, definitions);
}

}  // namespace tessera::study
