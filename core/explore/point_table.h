#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.h"

namespace tessera::explore {

/// A value of points: a variable that was chosen, or a number that came of it.
struct PointColumn {
    std::string id;         ///< "tensor_parallel", "step_time_s"; unique in its table
    std::string title;      ///< "Step time"
    std::string help = {};  ///< one line
    Measure measure = Measure::count;
    std::string unit = {};  ///< of a count, said after the number: "samples/s", "%", "×"; "$" before it
    enum class Role : std::uint8_t { variable, objective, constraint, metric } role = Role::metric;
    enum class Better : std::uint8_t { neither, lower, higher } better = Better::neither;
    /// True where its values were chosen and all others follow from them; where not set, true of a variable alone. An
    /// objective may be chosen, too, and a variable may follow from others.
    std::optional<bool> isChosen = {};
    bool log = false;                     ///< spread over a log scale
    std::vector<std::string> words = {};  ///< of categories: a value is a number into them
    std::vector<double> values = {};      ///< by point; NaN where it has none

    /// Returns whether its values were chosen: `isChosen`, by default that of its role.
    bool isVariable() const { return isChosen.value_or(role == Role::variable); }
};

/// Marks of a point, as bits of PointTable::marks.
enum PointMark : std::uint8_t {
    kBaseline = 1,  ///< a known design, evaluated beside
    kMeasured = 2,  ///< of hardware that exists
    kChosen = 4,    ///< the one that the exploration recommends
    kFront = 8,     ///< none is better in all objectives
    kKnee = 16,     ///< of the front, where more of one objective begins to cost most of another
};

/// Table of the points of any exploration, a column for each value: what windows, tables and exports show.
struct PointTable {
    std::string title = {};  ///< what its points are: "Architectures"
    std::vector<PointColumn> columns = {};
    std::vector<std::string> names = {};    ///< by point, where points have names; else empty
    std::vector<std::string> labels = {};   ///< by point: shorter ones, beside it in pictures; where empty, its name
    std::vector<std::string> reasons = {};  ///< by point: why it is no solution; "" = it is one
    std::vector<std::uint8_t> marks = {};   ///< by point, of PointMark

    /// Number of points.
    std::size_t size() const { return reasons.size(); }
    /// True where a point is a solution: it broke no constraint and could be evaluated.
    bool isFeasible(std::size_t point) const { return reasons[point].empty(); }
};

}  // namespace tessera::explore
