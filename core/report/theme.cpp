#include "core/report/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace tessera::report {

namespace {

struct StrategyColour {
    std::string_view id;
    std::string_view colour;
};

constexpr std::array kStrategyColours{
    StrategyColour{"accpar", kCategories[0]}, StrategyColour{"hypar", kCategories[1]},
    StrategyColour{"owt", kCategories[2]},    StrategyColour{"accpar-paper", kCategories[4]},
    StrategyColour{"dp", kCategories[5]},
};

/// Relative luminance, WCAG 2.1.
double luminance(std::string_view colour) {
    double sum = 0;
    constexpr std::array kWeights{0.2126, 0.7152, 0.0722};
    for (std::size_t i = 0; i < 3; ++i) {
        int value = 0;
        std::from_chars(colour.data() + 1 + 2 * i, colour.data() + 3 + 2 * i, value, 16);
        const double share = value / 255.0;
        sum += kWeights.at(i) * (share <= 0.03928 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4));
    }
    return sum;
}

}  // namespace

std::string Theme::operator()(std::string_view token) const {
    for (const Token& known : kTokens) {
        if (known.name != token) continue;
        if (kind_ == ThemeKind::css) return fmt::format("var(--{})", token);
        return std::string(kind_ == ThemeKind::light ? known.light : known.dark);
    }
    throw std::logic_error("unknown theme token");
}

std::string_view strategyColour(std::string_view id) {
    for (const StrategyColour& row : kStrategyColours)
        if (row.id == id) return row.colour;
    return kCategories[7];
}

double contrast(std::string_view one, std::string_view other) {
    const auto [low, high] = std::minmax({luminance(one), luminance(other)});
    return (high + 0.05) / (low + 0.05);
}

}  // namespace tessera::report
