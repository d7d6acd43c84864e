#pragma once

#include <QString>
#include <string_view>

#include "core/store/store.h"

/// What people are told of the state of a run: the one place that the status line, jobs, tabs, the Inspector, the
/// library and the history take words, icons and possibilities from.
namespace tessera::ui {

/// "Running", "Done", …
QString statusText(store::RunStatus status);
/// The same as the title of a page: "Waiting for its turn".
QString statusTitle(store::RunStatus status);
/// Of `theme().icon`.
QString statusIcon(store::RunStatus status);
/// The colour token that goes with a status; never the only sign of it.
std::string_view statusToken(store::RunStatus status);
/// True while a run may still change: queued, running or paused.
bool isWorking(store::RunStatus status);
/// Whether a run ended before it was done such that it can go on.
bool canResume(store::RunStatus status);
/// Whether a run ended without a result.
bool endedInVain(store::RunStatus status);

}  // namespace tessera::ui
