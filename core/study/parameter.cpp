#include "core/study/parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/study/stored_form.h"

namespace tessera::study {

namespace {

constexpr std::size_t kUsualText = 64;
constexpr std::size_t kMaxListed = 64;
constexpr std::size_t kMaxPairs = 1'000'000;
constexpr std::size_t kMaxNumbers = 100;
constexpr std::size_t kMaxEntries = 1'000'000;

std::string wordList(const Parameter& parameter) {
    return fmt::format("{}", fmt::join(parameter.words.begin(), parameter.words.end(), ", "));
}

bool isWord(const Parameter& parameter, std::string_view text) {
    return std::find(parameter.words.begin(), parameter.words.end(), text) != parameter.words.end();
}

/// Characters of a text.
std::size_t longestText(const Parameter& parameter) {
    return parameter.max > 0 ? static_cast<std::size_t>(parameter.max) : kUsualText;
}

bool inRange(const Parameter& parameter, double value) {
    return std::isfinite(value) && value >= parameter.min && value <= parameter.max;
}

std::string range(const Parameter& parameter) {
    if (parameter.max == std::numeric_limits<double>::infinity())
        return fmt::format("of {} or more", formatCount(parameter.min));
    return fmt::format("from {} to {}", formatCount(parameter.min), formatCount(parameter.max));
}

/// A whole number in the parameter's range, stored as an integer.
std::optional<Json> asWhole(const Parameter& parameter, double value) {
    if (!inRange(parameter, value) || value != std::floor(value) || std::fabs(value) >= 0x1p53) return std::nullopt;
    return Json(static_cast<std::int64_t>(value));
}

std::optional<Json> wordsOf(const Parameter& parameter, const std::vector<std::string>& given) {
    std::set<std::string> seen;
    for (const std::string& word : given)
        if (!isWord(parameter, word) || !seen.insert(word).second) return std::nullopt;
    if (given.empty()) return std::nullopt;
    return Json(given);
}

/// Different numbers in the parameter's range, from small to large.
std::optional<Json> numbersOf(const Parameter& parameter, std::vector<double> given) {
    std::sort(given.begin(), given.end());
    if (given.empty() || std::adjacent_find(given.begin(), given.end()) != given.end()) return std::nullopt;
    if (!std::all_of(given.begin(), given.end(), [&](double value) { return inRange(parameter, value); }))
        return std::nullopt;
    return Json(given);
}

/// The value of one option text for the kinds that take a single one; empty where it is none.
std::optional<Json> fromText(const Parameter& parameter, const std::string& text) {
    switch (parameter.kind) {
        case ParameterKind::number:
        case ParameterKind::whole: {
            const std::optional<double> value = parseQuantity(text, parameter.measure);
            if (!value) return std::nullopt;
            if (parameter.kind == ParameterKind::whole) return asWhole(parameter, *value);
            return inRange(parameter, *value) ? std::optional<Json>(*value) : std::nullopt;
        }
        case ParameterKind::wordOrNumber: {
            if (isWord(parameter, text)) return Json(text);
            const std::optional<double> value = parseQuantity(text, parameter.measure);
            return value && inRange(parameter, *value) ? std::optional<Json>(*value) : std::nullopt;
        }
        case ParameterKind::word:
            return isWord(parameter, text) ? std::optional<Json>(text) : std::nullopt;
        case ParameterKind::words: {
            std::vector<std::string> given;
            for (const std::string_view part : split(text, ',')) given.emplace_back(trimmed(part));
            return wordsOf(parameter, given);
        }
        case ParameterKind::numbers: {
            std::vector<double> given;
            for (const std::string_view part : split(text, ',')) {
                const std::optional<double> value = parseQuantity(trimmed(part), parameter.measure);
                if (!value || given.size() == kMaxNumbers) return std::nullopt;
                given.push_back(*value);
            }
            return numbersOf(parameter, std::move(given));
        }
        case ParameterKind::text:
            return !text.empty() && text.size() <= longestText(parameter) && isUtf8(text) ? std::optional<Json>(text)
                                                                                          : std::nullopt;
        default:
            return std::nullopt;
    }
}

[[noreturn]] void refuse(const Parameter& parameter, const std::string& text, const std::string& hint = "") {
    throw UsageError(fmt::format("option '{}' is {}; expected {}{}", parameter.option, inQuotes(text),
                                 expectationOf(parameter), hint));
}

std::string hintFor(const Parameter& parameter, const std::string& text) {
    std::vector<std::string> known(parameter.words.begin(), parameter.words.end());
    for (const std::string_view part : split(text, ',')) {
        if (isWord(parameter, trimmed(part))) continue;
        if (const std::string hint = withClosest(" (did you mean {}?)", trimmed(part), known); !hint.empty())
            return hint;
    }
    return "";
}

bool isLevelName(std::string_view name) {
    int level = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), level);
    return error == std::errc{} && end == name.data() + name.size() && level >= 0 && level <= 63 &&
           name == std::to_string(level);
}

