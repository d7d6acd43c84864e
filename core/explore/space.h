#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Explorations of any function of several variables: which points to evaluate, what lies on the front, what matters.
/// Knows nothing of studies: points are numbers, and whoever explores evaluates them.
namespace tessera::explore {

/// How a range of numbers is divided.
enum class Scale : std::uint8_t { linear, log };

/// A variable of an exploration: a range of numbers, a list of them, or categories.
struct Variable {
    std::string name;
    double low = 0, high = 1;  ///< of a range; its values lie between, low among them, high unless steps leave a rest
    Scale scale = Scale::linear;
    double step = 0;                  ///< values are low, low + step, …; 0 = any number between
    std::vector<double> values = {};  ///< takes these alone, in this order; of a category its number from 0
    bool isCategory = false;          ///< no order among its values
    int levels = 0;                   ///< of a range in a grid; 0 = all of its values where steps number them, else 5
};

/// A value of every variable.
using Point = std::vector<double>;

/// Number of different values; 0 = a continuum.
std::size_t valueCount(const Variable& variable);
/// The value at a share from 0 to 1 of the variable's range: equal shares for each of several values, but those of
/// steps on a log scale in proportion to their part of that scale. Shares outside count as the nearest end, what is no
/// number as 0.
double valueAt(const Variable& variable, double share);
/// The share in the middle of those with this value, or where it is none of the variable's with the nearest one; for a
/// continuum its only one.
double shareOf(const Variable& variable, double value);
/// The value with this number from 0, of a variable that has several.
double valueNumbered(const Variable& variable, std::size_t number);
/// Number of the value, or where it is none of the variable's of the nearest one.
std::size_t numberOf(const Variable& variable, double value);

/// Numbers of the variables that have more than one value, rising.
std::vector<std::size_t> freeVariables(const std::vector<Variable>& variables);

/// Number of different points; 0 = a continuum. Above 2^53 it is no longer exact, and never more than 2^63.
std::size_t pointCount(const std::vector<Variable>& variables);
/// The point at a share of every variable.
Point pointAt(const std::vector<Variable>& variables, const std::vector<double>& shares);
/// The shares of a point's values.
std::vector<double> sharesOf(const std::vector<Variable>& variables, const Point& point);

/// The least width and the least step of a range between these ends: a few units in the last place, below which there
/// are hardly any numbers to choose from.
double minWidth(double low, double high);

/// Throws UsageError where a variable has no value, the same value twice, a range that its scale cannot have, or one of
/// a width or with steps below `minWidth`.
void checkVariables(const std::vector<Variable>& variables);

}  // namespace tessera::explore
