#pragma once

#include "ui/models/facts.h"
#include "ui/models/mapping_run.h"

namespace tessera::ui {

/// Inspector's facts of a job under the chosen algorithm's mapping: core and time, and its latency on every other core.
Facts jobFacts(const MappingChoice& choice, int job);
Facts coreFacts(const MappingChoice& choice, int core);
/// About the chosen algorithm's run as a whole.
Facts algorithmFacts(const MappingChoice& choice);

}  // namespace tessera::ui