bool hasPairs(const Parameter& parameter) {
    return parameter.kind == ParameterKind::namedWords || parameter.kind == ParameterKind::namedNumbers ||
           parameter.kind == ParameterKind::wordNumbers;
}

/// Whether a pair of numbers may have this name.
bool isPairName(const Parameter& parameter, std::string_view name) {
    return parameter.kind == ParameterKind::wordNumbers ? isWord(parameter, name) : isLevelName(name);
}

/// Layer names may hold '=', so the last one separates.
Json pairsFromTexts(const Parameter& parameter, const std::vector<std::string>& texts) {
    std::map<std::string, Json> pairs;
    for (const std::string& text : texts) {
        const std::size_t at = text.rfind('=');
        if (at == std::string::npos || at == 0) refuse(parameter, text);
        const std::string name = text.substr(0, at);
        const std::string value = text.substr(at + 1);
        if (!isUtf8(name)) refuse(parameter, text);
        if (parameter.kind == ParameterKind::namedWords) {
            if (!isWord(parameter, value)) refuse(parameter, text);
            pairs[name] = value;
            continue;
        }
        const std::optional<double> number = parseQuantity(value, parameter.measure);
        if (!isPairName(parameter, name) || !number || !inRange(parameter, *number))
            refuse(parameter, text, isPairName(parameter, name) ? "" : hintFor(parameter, name));
        pairs[name] = *number;
    }
    Json result = Json::object();
    for (auto& [name, value] : pairs) result[name] = std::move(value);
    return result;
}

/// A number in the parameter's range. Where `texts` are read, too, "16 GB/s" stands for one.
Json numberSchema(const Parameter& parameter, std::string_view type, bool texts) {
    Json schema = Json::object();
    schema["type"] = texts ? Json::array({type, "string"}) : Json(type);
    const auto limit = [&](const char* key, double value) {
        if (!std::isfinite(value)) return;
        const bool isWhole = value == std::floor(value) && std::fabs(value) < 0x1p53;
        schema[key] = isWhole ? Json(static_cast<std::int64_t>(value)) : Json(value);
    };
    limit("minimum", parameter.min);
    limit("maximum", parameter.max);
    if (texts) schema["minLength"] = 1;
    return schema;
}

Json wordSchema(const Parameter& parameter) {
    return Json::object({{"enum", parameter.words}});
}

Json listSchema(Json items, std::size_t max) {
    Json schema = Json::object({{"type", "array"}});
    schema["items"] = std::move(items);
    schema["minItems"] = 1;
    schema["maxItems"] = max;
    schema["uniqueItems"] = true;
    return schema;
}

/// Values of any name, or of the names that a schema allows.
Json pairsSchema(Json values, Json names = {}) {
    Json schema = Json::object({{"type", "object"}});
    if (!names.is_null()) schema["propertyNames"] = std::move(names);
    schema["additionalProperties"] = std::move(values);
    return schema;
}

