#include "ui/views/heat_map_view.h"

namespace tessera::ui {

struct HeatMapView::Implementation {
    report::HeatMap value;
};

HeatMapView::HeatMapView(QWidget* parent) : QWidget(parent), d_(new Implementation) {}
HeatMapView::~HeatMapView() = default;
void HeatMapView::setHeatMap(report::HeatMap map) {
    d_->value = std::move(map);
}
const report::HeatMap& HeatMapView::heatMap() const {
    return d_->value;
}
void HeatMapView::setSelected(int /*row*/, int /*column*/) {}
void HeatMapView::setPinned(const QVector<int>& /*columns*/) {}
Exportable HeatMapView::exportable() const {
    return {};
}
QRect HeatMapView::cellRect(int /*row*/, int /*column*/) const {
    return {};
}

}  // namespace tessera::ui
