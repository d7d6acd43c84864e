#include "ui/editors/quantity_text.h"

#include <fmt/format.h>

#include <QRegularExpression>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

struct Prefix {
    std::string_view name;
    double factor;
};

constexpr std::array kPrefixes{
    Prefix{"", 1},      Prefix{"k", 1e3},     Prefix{"M", 1e6},     Prefix{"G", 1e9},     Prefix{"T", 1e12},
    Prefix{"P", 1e15},  Prefix{"E", 1e18},    Prefix{"m", 1e-3},    Prefix{"µ", 1e-6},    Prefix{"n", 1e-9},
    Prefix{"Ki", 1024}, Prefix{"Mi", 0x1p20}, Prefix{"Gi", 0x1p30}, Prefix{"Ti", 0x1p40},
};

struct Example {
    Measure measure;
    const char* noun;
    const char* text;
};

constexpr std::array kExamples{
    Example{Measure::bytes, "an amount of memory", "32 GiB"},
    Example{Measure::bytesPerSecond, "a rate", "16 GB/s"},
    Example{Measure::bitsPerSecond, "a network rate", "200 Gb/s"},
    Example{Measure::flops, "an amount of work", "4 GFLOP"},
    Example{Measure::flopsPerSecond, "a compute rate", "180 TFLOP/s"},
    Example{Measure::seconds, "a time", "5 µs"},
    Example{Measure::hertz, "a frequency", "200 MHz"},
    Example{Measure::watts, "a power", "450 W"},
    Example{Measure::joules, "an energy", "3 mJ"},
    Example{Measure::area, "an area", "80 mm²"},
    Example{Measure::count, "a number", "128"},
};

const Example& exampleRow(Measure measure) {
    for (const Example& row : kExamples)
        if (row.measure == measure) return row;
    return kExamples.back();
}

/// The shortest digits of value / factor whose text with the unit reads back as exactly `value`; empty where none does.
std::string textWith(const Prefix& prefix, double value, Measure measure) {
    const std::string_view unit = unitName(measure);
    const double scaled = value / prefix.factor;
    if (scaled != 0 && (std::fabs(scaled) >= 1e15 || std::fabs(scaled) < 1e-3)) return "";
    for (const int digits : {15, 17}) {
        std::string text = fmt::format("{:.{}g}", scaled, digits);
        if (text.find('e') != std::string::npos) return "";
        if (!unit.empty()) text += fmt::format(" {}{}", prefix.name, unit);
        if (parseQuantity(text, measure) == value) return text;
    }
    return "";
}

struct Parts {
    double number;
    QString rest;
};

std::optional<Parts> partsOf(const QString& text) {
    static const QRegularExpression pattern(QStringLiteral(R"(^\s*([+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)(.*)$)"));
    const QRegularExpressionMatch match = pattern.match(text);
    if (!match.hasMatch()) return std::nullopt;
    return Parts{match.captured(1).toDouble(), match.captured(2)};
}

QString rangeProblem(double value, Measure measure, const QuantityRange& range) {
    const auto shown = [&](double bound) { return exactQuantity(bound, measure); };
    if (range.whole && value != std::floor(value))
        return u"This is a whole number, such as %1."_s.arg(shown(std::floor(value)));
    if (value < range.min || (range.minExcluded && value == range.min))
        return (range.minExcluded ? u"This must be above %1."_s : u"This must be at least %1."_s).arg(shown(range.min));
    if (value > range.max) return u"This must be at most %1."_s.arg(shown(range.max));
    return {};
}

}  // namespace

QString exactQuantity(double value, Measure measure) {
    if (!std::isfinite(value)) return {};
    std::string best;
    bool bestInRange = false;
    for (const Prefix& prefix : kPrefixes) {
        if (unitName(measure).empty() && !prefix.name.empty()) break;
        const std::string text = textWith(prefix, value, measure);
        if (text.empty()) continue;
        const double scaled = std::fabs(value / prefix.factor);
        const bool inRange = scaled >= 1 && scaled < 1000;
        if (best.empty() || (inRange && !bestInRange) || (inRange == bestInRange && text.size() < best.size())) {
            best = text;
            bestInRange = inRange;
        }
    }
    if (best.empty()) best = exactNumber(value);
    return toQt(best);
}

QString exampleOf(Measure measure) {
    return QString::fromUtf8(exampleRow(measure).text);
}

QuantityReading readQuantity(const QString& text, Measure measure, const QuantityRange& range) {
    const std::optional<double> value = parseQuantity(text.toStdString(), measure);
    if (!value) {
        const Example& example = exampleRow(measure);
        return {std::nullopt, u"This is not %1; write it like %2."_s.arg(QString::fromUtf8(example.noun),
                                                                         QString::fromUtf8(example.text))};
    }
    const QString problem = rangeProblem(*value, measure, range);
    if (!problem.isEmpty()) return {std::nullopt, problem};
    return {value, {}};
}

QString steppedQuantity(const QString& text, int steps, Measure measure, const QuantityRange& range) {
    const std::optional<Parts> parts = partsOf(text);
    if (!parts || !parseQuantity(text.toStdString(), measure)) return {};
    const double magnitude = std::fabs(parts->number);
    double step = magnitude == 0 ? 1 : std::pow(10.0, std::floor(std::log10(magnitude)) - 1);
    // From 10 downwards the next smaller step counts, so that going up and down again ends where it began.
    if (steps < 0 && magnitude > 0 && magnitude == std::pow(10.0, std::round(std::log10(magnitude)))) step /= 10;
    if (range.whole) step = std::max(step >= 10 ? step : 1.0, 1.0);
    const double moved = std::round(parts->number / step + steps) * step;
    const QString result = toQt(fmt::format("{:.12g}", moved)) + parts->rest;
    const QuantityReading reading = readQuantity(result, measure, range);
    if (!reading.value) return {};
    return exactQuantity(*reading.value, measure);
}

}  // namespace tessera::ui
