#pragma once

#include <QTabBar>
#include <QTabWidget>

class QMenu;
class QToolButton;

namespace tessera::ui {

/// The row of tabs of one group of documents. Titles stay long enough to be distinguished; where they do not fit, the
/// row scrolls. A tab can be dragged out of its row, to be dropped somewhere else.
class DocumentTabs : public QTabBar {
    Q_OBJECT

public:
    using QTabBar::QTabBar;

signals:
    void draggedOut(const QPoint& global);  ///< the current tab is being dragged, and the mouse is there
    void dropped(const QPoint& global);
    void dragCancelled();  ///< by Escape

protected:
    QSize minimumTabSizeHint(int index) const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool isOutside(const QPoint& position) const;
    void beginDrag(const QMouseEvent& event);
    void endDrag();

    bool pressed_ = false;
    bool dragging_ = false;
};

/// A group of documents in tabs, with a menu of all of them at the end of the row.
class DocumentGroup : public QTabWidget {
    Q_OBJECT

public:
    explicit DocumentGroup(QWidget* parent = nullptr);
    DocumentTabs* tabs() const { return tabs_; }
    QMenu* menu() const { return menu_; }  ///< of all open documents; filled by `menuWanted`

signals:
    void menuWanted(QMenu* menu);  ///< about to show

protected:
    void tabInserted(int index) override;
    void tabRemoved(int index) override;

private:
    DocumentTabs* tabs_;
    QMenu* menu_;
    QToolButton* all_;
};

/// Shows where a dragged tab would come to be.
class DropMark : public QWidget {
public:
    explicit DropMark(QWidget* parent);

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace tessera::ui
