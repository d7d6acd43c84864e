#pragma once

#include "ui/models/codesign_run.h"
#include "ui/models/facts.h"

namespace tessera::ui {

/// What the Inspector says about an architecture: what it is made of, what it is worth, and how it compares with the
/// pinned one.
Facts architectureFacts(const CodesignChoice& choice, int row);
/// About a model on the chosen architecture.
Facts placedModelFacts(const CodesignChoice& choice, int model);

}  // namespace tessera::ui
