#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/draw/drawing.h"
#include "core/draw/picture.h"

/// Layout of a HeatMap's cells in pixels: shared by the SVG writer and the window.
namespace tessera::report {

/// The part of a map that is looked at, in cells.
struct HeatMapView {
    double firstColumn = 0, columns = 0;  ///< 0 columns = all
    double firstRow = 0, rows = 0;        ///< 0 rows = all
    std::vector<int> pinned = {};         ///< columns with a pin in their head
    bool fill = false;                    ///< cells grow to fill the size, as a window does
    bool tips = true;                     ///< hover texts in the drawing
    double minCell = 1;                   ///< narrower cells are folded: neighbours show their most frequent category
};

struct HeatMapLayout {
    Drawing drawing;
    Rect plot;
    double cellWidth = 0, cellHeight = 0;  ///< pixels per column and row
    double firstColumn = 0, firstRow = 0;
    std::size_t perColumn = 1, perRow = 1;  ///< columns and rows that share a drawn cell
    std::vector<std::size_t> gaps;          ///< rows that a gap stands before, sorted
    double gap = 0;                         ///< pixels of each
    bool empty = false;

    /// The rectangle of a cell, which may be out of sight.
    Rect cell(double row, double column) const;
    /// The row at a height, with its part behind the point; the one above where the height is in a gap.
    double rowAt(double y) const;
    double columnAt(double x) const { return firstColumn + (x - plot.x) / cellWidth; }
};

std::size_t rowsOf(const HeatMap& map);
std::size_t columnsOf(const HeatMap& map);
/// Index into the categories, -1 = nothing.
int categoryAt(const HeatMap& map, std::size_t row, std::size_t column);

HeatMapLayout layOut(const HeatMap& map, const HeatMapView& view, Size size, const TextWidth& measure);

}  // namespace tessera::report
