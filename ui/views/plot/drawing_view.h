#pragma once

#include <functional>
#include <memory>

#include "core/draw/drawing.h"
#include "ui/views/plot/picture_view.h"

class QScrollArea;

namespace tessera::ui {

/// A drawing that is laid out for the width of its place and is as tall as it needs; tips on hover, exports. It is not
/// zoomed: put it into a scroll area (`scrolled`).
class DrawingView : public PictureView {
    Q_OBJECT

public:
    explicit DrawingView(QWidget* parent = nullptr);
    ~DrawingView() override;

    using Draw = std::function<report::Drawing(double width, const report::TextWidth& measure)>;
    /// `id` is the stem of exported files.
    void setDrawing(const QString& id, Draw draw);
    const report::Drawing& drawing() const;
    Exportable exportable() const override;
    void resetZoom() override {}
    QSize sizeHint() const override;

protected:
    bool isZoomed() const override { return false; }
    void layOut(const report::Size& size) override;
    void paintPicture(QPainter& painter) override;
    void paintAbove(QPainter& /*painter*/) override {}
    QString cutText(QPointF at) const override;
    void hoverAt(const std::optional<QPointF>& at) override;
    QStringList cardText() const override;
    void clickAt(QPointF /*at*/, const QPoint& /*global*/) override {}
    void beginDrag(Qt::KeyboardModifiers /*modifiers*/) override {}
    void dragTo(QPointF /*at*/) override {}
    bool zoomAt(QPointF /*at*/, double /*factor*/) override { return false; }

private:
    QString id_;
    Draw draw_;
    report::Drawing drawing_;
    QString tip_;
};

/// The view in a scroll area that scrolls up and down only.
QScrollArea* scrolled(DrawingView* view);

}  // namespace tessera::ui
