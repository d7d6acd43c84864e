#pragma once

#include <QJsonObject>
#include <QWidget>
#include <memory>

#include "ui/models/graph_colouring.h"
#include "ui/models/graph_contents.h"
#include "ui/views/exportable.h"
#include "ui/views/graph/graph_scene.h"

class QMenu;

namespace tessera::ui {

/// A model's graph, folded: pan, zoom to the cursor, minimap, search, a walk along the edges by keyboard. Layouts are
/// made by Graphviz on a worker thread; the picture stays as it is until the next one is there.
class GraphView : public QWidget {
    Q_OBJECT

public:
    explicit GraphView(QWidget* parent = nullptr);
    ~GraphView() override;

    /// Shows another model, or the same with other shapes: then what is open and selected stays.
    void setContents(std::shared_ptr<const ModelContents> contents);
    const std::shared_ptr<const ModelContents>& contents() const;
    void setColourBy(ColourBy by);
    ColourBy colourBy() const;
    void setOverlay(const GraphOverlay& overlay);
    void setLeftToRight(bool leftToRight);
    bool isLeftToRight() const;

    /// Opens or folds a group in place: it stays where it is on the screen.
    void expand(int node);
    void collapse(int node);
    /// Opens all groups, level by level, up to the limit of what a layout may show.
    void expandAll();
    void collapseAll();
    bool isExpanded(int node) const;

    void select(int node);  ///< -1 = nothing
    int selected() const;
    /// Opens what hides the node, selects it and brings it into view.
    void reveal(int node);

    /// Looks for name, type or shape; returns how many operators match and goes to the first. Empty text ends it.
    int search(const QString& text);
    void searchNext(int step);   ///< +1, -1
    int searchPosition() const;  ///< from 1; 0 = none

    void fit();
    void zoomBy(double factor);
    double zoom() const;
    void back();
    void forward();
    bool canGoBack() const;
    bool canGoForward() const;
    /// Takes up the zoom of another view, with a node that both show at the same place: for graphs side by side.
    void followView(const GraphView& other);

    bool isLaidOut() const;  ///< no layout is under way
    int visibleCount() const;
    QString note() const;  ///< why the picture is not by Graphviz; empty otherwise
    /// Rectangle of a visible node on the widget; empty where it is hidden.
    QRectF nodeRect(int node) const;
    /// The small map's place on the widget; empty where it is not needed.
    QRectF overviewRect() const;
    /// Shapes of what is there: a node or an arrow; empty where there is nothing.
    QString hoverTextAt(const QPoint& place) const;
    /// Entries of the context menu of a node (-1 = of the graph).
    void fillMenu(QMenu& menu, int node);
    const report::GraphPicture& picture() const;
    Exportable exportable() const;

    QJsonObject saveView() const;
    void restoreView(const QJsonObject& view);

    QSize sizeHint() const override;

signals:
    void nodeSelected(int node);
    void nodeActivated(int node);  ///< Enter or double click on an operator
    void laidOut();
    void viewChanged();  ///< zoom, history or search: actions may be enabled or disabled
    void viewMoved();    ///< by the user or after a layout: pan or zoom
    void noted(const QString& sentence);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    bool walkByKey(const QKeyEvent& event);
    bool actByKey(const QKeyEvent& event);

    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
