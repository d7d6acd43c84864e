#pragma once

#include "ui/models/facts.h"
#include "ui/models/mapping_run.h"

namespace tessera::ui {

/// What the Inspector says about a job under the chosen algorithm's mapping: where and when it runs, what it would take
/// on every other core.
Facts jobFacts(const MappingChoice& choice, int job);
Facts coreFacts(const MappingChoice& choice, int core);
/// About the chosen algorithm's run as a whole.
Facts algorithmFacts(const MappingChoice& choice);

}  // namespace tessera::ui
