#include "core/draw/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <stdexcept>

namespace tessera::report {

namespace {

/// Red, green or blue (0, 1, 2) of "#RRGGBB", 0 to 255.
int channel(std::string_view colour, std::size_t index) {
    int value = 0;
    std::from_chars(colour.data() + 1 + 2 * index, colour.data() + 3 + 2 * index, value, 16);
    return value;
}

/// The colour at `share` (0 to 1, clamped; not a number is 0) of a ramp, straight lines in between.
std::string onRamp(std::span<const std::string_view> ramp, double share) {
    const double place = (share > 0 ? std::min(share, 1.0) : 0.0) * static_cast<double>(ramp.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), ramp.size() - 2);
    const double part = place - static_cast<double>(below);
    std::array<int, 3> mixed{};
    for (std::size_t i = 0; i < mixed.size(); ++i)
        mixed.at(i) =
            static_cast<int>(std::lround((1 - part) * channel(ramp[below], i) + part * channel(ramp[below + 1], i)));
    return fmt::format("#{:02X}{:02X}{:02X}", mixed[0], mixed[1], mixed[2]);
}

/// Relative luminance, WCAG 2.1.
double luminance(std::string_view colour) {
    double sum = 0;
    constexpr std::array kWeights{0.2126, 0.7152, 0.0722};
    for (std::size_t i = 0; i < 3; ++i) {
        const double share = channel(colour, i) / 255.0;
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

std::string_view operatorColour(std::string_view operatorClass) {
    const auto* const found = std::find_if(kOperatorColours.begin(), kOperatorColours.end(),
                                           [&](const NamedColour& row) { return row.name == operatorClass; });
    return found != kOperatorColours.end() ? found->colour : operatorColour("memory");
}

std::string quantityColour(double share) {
    return onRamp(kQuantityRamp, share);
}

std::string differenceColour(double difference) {
    return onRamp(kDifferenceRamp, std::isnan(difference) ? 0.5 : (difference + 1) / 2);
}

int sizeOf(std::string_view name) {
    for (const auto& table : {std::span<const Length>(kSizes), std::span<const Length>(kFontSizes)})
        for (const Length& row : table)
            if (row.name == name) return row.pixels;
    throw std::logic_error("unknown size token");
}

double contrast(std::string_view one, std::string_view other) {
    const auto [low, high] = std::minmax({luminance(one), luminance(other)});
    return (high + 0.05) / (low + 0.05);
}

}  // namespace tessera::report
