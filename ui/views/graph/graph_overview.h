#pragma once

#include <QPainter>
#include <QPointF>
#include <QRectF>

#include "core/report/graph_picture.h"
#include "ui/views/graph/graph_camera.h"
#include "ui/views/graph/graph_painter.h"

namespace tessera::ui {

/// The small map in the corner: the whole picture, and which part of it is seen.
class GraphOverview {
public:
    explicit GraphOverview(const GraphCamera& camera) : camera_(camera) {}

    /// There is a part that is not seen, and room for the map.
    bool isUseful() const;
    QRectF place() const;  ///< on the widget
    /// Converts a point of the map to the picture.
    QPointF toPicture(const QPointF& point) const { return (point - origin()) / zoom(); }
    void paint(QPainter& painter, const GraphPainter& picture) const;

private:
    double zoom() const;
    QPointF origin() const;

    const GraphCamera& camera_;
};

/// The strip at the bottom that the legend needs; 0 without one.
double legendHeight(const report::GraphPicture& picture, double room);
/// Paints the legend of the colours in the lower left corner of a widget of that size, in as many rows as fit into
/// `room`.
void paintLegend(QPainter& painter, const report::GraphPicture& picture, const QSizeF& widget, double room);

}  // namespace tessera::ui
