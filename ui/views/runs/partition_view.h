#pragma once

#include <memory>

#include "ui/models/partition_run.h"
#include "ui/views/runs/run_frame.h"

namespace tessera::ui {

/// A finished partition run: headline, strategies, and pictures that begin with the heat map of types. One choice of
/// strategy, split and layer is shared by all its parts. Pins are collected here until the study is solved again with
/// them.
class PartitionView : public RunFrame {
    Q_OBJECT

public:
    explicit PartitionView(QUndoStack* undo, QWidget* parent = nullptr);
    ~PartitionView() override;

    void showRun(const FinishedRun& run) override;
    const PartitionRun& run() const;

    void chooseStrategy(const QString& strategy);
    void chooseSplit(int split);
    void chooseLayer(int layer);  ///< of the chosen split; -1 = none
    QString strategy() const;
    int split() const;
    int layer() const;

    /// As the study will have them; undoable.
    void setPins(const PartitionPins& pins);
    const PartitionPins& pins() const;
    int changedPins() const;  ///< how many differ from the study's own
    /// Asks for a run of the study with these pins.
    void solveAgain();

    QVector<QAction*> viewActions() const override;
    QVector<Exportable> exportables() const override;
    Exportable resultExport() const override;
    Exportable traceExport() const override;
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;

protected:
    std::shared_ptr<const study::Result> shownResult() const override;

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
