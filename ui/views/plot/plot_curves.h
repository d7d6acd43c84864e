#pragma once

#include <QGraphicsScene>
#include <QList>
#include <QPainter>
#include <QPen>
#include <QPointF>
#include <QSizeF>
#include <QtCharts/QLineSeries>
#include <QtCharts/QValueAxis>
#include <vector>

#include "core/draw/chart_layout.h"

namespace tessera::ui {

/// The curves of a chart in Qt Charts: lines only, in pixels of the plot, replaced as a whole. The one place that meets
/// Qt Charts and its limits.
class PlotCurves {
public:
    PlotCurves();
    /// Starts a picture of a plot of this size.
    void begin(const QSizeF& size);
    /// Adds a curve in pixels of the widget; `corner` is the plot's.
    void add(const std::vector<report::Point>& points, QPointF corner, const QPen& pen);
    void paint(QPainter& painter, const QRectF& plot);

private:
    QGraphicsScene scene_;
    QChart* chart_;  ///< owned by the scene
    QValueAxis* x_;
    QValueAxis* y_;
    QList<QLineSeries*> lines_;  ///< owned by the chart
    qsizetype used_ = 0;
    QSizeF size_;
};

}  // namespace tessera::ui
