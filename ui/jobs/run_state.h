#pragma once

#include <QString>
#include <QStringList>
#include <QVector>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/curve.h"
#include "core/explore/point_table.h"
#include "core/store/store.h"
#include "core/study/result.h"

namespace tessera::ui {

/// A run as views show it, while it works and after: a snapshot, cheap to copy.
struct RunState {
    int job = 0;           ///< number in the job queue; 0 = a stored run
    store::RunId run = 0;  ///< in the history; 0 = not recorded
    study::Study study;
    QString title;
    store::RunStatus status = store::RunStatus::queued;
    QString task;                ///< what it is doing
    double done = 0, total = 0;  ///< total 0 = unknown
    double rate = 0;             ///< of `done` per second
    QString best;                ///< best so far, as text
    double seconds = 0;          ///< worked so far, pauses not counted
    double sinceImprovement = 0;
    QString left;                                      ///< how long it still takes, "about 25 s left"; empty = unknown
    std::shared_ptr<const std::vector<Curve>> curves;  ///< decimated to what can be seen
    /// What was evaluated so far; null where the engine tells of no points.
    std::shared_ptr<const explore::PointTable> points = {};
    QStringList log;
    std::shared_ptr<const study::Result> result;  ///< null while there is none
    QString problem;                              ///< why it failed, a sentence
};

}  // namespace tessera::ui
