#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/draw/chart_layout.h"
#include "core/draw/drawing.h"
#include "core/draw/picture.h"

/// Parallel coordinates: an axis beside the other for each value, a line across them for each thing. Shared by the SVG
/// and the window, which adds brushes. Inselberg: "The plane with parallel coordinates", The Visual Computer 1, 1985.
namespace tessera::report {

struct ParallelPicture {
    struct Row {
        std::string name;
        std::vector<double> values;  ///< by axis, in the axis' base unit
        std::string colour = {};     ///< empty = one of the many in the background
    };
    std::string id, title;
    std::vector<Axis> axes;
    /// Text of a value at the ends of each axis; without it, as on any axis.
    std::vector<std::function<std::string(double)>> endText = {};
    std::vector<Row> rows;  ///< later ones lie above
    std::string empty = {};
};

struct ParallelView {
    std::vector<std::optional<Stretch>> brushes = {};       ///< by axis: values, ends included; empty = all of them
    std::optional<std::size_t> selected = {}, pinned = {};  ///< rows with a stronger line
};

struct ParallelLayout {
    Drawing drawing;
    std::vector<Scale> scales;  ///< by axis, upwards
    std::vector<double> x;      ///< of the axes
    double top = 0, bottom = 0;
    bool empty = false;
};

/// Flags by row: true if it lies in all brushes.
std::vector<bool> brushed(const ParallelPicture& picture, const ParallelView& view);
ParallelLayout layOut(const ParallelPicture& picture, const ParallelView& view, Size size, const TextWidth& measure);
std::string toSvg(const ParallelPicture& picture, const Theme& theme, Size size = {});

}  // namespace tessera::report
