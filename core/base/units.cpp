#include "core/base/units.h"

#include <fmt/format.h>

#include <algorithm>
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
    double factor;          ///< to the measure's base unit, exact in binary
    bool prefixed = true;   ///< whether "k", "M", ... may stand before it
};

constexpr std::array kUnits{
    Unit{Measure::bytes, "B", 1},
    Unit{Measure::bytes, "b", 0.125},
    Unit{Measure::bytesPerSecond, "B/s", 1},
    Unit{Measure::bytesPerSecond, "Bps", 1},
    Unit{Measure::bytesPerSecond, "b/s", 0.125},
    Unit{Measure::bytesPerSecond, "bps", 0.125},
    Unit{Measure::bytesPerSecond, "bit/s", 0.125},
    Unit{Measure::bitsPerSecond, "b/s", 1},
    Unit{Measure::bitsPerSecond, "bps", 1},
    Unit{Measure::bitsPerSecond, "bit/s", 1},
    Unit{Measure::bitsPerSecond, "B/s", 8},
    Unit{Measure::bitsPerSecond, "Bps", 8},
    Unit{Measure::flops, "FLOP", 1},
    Unit{Measure::flops, "FLOPs", 1},
    Unit{Measure::flopsPerSecond, "FLOPS", 1},
    Unit{Measure::flopsPerSecond, "FLOP/s", 1},
    Unit{Measure::flopsPerSecond, "FLOPs/s", 1},
    Unit{Measure::seconds, "s", 1},
    Unit{Measure::seconds, "min", 60, false},
    Unit{Measure::seconds, "h", 3600, false},
    Unit{Measure::hertz, "Hz", 1},
    Unit{Measure::watts, "W", 1},
    Unit{Measure::joules, "J", 1},
    Unit{Measure::area, "mm²", 1, false},
    Unit{Measure::area, "mm2", 1, false},
    Unit{Measure::count, "", 1},
};

struct Prefix {
    std::string_view name;
    int decimal;    ///< power of ten
    double binary;  ///< power of two; of bytes and bits only
};

constexpr std::array kPrefixes{
    Prefix{"", 0, 1},        Prefix{"k", 3, 1},       Prefix{"K", 3, 1},       Prefix{"M", 6, 1},
    Prefix{"G", 9, 1},       Prefix{"T", 12, 1},      Prefix{"P", 15, 1},      Prefix{"E", 18, 1},
    Prefix{"m", -3, 1},      Prefix{"u", -6, 1},      Prefix{"µ", -6, 1},      Prefix{"μ", -6, 1},
    Prefix{"n", -9, 1},      Prefix{"p", -12, 1},     Prefix{"Ki", 0, 1024.0}, Prefix{"Mi", 0, 0x1p20},
    Prefix{"Gi", 0, 0x1p30}, Prefix{"Ti", 0, 0x1p40}, Prefix{"Pi", 0, 0x1p50},
};

bool isData(Measure measure) {
    return measure == Measure::bytes || measure == Measure::bytesPerSecond || measure == Measure::bitsPerSecond;
}

/// Things that come in wholes have no thousandths: "16mB/s" is a slip of the shift key.
bool mayBeSmall(Measure measure) {
    return measure == Measure::seconds || measure == Measure::hertz || measure == Measure::watts ||
           measure == Measure::joules;
}

bool fits(const Prefix& prefix, const Unit& unit) {
    if (prefix.name.empty()) return true;
    if (!unit.prefixed) return false;
    if (prefix.binary != 1) return isData(unit.measure);
    return prefix.decimal > 0 || mayBeSmall(unit.measure);
}

struct Scale {
    int decimal = 0;  ///< power of ten
    double factor = 1;
};

std::optional<Scale> scaleOf(std::string_view unit, Measure measure) {
    if (unit.empty()) return Scale{};
    for (const Unit& known : kUnits) {
        if (known.measure != measure || !unit.ends_with(known.name)) continue;
        const std::string_view prefix = unit.substr(0, unit.size() - known.name.size());
        for (const Prefix& candidate : kPrefixes)
            if (candidate.name == prefix && fits(candidate, known))
                return Scale{candidate.decimal, candidate.binary * known.factor};
    }
    return std::nullopt;
}

std::optional<double> toDouble(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// The number `literal` times a power of ten, rounded once: "36.2" and -3 give the double nearest to 0.0362.
std::optional<double> scaledByTen(std::string_view literal, int decimal) {
    if (decimal == 0) return toDouble(literal);
    const std::size_t mark = literal.find_first_of("eE");
    int exponent = 0;
    if (mark != std::string_view::npos) {
        std::string_view digits = literal.substr(mark + 1);
        if (digits.starts_with('+')) digits.remove_prefix(1);
        if (std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec != std::errc{})
            return std::nullopt;
    }
    return toDouble(fmt::format("{}e{}", literal.substr(0, mark), std::int64_t{exponent} + decimal));
}

/// About 4 significant digits without trailing zeros: 1.5, 36.2, 420, 0.04.
std::string shortNumber(double value) {
    if (value == 0) return "0";
    const double magnitude = std::fabs(value);
    if (magnitude < 0.001 || magnitude >= 1e6) return fmt::format("{:.3g}", value);
    const int decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : magnitude >= 0.9995 ? 2 : 3;
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.pop_back();
    }
    return text;
}

