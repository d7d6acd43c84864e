#include "core/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"

namespace tessera {

namespace {

constexpr std::size_t kDeepest = 100;

/// Input iterator over the text that knows how far the lexer has read, so that SAX events can be placed on lines.
/// The lexer reads one character ahead of a number; positions are therefore taken from the last non-blank one.
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

/// SAX consumer shared by the check of a new text (duplicate keys, depth, finite numbers) and the search for a line.
class Checker {
public:
    using Number = Json::number_float_t;

    std::function<std::int64_t()> line;
    std::string file;
    std::string wanted;            ///< path to look for; empty in a check
    bool searching = false;
    std::int64_t foundLine = 0;
    // What the parser saw when it gave up.
    bool failed = false;

    bool null() { return value(); }
    bool boolean(bool) { return value(); }
    bool number_integer(Json::number_integer_t) { return value(); }
    bool number_unsigned(Json::number_unsigned_t) { return value(); }
    bool number_float(Number number, const std::string& literal) {
        value();
        if (!std::isfinite(number)) refuse(inQuotes(literal), "a finite number");
        return proceed();
    }
    bool string(std::string&) { return value(); }
    bool binary(Json::binary_t&) { return value(); }
    bool start_object(std::size_t) { return open(false); }
    bool end_object() { return close(); }
    bool start_array(std::size_t) { return open(true); }
    bool end_array() { return close(); }
    bool key(std::string& name) {
        tracker_.key(name);
        if (!keys_.back().insert(name).second)
            refuse(fmt::format("the key {} twice in one object", inQuotes(name)), "every key once");
        if (searching && tracker_.path() == wanted) foundLine = line();
        return proceed();
    }
    bool parse_error(std::size_t, const std::string& token, const nlohmann::json::exception&) {
        failed = true;
        lastToken = token;
        return false;
    }
    std::string lastToken;

private:
    bool value() {
        tracker_.beginValue();
        note();
        return proceed();
    }
    bool open(bool array) {
        tracker_.beginValue();
        note();
        tracker_.push(array);
        keys_.emplace_back();
        if (tracker_.depth() > kDeepest)
            refuse("nesting deeper than 100", "at most 100 levels of objects and lists");
        return proceed();
    }
    bool close() {
        tracker_.pop();
        keys_.pop_back();
        return true;
    }
    void note() {
        if (searching && foundLine == 0 && tracker_.path() == wanted) foundLine = line();
    }
    bool proceed() const { return !(searching && foundLine != 0); }
    [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
        throw DataError({.file = file, .line = line()}, found, expected);
    }

    PathTracker tracker_;
    std::vector<std::set<std::string>> keys_;
};

std::int64_t lineAt(const std::string& text, const char* position) {
    const char* at = position;
    while (at > text.data() && (at == text.data() + text.size() || std::string_view(" \t\r\n,]}").find(*at) != std::string_view::npos)) --at;
    return 1 + std::count(text.data(), at, '\n');
}

void walk(const std::string& text, Checker& checker) {
    const char* furthest = text.data();
    checker.line = [&] { return lineAt(text, furthest > text.data() ? furthest - 1 : furthest); };
    const CountingIterator from(text.data(), &furthest);
    const CountingIterator to(text.data() + text.size(), nullptr);
    Json::sax_parse(from, to, &checker);
    if (checker.failed) {
        const bool atEnd = furthest >= text.data() + text.size();
        const std::string found = trimmed(text).empty() ? "an empty file"
                                  : atEnd && checker.lastToken.size() <= 1 ? "the end of the file"
                                                                          : inQuotes(checker.lastToken, 40);
        throw DataError({.file = checker.file, .line = checker.line()}, found, "well-formed JSON");
    }
}

}  // namespace

JsonDocument JsonDocument::parse(std::string text, std::string file) {
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    JsonDocument document;
    document.text_ = std::make_shared<const std::string>(std::move(text));
    document.file_ = std::make_shared<const std::string>(std::move(file));
    Checker checker;
    checker.file = *document.file_;
    walk(*document.text_, checker);
    document.json_ = std::make_shared<const Json>(Json::parse(*document.text_));
    return document;
}

JsonDocument JsonDocument::load(const std::string& path) { return parse(readFile(path), path); }

JsonNode JsonDocument::root() const { return {*this, json_.get(), ""}; }

std::int64_t JsonDocument::lineOf(std::string_view path) const {
    if (path.empty()) return 1;
    Checker checker;
    checker.searching = true;
    checker.wanted = path;
    walk(*text_, checker);
    return checker.foundLine;
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

bool JsonNode::has(const std::string& key) const { return value_->is_object() && value_->contains(key); }

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
        const std::string_view hint = closest(key, keys);
        throw DataError({.file = document_.file(), .line = document_.lineOf(path), .field = path}, "unknown",
                        hint.empty() ? "one of " + joined(keys, ", ") : fmt::format("'{}' perhaps", hint));
    }
}

