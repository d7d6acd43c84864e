#pragma once

#include <QVector>

#include "ui/models/mapping_run.h"
#include "ui/views/exportable.h"

namespace tessera::ui {

/// Every picture and table of a mapping run, as chosen in its view. The values are made when they are asked for, and do
/// not need the view any more.
QVector<Exportable> mappingExportables(const MappingRun& run, int algorithm, study::JobColour colour);
/// The result document, `tessera.mapping-result/1`.
Exportable mappingResultExportable(const MappingRun& run);
/// An algorithm's schedule; its JSON is a Chrome trace.
Exportable scheduleExportable(const MappingRun& run, int algorithm, study::JobColour colour);

}  // namespace tessera::ui
