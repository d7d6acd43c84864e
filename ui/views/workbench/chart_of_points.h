#pragma once

#include <functional>
#include <vector>

#include "core/draw/picture.h"
#include "ui/views/workbench/point_pane.h"

namespace tessera::ui {

class PlotWidget;
class ValueBox;

/// A chart that is computed of all points and some of their values, off the UI thread.
class ChartOfPoints : public PointPane {
    Q_OBJECT

public:
    /// A value that a person chooses.
    struct Choice {
        QString name;
        std::function<bool(const explore::PointColumn& column)> wanted = {};
    };
    struct Input {
        const explore::PointTable& points;
        const std::vector<std::size_t>& columns;  ///< by choice
        int chosen;                               ///< point; -1 = none
    };
    struct Kind {
        QString name;  ///< of the picture, for who cannot see it
        std::vector<Choice> choices = {};
        std::function<report::Chart(const Input& input)> make;
        bool followsChosen = false;  ///< is another one for another chosen point
    };
    ChartOfPoints(PointSelection& selection, Kind kind, QWidget* parent = nullptr);

    PlotWidget* plot() const { return plot_; }
    void setColumn(std::size_t choice, std::size_t column);
    /// What is said of a run that goes on; empty = none does.
    void setLive(const QString& text);
    QVector<Exportable> exportables() const override;
    QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;
    /// Every choice has a value of its own.
    bool applies() const override;

protected:
    void fill() override;
    void draw() override;
    void mark() override;

private:
    void takeWanted();

    Kind kind_;
    std::vector<ValueBox*> boxes_;  ///< by choice
    PlotWidget* plot_;
    QString live_;
    QStringList wanted_;  ///< ids of a state that is to be restored
    bool busy_ = false, again_ = false;
    PointSelection::Table drawn_;  ///< of which the chart is
    std::vector<std::size_t> drawnColumns_;
    int drawnChosen_ = -1;
};

}  // namespace tessera::ui
