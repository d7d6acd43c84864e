#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace tessera::ui {

/// Position and zoom of a picture on a widget, and the moves of it.
struct GraphCamera {
    static constexpr double kSmallestZoom = 0.02;
    static constexpr double kLargestZoom = 4;

    double zoom = 1;
    QPointF origin;  ///< of the picture, on the widget
    QSizeF widget;
    QSizeF picture;

    QPointF toPicture(const QPointF& point) const { return (point - origin) / zoom; }
    QRectF toWidget(const QRectF& rect) const { return {rect.topLeft() * zoom + origin, rect.size() * zoom}; }
    QRectF visible() const { return {toPicture({0, 0}), widget / zoom}; }  ///< part of the picture
    QRectF bounds() const { return {QPointF(), picture}; }
    QPointF middle() const { return {widget.width() / 2, widget.height() / 2}; }  ///< of the widget

    void centreOn(const QPointF& point) { origin = middle() - point * zoom; }
    /// Zooms around `place`, which stays fixed.
    void zoomAt(const QPointF& place, double factor);
    /// The whole picture, no larger than 1.25.
    void fit();
    /// Everything where that can be read, else the first part of it, at a size that can. `first` is the first card.
    void showBeginning(const QRectF& first, bool leftToRight);
    /// Moves as little as needed for all of the rectangle to be seen, and makes it smaller where that helps.
    void bringWhole(const QRectF& rect);
    /// Moves as little as needed for the rectangle to be seen.
    void bring(const QRectF& rect);
};

}  // namespace tessera::ui
