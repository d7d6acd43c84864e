#pragma once

#include "ui/models/codesign_run.h"
#include "ui/models/facts.h"

namespace tessera::ui {

/// Facts of an architecture for the Inspector: its parts, its objective and metrics, and how it compares with the
/// pinned one.
Facts architectureFacts(const CodesignChoice& choice, int row);
/// About a model on the chosen architecture.
Facts placedModelFacts(const CodesignChoice& choice, int model);

}  // namespace tessera::ui
