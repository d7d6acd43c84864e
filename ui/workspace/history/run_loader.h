#pragma once

#include <vector>

#include "core/store/store.h"
#include "ui/jobs/run_state.h"

namespace tessera::ui {

/// A stored run as views show it: study, result, curves and times. Reads the history: call it off the UI thread. A run
/// that is not there has status failed and a problem that says so; so has one whose result cannot be read.
RunState loadRun(const store::Store& history, store::RunId run);

/// The numbers in "12,15,16"; what is no number is left out.
std::vector<store::RunId> runNumbers(const QString& key);
QString runKey(const std::vector<store::RunId>& runs);

}  // namespace tessera::ui
