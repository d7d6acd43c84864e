#pragma once

#include <filesystem>
#include <memory>

#include "ui/jobs/run_state.h"
#include "ui/views/document.h"

namespace tessera::ui {

/// One run, live or finished: headline, the big picture, tabs of details. `key` is "job/N" while it works and "run/ID"
/// in the history.
class RunDocument : public Document {
    Q_OBJECT

public:
    explicit RunDocument(const QString& key, QWidget* parent = nullptr);
    ~RunDocument() override;
    QString kind() const override { return QStringLiteral("run"); }
    QString title() const override;
    QString tabTitle() const override;  ///< "Run 4 · ResNet-50"
    QString iconName() const override;  ///< of its state
    QUndoStack* undoStack() override;   ///< of pins
    QVector<QAction*> documentActions() override;
    QVector<Exportable> exportables() override;
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;

    /// Shows the newest snapshot; at most 20 times per second.
    void setState(const RunState& state);
    const RunState& state() const;
    /// The history that a kept run is in: where its inputs are read when they are needed again.
    void setHistory(const std::filesystem::path& history);

signals:
    void resumeRequested(tessera::store::RunId run);  ///< of an interrupted run
    void repeatRequested();                           ///< the same once more, with the same inputs
    /// The run's model, coloured by what it found at a split of a strategy.
    void modelRequested(const QString& strategy, int split);
    void acceleratorRequested();  ///< what it measured is to be saved as an accelerator

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
