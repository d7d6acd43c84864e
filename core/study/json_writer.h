#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/escape.h"
#include "core/base/json.h"
#include "core/study/result.h"

namespace tessera::study {

/// Writes nested JSON in parts, in the layout of `toText`: a result of a deep network has millions of values, which
/// never stand in memory together.
class JsonWriter {
public:
    explicit JsonWriter(const TextSink& write) : write_(write) {}

    void key(std::string_view name) {
        separate();
        text(name);
        buffer_ += ": ";
    }
    void open(char bracket) {
        buffer_ += bracket;
        empty_.push_back(true);
    }
    void close(char bracket) {
        const bool empty = empty_.back();
        empty_.pop_back();
        if (!empty) breakLine();
        buffer_ += bracket;
    }
    /// Begins an entry of a list.
    void entry() { separate(); }
    void value(const Json& value) {
        // A dump has line breaks between values only, so they can be indented.
        for (const char c : jsonEscaped(value.dump(2, ' ', false, Json::error_handler_t::replace)))
            if (c == '\n')
                breakLine();
            else
                buffer_ += c;
    }
    void text(std::string_view any) {
        const auto isPlain = [](char c) { return c >= ' ' && c < '\x7F' && c != '"' && c != '\\'; };
        if (!std::all_of(any.begin(), any.end(), isPlain)) return value(Json(any));
        buffer_ += '"';
        buffer_ += any;
        buffer_ += '"';
    }
    void whole(std::int64_t number) {
        std::array<char, 32> digits{};
        const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        buffer_.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
    }
    void value(double number) {
        if (!std::isfinite(number)) {
            buffer_ += "null";
            return;
        }
        // What a dump itself uses, without a value of JSON around each number.
        std::array<char, 64> text{};
        const char* end = nlohmann::detail::to_chars(text.data(), text.data() + text.size(), number);
        buffer_.append(text.data(), static_cast<std::size_t>(end - text.data()));
    }
    void members(const Json& object) {
        for (const auto& [name, member] : object.items()) {
            key(name);
            value(member);
        }
    }
    void end() {
        buffer_ += '\n';
        write_(buffer_);
        buffer_.clear();
    }

private:
    static constexpr std::size_t kPart = std::size_t{1} << 18;

    void breakLine() {
        buffer_ += '\n';
        buffer_.append(2 * empty_.size(), ' ');
    }
    void separate() {
        if (buffer_.size() >= kPart) {
            write_(buffer_);
            buffer_.clear();
        }
        if (!empty_.back()) buffer_ += ',';
        breakLine();
        empty_.back() = false;
    }

    const TextSink& write_;
    std::string buffer_;       ///< what is not handed on yet
    std::vector<bool> empty_;  ///< of every open bracket: whether it holds nothing yet
};

}  // namespace tessera::study
