#include "ui/views/plot/plot_curves.h"

#include <QGraphicsLayout>
#include <QtCharts/QChart>
#include <QtCharts/QLegend>

namespace tessera::ui {

PlotCurves::PlotCurves() : chart_(new QChart), x_(new QValueAxis), y_(new QValueAxis) {
    scene_.addItem(chart_);
    chart_->legend()->hide();
    chart_->setBackgroundVisible(false);
    chart_->setPlotAreaBackgroundVisible(false);
    chart_->setAnimationOptions(QChart::NoAnimation);
    chart_->setMargins({});
    chart_->layout()->setContentsMargins(0, 0, 0, 0);
    for (QValueAxis* const axis : {x_, y_}) {
        axis->setVisible(false);
        chart_->addAxis(axis, axis == x_ ? Qt::AlignBottom : Qt::AlignLeft);
    }
}

void PlotCurves::begin(const QSizeF& size) {
    used_ = 0;
    size_ = size;
    scene_.setSceneRect(QRectF({0, 0}, size));
    chart_->setGeometry(QRectF({0, 0}, size));
    chart_->setPlotArea(QRectF({0, 0}, size));
    x_->setRange(0, size.width());
    y_->setRange(0, size.height());
}

void PlotCurves::add(const std::vector<report::Point>& points, QPointF corner, const QPen& pen) {
    if (used_ == lines_.size()) {
        auto* const line = new QLineSeries;
        chart_->addSeries(line);
        line->attachAxis(x_);
        line->attachAxis(y_);
        lines_.append(line);
    }
    QLineSeries* const line = lines_[used_++];
    QList<QPointF> places;
    places.reserve(static_cast<qsizetype>(points.size()));
    for (const report::Point& point : points)
        places.append({point.x - corner.x(), size_.height() - (point.y - corner.y())});
    line->setPen(pen);
    line->setVisible(true);
    line->replace(places);
}

void PlotCurves::paint(QPainter& painter, const QRectF& plot) {
    for (qsizetype i = used_; i < lines_.size(); ++i) {
        lines_[i]->setVisible(false);
        lines_[i]->replace(QList<QPointF>());
    }
    if (used_ == 0) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    scene_.render(&painter, plot, QRectF({0, 0}, size_), Qt::IgnoreAspectRatio);
    painter.restore();
}

}  // namespace tessera::ui
