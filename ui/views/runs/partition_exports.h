#pragma once

#include <QVector>
#include <memory>

#include "core/study/scaling.h"
#include "ui/models/partition_run.h"
#include "ui/views/exportable.h"

namespace tessera::ui {

/// Every picture and table of a partition run, as chosen in its view. The values are made when they are asked for, and
/// do not need the view any more.
QVector<Exportable> partitionExportables(const PartitionRun& run, int plan, int split);
/// How the run scales: the picture, and its table.
QVector<Exportable> scalingExportables(const PartitionRun& run, const std::shared_ptr<const study::Scaling>& scaling);
/// The result document, `tessera.partition-result/1`.
Exportable resultExportable(const PartitionRun& run);
/// The step's timeline under a strategy; its JSON is a Chrome trace.
Exportable timelineExportable(const PartitionRun& run, int plan);

}  // namespace tessera::ui
