#include "core/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/base/character.h"
#include "core/base/escape.h"
#include "core/base/file.h"
#include "core/base/poll.h"
#include "core/base/text.h"

namespace tessera {

namespace {

constexpr std::size_t kDeepest = 100;
constexpr std::size_t kMaxValues = 10'000'000;  // bounds the memory that a small text can ask for
constexpr std::uintmax_t kLargestText = std::uintmax_t{128} << 20;

/// Input iterator over the text that knows how far the lexer has read, so that SAX events can be placed on lines.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
    reference operator*() const { return *at_; }
    CountingIterator& operator++() {
        ++at_;
        if (furthest_ != nullptr) *furthest_ = at_;
        return *this;
    }
    CountingIterator operator++(int) {
        CountingIterator old = *this;
        ++*this;
        return old;
    }
    bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
    bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

private:
    const char* at_;
    const char** furthest_;
};

/// Keeps the path of the value that is being parsed ("groups[1].count").
class PathTracker {
public:
    void beginValue() {
        if (!frames_.empty() && frames_.back().array) ++frames_.back().index;
    }
    void push(bool array) { frames_.push_back({array, -1, {}}); }
    void pop() { frames_.pop_back(); }
    void key(std::string name) { frames_.back().name = std::move(name); }
    std::size_t depth() const { return frames_.size(); }
    std::string path() const {
        std::string text;
        for (const Frame& frame : frames_) {
            if (frame.array)
                text += fmt::format("[{}]", frame.index);
            else
                text += (text.empty() ? "" : ".") + frame.name;
        }
        return text;
    }

private:
    struct Frame {
        bool array;
        std::int64_t index;
        std::string name;
    };
    std::vector<Frame> frames_;
};

/// A text that is being parsed, and how far the lexer has come.
struct Source {
    const std::string& text;
    const std::string& file;
    const char* furthest;

    /// The line of the last character that was read.
    std::int64_t line() const {
        const char* last = furthest > text.data() ? furthest - 1 : furthest;
        return 1 + std::count(text.data(), last, '\n');
    }

    std::string_view read() const { return {text.data(), static_cast<std::size_t>(furthest - text.data())}; }

    /// The line of the value that was just read: after a number the lexer is one character further.
    std::int64_t lineOfValue() const {
        constexpr std::string_view kAfterValue = " \t\r\n,]}";
        const char* last = furthest > text.data() ? furthest - 1 : furthest;
        while (last > text.data() && kAfterValue.find(*last) != std::string_view::npos) --last;
        return 1 + std::count(text.data(), last, '\n');
    }
};

/// What makes a text no JSON, and where.
struct Culprit {
    std::size_t at = 0;
    std::string_view text;
};

bool isWord(char c) {
    constexpr std::string_view kMore = "+-._";
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
           kMore.find(c) != std::string_view::npos;
}

/// The parser's message, and what the lexer took for a token: it begins anew at strings and numbers only.
class SyntaxError {
public:
    SyntaxError(const Source& source, std::string_view message, const std::string& token)
        : source_(source), message_(message), token_(token) {}

    DataError error() const {
        if (trimmed(source_.text).empty())
            return {{.file = source_.file, .line = source_.line()}, "an empty file", "well-formed JSON"};
        const Culprit culprit = find();
        const std::size_t before = std::string_view(source_.text).substr(0, culprit.at).rfind('\n');
        const std::size_t lineStart = before == std::string_view::npos ? 0 : before + 1;
        const Place place{.file = source_.file,
                          .line = 1 + std::count(source_.text.begin(),
                                                 source_.text.begin() + static_cast<std::ptrdiff_t>(culprit.at), '\n'),
                          .column = static_cast<std::int64_t>(culprit.at - lineStart) + 1};
        return {place, found(culprit), expected(culprit)};
    }

private:
    bool says(std::string_view part) const { return message_.find(part) != std::string_view::npos; }
    bool atEnd() const { return says("unexpected end of input") || says("missing closing quote"); }

