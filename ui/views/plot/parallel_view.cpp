#include "ui/views/plot/parallel_view.h"

#include <QKeyEvent>
#include <QMenu>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "core/base/text.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/drawing_painter.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr double kGrip = 16;      ///< pixels beside an axis that belong to it
constexpr double kLineReach = 8;  ///< pixels within which the mouse finds a line
constexpr double kSteps = 20;     ///< of the keyboard from one end of an axis to the other

}  // namespace

struct ParallelView::Implementation : PictureContent {
    explicit Implementation(ParallelView* widget) : owner(widget) {}

    ParallelView* owner;
    report::ParallelPicture value;
    report::ParallelView view;
    report::ParallelLayout layout;
    report::ParallelPlaces kept;  ///< of the value
    PictureCache behind;          ///< all that is the same whichever lines are stronger
    std::function<QStringList(int row)> card;
    int hovered = -1;
    std::optional<std::size_t> dragged;  ///< the axis whose brush is drawn
    std::optional<std::size_t> moved;    ///< the axis that is moved
    double movedTo = 0;                  ///< where its mouse is
    std::size_t current = 0;             ///< of the keyboard: a place from the left

    void changed() {
        owner->pictureChanged();
        emit owner->brushed();
    }
    void rearranged() {
        current = std::min(current, view.order.empty() ? 0 : view.order.size() - 1);
        owner->pictureChanged();
        emit owner->arranged();
    }

    std::size_t currentAxis() const { return current < view.order.size() ? view.order[current] : 0; }

    std::optional<std::size_t> axisAt(QPointF at) {
        owner->ensureLayout();
        for (const std::size_t axis : layout.order)
            if (!layout.empty && std::fabs(layout.x[axis] - at.x()) <= kGrip && at.y() >= layout.top - kGrip &&
                at.y() <= layout.bottom + kGrip)
                return axis;
        return std::nullopt;
    }

    /// The axis whose title is there.
    std::optional<std::size_t> titleAt(QPointF at) {
        owner->ensureLayout();
        if (layout.empty || at.y() >= layout.top - kGrip || at.y() < layout.head) return std::nullopt;
        std::optional<std::size_t> nearest;
        for (const std::size_t axis : layout.order)
            if (!nearest || std::fabs(layout.x[axis] - at.x()) < std::fabs(layout.x[*nearest] - at.x())) nearest = axis;
        return nearest;
    }

    /// The place among the axes that a mouse means.
    std::size_t placeAt(double x) const {
        std::size_t place = 0;
        for (std::size_t i = 0; i < layout.order.size(); ++i)
            if (std::fabs(layout.x[layout.order[i]] - x) < std::fabs(layout.x[layout.order[place]] - x)) place = i;
        return place;
    }

    bool isShown(std::size_t row) const {
        if (!view.shown.empty()) return row < view.shown.size() && view.shown[row] != 0;
        for (std::size_t axis = 0; axis < std::min(view.brushes.size(), value.axes.size()); ++axis) {
            const double its = value.axes[axis].values[row];
            if (view.brushes[axis] && !(its >= view.brushes[axis]->low && its <= view.brushes[axis]->high))
                return false;
        }
        return true;
    }

    /// The nearest line that is shown.
    int rowAt(QPointF at) {
        owner->ensureLayout();
        if (layout.empty) return -1;
        std::size_t right = 0;
        while (right < layout.order.size() && layout.x[layout.order[right]] <= at.x()) ++right;
        if (right == 0 || right == layout.order.size()) return -1;
        const std::size_t a = layout.order[right - 1], b = layout.order[right];
        const double share = (at.x() - layout.x[a]) / (layout.x[b] - layout.x[a]);
        int nearest = -1;
        double min = kLineReach;
        for (std::size_t row = 0; row < value.rows; ++row) {
            const double y = layout.scales[a].pixel(value.axes[a].values[row]) * (1 - share) +
                             layout.scales[b].pixel(value.axes[b].values[row]) * share;
            if (const double away = std::fabs(y - at.y()); away <= min && isShown(row)) {
                min = away;
                nearest = static_cast<int>(row);
            }
        }
        return nearest;
    }

    void hover(int row) {
        if (std::exchange(hovered, row) == row) return;
        emit owner->rowHovered(row);
        announce(*owner, toQt(escaped(value.title)), cardText().join(u", "_s));
    }

