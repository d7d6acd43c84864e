#pragma once

#include <QVector>
#include <QWidget>
#include <vector>

#include "core/report/codesign_points.h"
#include "ui/models/codesign_run.h"
#include "ui/views/exportable.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace tessera::ui {

class ParallelView;
class PlotWidget;
class SideBySide;
class TableModel;
class TableView;

/// The architectures that a search knows: a scatter of any two values with its front, parallel coordinates with a brush
/// on every axis, and a table that stands apart. One selection, one pinned architecture and one brush are shared by all
/// three.
class CodesignExplorer : public QWidget {
    Q_OBJECT

public:
    explicit CodesignExplorer(SharedCodesignChoice choice, QWidget* parent = nullptr);

    /// Another run.
    void refresh();
    /// The choice's row or pin changed.
    void showChoice();
    /// Values of the scatter by their ids; unknown ones are ignored.
    void setAxes(const QString& x, const QString& y);
    QString xAxis() const;
    QString yAxis() const;
    /// Fronts of other searches, to compare with.
    void setOthers(std::vector<report::OtherFront> others);
    /// Another search: number in the history and title. None are offered where there are none.
    struct OtherRun {
        qint64 id = 0;
        QString title;
    };
    void offerOthers(const QVector<OtherRun>& runs);
    PlotWidget* plot() const { return plot_; }
    ParallelView* parallel() const { return parallel_; }
    /// Table of the points: in the explorer, hidden, until another widget takes it.
    TableView* table() const { return table_; }

signals:
    void rowChosen(int row);
    void pinRequested(int row);  ///< -1 = let go
    void othersWanted(const QVector<qint64>& runs);

private:
    QWidget* bar();
    void fillAxes();
    void chooseAxes(const QString& x, const QString& y);
    void draw();
    void showBrush();
    int placeOf(int row) const;  ///< in the table; -1 = not there

    SharedCodesignChoice choice_;
    std::vector<report::OtherFront> others_;
    report::ParetoPicture picture_;
    QComboBox *x_, *y_;
    QToolButton *pin_, *clear_, *overlay_;
    QLabel* count_;
    QVector<QWidget*> axisParts_;  ///< that choose the scatter's values
    PlotWidget* plot_;
    ParallelView* parallel_;
    SideBySide* pictures_;
    TableModel* model_;
    TableView* table_;
    int shownPin_ = -1;      ///< that the table shows
    bool choosing_ = false;  ///< while a selection is set from outside
};

}  // namespace tessera::ui
