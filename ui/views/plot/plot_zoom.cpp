#include "ui/views/plot/plot_zoom.h"

#include <algorithm>
#include <optional>

namespace tessera::ui {

namespace {

constexpr double kShortest = 1e-9;  ///< of the whole axis; zooming in ends here

}  // namespace

report::Stretch limited(report::Stretch wanted, const report::Stretch& whole) {
    const bool fits = wanted.low >= whole.low && wanted.high <= whole.high;
    if (fits && wanted.length() >= whole.length() * kShortest) return wanted;
    const double size = std::clamp(wanted.length(), whole.length() * kShortest, whole.length());
    const double middle = (wanted.low + wanted.high) / 2;
    const double low = std::clamp(middle - size / 2, whole.low, whole.high - size);
    return {low, low + size};
}

PlotStretches zoomedAt(const report::ChartLayout& layout, bool horizontal, QPointF at, double factor) {
    const QPointF place = horizontal ? QPointF(at.y(), at.x()) : at;
    const auto zoomed = [&](const report::Scale& scale, double pixel) {
        const double fixed = scale.coordinateAt(pixel);
        return report::Stretch{fixed - (fixed - scale.stretch.low) * factor,
                               fixed + (scale.stretch.high - fixed) * factor};
    };
    return {zoomed(layout.x, place.x()), zoomed(layout.y, place.y())};
}

PlotStretches zoomedTo(const report::ChartLayout& layout, bool horizontal, const QRectF& area) {
    const auto between = [](const report::Scale& scale, double a, double b) {
        const double one = scale.coordinateAt(a);
        const double other = scale.coordinateAt(b);
        return report::Stretch{std::min(one, other), std::max(one, other)};
    };
    const report::Stretch across = between(horizontal ? layout.y : layout.x, area.left(), area.right());
    const report::Stretch down = between(horizontal ? layout.x : layout.y, area.top(), area.bottom());
    return horizontal ? PlotStretches{down, across} : PlotStretches{across, down};
}

PlotStretches panned(const report::ChartLayout& layout, bool horizontal, const report::ChartView& before,
                     QPointF away) {
    const auto moved = [](const report::Scale& scale, const std::optional<report::Stretch>& from, double pixels) {
        if (!from) return scale.stretch;
        const double by = pixels / (scale.to - scale.from) * from->length();
        return report::Stretch{from->low - by, from->high - by};
    };
    return {moved(layout.x, before.x, horizontal ? away.y() : away.x()),
            moved(layout.y, before.y, horizontal ? away.x() : away.y())};
}

}  // namespace tessera::ui