    /// Another end of the current axis' brush, in steps of the keyboard.
    void move(int steps, bool upper) {
        owner->ensureLayout();
        if (layout.empty || current >= layout.order.size()) return;
        const std::size_t axis = currentAxis();
        const report::Scale& scale = layout.scales[axis];
        const double step = scale.stretch.length() / kSteps;
        report::Stretch places = scale.stretch;
        if (const auto& brush = view.brushes[axis]) {
            // Ends that are open lie where the axis ends.
            const auto place = [&](double its, double otherwise) {
                const double at = scale.coordinate(its);
                return std::isfinite(at) ? at : otherwise;
            };
            places = {place(brush->low, places.low), place(brush->high, places.high)};
        }
        double& end = upper ? places.high : places.low;
        end = std::clamp(end + steps * step, scale.stretch.low, scale.stretch.high);
        if (places.low > places.high) std::swap(places.low, places.high);
        owner->forgetMouse();
        brush(axis, scale.pixelOf(places.low), scale.pixelOf(places.high));
        announceAxis();
    }

    /// Between two places of an axis. At an end of the axis it is open: what lies beyond, as points to come, is in it.
    void brush(std::size_t axis, double onePixel, double otherPixel) const {
        constexpr double kOpen = std::numeric_limits<double>::infinity(), kAtEnd = 1e-6;
        const report::Scale& scale = layout.scales[axis];
        const auto valueAt = [&](double pixel) {
            return std::fabs(pixel - scale.from) < kAtEnd ? -kOpen
                   : std::fabs(pixel - scale.to) < kAtEnd ? kOpen
                                                          : scale.value(pixel);
        };
        const double one = valueAt(onePixel), other = valueAt(otherPixel);
        owner->setBrush(axis, std::min(one, other), std::max(one, other));
    }

    /// The current axis, its place, and what is brushed of it.
    void announceAxis() {
        owner->ensureLayout();
        if (layout.empty || current >= view.order.size()) return;
        const report::ParallelPicture::Line& axis = value.axes[currentAxis()];
        const report::Scale& scale = layout.scales[currentAxis()];
        const auto text = [&](double its, double end) {
            if (!std::isfinite(its)) its = scale.value(scale.pixelOf(end));
            return toQt(escaped(axis.text ? axis.text(its) : report::tickText(its, axis.axis)));
        };
        QString said =
            u"%1, axis %2 of %3"_s.arg(toQt(escaped(axis.axis.title))).arg(current + 1).arg(view.order.size());
        if (owner->isInverted(currentAxis())) said += u", inverted"_s;
        const auto& range = view.brushes[currentAxis()];
        said +=
            range ? u", from %1 to %2"_s.arg(text(range->low, scale.stretch.low), text(range->high, scale.stretch.high))
                  : u", no brush"_s;
        announce(*owner, toQt(escaped(value.title)), said);
    }

    void take(std::size_t axis) {
        if (view.order.size() <= 2) return;
        std::erase(view.order, axis);
        rearranged();
    }

    QSize sizeHint() const override { return {640, 260}; }
    QSize minimumSizeHint() const override { return {240, 150}; }

    Exportable exportable() const override {
        const auto picture = std::make_shared<const report::ParallelPicture>(value);
        report::ParallelView seen = view;
        seen.places = nullptr;  // which may change meanwhile
        return {.name = toQt(picture->id), .svg = [picture, seen](const report::Theme& colours) {
                    return report::toSvg(*picture, seen, colours);
                }};
    }

    const report::Drawing& drawing() const override { return layout.drawing; }
    bool isZoomed() const override { return owner->isBrushed(); }
    void resetZoom() override { owner->clearBrushes(); }
    void layOut(const report::Size& size) override {
        view.places = &kept;
        layout = report::layOut(value, view, size, pictureWidth());
        behind.clear();
    }

    void paintPicture(QPainter& painter) override {
        const std::span<const report::Shape> all = layout.drawing.shapes;
        behind.draw(painter, *owner, [&](QPainter& inside) { paintShapes(inside, all.first(layout.behind)); });
        paintShapes(painter, all.subspan(layout.behind));
    }

