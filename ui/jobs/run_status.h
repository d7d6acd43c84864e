#pragma once

#include <QString>
#include <string_view>

#include "core/store/store.h"

/// Text, icon and possible actions by run state: the one place of the status line, jobs, tabs, the Inspector, the
/// library and the history.
namespace tessera::ui {

/// "Running", "Done", …
QString statusText(store::RunStatus status);
/// Title of a page for a run in a state: "Waiting for its turn".
QString statusTitle(store::RunStatus status);
/// Name of the icon for `theme().icon`.
QString statusIcon(store::RunStatus status);
/// The colour token that goes with a status; never the only sign of it.
std::string_view statusToken(store::RunStatus status);
/// True while a run may still change: queued, running or paused.
bool isWorking(store::RunStatus status);
/// True if a run ended before it was done and can be resumed.
bool canResume(store::RunStatus status);
/// True if a run ended without a result.
bool endedInVain(store::RunStatus status);

}  // namespace tessera::ui
