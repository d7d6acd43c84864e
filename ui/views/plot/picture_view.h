#pragma once

#include <QPointF>
#include <QStringList>
#include <QWidget>
#include <memory>
#include <optional>

#include "core/draw/picture.h"
#include "ui/views/exportable.h"

class QMenu;
class QPainter;

namespace tessera::ui {

class PictureCache;

inline constexpr double kDragged = 4;  ///< pixels from which a click is a drag

/// A view of a picture that `core/report` lays out. Keeps the layout and the painted picture until something changes,
/// paints above it what follows mouse and keyboard, distinguishes hovers, clicks and drags, shows the whole of a text
/// that was cut on hover, is shown alone by F or a double-click, and has the context menu that all pictures share.
class PictureView : public QWidget {
    Q_OBJECT

public:
    explicit PictureView(QWidget* parent = nullptr);
    ~PictureView() override;
    virtual Exportable exportable() const = 0;
    /// Everything in sight again.
    virtual void resetZoom() = 0;

protected:
    virtual bool isZoomed() const = 0;
    /// Lays the picture out for a size in pixels; called before it is needed, after it changed.
    virtual void layOut(const report::Size& size) = 0;
    /// Paints what stays until something changes.
    virtual void paintPicture(QPainter& painter) = 0;
    /// Paints what follows the mouse and the keyboard.
    virtual void paintAbove(QPainter& painter) = 0;
    /// The whole of the text that was cut at this place; empty where there is none.
    virtual QString cutText(QPointF at) const = 0;
    /// Puts what is special about a view on top of its context menu.
    virtual void fillMenu(QMenu& menu);

    /// The mouse is over a place, or away.
    virtual void hoverAt(const std::optional<QPointF>& at) = 0;
    /// Text of the card beside the mouse; empty = no card.
    virtual QStringList cardText() const { return {}; }
    virtual void clickAt(QPointF at, const QPoint& global) = 0;
    /// A drag begins at `pressed()`; it moves, and ends.
    virtual void beginDrag(Qt::KeyboardModifiers modifiers) = 0;
    virtual void dragTo(QPointF at) = 0;
    virtual void endDrag(QPointF /*at*/) {}
    /// Zooms about a place; false where there is nothing to zoom.
    virtual bool zoomAt(QPointF at, double factor) = 0;

    const std::optional<QPointF>& mouse() const { return mouse_; }
    const std::optional<QPointF>& pressed() const { return pressed_; }
    bool isDragging() const { return dragging_; }
    /// The keyboard leads from here on, until the mouse moves again.
    void forgetMouse() { mouse_.reset(); }

    /// Lays out and paints again before it is seen.
    void pictureChanged();
    /// Marks the layout as stale, without a repaint.
    void markStale() { stale_ = true; }
    void ensureLayout();
    void openMenu(const QPoint& global);

    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    std::unique_ptr<PictureCache> cache_;
    bool stale_ = true;
    std::optional<QPointF> mouse_, pressed_;
    Qt::KeyboardModifiers modifiers_;  ///< at the press
    bool dragging_ = false;
};

}  // namespace tessera::ui
