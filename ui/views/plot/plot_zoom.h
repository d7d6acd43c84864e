#pragma once

#include <QPointF>
#include <QRectF>

#include "core/draw/chart_layout.h"

/// Visible part of a chart after a turn of the wheel, a drag or a rubber band: along the chart's x and y, in the
/// coordinates of its axes.
namespace tessera::ui {

struct PlotStretches {
    report::Stretch x, y;
};

/// The wanted stretch, moved and cut so that it stays inside the whole and does not become too short to draw.
report::Stretch limited(report::Stretch wanted, const report::Stretch& whole);
/// Scaled by `factor` about a place in the widget.
PlotStretches zoomedAt(const report::ChartLayout& layout, bool horizontal, QPointF at, double factor);
/// Zooms to a rectangle in the widget.
PlotStretches zoomedTo(const report::ChartLayout& layout, bool horizontal, const QRectF& area);
/// Visible part of `before`, moved along with the mouse.
PlotStretches panned(const report::ChartLayout& layout, bool horizontal, const report::ChartView& before, QPointF away);

}  // namespace tessera::ui
