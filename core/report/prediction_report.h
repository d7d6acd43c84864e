#pragma once

#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/draw/table.h"
#include "core/study/field.h"
#include "core/study/prediction/outcome.h"
#include "core/study/result.h"

/// A prediction for people.
namespace tessera::report {

/// One row per accelerator and number of devices: batch, step time, throughput, price.
Table predictionTable(const study::PredictionOutcome& outcome, study::FieldUse use = study::kText);
/// The operators of a step, identical ones together, full precision.
Table exactOperatorTable(const study::PredictionOutcome& outcome, const predict::Prediction& prediction);
/// Stages of a step, and how many operators rest on measured kernels.
Table stageTable(const study::PredictionOutcome& outcome);
/// Contents of each memory level.
Table memoryTable(const study::PredictionOutcome& outcome);
/// Rankings and their probability.
Table rankingTable(const study::PredictionOutcome& outcome);
/// How likely each accelerator is ahead of each other one, by throughput and by samples per dollar.
Table duelTable(const study::PredictionOutcome& outcome);
/// Throughput by baseline predictors.
Table baselineTable(const study::PredictionOutcome& outcome);
/// The slowest operators of the fastest prediction.
Table slowestTable(const study::PredictionOutcome& outcome);

/// Predictions that fit nowhere, with the reason: one sentence for each.
std::vector<std::string> infeasibleSentences(const study::PredictionOutcome& outcome);

/// Everything for a terminal, headline first.
std::string predictionText(const study::Result& result, const study::PredictionOutcome& outcome);

}  // namespace tessera::report
