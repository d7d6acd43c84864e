#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/draw/matrix_layout.h"
#include "core/draw/parallel_layout.h"
#include "core/draw/picture.h"
#include "core/explore/point_table.h"
#include "core/report/points.h"

/// Pictures of points of any exploration: the same in the window, on the command line and in reports.
namespace tessera::report {

/// What an engine adds to a scatter of two of its values.
struct ScatterExtras {
    std::string title = {};           ///< instead of how many are on the front
    std::string qualifier = {};       ///< after that: ", proven"
    std::vector<Series> beside = {};  ///< lines to compare with: fronts of other runs, ideals, bounds
};

/// The front of two values and its knee; no brush changes them.
struct ScatterFront {
    std::vector<std::size_t> points = {};  ///< by rising x
    std::optional<std::size_t> knee = {};
};
ScatterFront scatterFrontOf(const explore::PointTable& points, std::size_t x, std::size_t y,
                            const PointStates& states = {});

/// What a scatter shows of its points.
struct ScatterLook {
    std::size_t x = 0, y = 1;                           ///< columns
    std::optional<std::size_t> colour = {}, size = {};  ///< likewise; empty = all alike
    bool logX = false, logY = false;                    ///< where values are above 0
    bool whole = false;                                 ///< axes show everything, not what the front is about
    PointStates states = {};
    ScatterExtras extras = {};
    const ScatterFront* front = nullptr;  ///< of these values and of what is not excluded, where it is known
};

/// A scatter and where its points stand.
struct PointScatter {
    Chart chart;
    std::vector<std::vector<std::uint32_t>> points;  ///< by series and place: the point; none of lines
    std::vector<std::size_t> front;                  ///< by rising x
    std::optional<std::size_t> knee;
};
/// Points by what they are (a marker for each that no brush changes), the front's steps, its knee, and by a colour and
/// a size for any further values.
PointScatter scatterOf(const explore::PointTable& points, const ScatterLook& look);

/// Colours of points by a value.
struct PointTones {
    std::vector<std::uint8_t> tones;  ///< by point; `kNoTone` = it has no value
    ColourKey key;
};
PointTones tonesOf(const explore::PointTable& points, std::size_t column, const PointStates& states = {});

/// Points in some values, an axis each; those that are excluded have no line. Without a colour the front stands out.
ParallelPicture parallelOf(const explore::PointTable& points, const std::vector<std::size_t>& columns,
                           std::optional<std::size_t> colour = {}, const PointStates& states = {});
/// Colours of the lines: by a value, or by what the points are.
PointTones lineTonesOf(const explore::PointTable& points, std::optional<std::size_t> colour,
                       const PointStates& states = {});
/// Values that axes are worth while for: those in which points differ, at most `max`, objectives first.
std::vector<std::size_t> tellingValues(const explore::PointTable& points, std::size_t max);

/// Some values against each other, a field each.
MatrixPicture matrixOf(const explore::PointTable& points, const std::vector<std::size_t>& columns,
                       std::optional<std::size_t> colour = {}, const PointStates& states = {});

/// The best value so far, by point in the order in which they came.
Chart bestSoFarChart(const explore::PointTable& points, std::size_t column);

/// A value over two variables, all others as at a point, from a Gaussian process of all points, with the points that
/// were evaluated.
Chart surfaceChart(const explore::PointTable& points, std::size_t value, std::size_t x, std::size_t y, std::size_t at);

/// What a value depends on: the share of its variance that is lost where a variable's values are shuffled.
Chart importanceChart(const explore::PointTable& points, std::size_t value);

/// The part of the space between the best and the worst of the objectives that the front dominates, by point in the
/// order in which they came.
Chart hypervolumeChart(const explore::PointTable& points);

}  // namespace tessera::report
