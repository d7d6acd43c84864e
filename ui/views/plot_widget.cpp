#include "ui/views/plot_widget.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QTimer>
#include <QToolTip>
#include <QWheelEvent>
#include <QtCharts/QChart>
#include <QtCharts/QLineSeries>
#include <QtCharts/QValueAxis>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/report/chart_layout.h"
#include "ui/theme/theme.h"
#include "ui/views/drawing_painter.h"

namespace tessera::ui {

namespace {

constexpr int kFrame = 50;                ///< milliseconds: 20 pictures per second at most
constexpr double kReach = 28;             ///< pixels within which the mouse finds a point
constexpr double kCell = 32;              ///< of the index of points
constexpr std::size_t kManyPoints = 400;  ///< from here on markers are stamped
constexpr double kLeastStretch = 1e-9;    ///< of the whole axis; zooming in ends here
constexpr double kDragged = 4;            ///< pixels that tell a drag from a click

QString text(const std::string& utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// The curves of a chart in Qt Charts: lines only, in pixels of the plot, replaced as a whole.
class Curves {
public:
    Curves() {
        chart_ = new QChart;
        scene_.addItem(chart_);
        chart_->legend()->hide();
        chart_->setBackgroundVisible(false);
        chart_->setPlotAreaBackgroundVisible(false);
        chart_->setAnimationOptions(QChart::NoAnimation);
        chart_->setMargins({});
        chart_->layout()->setContentsMargins(0, 0, 0, 0);
        for (QValueAxis** const axis : {&x_, &y_}) {
            *axis = new QValueAxis;
            (*axis)->setVisible(false);
            chart_->addAxis(*axis, axis == &x_ ? Qt::AlignBottom : Qt::AlignLeft);
        }
    }

    void begin(const QSizeF& size) {
        used_ = 0;
        size_ = size;
        scene_.setSceneRect(QRectF({0, 0}, size));
        chart_->setGeometry(QRectF({0, 0}, size));
        chart_->setPlotArea(QRectF({0, 0}, size));
        x_->setRange(0, size.width());
        y_->setRange(0, size.height());
    }

    void add(const std::vector<report::Point>& points, QPointF corner, const QPen& pen) {
        if (used_ == lines_.size()) {
            auto* const line = new QLineSeries;
            chart_->addSeries(line);
            line->attachAxis(x_);
            line->attachAxis(y_);
            lines_.append(line);
        }
        QLineSeries* const line = lines_[used_++];
        QList<QPointF> places;
        places.reserve(static_cast<qsizetype>(points.size()));
        for (const report::Point& point : points)
            places.append({point.x - corner.x(), size_.height() - (point.y - corner.y())});
        line->setPen(pen);
        line->setVisible(true);
        line->replace(places);
    }

    void paint(QPainter& painter, const QRectF& plot) {
        for (qsizetype i = used_; i < lines_.size(); ++i) {
            lines_[i]->setVisible(false);
            lines_[i]->replace(QList<QPointF>());
        }
        if (used_ == 0) return;
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        scene_.render(&painter, plot, QRectF({0, 0}, size_), Qt::IgnoreAspectRatio);
        painter.restore();
    }

private:
    QGraphicsScene scene_;
    QChart* chart_ = nullptr;  ///< owned by the scene
    QValueAxis* x_ = nullptr;
    QValueAxis* y_ = nullptr;
    QList<QLineSeries*> lines_;  ///< owned by the chart
    qsizetype used_ = 0;
    QSizeF size_;
};

/// Finds the point next to the mouse among very many.
class PointIndex {
public:
    struct Entry {
        int series = 0, point = 0;
        QPointF at;
    };

    void clear(const QRectF& area) {
        area_ = area;
        columns_ = static_cast<int>(area.width() / kCell) + 1;
        cells_.assign(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(area.height() / kCell + 1), {});
    }
    void add(const Entry& entry) {
        const int cell = cellOf(column(entry.at.x()), row(entry.at.y()));
        if (cell >= 0) cells_[static_cast<std::size_t>(cell)].push_back(entry);
    }
    std::optional<Entry> nearest(QPointF at, double reach) const {
        std::optional<Entry> best;
        double least = reach * reach;
        for (int r = row(at.y() - reach); r <= row(at.y() + reach); ++r)
            for (int c = column(at.x() - reach); c <= column(at.x() + reach); ++c) {
                const int cell = cellOf(c, r);
                if (cell < 0) continue;
                for (const Entry& entry : cells_[static_cast<std::size_t>(cell)]) {
                    const QPointF away = entry.at - at;
                    const double distance = QPointF::dotProduct(away, away);
                    if (distance > least) continue;
                    least = distance;
                    best = entry;
                }
            }
        return best;
    }

private:
    int column(double x) const { return static_cast<int>(std::floor((x - area_.left()) / kCell)); }
    int row(double y) const { return static_cast<int>(std::floor((y - area_.top()) / kCell)); }
    int cellOf(int column, int row) const {
        if (column < 0 || row < 0 || column >= columns_) return -1;
        const int cell = row * columns_ + column;
        return cell < static_cast<int>(cells_.size()) ? cell : -1;
    }
    QRectF area_;
    int columns_ = 0;
    std::vector<std::vector<Entry>> cells_;
};

}  // namespace

struct PlotWidget::Implementation {
    explicit Implementation(PlotWidget* widget) : owner(widget) {
        timer.setSingleShot(true);
        timer.setInterval(kFrame);
    }

