#include "ui/views/plot/plot_widget.h"

#include <QKeyEvent>
#include <QMenu>
#include <QMetaMethod>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/draw/chart_layout.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/drawing_painter.h"
#include "ui/views/plot/plot_curves.h"
#include "ui/views/plot/plot_index.h"
#include "ui/views/plot/plot_painter.h"
#include "ui/views/plot/plot_zoom.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kFrame = 50;     ///< milliseconds: 20 pictures per second at most
constexpr double kReach = 28;  ///< pixels within which the mouse finds a point
constexpr double kOnMark = 7;  ///< pixels within which it finds one that lies on a bar

/// What a series is known by in the charts to come.
std::string keyOf(const report::Chart& chart, std::size_t series) {
    const std::string& id = chart.series[series].id;
    return id.empty() ? std::to_string(series) : id;
}

}  // namespace

struct PlotWidget::Implementation : PictureContent {
    explicit Implementation(PlotWidget* widget) : owner(widget) {
        timer.setSingleShot(true);
        timer.setInterval(kFrame);
    }

    PlotWidget* owner;
    report::Chart value;
    report::ChartView view;
    report::ChartLayout layout;
    report::Stretch wholeX, wholeY;
    PlotCurves curves;
    PlotIndex index;
    QTimer timer;
    QString live;
    bool explainable = true;
    bool waiting = false;  ///< a newer chart waits for the timer
    bool unindexed = true;
    bool wholeKnown = false;
    int selectedSeries = -1, selectedPoint = -1;
    int hoveredSeries = -1, hoveredPoint = -1;
    bool hoveredElsewhere = false;  ///< under the mouse of another view: ringed alone
    report::ChartView pressedView;
    bool band = false;                       ///< of what is dragged: the rectangle to see
    bool brushing = false, brushes = false;  ///< a drag draws a brush: always, and the one that is drawn now
    std::optional<report::Stretch> brushX, brushY;
    QVector<Pin> pins;
    std::function<QStringList(int series, int point)> card;

    bool isZoomed() const override { return view.x.has_value() || view.y.has_value(); }

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
    /// For what stands above the picture: where a newer chart waits, with it.
    void repaint() {
        if (!waiting) owner->update();
    }
    void redraw() {
        waiting = false;
        owner->pictureChanged();
    }

    const report::Drawing& drawing() const override { return layout.front; }
    void layOut(const report::Size& size) override {
        unindexed = true;
        view.allKeys = true;
        view.hidden.resize(value.series.size(), false);
        view.elsewhere.assign(value.series.size(), false);
        if (isZoomed() && !wholeKnown) {
            report::ChartView whole = view;
            whole.x.reset();
            whole.y.reset();
            keepWhole(report::layOut(value, whole, size, pictureWidth()));
            // The chart may have changed under the zoom.
            if (view.x) view.x = limited(*view.x, wholeX);
            if (view.y) view.y = limited(*view.y, wholeY);
        }
        for (std::size_t i = 0; i < value.series.size(); ++i) view.elsewhere[i] = isPaintedApart(value.series[i]);
        layout = report::layOut(value, view, size, pictureWidth());
        if (!isZoomed()) keepWhole(layout);
    }
    void keepWhole(const report::ChartLayout& whole) {
        wholeX = whole.wholeX;
        wholeY = whole.wholeY;
        wholeKnown = true;
    }
    void ensureIndex() {
        owner->ensureLayout();
        if (!unindexed) return;
        unindexed = false;
        index.clear(toRect(layout.plot).adjusted(-1, -1, 1, 1));
        for (std::size_t s = 0; s < value.series.size(); ++s) {
            const report::Mark mark = value.series[s].mark;
            if (view.hidden[s] || layout.empty || mark == report::Mark::bars || mark == report::Mark::stackedBars ||
                mark == report::Mark::bound || mark == report::Mark::band || value.series[s].reference)
                continue;
            for (const report::PlacedPoint& point : report::pointsOf(value.series[s], layout))
                index.add({static_cast<int>(s), static_cast<int>(point.point), {point.at.x, point.at.y}});
        }
    }

