#include "ui/views/plot_widget.h"

namespace tessera::ui {

struct PlotWidget::Implementation {
    report::Chart value;
};

PlotWidget::PlotWidget(QWidget* parent) : QWidget(parent), d_(new Implementation) {}
PlotWidget::~PlotWidget() = default;
void PlotWidget::setChart(report::Chart chart) {
    d_->value = std::move(chart);
}
const report::Chart& PlotWidget::chart() const {
    return d_->value;
}
void PlotWidget::setLive(const QString& /*text*/) {}
void PlotWidget::resetZoom() {}
Exportable PlotWidget::exportable() const {
    return {};
}
void PlotWidget::setSelected(int /*series*/, int /*point*/) {}

}  // namespace tessera::ui
