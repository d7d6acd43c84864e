#include "ui/views/plot/parallel_view.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/drawing_painter.h"

namespace tessera::ui {

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
    int hovered = -1;
    std::optional<std::size_t> dragged;  ///< the axis whose brush is drawn
    std::size_t current = 0;             ///< of the keyboard

    void changed() {
        owner->pictureChanged();
        emit owner->brushed();
    }

    std::optional<std::size_t> axisAt(QPointF at) {
        owner->ensureLayout();
        for (std::size_t axis = 0; axis < layout.x.size(); ++axis)
            if (std::fabs(layout.x[axis] - at.x()) <= kGrip && at.y() >= layout.top - kGrip &&
                at.y() <= layout.bottom + kGrip)
                return axis;
        return std::nullopt;
    }

    /// The nearest line that is not left out by a brush.
    int rowAt(QPointF at) {
        owner->ensureLayout();
        if (layout.empty) return -1;
        const auto right = std::upper_bound(layout.x.begin(), layout.x.end(), at.x());
        if (right == layout.x.begin() || right == layout.x.end()) return -1;
        const auto b = static_cast<std::size_t>(right - layout.x.begin());
        const std::size_t a = b - 1;
        const double share = (at.x() - layout.x[a]) / (layout.x[b] - layout.x[a]);
        const std::vector<bool> inside = report::brushed(value, view);
        int nearest = -1;
        double min = kLineReach;
        for (std::size_t row = 0; row < value.rows.size(); ++row) {
            const std::vector<double>& values = value.rows[row].values;
            if (!inside[row] || b >= values.size()) continue;
            const double y =
                layout.scales[a].pixel(values[a]) * (1 - share) + layout.scales[b].pixel(values[b]) * share;
            if (const double away = std::fabs(y - at.y()); away <= min) {
                min = away;
                nearest = static_cast<int>(row);
            }
        }
        return nearest;
    }

    QStringList textOf(int row) const {
        if (row < 0 || static_cast<std::size_t>(row) >= value.rows.size()) return {};
        const report::ParallelPicture::Row& its = value.rows[static_cast<std::size_t>(row)];
        QStringList lines{toQt(escaped(its.name))};
        for (std::size_t axis = 0; axis < value.axes.size() && axis < its.values.size(); ++axis)
            lines.append(
                toQt(escaped(value.axes[axis].title) + ": " + report::tickText(its.values[axis], value.axes[axis])));
        return lines;
    }

    /// Another end of the current axis' brush, in steps of the keyboard.
    void move(int steps, bool upper) {
        owner->ensureLayout();
        if (layout.empty || current >= layout.scales.size()) return;
        const report::Scale& scale = layout.scales[current];
        const double step = scale.stretch.length() / kSteps;
        report::Stretch places = scale.stretch;
        if (const auto& brush = view.brushes[current])
            places = {scale.coordinate(brush->low), scale.coordinate(brush->high)};
        double& end = upper ? places.high : places.low;
        end = std::clamp(end + steps * step, scale.stretch.low, scale.stretch.high);
        if (places.low > places.high) std::swap(places.low, places.high);
        owner->forgetMouse();
        owner->setBrush(current, scale.value(scale.pixelOf(places.low)), scale.value(scale.pixelOf(places.high)));
    }

    QSize sizeHint() const override { return {640, 260}; }
    QSize minimumSizeHint() const override { return {320, 170}; }

    Exportable exportable() const override {
        const auto picture = std::make_shared<const report::ParallelPicture>(value);
        return {.name = toQt(picture->id),
                .svg = [picture](const report::Theme& colours) { return report::toSvg(*picture, colours); }};
    }

    const report::Drawing& drawing() const override { return layout.drawing; }
    bool isZoomed() const override { return owner->isBrushed(); }
    void resetZoom() override { owner->clearBrushes(); }
    void layOut(const report::Size& size) override { layout = report::layOut(value, view, size, pictureWidth()); }

