#include "ui/views/plot/drawing_view.h"

#include <QScrollArea>
#include <QTimer>
#include <cmath>
#include <utility>
#include <variant>

#include "core/base/text.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/drawing_painter.h"

namespace tessera::ui {

namespace {

constexpr double kExportWidth = 960;

}  // namespace

DrawingView::DrawingView(QWidget* parent) : PictureView(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
}

DrawingView::~DrawingView() = default;

void DrawingView::setDrawing(const QString& id, Draw draw) {
    id_ = id;
    draw_ = std::move(draw);
    tip_.clear();
    layOut({static_cast<double>(width()), static_cast<double>(height())});
    announce(*this, toQt(escaped(drawing_.title)), {});
    pictureChanged();
}

const report::Drawing& DrawingView::drawing() const {
    return drawing_;
}

void DrawingView::layOut(const report::Size& size) {
    if (!draw_) return;
    drawing_ = draw_(size.width, pictureWidth());
    const auto tall = static_cast<int>(std::ceil(drawing_.height));
    // Not while the widget is being laid out or painted.
    if (tall != minimumHeight()) QTimer::singleShot(0, this, [this, tall] { setMinimumHeight(tall); });
}

QSize DrawingView::sizeHint() const {
    return {720, std::max(160, static_cast<int>(std::ceil(drawing_.height)))};
}

void DrawingView::paintPicture(QPainter& painter) {
    paintDrawing(painter, drawing_);
}

QString DrawingView::cutText(QPointF at) const {
    return cutTextAt(drawing_, at);
}

void DrawingView::hoverAt(const std::optional<QPointF>& at) {
    tip_.clear();
    if (!at) return;
    for (const report::Shape& shape : drawing_.shapes)
        if (const auto* box = std::get_if<report::Box>(&shape);
            box != nullptr && !box->tip.empty() && box->area.contains({at->x(), at->y()}))
            tip_ = toQt(escaped(box->tip));
}

QStringList DrawingView::cardText() const {
    return tip_.isEmpty() ? QStringList() : QStringList{tip_};
}

Exportable DrawingView::exportable() const {
    Exportable what;
    what.name = id_;
    if (draw_)
        what.svg = [draw = draw_](const report::Theme& colours) {
            return report::toSvg(draw(kExportWidth, report::estimatedWidth), colours);
        };
    return what;
}

QScrollArea* scrolled(DrawingView* view) {
    auto* area = new QScrollArea;
    area->setWidget(view);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    // The ground is that of the page.
    area->viewport()->setAutoFillBackground(false);
    view->setAutoFillBackground(false);
    return area;
}

}  // namespace tessera::ui
