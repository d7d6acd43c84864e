#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/character.h"

namespace tessera {

namespace {

/// Number of changes that make `b` of `a`, where a letter of `a` that is left out or replaced counts `lost` times.
std::size_t editDistance(std::string_view a, std::string_view b, std::size_t lost = 1) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i * lost;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : lost);
            diagonal = row[j];
            row[j] = std::min({row[j] + lost, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

}  // namespace

std::string escaped(std::string_view text, std::size_t limit) {
    std::string result;
    while (!text.empty()) {
        if (result.size() >= limit) return result + "…";
        const Character character = firstCharacter(text);
        const std::string_view bytes = text.substr(0, std::max<std::size_t>(character.length, 1));
        if (character.length == 0 || isControl(character.code))
            for (const char byte : bytes) result += fmt::format("\\x{:02X}", static_cast<unsigned char>(byte));
        else
            result += bytes;
        text.remove_prefix(bytes.size());
    }
    return result;
}

std::string inQuotes(std::string_view text, std::size_t limit) {
    return "'" + escaped(text, limit) + "'";
}

bool isUtf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = firstCharacter(text).length;
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

std::vector<std::string_view> nearestNames(std::string_view name, const std::vector<std::string>& known,
                                           std::size_t count) {
    constexpr std::size_t kLost = 4, kLongestName = 256;
    const std::string wanted = lowered(name.substr(0, kLongestName));
    std::vector<std::pair<std::size_t, std::size_t>> ranked;  // distance and place
    for (std::size_t i = 0; i < known.size(); ++i)
        ranked.emplace_back(editDistance(wanted, lowered(known[i]), kLost), i);
    const std::size_t found = std::min(count, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(found), ranked.end());
    std::vector<std::string_view> nearest;
    for (std::size_t i = 0; i < found; ++i) nearest.emplace_back(known[ranked[i].second]);
    return nearest;
}

std::string withClosest(std::string_view sentence, std::string_view name, const std::vector<std::string>& known,
                        std::string_view otherwise) {
    const std::string_view hint = closest(name, known);
    return hint.empty() ? std::string(otherwise) : fmt::format(fmt::runtime(sentence), inQuotes(hint));
}

}  // namespace tessera