    PlotWidget* owner;
    report::Chart value;
    report::ChartView view;
    report::ChartLayout layout;
    report::Stretch wholeX, wholeY;
    Curves curves;
    PointIndex index;
    PictureCache cache;
    QTimer timer;
    QString live;
    bool waiting = false;  ///< a newer chart waits for the timer
    bool stale = true;     ///< the layout is older than the chart or the view
    bool unindexed = true;
    bool wholeKnown = false;
    int selectedSeries = -1, selectedPoint = -1;
    int hoveredSeries = -1, hoveredPoint = -1;
    std::optional<QPointF> mouse;
    std::optional<QPointF> pressed;
    report::ChartView pressedView;
    bool dragging = false, band = false;

    bool isZoomed() const { return view.x.has_value() || view.y.has_value(); }

    /// Draws at once, or at the timer's next tick where a picture was drawn just now.
    void changed() {
        if (timer.isActive()) {
            waiting = true;
            return;
        }
        redraw();
        timer.start();
    }
    void tick() {
        if (!waiting) return;
        redraw();
        timer.start();
    }
    void redraw() {
        waiting = false;
        stale = true;
        owner->update();
    }

    report::Size size() const {
        return {static_cast<double>(owner->width()) - 2, static_cast<double>(owner->height()) - 2};
    }

    void ensureLayout() {
        if (!stale) return;
        stale = false;
        unindexed = true;
        cache.clear();
        view.allKeys = true;
        view.hidden.resize(value.series.size(), false);
        view.elsewhere.assign(value.series.size(), false);
        if (isZoomed() && !wholeKnown) {
            report::ChartView whole = view;
            whole.x.reset();
            whole.y.reset();
            keepWhole(report::layOut(value, whole, size(), pictureWidth()));
            // The chart may have changed under the zoom.
            if (view.x) view.x = limited(*view.x, wholeX);
            if (view.y) view.y = limited(*view.y, wholeY);
        }
        for (std::size_t i = 0; i < value.series.size(); ++i) view.elsewhere[i] = isOurs(value.series[i]);
        layout = report::layOut(value, view, size(), pictureWidth());
        if (!isZoomed()) keepWhole(layout);
    }
    void keepWhole(const report::ChartLayout& whole) {
        wholeX = whole.x.stretch;
        wholeY = whole.y.stretch;
        wholeKnown = true;
    }
    /// Curves that Qt Charts draws, and clouds that are stamped.
    static bool isOurs(const report::Series& series) {
        if (series.mark == report::Mark::points) return series.x.size() >= kManyPoints;
        return series.mark == report::Mark::line || series.mark == report::Mark::steps;
    }

    void ensureIndex() {
        ensureLayout();
        if (!unindexed) return;
        unindexed = false;
        index.clear(toRect(layout.plot).adjusted(-1, -1, 1, 1));
        for (std::size_t s = 0; s < value.series.size(); ++s) {
            const report::Mark mark = value.series[s].mark;
            if (view.hidden[s] || layout.empty || mark == report::Mark::bars || mark == report::Mark::stackedBars ||
                mark == report::Mark::bound)
                continue;
            for (const report::PlacedPoint& point : report::pointsOf(value.series[s], layout))
                index.add({static_cast<int>(s), static_cast<int>(point.point), {point.at.x, point.at.y}});
        }
    }

