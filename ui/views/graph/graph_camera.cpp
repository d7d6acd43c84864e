#include "ui/views/graph/graph_camera.h"

#include <algorithm>

namespace tessera::ui {

namespace {

constexpr double kReadableZoom = 0.9;
constexpr double kLegibleZoom = 0.78;  ///< a picture that fits at this scale is shown whole
constexpr double kTooSmallToRead = 0.5;
constexpr double kMargin = 28;
constexpr double kLegend = 28;  ///< free below, for the legend

}  // namespace

void GraphCamera::zoomAt(const QPointF& place, double factor) {
    const double next = std::clamp(zoom * factor, kSmallestZoom, kLargestZoom);
    origin = place - (place - origin) * (next / zoom);
    zoom = next;
}

void GraphCamera::fit() {
    constexpr double kLargestFit = 1.25;
    const QSizeF space(widget.width(), widget.height() - kLegend);
    zoom = 1;
    if (picture.width() > 0 && picture.height() > 0)
        zoom = std::clamp(std::min((space.width() - 2 * kMargin) / picture.width(),
                                   (space.height() - 2 * kMargin) / picture.height()),
                          kSmallestZoom, kLargestFit);
    origin = {(space.width() - picture.width() * zoom) / 2, (space.height() - picture.height() * zoom) / 2};
}

void GraphCamera::showBeginning(const QRectF& first, bool leftToRight) {
    fit();
    if (zoom >= kLegibleZoom) return;
    zoom = kReadableZoom;
    const QSizeF size = picture * zoom;
    const bool isWide = size.width() + 2 * kMargin > widget.width();
    const bool isHigh = size.height() + 2 * kMargin > widget.height();
    origin.setX(isWide && leftToRight ? kMargin : (widget.width() - size.width()) / 2);
    origin.setY(leftToRight && !isHigh ? (widget.height() - size.height()) / 2 : kMargin);
    if (!leftToRight && size.width() > widget.width() && !first.isNull())
        origin.setX(widget.width() / 2 - first.center().x() * zoom);
}

void GraphCamera::bringWhole(const QRectF& rect) {
    if (rect.isNull()) return;
    const QRectF inside = QRectF(QPointF(), widget).adjusted(kMargin, kMargin, -kMargin, -kMargin - kLegend);
    const double fits = std::min(inside.width() / rect.width(), inside.height() / rect.height());
    if (fits < zoom) {
        const QPointF head = toWidget(rect).center();
        zoomAt({head.x(), toWidget(rect).top()}, std::max(fits, std::min(zoom, kTooSmallToRead)) / zoom);
    }
    const QRectF now = toWidget(rect);
    const auto shift = [](double from, double to, double min, double max) {
        if (to - from > max - min) return min - from;  // of what is larger the beginning is shown
        return from < min ? min - from : to > max ? max - to : 0;
    };
    origin += {shift(now.left(), now.right(), inside.left(), inside.right()),
               shift(now.top(), now.bottom(), inside.top(), inside.bottom())};
}

void GraphCamera::bring(const QRectF& rect) {
    if (rect.isNull()) return;
    if (zoom < kTooSmallToRead) zoom = kReadableZoom;
    const QRectF inside = QRectF(QPointF(), widget).adjusted(kMargin, kMargin, -kMargin, -kMargin - kLegend);
    constexpr double kDeepest = 200;  // of a tall frame its beginning is shown
    if (!inside.contains(toWidget(rect)))
        centreOn({rect.center().x(), std::min(rect.center().y(), rect.top() + kDeepest)});
}

}  // namespace tessera::ui
