#include "core/study/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "core/base/text.h"
#include "core/study/engine.h"

namespace tessera::study {

std::string timesText(double factor) {
    return fmt::format("{:.3g}×", factor);
}

std::string percentText(double share) {
    // What is less than rounding is nothing; what is hardly more is said to be something.
    constexpr double kRounding = 1e-9, kMinShown = 1e-6;
    if (std::fabs(share) <= kRounding) return "0 %";
    if (std::fabs(share) < kMinShown) return share > 0 ? "< 0.0001 %" : "> -0.0001 %";
    return share < 0.1 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

namespace {

/// To so many significant digits.
double rounded(double value, int digits) {
    const double step = std::pow(10.0, std::floor(std::log10(std::fabs(value))) + 1 - digits);
    return std::round(value / step) * step;
}

}  // namespace

std::string rateText(double perSecond) {
    constexpr double kMillion = 1e6;
    constexpr int kDigits = 4;
    if (!(perSecond >= 1000) || !std::isfinite(perSecond)) return fmt::format("{:.{}g}", perSecond, kDigits);
    const double shown = rounded(perSecond, kDigits);
    return shown >= kMillion ? fmt::format("{:.{}g} million", shown / kMillion, kDigits) : formatCount(shown);
}

std::string uncertainText(double value) {
    constexpr double kFromThousand = 999.5;
    if (!std::isfinite(value) || std::fabs(value) < kFromThousand) return fmt::format("{:.3g}", value);
    constexpr int kDigits = 3;
    return rateText(rounded(value, kDigits));
}

std::string samplesText(double perSecond) {
    return rateText(perSecond) + " samples/s";
}

std::string uncertainSamplesText(double perSecond) {
    return uncertainText(perSecond) + " samples/s";
}

std::string dollarsText(double amount) {
    constexpr double kCents = 1000;  // from here on they are not shown
    return "$" + (amount < kCents ? fmt::format("{:.4g}", amount) : formatCount(std::round(amount)));
}

std::string uncertainDollarsText(double amount) {
    return "$" + uncertainText(amount);
}

std::string ratioText(double ratio) {
    constexpr double kMinShown = 5e-5;
    if (ratio > 0 && ratio < kMinShown) return fmt::format("{:.2g}", ratio);
    if (ratio < 1 && 1 - ratio < kMinShown) return fmt::format("1 - {:.2g}", 1 - ratio);
    return fmt::format("{:.4f}", ratio);
}

std::string gapText(double value, double lowerBound) {
    constexpr double kMet = 1 + 1e-9;
    if (lowerBound <= 0) return "no bound";
    if (value <= lowerBound * kMet) return "proven optimal";
    if (value >= 2 * lowerBound) return fmt::format("{:.3g}× the bound", value / lowerBound);
    return "optimality gap ≤ " + percentText(value / lowerBound - 1);
}

std::vector<Metric> metricsOf(const Result& result) {
    return engineOf(result).metrics(result);
}

std::string headline(const Result& result) {
    return engineOf(result).headline(result);
}

std::string textOf(const Metric& metric) {
    // A rate, whatever its engine calls it.
    if (metric.uncertain && metric.measure == Measure::count) return uncertainSamplesText(metric.value);
    const std::string name = metric.name.substr(metric.name.rfind('/') + 1);
    // A name that engines share is said alike, but for what the later ones say of it in other words.
    const std::vector<Engine>& rows = engines();
    for (std::size_t i = rows.size(); i-- > 0;)
        if (rows[i].metricText != nullptr)
            if (std::optional<std::string> text = rows[i].metricText(name, metric.value)) return *std::move(text);
    if (metric.measure == Measure::count) return formatCount(metric.value);
    return formatQuantity(metric.value, metric.measure);
}

}  // namespace tessera::study
