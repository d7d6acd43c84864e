#include "ui/views/plot/gantt_view.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/draw/timeline_layout.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/drawing_painter.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr double kMinStretch = 1e-9;  ///< of the whole length; zooming in ends here

}  // namespace

struct GanttView::Implementation : PictureContent {
    explicit Implementation(GanttView* widget) : owner(widget) {}

    GanttView* owner;
    Timeline value;
    std::vector<std::size_t> starts;
    double length = 0;
    report::TimelineView view{.tips = false, .fill = true, .known = false};
    report::TimelineLayout layout;
    int selected = -1, hovered = -1;
    double pressedFrom = 0, pressedTo = 0, pressedScroll = 0;
    bool band = false;  ///< of what is dragged: the range inside it

    const report::TimelineLayout& laidOut() const {
        owner->ensureLayout();
        return layout;
    }

    bool isEvent(int event) const { return event >= 0 && static_cast<std::size_t>(event) < value.events.size(); }
    const Timeline::Event& at(int event) const { return value.events[static_cast<std::size_t>(event)]; }
    bool isZoomed() const override { return view.to > view.from; }

    int eventAt(QPointF place) {
        const report::TimelineLayout& its = laidOut();
        if (its.empty || !its.plot.contains({place.x(), place.y()})) return -1;
        for (const report::TimelineLayout::Lane& lane : its.lanes) {
            if (place.y() < lane.y || place.y() >= lane.y + its.laneHeight) continue;
            const double a = its.seconds(place.x() - 1.5);
            const double b = its.seconds(place.x() + 1.5);
            const auto [first, last] = report::eventsIn(value, starts, lane.track, a, b);
            const double here = its.seconds(place.x());
            int best = -1;
            double min = 0;
            for (std::size_t i = first; i < last; ++i) {
                const Timeline::Event& event = value.events[i];
                const double away = std::max({event.start - here, here - event.start - event.duration, 0.0});
                if (best >= 0 && away >= min) continue;
                best = static_cast<int>(i);
                min = away;
            }
            return best;
        }
        return -1;
    }

    QRectF areaOf(int event) const {
        const Timeline::Event& its = at(event);
        for (const report::TimelineLayout::Lane& lane : layout.lanes)
            if (static_cast<std::int32_t>(lane.track) == its.track) {
                const double left = std::max(layout.x(its.start), layout.plot.x - 10);
                const double right = std::min(layout.x(its.start + its.duration), layout.plot.right() + 10);
                return {left, lane.y, std::max(1.0, right - left), layout.laneHeight};
            }
        return {};
    }

    QStringList textOf(int event) const {
        if (!isEvent(event)) return {};
        const Timeline::Event& its = at(event);
        const auto time = [this](double moment) { return toQt(report::timeText(value, moment)); };
        QStringList lines{toQt(escaped(its.name))};
        if (its.track >= 0 && static_cast<std::size_t>(its.track) < value.tracks.size())
            lines.append(toQt(escaped(value.tracks[static_cast<std::size_t>(its.track)].name)));
        lines.append(u"%1, from %2 to %3"_s.arg(time(its.duration), time(its.start), time(its.start + its.duration)));
        for (const auto& [key, detail] : its.details) lines.append(toQt(escaped(key) + ": " + escaped(detail)));
        return lines;
    }

    /// What the tracks use together at a place in the picture, the most of it first.
    QStringList usageTextAt(QPointF place) const {
        if (!isUsage(place)) return {};
        constexpr std::size_t kMaxTracks = 6;
        const double moment = layout.seconds(place.x());
        const std::optional<std::size_t> step = report::stepAt(value, moment);
        if (!step || moment > length) return {};
        const Timeline::Usage& usage = *value.usage;
        const std::size_t tracks = value.tracks.size();
        std::vector<std::pair<double, std::size_t>> amounts;
        double sum = 0;
        for (std::size_t track = 0; track < tracks; ++track) {
            const double amount = usage.values[*step * tracks + track];
            sum += amount;
            if (amount > 0) amounts.emplace_back(-amount, track);
        }
        std::sort(amounts.begin(), amounts.end());
        QStringList lines{
            u"%1 at %2"_s.arg(toQt(report::usageText(usage, sum)), toQt(report::timeText(value, moment)))};
        if (usage.limit && *usage.limit > 0)
            lines.append(u"%1 % of %2"_s.arg(100 * sum / *usage.limit, 0, 'f', 0)
                             .arg(toQt(report::usageText(usage, *usage.limit))));
        for (std::size_t i = 0; i < std::min(kMaxTracks, amounts.size()); ++i)
            lines.append(toQt(escaped(value.tracks[amounts[i].second].name) + ": " +
                              report::usageText(usage, -amounts[i].first)));
        return lines;
    }

