#pragma once

#include <QVector>

#include "ui/models/codesign_run.h"
#include "ui/views/exportable.h"

namespace tessera::ui {

/// The pictures and tables of a co-design search; those of one model of the chosen one.
QVector<Exportable> codesignExportables(const CodesignRun& run, int model);
/// The output document.
Exportable codesignResultExportable(const CodesignRun& run);
/// One replica's batch as a Chrome trace.
Exportable pipelineExportable(const CodesignRun& run, int model);

}  // namespace tessera::ui
