#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace tessera {

namespace {

/// Length in bytes of the well-formed UTF-8 character at the start of `text`, 0 where there is none.
/// The accepted ranges are those of the Unicode Standard, table 3-7.
std::size_t characterLength(std::string_view text) {
    struct Form {
        unsigned char leadFrom, leadTo, secondFrom, secondTo;
        std::size_t length;
    };
    static constexpr std::array kForms{
        Form{0x00, 0x7F, 0x00, 0xFF, 1}, Form{0xC2, 0xDF, 0x80, 0xBF, 2}, Form{0xE0, 0xE0, 0xA0, 0xBF, 3},
        Form{0xE1, 0xEC, 0x80, 0xBF, 3}, Form{0xED, 0xED, 0x80, 0x9F, 3}, Form{0xEE, 0xEF, 0x80, 0xBF, 3},
        Form{0xF0, 0xF0, 0x90, 0xBF, 4}, Form{0xF1, 0xF3, 0x80, 0xBF, 4}, Form{0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    for (const Form& form : kForms) {
        if (byte(0) < form.leadFrom || byte(0) > form.leadTo) continue;
        if (text.size() < form.length) return 0;
        if (form.length > 1 && (byte(1) < form.secondFrom || byte(1) > form.secondTo)) return 0;
        for (std::size_t i = 2; i < form.length; ++i)
            if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
        return form.length;
    }
    return 0;
}

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

/// Characters that a terminal or a line-based reader acts upon: C0 and C1 controls, line and paragraph separators, and
/// those that reorder text (Unicode bidirectional controls).
bool isControl(std::string_view character) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
    if (character.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;
    if (character.size() != 3 || byte(0) != 0xE2) return false;
    if (byte(1) == 0x80) return byte(2) >= 0xA8 && byte(2) <= 0xAE;  // U+2028 ... U+202E
    return byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;    // U+2066 ... U+2069
}

}  // namespace

std::string escaped(std::string_view text, std::size_t limit) {
    std::string result;
    while (!text.empty()) {
        if (result.size() >= limit) return result + "…";
        const std::size_t length = std::max<std::size_t>(characterLength(text), 1);
        const std::string_view character = text.substr(0, length);
        if (characterLength(text) == 0 || isControl(character))
            for (const char byte : character) result += fmt::format("\\x{:02X}", static_cast<unsigned char>(byte));
        else
            result += character;
        text.remove_prefix(length);
    }
    return result;
}

std::string inQuotes(std::string_view text, std::size_t limit) {
    return "'" + escaped(text, limit) + "'";
}

bool isUtf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = characterLength(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n\f\v";
    const std::size_t from = text.find_first_not_of(kBlank);
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t from = 0;;) {
        const std::size_t to = text.find(separator, from);
        parts.push_back(text.substr(from, to == std::string_view::npos ? to : to - from));
        if (to == std::string_view::npos) return parts;
        from = to + 1;
    }
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
    return fmt::format("{}", fmt::join(parts, separator));
}

std::string lowered(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

std::string_view closest(std::string_view name, const std::vector<std::string>& known) {
    const std::string wanted = lowered(name.substr(0, 64));
    std::string_view best;
    std::size_t bestDistance = 3;
    for (const std::string& candidate : known) {
        const std::string other = lowered(candidate);
        const bool prefix = wanted.size() >= 3 && other.starts_with(wanted);
        const std::size_t distance = prefix ? 1 : editDistance(wanted, other);
        if (distance < bestDistance && distance < wanted.size()) {
            best = candidate;
            bestDistance = distance;
        }
    }
    return best;
}

}  // namespace tessera
