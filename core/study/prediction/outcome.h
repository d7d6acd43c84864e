#pragma once

#include <string>
#include <vector>

#include "core/predict/prediction.h"

namespace tessera::study {

/// Result of the prediction engine.
struct PredictionOutcome {
    std::string model;
    std::string dtype;
    std::string dataset;  ///< empty where loading is not counted
    double parameters = 0;
    double flopsPerSample = 0;  ///< of one step: forward, backward and update at the batch of one sample
    std::vector<predict::Prediction> predictions;  ///< by accelerator, then number of devices, in the study's order
    std::vector<predict::Ranking> ranking;
};

/// The prediction of the highest throughput, which headlines are about; ties go to the first in the study. Null where
/// nothing fits.
const predict::Prediction* fastestPrediction(const PredictionOutcome& outcome);

}  // namespace tessera::study