    std::optional<PointIndex::Entry> pointAt(QPointF at) {
        ensureIndex();
        if (layout.empty || !layout.plot.contains({at.x(), at.y()})) return std::nullopt;
        for (auto bar = layout.bars.rbegin(); bar != layout.bars.rend(); ++bar)
            if (bar->area.contains({at.x(), at.y()}))
                return PointIndex::Entry{static_cast<int>(bar->series), static_cast<int>(bar->point), at};
        return index.nearest(at, kReach);
    }

    bool isPoint(int series, int point) const {
        if (series < 0 || point < 0 || static_cast<std::size_t>(series) >= value.series.size()) return false;
        const report::Series& its = value.series[static_cast<std::size_t>(series)];
        return static_cast<std::size_t>(point) < std::min(its.x.size(), its.y.size());
    }

    /// Where a point stands now; empty where it is out of sight.
    std::optional<QRectF> areaOf(int series, int point) const {
        if (!isPoint(series, point) || layout.empty) return std::nullopt;
        for (const report::ChartLayout::Bar& bar : layout.bars)
            if (static_cast<int>(bar.series) == series && static_cast<int>(bar.point) == point) return toRect(bar.area);
        const report::Series& its = value.series[static_cast<std::size_t>(series)];
        if (view.hidden[static_cast<std::size_t>(series)] || its.mark == report::Mark::bars ||
            its.mark == report::Mark::stackedBars)
            return std::nullopt;
        const auto i = static_cast<std::size_t>(point);
        if (!report::isShown(its.x[i], value.x) || !report::isShown(its.y[i], value.y)) return std::nullopt;
        QPointF at(layout.x.pixel(its.x[i]), layout.y.pixel(its.y[i]));
        if (value.horizontal) at = {at.y(), at.x()};
        if (!toRect(layout.plot).adjusted(-1, -1, 1, 1).contains(at)) return std::nullopt;
        return QRectF(at - QPointF(5, 5), QSizeF(10, 10));
    }

    QStringList valuesOf(int series, int point) const {
        if (!isPoint(series, point)) return {};
        const report::Series& its = value.series[static_cast<std::size_t>(series)];
        const auto i = static_cast<std::size_t>(point);
        QStringList lines;
        const std::string name = escaped(its.name.empty() ? its.id : its.name);
        if (!name.empty()) lines.append(text(name));
        const auto add = [&](const report::Axis& axis, const std::string& shown) {
            lines.append(axis.title.empty() ? text(shown) : text(escaped(axis.title) + ": " + shown));
        };
        add(value.x, report::tickText(its.x[i], value.x));
        add(value.y, report::tickText(its.y[i], value.y));
        if (i < its.valueTexts.size() && its.valueTexts[i] != report::tickText(its.y[i], value.y))
            lines.append(text(escaped(its.valueTexts[i])));
        return lines;
    }

    void hover(int series, int point) {
        if (series == hoveredSeries && point == hoveredPoint) return;
        hoveredSeries = series;
        hoveredPoint = point;
        announce(*owner, text(escaped(value.title)), valuesOf(series, point).join(QStringLiteral(", ")));
        emit owner->pointHovered(series, point);
    }

    // ---- painting ----

    void paint(QPainter& painter) {
        ensureLayout();
        cache.draw(painter, *owner, [this](QPainter& inside) { paintPicture(inside); });
        if (!layout.empty) {
            paintCrosshair(painter);
            paintRing(painter);
        }
        paintLive(painter);
        paintFocusRing(painter, *owner);
    }

    void paintPicture(QPainter& painter) {
        paintDrawing(painter, layout.back);
        if (!layout.empty) {
            stampClouds(painter);
            paintCurves(painter);
        }
        paintDrawing(painter, layout.front);
    }

