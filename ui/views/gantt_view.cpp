#include "ui/views/gantt_view.h"

namespace tessera::ui {

struct GanttView::Implementation {
    study::Timeline value;
};

GanttView::GanttView(QWidget* parent) : QWidget(parent), d_(new Implementation) {}
GanttView::~GanttView() = default;
void GanttView::setTimeline(study::Timeline timeline) {
    d_->value = std::move(timeline);
}
const study::Timeline& GanttView::timeline() const {
    return d_->value;
}
void GanttView::resetZoom() {}
void GanttView::setSelected(int /*event*/) {}
Exportable GanttView::exportable() const {
    return {};
}
void GanttView::showRange(double /*from*/, double /*to*/) {}

}  // namespace tessera::ui
