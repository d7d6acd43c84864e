#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/report/catalogues.h"
#include "core/report/measured_marks.h"
#include "core/report/prediction_pictures.h"
#include "core/report/prediction_report.h"
#include "core/study/measured_throughput.h"
#include "core/study/prediction/fleet.h"
#include "core/study/prediction/study.h"

namespace tessera::report {

namespace {

using study::PredictionOutcome;

const PredictionOutcome& predictionOutcomeOf(const study::Result& result) {
    return result.outcome.get<PredictionOutcome>();
}

const PredictionOutcome& viewedPrediction(const View& view) {
    return predictionOutcomeOf(view.result);
}

const predict::Prediction* found(const View& view) {
    for (const predict::Prediction& one : viewedPrediction(view).predictions)
        if (study::nameOf(one) == view.at.choice) return &one;
    return nullptr;
}

bool isPredicted(const View& view) {
    return found(view) != nullptr;
}

const predict::Prediction& prediction(const View& view) {
    if (const predict::Prediction* one = found(view)) return *one;
    throw UsageError(fmt::format("the result has no prediction {}", inQuotes(view.at.choice)));
}

/// A picture of all accelerators at the chosen prediction's number of devices.
auto byAccelerator(Chart (*make)(const PredictionOutcome& outcome, std::int64_t devices)) {
    return [make](const View& view) { return make(viewedPrediction(view), prediction(view).devices); };
}

Chart throughputWithMarks(const View& view) {
    const std::int64_t devices = prediction(view).devices;
    Chart chart = throughputChart(viewedPrediction(view), devices);
    markMeasuredBars(chart, view.result.study, viewedPrediction(view), devices, study::bundledTraining());
    return chart;
}

Chart scalingWithMarks(const View& view) {
    Chart chart = deviceScalingChart(viewedPrediction(view));
    markMeasuredCurves(chart, view.result.study, viewedPrediction(view), study::bundledTraining());
    return chart;
}

bool hasGoal(const View& view) {
    const std::vector<predict::Prediction>& all = viewedPrediction(view).predictions;
    return std::any_of(all.begin(), all.end(),
                       [](const predict::Prediction& one) { return one.trainingCostUsd.has_value(); });
}

bool hasSlowest(const View& view) {
    const predict::Prediction* fastest = study::fastestPrediction(viewedPrediction(view));
    return fastest != nullptr && !fastest->operators.slowest.empty();
}

bool hasTwo(const View& view) {
    return acceleratorsOf(viewedPrediction(view)).size() > 1;
}

/// Where the batch was given, no other was timed.
bool hasBatches(const View& view) {
    const std::vector<predict::Prediction>& all = viewedPrediction(view).predictions;
    return std::any_of(all.begin(), all.end(), [](const predict::Prediction& one) {
        return std::any_of(one.batches.begin(), one.batches.end(),
                           [](const predict::BatchMemory& tried) { return tried.throughput > 0; });
    });
}

std::vector<PictureRow> predictionPictures() {
    return {
        {{"throughput", "Throughput", "Throughput of every accelerator, with its error", Scope::devices, kEverywhere},
         throughputWithMarks},
        {{"price-performance", "Per dollar", "Samples per dollar of every accelerator, with its error", Scope::devices,
          kEverywhere},
         byAccelerator(pricePerformanceChart)},
        {{"training-cost", "Cost to train", "What the samples that were asked for cost", Scope::devices, kWindow,
          hasGoal},
         byAccelerator(trainingCostChart)},
        {{"baselines", "Baseline predictors", "Throughput by baseline predictors beside ours", Scope::devices, kWindow},
         byAccelerator(methodChart)},
        {{"duels", "Pairwise win probability", "How likely each accelerator is ahead of each other one by throughput",
          Scope::devices, kEverywhere, hasTwo},
         [](const View& view) {
             return duelMap(viewedPrediction(view), study::kSampleRate, prediction(view).devices);
         }},
        {{"duels-price", "Pairwise win probability per dollar",
          "How likely each accelerator is ahead of each other one per dollar", Scope::devices, kWindow, hasTwo},
         [](const View& view) {
             return duelMap(viewedPrediction(view), study::kSamplesPerDollar, prediction(view).devices);
         }},
        {{"batch-throughput", "Throughput by batch", "Throughput of every accelerator by the samples per step",
          Scope::devices, kEverywhere, hasBatches},
         byAccelerator(batchThroughputChart)},
        {{"stages", "Stages of a step", "What a step consists of, and what of it is hidden", Scope::devices,
          kEverywhere},
         byAccelerator(stageChart)},
        {{"scaling", "Scaling", "Throughput by number of devices", Scope::result, kEverywhere}, scalingWithMarks},
        {{"scaling-speedup", "Speed-up", "Speed-up by number of devices", Scope::result, kWindow},
         from(deviceSpeedupChart)},
        {{"batch-memory", "Memory by batch", "What every candidate for the batch puts into memory", Scope::level,
          kEverywhere},
         [](const View& view) { return batchMemoryChart(prediction(view), view.at.level); }},
        {{"memory", "All levels", "How full every level of memory is", Scope::choice, kWindow},
         [](const View& view) { return levelChart(prediction(view)); }},
        {{"roofline", "Roofline", "Operators on the roofline of an accelerator", Scope::choice, kEverywhere},
         [](const View& view) { return operatorRoofline(viewedPrediction(view), prediction(view)).chart; }},
    };
}

std::vector<TableRow> predictionTables() {
    return {
        {{"predictions", "Predictions", "One row per accelerator and number of devices", Scope::result, kEverywhere},
         [](const View& view) { return predictionTable(viewedPrediction(view)); },
         [](const View& view) { return predictionTable(viewedPrediction(view), study::kExactTable); }},
        {{"ranking", "Ranking", "Rankings of accelerators and their probability", Scope::result, kEverywhere},
         from(rankingTable)},
        {{"duels", "Pairwise win probability", "How likely each accelerator is ahead of each other one", Scope::result,
          kEverywhere},
         from(duelTable)},
        {{"stages", "Stages of a step", "The stages of a step", Scope::result, kEverywhere}, from(stageTable)},
        {{"memory", "Memory of a device", "What lies in each level of memory", Scope::result, kEverywhere},
         from(memoryTable)},
        {{"baselines", "Samples/s by baseline predictors", "Throughput by baseline predictors beside ours",
          Scope::result, kEverywhere},
         from(baselineTable)},
        {{"slowest", "Slowest operators of the fastest", "The slowest operators of the fastest prediction",
          Scope::result, kEverywhere, hasSlowest},
         from(slowestTable)},
        {{"batches", "Batches", "What every candidate for the batch takes, full precision"}, from(exactBatchTable)},
        {{"operators", "Operators", "The operators of a step, identical ones together, full precision", Scope::choice,
          kWindow},
         [](const View& view) { return exactOperatorTable(viewedPrediction(view), prediction(view)); }},
        {{"sources", "Sources", "Where the numbers of the accelerators come from"}, from(exactSourceTable)},
        metricsRow(),
    };
}

std::vector<std::string> predictions(const study::Result& result) {
    std::vector<std::string> names;
    if (const predict::Prediction* best = study::fastestPrediction(predictionOutcomeOf(result)))
        names.push_back(study::nameOf(*best));
    for (const predict::Prediction& one : predictionOutcomeOf(result).predictions)
        if (std::string name = study::nameOf(one); names.empty() || name != names.front())
            names.push_back(std::move(name));
    return names;
}

std::string part(const View& view, Scope scope) {
    if (!isPredicted(view)) return "";
    if (scope == Scope::devices)
        return fmt::format("on {}", formatCounted(prediction(view).devices, "device", "devices"));
    if (scope != Scope::level || view.at.level >= prediction(view).memory.levels.size()) return "";
    return prediction(view).memory.levels[view.at.level].level;
}

std::vector<std::pair<std::filesystem::path, std::string>> fleetOfPrediction(const View& view,
                                                                             const std::filesystem::path& out) {
    const InputScope inputs(view.context.files);
    return study::predictedFleetFiles(view.result, view.at.choice, out);
}

std::string predictionAnswer(const study::Result& result) {
    const PredictionOutcome& outcome = predictionOutcomeOf(result);
    const predict::Prediction* best = study::fastestPrediction(outcome);
    if (best == nullptr) return "";
    const auto first = study::contenders(outcome, study::kSampleRate, best->devices);
    std::string text =
        fmt::format("{} trains {} fastest, at {} samples/s ({} to {}) with batch {}", escaped(study::nameOf(*best)),
                    escaped(outcome.model), study::uncertainText(best->throughput),
                    study::uncertainText(best->throughput * (1 + best->error.low)),
                    study::uncertainText(best->throughput * (1 + best->error.high)), formatCount(best->batch));
    if (first.size() > 1) text += fmt::format(", but {} are too close to call", study::anyOf(first));
    text += ".";
    const auto cheapest = study::contenders(outcome, study::kSamplesPerDollar, best->devices);
    if (!cheapest.empty() && cheapest.front()->samplesPerUsd)
        text += fmt::format(" Per dollar, {} does most: {} samples.", study::anyOf(cheapest),
                            study::uncertainText(*cheapest.front()->samplesPerUsd));
    else if (const predict::Ranking* ranking = study::rankingOf(outcome, study::kSampleRate, best->devices);
             ranking != nullptr && ranking->order.size() > 1)
        text += fmt::format(" The {}.", study::correctText(*ranking));
    return text;
}

}  // namespace

Catalogue predictionCatalogue() {
    return {.engine = "predict",
            .pictures = predictionPictures(),
            .tables = predictionTables(),
            .firstTable = "predictions",
            .preposition = "of",
            .subject = [](const study::Result& result) { return predictionOutcomeOf(result).model; },
            .choices = predictions,
            .sentences = [](const study::Result& result) { return infeasibleSentences(predictionOutcomeOf(result)); },
            .part = part,
            .answer = predictionAnswer,
            .text = [](const study::Result& result) { return predictionText(result, predictionOutcomeOf(result)); },
            .levels =
                [](const View& view) {
                    return isPredicted(view) ? usedLevels(prediction(view)) : std::vector<std::size_t>();
                },
            .files = {{{"fleet", "Fleet", "The accelerators of a prediction as a fleet for partition, plan and place",
                        Scope::choice, 0},
                       ".json",
                       fleetOfPrediction,
                       "fleet",
                       "prediction"}}};
}

}  // namespace tessera::report
