#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/report/point_pictures.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/workbench/point_pane.h"

class QAction;
class QToolButton;

namespace tessera::ui {

class ValueBox;

/// Points in two values, by colour and size in two more, with their front and its knee. A drag with the brush, or with
/// Ctrl, brushes both values.
class ScatterPane : public PointPane {
    Q_OBJECT

public:
    /// What an engine adds to a scatter of two columns.
    using Extras = std::function<report::ScatterExtras(std::size_t x, std::size_t y)>;

    explicit ScatterPane(PointSelection& selection, QWidget* parent = nullptr);

    void setExtras(Extras extras);
    void redraw() { outdate(); }                 ///< with other extras
    void setEmptyText(const QString& sentence);  ///< where there are no points
    /// Values by their ids; unknown and empty ones are ignored.
    void setAxes(const QString& x, const QString& y);
    QString xAxis() const;
    QString yAxis() const;
    PlotWidget* plot() const { return plot_; }
    /// Puts what can be done with a point on top of its menu; the point is then chosen.
    void setPointMenu(std::function<void(QMenu& menu)> fill) { pointMenu_ = std::move(fill); }
    const report::PointScatter& scatter() const { return scatter_; }

    QVector<Exportable> exportables() const override { return {plot_->exportable()}; }
    QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

protected:
    void fill() override;
    void draw() override;
    void mark() override;

private:
    QAction* addOption(const QString& text, const QString& help);
    void chooseAxes();
    std::optional<std::size_t> sizeColumn() const;
    const report::ScatterFront& front();
    PlotWidget::Place placeOf(int point) const;
    int pointAt(int series, int place) const;  ///< -1 = none

    Extras extras_;
    QString empty_;
    std::function<void(QMenu& menu)> pointMenu_;
    report::PointScatter scatter_;
    /// The front as it was drawn last: sorting very many points is most of what a drawing costs.
    struct Known {
        PointSelection::Table points;
        std::size_t x = 0, y = 0, step = 0;
        report::ScatterFront front = {};
    } known_;
    std::vector<PlotWidget::Place> places_;  ///< by point
    QString size_;                           ///< id of the value that sizes are of; empty = all are alike
    ValueBox *y_, *x_, *sizes_;
    QToolButton *brush_, *options_;
    QAction *logX_, *logY_, *whole_;
    std::string seenX_, seenY_;  ///< values whose axes were made logarithmic or not
    PlotWidget* plot_;
};

}  // namespace tessera::ui
