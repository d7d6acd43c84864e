#pragma once

#include <memory>
#include <utility>

#include "core/base/timeline.h"
#include "ui/views/plot/picture_view.h"

namespace tessera::ui {

/// A Timeline: lanes of 22 px, time ruler on top, names inside when they fit, hover card otherwise, idle
/// hatched; wheel zooms at the cursor, drag pans, rubber band with Shift, keyboard walks along events. 100,000 events
/// stay fluid.
class GanttView : public PictureView {
    Q_OBJECT

public:
    explicit GanttView(QWidget* parent = nullptr);
    ~GanttView() override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    void setTimeline(Timeline timeline);
    /// Shows or hides the timeline's notes in the picture; exports always have them.
    void setNotesVisible(bool visible);
    const Timeline& timeline() const;
    void resetZoom() override;
    std::pair<double, double> visibleRange() const;  ///< seconds
    void setSelected(int event);                     ///< -1 = none
    Exportable exportable() const override;

signals:
    void eventSelected(int event);
    void visibleRangeChanged(double from, double to);  ///< seconds, so that another view can follow
public slots:
    void showRange(double from, double to);

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
    void endDrag(QPointF at) override;
    bool zoomAt(QPointF at, double factor) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