    Culprit find() const {
        const std::string_view text = source_.text;
        const std::string_view read = source_.read();
        if (atEnd() || read.empty()) return {read.size(), {}};
        const bool whole = says("unexpected string") || says("unexpected number");
        std::size_t at = whole ? read.rfind(token_) : std::string_view::npos;
        if (at == std::string_view::npos) at = read.size() - 1;
        if (whole && !isWord(text[at])) return {at, text.substr(at, token_.size())};
        const bool cutShort = says("invalid literal") || says("invalid number");
        if (cutShort && at > 0 && !isWord(text[at]) && isWord(text[at - 1])) --at;
        if (says("invalid string") || !isWord(text[at]))
            return {at, text.substr(at, std::max<std::size_t>(firstCharacter(text.substr(at)).length, 1))};
        std::size_t end = at;
        while (at > 0 && isWord(text[at - 1])) --at;
        while (end < text.size() && isWord(text[end])) ++end;
        return {at, text.substr(at, end - at)};
    }

    std::string found(const Culprit& culprit) const {
        if (atEnd()) return "the end of the file";
        if (says("control character"))
            return culprit.text == "\n" ? "a line end inside a text" : "a control character inside a text";
        return inQuotes(culprit.text, 40);
    }

    std::string expected(const Culprit& culprit) const {
        if (says("ill-formed UTF-8") || (!atEnd() && firstCharacter(culprit.text).length == 0)) return "text in UTF-8";
        struct Row {
            std::string_view part;
            std::string_view expected;
        };
        static constexpr std::array kTexts{
            Row{"missing closing quote", "'\"' at the end of the text"},
            Row{"control character", R"(\n for a line end, \t for a tab, \u and four digits for any other)"},
            Row{"after backslash", R"(one of " \ / b f n r t u behind a backslash)"},
            Row{"4 hex digits", "four hexadecimal digits behind \\u"},
            Row{"surrogate", "both halves of a pair of surrogates, \\uD800 to \\uDBFF first"},
        };
        for (const Row& row : kTexts)
            if (says(row.part)) return std::string(row.expected);
        if (const std::string meant = meantBy(culprit.text); !meant.empty()) return meant;
        static constexpr std::array kPlaces{
            Row{"; expected end of input", "the end of the file"},
            Row{"parsing object key", "a key in double quotes"},
            Row{"parsing object separator", "':' behind the key"},
            Row{"parsing object ", "',' or '}'"},
            Row{"parsing array ", "',' or ']'"},
        };
        for (const Row& row : kPlaces)
            if (says(row.part)) return std::string(row.expected);
        return "a value: an object, a list, a text in double quotes, a number, true, false or null";
    }

    /// What other languages write there, or an empty text.
    std::string meantBy(std::string_view word) const {
        struct Row {
            std::string_view word;
            std::string_view meant;
        };
        static constexpr std::array kWords{
            Row{"true", "'true'"}, Row{"false", "'false'"},    Row{"null", "'null'"},     Row{"none", "'null'"},
            Row{"nil", "'null'"},  Row{"undefined", "'null'"}, Row{"'", "double quotes"}, Row{"/", "no comment"},
        };
        static constexpr std::array<std::string_view, 3> kNotFinite{"nan", "inf", "infinity"};
        std::string plain = lowered(word);
        if (plain.starts_with('-') || plain.starts_with('+')) plain.erase(0, 1);
        if (std::find(kNotFinite.begin(), kNotFinite.end(), plain) != kNotFinite.end())
            return fmt::format("a finite number: JSON has no '{}'", word);
        for (const Row& row : kWords)
            if (plain == row.word && inQuotes(word) != row.meant) return std::string(row.meant);
        const bool wrong = says("invalid") || (says("unexpected number") && word != token_);
        const bool number = wrong && word.find_first_of("0123456789") < 2 && isWord(word.front());
        return number ? "a number as JSON has it, such as -0.5 or 1e9" : "";
    }

