#include "core/base/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

#include "core/base/character.h"
#include "core/base/text.h"

namespace tessera {

namespace {

constexpr std::size_t kLongestInPage = 4096;

/// A number, with or without separators of thousands and a sign, or a percentage.
bool isNumber(std::string_view text) {
    if (text.ends_with('%')) text = trimmed(text.substr(0, text.size() - 1));
    if (text.starts_with('+')) text.remove_prefix(1);
    std::string digits(text);
    std::erase(digits, ',');
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc{} && end == digits.data() + digits.size() && std::isfinite(number);
}

/// True where a spreadsheet would take the text for a formula, or `fromSheet` for one that was kept from it.
bool looksLikeFormula(std::string_view text) {
    // The wide forms are formulas where input is Chinese, Japanese or Korean.
    static constexpr std::array<std::string_view, 8> kStarts{"=", "+", "-", "@", "＝", "＋", "－", "＠"};
    const std::size_t first = text.find_first_not_of(" '");
    if (first == std::string_view::npos) return false;
    text.remove_prefix(first);
    const bool starts =
        std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view start) { return text.starts_with(start); });
    return starts && !isNumber(text);
}

/// `text` with `replacement` where it has one for a letter.
template <typename Replacement>
std::string replaced(std::string_view text, const Replacement& replacement) {
    std::string result;
    for (const char letter : text) {
        const std::string_view other = replacement(letter);
        if (other.empty())
            result += letter;
        else
            result += other;
    }
    return result;
}

std::string behindBackslash(const std::string& text, std::string_view letters) {
    std::string result;
    for (const char letter : text) {
        if (letters.find(letter) != std::string_view::npos) result += '\\';
        result += letter;
    }
    return result;
}

/// `\u202E`, or a pair of surrogates.
std::string jsonCode(char32_t code) {
    constexpr char32_t kPlane = 0x10000, kHigh = 0xD800, kLow = 0xDC00, kHalf = 0x3FF;
    constexpr unsigned kHalfBits = 10;
    const auto unit = [](char32_t value) { return fmt::format("\\u{:04X}", static_cast<std::uint32_t>(value)); };
    if (code < kPlane) return unit(code);
    return unit(kHigh + ((code - kPlane) >> kHalfBits)) + unit(kLow + ((code - kPlane) & kHalf));
}

}  // namespace

std::string sheetText(std::string_view text) {
    return (looksLikeFormula(text) ? "'" : "") + escaped(text, kUncut);
}

std::string_view fromSheet(std::string_view cell) {
    const bool guarded = cell.starts_with('\'') && looksLikeFormula(cell.substr(1));
    return cell.substr(guarded ? 1 : 0);
}

std::string csvCell(std::string_view text) {
    std::string cell = sheetText(text);
    const bool plain = cell.find_first_of(",;\"#") == std::string::npos && cell.find("//") == std::string::npos &&
                       trimmed(cell) == cell;
    if (plain) return cell;
    return '"' + replaced(cell, [](char c) -> std::string_view { return c == '"' ? "\"\"" : ""; }) + '"';
}

std::string htmlEscaped(std::string_view text) {
    return replaced(escaped(text, kLongestInPage), [](char c) -> std::string_view {
        switch (c) {
            case '&':
                return "&amp;";
            case '<':
                return "&lt;";
            case '>':
                return "&gt;";
            case '"':
                return "&quot;";
            case '\'':
                return "&#39;";
            default:
                return "";
        }
    });
}

std::string markdownEscaped(std::string_view text) {
    return behindBackslash(escaped(text, kLongestInPage), "\\`*_{}[]<>#|~$&!");
}

std::string dotEscaped(std::string_view text, std::size_t limit) {
    return behindBackslash(escaped(text, limit), "\"\\");
}

std::string jsonEscaped(std::string json) {
    // Whatever needs this begins with a byte that is rare in JSON; line ends between values are none of it.
    const auto suspicious = [](char c) { return static_cast<unsigned char>(c) >= 0x7F; };
    const auto first = std::find_if(json.begin(), json.end(), suspicious);
    if (first == json.end()) return json;
    std::string result(json.begin(), first);
    std::string_view rest = std::string_view(json).substr(result.size());
    while (!rest.empty()) {
        const Character character = suspicious(rest.front()) ? firstCharacter(rest) : Character{1, U' '};
        const std::size_t length = std::max<std::size_t>(character.length, 1);
        if (character.length > 0 && isControl(character.code))
            result += jsonCode(character.code);
        else
            result += rest.substr(0, length);
        rest.remove_prefix(length);
    }
    return result;
}

}  // namespace tessera
