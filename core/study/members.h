#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/ended_by.h"
#include "core/base/enum_names.h"
#include "core/base/json.h"
#include "core/base/quantity.h"
#include "core/base/repeated.h"
#include "core/study/document_study.h"
#include "core/study/json_writer.h"
#include "core/study/provenance.h"
#include "core/study/result.h"

/// Descriptions of how objects stand in documents. The members of an object, a row for each, are one function that a
/// writer and a reader go over alike:
///
///     constexpr auto kBaseline = [](auto& doc, auto& baseline) {
///         doc("id", baseline.id);
///         doc("devices", baseline.devices, 1);             // a whole number of 1 or more
///         doc("throughput", baseline.throughput, kPositive);  // of an optional: left out where it has no value
///         doc.list("stages", baseline.stages, kStage);
///     };
///
/// Times, bytes and other quantities stand there as their value in base units. What a row says of a value after it is
/// what a reader holds it to: of a whole number the least and the greatest, of a number a NumberRule, of a word the
/// table of words. Reading throws DataError. The schema of the document follows from the same rows
/// (core/study/document_schema.h); for it a key may say what the value is, and what its row cannot know:
///
///     doc({"gap", "Value over lower bound, minus 1."}, run.gap, kOrUnknown);
namespace tessera::study {

/// The key of a member, and what the schema of its document says of it.
struct Key {
    std::string_view name;
    std::string_view about = {};  ///< a sentence
    std::string_view also = {};   ///< the text of a JSON object, which is merged into its schema

    template <typename Text>
    requires std::is_convertible_v<const Text&, std::string_view>
    constexpr Key(const Text& key, std::string_view what = {}, std::string_view more = {})  // NOLINT: a text is a key
        : name(key), about(what), also(more) {}
};
/// Members of an object that stands in several places: a schema says what they are once, by name.
template <typename Members>
struct Definition {
    std::string_view definition;  ///< the name
    std::string_view about;       ///< a sentence
    Members members;

    constexpr Definition(std::string_view name, std::string_view what, Members its)
        : definition(name), about(what), members(its) {}
    /// Goes over them: `members(doc, value)`.
    template <typename... Part>
    requires std::is_invocable_v<const Members&, Part&...>
    void operator()(Part&... parts) const { members(parts...); }
};
/// A number that is never below 0, though a reader lets it pass.
inline constexpr std::string_view kFromZero = R"({"minimum": 0})";
/// A list that is never empty.
inline constexpr std::string_view kSomeEntries = R"({"minItems": 1})";
/// Under which every document has the parameters of its study.
inline constexpr Key kParametersKey{"parameters", "Of the study, by name, as in a study file.",
                                    R"({"type": "object"})"};

/// What a number of a document may be, and how it is written.
struct NumberRule {
    double (*read)(const JsonNode& node) = [](const JsonNode& node) { return node.number(); };
    std::string_view schema = R"({"type": "number"})";
    bool whole = false;  ///< written 512 rather than 512.0

