#pragma once

#include <QVector>

#include "ui/models/prediction_run.h"
#include "ui/views/exportable.h"

namespace tessera::ui {

/// The pictures and sheets of predictions; those of one prediction of the chosen one.
QVector<Exportable> predictionExportables(const PredictionChoice& choice);
/// The result document, `tessera.prediction-result/1`.
Exportable predictionResultExportable(const PredictionRun& run);

}  // namespace tessera::ui
