#include "ui/views/plot/picture_view.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>
#include <utility>

#include "ui/theme/theme.h"
#include "ui/views/picture_alone.h"
#include "ui/views/plot/drawing_painter.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

void PictureContent::paintPicture(QPainter& painter) {
    paintDrawing(painter, drawing());
}

QString PictureContent::cutText(QPointF at) const {
    return cutTextAt(drawing(), at);
}

void PictureContent::keyPressed(QKeyEvent& event) {
    event.ignore();
}

PictureView::PictureView(QWidget* parent) : QWidget(parent), cache_(std::make_unique<PictureCache>()) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setStandsAlone(*this);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&theme(), &Theme::changed, this, [this] { pictureChanged(); });
}

PictureView::~PictureView() = default;

void PictureView::pictureChanged() {
    stale_ = true;
    update();
}

void PictureView::paintAgain() {
    cache_->clear();
    update();
}

void PictureView::ensureLayout() {
    if (!stale_) return;
    stale_ = false;
    cache_->clear();
    // The ring of the focus stands around the picture.
    content_->layOut({width() - 2.0, height() - 2.0});
}

void PictureView::openMenu(const QPoint& global) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    content_->fillMenu(*menu);
    QAction* const everything = menu->addAction(u"Show everything"_s, this, [this] { resetZoom(); });
    everything->setShortcut(QKeySequence(Qt::Key_Home));
    everything->setEnabled(content_->isZoomed());
    QAction* const alone =
        menu->addAction(isAlone(*this) ? u"Back to the page"_s : u"Show alone"_s, this, [this] { toggleAlone(*this); });
    alone->setShortcut(QKeySequence(Qt::Key_F));
    menu->addSeparator();
    addExportActions(*menu, *this, [this] { return exportable(); });
    menu->popup(global);
}

bool PictureView::event(QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::FontChange) stale_ = true;
    if (event->type() == QEvent::ToolTip) {
        ensureLayout();
        const auto* const help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), content_->cutText(help->pos()).toHtmlEscaped(), this);
        return true;
    }
    // Before the keys of the picture itself: F is the same in all of them.
    if (event->type() == QEvent::KeyPress) {
        const auto* const key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_F && key->modifiers() == Qt::NoModifier) {
            toggleAlone(*this);
            return true;
        }
    }
    return QWidget::event(event);
}

void PictureView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    ensureLayout();
    paintFocusRing(painter, *this);  // below the picture, whose numbers may begin at its very edge
    cache_->draw(painter, *this, [this](QPainter& inside) { content_->paintPicture(inside); });
    content_->paintAbove(painter);
    if (mouse_ && !dragging_) paintCard(painter, *mouse_, content_->cardText(), rect());
}

void PictureView::contextMenuEvent(QContextMenuEvent* event) {
    if (!content_->replaceMenu(*event)) openMenu(event->globalPos());
}

void PictureView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    mouse_ = pressed_ = event->position();
    modifiers_ = event->modifiers();
    dragging_ = false;
}

void PictureView::mouseMoveEvent(QMouseEvent* event) {
    mouse_ = event->position();
    if (pressed_ && (event->buttons() & Qt::LeftButton) != 0) {
        if (!dragging_ && (*mouse_ - *pressed_).manhattanLength() >= kDragged) {
            dragging_ = true;
            ensureLayout();
            content_->beginDrag(modifiers_ | event->modifiers());
        }
        if (dragging_) content_->dragTo(*mouse_);
    } else {
        content_->hoverAt(mouse_);
    }
    update();
}

void PictureView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !pressed_) return;
    const bool dragged = std::exchange(dragging_, false);
    if (dragged)
        content_->endDrag(event->position());
    else
        content_->clickAt(event->position(), event->globalPosition().toPoint());
    pressed_.reset();
    update();
}

void PictureView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (content_->doubleClickAt(event->position()))
        toggleAlone(*this);
    else
        mousePressEvent(event);
}

void PictureView::wheelEvent(QWheelEvent* event) {
    const double turns = event->angleDelta().y() / 120.0;
    ensureLayout();
    event->setAccepted(turns != 0 && content_->zoomAt(event->position(), std::pow(0.8, turns)));
}

void PictureView::leaveEvent(QEvent* event) {
    mouse_.reset();
    content_->hoverAt(std::nullopt);
    update();
    QWidget::leaveEvent(event);
}

void PictureView::keyPressEvent(QKeyEvent* event) {
    const int key = event->key();
    const bool in = key == Qt::Key_Plus || key == Qt::Key_Equal;
    const std::optional<QPointF> centre = content_->zoomCentre();
    if (centre && key == Qt::Key_Home)
        resetZoom();
    else if (centre && (in || key == Qt::Key_Minus))
        content_->zoomAt(*centre, in ? 0.8 : 1.25);
    else
        content_->keyPressed(*event);
}

}  // namespace tessera::ui