    void paintAbove(QPainter& painter) override {
        if (layout.empty) return;
        if (owner->hasFocus() && current < layout.order.size())
            paintRing(painter, QRectF(layout.x[currentAxis()] - 9, layout.top - 3, 18, layout.bottom - layout.top + 6),
                      "accent", 1);
        if (moved) {
            painter.setPen(QPen(theme().colour("accent"), 2));
            painter.drawLine(QPointF(movedTo, layout.top), QPointF(movedTo, layout.bottom));
            const double to = layout.x[layout.order[placeAt(movedTo)]];
            painter.setPen(QPen(theme().colour("accent"), 1, Qt::DotLine));
            painter.drawLine(QPointF(to, layout.top), QPointF(to, layout.bottom));
        }
        if (hovered < 0 || static_cast<std::size_t>(hovered) >= value.rows) return;
        QPolygonF line;
        for (const std::size_t axis : layout.order) {
            const double its = value.axes[axis].values[static_cast<std::size_t>(hovered)];
            if (std::isfinite(its)) line.append({layout.x[axis], layout.scales[axis].pixel(its)});
        }
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme().colour("text"), 2));
        painter.drawPolyline(line);
        painter.restore();
    }

    void hoverAt(const std::optional<QPointF>& at) override {
        hover(at && !axisAt(*at) ? rowAt(*at) : -1);
        owner->setCursor(at && titleAt(*at) ? Qt::SizeHorCursor : Qt::ArrowCursor);
    }
    QStringList cardText() const override {
        if (hovered < 0 || static_cast<std::size_t>(hovered) >= value.rows) return {};
        if (card) return card(hovered);
        QStringList lines;
        for (const report::ParallelPicture::Line& axis : value.axes)
            lines.append(toQt(escaped(axis.axis.title) + ": " +
                              report::tickText(axis.values[static_cast<std::size_t>(hovered)], axis.axis)));
        return lines;
    }

    void clickAt(QPointF at, const QPoint& /*global*/) override {
        if (const std::optional<std::size_t> axis = axisAt(at)) {
            setCurrent(*axis);
            return owner->setBrush(*axis, 1, 0);
        }
        if (const std::optional<std::size_t> axis = titleAt(at)) {
            setCurrent(*axis);
            return owner->update();
        }
        if (const int row = rowAt(at); row >= 0) emit owner->rowClicked(row);
    }

    bool doubleClickAt(QPointF at) override {
        const std::optional<std::size_t> axis = titleAt(at);
        if (axis) owner->setInverted(*axis, !owner->isInverted(*axis));
        return !axis;
    }

    void setCurrent(std::size_t axis) {
        const auto place = std::find(view.order.begin(), view.order.end(), axis);
        if (place != view.order.end()) current = static_cast<std::size_t>(place - view.order.begin());
    }

    void beginDrag(Qt::KeyboardModifiers /*modifiers*/) override {
        dragged = axisAt(*owner->pressed());
        moved = dragged ? std::nullopt : titleAt(*owner->pressed());
        movedTo = owner->pressed()->x();
        if (dragged) setCurrent(*dragged);
        if (moved) setCurrent(*moved);
    }

    void dragTo(QPointF at) override {
        movedTo = at.x();
        if (!dragged || layout.empty) return;
        const auto inside = [&](double y) { return std::clamp(y, layout.top, layout.bottom); };
        brush(*dragged, inside(owner->pressed()->y()), inside(at.y()));
    }

    void endDrag(QPointF at) override {
        dragged.reset();
        if (const std::optional<std::size_t> axis = std::exchange(moved, std::nullopt))
            owner->moveAxis(*axis, placeAt(at.x()));
    }

    void fillMenu(QMenu& menu) override {
        const std::optional<QPointF>& at = owner->mouse();
        std::optional<std::size_t> axis;
        if (at) axis = axisAt(*at) ? axisAt(*at) : titleAt(*at);
        const std::size_t its = axis.value_or(currentAxis());
        if (layout.empty || its >= value.axes.size()) return;
        const QString name = toQt(escaped(value.axes[its].axis.title, 60)).replace(u'&', u"&&"_s);
        menu.addAction(u"Invert axis %1"_s.arg(name), owner,
                       [this, its] { owner->setInverted(its, !owner->isInverted(its)); });
        menu.addAction(u"Hide axis %1"_s.arg(name), owner, [this, its] { take(its); })
            ->setEnabled(view.order.size() > 2);
        menu.addSeparator();
    }

    void keyPressed(QKeyEvent& event) override {
        const bool upper = (event.modifiers() & Qt::ShiftModifier) != 0;
        switch (event.key()) {
            case Qt::Key_Left:
            case Qt::Key_Right: {
                if (view.order.empty()) return;
                const std::size_t last = view.order.size() - 1;
                const std::size_t to =
                    event.key() == Qt::Key_Left ? (current > 0 ? current - 1 : 0) : std::min(current + 1, last);
                if ((event.modifiers() & Qt::ControlModifier) != 0) {
                    owner->moveAxis(currentAxis(), to);
                    return announceAxis();
                }
                current = to;
                announceAxis();
                return owner->update();
            }
            case Qt::Key_Up:
                return move(1, upper);
            case Qt::Key_Down:
                return move(-1, upper);
            case Qt::Key_I:
                owner->setInverted(currentAxis(), !owner->isInverted(currentAxis()));
                return announceAxis();
            case Qt::Key_Delete:
                take(currentAxis());
                return announceAxis();
            case Qt::Key_Escape:
                if (!owner->isBrushed()) break;
                owner->clearBrushes();
                return announceAxis();
            default:
                break;
        }
        event.ignore();
    }
};

