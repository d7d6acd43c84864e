#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/predict/predict.h"
#include "core/study/estimate.h"
#include "core/study/explanation.h"
#include "core/study/metric.h"
#include "core/study/parameter.h"
#include "core/study/prediction/outcome.h"
#include "core/study/result.h"
#include "core/study/study.h"

/// Prediction as a study: how fast accelerators train a model.
namespace tessera::study {

/// The prediction engine's parameters: the one place that names its options, defaults and ranges.
const std::vector<Parameter>& predictionParameters();

/// The accelerators, their tables of kernels ("ACCELERATOR/FILE") and the dataset. Throws FileError, DataError,
/// UsageError.
std::vector<InputFile> predictionFiles(const Study& study);

/// An accelerator with its table of kernels, read from `path`; adds what was read to `inputs`. Throws FileError,
/// DataError, UsageError.
predict::Machine readMachine(const std::string& name, const std::string& path, const std::string& dtype,
                             std::vector<Input>& inputs);

/// Loads the study's model and accelerators and predicts. Throws like study::run; InfeasibleError where the model fits
/// on no accelerator.
Result runPrediction(const Study& study, const RunContext& context);

/// Reads `tessera.prediction-result/1`. Throws DataError.
Result readPredictionResult(const JsonNode& document, const Study& study);
/// The JSON Schema of the document.
Json predictionSchema();

/// See study::estimate.
Estimate estimatePrediction(const Study& study);

/// Writes `tessera.prediction-result/1`.
void writePredictionJson(const Result& result, const TextSink& write);

/// See metricsOf: the fastest prediction's, then those of each that fits.
std::vector<Metric> predictionMetrics(const PredictionOutcome& outcome);
/// Formats a metric's value by the last part of its name; empty for another engine's.
std::optional<std::string> predictionMetricText(std::string_view name, double value);

/// "2,310 samples/s (1,020 to 5,250) on gaudi2 · batch 64 · probability that this ranking of 5 is correct: 43 %"; where
/// the fastest is not significant: "cs2 or bow: too close to call · 100,000 samples/s (…".
std::string predictionHeadline(const PredictionOutcome& outcome);

/// A winner is named from this probability on: as sure as the error bars, which hold 90 %.
inline constexpr double kCalled = 0.9;
/// Ranking by a metric, kSampleRate or kSamplesPerDollar, at a number of devices, with its probability; null where
/// there is none.
const predict::Ranking* rankingOf(const PredictionOutcome& outcome, std::string_view metric, std::int64_t devices);
/// The predictions at a number of devices that may be the best by a metric: the best by its value, then those that it
/// beats with a probability below `kCalled`. One alone is a winner; of several the order is open. Empty where nothing
/// fits.
std::vector<const predict::Prediction*> contenders(const PredictionOutcome& outcome, std::string_view metric,
                                                   std::int64_t devices);
/// The predictions at a number of devices, best by a metric first, in groups of which none is called the best: each is
/// beaten by the first of its group with a probability below `kCalled`. Empty where nothing fits.
std::vector<std::vector<const predict::Prediction*>> tiedGroups(const PredictionOutcome& outcome,
                                                                std::string_view metric, std::int64_t devices);
/// "gaudi2 > cs2 ≈ a100 > bow": those groups, where those of one group are too close to call.
std::string orderText(const std::vector<std::vector<const predict::Prediction*>>& groups);
/// How likely each of the predictions at a number of devices is ahead of each other one by a metric.
struct Duels {
    std::vector<const predict::Prediction*> order;  ///< best first
    std::vector<double> ahead;  ///< row by row: that the row's is ahead of the column's; 0.5 of itself
};
Duels duelsOf(const PredictionOutcome& outcome, std::string_view metric, std::int64_t devices);
/// "86 %", "> 99 %", "< 1 %": a probability that is known no better.
std::string chanceText(double probability);
/// "± 9 %", "−28/+39 %": 90 % of the errors that the numbers behind a prediction allow.
std::string errorText(const predict::Prediction& one);
/// "cs2 or bow", "cs2, bow or 2 others".
std::string anyOf(const std::vector<const predict::Prediction*>& predictions);
/// "probability that this ranking of 5 is correct: 31 %".
std::string correctText(const predict::Ranking& ranking);

/// See `explain`: every metric.
std::optional<Explanation> explainPrediction(const Result& result, const PredictionOutcome& outcome,
                                             const std::string& path);

/// The operators of a prediction: those of the first one of its accelerator with its batch, where results keep them.
/// Empty in results of older programs.
const std::vector<predict::AlikeOperators>& operatorsOf(const PredictionOutcome& outcome,
                                                        const predict::Prediction& prediction);

/// "bow", "bow@8": a prediction among those of one result.
std::string nameOf(const predict::Prediction& prediction);

}  // namespace tessera::study
