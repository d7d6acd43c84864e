#pragma once

#include <functional>
#include <vector>

#include "core/draw/picture.h"
#include "ui/views/workbench/point_pane.h"

namespace tessera::ui {

class PlotWidget;
class ValueBox;

/// A chart that is computed of all points and one of their values, off the UI thread.
class ChartOfPoints : public PointPane {
    Q_OBJECT

public:
    struct Kind {
        QString name;   ///< of the picture, for who cannot see it
        QString value;  ///< of the control that chooses the value; empty = it has none
        std::function<bool(const explore::PointColumn& column)> wanted = {};  ///< values to choose from
        /// `column` is the chosen value; the states are those of the selection.
        std::function<report::Chart(const explore::PointTable& points, std::size_t column,
                                    const report::PointStates& states)>
            make;
        bool followsFilter = false;  ///< is another one for other points that are shown
    };
    ChartOfPoints(PointSelection& selection, Kind kind, QWidget* parent = nullptr);

    PlotWidget* plot() const { return plot_; }
    void setColumn(std::size_t column);
    QVector<Exportable> exportables() const override;
    QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;
    bool applies() const override;

protected:
    void fill() override;
    void draw() override;
    void mark() override {}

private:
    Kind kind_;
    ValueBox* value_ = nullptr;
    PlotWidget* plot_;
    QString wanted_;  ///< id of the value of a restored state
    bool busy_ = false, again_ = false;
    PointSelection::Table drawn_;  ///< of which the chart is
    std::size_t drawnColumn_ = 0;
};

}  // namespace tessera::ui
