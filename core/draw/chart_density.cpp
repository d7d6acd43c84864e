#include <algorithm>
#include <cmath>

#include "core/draw/chart_builder.h"

namespace tessera::report {

namespace {

constexpr std::size_t kMaxSinglePoints = 10'000;  ///< in sight; more are counted in hexagons
constexpr double kHexagonRadius = 8;              ///< pixels from its middle to a corner

/// Points by the hexagons of a plot: how many, and their tone.
class HexagonCounts {
public:
    HexagonCounts(const Rect& plot, const ColourKey& key)
        : plot_(plot),
          columns_(static_cast<std::size_t>(plot.width / kAcross) + 3),
          rows_(static_cast<std::size_t>(plot.height / kDown) + 3),
          cells_(columns_ * rows_),
          tones_(key, cells_.size()) {}

    /// Rounds to the nearest middle, of two grids of rectangles that are shifted against each other.
    void add(Point at, std::size_t tone) {
        const double y = (at.y - plot_.y) / kDown;
        double row = std::round(y);
        const double x = (at.x - plot_.x) / kAcross - shiftOf(row);
        double column = std::round(x);
        if (const double away = y - row; std::fabs(away) * 3 > 1) {
            const double otherRow = row + (away < 0 ? -1 : 1);
            const double otherX = (at.x - plot_.x) / kAcross - shiftOf(otherRow);
            const double otherColumn = std::round(otherX);
            // Distances in the units of the two directions.
            constexpr double kSquare = kDown * kDown / (kAcross * kAcross);
            const double here = (x - column) * (x - column) + away * away * kSquare;
            const double there =
                (otherX - otherColumn) * (otherX - otherColumn) + (y - otherRow) * (y - otherRow) * kSquare;
            if (there < here) {
                row = otherRow;
                column = otherColumn;
            }
        }
        const std::size_t cell = index(row, rows_) * columns_ + index(column, columns_);
        cells_[cell] += 1;
        tones_.add(cell, tone);
    }

    std::vector<Hexagon> hexagons() const {
        std::vector<Hexagon> all;
        for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
            if (cells_[cell] == 0) continue;
            const std::size_t line = cell / columns_;
            const double row = static_cast<double>(line) - 1, column = static_cast<double>(cell % columns_) - 1;
            all.push_back({.middle = {plot_.x + (column + shiftOf(row)) * kAcross, plot_.y + row * kDown},
                           .count = cells_[cell],
                           .tone = tones_.of(cell)});
        }
        return all;
    }

private:
    static constexpr double kAcross = 1.7320508075688772 * kHexagonRadius, kDown = 1.5 * kHexagonRadius;
    static double shiftOf(double row) { return std::fmod(std::fabs(row), 2) == 1 ? 0.5 : 0; }
    /// The first of each direction lies before the plot.
    static std::size_t index(double place, std::size_t size) {
        return static_cast<std::size_t>(std::clamp(place + 1, 0.0, static_cast<double>(size - 1)));
    }

    Rect plot_;
    std::size_t columns_, rows_;
    std::vector<double> cells_;  ///< points by hexagon
    TonesOfPlaces tones_;
};

std::vector<Point> outlineOf(const Hexagon& hexagon) {
    constexpr double kHalf = 0.8660254037844386 * kHexagonRadius;
    const Point at = hexagon.middle;
    return {{at.x, at.y - kHexagonRadius},
            {at.x + kHalf, at.y - kHexagonRadius / 2},
            {at.x + kHalf, at.y + kHexagonRadius / 2},
            {at.x, at.y + kHexagonRadius},
            {at.x - kHalf, at.y + kHexagonRadius / 2},
            {at.x - kHalf, at.y - kHexagonRadius / 2}};
}

}  // namespace

std::vector<Hexagon> hexagonsOf(const Series& series, const ChartLayout& layout, const ColourKey& key) {
    HexagonCounts counts(layout.plot, key);
    const Axis x{.logarithmic = layout.x.logarithmic}, y{.logarithmic = layout.y.logarithmic};
    for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
        if (!isShown(series.x[i], x) || !isShown(series.y[i], y)) continue;
        const Point at{layout.x.pixel(series.x[i]), layout.y.pixel(series.y[i])};
        if (!layout.plot.contains(at)) continue;
        counts.add(at, i < series.tones.size() ? series.tones[i] : kNoTone);
    }
    return counts.hexagons();
}

void ChartBuilder::density() {
    out_.counted.assign(chart_.series.size(), false);
    std::size_t all = 0;
    for (std::size_t s = 0; s < chart_.series.size(); ++s)
        if (chart_.series[s].crowds && !hidden(s)) all += length(chart_.series[s]);
    if (all <= kMaxSinglePoints || chart_.horizontal) return;
    std::vector<std::pair<std::size_t, std::vector<Hexagon>>> layers;
    double max = 1, inSight = 0;
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
        if (!chart_.series[s].crowds || hidden(s)) continue;
        layers.emplace_back(s, hexagonsOf(chart_.series[s], out_, chart_.key));
        for (const Hexagon& hexagon : layers.back().second) {
            inSight += hexagon.count;
            max = std::max(max, hexagon.count);
        }
    }
    if (inSight <= static_cast<double>(kMaxSinglePoints)) return;
    for (const auto& [s, hexagons] : layers) {
        const Series& series = chart_.series[s];
        out_.counted[s] = true;
        // Of what stands in the background, less.
        const double darkest = (series.dimmed ? 0.45 : 1) * series.opacity;
        for (const Hexagon& hexagon : hexagons) {
            const double share = max > 1 ? std::log(hexagon.count) / std::log(max) : 1;
            out_.front.shapes.push_back(Path{.points = outlineOf(hexagon),
                                             .fill = fillOf(series, hexagon.tone),
                                             .opacity = darkest * (0.2 + 0.8 * share)});
        }
    }
}

}  // namespace tessera::report