    constexpr NumberRule asWhole() const { return {read, schema, true}; }
};
inline constexpr NumberRule kNotNegative{[](const JsonNode& node) { return node.notNegative(); },
                                         R"({"type": "number", "minimum": 0})"};
inline constexpr NumberRule kPositive{[](const JsonNode& node) { return node.positive(); },
                                      R"({"type": "number", "exclusiveMinimum": 0})"};
/// Null stands for one that JSON has no word for, and reads as NaN.
inline constexpr NumberRule kOrUnknown{
    [](const JsonNode& node) { return node.isNull() ? std::numeric_limits<double>::quiet_NaN() : node.number(); },
    R"({"type": ["number", "null"]})"};

namespace detail {

inline constexpr std::size_t kLongestMember = 1'000'000;  ///< characters of a text
inline constexpr std::size_t kMaxEntries = 10'000'000;    ///< of a list

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <typename T>
inline constexpr bool kIsVector = false;
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <typename T>
inline constexpr bool kIsRepeated = false;
template <typename T>
inline constexpr bool kIsRepeated<Repeated<T>> = true;
/// A table of words: the names of an enum, pairs of a value and its word, or texts.
template <typename Rule>
inline constexpr bool kIsWords = requires(const Rule& rule) {
    rule.begin();
};
template <typename Enum>
inline constexpr bool kIsWords<EnumNames<Enum>> = true;

template <typename Row>
std::string_view wordOf(const Row& row) {
    if constexpr (std::is_convertible_v<const Row&, std::string_view>)
        return row;
    else
        return row.second;
}

template <typename Enum>
void readWord(const JsonNode& node, Enum& value, const EnumNames<Enum>& names) {
    value = node.oneOf(names);
}

template <typename T, typename Words>
void readWord(const JsonNode& node, T& value, const Words& words) {
    std::vector<std::string> known;
    for (const auto& row : words) known.emplace_back(wordOf(row));
    const std::string word = node.oneOf(known);
    const auto at = static_cast<std::size_t>(std::find(known.begin(), known.end(), word) - known.begin());
    if constexpr (std::is_same_v<T, std::string>)
        value = word;
    else
        value = words[at].first;
}

template <typename Enum>
std::string_view writtenWord(Enum value, const EnumNames<Enum>& names) {
    return names.of(value);
}

template <typename T, typename Words>
std::string_view writtenWord(const T& value, const Words& words) {
    if constexpr (std::is_same_v<T, std::string>)
        return value;
    else
        return std::find_if(words.begin(), words.end(), [&](const auto& row) { return row.first == value; })->second;
}

template <typename T>
T readWhole(const JsonNode& node, std::int64_t min = 0,
            std::int64_t max = std::int64_t(std::min<std::uint64_t>(std::numeric_limits<T>::max(),
                                                                    std::numeric_limits<std::int64_t>::max()))) {
    return static_cast<T>(node.whole(min, max));
}

inline double readNumber(const JsonNode& node, const NumberRule& rule = {}) {
    return rule.read(node);
}

inline void writeNumber(JsonWriter& json, double number, const NumberRule& rule = {}) {
    if (rule.whole)
        json.value(wholeWherePossible(number));
    else
        json.value(number);
}

template <typename T, typename... Rule>
void readValue(const JsonNode& node, T& value, const Rule&... rule) {
    if constexpr (kIsOptional<T>) {
        readValue(node, value.emplace(), rule...);
    } else if constexpr (kIsVector<T>) {
        value.clear();
        for (const JsonNode& each : node.elements(kMaxEntries)) readValue(each, value.emplace_back(), rule...);
    } else if constexpr ((kIsWords<Rule> || ...)) {
        readWord(node, value, rule...);
    } else if constexpr (std::is_same_v<T, EndedBy>) {
        value = readEndedBy(node);
    } else if constexpr (std::is_same_v<T, hardware::ProvenanceMap>) {
        value = readSources(node);
    } else if constexpr (std::is_same_v<T, HeldJson>) {
        value = node.json();
    } else if constexpr (std::is_same_v<T, bool>) {
        value = node.boolean();
    } else if constexpr (std::is_same_v<T, std::string>) {
        value = node.text(kLongestMember);
    } else if constexpr (std::is_integral_v<T>) {
        value = readWhole<T>(node, rule...);
    } else {
        value = T{readNumber(node, rule...)};
    }
}

template <typename T, typename... Rule>
void writeValue(JsonWriter& json, const T& value, const Rule&... rule) {
    if constexpr (kIsOptional<T>) {
        if (value)
            writeValue(json, *value, rule...);
        else
            json.value(Json());
    } else if constexpr (kIsVector<T> || kIsRepeated<T>) {
        json.open('[');
        for (const auto& each : value) {
            json.entry();
            writeValue(json, each, rule...);
        }
        json.close(']');
    } else if constexpr ((kIsWords<Rule> || ...)) {
        json.text(writtenWord(value, rule...));
    } else if constexpr (std::is_same_v<T, EndedBy>) {
        json.text(nameOf(value));
    } else if constexpr (std::is_same_v<T, hardware::ProvenanceMap>) {
        json.value(sourcesJson(value));
    } else if constexpr (std::is_same_v<T, HeldJson>) {
        json.value(*value);
    } else if constexpr (std::is_same_v<T, Json> || std::is_same_v<T, std::nullptr_t> || std::is_same_v<T, bool>) {
        json.value(Json(value));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        json.text(value);
    } else if constexpr (std::is_integral_v<T>) {
        json.whole(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
        writeNumber(json, value, rule...);
    } else {
        writeNumber(json, value.value, rule...);
    }
}

/// Goes over the members of a list's entry: `members(doc, row)`, or `members(doc, row, its number)`.
template <typename Doc, typename Row, typename Members>
void visitEntry(Doc& doc, Row& row, std::size_t number, const Members& members) {
    if constexpr (std::is_invocable_v<const Members&, Doc&, Row&, std::size_t>)
        members(doc, row, number);
    else
        members(doc, row);
}

}  // namespace detail

/// Writes what a function of members names, part by part.
class DocumentWriter {
public:
    explicit DocumentWriter(JsonWriter& json) : json_(json) {}

