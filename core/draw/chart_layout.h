#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/draw/drawing.h"
#include "core/draw/picture.h"

/// Layout of a Chart in pixels: shared by the SVG writer and the window, which adds zoom and hidden series.
namespace tessera::report {

/// A stretch of an axis: values, or their decimal logarithms on a logarithmic axis.
struct Stretch {
    double low = 0, high = 1;
    double length() const { return high - low; }
};

/// An axis in pixels.
struct Scale {
    bool logarithmic = false;
    Stretch stretch;
    double from = 0, to = 1;  ///< pixels of `low` and `high`

    double coordinate(double value) const;  ///< a value's place on the axis
    double pixel(double value) const;
    double pixelOf(double place) const;
    double value(double pixel) const;
    double coordinateAt(double pixel) const;
};

/// Zoom, hidden series and highlighted point of a chart.
struct ChartView {
    std::optional<Stretch> x, y;       ///< zoomed to; empty = everything
    std::vector<bool> hidden = {};     ///< by series
    std::vector<bool> elsewhere = {};  ///< series whose line or points are drawn elsewhere
    bool allKeys = false;              ///< hidden series stay in the legend, so that they can be shown again
    bool wholeTexts = true;            ///< notes below the chart
    double titleRoomLess = 0;          ///< pixels at the right end of the title's line that are reserved
};

struct ChartLayout {
    struct Bar {
        std::size_t series = 0, point = 0;
        Rect area;
    };
    struct Key {
        std::size_t series = 0;
        Rect area;
    };
    Drawing back;   ///< title, grid, axes, bars, regions
    Drawing front;  ///< curves and points, bounds, labels
    Rect plot;
    Scale x, y;                      ///< of the chart's x and y; with `horizontal`, x runs down and y to the right
    Stretch wholeX, wholeY;          ///< of everything there is, where an axis begins with what is in its focus
    std::vector<Bar> bars;           ///< in the order drawn
    std::vector<Key> keys;           ///< labels and legend entries: what a click on them means
    std::vector<bool> counted = {};  ///< by series: its points are counted in hexagons
    bool empty = false;
};

ChartLayout layOut(const Chart& chart, const ChartView& view, Size size, const TextWidth& measure);

/// Largest number of bars side by side in one category.
std::size_t barsSideBySide(const Chart& chart, const std::vector<bool>& hidden = {});

/// A curve in pixels in at most 2 points per pixel column, in its unbroken parts.
std::vector<std::vector<Point>> curveOf(const Series& series, const ChartLayout& layout);

/// Area that a line of this width through a part of a curve covers in the plot, as rectangles that do not overlap. They
/// consist of columns, of which `perPixel` make a pixel. For curves that go up and down so much that drawing the line
/// itself would take long, though it leaves hardly a gap; empty for all others, and for those that do not run from left
/// to right.
std::vector<Rect> areaCovered(const std::vector<Point>& part, double width, bool dashed, const Rect& plot,
                              double perPixel);

struct PlacedPoint {
    std::size_t point = 0;
    Point at;
};
/// Points in sight, at most one per half pixel square.
std::vector<PlacedPoint> pointsOf(const Series& series, const ChartLayout& layout);

/// Points of a series in one hexagon of a plot.
struct Hexagon {
    Point middle;
    double count = 0;
    std::size_t tone = kNoTone;  ///< of a ramp the mean of theirs, of categories the most frequent one
};
/// A series' points in sight by the hexagons that hold some. Carr, Littlefield, Nicholson, Littlefield: "Scatterplot
/// matrix techniques for large N", JASA 82, 1987.
std::vector<Hexagon> hexagonsOf(const Series& series, const ChartLayout& layout, const ColourKey& key = {});

/// True if a value can be shown: finite, of a size that axes can hold, above 0 on a logarithmic axis.
bool isShown(double value, const Axis& axis);
/// The shape that repeats what a series' colour says; `index` is its place in the chart.
MarkerShape shapeOf(const Series& series, std::size_t index);
/// The text at one point: the series' own, or the value on its axis.
std::string valueText(const Chart& chart, const Series& series, std::size_t point);

}  // namespace tessera::report
