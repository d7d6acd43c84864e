#pragma once

#include <functional>

#include "ui/models/prediction_run.h"
#include "ui/models/table_model.h"

namespace tessera::ui {

/// Takes the hourly price of all devices of a prediction as it is written; whether it is one.
using PriceEdit = std::function<bool(int prediction, const QString& text)>;

/// One row per prediction; the paths of its numbers are metrics of the result.
TableModel* predictionTableModel(const SharedPredictionChoice& choice, const PriceEdit& edit, QObject* parent);
/// One row per kind of operator of the chosen prediction, by falling time (`PredictionChoice::operators`).
TableModel* operatorTableModel(const SharedPredictionChoice& choice, QObject* parent);

}  // namespace tessera::ui
