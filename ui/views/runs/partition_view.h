#pragma once

#include <memory>

#include "ui/models/partition_tables.h"
#include "ui/views/runs/run_view.h"

class QComboBox;
class QLabel;
class QPushButton;
class QToolButton;

namespace tessera::ui {

class ConvergenceView;
class GanttView;
class HeatMapView;
class ScalingView;

/// A finished partition run: headline, strategies, and pictures that begin with the heat map of types. One choice of
/// strategy, split and layer is shared by all its parts. Pins are collected here until the study is solved again with
/// them.
class PartitionView : public RunView {
    Q_OBJECT

public:
    explicit PartitionView(QUndoStack* undo, QWidget* parent = nullptr);
    ~PartitionView() override;

    /// Sets the pins that the study will have; undoable.
    void setPins(const PartitionPins& pins);
    const PartitionPins& pins() const { return choice_->pins; }
    /// Asks for a run of the study with these pins.
    void solveAgain();

    QVector<QAction*> viewActions() const override { return {modelAction_, solveAction_, clearAction_}; }
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;

protected:
    void takeRun() override;
    void refresh() override;
    QVector<Headline> headlines() const override;
    void showNote() override;
    report::Selection selection() const override { return choice_->selection(); }
    QVector<Exportable> ownExports() const override;

private:
    void addSelectables();
    void addActions();
    void addPictures();
    void addDetails();
    void chooseCell(int row, int column);
    void chooseStrategy(int plan);
    ChoiceBar::Choice strategy(int plan) const;
    bool hasLayer(int layer) const;
    Facts facts();
    Facts factsOfLayer();
    std::string nameOf(int layer) const;

    void openWithAllGroups();
    void showPins();
    void changePins(const QString& text, const PartitionPins& pins);
    void pinLayer(int layer, std::optional<partition::Type> type);
    void pinRatio(int level, std::optional<double> ratio);
    void askRatio();
    void openMenu(int row, int column, const QPoint& place);

    QString strategyPath(const ChartPane& pane, int plan) const;
    QString layerPath(int layer, const char* field) const;
    QString ratioPath(int split) const;
    QString stepPartPath(const ChartPane& pane, int series) const;
    QString memoryPath(int kind) const;
    void addSplits(ChartPane& pane);
    bool fillSplits();
    QWidget* makeTypes();
    void fillTypes() {}  // `refresh` does, with the types of the splits
    QWidget* makeTimeline();
    void fillTimeline();
    QWidget* makeScaling();
    void fillScaling();
    QWidget* makeConvergence();
    void fillConvergence();
    void markLayer() const;

    SharedChoice choice_ = std::make_shared<PartitionChoice>();
    PartitionPins ownPins_;  ///< of the study that was solved
    int layer_ = -1;
    int kind_ = -1;  ///< of accelerators
    int generation_ = 0;
    QUndoStack* undo_;
    QPushButton* solve_ = nullptr;
    QToolButton* clear_ = nullptr;
    QAction *modelAction_ = nullptr, *solveAction_ = nullptr, *clearAction_ = nullptr;
    HeatMapView* map_ = nullptr;
    QComboBox* splits_ = nullptr;
    ChartPane* layers_ = nullptr;
    GanttView* gantt_ = nullptr;
    QLabel* ganttNote_ = nullptr;
    ConvergenceView* convergence_ = nullptr;
    ScalingView* scaling_ = nullptr;
};

}  // namespace tessera::ui
