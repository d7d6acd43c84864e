#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/draw/picture.h"
#include "core/draw/table.h"
#include "core/study/prediction/outcome.h"
#include "core/study/result.h"

/// The pictures and exact tables of predictions, the same in the window, on the command line and in reports.
namespace tessera::report {

/// An accelerator of a result: by its place it keeps its colour in all pictures.
struct PredictedAccelerator {
    std::string id;
    std::string name;
    std::string_view colour;
};
/// Accelerators of a result, each once, in the study's order.
std::vector<PredictedAccelerator> acceleratorsOf(const study::PredictionOutcome& outcome);
/// The requested device counts, rising.
std::vector<std::int64_t> deviceCountsOf(const study::PredictionOutcome& outcome);
/// Prediction of an accelerator at a number of devices; null where there is none.
const predict::Prediction* predictionOf(const study::PredictionOutcome& outcome, std::string_view accelerator,
                                        std::int64_t devices);

/// The predictions at a number of devices as their bars stand in `throughputChart`, `methodChart` and `stageChart`:
/// fastest first, then what does not fit.
std::vector<const predict::Prediction*> inOrder(const study::PredictionOutcome& outcome, std::int64_t devices);
/// Throughput of every accelerator, best first, with the error that its numbers allow (Centimani, Fig. 7a).
Chart throughputChart(const study::PredictionOutcome& outcome, std::int64_t devices);
/// Samples per dollar likewise (Fig. 7b).
Chart pricePerformanceChart(const study::PredictionOutcome& outcome, std::int64_t devices);
/// How likely each accelerator of a row is ahead of that of a column, by throughput or by samples per dollar (a metric
/// of predict::Ranking); empty of fewer than two.
HeatMap duelMap(const study::PredictionOutcome& outcome, std::string_view metric, std::int64_t devices);
/// Throughput of every accelerator against the samples per step, with its error, the chosen batch, and where the next
/// batch does not fit. Empty where the batch was given.
Chart batchThroughputChart(const study::PredictionOutcome& outcome, std::int64_t devices);
/// Training cost in US$ of the requested number of samples, by accelerator; empty without the option `samples`.
Chart trainingCostChart(const study::PredictionOutcome& outcome, std::int64_t devices);
/// The throughput by baseline predictors beside ours.
Chart methodChart(const study::PredictionOutcome& outcome, std::int64_t devices);
/// Time of a step by part, and the parts that overlap with others (section 4.3.4).
Chart stageChart(const study::PredictionOutcome& outcome, std::int64_t devices);
/// Throughput against the number of devices, with what it would be without communication (Fig. 8).
Chart deviceScalingChart(const study::PredictionOutcome& outcome);
/// Throughput against the number of devices, over that of the fewest devices.
Chart deviceSpeedupChart(const study::PredictionOutcome& outcome);

/// The levels of memory that hold something with any batch, as indices of `memory.levels`: those that the prediction
/// uses, then those that other batches would; the largest first.
std::vector<std::size_t> usedLevels(const predict::Prediction& prediction);
/// Memory of one level under every candidate for the batch, by category, against its capacity.
Chart batchMemoryChart(const predict::Prediction& prediction, std::size_t level);
/// Use of every memory level with the batch of the prediction.
Chart levelChart(const predict::Prediction& prediction);

/// The cache-aware roofline of an accelerator with the operators of the step on it (Fig. 5).
struct OperatorRoofline {
    Chart chart;
    /// Index in `study::operatorsOf` by series and point; empty for a roofline ceiling.
    std::vector<std::vector<std::size_t>> operators;
};
OperatorRoofline operatorRoofline(const study::PredictionOutcome& outcome, const predict::Prediction& prediction);

/// Tables of full precision for spreadsheets: a row per candidate for the batch and level; per number of an accelerator
/// with where it comes from.
Table exactBatchTable(const study::PredictionOutcome& outcome);
Table exactSourceTable(const study::PredictionOutcome& outcome);

}  // namespace tessera::report