/// The schema of a parameter without its text and default.
Json valueSchema(const Parameter& parameter) {
    switch (parameter.kind) {
        case ParameterKind::number:
            return numberSchema(parameter, "number", true);
        case ParameterKind::whole:
            return numberSchema(parameter, "integer", true);
        case ParameterKind::word:
            return wordSchema(parameter);
        case ParameterKind::wordOrNumber:
            return Json::object(
                {{"anyOf", Json::array({wordSchema(parameter), numberSchema(parameter, "number", true)})}});
        case ParameterKind::words:
            return listSchema(wordSchema(parameter), parameter.words.size());
        case ParameterKind::numbers: {
            Json schema = listSchema(numberSchema(parameter, "number", false), kMaxNumbers);
            schema["type"] = Json::array({"array", "string"});
            schema["minLength"] = 1;
            return schema;
        }
        case ParameterKind::text:
            return Json::object({{"type", "string"}, {"minLength", 1}, {"maxLength", longestText(parameter)}});
        case ParameterKind::flag:
            return Json::object({{"type", "boolean"}});
        case ParameterKind::namedWords:
            return pairsSchema(wordSchema(parameter));
        case ParameterKind::namedNumbers:
            return pairsSchema(numberSchema(parameter, "number", false),
                               Json::object({{"pattern", "^([0-9]|[1-5][0-9]|6[0-3])$"}}));
        case ParameterKind::wordNumbers:
            return pairsSchema(numberSchema(parameter, "number", false), wordSchema(parameter));
        case ParameterKind::document:
            return parameter.schema == nullptr ? Json::object({{"type", "object"}}) : parameter.schema();
        case ParameterKind::list:
            return parameter.schema == nullptr ? Json::object({{"type", "array"}, {"minItems", 1}})
                                               : parameter.schema();
    }
    return Json::object();
}

Json readPairs(const Parameter& parameter, const JsonNode& node) {
    if (!node.isObject()) node.fail(expectationOf(parameter));
    std::map<std::string, Json> pairs;
    for (const auto& [name, child] : node.members()) {
        if (pairs.size() >= kMaxPairs) node.fail(fmt::format("at most {} entries", kMaxPairs));
        if (parameter.kind == ParameterKind::namedWords) {
            const std::vector<std::string> words(parameter.words.begin(), parameter.words.end());
            pairs[name] = child.oneOf(words);
            continue;
        }
        if (!isPairName(parameter, name) || !child.isNumber() || !inRange(parameter, child.number()))
            child.fail(expectationOf(parameter));
        pairs[name] = child.number();
    }
    Json result = Json::object();
    for (auto& [name, value] : pairs) result[name] = std::move(value);
    return result;
}

}  // namespace

Json defaultOf(const Parameter& parameter) {
    return storedForm(parameter, *parameter.fallback);
}

std::string expectationOf(const Parameter& parameter) {
    switch (parameter.kind) {
        case ParameterKind::number:
            return fmt::format("a number {}", range(parameter));
        case ParameterKind::whole:
            return fmt::format("a whole number {}", range(parameter));
        case ParameterKind::word:
            return "one of " + wordList(parameter);
        case ParameterKind::wordOrNumber:
            return fmt::format("one of {}, or a number {}", wordList(parameter), range(parameter));
        case ParameterKind::words:
            return fmt::format("one or more of {}, each once", wordList(parameter));
        case ParameterKind::numbers:
            return fmt::format("one to {} different numbers {}, with commas between them", kMaxNumbers,
                               range(parameter));
        case ParameterKind::text:
            return fmt::format("a word of 1 to {} characters", formatCount(longestText(parameter)));
        case ParameterKind::flag:
            return "true or false";
        case ParameterKind::namedWords:
            return fmt::format("{} where the value is one of {}", parameter.value, wordList(parameter));
        case ParameterKind::wordNumbers:
            return fmt::format("{} with one of {} and a number {}", parameter.value, wordList(parameter),
                               range(parameter));
        case ParameterKind::document:
            return "a JSON object";
        case ParameterKind::list:
            return fmt::format("a list of 1 to {} entries", kMaxEntries);
        case ParameterKind::namedNumbers:
            return fmt::format("{} with a level from 0 to 63 and a number {}", parameter.value, range(parameter));
    }
    return "";
}