/// A whole number with a comma after every third digit.
std::string grouped(double value) {
    std::string digits = fmt::format("{:.0f}", std::fabs(value));
    for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
    return (value < 0 ? "-" : "") + digits;
}

}  // namespace

std::string_view unitName(Measure measure) {
    switch (measure) {
        case Measure::bytes:
            return "B";
        case Measure::bytesPerSecond:
            return "B/s";
        case Measure::bitsPerSecond:
            return "b/s";
        case Measure::flops:
            return "FLOP";
        case Measure::flopsPerSecond:
            return "FLOP/s";
        case Measure::seconds:
            return "s";
        case Measure::hertz:
            return "Hz";
        case Measure::watts:
            return "W";
        case Measure::joules:
            return "J";
        case Measure::area:
            return "mm²";
        case Measure::count:
            return "";
    }
    return "";
}

std::optional<double> parseQuantity(std::string_view text, Measure measure) {
    text = trimmed(text);
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
    const auto length = static_cast<std::size_t>(end - text.data());
    const std::optional<Scale> scale = scaleOf(trimmed(text.substr(length)), measure);
    if (!scale) return std::nullopt;
    const std::optional<double> scaled = scaledByTen(text.substr(0, length), scale->decimal);
    if (!scaled || !std::isfinite(*scaled * scale->factor)) return std::nullopt;
    return *scaled * scale->factor;
}

namespace {

struct Shown {
    std::string_view prefix;
    double factor;
};

bool isPrefixed(Measure measure) {
    return measure != Measure::area && measure != Measure::count;
}
bool isPrefixedAbove(Measure measure) {
    return isPrefixed(measure) && measure != Measure::seconds;  // kiloseconds are not in use
}

/// The engineering prefix that a value is shown with.
Shown shownWith(double value, Measure measure) {
    constexpr std::array kShown{Shown{"E", 1e18}, Shown{"P", 1e15}, Shown{"T", 1e12}, Shown{"G", 1e9},
                                Shown{"M", 1e6},  Shown{"k", 1e3},  Shown{"", 1},     Shown{"m", 1e-3},
                                Shown{"µ", 1e-6}, Shown{"n", 1e-9}};
    Shown shown{"", 1};
    for (const Shown& row : kShown) {
        const bool allowed =
            row.factor == 1 || (row.factor > 1 ? isPrefixedAbove(measure) : isPrefixed(measure) && mayBeSmall(measure));
        if (!allowed || value == 0) continue;
        shown = row;
        if (std::fabs(value) >= row.factor * 0.9995) break;
    }
    return shown;
}

}  // namespace

std::string formatQuantity(double value, Measure measure) {
    if (measure == Measure::count) return formatCount(value);
    if (!std::isfinite(value)) return "–";
    const Shown shown = shownWith(value, measure);
    const double scaled = value / shown.factor;
    const double magnitude = std::fabs(scaled);
    const bool many = !isPrefixedAbove(measure) && magnitude >= 999.5 && magnitude < 0x1p53;
    return fmt::format("{} {}{}", many ? grouped(std::round(scaled)) : shortNumber(scaled), shown.prefix,
                       unitName(measure));
}

std::string formatQuantity(double value, Measure measure, int digits) {
    if (!std::isfinite(value)) return "–";
    const Shown shown = shownWith(value, measure);
    return std::string(
        trimmed(fmt::format("{:.{}g} {}{}", value / shown.factor, digits, shown.prefix, unitName(measure))));
}

std::string formatCount(double value) {
    if (!std::isfinite(value)) return "–";
    const double magnitude = std::fabs(value);
    if (magnitude >= 0x1p63) return fmt::format("{:.4g}", value);
    if (value == std::floor(value)) return grouped(value);
    if (magnitude >= 999.95) return grouped(std::round(value));
    return fmt::format("{:.4g}", value);
}

std::string formatCounted(double count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", formatCount(count), count == 1 ? one : many);
}

std::string formatWait(double seconds) {
    constexpr double kMinute = 60, kHour = 3600;
    if (seconds < 1) return "less than a second";
    if (seconds < 1.5 * kMinute) return fmt::format("about {:.0f} seconds", std::max(2.0, seconds));
    if (seconds < 1.5 * kHour) return fmt::format("about {:.0f} minutes", seconds / kMinute);
    return fmt::format("about {:.0f} hours", seconds / kHour);
}

std::string exactNumber(double value) {
    return fmt::format("{}", value);
}

}  // namespace tessera
