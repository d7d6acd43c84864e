#include "core/explore/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/elementary.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::explore {

namespace {

/// Up to here the number of a step and its share are told apart from their neighbours.
constexpr double kMaxSteps = 0x1p48;
constexpr std::size_t kManyPoints = std::size_t{1} << 63U;

bool isLogSteps(const Variable& variable) {
    return variable.values.empty() && variable.scale == Scale::log && variable.step > 0;
}

std::size_t stepCount(const Variable& variable) {
    // A step that is written in decimals does not divide its range exactly.
    const double steps = std::floor((variable.high - variable.low) / variable.step * (1 + 1e-12) + 1e-9);
    return static_cast<std::size_t>(std::clamp(steps, 0.0, kMaxSteps)) + 1;
}

double stepNumbered(const Variable& variable, std::size_t number) {
    const double value = variable.low + static_cast<double>(number) * variable.step;
    return std::fabs(value - variable.high) <= 1e-9 * variable.step ? variable.high : std::min(value, variable.high);
}

std::size_t nearestStep(const Variable& variable, double value) {
    const double number = std::floor((value - variable.low) / variable.step + 0.5);
    const auto last = static_cast<double>(stepCount(variable) - 1);
    return static_cast<std::size_t>(number > 0 ? std::min(number, last) : 0);
}

/// Logarithm of a value over the low end: of the ratio, which keeps more digits of narrow ranges, or where the high end
/// is more times the low one than a number can say, a difference.
double logRatio(const Variable& variable, double value) {
    if (std::isfinite(variable.high / variable.low)) return elementary::log(value / variable.low);
    return elementary::log(value) - elementary::log(variable.low);
}

double logShare(const Variable& variable, double value) {
    const double within = std::clamp(value, variable.low, variable.high);
    return logRatio(variable, within) / logRatio(variable, variable.high);
}

double onLogScale(const Variable& variable, double share) {
    if (share == 0) return variable.low;
    const double ratio = share * logRatio(variable, variable.high);
    const double value = std::isfinite(variable.high / variable.low)
                             ? variable.low * elementary::exp(ratio)
                             : elementary::exp(elementary::log(variable.low) + ratio);
    return std::clamp(value, variable.low, variable.high);
}

[[noreturn]] void refuse(const Variable& variable, std::string_view found, std::string_view expected) {
    throw UsageError(fmt::format("the variable {} {}; expected {}", inQuotes(variable.name), found, expected));
}

void checkVariable(const Variable& variable) {
    const auto isNumber = [](double value) { return std::isfinite(value); };
    if (!variable.values.empty()) {
        if (!std::all_of(variable.values.begin(), variable.values.end(), isNumber))
            refuse(variable, "has a value that is no number", "finite numbers");
        std::vector<double> sorted = variable.values;
        std::sort(sorted.begin(), sorted.end());
        const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        if (twice != sorted.end())
            refuse(variable, "has the value " + exactNumber(*twice) + " twice", "each value once");
        return;
    }
    if (variable.isCategory) refuse(variable, "has no categories", "at least one");
    const std::string range = fmt::format("goes from {} to {}", exactNumber(variable.low), exactNumber(variable.high));
    if (!isNumber(variable.low) || !isNumber(variable.high) || !isNumber(variable.high - variable.low) ||
        variable.low > variable.high)
        refuse(variable, range, "a finite low end that is not above the high end");
    if (variable.scale == Scale::log && variable.low <= 0) refuse(variable, range, "a log scale to begin above 0");
    const double min = minWidth(variable.low, variable.high);
    if (variable.low < variable.high && variable.high - variable.low < min)
        refuse(variable, range, "ends that are alike, or at least " + exactNumber(min) + " apart");
    if (!isNumber(variable.step) || variable.step < 0)
        refuse(variable, "has steps of " + exactNumber(variable.step), "steps above 0, or 0 for none");
    if (variable.step > 0 && (variable.high - variable.low) / variable.step > kMaxSteps)
        refuse(variable, "has steps of " + exactNumber(variable.step), "at most 2^48 steps, or 0 for any number");
    if (variable.step > 0 && variable.step < min && variable.low < variable.high)
        refuse(variable, "has steps of " + exactNumber(variable.step),
               "steps of at least " + exactNumber(min) + " between numbers of that size, or 0 for any number");
    if (variable.levels < 0) refuse(variable, fmt::format("has {} levels", variable.levels), "at least 1");
}

}  // namespace

