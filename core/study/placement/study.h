#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/study/engine.h"
#include "core/study/field.h"
#include "core/study/placement/outcome.h"

/// Placement as a study: where the layers of a model go on many accelerators.
namespace tessera::study {

/// The placement engine's parameters: the one place that names its options, defaults and ranges.
const std::vector<Parameter>& placementParameters();

/// Reads the study's layers, a file's or a model's on a fleet, and places them. A result without a plan says what would
/// fit. Throws like study::run.
Result runPlacement(const Study& study, const RunContext& context);

/// See study::estimate.
Estimate estimatePlacement(const Study& study);

/// The plan in a file, a result of this engine, as the parameter `plan_file` holds it, read against the layers of the
/// study's file.
/// Throws FileError, DataError, UsageError.
Json planIn(const std::string& file, const Study& study);

/// Writes `tessera.placement-result/1`, and reads it. Throws DataError.
void writePlacementJson(const Result& result, const TextSink& write);
Result readPlacementResult(const JsonNode& document, const Study& study);
/// The JSON Schema of the document.
Json placementSchema();

/// The numbers of a placement.
const std::vector<Field<PlacementOutcome>>& placementFields();

/// "29,090 samples/s · 141 ms/batch · 4 stages × 256 replicas · tensor-parallel degree 1".
std::string planText(const codesign::Plan& plan, const PlacementOutcome& outcome);
/// " · micro-batches of 2, full recomputation"; empty for layers of a file.
std::string choiceText(const std::optional<MicroBatchChoice>& chosen);
/// One line on the fastest plan with what is proven of it, or why nothing fits.
std::string placementHeadline(const PlacementOutcome& outcome);
/// Reason why nothing fits, or not the user's own plan; empty where all does.
std::string placementMisfit(const PlacementOutcome& outcome);

/// The fastest plan as a model of a co-design, which pictures are made from. A micro-batch is of 0 samples where the
/// global batch is not known.
codesign::ModelResult placedModel(const PlacementOutcome& outcome);

}  // namespace tessera::study