    void paintCurves(QPainter& painter) {
        const QRectF plot = toRect(layout.plot);
        curves.begin(plot.size());
        for (std::size_t s = 0; s < value.series.size(); ++s) {
            const report::Series& series = value.series[s];
            if (view.hidden[s] || !view.elsewhere[s] || series.mark == report::Mark::points) continue;
            QColor colour = colourOf(series);
            colour.setAlphaF(series.dimmed ? 0.35F : 1.0F);
            QPen pen(colour, series.dimmed ? 1.2 : 2, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
            if (series.dashed) pen.setDashPattern({3, 2});
            const std::vector<std::vector<report::Point>> parts = report::curveOf(series, layout);
            if (parts.size() <= 4) {
                for (const std::vector<report::Point>& part : parts) curves.add(part, plot.topLeft(), pen);
                continue;
            }
            // A curve in very many pieces would need as many series.
            report::Drawing pieces;
            pieces.shapes.emplace_back(report::Clip{layout.plot});
            for (const std::vector<report::Point>& part : parts)
                pieces.shapes.emplace_back(report::Path{.points = part, .stroke = series.colour, .width = 2});
            pieces.shapes.emplace_back(report::Clip{});
            paintDrawing(painter, pieces);
        }
        curves.paint(painter, plot);
    }

    static QColor colourOf(const report::Series& series) {
        if (series.dimmed) return theme().colour("disabled");
        return theme().dataColour(series.colour.empty() ? "accent" : series.colour);
    }

    /// Big clouds: one small picture of the marker, put at every place.
    void stampClouds(QPainter& painter) {
        for (std::size_t s = 0; s < value.series.size(); ++s) {
            const report::Series& series = value.series[s];
            if (view.hidden[s] || !view.elsewhere[s] || series.mark != report::Mark::points) continue;
            const std::vector<report::PlacedPoint> points = report::pointsOf(series, layout);
            const double radius = points.size() > 5000 ? 1.5 : series.dimmed ? 2 : 2.5;
            const double ratio = painter.device()->devicePixelRatioF();
            const double side = 2 * radius + 2;
            QImage stamp((QSizeF(side, side) * ratio).toSize(), QImage::Format_ARGB32_Premultiplied);
            stamp.setDevicePixelRatio(ratio);
            stamp.fill(Qt::transparent);
            {
                QPainter inside(&stamp);
                const double opacity = series.dimmed ? 0.35 : points.size() > 5000 ? 0.6 : 1;
                report::Drawing marker;
                marker.shapes.emplace_back(report::Marker{.at = {side / 2, side / 2},
                                                          .shape = report::shapeOf(s),
                                                          .radius = radius,
                                                          .fill = series.dimmed ? "disabled" : series.colour,
                                                          .opacity = opacity});
                paintDrawing(inside, marker);
            }
            painter.save();
            painter.setClipRect(toRect(layout.plot));
            for (const report::PlacedPoint& point : points)
                painter.drawImage(QPointF(point.at.x - side / 2, point.at.y - side / 2), stamp);
            painter.restore();
        }
    }

    void paintCrosshair(QPainter& painter) {
        const QRectF plot = toRect(layout.plot);
        if (band && pressed && mouse) {
            const QRectF area = QRectF(*pressed, *mouse).normalized().intersected(plot);
            QColor fill = theme().colour("accent");
            fill.setAlphaF(0.12F);
            painter.fillRect(area, fill);
            painter.setPen(theme().colour("accent"));
            painter.drawRect(area);
            return;
        }
        const std::optional<QRectF> area = areaOf(hoveredSeries, hoveredPoint);
        if (!area) return;
        const QPointF at = area->center();
        painter.setPen(QPen(theme().colour("control"), 1, Qt::DotLine));
        const bool bar = isBar(hoveredSeries);
        if (!bar) {
            painter.drawLine(QPointF(at.x(), plot.top()), QPointF(at.x(), plot.bottom()));
            painter.drawLine(QPointF(plot.left(), at.y()), QPointF(plot.right(), at.y()));
        }
        paintOutline(painter, *area, bar, "text");
        const QPointF beside = bar && mouse ? *mouse : at;
        paintCard(painter, beside, valuesOf(hoveredSeries, hoveredPoint), owner->rect());
    }

    bool isBar(int series) const {
        const report::Mark mark = value.series[static_cast<std::size_t>(series)].mark;
        return mark == report::Mark::bars || mark == report::Mark::stackedBars;
    }

    static void paintOutline(QPainter& painter, const QRectF& area, bool bar, std::string_view colour) {
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme().colour(colour), 2));
        if (bar)
            painter.drawRoundedRect(area.adjusted(-1, -1, 1, 1), 3, 3);
        else
            painter.drawEllipse(area.adjusted(-1, -1, 1, 1));
        painter.restore();
    }

