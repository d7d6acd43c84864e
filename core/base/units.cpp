#include "core/base/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/base/text.h"

namespace tessera {

namespace {

struct Unit {
    Measure measure;
    std::string_view name;  ///< without prefix, as typed
    double factor;          ///< to the measure's base unit
};

constexpr std::array kUnits{
    Unit{Measure::bytes, "B", 1},
    Unit{Measure::bytes, "b", 0.125},
    Unit{Measure::bytesPerSecond, "B/s", 1},
    Unit{Measure::bytesPerSecond, "b/s", 0.125},
    Unit{Measure::bytesPerSecond, "bps", 0.125},
    Unit{Measure::bitsPerSecond, "b/s", 1},
    Unit{Measure::bitsPerSecond, "bps", 1},
    Unit{Measure::bitsPerSecond, "bit/s", 1},
    Unit{Measure::bitsPerSecond, "B/s", 8},
    Unit{Measure::flops, "FLOP", 1},
    Unit{Measure::flopsPerSecond, "FLOPS", 1},
    Unit{Measure::flopsPerSecond, "FLOP/s", 1},
    Unit{Measure::seconds, "s", 1},
    Unit{Measure::seconds, "min", 60},
    Unit{Measure::seconds, "h", 3600},
    Unit{Measure::hertz, "Hz", 1},
    Unit{Measure::watts, "W", 1},
    Unit{Measure::area, "mm²", 1},
    Unit{Measure::area, "mm2", 1},
};

struct Prefix {
    std::string_view name;
    double factor;
};

constexpr std::array kPrefixes{
    Prefix{"", 1},          Prefix{"k", 1e3},      Prefix{"K", 1e3},          Prefix{"M", 1e6},
    Prefix{"G", 1e9},       Prefix{"T", 1e12},     Prefix{"P", 1e15},         Prefix{"E", 1e18},
    Prefix{"m", 1e-3},      Prefix{"u", 1e-6},     Prefix{"µ", 1e-6},         Prefix{"n", 1e-9},
    Prefix{"Ki", 1024.0},   Prefix{"Mi", 0x1p20},  Prefix{"Gi", 0x1p30},      Prefix{"Ti", 0x1p40},
    Prefix{"Pi", 0x1p50},
};

std::string_view shownUnit(Measure measure) {
    switch (measure) {
        case Measure::bytes: return "B";
        case Measure::bytesPerSecond: return "B/s";
        case Measure::bitsPerSecond: return "b/s";
        case Measure::flops: return "FLOP";
        case Measure::flopsPerSecond: return "FLOP/s";
        case Measure::seconds: return "s";
        case Measure::hertz: return "Hz";
        case Measure::watts: return "W";
        case Measure::area: return "mm²";
        case Measure::count: return "";
    }
    return "";
}

std::optional<double> factorOf(std::string_view unit, Measure measure) {
    if (unit.empty()) return 1.0;
    for (const Unit& known : kUnits) {
        if (known.measure != measure || !unit.ends_with(known.name)) continue;
        const std::string_view prefix = unit.substr(0, unit.size() - known.name.size());
        for (const Prefix& candidate : kPrefixes)
            if (candidate.name == prefix) return candidate.factor * known.factor;
    }
    if (measure == Measure::count)
        for (const Prefix& candidate : kPrefixes)
            if (candidate.name == unit && candidate.factor >= 1) return candidate.factor;
    return std::nullopt;
}

/// 3 to 4 significant digits without trailing zeros: 1.5, 36.2, 420, 1234.
std::string shortNumber(double value) {
    if (value == 0) return "0";
    const double magnitude = std::fabs(value);
    const int decimals = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3;
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.pop_back();
    }
    return text;
}

}  // namespace

std::optional<double> parseQuantity(std::string_view text, Measure measure) {
    text = trimmed(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return std::nullopt;
    const std::string_view unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    const std::optional<double> factor = factorOf(unit, measure);
    if (!factor || !std::isfinite(number * *factor)) return std::nullopt;
    return number * *factor;
}

std::string formatQuantity(double value, Measure measure) {
    if (measure == Measure::count) return formatCount(value);
    if (!std::isfinite(value)) return "–";
    constexpr std::array<Prefix, 9> kShown{Prefix{"E", 1e18}, Prefix{"P", 1e15}, Prefix{"T", 1e12},
                                           Prefix{"G", 1e9},  Prefix{"M", 1e6},  Prefix{"k", 1e3},
                                           Prefix{"", 1},     Prefix{"m", 1e-3}, Prefix{"µ", 1e-6}};
    const double magnitude = std::fabs(value);
    Prefix shown{"n", 1e-9};
    if (magnitude == 0) shown = {"", 1};
    for (const Prefix& prefix : kShown) {
        if (magnitude == 0 || magnitude < prefix.factor * 0.9995) continue;
        shown = prefix;
        break;
    }
    const bool wholeOnly = measure == Measure::bytes || measure == Measure::flops;
    if (wholeOnly && shown.factor < 1) shown = {"", 1};
    if (measure == Measure::area) shown = {"", 1};
    return fmt::format("{} {}{}", shortNumber(value / shown.factor), shown.name, shownUnit(measure));
}

std::string formatCount(double value) {
    if (!std::isfinite(value)) return "–";
    if (value != std::floor(value) || std::fabs(value) >= 0x1p63) return fmt::format("{:.4g}", value);
    std::string digits = fmt::format("{:.0f}", std::fabs(value));
    for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
    return (value < 0 ? "-" : "") + digits;
}

std::string exactNumber(double value) { return fmt::format("{}", value); }

}  // namespace tessera