    bool isUsage(QPointF place) const {
        return !layout.empty && layout.usage.height > 0 && layout.usage.contains({place.x(), place.y()});
    }

    void select(int event, bool notify) {
        if (event == selected) return;
        selected = event;
        announce(*owner, toQt(escaped(value.title)), textOf(event).join(u", "_s));
        owner->update();
        if (notify) emit owner->eventSelected(event);
    }

    void setRange(double from, double to, bool notify) {
        if (!(length > 0) || !std::isfinite(from) || !std::isfinite(to)) return;
        const double size = std::clamp(to - from, length * kMinStretch, length);
        from = std::clamp((from + to - size) / 2, 0.0, length - size);
        const bool everything = size >= length * (1 - 1e-12);
        const double nextFrom = everything ? 0 : from;
        const double nextTo = everything ? 0 : from + size;
        if (nextFrom == view.from && nextTo == view.to) return;
        view.from = nextFrom;
        view.to = nextTo;
        owner->pictureChanged();
        if (notify) emit owner->visibleRangeChanged(everything ? 0 : from, everything ? length : from + size);
    }

    double from() const { return isZoomed() ? view.from : 0; }
    double to() const { return isZoomed() ? view.to : length; }

    void scrollTo(double pixels) {
        const double max = std::max(0.0, laidOut().contentHeight - layout.plot.height);
        view.scrolled = std::clamp(pixels, 0.0, max);
        owner->pictureChanged();
    }

    void reveal(int event) {
        const Timeline::Event& its = at(event);
        if (its.start < from() || its.start + its.duration > to()) {
            const double size = std::max(to() - from(), its.duration * 1.2);
            const double middle = its.start + its.duration / 2;
            setRange(middle - size / 2, middle + size / 2, true);
        }
        const QRectF area = (laidOut(), areaOf(event));
        if (area.top() < layout.plot.y) scrollTo(view.scrolled + area.top() - layout.plot.y);
        if (area.bottom() > layout.plot.bottom()) scrollTo(view.scrolled + area.bottom() - layout.plot.bottom());
    }

    /// The event next to the selected one on its lane, or the one at the same time on the next lane.
    void walk(int along, int lanes) {
        if (value.events.empty() || starts.empty()) return;
        int next = isEvent(selected) ? selected : -1;
        if (next < 0) {
            next = 0;
        } else if (lanes == 0) {
            const auto track = static_cast<std::size_t>(at(next).track);
            next = std::clamp(next + along, static_cast<int>(starts[track]), static_cast<int>(starts[track + 1]) - 1);
        } else {
            next = beside(next, lanes);
        }
        owner->forgetMouse();
        reveal(next);
        select(next, true);
        owner->update();
    }

    int beside(int event, int lanes) const {
        const double middle = at(event).start + at(event).duration / 2;
        const auto tracks = static_cast<int>(value.tracks.size());
        for (int track = at(event).track + lanes; track >= 0 && track < tracks; track += lanes) {
            const std::size_t first = starts[static_cast<std::size_t>(track)];
            const std::size_t last = starts[static_cast<std::size_t>(track) + 1];
            if (first == last) continue;
            const auto found = report::eventsIn(value, starts, static_cast<std::size_t>(track), middle, middle).first;
            return static_cast<int>(std::min(found, last - 1));
        }
        return event;
    }

    void paintAbove(QPainter& painter) override {
        if (layout.empty) return;
        painter.save();
        painter.setClipRect(toRect(layout.plot).adjusted(-2, -2, 2, 2));
        if (isEvent(hovered)) outline(painter, hovered, "text", 1);
        if (isEvent(selected)) outline(painter, selected, "accent", 2);
        painter.restore();
        paintCursor(painter);
    }

    void outline(QPainter& painter, int event, std::string_view colour, double width) const {
        paintRing(painter, areaOf(event).adjusted(-1, -1, 1, 1), colour, width);
    }

    /// The time under the mouse as a line, or the rubber band.
    void paintCursor(QPainter& painter) const {
        const std::optional<QPointF>& mouse = owner->mouse();
        if (!mouse) return;
        // The cursor and the band go through everything that shares the axis.
        QRectF plot = toRect(layout.plot);
        if (layout.usage.height > 0) plot.setBottom(layout.usage.bottom());
        if (band && owner->isDragging()) {
            QColor fill = theme().colour("accent");
            fill.setAlphaF(0.14F);
            painter.fillRect(
                QRectF(QPointF(owner->pressed()->x(), plot.top()), QPointF(mouse->x(), plot.bottom())).normalized(),
                fill);
            return;
        }
        if (!plot.contains(*mouse)) return;
        painter.setPen(QPen(theme().colour("control"), 1, Qt::DotLine));
        painter.drawLine(QPointF(mouse->x(), plot.top()), QPointF(mouse->x(), plot.bottom()));
    }