    /// True if a member is there: for a writer if `holds`, for a reader if the document has it.
    bool has(std::string_view /*key*/, bool holds = true) const { return holds; }
    /// Whether the members that follow are there, which others say: a schema has both ways.
    bool where(bool holds) const { return holds; }
    /// A member by its value; an optional one is left out where it has none.
    template <typename T, typename... Rule>
    void operator()(const Key& key, const T& value, const Rule&... rule) {
        if constexpr (detail::kIsOptional<T>)
            if (!value) return;
        orNull(key, value, rule...);
    }
    /// Left out where it is empty, 0 or false.
    template <typename T, typename... Rule>
    void unlessEmpty(const Key& key, const T& value, const Rule&... rule) {
        if (!(value == T())) (*this)(key, value, rule...);
    }
    /// An optional one, null where it has no value.
    template <typename T, typename... Rule>
    void orNull(const Key& key, const T& value, const Rule&... rule) {
        json_.key(key.name);
        detail::writeValue(json_, value, rule...);
    }
    /// Member that follows from others, so is only written: a value, or a function that returns it.
    template <typename T>
    void derived(const Key& key, const T& value) {
        if constexpr (std::is_invocable_v<const T&>)
            (*this)(key, value());
        else
            (*this)(key, value);
    }
    /// Object that follows from other members, so is only written.
    template <typename T, typename Members>
    void derived(const Key& key, const T& value, const Members& members) {
        object(key, value, members);
    }
    /// An object with members of its own; an optional one is left out where there is none.
    template <typename T, typename Members>
    void object(const Key& key, const T& value, const Members& members) {
        if constexpr (detail::kIsOptional<T>) {
            if (value) object(key, *value, members);
        } else {
            group(key, [&](DocumentWriter& inner) { members(inner, value); });
        }
    }
    template <typename T, typename Members>
    void objectOrNull(const Key& key, const std::optional<T>& value, const Members& members) {
        if (value)
            object(key, *value, members);
        else
            (*this)(key, nullptr);
    }
    /// An object of the document that is none of the result: `members(doc)`.
    template <typename Members>
    void group(const Key& key, const Members& members) {
        json_.key(key.name);
        json_.open('{');
        members(*this);
        json_.close('}');
    }
    /// A list of objects.
    template <typename Rows, typename Members>
    void list(const Key& key, const Rows& rows, const Members& members, std::size_t /*max*/ = detail::kMaxEntries) {
        json_.key(key.name);
        json_.open('[');
        std::size_t number = 0;
        for (const auto& row : rows) {
            json_.entry();
            json_.open('{');
            detail::visitEntry(*this, row, number++, members);
            json_.close('}');
        }
        json_.close(']');
    }
    /// List written as an object, whose keys are a member of each row.
    template <typename Row, typename Members>
    void byName(const Key& key, const std::vector<Row>& rows, std::string Row::*name, const Members& members) {
        group(key, [&](DocumentWriter& inner) {
            for (const Row& row : rows) inner.object(row.*name, row, members);
        });
    }
    /// Checks a member that was read; fails with `expected` where the condition does not hold.
    void require(bool /*holds*/, std::string_view /*key*/, std::string_view /*expected*/,
                 std::string_view /*found*/ = {}) const {}
    /// Checks that a list that was read, where there is one, has so many entries; `expected` names them: "{} numbers".
    void requireSize(std::string_view /*key*/, std::size_t /*size*/, std::size_t /*entries*/,
                     std::string_view /*expected*/) const {}

private:
    JsonWriter& json_;
};

/// Reads what a function of members names, with the interface of the writer.
class DocumentReader {
public:
    explicit DocumentReader(JsonNode node) : node_(std::move(node)) {}

    bool has(std::string_view key, bool /*holds*/ = true) const { return node_.has(std::string(key)); }
    bool where(bool holds) const { return holds; }
    JsonNode at(std::string_view key) const { return node_.at(std::string(key)); }
    const JsonNode& node() const { return node_; }

