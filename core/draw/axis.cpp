#include "core/draw/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/draw/chart_layout.h"

namespace tessera::report {

namespace {

/// The number of multiples of `step` in a stretch.
double multiples(double low, double high, double step) {
    return std::floor(high / step + 1e-9) - std::ceil(low / step - 1e-9) + 1;
}

std::vector<double> multiplesIn(double low, double high, double step, int max) {
    std::vector<double> places;
    const double first = std::ceil(low / step - 1e-9);
    for (int i = 0; i < max && (first + i) * step <= high + step * 1e-9; ++i) {
        const double place = (first + i) * step;
        places.push_back(std::fabs(place) < step * 1e-6 ? 0.0 : place);
    }
    return places;
}

std::vector<double> linearTicks(double low, double high, int max) {
    if (!(high > low)) return {low};
    double decade = std::pow(10.0, std::floor(std::log10((high / max) - (low / max))) - 1);
    if (!(decade > 0)) decade = (high - low) / max;
    for (int i = 0; i < 4; ++i, decade *= 10)
        for (const double factor : {1.0, 2.0, 5.0})
            if (multiples(low, high, factor * decade) <= max) return multiplesIn(low, high, factor * decade, max);
    return {low};
}

/// The decades' multiples by these factors.
std::vector<double> withinDecades(double low, double high, const std::vector<double>& factors) {
    std::vector<double> places;
    for (double decade = std::floor(std::log10(low)); decade <= std::log10(high); ++decade)
        for (const double factor : factors) {
            const double place = factor * std::pow(10.0, decade);
            if (place >= low * (1 - 1e-9) && place <= high * (1 + 1e-9)) places.push_back(place);
        }
    return places;
}

std::vector<double> logarithmicTicks(double low, double high, int max) {
    const double from = std::log10(low);
    const double to = std::log10(high);
    std::vector<double> places;
    if (to - from < 3) {  // decades alone would be few
        for (const std::vector<double>& factors : {std::vector{1.0, 2.0, 5.0}, std::vector{1.0, 3.0}}) {
            places = withinDecades(low, high, factors);
            if (places.size() >= 2 && static_cast<int>(places.size()) <= max) return places;
            if (places.size() < 2) return linearTicks(low, high, max);
        }
    }
    for (const double step : {1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0, 100.0, 200.0}) {
        if (multiples(from, to, step) > max) continue;
        places = multiplesIn(from, to, step, max);
        for (double& place : places) place = std::pow(10.0, place);
        return places;
    }
    return {low};
}

/// Large counts by their prefix, "100 M": an axis has no room for their digits.
std::string besideAxis(double value, const Axis& axis) {
    constexpr double kMega = 1e6, kGiga = 1e9, kMax = 1e15;
    const double size = std::fabs(value);
    if (!axis.categories.empty() || axis.measure != Measure::count || !(size >= kMega) || size >= kMax)
        return tickText(value, axis);
    return size < kGiga ? fmt::format("{:.4g} M", value / kMega) : fmt::format("{:.4g} G", value / kGiga);
}

}  // namespace

double Scale::coordinate(double value) const {
    return logarithmic ? std::log10(value) : value;
}
double Scale::pixelOf(double place) const {
    return from + (place - stretch.low) / stretch.length() * (to - from);
}
double Scale::pixel(double value) const {
    return pixelOf(coordinate(value));
}
double Scale::coordinateAt(double pixel) const {
    return stretch.low + (pixel - from) / (to - from) * stretch.length();
}
double Scale::value(double pixel) const {
    return logarithmic ? std::pow(10.0, coordinateAt(pixel)) : coordinateAt(pixel);
}

bool isShown(double value, const Axis& axis) {
    return std::isfinite(value) && std::fabs(value) <= 1e301 && (!axis.logarithmic || value >= 1e-301);
}

std::vector<double> ticks(double low, double high, bool logarithmic, int max) {
    if (!std::isfinite(low) || !std::isfinite(high) || max < 1) return {};
    if (low > high) std::swap(low, high);
    if (logarithmic) return low > 0 ? logarithmicTicks(low, high, max) : std::vector<double>{};
    return linearTicks(low, high, max);
}

std::string tickText(double value, const Axis& axis) {
    if (axis.categories.empty()) return formatQuantity(value, axis.measure);
    const double index = std::round(value);
    if (!(index >= 0) || index >= static_cast<double>(axis.categories.size())) return "";
    return escaped(axis.categories[static_cast<std::size_t>(index)]);
}

std::vector<std::string> tickTexts(const std::vector<double>& values, const Axis& axis) {
    std::vector<std::string> list;
    const auto areDifferent = [&] { return std::set<std::string>(list.begin(), list.end()).size() == list.size(); };
    for (const double value : values) list.push_back(besideAxis(value, axis));
    constexpr int kAllDigits = 17;
    for (int digits = 4; !areDifferent() && digits <= kAllDigits; ++digits)  // zoomed in far
        for (std::size_t i = 0; i < list.size(); ++i) list[i] = formatQuantity(values[i], axis.measure, digits);
    return list;
}

MarkerShape shapeOf(const Series& series, std::size_t index) {
    constexpr std::array kShapes{MarkerShape::circle,   MarkerShape::square, MarkerShape::diamond,
                                 MarkerShape::triangle, MarkerShape::star,   MarkerShape::cross};
    constexpr std::size_t kInTurn = 5;  // the cross is asked for
    return kShapes.at(series.shape < 0 ? index % kInTurn : static_cast<std::size_t>(series.shape) % kShapes.size());
}

std::string valueText(const Chart& chart, const Series& series, std::size_t point) {
    if (point < series.valueTexts.size()) return escaped(series.valueTexts[point]);
    return point < series.y.size() ? formatQuantity(series.y[point], chart.y.measure) : "";
}

}  // namespace tessera::report