    void paintAbove(QPainter& painter) override {
        if (layout.empty) return;
        if (owner->hasFocus() && current < layout.x.size())
            paintRing(painter, QRectF(layout.x[current] - 9, layout.top - 3, 18, layout.bottom - layout.top + 6),
                      "accent", 1);
        if (hovered < 0 || static_cast<std::size_t>(hovered) >= value.rows.size()) return;
        QPolygonF line;
        const std::vector<double>& values = value.rows[static_cast<std::size_t>(hovered)].values;
        for (std::size_t axis = 0; axis < layout.x.size() && axis < values.size(); ++axis)
            line.append({layout.x[axis], layout.scales[axis].pixel(values[axis])});
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme().colour("text"), 2));
        painter.drawPolyline(line);
        painter.restore();
    }

    void hoverAt(const std::optional<QPointF>& at) override { hovered = at && !axisAt(*at) ? rowAt(*at) : -1; }
    QStringList cardText() const override { return textOf(hovered); }

    void clickAt(QPointF at, const QPoint& /*global*/) override {
        if (const std::optional<std::size_t> axis = axisAt(at)) {
            current = *axis;
            return owner->setBrush(*axis, 1, 0);
        }
        if (const int row = rowAt(at); row >= 0) emit owner->rowClicked(row);
    }

    void beginDrag(Qt::KeyboardModifiers /*modifiers*/) override {
        dragged = axisAt(*owner->pressed());
        if (dragged) current = *dragged;
    }

    void dragTo(QPointF at) override {
        if (!dragged || layout.empty) return;
        const report::Scale& scale = layout.scales[*dragged];
        const auto valueAt = [&](double y) { return scale.value(std::clamp(y, layout.top, layout.bottom)); };
        const double one = valueAt(owner->pressed()->y()), other = valueAt(at.y());
        owner->setBrush(*dragged, std::min(one, other), std::max(one, other));
    }

    void keyPressed(QKeyEvent& event) override {
        const int last = static_cast<int>(value.axes.size()) - 1;
        const bool upper = (event.modifiers() & Qt::ShiftModifier) != 0;
        switch (event.key()) {
            case Qt::Key_Left:
            case Qt::Key_Right:
                current = static_cast<std::size_t>(std::clamp(
                    static_cast<int>(current) + (event.key() == Qt::Key_Left ? -1 : 1), 0, std::max(last, 0)));
                return owner->update();
            case Qt::Key_Up:
                return move(1, upper);
            case Qt::Key_Down:
                return move(-1, upper);
            case Qt::Key_Escape:
                if (!owner->isBrushed()) break;
                return owner->clearBrushes();
            default:
                break;
        }
        event.ignore();
    }
};

ParallelView::ParallelView(QWidget* parent) : PictureView(parent), d_(hold(std::make_unique<Implementation>(this))) {}

void ParallelView::setPicture(report::ParallelPicture picture) {
    const auto same = [](const report::Axis& a, const report::Axis& b) { return a.title == b.title; };
    if (!std::equal(picture.axes.begin(), picture.axes.end(), d_->value.axes.begin(), d_->value.axes.end(), same)) {
        d_->view.brushes.assign(picture.axes.size(), std::nullopt);
        d_->current = 0;
    }
    d_->value = std::move(picture);
    d_->hovered = -1;
    announce(*this, toQt(escaped(d_->value.title)), {});
    pictureChanged();
}

const report::ParallelPicture& ParallelView::picture() const {
    return d_->value;
}

void ParallelView::setSelected(int row, int pinned) {
    const auto known = [](int index) {
        return index < 0 ? std::optional<std::size_t>() : std::optional(static_cast<std::size_t>(index));
    };
    d_->view.selected = known(row);
    d_->view.pinned = known(pinned);
    pictureChanged();
}

void ParallelView::setBrush(std::size_t axis, double low, double high) {
    if (axis >= d_->view.brushes.size()) return;
    d_->view.brushes[axis] = low <= high ? std::optional(report::Stretch{low, high}) : std::nullopt;
    d_->changed();
}

void ParallelView::clearBrushes() {
    d_->view.brushes.assign(d_->value.axes.size(), std::nullopt);
    d_->changed();
}

std::vector<bool> ParallelView::shown() const {
    return isBrushed() ? report::brushed(d_->value, d_->view) : std::vector<bool>();
}

bool ParallelView::isBrushed() const {
    return std::any_of(d_->view.brushes.begin(), d_->view.brushes.end(),
                       [](const auto& brush) { return brush.has_value(); });
}

const report::ParallelLayout& ParallelView::layout() {
    ensureLayout();
    return d_->layout;
}

}  // namespace tessera::ui
