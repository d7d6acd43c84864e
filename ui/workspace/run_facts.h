#pragma once

#include <optional>

#include "core/study/study.h"
#include "ui/jobs/run_state.h"
#include "ui/models/facts.h"
#include "ui/workspace/history/metric_kinds.h"

namespace tessera::ui {

/// A run as the Inspector shows it: outcome, inputs, what was measured, when and where, and what was written about it.
/// With its study also its parameters.
Facts runFacts(const store::RunRow& row, const MetricKinds& kinds = {},
               const std::optional<study::Study>& study = std::nullopt);

/// The history's row of a run, from what the window knows: for a run that is not kept, or not yet.
store::RunRow rowOf(const RunState& state);

/// Every parameter of a study that has a value, and its seed: "Batch", "512".
Facts::Section parameterFacts(const study::Study& study);

}  // namespace tessera::ui
