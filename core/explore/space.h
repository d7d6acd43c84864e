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
    double low = 0, high = 1;  ///< of a range, both among its values
    Scale scale = Scale::linear;
    double step = 0;                  ///< values are low, low + step, …; 0 = any number between
    std::vector<double> values = {};  ///< takes these alone, in this order; of a category its number from 0
    bool isCategory = false;          ///< no order among its values
    int levels = 5;                   ///< of a grid over a range without steps
};

/// A value of every variable.
using Point = std::vector<double>;

/// Number of different values; 0 = a continuum.
std::size_t valueCount(const Variable& variable);
/// The value at a share from 0 to 1 of the variable's range: equal shares for each of several values. Shares outside
/// count as the nearest end.
double valueAt(const Variable& variable, double share);
/// The share in the middle of those with this value; for a continuum its only one.
double shareOf(const Variable& variable, double value);

}  // namespace tessera::explore