std::vector<JsonNode> JsonNode::elements(std::size_t most) const {
    if (!value_->is_array()) fail("a list");
    if (value_->size() > most)
        fail(fmt::format("at most {} entries", most), fmt::format("a list of {}", value_->size()));
    std::vector<JsonNode> nodes;
    nodes.reserve(value_->size());
    for (std::size_t i = 0; i < value_->size(); ++i)
        nodes.emplace_back(document_, &(*value_)[i], fmt::format("{}[{}]", path_, i));
    return nodes;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
    if (!value_->is_object()) fail("an object");
    std::vector<std::pair<std::string, JsonNode>> result;
    for (const auto& [key, child] : value_->items())
        result.emplace_back(key, JsonNode(document_, &child, path_.empty() ? key : path_ + "." + key));
    return result;
}

std::string JsonNode::text(std::size_t most) const {
    if (!value_->is_string()) fail("a text");
    const auto& found = value_->get_ref<const std::string&>();
    if (found.size() > most) fail(fmt::format("a text of at most {} characters", most));
    return found;
}

bool JsonNode::boolean() const {
    if (!value_->is_boolean()) fail("true or false");
    return value_->get<bool>();
}

double JsonNode::number() const {
    if (!value_->is_number()) fail("a number");
    return value_->get<double>();
}

double JsonNode::positive() const {
    if (!value_->is_number() || !(value_->get<double>() > 0)) fail("a number above 0");
    return value_->get<double>();
}

double JsonNode::notNegative() const {
    if (!value_->is_number() || !(value_->get<double>() >= 0)) fail("a number of 0 or more");
    return value_->get<double>();
}

std::int64_t JsonNode::whole(std::int64_t least, std::int64_t most) const {
    std::string expected = fmt::format("a whole number from {} to {}", least, most);
    if (most == std::numeric_limits<std::int64_t>::max())
        expected = least == 1   ? "a whole number above 0"
                   : least == 0 ? "a whole number of 0 or more"
                                : fmt::format("a whole number of {} or more", least);
    if (!value_->is_number()) fail(expected);
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
    if (result < least || result > most) fail(expected);
    return result;
}

std::string JsonNode::oneOf(const std::vector<std::string>& words) const {
    const std::string expected = "one of " + joined(words, ", ");
    if (!value_->is_string()) fail(expected);
    const auto& found = value_->get_ref<const std::string&>();
    if (std::find(words.begin(), words.end(), found) == words.end()) fail(expected);
    return found;
}

double JsonNode::positiveOr(const std::string& key, double fallback) const {
    return has(key) ? at(key).positive() : fallback;
}

std::int64_t JsonNode::wholeOr(const std::string& key, std::int64_t fallback, std::int64_t least,
                               std::int64_t most) const {
    return has(key) ? at(key).whole(least, most) : fallback;
}

std::string JsonNode::textOr(const std::string& key, const std::string& fallback) const {
    return has(key) ? at(key).text() : fallback;
}

std::string toText(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace tessera