    template <typename T, typename... Rule>
    void operator()(const Key& key, T& value, const Rule&... rule) const {
        if constexpr (detail::kIsOptional<T>)
            unlessEmpty(key, value, rule...);
        else
            detail::readValue(at(key.name), value, rule...);
    }
    template <typename T, typename... Rule>
    void unlessEmpty(const Key& key, T& value, const Rule&... rule) const {
        if (has(key.name)) detail::readValue(at(key.name), value, rule...);
    }
    template <typename T, typename... Rule>
    void orNull(const Key& key, std::optional<T>& value, const Rule&... rule) const {
        if (const JsonNode child = at(key.name); !child.isNull()) detail::readValue(child, value, rule...);
    }
    template <typename T>
    void derived(const Key& /*key*/, const T& /*value*/) const {}
    template <typename T, typename Members>
    void derived(const Key& /*key*/, const T& /*value*/, const Members& /*members*/) const {}
    template <typename T, typename Members>
    void object(const Key& key, T& value, const Members& members) const {
        if constexpr (detail::kIsOptional<T>) {
            if (has(key.name)) object(key, value.emplace(), members);
        } else {
            group(key, [&](DocumentReader& inner) { members(inner, value); });
        }
    }
    template <typename T, typename Members>
    void objectOrNull(const Key& key, std::optional<T>& value, const Members& members) const {
        if (!at(key.name).isNull()) object(key, value.emplace(), members);
    }
    template <typename Members>
    void group(const Key& key, const Members& members) const {
        DocumentReader inner(at(key.name));
        members(inner);
    }
    template <typename Row, typename Members>
    void list(const Key& key, std::vector<Row>& rows, const Members& members,
              std::size_t max = detail::kMaxEntries) const {
        std::size_t number = 0;
        for (const JsonNode& node : at(key.name).elements(max)) {
            DocumentReader inner(node);
            detail::visitEntry(inner, rows.emplace_back(), number++, members);
        }
    }
    template <typename Row, typename Members>
    void byName(const Key& key, std::vector<Row>& rows, std::string Row::*name, const Members& members) const {
        for (const auto& [title, node] : at(key.name).members()) {
            DocumentReader inner(node);
            Row& row = rows.emplace_back();
            row.*name = title;
            members(inner, row);
        }
    }
    void require(bool holds, std::string_view key, std::string_view expected, std::string_view found = {}) const {
        if (!holds) at(key).fail(std::string(expected), std::string(found));
    }
    void requireSize(std::string_view key, std::size_t size, std::size_t entries, std::string_view expected) const {
        if (size != entries && has(key))
            at(key).fail(fmt::format(fmt::runtime(expected), entries), fmt::format("a list of {}", size));
    }

private:
    JsonNode node_;
};

/// True for a reader of members: `kReads<decltype(doc)>`.
template <typename Doc>
inline constexpr bool kReads = std::is_same_v<std::remove_cvref_t<Doc>, DocumentReader>;

/// Whether it is a writer.
template <typename Doc>
inline constexpr bool kWrites = std::is_same_v<std::remove_cvref_t<Doc>, DocumentWriter>;
/// Whether it makes a schema: nothing is there, so what rows refer to has to be made.
template <typename Doc>
inline constexpr bool kDescribes = !kReads<Doc> && !kWrites<Doc>;

/// An object alone, by its members.
template <typename T, typename Members>
Json jsonOf(const T& value, const Members& members) {
    std::string text;
    const TextSink sink = [&text](std::string_view part) { text += part; };
    JsonWriter json(sink);
    json.open('{');
    DocumentWriter doc(json);
    members(doc, value);
    json.close('}');
    json.end();
    return Json::parse(text);
}

/// Reads it back. Throws DataError.
template <typename T, typename Members>
T readMembers(const JsonNode& node, const Members& members) {
    T value;
    DocumentReader doc(node);
    members(doc, value);
    return value;
}

/// Writes the document of a result: what all of them begin and end with, and between `members(doc, outcome, result)`.
template <typename Outcome, typename Members>
void writeDocument(const Result& result, const TextSink& write, const DocumentKind& kind, const Members& members) {
    JsonWriter json(write);
    json.open('{');
    json.members(resultHead(kind, result));
    DocumentWriter doc(json);
    members(doc, result.outcome.get<Outcome>(), result);
    Json tail = Json::object();
    finishDocument(tail, result.assumptions, result.warnings);
    json.members(tail);
    json.close('}');
    json.end();
}

/// Reads it back. Throws DataError.
template <typename Outcome, typename Members>
Result readDocument(const JsonNode& document, const Study& study, const DocumentKind& kind, const Members& members) {
    Result result = readFrame(document, study, kind);
    Outcome outcome;
    DocumentReader doc(document);
    members(doc, outcome, result);
    result.outcome = std::move(outcome);
    return result;
}

}  // namespace tessera::study
