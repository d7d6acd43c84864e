#pragma once

#include <QString>
#include <QWidget>
#include <memory>
#include <vector>

#include "core/base/curve.h"

class QToolButton;

namespace tessera::ui {

class ChartPane;
class PlotWidget;
class StandingsBoard;

/// Convergence of one or more searches: a chart per kind of curve, best, mean and spread against the bound, with a
/// switch between kinds and one for a logarithmic axis.
class ConvergenceView : public QWidget {
    Q_OBJECT

public:
    explicit ConvergenceView(QWidget* parent = nullptr);

    /// Shows curves; null = none. Cheap: at most 20 redraws a second.
    void setCurves(std::shared_ptr<const std::vector<Curve>> curves);
    /// A soft dot and this text while a run works; empty = none.
    void setLive(const QString& text);
    /// Sets the sentence shown without curves; none, while they may still come.
    void setEmptyText(const QString& sentence);
    /// Sets the title of a mapping search's values: "Makespan (cycles)".
    void setValueTitle(const QString& title);
    bool isLogarithmic() const;
    void setLogarithmic(bool on);
    PlotWidget* plot() const;
    StandingsBoard* board() const { return board_; }

signals:
    void logarithmicChanged(bool on);

private:
    void redraw();
    std::shared_ptr<const std::vector<Curve>> curves_;
    QString emptyText_;
    QString valueTitle_;
    ChartPane* pane_;
    QToolButton* logarithmic_;
    QToolButton* generations_;  ///< mean and spread of a mapping search
    StandingsBoard* board_;     ///< the algorithms of a mapping search, in their order
    bool gapShown_ = false;     ///< the gap to the bound was brought to the front, or the user chose what is
};

}  // namespace tessera::ui