    void paintRing(QPainter& painter) {
        if (const std::optional<QRectF> area = areaOf(selectedSeries, selectedPoint))
            paintOutline(painter, *area, isBar(selectedSeries), "accent");
    }

    void paintLive(QPainter& painter) {
        if (live.isEmpty()) return;
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        const QFont font = pictureFont(11, false);
        const QString line = QFontMetricsF(font).elidedText(live, Qt::ElideRight, owner->width() * 0.4);
        const double width = QFontMetricsF(font).horizontalAdvance(line);
        const double x = owner->width() - width - 6;
        painter.fillRect(QRectF(x - 18, 2, width + 24, 20), theme().colour("surface"));
        QColor halo = theme().colour("accent");
        painter.setPen(Qt::NoPen);
        painter.setBrush(halo);
        painter.drawEllipse(QPointF(x - 9, 13), 3, 3);
        halo.setAlphaF(0.25F);
        painter.setBrush(halo);
        painter.drawEllipse(QPointF(x - 9, 13), 5.5, 5.5);
        painter.setFont(font);
        painter.setPen(theme().colour("secondary"));
        painter.drawText(QPointF(x, 17), line);
        painter.restore();
    }

    // ---- zoom ----

    bool hasBars() const { return !layout.bars.empty(); }

    static report::Stretch limited(report::Stretch wanted, const report::Stretch& whole) {
        const bool fits = wanted.low >= whole.low && wanted.high <= whole.high;
        if (fits && wanted.length() >= whole.length() * kLeastStretch) return wanted;
        const double size = std::clamp(wanted.length(), whole.length() * kLeastStretch, whole.length());
        const double middle = (wanted.low + wanted.high) / 2;
        const double low = std::clamp(middle - size / 2, whole.low, whole.high - size);
        return {low, low + size};
    }

    void setZoom(report::Stretch x, report::Stretch y) {
        if (layout.empty) return;
        view.x = limited(x, wholeX);
        view.y = limited(y, wholeY);
        // Bars stand on zero: their values are not zoomed.
        if (hasBars()) view.y.reset();
        if (view.x->length() >= wholeX.length() * (1 - 1e-12) &&
            (!view.y || view.y->length() >= wholeY.length() * (1 - 1e-12))) {
            view.x.reset();
            view.y.reset();
        }
        stale = true;
        owner->update();
    }

    void zoomAt(QPointF at, double factor) {
        ensureLayout();
        const QPointF place = value.horizontal ? QPointF(at.y(), at.x()) : at;
        const auto zoomed = [&](const report::Scale& scale, double pixel) {
            const double fixed = scale.coordinateAt(pixel);
            return report::Stretch{fixed - (fixed - scale.stretch.low) * factor,
                                   fixed + (scale.stretch.high - fixed) * factor};
        };
        setZoom(zoomed(layout.x, place.x()), zoomed(layout.y, place.y()));
    }

    void zoomTo(QRectF area) {
        area = area.normalized().intersected(toRect(layout.plot));
        if (area.width() < kDragged || area.height() < kDragged) return;
        const auto between = [](const report::Scale& scale, double a, double b) {
            const double one = scale.coordinateAt(a);
            const double other = scale.coordinateAt(b);
            return report::Stretch{std::min(one, other), std::max(one, other)};
        };
        const report::Scale& across = value.horizontal ? layout.y : layout.x;
        const report::Scale& down = value.horizontal ? layout.x : layout.y;
        const report::Stretch a = between(across, area.left(), area.right());
        const report::Stretch b = between(down, area.top(), area.bottom());
        setZoom(value.horizontal ? b : a, value.horizontal ? a : b);
    }

    void panTo(QPointF at) {
        if (!pressedView.x && !pressedView.y) return;
        const QPointF away = value.horizontal ? QPointF((at - *pressed).y(), (at - *pressed).x()) : at - *pressed;
        const auto moved = [](const report::Scale& scale, const std::optional<report::Stretch>& from, double pixels) {
            if (!from) return scale.stretch;
            const double by = pixels / (scale.to - scale.from) * from->length();
            return report::Stretch{from->low - by, from->high - by};
        };
        setZoom(moved(layout.x, pressedView.x, away.x()), moved(layout.y, pressedView.y, away.y()));
    }

    // ---- keyboard ----

