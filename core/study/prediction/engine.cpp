#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/predict/predict.h"
#include "core/study/engine_rows.h"
#include "core/study/prediction/study.h"

namespace tessera::study {

namespace {

std::vector<InputFact> facts(const PredictionOutcome& outcome) {
    std::vector<InputFact> facts{{"Model", "name", outcome.model},
                                 {"Model", "parameters", exactNumber(outcome.parameters)}};
    std::set<std::string_view> seen;
    for (const predict::Prediction& one : outcome.predictions)
        for (const auto& [path, from] : seen.insert(one.accelerator).second ? one.sources : hardware::ProvenanceMap())
            facts.push_back({"Hardware", fmt::format("{}, {}", one.accelerator, path), hardware::sourceText(from)});
    return facts;
}

AmountOfWork work(const PredictionOutcome& outcome) {
    const predict::Prediction* best = fastestPrediction(outcome);
    if (best == nullptr) return {};
    return {.amount = fmt::format("{} × {}", best->batch, best->devices),
            .devices = best->devices,
            .samples = std::round(best->throughput * best->step.value),  // devices that share a model share a batch
            .seconds = best->step.value};
}

/// Of different accelerators: what is wrong about one is wrong about it in both.
bool tooCloseToCall(const Result& a, double rateOfA, const Result& b, double rateOfB) {
    const auto fastest = [](const Result& result) {
        const auto* outcome = result.outcome.as<PredictionOutcome>();
        return outcome == nullptr ? nullptr : fastestPrediction(*outcome);
    };
    const predict::Prediction *one = fastest(a), *other = fastest(b);
    if (one == nullptr || other == nullptr || one->accelerator == other->accelerator) return false;
    return predict::probabilityOfMore(rateOfA, one->error, rateOfB, other->error) < kCalled;
}

}  // namespace

Engine predictionEngine() {
    return {.id = "predict",
            .title = "Prediction",
            .description =
                "Predicts how fast and at what price accelerators train a model, with rankings and their probability.",
            .hardwareKind = "accelerator",
            .hardware = InputArity::many,
            .drawsNumbers = true,
            .parameters = predictionParameters,
            .laterParameters = {"prices"},
            .files = predictionFiles,
            .run = runPrediction,
            .estimate = estimatePrediction,
            .resultSchema = "tessera.prediction-result/1",
            .jsonSchema = predictionSchema,
            .write = writePredictionJson,
            .read = readPredictionResult,
            .headline = ofOutcome<predictionHeadline>,
            .metrics = ofOutcome<predictionMetrics>,
            .metricText = predictionMetricText,
            .explain = explainedBy<PredictionOutcome, explainPrediction>,
            .keyMetrics = {{"throughput_samples_per_s", Measure::count, true}},
            .timeline = [](const Result&, const std::string&) -> Timeline {
                throw UsageError("a prediction has no timeline: it tells the stages of a step, not their moments");
            },
            .facts = ofOutcome<facts>,
            .work = ofOutcome<work>,
            .ofWork = {"step_time_s", "compute_s", "communication_s", "load_s", "overlap_s"},
            .tooCloseToCall = tooCloseToCall,
            .question = "Which accelerator trains best, fastest or cheapest: {}?"};
}

}  // namespace tessera::study