    const Source& source_;
    std::string_view message_;
    const std::string& token_;
};

/// Empties a value, innermost parts first. Left alone, the library would first put all parts side by side, for which
/// there may be no memory when they go because memory ran out.
void release(Json& value) {
    if (value.is_array())
        for (Json& entry : value.get_ref<Json::array_t&>()) release(entry);
    if (value.is_object())
        for (auto& member : value.get_ref<Json::object_t&>()) release(member.second);
    if (value.is_structured()) value.clear();
}

struct Releaser {
    void operator()(Json* value) const {
        release(*value);
        delete value;
    }
};

/// The list of the root whose entries are handed over and not kept.
struct VisitedList {
    const std::string& key;
    std::function<void(const Json& entry)> visit;
};

/// SAX consumer that builds the document and refuses duplicate keys, deep nesting and numbers that are not finite.
/// It adds members without looking for their key first, which in an ordered object would take quadratic time.
class Builder {
public:
    Builder(const Source& source, const VisitedList* visited) : source_(source), visited_(visited) {}
    Builder(const Builder&) = delete;
    Builder& operator=(const Builder&) = delete;
    ~Builder() { release(root_); }

    void moveTo(Json& document) { document = std::move(root_); }

    bool null() { return scalar(nullptr); }
    bool boolean(bool value) { return scalar(value); }
    bool number_integer(Json::number_integer_t value) { return scalar(value); }
    bool number_unsigned(Json::number_unsigned_t value) { return scalar(value); }
    bool number_float(Json::number_float_t value, const std::string&) { return scalar(value); }
    bool string(std::string& value) { return scalar(std::move(value)); }
    bool binary(Json::binary_t&) { return true; }  // never in a text
    bool start_object(std::size_t) { return open(Json::object(), false); }
    bool end_object() { return close(); }
    bool start_array(std::size_t) {
        const bool isVisited = visited_ != nullptr && open_.size() == 1 && root_.is_object() && key_ == visited_->key;
        open(Json::array(), true);
        isVisiting_ = isVisiting_ || isVisited;
        return true;
    }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        tracker_.key(name);
        key_ = name;
        if (!keys_.back().insert(name).second)
            refuse(fmt::format("the key {} twice in one object", inQuotes(name)), "every key once");
        return true;
    }

    bool parse_error(std::size_t, const std::string& token, const nlohmann::json::exception& error) {
        constexpr int kNumberOverflow = 406;
        const std::string_view message = error.what();
        if (error.id == kNumberOverflow) {
            tracker_.beginValue();
            throw DataError({.file = source_.file, .line = source_.lineOfValue(), .field = tracker_.path()},
                            inQuotes(token, 40), "a finite number");
        }
        throw SyntaxError(source_, message, token).error();
    }

private:
    Json* add(Json value) {
        poll();
        tracker_.beginValue();
        if (++values_ > kMaxValues) refuse("more than 10000000 values", "at most 10000000 values in a file");
        if (open_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        Json& parent = *open_.back();
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return &parent.back();
        }
        Json::object_t::Container& members = parent.get_ref<Json::object_t&>();
        members.emplace_back(std::move(key_), std::move(value));
        return &members.back().second;
    }
    bool scalar(Json value) {
        add(std::move(value));
        handOver();
        return true;
    }
    /// Hands the entry of the visited list over that was just completed.
    void handOver() {
        constexpr std::size_t kInList = 2;
        if (!isVisiting_ || open_.size() > kInList) return;
        if (open_.size() < kInList) {
            isVisiting_ = false;
            return;
        }
        auto& entries = open_.back()->get_ref<Json::array_t&>();
        visited_->visit(entries.back());
        release(entries.back());
        entries.pop_back();
    }
    bool open(Json value, bool array) {
        open_.push_back(add(std::move(value)));
        tracker_.push(array);
        keys_.emplace_back();
        if (tracker_.depth() > kDeepest) refuse("nesting deeper than 100", "at most 100 levels of objects and lists");
        return true;
    }
    bool close() {
        open_.pop_back();
        tracker_.pop();
        keys_.pop_back();
        handOver();
        return true;
    }
    [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
        throw DataError({.file = source_.file, .line = source_.line()}, found, expected);
    }

    const Source& source_;
    const VisitedList* visited_;  ///< null where the whole document is kept
    bool isVisiting_ = false;     ///< inside of the list whose entries are visited
    Json root_;
    std::vector<Json*> open_;
    std::string key_;
    PathTracker tracker_;
    std::vector<std::set<std::string>> keys_;
    std::size_t values_ = 0;
};

