#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/draw/chart_layout.h"
#include "core/draw/table.h"
#include "core/explore/point_table.h"

/// Points of any exploration as words, fronts and sheets: the same in the window, on the command line and in reports.
namespace tessera::report {

/// What is looked at of a point.
enum class PointState : std::uint8_t {
    excluded,
    filtered,  ///< outside of what is brushed
    shown,
};
/// By point; empty = all are shown.
using PointStates = std::vector<PointState>;

inline PointState stateOf(const PointStates& states, std::size_t point) {
    return point < states.size() ? states[point] : PointState::shown;
}

/// By point: 1 where it is shown, else 0; empty = all are.
std::vector<std::uint8_t> shownRows(const PointStates& states);

/// "139.9 mm²", "1.41×", "52.3 %", "$2.87", the word of a category; "–" where there is no value.
std::string textOf(const explore::PointColumn& column, double value);
/// The value of a point; NaN where it has none.
double valueOf(const explore::PointColumn& column, std::size_t point);
/// "Throughput (samples/s)": the title with the unit that numbers on an axis do not say.
std::string titleOf(const explore::PointColumn& column);
/// Its own name, else "point 12", counted from 1.
std::string nameOf(const explore::PointTable& points, std::size_t point);
/// What stands beside a point in a picture: its label, else its name.
std::string labelOf(const explore::PointTable& points, std::size_t point);
bool hasMark(const explore::PointTable& points, std::size_t point, explore::PointMark mark);
/// Whether a point is a baseline or a measurement, which a search may have found, too.
bool isReference(const explore::PointTable& points, std::size_t point);
/// Whether a point stands beside those of a search for comparison alone: a baseline or a measurement.
bool isBeside(const explore::PointTable& points, std::size_t point);
/// Place of a column; empty where there is none of this id.
std::optional<std::size_t> columnNamed(const explore::PointTable& points, std::string_view id);
/// Two values to begin with: the first two objectives, else what there is. Of x and y.
std::pair<std::size_t, std::size_t> firstValues(const explore::PointTable& points);

/// Points that none beats in two values, by rising x; of points that are excluded, no solutions, or baselines that no
/// search found, none. Empty where one of the values has no better end.
std::vector<std::size_t> frontOf(const explore::PointTable& points, std::size_t x, std::size_t y,
                                 const PointStates& states = {});
/// The point of a front where further gains get dear (see `explore::kneeOf`). Empty below three points.
std::optional<std::size_t> kneeOf(const explore::PointTable& points, const std::vector<std::size_t>& front,
                                  std::size_t x, std::size_t y);

/// Why a point is worth a look among all points, a sentence each: what it is best in, what its neighbours on the front
/// of two values give and cost, and what makes it the knee; of one that is no solution, the reason.
std::vector<std::string> whySentences(const explore::PointTable& points, std::size_t point, std::size_t x,
                                      std::size_t y);

/// Names and values of two points and by how much they differ; no row where there is no such point.
Table comparisonOf(const explore::PointTable& points, std::size_t a, std::size_t b);

/// CSV (RFC 4180) in full precision of the points that are shown: names, all values, marks, reasons.
std::string toCsv(const explore::PointTable& points, const PointStates& states = {});

/// What the name of a study gets that was narrowed to what is shown of another one's points.
inline constexpr std::string_view kNarrowed = ", narrowed";

}  // namespace tessera::report
