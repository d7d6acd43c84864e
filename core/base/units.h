#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/enum_names.h"
#include "core/base/quantity.h"

namespace tessera {

/// Physical quantity of a number. Decides which unit names are understood and how it is shown.
enum class Measure {
    bytes,
    bytesPerSecond,
    bitsPerSecond,
    flops,
    flopsPerSecond,
    seconds,
    hertz,
    watts,
    joules,
    area,
    count
};
inline constexpr EnumNames<Measure> kMeasureNames{"bytes",
                                                  "bytes per second",
                                                  "bits per second",
                                                  "flops",
                                                  "flops per second",
                                                  "seconds",
                                                  "hertz",
                                                  "watts",
                                                  "joules",
                                                  "area",
                                                  "count"};

/// Reads "16GB/s", "8Gb/s", "180 TFLOPS", "64GiB", "200MHz", "1.5e9" into SI base units of the measure. B is byte and
/// b is bit, so "16GB/s" given where bits per second are meant is 128e9. Bare numbers are base units. A decimal prefix
/// is applied to the digits, so "36.2ms" is exactly the double 0.0362.
/// Empty where the text is no such quantity (unknown unit, not a finite number).
std::optional<double> parseQuantity(std::string_view text, Measure measure);

/// Formats a quantity for people: 3 to 4 significant digits with an engineering prefix and the unit: "16 GB/s", "36.2
/// ms", "420 TFLOP/s".
std::string formatQuantity(double value, Measure measure);
/// Formats a quantity with more significant digits, which distinguish values that lie close together: "11.013 ms".
std::string formatQuantity(double value, Measure measure, int digits);
/// Formats a duration for people: "36.2 ms".
inline std::string formatSeconds(double seconds) {
    return formatQuantity(seconds, Measure::seconds);
}
inline std::string formatSeconds(Seconds time) {
    return formatSeconds(time.value);
}

/// The base unit of a measure as shown to people, without a prefix: "B/s", "FLOP"; empty for a count.
std::string_view unitName(Measure measure);

/// A plain number for people, 4 significant digits, no exponent for ordinary sizes: "6.31", "25,557,032".
std::string formatCount(double value);
template <std::integral Whole>
std::string formatCount(Whole value) {
    return formatCount(static_cast<double>(value));
}

/// Formats a count with its noun: "1 layer", "1,200 layers".
std::string formatCounted(double count, std::string_view one, std::string_view many);
template <std::integral Whole>
std::string formatCounted(Whole count, std::string_view one, std::string_view many) {
    return formatCounted(static_cast<double>(count), one, many);
}

/// A rough time to wait: "less than a second", "about 40 seconds", "about 3 hours".
std::string formatWait(double seconds);

/// The shortest text that reads back as the same double.
std::string exactNumber(double value);

}  // namespace tessera
