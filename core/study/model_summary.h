#pragma once

#include "core/base/json.h"
#include "core/model/model.h"

namespace tessera::study {

/// Counts of a model at a batch, and what they are about.
struct ModelSummary {
    model::Model model;
    model::Summary counts;
};

/// Loads and counts. Throws like model::loadModel, and DataError where the model fixes another batch than the one
/// asked for.
ModelSummary summariseModel(const std::string& name, const model::LoadOptions& options);

/// `tessera.model-summary/1`; with `layers`, one row per weighted layer and join as well. Counts that need an unknown
/// shape are null.
Json toJson(const ModelSummary& summary, const model::LayerGraph* layers);

}  // namespace tessera::study