/// SAX consumer that looks for the line of one path in a text that is known to be well-formed.
class LineFinder {
public:
    LineFinder(const Source& source, std::string_view wanted) : source_(source), wanted_(wanted) {}

    std::int64_t line() const { return line_; }

    bool null() { return value(); }
    bool boolean(bool) { return value(); }
    bool number_integer(Json::number_integer_t) { return value(); }
    bool number_unsigned(Json::number_unsigned_t) { return value(); }
    bool number_float(Json::number_float_t, const std::string&) { return value(); }
    bool string(std::string&) { return value(); }
    bool binary(Json::binary_t&) { return value(); }
    bool start_object(std::size_t) { return open(false); }
    bool end_object() { return close(); }
    bool start_array(std::size_t) { return open(true); }
    bool end_array() { return close(); }
    bool key(std::string& name) {
        tracker_.key(name);
        return lookHere();
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) { return false; }

private:
    bool value() {
        tracker_.beginValue();
        return lookHere();
    }
    bool open(bool array) {
        tracker_.beginValue();
        if (!lookHere()) return false;
        tracker_.push(array);
        return true;
    }
    bool close() {
        tracker_.pop();
        return true;
    }
    /// False, which ends the parse, where this is the wanted path.
    bool lookHere() {
        if (tracker_.path() != wanted_) return true;
        line_ = source_.lineOfValue();
        return false;
    }

    const Source& source_;
    std::string_view wanted_;
    PathTracker tracker_;
    std::int64_t line_ = 0;
};

template <typename Consumer>
void walk(Source& source, Consumer& consumer) {
    const CountingIterator from(source.text.data(), &source.furthest);
    const CountingIterator to(source.text.data() + source.text.size(), nullptr);
    Json::sax_parse(from, to, &consumer);
}

}  // namespace

JsonDocument JsonDocument::parse(std::string text, std::string file) {
    return parsed(std::move(text), std::move(file), nullptr, nullptr);
}

JsonDocument JsonDocument::parse(std::string text, std::string file, const std::string& list, const Visit& visit) {
    return parsed(std::move(text), std::move(file), &list, &visit);
}

JsonDocument JsonDocument::parsed(std::string text, std::string file, const std::string* list, const Visit* visit) {
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    JsonDocument document;
    document.text_ = std::make_shared<const std::string>(std::move(text));
    document.file_ = std::make_shared<const std::string>(std::move(file));
    Source source{*document.text_, *document.file_, document.text_->data()};
    // The parser would take a zero byte for the end and ignore what follows.
    const std::size_t zero = source.text.find('\0');
    if (zero != std::string::npos) {
        source.furthest += zero + 1;
        throw DataError({.file = source.file, .line = source.line()}, "a zero byte", "JSON in UTF-8");
    }
    try {
        const std::shared_ptr<Json> json(new Json(), Releaser{});
        std::optional<VisitedList> visited;
        std::size_t entries = 0;
        if (list != nullptr)
            visited.emplace(VisitedList{*list, [&](const Json& entry) {
                                            (*visit)(
                                                JsonNode(document, &entry, fmt::format("{}[{}]", *list, entries++)));
                                        }});
        Builder builder(source, visited ? &*visited : nullptr);
        walk(source, builder);
        builder.moveTo(*json);
        document.json_ = json;
    } catch (const std::bad_alloc&) {
        throw outOfMemory(*document.file_);
    }
    return document;
}

JsonDocument JsonDocument::load(const std::string& path) {
    return parse(readFile(path, kLargestText), path);
}

JsonNode JsonDocument::root() const {
    return {*this, json_.get(), ""};
}

std::int64_t JsonDocument::lineOf(std::string_view path) const {
    Source source{*text_, *file_, text_->data()};
    LineFinder finder(source, path);
    walk(source, finder);
    return finder.line();
}

HeldJson::HeldJson() = default;

HeldJson::HeldJson(Json value) : value_(std::make_unique<Json>(std::move(value))) {}

HeldJson::HeldJson(const HeldJson& other) : value_(other.value_ ? std::make_unique<Json>(*other.value_) : nullptr) {}