std::size_t valueCount(const Variable& variable) {
    if (!variable.values.empty()) return variable.values.size();
    if (variable.low == variable.high) return 1;
    return variable.step > 0 ? stepCount(variable) : 0;
}

double valueNumbered(const Variable& variable, std::size_t number) {
    if (!variable.values.empty()) return variable.values[std::min(number, variable.values.size() - 1)];
    return variable.step > 0 ? stepNumbered(variable, number) : variable.low;
}

std::size_t numberOf(const Variable& variable, double value) {
    if (variable.values.empty()) return variable.step > 0 ? nearestStep(variable, value) : 0;
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < variable.values.size(); ++i)
        if (std::fabs(variable.values[i] - value) < std::fabs(variable.values[nearest] - value)) nearest = i;
    return nearest;
}

double valueAt(const Variable& variable, double share) {
    const double within = share > 0 ? std::min(share, 1.0) : 0;
    const std::size_t count = valueCount(variable);
    if (count == 1) return valueNumbered(variable, 0);
    if (isLogSteps(variable)) return stepNumbered(variable, nearestStep(variable, onLogScale(variable, within)));
    if (count > 1) {
        const auto number = static_cast<std::size_t>(within * static_cast<double>(count));
        return valueNumbered(variable, std::min(number, count - 1));
    }
    if (within == 1) return variable.high;
    if (variable.scale == Scale::log) return onLogScale(variable, within);
    return std::min(variable.low + within * (variable.high - variable.low), variable.high);
}

double shareOf(const Variable& variable, double value) {
    const std::size_t count = valueCount(variable);
    if (count == 1) return 0.5;
    if (isLogSteps(variable)) {
        const double middle = stepNumbered(variable, nearestStep(variable, value));
        return (logShare(variable, middle - variable.step / 2) + logShare(variable, middle + variable.step / 2)) / 2;
    }
    if (count > 1) return (static_cast<double>(numberOf(variable, value)) + 0.5) / static_cast<double>(count);
    if (variable.scale == Scale::log) return logShare(variable, value);
    return std::clamp((value - variable.low) / (variable.high - variable.low), 0.0, 1.0);
}

std::vector<std::size_t> freeVariables(const std::vector<Variable>& variables) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < variables.size(); ++i)
        if (valueCount(variables[i]) != 1) numbers.push_back(i);
    return numbers;
}

std::size_t pointCount(const std::vector<Variable>& variables) {
    std::size_t product = 1;
    for (const Variable& variable : variables) {
        const std::size_t count = valueCount(variable);
        if (count == 0) return 0;
        product = product > kManyPoints / count ? kManyPoints : product * count;
    }
    return product;
}

Point pointAt(const std::vector<Variable>& variables, const std::vector<double>& shares) {
    Point point(variables.size());
    for (std::size_t i = 0; i < point.size(); ++i) point[i] = valueAt(variables[i], shares[i]);
    return point;
}

std::vector<double> sharesOf(const std::vector<Variable>& variables, const Point& point) {
    std::vector<double> shares(variables.size());
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = shareOf(variables[i], point[i]);
    return shares;
}

double minWidth(double low, double high) {
    constexpr double kMinUnits = 4;
    const double size = std::max(std::fabs(low), std::fabs(high));
    return kMinUnits * (size - std::nextafter(size, 0.0));
}

void checkVariables(const std::vector<Variable>& variables) {
    if (variables.empty()) throw UsageError("no variables were given; expected at least one to explore");
    for (const Variable& variable : variables) checkVariable(variable);
}

}  // namespace tessera::explore
