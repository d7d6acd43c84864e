#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/draw/picture.h"

class QButtonGroup;
class QHBoxLayout;
class QMenu;

namespace tessera::ui {

class PlotWidget;

/// One plot that can show several charts, with a switch above it where there is more than one.
class ChartPane : public QWidget {
    Q_OBJECT

public:
    /// `titles` label the switch, as many as charts will come; it is there where there are two or more.
    ChartPane(const QStringList& titles, const QString& name, QWidget* parent = nullptr);
    void setTitles(const QStringList& titles);
    /// A control at the right end of the switch's line.
    void addTool(QWidget* tool);
    /// Keeps which one is shown.
    void setCharts(std::vector<report::Chart> charts);
    int current() const { return current_; }
    void setCurrent(int index);
    PlotWidget* plot() const { return plot_; }

signals:
    void currentChanged(int index);
    /// `category` is the point's place on an axis of categories, such as a layer or a strategy.
    void pointClicked(int chart, int series, int category);
    void explainRequested(int chart, int series, int category);
    void menuOpened(int chart, int series, int category, QMenu* menu);

private:
    void showChart(int index);
    int categoryOf(int series, int point) const;  ///< -1 = none
    QButtonGroup* buttons_;
    QHBoxLayout* row_;
    QStringList titles_;
    PlotWidget* plot_;
    std::vector<report::Chart> charts_;
    int current_ = 0;
};

}  // namespace tessera::ui