Json parseParameter(const Parameter& parameter, const std::vector<std::string>& texts) {
    if (parameter.kind == ParameterKind::flag) return !defaultOf(parameter).get<bool>();
    if (hasPairs(parameter)) return pairsFromTexts(parameter, texts);
    const std::string text = texts.empty() ? "" : texts.back();
    if (parameter.kind == ParameterKind::document || parameter.kind == ParameterKind::list)
        return readParameterFile(parameter, text);
    const std::optional<Json> value = fromText(parameter, text);
    if (!value) refuse(parameter, text, hintFor(parameter, text));
    return *value;
}

Json readParameterFile(const Parameter& parameter, const std::string& path) {
    const JsonDocument file = JsonDocument::load(path);
    Json value = readParameter(parameter, file.root());
    return parameter.fromFile == nullptr ? value : parameter.fromFile(file);
}

Json readParameter(const Parameter& parameter, const JsonNode& node) {
    switch (parameter.kind) {
        case ParameterKind::flag:
            return node.boolean();
        case ParameterKind::namedWords:
        case ParameterKind::namedNumbers:
        case ParameterKind::wordNumbers:
            return readPairs(parameter, node);
        case ParameterKind::document:
            if (!node.isObject()) node.fail(expectationOf(parameter));
            return parameter.fromNode == nullptr ? node.json() : parameter.fromNode(node);
        case ParameterKind::list:
            if (!node.isArray() || node.elements(kMaxEntries).empty()) node.fail(expectationOf(parameter));
            return parameter.fromNode == nullptr ? node.json() : parameter.fromNode(node);
        case ParameterKind::words: {
            if (!node.isArray()) node.fail(expectationOf(parameter));
            std::vector<std::string> given;
            for (const JsonNode& child : node.elements(parameter.words.size())) given.push_back(child.text());
            const std::optional<Json> value = wordsOf(parameter, given);
            if (!value) node.fail(expectationOf(parameter), fmt::format("'{}'", escaped(joined(given, ","))));
            return *value;
        }
        case ParameterKind::numbers: {
            if (!node.isArray()) break;
            std::vector<double> given;
            for (const JsonNode& child : node.elements(kMaxNumbers)) given.push_back(child.number());
            const std::optional<Json> value = numbersOf(parameter, std::move(given));
            if (!value) node.fail(expectationOf(parameter));
            return *value;
        }
        default:
            break;
    }
    std::optional<Json> value;
    if (node.isString()) {
        value = fromText(parameter, node.json().get_ref<const std::string&>());
    } else if (node.isNumber() && parameter.kind == ParameterKind::whole) {
        value = asWhole(parameter, node.number());
    } else if (node.isNumber() &&
               (parameter.kind == ParameterKind::number || parameter.kind == ParameterKind::wordOrNumber)) {
        if (inRange(parameter, node.number())) value = node.number();
    }
    if (!value) node.fail(expectationOf(parameter));
    return *value;
}

Json schemaOf(const Parameter& parameter) {
    const Json fallback = defaultOf(parameter);
    // The option of a flag that is set by default says what it is to turn it off.
    std::string about = fmt::format("{}{}", fallback == Json(true) ? "false: " : "", parameter.help);
    if (parameter.measure != Measure::count)
        about += fmt::format(" (a number without a unit is in {})", unitName(parameter.measure));
    Json schema = Json::object({{"description", about}});
    schema.update(valueSchema(parameter));
    if (!fallback.is_null()) schema["default"] = fallback;
    return schema;
}

std::vector<std::int64_t> wholeNumbers(std::string_view option, const std::string& text, std::int64_t max) {
    std::set<std::int64_t> numbers;
    for (const std::string_view part : split(text, ',')) {
        const std::string_view word = trimmed(part);
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc{} || end != word.data() + word.size() || value < 1 || value > max ||
            numbers.size() == kMaxListed)
            throw UsageError(
                fmt::format("option '{}' is {}; expected at most {} whole numbers from 1 to {}, separated "
                            "by commas",
                            option, inQuotes(text), kMaxListed, max));
        numbers.insert(value);
    }
    return {numbers.begin(), numbers.end()};
}

const Parameter* findParameter(const std::vector<Parameter>& parameters, std::string_view name) {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& parameter) { return parameter.name == name; });
    return found == parameters.end() ? nullptr : &*found;
}

}  // namespace tessera::study