    std::optional<PlotIndex::Entry> pointAt(QPointF at) {
        ensureIndex();
        if (layout.empty || !layout.plot.contains({at.x(), at.y()})) return std::nullopt;
        // A mark on a bar is meant where the mouse is on the mark.
        if (!layout.bars.empty())
            if (const auto mark = index.nearest(at, kOnMark)) return mark;
        for (auto bar = layout.bars.rbegin(); bar != layout.bars.rend(); ++bar)
            if (bar->area.contains({at.x(), at.y()}))
                return PlotIndex::Entry{static_cast<int>(bar->series), static_cast<int>(bar->point), at};
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
        if (card) return card(series, point);
        const auto i = static_cast<std::size_t>(point);
        QStringList lines;
        const std::string name = escaped(its.name.empty() ? its.id : its.name);
        if (!name.empty()) lines.append(toQt(name));
        const auto add = [&](const report::Axis& axis, const std::string& shown) {
            lines.append(axis.title.empty() ? toQt(shown) : toQt(escaped(axis.title) + ": " + shown));
        };
        add(value.x, report::tickText(its.x[i], value.x));
        add(value.y, report::tickText(its.y[i], value.y));
        if (i < its.valueTexts.size() && its.valueTexts[i] != report::tickText(its.y[i], value.y))
            lines.append(toQt(escaped(its.valueTexts[i])));
        return lines;
    }

    void hover(int series, int point) {
        hoveredElsewhere = false;
        if (series == hoveredSeries && point == hoveredPoint) return;
        hoveredSeries = series;
        hoveredPoint = point;
        announce(*owner, toQt(escaped(value.title)), valuesOf(series, point).join(u", "_s));
        emit owner->pointHovered(series, point);
    }

    // ---- painting ----

    void paintAbove(QPainter& painter) override {
        if (!layout.empty) {
            paintBrush(painter);
            paintCrosshair(painter);
            paintRing(painter);
            for (const Pin& pin : pins) paintPin(painter, pin);
        }
        paintLive(painter);
    }

    void paintPicture(QPainter& painter) override {
        paintDrawing(painter, layout.back);
        if (!layout.empty) paintSeries(painter, value, view, layout, curves);
        paintDrawing(painter, layout.front);
    }

