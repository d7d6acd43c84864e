#pragma once

#include "ui/models/codesign_run.h"
#include "ui/models/table_model.h"

namespace tessera::ui {

/// One row per model on the chosen architecture.
TableModel* placedModelTableModel(const SharedCodesignChoice& choice, QObject* parent);
/// One row per stage of the chosen model.
TableModel* stageTableModel(const SharedCodesignChoice& choice, QObject* parent);

}  // namespace tessera::ui
