#pragma once

#include <QString>
#include <QWidget>
#include <vector>

#include "core/report/plan_points.h"
#include "core/study/result.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace tessera::ui {

class ParallelView;
class PlotWidget;
class SideBySide;

/// The configurations that a plan keeps: a scatter of any two values with its front, and parallel coordinates with a
/// brush on every axis. One selection and one brush are shared by both.
class PlanExplorer : public QWidget {
    Q_OBJECT

public:
    explicit PlanExplorer(QWidget* parent = nullptr);

    /// Shows another run.
    void setResult(std::shared_ptr<const study::Result> result);
    /// Marks the configuration of a rank, from 0.
    void showChoice(int rank);
    /// Values of the scatter by their names ("time"); unknown ones are ignored.
    void setAxes(const QString& x, const QString& y);
    QString xAxis() const;
    QString yAxis() const;
    QStringList values() const;
    PlotWidget* plot() const { return plot_; }
    ParallelView* parallel() const { return parallel_; }

signals:
    void rankChosen(int rank);
    /// A configuration of the front that is not among the best.
    void configurationChosen(const QString& text);

private:
    QWidget* bar();
    void fillAxes();
    void draw();
    void showBrush();
    void choosePoint(std::size_t point);

    std::shared_ptr<const study::Result> result_;
    std::vector<report::PlanPoint> points_;
    report::PlanScatter picture_;
    int rank_ = -1;
    QComboBox *x_, *y_;
    QToolButton* clear_;
    QLabel* count_;
    QVector<QWidget*> axisParts_;  ///< that choose the scatter's values
    PlotWidget* plot_;
    ParallelView* parallel_;
    SideBySide* pictures_;
};

}  // namespace tessera::ui
