#pragma once

#include <QPointF>
#include <QStringList>
#include <QWidget>
#include <memory>
#include <optional>
#include <utility>

#include "core/draw/drawing.h"
#include "core/draw/picture.h"
#include "ui/views/exportable.h"

class QMenu;
class QPainter;

namespace tessera::ui {

class PictureCache;

inline constexpr double kDragged = 4;  ///< pixels from which a click is a drag

/// Content of a PictureView: a picture that `core/report` lays out, and its answers to mouse and keyboard.
class PictureContent {
public:
    virtual ~PictureContent() = default;
    virtual Exportable exportable() const = 0;
    virtual QSize sizeHint() const = 0;
    virtual QSize minimumSizeHint() const { return {}; }

    /// Lays the picture out for a size in pixels; called before it is needed, after it changed.
    virtual void layOut(const report::Size& size) = 0;
    /// The drawing of the layout.
    virtual const report::Drawing& drawing() const = 0;
    /// Paints what stays until something changes.
    virtual void paintPicture(QPainter& painter);
    /// Paints what follows the mouse and the keyboard.
    virtual void paintAbove(QPainter& /*painter*/) {}
    /// The whole of the text that was cut at this place; empty where there is none.
    virtual QString cutText(QPointF at) const;

    virtual bool isZoomed() const { return false; }
    /// Everything in sight again.
    virtual void resetZoom() {}
    /// Zooms about a place; false where there is nothing to zoom.
    virtual bool zoomAt(QPointF /*at*/, double /*factor*/) { return false; }
    /// The place that the keyboard zooms about; empty where it does not zoom.
    virtual std::optional<QPointF> zoomCentre() const { return std::nullopt; }

    /// The mouse is over a place, or away.
    virtual void hoverAt(const std::optional<QPointF>& at) = 0;
    /// Text of the card beside the mouse; empty = no card.
    virtual QStringList cardText() const { return {}; }
    virtual void clickAt(QPointF /*at*/, const QPoint& /*global*/) {}
    /// The second click at a place; false where it is one more click, and not a double-click.
    virtual bool doubleClickAt(QPointF /*at*/) { return true; }
    /// A drag begins at `pressed()`; it moves, and ends.
    virtual void beginDrag(Qt::KeyboardModifiers /*modifiers*/) {}
    virtual void dragTo(QPointF /*at*/) {}
    virtual void endDrag(QPointF /*at*/) {}
    /// Keys but those that all pictures share; ignores those that it has no use for.
    virtual void keyPressed(QKeyEvent& event);
    /// Puts what is special about a view on top of its context menu.
    virtual void fillMenu(QMenu& /*menu*/) {}
    /// Does something else than to open the context menu; false where it does not.
    virtual bool replaceMenu(const QContextMenuEvent& /*event*/) { return false; }
};

/// A view of a picture. Keeps the layout and the painted picture until something changes, paints above it what follows
/// mouse and keyboard, tells hovers, clicks and drags apart, shows the whole of a text that was cut on hover, is shown
/// alone by F or a double-click, and has the context menu that all pictures share.
class PictureView : public QWidget {
    Q_OBJECT

public:
    explicit PictureView(QWidget* parent = nullptr);
    ~PictureView() override;
    QSize sizeHint() const override { return content_->sizeHint(); }
    QSize minimumSizeHint() const override { return content_->minimumSizeHint(); }
    Exportable exportable() const { return content_->exportable(); }
    /// Everything in sight again.
    void resetZoom() { content_->resetZoom(); }

protected:
    /// Takes the content, once, and returns it.
    template <typename Content>
    Content* hold(std::unique_ptr<Content> content) {
        Content* const its = content.get();
        content_ = std::move(content);
        return its;
    }

    const std::optional<QPointF>& mouse() const { return mouse_; }
    const std::optional<QPointF>& pressed() const { return pressed_; }
    bool isDragging() const { return dragging_; }
    /// The keyboard leads from here on, until the mouse moves again.
    void forgetMouse() { mouse_.reset(); }

    /// Lays out and paints again before it is seen.
    void pictureChanged();
    /// Paints again before it is seen, what the layout has become meanwhile.
    void paintAgain();
    /// Marks the layout as stale, without a repaint.
    void markStale() { stale_ = true; }
    bool isStale() const { return stale_; }  ///< laid out again before it is seen
    void ensureLayout();

    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void openMenu(const QPoint& global);

    std::unique_ptr<PictureContent> content_;
    std::unique_ptr<PictureCache> cache_;
    bool stale_ = true;
    std::optional<QPointF> mouse_, pressed_;
    Qt::KeyboardModifiers modifiers_;  ///< at the press
    bool dragging_ = false;
};

}  // namespace tessera::ui
