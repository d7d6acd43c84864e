#pragma once

#include "ui/models/mapping_run.h"
#include "ui/models/table_model.h"

namespace tessera::ui {

/// One row per algorithm.
TableModel* algorithmTableModel(const SharedMappingChoice& choice, QObject* parent);
/// One row per job of the chosen algorithm's mapping, in the order of the jobs.
TableModel* jobTableModel(const SharedMappingChoice& choice, QObject* parent);
/// One row per core under the chosen algorithm's mapping.
TableModel* coreTableModel(const SharedMappingChoice& choice, QObject* parent);
/// One row per input, with its SHA-256.

}  // namespace tessera::ui
