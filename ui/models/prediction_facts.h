#pragma once

#include "ui/models/facts.h"
#include "ui/models/prediction_run.h"

namespace tessera::ui {

/// What the Inspector says about a prediction: how fast, at what price, from which numbers; or why it does not fit.
Facts predictionFacts(const PredictionChoice& choice, int prediction);
/// About one of the operators of the chosen prediction.
Facts operatorFacts(const PredictionChoice& choice, int op);

}  // namespace tessera::ui
