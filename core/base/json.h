#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/error.h"

namespace tessera {

/// JSON whose objects keep the order in which they were written: what all output documents use. It is only declared
/// here, since its definition doubles the time that a file takes to compile: who looks into a value includes
/// <nlohmann/json.hpp>.
using Json = nlohmann::ordered_json;

/// A JSON value as a member of a struct: it is copied and compared with the struct, and need not be defined where the
/// struct is. Null where nothing is given.
class HeldJson {
public:
    HeldJson();
    HeldJson(Json value);  // NOLINT(google-explicit-constructor): it is that value
    HeldJson(const HeldJson& other);
    HeldJson(HeldJson&& other) noexcept;
    HeldJson& operator=(const HeldJson& other);
    HeldJson& operator=(HeldJson&& other) noexcept;
    ~HeldJson();
    static HeldJson object();  ///< without members

    Json& operator*();
    const Json& operator*() const;
    Json* operator->() { return &**this; }
    const Json* operator->() const { return &**this; }
    /// A member of an object: made, where there is none; of a constant, one that it has.
    Json& operator[](const std::string& key);
    const Json& operator[](const std::string& key) const;
    bool operator==(const HeldJson& other) const;

private:
    std::unique_ptr<Json> value_;  ///< empty = null
};

class JsonNode;

/// One parsed JSON text with the name it came under. Parsing refuses, with file and line: syntax errors, duplicate
/// keys, nesting deeper than 100, over ten million values, numbers that are not finite, zero bytes, lack of memory.
class JsonDocument {
public:
    /// Throws DataError.
    static JsonDocument parse(std::string text, std::string file);
    /// The same for a document with a list that is too long to be held, under the key `list` of its root: its entries
    /// are handed to `visit` as they are met, which must not throw. In the document the list is empty.
    using Visit = std::function<void(const JsonNode& entry)>;
    static JsonDocument parse(std::string text, std::string file, const std::string& list, const Visit& visit);
    /// Reads a file of at most 128 MiB and parses it. Throws FileError, DataError.
    static JsonDocument load(const std::string& path);

    JsonNode root() const;
    const Json& json() const { return *json_; }
    const std::string& file() const { return *file_; }
    const std::string& text() const { return *text_; }

    /// The line (1-based) of the field (its key) or list entry at a path such as "groups[1].count", 0 where there is
    /// none. nlohmann-json keeps no positions, so this parses the text again; it is called only to word an error.
    std::int64_t lineOf(std::string_view path) const;

private:
    static JsonDocument parsed(std::string text, std::string file, const std::string* list, const Visit* visit);

    std::shared_ptr<const std::string> text_;
    std::shared_ptr<const std::string> file_;
    std::shared_ptr<const Json> json_;
};

/// A value inside a document, with its path: typed access that throws DataError naming file, line, field, found and
/// expected. Cheap to copy; keeps the document's contents alive.
class JsonNode {
public:
    JsonNode(JsonDocument document, const Json* value, std::string path);

    bool has(const std::string& key) const;
    /// The field; throws where it is missing. The node must be an object (checked).
    JsonNode at(const std::string& key) const;
    /// Throws where the object holds a key that is not listed.
    void allowOnly(const std::vector<std::string>& keys) const;
    std::vector<JsonNode> elements(std::size_t max = 1'000'000) const;
    /// The same, one at a time, for lists that may be very long.
    void forEachElement(std::size_t max, const std::function<void(const JsonNode& element)>& visit) const;
    /// The keys and values of an object, in file order.
    std::vector<std::pair<std::string, JsonNode>> members() const;

    bool isObject() const;
    bool isArray() const;
    bool isString() const;
    bool isNumber() const;
    bool isNull() const;

    std::string text(std::size_t max = 256) const;  ///< `max` counts characters
    bool boolean() const;
    double number() const;
    double positive() const;     ///< above 0
    double notNegative() const;  ///< 0 or above
    /// A whole number in [min, max]; `64.0` is whole, `8.5` is not.
    std::int64_t whole(std::int64_t min, std::int64_t max) const;
    /// One of the listed words.
    std::string oneOf(const std::vector<std::string>& words) const;
    /// The value that one of the words of an enum stands for.
    template <typename Enum>
    Enum oneOf(const EnumNames<Enum>& names) const {
        const std::vector<std::string_view> words = names.all();
        return *names.named(oneOf({words.begin(), words.end()}));
    }

    std::int64_t wholeOr(const std::string& key, std::int64_t fallback, std::int64_t min, std::int64_t max) const;
    std::string textOr(const std::string& key, const std::string& fallback) const;

    /// Throws the DataError that says this value is wrong. `found` empty = the value itself, quoted.
    [[noreturn]] void fail(const std::string& expected, const std::string& found = "") const;

    const Json& json() const { return *value_; }
    const std::string& path() const { return path_; }
    const JsonDocument& document() const { return document_; }

private:
    /// `fail` whose message distinguishes the text "4" from the number 4.
    [[noreturn]] void failAsNumber(const std::string& expected) const;

    JsonDocument document_;
    const Json* value_;
    std::string path_;
};

/// The text of an output document: two-space indent, shortest round-trip numbers, no control characters, UTF-8 only.
std::string toText(const Json& json);

/// A list of an output document's root that is too long to be held: the document has an empty one under the key.
struct LongList {
    std::string key;
    std::size_t size = 0;
    std::function<Json(std::size_t index)> entry;
};

/// The same text for a document with long lists, handed to `write` piece by piece.
void writeText(const Json& json, const std::vector<LongList>& lists,
               const std::function<void(std::string_view)>& write);

}  // namespace tessera
