#include "ui/views/plot/plot_painter.h"

#include <QColor>
#include <QImage>
#include <QPaintDevice>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/draw/colour_key.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/drawing_painter.h"

namespace tessera::ui {

namespace {

constexpr std::size_t kManyPoints = 400;   ///< from here on markers are stamped
constexpr std::size_t kCrowded = 5000;     ///< from here on they are small and let others shine through
constexpr std::size_t kMaxCurveParts = 4;  ///< a curve in more pieces would need as many series

std::string colourOf(const report::Series& series) {
    return series.dimmed ? "disabled" : series.colour.empty() ? "accent" : series.colour;
}

/// Its columns are dots of the device: nothing is to be smoothed, and that is quick.
void paintArea(QPainter& painter, const std::vector<report::Rect>& area, const QColor& colour) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const report::Rect& each : area) painter.fillRect(toRect(each), colour);
    painter.restore();
}

/// Qt Charts draws a curve, except a very long one, whose area is filled, and many pieces.
void paintCurve(QPainter& painter, const report::Series& series, const report::ChartLayout& layout,
                PlotCurves& curves) {
    const double opacity = series.dimmed ? 0.35 : 1;
    const double width = series.dimmed ? 1.2 : 2;
    QColor colour = theme().dataColour(colourOf(series));
    colour.setAlphaF(static_cast<float>(opacity));
    QPen pen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    if (series.dashed) pen.setDashPattern({3, 2});
    const std::vector<std::vector<report::Point>> parts = report::curveOf(series, layout);
    report::Drawing pieces;
    pieces.shapes.emplace_back(report::Clip{layout.plot});
    for (const std::vector<report::Point>& part : parts) {
        const std::vector<report::Rect> area =
            report::areaCovered(part, width, series.dashed, layout.plot, painter.device()->devicePixelRatioF());
        if (!area.empty())
            paintArea(painter, area, colour);
        else if (parts.size() <= kMaxCurveParts)
            curves.add(part, toRect(layout.plot).topLeft(), pen);
        else
            pieces.shapes.emplace_back(report::Path{.points = part,
                                                    .stroke = colourOf(series),
                                                    .width = width,
                                                    .dashed = series.dashed,
                                                    .opacity = opacity});
    }
    pieces.shapes.emplace_back(report::Clip{});
    paintDrawing(painter, pieces);
}

/// A small picture of a marker, as sharp as what it is put onto.
QImage stampOf(const report::Marker& marker, double side, double ratio) {
    QImage stamp((QSizeF(side, side) * ratio).toSize(), QImage::Format_ARGB32_Premultiplied);
    stamp.setDevicePixelRatio(ratio);
    stamp.fill(Qt::transparent);
    QPainter inside(&stamp);
    report::Drawing drawing;
    drawing.shapes.emplace_back(marker);
    paintDrawing(inside, drawing);
    return stamp;
}

/// Big clouds: one small picture of the marker, put at every place; another one for each tone and size.
void paintCloud(QPainter& painter, const report::Series& series, std::size_t index, const report::ChartLayout& layout,
                const report::ColourKey& key) {
    const std::vector<report::PlacedPoint> points = report::pointsOf(series, layout);
    const bool crowded = points.size() > kCrowded;
    const double usual = crowded ? 1.5 : series.dimmed ? 2 : 2.5;
    std::map<std::pair<int, int>, QImage> stamps;
    const auto stamp = [&](int tone, int half) -> const QImage& {
        const auto [found, fresh] = stamps.try_emplace({tone, half});
        if (!fresh) return found->second;
        const double radius = half / 2.0, side = 2 * radius + 2;
        const std::string colour = series.dimmed ? "disabled"
                                   : tone < 0    ? series.colour
                                                 : report::colourOf(key, static_cast<std::size_t>(tone));
        found->second = stampOf({.at = {side / 2, side / 2},
                                 .shape = report::shapeOf(series, index),
                                 .radius = radius,
                                 .fill = colour,
                                 .opacity = series.dimmed ? 0.35
                                            : crowded     ? 0.6 * series.opacity
                                                          : series.opacity},
                                side, painter.device()->devicePixelRatioF());
        return found->second;
    };
    painter.save();
    constexpr double kReach = 10;  // markers at the edge stay whole
    painter.setClipRect(toRect(layout.plot).adjusted(-kReach, -kReach, kReach, kReach));
    for (const report::PlacedPoint& point : points) {
        const bool toned = point.point < series.tones.size() && !key.palette.empty();
        const double radius = point.point < series.radii.size() ? series.radii[point.point] : usual;
        const QImage& its = stamp(toned ? series.tones[point.point] : -1, static_cast<int>(std::lround(2 * radius)));
        const double side = its.width() / its.devicePixelRatio();
        painter.drawImage(QPointF(point.at.x - side / 2, point.at.y - side / 2), its);
    }
    painter.restore();
}

}  // namespace

bool isPaintedApart(const report::Series& series) {
    if (series.mark == report::Mark::points) return series.x.size() >= kManyPoints;
    return series.mark == report::Mark::line || series.mark == report::Mark::steps;
}

void paintSeries(QPainter& painter, const report::Chart& chart, const report::ChartView& view,
                 const report::ChartLayout& layout, PlotCurves& curves) {
    const QRectF plot = toRect(layout.plot);
    curves.begin(plot.size());
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
        const report::Series& series = chart.series[s];
        if (view.hidden[s] || !view.elsewhere[s] || (s < layout.counted.size() && layout.counted[s])) continue;
        if (series.mark == report::Mark::points)
            paintCloud(painter, series, s, layout, chart.key);
        else
            paintCurve(painter, series, layout, curves);
    }
    curves.paint(painter, plot);
}

}  // namespace tessera::ui
