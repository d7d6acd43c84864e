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
#include "core/base/json.h"
#include "core/base/quantity.h"
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
/// what a reader holds it to: of a whole number the minimum and maximum, of a number a NumberRule, of a word the
/// table of words. Reading throws DataError.
namespace tessera::study {

/// Range of a document's number, and how it is written.
struct NumberRule {
    double (*read)(const JsonNode& node) = [](const JsonNode& node) { return node.number(); };
    bool whole = false;  ///< written 512 rather than 512.0

    constexpr NumberRule asWhole() const { return {read, true}; }
};
inline constexpr NumberRule kNotNegative{[](const JsonNode& node) { return node.notNegative(); }};
inline constexpr NumberRule kPositive{[](const JsonNode& node) { return node.positive(); }};
/// Null stands for one that JSON has no word for, and reads as NaN.
inline constexpr NumberRule kOrUnknown{
    [](const JsonNode& node) { return node.isNull() ? std::numeric_limits<double>::quiet_NaN() : node.number(); }};

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
/// A table of words: of values with a `nameOf`, of pairs of a value and its word, or of texts.
template <typename Rule>
inline constexpr bool kIsWords = requires(const Rule& rule) {
    rule.begin();
};

template <typename T, typename Row>
std::string_view wordOf(const Row& row) {
    if constexpr (std::is_convertible_v<const Row&, std::string_view>)
        return row;
    else if constexpr (std::is_same_v<T, Row>)
        return nameOf(row);
    else
        return row.second;
}

template <typename T, typename Words>
void readWord(const JsonNode& node, T& value, const Words& words) {
    std::vector<std::string> known;
    for (const auto& row : words) known.emplace_back(wordOf<T>(row));
    const std::string word = node.oneOf(known);
    const auto at = static_cast<std::size_t>(std::find(known.begin(), known.end(), word) - known.begin());
    using Row = std::remove_cvref_t<decltype(words[at])>;
    if constexpr (std::is_same_v<T, std::string>)
        value = word;
    else if constexpr (std::is_same_v<T, Row>)
        value = words[at];
    else
        value = words[at].first;
}

template <typename T, typename Words>
std::string_view writtenWord(const T& value, const Words& words) {
    if constexpr (std::is_same_v<T, std::string>)
        return value;
    else if constexpr (std::is_same_v<T, std::remove_cvref_t<decltype(*words.begin())>>)
        return nameOf(value);
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
    } else if constexpr (kIsVector<T>) {
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
    /// A member by its value; an optional one is left out where it has none.
    template <typename T, typename... Rule>
    void operator()(std::string_view key, const T& value, const Rule&... rule) {
        if constexpr (detail::kIsOptional<T>)
            if (!value) return;
        orNull(key, value, rule...);
    }
    /// Left out where it is empty, 0 or false.
    template <typename T, typename... Rule>
    void unlessEmpty(std::string_view key, const T& value, const Rule&... rule) {
        if (!(value == T())) (*this)(key, value, rule...);
    }
    /// An optional one, null where it has no value.
    template <typename T, typename... Rule>
    void orNull(std::string_view key, const T& value, const Rule&... rule) {
        json_.key(key);
        detail::writeValue(json_, value, rule...);
    }
    /// Member that follows from others, so is only written: a value, or a function that returns it.
    template <typename T>
    void derived(std::string_view key, const T& value) {
        if constexpr (std::is_invocable_v<const T&>)
            (*this)(key, value());
        else
            (*this)(key, value);
    }
    /// Object that follows from other members, so is only written.
    template <typename T, typename Members>
    void derived(std::string_view key, const T& value, const Members& members) {
        object(key, value, members);
    }
    /// An object with members of its own; an optional one is left out where there is none.
    template <typename T, typename Members>
    void object(std::string_view key, const T& value, const Members& members) {
        if constexpr (detail::kIsOptional<T>) {
            if (value) object(key, *value, members);
        } else {
            group(key, [&](DocumentWriter& inner) { members(inner, value); });
        }
    }
    template <typename T, typename Members>
    void objectOrNull(std::string_view key, const std::optional<T>& value, const Members& members) {
        if (value)
            object(key, *value, members);
        else
            (*this)(key, nullptr);
    }
    /// An object of the document that is none of the result: `members(doc)`.
    template <typename Members>
    void group(std::string_view key, const Members& members) {
        json_.key(key);
        json_.open('{');
        members(*this);
        json_.close('}');
    }
    /// A list of objects.
    template <typename Row, typename Members>
    void list(std::string_view key, const std::vector<Row>& rows, const Members& members,
              std::size_t /*max*/ = detail::kMaxEntries) {
        json_.key(key);
        json_.open('[');
        std::size_t number = 0;
        for (const Row& row : rows) {
            json_.entry();
            json_.open('{');
            detail::visitEntry(*this, row, number++, members);
            json_.close('}');
        }
        json_.close(']');
    }
    /// List written as an object, whose keys are a member of each row.
    template <typename Row, typename Members>
    void byName(std::string_view key, const std::vector<Row>& rows, std::string Row::*name, const Members& members) {
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
    JsonNode at(std::string_view key) const { return node_.at(std::string(key)); }
    const JsonNode& node() const { return node_; }

    template <typename T, typename... Rule>
    void operator()(std::string_view key, T& value, const Rule&... rule) const {
        if constexpr (detail::kIsOptional<T>)
            unlessEmpty(key, value, rule...);
        else
            detail::readValue(at(key), value, rule...);
    }
    template <typename T, typename... Rule>
    void unlessEmpty(std::string_view key, T& value, const Rule&... rule) const {
        if (has(key)) detail::readValue(at(key), value, rule...);
    }
    template <typename T, typename... Rule>
    void orNull(std::string_view key, std::optional<T>& value, const Rule&... rule) const {
        if (const JsonNode child = at(key); !child.isNull()) detail::readValue(child, value, rule...);
    }
    template <typename T>
    void derived(std::string_view /*key*/, const T& /*value*/) const {}
    template <typename T, typename Members>
    void derived(std::string_view /*key*/, const T& /*value*/, const Members& /*members*/) const {}
    template <typename T, typename Members>
    void object(std::string_view key, T& value, const Members& members) const {
        if constexpr (detail::kIsOptional<T>) {
            if (has(key)) object(key, value.emplace(), members);
        } else {
            group(key, [&](DocumentReader& inner) { members(inner, value); });
        }
    }
    template <typename T, typename Members>
    void objectOrNull(std::string_view key, std::optional<T>& value, const Members& members) const {
        if (!at(key).isNull()) object(key, value.emplace(), members);
    }
    template <typename Members>
    void group(std::string_view key, const Members& members) const {
        DocumentReader inner(at(key));
        members(inner);
    }
    template <typename Row, typename Members>
    void list(std::string_view key, std::vector<Row>& rows, const Members& members,
              std::size_t max = detail::kMaxEntries) const {
        std::size_t number = 0;
        for (const JsonNode& node : at(key).elements(max)) {
            DocumentReader inner(node);
            detail::visitEntry(inner, rows.emplace_back(), number++, members);
        }
    }
    template <typename Row, typename Members>
    void byName(std::string_view key, std::vector<Row>& rows, std::string Row::*name, const Members& members) const {
        for (const auto& [title, node] : at(key).members()) {
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
