#pragma once

#include <string>
#include <vector>

#include "core/study/field.h"
#include "core/study/prediction/outcome.h"
#include "core/study/result.h"

/// Fields of predictions, and of the operators of a step.
namespace tessera::study {

/// Operators that are alike, of a prediction.
struct TimedOperator {
    const predict::Prediction* prediction;
    const predict::AlikeOperators* op;
};

const std::vector<Field<predict::Prediction>>& predictionFields();
const std::vector<Field<TimedOperator>>& operatorFields();

/// Resource that bounds an operator: "bound by computation", "bound by HBM", "measured kernel gemm".
std::string boundText(predict::Way way, const std::string& bound);

/// Operators with their times, in the order of study::operatorsOf.
std::vector<TimedOperator> timedOperators(const PredictionOutcome& outcome, const predict::Prediction& prediction);

}  // namespace tessera::study
