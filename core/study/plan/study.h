#pragma once

#include <string>
#include <vector>

#include "core/base/timeline.h"
#include "core/physical/measured_table.h"
#include "core/study/engine.h"
#include "core/study/plan/outcome.h"

/// How to train a model on a cluster, as a study.
namespace tessera::study {

/// The plan engine's parameters: the one place that names its options, defaults and ranges.
const std::vector<Parameter>& planParameters();

/// Reads the study's model and fleet and finds the best configuration. A result without one says what would fit. Throws
/// like study::run.
Result runPlan(const Study& study, const RunContext& context);

/// Judges a configuration on a fleet of the study, by its name: the best of what a text as of the parameter `evaluate`
/// leaves open, or why there is none. Reads the study's inputs again. Throws like study::run.
PlanAnswer askPlan(const Study& study, const std::string& fleet, const std::string& configuration,
                   const RunContext& context);

/// Adds the published runs of a table (columns of data/measured/training.csv) that stand beside a plan: of its model,
/// its tokens of a sample and its accelerators, in one of its data types or one whose products are as fast. Throws
/// DataError.
void addMeasured(PlanOutcome& outcome, const physical::MeasuredTable& table);

/// See study::estimate.
Estimate estimatePlan(const Study& study);

/// Writes `tessera.plan-result/1`, and reads it. Throws DataError.
void writePlanJson(const Result& result, const TextSink& write);
Result readPlanResult(const JsonNode& document, const Study& study);
/// The JSON Schema of the document.
Json planSchema();

/// "48.2 s/step · tp 8 × pp 16 × dp 4 · proven best of 299,124".
std::string planHeadline(const PlanOutcome& outcome);
/// Reason why nothing fits, or not the configuration that is asked about; empty where all does.
std::string planMisfit(const PlanOutcome& outcome);

/// "2 of 8", "attention of 3 of 8": layers of a stage that are computed again; empty where none is.
std::string recomputedText(const plan::EvaluatedStage& stage);

/// "8 tensor × 16 pipeline × 4 data parallel, micro-batches of 1, ZeRO 1, full recomputation".
std::string configurationText(const plan::Configuration& configuration);

/// The pipeline of a step of the configuration of a rank: forward and backward passes of its micro-batches by stage. Of
/// many micro-batches the first ones alone are drawn.
Timeline planTimeline(const PlanOutcome& outcome, const std::string& rank);

}  // namespace tessera::study
