#pragma once

#include <memory>

#include "ui/models/prediction_run.h"
#include "ui/views/runs/run_frame.h"

namespace tessera::ui {

class PredictionTabs;

/// Finished predictions: headline, accelerators and device counts, and tabs that begin with all accelerators side
/// by side. One choice of accelerator, number of devices and operator is shared by all its parts.
class PredictionView : public RunFrame {
    Q_OBJECT

public:
    explicit PredictionView(QUndoStack* undo, QWidget* parent = nullptr);
    ~PredictionView() override;

    void showRun(const FinishedRun& run) override;
    const PredictionRun& run() const;
    void chooseAccelerator(int accelerator);
    void chooseCount(int count);  ///< which number of devices
    void choosePrediction(int prediction);
    void chooseOperator(int op);
    int accelerator() const;
    int count() const;
    int op() const;  ///< -1 = none
    PredictionTabs* tabs() const;

    QVector<Exportable> exportables() const override;
    Exportable resultExport() const override;
    Exportable traceExport() const override;  ///< none: a prediction knows no moments
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;

protected:
    std::shared_ptr<const study::Result> shownResult() const override;

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
