#pragma once

#include <QWidget>
#include <memory>

#include "core/report/picture.h"
#include "ui/views/exportable.h"

class QMenu;
class QPainter;

namespace tessera::ui {

class PictureCache;

inline constexpr double kDragged = 4;  ///< pixels that tell a drag from a click

/// A view of a picture that `core/report` lays out. Keeps the layout and the painted picture until something changes,
/// paints above it what follows mouse and keyboard, shows the whole of a text that was cut on hover, and has the
/// context menu that all pictures share.
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

    /// Lays out and paints again before it is seen.
    void pictureChanged();
    /// The same without asking for a painting.
    void markStale() { stale_ = true; }
    void ensureLayout();
    void openMenu(const QPoint& global);

    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    std::unique_ptr<PictureCache> cache_;
    bool stale_ = true;
};

}  // namespace tessera::ui
