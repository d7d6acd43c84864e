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

struct DrawingView::Implementation : PictureContent {
    explicit Implementation(DrawingView* widget) : owner(widget) {}

    DrawingView* owner;
    QString id;
    Draw draw;
    report::Drawing value;
    QString tip;

    const report::Drawing& drawing() const override { return value; }

    void layOut(const report::Size& size) override {
        if (!draw) return;
        value = draw(size.width, pictureWidth());
        const auto tall = static_cast<int>(std::ceil(value.height));
        // Not while the widget is being laid out or painted.
        if (tall != owner->minimumHeight())
            QTimer::singleShot(0, owner, [this, tall] { owner->setMinimumHeight(tall); });
    }

    QSize sizeHint() const override { return {720, std::max(160, static_cast<int>(std::ceil(value.height)))}; }

    void hoverAt(const std::optional<QPointF>& at) override {
        tip.clear();
        if (!at) return;
        for (const report::Shape& shape : value.shapes)
            if (const auto* box = std::get_if<report::Box>(&shape);
                box != nullptr && !box->tip.empty() && box->area.contains({at->x(), at->y()}))
                tip = toQt(escaped(box->tip));
    }

    QStringList cardText() const override { return tip.isEmpty() ? QStringList() : QStringList{tip}; }

    Exportable exportable() const override {
        Exportable what{.name = id};
        if (draw)
            what.svg = [its = draw](const report::Theme& colours) {
                return report::toSvg(its(kExportWidth, report::estimatedWidth), colours);
            };
        return what;
    }
};

DrawingView::DrawingView(QWidget* parent) : PictureView(parent), d_(hold(std::make_unique<Implementation>(this))) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
}

void DrawingView::setDrawing(const QString& id, Draw draw) {
    d_->id = id;
    d_->draw = std::move(draw);
    d_->tip.clear();
    d_->layOut({static_cast<double>(width()), static_cast<double>(height())});
    announce(*this, toQt(escaped(drawing().title)), {});
    pictureChanged();
}

const report::Drawing& DrawingView::drawing() const {
    return d_->value;
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
