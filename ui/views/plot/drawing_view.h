#pragma once

#include <functional>

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

    using Draw = std::function<report::Drawing(double width, const report::TextWidth& measure)>;
    /// `id` is the stem of exported files.
    void setDrawing(const QString& id, Draw draw);
    const report::Drawing& drawing() const;

private:
    struct Implementation;
    Implementation* d_;
};

/// The view in a scroll area that scrolls up and down only.
QScrollArea* scrolled(DrawingView* view);

}  // namespace tessera::ui