    /// Series that have points to walk along.
    bool isWalkable(int series) const {
        if (series < 0 || static_cast<std::size_t>(series) >= value.series.size()) return false;
        const report::Series& its = value.series[static_cast<std::size_t>(series)];
        return !view.hidden[static_cast<std::size_t>(series)] && its.mark != report::Mark::bound && !its.x.empty();
    }
    void walk(int alongPoints, int alongSeries) {
        ensureLayout();
        if (layout.empty) return;
        const int count = static_cast<int>(value.series.size());
        int series = hoveredSeries;
        int point = hoveredPoint;
        if (!isWalkable(series) || alongSeries != 0) {
            const int by = alongSeries == 0 ? 1 : alongSeries;
            const int start = series < 0 ? (by > 0 ? -1 : count) : series;
            for (int next = start + by; next >= 0 && next < count; next += by)
                if (isWalkable(next)) {
                    series = next;
                    break;
                }
            if (!isWalkable(series)) return;
            point = std::max(point, 0);
        } else {
            point += alongPoints;
        }
        const auto last = static_cast<int>(value.series[static_cast<std::size_t>(series)].x.size()) - 1;
        // A series of one bar per category ends where the next one begins.
        if (alongSeries == 0 && (point < 0 || point > last) && last == 0 && isWalkable(series + alongPoints))
            series += alongPoints;
        const auto size = static_cast<int>(value.series[static_cast<std::size_t>(series)].x.size());
        mouse.reset();
        hover(series, std::clamp(point, 0, size - 1));
        owner->update();
    }

    // ---- menus and keys of the legend ----

    int keyAt(QPointF at) {
        ensureLayout();
        for (const report::ChartLayout::Key& key : layout.keys)
            if (key.area.contains({at.x(), at.y()})) return static_cast<int>(key.series);
        return -1;
    }

    void toggle(int series) {
        view.hidden[static_cast<std::size_t>(series)] = !view.hidden[static_cast<std::size_t>(series)];
        wholeKnown = false;
        stale = true;
        owner->update();
    }

    void showMenu(QPoint global) {
        QMenu menu(owner);
        const int series = hoveredSeries;
        const int point = hoveredPoint;
        if (isPoint(series, point))
            menu.addAction(tr("Explain this number"), owner,
                           [this, series, point] { emit owner->explainRequested(series, point); });
        QAction* const reset = menu.addAction(tr("Show everything"), owner, [this] { owner->resetZoom(); });
        reset->setShortcut(QKeySequence(Qt::Key_Home));
        reset->setEnabled(isZoomed());
        menu.addSeparator();
        addExportActions(menu, *owner, [this] { return owner->exportable(); });
        menu.exec(global);
    }
};

PlotWidget::PlotWidget(QWidget* parent) : QWidget(parent), d_(new Implementation(this)) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&d_->timer, &QTimer::timeout, this, [this] { d_->tick(); });
    connect(&theme(), &Theme::changed, this, [this] { d_->redraw(); });
}
PlotWidget::~PlotWidget() = default;

QSize PlotWidget::sizeHint() const {
    return {640, 320};
}
QSize PlotWidget::minimumSizeHint() const {
    return {240, 140};
}

void PlotWidget::setChart(report::Chart chart) {
    const bool other = chart.id != d_->value.id;
    const bool sameSeries = !other && chart.series.size() == d_->value.series.size();
    d_->value = std::move(chart);
    if (other) d_->view = {};
    if (!sameSeries) d_->view.hidden.resize(d_->value.series.size(), false);
    d_->wholeKnown = false;
    if (!d_->isPoint(d_->hoveredSeries, d_->hoveredPoint)) d_->hoveredSeries = d_->hoveredPoint = -1;
    if (!d_->isPoint(d_->selectedSeries, d_->selectedPoint)) d_->selectedSeries = d_->selectedPoint = -1;
    announce(*this, text(escaped(d_->value.title)), accessibleDescription());
    d_->stale = true;
    d_->changed();
}

const report::Chart& PlotWidget::chart() const {
    return d_->value;
}

void PlotWidget::setLive(const QString& text) {
    if (d_->live == text) return;
    d_->live = text;
    update();
}

void PlotWidget::resetZoom() {
    d_->view.x.reset();
    d_->view.y.reset();
    d_->stale = true;
    update();
}

