#pragma once

#include <QColor>
#include <QIcon>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/report/picture.h"
#include "ui/views/exportable.h"

class QButtonGroup;
class QHBoxLayout;

namespace tessera::ui {

class PlotWidget;

/// A dot in a colour of data, for buttons and menus that stand for a strategy, a type or a run.
QIcon dotIcon(const QColor& colour);

/// A name that is safe as the stem of a file: letters, digits and dashes.
QString fileStem(const QString& text);

/// One plot that can show several charts, with a switch above it where there is more than one.
class ChartPane : public QWidget {
    Q_OBJECT

public:
    /// `titles` label the switch; as many as charts will come.
    ChartPane(const QStringList& titles, const QString& name, QWidget* parent = nullptr);
    /// Keeps which one is shown.
    void setCharts(std::vector<report::Chart> charts);
    int current() const { return current_; }
    void setCurrent(int index);
    PlotWidget* plot() const { return plot_; }

signals:
    void currentChanged(int index);
    void pointClicked(int chart, int series, int point);
    void explainRequested(int chart, int series, int point);

private:
    void showChart(int index);
    QButtonGroup* buttons_ = nullptr;
    PlotWidget* plot_;
    std::vector<report::Chart> charts_;
    int current_ = 0;
};

}  // namespace tessera::ui