    QSize sizeHint() const override {
        const int usage = value.usage ? 150 : 0;
        return {720, std::clamp(110 + 30 * static_cast<int>(value.tracks.size()) + usage, 200, 640)};
    }

    QSize minimumSizeHint() const override { return {280, 160}; }

    Exportable exportable() const override {
        const auto timeline = std::make_shared<const Timeline>(value);
        return {.name = u"timeline"_s,
                .svg = [timeline](const report::Theme& theme) { return report::toSvg(*timeline, theme); },
                .csv = [timeline] { return report::toCsv(*timeline); },
                .json = [timeline] { return report::toChromeTrace(*timeline); },
                .jsonTitle = u"Chrome trace"_s};
    }

    const report::Drawing& drawing() const override { return layout.drawing; }
    void layOut(const report::Size& size) override { layout = report::layOut(value, view, size, pictureWidth()); }

    void resetZoom() override {
        view.scrolled = 0;
        setRange(0, length, true);
        owner->pictureChanged();
    }

    bool zoomAt(QPointF at, double factor) override {
        if (layout.empty) return false;
        const double seconds = layout.seconds(at.x());
        setRange(seconds - (seconds - from()) * factor, seconds + (to() - seconds) * factor, true);
        return true;
    }

    void hoverAt(const std::optional<QPointF>& at) override { hovered = at ? eventAt(*at) : -1; }

    QStringList cardText() const override {
        if (owner->mouse() && isUsage(*owner->mouse())) return usageTextAt(*owner->mouse());
        return textOf(hovered);
    }

    void clickAt(QPointF at, const QPoint& /*global*/) override { select(eventAt(at), true); }

    void beginDrag(Qt::KeyboardModifiers modifiers) override {
        pressedFrom = from();
        pressedTo = to();
        pressedScroll = view.scrolled;
        band = (modifiers & Qt::ShiftModifier) != 0;
    }

    void dragTo(QPointF at) override {
        if (band) return;
        const QPointF away = at - *owner->pressed();
        const double by = away.x() / std::max(1.0, laidOut().plot.width) * (pressedTo - pressedFrom);
        setRange(pressedFrom - by, pressedTo - by, true);
        scrollTo(pressedScroll - away.y());
    }

    void endDrag(QPointF at) override {
        if (!std::exchange(band, false)) return;
        const auto [from, to] = std::minmax({owner->pressed()->x(), at.x()});
        setRange(laidOut().seconds(from), layout.seconds(to), true);
    }

    std::optional<QPointF> zoomCentre() const override { return toRect(laidOut().plot).center(); }

    void keyPressed(QKeyEvent& event) override {
        switch (event.key()) {
            case Qt::Key_Left:
                return walk(-1, 0);
            case Qt::Key_Right:
                return walk(1, 0);
            case Qt::Key_Up:
                return walk(0, -1);
            case Qt::Key_Down:
                return walk(0, 1);
            case Qt::Key_PageUp:
                return scrollTo(view.scrolled - laidOut().plot.height * 0.8);
            case Qt::Key_PageDown:
                return scrollTo(view.scrolled + laidOut().plot.height * 0.8);
            default:
                event.ignore();
        }
    }
};

GanttView::GanttView(QWidget* parent) : PictureView(parent), d_(hold(std::make_unique<Implementation>(this))) {}

void GanttView::setTimeline(Timeline timeline) {
    d_->value = std::move(timeline);
    // Whoever made the timeline, walking and searching rely on its order.
    std::stable_sort(d_->value.events.begin(), d_->value.events.end(),
                     [](const Timeline::Event& a, const Timeline::Event& b) {
                         return a.track != b.track ? a.track < b.track : a.start < b.start;
                     });
    d_->starts = report::trackStarts(d_->value);
    d_->length = report::lengthOf(d_->value);
    d_->view.known = true;
    d_->view.from = d_->view.to = d_->view.scrolled = 0;
    d_->selected = d_->hovered = -1;
    announce(*this, toQt(escaped(d_->value.title)), {});
    updateGeometry();
    pictureChanged();
}

void GanttView::setNotesVisible(bool visible) {
    d_->view.notes = visible;
    pictureChanged();
}

const Timeline& GanttView::timeline() const {
    return d_->value;
}

void GanttView::setSelected(int event) {
    if (d_->isEvent(event)) d_->reveal(event);
    d_->select(d_->isEvent(event) ? event : -1, false);
}

std::pair<double, double> GanttView::visibleRange() const {
    return {d_->from(), d_->to()};
}

void GanttView::showRange(double from, double to) {
    d_->setRange(from, to, false);
}

}  // namespace tessera::ui
