#pragma once

#include <QJsonObject>
#include <QVector>
#include <QWidget>
#include <filesystem>
#include <memory>

#include "ui/models/facts.h"
#include "ui/models/partition_run.h"
#include "ui/models/run_state.h"
#include "ui/views/exportable.h"

class QAction;
class QUndoStack;

namespace tessera::ui {

/// A finished partition run: headline, strategies, the heat map of types, and tabs of details. One choice of strategy,
/// split and layer is shared by all its parts. Pins are collected here until the study is solved again with them.
class PartitionView : public QWidget {
    Q_OBJECT

public:
    explicit PartitionView(QWidget* parent = nullptr);
    ~PartitionView() override;

    void setRun(const PartitionRun& run, std::shared_ptr<const std::vector<Curve>> curves);
    const PartitionRun& run() const;
    /// Where the run is kept, and its number there; 0 = not kept.
    void setHistory(const std::filesystem::path& history, store::RunId kept);

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

    QUndoStack* undoStack() const;
    QVector<QAction*> viewActions() const;
    QVector<Exportable> exportables() const;
    QJsonObject saveView() const;
    void restoreView(const QJsonObject& view);

signals:
    void inspected(const tessera::ui::Facts& facts);
    void messaged(const QString& sentence, const QString& place);
    void openRequested(const QString& kind, const QString& key);
    void modelRequested();  ///< the run's model, coloured by the chosen strategy and split
    void runRequested(const QString& studyJson);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
