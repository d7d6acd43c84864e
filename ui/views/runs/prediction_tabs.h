#pragma once

#include <memory>

#include "ui/models/prediction_run.h"
#include "ui/views/runs/run_pages.h"

namespace tessera::ui {

/// What was predicted: accelerators side by side, what a step and memory consist of on the chosen one, its operators,
/// how it scales, and what all of that rests on.
class PredictionTabs : public RunPages {
    Q_OBJECT

public:
    explicit PredictionTabs(SharedPredictionChoice choice, QWidget* parent = nullptr);
    ~PredictionTabs() override;

    /// The choice's operator changed.
    void showOperator();

signals:
    void predictionChosen(int prediction);
    void operatorChosen(int op);

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
