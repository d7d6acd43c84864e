#pragma once

#include <memory>

#include "core/draw/picture.h"
#include "ui/views/plot/picture_view.h"

namespace tessera::ui {

/// A report::HeatMap with zoom, a legend, keyboard cursor (arrows), hover card and context menu. Of more cells than
/// pixels, neighbours share a pixel that shows their most frequent category.
class HeatMapView : public PictureView {
    Q_OBJECT

public:
    explicit HeatMapView(QWidget* parent = nullptr);
    ~HeatMapView() override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    void setHeatMap(report::HeatMap map);
    const report::HeatMap& heatMap() const;
    void setSelected(int row, int column);        ///< -1 = none
    void setPinned(const QVector<int>& columns);  ///< columns with a pin in their head
    Exportable exportable() const override;
    void resetZoom() override;
    QRect cellRect(int row, int column) const;  ///< in widget coordinates, for tests and hover cards

signals:
    void cellSelected(int row, int column);
    /// Enter, context menu or a click that no second one follows on a cell: the owner shows what can be done there.
    void cellActivated(int row, int column, const QPoint& globalPosition);

protected:
    bool isZoomed() const override;
    void layOut(const report::Size& size) override;
    void paintPicture(QPainter& painter) override;
    void paintAbove(QPainter& painter) override;
    QString cutText(QPointF at) const override;
    void hoverAt(const std::optional<QPointF>& at) override;
    QStringList cardText() const override;
    void clickAt(QPointF at, const QPoint& global) override;
    void beginDrag(Qt::KeyboardModifiers modifiers) override;
    void dragTo(QPointF at) override;
    bool zoomAt(QPointF at, double factor) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
