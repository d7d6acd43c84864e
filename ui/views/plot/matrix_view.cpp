#include "ui/views/plot/matrix_view.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/drawing_painter.h"
#include "ui/views/plot/plot_index.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr double kReachOfRow = 10;  ///< pixels

}  // namespace

struct MatrixView::Implementation : PictureContent {
    explicit Implementation(MatrixView* widget) : owner(widget) {}

    MatrixView* owner;
    report::MatrixPicture value;
    report::MatrixView view;
    report::MatrixShares shares;  ///< of the value
    report::MatrixLayout layout;
    std::function<QStringList(int row)> card;
    PlotIndex index;
    std::size_t indexed = 0;  ///< the field that the index is of, from 1
    int hovered = -1;
    std::size_t current = 0;  ///< field of the keyboard

    QSize sizeHint() const override { return {640, 480}; }
    QSize minimumSizeHint() const override { return {240, 180}; }
    const report::Drawing& drawing() const override { return layout.drawing; }
    void layOut(const report::Size& size) override {
        view.shares = &shares;
        layout = report::layOut(value, view, size, pictureWidth());
        indexed = 0;
    }

    Exportable exportable() const override {
        const auto picture = std::make_shared<const report::MatrixPicture>(value);
        return {.name = toQt(picture->id),
                .svg = [picture](const report::Theme& colours) { return report::toSvg(*picture, colours); }};
    }

    std::optional<std::size_t> fieldAt(QPointF at) {
        owner->ensureLayout();
        for (std::size_t i = 0; i < layout.cells.size(); ++i)
            if (layout.cells[i].area.contains({at.x(), at.y()})) return i;
        return std::nullopt;
    }

    /// The nearest row; places of rows are gathered for the field under the mouse.
    int rowAt(QPointF at) {
        const std::optional<std::size_t> field = fieldAt(at);
        if (!field || layout.cells[*field].x == layout.cells[*field].y) return -1;
        const report::MatrixCell& cell = layout.cells[*field];
        if (indexed != *field + 1) {
            indexed = *field + 1;
            index.clear(toRect(cell.area).adjusted(-1, -1, 1, 1));
            for (std::size_t row = 0; row < value.rows; ++row) {
                if (row < value.shown.size() && value.shown[row] == 0) continue;
                if (const std::optional<report::Point> place = report::placeOf(value, layout, cell, row))
                    index.add({0, static_cast<int>(row), {place->x, place->y}});
            }
        }
        const auto found = index.nearest(at, kReachOfRow);
        return found ? found->point : -1;
    }

    void hoverAt(const std::optional<QPointF>& at) override {
        const int row = at ? rowAt(*at) : -1;
        if (std::exchange(hovered, row) == row) return;
        emit owner->rowHovered(row);
        announce(*owner, toQt(escaped(value.title)), cardText().join(u", "_s));
    }
    QStringList cardText() const override { return hovered >= 0 && card ? card(hovered) : QStringList(); }

    void choose(std::size_t field) const {
        const report::MatrixCell& cell = layout.cells[field];
        if (cell.x != cell.y) emit owner->fieldChosen(static_cast<int>(cell.x), static_cast<int>(cell.y));
    }
    void clickAt(QPointF at, const QPoint& /*global*/) override {
        if (const int row = rowAt(at); row >= 0) return emit owner->rowClicked(row);
        if (const std::optional<std::size_t> field = fieldAt(at)) {
            current = *field;
            choose(*field);
        }
    }

    void paintAbove(QPainter& painter) override {
        if (layout.empty) return;
        if (owner->hasFocus() && current < layout.cells.size())
            paintRing(painter, toRect(layout.cells[current].area), "accent", 1);
        if (hovered < 0 || static_cast<std::size_t>(hovered) >= value.rows) return;
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme().colour("text"), 1.5));
        painter.setBrush(Qt::NoBrush);
        for (const report::MatrixCell& cell : layout.cells)
            if (const auto at = report::placeOf(value, layout, cell, static_cast<std::size_t>(hovered)))
                painter.drawEllipse(QPointF(at->x, at->y), 4, 4);
        painter.restore();
    }

    void keyPressed(QKeyEvent& event) override {
        owner->ensureLayout();
        if (layout.cells.empty()) return event.ignore();
        const report::MatrixCell& at = layout.cells[std::min(current, layout.cells.size() - 1)];
        int x = static_cast<int>(at.x), y = static_cast<int>(at.y);
        switch (event.key()) {
            case Qt::Key_Left:
                --x;
                break;
            case Qt::Key_Right:
                ++x;
                break;
            case Qt::Key_Up:
                --y;
                break;
            case Qt::Key_Down:
                ++y;
                break;
            case Qt::Key_Return:
            case Qt::Key_Enter:
                return choose(current);
            default:
                return event.ignore();
        }
        for (std::size_t i = 0; i < layout.cells.size(); ++i)
            if (static_cast<int>(layout.cells[i].x) == x && static_cast<int>(layout.cells[i].y) == y) current = i;
        const report::MatrixCell& now = layout.cells[current];
        announce(*owner, toQt(escaped(value.title)),
                 toQt(escaped(value.axes[now.y].axis.title + " against " + value.axes[now.x].axis.title)));
        owner->update();
    }
};

MatrixView::MatrixView(QWidget* parent) : PictureView(parent), d_(hold(std::make_unique<Implementation>(this))) {}

void MatrixView::setPicture(report::MatrixPicture picture) {
    d_->value = std::move(picture);
    d_->shares = report::sharesOf(d_->value);
    if (d_->hovered >= static_cast<int>(d_->value.rows)) d_->hovered = -1;
    announce(*this, toQt(escaped(d_->value.title)), {});
    pictureChanged();
}

const report::MatrixPicture& MatrixView::picture() const {
    return d_->value;
}

void MatrixView::setShown(std::vector<std::uint8_t> shown) {
    if (std::exchange(d_->value.shown, std::move(shown)) != d_->value.shown) pictureChanged();
}

void MatrixView::setSelected(int row) {
    const auto its = row < 0 ? std::optional<std::size_t>() : std::optional(static_cast<std::size_t>(row));
    if (std::exchange(d_->view.selected, its) != its) pictureChanged();
}

void MatrixView::setHovered(int row) {
    if (underMouse() || d_->hovered == row) return;
    d_->hovered = row;
    update();
}

void MatrixView::setCard(std::function<QStringList(int row)> card) {
    d_->card = std::move(card);
}

const report::MatrixLayout& MatrixView::layout() {
    ensureLayout();
    return d_->layout;
}

}  // namespace tessera::ui