Exportable PlotWidget::exportable() const {
    const auto chart = std::make_shared<const report::Chart>(d_->value);
    Exportable what;
    what.name = text(chart->id.empty() ? "chart" : chart->id);
    what.svg = [chart](const report::Theme& theme) { return report::toSvg(*chart, theme); };
    what.csv = [chart] { return report::toCsv(*chart); };
    return what;
}

void PlotWidget::setSelected(int series, int point) {
    d_->selectedSeries = series;
    d_->selectedPoint = point;
    update();
}

bool PlotWidget::event(QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::FontChange) d_->stale = true;
    if (event->type() == QEvent::ToolTip) {
        d_->ensureLayout();
        const auto* const help = static_cast<QHelpEvent*>(event);
        QString tip = cutTextAt(d_->layout.back, help->pos());
        if (tip.isEmpty()) tip = cutTextAt(d_->layout.front, help->pos());
        QToolTip::showText(help->globalPos(), tip.toHtmlEscaped(), this);
        return true;
    }
    return QWidget::event(event);
}

void PlotWidget::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    d_->paint(painter);
}

void PlotWidget::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    d_->ensureLayout();
    d_->mouse = event->position();
    d_->pressed = event->position();
    d_->pressedView = d_->view;
    d_->dragging = false;
    d_->band = false;
}

void PlotWidget::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    d_->mouse = at;
    if (d_->pressed && (event->buttons() & Qt::LeftButton) != 0) {
        if ((at - *d_->pressed).manhattanLength() >= kDragged && !d_->dragging) {
            d_->dragging = true;
            // Nothing can be moved while everything is in sight.
            d_->band = !d_->isZoomed() || (event->modifiers() & Qt::ShiftModifier) != 0;
        }
        if (d_->dragging && !d_->band) d_->panTo(at);
        if (d_->dragging) update();
        return;
    }
    const auto found = d_->pointAt(at);
    d_->hover(found ? found->series : -1, found ? found->point : -1);
    setCursor(d_->keyAt(at) >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void PlotWidget::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !d_->pressed) return;
    const QPointF at = event->position();
    const bool dragged = d_->dragging;
    if (dragged && d_->band) d_->zoomTo(QRectF(*d_->pressed, at));
    d_->pressed.reset();
    d_->dragging = d_->band = false;
    update();
    if (dragged) return;
    if (const int key = d_->keyAt(at); key >= 0) return d_->toggle(key);
    if (const auto found = d_->pointAt(at)) emit pointClicked(found->series, found->point);
}

void PlotWidget::mouseDoubleClickEvent(QMouseEvent* /*event*/) {
    resetZoom();
}

void PlotWidget::wheelEvent(QWheelEvent* event) {
    d_->ensureLayout();
    const double turns = event->angleDelta().y() / 120.0;
    if (d_->layout.empty || turns == 0) return event->ignore();
    d_->zoomAt(event->position(), std::pow(0.8, turns));
    event->accept();
}

void PlotWidget::keyPressEvent(QKeyEvent* event) {
    const bool down = d_->value.horizontal;
    const QPointF middle = toRect(d_->layout.plot).center();
    switch (event->key()) {
        case Qt::Key_Home:
            return resetZoom();
        case Qt::Key_Left:
            return down ? d_->walk(0, -1) : d_->walk(-1, 0);
        case Qt::Key_Right:
            return down ? d_->walk(0, 1) : d_->walk(1, 0);
        case Qt::Key_Up:
            return down ? d_->walk(-1, 0) : d_->walk(0, -1);
        case Qt::Key_Down:
            return down ? d_->walk(1, 0) : d_->walk(0, 1);
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return d_->zoomAt(middle, 0.8);
        case Qt::Key_Minus:
            return d_->zoomAt(middle, 1.25);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (d_->isPoint(d_->hoveredSeries, d_->hoveredPoint))
                emit pointClicked(d_->hoveredSeries, d_->hoveredPoint);
            return;
        case Qt::Key_Escape:
            d_->hover(-1, -1);
            return update();
        default:
            QWidget::keyPressEvent(event);
    }
}

void PlotWidget::leaveEvent(QEvent* event) {
    d_->mouse.reset();
    d_->hover(-1, -1);
    update();
    QWidget::leaveEvent(event);
}

void PlotWidget::contextMenuEvent(QContextMenuEvent* event) {
    d_->showMenu(event->globalPos());
}

}  // namespace tessera::ui