    void paintCrosshair(QPainter& painter) const {
        const QRectF plot = toRect(layout.plot);
        const std::optional<QPointF>& mouse = owner->mouse();
        if (band && owner->isDragging() && mouse) {
            const QRectF area = QRectF(*owner->pressed(), *mouse).normalized().intersected(plot);
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
        if (hoveredElsewhere) return paintOutline(painter, *area, bar, "text");
        if (!bar) {
            painter.drawLine(QPointF(at.x(), plot.top()), QPointF(at.x(), plot.bottom()));
            painter.drawLine(QPointF(plot.left(), at.y()), QPointF(plot.right(), at.y()));
        }
        paintOutline(painter, *area, bar, "text");
        const QPointF beside = bar && mouse ? *mouse : at;
        paintCard(painter, beside, valuesOf(hoveredSeries, hoveredPoint), owner->rect());
    }

    void paintBrush(QPainter& painter) const {
        if (!brushX && !brushY) return;
        const QRectF plot = toRect(layout.plot);
        const auto ends = [](const report::Scale& scale, const std::optional<report::Stretch>& range) {
            if (!range) return std::pair(scale.from, scale.to);
            const auto pixel = [&](double its, double otherwise) {
                const double at = scale.pixel(its);
                return std::isfinite(at) ? at : otherwise;
            };
            return std::pair(pixel(range->low, scale.from), pixel(range->high, scale.to));
        };
        const auto [left, right] = ends(layout.x, brushX);
        const auto [bottom, top] = ends(layout.y, brushY);
        const QRectF area = QRectF(QPointF(left, top), QPointF(right, bottom)).normalized();
        painter.save();
        painter.setClipRect(plot);
        QColor fill = theme().colour("accent");
        fill.setAlphaF(0.07F);
        painter.fillRect(area, fill);
        painter.setPen(QPen(theme().colour("accent"), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(area);
        painter.restore();
    }

    void paintPin(QPainter& painter, const Pin& pin) const {
        const std::optional<QRectF> area = areaOf(pin.place.series, pin.place.point);
        if (!area) return;
        paintOutline(painter, *area, false, "text");
        report::Drawing letter;
        letter.shapes.emplace_back(report::Label{.at = {area->right() + 3, area->top() + 1},
                                                 .text = pin.letter.toStdString(),
                                                 .colour = "text",
                                                 .strong = true,
                                                 .halo = true});
        paintDrawing(painter, letter);
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

    void paintRing(QPainter& painter) const {
        if (const std::optional<QRectF> area = areaOf(selectedSeries, selectedPoint))
            paintOutline(painter, *area, isBar(selectedSeries), "accent");
    }

    QString liveLine() const {
        return QFontMetricsF(pictureFont(11, false)).elidedText(live, Qt::ElideRight, owner->width() * 0.4);
    }

    /// The title leaves room for the live text; in steps, because its digits change all the time.
    void makeRoomForLive() {
        constexpr double kStep = 40;
        const double width = QFontMetricsF(pictureFont(11, false)).horizontalAdvance(liveLine());
        const double room = live.isEmpty() ? 0 : std::ceil((width + 32) / kStep) * kStep;
        if (room == view.titleRoomLess) return;
        view.titleRoomLess = room;
        owner->pictureChanged();
    }

    void paintLive(QPainter& painter) const {
        if (live.isEmpty()) return;
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        const QFont font = pictureFont(11, false);
        const QString line = liveLine();
        const double width = QFontMetricsF(font).horizontalAdvance(line);
        const double x = owner->width() - width - 6;
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

    void setZoom(const PlotStretches& wanted) {
        if (layout.empty) return;
        view.x = limited(wanted.x, wholeX);
        view.y = limited(wanted.y, wholeY);
        // Bars stand on zero: their values are not zoomed.
        if (hasBars()) view.y.reset();
        // Where the picture begins with its focus, everything is a view of its own.
        const bool focused = value.x.focus || value.y.focus;
        if (!focused && view.x->length() >= wholeX.length() * (1 - 1e-12) &&
            (!view.y || view.y->length() >= wholeY.length() * (1 - 1e-12))) {
            view.x.reset();
            view.y.reset();
        }
        owner->pictureChanged();
    }

    bool zoomAt(QPointF at, double factor) override {
        owner->ensureLayout();
        if (layout.empty) return false;
        setZoom(zoomedAt(layout, value.horizontal, at, factor));
        return true;
    }

    void zoomTo(QRectF area) {
        area = area.normalized().intersected(toRect(layout.plot));
        if (area.width() < kDragged || area.height() < kDragged) return;
        setZoom(zoomedTo(layout, value.horizontal, area));
    }

    void brushTo(const QRectF& drawn) {
        if (layout.empty || value.horizontal) return;
        const QRectF area = drawn.normalized().intersected(toRect(layout.plot));
        // Beside the plot, or a line: no rectangle was meant.
        if (area.width() < kDragged || area.height() < kDragged) return;
        emit owner->brushed({layout.x.value(area.left()), layout.x.value(area.right())},
                            {layout.y.value(area.bottom()), layout.y.value(area.top())});
    }

    void panTo(QPointF at) {
        if (pressedView.x || pressedView.y)
            setZoom(panned(layout, value.horizontal, pressedView, at - *owner->pressed()));
    }

    // ---- keyboard ----

    /// Series that have points to walk along.
    bool isWalkable(int series) const {
        if (series < 0 || static_cast<std::size_t>(series) >= value.series.size()) return false;
        const report::Series& its = value.series[static_cast<std::size_t>(series)];
        return !view.hidden[static_cast<std::size_t>(series)] && its.mark != report::Mark::bound &&
               its.mark != report::Mark::band && !its.reference && !its.x.empty();
    }
    void walk(int alongPoints, int alongSeries) {
        owner->ensureLayout();
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
        owner->forgetMouse();
        hover(series, std::clamp(point, 0, size - 1));
        owner->update();
    }

    // ---- menus and keys of the legend ----

    int keyAt(QPointF at) {
        owner->ensureLayout();
        for (const report::ChartLayout::Key& key : layout.keys)
            if (key.area.contains({at.x(), at.y()})) return static_cast<int>(key.series);
        return -1;
    }

    void toggle(int series) {
        view.hidden[static_cast<std::size_t>(series)] = !view.hidden[static_cast<std::size_t>(series)];
        wholeKnown = false;
        owner->pictureChanged();
    }

    QSize sizeHint() const override { return {640, 320}; }
    QSize minimumSizeHint() const override { return {240, 140}; }

    Exportable exportable() const override {
        const auto chart = std::make_shared<const report::Chart>(value);
        return {.name = toQt(chart->id.empty() ? "chart" : chart->id),
                .svg = [chart](const report::Theme& theme) { return report::toSvg(*chart, theme); },
                .csv = [chart] { return report::toCsv(*chart); }};
    }

    QString cutText(QPointF at) const override {
        const QString tip = cutTextAt(layout.back, at);
        return tip.isEmpty() ? cutTextAt(layout.front, at) : tip;
    }

    void fillMenu(QMenu& menu) override {
        const int series = hoveredSeries;
        const int point = hoveredPoint;
        if (isPoint(series, point)) emit owner->menuOpened(series, point, &menu);
        // Only where the signal is connected.
        if (!isPoint(series, point) || !explainable ||
            !owner->isSignalConnected(QMetaMethod::fromSignal(&PlotWidget::explainRequested)))
            return;
        menu.addAction(u"Explain this number"_s, owner,
                       [this, series, point] { emit owner->explainRequested(series, point); });
        menu.addSeparator();
    }

    void resetZoom() override {
        view.x.reset();
        view.y.reset();
        owner->pictureChanged();
    }

    std::optional<QPointF> zoomCentre() const override {
        owner->ensureLayout();
        return toRect(layout.plot).center();
    }

    void hoverAt(const std::optional<QPointF>& at) override {
        const auto found = at ? pointAt(*at) : std::nullopt;
        hover(found ? found->series : -1, found ? found->point : -1);
        owner->setCursor(at && keyAt(*at) >= 0 ? Qt::PointingHandCursor : brushing ? Qt::CrossCursor : Qt::ArrowCursor);
    }

    void clickAt(QPointF at, const QPoint& /*global*/) override {
        if (const int key = keyAt(at); key >= 0) return toggle(key);
        if (const auto found = pointAt(at)) emit owner->pointClicked(found->series, found->point);
    }

    /// Two quick clicks on the legend are two clicks.
    bool doubleClickAt(QPointF at) override { return keyAt(at) < 0; }

    void beginDrag(Qt::KeyboardModifiers modifiers) override {
        pressedView = view;
        const bool shift = (modifiers & Qt::ShiftModifier) != 0;
        brushes = (brushing && !shift) || (modifiers & Qt::ControlModifier) != 0;
        // Nothing can be moved while everything is in sight.
        band = brushes || !isZoomed() || shift;
    }

    void dragTo(QPointF at) override {
        if (!band) panTo(at);
    }

    void endDrag(QPointF at) override {
        const bool drawn = std::exchange(brushes, false);
        if (!std::exchange(band, false)) return;
        const QRectF area(*owner->pressed(), at);
        if (drawn)
            brushTo(area);
        else
            zoomTo(area);
    }

    void keyPressed(QKeyEvent& event) override {
        const bool down = value.horizontal;
        switch (event.key()) {
            case Qt::Key_Left:
                return down ? walk(0, -1) : walk(-1, 0);
            case Qt::Key_Right:
                return down ? walk(0, 1) : walk(1, 0);
            case Qt::Key_Up:
                return down ? walk(-1, 0) : walk(0, -1);
            case Qt::Key_Down:
                return down ? walk(1, 0) : walk(0, 1);
            case Qt::Key_Return:
            case Qt::Key_Enter:
                if (isPoint(hoveredSeries, hoveredPoint)) emit owner->pointClicked(hoveredSeries, hoveredPoint);
                return;
            case Qt::Key_Escape:
                hover(-1, -1);
                return owner->update();
            default:
                event.ignore();
        }
    }
};

PlotWidget::PlotWidget(QWidget* parent) : PictureView(parent), d_(hold(std::make_unique<Implementation>(this))) {
    connect(&d_->timer, &QTimer::timeout, this, [this] { d_->tick(); });
}

void PlotWidget::setChart(report::Chart chart) {
    const report::Chart& old = d_->value;
    const bool other =
        chart.id != old.id || chart.x.logarithmic != old.x.logarithmic || chart.y.logarithmic != old.y.logarithmic;
    std::set<std::string> hidden;  // what was switched off stays so, wherever it stands now
    for (std::size_t s = 0; !other && s < std::min(old.series.size(), d_->view.hidden.size()); ++s)
        if (d_->view.hidden[s]) hidden.insert(keyOf(old, s));
    d_->value = std::move(chart);
    if (other) {
        d_->view = {};
        d_->makeRoomForLive();
    }
    d_->view.hidden.clear();
    for (std::size_t s = 0; s < d_->value.series.size(); ++s)
        d_->view.hidden.push_back(hidden.contains(keyOf(d_->value, s)));
    d_->wholeKnown = false;
    if (!d_->isPoint(d_->hoveredSeries, d_->hoveredPoint)) d_->hoveredSeries = d_->hoveredPoint = -1;
    if (!d_->isPoint(d_->selectedSeries, d_->selectedPoint)) d_->selectedSeries = d_->selectedPoint = -1;
    announce(*this, toQt(escaped(d_->value.title)), accessibleDescription());
    markStale();
    d_->changed();
}

const report::Chart& PlotWidget::chart() const {
    return d_->value;
}

void PlotWidget::setLive(const QString& text) {
    if (d_->live == text) return;
    d_->live = text;
    d_->makeRoomForLive();
    update();
}

void PlotWidget::setExplainable(bool on) {
    d_->explainable = on;
}

void PlotWidget::setPins(const QVector<Pin>& pins) {
    d_->pins = pins;
    d_->repaint();
}

void PlotWidget::setHovered(Place place) {
    if (place.series == d_->hoveredSeries && place.point == d_->hoveredPoint) return;
    if (mouse().has_value() && underMouse()) return;  // this view's own mouse leads
    d_->hoveredSeries = d_->isPoint(place.series, place.point) ? place.series : -1;
    d_->hoveredPoint = d_->hoveredSeries < 0 ? -1 : place.point;
    d_->hoveredElsewhere = true;
    d_->repaint();
}

void PlotWidget::setCard(std::function<QStringList(int series, int point)> card) {
    d_->card = std::move(card);
}

void PlotWidget::setBrushing(bool on) {
    d_->brushing = on;
    setCursor(on ? Qt::CrossCursor : Qt::ArrowCursor);
}

void PlotWidget::setBrush(std::optional<report::Stretch> x, std::optional<report::Stretch> y) {
    d_->brushX = x;
    d_->brushY = y;
    d_->repaint();
}

void PlotWidget::setSelected(int series, int point) {
    d_->selectedSeries = series;
    d_->selectedPoint = point;
    d_->repaint();
}

}  // namespace tessera::ui
