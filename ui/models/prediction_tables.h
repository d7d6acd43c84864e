#pragma once

#include "ui/models/prediction_run.h"
#include "ui/models/table_model.h"

namespace tessera::ui {

/// One row per prediction; the paths of its numbers are metrics of the result.
TableModel* predictionTableModel(const SharedPredictionChoice& choice, QObject* parent);
/// One row per kind of operator of the chosen prediction, by falling time (`PredictionChoice::operators`).
TableModel* operatorTableModel(const SharedPredictionChoice& choice, QObject* parent);
/// One row per number of an accelerator: where it comes from. `rows` are of `report::exactSourceTable`.
TableModel* sourceTableModel(const std::shared_ptr<report::Table>& numbers, QObject* parent);

}  // namespace tessera::ui