HeldJson::HeldJson(HeldJson&& other) noexcept = default;

HeldJson& HeldJson::operator=(const HeldJson& other) {
    return *this = HeldJson(other);
}

HeldJson& HeldJson::operator=(HeldJson&& other) noexcept = default;

HeldJson::~HeldJson() = default;

HeldJson HeldJson::object() {
    return Json::object();
}

Json& HeldJson::operator*() {
    if (!value_) value_ = std::make_unique<Json>();
    return *value_;
}

const Json& HeldJson::operator*() const {
    static const Json kNull;
    return value_ ? *value_ : kNull;
}

Json& HeldJson::operator[](const std::string& key) {
    return (**this)[key];
}

const Json& HeldJson::operator[](const std::string& key) const {
    return (**this).at(key);
}

bool HeldJson::operator==(const HeldJson& other) const {
    return **this == *other;
}

JsonNode::JsonNode(JsonDocument document, const Json* value, std::string path)
    : document_(std::move(document)), value_(value), path_(std::move(path)) {}

void JsonNode::fail(const std::string& expected, const std::string& found) const {
    std::string what = found;
    if (what.empty()) {
        if (value_->is_object())
            what = "an object";
        else if (value_->is_array())
            what = "a list";
        else
            what = inQuotes(value_->is_string() ? value_->get<std::string>()
                                                : value_->dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    throw DataError({.file = document_.file(), .line = document_.lineOf(path_), .field = path_}, what, expected);
}

void JsonNode::failAsNumber(const std::string& expected) const {
    if (value_->is_string()) fail(expected, "the text " + inQuotes(value_->get_ref<const std::string&>()));
    fail(expected);
}

bool JsonNode::isObject() const {
    return value_->is_object();
}

bool JsonNode::isArray() const {
    return value_->is_array();
}

bool JsonNode::isString() const {
    return value_->is_string();
}

bool JsonNode::isNumber() const {
    return value_->is_number();
}

bool JsonNode::isNull() const {
    return value_->is_null();
}

bool JsonNode::has(const std::string& key) const {
    return value_->is_object() && value_->contains(key);
}

JsonNode JsonNode::at(const std::string& key) const {
    if (!value_->is_object()) fail("an object with the field '" + key + "'");
    const auto found = value_->find(key);
    const std::string path = path_.empty() ? key : path_ + "." + key;
    if (found == value_->end())
        throw DataError({.file = document_.file(), .line = document_.lineOf(path_), .field = path}, "missing",
                        "the field to be given");
    return {document_, &*found, path};
}

void JsonNode::allowOnly(const std::vector<std::string>& keys) const {
    if (!value_->is_object()) fail("an object");
    for (const auto& [key, child] : value_->items()) {
        if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
        const std::string path = path_.empty() ? key : path_ + "." + key;
        throw DataError({.file = document_.file(), .line = document_.lineOf(path), .field = path}, "unknown",
                        withClosest("{} perhaps", key, keys, "one of " + joined(keys, ", ")));
    }
}

void JsonNode::forEachElement(std::size_t max, const std::function<void(const JsonNode& element)>& visit) const {
    if (!value_->is_array()) fail("a list");
    if (value_->size() > max) fail(fmt::format("at most {} entries", max), fmt::format("a list of {}", value_->size()));
    for (std::size_t i = 0; i < value_->size(); ++i) {
        poll();
        visit(JsonNode(document_, &(*value_)[i], fmt::format("{}[{}]", path_, i)));
    }
}

std::vector<JsonNode> JsonNode::elements(std::size_t max) const {
    std::vector<JsonNode> nodes;
    if (value_->is_array()) nodes.reserve(std::min(max, value_->size()));
    forEachElement(max, [&](const JsonNode& element) { nodes.push_back(element); });
    return nodes;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
    if (!value_->is_object()) fail("an object");
    std::vector<std::pair<std::string, JsonNode>> result;
    for (const auto& [key, child] : value_->items())
        result.emplace_back(key, JsonNode(document_, &child, path_.empty() ? key : path_ + "." + key));
    return result;
}

std::string JsonNode::text(std::size_t max) const {
    if (!value_->is_string()) fail("a text");
    const auto& found = value_->get_ref<const std::string&>();
    // Characters, not bytes: all bytes but those that continue a character.
    const auto characters = std::count_if(found.begin(), found.end(), [](char c) { return (c & 0xC0) != 0x80; });
    if (static_cast<std::size_t>(characters) > max) fail(fmt::format("a text of at most {} characters", max));
    return found;
}

bool JsonNode::boolean() const {
    if (!value_->is_boolean()) failAsNumber("true or false");
    return value_->get<bool>();
}

double JsonNode::number() const {
    if (!value_->is_number()) failAsNumber("a number");
    return value_->get<double>();
}

double JsonNode::positive() const {
    if (!value_->is_number() || !(value_->get<double>() > 0)) failAsNumber("a number above 0");
    return value_->get<double>();
}

double JsonNode::notNegative() const {
    if (!value_->is_number() || !(value_->get<double>() >= 0)) failAsNumber("a number of 0 or more");
    return value_->get<double>();
}

std::int64_t JsonNode::whole(std::int64_t min, std::int64_t max) const {
    std::string expected = fmt::format("a whole number from {} to {}", min, max);
    if (max == std::numeric_limits<std::int64_t>::max())
        expected = min == 1   ? "a whole number above 0"
                   : min == 0 ? "a whole number of 0 or more"
                              : fmt::format("a whole number of {} or more", min);
    if (!value_->is_number()) failAsNumber(expected);
    std::int64_t result = 0;
    if (value_->is_number_unsigned()) {
        const auto found = value_->get<std::uint64_t>();
        if (found > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) fail(expected);
        result = static_cast<std::int64_t>(found);
    } else if (value_->is_number_integer()) {
        result = value_->get<std::int64_t>();
    } else {
        const auto found = value_->get<double>();
        if (found != std::floor(found) || std::fabs(found) >= 0x1p63) fail(expected);
        result = static_cast<std::int64_t>(found);
    }
    if (result < min || result > max) fail(expected);
    return result;
}

std::string JsonNode::oneOf(const std::vector<std::string>& words) const {
    const std::string expected = "one of " + joined(words, ", ");
    if (!value_->is_string()) fail(expected);
    const auto& found = value_->get_ref<const std::string&>();
    if (std::find(words.begin(), words.end(), found) == words.end()) fail(expected);
    return found;
}

std::int64_t JsonNode::wholeOr(const std::string& key, std::int64_t fallback, std::int64_t min,
                               std::int64_t max) const {
    return has(key) ? at(key).whole(min, max) : fallback;
}

std::string JsonNode::textOr(const std::string& key, const std::string& fallback) const {
    return has(key) ? at(key).text() : fallback;
}

namespace {

std::string indentedText(const Json& json) {
    return jsonEscaped(json.dump(2, ' ', false, Json::error_handler_t::replace));
}

/// Writes the entries of a list of the root as the whole document's text would have them.
void writeEntries(const LongList& list, const std::function<void(std::string_view)>& write) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    std::string piece = "[";
    for (std::size_t i = 0; i < list.size; ++i) {
        poll(5);
        piece += i == 0 ? "\n    " : ",\n    ";
        for (const char c : indentedText(list.entry(i))) {
            piece += c;
            if (c == '\n') piece += "    ";  // no text has line ends but those between values
        }
        if (piece.size() < kPiece) continue;
        write(piece);
        piece.clear();
    }
    write(piece + (list.size > 0 ? "\n  ]" : "]"));
}

}  // namespace

std::string toText(const Json& json) {
    return indentedText(json) + "\n";
}

void writeText(const Json& json, const std::vector<LongList>& lists,
               const std::function<void(std::string_view)>& write) {
    const std::string text = toText(json);
    std::string_view rest = text;
    for (const LongList& list : lists) {
        const std::string begin = fmt::format("\n  \"{}\": ", list.key), empty = begin + "[]";
        const std::size_t at = rest.find(empty);
        if (at == std::string_view::npos) continue;
        write(rest.substr(0, at + begin.size()));
        writeEntries(list, write);
        rest.remove_prefix(at + empty.size());
    }
    write(rest);
}

}  // namespace tessera
