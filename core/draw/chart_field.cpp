#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/draw/chart_builder.h"
#include "core/draw/colour_key.h"
#include "core/draw/contour.h"

namespace tessera::report {

namespace {

constexpr int kFieldLines = 7;

/// The middle of a cell along an axis, whose middles go from one end of the range to the other.
double middleOf(const Scale& scale, const Range& range, double place, std::size_t count) {
    const double low = scale.coordinate(range.low), high = scale.coordinate(range.high);
    return scale.pixelOf(low + (high - low) * place / static_cast<double>(count - 1));
}

}  // namespace

void ChartBuilder::field() {
    if (!chart_.field || chart_.field->columns < 2 || chart_.field->rows < 2) return;
    const Field& its = *chart_.field;
    Hull hull;
    for (const double value : its.values)
        if (std::isfinite(value)) hull.add(value);
    if (hull.empty() || its.values.size() < its.columns * its.rows) return;
    const auto at = [&](double column, double row) {
        return Point{middleOf(out_.x, its.x, column, its.columns), middleOf(out_.y, its.y, row, its.rows)};
    };
    const double length = hull.high > hull.low ? hull.high - hull.low : 1;
    begin(out_.back);
    for (std::size_t row = 0; row < its.rows; ++row)
        for (std::size_t column = 0; column < its.columns; ++column) {
            const double value = its.values[row * its.columns + column];
            if (!std::isfinite(value)) continue;
            const auto x = static_cast<double>(column), y = static_cast<double>(row);
            const Point from = at(x - 0.5, y + 0.5), to = at(x + 0.5, y - 0.5);
            // A little over the next one, or the ground shines through between them.
            out_.back.shapes.push_back(Box{.area = {from.x, from.y, to.x - from.x + 0.6, to.y - from.y + 0.6},
                                           .fill = quantityColour((value - hull.low) / length)});
        }
    struct Text {
        Point at;
        std::string text;
    };
    std::vector<Text> texts;
    for (const double level : ticks(hull.low, hull.high, false, kFieldLines))
        for (const std::vector<Point>& line : isolines(its.values, its.columns, its.rows, level)) {
            Path path{.points = {}, .stroke = "surface", .width = 1};
            for (const Point& point : line) path.points.push_back(at(point.x, point.y));
            if (line.size() > its.columns / 4)
                texts.push_back({path.points[path.points.size() / 2], tickText(level, its.axis)});
            out_.back.shapes.push_back(std::move(path));
        }
    end(out_.back);
    for (const Text& each : texts) {
        const double w = width(each.text);
        const Rect area{each.at.x - w / 2, each.at.y - 7, w, 14};
        const bool inside = area.x > out_.plot.x && area.right() < out_.plot.right() && area.y > out_.plot.y &&
                            area.bottom() < out_.plot.bottom();
        if (!inside || !isFree(area)) continue;
        taken_.push_back(area);
        out_.back.shapes.push_back(
            Label{.at = {area.x, area.y + 11}, .text = each.text, .colour = "text", .halo = true});
    }
}

void ChartBuilder::colourKey() {
    if (chart_.key.palette.empty()) return;
    top_ += 12;
    drawColourKey(out_.back, chart_.key, {0, top_}, size_.width, measure_);
    top_ += kGap;
}

}  // namespace tessera::report
