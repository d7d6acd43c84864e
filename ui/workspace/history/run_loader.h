#pragma once

#include <cstddef>
#include <vector>

#include "core/store/store.h"
#include "ui/jobs/run_state.h"
#include "ui/views/workbench/points_document.h"

namespace tessera::ui {

/// A stored run as views show it: study, result, curves and times. Reads the history: call it off the UI thread. A run
/// that is not there has status failed and a problem that says so; so has one whose result cannot be read.
RunState loadRun(const store::Store& history, store::RunId run);

/// Runs with their metrics, without reading their results; of one that belongs to a sweep all of that. Reads the
/// history: call it off the UI thread. Runs that are not there are left out.
PointsDocument::Runs loadPoints(const store::Store& history, const std::vector<store::RunId>& runs);

/// The numbers in "12,15,16", so many at most; what is no number is left out.
std::vector<store::RunId> runNumbers(const QString& key, std::size_t max = 200);
QString runKey(const std::vector<store::RunId>& runs);

}  // namespace tessera::ui