ParallelView::ParallelView(QWidget* parent) : PictureView(parent), d_(hold(std::make_unique<Implementation>(this))) {}

void ParallelView::setPicture(report::ParallelPicture picture) {
    const auto same = [](const auto& a, const auto& b) { return a.axis.title == b.axis.title; };
    if (!std::equal(picture.axes.begin(), picture.axes.end(), d_->value.axes.begin(), d_->value.axes.end(), same)) {
        d_->view.brushes.assign(picture.axes.size(), std::nullopt);
        d_->view.inverted.assign(picture.axes.size(), false);
        d_->view.order.resize(picture.axes.size());
        std::iota(d_->view.order.begin(), d_->view.order.end(), 0);
        d_->current = 0;
    }
    if (picture.rows != d_->value.rows) d_->view.shown.clear();
    d_->value = std::move(picture);
    d_->kept = {};
    if (d_->hovered >= static_cast<int>(d_->value.rows)) d_->hovered = -1;
    announce(*this, toQt(escaped(d_->value.title)), {});
    pictureChanged();
}

void ParallelView::setTones(std::vector<std::uint8_t> tones, report::ColourKey key) {
    d_->value.tones = std::move(tones);
    d_->value.key = std::move(key);
    pictureChanged();
}

const report::ParallelPicture& ParallelView::picture() const {
    return d_->value;
}

void ParallelView::setSelected(int row, int pinned) {
    const auto known = [](int index) {
        return index < 0 ? std::optional<std::size_t>() : std::optional(static_cast<std::size_t>(index));
    };
    if (d_->view.selected == known(row) && d_->view.pinned == known(pinned)) return;
    d_->view.selected = known(row);
    d_->view.pinned = known(pinned);
    if (!isStale()) report::changeStronger(d_->layout, d_->value, d_->view);
    paintAgain();
}

void ParallelView::setHovered(int row) {
    if (underMouse() || d_->hovered == row) return;  // this view's own mouse leads
    d_->hovered = row;
    update();
}

void ParallelView::setCard(std::function<QStringList(int row)> card) {
    d_->card = std::move(card);
}

void ParallelView::setShown(std::vector<std::uint8_t> shown) {
    d_->view.shown = std::move(shown);
    pictureChanged();
}

void ParallelView::setBrush(std::size_t axis, double low, double high) {
    if (axis >= d_->view.brushes.size()) return;
    const bool all = std::isinf(low) && std::isinf(high);
    d_->view.brushes[axis] = low <= high && !all ? std::optional(report::Stretch{low, high}) : std::nullopt;
    d_->changed();
}

std::optional<report::Stretch> ParallelView::brush(std::size_t axis) const {
    return axis < d_->view.brushes.size() ? d_->view.brushes[axis] : std::nullopt;
}

void ParallelView::setBrushes(std::vector<std::optional<report::Stretch>> brushes) {
    d_->view.brushes = std::move(brushes);
    d_->view.brushes.resize(d_->value.axes.size());
    pictureChanged();
}

void ParallelView::clearBrushes() {
    d_->view.brushes.assign(d_->value.axes.size(), std::nullopt);
    d_->changed();
}

std::vector<std::uint8_t> ParallelView::shown() const {
    if (!d_->view.shown.empty()) return d_->view.shown;
    return isBrushed() ? report::brushed(d_->value, d_->view) : std::vector<std::uint8_t>();
}

bool ParallelView::isBrushed() const {
    return std::any_of(d_->view.brushes.begin(), d_->view.brushes.end(),
                       [](const auto& brush) { return brush.has_value(); });
}

const std::vector<std::size_t>& ParallelView::order() const {
    return d_->view.order;
}

void ParallelView::setOrder(std::vector<std::size_t> order) {
    std::erase_if(order, [this](std::size_t axis) { return axis >= d_->value.axes.size(); });
    if (order.size() < 2 || order == d_->view.order) return;
    d_->view.order = std::move(order);
    d_->rearranged();
}

void ParallelView::moveAxis(std::size_t axis, std::size_t place) {
    std::vector<std::size_t>& order = d_->view.order;
    const auto at = std::find(order.begin(), order.end(), axis);
    if (at == order.end() || place >= order.size()) return;
    order.erase(at);
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), axis);
    d_->current = place;
    d_->rearranged();
}

bool ParallelView::isInverted(std::size_t axis) const {
    return axis < d_->view.inverted.size() && d_->view.inverted[axis];
}

void ParallelView::setInverted(std::size_t axis, bool on) {
    if (axis >= d_->view.inverted.size() || d_->view.inverted[axis] == on) return;
    d_->view.inverted[axis] = on;
    d_->rearranged();
}

const report::ParallelLayout& ParallelView::layout() {
    ensureLayout();
    return d_->layout;
}

}  // namespace tessera::ui
