#pragma once

#include "ui/models/facts.h"
#include "ui/models/prediction_run.h"

namespace tessera::ui {

/// Inspector's facts of a prediction: throughput, price, and the numbers behind them; or why it does not fit.
Facts predictionFacts(const PredictionChoice& choice, int prediction);
/// About one of the operators of the chosen prediction.
Facts operatorFacts(const PredictionChoice& choice, int op);

}  // namespace tessera::ui
