#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/model/model.h"
#include "core/model/training.h"

namespace tessera::study {

/// Counts of a model at a batch, and what they are about.
struct ModelSummary {
    model::Model model;
    model::Summary counts;
    std::optional<model::TrainingCounts> training;  ///< one step with Adam, where requested
    std::vector<std::string> trainingWarnings;
};

/// Loads and counts. Throws like model::loadModel, and DataError where the model fixes another batch than the one
/// asked for. `withTraining` expands the model to a step of training: UsageError for a table of layers.
ModelSummary summariseModel(const std::string& name, const model::LoadOptions& options, bool withTraining = false);

/// Hands the text of a `tessera.model-summary/1` to `write`, piece by piece; with `layers`, with one row per weighted
/// layer and join as well. Counts that need an unknown shape are null.
void writeText(const ModelSummary& summary, const model::LayerGraph* layers,
               const std::function<void(std::string_view)>& write);

}  // namespace tessera::study
