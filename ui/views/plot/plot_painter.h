#pragma once

#include <QPainter>

#include "core/draw/chart_layout.h"
#include "core/draw/picture.h"
#include "ui/views/plot/plot_curves.h"

/// Paints the series of a chart that may have very many points; the rest of a chart is a report::Drawing.
namespace tessera::ui {

/// Curves, which Qt Charts draws where they are not too long, and clouds, which are stamped.
bool isPaintedApart(const report::Series& series);

/// Paints those of the series that are shown, thinned to what can be distinguished.
void paintSeries(QPainter& painter, const report::Chart& chart, const report::ChartView& view,
                 const report::ChartLayout& layout, PlotCurves& curves);

}  // namespace tessera::ui
